#!/usr/bin/env python3
"""Kills workers of `soloist.distributed`, drivers, and workers that share a folder; compares with runs left in peace.

    python3 campaigns/deaths.py --kills 1000 [--seconds 600] [--on processes|dask|both|share] [--seed N]

Each run has four workers and eight streams of slices of counts. A worker dies every fraction of a second; after each fifth
part of the counts the driver is killed as well and another one resumes the folder. At the end of a run the playouts must be
those of the plan, each stream must have found what a session alone finds, and the best solution must never have become
worse. The package must be installed, for Dask also `distributed`.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

STREAMS, WORKERS, SLICE = 8, 4, 4000
#: Seconds between two kills where no slice has come back.
PATIENCE = 10.0
INSTANCE = ("samegame", "random:15x15x5:7")

DRIVER = """
import os, pathlib, sys, threading, time
from soloist import distributed
streams, workers, slice, playouts, kind = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
if __name__ == "__main__":
    if kind == "dask":
        from distributed import Client, LocalCluster
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        cluster.scheduler.allowed_failures = 1000
        executor = Client(cluster)
        pids = lambda: [n.process.pid for n in list(cluster.workers.values()) if getattr(n, "process", None) and n.process.pid]
    else:
        executor = distributed.Processes(workers)
        pids = lambda: executor.pids
    def tell():
        while True:
            path = pathlib.Path("pids.new")
            path.write_text(" ".join(str(pid) for pid in pids()))
            path.replace("pids")
            time.sleep(0.02)
    threading.Thread(target=tell, daemon=True).start()
    common = dict(executor=executor, retries=1000, timeout=20 if kind == "dask" else 60, progress=False)
    def lost(*_):
        os._exit(75)
    sys.excepthook = lambda kind, error, trace: lost() if kind is distributed.NoWorkers else sys.__excepthook__(kind, error, trace)
    if pathlib.Path("run/run.json").exists():
        run = distributed.resume("run", **common)
    else:
        run = distributed.solve(PROBLEM, SPEC, streams=streams, method="nrpa", seed=SEED, slice={"playouts": slice},
            playouts=playouts, folder="run", **common)
    pathlib.Path("result").write_text(str([run.score, run.playouts, run.lost.slices, run.lost.seconds, run.seconds,
        [[s.score, s.playouts] for s in run.streams]]))
    os._exit(0)
