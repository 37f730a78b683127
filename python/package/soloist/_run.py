"""The keywords of runs: one list for all functions that make runs, for type checkers and for ``help()``."""

from __future__ import annotations

import datetime
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict, TypeVar

from ._keywords import Parameters
from ._progress import Shown
from ._result import Improvement, Progress, Stop

#: The names of the methods. Type checkers find a misspelt one; a variable needs this type.
MethodName = Literal[
    "sampling", "ms", "uct", "uct-best", "uct-best-lazy", "uct-tuned", "sp-mcts", "sp-mcts-restarts",
    "sp-mcts-balanced", "sp-mcts-exploration", "sp-mcts-cem", "sp-mcts-move", "sp-mcts-move-cem", "sp-mcts-adapted",
    "bmcts", "bmcts-samegame", "bmcts-samegame-informed", "bmcts-bubble-breaker", "bmcts-clickomania",
    "sa-uct", "uct-ratio", "nmcs", "nrpa", "beam-nrpa", "hd-nrpa", "gnrpa", "gnrpa-lr", "beam", "cabs", "dfs",
    "best-first", "bfs", "iterative-broadening", "ida-star", "anneal", "ils", "auto", "uct-log", "symmetric",
    "learned", "sections", "sisr", "k-list", "four-lists", "ranks", "refine", "minknap",
]  # fmt: skip


class PlannedLimits(TypedDict, total=False):
    """The limits of a session, for methods that plan ahead."""

    time: float | datetime.timedelta | None
    playouts: int | float | None
    nodes: int | float | None
    memory: int | float | None
    max_moves: int | float | None


class Limits(PlannedLimits, total=False):
    """The limits of a run."""

    target: float | None
    stall: int | float | None


class Setup(TypedDict, total=False):
    """What a run searches by, and where it begins."""

    method: MethodName | None
    seed: int | None
    params: Mapping[str, Any] | None
    rollout: str | None
    threads: int | None
    keep: int
    start: Any
    prefix: Any


class RunKeywords(Setup, Limits, total=False):
    """The keywords of every run to an end."""

    on_progress: Callable[[Progress], Any] | None
    stop: Stop | None
    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: float
    resume: bytes | str | os.PathLike[str] | None


class SolveKeywords(RunKeywords, Parameters, total=False):
    """The keywords of :func:`soloist.solve`."""

    on_improve: Callable[[Improvement], Any] | None
    progress: Shown


class ImprovementsKeywords(RunKeywords, Parameters, total=False):
    """The keywords of :func:`soloist.improvements`."""


class SessionKeywords(Setup, PlannedLimits, Parameters, total=False):
    """The keywords of :class:`soloist.Session`."""


class RestoreKeywords(PlannedLimits, Parameters, total=False):
    """The keywords of :meth:`soloist.Session.restore`."""

    prefix: Any


#: The defaults that are not None.
_DEFAULTS: dict[str, Any] = {"keep": 1, "checkpoint_every": 30.0}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def names(keywords: type) -> dict[str, str]:
    """Returns the keywords of a function with their types; parameters of methods are not among them."""
    # The types are not evaluated: type checkers read them, and `help()` shows their text.
    types = {name: getattr(kind, "__forward_arg__", str(kind)) for name, kind in keywords.__annotations__.items()}
    return {name: kind for name, kind in types.items() if name not in Parameters.__annotations__}


def keywords(kind: type, defaults: Mapping[str, Any] = _DEFAULTS) -> Callable[[_Function], _Function]:
    """Shows each keyword in the signature of a function whose last parameter stands for those of ``kind``.

    The parameter stays in the signature where parameters of methods are among the keywords. Where they are not, a
    name that is no keyword is refused.
    """
    listed = names(kind)
    is_open = len(listed) < len(kind.__annotations__)

    def decorate(function: _Function) -> _Function:
        *own, rest = inspect.signature(function).parameters.values()
        parameters = [one for one in own if one.kind is not inspect.Parameter.KEYWORD_ONLY]
        only = inspect.Parameter.KEYWORD_ONLY
        parameters += [
            inspect.Parameter(name, only, default=defaults.get(name), annotation=text) for name, text in listed.items()
        ]
        parameters += [one for one in own if one.kind is only]
        if is_open:
            parameters.append(rest.replace(name="parameters", annotation="Any"))
        returned = function.__annotations__.get("return", inspect.Signature.empty)
        first = [one.name for one in own if one.kind is inspect.Parameter.POSITIONAL_ONLY]
        first = [name for name in first if name not in ("self", "cls")]

        @functools.wraps(function)
        def call(*arguments: Any, **given: Any) -> Any:
            for name in first:
                if name in given:
                    raise TypeError(f"{name}: give it without a name, `{first[0]}` in front")
            return function(*arguments, **given)

        setattr(call, "__signature__", inspect.Signature(parameters, return_annotation=returned))
        return call  # type: ignore[return-value]

    return decorate


def split(given: Mapping[str, Any], kind: type) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the keywords of a call apart from parameters of methods and options of problems."""
    listed = names(kind)
    arguments = {name: value for name, value in given.items() if name in listed}
    return arguments, {name: value for name, value in given.items() if name not in listed}
