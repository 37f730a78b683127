#!/usr/bin/env python3
"""A Python problem on a cluster that Dask starts by Slurm: `python dask_slurm.py`; needs dask-jobqueue.

The driver runs where this script runs, such as in a job of its own. If it is killed, the same call goes on.
"""

import pathlib

import soloist.distributed

FOLDER = "run"
RULES = pathlib.Path(__file__).parent


def main():
    from dask_jobqueue import SLURMCluster
    from distributed import Client

    # Workers import the problem from its module.
    cluster = SLURMCluster(cores=1, memory="2GB", walltime="01:00:00",
                           job_script_prologue=[f"export PYTHONPATH={RULES}:$PYTHONPATH"])  # fmt: skip
    # Workers come and go: the run waits for none of them.
    cluster.adapt(maximum_jobs=32)
    with Client(cluster) as client:
        if pathlib.Path(FOLDER, "run.json").exists():
            run = soloist.distributed.resume(FOLDER, executor=client, timeout=3600)
        else:
            run = soloist.distributed.solve("samegame", "random:15x15x5:7", executor=client, streams=32, method="nrpa",
                                            slice=60, time=24 * 3600, folder=FOLDER, timeout=3600)  # fmt: skip
    print(run.score, run.lost)


if __name__ == "__main__":
    main()
