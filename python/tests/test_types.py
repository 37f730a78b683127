"""What type checkers find in users' code."""

import inspect
import pathlib
import sys
import typing

import pytest

import soloist

GOOD = """
import concurrent.futures
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
session = soloist.Session(Alone(), seed=1, prefix=["a"])
soloist.bench({"alone": Alone()}, ["sampling"], playouts=10, seeds=2, progress=False)
for better in soloist.improvements(Bits(), playouts=10):
    print(better.score)
sack = soloist.load("knapsack", data={"capacity": 3, "items": [(1, 2)]})
soloist.solve(sack, playouts=10)
soloist.distributed.solve(sack, method=["nrpa", None], streams=2, slice={"playouts": 5}, playouts=10,
    executor=concurrent.futures.ThreadPoolExecutor(1))
soloist.solve("knapsack", "weak:20x1000:1", playouts=10)
soloist.solve(Alone(), method="nrpa", level=2, playouts=10)
name: soloist.MethodName
for name in ("nrpa", "uct"):
    soloist.solve(Alone(), method=name, playouts=10)
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
soloist.solve(Alone(), method="nrpA")
soloist.tune([Alone()], "nprs", ["alpha"])
soloist.distributed.solve(Alone(), method=["nrpa", "uc"])
soloist.Session(Alone(), livel=2)
soloist.improvements(Alone(), playout=2)
soloist.distributed.solve(Alone(), playout=2)
soloist.bench({"a": Alone()}, "nrpa", timeout=2)
soloist.tune([Alone()], "nrpa", ["alpha"], seconds=2)
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
    for function in (soloist.solve, soloist.improvements, soloist.Session):
        assert set(inspect.signature(function).parameters) & names == arguments


def test_the_names_of_methods_are_those_of_the_package():
    assert typing.get_args(soloist.MethodName) == tuple(soloist.methods())


def test_signatures_show_the_keywords_that_type_checkers_know():
    from soloist import _run
    from soloist.distributed import _solve

    limits = {"time", "playouts", "nodes", "target", "stall", "memory", "max_moves"}
    for function, kind in {
        soloist.solve: _run.SolveKeywords,
        soloist.improvements: _run.ImprovementsKeywords,
        soloist.Session: _run.SessionKeywords,
        soloist.Session.restore: _run.RestoreKeywords,
        soloist.distributed.solve: _solve.SolveKeywords,
        soloist.distributed.improvements: _solve.ImprovementsKeywords,
    }.items():
        shown = inspect.signature(function).parameters
        only = {name for name, one in shown.items() if one.kind is inspect.Parameter.KEYWORD_ONLY}
        assert only == set(_run.names(kind)) and list(shown)[-1] == "parameters"
        assert shown["time"].annotation == "float | datetime.timedelta | None" and shown["time"].default is None
    for function in (soloist.bench, soloist.tune):
        shown = inspect.signature(function).parameters
        assert limits < set(shown) and "limits" not in shown
    assert inspect.signature(soloist.solve).parameters["keep"].default == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: soloist.bench("knapsack", "nrpa", instances="weak:20x1000:1", timeout=3), "no argument `timeout`: the name is `time`"),
        (lambda: soloist.tune("knapsack", "nrpa", ["alpha"], instances="weak:20x1000:1", playout=3), "no argument `playout`"),
        (lambda: soloist.distributed.resume(".", memory=3), "no argument `memory`"),
    ],
)
def test_keywords_that_a_function_does_not_have(call, message):
    with pytest.raises(TypeError, match=message):
        call()
