//! What is tuned: parameters with their ranges, and a distribution over their values.

use crate::failure::{Failure, unknown};
use serde_json::{Value, json};
use soloist::search::Values;
use soloist::{Method, Rng};
use soloist_domain::{Setting, Settings};

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
                (words(&known.iter().map(String::as_str).collect::<Vec<_>>(), range)?, String::new())
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
    /// Settles what `--parameter` asks for on a method.
    ///
    /// # Errors
    /// When a parameter is unknown, named twice or already set, or a range is not within that of the table.
    pub(crate) fn new(name: &str, method: Method, asked: &[(String, Range)], set: &Settings) -> Result<Self, Failure> {
        let table = method.parameters();
        let mut dimensions: Vec<Dimension> = Vec::new();
        for (key, range) in asked {
            let fail = |message: String| Failure::usage(format!("--parameter {key}: {message}"));
            if key == ROLLOUT {
                if dimensions.iter().any(|dimension| dimension.key == ROLLOUT) {
                    return Err(fail("is there twice".to_owned()));
                }
                dimensions.push(Dimension::rollout(range).map_err(fail)?);
                continue;
            }
            let parameter = table.iter().find(|parameter| parameter.name == key).ok_or_else(|| {
                let known: Vec<_> = table.iter().map(|parameter| parameter.name).collect();
                fail(unknown(&format!("parameter of {name}"), key, &known))
            })?;
            if dimensions.iter().any(|dimension| dimension.key == parameter.name) {
                return Err(fail("is there twice".to_owned()));
            }
            if set.get(key).is_some() {
                return Err(fail("is fixed by --set, so that there is nothing to tune".to_owned()));
            }
            let kind = kind(parameter.values, range, &parameter.value).map_err(|message| {
                fail(if message.is_empty() { format!("expected {}", parameter.range) } else { message })
            })?;
            let (key, default, prefix) = (parameter.name, parameter.value.clone(), String::new());
            dimensions.push(Dimension { key, kind, default, prefix });
        }
        Ok(Self { dimensions, method })
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

/// The values that a range asks for; an error without words is one of the table's range.
fn kind(values: Values, range: &Range, default: &str) -> Result<Kind, String> {
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
        Range::Words(_) | Range::Argument { .. } => return Err(String::new()),
        Range::Whole if most - least <= NARROW => (least, most, false),
        Range::Whole => {
            let around = default.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
            let around = around.ok_or("its range is too wide to search: give one, as in KEY=0.1..10:log")?;
            ((around / AROUND).max(least), (around * AROUND).min(most), true)
        }
    };
    let low = if whole { low.ceil() } else { low };
    let high = if whole { high.floor() } else { high };
    if low < least || high > most {
        return Err(String::new());
    }
    if low >= high {
        return Err(format!("the range {low}..{high} holds no two values"));
    }
    if logarithmic && low <= 0.0 {
        return Err(format!("a logarithmic range begins above 0, got {low}"));
    }
    Ok(Kind::Number { low, high, logarithmic, whole })
}

