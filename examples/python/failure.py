"""Tsai and Wu's failure index in the axes of the fibres, at every node of a case: off-axis tension of examples/composite.

Prints the tension [MPa] at which the ply fails, 30 degrees from the fibres. Stresses are uniform there: s1 = s cos^2, s2 = s sin^2,
s12 = -s sin cos, which makes 114.60 MPa. Tsai and Wu, A General Theory of Strength for Anisotropic Materials, 1971.
"""
import os
import pathlib

import numpy as np
import ritz

case = pathlib.Path(__file__).resolve().parent.parent / "composite/off_axis.toml"
result = ritz.run(os.fspath(case))

# Stress at nodes (xx, yy, zz, xy, yz, xz) as matrices, in the axes of the [[orientation]]: its first axis, and the one across in its plane.
s = result.fields["stress"]
xx, yy, zz, xy, yz, xz = s.T
stress = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
fibre = np.array([np.sqrt(3) / 2, 0.5, 0])
axes = np.array([fibre, [-0.5, np.sqrt(3) / 2, 0], [0, 0, 1]])
local = axes @ stress @ axes.T
s1, s2, s12 = local[:, 0, 0], local[:, 1, 1], local[:, 0, 1]

# Strengths along and across the fibres, in tension and pressure, and in shear [Pa].
Xt, Xc, Yt, Yc, S = 1500e6, 1200e6, 50e6, 250e6, 70e6
F1, F2, F11, F22, F66 = 1 / Xt - 1 / Xc, 1 / Yt - 1 / Yc, 1 / (Xt * Xc), 1 / (Yt * Yc), 1 / S**2
F12 = -0.5 * np.sqrt(F11 * F22)
quadratic = F11 * s1**2 + F22 * s2**2 + F66 * s12**2 + 2 * F12 * s1 * s2
linear = F1 * s1 + F2 * s2
index = quadratic + linear  # below 1: it holds
reserve = (-linear + np.sqrt(linear**2 + 4 * quadratic)) / (2 * quadratic)  # the factor on all loads at which it fails
print(f"largest index {index.max():.5f}, at node {index.argmax()}; the loads may grow by")
print(f"{reserve.min() * 1.0:.2f}")  # of 1 MPa
