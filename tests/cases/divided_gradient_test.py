"""[gradient] on several ranks: the derivatives of one process, and central differences of runs on ranks."""
import shutil
import unittest

import boxes
import ritz
import vtu
from divided_relations_test import HEAT, PERIODIC, TIED
from divided_test import LOAD_CASES, OnRanks

STEP = 1e-4
LIB = ritz.BIN.parent / "lib"
TABLE = '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\noutside = "constant"\n'


class DividedGradient(OnRanks):
    def asked(self, case, probe, keys, more=""):
        by = ", ".join(f'"{key}"' for key in keys)
        return self.write(f"{case.stem}-gradient.toml", case.read_text() + f'[gradient]\nprobe = "{probe}"\nby = [{by}]\n{more}')

    def assert_same_gradient(self, ranks, program, case, by, settings, of=lambda report: report, relative=1e-6):
        """Numbers, and fields in all cells."""
        several, alone = self.solved(ranks, program, case, keys=settings), self.solve(program, case, keys=settings)
        fields = [vtu.read(next(path for path in reversed(outcome.report["outputs"]) if of(outcome.report).get("output", ".vtu") in path and path.endswith(".vtu")))["CellData"] for outcome in (several, alone)]
        for key in by:
            found, expected = (float(of(outcome.report)["facts"]["gradient " + key]) for outcome in (several, alone))
            self.assertNotEqual(expected, 0, key)
            self.assertLess(abs(found - expected), relative * abs(expected), key)
            found, expected = (each["gradient_" + key.replace(".", "_")] for each in fields)
            self.assertLess(max(abs(a - b) for a, b in zip(found, expected, strict=True)), relative * max(map(abs, expected)), key)
        return several

    def assert_differences(self, ranks, program, case, several, by, settings, value):
        """Of runs without [gradient]."""
        for key, given in by.items():
            low, high = (value(self.solved(ranks, program, case, keys={**settings, key: given * (1 + sign * STEP)})) for sign in (-1, 1))
            expected, found = (high - low) / (2 * STEP * given), float(several.report["facts"]["gradient " + key])
            self.assertLess(abs(found - expected), 1e-5 * abs(expected), key)


@unittest.skipUnless(shutil.which("mpirun") and list(LIB.glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class Statics(DividedGradient):
    def test_statics_with_a_matrix_and_without_one(self):
        heat = {"material.0.conductivity": 20.0, "source.0.value": 3000.0, "convection.0.coefficient": 30.0}
        body = {"material.0.young": 2e11, "material.0.poisson": 0.3, "pressure.0.value": 1e5}
        for program, cell, counts, probe, by, keys in (("ritz-heat", "mixed", (4, 4, 4), "heat", heat, {}), ("ritz-elasticity", "tetra", (4, 3, 3), "tip", body, {}),
                                                       ("ritz-elasticity", "hexa", (3, 3, 3), "tip", body, {"space.order": 4}), ("ritz-elasticity", "hexa", (4, 4, 4), "tip", body, {"solver.method": "direct"})):
            with self.subTest(program, cell=cell, keys=keys):
                case, keys = self.case(program, cell, counts), {"solver.tolerance": 1e-11, **keys}
                several = self.assert_same_gradient(3, program, self.asked(case, probe, by), by, keys)
                first = dict(list(by.items())[:1])
                number = lambda outcome: outcome.probes[probe][1] if isinstance(outcome.probes[probe], list) else outcome.probes[probe]
                self.assert_differences(2, program, case, several, first, keys, number)

    def test_load_cases(self):
        by = {"material.0.young": 2e11, "load_case.0.force.0.value.2": 300.0}
        case = self.case("ritz-elasticity", "hexa", (4, 4, 4), LOAD_CASES)
        self.assert_same_gradient(2, "ritz-elasticity", self.asked(case, "tip", by, 'load_case = "shear"\n'), ["material.0.young"], {"solver.tolerance": 1e-11},
                                  lambda report: report["load_cases"]["shear"])


@unittest.skipUnless(shutil.which("mpirun") and list(LIB.glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class InTime(DividedGradient):
    def test_linear_and_nonlinear_evolutions(self):
        """A conductivity that depends on the temperature: the tangent is not symmetric, and its adjoint is transposed on each rank."""
        time = '[time]\nend = 300.0\nstep = 60.0\n[initial]\ntemperature = "20 + 30*x"\n'
        self.write("k.csv", "temperature,k\n0,10\n300,50\n")
        case = self.case("ritz-heat", "mixed", (3, 3, 3), TABLE + time + '[[probe]]\nname = "end"\nfield = "temperature"\nregion = "right"\nmeasure = "mean"\n')
        by = {"source.0.value": 3000.0, "convection.0.coefficient": 30.0}
        keys = {"material.0.density": 1000.0, "material.0.specific_heat": 100.0, "solver.tolerance": 1e-11}
        for conductivity in (20.0, "k(T)"):
            with self.subTest(conductivity=conductivity):
                settings = {**keys, "material.0.conductivity": conductivity, "newton.tolerance": 1e-10} if conductivity != 20.0 else {**keys, "material.0.conductivity": conductivity}
                several = self.assert_same_gradient(3, "ritz-heat", self.asked(case, "end", by), by, settings)
                self.assert_differences(2, "ritz-heat", case, several, by, settings, lambda outcome: outcome.probes["end"])

    def test_a_tangent_that_is_not_symmetric_with_equations_between_unknowns(self):
        """T^T K^T T: a conductivity that depends on the temperature in two bodies that are tied, whose other sides are periodic."""
        (self.folder / "blocks.msh").write_text(boxes.blocks(("near", (2, 2, 2), lambda u, v, w: (u, v, w)), ("far", (3, 3, 2), lambda u, v, w: (1 + u, v, w))))
        self.write("k.csv", "temperature,k\n0,10\n300,50\n")
        time = '[time]\nend = 300.0\nstep = 60.0\n[initial]\ntemperature = "20 + 30*x"\n'
        end = '[[probe]]\nname = "end"\nfield = "temperature"\nregion = "far.x1"\nmeasure = "mean"\n'
        case = self.write("blocks.toml", HEAT + TIED + PERIODIC + TABLE + time + end)
        by = {"source.0.value": 3000.0, "convection.0.coefficient": 30.0}
        settings = {f"material.{k}.{key}": value for k in (0, 1) for key, value in (("conductivity", "k(T)"), ("density", 1000.0), ("specific_heat", 100.0))}
        settings |= {"source.0.value": 3000.0, "solver.tolerance": 1e-11, "newton.tolerance": 1e-10}
        several = self.assert_same_gradient(3, "ritz-heat", self.asked(case, "end", by), by, settings)
        self.assert_differences(2, "ritz-heat", case, several, {"source.0.value": 3000.0}, settings, lambda outcome: outcome.probes["end"])

    def test_motion(self):
        by = {"material.0.young": 2e11, "material.0.density": 7800.0}
        case = self.case("ritz-elasticity", "hexa", (4, 3, 3), "[time]\nend = 2e-4\nstep = 5e-5\n")
        self.assert_same_gradient(2, "ritz-elasticity", self.asked(case, "tip", by, 'over = "time"\n'), by, {"solver.tolerance": 1e-11})


if __name__ == "__main__":
    unittest.main()
