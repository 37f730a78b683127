"""A stock of six products: for each, the level at which it is ordered and how much; a simulation of a millisecond values it."""
import random

import common
import soloist

PRODUCTS, DAYS = 6, 800
AMOUNTS = range(5, 60, 5)


def simulate(policy):
    """The cost of a policy, with the same demand each time."""
    draw, cost = random.Random(5), 0.0
    for product in range(PRODUCTS):
        low, amount = policy[2 * product : 2 * product + 2]
        stock = low + amount
        for _ in range(DAYS):
            stock -= int(draw.random() * (10 + 3 * product))
            if stock < 0:
                cost, stock = cost - 20 * stock, 0
            cost += 0.5 * stock
            if stock < low:
                cost, stock = cost + 40 + product, low + amount
    return cost


class Four(soloist.Problem):
    """The next number: level and amount of the first product, of the second one, and so on."""

    sense = "minimize"

    def root(self):
        return ()

    def moves(self, policy):
        return AMOUNTS if len(policy) < 2 * PRODUCTS else []

    def apply(self, policy, number):
        return policy + (number,)

    def score(self, policy):
        return simulate(policy)


class Full(Four):
    def code(self, policy, number):
        return len(policy) * 100 + number


def hand(_, clock, draw):
    """Annealing: a number becomes another one."""

    def edit(policy, draw):
        at = draw.randrange(2 * PRODUCTS)
        return policy[:at] + (draw.choice(AMOUNTS),) + policy[at + 1 :]

    return common.anneal(clock, draw, (30,) * 2 * PRODUCTS, 500, 20, simulate, edit)


if __name__ == "__main__":
    common.main(Four, Full, hand, "held")
