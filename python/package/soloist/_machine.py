"""What numba takes of functions of problems: their source, a little changed. Needs numba."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Mapping
from typing import Any

from ._constants import read_by


def machine_code(function: Any) -> Any:
    """Returns the function that numba compiles. Indices are checked: one out of range would read what is there."""
    import numba

    return numba.njit(function, boundscheck=True)


def writer_of(function: Any, arguments: tuple[Any, ...], helpers: Helpers) -> Any:
    """Returns the compiled `moves` that writes its moves to a pointer, as far as there is room, and returns their number;
    None where numba takes only the one that returns them. A list would be allocated at each call."""
    import numba

    if not has_source(function):
        return None
    writer = machine_code(prepared(function, _Writes(), helpers))
    try:
        writer.compile((*arguments, numba.types.CPointer(numba.int64), numba.int64))
    except numba.core.errors.NumbaError:
        return None
    return writer


def prepared(function: Any, change: ast.NodeTransformer | None, helpers: Helpers) -> Any:
    """Returns a function whose source numba takes: `Infeasible` is a number, functions and methods that it calls are
    those of `helpers`, lists in globals are tuples or arrays, and the source is changed by `change`."""
    space = {**function.__globals__, **{name: _fixed(value) for name, value in read_by(function).items()}}
    space |= {PAIR: module().pair, ONES: module().ones}
    for name, value in space.items():
        if isinstance(value, types.ModuleType) and value.__name__ == "soloist":
            space[name] = module()
        elif isinstance(value, type) and value.__name__ == "Infeasible":
            space[name] = module().Infeasible
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        definition = tree.body[0]
    except (OSError, SyntaxError):
        definition = None
    if not isinstance(definition, ast.FunctionDef):
        # Without a source of its own, as in `exec` or of a lambda, the function is taken as it is.
        helpers.take(function, space)
        return types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
    definition.decorator_list, definition.returns = [], None
    for argument in definition.args.args + definition.args.posonlyargs:
        argument.annotation = None
    called = _Methods(helpers.kind, definition)
    tree = ast.fix_missing_locations(called.visit(tree))
    if change is not None:
        tree = ast.fix_missing_locations(change.visit(tree))
    exec(compile(tree, inspect.getsourcefile(function) or "<problem>", "exec"), space)
    made = space[function.__name__]
    helpers.take(function, space, called.found)
    return made


#: Rows of a list that becomes a tuple: numba compiles each one.
ROWS = 1_000


def _fixed(value: Any) -> Any:
    """Returns what stands for a global: numba takes no lists that the interpreter has made."""
    if not isinstance(value, list) or not value:
        return value
    if all(isinstance(one, (int, float)) for one in value):
        import numpy

        return numpy.array(value)
    if len(value) <= ROWS and all(isinstance(one, (tuple, list)) for one in value):
        return tuple(_as_tuple(one) for one in value)
    return value


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(one) for one in value) if isinstance(value, (list, tuple)) else value


def method_of(kind: type | None, name: str) -> tuple[types.FunctionType, bool] | None:
    """Returns the function of a class, and whether it takes `self`."""
    for one in kind.__mro__ if kind is not None else ():
        found = one.__dict__.get(name)
        if isinstance(found, types.FunctionType):
            return found, True
        if isinstance(found, staticmethod) and isinstance(found.__func__, types.FunctionType):
            return found.__func__, False
        if found is not None:
            return None
    return None


def _bits(node: ast.Call) -> ast.expr | None:
    """Returns the number whose ones `bin(number).count("1")` or `number.bit_count()` counts."""
    called = node.func
    if not isinstance(called, ast.Attribute):
        return None
    if called.attr == "bit_count" and not node.args:
        return called.value
    inner, text = called.value, node.args[0] if len(node.args) == 1 else None
    is_bin = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "bin"
    if isinstance(inner, ast.Call) and is_bin and called.attr == "count" and isinstance(text, ast.Constant):
        return inner.args[0] if text.value == "1" and len(inner.args) == 1 else None
    return None


class _Methods(ast.NodeTransformer):
    """Calls methods as functions of `self`, and makes numbers of what `score` raises or returns as a pair."""

    def __init__(self, kind: type | None, definition: ast.FunctionDef) -> None:
        arguments = definition.args.posonlyargs + definition.args.args
        self.me = arguments[0].arg if arguments else ""
        self.is_score = definition.name == "score"
        self.kind = kind
        #: The functions of the class by the names that stand for them.
        self.found: dict[str, types.FunctionType] = {}

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        called = node.func
        bits = _bits(node)
        if bits is not None:
            return ast.Call(ast.Name(ONES, ast.Load()), [bits], [])
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == self.me):
            return node
        method = method_of(self.kind, called.attr)
        if method is None:
            return node
        name = f"_soloist_{called.attr}"
        self.found[name] = method[0]
        first: list[ast.expr] = [ast.Name(self.me, ast.Load())] if method[1] else []
        return ast.Call(ast.Name(name, ast.Load()), first + node.args, node.keywords)

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        self.generic_visit(node)
        raised = node.exc.func if isinstance(node.exc, ast.Call) else None
        name = raised.attr if isinstance(raised, ast.Attribute) else raised.id if isinstance(raised, ast.Name) else ""
        return ast.Return(node.exc) if self.is_score and name == "Infeasible" else node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        if self.is_score and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
            return ast.Return(ast.Call(ast.Name(PAIR, ast.Load()), node.value.elts, []))
        return node


class Helpers:
    """The functions that compiled functions call, compiled as well."""

    def __init__(self, kind: type | None = None) -> None:
        """`kind`: the class whose methods are called."""
        self.kind = kind
        self._made: dict[int, Any] = {}
        self._waiting: list[tuple[dict[str, Any], str, Any]] = []
        self._is_busy = False

    def take(self, function: Any, space: dict[str, Any], methods: Mapping[str, Any] | None = None) -> None:
        """Compiles what a function calls, and puts it into the globals of the function. They may call each other."""
        called = [(name, one) for name, one in read_by(function).items() if isinstance(one, types.FunctionType)]
        called += (methods or {}).items()
        self._waiting += [(space, name, one) for name, one in called]
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while self._waiting:
                space, name, one = self._waiting.pop()
                if id(one) not in self._made:
                    change = Lists() if one.__name__ == "moves" and one in (methods or {}).values() else None
                    self._made[id(one)] = machine_code(prepared(one, change, self))
                space[name] = self._made[id(one)]
        finally:
            self._is_busy = False


def has_source(function: Any) -> bool:
    """Whether the source of a function can be read."""
    try:
        return bool(inspect.getsource(function))
    except (OSError, TypeError):
        return False


class Lists(ast.NodeTransformer):
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


def _infeasible(degree=1.0):  # type: ignore[no-untyped-def]
    if not degree > 0:
        raise ValueError("degree: expected a number above 0")
    return complex(float("nan"), degree)


def _pair(hard, soft):  # type: ignore[no-untyped-def]
    return complex(float("nan"), abs(hard)) if hard != 0 else complex(soft, 0.0)


def _ones(number):  # type: ignore[no-untyped-def]
    count, rest = 0, abs(number)
    while rest:
        rest &= rest - 1
        count += 1
    return count


#: What stands in the code for the functions that make a score of a pair, and that count ones.
PAIR, ONES = "_soloist_pair", "_soloist_ones"

_module: types.ModuleType | None = None


def module() -> types.ModuleType:
    """Returns what stands for this package inside compiled functions."""
    global _module
    if _module is None:
        import numba

        # Numbers and this unite to complex numbers.
        _module = types.ModuleType("soloist")
        _module.Infeasible = numba.njit(_infeasible)  # type: ignore[attr-defined]
        _module.pair = numba.njit(_pair)  # type: ignore[attr-defined]
        _module.ones = numba.njit(_ones)  # type: ignore[attr-defined]
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
