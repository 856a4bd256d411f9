"""A coefficient that depends on the solution in a way that no key of a case has: Picard's iteration, one linear run after the other.

Conductivity falls with the gradient g of the temperature, k = k0 / (1 + g / g0), in a tube that is heated inside and held at 0 degrees outside.
Prints the temperature inside: with q = Q a / r, g = Q a / (k0 r - Q a / g0), whose integral is (Q a / k0) ln((k0 b - c) / (k0 a - c)) with
c = Q a / g0, here 50 ln 3 = 54.93.
"""
import numpy as np
import ritz

a, b, n, k0, g0, Q = 1.0, 2.0, 100, 10.0, 100.0, 500.0
x = np.linspace(a, b, n + 1)
points = np.stack(np.meshgrid(x, [0, 0.01], indexing="ij"), -1).reshape(-1, 2)
node = np.arange(len(points)).reshape(n + 1, 2)
cells = np.stack([node[i : i + n, j].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))], 1)
mesh = ritz.Mesh(points, {"quad4": cells, "line2": node[0][None, ::-1]}, regions={"inside": {"line2": np.arange(1)}, "outside": {"nodes": node[-1]}})

conductivity = np.full(n, k0)
for step in range(1, 100):
    result = ritz.run({
        "model": {"type": "axisymmetric"},
        "material": [{"region": "all", "conductivity": ritz.per_cell(conductivity)}],
        "flux": [{"region": "inside", "value": Q}],
        "temperature": [{"region": "outside", "value": 0.0}],
    }, mesh=mesh)
    gradient = np.linalg.norm(result.cell_fields["heat_flux"], axis=1) / conductivity
    wanted = k0 / (1 + gradient / g0)
    change = abs(wanted / conductivity - 1).max()
    # Where iterations swing to and fro, go half of the way: conductivity = (conductivity + wanted) / 2.
    conductivity = wanted
    if change < 1e-6:
        break
print(f"{step} runs, change {change:.1e}")
print(f"{result.fields['temperature'][node[0, 0]]:.2f}")
