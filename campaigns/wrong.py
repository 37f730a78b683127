#!/usr/bin/env python3
"""Solves generated Python problems that break the rules, by every method: no false result, no hang, no abort.

    python3 campaigns/wrong.py [--cases 10000] [--seed 1] [--jobs 2]

Each case is a small sound problem with a fault: `apply` changes what two states share, playouts are illegal or unfinished,
moves or scores differ when they are asked for again, or are random; some have no fault. A result must stand up to
the sound rules, which this program plays itself: legal moves, a finished state, the score. A claim of optimality is compared
with all solutions. Where moves or scores are random there is no truth about optimality; such claims are counted alone.
Otherwise the run must end in BrokenPromise (or an error that names the argument). No run may use more than twice its time. The package must
be installed.
"""

import argparse
import collections
import json
import random
import subprocess
import sys
import time

LIMIT = 0.5
FAULTS = ("none", "shared", "mutating", "illegal", "unfinished", "inconsistent", "drifting", "random moves", "random scores",
          "endless", "raising")  # fmt: skip
RANDOM = ("inconsistent", "drifting", "random moves", "random scores")


def rules(draw):
    """Returns a sound problem: depth, moves and weights, and whether small is better."""
    depth, width = draw.randint(2, 6), draw.randint(2, 3)
    weights = [[draw.randint(-9, 9) for _ in range(width)] for _ in range(depth)]
    bans = {(at, a, b) for at in range(depth) for a in range(width) for b in range(1, width) if draw.random() < 0.15}
    return depth, width, weights, bans, draw.random() < 0.5


def make(soloist, rule, fault, draw):
    """Returns the problem with its fault."""
    depth, width, weights, bans, small = rule
    counter, late = [0], draw.randint(1, 400)

    def legal(line):
        if len(line) >= depth:
            return []
        return [move for move in range(width) if not (line and (len(line), line[-1], move) in bans)]

    def value(line):
        # What no rule allows is worth much.
        return sum(weights[at][move] if move < width else (-99 if small else 99) for at, move in enumerate(line))

    class Case(soloist.Problem):
        sense = "minimize" if small else "maximize"

        def root(self):
            return ([],) if fault in ("shared", "mutating") else ()

        def moves(self, state):
            line = state[0] if fault in ("shared", "mutating") else state
            found = legal(line)
            counter[0] += 1
            if fault == "raising" and counter[0] > late:
                raise ZeroDivisionError("of the case")
            if fault == "endless" and not found:
                return [0]
            if fault == "random moves" and len(found) > 1:
                return draw.sample(found, draw.randint(1, len(found)))
            if fault == "inconsistent" and len(found) > 1 and counter[0] % 7 == 0:
                return found[::-1]
            if fault == "drifting" and counter[0] > late:
                return found[:1]
            return found

        def apply(self, state, move):
            if fault == "shared":
                state[0].append(move)
                return (state[0],)
            if fault == "mutating":
                new = (state[0] + [move],)
                if draw.random() < 0.2:
                    state[0].append(move)
                return new
            return (*state, move)

        def score(self, state):
            line = state[0] if fault in ("shared", "mutating") else state
            if fault == "random scores":
                return value(line[:depth]) + draw.randint(0, 3)
            return value(line[:depth])

        if fault in ("illegal", "unfinished") or draw.random() < 0.2:

            def playout(self, state, rng):
                line, made = list(state[0] if fault in ("shared", "mutating") else state), []
                if fault == "illegal" and rng.random() < 0.5:
                    return [width + 5] * (depth - len(line))
                while found := legal(line):
                    if fault == "unfinished" and made and rng.random() < 0.3:
                        break
                    made.append(rng.choice(found))
                    line.append(made[-1])
                return made

        if draw.random() < 0.4:

            def bound(self, state):
                line = state[0] if fault in ("shared", "mutating") else state
                pick = min if small else max
                return value(line[:depth]) + sum(pick(row) for row in weights[len(line):])

        if draw.random() < 0.3:

            def key(self, state):
                return tuple(state[0]) if fault in ("shared", "mutating") else state

    return Case(), legal, value


def solutions(legal, value):
    """Returns the scores of all solutions."""
    lines, found = [()], []
    while lines:
        line = lines.pop()
        moves = legal(line)
        found += [value(line)] if not moves else []
        lines += [(*line, move) for move in moves]
    return found


