//! What every [`Instance`] gets: the seam's untyped functions, in terms of its own types.

use crate::domain::MoveOf;
use crate::{
    AnyInstance, AnyObserver, AnySession, Checked, Instance, Observed, Parts, Report, Request, SolutionReport,
};
use serde::Deserialize;
use serde_json::Value;
use soloist::check::Explanation;
use soloist::problem::stable_hash;
use soloist::rollout::RolloutInfo;
use soloist::run::{
    CheckpointError, Control, Improvement, Observer, OfferError, Progress, RunInfo, SavedRun, Session, Solution,
    SolveError, StopReason,
};
use soloist::{Budget, Outcome, Problem, Rng, Score, Sense, Setup, Solver};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The solver of a request, and what its result needs.
fn solver<'a, I: Instance>(instance: &'a I, request: Request<'a>) -> Result<Solver<'a, I::Problem>, SolveError> {
    let is_default = request.setup.is_none();
    let setup = settled(instance, request.setup);
    let seed = setup.seed;
    let budget = if is_default { ending(&setup, request.budget) } else { request.budget };
    let mut solver = Solver::new(instance.problem(), setup).budget(budget).keep(request.keep.max(1));
    if let Some(plan) = request.plan {
        solver = solver.plan(plan);
    }
    let prefix = request.prefix.as_ref().map(typed::<I>).transpose()?.unwrap_or_default();
    for moves in &request.start {
        let mut moves = typed::<I>(moves)?;
        if prefix.starts_with(&moves) {
            moves.clone_from(&prefix);
        }
        solver = solver.offer(&finished(instance.problem(), moves, seed));
    }
    solver = solver.prefix(&prefix);
    if let Some((path, every)) = request.checkpoint {
        solver = solver.checkpoint(path, every);
    }
    if let Some(stop) = request.stop {
        solver = solver.stop_flag(stop);
    }
    if let Some(bytes) = request.resume {
        solver = solver.resume(&bytes)?;
    }
    Ok(solver)
}

/// The setup asked for, or the default one, with a rollout.
fn settled<I: Instance>(instance: &I, setup: Option<Setup>) -> Setup {
    let setup = setup.unwrap_or_else(|| instance.default_setup());
    if setup.rollout.is_some() {
        return setup;
    }
    let rollout = instance.rollout_for(&setup);
    setup.rollout(rollout)
}

/// More nodes than any run makes.
const MOST_NODES: u64 = 1 << 59;

/// Returns the budget of a default method. It suits its instance, so that an exact one ends without a limit that ends
/// it: it has the nodes that it takes.
pub(crate) fn ending(setup: &Setup, budget: Budget) -> Budget {
    let nodes = budget.nodes.or_else(|| setup.check_limits(&budget).is_err().then_some(MOST_NODES));
    Budget { nodes, ..budget }
}

/// Moves that [`AnyInstance::start_from`] returned.
fn typed<I: Instance>(moves: &Value) -> Result<Vec<MoveOf<I>>, OfferError> {
    Deserialize::deserialize(moves).map_err(|_| OfferError::Illegal(0))
}

/// Moves, or the number of the first one that is not legal, with a message.
type Listed<I> = Result<Vec<MoveOf<I>>, (usize, String)>;

