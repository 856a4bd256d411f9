"""ritz.Model: matrices and residuals of cases, arrays in cases, and models as functions of PyTorch and JAX."""
import unittest

import numpy as np
import scipy.sparse.linalg as linalg

import ritz
from run_test import bar, tension
from solver_test import grows


def square(n=4, kind="quad4"):
    """The unit square of quadrilaterals with regions left and right (nodes) and top (facets)."""
    points = np.stack(np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1), indexing="ij"), -1).reshape(-1, 2)
    node = np.arange(len(points)).reshape(n + 1, n + 1)
    cells = np.stack([node[i : i + n, j : j + n].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))], 1)
    return ritz.Mesh(points, {kind: cells, "line2": np.stack([node[:-1, -1], node[1:, -1]], 1)},
                     {"left": {"nodes": node[0]}, "right": {"nodes": node[-1]}, "top": {"line2": range(n)}})


def heat(mesh, conductivity=2.0, source=0.0, left=0.0, **more):
    return {"material": [{"region": "all", "conductivity": conductivity}], "temperature": [{"region": "left", "value": left}],
            "source": [{"region": "all", "value": source}], "solver": {"tolerance": 1e-13}} | more


def warming(arrays, **more):
    """Heat in time with loads and fluids that vary in time; arrays: {key: values}, else numbers."""
    a = {"material.0.conductivity": 2.0, "material.0.density": 3.0, "material.0.specific_heat": 2.0, "source.0.value": 5.0, "temperature.0.value": 40.0,
         "convection.0.coefficient": 7.0, "convection.0.ambient": 25.0, "flux.0.value": 4.0} | arrays
    return {"material": [{"region": "all", **{name: a[f"material.0.{name}"] for name in ("conductivity", "density", "specific_heat")}}],
            "source": [{"region": "all", "value": a["source.0.value"]}, {"region": "all", "value": "20*sin(3*t)"}], "flux": [{"region": "top", "value": a["flux.0.value"]}],
            "convection": [{"region": "top", "coefficient": a["convection.0.coefficient"], "ambient": a["convection.0.ambient"]}, {"region": "top", "coefficient": 2.0, "ambient": "20+10*t"}],
            "temperature": [{"region": "left", "value": a["temperature.0.value"]}], "initial": {"temperature": "20+30*x*y"},
            "time": {"end": 1.0, "step": 0.09, "output": 0.3}, "solver": {"method": "direct", "tolerance": 1e-12}} | more


