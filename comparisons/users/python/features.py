"""Feature selection: which of 20 features a nearest-neighbour classifier should see; a black box of some 5 ms."""
import random

import common
import soloist

FEATURES, SAMPLES = 20, 60


def sample(at, draw):
    """A sample of class `at % 2`: five features say a little about it, two only together, the others nothing."""
    side = 1 if at % 2 else -1
    values = [draw.gauss(0, 1) for _ in range(FEATURES)]
    for feature in range(0, FEATURES, 4):
        values[feature] += 0.6 * side
    values[3] = 1.2 * (values[7] * side + 0.5 * draw.gauss(0, 1))
    return values


_draw = random.Random(20)
DATA = [sample(at, _draw) for at in range(SAMPLES)]


def errors(chosen):
    """Samples whose nearest other one is of the other class, and a little for each feature."""
    features = [feature for feature, is_seen in enumerate(chosen) if is_seen]
    rows = [[row[feature] for feature in features] for row in DATA]
    wrong = 0
    for a, row in enumerate(rows):
        far = lambda b: sum((x - y) ** 2 for x, y in zip(row, rows[b]))
        wrong += min((b for b in range(SAMPLES) if b != a), key=far) % 2 != a % 2
    return wrong + 0.2 * len(features)


class Four(soloist.Problem):
    """Whether the next feature is seen."""

    sense = "minimize"

    def root(self):
        return ()

    def moves(self, chosen):
        return [0, 1] if len(chosen) < FEATURES else []

    def apply(self, chosen, is_seen):
        return chosen + (is_seen,)

    def score(self, chosen):
        return errors(chosen)


class Full(Four):
    def code(self, chosen, is_seen):
        return 2 * len(chosen) + is_seen


def hand(_, clock, draw):
    """Annealing: one feature more or less."""

    def edit(chosen, draw):
        at = draw.randrange(FEATURES)
        return chosen[:at] + (1 - chosen[at],) + chosen[at + 1 :]

    return common.anneal(clock, draw, (0, 1) * (FEATURES // 2), 2, 0.2, errors, edit)


if __name__ == "__main__":
    common.main(Four, Full, hand, "held")
