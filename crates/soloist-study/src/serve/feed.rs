//! Server-sent events: a log that late visitors read from the beginning, and the latest message of each kind that
//! changes all the time.

use crate::failure::Failure;
use crate::report::draw::Drawer;
use crate::report::page::Body;
use crate::report::read::{Runs, Source};
use crate::report::trial::{Trial, text_of};
use serde_json::{Value, json};
use soloist_domain::{Registry, RunEvent, RunRecord};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most solutions of a run that are kept to be drawn: beyond, every second one of the older ones goes.
const SOLUTIONS: usize = 256;
/// Runs that have ended and are still shown in the panel, where many follow each other.
const ENDED: usize = 16;
/// Most instances of a problem whose best solutions are drawn in the sections.
const DRAWINGS: usize = 20;
/// Least time between two computations of the page's sections.
const PAUSE: Duration = Duration::from_secs(1);
/// How long visitors may take to fetch what they miss when the run is over, and how long a silence means that they have
/// it.
const LINGER: Duration = Duration::from_secs(5);
const SILENCE: Duration = Duration::from_millis(800);

/// What a feed is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One run, which is the page.
    Solve,
    /// Runs that are added to the page when they have ended.
    Bench,
    /// Files that may grow.
    Files,
}

/// The messages about some runs, for any number of visitors.
#[derive(Debug)]
pub struct Feed {
    kind: Kind,
    pub(super) title: String,
    /// Distinguishes this feed from that of another process on the same address.
    session: String,
    /// Where instances are looked for, beside the working directory.
    folder: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
    drawer: Drawer,
}

#[derive(Debug, Default)]
struct State {
    /// The runs of the page's sections.
    runs: Runs,
    /// The runs of the panel.
    panels: BTreeMap<usize, Panel>,
    next: usize,
    ended: VecDeque<usize>,
    log: Vec<Message>,
    /// The latest of each kind for each run.
    latest: BTreeMap<(&'static str, usize), Message>,
    sequence: u64,
    /// The number of the last message before everything was read again.
    restarted: u64,
    visitors: usize,
    /// Whether the sections are older than the runs.
    stale: bool,
    closed: bool,
    last_request: Option<Instant>,
}

/// A message as it goes over the wire.
#[derive(Clone, Debug)]
struct Message {
    sequence: u64,
    run: usize,
    text: Arc<str>,
}

/// A run in the panel.
#[derive(Debug)]
struct Panel {
    trial: Trial,
    improvements: usize,
    /// Solutions to be drawn, by the number of their improvement.
    solutions: Vec<(usize, Option<f64>, Value)>,
}

/// New messages for one visitor.
#[derive(Debug)]
pub(super) struct News {
    pub(super) text: String,
    pub(super) last: u64,
    pub(super) closed: bool,
}

impl Feed {
    /// The feed of one run.
    #[must_use]
    pub fn solve(title: String, registry: Registry) -> Self {
        Self::new(Kind::Solve, title, Path::new(""), Runs::default(), registry)
    }

    /// The feed of a comparison whose instances lie in `folder`.
    #[must_use]
    pub fn bench(title: String, folder: &Path, registry: Registry) -> Self {
        Self::new(Kind::Bench, title, folder, Runs::default(), registry)
    }

    /// The feed of files that were not read yet.
    pub(crate) fn files(title: String, runs: Runs, registry: Registry) -> Self {
        let folder = runs.files.first().and_then(|file| file.parent()).unwrap_or(Path::new("")).to_owned();
        Self::new(Kind::Files, title, &folder, runs, registry)
    }

