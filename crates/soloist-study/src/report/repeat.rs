//! Where runs come from and how to repeat them: files, machines, commands.

use super::html::{Cell, Grid, escape, section, shell};
use super::read::Runs;
use super::trial::Trial;
use crate::text::{counted, plain};
use serde_json::Value;
use soloist_domain::Registry;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the files have to say.
pub(super) fn file_notes(runs: &Runs) -> Vec<String> {
    let mut notes = Vec::new();
    if runs.twice > 0 {
        notes.push(format!("{} of runs that were there already: the later ones count", counted(runs.twice, "record")));
    }
    notes
        .extend(runs.cut.iter().map(|file| format!("{}: the last line was cut short and is left out", file.display())));
    notes.extend(runs.remarks.iter().cloned());
    notes
}

/// Where everything comes from and how to repeat it.
pub(super) fn sources(runs: &Runs, notes: &[String]) -> String {
    let mut content = String::new();
    if !notes.is_empty() {
        content.push_str("<ul class=\"notes\">");
        content.extend(notes.iter().map(|note| format!("<li>{}</li>", escape(note))));
        content.push_str("</ul>");
    }
    let mut table = Grid::new("Files of runs", 3, &["file", "machine", "version", "runs"]);
    for (at, file) in runs.files.iter().enumerate() {
        let of_file = || runs.trials.iter().filter(move |trial| trial.file == at);
        let join = |values: BTreeSet<String>| {
            let values: Vec<_> = values.into_iter().filter(|value| !value.is_empty()).collect();
            if values.is_empty() { "not recorded".to_owned() } else { values.join("; ") }
        };
        table.push(vec![
            Cell::text(file.display().to_string()),
            Cell::text(join(of_file().filter_map(|trial| Some(trial.task.machine.as_ref()?.to_string())).collect())),
            Cell::text(join(of_file().map(|trial| trial.task.version.clone()).collect())),
            Cell::text(of_file().count().to_string()),
        ]);
    }
    content.push_str(&table.html());
    content.push_str("<p class=\"fine\">Commands that repeat this:</p><pre><code>");
    for (at, file) in runs.files.iter().enumerate() {
        let compared = runs.trials.iter().any(|trial| trial.file == at && trial.task.label.is_some());
        let spec = file.with_extension("toml");
        if compared && spec.is_file() {
            let (spec, file) = (spec.display().to_string(), file.display().to_string());
            let _ = writeln!(
                content,
                "{}",
                escape(&format!("soloist bench {} {}", written("--out", &file), argument(&spec)))
            );
        }
    }
    let files: Vec<String> = runs.files.iter().map(|file| argument(&file.display().to_string())).collect();
    let _ = write!(content, "{}</code></pre>", escape(&format!("soloist report -o report.html {}", files.join(" "))));
    section("sources", "Sources", "What the page was made from.", &content)
}

/// The call that makes a run.
pub(super) fn command(trial: &Trial, registry: Registry) -> String {
    let mut words = vec!["soloist solve".to_owned(), argument(&trial.task.problem), argument(&trial.task.instance)];
    let mut option = |name: &str, value: String| words.push(written(name, &value));
    option("--method", trial.task.method.clone());
    let domain = registry.find(&trial.task.problem);
    for (key, value) in &trial.task.options {
        if !domain.is_some_and(|domain| domain.is_usual(key, value)) {
            option("--set", format!("{key}={value}"));
        }
    }
    let usual = usual(&trial.task.method, registry);
    for (name, value) in &*trial.task.parameters {
        let value = value_text(value);
        if !usual.contains(&(name.clone(), value.clone())) {
            option("--set", format!("{name}={value}"));
        }
    }
    if !trial.task.rollout.is_empty() {
        option("--rollout", trial.task.rollout.clone());
    }
    option("--seed", trial.task.seed.to_string());
    if trial.task.threads > 1 {
        option("--threads", trial.task.threads.to_string());
    }
    let budget = serde_json::to_value(&trial.task.budget).unwrap_or_default();
    let mut limited = false;
    for name in ["time", "playouts", "nodes", "target", "stall", "memory"] {
        if let Some(value) = budget.get(name).and_then(Value::as_f64)
            && (name != "memory" || value != soloist::Budget::MEMORY as f64)
        {
            option(&format!("--{name}"), plain(value));
            limited = true;
        }
    }
    if !limited {
        match trial.ending.stop {
            Some(soloist::run::StopReason::Nodes) => option("--nodes", trial.ending.nodes.to_string()),
            _ => option("--playouts", trial.ending.playouts.max(1).to_string()),
        }
    }
    words.join(" ")
}

/// A name from a file as an argument that no shell and no parser of options takes for something else.
fn argument(name: &str) -> String {
    // A file of this name is here; nothing else begins with a hyphen.
    if name.starts_with('-') { shell(&format!("./{name}")) } else { shell(name) }
}

/// An option with its value, which may begin with a hyphen.
fn written(name: &str, value: &str) -> String {
    if value.starts_with('-') { format!("{name}={}", shell(value)) } else { format!("{name} {}", shell(value)) }
}

/// The parameters of a preset as records show them.
pub(super) fn usual(preset: &str, registry: Registry) -> Vec<(String, String)> {
    let Ok(preset) = registry.find_method(preset) else { return Vec::new() };
    soloist_domain::result::parameters(&preset.method())
        .into_iter()
        .map(|(name, value)| (name, value_text(&value)))
        .collect()
}

/// A parameter's value as `--set` takes it.
pub(super) fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::read::tests::record;
    use crate::report::study::tests::runs;
    use serde_json::json;

    #[test]
    fn no_foreign_name_becomes_an_option() {
        let mut value = record("a", "--out=/tmp/pwned", 1, Some(4.0));
        value["rollout"] = json!("-o");
        value["budget"] = json!({ "target": -5.0 });
        let line = command(&runs(vec![value]).trials[0], soloist_problems::registry());
        for part in [" ./--out=/tmp/pwned ", " --rollout=-o ", " --target=-5"] {
            assert!(line.contains(part), "{part} in {line}");
        }
        let mut all = runs(vec![record("a", "x", 1, Some(4.0))]);
        all.files = vec!["--output=x".into()];
        let page = sources(&all, &[]);
        assert!(page.contains("soloist report -o report.html ./--output=x<"), "{page}");
    }
}
