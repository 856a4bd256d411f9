"""Relations between solutions: a model is changed in a way whose effect is known, solved again, and compared.

    base = solve(model)
    for difference in check(model, base, "turn", random): print(difference)

Each relation returns the changed model and how to compare, or None where a model does not allow it.
"""
import dataclasses
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

import ritz
from relations import meshes
from relations.answers import ANSWERS, answer_of
from relations.model import CONDUCTIVITY, FLUX, MASS, POWER, Entry
from relations.quantities import FORCE, LENGTH, NONE, STRESS, Frame, Linear, Number, Vector, mapped, quantities, scaled, still, unit

# Solutions are solved to a residual of 1e-11. Small models here have condition numbers of up to about 1e4, so that they are known to 1e-7; what is
# wrong by its kind is off by 1e-4 and more.
TOLERANCE = 2e-6
# Kinds and units of fields. Those of local axes of beams and shells, and lengths of vectors, are compared where axes stay.
FIELDS = {"displacement": ("vector", LENGTH), "displacement_imaginary": ("vector", LENGTH), "velocity": ("vector", unit(L=1, T=-1)), "acceleration": ("vector", unit(L=1, T=-2)),
          "rotation": ("axial", NONE), "angular_velocity": ("axial", unit(T=-1)), "angular_acceleration": ("axial", unit(T=-2)),
          "stress": ("tensor", STRESS), "strain": ("tensor", NONE), "von_mises": ("scalar", STRESS), "reaction": ("vector", FORCE),
          "reaction_moment": ("axial", unit(F=1, L=1)), "temperature": ("scalar", NONE), "heat_flux": ("vector", FLUX), "principal_stress": ("scalar", STRESS),
          "plastic_strain": ("tensor", NONE), "equivalent_plastic_strain": ("scalar", NONE),
          "stress_error": ("scalar", STRESS), "heat_flux_error": ("scalar", FLUX), "tied": ("scalar", NONE),
          "tie_distance": ("scalar", LENGTH), "bar_force": ("scalar", FORCE), "spring_force": ("scalar", FORCE)}
# Answers whose components are amplitudes, root mean squares or largest values, without a sign.
WITHOUT_SIGNS = ("harmonic", "random", "spectrum")
NOT_LINEAR = ("von_mises", "principal_stress", "tied", "tie_distance")
ESTIMATES = ("stress_error", "heat_flux_error")
ENERGY = unit(F=1, L=1)
# Facts of the report that follow, likewise; those of joints are below.
FACTS = {"applied_load": ("vector", FORCE), "reaction": ("vector", FORCE), "ground": ("vector", FORCE), "kinetic_energy": ("scalar", ENERGY),
         "strain_energy": ("scalar", ENERGY), "work_of_loads": ("scalar", ENERGY), "work_of_supports": ("scalar", ENERGY), "damped_energy": ("scalar", ENERGY),
         "total_mass": ("scalar", MASS), "largest_bar_force": ("scalar", FORCE)}
SUMS = ("convection", "radiation")
FACTS_OF_HEAT = {"applied_load": ("scalar", POWER), "reaction": ("scalar", POWER), "convection": ("scalar", POWER), "radiation": ("scalar", POWER),
                 "stored": ("scalar", ENERGY), "supplied": ("scalar", ENERGY), "by_prescribed_values": ("scalar", ENERGY)}


@dataclasses.dataclass
class Solution:
    """Of each step the fields at nodes, (nodes, components), and in cells {kind: ...}; facts of the report; frequencies."""

    steps: list
    names: list
    facts: dict
    frequencies: np.ndarray
    probes: list


def ritz_mesh(mesh):
    cells = {kind: nodes for kind, nodes in mesh.cells.items() if len(nodes)}
    return ritz.Mesh(mesh.points, cells, {name: {k: p if k == "nodes" else np.isin(np.arange(len(cells[k])), p) for k, p in parts.items() if len(p)}
                                         for name, parts in mesh.regions.items()})


