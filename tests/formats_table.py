#!/usr/bin/python3
"""Which cells of which formats are read, each checked against another program's reader: the table of docs/formats.md.

    tests/formats_table.py [--bin build/bin] [--check | --update]      (Debian: python3-vtk9 python3-meshio python3-gmsh)

One curved cell without symmetry of every kind goes through each format: a file that another program wrote is converted to VTU by
`ritz mesh convert`; its nodes must then stand, one by one, where another reader finds those of the same file. With --check the table has
to be the one in docs/formats.md (exit code 1 otherwise, 77 where a module is missing).
"""
import argparse
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "data" / "foreign"))
try:
    import gmsh
    import meshio
    import numpy as np
    import vtk
    import make
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

VTK = dict(make.EXODUS)
VTK["hex20"] = (make.HEX, make.BOTTOM4 + make.TOP4 + make.UP4)
VTK["hex27"] = (make.HEX, make.BOTTOM4 + make.TOP4 + make.UP4 + [make.X0, make.X1, make.Y0, make.Y1, make.Z0, make.Z1, make.ALL])
VTK["prism15"] = (make.WEDGE, make.BOTTOM3 + make.TOP3 + make.UP3)
VTK["prism18"] = (make.WEDGE, make.BOTTOM3 + make.TOP3 + make.UP3 + [(1, 2, 5, 4), (2, 3, 6, 5), (1, 4, 6, 3)])
VTK_TYPES = {"tri3": 5, "tri6": 22, "quad4": 9, "quad8": 23, "quad9": 28, "tet4": 10, "tet10": 24, "hex8": 12, "hex20": 25, "hex27": 29, "prism6": 13,
             "prism15": 26, "prism18": 32, "pyramid5": 14, "pyramid13": 27}
MESHIO_TYPES = {"tri3": "triangle", "tri6": "triangle6", "quad4": "quad", "quad8": "quad8", "quad9": "quad9", "tet4": "tetra", "tet10": "tetra10",
                "hex8": "hexahedron", "hex20": "hexahedron20", "hex27": "hexahedron27", "prism6": "wedge", "prism15": "wedge15", "prism18": "wedge18",
                "pyramid5": "pyramid", "pyramid13": "pyramid13", "pyramid14": "pyramid14"}
GMSH_TYPES = {"tri3": 2, "quad4": 3, "tet4": 4, "hex8": 5, "prism6": 6, "pyramid5": 7, "tri6": 9, "quad9": 10, "tet10": 11, "hex27": 12, "prism18": 13,
              "pyramid14": 14, "quad8": 16, "hex20": 17, "prism15": 18, "pyramid13": 19}


def flat(kind):
    return kind.startswith(("tri", "quad"))


def nodes_of(kind):
    """[node][3] in VTK's order."""
    corners, middles = VTK[kind]
    own = [np.array(x, float) for x in corners] + [np.mean([np.array(corners[i - 1], float) for i in m], axis=0) for m in middles]
    return np.array([make.bent_in_plane(x) if flat(kind) else make.bent(x) for x in own])


def cells_in(grid):
    """[(VTK's type, points)] of an unstructured grid or what holds several."""
    if grid.IsA("vtkCompositeDataSet"):
        found, iterator = [], grid.NewIterator()
        while not iterator.IsDoneWithTraversal():
            found += cells_in(iterator.GetCurrentDataObject())
            iterator.GoToNextItem()
        return found
    cells = (grid.GetCell(i) for i in range(grid.GetNumberOfCells()))
    return [(c.GetCellType(), np.array([c.GetPoints().GetPoint(i) for i in range(c.GetNumberOfPoints())])) for c in cells]


def read_vtk(reader, path):
    reader.SetFileName(path)
    reader.Update()
    return cells_in(reader.GetOutput())


