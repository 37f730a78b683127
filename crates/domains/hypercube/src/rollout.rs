//! Fast playouts: the path is kept in local variables, moves are drawn from a mask without a list.

use super::Kind;
use super::model::{Rules, Snakes};
use super::path::{Path, Track, count, nth};
use super::width::by_width;
use soloist::Rng;
use soloist::rollout::{Playout, Policy, Rollout, Trace, policy_playout};

/// The uniform playout policy, and the learned one, both drawing what the plain code of the engine draws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk;

impl Rollout<Snakes> for Walk {
    fn run(&mut self, problem: &Snakes, state: &mut Path, playout: &mut Playout<u8>, rng: &mut Rng) {
        by_width!(&problem.rules, state => rules, path; rules.play(path, &mut playout.moves, rng));
    }

    fn run_policy(
        &mut self,
        problem: &Snakes,
        state: &mut Path,
        policy: &Policy,
        trace: &mut Trace<u8>,
        rng: &mut Rng,
    ) {
        if policy.learns_bias() {
            // The playouts below record no terms of biases.
            policy_playout(self, problem, state, policy, trace, rng);
        } else {
            by_width!(&problem.rules, state => rules, path; rules.play_by_weight(path, policy, trace, rng));
        }
    }
}

impl<const W: usize> Rules<W> {
    /// [`uniform`] for the problem's kind and spread.
    #[inline(never)]
    fn play(&self, path: &mut Track<W>, moves: &mut Vec<u8>, rng: &mut Rng) {
        match (self.kind, self.spread == 2) {
            (Kind::Snake, true) => uniform::<W, false, true>(self, path, moves, rng),
            (Kind::Snake, false) => uniform::<W, false, false>(self, path, moves, rng),
            (Kind::Coil, true) => uniform::<W, true, true>(self, path, moves, rng),
            (Kind::Coil, false) => uniform::<W, true, false>(self, path, moves, rng),
        }
    }

    /// [`softmax`] for the problem's kind and spread, and for the policy.
    #[inline(never)]
    fn play_by_weight(&self, path: &mut Track<W>, policy: &Policy, trace: &mut Trace<u8>, rng: &mut Rng) {
        match (self.kind, self.spread == 2, policy.uses_bias()) {
            (Kind::Snake, true, false) => softmax::<W, false, true, false>(self, path, policy, trace, rng),
            (Kind::Snake, true, true) => softmax::<W, false, true, true>(self, path, policy, trace, rng),
            (Kind::Snake, false, false) => softmax::<W, false, false, false>(self, path, policy, trace, rng),
            (Kind::Snake, false, true) => softmax::<W, false, false, true>(self, path, policy, trace, rng),
            (Kind::Coil, true, false) => softmax::<W, true, true, false>(self, path, policy, trace, rng),
            (Kind::Coil, true, true) => softmax::<W, true, true, true>(self, path, policy, trace, rng),
            (Kind::Coil, false, false) => softmax::<W, true, false, false>(self, path, policy, trace, rng),
            (Kind::Coil, false, true) => softmax::<W, true, false, true>(self, path, policy, trace, rng),
        }
    }
}

/// Plays `state` to its end, every allowed bit alike.
fn uniform<const W: usize, const COIL: bool, const TWO: bool>(
    rules: &Rules<W>,
    state: &mut Track<W>,
    moves: &mut Vec<u8>,
    rng: &mut Rng,
) {
    let mut path = state.clone();
    // A local copy keeps the generator's state in registers.
    let mut local = rng.clone();
    loop {
        let legal = rules.legal::<COIL, TWO>(&path);
        if legal == 0 {
            break;
        }
        let bit = nth::<W>(legal, local.index(count::<W>(legal)));
        moves.push(bit as u8);
        rules.advance::<COIL, TWO>(&mut path, bit);
    }
    *rng = local;
    *state = path;
}

/// Plays `state` to its end by the learned weights, with the problem's bias if `BIAS`.
fn softmax<const W: usize, const COIL: bool, const TWO: bool, const BIAS: bool>(
    rules: &Rules<W>,
    state: &mut Track<W>,
    policy: &Policy,
    trace: &mut Trace<u8>,
    rng: &mut Rng,
) {
    let mut path = state.clone();
    let mut local = rng.clone();
    // The sums of the weights up to each move; never more moves than dimensions.
    let mut sums = [u64::MAX; 16];
    // A bias goes by the number of free vertices: one exponential for each.
    let factors: [f64; 16] =
        if BIAS { std::array::from_fn(|room| policy.bias_factor(rules.bias_of(room as u32))) } else { [1.0; 16] };
    loop {
        let legal = rules.legal::<COIL, TWO>(&path);
        if legal == 0 {
            break;
        }
        // Records a move; its weight.
        let offer = |bit: u32, trace: &mut Trace<u8>| {
            let code = rules.code_of(&path, bit);
            if BIAS {
                let factor = factors[rules.room(&path, bit) as usize & 15];
                trace.offer_biased(code, factor, policy)
            } else {
                trace.offer(code, policy)
            }
        };
        let first = trace.lifetimes().len() as u32;
        let (bit, entry) = if legal & (legal - 1) == 0 {
            // A single move takes its draw and needs no weight.
            let bit = legal.trailing_zeros();
            local.next_u64();
            offer(bit, trace);
            (bit, first)
        } else {
            let (mut rest, mut number, mut total) = (legal, 0, 0);
            while rest != 0 {
                total += offer(rest.trailing_zeros(), trace);
                rest &= rest - 1;
                sums[number & 15] = total;
                number += 1;
            }
            let draw = local.below(total);
            // The first move whose sum exceeds the draw.
            let chosen = sums[..number].iter().filter(|&&sum| sum <= draw).count();
            (nth::<W>(legal, chosen), first + chosen as u32)
        };
        trace.step(entry, bit as u8);
        rules.advance::<COIL, TWO>(&mut path, bit);
    }
    *rng = local;
    *state = path;
}
