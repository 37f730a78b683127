"""Verifiers of solutions in Python, written from the rules of the problems and not from the Rust code.

Each verifier takes the text of an instance file and the essential part of a solution. It returns the score, or raises
`Wrong`. The other parts of a result are not looked at.
"""

import math
import re
from fractions import Fraction


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
        if time > windows[city][1] * (1 + 1e-10):
            raise Wrong("too late")
        at = city
    return cost


def vrptw(text, solution, options):
    rows = [line.split() for line in text.splitlines()]
    numbers = [[float(field) for field in row] for row in rows if row and row[0].isdigit()]
    (vehicles, capacity), *sites = numbers
    routes = solution["routes"]
    if any(not isinstance(route, list) for route in routes):
        raise Wrong("no route")
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
            if time > sites[customer][5] * (1 + 1e-10):
                raise Wrong("too late")
            at = customer
    return 1e6 * len(routes) + length


def rich_vrp(text, solution, options):
    """Li and Lim's format, or VRPLIB with vehicles and prizes, both as `generate` writes them."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    # By site: x, y, load, opening, closing, service, prize, pickup.
    exact = rows[0][0] != "NAME"
    if exact:
        vehicles, capacity, _ = (int(field) for field in rows[0])
        numbers = [[float(field) for field in row] for row in rows[1:]]
        sites = [row[1:7] + [0.0, int(row[7])] for row in numbers]
        pairs = {int(row[7]): int(row[0]) for row in numbers if row[7]}
        kinds, depots, per_vehicle = [(vehicles, capacity, 0, 0.0, 1.0, math.inf)], 1, 1e6
    else:
        fields = dict(line.split(" : ") for line in text.splitlines() if " : " in line)
        sections, name = {}, None
        for row in rows:
            if row[0].endswith("_SECTION"):
                name = row[0].removesuffix("_SECTION")
                sections[name] = []
            elif name and row[0] != "EOF":
                sections[name].append([float(field) for field in row])
        depots, pairs, per_vehicle = len(sections["DEPOT"]) - 1, {}, 0.0
        prizes = [row[1] for row in sections.get("PRIZE", [[0, 0.0]] * int(fields["DIMENSION"]))]
        sites = [
            [*place[1:], load[1], 0.0, math.inf, 0.0, prize, 0]
            for place, load, prize in zip(sections["NODE_COORD"], sections["DEMAND"], prizes)
        ]
        count = int(fields["VEHICLES"])
        usual = [("CAPACITY", fields.get("CAPACITY")), ("VEHICLES_DEPOT", 1), ("VEHICLES_FIXED_COST", 0)]
        usual += [("VEHICLES_UNIT_DISTANCE_COST", 1), ("VEHICLES_MAX_DURATION", math.inf)]
        columns = [[row[1] for row in sections.get(key, [[0, value]] * count)] for key, value in usual]
        kinds = []
        for load, depot, fixed, rate, longest in zip(*columns):
            kind = [float(load), int(depot) - 1, float(fixed), float(rate), float(longest)]
            same = [at for at, other in enumerate(kinds) if list(other[1:]) == kind]
            if same:
                kinds[same[0]][0] += 1
            else:
                kinds.append([1, *kind])
    routes, chosen = solution["routes"], solution.get("kinds", [1] * len(solution["routes"]))
    if len(kinds) > 1 and "kinds" not in solution:
        raise Wrong("no kinds")
    if not isinstance(chosen, list) or len(chosen) != len(routes) or any(not isinstance(route, list) for route in routes):
        raise Wrong("no routes with kinds")
    chosen = [whole(kind, 1, len(kinds), "kind") - 1 for kind in chosen]
    if any(chosen.count(at) > kind[0] for at, kind in enumerate(kinds)):
        raise Wrong("too many vehicles")
    made = [whole(visit, 1, len(sites) - depots, "visit") for route in routes for visit in route]
    if len(set(made)) < len(made) or not all(routes):
        raise Wrong("a visit twice, or an empty route")
    left = set(range(1, len(sites) - depots + 1)) - set(made)
    lost = [sites[visit + depots - 1][6] for visit in left]
    if not all(lost):
        raise Wrong("a customer left out")
    cost = sum(lost) + per_vehicle * len(routes)
    for route, kind in zip(routes, chosen):
        _, most, depot, fixed, rate, longest = kinds[kind]
        cost += fixed
        at, time, load, seen, driven = depot, sites[depot][3], 0, set(), 0.0
        for visit in route + [None]:
            place = depot if visit is None else visit + depots - 1
            way = math.dist(sites[at][:2], sites[place][:2])
            way = way if exact else math.floor(way + 0.5)
            driven += way
            time = max(time + (sites[at][5] if at >= depots else 0) + way, sites[place][3])
            if time > sites[place][4] * (1 + 1e-10):
                raise Wrong("too late")
            if visit is not None:
                load += sites[place][2]
                pickup = sites[place][7]
                if load > most or pickup and pickup not in seen:
                    raise Wrong("too much, or a delivery before its pickup")
                seen.add(visit)
            at = place
        if any(pickup in seen and delivery not in seen for pickup, delivery in pairs.items()):
            raise Wrong("a pickup without its delivery")
        if driven > longest:
            raise Wrong("too long")
        cost += rate * driven
    return cost


def morpion(text, solution, options):
    lines = text.splitlines()
    variant = next(line.split()[2] for line in lines if line.startswith("# variant"))
    length, disjoint = int(variant[0]), variant[1] == "D"
    # The outline of a cross whose twelve sides have length - 1 points.
    side = length - 2
    corners = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2), (0, 1), (1, 1)]
    dots = set()
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1]):
        dots |= {(a * side + (c - a) * step, b * side + (d - b) * step) for step in range(side)}
    used = set()
    moves = solution["moves"]
    for move in moves:
        point = move["point"]
        if not isinstance(point, list) or len(point) != 2:
            raise Wrong(f"point: {point!r}")
        x, y = (whole(at, -(10**6), 10**6, "coordinate") for at in point)
        steps = {"-": (1, 0), "|": (0, 1), "\\": (1, 1), "/": (1, -1)}.get(move["direction"])
        if steps is None:
            raise Wrong("direction")
        place = whole(move["position"], 0, length - 1, "position")
        line = [(x + (at - place) * steps[0], y + (at - place) * steps[1]) for at in range(length)]
        if (x, y) in dots or any(dot not in dots for dot in line if dot != (x, y)):
            raise Wrong("not exactly one new dot")
        # Lines of a direction share no point, or no segment.
        parts = {(steps, dot) for dot in (line if disjoint else line[:-1])}
        if parts & used:
            raise Wrong("on another line")
        dots.add((x, y))
        used |= parts
    return len(moves)


def yard(text):
    """Returns the stacks, the greatest height, and by item the date on which it comes (or None) and leaves."""
    rows = data_lines(text)
    if rows[0][0] != "str":
        numbers = [[int(field) for field in row] for row in rows]
        stacks = [row[1:] for row in numbers[1:]]
        return stacks, math.inf, {item: (None, item) for stack in stacks for item in stack}
    header = {row[1]: row[3] for row in rows if ":=" in row}
    items = [[int(field) for field in row] for row in rows if row[0].isdigit()]
    dates = {item: (release, due) for item, release, due in items}
    return [[] for _ in range(int(header["width"]))], int(header["height"]), dates


def stacking(text, solution, options):
    stacks, height, dates = yard(text)
    rows = iter(solution["movements"])
    relocations = 0

    def move(date, item, source, leaves=False):
        row = next(rows, None)
        if not isinstance(row, list) or len(row) != 4 or row[:3] != [date, item, source]:
            raise Wrong(f"{row!r} instead of item {item} on {date}")
        if any(isinstance(field, (bool, float)) for field in row):
            raise Wrong("no number")
        if leaves:
            if row[3] is not None:
                raise Wrong("not outside")
            return
        target = whole(row[3], 0, len(stacks) - 1, "stack")
        if target == source or len(stacks[target]) >= height:
            raise Wrong("no room")
        stacks[target].append(item)

    def find(item):
        found = [at for at, stack in enumerate(stacks) if item in stack]
        if not found:
            raise Wrong("nowhere")
        return found[0]

    for date in sorted({date for pair in dates.values() for date in pair if date is not None}):
        due = [item for item, (_, leaves) in dates.items() if leaves == date]
        above = {item: stacks[find(item)][::-1].index(item) for item in due}
        for item in sorted(due, key=lambda item: (above[item], item)):
            while True:
                stack = find(item)
                top = stacks[stack].pop()
                move(date, top, stack, top == item)
                if top == item:
                    break
                relocations += 1
        new = [item for item, (comes, _) in dates.items() if comes == date]
        for item in sorted(new, key=lambda item: (-dates[item][1], item)):
            move(date, item, None)
    if next(rows, None) is not None:
        raise Wrong("movements behind the end")
    return relocations


def packing(text, solution, options):
    rows = [[float(field) for field in row] for row in data_lines(text)[1:]]
    (_, width, height), *types = rows
    slack = 1e-9 * max(width, height)
    tubes = []
    for tube in solution["tubes"]:
        if any(isinstance(tube[at], bool) or not isinstance(tube[at], (int, float)) for at in "xy"):
            raise Wrong("no place")
        kind = whole(tube["type"], 0, len(types) - 1, "type")
        whole(tube["container"], 0, 0, "container")
        hull = tube["hull"]
        if hull is not None:
            whole(hull, 0, len(solution["tubes"]) - 1, "hull")
        tubes.append((kind, hull, tube["x"], tube["y"]))
    kinds = [tube[0] for tube in tubes]
    if any(kinds.count(kind) > row[0] for kind, row in enumerate(types)):
        raise Wrong("more than there are")
    for at, (kind, hull, x, y) in enumerate(tubes):
        outer = types[kind][2]
        if hull is None:
            if min(x, y, width - x, height - y) < outer - slack:
                raise Wrong("sticks out of the container")
        else:
            around = tubes[hull]
            if math.dist((x, y), around[2:]) + outer > types[around[0]][1] + slack:
                raise Wrong("sticks out of its hull")
        for other in tubes[:at]:
            if other[1] == hull and math.dist((x, y), other[2:]) < outer + types[other[0]][2] - slack:
                raise Wrong("an overlap")
    return sum(math.pi * (types[kind][2] ** 2 - types[kind][1] ** 2) for kind in kinds)


class Horner:
    """Counts the operations of Horner's scheme: each different polynomial once, up to a factor."""

    def __init__(self):
        self.seen = set()
        self.operations = 0

    def once(self, key, cost=1):
        if cost and key not in self.seen:
            self.seen.add(key)
            self.operations += cost

    @staticmethod
    def split(poly):
        """Returns the content, with the sign of the first term, and the rest. A polynomial has exponents by the order
        as keys."""
        above = math.gcd(*(value.numerator for value in poly.values()))
        content = Fraction(above, math.lcm(*(value.denominator for value in poly.values())))
        if poly[max(poly)] < 0:
            content = -content
        return content, frozenset((row, value / content) for row, value in poly.items())

    @staticmethod
    def is_number(poly):
        return not any(any(row) for row in poly)

    def times(self, poly, place, power):
        """Returns the product of a polynomial and a power of the variable at a place of the order."""
        if power == 0:
            return poly
        # Powers by repeated squaring.
        cost = power.bit_length() - 1 + power.bit_count() - 1
        self.once(("power", place, power), cost)
        moved = {row[:place] + (row[place] + power,) + row[place + 1 :]: value for row, value in poly.items()}
        if not self.is_number(poly):
            self.once(("product", self.split(moved)[1]))
        return moved

    def visit(self, poly):
        rest = self.split(poly)[1]
        if self.is_number(poly) or ("visited", rest) in self.seen:
            return
        self.seen.add(("visited", rest))
        place = min(place for row in poly for place, exponent in enumerate(row) if exponent)
        groups = {}
        for row, value in poly.items():
            groups.setdefault(row[place], {})[row[:place] + (0,) + row[place + 1 :]] = value
        whole, last = None, 0
        for exponent in sorted(groups, reverse=True):
            group = groups[exponent]
            self.visit(group)
            if whole is None:
                whole = group
            else:
                moved = self.times(whole, place, last - exponent)
                whole = {**moved, **group}
                content, rest = self.split(whole)
                self.once(("sum", rest))
                for part in (moved, group):
                    inner, primitive = self.split(part)
                    if abs(inner) != abs(content) and not self.is_number(part):
                        self.once(("multiple", place, primitive, abs(inner / content)))
            last = exponent
        self.times(whole, place, last)


