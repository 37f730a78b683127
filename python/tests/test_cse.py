"""SymPy expressions in and out: `soloist.cse` and `soloist.simplify`."""

import fractions
import functools
import hashlib
import random
import subprocess

import pytest
import soloist

sympy = pytest.importorskip("sympy")
from sympy import Float, Function, I, Matrix, Max, Piecewise, Rational, S, pi, sin, sqrt, symbols  # noqa: E402

X = symbols("x y z u v")
x, y, z, u, v = X
f, g = Function("f"), Function("g")
A = sympy.IndexedBase("A")
M = sympy.MatrixSymbol("M", 2, 2)
FAST = dict(playouts=1, seed=1)


def random_expression(draw, depth):
    """Returns a random expression that has an exact value at rational points, with functions as black boxes."""
    if depth == 0:
        leaves = [*X, A[0], M[0, 1], S(draw.randint(-3, 3)), Rational(draw.randint(-5, 5), draw.randint(1, 4))]
        return draw.choice(leaves)
    inner = functools.partial(random_expression, draw, depth - 1)
    match draw.randint(0, 9):
        case 0 | 1 | 2:
            return sympy.Add(*(inner() for _ in range(draw.randint(2, 4))))
        case 3 | 4 | 5:
            return sympy.Mul(*(inner() for _ in range(draw.randint(2, 3))))
        case 6:
            return inner() ** draw.choice([2, 3, 4, -1, -2])
        case 7:
            return draw.choice([f, g])(inner(), *(inner() for _ in range(draw.randint(0, 1))))
        case 8:
            # Conditions are simple: SymPy takes nested ones apart.
            left, right = (sympy.Mul(*draw.sample(X, 2)) + draw.choice(X) for _ in range(2))
            return Piecewise((inner(), left < right), (inner(), True))
        case _:
            return Max(inner(), inner())


def exact(value, point):
    """Returns the value at a rational point; an unknown function has the value of a hash of its arguments."""

    def of(value):
        if value in point:
            return point[value]
        if value.is_Rational:
            return fractions.Fraction(int(value.p), int(value.q))
        if value.is_Add:
            return sum(of(part) for part in value.args)
        if value.is_Mul:
            product = fractions.Fraction(1)
            for part in value.args:
                product *= of(part)
            return product
        if value.is_Pow and value.exp.is_Integer:
            return of(value.base) ** int(value.exp)
        if isinstance(value, Piecewise):
            return next(of(part) for part, condition in value.args if holds(condition))
        if isinstance(value, Max):
            return max(of(part) for part in value.args)
        assert isinstance(value, (f, g)), value
        text = f"{value.func}{[str(of(part)) for part in value.args]}"
        return fractions.Fraction(int(hashlib.sha256(text.encode()).hexdigest()[:6], 16) + 1, 1000)

    def holds(condition):
        if condition in (sympy.true, sympy.false):
            return condition == sympy.true
        if isinstance(condition, (sympy.And, sympy.Or, sympy.Not)):
            return bool(condition.func(*(sympy.sympify(holds(part)) for part in condition.args)))
        if isinstance(condition, sympy.ITE):
            choice, first, second = condition.args
            return holds(first if holds(choice) else second)
        left, right = of(condition.lhs), of(condition.rhs)
        signs = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}
        return {**signs, "==": left == right, "!=": left != right}[condition.rel_op]

    return of(value)


def is_finite(value):
    """Whether a value is real for real inputs."""
    return not value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, I)


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions_have_the_same_exact_values(seed):
    draw = random.Random(seed)
    given = [random_expression(draw, draw.randint(1, 3)) for _ in range(draw.randint(1, 3))]
    given = [value for value in given if is_finite(value)]
    replacements, reduced = soloist.cse(given, **FAST)
    for _ in range(3):
        point = {leaf: fractions.Fraction(draw.randint(-9, 9), draw.randint(1, 7)) for leaf in [*X, A[0], M[0, 1]]}
        try:
            expected = [exact(value, point) for value in given]
        except ZeroDivisionError:
            continue
        for symbol, value in replacements:
            point[symbol] = exact(value, point)
        assert [exact(value, point) for value in reduced] == expected


