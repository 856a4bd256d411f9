"""Prescribed mean motions and springs of [[coupling]] beyond linear statics: each against a closed form, or against linear statics."""

import math
import re
import shutil
import unittest

import boxes
from divided_test import OnRanks
from joining_test import EXACT, MESH, STEEL, Joining, at, box, half_period, held, mean_of
from laws_test import ELASTIC, slope
from steps_test import step

PATH = "[newton]\npath = [0.5, 1]\n"  # linear models follow a path by Newton's method, too
NEO_HOOKE = '[model]\nlarge_displacement = true\n[[material]]\nregion = "bar"\nlaw = "neo_hooke"\nyoung = 1e6\npoisson = 0.45\ndensity = 1\n'


def j2(limit, hardening=20e9):
    return f'[[material]]\nregion = "bar"\nlaw = "j2"\nyoung = 200e9\npoisson = 0.3\nhardening = [[0, {limit}], [1, {limit + hardening}]]\ndensity = 7850\n'


SYMMETRIC = held("bar.x0", x=0) + held("bar.y0", y=0) + held("bar.z0", z=0)
END = '[[coupling]]\nregion = "bar.x1"\nreference = [4, 0.5, 0.5]\n'
START = '[[coupling]]\nregion = "bar.x0"\nreference = [0, 0.5, 0.5]\n'
GRAVITY, WEIGHT = "[gravity]\nacceleration = [0, 0, -9.81]\n", 7850 * 4 * 9.81
BAR = boxes.blocks(("bar", (4, 2, 2), box(0, 0, 0, (4, 1, 1))))
FREE = (
    STEEL.format("bar", 0) + "density = 7850\n[space]\norder = 2\n" + EXACT
)  # order 2 bends exactly without Poisson's effect
WALL = held("bar.x0", fixed="true")


def zero(*names):
    return "".join(f"{name} = 0\n" for name in names or ("x", "y", "z", "rx", "ry", "rz"))


def root(function, low, high):
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) * function(low) > 0 else (low, middle)
    return low


def pull(stretch):
    """Force per area at rest of a neo-Hookean bar in tension, whose sides are free."""
    energy = ELASTIC["neo_hooke"][1]
    side = root(lambda across: slope(energy, (stretch, across, across), 1), 0.5, 2)
    return slope(energy, (stretch, side, side), 0)


