"""Every number of materials, sections and loads that the programs read has a derivative: by arrays (derivatives_test), or by the number itself, here."""
import json
import os
import pathlib
import re
import tempfile
import unittest

import numpy as np

import ritz
import derivatives_test
from model_test import square
from run_test import bar

SCHEMAS = pathlib.Path(os.environ["RITZ_EXAMPLES"]).parent / "docs" / "schema"

SOLVER = {"solver": {"method": "direct", "tolerance": 1e-13}}
LOOSER = {"solver": {"method": "direct", "tolerance": 1e-8}}  # structures are ill-conditioned; a factor does better than it claims
ORTHOTROPIC = {"orthotropic": {"young": [1.4e11, 1e10, 0.9e10], "poisson": [0.3, 0.28, 0.4], "shear": [5e9, 4e9, 3.5e9]}, "density": 1600.0,
               "expansion_along": [1e-6, 2e-5, 3e-5]}
ROOT = np.random.default_rng(3).normal(size=(6, 6))
VOIGT = 1e9 * (ROOT @ ROOT.T + 20 * np.eye(6))
# D1111, D1122, D2222, D1133, ...: columns of the upper triangle in the order 11, 22, 33, 12, 13, 23
ANISOTROPIC = {"anisotropic": {"stiffness": [float(VOIGT[i, j]) for j in range(6) for i in range(j + 1)]}, "density": 1600.0, "expansion": 2e-5}
ALONG = {"orientation": [{"name": "axes", "axis1": [1.0, 0.5, 0.2], "axis2": [0.1, 1.0, 0.1]}]}
AROUND = {"orientation": [{"name": "axes", "cylindrical": {"origin": [-1.0, -0.5, 0.1], "axis": [0.1, 0.2, 1.0]}}]}
SPHERE = {"orientation": [{"name": "axes", "spherical": {"origin": [-1.0, -0.5, -0.3], "axis": [0.1, 0.2, 1.0]}}]}


def keys_of(tables, path=""):
    """The dotted keys of all numbers in tables."""
    for key, value in tables.items() if isinstance(tables, dict) else enumerate(tables):
        here = f"{path}.{key}" if path else str(key)
        if path == "" and key in ("solver", "time"):
            continue
        if isinstance(value, (dict, list)):
            yield from keys_of(value, here)
        elif isinstance(value, float):
            yield here, value


def body(material, dimension=3, orientation=None, **more):
    """A body with every load whose number is of integrals; numbers that are to be differenced are floats, others integers."""
    along = {"orientation": "axes"} if orientation else {}
    vector = lambda *v: list(v[:dimension])
    return {"material": [material | {"region": "all"} | along], "thermal": {"temperature": 50.0, "reference": 20.0}, "gravity": {"acceleration": vector(1.0, -9.81, 2.0)},
            "displacement": [{"region": "left", "fixed": True}], "body_force": [{"region": "all", "value": vector(1e4, 2e4, 3e4)}],
            "traction": [{"region": "end", "value": vector(1e5, 2e5, 3e5)}], "pressure": [{"region": "end", "value": 1e6}],
            "force": [{"region": "end", "value": vector(1e5, 2e5, 3e5)}],
            "foundation": [{"region": "end", "stiffness": 1e10, "tangential": 2e9}, {"region": "end", **dict(zip("xyz", vector(1e9, 2e9, 3e9)))}]} | (orientation or {}) | SOLVER | more


def ends(mesh, name):
    """The mesh with another name for its loaded side."""
    return ritz.Mesh(mesh.points, dict(mesh.cells), {("end" if each == name else each): ({"nodes": nodes} if len(nodes) else dict(chosen)) for each, (chosen, nodes) in mesh.regions.items()})


BLOCK, PLATE = ends(bar((3, 2, 2)), "right"), ends(square(3), "top")


