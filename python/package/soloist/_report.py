"""Runs as one page, and live."""

from __future__ import annotations

import os
import pathlib
import tempfile
import threading
import webbrowser
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _arguments, _soloist
from ._bench import Comparison, address, known_scores
from ._field import calls, in_terms_of_arguments, wrong
from ._result import Result

#: What a report is made of: a file of runs, results or events, a result, or a comparison.
Runs = Union[str, "os.PathLike[str]", Result, Comparison]


def report(
    *runs: Runs | Iterable[Runs],
    output: str | os.PathLike[str] = "report.html",
    title: str | None = None,
    best_known: str | os.PathLike[str] | Mapping[str, float] | None = None,
    drawings: int = 50,
    show: bool = False,
) -> pathlib.Path:
    """Writes one page about runs, which opens from disk and loads nothing from elsewhere; returns its path.

    The page has convergence, tables, tests, and drawings of the best solutions where instances can be opened: from a spec,
    or from a path that counts from the file of runs or from here.

    Args:
        runs: results, comparisons, files of runs of ``bench``, events or results of the command, and folders of runs of
            :mod:`soloist.distributed`.
        output: the page, which is replaced.
        title: the heading.
        best_known: best known scores by the name of the instance, or a CSV file.
        drawings: most instances of each problem whose best solutions are drawn.
        show: opens the page in the browser.
    """
    page = _arguments.path("output", output)
    with tempfile.TemporaryDirectory() as folder:
        files = _files(folder, runs)
        known = best_known
        if isinstance(best_known, Mapping):
            known = known_scores(folder, list(best_known), "", best_known)
        with in_terms_of_arguments():
            _soloist.write_report(
                files,
                page,
                None if title is None else _arguments.text("title", title),
                None if known is None else _arguments.path("best_known", known),
                _arguments.count("drawings", drawings, least=0),
            )
    if show:
        webbrowser.open(page.absolute().as_uri())
    return page


def _existing(name: str, file: Any) -> list[pathlib.Path]:
    """Returns the path of a file that is there; of the folder of a distributed run the files of its events."""
    path = _arguments.path(name, file)
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    if not path.is_dir():
        return [path]
    found = list((path / "events").glob("*.jsonl"))
    if not found:
        raise FileNotFoundError(f"{path}: expected a file, or the folder of a run of soloist.distributed")
    return sorted(found, key=lambda one: (len(one.name), one.name))


def _files(folder: str, runs: Any) -> list[pathlib.Path]:
    """Returns the files of runs; those of objects are written into a folder."""
    files: list[pathlib.Path] = []
    for one in runs:
        if isinstance(one, Comparison):
            files.append(pathlib.Path(folder, f"{len(files)}.jsonl"))
            one.save(files[-1])
        elif isinstance(one, Result):
            files.append(pathlib.Path(folder, f"{len(files)}.json"))
            files[-1].write_text(one.to_json() + "\n", encoding="utf-8")
        elif isinstance(one, (str, os.PathLike)):
            files += _existing("runs", one)
        elif isinstance(one, Iterable):
            files += _files(tempfile.mkdtemp(dir=folder), one)
        else:
            raise TypeError(f"runs: expected results, comparisons or files, got {_arguments.shown(one)}")
    if not files:
        raise TypeError("runs: expected at least one")
    return files


class Server:
    """A live page; :func:`serve` makes it. `close()` ends it, as does the end of a ``with`` block."""

    def __init__(self, files: list[pathlib.Path], title: str | None, place: str) -> None:
        self._stop, self._ready = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        self._url = ""

        def warn(line: str) -> None:
            if line.startswith("live view: "):
                self._url = line.removeprefix("live view: ")
                self._ready.set()

        asked, _ = calls(False, self._stop)
        asked["warn"] = warn

        def work() -> None:
            try:
                _soloist.follow_files(files, title, place, asked)
            except BaseException as error:
                self._error = error
            self._ready.set()

        self._thread = threading.Thread(target=work, daemon=True, name="soloist.serve")
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise wrong(self._error) if isinstance(self._error, (ValueError, RuntimeError)) else self._error

    @property
    def url(self) -> str:
        """The address of the page."""
        return self._url

    def close(self) -> None:
        """Ends the page."""
        self._stop.set()
        self._thread.join()

    def wait(self) -> None:
        """Serves until Ctrl-C."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            pass
        self.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<soloist.Server {self.url}>"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}" target="_blank">{self.url}</a>'


def serve(
    *files: str | os.PathLike[str], port: int | str = 0, title: str | None = None, show: bool = False, wait: bool = False
) -> Server:
    """Shows files of runs on a live page, which follows them while they grow.

    A file is that of :func:`bench` (``file=``), or events or results of the command, or the folder of a run of
    :mod:`soloist.distributed`, which has events of all streams. The page is
    served on 127.0.0.1, for this machine alone, in the background until :meth:`Server.close`.

    Args:
        files: the files.
        port: the port; 0 picks a free one. A text such as ``"0.0.0.0:8000"`` names an address as well.
        title: the heading.
        show: opens the page in the browser.
        wait: returns only after Ctrl-C.
    """
    if not files:
        raise TypeError("files: expected at least one")
    paths = [path for file in files for path in _existing("files", file)]
    server = Server(paths, None if title is None else _arguments.text("title", title), address(port))
    if show:
        webbrowser.open(server.url)
    if wait:
        server.wait()
    return server
