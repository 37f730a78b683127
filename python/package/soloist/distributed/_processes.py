"""Processes of this machine that may die."""

from __future__ import annotations

import concurrent.futures
import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

#: Processes that end before they are ready, one after the other, until no more are started.
_FALSE_STARTS = 3


class WorkerDied(concurrent.futures.BrokenExecutor):
    """The process that had the task has gone."""


def _serve(connection: Any) -> None:
    """Works for the parent until it goes."""
    import multiprocessing
    import multiprocessing.connection
    import signal

    # Ctrl-C on a terminal reaches the whole group: the driver decides what ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        # A task may run for hours without anybody to report to.
        multiprocessing.connection.wait([parent.sentinel])  # type: ignore[union-attr]
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    connection.send_bytes(b"")
    while True:
        try:
            data = connection.recv_bytes()
        except EOFError:
            return
        try:
            function, arguments, keywords = pickle.loads(data)
            answer = (True, function(*arguments, **keywords))
            reply = pickle.dumps(answer)
        except Exception as error:
            try:
                reply = pickle.dumps((False, error))
                pickle.loads(reply)
            except Exception:
                reply = pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        connection.send_bytes(reply)


class _Job:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.future: concurrent.futures.Future[Any] = concurrent.futures.Future()


class Processes(concurrent.futures.Executor):
    """An executor of processes in which the death of a process costs its own task alone.

    The future of that task raises :class:`concurrent.futures.BrokenExecutor`; a new process takes the place of the
    dead one. ``concurrent.futures.ProcessPoolExecutor`` gives up all tasks instead. Scripts need
    ``if __name__ == "__main__":``, as with :mod:`multiprocessing`.

    Args:
        workers: processes; one for each core by default.
    """

    def __init__(self, workers: int | None = None) -> None:
        import multiprocessing

        from .. import _arguments

        self.workers = (os.cpu_count() or 1) if workers is None else _arguments.count("workers", workers, most=4096)
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise RuntimeError(
                "a worker imports the script that starts workers: put the start under `if __name__ == '__main__':`"
            )
        # A fork of a process with threads may deadlock.
        self._context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: dict[concurrent.futures.Future[Any], Any] = {}
        self._processes: set[Any] = set()
        self._has_begun = False
        self._false_starts = 0
        self._is_closed = False
        self._threads = [threading.Thread(target=self._lane, daemon=True) for _ in range(self.workers)]

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
        """Hands a call to the next process that is free, and returns its future."""
        if self._is_closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        job = _Job(pickle.dumps((function, arguments, keywords)))
        if not self._has_begun:
            self._has_begun = True
            for thread in self._threads:
                thread.start()
        self._jobs.put(job)
        return job.future

    @property
    def is_broken(self) -> bool:
        """Whether no process could be started."""
        return self._false_starts >= _FALSE_STARTS

    @property
    def pids(self) -> list[int]:
        """The processes at present."""
        with self._lock:
            return [process.pid for process in self._processes if process.pid is not None]

    def kill(self, future: Any) -> None:
        """Kills the process that works at a task, whose future then raises."""
        with self._lock:
            process = self._running.get(future)
        if process is None:
            future.cancel()
        else:
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes when their tasks are done; with ``cancel_futures`` at once."""
        self._is_closed = True
        if cancel_futures:
            while True:
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if job is not None:
                    job.future.cancel()
            with self._lock:
                processes = list(self._processes)
            for process in processes:
                process.kill()
        for _ in self._threads:
            self._jobs.put(None)
        if wait and self._has_begun:
            for thread in self._threads:
                thread.join()

    def _start(self) -> tuple[Any, Any]:
        """Starts a process and waits until it is ready."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        with self._lock:
            self._processes.add(process)
        try:
            process.start()
            theirs.close()
            ours.recv_bytes()
        except (EOFError, OSError):
            process.join(1.0)
            # One that was killed says nothing about the next; 255: the fork server does not know how it has ended.
            self._false_starts += process.exitcode is not None and 0 <= process.exitcode < 255
            self._forget(process, ours)
            raise WorkerDied("a process could not be started") from None
        self._false_starts = 0
        return process, ours

    def _forget(self, process: Any, connection: Any) -> None:
        connection.close()
        if process.pid is not None:
            process.kill()
            process.join()
        with self._lock:
            self._processes.discard(process)

    def _lane(self) -> None:
        """Keeps one process at work."""
        process: Any = None
        connection: Any = None
        while True:
            job = self._jobs.get()
            if job is None:
                break
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                if process is None or not process.is_alive():
                    if process is not None:
                        self._forget(process, connection)
                        process = None
                    process, connection = self._start()
                with self._lock:
                    self._running[job.future] = process
                connection.send_bytes(job.data)
                reply = connection.recv_bytes()
            except (EOFError, OSError, WorkerDied) as error:
                code = None
                if process is not None:
                    self._forget(process, connection)
                    code, process = process.exitcode, None
                shown = str(error) if isinstance(error, WorkerDied) else f"the process has ended with {code}"
                self._leave(job.future)
                job.future.set_exception(WorkerDied(shown))
                continue
            self._leave(job.future)
            try:
                is_good, answer = pickle.loads(reply)
            except Exception as error:
                is_good, answer = False, error
            if is_good:
                job.future.set_result(answer)
            else:
                job.future.set_exception(answer)
        if process is not None:
            self._forget(process, connection)

    def _leave(self, future: Any) -> None:
        with self._lock:
            self._running.pop(future, None)
