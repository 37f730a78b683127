"""What the live view shows of a run: the events of each stream and of the run as a whole, as JSON lines."""

from __future__ import annotations

import json
import math
import os
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _soloist
from .._better import rank
from .._instance import Instance
from .._result import Improvement, Solution, _plain
from ._stream import State

#: What the `start` event says about a stream, beside its seed.
_TASK = ("problem", "instance", "options", "sense", "method", "parameters", "rollout")
_ENDING = ("score", "violation", "optimal", "infeasible", "bound", "gap", "playouts", "nodes", "seconds", "stop")
#: Seconds between two reports of the whole run.
_REPORT = 1.0


class Events:
    """Files of events: ``all.jsonl`` of the whole run, ``stream-I.jsonl`` of stream I.

    They have the format of ``soloist solve --events``. Times are those of the whole run. A file that cannot be written
    ends the events, and not the run.
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None, problem: Any, streams: Sequence[State], limits: Mapping[str, Any]
    ) -> None:
        self._problem, self._streams, self._limits = problem, streams, limits
        self._scratch = None if folder is not None else tempfile.TemporaryDirectory(prefix="soloist-")
        place = Path(folder) if folder is not None else Path(str(self._scratch and self._scratch.name))
        place.mkdir(parents=True, exist_ok=True)
        self.files = [place / "all.jsonl", *(place / f"stream-{state.index}.jsonl" for state in streams)]
        for file in self.files:
            file.touch()
        self._works = True
        self._begun: set[int] = set()
        #: Playouts of streams and seconds of the run before this driver, and the best solutions that are known.
        self._before = [state.playouts for state in streams]
        self._seconds = 0.0
        self._bests: list[Solution | None] = [state.best for state in streams]
        self._reported = 0.0

    def begin(self, seconds: float) -> None:
        """Notes the seconds of earlier drivers."""
        self._seconds = seconds

    def slice(self, state: State, seconds: float, is_minimize: bool) -> None:
        """Adds what a slice of a stream has yielded."""
        place = state.index + 1
        self._start(place, state, None, state.setup["seed"], 1, self._before[state.index], state.share)
        best = state.best
        if rank(best, is_minimize) > rank(self._bests[state.index], is_minimize) and best is not None:
            self._bests[state.index] = best
            self._improved(place, seconds, state.playouts, 0, best)
        score = None if best is None else best.score
        shown = _progress(seconds, state.playouts, state.nodes, score, state.bound)
        self._write(place, {"event": "progress", **shown})

    def run(self, state: State, seconds: float, playouts: int, nodes: int, score: float | None, bound: float | None) -> None:
        """Adds how far the whole run is after a slice of `state`."""
        if time.monotonic() - self._reported < _REPORT and 0 in self._begun:
            return
        self._reported = time.monotonic()
        self._begin_all(state)
        self._write(0, {"event": "progress", **_progress(seconds, playouts, nodes, score, bound)})

    def improved(self, state: State, better: Improvement, playouts: int) -> None:
        """Adds a better solution of the whole run, which `state` has found."""
        self._begin_all(state)
        found = Solution(better.score, better.violation, list(better.moves or []), better.solution)
        self._improved(0, better.seconds or 0.0, playouts, state.index, found)

    def _begin_all(self, state: State) -> None:
        seed, count = self._streams[0].setup["seed"], len(self._streams)
        self._start(0, state, f"all {count} streams", seed, count, sum(self._before), self._limits)

    def end(self, result: Mapping[str, Any], seconds: float) -> None:
        """Adds the end of the run, and of each stream."""
        for state in self._streams:
            if state.index + 1 in self._begun:
                best, stop = state.best, state.stop if state.is_finished and state.stop else result["stop"]
                score = None if best is None else best.score
                ending = {
                    **_progress(seconds, state.playouts, state.nodes, score, state.bound),
                    "score": score,
                    "violation": None if best is None else best.violation,
                    "optimal": state.optimal,
                    "infeasible": state.infeasible,
                    "feasible": score is not None,
                    "stop": stop,
                }
                self._write(state.index + 1, {"event": "end", **ending})
        if 0 in self._begun:
            ending = {name: _number(result[name]) for name in _ENDING}
            self._write(0, {"event": "end", **ending, "feasible": result["score"] is not None})

    def close(self) -> None:
        """Removes what is nobody's."""
        if self._scratch is not None:
            self._scratch.cleanup()

    def _start(
        self, place: int, state: State, label: str | None, seed: int, threads: int, before: int, limits: Mapping[str, Any]
    ) -> None:
        if place in self._begun or not state.about:
            return
        self._begun.add(place)
        event: dict[str, Any] = {"event": "start", "format": _soloist.FORMAT}
        if label is not None:
            event["label"] = label
        event.update({name: state.about[name] for name in _TASK})
        if isinstance(self._problem, Instance):
            event["describe"] = self._problem.description
        budget = {name: limit for name, limit in limits.items() if limit is not None}
        event.update(seed=seed, threads=threads, budget=budget, version=_soloist.VERSION)
        self._write(place, {**event, "playouts": before, "seconds": self._seconds if before else 0.0})

    def _improved(self, place: int, seconds: float, playouts: int, stream: int, found: Solution) -> None:
        step = {"seconds": seconds, "playouts": playouts, "stream": stream, "score": _number(found.score)}
        if found.violation is not None:
            step["violation"] = _number(found.violation)
        solution = found.solution if isinstance(self._problem, Instance) else None
        self._write(place, {"event": "improved", **step, "solution": solution})

    def _write(self, place: int, event: Mapping[str, Any]) -> None:
        if not self._works:
            return
        line = json.dumps(event, default=_plain) + "\n"
        try:
            with open(self.files[place], "a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            self._works = False
            warnings.warn(f"the live view ends, the run continues: {error}", RuntimeWarning, stacklevel=2)


def _number(value: Any) -> Any:
    """Returns what JSON has for a number."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _progress(seconds: float, playouts: int, nodes: int, best: float | None, bound: float | None) -> dict[str, Any]:
    """Returns how far a run or a stream is."""
    gap = abs(best - bound) / abs(best) if best and bound is not None else None
    found = {"seconds": seconds, "playouts": playouts, "nodes": nodes, "best": best, "bound": bound, "gap": gap}
    return {name: _number(value) for name, value in found.items()}
