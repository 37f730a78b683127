"""Instances of shipped problems from texts, lists and arrays."""

import json
import pickle
import random

import pytest

import soloist

SETTING = dict(method="sampling", playouts=60, seed=1)


def same(one, other):
    """Whether two instances are the same problem."""
    a, b = one.solve(**SETTING), other.solve(**SETTING)
    assert (a.score, a.moves, a.solution, a.bound) == (b.score, b.moves, b.solution, b.bound)
    return True


def numbers(text):
    return [[int(word) for word in line.split()] for line in text.splitlines() if line[:1] != "#"]


def test_texts():
    for problem, spec in [("knapsack", "weak:20x1000:1"), ("samegame", "random:6x6x3:1"), ("partition", "random:10x20:7")]:
        text = soloist.generate(problem, spec)
        assert same(soloist.load(problem, text=text), soloist.load(problem, spec))
        assert same(soloist.load(problem, text=text.encode()), soloist.load(problem, spec))


def test_items():
    head, *items = numbers(soloist.generate("knapsack", "weak:20x1000:1"))
    sack = soloist.load("knapsack", data={"capacity": head[1], "items": items}, name="sack")
    assert same(sack, soloist.load("knapsack", "weak:20x1000:1")) and sack.name == "sack"
    numpy = pytest.importorskip("numpy")
    arrays = {"capacity": numpy.int64(head[1]), "items": numpy.array(items)}
    assert same(soloist.load("knapsack", data=arrays), sack)


def test_numbers():
    values = [row[0] for row in numbers(soloist.generate("partition", "random:10x20:7"))]
    whole = soloist.load("partition", data=values)
    assert same(whole, soloist.load("partition", "random:10x20:7"))
    # Of any size, and floats that are whole.
    assert soloist.load("partition", data=[10**40, 10**40 + 7, 12.0]).solve(method="dfs", time=60).optimal


@pytest.mark.parametrize("problem", ["samegame", "clickomania", "bubble-breaker"])
def test_boards(problem):
    rows = numbers(soloist.generate(problem, "random:6x6x3:1"))
    board = soloist.load(problem, data=rows)
    assert same(board, soloist.load(problem, "random:6x6x3:1"))
    numpy = pytest.importorskip("numpy")
    assert same(soloist.load(problem, data=numpy.array(rows)), board)


def test_rules_and_zeros_of_boards():
    # As in a file: 0 is empty where that gives a settled board, and the first colour elsewhere.
    assert same(soloist.load("samegame", data=[[0, 2], [1, 2]]), soloist.load("samegame", text=". 2\n1 2\n"))
    with pytest.raises(soloist.InstanceError):
        soloist.load("samegame", data=[[1, 2], [0, 2]], zero="empty")
    assert soloist.load("samegame", data=[[1, 1], [2, 2]], penalty="none").options["penalty"] == "none"


def test_matrices_with_windows():
    draw = random.Random(1)
    points = [(draw.randrange(50), draw.randrange(50)) for _ in range(8)]
    ways = [[round(((a - c) ** 2 + (b - d) ** 2) ** 0.5, 3) for c, d in points] for a, b in points]
    windows = [(0, 1000)] + [(start, start + 400.5) for start in range(7)]
    instance = soloist.load("tsptw", data={"distances": ways, "windows": windows})
    result = instance.solve(method="sampling", playouts=500, seed=1)
    tour = json.loads(result.to_json())["solution"]
    assert result.score is not None and instance.verify(result).score == result.score, tour
    numpy = pytest.importorskip("numpy")
    arrays = {"distances": numpy.array(ways), "windows": numpy.array(windows)}
    assert same(soloist.load("tsptw", data=arrays), instance)


