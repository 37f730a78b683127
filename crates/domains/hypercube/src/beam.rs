//! A beam that is made path by path, so that it can be cut anywhere and made again.

use soloist::problem::Key;
use soloist::{Problem, Rng};

/// The paths of one length that rank best, and how they came about.
///
/// Paths are ranked by the sum of a value that the caller gives and a random number below `noise`. Of those with equal
/// keys the one that ranks best stays.
#[derive(Debug)]
pub(super) struct Beam<P: Problem> {
    width: usize,
    noise: f64,
    rng: Rng,
    layer: Vec<P::State>,
    /// The path of the layer that is continued next.
    next: usize,
    children: Vec<Child<P::Move>>,
    moves: Vec<P::Move>,
    /// By length: the place of what each path continues, and its last move.
    trail: Vec<Vec<(u32, P::Move)>>,
    best: Option<(f64, Vec<P::Move>)>,
    /// Paths that were continued.
    made: u64,
}

/// A path that is one move longer than one of the layer.
#[derive(Clone, Copy, Debug)]
struct Child<M> {
    rank: f64,
    /// `None`: [`Problem::key`] is asked.
    key: Option<u64>,
    parent: u32,
    mv: M,
}

/// Returns the rank and the key of a path.
pub(super) type Judge<'a, P> = dyn FnMut(&<P as Problem>::State) -> (f64, Option<u64>) + 'a;

impl<P: Problem> Beam<P> {
    /// Returns a beam that begins in the state `start`.
    pub(super) fn new(start: P::State, width: usize, noise: f64, seed: u64) -> Self {
        Self {
            width,
            noise,
            rng: Rng::new(seed),
            layer: vec![start],
            next: 0,
            children: Vec::new(),
            moves: Vec::new(),
            trail: Vec::new(),
            best: None,
            made: 0,
        }
    }

    /// Returns the paths that were continued so far.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// Returns the best score of a path behind the first one, and its moves from the start on.
    pub(super) fn best(&self) -> Option<(f64, &[P::Move])> {
        self.best.as_ref().map(|(value, moves)| (*value, &moves[..]))
    }

    /// Continues the next path by every move. Returns false if no path is left.
    ///
    /// `judge` returns the rank and the key of a path. It is called once for each path that results, and for no other.
    /// If it gives no key, the problem is asked, for the best paths only. Paths with the same future must get their
    /// keys from the same source.
    pub(super) fn advance(&mut self, problem: &P, judge: &mut Judge<'_, P>) -> bool {
        let Some(path) = self.layer.get(self.next) else { return false };
        let (mut child, parent) = (path.clone(), self.next as u32);
        self.moves.clear();
        problem.moves(path, &mut self.moves);
        for &mv in &self.moves {
            child.clone_from(path);
            problem.apply(&mut child, mv);
            let (value, key) = judge(&child);
            let rank = value + self.noise * self.rng.unit();
            self.children.push(Child { rank, key, parent, mv });
            let score = problem.score(&child).value().unwrap_or(f64::NEG_INFINITY);
            if self.best.as_ref().is_none_or(|(best, _)| score > *best) {
                self.best = Some((score, self.path(parent, mv)));
            }
        }
        self.made += 1;
        self.next += 1;
        if self.next == self.layer.len() {
            self.close(problem);
        }
        true
    }

    /// The moves of a child.
    fn path(&self, parent: u32, mv: P::Move) -> Vec<P::Move> {
        let mut moves = vec![mv];
        let mut place = parent;
        for layer in self.trail.iter().rev() {
            let (before, mv) = layer[place as usize];
            moves.push(mv);
            place = before;
        }
        moves.reverse();
        moves
    }

    /// Makes the best children the layer.
    fn close(&mut self, problem: &P) {
        let (mut layer, mut steps, mut keys) = (Vec::new(), Vec::new(), std::collections::HashSet::new());
        let mut is_known = |key: Option<Key>| key.is_some_and(|key| !keys.insert(key));
        let ranks: Vec<f64> = self.children.iter().map(|child| child.rank).collect();
        for place in best_first(&ranks) {
            let child = &self.children[place];
            if layer.len() == self.width {
                break;
            }
            if is_known(child.key.map(Key::from)) {
                continue;
            }
            let mut state = self.layer[child.parent as usize].clone();
            problem.apply(&mut state, child.mv);
            if child.key.is_none() && is_known(problem.key(&state)) {
                continue;
            }
            layer.push(state);
            steps.push((child.parent, child.mv));
        }
        self.children.clear();
        (self.layer, self.next) = (layer, 0);
        self.trail.push(steps);
    }
}

/// Returns the places of these ranks, those of the highest first, and of equal ones in the order of the places.
pub(super) fn best_first(ranks: &[f64]) -> Vec<usize> {
    let mut keys = Vec::with_capacity(ranks.len());
    for (place, rank) in ranks.iter().enumerate() {
        let bits = rank.to_bits();
        // Ascends as ranks descend: flipped as it is, but for the sign of those below 0.
        let descending = if bits >> 63 == 0 { !bits ^ 1 << 63 } else { bits };
        keys.push(u128::from(descending) << 64 | place as u128);
    }
    keys.sort_unstable();
    keys.into_iter().map(|key| key as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::best_first;

    #[test]
    fn ranks_descend_in_the_total_order() {
        let ranks = [0.0, -0.0, 1.5, f64::NAN, -2.0, 1.5, f64::INFINITY, -1e-300, -2.0, f64::NEG_INFINITY, 1e-300];
        let mut expected: Vec<usize> = (0..ranks.len()).collect();
        expected.sort_by(|&a, &b| f64::total_cmp(&ranks[b], &ranks[a]));
        assert_eq!(best_first(&ranks), expected);
    }
}
