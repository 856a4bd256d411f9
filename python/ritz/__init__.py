"""Ritz from Python: its solver for matrices of SciPy, and its cases with arrays in and arrays out. Manual: docs/python.md.

    x, report = ritz.solve(A, b, coordinates=points)
    result = ritz.run("bracket.toml", {"material.0.young": 70e9})
    model = ritz.Model(case, mesh=mesh);  u = model.solve();  model.vjp(g)

Nothing is printed unless it is asked for. Libraries are loaded when they are first needed.
"""
import importlib

_HOME = {
    "_solver": ("solve", "multigrid", "eigs", "Matrix", "Multigrid", "Report"),
    "_run": ("run", "check", "materials", "per_cell", "per_node", "Mesh", "Result", "Step"),
    "_model": ("assemble", "Model"),
    "_jax": ("jax_function",),
    "_torch": ("torch_function",),
    "_picture": ("picture",),
    "_forms": ("plugin", "energy"),
    "_errors": ("Error", "InputError", "MeshError", "ModelError", "NotConverged", "OutOfMemory", "OutputError", "DeviceError"),
}
__all__ = [name for names in _HOME.values() for name in names]


def __getattr__(name):
    for module, names in _HOME.items():
        if name in names:
            value = getattr(importlib.import_module("ritz." + module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'ritz' has no attribute '{name}'")


def __dir__():
    return sorted([*globals(), *__all__])