class Table:
    def __init__(self, ritz, folder):
        self.ritz, self.folder, self.wrong = ritz, folder, []

    def path(self, name):
        return str(self.folder / name)

    def by_ritz(self, path):
        """The cells of the file as Ritz sees them; none when it refuses the file."""
        out = self.path("out.vtu")
        said = subprocess.run([self.ritz, "mesh", "convert", "--force", path, out], capture_output=True, text=True)
        if said.returncode == 3:
            return []
        if said.returncode != 0:
            raise RuntimeError(said.stderr)
        return read_vtk(vtk.vtkXMLUnstructuredGridReader(), out)

    def same(self, what, kind, ours, theirs):
        """Is there one cell like this in both, node by node?"""
        count = 13 if kind == "pyramid14" else len(nodes_of(kind))  # VTU has no 14th node
        near = lambda a, b: len(a) >= count and len(b) >= count and np.abs(a[:count] - b[:count]).max() < 1e-6  # MEDIT by meshio: 7 digits
        if ours and any(near(a, b) for _, a in ours for _, b in theirs):
            return True
        if ours:
            self.wrong.append(f"{what}, {kind}")
        return False

    # Each returns the letter of the other reader, or "" where the cell is not read.
    def vtk_file(self, kind, extension, writer, reader):
        if kind not in VTK_TYPES:
            return ""
        points, grid, cell = vtk.vtkPoints(), vtk.vtkUnstructuredGrid(), vtk.vtkIdList()
        points.SetDataTypeToDouble()
        for i, x in enumerate(nodes_of(kind)):
            points.InsertNextPoint(x)
            cell.InsertNextId(i)
        grid.SetPoints(points)
        grid.InsertNextCell(VTK_TYPES[kind], cell)
        path = self.path("cell" + extension)
        writer.SetFileName(path)
        writer.SetInputData(grid)
        writer.Write()
        return "V" if self.same(extension, kind, self.by_ritz(path), read_vtk(reader, path)) else ""

    def gmsh_file(self, kind, version, binary, extension=".msh"):
        gmsh.clear()
        gmsh.option.setNumber("Mesh.MshFileVersion", version)
        gmsh.option.setNumber("Mesh.Binary", binary)
        gmsh.option.setNumber("Mesh.SaveAll", 1)
        dimension, kind_type = (2 if flat(kind) else 3), GMSH_TYPES[kind]
        # Gmsh's own local coordinates of the nodes say in which order it wants them.
        _, _, _, count, local, _ = gmsh.model.mesh.getElementProperties(kind_type)
        local = np.array(local).reshape(count, -1)
        local = np.hstack([local, np.zeros((count, 3 - local.shape[1]))])
        x = np.array([make.bent_in_plane(p) if dimension == 2 else make.bent(p) for p in local])
        gmsh.model.addDiscreteEntity(dimension, 1)
        gmsh.model.mesh.addNodes(dimension, 1, range(1, count + 1), x.ravel())
        gmsh.model.mesh.addElementsByType(1, kind_type, [1], range(1, count + 1))
        path = self.path("cell" + extension)
        gmsh.write(path)
        gmsh.clear()
        gmsh.open(path)
        if kind_type not in gmsh.model.mesh.getElementTypes():  # the format has no such cell
            return ""
        # Gmsh evaluates the cell that it reads at the places where the nodes of VTK's order are.
        corners, middles = VTK[kind]
        own = [np.array(c, float) for c in corners] + [np.mean([np.array(corners[i - 1], float) for i in m], axis=0) for m in middles]
        _, _, seen = gmsh.model.mesh.getJacobians(kind_type, np.array(own).ravel())
        return "G" if self.same(f"{extension} {version}", kind, self.by_ritz(path), [(0, np.array(seen).reshape(-1, 3))]) else ""

    def meshio_file(self, kind, extension, file_format):
        path = self.path("cell" + extension)
        nodes = nodes_of(kind)
        try:
            mesh = meshio.Mesh(nodes[:, :2] if flat(kind) and extension == ".mesh" else nodes, [(MESHIO_TYPES[kind], np.arange(len(nodes)).reshape(1, -1))])
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):  # what it leaves out shows
                meshio.write(path, mesh, file_format=file_format)
                seen = meshio.read(path, file_format=file_format)
        except (Exception, SystemExit):  # meshio knows no such cell in this format
            return ""
        theirs = []
        for block in seen.cells:
            points = seen.points[block.data[0]]
            theirs.append((0, np.hstack([points, np.zeros((len(points), 3 - points.shape[1]))])))
        return "M" if self.same(extension, kind, self.by_ritz(path), theirs) else ""

    def mfem_file(self, kind):
        """Order 1, in MFEM's numbering of corners (its doc/CodeDocumentation and fem/geom.cpp), which is VTK's."""
        types = {"tri3": 2, "quad4": 3, "tet4": 4, "hex8": 5, "prism6": 6, "pyramid5": 7}
        if kind not in types:
            return ""
        nodes, dimension = nodes_of(kind), 2 if flat(kind) else 3
        path = pathlib.Path(self.path("cell.mesh"))
        path.write_text(f"MFEM mesh v1.0\n\ndimension\n{dimension}\n\nelements\n1\n1 {types[kind]} {' '.join(map(str, range(len(nodes))))}\n\nboundary\n0\n\n"
                        f"vertices\n{len(nodes)}\n{dimension}\n" + "".join(" ".join(repr(float(v)) for v in x[:dimension]) + "\n" for x in nodes))
        return "T" if self.same("MFEM", kind, self.by_ritz(str(path)), [(0, nodes)]) else ""

    def committed_file(self, name, reader):
        """Kinds of one of the files of tests/data/foreign that both find."""
        path = str(ROOT / "tests" / "data" / "foreign" / name)
        ours = self.by_ritz(path)
        theirs = read_vtk(reader, path) if reader else []
        letters = {}
        for kind in make.KINDS:
            expected = nodes_of(kind) + np.array([10 * make.KINDS.index(kind), 0, 0])
            count = min(len(expected), 13 if kind == "pyramid14" else 99)
            find = lambda cells, near: any(len(x) >= count and np.abs(x[:count] - expected[:count]).max() < near for _, x in cells)
            if find(ours, 1e-9):
                letters[kind] = "V" if find(theirs, 1e-4) else "T"  # VTK's Exodus reader keeps single precision
        return letters


