//! What is run, as one value, and its resolution against an instance.
//!
//! The command, its studies, the Python package and golden runs make a [`RunSpec`] from their arguments, files or
//! keywords. Defaults, limits, names and the checks of all of them are here, so that the same mistake has the same
//! message everywhere.

use crate::erased::ending;
use crate::names::{unknown, unknown_among};
use crate::result::serialize_number;
use crate::settings::{Setting, Settings};
use crate::{AnyInstance, Domain, Options, units};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use soloist::run::RunInfo;
use soloist::search::parameters::Table;
use soloist::search::{ParameterError, Preset};
use soloist::{Budget, Method, Setup};
use std::fmt;
use std::time::Duration;

/// Seconds that a search without any limit takes.
pub const DEFAULT_SECONDS: u64 = Budget::DEFAULT_TIME.as_secs();

/// The setting of a run that is no parameter of its method.
const PROOF: &str = "proof";

/// What is run: plain data, the same from the command line, a file or keywords.
///
/// ```
/// use soloist_domain::RunSpec;
/// let text = r#"{"problem": "samegame", "method": "nrpa", "set": {"level": 2}, "budget": {"playouts": "10k"}}"#;
/// let spec: RunSpec = serde_json::from_str(text).unwrap();
/// assert_eq!((spec.set.get("level"), spec.budget.playouts), (Some("2"), Some(10_000)));
/// let error = serde_json::from_str::<RunSpec>(r#"{"problem": "samegame", "budget": {"time": "soon"}}"#).unwrap_err();
/// assert!(error.to_string().starts_with("`time`: expected a duration such as 30, 30s, 1.5m, 2h or 500ms"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// The name of the problem; empty for a problem without a domain.
    #[serde(default)]
    pub problem: String,
    /// The instance: a file or a spec such as `random:15x15x5:7`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// Options of the problem, its choices of rules.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub options: Settings,
    /// The name of the method; `None`: the one that suits the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Parameters of the method, `proof`, and options of the problem.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub set: Settings,
    /// The playout policy; `None`: the one that goes with the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<String>,
    /// When the run stops.
    #[serde(default, skip_serializing_if = "Limits::is_default")]
    pub budget: Limits,
    /// The seed of all random draws; `None`: 0.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "seed")]
    pub seed: Option<u64>,
    /// The number of streams, a thread each; `None`: 1.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "threads")]
    pub threads: Option<usize>,
    /// How many of the best different solutions are kept; `None`: 1.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "keep")]
    pub keep: Option<usize>,
}

/// When a run stops, by the names of the command line. Whichever limit is reached first stops it.
///
/// As TOML or JSON each limit is a number or a string with a unit: `time = "1.5m"`, `playouts = "200k"`. It is written
/// as a number, time in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table such as { time = \"10s\" }")]
pub struct Limits {
    /// Wall-clock time.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "time", serialize_with = "seconds")]
    pub time: Option<Duration>,
    /// Playouts.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "playouts")]
    pub playouts: Option<u64>,
    /// Tree nodes.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "nodes")]
    pub nodes: Option<u64>,
    /// The score at which the run stops.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "target", serialize_with = "serialize_number")]
    pub target: Option<f64>,
    /// Playouts without improvement.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "stall")]
    pub stall: Option<u64>,
    /// Bytes for what grows; `None`: [`Budget::MEMORY`].
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "memory")]
    pub memory: Option<u64>,
    /// Moves of a game; `None`: [`Budget::MAX_MOVES`].
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "max_moves")]
    pub max_moves: Option<u64>,
}

macro_rules! fields {
    ($($name:ident: $type:ty = $read:path;)*) => {
        $(fn $name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<$type>, D::Error> {
            units::field(deserializer, stringify!($name), $read)
        })*
    };
}

fields! {
    time: Duration = units::duration;
    playouts: u64 = units::count;
    nodes: u64 = units::count;
    target: f64 = units::score;
    stall: u64 = units::count;
    memory: u64 = units::size;
    max_moves: u64 = units::count;
    seed: u64 = units::seed;
    threads: usize = units::threads;
    keep: usize = units::keep;
}