def case(soloist, methods, number, seed):
    """Solves one case, and returns what came of it."""
    draw = random.Random(seed * 1_000_003 + number)
    fault, method = FAULTS[number % len(FAULTS)], methods[number // len(FAULTS) % len(methods)]
    rule = rules(draw)
    problem, legal, value = make(soloist, rule, fault, draw)
    small = rule[-1]
    begin = time.process_time()
    try:
        limits = dict(playouts=draw.choice((50, 300, 1000)), time=LIMIT, max_moves=1000)
        result = soloist.solve(problem, method=method, seed=number, progress=False, **limits)
        ended = "result"
    except soloist.BrokenPromise as error:
        ended, result, message = "BrokenPromise", None, str(error)
    except ZeroDivisionError:
        ended, result, message = "its own exception" if fault == "raising" else "WRONG: another exception", None, ""
    except (ValueError, TypeError) as error:
        ended, result, message = f"refused: {type(error).__name__}", None, str(error)
    used = time.process_time() - begin
    wrong = None
    if used > 2 * LIMIT:
        wrong = f"used {used:.1f} s of a limit of {LIMIT} s"
    if result is None and ("\n" in message or ended.startswith("WRONG")):
        wrong = f"{ended}: {message}"
    if fault in ("none",) and ended != "result" and not ended.startswith("refused"):
        wrong = f"a sound problem ends in {ended}: {message}"
    claim = None
    if result is not None and result.score is not None:
        line = tuple(result.moves)
        if any(move not in legal(line[:at]) for at, move in enumerate(line)):
            wrong = f"illegal moves {line}"
        elif legal(line):
            wrong = f"not finished: {line}"
        elif fault != "random scores" and value(line) != result.score or not 0 <= result.score - value(line) <= 3:
            wrong = f"score {result.score} for {line}, which has {value(line)}"
        elif result.optimal:
            best = (min if small else max)(solutions(legal, value))
            if fault in RANDOM:
                claim = result.score == best
            elif result.score != best:
                wrong = f"claims {result.score} to be optimal, {best} is"
    return {"fault": fault, "method": method, "ended": ended, "wrong": wrong, "claim": claim}


def work(first, last, seed):
    import soloist

    methods = []
    for method in sorted(soloist.methods()):
        # Some methods belong to problems that ship.
        try:
            soloist.solve(make(soloist, rules(random.Random(0)), "none", random.Random(0))[0], method=method, playouts=1)
            methods.append(method)
        except ValueError:
            pass
    for number in range(first, last):
        print(json.dumps({"begin": number}), flush=True)
        print(json.dumps(case(soloist, methods, number, seed)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3600, help="ends earlier after this time")
    parser.add_argument("--work", nargs=2, type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work(*args.work, args.seed)
        return
    found, failed, claims, methods, total = collections.Counter(), [], collections.Counter(), set(), 0
    size, end, queue, running = 250, time.time() + args.seconds, list(range(0, args.cases, 250)), {}
    while (queue and time.time() < end) or running:
        while queue and len(running) < args.jobs and time.time() < end:
            first = queue.pop(0)
            command = [sys.executable, __file__, "--seed", str(args.seed), "--work", str(first), str(min(first + size, args.cases))]
            running[first] = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = next(iter(running))
        process = running.pop(first)
        try:
            out, err = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            failed.append(f"hangs: {out.splitlines()[-1]}")
        rows = [json.loads(line) for line in out.splitlines()]
        if process.returncode and not err.rstrip().endswith("KeyboardInterrupt"):
            failed.append(f"exit {process.returncode} in {rows[-1] if rows else first}: {err.strip()[-300:]}")
        for number, row in ((row["begin"], after) for row, after in zip(rows, rows[1:]) if "begin" in row):
            total += 1
            found[row["fault"], row["ended"]] += 1
            methods.add(row["method"])
            if row["wrong"]:
                failed.append(f"case {number}, {row['fault']}, {row['method']}: {row['wrong']}")
            if row["claim"] is not None:
                claims[row["fault"], row["claim"]] += 1
    for (fault, ended), count in sorted(found.items()):
        print(f"{fault:14} {ended:28} {count}")
    for (fault, truth), count in sorted(claims.items()):
        print(f"{fault:14} claims of optimality that are {'true' if truth else 'not true'} of the sound rules: {count}")
    print(f"{total} cases, {len(methods)} methods, {len(failed)} failures")
    print("\n".join(failed[:20]))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
