"""Optima of small instances of rich vehicle routing by plain enumeration, written from the rules of the formats.

Pickups with deliveries, several depots, vehicles that differ in capacity, costs and limits, prizes, windows, times of
service, coordinates or a matrix: in VRPLIB with PyVRP's sections, and in the format of Li and Lim.
"""

import itertools
import math
from functools import lru_cache

FAR = 10**9


def distances(draw, count):
    """A section of VRPLIB with coordinates or a matrix, and its lines in front."""
    if draw.random() < 0.5:
        largest = draw.choice([3, 20, 60])
        spots = [(draw.randrange(largest + 1), draw.randrange(largest + 1)) for _ in range(count)]
        rows = [f"{at} {x} {y}" for at, (x, y) in enumerate(spots, 1)]
        return ["EDGE_WEIGHT_TYPE : EUC_2D"], ["NODE_COORD_SECTION", *rows]
    few = draw.choice([[0, 1, 7, 20], [1, 3, 5, 50], list(range(30))])
    matrix = [[0 if a == b else draw.choice(few) for b in range(count)] for a in range(count)]
    if draw.random() < 0.5:
        matrix = [[matrix[min(a, b)][max(a, b)] for b in range(count)] for a in range(count)]
    rows = [" ".join(map(str, row)) for row in matrix]
    return ["EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX"], ["EDGE_WEIGHT_SECTION", *rows]


def draw_window(draw, horizon):
    begin = draw.randrange(horizon) if draw.random() < 0.5 else 0
    return begin, min(horizon, begin + draw.choice([0, 5, 30, horizon]))


def draw_vrplib(draw):
    depots = draw.choice([1, 1, 2])
    pairs = draw.choice([0, 0, 1, 2])
    visits = 2 * pairs + draw.randrange(0 if pairs else 1, 6 - 2 * pairs)
    count, vehicles = depots + visits, draw.randrange(1, 4)
    header, weights = distances(draw, count)
    lines = ["NAME : x", "TYPE : VRP", f"DIMENSION : {count}", f"VEHICLES : {vehicles}", *header]
    capacities = [draw.choice([10, 15, 20]) for _ in range(vehicles)]
    sections = []

    def each(name, values, chance=1.0):
        if draw.random() < chance:
            sections.extend([f"{name}_SECTION", *(f"{at} {value}" for at, value in enumerate(values, 1))])

    if draw.random() < 0.5:
        capacities = [capacities[0]] * vehicles
        lines.append(f"CAPACITY : {capacities[0]}")
    else:
        each("CAPACITY", capacities)
    each("VEHICLES_DEPOT", [draw.randrange(depots) + 1 for _ in range(vehicles)], 1.0 if depots > 1 else 0.0)
    each("VEHICLES_FIXED_COST", [draw.choice([0, 3, 40]) for _ in range(vehicles)], 0.4)
    each("VEHICLES_UNIT_DISTANCE_COST", [draw.choice([0, 1, 1, 2]) for _ in range(vehicles)], 0.4)
    each("VEHICLES_MAX_DURATION", [draw.choice([30, 80, 600]) for _ in range(vehicles)], 0.3)
    each("VEHICLES_MAX_DISTANCE", [draw.choice([20, 60, 600]) for _ in range(vehicles)], 0.3)
    most, horizon = max(capacities), draw.choice([60, 150, 300])
    windows = [draw_window(draw, horizon) for _ in range(count)]
    services = [draw.choice([0, 0, 5, 10]) for _ in range(count)]
    for depot in range(depots):
        windows[depot] = (draw.choice([0, 0, 5]), horizon)
        # The readers take a time of service at a depot as the time before a vehicle leaves.
        services[depot] = draw.choice([0, 0, 0, 4])
    timed = draw.random() < 0.6
    if pairs:
        rows = []
        demands = [0] * depots
        for _ in range(pairs):
            demand = draw.randrange(most + 1)
            demands += [demand, -demand]
        demands += [draw.randrange(1, most + 1) for _ in range(visits - 2 * pairs)]
        for at in range(count):
            (begin, end), service = (windows[at], services[at]) if timed else ((0, FAR), 0)
            pair = at - depots
            pickup = at if 0 <= pair < 2 * pairs and pair % 2 else 0
            delivery = at + 2 if 0 <= pair < 2 * pairs and pair % 2 == 0 else 0
            rows.append(f"{at + 1} {demands[at]} {begin} {end} {service} {pickup} {delivery}")
        sections += ["PICKUP_AND_DELIVERY_SECTION", *rows]
    else:
        demands = [0] * depots + [draw.randrange(most + 1) for _ in range(visits)]
        each("DEMAND", demands)
        if timed:
            sections += ["TIME_WINDOW_SECTION", *(f"{at} {a} {b}" for at, (a, b) in enumerate(windows, 1))]
            each("SERVICE_TIME", services, 0.6)
    if draw.random() < 0.4:
        prizes = [draw.choice([0, 1, 9, 30, 100]) for _ in range(count)]
        for at in range(depots, depots + 2 * pairs, 2):
            prizes[at + 1] = prizes[at]
        each("PRIZE", [0] * depots + prizes[depots:])
    sections += weights
    sections += ["DEPOT_SECTION", *range(1, depots + 1), -1, "EOF"]
    return "\n".join(map(str, lines + sections)) + "\n"


