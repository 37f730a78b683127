//! From a spec to the runs it asks for: instances found and read, methods settled for each, one job a run.

use super::reference::BestKnown;
use super::spec::{self, Entrant, Entry, MAX_ITEMS, Spec, Wanted, at_line};
use crate::context::cores;
use crate::failure::Failure;
use soloist::{Budget, Sense, Setup};
use soloist_domain::result::VERSION;
use soloist_domain::{AnyInstance, Domain, Options, Registry, RunSpec};
use std::collections::HashSet;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most runs of a spec.
const MAX_JOBS: usize = 1_000_000;

/// A comparison that is ready to run: instances read, methods settled, one job for each run.
pub struct Plan {
    pub(crate) title: Option<String>,
    pub(crate) domain: &'static Domain,
    pub(crate) options: Options,
    pub(crate) sense: Sense,
    pub(crate) load: Load,
    pub(crate) seeds: Vec<u64>,
    pub(crate) methods: Vec<Planned>,
    /// Index of the method that the others are compared with.
    pub(crate) baseline: Option<usize>,
    pub(crate) instances: Vec<Competition>,
    /// Instances of the spec beyond the number that it allows.
    pub(crate) left_out: usize,
    /// Whether the spec names a file of best known scores.
    pub(crate) has_best_known: bool,
    pub(crate) profile: Wanted,
    /// Instance by instance, seed by seed, the methods side by side.
    pub(crate) jobs: Vec<Job>,
    /// The files that the spec names, each with a word for it: instances, best known scores.
    pub(crate) files: Vec<(PathBuf, &'static str)>,
    /// The keys of all runs, of those too that a filter hides.
    pub(crate) keys: HashSet<String>,
}

/// How many cores are busy.
pub(crate) struct Load {
    /// Threads of a run.
    pub(crate) threads: usize,
    /// Runs at a time, where the spec says it.
    at_a_time: Option<usize>,
}

/// A method as tables name it, with its budget.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) label: String,
    pub(crate) budget: Budget,
}

/// An instance with what each method makes of it.
pub(crate) struct Competition {
    /// The name in the spec: with its path from there if it is a file.
    pub(crate) name: String,
    pub(crate) instance: Box<dyn AnyInstance>,
    pub(crate) best_known: Option<f64>,
    /// For each method.
    pub(crate) setups: Vec<Setup>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) instance: usize,
    pub(crate) method: usize,
    /// Index into the seeds.
    pub(crate) seed: usize,
    /// Hash of everything that determines the run.
    pub(crate) key: String,
}

/// Where an instance comes from.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    /// As the spec names it.
    name: String,
    /// What the domain loads.
    load: String,
    /// Whether `load` is a file.
    file: bool,
    line: usize,
}

impl Plan {
    /// Reads a description from a file, with all that it names; `scale` multiplies the budgets.
    ///
    /// # Errors
    /// One line that names the place, for everything that can be wrong with the description or the instances.
    pub fn read(path: &Path, scale: f64, registry: Registry) -> Result<Self, Failure> {
        Self::new(path, spec::read(path, registry)?, scale)
    }

    /// The same for a description that is given as `text`, called `name` in messages; files of instances count from the
    /// folder of `place`.
    ///
    /// # Errors
    /// Same as for [`read`](Self::read).
    pub fn parse(place: &Path, name: &str, text: &str, registry: Registry) -> Result<Self, Failure> {
        Self::new(place, spec::parse(name, text, registry)?, 1.0)
    }

    /// Returns the keys of the runs in their order, by which records name them.
    pub fn job_keys(&self) -> impl Iterator<Item = &str> {
        self.jobs.iter().map(|job| &*job.key)
    }

    /// Returns how many runs are made at a time if `asked` are wanted: `None` leaves it to the description, else to the
    /// number of cores.
    #[must_use]
    pub fn at_a_time(&self, asked: Option<usize>) -> usize {
        asked.or(self.load.at_a_time).unwrap_or_else(|| (cores() / self.load.threads).max(1))
    }

