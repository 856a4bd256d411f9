"""Draws models at random, table by table: each function adds one table of the case, with numbers that know how they turn and scale.

    model = draw.model(seed=7, index=12)          # always the same
    model.case()                                  # tables for ritz.run, with mesh=model.mesh_for_ritz()

A table of a new kind is a function here, with @table and the programs that have it. Relations follow from its numbers. What it does not allow it says
by model.exclude(...).
"""
import dataclasses

import numpy as np

from relations import meshes
from relations.quantities import (FORCE, LENGTH, NONE, STRESS, Diagonal, Handed, Keys, Linear, Number, Stiffness, Strain, Vector, mapped, quantities,
                                  unit, written)

DENSITY, ACCELERATION = unit(F=1, T=2, L=-4), unit(L=1, T=-2)
MASS, INERTIA = unit(F=1, T=2, L=-1), unit(F=1, T=2, L=1)
GROUND, SPRING, MOMENT = unit(F=1, L=-3), unit(F=1, L=-1), unit(F=1, L=1)
CONDUCTIVITY, SPECIFIC_HEAT, FILM = unit(F=1, T=-1), unit(L=2, T=-2), unit(F=1, L=-1, T=-1)
SOURCE, FLUX, POWER = unit(F=1, L=-2, T=-1), unit(F=1, L=-1, T=-1), unit(F=1, L=1, T=-1)


@dataclasses.dataclass
class Entry:
    """A table of the case. splits: it may stand twice, for two parts of its region; load: the solution is linear in it; single: [key], not [[key]]."""

    key: str
    content: dict
    splits: bool = False
    load: bool = False
    single: bool = False


class Model:
    def __init__(self, program, mesh, random, kind=None):
        self.program, self.mesh, self.random, self.kind = program, mesh, random, kind
        self.entries, self.excluded, self.linear, self.time = [], {}, True, None
        self.name = ""

    @property
    def dimension(self):
        return self.mesh.dimension

    def add(self, key, content, **traits):
        self.entries.append(Entry(key, {k: v for k, v in content.items() if v is not None}, **traits))

    def has(self, key):
        return any(entry.key == key for entry in self.entries)

    def exclude(self, relation, why):
        self.excluded[relation] = why

    @property
    def frames(self):
        """any, axes (those that map axes to axes), or axis (of a body of revolution)."""
        if self.kind == "axisymmetric":
            return "axis"
        needs = {q.needs for entry in self.entries for q in quantities(entry.content)}
        return "axes" if "axes" in needs else "any"

    def copy(self, mesh=None, entries=None):
        other = Model(self.program, mesh or self.mesh, self.random, self.kind)
        other.entries, other.excluded, other.linear, other.time, other.name = entries or list(self.entries), self.excluded, self.linear, self.time, self.name
        return other

    def changed(self, change):
        """With another value of each quantity."""
        return self.copy(entries=[dataclasses.replace(entry, content=mapped(entry.content, change)) for entry in self.entries])

    def with_table(self, key, content):
        """With keys of a single table replaced or added."""
        entries = [entry for entry in self.entries if entry.key != key]
        old = next((entry.content for entry in self.entries if entry.key == key), {})
        return self.copy(entries=entries + [Entry(key, old | content, single=True)])

    def case(self):
        case = {}
        for entry in self.entries:
            content = written(entry.content)
            if entry.single:
                case[entry.key] = content
            else:
                case.setdefault(entry.key, []).append(content)
        return case

    # Numbers

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def chance(self, probability):
        return self.random.random() < probability

    def positive(self, low=0.3, high=3.0):
        return float(np.exp(self.random.uniform(np.log(low), np.log(high))))

    def number(self, unit=NONE, low=0.3, high=3.0, formula=True):
        """A positive number, or where a formula may stand one that varies by a third."""
        value = self.positive(low, high)
        return self.linear_in_space(value, unit) if formula and self.chance(0.25) else Number(value, unit, formula)

    def linear_in_space(self, value, unit):
        size, centre = self.mesh.size(), self.mesh.points.mean(axis=0)
        direction = self.random.normal(size=self.dimension)
        return Linear(value, 0.3 * value * direction / np.linalg.norm(direction) / size, centre, unit)

    def signed(self, unit=NONE, formula=False):
        value = float(self.random.normal())
        if not formula or self.chance(0.6):
            return Number(value, unit, formula)
        return dataclasses.replace(self.linear_in_space(value, unit), rate=self.rate())

    def rate(self):
        """Of formulas of loads in time, 1/s."""
        return float(self.random.normal()) if (getattr(self, "moves", False) or getattr(self, "evolves", False)) and self.chance(0.5) else 0.0

    def vector(self, unit=NONE, kind="vector", formula=False):
        values = self.random.normal(size=self.dimension)
        if formula and self.chance(0.4):
            gradient = 0.3 * self.random.normal(size=(self.dimension, self.dimension)) / self.mesh.size()
            return Linear(values, gradient, self.mesh.points.mean(axis=0), unit, self.rate())
        return Vector(values, unit, kind, formula)

    def point(self):
        """Near the body."""
        low, high = self.mesh.points.min(axis=0), self.mesh.points.max(axis=0)
        return Vector(low + (high - low) * self.random.uniform(-0.2, 1.2, self.dimension), LENGTH, "point")

    def all_keys(self, unit, scale=1.0, prefix="", kind="vector"):
        count = 1 if kind == "axial" and self.dimension == 2 else self.dimension
        return Keys([float(x) for x in scale * self.random.normal(size=count)], unit, kind, prefix)

    # Regions

    def parts(self):
        return [name for name in self.mesh.regions if name in ("part1", "part2")]

    def last(self):
        return self.parts()[-1]

    def materials(self):
        """A partition of the body."""
        regions = []
        for part in self.parts():
            regions += [f"{part}.a", f"{part}.b"] if f"{part}.a" in self.mesh.regions and self.chance(0.5) else [part]
        return regions

    def loaded_side(self):
        """A side that no support or joint uses."""
        return f"{self.pick(*self.parts())}.{self.pick('y0', 'y1', *(('z0', 'z1') if self.dimension == 3 else ()))}"


