//! What a stream does beside its search: first games for methods that play none, and a cheap attempt at a proof.

use super::outcome::{Counters, Solution};
use super::stream::{Stream, tighter};
use crate::core::codec::CheckpointError;
use crate::core::hash::stable_hash;
use crate::core::limits::ensure;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::problem::SearchInfo;
use crate::search::{Beam, BranchAndBound, Context, Method, Search, Status, Table, Tally};
use crate::{Rng, Setup};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Games that are played first, at most, until one of them is a solution.
pub(super) const GAMES: u64 = 8;

/// The largest number of nodes of an attempt at a proof, unless solutions are long or there is much time.
pub(super) const MOST_NODES: u64 = 100_000;
/// As many ways from the root to a solution are within it at least: a way costs its moves and their siblings.
const WAYS: u64 = 4;
/// The longest way that is tried, as a multiple of these nodes.
const LONGEST: u64 = 8;
/// The nodes after which it is asked, again and again after twice as many, how much of the tree is done.
const FIRST_LOOK: u64 = 1 << 10;
/// The nodes of a tree that is small enough to be searched whole, by the part that is done.
const SMALL: f64 = 4e6;
/// The part of the effort for a tree that is small enough.
const HOT: f64 = 0.5;
/// What a node of the attempt costs, in moves of a playout: it asks for the bounds of its children.
const NODE: u64 = 8;
/// Memory of an attempt, at most, and the part of a stream's memory that it takes, at most; and the part for a search
/// of the problem's own, whose table of states is the proof.
const MEMORY: u64 = 16 << 20;
const PART: u64 = 16;
const OWN_PART: u64 = 4;
/// Time that a run limited by time alone gives to the attempt at once, as the part of a run of this length, or of this
/// part of the run where that is longer. So long it does not count nodes.
const HEAD: Duration = Duration::from_secs(1);
const HEAD_PART: f64 = 0.5;

/// Returns the memory that an attempt at a proof takes from that of a stream with this method.
pub(super) fn memory_of(method: &Method, problem: &dyn ErasedProblem, stream: u64) -> u64 {
    if own(method, problem).is_some() { stream / OWN_PART } else { (stream / PART).min(MEMORY) }
}

/// Returns the exact search of the problem's own that the problem names, for an attempt beside a method. A player has
/// one own search, so that there is none beside another; in `auto` it races itself.
fn own(method: &Method, problem: &dyn ErasedProblem) -> Option<SearchInfo> {
    if matches!(method.table(), Table::Own(_) | Table::Auto(_)) {
        return None;
    }
    let named = problem.portfolio();
    let is_named = |info: &&SearchInfo| info.exact && named.iter().any(|entrant| entrant.method() == info.name);
    problem.searches().iter().find(is_named).copied()
}

/// A cheap attempt at a proof: an exact search that has a small part of the run's effort.
///
/// Its effort is compared with that of the whole run so far, so that it needs no plan: in moves, or in time where a run
/// is limited by time alone. It draws from a generator of its own and does not touch the rollout.
///
/// Depth-first search says how much of its tree is done, if the children of a state count alike. Where the nodes so far
/// say that the whole tree has at most four million, the attempt has half of the effort (P. Kilby, J. Slaney, S.
/// Thiebaux and T. Walsh, "Estimating search tree size", AAAI 2006).
pub(super) struct Proof {
    memory: u64,
    /// The search of the problem's own that it makes, if there is one.
    own: Option<SearchInfo>,
    search: Box<dyn Search>,
    saved: Saved,
    name: &'static str,
    /// Whether the present steps are those of the attempt, where time decides.
    pub(super) turn: bool,
    /// Whether time that it has at once is left, however many nodes it has made.
    patient: bool,
    /// What is said when it has proven something.
    remark: Vec<String>,
}

/// What a checkpoint holds of an attempt, beside its search.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    /// The part of the effort.
    share: f64,
    rng: Rng,
    /// Playouts and nodes of the attempt.
    made: Counters,
    steps: u64,
    spent: Duration,
    stage: Stage,
    /// Whether the whole tree seems to be small enough to be searched.
    small: bool,
    /// Nodes of one way from the root to a solution.
    way: u64,
    /// A bound on all solutions, known when the attempt was given up.
    bound: Option<f64>,
}

impl Saved {
    /// The nodes that it made, or its steps if these are more.
    fn cost(&self) -> u64 {
        self.made.nodes.max(self.steps)
    }

    /// The part of the effort that the attempt may take now.
    fn share(&self) -> f64 {
        if self.small { self.share.max(HOT) } else { self.share }
    }

    /// The nodes that it may make on any problem: as many more as the part of the effort is larger than the usual one.
    fn asked(&self) -> u64 {
        (MOST_NODES as f64 * (self.share / Setup::PROOF).max(1.0)) as u64
    }

    /// The nodes after which it ends.
    fn most(&self) -> u64 {
        let asked = self.asked().max(WAYS.saturating_mul(self.way));
        if self.small { asked.max(SMALL as u64) } else { asked }
    }

