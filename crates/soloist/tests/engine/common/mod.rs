//! Problems and tools that the tests of the engine share.

pub(crate) mod logits;
pub(crate) mod tree;

use serde::{Deserialize, Serialize};
use soloist::problem::{Extras, Facts, Key, Prior, fingerprint, stable_hash};
use soloist::rollout::{NamedRollout, Playout, Rollout};
use soloist::run::{CheckpointError, RunInfo};
use soloist::search::parameters::Table;
use soloist::search::parameters::Uct;
use soloist::{Budget, Method, Outcome, Problem, Rng, Score, Sense, Solver};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// States, moves and scores of a problem that wraps another one in its first field.
macro_rules! rules_of {
    ($inner:ty) => {
        type State = <$inner as soloist::Problem>::State;
        type Move = <$inner as soloist::Problem>::Move;

        fn root(&self) -> Self::State {
            self.0.root()
        }
        fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>) {
            self.0.moves(state, moves);
        }
        fn apply(&self, state: &mut Self::State, mv: Self::Move) {
            self.0.apply(state, mv);
        }
        fn score(&self, state: &Self::State) -> soloist::Score {
            self.0.score(state)
        }
        fn sense(&self) -> soloist::Sense {
            soloist::Problem::sense(&self.0)
        }
    };
}
pub(crate) use rules_of;

/// A knapsack, packed item by item in any order; optionally upside down and with a least weight.
#[derive(Clone, Debug)]
pub(crate) struct Bag {
    /// Value and weight.
    pub(crate) items: Vec<(u32, u32)>,
    pub(crate) capacity: u32,
    /// Packings lighter than this are infeasible by the difference.
    pub(crate) least: u32,
    /// Scores are negated when smaller is better: the same problem in the mirror.
    pub(crate) sense: Sense,
}

impl Bag {
    /// Sixteen items; about seven of them fit.
    pub(crate) fn sixteen() -> Self {
        let values = [41, 55, 67, 12, 70, 23, 38, 90, 64, 17, 82, 35, 49, 28, 76, 59];
        let weights = [23, 26, 35, 7, 41, 13, 19, 51, 33, 10, 44, 21, 24, 17, 40, 29];
        let items = values.into_iter().zip(weights).collect();
        Self { items, capacity: 200, least: 0, sense: Sense::Maximize }
    }

    /// Twelve of them, small enough for proofs.
    pub(crate) fn twelve() -> Self {
        let mut bag = Self { capacity: 150, ..Self::sixteen() };
        bag.items.truncate(12);
        bag
    }

    /// As [`Bag::sixteen`], but most playouts end too light.
    pub(crate) fn tight() -> Self {
        Self { least: 197, ..Self::sixteen() }
    }

    pub(crate) fn mirrored(mut self) -> Self {
        self.sense = Sense::Minimize;
        self
    }

    pub(crate) fn optimum(&self) -> f64 {
        let mut best = vec![0; self.capacity as usize + 1];
        for &(value, weight) in &self.items {
            for room in (weight..=self.capacity).rev() {
                best[room as usize] = best[room as usize].max(best[(room - weight) as usize] + value);
            }
        }
        f64::from(best[self.capacity as usize])
    }
}

/// The set of packed items and what they weigh and are worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Packed {
    pub(crate) set: u64,
    weight: u32,
    value: u32,
}

impl Packed {
    /// Value and weight.
    pub(crate) fn totals(&self) -> (u32, u32) {
        (self.value, self.weight)
    }

    /// The set of items.
    pub(crate) fn items(&self) -> u64 {
        self.set
    }
}

impl Problem for Bag {
    type State = Packed;
    type Move = u8;

    fn root(&self) -> Packed {
        Packed::default()
    }

    fn moves(&self, state: &Packed, moves: &mut Vec<u8>) {
        for (item, &(_, weight)) in (0_u8..).zip(&self.items) {
            if state.set >> item & 1 == 0 && state.weight + weight <= self.capacity {
                moves.push(item);
            }
        }
    }

    fn apply(&self, state: &mut Packed, item: u8) {
        let (value, weight) = self.items[item as usize];
        state.set |= 1 << item;
        state.weight += weight;
        state.value += value;
    }

    fn score(&self, state: &Packed) -> Score {
        if state.weight < self.least {
            return Score::Infeasible(f64::from(self.least - state.weight));
        }
        let value = f64::from(state.value);
        Score::Feasible(if self.sense == Sense::Maximize { value } else { -value })
    }

