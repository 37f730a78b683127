"""The live view of a distributed run."""

import json
import pathlib
import tempfile
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

import soloist
from remote import Knapsack
from soloist.distributed import resume, solve


def test_live_view_of_all_streams(tmp_path, capsys):
    """The page follows the streams and the run as a whole; a driver that resumes continues the same files."""
    pages = []

    def look(better):
        if not pages:
            url = capsys.readouterr().err.split("live view: ")[1].split()[0]
            with urllib.request.urlopen(url) as page:
                pages.append(page.read().decode())

    folder = tmp_path / "run"
    arguments = dict(executor=lambda: ThreadPoolExecutor(2), method="nrpa", slice={"playouts": 200}, seed=1)
    run = solve(
        "knapsack", "weak:20x1000:1", streams=3, playouts=1800, serve=0, on_improve=look, folder=folder, **arguments
    )
    assert "knapsack weak:20x1000:1, 3 streams" in pages[0]
    files = sorted((folder / "events").iterdir())
    assert [file.name for file in files] == ["all.jsonl", "stream-0.jsonl", "stream-1.jsonl", "stream-2.jsonl"]

    def events(file):
        return [json.loads(line) for line in file.read_text().splitlines()]

    assert [row["score"] for row in events(files[0]) if row["event"] == "improved"] == [one.score for one in run.history]
    for file, stream in zip(files[1:], run.streams):
        rows = events(file)
        assert [row["event"] for row in rows].count("start") == 1 and rows[0]["event"] == "start"
        assert (rows[0]["seed"], rows[0]["problem"]) == (stream.seed, "knapsack")
        last = rows[-1]
        assert (last["event"], last["playouts"], last["score"], last["stop"]) == ("end", 600, stream.score, "playouts")
    more = resume(folder, executor=lambda: ThreadPoolExecutor(2), playouts=3000)
    assert more.playouts == 3000 and [row["event"] for row in events(files[1])].count("start") == 2
    # What the command and the package read.
    page = soloist.report(folder, output=tmp_path / "report.html").read_text()
    assert "all 3 streams" in page
    with soloist.serve(folder) as server, urllib.request.urlopen(server.url) as live:
        assert live.status == 200
    # Without a folder and with a class nothing is left behind.
    before = set(pathlib.Path(tempfile.gettempdir()).glob("soloist-*"))
    run = solve(Knapsack(), streams=2, playouts=800, serve="127.0.0.1:0", **arguments)
    assert run.playouts == 800 and set(pathlib.Path(tempfile.gettempdir()).glob("soloist-*")) <= before
    with pytest.raises(ValueError, match="serve: expected a whole number, got 1.5"):
        solve(Knapsack(), streams=2, playouts=8, serve=1.5, **arguments)