    /// Judges the size of the whole tree from the part that is done.
    fn judge(&mut self, covered: Option<f64>) {
        self.small = covered.is_some_and(|part| self.made.nodes as f64 <= part * SMALL);
    }

    fn is_active(&self) -> bool {
        matches!(self.stage, Stage::New | Stage::Running)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// Nothing was tried, because no solution is known.
    New,
    Running,
    /// It has proven the optimum.
    Done,
    GivenUp,
}

/// An attempt in a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SavedProof(Saved, Vec<u8>);

impl Proof {
    /// Returns an attempt that has not begun; `None`: the method or the problem rules it out.
    pub(super) fn new(share: f64, method: &Method, problem: &dyn ErasedProblem, memory: u64) -> Option<Box<Self>> {
        // Who leaves out solutions proves nothing, and exact methods need no help.
        if share <= 0.0
            || !problem.facts().is_complete
            || matches!(method.table(), Table::BranchAndBound(_) | Table::IdaStar(_))
        {
            return None;
        }
        let own = own(method, problem);
        let (name, search) = suited(own, problem, memory);
        let saved = Saved {
            share,
            rng: Rng::new(0),
            made: Counters::default(),
            steps: 0,
            spent: Duration::ZERO,
            stage: Stage::New,
            small: false,
            way: 0,
            bound: None,
        };
        Some(Box::new(Self { memory, own, search, saved, name, turn: false, patient: false, remark: Vec::new() }))
    }

    /// Whether it may make a step, where counts decide.
    #[inline]
    fn is_due(&self, tally: &Tally) -> bool {
        let (share, made) = (self.saved.share(), self.saved.made);
        if !self.saved.is_active() {
            return false;
        }
        // The moves of nested searches and of annealing are nodes; elsewhere playouts are as long as the incumbent.
        let Counters { playouts, nodes } = tally.counters;
        let length = tally.best.as_ref().map_or(0, |best| best.moves.len().max(1));
        let moved = nodes.saturating_sub(tally.tree.nodes + made.nodes);
        let effort = if moved > 0 { moved + playouts } else { playouts.saturating_mul(length as u64) };
        let may = |made: u64, all: u64| made as f64 <= share * all as f64;
        may(NODE * (self.saved.cost() + 1), effort) && may(made.playouts + 1, tally.made())
    }

    /// Whether a limit of counts has divided its last step.
    pub(super) fn is_divided(&self) -> bool {
        self.search.is_divided()
    }

    /// Decides whether the next steps are those of the attempt, where time decides; `planned` is the time of the run.
    pub(super) fn take_turn(&mut self, tally: &Tally, elapsed: Duration, planned: Duration) -> bool {
        let active = self.saved.is_active() && tally.best.is_some();
        let (at_once, share) = (planned.min(HEAD).max(planned.mul_f64(HEAD_PART)), self.saved.share());
        self.turn = active && self.saved.spent < elapsed.max(at_once).mul_f64(share);
        self.patient = self.turn && self.saved.spent < at_once.mul_f64(share);
        self.turn
    }

    /// Notes the time of a turn.
    pub(super) fn spend(&mut self, time: Duration) {
        self.saved.spent += time;
    }

    /// Makes a step.
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if self.saved.stage == Stage::New {
            self.saved.stage = if self.is_promising(context) { Stage::Running } else { Stage::GivenUp };
            self.turn &= self.saved.is_active();
            return Status::Running;
        }
        let before = context.tally.counters;
        let Context { problem, horizon, .. } = *context;
        let (rng, rollout, tally) = (&mut self.saved.rng, &mut *context.rollout, &mut *context.tally);
        let status = self.search.step(&mut Context { problem, rollout, rng, tally, horizon });
        let after = context.tally.counters;
        self.saved.made.playouts += after.playouts - before.playouts;
        self.saved.made.nodes += after.nodes - before.nodes;
        self.saved.steps += 1;
        if self.saved.steps >= FIRST_LOOK && self.saved.steps.is_power_of_two() {
            self.saved.judge(self.search.covered());
        }
        match status {
            Status::Exhausted(proof) => {
                self.saved.stage = Stage::Done;
                self.say();
                return Status::Exhausted(proof);
            }
            // The problem names it for proofs: its memory alone ends it.
            Status::Running if self.own.is_some() || self.patient || self.saved.cost() < self.saved.most() => {}
            // Judged once more before it is given up.
            Status::Running if !self.saved.small && self.is_small() => self.saved.small = true,
            _ => self.give_up(context),
        }
        Status::Running
    }

    /// Whether the tree seems to be small enough by what is done now.
    fn is_small(&mut self) -> bool {
        self.saved.judge(self.search.covered());
        self.saved.small
    }

