#!/usr/bin/env python3
"""Nonlinear cases drawn at random (cells and their order, laws, small and large displacements, mixed formulation, loads, constraints):
each ends converged, or as not converged with a sentence that a run by the arc length confirms.

    tools/random_newton.py build/bin [folder] [--models 40] [--seed 1] [--model 12]

Prints a line for each model and a summary; exit code 1 where a model ends otherwise. A failure is confirmed where the loads along the arc stay
below all of them, or where the arc ends for the same reason: no number, cells inside out.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

QUAD, TRI = [(0, 1, 2, 3)], [(0, 1, 2), (0, 2, 3)]
HEX = [(0, 1, 2, 3, 4, 5, 6, 7)]
TET = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]


def mesh(draw, dimension, kind, offset):
    """A block along x of 3 x 2 (x 1) cells, as Gmsh's text; the sides are left, right, bottom, top, back, front."""
    counts = (draw.choice((2, 3)), draw.choice((1, 2)), 1 if dimension == 3 else 0)
    length = (draw.uniform(1, 4), 1.0, 1.0)
    n = [c + 1 for c in counts]
    number = lambda i, j, k: 1 + i + n[0] * (j + n[1] * k)
    points = [(offset + length[0] * i / counts[0], j / counts[1], k / max(counts[2], 1) if dimension == 3 else 0)
              for k in range(n[2]) for j in range(n[1]) for i in range(n[0])]
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = {"quad": QUAD, "tri": TRI, "hex": HEX, "tet": TET}[kind]
    groups, elements = [(dimension, "all")], []
    sides = {"left": (0, 0), "right": (0, 1), "bottom": (1, 0), "top": (1, 1), **({"back": (2, 0), "front": (2, 1)} if dimension == 3 else {})}
    groups += [(dimension - 1, side) for side in sides]
    facets = {}
    for k in range(max(counts[2], 1)):
        for j in range(counts[1]):
            for i in range(counts[0]):
                place = [(i + a, j + b, k + c) for a, b, c in corners]
                for cell in cells:
                    nodes = [place[v] for v in cell]
                    elements.append(({"quad": 3, "tri": 2, "hex": 5, "tet": 4}[kind], 1, [number(*p) for p in nodes]))
                    shapes = {"quad": [(0, 1), (1, 2), (2, 3), (3, 0)], "tri": [(0, 1), (1, 2), (2, 0)],
                              "hex": [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
                              "tet": [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]}[kind]
                    for facet in shapes:
                        for s, (axis, last) in enumerate(sides.values()):
                            if all(nodes[v][axis] == (counts[axis] if last else 0) for v in facet):
                                facets[tuple(sorted(number(*nodes[v]) for v in facet))] = ({2: 1, 3: 2, 4: 3}[len(facet)], 2 + s, [number(*nodes[v]) for v in facet])
    elements += facets.values()
    text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
    text += [f'{d} {i + 1} "{name}"' for i, (d, name) in enumerate(groups)] + ["$EndPhysicalNames", "$Nodes", str(len(points))]
    text += [f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(points)] + ["$EndNodes", "$Elements", str(len(elements))]
    text += [f"{i + 1} {t} 2 {g} {g} " + " ".join(map(str, nodes)) for i, (t, g, nodes) in enumerate(elements)] + ["$EndElements"]
    return "\n".join(text) + "\n"


SMALL = ["none", "j2", "chaboche", "drucker_prager", "hill"]
LARGE = ["none", "neo_hooke", "mooney_rivlin", "yeoh", "ogden", "arruda_boyce", "hyperfoam", "j2", "chaboche"]
MIXED_SMALL, MIXED_LARGE = {"none", "j2", "chaboche"}, {"neo_hooke", "mooney_rivlin", "yeoh", "ogden", "j2", "chaboche"}


def material(draw, law, mixed):
    poisson = draw.choice((0.0, 0.3, 0.45) if not mixed else (0.3, 0.45, 0.499, 0.49999))
    yields = draw.uniform(2, 20)
    table = draw.choice((f"yield_stress = {yields}", f"hardening = [[0, {yields}], [0.1, {yields * draw.uniform(1, 3)}]]"))
    bulk = draw.choice((500, 5000, 500000) if mixed else (500, 2000))
    keys = {"none": f"young = 1000\npoisson = {poisson}", "neo_hooke": f"young = 1000\npoisson = {poisson}",
            "mooney_rivlin": f"c10 = 120\nc01 = {draw.choice((0, 40))}\nbulk = {bulk}", "yeoh": f"c10 = 150\nc20 = {draw.choice((-2, 5))}\nc30 = 1\nbulk = {bulk}",
            "ogden": f"mu1 = 250\nalpha1 = {draw.uniform(1.3, 4)}\nbulk = {bulk}", "arruda_boyce": f"shear = 300\nlocking_stretch = {draw.uniform(2, 5)}\nbulk = {bulk}",
            "hyperfoam": f"mu1 = 300\nalpha1 = {draw.uniform(2, 6)}\npoisson = 0.2", "j2": f"young = 1000\npoisson = 0.3\nkinematic_hardening = {draw.choice((0, 30))}\n{table}",
            "chaboche": f"young = 1000\npoisson = 0.3\nc1 = 200\ng1 = 20\n{table}", "hill": f"young = 1000\npoisson = 0.3\nr_xx = 0.9\n{table}",
            "drucker_prager": f"young = 1000\npoisson = 0.3\ncohesion = {yields}\nfriction_angle = {draw.choice((10, 30))}\ndilation_angle = {draw.choice((0, 10))}"}[law]
    return '[[material]]\nregion = "all"\n' + (f'law = "{law}"\n' if law != "none" else "") + keys + ('\nformulation = "mixed"' if mixed else "") + "\ndensity = 1\n"


def model(seed):
    draw = random.Random(seed)
    dimension = draw.choice((2, 2, 3))
    kind = draw.choice(("quad", "tri") if dimension == 2 else ("hex", "tet"))
    plane = draw.choice(("plane_strain", "plane_stress", "axisymmetric")) if dimension == 2 else "solid"
    large, order = draw.random() < 0.6, draw.choice((1, 2))
    law = draw.choice(LARGE if large else SMALL)
    mixed = plane != "plane_stress" and law in (MIXED_LARGE if large else MIXED_SMALL) and draw.random() < 0.5
    text = f'[mesh]\nfile = "mesh.msh"\n[space]\norder = {order}\n[model]\ntype = "{plane}"\nlarge_displacement = {str(large).lower()}\n' + material(draw, law, mixed)
    sides = ["left", "bottom"] + (["back"] if dimension == 3 else [])
    held = draw.choice(("clamped", "symmetric"))
    if held == "clamped":
        text += '[[displacement]]\nregion = "left"\nfixed = true\n'
    else:
        text += "".join(f'[[displacement]]\nregion = "{side}"\n{axis} = 0\n' for side, axis in zip(sides, "xyz"))
    size = 1000 * 10 ** draw.uniform(-3, -0.3)
    vector = [draw.uniform(-1, 1) * size for _ in range(dimension)]
    load = draw.choice(("traction", "pressure", "moved", "weight"))
    if load == "traction":
        text += f'[[traction]]\nregion = "right"\nvalue = {vector}\n'
    elif load == "pressure":
        text += f'[[pressure]]\nregion = "{draw.choice(("right", "top"))}"\nvalue = {vector[0]}\n'
    elif load == "moved":
        text += f'[[displacement]]\nregion = "right"\nx = {draw.uniform(-0.4, 0.8) * (1 if large else 0.05)}\n'
    else:
        text += f'[[body_force]]\nregion = "all"\nvalue = {[0 if plane == "axisymmetric" and c == 0 else v for c, v in enumerate(vector)]}\n'
    extra = draw.choice(("", "", "ground", "spring"))
    if extra == "ground":
        text += f'[[foundation]]\nregion = "top"\nstiffness = {draw.uniform(1, 100)}\n' + ('acts = "compression"\n' if draw.random() < 0.5 else "")
    newton = "[newton]\n" + ("path = [1, 0]\n" if load != "pressure" and draw.random() < 0.2 else "")
    name = f"{kind}{order} {plane} {'large' if large else 'small'} {law}{' mixed' if mixed else ''}, {held}, {load}{' ' + extra if extra else ''}"
    return name, mesh(draw, dimension, kind, 1.0 if plane == "axisymmetric" else 0.0), text, newton


def run(tools, folder, text, name):
    (folder / f"{name}.toml").write_text(text)
    command = [tools / "ritz-elasticity", f"{name}.toml", "--output", name, "--overwrite", "--threads", "1"]
    try:
        process = subprocess.run([str(each) for each in command], cwd=folder, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return -1, "", "no end after 120 s"
    return process.returncode, process.stdout, process.stderr


REASONS = ("gives no number", "inside out", "no stiffness left", "no point of the path")


def confirmed(tools, folder, text, newton, errors):
    """Does the arc length find why? A sentence, or nothing."""
    exit_code, log, arc = run(tools, folder, text + newton.replace("path = [1, 0]\n", "") + 'control = "arc_length"\nmax_increments = 150\nsmallest_increment = 1e-5\n', "arc")
    parts = [float(each) for each in re.findall(r"increment \d+, (-?[\d.e+-]+) of the loads", log)]
    parts += [float(each) for each in re.findall(r"([-\d.e+]+) of the loads are in balance", arc)]
    most = max(parts, default=0)
    reached = re.search(r"([\d.e-]+) of the loads are in balance", errors)
    if exit_code == 0 and most < 1 and "path ends at" in log:
        return f"the arc length finds {most:.4g} of the loads at most"
    peak = next((a for a, b in zip(parts, parts[1:]) if b < a), None)
    if peak is not None and reached and abs(float(reached[1]) - peak) < 0.03 * peak:
        return f"along the arc the loads fall from {peak:.4g} on"
    shared = [each for each in REASONS if each in arc and each in errors]
    if exit_code == 5 and shared:
        return f"the arc ends likewise ({shared[0]}), at {most:.4g}"
    if exit_code == 5 and reached and most < 1.02 * max(float(reached[1]), 1e-3):
        return f"the arc ends there, too: {most:.4g}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=pathlib.Path("random_newton"))
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=int)
    options = parser.parse_args()
    tools = options.bin.resolve()
    counts = {"converged": 0, "confirmed": 0, "wrong": 0}
    for number in [options.model] if options.model is not None else range(options.models):
        name, msh, text, newton = model(1000003 * options.seed + number)
        folder = (options.folder / str(number)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "mesh.msh").write_text(msh)
        exit_code, log, errors = run(tools, folder, text + newton, "case")
        if exit_code == 0:
            verdict = "converged"
            steps = re.search(r"Newton's method.*?(\d+) (?:steps|iterations)", log)
            said = f"{steps[1]} steps" if steps else ""
        else:
            said = confirmed(tools, folder, text, newton, errors) if exit_code == 5 else None
            verdict = "confirmed" if said else "wrong"
            said = f"{said or 'NOT CONFIRMED'}: exit {exit_code}: {errors.strip()}"
        counts[verdict] += 1
        print(f"{number:3} {verdict}: {name}: {said}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
