"""Ask and tell."""

import concurrent.futures
import threading
import time

import pytest

import soloist
from common import Knapsack, NoScore, Tour


@pytest.mark.parametrize("method", ["sampling", "nrpa", "anneal", "auto"])
def test_one_at_a_time_is_a_session(method):
    run = soloist.ask(NoScore(), method=method, playouts=150, seed=4)
    asked = []
    for candidate in run:
        assert list(candidate.solution) == candidate.moves
        asked.append(tuple(candidate.moves))
        candidate.tell(sum(candidate.solution))
    assert run.best.score == max(map(sum, asked)) and run.told == len(asked) == len(set(asked)) <= 160
    again = soloist.ask(NoScore(), method=method, playouts=150, seed=4)
    repeated = []
    for candidate in again:
        repeated.append(tuple(candidate.moves))
        candidate.tell(sum(candidate.solution))
    assert repeated == asked


def test_several_wait_at_a_time():
    waiting, most = set(), 0
    lock = threading.Lock()

    def evaluate(candidate):
        time.sleep(0.01)
        with lock:
            waiting.discard(candidate)
        candidate.tell(Knapsack().score(candidate.solution))

    run = soloist.ask(Knapsack(), method="nrpa", playouts=200, in_flight=4, seed=1)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for candidate in run:
            with lock:
                waiting.add(candidate)
                most = max(most, len(waiting))
            pool.submit(evaluate, candidate)
    assert 2 <= most <= 4
    assert run.best.score == Knapsack().optimum() and not waiting


def test_knowledge_of_the_problem_is_used():
    run = soloist.ask(Tour(), method="anneal", playouts=300, seed=1, in_flight=2)
    for candidate in run:
        candidate.tell(Tour().score(candidate.solution))
    assert run.best.score == pytest.approx(Tour().optimum())


def test_infeasible_answers():
    run = soloist.ask(NoScore(), method="sampling", playouts=60, seed=1)
    for candidate in run:
        ones = sum(candidate.solution)
        candidate.tell((abs(ones - 4), candidate.solution[0]))
    assert (run.best.score, run.best.violation) == (1, None)
    run = soloist.ask(NoScore(), method="sampling", playouts=5, seed=1)
    for candidate in run:
        candidate.tell(soloist.Infeasible(3))
    assert (run.best.score, run.best.violation) == (None, 3)


def test_leaving_the_loop_ends_the_run():
    before = threading.active_count()
    run = soloist.ask(NoScore(), method="sampling", playouts=1e6, in_flight=3)
    for at, candidate in enumerate(run):
        candidate.tell(sum(candidate.solution))
        if at == 20:
            break
    del candidate
    assert run.best is not None and threading.active_count() == before


def test_what_is_wrong_is_said():
    class Failing(NoScore):
        def apply(self, bits, bit):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        for candidate in soloist.ask(Failing(), method="sampling", playouts=5):
            candidate.tell(0)
    for candidate in soloist.ask(NoScore(), method="sampling", playouts=1):
        candidate.tell(1)
        with pytest.raises(RuntimeError, match="told before"):
            candidate.tell(2)
    with pytest.raises(ValueError, match="start: ask begins without a known solution"):
        soloist.ask(NoScore(), playouts=5, start=[0] * 10)
    assert soloist.ask(NoScore(), playouts=5, start=None).best is None
    with pytest.raises(ValueError, match="in_flight: expected a whole number from 1 to 1024, got 0"):
        soloist.ask(NoScore(), playouts=5, in_flight=0)


def test_an_evaluation_that_fails_ends_the_loop():
    run = soloist.ask(NoScore(), method="sampling", playouts=1e6, in_flight=3)
    before = threading.active_count()

    def ended(done, candidate):
        try:
            candidate.tell(done.result())
        except Exception as error:
            candidate.fail(error)

    def evaluate(bits):
        return 1 / (sum(bits) - 5)

    with concurrent.futures.ThreadPoolExecutor(3) as pool, pytest.raises(ZeroDivisionError):
        for candidate in run:
            pool.submit(evaluate, candidate.solution).add_done_callback(lambda done, one=candidate: ended(done, one))
    assert threading.active_count() == before
    # In the loop itself.
    with pytest.raises(ZeroDivisionError):
        for candidate in soloist.ask(NoScore(), method="sampling", playouts=5):
            candidate.fail(ZeroDivisionError())
    for candidate in soloist.ask(NoScore(), method="sampling", playouts=1):
        with pytest.raises(TypeError, match="fail takes an exception, got str"):
            candidate.fail("no score")
        candidate.tell(1)
        with pytest.raises(RuntimeError, match="told before"):
            candidate.fail(ValueError())
