"""Pictures of results with NumPy alone: the surface of a VTU file of Ritz, coloured by a field, as PNG. No display, no VTK.

    python3 -m ritz picture results/bracket/bracket/bracket_000000.vtu bracket.png --field von_mises --warp displacement
"""
import argparse
import base64
import pathlib
import re
import struct
import sys
import zlib

import numpy as np

from ritz import _errors

TYPES = {"Float64": "<f8", "Float32": "<f4", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1"}
# Numbers of VTK's cells: their corners' shape, and whether edges have a node. Nodes within facets and cells are left out.
SHAPES = {3: ("line", 0), 21: ("line", 1), 5: ("tri", 0), 22: ("tri", 1), 9: ("quad", 0), 23: ("quad", 1), 28: ("quad", 1),
          10: ("tet", 0), 24: ("tet", 1), 12: ("hex", 0), 25: ("hex", 1), 29: ("hex", 1), 13: ("prism", 0), 26: ("prism", 1),
          32: ("prism", 1), 14: ("pyramid", 0), 27: ("pyramid", 1)}
EDGES = {"line": "01", "tri": "01 12 20", "quad": "01 12 23 30", "tet": "01 12 20 03 13 23",
         "hex": "01 12 23 30 45 56 67 74 04 15 26 37", "prism": "01 12 20 34 45 53 03 14 25", "pyramid": "01 12 23 30 04 14 24 34"}
FACETS = {"tri": "012", "quad": "0123", "tet": "013 123 203 021", "hex": "0473 1265 0154 3762 0321 4567",
          "prism": "021 345 0143 1254 2035", "pyramid": "0321 014 124 234 304"}
CORNERS = {"line": 2, "tri": 3, "quad": 4, "tet": 4, "hex": 8, "prism": 6, "pyramid": 5}
# Facets as triangles: of their corners, and of corners followed by the nodes of their edges.
PIECES = {(3, 0): "012", (4, 0): "012 023", (3, 1): "035 314 542 345", (4, 1): "047 415 526 637 457 567"}


class Grid:
    """What a VTU file holds: points (nodes, 3), blocks [(VTK's number, positions of its cells, nodes of shape (cells, n))], fields by name."""

    def __init__(self, points, blocks, point_fields, cell_fields):
        self.points, self.blocks, self.point_fields, self.cell_fields = points, blocks, point_fields, cell_fields


def read_vtu(path):
    """The Grid of a file that Ritz wrote, without compression."""
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise _errors.make(3, "picture", f"'{path}' cannot be read: {error.strerror}") from None
    mark = data.find(b"<AppendedData")
    head = data[:mark if mark >= 0 else len(data)].decode(errors="replace")
    start = data.find(b"_", mark) + 1
    about = _attributes(head[head.find("<VTKFile"):].split(">")[0])
    if about.get("type") != "UnstructuredGrid" or about.get("header_type") != "UInt64" or "compressor" in about:
        raise _errors.make(3, "picture", f"'{path}' is no VTU file as Ritz writes it", "others may be compressed, or have pieces",
                           "take the .vtu file of a run, with [output] compression = \"none\"")
    sections = {}
    try:
        for section in ("PointData", "CellData", "Points", "Cells"):
            part = head[head.index(f"<{section}"):head.index(f"</{section}>")] if f"</{section}>" in head else ""
            arrays = sections[section] = {}
            for tag, content in re.findall(r"<DataArray ([^>]*)>([^<]*)", part):
                each = _attributes(tag)
                raw = data[start + int(each["offset"]):] if each["format"] == "appended" else base64.b64decode(content.strip())
                size = int.from_bytes(raw[:8], "little")
                values, columns = np.frombuffer(raw[8:8 + size], TYPES[each["type"]]), int(each.get("NumberOfComponents") or 1)
                arrays[each["Name"]] = values.reshape(-1, columns) if columns > 1 else values
        points, cells = sections["Points"]["Points"], sections["Cells"]
        ends = cells["offsets"].astype(np.int64)
        blocks = []
        for kind in np.unique(cells["types"]):
            mine = np.flatnonzero(cells["types"] == kind)
            first = np.concatenate([[0], ends])[mine]
            width = int(ends[mine[0]] - first[0])
            blocks.append((int(kind), mine, cells["connectivity"][first[:, None] + np.arange(width)].astype(np.int64)))
        if not len(points) or not blocks or max(nodes.max() for _, _, nodes in blocks) >= len(points):
            raise ValueError("no cells, or nodes that are not there")
    except (KeyError, ValueError, IndexError) as error:
        raise _errors.make(3, "picture", f"'{path}' is damaged: {error}") from None
    return Grid(points, blocks, sections["PointData"], sections["CellData"])


def _attributes(tag):
    return {name: value.strip() for name, value in re.findall(r'(\w+)="([^"]*)"', tag)}


def _digits(text):
    return [[int(digit) for digit in word] for word in text.split()]


def surface(grid):
    """Triangles of the facets that belong to one cell, of cells in the plane and of shells, and segments of bars:
    nodes of shape (triangles, 3), the cell of each, nodes of shape (segments, 2), the cell of each."""
    facets, segments, owners = {}, [], []
    for kind, positions, nodes in grid.blocks:
        if kind not in SHAPES:
            raise _errors.make(2, "picture", f"cells of VTK's type {kind} cannot be drawn", "",
                               "write the results with [output] cells = \"mesh\"" if kind in range(68, 76) else "")
        shape, quadratic = SHAPES[kind]
        edges = _digits(EDGES[shape])
        middle = {frozenset(edge): CORNERS[shape] + i for i, edge in enumerate(edges)} if quadratic else {}
        if shape == "line":
            for pair in ([0, 2], [2, 1]) if quadratic else ([0, 1],):
                segments.append(nodes[:, pair])
                owners.append(positions)
            continue
        for corners in _digits(FACETS[shape]):
            around = [middle[frozenset(pair)] for pair in zip(corners, corners[1:] + corners[:1])] if quadratic else []
            facets.setdefault((len(corners), quadratic), []).append((nodes[:, corners + around], positions, CORNERS[shape] > 4 or shape == "tet"))
    triangles, cells = [], []
    for (count, quadratic), parts in facets.items():
        nodes, owner = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        solid = np.concatenate([np.full(len(part[0]), part[2]) for part in parts])
        keys = np.sort(nodes[:, :count], axis=1)
        order = np.lexsort(keys.T)
        same = np.concatenate([[False], (keys[order][1:] == keys[order][:-1]).all(axis=1)])
        twice = np.zeros(len(nodes), bool)
        twice[order] = same | np.concatenate([same[1:], [False]])
        outer = ~(twice & solid)
        for piece in _digits(PIECES[count, quadratic]):
            triangles.append(nodes[outer][:, piece])
            cells.append(owner[outer])
    empty = np.zeros(0, np.int64)
    return (np.concatenate(triangles) if triangles else empty.reshape(0, 3), np.concatenate(cells) if cells else empty,
            np.concatenate(segments) if segments else empty.reshape(0, 2), np.concatenate(owners) if owners else empty)


class Canvas:
    """Pixels with depth, the value and the light of what is nearest."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.depth = np.full(width * height, np.inf)
        self.value, self.light = np.zeros(width * height), np.zeros(width * height)

    def put(self, pixel, depth, value, light):
        nearer = depth < self.depth[pixel]
        pixel, depth, value, light = pixel[nearer], depth[nearer], value[nearer], light[nearer]
        order = np.argsort(-depth, kind="stable")  # the last assignment to a pixel stays
        pixel = pixel[order]
        self.depth[pixel], self.value[pixel], self.light[pixel] = depth[order], value[order], light[order]

    def triangles(self, corners, values, light):
        """corners (n, 3, 3): x, y in pixels and depth; values (n, 3); light (n,)."""
        low = np.clip(np.floor(corners[:, :, :2].min(axis=1)).astype(np.int64), 0, [self.width - 1, self.height - 1])
        high = np.clip(np.ceil(corners[:, :, :2].max(axis=1)).astype(np.int64), 0, [self.width - 1, self.height - 1])
        size = 2 ** np.ceil(np.log2((high - low + 1).max(axis=1))).astype(np.int64)
        for box in np.unique(size):
            mine = np.flatnonzero(size == box)
            x, y = np.meshgrid(np.arange(box), np.arange(box))
            for some in np.array_split(mine, max(1, len(mine) * box * box // 100_000)):  # a share that stays in the cache
                self._fill(corners[some], values[some], light[some], low[some, :1] + x.ravel(), low[some, 1:] + y.ravel())

    def _fill(self, corners, values, light, x, y):
        (ax, ay), (bx, by), (cx, cy) = (corners[:, i, :2].T[:, :, None] for i in range(3))
        double_area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        with np.errstate(divide="ignore", invalid="ignore"):  # a triangle seen from its edge has no pixel
            b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / double_area
            c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / double_area
        row, at = np.nonzero((b >= -1e-9) & (c >= -1e-9) & (b + c <= 1 + 1e-9) & (x < self.width) & (y < self.height))
        b, c = b[row, at], c[row, at]
        weights = np.stack([1 - b - c, b, c])
        self.put(y[row, at] * self.width + x[row, at], (weights * corners[row, :, 2].T).sum(axis=0),
                 (weights * values[row].T).sum(axis=0), light[row])

    def segments(self, ends, values, thickness):
        """ends (n, 2, 3) as corners above; values (n, 2)."""
        if not len(ends):
            return
        steps = int(np.abs(ends[:, 1, :2] - ends[:, 0, :2]).max()) + 2
        along = np.linspace(0, 1, steps)[None, :, None]
        places = (ends[:, :1] * (1 - along) + ends[:, 1:] * along).reshape(-1, 3)
        value = (values[:, :1] * (1 - along[..., 0]) + values[:, 1:] * along[..., 0]).ravel()
        for dx in range(-(thickness // 2), thickness - thickness // 2):
            for dy in range(-(thickness // 2), thickness - thickness // 2):
                x, y = (np.rint(places[:, 0]).astype(np.int64) + dx), (np.rint(places[:, 1]).astype(np.int64) + dy)
                seen = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
                self.put(y[seen] * self.width + x[seen], places[seen, 2], value[seen], np.ones(seen.sum()))


def colours(parts):
    """(n, 3) in 0 ... 1 for parts of the range: blue over light grey to red, readable in print (the ends are Moreland's)."""
    stops = np.array([[0.230, 0.299, 0.754], [0.865, 0.865, 0.865], [0.706, 0.016, 0.150]])
    parts = np.clip(np.nan_to_num(parts), 0, 1)
    return np.stack([np.interp(parts, [0, 0.5, 1], stops[:, i] ** 2.2) for i in range(3)], axis=-1) ** (1 / 2.2)


# Glyphs of 3 x 5 dots: five rows, an octal digit each.
GLYPHS = dict(zip("0123456789abcdefghijklmnopqrstuvwxyz.-+_/():= ", (
    "75557 26227 71747 71717 55711 74717 74757 71122 75757 75717 25755 65656 34443 65556 74647 74644 34553 55755 72227 11152 55655 44447 "
    "57755 65555 25552 65644 25563 65655 34216 72222 55557 55552 55775 55255 55222 71247 00002 00700 02720 00007 11244 12221 42224 02020 "
    "07070 00000").split()))


def write_text(image, x, y, text, dot):
    """Black letters, their upper left corner at (x, y); a dot has so many pixels. Unknown characters leave a gap."""
    for letter in text.lower():
        for row, digit in enumerate(GLYPHS.get(letter, "00000")):
            for column in range(3):
                if int(digit) >> (2 - column) & 1:
                    image[y + row * dot:y + (row + 1) * dot, x + column * dot:x + (column + 1) * dot] = 0
        x += 4 * dot


def encoded(image):
    """The bytes of a PNG; image: (height, width, 3) of bytes."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    height, width, _ = image.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), image.reshape(height, -1)]).tobytes()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows, 6)) +
            chunk(b"IEND", b""))


def write_png(path, content):
    try:
        pathlib.Path(path).write_bytes(content)
    except OSError as error:
        raise _errors.make(7, "picture", f"cannot write '{path}': {error.strerror}", "", "check that the folder exists and may be written to") from None


def _scalar(grid, field, component):
    """Values of the field's component or magnitude, whether at points, and its name with the component."""
    both = [(True, grid.point_fields), (False, grid.cell_fields)]
    if field is None:
        field = next((name for _, fields in both for name in fields), None)
    for at_points, fields in both:
        if field in fields:
            values = np.asarray(fields[field], float)
            if values.ndim == 1:
                return values, at_points, field
            if component is None:
                return np.linalg.norm(values, axis=1), at_points, field + " magnitude"
            if 0 <= component < values.shape[1]:
                return values[:, component], at_points, f"{field} {component}"
            raise _errors.make(2, "picture", f"'{field}' has no component {component}", "", f"they count from 0 to {values.shape[1] - 1}")
    known = ", ".join(dict.fromkeys(name for _, fields in both for name in fields))
    raise _errors.make(2, "picture", f"there is no field '{field}'", "", f"the fields are {known}" if known else "the file holds none")


def _moved(grid, warp, factor):
    """Points moved by a field, and the factor."""
    if warp is None:
        return grid.points, None
    move = grid.point_fields.get(warp)
    if move is None or move.ndim != 2 or move.shape[1] != 3:
        raise _errors.make(2, "picture", f"'{warp}' is no vector field at points", "", f"the fields are {', '.join(grid.point_fields)}")
    if factor is None:
        largest = np.linalg.norm(move, axis=1).max()
        factor = 0.1 * np.linalg.norm(np.ptp(grid.points, axis=0)) / largest if largest > 0 else 1.0
    return grid.points + factor * move, factor


def _view(points):
    """Right, up and towards the eye: from above for what lies in the plane, else from the front right."""
    size = np.ptp(points, axis=0)
    if size[2] <= 1e-9 * size.max():
        return np.eye(3)
    eye = np.array([1, -1, 0.8]) / np.linalg.norm([1, -1, 0.8])
    right = np.cross([0, 0, 1], eye)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(eye, right), eye])


