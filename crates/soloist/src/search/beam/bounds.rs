//! A beam with layers by bound as a step machine: a step expands one state.
//!
//! The bound of a state is taken as no better than its parent's. A child therefore belongs to a later cell than its
//! parent, and a cell is complete when its turn comes.

use super::Beam;
use super::cells::{Cell, CellKey, Cells, Layering, Open};
use super::merge::{Entry, GONE, Merger};
use super::pass::{NONE, Ranked, WIDEST, effort};
use super::rank::{Ranker, chance_of, list_moves};
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::coverage::{Ceiling, Ledger};
use crate::core::cut::EVERY;
use crate::core::hash::{Key, stable_hash};
use crate::core::limits::{MOST, ensure};
use crate::core::score::{rank, unbounded};
use crate::erased::problem::{ErasedProblem, State};
use crate::erased::{MoveId, validate};
use crate::rollout::policy::Policy;
use crate::search::shared::children::optimistic;
use crate::search::shared::nodes::{self, Node, Nodes};
use crate::search::shared::seen::Seen;
use crate::search::{Context, Coverage, Search, Status};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Nodes that are kept however little memory there is.
const FEWEST: usize = 512;
/// The part of all nodes that one cell may keep.
const SHARE: usize = 8;
/// States of a cell are thinned out when their number exceeds that of the places by this factor.
const SLACK: usize = 4;

/// A pass in progress.
#[derive(Debug, Serialize, Deserialize)]
struct Pass {
    width: f64,
    /// Makes the noise of this pass.
    salt: u64,
    /// Children met in this pass.
    born: u64,
    /// The states of the present cell that are to be expanded, the next one last.
    now: Vec<Open>,
    /// The states dropped for lack of places, and children that are no candidates.
    ledger: Ledger,
    /// The effort of the stream when the pass began.
    effort: u64,
    best: Option<(Score, Vec<MoveId>)>,
}

pub(crate) struct BoundLayers {
    parameters: Beam,
    sense: Sense,
    layering: Layering,
    ranker: Ranker,
    /// Places of a cell that fit into the memory.
    most: usize,
    memory: u64,
    pass: Pass,
    nodes: Nodes,
    cells: Cells,
    /// No solution is better than this and the incumbent, as all passes have shown so far.
    dual_bound: Ceiling,
    /// The keys of this pass.
    seen: Seen,
    /// In the place of `seen`, for a problem that has futures.
    merger: Option<Merger>,
    remarks: Vec<String>,
    root: State,
    /// The state expanded last and its parent, with their nodes: its children and siblings are made from them.
    state: State,
    above: State,
    last: Option<(u32, u32)>,
    moves: Vec<MoveId>,
    /// By move of the state: the logarithm of its chance.
    chances: Vec<f64>,
    child: State,
    path: Vec<MoveId>,
}

impl BoundLayers {
    pub(crate) fn new(parameters: Beam, problem: &dyn ErasedProblem, memory: u64) -> Self {
        let (root, sense) = (problem.root(), problem.sense());
        let bound = optimistic(problem, &root);
        let merges = parameters.merge && problem.future(&root).is_some();
        // A quarter is for the keys. Entries of states that are not open any more may be as many as the nodes.
        let each = 2 * Nodes::BYTES + Cells::BYTES + if merges { 2 * Merger::bytes(problem, &root) } else { 0 };
        let fit = usize::try_from(memory / 4 * 3).unwrap_or(usize::MAX) / each;
        let fit = fit.clamp(FEWEST, GONE as usize / 2);
        let blind = (bound == unbounded(sense)).then(|| {
            "layers = bound: the problem gives no bound of its root, so that states are in layers by depth".to_owned()
        });
        Self {
            sense,
            layering: Layering::new(sense, bound, parameters.span),
            ranker: Ranker::new(&parameters, problem),
            most: fit / SHARE,
            memory,
            pass: Pass { width: 0.0, salt: 0, born: 0, now: Vec::new(), ledger: Ledger::open(), effort: 0, best: None },
            nodes: Nodes::new(fit),
            cells: Cells::default(),
            dual_bound: Ceiling::new(sense, bound),
            seen: Seen::new(memory / 4),
            merger: merges.then(|| Merger::new(sense)),
            remarks: blind.into_iter().collect(),
            state: root.clone(),
            above: root.clone(),
            last: None,
            moves: Vec::new(),
            chances: Vec::new(),
            child: root.clone(),
            path: Vec::new(),
            root,
            parameters,
        }
    }

    /// Enters the bound of a state that is dropped.
    fn lose(&mut self, bound: f64) {
        self.pass.ledger.leave_out(self.sense, bound);
    }

