"""Random games that look for mistakes that Python makes easy: states that share parts, playouts against the rules."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import random
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _soloist
from ._infeasible import Infeasible, scored
from ._lint import noted

#: Steps of a game at which states are compared with copies.
_STEPS = 64
#: Moves after which a game that has not ended in time may be one without end.
_MANY = 1000
#: A state that lists as many moves lists them without an end.
_ENDLESS = 5_000_000
#: Moves that are listed between two looks at the clock.
_SOME = 100_000
#: Edits of each game that are compared with scores.
_EDITS = 4
#: Moves that a message shows.
_SHOWN = 20


class _Copy:
    """What a state was, compared with what it is."""

    def __init__(self, state: Any) -> None:
        self.state = state
        self.copy: Any = None
        self.text: bytes | str | None = None
        #: How the copy is compared; None: by the text.
        self.alike: Callable[[Any, Any], bool] | None = None
        try:
            self.copy = copy.deepcopy(state)
        except Exception:
            pass
        else:
            # Objects without a comparison of their own differ from their copies.
            for alike in (_equal, _alike):
                if alike(self.copy, state) and alike(copy.deepcopy(state), self.copy):
                    self.alike = alike
                    return
        self.text = _written(state)

    def differs(self) -> bool:
        """Whether the state is no more what it was."""
        if self.alike is not None:
            return not self.alike(self.copy, self.state)
        return self.text is not None and _written(self.state) != self.text

    def where(self) -> str:
        """Says which part has changed, as far as that can be seen."""
        found = _difference(self.copy, self.state, "state", 0) if self.copy is not None else None
        return "" if found is None else f": {found}"


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:
        return False


def _alike(a: Any, b: Any, depth: int = 0) -> bool:
    """Whether two objects have equal parts."""
    if a is b or _equal(a, b):
        return True
    if depth > 50 or type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_alike(x, y, depth + 1) for x, y in zip(a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(_alike(a[key], b[key], depth + 1) for key in a)
    if hasattr(a, "dtype"):
        return _written(a) == _written(b)
    parts, others = _parts(a), _parts(b)
    if not parts or parts.keys() != others.keys():
        return False
    return all(_alike(x, others[key], depth + 1) for key, x in parts.items())


def _parts(value: Any) -> dict[str, Any]:
    """Returns the attributes of an object by name."""
    parts = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name) and name not in ("__dict__", "__weakref__"):
                parts[name] = getattr(value, name)
    return parts


def _written(state: Any) -> bytes | str | None:
    try:
        return pickle.dumps(state)
    except Exception:
        text = repr(state)
        # The default of a class shows an address and nothing else.
        return None if " object at 0x" in text else text


def _difference(old: Any, new: Any, name: str, depth: int) -> str | None:
    """Returns the innermost container that differs, with its place."""
    try:
        if depth > 20 or type(old) is not type(new):
            return None
        parts: Iterable[tuple[str, Any, Any]] = ()
        if isinstance(old, (list, tuple)) and len(old) == len(new):
            parts = ((f"{name}[{at}]", a, b) for at, (a, b) in enumerate(zip(old, new)))
        elif isinstance(old, dict) and list(old) == list(new):
            parts = ((f"{name}[{key!r}]", old[key], new[key]) for key in old)
        elif _parts(old) and _parts(old).keys() == _parts(new).keys():
            others = _parts(new)
            parts = ((f"{name}.{key}", value, others[key]) for key, value in _parts(old).items())
        for inner, a, b in parts:
            found = _difference(a, b, inner, depth + 1)
            if found is not None:
                return found
        if isinstance(old, (list, dict, set, bytearray)) or _parts(old) or hasattr(old, "dtype"):
            if not _alike(old, new):
                return f"the {type(old).__name__} at {name} is shared with the new state"
    except Exception:
        pass
    return None


class _Late(Exception):
    """The time is over in a game of so many moves, which may be slow and not endless."""


class _Walk:
    """A random game that is looked at closely."""

    def __init__(self, functions: Mapping[str, Any], rng: random.Random, max_moves: int, seconds: float) -> None:
        self.functions = functions
        self.rng = rng
        self.max_moves = max_moves
        self.seconds = seconds
        self.end = time.monotonic() + seconds
        self.played: list[Any] = []
        self.state: Any = None
        #: What is no broken rule and may be a mistake.
        self.remarks: list[str] = []

    def broken(self, what: str) -> _soloist.BrokenPromise:
        """Returns the error of a broken rule, found after the moves played."""
        shown = ", ".join(repr(move) for move in self.played[:_SHOWN])
        dots = ", ..." if len(self.played) > _SHOWN else ""
        error = _soloist.BrokenPromise(f"{what} (after the moves [{shown}{dots}])")
        error.moves = list(self.played)
        return error

    def call(self, name: str, *arguments: Any) -> Any:
        try:
            return self.functions[name](*arguments)
        except Infeasible as found:
            if name != "score":
                raise
            return found
        except Exception as error:
            noted(error, f"in `{name}`, after the moves {_short(self.played)}")
            raise

    def listed(self, name: str, state: Any) -> list[Any] | None:
        """Returns what a function lists; None: the compiled part does not accept it and says why."""
        return self.items(name, self.call(name, state))

    def items(self, name: str, found: Any) -> list[Any] | None:
        """Returns the moves of what a function returned; None as for `listed`."""
        if found is None or isinstance(found, (str, bytes, set, frozenset)):
            return None
        try:
            items = iter(found)
        except TypeError:
            return None
        # A generator may have no end.
        moves = list(itertools.islice(items, _SOME))
        while len(moves) % _SOME == 0 and (more := list(itertools.islice(items, _SOME))):
            moves += more
            if len(moves) >= _ENDLESS:
                raise self.broken(f"{name} has listed {len(moves)} moves: does it end?")
            if time.monotonic() > self.end:
                raise _Late(len(self.played))
        return moves

    def warm(self, state: Any, moves: list[Any]) -> None:
        """Asks everything once, so that what a state caches is there before it is copied."""
        for name in ("bound", "potential", "key", "future"):
            if self.functions[name] is not None:
                self.call(name, state)
        for name in ("code", "bias", "identity"):
            if self.functions[name] is not None:
                self.call(name, state, moves[0])

    def play(self) -> None:
        state = self.call("root")
        if state is None:
            return
        kept: list[tuple[_Copy, int]] = []
        while True:
            self.limit()
            moves = self.listed("moves", state)
            if moves is None:
                return
            near = len(self.played) < _STEPS or len(self.played).bit_count() == 1
            if near:
                self.look(state, moves)
            if not moves:
                break
            move = self.rng.choice(moves)
            if near:
                self.warm(state, moves)
                before = _Copy(state)
                next_state = self.call("apply", state, move)
                if before.differs():
                    raise self.broken(
                        f"apply changed its argument: return a new state and leave the old one as it is{before.where()}"
                    )
                kept.append((before, len(self.played)))
            else:
                next_state = self.call("apply", state, move)
            if next_state is None or next_state is state:
                # The compiled part says so.
                return
            state = next_state
            self.played.append(move)
        self.state = state
        if self.functions["edit"] is not None:
            self.edited()
        for before, at in kept:
            if before.differs():
                del self.played[at:]
                raise self.broken(
                    f"a state changed while the game went on from it: return new states from apply{before.where()}"
                )

    def limit(self) -> None:
        """Raises an error where the game is too long, by its moves or by the clock: states may grow with each move."""
        count = len(self.played)
        if count > self.max_moves:
            raise self.broken(f"a game of {self.max_moves} moves has not ended: do moves ever end? (max_moves= allows more)")
        if time.monotonic() > self.end:
            if count < _MANY:
                raise _Late(count)
            what = f"a game has not ended after {self.seconds:g} s and {count} moves: do moves ever end? (time= allows more)"
            raise self.broken(what)

    def look(self, state: Any, moves: list[Any]) -> None:
        """Looks at what is asked of a state."""
        again = self.listed("moves", state)
        self.twice(moves)
        self.unordered(state, moves)
        if again is not None and not _same(again, moves):
            raise self.broken(f"moves returned {_short(moves)} and then {_short(again)} for the same state")
        if not moves and not _same(self.call("score", state), self.call("score", state)):
            raise self.broken("score returned two different values for the same state")
        if self.functions["step"] is not None and moves:
            self.stepped(state, self.rng.choice(moves))
        if self.functions["candidates"] is not None:
            candidates = self.listed("candidates", state)
            if candidates is not None:
                legal = _set(moves)
                for move in candidates:
                    if move not in legal:
                        raise self.broken(f"candidates returned {move!r}, which is not legal")
                if moves and not candidates:
                    raise self.broken("candidates returned nothing where moves are legal")
        if self.functions["playout"] is not None:
            self.complete(state)

    def stepped(self, state: Any, move: Any) -> None:
        """Compares what `step` returns with `apply` and `moves`."""
        found = self.call("step", state, move)
        if not (isinstance(found, tuple) and len(found) == 2):
            # The compiled part says so.
            return
        after = self.call("apply", state, move)
        if not _alike(found[0], after):
            raise self.broken(f"step returned another state than apply for the move {move!r}")
        listed, moves = self.items("step", found[1]), self.listed("moves", after)
        if listed is not None and moves is not None and not _same(listed, moves):
            raise self.broken(f"step returned the moves {_short(listed)}, and moves {_short(moves)}, after the move {move!r}")

    def edited(self) -> None:
        """Compares the changes of a few edits with scores."""
        before, old = list(self.played), scored(self.functions["score"], self.state)[0]
        if old is None:
            return
        for _ in range(_EDITS):
            given = list(before)
            copied = _Copy(given)
            found = self.call("edit", given, random.Random(self.rng.getrandbits(32)))
            if copied.differs():
                raise self.broken("edit changed the moves that it was given: leave them as they are and return a new list")
            if not (isinstance(found, tuple) and len(found) == 2):
                # None, or the compiled part says so.
                continue
            change, new = found[0], list(found[1])
            state, self.played = self.call("root"), []
            for move in new:
                if move not in (self.listed("moves", state) or []):
                    raise self.broken(f"edit makes {_short(new)} of {_short(before)}: {move!r} is not legal")
                state = self.call("apply", state, move)
                self.played.append(move)
            if self.listed("moves", state):
                raise self.broken(f"edit makes {_short(new)} of {_short(before)}, which is not finished")
            value = scored(self.functions["score"], state)[0]
            if value is None:
                raise self.broken(f"edit makes {_short(new)} of {_short(before)}, which breaks constraints")
            if not math.isclose(value - old, change, rel_tol=1e-6, abs_tol=1e-6 * (1 + abs(old))):
                raise self.broken(f"edit returned the change {change!r}, and the scores are {old} and {value}")
            self.played = list(before)

    def twice(self, moves: list[Any]) -> None:
        """Notes a move that is listed twice."""
        if self.remarks or len(_set(moves)) == len(moves):
            return
        seen: list[Any] = []
        for move in moves:
            if move in seen:
                self.remarks.append(
                    f"`moves` lists {move!r} twice after the moves {_short(self.played)}: playouts draw it more often, "
                    "and systematic searches visit it twice"
                )
                return
            seen.append(move)

    def unordered(self, state: Any, moves: list[Any]) -> None:
        """Notes moves in the order of a set of texts, which differs from process to process."""
        for part in (state, *(state if isinstance(state, (tuple, list)) else _parts(state).values())):
            if isinstance(part, (set, frozenset)) and len(part) > 1 and moves == list(part):
                if any(isinstance(one, (str, bytes)) for one in part):
                    self.remarks.append(
                        "`moves` has the order of a set of texts, which differs from process to process: runs do not "
                        "repeat, and checkpoints are refused elsewhere; sort them"
                    )
                    return

    def complete(self, state: Any) -> None:
        """Follows a playout of the problem."""
        rng = random.Random(self.rng.getrandbits(64))
        found = self.call("playout", state, rng)
        if found is None or isinstance(found, (str, bytes)):
            return
        begin = len(self.played)
        for move in found:
            legal = self.listed("moves", state)
            if legal is None:
                return
            if not legal:
                raise self.broken(f"playout continues with {move!r} where the game is finished")
            if move not in legal:
                raise self.broken(f"playout returned move {len(self.played) - begin}, {move!r}, which is not legal")
            state = self.call("apply", state, move)
            self.played.append(move)
            self.limit()
        rest = self.listed("moves", state)
        if rest:
            raise self.broken(f"playout stopped before the end of the game: {_short(rest)} are legal")
        del self.played[begin:]


def _short(moves: list[Any]) -> str:
    dots = ", ..." if len(moves) > _SHOWN else ""
    return f"[{', '.join(repr(move) for move in moves[:_SHOWN])}{dots}]"


def _set(moves: list[Any]) -> Any:
    """Returns the moves in a form that finds one fast, if they can be hashed."""
    try:
        return set(moves)
    except TypeError:
        return moves


def _same(a: Any, b: Any) -> bool:
    """Whether two answers are equal, as far as they can be compared."""
    try:
        return bool(a == b) or a != a
    except Exception:
        return True


def walk(functions: Mapping[str, Any], walks: int, seed: int, max_moves: int, seconds: float) -> tuple[int, list[str]]:
    """Plays random games and raises :class:`BrokenPromise` for the first broken rule.

    Returns how many games there were in a third of the time, at least one, and what may be a mistake.
    """
    rng = random.Random(seed)
    end = time.monotonic() + seconds / 3
    remarks: list[str] = []
    ends: list[tuple[int, Any]] = []
    for game in range(walks):
        one = _Walk(functions, rng, max_moves, seconds)
        try:
            one.play()
        except _Late as late:
            return game, [*remarks, f"a game of {late.args[0]} moves had not ended when the time was over"]
        remarks += [remark for remark in one.remarks if remark not in remarks]
        if one.state is not None and time.monotonic() < end:
            ends.append((len(one.played), one.call("score", one.state)))
        if time.monotonic() >= end:
            return game + 1, remarks
    return walks, remarks + _short_games(ends, functions["minimize"])


def _short_games(ends: list[tuple[int, Any]], is_minimize: bool) -> list[str]:
    """Says where much shorter games than others have the best scores: they may be dead ends, and no solutions."""
    scored = []
    for length, score in ends:
        try:
            hard, soft = score if isinstance(score, tuple) else (0, score)
            if not hard:
                scored.append((length, float(soft)))
        except (TypeError, ValueError):
            # Infeasible.
            pass
    if len(scored) < 5:
        return []
    longest = max(length for length, _ in scored)
    best = (min if is_minimize else max)(score for _, score in scored)
    lengths = [length for length, score in scored if score == best]
    if longest < 4 or max(lengths) > longest // 2:
        return []
    return [
        f"games end after {min(length for length, _ in scored)} to {longest} moves, and the best score, {best:g}, is one "
        f"of {max(lengths)} moves: is every end a solution? Return soloist.Infeasible(degree) for one that is not"
    ]
