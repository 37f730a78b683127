//! How methods stand: intervals of their means, gaps to the best known scores, ranks and wins.

use super::analysis::{Grid, mean, of_seed};
use super::record::Run;
use super::reference;
use soloist::Sense;
use soloist_domain::result::close;
use soloist_statistics::bootstrap;
use std::cmp::Ordering;

/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;
/// The seed of every bootstrap, so that a table is the same each time.
const SEED: u64 = 0;
/// A gap from here on is a score behind the best known one, and no rounding.
const SAME: f64 = 1e-9;

/// Where a method stands among the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) method: usize,
    /// Bootstrap interval of the mean over instances (over seeds, if there is one instance).
    pub(crate) interval: Option<(f64, f64)>,
    /// Against the best known scores; `None` where none of its instances has one.
    pub(crate) gap: Option<Gap>,
    /// Mean rank over the instances (seeds of a single one), 1 for the best, shared ranks averaged; with its wins.
    pub(crate) rank: Option<Rank>,
}

/// Scores against the best known ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gap {
    /// Mean over instances of the mean over seeds, as a part of the best known score.
    pub(crate) mean: f64,
    pub(crate) interval: Option<(f64, f64)>,
    /// Runs that reached the best known score, or a better one, of how many.
    pub(crate) reached: usize,
    pub(crate) runs: usize,
    /// Runs that are better than the best known score.
    pub(crate) beyond: usize,
}

/// Place among the methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rank {
    pub(crate) mean: f64,
    /// On how many instances (or seeds) it was the best; k methods that share the first place get 1/k each.
    pub(crate) wins: f64,
    /// On how many of them all methods have run.
    pub(crate) blocks: usize,
}

impl Grid {
    /// The standing of every method; `best_known` holds a score for each instance that has one.
    pub(crate) fn standings(&self, best_known: &[Option<f64>]) -> Vec<Standing> {
        let methods = self.methods();
        let ranks = self.ranks(&methods);
        let standing = |(&method, rank): (&usize, Option<Rank>)| Standing {
            method,
            interval: self.interval(method),
            gap: self.gap(method, best_known),
            rank,
        };
        methods.iter().zip(ranks).map(standing).collect()
    }

    /// The bootstrap interval of the mean of a method.
    pub(crate) fn interval(&self, method: usize) -> Option<(f64, f64)> {
        bootstrap(&self.sample(method), CONFIDENCE, SEED)
    }

    /// The scores that the mean of a method is over: means of instances, or the runs of a single instance.
    fn sample(&self, method: usize) -> Vec<f64> {
        let mut with: Vec<Vec<f64>> = self.by_instance(method).collect();
        if with.len() == 1 { with.swap_remove(0) } else { with.iter().filter_map(|scores| mean(scores)).collect() }
    }

    fn gap(&self, method: usize, best_known: &[Option<f64>]) -> Option<Gap> {
        let mut by_instance: Vec<Vec<f64>> = Vec::new();
        for &at in self.runs[method].keys() {
            let Some(best) = best_known[at] else { continue };
            let gaps = self.scores(method, at).into_iter().filter_map(|score| reference::gap(self.sense, score, best));
            by_instance.push(gaps.collect());
        }
        by_instance.retain(|gaps| !gaps.is_empty());
        let all = by_instance.concat();
        let sample = if by_instance.len() == 1 {
            all.clone()
        } else {
            by_instance.iter().filter_map(|gaps| mean(gaps)).collect()
        };
        Some(Gap {
            mean: mean(&sample)?,
            interval: bootstrap(&sample, CONFIDENCE, SEED),
            reached: all.iter().filter(|&&gap| gap <= SAME).count(),
            runs: all.len(),
            beyond: all.iter().filter(|&&gap| gap < -SAME).count(),
        })
    }

    /// Ranks of all methods over what every one of them has run.
    fn ranks(&self, methods: &[usize]) -> Vec<Option<Rank>> {
        let mut blocks = self.blocks(methods);
        if let [seeds] = &blocks[..] {
            // A single instance: its seeds are the sample.
            blocks =
                seeds[0].iter().enumerate().map(|(at, _)| seeds.iter().map(|runs| vec![runs[at]]).collect()).collect();
        }
        let mut sums = vec![(0.0, 0.0); methods.len()];
        for block in &blocks {
            let mut order: Vec<usize> = (0..methods.len()).collect();
            // Sorted by exact values, because equality within rounding is no order.
            order.sort_by(|&a, &b| self.better_of(&block[a], &block[b], |_, _| false));
            let mut before = 0;
            for group in order.chunk_by(|&a, &b| self.better_of(&block[a], &block[b], close) == Ordering::Equal) {
                let shared = before as f64 + (group.len() + 1) as f64 / 2.0;
                for &at in group {
                    sums[at].0 += shared;
                    sums[at].1 += if before == 0 { 1.0 / group.len() as f64 } else { 0.0 };
                }
                before += group.len();
            }
        }
        let count = blocks.len();
        let rank = |(rank, wins): (f64, f64)| Rank { mean: rank / count as f64, wins, blocks: count };
        sums.into_iter().map(|sums| (count > 0 && methods.len() > 1).then(|| rank(sums))).collect()
    }

