"""Tuning: good parameters of a method for a class of instances."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _arguments, _soloist
from ._field import Entry, calls, field_of, in_terms_of_arguments, joined
from ._progress import Shown
from ._result import Stop
from ._run import Limits, MethodName, keywords

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The values of a parameter that is tuned: None for all that it accepts, a pair of ends, with ``"log"`` behind it for a
#: logarithmic scale, or a list of words.
Values = Union[None, tuple[float, float], tuple[float, float, Literal["log"]], Sequence[str], str]


def _parameter(name: str, values: Any) -> str:
    """Returns a parameter to tune as the command line writes it."""
    if values is None:
        return name
    if isinstance(values, str):
        return f"{name}={values}"
    parts = list(values)
    if parts and all(isinstance(part, str) for part in parts):
        return f"{name}={'|'.join(parts)}"
    if len(parts) in (2, 3) and (len(parts) == 2 or parts[2] == "log"):
        low, high = (_arguments.real(f"parameters: {name}", part) for part in parts[:2])
        return f"{name}={low}..{high}" + (":log" if len(parts) == 3 else "")
    raise TypeError(
        f'parameters: {name}: expected None, (low, high), (low, high, "log") or a list of words, got {_arguments.shown(values)}'
    )


@keywords(Limits)
def tune(
    problems: Entry | Sequence[Entry] | Mapping[str, Entry],
    method: MethodName,
    parameters: Mapping[str, Values] | Sequence[str],
    *,
    instances: Entry | Sequence[Entry] | None = None,
    validation: Entry | Sequence[Entry] | Mapping[str, Entry] | None = None,
    validation_seeds: int = 1,
    params: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    rollout: str | None = None,
    threads: int = 1,
    seed: int = 0,
    samples: int = 30,
    elite: int | None = None,
    iterations: int = 10,
    batch: int = 10,
    smoothing: float = 0.7,
    start: Mapping[str, Any] | None = None,
    race: Literal["t", "hoeffding"] | None = None,
    spread: float | None = None,
    folder: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    progress: Shown = None,
    stop: Stop | None = None,
    **limits: Unpack[Limits],
) -> Tuning:
    """Finds good parameters of a method by the cross-entropy method, and compares them with those before on instances that
    took no part.

    This is ``soloist tune``. Ctrl-C and ``stop`` end it; with a ``folder`` the same call continues.

    Args:
        problems: as for :func:`bench`. Of several instances without ``validation`` a quarter is held out.
        method: the method.
        parameters: those to tune with their values, as in ``{"c": (0.1, 10, "log"), "value": ["mean", "best"], "alpha": None}``.
        instances: files, patterns and specs, where ``problems`` is a name.
        validation: instances of the final comparison; as ``problems``, or as ``instances`` where that is a name.
        validation_seeds: seeds of each of them.
        time: seconds of each run.
        playouts: playouts of each run.
        nodes: nodes of each run.
        target: a run ends at a solution with this score.
        stall: a run ends after this many playouts without improvement.
        memory: bytes for search trees.
        max_moves: moves of a game.
        params: parameters that are fixed.
        options: rules of a problem that ships.
        rollout: the playout policy.
        threads: streams of each run.
        seed: the seed of draws and runs.
        samples: settings drawn in each iteration.
        elite: the best of them, to which the distribution moves; a fifth of ``samples`` by default.
        iterations: how often the distribution moves.
        batch: fresh instances of each iteration.
        smoothing: how far the distribution moves, above 0, at most 1.
        start: means to begin with instead of the middle of the range.
        race: drops settings within an iteration by a paired t test or by Hoeffding's bound.
        spread: of ``race="hoeffding"``: by how much the scores of two settings may differ.
        folder: where runs, trace and result are kept. Default: nowhere.
        fresh: starts over.
        jobs: runs at a time; by default as many as there are cores, and one for Python problems that are not
            :func:`compiled`.
        progress: shows how far it is, as that of :func:`solve`.
        stop: ends the tuning, as that of :func:`solve`.

    >>> found = soloist.tune("samegame", "uct", {"c": (0.01, 10, "log")}, instances="random:5x5x3:1..8", playouts=60,
    ...                      samples=4, iterations=2, batch=2, progress=False)
    >>> sorted(found.parameters), found.is_complete
    (['c'], True)
    """
    fields = field_of("problems", problems, instances, None if validation is None else ("validation", validation))
    whole = joined(fields)
    asked = (
        [_parameter(_arguments.text("parameters", name), values) for name, values in parameters.items()]
        if isinstance(parameters, Mapping)
        else [_arguments.text("parameters", one) for one in parameters]
    )
    request = _arguments.request(
        method=_arguments.text("method", method),
        parameters=_arguments.settings(params, {}),
        rollout=rollout,
        seed=seed,
        threads=threads,
        **limits,
    )
    whole.threads(request["threads"])
    if race not in (None, "t", "hoeffding"):
        raise ValueError(f'race: expected "t", "hoeffding" or None, got {_arguments.shown(race)}')
    part = _arguments.real("smoothing", smoothing)
    if not 0 < part <= 1:
        raise ValueError(f"smoothing: expected a number above 0, at most 1, got {part:g}")
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch) if folder is None else _arguments.path("folder", folder)
        wish = {
            "request": request,
            "options": whole.rules(options),
            "parameters": asked,
            "start": [(key, _arguments.setting(f"start: {key}", value)) for key, value in (start or {}).items()],
            "instances": fields[0].names,
            "validation": fields[1].names if len(fields) > 1 else [],
            "validation_seeds": _arguments.count("validation_seeds", validation_seeds, most=100_000),
            "samples": _arguments.count("samples", samples, least=3, most=100),
            "elite": None if elite is None else _arguments.count("elite", elite),
            "iterations": _arguments.count("iterations", iterations, most=100_000),
            "batch": _arguments.count("batch", batch, most=100_000),
            "smoothing": part,
            "race": race,
            "spread": None if spread is None else _arguments.real("spread", spread),
            "folder": place,
            "fresh": bool(fresh),
            "jobs": whole.jobs(jobs),
        }
        called, display = calls(progress, stop)
        with contextlib.closing(display), in_terms_of_arguments():
            complete, text = _soloist.run_tune(whole.request(called), wish)
        result = place / "result.json"
        drawn = place / "trace.svg"
        return Tuning(
            text,
            complete,
            json.loads(result.read_text(encoding="utf-8")) if complete else {},
            drawn.read_text(encoding="utf-8") if drawn.exists() else None,
        )


class Tuning:
    """What a tuning has found; :func:`tune` makes it."""

    def __init__(self, text: str, is_complete: bool, result: Mapping[str, Any], svg: str | None) -> None:
        self._text, self._result, self._svg = text, dict(result), svg
        #: Whether all runs were made.
        self.is_complete = is_complete

    @property
    def parameters(self) -> dict[str, Any]:
        """The tuned parameters, for ``params=`` of :func:`solve`; empty where the tuning was ended."""
        return dict(self._result.get("tuned", {}))

    @property
    def is_better(self) -> bool | None:
        """Whether the tuned parameters are better than those before, on the instances held out; None: that is not clear."""
        found = (self._result.get("validation") or {}).get("comparison") or {}
        better = found.get("better")
        return None if better is None else better == found.get("a")

    @property
    def validation(self) -> dict[str, Any] | None:
        """The final comparison: ``tuned_mean``, ``before_mean``, ``comparison`` with its tests."""
        return self._result.get("validation")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The iterations: what was drawn, and how the distribution has moved."""
        return list(self._result.get("iterations", []))

    def text(self) -> str:
        """Returns what ``soloist tune`` prints."""
        return self._text

    __str__ = text

    def __repr__(self) -> str:
        return f"<soloist.Tuning {self.parameters}>" if self.is_complete else "<soloist.Tuning, not complete>"

    def to_dict(self) -> dict[str, Any]:
        """Returns the object of ``soloist tune --json``."""
        return dict(self._result)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self._text)}</pre>" + (self._svg or "")

    def _repr_svg_(self) -> str | None:
        return self._svg

    def to_pandas(self) -> Any:
        """Returns the iterations as a data frame of pandas."""
        import pandas

        return pandas.json_normalize(self.rows)
