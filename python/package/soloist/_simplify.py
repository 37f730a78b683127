"""Expressions in, code with few operations out."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _arguments, _soloist

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._formulas import Sheet
    from ._keywords import SearchParameters

#: What the compiled part is asked for unless something else is wanted.
_WISH: dict[str, Any] = {
    "language": "json",
    "function": "evaluate",
    "notation": None,
    "outputs": None,
    "args": None,
    "opaque": [],
    "order": None,
    "prove": False,
    "refine": None,
    "greedy": True,
    "polish": None,
}


@dataclass(frozen=True)
class Operations:
    """Counts of operations."""

    #: All of them.
    total: int
    #: Additions and subtractions.
    additions: int
    #: Multiplications.
    multiplications: int


@dataclass(frozen=True)
class Simplified:
    """Expressions with few operations, verified against the input."""

    #: The operations of the code, without calls and divisions.
    operations: Operations
    #: The operations of the input.
    input: Operations
    #: The order of the variables, outermost first; of SymPy, by the names `x0`, `x1`, ... of the inputs.
    order: list[str]
    #: Whether Ctrl-C shortened the search.
    interrupted: bool
    #: The inputs of the code in its order: names, or symbols and the like of SymPy.
    inputs: list[Any]
    #: The names of its outputs in its order; of SymPy `y0`, `y1`, ..., row by row.
    outputs: list[str]
    #: The function calls in the code.
    calls: int
    #: The divisions in the code by something else than a number.
    divisions: int
    #: What of a text was skipped by name: declarations, commands, functions that only change a form.
    skipped: list[str]
    _source: _Source = field(repr=False, compare=False)

    def code(self, language: str | None = None, function: str | None = None) -> str:
        """Returns the code of a function.

        It is verified: it is run at random points modulo primes, small expressions are compared term by term. What
        only SymPy can print (`Piecewise`, `pi`, `erf`) is not part of that.

        Args:
            language: c, rust, fortran, python, form or json. Default: that of `emit`.
            function: the name of the function. Default: that given to `simplify`.
        """
        return self._source.code(language, function)

    @property
    def replacements(self) -> list[tuple[Any, Any]]:
        """Symbols and what they stand for, as `sympy.cse` returns them."""
        return list(self._source.pairs()[0])

    @property
    def reduced(self) -> Any:
        """The outputs by the symbols of `replacements`, in the shape of the input; of a text, a list."""
        return self._source.pairs()[1]

    def lambdify(self, *, compiled: bool | None = None) -> Callable[..., Any]:
        """Returns a function of the inputs, in the order of `inputs`, that computes the outputs as floats.

        The arguments are numbers, or arrays of numpy, which are broadcast. The result has the shape of the input: a
        number, a list, or an array of rows and columns for a matrix; of a text, a number or a list.

        Args:
            compiled: whether the system's C compiler makes it: `cc`, or that of the environment variable `CC`. `False`:
                never, Python and numpy compute it. `None`: if there is a compiler and the code is real.

        What the compiler makes is compared with Python at random points, negative ones and NaN among them. Where both
        differ, `None` warns and takes Python.

        Raises:
            RuntimeError: `compiled` is true and there is no compiler, or it fails, or its values differ.
        """
        from ._compiled import made

        return made(self._source, self.inputs, compiled)


class _Source:
    """What a simplified text was made from."""

    def __init__(self, program: Any, language: str, function: str) -> None:
        self.program, self.language, self.function = program, language, function
        self._pairs: tuple[list[tuple[Any, Any]], Any] | None = None

    def code(self, language: str | None, function: str | None) -> str:
        language = self.language if language is None else _arguments.text("language", language)
        function = self.function if function is None else _name("function", function)
        return self._code(language, function)

    def _code(self, language: str, function: str) -> str:
        return str(self.program.emit(language, function))

    def pairs(self) -> tuple[list[tuple[Any, Any]], Any]:
        """Returns the replacements and the reduced expressions."""
        if self._pairs is None:
            self._pairs = self._made_pairs()
        return self._pairs

    def _made_pairs(self) -> tuple[list[tuple[Any, Any]], Any]:
        import sympy

        from ._formulas import Slot
        from ._graph import Graph, Rebuilt

        graph = Graph.of(self.program.statements())
        inputs = {name: sympy.Symbol(name) for name in self.program.facts()["inputs"]}
        fresh = (symbol for symbol in sympy.numbered_symbols() if symbol.name not in inputs)
        templates = [Slot(name) for name in self.program.facts()["outputs"]]
        made = Rebuilt(graph, inputs, templates, fresh)
        return made.replacements, made.reduced

    def count(self) -> int:
        """Returns the number of outputs."""
        return len(self.program.facts()["outputs"])

    def shaped_numbers(self, values: list[Any]) -> Any:
        """Returns the values of the outputs in the shape of the input."""
        return values[0] if len(values) == 1 else values

    def interpreted(self, inputs: Sequence[Any], functions: Any) -> Callable[..., Any]:
        """Returns a function that computes all outputs by the functions of a module like `math`."""
        names: dict[str, Any] = {"math": functions}
        if functions is not math:
            import numpy

            # As those of C, which leave NaN out.
            names |= {"min": numpy.fmin, "max": numpy.fmax}
        else:
            names |= {"min": _least, "max": _most}
        exec(self.code("python", "evaluate").replace("import math\n", "", 1), names)
        compute: Callable[[Sequence[Any]], list[Any]] = names["evaluate"]
        return lambda *values: compute(values)


class _SympySource(_Source):
    """What simplified expressions of SymPy were made from."""

    def __init__(
        self, sheet: Sheet, inputs: list[Any], templates: list[Any], given: Any, program: Any, wish: dict[str, Any]
    ) -> None:
        super().__init__(program, wish["language"], wish["function"])
        self.sheet, self.inputs, self.templates, self.given = sheet, inputs, templates, given
        self.flat: list[Any] = []

    def _code(self, language: str, function: str) -> str:
        if self.is_plain:
            return super()._code(language, function)
        from ._emit import written

        return written(self.sheet, self.inputs, self.templates, self.program, language, function)

    @property
    def is_plain(self) -> bool:
        """Whether the compiled part can write the code alone."""
        # An expression that comes twice is one result of the program.
        once = len(self.templates) == len(self.sheet.outputs)
        return once and not (self.sheet.wrapped or self.sheet.constants() or self.program is None)

    def _made_pairs(self) -> tuple[list[tuple[Any, Any]], Any]:
        import sympy

        names = self.sheet.symbols()
        fresh = (symbol for symbol in sympy.numbered_symbols() if symbol.name not in names)
        replacements, self.flat = self.sheet.rebuilt(self.program, self.templates, fresh)
        return replacements, _nested(self.given, iter(self.flat), _matrix_like)

    def count(self) -> int:
        return len(self.templates)

    def shaped_numbers(self, values: list[Any]) -> Any:
        return _nested(self.given, iter(values), _array)

    def interpreted(self, inputs: Sequence[Any], functions: Any) -> Callable[..., Any]:
        import sympy

        replacements, _ = self.pairs()
        # Symbols, because `lambdify` takes no Indexed and no derivative everywhere.
        names = {value: sympy.Dummy(f"x{place}") for place, value in enumerate(inputs)}
        inner = [(symbol, value.xreplace(names)) for symbol, value in replacements]
        reduced = [value.xreplace(names) for value in self.flat]
        # Python's own take NaN or leave it by its place.
        modules = [{"min": _least_or_nan, "max": _most_or_nan}, "math"] if functions is math else None
        compute: Callable[..., Any] = sympy.lambdify(
            list(names.values()), reduced, modules=modules, cse=lambda _: (inner, reduced)
        )
        return compute


def _least(*values: Any) -> Any:
    return min((value for value in values if value == value), default=math.nan)


def _most(*values: Any) -> Any:
    return max((value for value in values if value == value), default=math.nan)


def _least_or_nan(*values: Any) -> Any:
    return min(values) if all(value == value for value in values) else math.nan


def _most_or_nan(*values: Any) -> Any:
    return max(values) if all(value == value for value in values) else math.nan


def _matrix_like(given: Any, values: list[Any]) -> Any:
    return type(given)(given.rows, given.cols, values)


def _array(given: Any, values: list[Any]) -> Any:
    """Returns the values of a matrix as an array of rows and columns; without numpy as lists."""
    rows = [values[at : at + given.cols] for at in range(0, len(values), given.cols or 1)]
    try:
        import numpy
    except ImportError:
        return rows
    entries = numpy.array(numpy.broadcast_arrays(*values) if values else [])
    return entries.reshape((given.rows, given.cols, *entries.shape[1:]))


def _nested(given: Any, values: Any, matrix: Callable[[Any, list[Any]], Any]) -> Any:
    """Returns values in the shape of lists of expressions and matrices."""
    import sympy

    if isinstance(given, sympy.MatrixBase):
        return matrix(given, [next(values) for _ in range(given.rows * given.cols)])
    if isinstance(given, (list, tuple)):
        return type(given)(_nested(part, values, matrix) for part in given)
    return next(values)


def _flat(given: Any) -> list[Any]:
    """Returns the expressions in matrices and lists of lists."""
    import sympy

    if isinstance(given, sympy.MatrixBase):
        return list(given.flat())
    if isinstance(given, (list, tuple)):
        return [value for part in given for value in _flat(part)]
    if isinstance(given, (sympy.Expr, int, float)) and not isinstance(given, bool):
        value = sympy.sympify(given)
        if value.is_commutative is not False:
            return [value]
    raise TypeError(
        f"expressions: expected a text, expressions of SymPy, or lists and matrices of these, got {_arguments.shown(given)}"
    )


def _name(argument: str, value: Any) -> str:
    if not (_arguments.text(argument, value).isidentifier() and value.isascii()):
        raise ValueError(f"{argument}: expected a name of letters, digits and underscores, got {value!r}")
    return str(value)


def simplify(
    expressions: Any,
    *,
    emit: str = "python",
    function: str = "evaluate",
    args: Sequence[Any] | None = None,
    outputs: Sequence[str] | None = None,
    opaque: Sequence[str] = (),
    notation: str | None = None,
    method: str | None = None,
    seed: int | None = None,
    playouts: int | float | None = None,
    time: float | datetime.timedelta | None = None,
    threads: int | None = None,
    params: Mapping[str, Any] | None = None,
    order: Sequence[str] | None = None,
    prove: bool = False,
    refine: int | None = None,
    greedy: bool = True,
    polish: int | None = None,
    **parameters: Unpack[SearchParameters],
) -> Simplified:
    """Turns expressions into code that computes them with few operations.

    ``expressions`` are objects of SymPy: an expression, a matrix, or lists of these. Or a text with one expression or
    several, as FORM, Mathematica, Maple, SymPy (``str``, ``srepr``), Maxima, MATLAB and PARI print them, or assignments
    of C or Fortran. Functions and inverses are computed inside the code.

    Args:
        expressions: objects of SymPy, or a text.
        emit: the language of the code: c, rust, fortran, python, form or json.
        function: the name of the function in the code.
        args: the inputs of the code in their order: names, or symbols of SymPy. Default: of a text as they occur, of
            SymPy sorted by name.
        outputs: the names of the outputs of a text in their order. Default: what no other statement uses.
        opaque: names of functions in a text that are inputs although code could compute them.
        notation: that of a text, such as "maple"; guessed by default.
        method: the search for the order of the variables.
        seed: the seed of all phases.
        playouts: orders that the search scores, 2000 by default. Fewer make all phases shorter.
        time: seconds for the search of orders, used up; without it, 2000 orders or 30 s.
        threads: streams of the search.
        params: parameters of the method.
        order: the order of the variables of a text, outermost first; then there is no search.
        prove: whether the best order is proven, however long that takes.
        refine: attempts to change the order in sub-expressions. Default: by the size of the input.
        greedy: whether common pairs in sums and products are extracted.
        polish: attempts to polish the code. Default: by its size.
        **parameters: as ``params``.

    Raises:
        InstanceError: a text that is not understood, with its place; expressions that are too large.

    >>> done = soloist.simplify("x^3*y^2 + x^2*y + x^3*z", seed=1)
    >>> done.input.total, done.operations.total
    (11, 6)
    """
    if order is not None and isinstance(order, str):
        raise TypeError(f"order: expected a list of names, got {order!r}")
    wish = {
        **_WISH,
        "language": _arguments.text("emit", emit),
        "function": _name("function", function),
        "order": None if order is None else [_arguments.text("order", name) for name in order],
        "prove": bool(prove),
        "refine": None if refine is None else _arguments.count("refine", refine, least=0),
        "greedy": bool(greedy),
        "polish": None if polish is None else _arguments.count("polish", polish, least=0),
    }
    request = _arguments.request(
        method=method,
        parameters=_arguments.settings(params, parameters),
        seed=seed,
        threads=threads,
        playouts=playouts,
        time=time,
    )
    if not isinstance(expressions, str):
        for name, value in {"outputs": outputs, "notation": notation, "order": order, "opaque": opaque or None}.items():
            if value is not None:
                raise TypeError(f"{name}: of a text only, not of objects of SymPy")
        return _of_sympy(expressions, args, wish, request)
    wish["notation"] = None if notation is None else _arguments.text("notation", notation)
    wish["opaque"] = [_arguments.text("opaque", name) for name in opaque]
    wish["outputs"] = None if outputs is None else [_arguments.text("outputs", name) for name in outputs]
    wish["args"] = None if args is None else [str(arg) for arg in args]
    program, _ = _soloist.simplify(expressions, wish, request)
    facts = program.facts()
    return _simplified(facts, facts["inputs"], facts["outputs"], _Source(program, wish["language"], wish["function"]))


def _simplified(facts: dict[str, Any], inputs: list[Any], outputs: list[str], source: _Source) -> Simplified:
    return Simplified(
        operations=Operations(*facts["counts"]),
        input=Operations(*facts["input"]),
        order=facts["order"],
        interrupted=facts["interrupted"],
        inputs=inputs,
        outputs=outputs,
        calls=facts["calls"][0],
        divisions=facts["calls"][1],
        skipped=facts["skipped"],
        _source=source,
    )


def _of_sympy(given: Any, args: Iterable[Any] | None, wish: dict[str, Any], request: dict[str, Any]) -> Simplified:
    try:
        import sympy
    except ImportError:
        raise TypeError(f"expressions: expected a text, got {_arguments.shown(given)}; SymPy is not installed") from None

    from ._formulas import Sheet

    flat = _flat(given)
    named = None if args is None else [sympy.sympify(arg) for arg in args]
    sheet = Sheet(named or ())
    if named is not None and len(sheet.inputs) < len(named):
        raise ValueError("args: an input comes twice")
    templates = [sheet.output(value) for value in flat]
    text = sheet.text()
    inputs = sorted(sheet.arguments(), key=sympy.default_sort_key)
    if named is not None:
        missing = [value for value in inputs if value not in named]
        if missing:
            raise ValueError(f"args: `{missing[0]}` occurs and is not among them")
        inputs = named
    program, facts = None, _EMPTY
    if sheet.outputs:
        names = [sheet.inputs[value] for value in inputs]
        names += [name for name in sheet.inputs.values() if name not in names]
        program, _ = _soloist.simplify(text, {**wish, **_read(sheet), "args": names, "language": "json"}, request)
        facts = program.facts()
    source = _SympySource(sheet, inputs, templates, given, program, wish)
    calls, divisions = facts["calls"]
    facts = {**facts, "calls": (calls + len(sheet.wrapped), divisions)}
    return _simplified(facts, inputs, [f"y{place}" for place in range(len(flat))], source)


#: The facts of a program without outputs.
_EMPTY: dict[str, Any] = {
    "counts": (0, 0, 0),
    "input": (0, 0, 0),
    "order": [],
    "interrupted": False,
    "calls": (0, 0),
    "skipped": [],
}


def _read(sheet: Sheet) -> dict[str, Any]:
    """Returns how the text of a sheet is read."""
    return {"notation": "sympy", "outputs": sheet.names()}


def found_for(sheet: Sheet, text: str, *, params: Mapping[str, Any] | None = None, **search: Any) -> Any:
    """Returns the program of a sheet."""
    request = _arguments.request(parameters=_arguments.settings(params, {}), **search)
    return _soloist.simplify(text, {**_WISH, **_read(sheet)}, request)[0]
