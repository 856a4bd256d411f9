"""Small distorted meshes of all kinds of cells: points, blocks of cells, regions; renumbered, mirrored, and written as Gmsh's MSH 4.1."""
import itertools

import numpy as np

# Of each shape: corners, edges and faces in VTK's order, the corners seen in a mirror, and turned about themselves.
SHAPES = {
    "line": (2, [(0, 1)], [], (1, 0), (1, 0)),
    "tri": (3, [(0, 1), (1, 2), (2, 0)], [], (0, 2, 1), (1, 2, 0)),
    "quad": (4, [(0, 1), (1, 2), (2, 3), (3, 0)], [], (0, 3, 2, 1), (1, 2, 3, 0)),
    "tet": (4, [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)], [(0, 1, 3), (1, 2, 3), (2, 0, 3), (0, 2, 1)], (0, 2, 1, 3), (1, 2, 0, 3)),
    "hex": (8, [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
            [(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)], (0, 3, 2, 1, 4, 7, 6, 5), (1, 2, 3, 0, 5, 6, 7, 4)),
    "prism": (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
              [(0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5), (0, 2, 1), (3, 4, 5)], (0, 2, 1, 3, 5, 4), (1, 2, 0, 4, 5, 3)),
    "pyramid": (5, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)],
                [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (0, 3, 2, 1)], (0, 3, 2, 1, 4), (1, 2, 3, 0, 4)),
}
# Of each kind: shape, whether it has nodes on edges, the faces with a node in their middle, and whether there is one in the cell.
KINDS = {
    "line2": ("line", False, [], False), "line3": ("line", True, [], False),
    "tri3": ("tri", False, [], False), "tri6": ("tri", True, [], False),
    "quad4": ("quad", False, [], False), "quad8": ("quad", True, [], False), "quad9": ("quad", True, [], True),
    "tet4": ("tet", False, [], False), "tet10": ("tet", True, [], False),
    "hex8": ("hex", False, [], False), "hex20": ("hex", True, [], False), "hex27": ("hex", True, SHAPES["hex"][2], True),
    "prism6": ("prism", False, [], False), "prism15": ("prism", True, [], False), "prism18": ("prism", True, SHAPES["prism"][2][:3], False),
    "pyramid5": ("pyramid", False, [], False), "pyramid13": ("pyramid", True, [], False),
}
GMSH_TYPE = {"line2": 1, "tri3": 2, "quad4": 3, "tet4": 4, "hex8": 5, "prism6": 6, "pyramid5": 7, "line3": 8, "tri6": 9, "quad9": 10, "tet10": 11,
             "hex27": 12, "prism18": 13, "quad8": 16, "hex20": 17, "prism15": 18, "pyramid13": 19}
DIMENSION = {"line": 1, "tri": 2, "quad": 2}


def dimension_of(kind):
    return DIMENSION.get(KINDS[kind][0], 3)


def kind_of(shape, order, full=False):
    """The kind of order 1, or of order 2 with nodes on edges alone, or on faces too."""
    kinds = [kind for kind, (its, edges, _, _) in KINDS.items() if its == shape and edges == (order == 2)]
    return kinds[-1 if full else 0]


def places(kind):
    """Of each node the corners in whose middle it lies."""
    shape, edges, faces, centre = KINDS[kind]
    count, its_edges, _, _, _ = SHAPES[shape]
    return [(i,) for i in range(count)] + (its_edges if edges else []) + list(faces) + ([tuple(range(count))] if centre else [])


def renumbered(kind, corners):
    """The order of all nodes of a cell whose corners are taken in another order."""
    at = {frozenset(place): i for i, place in enumerate(places(kind))}
    return [at[frozenset(corners[c] for c in place)] for place in places(kind)]


