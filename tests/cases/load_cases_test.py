"""[[load_case]] and [[combination]]: what one run of several load cases says and writes, against runs of one load each."""
import pathlib
import re
import unittest

import boxes
import vtu
from bad_inputs_test import BadInputs
from ritz import example

MESH = '[mesh]\nfile = "mesh.msh"\n'
STEEL = '[[material]]\nregion = "a"\nyoung = 210e9\npoisson = 0.3\ndensity = 7850\n'
CLAMP = '[[displacement]]\nregion = "a.x0"\nfixed = true\n'
ROLLER = '[[displacement]]\nregion = "a.x1"\nz = 0\n'
PROBES = ('[[probe]]\nname = "end"\nfield = "displacement"\nregion = "a.x1"\nmeasure = "mean"\n'
          '[[probe]]\nname = "peak"\nfield = "von_mises"\nregion = "a"\nmeasure = "max"\n'
          '[[probe]]\nname = "held"\nregion = "a.x0"\nmeasure = "reaction"\n')
ELASTIC = MESH + STEEL + ROLLER + CLAMP + PROBES
HOT = MESH + '[[material]]\nregion = "a"\nconductivity = 400\n[[temperature]]\nregion = "a.x0"\nvalue = 20\n'
HEAT_PROBE = '[[probe]]\nname = "end"\nfield = "temperature"\nregion = "a.x1"\nmeasure = "mean"\n'

LOADS = {
    "weight": "[gravity]\nacceleration = [0, 0, -9.81]\n",
    "wind & rain": '[[pressure]]\nregion = "a.y0"\nvalue = 2e6\n[[traction]]\nregion = "a.z1"\nvalue = [1e5, 0, -3e5]\n',
    "pull": '[[force]]\nregion = "a.x1"\nvalue = [3e6, 0, 1e5]\n',
    "spin": '[[body_force]]\nregion = "a"\nvalue = [4e6, 1e5, 0]\n',
    "settlement": '[[displacement]]\nregion = "a.x0"\nx = 2e-5\ny = 1e-5\nz = -1e-4\n',
}


def as_load_case(name, tables):
    return f'[[load_case]]\nname = "{name}"\n' + re.sub(r"^(\[+)", r"\1load_case.", tables, flags=re.M)


