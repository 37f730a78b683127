"""States that are their own keys."""

import dataclasses
import enum
import itertools

import pytest

import soloist
from common import NoScore


class Jumps(soloist.Problem):
    """Pegs in a row of fourteen: how few can be left."""

    sense = "minimize"
    pegs = 0b11011011101110

    def root(self):
        return self.pegs

    def moves(self, pegs):
        jumps = [(a, a + 1, a + 2) for a in range(12)] + [(a, a - 1, a - 2) for a in range(2, 14)]
        return [a * 100 + c for a, b, c in jumps if pegs >> a & 1 and pegs >> b & 1 and not pegs >> c & 1]

    def apply(self, pegs, jump):
        a, c = divmod(jump, 100)
        return pegs ^ (1 << a) ^ (1 << (a + c) // 2) ^ (1 << c)

    def score(self, pegs):
        return pegs.bit_count()

    def least(self):
        """By brute force over all games."""
        states = {self.root()}
        least = 99
        while states:
            least = min([least, *(self.score(one) for one in states if not self.moves(one))])
            states = {self.apply(one, jump) for one in states for jump in self.moves(one)}
        return least


def nodes(problem, **settings):
    result = soloist.solve(problem, method="dfs", time=60, **settings)
    assert result.optimal
    return result.score, result.nodes


class NoKeys(Jumps):
    def key(self, pegs):
        return None


class OwnKey(Jumps):
    def key(self, pegs):
        return pegs


def held(kind):
    """The same game with states of another kind around the number."""

    class Held(Jumps):
        def root(self):
            return kind(super().root())

        def moves(self, state):
            return super().moves(state.pegs)

        def apply(self, state, jump):
            return kind(super().apply(state.pegs, jump))

        def score(self, state):
            return super().score(state.pegs)

    return Held()


@dataclasses.dataclass(frozen=True)
class Frozen:
    pegs: int


class Compared:
    def __init__(self, pegs):
        self.pegs = pegs

    def __eq__(self, other):
        return self.pegs == other.pegs

    def __hash__(self):
        return hash(self.pegs)


@dataclasses.dataclass
class Identity:
    pegs: int
    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__  # type: ignore[assignment]


class Bare:
    def __init__(self, pegs):
        self.pegs = pegs


class Tupled(tuple):
    """Holds the number as an item; its attribute is the same for different numbers."""

    def __new__(cls, pegs):
        made = super().__new__(cls, (pegs,))
        made.count = pegs.bit_count()
        return made

    def __getnewargs__(self):
        return tuple(self)

    @property
    def pegs(self):
        return self[0]


def test_states_of_plain_values_are_their_own_keys():
    least = Jumps().least()
    written, without = nodes(OwnKey()), nodes(NoKeys())
    assert written[0] == without[0] == least and written[1] < without[1] / 2
    for problem in (Jumps(), held(Frozen), held(Compared)):
        assert nodes(problem) == written
        assert soloist.check(problem).own_keys
    for problem in (held(Identity), held(Bare), held(Tupled)):
        assert nodes(problem) == without
        assert not soloist.check(problem).own_keys
    advice = soloist.check(held(Bare))
    assert advice.next.name == "key" and "are met again by other moves" in advice.next.gain


def test_runs_repeat_and_continue():
    problem = Jumps()
    for method in ("uct", "beam", "anneal", "auto"):
        one, two = (soloist.solve(problem, method=method, nodes=3000, playouts=300, seed=2) for _ in range(2))
        assert (one.score, one.moves, one.nodes) == (two.score, two.moves, two.nodes)
    session = soloist.Session(problem, method="uct", seed=1, params={"transpositions": True})
    session.advance(playouts=50)
    again = soloist.Session.restore(session.save(), problem)
    session.advance(playouts=50), again.advance(playouts=50)
    assert session.best == again.best


def test_states_that_never_repeat_have_no_keys():
    class Bits(NoScore):
        def score(self, bits):
            return sum(bits)

    advice = soloist.check(Bits())
    assert (advice.equal_states, advice.own_keys) == (0, False)
    assert "0% of the states near a random game are met again by other moves\n" in str(advice)


class Walk(soloist.Problem):
    """A walk up that may step back once in a while, to where it was: its states know nothing of its length."""

    def root(self):
        return 0

    def moves(self, place):
        return [] if place >= 9 else [1, 2] if place % 3 else [-1, 1, 2, 3]

    def apply(self, place, step):
        return place + step

    def score(self, place):
        return place


def test_states_that_return_are_no_keys():
    assert not soloist.check(Walk()).own_keys
    for method in ("uct", "anneal", "auto"):
        assert soloist.solve(Walk(), method=method, playouts=300, seed=1).score == 10


class Order(soloist.Problem):
    """Three of five numbers."""

    def root(self):
        return frozenset()

    def moves(self, taken):
        return [number for number in (0, 8, 16, 24, 32) if number not in taken] if len(taken) < 3 else []

    def apply(self, taken, number):
        return taken | {number}

    def score(self, taken):
        return sum(taken)


class Listed(Order):
    """Takes the numbers out of a set, in the order in which it lists them: that of equal sets may differ."""

    def root(self):
        return frozenset((0, 8, 16, 24, 32))

    def moves(self, left):
        return list(left) if len(left) > 2 else []

    def apply(self, left, number):
        return left - {number}


def test_sets_in_states_are_keys_where_their_order_does_not_matter():
    assert soloist.check(Order()).own_keys
    assert nodes(Order())[0] == 72
    assert not soloist.check(Listed()).own_keys
    assert nodes(Listed())[0] == max(sum(one) for one in reached(Listed()))


def reached(problem):
    """All ends of games, by brute force over moves."""
    ends = set()

    def play(state):
        moves = problem.moves(state)
        if not moves:
            ends.add(state)
        for move in moves:
            play(problem.apply(state, move))

    play(problem.root())
    return ends


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass(frozen=True)
class Pair:
    one: Colour
    numbers: frozenset
    text: str = "x"


class Nested(soloist.Problem):
    """Marks numbers in any order; the state nests all kinds of values."""

    def root(self):
        return (Pair(Colour.RED, frozenset()), (None, 1.5, True), b"bytes")

    def moves(self, state):
        return [number for number in range(5) if number not in state[0].numbers]

    def apply(self, state, number):
        pair = state[0]
        return (dataclasses.replace(pair, numbers=pair.numbers | {number}), *state[1:])

    def score(self, state):
        return len(state[0].numbers)


def test_nested_values_are_keys():
    assert soloist.check(Nested()).own_keys
    score, visited = nodes(Nested())
    # 32 states by 80 edges, which are counted with the root; 326 states without keys.
    assert score == 5 and visited == 1 + sum(5 - size for size in range(5) for _ in itertools.combinations(range(5), size))


def test_a_written_key_wins():
    asked = []

    class Written(Jumps):
        def key(self, pegs):
            asked.append(pegs)
            return pegs

    assert nodes(Written()) == nodes(Jumps()) and asked
    assert not soloist.check(Written()).own_keys and "key" in soloist.check(Written()).supplied


def test_an_exception_of_the_first_games_is_raised():
    class Failing(Jumps):
        def apply(self, pegs, jump):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        soloist.solve(Failing(), method="dfs", time=5)
