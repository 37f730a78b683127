//! Sequential ordering: the cheapest order of jobs under precedence constraints (TSPLIB `.sop`).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Facts, Found, Key, Ordering, Prior};
use soloist::{Problem, Score, Sense};

/// A set of at most 256 jobs.
type Set = [u64; 4];

/// What it costs to do a job after another (`None`: never directly), and what must be done before it.
struct Orders {
    cost: Vec<Vec<Option<u32>>>,
    before: Vec<Set>,
    /// The least cost of a step to each job, and from it.
    to: Vec<u32>,
    from: Vec<u32>,
}

/// The jobs done, the last of them, and what the others cost at least by the steps to them and from them.
#[derive(Clone)]
struct Sequence {
    done: Set,
    last: usize,
    cost: u32,
    to: u32,
    from: u32,
}

fn has(set: &Set, job: usize) -> bool {
    set[job / 64] >> (job % 64) & 1 == 1
}

impl Orders {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_once("EDGE_WEIGHT_SECTION")?.1.split_whitespace().map_while(|n| n.parse().ok());
        let count = numbers.next().filter(|count| (2..=256).contains(count))? as usize;
        let matrix: Vec<i32> = numbers.collect();
        if matrix.len() != count * count || matrix.iter().any(|cost| !(-1..=2_000_000).contains(cost)) {
            return None;
        }
        // -1: the second job comes before the first, and with it all that must come before that.
        let mut before = vec![Set::default(); count];
        for (at, _) in matrix.iter().enumerate().filter(|(_, cost)| **cost < 0) {
            before[at / count][at % count / 64] |= 1 << (at % count % 64);
        }
        for middle in 0..count {
            let earlier = before[middle];
            for set in before.iter_mut().filter(|set| has(set, middle)) {
                (0..4).for_each(|word| set[word] |= earlier[word]);
            }
        }
        // No job fits between two that follow each other directly.
        let between = |a: usize, b: usize| (0..count).any(|job| has(&before[job], a) && has(&before[b], job));
        let free = |a: usize, b: usize| a != b && !has(&before[a], b) && !between(a, b);
        let price = |a: usize, b: usize| free(a, b).then(|| matrix[a * count + b] as u32);
        let cost: Vec<Vec<_>> = (0..count).map(|a| (0..count).map(|b| price(a, b)).collect()).collect();
        let to = (0..count).map(|b| cost.iter().filter_map(|row| row[b]).min().unwrap_or(0)).collect();
        let from = cost.iter().map(|row| row.iter().flatten().min().copied().unwrap_or(0)).collect();
        Some(Self { cost, before, to, from })
    }
}

impl Problem for Orders {
    type State = Sequence;
    /// The next job.
    type Move = u16;

    fn root(&self) -> Sequence {
        let (to, from) = (self.to[1..].iter().sum(), self.from.iter().sum());
        Sequence { done: [1, 0, 0, 0], last: 0, cost: 0, to, from }
    }
    fn moves(&self, at: &Sequence, moves: &mut Vec<u16>) {
        let ready = |job: &usize| (0..4).all(|word| self.before[*job][word] & !at.done[word] == 0);
        moves.extend((1..self.cost.len()).filter(|&job| !has(&at.done, job)).filter(ready).map(|job| job as u16));
    }
    fn apply(&self, at: &mut Sequence, job: u16) {
        let job = usize::from(job);
        at.cost += self.cost[at.last][job].unwrap_or(0);
        at.to -= self.to[job];
        at.from -= self.from[at.last];
        at.done[job / 64] |= 1 << (job % 64);
        at.last = job;
    }
    fn score(&self, at: &Sequence) -> Score {
        Score::Feasible(at.cost.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, at: &Sequence) -> Option<f64> {
        Some((at.cost + at.to.max(at.from)).into())
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
    fn code(&self, at: &Sequence, job: u16) -> u64 {
        (at.last * self.cost.len()) as u64 + u64::from(job)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts { code_count: Some((self.cost.len() * self.cost.len()) as u32), ..Facts::default() }
    }
}

impl Prior<Orders> for Orders {
    /// A step that costs much more than the cheapest one to the same job is unlikely.
    fn bias(&self, at: &Sequence, job: u16) -> f64 {
        let (cost, least) = (self.cost[at.last][usize::from(job)].unwrap_or(0), self.to[usize::from(job)]);
        -f64::from(cost - least) * self.cost.len() as f64 / f64::from(self.to.iter().sum::<u32>().max(1))
    }
}

impl Dominance<Orders> for Orders {
    /// What is open depends on the jobs done and the last of them; then the cheaper sequence is better.
    fn future(&self, at: &Sequence) -> (Key, f64) {
        (Key::of(&(at.done, at.last)), at.cost.into())
    }
}

impl Ordering<Orders> for Orders {
    /// A job is the same thing wherever it stands in the order.
    fn identity(&self, _: &Sequence, job: u16) -> u64 {
        job.into()
    }
    fn find(&self, at: &Sequence, job: u64) -> Found<u16> {
        let Some(before) = self.before.get(job as usize).filter(|_| job > 0 && !has(&at.done, job as usize)) else {
            return Found::Gone;
        };
        let ready = (0..4).all(|word| before[word] & !at.done[word] == 0);
        if ready { Found::Move(job as u16) } else { Found::Blocked }
    }
    /// A step costs the same wherever it stands.
    fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64> {
        let job = |job: Option<u64>| job.map_or(0, |job| job as usize);
        let Some(_) = behind else { return Some(0.0) };
        Some(self.cost[job(before)][job(behind)].map_or(f64::INFINITY, f64::from))
    }
}

const ESC07: &str = "EDGE_WEIGHT_SECTION 9  0 0 0 0 0 0 0 0 1000000
    -1 0 100 200 75 0 300 100 0     -1 400 0 500 325 400 600 0 0    -1 700 800 0 550 700 900 800 0
    -1 -1 250 225 0 275 525 250 0   -1 -1 100 200 -1 0 -1 -1 0      -1 -1 1100 1200 1075 1000 0 1100 0
    -1 -1 0 500 325 400 600 0 0     -1 -1 -1 -1 -1 -1 -1 -1 0";

fn main() {
    let run = common::arguments("cabs");
    run.solve(&run.load(ESC07, Orders::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Orders::parse(ESC07).unwrap();
        common::prove(&problem, 2125.0, &["cabs", "dfs", "best-first", "ida-star"]);
        assert!(Orders::parse("EDGE_WEIGHT_SECTION 3 0 1").is_none());
    }
}
