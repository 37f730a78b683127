//! Longest common subsequence of several strings (format of the resources of `ddo`: count, alphabet, then each string
//! after its length).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Key, Prior, stable_hash};
use soloist::{Problem, Score};

/// A position in each string; at most 16 strings.
type Place = [u16; 16];
/// No such letter is left.
const NONE: u16 = u16::MAX;

struct Strings {
    count: usize,
    letters: Vec<u8>,
    lengths: Place,
    /// By string, position and letter: the position after the next such letter, and how many of them are left.
    next: Vec<Vec<Vec<u16>>>,
    left: Vec<Vec<Vec<u16>>>,
    /// By string and the positions in it and in the one after it: the longest subsequence that these two have.
    pairs: Vec<Vec<Vec<u16>>>,
}

/// Where the letters taken so far end.
#[derive(Clone)]
struct Taken {
    at: Place,
    length: u16,
}

impl Strings {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let count = words.next()?.parse().ok().filter(|count| (1..=16).contains(count))?;
        let strings: Vec<&[u8]> = words.skip(1).skip(1).step_by(2).map(str::as_bytes).collect();
        if strings.len() != count || strings.iter().any(|string| string.len() > 5_000) {
            return None;
        }
        let mut letters = strings.concat();
        letters.sort_unstable();
        letters.dedup();
        let (mut lengths, mut next, mut left, mut pairs) = ([0; 16], Vec::new(), Vec::new(), Vec::new());
        for (which, string) in strings.iter().enumerate() {
            lengths[which] = string.len() as u16;
            let mut following = vec![vec![NONE; letters.len()]; string.len() + 1];
            let mut remaining = vec![vec![0; letters.len()]; string.len() + 1];
            for at in (0..string.len()).rev() {
                let letter = letters.binary_search(&string[at]).ok()?;
                (following[at], remaining[at]) = (following[at + 1].clone(), remaining[at + 1].clone());
                following[at][letter] = at as u16 + 1;
                remaining[at][letter] += 1;
            }
            next.push(following);
            left.push(remaining);
        }
        for pair in strings.windows(2) {
            let mut longest = vec![vec![0; pair[1].len() + 1]; pair[0].len() + 1];
            for (a, b) in (0..pair[0].len()).rev().flat_map(|a| (0..pair[1].len()).rev().map(move |b| (a, b))) {
                let equal = u16::from(pair[0][a] == pair[1][b]);
                longest[a][b] = (longest[a + 1][b + 1] + equal).max(longest[a + 1][b]).max(longest[a][b + 1]);
            }
            pairs.push(longest);
        }
        Some(Self { count, letters, lengths, next, left, pairs })
    }

    /// Where the next such letter leads.
    fn after(&self, at: &Place, letter: usize) -> Option<Place> {
        let mut place = [0; 16];
        for string in 0..self.count {
            place[string] = self.next[string][usize::from(at[string])][letter];
        }
        (!place.contains(&NONE)).then_some(place)
    }
}

impl Problem for Strings {
    type State = Taken;
    /// The next letter, by its place in the alphabet.
    type Move = u8;

    fn root(&self) -> Taken {
        Taken { at: [0; 16], length: 0 }
    }
    fn moves(&self, taken: &Taken, moves: &mut Vec<u8>) {
        let places: Vec<_> =
            (0..self.letters.len()).filter_map(|l| Some((l as u8, self.after(&taken.at, l)?))).collect();
        // A letter that comes later than another one in every string is better taken after that one.
        let ahead = |a: &Place, b: &Place| (0..self.count).all(|string| a[string] < b[string]);
        moves.extend(places.iter().filter(|(_, at)| !places.iter().any(|(_, b)| ahead(b, at))).map(|place| place.0));
    }
    fn apply(&self, taken: &mut Taken, letter: u8) {
        taken.at = self.after(&taken.at, usize::from(letter)).unwrap_or(taken.at);
        taken.length += 1;
    }
    fn score(&self, taken: &Taken) -> Score {
        Score::Feasible(taken.length.into())
    }
    fn bound(&self, taken: &Taken) -> Option<f64> {
        let at = |string: usize| usize::from(taken.at[string]);
        let fewest = |l: usize| (0..self.count).map(|string| self.left[string][at(string)][l]).min();
        let letters = (0..self.letters.len()).filter_map(fewest).sum();
        let pairs = (1..self.count).map(|b| self.pairs[b - 1][at(b - 1)][at(b)]);
        Some((taken.length + pairs.fold(letters, u16::min)).into())
    }
    fn key(&self, taken: &Taken) -> Option<Key> {
        Some(Key::of(&(taken.at, taken.length)))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    /// Much is left of every string, above all of the one with the least left.
    fn potential(&self, taken: &Taken) -> Option<f64> {
        let left = |string: usize| f64::from(self.lengths[string] - taken.at[string]);
        Some(-(0..self.count).map(|string| 1.0 / (1.0 + left(string))).sum::<f64>())
    }
    fn code(&self, taken: &Taken, letter: u8) -> u64 {
        stable_hash(&(taken.at[0], letter))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Strings> for Strings {
    /// A letter that skips little is likely.
    fn bias(&self, taken: &Taken, letter: u8) -> f64 {
        let Some(after) = self.after(&taken.at, usize::from(letter)) else { return 0.0 };
        let skipped = (0..self.count).map(|string| f64::from(after[string] - taken.at[string])).sum::<f64>();
        -skipped / (2 * self.count) as f64
    }
}

impl Dominance<Strings> for Strings {
    fn future(&self, taken: &Taken) -> (Key, f64) {
        (Key::of(&taken.at), taken.length.into())
    }
}

const SMALL: &str = "4 4  14 abcabdacdbacda  13 bacdabcadbcab  14 cabdacbadcabdc  12 adbcabdcabac";

fn main() {
    let run = common::arguments("cabs");
    run.solve(&run.load(SMALL, Strings::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Strings::parse(SMALL).unwrap();
        // Every subsequence of the last string, the longest one that all contain.
        let strings: Vec<&str> = SMALL.split_whitespace().skip(3).step_by(2).collect();
        let inside = |string: &str, part: &[char]| {
            let mut letters = string.chars();
            part.iter().all(|&letter| letters.any(|other| other == letter))
        };
        let part = |set: u32| strings[3].chars().enumerate().filter(move |(at, _)| set >> at & 1 == 1).map(|(_, l)| l);
        let common = (0..1 << 12).map(|set| part(set).collect::<Vec<_>>());
        let common = common.filter(|part| strings.iter().all(|string| inside(string, part)));
        let longest = common.map(|part| part.len()).max().unwrap() as f64;
        common::prove(&problem, longest, &["cabs", "dfs", "best-first", "ida-star"]);
        assert!(Strings::parse("2 4 3 abc").is_none());
    }
}