class Mesh:
    """points [node][axis]; cells {kind: [cell][node]}, bodies first; regions {name: {kind: positions, or "nodes": numbers}}."""

    def __init__(self, points, cells, regions):
        self.points, self.cells, self.regions = points, cells, regions

    @property
    def dimension(self):
        return self.points.shape[1]

    def body(self):
        highest = max(map(dimension_of, self.cells))
        return [kind for kind in self.cells if dimension_of(kind) == highest]

    def has(self, name):
        """The dimension of the entities of a region; 0: nodes."""
        kinds = [kind for kind in self.regions[name] if kind != "nodes"]
        return max((dimension_of(kind) for kind in kinds), default=0)

    def nodes(self, name):
        return np.unique(np.concatenate([part if kind == "nodes" else self.cells[kind][part].ravel() for kind, part in self.regions[name].items()]))

    def size(self):
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))

    def at(self, points):
        return Mesh(points, self.cells, self.regions)

    def mirrored(self):
        """Cells as a mirror shows them, so that none is inside out when the points are mirrored."""
        turned = {kind: nodes if dimension_of(kind) == 1 else nodes[:, renumbered(kind, SHAPES[KINDS[kind][0]][3])] for kind, nodes in self.cells.items()}
        return Mesh(self.points, turned, self.regions)

    def permuted(self, random, within=True):
        """(mesh, new number of each node, {kind: new position of each cell}): nodes and cells in another order; `within`: the nodes of cells, too."""
        to = random.permutation(len(self.points))
        points = np.empty_like(self.points)
        points[to] = self.points
        cells, moved = {}, {}
        for kind, nodes in self.cells.items():
            moved[kind] = random.permutation(len(nodes))
            cells[kind] = np.empty_like(nodes)
            order = renumbered(kind, SHAPES[KINDS[kind][0]][4])
            for cell, at in zip(nodes, moved[kind]):
                turn = within and dimension_of(kind) > 1 and random.random() < 0.5
                cells[kind][at] = to[cell[order] if turn else cell]
        regions = {name: {kind: to[part] if kind == "nodes" else moved[kind][part] for kind, part in parts.items()} for name, parts in self.regions.items()}
        return Mesh(points, cells, regions), to, moved


def lattice(shape, counts):
    """(points in the unit cube, [(shape, corners)]): bricks, or what each is cut into; "mixed": several shapes that fit."""
    counts = [*counts]
    plane = len(counts) == 2
    nx, ny, nz = (*counts, 0)[:3]
    number = lambda i, j, k=0: i + (nx + 1) * (j + (ny + 1) * k)
    points = [[i / nx, j / ny] + ([] if plane else [k / nz]) for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
    cells = []
    for k, j, i in itertools.product(range(max(nz, 1)), range(ny), range(nx)):
        c = [number(i + x, j + y, k + z) for z in ((0,) if plane else (0, 1)) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
        cut = shape
        if shape == "mixed":
            cut = ("quad", "tri")[(i + j) % 2] if plane else ("hex", "prism", "pyramid")[(i + 2 * j) % 3]
        if cut in ("quad", "hex"):
            cells.append((cut, c))
        elif cut == "tri":
            cells += [("tri", [c[n] for n in half]) for half in (((0, 1, 2), (0, 2, 3)), ((0, 1, 3), (1, 2, 3)))[(i + j) % 2]]
        elif cut == "tet":
            cells += [("tet", [c[0], c[a], c[b], c[6]]) for a, b in ((1, 2), (2, 3), (3, 7), (7, 4), (4, 5), (5, 1))]
        elif cut == "prism":
            cells += [("prism", [c[n] for n in half]) for half in ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))]
        else:  # pyramids around the middle
            points.append(list(np.mean([points[n] for n in c], axis=0)))
            cells += [("pyramid", [c[n] for n in side] + [len(points) - 1]) for side in ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))]
    return np.array(points, float), cells


def part(random, shape, counts, order, full, flat, joints, matching, amplitude=0.12):
    """The unit square or cube, distorted: (points, those before, {kind: cells}, {kind: facets}, {side: {kind: positions of facets}}). Nodes of the sides
    in `flat` and `joints` stay in their planes, those at the rim of a joint where they were, so that two joints are one surface; matching: so do those of
    all sides."""
    points, cells = lattice(shape, counts)
    dimension = points.shape[1]
    blocks, mids, parameters = {}, {}, [*points]

    def node(corners):
        key = frozenset(corners)
        if len(key) == 1:
            return corners[0]
        if key not in mids:
            mids[key] = len(parameters)
            parameters.append(np.mean([points[c] for c in corners], axis=0))
        return mids[key]

    for its, corners in cells:
        kind = kind_of(its, order, full)
        blocks.setdefault(kind, []).append([node([corners[c] for c in place]) for place in places(kind)])
    seen = {}
    for its, corners in cells:
        for facet in SHAPES[its][2] if dimension == 3 else SHAPES[its][1]:
            seen.setdefault(frozenset(corners[c] for c in facet), []).append([corners[c] for c in facet])
    facets, sides = {}, {}
    for found in seen.values():
        if len(found) > 1:
            continue
        kind = kind_of({2: "line", 3: "tri", 4: "quad"}[len(found[0])], order, full)
        for axis, high in itertools.product(range(dimension), (0, 1)):
            if np.all(points[found[0], axis] == high):
                block = facets.setdefault(kind, [])
                sides.setdefault("xyz"[axis] + str(high), {}).setdefault(kind, []).append(len(block))
                block.append([node([found[0][c] for c in place]) for place in places(kind)])
    parameters = np.array(parameters)
    step = np.array([1 / c for c in counts])
    move = random.uniform(-1, 1, parameters.shape) * amplitude * step
    move[len(points):] *= 0.3  # nodes between corners: these bend edges
    for axis, high in itertools.product(range(dimension), (0, 1)):
        on = parameters[:, axis] == high
        if "xyz"[axis] + str(high) in flat | joints:
            move[on, axis] = 0
        if "xyz"[axis] + str(high) in joints:
            other = np.delete(parameters, axis, axis=1)
            move[on & np.any((other == 0) | (other == 1), axis=1)] = 0
        if matching:
            move[parameters[:, axis] == high] = 0
    moved = parameters + move
    for corners, n in mids.items():  # from the middle of their moved corners
        moved[n] = np.mean([moved[c] for c in corners], axis=0) + move[n]
    return moved, parameters, {kind: np.array(nodes) for kind, nodes in blocks.items()}, {kind: np.array(nodes) for kind, nodes in facets.items()}, sides


