"""Laws of materials by name in case files: closed forms in tension, several laws in one case, what they are given, and what is refused."""
import math
import shutil
import subprocess
import unittest

import boxes
import vtu
from ritz import BIN, CaseTest, EXAMPLES

# In a case and as W(l1, l2, l3), the energy of principal stretches; its stress follows from differences.
SHEAR = 1e6 / 2.9
BULK = 1e6 / (3 * (1 - 0.9))
LAME = BULK - 2 / 3 * SHEAR


def invariants(l):
    j = l[0] * l[1] * l[2]
    one, two = sum(x * x for x in l), sum((j / x) ** 2 for x in l)
    return one * j ** (-2 / 3), two * j ** (-4 / 3), j


def by_invariants(w):
    return lambda *l: w(*invariants(l))


def arruda_boyce(one, two, j, shear=0.3e6, lock=3.0, bulk=30e6):
    series = zip((1 / 2, 1 / 20, 11 / 1050, 19 / 7000, 519 / 673750), range(1, 6))
    return shear * sum(c / lock ** (2 * i - 2) * (one**i - 3**i) for c, i in series) + bulk / 2 * ((j * j - 1) / 2 - math.log(j))


def ogden(*l):
    j = l[0] * l[1] * l[2]
    return sum(2 * mu / a**2 * (sum((x * j ** (-1 / 3)) ** a for x in l) - 3) for mu, a in ((0.4e6, 1.3), (0.02e6, -2))) + 15e6 * (j - 1) ** 2


def hyperfoam(*l):
    j, b = l[0] * l[1] * l[2], 0.25 / (1 - 0.5)
    return 2 * 0.1e6 / 9 * (sum(x**3 for x in l) - 3 + (j ** (-3 * b) - 1) / b)


ELASTIC = {
    "linear_elastic": ("young = 1e6\npoisson = 0.45", lambda *l: LAME / 2 * sum((x * x - 1) / 2 for x in l) ** 2 + SHEAR * sum(((x * x - 1) / 2) ** 2 for x in l)),
    "neo_hooke": ("young = 1e6\npoisson = 0.45", lambda *l: SHEAR / 2 * (sum(x * x for x in l) - 3) - SHEAR * math.log(math.prod(l)) + LAME / 2 * math.log(math.prod(l)) ** 2),
    "mooney_rivlin": ("c10 = 0.15e6\nc01 = 0.02e6\nbulk = 10e6", by_invariants(lambda one, two, j: 0.15e6 * (one - 3) + 0.02e6 * (two - 3) + 5e6 * (j - 1) ** 2)),
    "polynomial": ("c10 = 0.15e6\nc01 = 0.02e6\nc11 = 2e3\nc03 = 10\nbulk = 10e6",
                   by_invariants(lambda one, two, j: 0.15e6 * (one - 3) + 0.02e6 * (two - 3) + 2e3 * (one - 3) * (two - 3) + 10 * (two - 3) ** 3 + 5e6 * (j - 1) ** 2)),
    "yeoh": ("c10 = 0.15e6\nc20 = -1e3\nc30 = 50\nbulk = 10e6", by_invariants(lambda one, two, j: 0.15e6 * (one - 3) - 1e3 * (one - 3) ** 2 + 50 * (one - 3) ** 3 + 5e6 * (j - 1) ** 2)),
    "arruda_boyce": ("shear = 0.3e6\nlocking_stretch = 3\nbulk = 30e6", by_invariants(arruda_boyce)),
    "ogden": ("mu1 = 0.4e6\nalpha1 = 1.3\nmu2 = 0.02e6\nalpha2 = -2\nbulk = 30e6", ogden),
    "hyperfoam": ("mu1 = 0.1e6\nalpha1 = 3\npoisson = 0.25", hyperfoam),
}


def slope(w, l, k, h=1e-5):
    at = lambda x: w(*[y + (x if i == k else 0) for i, y in enumerate(l)])
    return (8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12 * h)


