"""Facts of statics that hold on any mesh: a total force is that in total, on curved facets, too, and its reactions with it; nothing
acts across the axis of a body of revolution, or on it."""
import math
import unittest

from boxes import cubes, grid, msh, square
from ritz import CaseTest

HEAD = '''[mesh]
file = "{mesh}"
[model]
type = "{kind}"
[[material]]
region = "ring"
young = 1e5
poisson = 0.3
density = 1
[[displacement]]
region = "foot"
y = 0
'''


class Unloaded(CaseTest):
    """A static model on which nothing acts stays at rest: an error, unless it is meant."""
    SOLID = '[mesh]\nfile = "{}"\n[[material]]\nregion = "a"\nyoung = 1e9\npoisson = 0.3\ndensity = 1000\nexpansion = 1e-5\n[[displacement]]\nregion = "a.x0"\nfixed = true\n'
    FRAME = ('[mesh]\nfile = "{}"\n[[section]]\nregion = "beam"\nelement = "beam"\nyoung = 2e11\npoisson = 0.3\nprofile = "rectangle"\nheight = 0.1\nwidth = 0.1\n'
             '[[support]]\nregion = "end"\nfixed = true\n')

    def cases(self):
        frame = msh([(0, 0, 0), (1, 0, 0)], [(1, 1, [1, 2]), (15, 2, [1]), (15, 3, [2])], [(1, "beam"), (0, "end"), (0, "tip")])
        return (("ritz-elasticity", self.SOLID.format(self.write("cube.msh", cubes(["a"])))), ("ritz-structure", self.FRAME.format(self.write("frame.msh", frame))))

    def test_nothing_acts(self):
        for program, text in self.cases():
            for arguments in ((), ("--check",)):
                outcome = self.run_case(program, self.write("case.toml", text), *arguments)
                self.assertEqual(outcome.exit, 4, outcome.log + outcome.errors)
                self.assertIn("nothing acts on the model", outcome.errors)
                self.assertIn("[[force]]", outcome.errors)
            outcome = self.solve(program, self.write("case.toml", "allow_unloaded = true\n" + text))
            self.assertIn("nothing acts on the model", outcome.report["notices"][0])

    def test_what_acts_may_be_any_load_or_motion(self):
        (solid, solid_case), (structure, frame) = self.cases()
        for program, text, loads in ((solid, solid_case, ('[[traction]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n', '[gravity]\nacceleration = [0, 0, -9.81]\n', '[thermal]\ntemperature = 30\nreference = 20\n',
                                                          '[[displacement]]\nregion = "a.x1"\nx = 0.001\n', '[[load_case]]\nname = "one"\n[[load_case.pressure]]\nregion = "a.x1"\nvalue = 1\n')),
                                     (structure, frame, ('[[force]]\nregion = "tip"\nvalue = [0, 0, 1]\n', '[[support]]\nregion = "tip"\nz = 0.01\n'))):
            for load in loads:
                outcome = self.solve(program, self.write("case.toml", text + load))
                self.assertNotIn("zero", " ".join(outcome.report["notices"]))

    def test_loads_of_zero_are_told(self):
        (program, text), _ = self.cases()
        outcome = self.solve(program, self.write("case.toml", text + '[[traction]]\nregion = "a.x1"\nvalue = [0, 0, 0]\n'))
        self.assertIn("the solution is zero everywhere: what acts on the model is zero", outcome.report["notices"])
        two = "".join(f'[[load_case]]\nname = "{name}"\n[[load_case.pressure]]\nregion = "a.x1"\nvalue = {value}\n' for name, value in (("some", 1), ("none", 0)))
        outcome = self.solve(program, self.write("case.toml", text + two))
        self.assertEqual([n for n in outcome.report["notices"] if "zero" in n], ["the solution of 'none' is zero everywhere: what acts in it is zero"])


