//! The neighbourhood N6 of job shops: an operation of a critical block moves to the start or the end of its block (E.
//! Balas and A. Vazacopoulos, Management Science 44, 1998). No other single move on a machine shortens the critical
//! path.

use super::model::Shop;
use soloist::Rng;
use soloist::problem::{Acceptance, Edits, Neighborhood};
use soloist::run::CheckpointError;

/// What a schedule says of an operation.
#[derive(Clone, Copy, Default)]
struct Node {
    machine_predecessor: u16,
    machine_successor: u16,
    /// Its position in the order.
    position: u16,
    /// The length of a longest path from the start of the schedule to the start of the operation.
    head: u32,
    /// The length of a longest path from the end of the operation to the end of the schedule.
    tail: u32,
}

/// A schedule. Operations have numbers, job after job; the number behind the last one stands for none.
#[derive(Default)]
struct Schedule {
    nodes: Vec<Node>,
    /// All operations, none before one that it waits for.
    order: Vec<u16>,
    makespan: u32,
}

/// Moves an operation of a block to its other end: the first one behind the last, or the last one before the first.
#[derive(Clone, Copy)]
struct Insertion {
    first: u16,
    last: u16,
    forward: bool,
}

/// The present schedule and the one that is proposed.
#[derive(Default)]
pub(crate) struct Graph {
    time: Vec<u32>,
    machine: Vec<usize>,
    job_predecessor: Vec<u16>,
    job_successor: Vec<u16>,
    present: Schedule,
    proposed: Schedule,
    /// The insertions of one critical path of the present schedule; empty: not listed yet. `seed` draws the path.
    insertions: Vec<Insertion>,
    seed: u64,
    /// The operations of a block in their new order, and their new heads.
    block: Vec<u16>,
    heads: Vec<u32>,
    /// A part of the order, as it will be; what of it depends on the operation that is moved.
    part: Vec<u16>,
    dependent: Vec<u16>,
    marked: Vec<bool>,
}

impl Graph {
    pub(crate) fn new<const N: usize>(shop: &Shop<N>, moves: &[u8]) -> Self {
        let (width, count) = (shop.machines, shop.jobs.len() * shop.machines);
        let none = count as u16;
        let mut graph = Self {
            time: shop.jobs.iter().flatten().map(|operation| operation.time).chain([0]).collect(),
            machine: shop.jobs.iter().flatten().map(|operation| operation.machine).collect(),
            job_predecessor: (0..=none).map(|o| if usize::from(o) % width == 0 { none } else { o - 1 }).collect(),
            job_successor: (1..=none)
                .map(|o| if usize::from(o) % width == 0 { none } else { o })
                .chain([none])
                .collect(),
            marked: vec![false; count + 1],
            ..Self::default()
        };
        let empty = Node { machine_predecessor: none, machine_successor: none, ..Node::default() };
        let mut plan = Schedule { nodes: vec![empty; count + 1], ..Schedule::default() };
        let (mut placed, mut last) = (vec![0; shop.jobs.len()], vec![none; width]);
        for &job in moves {
            let operation = usize::from(job) * width + placed[usize::from(job)];
            placed[usize::from(job)] += 1;
            plan.order.push(operation as u16);
            let before = std::mem::replace(&mut last[graph.machine[operation]], operation as u16);
            plan.nodes[operation].machine_predecessor = before;
            plan.nodes[usize::from(before)].machine_successor = operation as u16;
        }
        plan.nodes[count] = empty;
        graph.update_heads_and_tails(&mut plan, 0, count);
        graph.present = plan;
        graph
    }

    /// The end of an operation, and the longest path from its start to the end of the schedule.
    fn end(&self, plan: &Schedule, operation: u16) -> u32 {
        plan.nodes[usize::from(operation)].head + self.time[usize::from(operation)]
    }
    fn rest(&self, plan: &Schedule, operation: u16) -> u32 {
        plan.nodes[usize::from(operation)].tail + self.time[usize::from(operation)]
    }

