//! The problems, in alphabetical order.
//!
//! Five of them had shown faults when the bench was made (bandwidth, orienteering, roster, stamps, tardiness). They are
//! for design, and so is about every second one of the others. A new problem goes to the smaller half; none ever
//! changes its half.

mod assembly_line;
mod bandwidth;
mod chain;
mod colouring;
mod covering;
mod cutting;
mod dominating;
mod features;
mod golfers;
mod golomb;
mod linear_arrangement;
mod lot_sizing;
mod median;
mod orienteering;
mod passes;
mod peg;
mod puzzle;
mod qubits;
mod qubo;
mod roster;
mod stamps;
mod superpermutation;
mod tardiness;
mod timetable;
mod tournament;

use crate::bench::Entry;
use crate::bench::Half::{Design, Held};

pub(crate) const PROBLEMS: &[Entry] = &[
    Entry::of::<assembly_line::Line>("assembly-line", Held),
    Entry::of::<bandwidth::Graph>("bandwidth", Design),
    Entry::of::<chain::Chain>("chain", Design),
    Entry::of::<colouring::Graph>("colouring", Held),
    Entry::of::<covering::Design>("covering", Design),
    Entry::of::<cutting::Stock>("cutting", Held),
    Entry::of::<dominating::Graph>("dominating", Design),
    Entry::of::<features::Data>("features", Held),
    Entry::of::<golfers::Golfers>("golfers", Design),
    Entry::of::<golomb::Golomb>("golomb", Held),
    Entry::of::<linear_arrangement::Graph>("linear-arrangement", Design),
    Entry::of::<lot_sizing::Lots>("lot-sizing", Held),
    Entry::of::<median::Median>("median", Design),
    Entry::of::<orienteering::Day>("orienteering", Design),
    Entry::of::<passes::Passes<1>>("passes-1ms", Held),
    Entry::of::<passes::Passes<200>>("passes-200ms", Held),
    Entry::of::<passes::Passes<20>>("passes-20ms", Design),
    Entry::of::<peg::Pegs>("peg", Held),
    Entry::of::<puzzle::Puzzle>("puzzle", Design),
    Entry::of::<qubits::Circuit>("qubits", Held),
    Entry::of::<qubo::Qubo>("qubo", Design),
    Entry::of::<roster::Roster>("roster", Design),
    Entry::of_two::<stamps::Slots, stamps::Corners>("stamps", Design),
    Entry::of::<superpermutation::Texts>("superpermutation", Held),
    Entry::of::<tardiness::Jobs>("tardiness", Design),
    Entry::of::<timetable::Exams>("timetable", Design),
    Entry::of::<tournament::League>("tournament", Held),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Run;

    #[test]
    fn names_are_in_order() {
        assert!(PROBLEMS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn problems_keep_their_promises() {
        for problem in PROBLEMS {
            (problem.check)().unwrap_or_else(|violation| panic!("{}: {violation}", problem.name));
        }
    }

    /// Solutions by hand are played move by move, and are no worse than what a random game gives.
    #[test]
    fn solutions_by_hand_are_legal() {
        let run = |method, seconds| Run { method, seconds, playouts: None, seed: 1 };
        for problem in PROBLEMS {
            let hand = (problem.hand)(&run("hand", 0.05)).score.unwrap();
            let random = (problem.full)(&run("sampling", 0.0)).unwrap().score;
            let is_level = random.is_none_or(|random| (problem.sense)().at_least(hand, random));
            assert!(is_level, "{}: {hand} by hand, {random:?} at random", problem.name);
        }
    }
}