SPECIAL = [
    sqrt(x * y) ** 3 + x ** Rational(2, 3) / (2 * x - 2 * y),
    (2 * x) ** z + x**0.5 + y ** (z + 1) + 2**z,
    0.1 * (x + y) ** 2 + Float("1e-30", 30) * (x + y) - 9.81 * x,
    pi * (x + y) + sympy.E * (x + y) ** 2 + I * (x + y) + sympy.EulerGamma,
    sin(x + y) ** 2 + sympy.cos(2 * (x + y)) + sympy.sec(x + y) + sympy.exp(-x - y) * sympy.log(x + y),
    sympy.floor(x + y) + sympy.gamma(x + y + 1) + sympy.erf(x + y) + sympy.Abs(2 * x + 2 * y),
    Piecewise(((x + y) ** 2, (x + y > 1) & (z < 2)), (Max(x + y, z), True)),
    A[1] * (x + y) + M[0, 1] * M[1, 0] * (x + M[0, 1]) + A[1],
    f(x + y) * f(x + y, z) + f(x).diff(x) * (x + y) + sympy.Integral(f(x), (x, 0, x + y)),
    sympy.atan2(x + y, 2 * x) + sympy.sqrt(2) * (x + y) + sympy.binomial(5, 2) + x ** (x + y),
]


@pytest.mark.parametrize("value", SPECIAL, ids=str)
def test_what_sympy_knows_is_put_back(value):
    replacements, [reduced] = soloist.cse([value, value + 1], postprocess=lambda r, e: (r, e[:1]), **FAST)
    for symbol, inner in reversed(replacements):
        reduced = reduced.subs(symbol, inner)
    point = {leaf: Rational(3 + place, 7) for place, leaf in enumerate(X)}
    point |= {A[1]: Rational(1, 3), M[0, 1]: S(2), M[1, 0]: Rational(2, 7)}
    difference = (value - reduced).subs(point)
    assert sympy.simplify(difference.doit()) == 0 or abs(sympy.N(difference.doit(), 40, maxn=200)) < 1e-14


def test_the_interface_of_sympy():
    matrix, sparse = Matrix([[x + y, (x + y) ** 2]]), sympy.SparseMatrix([[x + y, 0]])
    assert soloist.cse([], **FAST) == sympy.cse([]) == ([], [])
    assert soloist.cse(x) == sympy.cse(x)
    assert soloist.cse(7) == sympy.cse(7)
    x0, x1 = symbols("x0 x1")
    assert soloist.cse(matrix, **FAST) == ([(x0, x + y)], [Matrix([[x0, x0**2]])])
    for given in (matrix, matrix.as_immutable(), sparse, (x + y, x), {1: x + y}, {x + y}, sympy.Tuple(x, y), x * y, "x + y"):
        ours, theirs = (cse(given, list=False)[1] for cse in (soloist.cse, sympy.cse))
        assert type(ours) is type(theirs)
    # Symbols that occur are left out, own ones are used, and their end is told.
    assert soloist.cse([x0 * y + z, x0 * y], **FAST) == ([(x1, x0 * y)], [x1 + z, x1])
    assert soloist.cse([x * y + z, x * y], iter([u]), **FAST)[0] == [(u, x * y)]
    with pytest.raises(ValueError, match="ran out"):
        soloist.cse([x * y + z, x * y], iter([]), **FAST)
    # As in the documentation of sympy.
    assert soloist.cse([y**2 * (x + 1), 3 * y**2 * (x + 1)], ignore=(y,), **FAST) == (
        [(x0, x + 1)],
        [x0 * y**2, 3 * x0 * y**2],
    )
    assert soloist.cse([x * y, x * y + 1], postprocess=lambda r, e: (e, r), **FAST) == ([x0, x0 + 1], [(x0, x * y)])
    passes = [(lambda value: value.subs(u, x * y), lambda value: value.subs(z, v))]
    assert soloist.cse([u + z, u], optimizations=passes, **FAST) == ([(x0, x * y)], [v + x0, x0])
    with pytest.raises(ValueError, match="canonical"):
        soloist.cse([x], order="random")


def test_lambdify_of_sympy():
    given = [(x + y) ** 4 + sin(x + y), x * y]
    both = [sympy.lambdify([x, y], given, modules="math", cse=cse) for cse in (functools.partial(soloist.cse, **FAST), True)]
    ours, theirs = (function(0.3, 0.4) for function in both)
    assert ours[0] == pytest.approx(theirs[0], rel=1e-14) and ours[1] == theirs[1]
    single = sympy.lambdify([x, y], x * y + x, cse=functools.partial(soloist.cse, list=False, **FAST))
    assert single(2, 3) == 8


def test_it_finds_what_sympy_does_not():
    expanded = x**3 * y**2 + x**2 * y + x**3 * z
    counts = []
    for replacements, reduced in (soloist.cse(expanded, seed=1), sympy.cse(expanded)):
        counts.append(sympy.count_ops([value for _, value in replacements] + reduced))
    assert counts[0] <= 6 < counts[1]


def both_ways(done, values):
    """Returns what Python and the C compiler compute."""
    return [done.lambdify(compiled=compiled)(*values) for compiled in (False, True)]


def flat(value):
    if isinstance(value, (list, tuple)) or getattr(value, "shape", ()):
        return [number for part in value for number in flat(part)]
    return [float(value)]


