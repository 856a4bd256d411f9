"""One case on several ranks, started by mpirun as a user would: results are those of one process."""
import os
import re
import shutil
import subprocess
import unittest

import boxes
import ritz
import vtu

CASES = {
    "ritz-heat": """
        [[material]]
        region = "part"
        conductivity = 20
        [[temperature]]
        region = "left"
        value = 100
        [[source]]
        region = "part"
        value = 3000
        [[flux]]
        region = "top"
        value = 500
        [[convection]]
        region = "right"
        coefficient = 30
        ambient = 10
        [[probe]]
        name = "hottest"
        field = "temperature"
        region = "part"
        measure = "max"
        [[probe]]
        name = "heat"
        region = "left"
        measure = "reaction"
        """,
    "ritz-elasticity": """
        [[material]]
        region = "part"
        young = 2e11
        poisson = 0.3
        density = 7800
        [[displacement]]
        region = "left"
        fixed = true
        [[pressure]]
        region = "top"
        value = 1e5
        [[force]]
        region = "right"
        value = FORCE
        [[probe]]
        name = "tip"
        field = "displacement"
        component = "y"
        region = "right"
        measure = "mean"
        [[probe]]
        name = "held"
        region = "left"
        measure = "reaction"
        component = "y"
        """}
MESSAGE_SHIM = os.environ.get("MESSAGE_SHIM", "")
FIELD = {"ritz-heat": "temperature", "ritz-elasticity": "displacement"}


def sides(counts):
    """Of a box: left and right of x, top of y."""
    pad = lambda *x: list(x)[: len(counts)]
    at = {"left": (pad(0, 0, 0), pad(1, 0, 0)), "right": (pad(1, 0, 0), pad(1, 0, 0)), "top": (pad(0, 1, 0), pad(0, 1, 0))}
    return "".join(f'[[region]]\nname = "{name}"\nkind = "facets"\nplane = {{point = {point}, normal = {normal}}}\n' for name, (point, normal) in at.items())


# Two load cases of the elastic part.
LOAD_CASES = """
    [[load_case]]
    name = "shear"
    [[load_case.force]]
    region = "right"
    value = [0, 0, 300]
    [[load_case]]
    name = "moved"
    [[load_case.displacement]]
    region = "left"
    y = 1e-6
    """


