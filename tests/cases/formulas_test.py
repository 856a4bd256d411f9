"""Formulas and tables in case files: known solutions whose loads, prescribed values and materials are formulas converge with
the order of the elements; a formula that is constant gives what the number gives; what a formula cannot mean is an error."""
import math
import subprocess

from boxes import cubes, grid, square
from ritz import BIN, CaseTest

POINTS = [(0.37, 0.43), (0.71, 0.19), (0.13, 0.83), (0.58, 0.61), (0.91, 0.77)]


def probes(dimension, field):
    texts = []
    for i, (x, y) in enumerate(POINTS):
        point = [x, y, 0.29 + 0.07 * i][:dimension]
        texts.append(f'[[probe]]\nname = "p{i}"\nfield = "{field}"\npoint = {point}\n')
    return "".join(texts)


class FormulaTest(CaseTest):
    def meshes(self, text, count):
        """A coarse mesh and its refinements."""
        files = [self.write("m0.msh", text)]
        for i in range(1, count):
            files.append(self.folder / f"m{i}.msh")
            subprocess.run([BIN / "ritz", "mesh", "refine", files[-2], files[-1], "--force"], check=True, capture_output=True)
        return files

    def errors(self, program, meshes, case, dimension, field, exact):
        """Root mean squares over points that are no nodes."""
        result = []
        for mesh in meshes:
            text = f'[mesh]\nfile = "{mesh}"\norder = 2\n' + case + probes(dimension, field)
            outcome = self.solve(program, self.write("case.toml", text))
            squares = []
            for i, (x, y) in enumerate(POINTS):
                found = outcome.probes[f"p{i}"]
                expected = exact(x, y, 0.29 + 0.07 * i)
                for a, b in zip(found if isinstance(found, list) else [found], expected if isinstance(expected, (list, tuple)) else [expected]):
                    squares.append((a - b) ** 2)
            result.append(math.sqrt(sum(squares) / len(squares)))
        return result

    def assert_order(self, errors, order):
        """Order of the last halving of the cells; and the errors are small."""
        self.assertGreater(math.log2(errors[-2] / errors[-1]), order - 0.4, errors)
        self.assertLess(errors[-1], 2e-3)


