"""Regions of the case file: by geometry, of other regions; those that cannot be are errors that list what exists."""
import math
import re
import subprocess

from boxes import cubes, msh, shell, square
from ritz import BIN, CaseTest, example


class RegionTest(CaseTest):
    def mesh(self, text, times):
        coarse, fine = self.write("coarse.msh", text), self.folder / "fine.msh"
        subprocess.run([BIN / "ritz", "mesh", "refine", coarse, fine, "--times", str(times), "--force"], check=True, capture_output=True)
        return fine

    def measures(self, mesh, regions, kinds):
        """Length, area or volume of each region, by the reaction-free integral of a temperature of 1."""
        dimension_probe = "".join(f'[[probe]]\nname = "{name}"\nfield = "temperature"\nregion = "{name}"\nmeasure = "integral"\n'
                                  for name, kind in kinds.items() if kind != "nodes")
        text = f'[mesh]\nfile = "{mesh}"\n[model]\ntype = "plane"\n' if isinstance(mesh, str) else f'[mesh]\nfile = "{mesh}"\n'
        text += regions + '\n[[material]]\nregion = "everything"\nconductivity = 1\n[[temperature]]\nregion = "everything"\nvalue = 1\n'
        text += '[[region]]\nname = "everything"\nkind = "cells"\nexpression = "1 == 1 + 0*x"\n' + dimension_probe
        return self.run_case("ritz-heat", self.write("case.toml", text))


class StraightQuadraticCells(RegionTest):
    """A file whose mid nodes lie on chords: held at nodes of a round surface, a body does what it does held at its facets."""

    def quadratic(self, cell):
        """A quarter of a pipe of radii 1 and 2."""
        pipe = lambda u, v, w: ((1 + u) * math.cos(math.pi / 2 * v), (1 + u) * math.sin(math.pi / 2 * v), w)  # noqa: E731
        coarse, fine = self.write("coarse.msh", shell(pipe, cell, (2, 4, 1))), self.folder / f"{cell}.msh"
        subprocess.run([BIN / "ritz", "mesh", "convert", coarse, fine, "--order", "2", "--force"], check=True, capture_output=True)
        return fine

    @staticmethod
    def region(name, kind, condition="cylinder = {point = [0, 0, 0], axis = [0, 0, 1], radius = 1, surface = true}"):
        return f'[[region]]\nname = "{name}"\nkind = "{kind}"\n{condition}\n'

    def test_nodes_of_a_round_surface_hold_as_its_facets(self):
        heat = '[[material]]\nregion = "part"\nconductivity = 1\n[[source]]\nregion = "part"\nvalue = 4\n[[temperature]]\nregion = "{}"\nvalue = 0\n'
        body = '[[material]]\nregion = "part"\nyoung = 1e9\npoisson = 0.3\n[[body_force]]\nregion = "part"\nvalue = [1e6, 0, 0]\n[[displacement]]\nregion = "{}"\nfixed = true\n'
        for cell in ("hex8", "tet4"):
            for program, text, field in (("ritz-heat", heat, "temperature"), ("ritz-elasticity", body, "displacement")):
                component = 'component = "x"\n' if field == "displacement" else ""
                largest = []
                for held in ("nodes", "facets"):
                    case = f'[mesh]\nfile = "{self.quadratic(cell)}"\n' + self.region("nodes", "nodes") + self.region("facets", "facets") + text.format(held) + "".join(
                        f'[[probe]]\nname = "{measure}"\nfield = "{field}"\n{component}region = "{region}"\nmeasure = "max"\n' for measure, region in (("part", "part"), ("held", "facets")))
                    outcome = self.solve(program, self.write("case.toml", case), keys={"solver.tolerance": 1e-12})
                    self.assertEqual(outcome.probes["held"], 0)
                    self.assertEqual([notice for notice in outcome.report["notices"] if notice.startswith("region")], [])
                    largest.append(outcome.probes["part"])
                self.assert_close(largest[0], largest[1], 1e-9)

    def test_mid_nodes_that_stay_out_are_counted(self):
        case = f'[mesh]\nfile = "{self.quadratic("hex8")}"\n[[material]]\nregion = "part"\nconductivity = 1\n[[temperature]]\nregion = "held"\nvalue = 1\n'
        cylinder = "cylinder = {point = [0, 0, 0], axis = [0, 0, 1], radius = 1.5, surface = true}"
        for condition, words in ((cylinder, "mid nodes of edges between its"),
                                 ('expression = "abs(sqrt(x^2 + y^2) - 1) < 1e-6"', "do not satisfy the expression and stay out")):
            outcome = self.solve("ritz-heat", self.write("case.toml", case + self.region("held", "nodes", condition)))
            self.assertIn(words, " ".join(outcome.report["notices"]))
            if condition is cylinder:
                tolerance = re.search(r"tolerance = ([0-9.e-]+) takes them", " ".join(outcome.report["notices"]))[1]
                outcome = self.solve("ritz-heat", self.write("case.toml", case + self.region("held", "nodes", f"{condition}\ntolerance = {tolerance}")))
                self.assertNotIn(words, " ".join(outcome.report["notices"]))

    def test_nodes_of_a_mesh_refined_before_are_told_to_run_on(self):
        refined = self.folder / "refined.msh"
        pipe = lambda u, v, w: ((1 + u) * math.cos(math.pi / 2 * v), (1 + u) * math.sin(math.pi / 2 * v), w)  # noqa: E731
        subprocess.run([BIN / "ritz", "mesh", "refine", self.write("coarse.msh", shell(pipe, "hex8", (2, 8, 1))), refined, "--force"], check=True, capture_output=True)
        case = f'[mesh]\nfile = "{refined}"\n[[material]]\nregion = "part"\nconductivity = 1\n[[temperature]]\nregion = "held"\nvalue = 1\n' + self.region("held", "nodes")
        outcome = self.solve("ritz-heat", self.write("case.toml", case))
        self.assertIn("nodes along the surface", " ".join(outcome.report["notices"]))


