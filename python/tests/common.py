"""Problems for the tests."""

import itertools

import soloist


class Knapsack(soloist.Problem):
    """Take or leave each item."""

    ITEMS = [(12, 4), (2, 2), (1, 1), (10, 4), (4, 2), (7, 3), (9, 5), (3, 1)]
    CAPACITY = 10

    def root(self):
        return (0, 0, 0)

    def moves(self, state):
        at, weight, _ = state
        if at == len(self.ITEMS):
            return []
        return [0, 1] if weight + self.ITEMS[at][1] <= self.CAPACITY else [0]

    def apply(self, state, take):
        at, weight, value = state
        if take:
            return (at + 1, weight + self.ITEMS[at][1], value + self.ITEMS[at][0])
        return (at + 1, weight, value)

    def score(self, state):
        return state[2]

    def optimum(self):
        sets = itertools.product((0, 1), repeat=len(self.ITEMS))
        pairs = ([sum(t * item[i] for t, item in zip(one, self.ITEMS)) for i in (0, 1)] for one in sets)
        return max(value for value, weight in pairs if weight <= self.CAPACITY)


class Bounded(Knapsack):
    """With a bound and futures."""

    def bound(self, state):
        at, _, value = state
        return value + sum(item[0] for item in self.ITEMS[at:])

    def future(self, state):
        at, weight, value = state
        return (at, weight), value


class Tour:
    """The shortest closed tour; derived from nothing. Moves are pairs."""

    sense = "minimize"
    CITIES = [(0, 0), (0, 3), (4, 3), (4, 0), (2, 5), (2, -2)]

    def root(self):
        return ((0, 0),)

    def moves(self, tour):
        return [city for city in self.CITIES if city not in tour]

    def apply(self, tour, city):
        return tour + (city,)

    def score(self, tour):
        legs = zip(tour, tour[1:] + tour[:1])
        return sum(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 for a, b in legs)

    def optimum(self):
        return min(self.score(((0, 0),) + order) for order in itertools.permutations(self.CITIES[1:]))


def timeless(result):
    """Returns the object of a result without the times, which no run repeats."""
    history = [{name: value for name, value in event.items() if name != "seconds"} for event in result["history"]]
    return {**result, "seconds": 0, "history": history}


class NoScore(soloist.Problem):
    """As many ones as possible in ten bits."""

    def root(self):
        return ()

    def moves(self, bits):
        return [0, 1] if len(bits) < 10 else []

    def apply(self, bits, bit):
        return bits + (bit,)