    /// The files that the description names, each with a word for it.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &'static str)> {
        self.files.iter().map(|(path, what)| (path.as_path(), *what))
    }

    /// Reads all instances and settles all methods; everything that can be wrong is found here.
    pub(crate) fn new(path: &Path, spec: Spec, scale: f64) -> Result<Self, Failure> {
        let file = path.display().to_string();
        let folder = path.parent().unwrap_or(Path::new(""));
        let scores = spec.best_known.as_ref().map(|entry| folder.join(&entry.text));
        let best_known = scores.as_deref().map(BestKnown::read).transpose()?;
        let (sources, left_out) = sources(&file, folder, &spec)?;
        let files = sources.iter().chain(&left_out).filter(|source| source.file);
        let files = files.map(|source| (PathBuf::from(&source.load), "an instance"));
        let files = scores.into_iter().map(|path| (path, "the best known scores")).chain(files).collect();
        let count = sources.len().saturating_mul(spec.seeds.len()).saturating_mul(spec.methods.len());
        if count > MAX_JOBS {
            return Err(Failure::usage(format!("{file}: {count} runs, expected at most {MAX_JOBS}")));
        }
        let methods: Vec<_> = spec
            .methods
            .iter()
            .map(|method| Planned {
                label: method.label.clone(),
                budget: spec::scaled(&method.run.budget, scale).exact(),
            })
            .collect();
        let rules = RunSpec { options: spec.options.clone(), ..RunSpec::default() };
        let options = rules.rules(spec.domain).map_err(|error| Failure::usage(format!("{file}: {error}")))?;
        let mut instances = Vec::new();
        let mut jobs = Vec::with_capacity(count);
        for source in sources {
            let instance = spec.domain.open(&source.load, &options).map_err(|error| {
                if source.file {
                    Failure::runtime(error.to_string())
                } else {
                    at_line(&file, source.line, &spec.domain.unopened(&source.load, &error))
                }
            })?;
            let settle = |method: &Entrant| {
                let resolved = method.run.resolve(spec.domain, &*instance);
                resolved.map(|run| run.setup).map_err(|error| at_line(&file, method.line, &error.message))
            };
            let setups = spec.methods.iter().map(settle).collect::<Result<Vec<_>, _>>()?;
            let content = if source.file { fingerprint(&source.load)? } else { instance.content() };
            for (at, &seed) in spec.seeds.iter().enumerate() {
                for (method, setup) in setups.iter().enumerate() {
                    let text = identity(&spec, &options, &source.name, &content, setup, seed, &methods[method].budget);
                    jobs.push(Job { instance: instances.len(), method, seed: at, key: hash(text.as_bytes()) });
                }
            }
            let best_known = best_known.as_ref().and_then(|known| known.of(&source.name));
            instances.push(Competition { name: source.name, instance, best_known, setups });
        }
        if let Some(entry) = spec.best_known.as_ref().filter(|_| instances.iter().all(|at| at.best_known.is_none())) {
            let message = format!("`{}` has a value for none of the instances", entry.text);
            return Err(at_line(&file, entry.line, &message));
        }
        distinct(&file, &spec, &jobs)?;
        let has_best_known = spec.best_known.is_some();
        let Spec { title, domain, seeds, threads, baseline, profile, jobs: spec_jobs, .. } = spec;
        let keys = jobs.iter().map(|job| job.key.clone()).collect();
        let sense = instances[0].instance.sense();
        Ok(Self {
            title,
            domain,
            options,
            sense,
            load: Load { threads, at_a_time: spec_jobs },
            seeds,
            methods,
            baseline,
            instances,
            left_out: left_out.len(),
            has_best_known,
            profile,
            jobs,
            files,
            keys,
        })
    }

    /// Keeps the runs whose method's label or instance's name contains each of `filters`.
    ///
    /// # Errors
    /// No run is left.
    pub fn filter(&mut self, filters: &[String]) -> Result<(), Failure> {
        let Self { jobs, methods, instances, .. } = self;
        jobs.retain(|job| {
            let (label, name) = (&methods[job.method].label, &instances[job.instance].name);
            filters.iter().all(|filter| label.contains(filter) || name.contains(filter))
        });
        if jobs.is_empty() {
            let filters: Vec<_> = filters.iter().map(|filter| format!("`{filter}`")).collect();
            return Err(Failure::usage(format!("no method or instance matches --filter {}", filters.join(", "))));
        }
        Ok(())
    }

    /// Keeps the `part`-th of `parts` parts of the runs, from 1 on. All methods of an instance and a seed are in the
    /// same part, and all parts together have each run once.
    ///
    /// # Errors
    /// No run is left.
    pub fn shard(&mut self, part: usize, parts: usize) -> Result<(), Failure> {
        // The methods of an instance and a seed stay together: their seconds are compared.
        let (all, mut group, mut last) = (self.jobs.len(), 0, None);
        self.jobs.retain(|job| {
            if last.replace((job.instance, job.seed)).is_some_and(|last| last != (job.instance, job.seed)) {
                group += 1;
            }
            group % parts + 1 == part
        });
        if self.jobs.is_empty() {
            return Err(Failure::usage(format!("--shards {part}/{parts}: there are too few of the {all} runs for it")));
        }
        Ok(())
    }

    /// A run in a few words.
    pub(crate) fn describe(&self, job: &Job) -> String {
        let (instance, method) = (&self.instances[job.instance].name, &self.methods[job.method].label);
        format!("{instance}, seed {}, {method}", self.seeds[job.seed])
    }
}