class PlaceOfThePeak(CaseTest):
    """A stress that grows with every finer mesh is called so on every mesh."""

    def peak(self, times, extra, mesh=None):
        text = '[mesh]\nfile = "{}"\nrefine = {}\n[model]\ntype = "plane_stress"\n[[material]]\nregion = "all"\nyoung = 1e9\npoisson = 0.3\n'
        outcome = self.solve("ritz-elasticity", self.write("case.toml", text.format(self.write("plate.msh", mesh or grid(4)), times) + extra))
        return outcome.report["facts"].get("peak_stress_at", ""), " ".join(outcome.report["notices"])

    PULL = '[[traction]]\nregion = "right"\nvalue = [1e6, 0]\n'

    def test_the_end_of_a_clamp(self):
        for times in (0, 1, 2):
            place, notices = self.peak(times, self.PULL + '[[displacement]]\nregion = "left"\nfixed = true\n')
            self.assertEqual(place, "the end of a support")
            self.assertIn("the peak stress lies at the end of a support", notices)

    def test_planes_of_symmetry_are_not_sharp(self):
        place, notices = self.peak(1, self.PULL + '[[displacement]]\nregion = "left"\nx = 0\n[[displacement]]\nregion = "bottom"\ny = 0\n')
        self.assertEqual((place, "peak" in notices), ("", False))

    def test_a_uniform_stress_is_singular_nowhere(self):
        held = '[[displacement]]\nregion = "left"\nx = 0\n[[region]]\nname = "corner"\nkind = "nodes"\nbox = {low = [0, 0], high = [0, 0]}\n'
        place, notices = self.peak(1, self.PULL + held + '[[displacement]]\nregion = "corner"\nfixed = true\n')
        self.assertEqual((place, "peak" in notices), ("", False))

    def test_a_probe_of_values_in_cells_has_no_node(self):
        probe = '[[probe]]\nname = "most"\nfield = "stress"\ncomponent = "xx"\nregion = "all"\nvalues = "cells"\nmeasure = "max"\n'
        place, notices = self.peak(0, self.PULL + '[[displacement]]\nregion = "left"\nfixed = true\n' + probe)
        self.assertEqual((place, "'most'" in notices), ("the end of a support", False))

    def test_an_inner_corner(self):
        """An L of three squares, held where it does not peak."""
        points = [(x, y, 0) for y in (0, 1, 2) for x in (0, 1, 2)]
        corner = msh(points, [(3, 1, [1, 2, 5, 4]), (3, 1, [2, 3, 6, 5]), (3, 1, [4, 5, 8, 7]), (1, 2, [3, 6]), (1, 3, [7, 8]), (15, 4, [7])],
                     [(2, "all"), (1, "right"), (1, "top"), (0, "pin")])
        for times in (2, 3):
            place, _ = self.peak(times, self.PULL.replace("1e6, 0", "0, 1e6") + '[[displacement]]\nregion = "top"\ny = 0\n[[displacement]]\nregion = "pin"\nx = 0\n', corner)
            self.assertEqual(place, "a sharp inner edge", times)


