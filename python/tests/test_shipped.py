"""Problems that ship."""

import json
import os
import pathlib
import subprocess

import pytest

import soloist
from common import timeless

TOP = pathlib.Path(__file__).parents[2]
INSTANCES = {
    "samegame": "random:6x6x3:1",
    "clickomania": "random:6x6x3:1",
    "bubble-breaker": "random:6x6x3:1",
    "snake": "d5k2",
    "coil": "d5k2",
    "morpion": "5D",
    "partition": "random:20x40:7",
    "horner": "res:3,2",
    "knapsack": "weak:20x1000:1",
}


def command():
    """The `soloist` command, which `cargo test` has built."""
    named = os.environ.get("SOLOIST_COMMAND")
    found = [pathlib.Path(named)] if named else [TOP / "target" / kind / "soloist" for kind in ("release", "debug")]
    for file in found:
        if file.exists():
            return file
    assert not named, f"{named} is missing"
    pytest.skip("the command is not built: cargo build")


@pytest.mark.parametrize("problem", INSTANCES)
def test_results_are_those_of_the_command(problem):
    spec = INSTANCES[problem]
    call = [command(), "solve", problem, spec, "--playouts", "600", "--seed", "3", "--keep", "2", "--json", "--quiet"]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ours = soloist.solve(problem, spec, playouts=600, seed=3, keep=2)
    assert timeless(json.loads(ours.to_json())) == timeless(json.loads(done.stdout))


@pytest.mark.parametrize("set, settings", [("level=2", {"level": 2}), ("width=1,4", {"params": {"width": [1, 4]}})])
def test_parameters_are_those_of_the_command(set, settings):
    arguments = ["--method", "beam-nrpa", "--set", set, "--set", "penalty=literal", "--threads", "2", "--rollout", "random"]
    call = [command(), "solve", "samegame", INSTANCES["samegame"], "--playouts", "400", "--json", "--quiet", *arguments]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ours = soloist.solve(
        "samegame",
        INSTANCES["samegame"],
        playouts=400,
        method="beam-nrpa",
        penalty="literal",
        threads=2,
        rollout="random",
        **settings,
    )
    assert timeless(json.loads(ours.to_json())) == timeless(json.loads(done.stdout))


def test_checkpoints_are_those_of_the_command(tmp_path):
    problem, spec = "samegame", INSTANCES["samegame"]
    whole = soloist.solve(problem, spec, method="nrpa", playouts=600, seed=5)
    ours, theirs = tmp_path / "ours.ckpt", tmp_path / "theirs.ckpt"
    soloist.solve(problem, spec, method="nrpa", playouts=300, seed=5, checkpoint=ours)
    base = [command(), "solve", problem, spec, "--json", "--quiet"]
    done = subprocess.run([*base, "--resume", ours, "--playouts", "600"], capture_output=True, text=True)
    assert timeless(json.loads(done.stdout)) == timeless(json.loads(whole.to_json())), done.stderr
    half = ["--method", "nrpa", "--seed", "5", "--playouts", "300", "--checkpoint", theirs]
    assert subprocess.run([*base, *half], capture_output=True).returncode == 0
    rest = soloist.solve(problem, spec, playouts=600, resume=theirs)
    assert timeless(json.loads(rest.to_json())) == timeless(json.loads(whole.to_json()))


@pytest.mark.parametrize("problem", INSTANCES)
def test_results_are_verified(problem, tmp_path):
    instance = soloist.load(problem, INSTANCES[problem])
    result = instance.solve(playouts=200, seed=1)
    assert (result.problem, result.instance, result.sense) == (problem, instance.name, instance.sense)
    file = tmp_path / "result.json"
    result.save(file)
    for form in (result, result.to_dict(), result.to_json(), file):
        assert instance.verify(form).score == pytest.approx(result.score)
    again = instance.solve(method="sampling", playouts=1, start=result)
    assert again.score == result.score
    assert instance.text(result).strip() and "<svg" in instance.svg(result)


