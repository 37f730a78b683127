//! Results for people, for documents and for programs.

use super::analysis::{Comparison, Grid, Row, mean};
use super::plan::Plan;
use super::record::budget_json;
use crate::failure::one_line;
use crate::live::counted;
use crate::result::{self, VERSION, number, plain, short};
use crate::table::{Table, escaped};
use serde_json::{Value, json};
use soloist::{Budget, Sense};

/// Everything that is shown.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    plan: &'a Plan,
    grid: Grid,
    rows: Vec<Row>,
    comparisons: Vec<Comparison>,
    /// The instances that take part.
    instances: Vec<usize>,
}

impl<'a> Findings<'a> {
    /// Works out the figures.
    pub(crate) fn new(plan: &'a Plan, grid: Grid) -> Self {
        let rows = grid.methods().into_iter().map(|method| grid.row(method)).collect();
        let comparisons = grid.comparisons(plan.baseline);
        let mut instances: Vec<_> = plan.jobs.iter().map(|job| job.instance).collect();
        instances.dedup();
        Self { plan, grid, rows, comparisons, instances }
    }

    /// Planned runs that are missing.
    pub(crate) fn missing(&self) -> usize {
        self.rows.iter().map(|row| row.missing).sum()
    }

    /// Results that failed their verification.
    pub(crate) fn unverified(&self) -> usize {
        self.rows.iter().map(|row| row.unverified).sum()
    }

