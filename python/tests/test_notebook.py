"""The notebook of the examples: its cells run in order, and return what stands below them."""

import ast
import contextlib
import io
import json
import pathlib

import pytest

import soloist

NOTEBOOK = pathlib.Path(__file__).parents[2] / "examples" / "python" / "first_steps.ipynb"


def run(source, names):
    """Runs a cell; returns the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(last, "cell", "eval"), names)


def stored(cell, kind, name):
    """Returns the text of an output that stands below a cell; None: it has no such output."""
    texts = [out["data"]["text/plain"] if kind == "execute_result" else out["text"] for out in cell["outputs"]
             if out["output_type"] == kind and out.get("name") == name]  # fmt: skip
    assert len(texts) < 2
    return "".join(texts[0]) if texts else None


def test_the_cells_return_what_stands_below_them(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names, compared, shown = {"__name__": "__main__"}, 0, 0
    for number, cell in enumerate(cells, 1):
        source = "".join(cell["source"])
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            value = run(source, names)
        assert cell["execution_count"] == number
        wanted = stored(cell, "execute_result", None)
        if wanted is not None:
            assert repr(value) == wanted, source
            compared += 1
        elif value is not None and hasattr(value, "_repr_html_"):
            # What a notebook shows in the place of the text.
            assert "<" in value._repr_html_(), source
            shown += 1
        assert printed.getvalue() == (stored(cell, "stream", "stdout") or ""), source
    assert compared >= 7 and shown == 2 and isinstance(names["result"], soloist.Result)


def test_an_output_that_differs_is_noticed():
    names = {}
    assert run("x = 2\nx + 1", names) == 3 and run("x = 4", names) is None and names["x"] == 4
    cell = {"outputs": [{"output_type": "execute_result", "data": {"text/plain": ["(1,\n", " 2)"]}}]}
    assert stored(cell, "execute_result", None) == "(1,\n 2)" and stored(cell, "stream", "stdout") is None
