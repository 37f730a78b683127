//! The playout policies of the tile games, as the engine calls them.
//!
//! NRPA draws its moves by learned weights, so that only the candidates of a rollout matter to it: all groups, except
//! for `selective`.
//!
//! `tabu-bandit` has a [`Bandit`] over the colours present in the position from which it plays. It learns the final
//! score of every playout in which it made a move, wherever in a tree the playout began. It is not reset before the
//! search ends, not even by a restart. (The publication does not say when its bandit is reset.)
//!
//! # References
//! - M. P. D. Schadd, M. H. M. Winands, M. J. W. Tak and J. W. H. M. Uiterwijk, "Single-player Monte-Carlo tree search
//!   for SameGame", Knowledge-Based Systems 34, 2012 (`random-cell`, `tabu-random`, `tabu-color-fixed`; `tabu-color` as
//!   in its authors' program).
//! - H. Baier and M. H. M. Winands, "Beam Monte-Carlo tree search", IEEE Conference on Computational Intelligence and
//!   Games, 2012 (`tabu-bandit`).
//! - F. W. Takes and W. A. Kosters, "Solving SameGame and its chessboard variant", Benelux Conference on Artificial
//!   Intelligence, 2009: the idea of `roulette`; the weights were chosen for this project.
//! - T. Cazenave, "Nested rollout policy adaptation with selective policies", Computer Games Workshop, 2016
//!   (`selective`).

use super::bandit::Bandit;
use super::kernel::group::several_components;
use super::kernel::ops::PORTABLE;
use super::kernel::{Board, Geometry, Policy as Kind, playout};
use super::model::{Position, Tiles};
use super::softmax::{Biases, Lists, softmax};
use soloist::rollout::{Playout, Policy, Rollout, RolloutInfo, Trace, policy_playout};
use soloist::run::CheckpointError;
use soloist::{Problem, Rng, Score};

/// The names, the best general one first. Those whose help names an EPSILON take it behind a colon.
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
    RolloutInfo {
        name: "tabu-color-fixed",
        help: "random-cell, the most frequent colour at the playout's start being kept for last (Schadd); tabu-color-fixed:EPSILON (0.0007); its variants keep one colour of the start board",
    },
    RolloutInfo {
        name: "tabu-bandit",
        help: "random-cell, the colour kept for last being chosen by a bandit that learns during the search (Baier); tabu-bandit:EPSILON (0.0007)",
    },
    RolloutInfo {
        name: "roulette",
        help: "a colour drawn by its tiles (fourth power) is kept for last, groups of others are drawn by size (after Takes and Kosters, weights ours)",
    },
    RolloutInfo { name: "tabu", help: "uniform, the most frequent colour at the playout's start being kept for last" },
];

/// A playout policy by name.
#[derive(Debug)]
pub struct TileRollout<G: Geometry> {
    kind: Named,
    /// Of `selective`: rank of the tabu colour among the start board's colours by number of tiles; of
    /// `tabu-color-fixed`: one more than that, or 0.
    variant: usize,
    lists: Lists<G>,
    bandit: Bandit,
    /// The colour of the playout whose score is awaited.
    pending: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Named {
    Random,
    RandomCell,
    TabuRandom(f64),
    TabuColor(f64),
    TabuFixed(f64),
    TabuBandit(f64),
    Roulette,
    Tabu,
    Selective,
}

impl<G: Geometry> TileRollout<G> {
    /// Returns the policy called `name`; see [`ROLLOUTS`].
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
            ("tabu-color-fixed", epsilon) => Named::TabuFixed(epsilon.unwrap_or(0.0007)),
            ("tabu-bandit", epsilon) => Named::TabuBandit(epsilon.unwrap_or(0.0007)),
            ("roulette", None) => Named::Roulette,
            ("tabu", None) => Named::Tabu,
            ("selective", None) => Named::Selective,
            _ => return None,
        };
        Some(Self { kind, variant: 0, lists: Lists::default(), bandit: Bandit::default(), pending: None })
    }

    /// The colour that the selective policy keeps for last.
    fn tabu(&self, problem: &Tiles<G>) -> u8 {
        let colors = problem.colors();
        colors.get(self.variant).or(colors.first()).copied().unwrap_or(0)
    }

    /// The colour that `tabu-color-fixed` keeps for last: 0, the most frequent one at the playout's start, or in
    /// variant `k` the `k`-th of the start board.
    fn fixed(&self, problem: &Tiles<G>) -> u8 {
        self.variant.checked_sub(1).and_then(|rank| problem.colors().get(rank)).copied().unwrap_or(0)
    }
}