    fn places(&self) -> usize {
        (self.pass.width as usize).clamp(1, self.most)
    }

    /// Begins a pass: the root is open.
    fn begin(&mut self, context: &mut Context<'_>, width: f64) {
        self.nodes.clear();
        self.cells = Cells::default();
        self.seen.clear();
        if let Some(merger) = &mut self.merger {
            merger.clear();
        }
        self.last = None;
        let bound = optimistic(context.problem, &self.root);
        let (width, salt, ledger) = (width.min(WIDEST), context.rng.next_u64(), Ledger::open());
        let effort = effort(context.tally);
        self.pass = Pass { width, salt, born: 0, now: Vec::new(), ledger, effort, best: None };
        if let Some(node) = self.nodes.add(None, nodes::NONE, 0, bound) {
            let open = Open { merit: (0, 0, 0), born: 0, node, entry: NONE, chance: 0.0 };
            self.cells.push((self.layering.layer(bound), 0), open, bound, self.sense);
        }
    }

    /// Whether no better state with the future of this one has come.
    fn is_live(&self, open: &Open) -> bool {
        open.entry == NONE || self.merger.as_ref().is_none_or(|merger| merger.child(open.entry) == open.node)
    }

    /// A state is no longer open.
    fn close(&mut self, open: &Open) {
        if let Some(merger) = &mut self.merger
            && open.entry != NONE
            && merger.child(open.entry) == open.node
        {
            merger.assign(open.entry, GONE);
        }
        self.nodes.unlink(open.node);
    }

    /// Leaves out of a list what is beaten.
    fn sift(&mut self, list: &mut Vec<Open>) {
        let mut kept = 0;
        for at in 0..list.len() {
            if self.is_live(&list[at]) {
                list.swap(kept, at);
                kept += 1;
            }
        }
        list.drain(kept..).for_each(|open| self.close(&open));
    }

    /// Keeps as many states of a cell as there are places.
    fn thin_out(&mut self, cell: &mut Cell) {
        self.sift(&mut cell.open);
        let places = self.places();
        if cell.open.len() > places {
            cell.open.select_nth_unstable_by_key(places - 1, |open| Reverse((open.merit, Reverse(open.born))));
            cell.cut = cell.open[places - 1].merit.0;
            for dropped in cell.open.split_off(places) {
                self.lose(self.nodes.bound(dropped.node));
                self.close(&dropped);
            }
        }
    }

    /// Thins out every cell by `thin` and leaves out those that it empties.
    fn thin_cells(&mut self, thin: impl Fn(&mut Self, &mut Cell)) {
        let mut cells = std::mem::take(&mut self.cells);
        cells.0.retain(|_, cell| {
            thin(self, cell);
            !cell.open.is_empty()
        });
        self.cells = cells;
    }

    /// Thins out every cell, and drops the worst ones if that does not make room.
    fn make_room(&mut self) {
        self.thin_cells(Self::thin_out);
        let (all, mut left) = (self.nodes.most, self.cells.len());
        let most = left / 2;
        while self.nodes.used() > all - all / SHARE && left > most {
            let Some((_, cell)) = self.cells.0.pop_last() else { break };
            left -= cell.open.len();
            for dropped in cell.open {
                self.lose(self.nodes.bound(dropped.node));
                self.close(&dropped);
            }
        }
    }

    /// Forgets the futures of states that are not open any more, once there are too many.
    fn forget(&mut self) {
        if self.merger.as_ref().is_none_or(|merger| merger.len() < 2 * self.nodes.most) {
            return;
        }
        let mut now = std::mem::take(&mut self.pass.now);
        self.sift(&mut now);
        self.pass.now = now;
        self.thin_cells(|search, cell| search.sift(&mut cell.open));
        let open = self.cells.0.values_mut().flat_map(|cell| &mut cell.open).chain(&mut self.pass.now);
        if let Some(merger) = &mut self.merger {
            merger.rebuild(open.map(|open| (&mut open.entry, open.node)));
        }
    }

    /// Chooses the states of the next cell. Returns false when no cell is left.
    fn open_cell(&mut self, incumbent: Option<f64>) -> bool {
        let left = self.cells.best(self.sense);
        self.dual_bound.lower(left.map(|left| rank(self.sense, left)), &self.pass.ledger);
        let Some((_, mut cell)) = self.cells.0.pop_first() else { return false };
        if self.sense.is_hopeless(cell.best, incumbent) {
            cell.open.drain(..).for_each(|open| self.close(&open));
        }
        self.thin_out(&mut cell);
        // The next one last. In the order of their birth, in which those of the same parent are together: their states
        // are near.
        cell.open.sort_unstable_by_key(|open| Reverse(open.born));
        self.pass.now = cell.open;
        true
    }

