"""Functions of problems as machine code. Needs numba."""

from __future__ import annotations

import ast
import collections
import ctypes
import inspect
import math
import random
import struct
import textwrap
import types
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from ._prefix import Prefix
from ._problem import Problem, functions
from ._soloist import BrokenPromise

Class = TypeVar("Class", bound=type)

#: The functions that can be compiled.
REQUIRED = ("moves", "apply", "score")
OPTIONAL = ("code", "bound", "potential", "key", "difference", "apply_exchange")
#: Games that the compiled functions are compared on, and the moves of each.
GAMES, LENGTH = 8, 2000

#: The name of the mark of a class.
MARK = "__soloist_compiled__"
_known: weakref.WeakKeyDictionary[Any, Compiled] = weakref.WeakKeyDictionary()


def compiled(kind: Class) -> Class:
    """Lets :func:`soloist.solve` run the functions of a class as machine code, by numba.

    The class stays as it is; runs of its objects need the interpreter for callbacks alone, so that `threads` works too.
    The functions `root`, `moves`, `apply`, `score`, and where the class has them `code`, `bound`, `potential`, `key`,
    `difference` and `apply_exchange`, must be what numba compiles:

    - A state is a number or a tuple of numbers (nested tuples too). Its numbers keep their types: a sum that may become
      0.5 starts from 0.0.
    - A move is an int. `moves` returns a list, a tuple, a range or an array.
    - `self` has attributes that are numbers, arrays of numpy, or lists of numbers or of rows of numbers; they are
      constants of the code. Methods are not called.
    - `score` returns a number or `soloist.Infeasible(degree)`.

    The code is made in the first run of each object, which takes some seconds, and compared with the functions of
    Python in random games. A session, `check` and a pickled object use the functions of Python.

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
    """Returns the compiled functions of an object; `None` if its class is not marked."""
    if not getattr(type(problem), MARK, False):
        return None
    try:
        return _known[problem]
    except (KeyError, TypeError):
        made = Compiled(problem)
    try:
        _known[problem] = made
    except TypeError:
        # Objects that cannot be keys are compiled in each run.
        pass
    return made


class Compiled:
    """The compiled functions of an object."""

    def __init__(self, problem: Any) -> None:
        try:
            import numba
        except ImportError:
            raise TypeError(f"{type(problem).__name__} is marked by soloist.compiled, and numba is not installed") from None
        found = functions(problem)
        self.name, self.minimize = found["name"], found["minimize"]
        others = sorted(
            name
            for name in ("bias", "identity", "find", "link", "suggest", "future", "resources", "playout", "candidates")
            if found.get(name) is not None
        )
        if others:
            raise self._wrong(f"`{others[0]}` cannot be compiled; the functions are {', '.join(REQUIRED + OPTIONAL)}")
        if not found["complete"] or found["reference"] is not None:
            raise self._wrong("`complete` and `reference` need the functions of Python")
        names = [name for name in REQUIRED + OPTIONAL if found[name] is not None]
        root = problem.root()
        self._shape = shape_of(root, self._wrong)
        sources = {name: getattr(type(problem), name) for name in names}
        me = attributes(problem, sources.values(), self._wrong)
        state = numba.typeof(self._rebuilt(self._words(root)))
        self._kernels: dict[str, Any] = {}
        for name, function in sources.items():
            kernel = numba.njit(prepared(function, _Lists() if name == "moves" else None))
            decision = numba.types.optional(numba.int64)
            more: dict[str, list[Any]] = {"apply": [numba.int64], "code": [numba.int64]}
            more |= dict.fromkeys(("difference", "apply_exchange"), [numba.int64, decision, decision])
            arguments = (numba.typeof(me), state, *more.get(name, []))
            try:
                kernel.compile(arguments)
            except numba.core.errors.NumbaError as error:
                lines = [line for line in str(error).splitlines() if line.strip()]
                hint = "" if has_source(function) else "; its source is not at hand, write it to a file"
                raise self._wrong(f"numba cannot compile `{name}`: {' '.join(lines[1:2] or lines)}{hint}") from error
            self._kernels[name] = kernel
        for name in ("apply", "apply_exchange"):
            kernel = self._kernels.get(name)
            returned = kernel.nopython_signatures[0].return_type if kernel else state
            if returned != state:
                raise self._wrong(f"`{name}` returns {returned}, the root is {state}: each number keeps its type")
        self._writer = writer_of(sources["moves"], (numba.typeof(me), state))
        self._callbacks = {name: self._callback(name, me) for name in names}
        self._root = self._words(root)
        self._compare(problem, me)

    def _wrong(self, what: str) -> TypeError:
        return TypeError(f"{self.name}: {what}")

    def spec(self, behind: Prefix | None = None) -> dict[str, Any]:
        """Returns what the compiled part is given: the problem, or what is left of it behind a prefix."""
        root = self._words(behind.state) if behind else self._root
        addresses = {name: None for name in OPTIONAL} | {name: one.address for name, one in self._callbacks.items()}
        before = len(behind.moves) if behind else 0
        return {
            "name": self.name,
            "root": root,
            "minimize": self.minimize,
            "before": before,
            "addresses": addresses,
        }

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
            draw = random.Random(game)
            state = problem.root()
            played: list[int] = []
            listed: list[list[int]] = []
            for _ in range(LENGTH):
                exact = self._rebuilt(self._words(state))
                moves = list(problem.moves(state))
                self._same("moves", [int(move) for move in self._kernels["moves"](me, exact)], moves, played)
                self._same("moves", self._moves_written(self._words(state), len(moves)), moves, played)
                for name in ("bound", "potential", "key"):
                    if name in self._kernels:
                        self._same(name, self._kernels[name](me, exact), getattr(problem, name)(state), played)
                if not moves:
                    self._compare_exchanges(problem, me, state, played, listed, draw)
                    self._same("score", split(self._kernels["score"](me, exact)), split(problem.score(state)), played)
                    break
                move = draw.choice(moves)
                listed.append(moves)
                if "code" in self._kernels:
                    self._same("code", self._kernels["code"](me, exact, move), problem.code(state, move), played)
                after = problem.apply(state, move)
                self._same("apply", self._kernels["apply"](me, exact, move), after, [*played, move])
                state, played = after, [*played, move]

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
            self._same("difference", self._kernels["difference"](me, exact, place, old, new), change, what)
            if change is not None and "apply_exchange" in self._kernels:
                after = problem.apply_exchange(state, place, old, new)
                self._same("apply_exchange", self._kernels["apply_exchange"](me, exact, place, old, new), after, what)

    def _same(self, name: str, ours: Any, theirs: Any, played: list[Any]) -> None:
        if alike(ours, theirs):
            return
        error = BrokenPromise(
            f"{self.name}: the compiled `{name}` returns {ours!r} and that of Python {theirs!r} after the moves {played}"
        )
        error.moves = played
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

        signatures = {
            "moves": ("int64(CPointer(int64), CPointer(int64), int64)", "state, to, room"),
            "apply": ("void(CPointer(int64), int64, CPointer(int64))", "state, move, to"),
            "score": ("void(CPointer(int64), CPointer(float64))", "state, to"),
            "code": ("int64(CPointer(int64), int64)", "state, move"),
            "bound": ("float64(CPointer(int64))", "state"),
            "potential": ("float64(CPointer(int64))", "state"),
            "key": ("int64(CPointer(int64))", "state"),
            "difference": ("float64(CPointer(int64), int64, int64, int64, int64)", "state, place, given, old, new"),
            "apply_exchange": ("void(CPointer(int64), int64, int64, int64, int64, CPointer(int64))", "state, place, given, old, new, to"),
        }
        signature, arguments = signatures[name]
        count = len(self._root_kinds)
        lines = [f"def callback({arguments}):", f"    whole = carray(state, {count})"]
        lines.append(f"    real = carray(as_real(state), {count})")
        last = ", place, before, behind" if "place" in arguments else ", move" if "move" in arguments else ""
        call = f"kernel(me, {read(self._shape)}{last})"
        if last.endswith("behind"):
            # `given` has a bit for each decision that there is.
            lines += ["    before = None", "    if given & 1:", "        before = old"]
            lines += ["    behind = None", "    if given & 2:", "        behind = new"]
        if name == "moves" and self._writer is not None:
            lines += [f"    return {call[:-1]}, to, room)"]
        elif name == "moves":
            lines += ["    count = 0", f"    for move in {call}:", "        if count < room:"]
            lines += ["            to[count] = move", "        count += 1", "    return count"]
        elif name == "difference":
            lines += [f"    change = {call}", "    return nan if change is None else change"]
        elif name in ("apply", "apply_exchange"):
            lines += [f"    after = {call}", f"    whole_to = carray(to, {count})"]
            lines += [f"    real_to = carray(as_real(to), {count})", *write(self._shape, "after", [], [0])]
        elif name == "score":
            lines += [f"    pair = complex({call})", "    to[0] = pair.real", "    to[1] = pair.imag"]
        else:
            lines += [f"    return {call}"]
        kernel = self._writer if name == "moves" and self._writer is not None else self._kernels[name]
        names = {"carray": numba.carray, "kernel": kernel, "me": me, "as_real": as_real(), "nan": math.nan}
        exec("\n".join(lines), names)
        return numba.cfunc(signature)(names["callback"])

    @property
    def _root_kinds(self) -> list[str]:
        return leaves(self._shape)


def shape_of(state: Any, wrong: Callable[[str], TypeError]) -> Any:
    """Returns the shape of a state: "i" for an integer, "f" for a float, tuples of these."""
    if isinstance(state, tuple):
        return tuple(shape_of(part, wrong) for part in state)
    if isinstance(state, float):
        return "f"
    try:
        state.__index__()
    except AttributeError:
        raise wrong(f"a compiled state is a number or a tuple of numbers, got {type(state).__name__}") from None
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
    degree = getattr(score, "degree", None)
    return (float(score), 0.0) if degree is None else (0.0, float(degree))


def alike(ours: Any, theirs: Any) -> bool:
    """Whether two values are equal; floats may differ by what another library rounds."""
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(alike(*pair) for pair in zip(ours, theirs))
    if isinstance(ours, float) or isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12) or (ours != ours and theirs != theirs)
    return bool(ours == theirs)


def attributes(problem: Any, sources: Any, wrong: Callable[[str], TypeError]) -> Any:
    """Returns the attributes that functions name, as a named tuple of constants."""
    import numpy

    names = sorted({name for function in sources for name in function.__code__.co_names})
    found: dict[str, Any] = {}
    for name in names:
        if name.startswith("__") or not hasattr(problem, name):
            continue
        value = getattr(problem, name)
        if callable(value):
            raise wrong(f"`{name}` is a method: compiled functions cannot call methods")
        if isinstance(value, (list, tuple)) and value:
            value = numpy.array(value)
            if value.dtype.kind not in "iufb":
                raise wrong(f"`{name}` is no list of numbers or of rows of numbers")
        found[name] = value
    # A tuple without fields has no type of its own in numba.
    return collections.namedtuple("Self", found or ["nothing"])(*(found.values() or [0]))


def writer_of(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Returns the compiled `moves` that writes its moves to a pointer, as far as there is room, and returns their number;
    None where numba takes only the one that returns them. A list would be allocated at each call."""
    import numba

    if not has_source(function):
        return None
    writer = numba.njit(prepared(function, _Writes()))
    try:
        writer.compile((*arguments, numba.types.CPointer(numba.int64), numba.int64))
    except numba.core.errors.NumbaError:
        return None
    return writer