/// Two methods that would run the very same thing are a mistake: their difference is nothing.
fn distinct(file: &str, spec: &Spec, jobs: &[Job]) -> Result<(), Failure> {
    for same in jobs.chunks(spec.methods.len()) {
        for (at, job) in same.iter().enumerate() {
            if let Some(twin) = same[..at].iter().find(|twin| twin.key == job.key) {
                let (first, second) = (&spec.methods[twin.method], &spec.methods[job.method]);
                let message = format!("the methods `{}` and `{}` are the same run", first.label, second.label);
                return Err(at_line(file, second.line, &message));
            }
        }
    }
    Ok(())
}

/// All that determines a run, as text. The release counts, because a later one may search better.
fn identity(
    spec: &Spec,
    options: &Options,
    name: &str,
    content: &str,
    setup: &Setup,
    seed: u64,
    budget: &Budget,
) -> String {
    let mut text = format!("{VERSION:?} {:?} {name:?} {content}", spec.domain.name);
    for (key, value) in options {
        let _ = write!(text, " {key:?}={value:?}");
    }
    // The family, as checkpoints name it; the preset's name says nothing that the parameters do not.
    let family = serde_json::to_value(&setup.method).unwrap_or_default();
    let _ = write!(text, " {:?}", family.as_object().and_then(|family| family.keys().next()));
    for parameter in setup.method.parameters() {
        let _ = write!(text, " {}={:?}", parameter.name, parameter.value);
    }
    if setup.proof > 0.0 {
        let _ = write!(text, " proof={}", setup.proof);
    }
    let Budget { time, playouts, nodes, target, stall, memory, max_moves } = budget;
    let target = target.map(f64::to_bits);
    let _ = write!(text, " {:?} {seed} {}", setup.rollout.as_deref().unwrap_or_default(), setup.threads);
    let _ =
        write!(text, " {:?} {playouts:?} {nodes:?} {target:?} {stall:?} {memory}", time.map(|time| time.as_nanos()));
    if *max_moves != Budget::MAX_MOVES {
        let _ = write!(text, " max_moves={max_moves}");
    }
    text
}

/// FNV-1a of 128 bits, in hexadecimal: the same in every release and on every machine.
///
/// # References
/// G. Fowler, L. C. Noll, K.-P. Vo and D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm", Internet draft, 2019.
fn hash(bytes: &[u8]) -> String {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
    let hash = bytes.iter().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}

/// Most bytes of an instance's file.
const MAX_INSTANCE: u64 = 1 << 30;

