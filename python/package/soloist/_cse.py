"""A drop-in for `sympy.cse`. Needs SymPy."""

from __future__ import annotations

import builtins
import datetime
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _arguments


def cse(
    exprs: Any,
    symbols: Iterable[Any] | None = None,
    optimizations: Any = None,
    postprocess: Callable[[Any, Any], Any] | None = None,
    order: str = "canonical",
    ignore: Iterable[Any] = (),
    list: bool = True,
    *,
    seed: int | None = None,
    playouts: int | float | None = None,
    time: float | datetime.timedelta | None = None,
    threads: int | None = None,
    params: Mapping[str, Any] | None = None,
) -> Any:
    """Shares and simplifies the sub-expressions of SymPy expressions; takes and returns what `sympy.cse` does.

    Sums and products are not only compared: they are multiplied out, brought into Horner form and searched for common
    parts, as :func:`soloist.simplify` does. Results are equal to the expressions; numbers stay exact. Functions,
    `Piecewise`, relations and whatever else SymPy knows may occur: their arguments are simplified together with the
    rest. A float such as `9.81` is a constant that is never rounded or multiplied out.

    Use it with `sympy.lambdify(..., cse=soloist.cse)` for a list of expressions. For one expression or a matrix,
    `lambdify` needs `cse=functools.partial(soloist.cse, list=False)`, as with `sympy.cse`.

    Args:
        exprs: an expression, a matrix, or a list of them.
        symbols: the symbols for sub-expressions. Default: x0, x1, ..., without those that occur.
        optimizations: pairs of functions, run on each expression before and behind; `"basic"` adds nothing.
        postprocess: a function of `replacements, reduced` whose result is returned.
        order: "canonical" or "none", without effect: the order of a sum does not matter here.
        ignore: symbols that no sub-expression may contain.
        list: whether reduced expressions come as a list. Otherwise they have the type of `exprs`.
        seed: the seed of the search.
        playouts: orders that the search scores, 2000 by default. Fewer make all phases shorter.
        time: seconds for the search, 30 by default.
        threads: streams of the search.
        params: parameters of the search.

    Raises:
        InstanceError: too large for the simplifier, for instance more than 4096 symbols.

    >>> from sympy import symbols
    >>> a, b, c = symbols("a b c")
    >>> soloist.cse([a*c + b*c + a + b, (a + b)**2], seed=1)
    ([(x0, a + b)], [x0*(c + 1), x0**2])
    """
    import sympy
    from sympy.simplify import cse_main

    from ._formulas import Sheet
    from ._simplify import found_for

    search: dict[str, Any] = dict(seed=seed, playouts=playouts, time=time, threads=threads, params=params)
    if order not in ("canonical", "none"):
        raise ValueError(f"order: expected 'canonical' or 'none', got {_arguments.shown(order)}")
    if not list:
        given = [exprs] if not isinstance(exprs, (builtins.list, tuple, set, dict, str)) else exprs
        if isinstance(given, str):
            given = [sympy.sympify(given)]
        values = [*given.values()] if isinstance(given, dict) else [*given]

        def as_given(replacements: Any, reduced: Any) -> Any:
            if isinstance(exprs, dict):
                shaped: Any = dict(zip(exprs, reduced, strict=True))
            elif isinstance(exprs, str):
                shaped = repr(reduced[0])
            elif given is exprs:
                shaped = type(exprs)(reduced)
            else:
                shaped = reduced[0]
            return postprocess(replacements, shaped) if postprocess else (replacements, shaped)

        return cse(values, symbols, optimizations, as_given, order, ignore, **search)
    if isinstance(exprs, (int, float)):
        exprs = sympy.sympify(exprs)
    if isinstance(exprs, (sympy.Basic, sympy.MatrixBase)):
        exprs = [exprs]
    pairs = [] if optimizations in (None, "basic") else [*optimizations]
    exprs = [_prepared(value, pairs) for value in exprs]
    sheet = Sheet()
    templates = [sheet.template(value) for value in exprs]
    text = sheet.text()
    if symbols is None:
        symbols = sympy.numbered_symbols(cls=sympy.Symbol)
    taken = sheet.symbols()
    fresh = (symbol for symbol in symbols if symbol.name not in taken)
    program = found_for(sheet, text, **search) if sheet.outputs else None
    replacements, reduced = sheet.rebuilt(program, templates, fresh, ignore)
    if pairs:
        replacements = [(symbol, cse_main.postprocess_for_cse(value, pairs)) for symbol, value in replacements]
        reduced = [_finished(value, pairs) for value in reduced]
    return postprocess(replacements, reduced) if postprocess else (replacements, reduced)


def _prepared(value: Any, pairs: list[Any]) -> Any:
    import sympy
    from sympy.simplify import cse_main

    if not pairs:
        return value
    if isinstance(value, sympy.MatrixBase):
        return value.applyfunc(lambda entry: cse_main.preprocess_for_cse(entry, pairs))
    return cse_main.preprocess_for_cse(value, pairs)


def _finished(value: Any, pairs: list[Any]) -> Any:
    import sympy
    from sympy.simplify import cse_main

    if isinstance(value, sympy.MatrixBase):
        return value.applyfunc(lambda entry: cse_main.postprocess_for_cse(entry, pairs))
    return cse_main.postprocess_for_cse(value, pairs)

