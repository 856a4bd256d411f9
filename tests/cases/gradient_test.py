"""[gradient]: derivatives of a probe by numbers of the case against central differences, and their refusals."""
import re
import signal
import unittest

import boxes
import vtu
from resume_test import Resume, files_of
from ritz import CaseTest

STEP = 1e-4
HALVES = "".join(f'[[region]]\nname = "{name}"\nkind = "cells"\nbox = {{low = [{low}, -1, -1], high = [{low + 0.5}, 2, 2]}}\n' for name, low in (("near", 0), ("far", 0.5)))
ELASTIC = ('[[material]]\nregion = "near"\nyoung = "210 GPa"\npoisson = 0.3\ndensity = 7850\nexpansion = 12e-6\n'
           '[[material]]\nregion = "far"\nname = "aluminium 6061-T6"\n[thermal]\ntemperature = 50\nreference = 20\n')
CONDUCTING = '[[material]]\nregion = "near"\nconductivity = 20\n[[material]]\nregion = "far"\nname = "copper C11000"\n'
SOLVER = '[solver]\nmethod = "direct"\n'


def side(name, x, dimension):
    return f'[[region]]\nname = "{name}"\nkind = "facets"\nplane = {{point = {[x, 0, 0][:dimension]}, normal = {[1, 0, 0][:dimension]}}}\n'