def solve(model, threads=1, case=None):
    result = ritz.run(case or model.case(), mesh=ritz_mesh(model.mesh), physics=model.program, threads=threads)
    body = [kind for kind in model.mesh.cells if kind in model.mesh.body()]
    if model.program == "structure":
        body = list(model.mesh.cells)
    blocks = [(kind, len(result.mesh.cells[kind])) for kind in result.mesh.cells if kind in body]
    order = result.mesh._order
    steps = []
    for step in result.steps:
        nodal = {name: values.reshape(len(values), -1) for name, values in step.fields.items()}
        cells = {}
        for name, values in step.cell_fields.items():
            values = values.reshape(len(values), -1)
            values = values if order is None else values[order]
            start = 0
            cells[name] = {}
            for kind, count in blocks:
                cells[name][kind] = values[start : start + count]
                start += count
        steps.append((nodal, cells))
    for nodal, _ in steps:
        with_phases(nodal)
    return Solution(steps, [step.load_case for step in result.steps], result.facts, result.frequencies, [step.probes for step in result.steps])


def with_phases(nodal):
    """Amplitudes and phases of displacements as real and imaginary parts, which turn as vectors."""
    if "displacement_phase" in nodal:
        size, angle = nodal.pop("displacement"), np.radians(nodal.pop("displacement_phase"))
        nodal["displacement"], nodal["displacement_imaginary"] = size * np.cos(angle), size * np.sin(angle)


@dataclasses.dataclass
class Change:
    """The changed model; where nodes and cells went; the frame in which it stands; threads; the fields that are not compared."""

    model: object
    frame: Frame = None
    nodes: np.ndarray = None
    cells: dict = None
    threads: int = 1
    but: tuple = ()


def local(name):
    """Fields of local axes: beam_force, shell_force."""
    return name in ("beam_force", "shell_force")


def units_of(name, components):
    if name == "beam_force":
        return [FORCE, FORCE, FORCE, unit(F=1, L=1), unit(F=1, L=1), unit(F=1, L=1)] * 2
    return [unit(F=1, L=-1)] * 3 + [FORCE] * 3 + [unit(F=1, L=-1)] * 2


def in_frame(model, frame, name, values):
    """A field of the model as it must be in the frame; None: it does not follow."""
    if name.startswith("mode_"):
        return None  # of either sign
    if local(name):
        if frame.hand < 0:
            return None
        return values * [frame.scale(u) for u in units_of(name, values.shape[1])]
    if name == "reaction" and values.shape[1] == 1:
        return values * frame.scale(POWER)
    if name == "strain_and_stress":
        return np.column_stack([frame.values("tensor", NONE, values[:, :6]), frame.values("tensor", STRESS, values[:, 6:])])
    kind, its = FIELDS.get(name) or internal_variable(name, values.shape[1])
    if name.endswith("plastic_strain") and kind == "tensor" and model.has("orientation"):
        return None  # along the axes of the law
    if answer_of(model) in WITHOUT_SIGNS and kind != "scalar" and not (answer_of(model) == "harmonic" and name.startswith("displacement")):
        axes = np.abs(frame.rotation)
        return dataclasses.replace(frame, rotation=axes).values(kind.replace("axial", "vector"), its, values) if is_permutation(axes) else None
    return frame.values(kind, its, values)


def is_permutation(matrix):
    return np.abs(matrix - np.rint(matrix)).max() < 1e-12


def internal_variable(name, components):
    """Kind and unit of an internal variable of a law, which may begin with the law's name."""
    return "scalar" if components == 1 else "tensor", STRESS if "stress" in name else NONE


