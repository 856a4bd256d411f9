"""Derivatives of ritz.Model by arrays against central differences: statics, evolutions, derived fields, positions of nodes."""
import pathlib
import tempfile
import unittest

import numpy as np

import ritz
from model_test import heat, square, warming
from run_test import bar, tension


class Differences(unittest.TestCase):
    """Against central differences in entries of each array, J = weights . u, or weights . a derived field."""

    def assert_derivatives(self, make, arrays, mesh, h=1e-4, field=None, in_cells=False, **solve):
        model = make(arrays)

        def shown():
            u = model.solve(**solve)
            return u if field is None else model.cell_field(field) if in_cells else model.field(field)

        values = shown()
        weights = np.cos(np.arange(values.size)).reshape(values.shape) * (np.arange(values.size).reshape(values.shape) % 3 == 0)
        if model.evolves:
            weights[0] = 0  # a body at rest has no von Mises stress with a derivative
        gradients = model.vjp(weights) if field is None else model.vjp(**{"cell_fields" if in_cells else "fields": {field: weights}})
        J = lambda: (weights * shown()).sum()
        for key, values in arrays.items():
            given = values.values
            largest = abs(gradients[key]).max()
            self.assertGreater(largest, 0)
            for i in sorted({0, len(given) // 3, len(given) - 1, int(abs(gradients[key]).argmax())}):
                step, ends = h * max(abs(given[i]), 1e-3 * abs(given).max(), 1e-12 if abs(given).max() else 1), []
                for sign in (1, -1):
                    moved = given.copy()
                    moved[i] += sign * step
                    model.update({key: moved})
                    ends.append(J())
                model.update({key: given})
                self.assertAlmostEqual(gradients[key][i], (ends[0] - ends[1]) / (2 * step), delta=1e-6 * largest, msg=f"{key} {i}")


class Derivatives(Differences):
    """Of static solutions, to 1e-13."""

    def test_heat_conductivity_source_flux_and_temperature(self):
        mesh = square(5)
        cells, nodes = 25, 36
        make = lambda a: ritz.Model(heat(mesh, a["material.0.conductivity"], a["source.0.value"], a["temperature.0.value"],
                                         flux=[{"region": "top", "value": a["flux.0.value"]}],
                                         convection=[{"region": "top", "coefficient": a["convection.0.coefficient"], "ambient": 7.0}]), mesh=mesh)
        self.assert_derivatives(make, {"material.0.conductivity": ritz.per_cell(2 + np.sin(np.arange(cells))),
                                       "source.0.value": ritz.per_node(np.linspace(1, 9, nodes)),
                                       "temperature.0.value": ritz.per_node(np.linspace(3, 5, nodes)),
                                       "flux.0.value": ritz.per_cell(np.linspace(1, 2, cells)),
                                       "convection.0.coefficient": ritz.per_cell(np.linspace(1, 2, cells))}, mesh)

    def test_young_poisson_pressure_of_solids_and_of_the_plane(self):
        mesh = bar((3, 2, 2))
        make = lambda a: ritz.Model({"material": [{"region": "steel", "young": a["material.0.young"], "poisson": a["material.0.poisson"]}],
                                     "displacement": [{"region": "left", "fixed": True}], "pressure": [{"region": "right", "value": a["pressure.0.value"]}],
                                     "solver": {"tolerance": 1e-13}}, mesh=mesh)
        self.assert_derivatives(make, {"material.0.young": ritz.per_cell(2e11 * (1 + 0.3 * np.cos(np.arange(12)))),
                                       "material.0.poisson": ritz.per_node(0.3 + 0.1 * np.sin(np.arange(36))),
                                       "pressure.0.value": ritz.per_node(1e6 * np.linspace(1, 2, 36))}, mesh)
        plane = square(4)
        make = lambda a: ritz.Model({"model": {"type": "plane_strain"}, "material": [{"region": "all", "young": a["material.0.young"], "poisson": 0.3}],
                                     "displacement": [{"region": "left", "fixed": True}], "traction": [{"region": "top", "value": [1e6, a["traction.0.value.1"]]}],
                                     "space": {"order": 2}, "solver": {"tolerance": 1e-13}}, mesh=plane)
        self.assert_derivatives(make, {"material.0.young": ritz.per_cell(2e11 * (1 + 0.3 * np.cos(np.arange(16)))),
                                       "traction.0.value.1": ritz.per_cell(1e6 * np.linspace(1, 2, 16))}, plane)

    def test_forces_at_nodes_and_prescribed_values(self):
        mesh = bar((3, 2, 2))
        model = ritz.Model(tension(solver={"tolerance": 1e-13}), mesh=mesh)
        load, values = np.sin(np.arange(108.0)).reshape(36, 3) * 1e5, 1e-5 * np.cos(np.arange(108.0)).reshape(36, 3)
        weights = np.cos(np.arange(108.0)).reshape(36, 3)
        model.solve(load=load, prescribed=values)
        g = model.vjp(weights)
        J = lambda f, v: (weights * model.solve(load=f, prescribed=v)).sum()
        for at in ((20, 1), (35, 0)):  # free
            d = np.zeros((36, 3))
            d[at] = 1e6
            self.assertAlmostEqual(g["load"][at], (J(load + d, values) - J(load - d, values)) / 2e6, delta=1e-6 * abs(g["load"]).max())
        for at in ((0, 0), (4, 2)):  # held
            d = np.zeros((36, 3))
            d[at] = 1e-5
            self.assertTrue(model.fixed[at])
            self.assertAlmostEqual(g["prescribed"][at], (J(load, values + d) - J(load, values - d)) / 2e-5, delta=1e-6 * abs(g["prescribed"]).max())
        self.assertEqual(abs(g["load"][model.fixed]).max(), 0)

    def test_entries_at_the_end_of_what_is_allowed(self):
        """Young's modulus of voids, a foundation of nothing, Poisson's ratio near 0.5."""
        mesh = bar((3, 2, 2))
        make = lambda a: ritz.Model({"material": [{"region": "steel", "young": a["material.0.young"], "poisson": a["material.0.poisson"]}],
                                     "displacement": [{"region": "left", "fixed": True}], "pressure": [{"region": "right", "value": 1.0}],
                                     "foundation": [{"region": "right", "stiffness": a["foundation.0.stiffness"]}],
                                     "solver": {"method": "direct", "tolerance": 1e-10}}, mesh=mesh)
        young, poisson, ground = np.linspace(1, 2, 12), np.full(12, 0.3), np.linspace(0, 1, 12)
        ground[8:10] = 0
        for change, at, values in ((young, [3, 7], 1e-9), (poisson, [2, 5], [0.49995, -0.99995])):
            before = change.copy()
            change[at] = values
            self.assert_ends(make, {"material.0.young": young, "material.0.poisson": poisson, "foundation.0.stiffness": ground})
            change[:] = before

    def assert_ends(self, make, arrays):
        model = make({key: ritz.per_cell(values) for key, values in arrays.items()})
        u = model.solve()
        weights = np.cos(np.arange(u.size)).reshape(u.shape)
        gradients = model.vjp(weights)
        self.assertTrue(np.array_equal(model.solution, u))
        J = lambda key, values: (model.update({key: values}), (weights * model.solve()).sum(), model.update({key: arrays[key]}))[1]
        for key, values in arrays.items():
            for i in range(12):
                h = 1e-3 * (abs(values[i]) if values[i] else 1)
                h = min(h, 0.02 * (0.5 - values[i]), 0.02 * (1 + values[i])) if key.endswith("poisson") else h
                at = lambda steps: J(key, np.where(np.arange(12) == i, values + steps * h, values))
                slope = ((8 * (at(1) - at(-1)) - at(2) + at(-2)) / 12 if values[i] else
                         (-25 * at(0) + 48 * at(1) - 36 * at(2) + 16 * at(3) - 3 * at(4)) / 12) / h
                self.assertAlmostEqual(gradients[key][i], slope, delta=1e-5 * abs(slope) + 1e-7 * abs(gradients[key]).max(), msg=f"{key} {i}")

    def test_prescribed_values_by_arrays_that_meet_others_or_are_replaced(self):
        mesh = square(4)
        node = np.arange(25).reshape(5, 5)
        more = ritz.Mesh(mesh.points, dict(mesh.cells), {"left": {"nodes": node[0]}, "bottom": {"nodes": node[:, 0]}, "all": {"quad4": np.arange(16)}})
        T = np.linspace(20, 24, 25)  # 20 at the corner
        case = heat(more, 2.0, 1.0) | {"temperature": [{"region": "left", "value": ritz.per_node(T)}, {"region": "bottom", "value": 20.0}]}
        model = ritz.Model(case, mesh=more)
        model.solve()
        g = np.cos(np.arange(25.0)).reshape(25, 1)
        by = model.vjp(g)
        by_array, by_value = by["temperature.0.value"], by["prescribed"].ravel()
        self.assertTrue(np.allclose(by_array[node[0]], by_value[node[0]], rtol=1e-7))
        self.assertGreater(abs(by_array[node[0]]).min(), 0)
        self.assertEqual(abs(by_array[node[1:]]).max(), 0)
        values = model.prescribed
        for i in node[0, 1:]:
            d = np.zeros((25, 1))
            d[i] = 1.0
            slope = (g * (model.solve(prescribed=values + d) - model.solve(prescribed=values - d))).sum() / 2
            self.assertAlmostEqual(by_array[i], slope, delta=1e-8)
        self.assertEqual(abs(model.vjp(g)["temperature.0.value"]).max(), 0)  # the last solution took other values
        model.solve()
        self.assertTrue(np.allclose(model.vjp(g)["temperature.0.value"], by_array, rtol=1e-9))

    def test_compliance_of_the_whole_modulus(self):
        mesh = bar()  # f.u = F^2 L / (E A); d/dE = -that / E, summed over all cells
        model = ritz.Model(tension(), {"material.0.young": ritz.per_cell(np.full(32, 200e9))}, mesh=mesh)
        u = model.solve(tolerance=1e-12)
        compliance = (model.load() * u).sum()
        self.assertAlmostEqual(compliance, 1e12 * 4 / 200e9, delta=1e-8)
        self.assertAlmostEqual(model.vjp(model.load(), of="material.0.young")["material.0.young"].sum(), -compliance / 200e9, delta=1e-17)

    def test_what_has_no_derivative_is_refused(self):
        mesh = square()
        with self.assertRaises(ritz.InputError):
            ritz.Model(heat(mesh), mesh=mesh).vjp(np.ones(25))
        model = ritz.Model(heat(mesh, left=ritz.per_cell(np.ones(16))), mesh=mesh)
        model.solve()
        with self.assertRaises(ritz.ModelError) as raised:
            model.vjp(np.ones(25))
        self.assertIn("prescribed values", str(raised.exception))
        with self.assertRaises(ritz.InputError):
            model.vjp(np.ones(25), of="material.0.young")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "k.csv").write_text("T,k\n0,1\n10,2\n")
            nonlinear = ritz.Model(heat(mesh, "k(T)") | {"table": [{"name": "k", "file": "k.csv", "interpolation": "linear", "outside": "constant"}]}, mesh=mesh, folder=folder)
        K0, K1 = nonlinear.stiffness(), nonlinear.stiffness(np.full(25, 10.0))
        self.assertLess(abs(2 * K0 - K1).max(), 1e-12 * abs(K1).max())
        with self.assertRaises(ritz.ModelError):
            nonlinear.equations()
        with self.assertRaises(ritz.ModelError) as raised:
            nonlinear.solve(prescribed=np.zeros((25, 1)))
        self.assertIn("nonlinear", str(raised.exception))
        path = ritz.Model(heat(mesh) | {"newton": {"increments": 3, "path": [1, 0]}}, mesh=mesh)
        with self.assertRaises(ritz.ModelError) as raised:
            path.solve()
        self.assertIn("a load path", str(raised.exception))

    def assert_nonlinear(self, case, arrays, mesh, **how):
        make = lambda a: ritz.Model(case(a), mesh=mesh, **how)
        model = make(arrays)
        u = model.solve(tolerance=1e-12)
        self.assertLess(abs(model.residual(u)[~model.fixed]).max(), 1e-10 * abs(model.residual(u)).max())
        self.assertEqual(abs(ritz.run(case(arrays), mesh=mesh, **how).fields["temperature"].ravel() - u.ravel()).max() < 1e-5 * abs(u).max(), True)
        self.assert_derivatives(make, arrays, mesh, tolerance=1e-12)
        model.solve(tolerance=1e-12)
        weights = np.cos(np.arange(u.size)).reshape(u.shape)
        by, d = model.vjp(weights), np.zeros(u.shape)
        at = tuple(np.argwhere(~model.fixed)[len(u) // 2])
        d[at] = 0.1
        slope = (weights * (model.solve(load=d, tolerance=1e-12) - model.solve(load=-d, tolerance=1e-12))).sum() / 0.2
        self.assertAlmostEqual(by["load"][at], slope, delta=1e-6 * abs(by["load"]).max())

    def test_radiation_has_derivatives_at_the_converged_state(self):
        mesh = square(5)
        case = lambda a: heat(mesh, a["material.0.conductivity"], a["source.0.value"], a["temperature.0.value"]) | {
            "model": {"type": "plane", "absolute_zero": 0}, "radiation": [{"region": "top", "emissivity": a["radiation.0.emissivity"], "ambient": 300.0}], "solver": {"method": "direct"}}
        self.assert_nonlinear(case, {"material.0.conductivity": ritz.per_cell(2 + np.sin(np.arange(25))), "source.0.value": ritz.per_cell(np.linspace(1, 9, 25)),
                                     "temperature.0.value": ritz.per_node(np.linspace(900, 1000, 36)), "radiation.0.emissivity": ritz.per_cell(np.linspace(0.3, 0.9, 25))}, mesh)

    def test_a_tangent_that_is_not_symmetric_is_transposed(self):
        mesh = square(5)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "k.csv").write_text("T,k\n0,1\n2000,21\n")
            case = lambda a: heat(mesh, "k(T)", a["source.0.value"], a["temperature.0.value"]) | {
                "table": [{"name": "k", "file": "k.csv", "interpolation": "linear"}], "convection": [{"region": "top", "coefficient": a["convection.0.coefficient"], "ambient": 20.0}],
                "solver": {"method": "direct"}}
            arrays = {"source.0.value": ritz.per_cell(np.linspace(1, 9, 25)), "temperature.0.value": ritz.per_node(np.linspace(100, 900, 36)),
                      "convection.0.coefficient": ritz.per_cell(np.linspace(5, 9, 25))}
            model = ritz.Model(case(arrays), mesh=mesh, folder=folder)
            K = model.stiffness(model.solve())
            self.assertGreater(abs(K - K.T).max(), 1e-3 * abs(K).max())
            self.assert_nonlinear(case, arrays, mesh, folder=folder)


def spread(keys, mesh, at_nodes):
    """An array around each number, in cells or at nodes."""
    count = len(mesh.points) if at_nodes else len(mesh.cells["hex8" if "hex8" in mesh.cells else "quad4"])
    make = ritz.per_node if at_nodes else ritz.per_cell
    return {key: make(value * (1 + 0.2 * np.cos(3.0 * i + np.arange(count)))) for i, (key, value) in enumerate(keys.items())}


class EveryKey(Differences):
    """Each number that may be an array, in every kind of model, in cells and at nodes."""

    def solid(self, a, model, dimension, held, loaded, **more):
        value = lambda table, c: a.get(f"{table}.0.value.{c}", 0.0)
        vector = lambda table: [value(table, c) for c in range(dimension)]
        return model | {"material": [{"region": "all", **{name: a[f"material.0.{name}"] for name in ("young", "poisson", "density", "expansion")}}],
                        "thermal": {"temperature": a["thermal.temperature"], "reference": 20.0}, "gravity": {"acceleration": [0.0, -9.81, 0.0][:dimension]},
                        "displacement": [{"region": held, **{name: a.get(f"displacement.0.{name}", 0.0) for name in "xyz"[:dimension]}}],
                        "body_force": [{"region": "all", "value": vector("body_force")}], "traction": [{"region": loaded, "value": vector("traction")}],
                        "pressure": [{"region": loaded, "value": a["pressure.0.value"]}], "foundation": [{"region": loaded, "stiffness": a["foundation.0.stiffness"]}],
                        "solver": {"method": "direct", "tolerance": 1e-13}} | more

    KEYS = {"material.0.young": 2e11, "material.0.poisson": 0.3, "material.0.density": 7850.0, "material.0.expansion": 12e-6, "thermal.temperature": 50.0,
            "body_force.0.value.1": 1e5, "traction.0.value.0": 1e6, "pressure.0.value": 1e6, "foundation.0.stiffness": 1e10}

    def test_elastic_bodies(self):
        block = bar((3, 2, 2))
        for name, mesh, model, dimension, more in (("solid", block, {}, 3, {}), ("plane stress", square(3), {"model": {"type": "plane_stress", "thickness": 0.1}}, 2, {}),
                                                   ("plane strain", square(3), {"model": {"type": "plane_strain"}}, 2, {}), ("of revolution", square(3), {"model": {"type": "axisymmetric"}}, 2, {}),
                                                   ("order 2", square(3), {"model": {"type": "plane_stress"}}, 2, {"space": {"order": 2}})):
            for at_nodes in (False, True):
                with self.subTest(name, at_nodes=at_nodes):
                    keys = self.KEYS | ({"displacement.0.x": 1e-5} if at_nodes and not more and name != "of revolution" else {})
                    self.assert_derivatives(lambda a: ritz.Model(self.solid(a, model, dimension, "left", "right" if dimension == 3 else "top", **more), mesh=mesh), spread(keys, mesh, at_nodes), mesh)

    def assert_positions(self, make, points, dimension, tolerance, **begin):
        model = make(points)
        u = model.solve(tolerance=tolerance, **begin)
        weights = np.cos(np.arange(u.size)).reshape(u.shape)
        by = model.vjp(weights, of="points")["points"]
        self.assertEqual(by.shape, (len(points), 3))
        self.assertEqual(abs(by[:, dimension:]).sum(), 0)
        for node in (0, len(points) // 2, len(points) - 1, int(abs(by).max(1).argmax())):
            for axis in range(dimension):
                d = np.zeros(points.shape)
                d[node, axis] = 1e-4
                ends = [(weights * make(points + s * d).solve(tolerance=tolerance, **begin)).sum() for s in (1, -1)]
                self.assertAlmostEqual(by[node, axis], (ends[0] - ends[1]) / 2e-4, delta=1e-6 * abs(by).max(), msg=f"{node} {axis}")
        return model

    def test_positions_of_nodes(self):
        block, plane = bar((3, 2, 2)), square(3)
        again = lambda mesh, points: ritz.Mesh(points, dict(mesh.cells), {name: ({"nodes": nodes} if len(nodes) else {kind: np.isin(np.arange(len(mesh.cells[kind])), part) for kind, part in chosen}) for name, (chosen, nodes) in mesh.regions.items()})
        random = np.random.default_rng(1)
        for name, mesh, model, dimension in (("solid", block, {}, 3), ("plane stress", plane, {"model": {"type": "plane_stress", "thickness": 0.1}}, 2), ("of revolution", plane, {"model": {"type": "axisymmetric"}}, 2)):
            with self.subTest(name):
                points = mesh.points[:, :dimension] + 0.05 * random.uniform(size=(len(mesh.points), dimension))
                points[:, 0] += 1.0 if name == "of revolution" else 0.0
                given = self.KEYS | {"material.0.young": "2e11*(1 + 0.1*x)"}
                self.assert_positions(lambda points: ritz.Model(self.solid(given, model, dimension, "left", "right" if dimension == 3 else "top"), mesh=again(mesh, points)), points, dimension, 1e-13)
        points = plane.points[:, :2] + 0.05 * random.uniform(size=(16, 2))
        case = lambda: heat(plane, 2.0, 5.0, 400.0, model={"type": "plane", "absolute_zero": 0}, radiation=[{"region": "top", "emissivity": 0.6, "ambient": 300.0}])
        self.assert_positions(lambda points: ritz.Model(case(), mesh=again(plane, points)), points, 2, 1e-12)
        for words, more in (("[[force]]", {}), ("relations or prescribed values", {"force": [], "displacement": [{"region": "left", "fixed": True}, {"region": "right", "x": "1e-4*y"}]})):
            case = {key: value for key, value in (tension() | more).items() if value}
            model = ritz.Model(case, mesh=block)
            u = model.solve()
            with self.assertRaises(ritz.ModelError) as raised:
                model.vjp(u, of="points")
            self.assertIn(words, str(raised.exception))

    def test_positions_of_nodes_in_time(self):
        again = lambda mesh, points: ritz.Mesh(points, dict(mesh.cells), {name: ({"nodes": nodes} if len(nodes) else {kind: np.isin(np.arange(len(mesh.cells[kind])), part) for kind, part in chosen}) for name, (chosen, nodes) in mesh.regions.items()})
        random = np.random.default_rng(1)
        shaken = lambda mesh, dimension: mesh.points[:, :dimension] + 0.05 * random.uniform(size=(len(mesh.points), dimension))
        block, plane = bar((3, 1, 1)), square(2)
        case = {"material": [{"region": "steel", "conductivity": 20.0, "density": 8.0, "specific_heat": 400.0}], "temperature": [{"region": "left", "value": "20 + 0.1*t"}],
                "convection": [{"region": "right", "coefficient": 30.0, "ambient": "90 + x"}], "source": [{"region": "steel", "value": "500*(1 + t*y)"}], "initial": {"temperature": 20},
                "time": {"end": 30, "step": 4, "output": 10}, "solver": {"method": "direct", "tolerance": 1e-13}}
        model = self.assert_positions(lambda points: ritz.Model(case, mesh=again(block, points)), shaken(block, 3), 3, 1e-13)
        self.assertGreater(model.gradient_memory, 0)
        radiating = heat(plane, 2.0, 5.0, 400.0, model={"type": "axisymmetric", "absolute_zero": 0}, radiation=[{"region": "top", "emissivity": 0.6, "ambient": 300.0}],
                         time={"end": 1e3, "step": 100.0}, initial={"temperature": 350})
        radiating["material"][0] |= {"density": 8.0, "specific_heat": 400.0}
        self.assert_positions(lambda points: ritz.Model(radiating, mesh=again(plane, points)), shaken(plane, 2) + [1, 0], 2, 1e-12)
        moving = {"material": [{"region": "steel", "young": 2e9, "poisson": 0.3, "density": 1000.0}], "displacement": [{"region": "left", "x": "1e-3*t", "y": 0, "z": 0}], "damping": {"rayleigh": [80, 3e-6]},
                  "traction": [{"region": "right", "value": ["1e6*sin(5000*t)", 2e5, 0]}], "time": {"end": 1e-3, "step": 1e-4, "output": 5e-4}, "solver": {"method": "direct", "tolerance": 1e-13}}
        make = lambda more: lambda points: ritz.Model(moving | more, mesh=again(block, points))
        points = shaken(block, 3)
        self.assert_positions(make({"initial": {"velocity": [1, 2, 3]}}), points, 3, 1e-13)
        self.assert_positions(make({"initial": {"equilibrium": True}, "gravity": {"acceleration": [0, -9.81, 0]}}), points, 3, 1e-13)
        by_position = {"initial": {"displacement": ["1e-3*x", 0, 0]}}
        self.assert_positions(make(by_position), points, 3, 1e-13, initial=1e-3 * points, velocity=0 * points)
        for words, more, begin in (("begins with a formula", by_position, {}), ("begins with a formula", by_position, {"initial": 1e-3 * points}), ("[[coupling]]", {"coupling": [{"region": "right", "mass": 500.0}]}, {}),
                                   ("prescribed values that vary with the position", {"displacement": [{"region": "left", "x": "1e-3*t*y", "y": 0, "z": 0}]}, {})):
            model = make(more)(points)
            model.solve(**begin)
            with self.assertRaises(ritz.ModelError) as raised:
                model.vjp(points, of="points")
            self.assertIn(words, str(raised.exception))

    def test_heat_in_the_plane_and_of_bodies_of_revolution(self):
        mesh = square(4)
        keys = {"material.0.conductivity": 2.0, "source.0.value": 5.0, "flux.0.value": 4.0, "convection.0.coefficient": 7.0, "convection.0.ambient": 25.0,
                "radiation.0.emissivity": 0.6, "radiation.0.ambient": 300.0}
        for kind in ("plane", "axisymmetric"):
            for at_nodes in (False, True):
                with self.subTest(kind, at_nodes=at_nodes):
                    case = lambda a: heat(mesh, a["material.0.conductivity"], a["source.0.value"], a.get("temperature.0.value", 400.0), flux=[{"region": "top", "value": a["flux.0.value"]}],
                                          model={"type": kind, "absolute_zero": 0},
                                          **{table: [{"region": "top", **{key.split(".")[2]: a[key] for key in keys if key.startswith(table)}}] for table in ("convection", "radiation")})
                    arrays = spread(keys | ({"temperature.0.value": 400.0} if at_nodes else {}), mesh, at_nodes)
                    self.assert_derivatives(lambda a: ritz.Model(case(a), mesh=mesh), arrays, mesh, tolerance=1e-12)


class DerivedFields(Differences):
    """Numbers of stresses, strains and fluxes: through the unknown, and through the numbers that stand in these directly."""

    def solid(self, a, **more):
        return {"material": [{"region": "all", "young": a["material.0.young"], "poisson": a["material.0.poisson"], "expansion": a["material.0.expansion"], "density": 7850}],
                "thermal": {"temperature": "50+30*x", "reference": 20}, "displacement": [{"region": "left", "fixed": True}],
                "pressure": [{"region": "right", "value": a["pressure.0.value"]}], "gravity": {"acceleration": [0, -9.81, 0]}, "solver": {"method": "direct", "tolerance": 1e-13}} | more

    KEYS = {"material.0.young": 2e11, "material.0.poisson": 0.3, "material.0.expansion": 12e-6, "pressure.0.value": 1e6}

    def test_stresses_and_strains_of_a_solid(self):
        mesh = bar((3, 2, 2))
        for field, in_cells in (("stress", False), ("stress", True), ("strain", False), ("von_mises", False), ("von_mises", True), ("principal_stress", False)):
            for at_nodes in (False, True):
                with self.subTest(field, in_cells=in_cells, at_nodes=at_nodes):
                    self.assert_derivatives(lambda a: ritz.Model(self.solid(a), mesh=mesh), spread(self.KEYS, mesh, at_nodes), mesh, field=field, in_cells=in_cells)

    def test_fluxes_of_heat_at_rest_and_in_time(self):
        mesh = square(4)
        for more, tolerance in (({}, 1e-12), ({"time": None, "initial": None}, 1e-13)):
            for in_cells in (False, True):
                with self.subTest(more, in_cells=in_cells):
                    case = lambda a: {key: value for key, value in (warming(a) | more).items() if value is not None}
                    if more:
                        case = lambda a: heat(mesh, a["material.0.conductivity"], 5.0, 40.0, convection=[{"region": "top", "coefficient": a["convection.0.coefficient"], "ambient": 25.0}])
                    keys = {"material.0.conductivity": 2.0, "convection.0.coefficient": 7.0}
                    self.assert_derivatives(lambda a: ritz.Model(case(a), mesh=mesh), spread(keys, mesh, False), mesh, field="heat_flux", in_cells=in_cells, tolerance=tolerance)

    def test_conductivity_over_temperature(self):
        mesh = square(4)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "k.csv").write_text("T,k\n0,1\n2000,21\n")
            case = lambda a: warming(a | {"material.0.conductivity": "k(T)"}, table=[{"name": "k", "file": "k.csv", "interpolation": "linear"}])
            self.assert_derivatives(lambda a: ritz.Model(case(a), mesh=mesh, folder=folder), spread({"source.0.value": 5.0, "material.0.density": 3.0}, mesh, False), mesh, field="heat_flux", tolerance=1e-12)

    def test_what_has_no_derivative_is_refused(self):
        mesh = bar((3, 2, 2))
        model = ritz.Model(self.solid(self.KEYS), mesh=mesh)
        with self.assertRaises(ritz.InputError) as raised:
            model.field("stress")
        self.assertIn("before solve()", str(raised.exception))
        self.assertEqual(model.derived_fields, ("stress", "strain", "von_mises", "principal_stress"))
        u = model.solve()
        self.assertEqual((model.field("stress").shape, model.cell_field("stress").shape), ((36, 6), (12, 6)))
        for words, call in {"one of 'stress'": lambda: model.field("flux"), "in cells": lambda: model.cell_field("principal_stress"), "shape (36, 6)": lambda: model.vjp(fields={"stress": np.zeros(5)}),
                            "positions": lambda: model.vjp(u, of="points", fields={"stress": np.zeros((36, 6))})}.items():
            with self.assertRaises(ritz.InputError) as raised:
                call()
            self.assertIn(words, str(raised.exception))
        rest = ritz.Model(self.solid(self.KEYS | {"pressure.0.value": 0.0}, gravity={"acceleration": [0, 0, 0]}, thermal={"temperature": 20, "reference": 20}), mesh=mesh)
        rest.solve()
        with self.assertRaises(ritz.ModelError) as raised:
            rest.vjp(fields={"von_mises": np.ones((36, 1))})
        self.assertIn("kink", str(raised.exception))


class Motion(Differences):
    """The discrete adjoint of generalised alpha: loads and supports that vary, Rayleigh damping, the acceleration at the begin."""

    KEYS = {"material.0.young": 2e11, "material.0.poisson": 0.3, "material.0.density": 7850.0, "pressure.0.value": 1e6}

    def case(self, a, **more):
        return {"material": [{"region": "all", **{name: a[f"material.0.{name}"] for name in ("young", "poisson", "density")}}],
                "displacement": [{"region": "left", "x": a.get("displacement.0.x", 0), "y": 0, "z": 0}], "damping": {"rayleigh": [50, 2e-6]},
                "pressure": [{"region": "right", "value": a["pressure.0.value"]}], "traction": [{"region": "right", "value": ["1e6*sin(4000*t)", "1e6", 0]}],
                "initial": {"velocity": ["0.1*x", 0, 0]}, "time": {"end": 1.5e-3, "step": 1.1e-4, "output": 5e-4}, "solver": {"method": "direct", "tolerance": 1e-12}} | more

    def test_materials_and_loads(self):
        mesh = bar((3, 2, 2))
        for name, more in (("damped", {}), ("undamped", {"damping": {"rayleigh": [0, 0]}}), ("from equilibrium", {"initial": {"equilibrium": True, "velocity": ["0.1*x", 0, 0]}}),
                           ("supports move", {"displacement": [{"region": "left", "x": "1e-4*sin(3000*t)", "y": 0, "z": 0}]}), ("spectral radius 0", {"time": {"end": 1.5e-3, "step": 1.1e-4, "spectral_radius": 0.0}})):
            for at_nodes in (False, True):
                with self.subTest(name, at_nodes=at_nodes):
                    keys = self.KEYS | ({"displacement.0.x": 1e-5} if at_nodes and "displacement" not in more else {})
                    self.assert_derivatives(lambda a: ritz.Model(self.case(a, **more), mesh=mesh), spread(keys, mesh, at_nodes), mesh, tolerance=1e-12)

    def test_stresses_in_time(self):
        mesh = bar((3, 2, 2))
        for field in ("von_mises", "stress"):
            self.assert_derivatives(lambda a: ritz.Model(self.case(a), mesh=mesh), spread(self.KEYS, mesh, False), mesh, field=field, tolerance=1e-12)

    def test_the_state_at_the_begin(self):
        mesh = bar((3, 2, 2))
        model = ritz.Model(self.case(self.KEYS), mesh=mesh)
        begin, velocity = 1e-5 * np.cos(np.arange(108.0)).reshape(36, 3), 0.1 * np.sin(np.arange(108.0)).reshape(36, 3)
        solve = lambda **given: model.solve(**({"initial": begin, "velocity": velocity} | given), tolerance=1e-12)
        u = solve()
        weights = np.cos(np.arange(u.size)).reshape(u.shape)
        by = model.vjp(weights)
        for name, given, step in (("initial", begin, 1e-6), ("velocity", velocity, 1e-2)):
            self.assertEqual(abs(by[name][model.fixed]).max(), 0)
            direction = np.sin(np.arange(108.0) ** 2).reshape(36, 3) * ~model.fixed
            slope = ((weights * solve(**{name: given + step * direction})).sum() - (weights * solve(**{name: given - step * direction})).sum()) / (2 * step)
            self.assertAlmostEqual((by[name] * direction).sum(), slope, delta=1e-7 * abs(by[name]).sum(), msg=name)
        static = ritz.Model(tension(), mesh=mesh)
        with self.assertRaises(ritz.InputError) as raised:
            static.solve(velocity=velocity)
        self.assertIn("second order", str(raised.exception))

    def test_memory_is_what_is_foreseen_at_most(self):
        """Of N steps: some sqrt(N) to 2 sqrt(N) states of four vectors, and five vectors for each step between two of them."""
        mesh, used = bar((2, 1, 1)), {}
        for steps in (25, 100, 400):
            model = ritz.Model(self.case(self.KEYS, time={"end": 1.5e-3, "step": 1.5e-3 / steps}), mesh=mesh)
            model.solve()
            model.vjp(np.ones((12, 3)))
            used[steps] = model.gradient_memory / (8 * 36)
            self.assertLess(used[steps], 10 * (np.sqrt(steps) + 1))
        self.assertLess(used[400], 5 * used[25])

    def test_what_has_no_derivative_is_refused(self):
        model = ritz.Model(self.case(self.KEYS), mesh=bar((2, 1, 1)))
        with self.assertRaises(ritz.ModelError) as raised:
            model.solve(load=np.zeros((12, 3)))
        self.assertIn("given forces at nodes", str(raised.exception))


class Evolutions(Differences):
    """The discrete adjoint of heat in time. Its differences share the steps, which are fixed, or given by a formula of t alone."""

    CELLS = {"material.0.conductivity": 2 + np.sin(np.arange(25.0)), "material.0.density": 3 + np.cos(np.arange(25.0)), "source.0.value": np.linspace(1, 9, 25),
             "convection.0.coefficient": np.linspace(5, 9, 25), "convection.0.ambient": np.linspace(20, 30, 25), "flux.0.value": np.linspace(3, 5, 25)}
    NODES = {"material.0.specific_heat": 2 + 0.5 * np.cos(np.arange(36.0)), "temperature.0.value": np.linspace(30, 50, 36)}

    def arrays(self):
        return {key: ritz.per_cell(values) for key, values in self.CELLS.items()} | {key: ritz.per_node(values) for key, values in self.NODES.items()}

    def test_coefficients_loads_and_prescribed_values(self):
        mesh = square(5)
        for method in ("backward_euler", "tr_bdf2"):
            for begin in ("20+30*x*y", "40"):  # the first jumps at the supports: a first step of backward Euler
                with self.subTest(method, begin=begin):
                    more = {"time": {"end": 1.0, "step": 0.09, "output": 0.3, "method": method}, "initial": {"temperature": begin}}
                    self.assert_derivatives(lambda a: ritz.Model(warming(a, **more), mesh=mesh), self.arrays(), mesh, tolerance=1e-12)

    def test_forces_and_initial_values(self):
        mesh = square(5)
        model = ritz.Model(warming({}), mesh=mesh)
        begin, load = np.linspace(20, 60, 36).reshape(36, 1), np.cos(np.arange(36.0)).reshape(36, 1)
        solve = lambda **given: model.solve(**({"initial": begin, "load": load} | given), tolerance=1e-12)
        u = solve()
        self.assertEqual(u.shape, (5, 36, 1))
        self.assertTrue(np.allclose(model.times, [0, 0.3, 0.6, 0.9, 1]))
        for weights in (np.cos(np.arange(u.size)).reshape(u.shape), np.sin(np.arange(36.0)).reshape(36, 1)):
            solve()
            by = model.vjp(weights)
            J = lambda u: (weights * (u if weights.ndim == 3 else u[-1])).sum()
            for name, given in (("initial", begin), ("load", load)):
                self.assertEqual(abs(by[name][model.fixed]).max(), 0)
                for at in ((10, 0), (35, 0)):
                    d = np.zeros((36, 1))
                    d[at] = 1e-2
                    slope = (J(solve(**{name: given + d})) - J(solve(**{name: given - d}))) / 2e-2
                    self.assertAlmostEqual(by[name][at], slope, delta=1e-6 * abs(by[name]).max(), msg=name)
        self.assertTrue(np.array_equal(solve(), u))

    def test_radiation_and_conductivity_over_temperature(self):
        """Nonlinear: a tangent at each stage; k(T) makes it unsymmetric."""
        mesh = square(5)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "k.csv").write_text("T,k\n0,1\n2000,21\n")
            for conductivity in (2.0, "k(T)"):
                case = lambda a: warming(a | {"material.0.conductivity": conductivity}, model={"type": "plane", "absolute_zero": -273.15},
                                         radiation=[{"region": "top", "emissivity": a["radiation.0.emissivity"], "ambient": 300.0}],
                                         table=[{"name": "k", "file": "k.csv", "interpolation": "linear"}])
                arrays = {key: self.arrays()[key] for key in ("material.0.density", "source.0.value", "temperature.0.value")}
                self.assert_derivatives(lambda a: ritz.Model(case(a), mesh=mesh, folder=folder),
                                        arrays | {"radiation.0.emissivity": ritz.per_cell(np.linspace(0.3, 0.9, 25))}, mesh, tolerance=1e-12)

    def test_steps_of_a_controlled_length_count_as_given(self):
        """Along a change of all of c and of k in proportion, which leaves the steps alone, the derivative is exact."""
        mesh = square(5)
        time = {"end": 1.0, "tolerance": 1e-3}
        model = ritz.Model(warming(self.arrays(), time=time, source=[{"region": "all", "value": 0.0}], flux=[{"region": "top", "value": 0.0}], convection=[]), mesh=mesh)
        model.solve(tolerance=1e-12)
        weights = np.cos(np.arange(72.0)).reshape(2, 36, 1)
        by = model.vjp(weights)
        along = sum((by[key] * values).sum() for key, values in {**self.CELLS, **self.NODES}.items() if key in ("material.0.conductivity", "material.0.specific_heat"))
        self.assertLess(abs(along), 1e-8 * abs(by["material.0.conductivity"] * self.CELLS["material.0.conductivity"]).sum())

    def test_memory_grows_with_the_root_of_the_steps(self):
        mesh = square(5)
        used = {}
        for steps in (25, 100, 400):
            model = ritz.Model(warming({}, time={"end": 1.0, "step": 1 / steps}), mesh=mesh)
            model.solve()
            model.vjp(np.ones((36, 1)))
            used[steps] = model.gradient_memory / (8 * 36)
            self.assertLess(used[steps], 10 * (np.sqrt(steps) + 1))
        self.assertLess(used[400], 5 * used[25])

    def test_what_has_no_derivative_is_refused(self):
        model = ritz.Model(warming({}), mesh=square(5))
        for words, call in {"other prescribed values": lambda: model.solve(prescribed=np.zeros((36, 1))), "before solve()": lambda: model.vjp(np.ones((36, 1))),
                            "shape": lambda: (model.solve(), model.vjp(np.ones((3, 36, 1))))}.items():
            with self.assertRaises(ritz.InputError) as raised:
                call()
            self.assertIn(words, str(raised.exception))
        with self.assertRaises(ritz.InputError) as raised:
            ritz.Model(heat(square()), mesh=square()).solve(initial=np.zeros((25, 1)))
        self.assertIn("no begin", str(raised.exception))
        with self.assertRaises(ritz.InputError) as raised:
            ritz.Model(warming({}, initial={"temperature": ritz.per_node(np.zeros(36))}), mesh=square(5))
        self.assertIn("initial.temperature", str(raised.exception))