    /// Puts the state of a node into `self.state`.
    fn replay(&mut self, problem: &dyn ErasedProblem, at: u32) {
        let Node { mv, parent, .. } = self.nodes.node(at);
        let Some(mv) = mv else {
            self.state.clone_from(&self.root);
            self.last = Some((at, parent));
            return;
        };
        match self.last {
            Some((last, _)) if last == parent => std::mem::swap(&mut self.above, &mut self.state),
            Some((_, above)) if above == parent => {}
            _ => {
                self.nodes.path(parent, &mut self.path);
                self.above.clone_from(&self.root);
                self.path.iter().for_each(|&mv| problem.apply(&mut self.above, mv));
            }
        }
        problem.child(&self.above, mv, &mut self.state);
        self.last = Some((at, parent));
    }

    /// Scores a state without moves or makes its children.
    fn expand(&mut self, context: &mut Context<'_>, open: &Open) {
        self.replay(context.problem, open.node);
        let depth = self.nodes.node(open.node).depth as usize;
        if depth % EVERY == EVERY - 1 && context.problem.watch().gives_up(depth) {
            return;
        }
        let coverage = list_moves(self.parameters.selective, context, &self.state, &mut self.moves);
        if coverage == Coverage::Partial {
            // Children that are no candidates are within the bound of their parent.
            self.lose(self.nodes.bound(open.node));
        }
        if self.moves.is_empty() {
            self.score(context, open.node);
        } else {
            self.ranker.list_chances(context.problem, &self.state, &self.moves, &mut self.chances);
            let node = self.nodes.node(open.node);
            for at in 0..self.moves.len() {
                if at % EVERY == EVERY - 1 && context.problem.watch().abandons() {
                    return;
                }
                self.visit(context, open, node, at);
            }
        }
    }

    /// Scores the finished state in `self.state`.
    fn score(&mut self, context: &mut Context<'_>, node: u32) {
        let score = context.probe_leaf(&self.state);
        let best = self.pass.best.as_ref().is_none_or(|(best, _)| self.sense.better(score, *best));
        if best || context.tally.wants(score) {
            self.nodes.path(node, &mut self.path);
            context.keep(score, &self.state, &self.path, &[]);
            if best {
                self.pass.best = Some((score, self.path.clone()));
            }
        }
    }

    /// Opens child number `at` of the state in `self.state`, unless it cannot survive.
    fn visit(&mut self, context: &mut Context<'_>, parent: &Open, above: Node, at: usize) {
        let problem = context.problem;
        let mv = self.moves[at];
        problem.child(&self.state, mv, &mut self.child);
        self.pass.born += 1;
        let bound = self.sense.worst_value(optimistic(problem, &self.child), above.bound);
        if self.sense.is_hopeless(bound, context.incumbent()) {
            return;
        }
        if self.nodes.is_full() {
            self.make_room();
        }
        let chance = parent.chance + chance_of(&self.chances, at);
        let known = || bound.is_finite().then_some(bound);
        let merit = self.ranker.weighed(self.ranker.merit(problem, &self.child, known), chance);
        let place = (self.layering.layer(bound), above.depth + 1);
        let cut = self.cells.cut(place);
        if self.ranker.best_rank(merit) < cut {
            return self.lose(bound);
        }
        let (key, mixed) = match &mut self.merger {
            Some(merger) => (None, merger.read(problem, &self.child)),
            None => {
                let key = problem.key(&self.child).filter(|_| self.parameters.merge);
                (key, key.map(Key::mix))
            }
        };
        if self.merger.as_ref().is_some_and(Merger::is_beaten) {
            return;
        }
        let salt = self.pass.salt;
        // Equal states get equal noise, whatever their parents are.
        let mix = mixed.map_or_else(|| stable_hash(&(salt, self.pass.born)), |mixed| stable_hash(&(salt, mixed)));
        let ranked = self.ranker.rank(merit, mix);
        if ranked < cut {
            return self.lose(bound);
        }
        if key.is_some_and(|key| self.seen.seen(key)) {
            return;
        }
        let tie = self.ranker.tie(problem, &self.child, chance);
        if self.push(mv, parent.node, place, bound, (ranked, tie, mix), chance) {
            context.tally.counters.nodes += 1;
        }
    }

