//! The description of a comparison: a TOML file, read with errors that name file and line.

use super::raw::{List, RawMethod, RawProfile, RawSpec};
use crate::failure::{Failure, unknown};
use crate::text::one_line;
use soloist_domain::units::{self, Text};
use soloist_domain::{Domain, Limits, Options, Registry, RunSpec, Setting, Settings, SpecError, SpecPart, input};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;
use toml::Spanned;

/// Largest spec file that is read.
const MAX_SIZE: u64 = 16 << 20;
/// Most methods, and most seeds or instances: more is a slip of the pen.
pub(crate) const MAX_METHODS: usize = 1000;
pub(crate) const MAX_ITEMS: usize = 100_000;
/// Most targets or columns of a profile.
const MAX_POINTS: usize = 20;

/// What is compared.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) title: Option<String>,
    pub(crate) domain: &'static Domain,
    /// Options of the problem that are set.
    pub(crate) options: Settings,
    pub(crate) instances: Vec<Entry>,
    /// How many instances are kept.
    pub(crate) limit: usize,
    pub(crate) seeds: Vec<u64>,
    pub(crate) threads: usize,
    pub(crate) jobs: Option<usize>,
    pub(crate) methods: Vec<Entrant>,
    /// Index of the method that the others are compared with.
    pub(crate) baseline: Option<usize>,
    /// The file of the best known scores, as written.
    pub(crate) best_known: Option<Entry>,
    pub(crate) profile: Wanted,
}

/// What the profiles over time show.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// In their order; none: the usual gaps.
    pub(crate) targets: Vec<Target>,
    /// Columns of the table by playouts; none: chosen by the runs.
    pub(crate) playouts: Vec<f64>,
    /// Columns of the table by seconds.
    pub(crate) seconds: Vec<f64>,
}

/// What a run is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// At most this far from the best known score, relative to it.
    Gap(f64),
    /// This score or a better one.
    Score(f64),
}

/// An instance file, pattern, spec or range of specs as written.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// A method of the comparison.
#[derive(Debug)]
pub(crate) struct Entrant {
    pub(crate) label: String,
    /// Everything but the instance and the seed.
    pub(crate) run: RunSpec,
    pub(crate) line: usize,
}

/// Reads a spec file.
pub(crate) fn read(path: &Path, registry: Registry) -> Result<Spec, Failure> {
    let shown = path.display();
    let fail = |error: &dyn fmt::Display| Failure::runtime(format!("{shown}: {error}"));
    let file = input::open(path).map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
    let mut text = String::new();
    file.take(MAX_SIZE + 1)
        .read_to_string(&mut text)
        .map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
    if text.len() as u64 > MAX_SIZE {
        return Err(fail(&"larger than 16 MiB, not a spec"));
    }
    parse(&shown.to_string(), &text, registry)
}

/// Where in the file something stands, for messages.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl Place<'_> {
    fn line(self, span: &Range<usize>) -> usize {
        1 + self.text.as_bytes()[..span.start.min(self.text.len())].iter().filter(|&&byte| byte == b'\n').count()
    }

    fn fail(self, span: &Range<usize>, message: impl fmt::Display) -> Failure {
        at_line(self.file, self.line(span), &message.to_string())
    }

    /// What is wrong with one of these settings, or with the table around them.
    fn wrong(
        self,
        settings: &BTreeMap<String, Spanned<Text>>,
        error: &SpecError,
        around: Option<&Range<usize>>,
    ) -> Failure {
        let setting = match &error.part {
            SpecPart::Option(key) | SpecPart::Setting(key) | SpecPart::Unknown(key) => settings.get(key),
            _ => None,
        };
        match (setting.map(Spanned::span), around) {
            (Some(span), _) => self.fail(&span, error),
            (None, Some(span)) => self.fail(span, error),
            (None, None) => Failure::usage(format!("{}: {error}", self.file)),
        }
    }
}

