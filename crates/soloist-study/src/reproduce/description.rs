//! The description of an experiment: which runs, beside which published values, with which claims.
//!
//! Descriptions are TOML files of this crate (`experiments/ID.toml`). A run is described as in a spec of `soloist
//! bench`, with budgets and settings as the paper has them; `--scale` multiplies the budgets and whatever is named in
//! `scaled`.

use serde::Deserialize;
use soloist::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// An experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    /// One line: what it shows.
    pub(crate) title: String,
    /// Paper and table.
    pub(crate) reference: String,
    /// The paper's budget, in words.
    pub(crate) paper: String,
    /// What budgets count here.
    pub(crate) unit: String,
    /// What differs from the paper, a line each.
    pub(crate) departs: Vec<String>,
    /// Processor hours of the runs at scale 1 on the instances that are used by default, about.
    pub(crate) hours: f64,
    /// How seconds are counted by playouts.
    pub(crate) clock: Option<Clock>,
    pub(crate) problem: String,
    #[serde(default)]
    pub(crate) options: BTreeMap<String, String>,
    /// Files below the folder of the data, or specs.
    pub(crate) instances: Vec<String>,
    /// How many instances are used unless the caller says otherwise; all by default.
    pub(crate) limit: Option<usize>,
    #[serde(default = "one_seed")]
    pub(crate) seeds: String,
    /// The scale at which the experiment takes less than two minutes on two cores.
    pub(crate) small: f64,
    /// Where the files of the instances come from; missing if the instances are generated.
    pub(crate) data: Option<String>,
    /// A score stands for two numbers: the first one times this, plus the second.
    pub(crate) pair: Option<f64>,
    /// What a reader must know to compare the figures.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    pub(crate) method: Vec<Entrant>,
    pub(crate) tuning: Option<Tuning>,
    pub(crate) figure: Figure,
    #[serde(default)]
    pub(crate) claim: Vec<Claim>,
    /// The rows that the caller asks for; empty: all.
    #[serde(skip)]
    pub(crate) asked: Vec<String>,
}

/// Seconds of the paper as playouts, so that runs of equal time can be repeated exactly. What a playout costs was
/// measured once and is part of the description.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Clock {
    /// Playouts that a method of cost 1 makes in a second of the paper.
    pub(crate) rate: f64,
}

/// A row of the table: a method with its budget.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    /// A preset.
    pub(crate) method: String,
    pub(crate) rollout: Option<String>,
    #[serde(default)]
    pub(crate) set: BTreeMap<String, Setting>,
    /// The settings that `--scale` multiplies.
    #[serde(default)]
    pub(crate) scaled: Vec<String>,
    /// The settings that a root of `--scale` multiplies: iterations of nested searches by the root of their level.
    #[serde(default)]
    pub(crate) roots: BTreeMap<String, f64>,
    /// The settings that are this part of the budget in playouts: the playouts of a move, say, one of `moves` a game.
    #[serde(default)]
    pub(crate) parts: BTreeMap<String, f64>,
    pub(crate) budget: Limits,
    /// Processor time of a playout of this method, that of the clock's playouts being 1.
    #[serde(default = "one")]
    pub(crate) cost: f64,
    /// One method for each combination of these settings.
    #[serde(default)]
    pub(crate) grid: BTreeMap<String, Vec<Setting>>,
    /// The combination that is best on the instances of the tuning.
    #[serde(default)]
    pub(crate) tune: BTreeMap<String, Vec<Setting>>,
    /// The line of the figure that the method belongs to, and its place there.
    pub(crate) series: Option<String>,
    pub(crate) x: Option<f64>,
}

/// A number, a word or a choice of a setting.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub(crate) enum Setting {
    Number(f64),
    Truth(bool),
    Text(String),
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The budget of a run at scale 1. With several limits the first one that is reached ends the run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) playouts: Option<f64>,
    /// Seconds.
    pub(crate) time: Option<f64>,
    /// Seconds of the paper, counted by playouts: `counted * clock.rate / cost` of them.
    pub(crate) counted: Option<f64>,
}

