//! The report of an experiment: tables of ours beside the published values, and what became of the claims.

use super::claim::{Own, Verdict};
use super::paper::Paper;
use super::published::short;
use super::ranges::Range;
use super::stages::Runs;
use crate::bench::{budget_text, mean, probability, rounded};
use crate::failure::Failure;
use crate::table::{Format, Table};
use crate::text::counted;
use serde_json::{Value, json};
use soloist_domain::result::{self, VERSION, number};

/// Everything that a report says.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    paper: &'a Paper,
    runs: &'a Runs,
    scale: f64,
    limit: Option<usize>,
    /// Instances whose files are missing.
    missing: Vec<String>,
    verdicts: Vec<Verdict>,
    ranges: Vec<Range>,
}

impl<'a> Report<'a> {
    /// Tests the claims.
    ///
    /// # Errors
    /// The file of the runs cannot be read.
    pub(crate) fn new(
        paper: &'a Paper,
        runs: &'a Runs,
        scale: f64,
        limit: Option<usize>,
        missing: Vec<String>,
    ) -> Result<Self, Failure> {
        let verdict = |claim| Verdict::new(paper, runs, claim, scale);
        let verdicts = paper.description.claim.iter().map(verdict).collect::<Result<_, _>>()?;
        let ranges = paper.description.figure.near.map(|part| Range::all(runs, part)).unwrap_or_default();
        Ok(Self { paper, runs, scale, limit, missing, verdicts, ranges })
    }