TABLES = {}


def table(*programs):
    """Registers a function that adds a table to a model of one of these programs."""

    def register(function):
        for program in programs:
            TABLES.setdefault(program, []).append(function)
        return function

    return register


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


# Meshes

SOLIDS = {3: ["hex", "tet", "prism", "pyramid", "mixed"], 2: ["quad", "tri", "mixed"]}


def drawn_mesh(random, dimension, axis=False):
    """(mesh, whether opposite sides match, whether all parts are two cells thick): one part, or two for a tie."""
    shape = lambda: SOLIDS[dimension][int(random.integers(len(SOLIDS[dimension])))]
    two, order = random.random() < 0.3, 1 + int(random.random() < 0.45)
    matching = not two and random.random() < 0.25
    parts, thick = [], True
    for _ in range(1 + two):
        its = shape()
        counts = [2] + [int(random.integers(1, 3)) for _ in range(dimension - 1)]
        thick = thick and min(counts) > 1
        full = order == 2 and its in ("hex", "quad") and random.random() < 0.4
        parts.append((its, counts, order, full))
    flat = [f"{axis}{high}" for axis in "xyz"[:dimension] for high in (0, 1)] if random.random() < 0.5 else []
    mesh = meshes.body(random, dimension, parts, flat, matching)
    if axis:
        place = np.diag(random.uniform(0.5, 2, 2))
        return mesh.at(mesh.points @ place.T + [random.uniform(0.3, 2), random.normal()]), matching, thick
    return mesh.at(mesh.points @ meshes.sheared(random, dimension).T + random.normal(size=dimension)), matching, thick


# Tables of solids

