"""The folder of a run: its description, and for each stream the last complete slice."""

from __future__ import annotations

import json
import os
import pickle
import socket
from pathlib import Path
from typing import Any

from .. import _soloist
from ._slice import write

_FORMAT = 1


class FolderInUse(RuntimeError):
    """Another driver works with the folder of the run."""


class Folder:
    """The files of a run, locked for this process until it closes them or ends.

    ``run.json`` and ``setup.pickle`` describe the run, ``problem.pickle`` holds the problem. ``stream-I.pickle`` names the
    checkpoint of stream I and says what it has found; ``stream-I.json`` and ``best.json`` say it for people.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock = open(path / "lock", "a+b")
        if not _claim(self._lock):
            self._lock.seek(0)
            holder = self._lock.read(200).decode(errors="replace").strip() or "another process"
            self._lock.close()
            raise FolderInUse(f"{path}: another driver is at work here, {holder}")
        self._lock.seek(0)
        self._lock.truncate()
        self._lock.write(f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        self._lock.flush()

    def close(self) -> None:
        """Lets another driver work with the folder."""
        self._lock.close()

    @property
    def is_used(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / "run.json").exists()

    def begin(self, about: dict[str, Any], setup: dict[str, Any], problem: bytes) -> None:
        """Writes what the run is; ``run.json`` comes last and makes the folder one that can be resumed."""
        write(self.path / "problem.pickle", problem)
        write(self.path / "setup.pickle", pickle.dumps(setup))
        about = {"format": _FORMAT, "version": _soloist.VERSION, **about}
        write(self.path / "run.json", (json.dumps(about, indent=1, default=str) + "\n").encode())

    def read(self) -> tuple[dict[str, Any], dict[str, Any], bytes]:
        """Reads what :meth:`begin` has written."""
        try:
            about = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
            if about["format"] != _FORMAT:
                raise ValueError(f"format {about['format']}, this version reads format {_FORMAT}")
            setup = pickle.loads((self.path / "setup.pickle").read_bytes())
            problem = (self.path / "problem.pickle").read_bytes()
        except FileNotFoundError as error:
            raise FileNotFoundError(f"{self.path}: no run to resume, {Path(str(error.filename)).name} is missing") from None
        except (ValueError, KeyError, TypeError, EOFError, pickle.UnpicklingError) as error:
            raise ValueError(f"{self.path}: the description of the run cannot be read: {error}") from None
        return about, setup, problem

    def streams(self, count: int) -> list[dict[str, Any] | None]:
        """Reads the last complete slice of each stream; None: it has none."""
        return [self._stream(index) for index in range(count)]

    def _stream(self, index: int) -> dict[str, Any] | None:
        path = self.path / f"stream-{index}.pickle"
        try:
            record: dict[str, Any] = pickle.loads(path.read_bytes())
            if not (self.path / record["checkpoint"]).exists():
                raise ValueError(f"{record['checkpoint']} is missing")
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, EOFError, pickle.UnpicklingError) as error:
            raise ValueError(f"{path}: the record of the stream cannot be read: {error}") from None
        return record

    def progress(self) -> dict[str, Any]:
        """Reads what the last driver has noted."""
        try:
            seen: dict[str, Any] = json.loads((self.path / "progress.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            seen = {}
        empty = {"seconds": 0.0, "lost_slices": 0, "lost_seconds": 0.0, "improved_at": 0, "history": []}
        return {**empty, **seen}

    def load(self, name: str) -> bytes:
        """Reads a checkpoint."""
        return (self.path / name).read_bytes()

    def store(self, index: int, name: str, record: dict[str, Any], saved: bytes | str, shown: dict[str, Any]) -> str:
        """Writes a slice and returns the name of its checkpoint. The record is replaced after the checkpoint is there."""
        if isinstance(saved, bytes):
            checkpoint = f"{name}.ckpt"
            write(self.path / checkpoint, saved)
        else:
            checkpoint = saved
        write(self.path / f"stream-{index}.pickle", pickle.dumps({**record, "checkpoint": checkpoint}))
        write(self.path / f"stream-{index}.json", (json.dumps(shown, default=str) + "\n").encode())
        return checkpoint

    def show(self, name: str, shown: dict[str, Any]) -> None:
        """Writes a file for people."""
        write(self.path / name, (json.dumps(shown, default=str) + "\n").encode())

    def discard(self, name: str) -> None:
        """Removes a checkpoint that nothing names any more."""
        (self.path / name).unlink(missing_ok=True)

    def tidy(self, used: set[str]) -> None:
        """Removes checkpoints that a killed driver or a late worker has left."""
        for path in self.path.iterdir():
            if path.suffix == ".tmp" or path.suffix == ".ckpt" and path.name not in used:
                path.unlink(missing_ok=True)


def _claim(file: Any) -> bool:
    """Locks a file for this process; the lock goes with the process."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