class TotalForces(CaseTest):
    def setUp(self):
        super().setUp()
        self.mesh = self.write("ring.inp", self.quarter_ring())

    @staticmethod
    def quarter_ring(centre=1.5, cells=3):
        """Quadratic cells between quarters of circles of radius 1 and 2 about (centre, 0): facets "inside", "foot" (y = 0)."""
        nodes, number = [], {}
        for i in range(2 * cells + 1):
            for j in range(3):
                if i % 2 and j % 2:
                    continue
                angle, radius = 0.5 * math.pi * (i / (2 * cells)) ** 1.3, 1 + 0.5 * j
                nodes.append((centre + radius * math.cos(angle), radius * math.sin(angle)))
                number[i, j] = len(nodes)
        lines = ["*NODE"] + [f"{k}, {x!r}, {y!r}" for k, (x, y) in enumerate(nodes, 1)] + ["*ELEMENT, TYPE=CAX8, ELSET=ring"]
        for k in range(cells):
            corners = [(2 * k, 0), (2 * k, 2), (2 * k + 2, 2), (2 * k + 2, 0)]
            middles = [(2 * k, 1), (2 * k + 1, 2), (2 * k + 2, 1), (2 * k + 1, 0)]
            lines.append(f"{k + 1}, " + ", ".join(str(number[at]) for at in corners + middles))
        lines += ["*SURFACE, NAME=inside"] + [f"{k + 1}, S4" for k in range(cells)] + ["*SURFACE, NAME=foot", "1, S1"]
        return "\n".join(lines + [""])

    def outcome(self, kind, extra, run=None):
        return (run or self.solve)("ritz-elasticity", self.write("case.toml", HEAD.format(mesh=self.mesh, kind=kind) + extra))

    def test_a_total_force_is_the_reaction(self):
        for kind in ("plane_strain", "plane_stress", "axisymmetric"):
            for order in (0, 1, 3, 4):
                hold = "" if kind == "axisymmetric" else '[[displacement]]\nregion = "foot"\nx = 0\n'
                outcome = self.outcome(kind, hold + f'''[space]
order = {order}
[[force]]
region = "inside"
value = [0, 1000]
[[probe]]
name = "foot"
field = "reaction"
component = "y"
region = "foot"
measure = "reaction"
''')
                self.assert_close(outcome.probes["foot"], -1000, 1e-8)

    def test_a_power_is_the_heat_in_total(self):
        case = self.write("power.toml", f'''[mesh]
file = "{self.mesh}"
[[material]]
region = "ring"
conductivity = 2
[[power]]
region = "ring"
value = 7
[[power]]
region = "inside"
value = -3
[[temperature]]
region = "foot"
value = 1
''')
        for kind in ("plane", "axisymmetric"):
            for order in (0, 3):
                outcome = self.solve("ritz-heat", case, keys={"model.type": f'"{kind}"', "space.order": order, "solver.tolerance": 1e-12})
                self.assertAlmostEqual(outcome.fact("applied_load")[0], 4, delta=1e-9)
                self.assertAlmostEqual(outcome.fact("reaction")[0], -4, delta=1e-9)

    def test_nothing_acts_across_the_axis_of_a_body_of_revolution(self):
        for load, words in (("[gravity]\nacceleration = [1, 0]\n", "gravity across the axis"), ('[[force]]\nregion = "inside"\nvalue = [1, 0]\n', "a total force across the axis"),
                            ('[[load_case]]\nname = "a"\n[load_case.gravity]\nacceleration = [1, 1]\n', "gravity across the axis")):
            outcome = self.outcome("axisymmetric", load, self.run_case)
            self.assertEqual(outcome.exit, 2, outcome.errors)
            self.assertIn(words, outcome.errors)
        self.outcome("axisymmetric", "[gravity]\nacceleration = [0, -1]\n")

    def test_nothing_acts_on_the_axis(self):
        self.mesh = self.write("disc.msh", disc())
        text = HEAD.replace('"ring"', '"all"').replace('"foot"', '"bottom"')
        for load in ('[[force]]\nregion = "left"\nvalue = [0, 1]\n', '[[traction]]\nregion = "left"\nvalue = [0, 1]\n', '[[pressure]]\nregion = "left"\nvalue = 1\n'):
            outcome = self.run_case("ritz-elasticity", self.write("case.toml", text.format(mesh=self.mesh, kind="axisymmetric") + load))
            self.assertEqual(outcome.exit, 4, outcome.errors)
            self.assertIn("'left' lies on the axis of revolution", outcome.errors)
        heat = f'[mesh]\nfile = "{self.mesh}"\n[model]\ntype = "axisymmetric"\n[[material]]\nregion = "all"\nconductivity = 1\n[[temperature]]\nregion = "right"\nvalue = 0\n'
        for load in ('[[flux]]\nregion = "left"\nvalue = 1\n', '[[convection]]\nregion = "left"\ncoefficient = 1\nambient = 1\n'):
            outcome = self.run_case("ritz-heat", self.write("case.toml", heat + load))
            self.assertEqual(outcome.exit, 4, outcome.errors)
        solve = f'[mesh]\nfile = "{self.mesh}"\n[model]\nform = "axisymmetric_von_mises_plasticity"\n[[material]]\nregion = "all"\nyoung = 1\npoisson = 0.3\nyield_stress = 1\n[[prescribe]]\nregion = "right"\nvalue = 0\n'
        for load in ('[[load]]\nregion = "left"\nvalue = [0, 1]\n', '[[boundary]]\nregion = "left"\nform = "axisymmetric_pressure3"\npressure = 1\n'):
            outcome = self.run_case("ritz-solve", self.write("case.toml", solve + load))
            self.assertEqual(outcome.exit, 4, outcome.errors)

    def test_rounding_does_not_move_a_node_across_the_axis(self):
        """Meshers that turn a section leave x = -1e-17 on the axis."""
        text = HEAD.replace('"ring"', '"all"').replace('"foot"', '"bottom"') + '[[force]]\nregion = "top"\nvalue = [0, 1]\n[[probe]]\nname = "u"\nfield = "displacement"\ncomponent = "y"\nregion = "top"\nmeasure = "mean"\n'
        found = [self.solve("ritz-elasticity", self.write("case.toml", text.format(mesh=self.write(f"disc{x}.msh", disc(x)), kind="axisymmetric"))).probes["u"] for x in (0, -1e-17, 1e-17)]
        self.assert_close(found[1], found[0], 1e-9)
        self.assert_close(found[2], found[0], 1e-9)