class Gradient(CaseTest):
    def differences(self, program, text, keys, probe, more="", value=None, results=None, fact=lambda outcome, key: outcome.fact(key)[0]):
        """d(probe)/d(key) of each key by the field and by central differences. value: the number that is differenced, of an outcome."""
        value = value or (lambda outcome: outcome.probes[probe])
        by = ", ".join(f'"{key}"' for key in keys)
        case = self.write("case.toml", text + SOLVER)
        asked = lambda by: SOLVER + f'[gradient]\nprobe = "{probe}"\nby = [{by}]\n' + more
        outcome = self.solve(program, self.write("gradient.toml", text + asked(by)))
        if not more:
            self.assert_close(value(outcome), value(self.solve(program, case)), 1e-9)
        else:
            case = self.write("case.toml", text + asked(f'"{next(iter(keys))}"'))
        cells = vtu.read((results or (lambda outcome: outcome.results()))(outcome))["CellData"]
        for key, given in keys.items():
            setting = lambda factor: {key: given * factor} if not isinstance(given, list) else {key.rsplit(".", 1)[0]: [v * (factor if i == int(key[-1]) else 1) for i, v in enumerate(given)]}
            low, high = (value(self.solve(program, case, keys=setting(1 + sign * STEP))) for sign in (-1, 1))
            number = given if not isinstance(given, list) else given[int(key[-1])]
            expected = (high - low) / (2 * STEP * number)
            field = cells["gradient_" + key.replace(".", "_")]
            scale = max(abs(expected), 1e-3 * abs(value(outcome) / number))  # some have no effect
            self.assertLessEqual(abs(sum(field) - expected), 1e-6 * scale, key)
            self.assertLessEqual(abs(fact(outcome, "gradient " + key) - sum(field)), 1e-8 * scale)
            yield key, field

    def test_elastic_bodies(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        self.write("plate.msh", boxes.grid(4))
        loads = '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = {}\n[gravity]\nacceleration = {}\n'
        end = '[[probe]]\nname = "p"\nfield = "displacement"\ncomponent = "y"\n{}\n'
        for name, mesh, dimension, model, probes in (
                ("solid", "block.msh", 3, "", ("point = [0.9, 0.3, 0.4]", 'region = "x1"\nmeasure = "mean"')),
                ("plane stress", "plate.msh", 2, '[model]\ntype = "plane_stress"\nthickness = 0.1\n', ("point = [0.9, 0.3]", 'region = "far"\nmeasure = "integral"')),
                ("of revolution", "plate.msh", 2, '[model]\ntype = "axisymmetric"\n', ('region = "far"\nmeasure = "mean"',))):
            for probe in probes:
                with self.subTest(name, probe=probe):
                    force, weight = [1e6, 2e6, 3e6][:dimension], [0, -9.81, 0][:dimension]
                    text = (f'[mesh]\nfile = "{mesh}"\n' + model + HALVES.replace(", -1, -1]", ", -1]" if dimension == 2 else ", -1, -1]").replace(", 2, 2]", ", 2]" if dimension == 2 else ", 2, 2]")
                            + side("x0", 0, dimension) + side("x1", 1, dimension) + ELASTIC + loads.format(force, weight) + end.format(probe))
                    keys = {"material.0.young": 210e9, "material.0.poisson": 0.3, "material.0.density": 7850.0, "material.0.expansion": 12e-6,
                            "material.1.young": 68.9e9, "traction.0.value.1": force}
                    for key, field in self.differences("ritz-elasticity", text, keys, "p"):
                        if key.startswith("material"):  # numbers of one half have no effect in the other
                            self.assertEqual(sum(each != 0 for each in field), len(field) // 2, key)

    def test_by_the_thickness(self):
        """Means and integrals of plane models have it in their areas, too."""
        self.write("plate.msh", boxes.grid(4))
        head = lambda kind: f'[mesh]\nfile = "plate.msh"\n[model]\ntype = "{kind}"\nthickness = 0.1\n' + side("x0", 0, 2) + side("x1", 1, 2)
        heat = lambda load: head("plane") + '[[material]]\nregion = "all"\nconductivity = 20\ndensity = 8\nspecific_heat = 400\n[[temperature]]\nregion = "x0"\nvalue = "1 + y"\n' + f'[[{load}]]\nregion = "x1"\nvalue = 300\n'
        bent = head("plane_stress") + '[[material]]\nregion = "all"\nyoung = 1e9\npoisson = 0.3\n[[displacement]]\nregion = "x0"\nfixed = true\n[[force]]\nregion = "x1"\nvalue = [1e5, 2e5]\n'
        probe = '[[probe]]\nname = "p"\nfield = "{}\n'
        last = lambda outcome: [path for path in outcome.report["outputs"] if path.endswith(".vtu")][-1]
        in_time = '[initial]\ntemperature = 3\n[time]\nend = 60\nstep = 9\n'
        for program, text, field, more, value, results in (
                ("ritz-heat", heat("flux"), 'temperature"\nregion = "x1"\nmeasure = "integral"', "", None, None),
                ("ritz-heat", heat("power"), 'temperature"\nregion = "all"\nmeasure = "integral"', "", None, None),
                ("ritz-heat", heat("power"), 'heat_flux"\ncomponent = "x"\nregion = "x1"\nmeasure = "integral"', "", None, None),
                ("ritz-heat", heat("power"), 'temperature"\nregion = "x1"\nmeasure = "mean"', "", None, None),
                ("ritz-heat", heat("power") + in_time, 'temperature"\nregion = "all"\nmeasure = "integral"', 'over = "time"\n', lambda outcome: outcome.fact("integral p")[0], last),
                ("ritz-elasticity", bent, 'displacement"\ncomponent = "y"\nregion = "x1"\nmeasure = "integral"', "", None, None),
                ("ritz-elasticity", bent, 'von_mises"\nvalues = "cells"\nregion = "all"\nmeasure = "integral"', "", None, None)):
            with self.subTest(field, more=more):
                found = dict(self.differences(program, text + probe.format(field), {"model.thickness": 0.1}, "p", more, value, results))
                self.assertEqual(len(found), 1)

    def test_reactions(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        text = ('[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + ELASTIC
                + '[[displacement]]\nregion = "x0"\nfixed = true\n[[displacement]]\nregion = "x1"\nx = 1e-3\ny = 0\nz = 0\n[gravity]\nacceleration = [5, 0, 0]\n'
                + '[[probe]]\nname = "p"\nfield = "reaction"\ncomponent = "x"\nregion = "x0"\nmeasure = "reaction"\n')
        keys = {"material.0.young": 210e9, "material.0.poisson": 0.3, "material.0.density": 7850.0, "material.0.expansion": 12e-6, "material.1.young": 68.9e9}
        self.assertEqual(len(list(self.differences("ritz-elasticity", text, keys, "p"))), 5)

    def test_heat(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        for probe in ("point = [0.9, 0.3, 0.4]", 'region = "x1"\nmeasure = "mean"', 'region = "x0"\nmeasure = "reaction"', 'component = "x"\nregion = "x0"\nmeasure = "integral"'):
            text = ('[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + CONDUCTING
                    + '[[temperature]]\nregion = "x0"\nvalue = 10\n[[convection]]\nregion = "x1"\ncoefficient = 30\nambient = 90\n[[source]]\nregion = "far"\nvalue = 500\n'
                    + f'[[probe]]\nname = "p"\nfield = "{"reaction" if "reaction" in probe else "heat_flux" if "component" in probe else "temperature"}"\n{probe}\n')
            keys = {"material.0.conductivity": 20.0, "material.1.conductivity": 391.0, "convection.0.coefficient": 30.0, "convection.0.ambient": 90.0, "source.0.value": 500.0}
            self.assertEqual(len(list(self.differences("ritz-heat", text, keys, "p"))), 5)

    def test_forms_of_several_fields(self):
        """Fields at nodes, and a flux of facets next to numbers in cells, whose cells see the facets with other signs."""
        self.write("plate.msh", boxes.grid(4))
        head = '[mesh]\nfile = "plate.msh"\n[output]\ncells = "mesh"\n' + HALVES.replace(", -1, -1]", ", -1]").replace(", 2, 2]", ", 2]")
        flow = head + '[model]\nform = "stokes2"\n[[material]]\nregion = "near"\nviscosity = 2\n[[material]]\nregion = "far"\nviscosity = 3\n'
        flow += '[[load]]\nfield = "velocity"\nregion = "all"\nvalue = [4, 5]\n'
        for sides, held in ((("left", "right"), 'component = "y"\n'), (("top", "bottom"), "")):
            flow += "".join(f'[[prescribe]]\nfield = "velocity"\nregion = "{name}"\n{held}value = 0\n' for name in sides)
        seepage = head + '[model]\nform = "mixed_poisson2"\n[[material]]\nregion = "near"\npermeability = 2\n[[material]]\nregion = "far"\npermeability = 3\n'
        seepage += '[[load]]\nfield = "flux"\nregion = "left"\nvalue = 7\n[[load]]\nfield = "pressure"\nregion = "near"\nvalue = -4\n'
        probe = '[[probe]]\nname = "p"\nfield = "{}"\n{}\n'
        viscous = {"material.0.viscosity": 2.0, "material.1.viscosity": 3.0, "load.0.value.0": [4.0, 5.0]}
        for text, keys in ((flow + probe.format("velocity", 'component = "x"\npoint = [0.6, 0.3]'), viscous), (flow + probe.format("pressure", 'region = "near"\nmeasure = "mean"'), viscous),
                           (seepage + probe.format("pressure", 'region = "far"\nmeasure = "integral"'), {"material.0.permeability": 2.0, "material.1.permeability": 3.0, "load.1.value": -4.0})):
            with self.subTest(text[-60:]):
                self.assertEqual(len(list(self.differences("ritz-solve", text, keys, "p"))), 3)
        # A flow under a load per volume grows with the square of all lengths.
        text = flow + probe.format("velocity", 'component = "x"\npoint = [0.6, 0.3]') + SOLVER + '[gradient]\nprobe = "p"\nby = "points"\n'
        outcome = self.solve("ritz-solve", self.write("points.toml", text))
        fields = vtu.read(outcome.results())
        moved = sum(a * b for a, b in zip(fields["PointData"]["gradient_points"], list(fields["Points"].values())[0]))
        self.assert_close(moved, 2 * outcome.probes["p"], 1e-7)

    def test_load_cases_and_combinations(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        text = ('[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + ELASTIC.replace("[thermal]", "[gravity]\nacceleration = [0, -9.81, 0]\n[thermal]")
                + '[[displacement]]\nregion = "x0"\nfixed = true\n[[load_case]]\nname = "wind"\n[[load_case.traction]]\nregion = "x1"\nvalue = [1e6, 2e6, 3e6]\n'
                + '[[load_case]]\nname = "snow"\n[[load_case.pressure]]\nregion = "x1"\nvalue = 4e6\n[[combination]]\nname = "both"\nfactors = {wind = 1.5, snow = -0.5}\n'
                + '[[probe]]\nname = "p"\nfield = "displacement"\ncomponent = "y"\npoint = [0.9, 0.3, 0.4]\n')
        keys = {"material.0.young": 210e9, "material.0.poisson": 0.3, "material.0.density": 7850.0, "material.0.expansion": 12e-6, "material.1.young": 68.9e9}
        for name in ("wind", "snow", "both"):
            with self.subTest(name):
                of = lambda outcome: outcome.report["combinations" if name == "both" else "load_cases"][name]
                found = list(self.differences("ritz-elasticity", text, keys, "p", f'load_case = "{name}"\n', lambda outcome: of(outcome)["probes"]["p"], lambda outcome: of(outcome)["output"],
                                              lambda outcome, key: float(of(outcome)["facts"][key])))
                self.assertEqual(len(found), 5)
                self.assertTrue(all(each == each for _, field in found for each in field))

    def test_a_field_of_its_own_order(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        for probe in ("point = [0.9, 0.3, 0.4]", 'region = "x1"\nmeasure = "mean"', 'region = "far"\nmeasure = "integral"'):
            with self.subTest(probe):
                text = ('[mesh]\nfile = "block.msh"\n[space]\norder = 2\n[output]\ncells = "mesh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + ELASTIC
                        + '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = [1e6, 2e6, 3e6]\n'
                        + f'[[probe]]\nname = "p"\nfield = "displacement"\ncomponent = "y"\n{probe}\n')
                keys = {"material.0.young": 210e9, "material.1.young": 68.9e9, "traction.0.value.1": [1e6, 2e6, 3e6]}
                self.assertEqual(len(list(self.differences("ritz-elasticity", text, keys, "p"))), 3)

    def test_heat_in_time(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        text = ('[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3)
                + CONDUCTING.replace("conductivity = 20\n", "conductivity = 20\ndensity = 7.8\nspecific_heat = 460\n").replace('name = "copper C11000"', "conductivity = 390\ndensity = 8.9\nspecific_heat = 390")
                + '[initial]\ntemperature = "20 + 5*x"\n[time]\nend = 60\nstep = 7\noutput = 20\n'
                + '[[temperature]]\nregion = "x0"\nvalue = "20 + 0.1*t"\n[[convection]]\nregion = "x1"\ncoefficient = 30\nambient = 90\n[[source]]\nregion = "far"\nvalue = 500\n'
                + '[[probe]]\nname = "p"\nfield = "{}"\nregion = "x1"\nmeasure = "mean"\n')
        keys = {"material.0.conductivity": 20.0, "material.0.density": 7.8, "material.1.specific_heat": 390.0, "convection.0.coefficient": 30.0, "convection.0.ambient": 90.0, "source.0.value": 500.0}
        last = lambda outcome: [path for path in outcome.report["outputs"] if path.endswith(".vtu")][-1]
        integral = lambda outcome: outcome.fact("integral p")[0]
        for field, more, value in (("temperature", "", None), ("temperature", 'over = "time"\n', integral), ('heat_flux"\ncomponent = "x', "", None), ('heat_flux"\ncomponent = "x', 'over = "time"\n', integral)):
            with self.subTest(field, more=more):
                self.assertEqual(len(list(self.differences("ritz-heat", text.replace("{}", field), keys, "p", more, value, last))), 6)

    def test_stresses_and_strains(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        keys = {"material.0.young": 210e9, "material.0.poisson": 0.3, "material.0.density": 7850.0, "material.0.expansion": 12e-6, "material.1.young": 68.9e9, "traction.0.value.1": [1e6, 2e6, 3e6]}
        loads = '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = [1e6, 2e6, 3e6]\n[gravity]\nacceleration = [0, -9.81, 0]\n'
        for probe in ('field = "stress"\ncomponent = "xx"\npoint = [0.45, 0.3, 0.4]', 'field = "von_mises"\nregion = "near"\nmeasure = "mean"', 'field = "von_mises"\nvalues = "cells"\nregion = "far"\nmeasure = "integral"',
                      'field = "principal_stress"\ncomponent = "1"\npoint = [0.45, 0.3, 0.4]', 'field = "strain"\nvalues = "cells"\ncomponent = "xy"\npoint = [0.3, 0.3, 0.4]', 'field = "stress"\ncomponent = "xz"\nregion = "x1"\nmeasure = "mean"'):
            with self.subTest(probe):
                text = '[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + ELASTIC + loads + f'[[probe]]\nname = "p"\n{probe}\n'
                self.assertEqual(len(list(self.differences("ritz-elasticity", text, keys, "p"))), 6)

    def test_stresses_of_the_plane_and_of_a_field_of_its_own_order(self):
        self.write("plate.msh", boxes.grid(4))
        halves = HALVES.replace(", -1, -1]", ", -1]").replace(", 2, 2]", ", 2]")
        for model in ('[model]\ntype = "plane_stress"\nthickness = 0.1\n', '[model]\ntype = "axisymmetric"\n', '[model]\ntype = "plane_strain"\n[space]\norder = 2\n[output]\ncells = "mesh"\n'):
            with self.subTest(model):
                text = ('[mesh]\nfile = "plate.msh"\n' + model + halves + side("x0", 0, 2) + side("x1", 1, 2) + ELASTIC + '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = [1e6, 2e6]\n'
                        + '[[probe]]\nname = "p"\nfield = "stress"\ncomponent = "xx"\npoint = [0.45, 0.3]\n')
                keys = {"material.0.young": 210e9, "material.0.poisson": 0.3, "material.0.expansion": 12e-6, "traction.0.value.0": [1e6, 2e6]}
                self.assertEqual(len(list(self.differences("ritz-elasticity", text, keys, "p"))), 4)

    def test_motion_of_a_mass_under_loads(self):
        """Loads have no tangent, and so none that is not symmetric."""
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (2, 1, 1)))
        text = ('[mesh]\nfile = "block.msh"\n' + side("x0", 0, 3) + side("x1", 1, 3) + '[[material]]\nregion = "all"\nyoung = 2e9\npoisson = 0.3\ndensity = 1000\n'
                + '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = [1e5, 2e5, 0]\n[[coupling]]\nregion = "x1"\nmass = 500\ninertia = [10, 20, 30]\n'
                + '[time]\nend = 1e-3\nstep = 2e-4\n[[probe]]\nname = "p"\nfield = "displacement"\ncomponent = "y"\nregion = "x1"\nmeasure = "mean"\n')
        keys = {"material.0.young": 2e9, "material.0.density": 1000.0, "traction.0.value.1": [1e5, 2e5, 0.0]}
        last = lambda outcome: [path for path in outcome.report["outputs"] if path.endswith(".vtu")][-1]
        self.assertEqual(len(list(self.differences("ritz-elasticity", text, keys, "p", results=last))), 3)

    def test_positions_of_nodes(self):
        """Of a node within the body and one on its side, in statics, a load case, and in time."""
        def moved(node=None, by=(0, 0, 0)):
            place = lambda u, v, w: (u + 0.03 * v * w, v + 0.05 * u * u, w - 0.04 * u * v)
            return boxes.shell(lambda u, v, w: tuple(x + (d if (u, v, w) == node else 0) for x, d in zip(place(u, v, w), by)), "hex8", (2, 2, 2))
        region = '[[region]]\nname = "{}"\nkind = "nodes"\nbox = {{low = [{}, -1, -1], high = [{}, 2, 2]}}\n'
        sides = '[[region]]\nname = "x1"\nkind = "facets"\nbox = {low = [0.8, -1, -1], high = [2, 2, 2]}\n' + region.format("x0", -1, 0.2) + region.format("end", 0.8, 2)
        heat = ('[[material]]\nregion = "part"\nconductivity = 20\ndensity = 7.8\nspecific_heat = 460\n[[temperature]]\nregion = "x0"\nvalue = "{}"\n'
                '[[convection]]\nregion = "x1"\ncoefficient = 30\nambient = 90\n[[source]]\nregion = "part"\nvalue = "500 + 20*x"\n')
        solid = ('[[material]]\nregion = "part"\nyoung = 2e9\npoisson = 0.3\ndensity = 1000\n[[displacement]]\nregion = "x0"\nfixed = true\n'
                 '[[{}pressure]]\nregion = "x1"\nvalue = 4e6\n')
        mean = 'region = "end"\nmeasure = "mean"\n'
        for name, program, physics, probe, more in (
                ("heat", "ritz-heat", heat.format("10"), 'field = "temperature"\n' + mean, ""),
                ("its reaction", "ritz-heat", heat.format("10"), 'field = "reaction"\nregion = "x0"\nmeasure = "reaction"\n', ""),
                ("heat in time", "ritz-heat", heat.format("20+0.1*t") + "[initial]\ntemperature = 20\n[time]\nend = 60\nstep = 9\n", 'field = "temperature"\n' + mean, 'over = "time"\n'),
                ("motion", "ritz-elasticity", solid.format("") + "[damping]\nrayleigh = [80, 3e-6]\n[time]\nend = 1e-3\nstep = 1e-4\n", 'field = "velocity"\ncomponent = "x"\n' + mean, ""),
                ("a load case", "ritz-elasticity", '[[load_case]]\nname = "w"\n' + solid.format("load_case."), 'field = "displacement"\ncomponent = "x"\n' + mean, 'load_case = "w"\n')):
            with self.subTest(name):
                self.write("block.msh", moved())
                text = '[mesh]\nfile = "block.msh"\n' + sides + physics + f'[[probe]]\nname = "p"\n{probe}' + SOLVER + '[gradient]\nprobe = "p"\nby = ["points", "material.0.density"]\n' + more
                case = self.write("case.toml", text if name != "heat" else text.replace("density\"]", "conductivity\"]"))
                shown = lambda o: o.fact("integral p")[0] if "over" in more else o.report["load_cases"]["w"]["probes"]["p"] if more else o.probes["p"]
                outcome = self.solve(program, case)
                facts = outcome.report["load_cases"]["w"]["facts"] if name == "a load case" else outcome.report["facts"]
                files = outcome.report["load_cases"]["w"]["output"] if name == "a load case" else [path for path in outcome.report["outputs"] if path.endswith(".vtu")][-1]
                fields = vtu.read(files)
                points, by = list(fields["Points"].values())[0], fields["PointData"]["gradient_points"]
                self.assertAlmostEqual(float(facts["gradient points"]), max(sum(x * x for x in by[i:i + 3]) for i in range(0, len(by), 3)) ** 0.5, delta=1e-8 * max(by))
                self.assertEqual(len([key for key in fields["CellData"] if key.startswith("gradient_")]), 1)
                for node, place in (((0.5, 0.5, 0.5), (0.5 + 0.03 / 4, 0.5 + 0.05 / 4, 0.5 - 0.04 / 4)), ((0.5, 1, 0), (0.5, 1 + 0.05 / 4, -0.02))):
                    at = min(range(0, len(points), 3), key=lambda i: sum((x - y) ** 2 for x, y in zip(points[i:i + 3], place)))
                    for axis in range(3):
                        ends = []
                        for h in (1e-4, -1e-4):
                            self.write("block.msh", moved(node, [h if each == axis else 0 for each in range(3)]))
                            ends.append(shown(self.solve(program, case)))
                        self.assertAlmostEqual(by[at + axis], (ends[0] - ends[1]) / 2e-4, delta=1e-6 * max(map(abs, by)), msg=f"{node} {axis}")

    def test_positions_that_have_no_gradient_are_told(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        good = ('[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "a"\nyoung = 1e9\npoisson = 0.3\ndensity = 1000\n[[displacement]]\nregion = "a.x0"\nfixed = true\n'
                '[[pressure]]\nregion = "a.x1"\nvalue = 1\n[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "x"\npoint = [1, 1, 1]\n[gradient]\nprobe = "tip"\nby = "points"\n')
        self.assertEqual(self.run_case("ritz-elasticity", self.write("case.toml", good), "--check").exit, 0)
        force = '[[force]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n'
        for old, new, words in (("[[pressure]]", force + "[[pressure]]", "no gradient by 'points' of a case with [[force]]"), ("[[pressure]]", '[[load_case]]\nname = "l"\n' + force.replace("[[f", "[[load_case.f") + "[[pressure]]", "a case with [[force]]"),
                                ("fixed = true", 'x = "1e-3*y"\ny = 0\nz = 0', "vary with the position"), ('field = "displacement"\ncomponent = "x"', 'field = "stress"\ncomponent = "xx"', "'stress' by positions"),
                                ("point = [1, 1, 1]", 'region = "a.x1"\nmeasure = "mean"', "its weights are areas"),
                                ("[gradient]", '[time]\nend = 1e-3\nstep = 1e-4\n[initial]\ndisplacement = ["1e-3*x", 0, 0]\n[gradient]', "begins with a formula of the position")):
            with self.subTest(new):
                outcome = self.run_case("ritz-elasticity", self.write("case.toml", good.replace(old, new, 1)), "--check")
                self.assertIn(outcome.exit, (2, 4), outcome.log)
                self.assertIn(words, outcome.errors)

    def test_a_begin_that_is_moved_is_refused_by_the_check(self):
        """Its equation has a value that the motion given for the begin does not satisfy."""
        self.write("mesh.msh", boxes.cubes(["a"]))
        text = ('[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "all"\nyoung = 1e9\npoisson = 0.3\ndensity = 1000\n[[displacement]]\nregion = "a.x0"\nfixed = true\n'
                + '[[region]]\nname = "n"\nkind = "nodes"\nbox = {low = [0.9, 0.9, 0.9], high = [1.1, 1.1, 1.1]}\n'
                + '[[equation]]\nterms = [{region = "a.x1", component = "x"}, {region = "n", component = "y"}]\nvalue = 1e-3\n'
                + '[time]\nend = 1e-3\nstep = 1e-4\n[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "x"\npoint = [1, 1, 1]\n[gradient]\nprobe = "tip"\nby = "material.0.young"\n')
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text), "--check")
        self.assertIn("no gradient of an evolution whose begin is moved to satisfy equations with values", outcome.errors)
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text.replace("[time]", "[initial]\nequilibrium = true\n[time]")), "--check")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.solve("ritz-elasticity", self.write("case.toml", text[:text.index("[gradient]")]))

    def test_mixed_solids_are_refused_once(self):
        self.write("block.msh", boxes.cubes(["a"]))
        text = ('[mesh]\nfile = "block.msh"\n[[material]]\nregion = "all"\nyoung = 1e9\npoisson = 0.3\nformulation = "mixed"\n'
                '[[displacement]]\nregion = "a.x0"\nfixed = true\n[[traction]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n'
                '[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "x"\npoint = [1, 1, 1]\n[gradient]\nprobe = "tip"\nby = "material.0.young"\n')
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text))
        self.assertEqual(outcome.exit, 2, outcome.errors)
        self.assertEqual(outcome.errors.count("error: "), 1, outcome.errors)
        self.assertIn("'gradient'", outcome.errors)

    def test_evolutions_with_internal_variables_are_refused_by_the_check(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (2, 1, 1)))
        case = self.write("case.toml", '[mesh]\nfile = "block.msh"\n' + side("x0", 0, 3) + side("x1", 1, 3) + '[model]\nform = "von_mises_plasticity"\n[[material]]\nregion = "all"\nyoung = 2e11\n'
                          + 'poisson = 0.3\nyield_stress = 3e8\n[[capacity]]\nregion = "all"\nvalue = 7800\n[initial]\nvalue = [0, 0, 0]\n[[prescribe]]\nregion = "x0"\ncomponent = "all"\nvalue = 0\n'
                          + '[[load]]\nregion = "x1"\nvalue = [1e6, 0, 0]\n[time]\nend = 1e-3\nstep = 1e-4\n[[probe]]\nname = "p"\nfield = "displacement"\ncomponent = "x"\nregion = "x1"\nmeasure = "mean"\n'
                          + '[gradient]\nprobe = "p"\nby = "load.0.value.0"\n')
        outcome = self.run_case("ritz-solve", case, "--check")
        self.assertEqual(outcome.exit, 2, outcome.errors)
        self.assertIn("no gradient of a model with internal variables", outcome.errors)

    def test_an_adjoint_without_a_matrix_is_refused_by_the_check(self):
        self.write("block.msh", boxes.cut("hexa", (2, 1, 1)))
        self.write("k.csv", "temperature,k\n0,10\n300,50\n")
        case = self.write("case.toml", '[mesh]\nfile = "block.msh"\n' + side("x0", 0, 3) + side("x1", 1, 3) + '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\noutside = "constant"\n'
                          + '[[material]]\nregion = "all"\nconductivity = "k(T)"\ndensity = 8\nspecific_heat = 500\n[[flux]]\nregion = "x1"\nvalue = 5\n[[temperature]]\nregion = "x0"\nvalue = 20\n[initial]\ntemperature = 20\n'
                          + '[time]\nend = 10\nstep = 5\n[[probe]]\nname = "p"\nfield = "temperature"\nregion = "x1"\nmeasure = "mean"\n[gradient]\nprobe = "p"\nby = "flux.0.value"\n')
        self.assertEqual(self.run_case("ritz-heat", case, "--check").exit, 0)
        outcome = self.run_case("ritz-heat", case, "--check", keys={"space.order": 4})
        self.assertEqual(outcome.exit, 2, outcome.errors)
        self.assertIn("its adjoint needs the transposed matrix", outcome.errors)

    def test_motion_in_time(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        bodies = '[[material]]\nregion = "near"\nyoung = "210 GPa"\npoisson = 0.3\ndensity = 7850\n[[material]]\nregion = "far"\nyoung = 70e9\npoisson = 0.33\ndensity = 2700\n'
        text = ('[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + bodies
                + '[damping]\nrayleigh = [80, 3e-6]\n[initial]\nvelocity = ["0.2*x", 0, 0]\n[time]\nend = 1e-3\nstep = 6e-5\noutput = 4e-4\n'
                + '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = ["1e6*sin(5000*t)", 0, 0]\n[[pressure]]\nregion = "x1"\nvalue = 2e6\n[[probe]]\nname = "p"\n{}\n')
        keys = {"material.0.young": 210e9, "material.0.poisson": 0.3, "material.0.density": 7850.0, "material.1.density": 2700.0, "pressure.0.value": 2e6}
        last = lambda outcome: [path for path in outcome.report["outputs"] if path.endswith(".vtu")][-1]
        integral = lambda outcome: outcome.fact("integral p")[0]
        at_end = 'field = "displacement"\ncomponent = "x"\nregion = "x1"\nmeasure = "mean"'
        for probe, more, value, setting in ((at_end, "", None, ""), (at_end, 'over = "time"\n', integral, ""), ('field = "velocity"\ncomponent = "x"\npoint = [0.9, 0.3, 0.4]', "", None, ""),
                                            ('field = "stress"\ncomponent = "xx"\npoint = [0.45, 0.3, 0.4]', "", None, ""), ('field = "stress"\ncomponent = "xx"\nregion = "near"\nmeasure = "mean"', 'over = "time"\n', integral, ""),
                                            ('field = "von_mises"\npoint = [0.45, 0.3, 0.4]', "", None, ""), (at_end.replace('"x"', '"y"', 1), "", None, "equilibrium = true\n")):
            with self.subTest(probe, more=more, setting=setting):
                case = text.replace("{}", probe).replace("[initial]\n", "[initial]\n" + setting)
                self.assertEqual(len(list(self.differences("ritz-elasticity", case, keys, "p", more, value, last))), 5)

    def test_forms_of_ritz_solve_and_their_loads(self):
        """Numbers of a form that may vary from point to point; its stress has them in it."""
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        for probe in ('field = "displacement"\ncomponent = "y"\npoint = [0.9, 0.3, 0.4]', 'field = "strain_and_stress"\ncomponent = "6"\nregion = "near"\nmeasure = "mean"', 'field = "strain_and_stress"\nvalues = "cells"\ncomponent = "9"\npoint = [0.3, 0.3, 0.4]'):
            with self.subTest(probe):
                text = ('[mesh]\nfile = "block.msh"\n[model]\nform = "varying_elasticity"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + '[[material]]\nregion = "near"\nyoung = 210e9\npoisson = 0.3\n[[material]]\nregion = "far"\nyoung = 70e9\npoisson = 0.33\n'
                        + '[[prescribe]]\nregion = "x0"\nvalue = 0\n[[load]]\nregion = "x1"\nvalue = [1e6, 2e6, 3e6]\n' + f'[[probe]]\nname = "p"\n{probe}\n')
                self.assertEqual(len(list(self.differences("ritz-solve", text, {"material.0.young": 210e9, "material.1.poisson": 0.33, "load.0.value.1": [1e6, 2e6, 3e6]}, "p"))), 3)

    def test_constants_along_axes_totals_and_weight(self):
        """Numbers that are no formulas: the case is read again with others."""
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        E, nu, G = [1.4e11, 1e10, 0.9e10], [0.3, 0.28, 0.4], [5e9, 4e9, 3.5e9]
        text = ('[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3)
                + '[[orientation]]\nname = "fibres"\naxis1 = [1.0, 0.5, 0.2]\naxis2 = [0, 1, 0]\n'
                + f'[[material]]\nregion = "near"\norientation = "fibres"\northotropic = {{young = {E}, poisson = {nu}, shear = {G}}}\nexpansion_along = [1e-6, 2e-5, 3e-5]\ndensity = 1600\n'
                + '[[material]]\nregion = "far"\nname = "aluminium 6061-T6"\n[thermal]\ntemperature = 50\nreference = 20.0\n[[displacement]]\nregion = "x0"\nfixed = true\n'
                + '[[load_case]]\nname = "pull"\n[[load_case.force]]\nregion = "x1"\nvalue = [1e6, 2e6, 3e6]\n[[load_case]]\nname = "weight"\n[load_case.gravity]\nacceleration = [1.0, -9.81, 2.0]\n'
                + '[[combination]]\nname = "both"\nfactors = {pull = 1.5, weight = -0.5}\n[[probe]]\nname = "p"\nfield = "{}"\npoint = [0.45, 0.3, 0.4]\n')
        keys = {"material.0.orthotropic.young.0": E, "material.0.orthotropic.poisson.1": nu, "material.0.orthotropic.shear.0": G, "material.0.expansion_along.1": [1e-6, 2e-5, 3e-5],
                "orientation.0.axis1.1": [1.0, 0.5, 0.2], "thermal.reference": 20.0, "load_case.0.force.0.value.2": [1e6, 2e6, 3e6], "load_case.1.gravity.acceleration.1": [1.0, -9.81, 2.0]}
        of = lambda outcome: outcome.report["combinations"]["both"]
        for field in ('displacement"\ncomponent = "y', 'stress"\ncomponent = "xy', "von_mises"):
            with self.subTest(field):
                found = dict(self.differences("ritz-elasticity", text.replace("{}", field), keys, "p", 'load_case = "both"\n', lambda outcome: of(outcome)["probes"]["p"], lambda outcome: of(outcome)["output"],
                                              lambda outcome, key: float(of(outcome)["facts"][key])))
                self.assertEqual(len(found), len(keys))
                self.assertEqual(sum(each != 0 for each in found["material.0.orthotropic.young.0"]), len(found["thermal.reference"]) // 2)

    def test_conductivities_along_axes_in_time(self):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (4, 2, 2)))
        text = ('[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + '[[orientation]]\nname = "round"\ncylindrical = {origin = [-1, 0, 0], axis = [0, 0, 1]}\n'
                + '[[material]]\nregion = "near"\nconductivity_along = [20, 3, 1]\norientation = "round"\ndensity = 7.8\nspecific_heat = 460\n[[material]]\nregion = "far"\nconductivity = 390\ndensity = 8.9\nspecific_heat = 390\n'
                + '[initial]\ntemperature = "20 + 5*x"\n[time]\nend = 60\nstep = 7\n[[temperature]]\nregion = "x0"\nvalue = "20 + 0.1*t"\n[[power]]\nregion = "x1"\nvalue = 3e3\n'
                + '[[probe]]\nname = "p"\nfield = "{}"\npoint = [0.45, 0.3, 0.4]\n')
        keys = {"material.0.conductivity_along.0": [20, 3, 1], "material.0.conductivity_along.1": [20, 3, 1], "material.1.conductivity": 390.0, "power.0.value": 3e3}
        last = lambda outcome: [path for path in outcome.report["outputs"] if path.endswith(".vtu")][-1]
        for field, more, value in (("temperature", "", None), ("temperature", 'over = "time"\n', lambda outcome: outcome.fact("integral p")[0]), ('heat_flux"\ncomponent = "y', "", None)):
            with self.subTest(field, more=more):
                self.assertEqual(len(list(self.differences("ritz-heat", text.replace("{}", field), keys, "p", more, value, last))), 4)

    def test_what_cannot_be_taken_of_motion_and_of_stresses_over_time(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        good = ('[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "a"\nyoung = 1e9\npoisson = 0.3\ndensity = 1000\n[[displacement]]\nregion = "a.x0"\nfixed = true\n'
                '[[pressure]]\nregion = "a.x1"\nvalue = 1e5\n[time]\nend = 1e-3\nstep = 1e-4\n[[probe]]\nname = "p"\nfield = "von_mises"\npoint = [0.5, 0.5, 0.5]\n[gradient]\nprobe = "p"\nover = "time"\nby = "material.0.young"\n')
        for old, new, words in (("", "", "no linear function"), ('"von_mises"', '"acceleration"\ncomponent = "x"', "has no derivatives"), ("point = [0.5, 0.5, 0.5]", 'region = "a"\nmeasure = "max"', "extreme value"),
                                ('field = "von_mises"\npoint = [0.5, 0.5, 0.5]', 'region = "a.x0"\ncomponent = "x"\nmeasure = "reaction"', "reactions in time")):
            with self.subTest(new):
                outcome = self.run_case("ritz-elasticity", self.write("case.toml", good.replace(old, new, 1) if old else good), "--check")
                self.assertIn(outcome.exit, (2, 4), outcome.log)
                self.assertIn(words, outcome.errors)

    def test_what_has_no_gradient_is_told(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        good = ('[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "a"\nyoung = 1e9\npoisson = "0.3 + 0*x"\n[[displacement]]\nregion = "a.x0"\nfixed = true\n'
                '[[force]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "x"\npoint = [1, 1, 1]\n'
                '[gradient]\nprobe = "tip"\nby = "material.0.young"\n')
        for old, new, words in (('probe = "tip"', 'probe = "top"', "did you mean 'tip'?"), ('by = "material.0.young"', "by = []", "names no number"),
                                ('by = "material.0.young"', 'by = ["material.0.young", "material.0.young"]', "twice"), ('component = "x"', 'component = "magnitude"', "not one component"),
                                ('field = "displacement"\ncomponent = "x"', 'field = "reaction"\ncomponent = "x"', "has no derivatives"),
                                ('field = "displacement"\ncomponent = "x"', 'field = "stress"', "not one component"),
                                ('field = "displacement"\ncomponent = "x"', 'field = "stress"\ncomponent = "xx"', None),
                                ("point = [1, 1, 1]", 'region = "a"\nmeasure = "max"', "extreme value"),
                                ("material.0.young", "material.0.poisson", "no gradient by 'material.0.poisson'"), ("material.0.young", "material.7.young", "no such number"),
                                ("material.0.young", "material.0", "no such number"), ("material.0.young", "mesh.scale", "no such number"), ("material.0.young", "displacement.0.x", "prescribed values"),
                                ("[gradient]\n", '[gradient]\nload_case = "l"\n', "has no load cases"), ("[gradient]\n", '[gradient]\nover = "time"\n', "has no [time]"), ("[gradient]", '[[load_case]]\nname = "l"\n[load_case.gravity]\nacceleration = [0, 0, 1]\n[gradient]', "several load cases"), ("[gradient]\n", '[[load_case]]\nname = "l"\n[load_case.gravity]\nacceleration = [0, 0, 1]\n[gradient]\nload_case = "k"\n', "none of this name"),
                                ("[gradient]", '[[foundation]]\nregion = "a.x1"\nstiffness = 1\n[gradient]', None)):
            with self.subTest(new):
                text = good.replace(old, new, 1) if old != "material.0.young" else good.replace(old, new)
                if words is None and "stress" in new:
                    self.assertEqual(self.run_case("ritz-elasticity", self.write("case.toml", text), "--check").exit, 0)
                    continue
                if words is None:  # displacements of a body on elastic ground have one, reactions do not
                    self.solve("ritz-elasticity", self.write("case.toml", text))
                    text, words = text.replace('field = "displacement"\ncomponent = "x"\npoint = [1, 1, 1]', 'field = "reaction"\ncomponent = "x"\nregion = "a.x0"\nmeasure = "reaction"'), "elastic ground"
                outcome = self.run_case("ritz-elasticity", self.write("case.toml", text), "--check")
                self.assertIn(outcome.exit, (2, 4), outcome.log)
                self.assertIn(words, outcome.errors)


    def test_a_number_that_is_wrong_is_told_once(self):
        """Its key has no number, but that follows from the mistake."""
        self.write("mesh.msh", boxes.cubes(["a"]))
        good = ('[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "a"\nyoung = "1 GPa"\npoisson = 0.3\n[[displacement]]\nregion = "a.x0"\nfixed = true\n'
                '[[traction]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "x"\npoint = [1, 1, 1]\n'
                '[gradient]\nprobe = "tip"\nby = ["material.0.young"]\n')
        for old, new, words in (("1 GPa", "1 GN", "its unit is Pa"), ('["material.0.young"]', "[3]", "'gradient.by' is 3"), ("[1, 1, 1]", "[9, 1, 1]", "lies outside the mesh")):
            with self.subTest(new):
                outcome = self.run_case("ritz-elasticity", self.write("case.toml", good.replace(old, new)), "--check")
                self.assertEqual(outcome.exit, 2, outcome.log)
                self.assertIn(words, outcome.errors)
                self.assertEqual(outcome.errors.count("error: "), 1, outcome.errors)


class GradientResume(Resume):
    """Stopped on the way there or on the way back, a gradient in time ends with the same bytes."""

    def write_case(self, program, probe, over):
        self.write("block.msh", boxes.shell(lambda u, v, w: (u, v, w), 5, (2, 1, 1)))
        physics = ('[[material]]\nregion = "near"\nconductivity = 20\ndensity = 7.8\nspecific_heat = 460\n[[material]]\nregion = "far"\nconductivity = 390\ndensity = 8.9\nspecific_heat = 390\n'
                   '[[temperature]]\nregion = "x0"\nvalue = "20+0.1*t"\n[[source]]\nregion = "far"\nvalue = 500\n[initial]\ntemperature = 20\n[time]\nend = 60\nstep = 0.0375\noutput = 20\n'
                   if program == "ritz-heat" else
                   '[[material]]\nregion = "near"\nyoung = "210 GPa"\npoisson = 0.3\ndensity = 7850\n[[material]]\nregion = "far"\nyoung = 70e9\npoisson = 0.33\ndensity = 2700\n[damping]\nrayleigh = [80, 3e-6]\n'
                   '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = ["1e6*sin(5000*t)", 0, 0]\n[time]\nend = 1e-3\nstep = 6.25e-7\noutput = 4e-4\n')
        by = 'points", "material.0.conductivity' if program == "ritz-heat" else "material.0.young"
        return self.write("case.toml", '[mesh]\nfile = "block.msh"\n' + HALVES + side("x0", 0, 3) + side("x1", 1, 3) + physics
                          + f'[[probe]]\nname = "p"\n{probe}\n[gradient]\nprobe = "p"\nby = ["{by}", "material.1.density"]\n' + over)

    def test_it_ends_with_the_same_bytes(self):
        at, stress = 'field = "temperature"\npoint = [0.9, 0.3, 0.4]', 'field = "stress"\ncomponent = "xx"\npoint = [0.45, 0.3, 0.4]'
        for program, probe, over, method in (("ritz-heat", at, 'over = "time"\n', "cg"), ("ritz-elasticity", stress, "", "direct")):
            with self.subTest(probe, method=method):
                case, keys = self.write_case(program, probe, over), {"solver.method": f'"{method}"'}
                whole, parts = self.folder / f"whole-{method}-{program}", self.folder / f"parts-{method}-{program}"
                first = self.solve(program, case, output=whole, keys=keys)
                code, errors = self.stopped(program, case, parts, behind="step 35:", keys=keys)
                self.assertEqual(code, 75, errors)
                code, errors = self.stopped(program, case, parts, "--resume", behind="gradient: 48 of", keys=keys)  # the run waits for us after some 30 parts
                self.assertEqual(code, 75, errors)
                self.assertIn("of the way back of the gradient to go, which is kept", errors)
                rest = self.solve(program, case, "--verbose", "--resume", output=parts, keys=keys)
                self.assertLess(int(re.search(r"gradient: (\d+) of", rest.log)[1]), 48)
                self.assertEqual(len(re.findall(r"step (\d+): t = ", rest.log)), 1)
                self.assertEqual(files_of(parts), files_of(whole))
                for key, fact in first.report["facts"].items():
                    if key.startswith(("gradient", "integral")):
                        self.assertEqual(rest.report["facts"][key], fact, key)

    def test_the_way_there_is_kept_before_the_way_back(self):
        """Killed on the way back, long before a checkpoint is due, it does no step of the way there again but the last."""
        case = self.write_case("ritz-heat", 'field = "temperature"\npoint = [0.9, 0.3, 0.4]', "")
        code, _ = self.stopped("ritz-heat", case, self.folder / "r", behind="gradient: 48 of", keys={}, number=signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        rest = self.solve("ritz-heat", case, "--verbose", "--resume", output=self.folder / "r")
        self.assertIn("resuming after t = 60, before the way back of the gradient", rest.log)
        self.assertEqual(len(re.findall(r"step (\d+): t = ", rest.log)), 1)


if __name__ == "__main__":
    unittest.main()
