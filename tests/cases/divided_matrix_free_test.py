"""What several ranks solve together without a matrix: elements of high order with p-multigrid, and whatever [solver] operator asks for."""
import re
import shutil
import unittest

import boxes
import ritz
from divided_test import LOAD_CASES, OnRanks

FOURTH = {"space.order": 4}


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class DividedMatrixFree(OnRanks):
    def assert_without_matrix(self, outcome):
        self.assertIn("need no matrix", outcome.report["solver"]["choice"])

    def assert_like_one_process(self, program, several, alone):
        self.assert_without_matrix(several)
        self.assertLessEqual(several.report["solver"]["iterations"], 1.2 * alone.report["solver"]["iterations"] + 1)
        self.assert_same(program, several, alone)

    def test_high_orders_give_the_results_of_one_process(self):
        fields = [("ritz-heat", (4, 4, 3), {"space.order": 4}, 2), ("ritz-elasticity", (4, 3, 3), {"space.order": 4}, 3), ("ritz-heat", (3, 3, 3), {"space.order": 6}, 2),
                  ("ritz-elasticity", (3, 3, 2), {"space.order": 5}, 4), ("ritz-elasticity", (5, 4, 4), {"space.order": 3}, 2)]
        for program, counts, keys, ranks in fields:
            with self.subTest(program=program, keys=keys):
                case = self.case(program, "hexa", counts)
                several, alone = self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys)
                self.assertIn("p-multigrid", several.report["solver"]["preconditioner"])
                self.assert_like_one_process(program, several, alone)

    def test_all_shapes_of_cells_where_it_is_asked_for(self):
        shapes = [("tetra", (3, 3, 3), 2), ("prism", (4, 3, 3), 3), ("mixed", (4, 4, 2), 2), ("quad", (9, 8), 3), ("triangle", (7, 7), 2)]
        for cell, counts, ranks in shapes:
            for program, order in (("ritz-heat", 3), ("ritz-elasticity", 2)):
                if cell == "mixed" and order == 3:
                    order = 2
                with self.subTest(program=program, cell=cell, order=order):
                    keys = {"space.order": order, "solver.operator": "matrix_free"}
                    case = self.case(program, cell, counts)
                    self.assert_like_one_process(program, self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys))

    def test_polynomials_and_the_diagonal_where_there_are_no_orders(self):
        for preconditioner in ("chebyshev", "jacobi"):
            keys = {"solver.operator": "matrix_free", "solver.preconditioner": preconditioner}
            case = self.case("ritz-elasticity", "hexa", (6, 5, 5))
            self.assert_like_one_process("ritz-elasticity", self.solved(3, "ritz-elasticity", case, keys=keys), self.solve("ritz-elasticity", case, keys=keys))

    def test_all_ranks_fall_back_together_where_one_has_no_room(self):
        case = self.case("ritz-elasticity", "hexa", (8, 8, 8))
        self.solved_with_room_for_polynomials("ritz-elasticity", case, FOURTH, "p-multigrid needs")

    def test_levels_of_order_one_are_divided_and_nested(self):
        case = self.case("ritz-heat", "hexa", (8, 8, 8))
        alone = self.solve("ritz-heat", case, keys=FOURTH)
        self.assertIn("nested meshes", alone.report["solver"]["preconditioner"])
        for ranks, environment in ((2, None), (3, {"RITZ_REPLICATED_UNKNOWNS": "100"})):
            several = self.solved(ranks, "ritz-heat", case, keys=FOURTH, environment=environment)
            self.assertRegex(several.report["solver"]["preconditioner"], "orders 4, 2, 1 over . nested meshes, [345] levels divided among ranks")
            self.assert_like_one_process("ritz-heat", several, alone)

    def test_coefficients_that_the_first_rank_evaluates_on_all_levels(self):
        for program, keys in (("ritz-heat", {"material.0.conductivity": "20 + 10 * x", "convection.0.coefficient": "30 + 10 * y"}), ("ritz-elasticity", {"material.0.young": "2e11 * (1 + y)"})):
            case, keys = self.case(program, "hexa", (4, 3, 3)), {**FOURTH, **keys}
            self.assert_like_one_process(program, self.solved(2, program, case, keys=keys), self.solve(program, case, keys=keys))

    def test_load_cases_evolutions_and_newton(self):
        heat = '[time]\nend = 300.0\nstep = 100.0\n[initial]\ntemperature = 20\n'
        radiation = '[[radiation]]\nregion = "top"\nemissivity = 0.8\nambient = 300\n[model]\nabsolute_zero = 0\n'
        self.assert_same_probes(2, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (4, 3, 3), LOAD_CASES), FOURTH, 1e-5)
        self.assert_same_probes(2, "ritz-heat", self.case("ritz-heat", "hexa", (4, 3, 3), heat),
                           {**FOURTH, "material.0.density": 1000, "material.0.specific_heat": "100 + 50 * y", "flux.0.value": "500 * sin(t / 100)", "convection.0.coefficient": "30 + t / 50",
                            "solver.tolerance": 1e-10}, 1e-5)
        self.assert_same_probes(2, "ritz-heat", self.case("ritz-heat", "hexa", (4, 3, 3), radiation), {**FOURTH, "temperature.0.value": 400, "material.0.conductivity": "20 + x"}, 1e-5)

    def test_parts_of_different_orders_of_which_ranks_have_one(self):
        """Loads and springs stand at mid nodes, which the coarser field has not."""
        self.write("parts.msh", boxes.two_orders())
        tie = '[mesh]\nfile = "parts.msh"\n[[tie]]\nregion = "meeting"\nonto = "met"\n[[region]]\nname = "mid"\nkind = "nodes"\nof = "edge"\n'
        elastic = "".join(f'[[material]]\nregion = "{part}"\nyoung = 2e11\npoisson = 0.3\n' for part in ("left", "right"))
        tables = {
            "ritz-heat": "".join(f'[[material]]\nregion = "{part}"\nconductivity = 20\n' for part in ("left", "right")) +
                         '[[temperature]]\nregion = "clamped"\nvalue = 1\n[[flux]]\nregion = "pulled"\nvalue = 3\n'
                         '[[probe]]\nname = "p"\nfield = "temperature"\nregion = "pulled"\nmeasure = "mean"\n',
            "ritz-elasticity": elastic + '[[traction]]\nregion = "pulled"\nvalue = [1e5, 2e4, 0]\n[[force]]\nregion = "mid"\nvalue = [0, 1e3, 0]\n'
                               '[[spring]]\nregion = "mid"\nstiffness = [1e10, 1e10, 1e10]\n[[foundation]]\nregion = "clamped"\nstiffness = 1e10\n'
                               '[[probe]]\nname = "p"\nfield = "displacement"\ncomponent = "y"\nregion = "pulled"\nmeasure = "mean"\n'}
        for program, text in tables.items():
            case, keys = self.write(f"{program}.toml", tie + text), {"solver.operator": "matrix_free", "solver.tolerance": 1e-11}
            alone = self.solve(program, case, keys=keys)
            self.assert_close(alone.probes["p"], self.solve(program, case, keys={"solver.method": "direct"}).probes["p"], 1e-7)
            for ranks in (2, 3):
                with self.subTest(program, ranks=ranks):
                    several = self.solved(ranks, program, case, keys=keys)
                    self.assertIn("p-multigrid", several.report["solver"]["preconditioner"])
                    self.assert_close(several.probes["p"], alone.probes["p"], 1e-7)

    def test_the_same_bits_on_as_many_ranks(self):
        case = self.case("ritz-elasticity", "hexa", (4, 4, 3))
        first, again = (self.solved(3, "ritz-elasticity", case, keys=FOURTH) for _ in range(2))
        self.assertEqual(self.field("ritz-elasticity", first), self.field("ritz-elasticity", again))
        self.assertEqual(first.report["solver"]["iterations"], again.report["solver"]["iterations"])

    def test_a_product_sends_each_ghost_once(self):
        case = self.case("ritz-elasticity", "hexa", (8, 3, 3))
        told = lambda run: map(int, re.search(r"rank 0 sent (\d+) nodes to (\d+) neighbours in (\d+) exchanges: (\d+) messages, (\d+) bytes", run.log).groups())
        for ranks in (2, 4):
            run = self.solved(ranks, "ritz-elasticity", case, keys={**FOURTH, "solver.preconditioner": "jacobi"})
            nodes, neighbours, exchanges, messages, bytes_sent = told(run)
            self.assertEqual(exchanges, run.report["solver"]["iterations"] + 3)  # the loads, and the residuals before and after
            self.assertEqual(messages, exchanges * neighbours)
            self.assertEqual(bytes_sent, exchanges * nodes * 3 * 8)
            cycles = self.solved(ranks, "ritz-elasticity", case, keys=FOURTH)
            nodes, neighbours, exchanges, messages, bytes_sent = told(cycles)
            in_double = cycles.report["solver"]["iterations"] + 3
            self.assertEqual(messages, exchanges * neighbours)
            self.assertEqual(bytes_sent, nodes * 3 * (8 * in_double + 4 * (exchanges - in_double)))  # cycles are in single precision
            # A cycle has two smoothing steps before and after the coarser level: four products. The largest eigenvalue takes ten.
            self.assertLessEqual(exchanges, in_double + 10 + 4 * in_double)
        # Along x, 8 layers of cells: a rank sends nodes of the cells at its border, at most two layers of 13 * 13 * 4 nodes and the face between.
        self.assertLessEqual(nodes, 2 * 13 * 13 * 5)

    def test_a_rank_needs_its_share_of_the_memory(self):
        case = self.case("ritz-heat", "hexa", (12, 12, 12))
        alone = self.solve("ritz-heat", case, keys=FOURTH)
        run = self.solved(2, "ritz-heat", case, keys=FOURTH)
        second = self.peaks(run)[1]
        # Half of the cells and one more of twelve layers, or less, are those of a rank.
        self.assertLess(second, 1.1 * (0.5 + 1 / 12) * alone.report["memory"]["device_peak"])

    def modes_case(self, counts, free):
        path = self.case("ritz-elasticity", "hexa", counts)
        text = path.read_text()
        held = '[[displacement]]\nregion = "left"\nfixed = true\n' if not free else ""
        path.write_text(text[: text.index("[[material]]")] + '[[material]]\nregion = "part"\nyoung = 2e11\npoisson = 0.3\ndensity = "7800 * (1 + x)"\n' + held + "[modal]\ncount = 8\n")
        return path

    def test_modes_of_supported_and_free_bodies(self):
        for counts, free, order, ranks in (((4, 2, 2), False, 4, 2), ((4, 2, 2), True, 4, 3), ((5, 3, 3), False, 3, 2)):
            with self.subTest(free=free, order=order):
                case, keys = self.modes_case(counts, free), {"space.order": order}
                several, alone = self.solved(ranks, "ritz-modal", case, keys=keys), self.solve("ritz-modal", case, keys={**keys, "modal.method": "lobpcg"})
                self.assertIn("LOBPCG", several.report["solver"]["method"])
                self.assertRegex(several.report["solver"]["preconditioner"], "p-multigrid.* divided among ranks")
                expected, found = alone.fact("frequencies_hz"), several.fact("frequencies_hz")
                self.assertEqual(len(found), len(expected))
                self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), 1e-6 * max(expected))
                self.assertEqual(several.report["facts"]["rigid_body_modes"], "6" if free else "0")
                self.assertLessEqual(several.report["solver"]["iterations"], 1.5 * alone.report["solver"]["iterations"])  # from other start vectors

    def test_what_is_not_divided_is_refused(self):
        (self.folder / "cell.msh").write_text(boxes.cut("hexa", (1, 1, 1)))
        few = self.write("few.toml", self.case("ritz-heat", "hexa", (4, 3, 3)).read_text().replace("part.msh", "cell.msh"))
        for arguments in ((), ("--check",)):
            with self.subTest(arguments=arguments):
                run = self.on_ranks(4, "ritz-heat", few, *arguments, keys=FOURTH)
                self.assertEqual((run.exit, run.errors.count("error: ")), (8, 1), run.log + run.errors)
                self.assertIn("a mesh of 1 cells without a matrix is not divided among them", run.errors)


if __name__ == "__main__":
    unittest.main()
