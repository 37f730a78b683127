//! The best solutions as drawings, recomputed and verified from what the files hold.
//!
//! A file of runs may come from anywhere: what it names as an instance may be a pipe, a spec that takes hours to build,
//! or a private file. So only regular files within a limit are opened, nothing is quoted from them, and every drawing
//! is made on its own thread, for which callers wait at most [`PATIENCE`].

use super::trial::Trial;
use serde_json::{Value, json};
use soloist_domain::result::close;
use soloist_domain::{AnyInstance, Options, Registry, input};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a drawing may take, its instance and its verification included.
const PATIENCE: Duration = Duration::from_secs(10);
/// Drawings that are made at a time; others wait for them.
const AT_A_TIME: usize = 2;
/// Drawings that were given up and still run: with this many of them, no other one is begun.
const MOST_LATE: usize = 2;
/// Most bytes of an instance's file.
const MAX_INSTANCE: u64 = 64 << 20;
/// Memory of a drawing's thread for its calls, that of a main thread.
const STACK: usize = 8 << 20;

/// A solution that was verified and drawn.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) svg: String,
    /// What the verification found, in one line.
    pub(crate) summary: String,
}

/// Draws solutions for several callers at once. The last instance is kept, because the next drawing often needs it
/// again.
#[derive(Clone, Debug)]
pub(crate) struct Drawer {
    desk: Arc<Desk>,
    patience: Duration,
}

/// What the threads of drawings share.
struct Desk {
    registry: Registry,
    known: Mutex<Option<(Key, Loaded)>>,
    work: Mutex<Work>,
    /// Signalled when a drawing ends or is given up.
    changed: Condvar,
}

/// Problem, instance and options.
type Key = (String, String, Options);

/// An instance, and whether it comes from a file.
#[derive(Clone)]
struct Loaded {
    instance: Arc<dyn AnyInstance>,
    is_file: bool,
}

/// The drawings at work.
#[derive(Debug, Default)]
struct Work {
    next: u64,
    awaited: Vec<u64>,
    late: Vec<u64>,
    /// What took too long is not tried again.
    slow: Vec<Key>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Desk").field(&self.work).finish()
    }
}

/// A drawing at work, until its thread ends or panics.
struct Task {
    desk: Arc<Desk>,
    number: u64,
}

impl Drop for Task {
    fn drop(&mut self) {
        let mut work = self.desk.work();
        work.awaited.retain(|number| *number != self.number);
        work.late.retain(|number| *number != self.number);
        self.desk.changed.notify_all();
    }
}

impl Drawer {
    /// Draws solutions of these problems.
    pub(crate) fn new(registry: Registry) -> Self {
        let desk = Desk { registry, known: Mutex::default(), work: Mutex::default(), changed: Condvar::new() };
        Self { desk: Arc::new(desk), patience: PATIENCE }
    }

    /// The problems of the program.
    pub(super) fn registry(&self) -> Registry {
        self.desk.registry
    }

    /// Draws the solution of a run that a file in `folder` describes.
    ///
    /// # Errors
    /// One line: why it cannot be drawn.
    pub(crate) fn draw(&self, trial: &Trial, folder: &Path) -> Result<Drawing, String> {
        let solution = trial.solution.as_deref().ok_or("the file holds no solution of this run")?;
        let solution: Value = serde_json::from_str(solution).map_err(|error| error.to_string())?;
        let score = trial.value().ok_or("the solution is not feasible")?;
        let key = (trial.task.problem.clone(), trial.task.instance.clone(), trial.task.options.clone());
        let (task, number) = self.begin(&key)?;
        let (sender, receiver) = mpsc::channel();
        let (subject, solution, folder) = (key.clone(), solution, folder.to_owned());
        let draw = move || {
            let drawn = task.desk.draw(&subject, &solution, score, &folder);
            drop(task);
            // A result that comes too late has no receiver.
            let _ = sender.send(drawn);
        };
        std::thread::Builder::new()
            .name("drawing".to_owned())
            .stack_size(STACK)
            .spawn(draw)
            .map_err(|error| format!("no thread can be started: {error}"))?;
        match receiver.recv_timeout(self.patience) {
            Ok(drawn) => drawn,
            Err(RecvTimeoutError::Disconnected) => Err("the drawing failed".to_owned()),
            Err(RecvTimeoutError::Timeout) => {
                let mut work = self.desk.work();
                // It may have ended in this moment.
                if work.awaited.contains(&number) {
                    work.awaited.retain(|other| *other != number);
                    work.late.push(number);
                }
                work.slow.push(key);
                self.desk.changed.notify_all();
                drop(work);
                receiver.try_recv().unwrap_or_else(|_| Err(self.too_slow()))
            }
        }
    }