/// The instances on which settings are chosen: by the number of feasible runs, then by the mean of their scores.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tuning {
    pub(crate) instances: Vec<String>,
    /// Whether combinations are dropped by a t race rather than run on all instances.
    #[serde(default)]
    pub(crate) race: bool,
}

/// What the figure shows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    pub(crate) kind: Kind,
    #[serde(default)]
    pub(crate) x: String,
    pub(crate) y: String,
    #[serde(default)]
    pub(crate) log: bool,
    /// For `lines`: the part of the best mean by which a mean may be worse to count as near it. The report lists over
    /// which values of `x` each line is near the best.
    pub(crate) near: Option<f64>,
    /// Published columns drawn beside our methods, for `instances`.
    #[serde(default)]
    pub(crate) columns: Vec<String>,
}

/// Kinds of figures.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Means over `x`, a line for each series.
    Lines,
    /// Means, a place for each method.
    Methods,
    /// A place for each instance.
    Instances,
    /// The best score so far over playouts, a line for each method and instance.
    Curves,
}

/// A statement of the paper that the runs can test.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub(crate) text: String,
    /// This method...
    pub(crate) method: String,
    /// ... is better than this one, or as good with `margin`.
    pub(crate) than: Option<String>,
    /// It is no worse by more than this part of the other's mean.
    pub(crate) margin: Option<f64>,
    /// ... reaches the sum of the values of this published column.
    pub(crate) reaches: Option<String>,
    /// ... ends all its runs with this part of the score.
    pub(crate) part: Option<Part>,
    /// Below this scale the settings that are compared mean nothing.
    pub(crate) least_scale: Option<f64>,
    /// Whether it is a question of ours, which no paper answers: listed and counted apart.
    #[serde(default)]
    pub(crate) ours: bool,
}

/// A part of a score as the problem explains it, with its value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) is: f64,
}

fn one() -> f64 {
    1.0
}

fn one_seed() -> String {
    "1".to_owned()
}

impl Description {
    /// Reads a description.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let description: Self = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        for contender in &description.method {
            let counts = contender.budget.counted.is_some() || contender.cost != 1.0;
            if counts && description.clock.is_none() {
                return Err(format!("method `{}`: `counted` and `cost` need a clock", contender.name));
            }
            if !contender.parts.is_empty() && contender.playouts(description.clock, 1.0).is_none() {
                return Err(format!("method `{}`: `parts` needs a budget in playouts", contender.name));
            }
        }
        let known = |name: &String| description.rows(1.0).iter().any(|row| row.label == *name);
        for claim in &description.claim {
            let names = [Some(&claim.method), claim.than.as_ref()];
            if let Some(name) = names.into_iter().flatten().find(|name| !known(name)) {
                return Err(format!("claim `{}`: no method `{name}`", claim.text));
            }
            let kinds = [claim.than.is_some(), claim.reaches.is_some(), claim.part.is_some()];
            if kinds.into_iter().filter(|&is_given| is_given).count() != 1 {
                return Err(format!("claim `{}`: expected one of `than`, `reaches` and `part`", claim.text));
            }
        }
        Ok(description)
    }

    /// Returns the claims that the paper makes.
    pub(crate) fn claims_of_paper(&self) -> usize {
        self.claim.iter().filter(|claim| !claim.ours).count()
    }

    /// Returns the labels of two rows that are the same run at this scale, because settings of both were scaled down to
    /// the same counts.
    pub(crate) fn equal_rows(&self, scale: f64) -> Option<(String, String)> {
        let rows = self.rows(scale);
        rows.iter().enumerate().find_map(|(at, row)| {
            let other = rows[..at].iter().find(|other| other.is_same_run(row))?;
            Some((other.label.clone(), row.label.clone()))
        })
    }

    /// The rows of the table that are asked for, with their settings scaled.
    pub(crate) fn rows(&self, scale: f64) -> Vec<Row> {
        let mut rows = Vec::new();
        for contender in &self.method {
            for cell in combinations(&contender.grid) {
                rows.push(Row::new(contender, &cell, scale, self.clock));
            }
        }
        if self.asked.is_empty() {
            return rows;
        }
        let places: BTreeSet<usize> = self.asked.iter().flat_map(|text| found(&rows, text)).collect();
        rows.into_iter().enumerate().filter(|(at, _)| places.contains(at)).map(|(_, row)| row).collect()
    }

    /// Keeps the rows that are asked for, and the claims about them alone. A text asks for the row of this name, or
    /// where there is none for all rows with it in their names.
    pub(crate) fn keep(&mut self, asked: &[String]) -> Result<(), String> {
        let all = self.rows(1.0);
        if let Some(text) = asked.iter().find(|text| found(&all, text).is_empty()) {
            let names: Vec<&str> = all.iter().map(|row| row.label.as_str()).collect();
            return Err(format!("no row has `{text}` in its name; rows: {}", names.join(", ")));
        }
        self.asked = asked.to_vec();
        let kept = self.rows(1.0);
        let is_kept = |name: &String| kept.iter().any(|row| row.label == *name);
        self.claim.retain(|claim| is_kept(&claim.method) && claim.than.as_ref().is_none_or(is_kept));
        Ok(())
    }
}