class OnRanks(ritz.CaseTest):
    def case(self, program, cell, counts, tables=""):
        (self.folder / "part.msh").write_text(boxes.cut(cell, counts))
        model = '[model]\ntype = "plane_stress"\n' if len(counts) == 2 and program == "ritz-elasticity" else '[model]\ntype = "plane"\n' if len(counts) == 2 else ""
        path = self.folder / f"{program}-{cell}.toml"
        force = "[100, -200]" if len(counts) == 2 else "[100, -200, 50]"
        path.write_text(f'[mesh]\nfile = "part.msh"\n{model}{sides(counts)}{CASES[program].replace("FORCE", force)}{tables}')
        return path

    def command(self, ranks, program, case, folder, *arguments):
        folder.mkdir(exist_ok=True)
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", ranks]
        words = [*launcher, ritz.BIN / program, case, "--threads", 1, "--output", folder / "results", "--json", folder / "report.json", *arguments]
        return [str(word) for word in words]

    def on_ranks(self, ranks, program, case, *arguments, keys=None, environment=None, folder=None):
        self.run_count += 1
        folder = folder or self.folder / f"run{self.run_count}"
        process = subprocess.run(self.command(ranks, program, case, folder, *arguments, *ritz.settings(keys or {})), capture_output=True, text=True, timeout=120, cwd=self.folder,
                                 env={**os.environ, **(environment or {})})
        return ritz.Outcome(process, folder)

    def solved(self, ranks, program, case, **options):
        outcome = self.on_ranks(ranks, program, case, **options)
        self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
        return outcome

    def assert_a_killed_rank_ends_the_job(self, ranks, program, case, keys):
        """The last rank, before the message in the middle of those that it sends; nothing but the shim's kill ends such a run early."""
        environment = {"LD_PRELOAD": MESSAGE_SHIM, "MESSAGE_RANK": str(ranks - 1), "MESSAGE_COUNT": str(self.folder / "messages")}
        self.solved(ranks, program, case, keys=keys, environment=environment)
        half = int((self.folder / "messages").read_text()) // 2
        self.assertGreater(half, 20)
        killed = self.on_ranks(ranks, program, case, keys=keys, environment={**environment, "MESSAGE_NUMBER": str(half), "MESSAGE_KIND": "killed"})
        self.assertEqual(killed.exit, 137, killed.log + killed.errors)
        self.assertFalse(list(killed.folder.rglob("*.vtu")))

    def assert_same_probes(self, ranks, program, case, keys, relative=1e-6):
        several, alone = self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys)
        self.assertEqual(len(several.report["outputs"]), len(alone.report["outputs"]))
        numbers = lambda value: [value] if isinstance(value, (int, float)) else [x for each in value for x in numbers(each)] if isinstance(value, list) else []
        for name, value in alone.probes.items():
            expected, found = numbers(value), numbers(several.probes[name])
            self.assertEqual(len(found), len(expected))
            scale = max(map(abs, expected), default=0)
            self.assertLess(max((abs(a - b) for a, b in zip(found, expected)), default=0), relative * max(scale, 1e-300), name)
        return several

    def peaks(self, run):
        """Of arrays [bytes], rank by rank."""
        return [1e6 * float(number) for number in re.search(r"arrays of ranks at their peaks: ([\d., ]+) MB", run.log).group(1).split(",")]

    def host_peaks(self, run):
        """Of all large lists and arrays [bytes], rank by rank."""
        return [1e6 * float(number) for number in re.search(r"host memory of ranks at their peaks: ([\d., ]+) MB", run.log).group(1).split(",")]

    def solved_with_less(self, program, case, limit, keys, says):
        """Two ranks, in memory that has no room for multigrid: both take polynomials in its place, within the limit."""
        short = self.on_ranks(2, program, case, "--memory-limit", int(limit), keys=keys)
        self.assertEqual(short.exit, 0, short.log + short.errors)
        self.assertIn("Chebyshev", short.report["solver"]["preconditioner"])
        self.assertRegex(" ".join(short.report["solver"]["fallbacks"]), says)
        self.assertLessEqual(max(self.peaks(short)), limit)
        return short

    def solved_with_room_for_polynomials(self, program, case, keys, says):
        """Half-way between what multigrid and polynomials take."""
        plenty, frugal = (self.solved(2, program, case, keys={**keys, "solver.preconditioner": name}) for name in ("multigrid", "chebyshev"))
        self.assertFalse(plenty.report["solver"].get("fallbacks"))
        limit = 0.5 * (max(self.peaks(plenty)) + max(self.peaks(frugal)))
        short = self.solved_with_less(program, case, limit, {**keys, "solver.preconditioner": "multigrid"}, says)
        self.assert_same(program, short, plenty)

    def field(self, program, outcome):
        return vtu.read(outcome.results())["PointData"][FIELD[program]]

    def assert_same(self, program, several, alone):
        """Within ten times the solver's tolerance, of the largest number."""
        tolerance = 1e-7
        expected, found = self.field(program, alone), self.field(program, several)
        largest = max(abs(value) for value in expected)
        self.assertEqual(len(found), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), tolerance * largest)
        self.assert_same_results(several, alone)
        for name, value in alone.probes.items():
            if isinstance(value, (int, float)):
                self.assertLess(abs(several.probes[name] - value), 1e-6 * abs(value), name)
        for fact in ("applied_load", "reaction"):
            scale = max(abs(number) for number in alone.fact("reaction"))
            for a, b in zip(several.fact(fact), alone.fact(fact)):
                self.assertLess(abs(a - b), 1e-6 * scale, fact)

    def assert_same_results(self, several, alone):
        """Fluxes and stresses at all nodes and in all cells, which each rank derives in its part."""
        found, expected = vtu.read(several.results()), vtu.read(alone.results())
        for section in ("PointData", "CellData"):
            self.assertEqual(found[section].keys(), expected[section].keys())
            for name, values in expected[section].items():
                self.assertEqual(len(found[section][name]), len(values), name)
                largest = max(map(abs, values), default=0)
                self.assertLessEqual(max((abs(a - b) for a, b in zip(found[section][name], values)), default=0), 1e-5 * largest, name)


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class Divided(OnRanks):
    def test_all_shapes_of_cells_give_the_results_of_one_process(self):
        shapes = [("hexa", (6, 5, 4), 2), ("tetra", (4, 4, 3), 3), ("prism", (5, 4, 4), 4), ("mixed", (4, 4, 4), 2), ("quad", (14, 12), 3), ("triangle", (10, 9), 4)]
        for cell, counts, ranks in shapes:
            for program in CASES:
                with self.subTest(program=program, cell=cell):
                    case = self.case(program, cell, counts)
                    self.assert_same(program, self.solved(ranks, program, case), self.solve(program, case))

    def test_fields_of_higher_order_and_materials_that_vary(self):
        for program, keys in (("ritz-heat", {"space.order": 3}), ("ritz-elasticity", {"mesh.order": 2}), ("ritz-heat", {"material.0.conductivity": "20 + 10 * x"}),
                              ("ritz-elasticity", {"material.0.young": "2e11 * (1 + y)"})):
            with self.subTest(program=program, keys=keys):
                case = self.case(program, "mixed", (4, 4, 2))
                self.assert_same(program, self.solved(3, program, case, keys=keys), self.solve(program, case, keys=keys))

    def test_load_cases_and_their_sums(self):
        cases = LOAD_CASES + """
            [[combination]]
            name = "both"
            factors = {shear = 2, moved = -1}
            """
        run = self.assert_same_probes(3, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (6, 5, 5), cases), {})
        self.assertEqual(len([path for path in run.report["outputs"] if path.endswith(".vtu")]), 3)

    def test_evolutions_with_functions_of_place_and_time(self):
        heat = "[time]\nend = 1000.0\nstep = 100.0\n[initial]\ntemperature = 20\n"
        varying = {"material.0.density": 1000, "material.0.specific_heat": "100 + 50 * y", "material.0.conductivity": "20 + 10 * x", "flux.0.value": "500 * sin(t / 100)",
                   "convection.0.coefficient": "30 + t / 50", "solver.tolerance": 1e-10}
        self.assert_same_probes(2, "ritz-heat", self.case("ritz-heat", "mixed", (4, 4, 4), heat), varying, 1e-5)
        motion = "[time]\nend = 1e-3\nstep = 1e-4\n"
        self.assert_same_probes(2, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (5, 4, 4), motion), {"solver.tolerance": 1e-10}, 1e-5)

    def test_explicit_steps_are_those_of_one_process(self):
        """Also their number and length: the highest frequency begins from the same vector on all ranks."""
        heavy = '[[rigid]]\nregion = "right"\nreference = [1, 0.5, 0.5]\nmass = 100\n'
        for order, more in ((1, heavy), (2, "")):
            waves = f'{more}[space]\norder = {order}\n[time]\nend = 2e-4\nmethod = "central_differences"\n'
            case = self.case("ritz-elasticity", "mixed", (4, 3, 3), waves)
            several = self.assert_same_probes(3, "ritz-elasticity", case, {"material.0.density": "7800 + 1000 * x"}, 1e-10)
            self.assertGreater(abs(several.probes["tip"] if isinstance(several.probes["tip"], float) else several.probes["tip"][-1]), 0)

    def test_newton_goes_over_ranks(self):
        radiation = '[[radiation]]\nregion = "top"\nemissivity = 0.8\nambient = 300\n[model]\nabsolute_zero = 0\n'
        case = self.case("ritz-heat", "hexa", (5, 4, 4), radiation)
        self.assert_same_probes(2, "ritz-heat", case, {"temperature.0.value": 400, "material.0.conductivity": "20 + x"}, 1e-5)

    def test_a_rank_needs_its_share_of_the_memory(self):
        case = self.case("ritz-elasticity", "hexa", (36, 36, 36))
        alone = self.solve("ritz-elasticity", case, keys={"solver.method": "cg", "solver.preconditioner": "multigrid", "solver.multigrid.levels": "aggregation"})
        nodes, second_level = 37**3, 37**3 / 27 * 27 * 6 * 6 * 8  # at most a node with 6 unknowns in 27, each with 27 blocks in its row
        for ranks in (2, 4):
            run = self.solved(ranks, "ritz-elasticity", case)
            peaks, host = self.peaks(run), self.host_peaks(run)
            # Beside its share, with rows at borders, a rank has the whole of the second level, and on the host the mesh, its numbering, and
            # which unknowns are prescribed: 200 bytes a node. No vector and no field of the results is whole on all.
            self.assertLess(max(peaks), 1.1 / ranks * alone.report["memory"]["device_peak"] + second_level)
            self.assertLess(sum(host), 1.1 * alone.report["memory"]["host_counted"] + (ranks - 1) * second_level + ranks * 200 * nodes)
            self.assertLess(max(host), 1.15 * sum(host) / ranks)
            # Nodes of its cells, and lists of these, are those of the part alone: its share, and ghosts of 1.3 at most.
            of_rank, of_one = run.report["memory"]["at_peak"], alone.report["memory"]["at_peak"]
            for tag in ("space", "connectivity"):
                self.assertLess(of_rank[tag], 1.3 / ranks * of_one[tag], tag)

    def test_the_same_bits_on_as_many_ranks(self):
        case = self.case("ritz-elasticity", "hexa", (8, 6, 5))
        for ranks in (2, 4):
            first, again = (self.solved(ranks, "ritz-elasticity", case) for _ in range(2))
            self.assertEqual(self.field("ritz-elasticity", first), self.field("ritz-elasticity", again))
            self.assertEqual(first.report["solver"]["iterations"], again.report["solver"]["iterations"])

    def test_iterations_stay_those_of_one_process(self):
        iterations = lambda outcome: outcome.report["solver"]["iterations"]
        for levels, ranks in (("auto", 2), ("aggregation", 4)):
            for program, cell, counts in (("ritz-heat", "hexa", (20, 20, 20)), ("ritz-elasticity", "tetra", (12, 12, 12)), ("ritz-elasticity", "hexa", (40, 20, 3))):
                case, keys = self.case(program, cell, counts), {"solver.multigrid.levels": levels}
                alone = iterations(self.solve(program, case, keys={"solver.method": "cg", "solver.preconditioner": "multigrid", **keys}))
                several = self.solved(ranks, program, case, keys=keys)
                self.assertIn("1 of them divided among ranks", several.report["solver"]["preconditioner"])
                self.assertLessEqual(abs(iterations(several) - alone), 1)

    def test_nested_levels_go_over_ranks(self):
        kind = lambda outcome: outcome.report["solver"]["preconditioner"].split()[0]
        fields = [("ritz-elasticity", "hexa", (16, 16, 16), {}), ("ritz-heat", "tetra", (12, 12, 12), {}), ("ritz-elasticity", "hexa", (6, 6, 6), {"mesh.order": 2}),
                  ("ritz-heat", "tetra", (8, 8, 8), {"space.order": 2}), ("ritz-heat", "quad", (48, 48), {})]
        for program, cell, counts, keys in fields:
            with self.subTest(program=program, cell=cell, keys=keys):
                case, keys = self.case(program, cell, counts), {**keys, "solver.method": "cg", "solver.preconditioner": "multigrid"}
                alone = self.solve(program, case, keys=keys)
                self.assertEqual(kind(alone), "geometric")
                for ranks, environment in ((2, None), (3, {"RITZ_REPLICATED_UNKNOWNS": "600"})):  # one process inverts as many
                    several = self.solved(ranks, program, case, keys=keys, environment=environment)
                    self.assertEqual(kind(several), "geometric")
                    self.assertLessEqual(several.report["solver"]["iterations"], 1.2 * alone.report["solver"]["iterations"])
                    self.assert_same(program, several, alone)

    def test_nested_levels_are_left_where_one_process_leaves_them(self):
        kind = lambda outcome: outcome.report["solver"]["preconditioner"].split()[0]
        case = self.case("ritz-heat", "hexa", (12, 12, 12))
        keys = {"solver.method": "cg", "solver.preconditioner": "multigrid"}
        jump = {**keys, "material.0.conductivity": "20 * exp(8 * sin(40 * x))"}
        for each in (keys, jump):
            self.assertEqual(kind(self.solved(2, "ritz-heat", case, keys=each)), kind(self.solve("ritz-heat", case, keys=each)))
        odd = self.case("ritz-heat", "hexa", (7, 7, 7))
        refused = self.on_ranks(2, "ritz-heat", odd, keys={**keys, "solver.multigrid.levels": "nested"})
        alone = self.run_case("ritz-heat", odd, keys={**keys, "solver.multigrid.levels": "nested"})
        self.assertEqual((refused.exit, refused.errors.count("error: ")), (alone.exit, 1), refused.errors)
        self.assertIn("there are none", refused.errors)

    def test_error_estimates(self):
        """The exact solution of the matrix has the estimate of one process up to rounding."""
        for cell, counts, ranks, program, keys in (("hexa", (6, 5, 4), 3, "ritz-elasticity", {}), ("mixed", (4, 4, 4), 2, "ritz-heat", {}),
                                                   ("tetra", (4, 4, 3), 4, "ritz-elasticity", {"space.order": 2}), ("quad", (14, 12), 3, "ritz-heat", {})):
            with self.subTest(cell=cell):
                case = self.case(program, cell, counts)
                keys = {**keys, "output.error_estimate": "true", "solver.tolerance": 1e-14, "solver.method": "cg"}
                several, alone = self.solved(ranks, program, case, keys=keys), self.solve(program, case, keys=keys)
                self.assertEqual(several.fact("discretisation_error"), alone.fact("discretisation_error"))
                found, expected = (vtu.read(run.results())["CellData"] for run in (several, alone))
                (name,) = [each for each in expected if each.endswith("_error")]
                largest = max(expected[name])
                for a, b in zip(found[name], expected[name], strict=True):
                    self.assertLessEqual(abs(a - b), 1e-9 * largest)

    def test_several_levels_are_divided(self):
        for program, ranks in (("ritz-heat", 2), ("ritz-elasticity", 3)):
            case = self.case(program, "hexa", (20, 20, 20))
            usual = self.solved(ranks, program, case)
            run = self.solved(ranks, program, case, environment={"RITZ_REPLICATED_UNKNOWNS": "100"})
            self.assertRegex(run.report["solver"]["preconditioner"], "[2-9] of them divided among ranks")
            self.assertLessEqual(run.report["solver"]["iterations"], usual.report["solver"]["iterations"] + 2)
            self.assert_same(program, run, usual)

    def test_all_ranks_take_a_smaller_preconditioner_where_one_has_no_room(self):
        case = self.case("ritz-elasticity", "hexa", (16, 12, 12))
        for levels in ("auto", "aggregation"):
            self.solved_with_room_for_polynomials("ritz-elasticity", case, {"solver.method": "cg", "solver.multigrid.levels": levels}, "multigrid needs")

    def test_long_rows_of_a_rigid_side_are_foretold(self):
        case = self.case("ritz-elasticity", "hexa", (5, 16, 16), '[[rigid]]\nregion = "right"\nforce = [0, 300, 0]\n')
        case.write_text(re.sub(r"\[\[force\]\]\s*region = \"right\"\s*value = \[.*?\]", "", case.read_text()))
        keys = {"solver.method": "cg", "solver.preconditioner": "multigrid"}
        plenty = self.solved(2, "ritz-elasticity", case, keys=keys)
        short = self.solved_with_less("ritz-elasticity", case, 0.95 * max(self.peaks(plenty)), keys, "multigrid needs")
        self.assert_same("ritz-elasticity", short, plenty)
        none = self.on_ranks(2, "ritz-elasticity", case, "--memory-limit", int(0.75 * max(self.peaks(short))), keys=keys)
        self.assertEqual((none.exit, none.errors.count("error: ")), (6, 1), none.errors)
        self.assertIn("its part of the matrix needs", none.errors)

    def long_box(self, program, n, tables):
        """Of n^3 cells, 50 times as long as wide, held at its end."""
        (self.folder / "long.msh").write_text(boxes.shell(lambda u, v, w: (50 * u, v, w), "hex8", (n, n, n)))
        end = '[[region]]\nname = "end"\nkind = "facets"\nplane = {point = [0, 0, 0], normal = [1, 0, 0]}\n'
        return self.write(f"{program}-long.toml", f'[mesh]\nfile = "long.msh"\n{end}{tables}')

    def assert_iterations_of_one_process(self, program, case, counts, more, environment=None):
        keys = {"solver.method": "cg", "solver.preconditioner": "multigrid"}
        alone = self.solve(program, case, keys=keys)
        for ranks in counts:
            with self.subTest(ranks=ranks):
                several = self.solved(ranks, program, case, keys=keys, environment=environment)
                self.assertLessEqual(several.report["solver"]["iterations"], alone.report["solver"]["iterations"] + more)

    def test_stretched_cells_take_the_iterations_of_one_process(self):
        """Aggregates are those of one process, wherever ranks meet: cells couple within layers, which ranks cut."""
        heat = '[[material]]\nregion = "part"\nconductivity = 1\n[[temperature]]\nregion = "end"\nvalue = 0\n[[source]]\nregion = "part"\nvalue = 1\n'
        self.assert_iterations_of_one_process("ritz-heat", self.long_box("ritz-heat", 14, heat), (3, 8), 1)

    def test_a_rank_without_the_root_of_an_aggregate(self):
        """Some 15 nodes of the second level on each of 8 ranks: it is made whole, and coarsened further there."""
        body = '[[material]]\nregion = "part"\nyoung = 1e9\npoisson = 0.3\n[[displacement]]\nregion = "end"\nfixed = true\n[[body_force]]\nregion = "part"\nvalue = [0, 0, -1]\n'
        case = self.long_box("ritz-elasticity", 10, body)
        self.assert_iterations_of_one_process("ritz-elasticity", case, (4, 8), 3, {"RITZ_REPLICATED_UNKNOWNS": "600"})

    def test_a_product_sends_each_ghost_once(self):
        case = self.case("ritz-elasticity", "hexa", (9, 5, 5))
        for ranks in (2, 4):
            run = self.solved(ranks, "ritz-elasticity", case, keys={"solver.preconditioner": "jacobi"})
            told = re.search(r"rank 0 sent (\d+) nodes to (\d+) neighbours in (\d+) exchanges: (\d+) messages, (\d+) bytes", run.log)
            nodes, neighbours, exchanges, messages, bytes_sent = map(int, told.groups())
            self.assertEqual(exchanges, run.report["solver"]["iterations"] + 3)  # the loads, and the residuals before and after
            self.assertEqual(messages, exchanges * neighbours)
            self.assertEqual(bytes_sent, exchanges * nodes * 3 * 8)
        # Along x, 10 layers of 36 nodes are cut into 5 and 5 by the curve, more or less: no rank reaches far beyond one layer.
        self.assertLess(nodes, 3 * 36)

    def test_what_is_not_divided_is_refused_by_all_ranks_with_one_error(self):
        case = self.case("ritz-heat", "hexa", (4, 4, 4))
        refusals = [(case, {"solver.method": "direct", "space.order": 4}, "a factorisation of elements without a matrix")]
        for refused, keys, words in refusals:
            for arguments in ((), ("--check",)):
                with self.subTest(words=words, arguments=arguments):
                    run = self.on_ranks(2, "ritz-heat", refused, *arguments, keys=keys)
                    self.assert_refused(run, words)
                    self.assertFalse((run.folder / "results").exists())  # before anything is written
        self.assertEqual(self.on_ranks(2, "ritz-heat", case, "--check", keys={"solver.method": "direct"}).exit, 0)
        few = self.on_ranks(4, "ritz-heat", self.case("ritz-heat", "quad", (1, 1)))
        self.assertEqual(few.exit, 0, few.errors)

    def assert_refused(self, run, words):
        self.assertEqual(run.exit, 8, run.log + run.errors)
        self.assertIn(f"started as 2 ranks, and {words} is not divided among them", run.errors)
        self.assertEqual(run.errors.count("error: "), 1)

    def test_a_failure_of_the_first_rank_alone_ends_all(self):
        case = self.case("ritz-heat", "hexa", (4, 4, 4))
        first = self.solved(2, "ritz-heat", case)
        for ranks in (2, 4):
            again = subprocess.run(self.command(ranks, "ritz-heat", case, first.folder), capture_output=True, text=True, timeout=60, cwd=self.folder)
            self.assertEqual(again.returncode, 7, again.stdout + again.stderr)  # results are there
            self.assertEqual(again.stderr.count("error: "), 1, again.stderr)

    def test_checks_are_those_of_the_first_rank(self):
        case = self.case("ritz-heat", "hexa", (4, 4, 4))
        self.assertEqual(self.on_ranks(2, "ritz-heat", case, "--check").exit, 0)
        wrong = self.on_ranks(2, "ritz-heat", case, "--set", "material.0.conductivity=-1")
        self.assertEqual((wrong.exit, wrong.errors.count("error: ")), (4, 1), wrong.errors)

    def test_an_error_of_any_length_ends_all_ranks(self):
        """MPI sends texts of some kilobytes only when they are received, and nobody awaits the one of a failure at the end."""
        case = self.case("ritz-heat", "hexa", (4, 4, 4))
        wrong = self.write("wrong.toml", case.read_text() + "[output]\n" + "".join(f"no_such_key_{number} = {number}\n" for number in range(500)))
        for ranks in (2, 3):
            run = self.on_ranks(ranks, "ritz-heat", wrong)
            self.assertEqual((run.exit, run.errors.count("error: ")), (2, 500), run.errors[:2000])

    def test_a_killed_rank_ends_the_job(self):
        case = self.case("ritz-elasticity", "hexa", (6, 6, 6))
        self.assert_a_killed_rank_ends_the_job(2, "ritz-elasticity", case, {"solver.method": "cg", "solver.preconditioner": "jacobi"})


if __name__ == "__main__":
    unittest.main()
