#!/usr/bin/env python3
"""Solves an instance by another solver with one thread and a plain model: `peers.py SOLVER PROBLEM FILE SECONDS`.

SOLVER is `cp-sat` (OR-Tools, for jobshop), `cabs-didp` (didppy, for sop, talent, lcs) or `rpid` (the crate, for the same three, with
the models of rpid/; the moves are valued here). Prints one line of JSON. `general.py` calls it.
"""
import functools
import json
import operator
import subprocess
import sys


def jobshop_cp_sat(text, seconds):
    from ortools.sat.python import cp_model

    numbers = [int(word) for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    count, machines = numbers[:2]
    rows = [numbers[2 + 2 * machines * job :][: 2 * machines] for job in range(count)]
    horizon = sum(sum(row[1::2]) for row in rows)
    model = cp_model.CpModel()
    end = model.new_int_var(0, horizon, "end")
    busy = [[] for _ in range(machines)]
    for row in rows:
        before = 0
        for machine, time in zip(row[::2], row[1::2]):
            start = model.new_int_var(0, horizon, "")
            model.add(start >= before)
            busy[machine].append(model.new_fixed_size_interval_var(start, time, ""))
            before = start + time
        model.add(end >= before)
    for intervals in busy:
        model.add_no_overlap(intervals)
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return solver.objective_value if found else None, status == cp_model.OPTIMAL


def sop(dp, text):
    numbers = [int(word) for word in text.split("EDGE_WEIGHT_SECTION")[1].split("EOF")[0].split()]
    count, cells = numbers[0], numbers[1:]
    cost = [cells[at * count :][:count] for at in range(count)]
    model = dp.Model()
    place = model.add_object_type(number=count)
    left = model.add_set_var(object_type=place, target=list(range(1, count)))
    at = model.add_element_var(object_type=place, target=0)
    before = [[b for b in range(1, count) if cost[a][b] < 0] for a in range(count)]
    way = [[max(price, 0) for price in row] for row in cost]
    table = model.add_int_table(way)
    for job in range(1, count):
        ready = (left & model.create_set_const(object_type=place, value=before[job])).is_empty()
        model.add_transition(
            dp.Transition(
                name=str(job),
                cost=table[at, job] + dp.IntExpr.state_cost(),
                preconditions=[left.contains(job), ready],
                effects=[(left, left.remove(job)), (at, job)],
            )
        )
    model.add_base_case([left.is_empty()])
    to = [min(way[a][b] for a in range(count) if a != b and cost[a][b] >= 0) if b else 0 for b in range(count)]
    ways = [[way[a][b] for b in range(1, count) if b != a and cost[a][b] >= 0] for a in range(count)]
    model.add_dual_bound(model.add_int_table(to)[left])
    # The last job has no way on.
    out = model.add_int_table([min(row, default=0) for row in ways])
    model.add_dual_bound(out[left] + out[at])
    return model


def talent(dp, text):
    words = [int(word) for word in text.split()[1:]]
    scenes, actors = words[:2]
    rows = [words[2 + (scenes + 1) * actor :][: scenes + 1] for actor in range(actors)]
    duration = words[2 + (scenes + 1) * actors :][:scenes]
    plays = [[actor for actor in range(actors) if rows[actor][scene]] for scene in range(scenes)]
    model = dp.Model()
    scene, actor = model.add_object_type(number=scenes), model.add_object_type(number=actors)
    left = model.add_set_var(object_type=scene, target=list(range(scenes)))
    cast = model.add_set_table(plays, object_type=actor)
    wage = model.add_int_table([row[-1] for row in rows])
    everything = model.create_set_const(object_type=scene, value=list(range(scenes)))
    for at in range(scenes):
        present = cast[at] | (cast.union(everything - left) & cast.union(left))
        model.add_transition(
            dp.Transition(
                name=str(at),
                cost=duration[at] * wage[present] + dp.IntExpr.state_cost(),
                preconditions=[left.contains(at)],
                effects=[(left, left.remove(at))],
            )
        )
    model.add_base_case([left.is_empty()])
    least = [duration[at] * sum(rows[one][-1] for one in plays[at]) for at in range(scenes)]
    model.add_dual_bound(model.add_int_table(least)[left])
    return model


def lcs(dp, text):
    words = text.split()
    strings = words[3::2]
    letters = sorted(set("".join(strings)))
    model = dp.Model(maximize=True)
    places, follow = [], []
    for string in strings:
        kind = model.add_object_type(number=len(string) + 2)
        places.append(model.add_element_var(object_type=kind, target=0))
        ways = {letter: [len(string) + 1] * (len(string) + 2) for letter in letters}
        for letter in letters:
            for at in range(len(string) - 1, -1, -1):
                ways[letter][at] = at + 1 if string[at] == letter else ways[letter][at + 1]
        tables = {letter: model.add_element_table(ways[letter]) for letter in letters}
        follow.append((tables, len(string) + 1))
        rest = model.add_int_table([max(len(string) - at, 0) for at in range(len(string) + 2)])
        model.add_dual_bound(rest[places[-1]])
    ended = []
    for letter in letters:
        onward = [tables[letter][place] for place, (tables, _) in zip(places, follow)]
        there = [way != none for way, (_, none) in zip(onward, follow)]
        model.add_transition(
            dp.Transition(
                name=letter,
                cost=1 + dp.IntExpr.state_cost(),
                preconditions=there,
                effects=list(zip(places, onward)),
            )
        )
        gone = [way == none for way, (_, none) in zip(onward, follow)]
        ended.append(functools.reduce(operator.or_, gone))
    model.add_base_case(ended)
    return model


def value_sop(text, moves):
    numbers = [int(word) for word in text.split("EDGE_WEIGHT_SECTION")[1].split("EOF")[0].split()]
    count = numbers[0]
    cost = lambda a, b: numbers[1 + a * count + b]
    assert sorted(moves) == list(range(1, count)), "not each place once"
    place = {one: step for step, one in enumerate(moves)}
    assert all(place[b] < place[a] for a in moves for b in moves if cost(a, b) < 0), "a place before its predecessor"
    path = [0, *moves]
    return sum(cost(a, b) for a, b in zip(path, path[1:]))


def value_talent(text, moves):
    words = [int(word) for word in text.split()[1:]]
    scenes, actors = words[:2]
    duration = words[2 + (scenes + 1) * actors :]
    assert sorted(moves) == list(range(scenes)), "not each scene once"
    total = 0
    for actor in range(actors):
        row = words[2 + (scenes + 1) * actor :][: scenes + 1]
        days = [step for step, scene in enumerate(moves) if row[scene]]
        total += row[-1] * sum(duration[scene] for scene in moves[days[0] : days[-1] + 1]) if days else 0
    return total


def value_lcs(text, moves):
    for number, string in enumerate(text.split()[3::2]):
        letters = iter(string)
        assert all(letter in letters for letter in moves), f"no subsequence of string {number + 1}"
    return len(moves)


def rpid(problem, file, text, seconds):
    import general

    # `talent` of the program merges scenes with the same actors, which the model here does not.
    name = "scenes" if problem == "talent" else problem
    done = subprocess.run([general.rpid(), name, file, seconds], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    result = json.loads(done.stdout)
    if result["value"] is None:
        return None, False
    value = {"sop": value_sop, "talent": value_talent, "lcs": value_lcs}[problem](text, result["moves"])
    if value != result["value"]:
        sys.exit(f"rpid says {result['value']}, is {value}; {result['moves']}")
    return value, result["proven"]


def main():
    name, problem, file, seconds = sys.argv[1:]
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    if name == "cp-sat" and problem == "jobshop":
        score, proven = jobshop_cp_sat(text, float(seconds))
    elif name == "cabs-didp" and problem in ("sop", "talent", "lcs"):
        import didppy as dp

        model = {"sop": sop, "talent": talent, "lcs": lcs}[problem](dp, text)
        solution = dp.CABS(model, time_limit=float(seconds), threads=1, quiet=True).search()
        score, proven = solution.cost, solution.is_optimal
    elif name == "rpid" and problem in ("sop", "talent", "lcs"):
        score, proven = rpid(problem, file, text, seconds)
    else:
        sys.exit(f"no model of {problem} for {name}")
    print(json.dumps({"score": score, "proven": proven}))


if __name__ == "__main__":
    main()
