"""Tables of elastic solids, in statics, motion and vibration, and of laws of materials."""
import numpy as np

from relations.answers import add_answer, add_direct, buckle, fly, has_means, takes_answers
from relations.model import (ACCELERATION, DENSITY, GROUND, MASS, MOMENT, Model, SPRING, TABLES, drawn_mesh, estimate, orientation, path, probes,
                             space_and_solver, table, unit_vector)
from relations.quantities import Diagonal, FORCE, Handed, Keys, LENGTH, NONE, Number, STRESS, Stiffness, Strain, Vector, unit


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
    flies = program == "elasticity" and m.dense and not m.moves and not m.thermal and kind != "axisymmetric" and m.chance(0.15)
    add_elastic_materials(m)
    SUPPORTS = [s for s in (fixed, given_motion, normals, directions, components, ground, springs, coupled, sprung, rigid_held, periodic, about_an_axis)
                if program == "elasticity" or s not in (given_motion,)]
    while not flies and not m.pick(*SUPPORTS)(m):
        pass
    if len(m.parts()) == 2:
        tie(m)
    for function in TABLES[program]:
        if m.chance(0.35) and not (flies and function in (foundation, spring, coupling, rigid, equation)):
            function(m)
    if flies:
        fly(m)
    if program == "elasticity" and not any(entry.load for entry in m.entries):
        traction(m)
    if m.moves:
        motion(m)
    if program == "modal":
        answers = takes_answers(m) and m.chance(0.5)
        if answers and m.chance(0.2) and not m.has_masses():
            add_direct(m)
            return m
        m.add("modal", {"count": 4, "tolerance": 1e-7}, single=True)
        if answers:
            add_answer(m)
    space_and_solver(m)
    if program == "elasticity" and m.chance(0.15):
        buckle(m)
    if program == "elasticity" and m.linear and not m.moves and m.kind != "axisymmetric" and not has_means(m) and m.chance(0.15):
        one_sided(m)
    if program == "elasticity":
        probes(m, "displacement")
        plain = not any("orientation" in e.content for e in m.entries if e.key == "material") and not m.thermal
        estimate(m, plain)
        if m.chance(0.4):
            path(m)
    return m


def add_elastic_materials(m):
    for number, region in enumerate(m.materials()):
        kind = m.pick("isotropic", "isotropic", "orthotropic", "anisotropic")
        if kind == "anisotropic" and (m.dimension == 2):
            kind = "orthotropic"
        content = {"region": region} | reduced(m)
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


def reduced(m):
    """Two points a direction, for cells that are two thick: rows of single cells have a motion without stress."""
    return {"integration": "reduced"} if m.thick and set(m.mesh.body()) <= {"hex20", "quad8"} and m.chance(0.5) else {}


def assumed(m, name, large):
    """Gradients of linear hexahedra and quadrilaterals."""
    if m.kind == "plane_stress" or not set(m.mesh.body()) <= {"hex8", "quad4"} or m.chance(0.3):
        return {}
    modes = name == "linear_elastic" and not large and m.kind != "axisymmetric"
    return {"integration": m.pick("mean_dilatation", "incompatible_modes" if modes else "mean_dilatation")}