/// A wrong spec: exit 2. Line 0 is that of what has no lines.
pub(crate) fn at_line(file: &str, line: usize, message: &str) -> Failure {
    if line == 0 {
        return Failure::usage(format!("{file}: {message}"));
    }
    Failure::usage(format!("{file}: line {line}: {message}"))
}

/// Reads a spec from its text.
pub(crate) fn parse(file: &str, text: &str, registry: Registry) -> Result<Spec, Failure> {
    let place = Place { file, text };
    let raw: RawSpec = toml::from_str(text).map_err(|error| {
        // The words of TOML, not those of the reader.
        let message = error.message().replace('\n', ", ").replace(": map,", ": table,").replace("sequence", "list");
        let message = one_line(&message);
        match error.span() {
            Some(span) => place.fail(&span, message),
            None => Failure::usage(format!("{file}: {message}")),
        }
    })?;
    let base = RunSpec { problem: raw.problem.get_ref().clone(), ..RunSpec::default() };
    let domain = base.domain(registry.domains()).map_err(|error| place.fail(&raw.problem.span(), error))?;
    let threads = number(place, "threads", raw.threads.as_ref(), 256)?.unwrap_or(1);
    let base = RunSpec { options: options(place, domain, &raw.options)?, threads: Some(threads), ..base };
    if raw.instances.is_empty() {
        return Err(Failure::usage(format!("{file}: `instances` is empty, expected files or specs")));
    }
    let entry = |entry: &Spanned<String>| Entry { text: entry.get_ref().clone(), line: place.line(&entry.span()) };
    let methods = contenders(place, registry, domain, &raw, &base)?;
    let baseline = match &raw.compare {
        None => None,
        Some(compare) => {
            let name = compare.baseline.get_ref();
            let labels: Vec<_> = methods.iter().map(|method| method.label.as_str()).collect();
            let at = labels.iter().position(|label| label == name);
            Some(at.ok_or_else(|| place.fail(&compare.baseline.span(), unknown("method", name, &labels)))?)
        }
    };
    Ok(Spec {
        title: raw.title.clone(),
        domain,
        options: base.options,
        instances: raw.instances.iter().map(entry).collect(),
        limit: number(place, "limit_instances", raw.limit_instances.as_ref(), MAX_ITEMS)?.unwrap_or(MAX_ITEMS),
        seeds: seeds(place, raw.seeds.as_ref())?,
        threads,
        jobs: number(place, "jobs", raw.jobs.as_ref(), 256)?,
        methods,
        baseline,
        best_known: raw.best_known.as_ref().map(entry),
        profile: raw.profile.as_ref().map_or_else(|| Ok(Wanted::default()), |raw| profile(place, raw))?,
    })
}

fn profile(place: Place<'_>, raw: &RawProfile) -> Result<Wanted, Failure> {
    type Read = fn(&str) -> Result<f64, String>;
    let list = |name: &str, list: Option<&Spanned<List>>, read: Read| -> Result<Vec<f64>, Failure> {
        let Some(list) = list else { return Ok(Vec::new()) };
        let fail = |message: String| place.fail(&list.span(), format!("`profile.{name}`: {message}"));
        let all = list.get_ref().0.iter().map(|text| read(text).map_err(fail)).collect::<Result<Vec<_>, _>>()?;
        if all.is_empty() || all.len() > MAX_POINTS {
            return Err(fail(format!("{} numbers, expected 1 to {MAX_POINTS}", all.len())));
        }
        Ok(all)
    };
    let gaps = list("gaps", raw.gaps.as_ref(), gap)?;
    let scores = list("scores", raw.scores.as_ref(), units::score)?;
    let sorted = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    };
    Ok(Wanted {
        targets: gaps.into_iter().map(Target::Gap).chain(scores.into_iter().map(Target::Score)).collect(),
        playouts: sorted(list("playouts", raw.playouts.as_ref(), |text| units::count(text).map(|n| n as f64))?),
        seconds: sorted(list("seconds", raw.seconds.as_ref(), |text| units::duration(text).map(|t| t.as_secs_f64()))?),
    })
}

