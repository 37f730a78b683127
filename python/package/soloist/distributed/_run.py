"""What a distributed run returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._result import Progress, Result


class NoWorkers(RuntimeError):
    """No worker has taken a slice for too long. The folder of the run stays valid: ``resume`` continues it."""


class SliceLost(RuntimeError):
    """A slice was lost more often than ``retries`` allows. The folder of the run stays valid."""


class RemoteTraceback(Exception):
    """The cause of an exception of the problem: its traceback in the worker."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True)
class Stream:
    """One of the independent searches of a run."""

    #: Its place, from 0 on.
    index: int
    #: The method.
    method: str
    #: The seed.
    seed: int
    #: The best score; None: nothing feasible yet.
    score: float | None
    #: The degree of infeasibility of the best solution.
    violation: float | None
    #: Playouts so far.
    playouts: int
    #: Nodes so far.
    nodes: int
    #: Complete slices.
    slices: int
    #: Slices that were made again, because they were lost.
    repeated: int
    #: Where its slices were made: hosts with numbers of processes, in the order in which they were first seen.
    workers: list[str] = field(repr=False)
    #: Seconds in complete slices, restoring and saving included.
    seconds: float
    #: Processor time of these; on a worker with several threads that of all of them.
    cpu_seconds: float
    #: Bytes of its last save.
    save_bytes: int
    #: Why its last slice ended.
    stop: str
    #: Whether it has nothing left to do.
    done: bool


@dataclass(frozen=True)
class Lost:
    """Slices that were made again, as far as the executor shows them; Dask repeats some by itself."""

    #: How many.
    slices: int
    #: Seconds from handing them out to their loss.
    seconds: float


@dataclass(frozen=True)
class StreamProgress(Progress):
    """How far a distributed run is, for ``on_progress``."""

    #: The streams.
    streams: list[Stream] = field(default_factory=list)
    #: What was lost so far.
    lost: Lost = Lost(0, 0.0)
    #: Slices under way.
    busy: int = 0


@dataclass(frozen=True)
class Run(Result):
    """The result of a distributed run: that of all streams together, verified in the driver.

    ``threads`` is the number of streams, ``seconds`` the time of the drivers, ``history`` has the improvements of the
    whole run as they arrived. ``method`` and ``parameters`` are those of the stream that found the best solution.
    """

    #: The streams.
    streams: list[Stream] = field(default_factory=list, repr=False)
    #: What was lost to deaths and hangs.
    lost: Lost = Lost(0, 0.0)
