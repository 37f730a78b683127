"""Arguments of runs: one clear message for each wrong one."""

from __future__ import annotations

import datetime
import math
import operator
import os
import reprlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _soloist

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 120


def shown(value: Any) -> str:
    """Returns a value as a message shows it."""
    return _REPR.repr(value)


def count(name: str, value: Any, least: int = 1, most: int = 2**63 - 1) -> int:
    """Returns a whole number; ``1e6`` is one."""
    number: int | None = None
    if not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            if isinstance(value, float) and value.is_integer():
                number = int(value)
    if number is None:
        kind = ValueError if isinstance(value, float) else TypeError
        raise kind(f"{name}: expected a whole number, got {shown(value)}")
    if not least <= number <= most:
        raise ValueError(f"{name}: expected a whole number from {least} to {most}, got {number}")
    return number


def real(name: str, value: Any) -> float:
    """Returns a finite number."""
    try:
        number = None if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise TypeError(f"{name}: expected a number, got {shown(value)}")
    if not math.isfinite(number):
        raise ValueError(f"{name}: expected a finite number, got {number}")
    return number


def seconds(name: str, value: Any) -> float:
    """Returns seconds above 0."""
    if isinstance(value, datetime.timedelta):
        value = value.total_seconds()
    number = real(name, value)
    if number <= 0:
        raise ValueError(f"{name}: expected seconds above 0, got {number:g}")
    return number