def law(m, large, takes_time):
    """A law with numbers of about 1, and which displacements it takes."""
    elastic = {"young": Number(m.positive(0.5, 2), STRESS), "poisson": Number(float(m.random.uniform(0.1, 0.4)))}
    shear, bulk = Number(m.positive(0.3, 1), STRESS), Number(m.positive(2, 5), STRESS)
    yields = {"yield_stress": Number(m.positive(0.02, 0.1), STRESS)} if m.chance(0.5) else {
        "hardening": [[Number(0.0), Number(0.03, STRESS)], [Number(0.05), Number(0.06, STRESS)], [Number(0.5), Number(0.1, STRESS)]]}
    small = {"linear_elastic": elastic,
             "j2": elastic | yields | {"kinematic_hardening": Number(m.positive(0.1, 0.5), STRESS)},
             "chaboche": elastic | yields | {"c1": Number(0.5, STRESS), "g1": Number(3.0)},
             "hill": elastic | yields | {f"r_{axes}": Number(float(m.random.uniform(0.8, 1.2))) for axes in ("xx", "yy", "zz", "xy", "yz", "xz")},
             "drucker_prager": elastic | {"cohesion": Number(0.1, STRESS), "friction_angle": Number(20.0), "dilation_angle": Number(10.0)},
             "mohr_coulomb": elastic | {"cohesion": Number(0.1, STRESS), "friction_angle": Number(20.0), "dilation_angle": Number(20.0)},
             "cap": elastic | {"cohesion": Number(0.1, STRESS), "friction_angle": Number(20.0), "dilation_angle": Number(10.0), "shape": Number(0.6),
                               "hardening": [[Number(0.0), Number(0.1, STRESS)], [Number(0.2), Number(0.4, STRESS)]]},
             "no_tension": elastic | {"residual": Number(0.05)}, "no_compression": elastic | {"residual": Number(0.05)}}
    creep = {"a": Number(m.positive(), unit(F=-3, L=6, T=-1)), "n": Number(3.0)}
    of_time = {"norton": elastic | creep, "norton_strain": elastic | creep | {"m": Number(0.0)},
               "prony": elastic | {"g1": Number(0.3), "k1": Number(0.1), "tau1": Number(m.positive(), unit(T=1)), "g2": Number(0.2), "tau2": Number(m.positive(), unit(T=1)), "tau3": Number(1.0, unit(T=1))}}
    rubber = {"neo_hooke": elastic, "mooney_rivlin": {"c10": shear, "c01": Number(0.1, STRESS), "bulk": bulk},
              "yeoh": {"c10": shear, "c20": Number(0.05, STRESS), "c30": Number(0.01, STRESS), "bulk": bulk},
              "arruda_boyce": {"shear": shear, "locking_stretch": Number(4.0), "bulk": bulk},
              "ogden": {"mu1": shear, "alpha1": Number(1.8), "bulk": bulk},
              "polynomial": {"c10": shear, "c01": Number(0.1, STRESS), "c11": Number(0.05, STRESS), "c20": Number(0.02, STRESS), "bulk": bulk},
              "hyperfoam": {"mu1": shear, "alpha1": Number(4.0), "mu2": Number(0.2, STRESS), "alpha2": Number(-2.0), "poisson": Number(0.2)}}
    if m.kind == "plane_stress":
        for name in ("drucker_prager", "mohr_coulomb", "cap"):
            small.pop(name)
    laws = small | (rubber if large else {})
    laws = of_time if takes_time and m.chance(0.7) else laws
    name = m.pick(*laws)
    axes = {"orientation": orientation(m, f"axes{len(m.entries)}", True)} if name == "hill" else {}
    return {"law": name} | axes | laws[name]


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
    takes_time = m.chance(0.3)
    for region in m.materials():
        its = law(m, large, takes_time)
        m.add("material", {"region": region} | its | reduced(m) | assumed(m, its["law"], large), splits=True)
    while not m.pick(fixed, fixed, ground, springs)(m):
        pass
    if len(m.parts()) == 2:
        tie(m)
    if end_is_free(m) and m.chance(0.3):
        sprung(m, f"{m.last()}.x1")
    for _ in range(1 + m.chance(0.5)):
        size = 0.008 * m.positive(0.5, 2)
        if m.chance(0.4):
            m.add("pressure", {"region": m.loaded_side(), "value": Number(size * m.pick(-1, 1), STRESS)}, splits=True, load=True)
        else:
            m.add("traction", {"region": m.loaded_side(), "value": Vector(size * m.random.normal(size=dimension), STRESS)}, splits=True, load=True)
    unsymmetric = any(e.content["law"] in ("chaboche", "drucker_prager", "mohr_coulomb", "cap", "norton", "norton_strain") for e in m.entries if e.key == "material")
    if unsymmetric or (large and m.has("pressure")):
        for relation in ("solver", "operator"):  # methods for symmetric matrices
            m.exclude(relation, "moduli, or a pressure that turns with the surface, that are not symmetric")
    path = {"path": [1, 1], "durations": [0, Number(m.positive(), unit(T=1))]} if takes_time else {}
    m.add("newton", path | {"tolerance": 1e-11, "increments": m.pick(2, 3), "halvings": 0}, single=True)  # others would be another path
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
    if m.kind == "axisymmetric":
        return False
    given = m.program == "elasticity" and not m.moves
    m.add("coupling", {"region": "part1.x0", "reference": m.point() if m.chance(0.6) else None, "keys": m.all_keys(LENGTH, 0.1 * given),
                       "turns": m.all_keys(NONE, 0.1 * given, "r", "axial")})
    return True


def sprung(m, region="part1.x0"):
    """The mean motion of a side is held by springs."""
    if m.kind == "axisymmetric":
        return False
    even = m.chance(0.6)
    counts = (m.dimension, 3 if m.dimension == 3 else 1)
    stiffness = [np.full(count, m.positive()) if even else np.array([m.positive() for _ in range(count)]) for count in counts]
    m.add("coupling", {"region": region, "reference": m.point() if m.chance(0.6) else None,
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
    held = m.chance(0.3)
    turns = m.random.permutation([*range(3)])
    content = {"region": f"{m.last()}.x1", "reference": m.point() if m.chance(0.6) else None,
               "force": m.vector(FORCE) if loads and m.chance(0.7) else None, "moment": m.vector(MOMENT, "axial") if loads and m.chance(0.5) else None}
    if held:
        content["turns"] = Keys([0.05 * (loads and not m.moves) if a == turns[0] else None for a in range(3)], NONE, "axial", "r")
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


def one_sided(m):
    """Ground and springs that only press or pull, and stops: what touches is found by Newton's method."""
    m.linear = False
    nodes = lambda: f"{m.loaded_side()}.nodes"
    for kind in m.random.permutation(["foundation", "spring", "gap"])[: m.pick(1, 2)]:
        if kind == "foundation":
            m.add("foundation", {"region": m.loaded_side(), "stiffness": m.number(GROUND), "acts": "compression"}, splits=True)
        elif kind == "spring":
            m.add("spring", {"region": nodes(), "stiffness": Number(m.positive(), SPRING), "direction": m.vector(kind="direction"),
                             "acts": "compression"})
        elif end_is_free(m):
            m.exclude("ranks", "inequalities are of one process")
            m.add("gap", {"region": f"{m.last()}.x1.nodes", "direction": m.vector(kind="direction"), "clearance": Number(0.05 * float(m.random.normal()), LENGTH)})
    m.add("newton", {"tolerance": 1e-11}, single=True)


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
