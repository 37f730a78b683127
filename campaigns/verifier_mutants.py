"""Changes of the verifiers of solutions: python3 campaigns/verifier_mutants.py [DOMAIN ...] [--mutants N] [--seed S].

Each mutant is one change of a `verify.rs`: a comparison that lets one more or one less pass, a condition turned round, a
number one larger, `&&` for `||`, a refusal left out. The tests of the domain's crate have to fail with it. A mutant that
does not compile is left out. N is the number of mutants of each file, drawn at random; 0: all of them.

The tree is copied, so that nothing here is changed; what is compiled stays in target/mutants. The last line is the
summary. The exit code is 1 if a mutant survives that ACCEPTED does not name.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# By name: crate, file, and the tests that are run.
DOMAINS = {
    "hypercube": ("soloist-hypercube", "crates/domains/hypercube/src/verify.rs", []),
    "knapsack": ("soloist-knapsack", "crates/domains/knapsack/src/verify.rs", []),
    "morpion": ("soloist-morpion", "crates/domains/morpion/src/verify.rs", []),
    "packing": ("soloist-packing", "crates/domains/packing/src/verify.rs", []),
    "partition": ("soloist-partition", "crates/domains/partition/src/verify.rs", []),
    "rich-vrp": ("soloist-routing", "crates/domains/routing/src/rich/verify.rs", ["--lib"]),
    "stacking": ("soloist-stacking", "crates/domains/stacking/src/verify.rs", []),
    "tiles": ("soloist-tiles", "crates/domains/tiles/src/verify.rs", []),
    "tsptw": ("soloist-routing", "crates/domains/routing/src/tsptw/verify.rs", ["--lib"]),
    "vrptw": ("soloist-routing", "crates/domains/routing/src/vrptw/verify.rs", ["--lib"]),
}
# Pattern and what stands there instead.
RULES = [
    (r" > ", [" >= ", " < ", " > 1 + "]),
    (r" >= ", [" > ", " < "]),
    (r" < ", [" <= ", " > ", " + 1 < "]),
    (r" <= ", [" < ", " > "]),
    (r" == ", [" != "]),
    (r" != ", [" == "]),
    (r" && ", [" || "]),
    (r" \|\| ", [" && "]),
    (r" \+ ", [" - "]),
    (r" - ", [" + "]),
    (r" \+= ", [" -= "]),
    (r"\bis_none_or\b", ["is_some_and"]),
    (r"\bis_some_and\b", ["is_none_or"]),
    (r"\bis_some\(\)", ["is_none()"]),
    (r"\bis_none\(\)", ["is_some()"]),
    (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]),
    (r"\bany\(", ["all("]),
    (r"\ball\(", ["any("]),
    (r"(?<![\w.])(\d+)(?![\w.]*\d)\b", None),
    (r"return Err\([^;]*;", ["{}"]),
    (r"\)\?;$", [").ok();"]),
]
# Mutants that change nothing that matters: part of the line, and why.
ACCEPTED = {
    "unwrap_or(usize::MAX)": "another place that does not exist",
    "with_capacity": "room that is reserved",
    "split_whitespace().take(6)": "a line of six words is as wrong as one of seven",
}


def code_lines(text):
    """Returns the numbers of the lines that hold code, without comments and tests."""
    numbers = []
    for at, line in enumerate(text.splitlines()):
        if line.strip() == "#[cfg(test)]":
            break
        if not line.strip().startswith(("//", "use ", "#", "mod ", "pub use ")):
            numbers.append(at)
    return numbers


def mutants(text):
    """Returns all changes of a file: number of the line, the line before and after."""
    lines = text.splitlines()
    found = []
    for at in code_lines(text):
        line = lines[at]
        # Words in messages are no code.
        quoted = [(match.start(), match.end()) for match in re.finditer(r'"(?:[^"\\]|\\.)*"', line)]
        for pattern, others in RULES:
            for match in re.finditer(pattern, line):
                if any(begin < match.end() and match.start() < end for begin, end in quoted) and "return Err" not in pattern:
                    continue
                for other in others or [str(int(match.group(1)) + 1)]:
                    found.append((at, line, line[: match.start()] + other + line[match.end() :]))
    return found


def is_accepted(line):
    return any(part in line for part in ACCEPTED)


def tests_fail(folder, target, crate, arguments):
    """Whether the tests fail; `None`: the change does not compile."""
    call = ["cargo", "test", "--quiet", "-p", crate, "--target-dir", str(target), *arguments]
    if subprocess.run([*call, "--no-run"], cwd=folder, capture_output=True).returncode != 0:
        return None
    try:
        done = subprocess.run(call, cwd=folder, capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", metavar="DOMAIN", help=", ".join(DOMAINS))
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name in arguments.domains:
        if name not in DOMAINS:
            parser.error(f"no domain {name}: {', '.join(DOMAINS)}")
    rng = random.Random(arguments.seed)
    counts = {"killed": 0, "survived": 0, "accepted": 0, "do not compile": 0}
    target = ROOT / "target" / "mutants"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder) / "tree"
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, tracked.decode().split("\0")):
            if (ROOT / name).is_file() and not name.startswith("papers/"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        for domain in arguments.domains or DOMAINS:
            crate, file, options = DOMAINS[domain]
            if tests_fail(folder, target, crate, options) is not False:
                sys.exit(f"{domain}: the tests fail without a change")
            text = (folder / file).read_text()
            all_of_them = mutants(text)
            drawn = all_of_them if not arguments.mutants else rng.sample(all_of_them, min(arguments.mutants, len(all_of_them)))
            for at, before, after in sorted(drawn):
                lines = text.splitlines()
                lines[at] = after
                (folder / file).write_text("\n".join(lines) + "\n")
                failed = tests_fail(folder, target, crate, options)
                if failed is None:
                    counts["do not compile"] += 1
                elif failed:
                    counts["killed"] += 1
                elif is_accepted(before):
                    counts["accepted"] += 1
                else:
                    counts["survived"] += 1
                    print(f"{file}:{at + 1}: survives\n  - {before.strip()}\n  + {after.strip()}", flush=True)
            (folder / file).write_text(text)
    print("verifier mutants: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(1 if counts["survived"] else 0)


if __name__ == "__main__":
    main()
