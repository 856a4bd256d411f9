"""Relations between solutions: a model is changed in a way whose effect is known, solved again, and compared.

    base = solve(model)
    for difference in check(model, base, "turn", random): print(difference)

Each relation returns the changed model and how to compare, or None where a model does not allow it.
"""

import dataclasses
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
from relations.model import Entry
from relations.quantities import Linear, Number, Vector, mapped, quantities, scaled, still
from relations.solutions import (
    ESTIMATES,
    NOT_LINEAR,
    TOLERANCE,
    Change,
    compare,
    compare_frequencies,
    fact_scale,
    natural_scales,
    ritz_mesh,
    solve,
)

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
    return framed(
        model, dataclasses.replace(still(model.dimension), length=float(length), force=float(force), time=float(time))
    )


# Another way of writing the same case


def renumber(model, random):
    within = not model.has("section") or all(
        "orientation" in e.content
        for e in model.entries
        if e.key == "section" and str(e.content["element"]).startswith("shell")
    )
    mesh, nodes, cells = model.mesh.permuted(random, within and "corners" not in model.excluded)
    return Change(model.copy(mesh), nodes=nodes, cells=cells)


def order(model, random):
    """Of tables, of their keys, and of regions."""
    shuffled = lambda items: [items[i] for i in random.permutation(len(items))]
    entries = [
        dataclasses.replace(entry, content=dict(shuffled([*entry.content.items()])))
        for entry in shuffled(model.entries)
    ]
    mesh = meshes.Mesh(model.mesh.points, model.mesh.cells, dict(shuffled([*model.mesh.regions.items()])))
    return Change(model.copy(mesh, entries))


def split(model, random):
    """A region in two, each with a table of the same numbers."""
    if "splits" in model.excluded:
        return None
    candidates = [
        e
        for e in model.entries
        if e.splits and sum(len(p) for p in model.mesh.regions[e.content["region"]].values()) > 1
    ]
    if not candidates:
        return None
    entry = candidates[int(random.integers(len(candidates)))]
    name = entry.content["region"]
    halves = ({}, {})
    for n, (kind, position) in enumerate(
        random.permutation([(kind, p) for kind, part in model.mesh.regions[name].items() for p in part])
    ):
        halves[n % 2].setdefault(str(kind), []).append(int(position))
    regions = dict(model.mesh.regions)
    for half, parts in zip(("one", "other"), halves):
        regions[f"{name}.{half}"] = {kind: np.array(sorted(p)) for kind, p in parts.items()}
    entries = [e for e in model.entries if e is not entry]
    entries += [
        dataclasses.replace(entry, content=entry.content | {"region": f"{name}.{half}"}) for half in ("one", "other")
    ]
    # The estimate takes two tables for one material where their numbers are the same constants; it cannot compare
    # formulas.
    varies = entry.key == "material" and any(isinstance(q, Linear) for q in quantities(entry.content))
    return Change(
        model.copy(meshes.Mesh(model.mesh.points, model.mesh.cells, regions), entries), but=ESTIMATES if varies else ()
    )


def formula(model, random):
    """A number as "number + 0*x", or as an array of equal numbers in cells or at nodes."""
    cell_count = sum(len(model.mesh.cells[kind]) for kind in model.mesh.body())
    ways = [
        lambda x: f"{x!r} + 0*x",
        lambda x: ritz.per_cell(np.full(cell_count, x)),
        lambda x: ritz.per_node(np.full(len(model.mesh.points), x)),
    ]
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
    largest = lambda names: max(
        (np.abs(v).max(initial=0) for nodal, _ in solution.steps for n, v in nodal.items() if n in names), default=0
    )
    return (model.program != "modal" or answer_of(model) not in (None, "complex")) and largest(
        ("displacement", "temperature")
    ) < 1e-9


def load_cases(model, random):
    """Loads in load cases. Factors of the sum 1 combine them to those of the cases: common loads count once."""
    loads = [entry for entry in model.entries if entry.load]
    if not model.linear or model.time or model.program == "modal" or not loads:
        return None
    chosen = [entry for entry in loads if random.random() < 0.6] or loads[:1]
    rest = [entry for entry in loads if not any(entry is each for each in chosen)] or chosen
    a = float(random.normal())
    case = model.copy(entries=[entry for entry in model.entries if not entry.load]).case()
    case["load_case"] = [
        {"name": name} | model.copy(entries=its).case() for name, its in (("first", chosen), ("second", rest))
    ]
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
    found += [
        f"load case: {each}"
        for each in compare(model, dataclasses.replace(solve(alone), facts={}), first, Change(model))
    ]
    return found