/// The places of the rows that a text asks for.
fn found(rows: &[Row], text: &str) -> Vec<usize> {
    let places = |is_asked: &dyn Fn(&Row) -> bool| -> Vec<usize> {
        rows.iter().enumerate().filter(|(_, row)| is_asked(row)).map(|(at, _)| at).collect()
    };
    match places(&|row| row.label == text) {
        named if named.is_empty() => places(&|row| row.label.contains(text)),
        named => named,
    }
}

/// A row of the table, ready to run but for settings that are still to be chosen.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) series: Option<String>,
    pub(crate) x: Option<f64>,
    pub(crate) method: String,
    pub(crate) rollout: Option<String>,
    /// Settings by name, scaled.
    pub(crate) set: BTreeMap<String, String>,
    pub(crate) playouts: Option<u64>,
    pub(crate) seconds: Option<f64>,
    /// Settings to choose from, scaled.
    pub(crate) candidates: Vec<BTreeMap<String, String>>,
}

impl Entrant {
    /// The budget in playouts.
    fn playouts(&self, clock: Option<Clock>, scale: f64) -> Option<u64> {
        let counted = self.budget.counted.zip(clock).map(|(seconds, clock)| seconds * clock.rate / self.cost);
        let count = self.budget.playouts.or(counted)?;
        Some((count * scale).round().max(1.0) as u64)
    }
}

impl Row {
    fn new(contender: &Entrant, cell: &BTreeMap<String, Setting>, scale: f64, clock: Option<Clock>) -> Self {
        let scaled = |name: &String, value: &Setting| {
            let factor = if contender.scaled.contains(name) {
                scale
            } else if let Some(&root) = contender.roots.get(name) {
                scale.powf(1.0 / root)
            } else {
                return value.to_string();
            };
            match value {
                // Counts stay counts, at least 1; a setting of 0 means "off".
                Setting::Number(number) if *number > 0.0 => (number * factor).round().max(1.0).to_string(),
                // So do those of a list, one for each level.
                Setting::Text(list) => {
                    let number = |item: &str| item.trim().parse::<f64>().map_err(|_| ());
                    let numbers: Result<Vec<f64>, ()> = list.split(',').map(number).collect();
                    numbers.map_or_else(
                        |()| list.clone(),
                        |numbers| {
                            let least =
                                |&number: &f64| if number > 0.0 { (number * factor).round().max(1.0) } else { 0.0 };
                            numbers.iter().map(|number| least(number).to_string()).collect::<Vec<_>>().join(",")
                        },
                    )
                }
                other => other.to_string(),
            }
        };
        let all = |settings: &BTreeMap<String, Setting>| -> BTreeMap<String, String> {
            settings.iter().map(|(name, value)| (name.clone(), scaled(name, value))).collect()
        };
        let mut label = contender.name.clone();
        for (name, value) in cell {
            label.push_str(&format!(" {name}={value}"));
        }
        let number = |setting: &Setting| if let Setting::Number(number) = setting { Some(*number) } else { None };
        // Of a grid of two settings the first one names the lines of the figure.
        let (series, x) = match cell.iter().collect::<Vec<_>>()[..] {
            [(_, only)] => (contender.series.clone(), number(only)),
            [(name, first), (_, second), ..] => (Some(format!("{name} = {first}")), number(second)),
            [] => (contender.series.clone(), contender.x),
        };
        let mut set = all(&contender.set);
        set.extend(all(cell));
        let playouts = contender.playouts(clock, scale);
        for (name, parts) in &contender.parts {
            let share = (playouts.unwrap_or(1) as f64 / parts).round().max(1.0);
            set.insert(name.clone(), share.to_string());
        }
        let candidates = if contender.tune.is_empty() {
            Vec::new()
        } else {
            combinations(&contender.tune).iter().map(all).collect()
        };
        Self {
            label,
            series,
            x,
            method: contender.method.clone(),
            rollout: contender.rollout.clone(),
            set,
            playouts,
            seconds: contender.budget.time.map(|seconds| (seconds * scale).max(0.001)),
            candidates,
        }
    }

