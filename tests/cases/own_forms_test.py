"""Forms of one's own in a source that the case file names: compiled, kept, loaded, and told what is wrong with them."""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import unittest
from unittest import mock

import boxes
from ritz import BIN, CaseTest, example

FORM = "varying_conduction.cpp"
CASE = "varying_conduction.toml"


def contraction(stretch):
    """Lateral stretch s of a neo-Hookean bar, lambda = mu = 1: s^2 - 1 + ln(stretch s^2) = 0."""
    low, high = 0.01, 2.0
    for _ in range(200):
        s = (low + high) / 2
        low, high = (low, s) if s * s - 1 + math.log(stretch * s * s) > 0 else (s, high)
    return s


PLAIN = example("custom_form/varying_conduction")


class OwnForms(CaseTest):
    """Modules of the examples are kept for all tests (XDG_CACHE_HOME, and -O1 by CXX: CMakeLists.txt)."""

    def apart(self):
        """A cache for sources that no other test has, or for a test of the cache."""
        self.cache = self.folder / "cache"
        environment = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.cache)})
        environment.start()
        self.addCleanup(environment.stop)

    def copied(self):
        """A copy of examples/custom_form to spoil; its case file."""
        self.apart()
        shutil.copytree(PLAIN.parent, self.folder / "mine")
        return self.folder / "mine" / CASE

    def edit(self, old, new):
        path = self.folder / "mine" / FORM
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def refuse(self, exit_code, case, *phrases, **options):
        outcome = self.run_case("ritz-solve", case, **options)
        self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
        for phrase in phrases:
            self.assertIn(phrase, outcome.errors)
        return outcome

FIVE = """#include "fem/add_form.hpp"
struct Five {                                                          // five fields, conductivities 1 to 5 times as large
  static constexpr const char* name = "five";
  static constexpr int components = 5, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, linear = true, symmetric = true;
  double conductivity;
  static constexpr ritz::Parameter<Five> parameters[] = {{&Five::conductivity, {.name = "conductivity", .unit = "1", .about = "of the first", .above = 0}}};
  template <class T>
  constexpr void operator()(const ritz::Location<T, 3>&, const ritz::Fields<T, 5, 3>& u, ritz::Fields<T, 5, 3>& f) const {
    for (int c = 0; c < 5; ++c)
      for (int d = 0; d < 3; ++d) f.gradient[c][d] = (conductivity * (c + 1)) * u.gradient[c][d];
  }
};
const ritz::AddForm<Five> five;
"""