def draw_li_lim(draw):
    pairs, vehicles, horizon = draw.randrange(1, 3), draw.randrange(1, 4), draw.choice([60, 150, 300])
    flat = draw.random() < 0.5
    rows = [f"0 10 {0 if flat else 10} 0 0 {horizon} 0 0 0"]
    for pair in range(pairs):
        demand, first = draw.randrange(1, 11), 2 * pair + 1
        for number, (sign, pickup, delivery) in ((first, (1, 0, first + 1)), (first + 1, (-1, first, 0))):
            begin, end = draw_window(draw, horizon)
            x, y = draw.randrange(31), 0 if flat else draw.randrange(31)
            rows.append(f"{number} {x} {y} {sign * demand} {begin} {end} {draw.choice([0, 5])} {pickup} {delivery}")
    return "\n".join([f"{vehicles} {draw.choice([10, 15])} 1", *rows]) + "\n"


def draw_rich(draw):
    return draw_vrplib(draw) if draw.random() < 0.8 else draw_li_lim(draw)


class Instance:
    """What a file says. Distances and times are whole numbers of `unit`, or doubles."""

    def __init__(self):
        self.depots, self.vehicles, self.unit, self.counts_vehicles = 0, [], 1, False
        self.way, self.windows, self.services = None, {}, {}
        self.demands, self.prizes, self.pickup_of = {}, {}, {}


def read_li_lim(text):
    found = Instance()
    (vehicles, capacity, _), *rows = [[int(word) for word in line.split()] for line in text.splitlines()]
    found.depots, found.counts_vehicles = 1, True
    found.vehicles = [{"capacity": capacity}] * vehicles
    spots = [(row[1], row[2]) for row in rows]
    found.way = lambda a, b: math.dist(spots[a], spots[b])
    for row in rows:
        found.windows[row[0]], found.services[row[0]], found.demands[row[0]] = (row[4], row[5]), row[6], row[3]
        found.prizes[row[0]] = 0
        if row[7]:
            found.pickup_of[row[0]] = row[7]
    return found


def read_vrplib(text):
    fields, sections, name = {}, {}, None
    for line in text.splitlines():
        if line.endswith("_SECTION"):
            name = line.removesuffix("_SECTION")
            sections[name] = []
        elif ":" in line:
            key, value = line.split(":")
            fields[key.strip()] = value.strip()
        elif line != "EOF":
            sections[name].append([int(word) for word in line.split()])
    found = Instance()
    count, vehicles = int(fields["DIMENSION"]), int(fields["VEHICLES"])
    found.depots = len(sections["DEPOT"]) - 1
    names = {"CAPACITY": "capacity", "VEHICLES_DEPOT": "depot", "VEHICLES_FIXED_COST": "fixed",
             "VEHICLES_UNIT_DISTANCE_COST": "rate", "VEHICLES_MAX_DURATION": "longest",
             "VEHICLES_MAX_DISTANCE": "farthest"}
    found.vehicles = [{} for _ in range(vehicles)]
    for section, key in names.items():
        for number, value in sections.get(section, []):
            found.vehicles[number - 1][key] = value - 1 if key == "depot" else value
    for vehicle in found.vehicles:
        if "CAPACITY" in fields:
            vehicle["capacity"] = int(fields["CAPACITY"])
    column = lambda section, at: {row[0] - 1: row[at] for row in sections.get(section, [])}
    transports = sections.get("PICKUP_AND_DELIVERY", [])
    if transports:
        found.demands = column("PICKUP_AND_DELIVERY", 1)
        found.windows = {row[0] - 1: (row[2], row[3]) for row in transports}
        found.services = column("PICKUP_AND_DELIVERY", 4)
        found.pickup_of = {row[0] - 1: row[5] - 1 for row in transports if row[5]}
    else:
        found.demands, found.services = column("DEMAND", 1), column("SERVICE_TIME", 1)
        found.windows = {row[0] - 1: (row[1], row[2]) for row in sections.get("TIME_WINDOW", [])}
    found.prizes = column("PRIZE", 1)
    # As PyVRP rounds: down to a tenth where there are windows, else to the nearest whole number.
    has_windows = bool(found.windows)
    if "EDGE_WEIGHT" in sections:
        matrix = sections["EDGE_WEIGHT"]
        found.way = lambda a, b: matrix[a][b]
    else:
        spots = [tuple(row[1:]) for row in sections["NODE_COORD"]]
        square = lambda a, b: (spots[a][0] - spots[b][0]) ** 2 + (spots[a][1] - spots[b][1]) ** 2
        found.unit = 10 if has_windows else 1
        found.way = lambda a, b: (
            math.isqrt(100 * square(a, b)) if has_windows else (1 + math.isqrt(4 * square(a, b))) // 2
        )
    for at in range(count):
        found.windows.setdefault(at, (0, FAR))
        found.services.setdefault(at, 0)
        found.prizes.setdefault(at, 0)
    return found


