//! From a spec to what runs, for a new run or for one that is resumed.

use soloist_problems::{AnyInstance, Domain, InstanceError, ResolvedRun, Resumed, RunSpec, SpecPart, registry};
use soloist_study::Failure;

/// Resolves what `solve` is asked for, for a new run or for one that is resumed. `is_begun`: its solutions begin with
/// given moves.
pub(crate) fn resolve(
    domain: &Domain,
    spec: &RunSpec,
    instance: &dyn AnyInstance,
    is_begun: bool,
    before: Option<&Resumed>,
) -> Result<ResolvedRun, Failure> {
    let Some(before) = before else {
        let resolved = if is_begun { spec.resolve_begun(domain, instance) } else { spec.resolve(domain, instance) };
        return resolved.map_err(|error| registry().with_owners(error).into());
    };
    spec.resume(domain, before).map_err(|error| match error.part {
        // What contradicts the checkpoint is named as the argument.
        SpecPart::Resume => Failure::usage(format!("--{error}")),
        _ => error.into(),
    })
}

/// Says why an instance cannot be opened: by its file, or by an option that does not suit it, which is a wrong call.
pub(crate) fn unopened(domain: &Domain, text: &str, error: &InstanceError) -> Failure {
    let message = domain.unopened(text, error);
    match error.option {
        Some(option) => Failure::usage(format!("--set {option}: {message}")),
        None => Failure::runtime(message),
    }
}
