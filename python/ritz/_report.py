"""A run as one HTML file that needs no other: picture, results, convergence, balance, notices, what was given, versions.

    python3 -m ritz report bracket.toml bracket.html --field von_mises --warp displacement
"""
import argparse
import base64
import html
import json
import math
import pathlib
import platform
import re
import sys

import numpy as np

from ritz import _errors, _picture, _run

STYLE = ("body{font:15px/1.45 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}"
         "table{border-collapse:collapse;margin:.6em 0}th,td{text-align:left;padding:.2em .9em .2em 0;border-bottom:1px solid #ddd;vertical-align:top}"
         "td.n{font-variant-numeric:tabular-nums}img{max-width:100%}.bad{color:#a00}code{font-size:.92em}figcaption{color:#555}")
# Tables of a case by what they say; the rest are settings.
GIVEN = (("Materials", ("material", "section", "orientation", "capacity", "inertia", "table", "field")),
         ("Loads", ("gravity", "force", "pressure", "traction", "body_force", "line_load", "surface_load", "thermal", "source", "flux", "power", "convection",
                    "radiation", "load", "boundary", "mass", "load_case", "combination")),
         ("Supports and relations", ("displacement", "temperature", "support", "prescribe", "foundation", "spring", "coupling", "equation", "periodic", "rigid", "tie")))


def _number(value):
    return f"{value:.6g}" if isinstance(value, (int, float)) else "not known" if value is None else str(value)


def _cells(values, tag="td"):
    return "".join(f"<{tag}>{html.escape(str(each))}</{tag}>" for each in values)


def _table(head, rows):
    """Texts in, each escaped here."""
    top = f"<thead><tr>{_cells(head, 'th')}</tr></thead>" if head else ""
    return f"<table>{top}<tbody>" + "".join(f"<tr>{_cells(row)}</tr>" for row in rows) + "</tbody></table>"


def tables_of(case):
    """[(name of the table, its lines)] of a case as Ritz writes it: a key on each line."""
    tables = [("", [])]
    for line in case.splitlines():
        header = re.fullmatch(r"\[+(.*?)\]+", line)
        if header:
            tables.append((header.group(1), []))
        elif line:
            tables[-1][1].append(line)
    return [(name, lines) for name, lines in tables if lines]


def _given(case):
    tables, text = tables_of(case), ""
    known = {name for _, names in GIVEN for name in names}
    chapters = [(title, [each for each in tables if each[0].split(".")[0].strip('"') in names]) for title, names in GIVEN]
    chapters.append(("Settings", [each for each in tables if each[0].split(".")[0].strip('"') not in known]))
    for title, mine in chapters:
        if mine:
            text += f"<h2>{title}</h2>" + _table(("table", "values"), [(name or "case", "; ".join(lines)) for name, lines in mine])
    return text