def best_rich(text, begin=()):
    """The least score behind some moves: the cost, behind the number of vehicles in the format of Li and Lim.

    Moves are visits, counted from 1; behind them the kinds of vehicles, one of which is sent out; 0 for its return, and
    without a vehicle under way for leaving out all that is left.
    """
    found = read_vrplib(text) if "DIMENSION" in text else read_li_lim(text)
    unit, places = found.unit, sorted(place for place in found.demands if place >= found.depots)
    exact = isinstance(found.way(0, places[0]), int)

    def within(value, most):
        return value <= most * unit if exact else value <= most + 1e-9

    def drive(vehicle, order):
        """The cost of a route in units, `None` if it breaks a rule."""
        depot, load, length = vehicle.get("depot", 0), 0, 0
        opens, closes = found.windows[depot]
        stay = found.services[depot] * unit
        time, last = opens * unit + stay, depot
        for place in order:
            load += found.demands[place]
            if load > vehicle["capacity"] or found.pickup_of.get(place) in order[order.index(place) :]:
                return None
            way = found.way(last, place)
            time, length, last = max(time + way, found.windows[place][0] * unit), length + way, place
            if not within(time, found.windows[place][1]):
                return None
            time += found.services[place] * unit
        way = found.way(last, depot)
        time, length = time + way, length + way
        if not within(time, closes) or not within(length, vehicle.get("farthest", FAR)):
            return None
        if "longest" in vehicle:
            # The latest departure with which the vehicle is back as early.
            leave, after = time, depot
            for place in reversed(order):
                leave -= found.way(place, after) + found.services[place] * unit
                leave = min(leave, found.windows[place][1] * unit)
                after = place
            leave = min(leave - found.way(depot, after) - stay, closes * unit)
            if not within(time - max(leave, opens * unit), vehicle["longest"]):
                return None
        return vehicle.get("rate", 1) * length + vehicle.get("fixed", 0) * unit

    def cheapest(vehicle, visits, first=()):
        """The least cost of a vehicle that makes these visits, behind some others."""
        visits = set(visits)
        made = visits.union(first)
        if any((pickup in made) != (delivery in made) for delivery, pickup in found.pickup_of.items()):
            return None
        costs = [drive(vehicle, (*first, *order)) for order in itertools.permutations(visits)]
        return min((cost for cost in costs if cost is not None), default=None)

    left, free, kinds, sent, done = list(places), list(found.vehicles), [], None, [0, 0]
    for vehicle in found.vehicles:
        if vehicle not in kinds:
            kinds.append(vehicle)
    for move in begin:
        if sent is None and move == 0:
            free = []
        elif sent is None:
            sent = (kinds[move - len(places) - 1], [])
            free.remove(sent[0])
        elif move == 0:
            done = [done[0] + 1, done[1] + drive(sent[0], tuple(sent[1]))]
            sent = None
        else:
            sent[1].append(found.depots - 1 + move)
            left.remove(sent[1][-1])

    @lru_cache(None)
    def route(number, visits):
        return cheapest(free[number], visits)

    @lru_cache(None)
    def serve(number, left):
        """The least number of vehicles and cost of the visits left, by the vehicles from this one on."""
        if number == len(free):
            if any(found.prizes[place] == 0 for place in left):
                return None
            # A transport is two visits and has one prize.
            return 0, unit * sum(found.prizes[place] for place in left if place not in found.pickup_of)
        options = [serve(number + 1, left)]
        for size in range(1, len(left) + 1):
            for visits in itertools.combinations(left, size):
                cost = route(number, visits)
                others = tuple(place for place in left if place not in visits)
                rest = serve(number + 1, others) if cost is not None else None
                if rest is not None:
                    options.append((rest[0] + 1, rest[1] + cost))
        options = [option for option in options if option is not None]
        if not options:
            return None
        return min(options) if found.counts_vehicles else min(options, key=lambda option: option[1])

    if sent is None:
        options = [(serve(0, tuple(left)), 0, 0)]
    else:
        options = []
        for size in range(len(left) + 1):
            for visits in itertools.combinations(left, size):
                cost = cheapest(sent[0], visits, tuple(sent[1])) if sent[1] or visits else None
                if cost is not None:
                    options.append((serve(0, tuple(place for place in left if place not in visits)), 1, cost))
    options = [(rest[0] + more, rest[1] + cost) for rest, more, cost in options if rest is not None]
    if not options:
        return None
    vehicles, cost = min(options) if found.counts_vehicles else min(options, key=lambda option: option[1])
    vehicles, cost = vehicles + done[0], cost + done[1]
    return (1e6 * vehicles if found.counts_vehicles else 0) + cost / unit
