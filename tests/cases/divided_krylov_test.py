"""Iterations beside conjugate gradients on several ranks: MINRES, GMRES and BiCGSTAB, and the relatives of a matrix of which their preconditioners are made."""
import re
import shutil
import unittest

import ritz
import vtu
from divided_direct_test import INDEFINITE
from divided_test import LOAD_CASES, OnRanks

LIB = ritz.BIN.parent / "lib"
CONDUCTIVITY = "temperature,k\n0,10\n200,30\n"
TABLE = '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\noutside = "constant"\n'


@unittest.skipUnless(shutil.which("mpirun") and list(LIB.glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class DividedKrylov(OnRanks):
    def unsymmetric(self, cell="hexa", counts=(5, 4, 4)):
        """A conductivity that depends on the temperature: Newton's tangents are not symmetric."""
        (self.folder / "k.csv").write_text(CONDUCTIVITY)
        text = self.case("ritz-heat", cell, counts).read_text()
        return self.write("unsymmetric.toml", text.replace("conductivity = 20", 'conductivity = "k(T)"') + TABLE)

    def indefinite(self):
        text = self.case("ritz-heat", "hexa", (5, 4, 4)).read_text()
        return self.write("indefinite.toml", text[: text.index("[[material]]")] + INDEFINITE)

    def without_mumps(self):
        libraries = self.folder / "libraries"
        libraries.mkdir(exist_ok=True)
        for path in LIB.glob("*.so"):
            if path.name != "ritz_direct.mpi.so" and not (libraries / path.name).exists():
                (libraries / path.name).symlink_to(path)
        return {"LD_LIBRARY_PATH": str(libraries)}

    def iterations(self, outcome):
        return outcome.report["solver"]["iterations"]

    def beside_one_process(self, ranks, program, case, keys, field, relative=1e-7, more=1.2, slack=12):
        """Slack: one process inverts the few unknowns of such meshes, where ranks have aggregates."""
        several, alone = self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys)
        self.assertEqual(several.report["solver"]["method"], alone.report["solver"]["method"])
        self.assertLessEqual(self.iterations(several), more * self.iterations(alone) + slack)
        found, expected = (vtu.read([path for path in run.report["outputs"] if path.endswith(".vtu")][-1])["PointData"][field] for run in (several, alone))
        self.assertEqual(len(found), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), relative * max(map(abs, expected)))
        return several, alone

    def test_each_method_with_each_preconditioner_on_a_definite_matrix(self):
        case = self.case("ritz-elasticity", "tetra", (5, 4, 4))
        for method, preconditioners in (("minres", ("multigrid", "jacobi", "none")), ("gmres", ("multigrid", "chebyshev")), ("bicgstab", ("multigrid", "jacobi")), ("flexible_cg", ("multigrid",))):
            for ranks, preconditioner in enumerate(preconditioners, 2):
                with self.subTest(method=method, preconditioner=preconditioner, ranks=ranks):
                    keys = {"solver.method": method, "solver.preconditioner": preconditioner}
                    several, _ = self.beside_one_process(ranks, "ritz-elasticity", case, keys, "displacement")
                    self.assertLessEqual(several.residual, 1e-8)

    def test_tangents_that_are_not_symmetric(self):
        for method, preconditioner, ranks in (("gmres", "multigrid", 2), ("gmres", "jacobi", 3), ("bicgstab", "multigrid", 3), ("bicgstab", "jacobi", 2)):
            keys = {"solver.method": method, "solver.preconditioner": preconditioner}
            several, alone = self.beside_one_process(ranks, "ritz-heat", self.unsymmetric(), keys, "temperature", relative=1e-6)
            of = lambda run: " of the symmetric part" in run.report["solver"]["preconditioner"]
            self.assertEqual(of(several), preconditioner == "multigrid")
            self.assertEqual(of(several), of(alone))
        self.assert_same_probes(3, "ritz-heat", self.unsymmetric("mixed", (4, 4, 4)), {"solver.method": "gmres"}, 1e-5)

    def test_indefinite_matrices_by_minres(self):
        case = self.indefinite()
        for preconditioner, more, ranks in (("jacobi", 1.2, 2), ("none", 1.2, 3), ("multigrid", 5, 3)):  # multigrid is that of a far relative
            with self.subTest(preconditioner=preconditioner, ranks=ranks):
                keys = {"solver.method": "minres", "solver.preconditioner": preconditioner, "solver.tolerance": 1e-9}
                several, alone = self.beside_one_process(ranks, "ritz-solve", case, keys, "displacement", relative=1e-5, more=more)
                dominant = [" made diagonally dominant" in run.report["solver"]["preconditioner"] for run in (several, alone)]
                self.assertEqual(dominant, [preconditioner != "none"] * 2)

    def test_iterations_stay_those_of_one_process(self):
        for program, case, field, methods in (("ritz-heat", self.unsymmetric("hexa", (18, 18, 18)), "temperature", ("gmres", "bicgstab")),
                                              ("ritz-elasticity", self.case("ritz-elasticity", "tetra", (12, 12, 12)), "displacement", ("minres", "gmres"))):
            for method in methods:
                with self.subTest(method=method, program=program):
                    keys = {"solver.method": method, "solver.multigrid.levels": "aggregation"}
                    self.beside_one_process(3, program, case, keys, field, relative=1e-6, slack=4)

    def test_without_a_factorisation_auto_iterates_as_one_process_would(self):
        environment = self.without_mumps()
        for program, case, method in (("ritz-heat", self.unsymmetric(), "GMRES"), ("ritz-solve", self.indefinite(), "MINRES")):
            several = self.solved(2, program, case, environment=environment)
            self.assertIn(method, several.report["solver"]["method"])
            self.assertIn("no direct solver for several ranks", " ".join(several.report["solver"]["fallbacks"]))
            alone = self.solve(program, case)
            field = "temperature" if program == "ritz-heat" else "displacement"
            found, expected = (vtu.read([path for path in run.report["outputs"] if path.endswith(".vtu")][-1])["PointData"][field] for run in (several, alone))
            self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), 1e-4 * max(map(abs, expected)))

    def test_the_same_bits_on_as_many_ranks(self):
        runs = [("ritz-heat", self.unsymmetric(), {"solver.method": method}, "temperature") for method in ("gmres", "bicgstab")]
        runs.append(("ritz-solve", self.indefinite(), {"solver.method": "minres"}, "displacement"))
        for program, case, keys, field in runs:
            first, again = (self.solved(3, program, case, keys=keys) for _ in range(2))
            read = lambda run: vtu.read([path for path in run.report["outputs"] if path.endswith(".vtu")][-1])["PointData"][field]
            self.assertEqual(read(first), read(again))
            self.assertEqual(self.iterations(first), self.iterations(again))

    def test_load_cases_and_relations(self):
        rigid = '[[rigid]]\nregion = "top"\n'
        self.assert_same_probes(2, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (5, 4, 4), LOAD_CASES), {"solver.method": "minres"}, 1e-5)
        self.assert_same_probes(3, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (5, 4, 4), rigid), {"solver.method": "gmres"}, 1e-5)

    def test_restarts_are_those_that_the_case_names(self):
        case = self.case("ritz-elasticity", "hexa", (6, 5, 4))
        run = self.solved(2, "ritz-elasticity", case, keys={"solver.method": "gmres", "solver.preconditioner": "jacobi", "solver.restart": 7})
        self.assertRegex(run.report["solver"]["method"], re.escape("GMRES(7)"))

    def test_without_a_matrix_where_the_tangent_is_not_symmetric(self):
        for method in ("gmres", "bicgstab"):
            several, _ = self.beside_one_process(2, "ritz-heat", self.unsymmetric(counts=(3, 3, 3)), {"solver.method": method, "solver.operator": "matrix_free", "space.order": 4}, "temperature",
                                                 relative=1e-6, more=1.5)
            self.assertIn("p-multigrid", several.report["solver"]["preconditioner"])

    def test_methods_that_a_matrix_makes_senseless_are_told_once(self):
        for program, case, keys in (("ritz-heat", self.unsymmetric(), {"solver.method": "minres"}),
                                    ("ritz-heat", self.case("ritz-heat", "hexa", (3, 3, 3)), {"solver.method": "minres", "solver.operator": "matrix_free", "space.order": 2})):
            several, alone = self.on_ranks(2, program, case, keys=keys), self.run_case(program, case, keys=keys)
            self.assertEqual((several.exit, several.errors.count("error: ")), (alone.exit, 1), several.errors)
            self.assertNotEqual(alone.exit, 0)


if __name__ == "__main__":
    unittest.main()
