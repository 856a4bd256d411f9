"""Answers to vibration of solids with beams in one case, from the command line: an oscillator, a bar, or the same without modes."""

import math
import shutil
import unittest

import body_test
import ritz
from body_test import B, E, H, L, bar_and_beam, case
from ritz import CaseTest

AREA, DENSITY = B * H, 2000.0
STIFFNESS = E * AREA / L  # of the bar along x: half of it a solid, half a beam
HEAVY = 1e6  # [kg] at the tip, beside 240 of the bar, a third of which moves along
FREQUENCY = math.sqrt(STIFFNESS / (HEAVY + DENSITY * AREA * L / 3)) / (2 * math.pi)
FORCE = 1e4
PUSH = f'[[force]]\nregion = "tip"\nvalue = [{FORCE}, 0, 0]\n'
MASS = f'[[mass]]\nregion = "tip"\nvalue = {HEAVY}\n'
ON_MODES = "[modal]\ncount = 4\n"
RATIO = 0.02
DAMPED = f"[damping]\nratio = {RATIO}\n"


def probe(name, region, field="displacement", component="x"):
    return f'[[probe]]\nname = "{name}"\nfield = "{field}"\ncomponent = "{component}"\nregion = "{region}"\nmeasure = "mean"\n'


def vibration(tables, probes=True):
    text = case(load=tables)
    text = text[: text.index("[[probe]]")]
    return text + (probe("along", "tip") if probes else "")


def free(text):
    return text.replace('[[support]]\nregion = "wall"\nfixed = true\n', "")


