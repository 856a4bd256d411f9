#!/usr/bin/env python3
"""The forecast of --estimate beside the peaks of the run itself, for cases of cells x orders x physics x solvers.

    tools/forecast_table.py BUILD/bin [FOLDER] [--only=NAME ...] [--tags] > table.md

Prints Markdown. Boxes are made here (box_meshes.py); nothing but the executables is needed. Exit code 1 when a device peak is
off by more than a tenth.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from box_meshes import HEX, LATTICE, MIXED, PLATE, PRISM, PYRAMID, QUADS, TET, TRIANGLES, write_mesh
from model_texts import (AXISYMMETRIC, COLD_HALF, COLD_STEP, COOLED, ELASTICITY, FRAME, GRADED, HEAT, HEATED_SUMS, LINEAR, MEMBERS, MODAL, MODAL_FREE, MULTIGRID, NEWTON, PLANE, PLASTIC, PROGRAMS,
                         PULLED, PULLED_SUMS, SHELL, SOFT_HALF, STEP, UNSYMMETRIC, WEIGHED_AND_PULLED, WEIGHED_SUMS, case_text)

# name, cells, cells along x y z, [mesh] keys, physics, [solver] keys, path of the forecast
SINGLE, DOUBLE, DIAGONAL, FREE = ("multigrid, single precision", "multigrid, double precision", "conjugate gradients with the diagonal",
                                  "without a matrix")
P_MULTIGRID = "without a matrix, p-multigrid"
BICGSTAB, DIRECT = "BiCGSTAB with the diagonal", "direct"
VTKHDF = '\n[output]\nformat = "vtkhdf"\n'
WITH_FIELDS = MEMBERS.replace("fields = false\n", "")
MATRIX = MULTIGRID + '\noperator = "matrix"'
LANCZOS, LOBPCG, LOBPCG_FREE = "Lanczos with a factor", "LOBPCG with multigrid", "LOBPCG without a matrix, p-multigrid"
CASES = [
    ("elasticity hex8", HEX, (48, 24, 24), "", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity hex8, double", HEX, (40, 20, 20), "", ELASTICITY, MULTIGRID + '\nmultigrid.precision = "double"', DOUBLE),
    ("elasticity hex20", HEX, (22, 11, 11), 'order = 2', ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity hex27", HEX, (18, 9, 9), 'order = 2\nmid_nodes = "full"', ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet4", TET, (47, 24, 24), "", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet4, refined", TET, (48, 24, 24), "", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet4, refined, two materials", TET, (48, 24, 24), "", SOFT_HALF, MULTIGRID, SINGLE),
    ("elasticity tet4, refined, a formula with a step", TET, (48, 24, 24), "", STEP, MULTIGRID, SINGLE),
    ("elasticity tet4, refined, a smooth formula", TET, (48, 24, 24), "", GRADED, MULTIGRID, SINGLE),
    ("heat tet4, refined, a formula with a step", TET, (64, 48, 48), "", COLD_STEP, MULTIGRID, SINGLE),
    ("elasticity tet10", TET, (24, 12, 12), "order = 2", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet10, as the run chooses", TET, (24, 12, 12), "order = 2", ELASTICITY, "", P_MULTIGRID),
    ("elasticity hex20, as the run chooses", HEX, (22, 11, 11), "order = 2", ELASTICITY, "", P_MULTIGRID),
    ("elasticity prism6", PRISM, (37, 19, 19), "", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity tet10, diagonal", TET, (20, 10, 10), "order = 2", ELASTICITY, 'method = "cg"\npreconditioner = "jacobi"', DIAGONAL),
    ("elasticity tet4, no matrix", TET, (40, 20, 20), "", ELASTICITY, 'method = "cg"\noperator = "matrix_free"', FREE),
    ("elasticity hex8, order 2", HEX, (32, 16, 16), "", ELASTICITY, "[space]\norder = 2", P_MULTIGRID),
    ("elasticity hex8, order 4", HEX, (16, 8, 8), "", ELASTICITY, "[space]\norder = 4", P_MULTIGRID),
    ("elasticity tet10, no matrix", TET, (30, 15, 15), "order = 2", ELASTICITY, 'method = "cg"\noperator = "matrix_free"', P_MULTIGRID),
    ("heat hex8, order 3", HEX, (30, 22, 22), "", HEAT, "[space]\norder = 3", P_MULTIGRID),
    ("heat hex8", HEX, (64, 48, 48), "", HEAT, MULTIGRID, SINGLE),
    ("heat tet4", TET, (63, 48, 48), "", HEAT, MULTIGRID, SINGLE),
    ("heat hex8, no refinement", HEX, (47, 47, 47), "", HEAT, MULTIGRID, SINGLE),
    ("heat tet4, refined", TET, (64, 48, 48), "", HEAT, MULTIGRID, SINGLE),
    ("heat tet4, refined, two materials", TET, (64, 48, 48), "", COLD_HALF, MULTIGRID, SINGLE),
    ("heat tet10", TET, (32, 24, 24), "order = 2", HEAT, MULTIGRID, SINGLE),
    ("heat prism6", PRISM, (51, 41, 41), "", HEAT, MULTIGRID, SINGLE),
    ("heat hex8, no matrix", HEX, (64, 48, 48), "", HEAT, 'method = "cg"\noperator = "matrix_free"', FREE),
    ("heat tri3", TRIANGLES, (401, 401, 0), "", HEAT, MULTIGRID, SINGLE),
    ("heat quad4", QUADS, (401, 401, 0), "", HEAT, MULTIGRID, SINGLE),
    ("heat quad4, refined", QUADS, (400, 400, 0), "", HEAT, MULTIGRID, SINGLE),
    ("heat triangles and quadrilaterals, order 3, matrix", MIXED, (101, 101, 0), "", HEAT, "[space]\norder = 3\n[solver]\n" + MATRIX, SINGLE),
    ("heat tri3, order 4, matrix, double", TRIANGLES, (75, 75, 0), "", HEAT, "[space]\norder = 4\n[solver]\n" + MATRIX + '\nmultigrid.precision = "double"', DOUBLE),
    ("heat tet4, order 3, matrix", TET, (14, 12, 12), "", HEAT, "[space]\norder = 3\n[solver]\n" + MATRIX, SINGLE),
    ("heat pyramid5", PYRAMID, (31, 31, 31), "", HEAT, MULTIGRID, SINGLE),
    ("plane elasticity tri3", TRIANGLES, (211, 211, 0), "", PLANE, MULTIGRID, SINGLE),
    ("plane elasticity quad8", QUADS, (105, 105, 0), "order = 2", PLANE, MULTIGRID, SINGLE),
    ("plane elasticity tri6, no matrix", TRIANGLES, (105, 105, 0), "order = 2", PLANE, 'method = "cg"\noperator = "matrix_free"', P_MULTIGRID),
    ("plane elasticity quad4, order 3, matrix", QUADS, (71, 71, 0), "", PLANE, "[space]\norder = 3\n[solver]\n" + MATRIX, SINGLE),
    ("elasticity pyramid5", PYRAMID, (21, 15, 15), "", ELASTICITY, MULTIGRID, SINGLE),
    ("elasticity hex8, order 3, matrix", HEX, (14, 7, 7), "", ELASTICITY, "[space]\norder = 3\n[solver]\n" + MATRIX, SINGLE),
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
    ("modes tet10, free, LOBPCG", TET, (16, 8, 8), "order = 2", MODAL_FREE, '[modal]\nmethod = "lobpcg"\noperator = "matrix_free"', LOBPCG_FREE),
    ("modes tet10, LOBPCG", TET, (24, 12, 12), "order = 2", MODAL, '[modal]\nmethod = "lobpcg"\noperator = "matrix_free"', LOBPCG_FREE),
    ("modes hex20, LOBPCG", HEX, (22, 11, 11), "order = 2", MODAL, '[modal]\nmethod = "lobpcg"\noperator = "matrix_free"', LOBPCG_FREE),
    ("modes hex8, order 3, LOBPCG", HEX, (14, 7, 7), "", MODAL, '[space]\norder = 3\n[modal]\nmethod = "lobpcg"\noperator = "matrix_free"', LOBPCG_FREE),
    ("12 load cases, elasticity hex8", HEX, (24, 12, 12), "", PULLED, MULTIGRID, SINGLE),
    ("5 load cases, 10 combinations, elasticity hex8", HEX, (32, 16, 16), "", PULLED_SUMS, MULTIGRID, SINGLE),
    ("5 load cases, 10 combinations, elasticity hex8, direct", HEX, (20, 10, 10), "", PULLED_SUMS, 'method = "direct"', DIRECT),
    ("5 load cases, 10 combinations, elasticity tet10, diagonal", TET, (16, 8, 8), "order = 2", PULLED_SUMS, 'method = "cg"\npreconditioner = "jacobi"', DIAGONAL),
    ("2 load cases, 10 combinations, elasticity tet10, as the run chooses", TET, (24, 12, 12), "order = 2", WEIGHED_SUMS, "", P_MULTIGRID),
    ("3 load cases, 4 combinations, common load, elasticity hex20", HEX, (16, 8, 8), "order = 2", WEIGHED_AND_PULLED, MULTIGRID, SINGLE),
    ("2 load cases, 10 combinations, elasticity tet4, no matrix", TET, (30, 15, 15), "", WEIGHED_SUMS, 'method = "cg"\noperator = "matrix_free"', FREE),
    ("5 load cases, 6 combinations, heat tet4", TET, (39, 30, 30), "", HEATED_SUMS, MULTIGRID, SINGLE),
    ("sweep of 12 materials, elasticity hex8", HEX, (32, 16, 16), "", ELASTICITY, MULTIGRID + MEMBERS.format(key="material.0.poisson", first=0.1, last=0.4, count=12), SINGLE),
    ("sweep of 10 materials, heat tet10", TET, (24, 16, 16), "order = 2", HEAT, MULTIGRID + MEMBERS.format(key="material.0.conductivity", first=1, last=3, count=10), SINGLE),
    ("sweep of 20 loads, heat tet4", TET, (39, 30, 30), "", HEAT, MULTIGRID + MEMBERS.format(key="flux.0.value", first=1, last=2, count=20), SINGLE),
    ("sweep of 12 loads, elasticity hex8, direct", HEX, (20, 10, 10), "", ELASTICITY, 'method = "direct"' + MEMBERS.format(key="material.0.young", first=1, last=2, count=12), DIRECT),
    ("axisymmetric quad4", QUADS, (301, 301, 0), "", AXISYMMETRIC, MULTIGRID, SINGLE),
    ("plasticity tet10", TET, (10, 10, 10), "order = 2", PLASTIC, MATRIX, SINGLE),
    ("plasticity hex8", HEX, (40, 20, 20), "", PLASTIC, MULTIGRID, SINGLE),
    ("heat tet4, VTKHDF", TET, (55, 41, 41), "", HEAT, MULTIGRID + VTKHDF, SINGLE),
    ("5 load cases, 10 combinations, elasticity hex8, VTKHDF", HEX, (41, 20, 20), "", PULLED_SUMS, MULTIGRID + VTKHDF, SINGLE),
    ("5 load cases, 6 combinations, heat tet10, VTKHDF", TET, (21, 15, 15), "order = 2", HEATED_SUMS, MULTIGRID + VTKHDF, SINGLE),
    ("heat tet4, order 4, as the run chooses", TET, (10, 9, 9), "", HEAT, "[space]\norder = 4", P_MULTIGRID),
    ("7 modes prism6, LOBPCG", PRISM, (41, 21, 21), "", MODAL, '[modal]\nmethod = "lobpcg"\ncount = 7', LOBPCG),
    ("30 modes hex20, Lanczos", HEX, (14, 7, 7), "order = 2", MODAL, '[modal]\nmethod = "lanczos"\ncount = 30', LANCZOS),
    ("elasticity hex8, larger", HEX, (71, 41, 41), "", ELASTICITY, MULTIGRID, SINGLE),
    ("heat tet4, refined, convection and a formula, larger", TET, (80, 80, 80), "", COOLED, MULTIGRID, SINGLE),
    ("sweep of 8 materials with fields, heat hex8", HEX, (45, 35, 35), "", HEAT, MULTIGRID + WITH_FIELDS.format(key="material.0.conductivity", first=1, last=3, count=8), SINGLE),
    ("sweep of 6 materials with fields, elasticity tet4", TET, (31, 15, 15), "", ELASTICITY, MULTIGRID + WITH_FIELDS.format(key="material.0.young", first=1, last=2, count=6), SINGLE),
]


def run(program, case, report, *arguments):
    process = subprocess.run([program, case, "--device", "cpu", "--overwrite", "--quiet", "--json", report, *arguments], cwd=case.parent, capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{program} {case}: exit {process.returncode}\n{process.stderr}")
    return json.loads(report.read_text())


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
            write_mesh(mesh, cells, counts)
        case = folder / f"case{number}.toml"
        program = bin_folder / PROGRAMS.get(physics, "ritz-elasticity")
        case.write_text(case_text(physics, mesh.name, mesh_keys, solver))
        estimate = run(program, case, folder / "estimate.json", "--estimate", "--threads", "2")
        real = run(program, case, folder / "run.json", "--threads", "2")
        forecast, memory = estimate["forecast"][path], real["memory"]
        refreshes = int(real["facts"].get("sweep_refreshes", 0))
        device_peak, host_peak = (forecast[key + ("_refreshed" if refreshes else "")] for key in ("device_peak", "host_peak"))
        device, host = device_peak / memory["device_peak"], host_peak / memory["host_peak"]
        worst = max(worst, abs(device - 1))
        print(f"| {name} | {real['unknowns']} | {device_peak / 1e6:.1f} | {memory['device_peak'] / 1e6:.1f} | {device:.2f} | "
              f"{host_peak / 1e6:.0f} | {memory['host_peak'] / 1e6:.0f} | {host:.2f} | "
              f"{estimate['phases'].get('forecast', {}).get('seconds', 0):.2f} | {own_seconds(real):.2f} |", flush=True)
        if path in (DIRECT, LANCZOS) and not any(word in name for word in ("Newton", "sweep", "combinations")) and forecast["factor"] != real["solver"].get("factor_bytes_foreseen", 0):
            sys.exit(f"{name}: the factor was foreseen with {forecast['factor']} bytes: {real['solver']}")
        if "--tags" in sys.argv:
            tags = sorted(set(forecast["at_peak"]) | set(memory["at_peak"]))
            print("   ", "; ".join(f"{t} {forecast['at_peak'].get(t, 0) / 1e6:.1f}/{memory['at_peak'].get(t, 0) / 1e6:.1f}" for t in tags))
    sys.exit(1 if worst > 0.1 else 0)


if __name__ == "__main__":
    main()
