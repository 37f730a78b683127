"""Assignments and subsets whose differences are known."""

import random

import pytest

import soloist


class Cut(soloist.Problem):
    """The largest cut of a graph with weights; states are (vertices, sides as bits, weight)."""

    def __init__(self, count=16, seed=1):
        draw = random.Random(seed)
        self.count = count
        self.weights = [[0] * count for _ in range(count)]
        for a in range(count):
            for b in range(a):
                self.weights[a][b] = self.weights[b][a] = draw.choice((-1, 1, 2))

    def root(self):
        return (0, 0, 0)

    def moves(self, state):
        return [0, 1] if state[0] < self.count else []

    def apply(self, state, side):
        at, sides, cut = state
        for other in range(at):
            if (sides >> other & 1) != side:
                cut += self.weights[at][other]
        return (at + 1, sides | side << at, cut)

    def score(self, state):
        return state[2]

    def code(self, state, side):
        return 2 * state[0] + side


class Exchanged(Cut):
    def difference(self, state, place, old, new):
        if old is None or new is None:
            return None
        change = 0
        for other in range(self.count):
            if other != place:
                weight = self.weights[place][other]
                change += weight if (state[1] >> other & 1) != new else -weight
        return change


class InPlace(Exchanged):
    def apply_exchange(self, state, place, old, new):
        return (state[0], state[1] ^ (1 << place), state[2] + self.difference(state, place, old, new))


def annealed(problem, **setting):
    return soloist.solve(problem, method="anneal", seed=2, playouts=3000, **setting)


def best_cut(problem):
    count = problem.count
    pairs = [(a, b) for a in range(count) for b in range(a)]
    return max(
        sum(problem.weights[a][b] for a, b in pairs if (sides >> a & 1) != (sides >> b & 1)) for sides in range(1 << (count - 1))
    )


def test_differences_are_known_and_checked():
    assert "difference" in soloist.check(InPlace(8)).supplied
    assert "difference" in soloist.check(Cut(8)).missing

    class Wrong(Exchanged):
        def difference(self, state, place, old, new):
            change = super().difference(state, place, old, new)
            return None if change is None else change + 1

    with pytest.raises(soloist.BrokenPromise, match="changes the cost"):
        soloist.check(Wrong(8))


@pytest.mark.parametrize("kind", [Exchanged, InPlace])
def test_annealing_edits_by_differences(kind):
    problem = kind(10)
    assert annealed(problem).score == best_cut(problem)


def test_places_count_the_moves_of_a_prefix():
    problem = InPlace(10)
    free = annealed(problem)
    result = annealed(problem, prefix=free.moves[:4])
    assert result.moves[:4] == free.moves[:4] and result.score == free.score


def test_a_difference_has_a_type():
    class Text(Exchanged):
        def difference(self, state, place, old, new):
            return "much"

    with pytest.raises(TypeError, match="difference must return a number or None"):
        annealed(Text(8))

    class Alone(Cut):
        def apply_exchange(self, state, place, old, new):
            return state

    with pytest.raises(TypeError, match="`apply_exchange` belongs to `difference`"):
        annealed(Alone(8))


def test_compiled_differences_make_the_same_run():
    pytest.importorskip("numba")

    @soloist.compiled
    class Compiled(Cut):
        def difference(self, state, place, old, new):
            if old is None or new is None:
                return None
            change = 0
            for other in range(self.count):
                if other != place:
                    weight = self.weights[place][other]
                    change += weight if (state[1] >> other & 1) != new else -weight
            return change

        def apply_exchange(self, state, place, old, new):
            change = 0
            for other in range(self.count):
                if other != place:
                    weight = self.weights[place][other]
                    change += weight if (state[1] >> other & 1) != new else -weight
            return (state[0], state[1] ^ (1 << place), state[2] + change)

    plain, compiled = annealed(InPlace(10)), annealed(Compiled(10))
    assert (plain.score, plain.moves) == (compiled.score, compiled.moves)
    front = plain.moves[:3]
    assert annealed(Compiled(10), prefix=front).moves == annealed(InPlace(10), prefix=front).moves


class Large(soloist.Problem):
    """Half of 120 lamps on, and few neighbours alike: as many solutions as nobody searches through."""

    sense = "minimize"

    def root(self):
        return ()

    def moves(self, lamps):
        return [0, 1] if len(lamps) < 120 else []

    def apply(self, lamps, lamp):
        return lamps + (lamp,)

    def score(self, lamps):
        return abs(sum(lamps) - 60) + sum(a == b for a, b in zip(lamps, lamps[1:]))

    def difference(self, lamps, place, old, new):
        return self.score(lamps[:place] + (new,) + lamps[place + 1 :]) - self.score(lamps)


def test_the_advice_is_what_gains():
    class Applied(Large):
        def apply_exchange(self, lamps, place, old, new):
            return lamps[:place] + (new,) + lamps[place + 1 :]

    class Plain(Applied):
        difference = apply_exchange = None

    assert soloist.check(Plain()).next.name == "difference"
    assert soloist.check(Large()).next.name == "apply_exchange"
    # A bound of penalties is 0: with edits by difference, it proves nothing of so many solutions.
    assert soloist.check(Applied()).next is None
