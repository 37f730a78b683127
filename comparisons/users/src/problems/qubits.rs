//! Qubit routing: eight qubits on a line, gates between neighbours alone, few swaps.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Dominance, Key};
use soloist::{Problem, Rng, Score, Sense};

const QUBITS: usize = 8;
/// More swaps than anyone wants: games must end.
const MOST: u32 = 150;

/// Pairs of qubits, in the order of the circuit.
pub(crate) struct Circuit(Vec<(usize, usize)>);

/// Where each qubit is, which gates are left, and the swaps so far.
#[derive(Clone)]
pub(crate) struct Wires {
    place: [u8; QUBITS],
    left: Vec<u8>,
    swaps: u32,
}

impl Wires {
    fn far(&self, (a, b): (usize, usize)) -> u32 {
        self.place[a].abs_diff(self.place[b]).into()
    }
}

impl Circuit {
    /// Runs every gate that can run.
    fn run(&self, wires: &mut Wires) {
        let mut busy = 0_u32;
        let mut left = std::mem::take(&mut wires.left);
        left.retain(|&gate| {
            let (a, b) = self.0[usize::from(gate)];
            let waits = busy & (1 << a | 1 << b) > 0 || wires.far((a, b)) > 1;
            busy |= u32::from(waits) << a | u32::from(waits) << b;
            waits
        });
        wires.left = left;
    }
    /// The gates that wait for no other one.
    fn front(&self, wires: &Wires) -> impl Iterator<Item = (usize, usize)> {
        let mut busy = 0_u32;
        wires.left.iter().map(|&gate| self.0[usize::from(gate)]).filter(move |(a, b)| {
            let is_free = busy & (1 << a | 1 << b) == 0;
            busy |= 1 << a | 1 << b;
            is_free
        })
    }
    /// How far the next gates are, the later ones count less.
    fn effort(&self, wires: &Wires) -> f64 {
        let far = |(at, &gate): (usize, &u8)| 0.9_f64.powi(at as i32) * f64::from(wires.far(self.0[usize::from(gate)]));
        wires.left.iter().take(20).enumerate().map(far).sum::<f64>() + 3.0 * wires.left.len() as f64
    }
}

impl Instance for Circuit {
    /// Eight layers, in each of them every qubit once.
    fn instance() -> Self {
        let mut rng = Rng::new(8);
        let mut qubits: [usize; QUBITS] = std::array::from_fn(|qubit| qubit);
        let mut gates = Vec::new();
        for _ in 0..8 {
            rng.shuffle(&mut qubits);
            gates.extend(qubits.chunks(2).map(|pair| (pair[0], pair[1])));
        }
        Self(gates)
    }
}

impl Problem for Circuit {
    type State = Wires;
    /// The left one of two places that swap.
    type Move = u8;

    fn root(&self) -> Wires {
        let left = (0..self.0.len() as u8).collect();
        let mut wires = Wires { place: std::array::from_fn(|qubit| qubit as u8), left, swaps: 0 };
        self.run(&mut wires);
        wires
    }
    fn moves(&self, wires: &Wires, moves: &mut Vec<u8>) {
        if wires.swaps < MOST {
            let front = self.front(wires).flat_map(|(a, b)| [wires.place[a], wires.place[b]]);
            let active = front.fold(0_u32, |places, place| places | 1 << place);
            moves.extend((0..QUBITS as u8 - 1).filter(|left| active >> left & 3 > 0));
        }
    }
    fn apply(&self, wires: &mut Wires, left: u8) {
        for place in &mut wires.place {
            *place = if *place == left {
                left + 1
            } else if *place == left + 1 {
                left
            } else {
                *place
            };
        }
        wires.swaps += 1;
        self.run(wires);
    }
    fn score(&self, wires: &Wires) -> Score {
        match wires.left.len() {
            0 => Score::Feasible(wires.swaps.into()),
            left => Score::Infeasible(left as f64),
        }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// A swap brings two qubits nearer by one.
    fn bound(&self, wires: &Wires) -> Option<f64> {
        let far = self.front(wires).map(|gate| wires.far(gate) - 1).max().unwrap_or(0);
        Some((wires.swaps + far).into())
    }
    fn potential(&self, wires: &Wires) -> Option<f64> {
        Some(-self.effort(wires))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Dominance<Circuit> for Circuit {
    fn future(&self, wires: &Wires) -> (Key, f64) {
        (Key::of(&(wires.place, &wires.left)), wires.swaps.into())
    }
}

impl ByHand for Circuit {
    /// The swap that leaves the least effort, with noise, again and again (the idea of SABRE).
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let (mut best, mut least) = (Vec::new(), f64::INFINITY);
        while best.is_empty() || !clock.is_over() {
            let (mut wires, mut line, mut moves) = (self.root(), Vec::new(), Vec::new());
            loop {
                moves.clear();
                self.moves(&wires, &mut moves);
                let after = |&mv: &u8| {
                    let mut next = wires.clone();
                    self.apply(&mut next, mv);
                    (self.effort(&next) + 2.0 * rng.unit(), mv, next)
                };
                let Some((_, mv, next)) = moves.iter().map(after).min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
                line.push(mv);
                wires = next;
            }
            let cost = f64::from(wires.swaps) + 1000.0 * wires.left.len() as f64;
            if cost < least {
                (best, least) = (line, cost);
            }
        }
        best
    }
}
