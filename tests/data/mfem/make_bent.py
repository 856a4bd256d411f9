"""Makes bent-*.mesh again, with PyMFEM 4.10: a box under a map of degree 2, at orders from 3, its vertices and elements numbered at random, so that
edges and faces are seen from all sides. Every cell is a parallelepiped before the map, so a map of order 2 loses nothing."""
import random
from itertools import permutations

import mfem.ser as mfem
import numpy as np

random.seed(3)
HEX = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]) * 2 - 1


def even(p):
    return sum(p[i] < p[j] for i in range(len(p)) for j in range(i)) % 2 == 0


def hexahedron_rotations():
    found = []
    for p in permutations(range(3)):
        for signs in np.ndindex(2, 2, 2):
            R = np.zeros((3, 3))
            for i, k in enumerate(p):
                R[i, k] = 1 - 2 * signs[i]
            if np.linalg.det(R) > 0:
                found.append([next(j for j in range(8) if (HEX[j] == R @ v).all()) for v in HEX])
    return found


ROTATIONS = {2: [p for p in permutations(range(3)) if even(p)], 3: [[(i + k) % 4 for i in range(4)] for k in range(4)],
             4: [p for p in permutations(range(4)) if even(p)], 5: hexahedron_rotations(),
             6: [[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], [2, 0, 1, 5, 3, 4], [3, 5, 4, 0, 2, 1], [5, 4, 3, 2, 1, 0], [4, 3, 5, 1, 0, 2]]}
ADD = {2: "AddTriangle", 3: "AddQuad", 4: "AddTet", 5: "AddHex", 6: "AddWedge"}


def shuffled(base, dimension):
    number = list(range(base.GetNV()))
    random.shuffle(number)
    mesh = mfem.Mesh(dimension, base.GetNV(), base.GetNE(), 0, dimension)
    for v in sorted(range(base.GetNV()), key=number.__getitem__):
        mesh.AddVertex(*map(float, base.GetVertexArray(v)))
    for e in range(base.GetNE()):
        geometry = base.GetElementBaseGeometry(e)
        vertices = [number[int(v)] for v in base.GetElementVertices(e)]
        getattr(mesh, ADD[geometry])(*[vertices[k] for k in random.choice(ROTATIONS[geometry])])
    mesh.FinalizeTopology()
    mesh.Finalize(False, False)
    return mesh


class Bent(mfem.VectorPyCoefficient):
    def EvalValue(self, x):
        z = x[2] if len(x) > 2 else 0
        y = [x[0] + x[1] ** 2 / 8 + z**2 / 4, x[1] + x[0] ** 2 / 4 - x[0] * z / 8, z + x[0] * x[1] / 4]
        return np.array(y[: len(x)])


def make(name, element, dimension, order, cells, cubic=False):
    grid = mfem.Mesh.MakeCartesian3D(*cells, element) if dimension == 3 else mfem.Mesh.MakeCartesian2D(*cells[:2], element)
    mesh = shuffled(grid, dimension)
    if cubic:
        collection = mfem.CubicFECollection()
        space = mfem.FiniteElementSpace(mesh, collection, dimension, 1)
        mesh.SetNodalFESpace(space)
    else:
        mesh.SetCurvature(order, False, dimension, 1)
    mesh.Transform(Bent(dimension))
    mesh.Save(f"bent-{name}.mesh", 16)


E = mfem.Element
make("hex-p3", E.HEXAHEDRON, 3, 3, (2, 1, 1))
make("tet-p4", E.TETRAHEDRON, 3, 4, (1, 1, 1))
make("wedge-p3", E.WEDGE, 3, 3, (1, 1, 1))
make("quad-p4", E.QUADRILATERAL, 2, 4, (2, 2, 1))
make("tri-p5", E.TRIANGLE, 2, 5, (1, 1, 1))
make("hex-cubic", E.HEXAHEDRON, 3, 3, (2, 1, 1), True)
make("tet-cubic", E.TETRAHEDRON, 3, 3, (1, 1, 1), True)
make("wedge-cubic", E.WEDGE, 3, 3, (1, 1, 1), True)
