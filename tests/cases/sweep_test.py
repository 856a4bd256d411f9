"""Sweeps: each member is what a run by itself would have been, whatever is shared; bad ones do not stop the others."""
import csv
import json
import os
import signal
import subprocess
import unittest

import boxes
import ritz


def parameter(key, **values):
    lines = [f'{name} = {json.dumps(value)}' for name, value in values.items()]
    return "\n".join(["\n[[sweep.parameter]]", f"key = {json.dumps(key)}", *lines, ""])


class SweepTest(ritz.CaseTest):
    def sweep(self, name, *parts, root=""):
        """The example as a case of its own, with a sweep."""
        source = ritz.example(name)
        text = source.read_text()
        for line in text.splitlines():
            if line.startswith(("file = ", "plugin = ")):
                named = line.split('"')[1]
                text = text.replace(f'"{named}"', f'"{(source.parent / named).resolve()}"')
        return self.write(source.name, root + text + "".join(parts))

    def rows(self, outcome):
        table = next(path for path in outcome.report["outputs"] if path.endswith("_sweep.csv"))
        with open(outcome.folder / table) as file:
            return list(csv.DictReader(file))

    def assert_each_is_what_it_is_alone(self, program, name, parameters, relative=1e-6, **options):
        case = self.sweep(name, *parameters)
        swept = self.solve(program, case, **options)
        for member, outcome in swept.report["sweep"].items():
            alone = self.solve(program, ritz.example(name), keys={**outcome["values"], **options.get("keys", {})})
            for probe, value in alone.probes.items():
                with self.subTest(member=member, probe=probe):
                    got = outcome["probes"][probe]
                    for x, y in zip(got if isinstance(got, list) else [got], value if isinstance(value, list) else [value]):
                        self.assertLessEqual(abs(x - y), relative * max(abs(y), 1e-9), f"{x} against {y}")
        return swept