class NonlinearCouplings(Joining):
    bar = BAR

    def test_a_path_ends_with_the_force_of_linear_statics(self):
        for solver in ("", 'operator = "matrix_free"\n', 'method = "direct"\n'):
            text = FREE.replace(EXACT, EXACT + solver) + WALL
            outcome = self.of(self.bar, text + PATH + END + "x = 0.001\nry = 0.002\n")
            force, motion = outcome.fact("coupling bar.x1 force"), outcome.fact("coupling bar.x1")
            self.assert_close(force[0], 200e9 * 0.001 / 4, 1e-8)
            self.assert_close(force[4], 200e9 / 12 * 0.002 / 4, 1e-8)
            for value, exact in zip(motion, (0.001, 0, -0.002 * 4 / 2, 0, 0.002, 0)):
                self.assertAlmostEqual(value, exact, delta=1e-11)
            self.assert_close(outcome.fact("reaction")[0], -200e9 * 0.001 / 4, 1e-8)

    def test_springs_and_given_motions_are_those_of_linear_statics(self):
        text = (
            STEEL.format("bar", 0.3)
            + "density = 7850\n"
            + EXACT
            + WALL
            + GRAVITY
            + at("tip", "displacement", (4, 1, 1))
        )
        end = '[[coupling]]\nregion = "bar.x1"\nreference = [5, 0, 1]\ny = 1e-4\nrz = -1e-4\nsprings = {x = 1e9, z = 2e9, ry = 5e8}\nforce = [1e5, 0, 0]\n'
        linear, newton = (self.of(self.bar, text + end + path) for path in ("", PATH))
        for name in ("coupling bar.x1", "coupling bar.x1 force"):
            scale = max(abs(value) for value in linear.fact(name))
            for a, b in zip(newton.fact(name), linear.fact(name), strict=True):
                self.assertAlmostEqual(a, b, delta=1e-8 * scale)
        for a, b in zip(newton.probes["tip"], linear.probes["tip"], strict=True):
            self.assert_close(a, b, 1e-8)
        # a law that does not yield has the same solution
        law = self.of(self.bar, text.replace(STEEL.format("bar", 0.3) + "density = 7850\n", j2(1e12)) + end)
        for a, b in zip(law.probes["tip"], linear.probes["tip"], strict=True):
            self.assert_close(a, b, 1e-7)

    def test_forces_do_not_depend_on_the_unit_of_length(self):
        """A path and a motion of a body that only couplings hold, in metres, a million of them, and a millionth."""
        rows = []
        for size in (1, 1e6, 1e-6):
            bar = boxes.blocks(("bar", (4, 2, 2), box(0, 0, 0, (4 * size, size, size))))
            text = (
                FREE.replace("7850", repr(7850 / size**2))
                + f'[[coupling]]\nregion = "bar.x0"\nreference = [0, {size}, 0]\n'
                + zero()
            )
            text += f'[[coupling]]\nregion = "bar.x1"\nreference = [{5 * size}, 0, {size}]\nx = {1e-3 * size}\nry = 2e-3\nsprings = {{z = {1e9 * size}, rz = {1e9 * size**3}}}\n'
            text += f"force = [0, {1e6 * size**2}, 0]\nmoment = [{1e5 * size**3}, 0, 0]\n"
            for more in (PATH, "[time]\nend = 2e-4\nstep = 5e-5\n"):
                force = self.of(bar, text + more).fact("coupling bar.x1 force")
                rows.append([value / size ** (2 if i < 3 else 3) for i, value in enumerate(force)])
        for path, motion in zip(rows[2::2], rows[3::2]):
            for found, expected in zip((path, motion), rows):
                for a, b in zip(found, expected):
                    self.assertAlmostEqual(a, b, delta=1e-8 * max(map(abs, expected)))

    def test_only_couplings_hold_a_bar_along_a_path(self):
        clamp = START + zero()
        for solver in ("", 'operator = "matrix_free"\n', 'method = "direct"\n'):
            text = FREE.replace(EXACT, EXACT + solver)
            outcome = self.of(self.bar, text + PATH + clamp + END + "force = [1e6, 0, 0]\nmoment = [0, 1e6, 0]\n")
            for value, exact in zip(outcome.fact("coupling bar.x0 force"), (-1e6, 0, 0, 0, -1e6, 0), strict=True):
                self.assertAlmostEqual(value, exact, delta=0.1)
            self.assert_close(outcome.fact("coupling bar.x1")[0], 1e6 * 4 / 200e9, 1e-7)
        springs = START + zero("x", "y", "rx", "rz") + "springs = {z = 1e7, ry = 1e9}\n"
        motion = self.of(self.bar, FREE + PATH + GRAVITY + springs).fact("coupling bar.x0")
        self.assert_close(motion[2], -WEIGHT / 1e7, 1e-6)
        self.assert_close(motion[4], 2 * WEIGHT / 1e9, 1e-6)

    def test_a_neo_hookean_bar_pulls_a_spring(self):
        k, force = 1e5, 4e5
        stretch = root(lambda s: pull(s) + k * 4 * (s - 1) - force, 1, 3)
        springs = NEO_HOOKE + SYMMETRIC + END + f"springs = {{x = {k}}}\nforce = [{force}, 0, 0]\n"
        given = NEO_HOOKE + SYMMETRIC + END + f"x = {4 * (stretch - 1)!r}\n"
        free = NEO_HOOKE + START + zero() + END + f"x = {4 * (stretch - 1)!r}\n"
        for text, holds in ((springs, -k * 4 * (stretch - 1)), (given, pull(stretch)), (free, pull(stretch))):
            outcome = self.of(self.bar, text)
            self.assert_close(outcome.fact("coupling bar.x1")[0], 4 * (stretch - 1), 1e-6)
            self.assert_close(outcome.fact("coupling bar.x1 force")[0], holds, 1e-6)
        self.assert_close(outcome.fact("coupling bar.x0 force")[0], -pull(stretch), 1e-6)

    def test_steps_pull_a_bar_beyond_its_yield_stress_and_release_it(self):
        """Tension with E_t = E h / (E + h) beyond the yield stress; what is left of the strain 0.003 is plastic."""
        modulus, hardening, limit, strain = 200e9, 20e9, 250e6, 0.003
        stress = limit + modulus * hardening / (modulus + hardening) * (strain - limit / modulus)
        text = j2(limit) + SYMMETRIC
        held_there, softly = END + f"x = {4 * strain}\n", END + f"springs = {{x = {modulus / 4}}}\n"
        remove = '[[remove]]\ntable = "coupling"\n'
        outcome = self.of(
            self.bar,
            text
            + step("pull", held_there)
            + step("release", remove)
            + step("springs", softly)
            + step("again", remove + held_there),
        )
        rows = outcome.report["steps"]
        numbers = lambda name, fact: [float(value) for value in rows[name]["facts"][fact].split()]
        self.assert_close(numbers("pull", "coupling bar.x1 force")[0], stress, 1e-5)
        left = 4 * (strain - stress / modulus)
        # a spring of the stiffness of the bar, which is without force where the mesh has no displacement
        self.assert_close(numbers("springs", "coupling bar.x1")[0], left / 2, 1e-5)
        self.assert_close(numbers("springs", "coupling bar.x1 force")[0], -modulus / 4 * left / 2, 1e-5)
        self.assert_close(numbers("again", "coupling bar.x1 force")[0], stress, 1e-5)

    def test_what_a_path_cannot_have_next_to_couplings_is_refused(self):
        gap = '[[gap]]\nregion = "bar.x1"\ndirection = [1, 0, 0]\nclearance = 1e-3\n'
        text = FREE.replace("[space]\norder = 2\n", "")
        self.refuse(
            4,
            ["a prescribed mean motion next to inequalities", "coupling.0"],
            self.bar,
            text + WALL + gap + END + "ry = 0.001\n",
        )


