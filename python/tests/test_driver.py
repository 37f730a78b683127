"""The driver of the guide, as it is printed there."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

import soloist
from common import Knapsack, Tour

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "python.md"
COMMON = pathlib.Path(__file__).parent / "common.py"

PROBLEMS = {
    "largest": "problem = Knapsack()",
    "shortest": "problem = Tour()",
    "strict": """
class Strict(Knapsack):
    def score(self, state):
        return soloist.Infeasible(100.5 - state[2])
problem = Strict()
""",
    # Three workers are killed in the middle of their slices.
    "deadly": """
class Deadly(Knapsack):
    games = 0
    def score(self, state):
        Deadly.games += 1
        if Deadly.games == 3000:
            for name in "abc":
                try:
                    pathlib.Path(name).touch(exist_ok=False)
                except FileExistsError:
                    continue
                os.kill(os.getpid(), signal.SIGKILL)
        return super().score(state)
problem = Deadly()
""",
}


def drive(folder, name):
    """Runs the driver and returns the last line that it prints, and the playouts of its runs."""
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S) if "import problem" in block]
    (folder / "driver.py").write_text(block)
    head = "import os, pathlib, signal, soloist\nfrom common import Knapsack, Tour\n"
    (folder / "mine.py").write_text(head + PROBLEMS[name])
    (folder / "common.py").write_text(COMMON.read_text())
    done = subprocess.run([sys.executable, "driver.py"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    saves = sorted((folder / "runs").iterdir())
    assert [save.name for save in saves] == [f"{seed}-5.ckpt" for seed in range(4)]
    return done.stdout.splitlines()[-1], saves


@pytest.mark.parametrize("name", ["largest", "shortest", "deadly"])
def test_the_driver_of_the_guide(tmp_path, name):
    problem = Tour() if name == "shortest" else Knapsack()
    said, saves = drive(tmp_path, name)
    found = re.match(r"Solution\(score=([0-9.]+), violation=None, moves=(.*)\)$", said)
    assert float(found[1]) == pytest.approx(problem.optimum())
    state = problem.root()
    for move in ast.literal_eval(found[2]):
        assert move in problem.moves(state)
        state = problem.apply(state, move)
    if name == "deadly":
        assert all((tmp_path / mark).exists() for mark in "abc")
    # Nothing was made twice, and nothing was left out.
    assert [soloist.Session.restore(save, problem).playouts for save in saves] == [12_000] * 4


def test_the_driver_of_the_guide_without_a_feasible_solution(tmp_path):
    said, _ = drive(tmp_path, "strict")
    assert said.startswith(f"Solution(score=None, violation={100.5 - Knapsack().optimum()}, ")