class KnownSolutions(FormulaTest):
    """Quadratic elements: errors fall with the third power of the cells' size."""

    def test_heat_with_varying_conductivity_source_flux_and_fluid(self):
        # u = sin(pi x) e^y, k = 1 + x y; on the right k du/dn is a flux, on top it is h (ambient - u)
        case = '''[model]
type = "plane"
[[material]]
region = "all"
conductivity = "1 + x*y"
[[source]]
region = "all"
value = "-exp(y)*(pi*y*cos(pi*x) + x*sin(pi*x) + (1 + x*y)*(1 - pi^2)*sin(pi*x))"
[[temperature]]
region = "left"
value = "sin(pi*x)*exp(y)"
[[temperature]]
region = "bottom"
value = "sin(pi*x)*exp(y)"
[[flux]]
region = "right"
value = "(1 + x*y)*pi*cos(pi*x)*exp(y)"
[[convection]]
region = "top"
coefficient = "2 + x"
ambient = "sin(pi*x)*exp(y)*(1 + (1 + x*y)/(2 + x))"
'''
        errors = self.errors("ritz-heat", self.meshes(square(), 5), case, 2, "temperature", lambda x, y, z: math.sin(math.pi * x) * math.exp(y))
        self.assert_order(errors, 3)

    def test_axisymmetric_heat(self):
        # u = r^2 z, k = 1 + r: -1/r d/dr(r k 2 r z) = -(4 + 6 r) z, as k d2u/dz2 = 0
        case = '''[model]
type = "axisymmetric"
[[material]]
region = "all"
conductivity = "1 + x"
[[source]]
region = "all"
value = "-(4 + 6*x)*y"
[solver]
tolerance = 1e-12
''' + "".join(f'[[temperature]]\nregion = "{side}"\nvalue = "x^2*y"\n' for side in ("bottom", "right", "top"))
        errors = self.errors("ritz-heat", self.meshes(square(), 4), case, 2, "temperature", lambda x, y, z: x * x * y)
        self.assertLess(errors[-1], 1e-9)  # in the space of the elements

    def test_elasticity_of_solids_with_varying_modulus(self):
        # u = (x y, y z, z x) / 100: strains e = ((y, x/2, z/2), (x/2, z, y/2), (z/2, y/2, x)) / 100, lambda = mu = 1 + x for
        # poisson 1/4 and young 2.5 (1 + x): quadratic fields are in the space
        def force(divergence, gradient_part):
            return f"-0.01*({divergence} + {gradient_part})"
        # sigma = m (tr e I + 2 e), m = 1 + x; div sigma = m (grad tr e + 2 div e) + (dm/dx) (tr e e_x + 2 e e_x)
        # tr e = x + y + z; grad = (1, 1, 1); div e = (d/dx e_xx + d/dy e_xy + d/dz e_xz, ...) = (1/2, 1/2, 1/2)
        body = [force("(1 + x)*(1 + 2*0.5)", "(x + y + z) + 2*y"), force("(1 + x)*(1 + 2*0.5)", "x"), force("(1 + x)*(1 + 2*0.5)", "z")]
        case = f'''[[material]]
region = "a"
young = "2.5*(1 + x)"
poisson = 0.25
[[body_force]]
region = "a"
value = {body}
'''.replace("'", '"') + "".join(f'[[displacement]]\nregion = "a.{side}"\nx = "0.01*x*y"\ny = "0.01*y*z"\nz = "0.01*z*x"\n' for side in ("x0", "y0", "y1", "z0", "z1"))
        # on x = 1: sigma n = m (tr e + 2 e_xx, 2 e_xy, 2 e_xz)
        case += '[[traction]]\nregion = "a.x1"\nvalue = ["0.01*(1 + x)*(x + y + z + 2*y)", "0.01*(1 + x)*x", "0.01*(1 + x)*z"]\n'
        case += "[solver]\ntolerance = 1e-12\n"
        errors = self.errors("ritz-elasticity", self.meshes(cubes("a"), 2), case, 3, "displacement", lambda x, y, z: [0.01 * x * y, 0.01 * y * z, 0.01 * z * x])
        self.assertLess(errors[-1], 1e-11)

    def test_water_pressure_weighs_what_it_displaces(self):
        """p = g (1 - z) on all sides of a cube: the reactions hold its buoyancy, the volume times g."""
        text = f'[mesh]\nfile = "{self.meshes(cubes("a"), 3)[-1]}"\n' + '''
[[material]]
region = "a"
young = 1e6
poisson = 0.3
[[displacement]]
region = "a.z0"
fixed = true
''' + "".join(f'[[pressure]]\nregion = "a.{side}"\nvalue = "9810*(1 - z)"\n' for side in ("x0", "x1", "y0", "y1", "z0", "z1"))
        outcome = self.solve("ritz-elasticity", self.write("case.toml", text))
        applied = outcome.fact("applied_load")
        self.assert_close(applied[2], 9810, 1e-9)
        self.assertLess(abs(applied[0]) + abs(applied[1]), 1e-6)


class Constants(FormulaTest):
    """A formula that varies nowhere gives the answer of the number, by other kernels."""

    def compare(self, program, text, numbers, keys=()):
        fields = [self.solve(program, self.write(f"{i}.toml", text.format(*(number if i == 0 else f'"{number} + 0*x"' for number in numbers))), *keys) for i in (0, 1)]
        self.assertEqual(set(fields[0].probes), set(fields[1].probes))
        for name, value in fields[0].probes.items():
            for a, b in zip(value if isinstance(value, list) else [value], fields[1].probes[name] if isinstance(value, list) else [fields[1].probes[name]]):
                self.assertLessEqual(abs(a - b), 1e-7 * abs(a) + 1e-12, name)

    def test_plane_and_axisymmetric_bodies(self):
        mesh = self.meshes(square(((1, 0), (2, 0), (2, 1), (1, 1))), 4)[-1]
        for kind in ("plane_strain", "plane_stress", "axisymmetric"):
            text = f'[mesh]\nfile = "{mesh}"\norder = 2\n[model]\ntype = "{kind}"\n' + '''
[[material]]
region = "all"
young = {}
poisson = {}
density = {}
[gravity]
acceleration = [0, -9.81]
[[displacement]]
region = "bottom"
fixed = true
[[pressure]]
region = "right"
value = {}
[[probe]]
name = "u"
field = "displacement"
point = [1.7, 0.8]
[[probe]]
name = "s"
field = "stress"
point = [1.7, 0.8]
[[probe]]
name = "e"
field = "strain"
point = [1.2, 0.3]
[[probe]]
name = "cells"
field = "stress"
values = "cells"
point = [1.2, 0.3]
[solver]
tolerance = 1e-11
'''
            self.compare("ritz-elasticity", text, (2e9, 0.3, 1000, 1e5))

    def test_means_of_rings_weigh_with_the_radius(self):
        """T = r z: the flux -k r along the axis has the mean -2/3 of the radius in a cell at the axis."""
        self.write("m.msh", grid(2))
        for conductivity in ("conductivity = 1", 'conductivity = "1 + 0*x"', "conductivity_along = [1, 1, 1]"):
            text = ('[mesh]\nfile = "m.msh"\n[model]\ntype = "axisymmetric"\n[[temperature]]\nregion = "all"\nvalue = "x*y"\n'
                    f'[[material]]\nregion = "all"\n{conductivity}\n'
                    '[[probe]]\nname = "flux"\nfield = "heat_flux"\nvalues = "cells"\npoint = [0.1, 0.1]\n')
            self.assert_close(self.solve("ritz-heat", self.write("case.toml", text)).probes["flux"][1], -2 / 3 * 0.5, 1e-9)

    def test_frequencies(self):
        text = f'[mesh]\nfile = "{self.meshes(cubes("a"), 3)[-1]}"\n' + '[[material]]\nregion = "a"\nyoung = {}\npoisson = {}\ndensity = {}\n[[displacement]]\nregion = "a.z0"\nfixed = true\n[modal]\ncount = 4\n'
        found = []
        for i in (0, 1):
            values = [number if i == 0 else f'"{number} + 0*x"' for number in (2e9, 0.3, 1000)]
            found.append([float(f) for f in self.solve("ritz-modal", self.write(f"{i}.toml", text.format(*values))).report["facts"]["frequencies_hz"].split()])
        for a, b in zip(*found):
            self.assert_close(a, b, 1e-8)


