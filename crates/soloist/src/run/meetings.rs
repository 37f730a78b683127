//! Meetings of the streams of a run: at counted times all of them take over the best solution, and work on the best of
//! what they work on.
//!
//! Synchronous parallel annealing works like this (D. Janaki Ram, T. H. Sreenivas and K. Ganapathy Subramaniam,
//! "Parallel simulated annealing algorithms", Journal of Parallel and Distributed Computing 37, 1996, pages 207-212),
//! and so do the islands of nested rollout policy adaptation (A. Nagorko, "Parallel nested rollout policy adaptation",
//! CoG 2019). When a stream waits depends on its playouts alone, so that a run does not depend on the schedule of its
//! threads.

use super::outcome::Solution;
use super::stream::Stream;
use crate::erased::MoveId;
use crate::search::replay_legal;

/// Between two meetings a stream makes this part of its playouts so far, and as many at least.
const PART: u64 = 8;
const LEAST: u64 = 32;

/// Returns the playouts of a stream at the meeting after one at these: an eighth more. So there are some six in the
/// time in which a run doubles, however long it is, and little is lost while the quicker ones wait.
pub(super) fn next_meeting(playouts: u64) -> u64 {
    playouts.saturating_add((playouts / PART).max(LEAST))
}

/// What a meeting is about.
pub(super) struct Talk {
    /// The best solution of the run.
    best: Option<Solution<MoveId>>,
    /// The best one that a search works on: annealing has others in each of its runs.
    work: Option<Solution<MoveId>>,
}

impl Talk {
    /// Returns what the streams that are due have to say. Of equals the first one's counts.
    pub(super) fn of(streams: &[Stream<'_>], best: Option<&Solution<MoveId>>) -> Self {
        let sense = streams[0].problem.sense();
        let work = streams.iter().filter(|stream| stream.is_due()).filter_map(|stream| stream.search.gift());
        let work = work.reduce(|a, b| if sense.better(b.0, a.0) { b } else { a });
        let work = work.map(|(score, moves)| Solution { score, moves: moves.to_vec() });
        Self { best: best.cloned(), work }
    }
}

impl Stream<'_> {
    /// Whether it has come to the next meeting. A step that a limit has divided is continued first, as in a run without
    /// that limit.
    pub(super) fn is_due(&self) -> bool {
        // Asked after every step: the cheapest condition, which nearly always fails, comes first.
        self.meeting.is_some_and(|meeting| self.playouts() >= meeting)
            && self.end.is_none()
            && !self.search.is_divided()
            && self.proof.as_ref().is_none_or(|proof| !proof.is_divided())
    }

    /// Takes what the streams have found and work on, and plans the next meeting.
    pub(super) fn meet(&mut self, talk: &Talk) {
        let sense = self.problem.sense();
        if let Some(best) = talk.best.as_ref().filter(|best| self.tally.is_improved_by(best.score))
            && let Ok((state, _)) = replay_legal(&*self.problem, &best.moves)
        {
            let identity = self.problem.solution_key(&state, &best.moves).id();
            self.tally.keep(best.clone(), identity);
        }
        let own = self.search.gift().map(|(score, _)| score);
        if let Some(work) = talk.work.as_ref().filter(|work| own.is_some_and(|own| sense.better(work.score, own))) {
            let (search, mut context) = self.parts();
            search.meet(&mut context, work);
        }
        self.meeting = Some(next_meeting(self.playouts()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::parameter::ParameterError;
    use crate::doc::Staircase;
    use crate::erased::problem::ProblemRef;
    use crate::erased::source::Source;
    use crate::run::observer::Silent;
    use crate::run::running::{INTERVAL, Running, Watching};
    use crate::{Budget, Score, Setup};

    #[test]
    fn meetings_follow_playouts() {
        assert_eq!([0, 32, 256, 800].map(next_meeting), [32, 64, 288, 900]);
        assert_eq!(next_meeting(u64::MAX), u64::MAX);
    }

    /// The best scores of the streams, and of what they work on, after so many playouts each.
    fn scores(setup: Setup, playouts: u64) -> Vec<(Score, Option<Score>)> {
        let stairs = Staircase(40);
        let source = Source::new(ProblemRef::borrowed(&stairs));
        let budget = Budget::playouts(playouts * setup.threads as u64);
        let mut run = Running::new(&source, setup, &budget, 1).unwrap();
        let watching = Watching { observer: &mut Silent, interval: INTERVAL, stop: None };
        run.advance(&source, &budget, watching).unwrap();
        let streams = run.drive.streams.iter();
        streams
            .map(|stream| (stream.tally.best.as_ref().unwrap().score, stream.search.gift().map(|own| own.0)))
            .collect()
    }

    #[test]
    fn streams_that_have_met_work_on_the_same_solution() -> Result<(), ParameterError> {
        let mut nrpa = Setup::named("nrpa").threads(3).seed(2);
        nrpa.set("level", "2")?;
        let mut anneal = Setup::named("anneal").threads(3).seed(2);
        anneal.set("steps", "5000")?;
        for setup in [nrpa, anneal] {
            // Between two meetings they differ.
            let apart = scores(setup.clone(), 63);
            assert!(apart.iter().any(|own| own.0 != apart[0].0), "{apart:?}");
            // At the end of a budget nobody meets.
            let met = scores(setup.clone(), 65);
            assert!(met.iter().all(|own| own.0 == met[0].0), "{met:?}");
            // Nobody works on anything while annealing measures differences, and annealing takes it up in a step.
            assert!(met.iter().all(|own| own.1.is_some() == met[0].1.is_some()), "{met:?}");
        }
        Ok(())
    }
}