/// Reads a relative gap: `0.05` or `5%`.
fn gap(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number.trim_end(), 100.0));
    let gap = number.parse::<f64>().ok().map(|gap| gap / unit).filter(|gap| (0.0..=1e6).contains(gap));
    gap.ok_or_else(|| format!("expected a gap such as 0.05 or 5%, at least 0, got `{text}`"))
}

fn number(place: Place<'_>, what: &str, value: Option<&Spanned<Text>>, most: usize) -> Result<Option<usize>, Failure> {
    let Some(value) = value else { return Ok(None) };
    let text = &value.get_ref().0;
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    let number = number.ok_or_else(|| {
        place.fail(&value.span(), format!("`{what}`: expected a whole number from 1 to {most}, got `{text}`"))
    })?;
    Ok(Some(number))
}

fn options(
    place: Place<'_>,
    domain: &'static Domain,
    raw: &BTreeMap<String, Spanned<Text>>,
) -> Result<Settings, Failure> {
    let options: Settings = raw.iter().map(|(key, value)| setting(key, value)).collect();
    domain.options_of(&options).map_err(|error| place.wrong(raw, &error, None))?;
    Ok(options)
}

fn setting(key: &str, value: &Spanned<Text>) -> Setting {
    Setting { key: key.to_owned(), value: value.get_ref().0.clone() }
}

fn seeds(place: Place<'_>, raw: Option<&Spanned<List>>) -> Result<Vec<u64>, Failure> {
    let Some(raw) = raw else { return Ok(vec![0]) };
    let fail = |message: String| place.fail(&raw.span(), format!("`seeds`: {message}"));
    let mut seeds = Vec::new();
    for text in &raw.get_ref().0 {
        match range(text) {
            Some(range) => seeds.extend(range.map_err(fail)?),
            None => seeds.push(units::seed(text).map_err(fail)?),
        }
    }
    let mut seen = std::collections::HashSet::new();
    if let Some(twice) = seeds.iter().find(|&&seed| !seen.insert(seed)) {
        return Err(fail(format!("{twice} occurs twice")));
    }
    if seeds.is_empty() || seeds.len() > MAX_ITEMS {
        return Err(fail(format!("{} seeds, expected 1 to {MAX_ITEMS}", seeds.len())));
    }
    Ok(seeds)
}

/// `A..B`, both included; `None`: not meant as a range.
pub(crate) fn range(text: &str) -> Option<Result<std::ops::RangeInclusive<u64>, String>> {
    let (first, last) = text.split_once("..")?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(first) || !digits(last) {
        return None;
    }
    Some(match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last && last - first < MAX_ITEMS as u64 => Ok(first..=last),
        (Ok(first), Ok(last)) if first > last => Err(format!("the range {first}..{last} runs backwards")),
        _ => Err(format!("the range `{text}` is too long, expected at most {MAX_ITEMS} numbers")),
    })
}

fn contenders(
    place: Place<'_>,
    registry: Registry,
    domain: &'static Domain,
    raw: &RawSpec,
    base: &RunSpec,
) -> Result<Vec<Entrant>, Failure> {
    if raw.method.is_empty() || raw.method.len() > MAX_METHODS {
        return Err(Failure::usage(format!(
            "{}: {} methods, expected 1 to {MAX_METHODS} [[method]] tables",
            place.file,
            raw.method.len()
        )));
    }
    let common = raw.budget.as_ref().map(|raw| limits(place, raw)).transpose()?;
    let base = RunSpec { budget: common.unwrap_or_default(), ..base.clone() };
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut methods = Vec::new();
    for method in &raw.method {
        let contender = contender(place, registry, domain, method, &base)?;
        if let Some(line) = lines.insert(contender.label.clone(), contender.line) {
            let message = format!("the method name `{}` is taken by line {line}: give `name`", contender.label);
            return Err(at_line(place.file, contender.line, &message));
        }
        methods.push(contender);
    }
    Ok(methods)
}