#[allow(clippy::ref_option, reason = "serde asks for this signature")]
fn seconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    serialize_number(&time.map(|time| time.as_secs_f64()), serializer)
}

impl Limits {
    /// Returns the limits of a budget. The limit of moves is there where it is not the usual one.
    #[must_use]
    pub fn of(budget: &Budget) -> Self {
        let Budget { time, playouts, nodes, target, stall, memory, max_moves } = *budget;
        let max_moves = (max_moves != Budget::MAX_MOVES).then_some(max_moves);
        Self { time, playouts, nodes, target, stall, memory: Some(memory), max_moves }
    }

    /// Returns whether nothing of this stops a run.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.target.is_none() && !self.has_end()
    }

    /// Returns whether a time or a count stops a run: a target may never be reached.
    #[must_use]
    pub fn has_end(&self) -> bool {
        self.time.is_some() || [self.playouts, self.nodes, self.stall] != [None; 3]
    }

    /// Returns these limits as a budget, and nothing else: without any, it has no end.
    #[must_use]
    pub fn exact(&self) -> Budget {
        let Self { time, playouts, nodes, target, stall, memory, max_moves } = *self;
        let (memory, max_moves) = (memory.unwrap_or(Budget::MEMORY), max_moves.unwrap_or(Budget::MAX_MOVES));
        Budget { time, playouts, nodes, target, stall, memory, max_moves }
    }

    /// Returns these limits as a budget; without any, the run ends [`DEFAULT_SECONDS`] after those `spent` before.
    #[must_use]
    pub fn budget(&self, spent: Duration) -> Budget {
        let time = if self.is_unlimited() { Some(spent + Duration::from_secs(DEFAULT_SECONDS)) } else { self.time };
        Budget { time, ..self.exact() }
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A run resolved against its instance: nothing is left to be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedRun {
    /// Method, rollout, seed and threads.
    pub setup: Setup,
    /// When it stops.
    pub budget: Budget,
    /// How many of the best different solutions are kept.
    pub keep: usize,
}

/// What is known of a run that is resumed.
#[derive(Clone, Debug)]
pub struct Resumed {
    /// The setup that ran, with effort and time.
    pub info: RunInfo,
    /// How many solutions it keeps, where the whole checkpoint was read.
    pub keep: Option<usize>,
}

/// The part of a [`RunSpec`] that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecPart {
    /// The name of the problem.
    Problem,
    /// The value of this option of the problem.
    Option(String),
    /// Parameters of the method that do not go together.
    Method,
    /// A method of this name, which neither the engine nor the problem has.
    UnknownMethod(String),
    /// The value of this setting.
    Setting(String),
    /// A setting or option of this name, which does not exist.
    Unknown(String),
    /// The playout policy.
    Rollout,
    /// The limits.
    Budget,
    /// Something in which the checkpoint to resume differs.
    Resume,
}

/// Why a run cannot be made as it is asked for: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// What is wrong.
    pub part: SpecPart,
    /// The line.
    pub message: String,
}

