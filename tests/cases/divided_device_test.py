"""Ranks whose devices have memory of their own, by the device that only kernels and copies may touch: the bits are those of ranks on CPUs."""
import os
import shutil
import unittest

import ritz
from divided_test import LOAD_CASES, OnRanks

SMALL = {"RITZ_REPLICATED_UNKNOWNS": "60"}


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class DividedOnDevices(OnRanks):
    def both(self, ranks, program, case, keys, environment=None):
        runs = [self.on_ranks(ranks, program, case, "--device", device, keys=keys, environment=environment) for device in ("fake", "cpu")]
        for run in runs:
            self.assertEqual(run.exit, 0, run.log + run.errors)
        self.assertIn("fake", runs[0].report["device"])
        return runs

    def assert_same_bits(self, ranks, program, case, keys, environment=None):
        apart, cpus = self.both(ranks, program, case, keys, environment)
        self.assertEqual(apart.probes, cpus.probes)
        self.assertEqual(apart.report["solver"]["iterations"], cpus.report["solver"]["iterations"])
        return apart

    def test_statics(self):
        multigrid = {"solver.method": "cg", "solver.preconditioner": "multigrid"}
        fields = [("ritz-heat", "mixed", (4, 4, 2), 2, {"solver.preconditioner": "jacobi"}), ("ritz-elasticity", "tetra", (4, 3, 3), 3, {"solver.preconditioner": "chebyshev"}),
                  ("ritz-elasticity", "hexa", (8, 6, 6), 3, {**multigrid, "solver.multigrid.levels": "aggregation"}), ("ritz-heat", "hexa", (8, 8, 8), 2, multigrid),
                  ("ritz-elasticity", "hexa", (4, 4, 4), 2, {**multigrid, "mesh.order": 2}), ("ritz-heat", "quad", (16, 16), 3, multigrid),
                  ("ritz-elasticity", "hexa", (3, 3, 2), 2, {"space.order": 4, "material.0.young": "2e11 * (1 + y)"})]
        for program, cell, counts, ranks, keys in fields:
            with self.subTest(program=program, cell=cell, keys=keys):
                run = self.assert_same_bits(ranks, program, self.case(program, cell, counts), keys, SMALL)
                self.assertIn("divided among", run.report["solver"]["choice"])
        # The inverse of the coarsest matrix is that of a GPU, to rounding.
        apart, cpus = self.both(3, "ritz-heat", self.case("ritz-heat", "quad", (16, 16)), {**multigrid, "solver.multigrid.precision": "double"}, SMALL)
        self.assert_same("ritz-heat", apart, cpus)

    def test_several_fields(self):
        """Between facets and cells, whose Schur complement is summed by its owners, and on edges with auxiliary spaces."""
        for name, ranks, method in (("filter", 3, "minres"), ("sheets", 2, "gmres"), ("cavity", 2, "gmres")):
            with self.subTest(name):
                apart, cpus = self.both(ranks, "ritz-solve", ritz.example(f"several_fields/{name}"), {"solver.method": method}, SMALL)
                self.assertEqual(apart.report["solver"]["iterations"], cpus.report["solver"]["iterations"])
                for probe, value in cpus.probes.items():
                    self.assert_close(apart.probes[probe], value, 1e-9)

    def test_evolutions_newton_and_load_cases(self):
        heat = "[time]\nend = 300.0\nstep = 100.0\n[initial]\ntemperature = 20\n"
        varying = {"material.0.density": 1000, "material.0.specific_heat": "100 + 50 * y", "flux.0.value": "500 * sin(t / 100)"}
        radiation = '[[radiation]]\nregion = "top"\nemissivity = 0.8\nambient = 300\n[model]\nabsolute_zero = 0\n'
        for keys in ({}, {"space.order": 4}):
            self.assert_same_probes_on_devices("ritz-heat", self.case("ritz-heat", "hexa", (4, 3, 3), heat), {**keys, **varying})
        self.assert_same_probes_on_devices("ritz-heat", self.case("ritz-heat", "hexa", (4, 3, 3), radiation), {"temperature.0.value": 400})
        self.assert_same_probes_on_devices("ritz-elasticity", self.case("ritz-elasticity", "hexa", (4, 3, 3), LOAD_CASES), {})

    def assert_same_probes_on_devices(self, program, case, keys):
        apart, cpus = self.both(2, program, case, keys)
        self.assertEqual(apart.probes, cpus.probes)

    def test_relations_between_unknowns_and_factors(self):
        rigid = '[[rigid]]\nregion = "right"\n'
        case = self.case("ritz-elasticity", "hexa", (5, 3, 3), rigid)
        for keys in ({"solver.method": "cg"}, {"space.order": 4}):
            self.assert_same_bits(2, "ritz-elasticity", case, keys)
        apart, cpus = self.both(2, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (4, 3, 3)), {"solver.method": "direct"})
        self.assert_same("ritz-elasticity", apart, cpus)  # whose last digits differ from run to run

    def test_modes(self):
        for keys in ({}, {"space.order": 4}):
            case = self.case("ritz-elasticity", "hexa", (4, 3, 3))
            text = case.read_text()
            modal = self.write("modal.toml", text[: text.index("[[pressure]]")] + "[modal]\ncount = 3\n")
            apart, cpus = self.both(2, "ritz-modal", modal, keys)
            self.assertEqual(apart.fact("frequencies_hz"), cpus.fact("frequencies_hz"))


if __name__ == "__main__":
    unittest.main()
