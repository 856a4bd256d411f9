"""Results in one HDF5 file: read with h5py and with VTK's own reader, against the VTU files of the same run; what damages
them is seen; the table of probes."""
import array
import csv
import functools
import json
import os
import re
import subprocess
import sys
import zlib

import vtu
from results_test import MODES, command, leftovers, verify
from ritz import CaseTest, example, fault

FORMAT = ["--set", "output.format=vtkhdf"]

# {dataset: [type, CRC-32 of each step's slab]} of fields, {dataset: ...} of the rest, of a file, or a list of these; run by a Python that has h5py.
DIGEST = """
import h5py, json, sys, zlib
def digest(path):
  h = h5py.File(path, "r")["VTKHDF"]
  out = {"version": [int(v) for v in h.attrs["Version"]], "type": h.attrs["Type"].decode(), "steps": int(h["Steps"].attrs["NSteps"]), "fields": {}, "mesh": {}, "texts": {}}
  for name, set in [("PointData/" + n, s) for n, s in h["PointData"].items()] + [("CellData/" + n, s) for n, s in h["CellData"].items()]:
    rows = int(h["NumberOfPoints" if name.startswith("Point") else "NumberOfCells"][0])
    group, last = name.split("/")
    offsets = h["Steps/" + group + "Offsets/" + last][:]
    out["fields"][name] = [str(set.dtype), [zlib.crc32(set[int(o):int(o) + rows].tobytes()) for o in offsets]]
  for name in ("Points", "Connectivity", "Offsets", "Types", "Steps/Values"):
    out["mesh"][name] = [int(n) for n in h[name].shape] + [zlib.crc32(h[name][:].tobytes())]
  for name, set in h["FieldData"].items():
    out["texts"][name] = [t.decode() for t in set[:]]
  return out
digests = [digest(path) for path in sys.argv[1:]]
print(json.dumps(digests if digests[1:] else digests[0]))
"""

VTK_READ = """
import json, sys, vtk
r = vtk.vtkHDFReader()
r.SetFileName(sys.argv[1])
assert r.CanReadFile(sys.argv[1])
r.Update()
g = r.GetOutput()
p = g.GetPointData()
size = vtk.vtkCellSizeFilter()
size.SetInputData(g)
size.Update()
volume = size.GetOutput().GetCellData().GetArray("Volume")
print(json.dumps({"points": g.GetNumberOfPoints(), "cells": g.GetNumberOfCells(),
                  "range": {p.GetArrayName(i): p.GetArray(i).GetRange(-1) for i in range(p.GetNumberOfArrays())},
                  "volume": sum(volume.GetValue(i) for i in range(volume.GetNumberOfTuples())),
                  "load_case": g.GetFieldData().GetAbstractArray("load_case").GetValue(0)}))
"""