def compare(model, base, other, change):
    """Sentences about what differs."""
    frame = change.frame or still(model.dimension)
    if len(base.steps) != len(other.steps):
        return [f"{len(other.steps)} steps in place of {len(base.steps)}"]
    found = [*compare_frequencies(base, other, frame), *compare_facts(model, base, other, frame), *compare_answer(model, base, other, frame)]
    if model.program == "modal" and answer_of(model) in (None, "complex"):
        return found
    tolerance = model.tolerance or TOLERANCE
    expected = [({name: in_frame(model, frame, name, v) for name, v in nodal.items() if name not in change.but},
                 {name: {kind: in_frame(model, frame, name, v) for kind, v in parts.items()} for name, parts in cells.items() if name not in change.but})
                for nodal, cells in base.steps]
    floors = natural_scales(model, frame, expected)
    for number, ((nodal, cells), (nodal2, cells2)) in enumerate(zip(expected, other.steps)):
        pairs = [(name, v, nodal2.get(name), change.nodes) for name, v in nodal.items()]
        pairs += [(f"{name} in {kind}", v, cells2.get(name, {}).get(kind), None if change.cells is None else change.cells[kind]) for name, parts in cells.items() for kind, v in parts.items()]
        for name, a, b, to in pairs:
            if a is None:
                continue
            if b is None or a.shape != b.shape:
                found.append(f"step {number}: {name} is missing")
                continue
            b = b if to is None else b[to]
            if name.split(" ")[0] in ESTIMATES and np.abs(a).max(initial=0) < 1e-6 * floors[name.split(" ")[0]]:
                continue  # of a constant stress
            size = max(np.abs(a).max(initial=0), np.abs(b).max(initial=0), floors.get(name.split(" ")[0], 0))
            off = np.abs(a - b).max(initial=0)
            if not off <= tolerance * size:
                at = np.unravel_index(np.argmax(np.abs(a - b)), a.shape)
                found.append(f"step {number}: {name} differs by {off / size:.2g} of {size:.3g}, at {at[0]}: {a[at[0]]} and {b[at[0]]}")
    if "von_mises" not in change.but:
        found += compare_lines(base, other, frame, floors["stress"])
    return found


def compare_lines(base, other, frame, floor):
    """Equivalents of linearised stresses."""
    for number, (one, two) in enumerate(zip(base.probes, other.probes)):
        for name, value in one.items():
            if name.startswith("line_"):
                a, b = value * frame.scale(STRESS), two[name]
                if not abs(a - b) <= 5 * TOLERANCE * max(abs(a), abs(b), floor):
                    yield f"step {number}: {name} is {b} in place of {a}"


def numbers(text):
    try:
        return np.array([float(each) for each in text.split()])
    except ValueError:
        return None


def compare_facts(model, base, other, frame):
    """Sums over the body, and the motions and forces of joints. They cancel, so that fields give their scale."""
    for name, text in base.facts.items():
        a, b = numbers(text), numbers(other.facts.get(name, ""))
        its = FACTS.get(name) if model.program in ("elasticity", "structure", "modal") else FACTS_OF_HEAT.get(name) if model.program == "heat" else None
        joint = name.startswith(("coupling ", "rigid ")) and model.dimension == 3 and len(a) == 6
        if a is None or not (its or joint):
            continue
        if b is not None and name in SUMS:  # one number for each table
            a, b = a.sum(keepdims=True), b.sum(keepdims=True)
        if b is None or len(a) != len(b):
            yield f"fact {name} is {other.facts.get(name)} in place of {text}"
            continue
        force = name.endswith(" force")
        groups = [(slice(0, 3), "vector", FORCE if force else LENGTH), (slice(3, 6), "axial", ENERGY if force else NONE)] if joint else [(slice(None), *its)]
        for part, kind, unit in groups:
            if kind == "vector" and model.kind == "axisymmetric":
                continue  # radial forces have no sum
            x = frame.values(kind, unit, a[None, part] if kind != "scalar" else a[part])
            x = x.reshape(-1)
            size = max(np.abs(x).max(initial=0), np.abs(a[:3]).max() * frame.scale(unit) if joint else 0, fact_scale(model, base) * frame.scale(unit))
            off = np.abs(x - b[part]).max(initial=0)
            if not off <= 5 * TOLERANCE * size:
                yield f"fact {name} is {b[part]} in place of {x}"


def fact_scale(model, base):
    """A least size in the model's own units, in which stiffnesses are about 1."""
    fields = [np.abs(nodal[name]).max(initial=0) for nodal, _ in base.steps for name in ("displacement", "temperature", "reaction", "rotation") if name in nodal]
    return 0.3 * max(fields, default=0) if model.program != "modal" else 0


