//! Results for people, for documents and for programs.

use super::analysis::{Comparison, Grid, NOT_CLEAR, Row, mean};
use super::numbers::{probability, rounded};
use super::plan::Plan;
use super::profile::{Profile, Unit, target_text};
use super::record::Found;
use super::standing::Standing;
use super::verdict::BestMethod;
use crate::table::{Format, Table};
use crate::text::{counted, plain, short};
use soloist::{Budget, Sense};
use std::collections::BTreeMap;

/// What the runs of a comparison say.
#[derive(Debug)]
pub struct Findings<'a> {
    pub(super) plan: &'a Plan,
    pub(super) found: &'a Found,
    pub(super) grid: Grid,
    pub(super) rows: Vec<Row>,
    pub(super) standings: Vec<Standing>,
    pub(super) comparisons: Vec<Comparison>,
    pub(super) profile: Option<Profile>,
    /// The instances that take part.
    pub(super) instances: Vec<usize>,
    /// The machines with the number of runs made on each; empty: not recorded.
    pub(super) machines: BTreeMap<String, usize>,
}

/// Which tables are shown, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// Text, Markdown or JSON; JSON has all tables.
    pub format: Format,
    /// With a row for each instance.
    pub instances: bool,
    /// With the profiles over playouts and seconds.
    pub profile: bool,
}

impl<'a> Findings<'a> {
    /// Computes the figures.
    pub(crate) fn new(plan: &'a Plan, found: &'a Found) -> Self {
        let grid = Grid::new(plan, &found.runs);
        let rows = grid.methods().into_iter().map(|method| grid.row(method)).collect();
        let best_known: Vec<_> = plan.instances.iter().map(|at| at.best_known).collect();
        let standings = grid.standings(&best_known);
        let profile = Profile::new(plan, &grid, found);
        let mut machines = BTreeMap::new();
        for machine in plan.jobs.iter().filter_map(|job| found.trajectories.get(&job.key)?.machine.as_deref()) {
            *machines.entry(machine.to_string()).or_default() += 1;
        }
        let comparisons = grid.comparisons(plan.baseline);
        let mut instances: Vec<_> = plan.jobs.iter().map(|job| job.instance).collect();
        instances.dedup();
        Self { plan, found, grid, rows, standings, comparisons, profile, instances, machines }
    }

    /// Which method is best.
    pub(super) fn best_method(&self) -> Option<BestMethod> {
        self.grid.best_method(&|method| self.label(method).to_owned())
    }

