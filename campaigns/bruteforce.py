"""Optima of small instances by plain enumeration, written from the rules of the problems and not from the Rust code.

Each domain has a function that draws a small instance, with many ties, and one that returns the best score by trying
every solution: a number, or `None` where no solution is feasible.
"""

import itertools
import math
import re
from collections import Counter
from functools import lru_cache, partial

from rich import best_rich, draw_rich
from verifiers import horner as horner_operations


def draw_knapsack(draw):
    count = draw.randrange(1, 11)
    largest = draw.choice([3, 10, 100, 10**6])
    items = [(draw.randrange(largest + 1), draw.randrange(1, largest + 1)) for _ in range(count)]
    capacity = draw.randrange(sum(weight for _, weight in items) + 1)
    return f"{count} {capacity}\n" + "".join(f"{value} {weight}\n" for value, weight in items)


def best_knapsack(text, begin=()):
    (count, capacity), *items = [tuple(int(field) for field in line.split()) for line in text.splitlines()]
    # Who leaves out an item leaves out all that are left of its kind.
    taken = {item for item, take in begin if take}
    left_out = {items[item] for item, take in begin if not take}
    best = None if begin else 0
    for chosen in range(2**count):
        if any((chosen >> at & 1) < (at in taken) or chosen >> at & 1 and at not in taken and item in left_out
               for at, item in enumerate(items)):
            continue
        picked = [item for at, item in enumerate(items) if chosen >> at & 1]
        if sum(weight for _, weight in picked) <= capacity:
            best = max(best or 0, sum(value for value, _ in picked))
    return best


def draw_partition(draw):
    count = draw.randrange(1, 10)
    kind = draw.randrange(4)
    if kind == 0:
        numbers = [draw.randrange(1, 6) for _ in range(count)]
    elif kind == 1:
        numbers = [draw.randrange(2 ** draw.randrange(1, 60)) for _ in range(count)]
    else:
        # Near ties beyond the bits that a machine word holds.
        top = draw.randrange(2 ** draw.choice([70, 127, 136, 200]))
        numbers = [top + draw.randrange(200) for _ in range(count)]
        if kind == 3:
            numbers[-1] = draw.randrange(200)
    return "".join(f"{number}\n" for number in numbers)


def best_partition(text):
    numbers = [int(line) for line in text.split()]
    total = sum(numbers)
    sums = {0}
    for number in numbers:
        sums |= {value + number for value in sums}
    return math.log2(min(abs(total - 2 * value) for value in sums) + 1)


def draw_cube(draw, most):
    return f"d{draw.randrange(2, most + 1)}k{draw.choice([1, 2, 2, 3])}\n"


def draw_snake(draw):
    return draw_cube(draw, 4)


def draw_coil(draw):
    return draw_cube(draw, 4)


@lru_cache(None)
def longest(dimension, spread, closed, begin=()):
    best = None

    def fits(path, vertex):
        """Whether `vertex` may follow an open path: far from all vertices that are far along the path."""
        for back, other in enumerate(reversed(path), start=1):
            distance = (vertex ^ other).bit_count()
            if distance < min(back, spread):
                return False
        return True

    def is_cycle(path):
        count = len(path)
        if count < 4 or (path[0] ^ path[-1]).bit_count() != 1:
            return False
        for i, j in itertools.combinations(range(count), 2):
            steps = min(j - i, count - (j - i))
            if (path[i] ^ path[j]).bit_count() < min(steps, spread):
                return False
        return True

    def cycle_may_grow(path, vertex):
        """Whether a cycle may still pass here: distances behind the path are at most those of the cycle."""
        for back, other in enumerate(reversed(path), start=1):
            ahead = len(path) - back
            if (vertex ^ other).bit_count() < min(back, spread) and ahead >= spread:
                return False
        return True

    def extend(path, used):
        nonlocal best
        if closed:
            if is_cycle(path):
                best = max(best or 0, len(path))
        else:
            best = max(best or 0, len(path) - 1)
        for bit in range(min(used + 1, dimension)):
            vertex = path[-1] ^ (1 << bit)
            if vertex in path or not (cycle_may_grow if closed else fits)(path, vertex):
                continue
            path.append(vertex)
            extend(path, max(used, bit + 1))
            path.pop()

    path = [0]
    for bit in begin:
        path.append(path[-1] ^ (1 << bit))
    extend(path, max(begin, default=-1) + 1)
    return best


