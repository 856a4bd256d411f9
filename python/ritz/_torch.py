"""Models as functions that PyTorch differentiates, on the CPU."""
from __future__ import annotations

import numpy as np
import torch

from ritz._function import Function
from ritz._model import Model


def torch_function(model: Model, *, tolerance: float | None = None):
    """f(arrays, load=None, initial=None) for torch.autograd: u as Model.solve() returns it, a tensor of 64-bit numbers on the CPU.

    arrays: {"material.0.young": tensor}, keys of the case that were given as ritz.per_cell or ritz.per_node. load: forces at nodes,
    (nodes, components); initial: of a case with [time]; or None. Derivatives have the type of their tensor. The model is changed by each
    call: one thread at a time."""
    function = Function(model, tolerance)

    class Solution(torch.autograd.Function):
        @staticmethod
        def forward(context, names, load, initial, *values):
            context.names = names
            context.save_for_backward(load, initial, *values)
            return torch.from_numpy(function.solve(*Solution.arguments(names, load, initial, values)))

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(context, g):
            load, initial, *values = context.saved_tensors
            arguments = Solution.arguments(context.names, load, initial, values)
            by_arrays, by_load, by_initial = function.derivatives(*arguments, g.detach().cpu().numpy())
            derivatives = (by_load, by_initial, *(by_arrays[name] for name in context.names))
            return None, *(None if of is None else torch.from_numpy(np.ascontiguousarray(by)).reshape(of.shape).to(of)
                           for of, by in zip((load, initial, *values), derivatives))

        @staticmethod
        def arguments(names, load, initial, values):
            numbers = lambda tensor: None if tensor is None else tensor.detach().cpu().numpy()  # noqa: E731
            return dict(zip(names, map(numbers, values))), numbers(load), numbers(initial)

    def f(arrays: dict, load=None, initial=None):
        return Solution.apply(tuple(arrays), load, initial, *arrays.values())

    return f
