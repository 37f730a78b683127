//! The seam between the command line and the domains: problems by name, with their types erased.
//!
//! A domain implements [`Instance`] for its instance type and hands out one [`Domain`], which the registry lists. Everything below the
//! seam is compiled for the domain's own types.

use crate::InstanceError;
use serde_json::Value;
use soloist::{
    Budget, CheckpointError, Improvement, Method, Observer, Outcome, Problem, Progress, RolloutInfo, RunInfo, Score,
    Sense, Solution, SolveError, Solver,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A kind of problem that the command line knows.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// The name on the command line.
    pub name: &'static str,
    /// One line: what is to be done.
    pub summary: &'static str,
    /// What the score counts, with its unit and whether larger or smaller is better.
    pub score: &'static str,
    /// What an instance file holds and which specs exist.
    pub instance: &'static str,
    /// A spec or generator argument that works as it stands.
    pub example: &'static str,
    /// Choices of rules, set by `--set` like a method's parameters.
    pub options: &'static [DomainOption],
    /// Reads a file (or generates from a spec).
    pub load: fn(&str, &Options) -> LoadResult,
    /// Writes the instance of a spec in the domain's file format.
    pub generate: fn(&str) -> Result<String, InstanceError>,
}

/// An instance, or why there is none.
pub type LoadResult = Result<Box<dyn AnyInstance>, InstanceError>;

/// A choice of rules.
#[derive(Clone, Copy, Debug)]
pub struct DomainOption {
    /// Its name.
    pub name: &'static str,
    /// The values, the default first.
    pub values: &'static [&'static str],
    /// One line of help.
    pub help: &'static str,
}

/// Chosen values of [`DomainOption`]s by name; absent: the default.
pub type Options = BTreeMap<String, String>;

/// A run asked for. The default: the instance's own method and rollout, seed 0, one thread, no limits.
#[derive(Debug, Default)]
pub struct Request<'a> {
    /// The method; `None`: the instance's default.
    pub method: Option<Method>,
    /// The rollout; `None`: the default that goes with the method.
    pub rollout: Option<String>,
    /// The seed.
    pub seed: u64,
    /// Streams; 0 counts as 1.
    pub threads: usize,
    /// When to stop.
    pub budget: Budget,
    /// Time between progress reports.
    pub interval: Duration,
    /// Where and how often to write checkpoints.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// The content of a checkpoint to continue; its method, rollout, seed and threads win.
    pub resume: Option<Vec<u8>>,
    /// Ends the run when it becomes true.
    pub stop: Option<&'a AtomicBool>,
}

/// What is told during a run.
pub trait AnyObserver: Send {
    /// A better solution. `solution` renders it in the problem's own terms.
    fn improved(&mut self, _improvement: &Improvement, _progress: &Progress, _solution: &dyn Fn() -> Value) {}
    /// The interval passed.
    fn progress(&mut self, _progress: &Progress) {}
}

/// A observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl AnyObserver for Unobserved {}

/// The result of a run in terms that need no types.
#[derive(Clone, Debug)]
pub struct Report {
    /// Method, rollout, seed and threads that ran, with effort and time.
    pub run: RunInfo,
    /// The best score; `None`: no playout ended.
    pub score: Option<Score>,
    /// An optimistic bound.
    pub bound: Option<f64>,
    /// Whether the score is proven optimal.
    pub optimal: bool,
    /// Why the run ended.
    pub stop: soloist::StopReason,
    /// The moves as the search made them.
    pub moves: Value,
    /// The answer in the problem's own terms; null without one.
    pub solution: Value,
    /// Why the last checkpoint could not be written, when it could not.
    pub unsaved: Option<String>,
    /// Improvements over the run.
    pub history: Vec<Improvement>,
}

/// What an independent check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The recomputed score.
    pub score: f64,
    /// One line: what was verified.
    pub summary: String,
}

