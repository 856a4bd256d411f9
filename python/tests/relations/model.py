"""A model while it is drawn: its mesh, its tables, the numbers in them, and the tables that several programs have."""
import dataclasses

import numpy as np

from relations import meshes
from relations.quantities import Keys, LENGTH, Linear, NONE, Number, Vector, mapped, quantities, unit, written

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
        self.name, self.tolerance, self.thick = "", None, False

    @property
    def dimension(self):
        return self.mesh.dimension

    def add(self, key, content, **traits):
        self.entries.append(Entry(key, {k: v for k, v in content.items() if v is not None}, **traits))

    def has(self, key):
        return any(entry.key == key for entry in self.entries)

    def has_masses(self):
        return any("mass" in entry.content for entry in self.entries)

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
        other.entries, other.excluded, other.linear, other.time = list(self.entries if entries is None else entries), self.excluded, self.linear, self.time
        other.name, other.tolerance = self.name, self.tolerance
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


def estimate(m, possible):
    """Of bodies of one kind of cell, two or more thick: strips of one cell give too little to recover a field from."""
    whole = sum(e.key == "material" for e in m.entries) == 1  # each material is recovered alone
    if possible and whole and m.linear and not m.time and len(m.mesh.body()) == 1 and m.thick and m.chance(0.4):
        m.add("output", {"error_estimate": True}, single=True)


def space_and_solver(m):
    if m.chance(0.15) and not any("integration" in e.content for e in m.entries if e.key == "material"):
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
