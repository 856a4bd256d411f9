# The names of the package for editors and type checkers; docstrings and hints are in the modules.
from ritz._errors import DeviceError as DeviceError, Error as Error, InputError as InputError, MeshError as MeshError, ModelError as ModelError
from ritz._errors import NotConverged as NotConverged, OutOfMemory as OutOfMemory, OutputError as OutputError
from ritz._forms import energy as energy, plugin as plugin
from ritz._jax import jax_function as jax_function
from ritz._model import Model as Model, assemble as assemble
from ritz._picture import picture as picture
from ritz._run import Mesh as Mesh, Result as Result, Step as Step, check as check, materials as materials, per_cell as per_cell, per_node as per_node, run as run
from ritz._torch import torch_function as torch_function
from ritz._solver import Matrix as Matrix, Multigrid as Multigrid, Report as Report, eigs as eigs, multigrid as multigrid, solve as solve
