"""The folder of a run: its description, and for each stream the last complete slice."""

from __future__ import annotations

import errno
import json
import os
import pickle
import socket
import zlib
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
        #: What went wrong and did not end the run, a line each.
        self.remarks: list[str] = []
        try:
            is_free = _claim(self._lock)
        except OSError as error:
            is_free = True
            self.remarks.append(
                f"{path}: the file system has no locks ({error.strerror or error}): a second driver is not refused"
            )
        if not is_free:
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
            record["checkpoint"], record["best"]
        except FileNotFoundError:
            return None
        except Exception as error:
            # A damaged pickle may raise anything.
            self.remarks.append(f"{path}: damaged ({type(error).__name__}: {error}): stream {index} begins again")
            return None
        return record

    def progress(self) -> dict[str, Any]:
        """Reads what the last driver has noted."""
        try:
            seen: dict[str, Any] = json.loads((self.path / "progress.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            seen = {}
        except ValueError as error:
            self.remarks.append(f"{self.path / 'progress.json'}: damaged ({error}): seconds and history begin again")
            seen = {}
        empty = {"seconds": 0.0, "lost_slices": 0, "lost_seconds": 0.0, "improved_at": 0, "history": []}
        return {**empty, **seen}

    def load(self, name: str) -> bytes:
        """Reads a checkpoint. Raises a ValueError or an OSError where it is damaged or missing."""
        saved = (self.path / name).read_bytes()
        flaw = flaw_of(saved)
        if flaw is not None:
            raise ValueError(flaw)
        return saved

    def store(self, index: int, name: str, record: dict[str, Any], saved: bytes | str, shown: dict[str, Any]) -> str:
        """Writes a slice and returns the name of its checkpoint. The record is replaced after the checkpoint is there."""
        if isinstance(saved, bytes):
            checkpoint = f"{name}.ckpt"
            self._write(checkpoint, saved)
        else:
            checkpoint = saved
        self._write(f"stream-{index}.pickle", pickle.dumps({**record, "checkpoint": checkpoint}))
        self._write(f"stream-{index}.json", (json.dumps(shown, default=str) + "\n").encode())
        return checkpoint

    def _write(self, name: str, data: bytes) -> None:
        try:
            write(self.path / name, data)
        except OSError as error:
            what = f"the folder of the run cannot be written ({error.strerror or error}); what it holds can be resumed"
            raise type(error)(error.errno, what, str(self.path / name)) from error

    def show(self, name: str, shown: dict[str, Any]) -> None:
        """Writes a file for people."""
        self._write(name, (json.dumps(shown, default=str) + "\n").encode())

    def discard(self, name: str) -> None:
        """Removes a checkpoint that nothing names any more."""
        (self.path / name).unlink(missing_ok=True)

    def tidy(self, used: set[str]) -> None:
        """Removes checkpoints that a killed driver or a late worker has left."""
        for path in self.path.iterdir():
            if path.suffix == ".tmp" or path.suffix == ".ckpt" and path.name not in used:
                path.unlink(missing_ok=True)


def flaw_of(saved: bytes) -> str | None:
    """Says what is wrong with the bytes of a checkpoint; None: they are whole. Of which problem they are is not asked.

    The layout is that of `core/codec.rs`: magic, version, fingerprint, length of the body, body, its CRC-32.
    """
    if len(saved) < 28 or saved[:8] != b"SOLOIST\0":
        return f"no checkpoint, or one that is truncated: {len(saved)} bytes"
    length = int.from_bytes(saved[20:28], "little")
    if len(saved) != 32 + length:
        return f"the checkpoint has {len(saved)} bytes, expected {32 + length}"
    if zlib.crc32(saved[28 : 28 + length]) != int.from_bytes(saved[28 + length :], "little"):
        return "the checkpoint is damaged: its checksum is another one"
    return None


#: What the system says where another process has the lock. Other errors say that there are no locks.
_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


def _claim(file: Any) -> bool:
    """Locks a file for this process; the lock goes with the process. Raises an OSError where there are no locks."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError as error:
            if error.errno not in _HELD:
                raise
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _HELD:
            raise
        return False
    return True