def curve(residuals, first, width=560, height=220):
    """The relative residuals of the last iterations as SVG, on a logarithmic axis."""
    points = [(i, math.log10(r)) for i, r in enumerate(residuals) if r and r > 0 and math.isfinite(r)]
    if len(points) < 2:
        return ""
    low, high = math.floor(min(y for _, y in points)), math.ceil(max(y for _, y in points))
    high = max(high, low + 1)
    x = lambda i: 60 + (width - 80) * i / max(len(residuals) - 1, 1)
    y = lambda power: 15 + (height - 45) * (high - power) / (high - low)
    lines = "".join(f'<line x1="60" x2="{width - 20}" y1="{y(p):.1f}" y2="{y(p):.1f}" stroke="#ddd"/><text x="52" y="{y(p) + 4:.1f}" text-anchor="end">1e{p}</text>'
                    for p in range(low, high + 1, max(1, (high - low) // 6)))
    path = " ".join(f"{x(i):.1f},{y(power):.1f}" for i, power in points)
    return (f'<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" font-size="12" role="img">{lines}'
            f'<polyline points="{path}" fill="none" stroke="#3b4cc0" stroke-width="2"/>'
            f'<text x="60" y="{height - 8}">{first}</text><text x="{width - 20}" y="{height - 8}" text-anchor="end">{first + len(residuals) - 1}</text></svg>'
            "<figcaption>Relative residual over iterations of the linear solver</figcaption></figure>")


def _convergence(report):
    solves = [(str(i), each) for i, each in enumerate(report.get("solves", []), 1)]
    solves = solves or [(name, each["solver"]) for name, each in report.get("load_cases", {}).items()]
    if not solves:
        return ""
    rows = [(name, each["method"] + (f" with {each['preconditioner']}" if each["preconditioner"] else ""), each["iterations"], each["reason"],
             _number(each["true_relative_residual"]), "; ".join(each["fallbacks"])) for name, each in solves]
    last = solves[-1][1]
    return ("<h2>Convergence</h2>" + _table(("solve", "method", "iterations", "ended", "residual", "fell back"), rows) +
            curve(last["last_residuals"], last["iterations"] - len(last["last_residuals"]) + 1) + (f"<p>{html.escape(last['choice'])}</p>" if last["choice"] else ""))


def _grid(result, step):
    """The body and the fields of a step as of a VTU file."""
    mesh, nodal, cells = result._data(step)
    blocks, first = [], 0
    for kind in mesh._body():
        if kind in _run.VTK_TYPE:
            blocks.append((_run.VTK_TYPE[kind], first + np.arange(len(mesh.cells[kind])), mesh.cells[kind]))
        first += len(mesh.cells[kind])
    wide = lambda values: values if values.ndim < 2 or values.shape[1] != 2 else np.column_stack([values, np.zeros(len(values))])
    return _picture.Grid(mesh.points, blocks, {name: wide(values) for name, values in nodal.items()}, cells)


def _figure(result, field, component, warp, step):
    grid = _grid(result, step)
    if not grid.blocks or not (grid.point_fields or grid.cell_fields):
        return ""
    name = result.report["case"]
    png = base64.b64encode(_picture.png_of(grid, pathlib.Path(name).stem, field, component=component, warp=warp)).decode()
    return f'<figure><img alt="{html.escape(field or "first field", quote=True)}" src="data:image/png;base64,{png}"/></figure>'


def _results(result):
    report = result.report
    units = report.get("probe_units", {})
    rows = [(step.load_case or (f"{step.time:g}" if step.time is not None and len(result.steps) > 1 else ""), name,
             " ".join(_number(each) for each in np.atleast_1d(values)), units.get(name, "")) for step in result.steps for name, values in step.probes.items()]
    text = "<h2>Results</h2>" + _table(("step", "probe", "value", "unit"), rows) if rows else ""
    cases = {**report.get("load_cases", {}), **report.get("combinations", {})}
    facts = [("", *each) for each in result.facts.items()] + [(name, *each) for name, part in cases.items() for each in part["facts"].items()]
    return text + ("<h2>Balance and facts</h2>" + _table(("load case", "what", "value"), facts) if facts else "")


def text_of(result, field=None, component=None, warp=None, step=None):
    """The file as a text."""
    report = result.report
    name = html.escape(pathlib.Path(report["case"]).name)
    summary = [("program", f"{report['program']} {report['version']}"), ("status", report["status"]), ("case", report["case"]), ("mesh", report["mesh"]),
               ("cells, nodes, unknowns", f"{report['cells']}, {report['nodes']}, {report['unknowns']}"), ("device", report["device"])]
    notices = "".join(f"<li>{html.escape(each)}</li>" for each in result.notices)
    phases = [(each, f"{of['seconds']:.3g}") for each, of in report["phases"].items()]
    versions = [("Ritz", report["version"]), ("Python", platform.python_version()), ("NumPy", np.__version__), ("system", platform.platform())]
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>{name}</title><style>{STYLE}</style></head><body><h1>{name}</h1>' + _table((), summary) +
            _figure(result, field, component, warp, step) + _results(result) + _convergence(report) +
            (f'<h2 class="bad">Notices</h2><ul>{notices}</ul>' if notices else "<h2>Notices</h2><p>none</p>") + _given(result.case) +
            "<h2>Time</h2>" + _table(("phase", "seconds"), phases) + "<h2>Versions</h2>" + _table((), versions) + "</body></html>\n")


def write(result, file, field=None, component=None, warp=None, step=None):
    text = text_of(result, field, component, warp, step)
    try:
        pathlib.Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _errors.make(7, "write", f"cannot write '{file}': {error.strerror}", "", "check that the folder exists and may be written to") from None


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m ritz report", description="Runs a case and writes all that is of interest as one HTML file.")
    parser.add_argument("case", help="the case file")
    parser.add_argument("file", help="HTML file to write; it needs no other file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="overrides a key, as in the programs")
    parser.add_argument("--field", help="point or cell field that gives the colour of the picture; default: the first one")
    parser.add_argument("--component", type=int, help="number of a component, from 0; default: the magnitude")
    parser.add_argument("--warp", help="vector field that moves the points of the picture")
    parser.add_argument("--step", help="load case of the picture; default: the last step")
    parser.add_argument("--output", help="folder for the files of the run; default: none are written")
    parser.add_argument("--quiet", action="store_true", help="without the lines of the run")
    asked = parser.parse_args(arguments)
    try:
        overrides = {key: _literal(value) for key, _, value in (each.partition("=") for each in asked.set)}
        result = _run.run(asked.case, overrides, output=asked.output, log=not asked.quiet)
        write(result, asked.file, asked.field, asked.component, asked.warp, asked.step)
    except _errors.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyError as error:
        print(f"error: there is no load case {error}", file=sys.stderr)
        return 2
    print(f"{asked.file}: report")
    return 0


def _literal(value):
    try:
        return json.loads(value)
    except ValueError:
        return value