class CouplingsInMotion(Joining):
    def assert_swings(self, outcome, motion, amplitude, energy):
        """At the end of two half periods it is where it began."""
        self.assertAlmostEqual(outcome.fact("coupling bar.x0")[motion], amplitude, delta=1e-3 * abs(amplitude))
        self.assert_close(outcome.fact("energy_at_begin")[0], energy, 1e-5)
        self.assertLess(abs(outcome.fact("lost_energy")[0]), 1e-7 * energy)

    def test_a_stiff_cube_swings_on_springs(self):
        """Along x with k / m, and about z with k / J, J = m / 6; alone, with a law, and with a mass at the reference point."""
        cube = boxes.blocks(("bar", (2, 2, 2), box(0, 0, 0)))
        springs = '[[coupling]]\nregion = "bar.x0"\nreference = [0.5, 0.5, 0.5]\nsprings = {x = 1e6, y = 2e6, z = 3e6, rx = 4e6, ry = 5e6, rz = 6e6}\n'
        along, about = '["1e-3", 0, 0]', '["-1e-4*(y-0.5)", "1e-4*(x-0.5)", 0]'
        steel = STEEL.format("bar", 0.3) + "density = 8000\n"
        for text, motion, begin, amplitude, k, m in (
            (steel + springs, 0, along, 1e-3, 1e6, 8000),
            (steel + springs, 5, about, 1e-4, 6e6, 8000 / 6),
            (steel + springs + "mass = 500\ninertia = [100, 200, 300]\n", 0, along, 1e-3, 1e6, 8500),
            (steel + springs + "mass = 500\ninertia = [100, 200, 300]\n", 5, about, 1e-4, 6e6, 8000 / 6 + 300),
            (j2(1e12).replace("7850", "8000") + springs, 0, along, 1e-3, 1e6, 8000),
        ):
            outcome = self.of(cube, text + f"[initial]\ndisplacement = {begin}\n" + half_period(k, m, steps=400))
            self.assert_swings(outcome, motion, amplitude, k * amplitude**2 / 2)
            force = outcome.fact("coupling bar.x0 force")[motion]
            self.assertAlmostEqual(force, -k * amplitude, delta=1e-3 * k * amplitude)

    def test_a_mass_swings_on_a_light_bar_that_is_held_in_the_mean(self):
        """As at a wall, E A / L, wherever supports and couplings share what they hold."""
        bar, k, m = boxes.blocks(("bar", (4, 1, 1), box(0, 0, 0, (4, 1, 1)))), 200e9 / 4, 5e4
        mass = f'[[coupling]]\nregion = "bar.x1"\nmass = {m}\n'
        text = STEEL.format("bar", 0) + "density = 1e-3\n" + '[initial]\ndisplacement = ["1e-3*x/4", 0, 0]\n' + mass
        for holds in (START + zero(), START + zero("x") + held("bar.y0", y=0) + held("bar.z0", z=0)):
            outcome = self.of(bar, text + holds + half_period(k, m))
            self.assertAlmostEqual(outcome.fact("coupling bar.x1")[0], 1e-3, delta=1e-6)
            self.assertLess(abs(outcome.fact("coupling bar.x0")[0]), 1e-15)
            self.assert_close(outcome.fact("coupling bar.x0 force")[0], -k * 1e-3, 1e-3)
            self.assert_close(outcome.fact("energy_at_begin")[0], k * 1e-6 / 2, 1e-6)

    def test_a_bar_stays_in_equilibrium_with_a_mean_that_is_prescribed(self):
        text = FREE + "[initial]\nequilibrium = true\n[time]\nend = 1e-3\nstep = 1e-4\n" + END + "x = 1e-3\n"
        for holds in (WALL, START + zero()):
            outcome = self.of(BAR, text + holds)
            self.assert_close(outcome.fact("coupling bar.x1 force")[0], 200e9 * 1e-3 / 4, 1e-6)
            self.assertLess(outcome.fact("kinetic_energy")[0], 1e-9 * 200e9 * 1e-6 / 8)

    def test_a_bar_that_is_let_go_swings_about_its_rest(self):
        """Static equilibrium under a prescribed mean, then a step in time without it: the light bar with a mass swings back."""
        k, m = 200e9 / 4, 5e4
        bar = boxes.blocks(("bar", (4, 1, 1), box(0, 0, 0, (4, 1, 1))))
        text = STEEL.format("bar", 0) + "density = 1e-3\n" + WALL
        mass = f'[[coupling]]\nregion = "bar.x1"\nmass = {m}\n'
        half = math.pi * math.sqrt(m / k)
        swing = f"[time]\nend = {1 + half!r}\nstep = {half / 100!r}\nspectral_radius = 1\n"
        outcome = self.of(bar, text + step("pull", mass + "x = 1e-3\n") + step("swing", mass + swing))
        self.assertAlmostEqual(
            float(outcome.report["steps"]["swing"]["facts"]["coupling bar.x1"].split()[0]), -1e-3, delta=2e-6
        )

    def test_what_motion_cannot_have_is_refused(self):
        time = '[time]\nend = 1\nstep = 1e-3\nmethod = "central_differences"\n'
        self.refuse(
            4,
            ["central differences of a model with prescribed mean motions"],
            BAR,
            FREE + WALL + time + END + "springs = {x = 1e6}\n",
        )


