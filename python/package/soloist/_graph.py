"""The statements of a simplified program as a graph, and as expressions of SymPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

#: The number of a term as text, and the places of its factors with their powers.
Term = tuple[str, dict[int, int]]


@dataclass
class Sum:
    """A sum of terms."""

    terms: list[Term]

    @property
    def is_name(self) -> bool:
        """Whether it is a number, or another value up to its sign."""
        if not self.terms:
            return True
        [number, factors], *more = self.terms
        return not more and (not factors or (number in ("1", "-1") and list(factors.values()) == [1]))

    @property
    def is_product(self) -> bool:
        """Whether it is a single term that is more than a power of one value."""
        return len(self.terms) == 1 and (self.terms[0][0] != "1" or len(self.terms[0][1]) > 1)


@dataclass
class Call:
    """A function of other values."""

    name: str
    #: The degree of a root.
    degree: int
    arguments: list[int]


@dataclass
class Wrapped:
    """What only SymPy can compute, of other values."""

    template: Any
    arguments: list[int]


@dataclass
class Leaf:
    """An input."""

    name: str


Value = Sum | Call | Wrapped | Leaf


@dataclass
class Use:
    """How a value is used."""

    count: int = 0
    #: It is multiplied by a number other than 1 and -1, and by nothing else.
    scaled: bool = False
    #: It is raised to a power above 1.
    raised: bool = False
    #: It stands under a root or a power that is no whole number.
    rooted: bool = False
    #: It contains a symbol that no replacement may contain.
    open: bool = False


@dataclass
class Graph:
    """The values of a program by their places: first its inputs, then its temporaries, then its results."""

    values: list[Value]
    #: The place of each output.
    outputs: dict[str, int]
    uses: list[Use] = field(default_factory=list)

    @classmethod
    def of(cls, statements: dict[str, Any], wrapped: dict[str, Any] | None = None) -> Graph:
        """Returns the graph of the statements of a program. `wrapped` holds the templates of its inputs."""
        names: list[str] = statements["inputs"]
        temporaries, results = statements["temporaries"], statements["results"]
        first = len(names) + len(temporaries)
        outputs = {name: first + place for place, name in enumerate(results) if name is not None}
        values: list[Value] = [Leaf(name) for name in names]
        for terms in [*temporaries, *statements["sums"]]:
            values.append(Sum([(number, powers(factors)) for number, factors in terms]))
        for place, name, degree, arguments in statements["calls"]:
            values[place] = Call(name, degree, [first + argument for argument in arguments])
        for place, name in enumerate(names):
            if wrapped and name in wrapped:
                template = wrapped[name]
                values[place] = Wrapped(template, [outputs[slot] for slot in slots(template)])
        return cls(values, outputs)

    def parts(self, place: int) -> list[int]:
        """Returns the places that a value is computed from."""
        value = self.values[place]
        if isinstance(value, Sum):
            return [factor for _, factors in value.terms for factor in factors]
        return [] if isinstance(value, Leaf) else value.arguments

    def ordered(self, tops: Iterable[int]) -> Iterator[int]:
        """Returns what the tops need, each value behind its parts and close to its uses."""
        done: set[int] = set()
        for top in tops:
            open_ = [(top, False)]
            while open_:
                place, opened = open_.pop()
                if place in done:
                    continue
                if opened:
                    done.add(place)
                    yield place
                    continue
                open_.append((place, True))
                open_.extend((part, False) for part in reversed(self.parts(place)) if part not in done)

    def count(self, tops: Iterable[int], open_: Iterable[str] = ()) -> None:
        """Finds how each value is used. What is made of the inputs `open_` is never a replacement."""
        tops = list(tops)
        self.uses = [Use() for _ in self.values]
        for top in tops:
            self.uses[top].count += 1
        order = list(self.ordered(tops))
        names = set(open_)
        for place in order:
            value = self.values[place]
            own = (isinstance(value, Leaf) and value.name in names) or (
                isinstance(value, Wrapped) and not names.isdisjoint(atoms(value.template))
            )
            self.uses[place].open = own or any(self.uses[part].open for part in self.parts(place))
        for place in reversed(order):
            value, use = self.values[place], self.uses[place]
            # What is put in at each use is computed at each use.
            weight = use.count if use.open or (isinstance(value, Sum) and value.is_name) else 1
            if isinstance(value, Sum):
                for number, factors in value.terms:
                    for factor, power in factors.items():
                        part = self.uses[factor]
                        part.count += weight
                        part.raised |= power > 1
                        part.scaled |= number not in ("1", "-1") and factors == {factor: 1}
            else:
                for argument in self.parts(place):
                    part = self.uses[argument]
                    part.count += weight
                    part.rooted |= isinstance(value, Call) and value.name in ("root", "pow")

    def is_kept(self, place: int) -> bool:
        """Whether a value is a replacement: it is used twice, or SymPy would take its use apart."""
        value, use = self.values[place], self.uses[place]
        if use.open or isinstance(value, Leaf) or (isinstance(value, Sum) and value.is_name):
            return False
        if use.count > 1:
            return True
        if not isinstance(value, Sum):
            return False
        if value.is_product:
            return use.raised or use.rooted
        # 2*(a + b) becomes 2*a + 2*b.
        return use.scaled and len(value.terms) > 1


def powers(factors: list[int]) -> dict[int, int]:
    """Returns factors with their powers."""
    found: dict[int, int] = {}
    for factor in factors:
        found[factor] = found.get(factor, 0) + 1
    return found


def leaves(template: Any) -> list[Any]:
    """Returns the places of inputs and results in a template."""
    from ._formulas import Atom, Node, Slot

    if isinstance(template, (Atom, Slot)):
        return [template]
    return [leaf for part in template.parts for leaf in leaves(part)] if isinstance(template, Node) else []


def slots(template: Any) -> list[str]:
    """Returns the names of the results that a template needs."""
    from ._formulas import Slot

    return [leaf.name for leaf in leaves(template) if isinstance(leaf, Slot)]


def atoms(template: Any) -> list[str]:
    """Returns the names of the inputs that a template needs."""
    from ._formulas import Atom

    return [leaf.name for leaf in leaves(template) if isinstance(leaf, Atom)]


def filled(template: Any, value: Callable[[str], Any]) -> Any:
    """Returns the object of a template with the values of its inputs and results."""
    from ._formulas import Atom, Node, Slot

    if isinstance(template, (Atom, Slot)):
        return value(template.name)
    if isinstance(template, Node):
        return template.make(*(filled(part, value) for part in template.parts))
    return template.value


class Rebuilt:
    """The values of a graph as expressions of SymPy."""

    def __init__(
        self,
        graph: Graph,
        inputs: dict[str, Any],
        templates: list[Any],
        symbols: Iterator[Any],
        ignore: Iterable[Any] = (),
        wrapped: dict[str, Any] | None = None,
    ) -> None:
        self.graph, self._inputs = graph, inputs
        self._expressions: dict[int, Any] = {}
        self.replacements: list[tuple[Any, Any]] = []
        ignored = set(ignore)
        tops = [graph.outputs[name] for template in templates for name in slots(template)]
        whole = {name: value for name, value in inputs.items() if name not in (wrapped or ())}
        graph.count(tops, [name for name, value in whole.items() if ignored & value.free_symbols] if ignored else ())
        for place in graph.ordered(tops):
            made = self._made(place)
            if graph.is_kept(place):
                try:
                    symbol = next(symbols)
                except StopIteration:
                    raise ValueError("symbols: the iterator ran out of symbols") from None
                self.replacements.append((symbol, made))
                made = symbol
            self._expressions[place] = made
        self.reduced = [filled(template, self.output) for template in templates]

    def output(self, name: str) -> Any:
        """Returns the expression of an output or an input."""
        if name in self._inputs:
            return self._inputs[name]
        return self._expressions[self.graph.outputs[name]]

    def _made(self, place: int) -> Any:
        from sympy import Add, Integer, Mul, Pow, Rational

        value, known = self.graph.values[place], self._expressions
        if isinstance(value, Leaf):
            return self._inputs[value.name]
        if isinstance(value, Wrapped):
            return filled(value.template, self.output)
        if isinstance(value, Call):
            return called(value, [known[argument] for argument in value.arguments])
        terms = []
        for number, factors in value.terms:
            product = [Pow(known[factor], Integer(power)) for factor, power in factors.items()]
            terms.append(Mul(Rational(number), *product))
        return Add(*terms)


def called(call: Call, arguments: list[Any]) -> Any:
    """Returns a call of the compiled part as an expression of SymPy."""
    import sympy
    from sympy import Integer, Pow, Rational

    from ._formulas import CALLS

    # Of texts alone.
    others: dict[str, Any] = {
        "cbrt": lambda x: sympy.real_root(x, 3),
        "floor": sympy.floor,
        "ceil": sympy.ceiling,
        "min": sympy.Min,
        "max": sympy.Max,
        "pi": lambda: sympy.pi,
        "exp1": lambda: sympy.E,
        "select_lt": lambda a, b, c, d: sympy.Piecewise((c, a < b), (d, True)),
        "select_le": lambda a, b, c, d: sympy.Piecewise((c, a <= b), (d, True)),
        "select_eq": lambda a, b, c, d: sympy.Piecewise((c, sympy.Eq(a, b)), (d, True)),
        "select_ne": lambda a, b, c, d: sympy.Piecewise((c, sympy.Ne(a, b)), (d, True)),
    }

    if call.name == "inverse":
        return Pow(arguments[0], Integer(-1))
    if call.name == "root":
        return Pow(arguments[0], Rational(1, call.degree))
    if call.name == "pow":
        return Pow(*arguments)
    if call.name in others:
        return others[call.name](*arguments)
    function = next(function for function, name in CALLS.items() if name == call.name)
    return function(*arguments)