    /// Waits until there is room for another drawing.
    fn begin(&self, key: &Key) -> Result<(Task, u64), String> {
        let is_crowded = |work: &mut Work| work.awaited.len() >= AT_A_TIME;
        let waited = self.desk.changed.wait_timeout_while(self.desk.work(), self.patience, is_crowded);
        let mut work = waited.unwrap_or_else(PoisonError::into_inner).0;
        if work.slow.contains(key) {
            return Err(self.too_slow());
        }
        if work.awaited.len() >= AT_A_TIME || work.late.len() >= MOST_LATE {
            return Err("other drawings take too long".to_owned());
        }
        work.next += 1;
        let number = work.next;
        work.awaited.push(number);
        Ok((Task { desk: Arc::clone(&self.desk), number }, number))
    }

    fn too_slow(&self) -> String {
        format!("building and verifying it takes more than {} s", self.patience.as_secs_f64())
    }
}

impl Desk {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, key: &Key, solution: &Value, score: f64, folder: &Path) -> Result<Drawing, String> {
        let mut failed = None;
        for instance in candidates(&key.1, folder) {
            let key = (key.0.clone(), instance, key.2.clone());
            let drawn = self.open(&key).and_then(|loaded| verified(&loaded, &key, solution, score));
            match drawn {
                Ok(drawing) => return Ok(drawing),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(|| "the instance has no name".to_owned()))
    }

    /// The instance, built where it is not the last one. The lock is not held while it is built.
    fn open(&self, key: &Key) -> Result<Loaded, String> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, loaded)) = known().as_ref().filter(|(known, _)| known == key) {
            return Ok(loaded.clone());
        }
        let (problem, instance, options) = key;
        let (loaded, is_file) = input::foreign(MAX_INSTANCE, || load(self.registry, problem, instance, options));
        let loaded = match loaded {
            Ok(loaded) => Loaded { instance: Arc::from(loaded), is_file },
            // The message of a reader quotes what it does not understand.
            Err(_) if is_file => return Err(format!("{instance}: no file of an instance of {problem}")),
            Err(error) => return Err(error),
        };
        *known() = Some((key.clone(), loaded.clone()));
        Ok(loaded)
    }
}

/// Where the instance may be: paths count from the file of runs or from here.
pub(super) fn candidates(instance: &str, folder: &Path) -> Vec<String> {
    let here = instance.to_owned();
    let beside = folder.join(&here);
    match beside.to_str() {
        Some(path) if path != here && beside.is_file() => vec![path.to_owned(), here],
        _ => vec![here],
    }
}

