#!/usr/bin/env python3
"""Runs `auto`, its presets and other solvers on the problems of general.md, and prints the tables.

    python3 comparisons/general.py run auto --seconds 30 --seeds 1,2,3       every instance by one method
    python3 comparisons/general.py run portfolio --seconds 8 --seeds 1       twelve instances by `auto` and its presets
    python3 comparisons/general.py run auto --classes --seconds 10 --seeds 1,2,3   generated instances of classes.py
    python3 comparisons/general.py install                                   peers, from PyPI and crates.io into target/
    python3 comparisons/general.py run cp-sat --seconds 30                   job shops by CP-SAT with one worker
    python3 comparisons/general.py run cabs-didp --seconds 30                SOP, talent and LCS by didppy's CABS
    python3 comparisons/general.py run rpid --seconds 30                     the same by CABS of the crate rpid
    python3 comparisons/general.py run ddo --seconds 30                      the same by the examples of the crate ddo
    python3 comparisons/general.py table                                     Markdown of all that was run

Needs `cargo build --release -p soloist-cli -p soloist --bins --examples`. Instances lie in shared/data beside the checkout.
Seconds are processor seconds: where a C compiler is found, programs run with cpuclock.c, the clock of all comparisons.
Without one they are seconds of wall clock, and the script says so. One thread, one process at a time. Results are
appended to target/general.jsonl.
"""
import argparse
import functools
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared/data"
BIN = Path(os.environ.get("SOLOIST_BIN", ROOT / "target/release"))
LOG = Path(os.environ.get("GENERAL_LOG", ROOT / "target/general.jsonl"))
VENV = ROOT / "target/peers"
DDO = ROOT / "target/ddo"
DDO_VERSION = "2.0.0"

# Instance: example program or `soloist` with its problem, the file or spec, the sense (1: larger is better).
JOBS = ["ft10", "la21", "la24", "la25", "la27", "la29", "la36", "la37", "la38", "la39", "la40", "ta01", "ta11"]
GENERAL = {name: ("jobshop", f"general/jobshop/{name}.txt", -1) for name in JOBS}
GENERAL |= {name: ("sop", f"general/sop/{name}.sop", -1) for name in ["ft53.1", "kro124p.1", "rbg253a"]}
GENERAL |= {name: ("talent", f"general/talent/{name}.txt", -1) for name in ["random-40x20", "MobStory"]}
GENERAL |= {"poz_12_3_0": ("lcs", "general/lcs/poz_12_3_0.txt", 1)}
SHIPPED = {
    "samegame random:15x15x5:7": ("samegame", "random:15x15x5:7", 1),
    "snake d7k2": ("snake", "d7k2", 1),
    "partition hard0100": ("partition", "partition/hard0100.dat", -1),
    "stacking 10-A": ("stacking", "stacking/10-A.txt", -1),
    "knapsack weak:100x1000:7": ("knapsack", "weak:100x1000:7", 1),
    "horner res:5,4": ("horner", "res:5,4", -1),
}
TWELVE = {name: GENERAL[name] for name in ["la38", "ta01", "ft53.1", "rbg253a", "random-40x20", "poz_12_3_0"]} | SHIPPED
PRESETS = ["auto", "default", "anneal", "cabs", "beam", "nrpa", "gnrpa", "uct-best", "sampling"]

CLOCK = Path(__file__).with_name("cpuclock.c")


def environment():
    """The environment of a program whose clock shows its processor time."""
    library = ROOT / "target/cpuclock.so"
    if not library.exists() or library.stat().st_mtime < CLOCK.stat().st_mtime:
        library.parent.mkdir(exist_ok=True)
        # Programs that run keep the library they have loaded.
        made = library.with_suffix(f".{os.getpid()}")
        try:
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", made, CLOCK, "-ldl"], check=True, capture_output=True)
            made.replace(library)
        except (OSError, subprocess.CalledProcessError) as error:
            fault = getattr(error, "stderr", None) or str(error).encode()
            print(f"seconds are seconds of wall clock, without a clock of processor time: {fault.decode()}", file=sys.stderr)
            return dict(os.environ)
    return dict(os.environ, LD_PRELOAD=str(library))


def place(text):
    return str(DATA / text) if "/" in text else text


