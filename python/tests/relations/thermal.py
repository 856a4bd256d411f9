"""Tables of heat conduction."""
import dataclasses

from relations.model import (CONDUCTIVITY, DENSITY, FILM, FLUX, Model, POWER, SOURCE, SPECIFIC_HEAT, TABLES, drawn_mesh, estimate, orientation,
                             probes, space_and_solver, table)
from relations.solids import tie
from relations.quantities import LENGTH, NONE, Number, unit


def heat(program, random):
    dimension = 3 if random.random() < 0.6 else 2
    kind = None if dimension == 3 else ("plane", "axisymmetric")[int(random.integers(2))]
    mesh, matching, thick = drawn_mesh(random, dimension, kind == "axisymmetric")
    m = Model(program, mesh, random, kind)
    m.matching, m.thick = matching, thick
    radiates = m.chance(0.15)
    m.evolves = m.chance(0.25)
    content = {"type": kind, "thickness": Number(m.positive(), LENGTH) if kind == "plane" and m.chance(0.6) else None,
               "absolute_zero": Number(-5.0) if radiates else None}
    if any(v is not None for v in content.values()):
        m.add("model", content, single=True)
    if kind == "plane" and content["thickness"] is None:
        m.exclude("units", "a thickness of 1 in any unit")
    held = m.pick("temperature", "temperature", "convection", "periodic")
    if held == "periodic":
        m.evolves = False  # a begin that has not the jump would have to choose the side that keeps its values
    for number, region in enumerate(m.materials()):
        content = {"region": region}
        if m.chance(0.7):
            content["conductivity"] = m.number(CONDUCTIVITY)
        else:
            content |= {"conductivity_along": [Number(m.positive(), CONDUCTIVITY) for _ in range(3)], "orientation": orientation(m, f"axes{number}")}
        if m.evolves:
            content |= {"density": m.number(DENSITY), "specific_heat": m.number(SPECIFIC_HEAT)}
        m.add("material", content, splits=True)
    if held == "periodic" and (not m.matching or kind == "axisymmetric"):
        held = "temperature"
    if held == "temperature":
        m.add("temperature", {"region": "part1.x0", "value": m.signed(formula=True)}, splits=True)
    elif held == "convection":
        m.add("convection", {"region": "part1.x0", "coefficient": m.number(FILM), "ambient": m.signed(formula=True)}, splits=True)
    else:
        gradient = m.vector(unit(L=-1)) if m.chance(0.7) else None
        for axis in "xyz"[: m.dimension]:
            m.add("periodic", {"region": f"part1.{axis}1", "onto": f"part1.{axis}0", "gradient": gradient})
        m.add("temperature", {"region": "part1.corner", "value": m.signed()})
        m.is_periodic = True
    if len(m.parts()) == 2:
        tie(m)
    if radiates:
        m.linear = False
        m.exclude("units", "")
        m.add("radiation", {"region": m.loaded_side(), "emissivity": Number(float(m.random.uniform(0.2, 1)), NONE, True), "ambient": m.signed(formula=True)}, splits=True)
        m.add("newton", {"tolerance": 1e-11}, single=True)
    for function in TABLES["heat"]:
        if m.chance(0.4):
            function(m)
    if not any(entry.load for entry in m.entries):
        source(m)
    if m.evolves:
        step = 0.05
        m.time = step
        m.add("time", {"end": Number(3 * step, unit(T=1)), "step": Number(step, unit(T=1)), "output": Number(step, unit(T=1)),
                       "method": m.pick("tr_bdf2", "backward_euler")}, single=True)
        m.add("initial", {"temperature": dataclasses.replace(m.linear_in_space(m.positive(), NONE), rate=0.0)}, single=True)
    space_and_solver(m)
    probes(m, "temperature")
    estimate(m, not any("orientation" in e.content for e in m.entries if e.key == "material"))
    return m


@table("heat")
def source(m):
    m.add("source", {"region": m.pick(*m.materials()), "value": m.signed(SOURCE, formula=True)}, splits=True, load=True)


@table("heat")
def flux(m):
    m.add("flux", {"region": m.loaded_side(), "value": m.signed(FLUX, formula=True)}, splits=True, load=True)


@table("heat")
def power(m):
    m.add("power", {"region": m.pick(m.loaded_side(), *m.materials()), "value": Number(float(m.random.normal()), POWER)}, load=True)


@table("heat")
def convection(m):
    if not getattr(m, "is_periodic", False):
        m.add("convection", {"region": m.loaded_side(), "coefficient": m.number(FILM), "ambient": m.signed(formula=True)}, splits=True)


@table("heat")
def equal_nodes(m):
    names = [name for name in m.mesh.regions if name.startswith("part1.single")]
    if len(names) == 2 and not getattr(m, "is_periodic", False) and not m.evolves:
        m.add("equation", {"terms": [{"region": names[0]}, {"region": names[1], "factor": float(m.random.normal())}], "value": m.signed()})
