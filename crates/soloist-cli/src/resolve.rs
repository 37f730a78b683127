//! From a spec to what runs, for a new run or for one that is resumed.

use soloist_problems::{AnyInstance, Domain, ResolvedRun, Resumed, RunSpec, SpecPart, registry};
use soloist_study::Failure;

/// Resolves what `solve` is asked for, for a new run or for one that is resumed.
pub(crate) fn resolve(
    domain: &Domain,
    spec: &RunSpec,
    instance: &dyn AnyInstance,
    before: Option<&Resumed>,
) -> Result<ResolvedRun, Failure> {
    let Some(before) = before else {
        return spec.resolve(domain, instance).map_err(|error| registry().with_owners(error).into());
    };
    spec.resume(domain, before).map_err(|error| match error.part {
        // What contradicts the checkpoint is named as the argument.
        SpecPart::Resume => Failure::usage(format!("--{error}")),
        _ => error.into(),
    })
}
