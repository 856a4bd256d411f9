"""A bar from arrays, bent by a moment at its end: no mesh file, no case file, no result file.

Prints how far the end sinks: M L^2 / (2 E I) = 1e6 * 4^2 / (2 * 200e9 / 12) = 4.8e-4 m.
"""
import numpy as np
import ritz

# 8 x 2 x 2 hexahedra on 4 x 1 x 1 m; quadrilaterals name the two ends
n, size = (8, 2, 2), (4, 1, 1)
points = np.stack(np.meshgrid(*[np.linspace(0, s, k + 1) for s, k in zip(size, n)], indexing="ij"), -1).reshape(-1, 3)
node = np.arange(len(points)).reshape(9, 3, 3)
corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]  # VTK's order
hexahedra = np.stack([node[i : i + 8, j : j + 2, k : k + 2].ravel() for i, j, k in corners], 1)
ends = np.concatenate([np.stack([end[j : j + 2, k : k + 2].ravel() for j, k in ((0, 0), (1, 0), (1, 1), (0, 1))], 1) for end in (node[0], node[-1])])

mesh = ritz.Mesh(points, {"hex8": hexahedra, "quad4": ends}, regions={"left": {"quad4": np.arange(4)}, "right": {"quad4": np.arange(4, 8)}})
result = ritz.run({
    "space": {"order": 2},
    "material": [{"region": "all", "young": 200e9, "poisson": 0.0}],
    "displacement": [{"region": "left", "fixed": True}],
    "coupling": [{"region": "right", "moment": [0, 1e6, 0]}],
}, mesh=mesh)

print(result)
print(f"{-result.fields['displacement'][node[-1, 1, 1], 2]:.7f}")