/// Reads moves without a solution: a list, or an object with `moves`, as results show them. They may end before the
/// solution is finished, which a domain's own format does not provide for. `None`: it is something else.
///
/// # Errors
/// The first move that is not legal, counted from 0, and a message.
fn listed<I: Instance>(instance: &I, text: &str) -> Option<Listed<I>> {
    let shown = shown(text)?;
    let problem = instance.problem();
    let (mut state, mut legal, mut moves) = (problem.root(), Vec::new(), Vec::new());
    problem.moves(&state, &mut legal);
    let mut first: Vec<u64> = legal.iter().map(stable_hash).collect();
    soloist::order::sort(&mut first);
    for (at, shown) in shown.iter().enumerate() {
        legal.clear();
        problem.moves(&state, &mut legal);
        // Some problems show a move by what was played before it: alone it can only be shown if it is legal at first.
        let is_first = |mv: &MoveOf<I>| first.binary_search_by_key(&stable_hash(mv), |&hash| hash).is_ok();
        let alone = legal.iter().find(|&&mv| is_first(&mv) && is_shown(&instance.moves(&[mv]), 0, shown));
        let behind = || {
            legal.iter().find(|&&mv| {
                let mut played = moves.clone();
                played.push(mv);
                is_shown(&instance.moves(&played), at, shown)
            })
        };
        let Some(&mv) = alone.or_else(behind) else {
            return Some(Err((at, format!("move {at}, {shown}, is not legal"))));
        };
        problem.apply(&mut state, mv);
        moves.push(mv);
    }
    Some(Ok(moves))
}

/// Whether the move at a place is shown so. A function, so that the comparison is not compiled again for each problem.
fn is_shown(moves: &Value, at: usize, shown: &Value) -> bool {
    moves.get(at) == Some(shown)
}

/// The moves that a text lists as results show them, without a solution.
fn shown(text: &str) -> Option<Vec<Value>> {
    match serde_json::from_str(text).ok()? {
        Value::Array(moves) => Some(moves),
        Value::Object(mut object) if !object.contains_key("solution") => match object.remove("moves")? {
            Value::Array(moves) => Some(moves),
            _ => None,
        },
        _ => None,
    }
}

/// A solution to start from; one that is only begun is finished by random moves. Where a move is not legal, the run
/// says which.
fn finished<P: Problem>(problem: &P, mut moves: Vec<P::Move>, seed: u64) -> Vec<P::Move> {
    let (mut state, mut legal, mut rng) = (problem.root(), Vec::new(), Rng::new(seed));
    for at in 0..=Budget::MAX_MOVES as usize {
        legal.clear();
        problem.moves(&state, &mut legal);
        let mv = match moves.get(at) {
            Some(&given) if legal.contains(&given) => given,
            Some(_) => break,
            None if legal.is_empty() => break,
            None => {
                let drawn = legal[rng.index(legal.len())];
                moves.push(drawn);
                drawn
            }
        };
        problem.apply(&mut state, mv);
    }
    moves
}

/// The most moves of a solution that are looked for among the legal ones of each state.
const MOST_LISTED: usize = 2_000;

/// Plays moves from the root on. Returns the score of the solution that they make.
///
/// # Errors
/// One line: the first that is not legal, or that more are possible behind them.
fn played<P: Problem>(problem: &P, moves: &[P::Move]) -> Result<Score, String> {
    let (mut state, mut legal) = (problem.root(), Vec::new());
    for (at, &mv) in moves.iter().enumerate() {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(format!("move {at} is not legal"));
        }
        problem.apply(&mut state, mv);
    }
    legal.clear();
    problem.moves(&state, &mut legal);
    if legal.is_empty() {
        Ok(problem.score(&state))
    } else {
        Err("the solution is not finished behind them".to_owned())
    }
}

/// A solution in terms that need no types.
fn answer<I: Instance>(instance: &I, solution: Solution<MoveOf<I>>) -> SolutionReport {
    let parts = Parts::from(solution.parts(instance.problem()));
    let Solution { score, moves } = solution;
    SolutionReport { score, moves: instance.moves(&moves), solution: instance.solution(&moves), parts }
}

fn report<I: Instance>(instance: &I, setup: Setup, outcome: Outcome<MoveOf<I>>) -> Report {
    let Outcome {
        kept,
        prefix,
        bound,
        optimal,
        infeasible,
        stop,
        counters,
        tree,
        elapsed,
        unsaved,
        history,
        remarks,
        ..
    } = outcome;
    let mut answers: Vec<SolutionReport> = Vec::new();
    for solution in kept {
        add_different(&mut answers, answer(instance, solution));
    }
    let run = RunInfo { setup, counters, elapsed };
    let mut all = instance.remarks();
    all.extend_from_slice(&remarks);
    if let (true, Some(score)) = (optimal, best_value(&answers))
        && let Some(open) = instance.proof_remark(score)
    {
        all.push(open);
    }
    Report { run, answers, prefix, tree, bound, optimal, infeasible, stop, unsaved, history, remarks: all }
}