def test_wrong_solutions_are_refused():
    result = soloist.solve("knapsack", INSTANCES["knapsack"], playouts=200, seed=1)
    tampered = {**result.to_dict(), "score": result.score + 1}
    with pytest.raises(soloist.InvalidSolution):
        soloist.verify("knapsack", INSTANCES["knapsack"], tampered)


def test_streams():
    run = lambda threads: soloist.solve("samegame", "random:8x8x4:2", method="nrpa", playouts=500, threads=threads)
    assert run(2).threads == 2 and run(2).moves == run(2).moves and run(2).playouts == 500


def test_improvements():
    seen = []
    result = soloist.solve("knapsack", INSTANCES["knapsack"], method="sampling", playouts=500, on_improve=seen.append)
    assert [event.score for event in seen] == [event.score for event in result.history]
    assert seen[-1].solution == result.solution and seen[-1].seconds >= 0


def test_lists():
    problems = soloist.problems()
    assert set(INSTANCES) < set(problems)
    for name, info in problems.items():
        assert info.name == name and info.summary and info.score and info.instance
        assert all(values for values in info.options.values())
    methods = soloist.methods()
    assert {"auto", "nrpa", "uct", "dfs"} < set(methods)
    assert all(one.help and one.range for info in methods.values() for one in info.parameters.values())
    assert soloist.__version__ == "0.1.0"
    instance = soloist.load("snake", "d5k2")
    assert instance.method in methods and "random" in instance.rollouts and "snake" in repr(instance)


def test_files(tmp_path):
    file = tmp_path / "board.txt"
    file.write_text(soloist.generate("samegame", "random:6x6x3:1"))
    assert soloist.solve("samegame", file, playouts=100).score is not None
    with pytest.raises(soloist.InstanceError):
        soloist.generate("samegame", "random:1")


def test_expressions():
    done = soloist.simplify("x^3*y^2 + x^2*y + x^3*z", emit="c", function="f", playouts=50, seed=1)
    assert (done.operations.total, done.input.total, sorted(done.order)) == (6, 11, ["x", "y", "z"])
    assert done.operations.total == done.operations.additions + done.operations.multiplications
    assert "void f" in done.code() or "f(" in done.code
    space = {}
    exec(soloist.simplify("x^2 + 2*x*y + y^2", function="g", playouts=50).code(), space)
    assert space["g"]([3.0, 4.0]) == [49.0]
    assert soloist.simplify("x*y + y*z", order=["y"]).order[0] == "y"
    # A list, as Python prints it, is several outputs.
    several = soloist.simplify("[x**2 + 2*x*y + y**2, x - y]", function="h", playouts=50)
    exec(several.code(), space)
    inputs = {"x": 3.0, "y": 4.0}
    names = sorted(several.order)
    assert space["h"]([inputs[name] for name in names]) == [49.0, -1.0]
    # (x + y)^2 is found.
    assert (several.input.total, several.operations.total) == (7, 3)
    for wrong, kind, message in [
        (dict(expressions="[x+y]*2"), soloist.InstanceError, "column 1: brackets around an expression"),
        (dict(expressions="f([x, y])"), soloist.InstanceError, "brackets around an expression"),
        (dict(expressions="x +* 2"), soloist.InstanceError, "expression: line 1, column 4"),
        (dict(expressions="x", emit="cobol"), ValueError, "emit: expected one of c, rust"),
        (dict(expressions="x", emit="c", function="1f"), ValueError, "function: "),
        (dict(expressions="x", order=["z"]), ValueError, "order: no variable `z`"),
        (dict(expressions="x*y", order=["y", "y"]), ValueError, "comes twice"),
        (dict(expressions="x", order="xy"), TypeError, "order: expected a list"),
        (dict(expressions=object()), TypeError, "expressions: expected a text"),
    ]:
        with pytest.raises(kind, match=message):
            soloist.simplify(**wrong)