class ResultTest(SweepTest):
    def test_loads_are_solved_together_over_one_factor(self):
        swept = self.assert_each_is_what_it_is_alone("ritz-elasticity", "le1", [parameter("pressure.0.value", values=[-10e6, 5e6, 1.0])])
        self.assertEqual(swept.report["facts"]["sweep_batches"], "1")
        self.assertEqual(swept.report["facts"]["sweep_matrices"], "1")
        self.assertEqual(swept.report["facts"]["sweep_analyses"], "1")

    def test_other_materials_make_other_matrices_by_the_same_analysis(self):
        swept = self.assert_each_is_what_it_is_alone(
            "ritz-elasticity", "le1", [parameter("material.0.poisson", values=[0.1, 0.3]), parameter("pressure.0.value", values=[-10e6, 5e6])])
        self.assertEqual(swept.report["facts"]["sweep_batches"], "2")
        self.assertEqual(swept.report["facts"]["sweep_matrices"], "2")
        self.assertEqual(swept.report["facts"]["sweep_analyses"], "1")

    def test_matrices_of_consecutive_members_are_not_mixed_up(self):
        self.assert_each_is_what_it_is_alone("ritz-heat", "heat_sink", [parameter("convection.0.coefficient", values=[20, 80, 20, 40])], relative=1e-5)

    def test_prescribed_values_and_supports_may_change(self):
        self.assert_each_is_what_it_is_alone("ritz-elasticity", "le1", [parameter("displacement.0.y", values=[0, 1e-3])])

    def test_a_formula_in_a_load_and_one_in_a_material(self):
        self.assert_each_is_what_it_is_alone("ritz-heat", "wall", [parameter("material.0.conductivity", values=["0.8 + 0.1*y", "0.5 + z", 0.8]),
                                                                   parameter("convection.0.ambient", values=["20 + y", 18])])

    def test_orders_and_meshes_may_change(self):
        self.assert_each_is_what_it_is_alone("ritz-elasticity", "le1", [parameter("space.order", values=[1, 3]), parameter("pressure.0.value", values=[-1e6, -2e6])])

    def test_whole_tables_of_the_mesh_and_of_regions_may_change(self):
        """The end of a bar that is heated by 1 W/m^3 as far as s: s^2 / 2."""
        self.write("bar.msh", boxes.grid(2))
        text = ('[mesh]\nfile = "bar.msh"\n[[region]]\nname = "part"\nkind = "cells"\nbox = {low = [0, 0], high = [2, 2]}\n[[material]]\nregion = "all"\n'
                'conductivity = 1\n[[temperature]]\nregion = "left"\nvalue = 0\n[[source]]\nregion = "part"\nvalue = 1\n'
                '[[probe]]\nname = "end"\nregion = "right"\nmeasure = "max"\nfield = "temperature"\n')
        part = lambda x: [{"name": "part", "kind": "cells", "box": {"low": [0, 0], "high": [x, 2]}}]
        toml = lambda value: json.dumps(value).replace('": ', '" = ')
        for key, values, ends in (("mesh", [{"file": "bar.msh"}, {"file": "bar.msh", "scale": 2}], (0.5, 2)),
                                  ("region", [part(0.5), part(1)], (0.125, 0.5))):
            case = self.write("case.toml", text + f'[[sweep.parameter]]\nkey = "{key}"\nvalues = {toml(values)}\n')
            members = self.solve("ritz-heat", case).report["sweep"].values()
            for member, end in zip(members, ends, strict=True):
                self.assert_close(member["probes"]["end"], end, 1e-6)

    def test_the_solver_may_change(self):
        self.assert_each_is_what_it_is_alone("ritz-elasticity", "le1", [parameter("solver.method", values=["cg", "direct"])], relative=1e-5)

    def test_a_sweep_without_a_matrix(self):
        self.assert_each_is_what_it_is_alone("ritz-heat", "heat_sink", [parameter("material.0.conductivity", values=[100, 200])], relative=1e-5,
                                             keys={"solver.operator": "matrix_free"})

    def test_modes(self):
        swept = self.solve("ritz-modal", self.sweep("modal/cantilever", parameter("material.0.young", values=[50e9, 200e9])), keys={"modal.count": 3})
        self.assertEqual([m["status"] for m in swept.report["sweep"].values()], ["complete", "complete"])
        rows = self.rows(swept)
        for member, row in zip(swept.report["sweep"].values(), rows):
            alone = self.solve("ritz-modal", ritz.example("modal/cantilever"), keys={**member["values"], "modal.count": 3})
            for fact in ("frequencies_hz", "total_mass", "effective_mass_x"):
                for x, y in zip(map(float, member["facts"][fact].split()), alone.fact(fact), strict=True):
                    self.assertAlmostEqual(x, y, delta=1e-6 * 19.625 + 1e-6 * abs(y))
            for k, frequency in enumerate(alone.fact("frequencies_hz"), 1):
                self.assert_close(float(row[f"frequency_{k}"]), frequency, 1e-6)
        for k in (1, 2, 3):  # by the square root of the stiffness
            self.assert_close(float(rows[1][f"frequency_{k}"]), 2 * float(rows[0][f"frequency_{k}"]), 1e-6)
        self.assertIn("lowest frequency", swept.log)

    def assert_each_is_that_of_a_single_run(self, program, text, key, values):
        case = self.write("joined.toml", text)
        sweep = self.write("swept.toml", text + parameter(key, values=values))
        several = [member["probes"]["p"] for member in self.solve(program, sweep).report["sweep"].values()]
        for value, probe in zip(values, several, strict=True):
            self.assert_close(probe, self.solve(program, case, keys={key: json.dumps(value)}).probes["p"], 1e-9)
        return several

    def test_relations_of_members_may_join_other_nodes(self):
        """By regions and by factors of an equation; right-hand sides alone share a matrix."""
        def node(name, *x):
            return f'[[region]]\nname = "{name}"\nkind = "nodes"\nbox = {{low = {[v - 0.01 for v in x]}, high = {[v + 0.01 for v in x]}}}\n'
        self.write("mesh.msh", boxes.grid(4))
        nodes = "".join((node("a", 1, 0), node("b", 1, 1), node("c", 0.5, 0.5), node("d", 0.25, 0.75)))
        mesh = '[mesh]\nfile = "mesh.msh"\n' + nodes
        probe = '[[probe]]\nname = "p"\nfield = "{}"\ncomponent = "{}"\nregion = "a"\nmeasure = "max"\n'
        heat = (mesh + '[[material]]\nregion = "all"\nconductivity = 10\n[[temperature]]\nregion = "left"\nvalue = 20\n'
                '[[flux]]\nregion = "bottom"\nvalue = "100*x"\n' + probe.format("temperature", 0))
        equation = '[[equation]]\nterms = [{region = "a"}, {region = "b", factor = -1}]\n'
        other = "equation.0.terms.1.region"
        several = self.assert_each_is_that_of_a_single_run("ritz-heat", heat + equation, other, ["b", "c", "d", "b"])
        self.assertGreater(min(abs(x - y) for x, y in zip(several, several[1:])), 0.1)
        self.assert_each_is_that_of_a_single_run("ritz-heat", heat + equation, "equation.0.terms.1.factor", [-1, -0.5, -2])
        batched = self.write("values.toml", heat + equation + "value = 1\n" + parameter("equation.0.value", values=[1, 2, 3]))
        together = self.solve("ritz-heat", batched)
        self.assertEqual(together.report["facts"]["sweep_batches"], "1")
        self.assertEqual(together.report["facts"]["sweep_matrices"], "1")
        p = [member["probes"]["p"] for member in together.report["sweep"].values()]
        self.assert_close(p[2] - p[1], p[1] - p[0], 1e-8)

        solid = (mesh + '[[material]]\nregion = "all"\nyoung = 1e9\npoisson = 0.3\n[[displacement]]\nregion = "left"\nfixed = true\n'
                 '[model]\ntype = "plane_strain"\n[[traction]]\nregion = "right"\nvalue = ["1e6*y", 0]\n' + probe.format("displacement", "x"))
        equation = '[[equation]]\nterms = [{region = "a", component = "x"}, {region = "b", component = "x", factor = -1}]\n'
        self.assert_each_is_that_of_a_single_run("ritz-elasticity", solid + equation, other, ["b", "c", "b"])

    def test_frames(self):
        self.assert_each_is_what_it_is_alone("ritz-structure", "structure/portal", [parameter("section.0.young", values=[100e9, 210e9])])

    def test_forms_by_name(self):
        self.assert_each_is_what_it_is_alone("ritz-solve", "custom_energy/neo_hooke", [parameter("solver.tolerance", values=[1e-8, 1e-9])])

    def test_load_cases_in_every_member(self):
        case = self.sweep("bracket/load_cases", parameter("material.0.young", values=[70e9, 210e9]))
        swept = self.solve("ritz-elasticity", case)
        rows = self.rows(swept)
        column = next(name for name in rows[0] if ":" in name)
        self.assertNotEqual(rows[0][column], rows[1][column])
        members = list(swept.report["sweep"].values())
        name = column if column in members[0]["probes"] else column.rpartition(".")[0]
        for row, member in zip(rows, members):
            value = member["probes"][name]
            self.assertEqual(float(row[column]), value if name == column else value[int(column.rpartition(".")[2])])

    def test_tight_memory_is_kept_to_the_byte(self):
        case = self.sweep("le1", parameter("pressure.0.value", **{"from": 1.0, "to": 9.0, "count": 30}))
        free = self.solve("ritz-elasticity", case)
        limit = int(0.6 * free.report["memory"]["device_peak"])
        held = self.solve("ritz-elasticity", case, "--memory-limit", limit)
        self.assertLessEqual(held.report["memory"]["device_held_peak"], limit)
        self.assertLess(int(held.report["facts"]["sweep_largest_batch"]), 30)

    def test_steps_down_are_told_though_members_are_quiet(self):
        case = self.sweep("heat_sink", parameter("material.0.conductivity", values=[100, 200]))
        free = self.solve("ritz-heat", case)
        self.assertNotIn("sweep_fallbacks", free.report["facts"])
        held = self.solve("ritz-heat", case, "--memory-limit", int(0.3 * free.report["memory"]["device_peak"]))
        self.assertIn("no matrix", held.report["facts"]["sweep_fallbacks"])
        self.assertEqual(sum("fell back: memory: no matrix" in line for line in held.log.splitlines()), 1)


