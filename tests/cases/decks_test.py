"""`ritz case from DECK`: the case says what the deck says, and solves to the same numbers; what it cannot say is named."""
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

    def test_a_set_of_nodes_is_loaded_whatever_else_has_its_name(self):
        _, text = self.case_from(FRAME.replace("*NSET, NSET=TIP", "*ELSET, ELSET=TIP\n2\n*NSET, NSET=TIP"))
        self.assertEqual(tomllib.loads(text)["force"], [{"region": "TIP", "value": [0, 0, -100]}])
        _, text = self.case_from(BAR + "*NSET, NSET=EAll\n2,4,6,8\n*STEP\n*CLOAD\nEALL, 3, -1000.\n*END STEP\n", "--force")
        self.assertEqual(tomllib.loads(text)["force"], [{"region": "EAll", "value": [0, 0, -1000], "each": True}])

    def test_a_name_of_nodes_and_of_a_surface_elsewhere_is_told(self):
        _, text = self.case_from(BAR + "*NSET, NSET=Tip\n1\n*STEP\n*CLOAD\nTip, 3, 1.\n*END STEP\n")
        self.assertNotIn("force", tomllib.loads(text))
        self.assertIn("'Tip' is a set of nodes and a surface in another place", text)

    def test_included_lines_are_lines_of_the_deck(self):
        self.write("held.inc", "Root, 2, 3\n")
        self.write("loads.inc", "Root, 1, 5.\n*CLOAD\n")
        _, text = self.case_from(BAR + "*BOUNDARY\nRoot, 1\n*INCLUDE, INPUT=held.inc\n*STEP\n*STATIC\n*CLOAD\n"
                                 "*INCLUDE, INPUT=loads.inc\nRoot, 2, 7.\n*CLOAD\nNowhere, 1, 1.\n*END STEP\n")
        case = tomllib.loads(text)
        self.assertEqual(case["displacement"], [{"region": "Root", "x": 0, "y": 0, "z": 0}])
        self.assertEqual(case["force"], [{"region": "Root", "value": [5, 7, 0], "each": True}])

    def test_a_removal_without_lines_removes(self):
        weight = "*DLOAD\nEALL, GRAV, 10., 0., 0., -1.\n"
        steps = lambda card: BAR + f"*STEP\n*STATIC\n*CLOAD\nRoot, 1, 5.\n*END STEP\n*STEP\n*STATIC\n{card}{weight}*END STEP\n"
        for card in ("*CLOAD, OP=NEW\n", "*CLOAD, OP=NEW\nNowhere, 1, 1.\n"):
            first, second = tomllib.loads(self.case_from(steps(card), "--force")[1])["load_case"]
            self.assertIn("force", first)
            self.assertEqual(set(second), {"name", "gravity"})
        self.assertIn("force", tomllib.loads(self.case_from(steps("*CLOAD\n"), "--force")[1])["load_case"][1])

    def test_loads_before_modes_and_supports_that_move_are_told(self):
        deck = BAR + "*BOUNDARY\nRoot, 1, 3, 0.5\n*STEP\n*STATIC\n*CLOAD\nRoot, 1, 5.\n*END STEP\n*STEP\n*FREQUENCY\n3\n*END STEP\n"
        _, text = self.case_from(deck)
        case = tomllib.loads(text)
        self.assertEqual((case["modal"]["count"], case["displacement"][0]["x"]), (3, 0))
        self.assertIn("the loads of step 1 are not in the case of the modes", text)
        self.assertIn("'Root' moves by 0.5: modes vibrate about the state of rest", text)

    def test_a_direction_of_beams_may_begin_with_a_blank(self):
        section = tomllib.loads(self.case_from(FRAME.replace("0.,1.,0.", " ,1.,0."))[1])["section"][0]
        self.assertEqual(section["orientation"], [0, 1, 0])

    def test_two_numbers_of_a_round_section_are_its_diameters(self):
        """F L^3 / (3 E I) with I = pi a^3 b / 64 along the direction of the diameter a; one number is a radius, and told."""
        for numbers, along_z, told in (("0.1,0.1", 0.1**4, False), ("0.1,0.06", 0.1 * 0.06**3, False), ("0.1", 0.2**4, True)):
            _, text = self.case_from(FRAME.replace("SECTION=RECT\n0.1,0.02", f"SECTION=CIRC\n{numbers}"), "--force")
            self.assertEqual("CalculiX takes it as the diameter" in text, told)
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
            _, text = self.case_from(deck, "--force")
            self.assertEqual({"displacement", "force"}.isdisjoint(tomllib.loads(text)), told)
            self.assertEqual("4 nodes of 'Root' have axes of their own by *TRANSFORM" in text, told)

    def test_loads_that_abaqus_would_not_keep_or_add_are_told(self):
        step = "*STEP, PERTURBATION\n*STATIC\n*CLOAD\nRoot, {}, 5.\n*END STEP\n"
        for second, told in ((2, True), (1, False)):  # the same unknown replaces the earlier force in both programs
            _, text = self.case_from(BAR + step.format(1) + step.format(second), "--force")
            self.assertEqual("step 2 keeps the loads of the steps before, as in CalculiX" in text, told)
        case = "*LOAD CASE, NAME={0}\n*CLOAD\nRoot, {0}, 5.\n*END LOAD CASE\n"
        _, text = self.case_from(BAR + "*STEP, PERTURBATION\n*STATIC\n" + case.format(1) + case.format(2) + "*END STEP\n", "--force")
        self.assertEqual(text.count("the loads of all load cases of the step are added up"), 2)

    def test_a_prescribed_velocity_is_no_displacement(self):
        _, text = self.case_from(BAR + "*BOUNDARY, TYPE=VELOCITY\nRoot, 1, 3, 2.\n*STEP\n*CLOAD\nRoot, 1, 5.\n*END STEP\n")
        self.assertNotIn("displacement", tomllib.loads(text))
        self.assertIn("TYPE=VELOCITY: a case prescribes displacements", text)

    def test_a_later_support_replaces_that_of_the_same_unknown(self):
        head = BAR + "*NSET, NSET=End\n2,4,6,8\n*BOUNDARY\nRoot, 1, 3\n*BOUNDARY\nEnd, 1, 2\n*STEP\n*STATIC\n"
        _, text = self.case_from(head + "*BOUNDARY\nEnd, 1, 1, 0.01\n*END STEP\n")
        self.assertEqual(tomllib.loads(text)["displacement"][1], {"region": "End", "x": 0.01, "y": 0})
        self.assert_close(self.solve("ritz-elasticity", self.folder / "job.toml").probes["largest_displacement"], 0.01, 1e-6)
        _, text = self.case_from(head + "*BOUNDARY, OP=NEW\nRoot, 1\n*END STEP\n", "--force")
        self.assertEqual(tomllib.loads(text)["displacement"], [{"region": "Root", "x": 0}])

    def test_nodes_held_twice_at_different_values_are_told(self):
        _, text = self.case_from(BAR + "*NSET, NSET=Edge\n1,2\n*BOUNDARY\nRoot, 1\nEdge, 1, 1, 0.5\n")
        self.assertIn("1 nodes of 'Edge' are held at another value as nodes of 'Root'", text)

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
        _, text = self.case_from(heat + flux + film, "--force")
        self.assertEqual([each.get("name") for each in tomllib.loads(text).get("load_case", [])], [])
        self.assertIn("step 1 is left out: load cases share their convection", text)
        _, text = self.case_from(heat + film.replace("SFILM\nTip,F", "SRADIATE\nTip,R") + flux, "--force")
        self.assertIn("step 1 is left out: a case with radiation has no load cases", text)

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
            _, text = self.case_from(deck, "--force")
            self.assertEqual("taken along x, y, z, not along 'O'" in text, told, text)

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
        self.assertIn("it evolves in time: the case is steady", self.case_from(heat + "*STEP\n*HEAT TRANSFER\n*END STEP\n")[1])

    def test_moments_and_directions_that_are_not_there_are_told(self):
        _, text = self.case_from(BAR + "*STEP\n*CLOAD\nRoot, 4, 100.\nRoot, 1, 5.\n*DLOAD\nEAll, GRAV, 9.81\n*END STEP\n")
        case = tomllib.loads(text)
        self.assertEqual(case["force"][0]["value"], [5, 0, 0])
        self.assertNotIn("gravity", case)
        self.assertIn("load 100 on the unknown 4 of 'Root'", text)
        self.assertIn("load 'GRAV' of 'EAll' has no direction", text)

    def test_a_pressure_pushes_into_the_side_that_a_surface_names(self):
        for side, value in (("SNEG", -1000), ("S1", -1000), ("SPOS", 1000), ("S2", 1000)):
            _, text = self.case_from(plate(f"PLATE, {side}", "SIDE, P, 1000."), "--force")
            self.assertEqual(tomllib.loads(text)["pressure"], [{"region": "SIDE", "value": value}])
            probe = '\n[[probe]]\nname = "w"\nfield = "displacement"\ncomponent = "z"\npoint = [2.0, 0.5, 0.0]\n'
            outcome = self.solve("ritz-structure", self.write("plate.toml", text + probe))
            # The normal is z: a cantilever bends down under a pressure from above, up under one from below.
            self.assertLess(outcome.probes["w"] * value, 0)
        for faces in ("PLATE", "PLATE, SPOS\nPLATE, SNEG"):
            _, text = self.case_from(plate(faces, "SIDE, P, 1000."), "--force")
            self.assertNotIn("pressure", tomllib.loads(text))
            self.assertIn("names no side of its shells or both", text)

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
        _, text = self.case_from(deck.format("T"), "--force")
        self.assertNotIn("section", tomllib.loads(text))
        self.assertIn("layers of several materials or along axes are not in Ritz", text)

    def test_triangles_are_the_shell_of_three_nodes(self):
        triangles = plate("PLATE, SPOS", "SIDE, P, 1.").replace("TYPE=S4, ELSET=PLATE\n1, 1,2,5,4\n2, 2,3,6,5", "TYPE=S3, ELSET=PLATE\n1, 1,2,5\n2, 1,5,4\n3, 2,3,6\n4, 2,6,5")
        _, text = self.case_from(triangles)
        self.assertEqual(tomllib.loads(text)["section"][0]["element"], "shell3")
        self.solve("ritz-structure", self.folder / "job.toml")
        _, text = self.case_from(triangles.replace("*NSET", "*ELEMENT, TYPE=S4, ELSET=PLATE\n5, 1,2,5,4\n*NSET"), "--force")
        self.assertIn("it has triangles and quadrilaterals: divide the set", text)

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

    def test_weight_of_sets_that_overlap_is_told(self):
        _, text = self.case_from(BAR + "*ELSET, ELSET=One\n1\n*STEP\n*DLOAD\nEAll,GRAV,10.,0.,0.,-1.\nOne,GRAV,10.,0.,0.,-1.\n*END STEP\n")
        self.assertEqual(tomllib.loads(text)["gravity"]["acceleration"], [0, 0, -10])
        self.assertIn("1 cells are in several of the sets with GRAV", text)

    def test_gravity_that_turns_and_parameters_of_loads_are_told(self):
        step = "*STEP\n*STATIC\n*{}\nEAll,GRAV,10.,{}\n*END STEP\n"
        for second, told in (("1.,0.,0.", True), ("0.,0.,-2.", False)):
            _, text = self.case_from(BAR + step.format("DLOAD", "0.,0.,-1.") + step.format("DLOAD", second), "--force")
            self.assertEqual("another direction" in text, told, text)
        for parameter, told in (("LOAD CASE=2", True), ("LOAD CASE=1", False)):
            _, text = self.case_from(BAR + step.format("DLOAD, " + parameter, "0.,0.,-1."), "--force")
            self.assertEqual("its parameter LOAD CASE was not read" in text, told, text)

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
        self.assertIn("OFFSET1=0.5 of 'BEAMS': nodes are taken in the middle; give [[section]] an offset", self.case_from(deck)[1])
        shell = plate("PLATE, SPOS", "SIDE, P, 1.").replace("*SHELL SECTION, ", "*SHELL SECTION, OFFSET=0.5, ")
        self.assertIn("OFFSET=0.5 of 'PLATE': nodes are taken in the middle; shells with an offset are not in Ritz", self.case_from(shell, "--force")[1])

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