    fn is_same_run(&self, other: &Self) -> bool {
        (&self.method, &self.rollout, &self.set, &self.candidates)
            == (&other.method, &other.rollout, &other.set, &other.candidates)
            && (self.playouts, self.seconds) == (other.playouts, other.seconds)
    }

    /// The limits of a run.
    pub(crate) fn budget(&self) -> Budget {
        let time = self.seconds.map(Duration::from_secs_f64);
        Budget { playouts: self.playouts, time, ..Budget::default() }
    }

    /// The method as a table of a spec of `soloist bench`, with further settings.
    pub(crate) fn spec(&self, label: &str, more: &BTreeMap<String, String>) -> String {
        let mut text = format!("\n[[method]]\nname = {}\nmethod = {}\n", quoted(label), quoted(&self.method));
        if let Some(rollout) = &self.rollout {
            text.push_str(&format!("rollout = {}\n", quoted(rollout)));
        }
        let mut set = self.set.clone();
        set.extend(more.clone());
        if !set.is_empty() {
            let pairs: Vec<_> = set.iter().map(|(name, value)| format!("{name} = {}", quoted(value))).collect();
            text.push_str(&format!("set = {{ {} }}\n", pairs.join(", ")));
        }
        let playouts = self.playouts.map(|count| format!("playouts = {count}"));
        let time = self.seconds.map(|seconds| format!("time = \"{seconds}s\""));
        let limits: Vec<_> = playouts.into_iter().chain(time).collect();
        text + &format!("budget = {{ {} }}\n", limits.join(", "))
    }
}