def test_vehicles():
    points = [(0, 0), (3, 4), (6, 8), (0, 5)]
    fields = dict(capacity=10, demands=[0, 7, 4, 3], windows=[(0, 99)] * 4, service=5)
    flat = soloist.load("vrptw", data={"points": points, **fields})
    ways = [[((a - c) ** 2 + (b - d) ** 2) ** 0.5 for c, d in points] for a, b in points]
    exact = soloist.load("vrptw", data={"distances": ways, **fields, "service": [0, 5, 5, 5], "vehicles": 3})
    for instance in (flat, exact):
        result = instance.solve(playouts=500, seed=1)
        assert instance.verify(result).score == result.score
    numpy = pytest.importorskip("numpy")
    arrays = {"points": numpy.array(points), **fields, "windows": numpy.array(fields["windows"])}
    assert soloist.load("vrptw", data=arrays).solve(playouts=50, seed=1).score == flat.solve(playouts=50, seed=1).score


def test_stacks():
    layout = [[1, 3], [2], []]
    yard = soloist.load("stacking", data=layout)
    assert same(yard, soloist.load("stacking", text="3 3\n2 1 3\n1 2\n0\n"))


def test_instances_of_data_can_be_sent():
    sack = soloist.load("knapsack", data={"capacity": 9, "items": [(5, 4), (6, 5), (7, 6)]})
    again = pickle.loads(pickle.dumps(sack))
    assert again.name == sack.name and sack.name.startswith("data-") and same(again, sack)
    other = soloist.load("knapsack", data={"capacity": 8, "items": [(5, 4), (6, 5), (7, 6)]})
    assert other.name != sack.name
    assert soloist.solve(sack, **SETTING).score == 11.0


WRONG = [
    ("knapsack", dict(data=[1, 2]), TypeError, "data: expected a dict with capacity, items, got"),
    ("knapsack", dict(data={"capacity": 3}), ValueError, "data: the field 'items' is missing .known: capacity, items"),
    ("knapsack", dict(data={"capacity": 3, "items": [], "size": 3}), ValueError, "data: no field 'size' .known: capacity"),
    ("knapsack", dict(data={"capacity": 3, "items": [(1, 2, 3)]}), ValueError, r"items\[0\]: expected 2 entries, got 3"),
    ("knapsack", dict(data={"capacity": 3, "items": [(1, 2.5)]}), TypeError, r"items\[0\]\[1\]: expected a whole number, got 2.5"),
    ("knapsack", dict(data={"capacity": 3, "items": [(1, -2)]}), soloist.InstanceError, "line 2"),
    ("partition", dict(data="12"), TypeError, "data: expected a list, got '12'"),
    ("partition", dict(data=[1, None]), TypeError, r"data\[1\]: expected a whole number, got None"),
    ("tsptw", dict(data={"distances": [[0, 1], [1, 0]], "windows": [(0, 9)]}), ValueError, "windows: expected 2 entries, got 1"),
    ("tsptw", dict(data={"distances": [[0, "1"], [1, 0]], "windows": [(0, 9)] * 2}), TypeError, r"distances\[0\]\[1\]: expected a"),
    ("tsptw", dict(data={"distances": [[0, float("nan")], [1, 0]], "windows": [(0, 9)] * 2}), ValueError, "finite number"),
    ("vrptw", dict(data={"capacity": 3, "demands": [0], "windows": [(0, 9)]}), ValueError, "give either 'points' or 'distances'"),
    ("packing", dict(data=[1]), ValueError, "data: packing is read as text= or from a file"),
    ("chess", dict(data=[1]), ValueError, "chess"),
    ("knapsack", dict(), TypeError, "load: give a file or a spec, text= or data="),
    ("knapsack", dict(text="1 1", data=[1]), TypeError, "not text and data"),
    ("knapsack", dict(text=3), TypeError, "text: expected a str or bytes, got 3"),
    ("knapsack", dict(text="1 5\n2 3\n", name="weak:20x1000:1"), ValueError, "name: expected a name without `:`"),
    ("knapsack", dict(text="nonsense"), soloist.InstanceError, "data-"),
]


@pytest.mark.parametrize("problem, arguments, kind, message", WRONG, ids=[str(one[:2]) for one in WRONG])
def test_wrong_data(problem, arguments, kind, message):
    with pytest.raises(kind, match=message) as caught:
        soloist.load(problem, **arguments)
    assert "\n" not in str(caught.value)


def test_names_are_for_texts():
    with pytest.raises(TypeError, match="name: only instances made of text= or data= are named"):
        soloist.load("knapsack", "weak:20x1000:1", name="mine")