def natural_scales(model, frame, expected):
    """Least sizes of fields, where their parts cancel: stresses of the strains, forces of the stresses, of all steps."""
    floors = {}
    for name in ("displacement", "velocity", "acceleration", "rotation", "temperature", "heat_flux", "strain", "stress", "reaction", "reaction_moment"):
        floors[name] = max((np.abs(nodal[name]).max(initial=0) for nodal, _ in expected if nodal.get(name) is not None), default=0)
    size = model.mesh.size() * frame.length
    floors["tie_distance"] = size
    for name, order in (("velocity", 1), ("acceleration", 2)):
        floors[name] = max(floors[name], 1e-3 * floors["displacement"] / (3 * (model.time or 1) * frame.time) ** order)
        floors[f"angular_{name}"] = 0.1 * floors[name] / size
    # stiffnesses of the models are about 1 in their own units, at most 4
    floors["strain"] = max(floors["strain"], 0.1 * floors["displacement"] / size)
    floors["stress"] = max(floors["stress"], floors["strain"] * frame.scale(STRESS))
    for name in {name for nodal, cells in expected for name in (*nodal, *cells)}:
        if name not in floors and name.endswith(("plastic_strain", "creep_strain", "compaction")):
            floors[name] = floors["strain"]
        if name not in floors and name.endswith(("_stress", "viscous_stress_1", "viscous_stress_2", "viscous_stress_3")):
            floors[name] = floors["stress"]
    floors["stress_error"] = floors["stress"]
    floors["heat_flux_error"] = floors["heat_flux"]
    floors["von_mises"] = floors["principal_stress"] = floors["stress"]
    if model.program in ("elasticity", "structure", "solve") and floors["displacement"]:
        floors["reaction"] = max(floors["reaction"], 0.1 * floors["stress"] * size**2)
        floors["reaction_moment"] = max(floors["reaction_moment"], floors["reaction"] * size * 0.1)
        floors["bar_force"] = floors["spring_force"] = floors["beam_force"] = floors["shell_force"] = 0.1 * max(floors["reaction"], 0)
    if floors["temperature"]:
        slope = floors["temperature"] / size
        floors["heat_flux"] = max(floors["heat_flux"], 0.1 * slope * frame.scale(CONDUCTIVITY) )
        floors["reaction"] = max(floors["reaction"], 0.1 * floors["heat_flux"] * size**2)
    return floors


# Facts of modes, and the power of the time in their unit.
SPECTRA = {"frequencies_hz": -1, "complex_frequencies_hz": -1, "decays": -1, "damping_ratios": 0, "buckling_factors": 0, "negative_buckling_factor": 0}


def compare_frequencies(base, other, frame):
    for name, power in SPECTRA.items():
        a, b = (numbers(each.facts.get(name, "")) for each in (base, other))
        a = a * frame.time**power
        if len(a) != len(b):
            yield f"{len(b)} {name} in place of {len(a)}"
        elif len(a) and not np.all(np.abs(a - b) <= TOLERANCE * np.abs(a) + 3e-5 * np.abs(a).max()):
            yield f"{name} are {b} in place of {a}"


# Facts of a probe of one component, where axes stay.
OF_PROBE = {"largest_along": LENGTH, "rms_along": LENGTH, "crossings_along": unit(T=-1), "largest_density_along": unit(L=2, T=1)}


def compare_answer(model, base, other, frame):
    for name, its in OF_PROBE.items():
        if name in base.facts and np.array_equal(frame.rotation, np.eye(model.dimension)):
            a, b = numbers(base.facts[name])[0] * frame.scale(its), numbers(other.facts[name])[0]
            if not abs(a - b) <= 2 * model.tolerance * max(abs(a), abs(b)):
                yield f"fact {name} is {b} in place of {a}"


# Frames

def signed_permutation(random, count, hand):
    while True:
        matrix = np.eye(count)[random.permutation(count)] * random.choice([-1.0, 1.0], count)[:, None]
        if np.linalg.det(matrix) * hand > 0:
            return matrix


def orthogonal(random, count, hand):
    matrix, _ = np.linalg.qr(random.normal(size=(count, count)))
    if np.linalg.det(matrix) * hand < 0:
        matrix[0] *= -1
    return matrix


def rotation(model, random, hand):
    n = model.dimension
    if model.frames == "axis":
        return np.diag([1.0, hand])
    return orthogonal(random, n, hand) if model.frames == "any" else signed_permutation(random, n, hand)


def framed(model, frame):
    """The model in another frame."""
    mesh = model.mesh.at(frame.points(model.mesh.points))
    other = model.changed(lambda quantity: quantity.under(frame))
    other.mesh = mesh.mirrored() if frame.hand < 0 else mesh
    return Change(other, frame)


