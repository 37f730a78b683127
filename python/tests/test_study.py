"""Comparisons, tunings, reports and the live view from Python."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from common import Bounded, Knapsack, Tour

import soloist

COMMAND = os.environ.get("SOLOIST_COMMAND")


def small(**more):
    arguments = dict(playouts=60, seeds=3, progress=False)
    return soloist.bench(Knapsack(), ["sampling", {"method": "nrpa", "level": 2, "name": "nested"}], **{**arguments, **more})


def test_a_class_is_compared_like_a_shipped_problem():
    found = small(best_known={"1": Knapsack().optimum()})
    assert [row["method"] for row in found.rows] == ["sampling", "nested"]
    assert all((row["runs"], row["missing"], row["unverified"]) == (3, 0, 0) for row in found.rows)
    assert len(found.runs) == 6 and all(run["verified"] for run in found.runs)
    # Each run is the lone run of its method and seed.
    for run in found.runs:
        method = {"sampling": {"method": "sampling"}, "nested": {"method": "nrpa", "level": 2}}[run["label"]]
        alone = soloist.solve(Knapsack(), playouts=60, seed=run["seed"], **method)
        assert (run["score"], run["playouts"], run["solution"]["moves"]) == (alone.score, alone.playouts, alone.moves)
    means = {row["method"]: row["mean"] for row in found.rows}
    for label, mean in means.items():
        scores = [run["score"] for run in found.runs if run["label"] == label]
        assert mean == pytest.approx(sum(scores) / len(scores))
        assert [row["gap"] for row in found.rows if row["method"] == label][0] >= 0
    [pair] = found.pairs
    assert (pair["a"], pair["b"]) == ("sampling", "nested") and pair["difference"] == pytest.approx(means["sampling"] - means["nested"])
    assert "Knapsack: 1 instance, 3 seeds" in str(found) and "nested" in found.markdown()
    assert found._repr_html_().count("<table>") >= 3 and found._repr_svg_().startswith("<svg")
    assert found.instances[0]["instance"] == "Knapsack:1"


def test_several_objects_and_plain_moves():
    class Named(Knapsack):
        def __init__(self, capacity):
            self.CAPACITY = capacity

    found = soloist.bench({"tight": Named(5), "wide": Named(30)}, ["sampling"], playouts=40, seeds=[7], progress=False)
    assert [(run["instance"], run["seed"]) for run in found.runs] == [("Named:tight", 7), ("Named:wide", 7)]
    scores = [run["score"] for run in found.runs]
    assert scores == [soloist.solve(Named(size), method="sampling", playouts=40, seed=7).score for size in (5, 30)]
    # Tuples as moves go through JSON and are verified.
    tour = soloist.bench([Tour(), Tour()], "nmcs", playouts=40, seeds=1, progress=False)
    assert all(run["verified"] for run in tour.runs) and tour.runs[0]["sense"] == "minimize"

    class Bytes(soloist.Problem):
        def root(self):
            return ()

        def moves(self, state):
            return [b"a", (1, "x"), 1.5, None] if len(state) < 2 else []

        def apply(self, state, move):
            return (*state, move)

        def score(self, state):
            return state.count(b"a")

    run = soloist.bench(Bytes(), "dfs", nodes=100, seeds=1, progress=False).runs[0]
    assert run["verified"] and run["solution"]["moves"] == [{"bytes": "61"}, {"bytes": "61"}]


def test_a_file_continues_and_other_objects_do_not(tmp_path):
    file = tmp_path / "runs.jsonl"
    small(seeds=2, file=file)
    before = file.read_text()
    found = small(seeds=3, file=file)
    assert file.read_text().startswith(before) and len(file.read_text().splitlines()) == 6 == len(found.runs)

    class Knapsack2(Knapsack):
        CAPACITY = 9

    # The same name with other data is another instance.
    Knapsack2.__name__ = "Knapsack"
    other = soloist.bench(Knapsack2(), ["sampling"], playouts=60, seeds=1, file=file, progress=False)
    assert len(other.runs) == 1 and len(file.read_text().splitlines()) == 7


def test_exceptions_of_a_class_are_raised_as_they_are(tmp_path):
    class Broken(Knapsack):
        calls = 0

        def score(self, state):
            Broken.calls += 1
            if Broken.calls > 200:
                raise KeyError("of mine")
            return super().score(state)

    file = tmp_path / "runs.jsonl"
    with pytest.raises(KeyError, match="of mine") as error:
        soloist.bench(Broken(), ["sampling"], playouts=50, seeds=10, file=file, progress=False)
    assert any(entry.name == "score" for entry in error.traceback)
    assert 0 < len(file.read_text().splitlines()) < 10

    class Shared(soloist.Problem):
        def root(self):
            return ([],)

        def moves(self, state):
            return [0, 1] if len(state[0]) < 8 else []

        def apply(self, state, move):
            state[0].append(move)
            return (state[0],)

        def score(self, state):
            return sum(state[0])

    with pytest.raises(soloist.BrokenPromise):
        soloist.bench(Shared(), ["sampling"], playouts=50, seeds=1, progress=False)


def test_stop_and_ctrl_c_end_it(tmp_path):
    event = threading.Event()

    class Slow(Knapsack):
        def score(self, state):
            event.set()
            return super().score(state)

    found = soloist.bench(Slow(), ["sampling"], time=60, seeds=3, stop=event, progress=False)
    assert found.missing == 3 and found.runs == []
    script = tmp_path / "script.py"
    script.write_text(
        "import soloist, sys, os\n"
        f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
        "from common import Knapsack\n"
        "class Told(Knapsack):\n"
        "    def root(self):\n"
        "        print('ready', flush=True)\n"
        "        return super().root()\n"
        "if sys.argv[1] == 'hangs':\n"
        "    def score(self, state):\n"
        "        print('hangs', flush=True)\n"
        "        while True: pass\n"
        "    Told.score = score\n"
        "found = soloist.bench(Told(), ['sampling'], time=60, seeds=2, progress=False)\n"
        "print('missing', found.missing, flush=True)\n"
    )
    for what, signals in (("plain", 1), ("hangs", 2)):
        child = subprocess.Popen([sys.executable, script, what], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        word = {"plain": "ready", "hangs": "hangs"}[what]
        while word not in child.stdout.readline():
            pass
        for number in range(signals):
            child.send_signal(signal.SIGINT)
            time.sleep(0.5)
        while child.poll() is None and number < 20:
            # A second Ctrl-C may come before the first one was seen.
            number += 1
            try:
                child.wait(3)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        if what == "plain":
            assert out.splitlines()[-1] == "missing 2" and child.returncode == 0, err
        else:
            assert err.rstrip().endswith("KeyboardInterrupt"), err


@pytest.mark.parametrize(
    "error, message, arguments",
    [
        (TypeError, "instances: missing", dict(problems="samegame", methods="nrpa")),
        (ValueError, "no method `nrpa2`|did you mean", dict(problems=Knapsack(), methods="nrpa2")),
        (ValueError, "has no budget", dict(problems=Knapsack(), methods="nrpa", playouts=None)),
        (ValueError, "threads: ", dict(problems=Knapsack(), methods="nrpa", threads=2)),
        (ValueError, "large scores are better", dict(problems=[Knapsack(), Tour()], methods="nrpa")),
        (ValueError, "methods: expected at least one", dict(problems=Knapsack(), methods=[])),
        (ValueError, "is taken by another one", dict(problems=Knapsack(), methods=["nrpa", "nrpa"])),
        (ValueError, "names without", dict(problems={"a*": Knapsack()}, methods="nrpa")),
        (ValueError, "no setting `lewel`", dict(problems=Knapsack(), methods={"method": "nrpa", "lewel": 2})),
        (ValueError, "baseline|no method", dict(problems=Knapsack(), methods=["nrpa", "uct"], baseline="mcts")),
        (TypeError, "problem", dict(problems=3, methods="nrpa")),
    ],
)
def test_wrong_calls_end_in_one_line(error, message, arguments):
    with pytest.raises(error, match=message) as found:
        soloist.bench(**{"playouts": 10, "seeds": 1, "progress": False, **arguments})
    assert "\n" not in str(found.value) and "line " not in str(found.value) and "--" not in str(found.value)


def test_shipped_instances_by_name_and_by_data():
    named = soloist.bench("knapsack", ["sampling"], instances="weak:10x100:1..2", playouts=50, seeds=1, progress=False)
    objects = soloist.bench(
        [soloist.load("knapsack", "weak:10x100:1"), soloist.load("knapsack", "weak:10x100:2")],
        ["sampling"],
        playouts=50,
        seeds=1,
        progress=False,
    )
    assert [run["job"] for run in named.runs] == [run["job"] for run in objects.runs]
    sacks = [soloist.load("knapsack", data={"capacity": 10, "items": [(12, 4), (2, size)]}) for size in (2, 20)]
    made = soloist.bench(sacks, ["sampling"], playouts=50, seeds=1, progress=False)
    assert [run["score"] for run in made.runs] == [14, 12] and all(run["verified"] for run in made.runs)
    with pytest.raises(ValueError, match="different rules"):
        boards = [soloist.load("samegame", "random:4x4x3:1", penalty=rule) for rule in ("none", "schadd")]
        soloist.bench(boards, "nrpa", playouts=10, progress=False)


@pytest.mark.skipif(COMMAND is None, reason="compares with the command")
def test_runs_are_those_of_the_command(tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'problem = "samegame"\ninstances = ["random:5x5x3:1..3"]\nseeds = "1..2"\nbudget = { playouts = 50 }\n'
        '[[method]]\nmethod = "sampling"\n[[method]]\nmethod = "nrpa"\nset = { level = 2 }\n'
    )
    done = subprocess.run([COMMAND, "bench", spec, "--json", "--quiet"], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    ours = soloist.bench(
        "samegame", ["sampling", {"method": "nrpa", "level": 2}], instances="random:5x5x3:1..3", playouts=50, seeds=2, progress=False
    )
    jobs = {json.loads(line)["job"] for line in (tmp_path / "spec.jsonl").read_text().splitlines()}
    assert jobs == {run["job"] for run in ours.runs}
    for mine, other in zip(ours.rows, theirs["methods"]):
        for key in ("method", "mean", "median", "best", "bootstrap", "mean_rank", "wins"):
            assert mine[key] == other[key]
    assert ours.pairs == theirs["comparisons"]
    # The command reads the runs of a class.
    own = tmp_path / "own.jsonl"
    small(file=own)
    page = tmp_path / "page.html"
    subprocess.run([COMMAND, "report", own, "-o", page, "--quiet"], check=True)
    assert "nested" in page.read_text()


def test_a_report_of_everything(tmp_path):
    found = small()
    result = soloist.solve("samegame", "random:5x5x3:1", playouts=50, seed=1)
    own = soloist.solve(Bounded(), method="cabs", nodes=1000)
    page = soloist.report(found, [result, own], output=tmp_path / "page.html", title="All of <it>")
    text = page.read_text()
    assert page == tmp_path / "page.html" and "All of &lt;it&gt;" in text and "nested" in text and "samegame" in text
    assert found.report(tmp_path / "other.html").exists()
    with pytest.raises(FileNotFoundError):
        soloist.report(tmp_path / "none.jsonl")
    with pytest.raises(TypeError, match="expected at least one"):
        soloist.report()
    with pytest.raises(TypeError, match="expected results"):
        soloist.report(3)


def test_a_live_page_follows_a_file(tmp_path):
    file = tmp_path / "runs.jsonl"
    small(file=file)
    with soloist.serve(file, title="Here it is") as server:
        assert server.url.startswith("http://127.0.0.1:")
        page = urllib.request.urlopen(server.url, timeout=30).read().decode()
        assert "Here it is" in page
    assert not server._thread.is_alive()
    with pytest.raises(FileNotFoundError):
        soloist.serve(tmp_path / "none.jsonl")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("nothing\n")
    with pytest.raises((ValueError, RuntimeError)):
        soloist.serve(empty)


def test_a_comparison_is_served_while_it_runs(capsys):
    pages = []

    class Told(Knapsack):
        def score(self, state):
            return super().score(state)

    def look():
        if not pages:
            for word in capsys.readouterr().err.split():
                if word.startswith("http://"):
                    pages.append(urllib.request.urlopen(word, timeout=30).read().decode())
        return bool(pages)

    found = soloist.bench(Told(), ["sampling"], time=60, seeds=1, serve=0, title="Live", stop=look, progress=False)
    assert "Live" in pages[0] and found.missing == 1


def test_a_class_is_tuned(tmp_path):
    class Sized(Knapsack):
        def __init__(self, capacity):
            self.CAPACITY = capacity

    problems = {str(size): Sized(size) for size in range(5, 13)}
    found = soloist.tune(
        problems, "uct", {"c": (0.1, 10, "log")},
        playouts=30, samples=4, iterations=2, batch=2, seed=3, folder=tmp_path / "tuning", progress=False,
    )  # fmt: skip
    assert found.is_complete and list(found.parameters) == ["c"] and 0.1 <= float(found.parameters["c"]) <= 10
    assert len(found.rows) == 2 and found.is_better in (True, False, None) and found._repr_svg_().startswith("<svg")
    assert len(found.validation["instances"]) == 2 and "c" in str(found)
    again = soloist.tune(
        problems, "uct", {"c": (0.1, 10, "log")},
        playouts=30, samples=4, iterations=2, batch=2, seed=3, folder=tmp_path / "tuning", progress=False,
    )  # fmt: skip
    assert again.parameters == found.parameters
    solved = soloist.solve(Sized(10), method="uct", params=found.parameters, playouts=50)
    assert solved.parameters["c"] == pytest.approx(float(found.parameters["c"]))
    for error, message, more in (
        (ValueError, "too few to hold some out", dict(problems=Sized(3))),
        (ValueError, "parameters: d", dict(parameters={"d": None})),
        (TypeError, "parameters: c: expected", dict(parameters={"c": (1,)})),
        (ValueError, "race", dict(race="x")),
    ):
        arguments = dict(problems=problems, method="uct", parameters={"c": (0.1, 10)}, playouts=5, samples=4, progress=False)
        with pytest.raises(error, match=message):
            soloist.tune(**{**arguments, **more})


def test_tables_for_pandas():
    pytest.importorskip("pandas")
    found = small()
    assert list(found.to_pandas()["method"]) == ["sampling", "nested"] and len(found.to_pandas("runs")) == 6


def test_a_plot():
    pytest.importorskip("matplotlib").use("Agg")
    assert [label.get_text() for label in small().plot().get_xticklabels()] == ["sampling", "nested"]


def test_compiled_classes_use_their_machine_code():
    pytest.importorskip("numba")

    @soloist.compiled
    class Fast(soloist.Problem):
        def root(self):
            return (0, 0)

        def moves(self, state):
            return [0, 1] if state[0] < 10 else []

        def apply(self, state, move):
            return (state[0] + 1, state[1] + move)

        def score(self, state):
            return state[1]

    found = soloist.bench(Fast(), ["sampling", "nrpa"], playouts=100, seeds=2, jobs=2, progress=False)
    assert all(run["verified"] for run in found.runs)
    alone = soloist.solve(Fast(), method="nrpa", playouts=100, seed=2)
    assert [run["score"] for run in found.runs if run["label"] == "nrpa"][1] == alone.score
