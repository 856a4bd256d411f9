"""Draws models at random, table by table: each function adds one table of the case, with numbers that know how they turn and scale.

    model = draw.model(seed=7, index=12)          # always the same
    model.case()                                  # tables for ritz.run, with mesh=model.mesh_for_ritz()

A table of a new kind is a function in solids, thermal, sections or forms, with @table and the programs that have it. Relations follow from its numbers.
What it does not allow it says by model.exclude(...).
"""
import numpy as np

from relations.forms import solve
from relations.sections import of_solids_and_sections, structure
from relations.solids import elastic, of_laws
from relations.thermal import heat


def model(seed, index, programs=("elasticity", "heat", "modal", "structure", "solve")):
    """Model `index` of a seed, always the same."""
    random = np.random.default_rng([seed, index])
    program = programs[index % len(programs)]
    drawn = {"elasticity": elastic, "modal": elastic, "heat": heat, "structure": structure, "solve": solve}[program]
    if program == "elasticity" and random.random() < 0.2:
        drawn = of_laws
    if program == "structure" and random.random() < 0.2:
        drawn = of_solids_and_sections
    result = drawn(program, random)
    result.name = f"model {index} of seed {seed}, ritz-{program}"
    return result