class Geometry(RegionTest):
    def solid(self, regions, kinds, times=3):
        outcome = self.measures(self.mesh(cubes(["a"]), times), regions, kinds)
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return outcome

    def test_boxes_planes_and_normals_of_a_cube(self):
        regions = '''
[[region]]
name = "half"
kind = "cells"
box = {low = [0, 0, 0], high = [0.5, 1, 1]}
[[region]]
name = "top"
kind = "facets"
plane = {point = [3, 7, 1], normal = [0, 0, -2]}
[[region]]
name = "up"
kind = "facets"
normal = {direction = [0.1, 0, 5], angle = "5 deg"}
[[region]]
name = "quarter of top"
kind = "facets"
of = "top"
expression = "x <= 0.5 && y <= 0.5"
[[region]]
name = "rest of top"
difference = ["top", "quarter of top"]
[[region]]
name = "both"
union = ["quarter of top", "a.x0"]
[[region]]
name = "none but quarter"
intersection = ["both", "up"]
[[region]]
name = "edge"
kind = "nodes"
of = "top"
box = {low = [0, 0, 0], high = [0, 1, 1]}
'''
        kinds = {"half": "cells", "top": "facets", "up": "facets", "quarter of top": "facets", "rest of top": "facets", "both": "facets", "none but quarter": "facets", "edge": "nodes"}
        outcome = self.solid(regions, kinds)
        for name, size in {"half": 0.5, "top": 1, "up": 1, "quarter of top": 0.25, "rest of top": 0.75, "both": 1.25, "none but quarter": 0.25}.items():
            self.assert_close(outcome.probes[name], size, 1e-9)
        self.assertIn("region 'edge': 9 nodes", outcome.log)

    def test_round_regions(self):
        """A hole found as the surface of a cylinder; cells in a sphere have about its volume."""
        outcome = self.solid('''
[[region]]
name = "ball"
kind = "cells"
sphere = {centre = [0, 0, 0], radius = 0.9}
''', {"ball": "cells"}, 5)
        self.assert_close(outcome.probes["ball"], math.pi / 6 * 0.9 ** 3, 2e-2)
        mesh = example("lame/plane_strain").parent / "section.msh"
        listing = subprocess.run([BIN / "ritz", "mesh", "info", mesh], capture_output=True, text=True).stdout
        self.assertIn("regions", listing)

    def test_a_ring_is_found_by_its_radius(self):
        inner = [(math.cos(a), math.sin(a), 0) for a in (i * math.pi / 8 for i in range(5))]
        outer = [(2 * x, 2 * y, 0) for x, y, _ in inner]
        elements = [(3, 1, [1 + i, 6 + i, 7 + i, 2 + i]) for i in range(4)]
        mesh = self.write("ring.msh", msh(inner + outer, elements, [(2, "ring")]))
        text = f'[mesh]\nfile = "{mesh}"\n' + '''[model]
type = "plane"
[[region]]
name = "bore"
kind = "facets"
cylinder = {point = [0, 0], axis = [0, 0], radius = 1, surface = true}
[[region]]
name = "rim"
kind = "facets"
sphere = {centre = [0, 0], radius = 2, surface = true}
[[material]]
region = "ring"
conductivity = 1
[[temperature]]
region = "rim"
value = 1
[[probe]]
name = "rim"
field = "temperature"
region = "rim"
measure = "integral"
'''
        outcome = self.run_case("ritz-heat", self.write("ring.toml", text))
        self.assertEqual(outcome.exit, 2)   # an axis in the plane of length 0
        self.assertIn("direction of length 0", outcome.errors)
        text = text.replace("cylinder = {point = [0, 0], axis = [0, 0], radius = 1, surface = true}", "sphere = {centre = [0, 0], radius = 1, surface = true}")
        outcome = self.solve("ritz-heat", self.write("ring.toml", text))
        self.assertIn("region 'bore': 4 facets", outcome.log)
        self.assert_close(outcome.probes["rim"], 4 * 4 * math.sin(math.pi / 16), 1e-9)


