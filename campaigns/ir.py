"""Counts the lines of LLVM's intermediate code of each crate: python3 campaigns/ir.py [--check PAGE] [--package NAME].

Lines before any optimisation say how much a crate gives the compiler to do, on any machine and under any load. The crates
are built as by `cargo build --release`, each in one unit, without optimisation, into target/ir.

With --check, the counts are compared with the last column of the table under "Lines of intermediate code" in PAGE. The
exit code is 1 if a crate has a tenth more than there, or is not there.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "ir"
HEADING = "Lines of intermediate code"
#: How much a crate may grow before the page has to say so.
GROWTH = 1.1
#: Crates that are built in several units otherwise.
UNITS = ["soloist-cli", "soloist-study"]


def build(package):
    """Compiles the package and what it uses."""
    flags = "--emit=llvm-ir,link -Cno-prepopulate-passes"
    env = dict(os.environ, RUSTFLAGS=flags, CARGO_TARGET_DIR=str(TARGET), CARGO_PROFILE_RELEASE_CODEGEN_UNITS="1")
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--package", package]
    for name in UNITS:
        command += ["--config", f"profile.release.package.{name}.codegen-units=1"]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


def count():
    """Returns the lines by crate, of the newest file of each. The command itself, a few lines, is left out."""
    newest = {}
    for path in sorted((TARGET / "release" / "deps").glob("soloist*.ll"), key=lambda path: path.stat().st_mtime):
        lines = sum(1 for _ in path.open("rb"))
        if lines > 1000:
            newest[path.name.split("-")[0]] = lines
    return newest


def noted(page):
    """Returns the lines by crate that a page notes, from the last column of its table."""
    text = page.read_text()
    start = text.index(f"## {HEADING}\n")
    end = text.find("\n## ", start + 1)
    rows = re.findall(r"^\| `(\w+)` .*\| ([\d,]+) \|$", text[start : end if end > 0 else None], re.MULTILINE)
    return {name: int(lines.replace(",", "")) for name, lines in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=Path, metavar="PAGE")
    parser.add_argument("--package", default="soloist-cli", metavar="NAME")
    arguments = parser.parse_args()
    build(arguments.package)
    lines = count()
    before = noted(arguments.check) if arguments.check else {}
    grown = []
    for name, now in sorted(lines.items(), key=lambda row: -row[1]):
        was = before.get(name)
        print(f"{now:>10,} {name}" + (f" ({now / was:.3f} of {was:,})" if was else ""))
        if arguments.check and (was is None or now > GROWTH * was):
            grown.append(name)
    print(f"{sum(lines.values()):>10,} lines of intermediate code in {len(lines)} crates")
    if grown:
        sys.exit(f"a tenth more than {arguments.check} says, or not there: {', '.join(grown)}")


if __name__ == "__main__":
    main()
