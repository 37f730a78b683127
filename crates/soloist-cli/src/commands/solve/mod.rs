//! `soloist solve`: checks everything that can be wrong, runs the search, verifies and hands out the result.

mod args;
mod cluster;
mod events;
mod progress;
pub(crate) mod share;
mod text;

pub(crate) use args::SolveArgs;
pub(crate) use text::method_call;

use super::check;
use crate::resolve;
use crate::terminal::{Terminal, output, signal};
use events::Events;
use progress::{RunObservers, TerminalProgress};
use serde_json::Value;
use soloist::Budget;
use soloist::run::{CheckpointError, Counters, RunInfo, SavedRun, SolveError, StopReason};
use soloist_problems::claims::best_alone;
use soloist_problems::result::{self, Asked};
use soloist_problems::verification::verify_all;
use soloist_problems::{
    AnyInstance, DEFAULT_SECONDS, InstanceError, Limits, Report, Request, ResolvedRun, Resumed, RunRecord, RunSpec,
    registry,
};
use soloist_study::Failure;
use soloist_study::files::{Guarded, Target};
use soloist_study::serve::{Feed, FeedObserver};
use soloist_study::text::{counted, plain};
use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl SolveArgs {
    /// The spec of the run.
    fn spec(&self) -> RunSpec {
        let limits = Limits { target: self.target, max_moves: self.max_moves, ..self.limits.limits() };
        RunSpec {
            instance: self.instance.clone(),
            seed: self.streams.seed,
            threads: self.streams.threads,
            keep: self.keep,
            ..self.method.spec(self.problem, limits)
        }
    }
}

/// Largest checkpoint that is read: above the largest that the memory limits allow in practice.
const MAX_CHECKPOINT: u64 = 64 << 30;

/// Runs the command.
pub(crate) fn run(args: &SolveArgs) -> Result<u8, Failure> {
    let begin = Instant::now();
    let mut args = cluster::settled(args)?;
    let shared = args.cluster.share.folder()?;
    let until = args.cluster.left()?;
    let whole = args.spec();
    // A wrong call is refused as such, whatever the files hold.
    let options = whole.check(args.problem).map_err(|error| registry().with_owners(error))?;
    let unopened = |error| resolve::unopened(args.problem, &args.instance, &error);
    let mut instance = (args.problem.load)(&args.instance, &options).map_err(unopened)?;
    if let Some(shared) = &shared {
        shared.mend(&mut args, &*instance)?;
    }
    let args = &args;
    let is_repeated = args.cluster.is_repeated() && args.checkpoints.resume.is_some();
    let spec = if is_repeated { cluster::of_resumed(&whole, args.problem) } else { whole.clone() };
    let saved = args.checkpoints.resume.as_deref().map(|path| read_checkpoint(path, &spec, &*instance)).transpose()?;
    let (bytes, before, ended) = match saved {
        None => (None, None, None),
        Some((bytes, info, whole)) => {
            let keep = whole.as_ref().map(|whole| whole.keep);
            (Some(bytes), Some(Resumed { info, keep }), whole.and_then(|whole| whole.ended))
        }
    };
    let is_begun = args.prefix.is_some();
    let resolved = resolve::resolve(args.problem, &spec, &*instance, is_begun, before.as_ref());
    let ResolvedRun { setup, budget, keep } = resolved?;
    let before = before.map(|before| before.info);
    if let (true, Some(info), Some(path)) = (is_repeated, &before, &args.checkpoints.resume) {
        cluster::same_run(path, &resolve::resolve(args.problem, &whole, &*instance, is_begun, None)?.setup, info)?;
    }
    let (budget, is_cut) = cluster::within(budget, until, before.as_ref());
    let (start, prefix) = given(args, &*instance)?;
    let outputs = Outputs::check(args, &*instance)?;

    let quiet = args.output.quiet.quiet;
    let terminal = Terminal::new(quiet);
    signal::install(quiet)?;
    let limits = prepare(args, &mut *instance, &budget, before.as_ref(), begin)?;
    let instance = &*instance;
    let asked = Asked { domain: args.problem, instance, options: &options, setup: &setup };
    if !quiet {
        announce(&spec, asked, before.as_ref(), ended);
    }
    let events =
        outputs.events.as_ref().map(|target| Events::start(target, asked, &budget, before.as_ref())).transpose()?;
    let counted = before.as_ref().map_or_else(Counters::default, |info| info.counters);
    let human = TerminalProgress::new(instance, quiet, &limits, setup.method.unit(), counted);
    let feed = args.output.serve.map(|address| serve(address, asked, &terminal)).transpose()?;
    let page = feed.as_deref().map(|feed| FeedObserver::begin(feed, asked, &budget, before.as_ref(), None));
    let mut observers = RunObservers { human, events, page };
    let every = args.checkpoints.checkpoint_every;
    let checkpoint = outputs.checkpoint.as_ref().map(|target| (target.path().to_owned(), every));
    let request = Request {
        setup: Some(setup.clone()),
        plan: None,
        budget: limits,
        start,
        prefix,
        keep,
        interval: observers.human.interval(),
        checkpoint,
        resume: bytes,
        stop: Some(&signal::STOP),
    };
    let solved = match &shared {
        Some(shared) => shared.solve(asked, request, args.cluster.until, &mut observers),
        None => instance.solve(request, &mut observers).map_err(|error| solve_failure(args, &error)),
    };
    observers.human.finish();
    let report = solved?;
    let logged = observers.events.map_or(Ok(()), |events| events.end(&report));
    observers.page.iter().for_each(|page| page.end(&report));
    let handed = hand_out(args, asked, &report, &outputs);
    if let Some(feed) = &feed {
        feed.close();
    }
    Failure::of_all([handed, unsaved(args, &report), logged])?;
    Ok(args.cluster.code(&report, is_cut, exit_code(&report)))
}

