#!/usr/bin/env python3
"""Writes docs/reference.md, the page with all keys of the case files, from the JSON Schemas in docs/schema.

    tools/reference_page.py            # writes the page
    tools/reference_page.py --check    # exit code 1 when the page is not what would be written

The schemas come from the programs (`ritz-heat --schema`), so the page never names a key that the program does not read.
"""
import argparse
import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
UNIT = re.compile(r"\s*(?<!\[)\[(?![\[\]])(1|[^\]]*?)\]")
NO_UNITS = {"space", "1, 0", "output", "mesh", "modal", "time", "newton", "thermal", "orientation"}  # tables and lists that descriptions name in brackets
FIRST = ("mesh", "model", "space", "material", "section")  # then the tables of the physics in the order of the program
LAST = ("load_case", "combination", "step", "time", "modal", "harmonic", "random", "spectrum", "history", "buckling", "inertia_relief", "newton", "solver", "probe", "output", "region", "table", "field", "sweep")


def alternatives(schema):
    """The schema without nested anyOf, each alternative once."""
    if "anyOf" not in schema:
        return [schema]
    flat = []
    for option in schema["anyOf"]:
        flat += [o for o in alternatives(option) if o not in flat]
    return flat


def bounds(schema):
    low = f"≥ {schema['minimum']:g}" if "minimum" in schema else f"> {schema['exclusiveMinimum']:g}" if "exclusiveMinimum" in schema else ""
    high = f"≤ {schema['maximum']:g}" if "maximum" in schema else f"< {schema['exclusiveMaximum']:g}" if "exclusiveMaximum" in schema else ""
    if low.startswith("≥") and high.startswith("≤"):
        return f"{low[2:]} to {high[2:]}"
    return " and ".join(b for b in (low, high) if b)


def kind(schema):
    """The type of a value, in words."""
    options = alternatives(schema)
    if len(options) > 1:
        words = [kind(option) for option in options]
        if "text" in words and any(w.split(" ")[0] == "number" for w in words):
            words[words.index("text")] = "name" if "number from 0" in schema.get("description", "") else "formula"
        return " or ".join(dict.fromkeys(words))
    schema = dict(options[0])
    if "pattern" in schema:  # "210 GPa" will do, too: docs/case-files.md
        schema["type"] = "number"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if isinstance(schema.get("type"), list):
        return " or ".join({"string": "text", "boolean": "true or false"}.get(t, t) for t in schema["type"])
    if schema.get("type") == "array":
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        count = "" if high is None else f"{low} " if low == high else f"{low} to {high} "
        item = kind(schema["items"]) if "items" in schema else "value"
        words = item.split(" ", 1)  # "number > 0" becomes "numbers > 0"
        plural = " ".join([words[0] + ("s" if words[0] in ("number", "integer", "formula", "text") else ""), *words[1:]])
        return f"list of {count}{plural}"
    name = {"string": "text", "boolean": "true or false", "object": "table"}.get(schema.get("type"), schema.get("type", "value"))
    limits = bounds(schema)
    return f"{name} {limits}" if limits else name


def without_unit(text):
    """Description and unit; a unit is what stands in brackets, unless it names a table of the case."""
    for match in UNIT.finditer(text):
        unit = match[1]
        if unit in NO_UNITS or unit.startswith("load_case"):
            continue
        rest = (text[:match.start()] + text[match.end():]).strip(" ;,")
        return rest, "" if unit == "1" else unit
    return text, ""


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def short(about):
    """Long lists of forms and laws are left to --describe, and conditions that follow from others are left out."""
    about = re.sub(r"(only with (\w+) = [^;]*); only with '\2'", r"\1", about)
    about = re.sub(r"only with law = '\w+'(?: or '\w+'){5,}", "only with some laws", about)
    return re.sub(r"only with model\.form = '\w+'(?: or '\w+'){5,}", "only with some forms", about)


def merged(rows):
    """Rows that follow each other and are equal but for their key become one, which names all keys."""
    result = []
    for line in rows:
        key, rest = re.fullmatch(r"\| (`[^`]+`)(.*)", line).groups()
        if result and result[-1][1] == rest:
            result[-1][0].append(key)
        else:
            result.append(([key], rest))
    return [f"| {', '.join(keys)}{rest}" for keys, rest in result]


def row(name, schema, required):
    about, unit = without_unit(short(schema.get("description", "")))
    if required:
        default = "**required**"
    else:
        default = f"`{json.dumps(schema['default'])}`" if "default" in schema and schema["default"] not in ("", []) else ""
    return f"| `{name}` | {cell(kind(schema))} | {cell(unit)} | {cell(default)} | {cell(about)} |"


def is_table(schema):
    return schema.get("type") == "object" or (schema.get("type") == "array" and schema.get("items", {}).get("type") == "object")


def rank(name):
    """Place of a table on the page."""
    return FIRST.index(name) if name in FIRST else 100 + LAST.index(name) if name in LAST else 50


def tables(schema, path=(), many=False, whole=None):
    """All tables in the order of the schema: path, whether it is an array of tables, its schema. A table of a step refers to that of the root."""
    whole = whole or schema
    yield path, many, schema
    properties = schema.get("properties", {})
    names = properties if path else sorted(properties, key=rank)  # the sort is stable
    for name in names:
        sub = properties[name]
        if "$ref" in sub:
            sub = whole["properties"][name]
        if is_table(sub):
            array = sub["type"] == "array"
            inner = dict(sub["items"] if array else sub)
            inner["description"] = sub.get("description", "")
            yield from tables(inner, (*path, name), array, whole)