def body(random, dimension, parts, flat=(), matching=False):
    """A mesh of one or two parts, each (shape, counts, order, full), side by side along x without common nodes. Regions: "part1", its halves "part1.a"
    and "part1.b", its sides "part1.x0" ..., their nodes "part1.x0.nodes", its "part1.corner", and single nodes "part1.single1" and 2 away from x0, x1."""
    points, cells, facets, regions = np.zeros((0, dimension)), {}, {}, {}
    for number, (shape, counts, order, full) in enumerate(parts):
        name = f"part{number + 1}"
        joints = {"x1"} if number == 0 and len(parts) > 1 else {"x0"} if number else set()
        moved, parameters, blocks, borders, sides = part(random, shape, counts, order, full, set(flat), joints, matching)
        moved[:, 0] += number
        first = len(points)
        points = np.vstack([points, moved])
        regions[name], halves = {}, ({}, {})
        for kind, nodes in blocks.items():
            there = cells.setdefault(kind, [])
            for cell in nodes:
                regions[name].setdefault(kind, []).append(len(there))
                middle = parameters[cell].mean(axis=0)
                halves[0 if middle[-1] + 0.3 * middle[0] < 0.6 else 1].setdefault(kind, []).append(len(there))
                there.append(cell + first)
        if all(halves):
            regions[name + ".a"], regions[name + ".b"] = halves
        for kind, nodes in borders.items():
            start = len(facets.setdefault(kind, []))
            facets[kind] += [*(nodes + first)]
            for side, its in sides.items():
                if kind in its:
                    regions.setdefault(f"{name}.{side}", {})[kind] = [start + n for n in its[kind]]
        for side, its in sides.items():
            on = np.unique(np.concatenate([borders[kind][positions].ravel() for kind, positions in its.items()]))
            regions[f"{name}.{side}.nodes"] = {"nodes": on + first}
        regions[f"{name}.corner"] = {"nodes": [first]}
        inner = np.flatnonzero((parameters[:, 0] > 0) & (parameters[:, 0] < 1) & np.isin(np.arange(len(parameters)), corner_nodes(blocks)))
        for n, node in enumerate(random.permutation(inner)[:2], 1):
            regions[f"{name}.single{n}"] = {"nodes": [first + int(node)]}
    cells |= facets
    fixed = {name: {kind: np.array(its) for kind, its in parts.items()} for name, parts in regions.items()}
    return Mesh(points, {kind: np.array(nodes) for kind, nodes in cells.items()}, fixed)


def corner_nodes(blocks):
    return np.unique(np.concatenate([np.array(nodes)[:, : SHAPES[KINDS[kind][0]][0]].ravel() for kind, nodes in blocks.items()]))


