"""ritz-modal from the command line: references of examples/modal, free bodies, bands, both methods, bad cases, files;
frames and shells."""
import math
import pathlib
import sys
import unittest

import boxes
import vtu
from ritz import CaseTest, example

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import box_meshes  # noqa: E402
import model_texts  # noqa: E402

FV32 = [44.623, 130.03, 162.70, 246.05, 379.90, 391.44]
FV16 = [0.421, 1.029, 2.582, 3.306, 3.753, 6.555]
ROOTS = [1.875104, 4.694091, 7.854757]
BAR = """[mesh]
file = "mesh.msh"
order = 2
[[material]]
region = "a"
young = 200e9
poisson = 0.3
density = 8000
"""
CLAMP = '[[displacement]]\nregion = "a.x0"\nfixed = true\n'


class Modal(CaseTest):
    def modal(self, name, *arguments, **options):
        return self.solve("ritz-modal", example(f"modal/{name}"), *arguments, **options)

    def box(self, body):
        self.write("mesh.msh", boxes.cubes(["a"]))
        return self.write("case.toml", BAR + body)

    def test_modes_outside_of_steps_are_a_case_of_ritz_modal(self):
        refused = self.run_case("ritz-elasticity", example("modal/cantilever"))
        self.assertEqual(refused.exit, 2)
        self.assertIn("is a case for ritz-modal, and ritz-elasticity was called", refused.errors)
        self.assertIn("it has [modal] outside of a [[step]]", refused.errors)

    def test_fv32_is_within_a_tenth_of_a_percent(self):
        frequencies = self.modal("fv32").fact("frequencies_hz")
        self.assertEqual(len(frequencies), 6)
        for ours, reference in zip(frequencies, FV32):
            self.assert_close(ours, reference, 1e-3)

    def test_a_clamped_beam_bends_as_euler_and_bernoulli_say(self):
        """Higher modes are lower than theirs by shear and rotary inertia: about (b_n h / L)^2 / 6."""
        outcome = self.modal("cantilever")
        f = outcome.fact("frequencies_hz")
        beam = [b * b / (2 * math.pi) * math.sqrt(210e9 * 0.05**2 / 12 / 7850) for b in ROOTS]
        for plane in (0, 1):
            self.assert_close(f[plane], beam[0], 0.003)
            self.assert_close(f[2 + plane], beam[1], 0.012)
            self.assert_close(f[4 + plane], beam[2], 0.03)
        self.assert_close(f[7], math.sqrt(210e9 / 7850) / 4, 0.002)  # it stretches
        self.assert_close(float(outcome.report["facts"]["total_mass"]), 7850 * 0.05 * 0.05, 1e-9)
        for axis in "xyz":
            share = sum(outcome.fact(f"effective_mass_{axis}")) / 19.625
            self.assertTrue(0.8 < share < 1, share)

    def test_a_free_beam_has_six_rigid_modes_that_move_all_of_its_mass(self):
        outcome = self.modal("free", keys={"modal.animate": 0})
        f = outcome.fact("frequencies_hz")
        self.assertEqual(outcome.report["facts"]["rigid_body_modes"], "6")
        self.assertEqual(f[:6], [0] * 6)
        self.assert_close(f[6], f[7], 1e-6)
        self.assert_close(f[6], 4.730041**2 / (2 * math.pi) * math.sqrt(210e9 * 0.05**2 / 12 / 7850), 0.02)
        for axis in "xyz":
            self.assert_close(sum(outcome.fact(f"effective_mass_{axis}")[:6]), 19.625, 1e-9)
        self.assertEqual(outcome.log.count("rigid-body mode\n"), 6)
        self.assertIn("12 eigenvalues below", outcome.report["facts"]["mode_count"])

    def test_both_methods_agree_and_only_one_can_count(self):
        for name in ("cantilever", "free"):
            a, b = (self.modal(name, keys={"modal.method": m, "modal.animate": 0}) for m in ("lanczos", "lobpcg"))
            for x, y in zip(a.fact("frequencies_hz"), b.fact("frequencies_hz")):
                self.assertLessEqual(abs(x - y), 1e-8 * x)
            self.assertIn("inertia", a.report["facts"]["mode_count"])
            self.assertIn("not counted", b.report["facts"]["mode_count"])

    def test_modes_that_a_factor_has_no_room_for_are_found_without_a_matrix(self):
        box_meshes.write_box(self.folder / "box.msh", "tet", (8, 4, 4))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\norder = 2\n' + model_texts.MODAL + "[modal]\ncount = 4\ntolerance = 1e-7\n")
        free = self.solve("ritz-modal", case)
        short = self.solve("ritz-modal", case, "--memory-limit", str(free.report["memory"]["device_peak"] // 2))
        self.assertIn("Lanczos", free.report["solver"]["method"])
        self.assertIn("not factorised: out of memory", short.log)
        self.assertIn("p-multigrid", short.report["solver"]["preconditioner"])
        self.assertLess(short.report["memory"]["device_peak"], free.report["memory"]["device_peak"] / 2)
        for a, b in zip(free.fact("frequencies_hz"), short.fact("frequencies_hz")):
            self.assert_close(a, b, 1e-9)

    def test_a_band_of_elements_without_a_matrix_is_refused_and_a_count_is_not(self):
        body = CLAMP + "[space]\norder = 4\n[modal]\n"
        self.refuse(2, "a factor counts the modes of a band", body + "band = [1, 10000]\n", BAR.replace("order = 2\n", ""))
        outcome = self.solve("ritz-modal", self.write("count.toml", BAR.replace("order = 2\n", "") + body + "count = 3\n"))
        self.assertIn("not factorised: element matrices", outcome.log)

    def test_a_band_holds_the_modes_in_it(self):
        outcome = self.modal("fv32", "--set", "modal={band=[100, 300]}")
        self.assertEqual([round(f) for f in outcome.fact("frequencies_hz")], [130, 163, 246])
        bracket = self.modal("bracket")
        self.assertIn("4 eigenvalues in the band by the inertia of a factor, all found", bracket.report["facts"]["mode_count"])
        self.assertTrue(0 < bracket.fact("frequencies_hz")[3] < 10000)
        empty = self.modal("fv32", "--set", "modal={band=[50, 100]}")
        self.assertEqual(empty.fact("frequencies_hz"), [])
        self.assertIn("there is no mode in the band", " ".join(empty.report["notices"]))

    def test_a_motor_on_the_bracket_swings_as_its_flexibility_says(self):
        """159.885 Hz: the least root of det(C^-1 - W M) with the flexibilities along y, about x and about z at the motor's centre, by
        ritz-elasticity, without the mass of the bracket, which is a thirteenth of the motor's and near the bolts."""
        motor = self.modal("motor")
        self.assert_close(motor.fact("frequencies_hz")[0], 159.885, 2e-3)
        self.assert_close(float(motor.report["facts"]["total_mass"].split()[0]), 8 + 7850 * 7.851e-5, 1e-4)

    def expect_the_same(self, runs):
        for run in runs[1:]:
            self.assertEqual(run.report["facts"], runs[0].report["facts"])
            self.assertEqual(vtu.read(run.results()), vtu.read(runs[0].results()))

    def test_a_repeated_run_gives_the_same_bits_and_lobpcg_does_for_any_threads(self):
        self.expect_the_same([self.modal("cantilever", keys={"modal.method": "lobpcg"}, threads=n) for n in (1, 2, 3)])
        for n in (1, 2):
            self.expect_the_same([self.modal("cantilever", keys={"modal.method": "lanczos"}, threads=n) for _ in range(2)])

    def test_threads_of_the_factorisation_change_no_frequency(self):
        """The BLAS behind the direct solver sums in another order with another number of threads."""
        one, two = (self.modal("cantilever", threads=n).fact("frequencies_hz") for n in (1, 2))
        for a, b in zip(one, two):
            self.assert_close(a, b, 1e-9)

    def test_shapes_are_normalised_as_asked_and_point_upwards(self):
        shapes = vtu.read(self.modal("cantilever", keys={"modal.normalise": "maximum"}).results())["PointData"]
        self.assertEqual(sorted(name for name in shapes if name.startswith("mode_")), [f"mode_{k}" for k in range(1, 9)])
        for mode in range(1, 9):
            v = shapes[f"mode_{mode}"]
            lengths = [math.hypot(*v[i:i + 3]) for i in range(0, len(v), 3)]
            self.assertAlmostEqual(max(lengths), 1, 12)
            self.assertGreater(max(v), 0.99 * max(map(abs, v)))

    def test_a_probe_looks_at_a_mode(self):
        outcome = self.solve("ritz-modal", self.box(CLAMP + '[modal]\ncount = 3\nnormalise = "maximum"\n'
                             '[[probe]]\nname = "tip"\nfield = "mode_3"\ncomponent = "magnitude"\nregion = "a"\nmeasure = "max"\n'))
        self.assertAlmostEqual(outcome.probes["tip"], 1, 12)

    def test_an_animation_is_one_period(self):
        outcome = self.solve("ritz-modal", self.box(CLAMP + "[modal]\ncount = 2\nanimate = 8\nanimate_displacement = 0.25\n"))
        series = [path for path in outcome.report["outputs"] if path.endswith("_mode_2.pvd")]
        self.assertEqual(len(series), 1)
        steps = [path for path in outcome.report["outputs"] if "_mode_2/" in path]
        self.assertEqual(len(steps), 8)
        peaks = []
        for step in steps:
            v = vtu.read(step)["PointData"]["displacement"]
            peaks.append(max(math.hypot(*v[i:i + 3]) for i in range(0, len(v), 3)))
        for phase, peak in enumerate(peaks):
            self.assertAlmostEqual(peak, 0.25 * abs(math.sin(2 * math.pi * phase / 8)), 12)

    def test_a_ring_is_a_body_of_revolution(self):
        """A thin ring breathes at omega^2 = E / (rho r^2), and its square section turns at half of that (Love, 1927, 293)."""
        points = ((10, 0), (10.02, 0), (10.02, 0.02), (10, 0.02))
        self.write("mesh.msh", boxes.square(points))
        case = self.write("case.toml", BAR.replace('"a"', '"all"') + '[model]\ntype = "axisymmetric"\n[modal]\ncount = 3\n')
        outcome = self.solve("ritz-modal", case)
        self.assertIn("keep the shape of revolution", outcome.log)
        f = outcome.fact("frequencies_hz")
        self.assertEqual(f[0], 0)
        self.assertEqual(outcome.report["facts"]["rigid_body_modes"], "1")
        breathing = math.sqrt(200e9 / 8000) / 10.01 / (2 * math.pi)
        self.assert_close(f[1], breathing / math.sqrt(2), 1e-3)
        self.assert_close(f[2], breathing, 1e-3)
        self.assert_close(float(outcome.report["facts"]["total_mass"]), 8000 * math.pi * (10.02**2 - 100) * 0.02, 1e-9)

    def refuse(self, exit_code, phrase, body, bar=BAR):
        self.write("mesh.msh", boxes.cubes(["a"]))
        outcome = self.run_case("ritz-modal", self.write("case.toml", bar + body))
        self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
        self.assertIn(phrase, outcome.errors)
        self.assertEqual(outcome.report["status"], "failed")
        self.assertFalse(list(self.folder.rglob("*.vtu")))

    def test_bad_cases_are_refused(self):
        self.refuse(2, "density", CLAMP, BAR.replace("density = 8000\n", ""))
        self.refuse(4, "density", CLAMP, BAR.replace("8000", "-1"))
        self.refuse(2, "count", CLAMP + "[modal]\ncount = 0\n")
        self.refuse(2, "is empty", CLAMP + "[modal]\nband = [200, 100]\n")
        self.refuse(2, "a count and a band", CLAMP + "[modal]\ncount = 3\nband = [1, 100]\n")
        self.refuse(2, "not those of a band", CLAMP + '[modal]\nband = [1, 100]\nmethod = "lobpcg"\n')
        free = '[modal]\ncount = 3\noperator = "matrix_free"\n'
        self.refuse(2, "modes without a matrix by a factor of one", CLAMP + free + 'method = "lanczos"\n')
        self.refuse(2, "modes without a matrix of elements of order 1", CLAMP + free, BAR.replace("order = 2\n", ""))
        self.refuse(2, "the support moves by 0.1", '[[displacement]]\nregion = "a.x0"\nx = 0.1\n')
        self.refuse(2, "free and have mass", CLAMP + "[modal]\ncount = 1000\n")
        self.refuse(2, "mode_9", CLAMP + '[modal]\ncount = 3\n[[probe]]\nname = "p"\nfield = "mode_9"\npoint = [0, 0, 0]\n')

    def test_what_does_not_converge_is_exit_5_with_advice(self):
        for method, advice in (("lobpcg", 'method = "lanczos"'), ("lanczos", "fewer modes")):
            outcome = self.run_case("ritz-modal", example("modal/cantilever"),
                                    keys={"modal.method": method, "modal.max_iterations": 2, "modal.count": 30})
            self.assertEqual(outcome.exit, 5, outcome.log)
            self.assertIn("did not converge for 30 modes: iteration limit after 2 iterations", outcome.errors)
            self.assertIn(advice, outcome.errors)
            self.assertEqual(outcome.report["outputs"], [])

    def test_check_solves_nothing(self):
        outcome = self.run_case("ritz-modal", example("modal/free"), "--check")
        self.assertEqual(outcome.exit, 0)
        self.assertEqual(outcome.report["outputs"], [])
        text = self.run_case("ritz-modal", example("modal/free"), "--describe").log
        for key in ("count", "band", "method", "tolerance", "normalise", "animate", "density"):
            self.assertIn(f"{key} =", text)



STEEL = "young = 200e9\npoisson = 0.3\ndensity = 8000\n"
PLANE = '[[support]]\nregion = "all"\nz = 0\nrx = 0\nry = 0\n'
SQUARE = STEEL + 'element = "beam"\nprofile = "rectangle"\nwidth = 0.125\nheight = 0.125\n'


def lines(points, cells, groups):
    """MSH 2: groups {name: (cells, nodes)}; cells and nodes counted from 0."""
    names, elements = [], []
    for number, (name, (members, nodes)) in enumerate(groups.items(), 1):
        names.append(f'{1 if members else 0} {number} "{name}"')
        elements += [f"1 2 {number} {number} {cells[c][0] + 1} {cells[c][1] + 1}" for c in members]
        elements += [f"15 2 {number} {number} {n + 1}" for n in nodes]
    nodes = "\n".join(f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(points, 1))
    body = "\n".join(f"{i} {e}" for i, e in enumerate(elements, 1))
    return (f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(names)}\n" + "\n".join(names) +
            f"\n$EndPhysicalNames\n$Nodes\n{len(points)}\n{nodes}\n$EndNodes\n$Elements\n{len(elements)}\n{body}\n$EndElements\n")


class Structures(CaseTest):
    def arms(self, count, per_arm):
        """Beams of 5 m from the origin outwards."""
        points, cells, tips = [(0, 0, 0)], [], []
        for arm in range(count):
            last = 0
            for k in range(1, per_arm + 1):
                r, angle = 5 * k / per_arm, 2 * math.pi * arm / count
                points.append((r * math.cos(angle), r * math.sin(angle), 0))
                cells.append((last, len(points) - 1))
                last = len(points) - 1
            tips.append(last)
        self.write("mesh.msh", lines(points, cells, {"arms": (range(len(cells)), []), "tips": ([], tips), "hub": ([], [0])}))

    def case(self, *tables):
        return self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + "".join(tables))

    def test_fv16_cantilevered_plate(self):
        outcome = self.solve("ritz-modal", example("modal/fv16"))
        for ours, reference in zip(outcome.fact("frequencies_hz"), FV16):
            self.assert_close(ours, reference, 0.007)
        self.assert_close(float(outcome.report["facts"]["total_mass"]), 8000 * 0.05 * 100, 1e-9)
        shape = vtu.read(outcome.results())["PointData"]["mode_1"]
        self.assertAlmostEqual(max(shape[2::3]), 1, 9)

    def test_fv2_pin_ended_double_cross(self):
        """NAFEMS FV2: in its plane, 1, 7, 1 and 7 modes of nearly one frequency."""
        self.arms(8, 4)
        outcome = self.solve("ritz-modal", self.case('[[section]]\nregion = "arms"\n', SQUARE, PLANE,
                                                     '[[support]]\nregion = "tips"\npinned = true\n[modal]\ncount = 16\n'))
        expected = [11.336] + 7 * [17.7] + [45.345] + 7 * [57.4]
        for ours, reference in zip(outcome.fact("frequencies_hz"), expected):
            self.assert_close(ours, reference, 0.01)

    def test_a_free_beam_has_six_rigid_modes(self):
        self.arms(1, 8)
        outcome = self.solve("ritz-modal", self.case('[[section]]\nregion = "arms"\n', SQUARE, "[modal]\ncount = 8\nanimate = 4\n"))
        f = outcome.fact("frequencies_hz")
        self.assertEqual(outcome.report["facts"]["rigid_body_modes"], "6")
        self.assertEqual(f[:6], [0] * 6)
        self.assertNotIn("without stiffness", outcome.log)  # its rigid motions are no mechanism
        euler = 4.730041**2 / (2 * math.pi * 25) * math.sqrt(200e9 * 0.125**2 / 12 / 8000)
        for k in (6, 7):
            self.assert_close(f[k], euler, 0.005)

    def test_a_point_mass_swings_on_a_light_cantilever(self):
        """omega^2 = 3 E I / (L^3 (m + 33/140 of the beam's)), and with its rotary inertia below that."""
        self.arms(1, 6)
        I, beam = 0.125**4 / 12, 8000 * 0.125**2 * 5

        def first(extra):
            tables = ('[[section]]\nregion = "arms"\n', SQUARE, '[[support]]\nregion = "hub"\nfixed = true\n', PLANE,
                      '[[mass]]\nregion = "tips"\nvalue = 5000\n', extra, "[modal]\ncount = 1\n")
            outcome = self.solve("ritz-modal", self.case(*tables), "--overwrite")
            self.assert_close(float(outcome.report["facts"]["total_mass"]), 5000 + beam, 1e-9)
            return outcome.fact("frequencies_hz")[0]

        light = first("")
        self.assert_close(light, math.sqrt(3 * 200e9 * I / (125 * (5000 + 33 / 140 * beam))) / (2 * math.pi), 2e-3)
        self.assertLess(first("inertia = [0, 0, 2000]\n"), 0.99 * light)

    def test_a_panel_of_bars_without_a_diagonal_is_a_mechanism(self):
        self.write("mesh.msh", lines([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 3), (1, 2), (3, 2)], {"bars": (range(3), []), "feet": ([], [0, 1])}))
        bars = '[[section]]\nregion = "bars"\nelement = "bar"\nyoung = 200e9\narea = 1e-3\ndensity = 8000\n[[support]]\nregion = "bars"\nz = 0\n'
        outcome = self.solve("ritz-modal", self.case(bars, '[[support]]\nregion = "feet"\npinned = true\n[modal]\ncount = 3\n'))
        self.assertLess(outcome.fact("frequencies_hz")[0], 1e-6 * outcome.fact("frequencies_hz")[1])
        [notice] = outcome.report["notices"]  # and nothing of keys that are not given
        self.assertIn("modes without stiffness beyond the rigid motions: 1", notice)

    def test_torsion_of_a_straight_beam_is_a_shape_of_rotations(self):
        """omega = pi/2 sqrt(G J / (rho I_p)) / L with J = 0.1406 b^4; nodes of the axis stay in their places."""
        self.arms(1, 8)
        outcome = self.solve("ritz-modal", self.case(
            '[[section]]\nregion = "arms"\n', SQUARE, '[[support]]\nregion = "hub"\nfixed = true\n',
            '[modal]\ncount = 10\nnormalise = "maximum"\nanimate = 4\nanimate_displacement = 0.25\n'))
        shapes = vtu.read(outcome.results())["PointData"]

        def lengths(values):
            return [math.hypot(*values[i:i + 3]) for i in range(0, len(values), 3)]
        largest = {k: max(lengths(shapes[f"mode_{k}"])) for k in range(1, 11)}
        (torsion,) = (k for k, size in largest.items() if size < 1e-6)
        for k, size in largest.items():
            if k != torsion:
                self.assertAlmostEqual(size, 1, 12)
        turned = shapes[f"mode_{torsion}_rotation"]
        for node in range(9):
            self.assertAlmostEqual(turned[3 * node], math.sin(math.pi * node / 16), 5)
        self.assert_close(outcome.fact("frequencies_hz")[torsion - 1], math.sqrt(200e9 / 2.6 * 0.1406 * 6 / 8000) / 20, 5e-3)
        self.assertIn(f"nodes of mode_{torsion} turn and stay in their places", " ".join(outcome.report["notices"]))
        moved = [vtu.read(path)["PointData"] for path in sorted((outcome.folder / f"results/case_mode_{torsion}").glob("*.vtu"))]
        self.assertEqual(len(moved), 4)
        self.assertLess(max(max(lengths(step["displacement"])) for step in moved), 1e-6)
        self.assertAlmostEqual(max(max(lengths(step["rotation"])) for step in moved), 0.25 / 5, 9)  # at 5 m from its axis

    def test_bad_structures_are_refused(self):
        self.arms(1, 2)
        section, hub = '[[section]]\nregion = "arms"\n' + SQUARE, '[[support]]\nregion = "hub"\nfixed = true\n'
        for exit_code, phrase, tables in (
                (2, "density", (section.replace("density = 8000\n", ""), hub)),
                (2, "the support moves by 0.1", (section, hub, '[[support]]\nregion = "tips"\nx = 0.1\n')),
                (2, "mass.0.value", (section, hub, '[[mass]]\nregion = "tips"\n')),
                (4, "mass.0.value", (section, hub, '[[mass]]\nregion = "tips"\nvalue = -1\n')),
                (2, "the mesh has no volumes", (section, hub, '[[material]]\nregion = "arms"\n')),
                (2, "of ritz-modal with [modal] preload = true", (section, hub, '[[force]]\nregion = "tips"\nvalue = [1, 0, 0]\n')),
                (4, "has no rotations", ('[[section]]\nregion = "arms"\nelement = "bar"\narea = 1\n' + STEEL.replace("poisson = 0.3\n", ""),
                                         hub, '[[mass]]\nregion = "tips"\nvalue = 1\ninertia = [1, 0, 0]\n'))):
            outcome = self.run_case("ritz-modal", self.case(*tables))
            self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
            self.assertIn(phrase, outcome.errors)


if __name__ == "__main__":
    unittest.main()
