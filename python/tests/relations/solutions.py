"""Solutions of models, and what differs between two of them."""

import dataclasses

import numpy as np

import ritz
from relations.answers import answer_of
from relations.model import CONDUCTIVITY, FLUX, MASS, POWER
from relations.quantities import FORCE, LENGTH, NONE, STRESS, Frame, still, unit

# Solutions are solved to a residual of 1e-11. Small models here have condition numbers of up to about 1e4, so that they
# are known to 1e-7; what is wrong by its kind is off by 1e-4 and more.
TOLERANCE = 2e-6
# Kinds and units of fields. Those of local axes of beams and shells, and lengths of vectors, are compared where axes
# stay.
FIELDS = {
    "displacement": ("vector", LENGTH),
    "displacement_imaginary": ("vector", LENGTH),
    "velocity": ("vector", unit(L=1, T=-1)),
    "acceleration": ("vector", unit(L=1, T=-2)),
    "rotation": ("axial", NONE),
    "angular_velocity": ("axial", unit(T=-1)),
    "angular_acceleration": ("axial", unit(T=-2)),
    "stress": ("tensor", STRESS),
    "strain": ("tensor", NONE),
    "von_mises": ("scalar", STRESS),
    "reaction": ("vector", FORCE),
    "reaction_moment": ("axial", unit(F=1, L=1)),
    "temperature": ("scalar", NONE),
    "heat_flux": ("vector", FLUX),
    "principal_stress": ("scalar", STRESS),
    "plastic_strain": ("tensor", NONE),
    "equivalent_plastic_strain": ("scalar", NONE),
    "stress_error": ("scalar", STRESS),
    "heat_flux_error": ("scalar", FLUX),
    "tied": ("scalar", NONE),
    "tie_distance": ("scalar", LENGTH),
    "bar_force": ("scalar", FORCE),
    "spring_force": ("scalar", FORCE),
}
# Answers whose components are amplitudes, root mean squares or largest values, without a sign.
WITHOUT_SIGNS = ("harmonic", "random", "spectrum")
NOT_LINEAR = ("von_mises", "principal_stress", "tied", "tie_distance")
ESTIMATES = ("stress_error", "heat_flux_error")
ENERGY = unit(F=1, L=1)
# Facts of the report that follow, likewise; those of joints are below.
FACTS = {
    "applied_load": ("vector", FORCE),
    "reaction": ("vector", FORCE),
    "ground": ("vector", FORCE),
    "kinetic_energy": ("scalar", ENERGY),
    "strain_energy": ("scalar", ENERGY),
    "work_of_loads": ("scalar", ENERGY),
    "work_of_supports": ("scalar", ENERGY),
    "damped_energy": ("scalar", ENERGY),
    "total_mass": ("scalar", MASS),
    "largest_bar_force": ("scalar", FORCE),
}
SUMS = ("convection", "radiation")
FACTS_OF_HEAT = {
    "applied_load": ("scalar", POWER),
    "reaction": ("scalar", POWER),
    "convection": ("scalar", POWER),
    "radiation": ("scalar", POWER),
    "stored": ("scalar", ENERGY),
    "supplied": ("scalar", ENERGY),
    "by_prescribed_values": ("scalar", ENERGY),
}


@dataclasses.dataclass
class Solution:
    """Steps: fields at nodes, (nodes, components), and in cells {kind: ...}; facts of the report; frequencies."""

    steps: list
    names: list
    facts: dict
    frequencies: np.ndarray
    probes: list


def ritz_mesh(mesh):
    cells = {kind: nodes for kind, nodes in mesh.cells.items() if len(nodes)}
    return ritz.Mesh(
        mesh.points,
        cells,
        {
            name: {k: p if k == "nodes" else np.isin(np.arange(len(cells[k])), p) for k, p in parts.items() if len(p)}
            for name, parts in mesh.regions.items()
        },
    )


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
    return Solution(
        steps,
        [step.load_case for step in result.steps],
        result.facts,
        result.frequencies,
        [step.probes for step in result.steps],
    )


def with_phases(nodal):
    """Amplitudes and phases of displacements as real and imaginary parts, which turn as vectors."""
    if "displacement_phase" in nodal:
        size, angle = nodal.pop("displacement"), np.radians(nodal.pop("displacement_phase"))
        nodal["displacement"], nodal["displacement_imaginary"] = size * np.cos(angle), size * np.sin(angle)


