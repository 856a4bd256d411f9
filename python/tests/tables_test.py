"""Every table that acts on a body, every way through the solver, every order: the same answer, with loads and reactions in balance."""
import unittest

import numpy as np

import ritz

EDGES = {"tet10": [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)],
         "hex20": [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]}
TETS = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]


class Parts:
    """Boxes with meshes of their own: cells of several kinds in one mesh, a region for each box."""

    def __init__(self):
        self.points, self.cells, self.regions = np.zeros((0, 3)), {}, {}

    def add(self, name, kind, n, low, high):
        first = len(self.points)
        axes = [np.linspace(a, b, k + 1) for a, b, k in zip(low, high, n)]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
        number = np.arange(len(points)).reshape([k + 1 for k in n])
        at = lambda *s: number[tuple(slice(i, i + k) for i, k in zip(s, n))].ravel()
        cells = np.stack([at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0), at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)], 1)
        if kind.startswith("tet"):
            cells = cells[:, TETS].reshape(-1, 4)
        if kind in EDGES:
            ends = np.sort(cells[:, EDGES[kind]], 2)
            edges, place = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
            cells = np.hstack([cells, len(points) + place.reshape(ends.shape[:2])])
            points = np.vstack([points, points[edges].mean(1)])
        old = self.cells.setdefault(kind, np.zeros((0, cells.shape[1]), int))
        self.cells[kind] = np.vstack([old, cells + first])
        self.regions.setdefault(name, {})[kind] = range(len(old), len(old) + len(cells))
        self.points = np.vstack([self.points, points])
        return self

    def mesh(self):
        return ritz.Mesh(self.points, self.cells, self.regions)


def box(kind):
    return Parts().add("all", kind, (2, 1, 1), (0, 0, 0), (2, 1, 1)).mesh()


def two(left, right):
    """Two boxes whose meshes do not match where they meet, at x = 1 and, which tells the sides apart, 1 + 1e-4."""
    return Parts().add("left", left, (1, 1, 1), (0, 0, 0), (1, 1, 1)).add("right", right, (1, 2, 1), (1 + 1e-4, 0, 0), (2, 1, 1)).mesh()


def plane(name, kind, axis, value):
    normal = [0, 0, 0]
    normal[axis] = 1
    point = [0, 0, 0]
    point[axis] = value
    return {"name": name, "kind": kind, "plane": {"point": point, "normal": normal}}


REGIONS = [plane(f"{axis}{value}", "facets", d, value) for d, axis in enumerate("xyz") for value in (0, 2 if d == 0 else 1)]
REGIONS += [plane("nodes_x2", "nodes", 0, 2), plane("nodes_x0", "nodes", 0, 0),
            {"name": "edge", "kind": "nodes", "box": {"low": [2, 0, 1], "high": [2, 1, 1]}},
            {"name": "corner", "kind": "nodes", "box": {"low": [2, 1, 1], "high": [2, 1, 1]}},
            {"name": "other", "kind": "nodes", "box": {"low": [2, 0, 0], "high": [2, 0, 0]}}]
FIXED = {"displacement": [{"region": "x0", "fixed": True}]}