CUBE = '''[mesh]
file = "cube.msh"
[[region]]
name = "tips"
kind = "nodes"
plane = {point = [1, 0, 0], normal = [1, 0, 0]}
[[material]]
region = "cube"
young = 1e5
poisson = 0.3
[[displacement]]
region = "cube.x0"
fixed = true
[[probe]]
name = "u"
field = "displacement"
region = "cube.x1"
measure = "mean"
component = "y"
[[force]]
'''


class ForcesOnSolids(CaseTest):
    """Forces at points of space and at nodes."""
    def loaded(self, force, run=None):
        self.write("cube.msh", cubes(["cube"]))
        return (run or self.solve)("ritz-elasticity", self.write("case.toml", CUBE + force))

    def test_a_force_beside_the_centre_and_its_moment_are_the_force_at_the_centre(self):
        plain = self.loaded('region = "cube.x1"\nvalue = [0, 10, 0]\n')
        # The centre is (1, 0.5, 0.5); (p - c) x F = (-0.5 * 10, 0, 1 * 10) for p = (2, 0.5, 1).
        moved = self.loaded('region = "cube.x1"\nvalue = [0, 10, 0]\nat = [2, 0.5, 1]\nmoment = [5, 0, -10]\n')
        self.assert_close(moved.probes["u"], plain.probes["u"], 1e-7)
        for outcome in (plain, moved):
            self.assertAlmostEqual(outcome.fact("reaction")[1], -10, delta=1e-6)
        longer = self.loaded('region = "cube.x1"\nvalue = [0, 10, 0]\nat = [2, 0.5, 0.5]\n')
        self.assertGreater(longer.probes["u"], 1.2 * plain.probes["u"])

    def test_forces_at_nodes_in_total_and_each(self):
        total = self.loaded('region = "tips"\nvalue = [0, 8, 0]\n')
        each = self.loaded('region = "tips"\nvalue = [0, 2, 0]\neach = true\n')
        self.assertAlmostEqual(total.fact("reaction")[1], -8, delta=1e-6)
        self.assert_close(each.probes["u"], total.probes["u"], 1e-7)

    def test_what_does_not_go_together_is_refused(self):
        for force, words in (('region = "cube.x1"\nvalue = [1, 0, 0]\neach = true\n', "a region of facets"), ('region = "tips"\nvalue = [1, 0, 0]\nmoment = [1, 0, 0]\n', "'tips' is a region of nodes")):
            outcome = self.loaded(force, self.run_case)
            self.assertEqual(outcome.exit, 2, outcome.errors)
            self.assertIn(words, outcome.errors)


class Paths(CaseTest):
    def test_a_linear_form_follows_the_path_of_its_loads(self):
        """A wall between 0 and 8 with a source: the middle is at 4 + s / (8 k), times the part that acts at the end."""
        self.write("wall.msh", square())
        for path, part in (("[1]", 1), ("[0.5]", 0.5), ("[1, -0.25]", -0.25)):
            outcome = self.solve("ritz-solve", self.write("case.toml", f'''[mesh]
file = "wall.msh"
order = 2
[model]
form = "diffusion2"
[[material]]
region = "all"
conductivity = 2
[[prescribe]]
region = "bottom"
value = 0
[[prescribe]]
region = "top"
value = 8
[[load]]
region = "all"
value = 16
[newton]
path = {path}
[[probe]]
name = "middle"
field = "temperature"
point = [0.5, 0.5]
'''))
            self.assert_close(outcome.probes["middle"], part * 5, 1e-9)