    fn new(kind: Kind, title: String, folder: &Path, runs: Runs, registry: Registry) -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self {
            kind,
            title,
            session: format!("{:x}-{:x}", since.as_nanos(), std::process::id()),
            folder: folder.to_owned(),
            state: Mutex::new(State { runs, stale: true, ..State::default() }),
            changed: Condvar::new(),
            drawer: Drawer::new(registry),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a run by its `start` event; returns its number.
    pub(crate) fn begin(&self, event: Value) -> Result<usize, String> {
        let mut state = self.state();
        let run = state.next;
        state.next += 1;
        state.begin(run, event)?;
        self.changed.notify_all();
        Ok(run)
    }

    /// Adds a later event of a run.
    pub(crate) fn event(&self, run: usize, event: Value) {
        let mut state = self.state();
        state.event(run, event, self.kind);
        self.changed.notify_all();
    }

    /// Replaces the latest message of the kind `what` about a run.
    pub(crate) fn tell(&self, run: usize, what: &'static str, value: Value) {
        let mut state = self.state();
        state.replace(what, run, value);
        self.changed.notify_all();
    }

    /// Adds the record of a finished run to the page's sections.
    pub(crate) fn record(&self, record: RunRecord) {
        let mut state = self.state();
        if let Ok(trial) = Trial::new(record, 0) {
            state.runs.insert(trial);
            state.stale = true;
        }
        self.changed.notify_all();
    }

    /// Adds the runs of a comparison that a file of records holds already; `jobs` are the keys of the comparison's
    /// runs.
    pub(crate) fn history(&self, file: &Path, jobs: &HashSet<String>) -> Result<(), Failure> {
        let fail = |error: std::io::Error| Failure::runtime(format!("{}: cannot be read: {error}", file.display()));
        for line in BufReader::new(soloist::run::file::open_regular(file).map_err(fail)?).split(b'\n') {
            // What is no record was refused or left alone when the comparison read the file.
            if let Ok(record) = RunRecord::from_line(&line.map_err(fail)?)
                && record.job.as_deref().is_some_and(|job| jobs.contains(job))
            {
                self.record(record);
            }
        }
        Ok(())
    }

    /// Reads what is new in files.
    pub(crate) fn follow(&self, sources: &mut [Source]) -> Result<(), Failure> {
        let mut state = self.state();
        let mut any = false;
        let mut replaced = false;
        for source in &mut *sources {
            replaced |= source.look()?;
        }
        if replaced {
            // The runs of one file may stand in the place of those of another.
            state.restart();
            for source in &mut *sources {
                source.rewind();
                source.look()?;
            }
            any = true;
        }
        for source in &mut *sources {
            let State { runs, .. } = &mut *state;
            let mut events = Vec::new();
            any |= source.follow_with(runs, false, &mut |run, event| events.push((run, event.clone())))?;
            for (run, event) in events {
                if event["event"] == "start" {
                    // A run that continues keeps its place.
                    if !state.panels.contains_key(&run) {
                        let _ = state.begin(run, event);
                    }
                } else {
                    state.event(run, event, self.kind);
                }
            }
        }
        let remarks: Vec<String> = sources.iter().flat_map(Source::remarks).collect();
        if remarks != state.runs.remarks {
            state.replace("notes", usize::MAX, json!({ "notes": remarks }));
            state.runs.remarks = remarks;
            any = true;
        }
        if any {
            state.stale = true;
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Informs visitors that the runs are over, and waits up to five seconds for them to fetch the last events.
    pub fn close(&self) {
        let visitors = self.state().visitors;
        if visitors > 0 {
            self.refresh();
        }
        let mut state = self.state();
        state.closed = true;
        state.append("bye", usize::MAX, &json!({}));
        drop(state);
        self.changed.notify_all();
        let start = Instant::now();
        while visitors > 0 && start.elapsed() < LINGER {
            std::thread::sleep(Duration::from_millis(50));
            let last = self.state().last_request.map_or(start, |last| last.max(start));
            if last.elapsed() > SILENCE {
                break;
            }
        }
    }

    /// Computes the sections again and again while there are visitors; ends when the feed is closed.
    pub(super) fn keep_fresh(&self) {
        loop {
            let mut state = self.state();
            while !state.closed && (!state.stale || state.visitors == 0) {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed {
                return;
            }
            drop(state);
            let start = Instant::now();
            self.refresh();
            // A page of many runs may take a while: nine tenths of the time are for others.
            std::thread::sleep(PAUSE.max(start.elapsed() * 9));
        }
    }

    /// Computes the sections from the runs as they are now.
    fn refresh(&self) {
        let mut state = self.state();
        state.stale = false;
        // The panel of a single run holds all that is known of it.
        if self.kind == Kind::Solve {
            return;
        }
        let mut runs = state.runs.clone();
        drop(state);
        // Without a score there is nothing to show.
        runs.trials.retain(|trial| trial.ending.stop.is_some() || trial.value().is_some());
        if runs.trials.is_empty() {
            return;
        }
        let is_files = self.kind == Kind::Files;
        let body = Body::new(&runs, is_files, if is_files { DRAWINGS } else { 0 }, &self.drawer);
        self.tell(usize::MAX, "body", json!({ "html": body.html, "charts": body.charts }));
    }

    /// The messages after number `after`. Waits for the first one, at most for `patience`.
    pub(super) fn news(&self, after: u64, patience: Duration) -> News {
        let mut state = self.state();
        if state.sequence <= after && !state.closed {
            let waited =
                self.changed.wait_timeout_while(state, patience, |state| state.sequence <= after && !state.closed);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        // What a visitor saw before all files were read again is out of date.
        if (1..state.restarted).contains(&after) {
            let (last, text) = (state.restarted, format!("id: {}\nevent: reset\ndata: {{}}\n\n", state.restarted));
            return News { text, last, closed: state.closed };
        }
        let from = state.log.partition_point(|message| message.sequence <= after);
        let mut messages: Vec<&Message> = state.log[from..].iter().collect();
        messages.extend(state.latest.values().filter(|message| message.sequence > after));
        messages.sort_by_key(|message| message.sequence);
        let text = messages.iter().map(|message| &*message.text).collect();
        News { text, last: state.sequence.max(after), closed: state.closed }
    }

    /// The first message of each connection.
    pub(super) fn hello(&self) -> String {
        let kind = format!("{:?}", self.kind).to_lowercase();
        let hello = json!({ "session": self.session, "kind": kind, "stop": self.can_stop() });
        format!("event: hello\ndata: {hello}\n\n")
    }

    /// Whether visitors may end the runs.
    pub(super) fn can_stop(&self) -> bool {
        self.kind != Kind::Files
    }

    /// Counts a visitor that came (+1) or went (-1).
    pub(super) fn visit(&self, change: isize) {
        let mut state = self.state();
        state.visitors = state.visitors.saturating_add_signed(change);
        self.changed.notify_all();
    }

    /// Notes that a request came.
    pub(super) fn requested(&self) {
        self.state().last_request = Some(Instant::now());
    }

    /// Draws an improvement of a run; `Err`: why not, in one line. `None`: it is not kept.
    pub(super) fn drawing(&self, run: usize, number: usize) -> Option<Result<String, String>> {
        let trial = {
            let state = self.state();
            let panel = state.panels.get(&run)?;
            let (_, score, solution) = panel.solutions.iter().find(|(at, ..)| *at == number)?;
            let mut trial = panel.trial.clone();
            (trial.ending.score, trial.solution, trial.verified) = (*score, text_of(solution), None);
            trial
        };
        Some(self.drawer.draw(&trial, &self.folder).map(|drawing| drawing.svg))
    }
}

impl State {
    /// Forgets all runs, because their files are read again from the start.
    fn restart(&mut self) {
        self.runs.restart();
        self.panels.clear();
        self.ended.clear();
        self.log.clear();
        self.latest.clear();
        self.sequence += 1;
        self.restarted = self.sequence;
        self.stale = true;
    }

    fn begin(&mut self, run: usize, mut event: Value) -> Result<(), String> {
        let trial = crate::report::read::begun(event.clone(), 0)?;
        self.panels.insert(run, Panel { trial, improvements: 0, solutions: Vec::new() });
        self.stale = true;
        event["run"] = run.into();
        self.append("start", run, &event);
        Ok(())
    }

    fn event(&mut self, run: usize, mut event: Value, kind: Kind) {
        let Some(panel) = self.panels.get_mut(&run) else { return };
        let name = event["event"].as_str().unwrap_or_default().to_owned();
        let Ok(read) = RunEvent::from_value(event.clone()) else { return };
        panel.trial.follow(read);
        event["run"] = run.into();
        if let Some(object) = event.as_object_mut() {
            object.remove("event");
        }
        match name.as_str() {
            "improved" => {
                let solution = event.as_object_mut().and_then(|object| object.remove("solution"));
                let number = panel.improvements;
                panel.improvements += 1;
                event["number"] = number.into();
                if let Some(solution) = solution.filter(|solution| !solution.is_null()) {
                    panel.solutions.push((number, event["score"].as_f64(), solution));
                    thin(&mut panel.solutions);
                }
                let kept: Vec<usize> = panel.solutions.iter().map(|(number, ..)| *number).collect();
                self.append("improved", run, &event);
                self.replace("kept", run, json!({ "run": run, "numbers": kept }));
                self.stale = true;
            }
            "progress" => self.replace("progress", run, event),
            "end" => {
                self.latest.remove(&("progress", run));
                self.append("end", run, &event);
                self.stale = true;
                if kind == Kind::Bench {
                    self.ended.push_back(run);
                    while self.ended.len() > ENDED {
                        let gone = self.ended.pop_front().unwrap_or_default();
                        self.panels.remove(&gone);
                        self.log.retain(|message| message.run != gone);
                        self.latest.retain(|(_, run), _| *run != gone);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds a message to the log.
    fn append(&mut self, name: &str, run: usize, value: &Value) {
        let message = self.message(name, run, value);
        self.log.push(message);
    }

    /// Replaces the latest message of its kind.
    fn replace(&mut self, name: &'static str, run: usize, value: Value) {
        let message = self.message(name, run, &value);
        self.latest.insert((name, run), message);
    }

    fn message(&mut self, name: &str, run: usize, value: &Value) -> Message {
        self.sequence += 1;
        let mut text = String::new();
        // Values have no line ends outside of strings, and there they are escaped.
        let _ = write!(text, "id: {}\nevent: {name}\ndata: {value}\n\n", self.sequence);
        Message { sequence: self.sequence, run, text: text.into() }
    }
}

/// Drops every second of the older solutions when there are too many; the first and the latest stay.
fn thin(solutions: &mut Vec<(usize, Option<f64>, Value)>) {
    if solutions.len() <= SOLUTIONS {
        return;
    }
    let (last, mut at) = (solutions.len() - 1, 0);
    solutions.retain(|_| {
        at += 1;
        (at - 1) % 2 == 0 || at - 1 == last
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Value {
        json!({
            "event": "start", "problem": "knapsack", "instance": "random:20x50:1", "sense": "maximize", "method": "nmcs",
            "parameters": {}, "rollout": "random", "seed": 1, "threads": 1, "playouts": 0, "seconds": 0.0,
        })
    }

    fn improved(playouts: u64, score: u64) -> Value {
        let solution = json!({ "items": [] });
        json!({ "event": "improved", "playouts": playouts, "seconds": 0.5, "score": score, "stream": 0, "solution": solution })
    }

    fn names(news: &News) -> Vec<&str> {
        news.text.lines().filter_map(|line| line.strip_prefix("event: ")).collect()
    }

    #[test]
    fn late_visitors_hear_everything_once() {
        let feed = Feed::solve("t".to_owned(), soloist_problems::registry());
        let run = feed.begin(start()).unwrap();
        feed.event(run, improved(1, 5));
        feed.event(run, json!({ "event": "progress", "playouts": 10, "seconds": 1.0, "nodes": 0, "best": 5 }));
        feed.event(run, json!({ "event": "progress", "playouts": 20, "seconds": 2.0, "nodes": 0, "best": 5 }));
        feed.event(run, improved(30, 6));
        let news = feed.news(0, Duration::ZERO);
        // Of progress, and of what is kept, only the latest.
        assert_eq!(names(&news), ["start", "improved", "progress", "improved", "kept"]);
        assert!(
            news.text.contains("\"playouts\":20")
                && !news.text.contains("\"playouts\":10,")
                && !news.text.contains("items")
        );
        assert!(feed.news(news.last, Duration::ZERO).text.is_empty());
        feed.event(run, json!({ "event": "end", "playouts": 40, "seconds": 3.0, "score": 6, "stop": "playouts" }));
        assert_eq!(names(&feed.news(news.last, Duration::ZERO)), ["end"]);
        assert_eq!(names(&feed.news(0, Duration::ZERO)), ["start", "improved", "improved", "kept", "end"]);
    }

    #[test]
    fn closing_wakes_visitors() {
        let feed = Arc::new(Feed::solve("t".to_owned(), soloist_problems::registry()));
        let waiting = Arc::clone(&feed);
        let visitor = std::thread::spawn(move || waiting.news(0, Duration::from_secs(60)));
        feed.close();
        let news = visitor.join().unwrap();
        assert!(news.closed && names(&news) == ["bye"], "{news:?}");
    }

    #[test]
    fn long_histories_are_thinned() {
        let feed = Feed::solve("t".to_owned(), soloist_problems::registry());
        let run = feed.begin(start()).unwrap();
        for at in 0..2000 {
            feed.event(run, improved(at, at));
        }
        let state = feed.state();
        let kept: Vec<usize> = state.panels[&run].solutions.iter().map(|(number, ..)| *number).collect();
        assert!((SOLUTIONS / 2..=SOLUTIONS).contains(&kept.len()), "{kept:?}");
        assert!(kept.is_sorted() && kept[0] == 0 && *kept.last().unwrap() == 1999, "{kept:?}");
    }

    #[test]
    fn ended_runs_of_a_comparison_make_room() {
        let feed = Feed::bench("t".to_owned(), Path::new(""), soloist_problems::registry());
        for _ in 0..40 {
            let run = feed.begin(start()).unwrap();
            feed.event(run, improved(1, 5));
            feed.event(run, json!({ "event": "end", "playouts": 40, "seconds": 3.0, "score": 5, "stop": "playouts" }));
        }
        let news = feed.news(0, Duration::ZERO);
        assert_eq!(names(&news).iter().filter(|name| **name == "end").count(), ENDED);
        assert!(news.text.contains("\"run\":39") && !news.text.contains("\"run\":3}") && feed.drawing(0, 0).is_none());
    }

    #[test]
    fn improvements_are_drawn_when_they_are_asked_for() {
        let feed = Feed::solve("t".to_owned(), soloist_problems::registry());
        let run = feed.begin(start()).unwrap();
        feed.event(run, improved(1, 0));
        feed.event(run, improved(2, 7));
        assert!(feed.drawing(run, 0).unwrap().unwrap().starts_with("<svg"));
        // The solution is worth nothing, whatever the event claims.
        assert!(feed.drawing(run, 1).unwrap().unwrap_err().contains("fails verification"));
        assert!(feed.drawing(run, 2).is_none() && feed.drawing(run + 1, 0).is_none());
    }
}
