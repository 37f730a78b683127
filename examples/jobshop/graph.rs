//! The neighbourhood of a job shop: an operation of a critical block moves to its begin or its end (E. Balas and A.
//! Vazacopoulos, Management Science 44, 1998). Nothing else can make a schedule shorter.

use super::model::Shop;
use soloist::{Acceptance, CheckpointError, Edits, Neighbourhood, Rng};

/// What a schedule says of an operation.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The operations before and behind it on its machine.
    before: u16,
    behind: u16,
    place: u16,
    /// The longest paths from the begin of all to its begin, and from its end to the end of all.
    head: u32,
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
    /// The operations before and behind each one in its job.
    previous: Vec<u16>,
    next: Vec<u16>,
    present: Schedule,
    proposed: Schedule,
    /// The insertions of one critical path of the present schedule, empty when not listed, and what the path is drawn by.
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
    pub(crate) fn new(shop: &Shop, moves: &[u8]) -> Self {
        let (width, count) = (shop.machines, shop.jobs.len() * shop.machines);
        let none = count as u16;
        let mut graph = Self {
            time: shop.jobs.iter().flatten().map(|operation| operation.time).chain([0]).collect(),
            machine: shop.jobs.iter().flatten().map(|operation| operation.machine).collect(),
            previous: (0..=none).map(|o| if usize::from(o) % width == 0 { none } else { o - 1 }).collect(),
            next: (1..=none).map(|o| if usize::from(o) % width == 0 { none } else { o }).chain([none]).collect(),
            marked: vec![false; count + 1],
            ..Self::default()
        };
        let empty = Node { before: none, behind: none, ..Node::default() };
        let mut plan = Schedule { nodes: vec![empty; count + 1], ..Schedule::default() };
        let (mut placed, mut last) = (vec![0; shop.jobs.len()], vec![none; width]);
        for &job in moves {
            let operation = usize::from(job) * width + placed[usize::from(job)];
            placed[usize::from(job)] += 1;
            plan.order.push(operation as u16);
            let before = std::mem::replace(&mut last[graph.machine[operation]], operation as u16);
            plan.nodes[operation].before = before;
            plan.nodes[usize::from(before)].behind = operation as u16;
        }
        plan.nodes[count] = empty;
        graph.time_from(&mut plan, 0, count);
        graph.present = plan;
        graph
    }

    /// The end of an operation, and the path from its begin to the end of all.
    fn end(&self, plan: &Schedule, operation: u16) -> u32 {
        plan.nodes[usize::from(operation)].head + self.time[usize::from(operation)]
    }
    fn rest(&self, plan: &Schedule, operation: u16) -> u32 {
        plan.nodes[usize::from(operation)].tail + self.time[usize::from(operation)]
    }

    /// Finds heads and tails, when the order has changed between two places.
    fn time_from(&self, plan: &mut Schedule, from: usize, to: usize) {
        for at in from..plan.order.len() {
            let o = usize::from(plan.order[at]);
            plan.nodes[o].place = at as u16;
            plan.nodes[o].head = self.end(plan, self.previous[o]).max(self.end(plan, plan.nodes[o].before));
        }
        for at in (0..to).rev() {
            let o = usize::from(plan.order[at]);
            plan.nodes[o].tail = self.rest(plan, self.next[o]).max(self.rest(plan, plan.nodes[o].behind));
        }
        plan.makespan = plan.order.iter().map(|&o| self.end(plan, o)).max().unwrap_or(0);
    }

    /// Lists the insertions of the blocks of a critical path, which is drawn.
    fn list(&mut self, seed: u64) {
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
            let before = Some(plan.nodes[usize::from(operation)].before).filter(is_tight);
            let previous = Some(self.previous[usize::from(operation)]).filter(is_tight);
            path = if before.is_some() && (previous.is_none() || rng.index(2) == 0) { before } else { previous };
            if path.is_some() && path == before {
                continue;
            }
            // The block ends here, its last operation listed first. Nothing is gained at the begin of the first block and
            // at the end of the last one; a pair is turned by one insertion.
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
    /// Appends the insertions as edits of the order: the places of what moves and of where it goes.
    pub(crate) fn suggest(&mut self, edits: &mut Vec<(usize, usize)>) {
        self.list(1);
        let place = |operation: u16| usize::from(self.present.nodes[usize::from(operation)].place);
        let edit = |insertion: &Insertion| (place(insertion.first), place(insertion.last), insertion.forward);
        let turned = |(first, last, forward)| if forward { (first, last) } else { (last, first) };
        edits.extend(self.insertions.iter().map(edit).map(turned));
    }

    /// Lists the block of an insertion in its new order. Returns the longest path by its operations, if what comes before
    /// and behind them stays as it is.
    fn estimate(&mut self, Insertion { first, last, forward }: Insertion) -> u32 {
        let plan = &self.present;
        self.block.clear();
        let mut operation = first;
        while operation != last {
            self.block.push(operation);
            operation = plan.nodes[usize::from(operation)].behind;
        }
        self.block.push(last);
        if forward {
            self.block.rotate_left(1);
        } else {
            self.block.rotate_right(1);
        }
        let mut free = self.end(plan, plan.nodes[usize::from(first)].before);
        self.heads.clear();
        for &o in &self.block {
            let head = free.max(self.end(plan, self.previous[usize::from(o)]));
            self.heads.push(head);
            free = head + self.time[usize::from(o)];
        }
        let (mut rest, mut longest) = (self.rest(plan, plan.nodes[usize::from(last)].behind), 0);
        for (&o, head) in self.block.iter().zip(&self.heads).rev() {
            rest = rest.max(self.rest(plan, self.next[usize::from(o)])) + self.time[usize::from(o)];
            longest = longest.max(head + rest);
        }
        longest
    }

    /// Puts the operations from the first to the last one of an insertion into an order that suits it. `false`: one of
    /// the block waits for the one that moves, or is waited for by it.
    fn reorder(&mut self, Insertion { first, last, forward }: Insertion) -> bool {
        let Self { present: plan, machine, part, dependent, marked, .. } = self;
        let place = |operation: u16| usize::from(plan.nodes[usize::from(operation)].place);
        let (from, to) = (place(first), place(last));
        let (jobs, moved) = if forward { (&self.previous, first) } else { (&self.next, last) };
        part.clear();
        let mut possible = true;
        for at in 0..=to - from {
            let operation = plan.order[if forward { from + at } else { to - at }];
            let o = usize::from(operation);
            let waits = marked[usize::from(jobs[o])];
            // Of the machine there is only the block between the two places.
            let inside = machine[o] == machine[usize::from(moved)];
            if operation == moved
                || !inside
                    && (waits || marked[usize::from(if forward { plan.nodes[o].before } else { plan.nodes[o].behind })])
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
        let mut before = plan.nodes[usize::from(first)].before;
        let behind = plan.nodes[usize::from(last)].behind;
        for &o in self.block.iter().chain([&behind]) {
            plan.nodes[usize::from(o)].before = before;
            plan.nodes[usize::from(before)].behind = o;
            before = o;
        }
        let none = plan.order.len();
        plan.nodes[none] = self.present.nodes[none];
        let from = usize::from(plan.nodes[usize::from(first)].place);
        plan.order[from..from + self.part.len()].copy_from_slice(&self.part);
        self.time_from(&mut plan, from, from + self.part.len());
        self.proposed = plan;
    }
}

impl Edits<Shop> for Graph {
    fn propose(&mut self, _: &Shop, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        if self.insertions.is_empty() {
            self.list(acceptance.rng.next_u64());
        }
        let insertion = *self.insertions.get(acceptance.rng.index(self.insertions.len().max(1)))?;
        let present = f64::from(self.present.makespan);
        if f64::from(self.estimate(insertion)) - present >= acceptance.limit().max(0.5) || !self.reorder(insertion) {
            return None;
        }
        self.make(insertion);
        Some(f64::from(self.proposed.makespan) - present)
    }
    fn accept(&mut self, _: &Shop) {
        std::mem::swap(&mut self.present, &mut self.proposed);
        self.insertions.clear();
    }
    fn reject(&mut self, _: &Shop) {}
}

impl Neighbourhood<Shop> for Graph {
    fn start(&mut self, shop: &Shop, moves: &[u8]) -> bool {
        *self = Self::new(shop, moves);
        true
    }
    fn save(&self) -> Vec<u8> {
        if self.insertions.is_empty() { Vec::new() } else { self.seed.to_le_bytes().into() }
    }
    fn load(&mut self, _: &Shop, bytes: &[u8]) -> Result<(), CheckpointError> {
        if !bytes.is_empty() {
            let seed = bytes.try_into().map_err(|_| CheckpointError::Corrupt("a critical path"))?;
            self.list(u64::from_le_bytes(seed));
        }
        Ok(())
    }
    fn cost(&self, _: &Shop) -> f64 {
        f64::from(self.present.makespan)
    }
    fn moves(&self, shop: &Shop, moves: &mut Vec<u8>) {
        moves.extend(self.present.order.iter().map(|&operation| (usize::from(operation) / shop.machines) as u8));
    }
    /// Six mean times: the default temperatures then fall from 0.6 of a mean time to 0.06.
    fn unit(&self, _: &Shop) -> Option<f64> {
        Some(6.0 * f64::from(self.time.iter().sum::<u32>()) / self.time.len() as f64)
    }
}
