"""Beams, bars, shells and elements of one's own, from the command line."""
import json
import math
import os
import shutil
import subprocess
import unittest
from unittest import mock

import boxes
import vtu
from ritz import BIN, CaseTest, example

# Lines (0 0 0) - (2 0 0) - (4 0 0), and a line above: group numbers 1 "beam", 2 "hanger"; points 3 "foot", 4 "tip", 5 "top".
FRAME = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
5
0 3 "foot"
0 4 "tip"
0 5 "top"
1 1 "beam"
1 2 "hanger"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 2 0 0
3 4 0 0
4 4 0 3
$EndNodes
$Elements
6
1 15 2 3 1 1
2 15 2 4 3 3
3 15 2 5 4 4
4 1 2 1 1 1 2
5 1 2 1 1 2 3
6 1 2 2 2 3 4
$EndElements
"""
E, NU, I, A = 210e9, 0.3, 8e-6, 1e-5
BEAM = f"""
[[section]]
region = "beam"
element = "beam"
young = {E}
poisson = {NU}
area = 3e-3
inertia_y = 2e-6
inertia_z = {I}
torsion = 5e-6
density = 8000
"""
BAR = f"""
[[section]]
region = "hanger"
element = "bar"
young = {E}
area = {A}
density = 8000
"""
FOOT = '[[support]]\nregion = "foot"\nfixed = true\n'
TOP = '[[support]]\nregion = "top"\npinned = true\n'
PULL = '[[force]]\nregion = "tip"\nvalue = [0, 0, -1000]\n'
TIP = '[[probe]]\nname = "tip"\nregion = "tip"\nmeasure = "mean"\nfield = "displacement"\ncomponent = "z"\n'


class Structure(CaseTest):
    def frame(self, *tables):
        self.write("frame.msh", FRAME)
        return self.write("case.toml", '[mesh]\nfile = "frame.msh"\n' + "".join(tables))

    def refuse(self, exit_code, *tables, says):
        outcome = self.run_case("ritz-structure", self.frame(*tables))
        self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
        for phrase in says:
            self.assertIn(phrase, outcome.errors)


class PointMasses(Structure):
    def test_gravity_acts_on_them(self):
        outcome = self.solve("ritz-structure", self.frame(BEAM, FOOT, '[[mass]]\nregion = "tip"\nvalue = 250\n[gravity]\nacceleration = [0, 0, -10]\n'))
        self.assert_close(outcome.fact("reaction")[2], 10 * (250 + 8000 * 3e-3 * 4), 1e-9)

    def test_they_need_a_section_under_them(self):
        self.refuse(4, BEAM, FOOT, '[[mass]]\nregion = "top"\nvalue = 250\n', says=["belongs to no section", "nodes of beams"])
        self.refuse(2, BEAM, FOOT, '[[load_case]]\nname = "a"\n[[load_case.mass]]\nregion = "tip"\nvalue = 1\n', says=["load case", "mass"])


class Examples(Structure):
    def test_portal_frame(self):
        """Kleinlogel: H = q l^2 / (4 h (2 h / l + 3)) of equal sections; axial and shear deformation change it by 1 %."""
        outcome = self.solve("ritz-structure", example("structure/portal"))
        cases = outcome.report["load_cases"]
        q, span, height = 20e3, 6, 4
        thrust = q * span**2 / (4 * height * (2 * height / span + 3))
        snow, wind = cases["snow"], cases["wind"]
        self.assert_close(snow["probes"]["thrust"], thrust, 0.01)
        self.assert_close(snow["probes"]["foot"], q * span / 2, 1e-9)
        largest = [float(x) for x in snow["facts"]["largest_beam_force"].split()]
        self.assert_close(largest[5], q * span**2 / 8 - height * snow["probes"]["thrust"], 1e-9)  # in the middle of the girder
        self.assert_close(snow["probes"]["moment"], largest[5], 1e-9)
        self.assert_close(wind["probes"]["thrust"], -4000, 1e-9)
        self.assert_close(wind["probes"]["foot"], -2 * 1e3 * height * height / 2 / span, 1e-9)
        ultimate = outcome.report["combinations"]["ultimate"]["probes"]["thrust"]
        self.assert_close(ultimate, 1.5 * snow["probes"]["thrust"] + 1.35 * cases["weight"]["probes"]["thrust"] - 0.9 * 4000, 1e-9)

    def test_roof(self):
        """Scordelis and Lo, as MacNeal and Harder quote them: 0.3024."""
        outcome = self.solve("ritz-structure", example("structure/roof"))
        self.assert_close(outcome.probes["deflection"], -0.3024, 0.01)
        self.assert_close(outcome.fact("reaction")[2], 90 * 25 * 25 * math.radians(40), 1e-4)

    def test_the_tools_read_shells_in_space(self):
        """The roof, an eighth of a circle over 25 m: its area, halved cells, another format; a plane in x-z, too."""
        def tool(*words):
            process = subprocess.run([str(word) for word in (BIN / "ritz", "mesh", *words)], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(process.returncode, 0, process.stderr)
            return process.stdout

        roof = example("structure/roof").parent / "roof.msh"
        info = json.loads(tool("info", roof, "--json"))
        self.assert_close(info["area"], 50 * 25 * math.radians(40) / 2, 1e-3)
        self.assertEqual(info["quality"]["poor_cells"], 0)
        self.assertIn("read as shells", info["notices"][0])
        tool("check", roof)
        tool("convert", roof, "roof.inp")
        tool("refine", roof, "fine.msh")
        fine = json.loads(tool("info", "fine.msh", "--json"))
        self.assertEqual(fine["cells_by_kind"], {"line2": 2 * 72, "quad4": 4 * 576})
        self.assertLessEqual({each["name"] for each in info["regions"]}, {each["name"] for each in fine["regions"]})
        points = [(x, 0, z) for z in (0, 1) for x in (0, 1)]
        self.write("wall.msh", boxes.msh(points, [(3, 1, [1, 2, 4, 3])], [(2, "wall")]))
        self.assert_close(json.loads(tool("info", "wall.msh", "--json"))["area"], 1, 1e-12)

    def test_pressure_on_shells_that_look_to_opposite_sides(self):
        """Half of it would have pulled: the loads were in balance without a word. A load with a direction is none of that."""
        points = [(x, y, 0) for y in (0, 1) for x in (0, 1, 2)]
        quads = lambda second: [(3, 1, [1, 2, 5, 4]), (3, 1, second), (1, 2, [1, 4])]
        groups = [(2, "slab"), (1, "edge")]
        model = ('[mesh]\nfile = "slab.msh"\n[[section]]\nregion = "slab"\nelement = "shell"\nyoung = 1e9\npoisson = 0\nthickness = 0.1\n'
                 '[[support]]\nregion = "edge"\nfixed = true\n')
        pressure, load = '[[pressure]]\nregion = "slab"\nvalue = 10\n', '[[surface_load]]\nregion = "slab"\nvalue = [0, 0, -10]\n'
        self.write("slab.msh", boxes.msh(points, quads([5, 6, 3, 2]), groups))
        outcome = self.run_case("ritz-structure", self.write("slab.toml", model + pressure))
        self.assertEqual(outcome.exit, 2, outcome.log + outcome.errors)
        self.assertIn("the normals of 'slab' look to opposite sides at 1 edges, first between cells 1 and 2", outcome.errors)
        told = self.solve("ritz-structure", self.write("slab.toml", model + load))
        self.assertTrue(any("normals of shells look to opposite sides" in notice for notice in told.report["notices"]))
        self.write("slab.msh", boxes.msh(points, quads([2, 3, 6, 5]), groups))
        same = self.solve("ritz-structure", self.write("slab.toml", model + pressure))
        self.assert_close(same.fact("reaction")[2], 20, 1e-6)
        self.assertFalse(any("opposite sides" in notice for notice in same.report["notices"]))

    def test_roof_of_triangles_and_quadrilaterals(self):
        """The same, half of it triangles. Weight as gravity on the triangles and as a load on the others."""
        n, radius, angle = 24, 25, math.radians(40)
        points = [(radius * math.sin(angle * i / n), 25 * j / n, radius * math.cos(angle * i / n)) for j in range(n + 1) for i in range(n + 1)]
        node = lambda i, j: 1 + j * (n + 1) + i
        elements = []
        for j in range(n):
            for i in range(n):
                a, b, c, d = node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)
                elements += [(3, 2, [a, b, c, d])] if i < n // 2 else [(2, 1, [a, b, c]), (2, 1, [a, c, d])]
        sides = {"end": lambda k: (node(k, n), node(k + 1, n)), "middle": lambda k: (node(k, 0), node(k + 1, 0)),
                 "crown": lambda k: (node(0, k), node(0, k + 1)), "free edge": lambda k: (node(n, k), node(n, k + 1))}
        for group, side in enumerate(sides.values(), 3):
            elements += [(1, group, list(side(k))) for k in range(n)]
        self.write("roof.msh", boxes.msh(points, elements, [(2, "triangles"), (2, "quadrilaterals"), *((1, name) for name in sides)]))
        steel = "young = 4.32e8\npoisson = 0\nthickness = 0.25\n"
        case = self.write("roof.toml", f"""[mesh]