def tube(u, v, w):
    """A quarter of a tube around z: radius 1 to 2, height 1."""
    radius, angle = 1 + w, math.pi / 2 * v
    return radius * math.cos(angle), radius * math.sin(angle), u


def dome(u, v, w):
    """A sixth of a hollow ball: radius 1 to 2."""
    y, z = math.tan(math.pi / 4 * (2 * u - 1)), math.tan(math.pi / 4 * (2 * v - 1))
    scale = (1 + w) / math.sqrt(1 + y * y + z * z)
    return scale, scale * y, scale * z


BORE = """
[[region]]
name = "bore"
kind = "facets"
cylinder = {point = [0, 0, 5], axis = [0, 0, 2], radius = 1, surface = true}
[[region]]
name = "bore nodes"
kind = "nodes"
cylinder = {point = [0, 0, 5], axis = [0, 0, 2], radius = 1, surface = true}
"""


class Refined(RegionTest):
    """A region is the same part of the surface at each refinement, though new nodes lie on chords."""

    def sizes(self, mesh, regions, refine, **keys):
        """Of each region: how many entities, and its area."""
        text = f'[mesh]\nfile = "{mesh}"\nrefine = {refine}\n' + "".join(f"{key} = {value}\n" for key, value in keys.items())
        text += '[model]\ntype = "plane"\n' if "quarter" in str(mesh) else ""
        outcome = self.run_case("ritz-heat", self.write("case.toml", text + regions + """
[[region]]
name = "everything"
kind = "cells"
expression = "1 + 0 * x"
[[material]]
region = "everything"
conductivity = 1
[[temperature]]
region = "everything"
value = 0
"""), "--check")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        found = re.findall(r"region '(.*)': (\d+) \w+(?:, (\S+) m)?", outcome.log)
        self.outcome = outcome
        return {name: (int(count), float(area or 0)) for name, count, area in found}

    def assert_divided(self, mesh, regions, name, facets):
        coarse = self.sizes(mesh, regions, 0)[name]
        self.assertEqual(coarse[0], facets)
        for times in (1, 2):
            count, area = self.sizes(mesh, regions, times)[name]
            self.assertEqual(count, facets * 4 ** times)
            self.assert_close(area, coarse[1], 1e-3)
        return coarse[1]

    def test_facets_of_each_kind_of_region_become_four(self):
        for cell, halves in (("hex8", 1), ("tet4", 2)):
            pipe, ball = self.write("pipe.msh", shell(tube, cell)), self.write("ball.msh", shell(dome, cell))
            for mesh, condition, facets, area in (
                    (pipe, "cylinder = {point = [0, 0, 5], axis = [0, 0, 2], radius = 1, surface = true}", 16, 8 * math.sin(math.pi / 16)),
                    (pipe, "cylinder = {point = [0, 0, 5], axis = [0, 0, 2], radius = 2, surface = true}", 16, 16 * math.sin(math.pi / 16)),
                    (pipe, "cylinder = {point = [0, 0, 0], axis = [0, 0, 1], radius = 1.0001}", 16, 8 * math.sin(math.pi / 16)),
                    (pipe, "expression = 'sqrt(x*x + y*y) > 1.9999'", 16, 16 * math.sin(math.pi / 16)),
                    (pipe, "plane = {point = [0, 0, 1], normal = [0, 0, 1]}", 4, 12 * math.sin(math.pi / 16) * math.cos(math.pi / 16)),
                    (pipe, "box = {low = [1, 0, 0], high = [2, 0, 0.5]}", 2, 0.5),
                    (pipe, "normal = {direction = [0, -1, 0]}", 4, 1),
                    (ball, "sphere = {centre = [0, 0, 0], radius = 1, surface = true}", 16, None),
                    (ball, "sphere = {centre = [0, 0, 0], radius = 1.0001}", 16, None)):
                with self.subTest(cell=cell, condition=condition):
                    found = self.assert_divided(mesh, f'[[region]]\nname = "part of it"\nkind = "facets"\n{condition}\n', "part of it", facets * halves)
                    if area:
                        self.assert_close(found, area, 1e-3)

    def test_nodes_of_a_round_surface_are_a_grid_at_each_refinement_and_order(self):
        for cell in ("hex8", "tet4"):
            mesh = self.write("pipe.msh", shell(tube, cell))
            for refine, order in ((0, 0), (1, 0), (2, 0), (0, 2), (1, 2)):
                steps = 4 * 2 ** refine * (2 if order == 2 else 1)
                nodes = (steps + 1) ** 2
                if order == 2 and cell == "hex8":   # without the nodes in the middle of faces
                    nodes -= (steps // 2) ** 2
                self.assertEqual(self.sizes(mesh, BORE, refine, order=order)["bore nodes"][0], nodes, (cell, refine, order))

    def test_sets_follow_their_parts(self):
        mesh = self.write("pipe.msh", shell(tube, "tet4"))
        regions = BORE + """
[[region]]
name = "low"
kind = "facets"
of = "bore"
box = {low = [0, 0, 0], high = [9, 9, 0.25]}
[[region]]
name = "high"
difference = ["bore", "low"]
"""
        for refine in (0, 1, 2):
            sizes = self.sizes(mesh, regions, refine)
            self.assertEqual(3 * sizes["low"][0], sizes["high"][0])

    def test_a_region_finer_than_the_mesh_of_the_file_is_found_by_refinement(self):
        mesh = self.write("cube.msh", cubes(["a"]))
        region = '[[region]]\nname = "patch"\nkind = "facets"\nbox = {low = [0.25, 0.5, 1], high = [0.5, 1, 1]}\n'
        self.assertEqual(self.sizes(mesh, region, 2)["patch"], (2, 0.125))

    def test_the_area_of_curved_cells_converges(self):
        for mesh, condition, exact in (
                ("sector", "cylinder = {point = [0, 0, 0], axis = [0, 0, 1], radius = 0.1, surface = true}", math.pi / 2 * 0.1 * 0.02),
                ("quarter", "sphere = {centre = [0, 0], radius = 0.1, surface = true}", math.pi / 2 * 0.1)):
            regions = f'[[region]]\nname = "bore"\nkind = "facets"\n{condition}\n'
            counts = []
            for refine in (0, 1, 2):
                count, area = self.sizes(example("lame/solid").parent / f"{mesh}.msh", regions, refine)["bore"]
                counts.append(count)
                self.assert_close(area, exact, 1e-3)
            step = 4 if mesh == "sector" else 2
            self.assertEqual(counts, [counts[0], step * counts[0], step ** 2 * counts[0]])

    def test_a_mesh_that_was_refined_elsewhere_gets_a_notice(self):
        mesh = self.mesh(shell(tube, "hex8"), 2)
        narrow, wide = (BORE.replace("surface = true}", f"surface = true}}\ntolerance = {tolerance}") for tolerance in (0.015, 0.02))
        self.assertEqual(self.sizes(mesh, narrow, 0)["bore"][0], 128)
        self.assertIn("128 more facets run on", self.outcome.log)
        self.assertEqual(self.sizes(mesh, wide, 0)["bore"][0], 256)
        self.assertNotIn("more facets run on", self.outcome.log)


    def test_nodes_of_a_side_need_no_other_condition(self):
        """A spring wants nodes: the error tells how a side has them, and so they are found."""
        mesh = self.write("a.msh", cubes(["a"]))
        text = f'allow_unloaded = true\n[mesh]\nfile = "{mesh}"\n[[material]]\nregion = "a"\nyoung = 1e9\npoisson = 0\n[[displacement]]\nregion = "a.x0"\nfixed = true\n'
        spring = '[[spring]]\nregion = "{}"\nstiffness = [1, 0, 0]\n'
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text + spring.format("a.x1")), "--check")
        self.assertIn('a [[region]] with kind = "nodes" and of = "a.x1"', outcome.errors)
        nodes = '[[region]]\nname = "end"\nkind = "nodes"\nof = "a.x1"\n'
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text + nodes + spring.format("end")), "--check")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertIn("region 'end': 4 nodes", outcome.log)