class CouplingsUnderPreload(Joining):
    def test_springs_and_held_motions_take_their_part_of_the_load(self):
        """A spring as stiff as the bar takes half of the pull, a held motion all of it: bending has the frequencies of what the bar is left with."""

        def bending(load, end="", preload="preload = true\n"):
            text = FREE.replace(EXACT, "") + WALL + f"[modal]\ncount = 2\n{preload}" + end
            return self.of(
                BAR, text + (f'[[force]]\nregion = "bar.x1"\nvalue = [{load}, 0, 0]\n' if load else ""), "ritz-modal"
            ).fact("frequencies_hz")

        half, unloaded = bending(5e8), bending(0, preload="")
        self.assertGreater(half[0], 1.05 * unloaded[0])
        for end, expected in (("springs = {x = 5e10}\n", half), ("x = 0\n", unloaded)):
            for found, exact in zip(bending(1e9, END + end), expected, strict=True):
                self.assert_close(found, exact, 1e-7)


class CouplingsInThePlane(Joining):
    """A strip of 4 x 1 m without Poisson's effect, 0.1 m thick: E A / L and E I / L with I = 0.1 / 12."""

    strip = boxes.blocks(("bar", (4, 2), lambda u, v: (4 * u, v)))
    text = (
        STEEL.format("bar", 0)
        + 'density = 7850\n[model]\ntype = "plane_stress"\nthickness = 0.1\n[space]\norder = 2\n'
        + EXACT
    )
    end, start = END.replace(", 0.5, 0.5]", ", 0.5]"), START.replace(", 0.5, 0.5]", ", 0.5]")
    along, about = 200e9 * 0.1 / 4, 200e9 * 0.1 / 12 / 4

    def test_given_motions_take_the_forces_of_statics(self):
        for path in ("", PATH):
            for holds in (held("bar.x0", fixed="true"), self.start + zero("x", "y", "rz")):
                outcome = self.of(self.strip, self.text + path + holds + self.end + "x = 0.001\nrz = 0.002\n")
                force, motion = outcome.fact("coupling bar.x1 force"), outcome.fact("coupling bar.x1")
                for value, exact in zip(force, (self.along * 0.001, 0, 0, 0, 0, self.about * 0.002), strict=True):
                    self.assertAlmostEqual(value, exact, delta=1e-7 * self.along * 0.001)
                for value, exact in zip(motion, (0.001, 0.002 * 4 / 2, 0, 0, 0, 0.002), strict=True):
                    self.assertAlmostEqual(value, exact, delta=1e-10)

    def test_springs_share_a_force_and_a_moment(self):
        loads = f"springs = {{x = {self.along}, rz = {3 * self.about}}}\nforce = [1e6, 0]\nmoment = 2e6\n"
        for path in ("", PATH):
            outcome = self.of(self.strip, self.text + path + held("bar.x0", fixed="true") + self.end + loads)
            motion = outcome.fact("coupling bar.x1")
            self.assert_close(motion[0], 0.5e6 / self.along, 1e-8)
            self.assert_close(motion[5], 0.5e6 / self.about, 1e-8)
            self.assert_close(outcome.fact("reaction")[0], -0.5e6, 1e-8)

    def test_plane_strain_is_a_slice_between_planes(self):
        solid = boxes.blocks(("bar", (4, 2, 1), box(0, 0, 0, (4, 1, 0.1))))
        steel = STEEL.format("bar", 0.3) + "[space]\norder = 2\n" + EXACT
        keys = "x = 1e-3\nsprings = {{y = 1e8, rz = 1e8}}\nforce = [0, 1e6{}]\n"
        plane = self.of(
            self.strip, steel + '[model]\ntype = "plane_strain"\nthickness = 0.1\n' + WALL + self.end + keys.format("")
        )
        three = self.of(
            solid,
            steel
            + WALL
            + held("bar.z0", z=0)
            + held("bar.z1", z=0)
            + END.replace("0.5, 0.5", "0.5, 0.05")
            + keys.format(", 0"),
        )
        for name in ("coupling bar.x1", "coupling bar.x1 force"):
            a, b = plane.fact(name), three.fact(name)
            for i in (0, 1, 5):
                self.assertAlmostEqual(a[i], b[i], delta=1e-8 * max(map(abs, b)))

    def test_a_stiff_square_vibrates_and_swings_on_springs(self):
        square = boxes.blocks(("bar", (2, 2), lambda u, v: (u, v)))
        text = STEEL.format("bar", 0.3) + 'density = 8000\n[model]\ntype = "plane_strain"\nthickness = 2\n'
        springs = '[[coupling]]\nregion = "bar.x0"\nreference = [0.5, 0.5]\nsprings = {x = 1e6, y = 3e6, rz = 2e6}\nmass = 500\ninertia = 300\n'
        rigid = sorted(
            math.sqrt(k / m) / (2 * math.pi) for k, m in ((1e6, 16500), (3e6, 16500), (2e6, 16000 / 6 + 300))
        )
        modes = self.of(square, text + springs + "[modal]\ncount = 3\n", "ritz-modal")
        for value, exact in zip(modes.fact("frequencies_hz"), rigid, strict=True):
            self.assert_close(value, exact, 1e-4)
        begin = '[initial]\ndisplacement = ["-1e-4*(y-0.5)", "1e-4*(x-0.5)"]\n'
        outcome = self.of(square, text + springs + begin + half_period(2e6, 16000 / 6 + 300, steps=400))
        self.assertAlmostEqual(outcome.fact("coupling bar.x0")[5], 1e-4, delta=1e-7)

    def test_a_ring_moves_along_its_axis(self):
        """E A / L of a tube of radii 1 and 2 and of length 4; a mass on it swings."""
        tube = boxes.blocks(("bar", (2, 4), lambda u, v: (1 + u, 4 * v)))
        k, m = 200e9 * 3 * math.pi / 4, 3e4
        text = STEEL.format("bar", 0) + 'density = 1\n[model]\ntype = "axisymmetric"\n' + EXACT + held("bar.y0", y=0)
        end = '[[coupling]]\nregion = "bar.y1"\n'
        for path in ("", PATH):
            self.assert_close(
                self.of(tube, text + path + end + "y = 1e-3\n").fact("coupling bar.y1 force")[1], k * 1e-3, 1e-8
            )
            sprung = self.of(tube, text + path + end + f"springs = {{y = {k}}}\nforce = [0, 1e6]\n")
            self.assert_close(sprung.fact("coupling bar.y1")[1], 0.5e6 / k, 1e-8)
        modes = self.of(tube, text.replace(EXACT, "") + end + f"mass = {m}\n[modal]\ncount = 1\n", "ritz-modal").fact(
            "frequencies_hz"
        )
        self.assert_close(modes[0], math.sqrt(k / m) / (2 * math.pi), 1e-3)
        self.refuse(2, ["a radial force or a moment at a reference point"], tube, text + end + "force = [1, 0]\n")
        self.refuse(2, ["'coupling.0.rz'"], tube, text + end + "rz = 1\n")