    /// Computes heads and tails after the order has changed between two positions.
    fn update_heads_and_tails(&self, plan: &mut Schedule, from: usize, to: usize) {
        for at in from..plan.order.len() {
            let o = usize::from(plan.order[at]);
            plan.nodes[o].position = at as u16;
            plan.nodes[o].head =
                self.end(plan, self.job_predecessor[o]).max(self.end(plan, plan.nodes[o].machine_predecessor));
        }
        for at in (0..to).rev() {
            let o = usize::from(plan.order[at]);
            plan.nodes[o].tail =
                self.rest(plan, self.job_successor[o]).max(self.rest(plan, plan.nodes[o].machine_successor));
        }
        plan.makespan = plan.order.iter().map(|&o| self.end(plan, o)).max().unwrap_or(0);
    }

    /// Lists the insertions of the blocks of a critical path, which is drawn.
    fn list_insertions(&mut self, seed: u64) {
        self.seed = seed;
        let mut rng = Rng::new(seed);
        let (plan, none) = (&self.present, self.present.order.len() as u16);
        let mut ends = plan.order.iter().copied().filter(|&o| self.end(plan, o) == plan.makespan);
        let (mut path, mut ended) = (ends.next(), false);
        // Paths are equally critical: any will do, but not always the same.
        for (others, operation) in (2..).zip(ends) {
            path = if rng.index(others) == 0 { Some(operation) } else { path };
        }
        self.insertions.clear();
        self.block.clear();
        while let Some(operation) = path {
            self.block.push(operation);
            let is_tight = |&o: &u16| o != none && self.end(plan, o) == plan.nodes[usize::from(operation)].head;
            let before = Some(plan.nodes[usize::from(operation)].machine_predecessor).filter(is_tight);
            let previous = Some(self.job_predecessor[usize::from(operation)]).filter(is_tight);
            path = if before.is_some() && (previous.is_none() || rng.index(2) == 0) { before } else { previous };
            if path.is_some() && path == before {
                continue;
            }
            // The block ends here, its last operation listed first. Nothing is gained at the start of the first block
            // and at the end of the last one; a pair is turned by one insertion.
            let (first, last) = (operation, self.block[0]);
            let is_pair = self.block.len() == 2;
            if ended {
                let forward = |&o: &u16| Insertion { first: o, last, forward: true };
                self.insertions.extend(self.block[1..].iter().map(forward));
            }
            if path.is_some() && !(ended && is_pair) {
                let backward = |&o: &u16| Insertion { first, last: o, forward: false };
                self.insertions.extend(self.block[..self.block.len() - 1].iter().map(backward));
            }
            self.block.clear();
            ended = true;
        }
    }
}

impl Graph {
    /// Appends the insertions as edits of the order: the positions of what moves and of where it goes.
    pub(crate) fn suggest(&mut self, edits: &mut Vec<(usize, usize)>) {
        self.list_insertions(1);
        let position = |operation: u16| usize::from(self.present.nodes[usize::from(operation)].position);
        let edit = |insertion: &Insertion| (position(insertion.first), position(insertion.last), insertion.forward);
        let turned = |(first, last, forward)| if forward { (first, last) } else { (last, first) };
        edits.extend(self.insertions.iter().map(edit).map(turned));
    }

    /// Puts the block of an insertion into its new order. Returns an estimate of the longest path through the block:
    /// what comes before and behind it is taken as unchanged. The estimate may be too large or too small; it only
    /// decides which insertions are tried.
    fn estimate(&mut self, Insertion { first, last, forward }: Insertion) -> u32 {
        let plan = &self.present;
        self.block.clear();
        let mut operation = first;
        while operation != last {
            self.block.push(operation);
            operation = plan.nodes[usize::from(operation)].machine_successor;
        }
        self.block.push(last);
        if forward {
            self.block.rotate_left(1);
        } else {
            self.block.rotate_right(1);
        }
        let mut free = self.end(plan, plan.nodes[usize::from(first)].machine_predecessor);
        self.heads.clear();
        for &o in &self.block {
            let head = free.max(self.end(plan, self.job_predecessor[usize::from(o)]));
            self.heads.push(head);
            free = head + self.time[usize::from(o)];
        }
        let (mut rest, mut longest) = (self.rest(plan, plan.nodes[usize::from(last)].machine_successor), 0);
        for (&o, head) in self.block.iter().zip(&self.heads).rev() {
            rest = rest.max(self.rest(plan, self.job_successor[usize::from(o)])) + self.time[usize::from(o)];
            longest = longest.max(head + rest);
        }
        longest
    }