REAL = [
    (x + y) ** 4 + sin(x + y) * (2 * x) ** z,
    Matrix([[x + y, (x + y) ** 2], [sin(x), 1]]),
    [Matrix([[x, y * x]]), [x * y, (x + y) ** 3]],
    [Piecewise((x + y, x + y > 1), ((x + y) ** 2, True)), pi * (x + y), Max(x + y, z), 9.81 * x, sympy.exp(x + y), pi],
    [-0.5 * x, sqrt(2) * x + Rational(1, 3), x / y + 1 / (2 * x - 2 * y), A[1] * M[0, 1]],
]


@pytest.mark.parametrize("given", REAL, ids=str)
def test_code_computes_what_sympy_does(given):
    done = soloist.simplify(given, **FAST)
    point = dict(zip(done.inputs, [0.7, 1.4, 0.3, 1.1], strict=False))
    entries = sympy.flatten([list(part) if hasattr(part, "rows") else part for part in (given if isinstance(given, list) else [given])])
    expected = [float(sympy.sympify(value).subs(point).evalf()) for value in entries]
    for result in both_ways(done, list(point.values())):
        assert flat(result) == pytest.approx(expected, rel=1e-13)
    space = {}
    exec(done.code("python", "p"), space)
    assert space["p"](list(point.values())) == pytest.approx(expected, rel=1e-13)
    # The shape, and that of replacements put back.
    value = done.reduced
    assert type(value) is type(given) or not isinstance(given, list)
    numpy = pytest.importorskip("numpy")
    for result in both_ways(done, [numpy.full(3, number) for number in point.values()]):
        assert flat(result) == pytest.approx([number for number in expected for _ in range(3)], rel=1e-13)