def _draw(grid, points, values, at_points, width, height):
    """A Canvas with the surface in the part of the picture that title and colour bar leave free."""
    triangles, cells, segments, owners = surface(grid)
    seen = points @ _view(points).T
    used = np.unique(np.concatenate([triangles.ravel(), segments.ravel()]))
    low, high = seen[used].min(axis=0), seen[used].max(axis=0)
    scale = min(0.78 * width / max(high[0] - low[0], 1e-300), 0.80 * height / max(high[1] - low[1], 1e-300))
    middle = (low + high) / 2
    pixels = np.stack([0.42 * width + scale * (seen[:, 0] - middle[0]), 0.52 * height - scale * (seen[:, 1] - middle[1]), -scale * seen[:, 2]], axis=1)
    canvas = Canvas(width, height)
    sides = seen[triangles]
    normal = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        light = 0.35 + 0.65 * np.nan_to_num(np.abs(normal[:, 2]) / np.linalg.norm(normal, axis=1))
    canvas.triangles(pixels[triangles], values[triangles] if at_points else np.repeat(values[cells][:, None], 3, axis=1), light)
    canvas.segments(pixels[segments], values[segments] if at_points else np.repeat(values[owners][:, None], 2, axis=1), max(2, width // 240))
    return canvas


def picture(result, file, field=None, *, component=None, warp=None, factor=None, limits=None, size=(1200, 900)):
    """Writes a PNG of the surface of a result.

    result: a .vtu file of a run; field: at points or cells, default the first; component: its number, default the magnitude;
    warp: a displacement that moves the points, by `factor` or a tenth of the size at most; limits: (low, high) of the colours;
    size: pixels. Raises Error, OutputError."""
    write_png(file, png_of(read_vtu(result), pathlib.Path(result).name, field, component=component, warp=warp, factor=factor, limits=limits, size=size))


def png_of(grid, label, field=None, *, component=None, warp=None, factor=None, limits=None, size=(1200, 900)):
    """The bytes of the picture of a Grid; label: its second word, behind the field."""
    values, at_points, name = _scalar(grid, field, component)
    points, factor = _moved(grid, warp, factor)
    low, high = limits or (float(np.nanmin(values)), float(np.nanmax(values)))
    width, height = size
    fine = 2  # pixels of the canvas in each direction, whose mean is one of the picture
    canvas = _draw(grid, points, values, at_points, fine * width, fine * height)
    paint = np.ones((fine * height, fine * width, 3))
    drawn = np.isfinite(canvas.depth).reshape(paint.shape[:2])
    parts = (canvas.value - low) / (high - low) if high > low else np.full(canvas.value.shape, 0.5)
    paint[drawn] = (colours(parts) * canvas.light[:, None]).reshape(paint.shape)[drawn]
    image = np.rint(255 * paint.reshape(height, fine, width, fine, 3).mean(axis=(1, 3))).astype(np.uint8)
    dot = max(1, height // 300)
    top, bottom, left = int(0.15 * height), int(0.85 * height), int(0.86 * width)
    bar = colours(np.linspace(1, 0, bottom - top))
    image[top:bottom, left:left + width // 40] = np.rint(255 * bar[:, None]).astype(np.uint8)
    for part in np.linspace(0, 1, 5):
        row = int(bottom - part * (bottom - top))
        write_text(image, left + width // 32, row - 2 * dot, f"{low + part * (high - low):.4g}", dot)
    title = f"{name}   {label}" + (f"   {warp} x {factor:.4g}" if factor is not None else "")
    write_text(image, max(0, (width - 4 * dot * len(title)) // 2), height // 25, title, dot)
    return encoded(image)


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m ritz picture", description="The surface of a result, coloured by a field, as PNG.")
    parser.add_argument("result", help="a .vtu file of a run")
    parser.add_argument("picture", help="PNG file to write")
    parser.add_argument("--field", help="point or cell field that gives the colour; default: the first one")
    parser.add_argument("--component", type=int, help="number of a component, from 0; default: the magnitude")
    parser.add_argument("--warp", help="vector field that moves the points")
    parser.add_argument("--factor", type=float, help="how much it moves them; default: a tenth of the size at most")
    parser.add_argument("--limits", nargs=2, type=float, metavar=("LOW", "HIGH"), help="of the colours")
    parser.add_argument("--size", nargs=2, type=int, default=(1200, 900), metavar=("WIDTH", "HEIGHT"), help="pixels")
    asked = vars(parser.parse_args(arguments))
    try:
        picture(asked.pop("result"), asked.pop("picture"), **asked)
    except _errors.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0
