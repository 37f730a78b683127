//! Whether the scores of orders are sums over neighbours.

use super::list;
use crate::{Problem, Rng, Score};

/// Orders that are compared.
const TRIALS: usize = 8;
/// The shortest order that shows anything.
const SHORTEST: usize = 9;

/// Whether the scores of a game's moves in other orders are sums of what neighbours cost each other, from the start to
/// the end, as [`link`](crate::problem::Ordering::link) gives them. `None`: no order has shown it, as few are legal.
///
/// With links alone, what two parts of the order gain when they mix what is inside of them is the same whichever comes
/// first. At most 32 games are played.
pub(super) fn adds_links<P: Problem>(problem: &P, game: &[P::Move], rng: &mut Rng) -> Option<bool> {
    if game.len() < SHORTEST {
        return None;
    }
    let mut shown = None;
    for _ in 0..TRIALS {
        let mut order = game.to_vec();
        rng.shuffle(&mut order);
        let third = order.len() / 3;
        let (first, rest) = order.split_at(third);
        let (part, last) = rest.split_at(order.len() - 2 * third);
        let (others, other) = mixed(first, part, rng);
        let score = |parts: [&[P::Move]; 3]| score_of(problem, &parts.concat());
        let scores =
            [[first, part, last], [&others, &other, last], [part, first, last], [&other, &others, last]].map(score);
        let [Some(here), Some(changed), Some(there), Some(changed_there)] = scores else { continue };
        let (one, two) = (changed - here, changed_there - there);
        if (one - two).abs() > 1e-9 * [here, changed, there, changed_there].iter().fold(1.0, |a: f64, b| a.max(b.abs()))
        {
            return Some(false);
        }
        if one != 0.0 {
            shown = Some(true);
        }
    }
    shown
}

/// Mixes what is inside of two parts, of which the second becomes longer. Their ends stay.
fn mixed<M: Copy>(one: &[M], two: &[M], rng: &mut Rng) -> (Vec<M>, Vec<M>) {
    let mut inner = [&one[1..one.len() - 1], &two[1..two.len() - 1]].concat();
    rng.shuffle(&mut inner);
    let (left, right) = inner.split_at(one.len() - 3);
    let around = |part: &[M], inner: &[M]| [&part[..1], inner, &part[part.len() - 1..]].concat();
    (around(one, left), around(two, right))
}

/// Returns the score of moves; `None`: one is not legal, or they are no feasible solution.
fn score_of<P: Problem>(problem: &P, moves: &[P::Move]) -> Option<f64> {
    let mut state = problem.root();
    for &mv in moves {
        if !list(problem, &state).contains(&mv) {
            return None;
        }
        problem.apply(&mut state, mv);
    }
    if !list(problem, &state).is_empty() {
        return None;
    }
    match problem.score(&state) {
        Score::Feasible(value) => Some(value),
        Score::Infeasible(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders of twelve numbers: what is counted of the differences between neighbours, or of places.
    struct Orders(fn(&[u8]) -> f64);

    impl Problem for Orders {
        type State = Vec<u8>;
        type Move = u8;
        fn root(&self) -> Vec<u8> {
            Vec::new()
        }
        fn moves(&self, order: &Vec<u8>, moves: &mut Vec<u8>) {
            moves.extend((0..12).filter(|number| !order.contains(number)));
        }
        fn apply(&self, order: &mut Vec<u8>, number: u8) {
            order.push(number);
        }
        fn score(&self, order: &Vec<u8>) -> Score {
            Score::Feasible((self.0)(order))
        }
    }

    fn gaps(order: &[u8]) -> impl Iterator<Item = f64> {
        order.windows(2).map(|pair| f64::from(pair[0].abs_diff(pair[1]) * (1 + pair[0] % 3)))
    }

    #[test]
    fn sums_over_neighbours_are_told_from_others() {
        let game: Vec<u8> = (0..12).collect();
        let seen = |score| adds_links(&Orders(score), &game, &mut Rng::new(1));
        assert_eq!(seen(|order| gaps(order).sum()), Some(true));
        assert_eq!(seen(|order| f64::from(order[0]) + gaps(order).sum::<f64>()), Some(true));
        assert_eq!(seen(|order| gaps(order).fold(0.0, f64::max)), Some(false));
        // Each number costs more the later it comes.
        assert_eq!(
            seen(|order| (1..).zip(order).map(|(at, &number)| f64::from(at * u32::from(number))).sum()),
            Some(false)
        );
        assert_eq!(seen(|_| 1.0), None);
        assert_eq!(adds_links(&Orders(|_| 1.0), &game[..5], &mut Rng::new(1)), None);
    }
}
