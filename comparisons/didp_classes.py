#!/usr/bin/env python3
"""The twelve classes of didp.md: generators, the same instances on every machine, and a verifier for each class.

    python3 comparisons/didp_classes.py FOLDER        writes FOLDER/CLASS-NAME.txt, five for each class

Each file has the format that the example of the class reads. Generators beside those of classes.py: open stacks with 2
to 5 customers a product; graph-clear on grids with diagonals (planar) and on random graphs, as A. Kolling and
S. Carpin; line balancing with the three distributions of times of A. Otto, C. Otto and A. Scholl, European Journal of
Operational Research 228, 2013; bin packing in uniform and triplet instances as E. Falkenauer, Journal of Heuristics 2,
1996; one-to-one pickup and delivery, each place in one load, as H. Hernandez-Perez and J. J. Salazar-Gonzalez, European
Journal of Operational Research 196, 2009; orienteering in the manner of M. M. Solomon's vehicle routing (random,
clustered and mixed places); cliques of G(n, p); talent scheduling with 3 to 6 actors a scene.
"""
import random
import sys
from pathlib import Path

import classes


def stacks(draw, customers, products, most):
    rows = [[0] * products for _ in range(customers)]
    for product in range(products):
        for customer in draw.sample(range(customers), draw.randint(2, most)):
            rows[customer][product] = 1
    for row in rows:
        if not any(row):
            row[draw.randrange(products)] = 1
    return [f"{customers} {products}", *(" ".join(map(str, row)) for row in rows)]


