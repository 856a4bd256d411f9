"""[[field]]: arrays of files as variables of formulas, on the mesh of the case and on another one, and their errors."""
import math
import unittest

import boxes
from ritz import CaseTest

SIDES = "".join(f'[[temperature]]\nregion = "{side}"\nvalue = {value}\n' for side, value in (("left", 100), ("right", 0)))
FLUX = '[[probe]]\nname = "flux"\nfield = "heat_flux"\ncomponent = "x"\nregion = "all"\nmeasure = "mean"\n'
HEAT = '[mesh]\nfile = "{}"\n[[material]]\nregion = "all"\nconductivity = "{}"\n' + SIDES + FLUX


def vtu(columns, arrays, rows=1):
    """A unit square of columns x rows quadrilaterals; arrays: {("CellData" or "PointData", name): values}."""
    points = [(i / columns, j / rows, 0) for j in range(rows + 1) for i in range(columns + 1)]
    corners = [(i, j) for j in range(rows) for i in range(columns)]
    cells = [j * (columns + 1) + i + d for i, j in corners for d in (0, 1, columns + 2, columns + 1)]
    data = {"CellData": "", "PointData": ""}
    for (section, name), values in arrays.items():
        data[section] += array("Float64", f'Name="{name}"', values)
    return ('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian"><UnstructuredGrid>'
            f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(corners)}"><Points>'
            + array("Float64", 'NumberOfComponents="3"', [c for p in points for c in p]) + "</Points><Cells>"
            + array("Int64", 'Name="connectivity"', cells)
            + array("Int64", 'Name="offsets"', range(4, 4 * len(corners) + 1, 4)) + array("UInt8", 'Name="types"', [9] * len(corners))
            + "</Cells>" + "".join(f"<{section}>{text}</{section}>" for section, text in data.items())
            + "</Piece></UnstructuredGrid></VTKFile>")


def bars_vtu(cell_values, node_values):
    """The mesh of two bars of two unit-square hexahedra each, end to end along x, in the order of boxes.blocks()."""
    points, connectivity = [], []
    for part in (0, 1):
        first = len(points)
        points += [(part + i / 2, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1, 2)]
        connectivity += [first + i + d for i in (0, 1) for d in (0, 1, 4, 3, 6, 7, 10, 9)]
    return ('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian"><UnstructuredGrid>'
            '<Piece NumberOfPoints="24" NumberOfCells="4"><Points>'
            + array("Float64", 'NumberOfComponents="3"', [float(c) for p in points for c in p]) + "</Points><Cells>"
            + array("Int64", 'Name="connectivity"', connectivity) + array("Int64", 'Name="offsets"', (8, 16, 24, 32))
            + array("UInt8", 'Name="types"', [12] * 4) + "</Cells><CellData>" + array("Float64", 'Name="c"', cell_values) + "</CellData><PointData>"
            + array("Float64", 'Name="c"', node_values) + "</PointData></Piece></UnstructuredGrid></VTKFile>")


def array(kind, about, values):
    return f'<DataArray type="{kind}" {about} format="ascii">{" ".join(repr(v) for v in values)}</DataArray>'


