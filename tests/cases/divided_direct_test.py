"""Factorisations by several ranks together, started by mpirun as a user would: statics, Newton's method, evolutions, load cases, modes by factors."""
import os
import re
import shutil
import subprocess
import sys
import unittest

import boxes
import ritz
import vtu
from divided_test import LOAD_CASES, OnRanks
from modal_test import lines

LIB = ritz.BIN.parent / "lib"
DIRECT = {"solver.method": "direct"}
TOGETHER = "ranks factorise together: the last digits differ from run to run"
INDEFINITE = """
[model]
form = "elasticity"
[[material]]
region = "part"
lambda = -5
mu = 1
[[prescribe]]
region = "left"
value = 0
[[prescribe]]
region = "right"
component = "y"
value = 0.1
"""
PANEL = """
[mesh]
file = "panel.msh"
[[section]]
region = "bars"
element = "bar"
young = 2e11
area = 1e-3
[[support]]
region = "bars"
z = 0
[[support]]
region = "feet"
pinned = true
[[force]]
region = "top"
value = [100, 0, 0]
"""


@unittest.skipUnless(shutil.which("mpirun") and list(LIB.glob("ritz_direct.mpi.so")), "skipped: no MPI, or no parallel MUMPS")
class DividedDirect(OnRanks):
    def same(self, ranks, program, case, field, keys, relative=1e-9):
        """Field and solver's choice on ranks, beside one process."""
        several, alone = self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys)
        found, expected = (vtu.read([path for path in run.report["outputs"] if path.endswith(".vtu")][-1])["PointData"][field] for run in (several, alone))
        scale = max(map(abs, expected))
        self.assertEqual(len(found), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), relative * scale)
        return several, alone

    def assert_factorised(self, run, times=1):
        self.assertIn(TOGETHER, run.log)
        self.assertEqual(len(re.findall(r"MUMPS [\d.]+, \w+.*: \d+ unknowns, a factor of", run.log)), times, run.log)

    def test_all_shapes_of_cells_of_both_programs(self):
        shapes = [("hexa", (6, 5, 4), 2), ("tetra", (4, 4, 3), 3), ("prism", (5, 4, 4), 4), ("mixed", (4, 4, 4), 2), ("quad", (14, 12), 3)]
        for cell, counts, ranks in shapes:
            for program, field in (("ritz-heat", "temperature"), ("ritz-elasticity", "displacement")):
                with self.subTest(program=program, cell=cell):
                    several, alone = self.same(ranks, program, self.case(program, cell, counts), field, DIRECT)
                    self.assert_factorised(several)
                    self.assertIn("differ from run to run", several.report["solver"]["choice"])
                    self.assertEqual(several.report["solver"]["method"], alone.report["solver"]["method"])
                    self.assertLess(several.residual, 1e-12)

    def test_equations_between_unknowns_and_varying_materials(self):
        rigid = '[[rigid]]\nregion = "top"\n'
        self.assert_factorised(self.same(3, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (5, 4, 4), rigid), "displacement", DIRECT)[0])
        self.same(2, "ritz-heat", self.case("ritz-heat", "mixed", (4, 4, 4)), "temperature", {**DIRECT, "material.0.conductivity": "20 + 10 * x"})

    def test_structures_are_factorised_by_default(self):
        for name, ranks in (("roof", 3), ("portal", 2)):
            several, _ = self.same(ranks, "ritz-structure", ritz.example(f"structure/{name}"), "displacement", {}, 1e-7)
            self.assert_factorised(several)

    def test_a_mechanism_is_told_as_by_one_process(self):
        (self.folder / "panel.msh").write_text(
            lines([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 3), (1, 2), (3, 2)], {"bars": (range(3), []), "feet": ([], [0, 1]), "top": ([], [2])}))
        case = self.write("panel.toml", PANEL)
        several, alone = self.on_ranks(2, "ritz-structure", case), self.run_case("ritz-structure", case)
        self.assertEqual((several.exit, alone.exit), (4, 4), several.errors + alone.errors)
        self.assertIn("singular", alone.errors)
        self.assertIn(alone.errors, several.errors)  # the same row
        self.assertEqual(several.errors.count("error: "), 1)

    def test_a_matrix_that_cg_finds_indefinite_is_factorised(self):
        case = self.case("ritz-heat", "hexa", (5, 4, 4))
        text = case.read_text()
        positive_diagonal = INDEFINITE.replace("lambda = -5", "lambda = -2.5")  # which one process factorises at once, were it not
        case.write_text(text[: text.index("[[material]]")] + positive_diagonal)
        several, alone = self.same(3, "ritz-solve", case, "displacement", {}, 1e-8)
        self.assert_factorised(several)
        negative = [re.search(r"the matrix has \d+ negative eigenvalues?", run.log).group() for run in (several, alone)]
        self.assertEqual(negative[0], negative[1])
        self.assertIn("conjugate gradients", several.report["solver"]["fallbacks"][0])
        self.same(2, "ritz-solve", case, "displacement", DIRECT, 1e-8)

    def test_an_iteration_that_does_not_end_gives_way_to_a_factor(self):
        several, _ = self.same(2, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (40, 20, 3)), "displacement", {"solver.max_iterations": 5}, 1e-7)
        self.assert_factorised(several)
        self.assertIn("iteration limit", several.report["solver"]["fallbacks"][-1])

    def test_unsymmetric_tangents_of_newtons_method(self):
        """A conductivity that depends on the temperature: one analysis serves all tangents."""
        (self.folder / "k.csv").write_text("temperature,k\n0,10\n200,30\n")
        case = self.case("ritz-heat", "hexa", (5, 4, 4))
        case.write_text(case.read_text() + '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\noutside = "constant"\n')
        for keys in ({}, DIRECT):
            several, _ = self.same(3, "ritz-heat", case, "temperature", {**keys, "material.0.conductivity": "k(T)"}, 1e-7)
            self.assert_factorised(several)
            self.assertIn("LU", several.report["solver"]["method"])
        refused, alone = (run("ritz-heat", case, keys={"material.0.conductivity": "k(T)", "solver.method": "cg"}) for run in (lambda *a, **k: self.on_ranks(2, *a, **k), self.run_case))
        self.assertEqual((refused.exit, alone.exit), (2, 2), refused.errors)
        self.assertIn(alone.errors, refused.errors)

    def test_load_cases_are_columns_of_one_factor(self):
        case = self.case("ritz-elasticity", "tetra", (5, 4, 4), LOAD_CASES)
        several, alone = self.solved(3, "ritz-elasticity", case, keys=DIRECT), self.solve("ritz-elasticity", case, keys=DIRECT)
        self.assert_factorised(several)
        outputs = lambda run: sorted(path for path in run.report["outputs"] if path.endswith(".vtu"))
        self.assertEqual(len(outputs(several)), 2)
        for ours, theirs in zip(outputs(several), outputs(alone)):
            found, expected = (vtu.read(path)["PointData"]["displacement"] for path in (ours, theirs))
            self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), 1e-9 * max(map(abs, expected)))

    def test_steps_in_time_and_internal_variables(self):
        motion = self.case("ritz-elasticity", "hexa", (5, 4, 4), "[time]\nend = 1e-3\nstep = 1e-4\n")
        self.assert_factorised(self.same(2, "ritz-elasticity", motion, "displacement", DIRECT, 1e-7)[0])
        self.same(3, "ritz-solve", ritz.example("plasticity/sphere_section"), "displacement", DIRECT, 1e-6)

    def test_memory_that_is_short_is_told_once(self):
        case = self.case("ritz-elasticity", "hexa", (8, 8, 8))
        for arguments in (["--set", "solver.direct_memory=1e-6"], ["--host-memory-limit", "9000000"]):
            run = self.on_ranks(2, "ritz-elasticity", case, *arguments, keys=DIRECT)
            self.assertEqual(run.exit, 6, run.log + run.errors)
            self.assertEqual(run.errors.count("error: "), 1)
            self.assertIn("the direct solver needs", run.errors)
        run = self.on_ranks(2, "ritz-elasticity", case, keys={"solver.direct_memory": 1e-6, "solver.max_iterations": 3})
        self.assertNotEqual(run.exit, 0)  # neither of both
        self.assertIn("not factorised: ", " ".join(run.report["solver"]["fallbacks"]) + run.log + run.errors)

    def test_without_parallel_mumps_an_error_says_what_to_install(self):
        libraries = self.folder / "libraries"
        libraries.mkdir()
        for path in LIB.glob("*.so"):
            if path.name != "ritz_direct.mpi.so":
                (libraries / path.name).symlink_to(path)
        environment = {"LD_LIBRARY_PATH": str(libraries)}
        case = self.case("ritz-heat", "hexa", (4, 4, 4))
        run = self.on_ranks(2, "ritz-heat", case, keys=DIRECT, environment=environment)
        self.assertEqual(run.exit, 8, run.log + run.errors)
        self.assertIn("libmumps-dev", run.errors)
        self.assertEqual(run.errors.count("error: "), 1)
        self.assertEqual(self.on_ranks(2, "ritz-heat", case, environment=environment).exit, 0)

    def test_the_two_libraries_never_call_each_other(self):
        """Both modules in one process: what is named alike in sequential and in parallel MUMPS is found in the module's own libraries."""
        load = "import ctypes, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path, mode=2)\n"  # RTLD_NOW, local
        modules = [LIB / "ritz_direct.cpu.so", LIB / "ritz_direct.mpi.so"]
        for order in (modules, modules[::-1]):
            process = subprocess.run([sys.executable, "-c", load, *map(str, order)], env={**os.environ, "LD_DEBUG": "bindings", "LD_BIND_NOW": "1"}, capture_output=True, text=True)
            self.assertEqual(process.returncode, 0, process.stderr[-500:])
            bound = re.findall(r"binding file \S*/(\S+) \[\d+\] to \S*/(\S+) \[\d+\]: normal symbol `([a-z]?mumps\w*|mpi_\w+)'", process.stderr)
            mine = {sequential: [(a, b) for a, b, _ in bound if ("_seq" in a or a == "ritz_direct.cpu.so") == sequential] for sequential in (True, False)}
            self.assertGreater(len(mine[True]), 100)
            self.assertGreater(len(mine[False]), 100)
            self.assertEqual([pair for pair in mine[True] if "_seq" not in pair[1] and pair[1] != "ritz_direct.cpu.so"], [])
            self.assertEqual([pair for pair in mine[False] if "_seq" in pair[1] or pair[1] == "ritz_direct.cpu.so"], [])

    def test_one_process_loads_neither_mpi_nor_its_mumps(self):
        case = self.case("ritz-heat", "hexa", (4, 4, 4))
        run = self.run_case("ritz-heat", case, keys=DIRECT, environment={"LD_DEBUG": "libs"})
        self.assertEqual(run.exit, 0)
        self.assertIn("libdmumps_seq", run.errors)
        for name in ("ritz_ranks", "ritz_direct.mpi", "libdmumps-", "libscalapack"):
            self.assertNotIn(name, run.errors)


