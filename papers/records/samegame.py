#!/usr/bin/env python3
"""Attempts at the 20 standard boards of SameGame, one after the other, kept in samegame.csv.

    python3 samegame.py run --boards DIR [--seconds 60] [--threads 1] [--only REGEX] [--soloist PROGRAM]
    python3 samegame.py check --boards DIR    every kept game, by the rules of the game alone
    python3 samegame.py table                 the scores, in Markdown

DIR holds the boards js01.txt to js20.txt. `run` makes one attempt at each board, with the default method: seed 1 at
first, then 2, and so on. Its game is kept if `soloist check` and the rules accept it and it has more points. A run that
is interrupted loses the attempt that it was at; the same call makes the next ones.
"""

import re
import sys
import tempfile
from pathlib import Path

import kept

HERE = Path(__file__).resolve().parent
KEPT = HERE / "samegame.csv"
FIELDS = ["board", "score", "attempts", "seconds", "threads", "seed", "after", "moves"]
BOARDS = [f"js{number:02}" for number in range(1, 21)]
# T. Cazenave and S. Edelkamp, 2016: the better one of NRPA and HD-NRPA of level 4 (10^8 playouts).
KNOWN = [3179, 3985, 3937, 3913, 4319, 4809, 2795, 3967, 4813, 3219,
         3395, 3559, 3399, 3107, 3761, 5307, 5043, 5429, 5163, 5087]


def points(rows, moves):
    """The score of a game; exits at a move that the rules do not allow.

    `rows` are the board from the top; a move is a (row, column) of a tile of the group, of the board as it is then.
    """
    height = len(rows)
    # Each column from its bottom.
    columns = [[rows[height - 1 - level][at] for level in range(height)] for at in range(len(rows[0]))]
    score = 0
    for row, column in moves:
        seed = (column, height - 1 - row)
        if not (0 <= seed[0] < len(columns) and 0 <= seed[1] < len(columns[seed[0]])):
            sys.exit(f"no tile at row {row}, column {column}")
        group, edge = {seed}, [seed]
        while edge:
            at, level = edge.pop()
            for near in ((at - 1, level), (at + 1, level), (at, level - 1), (at, level + 1)):
                inside = 0 <= near[0] < len(columns) and 0 <= near[1] < len(columns[near[0]])
                if inside and near not in group and columns[near[0]][near[1]] == columns[at][level]:
                    group.add(near)
                    edge.append(near)
        if len(group) < 2:
            sys.exit(f"a single tile at row {row}, column {column}")
        score += (len(group) - 2) ** 2
        columns = [[tile for level, tile in enumerate(tiles) if (at, level) not in group]
                   for at, tiles in enumerate(columns)]
        columns = [tiles for tiles in columns if tiles]
    if columns:
        sys.exit("tiles are left: the penalty is not computed here")
    return score + 1000


def moves_of(row):
    return [tuple(map(int, move.split(","))) for move in row["moves"].split()]


def board(options, name):
    return Path(options.boards) / f"{name}.txt"


def verified(options, name, moves):
    """The points of a game on a board, by the rules."""
    rows = [line.split() for line in board(options, name).read_text().splitlines() if line.strip()]
    return points(rows, moves)


def attempt(options, name, row):
    """Makes one attempt at a board and returns its row."""
    seed = int(row["attempts"]) + 1 if row else 1
    arguments = ["--time", str(options.seconds), "--threads", str(options.threads), "--seed", str(seed)]
    with tempfile.TemporaryDirectory() as folder:
        found = kept.solved(options.soloist, "samegame", board(options, name), arguments, folder)
    score, solution = int(found["score"]), found["solution"]
    if row and score <= int(row["score"]):
        return {**row, "attempts": seed}
    if solution["tiles_left"] > 0:
        if row:
            return {**row, "attempts": seed}
        sys.exit(f"{name}, seed {seed}: the board is not cleared; more --seconds may help")
    moves = [(move["row"], move["col"]) for move in solution["moves"]]
    if verified(options, name, moves) != score:
        sys.exit(f"{name}, seed {seed}: the rules give another score")
    text = " ".join(f"{at},{column}" for at, column in moves)
    new = (name, score, seed, options.seconds, options.threads, seed, kept.after(found), text)
    return dict(zip(FIELDS, new))


def read():
    return {name: row for (name,), row in kept.read(KEPT, ("board",)).items()}


def run(options):
    for name in BOARDS:
        if re.search(options.only, name):
            row = attempt(options, name, read().get(name))
            # Another process may have kept other boards meanwhile.
            rows = read() | {name: row}
            kept.write(KEPT, FIELDS, (rows[known] for known in BOARDS if known in rows))
            print(name, rows[name]["score"], flush=True)


def check(options):
    rows = read()
    for name, row in rows.items():
        if verified(options, name, moves_of(row)) != int(row["score"]):
            sys.exit(f"{name}: the rules give another score")
    print(len(rows), "games,", sum(int(row["score"]) for row in rows.values()), "points")


def table(_):
    rows = read()
    print("| board | points | moves | attempts | 2016 |")
    print("|---|---:|---:|---:|---:|")
    for name, known in zip(BOARDS, KNOWN):
        if name in rows:
            row = rows[name]
            print(f"| {name} | {row['score']} | {len(moves_of(row))} | {row['attempts']} | {known} |")
    sums = sum(int(row["score"]) for row in rows.values()), sum(KNOWN)
    print(f"| sum | **{sums[0]}** | | | {sums[1]} |")


if __name__ == "__main__":
    kept.call(__doc__, {"run": run, "check": check, "table": table}, 60, boards=".", threads=1)
