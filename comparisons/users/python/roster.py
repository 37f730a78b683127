"""A roster: 8 nurses and 14 days, off, day or night each; cover and rest are musts, wishes cost."""
import random

import common
import soloist

NURSES, DAYS = 8, 14
WISH = [[random.Random(f"{nurse} {day}").choice([0, 0, 1, 2, 5]) for day in range(DAYS)] for nurse in range(NURSES)]


class Four(soloist.Problem):
    """The shift of the next nurse, day by day: 0 off, 1 day, 2 night."""

    sense = "minimize"

    def root(self):
        return ()

    def moves(self, plan):
        if len(plan) == NURSES * DAYS:
            return []
        return [0, 2] if len(plan) >= NURSES and plan[-NURSES] == 2 else [0, 1, 2]

    def apply(self, plan, shift):
        return plan + (shift,)

    def broken(self, plan):
        """Missing nurses, and days beyond five in a row."""
        days = [plan[day * NURSES : (day + 1) * NURSES] for day in range(DAYS)]
        count = sum(max(0, 3 - day.count(1)) + max(0, 2 - day.count(2)) for day in days)
        for nurse in range(NURSES):
            run = 0
            for shift in plan[nurse::NURSES]:
                run = run + 1 if shift else 0
                count += run > 5
        return count

    def wishes(self, plan):
        return sum(WISH[cell % NURSES][cell // NURSES] for cell, shift in enumerate(plan) if shift)

    def score(self, plan):
        broken = self.broken(plan)
        return soloist.Infeasible(broken) if broken else self.wishes(plan)


class Full(Four):
    def code(self, plan, shift):
        return 3 * len(plan) + shift

    def bound(self, plan):
        return self.wishes(plan)

    def bias(self, plan, shift):
        return -float(WISH[len(plan) % NURSES][len(plan) // NURSES]) if shift else 0.0


def hand(problem, clock, draw):
    """Annealing: a shift changes, or two nurses change theirs on a day. A broken rule costs 20, work after a night too."""

    def late(plan):
        return sum(after == 1 and before == 2 for before, after in zip(plan, plan[NURSES:]))

    def cost(plan):
        return 20 * (problem.broken(plan) + late(plan)) + problem.wishes(plan)

    def edit(plan, draw):
        plan, a = list(plan), draw.randrange(NURSES * DAYS)
        b = a // NURSES * NURSES + draw.randrange(NURSES)
        if draw.random() < 0.5:
            plan[a] = draw.randrange(3)
        else:
            plan[a], plan[b] = plan[b], plan[a]
        return tuple(plan)

    plan = common.anneal(clock, draw, (0,) * (NURSES * DAYS), 20, 0.3, cost, edit)
    # A day behind a night, if one is left, is no move: it becomes a day off.
    plan = list(plan)
    for cell in range(NURSES, len(plan)):
        if plan[cell] == 1 and plan[cell - NURSES] == 2:
            plan[cell] = 0
    return plan


if __name__ == "__main__":
    common.main(Four, Full, hand, "design")
