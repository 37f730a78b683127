//! The problems that ship: instances by name, runs without the interpreter's lock.

use crate::calls::{Calls, REPORT, Watch};
use crate::errors::{InstanceError, InvalidSolution};
use crate::live::{Live, PULSE, beside, locked};
use crate::python_problem::{Explained, explained, seconds};
use crate::request::{Request, instance_error, solve_error, spec_error};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;
use soloist::Setup;
use soloist::run::SolveError;
use soloist_problems::contents::{Contents, with_contents};
use soloist_problems::result::{self, Asked};
use soloist_problems::verification::verify_all;
use soloist_problems::{
    AnyInstance, AnyObserver, AnySession, Domain, Limits, Observed, Options, Report, ResolvedRun, RunRecord, RunSpec,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};

/// Lets handlers of signals run until `wait` returns something. Ctrl-C and the callback that asks for it set `stop`;
/// another exception does as well, and is returned.
fn attend<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    calls: &Calls,
    mut wait: impl FnMut() -> Option<T> + Send,
) -> (T, Option<PyErr>) {
    let mut raised = None;
    loop {
        if let Some(done) = py.detach(&mut wait) {
            return (done, raised);
        }
        look(py, stop, calls, &mut raised);
    }
}

/// Lets handlers of signals run once, and asks whether the run is to end.
fn look(py: Python<'_>, stop: &AtomicBool, calls: &Calls, raised: &mut Option<PyErr>) {
    match py.check_signals().and_then(|()| calls.wants_stop(py)) {
        Ok(false) => {}
        Ok(true) => stop.store(true, Ordering::SeqCst),
        Err(error) => {
            stop.store(true, Ordering::SeqCst);
            if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                raised.get_or_insert(error);
            }
        }
    }
}

/// Does `work` on a thread of its own, which needs no interpreter, until it is done or `stop` asks it to end.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    calls: &Calls,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let _live = Live::enter(stop)?;
    let mut raised = None;
    let done = beside(py, work, || look(py, stop, calls, &mut raised));
    raised.map_or(Ok(done), Err)
}

impl AnyObserver for Watch<'_> {
    fn on(&mut self, event: Observed<'_>) {
        match event {
            Observed::Improved { improvement, progress, solution } if self.calls.on_improve.is_some() => {
                let solution = solution().to_string();
                self.report(|py, calls| calls.improved(py, improvement, progress, || Ok((py.None(), Some(solution)))));
            }
            Observed::Progress(progress) if self.calls.on_progress.is_some() => {
                self.report(|py, calls| calls.progressed(py, progress));
            }
            _ => {}
        }
    }
}

/// An instance of a shipped problem.
#[pyclass(frozen, module = "soloist._soloist")]
pub(crate) struct Shipped {
    pub(crate) domain: &'static Domain,
    options: Options,
    pub(crate) instance: Arc<dyn AnyInstance>,
    /// What its files held.
    pub(crate) contents: Contents,
}

impl std::fmt::Debug for Shipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.domain.name, self.instance.name())
    }
}

/// Returns the domain of that name.
pub(crate) fn domain(name: &str) -> PyResult<&'static Domain> {
    let spec = RunSpec { problem: name.to_owned(), ..RunSpec::default() };
    spec.domain(soloist_problems::domains()).map_err(spec_error)
}

impl Shipped {
    /// The run that is asked for, as the command makes it.
    fn resolve(&self, request: &Request, spec: &RunSpec) -> PyResult<ResolvedRun> {
        let Some(bytes) = &request.resume else {
            let is_begun = request.prefix.is_some();
            let resolve = if is_begun { RunSpec::resolve_begun } else { RunSpec::resolve };
            return resolve(spec, self.domain, &*self.instance).map_err(spec_error);
        };
        let info = self.instance.read_header(bytes).map_err(|error| solve_error(&error.into()))?;
        let budget = spec.budget.budget(info.elapsed);
        Ok(ResolvedRun { setup: info.setup, budget, keep: request.keep })
    }

    fn starts(&self, py: Python<'_>, request: &Request) -> PyResult<Vec<Value>> {
        let Some(start) = &request.start else { return Ok(Vec::new()) };
        let text: String = start.extract(py)?;
        let moves = self.instance.start_from(&text).map_err(InvalidSolution::new_err)?;
        Ok(vec![moves])
    }

