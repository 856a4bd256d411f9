"""Equations between unknowns that several ranks solve without a matrix: T^T K T by products, on all levels of p-multigrid."""
import re
import shutil
import unittest

import boxes
import ritz
from divided_test import OnRanks

FOURTH = {"space.order": 4}
TIED = '[[tie]]\nregion = "far.x0"\nonto = "near.x1"\n'
PERIODIC = '[[periodic]]\nregion = "far.y1"\nonto = "far.y0"\n[[periodic]]\nregion = "near.y1"\nonto = "near.y0"\n'
HEAT = """
    [mesh]
    file = "blocks.msh"
    [[material]]
    region = "near"
    conductivity = 20
    [[material]]
    region = "far"
    conductivity = "40 + 10 * z"
    [[temperature]]
    region = "near.x0"
    value = 100
    [[source]]
    region = "far"
    value = "3000 + 1000 * x"
    [[convection]]
    region = "far.x1"
    coefficient = 30
    ambient = 10
    [[probe]]
    name = "heat"
    region = "near.x0"
    measure = "reaction"
    """
ELASTIC = """
    [mesh]
    file = "blocks.msh"
    [[material]]
    region = "near"
    young = 2e11
    poisson = 0.3
    density = 7800
    [[material]]
    region = "far"
    young = 7e10
    poisson = 0.33
    density = 2700
    [[displacement]]
    region = "near.x0"
    fixed = true
    [[pressure]]
    region = "far.z1"
    value = 1e5
    [[probe]]
    name = "held"
    region = "near.x0"
    measure = "reaction"
    component = "z"
    """


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class DividedRelations(OnRanks):
    def blocks(self, program, tables, near=(3, 2, 2), far=(4, 3, 3)):
        """Two bodies of hexahedra that share no nodes, one beyond the other along x."""
        (self.folder / "blocks.msh").write_text(boxes.blocks(("near", near, lambda u, v, w: (u, v, w)), ("far", far, lambda u, v, w: (1 + u, v, w))))
        return self.write(f"{program}-blocks.toml", (HEAT if program == "ritz-heat" else ELASTIC) + tables)

    def assert_like_one_process(self, ranks, program, case, keys, environment=None):
        keys = {"solver.tolerance": 1e-9, **keys}
        several, alone = self.solved(ranks, program, case, keys=keys, environment=environment), self.solve(program, case, keys=keys)
        self.assertIn("need no matrix", several.report["solver"]["choice"])
        self.assertIn("p-multigrid", several.report["solver"]["preconditioner"])
        self.assertLessEqual(several.report["solver"]["iterations"], 1.2 * alone.report["solver"]["iterations"])
        self.assert_same(program, several, alone)
        return several

    def test_ties_of_two_bodies(self):
        by_surface = TIED + 'method = "surface"\n'
        for program, keys, ranks, tie in (("ritz-heat", FOURTH, 2, TIED), ("ritz-elasticity", FOURTH, 3, TIED), ("ritz-heat", {"space.order": 5}, 4, TIED),
                                          ("ritz-elasticity", {"space.order": 2}, 3, by_surface)):
            with self.subTest(program=program, keys=keys):
                self.assert_like_one_process(ranks, program, self.blocks(program, tie), keys)

    def test_periodic_sides_and_ties_that_follow_each_other(self):
        for program, ranks in (("ritz-heat", 3), ("ritz-elasticity", 2)):
            with self.subTest(program=program):
                self.assert_like_one_process(ranks, program, self.blocks(program, TIED + PERIODIC, (3, 2, 2), (3, 3, 2)), FOURTH)

    def test_rigid_sides_oblique_supports_and_sums(self):
        rigid = '[[rigid]]\nregion = "right"\nforce = [0, 300, 0]\nmoment = [10, 0, 0]\n'
        oblique = '[[displacement]]\nregion = "right"\ndirection = [1, 1, 0]\nvalue = 1e-7\n'
        corner = '[[region]]\nname = "corner"\nkind = "nodes"\nbox = {low = [0.9, 0.9, 0.9], high = [1.1, 1.1, 1.1]}\n'
        sums = corner + '[[equation]]\nterms = [{region = "right", component = "x"}, {region = "corner", component = "x", factor = -1}]\n'
        for tables, ranks in ((rigid, 3), (oblique, 2), (sums, 4)):
            case = self.case("ritz-elasticity", "hexa", (4, 3, 3), tables)
            case.write_text(re.sub(r"\[\[force\]\]\s*region = \"right\"\s*value = \[.*?\]", "", case.read_text()))
            with self.subTest(tables=tables):
                self.assert_like_one_process(ranks, "ritz-elasticity", case, FOURTH)

    def test_other_cells_where_it_is_asked_for(self):
        rigid = '[[rigid]]\nregion = "right"\n'
        for cell, counts, order, ranks in (("tetra", (4, 3, 3), 2, 2), ("prism", (3, 3, 3), 3, 3), ("mixed", (4, 4, 2), 2, 4), ("quad", (9, 8), 2, 2)):
            with self.subTest(cell=cell):
                keys = {"space.order": order, "solver.operator": "matrix_free"}
                self.assert_like_one_process(ranks, "ritz-elasticity", self.case("ritz-elasticity", cell, counts, rigid), keys)

    def test_levels_that_are_divided_to_the_end(self):
        case = self.blocks("ritz-elasticity", TIED, (4, 4, 4), (6, 6, 6))
        run = self.assert_like_one_process(3, "ritz-elasticity", case, FOURTH, {"RITZ_REPLICATED_UNKNOWNS": "100"})
        self.assertRegex(run.report["solver"]["preconditioner"], "orders 4, 2, 1.*, [4-6] levels divided among ranks")

    def test_the_same_bits_on_as_many_ranks(self):
        case = self.blocks("ritz-elasticity", TIED + PERIODIC)
        for ranks in (2, 4):
            first, again = (self.solved(ranks, "ritz-elasticity", case, keys=FOURTH) for _ in range(2))
            self.assertEqual(self.field("ritz-elasticity", first), self.field("ritz-elasticity", again))
            self.assertEqual(first.report["solver"]["iterations"], again.report["solver"]["iterations"])

    def test_load_cases_evolutions_and_newton(self):
        cases = '[[load_case]]\nname = "side"\n[[load_case.pressure]]\nregion = "far.y1"\nvalue = 2e4\n[[load_case]]\nname = "moved"\n[[load_case.displacement]]\nregion = "near.x0"\ny = 1e-6\n'
        motion = "[time]\nend = 2e-4\nstep = 5e-5\n"
        for tables in (cases, motion):
            self.assert_same_probes(2, "ritz-elasticity", self.blocks("ritz-elasticity", TIED + tables, (2, 2, 2), (3, 2, 2)), {**FOURTH, "solver.tolerance": 1e-10}, 1e-5)
        radiation = '[[radiation]]\nregion = "far.z1"\nemissivity = 0.8\nambient = 300\n[model]\nabsolute_zero = 0\n'
        self.assert_same_probes(3, "ritz-heat", self.blocks("ritz-heat", TIED + radiation, (2, 2, 2), (3, 2, 2)), {**FOURTH, "temperature.0.value": 400}, 1e-5)

    def test_modes(self):
        text = ELASTIC[: ELASTIC.index("[[pressure]]")] + TIED + "[modal]\ncount = 9\n"
        self.blocks("ritz-elasticity", "")
        for case, expected in ((self.write("held.toml", text), "0"), (self.write("free.toml", re.sub(r"\[\[displacement\]\].*?true", "", text, flags=re.S)), "6")):
            several, alone = self.solved(3, "ritz-modal", case, keys=FOURTH), self.solve("ritz-modal", case, keys={**FOURTH, "modal.method": "lobpcg"})
            self.assertRegex(several.report["solver"]["preconditioner"], "p-multigrid.* divided among ranks")
            frequencies = alone.fact("frequencies_hz")
            self.assertLess(max(abs(a - b) for a, b in zip(several.fact("frequencies_hz"), frequencies)), 1e-6 * max(frequencies))
            self.assertEqual(several.report["facts"]["rigid_body_modes"], expected)


if __name__ == "__main__":
    unittest.main()
