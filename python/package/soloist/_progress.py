"""How far a run is, on a terminal or in a notebook."""

from __future__ import annotations

import html
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

from . import _arguments
from ._result import Progress

#: What ``progress=`` accepts: ``"line"`` (or True), ``"bar"``, False, and None for the choice by where the output goes.
Shown = Union[bool, Literal["line", "bar"], None]

#: Seconds before anything is shown without being asked for.
_PATIENCE = 1.0
#: Seconds between two lines in a file.
_LINES = 10.0
_WIDTH = 24


def number(value: float) -> str:
    """Returns a number with few digits."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.6g}"


def line(progress: Progress) -> str:
    """Returns how far a run is in one line.

    >>> line(Progress(seconds=3.21, playouts=12000, nodes=0, score=17.0, violation=None, bound=20.0))
    '3.2 s, 12,000 playouts, best 17, bound 20'
    """
    parts = [f"{progress.seconds:.1f} s", f"{progress.playouts:,} playouts"]
    if progress.nodes:
        parts.append(f"{progress.nodes:,} nodes")
    if progress.score is not None:
        parts.append(f"best {number(progress.score)}")
    elif progress.violation is not None:
        parts.append(f"infeasible by {number(progress.violation)}")
    if progress.bound is not None and abs(progress.bound) != float("inf"):
        parts.append(f"bound {number(progress.bound)}")
    return ", ".join(parts)


def fraction(progress: Progress, limits: Mapping[str, Any]) -> float | None:
    """Returns which part of the limits is used up, from 0 to 1; None: the run has no limit of this kind."""
    used = {"time": progress.seconds, "playouts": progress.playouts, "nodes": progress.nodes}
    parts = [used[name] / limits[name] for name in used if limits.get(name)]
    return min(1.0, max(parts)) if parts else None


def bar(progress: Progress, limits: Mapping[str, Any]) -> str:
    """Returns how far a run is as a bar; as a line without a limit."""
    part = fraction(progress, limits)
    if part is None:
        return line(progress)
    full = int(part * _WIDTH)
    return f"[{'#' * full}{'.' * (_WIDTH - full)}] {part:4.0%} {line(progress)}"


class _Screen:
    """A terminal: one line that is written again and again, and erased at the end."""

    def __init__(self, out: Any) -> None:
        self.out = out
        self.width = 0

    def show(self, progress: Progress | None, text: str, part: float | None) -> None:
        text = text[: max(10, shutil.get_terminal_size().columns - 1)]
        self.out.write("\r" + text.ljust(self.width))
        self.out.flush()
        self.width = len(text)

    def end(self) -> None:
        if self.width:
            self.out.write("\r" + " " * self.width + "\r")
            self.out.flush()


class _File:
    """A file or a pipe: a line now and then."""

    def __init__(self, out: Any) -> None:
        self.out = out
        self.next = 0.0

    def show(self, progress: Progress | None, text: str, part: float | None) -> None:
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + _LINES
            self.out.write(text + "\n")
            self.out.flush()

    def end(self) -> None:
        pass


class _Cell:
    """What a notebook shows: a text, and a bar where the run has a limit."""

    def __init__(self, text: str, part: float | None) -> None:
        self.text = text
        self.part = part

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        drawn = "" if self.part is None else f'<progress value="{self.part:.4f}" max="1"></progress> '
        return f"<div>{drawn}{html.escape(self.text)}</div>"


class _Notebook:
    """The output of a cell, which is replaced again and again."""

    def __init__(self, display: Callable[..., Any], with_bar: bool) -> None:
        self.display = display
        self.with_bar = with_bar
        self.handle: Any = None

    def show(self, progress: Progress | None, text: str, part: float | None) -> None:
        cell = _Cell(text if progress is None else line(progress), part if self.with_bar else None)
        if self.handle is None:
            self.handle = self.display(cell, display_id=True)
        else:
            self.handle.update(cell)

    def end(self) -> None:
        pass


def _notebook() -> Callable[..., Any] | None:
    """Returns the function ``display`` of a notebook; None outside of notebooks."""
    ipython = sys.modules.get("IPython")
    try:
        shell = ipython.get_ipython() if ipython is not None else None
        if shell is None or getattr(shell, "kernel", None) is None:
            return None
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        return display  # type: ignore[no-any-return, unused-ignore]
    except Exception:
        return None


def _is_terminal(out: Any) -> bool:
    try:
        return bool(out.isatty())
    except Exception:
        return False


class Display:
    """Shows how far a run is. What fails to be written is given up, and the run continues."""

    def __init__(self, kind: Shown, limits: Mapping[str, Any]) -> None:
        self.limits = limits
        self.begin = time.monotonic()
        self.delay = _PATIENCE if kind is None else 0.0
        self.bar = kind == "bar"
        self.to: _Screen | _File | _Notebook | None = None
        out, display = sys.stderr, _notebook()
        if kind is False or kind is None and threading.current_thread() is not threading.main_thread():
            return
        if display is not None:
            self.to = _Notebook(display, kind == "bar" or kind is None)
        elif out is not None and _is_terminal(out):
            self.to = _Screen(out)
        elif out is not None and kind is not None:
            self.to = _File(out)

    def update(self, progress: Progress) -> None:
        """Shows the state of the run."""
        if self.to is None or time.monotonic() - self.begin < self.delay:
            return
        text = bar(progress, self.limits) if self.bar else line(progress)
        try:
            self.to.show(progress, text, fraction(progress, self.limits))
        except Exception:
            self.to = None

    def tell(self, done: int, total: int, text: str) -> None:
        """Shows how many of the runs of a study are done."""
        if self.to is None or time.monotonic() - self.begin < self.delay:
            return
        try:
            self.to.show(None, text, done / total if total else None)
        except Exception:
            self.to = None

    def close(self) -> None:
        """Leaves the terminal as it was."""
        try:
            if self.to is not None:
                self.to.end()
        except Exception:
            pass


def shown(kind: Any) -> Shown:
    """Checks ``progress=``."""
    if kind is None or kind is True or kind is False:
        return kind if kind is not True else "line"
    if kind in ("line", "bar"):
        return kind  # type: ignore[no-any-return]
    raise ValueError(f'progress: expected "line", "bar", True, False or None, got {_arguments.shown(kind)}')
