"""[[step]]: analyses in sequence, each from the state in which the one before ended, against closed forms and single runs."""
import math
import re
import signal

import boxes
import vtu
from bad_inputs_test import BadInputs
from resume_test import Resume, files_of

YOUNG, YIELD, HARDENING = 200e9, 250e6, 20e9
MESH = '[mesh]\nfile = "mesh.msh"\n'
# Uniaxial: without Poisson's ratio a cube is a bar.
ELASTIC = MESH + '[[material]]\nregion = "a"\nyoung = 200e9\npoisson = 0\ndensity = 8000\n'
HELD = '[[displacement]]\nregion = "a.x0"\nx = 0\n[[displacement]]\nregion = "a.y0"\ny = 0\n[[displacement]]\nregion = "a.z0"\nz = 0\n'
PROBES = ('[[probe]]\nname = "end"\nfield = "displacement"\ncomponent = "x"\nregion = "a.x1"\nmeasure = "mean"\n'
          '[[probe]]\nname = "held"\nregion = "a.x0"\nmeasure = "reaction"\n')
PLASTIC = (MESH + '[model]\nform = "von_mises_plasticity"\n[[material]]\nregion = "a"\nyoung = 200e9\npoisson = 0.3\nyield_stress = 250e6\n'
           'isotropic_hardening = 20e9\n' + "".join(f'[[prescribe]]\nregion = "a.{axis}0"\ncomponent = {c}\nvalue = 0\n' for c, axis in enumerate("xyz")) + PROBES)


def step(name, tables="", keys=""):
    return f'[[step]]\nname = "{name}"\n{keys}' + re.sub(r"^(\[+)", r"\1step.", tables, flags=re.M)


def force(value):
    return f'[[force]]\nregion = "a.x1"\nvalue = [{value}, 0, 0]\n'


def traction(value):
    return f'[[load]]\nregion = "a.x1"\nvalue = [{value}, 0, 0]\n'


REMOVE_LOADS = '[[remove]]\ntable = "load"\n'


class Steps(BadInputs):
    def setUp(self):
        super().setUp()
        self.write("mesh.msh", boxes.cubes(["a"]))

    def steps_of(self, text, program="ritz-elasticity", **options):
        """The rows of the report."""
        self.outcome = self.solve(program, self.write("case.toml", text), **options)
        return self.outcome.report["steps"]


def plastic_path(strains, plane_stress, hardening, young=250e3, poisson=0.25, strength=5.0, substeps=2000):
    """Stresses xx, yy, zz after each strain (xx, yy, zz), by the rate equations of von Mises's plasticity with isotropic hardening."""
    shear, bulk = young / 2 / (1 + poisson), young / 3 / (1 - 2 * poisson)
    stress, before, limit, ends = [0.0] * 3, (0, 0, 0), strength, []
    for strain in strains:
        d = [(a - b) / substeps for a, b in zip(strain, before)]
        for _ in range(substeps):
            mean = sum(stress) / 3
            deviator = [x - mean for x in stress]
            mises = math.sqrt(1.5 * sum(x * x for x in deviator))
            tangent = [[bulk - 2 / 3 * shear + (2 * shear if i == j else 0) for j in range(3)] for i in range(3)]
            n = [1.5 * x / mises for x in deviator] if mises >= limit * (1 - 1e-9) else [0.0] * 3
            flow = [[2 * shear * n[i] * 2 * shear * n[j] / (3 * shear + hardening) for j in range(3)] for i in range(3)]

            def response(along, plastic):
                D = [[tangent[i][j] - plastic * flow[i][j] for j in range(3)] for i in range(3)]
                e = list(along)
                if plane_stress:
                    e[2] = -(D[2][0] * e[0] + D[2][1] * e[1]) / D[2][2]
                return e, [sum(D[i][j] * e[j] for j in range(3)) for i in range(3)]

            e, change = response(d, 0)
            if sum(a * b for a, b in zip(n, change)) > 0:
                e, change = response(d, 1)
                limit += hardening * sum(2 * shear * a * b for a, b in zip(n, e)) / (3 * shear + hardening)
            stress = [a + b for a, b in zip(stress, change)]
        before = strain
        ends.append(list(stress))
    return ends


