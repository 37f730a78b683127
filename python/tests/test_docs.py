"""The examples in docstrings and in the guide."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import soloist

INNER = [found.name for found in pkgutil.iter_modules(soloist.__path__) if found.name != "_soloist"]
MODULES = ["soloist"] + [f"soloist.{name}" for name in INNER]
GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "guide"
FLAGS = doctest.ELLIPSIS


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"soloist": soloist}, optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("name, least", [("python.md", 20), ("python-first-steps.md", 20)])
def test_examples_of_the_guide(tmp_path, monkeypatch, name, least):
    pytest.importorskip("sympy")
    monkeypatch.chdir(tmp_path)
    # The fence after an example would count as its output.
    text = "\n".join("" if line.startswith("```") else line for line in (GUIDE / name).read_text().splitlines())
    examples = doctest.DocTestParser().get_doctest(text, {}, name, str(GUIDE / name), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(examples)
    assert runner.failures == 0 and runner.tries > least


def test_every_public_name_is_documented():
    for name in soloist.__all__:
        if name not in ("BLOCKED", "MethodName", "__version__"):
            assert getattr(soloist, name).__doc__, name


def test_the_first_steps_are_a_program(tmp_path):
    for package in ("matplotlib", "numba", "sympy"):
        pytest.importorskip(package)
    text = (GUIDE / "python-first-steps.md").read_text()
    lines = []
    for block in text.split("```python\n")[1:]:
        block = block.split("```")[0]
        examples = doctest.DocTestParser().get_examples(block)
        lines += [example.source for example in examples] or [block.replace("1_000_000", "1_000")]
    file = tmp_path / "first_steps.py"
    file.write_text("".join(lines))
    folder = pathlib.Path(soloist.__file__).parents[1]
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, str(file)], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "jobshop.png").exists()