    /// The moves that every solution begins with.
    fn prefix(&self, py: Python<'_>, request: &Request) -> PyResult<Option<Value>> {
        let Some(prefix) = &request.prefix else { return Ok(None) };
        let text: String = prefix.extract(py)?;
        self.moves_of(&text).map(Some)
    }

    /// Reads moves that solutions begin with.
    fn moves_of(&self, text: &str) -> PyResult<Value> {
        self.instance.prefix_from(text).map_err(|error| PyValueError::new_err(format!("prefix: {error}")))
    }

    /// The result of a run as the command prints it, verified.
    fn finish(&self, report: &Report) -> PyResult<String> {
        verified(self.domain, &*self.instance, &self.options, report).map_err(PyRuntimeError::new_err)
    }
}

/// The result of a run as JSON, verified.
fn verified(domain: &Domain, instance: &dyn AnyInstance, options: &Options, report: &Report) -> Result<String, String> {
    let asked = Asked { domain, instance, options, setup: &report.run.setup };
    verify_all(asked, report)?;
    Ok(RunRecord::result(asked, report).line())
}

#[pymethods]
impl Shipped {
    #[new]
    #[pyo3(signature = (problem, instance, options, contents=None))]
    fn new(
        py: Python<'_>,
        problem: &str,
        instance: &str,
        options: Options,
        contents: Option<Contents>,
    ) -> PyResult<Self> {
        let domain = domain(problem)?;
        let spec = RunSpec { options: (&options).into(), ..RunSpec::default() };
        let options = spec.rules(domain).map_err(|error| PyValueError::new_err(error.message))?;
        let stop = Arc::new(AtomicBool::new(false));
        let load = || {
            let (loaded, contents) = with_contents(contents, || (domain.load)(instance, &options));
            let mut loaded = loaded?;
            let undone = loaded.prepare(&mut || !stop.load(Ordering::Relaxed));
            undone.map_err(|error| soloist_problems::InstanceError::new(instance, error))?;
            Ok((loaded, contents))
        };
        let (loaded, contents) =
            interruptible(py, &stop, &Calls::default(), load)?.map_err(|error| instance_error(instance, &error))?;
        if stop.load(Ordering::Relaxed) {
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        Ok(Self { domain, options, instance: loaded.into(), contents })
    }

    /// Paths and bytes of the files that were read; empty for a spec.
    #[getter]
    fn contents<'py>(&self, py: Python<'py>) -> Vec<(PathBuf, Bound<'py, PyBytes>)> {
        self.contents.iter().map(|(path, bytes)| (path.clone(), PyBytes::new(py, bytes))).collect()
    }

