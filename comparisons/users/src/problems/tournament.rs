//! The travelling tournament of six teams (NL6 of Easton, Nemhauser and Trick, 2001: 23,916 miles at best): all play
//! all at home and away, at most three times in a row, never the same pair twice in a row.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::{Problem, Rng, Score, Sense};

const TEAMS: usize = 6;
/// Games in a round.
const ROUND: usize = TEAMS / 2;
const GAMES: usize = TEAMS * (TEAMS - 1);

pub(crate) struct League([[u32; TEAMS]; TEAMS]);

/// The games so far, at home and away, round by round; where the teams are, and their ways so far.
#[derive(Clone)]
pub(crate) struct Season {
    games: Vec<(u8, u8)>,
    place: [u8; TEAMS],
    miles: u32,
}

impl Instance for League {
    fn instance() -> Self {
        Self([
            [0, 745, 665, 929, 605, 521],
            [745, 0, 80, 337, 1090, 315],
            [665, 80, 0, 380, 1020, 257],
            [929, 337, 380, 0, 1380, 408],
            [605, 1090, 1020, 1380, 0, 1010],
            [521, 315, 257, 408, 1010, 0],
        ])
    }
}

impl League {
    fn miles(&self, from: u8, to: u8) -> u32 {
        self.0[usize::from(from)][usize::from(to)]
    }
    /// Whether a game may come next.
    fn is_legal(season: &Season, (home, away): (u8, u8)) -> bool {
        let games = &season.games;
        let round = games.len() / ROUND * ROUND;
        let is_busy = games[round..].iter().any(|&(a, b)| [a, b].contains(&away) || [a, b].contains(&home));
        let is_repeat = games[round.saturating_sub(ROUND)..round].contains(&(away, home));
        // Three rounds in which a team was on this side already.
        let is_long = |is_side: &dyn Fn(&(u8, u8)) -> bool| {
            round >= 3 * ROUND && games[round - 3 * ROUND..round].iter().filter(|game| is_side(game)).count() == 3
        };
        let is_one_sided = is_long(&|game| game.0 == home) || is_long(&|game| game.1 == away);
        !games.contains(&(home, away)) && !is_busy && !is_repeat && !is_one_sided
    }
}

impl Problem for League {
    type State = Season;
    /// The next game of the round, one of the first team that has none.
    type Move = (u8, u8);

    fn root(&self) -> Season {
        Season { games: Vec::new(), place: std::array::from_fn(|team| team as u8), miles: 0 }
    }
    fn moves(&self, season: &Season, moves: &mut Vec<(u8, u8)>) {
        if season.games.len() < GAMES {
            let round = &season.games[season.games.len() / ROUND * ROUND..];
            let is_free = |team: &u8| !round.iter().any(|&(home, away)| home == *team || away == *team);
            let first = (0..TEAMS as u8).find(is_free).unwrap_or(0);
            let games = (first + 1..TEAMS as u8).flat_map(|other| [(first, other), (other, first)]);
            moves.extend(games.filter(|&game| Self::is_legal(season, game)));
        }
    }
    fn apply(&self, season: &mut Season, (home, away): (u8, u8)) {
        for team in [home, away] {
            let place = &mut season.place[usize::from(team)];
            season.miles += self.miles(*place, home);
            *place = home;
        }
        season.games.push((home, away));
    }
    fn score(&self, season: &Season) -> Score {
        match GAMES - season.games.len() {
            0 => Score::Feasible((season.miles + self.ways_home(season)).into()),
            left => Score::Infeasible(left as f64),
        }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, season: &Season, (home, away): (u8, u8)) -> u64 {
        ((season.games.len() / ROUND * TEAMS + usize::from(home)) * TEAMS + usize::from(away)) as u64
    }
    /// Everybody goes home at last.
    fn bound(&self, season: &Season) -> Option<f64> {
        Some((season.miles + self.ways_home(season)).into())
    }
}

impl League {
    fn ways_home(&self, season: &Season) -> u32 {
        (0..TEAMS as u8).map(|team| self.miles(season.place[usize::from(team)], team)).sum()
    }
}

impl ByHand for League {
    /// The cheaper one of two random games each time, from the start again where none is left.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<(u8, u8)> {
        let (mut best, mut least) = (Vec::new(), f64::INFINITY);
        while best.is_empty() || !clock.is_over() {
            let (mut season, mut moves) = (self.root(), Vec::new());
            loop {
                moves.clear();
                self.moves(&season, &mut moves);
                if moves.is_empty() {
                    break;
                }
                let after = |mv: (u8, u8)| {
                    let mut next = season.clone();
                    self.apply(&mut next, mv);
                    next
                };
                let mut draw = || after(moves[rng.index(moves.len())]);
                let (a, b) = (draw(), draw());
                season = if a.miles < b.miles { a } else { b };
            }
            let left = (GAMES - season.games.len()) as f64;
            let cost = f64::from(season.miles + self.ways_home(&season)) + 1e6 * left;
            if cost < least {
                (best, least) = (season.games, cost);
            }
        }
        best
    }
}