class TableTest(SweepTest):
    def test_product_and_zip(self):
        two = [parameter("pressure.0.value", values=[1.0, 2.0]), parameter("material.0.young", values=[1e9, 2e9])]
        product = self.rows(self.solve("ritz-elasticity", self.sweep("le1", *two)))
        self.assertEqual([(r["pressure.0.value"], r["material.0.young"]) for r in product],
                         [("1.0", "1000000000.0"), ("1.0", "2000000000.0"), ("2.0", "1000000000.0"), ("2.0", "2000000000.0")])
        zipped = self.rows(self.solve("ritz-elasticity", self.sweep("le1", "\n[sweep]\ncombine = 'zip'\n", *two)))
        self.assertEqual([r["material.0.young"] for r in zipped], ["1000000000.0", "2000000000.0"])
        self.assertEqual([r["stress_at_D"] for r in zipped], [product[0]["stress_at_D"], product[3]["stress_at_D"]])

    def test_ranges(self):
        case = self.sweep("le1", parameter("pressure.0.value", **{"from": 1.0, "to": 100.0, "count": 3, "spacing": "logarithmic"}))
        self.assertEqual([float(r["pressure.0.value"]) for r in self.rows(self.solve("ritz-elasticity", case))], [1, 10, 100])

    def test_values_with_units_are_numbers_of_the_table(self):
        rows = self.rows(self.solve("ritz-elasticity", self.sweep("le1", parameter("material.0.young", values=["210 GPa", "7e10"]))))
        self.assertEqual([float(r["material.0.young"]) for r in rows], [210e9, 7e10])

    def test_members_from_a_table_with_names(self):
        self.write("members.csv", 'name,pressure.0.value,material.0.young\nsoft,-1e6,"70e9"\nhard,-2e6,210e9\n')
        swept = self.solve("ritz-elasticity", self.sweep("le1", '\n[sweep]\ntable = "members.csv"\n'))
        rows = self.rows(swept)
        self.assertEqual([r["member"] for r in rows], ["le1-soft", "le1-hard"])
        self.assertAlmostEqual(float(rows[1]["stress_at_D"]) / float(rows[0]["stress_at_D"]), 2, 6)
        folder = swept.folder / "results"
        self.assertTrue((folder / "le1-soft.pvd").exists())
        self.assertIn("le1-hard/le1-hard_000000.vtu", (folder / "le1_sweep.pvd").read_text())
        verified = subprocess.run([str(ritz.BIN / "ritz"), "results", "verify", str(folder)], capture_output=True, text=True, timeout=60)
        self.assertEqual(verified.returncode, 0, verified.stdout)

    def test_a_table_of_semicolons_is_told_so(self):
        self.write("members.csv", "name;pressure.0.value\nsoft;-1e6\n")
        outcome = self.run_case("ritz-elasticity", self.sweep("le1", '\n[sweep]\ntable = "members.csv"\n'), "--check")
        self.assertEqual(outcome.exit, 2)
        self.assertIn("separate columns by commas", outcome.errors)

    def test_without_fields_there_is_the_table_only(self):
        swept = self.solve("ritz-elasticity", self.sweep("le1", "\n[sweep]\nfields = false\n", parameter("pressure.0.value", values=[1.0, 2.0])))
        self.assertEqual(os.listdir(swept.folder / "results"), ["le1_sweep.csv"])

    def test_vtkhdf(self):
        swept = self.solve("ritz-elasticity", self.sweep("le1", parameter("pressure.0.value", values=[1.0, 2.0])), keys={"output.format": "vtkhdf"})
        self.assertEqual(len([f for f in os.listdir(swept.folder / "results") if f.endswith(".hdf")]), 2)


