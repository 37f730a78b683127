"""Instances in which two different states have equal hashes: whoever takes them as equal proves a wrong optimum.

The hash of the engine has fixed constants, so that collisions can be made. A word is mixed in by `s' = fold(s ^ word)`:
two states whose hashes so far are `a` and `b` collide where their next words differ by `a ^ b`. In a knapsack that word
is the value packed, which is free: of many rooms left, two are taken whose hashes differ in the low bits alone. On
tours it is the set of places left; the length driven, which is hashed before it, is free, and is searched for until the
hashes differ in bits of places alone. Behind the two states lie different ends, so that the better solution goes
through the one that is met later in half of the cases.

Every instance comes with its optimum: by enumeration (knapsack), or the shorter one of the only two tours that its
matrix allows. Problems whose last words are not free (tiles, stacks, paths) would need a search through 2^32 states:
the trees of `campaign trees` have keys that are made for it.
"""

import itertools
import struct

MASK = (1 << 64) - 1
START = 0x243F_6A88_85A3_08D3
FACTOR = 0x9E37_79B9_7F4A_7C15


def mix(*words):
    """The hash behind some words, without its last step."""
    state = START
    for word in words:
        state = fold(state ^ word)
    return state


def fold(a):
    product = a * FACTOR
    return (product >> 64) ^ (product & MASK) ^ ((a << 32 | a >> 32) & MASK)


def double(value):
    return struct.unpack("<Q", struct.pack("<d", float(value)))[0]


