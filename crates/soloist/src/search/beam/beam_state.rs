//! What a beam holds between two steps: the layer, its children, the pass and the round.

use super::merge::{Future, Merger};
use crate::core::coverage::{Ceiling, Ledger};
use crate::core::limits::MOST;
use crate::erased::MoveId;
use crate::erased::problem::State;
use crate::search::Tally;
use crate::search::shared::seen::Seen;
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

/// No entry.
pub(super) const NONE: u32 = u32::MAX;

/// The largest width: later passes are as wide.
pub(super) const WIDEST: f64 = 1e18;

/// A state of the layer, by its parent and the move.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Place of the parent in the layer before.
    pub(super) parent: u32,
    /// `None` for the root.
    pub(super) mv: Option<MoveId>,
    pub(super) link: u32,
    /// Logarithm of the chance of the moves so far.
    pub(super) chance: f64,
}

/// A state of the next layer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Child {
    pub(super) merit: Ranked,
    /// [`NONE`]: a better one with the same future has come.
    pub(super) parent: u32,
    /// Its entry in the merger.
    #[serde(skip, default = "none")]
    pub(super) entry: u32,
    pub(super) mv: MoveId,
    pub(super) chance: f64,
}

fn none() -> u32 {
    NONE
}

/// Rank, tie-break and chance, larger is better; the last is what makes the order total.
pub(super) type Ranked = (u64, u64, u64);

/// A state that has playouts to decide ties.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Trial {
    pub(super) rank: u64,
    pub(super) mix: u64,
    pub(super) chance: f64,
    pub(super) spent: u64,
    pub(super) best: Option<Score>,
}

/// A pass in progress.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Pass {
    pub(super) width: f64,
    /// Makes the noise of this pass.
    pub(super) salt: u64,
    /// Empty before the first pass.
    pub(super) layer: Vec<Entry>,
    /// The entry to be expanded next.
    pub(super) next: usize,
    /// The next child of the entry before it; `None`: that entry is done.
    pub(super) place: Option<usize>,
    /// The child whose playouts are being made.
    pub(super) trial: Option<Trial>,
    pub(super) children: Vec<Child>,
    /// Children below this rank do not survive.
    pub(super) cut: u64,
    /// What was dropped that might have led to something better: for lack of places, or as no candidate.
    pub(super) ledger: Ledger,
    /// The rank that no solution beats.
    pub(super) ceiling: Ceiling,
    /// Whether ranks say nothing about solutions.
    pub(super) doubtful: bool,
    pub(super) best: Option<(Score, Vec<MoveId>)>,
}

/// Passes of one width, one from each start.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Round {
    /// Counted from 1.
    pub(super) number: u64,
    /// The moves to the states that passes begin with.
    pub(super) starts: Vec<Vec<MoveId>>,
    /// The start of the present pass.
    pub(super) at: usize,
    /// What the passes before this one have dropped.
    pub(super) ledger: Ledger,
    /// The effort of the stream when the round began.
    pub(super) effort: u64,
}

/// Games of the rollout between rounds.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Games {
    /// The effort that games still have.
    pub(super) owed: u64,
    /// The best score of a game, and of a pass.
    pub(super) best: [Option<Score>; 2],
}

impl Games {
    /// The part of its effort that a round gives to games where a pass is ahead of them.
    const BEHIND: u64 = 16;

    /// Enters the score of a game, or of a pass.
    pub(super) fn enter(&mut self, by_pass: bool, score: Score, sense: Sense) {
        let best = &mut self.best[usize::from(by_pass)];
        if best.is_none_or(|best| sense.better(score, best)) {
            *best = Some(score);
        }
    }

    /// Whether what was read from a checkpoint can be that of a run.
    pub(super) fn is_sound(&self) -> bool {
        self.owed <= MOST && self.best.iter().flatten().all(|score| score.is_finite())
    }

    /// Grants games as much effort as a round has made, or a part of it.
    pub(super) fn grant(&mut self, effort: u64, sense: Sense) {
        let is_behind = matches!(self.best, [Some(game), Some(pass)] if sense.better(pass, game));
        self.owed = if is_behind { effort / Self::BEHIND } else { effort };
    }
}

/// Returns the effort of a stream so far. Passes without any would follow each other without an end: bounds exclude all
/// that they may consider.
pub(super) fn effort(tally: &Tally) -> u64 {
    tally.counters.playouts.saturating_add(tally.counters.nodes)
}

impl Round {
    pub(super) fn start(&self) -> &[MoveId] {
        self.starts.get(self.at).map_or(&[], Vec::as_slice)
    }
}

impl Pass {
    /// Enters a dropped state of this rank.
    #[inline]
    pub(super) fn drop_ranked(&mut self, rank: u64) {
        if self.doubtful {
            self.ledger.leave_out_any();
        } else {
            self.ledger.leave_out_ranked(rank);
        }
    }

    pub(super) fn new(width: f64, salt: u64, layer: Vec<Entry>) -> Self {
        Self {
            width: width.min(WIDEST),
            salt,
            layer,
            next: 0,
            place: None,
            trial: None,
            children: Vec::new(),
            cut: 0,
            ledger: Ledger::open(),
            ceiling: Ceiling::UNKNOWN,
            doubtful: true,
            best: None,
        }
    }
}

/// The memory that there is.
pub(super) struct Room {
    /// Places of a layer that fit.
    pub(super) places: usize,
    /// All bytes, and those of a state.
    pub(super) memory: u64,
    pub(super) state: usize,
}

/// What tells whether a child is beaten by another one of its layer.
pub(super) struct Rivals {
    pub(super) seen: Seen,
    /// In the place of `seen`, for a problem that has futures.
    pub(super) merger: Option<Merger>,
    pub(super) future: Future,
    /// Children that are beaten but still listed.
    pub(super) beaten: usize,
}

impl Rivals {
    /// Forgets the children of the layer.
    pub(super) fn forget(&mut self) {
        self.seen.clear();
        self.beaten = 0;
        if let Some(merger) = &mut self.merger {
            merger.clear();
        }
    }
}

/// States of two layers.
pub(super) struct LayerStates {
    /// Those of the layer before.
    pub(super) before: Vec<State>,
    /// Those of the entries expanded so far.
    pub(super) own: Vec<State>,
    /// `before` holds the states of the entries themselves, by entry: after a resume.
    pub(super) replayed: bool,
}

/// What the open entry offers.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) moves: Vec<MoveId>,
    /// By move: the logarithm of its chance.
    pub(super) chances: Vec<f64>,
    /// Whether all has to be listed again: after a resume.
    pub(super) stale: bool,
}

/// Rooms that are used again.
pub(super) struct Buffers {
    pub(super) state: State,
    pub(super) path: Vec<MoveId>,
    pub(super) playout: Vec<MoveId>,
    pub(super) parents: Vec<u32>,
}
