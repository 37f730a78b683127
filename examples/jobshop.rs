//! Job shop scheduling: the shortest schedule of jobs on machines (JSPLIB text: jobs, machines, then the operations of
//! each job as machine and time).

#[path = "common/mod.rs"]
mod common;

use soloist::{Found, Problem, Score, Sense, stable_hash};

/// A number for each job or machine; at most 32 of them.
type Row = [u32; 32];

#[derive(Clone, Copy)]
struct Operation {
    machine: usize,
    time: u32,
    /// The time of the job's operations after this one.
    tail: u32,
}

struct Shop {
    jobs: Vec<Vec<Operation>>,
    machines: usize,
    /// Whether all schedules are active. Exact searches then have less to choose from; annealing is freer without.
    active: bool,
}

/// Operations of each job that are placed, and when jobs and machines are free.
#[derive(Clone)]
struct Schedule {
    placed: [u8; 32],
    job: Row,
    machine: Row,
    end: u32,
}

impl Shop {
    fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut numbers = lines.flat_map(str::split_whitespace).map(|word| word.parse::<u32>().ok());
        let mut next = |most: u32| numbers.next()?.filter(|&number| number <= most);
        let (jobs, machines) = (next(32)?, next(32)? as usize);
        let mut shop = Self { jobs: Vec::new(), machines, active: true };
        for _ in 0..jobs {
            let mut job = Vec::new();
            for _ in 0..machines {
                let machine = next(machines as u32 - 1)? as usize;
                job.push(Operation { machine, time: next(1 << 20)?, tail: 0 });
            }
            (1..machines).rev().for_each(|at| job[at - 1].tail = job[at].tail + job[at].time);
            shop.jobs.push(job);
        }
        Some(shop)
    }

    /// The next operation of each job that is not finished, with the time at which it can start.
    fn ready<'a>(&'a self, at: &'a Schedule) -> impl Iterator<Item = (usize, Operation, u32)> + 'a {
        let next = |(job, operations): (usize, &'a Vec<Operation>)| {
            let operation = *operations.get(usize::from(at.placed[job]))?;
            Some((job, operation, at.job[job].max(at.machine[operation.machine])))
        };
        self.jobs.iter().enumerate().filter_map(next)
    }
}

impl Problem for Shop {
    type State = Schedule;
    /// The job whose next operation is placed.
    type Move = u8;

