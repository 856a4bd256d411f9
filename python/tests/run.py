"""Runs one group of tests. Usage: run.py GROUP [WHY NOT]. Exit code 77: skipped, and the reason is printed."""
import importlib.util
import os
import pathlib
import sys
import unittest

group, reason = sys.argv[1], "".join(sys.argv[2:])
missing = [name for name in ("numpy", "scipy") if importlib.util.find_spec(name) is None]
if reason or missing:
    print("skipped:", reason or f"{sys.executable} has no {' and no '.join(missing)}")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
# As in tests/cases/CMakeLists.txt.
os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(os.environ["RITZ_BIN"]).parent / "tests/plugins")
os.environ["CXX"] = f'{pathlib.Path(os.environ["RITZ_EXAMPLES"]).parent / "tests/cases/quick_cxx.sh"} g++'
sys.argv[1:] = []
unittest.main(module=f"{group}_test", verbosity=2)
