//! A dominating set: few of 100 vertices, such that each vertex is among them or beside one.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Dominance, Key, Prior};
use soloist::{Problem, Rng, Score, Sense};

const COUNT: usize = 100;

/// Each vertex and its neighbours, as bits.
pub(crate) struct Graph(Vec<u128>);

#[derive(Clone)]
pub(crate) struct Chosen {
    covered: u128,
    count: u32,
}

impl Instance for Graph {
    fn instance() -> Self {
        let mut rng = Rng::new(101);
        let mut around: Vec<u128> = (0..COUNT).map(|vertex| 1 << vertex).collect();
        for a in 0..COUNT {
            for b in 0..a {
                if rng.chance(0.06) {
                    around[a] |= 1 << b;
                    around[b] |= 1 << a;
                }
            }
        }
        Self(around)
    }
    fn data(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl Graph {
    const ALL: u128 = (1 << COUNT) - 1;

    fn gain(&self, covered: u128, vertex: usize) -> u32 {
        (self.0[vertex] & !covered).count_ones()
    }
}

impl Problem for Graph {
    type State = Chosen;
    /// Who covers the first vertex that nobody covers.
    type Move = u8;

    fn root(&self) -> Chosen {
        Chosen { covered: 0, count: 0 }
    }
    fn moves(&self, chosen: &Chosen, moves: &mut Vec<u8>) {
        if chosen.covered != Self::ALL {
            let first = chosen.covered.trailing_ones();
            moves.extend((0..COUNT as u8).filter(|&vertex| self.0[usize::from(vertex)] >> first & 1 == 1));
        }
    }
    fn apply(&self, chosen: &mut Chosen, vertex: u8) {
        chosen.covered |= self.0[usize::from(vertex)];
        chosen.count += 1;
    }
    fn score(&self, chosen: &Chosen) -> Score {
        Score::Feasible(chosen.count.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// No vertex covers more than the best one now.
    fn bound(&self, chosen: &Chosen) -> Option<f64> {
        let most = (0..COUNT).map(|vertex| self.gain(chosen.covered, vertex)).max().unwrap_or(0);
        let open = (!chosen.covered & Self::ALL).count_ones();
        Some((chosen.count + open.div_ceil(most.max(1))).into())
    }
    fn potential(&self, chosen: &Chosen) -> Option<f64> {
        Some(chosen.covered.count_ones().into())
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Prior<Graph> for Graph {
    /// The logarithm of what a vertex covers.
    fn bias(&self, chosen: &Chosen, vertex: u8) -> f64 {
        f64::from(self.gain(chosen.covered, vertex.into()).max(1)).ln()
    }
}

impl Dominance<Graph> for Graph {
    fn future(&self, chosen: &Chosen) -> (Key, f64) {
        (Key::of(&chosen.covered), chosen.count.into())
    }
}

impl ByHand for Graph {
    /// Iterated greedy: a part of the best set is left, the vertex that covers the most comes next; useless ones go.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let mut best: Vec<usize> = (0..COUNT).collect();
        let union = |set: &[usize]| set.iter().fold(0, |covered, &vertex| covered | self.0[vertex]);
        while !clock.is_over() {
            let mut set: Vec<usize> = best.iter().copied().filter(|_| rng.chance(0.6)).collect();
            while union(&set) != Self::ALL {
                let covered = union(&set);
                let next = (0..COUNT).max_by_key(|&vertex| (self.gain(covered, vertex), rng.below(1 << 20)));
                set.extend(next);
            }
            for at in (0..set.len()).rev() {
                let vertex = set.swap_remove(at);
                if union(&set) != Self::ALL {
                    set.push(vertex);
                }
            }
            if set.len() <= best.len() {
                best = set;
            }
        }
        // In the order in which the problem asks for them.
        let (mut covered, mut line) = (0_u128, Vec::new());
        while covered != Self::ALL {
            let covers = |vertex: &&usize| self.0[**vertex] >> covered.trailing_ones() & 1 == 1;
            let &vertex = best.iter().find(covers).expect("every vertex is covered");
            covered |= self.0[vertex];
            line.push(vertex as u8);
        }
        line
    }
}
