"""Problems that users write."""

from __future__ import annotations

import datetime
import inspect
import random
import time as clock
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, SupportsFloat, SupportsIndex

from . import _arguments, _soloist
from ._constants import ById
from ._infeasible import Infeasible
from ._lint import unread, warn

if TYPE_CHECKING:
    # Part of every type checker. The defaults keep `class Mine(soloist.Problem)` free of parameters.
    from typing_extensions import TypeVar

    State = TypeVar("State", default=Any)
    Move = TypeVar("Move", default=Any)
else:
    from typing import TypeVar

    State = TypeVar("State")
    Move = TypeVar("Move")


class _Blocked:
    """The type of :data:`BLOCKED`."""

    def __repr__(self) -> str:
        return "soloist.BLOCKED"

    def __reduce__(self) -> str:
        """It is one object in every process."""
        return "BLOCKED"


#: What ``find`` returns for a thing that no move decides about yet, but one may later.
BLOCKED = _Blocked()


class Rules(Protocol):
    """What every problem has, also where its class is not derived from :class:`Problem`; for type checkers."""

    def root(self) -> Any:
        """Returns the empty solution."""

    def moves(self, state: Any, /) -> Iterable[Any]:
        """Returns the legal moves."""

    def apply(self, state: Any, move: Any, /) -> Any:
        """Returns the next state."""

    def score(self, state: Any, /) -> SupportsFloat | SupportsIndex | Infeasible | tuple[Any, Any]:
        """Returns the score of a finished solution."""


