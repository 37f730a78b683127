"""Expressions of SymPy as text of the compiled part. Needs SymPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import S
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.polys.rootoftools import ComplexRootOf
from sympy.tensor.array.expressions.array_expressions import ArrayElement

from ._graph import Graph, Rebuilt

#: Functions that the compiled part computes, by their names there.
CALLS: dict[Any, str] = {
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tan: "tan",
    sympy.asin: "asin",
    sympy.acos: "acos",
    sympy.atan: "atan",
    sympy.sinh: "sinh",
    sympy.cosh: "cosh",
    sympy.tanh: "tanh",
    sympy.asinh: "asinh",
    sympy.acosh: "acosh",
    sympy.atanh: "atanh",
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.Abs: "abs",
    sympy.atan2: "atan2",
}
#: Functions that are 1 divided by another one.
RECIPROCALS: dict[Any, str] = {
    sympy.sec: "cos",
    sympy.csc: "sin",
    sympy.cot: "tan",
    sympy.sech: "cosh",
    sympy.csch: "sinh",
    sympy.coth: "tanh",
}
#: What binds symbols or stands for more than its arguments: never opened.
CLOSED: tuple[Any, ...] = (
    sympy.Derivative,
    sympy.Indexed,
    sympy.Integral,
    sympy.Lambda,
    sympy.Limit,
    sympy.Order,
    sympy.Product,
    sympy.RootSum,
    sympy.Subs,
    sympy.Sum,
    ComplexRootOf,
    MatrixElement,
    ArrayElement,
)
#: The statements of a program without outputs.
NOTHING: dict[str, Any] = {"inputs": [], "temporaries": [], "sums": [], "results": [], "calls": []}
#: The largest exponent that the compiled part reads.
EXPONENT = 65535
#: A shared sub-expression with a longer text is written once.
LONG = 40
#: A text with more parentheses inside each other is written as a statement: the compiled part reads 200.
DEPTH = 60


@dataclass(frozen=True)
class Slot:
    """A place for the value of a result."""

    name: str


@dataclass(frozen=True)
class Atom:
    """A place for the value of an input."""

    name: str


@dataclass(frozen=True)
class Whole:
    """An object that is left as it is."""

    value: Any


@dataclass(frozen=True)
class Node:
    """A function of parts."""

    make: Callable[..., Any]
    parts: list[Template]


#: Stands for an object that is not known yet.
WHOLE = Whole(None)
Template = Slot | Atom | Whole | Node


def is_scalar(value: Any) -> bool:
    """Whether it is a number-like expression whose products commute."""
    return isinstance(value, sympy.Expr) and value.is_commutative is not False


def is_closed(value: Any) -> bool:
    """Whether a sub-expression is an input: a symbol, a constant, or what must not be opened."""
    if not value.args or isinstance(value, CLOSED) or getattr(value, "bound_symbols", None):
        return True
    # x(t) is a variable of mechanics.
    return isinstance(value, AppliedUndef) and all(not part.args for part in value.args)


def exponent_of(power: Any) -> Any:
    """Returns the exponent; multiples of a half that are written with a point become exact."""
    exponent = power.exp
    if exponent.is_Float and abs(exponent) < EXPONENT and (2 * float(exponent)).is_integer():
        return sympy.Rational(int(2 * exponent), 2)
    return exponent


@dataclass(frozen=True)
class Text:
    """The text of a sub-expression."""

    text: str
    #: 0: a name or a call; 1: a power; 2: a product; 3: a sum, or a number with a sign or a bar.
    level: int
    #: Parentheses inside each other.
    depth: int

    def inside(self, most: int) -> Text:
        """Returns it with parentheses around it if it binds less than `most`."""
        return self if self.level <= most else Text(f"({self.text})", 0, self.depth + 1)


class Sheet:
    """Expressions as statements of a text.

    Its inputs are called `x0`, `x1`, ..., its outputs `y0`, `y1`, .... A sub-expression that occurs more than once is a
    statement of its own. What the text cannot say is an input, with a template that computes it from outputs.
    """

    def __init__(self, args: Iterable[Any] = ()) -> None:
        #: The names of the inputs; first those of `args`.
        self.inputs: dict[Any, str] = {arg: f"x{place}" for place, arg in enumerate(args)}
        self.wrapped: dict[str, Template] = {}
        self.outputs: list[Any] = []
        self._places: dict[Any, int] = {}
        self._shared: dict[Any, int] = {}
        self._texts: dict[Any, Text] = {}
        self._lines: list[str] = []
        self._intermediates = 0

    def template(self, value: Any) -> Template:
        """Returns a value with its scalar parts as outputs."""
        if isinstance(value, sympy.MatrixBase):
            return self._matrix(value)
        if isinstance(value, (list, tuple)):
            kind = type(value)
            return Node(lambda *parts: kind(parts), [self.template(part) for part in value])
        if not isinstance(value, sympy.Basic):
            return Whole(value)
        if is_scalar(value) and not value.is_Rational:
            return Atom(self._input(value)) if is_closed(value) else self.output(value)
        if is_closed(value):
            return Whole(value)
        return Node(value.func, [self.template(part) for part in value.args])

    def _matrix(self, matrix: Any) -> Template:
        rows, columns, kind = matrix.rows, matrix.cols, type(matrix)
        if isinstance(matrix, sympy.SparseMatrix | sympy.ImmutableSparseMatrix):
            entries = sorted(matrix.todok().items())
            places = [place for place, _ in entries]

            def sparse(*values: Any) -> Any:
                return kind(rows, columns, dict(zip(places, values, strict=True)))

            return Node(sparse, [self.template(value) for _, value in entries])
        return Node(lambda *values: kind(rows, columns, list(values)), [self.template(value) for value in matrix.flat()])

    def output(self, value: Any) -> Slot:
        """Returns the place of a value that becomes an output."""
        if value not in self._places:
            self._places[value] = len(self.outputs)
            self.outputs.append(value)
        return Slot(f"y{self._places[value]}")

    def text(self) -> str:
        """Returns the statements of all outputs."""
        # The arguments of wrapped functions become further outputs while this runs.
        for value in self.outputs:
            self._count(value)
        for place, value in enumerate(self.outputs):
            self._lines.append(f"y{place} = {self._written(value).text};")
        return "\n".join(self._lines)

    def rebuilt(self, program: Any, templates: list[Template], symbols: Any, ignore: Iterable[Any] = ()) -> Any:
        """Returns the replacements and the reduced expressions of a program; `None` if there are no outputs."""
        statements = program.statements() if program else NOTHING
        names = {name: value for value, name in self.inputs.items()}
        made = Rebuilt(Graph.of(statements, self.wrapped), names, templates, symbols, ignore, self.wrapped)
        return made.replacements, made.reduced

    def symbols(self) -> set[Any]:
        """Returns the names of the symbols of the inputs."""
        whole = (value for value, name in self.inputs.items() if name not in self.wrapped)
        return {symbol.name for value in whole for symbol in value.atoms(sympy.Symbol)}

    def constants(self) -> list[Any]:
        """Returns the inputs that are numbers, such as pi or 9.81."""
        wrapped = self.wrapped
        return [value for value, name in self.inputs.items() if name not in wrapped and not value.free_symbols]

    def arguments(self) -> list[Any]:
        """Returns the inputs that have no value here."""
        numbers = self.constants()
        return [value for value, name in self.inputs.items() if name not in self.wrapped and value not in numbers]

    def names(self) -> list[str]:
        """Returns the names of the outputs."""
        return [f"y{place}" for place in range(len(self.outputs))]

    def _parts(self, value: Any) -> tuple[Any, ...]:
        """Returns the parts that stand in the text of a value; none: it is an input or a number."""
        if value.is_Rational or value in self.inputs or is_closed(value):
            return ()
        if value.is_Add or value.is_Mul:
            return tuple(value.args) if all(is_scalar(part) for part in value.args) else ()
        if value.is_Pow:
            base, exponent = value.base, exponent_of(value)
            if base.is_Rational and (base.is_zero or (exponent.is_Rational and abs(exponent) > 1000)):
                return ()
            if base is S.Exp1:
                return (exponent,)
            if exponent.is_Rational:
                small = 0 < abs(exponent.p) <= EXPONENT and exponent.q <= EXPONENT
                return (base,) if small else ()
            return (base, exponent)
        if value.func in CALLS or value.func in RECIPROCALS:
            return tuple(value.args)
        return ()

    def _count(self, top: Any) -> None:
        """Counts how often each sub-expression is used, and wraps what the text cannot say."""
        open_ = [top]
        while open_:
            value = open_.pop()
            seen = self._shared.get(value, 0)
            self._shared[value] = seen + 1
            if seen or value.is_Rational:
                continue
            parts = self._parts(value)
            if parts:
                open_.extend(parts)
            else:
                self._input(value)

    def _input(self, value: Any) -> str:
        name = self.inputs.setdefault(value, f"x{len(self.inputs)}")
        if not is_closed(value) and name not in self.wrapped:
            # The template may add inputs.
            self.wrapped[name] = WHOLE
            self.wrapped[name] = Node(value.func, [self.template(part) for part in value.args])
        return name

    def _written(self, top: Any) -> Text:
        """Returns the text of a value. Not recursive: expressions are nested deeply."""
        open_ = [top]
        while open_:
            value = open_[-1]
            if value in self._texts:
                open_.pop()
                continue
            missing = [part for part in self._parts(value) if part not in self._texts]
            if missing:
                open_.extend(reversed(missing))
                continue
            open_.pop()
            text = self._made(value)
            shared = self._shared[value] > 1 and (value.is_Add or len(text.text) > LONG)
            if (shared and text.level > 0) or text.depth > DEPTH:
                name = f"w{self._intermediates}"
                self._intermediates += 1
                self._lines.append(f"{name} = {text.text};")
                text = Text(name, 0, 0)
            self._texts[value] = text
        return self._texts[top]

    def _made(self, value: Any) -> Text:
        if value.is_Rational:
            return Text(str(value), 0 if value.is_Integer and value >= 0 else 3, 0)
        if value in self.inputs:
            return Text(self.inputs[value], 0, 0)
        parts = [self._texts[part] for part in self._parts(value)]
        if value.is_Add:
            return joined("+", [part.inside(2) for part in parts], 3)
        if value.is_Mul:
            return joined("*", [part.inside(1) for part in parts], 2)
        if value.is_Pow and value.base is not S.Exp1:
            return self._power(exponent_of(value), parts)
        if value.func in RECIPROCALS:
            return Text(f"(1/{RECIPROCALS[value.func]}({parts[0].text}))", 0, parts[0].depth + 2)
        name = "exp" if value.is_Pow else CALLS[value.func]
        inner = ", ".join(part.text for part in parts)
        return Text(f"{name}({inner})", 0, 1 + max(part.depth for part in parts))

    def _power(self, exponent: Any, parts: list[Text]) -> Text:
        base = parts[0].inside(0)
        if len(parts) == 2:
            return Text(f"pow({parts[0].text}, {parts[1].text})", 0, 1 + max(part.depth for part in parts))
        size = abs(exponent)
        if size == 1:
            text = Text(base.text, 0, base.depth)
        elif size.is_Integer:
            text = Text(f"{base.text}^{size}", 1, base.depth)
        else:
            text = Text(f"{base.text}^({size})", 1, base.depth)
        return text if exponent > 0 else Text(f"(1/{text.inside(1).text})", 0, text.depth + 1)


def joined(sign: str, parts: Iterable[Text], level: int) -> Text:
    """Returns parts with a sign between them."""
    parts = list(parts)
    return Text(sign.join(part.text for part in parts), level, max(part.depth for part in parts))