    /// For each instance the runs of each method with the seeds that all methods have run soundly; instances without
    /// such seeds are left out.
    fn blocks(&self, methods: &[usize]) -> Vec<Vec<Vec<Run>>> {
        let Some(&first) = methods.first() else { return Vec::new() };
        let block = |at: &usize| {
            let cells: Vec<&Vec<(usize, Run)>> =
                methods.iter().map_while(|&method| self.runs[method].get(at)).collect();
            if cells.len() < methods.len() {
                return None;
            }
            let is_sound = |run: Option<Run>| run.is_some_and(|run| run.verified != Some(false));
            let seeds: Vec<usize> = cells[0].iter().map(|(seed, _)| *seed).collect();
            let seeds: Vec<usize> =
                seeds.into_iter().filter(|&seed| cells.iter().all(|cell| is_sound(of_seed(cell, seed)))).collect();
            let runs = |cell: &[(usize, Run)]| seeds.iter().filter_map(|&seed| of_seed(cell, seed)).collect();
            (!seeds.is_empty()).then(|| cells.iter().map(|cell| runs(cell)).collect())
        };
        self.runs[first].keys().filter_map(block).collect()
    }

    /// `Less` where `a` is better: more runs with a feasible solution, else the better mean, else the smaller
    /// violation. Scores that are the `same` are equal.
    fn better_of(&self, a: &[Run], b: &[Run], same: fn(f64, f64) -> bool) -> Ordering {
        let scores = |runs: &[Run]| runs.iter().filter_map(|run| run.score).collect::<Vec<_>>();
        let violation = |runs: &[Run]| {
            mean(&runs.iter().map(|run| run.violation.unwrap_or(f64::INFINITY)).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let (mine, theirs) = (scores(a), scores(b));
        theirs.len().cmp(&mine.len()).then_with(|| match (mean(&mine), mean(&theirs)) {
            (Some(a), Some(b)) if same(a, b) => Ordering::Equal,
            (Some(a), Some(b)) => match self.sense {
                Sense::Maximize => b.total_cmp(&a),
                Sense::Minimize => a.total_cmp(&b),
            },
            _ => violation(a).total_cmp(&violation(b)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::analysis::tests::{at, grid, run};

    #[test]
    fn ranks_and_wins_are_shared() {
        // On the first instance a wins, on the second all share the first place, on the third a and c are behind b.
        let a = vec![vec![at(3.0), at(5.0)], vec![at(1.0)], vec![at(2.0)]];
        let b = vec![vec![at(2.0), at(2.0)], vec![at(1.0)], vec![at(7.0)]];
        let c = vec![vec![at(1.0), at(1.0)], vec![at(1.0)], vec![at(2.0)]];
        let grid = grid(Sense::Maximize, vec![a, b, c]);
        let ranks: Vec<Rank> = grid.standings(&[None; 3]).into_iter().filter_map(|standing| standing.rank).collect();
        let third = 1.0 / 3.0;
        let expected = [(1.0 + 2.0 + 2.5, 1.0 + third), (2.0 + 2.0 + 1.0, 1.0 + third), (3.0 + 2.0 + 2.5, third)];
        for (rank, (sum, wins)) in ranks.iter().zip(expected) {
            assert!((rank.mean - sum / 3.0).abs() < 1e-12 && (rank.wins - wins).abs() < 1e-12, "{rank:?}");
            assert_eq!(rank.blocks, 3);
        }
        // Together they won every instance once.
        assert!((ranks.iter().map(|rank| rank.wins).sum::<f64>() - 3.0).abs() < 1e-12);
    }

    #[test]
    fn seeds_of_a_single_instance_are_ranked_and_holes_left_out() {
        let a = vec![vec![at(1.0), at(2.0), None, at(1.0)]];
        let b = vec![vec![at(2.0), at(2.0), at(9.0), run(None, Some(1.0))]];
        let grid = grid(Sense::Minimize, vec![a, b]);
        let [first, second] = &grid.standings(&[None])[..] else { panic!("two methods") };
        assert_eq!(first.rank, Some(Rank { mean: 3.5 / 3.0, wins: 2.5, blocks: 3 }));
        assert_eq!(second.rank, Some(Rank { mean: 5.5 / 3.0, wins: 0.5, blocks: 3 }));
    }

    #[test]
    fn gaps_are_averaged_over_instances() {
        let a = vec![vec![at(90.0), at(100.0)], vec![at(220.0)], vec![at(7.0)]];
        let grid = grid(Sense::Maximize, vec![a]);
        let [only] = &grid.standings(&[Some(100.0), Some(200.0), None])[..] else { panic!("one method") };
        let gap = only.gap.as_ref().unwrap();
        assert!((gap.mean - (0.05 - 0.1) / 2.0).abs() < 1e-12, "{gap:?}");
        assert_eq!((gap.reached, gap.runs, gap.beyond, only.rank), (2, 3, 1, None));
        let (low, high) = gap.interval.unwrap();
        assert!((-0.1..=0.05).contains(&low) && low < high && high <= 0.05 + 1e-12, "{low} {high}");
        assert_eq!(grid.standings(&[None; 3])[0].gap, None);
    }
}