/// Hash of a file's content: another file of the same name is another instance.
fn fingerprint(path: &str) -> Result<String, Failure> {
    let read = soloist::run::file::open_regular(Path::new(path)).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(MAX_INSTANCE + 1).read_to_end(&mut bytes).map(|_| bytes)
    });
    match read {
        Ok(bytes) if bytes.len() as u64 > MAX_INSTANCE => {
            Err(Failure::runtime(format!("{path}: larger than 1 GiB, not an instance")))
        }
        Ok(bytes) => Ok(hash(&bytes)),
        Err(error) => Err(Failure::runtime(format!("{path}: cannot be read: {error}"))),
    }
}

/// The names of the instances that some arguments of a command stand for, each once. `what` names the arguments in
/// messages; files count from the working folder.
pub(crate) fn names(what: &str, arguments: &[String]) -> Result<Vec<String>, Failure> {
    let entries: Vec<_> = arguments.iter().map(|text| Entry { text: text.clone(), line: 0 }).collect();
    Ok(each(what, Path::new(""), &entries)?.into_iter().map(|source| source.name).collect())
}

/// The instances that the spec names, each once, at most as many as it allows, and those beyond.
fn sources(file: &str, folder: &Path, spec: &Spec) -> Result<(Vec<Source>, Vec<Source>), Failure> {
    let mut sources = each(file, folder, &spec.instances)?;
    let left_out = sources.split_off(spec.limit.min(sources.len()));
    Ok((sources, left_out))
}

fn each(file: &str, folder: &Path, entries: &[Entry]) -> Result<Vec<Source>, Failure> {
    let mut sources: Vec<Source> = Vec::new();
    let mut seen = HashSet::new();
    for entry in entries {
        for source in expand(file, folder, entry)? {
            if seen.insert(source.name.clone()) {
                sources.push(source);
            }
        }
        if sources.len() > MAX_ITEMS {
            return Err(at_line(file, entry.line, &format!("more than {MAX_ITEMS} instances")));
        }
    }
    Ok(sources)
}

/// What one entry stands for: a file, the files of a pattern, a spec, or the specs of a range of seeds.
fn expand(file: &str, folder: &Path, entry: &Entry) -> Result<Vec<Source>, Failure> {
    let (text, line) = (entry.text.as_str(), entry.line);
    if text.trim().is_empty() {
        return Err(at_line(file, line, "an instance without a name"));
    }
    let path = folder.join(text);
    let shown = |path: PathBuf| {
        let text = path.into_os_string().into_string();
        text.map_err(|name| at_line(file, line, &format!("{}: the name is not Unicode", name.display())))
    };
    let real = |name: String, path: PathBuf| Ok(Source { name, load: shown(path)?, file: true, line });
    if path.is_file() {
        return Ok(vec![real(text.to_owned(), path)?]);
    }
    if text.contains(['*', '?']) {
        let (parent, pattern) = text.rsplit_once('/').map_or(("", text), |(parent, pattern)| (parent, pattern));
        let parent = if parent.is_empty() && text.starts_with('/') { "/" } else { parent };
        if parent.contains(['*', '?']) {
            return Err(at_line(file, line, &format!("`{text}`: `*` and `?` may stand in the last part only")));
        }
        let names = matching(&folder.join(parent), pattern)?;
        if names.is_empty() {
            return Err(at_line(file, line, &format!("no file matches `{text}`")));
        }
        let prefix = text.strip_suffix(pattern).unwrap_or_default();
        return names.into_iter().map(|name| real(format!("{prefix}{name}"), folder.join(parent).join(name))).collect();
    }
    // A file of this name elsewhere is not meant: paths count from the spec.
    let single = |name: String| {
        let path = folder.join(&name);
        let file = !name.contains(':') && (name.contains(['/', '\\', '.']) || Path::new(&name).exists());
        if file || path.is_file() {
            return real(name, path);
        }
        Ok(Source { load: name.clone(), name, file: false, line })
    };
    let digits = text.rsplit_once("..").map(|(front, _)| front.trim_end_matches(|c: char| c.is_ascii_digit()));
    if let Some(front) = digits
        && let Some(range) = spec::range(&text[front.len()..])
    {
        let range = range.map_err(|message| at_line(file, line, &format!("`{text}`: {message}")))?;
        return range.map(|seed| single(format!("{front}{seed}"))).collect();
    }
    Ok(vec![single(text.to_owned())?])
}

