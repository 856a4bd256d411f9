"""`ritz case from DECK`: the case says what the deck says, and solves to the same numbers; what it cannot say is named."""
import subprocess
import tomllib
import unittest

from ritz import BIN, CaseTest

NODES = [(x, y, z) for z in (0, 10) for y in (0, 10) for x in (0, 100)]  # mm, N, MPa
BAR = "*HEADING\na bar\n*NODE\n" + "".join(f"{i},{x},{y},{z}\n" for i, (x, y, z) in enumerate(NODES, 1)) + """*ELEMENT, TYPE=C3D8, ELSET=EAll
1,1,2,4,3,5,6,8,7
*NSET, NSET=Root
1,3,5,7
*SURFACE, NAME=Tip
EAll,S4
*MATERIAL, NAME=Steel
*ELASTIC
210000., 0.
*DENSITY
7.85D-9
*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL
"""
STATIC = BAR + """*BOUNDARY
ROOT, 1, 3
*STEP
*STATIC
*DSLOAD
TIP, P, -21.
*CLOAD
Root, 1, 5.
*NODE FILE
U
*END STEP
"""


class Decks(CaseTest):
    def case_from(self, text, *arguments):
        self.write("job.inp", text)
        process = subprocess.run([BIN / "ritz", "case", "from", "job.inp", "job.toml", *arguments], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout, (self.folder / "job.toml").read_text()

    def test_a_bar_of_a_deck_stretches_by_hooke(self):
        said, text = self.case_from(STATIC)
        self.assertIn("a case for ritz-elasticity", said)
        case = tomllib.loads(text)
        self.assertEqual(case["material"][0], {"region": "EAll", "young": 210000, "poisson": 0, "density": 7.85e-9})
        self.assertEqual(case["displacement"][0], {"region": "Root", "x": 0, "y": 0, "z": 0})
        self.assertEqual(case["force"], [{"region": "Root", "value": [5, 0, 0], "each": True}])
        outcome = self.solve("ritz-elasticity", self.folder / "job.toml")
        self.assert_close(outcome.probes["largest_displacement"], 21 / 210000 * 100, 1e-6)

    def test_names_of_sets_match_without_regard_to_case(self):
        _, text = self.case_from(STATIC)
        case = self.write("other.toml", text.replace('"EAll"', '"eall"').replace('"Tip"', '"TIP"'))
        self.assert_close(self.solve("ritz-elasticity", case).probes["largest_displacement"], 0.01, 1e-6)

    def test_steps_become_load_cases_that_keep_earlier_loads(self):
        deck = STATIC.replace("*CLOAD\nRoot, 1, 5.\n", "") + "*STEP\n*STATIC\n*DLOAD\nEALL, GRAV, 9810., 0., 0., -1.\n*END STEP\n"
        _, text = self.case_from(deck)
        first, second = tomllib.loads(text)["load_case"]
        self.assertEqual(first["pressure"], second["pressure"])
        self.assertEqual(second["gravity"]["acceleration"], [0, 0, -9810])

    def test_a_later_step_replaces_forces_one_by_one_and_a_card_adds(self):
        force = lambda lines, more="": f"*STEP\n*STATIC\n*CLOAD{more}\n{lines}*END STEP\n"
        head = BAR + "*BOUNDARY\nROOT, 1, 3\n*STEP\n*STATIC\n*DLOAD\nEALL, GRAV, 10., 0., 0., -1.\n*CLOAD\nRoot, 1, 5.\nRoot, 3, -10.\n*CLOAD\nRoot, 3, -1.\n*END STEP\n"
        _, text = self.case_from(head + force("Root, 3, -20.\n") + force("Root, 2, 7.\n", ", OP=NEW"))
        cases = tomllib.loads(text)["load_case"]
        self.assertEqual([case["force"][0]["value"] for case in cases], [[5, 0, -11], [5, 0, -20], [0, 7, 0]])
        self.assertEqual([case["gravity"]["acceleration"] for case in cases], [[0, 0, -10]] * 3)

    def test_tractions_of_one_surface_add_and_parts_have_their_own_weight(self):
        deck = """*NODE
1,0,0
2,1,0
3,2,0
4,0,1
5,1,1
6,2,1
*ELEMENT, TYPE=CPS4, ELSET=A
1,1,2,5,4
*ELEMENT, TYPE=CPS4, ELSET=B
2,2,3,6,5
*SURFACE, NAME=TIP, TYPE=ELEMENT
2,S2
*MATERIAL, NAME=S
*ELASTIC
1e9,0.3
*DENSITY
1000
*SOLID SECTION, ELSET=A, MATERIAL=S
0.1
*SOLID SECTION, ELSET=B, MATERIAL=S
0.5
*STEP
*STATIC
*DLOAD
B,GRAV,10,0,-1
*DSLOAD
TIP,TRVEC,100,1,0,0
TIP,TRVEC,50,0,1,0
*END STEP
"""
        _, text = self.case_from(deck)
        case = tomllib.loads(text)
        self.assertEqual(case["traction"], [{"region": "TIP", "value": [100, 50]}])
        self.assertEqual(case["body_force"], [{"region": "B", "value": [0, -10000]}])
        self.assertNotIn("gravity", case)
        self.assertIn("thickness 0.5 of 'B': [model] has one for the whole plane, and 0.1 was taken", text)

    def test_offsets_are_named(self):
        deck = """*NODE
1,0,0,0
2,1,0,0
*ELEMENT, TYPE=B31, ELSET=BEAMS
1,1,2
*MATERIAL, NAME=S
*ELASTIC
1e9,0.3
*BEAM SECTION, ELSET=BEAMS, MATERIAL=S, SECTION=RECT, OFFSET1=0.5
0.1,0.1
0,1,0
"""
        self.assertIn("OFFSET1=0.5 of 'BEAMS'", self.case_from(deck)[1])

    def test_modes_and_heat_name_their_programs(self):
        said, text = self.case_from(BAR + "*BOUNDARY\nROOT,1,3\n*STEP\n*FREQUENCY\n4\n*END STEP\n")
        self.assertIn("ritz-modal", said)
        self.assertEqual(tomllib.loads(text)["modal"]["count"], 4)
        heat = BAR.replace("*ELASTIC\n210000., 0.\n", "*CONDUCTIVITY\n50.\n") + """*BOUNDARY
Root,11,11,20.
*STEP
*HEAT TRANSFER, STEADY STATE
*DSFLUX
Tip,S,10.
*SFILM
Tip,F,300.,0.
*END STEP
"""
        said, text = self.case_from(heat, "--force")
        self.assertIn("ritz-heat", said)
        outcome = self.solve("ritz-heat", self.folder / "job.toml", keys={"convection.0.coefficient": 1e-9})
        self.assert_close(outcome.probes["largest_temperature"], 20 + 10 * 100 / 50, 1e-6)

    def test_what_ritz_does_not_have_is_named_with_its_line(self):
        _, text = self.case_from(STATIC.replace("*DENSITY", "*PLASTIC\n235.,0.\n*EXPANSION\n1.2E-5\n*DENSITY") + "*CONTACT PAIR, INTERACTION=A\nTip,Tip\n")
        for words in ("*PLASTIC (line 21)", "von_mises_plasticity", "*EXPANSION", "contact is not in Ritz yet"):
            self.assertIn(words, text)

    def test_springs_and_ground_are_named_with_their_stiffness(self):
        deck = STATIC.replace("*STEP\n", """*ELEMENT, TYPE=SPRING1, ELSET=Feet
90, 1
*SPRING, ELSET=Feet
2
1500.
*SPRING, ELSET=Ties

700.
*FOUNDATION
EAll, F1, 50.
*EXPANSION
1.2E-5
""", 1)
        said, text = self.case_from(deck)
        left = [line for line in text.splitlines() if line.startswith("# - ")]
        self.assertEqual(len(left), 4, left)
        self.assertIn("springs 'Feet' to the ground: write a [[spring]] with stiffness = [0, 1500, 0], each = true", left[0])
        self.assertIn("springs 'Ties' between nodes, 700 each", left[1])
        self.assertIn("under the faces 'F1' of 'EAll': write a [[foundation]] with stiffness = 50", left[2])
        self.assertIn("expansion = 1.2e-05 into the material 'Steel'", left[3])
        self.assertIn("4 ", said)
        tomllib.loads(text)

    def test_a_deck_given_as_the_case_is_told_what_to_do(self):
        outcome = self.run_case("ritz-elasticity", self.write("job.inp", STATIC))
        self.assertEqual(outcome.exit, 2)
        self.assertIn("it is an Abaqus or CalculiX deck", outcome.errors)
        self.assertIn("ritz case from", outcome.errors)

    def test_a_case_that_exists_is_kept(self):
        self.case_from(STATIC)
        process = subprocess.run([BIN / "ritz", "case", "from", "job.inp", "job.toml"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(process.returncode, 7)
        self.assertIn("add --force", process.stderr)


if __name__ == "__main__":
    unittest.main()