class Fields(CaseTest):
    def setUp(self):
        super().setUp()
        self.write("fine.msh", boxes.grid(8))

    def heat(self, field, conductivity="k", *options, program="ritz-heat", mesh="fine.msh", more=""):
        text = HEAT.format(mesh, conductivity) + more + '[[field]]\nname = "k"\n' + field
        return self.run_case(program, self.write("case.toml", text), *options)

    def flux(self, *given, **named):
        outcome = self.heat(*given, **named)
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return outcome.report["probes"]["flux"]

    def test_cells_of_this_mesh_and_of_a_coarser_one_are_layers_in_series(self):
        layers = [1.0, 2.0, 4.0, 8.0]
        self.write("own.vtu", vtu(8, {("CellData", "c"): [k for k in layers for _ in range(2)] * 8}, 8))
        self.write("coarse.vtu", vtu(4, {("CellData", "c"): layers}))
        expected = 100 / sum(0.25 / k for k in layers)
        for file in ("own", "coarse"):
            self.assertAlmostEqual(self.flux(f'file = "{file}.vtu"\nfield = "c"\n') / expected, 1, delta=1e-9)
        twice = self.flux('file = "coarse.vtu"\nfield = "c"\n', "2*k")
        self.assertAlmostEqual(twice / expected, 2, delta=1e-9)

    def test_members_of_a_sweep_take_other_arrays_of_one_other_mesh(self):
        """Layers in series. The mesh is read once for equal keys; other arrays of an equal mesh need no other search."""
        layers = {"c": [1.0, 2.0, 4.0, 8.0], "d": [3.0, 3.0, 5.0, 1.0]}
        self.write("coarse.vtu", vtu(4, {("CellData", name): values for name, values in layers.items()}))
        sweep = "".join(f'[[sweep.parameter]]\nkey = "{key}"\nvalues = ["{a}", "{b}"]\n'
                        for key, a, b in (("field.0.field", "c", "d"), ("material.0.conductivity", "k", "2*k")))
        outcome = self.heat('file = "coarse.vtu"\nfield = "c"\n', more=sweep)
        self.assertEqual(outcome.exit, 0, outcome.errors)
        members = list(outcome.report["sweep"].values())
        self.assertEqual(len(members), 4)
        for member in members:
            factor = 2 if "2*k" in member["values"]["material.0.conductivity"] else 1
            expected = factor * 100 / sum(0.25 / k for k in layers[member["values"]["field.0.field"].strip(chr(34))])
            self.assertAlmostEqual(member["probes"]["flux"] / expected, 1, delta=1e-7)

    def test_the_mesh_of_the_case_may_hold_the_array(self):
        layers = [1.0, 3.0]
        self.write("part.vtu", vtu(2, {("CellData", "c"): layers}))
        regions = "".join(f'[[region]]\nname = "{n}"\nkind = "facets"\nexpression = "{e}"\n'
                          for n, e in (("left", "x < 1e-9"), ("right", "x > 0.001 - 1e-9")))
        case = HEAT.format("part.vtu", "k").replace('part.vtu"\n', 'part.vtu"\nscale = 0.001\n', 1) + regions
        outcome = self.run_case("ritz-heat", self.write("case.toml", case + '[[field]]\nname = "k"\nfile = "part.vtu"\nfield = "c"\n'))
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertNotIn("of another mesh", outcome.log)
        self.assertAlmostEqual(outcome.report["probes"]["flux"] / (100 / (0.0005 * (1 + 1 / 3))), 1, delta=1e-9)

    def test_nodes_of_another_mesh_follow_a_linear_field_exactly_and_integrals_are_told(self):
        """k = 1 + x on both: 100 / ln 2, to the order of the elements; integral 1.5 on both meshes."""
        self.write("coarse.vtu", vtu(3, {("PointData", "c"): [1 + i / 3 for _ in range(2) for i in range(4)]}))
        outcome = self.heat('file = "coarse.vtu"\nfield = "c"\n')
        by_formula = self.run_case("ritz-heat", self.write("formula.toml", HEAT.format("fine.msh", "1 + x")))
        self.assertAlmostEqual(outcome.report["probes"]["flux"] / by_formula.report["probes"]["flux"], 1, delta=1e-9)
        self.assertIn("its integral is 1.5 over its mesh, 1.5 over this one", outcome.log)

    def test_integrals_of_a_curved_field_agree_to_order_two(self):
        errors = []
        for columns in (5, 10, 20):
            self.write("other.vtu", vtu(columns, {("PointData", "c"): [2 + math.sin(2 * i / columns) for _ in range(2)
                                                                       for i in range(columns + 1)]}))
            outcome = self.heat('file = "other.vtu"\nfield = "c"\n')
            line = next(text for text in outcome.log.splitlines() if "its integral is" in text)
            errors.append(abs(float(line.split("mesh, ")[1].split()[0]) - (2 + (1 - math.cos(2)) / 2)))
        for coarse, fine in zip(errors, errors[1:]):
            self.assertGreater(coarse / fine, 3.3)  # 4 but for what the coarser cells of this mesh see of kinks

    def test_loads_and_values_of_every_program_take_fields(self):
        self.write("f.vtu", vtu(8, {("CellData", "c"): [3.0] * 64, ("PointData", "c"): [3.0] * 81}, 8))
        field = 'file = "f.vtu"\nfield = "c"\nat = "{}"\n'
        plain = self.run_case("ritz-heat", self.write("plain.toml", HEAT.format("fine.msh", 3) +
                                                      '[[source]]\nregion = "all"\nvalue = 60\n')).report["probes"]["flux"]
        for place in ("cells", "nodes"):
            found = self.flux(field.format(place), more='[[source]]\nregion = "all"\nvalue = "20*k"\n')
            self.assertAlmostEqual(found / plain, 1, delta=1e-9)
        probe = '[[probe]]\nname = "tip"\nfield = "{}"\ncomponent = "x"\nregion = "right"\nmeasure = "mean"\n'
        held = '[[displacement]]\nregion = "left"\nfixed = true\n[[traction]]\nregion = "right"\nvalue = ["{}", 0]\n'
        body = '[mesh]\nfile = "fine.msh"\n[model]\ntype = "plane_stress"\n[[material]]\nregion = "all"\nyoung = "{}"\npoisson = 0.25\ndensity = "{}"\n'
        named = '[[field]]\nname = "k"\n' + field.format("cells")
        tips, frequencies = [], []
        for young, density, load, more in ((3e9, 3, 3e6, ""), ("1e9*k", "k", "1e6*k", named)):
            case = body.format(young, density)
            tips.append(self.run_case("ritz-elasticity", self.write("e.toml", case + held.format(load) + probe.format("displacement") + more)))
            frequencies.append(self.run_case("ritz-modal", self.write(
                "m.toml", case + '[[displacement]]\nregion = "left"\nfixed = true\n[modal]\ncount = 2\n' + more)))
            for outcome in (tips[-1], frequencies[-1]):
                self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertAlmostEqual(tips[1].report["probes"]["tip"] / tips[0].report["probes"]["tip"], 1, delta=1e-7)
        self.assertAlmostEqual(frequencies[1].fact("frequencies_hz")[0] / frequencies[0].fact("frequencies_hz")[0], 1, delta=1e-7)

    def test_the_results_of_a_run_are_numbers_of_a_form(self):
        """A cube at 3 degrees everywhere, pulled by 1e6 times as many Pa: E is 1e9 times as many, so it stretches by 1e-3."""
        self.write("cube.msh", boxes.cubes(["cube"]))
        case = '[mesh]\nfile = "cube.msh"\n'
        warm = self.run_case("ritz-heat", self.write("warm.toml", case + '[[material]]\nregion = "all"\nconductivity = 1\n'
                                                     '[[temperature]]\nregion = "cube.x0"\nvalue = 3\n'), output=self.folder / "warm")
        self.assertEqual(warm.exit, 0, warm.errors)
        held = "".join(f'[[prescribe]]\nregion = "cube.{c}0"\ncomponent = "{c}"\nvalue = 0\n' for c in "xyz")
        outcome = self.run_case("ritz-solve", self.write(
            "s.toml", case + '[model]\nform = "varying_elasticity"\n[[material]]\nregion = "all"\nyoung = "1e9*k"\npoisson = 0.25\n' + held +
            '[[load]]\nregion = "cube.x1"\nvalue = ["1e6*k", 0, 0]\n[[field]]\nname = "k"\nfield = "temperature"\n'
            f'file = "{self.folder}/warm/warm.pvd"\n[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "x"\nregion = "cube.x1"\nmeasure = "mean"\n'))
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertAlmostEqual(outcome.report["probes"]["tip"], 1e-3, delta=1e-9)
        self.assertNotIn("of another mesh", outcome.log)

    def test_a_mesh_of_as_many_cells_as_nodes_takes_values_of_both(self):
        """A ring of triangles: sources in every second cell leave through the inner side."""
        n = 6
        points = [(r * math.cos(2 * math.pi * i / n), r * math.sin(2 * math.pi * i / n), 0.0) for r in (1, 2) for i in range(n)]
        cells = [cell for i in range(n) for j in [(i + 1) % n] for cell in ((i, n + i, n + j), (i, n + j, j))]
        sides = [(1, 2, [i + 1, (i + 1) % n + 1]) for i in range(n)]
        self.write("ring.msh", boxes.msh(points, [(2, 1, [k + 1 for k in cell]) for cell in cells] + sides, [(2, "all"), (1, "inner")]))
        values = [float(i % 2) for i in range(2 * n)]
        self.write("ring.vtu", '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian"><UnstructuredGrid>'
                   f'<Piece NumberOfPoints="{2 * n}" NumberOfCells="{2 * n}"><Points>' + array("Float64", 'NumberOfComponents="3"', [c for p in points for c in p])
                   + "</Points><Cells>" + array("Int64", 'Name="connectivity"', [k for cell in cells for k in cell])
                   + array("Int64", 'Name="offsets"', range(3, 6 * n + 1, 3)) + array("UInt8", 'Name="types"', [5] * 2 * n) + "</Cells><CellData>"
                   + array("Float64", 'Name="c"', values) + "</CellData><PointData>" + array("Float64", 'Name="c"', [1.0] * 2 * n) + "</PointData></Piece></UnstructuredGrid></VTKFile>")
        case = ('[mesh]\nfile = "ring.msh"\n[model]\ntype = "plane"\n[[material]]\nregion = "all"\nconductivity = 1\n[[temperature]]\nregion = "inner"\nvalue = 0\n'
                '[[source]]\nregion = "all"\nvalue = "k"\n[[probe]]\nname = "r"\nfield = "reaction"\nregion = "inner"\nmeasure = "reaction"\n[[field]]\nname = "k"\nfile = "ring.vtu"\nfield = "c"\nat = "{}"\n')
        area = lambda a, b, c: abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2
        areas = [area(*(points[k] for k in cell)) for cell in cells]
        for at, expected in (("cells", sum(a * v for a, v in zip(areas, values))), ("nodes", sum(areas))):
            outcome = self.run_case("ritz-heat", self.write("case.toml", case.format(at)), "--overwrite")
            self.assertEqual(outcome.exit, 0, outcome.errors)
            self.assert_close(outcome.report["probes"]["r"], -expected, 1e-8)

    def test_rows_of_hdf5_in_cells_of_several_kinds_have_no_known_order(self):
        points = [(x, y, 0) for y in (0, 1) for x in (0, 1, 2)]
        cells = [(2, 1, [1, 2, 5]), (2, 1, [1, 5, 4]), (3, 1, [2, 3, 6, 5]), (1, 2, [4, 1]), (1, 3, [3, 6])]
        self.write("mixed.msh", boxes.msh(points, cells, [(2, "all"), (1, "left"), (1, "right")]))
        plain = self.write("plain.toml", HEAT.format("mixed.msh", 1) + '[output]\nformat = "vtkhdf"\n')
        self.assertEqual(self.run_case("ritz-heat", plain, output=self.folder / "plain").exit, 0)
        (self.folder / "plain" / "plain.hdf").rename(self.folder / "plain.h5")
        outcome = self.heat('file = "plain.h5"\nfield = "/VTKHDF/CellData/heat_flux"\ncomponent = 0\nat = "cells"\n', "1 + 0*k", "--check", mesh="mixed.msh")
        self.assertEqual(outcome.exit, 2, outcome.log)
        self.assertIn("has values in cells, and the mesh has cells of several kinds", outcome.errors)

    def test_a_field_or_table_that_nothing_uses_is_told(self):
        self.write("f.vtu", vtu(8, {("CellData", "c"): [3.0] * 64}, 8))
        for conductivity, told in (("1", True), ("2*k + 1", False), ("1 + 0*kk(x)", True)):
            self.write("kk.csv", "x,k\n0,1\n1,2\n")
            table = '[[table]]\nname = "kk"\nfile = "kk.csv"\ninterpolation = "linear"\n'
            outcome = self.heat('file = "f.vtu"\nfield = "c"\n', conductivity, more=table)
            self.assertEqual("[[field]] 'k' is used nowhere" in outcome.log, told, outcome.log)
            self.assertEqual("[[table]] 'kk' is used nowhere" in outcome.log, "kk" not in conductivity)

    def test_a_transient_run_takes_its_start_and_its_coefficients_from_fields(self):
        self.write("f.vtu", vtu(8, {("PointData", "c"): [2.0] * 81}, 8))
        time = '[time]\nend = 0.1\nstep = 0.05\n[initial]\ntemperature = "{}"\n'
        capacity = HEAT.replace("conductivity", 'density = "{0}"\nspecific_heat = "{0}"\nconductivity', 1)
        found = []
        for k, more in ((2, ""), ("k", '[[field]]\nname = "k"\nfile = "f.vtu"\nfield = "c"\n')):
            outcome = self.run_case("ritz-heat", self.write("case.toml", capacity.replace("{0}", str(k)).format("fine.msh", k) + time.format(k) + more))
            self.assertEqual(outcome.exit, 0, outcome.errors)
            found.append(outcome.report["probes"]["flux"])
        self.assertAlmostEqual(found[1] / found[0], 1, delta=1e-9)

    def test_facets_that_coincide_take_the_value_of_their_own_cell(self):
        """Two bars end to end that share no nodes: by position alone a facet between them lies in both, and the first cell would hold."""
        part = lambda first: lambda u, v, w: (first + u, v, w)
        self.write("bars.msh", boxes.blocks(("a", (2, 1, 1), part(0)), ("b", (2, 1, 1), part(1))))
        one = '[mesh]\nfile = "bars.msh"\n[[material]]\nregion = "all"\nconductivity = 2\n[[field]]\nname = "k"\nfile = "k.vtu"\nfield = "c"\nat = "{}"\n'
        cold = "".join(f'[[temperature]]\nregion = "{side}"\nvalue = 0\n' for side in ("a.x0", "b.x1"))
        probes = "".join(f'[[probe]]\nname = "{side[0]}"\nfield = "temperature"\nregion = "{side}"\nmeasure = "mean"\n' for side in ("a.x1", "b.x0"))
        cell_values, node_values = [3.0, 3.0, 8.0, 8.0], [3.0] * 12 + [8.0] * 12
        self.write("k.vtu", bars_vtu(cell_values, node_values))
        for at in ("cells", "nodes"):
            load = "".join(f'[[flux]]\nregion = "{side}"\nvalue = "k"\n' for side in ("a.x1", "b.x0"))
            outcome = self.run_case("ritz-heat", self.write("case.toml", one.format(at) + cold + load + probes))
            self.assertEqual(outcome.exit, 0, outcome.errors)
            self.assertAlmostEqual(outcome.report["probes"]["a"], 3 / 2, delta=1e-9, msg=at)  # q L / conductivity
            self.assertAlmostEqual(outcome.report["probes"]["b"], 8 / 2, delta=1e-9, msg=at)
            warm = "".join(f'[[temperature]]\nregion = "{side}"\nvalue = "k"\n' for side in ("a.x1", "b.x0"))
            outcome = self.run_case("ritz-heat", self.write("case.toml", one.format(at) + cold + warm + probes))
            self.assertEqual([outcome.report["probes"][name] for name in "ab"], [3.0, 8.0], at)

    def test_wrong_and_missing_values_name_the_cell(self):
        values = [1.0] * 8
        for value, words in ((-3.0, "'k' is -3 in cell 5 of"), (float("nan"), "'k' has no value in cell 5 of")):
            self.write("bad.vtu", vtu(8, {("CellData", "c"): [value if i == 5 else v for i, v in enumerate(values)]}))
            outcome = self.heat('file = "bad.vtu"\nfield = "c"\n', "k", "--check")
            self.assertEqual(outcome.exit, 4)
            self.assertIn("the formula 'k' of material.0.conductivity at", outcome.errors)
            self.assertIn(words, outcome.errors)

    def test_names_that_are_not_there_are_refused(self):
        self.write("f.vtu", vtu(8, {("CellData", "cond"): [1.0] * 8, ("PointData", "cond"): [1.0] * 18,
                                    ("PointData", "pair"): [1.0] * 18}))
        for field, conductivity, words in (
                ('file = "f.vtu"\nfield = "condu"\n', "k", "did you mean 'cond'?"),
                ('file = "f.vtu"\nfield = "cond"\n', "k", "at its points and in its cells"),
                ('file = "f.vtu"\nfield = "pair"\nat = "cells"\n', "k", "has no field 'pair' in its cells"),
                ('file = "f.vtu"\nfield = "pair"\ncomponent = 1\n', "k", "has 1 components"),
                ('file = "f.vtu"\nfield = "pair"\ntime = 1\n', "k", "'time' was given with a .vtu"),
                ('file = "f.vtu"\nfield = "pair"\n', "kk", "cannot be understood"),
                ('file = "fine.msh"\nfield = "pair"\n', "k", "is not read as results")):
            outcome = self.heat(field, conductivity, "--check")
            self.assertEqual(outcome.exit, 2, field + outcome.log)
            self.assertIn(words, outcome.errors)
        for name in ("x", "T", "sin"):
            text = HEAT.format("fine.msh", "1") + f'[[field]]\nname = "{name}"\nfile = "f.vtu"\nfield = "pair"\n'
            outcome = self.run_case("ritz-heat", self.write("case.toml", text), "--check")
            self.assertIn(f"'{name}' has a meaning in formulas already", outcome.errors)


if __name__ == "__main__":
    unittest.main()
