"""DIDP models of the classes of didp_classes.py for didppy, with the bounds of the examples where DIDP can say them.

`model(dp, kind, text)` returns the model and the function that makes the examples' moves of the names of transitions.
"""
import functools
import math
import operator

import didp_classes
import peers


def total(terms):
    return functools.reduce(operator.add, terms)


def maxcut(dp, text):
    words = didp_classes.numbers(text)
    count = words[0]
    weight = [[0] * count for _ in range(count)]
    for a, b, w in zip(words[2::3], words[3::3], words[4::3]):
        weight[a - 1][b - 1] += w
        weight[b - 1][a - 1] += w
    model = dp.Model(maximize=True)
    vertex = model.add_object_type(number=count + 1)
    side = model.add_set_var(object_type=vertex, target=[])
    at = model.add_element_var(object_type=vertex, target=1)
    table = model.add_int_table([row + [0] for row in weight] + [[0] * (count + 1)])
    before = model.add_int_table([sum(row[:a]) for a, row in enumerate(weight)] + [0])
    across = before[at] - table[at, side]
    for name, gain, effects in (("0", table[at, side], []), ("1", across, [(side, side.add(at))])):
        model.add_transition(
            dp.Transition(
                name=name,
                cost=gain + dp.IntExpr.state_cost(),
                preconditions=[at < count],
                effects=[*effects, (at, at + 1)],
            )
        )
    model.add_base_case([at == count])
    positive = [sum(max(w, 0) for w in row[:a]) for a, row in enumerate(weight)]
    model.add_dual_bound(model.add_int_table([sum(positive[a:]) for a in range(count + 1)])[at])
    return model, lambda names: [name == "1" for name in names]


def multiknapsack(dp, text):
    """Items one after the other, those of large value for the resources used first."""
    words = didp_classes.numbers(text)
    items, resources = words[:2]
    value = words[3 : 3 + items]
    uses = [words[3 + items * (row + 1) :][:items] for row in range(resources)]
    capacity = words[3 + items * (resources + 1) :]
    part = [sum(uses[row][item] / max(capacity[row], 1) for row in range(resources)) for item in range(items)]
    order = sorted(range(items), key=lambda item: -value[item] / max(part[item], 1e-9))
    model = dp.Model(maximize=True)
    kind = model.add_object_type(number=items + 1)
    at = model.add_element_var(object_type=kind, target=0)
    left = [model.add_int_resource_var(target=c, less_is_better=False) for c in capacity]
    gain = model.add_int_table([value[item] for item in order] + [0])
    use = [model.add_int_table([row[item] for item in order] + [0]) for row in uses]
    model.add_transition(
        dp.Transition(
            name="take",
            cost=gain[at] + dp.IntExpr.state_cost(),
            preconditions=[at < items, *(use[row][at] <= left[row] for row in range(resources))],
            effects=[(at, at + 1), *((left[row], left[row] - use[row][at]) for row in range(resources))],
        )
    )
    model.add_transition(
        dp.Transition(name="leave", cost=dp.IntExpr.state_cost(), preconditions=[at < items], effects=[(at, at + 1)])
    )
    model.add_base_case([at == items])
    model.add_dual_bound(model.add_int_table([sum(value[item] for item in order[a:]) for a in range(items + 1)])[at])
    # No item left has more value for a unit of a resource.
    for row in range(resources):
        ratio = [value[item] / max(uses[row][item], 1e-9) for item in order]
        best = model.add_float_table([max(ratio[a:], default=0.0) for a in range(items + 1)])
        model.add_dual_bound(math.floor(left[row] * best[at] + 1e-6))
    return model, lambda names: [item for item, name in zip(order, names) if name == "take"]


def sequence(dp, model, count, transition):
    """A set of things that are left, with a transition for each: `transition(left, thing)` is (cost, further effects)."""
    kind = model.add_object_type(number=count)
    left = model.add_set_var(object_type=kind, target=list(range(count)))
    for thing in range(count):
        cost, effects = transition(left, thing)
        model.add_transition(
            dp.Transition(
                name=str(thing),
                cost=cost,
                preconditions=[left.contains(thing)],
                effects=[(left, left.remove(thing)), *effects],
            )
        )
    model.add_base_case([left.is_empty()])
    return kind, left


def names_as_numbers(names):
    return [int(name) for name in names]


def tardiness(dp, text):
    words = didp_classes.numbers(text)
    count = words[0]
    time, weight, due = (words[1 + part * count :][:count] for part in range(3))
    model = dp.Model()
    now = model.add_int_var(target=0)
    late = [weight[job] * dp.max(0, now + time[job] - due[job]) for job in range(count)]
    step = lambda left, job: (late[job] + dp.IntExpr.state_cost(), [(now, now + time[job])])
    _, left = sequence(dp, model, count, step)
    model.add_dual_bound(total(left.contains(job).if_then_else(late[job], 0) for job in range(count)))
    return model, names_as_numbers