def run(command, seconds, env):
    """Returns the output of a program and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60 * seconds + 600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, used


def ours(name, where, method, seconds, seed, env):
    program, file, _ = where
    if name in GENERAL:
        method = "auto" if method == "default" else method
        command = [BIN / "examples" / program, place(file), method, str(seconds), str(seed)]
        done, used = run(command, seconds, env)
        score = done.stdout.split()[0] if done.stdout else ""
        remarks = done.stdout.splitlines()[1:]
        proven = "(optimal)" in done.stdout
        value = float(score) if score.lstrip("-").replace(".", "").isdigit() else None
    else:
        command = [BIN / "soloist", "solve", program, place(file), "--time", f"{seconds}s", "--seed", str(seed)]
        command += ["--json", "--quiet"] + ([] if method == "default" else ["--method", method])
        done, used = run(command, seconds, env)
        result = json.loads(done.stdout) if done.stdout else {}
        value = result.get("score") if result.get("feasible") else None
        remarks, proven = result.get("remarks", []), result.get("optimal", False)
    return {"score": value, "proven": proven, "used": round(used, 1), "remarks": remarks}


def peer(name, where, method, seconds, env):
    python = Path(sys.executable) if method == "rpid" else VENV / "bin/python"
    if method == "rpid":
        rpid()
    if not python.exists():
        sys.exit(f"{method} is absent: `general.py install` installs it from PyPI")
    program, file, _ = where
    script = Path(__file__).with_name("peers.py")
    done, used = run([python, script, method, program, place(file), str(seconds)], seconds, env)
    if done.returncode != 0:
        sys.exit(f"{method} on {name}: {done.stderr.strip().splitlines()[-1:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]), used=round(used, 1))


def install():
    """Installs the peers: OR-Tools and didppy from PyPI, the examples of ddo from crates.io."""
    subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    subprocess.run([VENV / "bin/pip", "install", "--quiet", "ortools", "didppy"], check=True)
    user = DDO / "user"
    (user / "src").mkdir(parents=True, exist_ok=True)
    (user / "src/lib.rs").touch()
    # A workspace of its own, whatever lies above it.
    (user / "Cargo.toml").write_text(DDO_USER)
    command = ["cargo", "metadata", "--format-version", "1"]
    packages = json.loads(subprocess.run(command, cwd=user, check=True, capture_output=True).stdout)["packages"]
    source = Path(next(package["manifest_path"] for package in packages if package["name"] == "ddo")).parent
    # The folder of downloaded crates is not to be written to.
    shutil.copytree(source, DDO / "source", dirs_exist_ok=True)
    with (DDO / "source/Cargo.toml").open("a") as manifest:
        manifest.write("\n[workspace]\n")
    examples = [word for name in DDO_EXAMPLES.values() for word in ("--example", name)]
    command = ["cargo", "build", "--release", "--quiet", *examples, "--target-dir", DDO / "target"]
    subprocess.run(command, cwd=DDO / "source", check=True, env=dict(os.environ, RUSTFLAGS="--cap-lints allow"))


# A package that needs ddo, for cargo to download it.
DDO_USER = f"""[package]
name = "ddo-user"
version = "0.0.0"
edition = "2021"

[dependencies]
ddo = "={DDO_VERSION}"

