//! What is tuned: parameters with their ranges, and a distribution over their values.

use crate::failure::Failure;
use serde_json::{Value, json};
use soloist::search::Values;
use soloist::{Method, Rng, Setup};
use soloist_domain::{Domain, Setting, Settings};

/// A table range up to this width is taken as it is; wider ones say nothing about where good values are.
const NARROW: f64 = 1000.0;
/// The factor below and above the method's value between which values are searched where no range is given.
const AROUND: f64 = 10.0;
/// The name under which the rollout and its argument are tuned.
pub(super) const ROLLOUT: &str = "rollout";
/// Draws of a setting before the ranges are said to hold none that is valid.
const ATTEMPTS: usize = 1000;

/// Values of a parameter that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// All that the parameter accepts.
    Whole,
    /// `0.1..10` or `0.1..10:log`.
    Numbers {
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
        /// Whether values are drawn on a logarithmic scale.
        logarithmic: bool,
    },
    /// `mean|best`.
    Words(Vec<String>),
    /// `tabu-color:0.001..0.1:log`: the argument of a rollout.
    Argument {
        /// The rollout.
        rollout: String,
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
        /// Whether values are drawn on a logarithmic scale.
        logarithmic: bool,
    },
}

impl Range {
    /// Reads a parameter to tune: `c`, `c=0.1..10`, `c=0.1..10:log`, `value=mean|best`; or a rollout:
    /// `rollout=tabu-color:0.001..0.1:log`, `rollout=random|tabu-color`.
    ///
    /// # Errors
    /// One line: what was expected.
    pub fn parameter(text: &str) -> Result<(String, Self), String> {
        let expected = || format!("expected KEY, KEY=LOW..HIGH, KEY=LOW..HIGH:log or KEY=A|B|.., got `{text}`");
        let (key, values) = text.split_once('=').map_or((text, None), |(key, values)| (key, Some(values.trim())));
        let key = key.trim().to_owned();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(expected());
        }
        let Some(values) = values else { return Ok((key, Self::Whole)) };
        let (numbers, logarithmic) = values.strip_suffix(":log").map_or((values, false), |numbers| (numbers, true));
        if let Some((low, high)) = numbers.split_once("..") {
            let (rollout, low) = match low.rsplit_once(':').filter(|_| key == ROLLOUT) {
                Some((rollout, low)) => (Some(rollout.trim().to_owned()), low),
                None => (None, low),
            };
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let (low, high) = number(low).zip(number(high)).ok_or_else(expected)?;
            if low == high {
                return Err(format!("the range {low}..{high} holds one value: fix it by --set {key}={low}"));
            }
            if low > high {
                return Err(format!("the range {low}..{high} runs backwards, in `{text}`"));
            }
            let range = match rollout {
                Some(rollout) => Self::Argument { rollout, low, high, logarithmic },
                None => Self::Numbers { low, high, logarithmic },
            };
            return Ok((key, range));
        }
        let words: Vec<String> = values.split('|').map(|word| word.trim().to_owned()).collect();
        if words.len() < 2 || words.iter().any(String::is_empty) {
            return Err(expected());
        }
        Ok((key, Self::Words(words)))
    }
}

/// A parameter that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dimension {
    pub(crate) key: &'static str,
    pub(crate) kind: Kind,
    /// The method's own value.
    pub(crate) default: String,
    /// What stands in front of the number: a rollout whose argument it is.
    prefix: String,
}

impl Dimension {
    /// Returns the values at the ends of the range, or all words.
    pub(crate) fn ends(&self) -> Vec<String> {
        match &self.kind {
            Kind::Number { low, high, .. } => [low, high].map(|end| format!("{}{end}", self.prefix)).to_vec(),
            Kind::Words(words) => words.clone(),
        }
    }

    /// The rollout as a dimension.
    fn rollout(range: &Range) -> Result<Self, String> {
        let (kind, prefix) = match range {
            Range::Argument { rollout, low, high, logarithmic } => {
                let (low, high, logarithmic) = (*low, *high, *logarithmic);
                if logarithmic && low <= 0.0 {
                    return Err(format!("a logarithmic range begins above 0, got {low}"));
                }
                (Kind::Number { low, high, logarithmic, whole: false }, format!("{rollout}:"))
            }
            Range::Words(known) => {
                let different = (1..known.len()).all(|at| !known[..at].contains(&known[at]));
                if !different {
                    return Err("expected two or more different values".to_owned());
                }
                (Kind::Words(known.clone()), String::new())
            }
            Range::Whole | Range::Numbers { .. } => {
                return Err("expected rollout=NAME:LOW..HIGH, rollout=NAME:LOW..HIGH:log or rollout=A|B".to_owned());
            }
        };
        Ok(Self { key: ROLLOUT, kind, default: "-".to_owned(), prefix })
    }
}