def best_cube(text, closed, begin):
    dimension, spread = (int(part) for part in text.strip()[1:].split("k"))
    return longest(dimension, spread, closed, tuple(begin))


def best_snake(text, begin=()):
    return best_cube(text, False, begin)


def best_coil(text, begin=()):
    return best_cube(text, True, begin)


def draw_tiles(draw):
    rows, columns, colours = draw.randrange(2, 5), draw.randrange(2, 5), draw.randrange(1, 4)
    return "".join("".join(str(draw.randrange(1, colours + 1)) for _ in range(columns)) + "\n" for _ in range(rows))


def group(board, start):
    """The cells of one colour around this one."""
    found, todo = {start}, [start]
    while todo:
        x, y = todo.pop()
        for a, b in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if 0 <= a < len(board) and 0 <= b < len(board[a]) and (a, b) not in found:
                if board[a][b] == board[start[0]][start[1]]:
                    found.add((a, b))
                    todo.append((a, b))
    return found


def without(board, cells):
    """The board as it settles without these cells, and without columns that are empty."""
    columns = [tuple(c for y, c in enumerate(column) if (x, y) not in cells) for x, column in enumerate(board)]
    return tuple(column for column in columns if column)


def best_tiles(text, points, end, begin=()):
    """The best score behind some moves, each a row from the top and a column."""
    rows = text.split()
    board = tuple(tuple(int(row[at]) for row in reversed(rows)) for at in range(len(rows[0])))
    made = 0
    for row, column in begin:
        cells = group(board, (column, len(rows) - 1 - row))
        made, board = made + points(len(cells)), without(board, cells)

    @lru_cache(None)
    def best(board):
        seen, scores = set(), []
        for start in [(x, y) for x, column in enumerate(board) for y in range(len(column))]:
            if start in seen:
                continue
            cells = group(board, start)
            seen |= cells
            if len(cells) > 1:
                scores.append(points(len(cells)) + best(without(board, cells)))
        if scores:
            return max(scores)
        left = [cell for column in board for cell in column]
        return end([left.count(colour) for colour in set(left)])

    return made + best(board)


def best_samegame(text, begin=(), lost=lambda n: max(n - 2, 0) ** 2):
    return best_tiles(text, lambda n: (n - 2) ** 2, lambda left: 1000 if not left else -sum(map(lost, left)), begin)


def best_clickomania(text, begin=()):
    return best_tiles(text, lambda n: n, lambda left: 0, begin)


def best_bubble_breaker(text, begin=()):
    return best_tiles(text, lambda n: n * (n - 1), lambda left: 0, begin)


def draw_tsptw(draw):
    count = draw.randrange(2, 8)
    largest = draw.choice([3, 20, 100])
    matrix = [[0 if a == b else draw.randrange(largest + 1) for b in range(count)] for a in range(count)]
    if draw.random() < 0.5:
        matrix = [[matrix[min(a, b)][max(a, b)] for b in range(count)] for a in range(count)]
    # The engine's rules ask for the triangle inequality no more than these do.
    horizon = largest * count
    windows = [(0, horizon * 2)]
    for _ in range(1, count):
        start = draw.randrange(horizon + 1) if draw.random() < 0.6 else 0
        windows.append((start, start + draw.choice([0, 2, largest, horizon])))
    lines = [str(count), *(" ".join(map(str, row)) for row in matrix), *(f"{a} {b}" for a, b in windows)]
    return "\n".join(lines) + "\n"