    /// Tables as text or Markdown, with a row for each instance if `instances`.
    pub(crate) fn text(&self, markdown: bool, instances: bool) -> String {
        let mut parts = Vec::new();
        let plain = |text: String| if markdown { escaped(&text) } else { one_line(&text) };
        if let Some(title) = &self.plan.title {
            parts.push(if markdown { format!("## {}\n", escaped(title)) } else { one_line(title) + "\n" });
        }
        parts.push(plain(self.headline()) + "\n");
        let mut tables = vec![self.methods()];
        if instances {
            tables.push(self.instances());
        }
        if !self.comparisons.is_empty() {
            tables.push(self.pairs());
        }
        parts.extend(tables.iter().map(|table| if markdown { table.markdown() } else { table.text() }));
        let bullet = if markdown { "- " } else { "" };
        let notes: String = self.notes().into_iter().map(|note| format!("{bullet}{}\n", plain(note))).collect();
        if !notes.is_empty() {
            parts.push(notes);
        }
        // A title and what it is about belong together in text; Markdown wants a blank line everywhere.
        let titled = self.plan.title.is_some() && !markdown;
        let mut text = String::new();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 && !(titled && at == 1) {
                text.push('\n');
            }
            text.push_str(part);
        }
        text
    }

    fn label(&self, method: usize) -> &str {
        &self.plan.methods[method].label
    }

    /// The budget, if it is the same for all.
    fn common_budget(&self) -> Option<&Budget> {
        let first = &self.plan.methods[self.rows.first()?.method].budget;
        self.rows.iter().all(|row| self.plan.methods[row.method].budget == *first).then_some(first)
    }

    fn headline(&self) -> String {
        let options: Vec<_> = self.plan.options.iter().map(|(key, value)| format!(" {key}={value}")).collect();
        let budget = self
            .common_budget()
            .map_or_else(|| "budgets as listed".to_owned(), |budget| budget_text(budget) + " a run");
        let better = match self.plan.sense {
            Sense::Maximize => "larger",
            Sense::Minimize => "smaller",
        };
        format!(
            "{}{}: {}, {}, {}; {budget}; {better} scores are better",
            self.plan.domain.name,
            options.concat(),
            counted(self.instances.len(), "instance"),
            counted(self.plan.seeds.len(), "seed"),
            counted(self.plan.threads, "thread"),
        )
    }

    fn methods(&self) -> Table {
        let own = self.common_budget().is_none();
        let mut head = vec!["method"];
        if own {
            head.push("budget");
        }
        head.extend(["runs", "mean", "std. error", "median", "best", "worst", "sum of best", "sum of means"]);
        head.extend(["playouts/s", "seconds", "optimal"]);
        let mut table = Table::new(1 + usize::from(own), head);
        for row in &self.rows {
            let mut cells = vec![self.label(row.method).to_owned()];
            if own {
                cells.push(budget_text(&self.plan.methods[row.method].budget));
            }
            cells.push(row.runs.to_string());
            cells.push(figure(row.mean.map(|(mean, _)| mean)));
            cells.push(spread(row.mean.and_then(|(_, error)| error)));
            cells.extend([row.median, row.best, row.worst].map(figure));
            cells.push(figure(row.sums.map(|(best, _)| best)));
            cells.push(figure(row.sums.map(|(_, mean)| mean)));
            cells.push(row.rate.map_or_else(none, short));
            cells.push(row.seconds.map_or_else(none, |seconds| format!("{seconds:.2}")));
            cells.push(row.optimal.to_string());
            table.push(cells);
        }
        table
    }

    /// Mean over seeds of each method on each instance, with the best where there are several.
    fn instances(&self) -> Table {
        let several = self.plan.seeds.len() > 1;
        let mut head = vec!["instance".to_owned()];
        for row in &self.rows {
            let label = self.label(row.method);
            head.push(if several { format!("{label}, mean") } else { label.to_owned() });
            if several {
                head.push("best".to_owned());
            }
        }
        let mut table = Table::new(1, head);
        for &at in &self.instances {
            let mut cells = vec![self.plan.instances[at].name.clone()];
            for row in &self.rows {
                let scores = self.grid.scores(row.method, at);
                cells.push(figure(mean(&scores)));
                if several {
                    cells.push(figure(self.grid.best(&scores)));
                }
            }
            table.push(cells);
        }
        table
    }

    fn pairs(&self) -> Table {
        let several = self.comparisons.len() > 1;
        let mut head = vec!["A", "B", "n", "A - B", "std. error", "95 % interval", "p (t)", "p (Wilcoxon)"];
        if several {
            head.push("p (Holm)");
        }
        head.extend(["zeros", "A wins", "ties", "B wins", "better"]);
        let mut table = Table::new(2, head);
        for c in &self.comparisons {
            let interval = c.t.and_then(|t| t.interval);
            let chance = |p: f64| if c.wilcoxon.count > 0 { probability(p) } else { none() };
            let mut cells = vec![self.label(c.a).to_owned(), self.label(c.b).to_owned()];
            cells.push(c.t.map_or(0, |t| t.count).to_string());
            cells.push(figure(c.t.map(|t| t.mean)));
            cells.push(spread(c.t.and_then(|t| t.error)));
            cells
                .push(interval.map_or_else(none, |(low, high)| format!("{} to {}", rounded(low, 4), rounded(high, 4))));
            cells.push(c.t.and_then(|t| t.p).map_or_else(none, probability));
            cells.push(chance(c.wilcoxon.p));
            if several {
                cells.push(chance(c.holm));
            }
            cells.extend([c.wilcoxon.zeros, c.wins, c.ties, c.losses].map(|count| count.to_string()));
            cells.push(c.better.map_or_else(none, |better| self.label(better).to_owned()));
            table.push(cells);
        }
        table
    }

    /// What a reader must know to take the figures for what they are.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for row in &self.rows {
            let label = self.label(row.method);
            if row.missing > 0 {
                notes.push(format!("{label}: {} missing; the figures cover the others", counted(row.missing, "run")));
            }
            if row.infeasible > 0 {
                let (count, of) = (row.infeasible, row.runs);
                notes.push(format!(
                    "{label}: {count} of {of} runs without a feasible solution: left out of means, lost against any feasible one"
                ));
            }
            if row.unverified > 0 {
                notes.push(format!(
                    "{label}: {} failed verification and count for nothing",
                    counted(row.unverified, "run")
                ));
            }
        }
        if self.rows.iter().any(|row| self.plan.methods[row.method].budget.time.is_some()) {
            notes.push("time limits: what they buy depends on the machine and its load".to_owned());
        }
        let (common, all) = (self.grid.common().len(), self.instances.len());
        if common < all && self.rows.iter().any(|row| row.runs > 0) {
            notes.push(format!("sums: over the {common} of {all} instances on which every method has a score"));
        }
        if let Some(first) = self.comparisons.first() {
            notes.push(if self.comparisons.iter().any(|c| c.seeds) || first.t.is_none() && self.instances.len() == 1 {
                "pairs: the seeds of one instance; nothing is said about other instances".to_owned()
            } else {
                "pairs: instances, each the mean over its seeds; tests are two-sided and paired".to_owned()
            });
            if self.comparisons.iter().any(|c| !c.wilcoxon.exact) {
                notes.push("p (Wilcoxon): normal approximation beyond 50 differences, exact up to there".to_owned());
            }
            if self.comparisons.len() > 1 {
                notes.push("p (Holm): Wilcoxon's p corrected for the number of comparisons".to_owned());
            }
        }
        notes
    }

    /// Everything as one JSON object.
    pub(crate) fn json(&self) -> String {
        let real = |value: Option<f64>| value.map_or(Value::Null, number);
        let methods: Vec<_> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "method": self.label(row.method),
                    "budget": budget_json(&self.plan.methods[row.method].budget),
                    "runs": row.runs,
                    "missing": row.missing,
                    "infeasible": row.infeasible,
                    "unverified": row.unverified,
                    "mean": real(row.mean.map(|(mean, _)| mean)),
                    "standard_error": real(row.mean.and_then(|(_, error)| error)),
                    "median": real(row.median),
                    "best": real(row.best),
                    "worst": real(row.worst),
                    "sum_of_best": real(row.sums.map(|(best, _)| best)),
                    "sum_of_means": real(row.sums.map(|(_, mean)| mean)),
                    "playouts_per_second": real(row.rate),
                    "seconds": real(row.seconds),
                    "optimal": row.optimal,
                })
            })
            .collect();
        let comparisons: Vec<_> = self
            .comparisons
            .iter()
            .map(|c| {
                json!({
                    "a": self.label(c.a),
                    "b": self.label(c.b),
                    "sample": if c.seeds { "seeds" } else { "instances" },
                    "pairs": c.t.map_or(0, |t| t.count),
                    "difference": real(c.t.map(|t| t.mean)),
                    "standard_error": real(c.t.and_then(|t| t.error)),
                    "interval": c.t.and_then(|t| t.interval).map(|(low, high)| [number(low), number(high)]),
                    "p_t": real(c.t.and_then(|t| t.p)),
                    "p_wilcoxon": number(c.wilcoxon.p),
                    "wilcoxon_exact": c.wilcoxon.exact,
                    "p_holm": number(c.holm),
                    "zeros": c.wilcoxon.zeros,
                    "a_wins": c.wins,
                    "ties": c.ties,
                    "b_wins": c.losses,
                    "better": c.better.map(|better| self.label(better)),
                })
            })
            .collect();
        let instances: Vec<_> = self
            .instances
            .iter()
            .map(|&at| {
                let scores = |row: &Row| {
                    let scores = self.grid.scores(row.method, at);
                    json!({ "runs": scores.len(), "mean": real(mean(&scores)), "best": real(self.grid.best(&scores)) })
                };
                let methods: serde_json::Map<_, _> =
                    self.rows.iter().map(|row| (self.label(row.method).to_owned(), scores(row))).collect();
                json!({ "instance": self.plan.instances[at].name, "methods": methods })
            })
            .collect();
        let object = json!({
            "title": self.plan.title,
            "problem": self.plan.domain.name,
            "options": self.plan.options,
            "sense": result::sense(self.plan.sense),
            "seeds": self.plan.seeds,
            "threads": self.plan.threads,
            "methods": methods,
            "comparisons": comparisons,
            "instances": instances,
            "notes": self.notes(),
            "version": VERSION,
        });
        format!("{object}\n")
    }
}

