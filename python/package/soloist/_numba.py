"""Functions of problems as machine code. Needs numba."""

from __future__ import annotations

import collections
import ctypes
import functools
import math
import random
import struct
from collections.abc import Callable
from typing import Any, TypeVar

from . import _arguments
from ._constants import ById, change, constants_of, helpers_of, names_of
from ._lint import noted
from ._infeasible import scored
from ._machine import Helpers, Lists, as_real, has_source, machine_code, method_of, prepared, writer_of
from ._prefix import Prefix
from ._problem import Problem, functions
from ._soloist import BrokenPromise, own_keys as _own_keys

Class = TypeVar("Class", bound=type)

#: The functions that can be compiled.
REQUIRED = ("moves", "apply", "score")
OPTIONAL = ("code", "bound", "potential", "key", "future", "difference", "apply_exchange")
#: Those that need the interpreter. `step` is what `apply` and `moves` are, which machine code calls at no cost.
NOT_COMPILED = ("bias", "identity", "find", "link", "suggest", "resources", "edit", "playout", "candidates")
#: Games that the compiled functions are compared on, and the moves of each.
GAMES, LENGTH = 8, 2000

#: The name of the mark of a class.
MARK = "__soloist_compiled__"
_known = ById()


def compiled(kind: Class) -> Class:
    """Lets :func:`soloist.solve` run the functions of a class as machine code, by numba.

    The class stays as it is; runs of its objects need the interpreter for callbacks alone, so that `threads` works too.
    The functions `root`, `moves`, `apply`, `score`, and where the class has them `code`, `bound`, `potential`, `key`,
    `future`, `difference` and `apply_exchange`, must be what numba compiles:

    - A state is a number or a tuple of numbers (nested tuples too). Its numbers keep their types: a sum that may become
      0.5 starts from 0.0.
    - A move is an int. `moves` returns a list, a tuple, a range or an array.
    - `self` has attributes that are numbers, arrays of numpy, or lists of numbers or of rows of numbers; they are
      constants of the code, as globals are. Methods and functions that are called are compiled as well. A list of rows in
      a global becomes a tuple.
    - `score` returns a number, `soloist.Infeasible(degree)` or a pair `hard, soft`.
    - Keys are numbers or tuples of numbers.

    The code is made in the first run of each object, which takes some seconds, and compared with the functions of
    Python in random games. A run after a change of an attribute, a global or a function makes it again. Integers have
    64 bits: sums that are larger wrap. A session, `check` and a pickled object use the functions of Python.

    An exception in the compiled code, such as an index out of range, ends the run: the function of Python is called
    for the same state and raises it.

    Raises:
        TypeError: not here, but in the first run: a function that numba cannot compile.

    >>> @soloist.compiled
    ... class Bits(soloist.Problem):
    ...     '''As many ones as possible in ten bits, without two ones side by side.'''
    ...     def root(self):
    ...         return (0, 0, 0)
    ...     def moves(self, state):
    ...         at, last, ones = state
    ...         if at == 10:
    ...             return []
    ...         return [0] if last else [0, 1]
    ...     def apply(self, state, bit):
    ...         return (state[0] + 1, bit, state[2] + bit)
    ...     def score(self, state):
    ...         return state[2]
    >>> soloist.solve(Bits(), method="nrpa", playouts=2000, seed=1).score  # doctest: +SKIP
    5.0
    """
    if not isinstance(kind, type):
        raise TypeError("soloist.compiled: expected a class")
    setattr(kind, MARK, True)
    return kind


def compiled_of(problem: Any) -> Compiled | None:
    """Returns the compiled functions of an object as it is now; `None` if its class is not marked."""
    if not getattr(type(problem), MARK, False):
        return None
    made: Compiled | None = _known.get(problem)
    if made is None or made.change(problem) is not None:
        made = Compiled(problem, made)
        # Objects that cannot be remembered are compiled in each run.
        _known.set(problem, made)
    return made


