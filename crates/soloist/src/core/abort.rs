//! What ends a step from inside: a limit that is long over, or a game without end.
//!
//! Between two steps a run looks at its limits itself. A step that takes long is ended by a flag, the *cut*. A thread
//! raises it some time after the deadline or the first signal; playouts and loops look at it every few moves.

use crate::core::user_error::Fault;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::thread::{Builder, Thread};
use std::time::{Duration, Instant};

/// Moves of a game, or items of a list, between two looks at the cut. A move of a large problem takes a millisecond.
pub(crate) const EVERY: usize = 8;

/// What a raised cut asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Rollouts that work long end early, with a finished solution.
    Shorten = 1,
    /// Steps are abandoned where they are: the search cannot continue.
    Abandon = 2,
}

/// A step was abandoned.
const ABANDONED: u8 = 1;
/// A playout was ended early.
const SHORTENED: u8 = 2;
/// A game has had more moves than allowed.
const ENDLESS: u8 = 4;
/// The record of a playout has taken more memory than allowed.
const FULL: u8 = 8;

/// The cut of a run as one of its streams sees it, and what the stream has made of it.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// What all streams are asked for; 0: nothing. Raised whenever a mark is set.
    word: Arc<AtomicU8>,
    marks: Arc<AtomicU8>,
    /// The moves of the longest game that was left in an abandoned step.
    left: Arc<AtomicU64>,
    most: usize,
    record: Arc<Record>,
    /// Where the problem reports errors.
    fault: Option<Fault>,
}

/// What the record of a playout may take, in bytes, and what one has taken that was too large.
#[derive(Debug)]
struct Record {
    allowed: AtomicU64,
    /// How many times as much the search has.
    shares: AtomicU64,
    /// What the search would have needed at least, and what it had.
    needed: AtomicU64,
    had: AtomicU64,
}

impl Default for Record {
    fn default() -> Self {
        let [shares, needed, had] = [1, 0, 0].map(AtomicU64::new);
        Self { allowed: AtomicU64::new(u64::MAX), shares, needed, had }
    }
}

impl Watch {
    /// The most moves of a game unless a budget says otherwise.
    pub(crate) const MOST: usize = 1_000_000;

    /// Returns a view of a cut that nothing raises, outside of a run.
    pub(crate) fn outside() -> Self {
        Self::new(&Arc::default(), Self::MOST as u64, None)
    }