/// Which values a parameter may take.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// From `low` to `high`, both included.
    Number { low: f64, high: f64, logarithmic: bool, whole: bool },
    /// One of these.
    Words(Vec<String>),
}

/// What is believed of the good values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Belief {
    /// Normal, on the scale of the parameter: its natural logarithm if that is the scale.
    Normal { mean: f64, deviation: f64 },
    /// The chance of each word.
    Chances(Vec<f64>),
}

/// A value that was drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Coordinate {
    /// As `--set` takes it.
    pub(crate) text: String,
    /// On the scale of the parameter, or the number of the word.
    place: f64,
}

/// The parameters that are tuned, and the method they belong to.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub(crate) dimensions: Vec<Dimension>,
    /// With the settings that stay.
    method: Method,
}

impl Space {
    /// Settles what `--parameter` asks for on the method of a setup.
    ///
    /// # Errors
    /// When a parameter is unknown, named twice or already set, or a range is not within that of the table.
    pub(crate) fn new(
        domain: Option<&Domain>,
        setup: &Setup,
        asked: &[(String, Range)],
        fixed: &Settings,
    ) -> Result<Self, Failure> {
        let table = setup.method.parameters();
        let mut dimensions: Vec<Dimension> = Vec::new();
        for (key, range) in asked {
            let fail = |message: String| Failure::usage(format!("--parameter {key}: {message}"));
            // The message of a run with this setting.
            let refused = |value: String| {
                let refused = Setting { key: key.clone(), value }.apply(domain, &mut setup.clone());
                refused.expect_err("the method refuses this").message
            };
            if key == ROLLOUT {
                if dimensions.iter().any(|dimension| dimension.key == ROLLOUT) {
                    return Err(fail("is there twice".to_owned()));
                }
                dimensions.push(Dimension::rollout(range).map_err(fail)?);
                continue;
            }
            if domain.is_some_and(|domain| domain.options.iter().any(|option| option.name == key)) {
                return Err(fail("is a rule of the problem, no parameter: fix it by --set".to_owned()));
            }
            if key == "proof" {
                return Err(fail("is not tuned: fix it by --set".to_owned()));
            }
            let parameter = table.iter().find(|parameter| parameter.name == key);
            let parameter = parameter.ok_or_else(|| fail(refused(String::new())))?;
            if dimensions.iter().any(|dimension| dimension.key == parameter.name) {
                return Err(fail("is there twice".to_owned()));
            }
            if fixed.get(key).is_some() {
                return Err(fail("is fixed by --set, so that there is nothing to tune".to_owned()));
            }
            let kind = kind(parameter.values, range, &parameter.value).map_err(|wrong| match wrong {
                Wrong::Value(value) => fail(refused(value)),
                Wrong::Range(message) => fail(message),
            })?;
            let (key, default, prefix) = (parameter.name, parameter.value.clone(), String::new());
            dimensions.push(Dimension { key, kind, default, prefix });
        }
        Ok(Self { dimensions, method: setup.method.clone() })
    }

    /// The first beliefs: the middle of each range with half its width as deviation, all words alike; `start` has other
    /// means.
    pub(crate) fn start(&self, start: &[Setting]) -> Result<Vec<Belief>, Failure> {
        let mut beliefs: Vec<Belief> = self.dimensions.iter().map(|dimension| dimension.kind.start()).collect();
        for Setting { key, value } in start {
            let fail = |message: &str| Failure::usage(format!("--start {key}={value}: {message}"));
            let at = self.dimensions.iter().position(|dimension| dimension.key == key);
            let at = at.ok_or_else(|| fail("no --parameter has this name"))?;
            match (&self.dimensions[at].kind, &mut beliefs[at]) {
                (kind @ Kind::Number { low, high, .. }, Belief::Normal { mean, .. }) => {
                    let number = value.parse::<f64>().ok().filter(|number| (*low..=*high).contains(number));
                    let number = number.ok_or_else(|| fail(&format!("expected a number from {low} to {high}")))?;
                    *mean = kind.scaled(number);
                }
                _ => return Err(fail("only numbers have a start")),
            }
        }
        Ok(beliefs)
    }

