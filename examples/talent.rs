//! Talent scheduling: in which order to film scenes, so that actors, who are paid from their first scene to their last
//! one, wait as little as possible (format of the resources of `ddo`).

#[path = "common/mod.rs"]
mod common;

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

/// The scenes filmed, what they cost, and what the others cost at least.
#[derive(Clone)]
struct Filmed {
    scenes: u64,
    cost: u64,
    rest: u64,
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
        let (scenes, actors) = (next(64)? as usize, next(64)? as usize);
        let mut film = Self { duration: vec![], actors: vec![0; scenes], wage: vec![], scenes: vec![], least: 0 };
        for actor in 0..actors {
            let plays: Vec<u64> = (0..scenes).map(|_| next(1)).collect::<Option<_>>()?;
            (0..scenes).for_each(|scene| film.actors[scene] |= plays[scene] << actor);
            film.scenes.push((0..scenes).map(|scene| plays[scene] << scene).sum());
            film.wage.push(next(1 << 20)?);
        }
        film.duration = (0..scenes).map(|_| next(1 << 20)).collect::<Option<_>>()?;
        film.least = (0..scenes).map(|scene| film.pay(film.actors[scene]) * film.duration[scene]).sum();
        Some(film)
    }

    fn pay(&self, actors: u64) -> u64 {
        bits(actors).map(|actor| self.wage[actor]).sum()
    }

    /// The actors who have begun and are not through.
    fn present(&self, filmed: u64) -> u64 {
        let partly = |actor: &usize| self.scenes[*actor] & filmed != 0 && self.scenes[*actor] & !filmed != 0;
        (0..self.wage.len()).filter(partly).map(|actor| 1 << actor).sum()
    }
}

impl Problem for Film {
    type State = Filmed;
    /// The next scene.
    type Move = u8;

    fn root(&self) -> Filmed {
        Filmed { scenes: 0, cost: 0, rest: self.least }
    }
    fn moves(&self, filmed: &Filmed, moves: &mut Vec<u8>) {
        let present = self.present(filmed.scenes);
        moves
            .extend((0..self.duration.len()).filter(|&scene| filmed.scenes >> scene & 1 == 0).map(|scene| scene as u8));
        // A scene with exactly the actors who are paid anyway is never cheaper later.
        if let Some(&now) = moves.iter().find(|&&scene| self.actors[usize::from(scene)] == present) {
            moves.clear();
            moves.push(now);
        }
    }
    fn apply(&self, filmed: &mut Filmed, scene: u8) {
        let scene = usize::from(scene);
        let waiting = self.present(filmed.scenes) & !self.actors[scene];
        let alone = self.pay(self.actors[scene]) * self.duration[scene];
        filmed.scenes |= 1 << scene;
        filmed.cost += alone + self.pay(waiting) * self.duration[scene];
        filmed.rest -= alone;
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
    fn future(&self, filmed: &Filmed) -> Option<(u64, f64)> {
        Some((filmed.scenes, filmed.cost as f64))
    }
    /// Scenes whose actors are those present cost little.
    fn bias(&self, filmed: &Filmed, scene: u8) -> f64 {
        let (present, actors) = (self.present(filmed.scenes), self.actors[usize::from(scene)]);
        let (idle, new) = (self.pay(present & !actors), self.pay(actors & !present));
        -8.0 * (idle + new) as f64 / self.wage.iter().sum::<u64>().max(1) as f64
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
    use soloist::{Method, Solver};

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Film::parse(CONCERT).unwrap();
        soloist::check(&problem, 100, 1).unwrap();
        for name in ["cabs", "dfs", "best-first", "ida-star"] {
            let outcome = Solver::new(&problem, Method::preset(name).unwrap()).run().unwrap();
            assert_eq!((outcome.best.unwrap().score, outcome.optimal), (Score::Feasible(111.0), true), "{name}");
        }
        assert!(Film::parse("film 3 1  1 1").is_none());
    }
}
