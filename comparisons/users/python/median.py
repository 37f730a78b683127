"""The k-median problem: 8 of 2,000 sites, near to 60 customers; each state has two thousand moves."""
import math
import random

import common
import soloist

OPEN = 8
_draw = random.Random(1)
SITES = [(_draw.random(), _draw.random()) for _ in range(2000)]
CUSTOMERS = SITES[:60]


def cost(sites):
    return sum(min(math.dist(customer, SITES[site]) for site in sites) for customer in CUSTOMERS)


class Four(soloist.Problem):
    """One more site."""

    sense = "minimize"

    def root(self):
        return ()

    def moves(self, sites):
        return range(len(SITES)) if len(sites) < OPEN else []

    def apply(self, sites, site):
        return sites + (site,)

    def score(self, sites):
        return cost(sites)


class Full(Four):
    def potential(self, sites):
        return -cost(sites) if sites else -1e9

    def difference(self, sites, place, old, new):
        if new in sites:
            return None
        return cost(sites[:place] + (new,) + sites[place + 1 :]) - cost(sites)

    def apply_exchange(self, sites, place, old, new):
        return sites[:place] + (new,) + sites[place + 1 :]


def hand(_, clock, draw):
    """Annealing: a site for another one."""

    def edit(sites, draw):
        at = draw.randrange(OPEN)
        return sites[:at] + (draw.randrange(len(SITES)),) + sites[at + 1 :]

    return common.anneal(clock, draw, tuple(range(OPEN)), 0.5, 0.01, cost, edit)


if __name__ == "__main__":
    common.main(Four, Full, hand, "design")