@functools.cache
def python_with(module):
    """A Python that has the module: ours or Debian's; None without one."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    return None


def run_python(test, module, script, *paths):
    python = python_with(module)
    if python is None:
        test.skipTest(f"no Python with {module}")
    process = subprocess.run([python, "-c", script, *paths], capture_output=True, text=True, timeout=60)
    return json.loads(process.stdout) if process.returncode == 0 else None


def crc(values, kind):
    return zlib.crc32(array.array(kind, values).tobytes())


class Contents(CaseTest):
    def assert_same(self, one, many):
        for i, step in enumerate(many):
            for section in ("PointData", "CellData"):
                self.assertEqual({name.split("/")[1] for name in one["fields"] if name.startswith(section)}, set(step[section]))
                for name, values in step[section].items():
                    self.assertEqual(one["fields"][f"{section}/{name}"][1][i], zlib.crc32(values.tobytes()), f"step {i}, {name}")
            mesh = {"Points": step["Points"]["Points"], "Connectivity": array.array("q", step["Cells"]["connectivity"]),
                    "Offsets": array.array("q", [0, *step["Cells"]["offsets"]]), "Types": step["Cells"]["types"]}
            for name, values in mesh.items():
                self.assertEqual(one["mesh"][name][-1], zlib.crc32(values.tobytes()), name)

    def test_lagrange_cells_are_those_of_the_vtu_files(self):
        """And the values at the mesh's own nodes, corners of tetrahedra here, are those that are written without them."""
        order = ["--set", "space.order=3", "--set", "output.cells=lagrange"]
        vtu_run, hdf_run = (self.solve("ritz-elasticity", example("bracket"), *order, "--set", f"output.format={form}") for form in ("vtu", "vtkhdf"))
        at_nodes = self.solve("ritz-elasticity", example("bracket"), "--set", "space.order=3")
        steps = [vtu.read(path) for path in vtu_run.report["outputs"] if path.endswith(".vtu")]
        self.assert_same(run_python(self, "h5py", DIGEST, hdf_run.folder / "results" / "bracket.hdf"), steps)
        self.assertEqual(set(steps[0]["Cells"]["types"]), {71})
        self.assertEqual(vtu_run.report["probes"], at_nodes.report["probes"])
        coarse = next(vtu.read(path) for path in at_nodes.report["outputs"] if path.endswith(".vtu"))
        def by_place(step):
            x, u = step["Points"]["Points"], step["PointData"]["displacement"]
            return {tuple(round(v, 12) for v in x[i:i + 3]): u[i:i + 3] for i in range(0, len(x), 3)}
        fine, corners, connectivity = by_place(steps[0]), set(), coarse["Cells"]["connectivity"]
        for first in range(0, len(connectivity), 10):  # the mesh has tetrahedra with 10 nodes
            corners.update(connectivity[first:first + 4])
        for node in corners:
            place = tuple(round(v, 12) for v in coarse["Points"]["Points"][3 * node:3 * node + 3])
            for a, b in zip(coarse["PointData"]["displacement"][3 * node:3 * node + 3], fine[place]):
                self.assertAlmostEqual(a, b, delta=1e-12)

    def test_stress_at_the_points_of_lagrange_cells_is_lames(self):
        """Of the space's order between the mesh's nodes, too: interpolated from those it is off by 1.2e-4 here, with its own by 3.6e-5."""
        outcome = self.solve("ritz-elasticity", example("lame/solid"), "--set", "space.order=4", "--set", "output.cells=lagrange")
        step = vtu.read(outcome.results())
        x, principal = step["Points"]["Points"], step["PointData"]["principal_stress"]
        self.assertGreater(len(x) // 3, 2 * outcome.report["nodes"])
        for i in range(0, len(x), 3):
            hoop = 60e6 * 0.1**2 / (0.2**2 - 0.1**2) * (1 + 0.2**2 / (x[i]**2 + x[i + 1]**2))
            self.assertAlmostEqual(principal[i] / hoop, 1, delta=6e-5)

    def test_vtk_reads_the_first_step(self):
        """VTK 9.1 knows version 1.0 of the format: it warns and shows step 0."""
        outcome = self.solve("ritz-elasticity", example("bracket/load_cases"), *FORMAT)
        seen = run_python(self, "vtk", VTK_READ, outcome.folder / "results" / "load_cases.hdf")
        self.assertEqual((seen["points"], seen["cells"]), (outcome.report["nodes"], outcome.report["cells"]))
        self.assertEqual(seen["load_case"], "weight")
        self.assert_close(seen["range"]["von_mises"][1], outcome.report["load_cases"]["weight"]["probes"]["peak_von_mises"], 1e-12)
        self.assertEqual(set(seen["range"]), {"displacement", "stress", "strain", "von_mises", "principal_stress", "reaction"})
        self.assertGreater(seen["volume"], 0)

    def test_single_precision_and_compression(self):
        sizes = {}
        for name, keys in {"double": [], "single": ["--set", "output.single_precision=true"], "zlib": ["--set", "output.compression=zlib"]}.items():
            outcome = self.solve("ritz-heat", example("heat_sink"), *FORMAT, *keys)
            path = outcome.folder / "results" / "heat_sink.hdf"
            digest = run_python(self, "h5py", DIGEST, path)
            self.assertEqual(digest["fields"]["PointData/temperature"][0], "float32" if name == "single" else "float64")
            self.assertEqual(verify(path.parent)[0], 0)
            sizes[name] = path.stat().st_size
        self.assertLess(sizes["single"], sizes["double"])
        self.assertLess(sizes["zlib"], sizes["double"])
        outcome = self.run_case("ritz-heat", example("heat_sink"), *FORMAT, "--set", "output.compression=lz4")
        self.assertEqual(outcome.exit, 2)
        self.assertIn("no lz4 compression", outcome.errors)

    def test_series_of_a_run_are_files_of_their_own_and_fewer_steps_replace_more(self):
        folder = self.folder / "shared"
        self.solve("ritz-modal", example("modal/cantilever"), *MODES, *FORMAT, output=folder)
        self.assertEqual({path.name for path in folder.glob("*.hdf")}, {"cantilever.hdf", *(f"cantilever_mode_{i}.hdf" for i in range(1, 5))})
        self.assertEqual(run_python(self, "h5py", DIGEST, folder / "cantilever_mode_1.hdf")["steps"], 30)
        self.solve("ritz-modal", example("modal/cantilever"), "--set", "modal.count=1", "--set", "modal.animate=2", *FORMAT, "--overwrite", output=folder)
        exit_code, states, text = verify(folder)
        self.assertEqual((exit_code, states), (0, {name: "ok" for name in ("results.journal", "cantilever.resolved.toml", "cantilever.hdf", "cantilever_mode_1.hdf")}), text)
        self.assertFalse(leftovers(folder))


class Damage(CaseTest):
    def test_a_changed_byte_is_seen_or_changes_no_number(self):
        results = self.solve("ritz-modal", example("modal/cantilever"), "--set", "modal.count=1", "--set", "modal.animate=3", *FORMAT).folder / "results"
        path = results / "cantilever_mode_1.hdf"
        good, seen, rows, verified = path.read_bytes(), 0, set(), [self.folder / "good"]
        verified[0].write_bytes(good)
        places = [*range(0, 4096, 61), *range(4096, len(good), max(1, len(good) // 150))]
        for at in places:
            path.write_bytes(good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:])
            exit_code, states, text = verify(results)
            self.assertIn(exit_code, (0, 9), f"byte {at}: {text}")
            seen += exit_code == 9
            if told := re.search(r"CRC-32 of rows (\d+) to (\d+) of '(.*)'", text):
                rows.add((told[3], int(told[1]), int(told[2])))
            if exit_code == 0:
                verified.append(self.folder / f"byte {at}")
                path.rename(verified[-1])
        self.assertGreater(seen, len(places) // 2)
        digests = run_python(self, "h5py", DIGEST, *verified)
        self.assertIsNotNone(digests, "one of these is verified, and h5py cannot read it")
        for other, after in zip(verified, digests):
            for key in ("fields", "mesh"):
                self.assertEqual(digests[0][key], after[key], other.name)
        files = [file for line in (results / "results.journal").read_bytes().splitlines() for file in json.loads(line[9:]).get("files", [])]
        committed = {(part["dataset"], part["first_row"], part["first_row"] + part["rows"] - 1) for file in files for part in file.get("slabs", [])}
        self.assertTrue(rows and rows <= committed, rows - committed)
        for size in [*range(0, len(good), len(good) // 40), len(good) - 1]:
            path.write_bytes(good[:size])
            self.assertEqual(verify(results)[0], 9, f"cut at {size}")
        path.unlink()
        self.assertEqual(verify(results)[1][path.name], "missing")

    def test_a_file_may_be_ahead_of_the_journal_by_the_step_that_was_being_committed(self):
        """The file is exchanged before the journal's line is written: a kill between them leaves one step more, never two, and never one less."""
        results = self.solve("ritz-modal", example("modal/cantilever"), "--set", "modal.count=1", "--set", "modal.animate=4", *FORMAT).folder / "results"
        journal = results / "results.journal"
        lines = journal.read_bytes().splitlines(keepends=True)[:-1]  # without the end of the run
        of_mode = [i for i, line in enumerate(lines) if b"cantilever_mode_1.hdf" in line]
        self.assertEqual(of_mode[-4:], list(range(len(lines) - 4, len(lines))))
        for missing, state in ((0, "ok"), (1, "ok"), (2, "damaged"), (3, "damaged")):
            journal.write_bytes(b"".join(lines[:len(lines) - missing]))
            exit_code, states, text = verify(results)
            self.assertEqual((exit_code, states["cantilever_mode_1.hdf"]), (0 if state == "ok" else 9, state), text)
            self.assertEqual("whose commit was cut off" in text, missing == 1, text)

    def test_names_that_cannot_be_exchanged(self):
        """Same as on NFS: each step is then written to a copy."""
        folder = self.folder / "results"
        environment = {**os.environ, **fault(folder, "exchange", 1, "EINVAL", stays=1, count=self.folder / "count")}
        process = subprocess.run(command("ritz-modal", example("modal/cantilever"), folder, "--set", "modal.count=1", "--set", "modal.animate=6", *FORMAT),
                                 env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertGreater(int((self.folder / "count").read_text()), 3)
        self.assertEqual((verify(folder)[0], leftovers(folder)), (0, []))
        self.assertIn("7 steps committed", verify(folder)[2])


class Probes(CaseTest):
    def test_the_table_holds_a_row_of_all_probes_for_each_load_case(self):
        outcome = self.solve("ritz-elasticity", example("bracket/load_cases"))
        path = outcome.folder / "results" / "load_cases_probes.csv"
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        cases = outcome.report["load_cases"] | outcome.report["combinations"]
        self.assertEqual([row["load_case"] for row in rows], list(cases))
        for i, (row, case) in enumerate(zip(rows, cases.values())):
            self.assertEqual((row["step"], float(row["time"])), (str(i), i))
            for name, value in case["probes"].items():
                values = value if isinstance(value, list) else [value]
                for k, number in enumerate(values):
                    self.assertEqual(float(row[name if len(values) == 1 else f"{name}.{k}"]), number)
        good = path.read_bytes()
        for at in range(0, len(good), 7):
            path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
            self.assertEqual(verify(path.parent)[1][path.name], "damaged", f"byte {at}")
        path.write_bytes(good[:-1])
        self.assertEqual(verify(path.parent)[1][path.name], "damaged")

    def test_names_with_commas_and_quotes_are_quoted(self):
        case = self.write("a.toml", example("fin").read_text().replace('file = "fin.msh"', f'file = "{example("fin").parent / "fin.msh"}"') +
                          '\n[[probe]]\nname = \'tip, "hot"\'\nfield = "temperature"\nregion = "fin"\nmeasure = "max"\n')
        outcome = self.solve("ritz-heat", case)
        with open(outcome.folder / "results" / "a_probes.csv", newline="") as file:
            row = next(csv.DictReader(file))
        self.assertEqual(float(row['tip, "hot"']), outcome.probes['tip, "hot"'])
