//! What a beam is worth that a limit ends in its first pass: its best states are played to their ends.

use super::beam_state::{NONE, Ranked};
use super::evaluate_child::{Measure, Origin};
use super::merge::Future;
use super::rank::chance_of;
use super::run::BeamSearch;
use crate::Rng;
use crate::core::abort::Watch;
use crate::core::hash::stable_hash;
use crate::core::order;
use crate::core::solution::{MoveId, Solution};
use crate::erased::problem::{ErasedProblem, State};
use crate::search::step::Unfinished;
use std::cmp::Reverse;

/// States that are played to their ends side by side.
const PLACES: usize = 8;
/// States of a layer that are looked at where few children are known yet.
const SAMPLE: usize = 512;
/// The children that are ranked: this part of those that the run has met, and as many as `FEWEST` at least. Behind
/// that, games are random.
const PART: u64 = 32;
const FEWEST: u64 = 1_000;

/// A state on its way to an end.
struct Open {
    state: State,
    moves: Vec<MoveId>,
    /// Logarithm of the chance of the moves so far.
    chance: f64,
}

impl BeamSearch {
    /// Whether no pass has ended, and the present one has no finished solution.
    fn is_in_first_pass(&self) -> bool {
        self.round.number == 1 && self.round.at == 0 && self.pass.best.is_none() && !self.pass.layer.is_empty()
    }

    /// See [`Search::completion`](crate::search::Search::completion). The states of the present layer, or their
    /// children where most are expanded, are the first layer of a narrow beam. Nothing of the search changes, and a
    /// count of the run decides how far it goes: equal runs get equal solutions.
    pub(super) fn complete(&self, problem: &dyn ErasedProblem, run: &Unfinished) -> Option<Solution<MoveId>> {
        if self.has_trials() || !self.is_in_first_pass() {
            return None;
        }
        let mut layer = self.first_layer(problem);
        let all = (run.nodes / PART).max(FEWEST);
        let mut left = all;
        let (mut moves, mut chances, mut best) = (Vec::new(), Vec::new(), None);
        let mut depth = 0;
        while left > 0 && !layer.is_empty() && !run.is_over() {
            let mut children: Vec<(Ranked, usize, MoveId, f64)> = Vec::new();
            for (at, open) in layer.iter().enumerate() {
                moves.clear();
                problem.moves(&open.state, &mut moves);
                if moves.is_empty() {
                    self.offer(problem, open, &mut best);
                }
                left = left.saturating_sub(moves.len().max(1) as u64);
                self.judge.ranker.list_chances(problem, &open.state, &moves, &mut chances);
                for (place, &mv) in moves.iter().enumerate() {
                    let chance = open.chance + chance_of(&chances, place);
                    let origin = Origin { link: depth, at, place };
                    let rank = self.rank_child(problem, open, (mv, chance), origin, run);
                    children.extend(rank.map(|rank| (rank, at, mv, chance)));
                }
            }
            order::sort_by_key(&mut children, |&(rank, at, _, _)| Reverse((rank, at)));
            children.dedup_by_key(|&mut (rank, _, _, _)| rank);
            // Where the rest is long, it is played one by one.
            children.truncate(if left > all / 2 { PLACES } else { 1 });
            let next = children.into_iter().map(|(_, at, mv, chance)| {
                let Open { state, moves, .. } = &layer[at];
                let mut open = Open { state: state.clone(), moves: [moves.as_slice(), &[mv]].concat(), chance };
                problem.apply(&mut open.state, mv);
                open
            });
            layer = next.collect();
            depth += 1;
        }
        // Ranking the rest would take too long.
        let mut rng = Rng::new(stable_hash(&(self.pass.salt, depth)));
        for mut open in layer {
            loop {
                moves.clear();
                problem.moves(&open.state, &mut moves);
                if moves.is_empty() || Watch::leaves(Some(problem.watch()), open.moves.len()) {
                    break;
                }
                let mv = moves[rng.index(moves.len())];
                problem.apply(&mut open.state, mv);
                open.moves.push(mv);
            }
            if moves.is_empty() {
                self.offer(problem, &open, &mut best);
            }
        }
        best.filter(|_| !problem.has_failed())
    }

    /// Keeps a finished state if it is the best.
    fn offer(&self, problem: &dyn ErasedProblem, open: &Open, best: &mut Option<Solution<MoveId>>) {
        let score = problem.score(&open.state);
        if score.is_finite() && best.as_ref().is_none_or(|best| self.judge.sense.better(score, best.score)) {
            *best = Some(Solution { score, moves: open.moves.clone() });
        }
    }

    /// The best states to go on from.
    fn first_layer(&self, problem: &dyn ErasedProblem) -> Vec<Open> {
        let pass = &self.pass;
        let mut path = Vec::new();
        let mut reach = |link: u32, mv: Option<MoveId>, chance: f64| {
            self.path_to(link, &mut path);
            path.extend(mv);
            Open { state: self.after(problem, &path), moves: path.clone(), chance }
        };
        let mut children: Vec<_> = pass.children.iter().filter(|child| child.parent != NONE).collect();
        if 2 * pass.next >= pass.layer.len() && !children.is_empty() {
            order::sort_by_key(&mut children, |child| Reverse((child.merit, child.parent)));
            let best = children.into_iter().take(PLACES);
            return best
                .map(|child| reach(pass.layer[child.parent as usize].link, Some(child.mv), child.chance))
                .collect();
        }
        let step = pass.layer.len().div_ceil(SAMPLE);
        let sample = pass.layer.iter().step_by(step).map(|entry| reach(entry.link, None, entry.chance));
        let rank = |open: &Open| {
            let merit = self.judge.ranker.merit(problem, &open.state, || problem.bound(&open.state));
            let best = self.judge.ranker.best_rank(merit.unwrap_or(0.0));
            (best, self.judge.ranker.tie(problem, &open.state, open.chance))
        };
        let mut ranked: Vec<_> = sample.map(|open| (rank(&open), open)).collect();
        order::sort_by_key(&mut ranked, |(rank, _)| Reverse(*rank));
        ranked.into_iter().take(PLACES).map(|(_, open)| open).collect()
    }

    /// Ranks a child; `None`: it cannot be better than the incumbent.
    fn rank_child(
        &self,
        problem: &dyn ErasedProblem,
        open: &Open,
        (mv, chance): (MoveId, f64),
        origin: Origin,
        run: &Unfinished,
    ) -> Option<Ranked> {
        let mut child = open.state.clone();
        problem.apply(&mut child, mv);
        let measure = Measure { incumbent: run.incumbent, cut: 0, is_ahead: false };
        let worth = self.judge.judge(problem, &child, origin, measure, &mut Future::default())?.worth?;
        Some((worth.rank, self.judge.ranker.tie(problem, &child, chance), worth.mix))
    }
}
