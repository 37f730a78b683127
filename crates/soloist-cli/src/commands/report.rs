//! `soloist report`: runs from files as one page.

use super::args::QuietArgs;
use crate::terminal::output;
use crate::units;
use clap::Args;
use soloist_study::Failure;
use soloist_study::report::{ReportSpec, write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  soloist report runs.jsonl -o report.html                 the runs of `soloist bench`
  soloist report events.jsonl -o report.html               those of `soloist solve --events`
  soloist report runs.jsonl --best-known best.csv          with gaps to the best known scores
  soloist report a.json b.json --title \"Two tries\" -o report.html

The page is one file that opens from disk and loads nothing from elsewhere. Solutions are drawn where the instance can
be opened: from a path that counts from the file of runs or from here.";

/// Arguments of `report`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArgs {
    /// Runs of `bench`, events of `solve --events`, results of `solve --json`, in any mixture
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The page to write (replaced)
    #[arg(long, short, visible_alias = "out", value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
    /// The heading of the page; default: what the runs are about
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Best known scores, for gaps and targets: a CSV file with the columns instance and value, as `bench` reads it
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) best_known: Option<PathBuf>,
    /// Draw the best solutions of at most N instances of each problem
    #[arg(long, value_name = "N", value_parser = units::count_or_none, allow_hyphen_values = true, default_value = "50")]
    pub(crate) drawings: u64,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<u8, Failure> {
    let spec = ReportSpec {
        files: args.files.clone(),
        title: args.title.clone(),
        best_known: args.best_known.clone(),
        drawings: args.drawings as usize,
    };
    let notes = write(&spec, &args.output, soloist_problems::registry())?;
    if !args.quiet.quiet {
        notes.iter().for_each(|note| output::note(note));
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::command;
    use serde_json::json;

    /// The words of a line, as a shell reads it.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
        let mut rest = line.chars();
        while let Some(c) = rest.next() {
            match c {
                '\'' => quoted = !quoted,
                '\\' if !quoted => word.extend(rest.next()),
                ' ' if !quoted => words.push(std::mem::take(&mut word)),
                _ => word.push(c),
            }
        }
        words.push(word);
        words
    }

    /// The first call of `solve` on a page.
    fn call(page: &str) -> String {
        let line = page.split("<code>").find(|text| text.starts_with("soloist solve")).unwrap();
        let line = line.split("</code>").next().unwrap();
        let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
        marks.iter().fold(line.to_owned(), |line, (mark, text)| line.replace(mark, text))
    }

    #[test]
    fn no_foreign_name_becomes_an_option_of_the_calls_shown() {
        let folder = tempfile::tempdir().unwrap();
        let (file, page) = (folder.path().join("runs.jsonl"), folder.path().join("page.html"));
        for name in ["--out=/tmp/pwned", "-o", "-", "--", "a b'; --out x", "$(id)", "x --json"] {
            let record = json!({
                "job": "0", "label": "a", "problem": "knapsack", "instance": name, "options": {}, "sense": "maximize",
                "method": "uct", "parameters": {}, "rollout": name, "seed": 1, "threads": 1, "score": 4,
                "budget": { "target": -5.0 }, "playouts": 1, "seconds": 1.0, "stop": "playouts", "optimal": false,
            });
            std::fs::write(&file, format!("{record}\n")).unwrap();
            let spec = ReportSpec { files: vec![file.clone()], title: None, best_known: None, drawings: 1 };
            write(&spec, &page, soloist_problems::registry()).unwrap();
            let line = call(&std::fs::read_to_string(&page).unwrap());
            let parsed = command().try_get_matches_from(words(&line)).unwrap();
            let (_, solve) = parsed.subcommand().unwrap();
            let given = |id: &str| solve.get_raw(id).map(|values| values.collect::<Vec<_>>());
            let instance = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
            assert_eq!(given("instance").unwrap(), [instance.as_str()], "{line}");
            assert_eq!(given("rollout").unwrap(), [name], "{line}");
            assert_eq!(given("target").unwrap(), ["-5"], "{line}");
            assert!(given("out").is_none(), "{line}");
        }
    }
}