    fn sense(&self) -> Sense {
        self.sense
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Bag {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![
            NamedRollout::uniform("uniform"),
            NamedRollout::new("learner", "skips draws that depend on the scores seen so far", |_| {
                Box::new(Learner::default())
            }),
        ]
    }
}

impl Prior<Bag> for Bag {
    fn bias(&self, _state: &Packed, item: u8) -> f64 {
        let (value, weight) = self.items[item as usize];
        f64::from(value) / f64::from(weight) - 1.5
    }
}

/// A rollout with memory: what it draws depends on all scores so far, so that losing its state shows.
#[derive(Default, Serialize, Deserialize)]
struct Learner(u64);

impl Rollout<Bag> for Learner {
    fn candidates(&mut self, problem: &Bag, state: &Packed, moves: &mut Vec<u8>) {
        problem.moves(state, moves);
        let count = moves.len();
        if count > 1 {
            moves.swap_remove(self.0 as usize % count);
        }
    }

    fn feedback(&mut self, score: Score) {
        let value = score.value().or(score.violation()).unwrap_or_default();
        self.0 = stable_hash(&(self.0, value.to_bits())) % 1_000;
    }

    fn save(&self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let bytes = bytes.try_into().map_err(|_| CheckpointError::Corrupt("the learner"))?;
        self.0 = u64::from_le_bytes(bytes);
        Ok(())
    }
}

/// Records the moves of every playout of the problem inside.
#[derive(Debug)]
pub(crate) struct Recorded<P: Problem> {
    pub(crate) inner: P,
    pub(crate) log: Mutex<Vec<Vec<P::Move>>>,
}

impl<P: Problem> Recorded<P> {
    pub(crate) fn new(inner: P) -> Self {
        Self { inner, log: Mutex::new(Vec::new()) }
    }

