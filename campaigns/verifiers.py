"""Verifiers of solutions in Python, written from the rules of the problems and not from the Rust code.

Each verifier takes the text of an instance file and the essential part of a solution. It returns the score, or raises
`Wrong`. The other parts of a result are not looked at.
"""

import math


class Wrong(Exception):
    """The solution breaks a rule."""


def whole(value, least, most, what):
    """Returns `value` if it is a whole number of the range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Wrong(f"{what}: {value!r}")
    return value


def data_lines(text):
    """Returns the fields of each line that holds data."""
    return [line.split("#")[0].split() for line in text.splitlines() if line.split("#")[0].strip()]


def knapsack(text, solution, options):
    (count, capacity), *rows = [[int(field) for field in row] for row in data_lines(text)]
    items = [whole(item, 0, count - 1, "item") for item in solution["items"]]
    if len(set(items)) < len(items):
        raise Wrong("an item twice")
    if sum(rows[item][1] for item in items) > capacity:
        raise Wrong("too heavy")
    return sum(rows[item][0] for item in items)


def partition(text, solution, options):
    numbers = [int(row[0]) for row in data_lines(text)]
    sides = [[whole(at, 0, len(numbers) - 1, "place") for at in solution[side]] for side in ("left", "right")]
    if sorted(sides[0] + sides[1]) != list(range(len(numbers))):
        raise Wrong("not each number once")
    left, right = (sum(numbers[at] for at in side) for side in sides)
    difference = abs(left - right)
    return math.log2(difference + 1)


def cube(text, solution, closed):
    spec = data_lines(text)[0][0]
    dimension, spread = (int(part) for part in spec[1:].split("k"))
    nodes = [whole(node, 0, 2**dimension - 1, "vertex") for node in solution["nodes"]]
    if not nodes:
        raise Wrong("no vertex")
    count = len(nodes)
    for i in range(count):
        for j in range(i + 1, count):
            steps = min(j - i, count - (j - i)) if closed else j - i
            bits = (nodes[i] ^ nodes[j]).bit_count()
            if steps == 1 and bits != 1:
                raise Wrong("no edge")
            if bits < min(spread, steps):
                raise Wrong("too near")
    return count if closed else count - 1


def snake(text, solution, options):
    return cube(text, solution, False)


def coil(text, solution, options):
    if len(solution["nodes"]) < 4:
        raise Wrong("no cycle")
    return cube(text, solution, True)


def tiles(text, solution, points, end):
    rows = [[0 if cell == "." else int(cell) for cell in row] for row in data_lines(text)]
    height, width = len(rows), len(rows[0])
    # Columns from the bottom up, without the empty cells.
    columns = [[rows[r][c] for r in reversed(range(height)) if rows[r][c]] for c in range(width)]
    score = 0

    def group(c, r):
        colour, found, todo = columns[c][r], {(c, r)}, [(c, r)]
        while todo:
            x, y = todo.pop()
            for a, b in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                inside = 0 <= a < len(columns) and 0 <= b < len(columns[a])
                if inside and (a, b) not in found and columns[a][b] == colour:
                    found.add((a, b))
                    todo.append((a, b))
        return found

    for move in solution["moves"]:
        row, column = whole(move["row"], 0, height - 1, "row"), whole(move["col"], 0, width - 1, "column")
        at = height - 1 - row
        if column >= len(columns) or at >= len(columns[column]):
            raise Wrong("an empty cell")
        gone = group(column, at)
        if len(gone) < 2:
            raise Wrong("a single tile")
        score += points(len(gone))
        columns = [[cell for b, cell in enumerate(column) if (a, b) not in gone] for a, column in enumerate(columns)]
        columns = [column for column in columns if column]
    for c, column in enumerate(columns):
        for r in range(len(column)):
            if len(group(c, r)) > 1:
                raise Wrong("not finished")
    left = [cell for column in columns for cell in column]
    return score + end([left.count(colour) for colour in set(left)])


def samegame(text, solution, options):
    return tiles(
        text,
        solution,
        lambda n: (n - 2) ** 2,
        lambda left: 1000 if not left else -sum(max(count - 2, 0) ** 2 for count in left),
    )


def clickomania(text, solution, options):
    return tiles(text, solution, lambda n: n, lambda left: 0)


def bubble_breaker(text, solution, options):
    return tiles(text, solution, lambda n: n * (n - 1), lambda left: 0)


def tsptw(text, solution, options):
    rows = [[float(field) for field in row] for row in data_lines(text)]
    count = int(rows[0][0])
    matrix, windows = rows[1 : 1 + count], rows[1 + count : 1 + 2 * count]
    tour = [whole(city, 1, count - 1, "city") for city in solution["tour"]]
    if sorted(tour) != list(range(1, count)):
        raise Wrong("not each city once")
    at, time, cost = 0, windows[0][0], 0.0
    for city in tour + [0]:
        cost += matrix[at][city]
        time = max(time + matrix[at][city], windows[city][0] if city else 0)
        if time > windows[city][1] + 1e-9:
            raise Wrong("too late")
        at = city
    return cost


def vrptw(text, solution, options):
    rows = [line.split() for line in text.splitlines()]
    numbers = [[float(field) for field in row] for row in rows if row and row[0].isdigit()]
    (vehicles, capacity), *sites = numbers
    routes = solution["routes"]
    served = [whole(customer, 1, len(sites) - 1, "customer") for route in routes for customer in route]
    if sorted(served) != list(range(1, len(sites))):
        raise Wrong("not each customer once")
    if any(not route for route in routes):
        raise Wrong("an empty route")
    if len(routes) > vehicles:
        raise Wrong("too many vehicles")
    length = 0.0
    for route in routes:
        if sum(sites[customer][3] for customer in route) > capacity:
            raise Wrong("too much")
        at, time = 0, sites[0][4]
        for customer in route + [0]:
            way = math.dist(sites[at][1:3], sites[customer][1:3])
            length += way
            time = max(time + (sites[at][6] if at else 0) + way, sites[customer][4])
            if time > sites[customer][5] + 1e-6:
                raise Wrong("too late")
            at = customer
    return 1e6 * len(routes) + length


# Problem: verifier, the field of the solution that is tampered with, a spec with the seed open.
VERIFIERS = {
    "knapsack": (knapsack, ["items"], "weak:12x100:{}"),
    "partition": (partition, ["left", "right"], "random:10x20:{}"),
    "snake": (snake, ["nodes"], "d5k2"),
    "coil": (coil, ["nodes"], "d5k2"),
    "samegame": (samegame, ["moves"], "random:6x6x3:{}"),
    "clickomania": (clickomania, ["moves"], "random:6x5x3:{}"),
    "bubble-breaker": (bubble_breaker, ["moves"], "random:5x6x3:{}"),
    "tsptw": (tsptw, ["tour"], "random:7x60:{}"),
    "vrptw": (vrptw, ["routes"], "random:8:{}"),
}
