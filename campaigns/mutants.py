"""Random changes of emitted code: python3 campaigns/mutants.py [--mutants N] [--seed S] [--language NAME ...].

For each language and type of numbers, code is written for fixed expressions and changed at random: a sign, a number, a
name, a word, a line. Each changed code is compiled and run. Where it computes something else than the code before, at
one of four points, `soloist check` has to refuse it. N is the number of such mutants for each language and type.

The last line is the summary. The exit code is 1 if a mutant is accepted.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from blackbox import SOLOIST

TEXT = """F = (x+y)^2*z - 3/7*x*y*z + x/3 - 12*y;
G = sin(x*z+y)*cos(y)/(x+5) + sqrt(x^2+1)^3;
H = Piecewise((x*y, x < y), (z*pi, y <= z), (1, True)) + (x+y)*z^2;
K = Max(x, z)*2 + atan2(y, z);
"""
POINTS = [(0.5, -1.25, 2.0), (1.5, 2.25, -0.75), (-2.0, 0.25, 0.5), (3.0, 1.0, 1.0)]
WORDS = ["sin", "cos", "tan", "sqrt", "exp", "x", "y", "t0", "t1", "t2", "double", "float", "int", "const", "0", "1", "2", "i", "n"]
TYPES = {"single": "float", "double": "double", "long": "long double", "quad": "__float128"}


def c_main(number):
    values = ", ".join(f"{value}" for point in POINTS for value in point)
    return f"""
#include <stdio.h>
int main(void) {{
    {number} x[] = {{{values}}}, y[16], z[16];
    for (int i = 0; i < 16; i++) y[i] = z[i] = 0;
    f_many(4, x, y);
    for (int p = 0; p < 4; p++) f(x + 3*p, z + 4*p);
    for (int i = 0; i < 16; i++) printf("%.9e %.9e\\n", (double)y[i], (double)z[i]);
    return 0;
}}
"""


def fortran_main(kind):
    lines = ["program main", f"real({kind}) :: x(3), y(4)"]
    for point in POINTS:
        lines += [f"x({at + 1}) = {value}" for at, value in enumerate(point)]
        lines += ["y = 0", "call f(x, y)", "print '(4es20.9)', real(y, kind(1.0d0))"]
    return "\n" + "\n".join(lines + ["end program"]) + "\n"


def targets():
    for float_type in ("double", "single", "long", "quad"):
        number = TYPES[float_type]
        yield "c", float_type, "a.c", c_main(number), ["gcc", "-w", "-std=gnu11", "-o", "a", "a.c", "-lquadmath", "-lm"]
    yield "cpp", "generic", "a.cpp", c_main("double"), ["g++", "-w", "-o", "a", "a.cpp"]
    rows = ", ".join(str([float(value) for value in point]) for point in POINTS)
    for float_type, number in (("double", "f64"), ("single", "f32"), ("generic", "f64")):
        main = (
            f"\nfn main() {{ let points: [[{number}; 3]; 4] = [{rows}]; for x in points {{ let mut y = [0.0; 4]; "
            'f(&x, &mut y); for v in y { println!("{:.9e}", v); } } }\n'
        )
        yield "rust", float_type, "a.rs", main, ["rustc", "-A", "warnings", "-o", "a", "a.rs"]
    for float_type, kind in (("double", "kind(1.0d0)"), ("single", "kind(1.0)"), ("quad", "selected_real_kind(33)")):
        yield "fortran", float_type, "a.f90", fortran_main(kind), ["gfortran", "-w", "-o", "a", "a.f90"]
    points = repr(list(map(list, POINTS)))
    yield "python", "double", "a.py", f"\nfor point in {points}:\n    print(*f(point))\n", None


def mutant(code, rng):
    lines = code.splitlines()
    at = rng.randrange(len(lines))
    if rng.random() < 0.08:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif rng.random() < 0.05:
        del lines[at]
    else:
        tokens = re.findall(r"\w+|\s+|.", lines[at])
        places = [place for place, token in enumerate(tokens) if token.strip()]
        if not places:
            return None
        place = rng.choice(places)
        token = tokens[place]
        if token in "+-*/<>=?:":
            tokens[place] = rng.choice(list("+-*/<>") + ["<=", "=="])
        elif token.isdigit():
            tokens[place] = rng.choice([str(rng.randrange(14)), token + "0", token[:-1] or "9"])
        elif re.fullmatch(r"[a-z]+\d+", token):
            tokens[place] = re.sub(r"\d+", str(rng.randrange(14)), token)
        else:
            tokens[place] = rng.choice(["", rng.choice(WORDS), token * 2, "-" + token])
        lines[at] = "".join(tokens)
    changed = "\n".join(lines) + "\n"
    return changed if changed != code else None


def values(folder, name, code, main, build):
    """What the code prints, or None if it does not compile, run or end."""
    (folder / name).write_text(code + main)
    try:
        if build and subprocess.run(build, cwd=folder, capture_output=True, timeout=120).returncode:
            return None
        run = [sys.executable, "-W", "ignore", name] if build is None else ["./a"]
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True, timeout=20)
        return [float(word) for word in done.stdout.split()] if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, ValueError, UnicodeDecodeError):
        return None


def differs(expected, found, loose):
    if len(expected) != len(found):
        return True
    return any(not abs(a - b) <= loose * (1 + abs(a)) for a, b in zip(expected, found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", nargs="*")
    args = parser.parse_args()
    accepted = checked = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        text = folder / "input.txt"
        text.write_text(TEXT)
        for language, float_type, name, main_text, build in targets():
            if args.language and language not in args.language:
                continue
            if build and shutil.which(build[0]) is None:
                print(f"{language} {float_type}: {build[0]} is missing, left out")
                continue
            call = [SOLOIST, "simplify", text, "--emit", language, "--float", float_type, "--playouts", "20", "--quiet"]
            code = subprocess.run(call, capture_output=True, text=True, check=True).stdout
            expected = values(folder, name, code, main_text, build)
            if expected is None:
                sys.exit(f"{language} {float_type}: the code itself does not run")
            rng = random.Random(f"{args.seed} {language} {float_type}")
            found = tried = 0
            while found < args.mutants and tried < 40 * args.mutants:
                tried += 1
                changed = mutant(code, rng)
                if changed is None:
                    continue
                result = values(folder, name, changed, main_text, build)
                if result is None or not differs(expected, result, 1e-4 if float_type == "single" else 1e-8):
                    continue
                found += 1
                path = folder / "changed"
                path.write_text(changed)
                call = [SOLOIST, "check", "horner", text, path]
                if subprocess.run(call, capture_output=True).returncode == 0:
                    accepted += 1
                    print(f"{language} {float_type}: accepted\n{changed}")
            checked += found
            print(f"{language} {float_type}: {found} mutants of other values among {tried}", flush=True)
    print(f"{checked} mutants that compute something else, {accepted} accepted")
    sys.exit(accepted > 0)


if __name__ == "__main__":
    main()