impl<G: Geometry> Rollout<Tiles<G>> for TileRollout<G> {
    fn candidates(&mut self, problem: &Tiles<G>, state: &Position<G>, moves: &mut Vec<u16>) {
        problem.moves(state, moves);
        let (board, color) = match self.kind {
            Named::Selective => (&state.board, self.tabu(problem)),
            _ => return,
        };
        if !several_components(PORTABLE, &board.links(), &board.color_mask(color)) {
            return;
        }
        let pairs = state.played > 10;
        let legal = |cell: u16| board.color_at(cell) != color || pairs && board.group_size(cell) == 2;
        if moves.iter().any(|&cell| legal(cell)) {
            moves.retain(|&cell| legal(cell));
        }
    }

    fn run(&mut self, problem: &Tiles<G>, state: &mut Position<G>, playout: &mut Playout<u16>, rng: &mut Rng) {
        let mut chosen = None;
        let kind = match self.kind {
            Named::Random => Kind::Random,
            Named::RandomCell => Kind::RandomCell,
            Named::TabuRandom(epsilon) => Kind::TabuRandom { epsilon },
            Named::TabuColor(epsilon) => Kind::TabuColor { epsilon },
            Named::TabuFixed(epsilon) => Kind::TabuFixed { epsilon, tabu: self.fixed(problem) },
            Named::TabuBandit(epsilon) => {
                chosen = self.bandit.choose(present(problem, &state.board));
                Kind::TabuFixed { epsilon, tabu: chosen.unwrap_or(1) }
            }
            Named::Roulette => Kind::Roulette,
            Named::Tabu => Kind::Tabu { tabu: 0 },
            Named::Selective => Kind::Selective { tabu: self.tabu(problem), played: state.played as usize },
        };
        let engine = if kind == Kind::Random { problem.engine() } else { problem.engine().for_lists() };
        let before = playout.moves.len();
        state.points +=
            self::playout(engine, kind, problem.game(), problem.extent(), &mut state.board, rng, &mut playout.moves);
        let played = playout.moves.len() - before;
        state.played += played as u32;
        // A playout without a move says nothing about colours.
        self.pending = chosen.filter(|_| played > 0);
    }

    fn run_policy(
        &mut self,
        problem: &Tiles<G>,
        state: &mut Position<G>,
        policy: &Policy,
        trace: &mut Trace<u16>,
        rng: &mut Rng,
    ) {
        // These moves are drawn by what the policy has learned, not by a colour.
        self.pending = None;
        if policy.learns_bias() {
            // The factors of the fast playout below do not change.
            return policy_playout(self, problem, state, policy, trace, rng);
        }
        let factor = |size, kept| policy.bias_factor(Tiles::<G>::bias_of(size, kept));
        let kept = problem.colors().first().copied().unwrap_or(0);
        let biases = policy.uses_bias().then(|| Biases::new(kept, factor));
        let tabu = if self.kind == Named::Selective { self.tabu(problem) } else { 0 };
        softmax(problem.engine(), problem.game(), tabu, biases.as_ref(), &mut self.lists, state, policy, trace, rng);
    }

    fn variants(&self, problem: &Tiles<G>) -> usize {
        match self.kind {
            Named::Selective => problem.colors().len(),
            Named::TabuFixed(_) => problem.colors().len() + 1,
            _ => 1,
        }
    }

    fn set_variant(&mut self, variant: usize) {
        self.variant = variant;
    }

    fn feedback(&mut self, score: Score) {
        if let (Some(color), Some(value)) = (self.pending.take(), score.value()) {
            // Points are whole numbers.
            self.bandit.learn(color, value as i64);
        }
    }

    fn save(&self) -> Vec<u8> {
        match self.kind {
            Named::TabuBandit(_) => self.bandit.save(),
            _ => Vec::new(),
        }
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        match self.kind {
            Named::TabuBandit(_) => self.bandit = Bandit::load(bytes)?,
            _ if !bytes.is_empty() => return Err(CheckpointError::Corrupt("unexpected rollout data")),
            _ => {}
        }
        self.pending = None;
        Ok(())
    }
}

/// The colours on `board`, as bits.
fn present<G: Geometry>(problem: &Tiles<G>, board: &Board<G>) -> u16 {
    let on_board = |&color: &u8| board.color_mask(color) != G::Words::default();
    problem.colors().iter().copied().filter(on_board).fold(0, |bits, color| bits | 1 << color)
}