class Problem(Generic[State, Move]):
    """The rules of a problem, to be derived from; any class with the same functions works as well.

    Required are ``root``, ``moves``, ``apply`` and ``score``. The others are optional: leave them out where there is
    nothing to say. Each one makes some searches stronger (``soloist.check`` says which are missing).

    Optional are:

    - ``sense``: whether small scores are better
    - ``reference``: the score of a trivial solution
    - ``complete``: whether the moves can reach a best solution
    - ``state_bytes``: about how many bytes a state takes
    - ``step``: the next state and its moves in one call
    - ``code``: which moves share what is learned
    - ``bias``: prior knowledge about a move: the logarithm of its weight
    - ``bound``: that no solution from here is better than this
    - ``potential``: how promising a state is beside others after as many moves
    - ``key``: that states are the same: equal keys list the same moves in the same order
    - ``future``: that states have the same future, perhaps by other moves (mirror images), and what they have cost
    - ``resources``: further numbers that are compared beside the cost
    - ``identity``: what a move decides about, the same in all states
    - ``find``: the move that decides about a thing
    - ``link``: what a decision costs directly behind another one, where the score is a sum of that
    - ``suggest``: which edits may improve a finished solution
    - ``difference``: by how much the score changes when one decision is exchanged for another
    - ``apply_exchange``: the state after such an exchange
    - ``edit``: another solution made of a finished one, and by how much the score changes
    - ``candidates``, ``playout``: playout policies of the domain
    - ``parts``: what a score consists of
    - ``constraints``: the names of the constraints that can be left out
    - ``relaxed``: the problem with some of the constraints alone

    A state may be any object; tuples of numbers are fast. A state is never changed: ``apply`` returns a new one.
    A move is an int, or another plain value: a str, bytes, a float, a bool, None or a tuple of these, named tuples
    and members of ``IntEnum`` included. Ints are fastest. The functions must return the same for the same arguments.

    Type checkers know states and moves from ``class Mine(soloist.Problem[tuple[int, ...], int])``.

    >>> class Bits(soloist.Problem):
    ...     '''As many ones as possible in ten bits.'''
    ...     def root(self):
    ...         return ()
    ...     def moves(self, bits):
    ...         return [0, 1] if len(bits) < 10 else []
    ...     def apply(self, bits, bit):
    ...         return bits + (bit,)
    ...     def score(self, bits):
    ...         return sum(bits)
    ...     def bound(self, bits):
    ...         return sum(bits) + 10 - len(bits)
    >>> result = soloist.solve(Bits(), method="dfs", time=10)
    >>> result.score, result.optimal
    (10.0, True)
    """

    #: ``"maximize"`` or ``"minimize"``.
    sense: Literal["maximize", "minimize", "max", "min"] = "maximize"
    #: The score of a trivial solution, for methods that reward by a ratio of scores.
    reference: float | None = None
    #: False where ``moves`` leaves out moves on purpose: no run then claims to have proven anything.
    complete: bool = True
    #: About how many bytes a state takes with what it holds alone. Beams and exact searches divide ``memory`` by it.
    state_bytes: int = 512

    def root(self) -> State:
        """Returns the empty solution."""
        raise NotImplementedError("a problem needs the function `root`")

    def moves(self, state: State) -> Iterable[Move]:
        """Returns the legal moves in a fixed order; an empty list means that the solution is finished."""
        raise NotImplementedError("a problem needs the function `moves`")

    def apply(self, state: State, move: Move) -> State:
        """Returns the state after a legal move; ``state`` stays as it is."""
        raise NotImplementedError("a problem needs the function `apply`")

    def score(self, state: State) -> float | Infeasible | tuple[float, float]:
        """Returns the score of a finished solution, or ``soloist.Infeasible(degree)`` if it breaks a constraint.

        A pair ``(hard, soft)`` says both: ``hard`` is by how much constraints are broken, 0 of a feasible solution, and
        ``soft`` is its score. Pairs are compared by ``hard`` first. ``raise soloist.Infeasible(degree)`` works as well.
        """
        raise NotImplementedError("a problem needs the function `score`")

    def step(self, state: State, move: Move) -> tuple[State, Iterable[Move]]:
        """Returns the state after a legal move and its moves, what ``apply`` and ``moves`` return, in one call."""
        raise NotImplementedError

    def code(self, state: State, move: Move) -> Any:
        """Returns the address under which policies learn about the move: an int or another plain value.

        Moves that should share what is learned have the same code. By default it is the move, which ``nrpa``
        learns apart at each step where games are as long as each other and decide at given places or repeat moves.
        """
        raise NotImplementedError

    def bias(self, state: State, move: Move) -> float:
        """Returns prior knowledge about a move: its logit before anything is learned."""
        raise NotImplementedError

    def bound(self, state: State) -> float | None:
        """Returns a number that no solution reached from here beats; None: unknown."""
        raise NotImplementedError

    def potential(self, state: State) -> float | None:
        """Returns how promising a state is beside others after as many moves; larger is more promising."""
        raise NotImplementedError

    def key(self, state: State) -> Any:
        """Returns a plain value that is equal for states with the same futures and the same score so far; None: no key.

        Without it a state is its own key where it is compared by value (numbers, texts, tuples, frozen sets and frozen
        data classes of these), and where small trees near a random game meet equal states. ``return None`` switches
        that off.
        """
        raise NotImplementedError

    def future(self, state: State) -> tuple[Any, float]:
        """Returns a plain value that is equal for states with the same futures, and the score so far.

        Of states with the same futures, searches keep the better one.
        """
        raise NotImplementedError

    def resources(self, state: State) -> Iterable[float]:
        """Returns further numbers that are compared among states with the same futures."""
        raise NotImplementedError

    def identity(self, state: State, move: Move) -> int:
        """Returns the number of the thing that a move decides about, the same in all states; needs ``find``."""
        raise NotImplementedError

    def find(self, state: State, identity: int) -> Move | _Blocked | None:
        """Returns the legal move that decides about a thing.

        ``soloist.BLOCKED``: it is not legal yet. None: it will not be legal any more.
        """
        raise NotImplementedError

    def link(self, before: int | None, behind: int | None) -> float | None:
        """Returns what the thing ``behind`` costs directly after the thing ``before``; needs ``identity`` and ``find``.

        None as a thing is the start or the end of the order; None as a cost: the problem has no links. The score of
        each solution must be the sum of the links along its order, from the start to the end, and a constant; all
        solutions decide about the same things, each once. A pair that cannot follow each other has any cost, best
        infinity.
        """
        raise NotImplementedError

    def suggest(self, moves: list[Move]) -> Iterable[tuple[int, int]]:
        """Returns edits that may improve a finished solution; needs ``identity`` and ``find``.

        An edit ``(source, target)`` takes the move at place ``source`` of ``moves`` to place ``target``.
        """
        raise NotImplementedError

    def difference(self, state: State, place: int, old: Move | None, new: Move | None) -> float | None:
        """Returns by how much the score changes when ``new`` is decided instead of ``old``. None: that breaks a rule.

        It is for assignments, whose solutions decide at the same places, and for subsets, which hold some of the
        decisions in any order. ``state`` is the one after all decisions, ``place`` the place of ``old`` among them. In
        subsets ``old`` is None where a decision is added, ``new`` is None where one is taken out, and ``state`` may
        have legal moves left. ``anneal`` edits solutions by it without replays.
        """
        raise NotImplementedError

    def apply_exchange(self, state: State, place: int, old: Move | None, new: Move | None) -> State:
        """Returns the state after such an exchange; needs ``difference``. Without it moves are played again."""
        raise NotImplementedError

    def edit(self, moves: Sequence[Move], rng: random.Random) -> tuple[float, Sequence[Move]] | None:
        """Returns by how much an edit changes the score of a finished solution, and the moves of the edited one.

        It is a neighbourhood of the problem's own, by which ``anneal`` edits solutions without replays: the moves must be
        legal from the root to a finished, feasible solution. ``moves`` stay as they are. Random draws must come from
        ``rng``. None: no edit was made. With it ``difference`` is not asked.
        """
        raise NotImplementedError

    def candidates(self, state: State) -> Sequence[Move]:
        """Returns the moves among which playouts choose; at least one where there are legal moves."""
        raise NotImplementedError

    def playout(self, state: State, rng: random.Random) -> Sequence[Move]:
        """Returns the moves that complete a state. Random draws must come from ``rng``."""
        raise NotImplementedError

    def parts(self, state: State) -> Mapping[str, float]:
        """Returns what the score of a finished state consists of, for ``result.parts``; parts need not add up to it."""
        raise NotImplementedError

    def constraints(self) -> Sequence[str]:
        """Returns the names of constraints that can be left out, for :func:`explain`; needs ``relaxed``."""
        raise NotImplementedError

    def relaxed(self, kept: list[int]) -> Any:
        """Returns the problem in which only some constraints hold: those at the places ``kept`` of ``constraints``.

        None: it is certain that these cannot hold together. What satisfies more constraints must satisfy fewer.
        """
        raise NotImplementedError