/// A text in the quotation marks of TOML, whose escapes are those of JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Every way to choose one value for each name; one empty way for no names.
fn combinations(choices: &BTreeMap<String, Vec<Setting>>) -> Vec<BTreeMap<String, Setting>> {
    let mut all = vec![BTreeMap::new()];
    for (name, values) in choices {
        all = all
            .iter()
            .flat_map(|chosen| {
                values.iter().map(move |value| {
                    let mut chosen = chosen.clone();
                    chosen.insert(name.clone(), value.clone());
                    chosen
                })
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        title = "t"
        reference = "r"
        paper = "p"
        unit = "playouts"
        departs = []
        hours = 0.1
        problem = "samegame"
        instances = ["random:6x6x3:1..4"]
        small = 0.1
        clock = { rate = 3000 }
        [[method]]
        name = "a"
        method = "uct"
        set = { restart_nodes = 100, threshold = 3 }
        scaled = ["restart_nodes", "beam_limit"]
        budget = { playouts = 1000, time = 60 }
        grid = { beam_limit = [10, 1000], beam_width = [1, 2] }
        [[method]]
        name = "n"
        method = "nrpa"
        set = { iterations = 100, level = 2, width = "1,10,10" }
        roots = { iterations = 2, width = 2 }
        budget = { playouts = 10000 }
        tune = { alpha = [0.5, 1] }
        [figure]
        kind = "lines"
        y = "mean"
        [[claim]]
        text = "c"
        method = "n"
        than = "a beam_limit=10 beam_width=2"
    "#;

    #[test]
    fn grids_scales_and_roots() {
        let description = Description::parse(TEXT).unwrap();
        let rows = description.rows(0.01);
        let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(labels.len(), 5);
        assert_eq!((labels[0], labels[4]), ("a beam_limit=10 beam_width=1", "n"));
        let last = &rows[3];
        assert_eq!((last.set["beam_limit"].as_str(), last.set["restart_nodes"].as_str()), ("10", "1"));
        assert_eq!((last.set["threshold"].as_str(), last.set["beam_width"].as_str()), ("3", "2"));
        assert_eq!((last.series.as_deref(), last.x), (Some("beam_limit = 1000"), Some(2.0)));
        assert_eq!((last.playouts, last.seconds), (Some(10), Some(0.6)));
        assert_eq!((rows[4].set["iterations"].as_str(), rows[4].playouts), ("10", Some(100)));
        assert_eq!(rows[4].candidates.len(), 2);
        let text = rows[4].spec("n 1", &rows[4].candidates[0]);
        assert!(text.contains(r#"set = { alpha = "0.5", iterations = "10", level = "2", width = "1,1,1" }"#), "{text}");
        let whole = description.rows(1.0).remove(4);
        assert_eq!(whole.set["width"], "1,10,10");
    }

    #[test]
    fn rows_are_asked_for_by_name_or_by_a_part_of_it() {
        let labels = |asked: &[&str]| -> Result<(Vec<String>, usize), String> {
            let mut description = Description::parse(TEXT)?;
            description.keep(&asked.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())?;
            let labels = description.rows(0.01).into_iter().map(|row| row.label).collect();
            Ok((labels, description.claim.len()))
        };
        assert_eq!(labels(&[]).unwrap().0.len(), 5);
        assert_eq!(labels(&["n"]).unwrap(), (vec!["n".to_owned()], 0));
        assert_eq!(labels(&["beam_limit=10"]).unwrap().0.len(), 4);
        let two = labels(&["n", "a beam_limit=10 beam_width=2"]).unwrap();
        assert_eq!(two, (vec!["a beam_limit=10 beam_width=2".to_owned(), "n".to_owned()], 1));
        let error = labels(&["n", "z"]).unwrap_err();
        assert!(error.starts_with("no row has `z` in its name; rows: a beam_limit=10 beam_width=1, "), "{error}");
    }

    #[test]
    fn seconds_are_counted_by_the_cost_of_playouts() {
        let text = TEXT.replace(
            "budget = { playouts = 10000 }",
            "budget = { counted = 60 }\ncost = 0.25\nparts = { move_playouts = 60 }",
        );
        let row = Description::parse(&text).unwrap().rows(0.5).remove(4);
        assert_eq!((row.playouts, row.set["move_playouts"].as_str()), (Some(360_000), "6000"));
        let unclocked = text.replace("clock = { rate = 3000 }", "");
        let message = "method `n`: `counted` and `cost` need a clock";
        assert_eq!(Description::parse(&unclocked).unwrap_err(), message);
        let timed =
            TEXT.replace("budget = { playouts = 10000 }", "budget = { time = 60 }\nparts = { iterations = 60 }");
        assert_eq!(Description::parse(&timed).unwrap_err(), "method `n`: `parts` needs a budget in playouts");
    }

    #[test]
    fn rows_that_are_one_run_at_a_small_scale_are_named() {
        let description = Description::parse(TEXT).unwrap();
        assert_eq!(description.equal_rows(1.0), None);
        // Limits of 10 and 1000 simulations are both 1 here.
        let names = description.equal_rows(1e-6).unwrap();
        assert_eq!(
            (names.0.as_str(), names.1.as_str()),
            ("a beam_limit=10 beam_width=1", "a beam_limit=1000 beam_width=1")
        );
    }

    #[test]
    fn claims_name_methods_that_exist() {
        let wrong = TEXT.replace("method = \"n\"\n        than", "method = \"m\"\n        than");
        assert_eq!(Description::parse(&wrong).unwrap_err(), "claim `c`: no method `m`");
        let neither = TEXT.replace("than = \"a beam_limit=10 beam_width=2\"", "");
        assert_eq!(
            Description::parse(&neither).unwrap_err(),
            "claim `c`: expected one of `than`, `reaches` and `part`"
        );
    }
}