    fn root(&self) -> Schedule {
        Schedule { placed: [0; 32], job: [0; 32], machine: [0; 32], end: 0 }
    }
    /// Any job; or, after B. Giffler and G. L. Thompson, Operations Research 8, 1960, the jobs that could start on the
    /// machine of the operation that can end first, before that end.
    fn moves(&self, at: &Schedule, moves: &mut Vec<u8>) {
        if !self.active {
            return moves.extend(self.ready(at).map(|(job, ..)| job as u8));
        }
        let first = self.ready(at).map(|(_, operation, start)| (start + operation.time, operation.machine)).min();
        let Some((end, machine)) = first else { return };
        let rival = |&(_, operation, start): &(usize, Operation, u32)| operation.machine == machine && start < end;
        moves.extend(self.ready(at).filter(rival).map(|(job, ..)| job as u8));
    }
    fn apply(&self, at: &mut Schedule, job: u8) {
        let job = usize::from(job);
        let Operation { machine, time, .. } = self.jobs[job][usize::from(at.placed[job])];
        let end = at.job[job].max(at.machine[machine]) + time;
        (at.job[job], at.machine[machine], at.end) = (end, end, at.end.max(end));
        at.placed[job] += 1;
    }
    fn score(&self, at: &Schedule) -> Score {
        Score::Feasible(at.end.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// Each machine: its earliest start, all that it has to do, and the shortest way to the end after that.
    fn bound(&self, at: &Schedule) -> Option<f64> {
        let (mut start, mut work, mut tail) = ([u32::MAX; 32], [0; 32], [u32::MAX; 32]);
        let mut bound = at.end;
        for (job, operations) in self.jobs.iter().enumerate() {
            let mut free = at.job[job];
            for operation in &operations[usize::from(at.placed[job])..] {
                let machine = operation.machine;
                free = free.max(at.machine[machine]);
                start[machine] = start[machine].min(free);
                work[machine] += operation.time;
                tail[machine] = tail[machine].min(operation.tail);
                free += operation.time;
            }
            bound = bound.max(free);
        }
        let used = (0..self.machines).filter(|&machine| work[machine] > 0);
        Some(used.map(|machine| start[machine] + work[machine] + tail[machine]).fold(bound, u32::max).into())
    }
    /// With the same operations placed, a schedule is better when no job and no machine is free later.
    fn future(&self, at: &Schedule) -> Option<(u64, f64)> {
        Some((stable_hash(&at.placed), at.end.into()))
    }
    fn resources(&self, at: &Schedule, resources: &mut Vec<f64>) {
        resources.extend(self.ready(at).map(|(job, ..)| f64::from(at.job[job])));
        resources.extend(at.machine[..self.machines].iter().map(|&free| f64::from(free)));
    }
    fn code(&self, at: &Schedule, job: u8) -> u64 {
        u64::from(job) * 32 + u64::from(at.placed[usize::from(job)])
    }
    fn codes(&self) -> Option<u32> {
        Some(32 * 32)
    }
    /// Annealing replays the order of the jobs: each time a job comes, its next operation is placed.
    fn identity(&self, _: &Schedule, job: u8) -> Option<u64> {
        (!self.active).then_some(job.into())
    }
    fn find(&self, at: &Schedule, job: u64) -> Found<u8> {
        let left = self
            .jobs
            .get(job as usize)
            .is_some_and(|operations| usize::from(at.placed[job as usize]) < operations.len());
        if !self.active && left { Found::Move(job as u8) } else { Found::Gone }
    }
    /// One long cooling.
    fn portfolio(&self) -> String {
        if self.active { String::new() } else { "anneal(runs=1)".into() }
    }
    /// An operation of a critical block moves to its begin or its end (E. Balas and A. Vazacopoulos, Management Science
    /// 44, 1998): nothing else can make the schedule shorter.
    fn suggest(&self, moves: &[u8], edits: &mut Vec<(usize, usize)>) -> bool {
        let mut at = self.root();
        let (mut on_job, mut on_machine) = ([None; 32], [None; 32]);
        // The operations before on the same job and machine, begin and end.
        let mut all: Vec<(Option<usize>, Option<usize>, u32, u32)> = Vec::with_capacity(moves.len());
        for (place, &job) in moves.iter().enumerate() {
            let Operation { machine, time, .. } = self.jobs[usize::from(job)][usize::from(at.placed[usize::from(job)])];
            self.apply(&mut at, job);
            let end = at.job[usize::from(job)];
            let before = (on_job[usize::from(job)].replace(place), on_machine[machine].replace(place));
            all.push((before.0, before.1, end - time, end));
        }
        let mut next = (0..all.len()).find(|&place| all[place].3 == at.end);
        let mut block = Vec::new();
        while let Some(place) = next {
            let (on_job, on_machine, begin, _) = all[place];
            block.push(place);
            let is_tight = |before: &usize| all[*before].3 == begin;
            next = on_machine.filter(is_tight);
            if next.is_none() {
                next = on_job.filter(is_tight);
                let (last, first) = (block[0], place);
                edits.extend(block[1..].iter().map(|&from| (from, last)));
                edits.extend(block[..block.len() - 1].iter().map(|&from| (from, first)));
                block.clear();
            }
        }
        true
    }
    /// Jobs with much left go first.
    fn bias(&self, at: &Schedule, job: u8) -> f64 {
        let job = usize::from(job);
        let operation = self.jobs[job][usize::from(at.placed[job])];
        f64::from(operation.tail + operation.time) / f64::from(self.jobs[job][0].tail + self.jobs[job][0].time).max(1.0)
    }
}

const FT06: &str = "6 6
    2  1  0  3  1  6  3  7  5  3  4  6      1  8  2  5  4 10  5 10  0 10  3  4
    2  5  3  4  5  8  0  9  1  1  4  7      1  5  0  5  2  5  3  3  4  8  5  9
    2  9  1  3  4  5  5  4  0  3  3  1      1  3  3  3  5  9  0 10  4  4  2  1";

fn main() {
    let run = common::arguments("anneal");
    let mut shop = run.load(FT06, Shop::parse);
    shop.active = !matches!(run.preset(), "anneal" | "auto");
    run.solve(&shop);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Shop::parse(FT06).unwrap();
        common::prove(&problem, 55.0, &["cabs", "dfs"]);
        let free = Shop { active: false, ..problem };
        soloist::check(&free, 100, 1).unwrap();
        let budget = soloist::Budget::playouts(50_000);
        let annealed =
            soloist::Solver::new(&free, soloist::Setup::preset("anneal").unwrap()).budget(budget).run().unwrap();
        assert_eq!(annealed.best.unwrap().score, Score::Feasible(55.0));
        assert!(Shop::parse("2 2 0 1 1").is_none());
    }
}
