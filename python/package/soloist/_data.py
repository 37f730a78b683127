"""Instances of shipped problems from lists and arrays: they are written in the format of the problem's files."""

from __future__ import annotations

import decimal
import operator
from collections.abc import Callable, Mapping
from typing import Any

from . import _arguments


def _whole(name: str, value: Any) -> str:
    """Returns a whole number as text."""
    try:
        return str(operator.index(value))
    except TypeError:
        pass
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    raise TypeError(f"{name}: expected a whole number, got {_arguments.shown(value)}")


def _real(name: str, value: Any) -> str:
    """Returns a number as text without an exponent."""
    try:
        return str(operator.index(value))
    except TypeError:
        pass
    number = _arguments.real(name, value)
    return str(int(number)) if number.is_integer() else format(decimal.Decimal(repr(number)), "f")


def _list(name: str, value: Any, length: int | None = None) -> list[Any]:
    """Returns what a list or an array holds."""
    value = getattr(value, "tolist", lambda: value)()
    if isinstance(value, (str, bytes, Mapping, set, frozenset)):
        raise TypeError(f"{name}: expected a list, got {_arguments.shown(value)}")
    try:
        items = list(value)
    except TypeError:
        raise TypeError(f"{name}: expected a list, got {_arguments.shown(value)}") from None
    if length is not None and len(items) != length:
        raise ValueError(f"{name}: expected {length} entries, got {len(items)}")
    return items


def _rows(name: str, value: Any, height: int | None, width: int | None, write: Callable[[str, Any], str]) -> list[str]:
    """Returns the rows of a table as lines."""
    lines = []
    for at, row in enumerate(_list(name, value, height)):
        place = f"{name}[{at}]"
        lines.append(" ".join(write(f"{place}[{i}]", cell) for i, cell in enumerate(_list(place, row, width))))
    return lines


def _fields(data: Any, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """Returns the fields of an instance."""
    known = ", ".join(required + tuple(f"{name} (optional)" for name in optional))
    if not isinstance(data, Mapping):
        raise TypeError(f"data: expected a dict with {known}, got {_arguments.shown(data)}")
    for name in data:
        if name not in required + optional:
            raise ValueError(f"data: no field {_arguments.shown(name)} (known: {known})")
    for name in required:
        if name not in data:
            raise ValueError(f"data: the field {name!r} is missing (known: {known})")
    return dict(data)


def _knapsack(data: Any) -> str:
    fields = _fields(data, ("capacity", "items"))
    rows = _rows("items", fields["items"], None, 2, _whole)
    return "\n".join([f"{len(rows)} {_whole('capacity', fields['capacity'])}", *rows])


def _partition(data: Any) -> str:
    return "\n".join(_whole(f"data[{at}]", value) for at, value in enumerate(_list("data", data)))


def _board(data: Any) -> str:
    return "\n".join(_rows("data", data, None, None, _whole))


def _tsptw(data: Any) -> str:
    fields = _fields(data, ("distances", "windows"))
    size = len(_list("distances", fields["distances"]))
    ways = _rows("distances", fields["distances"], size, size, _real)
    return "\n".join([str(size), *ways, *_rows("windows", fields["windows"], size, 2, _real)])


def _vrptw(data: Any) -> str:
    fields = _fields(data, ("capacity", "demands", "windows"), ("vehicles", "service", "points", "distances"))
    if ("points" in fields) == ("distances" in fields):
        raise ValueError("data: give either 'points' or 'distances'")
    demands = [_whole(f"demands[{at}]", one) for at, one in enumerate(_list("demands", fields["demands"]))]
    size = len(demands)
    windows = _rows("windows", fields["windows"], size, 2, _real)
    service = fields.get("service", 0)
    if hasattr(service, "__len__"):
        services = [_real(f"service[{at}]", one) for at, one in enumerate(_list("service", service, size))]
    else:
        services = ["0"] + [_real("service", service)] * (size - 1)
    capacity = _whole("capacity", fields["capacity"])
    vehicles = _whole("vehicles", fields.get("vehicles", max(size - 1, 1)))
    if "points" in fields:
        points = _rows("points", fields["points"], size, 2, _real)
        rows = zip(range(size), points, demands, windows, services)
        return "\n".join([f"{vehicles} {capacity}", *(" ".join(map(str, row)) for row in rows)])
    ways = _rows("distances", fields["distances"], size, size, _real)

    def section(name: str, lines: list[str]) -> list[str]:
        return [f"{name}_SECTION", *(f"{at} {line}" for at, line in enumerate(lines, 1))]

    head = ["TYPE : VRPTW", f"DIMENSION : {size}", f"VEHICLES : {vehicles}", f"CAPACITY : {capacity}"]
    head += ["EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX", "EDGE_WEIGHT_SECTION", *ways]
    tail = section("DEMAND", demands) + section("TIME_WINDOW", windows) + section("SERVICE_TIME", services)
    return "\n".join([*head, *tail, "DEPOT_SECTION", "1", "-1", "EOF"])


def _stacking(data: Any) -> str:
    stacks = [_list(f"data[{at}]", stack) for at, stack in enumerate(_list("data", data))]
    rows = [
        " ".join([str(len(stack)), *(_whole(f"data[{at}][{i}]", item) for i, item in enumerate(stack))])
        for at, stack in enumerate(stacks)
    ]
    return "\n".join([f"{len(stacks)} {sum(map(len, stacks))}", *rows])


_WRITERS: dict[str, Callable[[Any], str]] = {
    "knapsack": _knapsack,
    "partition": _partition,
    "samegame": _board,
    "clickomania": _board,
    "bubble-breaker": _board,
    "tsptw": _tsptw,
    "vrptw": _vrptw,
    "stacking": _stacking,
}


def written(problem: str, data: Any) -> str:
    """Returns the text of the file that holds the data."""
    if problem not in _WRITERS:
        raise ValueError(f"data: {problem} is read as text= or from a file (data= works for {', '.join(_WRITERS)})")
    return _WRITERS[problem](data) + "\n"
