//! The seam between the command line and the domains: problems by name, with their types erased.
//!
//! A domain implements [`Instance`] for its instance type and hands out one [`Domain`], which the registry lists.
//! Everything below the seam is compiled for the domain's own types.

use crate::answer::json;
use crate::{InstanceError, Parts, svg};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use soloist::check::Explanation;
use soloist::problem::search_infos;
use soloist::rollout::RolloutInfo;
use soloist::run::{CheckpointError, Improvement, Progress, RunInfo, SavedRun, SolveError, StopReason, TreeShape};
use soloist::search::Preset;
use soloist::search::parameters::{Entries, Entry};
use soloist::{Budget, Problem, Score, Sense, Setup};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A kind of problem that the command line knows.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// The name on the command line.
    pub name: &'static str,
    /// One line: what the problem asks for.
    pub summary: &'static str,
    /// What the score counts, with its unit and whether larger or smaller is better.
    pub score: &'static str,
    /// What an instance file holds and which specs exist.
    pub instance: &'static str,
    /// A spec or generator argument that works as it stands.
    pub example: &'static str,
    /// Choices of rules, set by `--set` like a method's parameters.
    pub options: &'static [DomainOption],
    /// The searches that its problems have of their own, as methods for lists.
    pub searches: &'static [Preset],
    /// Reads a file (or generates from a spec). [`open`](Self::open) also prepares the instance.
    pub load: fn(&str, &Options) -> LoadResult,
    /// Writes the instance of a spec in the domain's file format.
    pub generate: fn(&str) -> Result<String, InstanceError>,
}

/// The result of loading an instance.
pub type LoadResult = Result<Box<dyn AnyInstance>, InstanceError>;

impl Domain {
    /// Loads an instance and [prepares](AnyInstance::prepare) it in full, however long that takes.
    ///
    /// # Errors
    /// Those of `load`, and what cannot be prepared.
    pub fn open(&self, instance: &str, options: &Options) -> LoadResult {
        let mut loaded = (self.load)(instance, options)?;
        loaded.prepare(&mut || true).map_err(|error| InstanceError::new(instance, error))?;
        Ok(loaded)
    }

    /// Adds the defaults of the options that are not set, so that a result lists all rules in force.
    #[must_use]
    pub fn with_defaults(&self, mut options: Options) -> Options {
        for option in self.options {
            if let Some(default) = option.values.first() {
                options.entry(option.name.to_owned()).or_insert_with(|| (*default).to_owned());
            }
        }
        options
    }

    /// Returns whether an option has this value where nobody sets it. `false`: the problem has no such option.
    #[must_use]
    pub fn is_usual(&self, option: &str, value: &str) -> bool {
        let option = self.options.iter().find(|one| one.name == option);
        option.and_then(|option| option.values.first()) == Some(&value)
    }