    /// Returns the view of one more stream with the cut `word`, whose games have at most `most` moves. The problem
    /// reports errors in `fault`.
    pub(crate) fn new(word: &Arc<AtomicU8>, most: u64, fault: Option<Fault>) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self {
            word: Arc::clone(word),
            marks: Arc::default(),
            left: Arc::default(),
            most,
            record: Arc::default(),
            fault,
        }
    }

    /// Whether nothing counts that the present step finds: the problem has reported an error, or the step is abandoned.
    pub(crate) fn has_failed(&self) -> bool {
        let Some(fault) = self.fault.as_ref().filter(|fault| fault.is_raised()) else { return self.is_void() };
        if fault.is_abandoned() {
            self.abandon();
        }
        true
    }

    /// Allows the record of a playout this part of `memory` bytes, 1 in `shares`.
    pub(crate) fn allow(&self, memory: u64, shares: u64) {
        self.record.allowed.store(memory / shares.max(1), Ordering::Relaxed);
        self.record.shares.store(shares, Ordering::Relaxed);
    }

    /// Whether a playout has to be given up because its record of `bytes` so far is too large.
    #[inline]
    pub(crate) fn overflows(&self, bytes: usize) -> bool {
        let allowed = self.record.allowed.load(Ordering::Relaxed);
        let full = bytes as u64 > allowed;
        if full {
            self.overflow_by(bytes as u64, allowed);
        }
        full
    }

    #[cold]
    fn overflow_by(&self, bytes: u64, allowed: u64) {
        let shares = self.record.shares.load(Ordering::Relaxed);
        self.record.needed.store(bytes.saturating_mul(shares), Ordering::Relaxed);
        self.record.had.store(allowed.saturating_mul(shares), Ordering::Relaxed);
        self.mark(FULL);
    }

    /// Returns the bytes that a search needs at least because of the record of a playout, and those that it has.
    /// `None`: no playout was given up for its record.
    pub(crate) fn overflow(&self) -> Option<(u64, u64)> {
        let Record { needed, had, .. } = &*self.record;
        self.has(FULL).then(|| (needed.load(Ordering::Relaxed), had.load(Ordering::Relaxed)))
    }

    /// Forgets that the record of a playout was too large, or a game too long: nothing of that step is used.
    pub(crate) fn forgive(&self) {
        self.marks.fetch_and(!(FULL | ENDLESS), Ordering::Relaxed);
    }

    /// Whether anything is asked for, or a game has had too many moves.
    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.word.load(Ordering::Relaxed) != 0 || self.has(ENDLESS)
    }

    /// Whether a rollout that works long has to end early with a finished solution. Notes that it was asked.
    pub(crate) fn shortens(&self) -> bool {
        let raised = self.word.load(Ordering::Relaxed) != 0;
        if raised {
            self.mark(SHORTENED);
        }
        raised
    }

    /// Whether the step has to be abandoned. Notes that it was.
    #[inline]
    pub(crate) fn abandons(&self) -> bool {
        self.is_raised() && self.is_abandoning()
    }

    #[cold]
    fn is_abandoning(&self) -> bool {
        let asked = self.word.load(Ordering::Relaxed) >= Demand::Abandon as u8;
        if asked {
            self.mark(ABANDONED);
        }
        asked || self.has(ENDLESS)
    }

    /// Whether a game of `moves` moves so far has to be given up: the step is abandoned, or the game has had too many.
    pub(crate) fn gives_up(&self, moves: usize) -> bool {
        // A game of just as many moves may be over.
        if moves > self.most {
            // The step of this stream alone ends.
            self.mark(ENDLESS);
            return true;
        }
        let abandons = self.abandons();
        if abandons {
            self.left.fetch_max(moves as u64, Ordering::Relaxed);
        }
        abandons
    }

    /// The moves of the longest game that an abandoned step has left; 0: it has left none.
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Notes that user code has returned early, as the run had asked it to.
    pub(crate) fn abandon(&self) {
        self.word.fetch_max(Demand::Abandon as u8, Ordering::Relaxed);
        self.mark(ABANDONED);
    }

    /// As [`gives_up`](Self::gives_up), for a game that a run may not watch.
    pub(crate) fn ends(watch: Option<&Self>, moves: usize) -> bool {
        watch.map_or(moves > Self::MOST, |watch| watch.gives_up(moves))
    }

    /// Whether a game of `moves` moves that the run only looks at is to be left: as [`ends`](Self::ends), but a game
    /// that is too long does not end the run.
    pub(crate) fn leaves(watch: Option<&Self>, moves: usize) -> bool {
        watch.map_or(moves > Self::MOST, |watch| moves > watch.most || watch.abandons())
    }

    fn mark(&self, mark: u8) {
        self.marks.fetch_or(mark, Ordering::Relaxed);
    }

    fn has(&self, mark: u8) -> bool {
        self.marks.load(Ordering::Relaxed) & mark != 0
    }

    /// Whether what the present step has found does not count.
    #[inline]
    pub(crate) fn is_void(&self) -> bool {
        self.has(ABANDONED | ENDLESS | FULL)
    }

    /// Whether a step was abandoned, so that the search cannot continue.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.has(ABANDONED)
    }

    /// Whether a playout was ended early.
    pub(crate) fn is_shortened(&self) -> bool {
        self.has(SHORTENED)
    }

    /// The most moves of a game, if one has had them without an end.
    pub(crate) fn endless(&self) -> Option<u64> {
        self.has(ENDLESS).then_some(self.most as u64)
    }
}

/// When the cut is raised, and what it asks for.
pub(crate) struct Alarm<'a> {
    pub(crate) demand: Demand,
    pub(crate) deadline: Option<Instant>,
    /// Becomes true at the first signal.
    pub(crate) stop: Option<&'a AtomicBool>,
    /// When the run began, the parts before a resume taken as if they had just ended.
    pub(crate) begin: Option<Instant>,
    /// Where user code is asked to return at once.
    pub(crate) fault: Option<Fault>,
}

/// How often the flag of the first signal is looked at.
const GLANCE: Duration = Duration::from_millis(50);
/// Time that a step may take beyond a limit: this, or a part of the time so far.
const GRACE: Duration = Duration::from_millis(250);
const GRACE_PART: u32 = 20;