    /// How many claims have each outcome, in one line.
    pub(crate) fn verdicts(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for verdict in self.verdicts.iter().filter(|verdict| !verdict.ours) {
            let name = verdict.outcome.name();
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    }

    /// As text or Markdown.
    pub(crate) fn text(&self, format: Format) -> String {
        let description = &self.paper.description;
        let markdown = format == Format::Markdown;
        let show = |table: &Table| table.show(format);
        let plain = |text: &str| format.escape(text);
        let mut parts = vec![if markdown {
            format!("# {}: {}\n", self.paper.id, plain(&description.title))
        } else {
            format!("{}: {}\n", self.paper.id, description.title)
        }];
        parts.push(format!("{}\n", plain(&self.headline())));
        if markdown {
            parts.push(format!("```sh\n{}\n```\n\n![{}](figure.svg)\n", self.call(), plain(&description.title)));
        }
        for (ours, head) in [(false, "claim of the paper"), (true, "question of ours")] {
            if self.verdicts.iter().any(|verdict| verdict.ours == ours) {
                parts.push(show(&self.claims(ours, head)));
            }
        }
        parts.push(show(&self.methods()));
        if !self.ranges.is_empty() {
            parts.push(show(&self.ranges()));
        }
        if self.paper.published.has_scores() {
            parts.push(show(&self.instances()));
        }
        let bullet = if markdown { "- " } else { "" };
        let notes: Vec<String> = self.notes().iter().map(|note| format!("{bullet}{}\n", plain(note))).collect();
        parts.push(notes.concat());
        parts.join("\n")
    }

    /// The command that makes the report.
    fn call(&self) -> String {
        let limit = self.limit.map_or_else(String::new, |limit| format!(" --limit {limit}"));
        let data = if self.paper.description.data.is_some() { " --data DATA" } else { "" };
        let rows: String = self.paper.description.asked.iter().map(|text| format!(" --row \"{text}\"")).collect();
        format!("soloist reproduce {} --scale {}{rows}{limit}{data}", self.paper.id, self.scale)
    }

    fn headline(&self) -> String {
        let (description, runs) = (&self.paper.description, self.runs);
        format!(
            "{}. {}, {}, {}; {} ({}); {} scores are better.",
            description.reference,
            runs.problem,
            counted(runs.instances.len(), "instance"),
            counted(runs.seeds.len(), "seed"),
            budgets(self.scale),
            description.paper,
            if runs.sense.better_value(1.0, 0.0) { "larger" } else { "smaller" },
        )
    }

    /// The verdicts about claims of the paper, or about questions of ours.
    fn claims(&self, ours: bool, head: &str) -> Table {
        let own = |own: &Own| format!("{} (n = {})", own.p.map_or_else(none, probability), own.pairs);
        let mut table =
            Table::new(3, [head, "here", "test", "n", "advantage", "95 % interval", "p", "p of the paper's values"]);
        for verdict in self.verdicts.iter().filter(|verdict| verdict.ours == ours) {
            let interval = verdict.interval.map(|(low, high)| format!("{} to {}", rounded(low, 4), rounded(high, 4)));
            table.push(vec![
                verdict.text.clone(),
                verdict.outcome.name().to_owned(),
                verdict.test.clone(),
                verdict.pairs.to_string(),
                verdict.advantage.map_or_else(none, |value| rounded(value, 4)),
                interval.unwrap_or_else(none),
                verdict.p.map_or_else(none, probability),
                verdict.published.as_ref().map_or_else(none, own),
            ]);
        }
        table
    }

    /// A mean over instances; pairs of numbers have no mean.
    fn overall(&self, value: Option<f64>) -> String {
        match self.paper.description.pair {
            Some(_) if self.runs.instances.len() > 1 => none(),
            _ => self.score(value),
        }
    }

    /// A score, or the pair that it stands for.
    fn score(&self, value: Option<f64>) -> String {
        match (value, self.paper.description.pair) {
            (None, _) => none(),
            (Some(value), Some(unit)) if value >= unit => {
                format!("{} / {:.2}", (value / unit).floor(), value % unit)
            }
            (Some(value), _) => rounded(value, 6),
        }
    }

    fn methods(&self) -> Table {
        let tuned = self.runs.chosen.iter().any(Option::is_some);
        let statistics = self.paper.published.statistics();
        let has = |name: &str| statistics.contains(&name);
        let mut head: Vec<String> = ["method", "budget"].map(str::to_owned).to_vec();
        if tuned {
            head.push("chosen".to_owned());
        }
        head.extend(["runs", "mean", "std. error"].map(str::to_owned));
        if has("sd") {
            head.push("sd".to_owned());
        }
        if has("sum") {
            head.push("sum".to_owned());
        }
        let depths = ["depth", "deepest"];
        head.extend(depths.into_iter().filter(|name| has(name)).map(str::to_owned));
        head.extend(statistics.iter().map(|name| format!("published {name}")));
        head.push("seconds".to_owned());
        let mut table = Table::new(2 + usize::from(tuned), head);
        for (at, row) in self.runs.rows.iter().enumerate() {
            let line = self.runs.grid.row(at);
            let mut cells = vec![row.label.clone(), budget_text(&row.budget())];
            if tuned {
                let pairs = |settings: &std::collections::BTreeMap<String, String>| {
                    settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
                };
                cells.push(self.runs.chosen[at].as_ref().map_or_else(none, pairs));
            }
            cells.push(line.runs.to_string());
            cells.push(self.overall(line.mean.map(|(mean, _)| mean)));
            let error = line.mean.and_then(|(_, error)| error).filter(|_| self.paper.description.pair.is_none());
            cells.push(error.map_or_else(none, |error| rounded(error, 4)));
            if has("sd") {
                let count = self.runs.instances.len() as f64;
                cells.push(error.map_or_else(none, |error| rounded(error * count.sqrt(), 4)));
            }
            if has("sum") {
                cells.push(line.sums.map_or_else(none, |(_, sum)| rounded(sum, 6)));
            }
            let (mean_depth, deepest) = line.depth.unzip();
            for (name, value) in depths.into_iter().zip([mean_depth, deepest]) {
                if has(name) {
                    cells.push(value.map_or_else(none, |value| rounded(value, 4)));
                }
            }
            for statistic in &statistics {
                let value = self.paper.published.overall(statistic, &row.label);
                cells.push(value.map_or_else(none, |value| rounded(value, 6)));
            }
            cells.push(line.seconds.map_or_else(none, |seconds| format!("{seconds:.2}")));
            table.push(cells);
        }
        table
    }

    /// Where each series is good.
    fn ranges(&self) -> Table {
        let mut table = Table::new(1, ["series", "best mean", "at", "near the best from", "to", "powers of ten"]);
        for range in &self.ranges {
            let cell = |value: Option<f64>| value.map_or_else(none, |value| rounded(value, 3));
            table.push(vec![
                range.series.clone(),
                rounded(range.best.1, 6),
                rounded(range.best.0, 3),
                cell(range.near.map(|near| near.0)),
                cell(range.near.map(|near| near.1)),
                cell(range.decades()),
            ]);
        }
        table
    }

    /// Scores on each instance: ours, then the published columns.
    fn instances(&self) -> Table {
        let published = &self.paper.published;
        let mut head = vec!["instance".to_owned()];
        head.extend(self.runs.rows.iter().map(|row| row.label.clone()));
        head.extend(published.columns.iter().map(|column| format!("published: {column}")));
        let mut table = Table::new(1, head);
        for (at, instance) in self.runs.instances.iter().enumerate() {
            let mut cells = vec![short(instance).to_owned()];
            cells.extend((0..self.runs.rows.len()).map(|method| self.score(mean(&self.runs.grid.scores(method, at)))));
            cells.extend(published.columns.iter().map(|column| self.score(published.score(instance, column))));
            table.push(cells);
        }
        table
    }

    fn notes(&self) -> Vec<String> {
        let (description, runs) = (&self.paper.description, self.runs);
        let mut notes = vec![format!("unit of work: {}", description.unit)];
        notes.extend(description.departs.iter().map(|line| format!("differs from the paper: {line}")));
        notes.push(format!(
            "hours: {} of a processor for these runs; about {} for the full scale on the instances used by default",
            rounded((runs.spent * 1e6).round() / 1e6, 2),
            rounded(description.hours, 3)
        ));
        notes.extend(description.notes.iter().cloned());
        notes.extend(self.paper.published.source.iter().map(|source| format!("published values: {source}")));
        if let Some(unit) = description.pair {
            notes.push(format!("advantages count the first number of a score as {unit} of the second"));
        }
        if let Some(part) = description.figure.near {
            notes
                .push(format!("near the best: a mean worse than the best of all series by at most {} %", 100.0 * part));
        }
        if !self.missing.is_empty() {
            notes.push(format!("missing instances: {}", self.missing.join(", ")));
        }
        if runs.left_out > 0 {
            let (used, all) = (runs.instances.len(), runs.instances.len() + runs.left_out);
            notes.push(format!("the first {used} of {all} instances were run; `--limit` takes another number"));
        }
        if !description.asked.is_empty() {
            notes.push("only the rows that `--row` names were run, and the claims about them tested".to_owned());
        }
        if let Some(tuning) = &description.tuning {
            let names = tuning.instances.join(", ");
            notes.push(format!("settings were chosen by the mean on {names}"));
            if tuning.race {
                let race = "a setting left the race for its row when a paired t test said, after five instances or more, \
                            that it is worse than the best one (p < 0.05, no correction)";
                notes.push(race.to_owned());
            }
        }
        notes.extend(self.edges());
        if runs.rows.iter().any(|row| row.seconds.is_some()) {
            notes.push("time limits: how far a run comes depends on the machine and its load".to_owned());
        }
        for (at, row) in runs.rows.iter().enumerate() {
            let line = runs.grid.row(at);
            if line.infeasible > 0 {
                notes.push(format!(
                    "{}: {} of {} runs without a feasible solution, left out of means",
                    row.label, line.infeasible, line.runs
                ));
            }
        }
        if self.runs.missing() > 0 {
            notes.push(format!("{} missing; the figures cover the others", counted(self.runs.missing(), "run")));
        }
        notes.push(format!(
            "claims: instances are paired, p is two-sided (Wilcoxon); confirmed or differs below 0.05; the interval is \
             Student's, that of the mean, so that it can contain 0 beside a confirmed claim; with a margin, confirmed if \
             the interval lies above minus the margin; where a side has no feasible solution on some of them, by the sign \
             test, without a solution being worse; values are reached if their sum is; not testable here: these runs \
             could not have shown the claim, the test says why; not tested without a pair; soloist {VERSION}"
        ));
        notes
    }

    /// Settings that were chosen at an end of their grid: the best one may lie beyond.
    fn edges(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (row, chosen) in self.runs.rows.iter().zip(&self.runs.chosen) {
            for (name, value) in chosen.iter().flatten() {
                let number = |text: &String| text.parse::<f64>().ok();
                let grid: Vec<f64> =
                    row.candidates.iter().filter_map(|settings| settings.get(name).and_then(number)).collect();
                let Some(value) = number(value) else { continue };
                let (least, most) = grid.iter().fold((value, value), |(a, b), &c| (a.min(c), b.max(c)));
                if least < most && (value == least || value == most) {
                    notes.push(format!(
                        "{}: {name} was chosen at an end of its grid, {}",
                        row.label,
                        rounded(value, 4)
                    ));
                }
            }
        }
        notes
    }

    /// As one object.
    pub(crate) fn json(&self) -> Value {
        let real = |value: Option<f64>| value.map_or(Value::Null, number);
        let published = &self.paper.published;
        let methods: Vec<Value> = self
            .runs
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let line = self.runs.grid.row(at);
                let values: serde_json::Map<_, _> = published
                    .statistics()
                    .into_iter()
                    .filter_map(|name| Some((name.to_owned(), number(published.overall(name, &row.label)?))))
                    .collect();
                json!({
                    "method": row.label,
                    "budget": soloist_domain::Limits::of(&row.budget()),
                    "chosen": self.runs.chosen[at],
                    "runs": line.runs,
                    "missing": line.missing,
                    "mean": real(line.mean.map(|(mean, _)| mean)),
                    "standard_error": real(line.mean.and_then(|(_, error)| error)),
                    "mean_depth": real(line.depth.map(|(mean, _)| mean)),
                    "deepest": real(line.depth.map(|(_, deepest)| deepest)),
                    "seconds": real(line.seconds),
                    "published": values,
                })
            })
            .collect();
        let verdicts = |ours: bool| -> Vec<Value> {
            let object = |verdict: &Verdict| {
                json!({
                    "claim": verdict.text,
                    "outcome": verdict.outcome.name(),
                    "test": verdict.test,
                    "pairs": verdict.pairs,
                    "advantage": real(verdict.advantage),
                    "interval": verdict.interval.map(|(low, high)| [number(low), number(high)]),
                    "p": real(verdict.p),
                    "published": verdict.published.map(|own| {
                        json!({ "pairs": own.pairs, "advantage": number(own.advantage), "p": real(own.p) })
                    }),
                })
            };
            self.verdicts.iter().filter(|verdict| verdict.ours == ours).map(object).collect()
        };
        json!({
            "experiment": self.paper.id,
            "reference": self.paper.description.reference,
            "scale": self.scale,
            "limit": self.limit,
            "rows": self.paper.description.asked,
            "problem": self.runs.problem,
            "sense": result::sense(self.runs.sense),
            "instances": self.runs.instances.len(),
            "instance_names": self.runs.instances,
            "missing_instances": self.missing,
            "left_out": self.runs.left_out,
            "seeds": self.runs.seeds,
            "unit": self.paper.description.unit,
            "departs": self.paper.description.departs,
            "hours": number((self.runs.spent * 1e6).round() / 1e6),
            "hours_of_full_scale": number(self.paper.description.hours),
            "missing": self.runs.missing(),
            "methods": methods,
            "claims": verdicts(false),
            "questions": verdicts(true),
            "ranges": self.ranges.iter().map(Range::json).collect::<Vec<_>>(),
            "notes": self.notes(),
            "version": VERSION,
        })
    }
}

/// How the budgets of a scale compare with those of the paper.
pub(super) fn budgets(scale: f64) -> String {
    if scale == 1.0 {
        "the budgets are those of the paper".to_owned()
    } else {
        format!("the budgets are {scale} times those of the paper")
    }
}

fn none() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use super::budgets;

    #[test]
    fn budgets_are_told_in_words() {
        assert_eq!(budgets(1.0), "the budgets are those of the paper");
        assert_eq!(budgets(0.003), "the budgets are 0.003 times those of the paper");
    }
}
