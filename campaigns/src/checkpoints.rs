//! Checkpoints with a valid checksum and a damaged body: every method and rollout on every problem.
//!
//! A case resumes the damaged run and, where that is accepted, steps it, saves it and verifies its result.

use crate::{Campaign, Verdict, mutate, refused, rng};
use anyhow::{Result, ensure};
use soloist::{Budget, Method, Setup};
use soloist_problems::{AnyInstance, Options, Report, Request, Unobserved, find_domain};
use std::collections::HashMap;
use std::time::Duration;

/// Names and values.
type Settings = &'static [(&'static str, &'static str)];

/// Small instances: problem, spec, options.
pub(crate) const INSTANCES: [(&str, &str, Settings); 14] = [
    ("samegame", "random:6x6x3:7", &[]),
    ("clickomania", "random:6x5x3:7", &[]),
    ("bubble-breaker", "random:6x6x3:7", &[]),
    ("snake", "d5k2", &[]),
    ("coil", "d6k2", &[("symmetry", "3")]),
    ("morpion", "4D", &[]),
    ("vrptw", "random:12:7", &[]),
    ("tsptw", "random:9x60:7", &[]),
    ("partition", "random:24x30:7", &[]),
    ("stacking", "random:4x14:7", &[]),
    ("stacking", "relocation:3x4:7", &[]),
    ("packing", "random:3x14:7", &[]),
    ("horner", "random:5x20x4:7", &[]),
    ("knapsack", "weak:16x100:7", &[]),
];

/// Memory that the searches may use.
const MEMORY: u64 = 32 << 20;
/// Bytes in front of the body, and of the checksum behind it.
const HEADER: usize = 28;
const CHECKSUM: usize = 4;

/// Cases in a row on the same checkpoint: instances and runs are made once for them.
const ROW: u64 = 100;

/// A run to be damaged.
#[derive(Clone, Debug)]
struct Target {
    instance: usize,
    setup: Setup,
    /// How many playouts were made before the checkpoint.
    playouts: u64,
}

/// The campaign.
#[derive(Debug, Default)]
pub struct Checkpoints {
    seed: u64,
    targets: Vec<Target>,
    saved: HashMap<usize, Vec<u8>>,
}

/// Puts the checksum of its body behind a checkpoint.
fn reseal(bytes: &mut [u8]) {
    let end = bytes.len() - CHECKSUM;
    let crc = crc32fast::hash(&bytes[HEADER..end]);
    bytes[end..].copy_from_slice(&crc.to_le_bytes());
}

/// Returns the part of a checkpoint that may be damaged.
fn body(bytes: &mut [u8]) -> &mut [u8] {
    let end = bytes.len() - CHECKSUM;
    &mut bytes[HEADER..end]
}

