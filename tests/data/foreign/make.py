#!/usr/bin/env python3
"""Writes the Exodus II, MED and CGNS files of this folder with netCDF4 and with libmed and libcgns themselves.

    /usr/bin/python3 make.py [FOLDER]      (Debian: python3-netcdf4 libmedc11 libcgns3.4)

cells3.*, cells2.*: one curved cell without symmetry of every kind, in the node order of the format's own manual: the mid
nodes are given by the corners (from 1) in whose middle they lie. Cell number i, in the order of KINDS, is moved by 10 i along
x. bar.*: two hexahedra with regions of every sort. tests/io/foreign_test.cpp knows where the nodes are.
"""
import ctypes
import os
import sys

import numpy as np

HEX = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
WEDGE = [(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
PYRAMID = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1)]
TRI = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
QUAD = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]

BOTTOM4, TOP4, UP4 = [(1, 2), (2, 3), (3, 4), (4, 1)], [(5, 6), (6, 7), (7, 8), (8, 5)], [(1, 5), (2, 6), (3, 7), (4, 8)]
BOTTOM3, TOP3, UP3 = [(1, 2), (2, 3), (3, 1)], [(4, 5), (5, 6), (6, 4)], [(1, 4), (2, 5), (3, 6)]
TET10 = [(1, 2), (2, 3), (3, 1), (1, 4), (2, 4), (3, 4)]
PYRAMID13 = BOTTOM4 + [(1, 5), (2, 5), (3, 5), (4, 5)]
X0, X1, Y0, Y1, Z0, Z1, ALL = (1, 5, 8, 4), (2, 3, 7, 6), (1, 2, 6, 5), (3, 4, 8, 7), (1, 2, 3, 4), (5, 6, 7, 8), tuple(range(1, 9))
QUAD4 = [(1, 2), (2, 3), (3, 4), (4, 1)]

# Exodus II and CGNS: corners as in the pictures of VTK, upright edges before those of the top.
EXODUS = {
    "tet4": (TET, []), "tet10": (TET, TET10),
    "hex8": (HEX, []), "hex20": (HEX, BOTTOM4 + UP4 + TOP4), "hex27": (HEX, BOTTOM4 + UP4 + TOP4 + [ALL, Z0, Z1, X0, X1, Y0, Y1]),
    "prism6": (WEDGE, []), "prism15": (WEDGE, BOTTOM3 + UP3 + TOP3),
    "prism18": (WEDGE, BOTTOM3 + UP3 + TOP3 + [(1, 2, 5, 4), (2, 3, 6, 5), (1, 4, 6, 3)]),
    "pyramid5": (PYRAMID, []), "pyramid13": (PYRAMID, PYRAMID13), "pyramid14": (PYRAMID, PYRAMID13 + [(1, 2, 3, 4)]),
    "tri3": (TRI, []), "tri6": (TRI, [(1, 2), (2, 3), (3, 1)]),
    "quad4": (QUAD, []), "quad8": (QUAD, QUAD4), "quad9": (QUAD, QUAD4 + [(1, 2, 3, 4)])}
CGNS = dict(EXODUS, hex27=(HEX, BOTTOM4 + UP4 + TOP4 + [Z0, Y0, X1, Y1, X0, Z1, ALL]))


def mirrored(corners, order):
    return [corners[i] for i in order]


# MED: solids have the other handedness (MED's reference elements); edges go around the bottom, around the top, then up.
MED_TET, MED_PYRAMID = mirrored(TET, (0, 2, 1, 3)), mirrored(PYRAMID, (0, 3, 2, 1, 4))
MED_HEX, MED_WEDGE = mirrored(HEX, (0, 3, 2, 1, 4, 7, 6, 5)), mirrored(WEDGE, (0, 2, 1, 3, 5, 4))
MED = {
    "tet4": (MED_TET, []), "tet10": (MED_TET, TET10),
    "hex8": (MED_HEX, []), "hex20": (MED_HEX, BOTTOM4 + TOP4 + UP4),
    "hex27": (MED_HEX, BOTTOM4 + TOP4 + UP4 + [(1, 2, 3, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8), (5, 6, 7, 8), ALL]),
    "prism6": (MED_WEDGE, []), "prism15": (MED_WEDGE, BOTTOM3 + TOP3 + UP3),
    "prism18": (MED_WEDGE, BOTTOM3 + TOP3 + UP3 + [(1, 2, 5, 4), (2, 3, 6, 5), (3, 1, 4, 6)]),
    "pyramid5": (MED_PYRAMID, []), "pyramid13": (MED_PYRAMID, PYRAMID13),
    "tri3": (TRI, []), "tri6": (TRI, [(1, 2), (2, 3), (3, 1)]),
    "quad4": (QUAD, []), "quad8": (QUAD, QUAD4), "quad9": (QUAD, QUAD4 + [(1, 2, 3, 4)])}