    #[getter]
    fn problem(&self) -> &'static str {
        self.domain.name
    }

    #[getter]
    fn name(&self) -> &str {
        self.instance.name()
    }

    #[getter]
    fn description(&self) -> String {
        self.instance.describe()
    }

    #[getter]
    fn options(&self) -> Options {
        self.options.clone()
    }

    #[getter]
    fn sense(&self) -> &'static str {
        result::sense(self.instance.sense())
    }

    #[getter]
    fn bound(&self) -> Option<f64> {
        self.instance.bound()
    }

    /// Method, parameters as JSON and rollout that run by default.
    #[getter]
    fn default(&self) -> (String, String, String) {
        let Setup { preset, method, rollout, .. } = self.instance.default_setup();
        (preset, result::line(&result::parameters(&method)), rollout.unwrap_or_default())
    }

    #[getter]
    fn rollouts(&self) -> Vec<(&'static str, &'static str)> {
        self.instance.rollouts().iter().map(|info| (info.name, info.help)).collect()
    }

    /// Runs a search to its end; returns the JSON of its result, and why a checkpoint could not be written.
    fn solve(&self, py: Python<'_>, request: Request) -> PyResult<(String, Option<String>)> {
        let spec = request.spec(Some(self.domain))?;
        let ResolvedRun { setup, budget, keep } = self.resolve(&request, &spec)?;
        let stop = Arc::new(AtomicBool::new(false));
        let run = soloist_problems::Request {
            setup: Some(setup),
            plan: None,
            budget,
            start: self.starts(py, &request)?,
            prefix: self.prefix(py, &request)?,
            keep,
            interval: REPORT,
            checkpoint: request.checkpoint()?,
            resume: request.resume,
            stop: Some(&stop),
        };
        let calls = request.calls;
        let mut watch = Watch { stop: &stop, calls: &calls, error: None };
        let done = interruptible(py, &stop, &calls, || self.instance.solve(run, &mut watch))?;
        if let Some(error) = watch.error {
            return Err(error);
        }
        let report = done.map_err(|error| solve_error(&error))?;
        Ok((self.finish(&report)?, report.unsaved))
    }

    /// Verifies a solution; returns its score and a line that says what was verified.
    fn check(&self, py: Python<'_>, text: &str) -> PyResult<(f64, String)> {
        let checked = py.detach(|| self.instance.check(text)).map_err(InvalidSolution::new_err)?;
        Ok((checked.score, checked.summary))
    }

    /// Looks for constraints that cannot hold together, or for moves that cannot all stay, for so many seconds.
    #[pyo3(signature = (time, seed, prefix=None))]
    fn explain(&self, py: Python<'_>, time: f64, seed: u64, prefix: Option<&str>) -> PyResult<Explained> {
        let moves = prefix.map(|text| self.moves_of(text)).transpose()?;
        let stop = Arc::new(AtomicBool::new(false));
        let work = || self.instance.explain(moves.as_ref(), seconds(time), seed, Some(&stop));
        let found = interruptible(py, &stop, &Calls::default(), work)?;
        if stop.load(Ordering::Relaxed) {
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        found.map(explained).map_err(|error| solve_error(&error))
    }

    /// A solution for people to read.
    fn text(&self, solution: &str) -> PyResult<String> {
        Ok(self.instance.text(&value(solution)?))
    }

    /// A solution as a drawing.
    fn svg(&self, solution: &str) -> PyResult<String> {
        Ok(self.instance.svg(&value(solution)?))
    }

    fn session(&self, py: Python<'_>, request: Request) -> PyResult<ShippedSession> {
        // What ends a session are its slices.
        let spec = RunSpec { budget: Limits::default(), ..request.spec(Some(self.domain))? };
        let ResolvedRun { setup, keep, .. } = self.resolve(&request, &spec)?;
        let run = soloist_problems::Request {
            setup: Some(setup),
            budget: request.limits()?,
            start: self.starts(py, &request)?,
            prefix: self.prefix(py, &request)?,
            keep,
            resume: request.resume,
            ..soloist_problems::Request::default()
        };
        let (jobs, inbox) = mpsc::channel::<Job>();
        let (ready, started) = mpsc::channel();
        let instance = Arc::clone(&self.instance);
        // The session borrows the instance, so that both live on a thread of their own.
        std::thread::spawn(move || {
            let mut session = match instance.start(run) {
                Ok(session) => session,
                Err(error) => {
                    let _ = ready.send(Err(error));
                    return;
                }
            };
            let _ = ready.send(Ok(()));
            for job in inbox {
                job(&mut *session);
            }
        });
        let session = ShippedSession {
            domain: self.domain,
            options: self.options.clone(),
            instance: Arc::clone(&self.instance),
            jobs: Mutex::new(jobs),
            stop: Arc::default(),
            busy: AtomicBool::new(false),
            process: std::process::id(),
        };
        session.wait(py, &Calls::default(), started)?.map_err(|error| solve_error(&error))?;
        Ok(session)
    }
}

/// Reads JSON that Python wrote.
fn value(json: &str) -> PyResult<Value> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Work for the thread of a session.
type Job = Box<dyn FnOnce(&mut dyn AnySession) + Send>;

/// A run on a shipped problem that lives.
#[pyclass(frozen, module = "soloist._soloist")]
pub(crate) struct ShippedSession {
    domain: &'static Domain,
    options: Options,
    instance: Arc<dyn AnyInstance>,
    jobs: Mutex<Sender<Job>>,
    stop: Arc<AtomicBool>,
    /// A call is at work.
    busy: AtomicBool,
    /// The process that has the thread of the session.
    process: u32,
}

/// Ends a call to a session, also when it fails.
struct Idle<'a>(&'a AtomicBool);

impl Drop for Idle<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl std::fmt::Debug for ShippedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "session on {} {}", self.domain.name, self.instance.name())
    }
}

