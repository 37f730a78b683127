//! Comparisons, tunings, reports and the live view: `soloist-study` for Python programs.

use crate::builtin_problem::{Shipped, domain};
use crate::calls::asks_to_stop;
use crate::compiled::Machine;
use crate::live::{Live, beside, locked};
use crate::problem::Functions;
use crate::python_instance::{Host, Study, identity};
use crate::request::Request;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use soloist_problems::{RunSpec, Setting};
use soloist_study::bench::{Bench, Detail, Plan, Running, Shown};
use soloist_study::report::ReportSpec;
use soloist_study::serve;
use soloist_study::table::Format;
use soloist_study::tune::{self, Race, Range, TuneSpec};
use soloist_study::{Context, Failure, Show};
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a study calls while it is at work.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Calls {
    /// `(line)`: a note for people.
    note: Option<Py<PyAny>>,
    /// `(line)`: what people must see.
    warn: Py<PyAny>,
    /// `(done, total, line)`
    progress: Option<Py<PyAny>>,
    /// Whether the study is to end.
    stop: Option<Py<PyAny>>,
    /// `(thread)`: raises `KeyboardInterrupt` there.
    interrupt: Py<PyAny>,
}

/// Reports to Python. An exception there ends the study.
struct Reports<'a> {
    calls: &'a Calls,
    study: &'a Study,
}

impl Reports<'_> {
    fn call(&self, function: Option<&Py<PyAny>>, arguments: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<()>) {
        let Some(function) = function else { return };
        if let Err(error) = Python::attach(|py| arguments(function.bind(py))) {
            self.study.stop.store(true, Ordering::SeqCst);
            self.study.fail(error);
        }
    }
}

impl Show for Reports<'_> {
    fn note(&self, line: &str) {
        self.call(self.calls.note.as_ref(), |function| function.call1((line,)).map(drop));
    }

    fn warn(&self, line: &str) {
        self.call(Some(&self.calls.warn), |function| function.call1((line,)).map(drop));
    }

    fn progress(&self, done: usize, total: usize, line: &dyn Fn() -> String) {
        self.call(self.calls.progress.as_ref(), |function| function.call1((done, total, line())).map(drop));
    }
}

/// The objects that take part: a name with the functions of a problem, machine code made of them, or an instance.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Object {
    name: String,
    functions: Option<Functions>,
    machine: Option<Machine>,
    instance: Option<Py<Shipped>>,
}

/// What takes part in a study.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Objects {
    /// The name of the problem.
    problem: String,
    /// Whether it is one that ships.
    is_shipped: bool,
    objects: Vec<Object>,
    calls: Calls,
}

impl Objects {
    fn study(self) -> PyResult<(Arc<Study>, String, Calls)> {
        let mut hosts = HashMap::new();
        for Object { name, functions, machine, instance } in self.objects {
            let host = match (functions, instance) {
                (Some(functions), _) => Host::Own(Arc::new(functions), machine.map(Arc::new)),
                (None, Some(instance)) => {
                    let Shipped { instance, contents, .. } = instance.get();
                    Host::Shipped(Arc::clone(instance), identity(contents))
                }
                (None, None) => return Err(PyValueError::new_err("an object without functions")),
            };
            hosts.insert(name, host);
        }
        let domain = self.is_shipped.then(|| domain(&self.problem)).transpose()?;
        Ok((Study::new(hosts, domain), self.problem, self.calls))
    }
}

/// Returns the exception of a study that fails.
fn failed(failure: Failure) -> PyErr {
    if failure.code() == 2 { PyValueError::new_err(failure.message) } else { PyRuntimeError::new_err(failure.message) }
}

/// Does `work` on a thread of its own while handlers of signals run. The first Ctrl-C asks the study to end; a second
/// one is raised in the functions at work as well.
fn attended<T: Send>(
    py: Python<'_>,
    study: &Arc<Study>,
    calls: &Calls,
    work: impl FnOnce(&Context<'_>) -> Result<T, Failure> + Send,
    registry: soloist_problems::Registry,
) -> PyResult<T> {
    let _live = Live::enter(&study.stop)?;
    let reports = Reports { calls, study };
    let work = || study.with(|| work(&Context { registry, stop: &study.stop, show: &reports }));
    let mut pressed = 0;
    let done = beside(py, work, || {
        match py.check_signals().and_then(|()| asks_to_stop(py, calls.stop.as_ref())) {
            Ok(false) => return,
            Ok(true) => {}
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                pressed += 1;
                if pressed > 1 {
                    let threads = locked(&study.threads).clone();
                    let raised =
                        threads.into_iter().try_for_each(|thread| calls.interrupt.call1(py, (thread,)).map(drop));
                    raised.unwrap_or_else(|error| study.fail(error));
                }
            }
            Err(error) => study.fail(error),
        }
        study.stop.store(true, Ordering::SeqCst);
    });
    match study.take() {
        Some(error) => Err(error),
        None => done.map_err(failed),
    }
}

/// A comparison that is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BenchWish {
    /// The description, as a file of `soloist bench` has it.
    description: String,
    /// Files count from the folder of this path.
    place: PathBuf,
    file: PathBuf,
    fresh: bool,
    jobs: Option<usize>,
    serve: Option<String>,
}

/// Reads an address of the live view.
fn address(text: &str) -> Result<SocketAddr, Failure> {
    text.parse().map_err(|_| Failure::usage(format!("serve: expected a port or an address, got `{text}`")))
}

