//! A Golomb ruler of 11 marks: all distances differ, the last mark (72 at best) is near.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Key, Prior};
use soloist::{Problem, Rng, Score, Sense};

const MARKS: usize = 11;
const LONGEST: u32 = 127;

pub(crate) struct Golomb;

/// Marks and distances, as bits.
#[derive(Clone)]
pub(crate) struct Ruler {
    marks: u128,
    distances: u128,
}

impl Ruler {
    fn last(&self) -> u32 {
        self.marks.ilog2()
    }
    fn left(&self) -> u32 {
        MARKS as u32 - self.marks.count_ones()
    }
    /// The distances from a new mark to the others.
    fn new_distances(&self, mark: u32) -> u128 {
        // Mark m becomes distance `mark` - m: the reverse of the bits, shifted.
        self.marks.reverse_bits() >> (127 - mark)
    }
}

impl Instance for Golomb {
    fn instance() -> Self {
        Self
    }
}

impl Problem for Golomb {
    type State = Ruler;
    /// The next mark.
    type Move = u8;

    fn root(&self) -> Ruler {
        Ruler { marks: 1, distances: 0 }
    }
    fn moves(&self, ruler: &Ruler, moves: &mut Vec<u8>) {
        if ruler.left() > 0 {
            let fits = |mark: &u32| ruler.new_distances(*mark) & ruler.distances == 0;
            moves.extend((ruler.last() + 1..=LONGEST).filter(fits).map(|mark| mark as u8));
        }
    }
    fn apply(&self, ruler: &mut Ruler, mark: u8) {
        ruler.distances |= ruler.new_distances(mark.into());
        ruler.marks |= 1 << mark;
    }
    fn score(&self, ruler: &Ruler) -> Score {
        match ruler.left() {
            0 => Score::Feasible(ruler.last().into()),
            left => Score::Infeasible(left.into()),
        }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// The steps that are left are different distances that are not there yet.
    fn bound(&self, ruler: &Ruler) -> Option<f64> {
        let free = (1..=LONGEST).filter(|distance| ruler.distances >> distance & 1 == 0);
        Some((ruler.last() + free.take(ruler.left() as usize).sum::<u32>()).into())
    }
    fn potential(&self, ruler: &Ruler) -> Option<f64> {
        Some(-f64::from(ruler.last()))
    }
    fn key(&self, ruler: &Ruler) -> Option<Key> {
        Some(Key::of(&ruler.marks))
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Golomb> for Golomb {
    /// Short steps.
    fn bias(&self, ruler: &Ruler, mark: u8) -> f64 {
        -0.2 * f64::from(u32::from(mark) - ruler.last())
    }
}

impl Golomb {
    /// Depth-first search with the bound.
    fn deepen(&self, ruler: &Ruler, line: &mut Vec<u8>, best: &mut Vec<u8>, clock: &Clock) {
        let most = best.last().map_or(LONGEST, |&last| u32::from(last) - 1);
        if ruler.left() == 0 && ruler.last() <= most {
            best.clone_from(line);
        }
        if !best.is_empty() && clock.is_over() || self.bound(ruler) > Some(most.into()) {
            return;
        }
        let mut moves = Vec::new();
        self.moves(ruler, &mut moves);
        for mark in moves {
            let mut next = ruler.clone();
            self.apply(&mut next, mark);
            line.push(mark);
            self.deepen(&next, line, best, clock);
            line.pop();
        }
    }
}

impl ByHand for Golomb {
    /// Branch and bound, near marks first.
    fn hand(&self, clock: &Clock, _: &mut Rng) -> Vec<u8> {
        let mut best = Vec::new();
        self.deepen(&self.root(), &mut Vec::new(), &mut best, clock);
        best
    }
}