def plane(kind, material, **more):
    around = {"gravity": {"acceleration": [0, -9.81]}, "force": [{"region": "end", "value": [0, 2e5]}]} if kind == "axisymmetric" else {}
    return body(material, 2, model={"type": kind} | ({} if around else {"thickness": 0.1}), **around, **more)


def warm(material, mesh, **more):
    """Heat with every load, at rest."""
    return {"material": [material | {"region": "all"}], "temperature": [{"region": "left", "value": 10}], "source": [{"region": "all", "value": 500.0}],
            "flux": [{"region": "end", "value": 40.0}], "power": [{"region": "end", "value": 30.0}, {"region": "all", "value": 20.0}],
            "convection": [{"region": "end", "coefficient": 30.0, "ambient": 90.0}]} | SOLVER | more


IN_PLANE = {"orientation": [{"name": "axes", "axis1": [1.0, 0.5]}]}
LINES = ritz.Mesh([[0.0, 0, 0], [1, 0, 0], [2, 0, 1], [2, 1, 2]], {"line2": [[0, 1], [1, 2], [2, 3]]}, {"foot": {"nodes": [0]}, "joint": {"nodes": [1, 2]}, "far": {"nodes": [3]}})
SHELL = ritz.Mesh(np.array([[i / 2, j / 2, 0.2 * i * j / 4] for i in range(3) for j in range(3)]), {"quad4": [[0, 3, 4, 1], [1, 4, 5, 2], [3, 6, 7, 4], [4, 7, 8, 5]]},
                  {"foot": {"nodes": [0, 1, 2]}})
SHELL3 = ritz.Mesh(SHELL.points, {"tri3": np.array([[a, b, c] for a, b, c, d in SHELL.cells["quad4"]] + [[a, c, d] for a, b, c, d in SHELL.cells["quad4"]])}, {"foot": {"nodes": [0, 1, 2]}})
FIXED = [{"region": "foot", "fixed": True}]
BEAM = {"region": "all", "element": "beam", "young": 210e9, "poisson": 0.3, "density": 7850.0, "orientation": [0.1, 0.3, 1.0]}
BEAM_LOADS = {"support": FIXED, "line_load": [{"region": "all", "value": [1e3, 2e3, 3e3]}], "gravity": {"acceleration": [1.0, 2.0, -9.81]}} | LOOSER
AREAS = {"profile": "none", "area": 1e-3, "inertia_y": 1e-6, "inertia_z": 2e-6, "torsion": 3e-6, "shear_area_y": 5e-4, "shear_area_z": 6e-4, "offset_y": 0.01, "offset_z": 0.02}
SHELL_OF = lambda element: {"section": [{"region": "all", "element": element, "young": 210e9, "poisson": 0.3, "density": 7850.0, "thickness": 0.02, "drilling": 1e-3, "orientation": [1, 0, 0]}],
                            "support": FIXED, "surface_load": [{"region": "all", "value": [1e3, 2e3, 3e3]}], "pressure": [{"region": "all", "value": 1e3}], "gravity": {"acceleration": [1.0, 2.0, -9.81]}} | LOOSER
PLAIN = lambda form, material, codimension_one=(), **more: {"model": {"form": form}, "material": [material | {"region": "all"}],
                                                            "prescribe": [{"region": "left", "value": 0}], "boundary": list(codimension_one)} | SOLVER | more
EXCHANGE = lambda dimension: [{"region": "end", "form": f"convection{dimension}", "coefficient": 30.0, "ambient": 90.0} | ({"thickness": 0.5} if dimension == 2 else {}),
                              {"region": "end", "form": f"radiation{dimension}", "emissivity": 0.7, "ambient": 300.0, "absolute_zero": -1.0, "sigma": 5.67e-8} | ({"thickness": 0.5} if dimension == 2 else {})]
MOVING = {"time": {"end": 1e-3, "step": 1e-4}, "thermal": {"temperature": 50.0, "reference": 20.0}}