pub(crate) fn none() -> String {
    "-".to_owned()
}

/// A spread: its uncertainty allows fewer than six digits.
pub(crate) fn spread(value: Option<f64>) -> String {
    value.map_or_else(none, |value| rounded(value, 4))
}

pub(crate) fn figure(value: Option<f64>) -> String {
    value.map_or_else(none, |value| rounded(value, 6))
}

/// A figure of a table: whole numbers as they are, others to so many significant digits, and at least one after the
/// point.
pub(crate) fn rounded(value: f64, significant: i32) -> String {
    if value == 0.0 || !value.is_finite() || value.fract() == 0.0 {
        return plain(value);
    }
    let digits = (significant - 1 - value.abs().log10().floor() as i32).clamp(1, 12);
    let scale = 10_f64.powi(digits);
    let rounded = (value * scale).round() / scale;
    // Too large to scale, or too small to be left of it.
    plain(if rounded.is_finite() && rounded != 0.0 { rounded } else { value })
}

/// A probability to three significant digits or so.
pub(crate) fn probability(p: f64) -> String {
    if p < 1e-4 { "<0.0001".to_owned() } else { format!("{p:.4}") }
}

/// A budget in words.
pub(crate) fn budget_text(budget: &Budget) -> String {
    let Budget { time, playouts, nodes, target, stall, memory } = budget;
    let mut parts = Vec::new();
    parts.extend(time.map(|time| format!("{} s", plain(time.as_secs_f64()))));
    parts.extend(playouts.map(|count| format!("{count} playouts")));
    parts.extend(nodes.map(|count| format!("{count} nodes")));
    parts.extend(stall.map(|count| format!("{count} playouts without improvement")));
    parts.extend(target.map(|score| format!("score {}", plain(score))));
    let mut text = parts.join(" or ");
    if *memory != Budget::MEMORY {
        text.push_str(&format!(" within {} MiB", plain(*memory as f64 / 1_048_576.0)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        for (value, text) in [
            (0.0, "0"),
            (1234.0, "1234"),
            (2.0 / 3.0, "0.666667"),
            (-123_456.789, "-123456.8"),
            (1e-5 / 3.0, "3.33333e-6"),
        ] {
            assert_eq!(rounded(value, 6), text);
        }
        assert_eq!((probability(0.048_83).as_str(), probability(1e-9).as_str()), ("0.0488", "<0.0001"));
        let budget =
            Budget { playouts: Some(1000), memory: 1 << 20, ..Budget::time(std::time::Duration::from_millis(1500)) };
        assert_eq!(budget_text(&budget), "1.5 s or 1000 playouts within 1 MiB");
    }
}
