"""Campaigns against the command `soloist` as a black box: python3 campaigns/blackbox.py NAME [--minutes M] [--seed S].

  kills      kill -9 at random moments of solve, bench, simplify, tune and reproduce, then resume; nothing is lost or
             left behind
  repeats    repeated runs, runs in parts and runs on several threads give the same result
  verifiers  `check` and the verifiers of verifiers.py agree on honest and tampered solutions
  limits     full disks, closed pipes, FIFOs, folders, signals, time limits
  memory     peaks of memory of hungry methods under --memory, with and without checkpoints
  all        these one after the other, with the time divided among them

The last line of each campaign is its summary. The exit code is 1 if anything is wrong.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tampering import tamper
from verifiers import VERIFIERS, Wrong

ROOT = Path(__file__).resolve().parent.parent
SOLOIST = os.environ.get("SOLOIST", str(ROOT / "target" / "release" / "soloist"))

# Small instances, a spec for each problem.
INSTANCES = {
    "samegame": "random:8x8x4:7",
    "clickomania": "random:8x8x4:7",
    "bubble-breaker": "random:8x8x4:7",
    "snake": "d6k2",
    "coil": "d6k2",
    "morpion": "4D",
    "vrptw": "random:20:7",
    "rich-vrp": "pairs:10:7",
    "tsptw": "random:20x60:7",
    "partition": "random:40x40:7",
    "stacking": "random:5x30:7",
    "packing": "random:4x30:7",
    "horner": "res:4,3",
    "knapsack": "weak:30x100:7",
}


def call(*arguments, timeout=60, **others):
    """Runs the command to its end."""
    return subprocess.run(
        [SOLOIST, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False, **others
    )


class Campaign:
    """Counts cases and findings until the time is over."""

    def __init__(self, name, minutes, seed):
        self.name, self.seed = name, seed
        self.random = random.Random(seed)
        self.start = time.monotonic()
        self.end = self.start + 60 * minutes
        self.cases = {}
        self.findings = []
        self.reach = {}

    def going(self):
        return time.monotonic() < self.end

    def count(self, what):
        self.cases[what] = self.cases.get(what, 0) + 1

    def wrong(self, what):
        self.findings.append(what)
        print(f"{self.name}: {what}", flush=True)

    def expect(self, truth, what):
        if not truth:
            self.wrong(what)
        return truth

    def summary(self):
        counts = ", ".join(f"{count} {what}" for what, count in sorted(self.cases.items()))
        seconds = time.monotonic() - self.start
        print(f"{self.name}: {counts}; {len(self.findings)} findings (seed {self.seed}, {seconds:.0f} s)", flush=True)
        return not self.findings


def timeless(result):
    """A result without what depends on the clock."""
    kept = {key: value for key, value in result.items() if key != "seconds"}
    if "history" in kept:
        kept["history"] = [timeless(event) for event in kept["history"]]
    return kept


def strays(folder, expected):
    """The files of a folder that should not be there."""
    return sorted(path.name for path in folder.iterdir() if path.name not in expected)


# Methods that draw by playouts, cheap enough to be repeated.
METHODS = ["sampling", "uct", "bmcts", "nmcs", "nrpa", "hd-nrpa", "beam-nrpa", "anneal", "sa-uct"]


def kills(campaign):
    """kill -9 at random moments, then resume."""
    draw = campaign.random
    while campaign.going():
        folder = Path(tempfile.mkdtemp(prefix="soloist-kills-"))
        kind = draw.choice(["solve", "solve", "solve", "bench", "simplify", "tune", "reproduce"])
        if kind == "solve":
            kill_solve(campaign, folder)
        elif kind == "bench":
            kill_bench(campaign, folder)
        elif kind == "simplify":
            kill_simplify(campaign, folder)
        else:
            kill_study(campaign, folder, kind)
        shutil.rmtree(folder)


def kill_one(campaign, kind, arguments, folder):
    """Starts the command and kills it at a random moment. Returns whether it was still running.

    Most moments are before the end of the command, however long it takes on this machine.
    """
    reach = campaign.reach.get(kind, 0.3)
    killed = kill_after(arguments, campaign.random.uniform(0.003, reach), cwd=folder)
    campaign.reach[kind] = min(max(reach * (1.05 if killed else 0.8), 0.01), 2)
    campaign.count(f"kills of {kind}" if killed else f"runs of {kind} to the end")
    return killed


def kill_after(arguments, seconds, **others):
    """Starts the command and kills it. Returns whether it was still running."""
    child = subprocess.Popen(
        [SOLOIST, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **others
    )
    try:
        child.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return True


def kill_solve(campaign, folder):
    draw = campaign.random
    problem = draw.choice(list(INSTANCES))
    method = draw.choice(METHODS)
    file = folder / "run.ckpt"
    base = ["solve", problem, INSTANCES[problem], "--method", method, "--seed", draw.randrange(1000), "--quiet"]
    save = ["--checkpoint", file, "--checkpoint-every", "20ms"]
    goal = draw.choice([2000, 10_000, 30_000])
    limit = ["--playouts", goal, "--time", "20s"]
    killed = 0
    for _ in range(draw.randrange(1, 4)):
        resume = ["--resume", file] if file.exists() else []
        plan = base if not resume else base[:3] + ["--quiet"]
        if not kill_one(campaign, "solve", plan + save + limit + resume, folder):
            break
        killed += 1
    if not file.exists():
        return
    ended = call(*base[:3], "--quiet", *save, *limit, "--resume", file, "--json", cwd=folder)
    if not campaign.expect(ended.returncode in (0, 3), f"{method} {problem}: resuming: {ended.stderr.strip()}"):
        return
    left = strays(folder, {"run.ckpt"})
    campaign.expect(not left, f"{method} {problem}: left behind: {left}")
    result = json.loads(ended.stdout)
    if killed and result["stop"] in ("playouts", "exhausted", "bound", "completed"):
        whole = call(*base, *limit, "--json", cwd=folder)
        if whole.returncode in (0, 3):
            other = json.loads(whole.stdout)
            campaign.count("resumed runs compared with undisturbed ones")
            same = timeless(result) == timeless(other) or other["stop"] == "time"
            campaign.expect(same, f"{base}: {result['score']} and {other['score']} differ")


def kill_bench(campaign, folder):
    draw = campaign.random
    spec = folder / "b.toml"
    spec.write_text(
        'problem = "knapsack"\ninstances = ["weak:30x100:1..4"]\nseeds = "1..3"\nbudget = { playouts = "3k" }\n'
        '[[method]]\nmethod = "uct"\n[[method]]\nmethod = "nrpa"\nset = { level = 2 }\n'
    )
    runs = folder / "runs.jsonl"
    for _ in range(draw.randrange(1, 4)):
        if not kill_one(campaign, "bench", ["bench", spec, "--out", runs, "--quiet", "--jobs", 2], folder):
            break
    done = call("bench", spec, "--out", runs, "--quiet", "--json", cwd=folder)
    campaign.expect(done.returncode == 0, f"bench: {done.stderr.strip()}")
    lines = runs.read_text().splitlines()
    keys = [json.loads(line)["job"] for line in lines]
    campaign.expect(len(keys) == len(set(keys)) == 24, f"bench: {len(keys)} records, {len(set(keys))} jobs")
    campaign.expect(not strays(folder, {"b.toml", "runs.jsonl"}), f"bench left {strays(folder, {'b.toml', 'runs.jsonl'})}")


def kill_simplify(campaign, folder):
    out = folder / "code.c"
    out.write_text("old\n")
    killed = kill_one(campaign, "simplify", ["simplify", "res:5,3", "--playouts", 300, "--out", out, "--quiet"], folder)
    text = out.read_text()
    campaign.expect(text == "old\n" or text.rstrip().endswith("}"), "simplify: a file that is neither old nor whole")
    if killed:
        call("simplify", "res:3,2", "--playouts", "20", "--out", out, "--quiet", cwd=folder)
    campaign.expect(not strays(folder, {"code.c"}), f"simplify left {strays(folder, {'code.c'})}")


# What continues in a folder: the command, and the files that it leaves there.
STUDIES = {
    "tune": (
        ["tune", "knapsack", "weak:30x100:1..8", "--method", "uct", "--parameter", "c", "--playouts", 3000, "--samples",
         6, "--iterations", 3, "--batch", 3, "--seed", "SEED"],
        {"result.json", "runs.jsonl", "trace.jsonl", "trace.svg"},
    ),
    "reproduce": (
        ["reproduce", "hd-nrpa-table-2", "--scale", 0.00001, "--limit", 8],
        {"figure.svg", "report.json", "report.md", "runs.jsonl", "spec.toml"},
    ),
}


def kill_study(campaign, folder, kind):
    """Kills a study several times and compares what it ends with with an undisturbed one."""
    draw = campaign.random
    command, files = STUDIES[kind]
    seed = draw.randrange(1000)
    command = [*(seed if word == "SEED" else word for word in command), "--jobs", 2, "--quiet", "--json"]
    out = folder / "study"
    killed = 0
    for _ in range(draw.randrange(1, 4)):
        killed += kill_one(campaign, kind, [*command, "--out", out], folder)
    ended = call(*command, "--out", out, cwd=folder)
    if not campaign.expect(ended.returncode == 0, f"{kind}: continuing: {ended.stderr.strip()}"):
        return
    campaign.expect(not strays(out, files), f"{kind} left {strays(out, files)}")
    whole = call(*command, "--out", folder / "whole", cwd=folder)
    same = lasting(json.loads(ended.stdout)) == lasting(json.loads(whole.stdout))
    if killed:
        campaign.count("continued studies compared with undisturbed ones")
    campaign.expect(same, f"{command}: killed {killed} times, another result")


def lasting(report):
    """A report without what depends on the time that runs took."""
    report.pop("hours", None)
    for method in report.get("methods", []):
        method.pop("seconds", None)
    report["notes"] = [note for note in report.get("notes", []) if not note.startswith("hours:")]
    return report


def repeats(campaign):
    """The same call twice, in parts, and on several threads."""
    draw = campaign.random
    pairs = [
        (problem, method["name"])
        for method in json.loads(call("methods", "--json").stdout)
        for problem in method.get("problems", INSTANCES)
        if problem in INSTANCES
    ]
    draw.shuffle(pairs)
    for problem, method in pairs:
        if not campaign.going():
            break
        with tempfile.TemporaryDirectory(prefix="soloist-repeats-") as folder:
            repeat(campaign, Path(folder), problem, method)


def repeat(campaign, folder, problem, method):
    draw = campaign.random
    seed, threads = draw.randrange(1000), draw.choice([1, 1, 2, 3])
    # Systematic searches make few playouts: nodes limit them.
    base = ["solve", problem, INSTANCES[problem], "--method", method, "--seed", seed, "--threads", threads, "--quiet"]
    limits = ["--playouts", 300, "--nodes", 20_000, "--time", "30s"]
    once = call(*base, *limits, "--json")
    if once.returncode == 2:
        return
    what = f"{problem} {method} seed {seed} threads {threads}"
    if not campaign.expect(once.returncode in (0, 3), f"{what}: {once.stderr.strip()}"):
        return
    first = timeless(json.loads(once.stdout))
    if first["stop"] == "time":
        return
    # Where one stream of several proves something, the effort of the others depends on their schedule.
    free = threads > 1 and first["stop"] in ("exhausted", "bound", "target")
    keys = ("score", "moves", "solution") if free else list(first)
    again = timeless(json.loads(call(*base, *limits, "--json").stdout))
    campaign.count("repeated runs")
    campaign.expect(all(first[key] == again[key] for key in keys), f"{what}: repeated, {first['score']}, {again['score']}")
    file = folder / "run.ckpt"
    part = draw.randrange(1, 300)
    plan = ["--checkpoint", file, "--checkpoint-every", "1h"]
    # Annealing cools over the budget, and auto divides it: a part is cut off by a signal of its own, here by its node count.
    if method in ("anneal", "auto"):
        return
    call(*base, "--playouts", part, "--nodes", 20_000 * part // 300 + 1, *plan)
    rest = call(*base[:3], "--quiet", *limits, "--resume", file, "--json")
    if campaign.expect(rest.returncode in (0, 3), f"{what}: resumed: {rest.stderr.strip()}"):
        other = timeless(json.loads(rest.stdout))
        campaign.count("runs in two parts")
        same = all(first[key] == other[key] for key in keys)
        campaign.expect(same, f"{what}: in parts at {part}, {first['score']}, {other['score']}")


def verifiers(campaign):
    """`check` against the verifiers in Python."""
    draw = campaign.random
    with tempfile.TemporaryDirectory(prefix="soloist-verifiers-") as name:
        folder = Path(name)
        while campaign.going():
            problem = draw.choice(list(VERIFIERS))
            verify, fields, specs = VERIFIERS[problem]
            spec = draw.choice(specs).format(draw.randrange(10_000))
            solved = call(
                "solve", problem, spec, "--playouts", draw.choice([5, 50, 500]), "--time", "5s", "--seed",
                draw.randrange(1000), "--json", "--quiet", "--method", draw.choice(["sampling", "nmcs", "nrpa"]),
            )
            if solved.returncode == 3:
                continue
            if not campaign.expect(solved.returncode == 0, f"{problem} {spec}: {solved.stderr.strip()}"):
                continue
            generated = call("generate", problem, spec)
            text = generated.stdout if generated.returncode == 0 else spec
            result = json.loads(solved.stdout)
            honest = {field: result["solution"][field] for field in fields if field in result["solution"]}
            if problem == "horner" and any(name not in text for name in honest["order"]):
                # The file does not say that there are variables which occur in no term.
                continue
            if problem in ("samegame", "clickomania", "bubble-breaker"):
                honest = {"moves": [{"row": move["row"], "col": move["col"]} for move in honest["moves"]]}
            compare(campaign, folder, verify, text, (problem, spec), honest, result["score"], True)
            for _ in range(12):
                changed = tamper(draw, honest, list(honest))
                compare(campaign, folder, verify, text, (problem, spec), changed, None, changed == honest)


def compare(campaign, folder, verify, text, instance, solution, score, honest):
    try:
        found = verify(text, solution, {})
    except Wrong as wrong:
        found = wrong
    if score is not None:
        same = not isinstance(found, Wrong) and abs(found - score) <= 1e-9 * max(1, abs(score))
        campaign.expect(same, f"{instance}: score {score}, in Python {found}")
    file = folder / "solution.json"
    file.write_text(json.dumps({"problem": instance[0], "solution": solution}))
    checked = call("check", *instance, file, "--json")
    campaign.count("honest solutions" if honest else "tampered solutions")
    if not campaign.expect(checked.returncode in (0, 1) and checked.stdout, f"{instance}: {checked.stderr.strip()}"):
        return
    verdict = json.loads(checked.stdout)
    if verdict["valid"] != (not isinstance(found, Wrong)):
        campaign.wrong(f"{instance}: check says {verdict}, Python {found!r}: {json.dumps(solution)}")
    elif verdict["valid"] and abs(verdict["score"] - found) > 1e-9 * max(1, abs(found)):
        campaign.wrong(f"{instance}: check says {verdict['score']}, Python {found}")


def measured(arguments, seconds, **others):
    """Runs the command: exit code, standard error, seconds, peak of the resident memory in MiB."""
    start = time.monotonic()
    child = subprocess.Popen(
        [SOLOIST, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **others
    )
    try:
        _, error = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        _, error = child.communicate()
        return None, error, seconds, 0
    return child.returncode, error, time.monotonic() - start, 0


def peak(arguments, seconds):
    """The peak of the resident memory of a run in MiB, by GNU time's way: the usage of the children."""
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
        "stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script, SOLOIST, *map(str, arguments)],
        capture_output=True, text=True, timeout=seconds, check=False,
    )
    return int(done.stdout) / 1024, time.monotonic() - start


