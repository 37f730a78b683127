//! What a problem of the bench is, and how one is run.

use crate::four::Four;
use crate::hand::Clock;
use soloist::{Budget, Problem, Rng, Score, Sense, Setup, Solver};
use std::time::Duration;

/// A problem with one fixed instance.
pub(crate) trait Instance: Problem + Sized {
    /// Returns the instance, the same for ever.
    fn instance() -> Self;

    /// Returns the instance for other programs, as a literal of Python. Empty where there is no peer.
    fn data(&self) -> String {
        String::new()
    }
}

/// A problem that a user can also solve without the library.
pub(crate) trait ByHand: Instance {
    /// Returns the moves of a solution that is found in a limited time by a program of at most 40 lines. They are
    /// played through the problem, so that its score is the problem's own.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<Self::Move>;
}

/// What is run: a method, for so many seconds.
pub(crate) struct Run<'a> {
    pub(crate) method: &'a str,
    pub(crate) seconds: f64,
    /// Playouts of all threads together, in place of the seconds.
    pub(crate) playouts: Option<u64>,
    pub(crate) seed: u64,
}

/// What came out.
pub(crate) struct Row {
    pub(crate) score: Option<Score>,
    playouts: u64,
    stop: String,
    remarks: Vec<String>,
}

/// What a problem is there for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Half {
    /// Looked at while methods are made.
    Design,
    /// Looked at for final tables alone.
    Held,
}

/// An entry of the table of problems.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) half: Half,
    pub(crate) sense: fn() -> Sense,
    pub(crate) data: fn() -> String,
    pub(crate) four: fn(&Run<'_>) -> Result<Row, String>,
    pub(crate) full: fn(&Run<'_>) -> Result<Row, String>,
    pub(crate) hand: fn(&Run<'_>) -> Row,
    /// Checks the promises of both variants.
    #[cfg(test)]
    pub(crate) check: fn() -> Result<Vec<String>, String>,
}

impl Entry {
    /// The problem `P` with all functions and with four of them.
    pub(crate) const fn of<P: ByHand>(name: &'static str, half: Half) -> Self {
        Self::of_two::<P, P>(name, half)
    }

    /// Two models of one problem: with four functions people write `A`, with more of them `B`.
    pub(crate) const fn of_two<A: Instance, B: ByHand>(name: &'static str, half: Half) -> Self {
        Self {
            name,
            half,
            sense: || B::instance().sense(),
            data: || B::instance().data(),
            four: |run| search(&Four(&A::instance()), run),
            full: |run| search(&B::instance(), run),
            hand: by_hand::<B>,
            #[cfg(test)]
            check: || {
                let four = soloist::check(&Four(&A::instance()), 5, 1).map_err(|violation| violation.to_string());
                four.and(soloist::check(&B::instance(), 5, 1).map_err(|violation| violation.to_string()))
            },
        }
    }
}

/// Reads a method as the entries of `auto` are written: a preset, and settings in parentheses if any.
fn setup(text: &str) -> Result<Setup, String> {
    let (name, settings) = match text.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')').ok_or("`(` without `)` at the end")?),
        None => (text, ""),
    };
    let mut setup = Setup::preset(name).map_err(|error| error.to_string())?;
    for setting in settings.split_whitespace() {
        let (key, value) = setting.split_once('=').ok_or_else(|| format!("`{setting}` is no key=value"))?;
        match key {
            "rollout" => setup = setup.rollout(value),
            "threads" => setup.threads = value.parse().map_err(|_| format!("`{setting}` is no number of threads"))?,
            _ => setup.set(key, value).map_err(|error| error.to_string())?,
        }
    }
    Ok(setup)
}

fn search<P: Problem>(problem: &P, run: &Run<'_>) -> Result<Row, String> {
    let time = || Budget::time(Duration::from_secs_f64(run.seconds));
    let budget = run.playouts.map_or_else(time, Budget::playouts);
    let solver = Solver::new(problem, setup(run.method)?.seed(run.seed)).budget(budget);
    let outcome = solver.run().map_err(|error| error.to_string())?;
    Ok(Row {
        score: outcome.best.map(|best| best.score),
        playouts: outcome.counters.playouts,
        stop: if outcome.optimal { "optimal".into() } else { outcome.stop.to_string() },
        remarks: outcome.remarks,
    })
}

fn by_hand<P: ByHand>(run: &Run<'_>) -> Row {
    let problem = P::instance();
    let moves = problem.hand(&Clock::new(run.seconds), &mut Rng::new(run.seed));
    Row { score: Some(play(&problem, &moves)), playouts: 0, stop: "time".into(), remarks: Vec::new() }
}

/// Returns the score of a game.
///
/// # Panics
/// When a move is not legal, or the game is not over after the last one.
pub(crate) fn play<P: Problem>(problem: &P, line: &[P::Move]) -> Score {
    let (mut state, mut moves) = (problem.root(), Vec::new());
    for (at, &mv) in line.iter().enumerate() {
        moves.clear();
        problem.moves(&state, &mut moves);
        assert!(moves.contains(&mv), "move {at}, {mv:?}, is not legal");
        problem.apply(&mut state, mv);
    }
    moves.clear();
    problem.moves(&state, &mut moves);
    assert!(moves.is_empty(), "the game is not over after {} moves", line.len());
    problem.score(&state)
}

impl Row {
    /// Returns the row as the members of a JSON object. An infeasible score is `null`, with its degree beside it.
    pub(crate) fn json(&self, run: &Run<'_>) -> String {
        let show = |number: Option<f64>| number.map_or("null".to_owned(), |number| number.to_string());
        let score = show(self.score.and_then(Score::value));
        let violation = show(self.score.and_then(Score::violation));
        let Self { playouts, stop, remarks, .. } = self;
        let (Run { method, seed, .. }, cpu) = (run, processor_seconds().map_or("null".to_owned(), |s| s.to_string()));
        format!(
            "\"method\":{method:?},\"seed\":{seed},\"score\":{score},\"violation\":{violation},\"cpu\":{cpu},\
             \"playouts\":{playouts},\"stop\":{stop:?},\"remarks\":{remarks:?}"
        )
    }
}

/// Returns the processor seconds of this process so far, in steps of 10 ms. `None` where the system does not say.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, is the second field; user and system time are fields 14 and 15.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
