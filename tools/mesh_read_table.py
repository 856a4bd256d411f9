#!/usr/bin/python3
"""How fast meshes are read, beside the libraries of Gmsh and VTK, in one run: the numbers of docs/performance.md.

    tools/mesh_read_table.py [--size 94] [--bin build/bin] [--folder FOLDER for about 2 GB of files]

The mesh: a unit box of size^3 cubes of six tetrahedra (94: 4 983 504). Files are written by NumPy, netCDF4 and VTK, not by Ritz. For each
file the programs take turns, each read in a process of its own, from the page cache; the least of the turns is shown.
Ritz: `ritz mesh info --json`, read_seconds. Gmsh: gmsh.open(). VTK: Update() of its reader. meshio: read().
Debian: python3-gmsh python3-vtk9 python3-meshio python3-netcdf4.
"""
import argparse
import base64
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np

KUHN = [(0, 1, 3, 7), (0, 5, 1, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 4, 5, 7), (0, 6, 4, 7)]


def make_mesh(size):
    """Points [node][3] and tetrahedra [cell][4], nodes from 1."""
    n = size + 1
    x = np.linspace(0, 1, n)
    points = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    i, j, k = (a.ravel() for a in np.meshgrid(*[np.arange(size)] * 3, indexing="ij"))
    corner = [((i + (c & 1)) * n + j + (c >> 1 & 1)) * n + k + (c >> 2) + 1 for c in range(8)]
    cells = np.stack([np.stack([corner[c] for c in tet], axis=-1) for tet in KUHN], axis=1).reshape(-1, 4)
    return points, cells.astype(np.int64)


def lines(pattern, *columns):
    table = zip(*[c.tolist() for c in columns])
    return "\n".join(map(pattern.__mod__, table)) + "\n"


def write_msh2(path, points, cells, binary):
    tags, numbers = np.arange(1, len(points) + 1), np.arange(1, len(cells) + 1)
    with open(path, "wb") as f:
        f.write(b"$MeshFormat\n2.2 %d 8\n" % binary + (b"\1\0\0\0\n" if binary else b"") + b"$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"box\"\n$EndPhysicalNames\n")
        f.write(b"$Nodes\n%d\n" % len(points))
        if binary:
            f.write(np.rec.fromarrays([tags.astype("<i4"), *points.T], dtype="<i4,<f8,<f8,<f8").tobytes())
        else:
            f.write(lines("%d %.17g %.17g %.17g", tags, *points.T).encode())
        f.write(b"\n$EndNodes\n$Elements\n%d\n" % len(cells))
        if binary:
            f.write(np.array([4, len(cells), 2], "<i4").tobytes())
            ones = np.ones(len(cells))
            f.write(np.column_stack([numbers, ones, ones, cells]).astype("<i4").tobytes())
        else:
            f.write(lines("%d 4 2 1 1 %d %d %d %d", numbers, *cells.T).encode())
        f.write(b"\n$EndElements\n" if binary else b"$EndElements\n")


def write_msh4(path, points, cells, binary):
    tags, numbers = np.arange(1, len(points) + 1), np.arange(1, len(cells) + 1)
    sizes, whole = (len(points), len(cells)), "%d %d %d %d\n"
    with open(path, "wb") as f:
        f.write(b"$MeshFormat\n4.1 %d 8\n" % binary + (b"\1\0\0\0\n" if binary else b"") + b"$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"box\"\n$EndPhysicalNames\n$Entities\n")
        if binary:
            f.write(np.array([0, 0, 0, 1], "<u8").tobytes() + np.array([1], "<i4").tobytes() + np.array([0, 0, 0, 1, 1, 1], "<f8").tobytes() +
                    np.array([1], "<u8").tobytes() + np.array([1], "<i4").tobytes() + np.array([0], "<u8").tobytes() + b"\n")
        else:
            f.write(b"0 0 0 1\n1 0 0 0 1 1 1 1 1 0\n")
        f.write(b"$EndEntities\n$Nodes\n")
        if binary:
            f.write(np.array([1, sizes[0], 1, sizes[0]], "<u8").tobytes() + np.array([3, 1, 0], "<i4").tobytes() + np.array([sizes[0]], "<u8").tobytes())
            f.write(tags.astype("<u8").tobytes() + points.astype("<f8").tobytes() + b"\n")
        else:
            f.write((whole % (1, sizes[0], 1, sizes[0]) + whole % (3, 1, 0, sizes[0]) + lines("%d", tags) + lines("%.17g %.17g %.17g", *points.T)).encode())
        f.write(b"$EndNodes\n$Elements\n")
        if binary:
            f.write(np.array([1, sizes[1], 1, sizes[1]], "<u8").tobytes() + np.array([3, 1, 4], "<i4").tobytes() + np.array([sizes[1]], "<u8").tobytes())
            f.write(np.column_stack([numbers, cells]).astype("<u8").tobytes() + b"\n")
        else:
            f.write((whole % (1, sizes[1], 1, sizes[1]) + whole % (3, 1, 4, sizes[1]) + lines("%d %d %d %d %d", numbers, *cells.T)).encode())
        f.write(b"$EndElements\n")


def write_inp(path, points, cells):
    with open(path, "w") as f:
        f.write("*NODE\n" + lines("%d, %.17g, %.17g, %.17g", np.arange(1, len(points) + 1), *points.T))
        f.write("*ELEMENT, TYPE=C3D4, ELSET=box\n" + lines("%d, %d, %d, %d, %d", np.arange(1, len(cells) + 1), *cells.T))


