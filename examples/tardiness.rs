//! Weighted tardiness on one machine: the order of jobs whose weighted delays are least (the format of the OR-Library:
//! the number of jobs, then processing times, weights and due dates).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Found, Ordering};
use soloist::{Problem, Score, Sense};

struct Jobs {
    time: Vec<u32>,
    weight: Vec<u32>,
    due: Vec<u32>,
}

/// The jobs done, their time and the delays so far.
#[derive(Clone)]
struct Done {
    done: Vec<bool>,
    now: u32,
    delay: u64,
    left: usize,
}

impl Jobs {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&count, numbers) = numbers.split_first().filter(|(count, _)| (1..=5_000).contains(*count))?;
        let count = count as usize;
        if numbers.len() != 3 * count || numbers.iter().any(|number| *number > 100_000) {
            return None;
        }
        let part = |at: usize| numbers[at * count..(at + 1) * count].to_vec();
        Some(Self { time: part(0), weight: part(1), due: part(2) })
    }

    fn delay(&self, job: usize, end: u32) -> u64 {
        u64::from(self.weight[job]) * u64::from(end.saturating_sub(self.due[job]))
    }
}

impl Problem for Jobs {
    type State = Done;
    /// The next job.
    type Move = u16;

    fn root(&self) -> Done {
        Done { done: vec![false; self.time.len()], now: 0, delay: 0, left: self.time.len() }
    }
    fn moves(&self, state: &Done, moves: &mut Vec<u16>) {
        moves.extend((0..self.time.len()).filter(|&job| !state.done[job]).map(|job| job as u16));
    }
    fn apply(&self, state: &mut Done, job: u16) {
        let job = usize::from(job);
        state.done[job] = true;
        state.now += self.time[job];
        state.delay += self.delay(job, state.now);
        state.left -= 1;
    }
    fn score(&self, state: &Done) -> Score {
        Score::Feasible(state.delay as f64)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// No job that is left ends earlier than if it came next.
    fn bound(&self, state: &Done) -> Option<f64> {
        let left = (0..self.time.len()).filter(|&job| !state.done[job]);
        Some((state.delay + left.map(|job| self.delay(job, state.now + self.time[job])).sum::<u64>()) as f64)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Ordering<Jobs> for Jobs {
    fn identity(&self, _: &Done, job: u16) -> u64 {
        job.into()
    }
    fn find(&self, state: &Done, job: u64) -> Found<u16> {
        match state.done.get(job as usize) {
            Some(false) => Found::Move(job as u16),
            _ => Found::Gone,
        }
    }
}

const SIX: &str = "6  26 24 79 46 32 35  1 10 9 10 10 4  80 60 110 140 90 130";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(SIX, Jobs::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least delay of the jobs that are not in the set, by trying every one of them as the last one.
    fn least(jobs: &Jobs, set: u32) -> u64 {
        let held = || (0..6).filter(|job| set >> job & 1 == 1);
        let end = held().map(|job| jobs.time[job]).sum();
        held().map(|job| least(jobs, set & !(1 << job)) + jobs.delay(job, end)).min().unwrap_or(0)
    }

    #[test]
    fn proves_the_best_order_of_all() {
        let jobs = Jobs::parse(SIX).unwrap();
        common::prove(&jobs, least(&jobs, 63) as f64, &["dfs", "cabs"]);
        assert!(Jobs::parse("2  1 2  3 4  5").is_none());
    }
}
