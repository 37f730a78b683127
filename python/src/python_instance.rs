//! Instances that live in the Python program, as studies open them: by name, with their types erased.

use crate::compiled::{Compiled, Machine};
use crate::guard::Guard;
use crate::live::{PULSE, locked};
use crate::problem::{Functions, PyProblem};
use crate::request::solve_error;
use pyo3::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use soloist::check::Explanation;
use soloist::problem::{fingerprint, stable_hash};
use soloist::rollout::RolloutInfo;
use soloist::run::{CheckpointError, RunInfo, SavedRun, SolveError};
use soloist::{Problem, Score, Sense, Setup};
use soloist_problems::result::number;
use soloist_problems::{
    AnyInstance, AnyObserver, AnySession, Checked, Domain, Instance, InstanceError, LoadResult, Observed, Options,
    Registry, Report, Request, no_generator,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

/// What the runs of a study share.
#[derive(Default)]
pub(crate) struct Study {
    /// Ends all runs when it becomes true.
    pub(crate) stop: Arc<AtomicBool>,
    /// The first exception of a function of a problem.
    error: Mutex<Option<PyErr>>,
    /// The threads at work on functions of Python, as `threading.get_ident` numbers them.
    pub(crate) threads: Mutex<Vec<u64>>,
    /// The instances by name.
    hosts: HashMap<String, Host>,
    /// The shipped problem whose other instances are files and specs.
    domain: Option<&'static Domain>,
}

/// An instance of the program.
#[derive(Clone)]
pub(crate) enum Host {
    /// A problem that is written in Python, as machine code where there is some.
    Own(Arc<Functions>, Option<Arc<Machine>>),
    /// An instance of a shipped problem that no file holds, and a text that identifies it.
    Shipped(Arc<dyn AnyInstance>, String),
}

thread_local! {
    /// The study that this thread makes.
    static STUDY: RefCell<Option<Arc<Study>>> = const { RefCell::new(None) };
}

impl Study {
    pub(crate) fn new(hosts: HashMap<String, Host>, domain: Option<&'static Domain>) -> Arc<Self> {
        Arc::new(Self { hosts, domain, ..Self::default() })
    }

    /// Calls `work` on this thread, where instances are opened by name.
    pub(crate) fn with<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        STUDY.set(Some(Arc::clone(self)));
        let done = work();
        STUDY.set(None);
        done
    }

    /// Keeps the exception that ends the study.
    pub(crate) fn fail(&self, error: PyErr) {
        locked(&self.error).get_or_insert(error);
    }

    /// Takes the exception that has ended the study.
    pub(crate) fn take(&self) -> Option<PyErr> {
        locked(&self.error).take()
    }

    /// The problems of a study: the problem `name` of the program, or the shipped ones.
    pub(crate) fn registry(&self, name: &str) -> Registry {
        match self.domain {
            Some(_) if self.hosts.is_empty() => soloist_problems::registry(),
            Some(domain) => hosted(domain.name, true, |_| Domain { load, ..*domain }),
            None => hosted(name, false, |name| Domain {
                name,
                summary: "a problem written in Python",
                score: "its score",
                instance: "an object of the program",
                example: "",
                options: &[],
                searches: &[],
                load,
                generate: no_generator,
            }),
        }
    }
}

/// A registry of one domain, made once for each name: domains live as long as the process.
fn hosted(name: &str, is_shipped: bool, make: impl FnOnce(&'static str) -> Domain) -> Registry {
    type Made = HashMap<(String, bool), &'static [Domain]>;
    static ALL: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);
    let mut all = locked(&ALL);
    let domains = all.entry((name.to_owned(), is_shipped)).or_insert_with(|| {
        let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
        Box::leak(Box::new([make(name)]))
    });
    Registry::new(domains)
}

/// Opens an instance of the study on this thread.
fn load(name: &str, options: &Options) -> LoadResult {
    let study = STUDY.with_borrow(Clone::clone);
    let study =
        study.ok_or_else(|| InstanceError::new(name, "an object of a Python program, which cannot be opened"))?;
    let Some(host) = study.hosts.get(name).cloned() else {
        return match study.domain {
            Some(domain) => (domain.load)(name, options),
            None => Err(InstanceError::new(name, "no object of this name was given")),
        };
    };
    Ok(Box::new(Hosted::new(name, &host, study)))
}

/// An object of the program and what runs it.
struct Hosted {
    inner: Arc<dyn AnyInstance>,
    content: String,
    /// The functions of a problem that is written in Python, and what was compiled of them.
    own: Option<(String, Arc<Functions>, Option<Arc<Machine>>)>,
    study: Arc<Study>,
}