class StaticStepsTest(Steps):
    def test_unit_cells_of_nafems_r0049_follow_the_rate_equations_around_their_paths(self):
        """PL1 (plane strain), PL2 (plane stress) and PL3 (space): young 250e3, Poisson's ratio 0.25, yield stress 5, tangent modulus 0 or 50e3; sides
        move by 2.5e-5 in turn, out and back. 40 increments of each move leave 0.7 % of the yield stress, half of what 20 leave."""
        r = 2.5e-5
        flat = [(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0)]
        paths = {"plane_strain": [(x, y, 0) for x, y in flat], "plane_stress": [(x, y, 0) for x, y in flat],
                 "": [(1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0), (2, 2, 1), (2, 2, 2), (1, 2, 2), (0, 2, 2), (0, 1, 2), (0, 0, 2), (0, 0, 1), (0, 0, 0)]}
        square = boxes.blocks(("a", (1, 1), lambda u, v: (u, v)))
        for kind, path in paths.items():
            axes = "xy" if kind else "xyz"
            self.write("mesh.msh", square if kind else boxes.cubes(["a"]))
            for tangent in (0, 50e3):
                hardening = tangent / (1 - tangent / 250e3)
                text = (MESH + (f'[model]\ntype = "{kind}"\n' if kind else "") + '[newton]\nincrements = 40\n[[material]]\nregion = "a"\nlaw = "j2"\nyoung = 250e3\n'
                        f'poisson = 0.25\nhardening = [[0, 5], [1, {5 + hardening}]]\n' + "".join(f'[[displacement]]\nregion = "a.{c}0"\n{c} = 0\n' for c in axes)
                        + "".join(f'[[probe]]\nname = "{c}"\nregion = "a.{c}1"\nmeasure = "reaction"\n' for c in axes))
                for i, at in enumerate(path):
                    text += step(f"s{i}", "".join(f'[[displacement]]\nregion = "a.{c}1"\n{c} = {r * x}\n' for c, x in zip(axes, at)))
                rows = self.steps_of(text, output=self.folder / f"{kind}{tangent:g}")
                exact = plastic_path([tuple(r * x for x in at) for at in path], kind == "plane_stress", hardening)
                for i, stress in enumerate(exact):
                    for k, c in enumerate(axes):
                        self.assertAlmostEqual(rows[f"s{i}"]["probes"][c][k], stress[k], delta=0.035, msg=(kind, tangent, i, c))

    def test_tables_stay_are_replaced_and_removed(self):
        rows = self.steps_of(ELASTIC + HELD + PROBES + step("pull", force(1e6)) + step("hold") + step("more", force(3e6)) +
                             step("both", '[[traction]]\nregion = "a.x1"\nvalue = [1e6, 0, 0]\n') + step("less", '[[remove]]\ntable = "force"\nregion = "a.x1"\n') +
                             step("moved", '[[remove]]\ntable = "traction"\n[[displacement]]\nregion = "a.x1"\nx = 1e-5\n'), output=self.folder / "r")
        self.assertEqual(list(rows), ["pull", "hold", "more", "both", "less", "moved"])
        for name, load in (("pull", 1e6), ("hold", 1e6), ("more", 3e6), ("both", 4e6), ("less", 1e6)):
            self.assert_close(rows[name]["probes"]["end"], load / YOUNG, 1e-9)
            self.assert_close(rows[name]["probes"]["held"][0], -load, 1e-9)
        self.assert_close(rows["moved"]["probes"]["held"][0], -1e-5 * YOUNG, 1e-9)
        self.assertEqual(self.outcome.report["probes"], {})
        times = [float(line.split(",")[1]) for line in (self.folder / "r" / "case_probes.csv").read_text().splitlines()[1:]]
        self.assertEqual(times, [1, 2, 3, 4, 5, 6])
        self.assertEqual(len(list((self.folder / "r").rglob("*.vtu"))), 6)

    def test_one_step_is_the_case_without_steps(self):
        alone = self.solve("ritz-elasticity", self.write("alone.toml", ELASTIC + HELD + PROBES + force(1e6)), output=self.folder / "alone")
        rows = self.steps_of(ELASTIC + HELD + PROBES + step("only", force(1e6)), output=self.folder / "steps")
        self.assertEqual(rows["only"]["probes"], alone.report["probes"])
        fields = [vtu.read(next((self.folder / name).rglob("*.vtu")))["PointData"] for name in ("alone", "steps")]
        self.assertEqual(fields[0], fields[1])

    def test_loads_are_those_at_the_end_of_their_step(self):
        rows = self.steps_of(ELASTIC + HELD + PROBES + '[[force]]\nregion = "a.x1"\nvalue = ["1e6*t", 0, 0]\n' + step("one") + step("later", keys="duration = 2.5\n"))
        self.assert_close(rows["one"]["probes"]["end"], 1e6 / YOUNG, 1e-9)
        self.assert_close(rows["later"]["probes"]["end"], 3.5e6 / YOUNG, 1e-9)

    def test_a_step_may_leave_numbers_alone(self):
        rows = self.steps_of(ELASTIC + HELD + PROBES + step("quiet", force(1e6), keys='fields = "none"\n') + step("loud", force(2e6)), output=self.folder / "r")
        self.assert_close(rows["quiet"]["probes"]["end"], 1e6 / YOUNG, 1e-9)
        self.assertEqual(len(list((self.folder / "r").rglob("*.vtu"))), 1)

    def test_a_value_that_a_later_step_needs_must_be_given(self):
        case = ELASTIC.replace("density = 8000\n", "") + HELD + PROBES
        self.refuse_case(2, ["missing key 'material.0.density'"], self.write("case.toml", case + step("one", force(1e6)) + step("two", "[gravity]\nacceleration = [1, 0, 0]\n")))

    def test_a_tie_holds_from_its_step_on(self):
        self.write("mesh.msh", boxes.blocks(("a", (1, 1, 1), lambda u, v, w: (u, v, w)), ("b", (2, 2, 2), lambda u, v, w: (1 + u, v, w))))
        both = ELASTIC + ELASTIC[len(MESH):].replace('"a"', '"b"') + HELD + HELD.replace('"a.', '"b.').replace("x0", "x1").replace("x = 0", "x = 1e-5") + PROBES
        rows = self.steps_of(both + step("apart") + step("tied", '[[tie]]\nregion = "b.x0"\nonto = "a.x1"\n') + step("apart again", '[[remove]]\ntable = "tie"\n'))
        self.assertLess(abs(rows["apart"]["probes"]["held"][0]), 1e-6)
        self.assert_close(rows["tied"]["probes"]["end"], 5e-6, 1e-9)
        self.assert_close(rows["tied"]["probes"]["held"][0], -5e-6 * YOUNG, 1e-9)
        self.assertLess(abs(rows["apart again"]["probes"]["held"][0]), 1e-6)


