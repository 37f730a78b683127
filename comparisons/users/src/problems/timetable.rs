//! A timetable: 50 exams in 12 slots, no student in two at once, few in two slots that follow each other.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, accepts};
use soloist::problem::{Exchange, Exchanges, Neighborhood, Prior};
use soloist::{Problem, Rng, Score, Sense};

const EXAMS: usize = 50;
const SLOTS: u8 = 12;

/// How many students have two exams in common.
pub(crate) struct Exams(Vec<[u32; EXAMS]>);

/// The slots of the exams so far, in the order of their numbers.
type Slots = Vec<u8>;

impl Instance for Exams {
    /// 150 students with four exams each, mostly of their own year; exams with many others come first.
    fn instance() -> Self {
        let mut rng = Rng::new(50);
        let mut shared = vec![[0; EXAMS]; EXAMS];
        for student in 0..150 {
            let mut exam = || if rng.chance(0.7) { (student % 5) * 10 + rng.index(10) } else { rng.index(EXAMS) };
            let exams: [usize; 4] = std::array::from_fn(|_| exam());
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (exams[a], exams[b]))).filter(|(a, b)| a != b) {
                shared[a][b] += 1;
            }
        }
        let mut order: Vec<usize> = (0..EXAMS).collect();
        order.sort_by_key(|&exam| std::cmp::Reverse(shared[exam].iter().filter(|&&count| count > 0).count()));
        Self(order.iter().map(|&a| std::array::from_fn(|b| shared[a][order[b]])).collect())
    }
}

impl Exams {
    fn clashes(&self, slots: &[u8], exam: usize, slot: u8) -> bool {
        (0..slots.len()).any(|other| other != exam && slots[other] == slot && self.0[exam][other] > 0)
    }
    /// Students with an exam directly before or after this one.
    fn strain(&self, slots: &[u8], exam: usize, slot: u8) -> u32 {
        let near = (0..slots.len()).filter(|&other| other != exam && slots[other].abs_diff(slot) == 1);
        near.map(|other| self.0[exam][other]).sum()
    }
    fn total(&self, slots: &[u8]) -> u32 {
        (0..slots.len()).map(|exam| self.strain(&slots[..exam], exam, slots[exam])).sum()
    }
}

impl Problem for Exams {
    type State = Slots;
    /// The slot of the next exam.
    type Move = u8;

    fn root(&self) -> Slots {
        Vec::new()
    }
    fn moves(&self, slots: &Slots, moves: &mut Vec<u8>) {
        if slots.len() < EXAMS {
            moves.extend((0..SLOTS).filter(|&slot| !self.clashes(slots, slots.len(), slot)));
        }
    }
    fn apply(&self, slots: &mut Slots, slot: u8) {
        slots.push(slot);
    }
    fn score(&self, slots: &Slots) -> Score {
        match EXAMS - slots.len() {
            0 => Score::Feasible(self.total(slots).into()),
            left => Score::Infeasible(left as f64),
        }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, slots: &Slots, slot: u8) -> u64 {
        slots.len() as u64 * u64::from(SLOTS) + u64::from(slot)
    }
    fn bound(&self, slots: &Slots) -> Option<f64> {
        Some(self.total(slots).into())
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Prior<Exams> for Exams {
    fn bias(&self, slots: &Slots, slot: u8) -> f64 {
        -0.2 * f64::from(self.strain(slots, slots.len(), slot))
    }
}

impl Exchange for Exams {
    fn difference(&self, end: &Slots, exam: usize, old: Option<u8>, new: Option<u8>) -> Option<f64> {
        let (old, new) = (old?, new?);
        let change = f64::from(self.strain(end, exam, new)) - f64::from(self.strain(end, exam, old));
        (!self.clashes(end, exam, new)).then_some(change)
    }
    fn apply_exchange(&self, end: &mut Slots, exam: usize, _: Option<u8>, new: Option<u8>) -> bool {
        end[exam] = new.unwrap_or(0);
        new.is_some()
    }
}

impl ByHand for Exams {
    /// Annealing from a random timetable: an exam changes its slot; a clash costs 20.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let mut slots: Slots = (0..EXAMS).map(|_| rng.below(SLOTS.into()) as u8).collect();
        let mut best = None;
        let cost = |slots: &Slots, exam: usize, slot: u8| {
            let same = (0..EXAMS).filter(|&other| other != exam && slots[other] == slot);
            let clashes = same.filter(|&other| self.0[exam][other] > 0).count() as f64;
            20.0 * clashes + f64::from(self.strain(slots, exam, slot))
        };
        let is_legal = |slots: &Slots| (0..EXAMS).all(|exam| !self.clashes(slots, exam, slots[exam]));
        clock.cool((20.0, 0.3), |temperature| {
            let (exam, slot) = (rng.index(EXAMS), rng.below(SLOTS.into()) as u8);
            let change = cost(&slots, exam, slot) - cost(&slots, exam, slots[exam]);
            if accepts(change, temperature, rng) {
                slots[exam] = slot;
                if change < 0.0 && is_legal(&slots) {
                    best = Some(slots.clone());
                }
            }
        });
        // Without a legal timetable: its longest part that a game can come to, and the first slots behind it.
        best.unwrap_or_else(|| {
            let (mut line, mut moves) = (self.root(), Vec::new());
            loop {
                moves.clear();
                self.moves(&line, &mut moves);
                let wanted = slots.get(line.len()).filter(|slot| moves.contains(slot)).or(moves.first());
                let Some(&slot) = wanted else { return line };
                line.push(slot);
            }
        })
    }
}