class Matrices(unittest.TestCase):
    def test_stiffness_has_the_rigid_motions_and_the_mass_weighs(self):
        mesh = bar()
        model = ritz.Model(tension(), mesh=mesh)
        K = model.stiffness()
        self.assertEqual((K.format, K.blocksize, K.shape), ("bsr", (3, 3), (243, 243)))
        self.assertTrue(np.array_equal(model.points, mesh.points))
        self.assertLess(abs(K - K.T).max(), 1e-9 * abs(K).max())
        for motion in (np.tile([1, 0, 0], 81), np.cross([0, 0, 1], mesh.points).ravel()):
            self.assertLess(abs(K @ motion).max(), 1e-10 * abs(K).max())
        M = model.mass()
        self.assertAlmostEqual(M.tocsr()[::3, ::3].sum(), 7850 * 4, delta=1e-8 * 7850)
        x = np.cos(np.arange(243.0))
        self.assertLess(abs(model.operator() @ x - K @ x).max(), 1e-12 * abs(K @ x).max())

    def test_equations_are_solved_by_scipy_as_by_ritz(self):
        for more in ({}, {"space": {"order": 2}}, {"displacement": [{"region": "left", "fixed": True}, {"region": "corner", "x": 1e-4}]}):
            case = tension(**more)
            model = ritz.Model(case, mesh=bar())
            A, b = model.equations()
            self.assertLess(abs(A - A.T).max(), 1e-9 * abs(A).max())
            u = model.complete(linalg.spsolve(A.tocsc(), b))
            self.assertLess(abs(u - model.solve(tolerance=1e-12)).max(), 1e-9 * abs(u).max())
            self.assertEqual(model.on_mesh, "space" not in more)
            if model.on_mesh:
                self.assertTrue(np.allclose(u, ritz.run(case, mesh=bar()).fields["displacement"], atol=1e-9 * abs(u).max()))
            else:
                self.assertGreater(len(model.points), 81)
                self.assertTrue(np.allclose(u[:, 0], 5e-6 * model.points[:, 0], atol=1e-13))  # sigma/E = 1e6/200e9
        A, b = ritz.assemble(heat(square(), left=3.0), mesh=square())
        self.assertEqual(A.format, "csr")
        self.assertTrue(np.allclose(linalg.spsolve(A.tocsc(), b), 3.0))

    def test_residual_and_loads(self):
        mesh = bar()
        model = ritz.Model(tension(), mesh=mesh)
        self.assertTrue(np.allclose(model.load().sum(0), [1e6, 0, 0], atol=1e-6))
        u = model.solve(tolerance=1e-12)
        r = model.residual(u)
        self.assertLess(abs(r[~model.fixed]).max(), 1e-4)  # of 1e6 N
        self.assertAlmostEqual(r[model.fixed].sum(), -1e6, delta=1e-3)
        self.assertEqual(model.fixed.sum(), 27)
        self.assertTrue(np.allclose(r, ritz.run(tension(), mesh=mesh).fields["reaction"], atol=1e-2))
        case = tension(load_case=[{"name": "a", "force": [{"region": "right", "value": [0, 2e6, 0]}]}])
        self.assertTrue(np.allclose(ritz.Model(case, mesh=mesh).load("a").sum(0), [0, 2e6, 0], atol=1e-5))

    def test_ties_follow_after_the_solution(self):
        case = tension(coupling=[{"region": "right", "force": [1e6, 0, 0]}])
        del case["force"]
        model = ritz.Model(case, mesh=bar())
        A, b = model.equations()
        u = model.complete(linalg.spsolve(A.tocsc(), b))
        self.assertTrue(np.allclose(u, ritz.run(case, mesh=bar()).fields["displacement"], atol=1e-12))

    def test_nodes_without_cells_are_fixed(self):
        mesh = square()
        more = ritz.Mesh(np.vstack([[[5.0, 5.0, 0]], mesh.points]), {kind: nodes + 1 for kind, nodes in mesh.cells.items()},
                         {name: {"nodes": nodes + 1} if len(nodes) else dict(chosen) for name, (chosen, nodes) in mesh.regions.items()})
        A, b = ritz.assemble(heat(more, left=3.0), mesh=more)
        self.assertTrue(np.allclose(linalg.spsolve(A.tocsc(), b)[1:], 3.0))

    def test_nothing_stays_after_many_models(self):
        mesh = bar((2, 1, 1))
        self.assertLess(grows(lambda: ritz.Model(tension(), mesh=mesh, threads=1).solve(), 100, 1000), 2e6)