def layout(dp, text):
    words = didp_classes.numbers(text)
    count = words[0]
    length = words[1 : 1 + count]
    flow = [words[1 + count + a * count :][:count] for a in range(count)]
    model = dp.Model()
    cut = model.add_int_var(target=0)
    table = model.add_int_table(flow)

    def step(left, one):
        pull = sum(flow[one]) - table[one, left]
        return (cut - pull) * length[one] + dp.IntExpr.state_cost(), [(cut, cut - pull + table[one, left])]

    sequence(dp, model, count, step)
    model.add_dual_bound(0)
    return model, names_as_numbers


def degeneracy(near):
    left, least = set(range(len(near))), 0
    while left:
        one = min(left, key=lambda a: len(near[a] & left))
        least = max(least, len(near[one] & left))
        left.remove(one)
    return least


def stacks(dp, text):
    words = didp_classes.numbers(text)
    customers, products = words[:2]
    wants = [{p for p in range(products) if words[2 + c * products + p]} for c in range(customers)]
    near = [{b for b in range(customers) if a == b or wants[a] & wants[b]} for a in range(customers)]
    model = dp.Model()
    kind = model.add_object_type(number=customers)
    left = model.add_set_var(object_type=kind, target=list(range(customers)))
    opened = model.add_set_var(object_type=kind, target=[])
    for one in range(customers):
        after = opened | model.create_set_const(object_type=kind, value=sorted(near[one]))
        model.add_transition(
            dp.Transition(
                name=str(one),
                cost=dp.max(dp.IntExpr.state_cost(), (after & left).len()),
                preconditions=[left.contains(one)],
                effects=[(left, left.remove(one)), (opened, after)],
            )
        )
    model.add_base_case([left.is_empty()])
    model.add_dual_bound(degeneracy(near))
    return model, names_as_numbers


def sweep(dp, text):
    words = didp_classes.numbers(text)
    rooms = words[0]
    doors = [[0] * rooms for _ in range(rooms)]
    for a, b, g in zip(words[2 + rooms :: 3], words[3 + rooms :: 3], words[4 + rooms :: 3]):
        doors[a - 1][b - 1] += g
        doors[b - 1][a - 1] += g
    own = [sum(row) for row in doors]
    model = dp.Model()
    cut = model.add_int_var(target=0)
    table = model.add_int_table(doors)

    def step(left, room):
        inner = own[room] - table[room, left]
        need = cut - inner + words[2 + room] + own[room]
        return dp.max(dp.IntExpr.state_cost(), need), [(cut, cut - inner + table[room, left])]

    sequence(dp, model, rooms, step)
    model.add_dual_bound(max(words[2 + room] + own[room] for room in range(rooms)))
    return model, names_as_numbers