/// Returns an instance of [`INSTANCES`].
///
/// # Panics
/// When it does not load.
pub(crate) fn instance(at: usize) -> Box<dyn AnyInstance> {
    let (problem, spec, options) = INSTANCES[at];
    let options: Options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let domain = find_domain(problem).expect("a shipped problem");
    (domain.load)(spec, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Makes methods small enough that a few dozen playouts reach all of their states.
fn shrink(method: &mut Method) {
    for (name, value) in [
        ("iterations", "6"),
        ("width", "3"),
        ("beam_limit", "40"),
        ("beam_width", "5"),
        ("restart_nodes", "60"),
        ("move_playouts", "25"),
        ("tree_playouts", "60"),
        ("race", "2"),
    ] {
        // A value that switches something off stays.
        let known = method.parameters().into_iter().find(|parameter| parameter.name == name);
        if known.is_some_and(|parameter| parameter.value != "0") {
            method.set(name, value).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Settings that take ways through the code which no preset takes.
const SETTINGS: [(&str, Settings); 17] = [
    ("uct-best", &[("prune", "on"), ("expansion", "one"), ("theta", "3"), ("select_from", "4")]),
    ("uct-best-lazy", &[("prune", "on"), ("theta", "2"), ("c", "0.3"), ("history", "0.1")]),
    ("uct", &[("transpositions", "true"), ("move_playouts", "50"), ("amaf", "true")]),
    ("uct", &[("playouts", "adapted"), ("clamp", "3"), ("move_playouts", "80"), ("adapt_every", "3")]),
    ("nmcs", &[("level", "2"), ("width", "3")]),
    ("nrpa", &[("level", "2"), ("bias_weight", "0.8"), ("bias_rate", "0.1")]),
    ("nrpa", &[("level", "2"), ("arms", "3"), ("race", "2"), ("repetitions", "2")]),
    ("hd-nrpa", &[("level", "2"), ("width", "1,4"), ("share", "islands")]),
    ("beam", &[("width", "8"), ("noise", "9"), ("tie", "policy")]),
    ("beam", &[("width", "5"), ("tie", "playouts"), ("merit", "none"), ("playouts", "2")]),
    ("dfs", &[("shuffle", "all"), ("children", "given")]),
    ("anneal", &[("runs", "3"), ("meet", "false")]),
    ("anneal", &[("steps", "70"), ("reheats", "2"), ("adapt", "true")]),
    // Races of exact methods, which may all come to their ends.
    ("auto", &[("methods", "cabs,beam"), ("proof", "0")]),
    ("auto", &[("methods", "best-first,bfs")]),
    ("auto", &[("methods", "dfs,cabs"), ("race_part", "0.9")]),
    ("auto", &[("methods", "bfs,ida-star"), ("proof", "0")]),
];

/// Returns every method on every instance, and every rollout with three methods.
fn targets() -> Vec<Target> {
    let mut targets = Vec::new();
    let settings = SETTINGS.iter().map(|(name, settings)| {
        let mut setup = Setup::preset(name).unwrap_or_else(|error| panic!("{error}"));
        shrink(&mut setup.method);
        settings.iter().for_each(|(name, value)| setup.set(name, value).unwrap_or_else(|error| panic!("{error}")));
        setup
    });
    let presets = Method::presets().iter().map(|preset| {
        let mut setup = Setup::from(preset);
        shrink(&mut setup.method);
        setup
    });
    let setups: Vec<Setup> = presets.chain(settings).collect();
    for at in 0..INSTANCES.len() {
        let add = |targets: &mut Vec<Target>, setup: Setup| {
            // Early and late in a run, with one stream and with two.
            let (playouts, threads) = [(60, 1), (15, 1), (200, 2)][targets.len() % 3];
            targets.push(Target { instance: at, setup: setup.seed(3).threads(threads), playouts });
        };
        setups.iter().for_each(|setup| add(&mut targets, setup.clone()));
        let instance = instance(at);
        add(&mut targets, instance.default_setup());
        for info in instance.rollouts() {
            for preset in ["sampling", "uct", "nrpa"] {
                let mut setup = Setup::preset(preset).expect("a preset").rollout(info.name);
                shrink(&mut setup.method);
                add(&mut targets, setup);
            }
        }
    }
    targets
}

impl Checkpoints {
    /// Returns the campaign of a seed: all runs, or those of the preset `only`.
    ///
    /// # Errors
    /// When no run is of that preset.
    pub fn new(seed: u64, only: Option<&str>) -> Result<Self> {
        let mut targets = targets();
        if let Some(only) = only {
            targets.retain(|target| target.setup.preset == only);
        }
        ensure!(!targets.is_empty(), "no run is of the preset {}", only.unwrap_or_default());
        Ok(Self { seed, targets, saved: HashMap::new() })
    }

    /// Returns how many runs are damaged in turn.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Runs target number `at` (modulo their number), lets `damage` change the body of its checkpoint, and resumes
    /// that.
    pub fn damage(&mut self, at: usize, damage: impl FnOnce(&mut [u8])) -> Verdict {
        let at = at % self.targets.len();
        let place = self.targets[at].instance;
        let instance = instance(place);
        let mut bytes = match self.save(at, &*instance) {
            Ok(bytes) => bytes,
            // Not every method goes with every problem.
            Err(error) => return refused(&error),
        };
        damage(body(&mut bytes));
        reseal(&mut bytes);
        resume(INSTANCES[place].0, &*instance, bytes)
    }

    fn target(&self, case: u64) -> usize {
        // Neighbours differ in problem and method, so that few cases see much.
        (case / ROW).wrapping_mul(211) as usize % self.targets.len()
    }

    /// Runs the search of a target and returns its checkpoint.
    fn save(&mut self, at: usize, instance: &dyn AnyInstance) -> Result<Vec<u8>, String> {
        if let Some(saved) = self.saved.get(&at) {
            return Ok(saved.clone());
        }
        let target = &self.targets[at];
        let budget = Budget { nodes: Some(target.playouts * 4), memory: MEMORY, ..Budget::playouts(target.playouts) };
        let request =
            Request { setup: Some(target.setup.clone()), budget: budget.clone(), keep: 3, ..Request::default() };
        let mut session = instance.start(request).map_err(|error| error.to_string())?;
        session.advance(&budget, None, &mut Unobserved).map_err(|error| error.to_string())?;
        let saved = session.save();
        self.saved.clear();
        self.saved.insert(at, saved.clone());
        Ok(saved)
    }
}

/// Resumes a checkpoint, steps the search for a moment, saves it, and verifies what it yields.
fn resume(problem: &str, instance: &dyn AnyInstance, bytes: Vec<u8>) -> Verdict {
    let budget =
        Budget { nodes: Some(400), time: Some(Duration::from_millis(100)), memory: MEMORY, ..Budget::playouts(60) };
    let request = Request { resume: Some(bytes), budget: budget.clone(), ..Request::default() };
    let mut session = match instance.start(request) {
        Ok(session) => session,
        Err(error) => return refused(&error.to_string()),
    };
    if let Err(error) = session.advance(&budget, None, &mut Unobserved) {
        return refused(&error.to_string());
    }
    let saved = session.save();
    let found = finding(problem, instance, &session.report());
    if found.is_some() {
        return Verdict::Finding(found.unwrap_or_default());
    }
    // What a resumed run saves can be resumed.
    let request = Request { resume: Some(saved), budget, ..Request::default() };
    match instance.start(request) {
        Ok(_) => Verdict::Accepted,
        Err(error) => Verdict::Finding(format!("its own checkpoint is refused: {error}")),
    }
}

/// Returns what is wrong with a result.
pub(crate) fn finding(problem: &str, instance: &dyn AnyInstance, report: &Report) -> Option<String> {
    for answer in &report.answers {
        let Some(score) = answer.score.value() else { continue };
        let result = serde_json::json!({ "problem": problem, "moves": answer.moves, "solution": answer.solution });
        match instance.check(&result.to_string()) {
            Ok(checked) if (checked.score - score).abs() <= 1e-9 * score.abs().max(1.0) => {}
            Ok(checked) => return Some(format!("score {score} claimed, {} verified", checked.score)),
            Err(error) => return Some(format!("a result that is no solution: {error}")),
        }
    }
    None
}

impl Campaign for Checkpoints {
    fn run(&mut self, case: u64) -> Verdict {
        let mut rng = rng(self.seed, case);
        self.damage(self.target(case), |body| mutate::in_place(&mut rng, body))
    }

    fn describe(&self, case: u64) -> String {
        let Target { instance, setup, playouts } = &self.targets[self.target(case)];
        let (problem, spec, _) = INSTANCES[*instance];
        let rollout = setup.rollout.as_deref().unwrap_or("default");
        let (preset, threads) = (&setup.preset, setup.threads);
        format!("{problem} {spec}, {preset} with rollout {rollout}, {threads} streams, {playouts} playouts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of the campaign, in this process: a panic would end the test.
    #[test]
    fn damaged_checkpoints_are_refused_or_go_on() {
        let mut campaign = Checkpoints::new(7, None).unwrap();
        let mut accepted = 0;
        // Few cases of each run: the campaign itself does more.
        for at in 0..campaign.len() {
            for case in 0..3 {
                let mut rng = rng(at as u64, case);
                match campaign.damage(at, |body| mutate::in_place(&mut rng, body)) {
                    Verdict::Refused(_) => {}
                    Verdict::Accepted => accepted += 1,
                    Verdict::Finding(what) => panic!("target {at}, case {case}: {what}: {:?}", campaign.targets[at]),
                }
            }
        }
        assert!(accepted > 100, "{accepted} went on");
    }

    #[test]
    fn undamaged_checkpoints_go_on() {
        let mut campaign = Checkpoints::new(7, None).unwrap();
        let mut accepted = 0;
        for at in 0..campaign.len() {
            match campaign.damage(at, |_| {}) {
                Verdict::Accepted => accepted += 1,
                // A method that does not go with the problem has no checkpoint.
                Verdict::Refused(why) if !why.contains("corrupt") => {}
                wrong => panic!("{:?}: {wrong:?}", campaign.targets[at]),
            }
        }
        assert!(accepted * 2 > campaign.len(), "{accepted} of {}", campaign.len());
    }
}