    /// Draws a setting that the method accepts.
    ///
    /// # Errors
    /// When a thousand draws yield none.
    pub(crate) fn draw(&self, beliefs: &[Belief], rng: &mut Rng) -> Result<Vec<Coordinate>, Failure> {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let draw = |(dimension, belief): (&Dimension, &Belief)| dimension.kind.draw(belief, rng);
            let point: Vec<Coordinate> = self.dimensions.iter().zip(beliefs).map(draw).collect();
            match self.accepts(&point) {
                Ok(()) => return Ok(point),
                Err(message) => last = message,
            }
        }
        Err(Failure::usage(format!("the ranges hold hardly any valid setting: {last}")))
    }

    /// The middle of the beliefs: means, and the most likely words. `None` where the method does not accept it.
    pub(crate) fn middle(&self, beliefs: &[Belief]) -> Option<Vec<Coordinate>> {
        let point: Vec<Coordinate> =
            self.dimensions.iter().zip(beliefs).map(|(dimension, belief)| dimension.kind.middle(belief)).collect();
        self.accepts(&point).is_ok().then_some(point)
    }

    fn accepts(&self, point: &[Coordinate]) -> Result<(), String> {
        let mut method = self.method.clone();
        let set = |(dimension, coordinate): (&Dimension, &Coordinate)| method.set(dimension.key, &coordinate.text);
        let mut of_method = self.dimensions.iter().zip(point).filter(|(dimension, _)| dimension.key != ROLLOUT);
        of_method.try_for_each(set).map_err(|error| error.to_string())?;
        method.validate().map_err(|error| error.to_string())
    }

    /// The settings of a point, after those that stay.
    pub(crate) fn settings(&self, point: &[Coordinate]) -> Vec<Setting> {
        let setting = |(dimension, coordinate): (&Dimension, &Coordinate)| Setting {
            key: dimension.key.to_owned(),
            value: format!("{}{}", dimension.prefix, coordinate.text),
        };
        self.dimensions.iter().zip(point).map(setting).collect()
    }

    /// Moves the beliefs towards the best points: `smoothing` times what fits these best, the rest of what was
    /// believed.
    pub(crate) fn learn(&self, beliefs: &mut [Belief], elite: &[&Vec<Coordinate>], smoothing: f64) {
        let count = elite.len() as f64;
        let mix = |old: f64, new: f64| smoothing * new + (1.0 - smoothing) * old;
        for (at, belief) in beliefs.iter_mut().enumerate() {
            let places = || elite.iter().map(|point| point[at].place);
            match belief {
                Belief::Normal { mean, deviation } => {
                    let middle = places().sum::<f64>() / count;
                    let squares: f64 = places().map(|place| (place - middle) * (place - middle)).sum();
                    *mean = mix(*mean, middle);
                    *deviation = mix(*deviation, (squares / count).sqrt());
                }
                Belief::Chances(chances) => {
                    for (word, chance) in chances.iter_mut().enumerate() {
                        let times = places().filter(|&place| place == word as f64).count() as f64;
                        *chance = mix(*chance, times / count);
                    }
                }
            }
        }
    }
}

/// What is wrong with a range.
enum Wrong {
    /// The parameter does not have this value.
    Value(String),
    /// The range as a whole: the message.
    Range(String),
}

/// The values that a range asks for.
fn kind(values: Values, range: &Range, default: &str) -> Result<Kind, Wrong> {
    let (least, most, whole) = match values {
        Values::Whole { least, most } | Values::Levels { least, most } => (least as f64, most as f64, true),
        Values::Real { least, most } => (least, most, false),
        Values::Switch => return words(&["true", "false"], range),
        Values::Choice(known) => return words(known, range),
        Values::Presets => {
            let known: Vec<&str> = Method::presets().iter().map(|preset| preset.name).collect();
            return words(&known, range);
        }
    };
    let (low, high, logarithmic) = match range {
        Range::Numbers { low, high, logarithmic } => (*low, *high, *logarithmic),
        Range::Words(words) => return Err(Wrong::Value(words.join("|"))),
        Range::Argument { rollout, low, high, .. } => return Err(Wrong::Value(format!("{rollout}:{low}..{high}"))),
        Range::Whole if most - least <= NARROW => (least, most, false),
        Range::Whole => {
            let around = default.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
            let wide = || Wrong::Range("its range is too wide to search: give one, as in KEY=0.1..10:log".to_owned());
            let around = around.ok_or_else(wide)?;
            ((around / AROUND).max(least), (around * AROUND).min(most), true)
        }
    };
    let low = if whole { low.ceil() } else { low };
    let high = if whole { high.floor() } else { high };
    if low < least || high > most {
        return Err(Wrong::Value(if low < least { low } else { high }.to_string()));
    }
    if low >= high {
        return Err(Wrong::Range(format!("the range {low}..{high} holds no two values")));
    }
    if logarithmic && low <= 0.0 {
        return Err(Wrong::Range(format!("a logarithmic range begins above 0, got {low}")));
    }
    Ok(Kind::Number { low, high, logarithmic, whole })
}

