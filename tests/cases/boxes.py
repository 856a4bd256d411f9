"""Meshes of a few cubes as Gmsh MSH 2.2 text, so that a test can spoil them in any way it likes."""

SIDES = {"x0": (0, 3, 7, 4), "x1": (1, 2, 6, 5), "y0": (0, 1, 5, 4), "y1": (3, 2, 6, 7), "z0": (0, 1, 2, 3), "z1": (4, 5, 6, 7)}
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def cubes(names):
    """One unit cube per name, apart from each other along x: a region of its name, and sides "<name>.x0" ..."""
    points, elements, groups = [], [], []
    for number, name in enumerate(names):
        first = 8 * number + 1
        points += [(x + 2 * number, y, z) for x, y, z in CORNERS]
        groups.append((3, name))
        elements.append((5, len(groups), [first + i for i in range(8)]))
        for side, corners in SIDES.items():
            groups.append((2, f"{name}.{side}"))
            elements.append((3, len(groups), [first + i for i in corners]))
    return msh(points, elements, groups)


def square(points=((0, 0), (1, 0), (1, 1), (0, 1))):
    """One quadrilateral, "all", with its sides "bottom", "right", "top" and "left"."""
    groups = [(2, "all"), (1, "bottom"), (1, "right"), (1, "top"), (1, "left")]
    elements = [(3, 1, [1, 2, 3, 4])] + [(1, 2 + i, [1 + i, 1 + (i + 1) % 4]) for i in range(4)]
    return msh([(x, y, 0) for x, y in points], elements, groups)


def grid(cells, length=1.0):
    """A square of cells x cells quadrilaterals, "all", with its sides "bottom", "right", "top" and "left"."""
    n = cells + 1
    points = [(length * i / cells, length * j / cells, 0) for j in range(n) for i in range(n)]
    elements = [(3, 1, [1 + i + n * j, 2 + i + n * j, 2 + i + n * (j + 1), 1 + i + n * (j + 1)])
                for j in range(cells) for i in range(cells)]
    for i in range(cells):
        elements += [(1, 2, [1 + i, 2 + i]), (1, 3, [n * (i + 1), n * (i + 2)]), (1, 4, [n * cells + 1 + i, n * cells + 2 + i]),
                     (1, 5, [1 + n * i, 1 + n * (i + 1)])]
    return msh(points, elements, [(2, "all"), (1, "bottom"), (1, "right"), (1, "top"), (1, "left")])


def pair():
    """Two unit cubes that share a face, "all", with the facets "left" and "between"."""
    points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)]
    return msh(points, [(5, 1, [1, 2, 5, 4, 7, 8, 11, 10]), (5, 1, [2, 3, 6, 5, 8, 9, 12, 11]), (3, 2, [1, 4, 10, 7]), (3, 3, [2, 5, 11, 8])],
               [(3, "all"), (2, "left"), (2, "between")])


def torn():
    """A square beside two halves of one, "all": node 4 hangs on the side between them. Sides "left" and "right"."""
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (1, 0.5, 0), (2, 0, 0), (2, 0.5, 0), (2, 1, 0)]
    cells = [[1, 2, 3, 4], [2, 6, 7, 5], [5, 7, 8, 3]]
    return msh(points, [(3, 1, cell) for cell in cells] + [(1, 2, [4, 1]), (1, 3, [6, 7]), (1, 3, [7, 8])], [(2, "all"), (1, "left"), (1, "right")])


def shell(map_point, cell, counts=(4, 4, 1)):
    """A grid of u, v, w in 0..1, mapped: hexahedra, or six tetrahedra each. Its region is "part"."""
    nu, nv, nw = counts
    number = lambda i, j, k: 1 + i + (nu + 1) * (j + (nv + 1) * k)
    points = [map_point(i / nu, j / nv, k / nw) for k in range(nw + 1) for j in range(nv + 1) for i in range(nu + 1)]
    elements = []
    for k in range(nw):
        for j in range(nv):
            for i in range(nu):
                corner = [number(i + x, j + y, k + z) for x, y, z in CORNERS]
                if cell == "hex8":
                    elements.append((5, 1, corner))
                else:  # around the diagonal from corner 0 to corner 6
                    elements += [(4, 1, [corner[0], corner[a], corner[b], corner[6]])
                                 for a, b in ((1, 2), (2, 3), (3, 7), (7, 4), (4, 5), (5, 1))]
    return msh(points, elements, [(3, "part")])


