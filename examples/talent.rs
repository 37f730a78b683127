//! Talent scheduling: in which order to film scenes, so that actors wait as little as possible: they are paid from
//! their first scene to their last one (format of the resources of `ddo`).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Key, Prior};
use soloist::{Problem, Score, Sense};

/// Durations and actors of the scenes; wages and scenes of the actors. Sets are bits: at most 64 of each.
struct Film {
    duration: Vec<u64>,
    actors: Vec<u64>,
    wage: Vec<u64>,
    scenes: Vec<u64>,
    /// What remains to be paid at least after the root: each scene with its actors alone.
    least: u64,
}

/// The scenes filmed, what they cost, what the others cost at least, and the actors that have begun and have more to
/// do.
#[derive(Clone)]
struct Filmed {
    scenes: u64,
    cost: u64,
    rest: u64,
    present: u64,
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        first
    })
}

impl Film {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok());
        let mut next = |most: u64| numbers.next().filter(|&number| number <= most);
        let (scenes, actors) = (next(64).filter(|&scenes| scenes > 0)? as usize, next(64)? as usize);
        let (mut plays, mut wage) = (vec![0; scenes], Vec::new());
        for actor in 0..actors {
            for scene in &mut plays {
                *scene |= next(1)? << actor;
            }
            wage.push(next(1 << 20)?);
        }
        let mut film = Self { duration: vec![], actors: vec![], scenes: vec![0; actors], wage, least: 0 };
        for set in plays {
            let time = next(1 << 20)?;
            // Scenes with the same actors are one: it is never dearer to film them in a row.
            match film.actors.iter().position(|&other| other == set) {
                Some(scene) => film.duration[scene] += time,
                None => {
                    bits(set).for_each(|actor| film.scenes[actor] |= 1 << film.actors.len());
                    film.actors.push(set);
                    film.duration.push(time);
                }
            }
            film.least += film.pay(set) * time;
        }
        Some(film)
    }

    fn pay(&self, actors: u64) -> u64 {
        bits(actors).map(|actor| self.wage[actor]).sum()
    }
}

impl Problem for Film {
    type State = Filmed;
    /// The next scene, or scenes with the same actors.
    type Move = u8;

    fn root(&self) -> Filmed {
        Filmed { scenes: 0, cost: 0, rest: self.least, present: 0 }
    }
    fn moves(&self, filmed: &Filmed, moves: &mut Vec<u8>) {
        let left = !filmed.scenes & (u64::MAX >> (64 - self.duration.len()));
        // A scene with exactly the actors that are paid anyway is never cheaper later.
        match bits(left).find(|&scene| self.actors[scene] == filmed.present) {
            Some(scene) => moves.push(scene as u8),
            None => moves.extend(bits(left).map(|scene| scene as u8)),
        }
    }
    fn apply(&self, filmed: &mut Filmed, scene: u8) {
        let scene = usize::from(scene);
        let actors = self.actors[scene];
        filmed.scenes |= 1 << scene;
        filmed.cost += self.pay(actors | filmed.present) * self.duration[scene];
        filmed.rest -= self.pay(actors) * self.duration[scene];
        let over = bits(actors).filter(|&actor| self.scenes[actor] & !filmed.scenes == 0);
        filmed.present = (filmed.present | actors) & !over.map(|actor| 1 << actor).sum::<u64>();
    }
    fn score(&self, filmed: &Filmed) -> Score {
        Score::Feasible(filmed.cost as f64)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, filmed: &Filmed) -> Option<f64> {
        Some((filmed.cost + filmed.rest) as f64)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Film> for Film {
    /// Scenes whose actors are those present cost little.
    fn bias(&self, filmed: &Filmed, scene: u8) -> f64 {
        let actors = self.actors[usize::from(scene)];
        let (idle, new) = (self.pay(filmed.present & !actors), self.pay(actors & !filmed.present));
        -8.0 * (idle + new) as f64 / self.wage.iter().sum::<u64>().max(1) as f64
    }
}

impl Dominance<Film> for Film {
    fn future(&self, filmed: &Filmed) -> (Key, f64) {
        (filmed.scenes.into(), filmed.cost as f64)
    }
}

const CONCERT: &str = "concert 9 5
    1 1 0 1 0 1 1 0 1  1    1 1 0 1 1 1 0 1 0  1    1 1 0 0 0 0 1 1 0  1    1 0 0 0 1 1 0 0 1  1    0 0 1 0 1 1 1 1 0  1
    2 4 1 3 3 2 5 7 7";

fn main() {
    let run = common::arguments("cabs");
    run.solve(&run.load(CONCERT, Film::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Film::parse(CONCERT).unwrap();
        common::prove(&problem, 111.0, &["cabs", "dfs", "best-first", "ida-star"]);
        assert!(Film::parse("film 3 1  1 1").is_none());
    }
}
