"""Mistakes that users really make: exit code, message, and nothing left behind. Rows of "Bad inputs" in verification.md."""
import json
import math
import subprocess
import unittest

import boxes
import ritz
from ritz import CaseTest, example

STEEL = '[[material]]\nregion = "{}"\nyoung = 210e9\npoisson = 0.3\n'
CLAMP = '[[displacement]]\nregion = "{}"\nfixed = true\n'
PULL = '[[traction]]\nregion = "{}"\nvalue = [1e6, 0, 0]\n'
COPPER = '[[material]]\nregion = "{}"\nconductivity = 400\n'


def tube(count, straight):
    """A quarter of the ring 1 < r < 2 as a deck: quad8 cells, `count` through the wall and twice as many around."""
    n, number = 2 * count, {}

    def place(i, j):
        radius, angle = 1 + i / n, math.pi / 4 * j / n
        return radius * math.cos(angle), radius * math.sin(angle)

    def middle(a, b):
        return tuple((p + q) / 2 for p, q in zip(place(*a), place(*b)))

    nodes, cells, inside = [], [], []
    for i in range(0, n, 2):
        for j in range(0, 2 * n, 2):
            corners = [(i, j), (i + 2, j), (i + 2, j + 2), (i, j + 2)]
            edges = [(corners[k], corners[(k + 1) % 4]) for k in range(4)]
            for key in corners + [tuple((p + q) // 2 for p, q in zip(*edge)) for edge in edges]:
                number.setdefault(key, len(number) + 1)
            cells.append([number[key] for key in corners] + [number[tuple((p + q) // 2 for p, q in zip(*edge))] for edge in edges])
            inside += [len(cells)] if i == 0 else []
    for (i, j), label in number.items():
        between = ((i, j - 1), (i, j + 1)) if j % 2 else None
        x, y = middle(*between) if straight and between else place(i, j)
        nodes.append(f"{label}, {x!r}, {y!r}")
    sets = {name: [label for (_, j), label in number.items() if j == at] for name, at in (("y0", 0), ("x0", 2 * n))}
    return "\n".join(["*NODE", *nodes, "*ELEMENT, TYPE=CPE8", *(", ".join(map(str, [c, *cell])) for c, cell in enumerate(cells, 1)),
                      *(line for name, labels in sets.items() for line in (f"*NSET, NSET={name}", *map(str, labels))),
                      "*SURFACE, NAME=inside", *(f"{cell}, S4" for cell in inside), ""])


CUBE = STEEL.format("a") + CLAMP.format("a.x0") + PULL.format("a.x1")


class BadInputs(CaseTest):
    def refuse(self, exit_code, phrases, body, mesh=None, program="ritz-elasticity", arguments=(), **options):
        """The run must end with this exit code and say all the phrases; the report says the same."""
        self.write("mesh.msh", boxes.cubes(["a"]) if mesh is None else mesh)
        case = self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + body)
        return self.refuse_case(exit_code, phrases, case, program, *arguments, **options)

    def refuse_case(self, exit_code, phrases, case, program="ritz-elasticity", *arguments, **options):
        outcome = self.run_case(program, case, *arguments, **options)
        self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
        for phrase in phrases:
            self.assertIn(phrase, outcome.errors)
        self.assertTrue(outcome.errors.startswith("error: "), outcome.errors)
        if outcome.report:
            self.assertEqual((outcome.report["status"], outcome.report["exit_code"]), ("failed", exit_code))
            self.assertEqual(outcome.report["outputs"], [])
            self.assertEqual(len(outcome.report["errors"]), outcome.errors.count("error: "))
        self.assertFalse(list(self.folder.rglob("*.vtu")))
        return outcome

    def refuse_setting(self, exit_code, phrases, case="cantilever", program="ritz-elasticity", **keys):
        return self.refuse_case(exit_code, phrases, example(case), program, keys={k.replace("__", "."): v for k, v in keys.items()})


class OneMistakeOneError(BadInputs):
    def one(self, exit_code, phrases, text, **options):
        arguments = options.pop("arguments", [])
        outcome = self.refuse_case(exit_code, phrases, self.write("case.toml", text), options.pop("program", "ritz-elasticity"), *arguments, **options)
        self.assertEqual(outcome.errors.count("error: "), 1, outcome.errors)

    def setUp(self):
        super().setUp()
        self.write("mesh.msh", boxes.cubes(["a"]))

    def test_a_table_with_one_bracket_in_place_of_two(self):
        text = '[mesh]\nfile = "mesh.msh"\n' + CUBE.replace("[[traction]]", "[traction]")
        self.one(2, ["'traction' is a table", "each under its own [[traction]]"], text)

    def test_a_probe_with_a_point_and_a_region(self):
        probe = '[[probe]]\nname = "p"\nfield = "displacement"\nregion = "a"\npoint = [0, 0, 0]\nmeasure = "max"\n'
        self.one(2, ["a probe has a point and a region"], '[mesh]\nfile = "mesh.msh"\n' + CUBE + probe)

    def test_a_case_file_in_latin_1(self):
        case = self.folder / "case.toml"
        case.write_bytes('title = "Träger"\n[mesh]\nfile = "mesh.msh"\n'.encode("latin-1"))
        self.refuse_case(2, ["utf-8", "case.toml:1:", "save the file as UTF-8"], case)

    def test_times_take_units(self):
        body = '[mesh]\nfile = "mesh.msh"\n' + CUBE.replace("poisson", "density = 7850\npoisson")
        self.one(2, ["'time.end' is '1 m', and its unit is s"], body + '[time]\nend = "1 m"\nstep = 1\n')
        outcome = self.solve("ritz-elasticity", self.write("case.toml", body + '[time]\nend = "2 min"\nstep = "0.5 min"\n'))
        self.assertIn("t = 120, step 4", outcome.log)

    def test_a_table_that_cannot_be_read_is_the_only_mistake_of_the_formulas_that_call_it(self):
        hot = '[[temperature]]\nregion = "a.x0"\nvalue = 1\n'
        table = '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\n'
        for rows, phrase in (("x,k\n0,1\n1,nan\n", "'nan' is not a finite number"), ("x;k\n0;1\n", "a table has 2 to 4 columns"), (None, "does not exist")):
            for formula in ("2 * k(x)", "k(T)"):
                if rows is not None:
                    self.write("k.csv", rows)
                else:
                    (self.folder / "k.csv").unlink(missing_ok=True)
                text = '[mesh]\nfile = "mesh.msh"\n' + COPPER.format("a").replace("400", f'"{formula}"') + hot + table
                self.one(2, [phrase], text, program="ritz-heat")

    def test_directions_have_any_length(self):
        """Components whose squares are beyond the range of numbers: once supports were left out, and planes had all facets, in silence."""
        for length in (1e-200, 1, 1e200):
            far = f'[[region]]\nname = "far"\nkind = "facets"\nplane = {{point = [1, 0, 0], normal = [{length}, 0, 0]}}\nnormal = {{direction = [{length}, 0, 0]}}\n'
            support = far + f'[[displacement]]\nregion = "far"\ndirection = [{length}, {length}, 0]\nvalue = 0.001\n'
            probe = '[[probe]]\nname = "u"\nfield = "displacement"\npoint = [1, 0, 0]\n'
            case = self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + STEEL.format("a") + CLAMP.format("a.x0") + support + probe)
            x, y, _ = self.solve("ritz-elasticity", case).probes["u"]
            self.assert_close(x + y, 0.001 * math.sqrt(2), 1e-9)

    def test_nothing_radiates_from_below_absolute_zero(self):
        begin = '[time]\nend = 1\n[initial]\ntemperature = -500\n'
        body = '[mesh]\nfile = "mesh.msh"\n' + COPPER.format("a") + "density = 8900\nspecific_heat = 385\n" + begin
        radiation = '[model]\nabsolute_zero = -273.15\n[[radiation]]\nregion = "a.x1"\nemissivity = 0.5\nambient = 20\n'
        self.one(4, ["the temperature at the begin is -500, below absolute zero, -273.15", "initial.temperature"], body + radiation, program="ritz-heat", arguments=["--check"])
        notices = self.solve("ritz-heat", self.write("case.toml", body)).report["notices"]
        self.assertTrue(any("8 nodes are colder than absolute zero (-273.15), down to -500" in each for each in notices), notices)

    def test_a_density_in_grams_is_doubtful_where_loads_are_borne(self):
        case = self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + CUBE.replace("poisson", "density = 7.85\npoisson"))
        notices = self.solve("ritz-elasticity", case, "--check").report["notices"]
        self.assertTrue(any("density = 7.85" in each and "7.85 g/cm^3" in each for each in notices), notices)


class Start(BadInputs):
    def test_several_ranks_do_not_each_run_the_whole_case(self):
        ranks = {"OMPI_COMM_WORLD_SIZE": "4", "RITZ_INDEPENDENT_RANKS": ""}
        outcome = self.refuse_case(8, ["started as 4 ranks", "srun"], example("structure/portal"), "ritz-structure", environment=ranks)
        self.assertFalse((outcome.folder / "results").exists())
        self.solve("ritz-structure", example("structure/portal"), environment={**ranks, "RITZ_INDEPENDENT_RANKS": "1"})


class RunByItsTables(BadInputs):
    def ritz_run(self, case, *arguments):
        return subprocess.run([str(word) for word in (ritz.BIN / "ritz", "run", case, *arguments)], capture_output=True, text=True, cwd=self.folder)

    def test_ritz_run_starts_the_program_of_a_case_with_its_options(self):
        for case, program in ("wall", "ritz-heat"), ("modal/cantilever", "ritz-modal"), ("structure/portal", "ritz-structure"), ("thermal/le11", "ritz-elasticity"):
            outcome = self.ritz_run(example(case), "--check", "--json", "report.json", "--output", "there")
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.assertEqual(json.loads((self.folder / "report.json").read_text())["program"], program)
        self.assertEqual(self.ritz_run(example("wall"), "--colour", "red").returncode, 2)

    def test_a_case_that_several_programs_read_is_not_guessed(self):
        outcome = self.ritz_run(self.write("case.toml", "[mesh]\nfile = 'a.msh'\n"))
        self.assertEqual((outcome.returncode, outcome.stdout), (2, ""))
        self.assertIn("is a case for ritz-elasticity or ritz-heat", outcome.stderr)
        self.assertIn("it is a Gmsh mesh", self.ritz_run(self.write("mesh.msh", boxes.cubes(["a"]))).stderr)

    def test_a_case_that_no_program_reads_gets_the_messages_of_the_closest(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        solid = '[mesh]\nfile = "mesh.msh"\n' + STEEL.format("a") + CLAMP.format("a.x0") + PULL.format("a.x1")
        for text, phrases in ((solid + "[[contact]]\n", ("unknown table 'contact' at", "contact, friction and bolts are not in Ritz yet")),
                              (solid + "[solver]\nallow_unloaded = true\n", ("unknown key 'solver.allow_unloaded'", "write it above the first [table]")),
                              (solid + "[spectrum]\n", ("unknown table 'spectrum' at", "[harmonic], [random], [spectrum] and [history] next to [modal] in ritz-modal")),
                              (solid + "[harmonic]\n", ("[harmonic] without [modal]",)),
                              (solid + "[[paths]]\n", ("unknown table 'paths' at", "fields along a line are [[path]]")),
                              (solid + "[linearisation]\n", ("unknown table 'linearisation' at", "linearised stresses its linearise = true")),
                              (solid.replace("[mesh]", "[mehs]"), ("missing key 'mesh.file'", "is 'mehs' meant to be it?"))):
            outcome = self.ritz_run(self.write("case.toml", text))
            self.assertEqual(outcome.returncode, 2, outcome.stderr)
            for phrase in phrases:
                self.assertIn(phrase, outcome.stderr)


class CaseFile(BadInputs):
    def test_the_good_case_is_good(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        self.solve("ritz-elasticity", self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + CUBE))

    def test_all_mistakes_of_a_file_in_one_run(self):
        body = ('scael = 2\norder = "two"\n[solvr]\ntolerance = 1e-3\n' + STEEL.format("a").replace("poisson", "poison")
                + CLAMP.format("a.x9") + PULL.format("a.x1").replace("[1e6, 0, 0]", "[1e6, 0]")
                + '[[probe]]\nname = "p"\nfield = "displacment"\npoint = [0, 0, 7]\n')
        outcome = self.refuse(2, [
            "unknown key 'mesh.scael'", "did you mean 'scale'?", "'mesh.order' is the text 'two' at", "unknown table 'solvr'", "did you mean 'solver'?",
            "unknown key 'material.0.poison'", "did you mean 'poisson'?", "the region 'a.x9', which is not in the mesh",
            "did you mean 'a.x0'?", "'traction.0.value' is the list [", "give a list of 3 numbers",
            "there is no field 'displacment'", "did you mean 'displacement'?", "(0, 0, 7) lies outside", "case.toml:3:1"], body)
        self.assertGreaterEqual(outcome.errors.count("error: "), 8)

    def test_every_letter_missing_from_a_key_gets_the_right_suggestion(self):
        keys = ["mesh.scale", "mesh.order", "solver.method", "solver.preconditioner", "solver.tolerance", "solver.max_iterations",
                "material.0.young", "material.0.poisson", "material.0.density", "output.folder", "output.compression"]
        typos, right = {}, []
        for path in keys:
            table, key = path.rsplit(".", 1)
            for i in range(len(key)):
                typos[f"{table}.{key[:i]}{key[i + 1:]}"] = 1
                right.append((f"unknown key '{table}.{key[:i]}{key[i + 1:]}'", f"did you mean '{key}'?"))
        errors = self.refuse_case(2, [], example("cantilever"), keys=typos).errors.split("error: ")
        found = sum(any(what in error and fix in error for error in errors) for what, fix in set(right))
        self.assertGreaterEqual(found, 0.95 * len(set(right)))

    def test_names_of_other_programs_get_the_right_suggestion(self):
        outcome = self.refuse(2, ["unknown key 'material.0.E'", "did you mean 'young'?", "unknown key 'material.0.nu'", "did you mean 'poisson'?",
                                  "unknown table 'support'", "did you mean 'displacement'?"],
                              '[[material]]\nregion = "a"\nE = 210e9\nnu = 0.3\n[[support]]\nregion = "a.x0"\nfixed = true\n')
        self.assertNotIn("missing key", outcome.errors)

    def test_settings_of_other_programs_get_the_right_suggestion(self):
        fixes = {"solver": {"tol": "tolerance", "rtol": "tolerance", "maxiter": "max_iterations", "iterations": "max_iterations", "type": "method"},
                 "time": {"dt": "step", "time_step": "step", "t_end": "end", "duration": "end", "scheme": "method", "output_every": "output"}}
        body = COPPER.format("a") + '[[temperature]]\nregion = "a.x0"\nvalue = 0\n' + "".join(
            f"[{table}]\n" + "".join(f"{key} = 1\n" for key in keys) for table, keys in fixes.items()) + "[newton]\nmaxiter = 9\n"
        errors = self.refuse(2, [], body, program="ritz-heat").errors.split("error: ")
        for table, keys in {**fixes, "newton": {"maxiter": "max_steps"}}.items():
            for key, ours in keys.items():
                self.assertTrue(any(f"unknown key '{table}.{key}'" in error and f"did you mean '{ours}'?" in error for error in errors), f"{table}.{key}")
        for key in ("threads", "device"):
            self.refuse(2, [f"unknown key 'solver.{key}'", "options of the command line: --device, --threads"],
                        COPPER.format("a") + f"[solver]\n{key} = 1\n", program="ritz-heat")

    def test_a_profile_by_a_name_that_is_nearly_right_asks_for_nothing_else(self):
        for near, profile in (("I", "i"), ("rect", "rectangle")):
            with self.subTest(near):
                outcome = self.refuse_case(2, [f"did you mean '{profile}'?"], example("structure/portal"), "ritz-structure",
                                           keys={"section.1.profile": f'"{near}"'})
                self.assertNotIn("inertia_y", outcome.errors)
                self.assertNotIn("'section.1.height'", outcome.errors)

    def test_duplicate_keys(self):
        self.refuse(2, ["cannot redefine", "'poisson'", "case.toml:7"], STEEL.format("a") + "poisson = 0.2\n" + CLAMP.format("a.x0"))

    def test_not_toml(self):
        self.refuse(2, ["case.toml:3"], "young == 3\n")

    def test_wrong_type(self):
        self.refuse_setting(2, ["'material.0.young' is the formula 'stiff'", "'stiff' is not known, character 1", "variables are 'x', 'y' and 'z'"], material__0__young='"stiff"')

    def test_choice(self):
        self.refuse_setting(2, ["'plane_strain', 'plane_stress' and 'axisymmetric'"], "cook", model__type="plain_stress")

    def test_unknown_region(self):
        self.refuse_setting(2, ["names the region 'ende', which is not in the mesh", "'clamp' and 'end'", "did you mean 'end'?"],
                            force__0__region="ende")

    def test_region_of_the_wrong_kind(self):
        self.refuse_setting(2, ["'steel', a region of cells, but a region of facets or nodes is needed"], force__0__region="steel")

    def test_numbers_that_are_none(self):
        for value in ("nan", "inf", "-inf"):
            self.refuse_setting(2, [f"'force.0.value' is {value}"], force__0__value=f"[0, 0, {value}]")
            self.refuse_setting(2, [f"is {value}"], "wall", "ritz-heat", convection__0__ambient=value)

    def test_a_plane_mesh_says_what_it_stands_for(self):
        self.refuse(2, ["missing key 'model.type'", "'plane_strain', 'plane_stress' and 'axisymmetric'"],
                    STEEL.format("all") + CLAMP.format("left"), boxes.square())

    def test_no_thickness_around_an_axis(self):
        self.refuse_setting(2, ["an axisymmetric model has no thickness"], "lame/axisymmetric", model__thickness=2)
        self.refuse_setting(2, ["mid_nodes = 'full' without order = 2", "add order = 2"], "lame/axisymmetric", mesh__mid_nodes="full")

    def test_gravity_needs_density(self):
        self.refuse(2, ["missing key 'material.0.density'"], CUBE + "[gravity]\nacceleration = [0, 0, -9.81]\n")

    def test_a_displacement_that_prescribes_nothing(self):
        self.refuse(2, ["prescribes nothing"], CUBE + '[[displacement]]\nregion = "a.x1"\n')


class Model(BadInputs):
    def test_pressure_between_two_cells_has_no_direction(self):
        body = STEEL.format("all") + CLAMP.format("left") + '[[pressure]]\nregion = "between"\nvalue = 1e6\n'
        self.refuse(2, ["1 of the 1 facets of 'between' lie between two cells", "case.toml:11:10", "[[traction]]"], body, boxes.pair())

    def test_displacements_that_are_not_small_are_told_once(self):
        """A load in Pa that was meant in MPa: the cube would be stretched to twice its length."""
        self.write("mesh.msh", boxes.cubes(["a"]))
        case = self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + CUBE)
        told = lambda **keys: [n for n in self.solve("ritz-elasticity", case, keys=keys).report["notices"] if "displacements differ by" in n]
        self.assertEqual(told(), [])
        [notice] = told(**{"traction.0.value": "[2.1e11, 0, 0]"})
        self.assertIn("the model measures 1.73", notice)

    def test_missing_material(self):
        self.refuse(4, ["1 of 2 cells have no material", "'b'"],
                    STEEL.format("a") + CLAMP.format("a.x0") + CLAMP.format("b.x0"), boxes.cubes(["a", "b"]))
        self.refuse(4, ["1 of 1 cells have no material"], CLAMP.format("a.x0"))
        self.refuse(4, ["1 of 1 cells have no material"], '[[temperature]]\nregion = "a.x0"\nvalue = 1\n', program="ritz-heat")

    def test_two_materials_overlap(self):
        self.refuse(4, ["cells have two materials", "[[material]] #1 at", "[[material]] #2 at", "share them"],
                    STEEL.format("a") + STEEL.format("all") + CLAMP.format("a.x0"))

    def test_materials_outside_their_limits(self):
        for young in (0, -210e9, -1e-300):
            self.refuse_setting(4, ["'material.0.young' is", "give a number above 0"], material__0__young=young)
        for poisson in (0.5, 0.5000000000000001, 1, -1, -1.0000000000000002):
            self.refuse_setting(4, ["'material.0.poisson' is", "above -1 and below 0.5"], material__0__poisson=poisson)
        for conductivity in (0, -1):
            self.refuse_setting(4, ["conductivity' is", "above 0"], "wall", "ritz-heat", material__1__conductivity=conductivity)

    def test_materials_just_inside_their_limits(self):
        for poisson in (0.499, 0, -0.99):
            self.solve("ritz-elasticity", example("cantilever"), keys={"material.0.poisson": poisson})

    def test_hardly_compressible_linear_cells_get_a_notice(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        for order, locks in (("", True), ("[space]\norder = 2\n", False)):
            case = self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + order + CUBE.replace("poisson = 0.3", "poisson = 0.499"))
            outcome = self.solve("ritz-elasticity", case, "--overwrite")
            self.assertEqual(any("locking" in notice for notice in outcome.report["notices"]), locks)

    def test_hardly_compressible_bent_quadrilaterals_are_too_stiff_and_say_so(self):
        """The wall of a tube by Lame, plane strain: u = (1 + nu) p / (E (b^2 - a^2)) ((1 - 2 nu) a^3 + a b^2) inside. Two and four cells through
        it hold the numbers of docs/convergence.md."""
        for count, straight, nu, low, high in ((2, False, 0.3, 0, 1e-3), (2, False, 0.4999, 0.5, 0.65), (4, False, 0.4999, 0.08, 0.1), (4, True, 0.4999, None, None)):
            self.write("tube.inp", tube(count, straight))
            case = self.write("case.toml", '[mesh]\nfile = "tube.inp"\n[model]\ntype = "plane_strain"\n' f'[[material]]\nregion = "all"\nyoung = 1\npoisson = "{nu} + 0*x"\n'
                              '[[displacement]]\nregion = "x0"\nx = 0\n[[displacement]]\nregion = "y0"\ny = 0\n[[pressure]]\nregion = "inside"\nvalue = 1\n'
                              '[[probe]]\nname = "u"\nfield = "displacement"\ncomponent = "x"\npoint = [1, 0]\n[solver]\nmethod = "direct"\n')
            outcome = self.solve("ritz-elasticity", case, "--overwrite")
            self.assertEqual(any("bent" in notice for notice in outcome.report["notices"]), nu > 0.49 and not straight)
            if low is not None:
                error = 1 - outcome.probes["u"] / ((1 + nu) / 3 * ((1 - 2 * nu) + 4))
                self.assertTrue(low < error < high, error)

    def test_no_support_at_all(self):
        errors = self.refuse(4, ["body 1", "can still move freely"], STEEL.format("a") + PULL.format("a.x1")).errors
        self.assertEqual((errors.count("translation along"), errors.count("rotation about")), (3, 3))

    def test_a_hinge_is_named(self):
        """Only the edge x = z = 0 is held, through two sides."""
        self.refuse(4, ["rotation about the axis through", "along y"],
                    STEEL.format("a") + '[[displacement]]\nregion = "edge"\nfixed = true\n' + PULL.format("a.x1"), self.cube_with_edge())

    def cube_with_edge(self):
        groups = [(3, "a"), (1, "edge"), (2, "a.x1")]
        elements = [(5, 1, list(range(1, 9))), (1, 2, [1, 4]), (3, 3, [2, 3, 7, 6])]
        return boxes.msh(boxes.CORNERS, elements, groups)

    def test_one_of_two_bodies_is_free(self):
        self.refuse(4, ["body 2 (1 cells", "can still move freely"],
                    STEEL.format("all") + CLAMP.format("a.x0"), boxes.cubes(["a", "b"]))

    def test_heat_without_any_temperature(self):
        self.refuse(4, ["the temperature of body 1", "is not determined", "prescribe a temperature or a convection"],
                    COPPER.format("a") + '[[flux]]\nregion = "a.x0"\nvalue = 10\n', program="ritz-heat")

    def test_conflicting_displacements_name_both_sources_in_any_order(self):
        tables = [CLAMP.format("a.x0"), '[[displacement]]\nregion = "a.y0"\nx = 0.1\n']
        for first, second in (tables, tables[::-1]):
            # Two nodes are common to both sides: one mistake, one error.
            outcome = self.refuse(4, ["conflicting values", "component x at node 0 (0, 0, 0), and 1 more there", "[[displacement]] #1 at",
                                      "[[displacement]] #2 at"], STEEL.format("a") + first + second)
            self.assertEqual(outcome.errors.count("conflicting values"), 1)

    def test_equal_displacements_merge(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        self.solve("ritz-elasticity", self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + CUBE + CLAMP.format("a.y0")))

    def test_a_section_across_the_axis(self):
        self.refuse(3, ["node 0 lies at x = -1, but an axisymmetric mesh needs x >= 0"],
                    '[model]\ntype = "axisymmetric"\n' + STEEL.format("all") + '[[displacement]]\nregion = "bottom"\ny = 0\n',
                    boxes.square(((-1, 0), (1, 0), (1, 1), (-1, 1))))

    def test_not_converged(self):
        outcome = self.refuse_setting(5, ["did not converge", "iteration limit after 3 iterations", "fix: allow more iterations"],
                                      solver__method="cg", solver__preconditioner="jacobi", solver__max_iterations=3)
        self.assertFalse(outcome.log.rstrip().endswith("converged"))


class MeshFile(BadInputs):
    def test_hanging_nodes_unless_they_are_meant(self):
        plate = STEEL.format("all") + CLAMP.format("left") + PULL.format("right").replace(", 0, 0", ", 0") + '[model]\ntype = "plane_stress"\n'
        self.refuse(3, ["1 hanging node in", "first node 4 at (1, 0.5, 0), on facet 1 of cell 0", "allow_torn"], plate, boxes.torn())
        outcome = self.solve("ritz-elasticity", self.folder / "case.toml", keys={"mesh.allow_torn": "true"})
        self.assertTrue(any("1 hanging node in" in notice for notice in outcome.report["notices"]))

    def test_missing_files(self):
        self.refuse_case(2, ["cannot read the case file"], self.folder / "nothing.toml")
        self.refuse_setting(2, ["'mesh.file' names the file", "which does not exist"], mesh__file="nothing.msh")

    def test_cut_short_anywhere(self):
        """At every tenth line: an error of the mesh that names the file, never a result."""
        lines = boxes.cubes(["a", "b"]).splitlines(keepends=True)
        for count in range(0, len(lines) - 1, 10):
            with self.subTest(lines=count):
                self.refuse(3, ["mesh.msh"], CUBE, "".join(lines[:count]))

    def test_inverted_cells(self):
        mesh = boxes.cubes(["a", "b"])
        reversed_cell, folded_cell = (mesh.replace(" 1 2 3 4 5 6 7 8\n", f" {nodes}\n") for nodes in ("5 6 7 8 1 2 3 4", "1 2 4 3 5 6 8 7"))
        self.refuse(3, ["inside out (negative Jacobian)", "the first is at (0.5, 0.5, 0.5)"], CUBE, reversed_cell)
        self.refuse(3, ["folded", "the first is at (0.5, 0.5, 0.5)"], CUBE, folded_cell)

    def test_all_cells_reversed_are_renumbered_with_a_notice(self):
        mesh = boxes.cubes(["a"])
        self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + CUBE + '[[probe]]\nname = "u"\nfield = "displacement"\nregion = "a.x1"\nmeasure = "mean"\n')
        results = []
        for text in (mesh, mesh.replace(" 1 2 3 4 5 6 7 8\n", " 5 6 7 8 1 2 3 4\n")):
            self.write("mesh.msh", text)
            results.append(self.solve("ritz-elasticity", self.folder / "case.toml"))
        self.assertEqual(len(results[1].report["notices"]), len(results[0].report["notices"]) + 1)
        self.assert_close(results[1].probes["u"][0], results[0].probes["u"][0], 1e-12)

    def test_nodes_that_are_no_numbers(self):
        self.refuse(3, ["without usable coordinates"], CUBE, boxes.cubes(["a"]).replace("8 0 1 1\n", "8 nan 1 1\n"))

    def test_not_a_mesh(self):
        self.refuse(3, ["mesh.msh"], CUBE, "PNG\r\n\x1a\n")


class Solver(BadInputs):
    def test_unknown_names_list_the_valid_ones_and_the_nearest(self):
        self.refuse_setting(2, ["'auto', 'cg', 'flexible_cg', 'minres', 'gmres', 'bicgstab' and 'direct'", "did you mean 'gmres'?"],
                            solver__method="gmers")
        self.refuse_setting(2, ["'auto', 'none', 'jacobi', 'chebyshev' and 'multigrid'", "did you mean 'jacobi'?"],
                            solver__preconditioner="jacoby")

    def test_senseless_combinations(self):
        self.refuse_setting(2, ["'direct' was named together with the preconditioner 'jacobi'", "omit the preconditioner"],
                            solver__method="direct", solver__preconditioner="jacobi")
        self.refuse_setting(2, ["'restart' was given for the method 'minres'", "only GMRES restarts"], solver__method="minres", solver__restart=20)

    def test_what_has_no_effect_is_told(self):
        for keys, said in (({"solver.method": "direct", "solver.max_iterations": 7}, ["[solver] max_iterations"]),
                           ({"solver.method": "direct", "solver.multigrid.smoothing_degree": 3}, ["[solver.multigrid]"]),
                           ({"solver.preconditioner": "jacobi", "solver.multigrid.precision": "double"}, ["[solver.multigrid]"]),
                           ({"solver.method": "cg", "solver.direct_memory": 3}, ["[solver] direct_memory"]),
                           ({"solver.method": "cg", "solver.preconditioner": "multigrid", "solver.multigrid.smoothing_degree": 3}, []),
                           ({"solver.method": "direct"}, [])):
            notices = self.solve("ritz-heat", example("fin"), keys=keys).report["notices"]
            self.assertEqual([notice.split(" has no effect")[0] for notice in notices if "no effect" in notice], said)
        case = example("modal").parent / "cantilever.toml"
        notices = self.solve("ritz-modal", case, keys={"modal.count": 3, "modal.animate_displacement": 0.1}).report["notices"]
        self.assertTrue(any("animate_displacement has no effect" in notice for notice in notices))

    def test_every_method_and_preconditioner_solves(self):
        for method in ("cg", "flexible_cg", "minres", "gmres", "bicgstab"):
            for preconditioner in ("auto", "none", "jacobi", "chebyshev", "multigrid"):
                with self.subTest(method=method, preconditioner=preconditioner):
                    outcome = self.solve("ritz-heat", example("fin"), keys={"solver.method": method, "solver.preconditioner": preconditioner})
                    self.assertLessEqual(outcome.residual, 1e-8)
        self.solve("ritz-heat", example("fin"), keys={"solver.method": "gmres", "solver.restart": 5})

    def test_a_run_that_does_not_converge_reports_its_solve(self):
        outcome = self.refuse_setting(5, ["did not converge: iteration limit after 7 iterations", "allow more iterations"],
                                      solver__method="cg", solver__preconditioner="jacobi", solver__max_iterations=7)
        solver = outcome.report["solver"]
        self.assertEqual((solver["method"], solver["reason"], solver["iterations"]), ("conjugate gradients", "iteration limit", 7))
        self.assertEqual(len(solver["last_residuals"]), 7)
        self.assertGreater(solver["true_relative_residual"], 1e-8)
        self.assertGreater(outcome.report["unknowns"], 0)

    def test_too_little_memory_for_a_factorisation(self):
        self.refuse_setting(6, ["the direct solver needs", "GB that it may take"], solver__method="direct", solver__direct_memory=1e-6)
        outcome = self.solve("ritz-elasticity", example("cantilever"), keys={"solver.direct_memory": 1e-6})
        self.assertEqual(outcome.report["solver"]["factor_bytes"], 0)

    def test_numbers_that_overflow_name_node_position_and_region(self):
        self.refuse_setting(4, ["the loads at node", "are not finite", "'steel'"], force__0__value="[0, 0, 1e308]")
        self.refuse_setting(4, ["at node", "not finite", "'steel'"], material__0__young=1.7e308)


class Surroundings(BadInputs):
    def test_output_folder_that_cannot_be_written_is_found_before_the_solve(self):
        obstacle = self.write("results", "a file where the folder should be")
        for arguments in ([], ["--check"]):
            outcome = self.refuse_case(7, ["cannot write results to the folder", "results"], example("cantilever"), "ritz-elasticity",
                                       *arguments, output=obstacle)
            self.assertNotIn("solve:", outcome.log)

    def test_report_that_cannot_be_written(self):
        obstacle = self.write("file", "")
        outcome = self.refuse_case(7, ["cannot write"], example("cantilever"), report=obstacle / "report.json")
        self.assertNotIn("solve:", outcome.log)

    def test_command_line(self):
        for arguments, phrase in ((["--colour", "red"], "--colour"), (["--threads", "two"], "threads"), (["--device", "tpu"], "unknown device 'tpu'"),
                                  (["--set", "mesh.scale"], "cannot understand override 'mesh.scale'")):
            with self.subTest(arguments=arguments):
                self.refuse_case(2, [phrase], example("cantilever"), "ritz-elasticity", *arguments)

        for words, near in ((["--outptu", "x"], "--output"), (["--threasd=2"], "--threads")):
            self.refuse_case(2, [f"unknown option '{words[0].split('=')[0]}'", f"did you mean '{near}'?"], example("cantilever"), "ritz-elasticity", *words)
        for words, near in ((["mseh", "info", "a.msh"], "mesh"), (["mesh", "inof", "a.msh"], "info"), (["mesh", "info", "a.msh", "--scael", "2"], "--scale")):
            done = subprocess.run([ritz.BIN / "ritz", *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"did you mean '{near}'?", done.stderr)
        self.refuse_case(2, ["-3 threads were asked for"], example("cantilever"), threads=-3)
        self.refuse_case(2, ["--output was given more than once", "fix: give it once"], example("cantilever"), "ritz-elasticity", "--output", "elsewhere")
        others = self.run_case("ritz-elasticity", example("cantilever"), "--colour", environment={"PMI_SIZE": "2", "PMI_RANK": "1", "RITZ_INDEPENDENT_RANKS": ""})
        self.assertEqual((others.exit, others.errors), (2, ""))  # the first rank tells

    def test_check_solves_nothing(self):
        outcome = self.solve("ritz-elasticity", example("bracket"), "--check")
        self.assertIn("nothing was solved", outcome.log)
        self.assertIsNone(outcome.report["solver"])
        self.assertFalse(list(outcome.folder.rglob("*.vtu")))

    def test_results_are_not_touched_by_a_failing_run(self):
        first = self.solve("ritz-elasticity", example("cantilever"))
        before = {path: path.read_bytes() for path in (first.folder / "results").rglob("*") if path.is_file()}
        failing = self.run_case("ritz-elasticity", example("cantilever"), "--overwrite", output=first.folder / "results",
                                keys={"solver.method": "cg", "solver.preconditioner": "jacobi", "solver.max_iterations": 3})
        self.assertEqual(failing.exit, 5)
        self.assertEqual(before, {path: path.read_bytes() for path in (first.folder / "results").rglob("*") if path.is_file()})


if __name__ == "__main__":
    unittest.main()