def elastic(program, random):
    dimension = 3 if random.random() < 0.6 else 2
    kind = None if dimension == 3 else ("plane_strain", "plane_stress", "axisymmetric")[int(random.integers(3))]
    mesh, matching, thick = drawn_mesh(random, dimension, kind == "axisymmetric")
    m = Model(program, mesh, random, kind)
    m.matching, m.thick = matching, thick
    if kind:
        thickness = Number(m.positive(), LENGTH) if kind != "axisymmetric" and m.chance(0.6) else None
        m.add("model", {"type": kind, "thickness": thickness}, single=True)
        if thickness is None and kind != "axisymmetric":
            m.exclude("units", "a thickness of 1 in any unit")
    m.moves = program == "elasticity" and m.chance(0.15)
    m.dense = program == "modal" or m.moves or m.chance(0.5)
    m.thermal = not m.moves and program == "elasticity" and m.chance(0.3)
    add_elastic_materials(m)
    SUPPORTS = [s for s in (fixed, given_motion, normals, directions, components, ground, springs, coupled, sprung, rigid_held, periodic, about_an_axis)
                if program == "elasticity" or s not in (given_motion,)]
    while not m.pick(*SUPPORTS)(m):
        pass
    if len(m.parts()) == 2:
        tie(m)
    for function in TABLES[program]:
        if m.chance(0.35):
            function(m)
    if program == "elasticity" and not any(entry.load for entry in m.entries):
        traction(m)
    if m.moves:
        motion(m)
    if program == "modal":
        m.add("modal", {"count": 4, "tolerance": 1e-7}, single=True)
    space_and_solver(m)
    if program == "elasticity":
        probes(m, "displacement")
        plain = not any("orientation" in e.content for e in m.entries if e.key == "material") and not m.thermal
        estimate(m, plain)
        if m.chance(0.4):
            path(m)
    return m


def estimate(m, possible):
    """Of bodies of one kind of cell, two or more thick: strips of one cell give too little to recover a field from."""
    if possible and m.linear and not m.time and len(m.mesh.body()) == 1 and m.thick and m.chance(0.4):
        m.add("output", {"error_estimate": True}, single=True)


def space_and_solver(m):
    if m.chance(0.15):
        order = m.pick(1, 2, 3)
        m.add("space", {"order": order}, single=True)
        if order == 3 and any(kind.startswith(("tri", "tet", "prism", "pyramid")) for kind in m.mesh.body()):
            # rules of that degree are not the same from each corner: where they are not exact, in the fifth digit
            m.exclude("mirror", "corners change places")
            m.exclude("corners", "corners change places")
    if m.program != "modal":
        m.add("solver", {"tolerance": 1e-11}, single=True)


def probes(m, field):
    region = m.pick(*m.materials(), m.loaded_side())
    m.add("probe", {"name": "mean", "field": field, "region": region, "measure": "mean"})


CORNERS = {"tri": 3, "quad": 4, "tet": 4, "hex": 8, "prism": 6, "pyramid": 5}


def path(m):
    """Within a cell of the body, from half-way to a corner to its middle, since faces may be bent, with the stress along the line as membrane, bending and peak."""
    kind = m.pick(*m.mesh.body())
    cells = m.mesh.cells[kind]
    corners = m.mesh.points[cells[int(m.random.integers(len(cells)))][: CORNERS[kind.rstrip("0123456789")]]]
    ends = [Vector(x, LENGTH, "point") for x in (0.4 * corners[0] + 0.6 * corners.mean(axis=0), corners.mean(axis=0))]
    m.add("path", {"name": "line", "points": ends, "count": 9, "fields": ["displacement"], "linearise": True, "bending": m.pick("wall", "all")})


def add_elastic_materials(m):
    for number, region in enumerate(m.materials()):
        kind = m.pick("isotropic", "isotropic", "orthotropic", "anisotropic")
        if kind == "anisotropic" and (m.dimension == 2):
            kind = "orthotropic"
        content = {"region": region}
        if kind == "isotropic":
            poisson = Number(float(m.random.uniform(0, 0.4)), NONE, True)
            content |= {"young": m.number(STRESS), "poisson": poisson if m.chance(0.8) else m.linear_in_space(poisson.value, NONE)}
        else:
            content["orientation"] = orientation(m, f"axes{number}", kind == "anisotropic")
        if kind == "orthotropic":
            young = [m.positive() for _ in range(3)]
            nu = [float(m.random.uniform(0.05, 0.3)) * np.sqrt(min(young[i] / young[j], 1)) for i, j in ((0, 1), (0, 2), (1, 2))]
            content["orthotropic"] = {"young": [Number(e, STRESS) for e in young], "poisson": [Number(float(n)) for n in nu],
                                      "shear": [Number(m.positive(0.2, 1), STRESS) for _ in range(3)]}
        if kind == "anisotropic":
            a = m.random.normal(size=(6, 6)) * 0.3
            C = a @ a.T + np.diag([2, 2, 2, 0.7, 0.7, 0.7]) + np.pad(np.full((3, 3), 0.6), (0, 3))
            place = {"11": 0, "22": 1, "33": 2, "12": 3, "13": 4, "23": 5}
            content["anisotropic"] = {"stiffness": Stiffness([float(C[place[n[:2]], place[n[2:]]]) for n in Stiffness.ORDER])}
        if m.dense:
            content["density"] = m.number(DENSITY, formula=not m.moves or True)
        if m.thermal and m.chance(0.9):
            if "orientation" in content and m.chance(0.5):
                content["expansion_along"] = [Number(float(x)) for x in m.random.uniform(-0.02, 0.05, 3)]
            else:
                content["expansion"] = m.number(NONE, 0.01, 0.05)
        m.add("material", content, splits=True)


