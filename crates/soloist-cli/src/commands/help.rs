//! Help in which examples keep their lines.
//!
//! The parser of arguments wraps all text behind the options at the width of the terminal. Lines that are indented are
//! examples: their blanks are replaced by ones at which no line is broken, and put back before the help is printed. All
//! other lines are joined to paragraphs, which are wrapped once.

use super::cli::Cli;
use clap::{Command, CommandFactory};

/// A blank at which the parser breaks no line.
const FIRM: char = '\u{a0}';

/// The definition of the command, for parsing and for help that goes through [`plain_help`].
pub(crate) fn command() -> Command {
    let mut root = firm(Cli::command());
    let names: Vec<String> = root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names {
        root = root.mut_subcommand(name, firm);
    }
    root
}

/// Help as it is printed.
pub(crate) fn plain_help(rendered: &str) -> String {
    rendered.replace(FIRM, " ")
}

fn firm(command: Command) -> Command {
    match command.get_after_help().map(ToString::to_string) {
        Some(text) => command.after_help(layout(&text)),
        None => command,
    }
}

fn layout(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let is_example = line.starts_with("  ");
        match lines.last_mut() {
            // A heading stands alone, as the first line of a paragraph of examples.
            Some(last) if is_open && !is_example && !line.is_empty() => *last = format!("{last} {line}"),
            _ if is_example => lines.push(line.replace(' ', &FIRM.to_string())),
            _ => lines.push(line.to_owned()),
        }
        is_open = !is_example && !line.is_empty();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use soloist_study::bench::Plan;
    use std::path::Path;

    /// The help of each command at this width.
    fn helps(width: usize) -> Vec<(String, String)> {
        let mut root = command().term_width(width);
        root.build();
        let names: Vec<String> = root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        let mut all = vec![(String::new(), plain_help(&root.render_long_help().to_string()))];
        for name in names {
            let help = root.find_subcommand_mut(&name).unwrap().render_long_help().to_string();
            all.push((name, plain_help(&help)));
        }
        all
    }

    #[test]
    fn examples_keep_their_lines_at_any_width() {
        let definition = Cli::command();
        for width in [40, 80, 100, 110, 200] {
            for (name, help) in helps(width) {
                let command = if name.is_empty() { Some(&definition) } else { definition.find_subcommand(&name) };
                let after = command.and_then(Command::get_after_help).map(ToString::to_string).unwrap_or_default();
                for example in after.lines().filter(|line| line.starts_with("  ")) {
                    assert!(help.lines().any(|line| line == example), "{name} at {width}: {example}\n{help}");
                }
            }
        }
    }

    #[test]
    fn paragraphs_are_wrapped_once() {
        let text = "Examples:\n  a b   c\n  d\nOne line\nand another.\n\nThe next.";
        let firm =
            "Examples:\n\u{a0}\u{a0}a\u{a0}b\u{a0}\u{a0}\u{a0}c\n\u{a0}\u{a0}d\nOne line and another.\n\nThe next.";
        assert_eq!(layout(text), firm);
    }

    #[test]
    fn the_spec_of_an_example_is_valid() {
        let help = helps(60).into_iter().find(|(name, _)| name == "bench").unwrap().1;
        let lines = help.lines().skip_while(|line| !line.contains("Example of a SPEC.toml:")).skip(1);
        let spec: String = lines.take_while(|line| line.starts_with("  ")).map(|line| format!("{line}\n")).collect();
        assert!(spec.contains("[profile]"), "{spec}");
        let registry = soloist_problems::registry();
        // The spec is read; what is missing are the boards that it names.
        let failure = Plan::parse(Path::new("nowhere/example.toml"), "example", &spec, registry).unwrap_err();
        assert!(failure.message.contains("boards"), "{failure}");
    }
}
