"""Operations and processor seconds of `soloist.simplify` beside `sympy.cse`, for models of mechanics. Needs SymPy.

    python python/benches/expressions.py [bicycle] [robot]
"""

import inspect
import sys
import textwrap
import time

import sympy

import soloist


def bicycle():
    """Mass matrix and forcing of the Whipple bicycle, as SymPy's own test of Kane's method derives them."""
    from sympy.physics.mechanics.tests import test_kane3

    lines = inspect.getsource(test_kane3.test_bicycle).split("\n")
    first = 1 + next(at for at, line in enumerate(lines) if line.startswith("def "))
    last = next(at for at, line in enumerate(lines) if "the start of entering in the numerical values" in line)
    names = dict(vars(test_kane3))
    exec(textwrap.dedent("\n".join(lines[first:last])), names)
    kane = names["KM"]
    return [kane.mass_matrix, kane.forcing]


def robot():
    """Pose and Jacobian of a robot of six joints, by Denavit and Hartenberg (the proportions of a UR5)."""
    angles = sympy.symbols("q1:7")
    d1, d4, d5, d6, a2, a3 = sympy.symbols("d1 d4 d5 d6 a2 a3")
    half = sympy.pi / 2
    rows = [(0, half, d1), (a2, 0, 0), (a3, 0, 0), (0, half, d4), (0, -half, d5), (0, 0, d6)]
    pose = sympy.eye(4)
    for angle, (a, alpha, d) in zip(angles, rows):
        c, s, ca, sa = sympy.cos(angle), sympy.sin(angle), sympy.cos(alpha), sympy.sin(alpha)
        pose *= sympy.Matrix([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])
    return [pose[:3, :], pose[:3, 3].jacobian(angles)]


def counted(replacements, reduced):
    """Returns what SymPy counts, calls included."""
    return int(sympy.count_ops([value for _, value in replacements]) + sum(sympy.count_ops(list(one)) for one in reduced))


def main():
    for model in (bicycle, robot):
        if sys.argv[1:] and model.__name__ not in sys.argv[1:]:
            continue
        expressions = model()
        begin = time.process_time()
        theirs = counted(*sympy.cse(expressions))
        print(f"{model.__name__}: sympy.cse {theirs} by count_ops in {time.process_time() - begin:.1f} s", flush=True)
        for playouts in (50, None):
            begin, wall = time.process_time(), time.monotonic()
            done = soloist.simplify(expressions, seed=1, playouts=playouts)
            spent, waited = time.process_time() - begin, time.monotonic() - wall
            total = done.operations.total
            print(
                f"    soloist, playouts={playouts}: {total} operations + {done.calls} calls + {done.divisions} divisions, "
                f"{counted(done.replacements, done.reduced)} by count_ops; {spent:.1f} s of the processor, {waited:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
