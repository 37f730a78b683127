//! Playouts without lists of moves: uniform ones, and those of a learned policy.
//!
//! A line's weight is looked up once, when the line becomes possible; sums of weights are kept from move to move, which
//! is exact because weights are integers. What a line offers to adaptation is one entry with its first and last step.
//! Both playouts make the draws that [`soloist::rollout::Rollout`] defines: the moves are those of the plain code.

use super::board::{LINES, Listener, SUMS};
use super::model::{Morpion, Position};
use soloist::Rng;
use soloist::rollout::{Lifetime, Playout, Policy, Rollout, Trace, policy_playout};

/// A line that may be drawn.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    weight: u64,
    /// The step at which it became possible.
    since: u32,
}

/// Uniform over the lines that may be drawn.
#[derive(Debug)]
pub(super) struct Random {
    /// By line.
    slots: Vec<Slot>,
}

impl Default for Random {
    fn default() -> Self {
        Self { slots: vec![Slot::default(); LINES] }
    }
}

/// Keeps weights and their sums, and records what ends.
struct Listed<'a> {
    slots: &'a mut [Slot],
    policy: &'a Policy,
    trace: &'a mut Trace<u16>,
    /// Summed weight by word of the set of lines, and of all.
    sums: [u64; SUMS],
    total: u64,
    /// The step after the move that is being played.
    step: u32,
}

impl Listed<'_> {
    /// Takes a line off the list; the number of its entry.
    #[inline(always)]
    fn end(&mut self, line: usize) -> u32 {
        let Slot { weight, since } = self.slots[line];
        self.sums[line / 64] -= weight;
        self.total -= weight;
        self.trace.record(Lifetime { code: line as u64, first: since, end: self.step })
    }
}

impl Listener for Listed<'_> {
    #[inline(always)]
    fn opened(&mut self, line: usize) {
        let weight = self.policy.weight(line as u64);
        self.slots[line] = Slot { weight, since: self.step };
        self.sums[line / 64] += weight;
        self.total += weight;
    }

    #[inline(always)]
    fn closed(&mut self, line: usize) {
        self.end(line);
    }
}

impl Rollout<Morpion> for Random {
    fn run(&mut self, problem: &Morpion, state: &mut Position, playout: &mut Playout<u16>, rng: &mut Rng) {
        // A local copy keeps the generator's state in registers.
        let mut local = rng.clone();
        let board = &mut state.0;
        while board.choices > 0 {
            let line = board.nth(local.index(board.choices as usize));
            board.play(&problem.rules, line, &mut ());
            playout.moves.push(line as u16);
        }
        *rng = local;
    }

    fn run_policy(
        &mut self,
        problem: &Morpion,
        state: &mut Position,
        policy: &Policy,
        trace: &mut Trace<u16>,
        rng: &mut Rng,
    ) {
        if policy.uses_bias() {
            // Entries need factors then.
            return policy_playout(self, problem, state, policy, trace, rng);
        }
        let mut local = rng.clone();
        let board = &mut state.0;
        let step = trace.steps() as u32;
        let mut listed = Listed { slots: &mut self.slots[..LINES], policy, trace, sums: [0; SUMS], total: 0, step };
        for line in board.lines() {
            listed.opened(line);
        }
        while listed.total > 0 {
            let line = board.draw(local.below(listed.total), &listed.sums, |line| listed.slots[line].weight);
            listed.step += 1;
            let entry = listed.end(line);
            listed.trace.step(entry, line as u16);
            board.play(&problem.rules, line, &mut listed);
        }
        *rng = local;
    }
}