file = "roof.msh"
[[section]]
region = "triangles"
element = "shell3"
density = 360
{steel}
[[section]]
region = "quadrilaterals"
element = "shell"
density = 0
{steel}
[gravity]
acceleration = [0, 0, -1]
[[surface_load]]
region = "quadrilaterals"
value = [0, 0, -90]
[[support]]
region = "end"
x = 0
z = 0
[[support]]
region = "middle"
y = 0
rx = 0
rz = 0
[[support]]
region = "crown"
x = 0
ry = 0
rz = 0
[[probe]]
name = "deflection"
field = "displacement"
component = "z"
point = [{radius * math.sin(angle)!r}, 0, {radius * math.cos(angle)!r}]
""")
        outcome = self.solve("ritz-structure", case)
        self.assert_close(outcome.probes["deflection"], -0.3024, 0.025)
        self.assert_close(outcome.fact("reaction")[2], 90 * 25 * 25 * angle, 1e-3)

    def test_elements_of_ones_own(self):
        """Two bars of Green's strain: P = E A / L^3 (w^2 - 2 h w)(w - h)."""
        outcome = self.solve("ritz-structure", example("custom_truss/truss"))
        w = -outcome.probes["apex"]
        self.assert_close(1e6 / 1.09**1.5 * (w * w - 0.6 * w) * (w - 0.3), 8700, 1e-7)
        self.assertGreater(int(outcome.report["facts"]["newton_steps"]), 3)


    def test_an_element_of_ones_own_on_one_node(self):
        """The truss's apex on a pad that stiffens and only pushes: the force of bars and pad is the load."""
        shutil.copytree(example("custom_truss/truss").parent, self.folder / "mine")
        source = self.folder / "mine/truss.cpp"
        source.write_text(source.read_text() + """
struct Pad {
  static constexpr const char* name = "pad";
  static constexpr auto cell = ritz::CellKind::vertex1;
  static constexpr int components = 3;
  double stiffness;
  static constexpr ritz::Parameter<Pad> parameters[] = {{&Pad::stiffness, {.name = "cubic", .unit = "N/m^3", .above = 0}}};
  template <class X, class T>
  constexpr void residual(const X (&)[1][3], const T (&u)[1][3], T (&r)[1][3]) const {
    using ritz::select;
    r[0][2] = select(-u[0][2], stiffness * u[0][2] * u[0][2] * u[0][2], 0.0);
  }
};
const ritz::AddWholeElement<Pad> pad;
""")
        case = self.folder / "mine/truss.toml"
        case.write_text(case.read_text() + '[[spring]]\nregion = "apex"\nelement = "pad"\ncubic = 4e6\n')
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")}):
            w = -self.solve("ritz-structure", case).probes["apex"]
            self.assert_close(1e6 / 1.09**1.5 * (w * w - 0.6 * w) * (w - 0.3) + 4e6 * w**3, 8700, 1e-7)
            for keys, phrase in (({"spring.0.element": '"large_bar"'}, "there is no element of one node 'large_bar'"), ({"section.0.element": '"pad"'}, "'section.0.element' is"),
                                 ({"spring.0.cubic": -1}, "above 0")):
                outcome = self.run_case("ritz-structure", case, keys=keys)
                self.assertNotEqual(outcome.exit, 0)
                self.assertIn(phrase, outcome.errors)


