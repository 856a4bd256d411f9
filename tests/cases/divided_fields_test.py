"""Forms of several fields on several ranks: each assembles its part, all factorise or iterate."""
import csv
import functools
import itertools
import math
import os
import re
import shutil
import subprocess
import unittest

import body_test
import boxes
import ritz
from divided_test import OnRanks
from ritz import example

LIB = ritz.BIN.parent / "lib"
# Of the examples: probes, and the methods that are divided.
EXAMPLES = {"cavity": ("middle", "lower"), "layers": ("pressure_left", "flux_right"), "channel": ("middle", "half_way"), "filter": ("flux", "pressure_left"), "slab": ("right_half",), "sheets": ("right_half",),
            "solenoid": ("field_in_iron", "flux")}


@unittest.skipUnless(shutil.which("mpirun") and list(LIB.glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class DividedFields(OnRanks):
    def beside_one_process(self, ranks, name, keys, relative=1e-6):
        case = example(f"several_fields/{name}")
        several, alone = self.solved(ranks, "ritz-solve", case, keys=keys), self.solve("ritz-solve", case, keys=keys)
        for probe in EXAMPLES[name]:
            self.assert_close(several.probes[probe], alone.probes[probe], relative)
        self.assertLess(float(several.report["facts"]["residual_certificate"]), 2e-8)
        return several, alone

    @unittest.skipUnless(list(LIB.glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_copies_of_a_sector_have_the_modes_of_one_process(self):
        case, keys = example("vibration/disc_sector"), {"modal.nodal_diameters": [2]}
        several, alone = self.solved(3, "ritz-modal", case, keys=keys), self.solve("ritz-modal", case, keys=keys)
        for mine, other in zip(several.fact("frequencies_hz_n2"), alone.fact("frequencies_hz_n2"), strict=True):
            self.assert_close(mine, other, 1e-9)
        text = case.read_text().replace("nodal_diameters = [0, 1, 2, 3]", "").replace("../joining/sector.msh", str(case.parents[1] / "joining" / "sector.msh"))
        around = self.write("around.toml", text + '[harmonic]\nengine_order = 2\nfrequencies = [3000, 4000]\ncount = 3\n[damping]\nratio = 0.01\n[[body_force]]\nregion = "steel"\nvalue = ["1e7*x", "1e7*y"]\n'
                            '[[probe]]\nname = "rim"\nfield = "displacement"\ncomponent = "x"\npoint = [0.35, 0.15]\n')
        several, alone = self.solved(3, "ritz-modal", around), self.solve("ritz-modal", around)
        self.assert_close(several.fact("largest_rim")[0], alone.fact("largest_rim")[0], 1e-7)

    @unittest.skipUnless(list(LIB.glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_bodies_of_revolution_with_waves_have_the_modes_of_one_process(self):
        """A disc that meets its axis, with a factor and by iterations."""
        self.write("disc.msh", boxes.grid(4))
        case = self.write("disc.toml", '[mesh]\nfile = "disc.msh"\n[model]\ntype = "axisymmetric"\n[[material]]\nregion = "all"\nyoung = 200e9\npoisson = 0.3\n'
                          "density = 8000\n[modal]\ncount = 4\nnodal_diameters = [0, 1, 2]\ntolerance = 1e-9\n")
        for method in ("lanczos", "lobpcg"):
            keys = {"modal.method": method}
            several, alone = self.solved(3, "ritz-modal", case, keys=keys), self.solve("ritz-modal", case, keys=keys)
            for n in range(3):
                for mine, other in zip(several.fact(f"frequencies_hz_n{n}"), alone.fact(f"frequencies_hz_n{n}"), strict=True):
                    self.assertAlmostEqual(mine, other, delta=1e-8 * alone.fact("frequencies_hz_n2")[-1])

    @unittest.skipUnless(list(LIB.glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_a_solid_by_displacement_and_pressure(self):
        """Small and large displacements: linear equations, and Newton's method."""
        case, keys = example("cook/cook"), {"mesh.order": 2, "model.type": "plane_strain", "material.0.formulation": "mixed", "output.error_estimate": "false"}
        for more in ({"material.0.poisson": 0.5}, {"model.large_displacement": "true", "material.0.law": "neo_hooke", "force.0.value": [0, 0.02]}):
            several, alone = self.solved(2, "ritz-elasticity", case, keys=keys | more), self.solve("ritz-elasticity", case, keys=keys | more)
            self.assert_close(several.probes["corner"], alone.probes["corner"], 1e-8)

    @unittest.skipUnless(list(LIB.glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_factorisations_give_the_solution_of_one_process(self):
        for ranks, name in zip((2, 3, 4, 2, 3, 4, 2), EXAMPLES):
            with self.subTest(name):
                several, _ = self.beside_one_process(ranks, name, {"solver.method": "auto"}, 1e-9)
                self.assertIn(f"factorised by {ranks} ranks together", several.report["solver"]["choice"])

    def test_iterations_are_those_of_one_process(self):
        for ranks, name, method in zip((3, 2, 4, 3, 2, 4, 3), EXAMPLES, itertools.cycle(("minres", "gmres"))):
            with self.subTest(name, method=method):
                several, alone = self.beside_one_process(ranks, name, {"solver.method": method})
                self.assertIn(f"divided among {ranks} ranks", several.report["solver"]["choice"])
                iterations = [outcome.report["solver"]["iterations"] for outcome in (several, alone)]
                self.assertLessEqual(iterations[0], 1.2 * iterations[1] + 2)

    def test_the_same_bits_on_as_many_ranks(self):
        first, again = (self.solved(3, "ritz-solve", example("several_fields/cavity"), keys={"solver.method": "minres"}) for _ in range(2))
        self.assertEqual(first.probes, again.probes)
        self.assertEqual(first.report["solver"]["iterations"], again.report["solver"]["iterations"])

    def test_each_rank_has_its_share(self):
        case = example("several_fields/cavity")
        for method in ("minres", "direct"):
            run = self.solved(4, "ritz-solve", case, keys={"solver.method": method, "mesh.refine": 1})
            peaks = self.peaks(run)
            self.assertLess(max(peaks), 1.15 * sum(peaks) / len(peaks))

    @unittest.skipUnless(list(LIB.glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_coefficients_and_loads_that_vary(self):
        """A rank may lack a material."""
        keys = {"material.0.permeability": '"1 + x*y + 0.5*sin(7*x)"', "load.0.value": '"3 + y"', "solver.tolerance": 1e-10}
        case = example("several_fields/filter")
        for ranks, method in ((2, "direct"), (3, "minres"), (4, "gmres")):
            several, alone = (solve("ritz-solve", case, keys={**keys, "solver.method": method}) for solve in (functools.partial(self.solved, ranks), self.solve))
            for probe in EXAMPLES["filter"]:
                self.assert_close(several.probes[probe], alone.probes[probe], 1e-9)

    def test_a_plugin_of_several_fields(self):
        """Its liquid at rest between walls, under a load along y: p = y - 1."""
        self.write("mesh.msh", boxes.grid(8))
        prescribe = '[[prescribe]]\nfield = "displacement"\nregion = "{}"\ncomponent = "{}"\nvalue = 0\n'
        text = f'plugin = "{example("several_fields/cavity").parents[1] / "programs" / "own_fields_kernels.cpp"}"\n[mesh]\nfile = "mesh.msh"\n[model]\nform = "incompressible"\n'
        text += '[[material]]\nregion = "all"\nmu = 1\n[[load]]\nfield = "displacement"\nregion = "all"\nvalue = [0, 1]\n'
        text += prescribe.format("left", "x") + prescribe.format("right", "x") + prescribe.format("bottom", "y")
        text += '[[probe]]\nname = "least"\nfield = "pressure"\nregion = "all"\nmeasure = "min"\n'
        run = self.solved(3, "ritz-solve", self.write("own.toml", text), keys={"solver.method": "minres", "solver.tolerance": 1e-10})
        self.assert_close(run.probes["least"], -1, 1e-7)

    def test_a_matrix_that_is_not_symmetric(self):
        """A temperature expands a body: blocks on one side of the diagonal alone."""
        self.write("mesh.msh", boxes.grid(6))
        prescribe = '[[prescribe]]\nfield = "{}"\nregion = "{}"\n{}\n'
        text = '[mesh]\nfile = "mesh.msh"\n[model]\nform = "thermo_elasticity2"\n[[material]]\nregion = "all"\nlambda = 1e9\nmu = 1e9\nstress = 1e4\nconductivity = 10\n'
        text += prescribe.format("displacement", "left", "value = 0") + prescribe.format("temperature", "left", "value = 0") + prescribe.format("temperature", "right", "value = 50")
        text += '[[probe]]\nname = "end"\nfield = "displacement"\nregion = "right"\nmeasure = "mean"\ncomponent = "x"\n'
        case = self.write("thermal.toml", text)
        for method in ("gmres", "direct"):
            keys = {"solver.method": method, "solver.tolerance": 1e-10}
            several, alone = self.solved(3, "ritz-solve", case, keys=keys), self.solve("ritz-solve", case, keys=keys)
            self.assert_close(several.probes["end"], alone.probes["end"], 1e-7)

    def test_errors_of_one_process(self):
        """Of a singular matrix, which no rank gets to see; and of a method that this matrix does not suit."""
        free = re.sub(r"(?s)\[\[prescribe\]\]\nfield = \"pressure\".*?\n(?=\[)", "", example("several_fields/cavity").read_text())
        self.assertNotIn('field = "pressure"\nregion = "', free)
        for path in example("several_fields/cavity").parent.glob("*.msh"):
            shutil.copy(path, self.folder)
        outcome = self.on_ranks(2, "ritz-solve", self.write("free.toml", free))
        self.assertEqual((outcome.exit, outcome.errors.count("error: ")), (4, 1), outcome.errors)
        self.assertIn("a constant may be added to the field 'pressure'", outcome.errors)

    def test_newton_and_time_go_over_ranks(self):
        """The steps of one process, and fewer than in the examples."""
        for name, ranks, keys in (("rubber", 2, {"newton.increments": 2, "prescribe.1.value": 0.1}), ("consolidation", 3, {"time.end": 4e-6, "time.output": 4e-6})):
            case = example(f"several_fields/{name}")
            with self.subTest(name=name):
                several, alone = self.solved(ranks, "ritz-solve", case, keys=keys), self.solve("ritz-solve", case, keys=keys)
                self.assertEqual(several.report["solver"]["iterations"], alone.report["solver"]["iterations"])
                for probe, value in alone.probes.items():
                    self.assert_close(several.probes[probe], value, 1e-5)

    def test_every_rank_runs_the_same_program(self):
        """Heat and Stokes statics of a program of a user (examples/programs/on_ranks.cpp), which knows its answers; the first rank prints."""
        program = ritz.BIN / "on_ranks"
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
        texts = []
        for command in ([program], *([*launcher, "-n", str(ranks), program] for ranks in (1, 2, 3, 3))):
            run = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "OMP_NUM_THREADS": "1"})
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            texts.append(run.stdout)
        self.assertEqual((texts[0], texts[3]), (texts[1], texts[4]))
        iterations = [[int(count) for count in re.findall(r"(\d+) iterations", text)] for text in texts]
        for several in iterations[2:]:
            for mine, alone in zip(several, iterations[0], strict=True):
                self.assertLessEqual(abs(mine - alone), 1)

    def curls(self, cell, counts, b):
        """curl(a curl A) + b A = 0 on edges, driven along one side."""
        d = len(counts)
        (self.folder / "part.msh").write_text(boxes.cut(cell, counts))
        text = '[mesh]\nfile = "part.msh"\n' + "".join(f'[[region]]\nname = "x{v}"\nkind = "facets"\nplane = {{point = {[v, 0, 0][:d]}, normal = {[1, 0, 0][:d]}}}\n' for v in (0, 1))
        text += f'[model]\nform = "curl_curl{d}"\n[[material]]\nregion = "part"\na = 1\nb = {b}\n[[load]]\nfield = "field"\nregion = "x1"\nvalue = {[0, 1, 0][:d]}\n'
        text += f'[[prescribe]]\nregion = "x0"\nvector = {[0, 0, 0][:d]}\n'
        return self.write(f"{cell}.toml", text + '[[probe]]\nname = "mean"\nfield = "field"\ncomponent = "y"\nvalues = "cells"\nregion = "part"\nmeasure = "mean"\n')

    def test_edges_are_iterated_by_auxiliary_spaces_over_ranks(self):
        """In the plane and in space, where levels are divided to the end, too. Corners are so many that one process has no inverse of their matrix."""
        few = {"RITZ_REPLICATED_UNKNOWNS": "60"}
        for cell, counts, b, ranks, environment, method in (("quad", (48, 48), 5, 3, None, "minres"), ("triangle", (40, 40), 1e-2, 2, few, "gmres"),
                                                            ("hexa", (12, 12, 12), 0.1, 4, None, "gmres"), ("tetra", (10, 10, 10), 20, 3, few, "minres")):
            case = self.curls(cell, counts, b)
            with self.subTest(cell=cell, method=method):
                keys = {"solver.method": method, "solver.tolerance": 1e-8}
                several, alone = self.solved(ranks, "ritz-solve", case, keys=keys, environment=environment), self.solve("ritz-solve", case, keys=keys)
                self.assertIn("auxiliary spaces", several.report["solver"]["preconditioner"])
                self.assertIn(f"divided among {ranks} ranks", several.report["solver"]["choice"])
                self.assertLessEqual(several.report["solver"]["iterations"], 1.2 * alone.report["solver"]["iterations"] + 1)
                self.assert_close(several.probes["mean"], alone.probes["mean"], 1e-7)
                again = self.solved(ranks, "ritz-solve", case, keys=keys, environment=environment)
                self.assertEqual((several.probes, several.report["solver"]["iterations"]), (again.probes, again.report["solver"]["iterations"]))

    def test_few_corners_are_inverted_by_each_rank(self):
        case = self.curls("hexa", (6, 7, 5), 0.1)
        for method in ("minres", "gmres"):
            several, alone = (run("ritz-solve", case, keys={"solver.method": method}) for run in (lambda *a, **k: self.solved(4, *a, **k), self.solve))
            self.assertLessEqual(abs(several.report["solver"]["iterations"] - alone.report["solver"]["iterations"]), 1)

    @unittest.skipUnless(list(LIB.glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_modes_are_those_of_one_process(self):
        """A cavity, whose k^2 = pi^2 (m^2 + n^2) + 1; and a free bar, half of it a solid and half a beam, which has six rigid motions, then at rest under a force."""
        (self.folder / "mesh.msh").write_text(boxes.grid(8))
        text = '[mesh]\nfile = "mesh.msh"\n[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = 1\n[[inertia]]\nform = "curl_curl2"\nregion = "all"\na = 0\nb = 1\n'
        for side in ("left", "right", "top", "bottom"):
            text += f'[[prescribe]]\nregion = "{side}"\nvector = [0, 0]\n'
        case = self.write("cavity.toml", text + "[modal]\nband = [0.4, 0.8]\n")
        several, alone = self.solved(3, "ritz-solve", case), self.solve("ritz-solve", case)
        self.assertEqual(len(several.fact("eigenvalues")), 3)
        for mine, other in zip(several.fact("eigenvalues"), alone.fact("eigenvalues"), strict=True):
            self.assert_close(mine, other, 1e-9)
        (self.folder / "body.msh").write_text(body_test.bar_and_beam())
        without_probes = lambda load: (text := body_test.case(load=load))[:text.index("[[probe]]")]
        held = without_probes("[modal]\ncount = 8\n")
        free = held.replace('[[support]]\nregion = "wall"\nfixed = true\n', "")
        loaded = without_probes('[modal]\ncount = 8\npreload = true\n[[force]]\nregion = "tip"\nvalue = [-8e6, 0, 0]\n')
        lowest = {}
        for ranks, name, text in ((3, "free", free), (2, "held", held), (3, "loaded", loaded)):
            case = self.write(f"{name}.toml", text)
            several, alone = self.solved(ranks, "ritz-modal", case), self.solve("ritz-modal", case)
            self.assertEqual(several.fact("rigid_body_modes"), alone.fact("rigid_body_modes"))
            frequencies = several.fact("frequencies_hz")
            for mine, other in zip(frequencies, alone.fact("frequencies_hz"), strict=True):
                self.assertAlmostEqual(mine, other, delta=1e-6 * other + 1e-9)
            lowest[name] = frequencies[0]
        critical = math.pi**2 * body_test.E * body_test.H * body_test.B**3 / 12 / (4 * body_test.L**2)
        self.assert_close((lowest["loaded"] / lowest["held"])**2, 1 - 8e6 / critical, 0.03)

    def table(self, outcome):
        """Of the probe in the middle, at each time."""
        with open(next((outcome.folder / "results").glob("*_probes.csv"))) as table:
            return [float(row["middle"]) for row in csv.DictReader(table)]

    def test_prescribed_values_that_vary_in_time(self):
        """Couette's flow in the end: half of the speed in the middle."""
        (self.folder / "mesh.msh").write_text(boxes.grid(6))
        prescribe = '[[prescribe]]\nfield = "{}"\nregion = "{}"\n{}\n'
        text = '[mesh]\nfile = "mesh.msh"\n[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 1\n[[capacity]]\nfield = "velocity"\nregion = "all"\nvalue = 0.1\n'
        text += prescribe.format("velocity", "bottom", "value = 0") + prescribe.format("velocity", "top", 'component = "x"\nvalue = "min(t, 1)"')
        text += "".join(prescribe.format("velocity", side, 'component = "y"\nvalue = 0') for side in ("top", "left", "right"))
        text += '[time]\nend = 4\nstep = 0.25\noutput = 0.5\n[[probe]]\nname = "middle"\nfield = "velocity"\ncomponent = "x"\npoint = [0.5, 0.5]\n'
        case = self.write("couette.toml", text)
        keys = {"solver.method": "minres", "solver.tolerance": 1e-10}
        several, alone = self.solved(3, "ritz-solve", case, keys=keys), self.solve("ritz-solve", case, keys=keys)
        mine, other = self.table(several), self.table(alone)
        self.assertGreaterEqual(len(mine), 8)
        for one, reference in zip(mine, other, strict=True):
            self.assertAlmostEqual(one, reference, delta=1e-7)
        self.assert_close(mine[-1], 0.5, 1e-6)

    def test_what_is_not_divided_is_refused(self):
        (self.folder / "cell.msh").write_text(boxes.cut("quad", (1, 1)))
        case = self.write("cell.toml", self.curls("quad", (3, 3), 1).read_text().replace("part.msh", "cell.msh"))
        for arguments in ((), ("--check",)):
            outcome = self.on_ranks(5, "ritz-solve", case, *arguments, keys={"solver.method": "minres"})
            self.assertEqual((outcome.exit, outcome.errors.count("error: ")), (8, 1), outcome.errors)
            self.assertIn("started as 5 ranks, and a field 'field' of 4 nodes is not divided among them", outcome.errors)


if __name__ == "__main__":
    unittest.main()