class RemovedPartsTest(Steps):
    # Two bars, "a" of E and "b" of 3 E, side by side between the ground and a head that only moves along x.
    def setUp(self):
        super().setUp()
        points = [(x, y, 0) for y in range(4) for x in range(3)]
        quad = lambda i, j: [1 + i + 3 * j, 2 + i + 3 * j, 5 + i + 3 * j, 4 + i + 3 * j]
        cells = [(3, 1, quad(0, 0)), (3, 2, quad(0, 2))] + [(3, 3, quad(1, j)) for j in range(3)]
        sides = [(1, 4, [4, 1]), (1, 4, [10, 7])] + [(1, 5, [3 + 3 * j, 6 + 3 * j]) for j in range(3)]
        self.write("mesh.msh", boxes.msh(points, cells + sides, [(2, "a"), (2, "b"), (2, "head"), (1, "ground"), (1, "top")]))
        material = lambda name, young: f'[[material]]\nregion = "{name}"\nyoung = {young}\npoisson = 0\ndensity = 8000\n'
        self.bars = (MESH + '[model]\ntype = "plane_stress"\n' + material("a", 200e9) + material("b", 600e9) + material("head", "1e18") +
                     '[[displacement]]\nregion = "ground"\nfixed = true\n[[displacement]]\nregion = "head"\ny = 0\n[[force]]\nregion = "top"\nvalue = [6e6, 0]\n'
                     '[[probe]]\nname = "end"\nfield = "displacement"\ncomponent = "x"\nregion = "top"\nmeasure = "mean"\n'
                     '[[probe]]\nname = "a"\nfield = "stress"\ncomponent = "xx"\nregion = "a"\nmeasure = "mean"\nvalues = "cells"\n'
                     '[[probe]]\nname = "b"\nfield = "stress"\ncomponent = "xx"\nregion = "b"\nmeasure = "mean"\nvalues = "cells"\n')

    def test_what_a_removed_bar_carried_goes_to_the_other(self):
        rows = self.steps_of(self.bars + step("both") + step("one", '[[remove]]\npart = "b"\n') + step("still one"))
        self.assert_close(rows["both"]["probes"]["end"], 6e6 / 800e9, 1e-5)
        self.assert_close(rows["both"]["probes"]["a"], 1.5e6, 1e-5)
        self.assert_close(rows["both"]["probes"]["b"], 4.5e6, 1e-5)
        for name in ("one", "still one"):
            self.assert_close(rows[name]["probes"]["end"], 6e6 / 200e9, 1e-5)
            self.assert_close(rows[name]["probes"]["a"], 6e6, 1e-5)
            self.assertEqual(rows[name]["probes"]["b"], 0)

    def test_the_rest_must_be_held(self):
        self.refuse_case(4, ["can still move freely: translation along x"], self.write("case.toml", self.bars + step("both") + step("none", '[[remove]]\npart = "a"\n[[remove]]\npart = "b"\n')))

    def test_modes_are_those_of_what_is_left(self):
        modes = "[modal]\ncount = 1\n"
        rows = self.steps_of(self.bars.replace("young = 1e18\npoisson = 0\ndensity = 8000", "young = 1e14\npoisson = 0\ndensity = 1e9") +
                             step("both") + step("stiff", modes) + step("one", '[[remove]]\npart = "b"\n') + step("soft", modes))
        stiff, soft = (float(rows[name]["facts"]["frequencies_hz"]) for name in ("stiff", "soft"))
        self.assert_close(stiff, math.sqrt(800e9 / 3e9) / (2 * math.pi), 1e-2)
        self.assert_close(stiff / soft, 2, 1e-3)


