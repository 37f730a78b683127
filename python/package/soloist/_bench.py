"""Comparisons of methods: runs over instances and seeds at equal budgets, tables and tests."""

from __future__ import annotations

import contextlib
import html
import json
import os
import pathlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _arguments, _soloist
from ._field import Contender, Entry, calls, field_of, in_terms_of_arguments
from ._progress import Shown
from ._result import Stop
from ._run import Limits, keywords

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _text(value: Any) -> str:
    """Returns a value as TOML has it."""
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _table(values: Mapping[str, Any]) -> str:
    """Returns settings or limits as TOML has them; those that are None are left out."""
    return "{ " + ", ".join(f"{_text(key)} = {_text(value)}" for key, value in values.items() if value is not None) + " }"


def _contender(method: Any) -> list[str]:
    """Returns a method of a comparison as TOML has it."""
    entry = {"method": method} if isinstance(method, str) else method
    if not isinstance(entry, Mapping):
        raise TypeError(f"methods: expected names, or dicts with `method` and settings, got {_arguments.shown(method)}")
    entry, lines, limits = dict(entry), [], {}
    name = entry.get("method")
    for key in ("name", "method", "rollout"):
        value = entry.pop(key, None)
        if value is not None:
            lines.append(f"{key} = {_text(_arguments.text(f'methods: {key}', value))}")
    if name:
        _soloist.check_method(name)
    names = _arguments.limits()
    settings = _arguments.settings(entry.pop("params", None), {})
    for key, value in entry.items():
        if key in names and key not in settings:
            limits[key] = value
        else:
            settings[key] = _arguments.setting(f"methods: {key}", value)
    if settings:
        lines.append(f"set = {_table(settings)}")
    if limits:
        lines.append(f"budget = {_table(_arguments.limits(**limits))}")
    return lines


def _seeds(seeds: Any) -> list[int]:
    """Returns the seeds of a comparison: as many as a number says, from 1 on, or those of a list."""
    if isinstance(seeds, Iterable) and not isinstance(seeds, (str, bytes)):
        return [_arguments.count("seeds", seed, least=0, most=2**64 - 1) for seed in seeds]
    return list(range(1, _arguments.count("seeds", seeds, most=100_000) + 1))