class Arrays(unittest.TestCase):
    def test_cells_and_nodes_are_as_formulas(self):
        mesh = square(6)
        x = mesh.points[:, 0]
        centre = x[mesh.cells["quad4"]].mean(1)
        steps = ritz.run(heat(mesh, "x < 0.5 ? 1 : 4", "10*x"), mesh=mesh).fields["temperature"]
        arrays = ritz.run(heat(mesh, ritz.per_cell(np.where(centre < 0.5, 1.0, 4.0)), ritz.per_node(10 * x)), mesh=mesh).fields["temperature"]
        self.assertTrue(np.allclose(arrays, steps, rtol=1e-10))
        case = heat(mesh) | {"flux": [{"region": "top", "value": 3.0}]}
        overridden = ritz.run(case, {"flux.0.value": ritz.per_cell(np.full(36, 3.0))}, mesh=mesh).fields["temperature"]
        self.assertTrue(np.allclose(overridden, ritz.run(case, mesh=mesh).fields["temperature"], rtol=1e-10))

    def test_an_override_takes_the_place_of_an_array_or_a_number(self):
        mesh = square(6)
        field = lambda k, more=None: ritz.run(heat(mesh, k, 1.0), more, mesh=mesh).fields["temperature"]
        key, two, three = "material.0.conductivity", ritz.per_cell(np.full(36, 2.0)), ritz.per_node(np.full(49, 3.0))
        for given, override in ((two, three), (two, 3.0), (2.0, three)):
            self.assertTrue(np.allclose(field(given, {key: override}), field(3.0), rtol=1e-10))
        model = ritz.Model(heat(mesh, two, 1.0), {key: 3.0}, mesh=mesh)
        self.assertEqual(model.arrays, ())
        whole = ritz.Model(heat(mesh, two, 1.0), {"material.0": {"region": "all", "conductivity": 3.0}}, mesh=mesh)
        self.assertEqual(whole.arrays, ())

    def test_update_is_as_a_new_model(self):
        mesh, E = bar(), np.linspace(1e9, 9e9, 32)
        model = ritz.Model(tension(), {"material.0.young": ritz.per_cell(E[::-1])}, mesh=mesh)
        model.solve()
        model.update({"material.0.young": E})
        new = ritz.Model(tension(), {"material.0.young": ritz.per_cell(E)}, mesh=mesh)
        self.assertTrue(np.allclose(model.solve(), new.solve(), rtol=1e-9, atol=1e-16))
        self.assertLess(abs(model.stiffness() - new.stiffness()).max(), 1e-12 * abs(new.stiffness()).max())

    def test_a_refused_update_leaves_the_model_as_it_was(self):
        mesh, E = bar(), np.linspace(1e9, 9e9, 32)
        model = ritz.Model(tension(), {"material.0.young": ritz.per_cell(E)}, mesh=mesh)
        u = model.solve()
        for wrong in (-E, E[1:], np.where(E > 5e9, np.nan, E)):
            with self.assertRaises(ritz.Error):
                model.update({"material.0.young": wrong})
        self.assertTrue(np.allclose(model.solve(), u, rtol=1e-9, atol=1e-16))

    def test_an_update_of_several_arrays_is_all_or_nothing(self):
        mesh, k, q = square(4), np.linspace(1, 2, 16), np.linspace(3, 4, 16)
        keys = ("material.0.conductivity", "source.0.value")
        model = ritz.Model(heat(mesh, ritz.per_cell(k), ritz.per_cell(q)), mesh=mesh)
        u, K = model.solve(), model.stiffness()
        with self.assertRaises(ritz.Error):
            model.update({keys[1]: 2 * q, keys[0]: -k})
        self.assertIsNone(model.solution)
        self.assertEqual(abs(model.stiffness() - K).max(), 0)
        self.assertTrue(np.allclose(model.solve(), u, rtol=1e-11))
        with self.assertRaises(ritz.InputError):
            model.update({keys[0]: 2 * k, "source.1.value": q})
        self.assertTrue(np.array_equal(model.solution, model.solve()))
        self.assertTrue(np.allclose(model.solution, u, rtol=1e-11))

    def test_a_tolerance_holds_for_its_own_solution(self):
        mesh = bar((20, 10, 10))
        case = tension(solver={"tolerance": 1e-12, "method": "cg", "preconditioner": "jacobi"})
        model = ritz.Model(case, mesh=mesh)
        for tolerance, residual in ((None, 1e-12), (1e-3, 1e-3), (None, 1e-12)):
            model.solve(tolerance=tolerance)
            self.assertLessEqual(model.report.residual, residual)
            self.assertGreater(model.report.residual, 1e-4 * residual)

    def test_wrong_arrays_are_refused_in_words(self):
        mesh = bar()
        with_young = lambda array: tension(material=[{"region": "steel", "young": array, "poisson": 0.3}])
        for words, call in {"has 7 numbers, and the mesh 32 cells": lambda: ritz.run(with_young(ritz.per_cell(np.ones(7))), mesh=mesh),
                            "has 32 numbers, and the mesh 81 nodes": lambda: ritz.run(with_young(ritz.per_node(np.ones(32))), mesh=mesh),
                            "shape (2, 3)": lambda: ritz.per_cell(np.ones((2, 3))),
                            "no array at 'material.0.poisson'": lambda: ritz.Model(with_young(1e9), mesh=mesh).update({"material.0.poisson": np.ones(32)})}.items():
            with self.assertRaises(ritz.InputError) as raised:
                call()
            self.assertIn(words, str(raised.exception))
        with self.assertRaises(ritz.ModelError) as raised:
            ritz.run(with_young(ritz.per_cell(np.where(np.arange(32) == 3, -1.0, 1e9))), mesh=mesh)
        self.assertIn("the array 'material.0.young' of material.0.young is -1 at", str(raised.exception))


    def test_arrays_that_are_taken_once_are_refused_in_models_and_serve_in_runs(self):
        mesh = bar((2, 1, 1))
        values = ritz.per_node(np.full(12, 1e-4))
        for key, table, plain in (("normal", {"normal": values}, {"normal": 1e-4}),
                                  ("value", {"direction": [1, 0, 0], "value": values}, {"direction": [1, 0, 0], "value": 1e-4}),
                                  ("cylindrical.axial", {"cylindrical": {"origin": [0, 0, 0], "axis": [1, 0, 0], "axial": values}},
                                   {"cylindrical": {"origin": [0, 0, 0], "axis": [1, 0, 0], "axial": 1e-4}})):
            case = lambda more: {key: value for key, value in tension().items() if key != "force"} | {
                "displacement": [{"region": "right"} | more, {"region": "left", "fixed": True}]}
            with self.assertRaises(ritz.InputError) as raised:
                ritz.Model(case(table), mesh=mesh)
            for part in (f"'displacement.0.{key}'", "update() would not reach", "prescribe x, y and z"):
                self.assertIn(part, str(raised.exception))
            u, v = (ritz.run(case(each), mesh=mesh).fields["displacement"] for each in (table, plain))
            self.assertGreater(abs(v).max(), 0.99e-4)
            self.assertTrue(np.allclose(u, v, atol=1e-12))

    def test_what_is_not_linear_static_has_no_equations(self):
        mesh = bar((2, 1, 1))
        held = {key: tension()[key] for key in ("material", "displacement")}
        for words, case in {"[modal]": held | {"modal": {"count": 2}}, "[time]": tension(time={"end": 1.0, "step": 0.5}),
                            "a model with load cases": tension(load_case=[{"name": "a", "force": [{"region": "right", "value": [0, 1, 0]}]}]),
                            "prescribed mean motion": tension(coupling=[{"region": "right", "x": 1e-4}]), "a load path": tension(newton={"path": [0.5, 1.0]})}.items():
            model = ritz.Model(case, mesh=mesh)
            self.assertGreater(abs(model.stiffness()).max(), 0)
            for call in (model.equations, *(() if model.evolves else (model.solve,)), lambda: ritz.assemble(case, mesh=mesh)):
                with self.assertRaises(ritz.ModelError, msg=words) as raised:
                    call()
                self.assertIn(words, str(raised.exception))