def tension(w, stretch):
    """Nominal and Cauchy stress, and the stretch across, at which the sides are free."""
    low, high = 0.2, 1.5
    for _ in range(80):
        side = (low + high) / 2
        low, high = (low, side) if slope(w, (stretch, side, side), 1) > 0 else (side, high)
    nominal = slope(w, (stretch, side, side), 0)
    return nominal, nominal / side**2, side


TABLE = [(0, 250e6), (0.02, 300e6), (0.1, 350e6)]


def yield_stress(p):
    for (x0, y0), (x1, y1) in zip(TABLE, TABLE[1:]):
        if p <= x1:
            return y0 + (y1 - y0) * (p - x0) / (x1 - x0)
    return TABLE[-1][1]


def plastic(strain, resists):
    """Kirchhoff's stress and plastic strain at a logarithmic strain: resists(plastic strain) = E (strain - plastic strain)."""
    low, high = 0.0, strain
    for _ in range(80):
        p = (low + high) / 2
        low, high = (p, high) if 200e9 * (strain - p) > resists(p) else (low, p)
    return resists(p), p


METAL = "young = 200e9\npoisson = 0.3\n"
ROWS = f"hardening = {[list(row) for row in TABLE]}\n"
PLASTIC = {
    "j2": (METAL + ROWS + "kinematic_hardening = 1e9", lambda p: yield_stress(p) + 1e9 * p),
    "chaboche": (METAL + "yield_stress = 250e6\nc1 = 20e9\ng1 = 200\nc2 = 1e9", lambda p: 250e6 + 100e6 * (1 - 1 / (1 + 200 * p)) + 1e9 * p),  # one implicit step
    "hill": (METAL + ROWS + "r_xx = 0.8", lambda p: 0.8 * yield_stress(0.8 * p)),  # the strain that is conjugate to Hill's stress
}


def specimens(materials, stretch):
    """A cube for each: x0, y0, z0 are planes of symmetry, x1 moves."""
    text = '[mesh]\nfile = "cubes.msh"\n[model]\nlarge_displacement = true\n[newton]\nincrements = 1\nhalvings = 8\ntolerance = 1e-11\n'
    for name, keys in materials.items():
        text += f'[[material]]\nregion = "{name}"\nlaw = "{name}"\n{keys}\n'
        for side, axis, value in (("x0", "x", 0), ("y0", "y", 0), ("z0", "z", 0), ("x1", "x", stretch - 1)):
            text += f'[[displacement]]\nregion = "{name}.{side}"\n{axis} = {value}\n'
        text += f'[[probe]]\nname = "{name}.stress"\nfield = "stress"\ncomponent = "xx"\nregion = "{name}"\nmeasure = "mean"\n'
        text += f'[[probe]]\nname = "{name}.across"\nfield = "displacement"\ncomponent = "y"\nregion = "{name}.y1"\nmeasure = "mean"\n'
        text += f'[[probe]]\nname = "{name}.force"\nregion = "{name}.x1"\nmeasure = "reaction"\ncomponent = "x"\n'
    return text