@dataclasses.dataclass
class Change:
    """The changed model; where nodes and cells went; its frame; threads; the fields that are not compared."""

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
        return np.column_stack(
            [frame.values("tensor", NONE, values[:, :6]), frame.values("tensor", STRESS, values[:, 6:])]
        )
    kind, its = FIELDS.get(name) or internal_variable(name, values.shape[1])
    if name.endswith("plastic_strain") and kind == "tensor" and model.has("orientation"):
        return None  # along the axes of the law
    if (
        answer_of(model) in WITHOUT_SIGNS
        and kind != "scalar"
        and not (answer_of(model) == "harmonic" and name.startswith("displacement"))
    ):
        axes = np.abs(frame.rotation)
        return (
            dataclasses.replace(frame, rotation=axes).values(kind.replace("axial", "vector"), its, values)
            if is_permutation(axes)
            else None
        )
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
    found = [
        *compare_frequencies(base, other, frame),
        *compare_facts(model, base, other, frame),
        *compare_answer(model, base, other, frame),
    ]
    if model.program == "modal" and answer_of(model) in (None, "complex"):
        return found
    tolerance = model.tolerance or TOLERANCE
    expected = [
        (
            {name: in_frame(model, frame, name, v) for name, v in nodal.items() if name not in change.but},
            {
                name: {kind: in_frame(model, frame, name, v) for kind, v in parts.items()}
                for name, parts in cells.items()
                if name not in change.but
            },
        )
        for nodal, cells in base.steps
    ]
    floors = natural_scales(model, frame, expected)
    for number, ((nodal, cells), (nodal2, cells2)) in enumerate(zip(expected, other.steps)):
        pairs = [(name, v, nodal2.get(name), change.nodes) for name, v in nodal.items()]
        pairs += [
            (
                f"{name} in {kind}",
                v,
                cells2.get(name, {}).get(kind),
                None if change.cells is None else change.cells[kind],
            )
            for name, parts in cells.items()
            for kind, v in parts.items()
        ]
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
                found.append(
                    f"step {number}: {name} differs by {off / size:.2g} of {size:.3g}, at {at[0]}: "
                    f"{a[at[0]]} and {b[at[0]]}"
                )
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
        its = (
            FACTS.get(name)
            if model.program in ("elasticity", "structure", "modal")
            else FACTS_OF_HEAT.get(name) if model.program == "heat" else None
        )
        joint = name.startswith(("coupling ", "rigid ")) and model.dimension == 3 and len(a) == 6
        if a is None or not (its or joint):
            continue
        if b is not None and name in SUMS:  # one number for each table
            a, b = a.sum(keepdims=True), b.sum(keepdims=True)
        if b is None or len(a) != len(b):
            yield f"fact {name} is {other.facts.get(name)} in place of {text}"
            continue
        force = name.endswith(" force")
        groups = (
            [(slice(0, 3), "vector", FORCE if force else LENGTH), (slice(3, 6), "axial", ENERGY if force else NONE)]
            if joint
            else [(slice(None), *its)]
        )
        for part, kind, its_unit in groups:
            if kind == "vector" and model.kind == "axisymmetric":
                continue  # radial forces have no sum
            x = frame.values(kind, its_unit, a[None, part] if kind != "scalar" else a[part])
            x = x.reshape(-1)
            size = max(
                np.abs(x).max(initial=0),
                np.abs(a[:3]).max() * frame.scale(its_unit) if joint else 0,
                fact_scale(model, base) * frame.scale(its_unit),
            )
            off = np.abs(x - b[part]).max(initial=0)
            if not off <= 5 * TOLERANCE * size:
                yield f"fact {name} is {b[part]} in place of {x}"


def fact_scale(model, base):
    """A least size in the model's own units, in which stiffnesses are about 1."""
    fields = [
        np.abs(nodal[name]).max(initial=0)
        for nodal, _ in base.steps
        for name in ("displacement", "temperature", "reaction", "rotation")
        if name in nodal
    ]
    return 0.3 * max(fields, default=0) if model.program != "modal" else 0


def natural_scales(model, frame, expected):
    """Least sizes of fields of all steps, where parts cancel: stresses of the strains, forces of the stresses."""
    floors = {}
    for name in (
        "displacement",
        "velocity",
        "acceleration",
        "rotation",
        "temperature",
        "heat_flux",
        "strain",
        "stress",
        "reaction",
        "reaction_moment",
    ):
        floors[name] = max(
            (np.abs(nodal[name]).max(initial=0) for nodal, _ in expected if nodal.get(name) is not None), default=0
        )
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
        if name not in floors and name.endswith(
            ("_stress", "viscous_stress_1", "viscous_stress_2", "viscous_stress_3")
        ):
            floors[name] = floors["stress"]
    floors["stress_error"] = floors["stress"]
    floors["heat_flux_error"] = floors["heat_flux"]
    floors["von_mises"] = floors["principal_stress"] = floors["stress"]
    if model.program in ("elasticity", "structure", "solve") and floors["displacement"]:
        floors["reaction"] = max(floors["reaction"], 0.1 * floors["stress"] * size**2)
        floors["reaction_moment"] = max(floors["reaction_moment"], floors["reaction"] * size * 0.1)
        floors["bar_force"] = floors["spring_force"] = floors["beam_force"] = floors["shell_force"] = 0.1 * max(
            floors["reaction"], 0
        )
    if floors["temperature"]:
        slope = floors["temperature"] / size
        floors["heat_flux"] = max(floors["heat_flux"], 0.1 * slope * frame.scale(CONDUCTIVITY))
        floors["reaction"] = max(floors["reaction"], 0.1 * floors["heat_flux"] * size**2)
    return floors


# Facts of modes, and the power of the time in their unit.
SPECTRA = {"frequencies_hz": -1, "complex_frequencies_hz": -1, "decays": -1, "damping_ratios": 0, "buckling_factors": 0}


def compare_frequencies(base, other, frame):
    for name, power in SPECTRA.items():
        a, b = (numbers(each.facts.get(name, "")) for each in (base, other))
        a = a * frame.time**power
        if len(a) != len(b):
            yield f"{len(b)} {name} in place of {len(a)}"
        elif len(a) and not np.all(np.abs(a - b) <= TOLERANCE * np.abs(a) + 3e-5 * np.abs(a).max()):
            yield f"{name} are {b} in place of {a}"


# Facts of a probe of one component, where axes stay.
OF_PROBE = {
    "largest_along": LENGTH,
    "rms_along": LENGTH,
    "crossings_along": unit(T=-1),
    "largest_density_along": unit(L=2, T=1),
}


def compare_answer(model, base, other, frame):
    for name, its in OF_PROBE.items():
        if name in base.facts and np.array_equal(frame.rotation, np.eye(model.dimension)):
            a, b = numbers(base.facts[name])[0] * frame.scale(its), numbers(other.facts[name])[0]
            if not abs(a - b) <= 2 * model.tolerance * max(abs(a), abs(b)):
                yield f"fact {name} is {b} in place of {a}"