def titled(path, many):
    dotted = ".".join(path)
    return f"[[{dotted}]]" if many else f"[{dotted}]"


def sentence(text):
    """The description of a table; its conditions concern one program, and stand in the list that --describe prints."""
    text = text.split("; only ")[0].rstrip(".")
    return text[0].upper() + text[1:] + "." if text else ""


def wider(row, other):
    """The row whose list may be shorter, where two rows are equal but for that; None where they differ more."""
    for one, two in ((row, other), (other, row)):
        if one in (two, two.replace("| list of 3 ", "| list of 2 to 3 ", 1)):
            return one
    return None


class Table:
    """One table of the case files: for each row, key and text, the programs that have it."""

    def __init__(self):
        self.programs, self.rows, self.about, self.free, self.many = [], {}, {}, {}, False

    def add(self, program, many, schema):
        self.programs.append(program)
        self.many = self.many or many
        if schema.get("description") and "$schema" not in schema:
            self.about.setdefault(sentence(schema["description"]), []).append(program)
        keys = {name: sub for name, sub in schema.get("properties", {}).items() if not is_table(sub) and "$ref" not in sub}
        for name, sub in keys.items():
            self.add_row(program, name, row(name, sub, name in schema.get("required", [])))
        free = schema.get("additionalProperties")
        if free and not keys:
            self.free.setdefault(f"Keys are names; each value is a {kind(free)}: {free.get('description', '')}.", []).append(program)

    def add_row(self, program, name, text):
        texts = self.rows.setdefault(name, {})
        for other in list(texts):
            widest = wider(text, other)
            if widest:
                texts[widest] = texts.pop(other) + [program]
                return
        texts[text] = [program]

    def among(self, programs, all_programs=None):
        """The programs in brackets, where they are not all of the table's."""
        return "" if programs == (all_programs or self.programs) else " (" + ", ".join(p.removeprefix("ritz-") for p in programs) + ")"

    def is_part_of(self, other):
        """Has the other table all rows of this one?"""
        return all(text in other.rows.get(name, {}) for name, texts in self.rows.items() for text in texts)

    def lines(self):
        result = [" ".join(text + self.among(programs) for text, programs in self.about.items()), ""] if self.about else []
        if self.rows:
            result += ["| key | value | unit | default | meaning |", "|---|---|---|---|---|"]
            result += merged(text.replace("` |", f"`{self.among(programs)} |", 1) for texts in self.rows.values() for text, programs in texts.items()) + [""]
        for text, programs in self.free.items():
            result += [text + self.among(programs), ""]
        return result


def all_tables(schemas):
    """{path: Table} of all programs, in the order of the page."""
    result = {}
    for program, schema in schemas.items():
        for path, many, table in tables(schema):
            result.setdefault(path, Table()).add(program, many, table)
    return dict(sorted(result.items(), key=lambda item: rank(item[0][0]) if item[0] else -1))


INTRODUCTION = """# Keys of case files

Reference: each table and key that a case file may hold, for all programs. Written by `tools/reference_page.py` from the schemas of the programs
(`ritz-heat --schema`); not edited by hand. Names in brackets are the programs that have a table or a row, without "ritz-"; without brackets all programs
have the table, and all programs of the table have the row. "Some forms", "some laws": more than five, named in the schema. [case-files.md](case-files.md) has the rules for values, units and regions.
`ritz-heat case.toml --describe` prints the keys that one case may hold.
"""


def page(schemas):
    found, lines = all_tables(schemas), [INTRODUCTION]
    for path, table in found.items():
        outside = found.get(path[1:]) if len(path) > 1 else None
        if outside and table.is_part_of(outside):
            continue
        inside = {inner: found[inner] for inner in found if len(inner) > 1 and inner[:-1] == path and inner[1:] in found and found[inner].is_part_of(found[inner[1:]])}
        lines += [f"## {titled(path, table.many) if path else 'Top of the file'}", ""]
        where = table.among(table.programs, list(schemas))
        if where:
            lines += [f"Programs:{where.replace('(', '').replace(')', '')}.", ""]
        lines += table.lines()
        for inner, nested in inside.items():
            whole = nested.rows.keys() == found[inner[1:]].rows.keys()
            keys = "the keys" if whole else ", ".join(f"`{name}`" for name in nested.rows)
            lines += [f"- `{titled(inner, nested.many)}`{nested.among(nested.programs, table.programs)}: {keys} of `{titled(inner[1:], found[inner[1:]].many)}`"]
        if inside:
            lines += [""]
    return "\n".join(lines).rstrip() + "\n"


def text_of_page():
    paths = sorted((DOCS / "schema").glob("*.schema.json"))
    return page({path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in paths})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only; exit code 1 when the page is out of date")
    arguments = parser.parse_args()
    path, wanted = DOCS / "reference.md", text_of_page()
    if not arguments.check:
        path.write_text(wanted)
    elif not path.exists() or path.read_text() != wanted:
        print("docs/reference.md is out of date: run tools/reference_page.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
