//! Replays of edited solutions: entries that name decisions are played again in states where moves may differ.

use crate::erased::{MoveCodec, MoveId};
use crate::problem::{Found, Problem};

/// The most entries that wait; the oldest one is given up for a further one.
const PATIENCE: usize = 64;

/// A decision of a solution: its move, and what names the decision in other states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mv: MoveId,
    /// The [identity](crate::problem::Ordering::identity) of the move where it was played, or its
    /// [code](Problem::code).
    pub(crate) name: u64,
}

/// A replay in progress: what was played, and what is to be played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replay {
    /// Whether names are identities, which `find` looks up; otherwise they are codes.
    pub(crate) by_identity: bool,
    /// Entries that have been played so far.
    pub(crate) played: Vec<Entry>,
    /// Entries in the order in which they are to be played; those before `head` were taken.
    pub(crate) plan: Vec<Entry>,
    pub(crate) head: usize,
    /// Entries that could not be played when they were due; each is tried again before the next entry.
    pub(crate) waiting: Vec<Entry>,
    pub(crate) codes: Vec<u64>,
    /// Whether the replay is stuck as soon as an entry cannot be played in its turn (codes only).
    pub(crate) is_strict: bool,
}

/// Why a replay has paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// As many entries were played as asked for.
    Reached,
    /// No entry of the plan can be played.
    Stuck,
    /// The state has no moves.
    Finished,
}

impl Replay {
    /// Begins a replay behind entries that are not listed here: `plan` is to be filled.
    pub(crate) fn clear(&mut self) {
        self.played.clear();
        self.plan.clear();
        self.head = 0;
        self.waiting.clear();
        self.is_strict = false;
    }

    /// Whether every entry of the plan so far was played in its turn.
    pub(crate) fn is_in_step(&self) -> bool {
        self.waiting.is_empty() && self.head == self.played.len()
    }
}

/// Plays entries from `state` on until `until` were played, none can be, or the state is finished.
///
/// With identities an entry is played when `find` names a move for it, and waits otherwise. With codes the first entry
/// is played that is a legal move with its code there, or else a legal move with the same code, or else the same move;
/// all entries that cannot be played wait in the plan.
pub(crate) fn follow<P: Problem>(
    problem: &P,
    packing: &MoveCodec<P::Move>,
    legal: &mut Vec<P::Move>,
    state: &mut P::State,
    replay: &mut Replay,
    until: usize,
) -> Pause {
    let Some(ordering) = problem.ordering().filter(|_| replay.by_identity) else {
        return follow_codes(problem, packing, legal, state, replay, until);
    };
    while replay.played.len() < until {
        let mut at = 0;
        let mut next = None;
        while let Some(entry) = replay.waiting.get(at) {
            match ordering.find(state, entry.name) {
                Found::Blocked => at += 1,
                Found::Gone => drop(replay.waiting.remove(at)),
                Found::Move(mv) => {
                    next = Some((mv, replay.waiting.remove(at).name));
                    break;
                }
            }
        }
        if next.is_none() {
            let Some(&entry) = replay.plan.get(replay.head) else { return Pause::Stuck };
            replay.head += 1;
            match ordering.find(state, entry.name) {
                Found::Move(mv) => next = Some((mv, entry.name)),
                Found::Blocked => {
                    if replay.waiting.len() == PATIENCE {
                        replay.waiting.remove(0);
                    }
                    replay.waiting.push(entry);
                }
                Found::Gone => {}
            }
        }
        if let Some((mv, name)) = next {
            problem.apply(state, mv);
            replay.played.push(Entry { mv: packing.pack(mv), name });
        }
    }
    Pause::Reached
}

fn follow_codes<P: Problem>(
    problem: &P,
    packing: &MoveCodec<P::Move>,
    legal: &mut Vec<P::Move>,
    state: &mut P::State,
    replay: &mut Replay,
    until: usize,
) -> Pause {
    while replay.played.len() < until {
        legal.clear();
        problem.moves(state, legal);
        if legal.is_empty() {
            return Pause::Finished;
        }
        replay.codes.clear();
        let Replay { plan, head, codes, .. } = replay;
        let most = if replay.is_strict { 1 } else { usize::MAX };
        let found = plan.iter().enumerate().skip(*head).take(most).find_map(|(at, &entry)| {
            let same = packing.known(entry.mv);
            let is_legal = legal.contains(&same);
            if is_legal && problem.code(state, same) == entry.name {
                return Some((at, same, entry.name));
            }
            if codes.is_empty() {
                codes.extend(legal.iter().map(|&mv| problem.code(state, mv)));
            }
            match codes.iter().position(|&code| code == entry.name) {
                Some(place) => Some((at, legal[place], entry.name)),
                None => is_legal.then(|| (at, same, problem.code(state, same))),
            }
        });
        let Some((at, mv, name)) = found else { return Pause::Stuck };
        if at == *head {
            *head += 1;
        } else {
            plan.remove(at);
        }
        problem.apply(state, mv);
        replay.played.push(Entry { mv: packing.pack(mv), name });
    }
    Pause::Reached
}