def surface(random, shape, counts):
    """A shell in space, "shell", of quadrilaterals, triangles or both, with the line of nodes at y = 1 as beams, "beams"; its nodes "x0", "x1", "y0"."""
    points, cells = lattice(shape, counts)
    inside = np.all((points > 0) & (points < 1), axis=1)
    points = points + inside[:, None] * random.uniform(-0.12, 0.12, points.shape) / np.array(counts)
    a = random.uniform(-0.4, 0.4, 3)
    height = a[0] * points[:, 0] ** 2 + a[1] * points[:, 0] * points[:, 1] + a[2] * points[:, 1] ** 2
    blocks = {}
    for its, corners in cells:
        blocks.setdefault(kind_of(its, 1), []).append(corners)
    nx, ny = counts
    edge = [i + (nx + 1) * ny for i in range(nx + 1)]
    blocks["line2"] = list(zip(edge[:-1], edge[1:]))
    blocks = {kind: np.array(nodes) for kind, nodes in blocks.items()}
    number = np.arange((nx + 1) * (ny + 1)).reshape(ny + 1, nx + 1)
    regions = {"shell." + kind: {kind: np.arange(len(nodes))} for kind, nodes in blocks.items() if kind != "line2"}
    regions |= {"beams": {"line2": np.arange(nx)}, "x0": {"nodes": number[:, 0]}, "x1": {"nodes": number[:, -1]}, "y0": {"nodes": number[0]},
                "y1": {"nodes": number[-1]}, "single1": {"nodes": number[ny // 2, nx // 2 : nx // 2 + 1]}, "single2": {"nodes": number[0, nx // 2 : nx // 2 + 1]}}
    return Mesh(np.column_stack([points, height]), blocks, regions)


def frame(random, counts):
    """Beams along the edges of bricks in space: "x", "y", "z" by their directions, "diagonals" of faces; nodes "x0", "x1", "y0", "y1"."""
    nx, ny, nz = counts
    number = np.arange((nx + 1) * (ny + 1) * (nz + 1)).reshape(nz + 1, ny + 1, nx + 1)
    points = np.array([[i / nx, j / ny, k / nz] for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)])
    points = points + random.uniform(-0.15, 0.15, points.shape) / np.array(counts)
    lines = {"x": (number[:, :, :-1], number[:, :, 1:]), "y": (number[:, :-1], number[:, 1:]), "z": (number[:-1], number[1:]), "diagonals": (number[0, :-1, :-1], number[0, 1:, 1:])}
    cells, regions = [], {}
    for name, (begin, end) in lines.items():
        pairs = np.column_stack([begin.ravel(), end.ravel()])
        regions[name] = {"line2": np.arange(len(cells), len(cells) + len(pairs))}
        cells += [*pairs]
    regions |= {"x0": {"nodes": number[:, :, 0].ravel()}, "x1": {"nodes": number[:, :, -1].ravel()}, "y0": {"nodes": number[:, 0, nx // 2].ravel()},
                "y1": {"nodes": number[:, -1, nx // 2].ravel()}, "single1": {"nodes": number[0, 0, nx // 2 : nx // 2 + 1]},
                "single2": {"nodes": number[-1, -1, nx // 2 : nx // 2 + 1]}}
    return Mesh(points, {"line2": np.array(cells)}, regions)


def welded(random, shape, order):
    """A solid, "part1" with its sides as in body(), a beam "beam" on its face x1 with the node "tip", and a shell "plate" on its face y1 whose far edge is
    "edge": they touch the solid with nodes of their own."""
    solid = body(random, 3, [(shape, [2, 2, 2], order, False)], ("x1", "y1"))
    on = lambda side: solid.points[solid.nodes(f"part1.{side}")]
    middle = on("x1")[np.argmin(np.linalg.norm(on("x1") - [1, 0.5, 0.5], axis=1))]
    beam = middle + np.outer([0, 0.5, 1], [1, *random.uniform(-0.3, 0.3, 2)])
    foot = np.array(sorted(on("y1")[np.abs(on("y1")[:, 2] - 0.5) < 0.2], key=lambda x: x[0]))
    foot[[0, -1]] += 0.3 * (foot[[1, -2]] - foot[[0, -1]])  # its ends stand inside the face with their thickness
    away = np.array([random.uniform(-0.2, 0.2), 0.6, random.uniform(-0.2, 0.2)])
    plate = np.vstack([foot, foot + away, foot + 2 * away])
    first, n, k = len(solid.points), len(foot), len(solid.points) + 3
    quads = [(k + i + n * j, k + i + 1 + n * j, k + i + 1 + n * (j + 1), k + i + n * (j + 1)) for j in range(2) for i in range(n - 1)]
    cells, regions = dict(solid.cells), dict(solid.regions)
    cells["line2"] = np.array([(first, first + 1), (first + 1, first + 2)])
    before = len(cells.get("quad4", ()))
    cells["quad4"] = np.vstack([cells["quad4"], quads]) if before else np.array(quads)
    regions |= {"beam": {"line2": np.arange(2)}, "tip": {"nodes": np.array([first + 2])}, "plate": {"quad4": before + np.arange(len(quads))},
                "edge": {"nodes": k + 2 * n + np.arange(n)}}
    return Mesh(np.vstack([solid.points, beam, plate]), cells, regions)


def sheared(random, dimension):
    """A matrix near a rotation, that keeps the hand."""
    turn, _ = np.linalg.qr(random.normal(size=(dimension, dimension)))
    if np.linalg.det(turn) < 0:
        turn[:, 0] *= -1
    return turn @ (np.eye(dimension) + random.uniform(-0.25, 0.25, (dimension, dimension))) * random.uniform(0.5, 2)


def msh(mesh):
    """MSH 4.1. An entity for each set of regions in which a cell or node is, since regions overlap."""
    names = {name: (tag, mesh.has(name)) for tag, name in enumerate(mesh.regions, 1)}
    entities = {}  # (dimension, tags of regions) -> {type: [nodes]}
    for kind, cells in mesh.cells.items():
        of = [[] for _ in cells]
        for name, parts in mesh.regions.items():
            for position in parts.get(kind, []):
                of[position].append(names[name][0])
        for nodes, tags in zip(cells, of):
            entities.setdefault((dimension_of(kind), tuple(tags)), {}).setdefault(GMSH_TYPE[kind], []).append(gmsh_order(kind, nodes))
    single = {}
    for name, parts in mesh.regions.items():
        for node in parts.get("nodes", []):
            single.setdefault(int(node), []).append(names[name][0])
    for node, tags in single.items():
        entities.setdefault((0, tuple(tags)), {}).setdefault(15, []).append([node])
    points = np.column_stack([mesh.points, np.zeros((len(mesh.points), 3 - mesh.dimension))])
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names))]
    lines += [f'{dimension} {tag} "{name}"' for name, (tag, dimension) in names.items()] + ["$EndPhysicalNames", "$Entities"]
    by = [[key for key in entities if key[0] == d] for d in range(4)]
    lines.append(" ".join(str(len(keys)) for keys in by))
    tag_of = {key: tag for keys in by for tag, key in enumerate(keys, 1)}
    for d, keys in enumerate(by):
        for key in keys:
            physical = f"{len(key[1])} {' '.join(map(str, key[1]))}"
            lines.append(f"{tag_of[key]} 0 0 0 {physical}" if d == 0 else f"{tag_of[key]} 0 0 0 0 0 0 {physical} 0")
    highest = max(d for d, keys in enumerate(by) if keys)
    lines += ["$EndEntities", "$Nodes", f"1 {len(points)} 1 {len(points)}", f"{highest} 1 0 {len(points)}"]
    lines += [str(n + 1) for n in range(len(points))] + [" ".join(repr(float(x)) for x in p) for p in points] + ["$EndNodes", "$Elements"]
    count = sum(len(cells) for types in entities.values() for cells in types.values())
    lines.append(f"{sum(map(len, entities.values()))} {count} 1 {count}")
    number = 0
    for key, types in entities.items():
        for kind, cells in types.items():
            lines.append(f"{key[0]} {tag_of[key]} {kind} {len(cells)}")
            for nodes in cells:
                number += 1
                lines.append(f"{number} {' '.join(str(n + 1) for n in nodes)}")
    return "\n".join(lines + ["$EndElements", ""])


GMSH_EDGES = {"tet10": [0, 1, 2, 3, 5, 4], "hex20": [0, 3, 8, 1, 9, 2, 10, 11, 4, 7, 5, 6], "prism15": [0, 2, 6, 1, 7, 8, 3, 5, 4],
              "pyramid13": [0, 3, 4, 1, 5, 2, 6, 7]}
GMSH_EDGES |= {"hex27": GMSH_EDGES["hex20"], "prism18": GMSH_EDGES["prism15"]}
GMSH_FACES = {"hex27": [4, 2, 0, 1, 3, 5], "prism18": [0, 2, 1]}


def gmsh_order(kind, nodes):
    """Nodes of a cell in Gmsh's order."""
    if kind not in GMSH_EDGES:
        return list(nodes)
    corners = SHAPES[KINDS[kind][0]][0]
    edges = [corners + e for e in GMSH_EDGES[kind]]
    faces = [corners + len(edges) + f for f in GMSH_FACES.get(kind, [])]
    rest = range(corners + len(edges) + len(faces), len(nodes))
    return [nodes[n] for n in [*range(corners), *edges, *faces, *rest]]