def best_tsptw(text, begin=(), makespan=False):
    rows = [[int(field) for field in line.split()] for line in text.splitlines()]
    count = rows[0][0]
    matrix, windows = rows[1 : 1 + count], rows[1 + count :]
    best = None
    for tour in itertools.permutations(range(1, count)):
        if tour[: len(begin)] != tuple(begin):
            continue
        at, time, cost = 0, windows[0][0], 0
        for city in (*tour, 0):
            cost += matrix[at][city]
            time = max(time + matrix[at][city], windows[city][0] if city else 0)
            if time > windows[city][1]:
                break
            at = city
        else:
            cost = time if makespan else cost
            best = cost if best is None else min(best, cost)
    return best


def draw_vrptw(draw):
    customers = draw.randrange(1, 6)
    capacity, vehicles = draw.choice([10, 20, 40]), draw.choice([customers, customers, max(1, customers - 2)])
    # Coordinates on a line or a grid of Pythagorean steps: ties, and windows that are met exactly.
    flat = draw.random() < 0.5
    horizon = draw.choice([60, 120, 300])
    lines = ["x", "", "VEHICLE", "NUMBER CAPACITY", f"{vehicles} {capacity}", "", "CUSTOMER", "NO X Y D R D S", ""]
    lines.append(f"0 0 0 0 0 {horizon} 0")
    for at in range(1, customers + 1):
        x, y = draw.randrange(31), 0 if flat else draw.randrange(31)
        ready = draw.randrange(horizon) if draw.random() < 0.5 else 0
        due = min(horizon, ready + draw.choice([0, 10, 40, horizon]))
        lines.append(f"{at} {x} {y} {draw.randrange(1, 11)} {ready} {due} {draw.choice([0, 5])}")
    return "\n".join(lines) + "\n"


def best_vrptw(text, begin=(), vehicle=1e6):
    rows = [line.split() for line in text.splitlines()]
    (vehicles, capacity), *sites = [[int(field) for field in row] for row in rows if row and row[0].isdigit()]

    @lru_cache(None)
    def route(customers, first=()):
        """The shortest feasible route that serves these customers, some of them first."""
        if sum(sites[customer][3] for customer in customers) > capacity:
            return None
        best = None
        for order in itertools.permutations(customers):
            if order[: len(first)] != first:
                continue
            at, time, length = 0, sites[0][4], 0.0
            for customer in (*order, 0):
                way = math.dist(sites[at][1:3], sites[customer][1:3])
                length += way
                time = max(time + (sites[at][6] if at else 0) + way, sites[customer][4])
                if time > sites[customer][5] + 1e-9:
                    break
                at = customer
            else:
                best = length if best is None else min(best, length)
        return best

    # Routes that are begun: all but the last one are finished.
    begun, closed = [], True
    for move in begin:
        if move and closed:
            begun.append([])
        if move:
            begun[-1].append(move)
        closed = move == 0
    fixed = len(begun) - (0 if closed else 1)
    best = None

    def divide(rest, groups):
        nonlocal best
        if not rest:
            firsts = [tuple(group) for group in begun] + [()] * len(groups)
            lengths = [route(tuple(group), first) for group, first in zip(groups, firsts)]
            if len(groups) <= vehicles and None not in lengths:
                score = vehicle * len(groups) + sum(lengths)
                best = score if best is None else min(best, score)
            return
        first, *others = rest
        for at in range(fixed, len(groups) + 1):
            fuller = [list(group) for group in groups]
            if at == len(groups):
                fuller.append([])
            fuller[at].append(first)
            divide(others, fuller)

    divide([customer for customer in range(1, len(sites)) if customer not in begin], begun)
    return best