class ExampleTest(SweepTest):
    def test_twice_the_power_is_twice_the_warming_in_any_metal(self):
        rows = self.rows(self.solve("ritz-heat", ritz.EXAMPLES / "heat_sink" / "metals.toml"))
        self.assertEqual(len(rows), 15)
        hottest = {(r["material.0.conductivity"], float(r["flux.0.value"])): float(r["hottest"]) for r in rows}
        for metal in ("150", "200", "400"):
            self.assert_close(hottest[metal, 156250] - 20, 2 * (hottest[metal, 78125] - 20), 1e-5)
        self.assert_close(hottest["200", 156250], 75.955, 1e-4)


class TroubleTest(SweepTest):
    def test_a_bad_member_is_reported_with_its_values_and_the_others_go_on(self):
        case = self.sweep("heat_sink", parameter("material.0.conductivity", values=[100, -3, 200]))
        outcome = self.run_case("ritz-heat", case)
        self.assertEqual(outcome.exit, 4)
        self.assertIn("heat_sink-2 (material.0.conductivity = -3)", outcome.errors)
        self.assertEqual([r["status"] for r in self.rows(outcome)], ["complete", "failed", "complete"])
        self.assertEqual(outcome.report["status"], "failed")

    def test_one_whose_equations_overflow_does_not_spoil_its_batch(self):
        case = self.sweep("le1", parameter("displacement.0.y", values=[0.0, 1e300, 1e-3]))
        outcome = self.run_case("ritz-elasticity", case)
        self.assertEqual(outcome.exit, 4, outcome.errors)
        self.assertEqual([r["status"] for r in self.rows(outcome)], ["complete", "failed", "complete"])

    def test_an_error_of_every_member_is_told_once(self):
        case = self.sweep("le1", parameter("pressure.0.value", values=[1.0, 2.0, 3.0]))
        for more in ([], ["--check"]):
            outcome = self.run_case("ritz-elasticity", case, "--set", "pressure.0.region=nowhere", *more)
            self.assertEqual((outcome.exit, outcome.errors.count("nowhere")), (2, 2), outcome.errors)  # key and override
            self.assertIn("all 3 members", outcome.errors + outcome.log)
            self.assertEqual(len(outcome.report["errors"]), 1)
            self.assertIn("all 3 members", outcome.report["errors"][0]["what"])

    def test_an_error_of_some_members_names_them(self):
        case = self.sweep("heat_sink", parameter("material.0.conductivity", values=[100, -3, -3, 200]))
        outcome = self.run_case("ritz-heat", case, "--check")
        self.assertEqual(outcome.exit, 4)
        self.assertEqual(outcome.errors.count("error:"), 1, outcome.errors)
        self.assertIn("2 of 4 members (heat_sink-2, heat_sink-3)", outcome.errors)

    def test_senseless_sweeps_are_refused(self):
        for parts, words in (([parameter("sweep.combine", values=["zip"])], "cannot be swept"),
                             ([parameter("output.folder", values=["a"])], "cannot be swept"),
                             ([parameter("pressure.0.value", values=[])], "list of values"),
                             ([parameter("pressure.0.value")], "without values"),
                             ([parameter("pressure.0.value", values=[1]), parameter("pressure.0.value", values=[1])], "swept twice"),
                             (["\n[sweep]\ncombine = 'zip'\n", parameter("pressure.0.value", values=[1, 2]), parameter("material.0.young", values=[1])], "zip takes one value"),
                             (["\n[sweep]\n"], "a sweep of nothing"),
                             (["\n[sweep]\ntable = 'nowhere.csv'\n"], "does not exist"),
                             ([parameter("pressure.0.value", **{"from": -1.0, "to": 1.0, "count": 3, "spacing": "logarithmic"})], "equal ratios"),
                             ([parameter("pressure.0.valeu", values=[1])], "unknown key")):
            with self.subTest(words=words):
                outcome = self.run_case("ritz-elasticity", self.sweep("le1", *parts))
                self.assertEqual(outcome.exit, 2, outcome.errors)
                self.assertIn(words, outcome.errors)

    def test_check_looks_at_every_member(self):
        case = self.sweep("heat_sink", parameter("material.0.conductivity", values=[100, -3, 200]))
        outcome = self.run_case("ritz-heat", case, "--check")
        self.assertEqual(outcome.exit, 4)
        self.assertFalse((outcome.folder / "results").exists())

    def test_estimate_is_that_of_the_first_member_and_of_what_it_leaves(self):
        case = self.sweep("heat_sink", parameter("material.0.conductivity", values=[100, 200]))
        swept = self.run_case("ritz-heat", case, "--estimate")
        alone = self.run_case("ritz-heat", ritz.example("heat_sink"), "--estimate")
        self.assertEqual(swept.exit, 0, swept.errors)
        self.assertIn("forecast: ", swept.log)
        self.assertIn("H200", swept.log)
        self.assertTrue(swept.report["forecast"])
        for path, forecast in alone.report["forecast"].items():
            more = swept.report["forecast"][path]["device_peak"] - forecast["device_peak"]
            if "without a matrix" in path:
                self.assertEqual(more, 0)
            else:  # eight solutions, and lists that stay
                self.assertGreater(more, 8 * 8 * 30000)

    def test_describe_says_what_a_sweep_is(self):
        outcome = self.run_case("ritz-heat", ritz.example("wall"), "--describe")
        self.assertIn("[[sweep.parameter]]", outcome.log)