@unittest.skipUnless(shutil.which("mpirun"), "no MPI")
class CouplingsOnRanks(OnRanks):
    def assert_same(self, text, names):
        self.write("mesh.msh", BAR)
        case = self.write("case.toml", MESH + text)
        several, alone = self.solved(3, "ritz-elasticity", case), self.solve("ritz-elasticity", case)
        for name in names:
            scale = max(abs(value) for value in alone.fact(name))
            for a, b in zip(several.fact(name), alone.fact(name), strict=True):
                self.assertAlmostEqual(a, b, delta=1e-6 * scale)

    def test_paths_and_motion_are_those_of_one_process(self):
        springs = END + "x = 1e-4\nsprings = {z = 1e9, ry = 1e9}\n"
        both = ("coupling bar.x1", "coupling bar.x1 force")
        motion = "[time]\nend = 2e-4\nstep = 5e-5\n"
        for text in (
            FREE + WALL + GRAVITY + springs + PATH,
            FREE + WALL + GRAVITY + springs + motion,
            FREE + GRAVITY + START + zero() + springs + PATH,
            NEO_HOOKE + START + zero() + END + "x = 0.4\nsprings = {ry = 1e4}\nforce = [0, 0, 1e3]\n",
        ):
            with self.subTest(text=text):
                self.assert_same(text, both)


if __name__ == "__main__":
    unittest.main()