@keywords(Limits)
def bench(
    problems: Entry | Sequence[Entry] | Mapping[str, Entry],
    methods: Contender | Iterable[Contender],
    *,
    instances: Entry | Sequence[Entry] | None = None,
    seeds: int | Iterable[int] = 5,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    baseline: str | None = None,
    best_known: Mapping[str, float] | str | os.PathLike[str] | None = None,
    gaps: Sequence[float] | None = None,
    targets: Sequence[float] | None = None,
    title: str | None = None,
    file: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    serve: int | str | None = None,
    progress: Shown = None,
    stop: Stop | None = None,
    **limits: Unpack[Limits],
) -> Comparison:
    """Compares methods over instances and seeds at equal budgets.

    All methods run with the same seeds on the same instances. The tables have means with intervals, ranks and wins; pairs of
    methods are compared by paired tests, corrected for their number. Each result is verified. These are the tables and
    statistics of ``soloist bench``.

    Ctrl-C and ``stop`` end the comparison: the runs so far are kept and those at work are dropped. An exception in a
    function of a problem ends it as well, and is raised. With a ``file`` the same call makes the runs that are missing.

    Args:
        problems: problems of your own, one or a list or a dict with their names; instances of a problem that ships; or the
            name of such a problem. All must be of one sense.
        methods: names of methods, or dicts with ``method`` and its parameters. A dict may also have ``name`` (in the
            tables), ``rollout``, and limits of its own.
        instances: files, patterns and specs (``"random:6x6x3:1..10"`` are ten), where ``problems`` is a name.
        time: seconds of each run.
        playouts: playouts of each run.
        nodes: nodes of each run.
        target: a run ends at a solution with this score.
        stall: a run ends after this many playouts without improvement.
        memory: bytes for search trees.
        max_moves: moves of a game.
        seeds: how many, from 1 on, or the seeds themselves.
        options: rules of a problem that ships.
        threads: streams of each run; 1 for Python problems that are not :func:`compiled`.
        baseline: the method that the others are compared with; default: all pairs are compared.
        best_known: best known scores by the name of the instance, or a CSV file; the tables then have gaps.
        gaps: relative distances to the best known score whose times are in the profile.
        targets: scores whose times are in the profile.
        title: a heading of the tables.
        file: where runs are kept as JSON lines, which :func:`report` and the command read. Default: nowhere.
        fresh: empties the file first.
        jobs: runs at a time; by default as many as there are cores, and one for Python problems that are not
            :func:`compiled`.
        serve: a port of this machine on which a live page shows the runs.
        progress: shows how far it is, as that of :func:`solve`.
        stop: ends the comparison, as that of :func:`solve`.

    >>> found = soloist.bench("samegame", ["sampling", {"method": "nrpa", "level": 2}], instances="random:6x6x3:1..3",
    ...                       playouts=300, seeds=2, progress=False)
    >>> [(row["method"], round(row["mean"])) for row in found.rows]
    [('sampling', 833), ('nrpa level=2', 838)]
    """
    budget = _arguments.limits(**limits)
    [field] = field_of("problems", problems, instances)
    rules = field.rules(options)
    given = [methods] if isinstance(methods, (str, Mapping)) else list(methods)
    if not given:
        raise ValueError("methods: expected at least one")
    threads = field.threads(_arguments.count("threads", threads, most=256))
    lines = [] if title is None else [f"title = {_text(_arguments.text('title', title))}"]
    lines += [f"problem = {_text(field.problem)}", f"instances = [{', '.join(map(_text, field.names))}]"]
    lines += [f"seeds = [{', '.join(_text(seed) for seed in _seeds(seeds))}]", f'threads = "{threads}"']
    if rules:
        lines.append(f"options = {_table(rules)}")
    if any(value is not None for value in budget.values()):
        lines.append(f"budget = {_table(budget)}")
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(best_known, Mapping):
            lines.append(f"best_known = {_text(known_scores(folder, field.names, field.problem, best_known))}")
        elif best_known is not None:
            lines.append(f"best_known = {_text(_arguments.path('best_known', best_known).absolute())}")
        for method in given:
            lines += ["[[method]]", *_contender(method)]
        if baseline is not None:
            lines += ["[compare]", f"baseline = {_text(_arguments.text('baseline', baseline))}"]
        if gaps or targets:
            lines.append("[profile]")
            lines += [f"gaps = [{', '.join(_text(_arguments.real('gaps', gap)) for gap in gaps)}]"] if gaps else []
            if targets:
                lines.append(f"scores = [{', '.join(_text(_arguments.real('targets', score)) for score in targets)}]")
        path = pathlib.Path(folder, "runs.jsonl") if file is None else _arguments.path("file", file)
        wish = {
            "description": "\n".join(lines) + "\n",
            "place": pathlib.Path.cwd() / "bench",
            "file": path,
            "fresh": bool(fresh),
            "jobs": field.jobs(jobs),
            "serve": None if serve is None else address(serve),
        }
        asked, display = calls(progress, stop)
        with contextlib.closing(display), in_terms_of_arguments():
            found = _soloist.run_bench(field.request(asked), wish)
        # Runs that were made at the same time stand in the file as they have ended.
        with open(path, encoding="utf-8") as runs:
            made = {json.loads(line)["job"]: line for line in runs if line.strip()}
    return Comparison(found, [made[key] for key in found["keys"] if key in made])