/// Different sequences of moves may make the same solution.
fn add_different(answers: &mut Vec<SolutionReport>, answer: SolutionReport) {
    if answers.iter().all(|known| known.solution != answer.solution) {
        answers.push(answer);
    }
}

fn best_value(answers: &[SolutionReport]) -> Option<f64> {
    answers.first()?.score.value()
}

impl<I: Instance> AnyInstance for I {
    fn name(&self) -> &str {
        Instance::name(self)
    }

    fn describe(&self) -> String {
        Instance::describe(self)
    }

    fn content(&self) -> String {
        Instance::content(self)
    }

    fn unexplained(&self) -> Option<String> {
        Instance::unexplained(self)
    }

    fn remarks(&self) -> Vec<String> {
        Instance::remarks(self)
    }

    fn prepare(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Option<String>, String> {
        Instance::prepare(self, go_on)
    }

    fn sense(&self) -> Sense {
        self.problem().sense()
    }

    fn bound(&self) -> Option<f64> {
        self.problem().bound(&self.problem().root())
    }

    fn pair(&self, score: f64) -> Option<(f64, f64)> {
        Instance::pair(self, score)
    }

    fn is_complete(&self) -> bool {
        self.problem().facts().is_complete
    }

    fn default_setup(&self) -> Setup {
        settled(self, None)
    }

    fn rollout_for(&self, setup: &Setup) -> String {
        Instance::rollout_for(self, setup)
    }

    fn rollouts(&self) -> Vec<RolloutInfo> {
        soloist::rollout::rollout_infos(self.problem())
    }

    fn has_rollout(&self, name: &str) -> bool {
        soloist::rollout::find_rollout(self.problem(), name).is_ok()
    }

    fn read_header(&self, checkpoint: &[u8]) -> Result<RunInfo, CheckpointError> {
        RunInfo::read(self.problem(), checkpoint)
    }

    fn read_checkpoint(&self, checkpoint: &[u8]) -> Result<SavedRun, CheckpointError> {
        SavedRun::read(self.problem(), checkpoint)
    }

    fn start_from(&self, text: &str) -> Result<Value, String> {
        let moves = Instance::start_from(self, text).or_else(|error| match listed(self, text) {
            Some(Ok(moves)) => Ok(moves),
            // Where not even the first move fits, the text is meant to be something else.
            Some(Err((at, message))) if at > 0 => Err(message),
            _ => Err(error),
        })?;
        serde_json::to_value(moves).map_err(|error| error.to_string())
    }

    fn prefix_from(&self, text: &str) -> Result<Value, String> {
        let moves = match listed(self, text) {
            Some(Ok(moves)) => moves,
            // An object whose first move does not fit is meant to be something else.
            Some(Err((at, message))) if at > 0 || text.trim_start().starts_with('[') => {
                Instance::read_prefix(self, text).map_err(|error| format!("{message} (read as a solution: {error})"))?
            }
            _ => Instance::read_prefix(self, text)?,
        };
        serde_json::to_value(moves).map_err(|error| error.to_string())
    }

    fn solve(&self, request: Request<'_>, observer: &mut dyn AnyObserver) -> Result<Report, SolveError> {
        let interval = request.interval;
        let mut adapter = Adapter { instance: self, observer };
        let solver = solver(self, request)?.observer(&mut adapter, interval);
        let setup = solver.setup().clone();
        Ok(report(self, setup, solver.run()?))
    }

    fn start(&self, request: Request<'_>) -> Result<Box<dyn AnySession + '_>, SolveError> {
        let request = Request { stop: None, checkpoint: None, ..request };
        Ok(Box::new(Running { instance: self, session: solver(self, request)?.start()? }))
    }

    fn explain(
        &self,
        prefix: Option<&Value>,
        time: Duration,
        seed: u64,
        stop: Option<&AtomicBool>,
    ) -> Result<Explanation, SolveError> {
        let Some(prefix) = prefix else { return soloist::check::explain(self.problem(), time, seed, stop) };
        let moves = typed::<I>(prefix)?;
        let name = |step: usize, mv| format!("move {step}: {}", serde_json::to_value(mv).unwrap_or_default());
        soloist::check::explain_decisions(self.problem(), &moves, &name, time, seed, stop)
    }

    fn constraints(&self) -> usize {
        self.problem().extras().explain().map_or(0, |explain| explain.constraints().len())
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        Instance::check(self, text)
    }

    fn replay(&self, moves: &Value) -> Result<Option<SolutionReport>, String> {
        if !self.shows_moves() {
            return Ok(None);
        }
        let played = match self.moves_from(moves) {
            Some(read) => played(self.problem(), &read).map(|score| (read, score)),
            None => Err(String::new()),
        };
        match played {
            Ok((played, score)) if self.moves(&played) == *moves => {
                Ok(Some(answer(self, Solution { score, moves: played })))
            }
            failed if moves.as_array().is_none_or(|moves| moves.len() > MOST_LISTED) => match failed {
                Err(error) if !error.is_empty() => Err(error),
                _ => Ok(None),
            },
            // What is shown of a move depends on those before it.
            _ => {
                let read = match listed(self, &moves.to_string()) {
                    Some(read) => read.map_err(|(_, message)| message)?,
                    None => return Ok(None),
                };
                let score = self::played(self.problem(), &read)?;
                Ok(Some(answer(self, Solution { score, moves: read })))
            }
        }
    }

    fn brief(&self, score: Score, solution: &dyn Fn() -> Value) -> Option<String> {
        Instance::brief(self, score, solution)
    }

    fn text(&self, solution: &Value) -> String {
        Instance::text(self, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        Instance::svg(self, solution)
    }

    fn published(&self, solution: &Value) -> Option<String> {
        Instance::published(self, solution)
    }
}

/// A session and the instance that it works on.
struct Running<'a, I: Instance> {
    instance: &'a I,
    session: Session<'a, I::Problem>,
}

impl<I: Instance> AnySession for Running<'_, I> {
    fn advance(
        &mut self,
        slice: &Budget,
        stop: Option<&AtomicBool>,
        observer: &mut dyn AnyObserver,
    ) -> Result<StopReason, SolveError> {
        let mut adapter = Adapter { instance: self.instance, observer };
        self.session.advance_with(slice, Control { observer: Some(&mut adapter), stop, ..Control::default() })
    }

    fn offer(&mut self, moves: &Value) -> Result<Score, SolveError> {
        self.session.offer(&typed::<I>(moves)?)
    }

    fn save(&self) -> Vec<u8> {
        self.session.save()
    }

    fn report(&self) -> Report {
        report(self.instance, self.session.setup().clone(), self.session.outcome())
    }
}

/// Hands the engine's events on, with moves turned into solutions on demand.
struct Adapter<'a, I> {
    instance: &'a I,
    observer: &'a mut dyn AnyObserver,
}

impl<I: Instance> Observer<MoveOf<I>> for Adapter<'_, I> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<MoveOf<I>>, progress: &Progress) {
        let solution = || self.instance.solution(&solution.moves);
        self.observer.on(Observed::Improved { improvement, progress, solution: &solution });
    }

    fn progress(&mut self, progress: &Progress) {
        self.observer.on(Observed::Progress(progress));
    }

    fn unsaved(&mut self, error: &CheckpointError) {
        self.observer.on(Observed::Unsaved(error));
    }

    fn wants_insight(&self) -> bool {
        self.observer.wants_insight()
    }

    fn scores(&mut self, scores: &[f64]) {
        self.observer.on(Observed::Scores(scores));
    }

    fn gauges(&mut self, gauges: &[(&'static str, f64)]) {
        self.observer.on(Observed::Gauges(gauges));
    }
}
