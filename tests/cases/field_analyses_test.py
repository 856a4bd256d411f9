"""Cases of several fields in time, by Newton's method, under load cases, and their modes: closed forms and what is refused."""
import csv
import math
import unittest

import boxes
from ritz import CaseTest, example

PRESCRIBE = '[[prescribe]]\nfield = "{}"\nregion = "{}"\n{}\n'
AT = '[[probe]]\nname = "{}"\nfield = "{}"\ncomponent = "{}"\npoint = {}\n'
STOKES = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = {}\n'
MASS = '[[capacity]]\nfield = "velocity"\nregion = "all"\nvalue = {}\n'


def root_of(f, low, high):
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (f(low) < 0) == (f(middle) < 0) else (low, middle)
    return low


class FieldAnalyses(CaseTest):
    def of(self, text, *arguments, mesh=None):
        self.write("mesh.msh", mesh or boxes.grid(4))
        return self.run_case("ritz-solve", self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + text), *arguments)

    def solved(self, text, *arguments, mesh=None):
        outcome = self.of(text, *arguments, mesh=mesh)
        self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
        return outcome

    def rows(self, outcome, name="case"):
        """[{column: value}] of the table of probes."""
        with open(outcome.folder / "results" / f"{name}_probes.csv") as table:
            return list(csv.DictReader(table))

    def test_a_flow_between_plates_starts(self):
        """v = f/2 y (1 - y) - sum of 4 f sin(n pi y) exp(-nu (n pi)^2 t) / (n pi)^3 over odd n, with mu = rho = 1; f itself may begin at a time."""
        def velocity(t):
            return 1 - sum(32 / (n * math.pi) ** 3 * math.sin(n * math.pi / 2) * math.exp(-(n * math.pi) ** 2 * t) for n in range(1, 40, 2))

        flow = STOKES.format(1) + MASS.format(1) + AT.format("v", "velocity", "x", [0.5, 0.5])
        for side in ("left", "right"):
            flow += PRESCRIBE.format("velocity", side, 'component = "y"\nvalue = 0')
        for side in ("top", "bottom"):
            flow += PRESCRIBE.format("velocity", side, "value = 0")
        load = '[[load]]\nfield = "velocity"\nregion = "all"\nvalue = [{}, 0]\n'
        rows = self.rows(self.solved(flow + load.format(8) + "[time]\nend = 0.2\noutput_at = [0.05, 0.1]\ntolerance = 1e-4\n"))
        self.assertEqual(len(rows), 4)
        for row in rows:
            t = float(row["time"])
            self.assertAlmostEqual(float(row["v"]), velocity(t) if t > 0 else 0, delta=2e-3)
        late = self.rows(self.solved(flow + load.format('"8 * (t > 0.1)"') + "[time]\nend = 0.2\nstep = 0.005\n", "--overwrite"))
        self.assertAlmostEqual(float(late[-1]["v"]), velocity(0.1), delta=2e-2)

    def test_vortices_decay(self):
        """Taylor and Green: v = (sin(pi x) cos(pi y), -cos(pi x) sin(pi y)) exp(-2 nu pi^2 t) of Navier's equations, without friction at the sides."""
        nu, rho = 0.05, 2.0
        text = f'[model]\nform = "navier_stokes2"\n[[material]]\nregion = "all"\nviscosity = {nu * rho}\ndensity = {rho}\n' + MASS.format(rho)
        text += '[[region]]\nname = "pin"\nkind = "nodes"\nbox = {low = [-0.01, -0.01], high = [0.01, 0.01]}\n'
        text += PRESCRIBE.format("pressure", "pin", f'value = "{rho / 2} * exp({-4 * nu * math.pi**2} * t)"')
        for side, component in (("left", "x"), ("right", "x"), ("bottom", "y"), ("top", "y")):
            text += PRESCRIBE.format("velocity", side, f'component = "{component}"\nvalue = 0')
        text += '[initial]\nvelocity = ["sin(pi*x)*cos(pi*y)", "-cos(pi*x)*sin(pi*y)"]\n[time]\nend = 1\nstep = 0.1\n'
        text += AT.format("v", "velocity", "x", [0.5, 0]) + '[[probe]]\nname = "p"\nfield = "pressure"\npoint = [1, 0]\n'
        outcome = self.solved(text, mesh=boxes.grid(6))
        decay = math.exp(-2 * nu * math.pi**2)
        self.assert_close(outcome.probes["v"], decay, 5e-3)
        self.assert_close(outcome.probes["p"], rho / 2 * decay**2, 3e-2)
        self.assertIn("balance: stored", outcome.log)

    def test_water_leaves_a_layer_of_clay(self):
        """Terzaghi: p = p0 sum of 2 (-1)^n / M exp(-M^2 c t) below, M = (n + 1/2) pi, with c = k / (S + b^2 / K) and p0 = b load / (b^2 + K S)."""
        outcome = self.solve("ritz-solve", example("several_fields/consolidation"))
        K, S = 2, 0.5
        for row in self.rows(outcome, "consolidation")[1:]:
            t = float(row["time"])
            series = [((n + 0.5) * math.pi, (-1) ** n) for n in range(50)]
            falls = [math.exp(-M * M * 3.6 / (S + 1 / K) * t) for M, _ in series]
            below = 5e-4 * sum(2 * sign / M * fall for (M, sign), fall in zip(series, falls))
            mean = 5e-4 * sum(2 / M**2 * fall for (M, _), fall in zip(series, falls))
            self.assert_close(float(row["pressure_below"]), below, 5e-3)
            self.assert_close(float(row["settlement"]), -(1e-3 - mean) / K, 5e-3)

    def test_rubber_is_stretched(self):
        """One state of strain: mu (b - 1/b) = p a and a b - 1 = -p / K with the stretches a, b."""
        outcome = self.solve("ritz-solve", example("several_fields/rubber"))
        mu, compliance, a = 1e6, 1e-8, 1.5
        pressure = lambda b: (1 - a * b) / compliance
        b = root_of(lambda b: mu * (b - 1 / b) - pressure(b) * a, 0.5, 1)
        self.assert_close(outcome.probes["narrower"], b - 1, 1e-8)
        self.assert_close(outcome.probes["pressure"], pressure(b), 1e-6)
        self.assert_close(outcome.probes["force"], mu * (a - 1 / a) - pressure(b) * b, 1e-8)
        self.assertIn("increment 3 of 4", outcome.log)
        self.assertGreater(int(outcome.report["facts"]["newton_steps"]), 8)

    def test_a_side_of_one_field_radiates(self):
        """k (1000 - T) = sigma e (T^4 - 300^4) at the far side of a slab whose heat expands it: Newton's method, with a form of one field on facets."""
        text = '[model]\nform = "thermo_elasticity2"\n[[material]]\nregion = "all"\nlambda = 1e9\nmu = 1e9\nstress = 1e4\nconductivity = 20\n'
        text += PRESCRIBE.format("displacement", "left", "value = 0") + PRESCRIBE.format("temperature", "left", "value = 1000")
        text += '[[boundary]]\nfield = "temperature"\nform = "radiation2"\nregion = "right"\nemissivity = 0.5\nambient = 300\nabsolute_zero = 0\n'
        text += '[[probe]]\nname = "T"\nfield = "temperature"\nregion = "right"\nmeasure = "mean"\n'
        outcome = self.solved(text)
        far = root_of(lambda T: 5.670374419e-8 * 0.5 * (T**4 - 300**4) - 20 * (1000 - T), 300, 1000)
        self.assert_close(outcome.probes["T"], far, 1e-8)
        self.assertIn("newton_steps", outcome.report["facts"])

    def test_load_cases_share_a_matrix_and_combine(self):
        """v = p/2 y (1 - y) under each pressure p; the walls move along in one case."""
        text = STOKES.format(1) + AT.format("v", "velocity", "x", [0.5, 0.5])
        for side in ("left", "right"):
            text += PRESCRIBE.format("velocity", side, 'component = "y"\nvalue = 0')
        for side in ("top", "bottom"):
            text += PRESCRIBE.format("velocity", side, "value = 0")
        text += '[[load_case]]\nname = "pressure"\n[[load_case.load]]\nfield = "velocity"\nregion = "left"\npressure = 8\n[[load_case]]\nname = "wind"\n'
        text += '[[load_case.prescribe]]\nfield = "velocity"\nregion = "top"\ncomponent = "x"\nvalue = 2\n'
        text += '[[combination]]\nname = "both"\nfactors = {pressure = 0.5, wind = 3}\n'
        outcome = self.solved(text)
        cases = {name: each["probes"]["v"] for name, each in {**outcome.report["load_cases"], **outcome.report["combinations"]}.items()}
        for name, reference in (("pressure", 1), ("wind", 1), ("both", 3.5)):
            self.assert_close(cases[name], reference, 1e-7)

    def test_a_cavity_resonates(self):
        """curl curl E = k^2 E in a square with conducting sides: k^2 = pi^2 (m^2 + n^2), here + b, which keeps gradients away from them."""
        text = '[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = 1\n[[inertia]]\nform = "curl_curl2"\nregion = "all"\na = 0\nb = 1\n'
        for side in ("left", "right", "top", "bottom"):
            text += f'[[prescribe]]\nregion = "{side}"\nvector = [0, 0]\n'
        outcome = self.solved(text + "[modal]\nband = [0.4, 0.8]\n", mesh=boxes.grid(16))
        values = [float(value) - 1 for value in outcome.report["facts"]["eigenvalues"].split()]
        self.assertEqual(len(values), 3, outcome.log)
        for value, reference in zip(values, (1, 1, 2)):
            self.assert_close(value, reference * math.pi**2, 5e-3)

    def test_sides_of_a_channel_follow_each_other_in_each_field(self):
        """A force drives a flow between plates: f / (8 mu) in the middle, whose pressure has the level that an equation gives it."""
        text = STOKES.format(0.5) + '[[load]]\nfield = "velocity"\nregion = "all"\nvalue = [2, 0]\n'
        text += "".join(PRESCRIBE.format("velocity", side, "value = 0") for side in ("bottom", "top"))
        text += "".join(f'[[periodic]]\nfield = "{field}"\nregion = "right"\nonto = "left"\n' for field in ("velocity", "pressure"))
        text += '[[region]]\nname = "pin"\nkind = "nodes"\nbox = {low = [-0.01, -0.01], high = [0.01, 0.01]}\n'
        text += '[[equation]]\nfield = "pressure"\nvalue = 6\nterms = [{region = "pin", factor = 2}]\n'
        text += AT.format("v", "velocity", "x", [1, 0.5]) + '[[probe]]\nname = "p"\nfield = "pressure"\npoint = [1, 1]\n'
        outcome = self.solved(text, mesh=boxes.grid(4))
        self.assert_close(outcome.probes["v"], 0.5, 1e-9)
        self.assert_close(outcome.probes["p"], 3, 1e-9)

    def test_a_layer_without_change_of_volume_swings_in_shear(self):
        """u = cos(w t) sin(pi y / 2), w = pi/2 sqrt(mu / rho): an elastic layer by Stokes' form, whose "velocity" is a displacement, and whose pressure has no inertia."""
        mu, rho, period = 9.0, 4.0, 4 * math.sqrt(4.0 / 9.0)
        text = STOKES.format(mu) + f'[[inertia]]\nfield = "velocity"\nregion = "all"\nvalue = {rho}\n' + PRESCRIBE.format("velocity", "bottom", "value = 0")
        text += "".join(PRESCRIBE.format("velocity", side, 'component = "y"\nvalue = 0') for side in ("left", "right"))
        text += AT.format("u", "velocity", "x", [0.5, 1]) + AT.format("v", "velocity_velocity", "x", [0.5, 1]) + AT.format("a", "acceleration_velocity", "x", [0.5, 1])
        text += '[initial]\nvelocity = ["sin(pi*y/2)", 0]\npressure = 5\n' + f"[time]\nend = {period / 2}\noutput = {period / 4}\nspectral_radius = 1\nstep = {period / 80}\n"
        outcome = self.solved(text)
        w = 2 * math.pi / period
        for row, (u, v, a) in zip(self.rows(outcome), ((1, 0, -w * w), (0, -w, 0), (-1, 0, w * w))):
            self.assertAlmostEqual(float(row["u"]), u, delta=2e-3)
            self.assertAlmostEqual(float(row["v"]), v, delta=2e-3 * w)
            self.assertAlmostEqual(float(row["a"]), a, delta=1e-2 * w * w)
        self.assertIn("the field 'pressure' has no [[inertia]]", outcome.log)
        self.assert_close(outcome.fact("energy_at_begin")[0], mu * math.pi**2 / 16, 1e-3)
        self.assertLess(abs(outcome.fact("lost_energy")[0]), 1e-10)
        start = self.solved(text.replace('velocity = ["sin(pi*y/2)", 0]', 'velocity_velocity = ["2*sin(pi*y/2)", 0]') + "[damping]\nrayleigh = [0.2, 0.01]\n", "--overwrite")
        self.assertAlmostEqual(float(self.rows(start)[1]["u"]), 2 / w * math.exp(-(0.1 + 0.005 * w * w) * period / 4), delta=1e-2)

    def test_a_form_of_one_field_moves_by_its_inertia(self):
        """A string with k = 2 and rho = 8 whose end is free: the period is 4 sqrt(rho / k)."""
        text = '[model]\nform = "diffusion2"\n[[material]]\nregion = "all"\nconductivity = 2\n[[inertia]]\nregion = "all"\nvalue = 8\n[[prescribe]]\nregion = "left"\nvalue = 0\n'
        text += f'[space]\norder = 2\n[initial]\nvalue = "sin(pi*x/2)"\n[time]\nend = {4 * 2}\nstep = 0.1\nspectral_radius = 1\n'
        text += '[[probe]]\nname = "u"\nfield = "temperature"\npoint = [1, 0.5]\n'
        outcome = self.solved(text)
        self.assert_close(outcome.probes["u"], 1, 1e-2)
        self.assertLess(abs(outcome.fact("lost_energy")[0]), 1e-10)

    def test_a_rigid_wall_drags_a_flow(self):
        """Between plates, of which one is rigid and moves: v = 3 (1 - y), also with fields of higher orders."""
        text = STOKES.format(2) + '[[rigid]]\nfield = "velocity"\nregion = "bottom"\nx = 3\ny = 0\nrz = 0\n'
        text += PRESCRIBE.format("velocity", "top", "value = 0") + "".join(PRESCRIBE.format("velocity", side, 'component = "y"\nvalue = 0') for side in ("left", "right"))
        text += AT.format("between", "velocity", "x", [0.3, 0.7]) + "[space]\norder = 3\n"
        text += '[[probe]]\nname = "drag"\nfield = "reaction_velocity"\nregion = "top"\ncomponent = "x"\nmeasure = "reaction"\n'
        outcome = self.solved(text)
        for probe, expected in (("between", 0.9), ("drag", -6)):
            self.assert_close(outcome.probes[probe], expected, 1e-8)
        self.assert_close(outcome.fact("rigid bottom")[0], 3, 1e-12)
        self.assertIn("rigid region 'bottom'", outcome.log)

    def test_what_an_analysis_cannot_do_with_these_fields_is_refused(self):
        stokes = STOKES.format(1)
        for exit_code, phrase, text in (
                (4, "field 'pressure' has no inertia", stokes + '[[inertia]]\nfield = "velocity"\nregion = "all"\nvalue = 1\n[modal]\n'),
                (2, "'load' was given with [modal]", stokes + '[[inertia]]\nfield = "velocity"\nregion = "all"\nvalue = 1\n[modal]\n[[load]]\nfield = "velocity"\nregion = "all"\nvalue = [1, 0]\n'),
                (2, "'capacity' was given without [time]", stokes + MASS.format(1)),
                (2, "[[capacity]]", stokes + "[time]\nend = 1\n"),
                (2, "'mass' of 'field', which has circulations along edges", '[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = 1\n[time]\nend = 1\n[[capacity]]\nregion = "all"\nvalue = 1\n'),
                (4, "a prescribed vector that varies in time", '[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = 1\n[time]\nend = 1\n'
                 '[[capacity]]\nform = "curl_curl2"\nregion = "all"\na = 0\nb = 1\n[[prescribe]]\nregion = "left"\nvector = ["t", 0]\n'),
                (2, "constraints of 'field', which has circulations along edges", '[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = 1\n'
                 '[[periodic]]\nregion = "right"\nonto = "left"\n'),
                (4, "loads follow the time", stokes + MASS.format(1) + "[time]\nend = 1\n[newton]\npath = [1, 0]\n")):
            outcome = self.of(text, "--overwrite")
            self.assertEqual(outcome.exit, exit_code, text + outcome.log + outcome.errors)
            self.assertIn(phrase, outcome.errors)


if __name__ == "__main__":
    unittest.main()