def sweep(draw, rooms, part):
    """Random graphs with density `part`; None: a grid of ten columns, with a diagonal in each cell, four fifths kept."""
    if part is None:
        at = [(room // 10, room % 10) for room in range(rooms)]
        steps = {(0, 1), (1, 0), (1, 1)}
        near = [(a, b) for a in range(rooms) for b in range(rooms) if (at[b][0] - at[a][0], at[b][1] - at[a][1]) in steps]
        doors = [door for door in near if draw.random() < 0.8]
    else:
        doors = [(a, b) for b in range(rooms) for a in range(b) if draw.random() < part]
    lines = [f"{a + 1} {b + 1} {draw.randint(1, 3)}" for a, b in doors]
    return [f"{rooms} {len(doors)}", " ".join(str(draw.randint(1, 10)) for _ in range(rooms)), *lines]


def balancing(draw, tasks, kind, density):
    def time():
        low = kind == "bottom" or kind == "bimodal" and draw.random() < 0.7
        mean, spread = (100, 100) if low else (500, 150)
        return next(x for x in iter(lambda: round(draw.gauss(mean, spread)), None) if 1 <= x <= 1000)

    times = [time() for _ in range(tasks)]
    # Layers of about five tasks; precedences lead from a layer to the next ones.
    layer = sorted(draw.randrange(max(1, tasks // 5)) for _ in range(tasks))
    pairs = [(a, b) for b in range(tasks) for a in range(b) if 1 <= layer[b] - layer[a] <= 2 and draw.random() < density]
    return [f"{tasks} 1000", " ".join(map(str, times)), str(len(pairs)), *(f"{a + 1} {b + 1}" for a, b in pairs)]


def uniform(draw, items):
    return [f"{items} 150", " ".join(str(draw.randint(20, 100)) for _ in range(items)), "0"]


def triplets(draw, items):
    sizes = []
    for _ in range(items // 3):
        first = draw.randint(380, 490)
        second = draw.randint(250, (1000 - first) // 2)
        sizes += [first, second, 1000 - first - second]
    draw.shuffle(sizes)
    return [f"{items} 1000", " ".join(map(str, sizes)), "0"]


def closed(way):
    """Ways over other places where these are shorter."""
    for middle, row in enumerate(way):
        for from_middle in way:
            first = from_middle[middle]
            for b, second in enumerate(row):
                if first + second < from_middle[b]:
                    from_middle[b] = first + second
    return way


def distances(places, scale):
    return closed([[int(scale * ((a - x) ** 2 + (b - y) ** 2) ** 0.5) for x, y in places] for a, b in places])


def pickup(draw, loads, capacity):
    count = 2 * loads + 1
    way = distances([(draw.randint(-500, 500), draw.randint(-500, 500)) for _ in range(count)], 1)
    ends = draw.sample(range(2, count + 1), 2 * loads)
    lines = [f"{a} {b} {draw.randint(1, 5)}" for a, b in zip(ends[::2], ends[1::2])]
    return [f"{count} {capacity} {loads}", *(" ".join(map(str, row)) for row in way), *lines]


def orienteering(draw, customers, kind, horizon, width):
    """Times in tenths; the windows have `width` in the mean, and a quarter of the places have none."""
    centers = [(draw.randint(10, 90), draw.randint(10, 90)) for _ in range(8)]
    places = [(50, 50)]
    for at in range(customers):
        x, y = draw.choice(centers)
        near = (round(draw.gauss(x, 5)), round(draw.gauss(y, 5)))
        clustered = kind == "c" or kind == "rc" and at % 2 == 0
        places.append(near if clustered else (draw.randint(0, 100), draw.randint(0, 100)))
    way = distances(places, 10)
    rows = [(0, 0, horizon, 0)]
    for place in range(1, customers + 1):
        last = horizon - way[place][0] - 100
        middle, half = draw.randint(way[0][place], last), round(max(50, draw.gauss(width, width / 4)) / 2)
        window = (0, last) if draw.random() < 0.25 else (max(0, middle - half), min(last, middle + half))
        rows.append((draw.randint(1, 40), *window, 100))
    return [str(customers + 1), *(" ".join(map(str, row)) for row in way + rows)]


def talent(draw, scenes, actors):
    plays = [draw.sample(range(actors), draw.randint(3, 6)) for _ in range(scenes)]
    rows = [[int(actor in cast) for cast in plays] + [draw.randint(1, 20)] for actor in range(actors)]
    durations = [draw.randint(1, 5) for _ in range(scenes)]
    return ["random", str(scenes), str(actors), *(" ".join(map(str, row)) for row in [*rows, durations])]


CLASSES = {name: classes.CLASSES[name] for name in ("maxcut", "multiknapsack", "tardiness", "layout")} | {
    "stacks": (stacks, {"30": (30, 30, 5), "40": (40, 40, 5), "60": (60, 60, 6), "80": (80, 80, 5), "100": (100, 100, 6)}),
    "sweep": (
        sweep,
        {"planar40": (40, None), "planar80": (80, None), "random40": (40, 0.15), "random60": (60, 0.1), "random80": (80, 0.08)},
    ),
    "balancing": (
        balancing,
        {"50": (50, "bottom", 0.3), "100a": (100, "bottom", 0.3), "100b": (100, "bimodal", 0.15), "100c": (100, "middle", 0.1),
         "150": (150, "bimodal", 0.3)},
    ),
    "packing": (
        lambda draw, make, items: make(draw, items),
        {"u120": (uniform, 120), "u250": (uniform, 250), "u500": (uniform, 500), "t60": (triplets, 60), "t120": (triplets, 120)},
    ),
    "pickup": (pickup, {"31": (15, 10), "41": (20, 15), "51": (25, 10), "61": (30, 15), "81": (40, 20)}),
    "orienteering": (
        orienteering,
        {"r50": (50, "r", 2300, 600), "rc50": (50, "rc", 2400, 600), "c50": (50, "c", 3000, 1000), "r100": (100, "r", 2300, 600),
         "rc100": (100, "rc", 6000, 1200)},
    ),
    "clique": (
        classes.colouring,
        {"200a": (200, 0.7), "200b": (200, 0.9), "300": (300, 0.8), "400": (400, 0.7), "500": (500, 0.5)},
    ),
    "talent": (talent, {"20": (20, 12), "28": (28, 16), "40a": (40, 20), "40b": (40, 25), "50": (50, 20)}),
}
#: Optima by construction: triplets fill their bins.
KNOWN = {"packing-t60": 20, "packing-t120": 40}
EXAMPLE = {"packing": "balancing"}
LARGER = ("maxcut", "multiknapsack", "orienteering", "clique")
#: Classes whose cost is the largest of the costs of the steps.
LARGEST_STEP = ("stacks", "sweep")


def sense(kind):
    """1: larger values are better; -1: smaller ones."""
    return 1 if kind in LARGER else -1


def write(folder):
    """Writes all instances; returns the class and the file for each name."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for kind, (generate, instances) in CLASSES.items():
        for name, arguments in instances.items():
            file = folder / f"{kind}-{name}.txt"
            file.write_text("\n".join(generate(random.Random(f"{kind}-{name}"), *arguments)) + "\n")
            found[f"{kind}-{name}"] = (kind, file)
    return found


# What the value of a solution is, from the text of the instance and the moves alone. Each breaks with an AssertionError
# where the moves are no solution.


def numbers(text):
    return [int(word) for word in text.split()]


def is_order(moves, things):
    assert sorted(moves) == list(things), "not each thing once"


def value_maxcut(text, moves):
    words = numbers(text)
    assert len(moves) == words[0] - 1
    side = [0, *map(int, moves)]
    return sum(w for a, b, w in zip(words[2::3], words[3::3], words[4::3]) if side[a - 1] != side[b - 1])


def value_multiknapsack(text, moves):
    words = numbers(text)
    items, resources = words[:2]
    assert len(set(moves)) == len(moves)
    for row in range(resources):
        used = sum(words[3 + items * (row + 1) + item] for item in moves)
        assert used <= words[3 + items * (resources + 1) + row], f"resource {row}"
    return sum(words[3 + item] for item in moves)


def value_tardiness(text, moves):
    words = numbers(text)
    count = words[0]
    is_order(moves, range(count))
    now = total = 0
    for job in moves:
        now += words[1 + job]
        total += words[1 + count + job] * max(0, now - words[1 + 2 * count + job])
    return total


def value_layout(text, moves):
    words = numbers(text)
    count = words[0]
    is_order(moves, range(count))
    center, left = {}, 0
    for one in moves:
        center[one] = left + words[1 + one] / 2
        left += words[1 + one]
    flow = lambda a, b: words[1 + count + a * count + b]
    return sum(flow(a, b) * abs(center[a] - center[b]) for a in range(count) for b in range(a))


def value_stacks(text, moves):
    words = numbers(text)
    customers, products = words[:2]
    is_order(moves, range(customers))
    wants = [{p for p in range(products) if words[2 + c * products + p]} for c in range(customers)]
    made, most = set(), 0
    for step, customer in enumerate(moves):
        made |= wants[customer]
        most = max(most, sum(1 for other in moves[step:] if wants[other] & made))
    return most


def value_sweep(text, moves):
    words = numbers(text)
    rooms, lines = words[:2]
    is_order(moves, range(rooms))
    doors = list(zip(words[2 + rooms :: 3], words[3 + rooms :: 3], words[4 + rooms :: 3]))
    assert len(doors) == lines
    place = {room + 1: step for step, room in enumerate(moves)}
    most = 0
    for step, room in enumerate(moves):
        # A door is guarded while one of its rooms is swept, and from its first room to its second one.
        guarded = [g for a, b, g in doors if min(place[a], place[b]) <= step <= max(place[a], place[b])]
        most = max(most, words[2 + room] + sum(guarded))
    return most


def value_balancing(text, moves):
    words = numbers(text)
    tasks, cycle = words[:2]
    times, rest = words[2 : 2 + tasks], words[2 + tasks :]
    assert all(times[t] <= cycle for t in range(tasks))
    is_order(moves, range(tasks))
    before = {b - 1: set() for b in range(1, tasks + 1)}
    for a, b in zip(rest[1::2], rest[2::2]):
        before[b - 1].add(a - 1)
    done, room, stations = set(), 0, 0
    for task in moves:
        assert before[task] <= done, f"task {task} before its predecessor"
        if times[task] > room:
            stations, room = stations + 1, cycle
        room -= times[task]
        done.add(task)
    return stations


def value_pickup(text, moves):
    words = numbers(text)
    count, capacity, loads = words[:3]
    is_order(moves, range(1, count))
    load, change = 0, {}
    ends = words[3 + count * count :]
    for a, b, size in zip(ends[::3], ends[1::3], ends[2::3]):
        assert moves.index(a - 1) < moves.index(b - 1), "delivered before it is picked up"
        change[a - 1] = change.get(a - 1, 0) + size
        change[b - 1] = change.get(b - 1, 0) - size
    for place in moves:
        load += change.get(place, 0)
        assert load <= capacity, "too large a load"
    tour = [0, *moves, 0]
    return sum(words[3 + a * count + b] for a, b in zip(tour, tour[1:]))


def value_orienteering(text, moves):
    words = numbers(text)
    count = words[0]
    row = lambda place: words[1 + count * count + 4 * place :][:4]
    assert len(set(moves)) == len(moves) and 0 not in moves
    now, last, profit = row(0)[1], 0, 0
    for place in moves:
        gain, opens, closes, service = row(place)
        now = max(now + words[1 + last * count + place], opens)
        assert now <= closes, f"place {place} too late"
        now, last, profit = now + service, place, profit + gain
    assert now + words[1 + last * count] <= row(0)[2], "too late at the end"
    return profit


def value_clique(text, moves):
    edges = {tuple(sorted(map(int, line.split()[1:]))) for line in text.splitlines() if line.startswith("e")}
    assert len(set(moves)) == len(moves)
    assert all((min(a, b) + 1, max(a, b) + 1) in edges for at, a in enumerate(moves) for b in moves[:at]), "no clique"
    return len(moves)


def merged_scenes(text):
    """The scenes of the file for each decision: those with the same actors are filmed in a row."""
    words = [int(word) for word in text.split()[1:]]
    scenes, actors = words[:2]
    rows = [words[2 + (scenes + 1) * actor :][: scenes + 1] for actor in range(actors)]
    groups = {}
    for scene in range(scenes):
        groups.setdefault(tuple(row[scene] for row in rows), []).append(scene)
    return list(groups.values()), rows, words[2 + (scenes + 1) * actors :][:scenes]


def value_talent(text, moves):
    groups, rows, durations = merged_scenes(text)
    is_order(moves, range(len(groups)))
    order = [scene for group in moves for scene in groups[group]]
    total = 0
    for row in rows:
        days = [step for step, scene in enumerate(order) if row[scene]]
        if days:
            total += row[-1] * sum(durations[scene] for scene in order[days[0] : days[-1] + 1])
    return total


def value(kind, text, moves):
    """Returns the value of a solution, or raises AssertionError."""
    return globals()["value_" + EXAMPLE.get(kind, kind)](text, moves)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__))
