//! A result as text, for people.

use soloist::problem::Unit;
use soloist::run::{Counters, StopReason};
use soloist::search::parameters::Table;
use soloist::{Method, Score, Setup};
use soloist_problems::result::{Asked, VERSION, gap};
use soloist_problems::{AnyInstance, Depths, Report, find_method};
use soloist_study::text::{counted, plain, short};
use std::fmt::Write;

/// The gap for people: `1.2 %`; how far a weak bound is away says nothing.
pub(crate) fn percent(gap: f64) -> String {
    if gap > 1.0 { "above 100 %".into() } else { format!("{} %", plain((gap * 1e4).round() / 1e2)) }
}

/// A method as it would be asked for: its name, and the parameters in which it differs from the preset of that name.
pub(crate) fn method_call(name: &str, method: &Method) -> String {
    let mut text = name.to_owned();
    let usual = find_method(name).map(|preset| preset.method().parameters()).unwrap_or_default();
    for parameter in method.parameters() {
        if !usual.contains(&parameter) {
            let _ = write!(text, " {}={}", parameter.name, parameter.value);
        }
    }
    text
}

/// The method in one line: name, unusual parameters, rollout, seed, threads.
pub(crate) fn method_line(setup: &Setup) -> String {
    let mut line = method_call(&setup.preset, &setup.method);
    let streams = if setup.threads == 1 { "thread" } else { "threads" };
    if let Some(rollout) = setup.rollout.as_deref().filter(|_| !matches!(setup.method.table(), Table::Own(_))) {
        let _ = write!(line, ", rollout {rollout}");
    }
    let _ = write!(line, ", seed {}, {} {streams}", setup.seed, setup.threads);
    line
}

/// A score of an instance for people.
pub(crate) fn show(instance: &dyn AnyInstance, score: Score) -> String {
    match score {
        Score::Feasible(value) => show_value(instance, value),
        Score::Infeasible(degree) => format!("infeasible by {}", plain(degree)),
    }
}

/// A score or bound of an instance for people: a number, or the two that it stands for.
pub(crate) fn show_value(instance: &dyn AnyInstance, value: f64) -> String {
    match instance.pair(value) {
        Some((first, second)) => format!("{} / {}", plain(first), plain((second * 1e6).round() / 1e6)),
        None => plain(value),
    }
}

/// The result for people.
pub(crate) fn text(asked: Asked<'_>, report: &Report) -> String {
    let Asked { domain, instance, options, setup } = asked;
    let seconds = report.run.elapsed.as_secs_f64();
    let behind = if report.prefix > 0 { " among solutions with the prefix" } else { "" };
    let bound = match report.bound {
        _ if report.optimal => format!(", proven optimal{behind}"),
        _ if report.infeasible => format!(", proven infeasible{behind}"),
        Some(bound) => {
            // A gap in percent says nothing about a pair.
            let gap = gap(report).filter(|_| instance.pair(bound).is_none());
            let gap = gap.map_or_else(String::new, |gap| format!(", gap {}", percent(gap)));
            format!(", bound {}{gap}{behind}", show_value(instance, bound))
        }
        None => String::new(),
    };
    let mut text = format!("{} {}: {}\n", domain.name, instance.name(), instance.describe());
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<9} {value}");
    };
    row(
        "score",
        &(report.score().map_or_else(
            || "none: no solution was finished within the limits".to_owned(),
            |score| show(instance, score),
        ) + &bound),
    );
    if let Some(best) = report.best().filter(|best| !best.parts.is_empty()) {
        row("parts", &best.parts.to_string());
    }
    if report.score().is_some_and(|score| !score.is_feasible()) && instance.constraints() > 0 {
        let changed = options.iter().filter(|(name, value)| !domain.is_usual(name, value));
        let rules: String = changed.map(|(name, value)| format!(" --set {name}={value}")).collect();
        row("", &format!("soloist explain {} {}{rules} looks for the reason", domain.name, instance.name()));
    }
    if report.prefix > 0 {
        row("prefix", &format!("the first {}", counted(report.prefix, "move")));
    }
    row("stopped", &format!("{} after {} s", stop_text(report.stop), plain((seconds * 1000.0).round() / 1000.0)));
    row("effort", &effort(report, setup));
    row("method", &method_line(setup));
    report.remarks.iter().for_each(|remark| row("", remark));
    if !options.is_empty() {
        let options: Vec<_> = options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        row("options", &options.join(" "));
    }
    row("version", &format!("soloist {VERSION}"));
    for answer in report.answers.iter().skip(1) {
        let _ = writeln!(text, "{:<9} {}", "also", show(instance, answer.score));
    }
    for answer in &report.answers {
        text.push('\n');
        text.push_str(instance.text(&answer.solution).trim_end());
        text.push('\n');
    }
    text
}

/// What was done, in the units of the method, with the first of them by the second.
fn effort(report: &Report, setup: &Setup) -> String {
    let counters = report.run.counters;
    let unit = setup.method.unit();
    let more = match (unit, Depths::of(report)) {
        // Nodes beyond the search's own are those of the attempt at a proof.
        (Some(Unit::Solution(_)), _) => match counters.nodes.saturating_sub(counters.playouts) {
            0 => String::new(),
            nodes => format!(", {nodes} nodes of an attempt at a proof"),
        },
        (Some(Unit::Node(_)), _) => format!(", {} solutions", counters.playouts),
        (None, Some(tree)) => {
            format!(", {} nodes ({:.1} deep on average, at most {})", counters.nodes, tree.mean_depth, tree.deepest)
        }
        (None, None) if counters.nodes > 0 => format!(", {} nodes", counters.nodes),
        (None, None) => String::new(),
    };
    let (count, name) = units_done(unit, counters);
    let rate = short(count as f64 / report.run.elapsed.as_secs_f64().max(1e-9));
    format!("{count} {name}{more}, {rate}/s")
}

/// How many units were done, and their name.
pub(crate) fn units_done(unit: Option<Unit>, counters: Counters) -> (u64, &'static str) {
    match unit {
        Some(Unit::Node(name)) => (counters.nodes, name),
        Some(Unit::Solution(name)) => (counters.playouts, name),
        None => (counters.playouts, "playouts"),
    }
}

/// Why a run ended, behind the word `stopped`.
pub(crate) fn stop_text(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Time => "by time",
        StopReason::Playouts => "by playouts",
        StopReason::Nodes => "by nodes",
        StopReason::Target => "at the target",
        StopReason::Stall => "without improvement",
        StopReason::Exhausted => "with the whole space searched",
        StopReason::Bound => "at the bound: optimal",
        StopReason::Completed => "at the method's own end",
        StopReason::Interrupted => "by a signal",
    }
}