class Answers(CaseTest):
    def solve_text(self, text, program="ritz-modal"):
        self.write("body.msh", bar_and_beam())
        return self.solve(program, self.write("body.toml", text))

    def test_an_oscillator_has_its_peak_and_its_static_answer(self):
        """|u| = F / k / 2 zeta sqrt(1 - zeta^2) at the peak, and F / k at frequency 0; of a beam and a solid in series."""
        outcome = self.solve_text(
            vibration(
                MASS + PUSH + ON_MODES + DAMPED + f"[harmonic]\nfrequencies = [0, {2 * FREQUENCY}]\nfields_at = [0]\n"
            )
        )
        self.assert_close(
            outcome.fact("largest_along")[0], FORCE / STIFFNESS / (2 * RATIO * math.sqrt(1 - RATIO**2)), 1e-5
        )
        self.assert_close(outcome.fact("largest_along_hz")[0], FREQUENCY * math.sqrt(1 - 2 * RATIO**2), 1e-5)
        self.assert_close(outcome.probes["along"], FORCE / STIFFNESS, 1e-8)

    def test_a_bar_vibrates_along_itself(self):
        """u = F tan(k L) / E A k with k = w / c, a quarter of the first resonance; 2 beams leave 4e-4."""
        speed = math.sqrt(E / DENSITY)
        frequency = speed / L / 16
        k = 2 * math.pi * frequency / speed
        outcome = self.solve_text(
            vibration(
                PUSH
                + "[modal]\ncount = 8\n"
                + f"[harmonic]\nfrequencies = [{0.99 * frequency}, {1.01 * frequency}]\nfields_at = [{frequency}]\n"
            )
        )
        self.assert_close(outcome.probes["along"], FORCE * math.tan(k * L) / (E * AREA * k), 4e-4)

    def test_a_shaken_oscillator_meets_miles(self):
        """sqrt(pi/2 f Q S (1 + 4 zeta^2)) of the absolute acceleration under white noise."""
        shaken = (
            "[random]\n"
            + f"frequencies = [1e-3, {400 * FREQUENCY}]\n"
            + "[[random.base]]\ndirection = [1, 0, 0]\ndensity = 0.5\n"
        )
        outcome = self.solve_text(
            vibration(MASS + ON_MODES + DAMPED + shaken, probes=False) + probe("felt", "tip", "acceleration")
        )
        miles = math.sqrt(math.pi / 2 * FREQUENCY / (2 * RATIO) * 0.5 * (1 + 4 * RATIO**2))
        self.assert_close(outcome.fact("rms_felt")[0], miles, 1e-3)

    def test_a_response_spectrum_moves_it_by_its_acceleration(self):
        shock = "[spectrum]\n[[spectrum.base]]\ndirection = [1, 0, 0]\nacceleration = 3\n"
        outcome = self.solve_text(vibration(MASS + ON_MODES + DAMPED + shock))
        self.assert_close(outcome.probes["along"], 3 / (2 * math.pi * FREQUENCY) ** 2, 1e-4)

    def test_a_sudden_force_moves_it_twice_as_far_as_at_rest(self):
        half = 0.5 / FREQUENCY
        outcome = self.solve_text(
            vibration(MASS + PUSH + ON_MODES + f"[history]\nend = {half}\nstep = {half / 50}\nfields_at = [{half}]\n")
        )
        self.assert_close(outcome.probes["along"], 2 * FORCE / STIFFNESS, 1e-4)

    def test_a_dashpot_damps_it(self):
        """The critical damping is 2 sqrt(k m)."""
        dashpot = f'[[damping.dashpot]]\nregion = "tip"\nvalue = [{0.1 * 2 * math.sqrt(STIFFNESS * HEAVY)}, 0, 0]\n'
        outcome = self.solve_text(vibration(MASS + "[modal]\ncount = 4\n[complex]\n" + dashpot, probes=False))
        found = min(
            zip(outcome.fact("damping_ratios"), outcome.fact("complex_frequencies_hz")),
            key=lambda pair: abs(pair[0] - 0.1),
        )
        self.assert_close(found[0], 0.1, 1e-3)
        self.assert_close(found[1], FREQUENCY * math.sqrt(1 - 0.1**2), 1e-3)

    def test_without_modes_it_is_that_of_all_modes(self):
        """At 100 Hz across the bar, under Rayleigh damping, with 60 modes and residual vectors."""
        across = '[[force]]\nregion = "tip"\nvalue = [0, 0, 1000]\n[damping]\nrayleigh = [5, 1e-5]\n'
        down = probe("down", "tip", component="z") + probe("turn", "tip", "rotation", "y")
        answers = [
            self.solve_text(
                vibration(across + how + "frequencies = [90, 110]\ncount = 3\nfields_at = [100]\n", probes=False) + down
            )
            for how in ("[modal]\ncount = 60\n[harmonic]\n", '[harmonic]\nmethod = "direct"\n')
        ]
        for name in ("down", "turn"):
            self.assert_close(answers[1].probes[name], answers[0].probes[name], 1e-6)

    def test_loss_factors_and_dashpots_act_on_their_part(self):
        """At rest F / E A (a + b / (1 + i eta)) of lengths a and b; far below resonance a dashpot at the tip adds i w c."""
        lossy = '[[damping.region]]\nregion = "beam"\nstructural = 0.5\n'
        outcome = self.solve_text(
            vibration(
                PUSH + lossy + '[harmonic]\nmethod = "direct"\nfrequencies = [0, 1]\ncount = 2\nfields_at = [0]\n'
            )
        )
        self.assert_close(outcome.probes["along"], abs(FORCE / (E * AREA) * (1 + 1 / (1 + 0.5j))), 1e-8)
        w, c = 2 * math.pi, 1e9
        dashpot = f'[[damping.dashpot]]\nregion = "tip"\nvalue = [{c}, 0, 0]\n'
        outcome = self.solve_text(
            vibration(
                PUSH + dashpot + '[harmonic]\nmethod = "direct"\nfrequencies = [0, 1]\ncount = 2\nfields_at = [1]\n'
            )
        )
        self.assert_close(outcome.probes["along"], FORCE / abs(STIFFNESS + 1j * w * c), 1e-5)

    def test_a_mass_at_a_reference_point_is_carried(self):
        """The peak of the oscillator, and m a / k under a base that accelerates slowly, with half of the bar's mass."""
        carried = f'[[rigid]]\nregion = "tip"\nmass = {HEAVY}\n'
        shaken = f"[harmonic]\nfrequencies = [{0.5 * FREQUENCY}, {1.5 * FREQUENCY}]\n"
        outcome = self.solve_text(vibration(carried + PUSH + ON_MODES + DAMPED + shaken))
        self.assert_close(
            outcome.fact("largest_along")[0], FORCE / STIFFNESS / (2 * RATIO * math.sqrt(1 - RATIO**2)), 1e-5
        )
        base = self.solve_text(
            vibration(
                carried
                + ON_MODES
                + "[harmonic]\nfrequencies = [0, 0.1]\nfields_at = [0]\n[[harmonic.base]]\ndirection = [1, 0, 0]\nacceleration = 2\n"
            )
        )
        self.assert_close(
            base.probes["along"], 2 * (HEAVY + DENSITY * AREA * L / 2) / STIFFNESS, 1e-7
        )  # (m + M / 2) a / k

    def test_a_force_at_a_reference_point_excites(self):
        """On the mean of the solid's end: half of the bar is stretched, and the beam goes with it."""
        pushed = f'[[coupling]]\nregion = "face"\nforce = [{FORCE}, 0, 0]\n'
        outcome = self.solve_text(vibration(pushed + ON_MODES + "[harmonic]\nfrequencies = [0, 1]\nfields_at = [0]\n"))
        self.assert_close(outcome.probes["along"], FORCE / (2 * STIFFNESS), 1e-7)

    def test_a_face_on_a_spring_answers(self):
        """A spring to the ground at the reference point of the solid's end acts next to the solid, and the beam comes after both."""
        spring = 1e9
        held = f'[[coupling]]\nregion = "face"\nsprings = {{x = {spring}}}\n'
        outcome = self.solve_text(
            vibration(held + PUSH + ON_MODES + "[harmonic]\nfrequencies = [0, 1]\nfields_at = [0]\n")
        )
        half = 2 * STIFFNESS  # of each half
        self.assert_close(outcome.probes["along"], FORCE / (half + spring) + FORCE / half, 1e-6)

    def test_inertia_balances_a_force_at_the_end(self):
        """A bar that flies: longer by F L / 2 E A, at F / m."""
        text = free(vibration(PUSH + "[inertia_relief]\n")) + probe("behind", "wall")
        outcome = self.solve_text(text, "ritz-structure")
        self.assert_close(
            outcome.probes["along"] - outcome.probes["behind"], FORCE * L / (2 * E * AREA), 2e-3
        )  # lumped on the beam's nodes
        self.assert_close(outcome.fact("rigid_acceleration")[0], FORCE / (DENSITY * AREA * L), 1e-9)
        held = self.run_case("ritz-structure", self.write("held.toml", vibration(PUSH + "[inertia_relief]\n")))
        self.assertIn("a body that its supports hold", held.errors)

    def test_a_free_body_vibrates_about_its_rigid_motions(self):
        """Far below the first mode the ends move against each other as in inertia relief."""
        text = free(
            vibration(PUSH + "[modal]\ncount = 8\n[harmonic]\nfrequencies = [1, 2]\nfields_at = [1]\n", probes=False)
        )
        outcome = self.solve_text(text + probe("along", "tip") + probe("behind", "wall"))
        rigid = FORCE / (DENSITY * AREA * L) / (2 * math.pi) ** 2
        self.assert_close(outcome.probes["along"] + outcome.probes["behind"], 2 * rigid, 1e-3)  # amplitudes
        self.assertEqual(outcome.fact("rigid_body_modes"), [6])

    def test_a_substructure_keeps_statics_and_masses(self):
        """Reduced to the tip of the beam: compliances of the bar; free, its mass in a translation."""
        modal = '[modal]\ncount = 3\n[substructure]\ninterface = "tip"\n'
        outcome = self.solve_text(vibration(PUSH + modal, probes=False))
        self.assertEqual(outcome.fact("interface_unknowns"), [6])
        K = self.matrix(outcome, "stiffness")
        compliance = self.solution([row[:6] for row in K[:6]], [1, 0, 0, 0, 0, 0])
        self.assert_close(compliance[0], 1 / STIFFNESS, 1e-7)
        turned = self.solution([row[:6] for row in K[:6]], [0, 0, 0, 0, 1, 0])
        self.assert_close(turned[4], L / (E * B * H**3 / 12), 1e-6)
        for row in range(6):
            self.assertAlmostEqual(K[row][6], 0, delta=1e-6 * K[0][0])
        outcome = self.solve_text(free(vibration(PUSH + modal, probes=False)))
        self.assert_close(self.matrix(outcome, "mass")[0][0], DENSITY * AREA * L, 1e-8)

    def matrix(self, outcome, name):
        lines = next(outcome.folder.rglob(f"body_{name}.mtx")).read_text().splitlines()
        n = int(lines[1].split()[0])
        numbers = iter(float(each) for each in lines[2:])
        rows = [[0.0] * n for _ in range(n)]
        for j in range(n):
            for i in range(j, n):
                rows[i][j] = rows[j][i] = next(numbers)
        return rows

    @staticmethod
    def solution(A, b):
        A, b, n = [list(row) for row in A], list(b), len(b)
        for k in range(n):
            for i in range(k + 1, n):
                factor = A[i][k] / A[k][k]
                A[i] = [x - factor * y for x, y in zip(A[i], A[k])]
                b[i] -= factor * b[k]
        for k in reversed(range(n)):
            b[k] = (b[k] - sum(A[k][j] * b[j] for j in range(k + 1, n))) / A[k][k]
        return b

    by_ranks = body_test.Body.by_ranks

    @unittest.skipUnless(
        shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI"
    )
    def test_three_ranks_answer_as_one(self):
        harmonic = f"frequencies = [1, {2 * FREQUENCY}]\ncount = 3\nfields_at = [{FREQUENCY}]\n"
        dashpot = '[[damping.dashpot]]\nregion = "tip"\nvalue = [1e6, 0, 0]\n'
        cases = {
            "ritz-modal": [
                vibration(MASS + PUSH + ON_MODES + DAMPED + "[harmonic]\n" + harmonic),
                vibration(MASS + PUSH + dashpot + '[harmonic]\nmethod = "direct"\n' + harmonic),
                free(vibration(PUSH + "[modal]\ncount = 8\n[harmonic]\nfrequencies = [1, 2]\nfields_at = [1]\n")),
                vibration(MASS + ON_MODES + "[complex]\n" + dashpot, probes=False),
                vibration(PUSH + '[modal]\ncount = 3\n[substructure]\ninterface = "tip"\n', probes=False),
            ],
            "ritz-structure": [free(vibration(PUSH + "[inertia_relief]\n"))],
        }
        for program, texts in cases.items():
            for text in texts:
                with self.subTest(text=text[-120:]):
                    alone = self.solve_text(text, program)
                    shared = self.by_ranks(program, "body.toml")
                    for name, value in alone.probes.items():
                        self.assert_close(shared["probes"][name], value, 1e-6)
                    for fact in ("fixed_interface_hz", "damping_ratios", "rigid_acceleration"):
                        for mine, expected in zip(
                            shared["facts"].get(fact, "").split(), alone.fact(fact) if fact in shared["facts"] else []
                        ):
                            self.assertAlmostEqual(float(mine), expected, delta=1e-6 * max(1e-3, abs(expected)))


if __name__ == "__main__":
    unittest.main()
