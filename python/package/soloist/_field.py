"""Who takes part in a study: problems and methods, as the compiled part takes them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from . import _arguments, _soloist
from ._instance import Instance
from ._lint import warn
from ._numba import compiled_of
from ._problem import functions
from ._progress import Display, Shown, shown

#: An instance of a comparison or a tuning: an object with the functions of a problem, an instance of one that ships, or a
#: file or spec of it.
Entry = Any


@dataclass
class Field:
    """The instances of a study, all of one problem."""

    #: The name of the problem.
    problem: str
    is_shipped: bool
    #: Their names, as the study opens them.
    names: list[str] = field(default_factory=list)
    #: The objects among them, as the compiled part takes them.
    objects: list[dict[str, Any]] = field(default_factory=list)
    #: The rules in force that differ from the usual ones.
    options: dict[str, str] = field(default_factory=dict)
    #: What must live as long as the study: compiled functions.
    kept: list[Any] = field(default_factory=list)

    @property
    def needs_interpreter(self) -> bool:
        """Whether functions of Python are called in runs."""
        return any(one["functions"] is not None and one["machine"] is None for one in self.objects)

    def threads(self, count: int) -> int:
        """Returns the threads of a run, if it can have as many."""
        if self.needs_interpreter and count != 1:
            raise ValueError("threads: a problem written in Python runs on one thread")
        return count

    def jobs(self, count: Any) -> int | None:
        """Returns how many runs are made at a time; None: as many as there are cores."""
        if count is None:
            return 1 if self.needs_interpreter else None
        return _arguments.count("jobs", count, most=256)

    def rules(self, options: Mapping[str, Any] | None) -> dict[str, str]:
        """Returns the rules of the instances with those that are given for the study."""
        return {**self.options, **{name: _arguments.setting(name, value) for name, value in (options or {}).items()}}

    def request(self, calls: dict[str, Any]) -> dict[str, Any]:
        """Returns what takes part."""
        return {"problem": self.problem, "is_shipped": self.is_shipped, "objects": self.objects, "calls": calls}


def _name(problem: str, label: Any) -> str:
    """Returns the name of an object in a study."""
    label = str(label)
    if not label or re.search(r"[*?\0\n]|\.\.\d*$", label):
        raise ValueError(f"problems: expected names without `*`, `?` and ranges, got {_arguments.shown(label)}")
    return f"{problem}:{label}"


def _labelled(problems: Any) -> list[tuple[Any, Entry]]:
    """Returns the entries of an argument with their labels; None where they have none of their own."""
    if isinstance(problems, Mapping):
        return list(problems.items())
    if isinstance(problems, (str, bytes, os.PathLike, Instance)) or not isinstance(problems, Iterable):
        return [(None, problems)]
    return [(None, entry) for entry in problems]


def field_of(what: str, problems: Any, instances: Any = None, also: tuple[str, Any] | None = None) -> list[Field]:
    """Returns the field of a study, and a second one of further instances of the same problem if there are any.

    ``problems`` is the name of a problem that ships with ``instances``, or the objects themselves.
    """
    if isinstance(problems, str):
        if instances is None:
            raise TypeError(f"instances: missing; give files or specs of {problems}, see soloist.problems()")
        sources = [(what, _labelled(instances))]
        found = Field(problems, True)
        _soloist.option_names(problems)
    else:
        if instances is not None:
            raise TypeError("instances: only problems that ship have instances; give the name of one as `problems`")
        sources, found = [(what, _labelled(problems))], Field("", False)
    if also is not None:
        sources.append((also[0], _labelled(also[1])))
    fields: list[Field] = []
    rules: dict[str, str] | None = None
    kinds: list[str] = []
    for name, entries in sources:
        if not entries:
            raise ValueError(f"{name}: the list is empty")
        part = Field(found.problem, found.is_shipped)
        for place, (label, entry) in enumerate(entries):
            if isinstance(entry, Instance):
                kinds.append(entry.problem)
                if rules is not None and rules != entry.options:
                    raise ValueError(f"{name}: the instances have different rules: {rules} and {entry.options}")
                rules = entry.options
                made = entry._shipped.contents and not os.path.exists(entry._source)
                if label is None and not made:
                    part.names.append(entry._source)
                else:
                    part.names.append(_name(entry.problem, entry.name if label is None else label))
                    part.objects.append(_object(part.names[-1], instance=entry._shipped))
            elif isinstance(entry, (str, os.PathLike)):
                if not found.is_shipped:
                    raise TypeError(f"{name}: expected objects with the functions of a problem, got {_arguments.shown(entry)}")
                part.names.append(os.fspath(entry))
            else:
                bound = functions(entry)
                warn(bound["unread"])
                machine = compiled_of(entry)
                part.kept.append(machine)
                kind = str(bound["name"])
                kinds.append(kind)
                given = getattr(entry, "name", None)
                own = given if isinstance(given, str) else place + 1 + sum(len(other.names) for other in fields)
                part.names.append(_name(kind, own if label is None else label))
                part.objects.append(_object(part.names[-1], bound, machine.spec(entry) if machine else None))
        fields.append(part)
    is_own = any(item["functions"] is not None for part in fields for item in part.objects)
    if is_own and (found.is_shipped or rules is not None):
        raise TypeError(f"{what}: problems that ship and problems of your own cannot be compared with each other")
    problem = kinds[0] if kinds else found.problem
    if not is_own and any(kind != problem for kind in kinds + ([found.problem] if found.problem else [])):
        raise ValueError(f"{what}: expected instances of one problem, got {', '.join(dict.fromkeys(kinds))}")
    if is_own and len({item["functions"]["minimize"] for part in fields for item in part.objects}) > 1:
        raise ValueError(f"{what}: for some of these problems large scores are better, for others small ones")
    for part in fields:
        part.problem, part.is_shipped, part.options = problem, not is_own, dict(rules or {})
        seen: set[str] = set()
        for name in part.names:
            if name in seen:
                raise ValueError(f"{what}: two of them are called {name}; give a dict with names of your own")
            seen.add(name)
    return fields


def _object(name: str, bound: Any = None, machine: Any = None, instance: Any = None) -> dict[str, Any]:
    return {"name": name, "functions": bound, "machine": machine, "instance": instance}


def joined(fields: list[Field]) -> Field:
    """Returns one field with the objects of all."""
    first = fields[0]
    objects = [one for part in fields for one in part.objects]
    return Field(first.problem, first.is_shipped, first.names, objects, first.options, [part.kept for part in fields])


def calls(progress: Shown, stop: Any, on_note: Callable[[str], Any] | None = None) -> tuple[dict[str, Any], Display]:
    """Returns what a study calls, and the display to be closed at its end."""
    display = Display(shown(progress), {})

    def warn(line: str) -> None:
        if on_note is not None:
            on_note(line)
        elif sys.stderr is not None:
            print(line, file=sys.stderr)

    return {
        "note": on_note,
        "warn": warn,
        "progress": display.tell,
        "stop": _arguments.callback("stop", getattr(stop, "is_set", stop)),
        "interrupt": _interrupt,
    }, display


def _interrupt(thread: int) -> None:
    """Raises KeyboardInterrupt in a thread that runs a function of Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


@contextlib.contextmanager
def in_terms_of_arguments() -> Iterator[None]:
    """Raises errors of a study, but no others, in the terms of Python's arguments."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        raise wrong(error) if type(error) in (ValueError, RuntimeError) else error


def wrong(error: Exception) -> Exception:
    """Returns an error of a study in the terms of Python's arguments."""
    message = re.sub(r"^bench: (line \d+: )?", "", str(error))
    message = re.sub(r" by line \d+: give `name`", " by another one: give `name`", message)
    message = re.sub(r"--set (\w+)=", r"\1=", message)
    message = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda found: found[1].replace("-", "_"), message)
    message = re.sub(r"\bparameter (?=\w+: )", "parameters: ", message).replace("INSTANCES", "instances")
    return type(error)(message)


#: A method of a study: its name, or its name with settings.
Contender = Union[str, Mapping[str, Any]]
