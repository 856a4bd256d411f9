#!/usr/bin/env python3
"""The forecast of --estimate beside the peaks of the run itself, for cases of cells x orders x physics x solvers.

    tools/forecast_table.py BUILD/bin [FOLDER] [--only=NAME ...] [--tags] > table.md

Prints Markdown. Boxes are made here (Gmsh MSH 2.2); nothing but the executables is needed. Exit code 1 when a device peak is
off by more than a tenth.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ELASTICITY = """[[material]]
region = "all"
young = 1.0
poisson = 0.3
[[displacement]]
region = "x0"
fixed = true
[[force]]
region = "x1"
value = {force}
"""
HEAT = """[[material]]
region = "all"
conductivity = 1.0
[[temperature]]
region = "x0"
value = 0
[[flux]]
region = "x1"
value = 1.0
"""
# ritz-solve: forms by name, and plugins of the examples.
EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
LINEAR = """[model]
form = "elasticity"
[[material]]
region = "all"
lambda = 1.0
mu = 0.5
[[prescribe]]
region = "x0"
value = 0
[[load]]
region = "x1"
value = [0, 0, -1e-4]
"""
NEWTON = f"""plugin = "{EXAMPLES}/custom_energy/neo_hooke.cpp"
[[material]]
region = "all"
lambda = 1.0
mu = 0.5
[[prescribe]]
region = "x0"
value = 0
[[prescribe]]
region = "x1"
component = 0
value = 0.1
"""
UNSYMMETRIC = f"""plugin = "{EXAMPLES}/custom_form/varying_conduction.cpp"
[[material]]
region = "all"
conductivity = 2
growth = 1
source = 0.5
[[prescribe]]
region = "x0"
value = 0
"""
SHELL = """[[section]]
region = "all"
element = "shell"
young = 30e9
poisson = 0.2
thickness = 0.02
[[support]]
region = "x0"
fixed = true
[[pressure]]
region = "all"
value = 100
"""
FRAME = """[[section]]
region = "all"
element = "beam"
young = 210e9
poisson = 0.3
area = 1e-3
inertia_y = 1e-6
inertia_z = 1e-6
torsion = 2e-6
orientation = [0.3, 0.5, 0.7]
[[support]]
region = "x0"
fixed = true
[[force]]
region = "x1"
value = [0, 0, -100]
"""
MODAL = """[[material]]
region = "all"
young = 1.0
poisson = 0.3
density = 1.0
[[displacement]]
region = "x0"
fixed = true
"""
MODAL_FREE = MODAL.split("[[displacement]]")[0]
PROGRAMS = {MODAL: "ritz-modal", MODAL_FREE: "ritz-modal", SHELL: "ritz-structure", FRAME: "ritz-structure", HEAT: "ritz-heat", LINEAR: "ritz-solve", NEWTON: "ritz-solve", UNSYMMETRIC: "ritz-solve"}
HEX, TET, PLATE, LATTICE = "hex", "tet", "plate", "lattice"
KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]

# name, cells, cells along x y z, [mesh] keys, physics, [solver] keys, path of the forecast
SINGLE, DOUBLE, DIAGONAL, FREE = ("multigrid, single precision", "multigrid, double precision", "conjugate gradients with the diagonal",
                                  "without a matrix")
P_MULTIGRID = "without a matrix, p-multigrid"
BICGSTAB, DIRECT = "BiCGSTAB with the diagonal", "direct"
MEMBERS = '\n[sweep]\nfields = false\n[[sweep.parameter]]\nkey = "{key}"\nfrom = {first}\nto = {last}\ncount = {count}\n'
LANCZOS, LOBPCG = "Lanczos with a factor", "LOBPCG with multigrid"
MULTIGRID = 'method = "cg"\npreconditioner = "multigrid"'
CASES = [
    ("elasticity hex8", HEX, (48, 24, 24), "", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity hex8, double", HEX, (40, 20, 20), "", ELASTICITY, MULTIGRID + '\nmultigrid.precision = "double"', DOUBLE),
    ("elasticity hex20", HEX, (22, 11, 11), 'order = 2', ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity hex27", HEX, (18, 9, 9), 'order = 2\nmid_nodes = "full"', ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet4", TET, (47, 24, 24), "", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet10", TET, (24, 12, 12), "order = 2", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet10, diagonal", TET, (20, 10, 10), "order = 2", ELASTICITY, 'method = "cg"\npreconditioner = "jacobi"', DIAGONAL),
    ("elasticity tet4, no matrix", TET, (40, 20, 20), "", ELASTICITY, 'method = "cg"\noperator = "matrix_free"', FREE),
    ("elasticity hex8, order 2", HEX, (32, 16, 16), "", ELASTICITY, "[space]\norder = 2", P_MULTIGRID),
    ("elasticity hex8, order 4", HEX, (16, 8, 8), "", ELASTICITY, "[space]\norder = 4", P_MULTIGRID),
    ("elasticity tet10, no matrix", TET, (30, 15, 15), "order = 2", ELASTICITY, 'method = "cg"\noperator = "matrix_free"', P_MULTIGRID),
    ("heat hex8, order 3", HEX, (30, 22, 22), "", HEAT, "[space]\norder = 3", P_MULTIGRID),
    ("heat hex8", HEX, (64, 48, 48), "", HEAT, MULTIGRID, SINGLE),
    ("heat tet4", TET, (63, 48, 48), "", HEAT, MULTIGRID, SINGLE),
    ("heat tet10", TET, (32, 24, 24), "order = 2", HEAT, MULTIGRID, SINGLE),
    ("heat hex8, no matrix", HEX, (64, 48, 48), "", HEAT, 'method = "cg"\noperator = "matrix_free"', FREE),
    ("form elasticity tet10", TET, (20, 10, 10), "order = 2", LINEAR, MULTIGRID, SINGLE),
    ("neo-Hooke hex8, Newton", HEX, (40, 20, 20), "", NEWTON, MULTIGRID, SINGLE),
    ("neo-Hooke tet4, Newton", TET, (40, 20, 20), "", NEWTON, 'method = "cg"\npreconditioner = "jacobi"', DIAGONAL),
    ("flux form tet4, Newton, GMRES", TET, (39, 30, 30), "", UNSYMMETRIC, 'method = "gmres"\npreconditioner = "multigrid"', SINGLE),
    ("flux form hex8, Newton, BiCGSTAB", HEX, (40, 30, 30), "", UNSYMMETRIC, 'method = "bicgstab"\npreconditioner = "jacobi"', BICGSTAB),
    ("form elasticity tet10, direct", TET, (12, 6, 6), "order = 2", LINEAR, 'method = "direct"', DIRECT),
    ("flux form hex8, Newton, direct", HEX, (30, 20, 20), "", UNSYMMETRIC, 'method = "direct"', DIRECT),
    ("elasticity hex8, direct", HEX, (24, 12, 12), "", ELASTICITY, 'method = "direct"', DIRECT),
    ("shells, direct", PLATE, (120, 100, 0), "", SHELL, "", DIRECT),
    ("beams, direct", LATTICE, (20, 20, 20), "", FRAME, "", DIRECT),
    ("modes hex8, Lanczos", HEX, (24, 12, 12), "", MODAL, '[modal]\nmethod = "lanczos"', LANCZOS),
    ("20 modes tet10, free, Lanczos", TET, (12, 6, 6), "order = 2", MODAL_FREE, '[modal]\nmethod = "lanczos"\ncount = 20', LANCZOS),
    ("modes hex8, LOBPCG", HEX, (40, 20, 20), "", MODAL, '[modal]\nmethod = "lobpcg"', LOBPCG),
    ("modes tet10, free, LOBPCG", TET, (16, 8, 8), "order = 2", MODAL_FREE, '[modal]\nmethod = "lobpcg"', LOBPCG),
    ("sweep of 12 materials, elasticity hex8", HEX, (32, 16, 16), "", ELASTICITY, MULTIGRID + MEMBERS.format(key="material.0.poisson", first=0.1, last=0.4, count=12), SINGLE),
    ("sweep of 10 materials, heat tet10", TET, (24, 16, 16), "order = 2", HEAT, MULTIGRID + MEMBERS.format(key="material.0.conductivity", first=1, last=3, count=10), SINGLE),
    ("sweep of 20 loads, heat tet4", TET, (39, 30, 30), "", HEAT, MULTIGRID + MEMBERS.format(key="flux.0.value", first=1, last=2, count=20), SINGLE),
    ("sweep of 12 loads, elasticity hex8, direct", HEX, (20, 10, 10), "", ELASTICITY, 'method = "direct"' + MEMBERS.format(key="material.0.young", first=1, last=2, count=12), DIRECT),
]


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
    with open(path, "w") as out:
        out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n3 1 "all"\n2 2 "x0"\n2 3 "x1"\n$EndPhysicalNames\n')
        out.write(f"$Nodes\n{(nx + 1) * (ny + 1) * (nz + 1)}\n")
        for k in range(nz + 1):
            for j in range(ny + 1):
                out.writelines(f"{number(i, j, k)} {i / ny} {j / ny} {k / ny}\n" for i in range(nx + 1))
        out.write("$EndNodes\n$Elements\n")
        lines = []
        for k in range(nz):
            for j in range(ny):
                for i in range(nx):
                    c = [number(i + a, j + b, k + d) for d in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
                    if cells == HEX:
                        lines.append("5 2 1 1 " + " ".join(map(str, c)))
                    else:
                        lines.extend("4 2 1 1 " + " ".join(str(c[a]) for a in tet) for tet in KUHN)
        for side, i in ((2, 0), (3, nx)):
            for k in range(nz):
                for j in range(ny):
                    q = [number(i, j, k), number(i, j + 1, k), number(i, j + 1, k + 1), number(i, j, k + 1)]
                    if cells == HEX:
                        lines.append(f"3 2 {side} {side} " + " ".join(map(str, q)))
                    else:
                        lines.extend(f"2 2 {side} {side} " + " ".join(str(q[a]) for a in tri) for tri in ((0, 1, 2), (0, 2, 3)))
        out.write(f"{len(lines)}\n")
        out.writelines(f"{n} {line}\n" for n, line in enumerate(lines, 1))
        out.write("$EndElements\n")


def run(program, case, report, *arguments):
    start = time.time()
    process = subprocess.run([program, case, "--device", "cpu", "--overwrite", "--quiet", "--json", report, *arguments], cwd=case.parent, capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{program} {case}: exit {process.returncode}\n{process.stderr}")
    return json.loads(report.read_text()), time.time() - start


def own_seconds(report):
    return sum(phase["seconds"] for name, phase in report["phases"].items() if "/" not in name)


def main():
    bin_folder = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 and not sys.argv[2].startswith("--") else tempfile.mkdtemp(prefix="ritz-forecast-")).resolve()
    folder.mkdir(exist_ok=True)
    print("| case | unknowns | device peak: forecast MB | measured MB | ratio | host peak: forecast MB | measured MB | ratio | estimate s | run s |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    worst = 0
    chosen = [a[len("--only="):] for a in sys.argv if a.startswith("--only=")]
    cases = [case for case in CASES if not chosen or any(word in case[0] for word in chosen)]
    for number, (name, cells, counts, mesh_keys, physics, solver, path) in enumerate(cases):
        mesh = folder / f"{cells}-{'-'.join(map(str, counts))}.msh"
        if not mesh.exists():
            (write_box if cells in (HEX, TET) else write_structure)(mesh, cells, counts)
        case = folder / f"case{number}.toml"
        program = bin_folder / PROGRAMS.get(physics, "ritz-elasticity")
        head, body = physics.split("\n", 1) if physics.startswith("plugin") else ("", physics)
        body = body.replace("{force}", "[0.0, 0.0, -1e-4]")
        solver = solver if solver.startswith("[") else "[solver]\n" + solver
        case.write_text(f'{head}\n[mesh]\nfile = "{mesh.name}"\n{mesh_keys}\n{body}\n{solver}\n')
        estimate, _ = run(program, case, folder / "estimate.json", "--estimate", "--threads", "2")
        real, _ = run(program, case, folder / "run.json", "--threads", "2")
        forecast, memory = estimate["forecast"][path], real["memory"]
        refreshes = int(real["facts"].get("sweep_refreshes", 0))
        device_peak = forecast["device_peak_refreshed"] if refreshes else forecast["device_peak"]
        device, host = device_peak / memory["device_peak"], forecast["host_peak"] / memory["host_peak"]
        worst = max(worst, abs(device - 1))
        print(f"| {name} | {real['unknowns']} | {device_peak / 1e6:.1f} | {memory['device_peak'] / 1e6:.1f} | {device:.2f} | "
              f"{forecast['host_peak'] / 1e6:.0f} | {memory['host_peak'] / 1e6:.0f} | {host:.2f} | "
              f"{estimate['phases'].get('forecast', {}).get('seconds', 0):.2f} | {own_seconds(real):.2f} |", flush=True)
        if path in (DIRECT, LANCZOS) and "Newton" not in name and not name.startswith("sweep") and forecast["factor"] != real["solver"].get("factor_bytes_foreseen", 0):
            sys.exit(f"{name}: the factor was foreseen with {forecast['factor']} bytes: {real['solver']}")
        if "--tags" in sys.argv:
            tags = sorted(set(forecast["at_peak"]) | set(memory["at_peak"]))
            print("   ", "; ".join(f"{t} {forecast['at_peak'].get(t, 0) / 1e6:.1f}/{memory['at_peak'].get(t, 0) / 1e6:.1f}" for t in tags))
    sys.exit(1 if worst > 0.1 else 0)


if __name__ == "__main__":
    main()