    /// Puts the part of the order between the two operations into an order that fits the insertion. Returns false when
    /// the insertion would close a circle.
    fn reorder(&mut self, Insertion { first, last, forward }: Insertion) -> bool {
        let Self { present: plan, machine, part, dependent, marked, .. } = self;
        let position = |operation: u16| usize::from(plan.nodes[usize::from(operation)].position);
        let (from, to) = (position(first), position(last));
        let (jobs, moved) = if forward { (&self.job_predecessor, first) } else { (&self.job_successor, last) };
        part.clear();
        let mut possible = true;
        for at in 0..=to - from {
            let operation = plan.order[if forward { from + at } else { to - at }];
            let o = usize::from(operation);
            let waits = marked[usize::from(jobs[o])];
            // Between the two positions, only the block is on this machine.
            let inside = machine[o] == machine[usize::from(moved)];
            if operation == moved
                || !inside
                    && (waits
                        || marked[usize::from(if forward {
                            plan.nodes[o].machine_predecessor
                        } else {
                            plan.nodes[o].machine_successor
                        })])
            {
                marked[o] = true;
                dependent.push(operation);
            } else {
                possible &= !(inside && waits);
                part.push(operation);
            }
        }
        dependent.iter().for_each(|&o| marked[usize::from(o)] = false);
        part.append(dependent);
        if !forward {
            part.reverse();
        }
        possible
    }

    /// Makes the schedule with the block and the part of the order as they are now.
    fn make(&mut self, Insertion { first, last, .. }: Insertion) {
        let mut plan = std::mem::take(&mut self.proposed);
        plan.nodes.clone_from(&self.present.nodes);
        plan.order.clone_from(&self.present.order);
        let mut before = plan.nodes[usize::from(first)].machine_predecessor;
        let behind = plan.nodes[usize::from(last)].machine_successor;
        for &o in self.block.iter().chain([&behind]) {
            plan.nodes[usize::from(o)].machine_predecessor = before;
            plan.nodes[usize::from(before)].machine_successor = o;
            before = o;
        }
        let none = plan.order.len();
        plan.nodes[none] = self.present.nodes[none];
        let from = usize::from(plan.nodes[usize::from(first)].position);
        plan.order[from..from + self.part.len()].copy_from_slice(&self.part);
        self.update_heads_and_tails(&mut plan, from, from + self.part.len());
        self.proposed = plan;
    }
}

impl<const N: usize> Edits<Shop<N>> for Graph {
    fn propose(&mut self, _: &Shop<N>, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        if self.insertions.is_empty() {
            self.list_insertions(acceptance.rng.next_u64());
        }
        let insertion = *self.insertions.get(acceptance.rng.index(self.insertions.len().max(1)))?;
        let present = f64::from(self.present.makespan);
        if f64::from(self.estimate(insertion)) - present >= acceptance.limit().max(0.5) || !self.reorder(insertion) {
            return None;
        }
        self.make(insertion);
        Some(f64::from(self.proposed.makespan) - present)
    }
    fn accept(&mut self, _: &Shop<N>) {
        std::mem::swap(&mut self.present, &mut self.proposed);
        self.insertions.clear();
    }
    fn reject(&mut self, _: &Shop<N>) {}
}

