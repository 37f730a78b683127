"""What type checkers find in users' code."""

import inspect
import pathlib
import sys

import pytest

import soloist

GOOD = """
from typing import Any
import soloist

class Bits(soloist.Problem[tuple[int, ...], int]):
    sense = "minimize"
    def root(self) -> tuple[int, ...]: return ()
    def moves(self, state: tuple[int, ...]) -> list[int]: return [0, 1] if len(state) < 4 else []
    def apply(self, state: tuple[int, ...], move: int) -> tuple[int, ...]: return state + (move,)
    def score(self, state: tuple[int, ...]) -> float | soloist.Infeasible: return sum(state)
    def identity(self, state: tuple[int, ...], move: int) -> int: return len(state)
    def find(self, state: tuple[int, ...], identity: int) -> int | None: return 0 if identity == len(state) < 4 else None

class Bare(soloist.Problem):
    def root(self) -> int: return 0
    def moves(self, state: int) -> range: return range(2 if state < 9 else 0)
    def apply(self, state: int, move: int) -> int: return 2 * state + move + 1
    def score(self, state: int) -> int: return state

class Alone:
    def root(self) -> int: return 0
    def moves(self, at: int) -> list[str]: return ["a"] if at < 9 else []
    def apply(self, at: int, letter: str) -> int: return at + 1
    def score(self, at: int) -> float: return at

for one in (Bits(), Bare(), Alone()):
    result: soloist.Result = soloist.solve(one, playouts=10, progress="bar")
soloist.check(Alone())
session = soloist.Session(Alone(), seed=1)
for better in soloist.improvements(Bits(), playouts=10):
    print(better.score)
sack = soloist.load("knapsack", data={"capacity": 3, "items": [(1, 2)]})
soloist.solve(sack, playouts=10)
soloist.solve("knapsack", "weak:20x1000:1", playouts=10)
soloist.solve(Alone(), method="nrpa", level=2, playouts=10)
settings: dict[str, Any] = {"level": 2}
soloist.solve(Alone(), method="nrpa", playouts=10, **settings)
done: soloist.Simplified = soloist.simplify("x*y", playouts=1)
code: str = done.code("c")
replacements, reduced = soloist.cse([])
"""
#: Lines of which each is an error.
WRONG = """
soloist.solve(3)
soloist.solve(object())
soloist.solve(Alone)
soloist.solve(Alone(), progress="dots")
soloist.improvements(3)
soloist.check(3)
soloist.solve(Alone(), playout=10)
soloist.solve(Alone(), timeout=10)
soloist.Session(Alone(), livel=2)
soloist.improvements(Alone(), playout=2)
soloist.simplify("x", playout=2)
soloist.simplify("x").code(3)
class A(Alone, soloist.Problem[int, str]): sense = "smaller"
class B(soloist.Problem[int, int]):  apply = lambda self, state, move: None
"""


def test_a_type_checker_finds_mistakes(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    folder = pathlib.Path(soloist.__file__).parents[1]
    if folder.name != "site-packages":
        monkeypatch.setenv("MYPYPATH", str(folder))
    file = tmp_path / "mine.py"
    file.write_text(GOOD + WRONG)
    out, errors, _ = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), "--python-executable", sys.executable, str(file)])
    assert not errors
    found = {int(line.split(":")[1]) for line in out.splitlines() if line.startswith(str(file)) and ": error:" in line}
    first = GOOD.count("\n") + 2
    assert found == set(range(first, first + WRONG.count("\n") - 1)), out


def test_the_code_that_is_checked_runs():
    exec(compile(GOOD, "mine.py", "exec"), {"print": lambda *_: None, "__name__": "mine"})


def test_every_parameter_is_a_keyword_that_type_checkers_know():
    from soloist import _keywords

    names = {name for method in soloist.methods().values() for name in method.parameters}
    names |= {name for problem in soloist.problems().values() for name in problem.options}
    arguments = {"playouts", "start"}
    assert set(_keywords.Parameters.__annotations__) == names - arguments
    own = set(inspect.signature(soloist.simplify).parameters)
    assert set(_keywords.SearchParameters.__annotations__) == names - arguments - own
    for function in (soloist.solve, soloist.improvements, soloist.Session.__init__):
        assert set(inspect.signature(function).parameters) & names == arguments