def rows(table):
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    per_kind = lambda check: {kind: check(kind) for kind in make.KINDS}
    yield "MSH 2.2 text", per_kind(lambda k: table.gmsh_file(k, 2.2, 0))
    yield "MSH 2.2 binary", per_kind(lambda k: table.gmsh_file(k, 2.2, 1))
    yield "MSH 4.1 text", per_kind(lambda k: table.gmsh_file(k, 4.1, 0))
    yield "MSH 4.1 binary", per_kind(lambda k: table.gmsh_file(k, 4.1, 1))
    yield "I-DEAS universal", per_kind(lambda k: table.gmsh_file(k, 2411, 0, ".unv"))
    gmsh.finalize()
    yield "VTU", per_kind(lambda k: table.vtk_file(k, ".vtu", vtk.vtkXMLUnstructuredGridWriter(), vtk.vtkXMLUnstructuredGridReader()))
    yield "legacy VTK", per_kind(lambda k: table.vtk_file(k, ".vtk", vtk.vtkUnstructuredGridWriter(), vtk.vtkUnstructuredGridReader()))
    yield "Abaqus `.inp`", per_kind(lambda k: table.meshio_file(k, ".inp", "abaqus"))
    yield "Nastran", per_kind(lambda k: table.meshio_file(k, ".bdf", "nastran"))
    yield "MEDIT text", per_kind(lambda k: table.meshio_file(k, ".mesh", "medit"))
    yield "MEDIT binary", per_kind(lambda k: table.meshio_file(k, ".meshb", "medit"))
    for name, files, make_reader in [("Exodus II", ("cells3.exo", "cells2.exo"), vtk.vtkExodusIIReader), ("CGNS", ("cells3.cgns", "cells2.cgns"), vtk.vtkCGNSReader),
                                     ("MED", ("cells3.med", "cells2.med"), None)]:
        letters = {}
        for file in files:
            letters.update(table.committed_file(file, make_reader() if make_reader else None))
        yield name, letters


# By tests of our own alone: against the manuals (T), and against MFEM's VTK files of the same meshes (F).
TESTED = {"Abaqus `.inp`": "tet4 tet10 hex8 hex20 prism6 prism15 pyramid5 pyramid13 tri3 tri6 quad4 quad8 quad9",
          "Nastran": "tet4 tet10 hex8 hex20 prism6 prism15 pyramid5 pyramid13 tri3 tri6 quad4 quad8",
          "I-DEAS universal": "tet4 tet10 hex8 hex20 prism6 prism15 pyramid5 pyramid13 tri3 tri6 quad4 quad8",
          "MEDIT text": "tet4 tet10 hex8 prism6 pyramid5 tri3 tri6 quad4", "MEDIT binary": "tet4 tet10 hex8 prism6 pyramid5 tri3 tri6 quad4"}
# MFEM's meshes of order 2 in tests/data/mfem, with the VTK files that MFEM has for them (tests/io/meshes/other_readers_test.cpp).
MFEM = "tet10 hex27 prism18 tri6 quad9"


def markdown(table):
    lines = ["| | " + " | ".join(make.KINDS) + " |", "|---" * (1 + len(make.KINDS)) + "|"]
    for name, letters in rows(table):
        for kind in TESTED.get(name, "").split():
            letters[kind] = letters.get(kind) or "T"
        lines.append(f"| {name} | " + " | ".join(letters.get(kind) or "·" for kind in make.KINDS) + " |")
    lines.append("| MFEM | " + " | ".join("F" if kind in MFEM.split() else table.mfem_file(kind) or "·" for kind in make.KINDS) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("RITZ_BIN", str(ROOT / "build" / "bin")))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ritz-formats-") as folder:
        table = Table(os.path.join(arguments.bin, "ritz"), pathlib.Path(folder))
        text = markdown(table)
    for wrong in table.wrong:
        print(f"differs: {wrong}", file=sys.stderr)
    page = ROOT / "docs" / "formats.md"
    before, rest = page.read_text(encoding="utf-8").split("<!-- table of kinds -->\n")
    _, after = rest.split("<!-- end of table -->\n")
    if arguments.update:
        page.write_text(f"{before}<!-- table of kinds -->\n{text}<!-- end of table -->\n{after}", encoding="utf-8")
    elif arguments.check and text not in rest:
        print("the table in docs/formats.md is not true; run tests/formats_table.py --update and look at it:\n" + text)
        sys.exit(1)
    else:
        print(text)


if __name__ == "__main__":
    main()
