//! Golden runs: what the searches find must not change by accident.
//!
//! A file of golden runs has one run a line, written like the command that repeats it:
//!
//! ```text
//! knapsack random:100x1000:7 --method nrpa --set level=2 --rollout greedy --playouts 500 -> 16542 8d1a... 500 0
//! ```
//! Before the arrow: domain, instance and the arguments of `soloist solve`; `--set` holds a parameter of the method or
//! a choice of rules. `--pause N`, which the command does not have, saves the run after `N` playouts (with `--nodes`:
//! after `N` nodes) and continues from the checkpoint. After the arrow: the score (`none` if no playout ended), a hash
//! of the `moves` of the result, the playouts, the nodes, and `optimal` where that is proven.

use soloist::Budget;
use soloist::problem::stable_hash;
use soloist_domain::{AnyInstance, Domain, Report, Request, ResolvedRun, RunSpec, SpecError, Unobserved, units};
use std::path::Path;
use std::time::Duration;

/// Repeats the runs of the file at `path` and compares what they find with what it says.
///
/// With the environment variable `SOLOIST_GOLDEN=write` the results in the file are replaced instead; a new line needs
/// only its left side. Afterwards look at the difference and say in the changelog why runs changed.
///
/// # Panics
/// If a run finds something else than the file says, or if a line cannot be read: with the number of the line.
pub fn check_golden_runs(domains: &[Domain], path: &str) {
    let file = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let write = std::env::var_os("SOLOIST_GOLDEN").is_some_and(|value| value == "write");
    let mut written = String::new();
    let mut runs = 0;
    for (number, line) in (1..).zip(file.lines()) {
        if line.is_empty() || line.starts_with('#') {
            written.push_str(line);
        } else {
            let (run, expected) = line.split_once(" -> ").unwrap_or((line, ""));
            let found = repeat(domains, run).unwrap_or_else(|error| panic!("{path}: line {number}: {error}"));
            assert!(write || found == expected, "{path}: line {number}: {run}\n   found {found}\nexpected {expected}");
            written.push_str(&format!("{run} -> {found}"));
            runs += 1;
        }
        written.push('\n');
    }
    assert!(runs > 0, "{path}: no runs");
    if write {
        std::fs::write(path, written).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

/// Repeats the run on the left side of a line; returns the right side.
fn repeat(domains: &[Domain], run: &str) -> Result<String, String> {
    let mut words = run.split(' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let mut spec = RunSpec { problem: word(), instance: word(), ..RunSpec::default() };
    let mut pause = None;
    while let Some(flag) = words.next() {
        let value = words.next().ok_or_else(|| format!("{flag} has no value"))?;
        match flag {
            "--method" => spec.method = Some(value.to_owned()),
            "--rollout" => spec.rollout = Some(value.to_owned()),
            "--set" => spec.set.push(value.parse()?),
            "--seed" => spec.seed = Some(units::seed(value)?),
            "--threads" => spec.threads = Some(units::threads(value)?),
            "--playouts" => spec.budget.playouts = Some(units::count(value)?),
            "--nodes" => spec.budget.nodes = Some(units::count(value)?),
            "--pause" => pause = Some(units::count(value)?),
            _ => return Err(format!("unknown argument {flag}")),
        }
    }
    let wrong = |error: SpecError| error.to_string();
    let domain = spec.domain(domains).map_err(wrong)?;
    let rules = spec.check(domain).map_err(wrong)?;
    let instance = (domain.load)(&spec.instance, &rules).map_err(|error| error.to_string())?;
    let ResolvedRun { setup, budget, .. } = spec.resolve(domain, &*instance).map_err(wrong)?;
    let whole = budget.clone();
    let request =
        |budget| Request { setup: Some(setup.clone()), budget, plan: Some(whole.clone()), ..Request::default() };
    let report = match pause {
        None => solve(&*instance, request(budget))?,
        Some(pause) => {
            let until = match budget.nodes {
                Some(_) => Budget { nodes: Some(pause), ..budget },
                None => Budget { playouts: Some(pause), ..budget },
            };
            let path =
                std::env::temp_dir().join(format!("soloist-golden-{}-{:016x}", std::process::id(), stable_hash(run)));
            let first = Request { checkpoint: Some((path.clone(), Duration::from_secs(3600))), ..request(until) };
            solve(&*instance, first)?;
            let resume = read_and_remove(&path)?;
            solve(&*instance, Request { resume: Some(resume), ..request(budget) })?
        }
    };
    let score = report.score().map_or_else(|| "none".to_owned(), |score| score.to_string().replace(' ', "-"));
    let (hash, counters) = (stable_hash(report.moves().to_string().as_str()), report.run.counters);
    let proof = if report.optimal { " optimal" } else { "" };
    Ok(format!("{score} {hash:016x} {} {}{proof}", counters.playouts, counters.nodes))
}

fn solve(instance: &dyn AnyInstance, request: Request<'_>) -> Result<Report, String> {
    instance.solve(request, &mut Unobserved).map_err(|error| error.to_string())
}

fn read_and_remove(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    std::fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(bytes)
}
