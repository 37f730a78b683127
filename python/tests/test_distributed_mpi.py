"""`soloist.distributed` on `mpi4py.futures`."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from remote import Sack
from soloist.distributed import solve

pytest.importorskip("mpi4py", reason="mpi4py is not installed")

DRIVER = """
from mpi4py.futures import MPIPoolExecutor
from remote import Sack
from soloist.distributed import solve
if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        run = solve(Sack(), executor=pool, streams=3, method="nrpa", seed=1, slice={"playouts": 100}, playouts=900)
    print(run.score, run.moves, [stream.score for stream in run.streams])
"""


def launcher():
    """Returns the MPI launcher beside the interpreter or on the path."""
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


@pytest.mark.skipif(launcher() is None, reason="mpiexec is not installed")
def test_mpi(tmp_path):
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [launcher(), "-n", "3", sys.executable, "-m", "mpi4py.futures", str(tmp_path / "driver.py")]
    done = subprocess.run(command, cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)})  # fmt: skip
    assert done.returncode == 0, done.stderr
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        run = solve(Sack(), executor=pool, streams=3, method="nrpa", seed=1, slice={"playouts": 100}, playouts=900)
    assert done.stdout == f"{run.score} {run.moves} {[stream.score for stream in run.streams]}\n"