fn contender(
    place: Place<'_>,
    registry: Registry,
    domain: &'static Domain,
    spanned: &Spanned<RawMethod>,
    base: &RunSpec,
) -> Result<Entrant, Failure> {
    let raw = spanned.get_ref();
    let mut run = base.clone();
    if let Some(name) = &raw.method {
        let owned = |error| place.fail(&name.span(), registry.with_owners(error));
        domain.find_method(name.get_ref()).map_err(owned)?;
        run.method = Some(name.get_ref().clone());
    }
    let rules = base.rules(domain).map_err(|error| place.fail(&spanned.span(), error))?;
    // As written: what a later setting means may depend on an earlier one.
    let mut pairs: Vec<_> = raw.set.iter().collect();
    pairs.sort_by_key(|(_, value)| value.span().start);
    for (key, value) in pairs {
        let setting = setting(key, value);
        let mut own = Options::new();
        let fail = |message: &dyn fmt::Display| place.fail(&value.span(), message);
        if domain.set_option(&mut own, &setting).map_err(|error| fail(&error))? {
            // Scores under other rules are no comparison.
            let (common, own) = (rules.get(key).map_or("", String::as_str), &setting.value);
            if own != common {
                let message =
                    format!("option `{key}`: the methods of a comparison have the same rules: {common}, not {own}");
                return Err(fail(&format!("{message}; set it under `options` for all")));
            }
            continue;
        }
        run.set.push(setting);
    }
    run.rollout = raw.rollout.as_ref().map(|rollout| rollout.get_ref().clone());
    run.check(domain).map_err(|error| place.wrong(&raw.set, &error, Some(&spanned.span())))?;
    let mut label = run.method.as_deref().unwrap_or("default").to_owned();
    for Setting { key, value } in &run.set {
        label.push_str(&format!(" {key}={value}"));
    }
    if let Some(rollout) = &run.rollout {
        label.push_str(&format!(" {rollout}"));
    }
    if let Some(name) = &raw.name {
        label.clone_from(name.get_ref());
        if label.trim().is_empty() || label.chars().any(char::is_control) || label.chars().count() > 80 {
            return Err(place.fail(&name.span(), "`name`: expected 1 to 80 printable characters"));
        }
    }
    if let Some(own) = &raw.budget {
        run.budget = limits(place, own)?;
    } else if !run.budget.has_end() {
        let example = "expected `budget = { time = \"10s\" }` or the like, for all methods or this one";
        return Err(place.fail(&spanned.span(), format!("`{label}` has no budget: {example}")));
    }
    Ok(Entrant { label, run, line: place.line(&spanned.span()) })
}

/// The limits of a table, which must end a run.
fn limits(place: Place<'_>, spanned: &Spanned<Limits>) -> Result<Limits, Failure> {
    let limits = spanned.get_ref();
    if limits.has_end() {
        return Ok(limits.clone());
    }
    let message = "the budget has no end: expected one or more of `time`, `playouts`, `nodes`, `stall`";
    Err(place.fail(&spanned.span(), message))
}