KINDS = list(EXODUS)


def bent(x):
    a, b, c = x
    return [2 * a + 0.11 * b * b + 0.05 * a * c + 0.3 * b, 3 * b + 0.07 * c * c - 0.09 * a * b + 0.2 * c, 1.5 * c + 0.05 * a * a + 0.08 * b * c]


def bent_in_plane(x):
    a, b, _ = x
    return [2 * a + 0.11 * b * b + 0.3 * b, 3 * b - 0.09 * a * b + 0.06 * a * a, 0]


def cells(format, dimension):
    """Points [node][3] and the list of (kind, node numbers from 1)."""
    points, cells = [], []
    for kind, (corners, middles) in format.items():
        flat = kind.startswith(("tri", "quad"))
        if flat != (dimension == 2):
            continue
        own = [np.array(x, float) for x in corners] + [np.mean([np.array(corners[i - 1], float) for i in m], axis=0) for m in middles]
        cells.append((kind, list(range(len(points) + 1, len(points) + 1 + len(own)))))
        for x in own:
            y = bent_in_plane(x) if flat else bent(x)
            points.append([y[0] + 10 * KINDS.index(kind), y[1], y[2]])
    return np.array(points), cells


BAR = np.array([[x, y, z] for x in range(3) for y in range(2) for z in range(2)], float)  # node 1 + 4 x + 2 y + z


def hexahedron(x):
    return [1 + 4 * (x + a) + 2 * b + c for a, b, c in [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]]


# --- Exodus II ------------------------------------------------------------------------------------------------------------

EXODUS_TYPES = {"tet4": "TETRA4", "tet10": "TETRA10", "hex8": "HEX8", "hex20": "HEX20", "hex27": "HEX27", "prism6": "WEDGE6", "prism15": "WEDGE15",
                "prism18": "WEDGE18", "pyramid5": "PYRAMID5", "pyramid13": "PYRAMID13", "pyramid14": "PYRAMID14", "tri3": "TRI3", "tri6": "TRI6",
                "quad4": "QUAD4", "quad8": "QUAD8", "quad9": "QUAD9"}


def exodus(path, form, points, dimension, blocks, side_sets=(), node_sets=(), element_sets=()):
    """blocks: (name, type, [cell][node]); sets: (name, id, ...)."""
    import netCDF4  # here, for those who only want the tables of this file
    file = netCDF4.Dataset(path, "w", format=form)
    file.api_version = file.version = np.float32(8.11)
    file.floating_point_word_size = np.int32(8)
    file.file_size = np.int32(1)
    file.title = "made by make.py"
    for name, size in [("len_string", 33), ("len_name", 33), ("len_line", 81), ("four", 4), ("num_dim", dimension), ("num_nodes", len(points)),
                       ("num_elem", sum(len(b[2]) for b in blocks)), ("num_el_blk", len(blocks))]:
        file.createDimension(name, size)
    file.createDimension("time_step", None)
    file.createVariable("time_whole", "f8", ("time_step",))
    for axis in range(dimension):
        file.createVariable("coord" + "xyz"[axis], "f8", ("num_nodes",))[:] = points[:, axis]

    def names(variable, dimension, texts):
        array = np.zeros((len(texts), 33), "S1")
        for i, text in enumerate(texts):
            array[i, :len(text)] = list(text)
        file.createVariable(variable, "S1", (dimension, "len_name"))[:] = array

    def ids(variable, dimension, numbers):
        made = file.createVariable(variable, "i4", (dimension,))
        made[:] = numbers
        made.setncattr("name", "ID")

    ids("eb_prop1", "num_el_blk", range(10, 10 + len(blocks)))
    names("eb_names", "num_el_blk", [b[0] for b in blocks])
    for i, (_, type, connect) in enumerate(blocks, 1):
        file.createDimension(f"num_el_in_blk{i}", len(connect))
        file.createDimension(f"num_nod_per_el{i}", len(connect[0]))
        variable = file.createVariable(f"connect{i}", "i4", (f"num_el_in_blk{i}", f"num_nod_per_el{i}"))
        variable[:] = connect
        variable.elem_type = type
    for letters, dimension_name, sets in [("ss", "num_side_sets", side_sets), ("ns", "num_node_sets", node_sets), ("els", "num_elem_sets", element_sets)]:
        if not sets:
            continue
        file.createDimension(dimension_name, len(sets))
        ids(letters + "_prop1", dimension_name, [s[1] for s in sets])
        names(letters + "_names", dimension_name, [s[0] for s in sets])
        for i, one in enumerate(sets, 1):
            lists = {"ss": ("elem_ss", "side_ss"), "ns": ("node_ns",), "els": ("elem_els",)}[letters]
            size = {"ss": "num_side_ss", "ns": "num_nod_ns", "els": "num_ele_els"}[letters] + str(i)
            file.createDimension(size, len(one[2]))
            for variable, values in zip(lists, one[2:]):
                file.createVariable(f"{variable}{i}", "i4", (size,))[:] = values
    file.close()