# name: (physics, case, mesh, more arguments of solve)
MODELS = {
    "isotropic": ("elasticity", body({"young": 2e11, "poisson": 0.3, "density": 7850.0, "expansion": 12e-6}), BLOCK, {}),
    "expansion over temperature": ("elasticity", body({"young": 2e11, "poisson": 0.3, "density": 7850.0, "expansion": "a(T)", "expansion_zero": 5.0}, table=[{"name": "a", "file": "a.csv", "interpolation": "linear"}]), BLOCK, {}),
    "orthotropic": ("elasticity", body(ORTHOTROPIC), BLOCK, {}),
    "orthotropic along": ("elasticity", body(ORTHOTROPIC, orientation=ALONG), BLOCK, {}),
    "orthotropic around": ("elasticity", body(ORTHOTROPIC, orientation=AROUND), BLOCK, {}),
    "anisotropic": ("elasticity", body(ANISOTROPIC, orientation=ALONG), BLOCK, {}),
    "anisotropic of a sphere": ("elasticity", body(ANISOTROPIC, orientation=SPHERE), BLOCK, {}),
    "force and moment": ("elasticity", body(ORTHOTROPIC, force=[{"region": "end", "value": [1e5, 2e5, 3e5], "at": [4.0, 1.0, 2.0], "moment": [1e5, 2e5, 3e5]}]), BLOCK, {}),
    "plane stress": ("elasticity", plane("plane_stress", ORTHOTROPIC), PLATE, {}),
    "plane strain along": ("elasticity", plane("plane_strain", ORTHOTROPIC, orientation=IN_PLANE), PLATE, {}),
    "of revolution": ("elasticity", plane("axisymmetric", ORTHOTROPIC, orientation=IN_PLANE), PLATE, {}),
    "field of order 2": ("elasticity", plane("plane_stress", ORTHOTROPIC, orientation=IN_PLANE, space={"order": 2}), PLATE, {}),
    "motion": ("elasticity", {key: value for key, value in body(ORTHOTROPIC, orientation=ALONG).items() if key not in ("foundation", "force")} | MOVING, BLOCK, {}),
    "conduction": ("heat", warm({"conductivity": 20.0}, BLOCK), BLOCK, {}),
    "conduction along": ("heat", warm({"conductivity_along": [20.0, 3.0, 1.0], "orientation": "axes"}, BLOCK, **ALONG), BLOCK, {}),
    "conduction around": ("heat", warm({"conductivity_along": [20.0, 3.0, 1.0], "orientation": "axes"}, BLOCK, **AROUND), BLOCK, {}),
    "conduction in a sphere": ("heat", warm({"conductivity_along": [20.0, 3.0, 1.0], "orientation": "axes"}, BLOCK, **SPHERE), BLOCK, {}),
    "conduction in the plane": ("heat", warm({"conductivity_along": [20.0, 3.0, 1.0], "orientation": "axes"}, PLATE, **IN_PLANE, model={"type": "plane", "thickness": 0.5}), PLATE, {}),
    "conduction of revolution": ("heat", warm({"conductivity_along": [20.0, 3.0, 1.0]}, PLATE, model={"type": "axisymmetric"}), PLATE, {}),
    "radiation": ("heat", warm({"conductivity_along": [20.0, 3.0, 1.0]}, PLATE, model={"type": "plane", "absolute_zero": -2.0}, radiation=[{"region": "end", "emissivity": 0.6, "ambient": 300.0}]), PLATE, {}),
    "warming": ("heat", warm({"conductivity_along": [20.0, 3.0, 1.0], "density": 7.0, "specific_heat": 40.0}, PLATE, initial={"temperature": 5}, time={"end": 10, "step": 1}), PLATE, {}),
    "bars": ("structure", {"section": [{"region": "all", "element": "bar", "young": 210e9, "area": 1e-3, "density": 7850.0}], "support": FIXED + [{"region": "joint", "fixed": False, "y": 0}, {"region": "joint", "z": 0}, {"region": "far", "x": 0, "z": 0}],
                           "line_load": [{"region": "all", "value": [1e3, 2e3, 3e3]}], "gravity": {"acceleration": [1.0, 2.0, -9.81]}} | LOOSER, LINES, {}),
    "springs": ("structure", {"section": [{"region": "all", "element": "spring", "stiffness": 1e6}], "support": FIXED + [{"region": "joint", "y": 0, "z": 0}, {"region": "far", "x": 0, "z": 0}], "force": [{"region": "far", "value": [0, 5, 0]}, {"region": "joint", "value": [5, 0, 0]}]} | LOOSER, LINES, {}),
    "beams": ("structure", {"section": [BEAM | AREAS]} | BEAM_LOADS, LINES, {}),
    "beams of a box": ("structure", {"section": [BEAM | {"profile": "box", "height": 0.3, "width": 0.2, "wall": 0.01}]} | BEAM_LOADS, LINES, {}),
    "beams of a tube": ("structure", {"section": [BEAM | {"profile": "tube", "diameter": 0.3, "wall": 0.01}]} | BEAM_LOADS, LINES, {}),
    "beams of an i": ("structure", {"section": [BEAM | {"profile": "i", "height": 0.3, "width": 0.2, "web": 0.05, "flange": 0.06}]} | BEAM_LOADS, LINES, {}),
    "shells": ("structure", SHELL_OF("shell"), SHELL, {}),
    "triangular shells": ("structure", SHELL_OF("shell3"), SHELL3, {}),
    "diffusion2": ("solve", PLAIN("diffusion2", {"conductivity": 2.0, "thickness": 0.5}, EXCHANGE(2)), PLATE, {}),
    "diffusion3": ("solve", PLAIN("diffusion3", {"conductivity": 2.0}, EXCHANGE(3)), BLOCK, {}),
    "elasticity": ("solve", PLAIN("elasticity", {"lambda": 1e11, "mu": 8e10}, [{"region": "end", "form": "pressure3", "pressure": 1e6}, {"region": "end", "form": "foundation3", "normal": 1e10, "tangential": 2e9, "x": 1e9, "y": 2e9, "z": 3e9}]), BLOCK, {}),
    "varying_elasticity": ("solve", PLAIN("varying_elasticity", {"young": 2e11, "poisson": 0.3}, load=[{"region": "end", "value": [1e5, 2e5, 3e5]}, {"region": "all", "value": [1e4, 2e4, 3e4]}]), BLOCK, {}),
}