/// Makes the runs of a comparison and returns its tables, and the keys of its runs.
#[pyfunction]
pub(crate) fn run_bench<'py>(py: Python<'py>, objects: Objects, wish: BenchWish) -> PyResult<Bound<'py, PyDict>> {
    let (study, name, calls) = objects.study()?;
    let registry = study.registry(&name);
    let shared = Arc::clone(&study);
    let work = move |context: &Context<'_>| {
        let plan = Plan::parse(&wish.place, "bench", &wish.description, context.registry)?;
        let mut bench = Bench::open(&plan, &wish.file, wish.fresh)?;
        bench.announce(wish.jobs, context);
        let mut feed = None;
        if let Some(text) = &wish.serve {
            let page = bench.feed(&wish.place, context)?;
            let stop = Arc::clone(&shared.stop);
            let end: serve::Stop = Arc::new(move || stop.store(true, Ordering::SeqCst));
            serve::start(address(text)?, Arc::clone(&page), end, context)?;
            feed = Some(page);
        }
        let running = Running { jobs: wish.jobs, detail: Detail::All, feed };
        let ran = bench.run(&running, context);
        if let Some(feed) = &running.feed {
            feed.close();
        }
        ran?;
        let findings = bench.findings();
        let text = |format, all| findings.text(Shown { format, instances: all, profile: all });
        let keys: Vec<String> = plan.job_keys().map(str::to_owned).collect();
        let svg = findings.svg();
        let texts = [
            ("json", text(Format::Json, true)),
            ("text", text(Format::Text, false)),
            ("full", text(Format::Text, true)),
            ("markdown", text(Format::Markdown, true)),
        ];
        Ok((texts, keys, svg, findings.missing()))
    };
    let (texts, keys, svg, missing) = attended(py, &study, &calls, work, registry)?;
    let dict = PyDict::new(py);
    for (name, text) in texts {
        dict.set_item(name, text)?;
    }
    dict.set_item("keys", keys)?;
    dict.set_item("svg", svg)?;
    dict.set_item("missing", missing)?;
    Ok(dict)
}

/// A tuning that is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TuneWish {
    /// The run before the tuning.
    request: Request,
    options: BTreeMap<String, String>,
    /// As `--parameter` takes them.
    parameters: Vec<String>,
    start: Vec<(String, String)>,
    instances: Vec<String>,
    validation: Vec<String>,
    validation_seeds: usize,
    samples: usize,
    elite: Option<usize>,
    iterations: usize,
    batch: usize,
    smoothing: f64,
    race: Option<String>,
    spread: Option<f64>,
    folder: PathBuf,
    fresh: bool,
    jobs: Option<usize>,
}

/// Makes the runs of a tuning; returns whether it is complete, and its text. The rest is in the folder.
#[pyfunction]
pub(crate) fn run_tune(py: Python<'_>, objects: Objects, wish: TuneWish) -> PyResult<(bool, String)> {
    let (study, name, calls) = objects.study()?;
    let registry = study.registry(&name);
    let spec = {
        let domain = registry.find(&name).ok_or_else(|| PyValueError::new_err("no such problem"))?;
        let run = RunSpec { options: (&wish.options).into(), ..wish.request.spec(Some(domain))? };
        let ranges = wish.parameters.iter().map(|text| Range::parameter(text)).collect::<Result<Vec<_>, _>>();
        let ranges = ranges.map_err(|message| PyValueError::new_err(format!("parameters: {message}")))?;
        let race = match wish.race.as_deref() {
            None => None,
            Some(word) => Some(
                [Race::T, Race::Hoeffding]
                    .into_iter()
                    .find(|race| race.name() == word)
                    .ok_or_else(|| PyValueError::new_err(format!("race: expected t or hoeffding, got {word}")))?,
            ),
        };
        TuneSpec {
            start: wish.start.into_iter().map(|(key, value)| Setting { key, value }).collect(),
            validation: wish.validation,
            validation_seeds: wish.validation_seeds,
            samples: wish.samples,
            elite: wish.elite,
            iterations: wish.iterations,
            batch: wish.batch,
            smoothing: wish.smoothing,
            race,
            spread: wish.spread,
            seed: wish.request.seed,
            ..TuneSpec::new(domain, run, wish.instances, ranges)
        }
    };
    let (folder, fresh, jobs) = (wish.folder, wish.fresh, wish.jobs);
    let work = |context: &Context<'_>| tune::run(&spec, &folder, fresh, jobs, Format::Text, context);
    let tuned = attended(py, &study, &calls, work, registry)?;
    Ok((tuned.is_complete, tuned.text))
}

/// Makes the page of a report and returns what a reader must know.
#[pyfunction]
pub(crate) fn write_report(
    py: Python<'_>,
    files: Vec<PathBuf>,
    output: PathBuf,
    title: Option<String>,
    best_known: Option<PathBuf>,
    drawings: usize,
) -> PyResult<Vec<String>> {
    let spec = ReportSpec { files, title, best_known, drawings };
    py.detach(|| soloist_study::report::write(&spec, &output, soloist_problems::registry())).map_err(failed)
}

/// Shows files of runs on a live page until `stop` of the calls says so, or Ctrl-C is pressed.
#[pyfunction]
pub(crate) fn follow_files(
    py: Python<'_>,
    files: Vec<PathBuf>,
    title: Option<String>,
    place: &str,
    calls: Calls,
) -> PyResult<()> {
    let study = Study::new(HashMap::new(), None);
    let place = address(place).map_err(failed)?;
    let work = |context: &Context<'_>| serve::follow(&files, title.as_deref(), place, context);
    attended(py, &study, &calls, work, soloist_problems::registry())
}
