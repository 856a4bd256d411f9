"""Forecasts of --check, --estimate and `ritz size`, compared with measured runs."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

import ritz

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import box_meshes  # noqa: E402
import forecast_table  # noqa: E402  names of the ways to solve
import model_texts  # noqa: E402


class ForecastTest(ritz.CaseTest):
    def test_check_and_estimate_say_what_the_run_takes(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (28, 14, 14))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\n' +
                          model_texts.ELASTICITY)
        check = self.run_case("ritz-elasticity", case, "--check")
        self.assertEqual(check.exit, 0, check.errors)
        self.assertIn("forecast: ", check.log)
        estimate = self.run_case("ritz-elasticity", case, "--estimate")
        self.assertIn("without a matrix", estimate.log)
        self.assertIn("H200", estimate.log)
        self.assertEqual(estimate.report["outputs"], [])
        peak = self.solve("ritz-elasticity", case).report["memory"]["device_peak"]
        forecast = estimate.report["forecast"]["multigrid, single precision"]
        self.assertLess(abs(forecast["device_peak"] / peak - 1), 0.15)
        self.assertEqual(sum(forecast["at_peak"].values()), forecast["device_peak"])
        tight = self.run_case("ritz-elasticity", case, "--check", "--memory-limit", int(0.7 * peak))
        self.assertIn("fits with", tight.log)

    def check_forecast(self, program, case, path, tolerance, *arguments):
        """The device's peak that --estimate foresees for a path, beside that of the run."""
        estimate = self.run_case(program, case, "--estimate", *arguments)
        self.assertEqual(estimate.exit, 0, estimate.errors)
        self.assertEqual(estimate.report["outputs"], [])
        run = self.solve(program, case, *arguments)
        forecast, memory = estimate.report["forecast"][path], run.report["memory"]
        self.assertLess(abs(forecast["device_peak"] / memory["device_peak"] - 1), tolerance)
        if memory["host_peak"] - memory["host_counted"] < 80e6:  # else there is a sanitizer's, or a GPU's driver
            self.assertLess(abs(forecast["host_peak"] / memory["host_peak"] - 1), 0.25)
        return estimate, forecast, run

    def test_a_gradient_has_a_matrix_of_its_own_and_cells_apart(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (28, 14, 14))
        for program, text, field, key in (("ritz-elasticity", model_texts.ELASTICITY, 'displacement"\ncomponent = "x', "young"), ("ritz-heat", model_texts.HEAT, "temperature", "conductivity")):
            with self.subTest(program):
                case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\n' + text + f'[[probe]]\nname = "p"\nfield = "{field}"\npoint = [0.4, 0.2, 0.2]\n'
                                  f'[gradient]\nprobe = "p"\nby = "material.0.{key}"\n')
                self.check_forecast(program, case, "multigrid, single precision", 0.15)

    def test_gradients_on_small_meshes_of_either_order(self):
        """Their hierarchies are little more than a dense inverse; numbers that may be no formulas have cells apart of their own."""
        probe = '[[probe]]\nname = "p"\nfield = "displacement"\ncomponent = "x"\npoint = [0.4, 0.2, 0.2]\n[gradient]\nprobe = "p"\nby = '
        heavy = model_texts.HEAVY + '[gravity]\nacceleration = [0, 0, -1e-4]\n'
        young, both = '"material.0.young"\n', '["material.0.young", "gravity.acceleration.2"]\n'
        for cells, order, model, by in (("hex", 1, model_texts.ELASTICITY, young), ("tet", 1, model_texts.ELASTICITY, young), ("tet", 2, model_texts.ELASTICITY, young),
                                        ("hex", 2, heavy, both)):
            with self.subTest(cells=cells, order=order):
                box_meshes.write_box(self.folder / f"{cells}.msh", cells, (12, 8, 8))
                case = self.write("box.toml", f'[mesh]\nfile = "{cells}.msh"\norder = {order}\n[solver]\n{model_texts.MULTIGRID}\n{model}{probe}{by}')
                self.check_forecast("ritz-elasticity", case, forecast_table.SINGLE, 0.15)

    def test_edges_of_triangles_have_several_hierarchies(self):
        """Each with a dense inverse of the size that aggregates of their strong neighbours leave."""
        for side in (20, 40, 60):
            box_meshes.write_rectangle(self.folder / "square.msh", box_meshes.TRIANGLES, (side, side, 0))
            case = self.write("curl.toml", '[mesh]\nfile = "square.msh"\n[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = 0.1\n'
                              '[[load]]\nfield = "field"\nregion = "x1"\nvalue = [0, 1]\n[solver]\nmethod = "minres"\n')
            with self.subTest(side=side):
                self.check_forecast("ritz-solve", case, "iterative", 0.15)

    def test_cards_hold_slabs_of_element_results_that_a_cpu_does_not_need(self):
        """11 MB for halves of the element matrices of 4096 of the 6144 cells, beside the matrix while it is assembled."""
        box_meshes.write_box(self.folder / "box.msh", "hex", (24, 16, 16))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n' + model_texts.ELASTICITY)
        cards = self.write("cards.txt", "less; 0.036; 100\nmore; 0.05; 100\n")  # GB, of which 94 % can be had
        estimate = self.run_case("ritz-elasticity", case, "--estimate", environment={"RITZ_CARDS": str(cards)})
        peak = estimate.report["forecast"]["multigrid, single precision"]["device_peak"]
        self.assertLess(peak, 0.94 * 0.036e9)
        if "gpu" not in estimate.report["device"]:
            self.assertRegex(estimate.log, r"less +\S+ MB  fits with: without a matrix")
        self.assertRegex(estimate.log, r"more +\S+ MB  fits,")

    def test_hierarchies_of_what_yields_are_refreshed(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (24, 16, 16))
        case = self.write("yields.toml", '[mesh]\nfile = "box.msh"\n[model]\nform = "von_mises_plasticity"\n[newton]\nincrements = 2\n'
                          '[[material]]\nregion = "all"\nyoung = 1000\npoisson = 0.3\nyield_stress = 1\nisotropic_hardening = 10\n[[prescribe]]\nregion = "x0"\nvalue = 0\n'
                          '[[prescribe]]\nregion = "x1"\ncomponent = 0\nvalue = 0.004\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\noperator = "matrix"\n')
        self.check_forecast("ritz-solve", case, "multigrid, single precision", 0.1)

    def test_results_do_not_stand_beside_what_the_solver_had(self):
        box_meshes.write_box(self.folder / "box.msh", "tet", (24, 12, 12))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\n' + model_texts.MULTIGRID + "\n" + model_texts.ELASTICITY)
        _, forecast, run = self.check_forecast("ritz-elasticity", case, forecast_table.SINGLE, 0.1)
        memory = run.report["memory"]
        self.assertLess(memory["cached"], 0.4 * memory["device_peak"])  # else half and more
        if "gpu" not in run.report["device"]:  # arrays of a CPU are the host's: the results of a sweep's members come on top of them
            kept = self.write("sweep.toml", case.read_text() + model_texts.MEMBERS.format(key="material.0.young", first=1, last=2, count=2))
            _, member, _ = self.check_forecast("ritz-elasticity", kept, forecast_table.SINGLE, 0.1)
            self.assertGreater(member["host_peak"], forecast["host_peak"])

    def test_the_choice_of_auto_is_foreseen_where_sizes_make_it(self):
        """Small systems and slender bodies are factorised, perhaps after a trial with the diagonal; whether that is enough for larger ones only the residual says."""
        for program, text in (("ritz-heat", model_texts.HEAT), ("ritz-elasticity", model_texts.ELASTICITY)):
            box_meshes.write_box(self.folder / "box.msh", "hex", (12, 7, 7))
            case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n' + text)
            estimate, _, run = self.check_forecast(program, case, "direct", 0.1)
            self.assertEqual(next(iter(estimate.report["forecast"])), "direct")
            self.assertNotIn("multigrid", run.report["solver"]["preconditioner"])
        box_meshes.write_box(self.folder / "box.msh", "hex", (24, 12, 12))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n' + model_texts.HEAT)
        estimate, forecast, run = self.check_forecast("ritz-heat", case, "conjugate gradients with the diagonal", 0.1)
        self.assertEqual(run.report["solver"]["preconditioner"], "Jacobi")
        self.assertIn(" where the diagonal alone is enough)", estimate.log)

    def test_gradients_by_positions_have_cells_apart(self):
        probe = '[[probe]]\nname = "p"\nfield = "temperature"\npoint = [0.4, 0.2, 0.2]\n[gradient]\nprobe = "p"\nby = "points"\n'
        box_meshes.write_box(self.folder / "box.msh", "hex", (16, 8, 8))
        head = '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\n'
        self.check_forecast("ritz-heat", self.write("box.toml", head + model_texts.HEAT + probe), "multigrid, single precision", 0.15)
        text = model_texts.HEAT.replace("[[material]]\n", "[[material]]\ndensity = 7800\nspecific_heat = 460\n") + "[initial]\ntemperature = 20\n[time]\nend = 1e5\nstep = 1e4\n"
        # The system of the steps stays beside that of the adjoint.
        self.check_forecast("ritz-heat", self.write("time.toml", head + text + probe), "multigrid, single precision", 0.2)

    def test_times_are_those_of_the_machine_within_a_factor_of_ten(self):  # which others use; a rate of its caches is that much off
        box_meshes.write_box(self.folder / "box.msh", "hex", (36, 18, 18))
        for method in ("cg", "direct"):
            solver = f'method = "{method}"\n' + ("" if method == "direct" else 'preconditioner = "multigrid"\n')
            case = self.write(f"{method}.toml", '[mesh]\nfile = "box.msh"\n[solver]\n' + solver + model_texts.ELASTICITY)
            estimate = self.run_case("ritz-elasticity", case, "--estimate", environment={"XDG_CACHE_HOME": str(self.folder)})
            self.assertIn("measured now" if method == "cg" else "measured here before", estimate.log)
            foreseen = float(re.search(r"  (?:direct|multigrid, single).*about ([\d.]+) s", estimate.log).group(1))
            phases = self.solve("ritz-elasticity", case).report["phases"]
            taken = phases["assembly"]["seconds"] + phases["solve"]["seconds"]
            self.assertGreater(foreseen, taken / 10)
            self.assertLess(foreseen, taken * 10)

    def test_newtons_loop_and_equations_that_are_not_symmetric(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (20, 12, 12))
        mesh = '[mesh]\nfile = "box.msh"\n'
        rubber, head = model_texts.NEWTON.split("\n", 1)[::-1]
        newton = self.write("rubber.toml", f'{head}\n{mesh}{rubber}[solver]\nmethod = "cg"\npreconditioner = "jacobi"\n')
        estimate, forecast, run = self.check_forecast("ritz-solve", newton, "conjugate gradients with the diagonal", 0.1)
        self.assertIn("assembly lists", forecast["at_peak"])  # which stay from step to step
        self.assertGreater(int(run.report["facts"]["newton_steps"]), 1)
        quadratic = self.write("quadratic.toml", f"{head}\n{mesh}order = 2\n{rubber}")  # without a matrix, tangents at points
        estimate, forecast, run = self.check_forecast("ritz-solve", quadratic, forecast_table.P_MULTIGRID, 0.1)
        self.assertEqual(next(iter(estimate.report["forecast"])), forecast_table.P_MULTIGRID)
        self.assertTrue(run.report["solver"]["preconditioner"].startswith("p-multigrid"), run.report["solver"])
        self.assertGreater(forecast["at_peak"]["point tangents"], 0.2 * forecast["device_peak"])
        flux, head = model_texts.UNSYMMETRIC.split("\n", 1)[::-1]
        case = self.write("flux.toml", f'{head}\n{mesh}{flux}[solver]\nmethod = "gmres"\npreconditioner = "multigrid"\nrestart = 60\n')
        estimate, forecast, run = self.check_forecast("ritz-solve", case, "multigrid, single precision", 0.15)
        unknowns = run.report["unknowns"]
        self.assertGreater(forecast["at_peak"]["vectors"], 120 * 8 * unknowns)  # two bases
        self.assertNotIn("without a matrix", estimate.report["forecast"])

    def test_the_geometry_of_bent_cells_is_foreseen(self):
        """Tensor cells that are not straight keep their geometry at points, which is the largest part; those of order 3 their own points, too."""
        data = pathlib.Path(__file__).resolve().parents[1] / "data" / "mfem"
        for mesh, refine in (("star-q3", 5), ("fichera-mixed-p2", 3)):
            case = self.write(f"{mesh}.toml", f'''[mesh]
file = "{data / mesh}.mesh"
refine = {refine}
[space]
order = 3
[[region]]
name = "boundary"
kind = "facets"
expression = "1"
[[material]]
region = "all"
conductivity = 1
[[source]]
region = "all"
value = 1
[[temperature]]
region = "boundary"
value = 0
''')
            with self.subTest(mesh=mesh):
                _, forecast, _ = self.check_forecast("ritz-heat", case, forecast_table.P_MULTIGRID, 0.1)
                self.assertGreater(forecast["at_peak"]["point geometry"], 0.1 * forecast["device_peak"])

    def test_a_factor_is_foreseen_by_the_analysis_of_the_run(self):
        box_meshes.write_structure(self.folder / "plate.msh", "plate", (40, 30, 0))
        box_meshes.write_box(self.folder / "box.msh", "hex", (16, 8, 8))
        shell = self.write("plate.toml", '[mesh]\nfile = "plate.msh"\n' + model_texts.SHELL)
        solid = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "direct"\n' +
                           model_texts.ELASTICITY)
        for program, case in (("ritz-structure", shell), ("ritz-elasticity", solid)):
            estimate, forecast, run = self.check_forecast(program, case, "direct", 0.1)
            self.assertEqual(list(estimate.report["forecast"]), ["direct"])
            self.assertGreater(forecast["factor"], 1_000_000)
            self.assertEqual(forecast["factor"], run.report["solver"]["factor_bytes_foreseen"])
        # A CPU's factor lies on the host: where the host has no room for it, it does not fit, and the run says so, too.
        check = self.run_case("ritz-elasticity", solid, "--check")
        limit = ("--host-memory-limit", check.report["memory"]["host_counted"] + 1_000_000)
        self.assertIn("does not fit", self.run_case("ritz-elasticity", solid, "--check", *limit).log)
        self.assertEqual(self.run_case("ritz-elasticity", solid, *limit).exit, 6)
        self.assertTrue(forecast["fits"])

    def test_what_members_of_a_sweep_leave_for_the_next_is_counted(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (40, 30, 30))
        head = '[mesh]\nfile = "box.msh"\n' + model_texts.HEAT + "[solver]\n" + model_texts.MULTIGRID
        alone = self.write("alone.toml", head)
        _, one, _ = self.check_forecast("ritz-heat", alone, forecast_table.SINGLE, 0.1)
        members = model_texts.MEMBERS.format(key="material.0.conductivity", first=1, last=3, count=9)
        estimate, forecast, run = self.check_forecast("ritz-heat", self.write("materials.toml", head + members), forecast_table.SINGLE, 0.1)
        self.assertIn("sweep: 9 members", estimate.log)
        self.assertGreater(forecast["at_peak"]["vectors"], one["at_peak"]["vectors"] + 8 * 8 * run.report["unknowns"])  # eight earlier solutions
        self.assertGreater(forecast["device_peak_refreshed"], forecast["device_peak"])
        loads = model_texts.MEMBERS.format(key="flux.0.value", first=1, last=2, count=20)
        _, forecast, run = self.check_forecast("ritz-heat", self.write("loads.toml", head + loads), forecast_table.SINGLE, 0.1)
        self.assertEqual(run.report["facts"]["sweep_largest_batch"], "20")
        self.assertGreater(forecast["at_peak"]["vectors"], 80 * 8 * run.report["unknowns"])  # right-hand sides and solutions of all of them, six of a group

    def test_load_cases_and_their_combinations(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (24, 12, 12))
        box_meshes.write_box(self.folder / "hot.msh", "hex", (40, 30, 30))
        mesh = '[mesh]\nfile = "box.msh"\n'
        multigrid = "[solver]\n" + model_texts.MULTIGRID + "\n"
        texts = {"ritz-elasticity": ((mesh + multigrid + model_texts.PULLED_SUMS, forecast_table.SINGLE),
                                     (mesh + multigrid + model_texts.WEIGHED_AND_PULLED, forecast_table.SINGLE),
                                     (mesh + '[solver]\nmethod = "direct"\n' + model_texts.PULLED_SUMS, forecast_table.DIRECT),
                                     (mesh + "order = 2\n" + model_texts.WEIGHED_SUMS, forecast_table.P_MULTIGRID)),
                 "ritz-heat": ((mesh.replace("box", "hot") + multigrid + model_texts.HEATED_SUMS, forecast_table.SINGLE),)}
        for program, cases in texts.items():
            for number, (text, path) in enumerate(cases):
                with self.subTest(program=program, number=number):
                    self.check_forecast(program, self.write(f"{program}{number}.toml", text), path, 0.1)

    def test_two_load_cases_are_solved_one_by_one_and_checkpoints_need_hdf5(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (12, 8, 8))
        host = {}
        for output in ("vtu", "vtkhdf"):
            text = f'[mesh]\nfile = "box.msh"\n[output]\nformat = "{output}"\n[solver]\n{model_texts.MULTIGRID}\n' + model_texts.load_cases(model_texts.ELASTICITY, "force", model_texts.PULLS[:2], 0)
            _, forecast, run = self.check_forecast("ritz-elasticity", self.write(f"{output}.toml", text), forecast_table.SINGLE, 0.1)
            host[output] = forecast["host_peak"]
            if run.report["memory"]["host_peak"] - run.report["memory"]["host_counted"] < 80e6:
                self.assertLess(abs(forecast["host_peak"] / run.report["memory"]["host_peak"] - 1), 0.15)
        self.assertGreater(host["vtu"], host["vtkhdf"] + 5e6)  # which has the library anyway

    def test_combinations_take_the_memory_of_one(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (12, 8, 8))
        peaks = []
        for count in (1, 12):
            text = model_texts.load_cases(model_texts.ELASTICITY, "force", model_texts.PULLS[:2], count)
            run = self.solve("ritz-elasticity", self.write("sums.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\noperator = "matrix_free"\n' + text))
            self.assertEqual(len(run.report["combinations"]), count)
            peaks.append(run.report["memory"]["device_peak"])
        self.assertEqual(peaks[0], peaks[1])

    def test_both_ways_to_modes(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (16, 8, 8))
        case = self.write("modes.toml", '[mesh]\nfile = "box.msh"\n' + model_texts.MODAL + "[modal]\ncount = 6\n")
        estimate, forecast, run = self.check_forecast("ritz-modal", case, forecast_table.LANCZOS, 0.1)
        self.assertEqual(list(estimate.report["forecast"]), [forecast_table.LANCZOS, forecast_table.LOBPCG])  # it would be stepped down to
        self.assertEqual(forecast["factor"], run.report["solver"]["factor_bytes_foreseen"])
        self.assertGreater(forecast["at_peak"]["eigenvectors"], 46 * 8 * run.report["unknowns"])
        estimate, forecast, run = self.check_forecast("ritz-modal", case, forecast_table.LOBPCG, 0.15, "--set", "modal.method=lobpcg")
        self.assertEqual(list(estimate.report["forecast"]), [forecast_table.LOBPCG])
        order2 = self.write("order2.toml", case.read_text().replace('msh"\n', 'msh"\norder = 2\n'))
        estimate, forecast, run = self.check_forecast("ritz-modal", order2, forecast_table.LOBPCG_FREE, 0.1, "--set", "modal.method=lobpcg",
                                                      "--set", "modal.operator=matrix_free")
        self.assertEqual(list(estimate.report["forecast"]), [forecast_table.LOBPCG_FREE])
        self.assertLess(forecast["device_peak"], 1000 * run.report["unknowns"])
        estimate, forecast, run = self.check_forecast("ritz-modal", order2, forecast_table.LOBPCG, 0.1, "--set", "modal.method=lobpcg")
        self.assertEqual(list(estimate.report["forecast"]), [forecast_table.LOBPCG, forecast_table.LOBPCG_FREE])
        both = self.run_case("ritz-modal", order2, "--estimate").report["forecast"]
        self.assertEqual(list(both), [forecast_table.LANCZOS, forecast_table.LOBPCG_FREE])
        band = self.run_case("ritz-modal", self.write("band.toml", case.read_text().replace("count = 6", "band = [0, 0.1]")), "--check")
        self.assertIn("only when they are counted", band.log)

    def test_every_program_has_an_estimate(self):
        for program in ("ritz-heat", "ritz-elasticity", "ritz-modal", "ritz-structure", "ritz-solve"):
            shown = subprocess.run([str(ritz.BIN / program), "--help"], capture_output=True, text=True, timeout=60).stdout
            refused = subprocess.run([str(ritz.BIN / program), "no.toml", "--estimate"], capture_output=True, text=True, timeout=60)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--estimate", shown)
            self.assertIn("no.toml", refused.stderr)


class SizeTest(ritz.CaseTest):
    def tool(self, *arguments):
        return subprocess.run([str(ritz.BIN / "ritz"), *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def test_size_answers_without_a_mesh_and_grows_with_the_unknowns(self):
        def gigabytes(unknowns):
            text = self.tool("size", "--unknowns", unknowns, "--cell", "hex8").stdout
            return float(text.split("device peak")[1].split("GB")[0])
        self.assertAlmostEqual(gigabytes("80e6") / gigabytes("20e6"), 4, delta=0.05)
        self.assertIn("does not fit", self.tool("size", "--unknowns", "1e9", "--cell", "tet10").stdout)

    def test_size_speaks_of_meshes_that_are_no_refinements(self):
        text = self.tool("size", "--unknowns", "1e6", "--physics", "elasticity", "--cell", "tet4").stdout
        self.assertGreater(int(text.split(" bytes per unknown")[0].split()[-1]), 1150)  # runs take 1280; over nested meshes 830

    def test_size_of_each_of_several_ranks(self):
        def gigabytes(ranks):
            text = self.tool("size", "--unknowns", "80e6", "--cell", "hex8", "--ranks", ranks).stdout
            return float(text.split("device peak")[1].split("GB")[0]), text
        (alone, _), (shared, text) = gigabytes(1), gigabytes(8)
        side = (80e6 / 3 / 8) ** (1 / 3)
        self.assertAlmostEqual(shared / alone, ((side + 2) / side) ** 3 / 8, delta=0.003)
        self.assertIn("each of 8 ranks", text)
        self.assertEqual(self.tool("size", "--unknowns", "300", "--ranks", "200").returncode, 2)

    def test_size_counts_the_factor_of_each_rank(self):
        """Of hexahedra in a cube: beside the analysis of a mesh, and as the power 4/3 of the unknowns."""
        def factor(*arguments):
            found = re.search(r"direct .*, factor ([\d.]+) (MB|GB)", self.tool("size", "--cell", "hex8", *arguments).stdout)
            return float(found[1]) * (1e3 if found[2] == "GB" else 1)
        box_meshes.write_box(self.folder / "box.msh", "hex", (26, 26, 26))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n' + model_texts.ELASTICITY)
        run = self.run_case("ritz-elasticity", case, "--estimate", keys={"solver.method": "direct"})
        analysed = 1e-6 * run.report["forecast"]["direct"]["factor"]
        self.assertAlmostEqual(factor("--unknowns", 3 * 27**3) / analysed, 1, delta=0.15)
        self.assertAlmostEqual(factor("--unknowns", "8e6") / factor("--unknowns", "1e6"), 16, delta=0.2)
        self.assertLess(factor("--unknowns", "1e6", "--ranks", "8"), 0.25 * factor("--unknowns", "1e6"))

    def test_size_respects_a_table_of_cards(self):
        cards = self.write("cards.txt", "# name; GB; GB/s\nTiny; 1; 100\n")
        os.environ["RITZ_CARDS"] = str(cards)
        self.addCleanup(os.environ.pop, "RITZ_CARDS")
        text = self.tool("size", "--unknowns", "20e6").stdout
        self.assertIn("Tiny", text)
        self.assertNotIn("H200", text)

    def test_size_refuses_senseless_questions(self):
        for arguments in (("--unknowns", "0"), ("--unknowns", "-5"), ("--unknowns", "1e6", "--cell", "hexx"), ("--unknowns", "1e6", "--cell", "line2"),
                          ("--unknowns", "1e6", "--physics", "magic")):
            self.assertEqual(self.tool("size", *arguments).returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main()