def horner(text, solution, options):
    poly = {}
    for sign, body in re.findall(r"([+-]?)([^+-]+)", re.sub(r"\s", "", text)):
        value, powers = Fraction(-1 if sign == "-" else 1), {}
        for factor in body.split("*"):
            if factor[0].isdigit():
                value *= Fraction(factor)
            else:
                name, _, exponent = factor.partition("^")
                powers[name] = powers.get(name, 0) + int(exponent or 1)
        key = tuple(sorted(powers.items()))
        poly[key] = poly.get(key, 0) + value
    poly = {key: value for key, value in poly.items() if value}
    order = solution["order"]
    names = {name for key in poly for name, _ in key}
    if any(not isinstance(name, str) for name in order) or sorted(order) != sorted(names):
        raise Wrong("not each variable once")
    ordered = {tuple(dict(key).get(name, 0) for name in order): value for key, value in poly.items()}
    count = Horner()
    count.visit(ordered)
    content, rest = count.split(ordered)
    if abs(content) != 1 and not count.is_number(ordered):
        count.once(("content", rest, abs(content)))
    return count.operations


# Problem: verifier, the fields of the solution that are tampered with, specs with the seed open.
VERIFIERS = {
    "knapsack": (knapsack, ["items"], ["weak:12x100:{}"]),
    "partition": (partition, ["left", "right"], ["random:10x20:{}"]),
    "snake": (snake, ["nodes"], ["d5k2"]),
    "coil": (coil, ["nodes"], ["d5k2"]),
    "samegame": (samegame, ["moves"], ["random:6x6x3:{}"]),
    "clickomania": (clickomania, ["moves"], ["random:6x5x3:{}"]),
    "bubble-breaker": (bubble_breaker, ["moves"], ["random:5x6x3:{}"]),
    "tsptw": (tsptw, ["tour"], ["random:7x60:{}"]),
    "vrptw": (vrptw, ["routes"], ["random:8:{}"]),
    "rich-vrp": (rich_vrp, ["routes", "kinds"], ["pairs:5:{}", "depots:9:{}", "types:9:{}", "prizes:10:{}"]),
    "morpion": (morpion, ["moves"], ["5T", "5D", "4T", "4D"]),
    "stacking": (stacking, ["movements"], ["random:3x14:{}", "relocation:3x4:{}"]),
    "packing": (packing, ["tubes"], ["random:3x10:{}", "circles:2x12:{}"]),
    "horner": (horner, ["order"], ["random:4x12x3:{}", "random:6x20x4:{}"]),
}
