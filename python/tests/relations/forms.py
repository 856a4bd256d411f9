"""Tables of forms by name, and of plasticity."""
from relations.model import CONDUCTIVITY, FILM, FLUX, GROUND, Model, SOURCE, drawn_mesh, space_and_solver
from relations.solids import tie
from relations.quantities import LENGTH, NONE, Number, STRESS, Vector


def solve(program, random):
    dimension = 2 + int(random.random() < 0.6)
    mesh, _, _ = drawn_mesh(random, dimension)
    m = Model(program, mesh, random)
    form = m.pick("elasticity", "varying_elasticity", "diffusion", "plastic") if dimension == 3 else m.pick("diffusion", "plastic")
    if form == "plastic":
        return plastic(m)
    heat = form == "diffusion"
    thickness = Number(m.positive(), LENGTH) if dimension == 2 else None
    m.add("model", {"form": f"diffusion{dimension}" if heat else form}, single=True)
    for region in m.materials():
        if heat:
            numbers = {"conductivity": Number(m.positive(), CONDUCTIVITY), "thickness": thickness}
        elif form == "elasticity":
            numbers = {"lambda": Number(m.positive(), STRESS), "mu": Number(m.positive(), STRESS)}
        else:
            numbers = {"young": m.number(STRESS), "poisson": Number(float(m.random.uniform(0, 0.4)), NONE, True)}
        m.add("material", {"region": region} | numbers, splits=True)
    m.add("prescribe", {"region": "part1.x0", "value": m.signed(formula=True) if heat else Number(0.0, LENGTH)}, splits=True)
    if len(m.parts()) == 2:
        tie(m)
    for _ in range(2):
        cells = m.chance(0.5)
        region = m.pick(*m.materials()) if cells else m.loaded_side()
        scale = (SOURCE if cells else FLUX) if heat else (GROUND if cells else STRESS)
        if heat and dimension == 2:
            scale = (scale[0] + 1, *scale[1:])  # for the whole thickness
        m.add("load", {"region": region, "value": m.signed(scale, formula=True) if heat else m.vector(scale, formula=True)}, splits=True, load=True)
    if m.chance(0.5):
        if heat:
            content = {"form": f"convection{dimension}", "coefficient": Number(m.positive(), FILM), "ambient": Number(float(m.random.normal())), "thickness": thickness}
        else:
            content = {"form": f"foundation{dimension}", "normal": Number(m.positive(), GROUND), "tangential": Number(m.positive(), GROUND)}
        m.add("boundary", {"region": m.loaded_side()} | content, splits=True)
    space_and_solver(m)
    return m


def plastic(m):
    """Von Mises plasticity with hardening, loaded in increments and unloaded in part."""
    kind = "" if m.dimension == 3 else m.pick("plane_strain_", "plane_stress_")
    m.linear = False
    m.exclude("units", "a thickness of 1 in any unit") if m.dimension == 2 else None
    m.add("model", {"form": f"{kind}von_mises_plasticity"}, single=True)
    for region in m.materials():
        m.add("material", {"region": region, "young": Number(m.positive(), STRESS), "poisson": Number(float(m.random.uniform(0, 0.4))),
                           "yield_stress": Number(m.positive(0.1, 0.5), STRESS), "isotropic_hardening": Number(m.positive(0.3, 1), STRESS),
                           "kinematic_hardening": Number(m.positive(0.3, 1), STRESS) if m.chance(0.5) else None}, splits=True)
    m.add("prescribe", {"region": "part1.x0", "value": Number(0.0, LENGTH)}, splits=True)
    if len(m.parts()) == 2:
        tie(m)
    m.add("load", {"region": m.loaded_side(), "value": Vector(0.3 * m.random.normal(size=m.dimension), STRESS)}, splits=True, load=True)
    m.add("newton", {"tolerance": 1e-10, "increments": 2, "halvings": 0, "path": [1.0, 0.4] if m.chance(0.5) else None}, single=True)
    m.entries[-1].content = {k: v for k, v in m.entries[-1].content.items() if v is not None}
    m.add("solver", {"tolerance": 1e-11}, single=True)
    return m