class Names(CaseTest):
    DECK = """*NODE
1, 0, 0
2, 1, 0
3, 1, 1
4, 0, 1
*ELEMENT, TYPE=CPS4, ELSET=plate
1, 1, 2, 3, 4
*SURFACE, NAME=foot
1, S1
*NSET, NSET=foot
{nodes}
*SURFACE, NAME=top
1, S3
"""

    def test_one_name_for_two_places_is_an_error(self):
        """A surface and a set of nodes that share a name may be the same place, and are else nothing to guess."""
        case = self.write("case.toml", HEAD.replace("ring", "plate").format(mesh="deck.inp", kind="plane_stress") + '[[displacement]]\nregion = "foot"\nx = 0\n[[traction]]\nregion = "top"\nvalue = [0, 1]\n')
        self.write("deck.inp", self.DECK.format(nodes="2, 1"))
        self.solve("ritz-elasticity", case)
        self.write("deck.inp", self.DECK.format(nodes="1, 4"))
        outcome = self.run_case("ritz-elasticity", case)
        self.assertEqual(outcome.exit, 2, outcome.errors)
        self.assertIn("names 'foot', which is a region of facets and one of nodes in other places", outcome.errors)


class Convections(CaseTest):
    def test_two_on_one_side_add_and_are_told(self):
        """A wall of resistance 1 / 2 from 0 to a side with h = 1 at 20 and h = 3 at 100: 4 (80 - T) = 2 T."""
        self.write("wall.msh", square())
        fluid = '[[convection]]\nregion = "top"\ncoefficient = {}\nambient = {}\n'
        head = '[mesh]\nfile = "wall.msh"\n[model]\ntype = "plane"\n[[material]]\nregion = "all"\nconductivity = 2\n[[temperature]]\nregion = "bottom"\nvalue = 0\n'
        probe = '[[probe]]\nname = "top"\nfield = "temperature"\nregion = "top"\nmeasure = "mean"\n'
        both = self.solve("ritz-heat", self.write("case.toml", head + fluid.format(1, 20) + fluid.format(3, 100) + probe))
        self.assert_close(both.probes["top"], 320 / 6, 1e-9)
        self.assertTrue(any("facets with more than one [[convection]]: 1;" in notice for notice in both.report["notices"]), both.report["notices"])
        one = self.solve("ritz-heat", self.write("case.toml", head + fluid.format(4, 80) + probe))
        self.assert_close(one.probes["top"], 320 / 6, 1e-9)
        self.assertEqual(one.report["notices"], [])


    def test_the_heat_of_each_fluid_is_told_and_all_heats_balance(self):
        """Against integrals of the temperature: on quarters of a ring, with a foot that is held, which the cooled inside touches."""
        self.write("ring.inp", TotalForces.quarter_ring())
        fluids = {"inside": (30, 20), "foot": (5, 70)}
        for kind in ("plane", "axisymmetric"):
            for order in (0, 3):
                case = f'''[mesh]
file = "ring.inp"
[model]
type = "{kind}"
[space]
order = {order}
[[material]]
region = "ring"
conductivity = 3
[[load_case]]
name = "hot"
source = [{{region = "ring", value = 500}}]
[[load_case]]
name = "warm"
source = [{{region = "ring", value = 200}}]
[[combination]]
name = "both"
factors = {{hot = 2, warm = -1}}
'''
                for region, (coefficient, ambient) in fluids.items():
                    case += f'[[convection]]\nregion = "{region}"\ncoefficient = {coefficient}\nambient = {ambient}\n'
                case += '[[temperature]]\nregion = "foot"\nvalue = 40\n'
                for region in ("inside", "foot", "ring"):
                    for measure in ("integral", "mean"):
                        case += f'[[probe]]\nname = "{region} {measure}"\nfield = "temperature"\nregion = "{region}"\nmeasure = "{measure}"\n'
                report = self.solve("ritz-heat", self.write("case.toml", case)).report
                for (name, part), source in zip((report["load_cases"] | report["combinations"]).items(), (500, 200, 800), strict=True):
                    with self.subTest(kind=kind, order=order, part=name):
                        probes = part["probes"]
                        size = {region: probes[f"{region} integral"] / probes[f"{region} mean"] for region in ("inside", "foot", "ring")}
                        (given,), (held,) = ([float(part["facts"][name])] for name in ("applied_load", "reaction"))
                        convected = [float(number) for number in part["facts"]["convection"].split()]
                        self.assert_close(given, source * size["ring"], 1e-9)
                        for heat, (region, (coefficient, ambient)) in zip(convected, fluids.items(), strict=True):
                            self.assert_close(heat, coefficient * (ambient * size[region] - probes[f"{region} integral"]), 1e-7)
                        self.assertLess(abs(given + held + sum(convected)), 1e-8 * abs(held))


def disc(axis=0):
    return square(((axis, 0), (1, 0), (1, 1), (axis, 1)))


if __name__ == "__main__":
    unittest.main()