def turn(model, random):
    if model.frames == "axis":
        return None
    return framed(model, dataclasses.replace(still(model.dimension), rotation=rotation(model, random, 1.0)))


def mirror(model, random):
    return framed(model, dataclasses.replace(still(model.dimension), rotation=rotation(model, random, -1.0)))


def move(model, random):
    shift = 3 * model.mesh.size() * random.normal(size=model.dimension)
    if model.frames == "axis":
        shift[0] = 0
    return framed(model, dataclasses.replace(still(model.dimension), shift=shift))


def units(model, random):
    length, force, time = 10.0 ** random.uniform([-4, -9, -4], [4, 9, 4])
    return framed(model, dataclasses.replace(still(model.dimension), length=float(length), force=float(force), time=float(time)))


# Another way of writing the same case

def renumber(model, random):
    within = not model.has("section") or all("orientation" in e.content for e in model.entries if e.key == "section" and str(e.content["element"]).startswith("shell"))
    mesh, nodes, cells = model.mesh.permuted(random, within and "corners" not in model.excluded)
    return Change(model.copy(mesh), nodes=nodes, cells=cells)


def order(model, random):
    """Of tables, of their keys, and of regions."""
    shuffled = lambda items: [items[i] for i in random.permutation(len(items))]
    entries = [dataclasses.replace(entry, content=dict(shuffled([*entry.content.items()]))) for entry in shuffled(model.entries)]
    mesh = meshes.Mesh(model.mesh.points, model.mesh.cells, dict(shuffled([*model.mesh.regions.items()])))
    return Change(model.copy(mesh, entries))


def split(model, random):
    """A region in two, each with a table of the same numbers."""
    if "splits" in model.excluded:
        return None
    candidates = [e for e in model.entries if e.splits and sum(len(p) for p in model.mesh.regions[e.content["region"]].values()) > 1]
    if not candidates:
        return None
    entry = candidates[int(random.integers(len(candidates)))]
    name = entry.content["region"]
    halves = ({}, {})
    for n, (kind, position) in enumerate(random.permutation([(kind, p) for kind, part in model.mesh.regions[name].items() for p in part])):
        halves[n % 2].setdefault(str(kind), []).append(int(position))
    regions = dict(model.mesh.regions)
    for half, parts in zip(("one", "other"), halves):
        regions[f"{name}.{half}"] = {kind: np.array(sorted(p)) for kind, p in parts.items()}
    entries = [e for e in model.entries if e is not entry]
    entries += [dataclasses.replace(entry, content=entry.content | {"region": f"{name}.{half}"}) for half in ("one", "other")]
    # The estimate takes two tables for one material where their numbers are the same constants; formulas it cannot compare.
    varies = entry.key == "material" and any(isinstance(q, Linear) for q in quantities(entry.content))
    return Change(model.copy(meshes.Mesh(model.mesh.points, model.mesh.cells, regions), entries), but=ESTIMATES if varies else ())


def formula(model, random):
    """A number as "number + 0*x", or as an array of equal numbers in cells or at nodes."""
    cell_count = sum(len(model.mesh.cells[kind]) for kind in model.mesh.body())
    ways = [lambda x: f"{x!r} + 0*x", lambda x: ritz.per_cell(np.full(cell_count, x)), lambda x: ritz.per_node(np.full(len(model.mesh.points), x))]
    seen = [False]

    def spread(quantity):
        if isinstance(quantity, (Number, Vector)) and quantity.formula and random.random() < 0.6:
            seen[0] = True
            return dataclasses.replace(quantity, spread=ways[int(random.integers(3))])
        return quantity

    other = model.changed(spread)
    return Change(other) if seen[0] else None


# Superposition

def is_at_rest(model, solution):
    """Numbers of models are about 1, and so are their solutions."""
    largest = lambda names: max((np.abs(v).max(initial=0) for nodal, _ in solution.steps for n, v in nodal.items() if n in names), default=0)
    return (model.program != "modal" or answer_of(model) not in (None, "complex")) and largest(("displacement", "temperature")) < 1e-9


