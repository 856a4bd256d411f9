"""What several ranks solve together beside plain statics: vibration, equations between unknowns, materials with internal variables, frames, forms by name."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import unittest

import ritz
import vtu
from divided_test import OnRanks

MODAL = """
[modal]
count = 6
tolerance = 1e-8
"""
SUPPORTED = """
[[material]]
region = "part"
young = 2e11
poisson = 0.3
density = 7800
[[displacement]]
region = "left"
fixed = true
"""


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class DividedReach(OnRanks):
    def assert_close_lists(self, found, expected, relative):
        self.assertEqual(len(found), len(expected))
        scale = max(map(abs, expected))
        for a, b in zip(found, expected):
            self.assertLessEqual(abs(a - b), relative * scale, (found, expected))

    def modes_case(self, cell, counts, free=False):
        path = self.case("ritz-elasticity", cell, counts)
        text = path.read_text()
        text = text[: text.index("[[material]]")] + SUPPORTED + MODAL
        path.write_text(text[: text.index("[[displacement]]")] + MODAL if free else text)
        return path

    def assert_same_modes(self, several, alone, relative=1e-9):
        self.assert_close_lists(several.fact("frequencies_hz"), alone.fact("frequencies_hz"), relative)
        for fact in alone.report["facts"]:
            if fact.startswith("effective_mass_"):  # of all modes together: equal frequencies share their masses in any way
                self.assertLess(abs(sum(several.fact(fact)) - sum(alone.fact(fact))), 1e-5 * max(1e-12, sum(alone.fact(fact))), fact)
        self.assertEqual(several.report["facts"]["rigid_body_modes"], alone.report["facts"]["rigid_body_modes"])

    def test_modes_of_all_shapes_of_cells_are_those_of_one_process(self):
        for cell, counts, ranks in (("hexa", (6, 3, 3), 2), ("tetra", (5, 3, 2), 3), ("prism", (4, 3, 3), 4), ("mixed", (4, 4, 2), 2), ("quad", (12, 5), 3), ("triangle", (9, 5), 4)):
            with self.subTest(cell=cell):
                case = self.modes_case(cell, counts)
                several = self.solved(ranks, "ritz-modal", case)
                self.assertIn("LOBPCG", several.report["solver"]["method"])
                self.assert_same_modes(several, self.solve("ritz-modal", case))

    def test_a_free_body_has_its_rigid_motions_and_shapes_of_unit_modal_mass(self):
        case = self.modes_case("hexa", (7, 3, 2), free=True)
        keys = {"modal.count": 9}
        alone, several = self.solve("ritz-modal", case, keys=keys), self.solved(3, "ritz-modal", case, keys=keys)
        self.assertEqual(several.fact("frequencies_hz")[:6], [0] * 6)
        self.assert_same_modes(several, alone)
        for axis in "xyz":  # rigid motions have all of the mass
            self.assert_close(sum(several.fact(f"effective_mass_{axis}")[:6]), float(several.report["facts"]["total_mass"].split()[0]), 1e-8)
        ours, theirs = (vtu.read(run.results())["PointData"] for run in (several, alone))
        for name in ("mode_7", "mode_8", "mode_9"):
            same = max(abs(a - b) for a, b in zip(ours[name], theirs[name]))
            other = max(abs(a + b) for a, b in zip(ours[name], theirs[name]))
            self.assertLess(min(same, other), 1e-4 * max(map(abs, theirs[name])), name)

    @unittest.skipUnless(list((ritz.BIN.parent / "lib").glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_buckling_and_modes_under_preload(self):
        path = self.modes_case("hexa", (6, 2, 2))
        loaded = path.read_text().replace(MODAL, "") + '[[force]]\nregion = "right"\nvalue = [-1e9, 0, 0]\n'
        for program, tables, facts in (("ritz-elasticity", "[buckling]\ncount = 2\n", ("buckling_factors",)), ("ritz-modal", MODAL + "preload = true\n", ("frequencies_hz", "mode_count"))):
            case = self.write("loaded.toml", loaded + tables)
            several, alone = self.solved(3, program, case), self.solve(program, case)
            self.assert_close_lists(several.fact(facts[0]), alone.fact(facts[0]), 1e-6)
            for fact in facts[1:]:
                self.assertEqual(several.report["facts"][fact].split(",")[-1], alone.report["facts"][fact].split(",")[-1])

    def test_all_ranks_take_a_smaller_preconditioner_of_modes_where_one_has_no_room(self):
        """Foretold: with matrices and without."""
        for counts, keys in (((14, 12, 12), {}), ((6, 5, 5), {"space.order": 3}))["RITZ_LONG_TESTS" not in os.environ:]:
            with self.subTest(keys=keys):
                case = self.modes_case("hexa", counts)
                keys = {**keys, "modal.tolerance": 1e-6}
                plenty = self.solved(2, "ritz-modal", case, keys=keys)
                short = self.solved_with_less("ritz-modal", case, 0.94 * max(self.peaks(plenty)), keys, "memory: Chebyshev .* and the vectors of the modes need")
                self.assert_same_modes(short, plenty, 1e-6)

    @ritz.long
    def test_modes_of_fields_of_order_2_and_masses_at_reference_points(self):
        bracket = ritz.example("modal/motor")
        self.assert_same_modes(self.solved(2, "ritz-modal", bracket, keys={"modal.tolerance": 1e-7}), self.solve("ritz-modal", bracket), 1e-6)

    def numbers(self, value):
        if isinstance(value, list):
            return [number for each in value for number in self.numbers(each)]
        return [value] if isinstance(value, (int, float)) else []

    def assert_same_run(self, ranks, program, case, field, keys, relative=1e-6):
        """Field and probes, relative to their largest numbers."""
        several, alone = self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys)
        self.assert_close_lists(*(vtu.read(run.results())["PointData"][field] for run in (several, alone)), relative)
        for name, value in alone.probes.items():
            expected, found = self.numbers(value), self.numbers(several.probes[name])
            scale = max(map(abs, expected), default=0)
            if scale > 1e-12:
                self.assert_close_lists(found, expected, 10 * relative)
        return several

    def test_equations_between_unknowns(self):
        """Rigid regions, ties and oblique supports, periodic cells, sectors with a rotation and an [[equation]], mean motions."""
        for name, ranks in (("shaft", 3), ("tube", 2), ("tube", 4), ("laminate", 4), ("sector", 3), ("turned_shaft", 2)):
            with self.subTest(name=name, ranks=ranks):
                self.assert_same_run(ranks, "ritz-elasticity", ritz.example(f"joining/{name}"), "displacement", {"solver.tolerance": 1e-10})

    def test_a_large_rigid_region_on_all_ranks(self):
        """Nodes of one side follow three of them, wherever the cut goes; the other side is loaded."""
        rigid = '[[rigid]]\nregion = "right"\nforce = [0, 300, 0]\nmoment = [10, 0, 0]\n'
        for cell, counts, ranks in (("hexa", (5, 8, 8), 4), ("tetra", (3, 5, 5), 2), ("mixed", (4, 4, 4), 3)):
            with self.subTest(cell=cell):
                case = self.case("ritz-elasticity", cell, counts, rigid)
                case.write_text(re.sub(r"\[\[force\]\]\s*region = \"right\"\s*value = \[.*?\]", "", case.read_text()))
                self.assert_same_run(ranks, "ritz-elasticity", case, "displacement", {"solver.tolerance": 1e-10})

    def test_load_cases_evolutions_and_modes_with_equations_between_unknowns(self):
        rigid = '[[rigid]]\nregion = "right"\n'
        cases = '[[load_case]]\nname = "shear"\n[[load_case.pressure]]\nregion = "top"\nvalue = 5e4\n[[load_case]]\nname = "moved"\n[[load_case.displacement]]\nregion = "left"\ny = 1e-6\n'
        motion = "[time]\nend = 1e-4\nstep = 2e-5\n"
        for tables in (cases, motion):
            case = self.case("ritz-elasticity", "hexa", (5, 4, 4), rigid + tables)
            self.assert_same_run(3, "ritz-elasticity", case, "displacement", {"solver.tolerance": 1e-10}, 1e-5)
        modes = self.modes_case("hexa", (5, 4, 4))
        modes.write_text(modes.read_text() + rigid)
        self.assert_same_modes(self.solved(3, "ritz-modal", modes), self.solve("ritz-modal", modes))

    def test_internal_variables_go_with_the_parts(self):
        keys = {"solver.method": "cg", "solver.tolerance": 1e-10}
        for name, ranks in (("plasticity/sphere_section", 3), ("plasticity/sphere", 2)):
            with self.subTest(name=name):
                run = self.assert_same_run(ranks, "ritz-solve", ritz.example(name), "displacement", keys, 1e-5)
                self.assertGreater(run.probes["plastic_inside"][-1] if isinstance(run.probes["plastic_inside"], list) else run.probes["plastic_inside"], 0)

    def stopped_behind(self, ranks, case, folder, keys, increment):
        """SIGTERM to all ranks, as batch systems send it. They wait for us: the pipe holds no more than a page of the log."""
        job = subprocess.Popen(self.command(ranks, "ritz-solve", case, folder, "--verbose", "--log-json", *ritz.settings(keys)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder, bufsize=0)
        fcntl.fcntl(job.stdout, fcntl.F_SETPIPE_SZ, 4096)
        running = []  # looked for early, as that takes long on a busy machine
        for line in job.stdout:
            if not running and "increment 1 of" in line.decode():
                found = subprocess.run(["pgrep", "-f", str(folder / "results")], capture_output=True, text=True).stdout.split()
                running = [int(pid) for pid in found if int(pid) != job.pid]
            if f"increment {increment} of" in line.decode():
                while running:
                    os.kill(running.pop(), signal.SIGTERM)
        job.stdout.close()
        return job.wait(timeout=120)

    def test_plastic_strains_of_two_ranks_go_on_in_three_and_in_one(self):
        """Stopped while it yields; behind that it yields on and is unloaded."""
        keys = {"solver.method": "cg", "solver.tolerance": 1e-10, "newton.tolerance": 1e-9, "newton.increments": 20, "newton.write": "last"}
        case = ritz.example("plasticity/sphere_section")
        whole = self.solve("ritz-solve", case, keys=keys)
        parts = self.folder / "parts"
        self.assertEqual(self.stopped_behind(2, case, parts, keys, 14), 75)
        expected = vtu.read(whole.results())["PointData"]
        self.assertGreater(max(expected["equivalent_plastic_strain"]), 1e-3)
        for ranks in (3, 1):
            with self.subTest(ranks=ranks):
                copy = self.folder / f"on_{ranks}"
                shutil.copytree(parts, copy)
                if ranks == 1:
                    run = self.solve("ritz-solve", case, "--resume", output=copy / "results", keys=keys)
                else:
                    process = subprocess.run(self.command(ranks, "ritz-solve", case, copy, "--resume", *ritz.settings(keys)), capture_output=True, text=True, timeout=120, cwd=self.folder)
                    run = ritz.Outcome(process, copy)
                    self.assertEqual(run.exit, 0, run.log + run.errors)
                self.assertGreaterEqual(int(re.search(r"resuming after increment (\d+) of 40", run.log)[1]), 14)
                found = vtu.read(run.results())["PointData"]
                for field, relative in (("displacement", 1e-6), ("stress", 1e-5), ("plastic_strain", 1e-5), ("equivalent_plastic_strain", 1e-5)):
                    self.assert_close_lists(found[field], expected[field], relative)

    def test_shells_and_frames_by_conjugate_gradients(self):
        roof = ritz.example("structure/roof")
        keys = {"solver.method": "cg", "solver.tolerance": 1e-9}
        alone = self.solve("ritz-structure", roof, keys=keys).report["solver"]["iterations"]
        several = self.assert_same_run(3, "ritz-structure", roof, "displacement", keys, 1e-5)
        self.assertLessEqual(several.report["solver"]["iterations"], 1.2 * alone)
        self.assert_same_run(2, "ritz-structure", ritz.example("structure/portal"), "displacement", keys, 1e-5)

    def test_a_form_that_nobody_promises_to_be_definite_is_iterated_where_it_is(self):
        sphere = ritz.example("plasticity/sphere_section")
        run = self.assert_same_run(2, "ritz-solve", sphere, "displacement", {"solver.tolerance": 1e-10}, 1e-5)
        self.assertNotIn("MUMPS", run.log)

    def test_a_rank_that_is_killed_while_modes_are_sought_ends_the_job(self):
        self.assert_a_killed_rank_ends_the_job(3, "ritz-modal", self.modes_case("hexa", (6, 4, 4)), {})

    def test_the_same_bits_on_as_many_ranks(self):
        rigid = '[[rigid]]\nregion = "right"\n'
        case = self.modes_case("hexa", (6, 5, 4))
        case.write_text(case.read_text() + rigid)
        for ranks in (2, 4):
            first, again = (self.solved(ranks, "ritz-modal", case) for _ in range(2))
            self.assertEqual(first.fact("frequencies_hz"), again.fact("frequencies_hz"))
            self.assertEqual(vtu.read(first.results())["PointData"], vtu.read(again.results())["PointData"])


if __name__ == "__main__":
    unittest.main()
