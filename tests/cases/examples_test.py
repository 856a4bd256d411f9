"""L24: every case of examples/ prints the number of its reference, to 1 % or better on the mesh beside it.

References: shared tables of NAFEMS cases (LE1 92.7 MPa, LE10 -5.38 MPa), Lame's formulas, Cook's membrane 23.965 (two other
codes), Timoshenko's beam, the exact series of a fin, Bessel's functions for the annular fin, resistances in series.
"""
import math
import unittest

from ritz import CaseTest, example

BEAM = -(1000 / (3 * 210e9 * 0.05 * 0.1**3 / 12) + 1000 / (5 / 6 * 210e9 / 2.6 * 0.05 * 0.1))
ELASTIC = {
    "le1": {"stress_at_D": (92.7e6, 0.01)},
    "le10": {"stress_at_D": (-5.38e6, 0.01)},
    "cook": {"middle_of_right_edge": (23.965, 0.001), "corner": (25.18, 0.005)},
    "lame/axisymmetric": {"u_inside": (57.2e-6, 1e-4), "u_outside": (36.4e-6, 1e-4), "radial_inside": (-60e6, 0.01),
                          "hoop_inside": (100e6, 0.01), "hoop_outside": (40e6, 0.002), "axial": (12e6, 0.001)},
    "lame/plane_strain": {"u_inside": (57.2e-6, 1e-4), "u_outside": (36.4e-6, 1e-4), "radial_inside": (-60e6, 0.001),
                          "hoop_inside": (100e6, 0.001), "hoop_outside": (40e6, 0.001), "axial": (12e6, 0.001)},
    "lame/solid": {"u_inside": (59e-6, 1e-4), "u_outside": (40e-6, 1e-4), "radial_inside": (-60e6, 0.01),
                   "hoop_inside": (100e6, 0.01), "hoop_outside": (40e6, 0.001)},
    # The clamp holds the end section against Poisson's contraction: stiffer than the beam by 0.8 %.
    "cantilever": {"deflection": (BEAM, 0.01), "bending_stress": (6e6, 0.001)},
}
# Sze, Liu and Lo; one state of strain; CalculiX 2.20, the same cells, 31 increments (100 of Ritz: 54.85 kN, -2.126 mm).
LARGE = {
    "large/cantilever": {"tip_x": (-3.286, 0.002), "tip_y": (6.698, 0.001)},
    "large/block": {"force": (3839.481, 1e-6), "across": (0.416532 - 1, 2e-6)},
    # 32 x 32 cells of C3D20R's kind: 6.905; the literature 6.9 to 6.95.
    "cook/rubber": {"corner": (6.922, 5e-4)},
    "necking/bar": {"force": (54526, 0.015), "neck": (-2.1671e-3, 0.02)},
    "creep/tube": {"hoop": (229.67, 1e-3), "hoop_inside": (130.385, 1e-3)},  # NAFEMS R0027; the closed form
}


def fin_series(x, y, k=10, h=200, length=0.05, half=0.01, base=100, ambient=20):
    """Temperature and heat into half a fin, tip insulated: sum of cos(m y / t) cosh(m (L - x) / t), m tan m = h t / k."""
    temperature = heat = 0
    for i in range(2000):
        low, high = i * math.pi, (i + 0.5) * math.pi  # m tan m grows from 0 to infinity
        for _ in range(80):
            m = (low + high) / 2
            low, high = (m, high) if m * math.tan(m) < h * half / k else (low, m)
        share = 4 * math.sin(m) / (2 * m + math.sin(2 * m))
        heat += share * math.sin(m) * math.tanh(m * length / half)
        if m * length / half < 300:
            temperature += share * math.cos(m * y / half) * math.cosh(m * (length - x) / half) / math.cosh(m * length / half)
    return ambient + (base - ambient) * temperature, k * (base - ambient) * heat