    /// Whether a proof can be within reach: one way down a tree costs a small part of the nodes.
    fn is_promising(&mut self, context: &Context<'_>) -> bool {
        let Some(best) = &context.tally.best else { return false };
        if self.own.is_some() {
            return true;
        }
        let mut moves = Vec::new();
        context.problem.moves(&context.problem.root(), &mut moves);
        self.saved.way = (best.moves.len() as u64).saturating_mul(1 + moves.len() as u64);
        self.saved.way <= LONGEST * self.saved.asked()
    }

    /// Ends the attempt without a proof; what is known of the optimum stays.
    fn give_up(&mut self, context: &Context<'_>) {
        let sense = context.problem.sense();
        let left = self.search.open_bound();
        self.saved.bound = left.map(|left| context.incumbent().map_or(left, |value| sense.best_value(value, left)));
        (self.saved.stage, self.turn, self.patient) = (Stage::GivenUp, false, false);
        // Its memory is free.
        self.search = suited(None, context.problem, 0).1;
    }

    fn say(&mut self) {
        if self.saved.stage == Stage::Done {
            self.remark = vec![format!("proven by {} after {} nodes", self.name, self.saved.made.nodes)];
        }
    }

    /// See [`Search::open_bound`].
    pub(super) fn open_bound(&self) -> Option<f64> {
        if self.saved.stage == Stage::Running { self.search.open_bound() } else { self.saved.bound }
    }

    pub(super) fn remarks(&self) -> &[String] {
        &self.remark
    }

    pub(super) fn save(&self) -> SavedProof {
        SavedProof(self.saved.clone(), self.search.save())
    }

    pub(super) fn load(&mut self, problem: &dyn ErasedProblem, saved: SavedProof) -> Result<(), CheckpointError> {
        let SavedProof(saved, bytes) = saved;
        let known = saved.bound.is_none_or(|bound| !bound.is_nan());
        let sound = saved.share == self.saved.share && known;
        ensure(
            sound && saved.steps.max(saved.made.playouts) <= saved.cost() + saved.most() + SMALL as u64,
            "an attempt at a proof",
        )?;
        if saved.stage == Stage::GivenUp {
            self.search = suited(None, problem, 0).1;
        } else {
            self.search = suited(self.own, problem, self.memory).1;
        }
        self.search.load(problem, &bytes)?;
        self.saved = saved;
        self.say();
        Ok(())
    }
}

/// Returns the exact search that suits a problem, and its name.
fn suited(own: Option<SearchInfo>, problem: &dyn ErasedProblem, memory: u64) -> (&'static str, Box<dyn Search>) {
    if let Some(info) = own {
        return (info.name, Method::own(&info).build(problem, memory));
    }
    let root: State = problem.root();
    if problem.bound(&root).is_some() && problem.future(&root).is_some() {
        ("complete beam search", Method::from(Beam::complete()).build(problem, memory))
    } else {
        ("branch and bound", Method::from(BranchAndBound::default()).build(problem, memory))
    }
}

impl Stream<'_> {
    /// Makes a step of the first games, of the attempt at a proof or of the search. `by_time`: the attempt has turns.
    #[inline]
    pub(super) fn step(&mut self, by_time: bool) -> Status {
        if self.games > 0 && self.play_first() {
            return Status::Running;
        }
        if let Some(proof) = &self.proof
            && !self.search.is_divided()
            && if by_time { proof.turn } else { proof.is_divided() || proof.is_due(&self.tally) }
        {
            return self.try_proof();
        }
        let (search, mut context) = self.parts();
        search.step(&mut context)
    }

    /// Plays a first game, unless a solution is known. Returns whether it did.
    ///
    /// It draws from a generator of its own: the search draws what it would draw without it.
    #[cold]
    fn play_first(&mut self) -> bool {
        let number = self.games;
        let known = self.tally.best.as_ref().is_some_and(|best| best.score.value().is_some());
        self.games = if known { 0 } else { number - 1 };
        if known {
            return false;
        }
        let mut rng = Rng::new(stable_hash(&(self.rng.clone().next_u64(), number)));
        let score = self.rollout.sample(&mut rng);
        self.tally.count(score);
        if self.tally.wants(score) && !self.problem.has_failed() && !self.has_failed() {
            let (moves, identity): (Vec<MoveId>, u128) = self.rollout.sampled();
            self.tally.keep(Solution { score, moves }, identity);
        }
        true
    }

    #[inline(never)]
    fn try_proof(&mut self) -> Status {
        let Some(mut proof) = self.proof.take() else { return Status::Running };
        let (_, mut context) = self.parts();
        let status = proof.step(&mut context);
        self.proof = Some(proof);
        status
    }

    /// Returns what the search and the attempt at a proof have left over, the tighter of both.
    pub(super) fn open_bound(&self) -> Option<f64> {
        let sense = self.problem.sense();
        tighter(sense, self.search.open_bound(), self.proof.as_ref().and_then(|proof| proof.open_bound()))
    }

    /// Returns what the search and the attempt at a proof have decided and why, a line each.
    pub(super) fn remarks(&self) -> impl Iterator<Item = &String> {
        self.search.remarks().iter().chain(self.proof.iter().flat_map(|proof| proof.remarks()))
    }
}