def may_fit(problem: Any, found: dict[str, Any]) -> bool:
    """Whether a class that is not marked has what :func:`compiled` takes, as far as that is seen without compiling it."""
    if getattr(type(problem), MARK, False) or not found["complete"] or found["reference"] is not None:
        return False
    if any(found.get(name) is not None for name in NOT_COMPILED):
        return False

    def wrong(what: str) -> TypeError:
        return TypeError(what)

    try:
        state = problem.root()
        shape = shape_of(state, wrong)
        sources = _sources(problem, found)
        every = [*sources.values(), *methods_of(type(problem), sources.values()).values()]
        attributes(problem, every, wrong)
        draw = random.Random(0)
        for played in range(LENGTH // 100):
            moves = list(found["moves"](state))
            if not moves:
                return played > 0 and all(has_source(one) for one in every)
            if not all(type(move) is int for move in moves):
                return False
            state = found["apply"](state, draw.choice(moves))
            # Lengths and types of states are fixed.
            if shape_of(state, wrong) != shape:
                return False
    except (ImportError, AttributeError, TypeError, ValueError):
        return False
    return all(has_source(one) for one in every)


def _sources(problem: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Returns the functions of a class that are compiled."""
    return {name: getattr(type(problem), name) for name in REQUIRED + OPTIONAL if found[name] is not None}


def _constants(problem: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Returns what the code depends on, in a form that can be compared."""
    sources = _sources(problem, found)
    names = ("minimize", "complete", "reference")
    rules: dict[str, Any] = {f"attribute `{name}`": found[name] for name in names}
    rules["functions of the class"] = sorted(name for name in found if callable(found[name]))
    sources |= methods_of(type(problem), sources.values())
    return rules | constants_of(problem, sources, lambda: named_attributes(problem, sources.values()))


def _code(constants: dict[str, Any]) -> dict[str, Any]:
    """Returns what the kernels hold: all but the attributes."""
    return {name: token for name, token in constants.items() if not name.startswith("attribute ")}


class Compiled:
    """The compiled functions of an object."""

    def __init__(self, problem: Any, before: Compiled | None = None) -> None:
        """`before`: what was compiled of the object, before something has changed."""
        try:
            import numba
        except ImportError:
            raise TypeError(f"{type(problem).__name__} is marked by soloist.compiled, and numba is not installed") from None
        found = functions(problem)
        self._kind = type(problem)
        self.name, self.minimize = found["name"], found["minimize"]
        # Before anything is compiled: what another thread changes meanwhile is seen.
        self._before = _constants(problem, found)
        others = sorted(name for name in NOT_COMPILED if found.get(name) is not None)
        if others:
            raise self._wrong(f"`{others[0]}` cannot be compiled; the functions are {', '.join(REQUIRED + OPTIONAL)}")
        if not found["complete"] or found["reference"] is not None:
            raise self._wrong("`complete` and `reference` need the functions of Python")
        root = problem.root()
        self._shape = shape_of(root, self._wrong)
        sources = _sources(problem, found)
        if "key" in sources and problem.key(root) is None:
            # It switches keys off.
            del sources["key"]
        every = [*sources.values(), *methods_of(type(problem), sources.values()).values()]
        me = attributes(problem, every, self._wrong)
        state = numba.typeof(self._rebuilt(self._words(root)))
        kinds: tuple[Any, Any] = (numba.typeof(me), state)
        is_same = before is not None and before._kinds == kinds and before._kernels.keys() == sources.keys()
        if is_same and before is not None and _code(before._before) == _code(self._before):
            # Only numbers have changed, which the kernels are given.
            made = (before._kernels, before._writer)
        else:
            made = self._compiled(sources, *kinds)
        self._kernels: dict[str, Any] = made[0]
        self._writer: Any = made[1]
        self._kinds: tuple[Any, Any] = kinds
        # Keys have any shape: that of the root's.
        first: dict[str, Any] = {name: getattr(problem, name)(root) for name in ("key", "future") if name in sources}
        keys = {name: found[0] if name == "future" else found for name, found in first.items()}
        self._keys = {name: shape_of(found, self._wrong, "key") for name, found in keys.items()}
        self._own_keys = "key" not in sources and _own_keys(found)
        self._callbacks = {name: self._callback(name, me) for name in sources}
        self._compare(problem, me)

    def _compiled(self, sources: dict[str, Any], me: Any, state: Any) -> tuple[dict[str, Any], Any]:
        """Compiles the functions for the types of `self` and of a state; returns them and the writer of moves."""
        import numba

        kernels: dict[str, Any] = {}
        helpers = Helpers(self._kind)
        for name, function in sources.items():
            kernel = machine_code(prepared(function, Lists() if name == "moves" else None, helpers))
            decision = numba.types.optional(numba.int64)
            more: dict[str, list[Any]] = {"apply": [numba.int64], "code": [numba.int64]}
            more |= dict.fromkeys(("difference", "apply_exchange"), [numba.int64, decision, decision])
            arguments = (me, state, *more.get(name, []))
            try:
                kernel.compile(arguments)
            except numba.core.errors.NumbaError as error:
                lines = [line for line in str(error).splitlines() if line.strip()]
                hint = "" if has_source(function) else "; its source is not at hand, write it to a file"
                raise self._wrong(f"numba cannot compile `{name}`: {' '.join(lines[1:2] or lines)}{hint}") from error
            kernels[name] = kernel
        for name in ("apply", "apply_exchange"):
            kernel = kernels.get(name)
            returned = kernel.nopython_signatures[0].return_type if kernel else state
            if returned != state:
                raise self._wrong(f"`{name}` returns {returned}, the root is {state}: each number keeps its type")
        return kernels, writer_of(sources["moves"], (me, state), helpers)

    def change(self, problem: Any) -> str | None:
        """Says what has changed of what the code was made of; None: nothing."""
        try:
            is_other = shape_of(problem.root(), self._wrong) != self._shape
        except TypeError:
            is_other = True
        return "the state that `root` returns" if is_other else change(self._before, _constants(problem, functions(problem)))

    def stayed(self, problem: Any, error: Exception | None = None) -> None:
        """Raises an error where something has changed during a run."""
        changed = self.change(problem)
        if changed is not None:
            raise BrokenPromise(f"{self.name}: {changed} has changed during the run, whose code holds it") from error

    def _wrong(self, what: str) -> TypeError:
        return TypeError(f"{self.name}: {what}")

    def spec(self, problem: Any, behind: Prefix | None = None) -> dict[str, Any]:
        """Returns what the compiled part is given: the problem, or what is left of it behind a prefix."""
        root = self._words(behind.state if behind else problem.root())
        addresses = {name: None for name in OPTIONAL} | {name: one.address for name, one in self._callbacks.items()}
        before = len(behind.moves) if behind else 0
        return {
            "name": self.name,
            "root": root,
            "minimize": self.minimize,
            "before": before,
            "addresses": addresses,
            "key_words": [len(leaves(self._keys.get(name, "i"))) for name in ("key", "future")],
            "own_keys": self._own_keys,
            "failed": lambda name, words, arguments: self._failed(problem, name, words, arguments),
        }

    def _failed(self, problem: Any, name: str, words: list[int], arguments: list[Any]) -> None:
        """Raises what a function raises for a state for which its code has failed."""
        state = self._rebuilt(words)
        where = f"in `{name}`, for the state {_arguments.shown(state)}"
        where += f" and {', '.join(map(repr, arguments))}" if arguments else ""
        try:
            returned = getattr(problem, name)(state, *arguments)
            returned = list(returned) if name == "moves" else returned
        except Exception as error:
            noted(error, where)
            raise
        raise BrokenPromise(
            f"{self.name}: the compiled `{name}` raises an exception {where[len(f'in `{name}`, '):]}, "
            f"and that of Python returns {_arguments.shown(returned)}"
        )

    def _words(self, state: Any) -> list[int]:
        """Returns the numbers of a state as words."""
        words = []
        for kind, value in zip(leaves(self._shape), numbers(state), strict=True):
            [word] = struct.unpack("=Q", struct.pack("=q", int(value)) if kind == "i" else struct.pack("=d", value))
            words.append(word)
        return words

    def _rebuilt(self, words: list[int]) -> Any:
        """Returns a state with the types that the code has."""
        values: list[Any] = []
        for kind, word in zip(leaves(self._shape), words, strict=True):
            values += struct.unpack("=q" if kind == "i" else "=d", struct.pack("=Q", word))
        rest = iter(values)

        def build(shape: Any) -> Any:
            return tuple(build(part) for part in shape) if isinstance(shape, tuple) else next(rest)

        return build(self._shape)

    def _compare(self, problem: Any, me: Any) -> None:
        """Plays random games by both functions."""
        for game in range(GAMES):
            played: list[int] = []
            try:
                self._play(problem, me, random.Random(game), played)
            except BrokenPromise:
                raise
            except Exception as error:
                noted(error, f"in a random game, after the moves {_arguments.shown(played)}")
                raise

    def _play(self, problem: Any, me: Any, draw: random.Random, played: list[int]) -> None:
        state = problem.root()
        listed: list[list[int]] = []
        for _ in range(LENGTH):
            exact = self._rebuilt(self._words(state))

            def same(name: str, theirs: Any, *arguments: Any, shown: Callable[[Any], Any] = lambda value: value) -> None:
                self._same(name, lambda: shown(self._kernels[name](me, exact, *arguments)), theirs, played)

            moves = list(problem.moves(state))
            same("moves", moves, shown=lambda moves: [int(move) for move in moves])
            self._same("moves", lambda: self._moves_written(self._words(state), len(moves)), moves, played)
            for name in ("bound", "potential", "key", "future"):
                if name in self._kernels:
                    same(name, getattr(problem, name)(state))
            if not moves:
                self._compare_exchanges(problem, me, state, played, listed, draw)
                same("score", split(scored(problem.score, state)), shown=split)
                return
            move = draw.choice(moves)
            listed.append(moves)
            if "code" in self._kernels:
                same("code", problem.code(state, move), move)
            after = problem.apply(state, move)
            played.append(move)
            same("apply", after, move)
            state = after

    def _moves_written(self, words: list[int], room: int) -> list[int]:
        """Returns the moves as searches get them: at most `room`, and a number more where there are others."""
        call = self._callbacks["moves"].ctypes
        state, to = (ctypes.c_uint64 * len(words))(*words), (ctypes.c_int64 * max(room, 1))()
        count = call(ctypes.cast(state, call.argtypes[0]), ctypes.cast(to, call.argtypes[1]), room)
        return list(to[: min(count, room)]) + [0] * (count - room)

    def _compare_exchanges(
        self, problem: Any, me: Any, state: Any, played: list[int], listed: list[list[int]], draw: random.Random
    ) -> None:
        """Exchanges decisions of a finished solution by both functions."""
        if "difference" not in self._kernels:
            return
        exact = self._rebuilt(self._words(state))
        for _ in range(LENGTH // 100):
            place = draw.randrange(len(played) + 1)
            old = played[place] if place < len(played) else None
            new = draw.choice([None, *(listed[place] if place < len(played) else problem.moves(problem.root()))])
            if old == new:
                continue
            change = problem.difference(state, place, old, new)
            what = [*played, ("exchange", place, old, new)]
            self._same("difference", lambda: self._kernels["difference"](me, exact, place, old, new), change, what)
            if change is not None and "apply_exchange" in self._kernels:
                after = problem.apply_exchange(state, place, old, new)
                self._same("apply_exchange", lambda: self._kernels["apply_exchange"](me, exact, place, old, new), after, what)

    def _same(self, name: str, ours: Callable[[], Any], theirs: Any, played: list[Any]) -> None:
        try:
            value = ours()
            if alike(value, theirs):
                return
            what = f"returns {value!r}"
        except Exception as raised:
            what = f"raises {type(raised).__name__}: {raised}"
        error = BrokenPromise(
            f"{self.name}: the compiled `{name}` {what} and that of Python returns {theirs!r} "
            f"after the moves {_arguments.shown(played)}"
        )
        error.moves = list(played)
        raise error

    def _callback(self, name: str, me: Any) -> Any:
        """Returns a C function of the words of a state."""
        import numba

        places = iter(range(len(self._root_kinds)))

        def read(shape: Any) -> str:
            if isinstance(shape, tuple):
                return "(" + "".join(read(part) + ", " for part in shape) + ")"
            return f"{'whole' if shape == 'i' else 'real'}[{next(places)}]"

        def write(shape: Any, value: str, lines: list[str], place: list[int]) -> list[str]:
            if isinstance(shape, tuple):
                for at, part in enumerate(shape):
                    write(part, f"{value}[{at}]", lines, place)
            else:
                lines.append(f"    {'whole_to' if shape == 'i' else 'real_to'}[{place[0]}] = {value}")
                place[0] += 1
            return lines

        state, out = "CPointer(int64)", "CPointer(float64)"
        signatures = {
            "moves": (f"int64({state}, {state}, int64)", "state, to, room"),
            "apply": (f"int64({state}, int64, {state})", "state, move, to"),
            "score": (f"int64({state}, {out})", "state, to"),
            "code": (f"int64({state}, int64, {state})", "state, move, to"),
            "bound": (f"int64({state}, {out})", "state, to"),
            "potential": (f"int64({state}, {out})", "state, to"),
            "key": (f"int64({state}, {state})", "state, to"),
            "future": (f"int64({state}, {state}, {out})", "state, to, cost"),
            "difference": (f"int64({state}, int64, int64, int64, int64, {out})", "state, place, given, old, new, to"),
            "apply_exchange": (f"int64({state}, int64, int64, int64, int64, {state})", "state, place, given, old, new, to"),
        }
        signature, arguments = signatures[name]
        count = len(self._root_kinds)
        last = ", place, before, behind" if "place" in arguments else ", move" if "move" in arguments else ""
        call = f"kernel(me, {read(self._shape)}{last})"
        # What is called comes first: an exception leaves what is written as it was.
        called, after = f"found = {call}", []
        if name == "moves" and self._writer is not None:
            called, after = f"found = {call[:-1]}, to, room)", ["return found"]
        elif name == "moves":
            after = ["count = 0", "for move in found:", "    if count < room:", "        to[count] = move"]
            after += ["    count += 1", "return count"]
        elif name == "difference":
            after = ["to[0] = nan if found is None else found"]
        elif name in ("apply", "apply_exchange"):
            after = [f"whole_to = carray(to, {count})", f"real_to = carray(as_real(to), {count})"]
            after += [line.strip() for line in write(self._shape, "found", [], [0])]
        elif name in ("key", "future"):
            shape = self._keys[name]
            after = [f"whole_to = carray(to, {len(leaves(shape))})", f"real_to = carray(as_real(to), {len(leaves(shape))})"]
            after += [line.strip() for line in write(shape, "found" if name == "key" else "found[0]", [], [0])]
            after += ["cost[0] = found[1]"] if name == "future" else []
        elif name == "score":
            called, after = f"found = complex({call})", ["to[0] = found.real", "to[1] = found.imag"]
        else:
            after = ["to[0] = found"]
        lines = [f"def callback({arguments}):", f"    whole = carray(state, {count})"]
        lines.append(f"    real = carray(as_real(state), {count})")
        if last.endswith("behind"):
            # `given` has a bit for each decision that there is.
            lines += ["    before = None", "    if given & 1:", "        before = old"]
            lines += ["    behind = None", "    if given & 2:", "        behind = new"]
        lines += ["    try:", f"        {called}", "    except Exception:", "        return -1"]
        lines += [f"    {line}" for line in after]
        if name != "moves":
            lines.append("    return 0")
        kernel = self._writer if name == "moves" and self._writer is not None else self._kernels[name]
        names = {"carray": numba.carray, "kernel": kernel, "me": me, "as_real": as_real(), "nan": math.nan}
        exec("\n".join(lines), names)
        return numba.cfunc(signature)(names["callback"])

    @property
    def _root_kinds(self) -> list[str]:
        return leaves(self._shape)


def shape_of(state: Any, wrong: Callable[[str], TypeError], what: str = "state") -> Any:
    """Returns the shape of a state or a key: "i" for an integer, "f" for a float, tuples of these."""
    if isinstance(state, tuple):
        return tuple(shape_of(part, wrong, what) for part in state)
    if isinstance(state, float):
        return "f"
    try:
        state.__index__()
    except AttributeError:
        raise wrong(f"a compiled {what} is a number or a tuple of numbers, got {type(state).__name__}") from None
    return "i"


def leaves(shape: Any) -> list[str]:
    """Returns the kinds of the numbers of a shape in their order."""
    return [kind for part in shape for kind in leaves(part)] if isinstance(shape, tuple) else [shape]


def numbers(state: Any) -> list[Any]:
    """Returns the numbers of a state in their order."""
    return [number for part in state for number in numbers(part)] if isinstance(state, tuple) else [state]


def split(score: Any) -> tuple[float, float]:
    """Returns a score of either kind of function as a value and a degree of infeasibility."""
    if isinstance(score, complex):
        return (score.real, 0.0) if score.real == score.real else (0.0, score.imag)
    return (score[0] or 0.0, score[1] or 0.0) if isinstance(score, tuple) else (float(score), 0.0)


def alike(ours: Any, theirs: Any) -> bool:
    """Whether two values are equal; floats may differ by what another library rounds."""
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(alike(*pair) for pair in zip(ours, theirs))
    if isinstance(ours, float) or isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12) or (ours != ours and theirs != theirs)
    return bool(ours == theirs)


def named_attributes(problem: Any, sources: Any) -> dict[str, Any]:
    """Returns the attributes that functions name, those that they call included."""
    names: set[str] = set()
    for function in [*sources, *helpers_of(sources)]:
        names |= names_of(function)
    names = {name for name in names if not name.startswith("__") and hasattr(problem, name)}
    names = {name for name in names if method_of(type(problem), name) is None or name in vars(problem)}
    return {name: getattr(problem, name) for name in sorted(names)}


def methods_of(kind: type, sources: Any) -> dict[str, Any]:
    """Returns the methods that functions name, directly or through each other."""
    found: dict[str, Any] = {}
    waiting = list(sources)
    while waiting:
        for name in names_of(waiting.pop()):
            method = method_of(kind, name)
            if method is not None and name not in found and not name.startswith("__"):
                found[name] = method[0]
                waiting.append(method[0])
    return found


def attributes(problem: Any, sources: Any, wrong: Callable[[str], TypeError]) -> Any:
    """Returns the attributes that functions name, as a named tuple of constants."""
    import numpy

    found: dict[str, Any] = {}
    direct = {name for function in sources for name in names_of(function)}
    for name, value in named_attributes(problem, sources).items():
        if callable(value):
            if name not in direct:
                continue
            raise wrong(f"`{name}` is callable and no function of the class: compiled functions cannot call it")
        if isinstance(value, (list, tuple)) and value:
            value = numpy.array(value)
            if value.dtype.kind not in "iufb":
                raise wrong(f"`{name}` is no list of numbers or of rows of numbers")
        found[name] = value
    # A tuple without fields has no type of its own in numba.
    return _fields(tuple(found or ["nothing"]))(*(found.values() or [0]))


@functools.lru_cache(1000)
def _fields(names: tuple[str, ...]) -> Any:
    """Returns the named tuple of some attributes: numba knows its class as a type."""
    return collections.namedtuple("Self", names)


def finished(problem: Problem[Any, Any], name: str, before: list[int]) -> Callable[[list[int], float | None, float | None], Any]:
    """Returns the function that plays the moves of a solution by the functions of Python, and compares the score. The run
    began behind the moves `before`."""

    def end(moves: list[int], value: float | None, violation: float | None) -> Any:
        state = problem.root()
        for place, move in enumerate(before + moves):
            if move not in list(problem.moves(state)):
                raise BrokenPromise(f"{name}: the compiled functions play {move} at step {place}, which is not legal")
            state = problem.apply(state, move)
        score = split(scored(problem.score, state))
        if list(problem.moves(state)) or not alike(score, (value or 0.0, violation or 0.0)):
            raise BrokenPromise(f"{name}: the compiled functions score {value}, those of Python {score[0]}, for {moves}")
        return state

    return end