def balancing(dp, text):
    words = didp_classes.numbers(text)
    tasks, cycle = words[:2]
    time, rest = words[2 : 2 + tasks], words[3 + tasks :]
    model = dp.Model()
    kind = model.add_object_type(number=tasks)
    left = model.add_set_var(object_type=kind, target=list(range(tasks)))
    room = model.add_int_resource_var(target=0, less_is_better=False)
    larger = sorted(range(tasks), key=lambda task: -time[task])
    fits = []
    for task in range(tasks):
        before = [a - 1 for a, b in zip(rest[::2], rest[1::2]) if b - 1 == task]
        if not rest:
            # Of items of one size the first one comes first.
            before = [item for item in range(task) if time[item] == time[task]][-1:]
        ready = (left & model.create_set_const(object_type=kind, value=before)).is_empty()
        can = [left.contains(task), time[task] <= room] + ([ready] if before else [])
        fits.append(functools.reduce(operator.and_, can))
        if not rest:
            ahead = model.create_set_const(object_type=kind, value=larger[: larger.index(task)])
            can.append((room < cycle) | (left & ahead).is_empty())
        model.add_transition(
            dp.Transition(
                name=str(task),
                cost=dp.IntExpr.state_cost(),
                preconditions=can,
                effects=[(left, left.remove(task)), (room, room - time[task])],
            )
        )
    model.add_transition(
        dp.Transition(
            name="open",
            cost=1 + dp.IntExpr.state_cost(),
            preconditions=[~left.is_empty(), *(~one for one in fits)],
            effects=[(room, cycle)],
        ),
        forced=True,
    )
    model.add_base_case([left.is_empty()])
    halves = [2 if 2 * t > cycle else 1 if 2 * t == cycle else 0 for t in time]
    sixths = [6 if 3 * t > 2 * cycle else 4 if 3 * t == 2 * cycle else 3 if 3 * t > cycle else 2 if 3 * t == cycle else 0 for t in time]
    model.add_dual_bound((model.add_int_table(time)[left] - room + cycle - 1) // cycle)
    model.add_dual_bound((model.add_int_table(halves)[left] + 1) // 2 - (2 * room >= cycle).if_then_else(1, 0))
    model.add_dual_bound((model.add_int_table(sixths)[left] + 5) // 6 - (3 * room >= cycle).if_then_else(1, 0))
    return model, lambda names: [int(name) for name in names if name != "open"]


def pickup(dp, text):
    words = didp_classes.numbers(text)
    count, capacity = words[:2]
    way = [words[3 + a * count :][:count] for a in range(count)]
    ends = words[3 + count * count :]
    model = dp.Model()
    place = model.add_object_type(number=count)
    left = model.add_set_var(object_type=place, target=list(range(1, count)))
    at = model.add_element_var(object_type=place, target=0)
    load = model.add_int_var(target=0)
    table = model.add_int_table(way)
    before, change = [set() for _ in range(count)], [0] * count
    for a, b, size in zip(ends[::3], ends[1::3], ends[2::3]):
        before[b - 1].add(a - 1)
        change[a - 1] += size
        change[b - 1] -= size
    for middle in range(count):
        for other in before:
            if middle in other:
                other |= before[middle]
    for one in range(1, count):
        can = [left.contains(one), load + change[one] <= capacity]
        can += [~left.contains(other) for other in before[one]]
        model.add_transition(
            dp.Transition(
                name=str(one),
                cost=table[at, one] + dp.IntExpr.state_cost(),
                preconditions=can,
                effects=[(left, left.remove(one)), (at, one), (load, load + change[one])],
            )
        )
    model.add_base_case([left.is_empty()], cost=table[at, 0])
    free = lambda a, b: a != b and (b == 0 or b not in before[a])
    to = [min(way[a][b] for a in range(count) if free(a, b)) for b in range(count)]
    out = model.add_int_table([min(way[a][b] for b in range(count) if free(a, b)) for a in range(count)])
    model.add_dual_bound(model.add_int_table(to)[left] + to[0])
    model.add_dual_bound(out[left] + out[at])
    return model, names_as_numbers


def orienteering(dp, text):
    words = didp_classes.numbers(text)
    count = words[0]
    way = [words[1 + a * count :][:count] for a in range(count)]
    rows = [words[1 + count * count + 4 * place :][:4] for place in range(count)]
    model = dp.Model(maximize=True)
    place = model.add_object_type(number=count)
    left = model.add_set_var(object_type=place, target=list(range(1, count)))
    at = model.add_element_var(object_type=place, target=0)
    now = model.add_int_resource_var(target=rows[0][1], less_is_better=True)
    table = model.add_int_table(way)
    offers, ended = [], []
    for one in range(1, count):
        gain, opens, closes, service = rows[one]
        # The latest begin that leaves time for the way back.
        latest = min(closes, rows[0][2] - way[one][0] - service)
        reach = left.contains(one) & (now + table[at, one] <= latest)
        end = dp.max(now + table[at, one], opens) + service
        soon = opens + service
        gone = [b for b in range(1, count) if b == one or soon + way[one][b] > rows[b][2]]
        model.add_transition(
            dp.Transition(
                name=str(one),
                cost=gain + dp.IntExpr.state_cost(),
                preconditions=[reach] if opens <= latest else [left.is_empty(), left.contains(one)],
                effects=[(left, left - model.create_set_const(object_type=place, value=gone)), (at, one), (now, end)],
            )
        )
        offers.append(reach.if_then_else(gain, 0))
        ended.append(~reach)
    model.add_base_case(ended)
    model.add_dual_bound(total(offers))
    return model, names_as_numbers


def edges_of(text):
    near = []
    for line in text.splitlines():
        words = line.split()
        if words[0] == "p":
            near = [set() for _ in range(int(words[2]))]
        elif words[0] == "e":
            a, b = int(words[1]) - 1, int(words[2]) - 1
            near[a].add(b)
            near[b].add(a)
    return near


def colors_of(near):
    colors = []
    for one in sorted(range(len(near)), key=lambda a: -len(near[a])):
        for color in colors:
            if not near[one] & color:
                color.add(one)
                break
        else:
            colors.append({one})
    return colors


def clique(dp, text):
    near = edges_of(text)
    model = dp.Model(maximize=True)
    vertex = model.add_object_type(number=len(near))
    left = model.add_set_var(object_type=vertex, target=list(range(len(near))))
    for one, around in enumerate(near):
        later = model.create_set_const(object_type=vertex, value=[b for b in around if b > one])
        model.add_transition(
            dp.Transition(
                name=str(one),
                cost=1 + dp.IntExpr.state_cost(),
                preconditions=[left.contains(one)],
                effects=[(left, left & later)],
            )
        )
    model.add_base_case([left.is_empty()])
    sets = [model.create_set_const(object_type=vertex, value=sorted(color)) for color in colors_of(near)]
    model.add_dual_bound(total((left & one).is_empty().if_then_else(0, 1) for one in sets))
    return model, names_as_numbers


def merged(text):
    """The instance with scenes of the same actors made one."""
    groups, rows, durations = didp_classes.merged_scenes(text)
    lines = [" ".join(str(row[scenes[0]]) for scenes in groups) + f" {row[-1]}" for row in rows]
    return "\n".join(["merged", f"{len(groups)} {len(rows)}", *lines, " ".join(str(sum(durations[s] for s in g)) for g in groups)])


def talent(dp, text):
    return peers.talent(dp, merged(text)), names_as_numbers


def model(dp, kind, text):
    return globals()[didp_classes.EXAMPLE.get(kind, kind)](dp, text)