class InTension(CaseTest):
    def run_specimens(self, materials, stretch):
        self.write("cubes.msh", boxes.cubes(list(materials)))
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", specimens(materials, stretch)), output=self.folder / "r")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return outcome

    def test_elastic_laws_have_the_stresses_of_their_energies(self):
        probes = self.run_specimens({name: keys for name, (keys, _) in ELASTIC.items()}, 1.6).probes
        for name, (_, w) in ELASTIC.items():
            with self.subTest(name):
                nominal, cauchy, side = tension(w, 1.6)
                self.assert_close(probes[f"{name}.force"], nominal, 1e-6)
                self.assert_close(probes[f"{name}.stress"], cauchy, 1e-6)
                self.assert_close(probes[f"{name}.across"], side - 1, 1e-6)

    def test_displacement_and_pressure_give_the_same_stress(self):
        """A cube is in an even state whatever its formulation; the pressure is -K ln J or -K (J - 1)."""
        names = ["neo_hooke", "yeoh"]
        self.write("cubes.msh", boxes.cubes(names))
        text = specimens({name: ELASTIC[name][0] + '\nformulation = "mixed"' for name in names}, 1.6)
        for name in names:
            text += f'[[probe]]\nname = "{name}.pressure"\nfield = "pressure"\nregion = "{name}"\nmeasure = "mean"\n'
        outcome = self.solve("ritz-elasticity", self.write("case.toml", text))
        self.assertRegex(outcome.log, r"pressure: from \S+ Pa at")
        probes = outcome.probes
        for name, bulk, change in (("neo_hooke", BULK, math.log), ("yeoh", 10e6, lambda j: j - 1)):
            with self.subTest(name):
                nominal, cauchy, side = tension(ELASTIC[name][1], 1.6)
                self.assert_close(probes[f"{name}.force"], nominal, 1e-6)
                self.assert_close(probes[f"{name}.stress"], cauchy, 1e-6)
                self.assert_close(probes[f"{name}.pressure"], -bulk * change(1.6 * side**2), 1e-6)

    def test_steps_of_displacement_and_pressure_go_on_from_the_state_before(self):
        """A metal that keeps its volume yields in the first step, unloads in the second, and is drawn on in the third, where its force is that of one step."""
        self.write("cubes.msh", boxes.cubes(["j2"]))
        keys = {"j2": PLASTIC["j2"][0].replace("0.3", "0.4999") + '\nformulation = "mixed"\n'}
        whole = specimens(keys, 1.05)
        moves = '[[displacement]]\nregion = "j2.x1"\nx = 0.05'
        stretched = lambda name, x: f'[[step]]\nname = "{name}"\n' + moves.replace("[[", "[[step.").replace("0.05", str(x - 1)) + "\n"
        self.assertEqual(whole.count(f"x = {1.05 - 1}"), 1)
        steps = whole.replace(f'[[displacement]]\nregion = "j2.x1"\nx = {1.05 - 1}\n', "") + stretched("draw", 1.02) + stretched("back", 1.019) + stretched("on", 1.05)
        steps = self.solve("ritz-elasticity", self.write("steps.toml", steps)).report["steps"]
        kirchhoff, _ = plastic(math.log(1.05), PLASTIC["j2"][1])
        self.assert_close(steps["on"]["probes"]["j2.force"], kirchhoff / 1.05, 1e-6)
        falls = (steps["draw"]["probes"]["j2.force"] * 1.02 - steps["back"]["probes"]["j2.force"] * 1.019) / math.log(1.02 / 1.019)
        self.assert_close(falls, 200e9, 1e-4)

    def test_a_state_that_no_body_can_take_is_an_error(self):
        """Pressed by 0.3 E, a bar of St. Venant and Kirchhoff's law without a limit has the solution l^3 - l = -0.6 alone, l = -1.22."""
        self.write("cubes.msh", boxes.cubes(["bar"]))
        text = '[mesh]\nfile = "cubes.msh"\n[model]\nlarge_displacement = true\n[[material]]\nregion = "bar"\nlaw = "linear_elastic"\nyoung = 1e6\npoisson = 0\n'
        for side, axis in (("x0", "x"), ("y0", "y"), ("z0", "z"), ("y1", "y"), ("z1", "z")):
            text += f'[[displacement]]\nregion = "bar.{side}"\n{axis} = 0\n'
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text + '[[traction]]\nregion = "bar.x1"\nvalue = [-0.3e6, 0, 0]\n'), output=self.folder / "r")
        self.assertEqual(outcome.exit, 5, outcome.errors)
        self.assertIn("cells are inside out: 1 of them", outcome.errors)

    def test_metals_yield_by_their_tables_and_results_have_their_internal_variables(self):
        """Logarithmic strain: the stress of the table is Kirchhoff's, J times Cauchy's."""
        outcome = self.run_specimens({name: keys for name, (keys, _) in PLASTIC.items()}, 1.05)
        cells = vtu.read(next((self.folder / "r").rglob("*.vtu")))["CellData"]
        for number, (name, (_, resists)) in enumerate(PLASTIC.items()):
            with self.subTest(name):
                kirchhoff, p = plastic(math.log(1.05), resists)
                volume = math.exp(0.4 * kirchhoff / 200e9)
                self.assert_close(outcome.probes[f"{name}.force"], kirchhoff / 1.05, 1e-6)
                self.assert_close(outcome.probes[f"{name}.stress"], kirchhoff / volume, 1e-6)
                own = cells[f"{name}_plastic_strain"]
                self.assert_close(own[6 * number], p, 1e-6)
                others = [own[6 * other] for other in range(3) if other != number]
                self.assertEqual(others, [0, 0])  # of the other laws
        self.assertIn("chaboche_equivalent_plastic_strain", cells)
        self.assertIn("back_stress_1", cells)


