"""Reads the VTU files of Ritz (raw, appended, uncompressed, 64-bit headers) with nothing but Python: an eye that shares
no code with the writer."""
import array
import base64
import pathlib
import re

TYPES = {"Float64": "d", "Float32": "f", "Int64": "q", "Int32": "i", "UInt8": "B"}


def attributes(tag):
    return {name: value.strip() for name, value in re.findall(r'(\w+)="([^"]*)"', tag)}


def read(path):
    """{section: {name: array}}; the sections are PointData, CellData, Points and Cells."""
    data = pathlib.Path(path).read_bytes()
    mark = data.index(b'<AppendedData encoding="raw">')
    start = data.index(b"_", mark) + 1
    head = data[:mark].decode()
    assert attributes(re.search("<VTKFile [^>]*>", head)[0])["header_type"] == "UInt64"
    sections = {}
    for section in ("PointData", "CellData", "Points", "Cells"):
        text = head[head.index(f"<{section}>"):head.index(f"</{section}>")]
        sections[section] = {}
        for tag in re.findall("<DataArray [^>]*>", text):
            about = attributes(tag)
            at = start + int(about["offset"])
            size = int.from_bytes(data[at:at + 8], "little")
            values = array.array(TYPES[about["type"]])
            values.frombytes(data[at + 8:at + 8 + size])
            sections[section][about["Name"]] = values
    return sections


def read_inline(path):
    """The same of a file with base64 in the XML, not compressed: the size in bytes, then the numbers."""
    text = pathlib.Path(path).read_text()
    assert attributes(re.search("<VTKFile [^>]*>", text)[0])["header_type"] == "UInt64"
    sections = {}
    for section in ("PointData", "CellData", "Points", "Cells"):
        part = text[text.index(f"<{section}"):text.index(f"</{section}>")]
        sections[section] = {}
        for tag, content in re.findall("(<DataArray [^>]*>)([^<]*)", part):
            about = attributes(tag)
            assert about["format"] == "binary"
            data = base64.b64decode(content.strip())
            values = array.array(TYPES[about["type"]])
            values.frombytes(data[8:8 + int.from_bytes(data[:8], "little")])
            sections[section][about["Name"]] = values
    return sections