def load_cases(model, random):
    """Loads in load cases, whose combination with factors of the sum 1 is that of the cases, since common loads count once."""
    loads = [entry for entry in model.entries if entry.load]
    if not model.linear or model.time or model.program == "modal" or not loads:
        return None
    chosen = [entry for entry in loads if random.random() < 0.6] or loads[:1]
    rest = [entry for entry in loads if not any(entry is each for each in chosen)] or chosen
    a = float(random.normal())
    case = model.copy(entries=[entry for entry in model.entries if not entry.load]).case()
    case["load_case"] = [{"name": name} | model.copy(entries=its).case() for name, its in (("first", chosen), ("second", rest))]
    case["combination"] = [{"name": "both", "factors": {"first": a, "second": 1 - a}}]
    return case, chosen, a


def superposition(model, base, random):
    made = load_cases(model, random)
    if made is None:
        return None
    case, chosen, a = made
    check.last = case
    both = solve(model, case=case)
    found = []
    floors = natural_scales(model, still(model.dimension), both.steps)
    for name in both.steps[0][0]:
        if name not in NOT_LINEAR:
            one, two, total = (both.steps[both.names.index(n)][0][name] for n in ("first", "second", "both"))
            size = max(np.abs(one).max() * max(1, abs(a)), np.abs(two).max() * max(1, abs(1 - a)), floors.get(name, 0))
            off = np.abs(a * one + (1 - a) * two - total).max()
            if not off <= TOLERANCE * size:
                found.append(f"combination: {name} differs by {off / size:.2g} of {size:.3g}")
    alone = model.copy(entries=[e for e in model.entries if not e.load or any(e is each for each in chosen)])
    first = dataclasses.replace(both, steps=[both.steps[both.names.index("first")]], names=["first"])
    found += [f"load case: {each}" for each in compare(model, dataclasses.replace(solve(alone), facts={}), first, Change(model))]
    return found


def preload(model, base, random):
    """Modes under a part of the loads, by [modal] preload, and in a step after that of the loads."""
    loads = [dataclasses.replace(entry, content=mapped(entry.content, lambda quantity: scaled(quantity, 0.02))) for entry in model.entries if entry.load]
    if model.program != "modal" or not loads or not model.has("modal"):
        return None
    rest = [entry for entry in model.entries if not entry.load and entry.key not in (*ANSWERS, "damping", "modal", "probe")]
    modes = {"modal": {key: value for key, value in model.case()["modal"].items() if key != "method"}}
    case = model.copy(entries=rest).case() | {"step": [{"name": "load"} | model.copy(entries=loads).case(), {"name": "modes"} | modes]}
    check.last = case
    try:
        at_once = solve(model, case=model.copy(entries=rest + loads).case() | {"modal": modes["modal"] | {"preload": True}})
    except ritz.Error as error:
        if "the loaded state is unstable" in str(error):
            return None
        raise
    run = ritz.run(case, mesh=ritz_mesh(model.mesh), physics="elasticity", threads=1)
    after = dataclasses.replace(at_once, facts=run.report["steps"]["modes"]["facts"])
    return [*compare_frequencies(at_once, after, still(model.dimension))]


ELASTIC = ("linear_elastic", "neo_hooke", "mooney_rivlin", "yeoh", "arruda_boyce", "ogden", "polynomial", "hyperfoam")


def has_energy(model):
    """Laws and loads whose solution does not depend on the path."""
    laws = [entry.content.get("law") for entry in model.entries if entry.key == "material"]
    return all(law in ELASTIC for law in laws) and not any("durations" in entry.content for entry in model.entries)


def steps(model, base, random):
    """Loads that come one after the other: the last step has the solution of all, the first one that of its own."""
    loads = [entry for entry in model.entries if entry.load]
    if not (model.linear or has_energy(model)) or model.time or model.program == "modal" or answer_of(model) or not loads:
        return None
    place = lambda entry: (entry.key, entry.content.get("region"))
    chosen = [entry for entry in loads if random.random() < 0.5] or loads[:1]
    chosen = [entry for entry in loads if place(entry) in map(place, chosen)]  # a later one would replace these
    later = [entry for entry in loads if not any(entry is each for each in chosen)]
    case = model.copy(entries=[entry for entry in model.entries if not entry.load]).case()
    case["step"] = [{"name": name} | model.copy(entries=its).case() for name, its in (("first", chosen), ("second", later))]
    check.last = case
    both = solve(model, case=case)
    first = model.copy(entries=[entry for entry in model.entries if not any(entry is each for each in later)])
    found = []
    for number, alone in enumerate([solve(first), base] if model.linear else [None, base]):
        if alone is None:
            continue  # of other increments
        step = dataclasses.replace(both, steps=[both.steps[number]], names=[both.names[number]], probes=[both.probes[number]], facts={})
        found += [f"{both.names[number]}: {each}" for each in compare(model, dataclasses.replace(alone, facts={}), step, Change(model))]
    return found


