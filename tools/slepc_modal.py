#!/usr/bin/python3
"""The lowest modes of a clamped steel bar, 4 x 1 x 1 m of ten-node tetrahedra, by SLEPc 3.18: a peer for ritz-modal.

  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 tools/slepc_modal.py 6 --deck bar.inp     # 24 x 6 x 6 cubes
  ritz-modal bar.toml --threads 1 --set modal.method=lanczos                                         # the same mesh
  Debian: python3-dolfinx python3-slepc4py

K and M come from DOLFINx (exact mass), Krylov-Schur with shift-invert at zero by MUMPS, tolerance 1e-6 as ritz-modal. Prints seconds of
assembly and solution, the resident memory, eigenvalues and residuals. --deck writes the mesh and bar.toml for ritz-modal.
"""
import argparse
import pathlib
import resource
import time

import numpy as np
import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc as assembler
from mpi4py import MPI
from petsc4py import PETSc
from slepc4py import SLEPc

YOUNG, POISSON, DENSITY = 210e9, 0.3, 7850.0

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("n", type=int, help="cubes along the short edges; 4 n along the long one, six tetrahedra each")
parser.add_argument("--count", type=int, default=10)
parser.add_argument("--deck", type=pathlib.Path, help="write the mesh here, and a case beside it, and do not solve")
options = parser.parse_args()


def write_deck(V):
    """Abaqus order of the nodes: corners, then edges 12 23 13 14 24 34; DOLFINx has edges 34 24 23 14 13 12."""
    points = V.tabulate_dof_coordinates()
    cells = V.dofmap.list.array.reshape(-1, 10)
    edges = points[cells[:, 1:4]] - points[cells[:, :1]]
    inverted = np.linalg.det(edges) < 0
    order = np.where(inverted[:, None], [0, 2, 1, 3, 8, 6, 9, 7, 4, 5], [0, 1, 2, 3, 9, 6, 8, 7, 5, 4])
    cells = np.take_along_axis(cells, order, axis=1)
    with open(options.deck, "w") as deck:
        deck.write("*NODE\n")
        deck.writelines(f"{i + 1}, {x:.17g}, {y:.17g}, {z:.17g}\n" for i, (x, y, z) in enumerate(points))
        deck.write("*ELEMENT, TYPE=C3D10, ELSET=steel\n")
        deck.writelines(", ".join(map(str, [i + 1, *(cell + 1)])) + "\n" for i, cell in enumerate(cells))
        deck.write("*NSET, NSET=clamp\n")
        deck.writelines(f"{i + 1}\n" for i in np.flatnonzero(points[:, 0] < 1e-9))
    options.deck.with_suffix(".toml").write_text(
        f'title = "Ten modes of a bar"\n[mesh]\nfile = "{options.deck.name}"\n[[material]]\nregion = "steel"\nyoung = {YOUNG:g}\n'
        f'poisson = {POISSON}\ndensity = {DENSITY}\n[[displacement]]\nregion = "clamp"\nfixed = true\n[modal]\ncount = {options.count}\n')


def main():
    n = options.n
    box = mesh.create_box(MPI.COMM_WORLD, [[0, 0, 0], [4, 1, 1]], [4 * n, n, n], mesh.CellType.tetrahedron)
    if options.deck:
        return write_deck(fem.FunctionSpace(box, ("Lagrange", 2)))
    V = fem.VectorFunctionSpace(box, ("Lagrange", 2))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    mu, lame = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
    strain = lambda w: ufl.sym(ufl.grad(w))
    stiffness = fem.form((2 * mu * ufl.inner(strain(u), strain(v)) + lame * ufl.div(u) * ufl.div(v)) * ufl.dx)
    inertia = fem.form(DENSITY * ufl.inner(u, v) * ufl.dx)
    clamp = fem.locate_dofs_geometrical(V, lambda x: np.isclose(x[0], 0))
    support = fem.dirichletbc(np.zeros(3), clamp, V)

    start = time.perf_counter()
    K = assembler.assemble_matrix(stiffness, bcs=[support])
    M = assembler.assemble_matrix(inertia, bcs=[support], diagonal=0.0)  # supported unknowns carry no eigenvalues
    K.assemble()
    M.assemble()
    assembled = time.perf_counter()

    solver = SLEPc.EPS().create(MPI.COMM_WORLD)
    solver.setOperators(K, M)
    solver.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    solver.setDimensions(options.count)
    solver.setTolerances(1e-6, 200)
    solver.setTarget(0.0)
    solver.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    transform = solver.getST()
    transform.setType(SLEPc.ST.Type.SINVERT)
    transform.setMatStructure(PETSc.Mat.Structure.SUBSET)
    linear = transform.getKSP()
    linear.setType("preonly")
    linear.getPC().setType("cholesky")
    linear.getPC().setFactorSolverType("mumps")
    solver.solve()
    solved = time.perf_counter()

    values = [solver.getEigenvalue(i).real for i in range(min(options.count, solver.getConverged()))]
    print(f"unknowns {K.getSize()[0]}, assembly {assembled - start:.2f} s, solution {solved - assembled:.2f} s, "
          f"resident {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    for i, value in enumerate(values):
        print(f"{i + 1:3d}  {value:.9g} rad^2/s^2  {np.sqrt(max(value, 0)) / (2 * np.pi):.7g} Hz  "
              f"residual {solver.computeError(i, SLEPc.EPS.ErrorType.RELATIVE):.1e}")


main()