def preload(model, base, random):
    """Modes under a part of the loads, by [modal] preload, and in a step after that of the loads."""
    loads = [
        dataclasses.replace(entry, content=mapped(entry.content, lambda quantity: scaled(quantity, 0.02)))
        for entry in model.entries
        if entry.load
    ]
    if model.program != "modal" or not loads or not model.has("modal"):
        return None
    rest = [
        entry for entry in model.entries if not entry.load and entry.key not in (*ANSWERS, "damping", "modal", "probe")
    ]
    modes = {"modal": {key: value for key, value in model.case()["modal"].items() if key != "method"}}
    case = model.copy(entries=rest).case() | {
        "step": [{"name": "load"} | model.copy(entries=loads).case(), {"name": "modes"} | modes]
    }
    check.last = case
    try:
        at_once = solve(
            model, case=model.copy(entries=rest + loads).case() | {"modal": modes["modal"] | {"preload": True}}
        )
    except ritz.Error as error:
        if "unstable" in str(error):
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
    if (
        not (model.linear or has_energy(model))
        or model.time
        or model.program == "modal"
        or answer_of(model)
        or not loads
    ):
        return None
    place = lambda entry: (entry.key, entry.content.get("region"))
    chosen = [entry for entry in loads if random.random() < 0.5] or loads[:1]
    chosen = [entry for entry in loads if place(entry) in map(place, chosen)]  # a later one would replace these
    later = [entry for entry in loads if not any(entry is each for each in chosen)]
    case = model.copy(entries=[entry for entry in model.entries if not entry.load]).case()
    case["step"] = [
        {"name": name} | model.copy(entries=its).case() for name, its in (("first", chosen), ("second", later))
    ]
    check.last = case
    both = solve(model, case=case)
    first = model.copy(entries=[entry for entry in model.entries if not any(entry is each for each in later)])
    found = []
    for number, alone in enumerate([solve(first), base] if model.linear else [None, base]):
        if alone is None:
            continue  # of other increments
        step = dataclasses.replace(
            both, steps=[both.steps[number]], names=[both.names[number]], probes=[both.probes[number]], facts={}
        )
        found += [
            f"{both.names[number]}: {each}"
            for each in compare(model, dataclasses.replace(alone, facts={}), step, Change(model))
        ]
    return found


# Other ways through

METHODS = [
    {"method": "direct"},
    {"method": "cg", "preconditioner": "multigrid"},
    {"method": "cg", "preconditioner": "jacobi"},
    {"method": "flexible_cg", "preconditioner": "chebyshev"},
    {"method": "minres", "preconditioner": "multigrid"},
    {"method": "gmres", "preconditioner": "multigrid"},
    {"method": "bicgstab", "preconditioner": "jacobi"},
    {"method": "cg", "preconditioner": "multigrid", "multigrid": {"levels": "aggregation"}},
]


def solver(model, random):
    if model.program == "modal":
        entry = next(e for e in model.entries if e.key == "modal")
        if any(e.key == "coupling" and ("springs" in e.content or "turns" in e.content) for e in model.entries):
            return None  # these take lanczos alone
        return Change(
            model.with_table("modal", entry.content | {"method": ["lanczos", "lobpcg"][int(random.integers(2))]})
        )
    return Change(model.with_table("solver", METHODS[int(random.integers(len(METHODS)))]))


def operator(model, random):
    if model.program in ("structure", "modal"):
        return None
    return Change(
        model.with_table(
            "solver",
            {
                "operator": ["matrix", "matrix_free"][int(random.integers(2))],
                "method": "cg",
                "preconditioner": "multigrid",
            },
        )
    )


def threads(model, random):
    return Change(model, threads=2)


# Derivatives