class Tables(FormulaTest):
    CASE = '''[mesh]
file = "{mesh}"
[model]
type = "plane"
[[table]]
name = "k_of"
file = "k.csv"
interpolation = "{interpolation}"
{outside}
[[material]]
region = "all"
conductivity = "k_of(y)"
[[temperature]]
region = "bottom"
value = 0
[[temperature]]
region = "top"
value = 1
[[probe]]
name = "flow"
field = "reaction"
region = "top"
measure = "reaction"
'''

    def flow(self, interpolation, rows, outside=""):
        self.write("k.csv", "height,conductivity\n# measured\n" + "".join(f"{a},{b}\n" for a, b in rows))
        text = self.CASE.format(mesh=self.meshes(square(), 6)[-1], interpolation=interpolation, outside=outside)
        return self.run_case("ritz-heat", self.write("case.toml", text))

    def test_layers_are_in_series(self):
        """The resistance of a wall is the integral of 1/k: ln 2 for k = 1 + y, 1/2 + 1/4 for layers of 1 and 2."""
        linear = self.flow("linear", [(0, 1), (1, 2)])
        self.assertEqual(linear.exit, 0, linear.errors)
        self.assert_close(linear.probes["flow"], 1 / math.log(2), 1e-3)
        layers = self.flow("previous", [(0, 1), (0.5, 2), (1, 2)])
        self.assert_close(layers.probes["flow"], 1 / 0.75, 1e-9)

    def test_nothing_is_continued_in_silence(self):
        outcome = self.flow("linear", [(0, 1), (0.75, 2)])
        self.assertEqual(outcome.exit, 4)
        for words in ("the formula 'k_of(y)' of material.0.conductivity at", "the table 'k_of' at (0.", "goes height from 0 to 0.75", 'outside = "constant"'):
            self.assertIn(words, outcome.errors)
        self.assertEqual(self.flow("linear", [(0, 1), (0.75, 2)], 'outside = "constant"').exit, 0)

    def test_leaving_a_table_is_not_hidden_by_a_larger_value(self):
        case, self.CASE = self.CASE, self.CASE.replace('"k_of(y)"', '"max(1, k_of(y))"')
        outcome = self.flow("linear", [(0, 1), (0.75, 2)])
        self.assertEqual(outcome.exit, 4)
        self.assertIn("the table 'k_of' at (0.", outcome.errors)
        self.CASE = case.replace('"k_of(y)"', '"max(1, k_of(3))"')  # without a variable: a number
        outcome = self.flow("linear", [(0, 1), (0.75, 2)])
        self.assertEqual(outcome.exit, 2)
        self.assertIn("the table 'k_of' at (3) has no value", outcome.errors)

    def test_what_is_wrong_in_a_table_is_named_with_its_line(self):
        for rows, words in (([(0, 1), (0, 2)], "k.csv:4"), ([(0, "a")], "'a' is not a finite number at"), ([(0, "1,2")], "3 columns instead of 2"), ([], "no rows of numbers")):
            outcome = self.flow("linear", rows)
            self.assertEqual(outcome.exit, 2, rows)
            self.assertIn(words, outcome.errors)


