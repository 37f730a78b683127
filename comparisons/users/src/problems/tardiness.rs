//! Weighted tardiness: an order of 100 jobs on a machine, few and light ones late (the generator of OR-Library).

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, reorder};
use soloist::problem::{Dominance, Found, Key, Ordering};
use soloist::{Problem, Rng, Score, Sense};

const JOBS: usize = 100;

/// Times, weights and due dates.
pub(crate) struct Jobs(Vec<(u32, u32, u32)>);

#[derive(Clone)]
pub(crate) struct Done {
    done: u128,
    now: u32,
    delay: u32,
}

impl Jobs {
    fn delay(&self, job: usize, end: u32) -> u32 {
        self.0[job].1 * end.saturating_sub(self.0[job].2)
    }
    fn left(done: &Done) -> impl Iterator<Item = usize> {
        (0..JOBS).filter(move |job| done.done >> job & 1 == 0)
    }
    fn total(&self, order: &[usize]) -> u32 {
        let mut now = 0;
        let mut next = |&job: &usize| {
            now += self.0[job].0;
            self.delay(job, now)
        };
        order.iter().map(&mut next).sum()
    }
}

impl Instance for Jobs {
    /// Factor of tardiness 0.6, range of due dates 0.8.
    fn instance() -> Self {
        let mut rng = Rng::new(100);
        let jobs: Vec<_> = (0..JOBS).map(|_| (1 + rng.below(100) as u32, 1 + rng.below(10) as u32)).collect();
        let total = f64::from(jobs.iter().map(|job| job.0).sum::<u32>());
        Self(jobs.iter().map(|&(time, weight)| (time, weight, (total * 0.8 * rng.unit()) as u32)).collect())
    }
}

impl Problem for Jobs {
    type State = Done;
    /// The next job.
    type Move = usize;

    fn root(&self) -> Done {
        Done { done: 0, now: 0, delay: 0 }
    }
    fn moves(&self, done: &Done, moves: &mut Vec<usize>) {
        moves.extend(Self::left(done));
    }
    fn apply(&self, done: &mut Done, job: usize) {
        done.done |= 1 << job;
        done.now += self.0[job].0;
        done.delay += self.delay(job, done.now);
    }
    fn score(&self, done: &Done) -> Score {
        Score::Feasible(done.delay.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// No job that is left ends earlier than if it came next.
    fn bound(&self, done: &Done) -> Option<f64> {
        let late = Self::left(done).map(|job| self.delay(job, done.now + self.0[job].0));
        Some((done.delay + late.sum::<u32>()).into())
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Dominance<Jobs> for Jobs {
    fn future(&self, done: &Done) -> (Key, f64) {
        (Key::of(&done.done), done.delay.into())
    }
}

impl Ordering<Jobs> for Jobs {
    fn identity(&self, _: &Done, job: usize) -> u64 {
        job as u64
    }
    fn find(&self, done: &Done, job: u64) -> Found<usize> {
        let is_left = job < JOBS as u64 && done.done >> job & 1 == 0;
        if is_left { Found::Move(job as usize) } else { Found::Gone }
    }
}

impl ByHand for Jobs {
    /// Descents by swaps and insertions; before each of them, a few random ones on the best order.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<usize> {
        let mut best: Vec<usize> = (0..JOBS).collect();
        best.sort_by_key(|&job| self.0[job].2);
        let mut least = self.total(&best);
        while !clock.is_over() {
            let mut order = best.clone();
            (0..4).for_each(|_| reorder(&mut order, rng));
            let (mut value, mut idle) = (self.total(&order), 0);
            while idle < 4 * JOBS * JOBS && !clock.is_over() {
                let before = order.clone();
                reorder(&mut order, rng);
                let next = self.total(&order);
                idle = if next < value { 0 } else { idle + 1 };
                if next <= value {
                    value = next;
                } else {
                    order = before;
                }
            }
            if value <= least {
                (least, best) = (value, order);
            }
        }
        best
    }
}