def compiled_by(command, code, name, tmp_path):
    file = tmp_path / name
    file.write_text(code)
    try:
        done = subprocess.run([*command, str(file)], cwd=tmp_path, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip(f"no {command[0]}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "language, command, name",
    [
        ("c", ["gcc", "-Wall", "-Werror", "-c"], "a.c"),
        ("c", ["g++", "-c"], "a.cpp"),
        ("rust", ["rustc", "--crate-type", "lib"], "a.rs"),
        ("fortran", ["gfortran", "-c"], "a.f90"),
    ],
)
def test_code_that_only_sympy_can_print_compiles(language, command, name, tmp_path):
    long = sum(pi**k * x**k * sin(x + k) for k in range(1, 12))
    given = [Piecewise((x + y, x + y > 1), ((x + y) ** 2, True)), pi * (x + y), Max(x + y, z), 2**z * 1e-5, long]
    compiled_by(command, soloist.simplify(given, **FAST).code(language), name, tmp_path)


def test_inputs_and_their_order():
    done = soloist.simplify([x * y + z, x * y], **FAST)
    assert done.inputs == [x, y, z] and done.outputs == ["y0", "y1"]
    done = soloist.simplify(x * y + z, args=[u, z, "y", x], **FAST)
    assert done.inputs == [u, z, y, x]
    assert both_ways(done, [9, 1, 2, 3]) == [7, 7]
    with pytest.raises(ValueError, match="args: `z` occurs"):
        soloist.simplify(x * y + z, args=[x, y])
    assert soloist.simplify("t = a*b; y = t + c; w = 3*t", args=["c", "b", "a"], outputs=["w"], **FAST).inputs == ["c", "b", "a"]
    q = Function("q")(x)
    assert soloist.simplify(q.diff(x) * q + q, **FAST).inputs == sorted([q, q.diff(x)], key=sympy.default_sort_key)


def test_text_with_replacements_and_lambdify():
    done = soloist.simplify("w = a+b; y = w^3 + sin(w)", **FAST)
    a, b, x0 = symbols("a b x0")
    assert (done.replacements, done.reduced) == ([(x0, a + b)], [x0**3 + sin(x0)])
    assert done.calls == 1 and done.inputs == ["a", "b"] and done.outputs == ["y"]
    for result in both_ways(done, [1.0, 0.5]):
        assert result == pytest.approx(1.5**3 + float(sin(1.5)), rel=1e-15)


def test_remainders_have_the_sign_of_the_divisor():
    done = soloist.simplify([sympy.Mod(x, 3), sympy.Mod(x * y, y - 4)], **FAST)
    for values in ([-1.0, 2.0], [7.5, -2.0], [-7.5, 9.0], [6.0, 1.0], [-0.5, 0.25]):
        for result in both_ways(done, values):
            assert result == [values[0] % 3, (values[0] * values[1]) % (values[1] - 4)]
    space = {}
    exec(done.code("python", "p"), space)
    assert space["p"]([-1.0, 2.0]) == [2.0, 0.0]


def test_nan_is_neither_larger_nor_smaller():
    done = soloist.simplify([Max(x, 1), sympy.Min(x, y, 2), sympy.sign(x)], **FAST)
    nan = float("nan")
    for result in both_ways(done, [nan, 1.0]):
        assert all(value != value for value in result)
    for result in both_ways(done, [-3.0, nan]):
        assert result[0] == 1 and result[1] != result[1] and result[2] == -1
    for result in both_ways(done, [3.0, -1.0]):
        assert result == [3.0, -1.0, 1.0]


def test_a_quotient_is_one_division():
    for done in (soloist.simplify(sympy.floor(x / y), **FAST), soloist.simplify("f = floor(x/y)", **FAST)):
        assert both_ways(done, [49.0, 49.0]) == [1.0, 1.0]
        assert "x[0]/x[1]" in done.code("c")
    done = soloist.simplify("q = x/y; r = acos(x/y)", **FAST)
    for tiny in (49.0, 1e-309):
        for result in both_ways(done, [tiny, tiny]):
            assert result == [1.0, 0.0]
    # With conditionals, Python guards what may have no value.
    done = soloist.simplify("f = Piecewise((x/y, Ne(y, 0)), (7, True)); g = 2*x/3/z + 1/z**2", **FAST)
    for at, expected in (({"x": 49.0, "y": 49.0, "z": 3.0}, 1.0), ({"x": 1.0, "y": 0.0, "z": 3.0}, 7.0)):
        for result in both_ways(done, [at[name] for name in done.inputs]):
            assert result[0] == expected


def test_compiled_and_interpreted_values_are_compared(monkeypatch):
    from soloist import _emit

    # What SymPy prints for C has the sign of the dividend.
    monkeypatch.setattr(_emit._Writer, "_own", lambda self, value: None)
    done = soloist.simplify(sympy.Mod(x, 3), **FAST)
    with pytest.raises(RuntimeError, match=r"compiled: output 0 is -.* by the C compiler and .* by Python at"):
        done.lambdify(compiled=True)
    with pytest.warns(RuntimeWarning, match="Python computes the values"):
        assert done.lambdify()(-1.0) == 2.0


def test_cube_roots_of_texts_are_real():
    done = soloist.simplify("f = cbrt(x) + 1;", notation="c", **FAST)
    for result in both_ways(done, [-8.0]):
        assert result == pytest.approx(-1.0, abs=1e-15)
    assert done.reduced[0].subs("x", -8) == -1


def test_what_is_skipped_is_listed():
    done = soloist.simplify("restart; f := x*y;", notation="maple", **FAST)
    assert (done.skipped, done.outputs) == (["restart"], ["f"])
    assert soloist.simplify(x * y, **FAST).skipped == []
    with pytest.raises(soloist.InstanceError, match="floor division"):
        soloist.simplify("f = a//b", notation="sympy")
    with pytest.raises(ValueError, match="c code of real numbers cannot hold I"):
        soloist.simplify((x + I * y) ** 2, **FAST).code("c")


def test_errors_of_objects():
    for wrong in (object(), [x, object()], True, {x: y}, sympy.MatrixSymbol("N", 2, 2), x > y):
        with pytest.raises(TypeError, match="expressions: expected"):
            soloist.simplify(wrong)
    with pytest.raises(TypeError, match="order: of a text only"):
        soloist.simplify(x, order=["x"])
    done = soloist.simplify(pi * x + sympy.besselj(x, y), **FAST)
    with pytest.raises(ValueError, match="form"):
        done.code("form")
    with pytest.raises(ValueError, match="besselj"):
        done.code("c")
    with pytest.raises(RuntimeError, match="compiled: .*besselj"):
        done.lambdify(compiled=True)
    with pytest.raises(TypeError, match="expected 2 arguments, got 1"):
        soloist.simplify(x * y, **FAST).lambdify()(1)


def test_without_a_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    done = soloist.simplify(x * y + x, **FAST)
    assert done.lambdify()(2, 3) == 8
    with pytest.raises(RuntimeError, match="no C compiler"):
        done.lambdify(compiled=True)


def test_complex_numbers_are_left_to_python():
    done = soloist.simplify(I * (x + y) + (x + y) ** 2, **FAST)
    assert done.lambdify()(1, 2) == 9 + 3j


def test_deep_and_shared_expressions():
    value = x
    for place in range(25):
        value = sin(value) * value + place
    replacements, _ = soloist.cse(value, **FAST)
    assert len(replacements) >= 20
    deep = x
    for _ in range(130):
        deep = sqrt(deep + 1)
    [reduced] = soloist.cse(deep, **FAST)[1]
    assert reduced == deep
