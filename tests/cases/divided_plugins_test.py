"""Forms and elements of plugins on several ranks: compiled once, loaded by all."""
import shutil
import unittest

import ritz
import vtu
from divided_test import OnRanks


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class DividedPlugins(OnRanks):
    def fields(self, run):
        return vtu.read([path for path in run.report["outputs"] if path.endswith(".vtu")][-1])["PointData"]

    def assert_same_run(self, ranks, program, case, relative, keys=None):
        several, alone = self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys)
        found, expected = self.fields(several), self.fields(alone)
        self.assertEqual(found.keys(), expected.keys())
        for name in expected:
            scale = max(map(abs, expected[name]), default=0)
            self.assertLessEqual(max((abs(a - b) for a, b in zip(found[name], expected[name])), default=0), relative * scale, name)
        return several

    def test_examples_with_plugins_give_the_results_of_one_process(self):
        # The damaged bar is not pulled as far as where it has a second solution.
        examples = [("ritz-solve", "custom_energy/neo_hooke", 2, 1e-5, {"solver.tolerance": 1e-10}), ("ritz-solve", "custom_form/varying_conduction", 3, 1e-6, {}),
                    ("ritz-solve", "custom_state/damage", 2, 1e-5, {"solver.tolerance": 1e-10, "newton.path": [1, 0.25]}), ("ritz-structure", "custom_truss/truss", 2, 1e-6, {}),
                    ("ritz-structure", "custom_yield/three_bars", 2, 1e-6, {})]
        for program, example, ranks, relative, keys in examples:
            with self.subTest(example=example):
                self.assert_same_run(ranks, program, ritz.example(example), relative, keys)

    def test_reference_elements_of_plugins(self):
        for ranks in (2, 3):
            run = self.assert_same_run(ranks, "ritz-solve", ritz.example("custom_element/bubble_triangle"), 1e-6)
            self.assertIn("divided among", run.log + str(run.report["solver"]))
        refused = self.on_ranks(2, "ritz-solve", ritz.example("custom_element/bubble_triangle"), keys={"solver.operator": "matrix_free"})
        self.assertEqual((refused.exit, refused.errors.count("error: ")), (8, 1), refused.errors)
        self.assertIn("a reference element of a plugin without a matrix", refused.errors)

    def plugin(self, text):
        for path in ritz.example("custom_form/varying_conduction").parent.iterdir():
            shutil.copy(path, self.folder / path.name)
        (source,) = self.folder.glob("*.cpp")
        source.write_text(text(source.read_text()))
        return self.folder / "varying_conduction.toml"

    def test_a_plugin_is_compiled_once(self):
        case = self.plugin(lambda text: text + "\n// another one\n")
        cache = self.folder / "cache"
        run = self.solved(3, "ritz-solve", case, environment={"XDG_CACHE_HOME": str(cache)}, keys={"solver.method": "gmres"})
        self.assertIn("compiled now", run.log)
        self.assertEqual(len(list((cache / "ritz").glob("*.so"))), 1)
        again = self.solved(3, "ritz-solve", case, environment={"XDG_CACHE_HOME": str(cache)}, keys={"solver.method": "gmres"})
        self.assertIn("ready from before", again.log)
        self.assertEqual(self.fields(run), self.fields(again))

    def test_a_plugin_that_does_not_compile_is_told_once(self):
        case = self.plugin(lambda text: text + "\nnonsense;\n")
        several, alone = self.on_ranks(2, "ritz-solve", case), self.run_case("ritz-solve", case)
        self.assertEqual((several.exit, several.errors.count("error: '") + several.errors.count("does not compile")), (alone.exit, 1), several.errors)
        self.assertIn("does not compile", alone.errors)


if __name__ == "__main__":
    unittest.main()