class Frames(Structure):
    def test_beam_on_a_hanger(self):
        case = self.frame(BEAM, BAR, FOOT, TOP, PULL, TIP)
        beam, bar = 3 * E * I / 4**3, E * A / 3
        outcome = self.solve("ritz-structure", case)
        self.assert_close(outcome.probes["tip"], -1000 / (beam + bar), 1e-9)
        for method in ("direct", "cg"):
            self.assert_close(self.solve("ritz-structure", case, keys={"solver.method": f'"{method}"', "solver.tolerance": 1e-10}).probes["tip"],
                              outcome.probes["tip"], 1e-7)

    def test_section_forces_are_looked_at_where_they_are(self):
        """Of the beam and its hanger "all" is that of the beam; the other has none. Lengths and areas are not added."""
        probe = '[[probe]]\nname = "{}"\nfield = "{}"\nregion = "{}"\nmeasure = "{}"\n'
        pressed = PULL.replace("-1000", "1000")  # N = -F in the hanger
        bar = 1000 * (E * A / 3) / (3 * E * I / 4**3 + E * A / 3)
        outcome = self.solve("ritz-structure", self.frame(BEAM, BAR, FOOT, TOP, pressed, probe.format("max", "bar_force", "all", "max"), probe.format("mean", "bar_force", "all", "mean")))
        self.assert_close(outcome.probes["max"], -bar, 1e-9)
        self.assert_close(outcome.probes["mean"], -bar, 1e-9)
        self.refuse(2, BEAM, BAR, FOOT, TOP, pressed, probe.format("none", "beam_force", "hanger", "max"), says=["the field 'beam_force' has no values in 'hanger'"])
        point = '[[probe]]\nname = "p"\nfield = "beam_force"\npoint = [4, 0, 1.5]\n'
        self.refuse(2, BEAM, BAR, FOOT, TOP, pressed, point, says=["the field 'beam_force' has no values in cell 2, at the point"])

    def test_shells_with_beams(self):
        """A strip and two beams along its sides bend together, and are checked together: E I adds."""
        count, length, width = 8, 2, 0.1
        points = [(length * i / count, y, 0) for y in (0, width) for i in range(count + 1)]
        side = lambda j, i: 1 + j * (count + 1) + i
        cells = [(3, 1, [side(0, i), side(0, i + 1), side(1, i + 1), side(1, i)]) for i in range(count)] + [(1, 2, [side(j, i), side(j, i + 1)]) for j in (0, 1) for i in range(count)]
        ends = [(15, 3, [side(j, 0)]) for j in (0, 1)] + [(15, 4, [side(j, count)]) for j in (0, 1)]
        self.write("stiff.msh", boxes.msh(points, cells + ends, [(2, "strip"), (1, "ribs"), (0, "foot"), (0, "tip")]))
        shell = '[[section]]\nregion = "strip"\nelement = "shell"\nyoung = 1e9\npoisson = 0\nthickness = 0.01\n'
        beam = '[[section]]\nregion = "ribs"\nelement = "beam"\nyoung = 2e9\npoisson = 0\nprofile = "rectangle"\nheight = 0.012\nwidth = 0.004\n'
        case = self.write("case.toml", '[mesh]\nfile = "stiff.msh"\n' + shell + beam + FOOT + '[[force]]\nregion = "tip"\nvalue = [0, 0, 0.05]\n' + TIP)
        self.assertEqual(self.run_case("ritz-structure", case, "--check").exit, 0)
        stiffness = 1e9 * width * 0.01**3 / 12 + 2 * 2e9 * 0.004 * 0.012**3 / 12
        self.assert_close(self.solve("ritz-structure", case).probes["tip"], 0.05 * length**3 / (3 * stiffness), 5e-3)
        mixed = self.write("mixed.toml", case.read_text() + '[[probe]]\nname = "m"\nfield = "displacement"\nregion = "all"\nmeasure = "mean"\n')
        outcome = self.run_case("ritz-structure", mixed)
        self.assertEqual(outcome.exit, 2)
        self.assertIn("'all' holds lines and surfaces", outcome.errors)

    def test_bars_on_one_line(self):
        """Two bars between walls: nothing turns about their line, and what holds them across it is enough; without it they are a mechanism."""
        for direction in ((1, 0, 0), (1, 2, -2)):
            length = math.dist(direction, (0, 0, 0))
            points = [tuple(k * d for d in direction) for k in range(3)]
            self.write("line.msh", boxes.msh(points, [(1, 1, [1, 2]), (1, 1, [2, 3]), (15, 2, [1]), (15, 2, [3]), (15, 3, [2])], [(1, "hanger"), (0, "foot"), (0, "tip")]))
            case = '[mesh]\nfile = "line.msh"\n' + BAR + FOOT.replace("fixed", "pinned") + f'[[force]]\nregion = "tip"\nvalue = {[1e3 * d / length for d in direction]}\n'
            held = '[[spring]]\nregion = "tip"\nstiffness = [1e3, 1e3, 1e3]\n' if direction[1] else '[[support]]\nregion = "tip"\ny = 0\nz = 0\n'
            probe = TIP.replace('"z"', '"magnitude"')
            stiffness = 2 * E * A / length + (1e3 if direction[1] else 0)
            self.assert_close(self.solve("ritz-structure", self.write("case.toml", case + held + probe)).probes["tip"], 1e3 / stiffness, 1e-9)
            self.assertEqual(self.run_case("ritz-structure", self.write("case.toml", case)).exit, 4)

    def test_linear_models_follow_a_path_of_loads(self):
        """Displacements and section forces are those of the part of the loads that acts at the end, those inside of loaded beams included."""
        load = '[[line_load]]\nregion = "beam"\nvalue = [0, 0, -100]\n'
        root = '[[probe]]\nname = "root"\nfield = "beam_force"\ncomponent = "{}"\nregion = "beam"\nmeasure = "{}"\n'
        for path, part in (("[1]", 1), ("[0.5]", 0.5), ("[1, 0.25]", 0.25), ("[1, 0, -2]", -2)):
            for write in ("last", "increments"):
                case = self.frame(BEAM, FOOT, load, TIP, root.format("Mz_1", "min" if part > 0 else "max"), root.format("Vy_1", "min" if part > 0 else "max").replace("root", "shear", 1),
                                  f'[newton]\npath = {path}\nincrements = 2\nwrite = "{write}"\n')
                outcome = self.solve("ritz-structure", case)
                self.assert_close(outcome.probes["tip"], part * -100 * 4**4 / (8 * E * I), 1e-7)
                self.assert_close(abs(outcome.probes["root"]), abs(part) * 100 * 4**2 / 2, 1e-7)
                self.assert_close(abs(outcome.probes["shear"]), abs(part) * 100 * 4, 1e-7)
        self.assertLess(abs(self.solve("ritz-structure", self.frame(BEAM, FOOT, load, TIP, "[newton]\npath = [1, 0]\n")).probes["tip"]), 1e-12)
        case = '[[load_case]]\nname = "a"\n' + load.replace("[[", "[[load_case.") + "[newton]\npath = [0.5]\n"
        self.refuse(4, BEAM, FOOT, case, says=["load cases along a path of [newton]"])

    def test_own_weight(self):
        """q L^4 / (8 E I) at the tip; the hanger is a line without a section and weighs nothing."""
        outcome = self.solve("ritz-structure", self.frame(BEAM, FOOT, "[gravity]\nacceleration = [0, 0, -10]\n", TIP))
        self.assertIn("1 line cells have no section", outcome.log)
        self.assert_close(outcome.probes["tip"], -8000 * 3e-3 * 10 * 4**4 / (8 * E * I), 1e-9)
        largest = outcome.fact("largest_beam_force")
        self.assert_close(largest[5], 8000 * 3e-3 * 10 * 4**2 / 2, 1e-9)  # q L^2 / 2 at the clamp

    def test_weight_of_a_beam_beside_its_nodes(self):
        """Its axis bends as ever; the node below it moves back by its arm, and the clamp holds the moment of the weight beside it."""
        probe = '[[probe]]\nname = "{}"\nregion = "{}"\nmeasure = "{}"\nfield = "{}"\ncomponent = "x"\n'
        probes = probe.format("back", "tip", "mean", "displacement") + probe.format("moment", "foot", "reaction", "reaction_moment")
        beside = "offset_y = 0.2\noffset_z = 0.1\n"  # local z is -y
        outcome = self.solve("ritz-structure", self.frame(BEAM, beside, FOOT, "[gravity]\nacceleration = [0, 0, -10]\n", TIP, probes))
        weight = 8000 * 3e-3 * 10
        self.assert_close(outcome.probes["tip"], -weight * 4**4 / (8 * E * I), 1e-9)
        self.assert_close(outcome.probes["back"], -0.2 * weight * 4**3 / (6 * E * I), 1e-9)
        self.assert_close(outcome.probes["moment"], -0.1 * weight * 4, 1e-9)
        self.assert_close(outcome.fact("largest_beam_force")[5], weight * 4**2 / 2, 1e-9)

    def test_a_beam_beside_its_nodes_vibrates_as_ever(self):
        modal = "[modal]\ncount = 4\n"
        plain, beside = (self.solve("ritz-modal", self.frame(BEAM, more, FOOT, modal)).fact("frequencies_hz")
                         for more in ("", "offset_y = 0.2\noffset_z = 0.1\n"))
        for one, other in zip(plain, beside, strict=True):
            self.assert_close(other, one, 1e-8)

    def test_spring_and_moved_support(self):
        spring = '[[spring]]\nregion = "tip"\nstiffness = [0, 0, 1e6]\n'
        held = '[[probe]]\nname = "held"\nfield = "reaction"\ncomponent = "z"\nregion = "{}"\nmeasure = "reaction"\n'
        ground = held.format("tip") + held.format("foot").replace('"held"', '"foot"')
        outcome = self.solve("ritz-structure", self.frame(BEAM, FOOT, spring, PULL, TIP, ground))
        tip = -1000 / (3 * E * I / 4**3 + 1e6)
        self.assert_close(outcome.probes["tip"], tip, 1e-9)
        self.assert_close(outcome.probes["held"], -1e6 * tip, 1e-9)  # what the ground does through the spring
        self.assert_close(outcome.probes["foot"], 1000 + 1e6 * tip, 1e-9)
        self.assert_close(outcome.fact("reaction")[2], 1000, 1e-9)
        moved = self.frame(BEAM, FOOT, spring, '[[support]]\nregion = "tip"\nz = 0.01\n')
        outcome = self.solve("ritz-structure", moved)
        self.assertLess(max(abs(outcome.fact("applied_load")[2]), abs(outcome.fact("reaction")[2])), 1e-6)  # the spring's force is the ground's, and no load
        outcome = self.solve("ritz-structure", self.frame(BEAM, FOOT.replace("fixed = true", "pinned = true\nrx = 0\nrz = 0\nry = 0.01"), TIP))
        self.assert_close(outcome.probes["tip"], -0.04, 1e-9)  # a rigid turn

    def test_profiles(self):
        beam = BEAM[:BEAM.index("area")]
        for profile, inertia, k_area in (
                ("rectangle\"\nwidth = 0.1\nheight = 0.2", 0.1 * 0.2**3 / 12, 0.02 * 13 / (12 + 3.3)),
                ("circle\"\ndiameter = 0.1", math.pi / 64 * 1e-4, math.pi / 4 * 1e-2 * 7.8 / 8.8)):
            outcome = self.solve("ritz-structure", self.frame(beam, f'profile = "{profile}\n', FOOT, PULL, TIP))
            self.assert_close(outcome.probes["tip"], -1000 * (4**3 / (3 * E * inertia) + 4 / (E / 2.6 * k_area)), 1e-9)


    def compliances(self, profile, poisson):
        """Of the cantilever under 1 N along global z (local y), under 1 N along global y (local z), and under 1 Nm about its axis."""
        answers = []
        for load, field, component in (("value = [0, 0, 1]", "displacement", "z"), ("value = [0, 1, 0]", "displacement", "y"),
                                       ("moment = [1, 0, 0]", "rotation", "x")):
            beam = f'[[section]]\nregion = "beam"\nelement = "beam"\nyoung = {E}\npoisson = {poisson}\nprofile = {profile}\n'
            probe = f'[[probe]]\nname = "tip"\nregion = "tip"\nmeasure = "mean"\nfield = "{field}"\ncomponent = "{component}"\n'
            answers.append(self.solve("ritz-structure", self.frame(beam, FOOT, f'[[force]]\nregion = "tip"\n{load}\n', probe)).probes["tip"])
        return answers

    def test_i_profiles_bend_both_ways(self):
        """Timoshenko's cantilever. Upwards the web takes the shear, between the middles of the flanges; sideways each flange is a rectangle, with 5/6
        of its area. Torsion: the sum of thin strips."""
        H, b, t, w, L = 0.3, 0.2, 0.04, 0.01, 4
        upwards, sideways, twist = self.compliances(f'"i"\nheight = {H}\nwidth = {b}\nflange = {t}\nweb = {w}', 0)
        G = E / 2
        inertia = 2 * (b * t**3 / 12 + b * t * ((H - t) / 2)**2) + w * (H - 2 * t)**3 / 12
        self.assert_close(upwards, L**3 / (3 * E * inertia) + L / (G * w * (H - t)), 1e-9)
        self.assert_close(sideways, L**3 / (3 * E * (2 * t * b**3 + (H - 2 * t) * w**3) / 12) + L / (G * 5 / 6 * 2 * b * t), 1e-9)
        self.assert_close(twist, L / (G * (2 * b * t**3 + (H - 2 * t) * w**3) / 3), 1e-9)

    def test_boxes_and_tubes_twist_by_bredts_formula(self):
        """4 A^2 / (sum of length / thickness) of the middle line; a round tube's is its polar moment."""
        b, h, t, L, G = 0.2, 0.1, 0.004, 4, E / 2.6
        torsion = 4 * ((b - t) * (h - t))**2 / (2 * (b - t + h - t) / t)
        self.assert_close(self.compliances(f'"box"\nheight = {h}\nwidth = {b}\nwall = {t}', 0.3)[2], L / (G * torsion), 1e-9)
        outer, inner = 0.1, 0.07
        polar = math.pi / 32 * (outer**4 - inner**4)
        self.assert_close(self.compliances(f'"tube"\ndiameter = {outer}\nwall = {(outer - inner) / 2}', 0.3)[2], L / (G * polar), 1e-9)

    def test_rectangles_twist_as_saint_venant_has_it(self):
        """His series (Timoshenko and Goodier, Theory of Elasticity, section 109). The formula of Roark is within 0.5 % of it, for these sides within 0.2 %."""
        for long, short in ((0.1, 0.1), (0.2, 0.1), (0.3, 0.1), (1.0, 0.1)):
            series = sum(math.tanh(n * math.pi * long / (2 * short)) / n**5 for n in range(1, 200, 2))
            torsion = long * short**3 * (1 / 3 - 64 / math.pi**5 * short / long * series)
            for height, width in ((long, short), (short, long)):
                twist = self.compliances(f'"rectangle"\nheight = {height}\nwidth = {width}', 0.3)[2]
                self.assert_close(twist, 4 / (E / 2.6 * torsion), 0.002)


