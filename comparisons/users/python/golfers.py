"""Students in groups: 28 of them, groups of four, six rounds; few pairs meet again, and 12 pairs should never meet."""
import itertools
import random

import common
import soloist

STUDENTS, GROUP, ROUNDS = 28, 4, 6
SEATS = STUDENTS * ROUNDS
APART = set(random.Random(5).sample(list(itertools.combinations(range(STUDENTS), 2)), 12))


def cost(seats):
    """(Meetings - 1) squared for each pair, and 10 for each meeting that should not be."""
    met = {}
    for at in range(0, len(seats), GROUP):
        for pair in itertools.combinations(sorted(seats[at : at + GROUP]), 2):
            met[pair] = met.get(pair, 0) + 1
    return sum((count - 1) ** 2 for count in met.values()) + 10 * sum(met.get(pair, 0) for pair in APART)


class Four(soloist.Problem):
    """The student in the next seat, round by round."""

    sense = "minimize"

    def root(self):
        return ()

    def moves(self, seats):
        if len(seats) == SEATS:
            return []
        present = seats[len(seats) // STUDENTS * STUDENTS :]
        return [student for student in range(STUDENTS) if student not in present]

    def apply(self, seats, student):
        return seats + (student,)

    def score(self, seats):
        return cost(seats)


class Full(Four):
    def bound(self, seats):
        return cost(seats)

    def code(self, seats, student):
        return len(seats) * STUDENTS + student

    def bias(self, seats, student):
        group = seats[len(seats) // GROUP * GROUP :]
        bad = 10 * sum((min(student, other), max(student, other)) in APART for other in group)
        for at in range(0, len(seats) - len(group), GROUP):
            if student in seats[at : at + GROUP]:
                bad += sum(other in seats[at : at + GROUP] for other in group)
        return -3.0 * bad

    def identity(self, seats, student):
        return len(seats) // STUDENTS * STUDENTS + student

    def find(self, seats, identity):
        turn, student = divmod(identity, STUDENTS)
        now = len(seats) // STUDENTS
        if turn != now or len(seats) == SEATS:
            return soloist.BLOCKED if now < turn < ROUNDS else None
        return None if student in seats[now * STUDENTS :] else student


def hand(_, clock, draw):
    """Annealing: two students of a round change places."""

    def edit(seats, draw):
        seats, a = list(seats), draw.randrange(SEATS)
        b = a // STUDENTS * STUDENTS + draw.randrange(STUDENTS)
        seats[a], seats[b] = seats[b], seats[a]
        return tuple(seats)

    return common.anneal(clock, draw, tuple(range(STUDENTS)) * ROUNDS, 5, 0.3, cost, edit)


if __name__ == "__main__":
    common.main(Four, Full, hand, "design")