def draw_stacking(draw):
    width, count = draw.randrange(2, 4), draw.randrange(1, 7)
    height = draw.choice([count, 3, 1000])
    lines = ["str name := x", f"int width := {width}", f"int height := {height}", f"int items := {count}"]
    lines.append("--- end of header ---")
    dates = draw.choice([3, 6, 12])
    stacks = [[] for _ in range(width)]
    for item in range(1, count + 1):
        due = draw.randrange(2, dates + 2)
        free = [stack for stack in stacks if len(stack) < height]
        if draw.random() < 0.6 and free:
            draw.choice(free).append(item)
            lines.append(f"{item} - {due}")
        else:
            lines.append(f"{item} {draw.randrange(1, due)} {due}")
    if any(stacks):
        lines.append("--- initial stacks ---")
        lines += [" ".join(map(str, stack)) or "-" for stack in stacks]
    return "\n".join(lines) + "\n"


def best_stacking(text):
    head, _, tail = text.partition("--- initial stacks ---\n")
    header = {line.split()[1]: line.split()[3] for line in head.splitlines() if ":=" in line}
    width, height = int(header["width"]), int(header["height"])
    rows = [line.split() for line in head.splitlines() if line[0].isdigit()]
    dates = {int(item): (None if release == "-" else int(release), int(due)) for item, release, due in rows}
    stacks = [[] if line == "-" else [int(item) for item in line.split()] for line in tail.splitlines()]
    stacks = tuple(tuple(stack) for stack in stacks) or ((),) * width
    days = sorted({date for pair in dates.values() for date in pair if date is not None})

    @lru_cache(None)
    def deliver(stacks, due, day):
        """The fewest relocations from here on: `due` still have to leave on this day."""
        if not due:
            new = [item for item, (comes, _) in dates.items() if comes == days[day]]
            return store(stacks, tuple(sorted(new, key=lambda item: (-dates[item][1], item))), day)
        at = next(at for at, stack in enumerate(stacks) if due[0] in stack)
        if stacks[at][-1] == due[0]:
            return deliver(stacks[:at] + (stacks[at][:-1],) + stacks[at + 1 :], due[1:], day)
        best = None
        for to in range(width):
            if to != at and len(stacks[to]) < height:
                after = list(stacks)
                after[to] += (after[at][-1],)
                after[at] = after[at][:-1]
                rest = deliver(tuple(after), due, day)
                if rest is not None:
                    best = rest + 1 if best is None else min(best, rest + 1)
        return best

    @lru_cache(None)
    def store(stacks, new, day):
        if not new:
            return begin(stacks, day + 1)
        found = []
        for to in range(width):
            if len(stacks[to]) < height:
                found.append(store(stacks[:to] + (stacks[to] + (new[0],),) + stacks[to + 1 :], new[1:], day))
        found = [rest for rest in found if rest is not None]
        return min(found) if found else None

    def begin(stacks, day):
        if day == len(days):
            return 0
        leaving = [item for item, (_, leaves) in dates.items() if leaves == days[day]]
        above = {item: stack[::-1].index(item) for stack in stacks for item in stack}
        # What is not stored yet cannot leave: release < due.
        return deliver(stacks, tuple(sorted(leaving, key=lambda item: (above[item], item))), day)

    return begin(stacks, 0)


def draw_horner(draw):
    names = "xyzw"[: draw.randrange(1, 5)]
    terms = []
    for _ in range(draw.randrange(1, 8)):
        powers = [f"{name}^{draw.randrange(1, 4)}" for name in names if draw.random() < 0.6]
        terms.append("*".join([str(draw.randrange(1, 5)), *powers]))
    return "".join(draw.choice("+-") + term for term in terms) + "\n"


def best_horner(text, begin=()):
    sums = Counter()
    for sign, number, powers in re.findall(r"([+-])(\d+)((?:\*[a-z]\^\d+)*)", text):
        sums[powers] += int(sign + number)
    if not any(sums.values()):
        return 0
    # A variable all of whose terms cancel each other is none.
    names = sorted({name for powers, value in sums.items() if value for name in re.findall("[a-z]", powers)})
    best = None
    for order in itertools.permutations(names):
        if list(order[: len(begin)]) != list(begin):
            continue
        operations = horner_operations(text, {"order": list(order)}, {})
        best = operations if best is None else min(best, operations)
    return best


