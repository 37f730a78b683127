//! Runs on one problem side by side: which methods there are, and the run of each method, instance and seed.

use super::read::Runs;
use super::trial::Trial;
use crate::bench::analysis::{Grid, Line};
use crate::bench::record::Run;
use crate::bench::reference::BestKnown;
use soloist::Sense;
use soloist_domain::Options;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

/// Most methods of a study that tables and charts show, and most instances.
pub(crate) const METHODS: usize = 100;
pub(crate) const INSTANCES: usize = 500;

/// The runs on one problem under one set of rules. Takes memory for the runs that there are, whatever the combinations
/// of methods, instances and seeds.
#[derive(Debug)]
pub(crate) struct Study {
    pub(crate) problem: String,
    pub(crate) options: Options,
    pub(crate) sense: Sense,
    /// Names that distinguish the methods.
    pub(crate) methods: Vec<String>,
    pub(crate) instances: Vec<String>,
    pub(crate) seeds: Vec<u64>,
    /// Indices into the runs, by method and instance, in the order of the seeds.
    cells: Vec<BTreeMap<usize, Vec<usize>>>,
    /// Indices into the runs, by instance, in the order of methods and seeds.
    by_instance: Vec<Vec<usize>>,
    pub(crate) grid: Grid,
    /// For each instance the best known score; `None`: the report was given none.
    pub(crate) best_known: Option<Vec<Option<f64>>>,
}

impl Study {
    /// Sorts runs into one study for each problem and its options, in the order in which they appear.
    pub(crate) fn all(runs: &Runs) -> Vec<Self> {
        let groups = grouped(0..runs.trials.len(), |at| {
            let trial = &runs.trials[at];
            (trial.task.problem.as_str(), &trial.task.options)
        });
        groups.into_iter().map(|(_, members)| Self::new(&runs.trials, &members, runs.best_known.as_ref())).collect()
    }

    fn new(trials: &[Trial], members: &[usize], best_known: Option<&BestKnown>) -> Self {
        let first = &trials[members[0]];
        // Which run has ended first, and so stands first in a file, decides nothing.
        let (mut by_method, mut by_instance) = (members.to_vec(), members.to_vec());
        by_method.sort_by_key(|&at| place(&trials[at], 0));
        by_instance.sort_by_key(|&at| place(&trials[at], 1));
        let contenders = contenders(trials, &by_method);
        let instances = distinct(by_instance.iter().map(|&at| trials[at].task.instance.as_str()));
        let seeds: Vec<u64> =
            members.iter().map(|&at| trials[at].task.seed).collect::<BTreeSet<_>>().into_iter().collect();
        let places: HashMap<&str, usize> = instances.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let (mut cells, mut lines) = (Vec::new(), Vec::new());
        let mut by_instance = vec![Vec::new(); instances.len()];
        for (_, members) in &contenders {
            let mut found: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
            for &at in members {
                let seed = seeds.binary_search(&trials[at].task.seed).expect("every seed is among the seeds");
                found.entry(places[trials[at].task.instance.as_str()]).or_default().insert(seed, at);
            }
            let (mut cell, mut line) = (BTreeMap::new(), Line::new());
            for (instance, runs) in found {
                by_instance[instance].extend(runs.values());
                line.insert(instance, runs.iter().map(|(&seed, &at)| (seed, run(&trials[at]))).collect());
                cell.insert(instance, runs.into_values().collect());
            }
            cells.push(cell);
            lines.push(line);
        }
        Self {
            problem: first.task.problem.clone(),
            options: first.task.options.clone(),
            sense: first.task.sense,
            grid: Grid::of(first.task.sense, instances.len(), lines),
            best_known: best_known.map(|known| instances.iter().map(|name| known.of(name)).collect()),
            methods: contenders.into_iter().map(|(name, _)| name).collect(),
            instances: instances.into_iter().map(str::to_owned).collect(),
            seeds,
            cells,
            by_instance,
        }
    }

    /// The methods that tables and charts show: the first ones.
    pub(crate) fn shown_methods(&self) -> usize {
        self.methods.len().min(METHODS)
    }

    /// The instances that tables and charts show: the first ones.
    pub(crate) fn shown_instances(&self) -> usize {
        self.instances.len().min(INSTANCES)
    }

    /// The runs of a method on an instance, in the order of the seeds.
    pub(crate) fn cell(&self, method: usize, instance: usize) -> &[usize] {
        self.cells[method].get(&instance).map_or(&[], Vec::as_slice)
    }

    /// The instances on which a method was run.
    pub(crate) fn instances_of(&self, method: usize) -> impl Iterator<Item = usize> + '_ {
        self.cells[method].keys().copied()
    }

    /// All runs of a method.
    pub(crate) fn of_method(&self, method: usize) -> impl Iterator<Item = usize> + '_ {
        self.cells[method].values().flatten().copied()
    }

    /// All runs on an instance.
    pub(crate) fn of_instance(&self, instance: usize) -> impl Iterator<Item = usize> + '_ {
        self.by_instance[instance].iter().copied()
    }

    /// The best run on an instance, the first of equal ones.
    pub(crate) fn best(&self, trials: &[Trial], instance: usize) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for at in self.of_instance(instance) {
            if let Some(value) = trials[at].value()
                && best.is_none_or(|(_, known)| {
                    let drawn = |at: usize| trials[at].solution.is_some();
                    self.sense.better_value(value, known)
                        || value == known && drawn(at) && !best.is_some_and(|(at, _)| drawn(at))
                })
            {
                best = Some((at, value));
            }
        }
        best.map(|(at, _)| at)
    }
}