def prepared(function: Any, change: ast.NodeTransformer | None) -> Any:
    """Returns a function whose source numba takes: `Infeasible` is a number, and the source is changed by `change`."""
    space = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        space[name] = cell.cell_contents
    for name, value in space.items():
        if isinstance(value, types.ModuleType) and value.__name__ == "soloist":
            space[name] = module()
        elif isinstance(value, type) and value.__name__ == "Infeasible":
            space[name] = module().Infeasible
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        # Without a source, as in `exec`, the function is taken as it is.
        return types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise TypeError(f"`{function.__name__}` is no function")
    definition.decorator_list, definition.returns = [], None
    for argument in definition.args.args + definition.args.posonlyargs:
        argument.annotation = None
    if change is not None:
        tree = ast.fix_missing_locations(change.visit(tree))
    exec(compile(tree, inspect.getsourcefile(function) or "<problem>", "exec"), space)
    return space[function.__name__]


def has_source(function: Any) -> bool:
    """Whether the source of a function can be read."""
    try:
        return bool(inspect.getsource(function))
    except (OSError, TypeError):
        return False


class _Lists(ast.NodeTransformer):
    """Makes lists of moves of what is returned, and gives empty ones a type."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is not None:
            node.value = self._list(node.value)
        return node

    def _list(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.IfExp):
            return ast.IfExp(node.test, self._list(node.body), self._list(node.orelse))
        if isinstance(node, (ast.List, ast.Tuple)):
            if node.elts:
                return ast.List(node.elts, ast.Load())
            return ast.parse("[0][:0]", mode="eval").body
        return node


class _Writes(ast.NodeTransformer):
    """Writes what is returned to a pointer, move by move, and returns the number of moves."""

    TO, ROOM, COUNT = "_soloist_to", "_soloist_room", "_soloist_count"

    def __init__(self) -> None:
        self.is_inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        # What functions inside the function return are no moves.
        if not self.is_inside:
            self.is_inside = True
            node.args.args += [ast.arg(self.TO), ast.arg(self.ROOM)]
            self.generic_visit(node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        value = ast.Tuple([], ast.Load()) if node.value is None else node.value
        number = ast.Return(ast.Name(self.COUNT, ast.Load()))
        return [*ast.parse(f"{self.COUNT} = 0").body, *self._written(value), number]

    def _written(self, value: ast.expr) -> list[ast.stmt]:
        if isinstance(value, ast.IfExp):
            return [ast.If(value.test, self._written(value.body), self._written(value.orelse))]
        if isinstance(value, (ast.List, ast.Tuple)) and not any(isinstance(one, ast.Starred) for one in value.elts):
            return [line for one in value.elts for line in self._move(one)] or [ast.Pass()]
        if isinstance(value, (ast.ListComp, ast.GeneratorExp)):
            lines = self._move(value.elt)
            for part in reversed(value.generators):
                for test in reversed(part.ifs):
                    lines = [ast.If(test, lines, [])]
                lines = [ast.For(part.target, part.iter, lines, [])]
            return lines
        move = f"{self.COUNT}_move"
        return [ast.For(ast.Name(move, ast.Store()), value, self._move(ast.Name(move, ast.Load())), [])]

    def _move(self, move: ast.expr) -> list[ast.stmt]:
        lines = ast.parse(f"if {self.COUNT} < {self.ROOM}: {self.TO}[{self.COUNT}] = 0\n{self.COUNT} += 1").body
        assert isinstance(lines[0], ast.If) and isinstance(lines[0].body[0], ast.Assign)
        lines[0].body[0].value = move
        return lines


_module: types.ModuleType | None = None


def module() -> types.ModuleType:
    """Returns what stands for this package inside compiled functions."""
    global _module
    if _module is None:
        import numba

        # Numbers and this unite to complex numbers.
        _module = types.ModuleType("soloist")
        _module.Infeasible = numba.njit(lambda degree=1.0: complex(float("nan"), degree))  # type: ignore[attr-defined]
    return _module


_as_real: Any = None


def as_real() -> Any:
    """Returns the compiled function that reads a pointer to integers as one to floats."""
    global _as_real
    if _as_real is None:
        import numba
        from numba.extending import intrinsic

        @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
        def cast(context: Any, pointer: Any) -> Any:
            target = numba.types.CPointer(numba.types.float64)

            def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return builder.bitcast(arguments[0], context.get_value_type(target))

            return target(pointer), code

        _as_real = numba.njit(lambda pointer: cast(pointer))
    return _as_real


def finished(problem: Problem[Any, Any], name: str, before: list[int]) -> Callable[[list[int], float | None, float | None], Any]:
    """Returns the function that plays the moves of a solution by the functions of Python, and compares the score. The run
    began behind the moves `before`."""

    def end(moves: list[int], value: float | None, violation: float | None) -> Any:
        state = problem.root()
        for place, move in enumerate(before + moves):
            if move not in list(problem.moves(state)):
                raise BrokenPromise(f"{name}: the compiled functions play {move} at step {place}, which is not legal")
            state = problem.apply(state, move)
        score = split(problem.score(state))
        if list(problem.moves(state)) or not alike(score, (value or 0.0, violation or 0.0)):
            raise BrokenPromise(f"{name}: the compiled functions score {value}, those of Python {score[0]}, for {moves}")
        return state

    return end