_REQUIRED = ("root", "moves", "apply", "score")
_OPTIONAL = (
    "step",
    "code",
    "bias",
    "bound",
    "potential",
    "key",
    "future",
    "resources",
    "identity",
    "find",
    "link",
    "suggest",
    "difference",
    "apply_exchange",
    "edit",
    "candidates",
    "playout",
    "parts",
    "constraints",
    "relaxed",
)
_SENSES = {"maximize": False, "max": False, "minimize": True, "min": True}


#: Names that classes have for other things: they count where they are functions of two arguments.
_COMMON = ("step", "edit")


def _takes_two(function: Any) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return len(parameters) == 2 and all(one.kind in kinds and one.default is one.empty for one in parameters)


def functions(problem: object, is_scored: bool = True) -> dict[str, Any]:
    """Binds the functions of a problem once; one that is not scored needs no ``score``."""
    kind = type(problem)
    if isinstance(problem, type):
        raise TypeError(f"expected a problem, got the class {problem.__name__}: make an object of it")
    found: dict[str, Any] = {"name": kind.__name__}
    for name in _REQUIRED + _OPTIONAL:
        function = getattr(problem, name, None)
        if function is None or getattr(kind, name, None) is getattr(Problem, name):
            if name in _REQUIRED and (is_scored or name != "score"):
                raise TypeError(
                    f"{kind.__name__} is no problem: it needs the functions root, moves, apply and score; "
                    f"`{name}` is missing"
                )
            function = None
        elif name in _COMMON and not _takes_two(function):
            function = None
        elif not callable(function):
            raise TypeError(f"`{name}` of {kind.__name__} must be a function")
        found[name] = function
    if (found["identity"] is None) != (found["find"] is None):
        raise TypeError(f"{kind.__name__}: `identity` and `find` belong together")
    for name in ("link", "suggest"):
        if found[name] is not None and found["identity"] is None:
            raise TypeError(f"{kind.__name__}: `{name}` belongs to `identity` and `find`, which are missing")
    if found["apply_exchange"] is not None and found["difference"] is None:
        raise TypeError(f"{kind.__name__}: `apply_exchange` belongs to `difference`, which is missing")
    if (found["constraints"] is None) != (found["relaxed"] is None):
        raise TypeError(f"{kind.__name__}: `constraints` and `relaxed` belong together")
    if found["relaxed"] is not None:
        found["relaxed"] = _relaxed(found["relaxed"])
    if found["resources"] is not None and found["future"] is None:
        raise TypeError(f"{kind.__name__}: `resources` belongs to `future`, which is missing")
    found["minimize"] = _SENSES.get(_value(problem, "sense", "maximize"))
    if found["minimize"] is None:
        sense = _value(problem, "sense", "maximize")
        raise ValueError(f'sense of {kind.__name__}: expected "maximize" or "minimize", got {_arguments.shown(sense)}')
    reference = _value(problem, "reference", None)
    try:
        found["reference"] = None if reference is None else float(reference)
    except (TypeError, ValueError):
        raise TypeError(f"reference of {kind.__name__}: expected a number, got {_arguments.shown(reference)}") from None
    found["complete"] = bool(_value(problem, "complete", True))
    size = _value(problem, "state_bytes", Problem.state_bytes)
    found["state_bytes"] = _arguments.count(f"state_bytes of {kind.__name__}", size)
    found["blocked"] = BLOCKED
    found["random"] = random.Random
    found["unread"] = unread(problem, Problem, found, _OPTIONAL)
    return found


