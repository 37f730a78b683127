"""What compiled functions hold as constants, and whether it is still the same."""

from __future__ import annotations

import enum
import hashlib
import io
import pickle
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any


class ById:
    """Values that are remembered for objects as long as these live, whatever their class says about equality."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}

    def get(self, key: Any) -> Any:
        """Returns what is remembered for an object; None: nothing."""
        found = self._known.get(id(key))
        return found[1] if found is not None and found[0]() is key else None

    def set(self, key: Any, value: Any) -> bool:
        """Remembers a value. Returns false where the object takes no weak references."""
        place, known = id(key), self._known
        try:
            known[place] = (weakref.ref(key, lambda _: known.pop(place, None)), value)
        except TypeError:
            return False
        return True


def codes_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """Returns the code of a function and of what is defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


def names_of(function: Any) -> set[str]:
    """Returns the names of globals and attributes that a function may read, also inside comprehensions and lambdas."""
    return {name for code in codes_of(function.__code__) for name in code.co_names}


def read_by(function: Any) -> dict[str, Any]:
    """Returns the globals and the variables of enclosing functions that a function reads, by name."""
    found = {name: function.__globals__[name] for name in names_of(function) if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            # Not bound yet.
            pass
    return found


def helpers_of(functions: Iterable[Any]) -> list[Any]:
    """Returns the functions that these call by name, directly or through each other."""
    found: dict[int, Any] = {}
    waiting = list(functions)
    begun = {id(one) for one in waiting}
    while waiting:
        for value in read_by(waiting.pop()).values():
            if isinstance(value, types.FunctionType) and id(value) not in begun:
                begun.add(id(value))
                found[id(value)] = value
                waiting.append(value)
    return list(found.values())


class _Same:
    """An object that does not change, or whose changes compiled code does not see: a function, a class, a module."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


class _Unknown:
    """An object that cannot be compared. It equals nothing."""

    def __eq__(self, other: object) -> bool:
        return False


class _Pickler(pickle.Pickler):
    """Writes plain values and collects the others in a list."""

    def __init__(self, to: io.BytesIO) -> None:
        super().__init__(to, protocol=5)
        self.others: list[Any] = []

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, enum.Enum):
            return (str, (f"{kind.__module__}.{kind.__qualname__}.{value.name} = {value.value!r}",))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return (tuple, ((kind.__module__, kind.__qualname__, *value),))
        is_numpy = getattr(value, "__module__", "").split(".")[0] == "numpy" if callable(value) else False
        if kind.__module__.split(".")[0] == "numpy" and kind.__name__ != "ufunc" or is_numpy or value in (str, tuple):
            return NotImplemented
        self.others.append(_frozen(value))
        return (str, (f"{kind.__module__}.{kind.__qualname__}",))


def _frozen(value: Any) -> _Same | _Unknown:
    # Dispatchers of numba hold what they were compiled with.
    is_fixed = isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type))
    return _Same(value) if is_fixed or callable(value) else _Unknown()


def _token(value: Any) -> Any:
    """Returns what stands for a value in comparisons."""
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)):
        return _Same(value)
    to = io.BytesIO()
    pickler = _Pickler(to)
    try:
        pickler.dump(value)
    except Exception:
        return _frozen(value)
    return (type(value).__name__, hashlib.blake2b(to.getbuffer(), digest_size=16).digest(), pickler.others)


def constants_of(problem: Any, functions: dict[str, Any], attributes: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Returns what functions read that is no argument, by a name for messages. Equal dicts: nothing has changed.

    That is their code and that of the functions which they call, the attributes of the problem, globals, attributes of
    modules, and variables of enclosing functions. What cannot be compared differs from everything.
    """
    found: dict[str, Any] = {f"attribute `{name}`": _token(value) for name, value in attributes().items()}
    every = [(f"function `{name}`", function) for name, function in functions.items()]
    every += [(f"function `{one.__qualname__}`", one) for one in helpers_of(functions.values())]
    for at, (title, function) in enumerate(every):
        title = title if title not in found else f"{title} ({at})"
        found[title] = _Same(function.__code__)
        found[f"defaults of the {title}"] = _token((function.__defaults__, function.__kwdefaults__))
        names = names_of(function)
        for name, value in read_by(function).items():
            found[f"`{name}` of the {title}"] = _token(value)
            if isinstance(value, types.ModuleType):
                for path, inner in _of_module(value, names, 3):
                    found[f"`{name}.{path}` of the {title}"] = _token(inner)
    return found


def _of_module(module: types.ModuleType, names: set[str], depth: int) -> Iterator[tuple[str, Any]]:
    """Returns the attributes of a module that a function may read."""
    for name in names & set(dir(module)):
        value = getattr(module, name, None)
        yield name, value
        if isinstance(value, types.ModuleType) and depth > 1:
            yield from ((f"{name}.{path}", inner) for path, inner in _of_module(value, names, depth - 1))


def change(before: dict[str, Any], now: dict[str, Any]) -> str | None:
    """Says what differs; None: nothing."""
    if before == now:
        return None
    return next((name for name in now if name not in before or not before[name] == now[name]), "what they read")