impl ShippedSession {
    fn wait<T: Send + 'static>(&self, py: Python<'_>, calls: &Calls, answer: mpsc::Receiver<T>) -> PyResult<T> {
        let _live = Live::enter(&self.stop)?;
        let answer = Mutex::new(answer);
        let wait = || match locked(&answer).recv_timeout(PULSE) {
            Ok(done) => Some(Some(done)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(None),
        };
        let (done, raised) = attend(py, &self.stop, calls, wait);
        match (done, raised) {
            (_, Some(error)) => Err(error),
            (Some(done), None) => Ok(done),
            (None, None) => Err(PyRuntimeError::new_err("the session has ended by an internal error")),
        }
    }

    /// Marks the session as at work. A second call would wait for the first, which waits for it where it comes from a
    /// callback.
    fn begin(&self) -> PyResult<Idle<'_>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(format!(
                "the session belongs to process {}, and a fork does not take its thread along: save() it there before \
                 the fork, and Session.restore it here",
                self.process
            )));
        }
        if self.busy.swap(true, Ordering::Acquire) {
            return Err(PyRuntimeError::new_err("the session is at work: one call at a time"));
        }
        Ok(Idle(&self.busy))
    }

    /// Has work done by the thread that holds the session.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        calls: &Calls,
        work: impl FnOnce(&mut dyn AnySession) -> T + Send + 'static,
    ) -> PyResult<T> {
        let _idle = self.begin()?;
        let (sender, answer) = mpsc::channel();
        let job: Job = Box::new(move |session| {
            let _ = sender.send(work(session));
        });
        self.stop.store(false, Ordering::SeqCst);
        // A thread that has gone shows in the answer.
        let _ = locked(&self.jobs).send(job);
        self.wait(py, calls, answer)
    }

    /// As [`ask`](Self::ask), for calls that Ctrl-C ends by an exception.
    fn at_once<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AnySession) -> T + Send + 'static,
    ) -> PyResult<T> {
        let done = self.ask(py, &Calls::default(), work)?;
        // A later call resets the flag.
        if self.stop.swap(false, Ordering::SeqCst) { Err(PyKeyboardInterrupt::new_err(())) } else { Ok(done) }
    }
}

#[pymethods]
impl ShippedSession {
    fn advance(&self, py: Python<'_>, request: Request) -> PyResult<String> {
        let slice = request.limits()?;
        let (stop, calls) = (Arc::clone(&self.stop), Arc::new(request.calls));
        let heard = Arc::clone(&calls);
        let (done, error) = self.ask(py, &heard, move |session| {
            let mut watch = Watch { stop: &stop, calls: &calls, error: None };
            let done = session.advance(&slice, Some(&stop), &mut watch);
            (done, watch.error)
        })?;
        if let Some(error) = error {
            return Err(error);
        }
        done.map(|stop| stop.to_string()).map_err(|error| solve_error(&error))
    }

    fn offer(&self, py: Python<'_>, text: &str) -> PyResult<(Option<f64>, Option<f64>)> {
        let moves = self.instance.start_from(text).map_err(InvalidSolution::new_err)?;
        let score = self.at_once(py, move |session| session.offer(&moves))?;
        score.map(crate::python_problem::split).map_err(|error: SolveError| solve_error(&error))
    }

    fn save(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.at_once(py, |session| session.save())
    }

    /// Playouts, nodes and seconds so far.
    fn effort(&self, py: Python<'_>) -> PyResult<(u64, u64, f64)> {
        self.at_once(py, |session| {
            let run = session.report().run;
            (run.counters.playouts, run.counters.nodes, run.elapsed.as_secs_f64())
        })
    }

    /// Why the run stopped last.
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        self.at_once(py, |session| session.report().stop.to_string())
    }

    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let (domain, options, instance) = (self.domain, self.options.clone(), Arc::clone(&self.instance));
        let json = self.at_once(py, move |session| verified(domain, &*instance, &options, &session.report()))?;
        json.map_err(PyRuntimeError::new_err)
    }
}

/// Returns the instance of a spec in the problem's file format.
#[pyfunction]
pub(crate) fn generate(problem: &str, spec: &str) -> PyResult<String> {
    (domain(problem)?.generate)(spec).map_err(|error| InstanceError::new_err(error.to_string()))
}
