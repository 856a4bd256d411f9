"""Which CUDA libraries the modules need before anything is asked of them: the run-time library, so that a machine with the driver alone runs
all but cuSPARSE's products and direct solutions, which have modules of their own.

    libraries_test.py lib/ritz_device.cuda.so lib/ritz_solvers_kernels.cuda.so ...
"""
import re
import subprocess
import sys
from pathlib import Path

MAY_NEED = {"ritz_cusparse": {"cudart", "cusparse"}, "ritz_direct": {"cudart", "cusolver", "cusparse", "cudss"}}
CUDA = re.compile(r"\(NEEDED\).*\[lib(cu\w+|nv\w+|nccl)\.so")


def needed(module):
    text = subprocess.run(["readelf", "-d", module], capture_output=True, text=True, check=True).stdout
    return set(CUDA.findall(text))


lacking = []
for module in map(Path, sys.argv[1:]):
    found = needed(module)
    assert "cudart" in found, f"{module} is no CUDA module: {found}"
    if extra := found - MAY_NEED.get(module.name.split(".")[0], {"cudart"}):
        lacking.append(f"{module.name} needs {', '.join(sorted(extra))} as soon as it is loaded")
print(f"{len(sys.argv) - 1} modules")
sys.exit("\n".join(lacking) or None)