def orientation(m, name, straight=False):
    kind = "straight" if straight or m.kind == "axisymmetric" else m.pick("straight", "cylindrical", "spherical" if m.dimension == 3 else "straight")
    far = lambda: Vector(m.mesh.points.mean(axis=0) + 2.5 * m.mesh.size() * unit_vector(m), LENGTH, "point")
    axis = Vector(m.random.normal(size=3), kind="direction") if m.dimension == 3 else None
    if kind == "straight":
        second = Vector(m.random.normal(size=3), kind="direction") if m.dimension == 3 else None
        m.add("orientation", {"name": name, "axis1": m.vector(kind="direction"), "axis2": second})
    elif kind == "cylindrical":
        m.add("orientation", {"name": name, "cylindrical": {"origin": far()} | ({"axis": axis} if axis else {})})
    else:
        m.add("orientation", {"name": name, "spherical": {"origin": far(), "axis": axis}})
    return name


def unit_vector(m):
    v = m.random.normal(size=m.dimension)
    return v / np.linalg.norm(v)


# Laws of materials, along a load path

def law(m, large):
    """A law with numbers of about 1, and which displacements it takes."""
    elastic = {"young": Number(m.positive(0.5, 2), STRESS), "poisson": Number(float(m.random.uniform(0.1, 0.4)))}
    shear, bulk = Number(m.positive(0.3, 1), STRESS), Number(m.positive(2, 5), STRESS)
    yields = {"yield_stress": Number(m.positive(0.02, 0.1), STRESS)} if m.chance(0.5) else {
        "hardening": [[Number(0.0), Number(0.03, STRESS)], [Number(0.05), Number(0.06, STRESS)], [Number(0.5), Number(0.1, STRESS)]]}
    small = {"linear_elastic": elastic,
             "j2": elastic | yields | {"kinematic_hardening": Number(m.positive(0.1, 0.5), STRESS)},
             "chaboche": elastic | yields | {"c1": Number(0.5, STRESS), "g1": Number(3.0)},
             "drucker_prager": elastic | {"cohesion": Number(0.1, STRESS), "friction_angle": Number(20.0), "dilation_angle": Number(10.0)}}
    rubber = {"neo_hooke": elastic, "mooney_rivlin": {"c10": shear, "c01": Number(0.1, STRESS), "bulk": bulk},
              "yeoh": {"c10": shear, "c20": Number(0.05, STRESS), "c30": Number(0.01, STRESS), "bulk": bulk},
              "arruda_boyce": {"shear": shear, "locking_stretch": Number(4.0), "bulk": bulk},
              "ogden": {"mu1": shear, "alpha1": Number(1.8), "bulk": bulk}}
    if m.kind == "plane_stress":
        small.pop("drucker_prager")
    laws = small | (rubber if large else {})
    name = m.pick(*laws)
    return {"law": name} | laws[name]