class LoadCases(BadInputs):
    def setUp(self):
        super().setUp()
        self.write("mesh.msh", boxes.cubes(["a"]))

    def solve_text(self, text, program="ritz-elasticity", **options):
        return self.solve(program, self.write("case.toml", text), **options)

    def assert_same(self, values, references, relative=1e-9):
        scale = max(map(abs, references if isinstance(references, list) else [references]))
        for value, reference in zip(values if isinstance(values, list) else [values], references if isinstance(references, list) else [references]):
            self.assertLessEqual(abs(value - reference), relative * scale, f"{values} against {references}")

    def test_each_is_the_run_of_its_loads_alone(self):
        for method in ("direct", "cg"):
            keys = {"solver.method": method, "solver.tolerance": 1e-12}
            outcome = self.solve_text(ELASTIC + "".join(as_load_case(*load) for load in LOADS.items()), keys=keys)
            self.assertEqual(list(outcome.report["load_cases"]), list(LOADS))
            self.assertEqual(outcome.report["probes"], {})
            for name, tables in LOADS.items():
                own = ELASTIC.replace(CLAMP, "") + tables if name == "settlement" else ELASTIC + tables
                alone = self.solve_text(own, keys=keys)
                case = outcome.report["load_cases"][name]
                with self.subTest(load_case=name, method=method):
                    self.assertEqual(case["solver"]["reason"], "converged")
                    self.assertLessEqual(case["solver"]["true_relative_residual"], 1e-12)
                    for probe, values in alone.probes.items():
                        self.assert_same(case["probes"][probe], values, 1e-8)
                    numbers = [float(n) for n in case["facts"]["applied_load"].split()]
                    self.assertLessEqual(max(abs(a - b) for a, b in zip(numbers, alone.fact("applied_load"))), 1e-6 * max(1, *map(abs, numbers)))
                    written, expected = vtu.read(case["output"]), vtu.read(alone.results())
                    for section in ("PointData", "CellData"):
                        self.assertEqual(list(written[section]), list(expected[section]))
                    self.assert_same(list(written["PointData"]["displacement"]), list(expected["PointData"]["displacement"]), 1e-8)

    def test_a_load_case_replaces_only_the_components_that_it_names(self):
        """What is clamped stays clamped across a push along x: the run in which x is prescribed and y and z are held."""
        push = '[[displacement]]\nregion = "a.x0"\nx = 2e-4\n'
        held = '[[displacement]]\nregion = "a.x0"\nx = 2e-4\ny = 0\nz = 0\n'
        side = LOADS["wind & rain"]  # pushes against what is held
        alone = self.solve_text(MESH + STEEL + ROLLER + PROBES + held + side, keys={"solver.tolerance": 1e-12})
        self.assertGreater(max(map(abs, alone.probes["held"])), 1e5)
        for others in ("", as_load_case("pull", LOADS["pull"])):
            outcome = self.solve_text(ELASTIC + as_load_case("push", push + side) + others, keys={"solver.tolerance": 1e-12})
            for probe, values in alone.probes.items():
                self.assert_same(outcome.report["load_cases"]["push"]["probes"][probe], values, 1e-8)
            base = vtu.read(outcome.report["load_cases"]["push"]["output"])
            x, u = base["Points"]["Points"], base["PointData"]["displacement"]
            for i in range(0, len(x), 3):
                if x[i] == 0:
                    self.assertEqual(list(u[i:i + 3]), [2e-4, 0, 0])

    def test_a_combination_that_fails_keeps_no_other_from_being_written(self):
        combination = '[[combination]]\nname = "{}"\nfactors = {{pull = {}}}\n'
        text = ELASTIC + as_load_case("pull", LOADS["pull"]) + combination.format("lost", 1e-318) + combination.format("kept", 2)  # displacements below what a number can be
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text), keys={"solver.method": "cg"})
        self.assertEqual(outcome.exit, 5, outcome.errors)
        self.assertEqual(outcome.errors.count("error: "), 1)
        self.assertIn("combination 'lost'", outcome.errors)
        parts = outcome.report["combinations"]
        self.assertEqual((parts["lost"]["output"], pathlib.Path(parts["kept"]["output"]).exists()), ("", True))
        for probe, values in outcome.report["load_cases"]["pull"]["probes"].items():
            self.assert_same(parts["kept"]["probes"][probe], [2 * value for value in values] if isinstance(values, list) else 2 * values)

    def test_combinations_are_runs_of_the_combined_loads(self):
        text = (ELASTIC + as_load_case("pull", LOADS["pull"]) + as_load_case("spin", LOADS["spin"])
                + '[[combination]]\nname = "ultimate"\nfactors = {pull = 1.5, spin = -1.35}\n[[combination]]\nname = "pulled"\nfactors = {pull = 1}\n'
                + LOADS["weight"])  # weight acts in all, once
        outcome = self.solve_text(text, keys={"solver.tolerance": 1e-12})
        combined = LOADS["weight"] + '[[force]]\nregion = "a.x1"\nvalue = [4.5e6, 0, 1.5e5]\n[[body_force]]\nregion = "a"\nvalue = [-5.4e6, -1.35e5, 0]\n'
        self.assertIn("in every load case, and once in every combination: displacement, gravity", outcome.log)
        alone = self.solve_text(ELASTIC + combined, keys={"solver.tolerance": 1e-12})
        for probe, values in alone.probes.items():
            self.assert_same(outcome.report["combinations"]["ultimate"]["probes"][probe], values, 1e-8)
            self.assert_same(outcome.report["combinations"]["pulled"]["probes"][probe], outcome.report["load_cases"]["pull"]["probes"][probe])
        self.assertEqual(outcome.report["combinations"]["ultimate"]["solver"]["method"], "superposition")

    def test_the_series_lists_every_load_case_and_combination(self):
        text = (ELASTIC + as_load_case("pull", LOADS["pull"]) + as_load_case("wind & rain", LOADS["wind & rain"])
                + '[[combination]]\nname = "G+Q/2"\nfactors = {pull = 1, "wind & rain" = 0.5}\n')
        outcome = self.solve_text(text)
        names = [pathlib.Path(path).name for path in outcome.report["outputs"]]
        self.assertEqual(names, ["case_probes.csv", "case.resolved.toml", "case_000000_pull.vtu", "case_000001_wind___rain.vtu", "case_000002_G+Q_2.vtu", "case.pvd"])
        index = pathlib.Path(outcome.folder / outcome.report["outputs"][-1]).read_text()
        for step, name in enumerate(names[2:-1]):
            self.assertIn(f'timestep="{step}" part="0" file="case/{name}"', index)
        self.assertTrue(all(pathlib.Path(path).exists() for path in outcome.report["outputs"]))

    def test_heat_superposes_above_what_all_load_cases_share(self):
        shared = HOT + '[[convection]]\nregion = "a.y0"\ncoefficient = 300\nambient = 5\n' + HEAT_PROBE
        warm = '[[temperature]]\nregion = "a.x0"\nvalue = 80\n'
        source, flux = '[[source]]\nregion = "a"\nvalue = {}\n', '[[flux]]\nregion = "a.x1"\nvalue = {}\n'
        text = (shared + as_load_case("warm", warm) + as_load_case("busy", source.format(9e4) + flux.format(-2e4))
                + '[[combination]]\nname = "both"\nfactors = {warm = 1, busy = 2}\n')
        outcome = self.solve_text(text, "ritz-heat", keys={"solver.tolerance": 1e-12})
        without = shared.replace('[[temperature]]\nregion = "a.x0"\nvalue = 20\n', "")
        for part, name, own in (("load_cases", "warm", without + warm), ("load_cases", "busy", shared + source.format(9e4) + flux.format(-2e4)),
                                ("combinations", "both", without + warm + source.format(18e4) + flux.format(-4e4))):
            alone = self.solve_text(own, "ritz-heat", keys={"solver.tolerance": 1e-12})
            self.assert_same(outcome.report[part][name]["probes"]["end"], alone.probes["end"])

    def test_several_runs_give_the_same_bits(self):
        text = ELASTIC + "".join(as_load_case(*load) for load in LOADS.items())
        first, second = (self.solve_text(text, keys={"solver.method": "cg"}, threads=threads) for threads in (1, 2))
        self.assertEqual(first.report["load_cases"]["pull"]["probes"], second.report["load_cases"]["pull"]["probes"])

    def test_checked_and_described_without_solving(self):
        case = self.write("case.toml", ELASTIC + as_load_case("pull", LOADS["pull"]))
        self.assertIn("complete and well posed", self.run_case("ritz-elasticity", case, "--check").log)
        text = self.run_case("ritz-elasticity", case, "--describe").log
        for phrase in ("[[load_case]]", "[[load_case.force]]", "# [[load_case.pressure]]", "# [[combination]]"):
            self.assertIn(phrase, text)
        self.assertIn("# [[load_case]]", self.run_case("ritz-elasticity", example("cantilever"), "--describe").log)


