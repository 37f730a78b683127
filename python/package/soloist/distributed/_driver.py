"""The driver: it owns the state of all streams, and hands out slices."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pickle
import queue
import time
import uuid
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import _arguments, _soloist
from .._better import rank
from .._instance import Instance
from .._lint import noted, warn
from .._problem import was_checked
from .._result import Improvement, Solution
from .._solve import UNCHECKED, checks_of
from ._events import Events
from ._exchange import Groups, best_of
from ._executors import NoJob, Workers
from ._folder import Folder
from ._run import Lost, NoWorkers, RemoteTraceback, Run, SliceLost, Stream, StreamProgress
from ._slice import ABOUT, LARGE, Failed, Late, Other, Slice, Task, Unseen
from ._stream import State
from ._verify import FOLDER, close, verified

#: Seconds between two looks at limits, callbacks and the clock.
_PULSE = 0.1
#: Seconds between two calls of `on_progress`.
_REPORT = 0.2
#: Seconds for which the end of a run waits for slices that end at the same time.
_GRACE = 5.0
#: Seconds without an answer after which a slice of counts is lost, before the first one has come back.
_PATIENCE = 600.0


@dataclass
class Plan:
    """What a run is asked to do: the part that its folder keeps."""

    setups: list[dict[str, Any]]
    slice: dict[str, Any]
    exchange: Any
    keep: int
    limits: dict[str, Any]
    memory: dict[str, Any]
    retries: int
    timeout: float | None


@dataclass
class Calls:
    """What a run calls in the driver."""

    on_improve: Callable[[Improvement], Any] | None = None
    on_progress: Callable[[StreamProgress], Any] | None = None
    stop: Callable[[], object] | None = None
    #: Called with every progress; for the line on a terminal.
    display: Any = None
    #: The address of a live page.
    serve: str | None = None


@dataclass
class _Attempt:
    state: State
    serial: int
    begin: float
    future: Any = field(repr=False)
    is_abandoned: bool = False
    #: Slices under way when it was handed out, and how many had been answered: what was before it in a queue.
    ahead: int = 0
    answered: int = 0
    #: When the first sign was seen that a worker has it; None: it may wait in the queue of the executor.
    started: float | None = None


class _Ended(Exception):
    """The reason to stop."""


class Driver:
    """One run."""

    def __init__(self, problem: Any, data: bytes, plan: Plan, workers: Workers, folder: Folder | None, token: str) -> None:
        self.problem, self.data, self.plan = problem, data, plan
        self.workers, self.folder, self.token = workers, folder, token
        self.digest = hashlib.sha256(data).hexdigest()
        self.is_minimize = _sense(problem) == "minimize"
        self.streams = [State(index, setup) for index, setup in enumerate(plan.setups)]
        for name in ("playouts", "nodes"):
            total, count = plan.limits[name], len(self.streams)
            for state in self.streams:
                state.share[name] = None if total is None else total // count + (state.index < total % count)
        self.counts = any(name in plan.slice for name in ("playouts", "nodes"))
        self.every = None if plan.exchange is None else getattr(plan.exchange, "every", 1)
        self.offers: dict[int, Any] = {}
        self.best: Solution | None = None
        self.improved_at = 0
        self.history: list[Improvement] = []
        self.lost_slices, self.lost_seconds, self.spent = 0, 0.0, 0.0
        self.answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.attempts: dict[Any, _Attempt] = {}
        self.heard, self.longest = 0, 0.0
        #: Answers of all kinds, and when the last one came.
        self.answered, self.last_answer = 0, 0.0
        #: What went wrong and did not end the run, a line each.
        self.remarks: list[str] = [] if folder is None else folder.remarks
        self.reported = self.written = 0.0
        self.has_warned = False
        self.error: BaseException | None = None
        #: What the live view shows; None: there is none.
        self.events: Events | None = None

    def restore(self) -> None:
        """Continues from what the folder holds."""
        assert self.folder is not None
        for state, record in zip(self.streams, self.folder.streams(len(self.streams))):
            if record is None:
                continue
            state.restore(record)
            name = str(state.checkpoint)
            try:
                saved = self.folder.load(name)
            except (OSError, ValueError) as error:
                self._restart(state, f"{self.folder.path / name}: {error}")
                continue
            state.saved = name if state.by_worker else saved
        self.folder.tidy({str(state.checkpoint) for state in self.streams})
        seen = self.folder.progress()
        self.spent, self.lost_slices, self.lost_seconds = seen["seconds"], seen["lost_slices"], seen["lost_seconds"]
        self.history = [Improvement(*row) for row in seen["history"]]
        self.improved_at = seen["improved_at"]
        found = best_of([state.best for state in self.streams], self.is_minimize)
        self.best = None if found is None else verified(self.problem, found, FOLDER)

    def _restart(self, state: State, why: str) -> None:
        """Lets a stream begin again whose checkpoint is of no use."""
        state.restart()
        how = "with its best solution" if state.best is not None else "from the start"
        self.remarks.append(f"{why}; stream {state.index} begins again {how}")

    # What there is.

    @property
    def seconds(self) -> float:
        """Seconds of this run, of earlier drivers included."""
        return self.spent + time.monotonic() - self.begin

    @property
    def playouts(self) -> int:
        """Playouts of complete slices."""
        return sum(state.playouts for state in self.streams)

    def shown(self) -> list[Stream]:
        """Returns the streams for users."""
        return [state.shown() for state in self.streams]

    # The loop.

    def run(self, calls: Calls) -> Run:
        """Runs to the end."""
        self.begin = self.lacking = time.monotonic()
        self.calls = calls
        warn(self.remarks)
        if self.events is not None:
            self.events.begin(self.spent)
        limit = self.plan.limits["time"]
        self.deadline = None if limit is None else time.time() + limit - self.spent
        # Streams that share a worker have less time than the run.
        part = min(1.0, (self.workers.free(0) or len(self.streams)) / len(self.streams))
        self.planned_time = None if limit is None else limit * part
        stop, is_good = "interrupted", False
        try:
            try:
                while True:
                    self._look()
                    self._hand_out()
                    self._listen(_PULSE)
                    self._expire()
            except _Ended as ended:
                stop = str(ended)
                if stop == "time" or self.error is not None:
                    self._drain()
            except KeyboardInterrupt:
                pass
            if self.error is not None:
                raise self.error
            result = self._result(stop)
            if self.events is not None:
                self.events.end(result.to_dict(), self.seconds)
            is_good = True
            return result
        except Exception as error:
            self._hand_over(error)
            raise
        finally:
            try:
                self.workers.close([attempt.future for attempt in self.attempts.values()])
            finally:
                if self.folder is not None:
                    try:
                        self._note()
                    except OSError:
                        # What has ended the run is said already.
                        if is_good:
                            raise
                    finally:
                        self.folder.close()

    def _hand_over(self, error: Exception) -> None:
        """Attaches what was found so far to the exception that ends the run, as `run`."""
        try:
            run = self._result("interrupted")
        except Exception:
            return
        try:
            error.run = run  # type: ignore[attr-defined]
        except (AttributeError, TypeError):
            return
        if run.moves is not None:
            shown = f"the score {run.score:g}" if run.score is not None else f"a violation of {run.violation:g}"
            noted(error, f"the best solution so far has {shown}: it is in `run` of this exception")

    def _look(self) -> None:
        """Ends the run where a limit is reached, and reports."""
        limits = self.plan.limits
        if self.error is not None:
            raise _Ended("interrupted")
        for state in self.streams:
            if state.optimal or state.infeasible:
                raise _Ended(state.stop)
        if limits["target"] is not None and self.best is not None:
            if rank(self.best, self.is_minimize) >= rank(limits["target"], self.is_minimize):
                raise _Ended("target")
        if limits["stall"] is not None and self.playouts - self.improved_at >= limits["stall"]:
            raise _Ended("stall")
        if all(state.is_finished for state in self.streams):
            raise _Ended(self._why_finished())
        if limits["time"] is not None and self.seconds >= limits["time"]:
            raise _Ended("time")
        if self.calls.stop is not None and self.calls.stop():
            raise _Ended("interrupted")
        self._report()

    def _why_finished(self) -> str:
        for name in ("playouts", "nodes"):
            if any(not state.done and state.share[name] is not None for state in self.streams):
                return name
        return self.streams[-1].stop

    def _report(self) -> None:
        now = time.monotonic()
        if now - self.reported < _REPORT or (self.calls.on_progress is None and self.calls.display is None):
            return
        self.reported = now
        best = self.best
        state = StreamProgress(
            self.seconds,
            self.playouts,
            sum(state.nodes for state in self.streams),
            None if best is None else best.score,
            None if best is None else best.violation,
            self._bound(),
            self.shown(),
            Lost(self.lost_slices, self.lost_seconds),
            len(self.attempts),
        )
        if self.calls.display is not None:
            self.calls.display.update(state)
        if self.calls.on_progress is not None:
            self.calls.on_progress(state)

    # Slices go out.

    def _hand_out(self) -> None:
        free = self.workers.free(sum(state.busy for state in self.streams))
        if free <= 0:
            return
        ready = [state for state in self.streams if not state.busy and not state.is_finished and self._may_go(state)]
        ready.sort(key=lambda state: (state.slices, state.index))
        for state in ready[:free]:
            self._submit(state)

    def _group(self, state: State) -> list[State]:
        size = getattr(self.plan.exchange, "size", len(self.streams))
        first = state.index // size * size
        return self.streams[first : first + size]

    def _is_exchange(self, state: State) -> bool:
        rounds = state.rounds
        return self.every is not None and rounds > 0 and rounds % self.every == 0 and state.due is None

    def _may_go(self, state: State) -> bool:
        """With counts, streams that exchange solutions wait for each other: only so does a run repeat."""
        if not self.counts or not self._is_exchange(state):
            return True
        return all(other.is_finished or other.rounds >= state.rounds for other in self._group(state))

    def _offer(self, state: State) -> Any:
        if not self._is_exchange(state):
            return None
        group, rounds = self._group(state), state.rounds
        if self.counts:
            bests = [other.marks.get(rounds, other.best) for other in group]
        else:
            bests = [other.best for other in group]
        if isinstance(self.plan.exchange, Groups):
            best = best_of(bests, self.is_minimize)
            return best if rank(best, self.is_minimize) > rank(state.best, self.is_minimize) else None
        if not self.counts:
            return self._asked(rounds, bests).get(state.index)
        if rounds not in self.offers:
            self.offers = {rounds: self._asked(rounds, bests)}
        return self.offers[rounds].get(state.index)

    def _asked(self, rounds: int, bests: list[Solution | None]) -> Any:
        offers = self.plan.exchange(rounds, bests)
        if not hasattr(offers, "get"):
            raise TypeError(f"exchange: the function must return a dict, it returned {_arguments.shown(offers)}")
        return offers

    def _submit(self, state: State) -> None:
        slice = state.next_slice(self.plan.slice)
        if self.plan.limits["target"] is not None:
            slice["target"] = self.plan.limits["target"]
        if self.plan.limits["time"] is not None:
            left = max(0.001, self.plan.limits["time"] - self.seconds)
            slice["time"] = min(slice.get("time") or left, left)
        task = Task(
            problem=self.data,
            digest=self.digest,
            setup={**state.setup, "keep": self.plan.keep},
            limits={**self._planned(state), **self.plan.memory},
            saved=state.saved,
            # A stream that begins again goes on from its best solution.
            offer=self._offer(state) or (state.best if state.saved is None else None),
            slice=slice,
            # It ends slices that have waited for a worker, whose clock may be wrong.
            deadline=None if state.was_late else self.deadline,
            folder=None if self.folder is None else os.path.abspath(self.folder.path),
            token=self.token,
            name=f"stream-{state.index}-{state.saves + 1:06}",
            checks=checks_of(slice) if state.index == 0 and state.saved is None else None,
            version=_soloist.VERSION,
        )
        state.busy = True
        if state.attempts == 0:
            state.heard = self.heard
        attempt = _Attempt(state, state.serial, time.monotonic(), None)
        attempt.ahead, attempt.answered = len(self.attempts), self.answered
        try:
            attempt.future = self.workers.submit(task)
        except NoJob:
            raise
        except Exception as error:
            self._lose(attempt, error)
            return
        self.attempts[attempt.future] = attempt
        attempt.future.add_done_callback(self.answers.put)

    def _planned(self, state: State) -> dict[str, Any]:
        """The limits of a stream, for methods that plan ahead."""
        return {**state.share, "time": self.planned_time}

    # Slices come back.

    def _listen(self, patience: float) -> None:
        """Waits for a slice, and takes all that are there."""
        self.workers.poll()
        try:
            future = self.answers.get(timeout=patience)
        except queue.Empty:
            return
        arrived = []
        while True:
            attempt = self.attempts.pop(future, None)
            self.answered, self.last_answer = self.answered + 1, time.monotonic()
            if attempt is not None:
                state = self._take(attempt, future)
                if state is not None:
                    arrived.append(state)
            try:
                future = self.answers.get_nowait()
            except queue.Empty:
                break
        if arrived and self.error is None:
            # The workers are at it again while the files are written.
            self._hand_out()
        for state in arrived:
            self._store(state)

    def _take(self, attempt: _Attempt, future: Any) -> State | None:
        state = attempt.state
        is_stale = attempt.serial != state.serial
        try:
            answer = future.result()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if not attempt.is_abandoned and not is_stale:
                self._lose(attempt, error)
            return None
        if is_stale:
            if isinstance(answer, Slice) and isinstance(answer.saved, str) and self.folder is not None:
                self.folder.discard(answer.saved)
            return None
        state.busy = False
        if isinstance(answer, Slice) and getattr(answer, "version", "") == _soloist.VERSION:
            self._arrive(attempt, answer)
            return state
        if isinstance(answer, Late):
            state.was_late = True
        if isinstance(answer, Unseen):
            # This worker does not see the folder: the bytes travel.
            assert self.folder is not None
            state.saved = self.folder.load(str(state.saved))
        elif isinstance(answer, Other) or isinstance(answer, Slice):
            self.error = self.error or _other_version(answer)
        elif isinstance(answer, Failed) and self.error is None and not self._is_damaged(state):
            self.error = _raised(answer)
        return None

    def _is_damaged(self, state: State) -> bool:
        """Lets a stream begin again whose checkpoint in the folder has been damaged since it was written."""
        if self.folder is None or not isinstance(state.saved, str):
            return False
        name = state.saved
        try:
            self.folder.load(name)
        except (OSError, ValueError) as error:
            self._restart(state, f"{self.folder.path / name}: {error}")
            warn(self.remarks[-1:])
            return True
        return False

    def _arrive(self, attempt: _Attempt, found: Slice) -> None:
        state = attempt.state
        self.heard += 1
        self.longest = max(self.longest, time.monotonic() - attempt.begin)
        state.take(found, self.plan.slice, self.every)
        if found.size > LARGE and isinstance(found.saved, bytes) and not self.has_warned:
            self.has_warned = True
            warnings.warn(
                f"the saves of {found.about['method']} have {found.size >> 20} MiB and travel with each slice: "
                "give folder= a folder that the workers share, or make the slices longer",
                RuntimeWarning,
                stacklevel=2,
            )
        best = self._here(state)
        if best is not None and rank(best, self.is_minimize) > rank(self.best, self.is_minimize):
            self.best = best
            self.improved_at = self.playouts
            better = Improvement(
                self.best.score,
                self.best.violation,
                found.found,
                state.index,
                self.seconds,
                self.best.moves,
                self.best.solution if isinstance(self.problem, Instance) else None,
            )
            self.history.append(better)
            if self.events is not None:
                self.events.improved(state, better, self.playouts)
            if self.calls.on_improve is not None:
                self.calls.on_improve(better)
        if self.events is not None:
            self.events.slice(state, self.seconds, self.is_minimize)
            nodes = sum(state.nodes for state in self.streams)
            score = None if self.best is None else self.best.score
            self.events.run(state, self.seconds, self.playouts, nodes, score, self._bound())

    def _here(self, state: State) -> Solution | None:
        """Returns the best solution of a stream with its score in the driver, where it may be the best of the run."""
        found, best = state.best, self.best
        if found is None or rank(found, self.is_minimize) <= rank(best, self.is_minimize):
            return None
        # The same one, whose score is another one in the last bit there.
        here = best if best is not None and found.moves == best.moves else verified(self.problem, found)
        state.best = dataclasses.replace(found, score=here.score, violation=here.violation)
        return here

    def _lose(self, attempt: _Attempt, error: BaseException) -> None:
        """Makes a slice again, if it was not lost too often."""
        state = attempt.state
        state.busy = False
        state.repeated += 1
        state.attempts += 1
        self.lost_slices += 1
        self.lost_seconds += time.monotonic() - attempt.begin
        if not self.workers.mend(error):
            raise NoWorkers(
                f"the executor is broken ({error}): give a function that makes one, or none; `resume` continues the run"
            ) from error
        if self.workers.is_broken:
            raise NoWorkers(
                "worker processes end before they begin, see what they have printed; "
                "a script needs `if __name__ == '__main__':`"
            ) from error
        if state.attempts <= self.plan.retries:
            return
        if isinstance(error, TimeoutError) and state.heard == self.heard:
            raise NoWorkers(f"no slice of any stream has come back: {error}") from error
        raise SliceLost(
            f"stream {state.index}, slice {state.slices + 1}: lost {state.attempts} times, at last by "
            f"{type(error).__name__}: {error}"
        ) from error

    def _patience(self) -> float:
        """Seconds after which a slice hangs."""
        if self.plan.timeout is not None:
            return self.plan.timeout
        if self.counts and not self.heard:
            return _PATIENCE
        return 10.0 * max(self.longest, self.plan.slice.get("time") or 0.0) + 60.0

    def _expire(self) -> None:
        """Gives up slices that hang, and the run if there is no worker."""
        now, patience = time.monotonic(), self._patience()
        if self.workers.has_workers():
            self.lacking = now
        elif now - self.lacking > (patience if self.plan.timeout is not None else 60.0):
            raise NoWorkers(f"there was no worker for {now - self.lacking:.0f} s")
        for attempt in list(self.attempts.values()):
            if attempt.is_abandoned or attempt.serial != attempt.state.serial:
                continue
            begin = self._begun(attempt, now)
            if begin is None or now - begin <= patience:
                continue
            attempt.is_abandoned = True
            self.workers.give_up(attempt.future)
            self._lose(attempt, TimeoutError(f"no answer for {patience:.0f} s"))

    def _begun(self, attempt: _Attempt, now: float) -> float | None:
        """Returns since when a slice is at work, as far as it can be known; None: it waits in a queue, which is not hanging.

        An executor that does not say how many slices it makes at a time may have a long queue. It is then the first sign
        that counts: what the future says; or that as many answers have come as slices were before it. Before that the
        patience counts from the last answer.
        """
        if attempt.started is None:
            if self.workers.is_known:
                attempt.started = attempt.begin
            else:
                has_begun = self.workers.has_begun(attempt.future)
                if has_begun or has_begun is None and 0 < attempt.ahead <= self.answered - attempt.answered:
                    attempt.started = now
                elif has_begun is None:
                    return max(attempt.begin, self.last_answer)
                elif self.plan.timeout is not None and not any(other.started for other in self.attempts.values()):
                    # Nothing is at work: a limit that was asked for holds for the queue as well.
                    return max(attempt.begin, self.last_answer)
        return attempt.started

    def _drain(self) -> None:
        """Takes the slices that end now."""
        end = time.monotonic() + _GRACE
        while time.monotonic() < end and any(not attempt.is_abandoned for attempt in self.attempts.values()):
            self.workers.poll()
            try:
                future = self.answers.get(timeout=_PULSE)
            except queue.Empty:
                continue
            attempt = self.attempts.pop(future, None)
            if attempt is not None and not attempt.is_abandoned and not future.cancelled():
                try:
                    answer = future.result()
                except BaseException:
                    continue
                is_ours = isinstance(answer, Slice) and getattr(answer, "version", "") == _soloist.VERSION
                if is_ours and attempt.serial == attempt.state.serial:
                    attempt.state.busy = False
                    self._arrive(attempt, answer)
                    self._store(attempt.state)

    # Files and the result.

    def _store(self, state: State) -> None:
        if self.folder is None or state.saved is None:
            return
        old = state.checkpoint
        state.saves += 1
        name = f"stream-{state.index}-{state.saves:06}"
        shown = state.shown().__dict__
        state.checkpoint = self.folder.store(state.index, name, state.record(), state.saved, shown)
        if old is not None and old != state.checkpoint:
            self.folder.discard(old)
        if time.monotonic() - self.written > 1.0 or self.improved_at == self.playouts:
            self._note()

    def _note(self) -> None:
        assert self.folder is not None
        self.written = time.monotonic()
        rows = [[one.score, one.violation, one.playouts, one.stream, one.seconds] for one in self.history]
        shown = {
            "seconds": self.seconds,
            "lost_slices": self.lost_slices,
            "lost_seconds": self.lost_seconds,
            "improved_at": self.improved_at,
            "history": rows,
        }
        self.folder.show("progress.json", shown)
        if self.best is not None:
            best = {"score": self.best.score, "violation": self.best.violation, "moves": self.best.moves}
            if isinstance(self.problem, Instance):
                best["solution"] = self.best.solution
            self.folder.show("best.json", best)

    def _bound(self) -> float | None:
        bounds = [state.bound for state in self.streams if state.bound is not None]
        if not bounds:
            return None
        # Each of them holds for all solutions.
        return max(bounds) if self.is_minimize else min(bounds)

    def _result(self, stop: str) -> Run:
        best = best_of([state.best for state in self.streams], self.is_minimize)
        best = None if best is None else verified(self.problem, best)
        winner = next((state for state in self.streams if state.best and best and state.best.moves == best.moves), None)
        about = (winner or next((state for state in self.streams if state.about), self.streams[0])).about
        if not about:
            about = _nothing(self.problem, self.streams[0].setup)
        score = None if best is None else best.score
        bound = self._bound()
        is_optimal = score is not None and any(
            state.optimal and state.best is not None and close(state.best.score, score) for state in self.streams
        )
        gap = abs(score - bound) / abs(score) if score and bound is not None else (0.0 if score == bound == 0.0 else None)
        run = Run(
            score=score,
            violation=None if best is None else best.violation,
            moves=None if best is None else best.moves,
            solution=None if best is None else best.solution,
            optimal=is_optimal,
            infeasible=any(state.infeasible for state in self.streams),
            bound=bound,
            gap=gap,
            playouts=self.playouts,
            nodes=sum(state.nodes for state in self.streams),
            seconds=self.seconds,
            stop=stop,
            history=self.history,
            seed=self.streams[0].setup["seed"],
            threads=len(self.streams),
            others=self._others(best),
            unsaved=None,
            streams=self.shown(),
            lost=Lost(self.lost_slices, self.lost_seconds),
            **{**{name: about[name] for name in ABOUT}, "remarks": [*about["remarks"], *self.remarks]},
        )
        if isinstance(self.problem, Instance):
            object.__setattr__(run, "_instance", self.problem)
        elif (run.optimal or run.infeasible) and not was_checked(self.problem):
            run.remarks.append(UNCHECKED)
        return run

    def _others(self, best: Solution | None) -> list[Solution]:
        """The next best different solutions of all streams."""
        found: list[Solution] = []
        for state in self.streams:
            for one in [state.best, *state.others]:
                if one is not None and best is not None and one.score is not None and one.moves != best.moves:
                    if all(one.moves != other.moves for other in found):
                        found.append(one)
        found.sort(key=lambda one: rank(one, self.is_minimize), reverse=True)
        return [verified(self.problem, one) for one in found[: self.plan.keep - 1]]


def _sense(problem: Any) -> str:
    sense = problem.sense if isinstance(problem, Instance) else getattr(problem, "sense", "maximize")
    return "minimize" if sense in ("minimize", "min") else "maximize"


def _nothing(problem: Any, setup: dict[str, Any]) -> dict[str, Any]:
    """What a result says that no slice has said."""
    is_shipped = isinstance(problem, Instance)
    return {
        "method": setup.get("method") or "auto",
        "parameters": dict(setup.get("params") or {}),
        "rollout": setup.get("rollout") or "",
        "sense": _sense(problem),
        "problem": problem.problem if is_shipped else type(problem).__name__,
        "instance": problem.name if is_shipped else "",
        "options": problem.options if is_shipped else {},
        "remarks": [],
        "tree": None,
        "pair": None,
    }


def _raised(failed: Failed) -> BaseException:
    """The exception of the problem, with its traceback in the worker as the cause."""
    try:
        error: Any = pickle.loads(failed.error) if failed.error is not None else None
    except Exception:
        error = None
    if not isinstance(error, BaseException):
        error = RuntimeError(failed.shown)
    raised: BaseException = error
    raised.__cause__ = RemoteTraceback(failed.traceback)
    return raised


def _other_version(answer: Other | Slice) -> RuntimeError:
    """The error where worker and driver do not have the same package."""
    version = getattr(answer, "version", "") or "an older version"
    return RuntimeError(
        f"worker {answer.worker} has soloist {version}, the driver {_soloist.VERSION}: both need the same"
        + (" build" if version == _soloist.VERSION else "")
    )


def new_token() -> str:
    """Returns a word by which workers know the folder of their run."""
    return uuid.uuid4().hex
