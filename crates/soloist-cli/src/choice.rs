//! From arguments to what runs.

use crate::args::{SimplifyArgs, SolveArgs, TuneArgs};
use crate::failure::{Failure, nearest};
use crate::values::Setting;
use soloist_problems::{AnyInstance, Domain, InstanceError, Limits, ResolvedRun, Resumed, RunSpec, SpecPart};
use std::path::Path;

/// Why an instance cannot be opened. What is no file and was not meant as one gets the specs that exist.
pub(crate) fn unopened(domain: &Domain, text: &str, error: &InstanceError) -> String {
    let is_word = !matches!(text, "" | "-") && !text.contains(['/', '\\', '.']);
    if !is_word || !error.message.starts_with("cannot be read") || Path::new(text).exists() {
        return error.to_string();
    }
    let (kind, rest) = text.split_once(':').unwrap_or((text, "..."));
    let words = domain.instance.split([' ', ',', ';', '(', ')', '`']);
    let kinds: Vec<&str> =
        words.filter_map(|word| word.split_once(':').filter(|form| !form.1.is_empty())).map(|form| form.0).collect();
    let hint = nearest(kind, &kinds).map_or_else(String::new, |kind| format!(", did you mean `{kind}:{rest}`?"));
    format!("`{text}` is neither a file nor a spec{hint} ({} takes {})", domain.name, domain.instance)
}

/// What the arguments of a command ask for.
pub(crate) trait Asking {
    /// Returns the spec of the run.
    fn spec(&self) -> RunSpec;
}

impl Asking for SolveArgs {
    fn spec(&self) -> RunSpec {
        let &Self { time, playouts, nodes, target, stall, memory, max_moves, .. } = self;
        RunSpec {
            instance: self.instance.clone(),
            method: self.method.clone(),
            rollout: self.rollout.clone(),
            budget: Limits { time, playouts, nodes, target, stall, memory, max_moves },
            seed: self.seed,
            threads: self.threads,
            keep: self.keep,
            ..about(self.problem, &self.set)
        }
    }
}

impl Asking for SimplifyArgs {
    fn spec(&self) -> RunSpec {
        RunSpec {
            method: self.method.clone(),
            set: self.set.iter().cloned().collect(),
            seed: self.seed,
            threads: self.threads,
            ..RunSpec::default()
        }
    }
}

impl Asking for TuneArgs {
    fn spec(&self) -> RunSpec {
        let &Self { time, playouts, nodes, stall, memory, .. } = self;
        RunSpec {
            method: self.method.clone(),
            rollout: self.rollout.clone(),
            budget: Limits { time, playouts, nodes, stall, memory, ..Limits::default() },
            threads: Some(self.threads),
            ..about(self.problem, &self.set)
        }
    }
}

/// The spec of what names a problem and settings.
pub(crate) fn about(domain: &Domain, set: &[Setting]) -> RunSpec {
    RunSpec { problem: domain.name.to_owned(), set: set.iter().cloned().collect(), ..RunSpec::default() }
}

/// Resolves what `solve` is asked for, for a new run or for one that is resumed.
pub(crate) fn resolve(
    domain: &Domain,
    spec: &RunSpec,
    instance: &dyn AnyInstance,
    before: Option<&Resumed>,
) -> Result<ResolvedRun, Failure> {
    let Some(before) = before else { return Ok(spec.resolve(domain, instance)?) };
    spec.resume(domain, before).map_err(|error| match error.part {
        // What contradicts the checkpoint is named as the argument.
        SpecPart::Resume => Failure::usage(format!("--{error}")),
        _ => error.into(),
    })
}