class Mistakes(BadInputs):
    def wrong(self, phrases, text, exit_code=2, program="ritz-elasticity", **options):
        return self.refuse(exit_code, phrases, text.replace(MESH, ""), program=program, **options)

    def test_two_of_one_name(self):
        pull = as_load_case("pull", LOADS["pull"])
        self.wrong(["a second load case or combination is called 'pull'", "load_case.1.name"], ELASTIC + pull + pull)
        self.wrong(["is called 'pull'"], ELASTIC + pull + '[[combination]]\nname = "pull"\nfactors = {pull = 1}\n')

    def test_without_loads(self):
        self.wrong(["the load case 'pull' has no loads", "tables without that prefix act in all", "'pressure', 'thermal' and 'displacement'"], ELASTIC + '[[load_case]]\nname = "pull"\n' + LOADS["pull"])

    def test_without_a_name(self):
        self.wrong(["missing key 'load_case.0.name'"], ELASTIC + as_load_case("pull", LOADS["pull"]).replace('name = "pull"\n', ""))

    def test_combination_of_what_is_not_there(self):
        text = ELASTIC + as_load_case("pull", LOADS["pull"]) + as_load_case("weight", LOADS["weight"])
        self.wrong(["there is no load case 'wieght'", "'pull' and 'weight'", "did you mean 'weight'?"],
                   text + '[[combination]]\nname = "c"\nfactors = {pull = 1, wieght = 2}\n')
        self.wrong(["a combination of nothing"], text + '[[combination]]\nname = "c"\n')
        self.wrong(["'combination.0.factors.pull' is the text 'one'"], text + '[[combination]]\nname = "c"\nfactors = {pull = "one"}\n')
        self.wrong(["'combination.0.factors.pull' is 1e+160", "at most 1e+30"], text + '[[combination]]\nname = "c"\nfactors = {pull = 1e160}\n')
        self.wrong(["there is no load case 'pull'", "the case file has none"], ELASTIC + LOADS["pull"] + '[[combination]]\nname = "c"\nfactors = {pull = 1}\n')

    def test_what_makes_the_matrix(self):
        outcome = self.wrong(["a load case cannot have its own [material]", "share one matrix"], ELASTIC + as_load_case("other", LOADS["pull"] + STEEL))
        self.assertEqual(outcome.errors.count("error: "), 1)
        air = '[[convection]]\nregion = "a.y0"\ncoefficient = 3\nambient = 5\n'
        self.wrong(["a load case cannot have its own [convection]", "flux of coefficient * dT"], HOT + as_load_case("air", air), program="ritz-heat")

    def test_misspelled_load(self):
        self.wrong(["unknown table 'load_case.0.presure'", "did you mean 'pressure'?"],
                   ELASTIC + as_load_case("w", '[[presure]]\nregion = "a.y0"\nvalue = 1\n[[force]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n'))
        self.wrong(["'load_case.0.force.0.region' names the region 'a.x9'", "did you mean"],
                   ELASTIC + as_load_case("w", LOADS["pull"].replace("a.x1", "a.x9")))

    def test_density_is_needed_for_the_weight_of_one_load_case(self):
        self.wrong(["missing key 'material.0.density'"], ELASTIC.replace("density = 7850\n", "") + as_load_case("weight", LOADS["weight"]))

    def test_unknowns_prescribed_in_one_load_case_only(self):
        push = '[[displacement]]\nregion = "a.x1"\ny = 1e-3\n'
        self.wrong(["component y at node", "is prescribed in load case 'push' and free in load case 'pull'"],
                   ELASTIC + as_load_case("push", push) + as_load_case("pull", LOADS["pull"]), exit_code=4)

    def test_conflicts_within_a_load_case(self):
        outcome = self.wrong(["conflicting values", "[[load_case.0.displacement]] #1"],
                             ELASTIC + as_load_case("push", '[[displacement]]\nregion = "a"\nz = 1e-3\n'), exit_code=4)
        self.assertNotIn("at least", outcome.errors)

    def test_modes_have_no_load_cases(self):
        self.wrong(["is a case for ritz-elasticity, and ritz-modal was called", "[[load_case]]"], ELASTIC + as_load_case("pull", LOADS["pull"]), program="ritz-modal")

    def test_the_load_case_that_does_not_converge_is_named(self):
        case = example("bracket/load_cases")
        self.refuse_case(5, ["load case 'hanging': the linear solver", "did not converge: iteration limit"], case, keys={"solver.method": "cg", "solver.max_iterations": 3})


if __name__ == "__main__":
    unittest.main()
