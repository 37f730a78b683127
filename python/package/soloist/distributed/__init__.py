"""Runs on many processes and machines, by the ``submit`` of an executor alone.

A run consists of *streams*: independent searches with seeds of their own. A worker makes one *slice* of a stream at a
time; the driver, which is the process that calls :func:`solve`, keeps all state. So a worker that dies costs its slice,
and a driver that dies costs nothing that was written to the folder of the run.

>>> from soloist.distributed import solve
>>> import concurrent.futures
>>> with concurrent.futures.ThreadPoolExecutor(2) as threads:
...     run = solve("knapsack", "weak:20x1000:1", executor=threads, streams=3, method="nrpa",
...                 slice={"playouts": 500}, playouts=3000, seed=1)
>>> run.score, run.playouts, [stream.playouts for stream in run.streams]
(5082.0, 3000, [1000, 1000, 1000])
"""

from ._exchange import Groups
from ._folder import FolderInUse
from ._processes import Processes, WorkerDied
from ._run import Lost, NoWorkers, RemoteTraceback, Run, SliceLost, Stream, StreamProgress
from ._solve import improvements, resume, solve

__all__ = [
    "FolderInUse",
    "Groups",
    "Lost",
    "NoWorkers",
    "Processes",
    "RemoteTraceback",
    "Run",
    "SliceLost",
    "Stream",
    "StreamProgress",
    "WorkerDied",
    "improvements",
    "resume",
    "solve",
]