def text(name: str, value: Any) -> str:
    """Returns a str."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a str, got {shown(value)}")
    return value


def setting(name: str, value: Any) -> str:
    """Returns the value of a parameter as the command line writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return ",".join(setting(name, item) for item in value)
    try:
        return str(operator.index(value))
    except TypeError:
        pass
    # Numbers and truth values of numpy.
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        return setting(name, item())
    try:
        return str(float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, a bool, a str or a list of these, got {shown(value)}") from None


_CORES = (
    "the name is `threads` for problems that ship; soloist.distributed.solve runs a problem in Python on several cores"
)
_SENSE = 'the problem says it: sense = "minimize" or "maximize" in its class'
#: Names of arguments elsewhere, and what they are called here.
_MEANT = {
    **dict.fromkeys(("max_time", "timeout", "time_limit", "timelimit", "seconds"), "the name is `time`"),
    **dict.fromkeys(("n_jobs", "workers", "num_workers", "cores", "processes"), _CORES),
    **dict.fromkeys(("minimize", "minimise", "maximize", "maximise", "sense", "direction"), _SENSE),
    **dict.fromkeys(("verbose", "verbosity", "disp", "quiet"), "the name is `progress`"),
    **dict.fromkeys(("iterations", "max_iter", "maxiter", "n_iter", "n_trials", "evaluations"), "the name is `playouts`"),
    "callback": "the name is `on_improve`",
    "random_state": "the name is `seed`",
    "initial": "the name is `start`",
    "x0": "the name is `start`",
}

#: Names of methods elsewhere, and the nearest one here.
_METHODS = {
    "mcts": "uct",
    "monte_carlo_tree_search": "uct",
    "sa": "anneal",
    "simulated_annealing": "anneal",
    "annealing": "anneal",
    "local_search": "anneal",
    "hill_climbing": "anneal",
    "tabu": "anneal",
    "genetic": "anneal",
    "ga": "anneal",
    "evolutionary": "anneal",
    "random": "sampling",
    "random_search": "sampling",
    "beam_search": "beam",
    "a_star": "best-first",
    "astar": "best-first",
    "a*": "best-first",
    "ida*": "ida-star",
    "branch_and_bound": "dfs",
    "bnb": "dfs",
    "exhaustive": "dfs",
    "brute_force": "dfs",
    "depth_first": "dfs",
    "breadth_first": "bfs",
}


def unknown(name: str) -> TypeError:
    """Returns the exception of a keyword that a function does not have."""
    return TypeError(f"no argument `{name}`" + (f": {_MEANT[name]}" if name in _MEANT else ""))


def settings(params: Any, keywords: Mapping[str, Any], method: Any = None) -> dict[str, str]:
    """Joins ``params`` and the keywords that are parameters; those of ``method``, a name or a list of names, come first."""
    if params is None:
        params = {}
    doubtful = [name for name in keywords if name in _MEANT]
    if doubtful:
        names = method if isinstance(method, (list, tuple)) else [method]
        known = {row[0]: {one[0] for one in row[3]} for row in _soloist.methods()}
        own = set().union(*(known.get(name, set()) for name in names if isinstance(name, str)))
        for name in doubtful:
            if name not in own:
                raise unknown(name)
    if not isinstance(params, Mapping):
        raise TypeError(f"params: expected a dict, got {shown(params)}")
    twice = [name for name in params if name in keywords]
    if twice:
        raise TypeError(f"params and a keyword both give `{twice[0]}`")
    return {text("params", name): setting(name, value) for name, value in {**params, **keywords}.items()}


#: How each limit of a run or a slice is read.
_LIMITS: dict[str, Callable[[str, Any], Any]] = {
    "time": seconds,
    "playouts": count,
    "nodes": count,
    "stall": count,
    "target": real,
    "memory": count,
    "max_moves": count,
}


def limits(**given: Any) -> dict[str, Any]:
    """Checks the limits of a run or a slice; those that are not given are None."""
    for name in given:
        if name not in _LIMITS:
            raise unknown(name)
    read = {name: None if value is None else _LIMITS[name](name, value) for name, value in given.items()}
    return {**dict.fromkeys(_LIMITS), **read}


#: What a request holds when nothing is asked for.
EMPTY: dict[str, Any] = {
    "method": None,
    "parameters": [],
    "rollout": None,
    "seed": 0,
    "threads": 1,
    "keep": 1,
    **limits(),
    "start": None,
    "prefix": None,
    "checkpoint": None,
    "checkpoint_every": 30.0,
    "resume": None,
    "checks": None,
    "calls": {"on_improve": None, "on_progress": None, "stop": None},
}


def request(parameters: Mapping[str, str] = {}, **given: Any) -> dict[str, Any]:
    """Checks the arguments of a run, which have the names of a request. None stands for the default."""
    for name in given:
        if name not in EMPTY:
            raise unknown(name)
    given = {name: value for name, value in given.items() if value is not None}
    resume = given.get("resume")
    if resume is not None:
        own = [name for name in (*("method", "rollout", "seed", "threads"), *parameters) if name in given or name in parameters]
        if own:
            raise ValueError(f"{own[0]}: the run to resume has its own setting; leave it out")
    read: dict[str, Callable[[str, Any], Any]] = {
        **_LIMITS,
        "method": _method,
        "rollout": text,
        "seed": seed,
        "threads": lambda name, value: count(name, value, most=1024),
        "keep": lambda name, value: count(name, value, most=100_000),
        "checkpoint": lambda _, value: new_file(value, resume),
        "checkpoint_every": seconds,
        "resume": lambda _, value: saved(value),
    }
    found = {name: read[name](name, value) if name in read else value for name, value in given.items()}
    return {**EMPTY, **found, "parameters": list(parameters.items())}


def seed(name: str, value: Any) -> int:
    """Returns the seed of a run."""
    return count(name, value, least=0, most=2**64 - 1)


def _method(name: str, value: Any) -> str:
    """Returns the name of a method that exists."""
    near = _METHODS.get(text(name, value).lower().replace(" ", "_").replace("-", "_"))
    if near is not None:
        try:
            _soloist.check_method(value)
        except ValueError:
            raise ValueError(f"no method `{value}`, did you mean `{near}`? soloist.methods() lists them") from None
    _soloist.check_method(value)
    return str(value)


def path(name: str, value: Any) -> Path:
    """Returns a path."""
    try:
        return Path(os.fspath(value))
    except TypeError:
        raise TypeError(f"{name}: expected a path, got {shown(value)}") from None


def new_file(checkpoint: Any, resume: Any) -> Path:
    """Returns the path of a checkpoint that overwrites nothing."""
    file = path("checkpoint", checkpoint)
    continued = isinstance(resume, (str, os.PathLike)) and file.exists() and os.path.samefile(file, resume)
    if file.exists() and file.stat().st_size > 0 and not continued:
        raise FileExistsError(f"{file} exists: continue it with resume={str(file)!r}, or remove it")
    return file


def saved(value: Any) -> bytes:
    """Returns the bytes of a saved run."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    try:
        return path("resume", value).read_bytes()
    except TypeError:
        raise TypeError(f"resume: expected bytes or the path of a checkpoint, got {shown(value)}") from None


def callback(name: str, value: Any) -> Any:
    """Refuses what cannot be called."""
    if value is not None and not callable(value):
        raise TypeError(f"{name}: expected a function, got {shown(value)}")
    return value