    /// Returns the names of the options, for messages.
    #[must_use]
    pub fn option_names(&self) -> String {
        let names: Vec<_> = self.options.iter().map(|option| option.name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

/// A choice of rules.
#[derive(Clone, Copy, Debug)]
pub struct DomainOption {
    /// Its name.
    pub name: &'static str,
    /// The values, the default first: words, and ranges of whole numbers such as `1..10000`.
    pub values: &'static [&'static str],
    /// One line of help.
    pub help: &'static str,
}

impl DomainOption {
    /// Returns whether a value is one of these words, or a number of one of these ranges without sign and leading
    /// zeros.
    #[must_use]
    pub fn accepts(&self, value: &str) -> bool {
        self.values.iter().any(|one| match one.split_once("..") {
            Some((low, high)) => {
                let number = |text: &str| text.parse::<u64>().ok().filter(|number| number.to_string() == text);
                let [low, high] = [low, high].map(|end| number(end).expect("the ends of a range are whole numbers"));
                number(value).is_some_and(|number| (low..=high).contains(&number))
            }
            None => *one == value,
        })
    }
}

/// Chosen values of [`DomainOption`]s by name; absent: the default.
pub type Options = BTreeMap<String, String>;

/// A run asked for. The default: the instance's own method and rollout, seed 0, one thread, no limits.
#[derive(Debug, Default)]
pub struct Request<'a> {
    /// Method, rollout, seed and threads; `None`: the instance's default. A setup without a rollout gets the one that
    /// the instance has for it.
    pub setup: Option<Setup>,
    /// When to stop.
    pub budget: Budget,
    /// The budget of the whole run where this is a part of it, for methods that plan ahead; `None`: `budget`.
    pub plan: Option<Budget>,
    /// The moves of known solutions to start from, as [`AnyInstance::start_from`] reads them.
    pub start: Vec<Value>,
    /// Moves that every solution begins with, as [`AnyInstance::prefix_from`] reads them. A run that is continued has
    /// those that it had before.
    pub prefix: Option<Value>,
    /// How many of the best different solutions are kept; 0 counts as 1.
    pub keep: usize,
    /// Time between progress reports.
    pub interval: Duration,
    /// Where and how often to write checkpoints.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// The content of a checkpoint to continue; its setup wins.
    pub resume: Option<Vec<u8>>,
    /// Ends the run when it becomes true.
    pub stop: Option<&'a AtomicBool>,
}

/// What happens in a run.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Observed<'a> {
    /// A better solution was found.
    Improved {
        /// The score and the place of the solution in the run.
        improvement: &'a Improvement,
        /// How far the run is.
        progress: &'a Progress,
        /// Renders the solution in the problem's own terms.
        solution: &'a dyn Fn() -> Value,
    },
    /// The interval passed.
    Progress(&'a Progress),
    /// A checkpoint could not be written; it is tried again after the next interval.
    Unsaved(&'a CheckpointError),
    /// See [`soloist::run::Observer::scores`].
    Scores(&'a [f64]),
    /// See [`soloist::run::Observer::gauges`].
    Gauges(&'a [(&'static str, f64)]),
}

impl std::fmt::Debug for Observed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Improved { improvement, .. } => f.debug_tuple("Improved").field(improvement).finish(),
            Self::Progress(progress) => f.debug_tuple("Progress").field(progress).finish(),
            Self::Unsaved(error) => f.debug_tuple("Unsaved").field(error).finish(),
            Self::Scores(scores) => f.debug_tuple("Scores").field(scores).finish(),
            Self::Gauges(gauges) => f.debug_tuple("Gauges").field(gauges).finish(),
        }
    }
}