def limits(campaign):
    """Surroundings that fail, and the limits of time."""
    with tempfile.TemporaryDirectory(prefix="soloist-limits-") as name:
        folder = Path(name)
        surroundings(campaign, folder)
        times(campaign)


def surroundings(campaign, folder):
    solve = ["solve", "knapsack", "weak:30x100:7", "--playouts", "2000", "--quiet"]

    def one_line(what, done, codes):
        campaign.count("surroundings")
        error = done.stderr.strip()
        fine = done.returncode in codes and len(error.splitlines()) <= 1 and "panicked" not in error
        campaign.expect(fine, f"{what}: exit {done.returncode}: {error[:300]}")

    full = Path("/dev/full")
    for what, arguments in [
        ("--help", ["--help"]),
        ("solve", solve),
        ("problems", ["problems"]),
        ("methods", ["methods", "uct"]),
        ("simplify", ["simplify", "res:3,2", "--quiet", "--playouts", "20"]),
    ]:
        with full.open("w") as sink:
            done = subprocess.run(
                [SOLOIST, *arguments], stdout=sink, stderr=subprocess.PIPE, text=True, timeout=60, check=False
            )
        one_line(f"{what} > /dev/full", done, {1})
    for option in ("--out", "--svg", "--events"):
        one_line(f"{option} /dev/full", call(*solve, option, full), {1})
    # A folder, a missing folder, a read-only folder.
    (folder / "closed").mkdir(mode=0o500)
    for option in ("--out", "--svg", "--events", "--checkpoint"):
        one_line(f"{option} a folder", call(*solve, option, folder), {1})
        one_line(f"{option} in no folder", call(*solve, option, folder / "none" / "file"), {1})
        if os.geteuid() != 0:
            one_line(f"{option} in a read-only folder", call(*solve, option, folder / "closed" / "file"), {1})
    for command in (["solve", "knapsack", folder], ["simplify", folder], ["check", "knapsack", "weak:9x9:1", folder]):
        one_line(f"{command[0]} reads a folder", call(*command), {1})
    # The limit on the size of files.
    big = folder / "big.ckpt"
    child = call(
        "solve", "samegame", "random:15x15x5:7", "--method", "uct", "--playouts", "20000", "--checkpoint", big,
        "--quiet", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    # Lost checkpoints are told as they happen, in spite of --quiet.
    told = child.stderr.splitlines()
    child.stderr = "\n".join(line for line in told if "trying again after each interval" not in line)
    campaign.expect(child.stderr != "\n".join(told), "no word of a lost checkpoint")
    one_line("a checkpoint beyond RLIMIT_FSIZE", child, {1})
    campaign.expect(not strays(folder, {"closed", "big.ckpt"}), f"left behind: {strays(folder, {'closed', 'big.ckpt'})}")
    big.unlink(missing_ok=True)
    # Two runs on one checkpoint.
    file = folder / "one.ckpt"
    first = subprocess.Popen(
        [SOLOIST, "solve", "knapsack", "weak:30x100:7", "--method", "uct", "--set", "solver=false", "--time", "3s",
         "--checkpoint", file, "--quiet"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    while not file.exists() and first.poll() is None:
        time.sleep(0.01)
    time.sleep(0.1)
    second = call("solve", "knapsack", "weak:30x100:7", "--checkpoint", file, "--resume", file, "--time", "1s", "--quiet")
    one_line("a checkpoint that another run writes", second, {1})
    campaign.expect("another run" in second.stderr, f"two runs on one checkpoint: {second.stderr.strip()}")
    first.wait()
    # A FIFO as input, standard input, a signal while the FIFO has no writer.
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    writer = subprocess.Popen(["sh", "-c", f"printf '(a+b)^3+c' > {fifo}"])
    one_line("simplify reads a FIFO", call("simplify", fifo, "--quiet", "--playouts", "20"), {0})
    writer.wait()
    one_line("simplify reads standard input", call("simplify", "-", "--quiet", "--playouts", "20", input="(a+b)^3+c"), {0})
    one_line("solve reads standard input", call("solve", "knapsack", "-", "--playouts", "9", "--quiet", input="2 9\n5 4\n6 7\n"), {0})
    lonely = subprocess.Popen(
        [SOLOIST, "simplify", fifo, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(0.3)
    # Not SIGINT, which a job in the background inherits as ignored.
    lonely.send_signal(signal.SIGTERM)
    try:
        lonely.wait(5)
    except subprocess.TimeoutExpired:
        lonely.kill()
        campaign.wrong("a FIFO without a writer: the first signal is ignored")
    # Readers that go away.
    for arguments in (["problems"], [*solve, "--json"], [*solve, "--events", "/dev/stdout"]):
        child = subprocess.Popen(
            [SOLOIST, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        child.stdout.close()
        error = child.stderr.read()
        campaign.count("surroundings")
        campaign.expect(child.wait() == 0 and not error, f"{arguments}: a closed pipe: {error[:200]}")
    # Signals end a run with its result.
    for number in (signal.SIGINT, signal.SIGTERM):
        child = subprocess.Popen(
            [SOLOIST, "solve", "samegame", "random:15x15x5:7", "--time", "30s", "--json", "--quiet"],
            stdout=subprocess.PIPE, text=True,
            # A signal that a job in the background inherits as ignored stays so.
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
        )
        time.sleep(0.7)
        begun = time.monotonic()
        child.send_signal(number)
        out = child.communicate(timeout=20)[0]
        campaign.count("surroundings")
        ended = time.monotonic() - begun
        campaign.expect(child.returncode == 130 and json.loads(out)["stop"] == "interrupted", f"signal {number}")
        campaign.expect(ended < 5, f"signal {number}: {ended:.1f} s to the end")


def times(campaign):
    """Every method on every problem keeps to --time."""
    draw = campaign.random
    pairs = [
        (problem, method["name"])
        for method in json.loads(call("methods", "--json").stdout)
        for problem in method.get("problems", INSTANCES)
        if problem in INSTANCES
    ]
    draw.shuffle(pairs)
    longest = (0, "")
    for problem, method in pairs:
        if not campaign.going():
            break
        code, error, seconds, _ = measured(
            ["solve", problem, INSTANCES[problem], "--method", method, "--time", "0.5", "--quiet"], 15
        )
        if code == 2:
            continue
        campaign.count("time limits")
        longest = max(longest, (seconds, f"{method} on {problem}"))
        campaign.expect(code in (0, 3), f"{method} on {problem}: exit {code}: {error.strip()[:200]}")
        campaign.expect(seconds < 10, f"{method} on {problem}: {seconds:.1f} s for --time 0.5")
    print(f"limits: the longest run with --time 0.5 took {longest[0]:.1f} s ({longest[1]})")


# Method, settings: what each holds most of.
HUNGRY = [
    ("uct", []),
    ("uct", ["transpositions=true"]),
    ("uct", ["amaf=true", "history=0.2"]),
    ("bmcts", []),
    ("nrpa", []),
    ("beam-nrpa", ["width=100000"]),
    ("hd-nrpa", ["width=100000"]),
    ("nmcs", ["width=100000"]),
    ("beam", ["width=100000"]),
    ("best-first", []),
    ("bfs", []),
    ("dfs", []),
    ("ida-star", []),
    ("anneal", []),
]


def memory(campaign):
    """Peaks of memory under --memory 64MiB, with and without a checkpoint."""
    with tempfile.TemporaryDirectory(prefix="soloist-memory-") as name:
        peaks(campaign, Path(name))


def peaks(campaign, folder):
    limit = 64
    idle, _ = peak(["solve", "samegame", "random:15x15x5:7", "--playouts", "1"], 60)
    for method, settings in HUNGRY:
        for checkpoint in (False, True):
            if not campaign.going():
                return
            file = folder / "memory.ckpt"
            file.unlink(missing_ok=True)
            arguments = ["solve", "samegame", "random:15x15x5:7", "--method", method, "--time", "4s", "--memory", "64MiB"]
            arguments += [part for setting in settings for part in ("--set", setting)]
            arguments += ["--checkpoint", file, "--checkpoint-every", "1s"] if checkpoint else []
            used, seconds = peak([*arguments, "--quiet"], 60)
            campaign.count("memory limits")
            shown = " ".join([method, *settings]) + (" with checkpoints" if checkpoint else "")
            print(f"memory: {shown}: {used:.0f} MiB under --memory 64MiB ({idle:.0f} MiB idle), {seconds:.1f} s")
            campaign.expect(used <= 2 * limit + idle, f"{shown}: {used:.0f} MiB")


CAMPAIGNS = {"kills": kills, "repeats": repeats, "verifiers": verifiers, "limits": limits, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*CAMPAIGNS, "all"])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if not os.access(SOLOIST, os.X_OK):
        sys.exit(f"{SOLOIST} is missing: cargo build --release, or name another one in SOLOIST")
    names = list(CAMPAIGNS) if arguments.name == "all" else [arguments.name]
    fine = True
    for name in names:
        campaign = Campaign(name, arguments.minutes / len(names), arguments.seed)
        CAMPAIGNS[name](campaign)
        fine &= campaign.summary()
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