def known_scores(folder: str, names: Sequence[str], problem: str, best: Mapping[str, float]) -> str:
    """Writes best known scores as a table of ``bench``, and returns its path."""
    import csv

    path = os.path.join(folder, "best.csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["instance", "value"])
        for name, score in best.items():
            whole = name if name in names or f"{problem}:{name}" not in names else f"{problem}:{name}"
            writer.writerow([whole, _arguments.real("best_known", score)])
    return path


def address(place: int | str) -> str:
    """Returns the address of a live page: a port of this machine, or an address with its port."""
    if isinstance(place, str):
        if ":" in place:
            return place
        if not place.isdecimal():
            raise ValueError(f"serve: expected a port, or an address such as 0.0.0.0:8000, got {_arguments.shown(place)}")
        place = int(place)
    return f"127.0.0.1:{_arguments.count('serve', place, least=0, most=65_535)}"


class Comparison:
    """What the runs of a comparison say; :func:`bench` makes it."""

    def __init__(self, found: Mapping[str, Any], records: Sequence[str]) -> None:
        self._found = {key: found[key] for key in ("json", "text", "full", "markdown", "svg", "missing")}
        self._records = list(records)

    @property
    def _json(self) -> dict[str, Any]:
        return json.loads(self._found["json"])  # type: ignore[no-any-return]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The methods with their figures: ``mean``, ``bootstrap`` (its interval), ``median``, ``best``, ``mean_rank``,
        ``wins``, ``playouts_per_second`` and others."""
        return self._json["methods"]  # type: ignore[no-any-return]

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The pairs of methods with their tests: ``difference``, ``interval``, ``p_wilcoxon``, ``better`` (None: not
        clear) and others."""
        return self._json["comparisons"]  # type: ignore[no-any-return]

    @property
    def instances(self) -> list[dict[str, Any]]:
        """The instances with the mean and the best score of each method."""
        return self._json["instances"]  # type: ignore[no-any-return]

    @property
    def notes(self) -> list[str]:
        """What a reader must know to interpret the figures."""
        return self._json["notes"]  # type: ignore[no-any-return]

    @property
    def profile(self) -> list[dict[str, Any]]:
        """How many of the runs reached each target, over playouts and over seconds."""
        return self._json["profile"] or []

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The records of the runs, as ``soloist bench`` keeps them: ``instance``, ``label``, ``seed``, ``score`` and
        others."""
        return [json.loads(line) for line in self._records]

    @property
    def missing(self) -> int:
        """How many runs are missing, because the comparison was ended."""
        return int(self._found["missing"])

    def text(self, all: bool = False) -> str:
        """Returns the tables that ``soloist bench`` prints; ``all``: with a row for each instance and the profiles."""
        return self._found["full" if all else "text"]  # type: ignore[no-any-return]

    __str__ = text

    def __repr__(self) -> str:
        return f"<soloist.Comparison of {len(self.rows)} methods, {len(self._records)} runs>"

    def markdown(self) -> str:
        """Returns all tables as Markdown."""
        return self._found["markdown"]  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Returns all figures as the object of ``soloist bench --json``."""
        return self._found["json"]  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        return html_of(self.markdown()) + (self._repr_svg_() or "")

    def _repr_svg_(self) -> str | None:
        """Returns how many of the runs reached the targets over playouts and seconds, as a drawing."""
        return self._found["svg"]  # type: ignore[no-any-return]

    def to_pandas(self, what: str = "rows") -> Any:
        """Returns ``"rows"``, ``"pairs"``, ``"instances"`` or ``"runs"`` as a data frame of pandas."""
        import pandas

        if what == "instances":
            rows = [{"instance": one["instance"], "best_known": one["best_known"], "method": method, **scores}
                    for one in self.instances for method, scores in one["methods"].items()]  # fmt: skip
        elif what == "runs":
            rows = [{key: value for key, value in run.items() if not isinstance(value, (dict, list))} for run in self.runs]
        elif what in ("rows", "pairs"):
            rows = getattr(self, what)
        else:
            raise ValueError(f'what: expected "rows", "pairs", "instances" or "runs", got {_arguments.shown(what)}')
        return pandas.DataFrame(rows)

    def plot(self, ax: Any = None) -> Any:
        """Draws the scores of all runs by matplotlib, a box for each method, and returns the axes."""
        from matplotlib import pyplot

        if ax is None:
            _, ax = pyplot.subplots()
        labels = [row["method"] for row in self.rows]
        runs = self.runs
        scores = [[run["score"] for run in runs if run["label"] == label and run["score"] is not None] for label in labels]
        ax.boxplot(scores)
        ax.set_xticks(range(1, len(labels) + 1), labels)
        ax.set_ylabel("score")
        return ax

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the runs as JSON lines, which :func:`report` and the command read."""
        place = _arguments.path("path", path)
        new = place.with_name(place.name + ".new")
        new.write_text("".join(self._records), encoding="utf-8")
        new.replace(place)

    def report(self, output: str | os.PathLike[str] = "report.html", **arguments: Any) -> pathlib.Path:
        """Writes the page of the runs; the arguments are those of :func:`soloist.report`."""
        from ._report import report

        return report(self, output=output, **arguments)


def html_of(markdown: str) -> str:
    """Returns tables of Markdown as HTML."""
    parts: list[str] = []
    table: list[list[str]] = []

    def cells(line: str) -> list[str]:
        return [cell.strip().replace("\\|", "|") for cell in line.strip().strip("|").replace("\\|", "\0").split("|")]

    def end() -> None:
        if table:
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table[0])
            rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in table[1:])
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
            table.clear()

    for line in markdown.splitlines():
        if line.startswith("|"):
            if set(line) - set("|-: "):
                table.append([cell.replace("\0", "|").replace("\\", "") for cell in cells(line)])
            continue
        end()
        text = html.escape(line.lstrip("#- ").replace("\\", ""))
        if text:
            parts.append(f"<h4>{text}</h4>" if line.startswith("#") else f"<p>{text}</p>")
    end()
    return "".join(parts)