impl Alarm<'_> {
    /// Returns when the cut is raised after a limit at `limit`.
    fn due(&self, limit: Instant) -> Option<Instant> {
        let elapsed = self.begin.map_or(Duration::ZERO, |begin| limit.saturating_duration_since(begin));
        limit.checked_add(GRACE.max(elapsed / GRACE_PART))
    }

    /// Raises the cut when it is due, unless `done` comes first.
    fn watch(&self, word: &AtomicU8, done: &AtomicBool) {
        let mut due = self.deadline.and_then(|deadline| self.due(deadline));
        let mut stop = self.stop;
        let mut is_patient = true;
        while !done.load(Ordering::Acquire) {
            let now = Instant::now();
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                due = self.due(now).into_iter().chain(due).min();
                stop = None;
            }
            // A machine that slept has not given the step its time either.
            if let Some(late) = due.filter(|&due| is_patient && now >= due + GLANCE) {
                is_patient = false;
                due = Some(late.max(now + GLANCE));
            }
            if due.is_some_and(|due| now >= due) {
                word.fetch_max(self.demand as u8, Ordering::Relaxed);
                if let Some(fault) = &self.fault {
                    fault.abandon();
                }
                return;
            }
            let left = due.map(|due| due - now);
            match left.into_iter().chain(stop.map(|_| GLANCE)).min() {
                Some(time) => std::thread::park_timeout(time),
                None => return,
            }
        }
    }
}

/// Ends the watch, also when the work panics.
struct Done<'a> {
    done: &'a AtomicBool,
    thread: Thread,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Does `work` while a thread raises the cut when it is due. Returns false beside the result if that thread cannot be
/// started: limits then hold between steps alone.
pub(crate) fn watched<T>(word: &AtomicU8, alarm: &Alarm<'_>, work: impl FnOnce() -> T) -> (T, bool) {
    word.store(0, Ordering::Relaxed);
    if alarm.deadline.is_none() && alarm.stop.is_none() {
        return (work(), true);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = || alarm.watch(word, &done);
        match Builder::new().name("limits".to_owned()).spawn_scoped(scope, watch) {
            Ok(handle) => {
                let _done = Done { done: &done, thread: handle.thread().clone() };
                (work(), true)
            }
            Err(_) => (work(), false),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_what_is_asked_for() {
        let word = Arc::default();
        let (one, other) = (Watch::new(&word, 10, None), Watch::new(&word, 10, None));
        assert!(!one.gives_up(9) && !one.shortens() && !one.is_void());
        word.store(Demand::Shorten as u8, Ordering::Relaxed);
        assert!(!one.gives_up(9) && one.shortens() && one.is_shortened() && !one.is_void());
        word.store(Demand::Abandon as u8, Ordering::Relaxed);
        assert!(one.abandons() && one.is_void() && one.is_abandoned());
        // A record that is too large concerns one stream alone.
        let third = Watch::new(&word, 10, None);
        assert!(!third.overflows(1 << 40) && third.overflow().is_none());
        third.allow(2_000, 2);
        assert!(!third.overflows(1_000) && !third.is_void());
        assert!(third.overflows(1_001) && third.is_void() && third.overflow() == Some((2_002, 2_000)));
        third.forgive();
        assert!(!third.is_void() && third.overflow().is_none());
        // Another stream may have finished its step.
        assert!(!other.is_void() && !other.is_abandoned() && other.endless().is_none());
        assert!(other.gives_up(11) && other.endless() == Some(10));
    }

    /// No assertion on times: the work ends because the cut is raised.
    #[test]
    fn the_cut_is_raised_after_a_deadline_or_a_signal() {
        let word = AtomicU8::new(2);
        let stop = AtomicBool::new(true);
        let deadline = Some(Instant::now());
        for (deadline, stop, demand) in [(deadline, None, Demand::Shorten), (None, Some(&stop), Demand::Abandon)] {
            let alarm = Alarm { demand, deadline, stop, begin: None, fault: None };
            let (seen, is_watched) = watched(&word, &alarm, || {
                while word.load(Ordering::Relaxed) == 0 {
                    std::thread::yield_now();
                }
                word.load(Ordering::Relaxed)
            });
            assert!(is_watched);
            assert_eq!(seen, demand as u8);
        }
        // Without limits there is no thread, and the word is reset.
        let alarm = Alarm { demand: Demand::Abandon, deadline: None, stop: None, begin: None, fault: None };
        assert_eq!(watched(&word, &alarm, || word.load(Ordering::Relaxed)), (0, true));
    }
}