impl SpecError {
    fn new(part: SpecPart, message: impl Into<String>) -> Self {
        Self { part, message: message.into() }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SpecError {}

impl Domain {
    /// Sets an option in `options`. Returns whether the problem has an option of this name.
    ///
    /// # Errors
    /// The option does not have this value.
    pub fn set_option(&self, options: &mut Options, setting: &Setting) -> Result<bool, SpecError> {
        let Setting { key, value } = setting;
        let Some(option) = self.options.iter().find(|option| option.name == key) else { return Ok(false) };
        if !option.accepts(value) {
            let (name, values, value) = (self.name, option.values.join(", "), value.escape_debug());
            let message = format!("option `{key}` of {name}: expected one of {values}, got `{value}`");
            return Err(SpecError::new(SpecPart::Option(key.clone()), message));
        }
        options.insert(key.clone(), value.clone());
        Ok(true)
    }

    /// Returns the method of a name: a preset of the engine or one of the problem's searches.
    ///
    /// # Errors
    /// Neither has a method of this name.
    pub fn find_method(&self, name: &str) -> Result<&'static Preset, SpecError> {
        find_among(Method::presets().iter().chain(self.searches), name)
    }

    /// Returns the options that `settings` name, without defaults.
    ///
    /// # Errors
    /// The problem does not have an option, or an option does not have its value.
    pub fn options_of(&self, settings: &Settings) -> Result<Options, SpecError> {
        let mut options = Options::new();
        for setting in settings {
            if !self.set_option(&mut options, setting)? {
                let names: Vec<_> = self.options.iter().map(|option| option.name).collect();
                let message = match names[..] {
                    [] => format!("{} has no options, got `{}`", self.name, setting.key.escape_debug()),
                    _ => unknown(&format!("option of {}", self.name), &setting.key, &names),
                };
                return Err(SpecError::new(SpecPart::Unknown(setting.key.clone()), message));
            }
        }
        Ok(options)
    }
}

/// Returns the method of a name among `methods`.
///
/// # Errors
/// No method has this name; the message suggests similar ones.
pub fn find_among(
    mut methods: impl Iterator<Item = &'static Preset> + Clone,
    name: &str,
) -> Result<&'static Preset, SpecError> {
    methods.clone().find(|preset| preset.name == name).ok_or_else(|| {
        let known: Vec<_> = methods.by_ref().map(|preset| preset.name).collect();
        let message = unknown_among("method", name, &known, "`soloist methods --all` lists them");
        SpecError::new(SpecPart::UnknownMethod(name.to_owned()), message)
    })
}

fn find_method(domain: Option<&Domain>, name: &str) -> Result<&'static Preset, SpecError> {
    domain.map_or_else(|| find_among(Method::presets().iter(), name), |domain| domain.find_method(name))
}