/// An error where the last checkpoint could not be written.
fn unsaved(args: &SolveArgs, report: &Report) -> Result<(), Failure> {
    match (&report.unsaved, &args.checkpoints.checkpoint) {
        (Some(error), Some(path)) => Err(Failure::runtime(format!("{}: {error}", path.display()))),
        _ => Ok(()),
    }
}

/// Reads the solutions to start with and the moves that are played already.
fn given(args: &SolveArgs, instance: &dyn AnyInstance) -> Result<(Vec<Value>, Option<Value>), Failure> {
    let start = args.start.iter().map(|path| {
        read_moves(path, |text| {
            let moves = instance.start_from(text)?;
            // It is a start all the same.
            let wrong = instance.check(text).err().filter(|wrong| wrong.starts_with("claims "));
            if let Some(wrong) = wrong.filter(|_| !args.output.quiet.quiet) {
                output::note(&format!("{}: {wrong}", path.display()));
            }
            Ok(moves)
        })
    });
    let start = start.collect::<Result<_, _>>()?;
    let prefix = args.prefix.iter().map(|path| read_moves(path, |text| instance.prefix_from(text)));
    Ok((start, prefix.collect::<Result<Vec<_>, _>>()?.pop()))
}

/// Prepares the instance within half of the time that is left for the run. Returns the budget without the time since
/// `begin`, when reading began; half of the time is the search's in any case.
fn prepare(
    args: &SolveArgs,
    instance: &mut dyn AnyInstance,
    budget: &Budget,
    before: Option<&RunInfo>,
    begin: Instant,
) -> Result<Budget, Failure> {
    let spent = before.map_or(Duration::ZERO, |info| info.elapsed);
    let most = budget.time.map(|time| time.saturating_sub(spent) / 2);
    let mut go_on = || !signal::STOP.load(Ordering::Relaxed) && most.is_none_or(|most| begin.elapsed() < most);
    let undone = instance.prepare(&mut go_on);
    let undone = undone.map_err(|error| Failure::runtime(InstanceError::new(&args.instance, error).to_string()))?;
    if let Some(line) = undone.filter(|_| !args.output.quiet.quiet) {
        output::note(&line);
    }
    let taken = most.map_or(Duration::ZERO, |most| most.min(begin.elapsed()));
    Ok(Budget { time: budget.time.map(|time| time.saturating_sub(taken)), ..budget.clone() })
}

