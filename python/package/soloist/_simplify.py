"""Expressions in, code with few operations out."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _arguments, _soloist


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
    """Code for expressions, verified against them."""

    #: The code.
    code: str = field(repr=False)
    #: The operations of the code.
    operations: Operations
    #: The operations of the input.
    input: Operations
    #: The order of the variables, outermost first.
    order: list[str]
    #: Whether Ctrl-C shortened the search.
    interrupted: bool
    #: The names of the inputs of the code, in its order.
    inputs: list[str] = field(default_factory=list)
    #: The names of its outputs, in its order.
    outputs: list[str] = field(default_factory=list)
    #: The function calls in the code.
    calls: int = 0
    #: The divisions in the code by something else than a number.
    divisions: int = 0


def simplify(
    text: str,
    *,
    emit: str = "python",
    function: str = "evaluate",
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
    **parameters: Any,
) -> Simplified:
    """Turns expressions into code that computes them with few operations.

    ``text`` holds one expression or several, as FORM, Mathematica, Maple, SymPy (``str``, ``srepr``), Maxima, MATLAB and
    PARI print them, or assignments of C or Fortran. Functions and inverses are computed inside the code. The code is verified: it is run at random points modulo primes, small expressions are compared
    term by term.

    Args:
        text: the expressions.
        emit: the language: c, rust, fortran, python, form or json.
        function: the name of the function in the code.
        method: the search for the order of the variables.
        seed: the seed of all phases.
        playouts: orders that the search scores, 2000 by default.
        time: seconds for the search, 30 by default.
        threads: streams of the search.
        params: parameters of the method.
        order: the order of the variables, outermost first; then there is no search.
        prove: whether the best order is proven, however long that takes.
        refine: attempts to change the order in sub-expressions. Default: by the size of the input.
        greedy: whether common pairs in sums and products are extracted.
        polish: attempts to polish the code. Default: by its size.
        **parameters: as ``params``.

    >>> done = soloist.simplify("x^3*y^2 + x^2*y + x^3*z", seed=1)
    >>> done.input.total, done.operations.total
    (11, 6)
    """
    if order is not None and isinstance(order, str):
        raise TypeError(f"order: expected a list of names, got {order!r}")
    if not (_arguments.text("function", function).isidentifier() and function.isascii()):
        raise ValueError(f"function: expected a name of letters, digits and underscores, got {function!r}")
    wish = {
        "language": _arguments.text("emit", emit),
        "function": function,
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
    found = _soloist.simplify(_arguments.text("text", text), wish, request)
    return Simplified(
        code=found["code"],
        operations=Operations(*found["counts"]),
        input=Operations(*found["input"]),
        order=found["order"],
        interrupted=found["interrupted"],
        inputs=found["inputs"],
        outputs=found["outputs"],
        calls=found["calls"][0],
        divisions=found["calls"][1],
    )