class Errors(RegionTest):
    def message(self, region):
        outcome = self.measures(self.mesh(cubes(["a"]), 1), region, {})
        return outcome.exit, outcome.errors

    def test_each_names_what_exists(self):
        for region, words in (
            ('kind = "facets"\nplane = {point = [9, 0, 0], normal = [1, 0, 0]}', ["'r' is empty: no facets of the boundary lie there", "reaches from (0, 0, 0) to (1, 1, 1)", "'a.x0' (4 facets)"]),
            ('kind = "cells"\nnormal = {direction = [1, 0, 0]}', ["cells have no normal"]),
            ('kind = "cells"', ["no condition"]),
            ('kind = "facets"\nof = "a"\nexpression = "x > 0"', ["'a' is a region of cells, and facets are selected"]),
            ('union = ["a", "a.x0"]', ["'a' is a region of cells, 'a.x0' one of facets"]),
            ('union = ["a.x0", "a.x7"]', ["no region 'a.x7'", "did you mean"]),
            ('difference = ["a.x0", "a.x0"]', ["'r' is empty"]),
            ('kind = "nodes"\nsphere = {centre = [0, 0, 0]}', ["missing key 'region.0.sphere.radius'"]),
            ('kind = "nodes"\nexpression = "1/x > 2"', []),
            ('kind = "nodes"\nexpression = "sqrt(x - 0.5)"', ["'sqrt(x - 0.5)'", "has no value"]),
            ('kind = "nodes"\nbox = {low = [0, 0], high = [1, 1, 1]}', ["a list of 3 numbers"]),
            ('kind = "facets"\nbox = {low = [0, 0, 0], hihg = [1, 1, 1]}', ["did you mean 'high'?"])):
            exit_code, errors = self.message(f'[[region]]\nname = "r"\n{region}\n')
            if words:
                self.assertIn(exit_code, (2, 4), region)
            for word in words:
                self.assertIn(word, errors, region)
        exit_code, errors = self.message('[[region]]\nname = "a"\nkind = "cells"\nexpression = "x > 0"\n')
        self.assertIn("there is a region 'a' already", errors)

    def test_a_plane_mesh_takes_plane_coordinates(self):
        text = f'[mesh]\nfile = "{self.mesh(square(), 2)}"\n' + '''[model]
type = "plane"
[[region]]
name = "side"
kind = "facets"
plane = {point = [1, 0], normal = [1, 0]}
[[region]]
name = "right side"
kind = "facets"
normal = {direction = [1, 0]}
[[material]]
region = "all"
conductivity = 2
[[temperature]]
region = "left"
value = 0
[[flux]]
region = "side"
value = 6
[[probe]]
name = "hot"
field = "temperature"
region = "right side"
measure = "mean"
'''
        self.assert_close(self.solve("ritz-heat", self.write("case.toml", text)).probes["hot"], 3, 1e-8)


