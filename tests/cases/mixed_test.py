"""Forms of several fields, of facets and of edges in cases of ritz-solve: closed forms, a plugin, and what is refused."""
import math
import pathlib
import unittest

import boxes
import vtu
from ritz import CaseTest, example

PRESCRIBE = '[[prescribe]]\nfield = "{}"\nregion = "{}"\n{}\n'
PROBE = '[[probe]]\nname = "{0}"\nfield = "{1}"\nregion = "all"\nmeasure = "{2}"\n{3}\n'


class SeveralFields(CaseTest):
    def of(self, text, *arguments, mesh=None):
        self.write("mesh.msh", mesh or boxes.grid(4))
        return self.run_case("ritz-solve", self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + text), *arguments)

    def test_examples_meet_their_references(self):
        """Marchi, Suero and Araki, J. Braz. Soc. Mech. Sci. Eng. 31 (2009) 186; layers in series; A = sinh(x / l) / sinh(1 / 2l) in the mean,
        and l sinh(x / l) / cosh(1 / 2l) between currents; v = 4 (1 - y^2)."""
        length = 0.2
        slab = 2 * length * math.tanh(1 / (4 * length))
        for name, references in {"cavity": {"middle": (-0.205192, 2e-4), "lower": (-0.122596, 5e-4)},
                                 "layers": {"pressure_left": (0.75, 1e-9), "pressure_right": (0.125, 1e-9), "flux_right": (2, 1e-9)},
                                 "slab": {"right_half": (slab, 5e-3)},
                                 "solenoid": {"field_in_air": (1000, 1e-7), "field_in_iron": (1000, 1e-7), "flux_density_in_iron": (4e-4 * math.pi * 1000, 1e-7),
                                              "flux": (0.5 * 4e-7 * math.pi * 1001 * 1000, 1e-7)},
                                 "channel": {"middle": (4, 1e-9), "half_way": (3, 1e-9)},
                                 "filter": {"flux": (2 / 1.125, 1e-7), "pressure_left": (3 - 0.5 / 1.125, 1e-7)},
                                 "sheets": {"right_half": (2 * length**2 * (1 - 1 / math.cosh(1 / (2 * length))), 5e-3)}}.items():
            outcome = self.solve("ritz-solve", example(f"several_fields/{name}"))
            for probe, (reference, tolerance) in references.items():
                with self.subTest(case=name, probe=probe):
                    self.assert_close(outcome.probes[probe], reference, tolerance)
            self.assertLess(float(outcome.report["facts"]["residual_certificate"]), 2e-8)

    def test_a_flow_between_plates_is_that_of_poiseuille(self):
        """v = 4 y (1 - y) leaves freely in its own form: p falls by 8 a metre, and the walls hold what the pressure drives."""
        text = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 1\n'
        for side in ("left", "right"):
            text += PRESCRIBE.format("velocity", side, 'component = "x"\nvalue = "4*y*(1-y)"') + PRESCRIBE.format("velocity", side, 'component = "y"\nvalue = 0')
        for side in ("top", "bottom"):
            text += PRESCRIBE.format("velocity", side, "value = 0")
        text += '[[region]]\nname = "pin"\nkind = "nodes"\nbox = {low = [0.99, -0.1], high = [1.1, 0.1]}\n' + PRESCRIBE.format("pressure", "pin", "value = 0")
        text += PROBE.format("p", "pressure", "max", "") + PROBE.format("wall", "reaction_velocity", "reaction", 'component = "x"').replace('"all"', '"top"')
        outcome = self.of(text)
        self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
        self.assert_close(outcome.probes["p"], 8, 1e-9)
        fields = vtu.read(outcome.results())["PointData"]
        self.assertEqual(set(fields), {"velocity", "pressure", "reaction_velocity", "reaction_pressure"})
        body = text.replace("[[probe]]", '[[load]]\nfield = "velocity"\nregion = "all"\nvalue = [8, 0]\n[[probe]]', 1)
        self.assertLess(abs(self.of(body, "--overwrite").probes["p"]), 1e-9)  # a body force in place of the pressure

    def test_what_flows_in_and_not_out_is_told(self):
        """The place that holds the level of the pressure gives the rest. Without such a place the field is named."""
        pin = '[[region]]\nname = "pin"\nkind = "nodes"\nbox = {low = [0.99, -0.1], high = [1.1, 0.1]}\n' + PRESCRIBE.format("pressure", "pin", "value = 0")
        for out, told in ((4, False), (8, True)):
            text = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 1\n'
            for side, most in (("left", 4), ("right", out)):
                text += PRESCRIBE.format("velocity", side, f'component = "x"\nvalue = "{most}*y*(1-y)"') + PRESCRIBE.format("velocity", side, 'component = "y"\nvalue = 0')
            for side in ("top", "bottom"):
                text += PRESCRIBE.format("velocity", side, "value = 0")
            log = self.of(text + pin, "--overwrite").log
            self.assertEqual("are not in balance" in log, told, log)
            if told:
                self.assertIn("takes -0.66666", log)
        for method in ("direct", "minres"):
            outcome = self.of(text + f'[solver]\nmethod = "{method}"\n', "--overwrite")
            self.assertEqual(outcome.exit, 4, outcome.log)
            self.assertIn("a constant may be added to the field 'pressure'", outcome.errors)

    def test_what_may_still_move_is_named(self):
        """A liquid that may turn about its pin; a body that expands by a temperature without a level, which two fields share."""
        pin = '[[region]]\nname = "pin"\nkind = "nodes"\nbox = {low = [-0.01, -0.01], high = [0.01, 0.01]}\n'
        turning = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 1\n' + pin + PRESCRIBE.format("velocity", "pin", "value = 0")
        for side, value in (("left", -1), ("right", 1)):
            turning += f'[[load]]\nfield = "velocity"\nregion = "{side}"\nvalue = [{value}, 0]\n'
        expanding = '[model]\nform = "thermo_elasticity2"\n[[material]]\nregion = "all"\nlambda = 1e9\nmu = 1e9\nstress = 1e4\nconductivity = 10\n' + PRESCRIBE.format("displacement", "left", "value = 0")
        for text, methods, words in ((turning, ("direct", "minres", "gmres"), "a rigid motion may be added to the field 'velocity': rotation about"),
                                     (expanding, ("direct", "gmres"), "a constant may be added to the field 'temperature', with what follows from it")):
            for method in methods:
                with self.subTest(method=method, words=words):
                    outcome = self.of(text + f'[solver]\nmethod = "{method}"\n', "--overwrite")
                    self.assertEqual(outcome.exit, 4, outcome.log + outcome.errors)
                    self.assertIn(words, outcome.errors)
        held = self.of(expanding + PRESCRIBE.format("temperature", "right", "value = 3"), "--overwrite")
        self.assertEqual(held.exit, 0, held.errors)

    def test_a_pressure_where_the_flux_is_prescribed_is_told(self):
        text = '[model]\nform = "mixed_poisson2"\n[[material]]\nregion = "all"\npermeability = 1\n' + PRESCRIBE.format("flux", "left", "vector = [1, 0]")
        for side, told in (("left", True), ("right", False)):
            for load in (f'[[load]]\nfield = "flux"\nregion = "{side}"\nvalue = 5\n', f'[[boundary]]\nform = "flux_film2"\nregion = "{side}"\npressure = 5\nresistance = 1\n'):
                log = self.of(text + load, "--check").log
                self.assertEqual(f"nothing is changed by what acts on 'flux' in '{side}'" in log, told, log)

    def test_a_plugin_is_solved_like_the_forms_of_ritz(self):
        """The form of docs/several-fields.md between walls under a load along y: nothing moves, and p = y - 1 of a liquid at rest."""
        source = pathlib.Path(__file__).resolve().parents[2] / "examples" / "programs"
        text = f'[model]\nform = "incompressible"\n[[material]]\nregion = "all"\nmu = 1\n[[load]]\nfield = "displacement"\nregion = "all"\nvalue = [0, 1]\n'
        for side in ("left", "right"):
            text += PRESCRIBE.format("displacement", side, 'component = "x"\nvalue = 0')
        text += PRESCRIBE.format("displacement", "bottom", 'component = "y"\nvalue = 0') + PROBE.format("least", "pressure", "min", "") + PROBE.format("moved", "displacement", "max", 'component = "magnitude"')
        outcome = self.of(text, "--set", f'plugin="{source / "own_fields_kernels.cpp"}"')
        self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
        self.assert_close(outcome.probes["least"], -1, 1e-9)
        self.assertLess(outcome.probes["moved"], 1e-9)

    def test_check_estimate_and_describe_say_what_there_is(self):
        text = '[model]\nform = "mixed_poisson2"\n[[material]]\nregion = "all"\npermeability = 1\n'
        self.assertIn("unknowns", self.of(text, "--check").log)
        self.assertIn("matrix", self.of(text, "--estimate").log)
        described = self.of(text, "--describe").log
        for word in ("vector", "flux (3)", "pressure (1)"):
            self.assertIn(word, described + self.of(text + '[[prescribe]]\nfield = "flux"\nregion = "left"\nvector = [0, 0]\n', "--describe").log)

    def test_natural_conditions_are_loads_and_boundaries(self):
        """Pressures that drive a flow between walls, and a film beside one that is given: v = 4 y (1 - y); resistances in series."""
        stokes = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 1\n[[load]]\nfield = "velocity"\nregion = "left"\npressure = "8 + 0*y"\n'
        for side in ("left", "right"):
            stokes += PRESCRIBE.format("velocity", side, 'component = "y"\nvalue = 0')
        for side in ("top", "bottom"):
            stokes += PRESCRIBE.format("velocity", side, "value = 0")
        stokes += '[[probe]]\nname = "v"\nfield = "velocity"\ncomponent = "x"\npoint = [0.25, 0.5]\n'
        boundary = '[[boundary]]\nfield = "velocity"\nregion = "right"\nform = "pressure2"\npressure = 4\n'
        for text, reference in ((stokes, 1), (stokes + boundary, 0.5)):
            outcome = self.of(text)
            self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
            self.assert_close(outcome.probes["v"], reference, 1e-9)
        # A current along both sides and a small b: A = (0, x - 1/2).
        sheet = '[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = 1e-6\n' + PROBE.format("most", "field", "max", 'component = "y"\nvalues = "cells"')
        for side in ("top", "bottom"):
            sheet += f'[[prescribe]]\nregion = "{side}"\nvector = [0, 0]\n'
        for side, current in (("right", [0, 1]), ("left", [0, -1])):
            sheet += f'[[load]]\nregion = "{side}"\nvalue = {current}\n'
        turning = self.of(sheet)
        self.assertEqual(turning.exit, 0, turning.log + turning.errors)
        self.assert_close(turning.probes["most"], 0.375, 1e-5)

    def test_a_long_coil_has_the_field_of_its_current_in_each_core(self):
        """H = K along the coil whatever its core, B = H / a; the energy is half of the work, which is that of the linkage. In space, by hexahedra and tetrahedra."""
        counts, K, a = (4, 4, 2), 3.0, {"iron": 0.01, "air": 1.0}
        text = '[[region]]\nname = "iron"\nkind = "cells"\nbox = {low = [0.24, 0.24, -1], high = [0.76, 0.51, 2]}\n[[region]]\nname = "air"\ndifference = ["part", "iron"]\n'
        for axis, side, current in ((0, 1, [0, K, 0]), (0, 0, [0, -K, 0]), (1, 1, [-K, 0, 0]), (1, 0, [K, 0, 0])):
            name, normal = f"{'xy'[axis]}{side}", [int(d == axis) for d in range(3)]
            text += f'[[region]]\nname = "{name}"\nkind = "facets"\nplane = {{point = {[side * n for n in normal]}, normal = {normal}}}\n[[load]]\nregion = "{name}"\nvalue = {current}\n'
        text += '[model]\nform = "curl_curl3"\n' + "".join(f'[[material]]\nregion = "{name}"\na = {value}\nb = 0\n' for name, value in a.items())
        for name in a:
            for field in ("curl_field", "curl_field_flux"):
                for measure in ("min", "max"):
                    text += f'[[probe]]\nname = "{name}.{field}.{measure}"\nfield = "{field}"\nregion = "{name}"\ncomponent = "z"\nmeasure = "{measure}"\n'
        text += "[solver]\ntolerance = 1e-10\n"
        for cell in ("hexa", "tetra"):
            with self.subTest(cell=cell):
                outcome = self.of(text, "--overwrite", mesh=boxes.cut(cell, counts))
                self.assertEqual(outcome.exit, 0, outcome.errors + outcome.log)
                for name, value in a.items():
                    for measure in ("min", "max"):
                        self.assert_close(outcome.probes[f"{name}.curl_field_flux.{measure}"], K, 1e-7)
                        self.assert_close(outcome.probes[f"{name}.curl_field.{measure}"], K / value, 1e-7)
                energy = 0.5 * K**2 * sum({"iron": 0.125, "air": 0.875}[name] / value for name, value in a.items())
                self.assert_close(float(outcome.report["facts"]["energy"]), energy, 1e-7)
                self.assert_close(float(outcome.report["facts"]["work_of_loads"]), 2 * energy, 1e-7)

    def test_a_current_must_be_free_of_divergence_where_a_gauge_alone_holds_gradients(self):
        """Sheets of current along both sides, and beside them a current a (x, 0), whose divergence is a."""
        text = '[model]\nform = "curl_curl2"\n[[material]]\nregion = "all"\na = 1\nb = {}\n' + PROBE.format("most", "field", "max", 'component = "y"\nvalues = "cells"')
        for side in ("top", "bottom"):
            text += f'[[prescribe]]\nregion = "{side}"\nvector = [0, 0]\n'
        for side, current in (("right", [0, 1]), ("left", [0, -1])):
            text += f'[[load]]\nregion = "{side}"\nvalue = {current}\n'
        spread = '[[load]]\nregion = "all"\nvalue = ["{} * x", 0]\n'
        for b in (1e-6, 0):
            outcome = self.of(text.format(b) + spread.format(1), "--overwrite")
            self.assertEqual(outcome.exit, 4, outcome.log)
            self.assertIn("the load of 'field' is not free of divergence", outcome.errors)
            self.assertNotIn("supports", outcome.errors)
            few = self.of(text.format(b) + spread.format(1e-3), "--overwrite")
            self.assertEqual(few.exit, 0, few.errors)
            self.assertIn("was left out", few.log)
        self.assertEqual(self.of(text.format(0), "--overwrite").exit, 0)
        self.assert_close(self.of(text.format(1e-6) + spread.format(1e-3), "--overwrite").probes["most"], 0.375, 2e-3)
        strong = self.of(text.format(25) + spread.format(1), "--overwrite")  # b has a meaning there, and gradients are part of the answer
        self.assertEqual(strong.exit, 0, strong.errors)
        factorised = self.of(text.format(0) + '[solver]\nmethod = "direct"\n', "--overwrite")
        self.assertEqual(factorised.exit, 4, factorised.errors)
        self.assertIn("lacks a gauge", factorised.errors)

    def test_methods_meet_the_same_solution(self):
        """By a factorisation and by iteration; one that does not converge is an error; without memory for a factor there is an iteration."""
        text = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 2\n'
        text += '[[load]]\nfield = "velocity"\nregion = "all"\nvalue = ["y", "-x*x"]\n'
        for side in ("left", "top", "bottom"):
            text += PRESCRIBE.format("velocity", side, "value = 0")
        text += PROBE.format("v", "velocity", "max", 'component = "magnitude"') + PROBE.format("p", "pressure", "max", "")
        solver = '[solver]\ntolerance = 1e-11\nmethod = "{}"\n'
        direct = self.of(text + solver.format("direct"), mesh=boxes.grid(12))
        for method in ("minres", "gmres"):
            outcome = self.of(text + solver.format(method), mesh=boxes.grid(12))
            self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
            self.assertGreater(outcome.report["solver"]["iterations"], 5)
            self.assertIn("multigrid", outcome.report["solver"]["preconditioner"])
            for probe in ("v", "p"):
                self.assert_close(outcome.probes[probe], direct.probes[probe], 1e-7)
        short = self.of(text + '[solver]\ndirect_memory = 1e-6\n', mesh=boxes.grid(12))
        self.assertEqual(short.exit, 0, short.log + short.errors)
        self.assertIn("not factorised", short.log)
        stopped = self.of(text + solver.format("minres") + "max_iterations = 4\n", mesh=boxes.grid(12))
        self.assertEqual(stopped.exit, 5, stopped.log + stopped.errors)
        estimate = self.of(text, "--estimate", mesh=boxes.grid(12))
        self.assertEqual(set(estimate.report["forecast"]), {"direct", "iterative"})
        self.assertGreater(estimate.report["forecast"]["direct"]["factor"], 0)

    def test_auxiliary_spaces_of_edges_have_no_free_patterns(self):
        """On meshes of simplices cut from bricks a pattern of alternating signs has no mean on any edge."""
        for cell, counts in (("triangle", (16, 16)), ("triangle", (20, 20)), ("tetra", (6, 6, 6))):
            d = len(counts)
            text = "".join(f'[[region]]\nname = "x{v}"\nkind = "facets"\nplane = {{point = {[v, 0, 0][:d]}, normal = {[1, 0, 0][:d]}}}\n' for v in (0, 1))
            text += f'[model]\nform = "curl_curl{d}"\n[[material]]\nregion = "part"\na = 1\nb = 0.1\n[[load]]\nfield = "field"\nregion = "x1"\nvalue = {[0, 1, 0][:d]}\n[solver]\nmethod = "minres"\n'
            outcome = self.of(text, "--overwrite", mesh=boxes.cut(cell, counts))
            self.assertEqual(outcome.exit, 0, outcome.errors)
            self.assertLess(outcome.report["solver"]["iterations"], 30)

    def test_facets_inside_have_no_outward_normal(self):
        mesh = boxes.msh([(x, y, 0.0) for y in (0, 1) for x in (0, 1, 2)], [(3, 1, [1, 2, 5, 4]), (3, 1, [2, 3, 6, 5]), (1, 2, [2, 5]), (1, 3, [1, 4])],
                         [(2, "all"), (1, "inside"), (1, "left")])
        poisson = '[model]\nform = "mixed_poisson2"\n[[material]]\nregion = "all"\npermeability = 1\n'
        for region, told in (("inside", True), ("left", False)):
            for load in (f'[[load]]\nfield = "flux"\nregion = "{region}"\nvalue = 1\n', f'[[boundary]]\nform = "flux_film2"\nregion = "{region}"\npressure = 1\nresistance = 1\n'):
                outcome = self.of(poisson + load, "--check", mesh=mesh)
                self.assertEqual((outcome.exit == 2, "1 of the 1 facets of 'inside' lie between two cells" in outcome.errors), (told, told), outcome.errors)
            pressure = f'[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 1\n[[boundary]]\nform = "pressure2"\nregion = "{region}"\npressure = 1\n'
            self.assertEqual("it takes that of the lower cell" in self.of(pressure, "--check", mesh=mesh).log, told)

    def test_the_equations_of_each_field_are_met_in_any_units(self):
        """Seepage in metres and pascals: one norm over fluxes of 1e-9 and pressures of 1e7 would be that of the pressures."""
        text = '[model]\nform = "mixed_poisson2"\n[[material]]\nregion = "all"\npermeability = 2e-14\n[[load]]\nfield = "flux"\nregion = "left"\nvalue = 1e7\n'
        text += '[[load]]\nfield = "flux"\nregion = "right"\nvalue = 1e7\n[[load]]\nfield = "pressure"\nregion = "all"\nvalue = -6e-9\n'
        for side in ("top", "bottom"):
            text += PRESCRIBE.format("flux", side, "vector = [0, 0]")
        text += '[[probe]]\nname = "out"\nfield = "flux"\ncomponent = "x"\nvalues = "cells"\npoint = [0.9, 0.4]\n'
        direct = self.of(text + '[solver]\nmethod = "direct"\n', "--overwrite").probes["out"]
        minres = self.of(text + '[solver]\nmethod = "minres"\ntolerance = 1e-8\n', "--overwrite")
        self.assertEqual(minres.exit, 0, minres.errors)
        self.assert_close(minres.probes["out"], direct, 1e-4)
        gmres = self.of(text + '[solver]\nmethod = "gmres"\ntolerance = 1e-8\n', "--overwrite")  # where it cannot, it says so
        self.assertEqual((gmres.exit, "did not converge" in gmres.errors), (5, True), gmres.errors)

    def test_a_liquid_at_rest_and_steel_in_its_units_are_met_by_iteration_or_not_at_all(self):
        """p = rho g (1 - y), whatever the viscosity: pivots of prescribed pressures have the unit of the velocities' block. A temperature in
        W/(m K) beside moduli of 1e11 Pa."""
        rest = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = {}\n[[region]]\nname = "pin"\nkind = "nodes"\nbox = {{low = [-0.01, 0.99], high = [0.01, 1.01]}}\n'
        for side in ("left", "right", "top", "bottom"):
            rest += PRESCRIBE.format("velocity", side, "value = 0")
        rest += PRESCRIBE.format("pressure", "pin", "value = 0") + '[[load]]\nfield = "velocity"\nregion = "all"\nvalue = [0, -9810]\n' + PROBE.format("p", "pressure", "max", "")
        for viscosity in ("1e-3", "1", "1e6"):
            for method in ("minres", "gmres"):
                with self.subTest(viscosity=viscosity, method=method):
                    outcome = self.of(rest.format(viscosity) + f'[solver]\nmethod = "{method}"\n', "--overwrite", mesh=boxes.grid(6))
                    if outcome.exit == 0:
                        self.assert_close(outcome.probes["p"], 9810, 1e-7)
                    else:
                        self.assertEqual((outcome.exit, method, viscosity), (5, "gmres", "1e6"), outcome.errors)
        rock = '[model]\nform = "mixed_poisson2"\n[[material]]\nregion = "all"\npermeability = {0}\n[[region]]\nname = "well"\nkind = "cells"\nexpression = "x > 0.7 && y > 0.7"\n'
        rock += PRESCRIBE.format("pressure", "well", "value = 3") + '[[load]]\nfield = "flux"\nregion = "left"\nvalue = 7\n' + PROBE.format("p", "pressure", "mean", 'values = "cells"')
        for side in ("right", "top", "bottom"):
            rock += PRESCRIBE.format("flux", side, "vector = [0, 0]")
        mean = self.of(rock.format(1), "--overwrite", mesh=boxes.grid(8)).probes["p"]
        for method in ("minres", "gmres"):  # pressures do not depend on the permeability
            outcome = self.of(rock.format(1e-12) + f'[solver]\nmethod = "{method}"\n', "--overwrite", mesh=boxes.grid(8))
            self.assertEqual(outcome.exit, 0, outcome.errors)
            self.assert_close(outcome.probes["p"], mean, 1e-7)
            self.assertLess(outcome.report["solver"]["iterations"], 200)
        steel = '[model]\nform = "thermo_elasticity2"\n[[material]]\nregion = "all"\nlambda = 1.2e11\nmu = 8e10\nstress = 6e6\nconductivity = 50\n' + PRESCRIBE.format("displacement", "left", "value = 0")
        steel += PRESCRIBE.format("temperature", "left", "value = 20") + '[[load]]\nfield = "temperature"\nregion = "all"\nvalue = 1e5\n' + PROBE.format("T", "temperature", "max", "")
        outcome = self.of(steel + '[solver]\nmethod = "gmres"\n', "--overwrite", mesh=boxes.grid(6))
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assert_close(outcome.probes["T"], 1020, 1e-6)  # 20 + 1e5 / 50 / 2

    def test_what_cases_of_several_fields_do_not_do_is_refused(self):
        stokes = '[model]\nform = "stokes2"\n[[material]]\nregion = "all"\nviscosity = 1\n'
        poisson = '[model]\nform = "mixed_poisson2"\n[[material]]\nregion = "all"\npermeability = 1\n'
        for exit_code, phrase, text in (
                (2, "a rigid region of 'pressure'", stokes + '[[rigid]]\nfield = "pressure"\nregion = "left"\n'),
                (2, "with order = 1 'pressure' has the order 0", stokes + "[space]\norder = 1\n"),
                (2, "no gradient of the probe", stokes + '[[probe]]\nname = "p"\nfield = "reaction_velocity"\nregion = "left"\nmeasure = "reaction"\ncomponent = "x"\n[gradient]\nprobe = "p"\nby = "material.0.viscosity"\n'),
                (2, "'cg' was asked for, and the form has several fields", stokes + '[solver]\nmethod = "cg"\n'),
                (2, "'jacobi' was asked for, and the form has several fields", stokes + '[solver]\npreconditioner = "jacobi"\n'),
                (2, "'minres' was asked for, and 'thermo_elasticity2' is not symmetric", '[model]\nform = "thermo_elasticity2"\n[[material]]\nregion = "all"\nlambda = 1\nmu = 1\nconductivity = 1\n[solver]\nmethod = "minres"\n'),
                (2, "a pressure on the cells of 'all'", stokes + '[[load]]\nfield = "velocity"\nregion = "all"\npressure = 1\n'),
                (2, "'flux_film2'", stokes + '[[boundary]]\nform = "flux_film2"\nregion = "left"\npressure = 1\nresistance = 1\n'),
                (4, "one of 3 dimensions", stokes.replace("stokes2", "stokes3")),
                (2, "list of 2 numbers or formulas", poisson + '[[load]]\nfield = "flux"\nregion = "all"\nvalue = 1\n'),
                (2, "give one number or formula", poisson + '[[load]]\nfield = "flux"\nregion = "left"\nvalue = [1, 2]\n'),
                (2, "a load on 'pressure' on facets", poisson + '[[load]]\nfield = "pressure"\nregion = "left"\nvalue = 1\n'),
                (2, "'pressure' of 'left', which is no region of cells", poisson + PRESCRIBE.format("pressure", "left", "value = 3")),
                (4, "above 0", poisson.replace("permeability = 1", 'permeability = "x - 1"')),
                (4, "has no value", stokes + '[[load]]\nfield = "velocity"\nregion = "all"\nvalue = ["sqrt(x-0.9)", 0]\n'),
                (2, "this run has no time", stokes + PRESCRIBE.format("velocity", "left", 'value = "t"')),
                (2, "'heat'", stokes + PRESCRIBE.format("heat", "left", "value = 0"))):
            outcome = self.of(text, "--check")
            self.assertEqual(outcome.exit, exit_code, text + outcome.log + outcome.errors)
            self.assertIn(phrase, outcome.errors)


if __name__ == "__main__":
    unittest.main()
