#!/usr/bin/env python3
"""The universal file of a harmonic response, as pyuff and scipy read it, against the CSV table.

pip install pyuff scipy;  tools/universal_file.py BUILD [FOLDER]
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy
import pyuff

build = pathlib.Path(sys.argv[1]).resolve()
folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)
example = pathlib.Path(__file__).resolve().parent.parent / "examples/vibration/nafems_5h.toml"
case = folder / "uff.toml"
text = example.read_text().replace('file = "', f'file = "{example.parent}/', 1)
case.write_text(f'{text}\n[output]\nfolder = "{folder}/out"\nresponse = "universal"\n')
subprocess.run([build / "bin/ritz-modal", case, "--overwrite"], check=True, stdout=subprocess.DEVNULL)
file = next(folder.glob("out/**/*_response.uff"))
with open(next(folder.glob("out/**/*_response.csv")), newline="") as table:
    rows = list(csv.DictReader(table))
sets = pyuff.UFF(str(file)).read_sets()
sets = sets if isinstance(sets, list) else [sets]
names = [name for name in rows[0] if name != "frequency" and not name.endswith("_phase")]
assert [each["id1"].strip() for each in sets] == names, (names, [each["id1"] for each in sets])
for name, each in zip(names, sets):
    amplitude = numpy.array([float(row[name]) for row in rows])
    phase = numpy.radians([float(row[name + "_phase"]) for row in rows])
    assert each["type"] == 58 and each["func_type"] == 4
    assert numpy.allclose(each["x"], [float(row["frequency"]) for row in rows], rtol=1e-5)
    assert numpy.allclose(each["data"], amplitude * numpy.exp(1j * phase), rtol=1e-10, atol=1e-11 * amplitude.max())
print(f"{len(sets)} data sets of {len(rows)} frequencies, as pyuff reads them")
