"""Errors of Ritz as exceptions, a class for each group of exit codes."""


class Error(Exception):
    """What is wrong, where, why, and what to do.

    kind: a name that scripts may rely on, "unknown-key" (docs/errors.md); exit_code: that of the programs; message, why, remedy:
    sentences; key, value, place: of the message, "" where it has none; errors: all of them, where a case has several."""

    kind = key = value = place = message = why = remedy = ""
    exit_code = 1
    errors = ()

    def __str__(self):
        if len(self.errors) > 1:
            return "\n".join(str(each) for each in self.errors)
        lines = [self.message]
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.remedy:
            lines.append(f"  fix: {self.remedy}")
        return "\n".join(lines)


class InputError(Error, ValueError):
    """Arguments or a case that say what cannot be."""


class MeshError(Error, ValueError):
    """A mesh that is damaged or inside out."""


class ModelError(Error):
    """A model that is not well posed: a body that can move, a matrix that is not what was promised."""


class NotConverged(Error):
    """A solver did not reach its tolerance. `report` says how far it came."""

    report = None


class OutOfMemory(Error, MemoryError):
    """Memory of the host or the device."""


class OutputError(Error, OSError):
    """Results that could not be written."""

    def __init__(self, *arguments):
        Exception.__init__(self, *arguments)


class DeviceError(Error):
    """A GPU or its driver."""


_CLASSES = {2: InputError, 3: MeshError, 4: ModelError, 5: NotConverged, 6: OutOfMemory, 7: OutputError, 8: DeviceError}


def make(exit_code, kind, message, why="", remedy="", key="", value="", place="", errors=()):
    """The exception for an error of the library, which calls this."""
    error = _CLASSES.get(exit_code, Error)(message)
    error.exit_code, error.kind, error.message, error.why, error.remedy = exit_code, kind, message, why, remedy
    error.key, error.value, error.place = key, value, place
    error.errors = tuple(errors) or (error,)
    return error


def refuse(message, why="", remedy="", kind="argument"):
    """An InputError of a Python argument."""
    return make(2, kind, message, why, remedy)


def is_on_gpu(values):
    """An array of CuPy, PyTorch, Numba or another library whose numbers are in the memory of a GPU of CUDA."""
    return hasattr(values, "__cuda_array_interface__")


def on_host(values, name):
    """An array in the memory of a GPU as one of NumPy, copied by its own library, which waits for what computes it. Others as they are."""
    if not is_on_gpu(values):
        return values
    from ritz import _ritz

    if why := _ritz.why_no_gpu():
        raise refuse(f"{name} in the memory of a GPU", f"Ritz has no GPU here: {why}", "move it to the CPU first, as x.get() of CuPy and x.cpu() of PyTorch do")
    values = values.detach() if hasattr(values, "detach") else values
    for method in ("get", "cpu", "copy_to_host"):  # of CuPy, PyTorch, Numba
        if hasattr(values, method):
            return getattr(values, method)()
    raise refuse(f"{name} in the memory of a GPU, a {type(values).__name__}", "it has no method to move it: get(), cpu() or copy_to_host()", "give an array of NumPy or CuPy")


def real(values, name):
    """These numbers as a contiguous array of 64-bit floats; refuses complex and masked ones, and what holds no numbers."""
    import numpy as np

    if np.ma.is_masked(values):
        raise refuse(f"{name} with {np.ma.count_masked(values)} masked numbers", "what is under a mask is no number to compute with", "fill them: values.filled(...)")
    values = on_host(values, name)
    if hasattr(values, "toarray"):
        raise refuse(f"{name} is a sparse {type(values).__name__}", "only matrices are taken as sparse", "give it densely: values.toarray()")
    try:
        array = np.asarray(values)
        if not np.iscomplexobj(array):
            return np.ascontiguousarray(array, dtype=float)
    except (TypeError, ValueError) as error:
        raise refuse(f"{name}: {error}", "", "give real numbers") from error
    raise refuse(f"{name} of type {array.dtype}", "Ritz computes with real numbers", "solve for real and imaginary parts")