class Examples(OwnForms):
    def test_a_form_by_its_flux(self):
        """T + b T^2 / 2 = q L^2 / (8 k) = 1.5 in the middle: T = 1; cubic elements, 6 of them."""
        outcome = self.solve("ritz-solve", example("custom_form/varying_conduction"))
        self.assert_close(outcome.probes["middle"], 1, 1e-5)
        self.assertGreater(int(outcome.report["facts"]["newton_steps"]), 2)
        self.assertNotIn("code of the case runs now", outcome.log)

    def test_a_form_by_its_energy(self):
        outcome = self.solve("ritz-solve", example("custom_energy/neo_hooke"))
        s = contraction(2)
        self.assert_close(outcome.probes["force"], 0.09 * (2 - 0.5 + math.log(2 * s * s) / 2), 1e-9)
        self.assert_close(outcome.probes["contraction"], 0.3 * (s - 1), 1e-9)
        # stresses that nobody wrote: the force by the area before, and by that of the bar when it is pulled
        self.assert_close(outcome.probes["nominal_stress"], outcome.probes["force"] / 0.09, 1e-9)
        self.assert_close(outcome.probes["stress"], outcome.probes["force"] / (0.09 * s * s), 1e-9)

    def test_fields_that_are_solved_for_together(self):
        """Between walls the stress is constant, -(3 lambda + 2 mu) alpha times the mean temperature; displacements are a parabola."""
        pull = 12e-6 * (3 * 115.3846153846e9 + 2 * 76.9230769231e9) * 100
        for keys in ({}, {"solver.method": '"gmres"', "solver.operator": '"matrix_free"'}):
            outcome = self.solve("ritz-solve", example("custom_coupled/thermoelastic"), keys=keys)
            self.assert_close(outcome.probes["hot_end"], 100, 1e-8)
            self.assert_close(outcome.probes["middle"], -pull / 8 / (115.3846153846e9 + 2 * 76.9230769231e9), 1e-8)
            self.assert_close(outcome.probes["wall"], 0.09 * pull / 2, 1e-8)
            self.assert_close(outcome.probes["stress"], -pull / 2, 1e-8)
            self.assertNotIn("the residual of component", outcome.log)

    def test_a_field_that_is_lost_among_others_is_noticed(self):
        """A bar that is stretched while next to no heat flows: the residual of 1e-4 is one of forces, and the temperature is anything."""
        folder = example("custom_coupled/thermoelastic").parent
        case = self.write("case.toml", f'plugin = "{folder}/thermoelastic.cpp"\n[mesh]\nfile = "{folder}/../custom_form/bar.msh"\nrefine = 1\n[space]\norder = 2\n'
                          '[[material]]\nregion = "all"\nlambda = 115e9\nmu = 77e9\nexpansion = 12e-6\nconductivity = 50\n'
                          '[[prescribe]]\nregion = "x0"\nvalue = 0\n[[prescribe]]\nregion = "x1"\ncomponent = 0\nvalue = 1e-3\n'
                          '[[load]]\nregion = "x1"\nvalue = [0, 0, 0, 0.5]\n[[probe]]\nname = "hot_end"\nfield = "displacement_and_temperature"\ncomponent = 3\npoint = [1, 0.1, 0.1]\n')
        lost = self.solve("ritz-solve", case, keys={"solver.method": '"gmres"', "solver.tolerance": 1e-4})
        self.assertGreater(abs(lost.probes["hot_end"] - 0.01), 1e-4)
        self.assertIn("the residual of component 3 of 'displacement_and_temperature' is", lost.log)
        direct = self.solve("ritz-solve", case, keys={"solver.method": '"direct"'})
        self.assert_close(direct.probes["hot_end"], 0.01, 1e-9)
        self.assertNotIn("the residual of component", direct.log)

    def test_five_fields_with_loads_of_their_own(self):
        """-k u'' = q with k u' = t at the end: u(1) = (q / 2 + t) / k, exactly in quadratic elements."""
        self.apart()
        self.write("five.cpp", FIVE)
        bar = example("custom_form/varying_conduction").with_name("bar.msh")
        probes = "".join(f'[[probe]]\nname = "end{c}"\nfield = "u"\ncomponent = {c}\npoint = [1, 0.1, 0.1]\n' for c in range(5))
        case = self.write("case.toml", f'plugin = "five.cpp"\n[mesh]\nfile = "{bar}"\nrefine = 1\n[space]\norder = 2\n[[material]]\nregion = "all"\nconductivity = 2\n'
                          '[[prescribe]]\nregion = "x0"\nvalue = 0\n[[load]]\nregion = "all"\nvalue = [1, 2, "3 + 0 * x", 4, 5]\n'
                          '[[load]]\nregion = "x1"\nvalue = [5, 4, 3, 2, 1]\n' + probes)
        for keys in ({}, {"solver.method": '"direct"'}, {"solver.method": '"cg"', "solver.preconditioner": '"multigrid"', "solver.operator": '"matrix"'},
                     {"solver.operator": '"matrix_free"'}):
            outcome = self.solve("ritz-solve", case, keys=keys)
            for c in range(5):
                self.assert_close(outcome.probes[f"end{c}"], ((c + 1) / 2 + 5 - c) / (2 * (c + 1)), 1e-7)

    def test_an_element(self):
        """Prandtl's stress function of a square bar in its middle, Timoshenko and Goodier, section 109: a series."""
        series = 4 / math.pi**3 * sum((-1) ** ((n - 1) // 2) / n**3 * (1 - 1 / math.cosh(n * math.pi / 2)) for n in range(1, 60, 2))
        outcome = self.solve("ritz-solve", example("custom_element/bubble_triangle"))
        self.assert_close(outcome.probes["middle"], series, 5e-4)
        plain = self.solve("ritz-solve", example("custom_element/bubble_triangle"), keys={"space.element": '""', "space.order": 2})
        self.assertEqual(outcome.report["unknowns"], plain.report["unknowns"] + 72)  # a bubble in each of 72 triangles

    def test_an_element_that_no_cell_takes(self):
        bar = example("custom_form/varying_conduction").with_name("bar.msh")
        case = self.write("case.toml", f'plugin = "{example("custom_element/bubble_triangle").with_name("bubble_triangle.cpp")}"\n[mesh]\nfile = "{bar}"\n'
                          '[model]\nform = "diffusion3"\n[[material]]\nregion = "all"\nconductivity = 1\n[[prescribe]]\nregion = "x0"\nvalue = 0\n')
        self.refuse(2, case, "'bubble_triangle' is for cells of kind tri3, of which the mesh has none", keys={"space.element": '"bubble_triangle"'})

    def test_an_element_whose_fields_tear(self):
        """Nodes in the middle of the sides alone, those of Crouzeix and Raviart: neighbours agree in these points and nowhere else."""
        self.apart()
        shutil.copytree(example("custom_element/bubble_triangle").parent, self.folder / "torn")
        source = self.folder / "torn/bubble_triangle.cpp"
        text = source.read_text()
        before, after = text[:text.index("void evaluate")], text[text.index("ritz::ReferenceElement bubble_triangle"):]
        after = re.sub(r"element.nodes = .*;", "element.nodes = {{0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}};", after).replace("order = 2", "order = 1")
        source.write_text(before + "void evaluate(const ritz::Point& x, std::span<double> v, std::span<ritz::Point> g) {\n"
                          "  v[0] = 1 - 2 * x[1], v[1] = 2 * (x[0] + x[1]) - 1, v[2] = 1 - 2 * x[0];\n"
                          "  g[0] = {0, -2, 0}, g[1] = {2, 2, 0}, g[2] = {-2, 0, 0};\n}\n\n" + after)
        self.refuse(2, self.folder / "torn/bubble_triangle.toml", "'bubble_triangle' fails the check 'continuous'", "ritz element check bubble_triangle")

    def test_of_a_prebuilt_plugin_with_its_source(self):
        outcome = self.solve("ritz-solve", example("custom_plugin/reacting_rod"), keys={"plugin": '"reacting_rod.cpp"'})
        self.assert_close(outcome.probes["closed_end"], 1 / math.cosh(1.5), 1e-6)

    def test_is_the_same_with_narrow_and_wide_vectors(self):
        devices = [name for name in ("cpu:v3", "cpu:v4") if self.has_device(name)]
        if len(devices) < 2:
            self.skipTest("skipped: this processor or this build has one set of vector instructions")
        outcomes = [self.solve("ritz-solve", example("custom_energy/neo_hooke"), "--device", name) for name in devices]
        self.assert_close(outcomes[0].probes["force"], outcomes[1].probes["force"], 1e-12)

    def test_built_in_forms_are_known_too(self):
        case = self.write("case.toml", f'[mesh]\nfile = "{example("wall").parent}/wall.msh"\n[model]\nform = "diffusion3"\n'
                          '[[material]]\nregion = "brick"\nconductivity = 0.8\n[[material]]\nregion = "wool"\nconductivity = 0.04\n'
                          '[[boundary]]\nregion = "inside"\nform = "convection3"\ncoefficient = 8\nambient = 20\n'
                          '[[boundary]]\nregion = "outside"\nform = "convection3"\ncoefficient = 25\nambient = -10\n'
                          '[[probe]]\nname = "flux"\nfield = "heat_flux"\ncomponent = "x"\npoint = [0.05, 0.05, 0.05]\n')
        self.assert_close(self.solve("ritz-solve", case).probes["flux"], 30 / (1 / 8 + 0.1 / 0.8 + 0.05 / 0.04 + 1 / 25), 1e-7)


class Vibration(OwnForms):
    """[modal] in ritz-solve, with a mass by its name."""
    BLOCK = """[mesh]
file = "{mesh}"
order = 2
[[material]]
region = "all"
{material}
[modal]
count = 8
"""
    LAMBDA, MU = 210e9 * 0.3 / (1.3 * 0.4), 210e9 / 2.6

    def block(self, material, rest):
        text = self.BLOCK.format(mesh=example("custom_form/varying_conduction").with_name("bar.msh"), material=material)
        return self.write("block.toml", rest[0] + text + rest[1])

    def own(self, form=None, clamp=True, rest=""):
        """An isotropic block as a crystal, or with a form of Ritz."""
        plugin = f'plugin = "{example("custom_modal/silicon").with_suffix(".cpp")}"\n'
        top = plugin + (f'[model]\nform = "{form}"\n' if form else "")
        numbers = (f"c11 = {self.LAMBDA + 2 * self.MU}\nc12 = {self.LAMBDA}\nc44 = {self.MU}" if form is None
                   else f"lambda = {self.LAMBDA}\nmu = {self.MU}")
        held = '[[prescribe]]\nregion = "x0"\nvalue = 0\n' if clamp else ""
        return self.block(numbers, (top, '[[inertia]]\nregion = "all"\nvalue = 7850\n' + held + rest))

    def elastic(self, clamp=True):
        held = '[[displacement]]\nregion = "x0"\nfixed = true\n' if clamp else ""
        return self.block("young = 210e9\npoisson = 0.3\ndensity = 7850", ("", held))

    def test_of_an_example(self):
        """Waves along the bar and across it: f^2 = (c (2 m + 1) / 4 L)^2 + (s n / 2 h)^2."""
        along, across = math.sqrt(165.7e9 / 2330), math.sqrt(79.6e9 / 2330)
        outcome = self.solve("ritz-solve", example("custom_modal/silicon"))
        shear = math.hypot(along / 4, across / 0.6)
        for ours, exact in zip(outcome.fact("frequencies_hz"), (along / 4, 3 * along / 4, shear, shear)):
            self.assert_close(ours, exact, 1e-4)

    def test_is_that_of_an_elastic_body(self):
        for clamp in (True, False):
            reference = self.solve("ritz-modal", self.elastic(clamp))
            for form in (None, "elasticity"):
                outcome = self.solve("ritz-solve", self.own(form, clamp))
                self.assertEqual(outcome.report["facts"]["rigid_body_modes"], "0" if clamp else "6")
                self.assertEqual(outcome.report["facts"]["total_mass"], reference.report["facts"]["total_mass"])
                for a, b in zip(outcome.fact("frequencies_hz"), reference.fact("frequencies_hz")):
                    self.assertLessEqual(abs(a - b), 1e-9 * b)

    def test_of_a_scalar(self):
        """Sound in a closed pipe of rigid walls: c n / 2 L."""
        case = self.write("pipe.toml", f'[mesh]\nfile = "{example("custom_form/varying_conduction").with_name("bar.msh")}"\n[space]\norder = 3\n'
                          '[model]\nform = "diffusion3"\n[[material]]\nregion = "all"\nconductivity = 4\n[[inertia]]\nregion = "all"\nvalue = 1\n'
                          '[modal]\ncount = 3\n')
        outcome = self.solve("ritz-solve", case)
        self.assertEqual(outcome.report["facts"]["rigid_body_modes"], "1")
        for ours, exact in zip(outcome.fact("frequencies_hz"), (0, 1, 2)):
            self.assertAlmostEqual(ours, exact, delta=1e-3)

    def test_what_has_no_place_says_so(self):
        self.refuse(2, self.own(rest='[[load]]\nregion = "all"\nvalue = [0, 0, 1]\n'), "'load' was given with [modal]")
        self.refuse(2, self.own(rest="[time]\nend = 1\n"), "'time' was given with [modal]")
        self.refuse(2, self.own(), "the support moves by 1", "write value = 0", keys={"prescribe.0.value": 1})
        self.refuse(2, self.own(), "0 of 1 needed tables [[inertia]]", keys={"inertia": "[]"})
        self.refuse(4, self.own(), "mass per volume", "above 0", keys={"inertia.0.value": 0})
        self.refuse(2, self.own(), "did you mean 'mass'?", keys={"inertia.0.form": '"mas"'})
        steady = self.own().read_text().replace("[modal]\ncount = 8\n", "")
        self.refuse(2, self.write("steady.toml", steady), "'inertia' was given without [modal]")


class Orders(OwnForms):
    """[space] order in ritz-solve: without a matrix as in ritz-elasticity, and no force is lost."""
    CASE = """[mesh]
file = "cube.msh"
[model]
form = "elasticity"
[[material]]
region = "all"
lambda = 1.2
mu = 0.8
[[prescribe]]
region = "a.z0"
value = 0
[[load]]
region = "a.z1"
value = [0.3, -0.2, 0.5]
[[load]]
region = "all"
value = [0, 0, -1]
"""
    PROBES = "".join(f'[[probe]]\nname = "{name}"\nfield = "{field}"\nregion = "{region}"\nmeasure = "{measure}"\n'
                     for name, field, region, measure in (("held", "reaction", "a.z0", "reaction"), ("top", "displacement", "a.z1", "mean")))

    def cube(self, *tables):
        self.write("cube.msh", boxes.cubes(["a"]))
        return self.write("case.toml", self.CASE + self.PROBES + "".join(tables))

    def test_reactions_balance_the_loads_at_every_order(self):
        for order in (1, 2, 4):
            outcome = self.solve("ritz-solve", self.cube(f"[space]\norder = {order}\n"))
            for reaction, load in zip(outcome.probes["held"], (0.3, -0.2, -0.5)):
                self.assertAlmostEqual(reaction, -load, delta=1e-7)
            self.assertEqual("need no matrix" in outcome.log, order > 1, outcome.log)

    def test_a_probe_within_a_cell_sees_the_order_of_the_field(self):
        """T = x (1 - x) on a cell of one cube, whose corners are at 0."""
        self.write("mesh.msh", boxes.cubes(["a"]))
        text = '[mesh]\nfile = "mesh.msh"\n[space]\norder = 2\n[[material]]\nregion = "a"\nconductivity = 1\n[[source]]\nregion = "a"\nvalue = 2\n'
        text += "".join(f'[[temperature]]\nregion = "a.{side}"\nvalue = 0\n' for side in ("x0", "x1"))
        text += '[[probe]]\nname = "within"\nfield = "temperature"\npoint = [0.25, 0.5, 0.5]\n'
        outcome = self.solve("ritz-heat", self.write("case.toml", text), keys={"solver.tolerance": 1e-12})
        self.assert_close(outcome.probes["within"], 0.25 * 0.75, 1e-10)

    def test_with_and_without_a_matrix_the_answer_is_one(self):
        answers = [self.solve("ritz-solve", self.cube("[space]\norder = 3\n"), keys={"solver.operator": f'"{kind}"', "solver.tolerance": 1e-11}).probes["top"]
                   for kind in ("matrix", "matrix_free")]
        for a, b in zip(*answers):
            self.assert_close(a, b, 1e-8)

    def test_newton_without_a_matrix(self):
        outcomes = [self.solve("ritz-solve", example("custom_energy/neo_hooke"), keys={"solver.operator": f'"{kind}"'}) for kind in ("matrix", "matrix_free")]
        self.assert_close(*(outcome.probes["force"] for outcome in outcomes), 1e-8)
        self.assertEqual(["pattern" in outcome.report["memory"]["by_tag"] for outcome in outcomes], [True, False])

    def test_newton_without_a_matrix_where_the_tangent_is_not_symmetric(self):
        case = PLAIN
        temperatures = [self.solve("ritz-solve", case, keys={"solver.operator": f'"{kind}"'}).probes["middle"] for kind in ("matrix", "matrix_free")]
        self.assert_close(temperatures[0], temperatures[1], 1e-8)
        self.refuse(2, case, "the tangent is not symmetric", keys={"solver.operator": '"matrix_free"', "solver.method": '"cg"'})

    def test_orders_whose_element_matrices_cannot_be_assembled(self):
        """Nobody needs to ask for what does without one, be the tangent symmetric or not."""
        case = PLAIN
        outcome = self.solve("ritz-solve", case, keys={"space.order": 4})
        self.assertIn("GMRES", outcome.log)
        self.assert_close(outcome.probes["middle"], 1, 1e-6)
        rubber = self.solve("ritz-solve", example("custom_energy/neo_hooke"), keys={"space.order": 4})
        self.assert_close(rubber.probes["force"], 0.1491715, 1e-6)
        self.refuse(6, case, "cannot be assembled", "omit [solver] operator", keys={"space.order": 4, "solver.operator": '"matrix"'})

    def test_tangents_that_are_indefinite_without_a_matrix(self):
        """k T'' + r T + q = 0 between two ends at zero, r between the first two eigenvalues: no multigrid cycle can be made."""
        case = self.copied()
        self.edit("f.value[0] = -source;", "f.value[0] = -source - 40.0 * u.value[0];")
        outcome = self.solve("ritz-solve", case, keys={"space.order": 4, "material.0.growth": 0})
        self.assertIn("the diagonal instead", outcome.log)
        self.assert_close(outcome.probes["middle"], 24 / 40 * (1 / math.cos(math.sqrt(40 / 2) / 2) - 1), 1e-5)

    def test_reactions_of_newton_at_order_three(self):
        """The outflow at both ends is the production, half at each."""
        text = PLAIN.read_text().replace('plugin = "', f'plugin = "{PLAIN.parent}/').replace('file = "', f'file = "{PLAIN.parent}/')
        case = self.write("case.toml", text + '[[probe]]\nname = "out"\nfield = "reaction"\nregion = "x0"\nmeasure = "reaction"\n')
        self.assert_close(self.solve("ritz-solve", case).probes["out"], -0.5 * 24 * 0.3 * 0.3, 1e-6)

    def test_the_order_stands_in_one_place(self):
        self.refuse(2, self.cube(), "[space] order", keys={"model.order": 2})
        self.refuse(2, self.cube(), "[space] element", keys={"model.element": '"bubble"'})
        self.refuse(2, self.cube(), "order", keys={"space.order": 9})


class Cache(OwnForms):
    def compiled(self, case):
        log = self.solve("ritz-solve", case, "--check").log
        self.assertIn("code of the case runs now", log)  # told where people may expect that it is only read
        return "compiled now" in log

    def test_compiles_what_changed_and_nothing_else(self):
        case = self.copied()
        self.edit('#include "fem/add_form.hpp"', '#include "fem/add_form.hpp"\n#include "mine too.hpp"')
        header = case.with_name("mine too.hpp")
        header.write_text("#pragma once\n")
        self.assertTrue(self.compiled(case))
        self.assertFalse(self.compiled(case))
        header.write_text("#pragma once\nconstexpr int more = 1;\n")
        self.assertTrue(self.compiled(case))
        header.write_text("#pragma once\n")
        self.assertTrue(self.compiled(case))  # the list of files is of the last compilation
        self.edit("1.0 + growth", "1.5 + growth")
        self.assertTrue(self.compiled(case))
        self.assertFalse(self.compiled(case))

    def test_leaves_nothing_unfinished_when_many_compile_at_once(self):
        case = self.copied()
        runs = [subprocess.Popen([str(BIN / "ritz-solve"), str(case), "--check", "--output", str(self.folder / str(i))], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True) for i in range(3)]
        for run in runs:
            errors = run.communicate(timeout=300)[1]
            self.assertEqual((run.returncode, errors), (0, ""))
        left = [path.suffix for path in (self.cache / "ritz").iterdir()]
        self.assertEqual(sorted(left), [".files", ".lock", ".so"])  # one compiled, the others waited for it

    def test_is_for_its_owner_alone(self):
        case = self.copied()
        (self.cache / "ritz").mkdir(parents=True)
        (self.cache / "ritz").chmod(0o777)  # anybody could put code there
        with mock.patch.dict(os.environ, {"HOME": str(self.folder / "home")}):
            self.solve("ritz-solve", case, "--check")
        self.assertEqual(list((self.cache / "ritz").iterdir()), [])
        self.assertTrue(list((self.folder / "home/.cache/ritz").glob("*.so")))


class Mistakes(OwnForms):
    def test_show_the_line_in_the_users_file(self):
        case = self.copied()
        self.edit("growth * u.value[0])", "grwth * u.value[0])")
        line = 1 + (self.folder / "mine" / FORM).read_text().split("grwth")[0].count("\n")
        outcome = self.refuse(2, case, "does not compile", f"{FORM}:{line}:", "grwth")
        log = outcome.errors.split("the full output of the compiler is in ")[1].strip()
        self.assertIn("grwth", pathlib.Path(log).read_text())

    def test_in_templates_show_it_too(self):
        case = self.copied()
        self.edit("f.value[0] = -source;", 'f.value[0] = T("warm");')
        self.refuse(2, case, "does not compile", FORM)

    def test_are_reported_with_those_of_the_case(self):
        case = self.copied()
        self.edit("growth * u.value[0])", "grwth * u.value[0])")
        self.refuse(2, case, "does not compile", "'mesh.scale' is", keys={"mesh.scale": -1})

    def test_no_compiler(self):
        case = self.copied()
        with mock.patch.dict(os.environ, {"CXX": "ritz-no-such-compiler"}):
            self.refuse(8, case, "'ritz-no-such-compiler' cannot be run", "CXX", "install g++")
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            os.environ.pop("CXX", None)
            self.refuse(8, example("custom_form/varying_conduction"), "no compiler for the plugin", "install g++")

    def test_no_such_file(self):
        self.refuse(2, PLAIN, "there is no plugin", "none.cpp", keys={"plugin": '"none.cpp"'})

    def test_nothing_registered(self):
        case = self.copied()
        self.edit("const ritz::AddForm<VaryingConduction> varying_conduction;", "")
        self.refuse(2, case, "adds nothing", "AddForm")

    def test_a_name_that_is_taken(self):
        case = self.copied()
        self.edit('"varying_conduction"', '"diffusion3"')
        self.refuse(2, case, "two kernel modules register", "diffusion3")

    def test_values_out_of_declared_bounds(self):
        self.refuse(4, PLAIN, "'material.0.conductivity' is -1", "k at T = 0 [W/(m K)]", "above 0", keys={"material.0.conductivity": -1})

    def test_unknown_parameters(self):
        self.refuse(2, PLAIN, "unknown key 'material.0.growht'", "did you mean 'growth'?", keys={"material.0.growht": 1})

    def test_unknown_form(self):
        outcome = self.refuse(2, PLAIN, "varying_conducton", "did you mean 'varying_conduction'?", keys={"model.form": '"varying_conducton"'})
        self.assertEqual(len(outcome.report["errors"]), 1, "nothing is said of a form that nobody named")

    def test_one_name_for_two_fields_of_the_results(self):
        case = self.copied()
        self.edit('*unknown = "temperature"', '*unknown = "reaction"')
        self.refuse(2, case, "declares a field 'reaction' that exists already", "a name of its own")

    def test_one_name_for_two_parameters(self):
        for name in ("growth", "region"):
            with self.subTest(name=name):
                case = self.copied()
                self.edit('.name = "source"', f'.name = "{name}"')
                self.refuse(2, case, f"declares a parameter '{name}' that exists already", "a name of its own")
                shutil.rmtree(self.folder / "mine")

    def test_of_a_fact_that_is_missing_say_which(self):
        case = self.copied()
        self.edit("components = 1, dimension = 3;", "components = 1;")
        self.refuse(2, case, "does not compile", "F::dimension")

    def test_whole_elements_of_the_plane(self):
        self.apart()
        source = self.folder / "mine.cpp"
        text = example("custom_truss/truss").with_name("truss.cpp").read_text()
        source.write_text(text.replace("components = 3,", "components = 2, dimension = 2,").replace("[2][3]", "[2][2]").replace("d < 3", "d < 2"))
        case = self.write("case.toml", f'plugin = "mine.cpp"\n[mesh]\nfile = "{example("custom_truss/truss").with_name("truss.msh")}"\n')
        self.refuse(2, case, "does not compile", "a whole element stands in space")

    def test_components_that_no_space_has(self):
        case = self.copied()
        self.edit("components = 1", "components = 7")
        self.refuse(2, case, "does not compile", "a form has 1 to 6 components")

    def test_dimension_of_the_mesh(self):
        self.refuse(4, PLAIN, "one of 2 dimensions", keys={"model.form": '"diffusion2"'})

    def test_free_bodies(self):
        case = self.write("case.toml", f'plugin = "{example("custom_energy/neo_hooke").with_name("neo_hooke.cpp")}"\n[mesh]\nfile = "'
                          f'{example("custom_form/varying_conduction").with_name("bar.msh")}"\n[[material]]\nregion = "all"\nlambda = 1\nmu = 1\n'
                          '[[prescribe]]\nregion = "x0"\ncomponent = 0\nvalue = 0\n')
        self.refuse(4, case, "translation along y")

    def block(self, text):
        mesh = example("custom_form/varying_conduction").with_name("bar.msh")
        return self.write("block.toml", f'[mesh]\nfile = "{mesh}"\n[model]\nform = "elasticity"\n'
                          '[[material]]\nregion = "all"\nlambda = 500\nmu = 400\n[[prescribe]]\nregion = "x0"\nvalue = 0\n'
                          '[[probe]]\nname = "end"\nfield = "displacement"\nregion = "x1"\nmeasure = "mean"\n' + text)

    def test_components_have_names(self):
        pulled = '[[prescribe]]\nregion = "x1"\nvalue = 1e-3\ncomponent = '
        named, numbered = (self.solve("ritz-solve", self.block(pulled + which)) for which in ('"Y"', "1"))
        self.assertEqual(named.probes["end"], numbered.probes["end"])
        self.assert_close(named.probes["end"][1], 1e-3, 1e-12)
        self.assertNotEqual(named.probes["end"][0], 1e-3)
        for every in ('"all"', "-1"):
            for moved in self.solve("ritz-solve", self.block(pulled + every)).probes["end"]:
                self.assert_close(moved, 1e-3, 1e-12)
        for wrong, words in (('"w"', "called 'x', 'y' and 'z' or a number from 0 to 2"), ("3", "no component '3'"),
                             ('"magnitude"', "no component 'magnitude'")):
            self.refuse(2, self.block(pulled + wrong), words, "prescribe.1.component")

    def test_what_cannot_converge(self):
        self.refuse(5, PLAIN, "Newton's method did not converge", "limit of steps", keys={"newton.max_steps": 1, "newton.increments": 1})


class ElementCheck(OwnForms):
    def check(self, *arguments):
        return subprocess.run([str(BIN / "ritz"), "element", *map(str, arguments)], capture_output=True, text=True, timeout=300)

    def test_passes_the_examples(self):
        for name, source in {"varying_conduction": "custom_form/varying_conduction", "neo_hooke": "custom_energy/neo_hooke",
                             "bubble_triangle": "custom_element/bubble_triangle", "reacting_rod": "custom_plugin/reacting_rod"}.items():
            outcome = self.check("check", name, "--plugin", example(source).with_suffix(".cpp"))
            self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
            self.assertIn("checks passed", outcome.stdout)

    def test_formulas_mix_coordinates_unknowns_and_constants(self):
        """A rope between where its nodes are now, which can only pull; its energy is differentiated twice."""
        self.apart()
        source = self.folder / "rope.cpp"
        source.write_text("""#include "fem/add_form.hpp"
struct Rope {
  static constexpr const char* name = "rope";
  static constexpr auto cell = ritz::CellKind::line2;
  static constexpr int components = 3;
  static constexpr bool objective = true;
  template <class X, class T>
  constexpr T energy(const X (&x)[2][3], const T (&u)[2][3]) const {
    using std::sqrt, ritz::select;
    X before = 0.0;
    T now = 0.0;
    for (int d = 0; d < 3; ++d) {
      const X D = x[1][d] - x[0][d];
      const T w = x[1][d] + u[1][d] - (u[0][d] + x[0][d]);
      before += D * D;
      now += w * w;
    }
    const X L = sqrt(before);
    const T longer = sqrt(now) - L, half = L - L * L / (sqrt(now) + L);
    return select(longer, longer * longer, 0.0) + select(before - 1e6, 1.0, 0.0) * half;
  }
};
const ritz::AddWholeElement<Rope> rope;
""")
        outcome = self.check("check", "rope", "--plugin", source)
        self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
        self.assertIn("balance", outcome.stdout)

    def test_notes_what_is_declared_and_not_used(self):
        self.copied()
        self.edit("1.0 + growth * u.value[0]", "1.0 + 0.1 * u.value[0]")
        outcome = self.check("check", "varying_conduction", "--plugin", self.folder / "mine" / FORM)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("note: growth changes no force here", outcome.stdout)
        self.assertNotIn("note: conductivity changes", outcome.stdout)

    def test_of_a_fault_ends_with_4_and_names_the_check(self):
        self.copied()
        self.edit("uses_gradient = true;", "uses_gradient = true, symmetric = true, objective = true;")
        outcome = self.check("check", "varying_conduction", "--plugin", self.folder / "mine" / FORM, "--json")
        self.assertEqual(outcome.returncode, 4, outcome.stderr)
        report = json.loads(outcome.stdout)
        failed = {check["check"] for check in report["checks"] if not check["passed"]}
        self.assertTrue({"symmetric tangent", "rigid motions"} <= failed, failed)

    def test_knows_built_in_forms_and_elements(self):
        for name in ("diffusion2", "convection3", "quad4:3"):
            outcome = self.check("check", name)
            self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)

    def test_bad_questions(self):
        for arguments, phrase in ((("check", "difusion2"), "did you mean 'diffusion2'?"), (("check", "hex8:9"), "order"),
                                  (("check", "diffusion2", "--set", "conductivity=x"), "NAME=NUMBER"),
                                  (("check", "diffusion2", "--set", "conductvity=1"), "did you mean 'conductivity'?")):
            outcome = self.check(*arguments)
            self.assertEqual(outcome.returncode, 2, outcome.stdout + outcome.stderr)
            self.assertIn(phrase, outcome.stderr)

    def test_lists_forms_with_their_parameters(self):
        text = self.check("list", "--plugin", example("custom_element/bubble_triangle").with_suffix(".cpp")).stdout
        self.assertIn("conductivity             k [W/(m K)], above 0", text)
        self.assertIn("bubble_triangle            on tri3", text)


class Description(OwnForms):
    def test_has_the_declared_parameters(self):
        text = self.run_case("ritz-solve", example("custom_form/varying_conduction"), "--describe").log
        self.assertIn("conductivity = <required>  # k at T = 0 [W/(m K)]; number, above 0", text)
        self.assertIn("# growth = 0.0  # b of k (1 + b T) [1/K]; number", text)


if __name__ == "__main__":
    unittest.main()