impl Hosted {
    fn new(name: &str, host: &Host, study: Arc<Study>) -> Self {
        let (inner, content, own): (Arc<dyn AnyInstance>, _, _) = match host {
            Host::Shipped(instance, content) => (Arc::clone(instance), content.clone(), None),
            Host::Own(functions, machine) => {
                let problem = PyProblem::guarded(Arc::clone(functions), study.guard());
                let content = study.at_work(|_| format!("{:016x}", fingerprint(&problem)));
                study.settle(&problem.guard);
                let (rules, shared) = (Arc::clone(functions), Arc::clone(&study));
                let name = name.to_owned();
                let own = Some((name.clone(), Arc::clone(&rules), machine.clone()));
                match machine.clone().map(Compiled::new) {
                    Some(problem) => (Arc::new(Own { name, problem, rules, study: shared }), content, own),
                    None => (Arc::new(Own { name, problem, rules, study: shared }), content, own),
                }
            }
        };
        Self { inner, content, own, study }
    }

    /// Runs the functions of Python, which hold the interpreter but for a pause now and then.
    fn run(
        &self,
        (name, rules): (&str, &Arc<Functions>),
        request: Request<'_>,
        observer: &mut dyn AnyObserver,
    ) -> Result<Report, SolveError> {
        self.study.at_work(|_| {
            let problem = PyProblem::guarded(Arc::clone(rules), self.study.guard());
            let guard = Arc::clone(&problem.guard);
            let (name, rules, study) = (name.to_owned(), Arc::clone(rules), Arc::clone(&self.study));
            let own = Own { name, problem, rules, study };
            let mut breath = Breath { observer, interval: request.interval, last: Instant::now() };
            let done = own.solve(Request { interval: PULSE, ..request }, &mut breath);
            self.study.settle(&guard);
            if let Err(error) = &done {
                self.study.fail(solve_error(error));
            }
            done
        })
    }
}

impl Hosted {
    /// Runs compiled functions, which need no interpreter. Their errors are those of one run.
    fn run_compiled(
        &self,
        (name, rules): (&str, &Arc<Functions>),
        machine: &Arc<Machine>,
        request: Request<'_>,
        observer: &mut dyn AnyObserver,
    ) -> Result<Report, SolveError> {
        let (name, rules, study) = (name.to_owned(), Arc::clone(rules), Arc::clone(&self.study));
        let own = Own { name, problem: Compiled::new(Arc::clone(machine)), rules, study };
        let done = own.solve(request, observer);
        if let Err(error) = Python::attach(|py| own.problem.checked(py)) {
            self.study.fail(error);
        }
        done
    }
}

impl Study {
    /// Calls functions of Python on this thread, which a second Ctrl-C ends.
    fn at_work<T>(&self, work: impl FnOnce(Python<'_>) -> T) -> T {
        Python::attach(|py| {
            let thread = py.import("threading").and_then(|module| module.call_method0("get_ident")?.extract::<u64>());
            // Without a number there is no way to interrupt it.
            let thread = thread.unwrap_or_default();
            locked(&self.threads).push(thread);
            let done = work(py);
            locked(&self.threads).retain(|&other| other != thread);
            done
        })
    }

    fn guard(&self) -> Arc<Guard> {
        Arc::new(Guard::stopped_by(Arc::clone(&self.stop)))
    }

    /// Takes the exception of a function over.
    fn settle(&self, guard: &Guard) {
        if let Some(error) = guard.take() {
            self.fail(error);
        }
    }
}

/// Lets other threads of the interpreter work, and reports as often as was asked for.
struct Breath<'a> {
    observer: &'a mut dyn AnyObserver,
    interval: Duration,
    last: Instant,
}

impl AnyObserver for Breath<'_> {
    fn on(&mut self, event: Observed<'_>) {
        if matches!(event, Observed::Progress(_)) {
            Python::attach(|py| py.detach(std::thread::yield_now));
            if self.last.elapsed() < self.interval {
                return;
            }
            self.last = Instant::now();
        }
        self.observer.on(event);
    }

    fn wants_insight(&self) -> bool {
        self.observer.wants_insight()
    }
}