fn words(known: &[&str], range: &Range) -> Result<Kind, Wrong> {
    let chosen: Vec<String> = match range {
        Range::Whole => known.iter().map(|&word| word.to_owned()).collect(),
        Range::Words(words) => match words.iter().find(|word| !known.contains(&word.as_str())) {
            Some(unknown) => return Err(Wrong::Value(unknown.clone())),
            None => words.clone(),
        },
        Range::Numbers { low, high, .. } | Range::Argument { low, high, .. } => {
            return Err(Wrong::Value(format!("{low}..{high}")));
        }
    };
    if chosen.len() < 2 || (1..chosen.len()).any(|at| chosen[..at].contains(&chosen[at])) {
        return Err(Wrong::Range("expected two or more different values".to_owned()));
    }
    Ok(Kind::Words(chosen))
}

impl Kind {
    /// A value on the scale of the parameter.
    fn scaled(&self, value: f64) -> f64 {
        if matches!(self, Self::Number { logarithmic: true, .. }) { libm::log(value) } else { value }
    }

    /// The value of a place on the scale.
    pub(crate) fn value(&self, place: f64) -> f64 {
        if matches!(self, Self::Number { logarithmic: true, .. }) { libm::exp(place) } else { place }
    }

    fn start(&self) -> Belief {
        match self {
            Self::Number { low, high, .. } => {
                let (low, high) = (self.scaled(*low), self.scaled(*high));
                Belief::Normal { mean: f64::midpoint(low, high), deviation: (high - low) / 2.0 }
            }
            Self::Words(words) => Belief::Chances(vec![1.0 / words.len() as f64; words.len()]),
        }
    }

    fn draw(&self, belief: &Belief, rng: &mut Rng) -> Coordinate {
        match (self, belief) {
            (Self::Words(words), Belief::Chances(chances)) => {
                let mut left = rng.unit() * chances.iter().sum::<f64>();
                let at = chances.iter().position(|chance| {
                    left -= chance;
                    left < 0.0
                });
                self.word(at.unwrap_or(words.len() - 1))
            }
            (_, Belief::Normal { mean, deviation }) => self.number(mean + deviation * rng.normal()),
            (Self::Number { .. }, Belief::Chances(_)) => unreachable!("numbers are believed normal"),
        }
    }

    fn middle(&self, belief: &Belief) -> Coordinate {
        match belief {
            Belief::Normal { mean, .. } => self.number(*mean),
            Belief::Chances(chances) => {
                let likelier = |best: usize, at: usize| if chances[at] > chances[best] { at } else { best };
                self.word((0..chances.len()).reduce(likelier).unwrap_or(0))
            }
        }
    }

    fn word(&self, at: usize) -> Coordinate {
        match self {
            Self::Words(words) => Coordinate { text: words[at].clone(), place: at as f64 },
            Self::Number { .. } => unreachable!("words belong to choices"),
        }
    }

    /// The value nearest to a place within the range: six digits are more than any search feels.
    fn number(&self, place: f64) -> Coordinate {
        let Self::Number { low, high, whole, .. } = *self else { unreachable!("places belong to numbers") };
        let value = self.value(place).clamp(low, high);
        let value = if whole { value.round() } else { six_digits(value).clamp(low, high) };
        Coordinate { text: value.to_string(), place: self.scaled(value) }
    }
}

/// The nearest number with six significant digits.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

impl Belief {
    /// The belief as the trace holds it: mean and deviation (a factor on a logarithmic scale), or chances by word.
    pub(crate) fn json(&self, kind: &Kind) -> Value {
        match (self, kind) {
            (Self::Chances(chances), Kind::Words(words)) => {
                Value::Object(words.iter().cloned().zip(chances.iter().map(|&chance| json!(chance))).collect())
            }
            (Self::Normal { mean, deviation }, Kind::Number { logarithmic: true, .. }) => {
                json!({ "mean": kind.value(*mean), "factor": libm::exp(*deviation) })
            }
            (Self::Normal { mean, deviation }, _) => json!({ "mean": mean, "deviation": deviation }),
            (Self::Chances(_), Kind::Number { .. }) => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests;
