//! Job shops as a problem: operations are placed one after the other, each as early as it can begin.

use super::graph::Graph;
use soloist::problem::{Dominance, Entrant, Extras, Facts, Found, Key, Neighborhood, Ordering, Prior};
use soloist::{Problem, Score, Sense};

#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) machine: usize,
    pub(crate) time: u32,
    /// The time of the job's operations after this one.
    pub(crate) tail: u32,
}

/// A shop of at most `N` jobs and `N` machines.
pub(crate) struct Shop<const N: usize> {
    pub(crate) jobs: Vec<Vec<Operation>>,
    pub(crate) machines: usize,
    /// Whether all schedules are active. Exact searches then have less to choose from; annealing is freer without.
    pub(crate) active: bool,
}

/// Operations of each job that are placed, and when jobs and machines are free.
#[derive(Clone)]
pub(crate) struct Schedule<const N: usize> {
    placed: [u8; N],
    job: [u32; N],
    machine: [u32; N],
    end: u32,
}

impl<const N: usize> Shop<N> {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut numbers = lines.flat_map(str::split_whitespace).map(|word| word.parse::<u32>().ok());
        let mut next = |most: u32| numbers.next()?.filter(|&number| number <= most);
        let mut some = || next(N as u32).filter(|&number| number > 0);
        let (jobs, machines) = (some()?, some()? as usize);
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
        numbers.next().is_none().then_some(shop)
    }

    /// The next operation of each job that is not finished, with the time at which it can start.
    fn ready<'a>(&'a self, at: &'a Schedule<N>) -> impl Iterator<Item = (usize, Operation, u32)> + 'a {
        let next = |(job, operations): (usize, &'a Vec<Operation>)| {
            let operation = *operations.get(usize::from(at.placed[job]))?;
            Some((job, operation, at.job[job].max(at.machine[operation.machine])))
        };
        self.jobs.iter().enumerate().filter_map(next)
    }
}

impl<const N: usize> Problem for Shop<N> {
    type State = Schedule<N>;
    /// The job whose next operation is placed.
    type Move = u8;

    fn root(&self) -> Schedule<N> {
        Schedule { placed: [0; N], job: [0; N], machine: [0; N], end: 0 }
    }
    /// Any job; or, after B. Giffler and G. L. Thompson, Operations Research 8, 1960, the jobs that could start on the
    /// machine of the operation that can end first, before that end.
    fn moves(&self, at: &Schedule<N>, moves: &mut Vec<u8>) {
        if !self.active {
            return moves.extend(self.ready(at).map(|(job, ..)| job as u8));
        }
        let first = self.ready(at).map(|(_, operation, start)| (start + operation.time, operation.machine)).min();
        let Some((end, machine)) = first else { return };
        let rival = |&(_, operation, start): &(usize, Operation, u32)| {
            // An operation that takes no time may be the first to end, and then starts at that end.
            operation.machine == machine && (start < end || start + operation.time == end)
        };
        moves.extend(self.ready(at).filter(rival).map(|(job, ..)| job as u8));
    }
    fn apply(&self, at: &mut Schedule<N>, job: u8) {
        let job = usize::from(job);
        let Operation { machine, time, .. } = self.jobs[job][usize::from(at.placed[job])];
        let end = at.job[job].max(at.machine[machine]) + time;
        (at.job[job], at.machine[machine], at.end) = (end, end, at.end.max(end));
        at.placed[job] += 1;
    }
    fn score(&self, at: &Schedule<N>) -> Score {
        Score::Feasible(at.end.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// Each machine: its earliest start, all that it has to do, and the shortest way to the end after that.
    fn bound(&self, at: &Schedule<N>) -> Option<f64> {
        let (mut start, mut work, mut tail) = ([u32::MAX; N], [0; N], [u32::MAX; N]);
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
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn code(&self, at: &Schedule<N>, job: u8) -> u64 {
        u64::from(job) * N as u64 + u64::from(at.placed[usize::from(job)])
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        (!self.active).then_some(self as &dyn Ordering<Self>)
    }
    /// Annealing edits the graph of a schedule in place; without that (`local=false`) it replays what the graph
    /// suggests.
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        (!self.active).then(|| Box::new(Graph::default()) as Box<dyn Neighborhood<Self>>)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts { code_count: Some((N * N) as u32), ..Facts::default() }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl<const N: usize> Extras<Self> for Shop<N> {
    /// Long coolings, and more than one where there is time for it.
    fn portfolio(&self) -> Vec<Entrant> {
        if self.active { Vec::new() } else { vec![Entrant::new("anneal").set("depth", 100_000).set("most", 10)] }
    }
}

impl<const N: usize> Prior<Shop<N>> for Shop<N> {
    /// Jobs with much left go first.
    fn bias(&self, at: &Schedule<N>, job: u8) -> f64 {
        let job = usize::from(job);
        let operation = self.jobs[job][usize::from(at.placed[job])];
        f64::from(operation.tail + operation.time) / f64::from(self.jobs[job][0].tail + self.jobs[job][0].time).max(1.0)
    }
}

impl<const N: usize> Dominance<Shop<N>> for Shop<N> {
    /// With the same operations placed, a schedule is better when no job and no machine is free later.
    fn future(&self, at: &Schedule<N>) -> (Key, f64) {
        (Key::of(&at.placed), at.end.into())
    }
    fn resources(&self, at: &Schedule<N>, resources: &mut Vec<f64>) {
        resources.extend(self.ready(at).map(|(job, ..)| f64::from(at.job[job])));
        resources.extend(at.machine[..self.machines].iter().map(|&free| f64::from(free)));
    }
}

impl<const N: usize> Ordering<Shop<N>> for Shop<N> {
    /// Annealing replays the order of the jobs: each time a job comes, its next operation is placed.
    fn identity(&self, _: &Schedule<N>, job: u8) -> u64 {
        job.into()
    }
    fn find(&self, at: &Schedule<N>, job: u64) -> Found<u8> {
        let is_open = (job as usize) < self.jobs.len() && usize::from(at.placed[job as usize]) < self.machines;
        if is_open { Found::Move(job as u8) } else { Found::Gone }
    }
    fn suggest(&self, moves: &[u8], edits: &mut Vec<(usize, usize)>) -> bool {
        Graph::new(self, moves).suggest(edits);
        true
    }
}
