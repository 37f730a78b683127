//! `soloist completions` and `soloist man`, from the same definitions as the arguments.

use super::cli::Cli;
use crate::terminal::output;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use soloist_study::Failure;
use soloist_study::files::Target;
use std::path::Path;

/// Prints a completion script.
pub(crate) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "soloist", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// Prints the manual page, or writes one for each command into `dir`.
pub(crate) fn manual(dir: Option<&Path>) -> Result<u8, Failure> {
    let mut root = Cli::command();
    root.build();
    let Some(dir) = dir else {
        output::print(&page(&root)?)?;
        return Ok(0);
    };
    std::fs::create_dir_all(dir)
        .map_err(|error| Failure::runtime(format!("cannot make {}: {error}", dir.display())))?;
    let mut pages = vec![("soloist.1".to_owned(), page(&root)?)];
    // The command `help` prints what the pages hold.
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        // Building gave each its full name.
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        pages.push((format!("{name}.1"), page(command)?));
    }
    // All are checked before the first is written.
    let targets: Vec<_> = pages.iter().map(|(file, _)| Target::new(&dir.join(file))).collect::<Result<_, _>>()?;
    for (target, (_, text)) in targets.iter().zip(&pages) {
        target.write(text)?;
    }
    Ok(0)
}

fn page(command: &clap::Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    Man::new(command.clone())
        .render(&mut text)
        .map_err(|error| Failure::runtime(format!("cannot write the manual: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
