"""Problems and helpers for the tests of `soloist.distributed`: a module, so that workers can import it."""

import os
import pathlib
import signal
import time

import soloist
from common import Bounded, Knapsack, Tour

__all__ = ["Bounded", "Knapsack", "Tour"]


class Sack(Knapsack):
    """Too large to be searched through."""

    ITEMS = [(3 + 7 * i % 11, 2 + 5 * i % 9) for i in range(30)]
    CAPACITY = 60


class Trip(Tour):
    """Too long to be searched through."""

    CITIES = [(0, 0), *((1 + 7 * i % 13, 1 + 5 * i % 17) for i in range(14))]


class Strict(Knapsack):
    """Nothing is feasible."""

    def score(self, state):
        return soloist.Infeasible(100.5 - state[2])


class Deadly(Sack):
    """Kills its process once for each file that it can make, in the middle of a slice."""

    def __init__(self, folder, deaths, signal=signal.SIGKILL):
        self.folder, self.deaths, self.signal, self.games = str(folder), deaths, signal, 0

    def __getstate__(self):
        return {**self.__dict__, "games": 0}

    def score(self, state):
        self.games += 1
        if self.games % 150 == 0:
            for number in range(self.deaths):
                try:
                    (pathlib.Path(self.folder) / f"death-{number}").touch(exist_ok=False)
                except FileExistsError:
                    continue
                os.kill(os.getpid(), self.signal)
        return super().score(state)


class Poison(Sack):
    """Kills every process that solves it."""

    def score(self, state):
        os.kill(os.getpid(), signal.SIGKILL)


class Hung(Sack):
    """Hangs as often as there are no files."""

    def __init__(self, folder, hangs):
        self.folder, self.hangs = str(folder), hangs

    def score(self, state):
        for number in range(self.hangs):
            try:
                (pathlib.Path(self.folder) / f"hang-{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            time.sleep(3600)
        return super().score(state)


class Wrong(Sack):
    """Raises an exception after some games, those that are checked before the first slice among them."""

    games, most = 0, 1500

    def score(self, state):
        Wrong.games += 1
        if Wrong.games > Wrong.most:
            raise LookupError("no such item")
        return super().score(state)


def lone(problem, count, **arguments):
    """Returns a session of its own that has made so many playouts."""
    session = soloist.Session(problem, playouts=count, **arguments)
    session.advance(playouts=count)
    return session