/// The place of a method (`of` = 0) or of an instance (1) among others: that in the comparison, then those of
/// comparisons that do not say it, by name. Runs of `solve` come last, in the order in which they were given.
fn place(trial: &Trial, of: usize) -> (u8, u64, &str) {
    let task = &trial.task;
    let name = if of == 0 { task.label.as_deref().unwrap_or_default() } else { &task.instance };
    match (&task.label, task.order) {
        (Some(_), Some(order)) => (0, order[of], name),
        (Some(_), None) => (1, 0, name),
        (None, _) => (2, 0, ""),
    }
}

/// What the tables count of a run.
fn run(trial: &Trial) -> Run {
    Run { tree: None, ..Run::of(&trial.ending, trial.verified) }
}

/// The values, each once, in their order.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(*value)).collect()
}

/// The members by a key, in the order in which the keys appear.
fn grouped<K: Hash + Eq + Clone>(
    members: impl IntoIterator<Item = usize>,
    key: impl Fn(usize) -> K,
) -> Vec<(K, Vec<usize>)> {
    let mut groups: Vec<(K, Vec<usize>)> = Vec::new();
    let mut places: HashMap<K, usize> = HashMap::new();
    for at in members {
        let key = key(at);
        let place = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(at);
    }
    groups
}

/// The methods by names that distinguish them, each with its runs.
///
/// A comparison has named its methods. Runs of `solve` are one method when all parameters agree. Where that leaves
/// several runs with one seed on one instance, they are distinguished by parameters and then by limits.
fn contenders(trials: &[Trial], members: &[usize]) -> Vec<(String, Vec<usize>)> {
    let base = |at: usize| trials[at].task.label.as_deref().unwrap_or(&trials[at].task.method);
    let mut all = Vec::new();
    for (name, members) in grouped(members.iter().copied(), base) {
        let (labelled, plain): (Vec<usize>, Vec<usize>) =
            members.into_iter().partition(|&at| trials[at].task.label.is_some());
        let mut groups = split(trials, &plain, |trial| traits(trial, false));
        groups.extend((!labelled.is_empty()).then_some(labelled));
        for limits in [false, true] {
            let parts = groups.iter().flat_map(|group| match collides(trials, group) {
                true => split(trials, group, |trial| traits(trial, limits)),
                false => vec![group.clone()],
            });
            groups = parts.collect();
        }
        groups.sort_by_key(|group| group[0]);
        let several = groups.len() > 1;
        let found: Vec<BTreeMap<String, String>> = groups.iter().map(|group| traits(&trials[group[0]], true)).collect();
        // How many groups have each trait.
        let mut shared: HashMap<(&str, &str), usize> = HashMap::new();
        for (key, value) in found.iter().flatten() {
            *shared.entry((key, value)).or_default() += 1;
        }
        for (group, own) in groups.into_iter().zip(&found) {
            let differs = |(key, value): &(&String, &String)| shared[&(key.as_str(), value.as_str())] < found.len();
            let parts: Vec<&str> = own.iter().filter(differs).map(|(_, value)| value.as_str()).collect();
            let label =
                if several && !parts.is_empty() { format!("{name} {}", parts.join(" ")) } else { name.to_owned() };
            all.push((label, group));
        }
    }
    // Equal names would be one line in every table.
    let (mut taken, mut numbers) = (HashSet::new(), HashMap::<String, usize>::new());
    for (label, _) in &mut all {
        let plain = label.clone();
        while !taken.insert(label.clone()) {
            let number = numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            *label = format!("{plain} ({number})");
        }
    }
    all
}

/// What distinguishes methods of one name, in words.
fn traits(trial: &Trial, limits: bool) -> BTreeMap<String, String> {
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut all: BTreeMap<String, String> =
        trial.task.parameters.iter().map(|(key, value)| (key.clone(), format!("{key}={}", text(value)))).collect();
    all.insert("~ rollout".to_owned(), trial.task.rollout.clone());
    all.insert("~ threads".to_owned(), crate::text::counted(trial.task.threads as usize, "thread"));
    if limits {
        all.insert("~~".to_owned(), trial.limits());
    }
    all
}

/// Groups of equal traits, in the order of their first members.
fn split(trials: &[Trial], members: &[usize], traits: impl Fn(&Trial) -> BTreeMap<String, String>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<BTreeMap<String, String>, Vec<usize>> = BTreeMap::new();
    for &at in members {
        groups.entry(traits(&trials[at])).or_default().push(at);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|group| group[0]);
    groups
}

