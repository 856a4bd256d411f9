"""`ritz case from DECK`: the case says what the deck says, and solves to the same numbers; a card that it cannot say is an error."""
import math
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
STRIP = """*NODE, NSET=NALL
1,0,0
2,2,0
3,4,0
4,0,1
5,2.3,1
6,4,1
7,1,0
8,3,0
9,1.15,1
10,3.15,1
11,0,.5
12,2.15,.5
13,4,.5
*ELEMENT, TYPE=CPS8, ELSET=LEFT
1,1,2,5,4,7,12,9,11
*ELEMENT, TYPE=CPS8, ELSET=RIGHT
2,2,3,6,5,8,13,10,12
*ELSET, ELSET=EALL
LEFT,RIGHT
*NSET, NSET=ROOT
1,4,11
*NSET, NSET=TIP
6
*SURFACE, NAME=TOP
EALL,S3
*MATERIAL, NAME=S
*ELASTIC
1000.,.3
*SOLID SECTION, ELSET=EALL, MATERIAL=S
1.
*BOUNDARY
ROOT,1,2
*STEP
*STATIC
*DSLOAD
TOP,P,1.
*NODE PRINT, NSET=TIP
U
*END STEP
"""
FRAME = """*NODE
1,0,0,0
2,1,0,0
3,2,0,0
*ELEMENT, TYPE=B31, ELSET=BE
1,1,2
2,2,3
*NSET, NSET=FIX
1
*NSET, NSET=TIP
3
*MATERIAL, NAME=S
*ELASTIC
210e9,0.3
*BEAM SECTION, ELSET=BE, MATERIAL=S, SECTION=RECT
0.1,0.02
0.,1.,0.
*BOUNDARY
FIX,1,6
*STEP
*STATIC
*CLOAD
TIP,3,-100.
*END STEP
"""


def plate(faces, load):  # two shells with the normal z, clamped at x = 0
    return f"""*NODE
1,0,0,0
2,1,0,0
3,2,0,0
4,0,1,0
5,1,1,0
6,2,1,0
*ELEMENT, TYPE=S4, ELSET=PLATE
1, 1,2,5,4
2, 2,3,6,5
*NSET, NSET=FIX
1,4
*SURFACE, NAME=SIDE, TYPE=ELEMENT
{faces}
*MATERIAL, NAME=S
*ELASTIC
1e9,0.3
*SHELL SECTION, ELSET=PLATE, MATERIAL=S
0.1
*BOUNDARY
FIX,1,6
*STEP
*STATIC
*DSLOAD
{load}
*END STEP
"""