/// Names of the files in `folder` that match, sorted as people count: s2 before s10.
fn matching(folder: &Path, pattern: &str) -> Result<Vec<String>, Failure> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let fail = |error: &std::io::Error| Failure::runtime(format!("{}: cannot be read: {error}", folder.display()));
    let pattern: Vec<char> = pattern.chars().collect();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| fail(&error))? {
        let entry = entry.map_err(|error| fail(&error))?;
        // Hidden files and names that are not Unicode are no instances.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let hidden = name.starts_with('.') && pattern.first() != Some(&'.');
        if !hidden && matches(&pattern, &name.chars().collect::<Vec<_>>()) && entry.path().is_file() {
            names.push(name);
        }
    }
    names.sort_by_cached_key(|name| natural(name));
    Ok(names)
}

/// Whether `name` matches `pattern`: `*` stands for any text, `?` for one character. O(pattern x name).
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    // The last star, and how far the name had been matched there.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match &mut star {
                Some((at, from)) => {
                    *from += 1;
                    (p, n) = (*at + 1, *from);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// A key that sorts numbers by value: text and numbers in turn, the name itself to break ties.
fn natural(name: &str) -> (Vec<(String, usize, String)>, String) {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let (text, tail) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
        let (number, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len()));
        let digits = number.trim_start_matches('0');
        parts.push((text.to_owned(), digits.len(), digits.to_owned()));
        rest = tail;
    }
    (parts, name.to_owned())
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes = (self.instances.len(), self.seeds.len(), self.methods.len(), self.jobs.len());
        f.debug_tuple("Plan").field(&self.domain.name).field(&sizes).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let fits = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        for (pattern, name) in
            [("*", ""), ("*", "a"), ("s*.txt", "s.txt"), ("a*b*c", "aXbbXc"), ("?é", "xé"), ("**", "x")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("", "a"), ("s*.txt", "s.tx"), ("?", ""), ("a*b", "abc"), ("??", "a")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn names_in_the_order_of_their_numbers() {
        let mut names = ["s10", "s2", "s2b", "S1", "s02", "s", "s99999999999999999999999999"];
        names.sort_by_cached_key(|name| natural(name));
        assert_eq!(names, ["S1", "s", "s02", "s2", "s2b", "s10", "s99999999999999999999999999"]);
    }

    #[test]
    fn hashes_are_the_published_ones() {
        // FNV-1a 128 of nothing and of "a", from the reference's test vectors.
        assert_eq!(hash(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(hash(b"a"), "d228cb696f1a8caf78912b704e4a8964");
    }

    #[test]
    fn ranges_are_expanded() {
        let names = |text: &str| {
            let entry = Entry { text: text.to_owned(), line: 1 };
            expand("x.toml", Path::new("/nonexistent"), &entry)
                .map(|all| all.into_iter().map(|s| s.name).collect::<Vec<_>>())
        };
        assert_eq!(names("random:6x6x3:9..11").unwrap(), ["random:6x6x3:9", "random:6x6x3:10", "random:6x6x3:11"]);
        assert_eq!(names("d8k2").unwrap(), ["d8k2"]);
        assert_eq!(names("random:6x6x3:3..2").unwrap_err().code(), 2);
        assert_eq!(names("random:6x6x3:0..99999999").unwrap_err().code(), 2);
        assert_eq!(names("*/x*.txt").unwrap_err().code(), 2);
        assert_eq!(names("x*.txt").unwrap_err().code(), 1, "the folder cannot be read");
        let path =
            expand("x.toml", Path::new("/nonexistent"), &Entry { text: "../a.txt".to_owned(), line: 1 }).unwrap();
        let range =
            expand("x.toml", Path::new("/nonexistent"), &Entry { text: "b/s1..2".to_owned(), line: 1 }).unwrap();
        assert!(range.iter().all(|source| source.file && source.load.starts_with("/nonexistent")), "{range:?}");
        assert!(path[0].file && path[0].name == "../a.txt" && path[0].load.ends_with("nonexistent/../a.txt"));
    }
}
