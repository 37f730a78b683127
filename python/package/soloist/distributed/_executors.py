"""What the driver asks of executors: ``submit`` alone; more where there is more."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import pickle
import time
from collections.abc import Callable
from typing import Any

from .. import _arguments
from ._processes import Processes
from ._slice import Task, run_slice

#: Seconds between two looks at how many workers a cluster has.
_GLANCE = 0.5
#: The slices that an executor makes at a time, where it does not say it.
_UNKNOWN = 1 << 30


class _Arriving:
    """A slice on Dask that is done when its answer is here.

    A future of Dask is done when the worker has the answer. Where that worker dies before the answer is fetched, `result`
    of such a future waits for another worker, and without an end if there is none. So the answer is fetched in the
    background, and the driver never waits for it.
    """

    def __init__(self, client: Any, future: Any) -> None:
        self.key = future.key
        self._future = future
        self._answer = asyncio.run_coroutine_threadsafe(self._fetched(client), client.loop.asyncio_loop)

    async def _fetched(self, client: Any) -> Any:
        return await client.gather(self._future, asynchronous=True)

    def add_done_callback(self, call: Callable[[Any], object]) -> None:
        """Calls when the answer is here, or there will be none."""
        self._answer.add_done_callback(lambda _: call(self))

    def done(self) -> bool:
        """Whether the answer is here, or there will be none."""
        return self._answer.done()

    def cancelled(self) -> bool:
        """Whether the slice was given up."""
        return self._answer.cancelled()

    def result(self) -> Any:
        """Returns the answer, or raises what the worker or the cluster has raised."""
        return self._answer.result(timeout=0)

    def cancel(self) -> None:
        """Gives up the slice."""
        try:
            self._future.cancel()
        finally:
            self._answer.cancel()


class NoJob(TypeError):
    """What an executor returns is of no use."""


class _Polled:
    """A job that is asked whether it is done, because its executor knows no callbacks."""

    def __init__(self, job: Any) -> None:
        for name in ("done", "result"):
            if not callable(getattr(job, name, None)):
                shown = _arguments.shown(job)
                raise NoJob(f"executor: its jobs need done() and result(), as futures have; submit returned {shown}")
        self._job = job
        self._calls: list[Callable[[Any], object]] = []

    def poll(self) -> None:
        """Calls back where the job is done."""
        if self._calls and self._job.done():
            calls, self._calls = self._calls, []
            for call in calls:
                call(self)

    def add_done_callback(self, call: Callable[[Any], object]) -> None:
        """Calls when the job is done and was asked."""
        self._calls.append(call)

    def running(self) -> bool | None:
        """Whether it has begun; None: the executor does not say."""
        function = getattr(self._job, "running", None)
        return bool(function()) if callable(function) else None

    def done(self) -> bool:
        """Whether there is an answer."""
        return bool(self._job.done())

    def cancelled(self) -> bool:
        """Whether the job was given up."""
        function = getattr(self._job, "cancelled", None)
        return callable(function) and bool(function())

    def result(self) -> Any:
        """Returns the answer, or raises what the worker has raised."""
        return self._job.result()

    def cancel(self) -> bool:
        """Gives up the job, where the executor can do that."""
        function = getattr(self._job, "cancel", None)
        return callable(function) and bool(function())


class Workers:
    """An executor that was given, or a pool of this driver.

    Args:
        executor: an executor, a client of Dask, a function that makes an executor, or None for processes.
        most: the number of streams; more workers would have nothing to do.
        workers: how many slices the executor makes at a time, where that is given.
    """

    def __init__(self, executor: Any, most: int, workers: int | None = None) -> None:
        self._make: Callable[[], Any] | None = None
        self._given = workers
        self._polled: set[_Polled] = set()
        if executor is None:
            self._make = lambda: Processes(workers or min(most, os.cpu_count() or 1))
        elif not hasattr(executor, "submit"):
            if not callable(executor):
                shown = _arguments.shown(executor)
                raise TypeError(f"executor: expected an executor, a Dask client or a function, got {shown}")
            self._make = executor
        self._executor: Any = executor if self._make is None else self._make()
        if not hasattr(self._executor, "submit"):
            raise TypeError(f"executor: it returned {_arguments.shown(self._executor)}, which has no submit")
        self.is_dask = hasattr(self._executor, "nthreads") and hasattr(self._executor, "scheduler_info")
        self._looked = 0.0
        self._threads: dict[str, int] = {}
        # Slices that were given up and have not come back: they occupy workers. For Dask, with these.
        self._hung: dict[Any, list[str]] = {}

    def dumps(self, problem: Any) -> bytes:
        """Pickles a problem. Dask reads classes of a script or a notebook as well, by cloudpickle."""
        try:
            import cloudpickle  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError:
            cloudpickle = None
        try:
            if cloudpickle is not None and type(problem).__module__ == "__main__":
                return bytes(cloudpickle.dumps(problem))
            return pickle.dumps(problem)
        except Exception as error:
            raise TypeError(f"the problem cannot be sent to workers: {type(error).__name__}: {error}") from error

    def submit(self, task: Task) -> Any:
        """Hands a slice to a worker and returns its future."""
        if not self.is_dask:
            job = self._executor.submit(run_slice, task)
            if callable(getattr(job, "add_done_callback", None)) and callable(getattr(job, "cancel", None)):
                return job
            polled = _Polled(job)
            self._polled.add(polled)
            return polled
        options: dict[str, Any] = {}
        avoided = {worker for workers in self._hung.values() for worker in workers}
        if avoided:
            options["workers"] = [worker for worker in self._threads if worker not in avoided]
        # `pure=False`: a slice that is made again must not be answered by the one that hangs.
        return _Arriving(self._executor, self._executor.submit(run_slice, task, pure=False, **options))

    def poll(self) -> None:
        """Asks the jobs that know no callbacks."""
        for job in list(self._polled):
            if job.done():
                self._polled.discard(job)
                job.poll()

    @property
    def is_known(self) -> bool:
        """Whether it is known how many slices are made at a time, so that none of them waits in a queue."""
        return self._capacity() < _UNKNOWN

    def has_begun(self, future: Any) -> bool | None:
        """Whether a slice is being made; None: the executor does not say."""
        function = getattr(future, "running", None)
        return function() if callable(function) else None

    def free(self, busy: int) -> int:
        """Returns how many more slices may be under way than ``busy``."""
        return max(0, self._capacity() - busy)

    def has_workers(self) -> bool:
        """Whether a slice would find a worker, as far as the executor says it."""
        return self._capacity() > 0

    @property
    def is_broken(self) -> bool:
        """Whether processes of this machine end before they begin."""
        return isinstance(self._executor, Processes) and self._executor.is_broken

    def _capacity(self) -> int:
        executor = self._executor
        if isinstance(self._executor, Processes):
            return 0 if executor.is_broken else int(executor.workers)
        self._hung = {future: workers for future, workers in self._hung.items() if not future.done()}
        if self.is_dask:
            if time.monotonic() - self._looked >= _GLANCE:
                self._looked = time.monotonic()
                self._threads = self._ask()
            avoided = {worker for workers in self._hung.values() for worker in workers}
            return sum(threads for worker, threads in self._threads.items() if worker not in avoided)
        for workers in (self._given, *(getattr(executor, name, None) for name in ("_max_workers", "num_workers"))):
            if isinstance(workers, int):
                return max(0, workers - len(self._hung))
        return _UNKNOWN

    def _ask(self) -> dict[str, int]:
        """Returns the workers of Dask with their threads; none if the scheduler does not answer."""
        try:
            if self._executor.status in ("closed", "closing"):
                return {}
            return dict(self._executor.nthreads())
        except Exception:
            return {}

    def give_up(self, future: Any) -> None:
        """Ends a slice that hangs, where that is possible; otherwise its worker gets no more of them."""
        if isinstance(self._executor, Processes):
            self._executor.kill(future)
            return
        if self.is_dask:
            self._hung[future] = self._at_work(future)
            return
        if not future.cancel():
            self._hung[future] = []

    def _at_work(self, future: Any) -> list[str]:
        try:
            processing = self._executor.processing()
        except Exception:
            return []
        return [worker for worker, keys in processing.items() if any(str(key) == str(future.key) for key in keys)]

    def mend(self, error: BaseException) -> bool:
        """Makes a new executor in the place of one that is broken. Returns whether slices can be submitted."""
        if isinstance(self._executor, Processes) or not isinstance(error, concurrent.futures.BrokenExecutor):
            return True
        if self._make is None:
            return False
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._make()
        self._hung, self._polled = {}, set()
        return True

    def close(self, futures: list[Any]) -> None:
        """Gives up the slices under way; ends the workers if they are ours."""
        for future in futures:
            if self.is_dask:
                try:
                    future.cancel()
                except Exception:
                    pass
            elif not isinstance(self._executor, Processes):
                future.cancel()
        if self._make is not None and hasattr(self._executor, "shutdown"):
            self._executor.shutdown(wait=isinstance(self._executor, Processes), cancel_futures=True)
        elif isinstance(self._executor, Processes):
            for future in futures:
                self._executor.kill(future)