def bars():
    """Two bars end to end along x that share no nodes: facets "a" and "b" coincide at x = 1; cells 0 and 1 make the first bar."""
    one = np.array([(i / 2, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1, 2)], float)
    cell = np.array([0, 1, 4, 3, 6, 7, 10, 9])
    cells, sides = np.array([cell, cell + 1, cell + 12, cell + 13]), np.array([[2, 5, 11, 8], [12, 15, 21, 18], [0, 3, 9, 6], [14, 17, 23, 20]])
    return ritz.Mesh(np.concatenate([one, one + [1, 0, 0]]), {"hex8": cells, "quad4": sides},
                     {"a": {"quad4": [0]}, "b": {"quad4": [1]}, "ends": {"quad4": [2, 3]}})


class CoincidentFacets(unittest.TestCase):
    """By position alone a facet between two bars lies in both."""

    def case(self, given, table="flux"):
        return {"material": [{"region": "all", "conductivity": 2.0}], "temperature": [{"region": "ends", "value": 0.0}],
                "solver": {"tolerance": 1e-13}} | {table: [{"region": side, "value": given} for side in "ab"] + ([{"region": "ends", "value": 0.0}] if table == "temperature" else [])}

    def test_they_take_the_numbers_of_their_own_cell(self):
        at = lambda u: (u[[2, 5, 8, 11]].ravel(), u[[12, 15, 18, 21]].ravel())
        for given in (ritz.per_cell([3, 3, 8, 8]), ritz.per_node([3.0] * 12 + [8.0] * 12)):
            for table, a, b in (("flux", 1.5, 4.0), ("temperature", 3.0, 8.0)):
                for found, expected in zip(at(ritz.run(self.case(given, table), mesh=bars()).fields["temperature"]), (a, b)):
                    self.assertTrue(np.allclose(found, expected, rtol=1e-10), (table, found))

    def test_their_derivatives_belong_to_their_own_cell(self):
        model = ritz.Model(self.case(ritz.per_cell([3.0, 3, 8, 8])), mesh=bars())
        u = model.solve()
        weights = np.zeros_like(u)
        weights[[2, 12]] = [[1.0], [10.0]]
        self.assertTrue(np.allclose(model.vjp(weights)["flux.0.value"], [0, 0.5, 0, 0], atol=1e-9))
        self.assertTrue(np.allclose(model.vjp(weights)["flux.1.value"], [0, 0, 5, 0], atol=1e-9))
        model.update({"flux.1.value": np.array([0, 0, 4.0, 0])})
        self.assertTrue(np.allclose(model.solve()[[2, 12]].ravel(), [1.5, 2.0]))