BLOCK = '[mesh]\nfile = "cubes.msh"\n[model]\nlarge_displacement = {}\n[[material]]\nregion = "a"\n{}\n[[displacement]]\nregion = "a.x0"\nfixed = true\n{}'
PULL = '[[traction]]\nregion = "a.x1"\nvalue = [1000, 0, 0]\n'


class Inputs(CaseTest):
    def setUp(self):
        super().setUp()
        self.write("cubes.msh", boxes.cubes(["a"]))

    def solve_text(self, text, program="ritz-elasticity"):
        return self.run_case(program, self.write("case.toml", text))

    def test_a_free_body_that_warms_has_no_stress_and_a_held_one_that_of_the_strain(self):
        """F = F_law (1 + alpha dT), so a held cube has the stress of the stretch 1 / (1 + alpha dT)."""
        free = "".join(f'[[displacement]]\nregion = "a.{side}0"\n{side} = 0\n' for side in "xyz")
        held = free + "".join(f'[[displacement]]\nregion = "a.{side}1"\n{side} = 0\n' for side in "xyz")
        probes = ('[[probe]]\nname = "stress"\nfield = "stress"\ncomponent = "xx"\nregion = "a"\nmeasure = "mean"\n'
                  '[[probe]]\nname = "grows"\nfield = "displacement"\ncomponent = "x"\nregion = "a.x1"\nmeasure = "mean"\n')
        warm = '[thermal]\ntemperature = "320 + 0*x"\nreference = 20\n[newton]\nincrements = 2\n'
        stretch, volume = 1 / 1.03, 1.03**-3
        for law, keys in (("neo_hooke", "young = 1e6\npoisson = 0.45"), ("j2", "young = 1e6\npoisson = 0.45\nyield_stress = 1e6")):
            material = f'[[material]]\nregion = "a"\nlaw = "{law}"\n{keys}\nexpansion = 1e-4\n'
            text = '[mesh]\nfile = "cubes.msh"\n[model]\nlarge_displacement = true\n' + material + warm + probes
            with self.subTest(law):
                outcome = self.solve_text(text + free)
                self.assertEqual(outcome.exit, 0, outcome.errors)
                self.assertLess(abs(outcome.probes["stress"]), 1e-2)
                self.assert_close(outcome.probes["grows"], 0.03, 1e-8)
                outcome = self.solve_text(text + held)
                self.assertEqual(outcome.exit, 0, outcome.errors)
                if law == "neo_hooke":
                    self.assert_close(outcome.probes["stress"], slope(ELASTIC[law][1], (stretch,) * 3, 0) / stretch**2, 1e-6)
                else:  # W per volume before warming: Cauchy's stress is that of the law at its strain
                    self.assert_close(outcome.probes["stress"], 3 * BULK * math.log(stretch) / volume, 1e-6)

    def test_axes_turn_hills_yield_surface(self):
        """Pulled along x, which is the material's axis 2: r_yy counts."""
        found = []
        for axes, ratio in (("", "r_xx = 0.7"), ('orientation = "turned"\n', "r_yy = 0.7"), ('orientation = "turned"\n', "r_xx = 0.7")):
            text = BLOCK.format("false", f'law = "hill"\n{METAL}{ROWS}{ratio}\n{axes}', '[[displacement]]\nregion = "a.x1"\nx = 0.004\n[newton]\nincrements = 1\n')
            text += '[[orientation]]\nname = "turned"\naxis1 = [0, -1, 0]\naxis2 = [1, 0, 0]\n' if axes else ""
            text += '[[probe]]\nname = "force"\nregion = "a.x1"\nmeasure = "reaction"\ncomponent = "x"\n'
            outcome = self.solve_text(text)
            self.assertEqual(outcome.exit, 0, outcome.errors)
            found.append(outcome.probes["force"])
        self.assert_close(found[1], found[0], 1e-9)
        self.assertLess(found[0], 0.95 * found[2])

    def test_rubber_in_plane_stress_begins_from_rest_whatever_its_numbers(self):
        """The derivatives of an energy cancel at rest, for some numbers to 1e-17 instead of 0: no stress across may be looked for in that."""
        self.write("cubes.msh", boxes.square())
        sides = '[[displacement]]\nregion = "left"\nx = 0\n[[displacement]]\nregion = "bottom"\ny = 0\n[[displacement]]\nregion = "right"\nx = 0.6\n'
        probe = '[[probe]]\nname = "force"\nregion = "right"\nmeasure = "reaction"\ncomponent = "x"\n'
        for c10 in (0.574, 0.5740035534270754):
            material = f'[[material]]\nregion = "all"\nlaw = "mooney_rivlin"\nc10 = {c10}\nc01 = 0.1\nbulk = 4.395\n'
            outcome = self.solve_text('[mesh]\nfile = "cubes.msh"\n[model]\ntype = "plane_stress"\nlarge_displacement = true\n' + material + sides + probe)
            self.assertEqual(outcome.exit, 0, outcome.errors)
            self.assert_close(outcome.probes["force"], tension(by_invariants(lambda one, two, j: c10 * (one - 3) + 0.1 * (two - 3) + 0.5 * 4.395 * (j - 1) ** 2), 1.6)[0], 1e-5)

    def test_what_a_law_does_not_have_is_refused_with_a_sentence(self):
        for large, material, words in (
                ("false", 'law = "neo_hooke"\nyoung = 1e6\npoisson = 0.3', "the law 'neo_hooke' is one of large displacements"),
                ("true", 'law = "neo_hook"\nyoung = 1e6\npoisson = 0.3', "did you mean 'neo_hooke'?"),
                ("true", 'law = "yeoh"\nc10 = 1e6', "bulk"),
                ("true", 'law = "yeoh"\nc10 = 1e6\nbulk = 1e9\nc40 = 1', "c40"),
                ("true", 'law = "j2"\nyoung = 2e11\npoisson = 0.3', "yield_stress"),
                ("true", 'law = "j2"\nyoung = 2e11\npoisson = 0.3\nhardening = [[0.1, 1e8]]', "begins at the plastic strain 0.1"),
                ("true", 'law = "j2"\nyoung = 2e11\npoisson = 0.3\nhardening = [[0, 1e8], 3]', "pairs of numbers"),
                ("true", 'law = "j2_rate"\nyoung = 2e11\npoisson = 0.3\nhardening_at = [{temperature = 20, yield_stress = 1e8}, {temperature = 90, yield_stress = 5e7}]',
                 "without a temperature of the body"),
                ("false", 'law = "norton"\nyoung = 2e11\npoisson = 0.3\na = 1e-20\nn = 5', "give the path [newton] durations"),
                ("true", 'young = "1e6*(1+x)"\npoisson = 0.3', "elastic constants of 'a'"),
                ("true", 'law = "neo_hooke"\nyoung = 1e6\npoisson = 0.3\norientation = "o"', "'o'")):
            with self.subTest(material):
                outcome = self.solve_text(BLOCK.format(large, material, PULL))
                self.assertNotEqual(outcome.exit, 0)
                self.assertIn(words, outcome.errors)

    def test_a_yield_stress_in_another_unit_is_reported_and_long_tables_become_short(self):
        self.write("steel.csv", "strain,stress\n" + "\n".join(f"{i / 100},{250 + 100 * (1 - math.exp(-i / 5))}" for i in range(20)))
        text = BLOCK.format("false", f'law = "j2"\n{METAL}hardening = "steel"', PULL) + '[[table]]\nname = "steel"\nfile = "steel.csv"\n'
        outcome = self.solve_text(text)
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertIn("the yield stress 250 is 1e-09 of Young's modulus", outcome.log)
        self.assertIn("the 20 points of the hardening of 'j2' become 8", outcome.log)


