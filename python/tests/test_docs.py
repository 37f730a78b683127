"""The examples in docstrings and in the guide."""

import doctest
import importlib
import pathlib
import pkgutil

import pytest

import soloist

INNER = [found.name for found in pkgutil.iter_modules(soloist.__path__) if found.name != "_soloist"]
MODULES = ["soloist"] + [f"soloist.{name}" for name in INNER]
GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "python.md"
FLAGS = doctest.ELLIPSIS


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"soloist": soloist}, optionflags=FLAGS).failed == 0


def test_examples_of_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # The fence after an example would count as its output.
    text = "\n".join("" if line.startswith("```") else line for line in GUIDE.read_text().splitlines())
    examples = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(GUIDE), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(examples)
    assert runner.failures == 0 and runner.tries > 20


def test_every_public_name_is_documented():
    for name in soloist.__all__:
        if name not in ("BLOCKED", "__version__"):
            assert getattr(soloist, name).__doc__, name
