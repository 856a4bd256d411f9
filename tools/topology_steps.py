#!/usr/bin/env python3
"""Steps of topology optimisation of a cantilever of hexahedra: what a step takes beside two solves, and the memory after each.

    PYTHONPATH=build/python python3 tools/topology_steps.py --cells 80 50 25 --steps 100 [--torch-fem] [--threads 1]

A step is update() of Young's modulus in each cell, solve() and vjp(): the compliance and its derivative. The two solves are those of the
step: update() and solve(), and the adjoint, measured by vjp(of="load") once more. With --torch-fem each step is done by torch-fem, too, in turns, with the same moduli and
tolerance, by its conjugate gradients with pyamg. Times are seconds of processor time of the process; memory is its resident set, and
what the pool of arrays holds.
"""
import argparse
import os
import time

import numpy as np
import ritz
from ritz import _ritz
from ritz._picture import Grid


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, nargs=3, default=(80, 50, 25))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--picture", metavar="FILE.png", help="the body of the last step")
    parser.add_argument("--torch-fem", action="store_true", help="the same steps by torch-fem, in turns")
    return parser.parse_args()


def box(n):
    points = np.stack(np.meshgrid(*(np.arange(k + 1.0) for k in n), indexing="ij"), -1).reshape(-1, 3)
    node = np.arange(len(points)).reshape([k + 1 for k in n])
    corner = lambda i, j, k: node[i : n[0] + i, j : n[1] + j, k : n[2] + k].ravel()
    cells = np.stack([corner(*at) for at in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))], 1)
    load = np.zeros((len(points), 3))
    load[node[-1, :, 0], 1] = -1.0
    return points, cells, node[0].ravel(), load


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def next_density(density, gain):
    low, high = 0.0, 1e9  # of the multiplier: half of the material
    while high - low > 1e-9 * (high + low):
        middle = (low + high) / 2
        new = np.clip(density * np.sqrt(np.maximum(gain, 0) / middle), np.maximum(density - 0.2, 0.05), np.minimum(density + 0.2, 1))
        low, high = (middle, high) if new.mean() > 0.5 else (low, middle)
    return new


def draw(path, points, cells, density, u):
    """The cells that keep more than half of their material, coloured by density and moved by a tenth of the body's size."""
    kept = density > 0.5
    nodes, numbers = np.unique(cells[kept], return_inverse=True)
    grid = Grid(points[nodes], [(12, np.arange(kept.sum()), numbers.reshape(-1, 8))], {"displacement": u[nodes]}, {"density": density[kept]})
    mesh, structural, steps = grid.shown()
    with open(path, "wb") as file:
        file.write(_ritz.picture(mesh, structural, steps, {"field": "density", "warp": "displacement"}, f"{kept.sum()} of {len(cells)} cells"))


class TorchFem:
    def __init__(self, points, cells, left, load, tolerance, threads):
        import torch
        import torchfem
        from torchfem.materials import IsotropicElasticity3D
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(threads)
        self.torch, self.tolerance, self.material = torch, tolerance, IsotropicElasticity3D
        self.model = torchfem.Solid(torch.from_numpy(points), torch.from_numpy(cells), IsotropicElasticity3D(1.0, 0.3))
        self.model.forces = torch.from_numpy(load)
        self.model.constraints[left] = True
        self.load = torch.from_numpy(load)

    def step(self, young):
        E = self.torch.from_numpy(young).requires_grad_()
        self.model.material = self.material(E, 0.3).vectorize(len(young))
        u = self.model.solve(stol=self.tolerance, rtol=self.tolerance, method="cg", preconditioner="amg", differentiable_parameters=E)[0]
        compliance = (self.load * u).sum()
        compliance.backward()
        return float(compliance.detach()), E.grad.numpy()


def main():
    options = parse()
    points, cells, left, load = box(options.cells)
    mesh = ritz.Mesh(points, {"hex8": cells}, regions={"left": {"nodes": left}})
    density = np.full(len(cells), 0.5)
    young = 1e-4 + density**3
    model = ritz.Model({"material": [{"region": "all", "young": ritz.per_cell(young), "poisson": 0.3}],
                        "displacement": [{"region": "left", "fixed": True}],
                        "solver": {"method": "cg", "preconditioner": "multigrid", "tolerance": options.tolerance}},
                       mesh=mesh, device="cpu", threads=options.threads)
    other = TorchFem(points, cells, left, load, options.tolerance, options.threads) if options.torch_fem else None
    print(f"{len(cells)} cells, {points.size} unknowns, tolerance {options.tolerance:g}, {options.threads} threads, load {os.getloadavg()[0]:.1f}")
    print("step  compliance  solve s  adjoint s  vjp s  step/both solves  resident MB  pool MB  iterations" + ("  torch-fem s  derivatives differ by" if other else ""))
    for number in range(options.steps):
        young = 1e-4 + density**3
        t = [time.process_time()]
        model.update({"material.0.young": young})
        u = model.solve(load=load)
        t.append(time.process_time())
        by_young = model.vjp(load, of="material.0.young")["material.0.young"]
        t.append(time.process_time())
        model.vjp(load, of="load")
        t.append(time.process_time())
        compliance = (load * u).sum()
        solve, by, adjoint = np.diff(t)
        line = (f"{number:4}  {compliance:10.4f}  {solve:7.2f}  {adjoint:9.2f}  {by:5.2f}  {(solve + by) / (solve + adjoint):16.2f}"
                f"  {resident() / 1e6:11.0f}  {sum(model.memory) / 1e6:7.0f}  {model.report.iterations:10}")
        if other:
            begin = time.process_time()
            _, theirs = other.step(young)
            line += f"  {time.process_time() - begin:11.2f}  {abs(theirs - by_young).max() / abs(by_young).max():.1e}"
        print(line, flush=True)
        if options.picture and number + 1 == options.steps:
            draw(options.picture, points, cells, density, u)
        density = next_density(density, -by_young * 3 * density**2 * density)


if __name__ == "__main__":
    main()
