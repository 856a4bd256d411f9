"""[output] error_estimate: what it says in its own units, of each load case, across materials, and what it leaves alone."""
import math
import unittest

import boxes
import vtu
from ritz import CaseTest, example

ON = {"output.error_estimate": "true"}


class MeshError(CaseTest):
    def estimate(self, outcome):
        return outcome.fact("discretisation_error")[0]

    def test_it_is_asked_for(self):
        outcome = self.solve("ritz-elasticity", example("lame/plane_strain"))
        self.assertNotIn("discretisation_error", outcome.report["facts"])
        self.assertNotIn("stress_error", vtu.read(outcome.results())["CellData"])

    def test_it_is_the_error_that_the_energies_of_finer_meshes_show(self):
        """Energies of load-driven models come from below: ||e||^2 = ||u||^2 - ||u_h||^2, with ||u||^2 extrapolated from meshes of halved cells."""
        outcomes = [self.solve("ritz-elasticity", example("lame/axisymmetric"), keys={**ON, "mesh.refine": refine}) for refine in (0, 1, 2)]
        coarse, fine, finest = (outcome.fact("strain_energy")[0] for outcome in outcomes)
        limit = finest + (finest - fine) ** 2 / ((fine - coarse) - (finest - fine))
        for outcome, energy in zip(outcomes[:2], (coarse, fine)):
            self.assert_close(self.estimate(outcome), math.sqrt((limit - energy) / limit), 0.2)
        for outcome, finer in zip(outcomes, outcomes[1:]):
            self.assert_close(outcome.fact("discretisation_error_halved_cells")[0], self.estimate(finer), 0.2)

    def test_the_membrane_of_cook(self):
        """The energy of much finer meshes is 12.0209, so that the error is 1.82 %. A corner has no bounded stress: half of the error's square is in one
        cell there, and what finer meshes bring is not told."""
        outcome = self.solve("ritz-elasticity", example("cook"))
        self.assert_close(self.estimate(outcome), math.sqrt(1 - outcome.fact("strain_energy")[0] / 12.0209), 0.05)
        self.assertIn("half of its square in 1 of 1024 cells", outcome.log)
        self.assertNotIn("discretisation_error_halved_cells", outcome.report["facts"])
        x, y, _ = outcome.fact("discretisation_error_at")
        self.assertLess(math.hypot(x - 0, y - 44), 1.5)
        self.assertIn(f"the worst at ({x:.4g}, {y:.4g})", outcome.log)
        errors = vtu.read(outcome.results())["CellData"]["stress_error"]
        self.assertEqual(len(errors), 1024)
        self.assertGreater(min(errors), 0)

    def test_a_body_one_cell_thick_has_the_same_estimate_however_it_is_turned(self):
        """Heat along a strip of 12 quadrilaterals of 4 and 8 nodes: the samples do not see what is of the highest degree across it."""
        for nodes in (4, 8):
            estimates = []
            for angle in (0, 0.4, 1.2):
                c, s = math.cos(angle), math.sin(angle)
                place = lambda x, y: (c * x - s * y, s * x + c * y, 0)
                corners = [place(i, j) for j in (0, 1) for i in range(13)]
                middles = [place(i + 0.5, j) for j in (0, 1) for i in range(12)] + [place(i, 0.5) for i in range(13)]
                corner, along, across = lambda i, j: 1 + i + 13 * j, lambda i, j: 27 + i + 12 * j, lambda i: 51 + i
                cell = lambda i: [corner(i, 0), corner(i + 1, 0), corner(i + 1, 1), corner(i, 1), along(i, 0), across(i + 1), along(i, 1), across(i)]
                elements = [(3 if nodes == 4 else 16, 1, cell(i)[:nodes]) for i in range(12)]
                ends = [([corner(12 * i, 0), corner(12 * i, 1)] + [across(12 * i)])[:nodes // 2 - (nodes == 8)] for i in (0, 1)]
                elements += [(1 if nodes == 4 else 8, 2 + i, ends[i]) for i in (0, 1)]
                self.write("strip.msh", boxes.msh(corners + (middles if nodes == 8 else []), elements, [(2, "all"), (1, "cold"), (1, "hot")]))
                text = '[mesh]\nfile = "strip.msh"\n[[material]]\nregion = "all"\nconductivity = 2\n[[temperature]]\nregion = "cold"\nvalue = 0\n[[source]]\nregion = "all"\nvalue = "'
                text += f'exp(0.3*(x*{c!r}+y*{s!r}))*(1+(y*{c!r}-x*{s!r})^2)"\n[output]\nerror_estimate = true\n'
                outcome = self.solve("ritz-heat", self.write("strip.toml", text))
                estimates.append(self.estimate(outcome))
                self.assertIn("too few for the estimate", outcome.log)
            self.assertGreater(min(estimates), 1e-4)
            for each in estimates[1:]:
                self.assert_close(each, estimates[0], 1e-3)

    def test_linear_cells_that_bend_are_told_without_an_estimate(self):
        """A cantilever of ten bricks is 35 % too stiff. Not where it is pulled, and not with order 2."""
        self.write("beam.msh", boxes.cut("hexa", (10, 1, 1), (10, 1, 1)))
        text = '[mesh]\nfile = "beam.msh"\n' + "".join(
            f'[[region]]\nname = "x{i}"\nkind = "facets"\nplane = {{point = [{10 * i}, 0, 0], normal = [1, 0, 0]}}\n' for i in (0, 1))
        text += '[[material]]\nregion = "part"\nyoung = 2e11\npoisson = 0.3\n[[displacement]]\nregion = "x0"\nx = 0\ny = 0\nz = 0\n[[force]]\nregion = "x1"\nvalue = [0, 0, -1000]\n'
        told = lambda *more: [n for n in self.solve("ritz-elasticity", self.write("beam.toml", text), keys=dict(more)).report["notices"] if "linear cells bend" in n]
        self.assertEqual(len(told()), 1)
        self.assertEqual(told(("space.order", 2)), [])
        self.assertEqual(told(("force.0.value", "[1000, 0, 0]")), [])
        modal = text.split("[[force]]")[0].replace("poisson", "density = 7850\npoisson") + "[modal]\ncount = 1\n"
        self.write("modal.toml", modal)
        self.assertTrue(any("linear cells bend" in n for n in self.solve("ritz-modal", self.folder / "modal.toml").report["notices"]))

    def test_nothing_where_the_solution_is_exact_in_each_material(self):
        outcome = self.solve("ritz-heat", example("wall"), keys=ON)
        self.assertLess(self.estimate(outcome), 1e-6)
        self.assertLess(max(vtu.read(outcome.results())["CellData"]["heat_flux_error"]), 1e-6 * 19.48)

    def test_nothing_where_nothing_varies(self):
        """One temperature everywhere: its gradients are round-off, and no share of them is an error."""
        case = self.write("even.toml", f'''[mesh]
file = "{example("fin").parent / "fin.msh"}"
[[material]]
region = "all"
conductivity = 10
[[temperature]]
region = "base"
value = 20
[output]
error_estimate = true
''')
        self.assertEqual(self.estimate(self.solve("ritz-heat", case)), 0)

    def test_units_do_not_matter(self):
        reference = self.solve("ritz-elasticity", example("lame/solid"), keys={**ON, "solver.method": "direct"})
        self.assertIn("the worst at ({:.4g}, {:.4g}, {:.4g})".format(*reference.fact("discretisation_error_at")), reference.log)
        stress = vtu.read(reference.results())["CellData"]["stress_error"]
        for length, stiffness in ((1e-6, 1.0), (1e6, 1e12), (1e-3, 1e-9)):
            keys = {**ON, "solver.method": "direct", "mesh.scale": length, "material.0.young": 200e9 * stiffness, "pressure.0.value": 60e6 * stiffness}
            text = example("lame/solid").read_text()
            case = self.write("scaled.toml", text[:text.index("[[probe]]")].replace('file = "', f'file = "{example("lame/solid").parent}/'))
            outcome = self.solve("ritz-elasticity", case, keys=keys)
            self.assert_close(self.estimate(outcome), self.estimate(reference), 1e-3)  # as many digits as the fact has
            for a, b in zip(vtu.read(outcome.results())["CellData"]["stress_error"], stress):
                self.assertLessEqual(abs(a / stiffness - b), 1e-6 * max(stress))

    def test_every_load_case_and_combination_has_its_own(self):
        outcome = self.solve("ritz-elasticity", example("bracket/load_cases"), keys=ON)
        parts = {**outcome.report["load_cases"], **outcome.report["combinations"]}
        errors = {name: float(part["facts"]["discretisation_error"]) for name, part in parts.items()}
        self.assertEqual(list(errors), ["weight", "hanging", "pull", "service", "ultimate"])
        self.assertGreater(len(set(errors.values())), 3)
        # The pull dominates both.
        self.assert_close(errors["ultimate"], errors["service"], 0.02)
        for name, part in parts.items():
            self.assertIn("stress_error", vtu.read(part["output"])["CellData"], name)

    def test_the_same_bits_for_any_number_of_threads(self):
        outcomes = [self.solve("ritz-elasticity", example("bracket"), keys=ON, threads=threads) for threads in (1, 2)]
        self.assertEqual(*(vtu.read(outcome.results())["CellData"]["stress_error"] for outcome in outcomes))


if __name__ == "__main__":
    unittest.main()
