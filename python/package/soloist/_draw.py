"""Results as drawings: SVG, HTML and matplotlib."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

from ._progress import number

if TYPE_CHECKING:
    from ._result import Improvement, Result

_WIDTH, _HEIGHT = 480, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 14, 26, 34
#: The longest drawing of an instance that a notebook gets, in characters.
_MOST = 400_000


def steps(result: Result) -> list[Improvement]:
    """Returns the events at which the best score of the whole run became better."""
    found: list[Improvement] = []
    sign = -1.0 if result.sense == "minimize" else 1.0
    for event in result.history:
        if event.score is None:
            continue
        before = found[-1].score if found else None
        if before is None or sign * event.score > sign * before:
            found.append(event)
    return found


def curve(result: Result, x: str) -> tuple[list[float], list[float]]:
    """Returns the best score over playouts or seconds: a point for each improvement, and the end of the run."""
    events = steps(result)
    if x == "seconds" and any(event.seconds is None for event in events):
        raise ValueError("x: the history of this run has no seconds; use x='playouts'")
    at = [float(event.playouts if x == "playouts" else event.seconds or 0.0) for event in events]
    best = [event.score for event in events if event.score is not None]
    if events:
        at.append(max(float(result.playouts if x == "playouts" else result.seconds), at[-1]))
        best.append(best[-1])
    return at, best


def _label(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def history_svg(result: Result) -> str:
    """Returns the best score over the playouts, on a logarithmic scale, as an SVG."""
    title = f"{result.problem} {result.instance}".strip() + f", {result.method}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" role="img" font-family="sans-serif" font-size="11" fill="#444">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        _label(_WIDTH / 2, 16, title if len(title) <= 70 else title[:69] + "…"),
    ]
    at, best = curve(result, "playouts")
    if not at:
        parts.append(_label(_WIDTH / 2, _HEIGHT / 2, "no feasible solution"))
        return "".join(parts) + "</svg>"
    bound = result.bound if result.bound is not None and math.isfinite(result.bound) else None
    ends = [value for value in best if math.isfinite(value)] + ([] if bound is None else [bound])
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)
    if low == high:
        low, high = low - 1.0, high + 1.0
    first, last = math.log10(max(at[0], 1.0)), math.log10(max(at[-1], 1.0))
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def across(value: float) -> float:
        share = (math.log10(max(value, 1.0)) - first) / (last - first) if last > first else 1.0
        return _LEFT + share * (right - _LEFT)

    def up(value: float) -> float:
        return bottom - (min(max(value, low), high) - low) / (high - low) * (bottom - _TOP - 6)

    path = f"M{across(at[0]):.1f} {up(best[0]):.1f}"
    for place, value in zip(at[1:], best[1:]):
        path += f"H{across(place):.1f}V{up(value):.1f}"
    parts.append(f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#999"/>')
    for value in {low, high}:
        parts.append(_label(_LEFT - 6, up(value) + 4, number(value), "end"))
    if bound is not None:
        parts.append(f'<path d="M{_LEFT} {up(bound):.1f}H{right}" stroke="#c60" stroke-dasharray="5 4"/>')
        parts.append(_label(_LEFT + 6, up(bound) + (12 if up(bound) < bottom - 16 else -5), "bound", "start"))
    parts.append(f'<path d="{path}" fill="none" stroke="#06c" stroke-width="2"/>')
    level = up(best[-1])
    parts.append(_label(right, level + (14 if level < _TOP + 20 else -6), f"best {number(best[-1])}", "end"))
    parts.append(_label(_LEFT, bottom + 14, number(at[0]), "start"))
    parts.append(_label(right, bottom + 14, number(at[-1]), "end"))
    parts.append(_label((_LEFT + right) / 2, bottom + 28, "playouts"))
    return "".join(parts) + "</svg>"


def table(result: Result) -> str:
    """Returns what a result says, as an HTML table."""
    if result.score is not None:
        score = number(result.score) + (", optimal" if result.optimal else "")
    elif result.infeasible:
        score = "none: it is proven that no solution is feasible"
    elif result.violation is not None:
        score = f"none: the best solution is infeasible by {number(result.violation)}"
    else:
        score = "none: no solution was finished"
    threads = f", {result.threads} threads" if result.threads > 1 else ""
    rows = [
        ("problem", f"{result.problem} {result.instance}".strip()),
        ("score", f"{score} ({result.sense})"),
        ("bound", "unknown" if result.bound is None else number(result.bound)),
        ("gap", None if result.gap is None else f"{result.gap:.2%}"),
        ("method", f"{result.method}, seed {result.seed}{threads}"),
        ("effort", f"{result.playouts:,} playouts, {result.nodes:,} nodes, {result.seconds:.2f} s"),
        ("ended by", result.stop),
    ]
    cells = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{html.escape(text)}</td></tr>'
        for name, text in rows
        if text is not None
    )
    return f"<table>{cells}</table>"


def drawing(result: Result) -> str | None:
    """Returns the solution as the shipped problem draws it; None: there is no drawing."""
    instance = result._instance
    if instance is None or result.moves is None:
        return None
    try:
        drawn = instance.svg(result)
    except ValueError:
        return None
    return drawn if drawn.lstrip().startswith("<") and len(drawn) <= _MOST else None


def page(result: Result) -> str:
    """Returns a result as a notebook shows it."""
    parts = [table(result), history_svg(result)]
    drawn = drawing(result)
    if drawn is not None:
        parts.append(drawn[drawn.index("<svg") :] if "<svg" in drawn else drawn)
    return "<div>" + "".join(f"<div>{part}</div>" for part in parts) + "</div>"


def plot(result: Result, ax: Any, x: str) -> Any:
    """Draws the history of a result by matplotlib."""
    if x not in ("playouts", "seconds"):
        raise ValueError(f'x: expected "playouts" or "seconds", got {x!r}')
    at, best = curve(result, x)
    if ax is None:
        try:
            from matplotlib import pyplot  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise ImportError("plot() draws by matplotlib, which is missing: pip install matplotlib") from error
        ax = pyplot.subplots()[1]
    ax.step(at, best, where="post", label=f"{result.method}, seed {result.seed}")
    if result.bound is not None and math.isfinite(result.bound):
        ax.axhline(result.bound, linestyle="--", label="bound")
    if x == "playouts" and at:
        ax.set_xscale("log")
    ax.set_xlabel(x)
    ax.set_ylabel("best score")
    ax.set_title(f"{result.problem} {result.instance}".strip())
    ax.legend()
    return ax