def of_laws(program, random):
    """Laws by name, small or large displacements, in increments that the case gives or the driver chooses."""
    dimension = 3 if random.random() < 0.6 else 2
    kind = None if dimension == 3 else ("plane_strain", "plane_stress", "axisymmetric")[int(random.integers(3))]
    mesh, matching, thick = drawn_mesh(random, dimension, kind == "axisymmetric")
    m = Model(program, mesh, random, kind)
    m.matching, m.thick, m.linear, m.thermal, m.moves = matching, thick, False, False, False
    large = m.chance(0.6)
    thickness = Number(m.positive(), LENGTH) if kind in ("plane_strain", "plane_stress") else None
    m.add("model", {"type": kind, "thickness": thickness, "large_displacement": True if large else None}, single=True)
    for region in m.materials():
        m.add("material", {"region": region} | law(m, large), splits=True)
    while not m.pick(fixed, fixed, ground, springs)(m):
        pass
    if len(m.parts()) == 2:
        tie(m)
    for _ in range(1 + m.chance(0.5)):
        size = 0.008 * m.positive(0.5, 2)
        if m.chance(0.4):
            m.add("pressure", {"region": m.loaded_side(), "value": Number(size * m.pick(-1, 1), STRESS)}, splits=True, load=True)
        else:
            m.add("traction", {"region": m.loaded_side(), "value": Vector(size * m.random.normal(size=dimension), STRESS)}, splits=True, load=True)
    unsymmetric = any(e.content["law"] in ("chaboche", "drucker_prager") for e in m.entries if e.key == "material")
    if unsymmetric or (large and m.has("pressure")):
        for relation in ("solver", "operator"):  # methods for symmetric matrices
            m.exclude(relation, "moduli, or a pressure that turns with the surface, that are not symmetric")
    m.add("newton", {"tolerance": 1e-11, "increments": m.pick(2, 3), "halvings": 0}, single=True)  # others would be another path
    m.add("solver", {"tolerance": 1e-11}, single=True)
    probes(m, "displacement")
    return m


# Supports: each holds the whole body, or returns False where it does not suit

def fixed(m):
    m.add("displacement", {"region": "part1.x0", "fixed": True}, splits=True)
    return True


def given_motion(m):
    if m.kind == "axisymmetric":
        return False
    m.add("displacement", {"region": "part1.x0", "keys": m.all_keys(LENGTH, 0.1)}, splits=True)
    return True


def normals(m):
    """Sides without motion along their normals."""
    if m.kind == "axisymmetric":
        m.add("displacement", {"region": "part1.y0", "normal": Number(0.0, LENGTH)})
        return True
    for axis in "xyz"[: m.dimension]:
        m.add("displacement", {"region": f"part1.{axis}0", "normal": Number(0.0, LENGTH)})
    return True


def directions(m):
    if m.kind == "axisymmetric":
        return False
    turn, _ = np.linalg.qr(m.random.normal(size=(m.dimension, m.dimension)))
    for row in turn:
        m.add("displacement", {"region": "part1.x0", "direction": Vector(row, kind="direction"), "value": m.signed(LENGTH) if m.program == "elasticity" else None})
    return True


def components(m):
    """Along axes: sides of a sheared body that slide on planes."""
    axes = range(m.dimension) if m.kind != "axisymmetric" else [1]
    for axis in axes:
        keys = Keys([0.0 if a == axis else None for a in range(m.dimension)], LENGTH)
        m.add("displacement", {"region": f"part1.{'yzx'[axis] if m.dimension == 3 else 'yx'[axis]}0", "keys": keys}, splits=True)
    return True


def ground(m):
    content = {"region": "part1.x0", "stiffness": m.number(GROUND), "tangential": m.number(GROUND)}
    m.add("foundation", content, splits=True)
    return True


def springs(m):
    if m.kind == "axisymmetric":
        return False
    even = m.chance(0.6)
    values = np.full(m.dimension, m.positive()) if even else np.array([m.positive() for _ in range(m.dimension)])
    m.add("spring", {"region": "part1.x0.nodes", "stiffness": Diagonal(values, SPRING), "each": m.chance(0.5)})
    return True


def coupled(m):
    """The mean motion of a side is prescribed."""
    if m.dimension == 2 or m.moves:
        return False
    given = m.program == "elasticity"
    m.add("coupling", {"region": "part1.x0", "reference": m.point() if m.chance(0.6) else None, "keys": m.all_keys(LENGTH, 0.1 * given),
                       "turns": m.all_keys(NONE, 0.1 * given, "r", "axial")})
    return True


