"""Soloist finds the best solution of a problem that is built move by move and scored at the end.

Write a class with four functions, and every Monte-Carlo and tree search of the package can solve it:

>>> import soloist
>>> class Coins(soloist.Problem):
...     '''Pay an amount with as few coins as possible.'''
...     sense = "minimize"
...     def __init__(self, amount, coins):
...         self.amount, self.coins = amount, coins
...     def root(self):
...         return ()
...     def moves(self, paid):
...         return [coin for coin in self.coins if sum(paid) + coin <= self.amount]
...     def apply(self, paid, coin):
...         return paid + (coin,)
...     def score(self, paid):
...         missing = self.amount - sum(paid)
...         return soloist.Infeasible(missing) if missing else len(paid)
>>> result = soloist.solve(Coins(30, [1, 10, 25]), method="nmcs", playouts=1000, seed=1)
>>> result.score, result.moves
(3.0, [10, 10, 10])

Or solve an instance of a problem that ships; the solution is verified by code that shares nothing with the search:

>>> result = soloist.solve("knapsack", "weak:20x1000:1", playouts=2000, seed=1)
>>> result.score, result.solution["weight"]
(5095.0, 4637)
"""

import atexit as _atexit

from . import _soloist
from ._ask import Asking, Candidate, ask
from ._bench import Comparison, bench
from ._better import better
from ._cse import cse
from ._explain import Explanation, explain
from ._improvements import Improvements, improvements
from ._infeasible import Infeasible
from ._instance import Instance, ProblemInfo, generate, load, problems, verify
from ._numba import compiled
from ._method import MethodInfo, Parameter, methods
from ._problem import BLOCKED, Advice, NextFunction, Problem, Rules, check
from ._report import Server, report, serve
from ._run import MethodName
from ._result import Improvement, Progress, Result, Solution, Verified
from ._session import Session
from ._simplify import Operations, Simplified, simplify
from ._solve import solve
from ._tune import Tuning, tune
from ._soloist import (
    VERSION as __version__,
    BrokenPromise,
    CheckpointError,
    InstanceError,
    InvalidSolution,
    draw,
)

from . import distributed  # after all that it stands on

# Threads that solve end their runs before the interpreter goes.
_atexit.register(_soloist.close)

__all__ = [
    "Advice",
    "Asking",
    "BLOCKED",
    "BrokenPromise",
    "Candidate",
    "CheckpointError",
    "Comparison",
    "Explanation",
    "Improvement",
    "Improvements",
    "Infeasible",
    "Instance",
    "InstanceError",
    "InvalidSolution",
    "MethodInfo",
    "MethodName",
    "NextFunction",
    "Operations",
    "Parameter",
    "Problem",
    "Progress",
    "ProblemInfo",
    "Result",
    "Rules",
    "Server",
    "Session",
    "Simplified",
    "Solution",
    "Tuning",
    "Verified",
    "__version__",
    "ask",
    "bench",
    "better",
    "check",
    "compiled",
    "cse",
    "draw",
    "distributed",
    "explain",
    "generate",
    "improvements",
    "load",
    "methods",
    "problems",
    "report",
    "serve",
    "simplify",
    "solve",
    "tune",
    "verify",
]
