"""Kernels of the libraries are launched by tests on the emulated GPU, but for those of a list that may only become shorter.

    kernels_test.py FOLDER PTXAS.TSV LEFT_OUT.TSV MODULE...              compares; exit 1 where a kernel is never launched
    kernels_test.py FOLDER PTXAS.TSV LEFT_OUT.TSV --update MODULE...     writes LEFT_OUT.TSV again

FOLDER has the files that RITZ_EMULATED_GPU_LAUNCHED=FOLDER gave; ptxas.tsv has the kernels by nvcc. LEFT_OUT.TSV gives a reason
for each: --update keeps those that are there.
"""
import collections
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cuda_kernels"))
from check_ptxas import short_name  # noqa: E402


def rows(path):
    """Lines of a table without comments."""
    return [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]


def names_at(module):
    """{offset: names of functions} of a library."""
    text = subprocess.run(["nm", "-C", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(set)
    for line in text.splitlines():
        offset, kind, name = line.split(" ", 2)
        if kind in "tTwW":
            found[int(offset, 16)].add(short_name(name))
    return found


def launched(folder, modules):
    """{(module, kernel)}"""
    offsets = collections.defaultdict(set)
    for path in folder.iterdir():
        for file, offset in rows(path):
            offsets[pathlib.Path(file).name].add(int(offset, 16))
    return {(module.name.split(".")[0], name) for module in modules
            for offset, names in names_at(module).items() if offset in offsets[module.name] for name in names}


folder, ptxas, left_out, *words = sys.argv[1:]
update = words[0] == "--update"
modules = [pathlib.Path(word) for word in words[update:]]
kernels = {(row[1], row[2]) for row in rows(pathlib.Path(ptxas))[1:] if not row[2].startswith(("cub::", "thrust::"))}
run = launched(pathlib.Path(folder), modules)
never = kernels - run
print(f"{len(kernels)} kernels, {len(kernels & run)} of them launched, {len(run - kernels)} others")
reasons = {tuple(row[:2]): row[2] for row in rows(pathlib.Path(left_out)) if len(row) > 2}
if update:
    header = "# Kernels that no test launches on the emulated GPU (kernels_test.py --update). The list may only become shorter.\n"
    pathlib.Path(left_out).write_text(header + "".join(f"{module}\t{name}\t{reasons.get((module, name), '')}\n" for module, name in sorted(never)))
    sys.exit()
for module, name in sorted(never - set(reasons)):
    print(f"error: no test launches {name} of {module}; add one, or name it in {left_out} with the reason")
for module, name in sorted(set(reasons) - never):
    print(f"note: {name} of {module} is launched, or is no kernel any more: remove it from {left_out}")
sys.exit(bool(never - set(reasons)))