def knapsack(draw):
    """Two items that exclude each other, one of which is packed in each of the two states, and some behind them.

    The better solution has the one that is worth less by weight, which searches try last.
    """
    while True:
        capacity = draw.randrange(1 << 38, 1 << 42)
        # Behind two items: their number and the room left.
        behind = mix(2)
        rooms = (draw.randrange(capacity // 8, capacity // 2) for _ in range(3000))
        hashes = sorted((fold(behind ^ room), room) for room in rooms)
        near = [(a, b) for a, b in itertools.pairwise(hashes) if 0 < a[0] ^ b[0] < 1 << 50]
        if not near:
            continue
        (first, one), (second, other) = draw.choice(near)
        value = draw.randrange(1 << 50, 1 << 51)
        items = [(value, capacity - one), (value ^ first ^ second, capacity - other)]
        # Less value per weight than these two: the search decides about them first.
        rate = min(v / w for v, w in items)
        for _ in range(draw.randrange(3, 8)):
            weight = draw.randrange(min(one, other) // 4, max(one, other) + 1)
            items.append((int(rate * weight * draw.uniform(0.9, 0.999)), weight))
        last = min(items[:2], key=lambda item: item[0] / item[1])
        best, with_last = 0, False
        for chosen in itertools.product([0, 1], repeat=len(items)):
            picked = list(itertools.compress(items, chosen))
            value = sum(v for v, _ in picked)
            if sum(w for _, w in picked) <= capacity and value > best:
                best, with_last = value, last in picked
        # Values are exact as scores.
        if with_last and sum(v for v, _ in items) < 1 << 53:
            break
    draw.shuffle(items)
    return f"{len(items)} {capacity}\n" + "".join(f"{v} {w}\n" for v, w in items), best


# No way, in time; when the end of time is, and when the place opens where two chains of places meet.
FAR, END, OPEN = 10**9, 5 * 10**8, 10**8


def chains(draw, hashed):
    """Two chains of places, as long as each other, behind which two states at the same place have equal hashes.

    Returns the number of places, the one where the chains meet, each chain and its length, and the other places.
    `hashed(meeting, visits, length)` is the hash of all words in front of the set of places left.
    """
    places = draw.randrange(40, 48)
    meeting = draw.randrange(1, places + 1)
    size = (places - 1) // 4
    free = sum(1 << place for place in range(1, places + 1)) & ~(1 << meeting)
    buckets = {}
    while True:
        length = draw.randrange(1 << 12, 1 << 26)
        state = hashed(meeting, size + 1, length)
        others = buckets.setdefault(state & ~free, [])
        for other, before in others:
            if (state ^ other).bit_count() == 2 * size and length != before:
                apart = [place for place in range(1, places + 1) if (state ^ other) >> place & 1]
                draw.shuffle(apart)
                rest = [place for place in range(1, places + 1) if place != meeting and place not in apart]
                draw.shuffle(rest)
                return places, meeting, [(apart[:size], length), (apart[size:], before)], rest
        others.append((state, length))


def two_tours(draw, hashed):
    """A matrix of ways that has two tours, the place where they collide, and the length of the shorter one."""
    places, meeting, both, rest = chains(draw, hashed)
    matrix = [[0 if a == b else FAR for b in range(places + 1)] for a in range(places + 1)]
    for chain, length in both:
        way = [0, *chain, meeting]
        for at, (a, b) in enumerate(itertools.pairwise(way)):
            matrix[a][b] = length // (len(way) - 1) + (length % (len(way) - 1) if at == 0 else 0)
    tours = []
    both.sort(key=lambda chain: chain[1])
    difference = both[1][1] - both[0][1]
    for dear, ((first, _), (second, _)) in ((2 * difference, both), (0, both[::-1])):
        # From where the chains meet through the other chain to the rest. In most cases that is dear behind the shorter
        # chain, which searches try first.
        matrix[meeting][second[0]] = draw.choice([0, dear, dear]) + draw.randrange(1 << 10)
        matrix[second[-1]][rest[0]] = draw.randrange(1, 100)
        tours.append([0, *first, meeting, *second, *rest, 0])
    for a, b in itertools.pairwise([*rest, 0]):
        matrix[a][b] = draw.randrange(1, 100)
    return matrix, meeting, min(sum(matrix[a][b] for a, b in itertools.pairwise(tour)) for tour in tours)


def windows(matrix, meeting):
    return [(OPEN if place == meeting else 0, END) for place in range(len(matrix))]


def tsptw(draw):
    def hashed(meeting, _, length):
        return mix(meeting << 32, double(OPEN), double(length))

    matrix, meeting, best = two_tours(draw, hashed)
    rows = [*matrix, *windows(matrix, meeting)]
    return f"{len(matrix)}\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows), best


def vrplib(matrix, meeting, more):
    count = len(matrix)
    lines = ["NAME : x", "TYPE : VRPTW", f"DIMENSION : {count}", "VEHICLES : 1", "CAPACITY : 1", *more]
    lines += ["EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX", "EDGE_WEIGHT_SECTION"]
    lines += [" ".join(map(str, row)) for row in matrix]
    lines += ["DEMAND_SECTION", *(f"{at} 0" for at in range(1, count + 1))]
    lines += ["TIME_WINDOW_SECTION", *(f"{at} {a} {b}" for at, (a, b) in enumerate(windows(matrix, meeting), 1))]
    return "\n".join([*lines, "DEPOT_SECTION", "1", "-1", "EOF"]) + "\n"


def vrptw(draw):
    def hashed(meeting, visits, length):
        # The visits count where ways home over other customers are quicker.
        return mix(meeting << 48 | 1 << 32, double(OPEN), double(length), visits)

    matrix, meeting, best = two_tours(draw, hashed)
    return vrplib(matrix, meeting, []), best


def rich(draw):
    def hashed(meeting, visits, length):
        driven, nothing = double(length), double(0)
        place = meeting << 48 | 1 << 16 | visits
        return mix(place, 0, double(OPEN), driven, driven, nothing, nothing, driven, nothing, double(END))

    matrix, meeting, best = two_tours(draw, hashed)
    return vrplib(matrix, meeting, ["VEHICLES_FIXED_COST : 0"]), best


# Problem: an instance and its optimum, options, whether smaller is better.
CRAFTED = {
    "knapsack": (knapsack, {}, False),
    "tsptw": (tsptw, {}, True),
    "vrptw": (vrptw, {"objective": "distance"}, True),
    "rich-vrp": (rich, {}, True),
}