class Decks(CaseTest):
    def case_from(self, text, *arguments):
        self.write("job.inp", text)
        process = subprocess.run([BIN / "ritz", "case", "from", "job.inp", "job.toml", *arguments], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout, (self.folder / "job.toml").read_text()

    def incomplete(self, text):
        """Exit 4 and no file; with --partial exit 4 and the text of the case, which begins with the list of the missing cards."""
        self.write("job.inp", text)
        (self.folder / "job.toml").unlink(missing_ok=True)
        command = [BIN / "ritz", "case", "from", "job.inp", "job.toml"]
        process = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((process.returncode, process.stdout), (4, ""), process.stderr)
        self.assertFalse((self.folder / "job.toml").exists())
        process = subprocess.run([*command, "--partial", "--force"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(process.returncode, 4, process.stderr)
        text = (self.folder / "job.toml").read_text()
        missing = [line[4:] for line in text.split("\n\n")[0].splitlines()[1:]]
        self.assertTrue(text.startswith("# NOT COMPLETE"), text)
        for line in missing:
            card, place = line.split(", ", 1)[0], line.split(", ", 1)[1].split(": ", 1)[0]
            self.assertIn(f"{card} at {place} is not translated", process.stderr)
        return "\n".join(missing), text

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
        missing, text = self.incomplete(deck)
        case = tomllib.loads(text)
        self.assertEqual(case["traction"], [{"region": "TIP", "value": [100, 50]}])
        self.assertEqual(case["body_force"], [{"region": "B", "value": [0, -10000]}])
        self.assertNotIn("gravity", case)
        self.assertIn("thickness 0.5 of 'B': [model] has one for the whole plane, and 0.1 was taken", missing)
        _, text = self.case_from(deck.replace("0.5", "0.1"), "--force")
        self.assertEqual(tomllib.loads(text)["body_force"], [{"region": "B", "value": [0, -10000]}])

    def test_a_set_of_nodes_is_loaded_whatever_else_has_its_name(self):
        _, text = self.case_from(FRAME.replace("*NSET, NSET=TIP", "*ELSET, ELSET=TIP\n2\n*NSET, NSET=TIP"))
        self.assertEqual(tomllib.loads(text)["force"], [{"region": "TIP", "value": [0, 0, -100]}])
        _, text = self.case_from(BAR + "*NSET, NSET=EAll\n2,4,6,8\n*STEP\n*CLOAD\nEALL, 3, -1000.\n*END STEP\n", "--force")
        self.assertEqual(tomllib.loads(text)["force"], [{"region": "EAll", "value": [0, 0, -1000], "each": True}])

    def test_a_name_of_nodes_and_of_a_surface_elsewhere_is_told(self):
        missing, text = self.incomplete(BAR + "*NSET, NSET=Tip\n1\n*STEP\n*CLOAD\nTip, 3, 1.\n*END STEP\n")
        self.assertNotIn("force", tomllib.loads(text))
        self.assertIn("'Tip' is a set of nodes and a surface in another place", missing)

    def test_included_lines_are_lines_of_the_deck(self):
        self.write("held.inc", "Root, 2, 3\n")
        self.write("loads.inc", "Root, 1, 5.\n*CLOAD\n")
        deck = BAR + "*BOUNDARY\nRoot, 1\n*INCLUDE, INPUT=held.inc\n*STEP\n*STATIC\n*CLOAD\n*INCLUDE, INPUT=loads.inc\nRoot, 2, 7.\n{}*END STEP\n"
        missing, _ = self.incomplete(deck.format("*CLOAD\nNowhere, 1, 1.\n"))
        self.assertRegex(missing, r"^\*CLOAD, job.inp:\d+: the mesh has no set or surface 'Nowhere'$")
        _, text = self.case_from(deck.format(""), "--force")
        case = tomllib.loads(text)
        self.assertEqual(case["displacement"], [{"region": "Root", "x": 0, "y": 0, "z": 0}])
        self.assertEqual(case["force"], [{"region": "Root", "value": [5, 7, 0], "each": True}])

    def test_a_removal_without_lines_removes(self):
        weight = "*DLOAD\nEALL, GRAV, 10., 0., 0., -1.\n"
        steps = lambda card: BAR + f"*STEP\n*STATIC\n*CLOAD\nRoot, 1, 5.\n*END STEP\n*STEP\n*STATIC\n{card}{weight}*END STEP\n"
        first, second = tomllib.loads(self.case_from(steps("*CLOAD, OP=NEW\n"), "--force")[1])["load_case"]
        self.assertIn("force", first)
        self.assertEqual(set(second), {"name", "gravity"})
        self.assertIn("force", tomllib.loads(self.case_from(steps("*CLOAD\n"), "--force")[1])["load_case"][1])

    def test_only_the_first_card_of_a_step_removes_as_in_calculix(self):
        """Reactions of ccx 2.20: the force of step 1 stays, and so does the weight where a *DSLOAD comes before *DLOAD, OP=NEW."""
        _, text = self.case_from(BAR + "*STEP\n*CLOAD\nRoot, 2, -5.\n*END STEP\n*STEP\n*CLOAD\nRoot, 1, 1.\n*CLOAD, OP=NEW\nRoot, 1, 2.\n*END STEP\n")
        self.assertEqual([case["force"][0]["value"] for case in tomllib.loads(text)["load_case"]], [[0, -5, 0], [3, -5, 0]])
        self.assertIn("OP=NEW: ignored, as in CalculiX", text)
        weight = "*DLOAD{}\nEALL, GRAV, {}.,{}\n*END STEP\n"
        deck = BAR + "*STEP\n*STATIC\n" + weight.format("", 10, "0.,0.,-1.") + "*STEP\n*STATIC\n*DSLOAD\nTip, P, -1000.\n" + weight.format(", OP=NEW", 1, "0.,-1.,0.")
        _, text = self.case_from(deck, "--force")
        self.assertEqual([case["gravity"]["acceleration"] for case in tomllib.loads(text)["load_case"]], [[0, 0, -10], [0, -1, -10]])

    def test_weights_of_several_directions_and_sets_add_as_in_calculix(self):
        """Reactions of ccx 2.20 in units of the weight: same direction replaces in a later step and adds in one, others add, sets add."""
        head = BAR + "*ELSET, ELSET=One\n1\n"
        g = lambda direction, size=10, name="EAll": f"*DLOAD\n{name}, GRAV, {size}.,{direction}\n"
        for steps, last in (((g("0,0,-1"), g("1,0,0")), [10, 0, -10]), ((g("0,0,-1"), g("0,0,1", 5)), [0, 0, -5]),
                            ((g("0,0,-1"), g("0,0,-2", 5)), [0, 0, -5]), ((g("0,0,-1") + g("0,0,-1"),), [0, 0, -20]),
                            ((g("0,0,-1"), g("0,0,-1", 10, "One")), [0, 0, -20])):
            case = tomllib.loads(self.case_from(head + "".join(f"*STEP\n*STATIC\n{step}*END STEP\n" for step in steps), "--force")[1])
            case = case["load_case"][-1] if "load_case" in case else case
            total = [sum(column) for column in zip(case.get("gravity", {}).get("acceleration", [0, 0, 0]),
                                                   *([value / 7.85e-9 for value in each["value"]] for each in case.get("body_force", [])))]
            for found, wanted in zip(total, last):
                self.assertAlmostEqual(found, wanted, places=9, msg=steps)

    def test_elements_of_other_integration_are_errors_and_meshes(self):
        large = STATIC.replace("*STEP", "*STEP, NLGEOM")
        for deck, kind, reason in ((large, "C3D8R", "small displacements alone"), (large, "C3D8I", "small displacements alone"), (STATIC.replace("*DENSITY", "*PLASTIC\n100., 0.\n*DENSITY"), "C3D8R", "of linear materials"), (STATIC, "C3D8H", "elements of type C3D8H are not translated")):
            missing, _ = self.incomplete(deck.replace("C3D8", kind))
            self.assertRegex(missing, rf"^\*ELEMENT, job.inp:12: .*{reason}.*$")
            info = subprocess.run([BIN / "ritz", "mesh", "info", "job.inp"], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(info.returncode, 0, info.stderr)

    def test_linear_hexahedra_are_translated_where_they_are_those_of_calculix(self):
        """On cells that are no parallelepipeds C3D8I and C3D8R fail patch tests: tests/cases/calculix_test.cpp."""
        for kind, integration in (("C3D8R", "reduced"), ("C3D8I", "incompatible_modes")):
            deck = STATIC.replace("C3D8", kind)
            _, text = self.case_from(deck, "--force")
            self.assertEqual(tomllib.loads(text)["material"][0]["integration"], integration)
            first = deck.index("*NODE\n") + len("*NODE\n")
            missing, _ = self.incomplete(deck[:first] + deck[first:].replace("1,0,0,0\n", "1,0.1,0.2,0\n", 1))
            self.assertIn("are no parallelepipeds", missing)

    def bent_bar(self, law, step):
        """Displacement of the end of a bar of eight C3D8I, one across, under these cards."""
        nodes = [(i, j, k) for k in (0, 1) for j in (0, 1) for i in range(9)]
        number = lambda i, j, k: 1 + i + 9 * (j + 2 * k)
        cells = [[number(i + a, b, c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))] for i in range(8)]
        deck = ("*NODE\n" + "".join(f"{number(*n)},{n[0]},{n[1]},{n[2]}\n" for n in nodes) + "*ELEMENT, TYPE=C3D8I, ELSET=EAll\n"
                + "".join(f"{e},{','.join(map(str, cell))}\n" for e, cell in enumerate(cells, 1)) + "*NSET, NSET=X0\n1,10,19,28\n*NSET, NSET=X1\n9,18,27,36\n"
                f"*BOUNDARY\nX0,1,3\n*MATERIAL, NAME=M\n*ELASTIC\n1e5,0.3\n{law}*SOLID SECTION, ELSET=EAll, MATERIAL=M\n{step}*END STEP\n")
        _, text = self.case_from(deck, "--force")
        probes = "".join(f'[[probe]]\nname = "{c}"\nfield = "displacement"\ncomponent = "{c}"\npoint = [8, 0, 0]\n' for c in "yz")
        outcome = self.run_case("ritz-elasticity", self.write("job.toml", text + probes))
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return [outcome.probes["y"], outcome.probes["z"]]

    def test_plastic_hexahedra_with_incompatible_modes_move_as_in_calculix(self):
        """Bent far beyond yield. ccx 2.20 with C3D8I: 0.6933131, with C3D8, which does not yield, 0.0642."""
        found = self.bent_bar("*PLASTIC\n100.,0.\n200.,0.1\n", "*STEP\n*STATIC\n*CLOAD\nX1,3,1.2\nX1,2,0.32\n")
        self.assertAlmostEqual(found[1] / 0.6933131, 1, delta=2e-5)

    def test_bodies_creep_as_in_calculix(self):
        """ccx 2.20 with CETOL=1e-7; the increments of both follow an error in time of 0.001."""
        loads = "*CLOAD\nX1,3,0.3\nX1,2,0.08\n"
        visco = lambda more="": f"*STEP, INC=1000{more}\n*VISCO, CETOL=1e-7\n1e-3,10.\n"
        steady = "*CREEP, LAW=NORTON\n1e-9,3.,0.\n"
        held = [1.736153e-2, 4.159764e-2]
        for law, step, wanted in ((steady, visco() + loads, held), (steady, "*STEP\n*STATIC\n" + loads + "*END STEP\n" + visco(), held),
                                  (steady, visco(", AMPLITUDE=RAMP") + loads, [9.393130e-3, 2.884404e-2]),
                                  ("*CREEP, LAW=TIME\n1e-9,3.,0.5\n", visco() + loads, [2.827817e-2, 5.992469e-2])):
            for found, each in zip(self.bent_bar(law, step), wanted):
                self.assertAlmostEqual(found / each, 1, delta=4e-3, msg=step)
        elastic = self.bent_bar("", "*STEP\n*STATIC\n" + loads)
        self.assertEqual(self.bent_bar(steady, "*STEP\n*STATIC\n" + loads), elastic)

    def test_creep_that_programs_read_differently_is_an_error(self):
        visco = STATIC.replace("*STATIC", "*VISCO, CETOL=1e-5\n0.1, 10.")
        creep = lambda card, deck=visco: deck.replace("*DENSITY", card + "*DENSITY")
        for deck, reason in ((creep("*CREEP\n1e-9, 3., -0.4\n"), "without LAW"), (creep("*CREEP, LAW=HYPERB\n1e-9, 3.\n"), "LAW=HYPERB is not translated"),
                             (creep("*CREEP, LAW=TIME\n1e-9, 3., 0., 20.\n1e-9, 4., 0., 100.\n"), "depend on the temperature"),
                             (creep("*CREEP, LAW=TIME\n1e-9, 0.5\n"), "is below 1"), (creep("*PLASTIC\n100., 0.\n*CREEP, LAW=TIME\n1e-9, 3.\n"), "another card"),
                             (creep("*CREEP, LAW=TIME\n1e-9, 3., 0.5\n", STATIC + visco[visco.index("*STEP"):].replace("*DSLOAD\nTIP, P, -21.\n*CLOAD\nRoot, 1, 5.\n", "")), "time hardening counts")):
            missing, _ = self.incomplete(deck)
            self.assertIn(reason, missing)
        _, text = self.case_from(creep("*CREEP, LAW=STRAIN\n1e-9, 3., -0.4\n"), "--force")
        self.assertEqual(tomllib.loads(text)["material"][0]["law"], "norton_strain")

    def test_reduced_quadratic_elements_are_translated_where_all_are(self):
        """Two cells of a strip that is bent move by 2 % more with fewer points; tests/cases/calculix_test.cpp compares those of space."""
        moved = []
        for kind in ("CPS8R", "CPS8"):
            _, text = self.case_from(STRIP.replace("CPS8", kind), "--force")
            self.assertEqual(tomllib.loads(text)["material"][0].get("integration"), "reduced" if kind == "CPS8R" else None)
            probe = '[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "y"\npoint = [4, 1]\n'
            outcome = self.run_case("ritz-elasticity", self.write("job.toml", text + probe))
            self.assertEqual(outcome.exit, 0, outcome.errors)
            moved.append(outcome.probes["tip"])
        self.assert_close(moved[0] / moved[1], 1.0193, 1e-4)
        missing, _ = self.incomplete(STRIP.replace("CPS8,", "CPS8R,", 1))
        self.assertRegex(missing, r"^\*ELEMENT, job.inp:\d+: CPS8R stands next to CPS8, .*one rule for all.*$")

    def test_what_changes_no_result_is_no_error(self):
        output = "*NODE PRINT, NSET=Root, TOTALS=ONLY\nRF\n*EL FILE\nS\n*NODEFILE\nU\n*CONTROLS, PARAMETERS=FIELD\n0.01\n*RESTART, WRITE\n"
        unused = "*AMPLITUDE, NAME=A\n0.,0.,1.,1.\n*EXPANSION, ZERO=20.\n1.2e-5\n*INITIAL CONDITIONS, TYPE=TEMPERATURE\nRoot, 20.\n"
        _, text = self.case_from(STATIC.replace("*NODE FILE\nU\n", output).replace("*DENSITY", unused + "*DENSITY"))
        self.assertNotIn("# -", text)
        for card, reason in (("*VISCOELASTIC, TIME=PRONY\n0.5,0.,1.\n", "prony"), ("*DSLOAD, AMPLITUDE=A\nTip, P, 1.\n", "its parameter AMPLITUDE is not translated"),
                             ("*DSLOAD\nTip, P, 1.\n*NODAL THICKNESS\n1,1.\n", "does not know this card")):
            missing, _ = self.incomplete(STATIC.replace("*NODE FILE", card + "*NODE FILE"))
            self.assertEqual(missing.count("\n"), 0)
            self.assertIn(reason, missing)

    def test_loads_before_modes_are_missing_and_supports_that_move_told(self):
        deck = BAR + "*BOUNDARY\nRoot, 1, 3, 0.5\n*STEP\n*STATIC\n*CLOAD\nRoot, 1, 5.\n*END STEP\n*STEP\n*FREQUENCY\n3\n*END STEP\n"
        missing, text = self.incomplete(deck)
        case = tomllib.loads(text)
        self.assertEqual((case["modal"]["count"], case["displacement"][0]["x"]), (3, 0))
        self.assertIn("the loads of step 1 are not in the case of the modes", missing)
        self.assertIn("'Root' moves by 0.5: modes vibrate about the state of rest", text)

    def test_a_direction_of_beams_may_begin_with_a_blank(self):
        section = tomllib.loads(self.case_from(FRAME.replace("0.,1.,0.", " ,1.,0."))[1])["section"][0]
        self.assertEqual(section["orientation"], [0, 1, 0])

    def test_two_numbers_of_a_round_section_are_its_diameters(self):
        """F L^3 / (3 E I) with I = pi a^3 b / 64 along the direction of the diameter a; one number is a radius, and told."""
        for numbers, along_z, told in (("0.1,0.1", 0.1**4, False), ("0.1,0.06", 0.1 * 0.06**3, False), ("0.1", 0.2**4, True)):
            deck = FRAME.replace("SECTION=RECT\n0.1,0.02", f"SECTION=CIRC\n{numbers}")
            missing = self.incomplete(deck)[0] if told else self.case_from(deck, "--force")[1]
            self.assertEqual("CalculiX takes it as the diameter" in missing, told)
            found = self.solve("ritz-structure", self.folder / "job.toml").probes["largest_displacement"]
            self.assert_close(found, 100 * 2**3 / (3 * 210e9 * math.pi / 64 * along_z), 0.01)  # shear adds half a per cent

    def test_a_box_with_even_walls_has_their_inertia(self):
        _, text = self.case_from(FRAME.replace("SECTION=RECT\n0.1,0.02", "SECTION=BOX\n0.1,0.06,0.01,0.01,0.01,0.01"))
        found = self.solve("ritz-structure", self.folder / "job.toml").probes["largest_displacement"]
        inertia = (0.1 * 0.06**3 - 0.08 * 0.04**3) / 12
        self.assert_close(found, 100 * 2**3 / (3 * 210e9 * inertia), 0.02)  # and shear

    def test_trusses_are_bars(self):
        """Two bars at 45 degrees under F: F L / (2 E A sin^2 45) with L = sqrt 2."""
        _, text = self.case_from("""*NODE
1,0,0,0
2,1,1,0
3,2,0,0
*ELEMENT, TYPE=T3D2, ELSET=BARS
1,1,2
2,2,3
*NSET, NSET=FEET
1,3
*NSET, NSET=TOP
2
*MATERIAL, NAME=S
*ELASTIC
1e9,0.3
*SOLID SECTION, ELSET=BARS, MATERIAL=S
1e-3
*BOUNDARY
FEET,ENCASTRE
TOP,3
*STEP
*STATIC
*CLOAD
TOP,2,-100.
*END STEP
""")
        self.assertNotIn("# -", text)
        found = self.solve("ritz-structure", self.folder / "job.toml").probes["largest_displacement"]
        self.assert_close(found, 100 * 2**0.5 / (1e9 * 1e-3), 1e-9)

    def test_supports_and_forces_along_turned_axes_are_left_out_and_told(self):
        for axes, told in (("0,1,0,-1,0,0", True), ("1,0,0,0,1,0", False)):
            deck = BAR + f"*TRANSFORM, NSET=Root\n{axes}\n*BOUNDARY\nRoot, 1\n*STEP\n*CLOAD\nRoot, 2, 5.\n*END STEP\n"
            missing, text = self.incomplete(deck) if told else self.case_from(deck, "--force")
            self.assertEqual({"displacement", "force"}.isdisjoint(tomllib.loads(text)), told)
            self.assertEqual(missing.count("4 nodes of 'Root' have axes of their own by *TRANSFORM"), 2 if told else 0)

    def test_loads_that_abaqus_would_not_keep_or_add_are_told(self):
        step = "*STEP, PERTURBATION\n*STATIC\n*CLOAD\nRoot, {}, 5.\n*END STEP\n"
        for second, told in ((2, True), (1, False)):  # the same unknown replaces the earlier force in both programs
            _, text = self.case_from(BAR + step.format(1) + step.format(second), "--force")
            self.assertEqual("step 2 keeps the loads of the steps before, as in CalculiX" in text, told)
        case = "*LOAD CASE, NAME={0}\n*CLOAD\nRoot, {0}, 5.\n*END LOAD CASE\n"
        missing, _ = self.incomplete(BAR + "*STEP, PERTURBATION\n*STATIC\n" + case.format(1) + case.format(2) + "*END STEP\n")
        self.assertEqual(missing.count("the loads of all load cases of the step are added up"), 2)

    def test_a_prescribed_velocity_is_no_displacement(self):
        missing, text = self.incomplete(BAR + "*BOUNDARY, TYPE=VELOCITY\nRoot, 1, 3, 2.\n*STEP\n*CLOAD\nRoot, 1, 5.\n*END STEP\n")
        self.assertNotIn("displacement", tomllib.loads(text))
        self.assertIn("TYPE=VELOCITY: a case prescribes displacements", missing)

    def test_a_later_support_replaces_that_of_the_same_unknown(self):
        head = BAR + "*NSET, NSET=End\n2,4,6,8\n*BOUNDARY\nRoot, 1, 3\n*BOUNDARY\nEnd, 1, 2\n*STEP\n*STATIC\n"
        _, text = self.case_from(head + "*BOUNDARY\nEnd, 1, 1, 0.01\n*END STEP\n")
        self.assertEqual(tomllib.loads(text)["displacement"][1], {"region": "End", "x": 0.01, "y": 0})
        self.assert_close(self.solve("ritz-elasticity", self.folder / "job.toml").probes["largest_displacement"], 0.01, 1e-6)
        _, text = self.case_from(head + "*BOUNDARY, OP=NEW\nRoot, 1\n*END STEP\n", "--force")
        self.assertEqual(tomllib.loads(text)["displacement"], [{"region": "Root", "x": 0}])

    def test_supports_that_change_from_step_to_step_are_missing(self):
        step = "*STEP\n*STATIC\n{}*CLOAD\nRoot, 1, 5.\n*END STEP\n"
        head = BAR + "*BOUNDARY\nRoot, 1, 3\n"
        for card, same in (("*BOUNDARY\nRoot, 1, 3\n", True), ("*BOUNDARY, OP=NEW\nRoot, 1, 2\n*BOUNDARY\nRoot, 3\n", True),
                           ("*BOUNDARY, OP=NEW\nRoot, 1, 2\n", False), ("*BOUNDARY\nRoot, 1, 1, 0.5\n", False)):
            deck = head + step.format("") + step.format(card)
            missing, text = self.case_from(deck, "--force") if same else self.incomplete(deck)
            self.assertEqual(tomllib.loads(text)["displacement"], [{"region": "Root", "x": 0, "y": 0, "z": 0}])
            self.assertEqual("a case has the same in all steps" in missing, not same)

    def test_nodes_held_twice_at_different_values_are_told(self):
        missing, _ = self.incomplete(BAR + "*NSET, NSET=Edge\n1,2\n*BOUNDARY\nRoot, 1\nEdge, 1, 1, 0.5\n")
        self.assertIn("1 nodes of 'Edge' are held at another value as nodes of 'Root'", missing)

    def test_steps_keep_their_numbers(self):
        deck = BAR + "*STEP\n*STATIC\n*END STEP\n" + "".join(f"*STEP\n*STATIC\n*CLOAD\nRoot, 1, {f}.\n*END STEP\n" for f in (5, 6))
        _, text = self.case_from(deck)
        self.assertEqual([case["name"] for case in tomllib.loads(text)["load_case"]], ["step 2", "step 3"])
        self.assertIn("step 1 has no loads: it is no load case", text)

    def test_surroundings_are_common_to_the_steps_of_heat(self):
        heat = BAR.replace("*ELASTIC\n210000., 0.\n", "*CONDUCTIVITY\n50.\n") + "*BOUNDARY\nRoot,11,11,20.\n"
        film = "*STEP\n*HEAT TRANSFER, STEADY STATE\n*SFILM\nTip,F,100.,0.5\n*END STEP\n"
        flux = "*STEP\n*HEAT TRANSFER, STEADY STATE\n*DFLUX\nEAll,BF,1.\n*END STEP\n"
        _, text = self.case_from(heat + film + flux)
        case = tomllib.loads(text)
        self.assertEqual(case["convection"], [{"region": "Tip", "coefficient": 0.5, "ambient": 100}])
        outcome = self.solve("ritz-heat", self.folder / "job.toml")
        # k (T - 20) / L = h (100 - T) at the tip: T = 60 with k / L = h
        self.assert_close(outcome.report["load_cases"]["step 1"]["probes"]["largest_temperature"], 60, 1e-6)
        missing, text = self.incomplete(heat + flux + film)
        self.assertEqual([each.get("name") for each in tomllib.loads(text).get("load_case", [])], [])
        self.assertIn("step 1 is left out: load cases share their convection", missing)
        missing, _ = self.incomplete(heat + film.replace("SFILM\nTip,F", "SRADIATE\nTip,R") + flux)
        self.assertIn("step 1 is left out: a case with radiation has no load cases", missing)

    def test_materials_along_axes_stretch_by_their_modulus(self):
        """21 MPa along x over 100 mm, without contraction: axis 2 is x where axis 1 is y, also about the axis of a cylinder."""
        numbers = {"ENGINEERING CONSTANTS": "1e5,2e5,4e5,0.,0.,0.,5e4,6e4,\n7e4", "ORTHO": "1e5,0.,2e5,0.,0.,4e5,5e4,6e4,\n7e4",
                   "ANISO": "1e5,0.,2e5,0.,0.,4e5,0.,0.,\n0.,5e4,0.,0.,0.,0.,6e4,0.,\n0.,0.,0.,0.,7e4"}
        turned = {"": 1e5, "*ORIENTATION, NAME=O\n0,1,0,-1,0,0\n": 2e5, "*ORIENTATION, NAME=O, SYSTEM=CYLINDRICAL\n0,0,0,1,0,0\n": 4e5,
                  "*ORIENTATION, NAME=O\n0,3,0,-1,2,0,0,2,0\n": 2e5}
        for kind, values in numbers.items():
            for axes, modulus in turned.items():
                deck = STATIC.replace("*ELASTIC\n210000., 0.", f"*ELASTIC, TYPE={kind}\n{values}").replace("*CLOAD\nRoot, 1, 5.\n", "")
                if axes:
                    deck = deck.replace("*SOLID SECTION, ", axes + "*SOLID SECTION, ORIENTATION=o, ")
                _, text = self.case_from(deck, "--force")
                self.assertNotIn("# -", text)
                found = self.solve("ritz-elasticity", self.folder / "job.toml").probes["largest_displacement"]
                self.assert_close(found, 21 / modulus * 100, 1e-6)

    def test_axes_that_are_not_translated_are_told_where_they_matter(self):
        axes = "*ORIENTATION, NAME=O\n0,1,0,-1,0,0\n3,30.\n"
        for elastic, told in (("*ELASTIC\n210000., 0.", False), ("*ELASTIC, TYPE=ENGINEERING CONSTANTS\n1e5,2e5,4e5,0.,0.,0.,5e4,6e4,\n7e4", True)):
            deck = STATIC.replace("*ELASTIC\n210000., 0.", elastic).replace("*SOLID SECTION, ", axes + "*SOLID SECTION, ORIENTATION=O, ")
            if told:
                self.assertIn("would lie along x, y, z: the axes of *ORIENTATION 'O' are not translated", self.incomplete(deck)[0])
            else:
                self.case_from(deck, "--force")

    def test_conductivities_along_axes_conduct_by_theirs(self):
        heat = BAR.replace("*ELASTIC\n210000., 0.\n", "*CONDUCTIVITY, TYPE=ORTHO\n20.,50.,80.\n")
        heat = heat.replace("*SOLID SECTION, ", "*ORIENTATION, NAME=O\n0,1,0,-1,0,0\n*SOLID SECTION, ORIENTATION=O, ")
        self.case_from(heat + "*BOUNDARY\nRoot,11,11,20.\n*STEP\n*HEAT TRANSFER, STEADY STATE\n*DSFLUX\nTip,S,10.\n*END STEP\n")
        self.assert_close(self.solve("ritz-heat", self.folder / "job.toml").probes["largest_temperature"], 20 + 10 * 100 / 50, 1e-6)

    def test_cells_of_plane_stress_conduct_heat(self):
        """CalculiX takes CPS and CPE cells for heat. 10 W/m^2 through 1 m of k = 5: 2 K, whatever the thickness."""
        for cells in ("CPS4", "CPE4", "DC2D4"):
            _, text = self.case_from(f"""*NODE
1,0,0
2,1,0
3,1,1
4,0,1
*ELEMENT, TYPE={cells}, ELSET=A
1,1,2,3,4
*NSET, NSET=L
1,4
*SURFACE, NAME=R, TYPE=ELEMENT
1,S2
*MATERIAL, NAME=M
*CONDUCTIVITY
5.
*SOLIDSECTION, ELSET=A, MATERIAL=M
0.1
*BOUNDARY
L,11,11,20.
*STEP
*HEATTRANSFER, STEADY STATE
*DSFLUX
R,S,10.
*END STEP
""", "--force")
            self.assertEqual(tomllib.loads(text)["model"], {"type": "plane", "thickness": 0.1})
            self.assert_close(self.solve("ritz-heat", self.folder / "job.toml").probes["largest_temperature"], 22, 1e-9)

    def test_heat_that_evolves_is_told(self):
        heat = BAR.replace("*ELASTIC\n210000., 0.\n", "*CONDUCTIVITY\n50.\n")
        self.assertIn("it evolves in time: the case is steady", self.incomplete(heat + "*STEP\n*HEAT TRANSFER\n*END STEP\n")[0])

    def test_moments_and_directions_that_are_not_there_are_told(self):
        missing, text = self.incomplete(BAR + "*STEP\n*CLOAD\nRoot, 4, 100.\nRoot, 1, 5.\n*DLOAD\nEAll, GRAV, 9.81\n*END STEP\n")
        case = tomllib.loads(text)
        self.assertEqual(case["force"][0]["value"], [5, 0, 0])
        self.assertNotIn("gravity", case)
        self.assertIn("load 100 on the unknown 4 of 'Root'", missing)
        self.assertIn("load 'GRAV' of 'EAll' has no direction", missing)

    def test_a_pressure_pushes_into_the_side_that_a_surface_names(self):
        for side, value in (("SNEG", -1000), ("S1", -1000), ("SPOS", 1000), ("S2", 1000)):
            _, text = self.case_from(plate(f"PLATE, {side}", "SIDE, P, 1000."), "--force")
            self.assertEqual(tomllib.loads(text)["pressure"], [{"region": "SIDE", "value": value}])
            probe = '\n[[probe]]\nname = "w"\nfield = "displacement"\ncomponent = "z"\npoint = [2.0, 0.5, 0.0]\n'
            outcome = self.solve("ritz-structure", self.write("plate.toml", text + probe))
            # The normal is z: a cantilever bends down under a pressure from above, up under one from below.
            self.assertLess(outcome.probes["w"] * value, 0)
        for faces in ("PLATE", "PLATE, SPOS\nPLATE, SNEG"):
            missing, text = self.incomplete(plate(faces, "SIDE, P, 1000."))
            self.assertNotIn("pressure", tomllib.loads(text))
            self.assertIn("names no side of its shells or both", missing)

    def test_tractions_on_shells_are_loads_of_surfaces(self):
        _, text = self.case_from(plate("PLATE, SNEG", "SIDE, TRVEC, 100., 0., 0., -2."))
        self.assertEqual(tomllib.loads(text)["surface_load"], [{"region": "SIDE", "value": [0, 0, -100]}])
        self.solve("ritz-structure", self.folder / "job.toml")

    def test_layers_of_one_material_are_one_shell(self):
        layers = "*SHELL SECTION, ELSET=PLATE, COMPOSITE\n0.01,3,S\n0.02,3,{}"
        deck = plate("PLATE, SPOS", "SIDE, P, 1.").replace("*SHELL SECTION, ELSET=PLATE, MATERIAL=S\n0.1", layers)
        section = tomllib.loads(self.case_from(deck.format("s"))[1])["section"][0]
        self.assert_close(section["thickness"], 0.03, 1e-12)
        self.assertEqual(section["young"], 1e9)
        missing, text = self.incomplete(deck.format("T"))
        self.assertNotIn("section", tomllib.loads(text))
        self.assertIn("layers of several materials or along axes are not in Ritz", missing)

    def test_triangles_are_the_shell_of_three_nodes(self):
        triangles = plate("PLATE, SPOS", "SIDE, P, 1.").replace("TYPE=S4, ELSET=PLATE\n1, 1,2,5,4\n2, 2,3,6,5", "TYPE=S3, ELSET=PLATE\n1, 1,2,5\n2, 1,5,4\n3, 2,3,6\n4, 2,6,5")
        _, text = self.case_from(triangles)
        self.assertEqual(tomllib.loads(text)["section"][0]["element"], "shell3")
        self.solve("ritz-structure", self.folder / "job.toml")
        missing, _ = self.incomplete(triangles.replace("*NSET", "*ELEMENT, TYPE=S4, ELSET=PLATE\n5, 1,2,5,4\n*NSET"))
        self.assertIn("it has triangles and quadrilaterals: divide the set", missing)

    def test_sections_of_a_part_are_those_of_its_instances(self):
        part = plate("", "").split("*SURFACE")[0].replace("*NSET, NSET=FIX\n1,4\n", "*SHELL SECTION, ELSET=plate, MATERIAL=S\n0.1\n")
        deck = "*PART, NAME=P\n" + part + """*END PART
*ASSEMBLY, NAME=A
*INSTANCE, NAME=P-1, PART=P
*END INSTANCE
*INSTANCE, NAME=P-2, PART=P
0,0,3
*END INSTANCE
*NSET, NSET=FIX, INSTANCE=P-1
1,4
*NSET, NSET=FIX, INSTANCE=P-2
1,4
*ELSET, ELSET=_LOW, INTERNAL, INSTANCE=P-1
1,2
*SURFACE, TYPE=ELEMENT, NAME=LOW
_LOW, SNEG
*END ASSEMBLY
*MATERIAL, NAME=S
*ELASTIC
1e9,0.3
*BOUNDARY
FIX, ENCASTRE
*STEP
*STATIC
*DSLOAD
LOW, P, 10.
*END STEP
"""
        case = tomllib.loads(self.case_from(deck)[1])
        self.assertEqual([each["region"] for each in case["section"]], ["P-1.PLATE", "P-2.PLATE"])
        outcome = self.solve("ritz-structure", self.folder / "job.toml")
        self.assertEqual(outcome.fact("applied_load"), [0, 0, 20])  # up, on two square metres

    def test_parameters_of_loads_are_told(self):
        step = "*STEP\n*STATIC\n*{}\nEAll,GRAV,10.,0.,0.,-1.\n*END STEP\n"
        self.case_from(BAR + step.format("DLOAD, LOAD CASE=1"))
        for parameter in ("LOAD CASE=2", "AMPLITUDE=A"):
            self.assertIn(f"its parameter {parameter.split('=')[0]} is not translated", self.incomplete(BAR + step.format("DLOAD, " + parameter))[0])

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
        self.assertIn("OFFSET1=0.5 of 'BEAMS': nodes are taken in the middle; give [[section]] an offset", self.incomplete(deck)[0])
        shell = plate("PLATE, SPOS", "SIDE, P, 1.").replace("*SHELL SECTION, ", "*SHELL SECTION, OFFSET=0.5, ")
        self.assertIn("OFFSET=0.5 of 'PLATE': nodes are taken in the middle; shells with an offset are not in Ritz", self.incomplete(shell)[0])

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
        missing, _ = self.incomplete(STATIC.replace("*DENSITY", "*PLASTIC, HARDENING=COMBINED\n235.,0.\n*DENSITY") + "*CONTACT PAIR, INTERACTION=A\nTip,Tip\n")
        for words in ("*PLASTIC, job.inp:21: ", "chaboche", "contact is not in Ritz yet"):
            self.assertIn(words, missing)

    def test_plastic_steel_and_large_displacements_are_laws(self):
        """Kirchhoff's stress E (ln(1.05) - p) = 250 + 1000 p, on 100 mm^2."""
        deck = BAR.replace("210000., 0.", "210000., 0.3").replace("*DENSITY", "*PLASTIC\n250.,0.\n350.,.1\n*DENSITY") + """*NSET, NSET=Y0
1,2,5,6
*NSET, NSET=Z0
1,2,3,4
*NSET, NSET=END
2,4,6,8
*BOUNDARY
ROOT, 1, 1
Y0, 2, 2
Z0, 3, 3
*STEP, NLGEOM
*STATIC
*BOUNDARY
END, 1, 1, 5.
*END STEP
"""
        self.write("job.inp", deck)
        subprocess.run([BIN / "ritz", "case", "from", "job.inp", "job.toml"], check=True, cwd=self.folder)
        case = self.folder / "job.toml"
        self.assertIn("large_displacement = true", case.read_text())
        case.write_text(case.read_text() + '[[probe]]\nname = "force"\nregion = "END"\nmeasure = "reaction"\ncomponent = "x"\n')
        p = (210000 * math.log(1.05) - 250) / 211000
        self.assert_close(self.solve("ritz-elasticity", case).probes["force"], 100 * (250 + 1000 * p) / 1.05, 1e-6)
        rubber = BAR.replace("*ELASTIC\n210000., 0.\n", "*HYPERELASTIC, YEOH\n.2,-.001,.00002,.01\n")
        self.write("job.inp", rubber + STATIC[len(BAR):].replace("*STEP", "*STEP, NLGEOM"))
        subprocess.run([BIN / "ritz", "case", "from", "job.inp", "job.toml", "--force"], check=True, cwd=self.folder)
        material = tomllib.loads(case.read_text())["material"][0]
        self.assertEqual([material[key] for key in ("law", "c10", "c20", "c30", "bulk")], ["yeoh", 0.2, -0.001, 0.00002, 200.0])
        pressure = tomllib.loads(case.read_text())["pressure"][0]
        self.assertEqual((pressure["value"], "follows" in pressure), (-21, False))  # it follows the surface, as in CalculiX

    def test_nodes_and_faces_by_number_are_sets_of_a_second_deck(self):
        """Each of the four ways pulls the bar by 2100 N: 0.01 mm."""
        held = BAR + "*BOUNDARY\n" + "".join(f"{node}, 1, 3\n" for node in (1, 3, 5, 7)) + "*STEP\n*STATIC\n{}*END STEP\n"
        nodes = "*CLOAD\n" + "".join(f"{node}, 1, 525.\n" for node in (2, 4, 6, 8))
        for load in (nodes, "*DLOAD\n1, P4, -21.\n", "*DLOAD\nEALL, P4, -21.\n", "*DLOAD\n1, P4, -20.\n1, P4, -1.\n"):
            _, text = self.case_from(held.format(load), "--force")
            case = tomllib.loads(text)
            self.assertEqual(case["mesh"]["file"], "job_sets.inp")
            self.assertEqual(len(case["displacement"]), 1, "nodes with the same lines are one set")
            self.assert_close(self.solve("ritz-elasticity", self.folder / "job.toml").probes["largest_displacement"], 0.01, 1e-6)
        process = subprocess.run([BIN / "ritz", "case", "from", "job.inp"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        self.assertIn("needs a second file", process.stderr)

    def test_a_later_step_replaces_what_the_same_numbers_have(self):
        step = "*STEP\n*STATIC\n{}*END STEP\n"
        deck = BAR + step.format("*DLOAD\n1, P4, -21.\n*CLOAD\n2, 1, 5.\n4, 1, 5.\n") + step.format("*DLOAD\n1, P4, -42.\n*CLOAD\n4, 1, 7.\n2, 1, 7.\n")
        cases = tomllib.loads(self.case_from(deck)[1])["load_case"]
        self.assertEqual([[each["value"] for each in case["pressure"]] for case in cases], [[-21], [-42]])
        self.assertEqual([[each["value"] for each in case["force"]] for case in cases], [[[5, 0, 0]], [[7, 0, 0]]])
        missing, _ = self.incomplete(deck.replace("2, 1, 7.\n", "").replace("1, P4, -42.", "1, P4, -42.\n1, P3, -42."))
        self.assertIn("which the deck replaces and the case would add", missing)
        missing, _ = self.incomplete(deck.replace("1, P4, -42.", "EALL, P4, -42."))
        self.assertIn("which the deck replaces and the case would add", missing)

    def test_elements_by_number_are_errors_of_their_card(self):
        missing, _ = self.incomplete(STATIC.replace("*CLOAD\nRoot, 1, 5.\n", "*DLOAD\n1, GRAV, 9810., 0., 0., -1.\n"))
        self.assertIn("it names 1 node or element by number (1): put them into a set", missing)

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
""", 1)
        missing, text = self.incomplete(deck)
        left = missing.splitlines()
        self.assertEqual(len(left), 4, left)
        self.assertIn("elements of type SPRING1 are not translated", left[0])
        self.assertIn("springs 'Feet' to the ground: write a [[spring]] with stiffness = [0, 1500, 0], each = true", left[1])
        self.assertIn("springs 'Ties' between nodes, 700 each", left[2])
        self.assertIn("under the faces 'F1' of 'EAll': write a [[foundation]] with stiffness = 50", left[3])
        tomllib.loads(text)

    def test_a_deck_given_as_the_case_is_told_what_to_do(self):
        outcome = self.run_case("ritz-elasticity", self.write("job.inp", STATIC))
        self.assertEqual(outcome.exit, 2)
        self.assertIn("it is an Abaqus or CalculiX deck", outcome.errors)
        self.assertIn("ritz case from", outcome.errors)

    def test_a_mesh_without_a_case_is_no_deck(self):
        self.write("job.inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n")
        process = subprocess.run([BIN / "ritz", "case", "from", "job.inp"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        self.assertIn("ritz new job.inp", process.stderr)

    def test_a_case_that_exists_is_kept(self):
        self.case_from(STATIC)
        process = subprocess.run([BIN / "ritz", "case", "from", "job.inp", "job.toml"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(process.returncode, 7)
        self.assertIn("add --force", process.stderr)


if __name__ == "__main__":
    unittest.main()
