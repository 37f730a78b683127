//! The sections of a study: what was run, scores, differences, targets, solutions, parameters.

use super::draw::{Drawer, Drawing, data_address};
use super::figures::{self, LEVELS, Scale};
use super::html::{Cell, Grid, column, digits, escape, fixed, section};
use super::read::Runs;
use super::repeat::{command, usual, value_text};
use super::study::Study;
use super::trial::{Clock, Trial};
use crate::bench::analysis::{Comparison, NOT_CLEAR, Row, mean};
use crate::bench::present::percent;
use crate::bench::probability;
use crate::bench::standing::Standing;
use crate::bench::verdict::BestMethod;
use crate::text::{counted, plain, short, span};
use serde_json::Value;
use soloist::Sense;
use std::fmt::Write;
use std::path::Path;

mod notes;

/// Charts of instances that are shown at once; the others are unfolded on demand.
const PANELS: usize = 12;

/// A study as a part of the page.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) html: String,
    pub(super) charts: Value,
    pub(super) notes: Vec<String>,
}

/// A study with everything that its sections need.
struct View<'a> {
    study: &'a Study,
    trials: &'a [Trial],
    runs: &'a Runs,
    /// The first of the methods.
    rows: Vec<Row>,
    pairs: Vec<Comparison>,
    /// Which method is best; `None`: nothing is compared.
    verdict: Option<BestMethod>,
    scales: Vec<Option<Scale>>,
    drawer: &'a Drawer,
    /// Before the names of its elements.
    id: String,
}

/// Writes the sections of study number `at`.
pub(super) fn study(study: &Study, runs: &Runs, at: usize, several: bool, drawings: usize, drawer: &Drawer) -> Part {
    let rows: Vec<Row> = study.grid.methods().into_iter().map(|method| study.grid.row(method)).collect();
    let pairs = study.grid.comparisons(None);
    let scales = Scale::all(study, &runs.trials);
    let charts = figures::json(study, &runs.trials, &scales, &rows, &pairs);
    let verdict = study.grid.best_method(&|method| study.methods[method].clone());
    let view = View { study, trials: &runs.trials, runs, rows, pairs, verdict, scales, drawer, id: format!("s{at}") };
    let mut html = format!("<article class=\"study\" data-study=\"{at}\">");
    if several {
        let options: Vec<_> = study.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let _ = write!(
            html,
            "<h2 class=\"problem\">{} <small>{}</small></h2>",
            escape(&study.problem),
            escape(&options.join(" "))
        );
    }
    if let Some(verdict) = &view.verdict {
        let (claim, reason) = (escape(&verdict.claim), escape(&verdict.reason));
        let _ = write!(html, "<p class=\"verdict\"><strong>{claim}:</strong> {reason}.</p>");
    }
    html.push_str(&view.summary());
    html.push_str(&view.convergence());
    // A single run is compared with nothing.
    if view.members().count() > 1 {
        html.push_str(&view.finals());
        html.push_str(&view.differences());
        html.push_str(&view.targets());
    }
    if drawings > 0 {
        html.push_str(&view.solutions(drawings));
    }
    html.push_str(&view.parameters());
    html.push_str("</article>");
    Part { html, charts, notes: view.notes() }
}

/// The colour of a method with its name.
fn key(method: usize, name: &str) -> Cell {
    Cell::html(format!("<span class=\"key k{}\" aria-hidden=\"true\"></span>{}", method % 8, escape(name)))
}

/// A choice between values by radio buttons.
fn choice(id: &str, name: &str, legend: &str, values: &[(&str, &str)], chosen: usize) -> String {
    let mut html = format!("<fieldset class=\"choice\" data-choice=\"{name}\"><legend>{legend}</legend>");
    for (at, (value, text)) in values.iter().enumerate() {
        let checked = if at == chosen { " checked" } else { "" };
        let _ = write!(
            html,
            "<label><input type=\"radio\" name=\"{id}-{name}\" value=\"{value}\"{checked}><span>{text}</span></label>"
        );
    }
    html.push_str("</fieldset>");
    html
}