class Errors(FormulaTest):
    CASE = '''[mesh]
file = "{mesh}"
[model]
type = "plane"
[[material]]
region = "all"
conductivity = "{k}"
[[temperature]]
region = "bottom"
value = {value}
[[temperature]]
region = "left"
value = {left}
'''

    def message(self, k="1", value="0", left="0", check=("--check",)):
        text = self.CASE.format(mesh=self.meshes(square(), 3)[-1], k=k, value=value, left=left)
        outcome = self.run_case("ritz-heat", self.write("case.toml", text), *check)
        return outcome.exit, outcome.errors

    def test_the_place_in_the_formula_is_shown(self):
        for formula, character, words in (("1 + sine(x)", 5, "did you mean 'sin'?"), ("2*(x + 1", 9, "cannot be understood"), ("1 + ", 5, "cannot be understood"), ("x = 3", 3, "=="),
                                          ("3*t", 3, "this run has no time"), ("x, y", 1, "2 values"), ("x + \u00b5", 5, "ASCII")):
            exit_code, errors = self.message(k=formula)
            self.assertEqual(exit_code, 2, formula)
            self.assertIn(words, errors)
            self.assertIn(f"character {character}", errors, formula)
            self.assertIn("case.toml:7", errors)

    def test_values_that_cannot_be_are_found_by_check(self):
        for formula, words in (("x - 0.5", "is -0.375 at (0.125"), ("1/(x - 0.125)", "is inf at (0.125"), ("sqrt(x - 0.5)", "has no value at (0.125")):
            exit_code, errors = self.message(k=formula)
            self.assertEqual(exit_code, 4, formula)
            self.assertIn(words, errors)
            self.assertIn("a number above 0", errors)
        self.assertEqual(self.message(k="-1 - 1")[0], 2)

    def test_parts_without_a_value_are_found_where_a_larger_one_would_hide_them(self):
        exit_code, errors = self.message(k="max(1, sqrt(x - 0.5))")
        self.assertEqual(exit_code, 4)
        self.assertIn("a part of it has no value there", errors)
        for formula in ("sqrt(max(1, x - 0.5))", "x > 0.5 ? 1 + sqrt(x - 0.5) : 1"):
            self.assertEqual(self.message(k=formula)[0], 0, formula)

    def test_a_plane_has_no_z(self):
        """A user who means the axis of a body of revolution would get z = 0 everywhere."""
        exit_code, errors = self.message(k="1 + z")
        self.assertEqual(exit_code, 2)
        for words in ("'1 + z', which uses z on a mesh of two dimensions", "y runs along the axis"):
            self.assertIn(words, errors)

    def test_formulas_that_meet_agree_up_to_rounding(self):
        self.assertEqual(self.message(value='"sin(pi*x)"', left='"sin(pi)*y"')[0], 0)
        exit_code, errors = self.message(value='"1 + sin(pi*x)"', left='"sin(pi)*y"')
        self.assertEqual(exit_code, 4)
        self.assertIn("conflicting values", errors)

    def test_formulas_in_load_cases(self):
        mesh = self.meshes(square(), 4)[-1]
        text = f'[mesh]\nfile = "{mesh}"\n' + '''[model]
type = "plane"
[[material]]
region = "all"
conductivity = 1
[[temperature]]
region = "left"
value = 0
[[load_case]]
name = "even"
[[load_case.source]]
region = "all"
value = 2
[[load_case]]
name = "slope"
[[load_case.source]]
region = "all"
value = "2*x"
[[combination]]
name = "both"
factors = {even = 1, slope = -1}
[[probe]]
name = "right"
field = "temperature"
region = "right"
measure = "mean"
'''
        outcome = self.solve("ritz-heat", self.write("case.toml", text))
        even, slope = (outcome.report["load_cases"][name]["probes"]["right"] for name in ("even", "slope"))
        self.assert_close(even, 1, 1e-6)          # u = 2 x - x^2
        self.assert_close(slope, 2 / 3, 1e-2)     # u = x - x^3 / 3
        self.assert_close(outcome.report["combinations"]["both"]["probes"]["right"], even - slope, 1e-9)