/// Whether there are two runs with one seed on one instance.
fn collides(trials: &[Trial], members: &[usize]) -> bool {
    let mut seen = HashSet::new();
    members.iter().any(|&at| !seen.insert((trials[at].task.instance.as_str(), trials[at].task.seed)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::read::tests::record;
    use serde_json::{Value, json};
    use std::path::Path;

    /// The runs of some records.
    pub(in crate::report) fn runs(records: Vec<Value>) -> Runs {
        let mut runs = Runs::default();
        let mut source = runs.add(Path::new("runs.jsonl"));
        for record in records {
            source.take(&mut runs, record).unwrap();
        }
        runs
    }

    fn with(mut record: Value, changes: &[(&str, Value)]) -> Value {
        for (key, value) in changes {
            record[key] = value.clone();
        }
        record
    }

    #[test]
    fn methods_of_a_comparison_keep_their_names() {
        let tuned = ("parameters", json!({ "c": 0.9 }));
        let records = vec![
            record("a", "x", 1, Some(1.0)),
            // The default method of another instance has other parameters.
            with(record("a", "y", 1, Some(2.0)), std::slice::from_ref(&tuned)),
            record("b", "x", 1, None),
            record("b", "x", 2, Some(7.0)),
        ];
        let studies = Study::all(&runs(records));
        let [study] = &studies[..] else { panic!("one study") };
        assert_eq!(
            (&study.methods, &study.instances, &study.seeds),
            (&vec!["a".to_owned(), "b".to_owned()], &vec!["x".to_owned(), "y".to_owned()], &vec![1, 2])
        );
        assert_eq!((study.cell(1, 0), study.cell(1, 1)), (&[2, 3][..], &[][..]));
        assert_eq!((study.grid.row(1).runs, study.grid.row(1).infeasible, study.grid.scores(1, 0)), (2, 1, vec![7.0]));
    }

    #[test]
    fn which_run_ended_first_decides_nothing() {
        // The spec has uct before low nrpa before anneal, and y before x.
        let places = [("uct", 0), ("low nrpa", 1), ("anneal", 2)];
        let instances = [("y", 0), ("x", 1)];
        let record = |(method, at): (&str, u64), (instance, of): (&str, u64), known: bool| {
            let record = record(method, instance, 1, Some(1.0));
            if known { with(record, &[("order", json!([at, of]))]) } else { record }
        };
        let pairs: Vec<_> =
            places.iter().flat_map(|&method| instances.iter().map(move |&instance| (method, instance))).collect();
        for known in [true, false] {
            for turn in 0..pairs.len() {
                let mut turned: Vec<Value> = pairs.iter().map(|&(a, b)| record(a, b, known)).collect();
                turned.rotate_left(turn);
                let study = &Study::all(&runs(turned))[0];
                // Files of before do not say it: names decide.
                let (methods, instances) = match known {
                    true => (["uct", "low nrpa", "anneal"], ["y", "x"]),
                    false => (["anneal", "low nrpa", "uct"], ["x", "y"]),
                };
                assert_eq!(
                    (&study.methods[..], &study.instances[..]),
                    (&methods.map(str::to_owned)[..], &instances.map(str::to_owned)[..]),
                    "{turn}"
                );
            }
        }
    }

    #[test]
    fn one_name_for_two_methods_is_told_apart() {
        let records = vec![
            record("a", "x", 1, Some(1.0)),
            with(record("a", "x", 1, Some(2.0)), &[("parameters", json!({ "c": 0.9 }))]),
            with(record("a", "x", 1, Some(3.0)), &[("budget", json!({ "playouts": 500 }))]),
        ];
        let study = &Study::all(&runs(records))[0];
        assert_eq!(study.methods, ["a c=0.5 100 playouts", "a c=0.9 100 playouts", "a c=0.5 500 playouts"]);
    }

    #[test]
    fn problems_and_rules_are_apart() {
        let records = vec![
            record("a", "x", 1, Some(1.0)),
            with(record("a", "x", 1, Some(1.0)), &[("options", json!({ "rule": "odd" }))]),
            with(record("a", "x", 1, Some(1.0)), &[("problem", json!("snake"))]),
        ];
        assert_eq!(Study::all(&runs(records)).len(), 3);
    }

    #[test]
    fn results_of_solve_are_methods_by_their_parameters() {
        let plain = |changes: &[(&str, Value)]| {
            let mut record = with(record("", "x", 1, Some(1.0)), changes);
            record.as_object_mut().unwrap().remove("label");
            record
        };
        let records = vec![
            plain(&[]),
            plain(&[("seed", json!(2))]),
            plain(&[("instance", json!("y")), ("rollout", json!("kk"))]),
        ];
        assert_eq!(Study::all(&runs(records))[0].methods, ["uct random", "uct kk"]);
    }

    #[test]
    fn the_best_run_may_be_drawn() {
        let records = vec![
            with(record("a", "x", 1, Some(5.0)), &[("solution", Value::Null)]),
            record("a", "x", 2, Some(5.0)),
            with(record("a", "x", 3, Some(9.0)), &[("verified", json!(false))]),
            record("a", "x", 4, Some(4.0)),
        ];
        let runs = runs(records);
        assert_eq!(Study::all(&runs)[0].best(&runs.trials, 0), Some(1));
    }
}