class PlasticStepsTest(Steps):
    def test_a_bar_keeps_what_it_yielded(self):
        stress, modes = 400e6, "[modal]\ncount = 1\n"
        rows = self.steps_of(PLASTIC + '[[inertia]]\nregion = "a"\nvalue = 8000\n' + step("new", modes) + step("load", traction(stress), "") + step("loaded", modes) +
                             step("unload", REMOVE_LOADS) + step("unloaded", modes), program="ritz-solve", keys={"newton.increments": 4})
        plastic = (stress - YIELD) / HARDENING
        self.assert_close(rows["load"]["probes"]["end"], stress / YOUNG + plastic, 1e-6)
        self.assert_close(rows["load"]["probes"]["held"][0], -stress, 1e-6)
        self.assert_close(rows["unload"]["probes"]["end"], plastic, 1e-6)
        self.assertLess(abs(rows["unload"]["probes"]["held"][0]), 1e-6 * stress)
        # Small vibrations are elastic, also about a state on the yield surface: any motion from there may unload it.
        new, loaded, unloaded = (float(rows[name]["facts"]["frequencies_hz"]) for name in ("new", "loaded", "unloaded"))
        self.assert_close(loaded, new, 1e-6)
        self.assert_close(unloaded, new, 1e-6)

    def test_two_steps_are_one_path_to_the_last_bit(self):
        newton = lambda path: f'[newton]\npath = {path}\n'
        self.solve("ritz-solve", self.write("one.toml", PLASTIC + traction(400e6) + newton([0.8, 1])), output=self.folder / "one")
        self.steps_of(PLASTIC + traction(400e6) + step("most", newton([0.8])) + step("all", newton([1])), program="ritz-solve", output=self.folder / "two")
        last = [vtu.read(sorted((self.folder / name).rglob("*.vtu"))[-1]) for name in ("one", "two")]
        self.assertEqual(last[0]["PointData"], last[1]["PointData"])
        self.assertEqual(last[0]["CellData"], last[1]["CellData"])

    def test_a_support_that_is_removed_lets_go_along_the_path(self):
        moved = '[[prescribe]]\nregion = "a.x1"\ncomponent = 0\nvalue = 1e-3\n'
        self.steps_of(PLASTIC + step("stretch", moved) + step("release", '[[remove]]\ntable = "prescribe"\nregion = "a.x1"\n[newton]\nincrements = 4\nwrite = "increments"\n'),
                      program="ritz-solve", output=self.folder / "r")
        rows = [line.split(",") for line in (self.folder / "r" / "case_probes.csv").read_text().splitlines()]
        end, held = rows[0].index("end"), rows[0].index("held_x") if "held_x" in rows[0] else rows[0].index("end") + 1
        self.assertEqual([float(row[1]) for row in rows[1:]], [1, 1.25, 1.5, 1.75, 2])
        for row, part in zip(rows[1:], (1, 0.75, 0.5, 0.25, 0)):
            self.assertLess(abs(float(row[end]) - 1e-3 * part), 1e-9)
            self.assertLess(abs(float(row[held]) + 200e6 * part), 1e-6 * 200e6)

    def test_killed_in_the_second_step_it_ends_with_the_same_bytes(self):
        newton = '[newton]\nincrements = 40\nwrite = "increments"\n'
        case = self.write("case.toml", PLASTIC + step("load", traction(400e6) + newton) + step("unload", REMOVE_LOADS + newton))
        whole, parts = self.folder / "whole", self.folder / "parts"
        outcome = self.solve("ritz-solve", case, output=whole)
        code, errors = Resume.stopped(self, "ritz-solve", case, parts, behind="\"step 'unload'\"", keys={})
        self.assertEqual(code, 75, errors)
        code, errors = Resume.stopped(self, "ritz-solve", case, parts, "--resume", "--checkpoint-every", 1e-6, behind="increment 9 of 40", keys={}, number=signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        resumed = self.solve("ritz-solve", case, "--resume", output=parts)
        self.assertRegex(resumed.log, r"resuming after increment \d+ of 40")
        self.assertEqual(files_of(parts), files_of(whole))
        self.assertEqual({name: row["probes"] for name, row in resumed.report["steps"].items()}, {name: row["probes"] for name, row in outcome.report["steps"].items()})


class StepsInTimeTest(Steps):
    def test_what_was_pulled_and_let_go_swings(self):
        # One element along x: M u'' + K u = 0 with the consistent mass rho A L / 3, so that u = u0 cos(sqrt(3 E / rho) t / L).
        period = 2 * math.pi / math.sqrt(3 * YOUNG / 8000)
        times = f'[time]\nend = {1 + period}\nstep = {period / 200}\noutput = {period / 2}\n[remove_all]\n'.replace("[remove_all]\n", '[[remove]]\ntable = "force"\n')
        self.steps_of(ELASTIC + HELD + PROBES + step("pull", force(1e6)) + step("swing", times), output=self.folder / "r", keys={})
        rows = [line.split(",") for line in (self.folder / "r" / "case_probes.csv").read_text().splitlines()]
        self.assertEqual(len(rows), 4)  # its begin is the end of the step before
        for row, part in zip(rows[1:], (1, -1, 1)):
            self.assertLess(abs(float(row[rows[0].index("end")]) / (1e6 / YOUNG) - part), 0.01)

    def test_two_steps_in_time_are_one(self):
        hot = (MESH + '[[material]]\nregion = "a"\nconductivity = 40\ndensity = 8000\nspecific_heat = 500\n[[probe]]\nname = "end"\nfield = "temperature"\nregion = "a.x1"\nmeasure = "mean"\n'
               '[[temperature]]\nregion = "a.x0"\nvalue = "20 + 0.01*t"\n[initial]\ntemperature = 20\n')
        time = lambda end: f'[time]\nend = {end}\nstep = 100\nmethod = "backward_euler"\n'
        one = self.solve("ritz-heat", self.write("one.toml", hot + time(20000)))
        rows = self.steps_of(hot + step("first", time(10000)) + step("then", time(20000)), program="ritz-heat")
        self.assert_close(rows["then"]["probes"]["end"], one.probes["end"], 1e-9)

    def test_it_cools_from_the_steady_state(self):
        hot = MESH + '[[material]]\nregion = "a"\nconductivity = 4e6\ndensity = 8000\nspecific_heat = 500\n[[convection]]\nregion = "a.x0"\ncoefficient = 40\nambient = 20\n' + PROBES.split("[[probe]]\nname = \"held\"")[0].replace("displacement", "temperature").replace('component = "x"\n', "")
        rows = self.steps_of(hot + step("steady", '[[power]]\nregion = "a"\nvalue = 4000\n') + step("cools", '[[remove]]\ntable = "power"\n[time]\nend = 100001\ntolerance = 1e-5\n'), program="ritz-heat")
        self.assert_close(rows["steady"]["probes"]["end"], 120, 1e-4)
        self.assert_close(rows["cools"]["probes"]["end"], 20 + 100 * math.exp(-1), 1e-3)


class WrongStepsTest(Steps):
    def wrong(self, exit_code, text, *phrases):
        self.refuse_case(exit_code, phrases, self.write("case.toml", text))

    def test_they_are_errors(self):
        base = ELASTIC + HELD
        self.wrong(2, base + step("a", force(1e6)) + step("a"), "a second step is called 'a'")
        self.wrong(2, base + step("a", '[mesh]\norder = 2\n'), "a step has 'step.0.mesh'", "it is one for all steps")
        self.wrong(2, base + step("a", '[[presure]]\nregion = "a.x1"\nvalue = 1\n'), "unknown table 'step.0.presure'", "did you mean 'pressure'?")
        self.wrong(2, base + step("a", '[[force]]\nregion = "b.x1"\nvalue = [1, 0, 0]\n'), "'step.0.force.0.region' names the region 'b.x1', which is not in the mesh")
        self.wrong(2, base + step("a", '[[remove]]\ntable = "pressure"\n'), "nothing to remove: no table 'pressure' acts before this step")
        self.wrong(2, base + force(1) + step("a", '[[remove]]\ntable = "force"\nregion = "a.y1"\n'), "on the region \"a.y1\"", "those that act are on '\"a.x1\"'")
        self.wrong(2, base + force(1) + step("a", force(2)), "[[force]] at", "acts in no step")
        self.wrong(2, base + "[modal]\ncount = 1\n" + step("a"), "[modal] outside of the steps")
        self.wrong(2, base + step("a", "[time]\nend = 1\n[modal]\ncount = 1\n"), "a step has [time] and [modal]")
        self.wrong(2, base + '[[load_case]]\nname = "l"\n' + step("a", force(1)), "'load_case' in a case of steps")
        self.wrong(2, base + step("a", force(1)) + step("b", "[time]\nend = 0.5\nstep = 0.1\n"), "'step.1.time.end' is 0.5", "above 1")
        self.wrong(2, base + step("a", force(1)) + step("b", "[time]\nend = 5\nstep = 1\n", "duration = 2\n"), "a step has a duration and [time]")
        self.wrong(2, base + step("a", force(1)) + step("b", "[modal]\ncount = 1\n" + force(2)), "unknown table 'step.1.force'")
        self.wrong(4, base + step("a"), "nothing acts on the model")
        self.wrong(4, base + step("a", force(1)) + step("b", '[[remove]]\ntable = "displacement"\nregion = "a.x0"\n'), "can still move freely: translation along x")

    def test_the_forecast_is_that_of_the_largest_step(self):
        loads = [force(1e6), force(1e6) + "[modal]\ncount = 3\n"]
        peak = lambda text, program="ritz-elasticity": max(each["device_peak"] for each in self.run_case(program, self.write("case.toml", text), "--check").report["forecast"].values())
        modes = peak(ELASTIC + HELD + "[modal]\ncount = 3\n", "ritz-modal")
        self.assertGreater(modes, peak(ELASTIC + HELD + force(1e6)))
        self.assertGreaterEqual(peak(ELASTIC + HELD + step("a", force(1e6)) + step("b", "[modal]\ncount = 3\n") + step("c")), modes)
