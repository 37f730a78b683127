//! The playout policies of the tile games, as the engine calls them.

use super::kernel::group::several_components;
use super::kernel::ops::PORTABLE;
use super::kernel::{Geometry, Policy as Kind, playout};
use super::problem::{Position, Tiles};
use super::softmax::{Lists, softmax};
use soloist::{Playout, Policy, Problem, Rng, Rollout, RolloutInfo, Trace, policy_playout};

/// The names, the best general one first. `tabu-random` and `tabu-color` take their epsilon behind a colon.
pub const ROLLOUTS: &[RolloutInfo] = &[
    RolloutInfo {
        name: "selective",
        help: "uniform, but the start board's most frequent colour is kept for last; its pairs are allowed after move 10 (Cazenave)",
    },
    RolloutInfo { name: "random", help: "uniform over the groups" },
    RolloutInfo {
        name: "random-cell",
        help: "the group at or after a uniform cell of the box: larger groups more often (Schadd)",
    },
    RolloutInfo {
        name: "tabu-random",
        help: "random-cell, a random colour being kept for last; tabu-random:EPSILON sets the chance of an exception (0.003)",
    },
    RolloutInfo {
        name: "tabu-color",
        help: "random-cell, the most frequent colour of each moment being kept for last; tabu-color:EPSILON (0.0007)",
    },
    RolloutInfo { name: "tabu", help: "uniform, the most frequent colour at the playout's start being kept for last" },
];

/// A playout policy by name.
#[derive(Debug)]
pub struct TileRollout<G: Geometry> {
    kind: Named,
    /// Rank of the tabu colour among the start board's colours by number of tiles.
    variant: usize,
    lists: Lists<G>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Named {
    Random,
    RandomCell,
    TabuRandom(f64),
    TabuColor(f64),
    Tabu,
    Selective,
}

impl<G: Geometry> TileRollout<G> {
    /// The policy called `name`; see [`ROLLOUTS`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (base, epsilon) = match name.split_once(':') {
            Some((base, text)) => (base, Some(text.parse::<f64>().ok().filter(|e| (0.0..=1.0).contains(e))?)),
            None => (name, None),
        };
        let kind = match (base, epsilon) {
            ("random", None) => Named::Random,
            ("random-cell", None) => Named::RandomCell,
            ("tabu-random", epsilon) => Named::TabuRandom(epsilon.unwrap_or(0.003)),
            ("tabu-color", epsilon) => Named::TabuColor(epsilon.unwrap_or(0.0007)),
            ("tabu", None) => Named::Tabu,
            ("selective", None) => Named::Selective,
            _ => return None,
        };
        Some(Self { kind, variant: 0, lists: Lists::default() })
    }

    /// The colour that the selective policy keeps for last.
    fn tabu(&self, problem: &Tiles<G>) -> u8 {
        let colours = problem.colours();
        colours.get(self.variant).or(colours.first()).copied().unwrap_or(0)
    }
}

impl<G: Geometry> Rollout<Tiles<G>> for TileRollout<G> {
    fn candidates(&mut self, problem: &Tiles<G>, state: &Position<G>, moves: &mut Vec<u16>) {
        problem.moves(state, moves);
        let (board, colour) = match self.kind {
            Named::Selective => (&state.board, self.tabu(problem)),
            _ => return,
        };
        if !several_components(PORTABLE, &board.links(), &board.colour_mask(colour)) {
            return;
        }
        let pairs = state.played > 10;
        let legal = |cell: u16| board.colour_at(cell) != colour || pairs && board.group_size(cell) == 2;
        if moves.iter().any(|&cell| legal(cell)) {
            moves.retain(|&cell| legal(cell));
        }
    }

    fn run(&mut self, problem: &Tiles<G>, state: &mut Position<G>, playout: &mut Playout<u16>, rng: &mut Rng) {
        let kind = match self.kind {
            Named::Random => Kind::Random,
            Named::RandomCell => Kind::RandomCell,
            Named::TabuRandom(epsilon) => Kind::TabuRandom { epsilon },
            Named::TabuColor(epsilon) => Kind::TabuColor { epsilon, recompute: true },
            Named::Tabu => Kind::Tabu { tabu: 0 },
            Named::Selective => Kind::Selective { tabu: self.tabu(problem), played: state.played as usize },
        };
        let engine = if kind == Kind::Random { problem.engine() } else { problem.engine().for_lists() };
        let before = playout.moves.len();
        state.points +=
            self::playout(engine, kind, problem.game(), problem.extent(), &mut state.board, rng, &mut playout.moves);
        state.played += (playout.moves.len() - before) as u32;
    }

    fn run_policy(
        &mut self,
        problem: &Tiles<G>,
        state: &mut Position<G>,
        policy: &Policy,
        trace: &mut Trace<u16>,
        rng: &mut Rng,
    ) {
        if policy.uses_bias() {
            // The fast playout below knows no biases.
            return policy_playout(self, problem, state, policy, trace, rng);
        }
        let tabu = if self.kind == Named::Selective { self.tabu(problem) } else { 0 };
        softmax(problem.engine(), problem.game(), tabu, &mut self.lists, state, policy, trace, rng);
    }

    fn variants(&self, problem: &Tiles<G>) -> usize {
        match self.kind {
            Named::Selective => problem.colours().len(),
            _ => 1,
        }
    }

    fn set_variant(&mut self, variant: usize) {
        self.variant = variant;
    }
}