class ResumeTest(SweepTest):
    def setUp(self):
        super().setUp()
        self.case = self.sweep("le1", parameter("pressure.0.value", **{"from": 1.0, "to": 40.0, "count": 40}))
        self.results = self.folder / "results"

    def test_members_that_are_committed_are_not_run_again(self):
        first = self.solve("ritz-elasticity", self.case, output=self.results)
        stamps = {p: p.stat().st_mtime_ns for p in self.results.rglob("*.vtu")}
        refused = self.run_case("ritz-elasticity", self.case, output=self.results)
        self.assertEqual(refused.exit, 7)
        again = self.solve("ritz-elasticity", self.case, "--resume", output=self.results)
        self.assertEqual({m["status"] for m in again.report["sweep"].values()}, {"kept"})
        self.assertEqual({p: p.stat().st_mtime_ns for p in self.results.rglob("*.vtu")}, stamps)
        self.assertEqual(self.rows(first), self.rows(again))

    def test_a_killed_sweep_goes_on_to_the_same_table(self):
        whole = self.rows(self.solve("ritz-elasticity", self.case, output=self.folder / "whole"))
        command = [str(ritz.BIN / "ritz-elasticity"), str(self.case), "--threads", "1", "--output", str(self.results), "--set", "sweep.batch=2"]
        for sign, code, number in ((signal.SIGKILL, -signal.SIGKILL, 20), (signal.SIGTERM, 75, 60), (signal.SIGKILL, -signal.SIGKILL, 80)):
            process = subprocess.Popen(command + ["--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, **ritz.fault(self.results, "any", number, "stop")})
            self.assertTrue(ritz.stops(process))
            process.send_signal(sign)
            process.send_signal(signal.SIGCONT)
            self.assertEqual(process.wait(60), code)
        resumed = self.solve("ritz-elasticity", self.case, "--resume", output=self.results)
        for a, b in zip(whole, self.rows(resumed), strict=True):
            self.assert_close(float(b["stress_at_D"]), float(a["stress_at_D"]), 1e-9)
        verified = subprocess.run([str(ritz.BIN / "ritz"), "results", "verify", str(self.results)], capture_output=True, text=True, timeout=60)
        self.assertEqual(verified.returncode, 0, verified.stdout)

    def test_another_case_is_not_resumed(self):
        self.solve("ritz-elasticity", self.case, output=self.results)
        outcome = self.run_case("ritz-elasticity", self.case, "--resume", "--set", "material.0.young=1e9", output=self.results)
        self.assertEqual(outcome.exit, 9, outcome.errors)

    def test_changed_tables_and_included_meshes_are_seen(self):
        mesh = "*NODE\n1, 0., 0.\n2, 1., 0.\n3, 1., 1.\n4, 0., 1.\n*INCLUDE, INPUT=cells.inc\n"
        files = {"k.csv": "x,k\n0,1\n1,2\n", "cells.inc": "*ELEMENT, TYPE=CPS4\n1, 1,2,3,4\n*SURFACE, NAME=left\n1, S4\n*SURFACE, NAME=right\n1, S2\n"}
        case = self.write("case.toml", '[mesh]\nfile = "mesh.inp"\n[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\n'
                          '[[material]]\nregion = "all"\nconductivity = "k(x)"\n[[temperature]]\nregion = "left"\nvalue = 0\n'
                          '[[flux]]\nregion = "right"\nvalue = 1\n' + parameter("flux.0.value", values=[1, 2]))
        for name, text in {"mesh.inp": mesh, **files}.items():
            self.write(name, text)
        self.solve("ritz-heat", case, output=self.results)
        for name, text in files.items():
            self.write(name, text + "\n")
            outcome = self.run_case("ritz-heat", case, "--resume", output=self.results)
            self.assertEqual(outcome.exit, 9, outcome.errors)
            self.write(name, text)
            self.solve("ritz-heat", case, "--resume", output=self.results)

    def test_changed_fields_and_the_steps_of_a_series_are_seen(self):
        self.write("mesh.msh", boxes.grid(2))
        heat = ('[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "all"\nconductivity = {}\n[[temperature]]\nregion = "left"\nvalue = {}\n'
                '[[flux]]\nregion = "right"\nvalue = 1\n')
        field = self.folder / "field"
        for value in (1, 2):
            self.solve("ritz-heat", self.write("k.toml", heat.format(1, value)), "--overwrite", output=field)
            case = self.write("case.toml", heat.format('"k"', 0) + '[[field]]\nname = "k"\nfield = "temperature"\nfile = "field/k.pvd"\n'
                              + parameter("flux.0.value", values=[1, 2]))
            outcome = self.run_case("ritz-heat", case, *["--resume"][:value - 1], output=self.results)
            self.assertEqual(outcome.exit, 0 if value == 1 else 9, outcome.errors)

    def test_overwrite_replaces_all_members(self):
        self.solve("ritz-elasticity", self.case, output=self.results)
        self.solve("ritz-elasticity", self.case, "--overwrite", output=self.results, keys={"material.0.young": 1e9})
        self.assertFalse((self.results / "replaced").exists())

    def test_the_time_limit_keeps_what_is_finished(self):
        for number, code in ((1, 124), (80, 75)):  # before the first member, and behind some
            outcome = self.run_case("ritz-elasticity", self.case, "--time-limit", "3000", output=self.results, keys={"sweep.batch": 1},
                                    environment=ritz.fault(self.results, "any", number, "hour"))
            self.assertEqual(outcome.exit, code, outcome.errors)
            self.assertEqual(code == 75, "members are committed" in outcome.errors)
        self.solve("ritz-elasticity", self.case, "--resume", output=self.results)


if __name__ == "__main__":
    unittest.main()
