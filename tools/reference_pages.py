#!/usr/bin/env python3
"""Writes docs/reference/*.md, the pages with all keys of the case files, from the JSON Schemas in docs/schema.

    tools/reference_pages.py            # writes the pages
    tools/reference_pages.py --check    # exit code 1 when a published page is not what would be written

The schemas come from the programs (`ritz-heat --schema`), so a page never names a key that the program does not read.
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
LAST = ("load_case", "combination", "time", "modal", "newton", "solver", "probe", "output", "region", "table", "field", "sweep")


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


def row(name, schema, required):
    about, unit = without_unit(schema.get("description", ""))
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


def tables(schema, path=(), many=False):
    """All tables in the order of the schema: path, whether it is an array of tables, its schema."""
    yield path, many, schema
    properties = schema.get("properties", {})
    names = properties if path else sorted(properties, key=rank)  # the sort is stable
    for name in names:
        sub = properties[name]
        if is_table(sub):
            array = sub["type"] == "array"
            inner = dict(sub["items"] if array else sub)
            inner["description"] = sub.get("description", "")
            yield from tables(inner, (*path, name), array)


def page(program, schema):
    lines = [f"# Keys of {program}", "",
             f"Reference. {schema['description']} Written by `tools/reference_pages.py` from `{program} --schema`; not edited by hand.",
             "What the columns cannot say, and how to have them in an editor: [case-files.md](../case-files.md).",
             f"`{program} case.toml --describe` prints the keys that one case may hold.", ""]
    for path, many, table in tables(schema):
        keys = {name: sub for name, sub in table.get("properties", {}).items() if not is_table(sub)}
        inner = [name for name, sub in table.get("properties", {}).items() if is_table(sub)]
        required = table.get("required", [])
        if not path:
            lines += ["## Top of the file", ""]
        else:
            dotted = ".".join(path)
            lines += [f"## {'[[' if many else '['}{dotted}{']]' if many else ']'}", ""]
            if table.get("description"):
                lines += [table["description"][0].upper() + table["description"][1:] + ".", ""]
        if keys:
            lines += ["| key | value | unit | default | meaning |", "|---|---|---|---|---|"]
            lines += [row(name, sub, name in required) for name, sub in keys.items()] + [""]
        elif path and "additionalProperties" in table and table["additionalProperties"]:
            free = table["additionalProperties"]
            lines += [f"Keys are names; each value is a {kind(free)}: {free.get('description', '')}.", ""]
        if inner and not path:
            needed = [f"`{name}`" for name in inner if name in required]
            if needed:
                lines += [f"Required tables: {', '.join(needed)}.", ""]
    return "\n".join(lines).rstrip() + "\n"


def pages():
    """File name and text of every page."""
    result = {}
    for path in sorted((DOCS / "schema").glob("*.schema.json")):
        program = path.name.removesuffix(".schema.json")
        result[f"{program}.md"] = page(program, json.loads(path.read_text()))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only; exit code 1 when a page is out of date")
    arguments = parser.parse_args()
    folder = DOCS / "reference"
    wanted = pages()
    found = {path.name: path.read_text() for path in folder.glob("*.md")}
    if arguments.check:
        stale = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
        for name in stale:
            print(f"docs/reference/{name} is out of date: run tools/reference_pages.py")
        return 1 if stale else 0
    folder.mkdir(exist_ok=True)
    for name in found.keys() - wanted.keys():
        (folder / name).unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