SIDE_COUNTS = {"tet": 4, "hex": 6, "prism": 5, "pyramid": 5, "tri": 3, "quad": 4}


def write_exodus(folder):
    for dimension, forms in [(3, {"cells3.exo": "NETCDF3_64BIT_OFFSET", "cells3_netcdf4.exo": "NETCDF4"}), (2, {"cells2.exo": "NETCDF3_64BIT_DATA"})]:
        points, all_cells = cells(EXODUS, dimension)
        blocks = [(kind, EXODUS_TYPES[kind], [nodes]) for kind, nodes in all_cells]
        sides = [(f"{kind}_{side}", 100 * e + side, [e], [side]) for e, (kind, _) in enumerate(all_cells, 1)
                 for side in range(1, 1 + SIDE_COUNTS[kind.rstrip("0123456789")])]
        for name, form in forms.items():
            exodus(os.path.join(folder, name), form, points, dimension, blocks, side_sets=sides)
    blocks = [("left", "HEX", [hexahedron(0)]), ("", "hex8", [hexahedron(1)]), ("mass", "SPHERE", [[12]]), ("skin", "SHELL4", [[1, 2, 4, 3]])]
    exodus(os.path.join(folder, "bar.exo"), "NETCDF3_CLASSIC", BAR, 3, blocks,
           side_sets=[("clamp", 1, [1], [4]), ("", 7, [2], [2]), ("both faces", 8, [4, 4], [1, 2])],
           node_sets=[("tip", 1, [9, 10, 11, 12]), ("", 5, [1])], element_sets=[("whole", 3, [1, 2])])


# --- MED ------------------------------------------------------------------------------------------------------------------

MED_TYPES = {"tet4": 304, "tet10": 310, "hex8": 308, "hex20": 320, "hex27": 327, "prism6": 306, "prism15": 315, "prism18": 318, "pyramid5": 305,
             "pyramid13": 313, "tri3": 203, "tri6": 206, "quad4": 204, "quad8": 208, "quad9": 209}


def med(path, points, dimension, cells, families, node_families=None, axis_type=0, unit="x"):
    """cells: {kind: ([cell][node], [cell] family)}; families: {number: [group]}; axis_type: 0 Cartesian, 1 cylindrical, 2 spherical."""
    library = ctypes.CDLL("libmedC.so.11")
    library.MEDfileOpen.restype = ctypes.c_longlong
    text, c_int, c_double = (lambda s: s.encode()), ctypes.c_int, ctypes.c_double
    file, name = ctypes.c_longlong(library.MEDfileOpen(text(path), 3)), b"part"

    def call(function, *arguments):
        if getattr(library, function)(file, *arguments) < 0:
            raise RuntimeError(function)

    def integers(values):
        flat = [int(v) for v in np.array(values).ravel()]
        return (c_int * len(flat))(*flat)

    axes = "".join(a.ljust(16) for a in "xyz"[:dimension]).encode()
    units = axes if unit == "x" else (unit.ljust(16) * dimension).encode()
    call("MEDmeshCr", name, dimension, dimension, 0, b"", b"", 0, axis_type, axes, units)
    coordinates = points[:, :dimension].ravel()
    call("MEDmeshNodeCoordinateWr", name, -1, -1, c_double(-1), 0, len(points), (c_double * coordinates.size)(*coordinates))
    for kind, (connect, family) in cells.items():
        call("MEDmeshElementConnectivityWr", name, -1, -1, c_double(-1), 0, MED_TYPES[kind], 0, 0, len(connect), integers(connect))
        call("MEDmeshEntityFamilyNumberWr", name, -1, -1, 0, MED_TYPES[kind], len(family), integers(family))
    if node_families is not None:
        call("MEDmeshEntityFamilyNumberWr", name, -1, -1, 3, 0, len(node_families), integers(node_families))
    for number, groups in {0: [], **families}.items():
        padded = b"".join(g.encode().ljust(80, b"\0") for g in groups)
        call("MEDfamilyCr", name, b"FAMILLE_ZERO" if number == 0 else text(f"family_{number}"), number, len(groups), padded)
    library.MEDfileClose(file)


