"""Code of programs that hold what only SymPy can print: constants, `Piecewise`, special functions. Needs SymPy."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any, NoReturn

import sympy

from ._formulas import NOTHING, Sheet
from ._graph import Call, Graph, Leaf, Sum, called, filled

#: A sum continues in a further statement beyond this width.
WIDTH = 96
#: The start and the end of a function in each language, and of a statement; `{m}` outputs of `{n}` inputs.
C_OPEN = """#include <math.h>
#include <stddef.h>
#if defined(__cplusplus) && !defined(restrict)
#define restrict __restrict
#endif

void {name}(const double *restrict x, double *restrict y)
{{"""
C_CLOSE = """}}

// Computes n points: x holds {n} inputs for each, y gets {m} outputs for each.
void {name}_many(size_t n, const double *x, double *y)
{{
    for (size_t i = 0; i < n; i++) {name}(x + {n}*i, y + {m}*i);
}}"""
FORTRAN_OPEN = """subroutine {name}(x, y)
    implicit none
    integer, parameter :: dp = kind(1.0d0)
    real(dp), intent(in) :: x({n})
    real(dp), intent(out) :: y({m})
    real(dp) :: t({t})"""
OPEN = {
    "c": C_OPEN,
    "rust": "#[allow(clippy::all, unused_variables, unused_parens)]\n"
    "pub fn {name}(x: &[f64; {n}], y: &mut [f64; {m}]) {{",
    "python": "import math\n\n\ndef {name}(x):\n    y = [0]*{m}",
    "fortran": FORTRAN_OPEN,
}
CLOSE = {"c": C_CLOSE, "rust": "}}", "python": "    return y", "fortran": "end subroutine {name}"}
COMMENT = {"c": "//", "rust": "//", "python": "#", "fortran": "!"}


def written(
    sheet: Sheet, inputs: list[Any], templates: list[Any], program: Any, language: str, function: str
) -> str:
    """Returns the code of a program.

    Raises:
        ValueError: a language or a function that SymPy cannot print.
    """
    if language not in OPEN:
        raise ValueError(
            f"language: of expressions with constants or functions that only SymPy knows there is "
            f"{', '.join(sorted(OPEN))}, got {_shown(language)}"
        )
    return _Writer(sheet, inputs, templates, program, language).write(function)


def _decimal(above: int, below: int) -> str | None:
    """Returns a fraction as a decimal number with the same value, if it is a short one."""
    power = 0
    while power < 330 and 10**power % below:
        power += 1
    digits = str(above * 10**power // below)
    if 10**power % below or len(digits) > 40:
        return None
    text = f"{digits[0]}.{digits[1:] or '0'}e{len(digits) - 1 - power}"
    plain = repr(float(text))
    # The shorter form is taken where it is the same number.
    return plain if "e" not in plain and Fraction(plain) == Fraction(above, below) else text


def _shown(value: str) -> str:
    return repr(value[:40])


class _Writer:
    def __init__(
        self, sheet: Sheet, inputs: list[Any], templates: list[Any], program: Any, language: str
    ) -> None:
        self.sheet, self.templates, self.program, self.language = sheet, templates, program, language
        self.graph = Graph.of(program.statements() if program else NOTHING, sheet.wrapped)
        self.inputs = inputs
        self.objects = {name: value for value, name in sheet.inputs.items()}
        self.texts: dict[int, str] = {}
        #: Inverses that one product uses once, with what they divide by.
        self.divisors: dict[int, int] = {}
        self.lines: list[str] = []
        self.temporaries = 0

    def write(self, function: str) -> str:
        tops = [self.graph.outputs[template.name] for template in self.templates]
        order = list(self.graph.ordered(tops))
        self._find_divisors(order, tops)
        for place in order:
            self._value(place)
        for place, template in enumerate(self.templates):
            self._line(f"{self._element('y', place)} = {self.texts[self.graph.outputs[template.name]]}")
        facts = {"name": function, "n": len(self.inputs), "m": len(self.templates), "t": max(self.temporaries, 1)}
        mark = COMMENT[self.language]
        head = [f"{mark} simplified by soloist"]
        head += [f"{mark} {self._element('x', place)} = {value}" for place, value in enumerate(self.inputs)]
        body = [OPEN[self.language].format(**facts), *self.lines, CLOSE[self.language].format(**facts)]
        return "\n".join(head + body) + "\n"

    def _find_divisors(self, order: list[int], tops: list[int]) -> None:
        """Finds the inverses that are used once, in a product: the product becomes a division."""
        uses = Counter(tops)
        products: Counter[int] = Counter()
        for place in order:
            value = self.graph.values[place]
            if isinstance(value, Sum):
                for _, factors in value.terms:
                    uses.update(factors)
                    products.update(factor for factor, power in factors.items() if power == 1)
            else:
                uses.update(self.graph.parts(place))
        for place in order:
            value = self.graph.values[place]
            if isinstance(value, Call) and value.name == "inverse" and uses[place] == products[place] == 1:
                self.divisors[place] = value.arguments[0]

    def _element(self, name: str, place: int) -> str:
        return f"{name}({place + 1})" if self.language == "fortran" else f"{name}[{place}]"

    def _line(self, text: str) -> None:
        self.lines.append(f"    {text}{';' if self.language in ('c', 'rust') else ''}")

    def _symbol(self, place: int) -> Any:
        return sympy.Symbol(self.texts[place])

    def _named(self, name: str) -> Any:
        """Returns the symbol of an input or an output."""
        if name in self.objects:
            return sympy.Symbol(self._leaf(name))
        return self._symbol(self.graph.outputs[name])

    def _value(self, place: int) -> None:
        value = self.graph.values[place]
        if isinstance(value, Leaf):
            self.texts[place] = self._leaf(value.name)
        elif isinstance(value, Sum):
            self._sum(place, value)
        elif place in self.divisors:
            return
        elif isinstance(value, Call):
            self._assign(place, self._printed(called(value, [self._symbol(part) for part in value.arguments])))
        else:
            made = filled(value.template, self._named)
            self._assign(place, self._own(made) or self._printed(made))

    def _own(self, value: Any) -> str | None:
        """Returns what SymPy prints otherwise in one language than in another: at negative numbers, or at NaN."""
        if isinstance(value, sympy.Mod):
            return self._remainder(*(self._operand(part) for part in value.args))
        if isinstance(value, (sympy.Max, sympy.Min)):
            first, *rest = (self._operand(part) for part in value.args)
            for place, other in enumerate(rest):
                right = self._larger(first, other, ">" if isinstance(value, sympy.Max) else "<")
                if place + 1 == len(rest):
                    return right
                first = self._fresh(right)
        if isinstance(value, sympy.sign):
            return self._sign(self._operand(value.args[0]))
        return None

    def _operand(self, value: Any) -> str:
        """Returns the text of a number or a name; of anything else that of a variable that holds it."""
        if value.is_Rational:
            number = self._number(str(abs(value)))
            return f"({'-' if value < 0 else ''}{number})" if value < 0 else number
        return self._printed(value) if value.is_Symbol else self._fresh(self._printed(value))

    def _remainder(self, a: str, b: str) -> str:
        """Returns the remainder with the sign of the divisor, as in Python."""
        if self.language == "python":
            return f"{a} % {b}"
        if self.language == "fortran":
            return f"modulo({a}, {b})"
        rest = self._fresh(f"fmod({a}, {b})" if self.language == "c" else f"{a} % {b}")
        if self.language == "c":
            return f"({rest} != 0.0 && ({rest} < 0.0) != ({b} < 0.0)) ? {rest} + {b} : {rest}"
        return f"if {rest} != 0.0 && ({rest} < 0.0) != ({b} < 0.0) {{ {rest} + {b} }} else {{ {rest} }}"

    def _larger(self, a: str, b: str, sign: str) -> str:
        """Returns the larger or smaller of two numbers; NaN if one of them is."""
        if self.language == "c":
            return f"({a} {sign} {b} || {a} != {a}) ? {a} : {b}"
        if self.language == "rust":
            return f"if {a} {sign} {b} || {a} != {a} {{ {a} }} else {{ {b} }}"
        if self.language == "fortran":
            return f"merge({a}, {b}, {a} {sign} {b} .or. {a} /= {a})"
        return f"{a} if {a} {sign} {b} or {a} != {a} else {b}"

    def _sign(self, a: str) -> str:
        if self.language == "c":
            return f"({a} > 0.0) ? 1.0 : ({a} < 0.0) ? -1.0 : {a}"
        if self.language == "rust":
            return f"if {a} > 0.0 {{ 1.0 }} else if {a} < 0.0 {{ -1.0 }} else {{ {a} }}"
        if self.language == "fortran":
            return f"merge(1.0_dp, merge(-1.0_dp, {a}, {a} < 0.0_dp), {a} > 0.0_dp)"
        return f"1.0 if {a} > 0 else -1.0 if {a} < 0 else {a}"

    def _leaf(self, name: str) -> str:
        value = self.objects[name]
        return self._element("x", self.inputs.index(value)) if value in self.inputs else self._constant(value)

    def _sum(self, place: int, value: Sum) -> None:
        if len(value.terms) == 1 and value.terms[0][0] == "1" and list(value.terms[0][1].values()) == [1]:
            [only] = value.terms[0][1]
            if only not in self.divisors:
                self.texts[place] = self.texts[only]
                return
        right = ""
        for number, factors in value.terms:
            size = number.removeprefix("-")
            above = {factor: power for factor, power in factors.items() if factor not in self.divisors}
            parts = [self.texts[factor] for factor, power in above.items() for _ in range(power)]
            if size != "1" or not parts:
                parts.insert(0, self._number(size))
            product = "*".join(parts)
            for factor in factors:
                if factor in self.divisors:
                    product += f"/{self.texts[self.divisors[factor]]}"
            if right and len(right) + len(product) > WIDTH:
                self._assign(place, right)
                right = self.texts[place]
            sign = "-" if number.startswith("-") else "+"
            right += f" {sign} {product}" if right else product if sign == "+" else f"-{product}"
        self._assign(place, right or self._number("0"))

    def _assign(self, place: int, right: str) -> None:
        again = place in self.texts
        if not again:
            self.texts[place] = self._next()
        self._declared(self.texts[place], right, again)

    def _fresh(self, right: str) -> str:
        """Returns a new variable that holds a value."""
        name = self._next()
        self._declared(name, right, False)
        return name

    def _next(self) -> str:
        name = f"t({self.temporaries + 1})" if self.language == "fortran" else f"t{self.temporaries}"
        self.temporaries += 1
        return name

    def _declared(self, name: str, right: str, again: bool) -> None:
        before, behind = {"c": ("" if again else "double ", ""), "rust": ("let ", ": f64")}.get(self.language, ("", ""))
        self._line(f"{before}{name}{behind} = {right}")

    def _number(self, size: str) -> str:
        """Returns a number that is not negative: a decimal one if it is short, else a fraction in parentheses."""
        above, _, below = size.partition("/")
        if below and (decimal := _decimal(int(above), int(below))):
            return decimal + ("_dp" if self.language == "fortran" else "")
        point = {"c": ".0", "rust": ".0", "fortran": ".0_dp"}.get(self.language, "")
        return f"({above}{point}/{below}{point})" if below else f"{above}{point}"

    def _constant(self, value: Any) -> str:
        number = complex(value) if value.is_number else complex(math.inf)
        if number.imag != 0 and self.language != "python":
            raise ValueError(f"language: {self.language} code of real numbers cannot hold {value}")
        if number.imag == 0 and math.isfinite(number.real):
            text = repr(number.real) + ("_dp" if self.language == "fortran" else "")
            return f"({text})" if number.real < 0 else text
        return self._printed(value)

    def _printed(self, value: Any) -> str:
        """Returns what SymPy prints."""
        try:
            text = self._print(value)
        except NotImplementedError:
            self._refuse(value)
        if "Not supported" in text:
            self._refuse(value)
        return text

    def _print(self, value: Any) -> str:
        if self.language == "c":
            return str(sympy.ccode(value))
        if self.language == "rust":
            return str(sympy.rust_code(value))
        if self.language == "python":
            return str(sympy.pycode(value))
        _, unknown, text = sympy.fcode(value, source_format="free", standard=95, human=False)
        if unknown:
            self._refuse(value)
        return str(text)

    def _refuse(self, value: Any) -> NoReturn:
        raise ValueError(f"language: SymPy cannot print `{value.func.__name__}` in {self.language}")
