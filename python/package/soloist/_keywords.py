"""Names of parameters of methods and options of problems, for type checkers: a misspelt keyword is an error there."""

from __future__ import annotations

from typing import Any, TypedDict


class SearchParameters(TypedDict, total=False):
    """Parameters that are no argument of :func:`soloist.simplify` or of a run."""

    acceptance: Any
    adapt: Any
    adapt_every: Any
    adapting: Any
    alpha: Any
    amaf: Any
    arms: Any
    assume: Any
    bandit: Any
    beam: Any
    beam_limit: Any
    beam_rank: Any
    beam_shape: Any
    beam_width: Any
    beams: Any
    below: Any
    bias_rate: Any
    bias_weight: Any
    blink: Any
    block: Any
    bound: Any
    c: Any
    change: Any
    children: Any
    clamp: Any
    code: Any
    cooling: Any
    cutoff: Any
    d: Any
    depot: Any
    depth: Any
    deviation: Any
    direction: Any
    doublings: Any
    end: Any
    exchanges: Any
    exact_share: Any
    expansion: Any
    few_visits: Any
    final_move: Any
    finish: Any
    first: Any
    fit: Any
    fleet: Any
    founders: Any
    fpu: Any
    fpu_value: Any
    fresh: Any
    growth: Any
    guide: Any
    height: Any
    history: Any
    insert: Any
    iterations: Any
    keep_tree: Any
    kicks: Any
    leaf: Any
    level: Any
    levels: Any
    limit: Any
    local: Any
    log_base: Any
    longest: Any
    meet: Any
    merge: Any
    merit: Any
    methods: Any
    most: Any
    move_growth: Any
    move_playouts: Any
    noise: Any
    normalization: Any
    numbers: Any
    objective: Any
    penalty: Any
    played_only: Any
    pool: Any
    population: Any
    potential: Any
    prune: Any
    race: Any
    race_part: Any
    reference: Any
    reheat: Any
    reheat_factor: Any
    reheats: Any
    removed: Any
    repetitions: Any
    replace: Any
    restart_nodes: Any
    restarts: Any
    reverse: Any
    round: Any
    rounding: Any
    rounds: Any
    runs: Any
    select_from: Any
    selective: Any
    share: Any
    shuffle: Any
    sign: Any
    similar: Any
    size: Any
    solver: Any
    split: Any
    squeeze: Any
    step: Any
    steps: Any
    suggest: Any
    swap: Any
    symmetry: Any
    table: Any
    temperature: Any
    theta: Any
    threshold: Any
    tie: Any
    ties: Any
    transpositions: Any
    tried: Any
    tree_playouts: Any
    value: Any
    variants: Any
    vehicles: Any
    w: Any
    widen: Any
    width: Any
    worth: Any
    zero: Any


class Parameters(SearchParameters, total=False):
    """Parameters and options that are no argument of a run."""

    order: Any
    polish: Any
