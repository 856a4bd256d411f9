"""A bolt that is tightened by cooling it, and then pulled by a working load: what of the load the bolt feels.

Prints the force in the bolt: 20 kN of preload, and of 6 kN of load the share of the bolt's stiffness, A_b / (A_b + A_s) where bolt and sleeve
are of one length and material: 20000 + 6000 * 5^2 / (5^2 + 12^2 - 6^2) = 21127.8 N.
"""
import numpy as np
import ritz

# Half of a section, in m: the shank of the bolt, the sleeve that it clamps, and a head that joins both at the top. y = 0 is a plane of symmetry.
radii, length, head = [0, 0.005, 0.006, 0.012], 0.05, 0.06
x = np.unique(np.concatenate([np.linspace(a, b, n + 1) for a, b, n in zip(radii, radii[1:], (3, 1, 4))]).round(9))
y = np.concatenate([np.linspace(0, length, 11), [head]])
points = np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2)
node = np.arange(len(points)).reshape(len(x), len(y))
cells = np.stack([node[i : i + len(x) - 1, j : j + len(y) - 1].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))], 1)
centre = points[cells].mean(1)
is_head, is_bolt, is_sleeve = centre[:, 1] > length, centre[:, 0] < radii[1], centre[:, 0] > radii[2]
cells = cells[is_head | is_bolt | is_sleeve]  # the gap between shank and sleeve has none
centre = points[cells].mean(1)
top = np.stack([node[1:, -1], node[:-1, -1]], 1)
middle = np.nonzero((abs(centre[:, 1] - 0.4 * length) < length / 10) & (centre[:, 0] < radii[1]))[0]  # a slice of the shank, of one row of cells
middle = middle[centre[middle, 1] == centre[middle, 1].min()]
mesh = ritz.Mesh(points, {"quad4": cells, "line2": top}, regions={
    "head": {"quad4": np.nonzero(centre[:, 1] > length)[0]},
    "bolt": {"quad4": np.nonzero((centre[:, 1] < length) & (centre[:, 0] < radii[1]))[0]},
    "sleeve": {"quad4": np.nonzero((centre[:, 1] < length) & (centre[:, 0] > radii[2]))[0]},
    "slice": {"quad4": middle}, "top": {"line2": np.arange(len(top))}, "foot": {"nodes": node[:, 0][np.isin(node[:, 0], cells)]}})
steel = {"young": 210e9, "poisson": 0.0}
joint = {
    "model": {"type": "axisymmetric"},
    "material": [{"region": "bolt", **steel, "expansion": 1e-5},            # the bolt alone shrinks
                 {"region": "sleeve", **steel, "expansion": 0.0}, {"region": "head", "young": 210e15, "poisson": 0.0, "expansion": 0.0}],
    "displacement": [{"region": "foot", "y": 0}],
    "probe": [{"name": "stress", "field": "stress", "component": "yy", "region": "slice", "measure": "mean", "values": "cells"}],
}
area = np.pi * radii[1] ** 2

wanted = 20e3  # N
cooled = {**joint, "thermal": {"temperature": -1.0, "reference": 0.0}}
of_one_kelvin = area * ritz.run(cooled, mesh=mesh).probes["stress"]
cooled["thermal"]["temperature"] = -wanted / of_one_kelvin  # linear: the second run has the force
tightened = area * ritz.run(cooled, mesh=mesh).probes["stress"]
loaded = area * ritz.run({**cooled, "force": [{"region": "top", "value": [0, 6000]}]}, mesh=mesh).probes["stress"]
print(f"cooled by {-cooled['thermal']['temperature']:.2f} K the bolt has {tightened:.1f} N, and under the load")
print(f"{loaded:.1f}")
