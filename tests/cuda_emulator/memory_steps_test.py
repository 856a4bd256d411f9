"""A run on the emulated GPU with less and less memory: slabs of element results become smaller, then the matrix goes; each step is in the
log and in the report, and the answer stays. The first run has its launches in a table.

    memory_steps_test.py BUILD/bin/ritz-elasticity TOOLS
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, TOOLS = sys.argv[1:]
sys.path.append(TOOLS)
import box_meshes  # noqa: E402
import model_texts  # noqa: E402


def run(folder, *arguments, **environment):
    command = [PROGRAM, "box.toml", "--device", "gpu", "--json", "report.json", "--overwrite", *arguments]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, env={**os.environ, **environment})
    assert process.returncode == 0, process.stdout + process.stderr
    report = json.loads((folder / "report.json").read_text())
    assert "emulated" in report["device"], report["device"]
    assert float(report["facts"]["residual_certificate"]) < 1e-8, report["facts"]
    return report, process.stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    box_meshes.write_box(folder / "box.msh", "hex", (12, 8, 8) if "RITZ_FULL_SIZES" in os.environ else (6, 5, 5))
    probe = '[[probe]]\nname = "tip"\nfield = "displacement"\nregion = "x1"\nmeasure = "mean"\n'
    (folder / "box.toml").write_text('[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "jacobi"\n' + model_texts.ELASTICITY + probe)
    free, log = run(folder, RITZ_LAUNCH_TABLE="1")
    launches = {name.removeprefix("launch "): dict(part.split("=") for part in fact.split()) for name, fact in free["facts"].items() if name.startswith("launch ")}
    product, iterations = launches["spmv and dot"], free["solver"]["iterations"]
    assert iterations <= int(product["count"]) <= iterations + 2, (launches, iterations)
    assert float(product["seconds"]) > 0 and int(product["bytes"]) > 1000 * iterations and float(product["of_copy_rate"]) > 0, product
    assert "launch  " in log and "of copy" in log, log
    assert "slabs" not in log and not free["solver"].get("fallbacks"), log
    for share, step in ((0.9, "element results in slabs of"), (0.4, "no matrix")):
        limit = int(share * free["memory"]["device_peak"])
        short, log = run(folder, "--memory-limit", str(limit))
        assert [step in taken for taken in short["solver"]["fallbacks"]] == [True], short["solver"]["fallbacks"]
        assert short["solver"]["fallbacks"][0] in log, log
        assert short["memory"]["device_held_peak"] <= limit, short["memory"]
        for a, b in zip(short["probes"]["tip"], free["probes"]["tip"]):
            assert abs(a - b) < 1e-6 * abs(free["probes"]["tip"][2]), (short["probes"], free["probes"])
