"""The methods and their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import _soloist


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method."""

    #: The name that ``solve`` accepts as a keyword or in ``params``.
    name: str
    #: The default, as text.
    default: str
    #: What is accepted, in words.
    range: str
    #: One line of help.
    help: str


@dataclass(frozen=True)
class MethodInfo:
    """A method."""

    #: What ``method=`` accepts.
    name: str
    #: One line: what it does.
    summary: str
    #: Where it was published.
    reference: str
    #: Its parameters by name.
    parameters: dict[str, Parameter] = field(repr=False)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.summary}", self.reference, ""]
        lines += [f"  {one.name} = {one.default}: {one.help} [{one.range}]" for one in self.parameters.values()]
        return "\n".join(lines)


def methods() -> dict[str, MethodInfo]:
    """Returns the methods by name, with their tables of parameters.

    >>> soloist.methods()["nrpa"].parameters["level"].range
    'a whole number from 1 to 12'
    >>> print(soloist.methods()["sampling"])  # doctest: +ELLIPSIS
    sampling: independent playouts; the baseline
    ...
    """
    return {
        name: MethodInfo(name, summary, reference, {row[0]: Parameter(*row) for row in rows})
        for name, summary, reference, rows in _soloist.methods()
    }