/// The budget with time, playouts and nodes multiplied by `scale`; none becomes less than 1 ms or 1.
pub(crate) fn scaled(limits: &Limits, scale: f64) -> Limits {
    if scale == 1.0 {
        return limits.clone();
    }
    // The ends of the ranges that limits have.
    let count = |count: u64| (count as f64 * scale).round().clamp(1.0, 1e18) as u64;
    let time = |time: Duration| {
        let millis = (time.as_secs_f64() * scale * 1e3).clamp(1.0, 3.1536e12);
        Duration::from_nanos((millis * 1e6).round().min(1e19) as u64)
    };
    Limits {
        time: limits.time.map(time),
        playouts: limits.playouts.map(count),
        nodes: limits.nodes.map(count),
        ..limits.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = r#"title = "t"
problem = "samegame"
instances = ["a.txt", "random:6x6x3:1..2"]
limit_instances = 3
options = { penalty = "schadd" }
seeds = "1..3"
budget = { time = 10, playouts = 1e6, target = -1.5, stall = "10k", memory = "1GiB" }
[[method]]
method = "nrpa"
set = { level = 2, alpha = 0.5 }
[[method]]
name = "u"
method = "uct"
rollout = "random"
budget = { nodes = 5 }
[compare]
baseline = "u"
[profile]
gaps = [0.5, "5%"]
scores = -3
playouts = [1e3, "10"]
seconds = ["1m"]
"#;

    #[test]
    fn every_key_is_read() {
        let spec = parse("s.toml", SPEC, soloist_problems::registry()).unwrap();
        assert_eq!((spec.title.as_deref(), spec.domain.name, spec.limit, spec.threads), (Some("t"), "samegame", 3, 1));
        assert_eq!(
            (spec.options.get("penalty"), &spec.seeds[..], spec.baseline),
            (Some("schadd"), &[1, 2, 3][..], Some(1))
        );
        let Wanted { targets, playouts, seconds } = spec.profile;
        assert_eq!(targets, [Target::Gap(0.5), Target::Gap(0.05), Target::Score(-3.0)]);
        assert_eq!((playouts, seconds), (vec![10.0, 1000.0], vec![60.0]));
        assert_eq!((spec.instances[1].text.as_str(), spec.instances[1].line), ("random:6x6x3:1..2", 3));
        let [nrpa, uct] = &spec.methods[..] else { panic!("two methods") };
        assert_eq!((nrpa.label.as_str(), uct.label.as_str(), uct.line), ("nrpa level=2 alpha=0.5", "u", 11));
        let all = Limits {
            time: Some(Duration::from_secs(10)),
            playouts: Some(1_000_000),
            nodes: None,
            target: Some(-1.5),
            stall: Some(10_000),
            memory: Some(1 << 30),
            max_moves: None,
        };
        assert_eq!((&nrpa.run.budget, &uct.run.budget), (&all, &Limits { nodes: Some(5), ..Limits::default() }));
        let less = scaled(&all, 0.001);
        assert_eq!((less.time, less.playouts), (Some(Duration::from_millis(10)), Some(1000)));
        assert_eq!((less.target, less.stall, less.memory), (all.target, all.stall, all.memory));
        let many = Limits { playouts: Some(1_000_000_000_000_000_000), ..Limits::default() };
        let ends = (scaled(&uct.run.budget, 1e-6), scaled(&many, 1e6));
        assert_eq!((ends.0.nodes, ends.1.playouts), (Some(1), Some(1_000_000_000_000_000_000)));
    }

    #[test]
    fn damaged_specs_are_refused_in_one_line() {
        let mut refused = 0;
        let mut read = |text: &[u8]| {
            let Ok(text) = std::str::from_utf8(text) else { return };
            if let Err(failure) = parse("s.toml", text, soloist_problems::registry()) {
                refused += 1;
                assert_eq!(failure.code(), 2);
                assert!(
                    failure.message.starts_with("s.toml: ") && !failure.message.contains('\n'),
                    "{}",
                    failure.message
                );
            }
        };
        for at in 0..SPEC.len() {
            read(&SPEC.as_bytes()[..at]);
            for byte in [b'\n', b'"', b'[', b'}', b'=', b'9', b'.', 0] {
                let mut bytes = SPEC.as_bytes().to_vec();
                bytes[at] = byte;
                read(&bytes);
            }
        }
        assert!(refused > SPEC.len(), "{refused}");
    }
}