fn words(known: &[&str], range: &Range) -> Result<Kind, String> {
    let chosen: Vec<String> = match range {
        Range::Whole => known.iter().map(|&word| word.to_owned()).collect(),
        Range::Words(words) if words.iter().all(|word| known.contains(&word.as_str())) => words.clone(),
        Range::Words(_) | Range::Numbers { .. } | Range::Argument { .. } => return Err(String::new()),
    };
    if chosen.len() < 2 || (1..chosen.len()).any(|at| chosen[..at].contains(&chosen[at])) {
        return Err("expected two or more different values".to_owned());
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
            (_, Belief::Normal { mean, deviation }) => self.number(mean + deviation * normal(rng)),
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

/// A standard normal number, by the polar method.
///
/// # References
/// G. Marsaglia and T. Bray, "A convenient method for generating normal variables", SIAM Review 6, 1964.
fn normal(rng: &mut Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
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
mod tests {
    use super::*;

    fn space(asked: &[&str]) -> Result<Space, Failure> {
        let asked: Vec<_> = asked.iter().map(|text| Range::parameter(text).unwrap()).collect();
        Space::new("uct", Method::preset("uct").unwrap(), &asked, &Settings::default())
    }

    #[test]
    fn ranges_are_settled_by_the_table() {
        let kinds =
            space(&["c=0.1..10:log", "threshold=1.5..9.5", "value", "deviation", "widening_exponent", "clamp=1..2"]);
        let kinds: Vec<Kind> = kinds.unwrap().dimensions.into_iter().map(|dimension| dimension.kind).collect();
        let number = |low, high, logarithmic, whole| Kind::Number { low, high, logarithmic, whole };
        let words = |words: &[&str]| Kind::Words(words.iter().map(|&word| word.to_owned()).collect());
        assert_eq!(
            kinds,
            [
                number(0.1, 10.0, true, false),
                number(2.0, 9.0, false, true),
                words(&["mean", "best", "blend"]),
                words(&["true", "false"]),
                number(0.0, 1.0, false, false),
                number(1.0, 2.0, false, false),
            ]
        );
        for (asked, message) in [
            (&["cc"][..], "--parameter cc: no parameter of uct `cc`, did you mean `c`?"),
            (&["c=0..1", "c=1..2"], "--parameter c: is there twice"),
            (&["c=-1..1"], "--parameter c: expected a number from 0 to 1e12"),
            (&["c=0..1:log"], "--parameter c: a logarithmic range begins above 0, got 0"),
            (&["threshold=1.2..1.8"], "--parameter threshold: the range 2..1 holds no two values"),
            (&["value=mean|median"], "--parameter value: expected one of mean best"),
            (&["value=best|best"], "--parameter value: expected two or more different values"),
            (&["value=1..2"], "--parameter value: expected one of mean best"),
            (&["c=mean|best"], "--parameter c: expected a number from 0"),
            (&["d"], "--parameter d: its range is too wide to search: give one"),
        ] {
            let failure = space(asked).unwrap_err();
            assert!(failure.code() == 2 && failure.message.starts_with(message), "{}", failure.message);
        }
    }

    #[test]
    fn rollouts_and_their_arguments_are_dimensions() {
        let tuned = space(&["c=0.1..10:log", "rollout=tabu-color:0.001..0.1:log"]).unwrap();
        assert_eq!(tuned.dimensions[1].ends(), ["tabu-color:0.001", "tabu-color:0.1"]);
        let mut rng = Rng::new(3);
        let point = tuned.draw(&tuned.start(&[]).unwrap(), &mut rng).unwrap();
        let setting = tuned.settings(&point).remove(1);
        let epsilon: f64 = setting.value.strip_prefix("tabu-color:").unwrap().parse().unwrap();
        assert!(setting.key == "rollout" && (0.001..=0.1).contains(&epsilon), "{setting:?}");
        assert_eq!(space(&["rollout=random|tabu-color"]).unwrap().dimensions[0].ends(), ["random", "tabu-color"]);
        for (asked, message) in [
            (&["rollout"][..], "--parameter rollout: expected rollout=NAME:LOW..HIGH"),
            (&["rollout=0.1..1"], "--parameter rollout: expected rollout=NAME:LOW..HIGH"),
            (&["rollout=a:0..1:log"], "--parameter rollout: a logarithmic range begins above 0, got 0"),
            (&["rollout=a|b", "rollout=a|c"], "--parameter rollout: is there twice"),
            (&["c=a:0..1"], "expected KEY"),
        ] {
            let ranges: Result<Vec<_>, String> = asked.iter().map(|text| Range::parameter(text)).collect();
            let told = match ranges {
                Ok(ranges) => {
                    Space::new("uct", Method::preset("uct").unwrap(), &ranges, &Settings::default())
                        .unwrap_err()
                        .message
                }
                Err(message) => message,
            };
            assert!(told.starts_with(message), "{told}");
        }
    }

    #[test]
    fn draws_follow_the_beliefs_within_the_ranges() {
        let space = space(&["c=1..100:log", "threshold=1..5", "value"]).unwrap();
        let mut beliefs = space.start(&[]).unwrap();
        assert_eq!(beliefs[0], Belief::Normal { mean: libm::log(10.0), deviation: libm::log(10.0) });
        assert_eq!(beliefs[1], Belief::Normal { mean: 3.0, deviation: 2.0 });
        beliefs[2] = Belief::Chances(vec![0.25, 0.75]);
        let mut rng = Rng::new(1);
        let draws: Vec<_> = (0..4000).map(|_| space.draw(&beliefs, &mut rng).unwrap()).collect();
        let share =
            |test: &dyn Fn(&Vec<Coordinate>) -> bool| draws.iter().filter(|draw| test(draw)).count() as f64 / 4000.0;
        let number = |coordinate: &Coordinate| coordinate.text.parse::<f64>().unwrap();
        assert!(share(&|draw| (1.0..=100.0).contains(&number(&draw[0]))) == 1.0);
        // One in six is beyond one deviation on either side: there the range ends.
        assert!((share(&|draw| number(&draw[0]) == 100.0) - 0.159).abs() < 0.03);
        assert!((share(&|draw| number(&draw[0]) < 10.0) - 0.5).abs() < 0.03);
        assert!((share(&|draw| draw[1].text == "3") - 0.197).abs() < 0.03);
        assert!((share(&|draw| draw[2].text == "best") - 0.75).abs() < 0.03);
        let middle = space.middle(&beliefs).unwrap();
        assert_eq!(middle.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["10", "3", "best"]);
        let moved = space.start(&[Setting { key: "c".to_owned(), value: "50".to_owned() }]).unwrap();
        assert_eq!(moved[0], Belief::Normal { mean: libm::log(50.0), deviation: libm::log(10.0) });
        for (key, value) in [("c", "0.5"), ("d", "1"), ("value", "best")] {
            assert_eq!(space.start(&[Setting { key: key.into(), value: value.into() }]).unwrap_err().code(), 2);
        }
    }

    #[test]
    fn beliefs_move_to_the_elite() {
        let space = space(&["c=0..100", "value=mean|best"]).unwrap();
        let mut beliefs = space.start(&[]).unwrap();
        let point = |c: f64, word: usize| vec![space.dimensions[0].kind.number(c), space.dimensions[1].kind.word(word)];
        let elite = [point(10.0, 1), point(14.0, 1), point(18.0, 0)];
        space.learn(&mut beliefs, &elite.iter().collect::<Vec<_>>(), 0.5);
        let Belief::Normal { mean, deviation } = beliefs[0] else { panic!("a number") };
        let exact = (32.0_f64 / 3.0).sqrt();
        assert!(
            (mean - f64::midpoint(50.0, 14.0)).abs() < 1e-12 && (deviation - f64::midpoint(50.0, exact)).abs() < 1e-12
        );
        let Belief::Chances(chances) = &beliefs[1] else { panic!("words") };
        assert!(
            (chances[0] - 0.5 * (0.5 + 1.0 / 3.0)).abs() < 1e-12 && (chances.iter().sum::<f64>() - 1.0).abs() < 1e-12
        );
    }

    #[test]
    fn the_optimum_of_a_known_function_is_found() {
        let space = space(&["c=0.01..100:log", "threshold=1..40", "value", "d=0..1000"]).unwrap();
        let starts = ["c=90", "threshold=38", "d=5"].map(|text| text.parse::<Setting>().unwrap());
        let mut beliefs = space.start(&starts).unwrap();
        let mut rng = Rng::new(3);
        // Least at c = 3, threshold 7, value best, d = 600, with a noise that all settings of an iteration share.
        let worth = |point: &[Coordinate], noise: f64| {
            let number = |at: usize| point[at].text.parse::<f64>().unwrap();
            let (c, threshold, d) = (libm::log(number(0) / 3.0), number(1) - 7.0, (number(3) - 600.0) / 100.0);
            c * c + threshold * threshold / 100.0 + d * d + if point[2].text == "best" { 0.0 } else { 0.3 } + noise
        };
        for _ in 0..25 {
            let noise = 100.0 * rng.unit();
            let mut points: Vec<_> = (0..60).map(|_| space.draw(&beliefs, &mut rng).unwrap()).collect();
            points.sort_by(|a, b| worth(a, noise).total_cmp(&worth(b, noise)));
            space.learn(&mut beliefs, &points[..10].iter().collect::<Vec<_>>(), 0.7);
        }
        let found = space.middle(&beliefs).unwrap();
        let number = |at: usize| found[at].text.parse::<f64>().unwrap();
        assert!((number(0) - 3.0).abs() < 0.15 && (number(3) - 600.0).abs() < 20.0, "{found:?}");
        assert_eq!((found[1].text.as_str(), found[2].text.as_str()), ("7", "best"));
    }

    #[test]
    fn settings_that_exclude_each_other_are_not_drawn() {
        // A method accepts nested searches and a beam only one at a time.
        let space = space(&["amaf", "transpositions", "beam_width=0..3", "nesting=1..2"]).unwrap();
        let beliefs = space.start(&[]).unwrap();
        let mut rng = Rng::new(2);
        for _ in 0..300 {
            let point = space.draw(&beliefs, &mut rng).unwrap();
            assert!(space.accepts(&point).is_ok());
        }
    }

    #[test]
    fn parameters_are_read_with_their_ranges() {
        let numbers = |low, high, logarithmic| Range::Numbers { low, high, logarithmic };
        for (text, range) in [
            ("c", Range::Whole),
            ("c=0.1..10", numbers(0.1, 10.0, false)),
            ("c = -1 .. 1e3:log", numbers(-1.0, 1000.0, true)),
            ("c=.5..1.", numbers(0.5, 1.0, false)),
            ("c=a|b", Range::Words(vec!["a".to_owned(), "b".to_owned()])),
        ] {
            assert_eq!(Range::parameter(text), Ok(("c".to_owned(), range)), "{text}");
        }
        assert!(
            ["", "=1..2", "c=", "c=1", "c=1..", "c=a|", "c=1..inf", "c d=1..2"]
                .iter()
                .all(|text| Range::parameter(text).is_err())
        );
        assert!(Range::parameter("c=2..1").unwrap_err().contains("runs backwards"));
        assert_eq!(Range::parameter("c=1..1").unwrap_err(), "the range 1..1 holds one value: fix it by --set c=1");
    }
}