def sprung(m):
    """The mean motion of a side is held by springs."""
    if m.dimension == 2 or m.moves:
        return False
    even = m.chance(0.6)
    stiffness = [np.full(3, m.positive()) if even else np.array([m.positive() for _ in range(3)]) for _ in range(2)]
    m.add("coupling", {"region": "part1.x0", "reference": m.point() if m.chance(0.6) else None,
                       "springs": {"keys": Keys(list(stiffness[0]), SPRING, "diagonal"), "turns": Keys(list(stiffness[1]), MOMENT, "diagonal", "r")}})
    return True


def rigid_held(m):
    given = m.program == "elasticity"
    if m.kind == "axisymmetric":
        m.add("rigid", {"region": "part1.y0", "keys": Keys([None, 0.1 * given], LENGTH)})
        return True
    m.add("rigid", {"region": "part1.x0", "reference": m.point() if m.chance(0.6) else None, "keys": m.all_keys(LENGTH, 0.1 * given),
                    "turns": m.all_keys(NONE, 0.1 * given, "r", "axial")})
    return True


def periodic(m):
    if not m.matching or m.kind == "axisymmetric":
        return False
    count = 3 if m.dimension == 2 else 6
    strain = Strain(0.1 * m.random.normal(size=count)) if m.program == "elasticity" and m.chance(0.7) else None
    m.add("periodic", {"region": "part1.x1", "onto": "part1.x0", "strain": strain})
    for axis in "yz"[: m.dimension - 1]:
        m.add("periodic", {"region": f"part1.{axis}1", "onto": f"part1.{axis}0", "strain": strain})
    m.add("displacement", {"region": "part1.corner", "fixed": True})
    m.is_periodic = True
    return True


def about_an_axis(m):
    """Displacements about an axis that passes at a distance."""
    if m.kind == "axisymmetric":
        return False
    far = Vector(m.mesh.points.mean(axis=0) + 2.5 * m.mesh.size() * unit_vector(m), LENGTH, "point")
    value = lambda kind: kind(0.1 * float(m.random.normal()) if m.program == "elasticity" else 0.0, LENGTH)
    about = {"origin": far, "radial": value(Number), "tangential": value(Handed)}
    if m.dimension == 3:
        about |= {"axis": Vector(m.random.normal(size=3), kind="direction"), "axial": value(Number)}
        # the tangential direction is axis cross radial
    m.add("displacement", {"region": "part1.x0", "cylindrical": about})
    return True


# Joints and further tables

def tie(m):
    surface = m.chance(0.3)
    m.add("tie", {"region": "part2.x0", "onto": "part1.x1", "method": "surface" if surface else None, "tolerance": Number(0.1 * m.mesh.size(), LENGTH)})


def end_is_free(m):
    return not any(entry.content.get("region", "").startswith(f"{m.last()}.x1") for entry in m.entries) and not getattr(m, "is_periodic", False)


@table("elasticity", "modal")
def rigid(m):
    if not end_is_free(m) or m.kind == "axisymmetric":
        return
    loads = m.program == "elasticity" and m.dimension == 3
    m.add("rigid", {"region": f"{m.last()}.x1", "reference": m.point() if m.chance(0.6) else None,
                    "force": m.vector(FORCE) if loads and m.chance(0.7) else None, "moment": m.vector(MOMENT, "axial") if loads and m.chance(0.5) else None,
                    "mass": Number(m.positive(), MASS) if (m.program == "modal" or m.has("gravity") or m.moves) and m.chance(0.5) else None})
    m.exclude("splits", "")


@table("elasticity", "modal")
def coupling(m):
    if not end_is_free(m) or m.dimension == 2:
        return
    loads = m.program == "elasticity"
    held = m.chance(0.3) and not m.moves
    turns = m.random.permutation([*range(3)])
    content = {"region": f"{m.last()}.x1", "reference": m.point() if m.chance(0.6) else None,
               "force": m.vector(FORCE) if loads and m.chance(0.7) else None, "moment": m.vector(MOMENT, "axial") if loads and m.chance(0.5) else None}
    if held:
        content["turns"] = Keys([0.05 * loads if a == turns[0] else None for a in range(3)], NONE, "axial", "r")
        if "moment" in content and content["moment"] is not None:
            content["moment"] = None
    if m.program == "modal" or m.moves:
        content["mass"] = Number(m.positive(), MASS)
    if len([v for v in content.values() if v is not None]) > 1:
        m.add("coupling", content)


