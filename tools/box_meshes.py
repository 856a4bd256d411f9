"""Boxes, rectangles, plates and lattices of structured cells in Gmsh's MSH 2.2, for tools and tests: regions all, x0 and x1."""

HEX, TET, PRISM, PYRAMID, PLATE, LATTICE = "hex", "tet", "prism", "pyramid", "plate", "lattice"
TRIANGLES, QUADS, MIXED = "tri", "quad", "mixed"  # in the plane; mixed: in blocks of four by four
KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]

BASES = [(0, 1, 2, 3), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0), (4, 7, 6, 5)]


def write_structure(path, cells, counts):
    """A plate of quadrilaterals, or beams along all edges of a box of cubes; all, and the nodes x0 and x1."""
    nx, ny, nz = counts
    number = lambda i, j, k: 1 + i + (nx + 1) * (j + (ny + 1) * k)
    corners = [(i, j, k) for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
    lines = []
    if cells == PLATE:
        lines = [f"3 2 1 1 {number(i, j, 0)} {number(i + 1, j, 0)} {number(i + 1, j + 1, 0)} {number(i, j + 1, 0)}" for j in range(ny) for i in range(nx)]
    else:
        for i, j, k in corners:
            for a, b, c in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
                if i + a <= nx and j + b <= ny and k + c <= nz:
                    lines.append(f"1 2 1 1 {number(i, j, k)} {number(i + a, j + b, k + c)}")
    lines += [f"15 2 {tag} {tag} {number(at, j, k)}" for tag, at in ((2, 0), (3, nx)) for k in range(nz + 1) for j in range(ny + 1)]
    with open(path, "w") as out:
        out.write(f'$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n{2 if cells == PLATE else 1} 1 "all"\n0 2 "x0"\n0 3 "x1"\n$EndPhysicalNames\n')
        out.write(f"$Nodes\n{len(corners)}\n" + "".join(f"{number(*c)} {c[0]} {c[1]} {c[2]}\n" for c in corners) + "$EndNodes\n")
        out.write(f"$Elements\n{len(lines)}\n" + "".join(f"{n} {line}\n" for n, line in enumerate(lines, 1)) + "$EndElements\n")


def write_box(path, cells, counts):
    nx, ny, nz = counts
    number = lambda i, j, k: 1 + i + (nx + 1) * (j + (ny + 1) * k)
    apex = lambda i, j, k: 1 + (nx + 1) * (ny + 1) * (nz + 1) + i + nx * (j + ny * k)
    with open(path, "w") as out:
        out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n3 1 "all"\n2 2 "x0"\n2 3 "x1"\n$EndPhysicalNames\n')
        out.write(f"$Nodes\n{(nx + 1) * (ny + 1) * (nz + 1) + (nx * ny * nz if cells == PYRAMID else 0)}\n")
        for k in range(nz + 1):
            for j in range(ny + 1):
                out.writelines(f"{number(i, j, k)} {i / ny} {j / ny} {k / ny}\n" for i in range(nx + 1))
        for k in range(nz if cells == PYRAMID else 0):
            for j in range(ny):
                out.writelines(f"{apex(i, j, k)} {(i + 0.5) / ny} {(j + 0.5) / ny} {(k + 0.5) / ny}\n" for i in range(nx))
        out.write("$EndNodes\n$Elements\n")
        lines = []
        for k in range(nz):
            for j in range(ny):
                for i in range(nx):
                    c = [number(i + a, j + b, k + d) for d in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
                    if cells == HEX:
                        lines.append("5 2 1 1 " + " ".join(map(str, c)))
                    elif cells == PYRAMID:
                        lines.extend("7 2 1 1 " + " ".join(str(c[a]) for a in base) + f" {apex(i, j, k)}" for base in BASES)
                    elif cells == PRISM:
                        lines.extend("6 2 1 1 " + " ".join(str(c[a]) for a in prism) for prism in ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)))
                    else:
                        lines.extend("4 2 1 1 " + " ".join(str(c[a]) for a in tet) for tet in KUHN)
        for side, i in ((2, 0), (3, nx)):
            for k in range(nz):
                for j in range(ny):
                    q = [number(i, j, k), number(i, j + 1, k), number(i, j + 1, k + 1), number(i, j, k + 1)]
                    if cells != TET:
                        lines.append(f"3 2 {side} {side} " + " ".join(map(str, q)))
                    else:
                        lines.extend(f"2 2 {side} {side} " + " ".join(str(q[a]) for a in tri) for tri in ((0, 1, 2), (0, 2, 3)))
        out.write(f"{len(lines)}\n")
        out.writelines(f"{n} {line}\n" for n, line in enumerate(lines, 1))
        out.write("$EndElements\n")


def write_rectangle(path, cells, counts):
    nx, ny, _ = counts
    number = lambda i, j: 1 + i + (nx + 1) * j
    lines = []
    for j in range(ny):
        for i in range(nx):
            c = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)]
            if cells == TRIANGLES or cells == MIXED and (i // 4 + j // 4) % 2:
                lines += [f"2 2 1 1 {c[0]} {c[1]} {c[2]}", f"2 2 1 1 {c[0]} {c[2]} {c[3]}"]
            else:
                lines.append("3 2 1 1 " + " ".join(map(str, c)))
    lines += [f"1 2 {side} {side} {number(i, j)} {number(i, j + 1)}" for side, i in ((2, 0), (3, nx)) for j in range(ny)]
    with open(path, "w") as out:
        out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 "all"\n1 2 "x0"\n1 3 "x1"\n$EndPhysicalNames\n')
        out.write(f"$Nodes\n{(nx + 1) * (ny + 1)}\n" + "".join(f"{number(i, j)} {i / ny} {j / ny} 0\n" for j in range(ny + 1) for i in range(nx + 1)) + "$EndNodes\n")
        out.write(f"$Elements\n{len(lines)}\n" + "".join(f"{n} {line}\n" for n, line in enumerate(lines, 1)) + "$EndElements\n")


def write_mesh(path, cells, counts):
    if cells in (HEX, TET, PRISM, PYRAMID):
        write_box(path, cells, counts)
    else:
        (write_rectangle if cells in (TRIANGLES, QUADS, MIXED) else write_structure)(path, cells, counts)
