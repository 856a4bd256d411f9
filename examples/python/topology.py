"""The stiffest cantilever of half the material: topology optimisation with Young's modulus in each cell, and derivatives by the adjoint.

Prints the compliance over that of an even distribution after 25 steps: 0.2299. Bendsoe and Sigmund, Topology Optimization, 2003, chapter 1:
penalised densities (SIMP, exponent 3), a filter of the sensitivities, and the optimality criteria.
"""
import numpy as np
import ritz
import scipy.sparse as sparse

nx, ny = 48, 16
points = np.stack(np.meshgrid(np.arange(nx + 1.0), np.arange(ny + 1.0), indexing="ij"), -1).reshape(-1, 2)
node = np.arange(len(points)).reshape(nx + 1, ny + 1)
cells = np.stack([node[i : i + nx, j : j + ny].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))], 1)
mesh = ritz.Mesh(points, {"quad4": cells}, regions={"left": {"nodes": node[0]}})
load = np.zeros((len(points), 2))
load[node[-1, ny // 2], 1] = -1

# Sensitivities are averaged over 1.5 cells.
centre = points[cells].mean(1)
near = np.maximum(0, 1.5 - np.linalg.norm(centre[:, None] - centre[None], axis=2))
filtered = sparse.csr_matrix(near / near.sum(1)[:, None])

density = np.full(len(cells), 0.5)
young = lambda: 1e-4 + density**3
model = ritz.Model({
    "model": {"type": "plane_stress", "thickness": 1.0},
    "material": [{"region": "all", "young": ritz.per_cell(young()), "poisson": 0.3}],
    "displacement": [{"region": "left", "fixed": True}],
}, mesh=mesh)

first = None
for step in range(26):
    model.update({"material.0.young": young()})
    u = model.solve(load=load)
    compliance = (load * u).sum()
    first = first or compliance
    by_young = model.vjp(load, of="material.0.young")["material.0.young"]
    gain = filtered @ (-by_young * 3 * density**3) / density
    low, high = 0.0, 1e9  # of the multiplier: half of the material
    while high - low > 1e-10 * (high + low):
        middle = (low + high) / 2
        new = np.clip(density * np.sqrt(np.maximum(gain, 0) / middle), np.maximum(density - 0.2, 0.01), np.minimum(density + 0.2, 1))
        low, high = (middle, high) if new.mean() > 0.5 else (low, middle)
    density = new

print(f"{compliance / first:.4f}")