impl<const N: usize> Neighborhood<Shop<N>> for Graph {
    fn start(&mut self, shop: &Shop<N>, moves: &[u8]) -> bool {
        *self = Self::new(shop, moves);
        true
    }
    fn save(&self) -> Vec<u8> {
        if self.insertions.is_empty() { Vec::new() } else { self.seed.to_le_bytes().into() }
    }
    fn load(&mut self, _: &Shop<N>, bytes: &[u8]) -> Result<(), CheckpointError> {
        if !bytes.is_empty() {
            let seed = bytes.try_into().map_err(|_| CheckpointError::Corrupt("a critical path"))?;
            self.list_insertions(u64::from_le_bytes(seed));
        }
        Ok(())
    }
    fn cost(&self, _: &Shop<N>) -> f64 {
        f64::from(self.present.makespan)
    }
    fn moves(&self, shop: &Shop<N>, moves: &mut Vec<u8>) {
        moves.extend(self.present.order.iter().map(|&operation| (usize::from(operation) / shop.machines) as u8));
    }
    /// Six mean times: the default temperatures then fall from 0.6 of a mean time to 0.06.
    fn unit(&self, _: &Shop<N>) -> Option<f64> {
        Some(6.0 * f64::from(self.time.iter().sum::<u32>()) / self.time.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Insertion};
    use crate::model::{Operation, Shop};
    use soloist::problem::Neighborhood;
    use soloist::{Problem, Rng, Score};

    /// Whether the jobs and the order of each machine, with the block as it is now, close a circle.
    fn closes_circle(graph: &Graph, shop: &Shop<8>, insertion: Insertion) -> bool {
        let order = &graph.present.order;
        let mut after: Vec<Vec<u16>> = vec![Vec::new(); order.len()];
        for job in (0..order.len() as u16).collect::<Vec<_>>().chunks(shop.machines) {
            job.windows(2).for_each(|pair| after[usize::from(pair[0])].push(pair[1]));
        }
        for machine in 0..shop.machines {
            let on_machine = order.iter().copied().filter(|&o| graph.machine[usize::from(o)] == machine);
            let mut chain: Vec<u16> = on_machine.collect();
            if let Some(at) = chain.iter().position(|&o| o == insertion.first) {
                chain[at..at + graph.block.len()].copy_from_slice(&graph.block);
            }
            chain.windows(2).for_each(|pair| after[usize::from(pair[0])].push(pair[1]));
        }
        let mut waits = vec![0; order.len()];
        after.iter().flatten().for_each(|&o| waits[usize::from(o)] += 1);
        let mut free: Vec<usize> = (0..order.len()).filter(|&o| waits[o] == 0).collect();
        let mut sorted = 0;
        while let Some(operation) = free.pop() {
            sorted += 1;
            for &o in &after[operation] {
                waits[usize::from(o)] -= 1;
                if waits[usize::from(o)] == 0 {
                    free.push(o.into());
                }
            }
        }
        sorted < order.len()
    }

    /// Shops in which jobs may visit a machine several times and operations may take no time.
    #[test]
    fn insertions_are_refused_when_they_close_a_circle_and_cost_what_a_replay_costs() {
        let (mut refused, mut made) = (0, 0);
        for seed in 1..=20 {
            let mut rng = Rng::new(seed);
            let mut operation = || Operation { machine: rng.index(4), time: rng.below(4) as u32, tail: 0 };
            let jobs = (0..6).map(|_| (0..4).map(|_| operation()).collect()).collect();
            let shop = Shop::<8> { jobs, machines: 4, active: false };
            let mut moves: Vec<u8> = (0..24).map(|at| at / 4).collect();
            rng.shuffle(&mut moves);
            let mut graph = Graph::new(&shop, &moves);
            for _ in 0..200 {
                graph.list_insertions(rng.next_u64());
                let Some(&insertion) = graph.insertions.get(rng.index(graph.insertions.len().max(1))) else { break };
                graph.estimate(insertion);
                let possible = graph.reorder(insertion);
                assert_eq!(possible, !closes_circle(&graph, &shop, insertion), "seed {seed}");
                if !possible {
                    refused += 1;
                    continue;
                }
                graph.make(insertion);
                std::mem::swap(&mut graph.present, &mut graph.proposed);
                made += 1;
                let (mut state, mut moves) = (shop.root(), Vec::new());
                graph.moves(&shop, &mut moves);
                moves.iter().for_each(|&job| shop.apply(&mut state, job));
                assert_eq!(shop.score(&state), Score::Feasible(graph.cost(&shop)), "seed {seed}");
            }
        }
        assert!(refused > 50 && made > 1_000, "{refused} {made}");
    }
}
