"""ritz.run: cases as files, tables and arrays, with the numbers of the programs to the last bit."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import ritz
from solver_test import grows

BIN = pathlib.Path(os.environ["RITZ_BIN"])
EXAMPLES = pathlib.Path(os.environ["RITZ_EXAMPLES"])


class Import(unittest.TestCase):
    def test_a_module_for_numpy_1_refuses_numpy_2(self):
        """Built with an older pybind11 it would read arrays of NumPy 2 wrongly, without an error."""
        pretend = "import sys, types; numpy = types.ModuleType('numpy'); numpy.__version__ = '2.1.0'; sys.modules['numpy'] = numpy; "
        outcome = subprocess.run([sys.executable, "-c", pretend + "import ritz._ritz"], capture_output=True, text=True)
        if outcome.returncode == 0:
            self.skipTest("skipped: built with a pybind11 that knows NumPy 2")
        self.assertIn("NumPy 2.1.0 with a module that was built for NumPy 1", outcome.stderr)


def bar(n=(8, 2, 2), size=(4.0, 1.0, 1.0)):
    """A bar of hexahedra with regions left, right (facets), corner (a node) and steel."""
    points = np.stack(np.meshgrid(*[np.linspace(0, s, k + 1) for s, k in zip(size, n)], indexing="ij"), -1).reshape(-1, 3)
    number = np.arange(len(points)).reshape([k + 1 for k in n])
    at = lambda *steps: [number[tuple(slice(s, s + k) for s, k in zip(step, n))].ravel() for step in steps]
    cells = np.stack(at((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)), 1)
    ends = [np.stack([side[:-1, :-1], side[1:, :-1], side[1:, 1:], side[:-1, 1:]], -1).reshape(-1, 4) for side in (number[0], number[-1])]
    count = len(ends[0])
    return ritz.Mesh(points, {"hex8": cells, "quad4": np.vstack(ends)},
                     {"steel": {"hex8": np.ones(len(cells), bool)}, "left": {"quad4": np.arange(count)},
                      "right": {"quad4": np.arange(2 * count) >= count}, "corner": {"nodes": [number[-1, -1, -1]]}})


def tension(**more):
    return {"material": [{"region": "steel", "young": 200e9, "poisson": 0.0, "density": 7850}], "displacement": [{"region": "left", "fixed": True}],
            "force": [{"region": "right", "value": [1e6, 0, 0]}], "solver": {"tolerance": 1e-12},
            "probe": [{"name": "tip", "field": "displacement", "component": "x", "region": "corner", "measure": "max"}]} | more


def by_the_program(program, path, folder):
    report = pathlib.Path(folder) / "report.json"
    done = subprocess.run([BIN / f"ritz-{program}", path, "--threads", "1", "--json", report, "--output", pathlib.Path(folder) / "out", "--quiet"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(report.read_text())


class Cases(unittest.TestCase):
    ROWS = [("elasticity", "le1/le1.toml"), ("elasticity", "bracket/bracket.toml"), ("elasticity", "joining/shaft.toml"), ("heat", "wall/wall.toml"),
            ("heat", "heat_sink/heat_sink.toml"), ("elasticity", "bracket/load_cases.toml")]

    def assert_same(self, result, report):
        for name, value in report["probes"].items():
            self.assertEqual(result.probes[name], value, name)
        for name, case in {**report["load_cases"], **report["combinations"]}.items():
            for probe, value in case["probes"].items():
                self.assertEqual(result.load_case(name).probes[probe], value, (name, probe))

    def test_files_and_tables_give_the_bits_of_the_programs(self):
        try:
            import tomllib
        except ImportError:
            tomllib = None
        seen = 0
        for program, name in self.ROWS:
            path = EXAMPLES / name
            if not path.exists():
                continue
            seen += 1
            with tempfile.TemporaryDirectory() as folder:
                report = by_the_program(program, path, folder)
            self.assert_same(ritz.run(path, threads=1), report)
            if tomllib is not None:
                self.assert_same(ritz.run(tomllib.loads(path.read_text()), folder=path.parent, threads=1), report)
        self.assertGreater(seen, 3)

    def test_a_bar_from_arrays_stretches_as_hooke_says(self):
        result = ritz.run(tension(), mesh=bar())
        self.assertAlmostEqual(result.probes["tip"], 1e6 * 4 / 200e9, delta=1e-15)
        u = result.fields["displacement"]
        self.assertEqual(u.shape, (81, 3))
        self.assertTrue(np.allclose(u[:, 0], bar().points[:, 0] * 1e6 / 200e9, rtol=1e-9, atol=1e-18))
        self.assertAlmostEqual(result.fields["reaction"].sum(0)[0], -1e6, delta=1e-3)
        self.assertEqual(result.fields["von_mises"].shape, (81,))
        self.assertEqual(result.cell_fields["von_mises"].shape, (32,))
        self.assertTrue(np.allclose(result.cell_fields["von_mises"], 1e6))
        self.assertFalse(u.flags.owndata)  # Ritz's memory, taken over
        self.assertEqual(result.report["status"], "complete")

    def test_overrides_and_scale(self):
        result = ritz.run(tension(), {"material.0.young": 100e9, "force.0.value": np.array([2e6, 0, 0])}, mesh=bar())
        self.assertAlmostEqual(result.probes["tip"], 2e6 * 4 / 100e9, delta=1e-14)
        short = ritz.run(tension(mesh={"scale": 0.5}), mesh=bar())  # half as long, a quarter of the area
        self.assertAlmostEqual(short.probes["tip"], 1e6 * 2 / (200e9 / 4), delta=1e-15)

    def test_load_cases_are_steps_of_their_names(self):
        case = tension(load_case=[{"name": name, "force": [{"region": "right", "value": [f, 0, 0]}]} for name, f in (("a", 1e6), ("b", 3e6))],
                       combination=[{"name": "both", "factors": {"a": 1, "b": -1}}])
        del case["force"]
        result = ritz.run(case, mesh=bar())
        self.assertEqual([step.load_case for step in result.steps], ["a", "b", "both"])
        self.assertAlmostEqual(result.load_case("both").probes["tip"], -2e6 * 4 / 200e9, delta=1e-14)
        with self.assertRaises(KeyError):
            result.load_case("c")

    def test_heat_and_modes_are_known_by_their_tables(self):
        heat = {"material": [{"region": "steel", "conductivity": 2.0}], "temperature": [{"region": "left", "value": 0}, {"region": "right", "value": 8}]}
        result = ritz.run(heat, mesh=bar())
        self.assertTrue(np.allclose(result.fields["temperature"], 2 * bar().points[:, 0], atol=1e-6))
        modes = ritz.run({key: tension()[key] for key in ("material", "displacement")} | {"modal": {"count": 2}}, mesh=bar())
        self.assertEqual(len(modes.frequencies), 2)
        self.assertTrue(0 < modes.frequencies[0] <= modes.frequencies[1])
        self.assertEqual(len(result.frequencies), 0)
        self.assertIn("mode_1", modes.fields)

    def test_steps_in_time_have_their_times(self):
        heat = {"material": [{"region": "steel", "conductivity": 2.0, "density": 1.0, "specific_heat": 1.0}],
                "temperature": [{"region": "left", "value": 0}], "initial": {"temperature": 1.0}, "time": {"end": 2.0, "output": 1.0}}
        result = ritz.run(heat, mesh=bar(), physics="heat")
        self.assertEqual([step.time for step in result.steps], [0.0, 1.0, 2.0])

    def test_nothing_is_written_unless_output_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            code = f"import sys; sys.path[:0] = {sys.path!r}; import run_test, ritz; ritz.run(run_test.tension(), mesh=run_test.bar())"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(os.listdir(folder), [])
            result = ritz.run(tension(), mesh=bar(), output=folder + "/out")
            self.assertIn("case.pvd", os.listdir(folder + "/out"))
            self.assertAlmostEqual(result.probes["tip"], 2e-5, delta=1e-15)
            with self.assertRaises(ritz.OutputError) as raised:
                ritz.run(tension(), mesh=bar(), output=folder + "/out")
            self.assertEqual(raised.exception.kind, "results-exist")
            ritz.run(tension(), mesh=bar(), output=folder + "/out", overwrite=True)

    def test_check_solves_nothing_and_forecasts(self):
        report = ritz.check(tension(), mesh=bar())
        self.assertEqual(report["status"], "complete")
        self.assertEqual(report["solves"], [])
        self.assertTrue(report["forecast"])

    def test_a_thousand_models_leave_no_memory_behind(self):
        mesh = bar((2, 1, 1))
        self.assertLess(grows(lambda: ritz.run(tension(), mesh=mesh, threads=1), 200, 800), 2e6)


class Mistakes(unittest.TestCase):
    def test_all_of_a_case_come_at_once_with_kind_key_and_remedy(self):
        with self.assertRaises(ritz.InputError) as raised:
            ritz.run(tension(material=[{"region": "steel", "young": -1, "poison": 0.3}]), mesh=bar())
        kinds = {error.kind: error for error in raised.exception.errors}
        self.assertLessEqual({"unknown-key", "material-value"}, set(kinds))
        self.assertEqual(kinds["material-value"].key, "material.0.young")
        self.assertEqual(kinds["unknown-key"].remedy, "did you mean 'poisson'?")
        self.assertNotIn(".toml", str(raised.exception))

    def test_regions_bodies_and_meshes(self):
        with self.assertRaises(ritz.InputError) as raised:
            ritz.run(tension(force=[{"region": "rigth", "value": [1, 0, 0]}]), mesh=bar())
        self.assertEqual((raised.exception.kind, raised.exception.remedy), ("unknown-region", "did you mean 'right'?"))
        with self.assertRaises(ritz.ModelError) as raised:
            ritz.run(tension(displacement=[]), mesh=bar())
        self.assertEqual(raised.exception.kind, "unsupported-body")
        turned = bar()
        cells = turned.cells["hex8"].copy()
        cells[3] = cells[3][[4, 5, 6, 7, 0, 1, 2, 3]]
        with self.assertRaises(ritz.MeshError) as raised:
            ritz.run(tension(), mesh=ritz.Mesh(turned.points, {"hex8": cells, "quad4": turned.cells["quad4"]},
                                               {name: dict(cells) | ({"nodes": nodes} if len(nodes) else {}) for name, (cells, nodes) in turned.regions.items()}))
        self.assertEqual(raised.exception.kind, "inverted-cells")
        with self.assertRaises(ritz.InputError):
            ritz.run(EXAMPLES / "nowhere.toml")

    def test_a_solver_that_stops_early_raises(self):
        with self.assertRaises(ritz.NotConverged):
            ritz.run(tension(solver={"method": "cg", "preconditioner": "none", "max_iterations": 2}), mesh=bar())

    def test_a_call_within_a_callback_is_refused(self):
        inner = lambda *_: ritz.run(tension(), mesh=bar((1, 1, 1)))
        slow = lambda **more: ritz.run(tension(solver={"method": "cg", "preconditioner": "multigrid", "operator": "matrix"}), mesh=bar((12, 6, 6)), **more)
        with self.assertRaises(ritz.Error) as raised:
            slow(progress=inner)
        for part in ("within a progress callback", "one call is at work", "when the other call has returned"):
            self.assertIn(part, str(raised.exception))
        before = signal.signal(signal.SIGALRM, inner)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            with self.assertRaises(ritz.Error) as raised:
                while True:
                    slow()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertIn("within a signal handler", str(raised.exception))
        inner()

    def test_progress_of_a_run_may_stop_it(self):
        said = []
        case = tension(solver={"method": "cg", "preconditioner": "multigrid", "operator": "matrix"})
        ritz.run(case, mesh=bar((12, 6, 6)), progress=said.append)
        self.assertTrue(said)
        with self.assertRaises(ZeroDivisionError):
            ritz.run(case, mesh=bar((12, 6, 6)), progress=lambda text: 1 / 0)

    def test_the_tables_tell_the_program(self):
        heat = {"material": [{"region": "steel", "conductivity": 2.0}], "temperature": [{"region": "left", "value": 3.0}]}
        self.assertIn("temperature", ritz.run(heat, mesh=bar()).fields)
        modal = {key: tension()[key] for key in ("material", "displacement")}
        for case, overrides in ((modal | {"modal": {"count": 1}}, None), (modal, {"modal.count": 1})):
            self.assertIn("mode_1", ritz.run(case, overrides, mesh=bar()).fields)
        self.assertIn("temperature", ritz.run(EXAMPLES / "wall/wall.toml").fields)
        with self.assertRaises(ritz.InputError) as raised:
            ritz.run(heat | {"temprature": [{"region": "right", "value": 3.0}]}, mesh=bar())
        self.assertIn("temprature", str(raised.exception))
        self.assertIn("did you mean", str(raised.exception))
        with self.assertRaises(ritz.InputError):
            ritz.run("nowhere.toml")

    def test_sweeps_are_loops(self):
        with self.assertRaises(ritz.InputError) as raised:
            ritz.run(tension(sweep={"parameter": [{"key": "material.0.young", "values": [1e9, 2e9]}]}), mesh=bar())
        self.assertEqual(raised.exception.kind, "sweep")

    def test_arrays_that_are_no_mesh_are_refused_in_words(self):
        points, cells = bar().points, bar().cells["hex8"]

        def held_by_itself():
            case = tension()
            case["material"].append(case)
            return case

        for words, call in {"'hexa'": lambda: ritz.Mesh(points, {"hexa": cells}), "8 nodes each": lambda: ritz.Mesh(points, {"hex8": cells[:, :7]}),
                            "from 0 to 81": lambda: ritz.Mesh(points, {"hex8": np.where(cells == 80, 81, cells)}), "points of shape": lambda: ritz.Mesh(points[0], {"hex8": cells}),
                            "a mask of shape": lambda: ritz.Mesh(points, {"hex8": cells}, {"a": {"hex8": np.ones(3, bool)}}),
                            "make it a mask of booleans": lambda: ritz.Mesh(points, {"hex8": cells}, {"a": {"hex8": np.arange(len(cells)) % 2}}),
                            "that are not there": lambda: ritz.Mesh(points, {"hex8": cells}, {"a": {"hex8": [99]}}),
                            "has cells 'tet4'": lambda: ritz.Mesh(points, {"hex8": cells}, {"a": {"tet4": [0]}}),
                            "points of type complex128": lambda: ritz.Mesh(points + 1j, {"hex8": cells}), "of type complex128": lambda: ritz.per_cell([4 + 1j]),
                            "an array of a case with 1 masked numbers": lambda: ritz.per_cell(np.ma.array([4.0, 5.0], mask=[0, 1])),
                            "give real numbers": lambda: ritz.per_cell([[4], [1, 2]]),
                            "is a list": lambda: ritz.Mesh(points, {"hex8": cells}, {"a": [1]}),
                            "physics='fluid'": lambda: ritz.run(tension(), mesh=bar(), physics="fluid"),
                            "more than 100 tables and lists deep": lambda: ritz.run(held_by_itself(), mesh=bar()),
                            "title is a object": lambda: ritz.run(tension(title=object()), mesh=bar())}.items():
            with self.assertRaises(ritz.InputError) as raised:
                call()
            self.assertIn(words, str(raised.exception))

    def test_numbers_of_numpy_are_numbers(self):
        pulled = [ritz.run(tension(force=[{"region": "right", "value": [pull, 0, 0]}]), mesh=bar()).probes["tip"] for pull in (1e6, np.float64(1e6), np.array(1e6))]
        self.assertEqual(len(set(pulled)), 1)

    def test_a_forked_process_computes_with_one_thread(self):
        """The threads of OpenMP do not go along: once the first loop of the child waited for them for ever."""
        script = """if True:
            import os, sys, numpy, ritz
            from run_test import bar, tension
            tip = ritz.run(tension(), mesh=bar(), threads=2).probes["tip"]
            matrix = ritz.Model(tension(), mesh=bar(), threads=2)
            u = matrix.solve()
            if os.fork() == 0:
                same = abs(ritz.run(tension(), mesh=bar()).probes["tip"] - tip) < 1e-8 * abs(tip) and numpy.allclose(matrix.solve(), u, rtol=1e-6)
                try:
                    ritz.run(tension(), mesh=bar(), threads=2)
                except ritz.InputError as error:
                    os._exit(7 if same and "in a process that was forked" in str(error) and "spawn" in error.remedy else 2)
                os._exit(1)
            sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
            """
        done = subprocess.run([sys.executable, "-c", script], timeout=120, cwd=pathlib.Path(__file__).parent)
        self.assertEqual(done.returncode, 7)

    def test_ctrl_c_ends_a_run_and_the_next_one_works(self):
        mesh = bar((24, 24, 24))
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(200):
                ritz.run(tension(solver={"method": "cg", "preconditioner": "none", "tolerance": 1e-12}), mesh=mesh)
        self.assertAlmostEqual(ritz.run(tension(), mesh=bar()).probes["tip"], 2e-5, delta=1e-15)


class Meshes(unittest.TestCase):
    def test_a_run_shows_its_mesh(self):
        result = ritz.run(tension(mesh={"order": 2, "scale": 2.0}), mesh=bar())
        self.assertEqual(result.mesh.cells["hex20"].shape, (32, 20))
        self.assertEqual(len(result.fields["displacement"]), len(result.mesh.points))
        self.assertAlmostEqual(result.mesh.points[:, 0].max(), 8.0)
        again = ritz.run(tension(), mesh=result.mesh)
        self.assertAlmostEqual(again.probes["tip"], 1e6 * 8 / (4 * 200e9), delta=1e-13)

    def test_files_give_the_mesh_that_a_case_has(self):
        path = EXAMPLES / "bracket"
        mesh = ritz.Mesh.from_file(path / "bracket.msh")
        self.assertLessEqual({"steel", "bolts", "eye"}, set(mesh.regions))
        self.assertEqual(ritz.run(path / "bracket.toml", mesh=mesh, threads=1).probes, ritz.run(path / "bracket.toml", threads=1).probes)
        with self.assertRaises(ritz.MeshError):
            ritz.Mesh.from_file("nowhere.msh")

    def test_a_model_of_gmsh(self):
        try:
            import gmsh
        except ImportError:
            self.skipTest("no gmsh")
        gmsh.initialize()
        try:
            gmsh.option.setNumber("General.Terminal", 0)
            box = gmsh.model.occ.addBox(0, 0, 0, 4000, 1000, 1000)
            gmsh.model.occ.synchronize()
            for dimension, tag, name in ((3, box, "steel"), (2, 1, "left"), (2, 2, "right")):
                gmsh.model.setPhysicalName(dimension, gmsh.model.addPhysicalGroup(dimension, [tag]), name)
            gmsh.option.setNumber("Mesh.MeshSizeMin", 500)
            gmsh.option.setNumber("Mesh.ElementOrder", 2)
            gmsh.model.mesh.generate(3)
            mesh = ritz.Mesh.from_gmsh(scale=1e-3)
        finally:
            gmsh.finalize()
        case = tension()
        del case["probe"]
        u = ritz.run(case, mesh=mesh).fields["displacement"]
        self.assertTrue(np.allclose(u[:, 0], mesh.points[:, 0] * 5e-6, atol=1e-12))

    def test_grids_of_pyvista_go_both_ways(self):
        try:
            import pyvista
        except ImportError:
            self.skipTest("no pyvista")
        grid = pyvista.ImageData(dimensions=(9, 3, 3), spacing=(0.5, 0.5, 0.5))
        x = np.asarray(grid.points)[:, 0]
        mesh = ritz.Mesh.from_pyvista(grid, {"steel": np.ones(32, bool), "left": {"nodes": x == 0}, "right": {"nodes": x == 4}})
        result = ritz.run(tension(force=[{"region": "right", "value": [1e6, 0, 0]}], probe=[]), mesh=mesh)
        shown = result.to_pyvista()
        self.assertEqual((shown.n_cells, shown.n_points), (32, 81))
        self.assertTrue(np.array_equal(shown.point_data["displacement"], result.fields["displacement"]))
        self.assertTrue(np.array_equal(shown.cell_data["von_mises_cells"], result.cell_fields["von_mises"]))
        self.assertAlmostEqual(shown.volume, 4.0, delta=1e-9)


class Meshio(unittest.TestCase):
    def test_results_become_a_mesh_of_meshio_with_fields_and_sets(self):
        try:
            import meshio
        except ImportError:
            self.skipTest("no meshio")
        case = tension(load_case=[{"name": name, "force": [{"region": "right", "value": [f, 0, 0]}]} for name, f in (("a", 1e6), ("b", 3e6))])
        del case["force"]
        result = ritz.run(case, mesh=bar())
        shown = result.to_meshio("a")
        self.assertIsInstance(shown, meshio.Mesh)
        self.assertTrue(np.array_equal(shown.point_data["displacement"], result.load_case("a").fields["displacement"]))
        self.assertTrue(np.array_equal(shown.cell_data_dict["von_mises"]["hexahedron"], result.load_case("a").cell_fields["von_mises"]))
        self.assertEqual(ritz.run(tension(), mesh=ritz.Mesh.from_meshio(shown), threads=1).probes, ritz.run(tension(), mesh=bar(), threads=1).probes)

    def test_a_mesh_of_meshio_with_its_sets(self):
        try:
            import meshio
        except ImportError:
            self.skipTest("no meshio")
        mesh, none = bar(), np.zeros(0, int)
        other = meshio.Mesh(mesh.points, [("hexahedron", mesh.cells["hex8"]), ("quad", mesh.cells["quad4"])],
                            cell_sets={"steel": [np.arange(32), none], "left": [none, np.arange(4)], "right": [none, np.arange(4, 8)]}, point_sets={"corner": [80]})
        self.assertEqual(ritz.run(tension(), mesh=ritz.Mesh.from_meshio(other), threads=1).probes, ritz.run(tension(), mesh=mesh, threads=1).probes)