class Torch(unittest.TestCase):
    def setUp(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        self.torch = torch

    def test_a_model_is_a_function_that_torch_differentiates(self):
        torch, mesh, key = self.torch, square(4), "material.0.conductivity"
        model = ritz.Model(heat(mesh, ritz.per_cell(np.full(16, 2.0)), 1.0), mesh=mesh)
        f = ritz.torch_function(model, tolerance=1e-13)
        k, load = torch.linspace(0, 1, 16, dtype=torch.float64, requires_grad=True), torch.linspace(0, 0.1, 25, dtype=torch.float64).reshape(25, 1).requires_grad_()
        self.assertTrue(torch.autograd.gradcheck(lambda k, load: f({key: torch.exp(k)}, load), (k, load), eps=1e-4, atol=1e-7, rtol=1e-6))
        single = torch.ones(16, requires_grad=True)  # derivatives have the type of their tensor
        f({key: single}).sum().backward()
        self.assertEqual(single.grad.dtype, torch.float32)

    def test_an_evolution_is_one_too_and_the_model_may_change_in_between(self):
        torch, mesh, key = self.torch, square(5), "material.0.conductivity"
        model = ritz.Model(warming({key: ritz.per_cell(np.full(25, 2.0))}), mesh=mesh)
        f = ritz.torch_function(model, tolerance=1e-12)
        k, begin = torch.full((25,), 2.0, dtype=torch.float64, requires_grad=True), torch.full((36, 1), 30.0, dtype=torch.float64, requires_grad=True)
        J = lambda k, begin: (f({key: k}, None, begin) ** 2).sum()
        value = J(k, begin)
        model.update({key: np.full(25, 9.0)})
        value.backward()
        with torch.no_grad():
            for of, at in ((k, (7,)), (begin, (20, 0))):
                d = torch.zeros_like(of)
                d[at] = 1e-3
                ends = [J(k + s * d, begin) if of is k else J(k, begin + s * d) for s in (1, -1)]
                self.assertAlmostEqual(float(of.grad[at]), float(ends[0] - ends[1]) / 2e-3, delta=1e-6 * float(abs(of.grad).max()))


class Jax(unittest.TestCase):
    def test_a_model_is_a_function_that_jax_differentiates(self):
        try:
            import jax
        except ImportError:
            self.skipTest("no jax")
        jax.config.update("jax_enable_x64", True)
        mesh = square(4)
        model = ritz.Model(heat(mesh, ritz.per_cell(np.full(16, 2.0)), 1.0), mesh=mesh)
        f = ritz.jax_function(model, tolerance=1e-13)
        mean = jax.jit(lambda k, load: (f({"material.0.conductivity": jax.numpy.exp(k)}, load) ** 2).sum())
        k, load = np.linspace(0, 1, 16), np.linspace(0, 0.1, 25).reshape(25, 1)
        by_k, by_load = jax.grad(mean, (0, 1))(k, load)
        for of, by, at in ((k, by_k, (5,)), (load, by_load, (12, 0))):
            d = np.zeros(of.shape)
            d[at] = 1e-4
            ends = [mean(k + s * d, load) if of is k else mean(k, load + s * d) for s in (1, -1)]
            self.assertAlmostEqual(float(by[at]), float(ends[0] - ends[1]) / 2e-4, delta=1e-6 * float(abs(by).max()))

    def test_the_solution_is_that_of_the_arguments_whatever_came_before(self):
        try:
            import jax
        except ImportError:
            self.skipTest("no jax")
        jax.config.update("jax_enable_x64", True)
        mesh = square(4)
        make = lambda: ritz.Model(heat(mesh, ritz.per_cell(np.full(16, 2.0)), 1.0), mesh=mesh)
        model, key = make(), "material.0.conductivity"
        f = ritz.jax_function(model, tolerance=1e-13)
        k, load = np.full(16, 2.0), np.full((25, 1), 0.1)
        expected = {each: make().solve(load=load if each else None, tolerance=1e-13) for each in (True, False)}
        for with_load in (True, False, True):
            self.assertTrue(np.allclose(f({key: k}, load if with_load else None), expected[with_load], rtol=1e-10))
        model.solve(load=5 * load)
        self.assertTrue(np.allclose(f({key: k}, load), expected[True], rtol=1e-10))
        with self.assertRaises(Exception):
            jax.block_until_ready(f({key: -k}, load))
        self.assertTrue(np.allclose(f({key: k}, load), expected[True], rtol=1e-10))

    def test_an_evolution_is_a_function_too(self):
        try:
            import jax
        except ImportError:
            self.skipTest("no jax")
        jax.config.update("jax_enable_x64", True)
        mesh, key = square(5), "material.0.density"
        model = ritz.Model(warming({key: ritz.per_cell(np.full(25, 2.0))}), mesh=mesh)
        f = ritz.jax_function(model, tolerance=1e-12)
        J = jax.jit(lambda k, begin: (f({key: k}, None, begin) ** 2).sum())
        k, begin = np.full(25, 2.0), np.full((36, 1), 30.0)
        by_k, by_begin = jax.grad(J, (0, 1))(k, begin)
        for of, by, at in ((k, by_k, (5,)), (begin, by_begin, (12, 0))):
            d = np.zeros(of.shape)
            d[at] = 1e-3
            ends = [J(k + s * d, begin) if of is k else J(k, begin + s * d) for s in (1, -1)]
            self.assertAlmostEqual(float(by[at]), float(ends[0] - ends[1]) / 2e-3, delta=1e-6 * float(abs(by).max()))


class OrderOfCells(unittest.TestCase):
    """Two prisms (E = 1e9) and a hexahedron (0.5e9) in a row under 1e6 Pa, nu = 0: the end moves by 1e-3 + 2e-3, in whatever order the
    caller has the cells."""
    POINTS = np.array([[x, y, z] for z in (0, 1.0) for y in (0, 1.0) for x in (0, 1.0, 2.0)])
    BLOCKS = {"prism6": np.array([[0, 1, 4, 6, 7, 10], [0, 4, 3, 6, 10, 9]]), "hex8": np.array([[1, 2, 5, 4, 7, 8, 11, 10]]),
              "quad4": np.array([[0, 6, 9, 3], [2, 5, 11, 8]])}
    YOUNG = {"prism6": [1e9, 1.5e9], "hex8": [0.5e9], "quad4": []}
    REGIONS = {"x0": {"quad4": [True, False]}, "x1": {"quad4": [False, True]}}
    ORDERS = [("prism6", "hex8", "quad4"), ("hex8", "prism6", "quad4"), ("quad4", "prism6", "hex8")]

    @staticmethod
    def case(young):
        return {"material": [{"region": "all", "young": young, "poisson": 0.0}], "displacement": [{"region": "x0", "fixed": True}],
                "traction": [{"region": "x1", "value": [1e6, 0, 0]}]}

    def meshes(self):
        """(mesh, E of its cells in the order of the caller, position of the hexahedron in it)."""
        for order in self.ORDERS:
            young = np.concatenate([self.YOUNG[kind] for kind in order])
            yield ritz.Mesh(self.POINTS, {kind: self.BLOCKS[kind] for kind in order}, self.REGIONS), young, int(np.argmin(young))

        class Grid:  # a grid of PyVista: prism, hexahedron, prism
            points, celltypes = self.POINTS, np.array([13, 12, 13, 9, 9])
            cells_dict = {13: self.BLOCKS["prism6"], 12: self.BLOCKS["hex8"], 9: self.BLOCKS["quad4"]}
        masks = {name: np.array([False] * 3 + parts["quad4"]) for name, parts in self.REGIONS.items()}
        yield ritz.Mesh.from_pyvista(Grid(), masks), np.array([1e9, 0.5e9, 1.5e9]), 1

        class Block:
            def __init__(self, kind, data):
                self.type, self.data = kind, data

        class Given:  # a mesh of meshio: a prism, the hexahedron, the other prism
            points, point_sets = self.POINTS, {}
            cells = [Block("wedge", self.BLOCKS["prism6"][:1]), Block("hexahedron", self.BLOCKS["hex8"]), Block("wedge", self.BLOCKS["prism6"][1:]),
                     Block("quad", self.BLOCKS["quad4"])]
            cells_dict = {"wedge": self.BLOCKS["prism6"], "hexahedron": self.BLOCKS["hex8"], "quad": self.BLOCKS["quad4"]}
            cell_sets_dict = {"x0": {"quad": np.array([0])}, "x1": {"quad": np.array([1])}}
        yield ritz.Mesh.from_meshio(Given()), np.array([1e9, 0.5e9, 1.5e9]), 1

    def test_arrays_in_and_out_have_the_order_of_the_caller(self):
        ends = set()
        for mesh, young, hexahedron in self.meshes():
            result = ritz.run(self.case(ritz.per_cell(young)), mesh=mesh, threads=1)
            ends.add(f"{result.fields['displacement'][:, 0].max():.9g}")
            stress = result.cell_fields["stress"][:, 0]
            strain = stress / young  # E e: uniform in the hexahedron's row, so its strain is twice the mean of the prisms'
            self.assertEqual(int(np.argmax(strain)), hexahedron)
            shown, rows = result.mesh, []
            for kind in shown._body():
                rows += list(stress[len(rows):len(rows) + len(shown.cells[kind])] if shown._order is None else stress[shown._order[len(rows):len(rows) + len(shown.cells[kind])]])
            self.assertEqual(sorted(rows), sorted(stress))
            model = ritz.Model(self.case(ritz.per_cell(np.ones(3))), mesh=mesh, threads=1)
            model.update({"material.0.young": young})
            u = model.solve()
            self.assertTrue(np.allclose(model.cell_field("stress")[:, 0], stress, rtol=1e-6))
            gradient = model.vjp(u / np.abs(u).max())["material.0.young"]
            for cell in range(3):
                step = young.copy()
                step[cell] *= 1 + 1e-4
                model.update({"material.0.young": step})
                difference = ((model.solve() - u) * u / np.abs(u).max()).sum() / (1e-4 * young[cell])
                self.assertAlmostEqual(gradient[cell] / difference, 1, delta=1e-3)
            weights = np.zeros((3, 6))
            weights[hexahedron, 0] = 1
            model.update({"material.0.young": young})
            model.solve(tolerance=1e-12)
            direct = model.vjp(cell_fields={"stress": weights})["material.0.young"]
            self.assertEqual(direct.shape, (3,))
            # the stress there, 1e6 by balance, does not change when all moduli do
            self.assertAlmostEqual(float((direct * young).sum()) / 1e6, 0, delta=1e-6)
        self.assertEqual(len(ends), 1, ends)

    def test_the_end_moves_as_it_must(self):
        for order in self.ORDERS:
            mesh = ritz.Mesh(self.POINTS, {kind: self.BLOCKS[kind] for kind in order}, self.REGIONS)
            young = np.concatenate([{**self.YOUNG, "prism6": [1e9, 1e9]}[kind] for kind in order])
            end = ritz.run(self.case(ritz.per_cell(young)), mesh=mesh).fields["displacement"][:, 0].max()
            self.assertAlmostEqual(end / 3e-3, 1, delta=1e-7)

    def test_masks_that_are_not_of_booleans_are_refused(self):
        quads = self.BLOCKS["quad4"]
        for mask in (np.array([1, 0], np.uint8), np.array([0, 1], np.int8), np.array([1, 0]), np.array([0, 1], np.int32), [0, 1], np.array([1, 0], np.uint64)):
            with self.assertRaises(ritz.InputError):
                ritz.Mesh(self.POINTS, {"hex8": self.BLOCKS["hex8"], "quad4": quads}, {"x0": {"quad4": mask}})
        for sound in ([True, False], [0], np.array([1]), np.array([True, True])):
            ritz.Mesh(self.POINTS, {"hex8": self.BLOCKS["hex8"], "quad4": quads}, {"x0": {"quad4": sound}})