/// Serves the page of a run.
fn serve(address: SocketAddr, asked: Asked<'_>, terminal: &Terminal) -> Result<Arc<Feed>, Failure> {
    let title = format!("{} {}", asked.domain.name, asked.instance.name());
    let feed = Arc::new(Feed::solve(title, registry()));
    terminal.serve(address, &feed)?;
    Ok(feed)
}

fn exit_code(report: &Report) -> u8 {
    match (report.stop, result::value(report)) {
        (StopReason::Interrupted, _) => 130,
        (_, Some(_)) => 0,
        (_, None) => 3,
    }
}

/// Prints and writes the result, verified: all of it even if something is wrong with it, then what has failed.
fn hand_out(args: &SolveArgs, asked: Asked<'_>, report: &Report, outputs: &Outputs) -> Result<(), Failure> {
    let json = RunRecord::result(asked, report).line();
    let printed = if args.output.json { output::print(&json) } else { output::print(&text::text(asked, report)) };
    let out = outputs.out.as_ref().map_or(Ok(()), |target| {
        // Without a solution a file `.sol` would say that nothing is to be done.
        let asks = is_published(target.path()) && !report.solution().is_null();
        let text = asks.then(|| asked.instance.published(report.solution())).flatten();
        target.write(&text.unwrap_or(json))
    });
    let svg = match &outputs.svg {
        Some(target) if !report.solution().is_null() => target.write(&asked.instance.svg(report.solution())),
        Some(target) => {
            if !args.output.quiet.quiet {
                output::note(&format!("no solution to draw, {} is not written", target.shown()));
            }
            Ok(())
        }
        None => Ok(()),
    };
    Failure::of_all([verify(asked, report), printed, out, svg])
}

/// Whether the name of a file asks for the text format in which the field publishes solutions.
fn is_published(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sol"))
}

/// Verifies our own solutions by the same code as all others.
fn verify(asked: Asked<'_>, report: &Report) -> Result<(), Failure> {
    verify_all(asked, report).map_err(Failure::runtime)
}

/// Says what starts; `ended`: why the search that is resumed cannot continue.
fn announce(spec: &RunSpec, asked: Asked<'_>, before: Option<&RunInfo>, ended: Option<StopReason>) {
    output::note(&format!("{} {}: {}", asked.domain.name, asked.instance.name(), asked.instance.describe()));
    asked.instance.remarks().iter().for_each(|remark| output::note(remark));
    output::note(&text::method_line(asked.setup));
    if let Some(info) = before {
        let seconds = info.elapsed.as_secs_f64();
        let (count, unit) = text::units_done(info.setup.method.unit(), info.counters);
        output::note(&format!("resuming after {count} {unit}, {seconds:.1} s"));
    }
    if let Some(limit) = before.and_then(|info| used_up(&spec.budget, info)) {
        output::note(&format!(
            "the limit of {limit} counts the whole search and was reached before: raise it to continue"
        ));
    } else if let Some(stop) = ended {
        output::note(&format!("the search ended before, {}: it cannot be continued", text::stop_text(stop)));
    } else if spec.budget.is_unlimited() {
        let more = if before.is_some() { " more" } else { "" };
        output::note(&format!("no limit given: stopping after {DEFAULT_SECONDS} s{more} (--time)"));
    } else if !spec.budget.has_end() {
        output::note("only a target given: searching until it is reached (Ctrl-C stops)");
    }
}

/// The limit that a search had used up before it was resumed.
fn used_up(limits: &Limits, before: &RunInfo) -> Option<String> {
    let time = limits.time.filter(|&time| before.elapsed >= time);
    let playouts = limits.playouts.filter(|&playouts| before.counters.playouts >= playouts);
    let nodes = limits.nodes.filter(|&nodes| before.counters.nodes >= nodes);
    let time = time.map(|time| format!("{} s", plain(time.as_secs_f64())));
    time.or_else(|| playouts.map(|count| counted(count as usize, "playout")))
        .or_else(|| nodes.map(|count| counted(count as usize, "node")))
}

/// Reads a solution to start from, or moves to begin with.
pub(super) fn read_moves(path: &Path, moves_of: impl FnOnce(&str) -> Result<Value, String>) -> Result<Value, Failure> {
    let name = path.display().to_string();
    let text = check::read(&name)?;
    let moves = best_alone(text).and_then(|text| moves_of(&text));
    moves.map_err(|error| Failure::runtime(format!("{name}: {error}")))
}

