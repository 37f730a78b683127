//! Fast playouts: the path is kept in local variables, moves are drawn from a mask without a list.

use super::Kind;
use super::model::Snakes;
use super::path::{Path, count, nth};
use soloist::Rng;
use soloist::rollout::{Playout, Policy, Rollout, Trace, policy_playout};

/// The uniform playout policy, and the learned one, both drawing what the plain code of the engine draws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk;

impl<const W: usize> Rollout<Snakes<W>> for Walk {
    fn run(&mut self, problem: &Snakes<W>, state: &mut Path<W>, playout: &mut Playout<u8>, rng: &mut Rng) {
        let moves = &mut playout.moves;
        match (problem.kind, problem.spread == 2) {
            (Kind::Snake, true) => uniform::<W, false, true>(problem, state, moves, rng),
            (Kind::Snake, false) => uniform::<W, false, false>(problem, state, moves, rng),
            (Kind::Coil, true) => uniform::<W, true, true>(problem, state, moves, rng),
            (Kind::Coil, false) => uniform::<W, true, false>(problem, state, moves, rng),
        }
    }

    fn run_policy(
        &mut self,
        problem: &Snakes<W>,
        state: &mut Path<W>,
        policy: &Policy,
        trace: &mut Trace<u8>,
        rng: &mut Rng,
    ) {
        if policy.learns_bias() {
            // The playouts below record no terms of biases.
            policy_playout(self, problem, state, policy, trace, rng);
        } else if policy.uses_bias() {
            by_weight::<W, true>(problem, state, policy, trace, rng);
        } else {
            by_weight::<W, false>(problem, state, policy, trace, rng);
        }
    }
}

/// [`softmax`] for the problem's kind and spread.
fn by_weight<const W: usize, const BIAS: bool>(
    problem: &Snakes<W>,
    state: &mut Path<W>,
    policy: &Policy,
    trace: &mut Trace<u8>,
    rng: &mut Rng,
) {
    match (problem.kind, problem.spread == 2) {
        (Kind::Snake, true) => softmax::<W, false, true, BIAS>(problem, state, policy, trace, rng),
        (Kind::Snake, false) => softmax::<W, false, false, BIAS>(problem, state, policy, trace, rng),
        (Kind::Coil, true) => softmax::<W, true, true, BIAS>(problem, state, policy, trace, rng),
        (Kind::Coil, false) => softmax::<W, true, false, BIAS>(problem, state, policy, trace, rng),
    }
}

/// Plays `state` to its end, every allowed bit alike.
fn uniform<const W: usize, const COIL: bool, const TWO: bool>(
    problem: &Snakes<W>,
    state: &mut Path<W>,
    moves: &mut Vec<u8>,
    rng: &mut Rng,
) {
    let mut path = state.clone();
    // A local copy keeps the generator's state in registers.
    let mut local = rng.clone();
    loop {
        let legal = problem.legal::<COIL, TWO>(&path);
        if legal == 0 {
            break;
        }
        let bit = nth::<W>(legal, local.index(count::<W>(legal)));
        moves.push(bit as u8);
        problem.advance::<COIL, TWO>(&mut path, bit);
    }
    *rng = local;
    *state = path;
}

/// Plays `state` to its end by the learned weights, with the problem's bias if `BIAS`.
fn softmax<const W: usize, const COIL: bool, const TWO: bool, const BIAS: bool>(
    problem: &Snakes<W>,
    state: &mut Path<W>,
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
        if BIAS { std::array::from_fn(|room| policy.bias_factor(problem.bias_of(room as u32))) } else { [1.0; 16] };
    loop {
        let legal = problem.legal::<COIL, TWO>(&path);
        if legal == 0 {
            break;
        }
        // Records a move; its weight.
        let offer = |bit: u32, trace: &mut Trace<u8>| {
            let code = problem.code_of(&path, bit);
            if BIAS {
                let factor = factors[problem.room(&path, bit) as usize & 15];
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
        problem.advance::<COIL, TWO>(&mut path, bit);
    }
    *rng = local;
    *state = path;
}
