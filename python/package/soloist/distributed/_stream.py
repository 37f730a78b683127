"""What the driver knows of each stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._result import Solution
from ._run import Stream
from ._slice import Slice

#: What a folder keeps of a stream.
_KEPT = (
    "best",
    "others",
    "playouts",
    "nodes",
    "found",
    "rounds",
    "due",
    "slices",
    "saves",
    "repeated",
    "workers",
    "seconds",
    "cpu_seconds",
    "size",
    "stop",
    "done",
    "bound",
    "optimal",
    "infeasible",
    "marks",
    "about",
    "by_worker",
)


@dataclass
class State:
    """A stream in the driver: what its complete slices have yielded, and the attempt under way."""

    index: int
    setup: dict[str, Any]
    #: Its part of the counts of the run; None: no limit.
    share: dict[str, int | None] = field(default_factory=dict)
    saved: bytes | str | None = None
    checkpoint: str | None = None
    best: Solution | None = None
    others: list[Solution] = field(default_factory=list)
    playouts: int = 0
    nodes: int = 0
    found: int = 0
    #: Slices that used up their counts; the exchange waits for these.
    rounds: int = 0
    #: What is left of a slice that time or a target has cut.
    due: dict[str, int] | None = None
    slices: int = 0
    #: Numbers the files of the folder.
    saves: int = 0
    repeated: int = 0
    workers: list[str] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    size: int = 0
    stop: str = ""
    done: bool = False
    bound: float | None = None
    optimal: bool = False
    infeasible: bool = False
    #: The best solution after the rounds at which solutions are exchanged: the last two, so that a driver that is
    #: started again offers the same.
    marks: dict[int, Solution | None] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    #: Whether a worker has written the save into the folder.
    by_worker: bool = False
    #: The number of the slice under way, which distinguishes its answer from those of earlier ones.
    serial: int = 0
    busy: bool = False
    #: Whether a worker said that the run was over when it was not.
    was_late: bool = False
    #: Losses of the present slice, and how many slices of all streams had come back before the first.
    attempts: int = 0
    heard: int = 0

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do within the counts of the run."""
        made = {"playouts": self.playouts, "nodes": self.nodes}
        return self.done or any(most is not None and made[name] >= most for name, most in self.share.items())

    def next_slice(self, slice: dict[str, Any]) -> dict[str, Any]:
        """Returns the limits of the next slice."""
        limits = {**slice, **(self.due or {})}
        made = {"playouts": self.playouts, "nodes": self.nodes}
        for name, most in self.share.items():
            if most is not None:
                limits[name] = min(limits.get(name, most), most - made[name])
        return limits

    def take(self, found: Slice, slice: dict[str, Any], every: int | None) -> None:
        """Takes the yield of a slice."""
        counts = {name: count for name, count in slice.items() if name in ("playouts", "nodes")}
        made = {"playouts": found.playouts - self.playouts, "nodes": found.nodes - self.nodes}
        wanted = {**counts, **(self.due or {})}
        # A slice of seconds is always whole.
        is_whole = not counts or found.done or any(made[name] >= wanted[name] for name in wanted)
        self.due = None if is_whole else {name: wanted[name] - made[name] for name in wanted}
        self.saved, self.size, self.by_worker = found.saved, found.size, isinstance(found.saved, str)
        self.best, self.others = found.best, found.others
        self.playouts, self.nodes, self.found = found.playouts, found.nodes, found.found
        self.bound, self.optimal, self.infeasible = found.bound, found.optimal, found.infeasible
        self.stop, self.done, self.about = found.stop, found.done, found.about
        self.seconds += found.seconds
        self.cpu_seconds += found.cpu_seconds
        if found.worker not in self.workers:
            self.workers.append(found.worker)
        self.slices += 1
        self.serial += 1
        self.attempts = 0
        if is_whole:
            self.rounds += 1
            if every is not None and self.rounds % every == 0:
                self.marks[self.rounds] = self.best
                for old in sorted(self.marks)[:-2]:
                    del self.marks[old]

    def restart(self) -> None:
        """Begins again, from the best solution so far: nothing else can be continued."""
        fresh = State(self.index, self.setup)
        counts = ("playouts", "nodes", "found", "rounds", "due", "slices")
        for name in (*counts, "stop", "done", "bound", "optimal", "infeasible"):
            setattr(self, name, getattr(fresh, name))
        self.saved, self.checkpoint, self.by_worker, self.size = None, None, False, 0
        self.marks = {}
        self.serial += 1

    def record(self) -> dict[str, Any]:
        """Returns what a folder keeps."""
        return {name: getattr(self, name) for name in _KEPT}

    def restore(self, record: dict[str, Any]) -> None:
        """Continues from what a folder has kept."""
        for name in _KEPT:
            setattr(self, name, record[name])
        self.checkpoint = record["checkpoint"]

    def shown(self) -> Stream:
        """Returns it for users."""
        return Stream(
            index=self.index,
            method=str(self.about.get("method") or self.setup.get("method") or ""),
            seed=self.setup["seed"],
            score=None if self.best is None else self.best.score,
            violation=None if self.best is None else self.best.violation,
            playouts=self.playouts,
            nodes=self.nodes,
            slices=self.slices,
            repeated=self.repeated,
            workers=list(self.workers),
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
            save_bytes=self.size,
            stop=self.stop,
            done=self.is_finished,
        )