def schema_path(key):
    """"material[].orthotropic.young" of "material.0.orthotropic.young.1"."""
    return re.sub(r"\.\d+\.", "[].", re.sub(r"\.\d+$", "", key))


class EveryNumber(unittest.TestCase):
    def make(self, name, settings=None):
        physics, case, mesh, _ = MODELS[name]
        return ritz.Model(case, settings, mesh=mesh, physics=physics, folder=self.folder)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        pathlib.Path(self.folder, "a.csv").write_text("T,a\n0,1e-5\n100,1.5e-5\n")

    def test_against_central_differences(self):
        for name in MODELS:
            with self.subTest(name):
                self.assert_derivatives(name)

    def assert_derivatives(self, name):
        _, case, mesh, more = MODELS[name]
        model = self.make(name)
        u = model.solve(**more)
        weights = np.cos(np.arange(u.size)).reshape(u.shape)
        J = lambda settings: (weights * self.make(name, settings).solve(**more)).sum()
        for key, value in keys_of(case):
            with self.subTest(key):
                found = model.vjp(weights, of=key)[key]
                self.assertEqual(found.shape, (len(next(iter(mesh.cells.values()))),))
                step = 4e-3 * abs(value)
                J_at = [J({key: value + i * step}) for i in (-2, -1, 1, 2)]
                expected = (J_at[0] - 8 * J_at[1] + 8 * J_at[2] - J_at[3]) / (12 * step)
                scale = abs(weights * u).sum() / abs(value)
                self.assertAlmostEqual(found.sum(), expected, delta=1e-6 * max(abs(expected), 1e-3 * scale))

    def test_cells_have_the_part_of_their_own_number(self):
        """Two materials that were one: each cell's part stays, and belongs to the number of its material."""
        case = MODELS["orthotropic along"][1]
        half = np.arange(12) < 6
        mesh = ritz.Mesh(BLOCK.points, dict(BLOCK.cells), {name: dict(chosen) or {"nodes": nodes} for name, (chosen, nodes) in BLOCK.regions.items()} | {"one": {"hex8": half}, "two": {"hex8": ~half}})
        two = case | {"material": [case["material"][0] | {"region": name} for name in ("one", "two")]}
        keys = ("orthotropic.young.1", "expansion_along.1", "density")
        parts = []
        for tables in (case, two):
            model = ritz.Model(tables, mesh=mesh)
            weights = np.cos(np.arange(model.solve().size)).reshape(model.shape)
            parts.append([[model.vjp(weights, of=f"material.{i}.{key}")[f"material.{i}.{key}"] for i in range(len(tables["material"]))] for key in keys])
        for (whole,), (one, two) in zip(*parts):
            self.assertTrue((one[~half] == 0).all() and (two[half] == 0).all())
            self.assertLess(abs(whole - one - two).max(), 1e-8 * abs(whole).max())

    def test_through_fields(self):
        for name, field in (("orthotropic along", "stress"), ("plane stress", "von_mises"), ("conduction around", "heat_flux"), ("motion", "stress")):
            model = self.make(name)
            model.solve()
            for in_cells in (False, True):
                shown = lambda m: m.cell_field(field) if in_cells else m.field(field)
                values = shown(model)
                weights = np.cos(np.arange(values.size)).reshape(values.shape)
                if model.evolves:
                    weights[0] = 0
                for key, value in keys_of(MODELS[name][1]):
                    if not key.startswith(("material", "orientation")) or key.endswith((".1", ".2")):
                        continue
                    with self.subTest(name, key=key, in_cells=in_cells):
                        found = model.vjp(of=key, **{"cell_fields" if in_cells else "fields": {field: weights}})[key].sum()
                        ends = []
                        for sign in (1, -1):
                            other = self.make(name, {key: value * (1 + sign * 1e-4)})
                            other.solve()
                            ends.append((weights * shown(other)).sum())
                        self.assertAlmostEqual(found, (ends[0] - ends[1]) / (2e-4 * value), delta=1e-6 * max(abs(found), 1e-3 * abs(weights * values).sum() / abs(value)))

    def test_at_the_end_of_what_is_allowed(self):
        """An emissivity of 1 has differences on one side."""
        physics, case, mesh, _ = MODELS["radiation"]
        key = "radiation.0.emissivity"
        u = [ritz.Model(case, {key: 1 - i * 1e-3}, mesh=mesh, physics=physics).solve().sum() for i in range(3)]
        model = ritz.Model(case, {key: 1.0}, mesh=mesh, physics=physics)
        found = model.vjp(np.ones_like(model.solve()), of=key)[key].sum()
        self.assertAlmostEqual(found, (3 * u[0] - 4 * u[1] + u[2]) / 2e-3, delta=1e-5 * abs(found))

    def test_what_has_no_derivative_is_refused(self):
        case = body(ORTHOTROPIC, spring=[{"region": "corner", "stiffness": [1e6, 2e6, 3e6]}])
        model = ritz.Model(case, mesh=BLOCK)
        u = model.solve()
        for key in ("spring.0.stiffness.0", "force.0.value.0", "displacement.0.x", "solver.tolerance", "material.0.orthotropic.young", "material.0.orthotropic.young.3", "material.1.density",
                    "material.0.region", "material", "", "material.0.orthotropic.young.0.0", "load_case"):
            with self.subTest(key), self.assertRaises(ritz.InputError):
                model.vjp(u, of=key)

    # Tables of physics, and the keys in them that are no numbers of the equations, or have another derivative.
    TABLES = ("material", "orientation", "thermal", "gravity", "section", "boundary", "foundation", "body_force", "traction", "pressure", "force", "source", "flux", "power",
              "convection", "radiation", "line_load", "surface_load", "load", "spring", "mass", "displacement", "temperature", "support", "prescribe", "capacity", "inertia")
    NONE = {"thermal.scale": "of the coordinates in a file", "thermal.time": "names a step of a file", "spring": "acts at nodes: its equations are not in cells", "mass": "likewise",
            "force[].value": "", "force[].moment": "",  # at nodes alone: solve(load=...) has it
            "displacement": "vjp() has 'prescribed'", "temperature": "likewise", "support": "likewise", "prescribe": "likewise",
            "capacity": "with [time]: arrays, Evolutions of derivatives_test", "inertia": "of [modal], and with [time]", "load[].pressure": "of forms of several fields alone",
            "load_case": "as outside of load cases"}
    NO_MODEL = {"plasticity": "internal variables", "gradient_damage": "internal variables", "curl_curl": "fields of edges", "mixed_poisson": "several fields", "stokes": "several fields", "thermo_elasticity": "several fields",
                "edge_film": "of fields of edges", "surface_current": "of fields of edges", "flux_film": "of several fields", "flux_pressure": "of several fields",
                "axisymmetric_pressure3": "of plasticity", "pressure2": "of stokes", "foundation2": "of stokes"}

    OF_SOLIDS = ("force[].at", "orientation", "material", "body_force", "traction", "foundation", "thermal")  # next to sections: a model of two fields, without derivatives

    def registered(self, physics):
        """Each number of the tables above in the schema, and of forms each with each form that has it."""
        schema = json.loads((SCHEMAS / f"ritz-{physics}.schema.json").read_text())

        def walk(node, path):
            if node.get("type") == "array" and node.get("items", {}).get("properties"):
                yield from walk(node["items"], path + "[]")
            elif "properties" in node:
                for key, each in node["properties"].items():
                    yield from walk(each, f"{path}.{key}" if path else key)
            else:
                types = [kind for each in (node, *node.get("anyOf", ()), *(inner for outer in node.get("anyOf", ()) for inner in outer.get("anyOf", ()))) for kind in np.atleast_1d(each.get("type", ""))]
                if re.split(r"[.\[]", path)[0] in self.TABLES and ("number" in types or ("array" in types and "number" in json.dumps(node))):
                    if ("only with law" in node.get("description", "") and path not in ("material[].young", "material[].poisson")) or path.startswith(("material[].yield_stress", "material[].hardening", "material[].constants")):
                        return  # laws have no derivatives
                    forms = re.search(r"only with (?:model\.)?form = (.*?)(?:;|$)", node.get("description", ""))
                    yield from ((path, form) for form in (re.findall(r"'([^']+)'", forms[1]) if forms else [""]))

        return list(walk(schema, ""))

    def test_no_number_of_the_programs_is_forgotten(self):
        covered = {(physics, schema_path(key)) for physics, case, _, _ in MODELS.values() for key, _ in keys_of(case)}
        arrays = {"elasticity": derivatives_test.EveryKey.KEYS, "heat": {}, "structure": {}, "solve": {}}
        missing = []
        for physics in arrays:
            covered |= {(physics, schema_path(key)) for key in arrays[physics]}
            forms = {table["form"] for p, case, _, _ in MODELS.values() if p == "solve" for table in (case["model"], *case["boundary"])}
            found = self.registered(physics)
            self.assertGreater(len(found), 10, physics)
            for path, form in found:
                if any(path == none or re.split(r"[.\[]", path)[0] == none for none in self.NONE) or any(none in form for none in self.NO_MODEL):
                    continue
                if physics == "structure" and any(path == key or re.split(r"[.\[]", path)[0] == key for key in self.OF_SOLIDS):
                    continue
                if (physics, path) not in covered or (form and form not in forms):
                    missing.append((physics, path, form))
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