impl RunSpec {
    /// Returns the problem that is named.
    ///
    /// # Errors
    /// No problem has this name; the message suggests similar ones.
    pub fn domain<'a>(&self, domains: &'a [Domain]) -> Result<&'a Domain, SpecError> {
        domains.iter().find(|domain| domain.name == self.problem).ok_or_else(|| {
            let known: Vec<_> = domains.iter().map(|domain| domain.name).collect();
            SpecError::new(SpecPart::Problem, unknown("problem", &self.problem, &known))
        })
    }

    /// Returns the rules in force, defaults included: what [`Domain::load`] takes.
    ///
    /// # Errors
    /// An option is unknown or has another value.
    pub fn rules(&self, domain: &Domain) -> Result<Options, SpecError> {
        let mut options = domain.options_of(&self.options)?;
        for setting in &self.set {
            domain.set_option(&mut options, setting)?;
        }
        Ok(domain.with_defaults(options))
    }

    /// Returns the rules in force after a check of everything that can be wrong without an instance.
    ///
    /// # Errors
    /// An option, or a setting of the method that is named, is unknown or has another value.
    pub fn check(&self, domain: &Domain) -> Result<Options, SpecError> {
        let rules = self.rules(domain)?;
        if self.method.is_some() {
            self.setup(Some(domain), Setup::default)?;
        }
        Ok(rules)
    }

    /// Resolves the spec against its instance: the whole of a new run.
    ///
    /// # Errors
    /// The method, a setting, or a rollout is unknown or out of its range, or the limits never end a method that is
    /// named. The default method suits its instance: there it ends.
    pub fn resolve(&self, domain: &Domain, instance: &dyn AnyInstance) -> Result<ResolvedRun, SpecError> {
        let mut setup = self.setup(Some(domain), || instance.default_setup())?;
        if matches!(setup.method.table(), Table::Auto(_)) && !self.set.iter().any(|setting| setting.key == PROOF) {
            // Where exact search suits the instance, it has as much beside the race as beside the default method.
            setup.proof = setup.proof.max(instance.default_setup().proof);
        }
        if let (Table::Own(own), Some(rollout)) = (setup.method.table(), &self.rollout) {
            let (name, rollout) = (own.name(), rollout.escape_debug());
            let message = format!("{name} plays no rollouts, got `{rollout}`: name another method, or no rollout");
            return Err(SpecError::new(SpecPart::Rollout, message));
        }
        let rollout = setup.rollout.clone().unwrap_or_else(|| instance.rollout_for(&setup));
        check_rollout(domain, instance, &rollout)?;
        if let Table::Auto(auto) = setup.method.table() {
            let mut named = auto.methods.entries().iter().filter_map(|entry| entry.rollout());
            named.try_for_each(|rollout| check_rollout(domain, instance, rollout))?;
        }
        let mut budget = self.budget.budget(Duration::ZERO);
        if self.method.is_none() {
            budget = ending(&setup, budget);
        }
        refuse_endless(&setup, &budget)?;
        Ok(ResolvedRun { setup: setup.rollout(rollout), budget, keep: self.keep.unwrap_or(1) })
    }

    /// As [`resolve`](Self::resolve), for a run whose solutions begin with given moves: plain `auto` takes the place of
    /// a default that is or names a method of the problem itself, because those make whole solutions.
    ///
    /// # Errors
    /// As for [`resolve`](Self::resolve).
    pub fn resolve_begun(&self, domain: &Domain, instance: &dyn AnyInstance) -> Result<ResolvedRun, SpecError> {
        let makes_whole = |method: &Method| match method.table() {
            Table::Own(_) => true,
            Table::Auto(auto) => {
                auto.methods.entries().iter().any(|entry| matches!(entry.method().table(), Table::Own(_)))
            }
            _ => false,
        };
        if self.method.is_none() && makes_whole(&instance.default_setup().method) {
            return Self { method: Some("auto".to_owned()), ..self.clone() }.resolve(domain, instance);
        }
        self.resolve(domain, instance)
    }

    /// Resolves the spec of a run that is resumed. It may repeat what the checkpoint holds but not contradict it;
    /// limits count the whole run.
    ///
    /// # Errors
    /// A setting is unknown or out of its range, or the checkpoint has another one.
    pub fn resume(&self, domain: &Domain, before: &Resumed) -> Result<ResolvedRun, SpecError> {
        let saved = &before.info.setup;
        let agree = |what: &str, asked: Option<String>, has: String| match asked {
            Some(asked) if asked != has => {
                let message =
                    format!("{what} {asked} contradicts the checkpoint, which has {has}; leave it out to resume");
                Err(SpecError::new(SpecPart::Resume, message))
            }
            _ => Ok(()),
        };
        if let Some(name) = &self.method {
            find_method(Some(domain), name)?;
            // Another preset with settings may be the same method.
            let same = self.setup(Some(domain), Setup::default).is_ok_and(|asked| asked.method == saved.method);
            if !same {
                agree("method", Some(name.clone()), saved.preset.clone())?;
            }
        }
        for setting in self.of_method(Some(domain)) {
            let mut setup = saved.clone();
            setting.apply(Some(domain), &mut setup)?;
            validate(&setup)?;
            if setup != *saved {
                let has = saved.method.parameters().into_iter().find(|parameter| parameter.name == setting.key);
                let has = match has {
                    _ if setting.key == PROOF => saved.proof.to_string(),
                    Some(has) => has.value,
                    None => "another value".to_owned(),
                };
                let Setting { key, value } = setting;
                let message = format!("set {key}={value} contradicts the checkpoint, which has {has}");
                return Err(SpecError::new(SpecPart::Resume, message + "; leave it out to resume"));
            }
        }
        agree("rollout", self.rollout.clone(), saved.rollout.clone().unwrap_or_default())?;
        agree("seed", self.seed.map(|seed| seed.to_string()), saved.seed.to_string())?;
        agree("threads", self.threads.map(|threads| threads.to_string()), saved.threads.to_string())?;
        if let Some(keep) = before.keep {
            agree("keep", self.keep.map(|keep| keep.to_string()), keep.to_string())?;
        }
        let (budget, keep) = (self.budget.budget(before.info.elapsed), self.keep.unwrap_or(1));
        Ok(ResolvedRun { setup: saved.clone(), budget, keep })
    }

    /// Returns the setup asked for, with a rollout only where the spec names one; `usual` is taken where it names no
    /// method. A problem without a `domain` has no options.
    ///
    /// # Errors
    /// The method or a setting is unknown or out of its range.
    pub fn setup(&self, domain: Option<&Domain>, usual: impl FnOnce() -> Setup) -> Result<Setup, SpecError> {
        let mut setup = match &self.method {
            Some(name) => Setup::from(find_method(domain, name)?),
            None => usual(),
        };
        for setting in self.of_method(domain) {
            setting.apply(domain, &mut setup)?;
        }
        // Whether they go together shows when all are there.
        validate(&setup)?;
        setup.rollout.clone_from(&self.rollout);
        Ok(setup.seed(self.seed.unwrap_or(0)).threads(self.threads.unwrap_or(1)))
    }

    /// The settings that are no options of the problem.
    fn of_method<'a>(&'a self, domain: Option<&'a Domain>) -> impl Iterator<Item = &'a Setting> {
        let is_option = move |key: &str| domain.is_some_and(|domain| domain.options.iter().any(|one| one.name == key));
        self.set.iter().filter(move |setting| !is_option(&setting.key))
    }
}