@unittest.skipUnless(shutil.which("mpirun") and list(LIB.glob("ritz_direct.mpi.so")), "skipped: no MPI, or no parallel MUMPS")
class DividedModes(OnRanks):
    def modes_case(self, cell, counts, tables, free=False):
        path = self.case("ritz-elasticity", cell, counts)
        text = path.read_text()
        held = "" if free else '[[displacement]]\nregion = "left"\nfixed = true\n'
        path.write_text(text[: text.index("[[material]]")] + '[[material]]\nregion = "part"\nyoung = 2e11\npoisson = 0.3\ndensity = 7800\n' + held + tables)
        return path

    def assert_same_modes(self, ranks, case, keys=None, relative=1e-8):
        several, alone = self.solved(ranks, "ritz-modal", case, keys=keys), self.solve("ritz-modal", case, keys=keys)
        found, expected = several.fact("frequencies_hz"), alone.fact("frequencies_hz")
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertLessEqual(abs(a - b), relative * max(expected))
        self.assertIn("Lanczos", several.report["solver"]["method"])
        return several, alone

    def test_lanczos_and_bands(self):
        case = self.modes_case("hexa", (7, 4, 3), "[modal]\ncount = 6\n")
        several, _ = self.assert_same_modes(3, case, {"modal.method": "lanczos"})
        self.assertIn("by the inertia of a factor", several.log + str(several.report))
        third, fifth = several.fact("frequencies_hz")[2], several.fact("frequencies_hz")[4]
        banded, _ = self.assert_same_modes(2, self.modes_case("hexa", (7, 4, 3), f"[modal]\nband = [{0.99 * third}, {1.01 * fifth}]\n"))
        self.assertGreaterEqual(len(banded.fact("frequencies_hz")), 3)
        self.assertIn("in the band by the inertia of two factors", str(banded.report))

    def test_a_free_body(self):
        several, _ = self.assert_same_modes(2, self.modes_case("tetra", (5, 3, 3), "[modal]\ncount = 9\n", free=True), {"modal.method": "lanczos"})
        self.assertEqual(several.fact("frequencies_hz")[:6], [0] * 6)

    def test_a_spring_at_a_reference_point(self):
        rigid = '[[coupling]]\nregion = "right"\nmass = 20\nsprings = {x = 1e7, y = 2e7, z = 3e7}\n[modal]\ncount = 4\n'
        self.assert_same_modes(3, self.modes_case("hexa", (6, 4, 3), rigid), relative=1e-7)

    def test_structures(self):
        (self.folder / "panel.msh").write_text(
            lines([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 3), (1, 2), (3, 2), (0, 2)], {"bars": (range(4), []), "feet": ([], [0, 1])}))
        text = PANEL[: PANEL.index("[[force]]")].replace("area = 1e-3", "area = 1e-3\ndensity = 8000") + "[modal]\ncount = 3\n"
        self.assert_same_modes(2, self.write("panel.toml", text))


if __name__ == "__main__":
    unittest.main()
