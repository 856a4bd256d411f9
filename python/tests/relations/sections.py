"""Tables of beams, bars and shells, and of solids with them."""
import numpy as np

from relations import meshes
from relations.answers import add_answer, takes_answers
from relations.model import ACCELERATION, DENSITY, INERTIA, MASS, MOMENT, Model, SPRING, TABLES, table
from relations.solids import add_elastic_materials, motion
from relations.quantities import Diagonal, FORCE, Handed, LENGTH, NONE, Number, STRESS, unit


def structure(program, random):
    shells = random.random() < 0.6
    counts = [2, int(random.integers(1, 3)), int(random.integers(1, 3))]
    mesh = meshes.surface(random, ("quad", "tri", "mixed")[int(random.integers(3))], (2, 2)) if shells else meshes.frame(random, counts)
    m = Model(program, mesh.at(mesh.points @ meshes.sheared(random, 3).T + random.normal(size=3)), random)
    m.shells = [name for name in mesh.regions if name.startswith("shell.")]
    m.beams = ["beams"] if shells else ["x", "y", "z"]
    m.moves = m.chance(0.15)
    m.dense = m.moves or m.chance(0.5)
    for region in m.shells:
        shell_section(m, region)
    for region in m.beams + ([] if shells else ["diagonals"]):
        beam_section(m, region, bar=region == "diagonals")
    support = m.pick("fixed", "pinned", "given", "sprung", "rigid")
    if support in ("fixed", "pinned"):
        m.add("support", {"region": "x0", support: True})
    elif support == "given":
        m.add("support", {"region": "x0", "keys": m.all_keys(LENGTH, 0.1), "turns": m.all_keys(NONE, 0.1, "r", "axial")})
    elif support == "sprung":
        even = m.chance(0.6)
        numbers = lambda: np.full(3, m.positive()) if even else np.array([m.positive() for _ in range(3)])
        m.add("spring", {"region": "x0", "stiffness": Diagonal(numbers(), SPRING), "rotational": Diagonal(numbers(), MOMENT)})
    else:
        m.add("rigid", {"region": "x0", "reference": m.point() if m.chance(0.6) else None, "keys": m.all_keys(LENGTH, 0.1), "turns": m.all_keys(NONE, 0.1, "r", "axial")})
    for function in TABLES["structure"]:
        if m.chance(0.4):
            function(m)
    if not any(entry.load for entry in m.entries):
        node_load(m)
    if m.moves:
        motion(m)
    if takes_answers(m) and m.chance(0.3):
        m.add("modal", {"count": 4, "tolerance": 1e-7}, single=True)
        add_answer(m)
        m.exclude("solver", "modes have their own methods")
    m.add("solver", {"tolerance": 1e-11}, single=True)
    return m


def of_solids_and_sections(program, random):
    """A solid with a beam and a shell on its faces, which are joined where they stand."""
    mesh = meshes.welded(random, ("hex", "tet", "prism")[int(random.integers(3))], 1 + int(random.random() < 0.4))
    m = Model(program, mesh.at(mesh.points @ meshes.sheared(random, 3).T + random.normal(size=3)), random)
    m.moves, m.dense, m.thermal, m.shells, m.beams = False, m.chance(0.5), False, ["plate"], ["beam"]
    m.exclude("formula", "arrays by cell are of all cells of the mesh")
    m.exclude("solver", "solids and sections are two fields, which have their own methods")
    add_elastic_materials(m)
    shell_section(m, "plate")
    beam_section(m, "beam")
    for entry in m.entries:  # footprints lie on the faces
        if entry.key == "section":
            if "thickness" in entry.content:
                entry.content["thickness"] = Number(0.05 * m.positive(0.5, 1.5), LENGTH)
            entry.content.pop("offset_y", None)
            entry.content.pop("offset_z", None)
    m.add("support", {"region": "part1.x0", "fixed": True})
    m.add("force", {"region": "tip", "value": m.vector(FORCE), "moment": m.vector(MOMENT, "axial") if m.chance(0.5) else None}, load=True)
    if m.chance(0.5):
        m.add("force", {"region": "edge", "value": m.vector(FORCE)}, load=True)
    if m.chance(0.5):
        m.add("traction", {"region": "part1.z1", "value": m.vector(STRESS, formula=True)}, splits=True, load=True)
    if m.chance(0.3):
        surface_load(m)
    if m.chance(0.3):
        weight(m)
    m.add("solver", {"tolerance": 1e-11}, single=True)
    return m


