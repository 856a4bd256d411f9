"""Forms of one's own from Python: a C++ source as a text, or a density of energy from SymPy (docs/your-own-element.md)."""
from __future__ import annotations

import hashlib
import os
import pathlib
import re

from ritz import _errors

NAME = re.compile(r"[A-Za-z_]\w*")


def plugin(source: str) -> str:
    """The path of a file with this C++ source, for the key `plugin` of a case. It lies with the compiled modules in Ritz's cache, under a name that
    follows from the text: the same text is compiled once."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ritz" / "sources"
    path = cache / f"form-{hashlib.sha256(source.encode()).hexdigest()[:16]}.cpp"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != source:
            path.write_text(source)
    except OSError as error:
        raise _errors.make(7, "write", f"cannot write '{path}': {error.strerror}", "", "name another folder by XDG_CACHE_HOME") from None
    return os.fspath(path)


def energy(name: str, density, *, gradient=None, value=None, unknown: str = "displacement", parameters=None, objective: bool = False) -> str:
    """The C++ source of a form whose equilibrium makes the integral of a SymPy expression stationary. Flux and tangent are its derivatives.

    density: energy by volume of the undeformed body. gradient: a SymPy Matrix of the symbols that stand for du_i/dx_j, shape (components, dimension);
    value: symbols of u_i. Each other symbol is a number of the material with the symbol's name; parameters: {"mu": "Pa"} gives units.
    objective: rotations of the body leave it alone; then stresses are among the results. Hand the source to ritz.plugin()."""
    import sympy

    density = sympy.sympify(density)
    if gradient is None:
        raise _errors.refuse("an energy without gradient=", "its shape says how many components the unknown has, and the dimension",
                             "give a sympy.Matrix of symbols, one for each du_i/dx_j")
    gradient = sympy.Matrix(gradient)
    components, dimension = gradient.shape
    if dimension not in (2, 3) or not 1 <= components <= 6:
        raise _errors.refuse(f"a gradient of shape {gradient.shape}", "", "its rows are components, 1 to 6, its columns x, y and, in space, z")
    places = {gradient[i, j]: f"u.gradient[{i}][{j}]" for i in range(components) for j in range(dimension)}
    places |= {symbol: f"u.value[{i}]" for i, symbol in enumerate(value or [])}
    units, numbers = dict(parameters or {}), sorted(density.free_symbols - set(places), key=str)
    for text in (name, *map(str, numbers)):
        if not NAME.fullmatch(text):
            raise _errors.refuse(f"the name {text!r} in an energy", "it becomes a name in C++ and a key of the case", "take letters, digits and _")
    steps, (result,) = sympy.cse(density, symbols=(sympy.Symbol(f"part{i}_") for i in range(10**6)))
    places |= {symbol: str(symbol) for symbol in numbers} | {symbol: str(symbol) for symbol, _ in steps}
    lines = [f"    const T {symbol} = {_code(part, places)};" for symbol, part in steps] + [f"    return {_code(result, places)};"]
    entries = ", ".join(f'{{&Form::{each}, {{.name = "{each}", .unit = "{units.get(str(each), "")}", .about = "of the energy", .example = 1}}}}' for each in numbers)
    declared = f"  double {', '.join(map(str, numbers))};\n  static constexpr ritz::Parameter<Form> parameters[] = {{{entries}}};\n" if numbers else ""
    return (f'#include "fem/add_form.hpp"\n\nstruct Form {{\n  static constexpr const char *name = "{name}", *unknown = "{unknown}";\n'
            f"  static constexpr int components = {components}, dimension = {dimension};\n"
            f"  static constexpr bool uses_value = {str(bool(value)).lower()}, uses_gradient = true, objective = {str(objective).lower()};\n{declared}\n"
            f"  template <class T>\n  constexpr T energy(const ritz::Location<T, {dimension}>&, const ritz::Fields<T, {components}, {dimension}>& u) const {{\n"
            "    using std::exp, std::log, std::sqrt, std::sin, std::cos, std::pow;\n" + "\n".join(lines) + "\n  }\n};\n\nconst ritz::AddForm<Form> form;\n")


def _code(expression, places):
    """A SymPy expression in the operations that the numbers of forms have."""
    import sympy

    code = lambda each: _code(each, places)
    if expression in places:
        return places[expression]
    if expression.is_number:
        return repr(float(expression)) if expression >= 0 else f"({float(expression)!r})"
    if expression.is_Add:
        return "(" + " + ".join(code(each) for each in expression.args) + ")"
    if expression.is_Mul:
        return "(" + " * ".join(code(each) for each in expression.args) + ")"
    if expression.is_Pow:
        base, exponent = expression.args
        if exponent == sympy.Rational(1, 2):
            return f"sqrt({code(base)})"
        if exponent.is_Integer and 2 <= exponent <= 4:
            return "(" + " * ".join([code(base)] * int(exponent)) + ")"
        if exponent == -1:
            return f"(1.0 / {code(base)})"
        if exponent.is_number:
            return f"pow({code(base)}, {float(exponent)!r})"
    if isinstance(expression, (sympy.exp, sympy.log, sympy.sin, sympy.cos)):
        return f"{type(expression).__name__}({code(expression.args[0])})"
    raise _errors.refuse(f"{expression} in an energy", "forms know + - * / sqrt exp log sin cos, and powers with a number", "write it with these")