# Other ways through

METHODS = [{"method": "direct"}, {"method": "cg", "preconditioner": "multigrid"}, {"method": "cg", "preconditioner": "jacobi"},
           {"method": "flexible_cg", "preconditioner": "chebyshev"}, {"method": "minres", "preconditioner": "multigrid"}, {"method": "gmres", "preconditioner": "multigrid"},
           {"method": "bicgstab", "preconditioner": "jacobi"}, {"method": "cg", "preconditioner": "multigrid", "multigrid": {"levels": "aggregation"}}]


def solver(model, random):
    if model.program == "modal":
        entry = next(e for e in model.entries if e.key == "modal")
        if any(e.key == "coupling" and ("springs" in e.content or "turns" in e.content) for e in model.entries):
            return None  # these take lanczos alone
        return Change(model.with_table("modal", entry.content | {"method": ["lanczos", "lobpcg"][int(random.integers(2))]}))
    return Change(model.with_table("solver", METHODS[int(random.integers(len(METHODS)))]))


def operator(model, random):
    if model.program in ("structure", "modal"):
        return None
    return Change(model.with_table("solver", {"operator": ["matrix", "matrix_free"][int(random.integers(2))], "method": "cg", "preconditioner": "multigrid"}))


def threads(model, random):
    return Change(model, threads=2)


# Derivatives

def gradient(model, base, random):
    """[gradient] of a probe by a number of the case beside a central difference of two runs."""
    field = {"elasticity": "displacement", "heat": "temperature"}.get(model.program)
    places = [(entry, key) for entry in model.entries if entry.key in GRADIENTS for key, q in entry.content.items() if type(q) is Number and (q.formula or key == "thickness")]
    if field is None or model.time or not model.linear or not places:
        return None
    entry, key = places[int(random.integers(len(places)))]
    number = [e for e in model.entries if e.key == entry.key].index(entry) if not entry.single else None
    name = ".".join([entry.key, key] if entry.single else [entry.key, str(number), key])
    probe = {"name": "seen", "field": field, "region": str(random.choice(model.materials())), "measure": str(random.choice(["mean", "integral"]))}
    if field == "displacement":
        probe["component"] = "xyz"[int(random.integers(model.dimension))]
    model = model.copy(entries=model.entries + [Entry("probe", probe)])
    value = entry.content[key].value
    step = 1e-4 * max(abs(value), 0.01)
    try:
        slope = float(solve(model.with_table("gradient", {"probe": "seen", "by": [name]})).facts[f"gradient {name}"].split()[0])
    except ritz.Error as error:
        if "no gradient" in str(error):
            return None
        raise

    def seen(at):
        entries = [dataclasses.replace(e, content=e.content | {key: dataclasses.replace(e.content[key], value=at)}) if e is entry else e for e in model.entries]
        return solve(model.copy(entries=entries)).probes[0]["seen"]

    a, b = seen(value - step), seen(value + step)
    difference = (b - a) / (2 * step)
    size = max(abs(slope), abs(difference), 0.01 * abs(a) / max(abs(value), 0.01))
    off = abs(slope - difference)
    rounding = 1e-10 * np.abs(base.steps[0][0][field]).max() / step  # of the two solutions
    return [] if off <= 2e-5 * size + rounding else [f"d {probe['measure']} / d {name} is {slope}, and by differences {difference}"]


GRADIENTS = ("material", "traction", "pressure", "body_force", "source", "flux", "convection", "foundation", "thermal", "temperature", "model")

# Balance, and several processes