def beam_section(m, region, bar=False):
    content = {"region": region, "element": "bar" if bar else "beam", "young": Number(m.positive(), STRESS), "density": Number(m.positive(), DENSITY) if m.dense else None}
    if bar:
        m.add("section", content | {"area": Number(0.05 * m.positive(), unit(L=2))}, splits=True)
        return
    content |= {"poisson": Number(float(m.random.uniform(0, 0.4))), "orientation": m.vector(kind="direction")}
    profile = m.pick("none", "rectangle", "circle", "tube", "box", "i")
    size = 0.1 * m.positive()
    length = lambda part: Number(size * part, LENGTH)
    if profile == "none":
        area, inertia = Number(size**2, unit(L=2)), lambda part: Number(size**4 * part, unit(L=4))
        content |= {"area": area, "inertia_y": inertia(0.1), "inertia_z": inertia(0.05), "torsion": inertia(0.08)}
        if m.chance(0.5):
            content |= {"shear_area_y": Number(0.8 * size**2, unit(L=2)), "shear_area_z": Number(0.7 * size**2, unit(L=2))}
    else:
        content["profile"] = profile
        its = {"rectangle": {"width": 0.6, "height": 1}, "circle": {"diameter": 1}, "tube": {"diameter": 1, "wall": 0.1},
               "box": {"width": 0.6, "height": 1, "wall": 0.1}, "i": {"width": 0.6, "height": 1, "web": 0.1, "flange": 0.15}}[profile]
        content |= {key: length(part) for key, part in its.items()}
    if m.chance(0.3):
        content |= {"offset_y": Number(size * float(m.random.normal()), LENGTH), "offset_z": Handed(size * float(m.random.normal()), LENGTH)}
    m.add("section", content, splits=True)


def shell_section(m, region):
    m.add("section", {"region": region, "element": "shell3" if region.endswith("tri3") else "shell", "young": Number(m.positive(), STRESS),
                      "poisson": Number(float(m.random.uniform(0, 0.4))), "thickness": Number(0.1 * m.positive(), LENGTH), "orientation": m.vector(kind="direction"),
                      "density": Number(m.positive(), DENSITY) if m.dense else None}, splits=True)


@table("structure")
def node_load(m):
    m.add("force", {"region": m.pick("x1", "y1", "single2"), "value": m.vector(FORCE), "moment": m.vector(MOMENT, "axial") if m.chance(0.5) else None}, load=True)


@table("structure")
def line_load(m):
    m.add("line_load", {"region": m.pick(*m.beams), "value": m.vector(SPRING)}, splits=True, load=True)


@table("structure")
def surface_load(m):
    if m.shells:
        m.add("surface_load", {"region": m.pick(*m.shells), "value": m.vector(STRESS)}, splits=True, load=True)


@table("structure")
def shell_pressure(m):
    if m.shells:
        m.add("pressure", {"region": m.pick(*m.shells), "value": Number(float(m.random.normal()), STRESS)}, splits=True, load=True)


@table("structure")
def weight(m):
    if m.dense:
        m.add("gravity", {"acceleration": m.vector(ACCELERATION)}, single=True, load=True)


@table("structure")
def node_mass(m):
    if m.dense:
        inertia = Diagonal(np.full(3, 0.01 * m.positive()), INERTIA) if m.chance(0.5) else None
        m.add("mass", {"region": m.pick("x1", "y1", "single2"), "value": Number(m.positive(), MASS), "inertia": inertia})


@table("structure")
def node_spring(m):
    m.add("spring", {"region": m.pick("x1", "y1", "single2"), "stiffness": Diagonal(np.full(3, m.positive()), SPRING),
                     "rotational": Diagonal(np.full(3, m.positive()), MOMENT) if m.chance(0.5) else None})


@table("structure")
def rigid_end(m):
    m.add("rigid", {"region": "x1", "reference": m.point() if m.chance(0.6) else None, "force": m.vector(FORCE) if m.chance(0.7) else None,
                    "moment": m.vector(MOMENT, "axial") if m.chance(0.5) else None,
                    "mass": Number(m.positive(), MASS) if m.dense and m.chance(0.5) else None})


@table("structure")
def node_equation(m):
    factor = float(m.random.normal())
    for axis in "xyz":
        m.add("equation", {"terms": [{"region": "single1", "component": axis}, {"region": "single2", "component": axis, "factor": factor}]})