class OnePoint(CaseTest):
    def material(self, command, text, code=0):
        self.write("law.toml", text)
        process = subprocess.run([BIN / "ritz", "material", command, "law.toml", "--force", "--picture", "law.png"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(process.returncode, code, process.stderr)
        return process.stdout + process.stderr

    def test_a_specimen_has_the_stresses_of_the_energy(self):
        for name, (keys, w) in ELASTIC.items():
            with self.subTest(name):
                self.material("test", f'law = "{name}"\nlarge_displacement = true\n{keys}\n[[test]]\nkind = "uniaxial"\npath = [1.6, 1]\nsteps = 4\n')
                rows = [line.split(",") for line in (self.folder / "law-curves.csv").read_text().splitlines()]
                self.assertEqual(rows[0], ["test", "strain", "nominal_stress", "cauchy_stress", "strain_across"])
                nominal, cauchy, side = tension(w, 1.6)
                for value, expected in zip(rows[5][2:], (nominal, cauchy, side - 1)):
                    self.assert_close(float(value), expected, 1e-6)
                self.assertLess(abs(float(rows[-1][2])), 1e-6 * nominal)
        self.assertTrue((self.folder / "law.png").read_bytes().startswith(b"\x89PNG"))

    def test_a_fit_finds_the_parameters_of_its_data_and_reports_what_they_leave(self):
        data = [[s, tension(ELASTIC["yeoh"][1], s)[0]] for s in (1.2, 1.6, 2.2, 3.0, 4.0)]
        text = f'law = "yeoh"\nc10 = 0.5e6\nc20 = 0\nc30 = 0\nbulk = 10e6\n[fit]\nc10 = [1e4, 1e6]\nc20 = [-1e4, 1e4]\nc30 = [-1e3, 1e3]\n[[test]]\nkind = "uniaxial"\ndata = {data}\n'
        said = self.material("fit", text)
        found = {line.split(" = ")[0]: float(line.split(" = ")[1].split()[0]) for line in said.splitlines() if " = " in line}
        for name, expected in (("c10", 0.15e6), ("c20", -1e3), ("c30", 50)):
            self.assert_close(found[name], expected, 1e-4)
        self.assertIn("root mean square 0.00 %", said)
        self.assertIn("lies at its bound", self.material("fit", text.replace("[1e4, 1e6]", "[0.2e6, 1e6]")))
        self.assertIn("no test has data", self.material("fit", text.replace(f"data = {data}", "path = [2]"), 2))


UTILITIES = """      SUBROUTINE UMAT(STRESS,STATEV,DDSDDE,SSE,SPD,SCD,RPL,DDSDDT,
     1 DRPLDE,DRPLDT,STRAN,DSTRAN,TIME,DTIME,TEMP,DTEMP,PREDEF,DPRED,
     2 CMNAME,NDI,NSHR,NTENS,NSTATV,PROPS,NPROPS,COORDS,DROT,PNEWDT,
     3 CELENT,DFGRD0,DFGRD1,NOEL,NPT,LAYER,KSPT,KSTEP,KINC)
      INCLUDE 'ABA_PARAM.INC'
      CHARACTER*80 CMNAME
      CHARACTER*8 CHARV(1)
      DIMENSION STRESS(NTENS),STATEV(NSTATV),DDSDDE(NTENS,NTENS),
     1 DSTRAN(NTENS),PROPS(NPROPS),DROT(3,3),INTV(1),REALV(1)
      DIMENSION T(6),U(6),PS(3),AN(3,3),R(3,3)
      DDSDDE=0
      DO I=1,NTENS
        DDSDDE(I,I)=PROPS(1)
      END DO
      STRESS=STRESS+MATMUL(DDSDDE,DSTRAN)
      T=(/3D0,1D0,2D0,0.5D0,0D0,0D0/)
      R=0
      R(1,2)=-1
      R(2,1)=1
      R(3,3)=1
      CALL ROTSIG(T,R,U,2,3,3)
      CALL SINV(T,STATEV(1),STATEV(2),3,3)
      CALL SPRINC(T,PS,1,3,3)
      CALL SPRIND(T,PS,AN,1,3,3)
      STATEV(3)=U(1)
      STATEV(4)=U(4)
      STATEV(5)=PS(1)
      STATEV(6)=PS(1)-AN(1,1)*(3*AN(1,1)+0.5*AN(1,2))
     1 -AN(1,2)*(0.5*AN(1,1)+AN(1,2))-2*AN(1,3)**2
      INTV(1)=KINC
      REALV(1)=0.25
      CHARV(1)='HARD'
      IF (KINC.EQ.2) CALL STDB_ABQERR(-1,'in %I by %R: %S',INTV,REALV,
     1 CHARV)
      IF (DSTRAN(1).GT.0.4) CALL XIT
      END
"""


@unittest.skipUnless(shutil.which("gfortran"), "skipped: no gfortran")
class UserSubroutines(CaseTest):
    """A UMAT of Abaqus has the numbers of our law, in space, in the plane and at large displacements, and says what it says."""

    OURS = 'law = "j2"\nyoung = 200e9\npoisson = 0.3\nhardening = [[0, 250e6], [10, 100.25e9]]\n'  # 250 MPa + 10 GPa p
    UMAT = 'umat = "steel.f"\nconstants = [200e9, 0.3, 250e6, 10e9]\nstates = 1\n'

    def setUp(self):
        super().setUp()
        shutil.copy(EXAMPLES / "umat/steel.f", self.folder)

    def test_specimens_have_the_curves_of_our_law(self):
        tests = "".join(f'[[test]]\nkind = "{kind}"\nstretch = false\npath = [{end}, 0]\nsteps = 6\n'
                        for kind, end in (("uniaxial", 0.02), ("biaxial", 0.01), ("planar", 0.02), ("shear", 0.02), ("volumetric", 0.01)))
        curves = []
        for law in (self.OURS, self.UMAT):
            self.write("law.toml", law + tests)
            process = subprocess.run([BIN / "ritz", "material", "test", "law.toml", "--force"], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(process.returncode, 0, process.stderr)
            curves.append([line.split(",") for line in (self.folder / "law-curves.csv").read_text().splitlines()])
        names, p = curves[1][0], curves[0][0].index("equivalent_plastic_strain")
        for ours, theirs in zip(curves[0][1:], curves[1][1:]):
            self.assertEqual(ours[0], theirs[0])
            for a, b in zip(ours[2:5] + [ours[p]], theirs[2:5] + [theirs[names.index("umat_state")]]):
                self.assertAlmostEqual(float(b), float(a), delta=1e-8 * max(abs(float(a)), 250e6 if a in ours[2:4] else 1e-2))

    def test_a_case_in_the_plane_and_at_large_displacements_has_the_numbers_of_our_law(self):
        """NTENS 3 and 4; Cauchy's stress yields instead of Kirchhoff's, which elastic changes of the volume tell apart: by 1e-4 of a soft bar."""
        head, body = UTILITIES.split("      DDSDDE=0\n")
        self.write("plate.f", head + "      DDSDDE=0\n      C=PROPS(1)/(1-PROPS(2)**2)\n      DDSDDE(1,1)=C\n      DDSDDE(2,2)=C\n      DDSDDE(1,2)=C*PROPS(2)\n"
                   "      DDSDDE(2,1)=C*PROPS(2)\n      DDSDDE(3,3)=C*(1-PROPS(2))/2\n      STRESS=STRESS+MATMUL(DDSDDE,DSTRAN)\n      END\n")
        soft = [text.replace("250e6", "25e6").replace("100.25e9", "10.025e9").replace("10e9]", "1e9]") for text in (self.OURS, self.UMAT)]
        plate = ["young = 200e9\npoisson = 0.3\n", 'umat = "plate.f"\nconstants = [200e9, 0.3]\n']
        self.write("cubes.msh", boxes.grid(2))
        for kind, large, tolerance, laws in (("plane_stress", "false", 1e-7, plate), ("plane_strain", "false", 1e-6, (self.OURS, self.UMAT)), ("axisymmetric", "true", 2e-4, soft)):
            found = []
            for law in laws:
                text = (f'[mesh]\nfile = "cubes.msh"\n[model]\ntype = "{kind}"\nlarge_displacement = {large}\n[newton]\nincrements = 2\ntolerance = 1e-9\n'
                        f'[[material]]\nregion = "all"\n{law}[[displacement]]\nregion = "bottom"\n' + ("y = 0\n" if kind == "axisymmetric" else "fixed = true\n") +
                        '[[displacement]]\nregion = "left"\nx = 0\n[[displacement]]\nregion = "top"\ny = 0.01\n[[probe]]\nname = "force"\nregion = "top"\nmeasure = "reaction"\ncomponent = "y"\n')
                outcome = self.run_case("ritz-elasticity", self.write("case.toml", text))
                self.assertEqual(outcome.exit, 0, outcome.errors)
                found.append(outcome.probes["force"])
            with self.subTest(kind):
                self.assert_close(found[1], found[0], tolerance)

    def test_utilities_messages_and_mistakes(self):
        self.write("tools.f", UTILITIES)
        point = 'umat = "tools.f"\nconstants = [1e3]\nstates = 6\n[[test]]\nkind = "shear"\npath = [0.01]\nsteps = 2\n'

        def run(text, source="law.toml"):
            self.write(source, text)
            return subprocess.run([BIN / "ritz", "material", "test", source, "--force"], capture_output=True, text=True, cwd=self.folder)

        process = run(point)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("umat warning: in 2 by 0.25: HARD", process.stderr)
        rows = [line.split(",") for line in (self.folder / "law-curves.csv").read_text().splitlines()]
        first = rows[0].index("umat_state_0")
        mean, mises, turned, shear, largest, left = map(float, rows[-1][first:first + 6])
        # 3 1 2 with the shear 0.5: the mean, von Mises's stress, the strain turned by 90 degrees, the largest eigenvalue and its vector
        for value, expected in ((mean, 2), (mises, math.sqrt(3.75)), (turned, 1), (shear, -0.5), (largest, 2 + math.sqrt(1.25)), (left, 0)):
            self.assertAlmostEqual(value, expected, places=8)
        stops = run(point.replace("shear", "volumetric").replace("0.01", "2"))
        self.assertNotEqual(stops.returncode, 0)
        self.assertIn("it called XIT", stops.stderr)
        self.write("wrong.f", UTILITIES.replace("DDSDDE=0\n", "DDSDDE=+\n"))
        self.assertIn("wrong.f:11", run(point.replace("tools.f", "wrong.f")).stderr)
        self.write("other.f", UTILITIES.replace("CALL XIT", "CALL GETVRM"))
        self.assertIn("getvrm", run(point.replace("tools.f", "other.f")).stderr)
        self.assertIn("there is no user subroutine", run(point.replace("tools.f", "none.f")).stderr)


if __name__ == "__main__":
    unittest.main()
