"""Progress on terminals, in files and notebooks; results as SVG, HTML and plots."""

import copy
import io
import os
import pickle
import subprocess
import sys
import threading
import types
import xml.etree.ElementTree

import pytest

import soloist
from common import Bounded, Knapsack, Tour
from soloist import _progress

SPEC = "weak:20x1000:1"
TARGETS = [(Knapsack(),), ("knapsack", SPEC)]
IDS = ["own", "shipped"]
AT_WORK = dict(method="sampling", time=0.7)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Broken(Terminal):
    def write(self, text):
        raise BrokenPipeError("nobody reads")


@pytest.fixture
def eager(monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_a_line_on_a_terminal(target, monkeypatch, eager):
    out = Terminal()
    monkeypatch.setattr(sys, "stderr", out)
    reports = []
    soloist.solve(*target, on_progress=reports.append, **AT_WORK)
    assert reports
    text = out.getvalue()
    assert "playouts, best" in text and "\n" not in text
    # The line is erased at the end.
    assert text.endswith("\r") and text.split("\r")[-2].strip() == ""


def test_a_bar_on_a_terminal(monkeypatch):
    out = Terminal()
    monkeypatch.setattr(sys, "stderr", out)
    soloist.solve(Knapsack(), progress="bar", **AT_WORK)
    shown = out.getvalue().split("\r")[1]
    assert shown.startswith("[#") and "%]" not in shown and "% " in shown


def test_nothing_is_shown(monkeypatch, eager):
    out = Terminal()
    monkeypatch.setattr(sys, "stderr", out)
    soloist.solve(Knapsack(), progress=False, **AT_WORK)
    thread = threading.Thread(target=soloist.solve, args=(Knapsack(),), kwargs=AT_WORK)
    thread.start()
    thread.join()
    assert out.getvalue() == ""
    monkeypatch.setattr(_progress, "_PATIENCE", 100.0)
    soloist.solve(Knapsack(), **AT_WORK)
    assert out.getvalue() == ""
    # A file gets lines if they are asked for.
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    soloist.solve(Knapsack(), **AT_WORK)
    assert file.getvalue() == ""
    soloist.solve(Knapsack(), progress=True, **AT_WORK)
    assert file.getvalue().count("\n") == 1 and file.getvalue().endswith("\n")


@pytest.mark.parametrize("kind", ["line", "bar", None])
def test_a_stderr_that_fails_does_no_harm(kind, monkeypatch, eager):
    closed = Terminal()
    closed.close()
    for out in (None, Broken(), closed, object()):
        monkeypatch.setattr(sys, "stderr", out)
        assert soloist.solve(Knapsack(), progress=kind, **AT_WORK).stop == "time"


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor by the shell")
def test_a_descriptor_that_is_closed():
    script = "import soloist; print(soloist.solve('knapsack', 'weak:20x1000:1', time=.5, method='sampling', progress='bar').stop)"
    done = subprocess.run(["sh", "-c", f'exec "{sys.executable}" -c "{script}" 2>&-'], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "time\n")


def test_a_cell_of_a_notebook(monkeypatch, eager):
    shown = []

    class Handle:
        def update(self, cell):
            shown.append(cell)

    def display(cell, display_id):
        shown.append(cell)
        return Handle()

    ipython, inner = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    inner.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", inner)
    soloist.solve(Knapsack(), **AT_WORK)
    assert len(shown) > 1 and "playouts" in repr(shown[-1])
    assert shown[0]._repr_html_().startswith('<div><progress value="0.')
    # A shell without a kernel is a terminal.
    ipython.get_ipython = lambda: types.SimpleNamespace()
    del shown[:]
    soloist.solve(Knapsack(), **AT_WORK)
    assert shown == []


def test_progress_changes_nothing_in_the_run(monkeypatch):
    setting = dict(method="nrpa", level=2, playouts=3000, seed=5)
    quiet = soloist.solve(Knapsack(), progress=False, **setting)
    monkeypatch.setattr(sys, "stderr", Terminal())
    loud = soloist.solve(Knapsack(), progress="bar", **setting)
    assert (quiet.moves, quiet.history, quiet.playouts) == (loud.moves, loud.history, loud.playouts)


def test_wrong_progress():
    with pytest.raises(ValueError, match='progress: expected "line", "bar", True, False or None, got \'dots\''):
        soloist.solve(Knapsack(), playouts=5, progress="dots")


def test_texts_of_progress():
    state = soloist.Progress(2.0, 500, 30, None, 1.5, float("inf"))
    assert _progress.line(state) == "2.0 s, 500 playouts, 30 nodes, infeasible by 1.5"
    assert _progress.fraction(state, {"time": 8.0, "playouts": 1000}) == 0.5
    assert _progress.fraction(state, {"time": None}) is None
    assert _progress.bar(state, {"time": 1.0}).startswith(f"[{'#' * 24}] 100% ")


def svg_of(text):
    root = xml.etree.ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return root


def texts(root):
    return [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_history_as_svg():
    result = soloist.solve(Bounded(), method="sampling", playouts=300, seed=1)
    root = svg_of(result._repr_svg_())
    found = texts(root)
    assert any("Bounded" in text for text in found) and "bound" in found and "playouts" in found
    assert f"best {result.score:g}" in found
    # A step for each improvement and one to the end of the run.
    path = max((one.get("d") for one in root.iter("{http://www.w3.org/2000/svg}path")), key=lambda d: d.count("H"))
    assert path.count("H") == len(result.history)


def test_histories_without_scores():
    class Never(Knapsack):
        def score(self, state):
            return soloist.Infeasible(3.5)

    result = soloist.solve(Never(), method="sampling", playouts=20)
    assert "no feasible solution" in texts(svg_of(result._repr_svg_()))
    assert "infeasible by 3.5" in result._repr_html_()


def test_shipped_problems_draw_their_solutions():
    result = soloist.solve("samegame", "random:6x6x3:1", method="sampling", playouts=50, seed=1)
    drawn = result._repr_svg_()
    svg_of(drawn)
    assert drawn == soloist.load("samegame", "random:6x6x3:1").svg(result)
    assert result._repr_html_().count("<svg") >= 2
    session = soloist.Session("samegame", "random:6x6x3:1", method="sampling", seed=1)
    session.advance(playouts=50)
    assert session.result._repr_svg_() == drawn
    # Copies travel without the instance and show the history.
    for other in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert other == result and "playouts" in texts(svg_of(other._repr_svg_()))


def test_the_page_of_a_result():
    class Odd(Knapsack):
        pass

    Odd.__name__ = "A<b>&c"
    page = soloist.solve(Odd(), method="dfs", time=60)._repr_html_()
    assert "A&lt;b&gt;&amp;c" in page and "A<b>" not in page
    assert "optimal" in page and "(maximize)" in page and "exhausted" in page
    xml.etree.ElementTree.fromstring(page)


class Axes:
    """Notes what is drawn."""

    def __init__(self):
        self.calls = {}

    def __getattr__(self, name):
        return lambda *arguments, **keywords: self.calls.setdefault(name, []).append(arguments)


def test_plots_of_results():
    result = soloist.solve(Tour(), method="sampling", playouts=200, seed=1)
    axes = Axes()
    assert result.plot(axes) is axes
    at, best = axes.calls["step"][0]
    assert best == sorted(best, reverse=True) and best[-1] == result.score and at[-1] == 200
    assert axes.calls["set_xscale"] == [("log",)]
    again = Axes()
    result.plot(again, x="seconds")
    assert again.calls["step"][0][0][-1] == result.seconds and "set_xscale" not in again.calls
    with pytest.raises(ValueError, match='x: expected "playouts" or "seconds"'):
        result.plot(axes, x="nodes")


def test_plots_by_matplotlib(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = soloist.solve("knapsack", SPEC, method="sampling", playouts=200, seed=1).plot()
    axes.figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_plots_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = soloist.solve(Knapsack(), method="sampling", playouts=20)
    with pytest.raises(ImportError, match=r"plot\(\) draws by matplotlib, which is missing: pip install matplotlib"):
        result.plot()