[workspace]
"""
DDO_EXAMPLES = {"sop": "sop", "talent": "talentsched", "lcs": "lcs"}


def ddo(where, seconds, env):
    program, file, _ = where
    binary = DDO / "target/release/examples" / DDO_EXAMPLES[program]
    if not binary.exists():
        sys.exit("ddo is absent: `general.py install` installs it from crates.io")
    command = [binary, place(file), "--threads", "1", "--duration", str(max(1, round(seconds)))]
    done, used = run(command, seconds, env)
    said = dict(line.split(":", 1) for line in done.stdout.splitlines() if ":" in line)
    value = float(said["Objective"]) if "Objective" in said else -1.0
    # -1: nothing found.
    proven = said.get("Aborted", "").strip() == "false"
    return {"score": value if value >= 0 else None, "proven": proven, "used": round(used, 1)}


@functools.cache
def rpid():
    """Builds the program with the models for the crate rpid where that is needed, and returns it."""
    manifest, folder = Path(__file__).with_name("rpid") / "Cargo.toml", ROOT / "target/rpid"
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", manifest, "--target-dir", folder]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
        fault = next((line for line in done.stderr.splitlines() if line.startswith("error")), done.stderr.strip()[-200:])
        failed = done.returncode != 0
    except OSError as error:
        failed, fault = True, error
    if failed:
        sys.exit(f"rpid is absent: the build of comparisons/rpid failed: {fault}")
    return folder / "release/soloist-rpid"


def append(**record):
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a") as log:
        log.write(json.dumps(record) + "\n")
    print({key: value for key, value in record.items() if key != "remarks"}, flush=True)


def best_known():
    known = {}
    for line in (DATA / "general/best_known.csv").read_text().splitlines()[1:]:
        fields = line.split(",")
        known[fields[1]] = fields[2]
    # TSPLIB's bounds are [38762, 39420], and the table has the lower one.
    known["kro124p.1"] = "39420"
    return {name: float(value) for name, value in known.items() if value.replace(".", "").isdigit()}


def table():
    records = [json.loads(line) for line in LOG.read_text().splitlines()]
    known = best_known()
    whole = [r for r in records if r["set"] == "all"]
    methods = list(dict.fromkeys(r["method"] for r in whole))
    print("| | best known |" + "".join(f" {m} | gap |" for m in methods))
    print("|---|---:|" + "---:|---:|" * len(methods))
    for name, (_, _, sense) in GENERAL.items():
        row = f"| {name} | {known.get(name, float('nan')):g} |"
        for method in methods:
            scores = [r["score"] for r in whole if (r["instance"], r["method"]) == (name, method)]
            valid = [score for score in scores if score is not None]
            row += " " + (", ".join(f"{s:g}" if s is not None else "none" for s in scores) or "") + " |"
            gap = 0.0 - sense * (statistics.mean(valid) / known[name] - 1) if valid and name in known else None
            row += f" {100 * gap:+.2f} % |" if gap is not None else " |"
        print(row)
    twelve = [r for r in records if r["set"] == "twelve"]
    if not twelve:
        return
    methods = [m for m in PRESETS if any(r["method"] == m for r in twelve)]
    ranks = {m: [] for m in methods}
    print("\n| |" + "".join(f" {m} |" for m in methods) + " behind |\n|---|" + "---:|" * (len(methods) + 1))
    for name, (_, _, sense) in TWELVE.items():
        means = {}
        for method in methods:
            scores = [r["score"] for r in twelve if (r["instance"], r["method"]) == (name, method)]
            if scores and None not in scores:
                means[method] = statistics.mean(scores)
        if "auto" not in means:
            continue
        # What the problem runs by default is `auto` itself where it names nothing.
        if name in GENERAL:
            means.pop("default", None)
        single = {m: value for m, value in means.items() if m != "auto"}
        best = max(single.values(), key=lambda value: sense * value)
        for method in methods:
            worse = [sense * value for m, value in means.items() if m != method]
            if method in means:
                own = sense * means[method]
                ranks[method].append(1 + sum(v > own for v in worse) + 0.5 * sum(v == own for v in worse))
            elif not (method == "default" and name in GENERAL):
                ranks[method].append(len(means) + 1)
        behind = sense * (best - means["auto"]) / abs(best) + 0.0
        cells = "".join(f" {means[m]:.6g} |" if m in means else " |" for m in methods)
        print(f"| {name} |{cells} {100 * behind:+.2f} % |")
    # The ranks of a method are those among the methods that ran on the instance.
    print("| mean rank |" + "".join(f" {statistics.mean(ranks[m]):.2f} |" if ranks[m] else " |" for m in methods) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("method", help="a preset, `default`, `portfolio`, `cp-sat`, `cabs-didp`, `rpid` or `ddo`")
    runs.add_argument("--seconds", type=float, default=30.0)
    runs.add_argument("--seeds", default="1")
    runs.add_argument("--only", help="instances, separated by semicolons")
    runs.add_argument("--classes", action="store_true", help="the generated instances of classes.py by one preset")
    runs.add_argument("--methods", help="of `portfolio`: those of the table that run, separated by commas")
    commands.add_parser("install")
    commands.add_parser("table")
    asked = parser.parse_args()
    if asked.command == "table":
        return table()
    if asked.command == "install":
        return install()
    env = environment()
    only = asked.only.split(";") if asked.only else None
    if asked.method in ("cp-sat", "cabs-didp", "rpid", "ddo"):
        wanted = ["jobshop"] if asked.method == "cp-sat" else ["sop", "talent", "lcs"]
        for name, where in GENERAL.items():
            if where[0] in wanted and (only is None or name in only):
                by_ddo = asked.method == "ddo"
                result = ddo(where, asked.seconds, env) if by_ddo else peer(name, where, asked.method, asked.seconds, env)
                append(set="all", instance=name, method=asked.method, seconds=asked.seconds, seed=None, **result)
        return None
    if asked.classes:
        import classes

        GENERAL.clear()
        GENERAL.update(classes.write(ROOT / "target/classes"))
    twelve = asked.method == "portfolio"
    presets = asked.methods.split(",") if asked.methods else PRESETS
    for seed in asked.seeds.split(","):
        for name, where in (TWELVE if twelve else GENERAL).items():
            for method in presets if twelve else [asked.method]:
                if only is not None and name not in only or twelve and method == "default" and name in GENERAL:
                    continue
                result = ours(name, where, method, asked.seconds, int(seed), env)
                kind = "twelve" if twelve else "all"
                append(set=kind, instance=name, method=method, seconds=asked.seconds, seed=int(seed), **result)
    return None


if __name__ == "__main__":
    main()