def write_med(folder):
    for dimension in (3, 2):
        points, all_cells = cells(MED, dimension)
        med(os.path.join(folder, f"cells{dimension}.med"), points, dimension, {kind: ([nodes], [-1 - i]) for i, (kind, nodes) in enumerate(all_cells)},
            {-1 - i: [kind] for i, (kind, _) in enumerate(all_cells)})
    order = (0, 3, 2, 1, 4, 7, 6, 5)
    left, right = [hexahedron(0)[i] for i in order], [hexahedron(1)[i] for i in order]
    med(os.path.join(folder, "bar.med"), BAR, 3, {"hex8": ([left, right], [-1, -2]), "quad4": ([[1, 2, 4, 3], [9, 10, 12, 11]], [-3, 0])},
        {-1: ["left", "whole"], -2: ["right side of the bar", "whole"], -3: ["clamp"], 1: ["tip"]}, [0] * 8 + [1] * 4)
    med(os.path.join(folder, "cylindrical.med"), BAR, 3, {"hex8": ([left], [0])}, {}, axis_type=1)
    med(os.path.join(folder, "millimetres.med"), BAR, 3, {"hex8": ([left, right], [0, 0])}, {}, unit="mm")


# --- CGNS -----------------------------------------------------------------------------------------------------------------

CGNS_TYPES = {"tet4": 10, "tet10": 11, "hex8": 17, "hex20": 18, "hex27": 19, "prism6": 14, "prism15": 15, "prism18": 16, "pyramid5": 12, "pyramid13": 21,
              "pyramid14": 13, "tri3": 5, "tri6": 6, "quad4": 7, "quad8": 8, "quad9": 9}