/// Receives the events of a run.
pub trait AnyObserver: Send {
    /// Something happened.
    fn on(&mut self, event: Observed<'_>);
    /// See [`soloist::run::Observer::wants_insight`].
    fn wants_insight(&self) -> bool {
        false
    }
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl AnyObserver for Unobserved {
    fn on(&mut self, _: Observed<'_>) {}
}

/// An observer that may be absent.
impl<O: AnyObserver> AnyObserver for Option<O> {
    fn on(&mut self, event: Observed<'_>) {
        if let Some(observer) = self {
            observer.on(event);
        }
    }
    fn wants_insight(&self) -> bool {
        self.as_ref().is_some_and(O::wants_insight)
    }
}

/// Two observers that both receive every event, the first one first.
impl<A: AnyObserver, B: AnyObserver> AnyObserver for (A, B) {
    fn on(&mut self, event: Observed<'_>) {
        self.0.on(event);
        self.1.on(event);
    }
    fn wants_insight(&self) -> bool {
        self.0.wants_insight() || self.1.wants_insight()
    }
}

/// A solution in terms that need no types.
#[derive(Clone, Debug, PartialEq)]
pub struct SolutionReport {
    /// The score.
    pub score: Score,
    /// The moves as the search made them.
    pub moves: Value,
    /// The answer in the problem's own terms.
    pub solution: Value,
    /// What the score consists of; empty where the problem does not say it.
    pub parts: Parts,
}

/// The result of a run in terms that need no types.
#[derive(Clone, Debug)]
pub struct Report {
    /// The setup that ran, with effort and time.
    pub run: RunInfo,
    /// The best different solutions, best first: one, or as many as were to be kept. Empty: no playout ended.
    pub answers: Vec<SolutionReport>,
    /// The number of moves that every solution had to begin with. Bounds and proofs speak of such solutions alone.
    pub prefix: usize,
    /// The nodes of tree searches.
    pub tree: TreeShape,
    /// An optimistic bound.
    pub bound: Option<f64>,
    /// Whether the best solution is feasible and proven optimal.
    pub optimal: bool,
    /// Whether it is proven that no solution is feasible.
    pub infeasible: bool,
    /// Why the run ended.
    pub stop: StopReason,
    /// Why the last checkpoint could not be written, when it could not.
    pub unsaved: Option<String>,
    /// Improvements over the run.
    pub history: Vec<Improvement>,
    /// What the method has decided and why, a line each.
    pub remarks: Vec<String>,
}

impl Report {
    /// Returns the best solution.
    #[must_use]
    pub fn best(&self) -> Option<&SolutionReport> {
        self.answers.first()
    }

    /// Returns the best score; `None`: no playout ended.
    #[must_use]
    pub fn score(&self) -> Option<Score> {
        self.best().map(|best| best.score)
    }

    /// Returns the moves of the best solution as the search made them; null without one.
    #[must_use]
    pub fn moves(&self) -> &Value {
        self.best().map_or(&Value::Null, |best| &best.moves)
    }

    /// Returns the best solution in the problem's own terms; null without one.
    #[must_use]
    pub fn solution(&self) -> &Value {
        self.best().map_or(&Value::Null, |best| &best.solution)
    }
}

/// What an independent check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The recomputed score.
    pub score: f64,
    /// One line: what was verified.
    pub summary: String,
}

/// A run that lives, in terms that need no types; see [`soloist::run::Session`].
pub trait AnySession: Send {
    /// Runs until the slice is used up, the run ends or `stop` becomes true, and returns why it stopped.
    ///
    /// # Errors
    /// When the problem or the rollout has reported an error.
    fn advance(
        &mut self,
        slice: &Budget,
        stop: Option<&AtomicBool>,
        observer: &mut dyn AnyObserver,
    ) -> Result<StopReason, SolveError>;
    /// Gives the run a solution from outside, as [`AnyInstance::start_from`] reads it, and returns its score.
    ///
    /// # Errors
    /// When the moves are not a finished solution of this instance.
    fn offer(&mut self, moves: &Value) -> Result<Score, SolveError>;
    /// The whole run as bytes, the content of a checkpoint.
    fn save(&self) -> Vec<u8>;
    /// What the run has yielded so far.
    fn report(&self) -> Report;
}

/// An instance ready to be solved, its types erased.
pub trait AnyInstance: Send + Sync {
    /// Name of the instance, as results print it.
    fn name(&self) -> &str;
    /// One line: sizes and rules in force.
    fn describe(&self) -> String;
    /// See [`Instance::content`].
    fn content(&self) -> String;
    /// See [`Instance::remarks`].
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// Computes what the options ask for before a search begins and what may take long. Calls `go_on` often and ends
    /// soon after it has returned false. Returns a line that says what was left undone; the instance works without it.
    ///
    /// # Errors
    /// One line: what cannot be computed for this instance.
    fn prepare(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Option<String>, String>;
    /// The direction of improvement.
    fn sense(&self) -> Sense;
    /// The problem's bound on the scores of all solutions; `None` if it has no bound.
    fn bound(&self) -> Option<f64>;
    /// The two numbers that a score stands for; `None`: it is one number. See [`Instance::pair`].
    fn pair(&self, score: f64) -> Option<(f64, f64)>;
    /// Whether the search space holds every solution, so that a bound that is reached proves optimality.
    fn is_complete(&self) -> bool;
    /// The setup that serves most users best, with its rollout.
    fn default_setup(&self) -> Setup;
    /// The rollout for a setup that does not name one.
    fn rollout_for(&self, setup: &Setup) -> String;
    /// The rollouts that exist, `random` included.
    fn rollouts(&self) -> Vec<RolloutInfo>;
    /// Whether `name` selects a rollout, its argument (`tabu-color:0.01`) included.
    fn has_rollout(&self, name: &str) -> bool;
    /// Reads what a checkpoint of this instance says about its run.
    ///
    /// # Errors
    /// When it is damaged or belongs to another instance.
    fn read_header(&self, checkpoint: &[u8]) -> Result<RunInfo, CheckpointError>;
    /// Reads all that a checkpoint of this instance says about its run, which takes as much memory as the checkpoint.
    ///
    /// # Errors
    /// Same as for [`read_header`](Self::read_header).
    fn read_checkpoint(&self, checkpoint: &[u8]) -> Result<SavedRun, CheckpointError>;
    /// Reads a solution to start from (the text of a result JSON or of the domain's own format) and returns its moves.
    ///
    /// # Errors
    /// One line: what is wrong and where.
    fn start_from(&self, text: &str) -> Result<Value, String>;

    /// Reads moves that every solution of a run begins with, for [`Request::prefix`]: a list, an object with `moves`,
    /// or what [`Instance::read_prefix`] reads.
    ///
    /// # Errors
    /// The first move that is not legal, or why the text is neither.
    fn prefix_from(&self, text: &str) -> Result<Value, String>;
    /// Runs a search to its end.
    ///
    /// # Errors
    /// When the rollout is unknown, a checkpoint cannot be read or written, or the problem fails.
    fn solve(&self, request: Request<'_>, observer: &mut dyn AnyObserver) -> Result<Report, SolveError>;
    /// Starts a run without advancing it. The interval and the checkpoint file of the request are ignored. Its limits
    /// are those of the whole run, for methods that plan ahead; what ends the run are its slices and the memory limit.
    ///
    /// # Errors
    /// When the rollout is unknown or the checkpoint to continue is damaged.
    fn start(&self, request: Request<'_>) -> Result<Box<dyn AnySession + '_>, SolveError>;
    /// Looks for constraints of the instance that cannot hold together; see [`soloist::check::explain()`]. With the
    /// moves of a game, as [`prefix_from`](Self::prefix_from) reads them, it looks for those that cannot all stay at
    /// their steps; see [`soloist::check::explain_decisions`].
    ///
    /// # Errors
    /// When a move is not legal or a search fails.
    fn explain(
        &self,
        prefix: Option<&Value>,
        time: Duration,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Explanation, SolveError>;
    /// How many constraints the instance names; 0: nothing can be explained.
    fn constraints(&self) -> usize;
    /// See [`Instance::unexplained`].
    fn unexplained(&self) -> Option<String> {
        None
    }
    /// Verifies a solution (the text of a result JSON or of the domain's own format) by code that shares nothing with
    /// the search.
    ///
    /// # Errors
    /// One line: what is wrong and where.
    fn check(&self, text: &str) -> Result<Checked, String>;
    /// Plays moves as results show them, a list, to the end of the solution that they make. `None`: they are not read
    /// back.
    ///
    /// # Errors
    /// One line: the first move that is not legal, or that the solution is not finished behind them.
    fn replay(&self, _moves: &Value) -> Result<Option<SolutionReport>, String> {
        Ok(None)
    }
    /// What a score means in a few words, for lines of progress; `solution` renders the solution that has it. `None`:
    /// the number says it.
    fn brief(&self, score: Score, solution: &dyn Fn() -> Value) -> Option<String>;
    /// A solution (as in [`SolutionReport::solution`]) for people to read and follow.
    fn text(&self, solution: &Value) -> String;
    /// A solution as a drawing.
    fn svg(&self, solution: &Value) -> String;
    /// A solution in the text format in which the field publishes solutions, for files `.sol`. `None`: there is none.
    fn published(&self, _solution: &Value) -> Option<String> {
        None
    }
}

/// How a [remark](Instance::remarks) begins that is a warning.
pub const WARNING: &str = "warning: ";

/// The move type of an instance's problem.
pub(crate) type MoveOf<I> = <<I as Instance>::Problem as Problem>::Move;

/// What a domain implements for its instance type; [`AnyInstance`] follows.
pub trait Instance: Send + Sync {
    /// The problem that is searched. Results and events hold its moves as JSON.
    type Problem: Problem<Move: Serialize + DeserializeOwned>;
    /// See [`AnyInstance::name`].
    fn name(&self) -> &str;
    /// See [`AnyInstance::describe`].
    fn describe(&self) -> String;
    /// A text that differs between instances of equal names, for comparisons that continue a file of runs. By default
    /// empty: the spec says everything, or the file is compared.
    fn content(&self) -> String {
        String::new()
    }
    /// What everybody who sees a result of this instance has to know, a line each: which of two problems was solved,
    /// and, behind the word [`WARNING`], what suggests that the file means something else than what was read. The
    /// command says it before a search, and results hold it. By default nothing.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// Why the problem names no constraints of this instance, and what helps, in one line. By default the problem never
    /// does.
    fn unexplained(&self) -> Option<String> {
        None
    }
    /// What a proof of optimality leaves open for a solution of this score, in one line. By default nothing.
    fn proof_remark(&self, _score: f64) -> Option<String> {
        None
    }
    /// See [`AnyInstance::prepare`]. By default there is nothing to compute.
    ///
    /// # Errors
    /// One line: what cannot be computed for this instance.
    fn prepare(&mut self, _go_on: &mut dyn FnMut() -> bool) -> Result<Option<String>, String> {
        Ok(None)
    }
    /// The instance and its rules.
    fn problem(&self) -> &Self::Problem;
    /// The setup that serves most users best; without a rollout, [`rollout_for`](Self::rollout_for) names it. By
    /// default the first method of the problem's [portfolio](soloist::problem::Extras::portfolio), or `auto` where that
    /// is empty, with an attempt at a [proof](Self::proof_part).
    fn default_setup(&self) -> Setup {
        portfolio(self.problem()).first().map_or_else(Setup::default, Entry::setup).proof(self.proof_part())
    }
    /// The part of the effort of the default setup that is for an attempt at a [proof](Setup::proof). By default a
    /// small one; a half suits instances that exact search may solve within seconds.
    fn proof_part(&self) -> f64 {
        Setup::PROOF
    }
    /// See [`AnyInstance::rollout_for`]. By default that of the preset in the problem's
    /// [portfolio](soloist::problem::Extras::portfolio), or the [default](Setup::default_rollout).
    fn rollout_for(&self, setup: &Setup) -> String {
        let entries = portfolio(self.problem());
        let named = entries.iter().find(|entry| entry.preset() == setup.preset).and_then(Entry::rollout);
        named.unwrap_or_else(|| setup.default_rollout(self.problem())).to_owned()
    }
    /// Returns the two numbers that a score stands for, where it encodes an objective in two levels (vehicles, then
    /// distance): the one that counts first in front, both in the problem's sense. They are what people are shown;
    /// searches compare the score. `None`: the score is one number.
    fn pair(&self, _score: f64) -> Option<(f64, f64)> {
        None
    }
    /// The answer in the problem's own terms, from the moves of the search.
    fn solution(&self, moves: &[MoveOf<Self>]) -> Value;
    /// The moves as results print them. By default as serde writes them.
    fn moves(&self, moves: &[MoveOf<Self>]) -> Value {
        serde_json::to_value(moves).unwrap_or_default()
    }
    /// Whether [`moves`](Self::moves) writes the moves of the search, so that they can be replayed. By default it does.
    fn shows_moves(&self) -> bool {
        true
    }
    /// The moves that [`moves`](Self::moves) has written, where each can be read by itself. `None`: they cannot. By
    /// default as serde reads them.
    fn moves_from(&self, shown: &Value) -> Option<Vec<MoveOf<Self>>> {
        serde_json::from_value(shown.clone()).ok()
    }
    /// The moves of the search that lead to a solution: the text of a result JSON or of the domain's own format. By
    /// default the `moves` of a result are read as serde reads them.
    ///
    /// # Errors
    /// One line: what is wrong and where.
    fn start_from(&self, text: &str) -> Result<Vec<MoveOf<Self>>, String> {
        let value = json("solution", text)?;
        let moves = value.get("moves").ok_or("holds no `moves`")?;
        serde_json::from_value(moves.clone()).map_err(|error| format!("`moves`: {error}"))
    }
    /// The moves of the search that lead to a solution that is only begun, in the same notations. By default it must be
    /// whole.
    ///
    /// # Errors
    /// One line: what is wrong and where.
    fn read_prefix(&self, text: &str) -> Result<Vec<MoveOf<Self>>, String> {
        self.start_from(text)
    }
    /// See [`AnyInstance::check`].
    ///
    /// # Errors
    /// One line: what is wrong and where.
    fn check(&self, text: &str) -> Result<Checked, String>;
    /// See [`AnyInstance::brief`]. By default the number says it.
    fn brief(&self, _score: Score, _solution: &dyn Fn() -> Value) -> Option<String> {
        None
    }
    /// See [`AnyInstance::text`]. By default the solution as JSON.
    fn text(&self, solution: &Value) -> String {
        format!("{solution:#}\n")
    }
    /// See [`AnyInstance::svg`]. By default a page with the [text](Self::text).
    fn svg(&self, solution: &Value) -> String {
        svg::of_text(&self.text(solution))
    }
    /// See [`AnyInstance::published`]. By default there is no such format.
    fn published(&self, _solution: &Value) -> Option<String> {
        None
    }
}

/// The methods that a problem names; empty where one of them cannot run, which a run reports.
fn portfolio<P: Problem>(problem: &P) -> Vec<Entry> {
    let Ok(mut entries) = Entries::of(&problem.extras().portfolio()) else { return Vec::new() };
    if entries.resolve(&search_infos(problem)).is_ok() { entries.entries().to_vec() } else { Vec::new() }
}

/// Plays a solution from outside: `choose` names the next move among the legal ones of each state, until the state is
/// finished. For [`Instance::start_from`].
///
/// # Errors
/// The first error of `choose`.
pub fn follow<P: Problem>(
    problem: &P,
    mut choose: impl FnMut(&P::State, &[P::Move]) -> Result<P::Move, String>,
) -> Result<Vec<P::Move>, String> {
    let (mut state, mut legal, mut played) = (problem.root(), Vec::new(), Vec::new());
    loop {
        legal.clear();
        problem.moves(&state, &mut legal);
        if legal.is_empty() {
            return Ok(played);
        }
        let mv = choose(&state, &legal)?;
        problem.apply(&mut state, mv);
        played.push(mv);
    }
}

/// Plays all of `steps` from outside, which may end before the solution does: `choose` names the move that a step is
/// among the legal ones. For [`Instance::read_prefix`].
///
/// # Errors
/// The first error of `choose`, or the number, from 1, of a step behind the end of the solution.
pub fn follow_steps<P: Problem, S>(
    problem: &P,
    steps: impl IntoIterator<Item = S>,
    mut choose: impl FnMut(S, &P::State, &[P::Move]) -> Result<P::Move, String>,
) -> Result<Vec<P::Move>, String> {
    let (mut state, mut legal, mut played) = (problem.root(), Vec::new(), Vec::new());
    for step in steps {
        legal.clear();
        problem.moves(&state, &mut legal);
        if legal.is_empty() {
            return Err(format!("move {}: the solution ends before it", played.len() + 1));
        }
        let mv = choose(step, &state, &legal)?;
        problem.apply(&mut state, mv);
        played.push(mv);
    }
    Ok(played)
}

/// For [`Domain::generate`] of a domain without a generator.
///
/// # Errors
/// Always.
pub fn no_generator(spec: &str) -> Result<String, InstanceError> {
    Err(InstanceError::new(spec, "this problem has no generator of instances"))
}
