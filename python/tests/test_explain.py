"""Parts of scores, and constraints that cannot hold together."""

import json

import pytest

import soloist


class Shifts(soloist.Problem):
    """Gives each of three shifts to one of two people; a rule is a pair of shifts that one person cannot have."""

    sense = "minimize"

    def __init__(self, rules=(), shifts=3):
        self.rules, self.shifts = list(rules), shifts

    def root(self):
        return ()

    def moves(self, given):
        return [0, 1] if len(given) < self.shifts else []

    def apply(self, given, person):
        return given + (person,)

    def score(self, given):
        broken = sum(given[a] == given[b] for a, b in self.rules)
        return soloist.Infeasible(broken) if broken else sum(given)

    def parts(self, given):
        return {"second": sum(given), "first": len(given) - sum(given)}

    def constraints(self):
        return [f"{a} and {b} differ" for a, b in self.rules]

    def relaxed(self, kept):
        return Shifts([self.rules[place] for place in kept], self.shifts)


def test_parts_of_own_problems():
    result = soloist.solve(Shifts([(0, 1)]), method="dfs", nodes=1000, keep=2)
    assert (result.score, result.parts) == (1.0, {"second": 1.0, "first": 2.0})
    assert list(result.parts) == ["second", "first"]
    assert result.others[0].parts["second"] == result.others[0].score
    assert json.loads(result.to_json())["parts"] == {"second": 1, "first": 2}
    session = soloist.Session(Shifts([(0, 1)]), method="sampling", seed=1)
    session.advance(playouts=50)
    assert session.result.parts == session.best.parts == {"second": 1.0, "first": 2.0}

    class Wrong(Shifts):
        def parts(self, given):
            return [1, 2]

    with pytest.raises(TypeError, match="parts must return a dict of numbers"):
        soloist.solve(Wrong(), method="dfs", nodes=1000)


def test_parts_of_shipped_problems():
    result = soloist.solve("vrptw", "random:15:7", nodes=500, seed=1, method="sisr")
    assert result.parts == {name: float(result.solution[name]) for name in ("vehicles", "distance")}
    assert soloist.solve("stacking", "random:3x9:1", playouts=20, seed=1).parts == {}


def test_conflicts_of_own_problems():
    triangle = [(0, 1), (3, 4), (1, 2), (0, 2), (2, 3)]
    found = soloist.explain(Shifts(triangle, 5))
    assert (found.verdict, found.least, found.constraints) == ("conflict", True, 5)
    assert found.conflict == ["0 and 1 differ", "1 and 2 differ", "0 and 2 differ"]
    assert "3 of 5" in str(found)
    assert soloist.explain(Shifts([(0, 1)])).verdict == "feasible"


def test_conflicts_of_decisions():
    found = soloist.explain(Shifts([(0, 1), (1, 3)], 5), prefix=[0, 1, 0, 1])
    assert (found.verdict, found.least, found.constraints, found.kind) == ("conflict", True, 4, "decisions")
    assert found.conflict == ["move 1: 1", "move 3: 1"]
    assert str(found).startswith("2 of 4 decisions cannot hold together\n  move 1: 1\n")
    assert soloist.explain(Shifts([(0, 1)]), prefix=[0, 1]).verdict == "feasible"
    assert soloist.explain(Shifts([(0, 1), (1, 2), (0, 2)]), prefix=[0]).conflict == []
    best = soloist.solve("knapsack", "weak:20x1000:1", nodes=1000)
    assert str(soloist.explain("knapsack", "weak:20x1000:1", prefix=best)) == f"feasible: {len(best.moves)} decisions"


def test_what_leaves_moves_out_proves_no_conflict_of_decisions():
    class Incomplete(Shifts):
        complete = False

        def moves(self, given):
            return [0, 1] if not given else [0] if len(given) < self.shifts else []

    assert soloist.explain(Incomplete([(0, 1)]), prefix=[0]).verdict == "unknown"


def test_what_goes_wrong_is_said():
    class Half(Shifts):
        relaxed = None

    with pytest.raises(TypeError, match="`constraints` and `relaxed` belong together"):
        soloist.explain(Half([(0, 1)]))

    class Raises(Shifts):
        def relaxed(self, kept):
            raise KeyError("no such rule")

    with pytest.raises(KeyError, match="no such rule"):
        soloist.explain(Raises([(0, 1)]))
    with pytest.raises(ValueError, match="knapsack names no constraints"):
        soloist.explain("knapsack", "weak:20x1000:1")
    with pytest.raises(TypeError, match="no option `fleets`"):
        soloist.explain("vrptw", "random:5:7", fleets=2)
    with pytest.raises(ValueError, match="prefix: move 1, 2, is not legal"):
        soloist.explain(Shifts([(0, 1)]), prefix=[0, 2])
    with pytest.raises(ValueError, match="prefix: it has no move"):
        soloist.explain(Shifts([(0, 1)]), prefix=[])
    with pytest.raises(ValueError, match="prefix: "):
        soloist.explain("vrptw", "random:5:7", prefix=["here"])
