"""Pairs of instances whose optima are tied by a rule: what is claimed of one has to hold of the other.

The second instance is the first one with its parts in another order, under other names, seen in a mirror, shifted or
scaled, or with a part that changes nothing (useless) or the same in all solutions (forced). No brute force is needed,
so that instances may be as large as the exact searches can prove.

Each function draws a pair: two texts, and a function from the optimum of the first one to that of the second.
"""

import re

LARGE = 10**6


def same(score):
    return score


def plus(number):
    return lambda score: None if score is None else score + number


def times(number):
    return lambda score: None if score is None else score * number


def shuffled(draw, rows):
    return draw.sample(rows, len(rows))


def knapsack(draw):
    count, largest = draw.randrange(5, 20), draw.choice([10, 100, 10**6])
    items = [(draw.randrange(largest + 1), draw.randrange(1, largest + 1)) for _ in range(count)]
    if draw.random() < 0.4:
        items = [(weight + draw.randrange(largest // 5 + 1), weight) for _, weight in items]
    capacity = draw.randrange(sum(weight for _, weight in items) + 1)
    write = lambda items, capacity: f"{len(items)} {capacity}\n" + "".join(f"{v} {w}\n" for v, w in items)
    factor, worth = draw.randrange(2, 9), draw.randrange(1, largest + 1)
    kind = draw.choice(["permuted", "values scaled", "weights scaled", "useless", "worthless", "forced"])
    other, space, rule = list(items), capacity, same
    if kind == "values scaled":
        other, rule = [(v * factor, w) for v, w in items], times(factor)
    elif kind == "weights scaled":
        other, space = [(v, w * factor) for v, w in items], capacity * factor + draw.randrange(factor)
    elif kind == "useless":
        other.append((largest * count, capacity + 1))
    elif kind == "worthless":
        other.append((0, draw.randrange(1, largest + 1)))
    elif kind == "forced":
        # Worth more than all others, and there is room for it beside what fits anyway.
        other.append((largest * count * 2, worth))
        space, rule = capacity + worth, plus(largest * count * 2)
    return kind, write(items, capacity), write(shuffled(draw, other), space), rule


def partition(draw):
    count, bits = draw.randrange(5, 20), draw.choice([4, 12, 30])
    numbers = [draw.randrange(1, 2**bits) for _ in range(count)]
    write = lambda numbers: "".join(f"{number}\n" for number in numbers)
    kind = draw.choice(["permuted", "useless", "forced", "largest"])
    if kind == "forced":
        # The two largest numbers exceed all others: they are on different sides, as their difference alone.
        least = sum(numbers) + 2**bits
        a, b = least + draw.randrange(1, 2**bits), least + draw.randrange(1, 2**bits)
        first = numbers + ([abs(a - b)] if a != b else [])
        return kind, write(first), write(shuffled(draw, [*numbers, a, b])), same
    if kind == "largest":
        # One number above the sum of the others: a difference that is known.
        return kind, write([sum(numbers) + 1]), write(shuffled(draw, [*numbers, 2 * sum(numbers) + 1])), same
    other = numbers + [0] * draw.randrange(1, 3) if kind == "useless" else numbers
    return kind, write(numbers), write(shuffled(draw, other)), same


def samegame(draw):
    rows, columns, colours = draw.randrange(3, 6), draw.randrange(3, 6), draw.randrange(2, 5)
    board = [[draw.randrange(colours) for _ in range(columns)] for _ in range(rows)]
    kind = draw.choice(["relabelled", "mirrored", "useless row", "useless column"])
    other = [list(row) for row in board]
    if kind == "mirrored":
        other = [row[::-1] for row in other]
    write = lambda board, names: "".join("".join(map(str, (names[c] for c in row))) + "\n" for row in board)
    names = draw.sample(range(1, 10), colours)
    text = write(other, names if kind == "relabelled" else range(1, colours + 1))
    if kind == "useless row":
        text = "." * columns + "\n" + text
    elif kind == "useless column":
        text = "".join(line + ".\n" for line in text.splitlines())
    return kind, write(board, range(1, colours + 1)), text, same


def cube(draw):
    """Paths that begin alike up to the names of the dimensions."""
    dimension, spread = draw.randrange(3, 6), draw.choice([2, 2, 3])
    names = draw.sample(range(dimension), dimension)
    path, node = [0], 0
    begin = []
    for _ in range(draw.randrange(1, 4)):
        free = []
        for bit in range(dimension):
            new = node ^ 1 << bit
            far = all((new ^ old).bit_count() >= min(back, spread) for back, old in enumerate(reversed(path), 1))
            if far and new not in path:
                free.append(bit)
        if not free:
            break
        begin.append(draw.choice(free))
        node ^= 1 << begin[-1]
        path.append(node)
    write = lambda bits: f"d{dimension}k{spread}\ntransitions {' '.join(map(str, bits))}\n"
    return "relabelled", write(begin), write([names[bit] for bit in begin]), same


def tsptw(draw):
    count, largest = draw.randrange(5, 12), draw.choice([5, 30, 100])
    matrix = [[0 if a == b else draw.randrange(1, largest + 1) for b in range(count)] for a in range(count)]
    horizon = largest * count
    # Around a tour that exists in most cases.
    windows, time, order = [(0, 2 * horizon)] * count, 0, [0, *draw.sample(range(1, count), count - 1)]
    for a, b in zip(order, order[1:]):
        time += matrix[a][b]
        wide = draw.choice([0, largest, 3 * largest, horizon])
        begin = max(0, time - draw.randrange(wide + 1) + draw.choice([0, 0, 0, largest]))
        windows[b] = (begin, begin + wide)

    def write(matrix, windows):
        return f"{len(matrix)}\n" + "".join(" ".join(map(str, row)) + "\n" for row in [*matrix, *windows])

    text, kind = write(matrix, windows), draw.choice(["permuted", "mirrored", "shifted", "scaled", "forced"])
    rule, shift, factor = same, draw.randrange(1, 1000), draw.choice([2, 3, 10, 0.5, 0.1])
    if kind == "mirrored":
        # Time backwards: waiting is free, so that what was possible is possible.
        end = windows[0][1]
        matrix = [list(column) for column in zip(*matrix)]
        windows = [(end - b, end - a) for a, b in windows]
        if min(a for a, _ in windows) < 0:
            windows = [(max(0, a), b) for a, b in windows]
    elif kind == "shifted":
        windows = [(a + shift, b + shift) for a, b in windows]
    elif kind == "scaled":
        decimal = lambda value: f"{value * factor:.1f}" if factor < 1 else value * factor
        matrix = [[decimal(way) for way in row] for row in matrix]
        windows, rule = [(decimal(a), decimal(b)) for a, b in windows], times(factor)
    elif kind == "forced":
        # A city behind another one: the only way to it, and the only way on from that one.
        at, far = draw.randrange(1, count), 10 * horizon
        on = list(matrix[at])
        on[at] = far
        matrix = [[*row, far] for row in matrix] + [[*on, 0]]
        matrix[at] = [far] * count + [0]
        matrix[at][at] = 0
        windows = [*windows, windows[at]]
    if kind == "permuted":
        names = [0, *draw.sample(range(1, count), count - 1)]
        matrix = [[matrix[a][b] for b in names] for a in names]
        windows = [windows[a] for a in names]
    return kind, text, write(matrix, windows), rule


def solomon(customers, capacity, vehicles, depot):
    lines = ["x", "", "VEHICLE", "NUMBER CAPACITY", f"{vehicles} {capacity}", "", "CUSTOMER", "CUST NO. X Y D R D S", ""]
    rows = [depot, *customers]
    return "\n".join([*lines, *(" ".join(map(str, (at, *row))) for at, row in enumerate(rows))]) + "\n"


def vrptw(draw):
    count, size, horizon = draw.randrange(3, 8), draw.choice([5, 30, 100]), draw.choice([100, 300])
    place = lambda: (draw.randrange(size + 1), draw.randrange(size + 1))
    depot = (*place(), 0, 0, horizon, 0)
    customers = []
    for _ in range(count):
        begin = draw.randrange(horizon) if draw.random() < 0.4 else 0
        end = min(horizon, begin + draw.choice([20, 60, horizon]))
        customers.append((*place(), draw.randrange(1, 11), begin, end, draw.choice([0, 5])))
    capacity, vehicles = draw.choice([12, 20, 40]), draw.choice([count, 2, 3])
    kind = draw.choice(["permuted", "mirrored", "turned", "shifted", "later", "loads scaled", "more vehicles"])
    change = {
        "mirrored": lambda x, y, *rest: (size - x, y, *rest),
        "turned": lambda x, y, *rest: (y, x, *rest),
        "shifted": lambda x, y, *rest: (x + 7, y + 1000, *rest),
        "later": lambda x, y, load, begin, end, stay: (x, y, load, begin + 50, end + 50, stay),
        "loads scaled": lambda x, y, load, *rest: (x, y, 3 * load, *rest),
    }.get(kind, lambda *row: row)
    space = capacity * 3 + draw.randrange(3) if kind == "loads scaled" else capacity
    # No solution has more routes than customers.
    first = count if kind == "more vehicles" else vehicles
    second = 2 * count if kind == "more vehicles" else vehicles
    other = solomon(shuffled(draw, [change(*row) for row in customers]), space, second, change(*depot))
    return kind, solomon(customers, capacity, first, depot), other, same


def rich(draw):
    """Vehicles of several kinds and prizes on a matrix; cost."""
    count, vehicles = draw.randrange(3, 7), draw.randrange(1, 4)
    matrix = [[0 if a == b else draw.randrange(1, 30) for b in range(count + 1)] for a in range(count + 1)]
    demands = [0] + [draw.randrange(1, 8) for _ in range(count)]
    prizes = [0] + [draw.choice([0, 0, 5, 20, 60]) for _ in range(count)]
    kinds = [[8, 15, 40], [0, 10], [1, 2], [60, 600]]
    fleet = [tuple(map(draw.choice, kinds)) for _ in range(vehicles)]

    def write(matrix, demands, prizes, fleet, factor=1):
        lines = ["NAME : x", "TYPE : VRP", f"DIMENSION : {len(matrix)}", f"VEHICLES : {len(fleet)}"]
        lines += ["EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX"]
        names = ["CAPACITY", "VEHICLES_FIXED_COST", "VEHICLES_UNIT_DISTANCE_COST", "VEHICLES_MAX_DISTANCE"]
        for column, name in enumerate(names):
            scale = factor if column in (1, 3) else 1
            lines += [f"{name}_SECTION", *(f"{at} {row[column] * scale}" for at, row in enumerate(fleet, 1))]
        lines += ["EDGE_WEIGHT_SECTION", *(" ".join(str(way * factor) for way in row) for row in matrix)]
        lines += ["DEMAND_SECTION", *(f"{at} {demand}" for at, demand in enumerate(demands, 1))]
        lines += ["PRIZE_SECTION", *(f"{at} {prize * factor}" for at, prize in enumerate(prizes, 1))]
        return "\n".join([*lines, "DEPOT_SECTION", "1", "-1", "EOF"]) + "\n"

    text = write(matrix, demands, prizes, fleet)
    kind = draw.choice(["permuted", "fleet permuted", "scaled", "mirrored", "useless", "useless vehicle", "forced"])
    if kind == "permuted":
        names = [0, *draw.sample(range(1, count + 1), count)]
        pick = lambda row: [row[name] for name in names]
        return kind, text, write([pick(matrix[name]) for name in names], pick(demands), pick(prizes), fleet), same
    if kind == "fleet permuted":
        return kind, text, write(matrix, demands, prizes, shuffled(draw, fleet)), same
    if kind == "scaled":
        factor = draw.choice([2, 3, 10])
        return kind, text, write(matrix, demands, prizes, fleet, factor), times(factor)
    if kind == "mirrored":
        return kind, text, write([list(column) for column in zip(*matrix)], demands, prizes, fleet), same
    if kind == "useless vehicle":
        return kind, text, write(matrix, demands, prizes, [*fleet, (40, 0, 1, 0)]), same
    far, number = 10**6, draw.randrange(1, count + 1)
    if kind == "useless":
        # Too far away for its prize.
        matrix = [[*row, far] for row in matrix] + [[far] * (count + 1) + [0]]
        return kind, text, write(matrix, [*demands, 1], [*prizes, 7], fleet), plus(7)
    # A customer that must be served, at the only way from another one that must be, at no cost.
    prizes[number] = 0
    text = write(matrix, demands, prizes, fleet)
    on = list(matrix[number])
    on[number] = far
    matrix = [[*row, far] for row in matrix] + [[*on, 0]]
    matrix[number] = [far] * (count + 1) + [0]
    matrix[number][number] = 0
    return kind, text, write(matrix, [*demands, 0], [*prizes, 0], fleet), same


def stacking(draw):
    width, count, dates = draw.randrange(2, 5), draw.randrange(3, 9), draw.choice([3, 6, 12])
    height = draw.choice([count, 3, 1000])
    stacks, items = [[] for _ in range(width)], []
    for item in range(1, count + 1):
        due = draw.randrange(2, dates + 2)
        free = [stack for stack in stacks if len(stack) < height]
        if draw.random() < 0.6 and free:
            draw.choice(free).append(item)
            items.append((item, None, due))
        else:
            items.append((item, draw.randrange(1, due), due))

    def write(stacks, items):
        lines = ["str name := x", f"int width := {width}", f"int height := {height}", f"int items := {len(items)}"]
        lines += ["--- end of header ---"]
        lines += [f"{item} {'-' if release is None else release} {due}" for item, release, due in items]
        if any(stacks):
            lines += ["--- initial stacks ---", *(" ".join(map(str, stack)) or "-" for stack in stacks)]
        return "\n".join(lines) + "\n"

    kind = draw.choice(["permuted", "later", "scaled", "useless"])
    other, moved = list(items), stacks
    later = {"later": lambda date: date + 5, "scaled": lambda date: date * 7}.get(kind, same)
    other = [(item, None if release is None else later(release), later(due)) for item, release, due in items]
    if kind == "permuted":
        moved = shuffled(draw, stacks)
    elif kind == "useless":
        # It comes when all others are gone.
        other.append((count + 1, dates + 10, dates + 11))
    return kind, write(stacks, items), write(moved, other), same


def horner(draw):
    names = "xyzwuv"[: draw.randrange(2, 6)]
    terms = []
    for _ in range(draw.randrange(2, 12)):
        powers = [f"{name}^{draw.randrange(1, 4)}" for name in names if draw.random() < 0.6]
        terms.append(draw.choice("+-") + "*".join([str(draw.randrange(2, 9)), *powers]))
    kind = draw.choice(["permuted", "relabelled", "useless", "mirrored"])
    other = shuffled(draw, terms) if kind == "permuted" else list(terms)
    if kind == "mirrored":
        other = [term[0] + "*".join(reversed(term[1:].split("*"))) for term in terms]
    if kind == "useless":
        # Terms that cancel each other.
        other += ["+3*x^7", "-3*x^7"]
    text = "".join(other) + "\n"
    if kind == "relabelled":
        new = dict(zip(names, draw.sample("abcdghjkpq", len(names))))
        text = re.sub("[a-z]", lambda found: new[found[0]], text)
    return kind, "".join(terms) + "\n", text, same


# Problem: how pairs are drawn, options, whether smaller is better.
PAIRS = {
    "knapsack": (knapsack, {}, False),
    "partition": (partition, {}, True),
    "samegame": (samegame, {}, False),
    "clickomania": (samegame, {}, False),
    "bubble-breaker": (samegame, {}, False),
    "snake": (cube, {}, False),
    "coil": (cube, {}, False),
    "tsptw": (tsptw, {}, True),
    "vrptw": (vrptw, {}, True),
    "rich-vrp": (rich, {}, True),
    "stacking": (stacking, {}, True),
    "horner": (horner, {}, True),
}