/// Reads a checkpoint and what it says; all of it only where that is asked for, because it takes time and memory.
fn read_checkpoint(
    path: &Path,
    spec: &RunSpec,
    instance: &dyn AnyInstance,
) -> Result<(Vec<u8>, RunInfo, Option<SavedRun>), Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", path.display()));
    let unreadable = |error| fail(&format_args!("cannot be read: {error}"));
    let mut file = soloist::run::file::open_regular(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.len() > MAX_CHECKPOINT {
        return Err(fail(&"larger than 64 GiB, not a checkpoint"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    let info = instance.read_header(&bytes).map_err(|error| fail(&error))?;
    let is_asked = spec.keep.is_some() || spec.budget.is_unlimited();
    let whole = is_asked.then(|| instance.read_checkpoint(&bytes)).transpose().map_err(|error| fail(&error))?;
    Ok((bytes, info, whole))
}

/// Names the checkpoint that is to blame: the one read if it does not decode, else the one written.
fn solve_failure(args: &SolveArgs, error: &SolveError) -> Failure {
    use soloist::run::CheckpointError::Write;
    if matches!(error, SolveError::Rollout { .. } | SolveError::Method(_) | SolveError::Whole(_)) {
        return Failure::usage(error.to_string());
    }
    let file = match error {
        SolveError::Checkpoint(Write(_)) => args.checkpoints.checkpoint.as_deref(),
        SolveError::Checkpoint(_) => args.checkpoints.resume.as_deref(),
        _ => None,
    };
    Failure::runtime(file.map_or_else(|| error.to_string(), |file| format!("{}: {error}", file.display())))
}

/// The files to write, all of them found writable.
struct Outputs {
    out: Option<Target>,
    svg: Option<Target>,
    events: Option<Target>,
    checkpoint: Option<Target>,
}

impl Outputs {
    /// Checks the output arguments against each other, the inputs and the file system.
    fn check(args: &SolveArgs, instance: &dyn AnyInstance) -> Result<Self, Failure> {
        let make = |path: &Option<_>| path.as_deref().map(Target::new).transpose();
        let outputs = Self {
            out: make(&args.output.out)?,
            svg: make(&args.output.svg)?,
            events: make(&args.output.events)?,
            checkpoint: args.checkpoints.checkpoint.as_deref().map(Target::regular).transpose()?,
        };
        let all = outputs.named();
        for (at, (option, target)) in all.iter().enumerate() {
            for (other, twin) in &all[at + 1..] {
                if target.is_same(twin.path()) {
                    return Err(Failure::usage(format!("{option} and {other} name the same file {}", twin.shown())));
                }
            }
            let mut inputs = Guarded::default();
            inputs.add(Path::new(&args.instance), "the instance");
            args.start.iter().for_each(|start| inputs.add(start, "a solution to start from"));
            args.prefix.iter().for_each(|prefix| inputs.add(prefix, "the moves to begin with"));
            // A resumed run may continue in the same checkpoint.
            if let Some(resume) = args.checkpoints.resume.as_deref().filter(|_| *option != "--checkpoint") {
                inputs.add(resume, "the checkpoint to resume");
            }
            inputs.check(option, Path::new(target.shown()))?;
        }
        if let (Some(target), Some(path)) = (&outputs.checkpoint, &args.checkpoints.checkpoint)
            && !args.checkpoints.resume.as_deref().is_some_and(|resume| target.is_same(resume))
            && path.metadata().is_ok_and(|metadata| metadata.len() > 0)
        {
            // Hours of work may be in it.
            let shown = target.shown();
            return Err(Failure::runtime(match other_kind(path, instance) {
                Some(kind) => format!("{shown} exists and is {kind}: name another file"),
                None => format!("{shown} exists: continue it with --resume {shown}, or remove it"),
            }));
        }
        Ok(outputs)
    }

    fn named(&self) -> Vec<(&'static str, &Target)> {
        let all = [
            ("--out", &self.out),
            ("--svg", &self.svg),
            ("--events", &self.events),
            ("--checkpoint", &self.checkpoint),
        ];
        all.into_iter().filter_map(|(option, target)| Some((option, target.as_ref()?))).collect()
    }
}

/// What a file is, if it is no checkpoint.
fn other_kind(path: &Path, instance: &dyn AnyInstance) -> Option<&'static str> {
    let mut start = Vec::new();
    soloist::run::file::open_regular(path).and_then(|file| file.take(1024).read_to_end(&mut start)).ok()?;
    if !matches!(instance.read_header(&start), Err(CheckpointError::Foreign)) {
        return None;
    }
    let text = String::from_utf8_lossy(&start);
    Some(match &text {
        text if text.starts_with("{\"job\":") => "a file of runs, not a checkpoint",
        text if text.starts_with('{') && text.contains("\"event\":") => "a file of events, not a checkpoint",
        text if text.starts_with('{') && text.contains("\"problem\":") => "a result, not a checkpoint",
        _ => "no checkpoint",
    })
}

#[cfg(all(test, feature = "problems"))]
mod tests {
    use super::*;
    use crate::commands::{Cli, Commands};
    use clap::Parser;
    use soloist_domain_testing::problem::DOMAIN;
    use soloist_problems::{Options, Unobserved};

    /// The arguments of a call on the problem for tests.
    fn solve_args(rest: &[&str]) -> SolveArgs {
        let known = soloist_problems::domains()[0].name;
        let call = [&["soloist", "solve", known], rest, &["--quiet"]].concat();
        match Cli::try_parse_from(call).unwrap().command {
            Commands::Solve(mut args) => {
                args.problem = &DOMAIN;
                *args
            }
            _ => unreachable!("the call says solve"),
        }
    }

    /// Runs the problem for tests without printing: report, JSON, text.
    fn solved(spec: &str) -> (Report, Value, String) {
        let instance = (DOMAIN.load)(spec, &Options::new()).unwrap();
        let args = solve_args(&[spec, "--playouts", "5"]);
        let ResolvedRun { setup, budget, .. } = args.spec().resolve(&DOMAIN, &*instance).unwrap();
        let request = Request { budget, ..Request::default() };
        let report = instance.solve(request, &mut Unobserved).unwrap();
        let asked = Asked { domain: &DOMAIN, instance: &*instance, options: &Options::new(), setup: &setup };
        let json = serde_json::from_str(&RunRecord::result(asked, &report).line()).unwrap();
        let text = text::text(asked, &report);
        (report, json, text)
    }

    #[test]
    fn infeasible_endings_exit_with_3() {
        let (report, json, text) = solved("infeasible");
        assert_eq!(exit_code(&report), 3);
        assert_eq!((&json["score"], &json["feasible"], &json["violation"]), (&Value::Null, &false.into(), &1.5.into()));
        assert_eq!((&json["history"][0]["score"], &json["history"][0]["violation"]), (&Value::Null, &1.5.into()));
        assert_eq!(json["sense"], "minimize");
        assert!(text.contains("infeasible by 1.5") && text.contains("the bit is"), "{text}");
        assert_eq!(run(&solve_args(&["infeasible", "--playouts", "5", "--json"])).unwrap(), 3);
    }

    #[test]
    fn results_that_fail_verification_are_internal_errors() {
        let (report, json, _) = solved("feasible");
        assert_eq!((exit_code(&report), &json["score"]), (0, &2.into()));
        let instance = (DOMAIN.load)("wrong", &Options::new()).unwrap();
        let setup = report.run.setup.clone();
        let asked = Asked { domain: &DOMAIN, instance: &*instance, options: &Options::new(), setup: &setup };
        let failure = verify(asked, &report).unwrap_err();
        assert_eq!(failure.code(), 1);
        assert_eq!(failure.message, "internal error: the search claims score 2, verification finds 3");
        let mut other = report.clone();
        other.answers[0].solution = serde_json::json!({});
        assert!(verify(asked, &other).unwrap_err().message.starts_with("internal error: the result fails"));
        // One that is kept behind the best is verified as well.
        let instance = (DOMAIN.load)("feasible", &Options::new()).unwrap();
        let asked = Asked { instance: &*instance, ..asked };
        assert!(verify(asked, &report).is_ok());
        other.answers.insert(0, report.answers[0].clone());
        assert!(verify(asked, &other).unwrap_err().message.starts_with("internal error: the result fails"));
    }
}