def elastic(unit):
    """Tables by what they are about; forces are in units of 1/unit newton."""
    F, k = 1e3 * unit, 1e9 * unit
    pull = {"traction": [{"region": "x2", "value": [F, -2 * F, F]}]}
    hot = {"thermal": {"temperature": "100 + 20*y", "reference": 20}}
    held = FIXED | pull
    free = hot | pull
    return {
        "force at nodes": FIXED | {"force": [{"region": "nodes_x2", "value": [F, F, 0]}]},
        "force at each node": FIXED | {"force": [{"region": "edge", "value": [0, F, -F], "each": True}]},
        "force on facets": FIXED | {"force": [{"region": "x2", "value": [F, 0, F]}]},
        "force at a point": FIXED | {"force": [{"region": "x2", "value": [F, 0, F], "at": [2.5, 0, 0], "moment": [F, 0, F]}]},
        "spring beside": held | {"spring": [{"region": "edge", "stiffness": [k, 0, 10 * k]}]},
        "spring as support": free | {"spring": [{"region": "nodes_x0", "stiffness": [k, k, k]}]},
        "weak spring as support": free | {"spring": [{"region": "nodes_x0", "stiffness": [1e-2 * k, 1e-2 * k, 1e-2 * k]}]},
        "springs in a load case": {"spring": [{"region": "edge", "stiffness": [k, k, k]}], "load_case": [
            {"name": "a", "force": [{"region": "edge", "value": [F, 0, 0]}]}, {"name": "b", "traction": [{"region": "x2", "value": [0, F, 0]}]}],
            "combination": [{"name": "ab", "factors": {"a": 2, "b": -1}}]} | FIXED,
        "foundation": free | {"foundation": [{"region": "x0", "stiffness": k, "tangential": k}]},
        "loads in balance on soft ground": {"pressure": [{"region": side, "value": F} for side in ("x0", "x2", "y0", "y1", "z0", "z1")],
                                            "foundation": [{"region": "x0", "x": 1e-3 * k, "y": 1e-3 * k, "z": 1e-3 * k}]},
        "foundation beside": held | {"foundation": [{"region": "z0", "z": k}]},
        "rigid facets": FIXED | hot | {"rigid": [{"region": "x2", "force": [F, 0, F], "moment": [0, F, 0]}]},
        "rigid nodes": FIXED | hot | {"rigid": [{"region": "nodes_x2", "force": [F, 0, F], "moment": [0, F, 0]}]},
        "rigid, moved": pull | {"rigid": [{"region": "x0", "x": 1e-4, "y": 0, "z": 0, "rx": 0, "ry": 1e-4, "rz": 0}]},
        "coupling, loaded": FIXED | {"coupling": [{"region": "x2", "force": [F, 0, F], "moment": [0, F, 0]}]},
        "coupling, moved": FIXED | hot | {"coupling": [{"region": "x2", "x": 1e-4, "ry": 1e-4}]},
        "coupling on springs": FIXED | hot | {"coupling": [{"region": "x2", "springs": {"x": k, "y": k, "rz": k}, "force": [0, F, 0]}]},
        "coupling as support": free | {"coupling": [{"region": "x0", "x": 0, "y": 0, "z": 0, "rx": 0, "ry": 0, "rz": 0}]},
        "displacement": FIXED | hot | {"displacement": FIXED["displacement"] + [{"region": "nodes_x2", "z": 1e-4}]},
        "traction": held,
        "pressure": FIXED | {"pressure": [{"region": "z1", "value": F}]},
        "body force and gravity": FIXED | {"body_force": [{"region": "all", "value": [F, 0, 0]}], "gravity": {"acceleration": [0, 0, -9.81]}},
        "thermal": FIXED | hot,
        "periodic": FIXED | hot | {"periodic": [{"region": "y1", "onto": "y0"}]},
        "equation": held | {"equation": [{"value": 1e-5, "terms": [{"region": "corner", "component": "x"}, {"region": "other", "component": "y", "factor": -2}]}]},
    }


def tied(unit):
    F, k = 1e3 * unit, 1e9 * unit
    tie = {"tie": [{"region": "of_left", "onto": "of_right"}]}
    pull = {"force": [{"region": "nodes_x2", "value": [F, F, 0]}]}
    return {"tie": FIXED | tie | pull, "tie by its surface": FIXED | pull | {"tie": [tie["tie"][0] | {"method": "surface"}]},
            "tie on springs": tie | pull | {"spring": [{"region": "nodes_x0", "stiffness": [k, k, k]}]}}