class SectionForces(Structure):
    def test_both_ends_of_each_beam_carry_what_hangs_beyond_them(self):
        """A cantilever under a line load q: force q (L - s) and moment x cross q, (L - s)^2 / 2, at every end of an element, along all local axes."""
        qx, qy, qz = 40, 70, -30  # global; local x, y, z are x, z, -y here, or x, y, z
        load = f'[[line_load]]\nregion = "beam"\nvalue = [{qx}, {qy}, {qz}]\n'
        for orientation, (local_y, local_z) in (("", (qz, -qy)), ("orientation = [0, 1, 0]\n", (qy, qz)), ("orientation = [0, 0, -1]\n", (-qz, qy)),
                                                ("orientation = [0, -1, 0]\n", (-qy, -qz))):
            outcome = self.solve("ritz-structure", self.frame(BEAM, orientation, FOOT, load, TIP))
            forces = vtu.read(outcome.results())["CellData"]["beam_force"]
            for cell in (0, 1):
                for end in (0, 1):
                    rest = 4 - 2 * cell - 2 * end
                    expected = [qx * rest, local_y * rest, local_z * rest, 0, -local_z * rest**2 / 2, local_y * rest**2 / 2]
                    for name, value, reference in zip(("N", "Vy", "Vz", "T", "My", "Mz"), forces[12 * cell + 6 * end:], expected):
                        self.assertLess(abs(value - reference), 1e-6, f"{name}_{end + 1} of cell {cell}, {orientation}")