@table("elasticity", "modal")
def equation(m):
    """A node moves as another one, by a factor."""
    names = [name for name in m.mesh.regions if name.startswith("part1.single")]
    if len(names) < 2 or m.kind == "axisymmetric" or getattr(m, "is_periodic", False):
        return
    factor = float(m.random.normal())
    for axis in "xyz"[: m.dimension]:
        m.add("equation", {"terms": [{"region": names[0], "component": axis}, {"region": names[1], "component": axis, "factor": factor}]})
    m.joined_nodes = True


@table("elasticity", "modal")
def foundation(m):
    keys = None
    content = {"region": m.loaded_side()}
    if m.chance(0.3) and m.kind != "axisymmetric":
        keys = Keys([m.positive() if axis == 0 or m.chance(0.5) else 0.0 for axis in range(m.dimension)], GROUND, "diagonal")
        m.add("foundation", content | {"keys": keys}, splits=True)
    else:
        m.add("foundation", content | {"stiffness": m.number(GROUND), "tangential": m.number(GROUND) if m.chance(0.5) else None}, splits=True)


@table("elasticity", "modal")
def spring(m):
    if m.kind == "axisymmetric":
        return
    m.add("spring", {"region": f"{m.loaded_side()}.nodes", "stiffness": Diagonal(np.full(m.dimension, m.positive()), SPRING), "each": m.chance(0.5)})


@table("elasticity")
def gravity(m):
    if m.dense and m.kind != "axisymmetric":
        m.add("gravity", {"acceleration": m.vector(ACCELERATION)}, single=True, load=True)


@table("elasticity")
def thermal(m):
    if m.thermal:
        temperature = m.linear_in_space(m.positive(), NONE) if m.chance(0.6) else Number(m.positive(), NONE, True)
        m.add("thermal", {"temperature": temperature, "reference": Number(m.positive())}, single=True, load=True)


@table("elasticity")
def body_force(m):
    m.add("body_force", {"region": m.pick(*m.materials()), "value": m.vector(GROUND, formula=True)}, splits=True, load=True)


@table("elasticity")
def traction(m):
    m.add("traction", {"region": m.loaded_side(), "value": m.vector(STRESS, formula=True)}, splits=True, load=True)


@table("elasticity")
def pressure(m):
    m.add("pressure", {"region": m.loaded_side(), "value": m.signed(STRESS, formula=True)}, splits=True, load=True)


@table("elasticity")
def force(m):
    """On facets, in 3-D also at a point, or at nodes."""
    if m.kind == "axisymmetric":
        return
    if m.chance(0.5):
        arm = m.dimension == 3 and m.chance(0.5)
        m.add("force", {"region": m.loaded_side(), "value": m.vector(FORCE), "at": m.point() if arm else None,
                        "moment": m.vector(MOMENT, "axial") if arm and m.chance(0.5) else None}, load=True)
    elif m.dimension == 3:
        m.add("force", {"region": f"{m.loaded_side()}.nodes", "value": m.vector(FORCE), "each": m.chance(0.5)}, load=True)


def motion(m):
    """A few steps of a fixed length."""
    step = 0.05 * m.mesh.size()
    m.time = step
    m.add("time", {"end": Number(3 * step, unit(T=1)), "step": Number(step, unit(T=1)), "output": Number(step, unit(T=1)),
                   "spectral_radius": m.pick(0.8, 1, 0)}, single=True)
    if m.chance(0.5):
        m.add("damping", {"rayleigh": [Number(m.positive(), unit(T=-1)), Number(0.02 * m.positive(), unit(T=1))]}, single=True)
    still = m.kind == "axisymmetric" or m.has("rigid") or m.has("tie") or m.has("equation") or m.has("displacement")
    if m.chance(0.5) and not still:
        m.add("initial", {"velocity": m.vector(unit(L=1, T=-1))}, single=True)


# Heat

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


# Frames and shells

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


# Forms by name

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
    m.add("newton", {"tolerance": 1e-10, "increments": 2, "path": [1.0, 0.4] if m.chance(0.5) else None}, single=True)
    m.entries[-1].content = {k: v for k, v in m.entries[-1].content.items() if v is not None}
    m.add("solver", {"tolerance": 1e-11}, single=True)
    return m
