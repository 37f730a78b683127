"""`soloist.distributed` on Dask."""

import asyncio
import concurrent.futures
import os
import signal
import threading

import pytest

import soloist
from remote import Deadly, Hung, Poison, Sack, Wrong
from soloist.distributed import Groups, NoWorkers, SliceLost, resume, solve
from test_distributed import signature

dask = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")

COUNTS = {"playouts": 200}
ARGUMENTS = {"streams": 4, "method": "nrpa", "seed": 2, "slice": COUNTS, "playouts": 2400}


@pytest.fixture(scope="module")
def undisturbed():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return signature(solve(Sack(), executor=pool, **ARGUMENTS))


@pytest.fixture
def cluster():
    with dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        # A task is not given up because its workers were killed from outside.
        cluster.scheduler.allowed_failures = 100
        with dask.Client(cluster) as client:
            yield client


def pids(client):
    return list(client.run(os.getpid).values())


def test_problems_by_name_and_classes(cluster, undisturbed):
    assert signature(solve(Sack(), executor=cluster, **ARGUMENTS)) == undisturbed
    run = solve("samegame", "random:8x8x4:3", executor=cluster, streams=3, method="anneal", slice=COUNTS, playouts=1200,
                exchange=Groups(3))  # fmt: skip
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        again = solve("samegame", "random:8x8x4:3", executor=pool, streams=3, method="anneal", slice=COUNTS,
                      playouts=1200, exchange=Groups(3))  # fmt: skip
    assert signature(run) == signature(again)
    # As an executor of `concurrent.futures`.
    assert signature(solve(Sack(), executor=cluster.get_executor(), **ARGUMENTS)) == undisturbed


def test_deaths_change_nothing(cluster, undisturbed, tmp_path):
    (tmp_path / "deaths").mkdir()
    problem, folder = Deadly(tmp_path / "deaths", 4), tmp_path / "run"
    try:
        run = solve(problem, executor=cluster, timeout=60, folder=folder, **ARGUMENTS)
    except NoWorkers:
        # Dask does not always start workers again that were killed, see the guide: another cluster finishes the run.
        with dask.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50) as other:
            other.scheduler.allowed_failures = 100
            with dask.Client(other) as client:
                run = resume(folder, executor=client, timeout=240)
    assert len(list((tmp_path / "deaths").iterdir())) == 4
    assert signature(run) == undisturbed


@pytest.mark.parametrize("retries", [0, 2])
def test_an_answer_that_never_arrives_is_a_slice_that_hangs(cluster, monkeypatch, retries, tmp_path):
    """The worker dies after the slice and before its answer is fetched, and there is no other worker."""

    async def never(*_, **__):
        await asyncio.sleep(3600)

    monkeypatch.setattr(cluster, "_gather", never)
    with pytest.raises((NoWorkers, SliceLost)):
        solve(Sack(), executor=cluster, timeout=2, retries=retries, folder=tmp_path / "run", **ARGUMENTS)
    monkeypatch.undo()
    assert resume(tmp_path / "run", executor=cluster, timeout=240, retries=5).playouts == 2400


def test_workers_that_are_killed_from_outside(cluster):
    ends, kills = threading.Event(), []

    def murder():
        # A worker that dies while it starts may never be started again by Dask: only those that work are killed.
        while not ends.wait(0.5) and len(kills) < 4:
            found = pids(cluster)
            if len(found) == 2:
                os.kill(found[len(kills) % 2], signal.SIGKILL)
                kills.append(1)

    murderer = threading.Thread(target=murder)
    murderer.start()
    try:
        run = solve("samegame", "random:10x10x4:3", executor=cluster, streams=3, method="nrpa", seed=1, timeout=240,
                    slice={"playouts": 2000}, playouts=120_000, retries=100)  # fmt: skip
    finally:
        ends.set()
        murderer.join()
    assert run.playouts == 120_000 and kills
    for stream in run.streams:
        alone = soloist.Session("samegame", "random:10x10x4:3", method="nrpa", seed=1 + stream.index, playouts=40_000)
        alone.advance(playouts=40_000)
        assert alone.best.score == stream.score


def test_a_poison_slice_and_exceptions(cluster, tmp_path):
    cluster.cluster.scheduler.allowed_failures = 0
    with pytest.raises(SliceLost, match="KilledWorker"):
        solve(Poison(), executor=cluster, streams=1, slice=COUNTS, playouts=400, retries=1, timeout=240)
    Wrong.games = 0
    with pytest.raises(LookupError, match="no such item") as caught:
        solve(Wrong(), executor=cluster, streams=1, method="sampling", slice=COUNTS, playouts=10_000, timeout=240)
    assert "in score" in str(caught.value.__cause__)


def test_a_hung_slice_goes_to_another_worker(cluster, undisturbed, tmp_path):
    cluster.wait_for_workers(2)
    run = solve(Hung(tmp_path, 1), executor=cluster, timeout=5, **ARGUMENTS)
    assert signature(run) == undisturbed and run.lost.slices >= 1
    # The worker that hangs would outlive the test by an hour.
    for pid in pids_of(cluster):
        os.kill(pid, signal.SIGKILL)


def pids_of(client):
    return [nanny.process.pid for nanny in client.cluster.workers.values() if nanny.process is not None]


def test_without_workers_the_run_ends_and_is_resumed(tmp_path, undisturbed):
    with dask.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster, dask.Client(cluster) as client:
        with pytest.raises(NoWorkers, match="there was no worker for"):
            solve(Sack(), executor=client, folder=tmp_path / "run", timeout=1, **ARGUMENTS)
        # Workers that come later are used.
        cluster.scale(1)
        assert signature(resume(tmp_path / "run", executor=client, timeout=240)) == undisturbed


def test_a_cluster_that_closes(tmp_path):
    cluster = dask.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    client = dask.Client(cluster)

    closing = threading.Thread(target=cluster.close)

    def close(better):
        if closing.ident is None:
            closing.start()

    try:
        with pytest.raises((NoWorkers, SliceLost)):
            solve("samegame", "random:10x10x4:3", executor=client, streams=2, method="nrpa", slice=COUNTS, timeout=2,
                  time=100, on_improve=close, folder=tmp_path / "run")  # fmt: skip
    finally:
        client.close()
        # Two threads that close a cluster disturb each other.
        closing.join()
    run = resume(tmp_path / "run", executor=lambda: concurrent.futures.ThreadPoolExecutor(1), playouts=2000)
    assert run.playouts == 2000
