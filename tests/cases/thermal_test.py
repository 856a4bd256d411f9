"""Thermal stresses from the command line: temperatures of heat runs on the same mesh and another, load cases and combinations, and errors."""
import math
import unittest

import boxes
from ritz import CaseTest

STEEL = '[[material]]\nregion = "all"\nyoung = 200e9\npoisson = 0.25\nexpansion = 1e-5\n'
SIDES = "".join(f'[[displacement]]\nregion = "{side}"\n{axis} = 0\n' for side, axis in (("left", "x"), ("bottom", "y")))
PROBES = ('[[probe]]\nname = "stress"\nfield = "stress"\nregion = "all"\nmeasure = "mean"\n'
          '[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "x"\nregion = "right"\nmeasure = "mean"\n')
PLANE = '[mesh]\nfile = "{}"\n[model]\ntype = "plane_stress"\n'
HEAT = ('[mesh]\nfile = "{}"\n[[material]]\nregion = "all"\nconductivity = 5\n[[temperature]]\nregion = "left"\nvalue = 20\n'
        '[[temperature]]\nregion = "right"\nvalue = 120\n')


class Thermal(CaseTest):
    def setUp(self):
        super().setUp()
        for name, cells in (("coarse", 4), ("fine", 7)):
            self.write(f"{name}.msh", boxes.grid(cells))

    def probes(self, text):
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text))
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return outcome

    def heat(self, mesh):
        outcome = self.run_case("ritz-heat", self.write("heat.toml", HEAT.format(mesh)), output=self.folder / f"heat_{mesh}")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return self.folder / f"heat_{mesh}" / "heat.pvd"

    def test_a_heat_run_on_this_mesh_or_another_gives_what_a_formula_gives(self):
        body = PLANE.format("fine.msh") + STEEL + SIDES + PROBES
        expected = self.probes(body + '[thermal]\ntemperature = "20 + 100*x"\nreference = 20\n').report["probes"]
        self.assertAlmostEqual(expected["tip"], 5e-4, delta=5e-5)  # the mean warming is 50 K; the held edge changes little
        for mesh in ("fine.msh", "coarse.msh"):
            found = self.probes(body + f'[thermal]\nfile = "{self.heat(mesh)}"\nreference = 20\n')
            self.assertEqual("of another mesh" in found.log, mesh == "coarse.msh")
            self.assertAlmostEqual(found.report["probes"]["tip"] / expected["tip"], 1, delta=1e-9)
            for a, b in zip(found.report["probes"]["stress"], expected["stress"]):
                self.assertAlmostEqual(a, b, delta=1.0)  # of stresses of 1e7 Pa

    def test_free_strain_of_a_ring_is_free_of_stress_in_cells_too(self):
        """u_r = alpha r^2 / 2 of T = r and nu = 0: radial strain is free, at nodes and in the means over cells."""
        body = ('[mesh]\nfile = "coarse.msh"\norder = 2\n[model]\ntype = "axisymmetric"\n[thermal]\ntemperature = "1000*x"\nreference = 0\n'
                '[[material]]\nregion = "all"\nyoung = 1e9\npoisson = 0\nexpansion = 1e-5\n[[displacement]]\nregion = "all"\nx = "0.005*x^2"\ny = 0\n')
        body += "".join(f'[[probe]]\nname = "{values}"\nfield = "stress"\ncomponent = "xx"\nvalues = "{values}"\npoint = [0.1, 0.1]\n'
                        for values in ("nodes", "cells"))
        for values, stress in self.probes(body).report["probes"].items():
            self.assertLess(abs(stress), 1, values)  # E alpha T is 1e6 Pa

    def test_combinations_add_the_stresses_of_their_load_cases(self):
        """Held at left and right: sigma_x = -E alpha dT. Pulled upwards by 1 MPa: sigma_y, and sigma_x by nu."""
        held = SIDES + '[[displacement]]\nregion = "right"\nx = 0\n'
        outcome = self.probes(PLANE.format("fine.msh") + STEEL + held + PROBES +
                              '[[load_case]]\nname = "hot"\n[load_case.thermal]\ntemperature = 60\nreference = 20\n'
                              '[[load_case]]\nname = "pulled"\n[[load_case.traction]]\nregion = "top"\nvalue = [0, 1e6]\n'
                              '[[combination]]\nname = "both"\nfactors = {hot = 0.5, pulled = 2}\n')
        stress = {name: values["probes"]["stress"] for name, values in
                  [*outcome.report["load_cases"].items(), *outcome.report["combinations"].items()]}
        self.assertAlmostEqual(stress["hot"][0] / -80e6, 1, delta=1e-8)
        self.assertAlmostEqual(stress["hot"][1], 0, delta=1)
        self.assertAlmostEqual(stress["pulled"][0] / 0.25e6, 1, delta=1e-8)
        self.assertAlmostEqual(stress["both"][0] / -39.5e6, 1, delta=1e-8)
        self.assertAlmostEqual(stress["both"][1] / 2e6, 1, delta=1e-6)

    def test_modes_take_moduli_over_the_temperature_and_say_that_strain_changes_nothing(self):
        self.write("E.csv", "T,E\n0,200e9\n100,100e9\n")
        table = '[[table]]\nname = "E"\nfile = "E.csv"\ninterpolation = "linear"\n'
        body = table + STEEL.replace("200e9", '"E(T)"') + "density = 8000\n" + '[[displacement]]\nregion = "left"\nfixed = true\n[modal]\ncount = 1\n'
        found = []
        for temperature in (0, 75):
            outcome = self.run_case("ritz-modal", self.write("case.toml", PLANE.format("fine.msh") + body +
                                                             f"[thermal]\ntemperature = {temperature}\nreference = 20\n"))
            self.assertEqual(outcome.exit, 0, outcome.errors)
            self.assertIn("thermal strain changes no frequency here", outcome.log)
            found.append(outcome.fact("frequencies_hz")[0])
        self.assertAlmostEqual(found[1] / found[0], 0.625**0.5, delta=1e-6)  # of moduli 125e9 and 200e9

    def test_a_temperature_beyond_the_table_is_an_error_that_names_it(self):
        self.write("E.csv", "T,E\n0,200e9\n100,180e9\n")
        table = '[[table]]\nname = "E"\nfile = "E.csv"\ninterpolation = "linear"\n'
        body = table + STEEL.replace("200e9", '"E(T)"') + SIDES
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", PLANE.format("fine.msh") + body +
                                                              "[thermal]\ntemperature = 150\nreference = 20\n"))
        self.assertEqual(outcome.exit, 4)
        self.assertIn("the temperature 150 lies outside of the table of 'young', [[material]] #1 at", outcome.errors)
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", PLANE.format("fine.msh") + body))
        self.assertIn("no temperature for the elastic constants of 'all', [[material]] #1 at", outcome.errors)

    def test_a_heat_run_of_another_part_is_an_error(self):
        self.write("far.msh", boxes.grid(4, 3.0))
        outcome = self.run_case("ritz-elasticity", self.write(
            "case.toml", PLANE.format("far.msh") + STEEL + SIDES + f'[thermal]\nfile = "{self.heat("coarse.msh")}"\nreference = 20\n'))
        self.assertEqual(outcome.exit, 4)
        self.assertIn("a field is needed where it has no values", outcome.errors)
        self.assertIn("thermal.file at", outcome.errors + outcome.log)

    PLY = ('[[material]]\nregion = "all"\n[material.orthotropic]\nyoung = [140e9, 10e9, 10e9]\npoisson = [0.3, 0.3, 0.4]\n'
           'shear = [5e9, 5e9, 3e9]\n')

    def refused(self, text, sentence, program="ritz-elasticity"):
        outcome = self.run_case(program, self.write("case.toml", text), "--check")
        self.assertEqual(outcome.exit, 2, outcome.log + outcome.errors)
        self.assertIn(sentence, outcome.errors)

    def test_members_of_a_sweep_have_their_own_thickness(self):
        """A total force on the right: the stress is F / (h t), and the members wait for each other."""
        case = self.write("case.toml", PLANE.format("fine.msh") + self.PLY + SIDES + PROBES +
                          '[[force]]\nregion = "right"\nvalue = [1e6, 0]\n'
                          '[sweep]\n[[sweep.parameter]]\nkey = "model.thickness"\nvalues = [0.5, 1, 2]\n')
        outcome = self.run_case("ritz-elasticity", case, keys={"model.thickness": 1})
        self.assertEqual(outcome.exit, 0, outcome.errors)
        rows = next((outcome.folder / "results").glob("*_sweep.csv")).read_text().splitlines()
        tip = rows[0].split(",").index("tip")
        for row, thickness in zip(rows[1:], (0.5, 1, 2)):
            self.assertAlmostEqual(float(row.split(",")[tip]) * 140e9 * thickness / 1e6, 1, delta=1e-7)

    def test_a_path_of_loads_takes_its_part_of_the_thermal_stress(self):
        held = SIDES + '[[displacement]]\nregion = "right"\nx = 0\n'
        outcome = self.probes(PLANE.format("fine.msh") + STEEL + held + PROBES +
                              '[thermal]\ntemperature = 60\nreference = 20\n[newton]\npath = [1, 0.25]\n')
        self.assertAlmostEqual(outcome.report["probes"]["stress"][0] / -20e6, 1, delta=1e-6)

    def over_temperature(self, factors, poisson):
        """A ply whose moduli are those of PLY times a factor over the temperature."""
        tables, names = "", []
        for name, value in (("E1", 140e9), ("E2", 10e9), ("G1", 5e9), ("G3", 3e9)):
            self.write(f"{name}.csv", f"T,{name}\n" + "".join(f"{T},{value * f}\n" for T, f in factors))
            tables += f'[[table]]\nname = "{name}"\nfile = "{name}.csv"\ninterpolation = "linear"\n'
        material = (f'[[material]]\nregion = "all"\nexpansion_along = [1e-6, 3e-5, 2e-5]\n[material.orthotropic]\nyoung = ["E1(T)", "E2(T)", "E2(T)"]\n'
                    f'poisson = {poisson}\nshear = ["G1(T)", "G1(T)", "G3(T)"]\n')
        return tables + material

    def test_orthotropic_constants_over_the_temperature_are_those_at_the_temperature(self):
        """All moduli times 1, 0.9 and 0.6 at 0, 50 and 100 degrees: 0.84 at 60, and the stiffness is linear between rows."""
        self.write("cube.msh", boxes.cubes(["cube"]))
        hot = "[thermal]\ntemperature = 60\nreference = 20\n"
        varying = self.over_temperature([(0, 1), (50, 0.9), (100, 0.6)], [0.3, 0.3, 0.4])
        numbers = self.PLY.replace('region = "all"\n', 'region = "all"\nexpansion_along = [1e-6, 3e-5, 2e-5]\n')
        for value in ("140e9", "10e9", "5e9", "3e9"):
            numbers = numbers.replace(value, repr(float(value) * 0.84))
        turned = '[[orientation]]\nname = "o"\naxis1 = [1, {}]\n'
        solid = ('[mesh]\nfile = "cube.msh"\n' + turned.format("1, 0") + "axis2 = [0, 1, 0.3]\n", "cube.x0", "cube.x1")
        plane = [(f'[mesh]\nfile = "fine.msh"\n[model]\ntype = "{kind}"\n' + turned.format("0.5" if kind != "axisymmetric" else "0"), "left", "right")
                 for kind in ("plane_stress", "plane_strain", "axisymmetric")]
        for mesh, left, right in [solid, *plane]:
            found = []
            for material in (numbers, varying):
                material = material.replace('region = "all"\n', 'region = "all"\norientation = "o"\n', 1)
                load = f'[[displacement]]\nregion = "{left}"\nfixed = true\n[[traction]]\nregion = "{right}"\nvalue = {[3e6, 1e6] + [5e5] * (left != "left")}\n'
                found.append(self.probes(mesh + material + load + PROBES.replace('"right"', f'"{right}"') + hot).report["probes"])
            self.assertAlmostEqual(found[0]["tip"] / found[1]["tip"], 1, delta=1e-6)
            for a, b in zip(found[0]["stress"], found[1]["stress"]):
                self.assertAlmostEqual(a, b, delta=20.0)  # of 1e6 Pa and more

    def test_a_bar_that_is_warmer_along_its_fibres_has_the_compliance_of_a_series(self):
        """E1 = 140e9 f(100 x), f linear through 1, 0.9, 0.6: u = sigma / 140e9 (ln(1 / 0.9) / 0.2 + ln(0.9 / 0.6) / 0.6)."""
        varying = self.over_temperature([(0, 1), (50, 0.9), (100, 0.6)], [0.0, 0.0, 0.0]).replace("expansion_along = [1e-6, 3e-5, 2e-5]\n", "")
        expected = 1e6 / 140e9 * (math.log(1 / 0.9) / 0.2 + math.log(1.5) / 0.6)
        for kind in ("plane_stress", "plane_strain"):
            found = self.probes(PLANE.format("fine.msh").replace("plane_stress", kind) + "[space]\norder = 2\n" + varying + SIDES + PROBES +
                                '[[traction]]\nregion = "right"\nvalue = [1e6, 0]\n[thermal]\ntemperature = "100*x"\nreference = 0\n')
            self.assertAlmostEqual(found.report["probes"]["tip"] / expected, 1, delta=2e-4)
        case = PLANE.format("fine.msh") + varying + SIDES + '[[traction]]\nregion = "right"\nvalue = [1e6, 0]\n'
        self.write("E1.csv", "T,E1\n0,-140e9\n100,70e9\n")
        self.refused(case + "[thermal]\ntemperature = 5\nreference = 0\n", "a table with the value -1.4e+11")
        self.write("E1.csv", "T,E1\n0,140e9\n90,70e9\n")
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", case + '[thermal]\ntemperature = "100*x"\nreference = 0\n'))
        self.assertEqual(outcome.exit, 4)
        self.assertIn("lies outside of the table of the elastic constants, [[material]] #1 at", outcome.errors)

    def test_what_has_no_effect_or_no_meaning_is_refused(self):
        warm = "[thermal]\ntemperature = 60\nreference = 20\n"
        self.refused(PLANE.format("fine.msh") + STEEL + SIDES + warm + "[output]\nerror_estimate = true\n",
                     "[output] error_estimate of thermal stresses")
        self.refused(PLANE.format("fine.msh") + self.PLY + SIDES + "[output]\nerror_estimate = true\n",
                     "[output] error_estimate of a material along axes")
        self.refused(PLANE.format("fine.msh") + '[[orientation]]\nname = "o"\naxis1 = [1, 1]\n' + STEEL + 'orientation = "o"\n' + SIDES + warm,
                     "'orientation' was given without numbers along axes")
        self.refused(PLANE.format("fine.msh") + STEEL + "expansion_zero = 0\n" + SIDES + warm,
                     "'expansion_zero' was given without a table of the expansion")
        step = next(self.heat("fine.msh").parent.rglob("*.vtu"))
        self.refused(PLANE.format("fine.msh") + STEEL + SIDES + f'[thermal]\nfile = "{step}"\ntime = 3\nreference = 20\n',
                     "'time' was given with a .vtu")

    def test_a_disc_may_have_a_node_on_the_axis_of_its_material(self):
        case = PLANE.format("fine.msh") + '[[orientation]]\nname = "wound"\ncylindrical = {}\n' + self.PLY.replace(
            "region", 'orientation = "wound"\nregion', 1) + SIDES + '[[traction]]\nregion = "right"\nvalue = [1e6, 0]\n'
        self.assertEqual(self.run_case("ritz-elasticity", self.write("case.toml", case)).exit, 0)

    def test_a_plain_orthotropic_material_is_the_isotropic_one(self):
        load = '[[traction]]\nregion = "right"\nvalue = [3e6, 1e6]\n'
        orthotropic = ('[[material]]\nregion = "all"\nexpansion = 1e-5\n[material.orthotropic]\nyoung = [200e9, 200e9, 200e9]\n'
                       'poisson = [0.25, 0.25, 0.25]\nshear = [80e9, 80e9, 80e9]\n')
        found = [self.probes(PLANE.format("fine.msh") + material + SIDES + load + PROBES +
                             "[thermal]\ntemperature = 50\nreference = 20\n").report["probes"] for material in (STEEL, orthotropic)]
        self.assertAlmostEqual(found[0]["tip"] / found[1]["tip"], 1, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
