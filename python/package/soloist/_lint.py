"""Names in classes that nobody reads, and notes in exceptions."""

from __future__ import annotations

import difflib
import functools
import warnings
from collections.abc import Mapping
from typing import Any

#: Names elsewhere of what a class says by `sense`, and whether they mean small scores where they are true.
_SENSES = {
    **dict.fromkeys(("minimize", "minimise", "is_minimize", "minimization", "is_minimization"), True),
    **dict.fromkeys(("maximize", "maximise", "is_maximize", "maximization", "is_maximization"), False),
}
_DIRECTIONS = ("direction", "objective_sense", "goal", "optimization_direction", "optimize")
#: Names elsewhere, and the functions that are meant.
_MEANT = {
    **dict.fromkeys(("upper_bound", "lower_bound", "dual_bound", "optimistic", "ub", "lb"), "bound"),
    **dict.fromkeys(("heuristic", "heuristics"), "potential"),
    **dict.fromkeys(("state_key", "hash_key"), "key"),
    "prior": "bias",
    "rollout": "playout",
}


def noted(error: BaseException, where: str) -> None:
    """Says in an exception of a problem's function where it was raised, as a note of PEP 678."""
    notes = [*getattr(error, "__notes__", ()), where]
    try:
        error.__notes__ = notes
    except (AttributeError, TypeError):
        # It has no place for notes.
        pass


def _near(name: str, known: str) -> bool:
    """Whether a name is a function's name with a slip of the keyboard."""
    if name.lower().rstrip("s") == known or sorted(name.lower()) == sorted(known) and len(known) > 3:
        return True
    return len(known) > 4 and difflib.SequenceMatcher(None, name.lower(), known).ratio() > 0.85


@functools.lru_cache(1000)
def _meant(name: str, missing: tuple[str, ...]) -> str | None:
    """Returns which of the missing functions a name stands for."""
    meant = _MEANT.get(name) or next((known for known in missing if _near(name, known)), None)
    return meant if meant in missing else None


def unread(problem: object, base: type, found: Mapping[str, Any], optional: tuple[str, ...]) -> list[str]:
    """Returns a line for each name that looks like one of the class :class:`Problem` and is not.

    Raises a TypeError where the problem would be solved in the other direction.
    """
    kind = type(problem)
    own: dict[str, Any] = {}
    for one in reversed(kind.__mro__):
        if one not in (object, base) and not one.__module__.startswith(("typing", "abc")):
            own.update(one.__dict__)
    own.update(getattr(problem, "__dict__", {}))
    # Helpers are often called `part` or `constraint`.
    missing = [name for name in optional if found.get(name) is None and name not in ("parts", "constraints", "relaxed")]
    lines = []
    for name, value in own.items():
        function = getattr(value, "__func__", value)
        if name.startswith("_") or name in found or not callable(function) or isinstance(function, type):
            continue
        meant = _meant(name, tuple(missing))
        if meant is not None:
            lines.append(f"{kind.__name__}: nobody reads `{name}`: did you mean `{meant}`?")
    if "sense" not in own:
        _directed(kind.__name__, own, lines)
    return lines


def _directed(kind: str, own: Mapping[str, Any], lines: list[str]) -> None:
    """Refuses a direction that nobody reads, where it is not the default."""
    for name, value in own.items():
        is_small = isinstance(value, bool) and _SENSES.get(name) is value if name in _SENSES else False
        if name in _DIRECTIONS and isinstance(value, str):
            is_small = value.lower().startswith("min")
        if is_small:
            what = f"{kind}: nobody reads `{name} = {value!r}`, large scores would be the better ones"
            what += ': write sense = "minimize"'
            raise TypeError("; ".join([what, *(line.split(": ", 1)[1] for line in lines)]))


def warn(lines: list[str]) -> None:
    """Shows lines as warnings, at the place outside this package that has called."""
    import sys

    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "soloist":
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    for line in lines:
        warnings.warn(line, RuntimeWarning, stacklevel=level)