def hot(unit):
    """Tables of heat; in units of 1/unit watt."""
    W = 1e3 * unit
    ends = {"temperature": [{"region": "x0", "value": 20}]}
    film = {"convection": [{"region": "x0", "coefficient": 0.1 * W, "ambient": 20}]}
    power = {"power": [{"region": "x2", "value": W}]}
    return {
        "temperature": {"temperature": [{"region": "x0", "value": 20}, {"region": "nodes_x2", "value": "30 + y"}]},
        "source": ends | {"source": [{"region": "all", "value": W}]}, "flux": ends | {"flux": [{"region": "x2", "value": W}]},
        "power": ends | power, "convection": film | power,
        "weak convection": power | {"convection": [{"region": "x0", "coefficient": 1e-3 * W, "ambient": 20}]},
        "load cases": film | {"load_case": [{"name": "a", "power": [{"region": "x2", "value": W}]}, {"name": "b", "flux": [{"region": "y1", "value": W}]}],
                              "combination": [{"name": "ab", "factors": {"a": 2, "b": -1}}]},
        "periodic": ends | power | {"periodic": [{"region": "y1", "onto": "y0"}]},
        "equation": ends | power | {"equation": [{"value": 3, "terms": [{"region": "corner"}, {"region": "other", "factor": -1}]}]},
    }


def tied_hot(unit):
    return {"tie": {"tie": [{"region": "of_left", "onto": "of_right"}], "temperature": [{"region": "x0", "value": 20}],
                    "power": [{"region": "x2", "value": 1e3 * unit}]}}


def modal(unit):
    k, m = 1e9 * unit, 1e3 * unit
    return {
        "support": FIXED, "spring beside": FIXED | {"spring": [{"region": "edge", "stiffness": [k, 0, 10 * k]}]},
        "spring as support": {"spring": [{"region": "nodes_x0", "stiffness": [k, k, k]}]},
        "foundation": {"foundation": [{"region": "x0", "stiffness": k, "tangential": k}]},
        "rigid with a mass": FIXED | {"rigid": [{"region": "nodes_x2", "mass": m, "inertia": [m, m, m]}]},
        "coupling with a mass": FIXED | {"coupling": [{"region": "x2", "mass": m}]},
        "coupling on springs": FIXED | {"coupling": [{"region": "x2", "springs": {"x": k, "y": k, "rz": k}}]},
        "periodic": FIXED | {"periodic": [{"region": "y1", "onto": "y0"}]},
    }


MEETING = [plane("of_left", "facets", 0, 1), plane("of_right", "facets", 0, 1 + 1e-4)]
BODIES = {"hex8": (lambda: box("hex8"), {}), "tet10": (lambda: box("tet10"), {}), "hex20": (lambda: box("hex20"), {}),
          "hex8 of order 2": (lambda: box("hex8"), {"space": {"order": 2}}), "hex8 of order 3": (lambda: box("hex8"), {"space": {"order": 3}}),
          "tet10 of order 2": (lambda: box("tet10"), {"space": {"order": 2}})}
PAIRS = {"hex8": (lambda: two("hex8", "hex8"), {}), "tet10 and hex20": (lambda: two("tet10", "hex20"), {}),
         "hex20 and hex8": (lambda: two("hex20", "hex8"), {}), "hex8 of order 2": (lambda: two("hex8", "hex8"), {"space": {"order": 2}})}
WAYS = {"auto": {}, "cg": {"method": "cg", "operator": "matrix"}, "without a matrix": {"operator": "matrix_free"}}


