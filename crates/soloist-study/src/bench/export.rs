//! Runs and tables as CSV files, for other programs.

use super::present::Findings;
use super::profile::target_text;
use crate::failure::Failure;
use crate::files::{Guarded, Target};
use crate::text::is_formula;
use serde_json::Value;
use soloist_domain::result;
use std::path::Path;

/// The files, in the order in which they are written.
const FILES: [&str; 5] = ["runs.csv", "methods.csv", "comparisons.csv", "instances.csv", "profile.csv"];

/// A folder of CSV files, known to be writable.
#[derive(Debug)]
pub struct Folder(Vec<Target>);

impl Folder {
    /// Makes the folder if it is missing, and checks that the files can be written and replace none of `guarded`.
    ///
    /// # Errors
    /// A file cannot be written, or is one of `guarded`.
    pub fn new(path: &Path, guarded: &Guarded) -> Result<Self, Failure> {
        FILES.iter().try_for_each(|file| guarded.check("--csv", &path.join(file)))?;
        std::fs::create_dir_all(path)
            .map_err(|error| Failure::runtime(format!("cannot make {}: {error}", path.display())))?;
        FILES.iter().map(|file| Target::new(&path.join(file))).collect::<Result<_, _>>().map(Self)
    }

    /// Writes all files.
    ///
    /// # Errors
    /// Those of the files that could not be written.
    pub fn write(&self, findings: &Findings<'_>) -> Result<(), Failure> {
        let json = findings.json();
        let texts = [runs(findings), methods(&json), comparisons(&json), instances(&json), profile(findings)];
        Failure::of_all(self.0.iter().zip(texts).map(|(target, text)| target.write(&text)))
    }
}

/// Lines of fields below the names of their columns as CSV text, quoted where it is needed.
fn text(head: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and every row has as many fields as the head.
    let _ = writer.write_record(head.split_whitespace());
    for row in rows {
        debug_assert_eq!(row.len(), head.split_whitespace().count());
        let _ = writer.write_record(&row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A value as a field; null is empty.
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => guarded(text),
        other => other.to_string(),
    }
}

/// Text that no spreadsheet takes for a formula: an apostrophe stands before what begins like one. Numbers stay as they
/// are.
///
/// # References
/// OWASP, "CSV injection": the characters that begin a formula.
fn guarded(text: &str) -> String {
    if is_formula(text) { format!("'{text}") } else { text.to_owned() }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| field(&result::number(value)))
}

fn runs(findings: &Findings<'_>) -> String {
    let Findings { plan, found, .. } = findings;
    let head = "job instance seed method score violation optimal bound playouts nodes seconds stop verified best_known \
                processor cores system";
    let rows = plan.jobs.iter().filter_map(|job| {
        let (run, course) = (found.runs.get(&job.key)?, found.trajectories.get(&job.key)?);
        let instance = &plan.instances[job.instance];
        let machine = course.machine.as_deref();
        let word = |text: Option<&String>| text.map_or_else(String::new, |text| guarded(text));
        Some(vec![
            job.key.clone(),
            guarded(&instance.name),
            plan.seeds[job.seed].to_string(),
            guarded(findings.label(job.method)),
            number(run.score),
            number(run.violation),
            run.optimal.to_string(),
            number(course.bound),
            run.playouts.to_string(),
            course.nodes.to_string(),
            number(Some(run.seconds)),
            course.stop.map_or_else(String::new, |stop| stop.to_string()),
            run.verified.map_or_else(String::new, |verified| verified.to_string()),
            number(instance.best_known),
            word(machine.map(|machine| &machine.processor)),
            machine.map_or_else(String::new, |machine| machine.cores.to_string()),
            word(machine.map(|machine| &machine.system)),
        ])
    });
    text(head, rows)
}

/// The objects of a list, one a line. A column has the value of its name; `x_low` and `x_high` are the two values of
/// `x`.
fn table(objects: &Value, columns: &str) -> String {
    let cell = |object: &Value, column: &str| match (column.strip_suffix("_low"), column.strip_suffix("_high")) {
        (Some(pair), _) => field(&object[pair][0]),
        (_, Some(pair)) => field(&object[pair][1]),
        _ => field(&object[column]),
    };
    let objects = objects.as_array().map(Vec::as_slice).unwrap_or_default().iter();
    text(columns, objects.map(|object| columns.split_whitespace().map(|column| cell(object, column)).collect()))
}

fn methods(json: &Value) -> String {
    let columns = "method runs missing infeasible unverified optimal mean standard_error bootstrap_low bootstrap_high \
                   median best worst sum_of_best sum_of_means gap gap_bootstrap_low gap_bootstrap_high \
                   best_known_reached mean_rank wins ranked playouts_per_second seconds";
    table(&json["methods"], columns)
}

fn comparisons(json: &Value) -> String {
    let columns = "a b sample pairs difference standard_error interval_low interval_high p_t p_wilcoxon p_holm zeros \
                   a_wins ties b_wins better";
    table(&json["comparisons"], columns)
}

fn instances(json: &Value) -> String {
    let head = "instance best_known method runs mean best";
    let all = json["instances"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let rows = all.flat_map(|object| {
        object["methods"].as_object().into_iter().flatten().map(|(method, scores)| {
            let of_instance = ["instance", "best_known"].map(|key| field(&object[key]));
            let of_method = ["runs", "mean", "best"].map(|key| field(&scores[key]));
            of_instance.into_iter().chain([guarded(method)]).chain(of_method).collect()
        })
    });
    text(head, rows)
}

/// The curves, one step a line.
fn profile(findings: &Findings<'_>) -> String {
    let head = "target unit method effort share known_until";
    let profile = findings.profile.as_ref();
    let curves = profile.into_iter().flat_map(|profile| profile.curves.iter().map(move |curve| (profile, curve)));
    let rows = curves.flat_map(|(profile, curve)| {
        let target = target_text(profile.targets[curve.target]);
        [(0.0, 0.0)]
            .iter()
            .chain(&curve.steps)
            .map(|&(effort, share)| {
                let name = [target.clone(), curve.unit.name().to_owned(), guarded(findings.label(curve.method))];
                name.into_iter().chain([effort, share, curve.end].map(|value| number(Some(value)))).collect()
            })
            .collect::<Vec<_>>()
    });
    text(head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        for text in ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "\rx", "\u{ff1d}1"] {
            assert_eq!(guarded(text), format!("'{text}"));
        }
        for text in ["a=b", "-2", "+1.5e3", "-inf", "uct", ""] {
            assert_eq!(guarded(text), text);
        }
        assert_eq!(field(&serde_json::json!(-2.5)), "-2.5");
    }
}