impl Setting {
    /// Makes this setting of a method. A problem without a `domain` has no options that a message could name.
    ///
    /// # Errors
    /// The method has no such parameter, or the value is out of its range.
    pub fn apply(&self, domain: Option<&Domain>, setup: &mut Setup) -> Result<(), SpecError> {
        let Self { key, value } = self;
        setup.set(key, value).map_err(|error| match error {
            ParameterError::Unknown { .. } => {
                let options = domain.map(|domain| format!("options of {}: {}; ", domain.name, domain.option_names()));
                let of_problem = domain.map_or(&[][..], |domain| domain.options).iter().map(|option| option.name);
                let of_method = setup.method.parameters().into_iter().map(|parameter| parameter.name);
                let known: Vec<_> = of_problem.chain(of_method).chain([PROOF]).collect();
                let method = format!("parameters of {0}: `soloist methods {0} --all`", setup.preset);
                let message = unknown_among("setting", key, &known, &(options.unwrap_or_default() + &method));
                SpecError::new(SpecPart::Unknown(key.clone()), message)
            }
            other => SpecError::new(SpecPart::Setting(key.clone()), format!("{}: {other}", setup.preset)),
        })
    }
}

fn validate(setup: &Setup) -> Result<(), SpecError> {
    let wrong = |error| SpecError::new(SpecPart::Method, format!("{}: {error}", setup.preset));
    setup.validate().map_err(wrong)
}

/// Checks that a name selects a rollout.
fn check_rollout(domain: &Domain, instance: &dyn AnyInstance, rollout: &str) -> Result<(), SpecError> {
    if instance.has_rollout(rollout) {
        return Ok(());
    }
    let (problem, known) = (domain.name, instance.rollouts());
    let known: Vec<_> = known.iter().map(|info| info.name).collect();
    let word = rollout.split(':').next().unwrap_or_default();
    let message = match rollout.split_once(':') {
        _ if domain.searches.iter().any(|own| own.name == word) => {
            format!("`{word}` is a method of {problem}, no rollout: use --method {word}")
        }
        Some((name, argument)) if known.contains(&name) => {
            let argument = argument.escape_debug();
            format!("rollout `{name}` of {problem}: invalid argument `{argument}`; see `soloist problems {problem}`")
        }
        _ => unknown(&format!("rollout of {problem}"), rollout, &known),
    };
    Err(SpecError::new(SpecPart::Rollout, message))
}

/// Refuses limits that never end a run, where that is a slip.
///
/// A target, or a number of playouts without improvement, may never be reached; the caller accepts that.
///
/// # Errors
/// Says which limit to add.
pub fn refuse_endless(setup: &Setup, budget: &Budget) -> Result<(), SpecError> {
    setup.check_limits(budget).map_err(|error| SpecError::new(SpecPart::Budget, error.to_string()))
}