def write_vtu(path, points, cells, encoding):
    count = len(cells)
    arrays = [("Points", "Float64", 3, points), ("connectivity", "Int64", 1, cells - 1), ("offsets", "Int64", 1, np.arange(4, 4 * count + 1, 4)),
              ("types", "UInt8", 1, np.full(count, 10, "u1"))]
    blocks = [np.array([a.nbytes], "<u8").tobytes() + np.ascontiguousarray(a).tobytes() for _, _, _, a in arrays]
    if encoding == "base64":  # head and data are encoded apart when nothing is compressed: together, as VTK reads both
        blocks = [base64.b64encode(b) for b in blocks]
    offsets = np.cumsum([0] + [len(b) for b in blocks])
    element = [f'<DataArray type="{t}" Name="{n}" NumberOfComponents="{c}" format="appended" offset="{o}"/>' for (n, t, c, _), o in zip(arrays, offsets)]
    with open(path, "wb") as f:
        f.write(('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64"><UnstructuredGrid>'
                 f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{count}"><Points>{element[0]}</Points><Cells>{"".join(element[1:])}</Cells></Piece>'
                 f'</UnstructuredGrid><AppendedData encoding="{encoding}">_').encode())
        for block in blocks:
            f.write(block)
        f.write(b"</AppendedData></VTKFile>\n")


def write_exodus(path, points, cells):
    import netCDF4
    file = netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET")
    for name, size in [("num_dim", 3), ("num_nodes", len(points)), ("num_elem", len(cells)), ("num_el_blk", 1), ("num_el_in_blk1", len(cells)), ("num_nod_per_el1", 4)]:
        file.createDimension(name, size)
    file.api_version = file.version = np.float32(8.11)
    file.floating_point_word_size = np.int32(8)
    file.title = "box"
    for axis in range(3):
        file.createVariable("coord" + "xyz"[axis], "f8", ("num_nodes",))[:] = points[:, axis]
    file.createVariable("eb_prop1", "i4", ("num_el_blk",))[:] = [1]
    connect = file.createVariable("connect1", "i4", ("num_el_in_blk1", "num_nod_per_el1"))
    connect[:] = cells
    connect.elem_type = "TETRA4"
    file.close()


GMSH = "import gmsh, sys, time; gmsh.initialize(); gmsh.option.setNumber('General.Terminal', 0); t = time.perf_counter(); gmsh.open(sys.argv[1]); print(time.perf_counter() - t)"
MESHIO = "import meshio, sys, time; t = time.perf_counter(); meshio.read(sys.argv[1]); print(time.perf_counter() - t)"  # Gmsh 4.8 reads no .inp
VTK = """
import sys, time
from vtkmodules.{module} import {name}
r = {name}()
r.SetFileName(sys.argv[1])
t = time.perf_counter()
r.Update()
print(time.perf_counter() - t)
"""
VTU, EXODUS = VTK.format(module="vtkIOXML", name="vtkXMLUnstructuredGridReader"), VTK.format(module="vtkIOExodus", name="vtkExodusIIReader")

FILES = [("MSH 4.1 binary", "41b.msh", lambda p, *m: write_msh4(p, *m, True), "Gmsh", GMSH),
         ("MSH 4.1 text", "41a.msh", lambda p, *m: write_msh4(p, *m, False), "Gmsh", GMSH),
         ("MSH 2.2 binary", "22b.msh", lambda p, *m: write_msh2(p, *m, True), "Gmsh", GMSH),
         ("MSH 2.2 text", "22a.msh", lambda p, *m: write_msh2(p, *m, False), "Gmsh", GMSH),
         ("Abaqus `.inp`", "a.inp", write_inp, "meshio", MESHIO),
         ("VTU, raw appended", "raw.vtu", lambda p, *m: write_vtu(p, *m, "raw"), "VTK", VTU),
         ("VTU, base64", "base64.vtu", lambda p, *m: write_vtu(p, *m, "base64"), "VTK", VTU),
         ("Exodus II, netCDF 64-bit offset", "a.exo", write_exodus, "VTK", EXODUS)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=94)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    points, cells = make_mesh(arguments.size)
    print(f"{len(points)} nodes, {len(cells)} tetrahedra, {os.cpu_count()} cores, {platform.machine()}; load at the start {os.getloadavg()[0]:.1f}\n")
    print("| format | file, MB | Ritz, s | MB/s | other library | s | other / Ritz |\n|---|---|---|---|---|---|---|", flush=True)
    for name, file, write, other, script in FILES:
        path = os.path.join(arguments.folder, f"ritz-read-{os.getpid()}-{file}")
        try:
            write(path, points, cells)
            ours, theirs = [], []
            for _ in range(arguments.turns):
                said = subprocess.run([f"{arguments.bin}/ritz", "mesh", "info", "--json", path], capture_output=True, text=True, check=True)
                facts = json.loads(said.stdout)
                if facts["cells"] != len(cells) or facts["nodes"] != len(points):
                    sys.exit(f"error: {name}: Ritz read {facts['cells']} cells and {facts['nodes']} nodes")
                ours.append(facts["read_seconds"])
                theirs.append(float(subprocess.run(["/usr/bin/python3", "-c", script, path], capture_output=True, text=True, check=True).stdout.split()[-1]))
            size = os.path.getsize(path) / 1e6
            print(f"| {name} | {size:.0f} | {min(ours):.2f} | {size / min(ours):.0f} | {other} | {min(theirs):.2f} | {min(theirs) / min(ours):.1f} |", flush=True)
        finally:
            if os.path.exists(path):
                os.remove(path)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}, {time.strftime('%d %B %Y')}")


if __name__ == "__main__":
    main()