#: The problems that `check` has found nothing wrong with.
_checked = ById()


def was_checked(problem: object) -> bool:
    """Whether :func:`check` has passed an object; of one that takes no weak references, an object of its class."""
    return bool(_checked.get(problem) or _checked.get(type(problem)))


def _relaxed(relaxed: Callable[[list[int]], Any]) -> Callable[[list[int]], dict[str, Any] | None]:
    """Wraps the function for the compiled part, which takes the functions of what it returns."""

    def bound(kept: list[int]) -> dict[str, Any] | None:
        problem = relaxed(kept)
        return None if problem is None else functions(problem)

    return bound


def parts_of(problem: object) -> Callable[[Any], dict[str, float]] | None:
    """Returns the function of a problem that says what the score of a finished state consists of."""
    function = getattr(problem, "parts", None)
    if function is None or getattr(type(problem), "parts", None) is Problem.parts:
        return None

    def parts(state: Any) -> dict[str, float]:
        found = function(state)
        try:
            return {str(name): float(value) for name, value in found.items()}
        except (AttributeError, TypeError, ValueError):
            raise TypeError(f"parts must return a dict of numbers, it returned {_arguments.shown(found)}") from None

    return parts


def _value(problem: object, name: str, default: Any) -> Any:
    """Returns an attribute, or what it returns if it is a function."""
    value = getattr(problem, name, default)
    return value() if callable(value) else value


@dataclass(frozen=True)
class NextFunction:
    """The function that helps most of those that are missing."""

    name: str
    #: For which problems it is the next one.
    when: str
    #: What it is for.
    why: str
    #: What it has gained on problems of this kind at equal time, measured with problems in Rust.
    gain: str


@dataclass(frozen=True)
class Advice:
    """What a problem offers to searches, from random games."""

    #: Random games played.
    walks: int
    #: How many of them ended infeasibly.
    infeasible: int
    #: The optional functions that the problem has, with the methods that use them.
    supplied: dict[str, str]
    #: Those that it does not have.
    missing: dict[str, str]
    #: What solutions consist of, as far as the games show it.
    kind: str
    #: The function to write next; None: those that help most are there.
    next: NextFunction | None
    #: Of the states near a random game, the share that other moves lead to as well; None: states cannot be compared.
    equal_states: float | None = None
    #: Whether states are their own keys: where there is no ``key``, and equal states are met often enough.
    own_keys: bool = False
    #: Whether :func:`compiled` may run the class as machine code, as far as that is seen without numba.
    may_compile: bool = False
    #: What breaks no rule and may be a mistake, a line each.
    remarks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [*self.remarks]
        lines += [f"{self.infeasible} of {self.walks} random games end infeasibly", f"solutions are {self.kind}"]
        if self.equal_states is not None:
            own = ": they are their own keys" if self.own_keys else ""
            lines += [f"{self.equal_states:.0%} of the states near a random game are met again by other moves{own}"]
        if self.next:
            lines += [f"write next: {self.next.name}, {self.next.when} ({self.next.why})", f"measured gain: {self.next.gain}"]
        if self.may_compile:
            lines += [
                "states are numbers: @soloist.compiled may run the class as machine code, which played 5 (uct) to 20 (sampling) "
                "times as many games of a knapsack"
            ]
        for what, names in (("supplied", self.supplied), ("missing", self.missing)):
            lines += [f"{name} ({what}): {use}" for name, use in names.items()]
        return "\n".join(lines)