def cgns(path, dimension, zones, file_type=2, millimetres=False):
    """zones: (name, points, sections (name, type, count, flat list), conditions (name, point set type, location, list, family)); of a structured
    zone the points along each direction instead of sections."""
    library = ctypes.CDLL("libcgns.so.3.4")
    c_int = ctypes.c_int

    def call(function, *arguments):
        if getattr(library, function)(*arguments) != 0:
            library.cg_error_print()
            raise RuntimeError(function)

    def made(function, *arguments):
        number = c_int()
        call(function, *arguments, ctypes.byref(number))
        return number

    call("cg_set_file_type", file_type)
    file = made("cg_open", path.encode(), 1)
    base = made("cg_base_write", file, b"Base", dimension, dimension)
    if millimetres:
        call("cg_goto", file, base, b"end")
        call("cg_units_write", 2, 4, 2, 2, 2)  # kilogram, millimetre, second, kelvin, degree
    for name, points, sections, conditions in zones:
        structured = all(isinstance(s, int) for s in sections)
        if structured:
            size = [*sections, *[n - 1 for n in sections], *[0 for _ in sections]]
        else:
            size = [len(points), sum(s[2] for s in sections), 0]
        zone = made("cg_zone_write", file, base, name.encode(), (c_int * len(size))(*size), 2 if structured else 3)
        for axis in range(dimension):
            made("cg_coord_write", file, base, zone, 4, b"Coordinate" + b"XYZ"[axis:axis + 1], (ctypes.c_double * len(points))(*points[:, axis]))
        first = 1
        for section, type, size, numbers in [] if structured else sections:
            head, values = (file, base, zone, section.encode(), type, first, first + size - 1, 0), (c_int * len(numbers))(*numbers)
            if type == 20:  # mixed: one element here
                made("cg_poly_section_write", *head, values, (c_int * 2)(0, len(numbers)))
            else:
                made("cg_section_write", *head, values)
            first += size
        for condition, set_type, location, numbers, family in conditions:
            number = made("cg_boco_write", file, base, zone, condition.encode(), 20, set_type,
                          len(numbers) // len(sections) if structured else len(numbers), (c_int * len(numbers))(*numbers))
            call("cg_boco_gridlocation_write", file, base, zone, number, location)
            if family:
                call("cg_goto", file, base, b"Zone_t", zone, b"ZoneBC_t", 1, b"BC_t", number, b"end")
                call("cg_famname_write", family.encode())
    call("cg_close", file)


def write_cgns(folder):
    for dimension in (3, 2):
        points, all_cells = cells(CGNS, dimension)
        cgns(os.path.join(folder, f"cells{dimension}.cgns"), dimension, [("zone", points, [(k, CGNS_TYPES[k], 1, n) for k, n in all_cells], [])])
    vertex, face, point_list, point_range = 2, 4, 2, 4
    sections = [("left", 17, 1, hexahedron(0)), ("right", 20, 1, [17] + hexahedron(1)), ("clamp_faces", 7, 1, [1, 2, 4, 3]), ("monitor", 2, 1, [5])]
    conditions = [("clamp", point_range, face, [3, 3], None), ("tip", point_list, vertex, [9, 10, 11, 12], "ends")]
    cgns(os.path.join(folder, "bar.cgns"), 3, [("zone", BAR, sections, conditions)])
    cgns(os.path.join(folder, "two_zones.cgns"), 3, [
        ("near", BAR[:8], [("cells", 17, 1, hexahedron(0))], [("clamp", point_list, vertex, [1, 2, 3, 4], None)]),
        ("far", BAR[4:], [("cells", 17, 1, hexahedron(0))], [("tip", point_list, vertex, [5, 6, 7, 8], None)])])
    cgns(os.path.join(folder, "millimetres.cgns"), 3, [("zone", BAR, [("cells", 17, 2, hexahedron(0) + hexahedron(1))], [])], millimetres=True)
    grid = lambda xs, ys, zs: np.array([(x, y, z) for z in zs for y in ys for x in xs], float)
    i_face = 5
    cgns(os.path.join(folder, "structured.cgns"), 3, [
        ("block", grid([0, 1, 2, 3], [0, 1, 2], [0, 1]), [4, 3, 2], [
            ("clamp", point_range, vertex, [1, 1, 1, 1, 3, 2], "supports"), ("clamp by faces", point_range, face, [1, 1, 1, 1, 2, 1], None),
            ("i faces", point_range, i_face, [1, 1, 1, 1, 2, 1], None), ("one face", point_range, vertex, [2, 1, 1, 3, 2, 1], None),
            ("heated", point_range, vertex, [2, 1, 1, 3, 3, 2], None), ("edge", point_range, vertex, [1, 1, 1, 1, 3, 1], None)]),
        ("end", grid([4, 3], [0, 1, 2], [0, 1]), [2, 3, 2], [
            ("tip", point_list, vertex, [1, 1, 1, 1, 2, 1, 1, 3, 1, 1, 1, 2, 1, 2, 2, 1, 3, 2], None)])])
    turns = [2 * np.pi * (i % 12) / 12 for i in range(13)]
    ring = np.array([(r * np.cos(t), r * np.sin(t), 0) for r in (1, 1.5, 2) for t in turns])
    cgns(os.path.join(folder, "structured_ring.cgns"), 2, [("ring", ring, [13, 3], [("inside", point_range, vertex, [1, 1, 13, 1], None)])])


def write_external(folder):
    """bar.med with its coordinates in another file, and with a link to those of another file (Debian: python3-h5py)."""
    import h5py
    import shutil
    for name in ("external_storage", "external_link"):
        shutil.copyfile(os.path.join(folder, "bar.med"), os.path.join(folder, name + ".med"))
        with h5py.File(os.path.join(folder, name + ".med"), "r+") as file:
            place = f"/ENS_MAA/part/{'-0000000000000000001' * 2}/NOE/COO"
            values = file[place][:]
            del file[place]
            if name == "external_link":
                file[place] = h5py.ExternalLink("bar.med", place)
            else:
                values.tofile(os.path.join(folder, name + ".raw"))
                file.create_dataset(place, values.shape, "<f8", external=[(name + ".raw", 0, values.nbytes)])


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    write_exodus(folder)
    write_med(folder)
    write_cgns(folder)
    write_external(folder)
