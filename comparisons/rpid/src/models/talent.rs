//! Scenes in an order that keeps actors waiting for little.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

/// At most 128 actors.
type Actors = Set<2>;

#[derive(Debug, Clone)]
pub(crate) struct Talent<const W: usize> {
    cast: Vec<Actors>,
    duration: Vec<i64>,
    wage: Vec<i64>,
    /// What a scene costs if nobody waits.
    least: Vec<i64>,
}

/// The sum over what is left follows from `left`. It is carried along, so that no bound computes it again.
#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    least: i64,
}

/// Reads scenes as they are, or those with the same actors as one.
pub(crate) fn read<const W: usize>(text: &str, merged: bool) -> Result<Talent<W>, String> {
    let mut words = Words::new(text);
    words.word();
    let scenes = words.count::<W>(0)?;
    let actors = words.count::<2>(0)?;
    let mut plays = vec![Actors::EMPTY; scenes];
    let mut wage = Vec::new();
    for actor in 0..actors {
        for cast in &mut plays {
            if words.number(0..=1)? == 1 {
                *cast = cast.with(actor);
            }
        }
        wage.push(words.number(0..=10_000_000)?);
    }
    let (mut cast, mut duration) = (Vec::<Actors>::new(), Vec::new());
    for one in plays {
        let time = words.number(0..=10_000_000)?;
        match cast.iter().position(|other| merged && *other == one) {
            Some(at) => duration[at] += time,
            None => {
                cast.push(one);
                duration.push(time);
            }
        }
    }
    words.end()?;
    crate::read::fits(&duration, wage.iter().copied())?;
    let least = cast.iter().zip(&duration).map(|(cast, time)| time * cast.sum(&wage)).collect();
    Ok(Talent { cast, duration, wage, least })
}

impl<const W: usize> Dp for Talent<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        State { left: Set::of(0..self.cast.len()), least: self.least.iter().sum() }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        let &State { left, least } = state;
        let (mut came, mut come) = (Actors::EMPTY, Actors::EMPTY);
        for (scene, cast) in self.cast.iter().enumerate() {
            let side = if left.contains(scene) { &mut come } else { &mut came };
            *side = *side | *cast;
        }
        let waiting = came & come;
        left.iter().map(move |scene| {
            let present = self.cast[scene] | waiting;
            let after = State { left: left.without(scene), least: least - self.least[scene] };
            (after, self.duration[scene] * present.sum(&self.wage), scene)
        })
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then_some(0)
    }
}

impl<const W: usize> Dominance for Talent<W> {
    type State = State<W>;
    type Key = Set<W>;

    fn get_key(&self, state: &State<W>) -> Set<W> {
        state.left
    }
}

impl<const W: usize> Bound for Talent<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State<W>) -> Option<i64> {
        Some(state.least)
    }
}

impl<const W: usize> Model for Talent<W> {}