class Tables(unittest.TestCase):
    """Rows of tables on bodies, against those of a factorisation."""

    def setUp(self):
        self.meshes = {}

    def rows(self, tables, unit=1, bodies=BODIES):
        return [((body, name), (*bodies[body], row)) for body in bodies for name, row in tables(unit).items()]

    def run_row(self, call, physics, given, unit, solver):
        body, space, tables = given
        mesh = self.meshes.setdefault(body, body())
        regions = REGIONS + (MEETING if "left" in mesh.regions else [])
        material = {"elasticity": {"young": 2e11 * unit, "poisson": 0.3, "density": 7850 * unit, "expansion": 1.2e-5},
                    "modal": {"young": 2e11 * unit, "poisson": 0.3, "density": 7850 * unit}, "heat": {"conductivity": 50 * unit}}[physics]
        case = {"region": regions, "material": [{"region": name} | material for name in mesh.regions]} | space | tables
        case |= {"modal": {"count": 3, "tolerance": 1e-8} | solver} if physics == "modal" else {"solver": {"tolerance": 3e-11} | solver}
        return call(case, mesh=mesh, physics=physics, threads=1)

    def assert_same(self, found, expected):
        for one, other in zip(found.steps, expected.steps, strict=True):
            for name in set(one.fields) & {"displacement", "temperature"}:
                right = other.fields[name]
                self.assertLess(np.abs(one.fields[name] - right).max(), 1e-7 * np.abs(right).max(), name)
        if len(expected.frequencies):
            np.testing.assert_allclose(found.frequencies, expected.frequencies, rtol=1e-6)

    def assert_ways_agree(self, physics, rows, reference, ways):
        for name, given in rows:
            expected = None
            for way, solver in ways.items():
                with self.subTest(name, way=way):
                    expected = expected or self.run_row(ritz.run, physics, given, 1, reference)
                    self.assert_same(self.run_row(ritz.run, physics, given, 1, solver), expected)
                    self.run_row(ritz.check, physics, given, 1, solver)

    def assert_any_unit_serves(self, physics, tables, bodies):
        small, large = dict(self.rows(tables, 1e-6, bodies)), dict(self.rows(tables, 1e6, bodies))
        for name, given in self.rows(tables, 1, bodies):
            with self.subTest(name):
                expected = self.run_row(ritz.run, physics, given, 1, {})
                self.assert_same(self.run_row(ritz.run, physics, small[name], 1e-6, {}), expected)
                self.assert_same(self.run_row(ritz.run, physics, large[name], 1e6, {}), expected)


class Ways(Tables):
    """Runs and their forecasts take every table; loads = reactions is checked by the runs themselves."""

    def test_of_elastic_bodies_agree(self):
        self.assert_ways_agree("elasticity", self.rows(elastic) + self.rows(tied, 1, PAIRS), {"method": "direct"}, WAYS)

    def test_of_heat_agree(self):
        self.assert_ways_agree("heat", self.rows(hot) + self.rows(tied_hot, 1, PAIRS), {"method": "direct"}, WAYS)

    def test_of_vibrations_agree(self):
        rows = self.rows(modal)
        self.assert_ways_agree("modal", rows, {"method": "lanczos"}, {"auto": {}})
        free = [row for row in rows if row[0][1] != "coupling on springs"]  # which lobpcg refuses
        self.assert_ways_agree("modal", free, {"method": "lanczos"}, {"lobpcg": {"method": "lobpcg"}})


class SoftGround(Tables):
    def test_lets_a_body_under_loads_in_balance_stay_where_it_is(self):
        """Ground of 1e-9 of the stiffness, an iteration with the diagonal: the body shrinks about the middle of the ground, and does not drift."""
        pressure, (young, poisson) = 1e6, (2e11, 0.3)
        table = {"pressure": [{"region": side, "value": pressure} for side in ("x0", "x2", "y0", "y1", "z0", "z1")],
                 "foundation": [{"region": "z0", "x": 200, "y": 200, "z": 200}]}
        for body in ("hex8", "tet10", "hex8 of order 2"):
            with self.subTest(body):
                found = self.run_row(ritz.run, "elasticity", (*BODIES[body], table), 1, {"method": "cg", "preconditioner": "jacobi", "tolerance": 1e-8})
                right = -pressure * (1 - 2 * poisson) / young * (found.mesh.points - [1, 0.5, 0])
                self.assertLess(np.abs(found.fields["displacement"] - right).max(), 1e-3 * np.abs(right).max())


class Units(Tables):
    """Forces in meganewtons or micronewtons, and heat likewise, change no displacement and no temperature."""

    def test_of_force_change_no_displacement(self):
        self.assert_any_unit_serves("elasticity", elastic, {name: BODIES[name] for name in ("hex8", "tet10")})
        self.assert_any_unit_serves("elasticity", tied, {"hex8": PAIRS["hex8"]})

    def test_of_heat_change_no_temperature(self):
        self.assert_any_unit_serves("heat", hot, {"tet10": BODIES["tet10"]})

    def test_of_force_change_no_frequency(self):
        self.assert_any_unit_serves("modal", modal, {"tet10": BODIES["tet10"]})


if __name__ == "__main__":
    unittest.main()