impl AnyInstance for Hosted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn content(&self) -> String {
        self.content.clone()
    }

    fn prepare(&mut self, _: &mut dyn FnMut() -> bool) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn sense(&self) -> Sense {
        self.inner.sense()
    }

    fn bound(&self) -> Option<f64> {
        self.inner.bound()
    }

    fn pair(&self, score: f64) -> Option<(f64, f64)> {
        self.inner.pair(score)
    }

    fn is_complete(&self) -> bool {
        self.inner.is_complete()
    }

    fn default_setup(&self) -> Setup {
        self.inner.default_setup()
    }

    fn rollout_for(&self, setup: &Setup) -> String {
        self.inner.rollout_for(setup)
    }

    fn rollouts(&self) -> Vec<RolloutInfo> {
        self.inner.rollouts()
    }

    fn has_rollout(&self, name: &str) -> bool {
        self.inner.has_rollout(name)
    }

    fn read_header(&self, checkpoint: &[u8]) -> Result<RunInfo, CheckpointError> {
        self.inner.read_header(checkpoint)
    }

    fn read_checkpoint(&self, checkpoint: &[u8]) -> Result<SavedRun, CheckpointError> {
        self.inner.read_checkpoint(checkpoint)
    }

    fn start_from(&self, text: &str) -> Result<Value, String> {
        self.inner.start_from(text)
    }

    fn prefix_from(&self, text: &str) -> Result<Value, String> {
        self.inner.prefix_from(text)
    }

    fn solve(&self, request: Request<'_>, observer: &mut dyn AnyObserver) -> Result<Report, SolveError> {
        match &self.own {
            Some((name, rules, None)) => self.run((name, rules), request, observer),
            Some((name, rules, Some(machine))) => self.run_compiled((name, rules), machine, request, observer),
            None => self.inner.solve(request, observer),
        }
    }

    fn start(&self, request: Request<'_>) -> Result<Box<dyn AnySession + '_>, SolveError> {
        self.inner.start(request)
    }

    fn explain(
        &self,
        prefix: Option<&Value>,
        time: Duration,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Explanation, SolveError> {
        self.inner.explain(prefix, time, seed, stop)
    }

    fn constraints(&self) -> usize {
        self.inner.constraints()
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        self.inner.check(text)
    }

    fn brief(&self, score: Score, solution: &dyn Fn() -> Value) -> Option<String> {
        self.inner.brief(score, solution)
    }

    fn text(&self, solution: &Value) -> String {
        self.inner.text(solution)
    }

    fn svg(&self, solution: &Value) -> String {
        self.inner.svg(solution)
    }
}

/// A problem written in Python, or what numba has made of it; `rules` verify in both cases.
struct Own<P> {
    name: String,
    problem: P,
    rules: Arc<Functions>,
    study: Arc<Study>,
}

impl<P: Problem<Move: Serialize + DeserializeOwned>> Instance for Own<P> {
    type Problem = P;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        format!("{}: a problem written in Python", self.name)
    }

    fn problem(&self) -> &P {
        &self.problem
    }

    // As `solve` does it without a method.
    fn default_setup(&self) -> Setup {
        Setup::default()
    }

    fn solution(&self, moves: &[P::Move]) -> Value {
        json!({ "moves": moves })
    }

    /// Plays the moves by the functions of Python.
    fn check(&self, text: &str) -> Result<Checked, String> {
        if self.study.stop.load(Ordering::Relaxed) && locked(&self.study.error).is_some() {
            return Err("the study has failed".into());
        }
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let moves = value.get("moves").filter(|moves| !moves.is_null()).or_else(|| value.pointer("/solution/moves"));
        let moves = moves.and_then(Value::as_array).ok_or("no list `moves`")?;
        let problem = PyProblem::guarded(Arc::clone(&self.rules), self.study.guard());
        let played = self.study.at_work(|py| {
            let objects: PyResult<Vec<_>> = moves.iter().map(|mv| crate::value::from_json(py, mv)).collect();
            let played = problem.follow(py, pyo3::types::PyList::new(py, objects?)?.as_any())?;
            let (mut end, mut left) = (problem.root(), Vec::new());
            played.iter().for_each(|&mv| problem.apply(&mut end, mv));
            problem.moves(&end, &mut left);
            PyResult::Ok((left.len(), problem.score(&end)))
        });
        if let Some(error) = problem.guard.take() {
            let message = error.to_string();
            self.study.fail(error);
            return Err(message);
        }
        match played.map_err(|error| error.to_string())? {
            (0, Score::Feasible(score)) => {
                Ok(Checked { score, summary: format!("{} moves, legal by the problem's own rules", moves.len()) })
            }
            (0, Score::Infeasible(degree)) => Err(format!("infeasible by {}", number(degree))),
            (left, _) => Err(format!("not finished after {} moves: {left} more are possible", moves.len())),
        }
    }
}

/// A text that differs where the files of an instance differ.
pub(crate) fn identity(contents: &[(std::path::PathBuf, Vec<u8>)]) -> String {
    let hashes = contents.iter().map(|(_, bytes)| format!("{:016x}", stable_hash(&bytes[..])));
    hashes.collect::<Vec<_>>().join("-")
}
