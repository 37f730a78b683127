"""Functions of Python that compute simplified expressions: by the system's C compiler, or by Python and numpy."""

from __future__ import annotations

import ctypes
import math
import os
import random
import shlex
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def made(source: Any, inputs: Sequence[Any], compiled: bool | None) -> Callable[..., Any]:
    """Returns a function of the inputs; see `Simplified.lambdify`."""
    library, why, code = None, "it was not asked for", ""
    if compiled is not False:
        try:
            code = source.code("c", "evaluate")
            library = _library(code)
        except (ValueError, OSError, RuntimeError) as error:
            why = str(error)
    if library is None:
        if compiled:
            raise RuntimeError(f"compiled: {why}")
        return _interpreted(source, inputs)
    function = _function(library, source, len(inputs))
    try:
        other = _interpreted(source, inputs)
    except (NotImplementedError, RecursionError, ValueError):
        # Only C can compute this.
        return function
    found = _difference(function, other, len(inputs), code)
    if found is None:
        return function
    if compiled:
        raise RuntimeError(f"compiled: {found}")
    warnings.warn(f"{found}; Python computes the values", RuntimeWarning, stacklevel=3)
    return other


#: Points at which compiled and interpreted values are compared.
POINTS = 24


def _difference(compiled: Callable[..., Any], interpreted: Callable[..., Any], count: int, code: str) -> str | None:
    """Says where compiled and interpreted code differ; `None`: nowhere at random points, which the code decides."""
    draw = random.Random(code)
    kinds: list[Callable[[], float]] = [
        lambda: draw.uniform(-3, 3),
        lambda: draw.uniform(0, 2),
        lambda: float(draw.randint(-4, 4)),
        lambda: draw.uniform(-1, 0),
    ]
    points = [[kinds[at % len(kinds)]() for _ in range(count)] for at in range(POINTS)]
    for at in range(min(count, 4)):
        # NaN in one place, and in all.
        points += [[math.nan if place == at else value for place, value in enumerate(points[at])]]
    points += [[math.nan] * count] if count > 1 else []
    for point in points:
        try:
            with warnings.catch_warnings():
                # Of numpy, where there is no value.
                warnings.simplefilter("ignore")
                expected = _values(interpreted(*point))
                moved = _values(interpreted(*(value * (1 + 1e-12) for value in point)))
        except (ArithmeticError, AttributeError, NameError, TypeError, ValueError):
            # Python has no value here.
            continue
        found = _values(compiled(*point))
        for place, (value, other, near) in enumerate(zip(found, expected, moved, strict=True)):
            if isinstance(other, complex) or isinstance(near, complex):
                continue
            if math.isfinite(other) and math.isfinite(value):
                most = 1e-6 * max(1.0, abs(other)) + 1e4 * abs(near - other)
                same = not math.isfinite(most) or abs(value - other) <= most
            else:
                # A division by 0 is an infinity in C, and an error in Python, where code that is guarded has no value.
                has_none = math.isnan(other) and not math.isfinite(value)
                same = value == other or has_none or not _settled(other, near)
            if not same:
                shown = ", ".join(f"{number:.6g}" for number in point[:6])
                return f"output {place} is {value:.6g} by the C compiler and {other:.6g} by Python at ({shown})"
    return None


def _settled(value: float, near: float) -> bool:
    """Whether a value stays where the point moves by rounding."""
    return value == near or (math.isnan(value) and math.isnan(near))


def _values(result: Any) -> list[Any]:
    """Returns the numbers in a result."""
    if isinstance(result, (list, tuple)):
        return [value for part in result for value in _values(part)]
    if getattr(result, "shape", ()):
        return [value for part in result.ravel().tolist() for value in _values(part)]
    number = complex(result)
    return [number.real if number.imag == 0 else number]


def compiler() -> list[str] | None:
    """Returns the command of the C compiler."""
    own = shlex.split(os.environ.get("CC", ""))
    for command in ([own] if own else [["cc"], ["gcc"], ["clang"]]):
        if shutil.which(command[0]):
            return command
    return None


def _library(code: str) -> Any:
    """Compiles code and loads it."""
    command = compiler()
    if command is None:
        raise RuntimeError("there is no C compiler: neither CC nor cc, gcc or clang")
    # The file can go as soon as it is loaded.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        text, binary = Path(folder, "code.c"), Path(folder, "code.so")
        text.write_text(code)
        arguments = [*command, "-O2", "-std=c99", "-shared", "-fPIC", "-o", str(binary), str(text), "-lm"]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise RuntimeError(f"the C compiler `{command[0]}` failed: {lines[0]}")
        return ctypes.CDLL(str(binary))


def _function(library: Any, source: Any, count: int) -> Callable[..., Any]:
    one, many = library.evaluate, library.evaluate_many
    pointer = ctypes.POINTER(ctypes.c_double)
    one.argtypes, one.restype = [pointer, pointer], None
    many.argtypes, many.restype = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p], None
    outputs = source.count()
    inputs_type, outputs_type = ctypes.c_double * max(count, 1), ctypes.c_double * outputs

    def evaluate(*values: Any) -> Any:
        if len(values) != count:
            raise TypeError(f"expected {count} arguments, got {len(values)}")
        if all(isinstance(value, (int, float)) for value in values):
            result = outputs_type()
            one(inputs_type(*values), result)
            return source.shaped_numbers(list(result))
        import numpy

        arrays = numpy.broadcast_arrays(*(numpy.asarray(value, dtype=float) for value in values))
        points = numpy.stack([array.ravel() for array in arrays], axis=-1)
        results = numpy.empty((len(points), outputs))
        many(len(points), points.ctypes.data, results.ctypes.data)
        shape = arrays[0].shape
        columns = [results[:, place].reshape(shape) for place in range(outputs)]
        return source.shaped_numbers(columns)

    return evaluate


class _Numpy:
    """The functions of `math` for arrays."""

    OTHER = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
    OTHER |= {"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}

    def __getattr__(self, name: str) -> Any:
        import numpy

        return getattr(numpy, self.OTHER.get(name, name))


def _interpreted(source: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
    count = len(inputs)
    try:
        import numpy  # noqa: F401

        functions: Any = _Numpy()
    except ImportError:
        functions = math
    compute = source.interpreted(inputs, functions)

    def evaluate(*values: Any) -> Any:
        if len(values) != count:
            raise TypeError(f"expected {count} arguments, got {len(values)}")
        results = list(compute(*values))
        if any(getattr(value, "shape", ()) for value in values):
            import numpy

            # A constant output has no shape.
            shape = numpy.broadcast_shapes(*(numpy.shape(value) for value in values))
            results = [numpy.broadcast_to(result, shape) for result in results]
        return source.shaped_numbers(results)

    return evaluate
