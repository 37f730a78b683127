//! The letters of a longest common subsequence.

use crate::read::Words;
use crate::solve::Model;
use rpid::prelude::*;
use smallvec::SmallVec;

/// A place in each string.
type State = SmallVec<[u32; 16]>;

#[derive(Debug, Clone)]
pub(crate) struct Lcs {
    letters: Vec<char>,
    /// By letter, string and place: the place behind the next such letter.
    next: Vec<Vec<Vec<Option<u32>>>>,
    length: State,
}

pub(crate) fn read(text: &str) -> Result<Lcs, String> {
    let mut words = Words::new(text);
    let count = words.number(1..=1000)?;
    words.lines()?;
    let mut strings = Vec::new();
    for _ in 0..count {
        let length = words.number(1..=1_000_000)? as usize;
        let string: Vec<char> = words.word().unwrap_or_default().chars().collect();
        if string.len() != length || !string.iter().all(char::is_ascii_graphic) {
            return Err(format!("string {} has not {length} letters of ASCII", strings.len() + 1));
        }
        strings.push(string);
    }
    words.end()?;
    let mut letters = strings.concat();
    letters.sort_unstable();
    letters.dedup();
    let follow = |letter: &char, string: &Vec<char>| {
        let mut places = vec![None; string.len() + 1];
        for at in (0..string.len()).rev() {
            places[at] = if string[at] == *letter { Some(at as u32 + 1) } else { places[at + 1] };
        }
        places
    };
    let next = letters.iter().map(|letter| strings.iter().map(|string| follow(letter, string)).collect()).collect();
    let length = strings.iter().map(|string| string.len() as u32).collect();
    Ok(Lcs { letters, next, length })
}

impl Lcs {
    fn behind(&self, letter: usize, state: &State) -> Option<State> {
        self.next[letter].iter().zip(state).map(|(next, at)| next[*at as usize]).collect()
    }
}

impl Dp for Lcs {
    type State = State;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State {
        SmallVec::from_elem(0, self.length.len())
    }

    fn get_successors(&self, state: &State) -> impl IntoIterator<Item = (State, i64, usize)> {
        (0..self.letters.len()).filter_map(|letter| Some((self.behind(letter, state)?, 1, letter)))
    }

    fn get_base_cost(&self, state: &State) -> Option<i64> {
        (0..self.letters.len()).all(|letter| self.behind(letter, state).is_none()).then_some(0)
    }

    fn get_optimization_mode(&self) -> OptimizationMode {
        OptimizationMode::Maximization
    }
}

impl Dominance for Lcs {
    type State = State;
    type Key = State;

    fn get_key(&self, state: &State) -> State {
        state.clone()
    }
}

impl Bound for Lcs {
    type State = State;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State) -> Option<i64> {
        self.length.iter().zip(state).map(|(length, at)| i64::from(length - at)).min()
    }
}

impl Model for Lcs {
    fn moves(&self, labels: &[usize]) -> Vec<String> {
        labels.iter().map(|letter| format!("{:?}", self.letters[*letter].to_string())).collect()
    }
}