/// An instance ready to be solved, its types erased.
pub trait AnyInstance: Send + Sync {
    /// Name of the instance, as results print it.
    fn name(&self) -> &str;
    /// One line: sizes and rules in force.
    fn describe(&self) -> String;
    /// The direction of improvement.
    fn sense(&self) -> Sense;
    /// The method that serves most users best.
    fn default_method(&self) -> Method;
    /// The rollout that goes with `method`.
    fn default_rollout(&self, method: &Method) -> String;
    /// The rollouts that exist, `random` included.
    fn rollouts(&self) -> Vec<RolloutInfo>;
    /// Whether `name` selects a rollout, its argument (`tabu-color:0.01`) included.
    fn has_rollout(&self, name: &str) -> bool;
    /// Reads what a checkpoint of this instance says about its run.
    ///
    /// # Errors
    /// When it is damaged or belongs to another instance.
    fn inspect(&self, checkpoint: &[u8]) -> Result<RunInfo, CheckpointError>;
    /// Runs a search.
    ///
    /// # Errors
    /// When the rollout is unknown or a checkpoint cannot be read or written.
    fn solve(&self, request: Request<'_>, observer: &mut dyn AnyObserver) -> Result<Report, SolveError>;
    /// Verifies a solution (the text of a result JSON or of the domain's own format) by code that shares nothing with
    /// the search.
    ///
    /// # Errors
    /// One line: what is wrong and where.
    fn check(&self, text: &str) -> Result<Checked, String>;
    /// A solution (as in [`Report::solution`]) for people to read and follow.
    fn text(&self, solution: &Value) -> String;
    /// A solution as a drawing.
    fn svg(&self, solution: &Value) -> String;
}

/// What a domain implements for its instance type; [`AnyInstance`] follows.
pub trait Instance: Send + Sync {
    /// The problem that is searched.
    type Problem: Problem + Send;
    /// See [`AnyInstance::name`].
    fn name(&self) -> &str;
    /// See [`AnyInstance::describe`].
    fn describe(&self) -> String;
    /// The instance and its rules.
    fn problem(&self) -> &Self::Problem;
    /// See [`AnyInstance::default_method`].
    fn default_method(&self) -> Method;
    /// See [`AnyInstance::default_rollout`].
    fn default_rollout(&self, _method: &Method) -> String {
        self.problem().rollouts().first().map_or("random", |info| info.name).to_owned()
    }
    /// The answer in the problem's own terms, from the moves of the search.
    fn solution(&self, moves: &[<Self::Problem as Problem>::Move]) -> Value;
    /// The moves as results print them.
    fn moves(&self, moves: &[<Self::Problem as Problem>::Move]) -> Value;
    /// See [`AnyInstance::check`].
    ///
    /// # Errors
    /// One line: what is wrong and where.
    fn check(&self, text: &str) -> Result<Checked, String>;
    /// See [`AnyInstance::text`].
    fn text(&self, solution: &Value) -> String;
    /// See [`AnyInstance::svg`].
    fn svg(&self, solution: &Value) -> String;
}

impl<S: Instance> AnyInstance for S {
    fn name(&self) -> &str {
        Instance::name(self)
    }

    fn describe(&self) -> String {
        Instance::describe(self)
    }

    fn sense(&self) -> Sense {
        self.problem().sense()
    }

    fn default_method(&self) -> Method {
        Instance::default_method(self)
    }

    fn default_rollout(&self, method: &Method) -> String {
        Instance::default_rollout(self, method)
    }

    fn rollouts(&self) -> Vec<RolloutInfo> {
        let mut all = self.problem().rollouts().to_vec();
        if all.iter().all(|info| info.name != "random") {
            all.push(RolloutInfo { name: "random", help: "uniform over the legal moves" });
        }
        all
    }

    fn has_rollout(&self, name: &str) -> bool {
        soloist::find_rollout(self.problem(), name).is_ok()
    }

    fn inspect(&self, checkpoint: &[u8]) -> Result<RunInfo, CheckpointError> {
        let solver = Solver::new(self.problem(), Instance::default_method(self)).resume(checkpoint)?;
        Ok(solver.resumed().cloned().expect("just resumed"))
    }

    fn solve(&self, request: Request<'_>, observer: &mut dyn AnyObserver) -> Result<Report, SolveError> {
        let problem = self.problem();
        let method = request.method.unwrap_or_else(|| Instance::default_method(self));
        let mut run = RunInfo {
            rollout: request.rollout.unwrap_or_else(|| Instance::default_rollout(self, &method)),
            method: method.clone(),
            seed: request.seed,
            threads: request.threads.max(1),
            counters: soloist::Counters::default(),
            elapsed: Duration::ZERO,
        };
        let mut adapter = Adapter { instance: self, observer };
        let mut solver = Solver::new(problem, method)
            .rollout(&run.rollout)
            .seed(run.seed)
            .threads(run.threads)
            .budget(request.budget)
            .observer(&mut adapter, request.interval);
        if let Some((path, every)) = request.checkpoint {
            solver = solver.checkpoint(path, every);
        }
        if let Some(stop) = request.stop {
            solver = solver.stop_flag(stop);
        }
        if let Some(bytes) = request.resume {
            solver = solver.resume(&bytes)?;
            if let Some(info) = solver.resumed() {
                run.clone_from(info);
            }
        }
        let Outcome { best, bound, optimal, stop, counters, elapsed, unsaved, history } = solver.run()?;
        (run.counters, run.elapsed) = (counters, elapsed);
        let (score, moves, solution) = match &best {
            Some(best) => (Some(best.score), self.moves(&best.moves), self.solution(&best.moves)),
            None => (None, Value::Null, Value::Null),
        };
        Ok(Report { run, score, bound, optimal, stop, moves, solution, unsaved, history })
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        Instance::check(self, text)
    }

    fn text(&self, solution: &Value) -> String {
        Instance::text(self, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        Instance::svg(self, solution)
    }
}

/// Hands the engine's events on, with moves turned into solutions on demand.
struct Adapter<'a, S> {
    instance: &'a S,
    observer: &'a mut dyn AnyObserver,
}

impl<S: Instance> Observer<<S::Problem as Problem>::Move> for Adapter<'_, S> {
    fn improved(
        &mut self,
        improvement: &Improvement,
        solution: &Solution<<S::Problem as Problem>::Move>,
        progress: &Progress,
    ) {
        self.observer.improved(improvement, progress, &|| self.instance.solution(&solution.moves));
    }

    fn progress(&mut self, progress: &Progress) {
        self.observer.progress(progress);
    }
}
