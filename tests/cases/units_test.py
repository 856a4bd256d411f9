"""L16: lengths by 1e-6 ... 1e6 and stiffness by 1e-9 ... 1e12 leave the answer in its own units alone, and the iterations too."""
import unittest

from ritz import CaseTest, example

SCALES = [(1e-6, 1.0), (1e6, 1.0), (1e-3, 1e-6), (1.0, 1e-9), (1.0, 1e12), (1e-3, 1e12), (1e6, 1e-9)]  # length, stiffness


def scaled_points(length, points):
    return {f"probe.{i}.point": str([x * length for x in point]) for i, point in enumerate(points)}


def tube(length, stiffness):
    """u / length and sigma / stiffness do not change when the pressure goes with the stiffness."""
    inside, outside = (0.1, 0, 0.01), (0.2, 0, 0.01)
    return {"mesh.scale": length, "material.0.young": 200e9 * stiffness, "pressure.0.value": 60e6 * stiffness,
            **scaled_points(length, [inside, outside, inside, inside, outside, inside])}


def beam(length, stiffness):
    """The force goes with stiffness length^2."""
    return {"mesh.scale": length, "material.0.young": 210e9 * stiffness,
            "force.0.value": f"[0, 0, {-1000 * stiffness * length**2!r}]",
            "probe.2.point": f"[{0.5 * length!r}, {0.025 * length!r}, {0.1 * length!r}]"}


def fin(length, stiffness):
    """Temperatures do not change when h length / k stays."""
    return {"mesh.scale": length, "material.0.conductivity": 10 * stiffness,
            "convection.0.coefficient": 200 * stiffness / length, **scaled_points(length, [(0.05, 0), (0.05, 0.01)])}


class Units(CaseTest):
    def check(self, program, case, scaled, keys, probes):
        """probes: name -> the power of length and of stiffness in its unit, and the tolerance."""
        reference = self.solve(program, example(case), keys={**keys, **scaled(1, 1)})
        for length, stiffness in SCALES:
            with self.subTest(case=case, length=length, stiffness=stiffness, **keys):
                outcome = self.solve(program, example(case), keys={**keys, **scaled(length, stiffness)})
                for probe, (of_length, of_stiffness, tolerance) in probes.items():
                    unit = length**of_length * stiffness**of_stiffness
                    self.assert_close(outcome.probes[probe] / unit, reference.probes[probe], tolerance)
                if "solver.tolerance" not in keys:  # near the limit of double precision round-off decides on the last steps
                    steps = [each.report["solver"]["iterations"] for each in (outcome, reference)]
                    self.assertLessEqual(abs(steps[0] - steps[1]), 1)

    def test_tube(self):
        probes = {"u_inside": (1, 0, 1e-9), "u_outside": (1, 0, 1e-9), "hoop_inside": (0, 1, 1e-9), "radial_inside": (0, 1, 1e-9)}
        self.check("ritz-elasticity", "lame/solid", tube, {"solver.method": "cg", "solver.tolerance": 1e-12}, probes)
        self.check("ritz-elasticity", "lame/solid", tube, {"solver.method": "direct"}, probes)
        self.check("ritz-elasticity", "lame/solid", tube, {"solver.method": "cg"}, {})

    def test_beam(self):
        """Slender: the condition is 1e8, so round-off alone is 1e-8 of the answer."""
        self.check("ritz-elasticity", "cantilever", beam, {}, {"deflection": (1, 0, 1e-7), "bending_stress": (0, 1, 1e-7)})

    def test_fin(self):
        self.check("ritz-heat", "fin", fin, {"solver.method": "cg", "solver.tolerance": 1e-12},
                   {"tip_middle": (0, 0, 1e-9), "tip_side": (0, 0, 1e-9)})

    def test_numbers_with_units_are_those_in_si_to_the_last_bit(self):
        keys = {"material.0.young": '"210 GPa"', "force.0.value": '[0, "0 N", "-1 kN"]', "probe.2.point": "[0.5, 0.025, 0.1]"}
        plain = self.solve("ritz-elasticity", example("cantilever"), keys=beam(1, 1))
        with_units = self.solve("ritz-elasticity", example("cantilever"), keys={**keys, "mesh.scale": 1})
        self.assertEqual(with_units.probes, plain.probes)
        self.assertIn("young = 210000000000", next((with_units.folder / "results").glob("*.resolved.toml")).read_text())

    def test_values_of_a_sweep_may_have_units(self):
        swept = self.solve("ritz-heat", example("fin"), keys={"sweep.parameter": '[{key = "material.0.conductivity", values = ["10 W/(m K)", "0.02 kW/(m K)"]}]'})
        table = next((swept.folder / "results").rglob("*sweep*.csv")).read_text()
        self.assertEqual(len(table.splitlines()), 3)


    def test_results_have_the_units_of_the_case(self):
        """The same numbers, with the units of SI, of mm, N, s and t, and without."""
        logs = {}
        for system in ("SI", "mm", "none"):
            outcome = self.solve("ritz-elasticity", example("cantilever"), "--report", "page.html", keys={"output.units": f'"{system}"'})
            logs[system] = (outcome.log, (outcome.folder / "page.html").read_text(), outcome.report["probe_units"])
        (si, _, si_units), (mm, mm_page, mm_units), (none, none_page, none_units) = logs.values()
        self.assertRegex(si, r"peak displacement: [0-9.e-]+ m at .* m\n")
        self.assertRegex(mm, r"peak displacement: [0-9.e-]+ mm at .* mm\n")
        self.assertRegex(none, r"peak displacement: [0-9.e-]+ at \([^)]*\)\n")
        self.assertEqual((si_units["deflection"], si_units["bending_stress"]), ("m", "Pa"))
        self.assertEqual((mm_units["deflection"], mm_units["bending_stress"]), ("mm", "MPa"))
        self.assertEqual(none_units, {})
        self.assertNotRegex(none, r"[0-9)] (m|Pa|N|kg|m\^3)\b")
        self.assertIn("<td>MPa</td>", mm_page)
        self.assertNotIn("<td>Pa</td>", none_page)

    def test_materials_of_the_library_are_in_si(self):
        refused = self.run_case("ritz-elasticity", example("cantilever"), keys={"output.units": '"mm"', "material.0.name": '"steel S235"'})
        self.assertEqual(refused.exit, 2)
        self.assertIn("a material of the library in a case that is not in SI", refused.errors)


if __name__ == "__main__":
    unittest.main()
