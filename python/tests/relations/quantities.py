"""Numbers of a case that know their unit and how they turn, and frames, which turn, mirror, move and scale them.

    value = Vector([0, 0, -1e3], unit(F=1))
    value.under(frame).text()          # [..., ..., ...] as a case has it

`needs` of a quantity: "any" frame, or "axes" alone, those that map axes to axes.
"""
import dataclasses

import numpy as np


def unit(L=0, F=0, T=0):
    """Exponents of length, force and time. Temperatures have one unit in all frames."""
    return (L, F, T)


NONE, LENGTH, FORCE, STRESS = unit(), unit(L=1), unit(F=1), unit(F=1, L=-2)


@dataclasses.dataclass
class Frame:
    """A point x is at length * (rotation x + shift) in the frame; numbers are multiplied by the factors of their unit."""

    rotation: np.ndarray
    shift: np.ndarray
    length: float = 1.0
    force: float = 1.0
    time: float = 1.0

    @property
    def hand(self):
        return float(np.sign(np.linalg.det(self.rotation)))

    def scale(self, unit):
        return self.length ** unit[0] * self.force ** unit[1] * self.time ** unit[2]

    def points(self, x):
        return self.length * (x @ self.rotation.T + self.shift)

    def values(self, kind, unit, values):
        """A field, (places, components), of this kind."""
        R, s = self.rotation, self.scale(unit)
        n = len(R)
        if kind == "scalar":
            return s * values
        if kind in ("vector", "axial"):
            sign = self.hand if kind == "axial" else 1.0
            full = np.eye(values.shape[1])
            full[:n, :n] = R[: values.shape[1], : values.shape[1]]
            return s * sign * values @ full.T
        full = np.eye(3)  # a tensor: xx yy zz xy yz xz
        full[:n, :n] = R
        t = values[:, [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(-1, 3, 3)
        t = np.einsum("ia,nab,jb->nij", full, t, full)
        return s * t.reshape(-1, 9)[:, [0, 4, 8, 1, 5, 2]]


def still(dimension):
    return Frame(np.eye(dimension), np.zeros(dimension))


@dataclasses.dataclass
class Number:
    """A scalar; formula: the key takes a formula of the position, too, and `spread(value)` may then be one, or an array of equal numbers."""

    value: float
    unit: tuple = NONE
    formula: bool = False
    spread: object = None
    needs = "any"

    def under(self, frame):
        return dataclasses.replace(self, value=self.value * frame.scale(self.unit))

    def text(self):
        return self.spread(self.value) if self.spread else self.value


@dataclasses.dataclass
class Handed(Number):
    """A scalar that changes its sign in a mirror, such as a coordinate along a local axis z = x cross y."""

    def under(self, frame):
        return dataclasses.replace(self, value=self.value * frame.scale(self.unit) * frame.hand)


@dataclasses.dataclass
class Vector:
    """kind: vector; axial, such as a moment; point; direction, without a unit. Of a plane axial one there is z alone."""

    values: np.ndarray
    unit: tuple = NONE
    kind: str = "vector"
    formula: bool = False
    spread: object = None
    needs = "any"

    def under(self, frame):
        values = np.asarray(self.values, float)
        if self.kind == "point":
            return dataclasses.replace(self, values=frame.points(values))
        sign = frame.hand if self.kind == "axial" else 1.0
        values = values if len(values) == 1 else frame.rotation @ values
        return dataclasses.replace(self, values=sign * frame.scale(self.unit) * values)

    def text(self):
        return [self.spread(float(x)) if self.spread else float(x) for x in self.values]


@dataclasses.dataclass
class Linear:
    """The formula value + gradient . (x - at), with a factor (1 + rate t); value a number, or a vector with a row of the gradient for each component."""

    value: object
    gradient: np.ndarray
    at: np.ndarray
    unit: tuple = NONE
    rate: float = 0.0
    needs = "any"

    def under(self, frame):
        s = frame.scale(self.unit)
        gradient = np.asarray(self.gradient) @ frame.rotation.T * s / frame.length
        if np.ndim(self.value):
            value, gradient = s * frame.rotation @ self.value, frame.rotation @ gradient
        else:
            value = s * self.value
        return dataclasses.replace(self, value=value, gradient=gradient, at=frame.points(np.asarray(self.at)), rate=self.rate / frame.time)

    def text(self):
        def one(value, gradient):
            terms = "".join(f" + {float(g)!r}*({axis} - {float(p)!r})" for g, axis, p in zip(gradient, "xyz", self.at)).replace("- -", "+ ")
            return f"({float(value)!r}{terms})" + (f"*(1 + {self.rate!r}*t)" if self.rate else "")

        return [one(v, g) for v, g in zip(self.value, self.gradient)] if np.ndim(self.value) else one(self.value, self.gradient)


@dataclasses.dataclass
class Diagonal:
    """A number along each axis, without a sign: stiffnesses of springs. Equal ones go with any frame."""

    values: np.ndarray
    unit: tuple = NONE

    @property
    def needs(self):
        return "any" if np.ptp(self.values) == 0 else "axes"

    def under(self, frame):
        values = np.asarray(self.values) if self.needs == "any" else np.abs(np.rint(frame.rotation)) @ self.values
        return dataclasses.replace(self, values=frame.scale(self.unit) * values)

    def text(self):
        return [float(x) for x in self.values]


@dataclasses.dataclass
class Keys:
    """Components under keys of their own, x = ..., y = ...; None: not given. kind "diagonal": numbers without a sign."""

    values: list
    unit: tuple = NONE
    kind: str = "vector"
    prefix: str = ""

    @property
    def needs(self):
        if self.kind == "diagonal" and all(v is not None for v in self.values) and np.ptp(self.values) == 0:
            return "any"
        return "any" if None not in self.values and self.kind != "diagonal" else "axes" if any(v is not None for v in self.values) else "any"

    def under(self, frame):
        s = frame.scale(self.unit) * (frame.hand if self.kind == "axial" else 1.0)
        if len(self.values) == 1:  # a rotation in the plane
            return dataclasses.replace(self, values=[None if v is None else s * v for v in self.values])
        if self.needs == "any":
            if self.values[0] is None:
                return self
            values = np.array(self.values) if self.kind == "diagonal" else frame.rotation @ np.array(self.values)
            return dataclasses.replace(self, values=list(s * values))
        values = [None] * len(self.values)
        for to, row in enumerate(np.rint(frame.rotation)):
            origin = int(np.flatnonzero(row)[0])
            if self.values[origin] is not None:
                values[to] = s * self.values[origin] * (1.0 if self.kind == "diagonal" else row[origin])
        return dataclasses.replace(self, values=values)

    def table(self):
        axes = "z" if len(self.values) == 1 else "xyz"
        return {self.prefix + axis: float(v) + 0.0 for axis, v in zip(axes, self.values) if v is not None}


@dataclasses.dataclass
class Strain:
    """A symmetric tensor: xx yy xy in the plane, xx yy zz xy yz xz in space."""

    values: np.ndarray
    unit: tuple = NONE
    needs = "any"

    def under(self, frame):
        v = np.asarray(self.values, float)
        place = [[0, 2], [2, 1]] if len(v) == 3 else [[0, 3, 5], [3, 1, 4], [5, 4, 2]]
        t = frame.rotation @ v[place] @ frame.rotation.T * frame.scale(self.unit)
        return dataclasses.replace(self, values=[t[0, 0], t[1, 1], t[0, 1]] if len(v) == 3 else [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[1, 2], t[0, 2]])

    def text(self):
        return [float(x) for x in self.values]


@dataclasses.dataclass
class Stiffness:
    """The 21 numbers along material axes, of which axis 3 is axis 1 cross axis 2: in a mirror those with an odd number of 3 change their sign."""

    values: list
    unit: tuple = STRESS
    needs = "any"
    ORDER = "1111 1122 2222 1133 2233 3333 1112 2212 3312 1212 1113 2213 3313 1213 1313 1123 2223 3323 1223 1323 2323".split()

    def under(self, frame):
        s = frame.scale(self.unit)
        return dataclasses.replace(self, values=[s * v * (frame.hand if name.count("3") % 2 else 1) for name, v in zip(self.ORDER, self.values)])

    def text(self):
        return [float(x) for x in self.values]


def quantities(content):
    """All quantities in tables and lists."""
    if hasattr(content, "under"):
        yield content
    elif isinstance(content, (dict, list, tuple)):
        for each in content.values() if isinstance(content, dict) else content:
            yield from quantities(each)


def mapped(content, change):
    """The same tables with each quantity changed."""
    if hasattr(content, "under"):
        return change(content)
    if isinstance(content, dict):
        return {key: mapped(each, change) for key, each in content.items()}
    return [mapped(each, change) for each in content] if isinstance(content, (list, tuple)) else content


def scaled(quantity, factor):
    """A load that is so many times as large."""
    name = "values" if hasattr(quantity, "values") else "value"
    changes = {name: np.multiply(getattr(quantity, name), factor)} if not isinstance(quantity, Vector) or quantity.kind in ("vector", "axial") else {}
    if name == "value" and not np.ndim(quantity.value):
        changes["value"] = float(changes["value"])
    if hasattr(quantity, "gradient"):
        changes["gradient"] = np.multiply(quantity.gradient, factor)
    return dataclasses.replace(quantity, **changes)


def written(content):
    """As a case has it: numbers, lists and texts; the keys of a Keys join those of its table."""
    if isinstance(content, dict):
        result = {}
        for key, each in content.items():
            result |= each.table() if isinstance(each, Keys) else {key: written(each)}
        return result
    if hasattr(content, "text"):
        return content.text()
    return [written(each) for each in content] if isinstance(content, (list, tuple)) else content
