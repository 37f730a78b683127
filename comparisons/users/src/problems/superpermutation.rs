//! A short text that contains all 120 permutations of five letters: an order of them, each costs what it appends.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Dominance, Found, Key, Ordering, Prior};
use soloist::{Problem, Rng, Score, Sense};

const COUNT: usize = 120;
const LETTERS: usize = 5;

/// How many letters each permutation appends behind each other one.
pub(crate) struct Texts(Vec<[u32; COUNT]>);

#[derive(Clone)]
pub(crate) struct Text {
    left: u128,
    last: usize,
    length: u32,
}

impl Instance for Texts {
    fn instance() -> Self {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..LETTERS {
            let longer = |text: &Vec<usize>| {
                let free: Vec<usize> = (0..LETTERS).filter(|letter| !text.contains(letter)).collect();
                free.into_iter().map(|letter| [&text[..], &[letter]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        let appended = |a: &[usize], b: &[usize]| (0..=LETTERS).find(|&k| a[k..] == b[..LETTERS - k]).unwrap() as u32;
        Self(all.iter().map(|a| std::array::from_fn(|b| appended(a, &all[b]))).collect())
    }
}

impl Texts {
    fn left(text: &Text) -> impl Iterator<Item = usize> + use<> {
        let left = text.left;
        (0..COUNT).filter(move |next| left >> next & 1 == 1)
    }
}

impl Problem for Texts {
    type State = Text;
    /// The next permutation.
    type Move = usize;

    fn root(&self) -> Text {
        Text { left: (1 << COUNT) - 2, last: 0, length: LETTERS as u32 }
    }
    fn moves(&self, text: &Text, moves: &mut Vec<usize>) {
        moves.extend(Self::left(text));
    }
    fn apply(&self, text: &mut Text, next: usize) {
        text.length += self.0[text.last][next];
        text.left &= !(1 << next);
        text.last = next;
    }
    fn score(&self, text: &Text) -> Score {
        Score::Feasible(text.length.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, text: &Text, next: usize) -> u64 {
        (text.last * COUNT + next) as u64
    }
    fn bound(&self, text: &Text) -> Option<f64> {
        Some((text.length + text.left.count_ones()).into())
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Prior<Texts> for Texts {
    fn bias(&self, text: &Text, next: usize) -> f64 {
        -3.0 * f64::from(self.0[text.last][next])
    }
}

impl Dominance<Texts> for Texts {
    fn future(&self, text: &Text) -> (Key, f64) {
        (Key::of(&(text.left, text.last)), text.length.into())
    }
}

impl Ordering<Texts> for Texts {
    fn identity(&self, _: &Text, next: usize) -> u64 {
        next as u64
    }
    fn find(&self, text: &Text, next: u64) -> Found<usize> {
        let is_left = next < COUNT as u64 && text.left >> next & 1 == 1;
        if is_left { Found::Move(next as usize) } else { Found::Gone }
    }
    fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64> {
        Some(behind.map_or(0.0, |next| self.0[before.unwrap_or(0) as usize][next as usize].into()))
    }
}

impl ByHand for Texts {
    /// The nearest one each time, of several a random one, again and again.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<usize> {
        let (mut best, mut least) = (Vec::new(), u32::MAX);
        while best.is_empty() || !clock.is_over() {
            let (mut text, mut line) = (self.root(), Vec::new());
            while let Some(next) = Self::left(&text).min_by_key(|&next| (self.0[text.last][next], rng.below(1 << 20))) {
                self.apply(&mut text, next);
                line.push(next);
            }
            if text.length < least {
                (best, least) = (line, text.length);
            }
        }
        best
    }
}