def balance(model, base, random):
    """Loads and reactions of a model at rest."""
    if model.program not in ("elasticity", "structure") or model.time or "applied_load" not in base.facts:
        return None
    load, reaction = (np.array([float(x) for x in base.facts[name].split()]) for name in ("applied_load", "reaction"))
    nodal = base.steps[0][0]
    size = max(np.abs(load).max(), np.abs(reaction).max(), np.abs(nodal["reaction"]).max(), 0.1 * np.abs(nodal["displacement"]).max() * model.mesh.size())
    if model.kind == "axisymmetric":
        load, reaction = load[1:2], reaction[1:2]
    off = np.abs(load + reaction).max()
    return [] if off <= TOLERANCE * size * 5 else [f"loads {load} and reactions {reaction} do not balance"]


def write_case(model, folder, name="case", case=None):
    """The model as files, which the programs take: its case, or another one of it, and its mesh."""
    folder = pathlib.Path(folder)
    (folder / f"{name}.msh").write_text(meshes.msh(model.mesh))
    case = {"title": model.name, "mesh": {"file": f"{name}.msh"}} | (case or model.case())
    (folder / f"{name}.toml").write_text(toml(case))
    return folder / f"{name}.toml"


def toml(case):
    """Single values first, then [table]s and [[table]]s with their inner tables in braces."""
    from ritz._run import _toml
    value = lambda each, key: _toml(each, key, {})
    lines = [f"{key} = {value(each, key)}" for key, each in case.items() if isinstance(each, str)]
    for key, each in case.items():
        for content in each if isinstance(each, list) else [each] if isinstance(each, dict) else []:
            lines += ["", f"[[{key}]]" if isinstance(each, list) else f"[{key}]"] + [f"{k} = {value(v, k)}" for k, v in content.items()]
    return "\n".join(lines) + "\n"


def on_ranks(model, folder, count):
    """The report of a run on several ranks, of the program."""
    path = write_case(model, folder)
    command = [str(pathlib.Path(os.environ["RITZ_BIN"]) / f"ritz-{model.program}"), str(path), "--quiet", "--threads", "1", "--json", f"{folder}/report{count}.json",
               "--output", f"{folder}/results{count}"]
    if count > 1:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count)] + command
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads((pathlib.Path(folder) / f"report{count}.json").read_text())


def ranks(model, base, random):
    bin = pathlib.Path(os.environ.get("RITZ_BIN", "."))
    if shutil.which("mpirun") is None or not (bin / f"ritz-{model.program}").exists() or not list((bin.parent / "lib").glob("ritz_ranks.mpi.so")):
        return None
    with tempfile.TemporaryDirectory() as folder:
        one, two = (on_ranks(model, folder, count) for count in (1, 2))
    found = []
    for name, value in one["probes"].items():
        a, b = (np.atleast_1d(np.array(each, float)) for each in (value, two["probes"][name]))
        if not np.abs(a - b).max() <= TOLERANCE * max(np.abs(a).max(), np.abs(base.steps[0][0].get("displacement", base.steps[0][0].get("temperature", a))).max()):
            found.append(f"probe {name} is {value} on 1 rank and {two['probes'][name]} on 2")
    for name in ("reaction", "frequencies_hz"):
        if name in one["facts"]:
            a, b = (np.array([float(x) for x in each["facts"][name].split()]) for each in (one, two))
            size = max(np.abs(a).max(initial=0), np.abs(base.steps[0][0]["reaction"]).max() if name == "reaction" and base.steps else 0, fact_scale(model, base))
            if not np.abs(a - b).max(initial=0) <= 10 * TOLERANCE * size + (3e-5 * size if name != "reaction" else 0):
                found.append(f"{name} is {a} on 1 rank and {b} on 2")
    return found


CHANGES = {each.__name__: each for each in (turn, mirror, move, units, renumber, order, split, formula, solver, operator, threads)}
DIRECT = {each.__name__: each for each in (superposition, steps, preload, gradient, balance)}
PROCESSES = {"ranks": ranks}
NAMES = [*CHANGES, *DIRECT]


def check(model, base, name, random):
    """What differs, a list of sentences; None: the model does not have this relation."""
    if name in model.excluded:
        return None
    if name in CHANGES:
        change = CHANGES[name](model, random)
        if change is None:
            return None
        check.last = change.model
        return compare(model, base, solve(change.model, change.threads), change)
    check.last = model
    return {**DIRECT, **PROCESSES}[name](model, base, random)