    /// Planned runs that are missing.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.rows.iter().map(|row| row.missing).sum()
    }

    /// Results that failed their verification.
    #[must_use]
    pub fn unverified(&self) -> usize {
        self.rows.iter().map(|row| row.unverified).sum()
    }

    /// The tables, or all figures as one JSON object.
    #[must_use]
    pub fn text(&self, shown: Shown) -> String {
        let Shown { format, instances, profile } = shown;
        if format == Format::Json {
            return format!("{}\n", self.json());
        }
        let markdown = format == Format::Markdown;
        let mut parts = Vec::new();
        let plain = |text: String| format.escape(&text);
        if let Some(title) = &self.plan.title {
            parts.push(format!("{}{}\n", if markdown { "## " } else { "" }, format.escape(title)));
        }
        parts.push(plain(self.headline()) + "\n");
        let mut tables = vec![self.methods(), self.standings()];
        if instances {
            tables.push(self.instances());
        }
        if !self.comparisons.is_empty() {
            tables.push(self.pairs());
        }
        if let Some(curves) = self.profile.as_ref().filter(|_| profile) {
            tables.extend(Unit::ALL.map(|unit| self.curves(curves, unit)));
        }
        parts.extend(tables.iter().map(|table| table.show(format)));
        let bullet = if markdown { "- " } else { "" };
        let notes: String = self.notes().into_iter().map(|note| format!("{bullet}{}\n", plain(note))).collect();
        if !notes.is_empty() {
            parts.push(notes);
        }
        parts.extend(self.best_method().map(|verdict| plain(verdict.text()) + "\n"));
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

    /// Whether larger or smaller scores are better.
    pub(crate) fn sense(&self) -> Sense {
        self.plan.sense
    }

    /// Of two methods: whether the first is the better one, or the second; `None` where that is not clear.
    pub(crate) fn is_first_better(&self) -> Option<bool> {
        let comparison = self.comparisons.first()?;
        comparison.better.map(|better| better == comparison.a)
    }

    /// The tables that say which method is better, without what differs from one machine to another.
    pub(crate) fn verdict(&self, format: Format) -> String {
        [self.standings(), self.pairs()].map(|table| table.show(format)).join("\n")
    }

    /// Draws the profiles over playouts and seconds as SVG; `None`: there are no runs.
    #[must_use]
    pub fn svg(&self) -> Option<String> {
        let methods: Vec<usize> = self.rows.iter().map(|row| row.method).collect();
        Some(self.profile.as_ref()?.figure(self.plan, &methods).svg())
    }

    pub(super) fn label(&self, method: usize) -> &str {
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
            counted(self.plan.load.threads, "thread"),
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

    /// Intervals of the means, gaps to the best known scores, ranks and wins.
    fn standings(&self) -> Table {
        let (gaps, ranks) = (self.plan.has_best_known, self.rows.len() > 1);
        let mut head = vec!["method", "mean", "95 % bootstrap"];
        if gaps {
            head.extend(["gap", "95 % bootstrap", "best known reached"]);
        }
        if ranks {
            head.extend(["mean rank", "wins", "of"]);
        }
        let mut table = Table::new(1, head);
        for (row, standing) in self.rows.iter().zip(&self.standings) {
            let mut cells = vec![self.label(row.method).to_owned()];
            cells.push(figure(row.mean.map(|(mean, _)| mean)));
            cells.push(interval(standing.interval));
            if gaps {
                let gap = standing.gap.as_ref();
                cells.push(gap.map_or_else(none, |gap| percent(gap.mean)));
                let ends = gap.and_then(|gap| gap.interval);
                cells.push(ends.map_or_else(none, |(low, high)| format!("{} to {}", percent(low), percent(high))));
                cells.push(gap.map_or_else(none, |gap| format!("{} of {}", gap.reached, gap.runs)));
            }
            if ranks {
                cells.push(standing.rank.map_or_else(none, |rank| format!("{:.2}", rank.mean)));
                cells.push(standing.rank.map_or_else(none, |rank| plain((rank.wins * 100.0).round() / 100.0)));
                cells.push(standing.rank.map_or_else(none, |rank| rank.blocks.to_string()));
            }
            table.push(cells);
        }
        table
    }

    /// The share of the runs that have reached each target by round efforts.
    fn curves(&self, profile: &Profile, unit: Unit) -> Table {
        let grid = &profile.grids[usize::from(unit == Unit::Seconds)];
        let effort = |effort: f64| match unit {
            Unit::Playouts => short(effort),
            // Three digits, whatever the size.
            Unit::Seconds => plain(format!("{effort:.2e}").parse().unwrap_or(effort)),
        };
        let mut head = vec![format!("reached by {}", unit.name()), "method".to_owned()];
        head.extend(grid.iter().map(|&at| effort(at)));
        head.extend(["runs", "average to reach"].map(str::to_owned));
        let mut table = Table::new(2, head);
        for curve in profile.curves.iter().filter(|curve| curve.unit == unit) {
            let mut cells = vec![target_text(profile.targets[curve.target]), self.label(curve.method).to_owned()];
            let share = |at: &f64| curve.share(*at).map_or_else(none, |share| format!("{:.0} %", share * 100.0));
            cells.extend(grid.iter().map(share));
            cells.push(format!("{} of {}", curve.reached, curve.runs));
            cells.push(curve.expected.map_or_else(none, effort));
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
        let mut head = vec!["A", "B", "n", "A - B", "std. error", "95 % interval (t)", "p (t)", "p (Wilcoxon)"];
        if several {
            head.push("p (Holm)");
        }
        head.extend(["zeros", "A wins", "ties", "B wins", "better"]);
        let mut table = Table::new(2, head);
        for c in &self.comparisons {
            let chance = |p: f64| if c.wilcoxon.count > 0 { probability(p) } else { none() };
            let mut cells = vec![self.label(c.a).to_owned(), self.label(c.b).to_owned()];
            cells.push(c.t.map_or(0, |t| t.count).to_string());
            cells.push(figure(c.t.map(|t| t.mean)));
            cells.push(spread(c.t.and_then(|t| t.error)));
            cells.push(interval(c.t.and_then(|t| t.interval)));
            cells.push(c.t.and_then(|t| t.p).map_or_else(none, probability));
            cells.push(chance(c.wilcoxon.p));
            if several {
                cells.push(chance(c.holm));
            }
            cells.extend([c.wilcoxon.zeros, c.wins, c.ties, c.losses].map(|count| count.to_string()));
            cells.push(c.better.map_or(NOT_CLEAR, |better| self.label(better)).to_owned());
            table.push(cells);
        }
        table
    }

    /// What a reader must know to interpret the figures.
    pub(super) fn notes(&self) -> Vec<String> {
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
            notes.push("time limits: how far a run comes depends on the machine and its load".to_owned());
        }
        match self.machines.len() {
            0 => {}
            1 => notes.extend(self.machines.keys().map(|machine| format!("machine: {machine}"))),
            count => {
                let each =
                    self.machines.iter().map(|(machine, runs)| format!("{} on {machine}", counted(*runs, "run")));
                let each: Vec<_> = each.collect();
                notes.push(format!("{count} machines, so that seconds mix: {}", each.join("; ")));
            }
        }
        self.note_standings(&mut notes);
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

    fn note_standings(&self, notes: &mut Vec<String>) {
        if self.standings.iter().any(|standing| standing.interval.is_some()) {
            notes.push("95 % bootstrap: BCa intervals of means over instances (seeds of a single one)".to_owned());
        }
        let known = self.instances.iter().filter(|&&at| self.plan.instances[at].best_known.is_some()).count();
        if self.plan.has_best_known {
            let all = self.instances.len();
            let which =
                if known < all { format!(", on the {known} of {all} instances that have one") } else { String::new() };
            notes.push(format!("gap: distance to the best known score as a part of it{which}"));
            for standing in &self.standings {
                if let Some(gap) = standing.gap.as_ref().filter(|gap| gap.beyond > 0) {
                    let (label, runs) = (self.label(standing.method), counted(gap.beyond, "run"));
                    notes.push(format!("{label}: {runs} better than the best known score"));
                }
            }
        }
        if let Some(profile) = &self.profile {
            if profile.own {
                notes.push("targets: gaps are to the best score of these runs; `best_known` gives others".to_owned());
            }
            if profile.untimed > 0 {
                let runs = counted(profile.untimed, "run");
                notes.push(format!(
                    "profile by seconds: {runs} of an older release count as reaching a target at the end"
                ));
            }
        }
    }
}

/// A gap with two digits after the point, more for tiny ones.
/// A gap as a percentage.
pub(crate) fn percent(gap: f64) -> String {
    let percent = gap * 100.0;
    let digits = if percent.abs() >= 0.1 || percent == 0.0 { 2 } else { 4 };
    format!("{percent:.digits$} %")
}

fn interval(ends: Option<(f64, f64)>) -> String {
    ends.map_or_else(none, |(low, high)| format!("{} to {}", rounded(low, 4), rounded(high, 4)))
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

/// A budget in words.
pub(crate) fn budget_text(budget: &Budget) -> String {
    let Budget { time, playouts, nodes, target, stall, memory, .. } = budget;
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
