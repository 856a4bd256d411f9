"""Models as functions that JAX differentiates, on the CPU."""
from __future__ import annotations

import jax
import numpy as np

from ritz._function import Function
from ritz._model import Model


def jax_function(model: Model, *, tolerance: float | None = None):
    """f(arrays, load=None, initial=None) for jax.grad, jax.vjp and jax.jit: u as Model.solve() returns it, at those arrays of the case.

    arrays: {"material.0.young": values}, keys of the case that were given as ritz.per_cell or ritz.per_node. load: forces at nodes,
    (nodes, components); initial: of a case with [time]; or None. Precision is JAX's: enable jax_enable_x64. The model is changed by
    each call: one thread at a time."""
    kind = jax.dtypes.canonicalize_dtype(np.float64)
    function = Function(model, tolerance)
    shape = function.shape()

    def backward(arrays, load, initial, g):
        in_kind = lambda values: None if values is None else values.astype(kind)  # noqa: E731
        by_arrays, by_load, by_initial = function.derivatives(arrays, load, initial, g)
        return {key: in_kind(values) for key, values in by_arrays.items()}, in_kind(by_load), in_kind(by_initial)

    def shapes(tree):
        return jax.tree_util.tree_map(lambda leaf: jax.ShapeDtypeStruct(np.shape(leaf), kind), tree)

    @jax.custom_vjp
    def f(arrays, load, initial):
        return jax.pure_callback(lambda *given: function.solve(*given).astype(kind), jax.ShapeDtypeStruct(shape, kind), arrays, load, initial)

    f.defvjp(lambda *given: (f(*given), given), lambda kept, g: jax.pure_callback(backward, shapes(kept), *kept, g))
    return lambda arrays, load=None, initial=None: f(arrays, load, initial)