#: What Python problems have in place of what the Rust interface has.
_NAMES = {
    "rollouts": "candidates or playout",
    "dominance": "future",
    "ordering": "identity",
    "neighborhood": "difference",
}
#: The problems that a function is next for which helps any.
_ANY = "for any problem"
#: Functions of the Rust interface that Python problems do not have.
_FOREIGN = {"searches"}


def check(
    problem: Rules,
    walks: int = 20,
    seed: int = 0,
    max_moves: int | float = 1e6,
    time: float | datetime.timedelta = 30.0,
) -> Advice:
    """Plays random games and raises :class:`BrokenPromise` for the first rule that the problem breaks.

    Searches rely on these rules: states that are not changed, the same moves, codes and scores when asked twice,
    finite scores, bounds that no solution beats, keys that agree with the games, playouts of legal moves up to the
    end, games that end within ``max_moves`` and ``time`` seconds. States are compared with copies before and after ``apply``
    and at the end of the game. Call it in the tests of a problem. Returns which optional functions there are, which searches
    the missing ones would help, and which one to write next.

    After ``time`` seconds, and the call of a function that is at work, it ends: a warning then says that not all was
    checked. A name that looks like one of an optional function is a warning as well, and a remark of what is returned,
    as are moves that are listed twice.

    >>> class Bits(soloist.Problem):
    ...     def root(self): return ()
    ...     def moves(self, bits): return [0, 1] if len(bits) < 10 else []
    ...     def apply(self, bits, bit): return bits + (bit,)
    ...     def score(self, bits): return sum(bits)
    ...     def bound(self, bits): return 3
    >>> soloist.check(Bits())
    Traceback (most recent call last):
      ...
    soloist.BrokenPromise: the bound 3 is beaten by 4 after the moves []
    """
    from ._check import walk
    from ._numba import may_fit

    seed, games = _arguments.count("seed", seed, least=0, most=2**64 - 1), _arguments.count("walks", walks)
    most = _arguments.count("max_moves", max_moves)
    bound = functions(problem)
    limit = _arguments.seconds("time", time)
    begin = clock.monotonic()
    played, remarks = walk(bound, games, seed, most, limit)
    left = max(limit - (clock.monotonic() - begin), 0.05 * limit)
    found = _soloist.check_own(bound, games, seed, left)
    remarks = bound["unread"] + remarks
    if played < games or not found["is_whole"]:
        late = f"{bound['name']}: {limit:g} s were not enough for all checks of {games} games (time= allows more)"
        warn([late, *remarks])
        remarks = [late, *remarks]
    else:
        warn(remarks)
        if not _checked.set(problem, True):
            _checked.set(type(problem), True)
    knowledge = [one for one in found["knowledge"] if one[0] not in _FOREIGN]
    # What games have not shown in time is said by the class.
    whole = found["is_whole"]
    known = [(_NAMES.get(name, name), use, supplied or not whole and _has(bound, name)) for name, use, supplied in knowledge]
    states, again, is_often, own_keys = found["met"]
    following = _next(*found["next"]) if found["next"] else None
    if bound["difference"] is not None and bound["apply_exchange"] is None and (following is None or following.when == _ANY):
        following = NextFunction(
            "apply_exchange",
            "where there is `difference`",
            "edits that are accepted need no replay, and two places exchange their decisions",
            "a roster of 16 nurses and 28 days after 3 processor seconds, two seeds: 182 to 132 and 190 to 170",
        )
    if is_often and not own_keys and bound["key"] is None:
        following = NextFunction(
            "key",
            "where equal states are met",
            "beams, exact searches and trees with `transpositions` search each state once",
            f"{again} of {states} states near a random game are met again by other moves",
        )
    return Advice(
        walks=found["walks"],
        infeasible=found["infeasible"],
        supplied={name: use for name, use, supplied in known if supplied},
        missing={name: use for name, use, supplied in known if not supplied},
        kind=found["kind"],
        next=following,
        equal_states=again / states if states else None,
        own_keys=own_keys and bound["key"] is None,
        may_compile=may_fit(problem, bound),
        remarks=remarks,
    )


def _has(functions: Mapping[str, Any], name: str) -> bool:
    """Whether a class has what stands for a function of the Rust interface."""
    return any(functions.get(one) is not None for one in _NAMES.get(name, name).split(" or "))


def _next(name: str, when: str, why: str, gain: str) -> NextFunction:
    """Returns the advice in the terms of Python."""
    if name == "difference":
        why = "the change of the score by one decision for another: with it `anneal` needs no replays"
    return NextFunction(_NAMES.get(name, name), when, why, gain)
