"""CP-SAT models of the classes of didp_classes.py: `model(cp_model, kind, text)` returns the model and the function that
makes the examples' moves of a solver's values."""
import didp_cabs
import didp_classes


def maxcut(cp, text):
    words = didp_classes.numbers(text)
    model = cp.CpModel()
    side = [model.new_bool_var("") for _ in range(words[0])]
    model.add(side[0] == 0)
    gains = []
    for a, b, weight in zip(words[2::3], words[3::3], words[4::3]):
        x, y, cut = side[a - 1], side[b - 1], model.new_bool_var("")
        if weight > 0:
            model.add_bool_or(x, y, cut.negated())
            model.add_bool_or(x.negated(), y.negated(), cut.negated())
        else:
            model.add_bool_or(x.negated(), y, cut)
            model.add_bool_or(x, y.negated(), cut)
        gains.append(weight * cut)
    model.maximize(sum(gains))
    return model, lambda value: [bool(value(x)) for x in side[1:]]


def multiknapsack(cp, text):
    words = didp_classes.numbers(text)
    items, resources = words[:2]
    model = cp.CpModel()
    take = [model.new_bool_var("") for _ in range(items)]
    for row in range(resources):
        uses = words[3 + items * (row + 1) :][:items]
        model.add(sum(u * x for u, x in zip(uses, take)) <= words[3 + items * (resources + 1) + row])
    model.maximize(sum(v * x for v, x in zip(words[3:], take)))
    return model, lambda value: [item for item in range(items) if value(take[item])]


def by(value, variables):
    return sorted(range(len(variables)), key=lambda one: value(variables[one]))


def tardiness(cp, text):
    words = didp_classes.numbers(text)
    count = words[0]
    time, weight, due = (words[1 + part * count :][:count] for part in range(3))
    horizon = sum(time)
    model = cp.CpModel()
    start = [model.new_int_var(0, horizon - t, "") for t in time]
    model.add_no_overlap(model.new_fixed_size_interval_var(s, t, "") for s, t in zip(start, time))
    late = [model.new_int_var(0, horizon, "") for _ in range(count)]
    for job in range(count):
        model.add(late[job] >= start[job] + time[job] - due[job])
    model.minimize(sum(w * x for w, x in zip(weight, late)))
    return model, lambda value: by(value, start)


def layout(cp, text):
    words = didp_classes.numbers(text)
    count = words[0]
    length = words[1 : 1 + count]
    horizon = sum(length)
    model = cp.CpModel()
    start = [model.new_int_var(0, horizon - size, "") for size in length]
    model.add_no_overlap(model.new_fixed_size_interval_var(s, size, "") for s, size in zip(start, length))
    costs = []
    for a in range(count):
        for b in range(a):
            flow = words[1 + count + a * count + b]
            if flow:
                # Twice the distance of the centres.
                far = model.new_int_var(length[a] + length[b], 2 * horizon, "")
                model.add(far >= 2 * start[a] + length[a] - 2 * start[b] - length[b])
                model.add(far >= 2 * start[b] + length[b] - 2 * start[a] - length[a])
                costs.append(flow * far)
    model.minimize(sum(costs))
    return model, lambda value: by(value, start)


def places(cp, count):
    model = cp.CpModel()
    place = [model.new_int_var(0, count - 1, "") for _ in range(count)]
    model.add_all_different(place)
    return model, place


def spans(model, place, groups, count):
    """For each group of things the interval from the first of them to the step after the last one."""
    intervals = []
    for firsts, lasts in groups:
        first, size, end = model.new_int_var(0, count, ""), model.new_int_var(1, count, ""), model.new_int_var(0, count, "")
        model.add_min_equality(first, [place[a] for a in firsts])
        model.add_max_equality(end, [place[a] + 1 for a in lasts])
        intervals.append(model.new_interval_var(first, size, end, ""))
    return intervals


def stacks(cp, text):
    words = didp_classes.numbers(text)
    customers, products = words[:2]
    wants = [{p for p in range(products) if words[2 + c * products + p]} for c in range(customers)]
    near = [[b for b in range(customers) if a == b or wants[a] & wants[b]] for a in range(customers)]
    model, place = places(cp, customers)
    most = model.new_int_var(didp_cabs.degeneracy([set(row) for row in near]), customers, "")
    intervals = spans(model, place, [(near[a], [a]) for a in range(customers)], customers)
    model.add_cumulative(intervals, [1] * customers, most)
    model.minimize(most)
    return model, lambda value: by(value, place)