class Examples(CaseTest):
    def check(self, program, name, references):
        outcome = self.solve(program, example(name))
        for probe, (reference, tolerance) in references.items():
            with self.subTest(case=name, probe=probe):
                self.assert_close(outcome.probes[probe], reference, tolerance)
        with self.subTest(case=name, what="true residual"):
            self.assertLessEqual(outcome.residual, 1e-8)
        return outcome

    def test_nafems_t3_meets_its_series(self):
        # u = 100 sin(w t) x / L and a sine series of what is left: 36.60312 at 0.08 m and 32 s; NAFEMS prints 36.60.
        outcome = self.check("ritz-heat", "transient/nafems_t3", {"temperature": (36.60312, 5e-4)})
        self.assertLess(outcome.fact("balance_defect")[0], 1e-9)

    def test_a_wave_in_a_bar_is_exact_at_the_nodes(self):
        outcome = self.solve("ritz-elasticity", example("transient/wave"))
        self.assert_close(outcome.probes["end"], 1e-3, 1e-12)

    def test_a_tube_is_clamped_then_pressed_and_vibrates_under_both(self):
        # The ends stay plane: Lame with the axial strain of the clamp; 2 p a^2 / (b^2 - a^2) = 66.667 MPa is the hoop stress outside.
        steps = self.solve("ritz-elasticity", example("steps/clamped_tube")).report["steps"]
        self.assertEqual(list(steps), ["clamp", "pressure", "modes"])
        for name, radial, axial in (("clamp", 4e-6, -70e6), ("pressure", 0.04 / 210e9 * (200e6 / 3 + 0.3 * 50e6), -50e6)):
            self.assert_close(steps[name]["probes"]["u_outside"], radial, 5e-4)
            self.assert_close(steps[name]["probes"]["axial_stress"], axial, 5e-4)
            force = [float(number) for number in steps[name]["facts"]["coupling top force"].split()]
            self.assert_close(force[2], axial * math.pi / 4 * (0.04**2 - 0.02**2), 1e-3)
        self.assertEqual(len(steps["modes"]["facts"]["frequencies_hz"].split()), 4)

    def test_nafems_5t_meets_its_reference(self):
        # NAFEMS R0016: 1.043 mm at 0.0117 s, the peak of a series of modes.
        outcome = self.solve("ritz-structure", example("transient/nafems_5t"))
        self.assert_close(outcome.probes["deflection"], -1.043e-3, 2e-3)
        self.assertLess(abs(outcome.fact("lost_energy")[0]), 1e-5 * outcome.fact("work_of_loads")[0])

    def test_a_welded_frame_on_a_solid_foot_meets_a_model_of_solids(self):
        # CalculiX 2.20, 35,242 nodes of C3D10: frame, plate and foot as solids (mean of the corner where the girder ends).
        outcome = self.solve("ritz-structure", example("body/welded"))
        self.assert_close(outcome.probes["corner"], 2.11256e-3, 0.02)
        for load, reaction in zip(outcome.fact("applied_load"), outcome.fact("reaction")):
            self.assertAlmostEqual(load, -reaction, delta=0.1)

    def test_a_sine_decays_by_diffusion(self):
        outcome = self.check("ritz-solve", "transient/decay", {"middle": (math.exp(-0.1 * math.pi**2), 1e-4)})
        self.assertLess(outcome.fact("balance_defect")[0], 1e-8)

    def test_large_displacements_meet_their_references(self):
        for name, references in LARGE.items():
            self.check("ritz-elasticity", name, references)

    def test_elastic_cases_meet_their_references(self):
        for name, references in ELASTIC.items():
            self.check_balance(self.check("ritz-elasticity", name, references))

    def check_balance(self, outcome):
        """L10: reactions are minus the loads; the residual of an iterative solve bounds what is left."""
        if "axisymmetric" in outcome.report["case"]:
            return  # the radial forces of a ring balance each other around it
        load, reaction = outcome.fact("applied_load"), outcome.fact("reaction")
        for f, r in zip(load, reaction):
            self.assertLessEqual(abs(f + r), 1e-7 * max(map(abs, load)), outcome.report["case"])

    def test_thermal_stresses_and_materials_along_axes(self):
        """NAFEMS LE11; a hot spot in an infinite membrane (NAFEMS T1: 50 MPa at its rim); Timoshenko's strip; Jones, eq. 2.102."""
        for name, references in {
            "thermal/le11": {"stress_at_A": (-105e6, 0.005)},
            "thermal/t1": {"beside": (50e6 / 1.02**2, 0.03)},
            "thermal/bimetal": {"tip": (2.1e-3, 1e-4)},
            "composite/off_axis": {"strain": (4.696428571e-5, 1e-6), "stress": (1e6, 1e-6)},
        }.items():
            self.check("ritz-elasticity", name, references)

    def test_arrays_of_the_mesh_file_are_layers_in_series(self):
        self.check("ritz-heat", "fields/layers", {"flux": (100 / (2 * 0.125 * (1 + 1 / 2 + 1 / 4 + 1 / 8)), 1e-8)})

    def test_joined_parts_are_what_they_would_be_in_one(self):
        """Lame's tube in two tied rings; a spinning disc, (3 + nu) / 4 rho w^2 (b^2 + (1 - nu) / (3 + nu) a^2); T L / (G J); layers in series."""
        self.check("ritz-elasticity", "joining/tube", {"u_inside": (57.2e-6, 1e-4), "stress_inside": (100e6, 1e-3)})
        hoop = 3.3 / 4 * 7850 * 300**2 * (0.4**2 + 0.7 / 3.3 * 0.1**2)
        self.check("ritz-elasticity", "joining/sector", {"u_bore": (hoop * 0.1 / 200e9, 1e-4), "hoop_bore": (hoop, 1e-3)})
        shaft = self.check("ritz-elasticity", "joining/shaft", {})
        turn = 5000 * 0.5 / (200e9 / 2.6 * math.pi * 0.05**4 / 2)
        self.assert_close(shaft.fact("rigid end")[5], turn, 1e-3)
        self.assert_close(shaft.probes["edge"], 0.05 * turn, 1e-3)
        turned = self.check("ritz-elasticity", "joining/turned_shaft", {"edge": (0.05 * 0.01, 1e-3)})
        self.assert_close(turned.fact("coupling end force")[5], 5000 * 0.01 / turn, 1e-3)
        layers = self.check("ritz-elasticity", "joining/laminate", {})
        shear = 2e-3 / (0.25 / (200e9 / 2.6) + 0.75 / (4e9 / 2.7))
        self.assert_close(0.25 * layers.probes["stiff_shear"] + 0.75 * layers.probes["soft_shear"], shear, 1e-3)

    def test_no_axial_stress_in_a_tube_with_free_ends(self):
        outcome = self.solve("ritz-elasticity", example("lame/solid"))
        self.assertLess(abs(outcome.probes["axial"]), 1e-3 * 100e6)

    def test_fin_is_the_series(self):
        middle, heat = fin_series(0.05, 0)
        side, _ = fin_series(0.05, 0.01)
        self.check("ritz-heat", "fin", {"tip_middle": (middle, 1e-5), "tip_side": (side, 1e-5), "heat": (heat, 1e-3)})

    def test_annular_fin_is_the_formula_with_bessel_functions(self):
        # I and K of orders 0 and 1, Incropera section 3.6.4; h t / k = 1.25e-4 says how much the thin-fin formula may miss
        self.check("ritz-heat", "fin/annular", {"rim": (80.48384, 1e-4), "heat": (21.42369, 1e-4)})

    def test_wall_is_exact(self):
        flux = 30 / (1 / 8 + 0.1 / 0.8 + 0.05 / 0.04 + 1 / 25)
        self.check("ritz-heat", "wall", {"flux": (flux, 1e-8), "inside": (20 - flux / 8, 1e-8),
                                         "joint": (20 - flux / 8 - flux * 0.1 / 0.8, 1e-8)})

    def test_radiating_bar_is_nafems_t2(self):
        low, high = 300, 1000  # k (1000 - T) / L = emissivity sigma (T^4 - 300^4)
        for _ in range(60):
            T = (low + high) / 2
            low, high = (T, high) if 55.6 * (1000 - T) / 0.1 > 0.98 * 5.670374419e-8 * (T**4 - 300**4) else (low, T)
        self.assert_close(T, 927.0, 1e-5)
        outcome = self.check("ritz-heat", "radiation/nafems_t2", {"end": (T, 1e-7)})
        self.assert_close(outcome.fact("radiation")[0], -55.6 * (1000 - T) / 0.1 * 0.01, 1e-6)
        self.assert_close(outcome.fact("reaction")[0], 55.6 * (1000 - T) / 0.1 * 0.01, 1e-6)

    def test_steel_wall_carries_the_mean_conductivity(self):
        # Kirchhoff: k falls from 53.334 at 20 to 27.36 at 800 degrees; in the middle half of its integral is reached.
        slope = (27.36 - 53.334) / 780
        conducted = 780 * (53.334 + 27.36) / 2
        middle = 20 + (-53.334 + math.sqrt(53.334**2 + slope * conducted)) / slope
        self.check("ritz-heat", "radiation/steel_wall", {"middle": (middle, 2e-4), "heat": (conducted / 0.1 * 0.01, 1e-3)})

    def test_all_heat_of_the_chip_goes_into_the_air(self):
        p = self.check("ritz-heat", "heat_sink", {}).probes
        area = p["air_side"] / p["air_mean"]
        self.assert_close(40 * (p["air_side"] - 20 * area), 40, 1e-6)

    def test_bolts_carry_the_bracket(self):
        outcome = self.check("ritz-elasticity", "bracket", {})
        self.check_balance(outcome)
        self.assert_close(outcome.probes["bolt_force"][0], -2000, 1e-6)
        self.assertLess(abs(outcome.probes["eye_displacement"][1]), 1e-5 * outcome.probes["eye_displacement"][0])  # symmetric

    def test_load_cases_of_the_bracket_add_up_to_the_bracket(self):
        alone = self.solve("ritz-elasticity", example("bracket")).probes
        outcome = self.solve("ritz-elasticity", example("bracket/load_cases"))
        cases, service = outcome.report["load_cases"], outcome.report["combinations"]["service"]["probes"]
        self.assertEqual(list(cases), ["weight", "hanging", "pull"])
        self.assert_close(cases["pull"]["probes"]["bolt_force"][0], -2000, 1e-6)
        self.assert_close(cases["hanging"]["probes"]["bolt_force"][2], 500, 1e-6)
        for case in cases.values():
            self.assertLessEqual(case["solver"]["true_relative_residual"], 1e-8)
        self.assert_close(service["peak_von_mises"], alone["peak_von_mises"], 1e-6)
        for i in (0, 2):
            self.assert_close(service["eye_displacement"][i], alone["eye_displacement"][i], 1e-6)
            self.assert_close(service["bolt_force"][i], alone["bolt_force"][i], 1e-6)
        self.assert_close(outcome.report["combinations"]["ultimate"]["probes"]["peak_von_mises"], 150.7e6, 1e-3)


if __name__ == "__main__":
    unittest.main()