/// The controls of charts over time.
fn controls(id: &str, times: bool, extra: &str) -> String {
    let clocks = choice(id, "clock", "Over", &[("playouts", "playouts"), ("seconds", "seconds")], 0);
    let axis = choice(id, "axis", "Axis", &[("log", "logarithmic"), ("linear", "linear")], 0);
    let clocks = if times { clocks } else { String::new() };
    format!("<form class=\"controls needs-script\">{clocks}{axis}{extra}</form>")
}

impl View<'_> {
    fn name(&self, method: usize) -> &str {
        &self.study.methods[method]
    }

    fn members(&self) -> impl Iterator<Item = &Trial> {
        (0..self.study.methods.len()).flat_map(|method| self.study.of_method(method)).map(|at| &self.trials[at])
    }

    /// Whether all files say when scores were reached.
    fn timed(&self) -> bool {
        self.members().all(|trial| trial.points.iter().all(|point| point.score.is_none() || point.seconds.is_some()))
    }

    /// The rows of the methods that are shown.
    fn shown(&self) -> &[Row] {
        &self.rows[..self.rows.partition_point(|row| row.method < self.study.shown_methods())]
    }

    /// What a table or a chart leaves out.
    fn cut(&self, methods: bool, instances: bool) -> String {
        let mut text = String::new();
        let mut add = |is: bool, shown: usize, all: usize, what: &str| {
            if is && shown < all {
                let hidden = all - shown;
                let _ = write!(
                    text,
                    "<p class=\"fine cut\">Shown are the first {shown} of {all} {what}; {hidden} are not shown.</p>"
                );
            }
        };
        add(methods, self.study.shown_methods(), self.study.methods.len(), "methods");
        add(instances, self.study.shown_instances(), self.study.instances.len(), "instances");
        text
    }

    fn better(&self) -> &'static str {
        match self.study.sense {
            Sense::Maximize => "larger",
            Sense::Minimize => "smaller",
        }
    }

    /// The limits that all runs have in common.
    fn limits(&self) -> Option<String> {
        let mut all: Vec<String> = self.members().map(Trial::limits).collect();
        all.sort();
        all.dedup();
        <[String; 1]>::try_from(all).ok().map(|[limits]| limits).filter(|limits| !limits.is_empty())
    }

    fn summary(&self) -> String {
        let members: Vec<&Trial> = self.members().collect();
        let seconds: f64 = members.iter().map(|trial| trial.ending.seconds).sum();
        let playouts: u64 = members.iter().map(|trial| trial.ending.playouts).sum();
        let verified = members.iter().filter(|trial| trial.verified == Some(true)).count();
        let optimal = members.iter().filter(|trial| trial.ending.optimal && trial.value().is_some()).count();
        let mut facts = vec![
            (
                counted(members.len(), "run"),
                format!(
                    "{} × {} × {}",
                    counted(self.study.methods.len(), "method"),
                    counted(self.study.instances.len(), "instance"),
                    counted(self.study.seeds.len(), "seed")
                ),
            ),
            (short(playouts as f64), "playouts in all".to_owned()),
            (span(seconds), "of search in all".to_owned()),
        ];
        if verified > 0 {
            facts.push((format!("{verified} of {}", members.len()), "results verified".to_owned()));
        }
        if optimal > 0 {
            facts.push((optimal.to_string(), "proven optimal".to_owned()));
        }
        let mut content = String::from("<dl class=\"facts\">");
        for (value, what) in facts {
            let _ = write!(content, "<div><dt>{}</dt><dd>{}</dd></div>", escape(&what), escape(&value));
        }
        content.push_str("</dl>");
        content.push_str(&self.methods());
        let options: Vec<_> = self.study.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let rules = if options.is_empty() { String::new() } else { format!(" ({})", options.join(", ")) };
        let limits = self.limits().map_or_else(String::new, |limits| format!(", {limits} a run"));
        let lead = format!("{}{rules}{limits}; {} scores are better.", self.study.problem, self.better());
        section(&format!("{}-summary", self.id), "Summary", &escape(&lead), &content)
    }

    /// The table of the methods.
    fn methods(&self) -> String {
        let rows = self.shown();
        let intervals: Vec<_> = rows.iter().map(|row| figures::interval(self.study, row)).collect();
        let means: Vec<Option<f64>> = intervals.iter().map(|interval| interval.map(|i| i.mean)).collect();
        let pick = |pick: fn((f64, f64)) -> f64| -> Vec<Option<f64>> {
            intervals.iter().map(|interval| interval.and_then(|i| i.ends).map(pick)).collect()
        };
        let (low, high) = (pick(|ends| ends.0), pick(|ends| ends.1));
        let all: Vec<_> = means.iter().chain(&low).chain(&high).copied().collect();
        let places = digits(&all, 6);
        let show = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| fixed(value, places));
        let best = self.verdict.as_ref().and_then(|verdict| verdict.best);
        let of = |value: fn(&Row) -> Option<f64>| column(&rows.iter().map(value).collect::<Vec<_>>(), 6);
        let (median, top, bottom) = (of(|row| row.median), of(|row| row.best), of(|row| row.worst));
        let optimal = rows.iter().any(|row| row.optimal > 0);
        let mut head =
            vec!["method", "runs", "mean", "95 % bootstrap", "median", "best", "worst", "playouts/s", "seconds"];
        if optimal {
            head.push("optimal");
        }
        let standings = self.study.best_known.as_ref().map(|known| self.study.grid.standings(known));
        if standings.is_some() {
            head.extend(["gap", "best known reached"]);
        }
        let gap_of = |standings: &Vec<Standing>, method: usize| {
            standings.iter().find(|standing| standing.method == method).and_then(|standing| standing.gap.clone())
        };
        let mut table = Grid::new("Final scores of the methods", 1, &head);
        for (at, row) in rows.iter().enumerate() {
            let interval =
                low[at].map_or_else(|| "–".to_owned(), |_| format!("{} to {}", show(low[at]), show(high[at])));
            let mut cells = vec![
                key(row.method, self.name(row.method)),
                Cell::text(row.runs.to_string()),
                Cell::text(show(means[at])).best(best == Some(row.method)),
                Cell::text(interval),
                Cell::text(&median[at]),
                Cell::text(&top[at]),
                Cell::text(&bottom[at]),
                Cell::text(row.rate.map_or_else(|| "–".to_owned(), short)),
                Cell::text(row.seconds.map_or_else(|| "–".to_owned(), |seconds| format!("{seconds:.2}"))),
            ];
            if optimal {
                cells.push(Cell::text(row.optimal.to_string()));
            }
            if let Some(standings) = &standings {
                let gap = gap_of(standings, row.method);
                let text = |text: Option<String>| Cell::text(text.unwrap_or_else(|| "–".to_owned()));
                cells.push(text(gap.as_ref().map(|gap| percent(gap.mean))));
                cells.push(text(gap.as_ref().map(|gap| format!("{} of {}", gap.reached, gap.runs))));
            }
            table.push(cells);
        }
        table.html() + &self.cut(true, false)
    }

    fn convergence(&self) -> String {
        let id = format!("{}-convergence", self.id);
        let runs = "<label class=\"check\"><input type=\"checkbox\" data-choice=\"runs\" checked><span>each run</span></label>";
        let mut content = controls(&id, self.timed(), runs);
        content.push_str(&self.legend());
        let panel = |at: usize| {
            let name = escape(&self.study.instances[at]);
            format!(
                "<figure class=\"panel\"><figcaption>{name}</figcaption><div class=\"chart\" data-chart=\"convergence\" data-at=\"{at}\" \
                 role=\"img\" tabindex=\"0\" aria-label=\"Best score over time on {name}\"></div></figure>"
            )
        };
        let count = self.study.shown_instances();
        let wide = if count == 1 { " single" } else { "" };
        let _ = write!(content, "<div class=\"panels{wide}\">");
        content.extend((0..count.min(PANELS)).map(panel));
        content.push_str("</div>");
        if count > PANELS {
            let _ = write!(
                content,
                "<details><summary>{} more</summary><div class=\"panels\">",
                counted(count - PANELS, "instance")
            );
            content.extend((PANELS..count).map(panel));
            content.push_str("</div></details>");
        }
        content.push_str(&self.cut(false, true));
        content.push_str("<noscript><p>The charts need JavaScript; all tables are there without it.</p></noscript>");
        let lead = "Best score so far of each run (thin) and the median over the seeds (thick). Runs without a feasible solution count as \
                    the worst; a run that has ended keeps its score.";
        section(&id, "Convergence", lead, &content)
    }

    /// The methods with their colours.
    fn legend(&self) -> String {
        let mut html = String::from("<ul class=\"legend\">");
        for (at, name) in self.study.methods.iter().take(self.study.shown_methods()).enumerate() {
            let _ =
                write!(html, "<li><span class=\"key k{}\" aria-hidden=\"true\"></span>{}</li>", at % 8, escape(name));
        }
        html.push_str("</ul>");
        html + &self.cut(true, false)
    }

    fn finals(&self) -> String {
        let id = format!("{}-finals", self.id);
        let single = self.study.instances.len() == 1;
        let mut content = String::new();
        if self.rows.iter().filter(|row| row.mean.is_some()).count() > 1 {
            content.push_str(
                "<div class=\"chart wide\" data-chart=\"finals\" role=\"img\" tabindex=\"0\" aria-label=\"Mean final score of each method with \
                 its interval\"></div>",
            );
        }
        let several = self.study.seeds.len() > 1;
        let mut head = vec!["instance"];
        let (methods, instances) = (self.study.shown_methods(), self.study.shown_instances());
        head.extend(self.study.methods[..methods].iter().map(String::as_str));
        head.push("best of all");
        let known = self.study.best_known.as_ref().map(|known| column(&known[..instances], 6));
        head.extend(known.as_ref().map(|_| "best known"));
        let caption = if several { "Mean score over the seeds on each instance" } else { "Score on each instance" };
        let mut table = Grid::new(caption, 1, &head);
        let scores = |method, at| self.study.grid.scores(method, at);
        let columns: Vec<Vec<Option<f64>>> =
            (0..methods).map(|method| (0..instances).map(|at| mean(&scores(method, at))).collect()).collect();
        let shown: Vec<Vec<String>> = columns.iter().map(|values| column(values, 6)).collect();
        let tops: Vec<Option<f64>> = (0..instances)
            .map(|at| {
                let all: Vec<f64> = self.study.of_instance(at).filter_map(|run| self.trials[run].value()).collect();
                self.study.grid.best(&all)
            })
            .collect();
        let top = column(&tops, 6);
        for (at, name) in self.study.instances[..instances].iter().enumerate() {
            let best = self.study.grid.best(&columns.iter().filter_map(|values| values[at]).collect::<Vec<_>>());
            let mut cells = vec![Cell::text(name)];
            for (values, shown) in columns.iter().zip(&shown) {
                cells
                    .push(Cell::text(&shown[at]).best(columns.len() > 1 && values[at].is_some() && values[at] == best));
            }
            cells.push(Cell::text(&top[at]));
            cells.extend(known.as_ref().map(|known| Cell::text(&known[at])));
            table.push(cells);
        }
        content.push_str(&table.html());
        content.push_str(&self.cut(true, true));
        let lead = match (single, several) {
            (true, true) => {
                "Mean over the seeds with its 95 % interval (bootstrap, BCa); it says nothing about other instances."
            }
            (true, false) => "One run of each method: nothing is known about how other seeds would do.",
            (false, _) => {
                "Mean over the instances, each the mean over its seeds, with its 95 % interval (bootstrap, BCa). Small marks are the instances."
            }
        };
        section(&id, "Final scores", lead, &content)
    }

    fn differences(&self) -> String {
        if self.pairs.is_empty() {
            return String::new();
        }
        let id = format!("{}-differences", self.id);
        let mut content = String::from(
            "<div class=\"chart wide\" data-chart=\"pairs\" role=\"img\" tabindex=\"0\" aria-label=\"Mean difference of each pair of methods with \
             its interval\"></div>",
        );
        let ends: Vec<Option<f64>> = self
            .pairs
            .iter()
            .filter_map(|pair| pair.t)
            .flat_map(|t| [Some(t.mean), t.interval.map(|i| i.0), t.interval.map(|i| i.1)])
            .collect();
        let places = digits(&ends, 5);
        let several = self.pairs.len() > 1;
        let mut head = vec!["A", "B", "A − B", "95 % interval (t)", "p (t)", "p (Wilcoxon)"];
        if several {
            head.push("p (Holm)");
        }
        head.extend(["A wins", "ties", "B wins", "better"]);
        let mut table = Grid::new("Paired differences between the methods", 2, &head);
        let none = || "–".to_owned();
        let methods = self.study.shown_methods();
        for pair in self.pairs.iter().filter(|pair| pair.a < methods && pair.b < methods) {
            let interval = pair.t.and_then(|t| t.interval);
            let chance = |p: f64| if pair.wilcoxon.count > 0 { probability(p) } else { none() };
            let mut cells = vec![
                key(pair.a, self.name(pair.a)),
                key(pair.b, self.name(pair.b)),
                Cell::text(pair.t.map_or_else(none, |t| fixed(t.mean, places))),
                Cell::text(
                    interval
                        .map_or_else(none, |(low, high)| format!("{} to {}", fixed(low, places), fixed(high, places))),
                ),
                Cell::text(pair.t.and_then(|t| t.p).map_or_else(none, probability)),
                Cell::text(chance(pair.wilcoxon.p)),
            ];
            if several {
                cells.push(Cell::text(chance(pair.holm)));
            }
            cells.extend([pair.wins, pair.ties, pair.losses].map(|count| Cell::text(count.to_string())));
            let better = pair.better.map_or(NOT_CLEAR, |better| self.name(better));
            cells.push(Cell::text(better).best(pair.better.is_some()));
            table.push(cells);
        }
        content.push_str(&table.html());
        content.push_str(&self.cut(true, false));
        let sample = if self.pairs.iter().any(|pair| pair.seeds) {
            "The seeds of the one instance are the sample."
        } else {
            "Instances are the sample, each the mean over its seeds."
        };
        let holm = if several { " Holm's correction accounts for the number of comparisons." } else { "" };
        let lead = format!(
            "Differences of paired scores with 95 % intervals of Student's t, each for its pair alone. {sample}{holm} A method is called better where p is below 0.05."
        );
        section(&id, "Paired differences", &lead, &content)
    }

    fn targets(&self) -> String {
        let id = format!("{}-targets", self.id);
        let text = |level: f64| if level == 0.0 { "best".to_owned() } else { format!("{} %", plain(level * 100.0)) };
        let values: Vec<(String, String)> =
            LEVELS.iter().enumerate().map(|(at, &level)| (at.to_string(), text(level))).collect();
        let values: Vec<(&str, &str)> = values.iter().map(|(value, text)| (value.as_str(), text.as_str())).collect();
        let mut content = controls(&id, self.timed(), &choice(&id, "level", "Distance to the best", &values, 2));
        content.push_str(&self.legend());
        content.push_str(
            "<div class=\"chart wide\" data-chart=\"profile\" role=\"img\" tabindex=\"0\" aria-label=\"Share of the runs that reached the target \
             over time\"></div>",
        );
        let heads: Vec<String> = LEVELS.iter().map(|&level| text(level)).collect();
        let mut head = vec!["method"];
        head.extend(heads.iter().map(String::as_str));
        let mut table = Grid::new("Share of the runs that reached each target at their end", 1, &head);
        for row in self.shown() {
            let mut cells = vec![key(row.method, self.name(row.method))];
            for level in LEVELS {
                let reached = figures::hits(self.study, self.trials, &self.scales, row.method, level, Clock::Playouts);
                let share = reached
                    .filter(|(_, count)| *count > 0)
                    .map(|(times, count)| 100.0 * times.len() as f64 / count as f64);
                cells.push(Cell::text(share.map_or_else(|| "–".to_owned(), |share| format!("{share:.0} %"))));
            }
            table.push(cells);
        }
        content.push_str(&table.html());
        content.push_str(&self.cut(true, false));
        let best = if self.study.best_known.is_some() { "best known score" } else { "best score of all runs" };
        let lead = format!(
            "Share of the runs that reached a target by a time. A target of 10 % leaves a tenth of the way from the first scores on an \
             instance (their median) to the {best} there."
        );
        section(&id, "Targets reached", &lead, &content)
    }

    fn solutions(&self, most: usize) -> String {
        let mut content = String::from("<div class=\"drawings\">");
        let count = self.study.instances.len();
        content.extend((0..count.min(most)).map(|at| self.solution(at)));
        content.push_str("</div>");
        if count > most {
            let _ =
                write!(content, "<p class=\"fine\">Drawn are the first {most} of {count} instances (--drawings).</p>");
        }
        let lead = "The best solution of each instance, verified by code that shares nothing with the search, and the command that finds it.";
        section(&format!("{}-solutions", self.id), "Best solutions", lead, &content)
    }

    fn solution(&self, instance: usize) -> String {
        let name = escape(&self.study.instances[instance]);
        let Some(best) = self.study.best(self.trials, instance) else {
            return format!(
                "<figure class=\"drawing\"><div class=\"blank\">no feasible solution</div><figcaption><strong>{name}</strong></figcaption></figure>"
            );
        };
        let trial = &self.trials[best];
        let method = (0..self.study.methods.len()).find(|&method| self.study.of_method(method).any(|at| at == best));
        let folder = self.runs.files[trial.file].parent().unwrap_or(Path::new(""));
        let (image, what) = match self.drawer.draw(trial, folder) {
            Ok(Drawing { svg, summary }) => {
                let alt = escape(&format!("Solution of {}: {summary}", trial.task.instance));
                (
                    format!(
                        "<button type=\"button\" class=\"enlarge\" aria-label=\"Enlarge: {alt}\"><img alt=\"{alt}\" src=\"{}\"></button>",
                        data_address(&svg)
                    ),
                    format!("Verified: {summary}"),
                )
            }
            Err(why) => (
                format!("<div class=\"blank\">not drawn: {}</div>", escape(&why)),
                trial.task.describe.clone().unwrap_or_default(),
            ),
        };
        let score = trial.value().map_or_else(|| "–".to_owned(), plain);
        let proven = match (trial.ending.optimal, trial.ending.prefix) {
            (false, _) => "",
            (true, 0) => ", proven optimal",
            (true, _) => ", proven optimal among solutions with its prefix",
        };
        let by = method.map_or("", |method| self.name(method));
        let parts =
            if trial.parts.is_empty() { String::new() } else { format!(" ({})", escape(&trial.parts.to_string())) };
        format!(
            "<figure class=\"drawing\">{image}<figcaption><strong>{name}</strong> <span class=\"score\">{score}</span>{parts}{proven}<br>\
             {}, seed {}<br><span class=\"fine\">{}</span><details><summary>command</summary><code>{}</code></details></figcaption></figure>",
            escape(by),
            trial.task.seed,
            escape(&what),
            escape(&command(trial, self.drawer.registry()))
        )
    }

    fn parameters(&self) -> String {
        let mut content = self.cut(true, false);
        for method in 0..self.study.shown_methods() {
            let members: Vec<&Trial> = self.study.of_method(method).map(|at| &self.trials[at]).collect();
            let Some(first) = members.first() else { continue };
            let varies = members.iter().any(|trial| {
                (&trial.task.method, &trial.task.parameters, &trial.task.rollout)
                    != (&first.task.method, &first.task.parameters, &first.task.rollout)
            });
            let usual = usual(&first.task.method, self.drawer.registry());
            let mut list = String::from("<dl class=\"params\">");
            for (name, value) in &*first.task.parameters {
                let shown = value_text(value);
                let changed = usual.iter().any(|(known, usual)| known == name && *usual != shown);
                let class = if changed { " class=\"changed\"" } else { "" };
                let _ = write!(list, "<div{class}><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(&shown));
            }
            list.push_str("</dl>");
            let limits = first.limits();
            let mut about = format!(
                "{}, rollout {}, {}",
                first.task.method,
                first.task.rollout,
                counted(first.task.threads as usize, "thread")
            );
            if !limits.is_empty() {
                let _ = write!(about, ", {limits} a run");
            }
            let note = if varies {
                "<p class=\"fine\">The setting differs between instances; shown is that of the first.</p>"
            } else {
                ""
            };
            let _ = write!(
                content,
                "<details class=\"method\"{}><summary><span class=\"key k{}\" aria-hidden=\"true\"></span>{} <span class=\"fine\">{}</span></summary>\
                 {note}{list}<p class=\"fine\">The first of its runs:</p><code>{}</code></details>",
                if self.study.methods.len() <= 4 { " open" } else { "" },
                method % 8,
                escape(self.name(method)),
                escape(&about),
                escape(&command(first, self.drawer.registry()))
            );
        }
        let lead = "Values in bold differ from the preset's.";
        section(&format!("{}-parameters", self.id), "Methods and parameters", lead, &content)
    }
}