def sweep(cp, text):
    words = didp_classes.numbers(text)
    rooms = words[0]
    doors = list(zip(words[2 + rooms :: 3], words[3 + rooms :: 3], words[4 + rooms :: 3]))
    model, place = places(cp, rooms)
    most = model.new_int_var(0, sum(words[2 : 2 + rooms]) + sum(door[2] for door in doors), "")
    ends = [[a - 1, b - 1] for a, b, _ in doors]
    intervals = spans(model, place, [(pair, pair) for pair in ends], rooms)
    intervals += [model.new_fixed_size_interval_var(at, 1, "") for at in place]
    model.add_cumulative(intervals, [door[2] for door in doors] + words[2 : 2 + rooms], most)
    model.minimize(most)
    return model, lambda value: by(value, place)


def first_fit(sizes, cycle):
    """The bins of first fit decreasing, the fullest first."""
    bins = []
    for size in sorted(sizes, reverse=True):
        held = next((held for held in bins if sum(held) + size <= cycle), None)
        if held is None:
            bins.append([size])
        else:
            held.append(size)
    return sorted(bins, key=sum, reverse=True)


def packing(cp, text):
    """The number of items of each size in each bin, and the solution of first fit as a hint."""
    words = didp_classes.numbers(text)
    items, cycle = words[:2]
    sizes = words[2 : 2 + items]
    kinds = sorted(set(sizes), reverse=True)
    start = first_fit(sizes, cycle)
    bins = len(start)
    model = cp.CpModel()
    used = [model.new_bool_var("") for _ in range(bins)]
    held = [[model.new_int_var(0, min(cycle // s, sizes.count(s)), "") for _ in range(bins)] for s in kinds]
    for row, size in zip(held, kinds):
        model.add(sum(row) == sizes.count(size))
    loads = [sum(s * row[at] for s, row in zip(kinds, held)) for at in range(bins)]
    for at in range(bins):
        model.add(loads[at] <= cycle * used[at])
        if at:
            model.add_implication(used[at], used[at - 1])
            model.add(loads[at] <= loads[at - 1])
    model.add(sum(used) >= -(-sum(sizes) // cycle))
    model.minimize(sum(used))
    for at, content in enumerate(start):
        model.add_hint(used[at], 1)
        for size, row in zip(kinds, held):
            model.add_hint(row[at], content.count(size))

    def moves(value):
        stock = {size: [item for item in range(items) if sizes[item] == size] for size in kinds}
        return [stock[s].pop() for at in range(bins) for s, row in zip(kinds, held) for _ in range(value(row[at]))]

    return model, moves


def balancing(cp, text):
    words = didp_classes.numbers(text)
    tasks, cycle = words[:2]
    time, rest = words[2 : 2 + tasks], words[3 + tasks :]
    pairs = [(a - 1, b - 1) for a, b in zip(rest[::2], rest[1::2])]
    # Tasks in their order, one station after the other.
    most, room = 0, 0
    for t in time:
        most, room = (most, room - t) if t <= room else (most + 1, cycle - t)
    before, behind = [set() for _ in range(tasks)], [set() for _ in range(tasks)]
    for a, b in sorted(pairs, key=lambda pair: pair[1]):
        before[b] |= before[a] | {a}
    for a, b in sorted(pairs, key=lambda pair: -pair[0]):
        behind[a] |= behind[b] | {b}
    needed = lambda task, others: -(-(time[task] + sum(time[other] for other in others)) // cycle)
    windows = [range(needed(t, before[t]) - 1, most - needed(t, behind[t]) + 1) for t in range(tasks)]
    model = cp.CpModel()
    at = [{s: model.new_bool_var("") for s in window} for window in windows]
    used = [model.new_bool_var("") for _ in range(most)]
    for task in range(tasks):
        model.add_exactly_one(at[task].values())
    for s in range(most):
        model.add(sum(time[task] * at[task][s] for task in range(tasks) if s in at[task]) <= cycle * used[s])
        if s:
            model.add_implication(used[s], used[s - 1])
    station = [sum(s * x for s, x in row.items()) for row in at]
    for a, b in pairs:
        model.add(station[a] <= station[b])
    model.add(sum(used) >= -(-sum(time) // cycle))
    model.minimize(sum(used))
    # In a station in their numbers' order, which is one of precedence.
    return model, lambda value: sorted(range(tasks), key=lambda t: (sum(s * value(x) for s, x in at[t].items()), t))


def follow(value, arcs):
    after = {a: b for a, b, literal in arcs if a != b and value(literal)}
    tour, at = [], after.get(0, 0)
    while at:
        tour.append(at)
        at = after[at]
    return tour


def pickup(cp, text):
    words = didp_classes.numbers(text)
    count, capacity = words[:2]
    ends = words[3 + count * count :]
    model = cp.CpModel()
    loads = list(zip(ends[::3], ends[1::3], ends[2::3]))
    before, change = [set() for _ in range(count)], [0] * count
    for a, b, size in loads:
        before[b - 1].add(a - 1)
        change[a - 1] += size
        change[b - 1] -= size
    # The way back to the start does not count.
    free = lambda a, b: a != b and b not in before[a] and not (a == 0 and before[b]) and not (b == 0 and change[a] > 0)
    arcs = [(a, b, model.new_bool_var("")) for a in range(count) for b in range(count) if free(a, b)]
    model.add_circuit(arcs)
    rank = [model.new_int_var(0, count - 1, "") for _ in range(count)]
    load = [model.new_int_var(0, capacity, "") for _ in range(count)]
    model.add(rank[0] == 0)
    model.add(load[0] == 0)
    for a, b, arc in arcs:
        if b:
            model.add(rank[b] == rank[a] + 1).only_enforce_if(arc)
            model.add(load[b] == load[a] + change[b]).only_enforce_if(arc)
    for a, b, _ in loads:
        model.add(rank[a - 1] < rank[b - 1])
    model.minimize(sum(words[3 + a * count + b] * arc for a, b, arc in arcs))
    return model, lambda value: follow(value, arcs)


def orienteering(cp, text):
    words = didp_classes.numbers(text)
    count = words[0]
    way = lambda a, b: words[1 + a * count + b]
    rows = [words[1 + count * count + 4 * place :][:4] for place in range(count)]
    model = cp.CpModel()
    latest = [min(rows[a][2], rows[0][2] - way(a, 0) - rows[a][3]) for a in range(count)]
    places = [a for a in range(1, count) if max(rows[a][1], way(0, a)) <= latest[a]]
    begin = {a: model.new_int_var(rows[a][1], latest[a], "") for a in places}
    skip = {a: model.new_bool_var("") for a in places}
    none = model.new_bool_var("")
    arcs = [(a, a, skip[a]) for a in places] + [(0, 0, none)]
    for a in places:
        arcs += [(0, a, model.new_bool_var("")), (a, 0, model.new_bool_var(""))]
        model.add(begin[a] >= way(0, a))
        for b in places:
            if a != b and rows[a][1] + rows[a][3] + way(a, b) <= latest[b]:
                arc = model.new_bool_var("")
                arcs.append((a, b, arc))
                model.add(begin[b] >= begin[a] + rows[a][3] + way(a, b)).only_enforce_if(arc)
    for a in places:
        model.add_implication(none, skip[a])
    model.add_circuit(arcs)
    model.maximize(sum(rows[a][0] * skip[a].negated() for a in places))
    return model, lambda value: follow(value, arcs)


def clique(cp, text):
    near = didp_cabs.edges_of(text)
    model = cp.CpModel()
    held = [model.new_bool_var("") for _ in near]
    color = {}
    for at, one in enumerate(didp_cabs.colors_of(near)):
        model.add_at_most_one(held[a] for a in one)
        color |= dict.fromkeys(one, at)
    for a in range(len(near)):
        for b in range(a):
            if b not in near[a] and color[a] != color[b]:
                model.add_bool_or(held[a].negated(), held[b].negated())
    model.maximize(sum(held))
    return model, lambda value: [a for a in range(len(near)) if value(held[a])]


def talent(cp, text):
    groups, rows, durations = didp_classes.merged_scenes(text)
    time = [sum(durations[scene] for scene in scenes) for scenes in groups]
    horizon = sum(time)
    model = cp.CpModel()
    start = [model.new_int_var(0, horizon - t, "") for t in time]
    model.add_no_overlap(model.new_fixed_size_interval_var(s, t, "") for s, t in zip(start, time))
    costs = []
    for row in rows:
        days = [group for group, scenes in enumerate(groups) if row[scenes[0]]]
        if days:
            first, last = model.new_int_var(0, horizon, ""), model.new_int_var(0, horizon, "")
            model.add_min_equality(first, [start[day] for day in days])
            model.add_max_equality(last, [start[day] + time[day] for day in days])
            model.add(last - first >= sum(time[day] for day in days))
            costs.append(row[-1] * (last - first))
    model.minimize(sum(costs))
    return model, lambda value: by(value, start)


def model(cp, kind, text):
    return globals()[kind](cp, text)
