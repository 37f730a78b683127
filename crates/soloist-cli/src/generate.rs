//! `soloist generate`: the instance of a spec in the problem's file format.

use crate::args::GenerateArgs;
use crate::failure::Failure;
use crate::output::{self, Target};

/// Runs the command.
pub(crate) fn run(args: &GenerateArgs) -> Result<u8, Failure> {
    let target = args.output.as_deref().map(Target::new).transpose()?;
    if let Some(target) = &target
        && target.path().is_file()
        && !args.force
    {
        return Err(Failure::runtime(format!("{} exists; --force replaces it", target.shown())));
    }
    let text = (args.problem.generate)(&args.spec).map_err(|error| Failure::runtime(error.to_string()))?;
    match target {
        Some(target) => target.write(&text)?,
        None => output::print(&text)?,
    }
    Ok(0)
}