class Nodes(CaseTest):
    """Single points stay points when the mesh is refined or raised; sets that cover facets go on covering them."""

    def test_a_beam_on_two_points_bends_between_them(self):
        self.write("mesh.msh", msh([(0, 0, 0), (4, 0, 0)], [(1, 1, [1, 2]), (15, 2, [1]), (15, 2, [2])], [(1, "girder"), (0, "points")]))
        ends = '[[region]]\nname = "ends"\nkind = "nodes"\nexpression = "x < 1e-6 || x > 4 - 1e-6"\n'
        for region in ("points", "ends"):
            text = '[mesh]\nfile = "mesh.msh"\nrefine = 2\n' + ends + f"""[[section]]
region = "girder"
element = "beam"
young = 1e9
poisson = 0
area = 1
inertia_y = 1
inertia_z = 1
torsion = 1
[[support]]
region = "{region}"
x = 0
y = 0
z = 0
rx = 0
[[line_load]]
region = "girder"
value = [0, 0, -1000]
[[probe]]
name = "middle"
point = [2, 0, 0]
field = "displacement"
component = "z"
"""
            outcome = self.solve("ritz-structure", self.write("case.toml", text))
            self.assert_close(outcome.probes["middle"], -5 * 1000 * 4**4 / (384 * 1e9), 1e-6)

    def test_two_corners_of_a_square_hold_nothing_between_them(self):
        points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        self.write("mesh.msh", msh(points, [(3, 1, [1, 2, 3, 4]), (15, 2, [1]), (15, 2, [2]), (1, 3, [3, 4])], [(2, "all"), (0, "points"), (1, "top")]))
        corners = '[[region]]\nname = "corners"\nkind = "nodes"\nexpression = "y < 1e-6 && (x < 1e-6 || x > 1 - 1e-6)"\n'
        text = ('[mesh]\nfile = "mesh.msh"\n{}\n' + corners + '[model]\ntype = "plane_stress"\n[[material]]\nregion = "all"\nyoung = 1e6\n'
                'poisson = 0.3\n[[displacement]]\nregion = "{}"\nfixed = true\n[[traction]]\nregion = "top"\nvalue = [0, -1]\n'
                '[[probe]]\nname = "between"\npoint = [0.5, 0]\nfield = "displacement"\ncomponent = "y"\n')
        for region in ("points", "corners"):
            for finer in ("refine = 1", "order = 2"):
                outcome = self.solve("ritz-elasticity", self.write("case.toml", text.format(finer, region)))
                self.assertLess(outcome.probes["between"], -1e-9, region + finer)
        outcome = self.solve("ritz-elasticity", self.write("case.toml", text.format("[space]\norder = 2", "points")))
        self.assertIn("region 'points': 2 nodes of the mesh, 3 of the field of order 2", outcome.log)

    def test_a_set_of_a_deck_covers_its_side_and_what_acts_at_each_node_is_told(self):
        self.write("mesh.inp", "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT, TYPE=CPS4, ELSET=A\n1,1,2,3,4\n*NSET, NSET=L\n1,4\n*SURFACE, NAME=R\n1,S2\n")
        text = ('[mesh]\nfile = "mesh.inp"\nrefine = 2\n[model]\ntype = "plane_stress"\n[[material]]\nregion = "A"\nyoung = 1e12\npoisson = 0\n'
                '[[displacement]]\nregion = "A"\ny = 0\n[[spring]]\nregion = "L"\nstiffness = [50, 50]\neach = true\n[[traction]]\nregion = "R"\nvalue = [1, 0]\n'
                '[[probe]]\nname = "u"\nregion = "R"\nmeasure = "mean"\nfield = "displacement"\ncomponent = "x"\n')
        outcome = self.solve("ritz-elasticity", self.write("case.toml", text))
        self.assert_close(outcome.probes["u"], 1 / (5 * 50), 1e-4)
        self.assertIn("region 'L': 2 nodes, 5 after [mesh] refine and order: what acts at each node", outcome.log)