class Refusals(Structure):
    def test_what_can_move(self):
        self.refuse(4, BEAM, FOOT.replace("fixed", "pinned"), PULL, says=["can still move freely", "rotation about the axis"])

    def test_moments_on_bars(self):
        self.refuse(4, BEAM, BAR, FOOT, TOP, '[[force]]\nregion = "top"\nmoment = [1, 0, 0]\n', says=["has no rotations"])

    def test_a_spring_without_stiffness(self):
        self.refuse(2, BEAM, FOOT, '[[spring]]\nregion = "tip"\n', says=["this spring has no stiffness", "N/m"])

    def test_loads_where_nothing_stands(self):
        self.refuse(4, BEAM, FOOT, '[[force]]\nregion = "top"\nvalue = [1, 0, 0]\n', says=["belongs to no section"])

    def test_two_sections(self):
        self.refuse(4, BEAM, BEAM, FOOT, PULL, says=["2 cells have two sections"])

    def test_a_line_that_stands_twice_in_its_section_is_no_stiffer_beam(self):
        """Files of other writers hold a line once for each group. Two sections on copies are two members side by side."""
        twice = FRAME.replace("$PhysicalNames\n5", "$PhysicalNames\n6").replace('0 5 "top"\n', '0 5 "top"\n1 6 "steel"\n')
        twice = twice.replace("$Elements\n6", "$Elements\n8").replace("$EndElements", "7 1 2 6 6 2 1\n8 1 2 6 6 2 3\n$EndElements")
        both = '[[region]]\nname = "both"\nunion = ["beam", "steel"]\n'
        self.write("frame.msh", twice)
        case = self.write("case.toml", '[mesh]\nfile = "frame.msh"\n' + BEAM.replace('"beam"', '"both"', 1) + FOOT + PULL + both)
        outcome = self.run_case("ritz-structure", case, "--check")
        self.assertEqual((outcome.exit, outcome.report["errors"][0]["kind"]), (4, "repeated-members"), outcome.errors)
        self.assertIn("2 of the 4 cells of 'both' have the nodes of another cell; the first, cell 3, repeats cell 0", outcome.errors)
        tips = []
        for sections in (BEAM, BEAM + BEAM.replace('"beam"', '"steel"', 1)):
            case = self.write("case.toml", '[mesh]\nfile = "frame.msh"\n' + sections + FOOT + PULL + TIP)
            tips.append(self.run_case("ritz-structure", case).probes["tip"])
        self.assert_close(tips[0], 2 * tips[1], 1e-9)

    def test_a_line_that_lies_on_a_beam_loads_the_beam(self):
        """Clamped, 2 m and 2 m long: q L^4 / 8 EI and the shear force q L at the foot."""
        lines = FRAME.replace("0 5 \"top\"\n", "0 5 \"top\"\n1 6 \"loaded\"\n").replace("$PhysicalNames\n5", "$PhysicalNames\n6")
        lines = lines.replace("$Elements\n6", "$Elements\n8").replace("$EndElements", "7 1 2 6 6 2 1\n8 1 2 6 6 2 3\n$EndElements")
        shear = '[[probe]]\nname = "shear"\nregion = "beam"\nmeasure = "max"\nfield = "beam_force"\ncomponent = "all"\n'
        found = []
        for region in ("beam", "loaded"):
            self.write("frame.msh", lines)
            case = self.write("case.toml", '[mesh]\nfile = "frame.msh"\n' + BEAM + FOOT + TIP + shear + f'[[line_load]]\nregion = "{region}"\nvalue = [0, 0, -1000]\n')
            found.append(self.solve("ritz-structure", case).probes)
        self.assertLess(found[0]["tip"], 0)
        self.assert_close(found[1]["tip"], found[0]["tip"], 1e-12)
        self.assertEqual(found[1]["shear"], found[0]["shear"])

    def test_offsets_of_a_nastran_deck_are_those_of_the_section_or_an_error(self):
        """A cantilever pulled at a distance e from its nodes bends by F e L^2 / (2 E I)."""
        young, force, e, size = 1e11, 30000, 0.1, 0.1
        self.write("bar.bdf", "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\n"
                   f"CBAR,1,1,1,2,0.,1.,0.,,+\n+,,,0.,{e},0.,0.,{e},0.\nENDDATA\n")
        sides = "".join(f'[[region]]\nname = "{name}"\nkind = "nodes"\n'
                        f'plane = {{point = [{x}, 0, 0], normal = [1, 0, 0]}}\n' for name, x in (("root", 0), ("tip", 1)))
        case = lambda keys: self.write("case.toml", f"""[mesh]
file = "bar.bdf"
[[section]]
region = "curve_1"
element = "beam"
young = {young}
poisson = 0
profile = "rectangle"
height = {size}
width = {size}
{keys}
{sides}[[support]]
region = "root"
fixed = true
[[force]]
region = "tip"
value = [{force}, 0, 0]
[[probe]]
name = "u"
field = "displacement"
component = "y"
region = "tip"
measure = "mean"
""")
        refused = self.run_case("ritz-structure", case(""))
        self.assertEqual(refused.exit, 4, refused.errors)
        for text in ("orientation (X1, X2, X3 or G0) of 1 CBAR are not read", "CBAR 1 in line 4 of", "offsets (W1A",
                     "give offset_y and offset_z in each [[section]]"):
            self.assertIn(text, refused.errors)
        half = self.run_case("ritz-structure", case("orientation = [0, 1, 0]"))
        self.assertEqual((half.exit, half.errors.count("error:")), (4, 1), half.errors)
        bent = self.run_case("ritz-structure", case(f"orientation = [0, 1, 0]\noffset_y = {e}"))
        self.assertEqual(bent.exit, 0, bent.errors)
        self.assert_close(abs(bent.probes["u"]), force * e / (2 * young * size**4 / 12), 1e-9)

    def test_beams_along_their_orientation(self):
        self.refuse(4, BEAM, "orientation = [2, 0, 0]\n", FOOT, PULL, says=["runs along its orientation"])

    def test_elements_on_other_cells(self):
        shell = '[[section]]\nregion = "beam"\nelement = "shell"\nyoung = 1\npoisson = 0\nthickness = 1\n'
        self.refuse(4, shell, FOOT, says=["stands on cells of kind quad4"])

    def test_unknown_elements_and_keys(self):
        self.refuse(2, BEAM.replace('"beam"\ny', '"baem"\ny'), FOOT, says=["baem", "beam"])
        self.refuse(2, BEAM, "thikness = 1\n", FOOT, says=["thikness"])
        far = self.run_case("ritz-structure", self.frame(BEAM.replace('"beam"\ny', '"gadget"\ny'), FOOT, PULL))
        self.assertEqual((far.exit, far.errors.count("error:")), (2, 1), far.errors)  # what the other keys mean nobody knows
        self.assertIn("'bar', 'beam', 'shell', 'shell3' and 'spring'", far.errors)
        lacking = self.run_case("ritz-structure", self.frame(BEAM.replace(f"poisson = {NU}\n", ""), FOOT, PULL))
        self.assertEqual((lacking.exit, lacking.errors.count("error:")), (2, 1), lacking.errors)

    def test_missing_density(self):
        self.refuse(2, BEAM.replace("density = 8000\n", ""), FOOT, "[gravity]\nacceleration = [0, 0, -10]\n", says=["density"])


if __name__ == "__main__":
    unittest.main()