def draw_relocation(draw):
    width = draw.randrange(2, 4)
    heights = [draw.randrange(4) for _ in range(width)]
    if not any(heights):
        heights[0] = 2
    blocks = draw.sample(range(1, sum(heights) + 1), sum(heights))
    lines = [f"{width} {len(blocks)}"]
    for height in heights:
        lines.append(" ".join(map(str, [height, *blocks[:height]])))
        blocks = blocks[height:]
    return "\n".join(lines) + "\n"


def best_relocation(text):
    """Blocks leave in the order of their numbers; only what stands on the next one may be moved."""
    (width, count), *rows = [[int(word) for word in line.split()] for line in text.splitlines()]

    @lru_cache(None)
    def fewest(stacks, block):
        if block > count:
            return 0
        at = next(at for at, stack in enumerate(stacks) if block in stack)
        top, below = stacks[at][-1], stacks[at][:-1]
        lifted = stacks[:at] + (below,) + stacks[at + 1 :]
        if top == block:
            return fewest(lifted, block + 1)
        ways = [lifted[:to] + (lifted[to] + (top,),) + lifted[to + 1 :] for to in range(width) if to != at]
        found = [rest for rest in (fewest(way, block) for way in ways) if rest is not None]
        return 1 + min(found) if found else None

    return fewest(tuple(tuple(row[1:]) for row in rows), 1)


def kind(problem, draw, best, smaller, prefixed=False, **options):
    rules = {"smaller": smaller, "prefixed": prefixed, "options": options}
    return {"problem": problem, "draw": draw, "best": best, **rules}


# Whose optima behind some moves are known as well is `prefixed`: `best(text, moves)`.
PROBLEMS = {
    "knapsack": kind("knapsack", draw_knapsack, best_knapsack, False, True),
    "partition": kind("partition", draw_partition, best_partition, True),
    "partition-4": kind("partition", draw_partition, best_partition, True, leaf="4"),
    "snake": kind("snake", draw_snake, best_snake, False, True),
    "coil": kind("coil", draw_coil, best_coil, False, True),
    "samegame": kind("samegame", draw_tiles, best_samegame, False, True),
    "samegame-literal": kind(
        "samegame", draw_tiles, partial(best_samegame, lost=lambda n: (n - 2) ** 2), False, True, penalty="literal"
    ),
    "samegame-none": kind(
        "samegame", draw_tiles, partial(best_samegame, lost=lambda n: 0), False, True, penalty="none"
    ),
    "clickomania": kind("clickomania", draw_tiles, best_clickomania, False, True),
    "bubble-breaker": kind("bubble-breaker", draw_tiles, best_bubble_breaker, False, True),
    "tsptw": kind("tsptw", draw_tsptw, best_tsptw, True, True),
    "tsptw-makespan": kind(
        "tsptw", draw_tsptw, partial(best_tsptw, makespan=True), True, True, objective="makespan"
    ),
    "vrptw": kind("vrptw", draw_vrptw, best_vrptw, True, True),
    "vrptw-distance": kind(
        "vrptw", draw_vrptw, partial(best_vrptw, vehicle=0), True, True, objective="distance", rounding="none"
    ),
    "rich-vrp": kind("rich-vrp", draw_rich, best_rich, True, True),
    "stacking": kind("stacking", draw_stacking, best_stacking, True),
    "relocation": kind("stacking", draw_relocation, best_relocation, True),
    "horner": kind("horner", draw_horner, best_horner, True, True),
    "horner-backward": kind("horner", draw_horner, best_horner, True, direction="backward"),
    "horner-optimum": kind("horner", draw_horner, best_horner, True, True, bound="optimum"),
}
