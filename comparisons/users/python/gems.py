"""Gems: a robot walks on a grid of 12 x 12 with fuel for 40 steps and collects what is worth most."""
import dataclasses
import enum
import random

import common
import soloist

SIZE, FUEL = 12, 40
_draw = random.Random(12)
GEMS = {(_draw.randrange(SIZE), _draw.randrange(SIZE)): _draw.randint(1, 9) for _ in range(30)}


class Step(enum.IntEnum):
    UP, RIGHT, DOWN, LEFT = range(4)


WAYS = {Step.UP: (0, -1), Step.RIGHT: (1, 0), Step.DOWN: (0, 1), Step.LEFT: (-1, 0)}


@dataclasses.dataclass(frozen=True)
class Robot:
    x: int = 0
    y: int = 0
    fuel: int = FUEL
    taken: frozenset = frozenset()
    value: int = 0


class Four(soloist.Problem):
    def root(self):
        return Robot()

    def moves(self, robot):
        if robot.fuel == 0:
            return []
        return [step for step, (x, y) in WAYS.items() if 0 <= robot.x + x < SIZE and 0 <= robot.y + y < SIZE]

    def apply(self, robot, step):
        at = robot.x + WAYS[step][0], robot.y + WAYS[step][1]
        is_new = at in GEMS and at not in robot.taken
        taken = robot.taken | {at} if is_new else robot.taken
        return Robot(*at, robot.fuel - 1, taken, robot.value + (GEMS[at] if is_new else 0))

    def score(self, robot):
        return robot.value


class Full(Four):
    def code(self, robot, step):
        return (robot.x * SIZE + robot.y) * 4 + step

    def bound(self, robot):
        near = lambda at: abs(at[0] - robot.x) + abs(at[1] - robot.y) <= robot.fuel
        return robot.value + sum(value for at, value in GEMS.items() if at not in robot.taken and near(at))

    def potential(self, robot):
        left = [(value, abs(at[0] - robot.x) + abs(at[1] - robot.y)) for at, value in GEMS.items() if at not in robot.taken]
        return robot.value + 0.2 * sum(value / (1 + way) for value, way in left)

    def future(self, robot):
        return (robot.x, robot.y, robot.fuel, tuple(sorted(robot.taken))), robot.value


def hand(problem, clock, draw):
    """Annealing of an order of the gems, which the robot visits while it has fuel."""

    def walk(order):
        x = y = 0
        steps = []
        for right, down in order:
            way = [Step.RIGHT if right > x else Step.LEFT] * abs(right - x) + [Step.DOWN if down > y else Step.UP] * abs(down - y)
            if len(steps) + len(way) <= FUEL:
                steps, x, y = steps + way, right, down
        while len(steps) < FUEL:
            steps.append(next(step for step, (a, b) in WAYS.items() if 0 <= x + a < SIZE and 0 <= y + b < SIZE))
            x, y = x + WAYS[steps[-1]][0], y + WAYS[steps[-1]][1]
        return steps

    def cost(order):
        return -common.play(problem, walk(order))

    def edit(order, draw):
        order = list(order)
        order.insert(draw.randrange(len(order)), order.pop(draw.randrange(len(order))))
        return order

    return walk(common.anneal(clock, draw, list(GEMS), 5, 0.5, cost, edit))


if __name__ == "__main__":
    common.main(Four, Full, hand, "held")