def gradient(model, base, random):
    """[gradient] of a probe by a number of the case beside a central difference of two runs."""
    field = {"elasticity": "displacement", "heat": "temperature"}.get(model.program)
    places = [
        (entry, key)
        for entry in model.entries
        if entry.key in GRADIENTS
        for key, q in entry.content.items()
        if type(q) is Number and (q.formula or key == "thickness")
    ]
    if field is None or model.time or not model.linear or not places:
        return None
    entry, key = places[int(random.integers(len(places)))]
    number = [e for e in model.entries if e.key == entry.key].index(entry) if not entry.single else None
    name = ".".join([entry.key, key] if entry.single else [entry.key, str(number), key])
    probe = {
        "name": "seen",
        "field": field,
        "region": str(random.choice(model.materials())),
        "measure": str(random.choice(["mean", "integral"])),
    }
    if field == "displacement":
        probe["component"] = "xyz"[int(random.integers(model.dimension))]
    model = model.copy(entries=model.entries + [Entry("probe", probe)])
    value = entry.content[key].value
    step = 1e-4 * max(abs(value), 0.01)
    try:
        slope = float(
            solve(model.with_table("gradient", {"probe": "seen", "by": [name]})).facts[f"gradient {name}"].split()[0]
        )
    except ritz.Error as error:
        if "no gradient" in str(error):
            return None
        raise

    def seen(at):
        entries = [
            (
                dataclasses.replace(e, content=e.content | {key: dataclasses.replace(e.content[key], value=at)})
                if e is entry
                else e
            )
            for e in model.entries
        ]
        return solve(model.copy(entries=entries)).probes[0]["seen"]

    a, b = seen(value - step), seen(value + step)
    difference = (b - a) / (2 * step)
    size = max(abs(slope), abs(difference), 0.01 * abs(a) / max(abs(value), 0.01))
    off = abs(slope - difference)
    rounding = 1e-10 * np.abs(base.steps[0][0][field]).max() / step  # of the two solutions
    return (
        []
        if off <= 2e-5 * size + rounding
        else [f"d {probe['measure']} / d {name} is {slope}, and by differences {difference}"]
    )


GRADIENTS = (
    "material",
    "traction",
    "pressure",
    "body_force",
    "source",
    "flux",
    "convection",
    "foundation",
    "thermal",
    "temperature",
    "model",
)

# Balance, and several processes


def balance(model, base, random):
    """Loads and reactions of a model at rest."""
    if model.program not in ("elasticity", "structure") or model.time or "applied_load" not in base.facts:
        return None
    load, reaction = (np.array([float(x) for x in base.facts[name].split()]) for name in ("applied_load", "reaction"))
    nodal = base.steps[0][0]
    size = max(
        np.abs(load).max(),
        np.abs(reaction).max(),
        np.abs(nodal["reaction"]).max(),
        0.1 * np.abs(nodal["displacement"]).max() * model.mesh.size(),
    )
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
            lines += ["", f"[[{key}]]" if isinstance(each, list) else f"[{key}]"] + [
                f"{k} = {value(v, k)}" for k, v in content.items()
            ]
    return "\n".join(lines) + "\n"


def on_ranks(model, folder, count):
    """The report of a run on several ranks, of the program."""
    path = write_case(model, folder)
    command = [
        str(pathlib.Path(os.environ["RITZ_BIN"]) / f"ritz-{model.program}"),
        str(path),
        "--quiet",
        "--threads",
        "1",
        "--json",
        f"{folder}/report{count}.json",
        "--output",
        f"{folder}/results{count}",
    ]
    if count > 1:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count)] + command
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads((pathlib.Path(folder) / f"report{count}.json").read_text())


def ranks(model, base, random):
    bin = pathlib.Path(os.environ.get("RITZ_BIN", "."))
    if (
        shutil.which("mpirun") is None
        or not (bin / f"ritz-{model.program}").exists()
        or not list((bin.parent / "lib").glob("ritz_ranks.mpi.so"))
    ):
        return None
    with tempfile.TemporaryDirectory() as folder:
        one, two = (on_ranks(model, folder, count) for count in (1, 2))
    found = []
    for name, value in one["probes"].items():
        a, b = (np.atleast_1d(np.array(each, float)) for each in (value, two["probes"][name]))
        if not np.abs(a - b).max() <= TOLERANCE * max(
            np.abs(a).max(), np.abs(base.steps[0][0].get("displacement", base.steps[0][0].get("temperature", a))).max()
        ):
            found.append(f"probe {name} is {value} on 1 rank and {two['probes'][name]} on 2")
    for name in ("reaction", "frequencies_hz"):
        if name in one["facts"]:
            a, b = (np.array([float(x) for x in each["facts"][name].split()]) for each in (one, two))
            size = max(
                np.abs(a).max(initial=0),
                np.abs(base.steps[0][0]["reaction"]).max() if name == "reaction" and base.steps else 0,
                fact_scale(model, base),
            )
            if not np.abs(a - b).max(initial=0) <= 10 * TOLERANCE * size + (3e-5 * size if name != "reaction" else 0):
                found.append(f"{name} is {a} on 1 rank and {b} on 2")
    return found


CHANGES = {
    each.__name__: each
    for each in (turn, mirror, move, units, renumber, order, split, formula, solver, operator, threads)
}
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
