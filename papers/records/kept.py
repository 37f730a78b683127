"""What the scripts of record attempts share: a table of kept solutions, and one run of the program."""

import argparse
import csv
import json
import os
import subprocess
from pathlib import Path


def read(path, key):
    """The kept rows by the fields of `key`; none where the file is missing."""
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {tuple(row[name] for name in key): row for row in csv.DictReader(file)}


def write(path, fields, rows):
    """Replaces the file at once, so that an interruption loses nothing."""
    new = path.with_suffix(".new")
    with open(new, "w", newline="") as file:
        table = csv.DictWriter(file, fields, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    os.replace(new, path)


def solved(soloist, problem, instance, arguments, folder):
    """Solves an instance and returns the result, once `soloist check` has accepted it."""
    result = Path(folder) / "result.json"
    command = [soloist, "solve", problem, str(instance), *arguments, "--out", str(result), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([soloist, "check", problem, str(instance), str(result)], check=True, stdout=subprocess.DEVNULL)
    return json.loads(result.read_text())


def after(found):
    """The seconds after which the score of a result was found."""
    return f"{found['history'][-1]['seconds']:.1f}"


def call(text, commands, seconds, **more):
    """Reads the arguments of a script and calls one of its commands with them.

    `text` is shown by --help, `seconds` is the default of --seconds, `more` are further options with their defaults.
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=list(commands))
    parser.add_argument("--seconds", type=int, default=seconds)
    parser.add_argument("--only", default="")
    parser.add_argument("--soloist", default="soloist")
    for name, default in more.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    options = parser.parse_args()
    commands[options.what](options)
