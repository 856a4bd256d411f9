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

def msh(points, elements, groups):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
    lines += [f'{dimension} {i} "{name}"' for i, (dimension, name) in enumerate(groups, 1)]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points, 1)]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    lines += [f"{i} {kind} 2 {group} {group} {' '.join(map(str, nodes))}" for i, (kind, group, nodes) in enumerate(elements, 1)]
    return "\n".join(lines + ["$EndElements", ""])

