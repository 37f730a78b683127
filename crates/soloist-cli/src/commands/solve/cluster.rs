//! Arguments for runs under a scheduler: the end of the job, the code for requeueing, the same line for every start.

use super::args::{ClusterArgs, SolveArgs};
use soloist::run::{RunInfo, StopReason};
use soloist::{Budget, Setup};
use soloist_problems::{Domain, Report, RunSpec, Settings};
use soloist_study::Failure;
use std::path::Path;
use std::time::{Duration, SystemTime};

impl ClusterArgs {
    /// Whether the call describes the whole run, also where it is continued.
    pub(super) fn is_repeated(&self) -> bool {
        self.resume_if_exists || self.share.share.is_some()
    }

    /// Returns how much time is left until the job ends.
    pub(super) fn left(&self) -> Result<Option<Duration>, Failure> {
        let Some(until) = self.until else { return Ok(None) };
        let left = until.duration_since(SystemTime::now());
        left.map(Some).map_err(|_| Failure::usage("--until: expected a time that is not over"))
    }

    /// Returns the exit code of a run; `is_cut`: the end of the job was the limit of time.
    pub(super) fn code(&self, report: &Report, is_cut: bool, code: u8) -> u8 {
        match (self.requeue_code, report.stop) {
            (Some(requeue), StopReason::Interrupted) => requeue,
            (Some(requeue), StopReason::Time) if is_cut => requeue,
            _ => code,
        }
    }
}

/// Fills in which files a call reads and writes, and the seed of a worker.
pub(super) fn settled(args: &SolveArgs) -> Result<SolveArgs, Failure> {
    let mut args = args.clone();
    if let Some(shared) = args.cluster.share.folder()? {
        args.streams.seed = Some(args.streams.seed.unwrap_or(0).wrapping_add(shared.worker));
        args.checkpoints.checkpoint = Some(shared.checkpoint());
    }
    if args.cluster.is_repeated()
        && let Some(path) = &args.checkpoints.checkpoint
        && path.metadata().is_ok_and(|metadata| metadata.len() > 0)
    {
        args.checkpoints.resume = Some(path.clone());
    }
    Ok(args)
}

/// Returns the budget of a run that ends with its job, and whether that is what limits its time.
pub(super) fn within(budget: Budget, left: Option<Duration>, before: Option<&RunInfo>) -> (Budget, bool) {
    let Some(left) = left else { return (budget, false) };
    // The limit counts the whole search.
    let end = before.map_or(Duration::ZERO, |info| info.elapsed).saturating_add(left);
    let is_cut = budget.time.is_none_or(|time| end < time);
    (Budget { time: if is_cut { Some(end) } else { budget.time }, ..budget }, is_cut)
}

/// Leaves of a spec what a run that is continued does not bring itself: the rules of the problem and the limits.
pub(super) fn of_resumed(spec: &RunSpec, domain: &Domain) -> RunSpec {
    let is_rule = |key: &str| domain.options.iter().any(|option| option.name == key);
    let set: Settings = spec.set.iter().filter(|setting| is_rule(&setting.key)).cloned().collect();
    RunSpec { method: None, set, rollout: None, seed: None, threads: None, keep: None, ..spec.clone() }
}

/// Refuses to continue another run than the one that the call describes.
pub(super) fn same_run(path: &Path, wanted: &Setup, before: &RunInfo) -> Result<(), Failure> {
    let shown = |setup: &Setup| {
        let Setup { preset, seed, threads, .. } = setup;
        format!("{preset} with seed {seed} and threads {threads}")
    };
    let (found, wanted) = (shown(&before.setup), shown(wanted));
    if found == wanted {
        return Ok(());
    }
    Err(Failure::runtime(format!("{}: holds a run of {found}, the call asks for {wanted}", path.display())))
}
