//! The result of a tuning for people, for documents and for programs.

use super::space::{Belief, Coordinate, Kind, ROLLOUT, Space};
use super::spec::Tuning;
use super::trace::{self, Iteration};
use crate::bench::present::{Findings, budget_text};
use crate::race::Race;
use crate::table::{Format, Table};
use crate::text::{counted, plain};
use serde_json::{Value, json};
use soloist_domain::result::{self, VERSION};
use soloist_domain::{Limits, Setting};

/// Everything that is shown.
#[derive(Debug)]
pub(super) struct Summary<'a> {
    pub(super) tuning: &'a Tuning<'a>,
    pub(super) tuned: &'a [Coordinate],
    pub(super) iterations: &'a [Iteration],
    /// The final comparison; `None`: the result is what the method was before.
    pub(super) findings: Option<&'a Findings<'a>>,
}

impl Summary<'_> {
    /// Tables as text or Markdown. They hold no times, so that equal tunings print the same.
    pub(super) fn text(&self, format: Format) -> String {
        let Self { tuning, tuned, iterations: all, .. } = self;
        let spec = tuning.spec;
        let way = match spec.race {
            None => "cross-entropy method",
            Some(Race::T) => "cross-entropy method with t races",
            Some(Race::Hoeffding) => "cross-entropy method with Hoeffding races",
        };
        let head = format!(
            "{}: {way} on {}, {} samples, {} elite, {} instances an iteration; {} a run",
            spec.domain.name,
            tuning.name,
            spec.samples,
            tuning.elite,
            spec.batch.min(tuning.instances.tuning.len()),
            budget_text(&tuning.budget)
        );
        let line = |text: &str| format.escape(text);
        let mut parts = vec![line(&head) + "\n"];
        let mut table = Table::new(2, ["parameter", "values", "before", "first", "last", "tuned"]);
        let last = all.last().map_or(&tuning.start, |iteration| &iteration.beliefs);
        for (at, dimension) in tuning.space.dimensions.iter().enumerate() {
            let belief = |beliefs: &[Belief]| believed(&dimension.kind, &beliefs[at]);
            table.push(vec![
                dimension.key.to_owned(),
                words(&dimension.kind),
                dimension.default.clone(),
                belief(&tuning.start),
                belief(last),
                tuned[at].text.clone(),
            ]);
        }
        parts.push(table.show(format));
        parts.push(iterations(&tuning.space, all, format));
        match self.findings {
            Some(findings) => {
                let count = tuning.instances.validation.len();
                let (count, seeds) = (counted(count, "instance"), counted(spec.validation_seeds, "seed"));
                parts.push(line(&format!("on {count} not tuned on, {seeds} each:")) + "\n");
                parts.push(findings.verdict(format));
                let advice = match findings.is_first_better() {
                    Some(true) => None,
                    Some(false) => Some("the setting before is better: keep it"),
                    None => Some("no gain shown over the setting before: keep it"),
                };
                parts.extend(advice.map(|advice| advice.to_owned() + "\n"));
            }
            None => parts.push("the result is what the method was before\n".to_owned()),
        }
        let option = |set: &Setting| match set.key.as_str() {
            ROLLOUT => format!("--rollout {}", set.value),
            key => format!("--set {key}={}", set.value),
        };
        let set: Vec<_> = tuning.space.settings(tuned).iter().map(option).collect();
        parts.push(line(&format!("--method {} {}", tuning.name, set.join(" "))) + "\n");
        parts.join("\n")
    }

    /// Everything as one JSON object.
    pub(super) fn json(&self) -> Value {
        let Self { tuning, tuned, iterations, .. } = self;
        let parameter = |dimension: &super::space::Dimension| json!({ "name": dimension.key, "values": range(&dimension.kind), "before": dimension.default });
        let lines: Vec<_> =
            iterations.iter().enumerate().map(|(at, iteration)| trace::line(&tuning.space, at, iteration)).collect();
        let validation = self.findings.map(|findings| {
            let all = findings.json();
            let means = |at: usize| all["methods"][at]["mean"].clone();
            json!({
                "instances": tuning.instances.validation,
                "seeds": all["seeds"],
                "tuned_mean": means(0),
                "before_mean": means(1),
                "comparison": all["comparisons"][0],
            })
        });
        json!({
            "problem": tuning.spec.domain.name,
            "options": tuning.options,
            "sense": self.findings.map(|findings| result::sense(findings.sense())),
            "method": tuning.name,
            "budget": Limits::of(&tuning.budget),
            "parameters": tuning.space.dimensions.iter().map(parameter).collect::<Vec<_>>(),
            "tuned": trace::settings(&tuning.space, tuned),
            "iterations": lines,
            "validation": validation,
            "seed": tuning.spec.seed,
            "version": VERSION,
        })
    }
}

/// The iterations, one a line.
pub(super) fn iterations(space: &Space, iterations: &[Iteration], format: Format) -> String {
    let head = ["iteration", "runs", "best", "elite", "all"].map(str::to_owned).into_iter();
    let keys = space.dimensions.iter().map(|dimension| dimension.key.to_owned());
    let mut table = Table::new(0, head.chain(keys));
    let score = |mean: Option<f64>| mean.map_or_else(|| "-".to_owned(), |mean| plain((mean * 1e4).round() / 1e4));
    for (at, iteration) in iterations.iter().enumerate() {
        let mut cells = vec![(at + 1).to_string(), iteration.runs.to_string()];
        cells.extend([iteration.best_mean, iteration.elite_mean, iteration.mean].map(score));
        let beliefs = space.dimensions.iter().zip(&iteration.beliefs);
        cells.extend(beliefs.map(|(dimension, belief)| believed(&dimension.kind, belief)));
        table.push(cells);
    }
    table.show(format)
}

/// A belief in a few words: `0.31 x/ 2.4` on a logarithmic scale, `12 +- 3`, `mean 80 %`.
fn believed(kind: &Kind, belief: &Belief) -> String {
    match (belief, kind) {
        (Belief::Normal { mean, deviation }, Kind::Number { logarithmic: true, .. }) => {
            format!("{} x/ {}", three(kind.value(*mean)), three(libm::exp(*deviation)))
        }
        (Belief::Normal { mean, deviation }, _) => format!("{} +- {}", three(*mean), three(*deviation)),
        (Belief::Chances(chances), Kind::Words(words)) => {
            let best = (0..chances.len()).reduce(|best, at| if chances[at] > chances[best] { at } else { best });
            best.map_or_else(String::new, |at| format!("{} {:.0} %", words[at], chances[at] * 100.0))
        }
        (Belief::Chances(_), Kind::Number { .. }) => String::new(),
    }
}

/// A number with three significant digits.
fn three(value: f64) -> String {
    format!("{value:.2e}").parse().map_or_else(|_| plain(value), plain)
}

/// The values of a parameter as the command line takes them.
fn words(kind: &Kind) -> String {
    match kind {
        Kind::Number { low, high, logarithmic, .. } => {
            format!("{low}..{high}{}", if *logarithmic { ":log" } else { "" })
        }
        Kind::Words(words) => words.join("|"),
    }
}

/// The values of a parameter for programs.
pub(super) fn range(kind: &Kind) -> Value {
    match kind {
        Kind::Number { low, high, logarithmic, whole } => {
            json!({ "low": low, "high": high, "logarithmic": logarithmic, "whole": whole })
        }
        Kind::Words(words) => json!(words),
    }
}