/// Opens an instance under the rules of a run.
fn load(registry: Registry, problem: &str, instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, String> {
    let domain = registry.find(problem).ok_or_else(|| format!("this program has no problem `{problem}`"))?;
    let options = domain.options_of(&options.into()).map_err(|error| error.to_string())?;
    (domain.load)(instance, &options).map_err(|error| error.to_string())
}

/// Draws a solution that the instance's verifier accepts.
fn verified(loaded: &Loaded, key: &Key, solution: &Value, score: f64) -> Result<Drawing, String> {
    let (problem, instance, options) = key;
    let claim = json!({
        "problem": problem,
        "instance": instance,
        "options": options,
        "score": score,
        "feasible": true,
        "solution": solution,
    });
    // What a verifier finds says something about the file.
    let fails = |why: String| match loaded.is_file {
        true => "the solution fails verification".to_owned(),
        false => format!("the solution fails verification: {why}"),
    };
    let checked = loaded.instance.check(&claim.to_string()).map_err(fails)?;
    if !close(checked.score, score) {
        let (claimed, found) = (crate::text::plain(score), crate::text::plain(checked.score));
        return Err(fails(format!("score {claimed} claimed, {found} found")));
    }
    Ok(Drawing { svg: loaded.instance.svg(solution), summary: checked.summary })
}

/// An image as an address that holds it.
pub(crate) fn data_address(svg: &str) -> String {
    let mut address = String::with_capacity(svg.len() + svg.len() / 4);
    address.push_str("data:image/svg+xml,");
    for byte in svg.bytes() {
        match byte {
            // The characters that end the address, an attribute or mean something else in an address.
            b'%'
            | b'#'
            | b'"'
            | b'\''
            | b'<'
            | b'>'
            | b'&'
            | b'\\'
            | b'^'
            | b'`'
            | b'{'
            | b'|'
            | b'}'
            | 0..=31
            | 127.. => {
                address.push('%');
                address.push(char::from(b"0123456789ABCDEF"[usize::from(byte >> 4)]));
                address.push(char::from(b"0123456789ABCDEF"[usize::from(byte & 15)]));
            }
            _ => address.push(char::from(byte)),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::read::Runs;
    use soloist_domain::RunTask;

    /// The run of a file with one result of a knapsack.
    fn knapsack(solution: Value, score: f64) -> Trial {
        let record = json!({
            "problem": "knapsack", "instance": "random:5x10:1", "sense": "maximize", "method": "nmcs", "seed": 1,
            "score": score, "playouts": 1, "seconds": 0.5, "stop": "playouts", "solution": solution,
        });
        let mut runs = Runs::default();
        let mut source = runs.add(Path::new("x"));
        source.take(&mut runs, record).unwrap();
        runs.trials.remove(0)
    }

    /// The same result of another instance.
    fn of(problem: &str, instance: &str, trial: Trial) -> Trial {
        let task = RunTask { problem: problem.to_owned(), instance: instance.to_owned(), ..trial.task };
        Trial { task, ..trial }
    }

    #[test]
    fn only_verified_solutions_are_drawn() {
        let instance = load(soloist_problems::registry(), "knapsack", "random:5x10:1", &Options::new()).unwrap();
        let request = soloist_domain::Request { budget: soloist::Budget::playouts(50), ..Default::default() };
        let report = instance.solve(request, &mut soloist_domain::Unobserved).unwrap();
        let (solution, score) = (report.solution().clone(), report.score().unwrap().value().unwrap());
        let drawing =
            Drawer::new(soloist_problems::registry()).draw(&knapsack(solution.clone(), score), Path::new("")).unwrap();
        assert!(drawing.svg.starts_with("<svg") && drawing.summary.contains("item"), "{drawing:?}");
        let wrong = Drawer::new(soloist_problems::registry())
            .draw(&knapsack(solution.clone(), score + 1.0), Path::new(""))
            .unwrap_err();
        assert!(wrong.starts_with("the solution fails verification: "), "{wrong}");
        let absent = of("knapsack", "no/such.kp", knapsack(solution.clone(), score));
        assert!(
            Drawer::new(soloist_problems::registry())
                .draw(&absent, Path::new(""))
                .unwrap_err()
                .starts_with("no/such.kp: ")
        );
        let foreign = of("chess", "random:5x10:1", knapsack(solution, score));
        assert_eq!(
            Drawer::new(soloist_problems::registry()).draw(&foreign, Path::new("")).unwrap_err(),
            "this program has no problem `chess`"
        );
    }

    #[test]
    fn nothing_foreign_hangs_or_is_quoted() {
        let of = |problem: &str, instance: &str| of(problem, instance, knapsack(json!({ "items": [] }), 0.0));
        let refused = |trial: &Trial| Drawer::new(soloist_problems::registry()).draw(trial, Path::new("")).unwrap_err();
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "root:x:0:0:root:/root:/bin/bash\n").unwrap();
        let name = secret.to_str().unwrap();
        for problem in ["knapsack", "partition", "samegame", "stacking", "vrptw", "tsptw", "packing", "horner"] {
            let message = refused(&of(problem, name));
            assert_eq!(message, format!("{name}: no file of an instance of {problem}"));
        }
        // A file that is an instance: what the verifier finds in it is not quoted either.
        std::fs::write(&secret, "1 9\n8765 4\n").unwrap();
        let mut claimed = of("knapsack", name);
        claimed.ending.score = Some(3.0);
        assert_eq!(refused(&claimed), "the solution fails verification");
        #[cfg(unix)]
        for device in ["/dev/zero", "/dev/tty", "/dev/stdin"] {
            assert!(refused(&of("knapsack", device)).starts_with(device), "{device}");
        }
        assert!(refused(&of("knapsack", "-")).starts_with("-: "));
    }

    #[test]
    fn what_takes_too_long_is_given_up_and_stops_no_other() {
        let desk = Drawer::new(soloist_problems::registry());
        let slow = of("horner", "res:7,6", knapsack(json!({}), 0.0));
        // The clock of this one has run out before it begins.
        let hasty = Drawer { patience: Duration::ZERO, ..desk.clone() };
        for _ in 0..2 {
            assert!(hasty.draw(&slow, Path::new("")).unwrap_err().contains("takes more than 0 s"));
        }
        assert_eq!(desk.desk.work().slow.len(), 1, "it is not begun again");
        let quick = knapsack(json!({ "items": [] }), 0.0);
        assert!(desk.draw(&quick, Path::new("")).unwrap().svg.starts_with("<svg"));
        desk.desk.work().late.extend([98, 99]);
        assert_eq!(desk.draw(&quick, Path::new("")).unwrap_err(), "other drawings take too long");
    }

    #[test]
    fn addresses_hold_any_drawing() {
        assert_eq!(data_address("<a b=\"#é\">\n"), "data:image/svg+xml,%3Ca b=%22%23%C3%A9%22%3E%0A");
    }
}