def blocks(*parts):
    """Grids of hexahedra, each (name, (nx, ny, nz), map of u, v, w in 0..1), or of quadrilaterals (name, (nx, ny), map of u, v), that share
    no nodes: regions of their names, and sides "<name>.x0" ..."""
    points, elements, groups = [], [], []
    for name, counts, place in parts:
        plane = len(counts) == 2
        nx, ny, nz = (*counts, 0) if plane else counts
        first = len(points) + 1
        number = lambda i, j, k=0: first + i + (nx + 1) * (j + (ny + 1) * k)
        points += [(*place(i / nx, j / ny), 0) if plane else place(i / nx, j / ny, k / nz)
                   for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
        groups.append((2 if plane else 3, name))
        cells = [(i, j, k) for k in range(max(nz, 1)) for j in range(ny) for i in range(nx)]
        shape = CORNERS[:4] if plane else CORNERS
        elements += [(3 if plane else 5, len(groups), [number(i + a, j + b, k + c) for a, b, c in shape]) for i, j, k in cells]
        for axis, count in enumerate((nx, ny) if plane else (nx, ny, nz)):
            for high in (0, 1):
                groups.append((1 if plane else 2, f"{name}.{'xyz'[axis]}{high}"))
                corners = [0, 1, 2, 3] if plane else list(range(8))
                on = [n for n in corners if CORNERS[n][axis] == high]
                if not plane:
                    on = list(SIDES[f"{'xyz'[axis]}{high}"])
                elements += [(1 if plane else 3, len(groups), [number(*(c + d for c, d in zip(cell, CORNERS[n]))) for n in on])
                             for cell in cells if cell[axis] == (count - 1 if high else 0)]
    return msh(points, elements, groups)


def msh(points, elements, groups):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
    lines += [f'{dimension} {i} "{name}"' for i, (dimension, name) in enumerate(groups, 1)]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points, 1)]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    lines += [f"{i} {kind} 2 {group} {group} {' '.join(map(str, nodes))}" for i, (kind, group, nodes) in enumerate(elements, 1)]
    return "\n".join(lines + ["$EndElements", ""])



def two_orders():
    """A unit cube "left", one hexahedron of order 2, and beside it, from x = 1, "right" of 27 hexahedra of order 1. The sides where they meet are
    "meeting" of the right one and "met", "clamped" is x = 0, "pulled" x = 2, "edge" the middle of an edge at x = 0 and its ends."""
    edges = [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)]  # in Gmsh's order
    middle = lambda a, b: tuple((p + q) / 2 for p, q in zip(CORNERS[a], CORNERS[b]))
    points = list(CORNERS) + [middle(*edge) for edge in edges]
    quad8 = lambda side: [1 + a for a in side] + [9 + next(i for i, e in enumerate(edges) if set(e) == {a, b}) for a, b in zip(side, side[1:] + side[:1])]
    elements = [(17, 1, list(range(1, 21))), (16, 4, quad8(SIDES["x1"])), (16, 5, quad8(SIDES["x0"])), (8, 7, [1, 5, 11])]
    number = lambda i, j, k: 21 + i + 4 * (j + 4 * k)
    points += [(1 + i / 3, j / 3, k / 3) for k in range(4) for j in range(4) for i in range(4)]
    elements += [(5, 2, [number(i + x, j + y, k + z) for x, y, z in CORNERS]) for k in range(3) for j in range(3) for i in range(3)]
    for group, i in ((3, 0), (6, 3)):
        elements += [(3, group, [number(i, j + y, k + z) for y, z in ((0, 0), (1, 0), (1, 1), (0, 1))]) for k in range(3) for j in range(3)]
    return msh(points, elements, [(3, "left"), (3, "right"), (2, "meeting"), (2, "met"), (2, "clamped"), (2, "pulled"), (1, "edge")])


def cut(cell, counts, size=(1.0, 1.0, 1.0)):
    """A box of bricks, "part", each cut into cells of one kind: hexa, tetra (6), prism (2), pyramid (6), mixed (a brick of each in turn);
    or, with two counts, a rectangle of quad or triangle (2)."""
    nx, ny, nz = (*counts, 0)[:3]
    number = lambda i, j, k=0: 1 + i + (nx + 1) * (j + (ny + 1) * k)
    points = [(size[0] * i / nx, size[1] * j / ny, size[2] * k / nz if nz else 0.0) for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
    if nz == 0:
        corners = [[number(i + x, j + y) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))] for j in range(ny) for i in range(nx)]
        cells = [(3, c) for c in corners] if cell == "quad" else [(2, [c[a] for a in half]) for c in corners for half in ((0, 1, 2), (0, 2, 3))]
        return msh(points, [(kind, 1, nodes) for kind, nodes in cells], [(2, "part")])
    cells = []
    for k in range(nz):
        for j in range(ny):
            for i in range(nx):
                c = [number(i + x, j + y, k + z) for x, y, z in CORNERS]
                if cell == "hexa":
                    cells.append((5, c))
                elif cell == "tetra":
                    cells += [(4, [c[0], c[a], c[b], c[6]]) for a, b in ((1, 2), (2, 3), (3, 7), (7, 4), (4, 5), (5, 1))]
                elif cell == "prism":
                    cells += [(6, [c[0], c[1], c[2], c[4], c[5], c[6]]), (6, [c[0], c[2], c[3], c[4], c[6], c[7]])]
                elif cell == "pyramid" or (i + j + k) % 2 == 0:  # around the middle; with bricks between, a mixed mesh
                    points.append(tuple(sum(points[n - 1][d] for n in c) / 8 for d in range(3)))
                    cells += [(7, [c[n] for n in side] + [len(points)]) for side in ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))]
                else:
                    cells.append((5, c))
    return msh(points, [(kind, 1, nodes) for kind, nodes in cells], [(3, "part")])