"""


def best(folder):
    """Returns the best score that the folder of a run holds."""
    scores = []
    for path in folder.glob("run/stream-*.json"):
        try:
            scores.append(json.loads(path.read_text())["score"])
        except (ValueError, FileNotFoundError):
            raise SystemExit(f"{path}: not whole")
    return max((score for score in scores if score is not None), default=0.0)


def campaign(kind, kills, end, pause, seed, draw):
    """Makes one run, and returns the kills of workers and of drivers."""
    import soloist

    playouts = STREAMS * SLICE * max(4, int(12 * pause / 0.25))
    workers = drivers = lone = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code = DRIVER.replace("PROBLEM", repr(INSTANCE[0])).replace("SPEC", repr(INSTANCE[1])).replace("SEED", str(seed))
        (folder / "driver.py").write_text(code)
        arguments = [str(STREAMS), str(WORKERS), str(SLICE), str(playouts), kind]
        driver, seen, mark = None, 0.0, 1
        at_kill, last_kill = -1, 0.0
        log = open(folder / "log", "wb")
        while not (folder / "result").exists():
            if driver is None or driver.poll() is not None:
                if driver is not None and driver.returncode == 75:
                    lone += 1
                elif driver is not None and driver.returncode not in (0, -signal.SIGKILL):
                    raise SystemExit(f"a driver has ended with {driver.returncode}:\n{(folder / 'log').read_text()[-3000:]}")
                driver = subprocess.Popen([sys.executable, "driver.py", *arguments], cwd=folder, stderr=log)
            time.sleep(pause * draw.uniform(0.5, 1.5))
            now = best(folder)
            if now < seen:
                raise SystemExit(f"the best score fell from {seen} to {now}")
            seen = now
            made = sum(json.loads(path.read_text())["playouts"] for path in folder.glob("run/stream-*.json"))
            if mark <= 5 and made >= playouts * mark / 6:
                driver.kill()
                driver.wait()
                mark, drivers = mark + 1, drivers + 1
                (folder / "pids").unlink(missing_ok=True)
            # On a busy machine workers need long to start: one that has made nothing yet is left alone for a while.
            elif workers < kills and time.time() < end and (made != at_kill or time.time() > last_kill + PATIENCE):
                try:
                    pids = [int(pid) for pid in (folder / "pids").read_text().split()]
                    os.kill(draw.choice(pids), signal.SIGKILL)
                    workers, at_kill, last_kill = workers + 1, made, time.time()
                except (OSError, IndexError):
                    pass
        driver.wait()
        score, total, lost, seconds, took, streams = json.loads((folder / "result").read_text().replace("None", "null"))
    if total != playouts or [one[1] for one in streams] != [playouts // STREAMS] * STREAMS:
        raise SystemExit(f"{total} playouts, the plan has {playouts}: {streams}")
    for index, (found, made) in enumerate(streams):
        alone = soloist.Session(*INSTANCE, method="nrpa", seed=seed + index, playouts=made)
        alone.advance(playouts=made)
        if alone.best.score != found:
            raise SystemExit(f"stream {index} found {found}, alone {alone.best.score}")
    print(f"{kind}: {workers} workers and {drivers} drivers killed, {total} playouts as planned, best {score}, "
          f"{lost} slices made again, {took:.0f} s" + (f", without any worker {lone} times" if lone else ""), flush=True)  # fmt: skip
    return workers, drivers


def shared(kills, end, pause, seed, draw):
    """Makes one run of workers that share a folder, and returns the kills."""
    command = os.environ.get("SOLOIST_COMMAND", "soloist")
    playouts, killed, seen = STREAMS * SLICE * 2, 0, 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def call(worker, *more):
            return [command, "solve", *INSTANCE, "--method", "nrpa", "--seed", str(seed), "--playouts", str(playouts), "--quiet",
                    *more]  # fmt: skip

        def start(worker):
            arguments = call(worker, "--share", name, "--worker", str(worker), "--exchange", "none", "--share-every", "0.1s")
            return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        running = {worker: start(worker) for worker in range(WORKERS)}
        while running:
            time.sleep(pause * draw.uniform(0.5, 1.5))
            for worker, process in list(running.items()):
                if process.poll() is None:
                    continue
                if process.returncode == 0:
                    del running[worker]
                elif process.returncode == -signal.SIGKILL:
                    running[worker] = start(worker)
                else:
                    raise SystemExit(f"worker {worker} has ended with {process.returncode}: {process.stderr.read().decode()}")
            scores = []
            for path in folder.glob("worker-*.json"):
                try:
                    scores.append(json.loads(path.read_text())["score"])
                except ValueError:
                    raise SystemExit(f"{path}: not whole") from None
            now = max(scores, default=0.0)
            if now < seen:
                raise SystemExit(f"the best score fell from {seen} to {now}")
            seen = now
            if running and killed < kills and time.time() < end:
                running[draw.choice(list(running))].kill()
                killed += 1
        for worker in range(WORKERS):
            found = json.loads((folder / f"worker-{worker}.json").read_text())
            done = subprocess.run([*call(worker)[:5], "nrpa", "--seed", str(found["seed"]), "--playouts", str(playouts), "--quiet",
                                   "--json"], stdout=subprocess.PIPE, check=True)  # fmt: skip
            alone = json.loads(done.stdout)
            for key in ("score", "playouts", "moves"):
                if found[key] != alone[key]:
                    raise SystemExit(f"worker {worker}: {key} {found[key]}, alone {alone[key]}")
        done = subprocess.run([command, "merge", name, "--json"], stdout=subprocess.PIPE, check=True)
        if json.loads(done.stdout)["score"] != seen:
            raise SystemExit("merge has another score than the best worker")
    print(f"share: {killed} workers killed, {WORKERS * playouts} playouts as planned, best {seen}", flush=True)
    return killed, 0


def main():
    """Makes runs until there were enough kills, or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--on", choices=("processes", "dask", "both", "share"), default="both")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    end, draw = time.time() + args.seconds, random.Random(args.seed)
    kinds = ("processes", "dask") if args.on == "both" else (args.on,)
    total = {kind: [0, 0] for kind in kinds}
    run = 0
    while time.time() < end and any(workers < args.kills / len(kinds) for workers, _ in total.values()):
        for kind in kinds:
            missing = int(args.kills / len(kinds) + 0.5) - total[kind][0]
            if missing > 0 and time.time() < end:
                pause = 1.0 if kind == "dask" else 0.25
                made = (missing, end, pause, args.seed + 100 * run, draw)
                workers, drivers = shared(*made) if kind == "share" else campaign(kind, *made)
                total[kind][0] += workers
                total[kind][1] += drivers
        run += 1
    for kind, (workers, drivers) in total.items():
        print(f"{kind}: {workers} workers and {drivers} drivers killed in all, nothing lost, nothing worse")


if __name__ == "__main__":
    main()