    /// What was recorded since the last call.
    pub(crate) fn take(&self) -> Vec<Vec<P::Move>> {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

impl<P: Problem> Problem for Recorded<P> {
    type State = (P::State, Vec<P::Move>);
    type Move = P::Move;

    fn root(&self) -> Self::State {
        (self.inner.root(), Vec::new())
    }

    fn moves(&self, state: &Self::State, moves: &mut Vec<P::Move>) {
        self.inner.moves(&state.0, moves);
    }

    fn apply(&self, state: &mut Self::State, mv: P::Move) {
        self.inner.apply(&mut state.0, mv);
        state.1.push(mv);
    }

    fn score(&self, state: &Self::State) -> Score {
        self.log.lock().unwrap().push(state.1.clone());
        self.inner.score(&state.0)
    }

    fn sense(&self) -> Sense {
        self.inner.sense()
    }

    fn code(&self, state: &Self::State, mv: P::Move) -> u64 {
        self.inner.code(&state.0, mv)
    }

    fn bound(&self, state: &Self::State) -> Option<f64> {
        self.inner.bound(&state.0)
    }

    fn potential(&self, state: &Self::State) -> Option<f64> {
        self.inner.potential(&state.0)
    }

    fn key(&self, state: &Self::State) -> Option<Key> {
        self.inner.key(&state.0)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts {
            code_count: self.inner.facts().code_count,
            is_complete: self.inner.facts().is_complete,
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl<P: Problem> Extras<Self> for Recorded<P> {
    // Not the default: that one scores walks, which are no playouts.
    fn fingerprint(&self) -> Option<u64> {
        Some(fingerprint(&self.inner))
    }
}

/// Returns what a move is worth before anything is learned.
pub(crate) fn bias<P: Problem>(problem: &P, state: &P::State, mv: P::Move) -> f64 {
    problem.prior().map_or(0.0, |prior| prior.bias(state, mv))
}

impl<P: Problem> Prior<Recorded<P>> for Recorded<P> {
    fn bias(&self, state: &<Recorded<P> as Problem>::State, mv: P::Move) -> f64 {
        bias(&self.inner, &state.0, mv)
    }

    fn terms(&self, state: &<Recorded<P> as Problem>::State, mv: P::Move, terms: &mut Vec<f64>) {
        match self.inner.prior() {
            Some(prior) => prior.terms(&state.0, mv, terms),
            None => terms.push(0.0),
        }
    }
}

/// The moves of every playout of a run.
pub(crate) fn recorded<P: Problem + Clone>(problem: &P, method: Method, seed: u64, playouts: u64) -> Vec<Vec<P::Move>> {
    let recorded = Recorded::new(problem.clone());
    Solver::new(&recorded, method)
        .without_replays()
        .rollout("random")
        .seed(seed)
        .budget(Budget::playouts(playouts))
        .run()
        .unwrap();
    recorded.take()
}

/// The same playouts, move by move.
pub(crate) fn assert_same<M: PartialEq + std::fmt::Debug>(got: &[Vec<M>], expected: &[Vec<M>], what: &str) {
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        assert_eq!(a, b, "playout {i} of {what}");
    }
    assert_eq!(got.len(), expected.len(), "{what}");
}

/// A preset with some parameters set.
pub(crate) fn method(name: &str, settings: &[(&str, &str)]) -> Method {
    let mut method = Method::preset(name).unwrap();
    for (key, value) in settings {
        method.set(key, value).unwrap();
    }
    method
}

/// Returns a tree search with other parameters: "name=value name=value".
pub(crate) fn altered(uct: &Uct, settings: &str) -> Uct {
    let mut uct = uct.clone();
    for setting in settings.split_whitespace() {
        let (name, value) = setting.split_once('=').unwrap();
        uct.set(name, value).unwrap();
    }
    uct
}

/// Every preset, and settings that take other paths through the code.
pub(crate) fn methods() -> Vec<Method> {
    let mut all: Vec<Method> = Method::presets().iter().map(soloist::search::Preset::method).collect();
    let more: &[(&str, &[(&str, &str)])] = &[
        ("sampling", &[("limit", "300")]),
        ("uct", &[("expansion", "all"), ("threshold", "3")]),
        ("uct", &[("value", "best"), ("normalization", "none"), ("c", "20")]),
        ("uct", &[("threshold", "0"), ("c", "1.414")]),
        ("uct-best", &[("expansion", "one"), ("normalization", "global")]),
        ("uct-best", &[("prune", "on"), ("threshold", "2")]),
        ("uct-best", &[("prune", "on"), ("expansion", "one"), ("theta", "3"), ("select_from", "4")]),
        ("uct-best-lazy", &[("prune", "on"), ("theta", "2"), ("c", "0.3"), ("history", "0.1")]),
        ("uct", &[("expansion", "lazy"), ("bias_weight", "0.2"), ("amaf", "true")]),
        ("uct", &[("expansion", "lazy"), ("fpu", "node"), ("move_playouts", "60")]),
        ("bmcts", &[("beam_limit", "60"), ("expansion", "lazy"), ("theta", "4")]),
        ("uct", &[("fpu", "constant"), ("fpu_value", "0.8"), ("bias_weight", "0.3")]),
        ("uct", &[("amaf", "true"), ("history", "0.2"), ("move_playouts", "60")]),
        ("uct", &[("playouts", "history"), ("select_from", "6")]),
        ("uct", &[("playouts", "adapted"), ("clamp", "3"), ("move_playouts", "80"), ("adapt_every", "3")]),
        ("uct", &[("transpositions", "true"), ("c", "0.5")]),
        ("sp-mcts", &[("transpositions", "true"), ("solver", "true")]),
        ("sp-mcts", &[("transpositions", "true"), ("restart_nodes", "90")]),
        ("uct", &[("transpositions", "true"), ("select_from", "6")]),
        ("uct-best", &[("log_base", "2"), ("prune", "on"), ("ties", "random")]),
        ("hd-nrpa", &[("level", "2"), ("iterations", "20"), ("threshold", "2"), ("adapting", "overwriting")]),
        ("hd-nrpa", &[("level", "2"), ("iterations", "20"), ("threshold", "2"), ("adapting", "caller")]),
        ("bmcts", &[("beam_limit", "60"), ("beam_shape", "1,3,2")]),
        ("beam", &[("width", "20"), ("split", "2")]),
        ("uct", &[("transpositions", "true"), ("move_playouts", "50"), ("amaf", "true")]),
        ("uct", &[("restart_nodes", "120"), ("keep_tree", "false"), ("move_playouts", "40"), ("final_move", "visits")]),
        ("bmcts", &[("beam_limit", "70"), ("c", "0.3")]),
        ("bmcts", &[("beam_limit", "50"), ("beam_rank", "best"), ("expansion", "all"), ("restarts", "false")]),
        ("sa-uct", &[("tree_playouts", "90"), ("c", "0.2"), ("solver", "true")]),
        ("sa-uct", &[("cooling", "depth"), ("tree_playouts", "130"), ("move_playouts", "40")]),
        ("uct", &[("cooling", "exponential"), ("tree_playouts", "200"), ("restarts", "false")]),
        ("anneal", &[("steps", "70"), ("reheats", "2"), ("end", "0.001")]),
        ("anneal", &[("steps", "200"), ("restarts", "false"), ("start", "0.02"), ("longest", "3")]),
        ("anneal", &[("swap", "0"), ("insert", "0"), ("block", "0"), ("reverse", "0"), ("steps", "40")]),
        ("anneal", &[("replace", "3"), ("adapt", "true")]),
        ("anneal", &[("runs", "3"), ("meet", "false")]),
        ("anneal", &[("depth", "10"), ("finish", "0.5")]),
        ("auto", &[("first", "1000")]),
        ("auto", &[("methods", "anneal,uct,cabs,nmcs"), ("race_part", "0.9")]),
        ("nmcs", &[("level", "1")]),
        ("nmcs", &[("level", "2"), ("restarts", "false")]),
        ("nmcs", &[("level", "5")]),
        ("nrpa", &[("level", "1"), ("iterations", "30")]),
        ("nrpa", &[("level", "2"), ("iterations", "20"), ("alpha", "0.5"), ("playouts", "4")]),
        ("nrpa", &[("level", "3"), ("iterations", "7"), ("bias_weight", "0.8"), ("temperature", "1.5")]),
        ("nrpa", &[("level", "2"), ("iterations", "25"), ("clamp", "2"), ("restarts", "false")]),
        ("nrpa", &[("level", "6"), ("iterations", "3")]),
        ("nrpa", &[("level", "2"), ("iterations", "9,5"), ("threshold", "2")]),
        ("nrpa", &[("level", "2"), ("iterations", "30"), ("bias_rate", "0.1")]),
        ("nrpa", &[("level", "3"), ("iterations", "12"), ("repetitions", "2")]),
        ("nrpa", &[("level", "2"), ("iterations", "12"), ("share", "leaf")]),
        ("nrpa", &[("level", "3"), ("iterations", "5"), ("share", "islands")]),
        ("hd-nrpa", &[("level", "2"), ("iterations", "12"), ("width", "1,4"), ("share", "islands")]),
        ("hd-nrpa", &[("level", "2"), ("iterations", "12"), ("threshold", "3"), ("bias_weight", "0.5")]),
        ("beam-nrpa", &[("level", "2"), ("iterations", "8"), ("width", "2,3"), ("playouts", "2")]),
        ("nmcs", &[("level", "2"), ("width", "3")]),
        ("nmcs", &[("level", "3"), ("width", "1,2,4")]),
        ("beam", &[("width", "30"), ("noise", "5")]),
        ("beam", &[("width", "5"), ("tie", "playouts"), ("merit", "none"), ("playouts", "2")]),
        ("beam", &[("width", "8"), ("noise", "9"), ("tie", "policy"), ("merge", "false")]),
        ("beam", &[("width", "20"), ("selective", "true"), ("merit", "bound")]),
        ("nrpa", &[("level", "2"), ("iterations", "8"), ("arms", "5"), ("race", "2")]),
        ("dfs", &[("shuffle", "all"), ("children", "given")]),
        ("best-first", &[("shuffle", "all"), ("table", "false")]),
        ("iterative-broadening", &[("shuffle", "all"), ("table", "false")]),
        ("ida-star", &[("shuffle", "all"), ("children", "given"), ("step", "2")]),
    ];
    all.extend(more.iter().map(|(name, settings)| method(name, settings)));
    all
}

/// Whether a method visits states in a fixed order instead of drawing: it neither finds good solutions early nor
/// depends on the seed unless it shuffles.
pub(crate) fn is_systematic(method: &Method) -> bool {
    matches!(method.table(), Table::BranchAndBound(_) | Table::IdaStar(_))
}

/// A path for a file of the test `name`, another one at each call.
pub(crate) fn scratch(name: &str) -> PathBuf {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("soloist-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(format!("{name}-{}", CALLS.fetch_add(1, Ordering::Relaxed)))
}

/// Checkpoints at the end of a run only, the one at its start aside.
pub(crate) const NEVER: Duration = Duration::from_secs(1 << 30);

/// Runs a solver with a checkpoint at the end; its outcome and the checkpoint.
pub(crate) fn run_and_save<P: Problem>(solver: Solver<'_, P>, name: &str) -> (Outcome<P::Move>, Vec<u8>) {
    let path = scratch(name);
    let outcome = solver.checkpoint(&path, NEVER).run().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    (outcome, bytes)
}

/// A checkpoint in two parts: what it says about the run, the time taken left out, and everything else, byte by byte.
pub(crate) fn without_time(checkpoint: &[u8]) -> (RunInfo, Vec<u8>) {
    let body = &checkpoint[28..checkpoint.len() - 4];
    let ((mut info, _), rest) = postcard::take_from_bytes::<(RunInfo, Vec<Duration>)>(body).unwrap();
    info.elapsed = Duration::ZERO;
    (info, rest.to_vec())
}

/// An outcome without the time taken.
pub(crate) fn timeless<M>(mut outcome: Outcome<M>) -> Outcome<M> {
    outcome.elapsed = Duration::ZERO;
    outcome
}

/// A budget of playouts, beside more nodes than any test makes: exact methods need a limit of nodes.
pub(crate) fn games(playouts: u64) -> Budget {
    Budget { nodes: Some(1 << 40), ..Budget::playouts(playouts) }
}

pub(crate) fn run<P: Problem>(problem: &P, method: &Method, seed: u64, playouts: u64) -> Outcome<P::Move> {
    Solver::new(problem, method.clone()).seed(seed).budget(games(playouts)).run().unwrap()
}

/// One uniform playout from `state`, by the draws that the engine documents.
pub(crate) fn playout<P: Problem>(problem: &P, state: &mut P::State, rng: &mut Rng) -> Vec<P::Move> {
    let mut playout = Playout::default();
    soloist::rollout::Uniform.run(problem, state, &mut playout, rng);
    playout.moves
}

/// A rollout that says that none of its playouts needs another one.
struct Once;

impl Rollout<Fenced> for Once {
    fn run(&mut self, problem: &Fenced, state: &mut Packed, playout: &mut Playout<u8>, rng: &mut Rng) {
        soloist::rollout::Uniform.run(problem, state, playout, rng);
        playout.mark_spent();
    }
}

/// A bag that is packed in the order of its items, with the bound of fractional packing.
#[derive(Clone, Debug)]
pub(crate) struct Fenced {
    pub(crate) bag: Bag,
    /// Items by value for weight.
    order: Vec<u8>,
}

impl Fenced {
    pub(crate) fn new(bag: Bag) -> Self {
        let ratio = |item: &u8| f64::from(bag.items[*item as usize].0) / f64::from(bag.items[*item as usize].1);
        let mut order: Vec<u8> = (0..bag.items.len() as u8).collect();
        order.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
        Self { bag, order }
    }
}

impl Problem for Fenced {
    type State = Packed;
    type Move = u8;

    fn root(&self) -> Packed {
        self.bag.root()
    }

    fn moves(&self, state: &Packed, moves: &mut Vec<u8>) {
        self.bag.moves(state, moves);
        moves.retain(|&item| state.set >> item == 0);
    }

    fn apply(&self, state: &mut Packed, item: u8) {
        self.bag.apply(state, item);
    }

    fn score(&self, state: &Packed) -> Score {
        self.bag.score(state)
    }

    fn sense(&self) -> Sense {
        self.bag.sense
    }

    fn bound(&self, state: &Packed) -> Option<f64> {
        let (mut room, mut value) = (f64::from(self.bag.capacity - state.weight), f64::from(state.value));
        for &item in &self.order {
            let (worth, weight) = self.bag.items[item as usize];
            if state.set >> item == 0 {
                let part = (room / f64::from(weight)).min(1.0);
                value += part * f64::from(worth);
                room -= part * f64::from(weight);
            }
        }
        Some(if self.bag.sense == Sense::Maximize { value } else { -value })
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Fenced {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::uniform("uniform"), NamedRollout::new("once", "plays once", |_| Box::new(Once))]
    }
}

impl Prior<Fenced> for Fenced {
    fn bias(&self, state: &Packed, item: u8) -> f64 {
        self.bag.bias(state, item)
    }
}