    /// Opens the state in `self.child`, which the merger read last. Returns false when it takes the place of an open
    /// one that it beats, or when there is no room.
    fn push(&mut self, mv: MoveId, parent: u32, place: CellKey, bound: f64, merit: Ranked, chance: f64) -> bool {
        let Some(node) = self.nodes.add(Some(mv), parent, place.1, bound) else {
            self.lose(bound);
            return false;
        };
        let (mut entry, mut instead) = (NONE, None);
        if let Some(merger) = &mut self.merger {
            (entry, instead) = merger.add(node);
            // Those that it beats are found out when their turn comes.
            merger.beaten.clear();
            merger.assign(entry, node);
        }
        let open = Open { merit, born: self.pass.born, node, entry, chance };
        let listed = self.cells.push(place, open, bound, self.sense);
        if listed > SLACK * self.places()
            && let Some(mut cell) = self.cells.0.remove(&place)
        {
            self.thin_out(&mut cell);
            self.cells.0.insert(place, cell);
        }
        instead.is_none_or(|known| known == GONE)
    }

    /// Ends a pass that has proved nothing by its bounds.
    fn end(&mut self, context: &mut Context<'_>) -> Status {
        if let Some(proof) = self.pass.ledger.proof(self.sense, context.incumbent()) {
            return Status::Exhausted(proof);
        }
        if let Some((_, moves)) = self.pass.best.take() {
            self.ranker.learn(context.problem, &self.root, &moves);
        }
        if !self.parameters.restarts || self.pass.effort == effort(context.tally) {
            return Status::Completed;
        }
        self.begin(context, self.pass.width * self.parameters.widen);
        Status::Running
    }

    /// Checks that the open states of a checkpoint lie in their cells.
    fn check(&self, problem: &dyn ErasedProblem) -> Result<(), CheckpointError> {
        let cells = &self.cells.0;
        let open = || cells.values().flat_map(|cell| &cell.open).chain(&self.pass.now);
        let entries = self.merger.as_ref().map_or(0, Merger::len);
        ensure(open().all(|open| open.entry == NONE || (open.entry as usize) < entries), "a beam")?;
        let sense = self.sense;
        self.nodes.check(problem, &self.root, open().map(|open| open.node), |node, above, state| {
            let own = optimistic(problem, state);
            above.map_or(own, |above| sense.worst_value(own, above.bound)).total_cmp(&node.bound).is_eq()
        })?;
        let lies = |(place, cell): (&CellKey, &Cell)| {
            let at = |open: &Open| {
                let node = self.nodes.node(open.node);
                (self.layering.layer(node.bound), node.depth) == *place && !sense.better_value(node.bound, cell.best)
            };
            !cell.best.is_nan() && !cell.open.is_empty() && cell.open.iter().all(at)
        };
        ensure(cells.iter().all(lies), "a beam")
    }
}

impl Search for BoundLayers {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if self.nodes.is_empty() {
            self.begin(context, self.parameters.width as f64);
        }
        self.forget();
        loop {
            while let Some(open) = self.pass.now.pop() {
                let hopeless = self.sense.is_hopeless(self.nodes.bound(open.node), context.incumbent());
                let expands = !hopeless && self.is_live(&open);
                if expands {
                    self.expand(context, &open);
                }
                self.close(&open);
                if expands {
                    return Status::Running;
                }
            }
            let more = self.open_cell(context.incumbent());
            if let Some(proof) = self.dual_bound.proof(self.sense, context.incumbent()) {
                return Status::Exhausted(proof);
            }
            if !more {
                return self.end(context);
            }
        }
    }

    fn open_bound(&self) -> Option<f64> {
        Some(self.dual_bound.bound(self.sense))
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }

    fn save(&self) -> Vec<u8> {
        let table = self.merger.as_ref().map(Merger::table);
        encode(&(&self.pass, &self.nodes, &self.cells, self.dual_bound, &self.seen, &self.ranker.policy, table))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        type Whole = (Pass, Nodes, Cells, Ceiling, Seen, Option<Policy>, Option<(Vec<Entry>, Vec<u64>)>);
        let (pass, nodes, cells, dual_bound, seen, policy, table) = decode::<Whole>(bytes)?;
        let alike = self.ranker.is_like(policy.as_ref()) && table.is_some() == self.merger.is_some();
        let numbers = pass.width.is_finite() && pass.width >= 0.0 && pass.born <= MOST;
        ensure(alike && numbers, "a beam")?;
        dual_bound.check(self.sense)?;
        pass.ledger.check(self.sense)?;
        if let Some((score, moves)) = &pass.best {
            validate::solution(problem, moves, *score)?;
        }
        self.nodes.resume(nodes);
        if let (Some(merger), Some(table)) = (&mut self.merger, table) {
            merger.restore(table)?;
        }
        (self.pass, self.cells, self.dual_bound, self.ranker.policy) = (pass, cells, dual_bound, policy);
        self.seen = seen;
        self.seen.resume(self.memory / 4)?;
        self.last = None;
        self.check(problem)
    }
}
