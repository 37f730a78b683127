#!/usr/bin/env python3
"""What a second worker of `soloist.distributed` gains, and what slices cost.

    python3 campaigns/workers.py [--seconds 20] [--rounds 2] [--slice 1.0] [--on processes|dask|both]

NRPA on a SameGame board: a session alone in this process, one worker with one stream, and two workers with two streams, in
turn. Each figure is the playouts a second of the best round, in wall-clock time, so that the machine must be quiet and have
two cores. A short run comes first for each executor, so that starts of processes do not count. The processor seconds are
those of all workers together, and show whether the machine was quiet: they should be near the wall-clock seconds times the
workers. The package must be installed, for Dask also `distributed`.
"""

import argparse
import pathlib
import time

import soloist
from soloist import distributed

PROBLEM, SPEC = "samegame", "random:15x15x5:7"


def processor_seconds(pids):
    """The processor seconds that these processes have used, as Linux counts them."""
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / 100


def alone(seconds):
    """Playouts and processor seconds a wall-clock second of one session."""
    start, used = time.perf_counter(), time.process_time()
    result = soloist.solve(PROBLEM, SPEC, method="nrpa", seed=1, time=seconds, progress=False)
    wall = time.perf_counter() - start
    return result.playouts / wall, (time.process_time() - used) / wall


def workers(executor, pids, count, seconds, length):
    """Playouts and processor seconds a wall-clock second of `count` workers with a stream each."""
    common = dict(executor=executor, streams=count, method="nrpa", seed=1, slice=length, progress=False)
    distributed.solve(PROBLEM, SPEC, time=2.0, **common)
    start, used = time.perf_counter(), processor_seconds(pids())
    run = distributed.solve(PROBLEM, SPEC, time=seconds, **common)
    wall = time.perf_counter() - start
    return run.playouts / wall, (processor_seconds(pids()) - used) / wall


def measure(kind, count, seconds, length):
    if kind == "dask":
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
            with Client(cluster) as client:
                pids = lambda: [nanny.process.pid for nanny in cluster.workers.values()]
                return workers(client, pids, count, seconds, length)
    pool = distributed.Processes(count)
    try:
        return workers(pool, lambda: pool.pids, count, seconds, length)
    finally:
        pool.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--slice", type=float, default=1.0)
    parser.add_argument("--on", choices=["processes", "dask", "both"], default="both")
    args = parser.parse_args()
    kinds = ["processes", "dask"] if args.on == "both" else [args.on]
    best = {}
    for _ in range(args.rounds):
        rows = [(("a session alone", 1), alone(args.seconds))]
        rows += [((kind, count), measure(kind, count, args.seconds, args.slice)) for kind in kinds for count in (1, 2)]
        for key, row in rows:
            print(f"{key[0]}, {key[1]}: {row[0]:.0f} playouts a second, {row[1]:.2f} processors", flush=True)
            best[key] = max(best.get(key, row), row)
    lone = best["a session alone", 1][0]
    for kind in kinds:
        one, two = best[kind, 1], best[kind, 2]
        print(f"{kind}: two workers {two[0] / one[0]:.3f} times one in wall-clock time,", end=" ")
        print(f"{two[0] / two[1] / (one[0] / one[1]):.3f} in playouts a processor second;", end=" ")
        print(f"slices of {args.slice:g} s with one worker {100 * (1 - one[0] / lone):.1f} % fewer playouts than alone")


if __name__ == "__main__":
    main()
