"""Answers to vibration on the modes of a model, buckling, and bodies that fly: [harmonic], [random], [spectrum], [history], [complex], [buckling], [inertia_relief]."""
from relations.model import ACCELERATION, TABLES
from relations.quantities import Diagonal, NONE, Number, Vector, unit

FREQUENCY, TIME = unit(T=-1), unit(T=1)
OF_BASE = unit(L=2, T=-3)  # spectral density of an acceleration
LOADS = ("traction", "pressure", "body_force", "force", "gravity", "node_load", "line_load", "surface_load", "weight")
ANSWERS = ("harmonic", "random", "spectrum", "history", "complex")


def answer_of(model):
    """The table of the answer that a model is solved for; None: modes or loads."""
    return next((entry.key for entry in model.entries if entry.key in ANSWERS), None)


def has_means(m):
    """Mean motions of couplings that are held or sprung."""
    return any(key in e.content for e in m.entries if e.key == "coupling" for key in ("keys", "turns", "springs"))


def takes_answers(m):
    """Mean motions that are held, prescribed motions and springs at reference points are refused."""
    moved = any(isinstance(v, dict) or k in ("keys", "turns") for e in m.entries if e.key in ("support", "rigid") for k, v in e.content.items())
    return m.linear and not m.moves and not has_means(m) and not moved and m.dense


def add_direct(m):
    """A harmonic answer without modes, with damping that differs from place to place."""
    m.linear, m.tolerance = False, 1e-5
    add_loads(m)
    region = m.materials()[0] if not m.has("section") else None
    damping = {"rayleigh": [Number(0.3 * m.positive(), FREQUENCY), Number(0.01 * m.positive(), TIME)]}
    if region:
        damping["region"] = [{"region": region, "structural": Number(m.positive(0.05, 0.3))}]
        if m.kind != "axisymmetric" and m.chance(0.5):
            damping["dashpot"] = [{"region": m.loaded_side(), "value": Diagonal([m.positive()] * m.dimension, unit(F=1, T=1, L=-1))}]
    m.add("damping", damping, single=True)
    m.add("harmonic", {"method": "direct", "frequencies": [Number(0.02, FREQUENCY), Number(0.5, FREQUENCY)], "count": 4, "tolerance": 0,
                       "fields_at": [Number(m.positive(0.05, 0.5), FREQUENCY)]}, single=True)
    m.exclude("solver", "a factor of each frequency")
    add_probes(m)


def add_probes(m):
    region = "x1" if m.has("section") else m.loaded_side()
    m.add("probe", {"name": "mean", "field": "displacement", "region": region, "measure": "mean"})
    m.add("probe", {"name": "along", "field": "displacement", "component": "x", "region": region, "measure": "mean"})


def fly(m):
    """A body without supports, whose inertia balances its loads."""
    m.linear = False  # load cases, steps and gradients are other analyses
    m.exclude("balance", "loads accelerate the body")
    m.add("inertia_relief", {}, single=True)


def buckle(m):
    kinds = [set(e.content) & {"orthotropic", "anisotropic"} for e in m.entries if e.key == "material"]
    if m.linear and not m.moves and (m.dimension == 3 or not any(kinds)) and not m.has("inertia_relief") and not has_means(m):
        m.linear = False
        m.add("buckling", {"count": 1, "tolerance": 1e-7}, single=True)


def add_loads(m):
    functions = [function for function in TABLES["elasticity" if m.program != "structure" else "structure"] if function.__name__ in LOADS]
    while not any(entry.load for entry in m.entries):
        m.pick(*functions)(m)


def add_answer(m):
    """What excites a model with [modal], its damping, and one kind of answer. Frequencies of models are about 0.1 to 10."""
    kind = m.pick(*ANSWERS)
    m.linear, m.tolerance = False, 1e-5  # shapes are known to 1e-6 or so, and stresses of their sums to less
    add_loads(m)
    hertz = lambda low, high: Number(m.positive(low, high), FREQUENCY)
    damping = {"ratio": Number(m.positive(0.02, 0.2))} if m.chance(0.6) else {}
    if not damping or m.chance(0.3):
        damping["rayleigh"] = [Number(0.3 * m.positive(), FREQUENCY), Number(0.01 * m.positive(), TIME)]
    if m.chance(0.3):
        damping["structural"] = Number(m.positive(0.01, 0.1))
    m.add("damping", damping, single=True)
    content = {}
    if m.chance(0.2) and kind != "complex":
        content["residual_vectors"] = False
    load = lambda numbers: {key: number for key, number in numbers.items() if m.chance(0.7) or key == "density"}
    base = lambda numbers: {"direction": m.vector(NONE) if m.kind != "axisymmetric" else Vector([0.0, m.positive()])} | numbers
    by_base = kind == "spectrum" or m.chance(0.4)
    if kind == "harmonic":
        content |= {"frequencies": [Number(0.02, FREQUENCY), Number(1.0, FREQUENCY)], "count": 5, "fields_at": [hertz(0.05, 0.5), hertz(0.05, 0.5)]}
        phase = Number(float(m.random.uniform(-180, 180)))
        if by_base:
            content["base"] = [base({m.pick("acceleration"): Number(m.positive(), ACCELERATION), "phase": phase})]
        if not by_base or m.chance(0.3):
            content["load"] = [load({"amplitude": m.signed(), "phase": phase})]
    elif kind == "random":
        content |= {"frequencies": [Number(0.02, FREQUENCY), Number(1.0, FREQUENCY)], "count": 5}
        if by_base:
            content["base"] = [base({"density": Number(m.positive(), OF_BASE)})]
        if not by_base or m.chance(0.3):
            content["load"] = [load({"density": Number(m.positive(), TIME)})]
    elif kind == "spectrum":
        content |= {"sum": m.pick("srss", "cqc", "absolute"), "directions": m.pick("srss", "100-40-40"),
                    "base": [base({"acceleration": Number(m.positive(), ACCELERATION)}) for _ in range(m.pick(1, 2))]}
    elif kind == "history":
        content |= {"end": Number(3.0, TIME), "step": Number(0.25, TIME), "fields_at": [Number(1.1, TIME), Number(3.0, TIME)]}
        if by_base:
            content["base"] = [base({"acceleration": m.signed(ACCELERATION)})]
        if not by_base or m.chance(0.3):
            content["load"] = [load({"amplitude": m.signed()})]
    m.add(kind, content, single=True)
    if kind != "complex":
        add_probes(m)
