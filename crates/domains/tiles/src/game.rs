//! The three games and their points.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A tile game. All three share the moves and differ in the points.
///
/// A move removes a group of two or more equal tiles that touch along edges; the tiles above fall, an emptied column
/// closes, and the game ends when no group is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Game {
    /// (n - 2)^2 points for n tiles; 1000 for a cleared board, otherwise a [`Penalty`].
    #[serde(rename = "samegame")]
    SameGame,
    /// n points for n tiles: the score is the number of tiles removed.
    Clickomania,
    /// n (n - 1) points for n tiles.
    BubbleBreaker,
}

/// The points that SameGame subtracts at the end for the tiles left; c is the number of tiles left of one colour.
///
/// A colour that is gone costs nothing under any convention, so cleared boards score the same under all three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// The sum of max(c - 2, 0)^2: what the original Maastricht program computes. A single tile costs nothing.
    #[default]
    Schadd,
    /// The sum of (c - 2)^2, as published by Baier and Winands (2012). A single tile costs 1.
    Literal,
    /// Nothing, as in Cazenave's programs.
    None,
}

impl Game {
    /// All games, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::SameGame, Self::Clickomania, Self::BubbleBreaker];

    /// Returns the name on the command line and in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SameGame => "samegame",
            Self::Clickomania => "clickomania",
            Self::BubbleBreaker => "bubble-breaker",
        }
    }

    /// Returns the name in headings.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::SameGame => "SameGame",
            Self::Clickomania => "Clickomania",
            Self::BubbleBreaker => "Bubble Breaker",
        }
    }

    /// Returns the points for removing a group of `size` tiles; 0 below two tiles, which is no move.
    #[must_use]
    pub fn points(self, size: usize) -> i64 {
        if size < 2 {
            return 0;
        }
        let n = i64::try_from(size).unwrap_or(i64::MAX);
        match self {
            Self::SameGame => (n - 2).saturating_mul(n - 2),
            Self::Clickomania => n,
            Self::BubbleBreaker => n.saturating_mul(n - 1),
        }
    }

    /// [`points`](Self::points) of two or more tiles as a polynomial `[a, b, c]`: a n^2 + b n + c. Playout loops need
    /// no branch on the game.
    #[must_use]
    pub(crate) fn coefficients(self) -> [i64; 3] {
        match self {
            Self::SameGame => [1, -4, 4],
            Self::Clickomania => [0, 1, 0],
            Self::BubbleBreaker => [1, -1, 0],
        }
    }

    /// Returns the penalty in force: [`Penalty::None`] for the games without penalties.
    #[must_use]
    pub fn penalty(self, wanted: Penalty) -> Penalty {
        if self == Self::SameGame { wanted } else { Penalty::None }
    }

    /// Returns the points at the end of a game: the award of a cleared board or minus the penalty.
    ///
    /// `left` holds the number of tiles left of each colour, in any order.
    #[must_use]
    pub fn end_points(self, penalty: Penalty, left: &[usize]) -> i64 {
        if self != Self::SameGame {
            0
        } else if left.iter().all(|&count| count == 0) {
            1000
        } else {
            left.iter().fold(0_i64, |sum, &count| sum.saturating_sub(penalty.cost(count)))
        }
    }
}

impl Penalty {
    /// All conventions, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Schadd, Self::Literal, Self::None];

    /// Returns the name on the command line and in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Schadd => "schadd",
            Self::Literal => "literal",
            Self::None => "none",
        }
    }

    /// Returns what `count` tiles of one colour cost, in points (not negative).
    #[must_use]
    pub fn cost(self, count: usize) -> i64 {
        let above = i64::try_from(count).unwrap_or(i64::MAX) - 2;
        match self {
            _ if count == 0 => 0,
            Self::Schadd => above.max(0).saturating_mul(above.max(0)),
            Self::Literal => above.saturating_mul(above),
            Self::None => 0,
        }
    }
}

/// The error for a text that names no game or penalty; its message lists the names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {found}: expected {expected}")]
pub struct UnknownName {
    kind: &'static str,
    found: String,
    expected: &'static str,
}

impl FromStr for Game {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|game| game.name() == text).ok_or_else(|| UnknownName {
            kind: "tile game",
            found: soloist_domain::error::quote(text.as_bytes()),
            expected: "samegame, clickomania or bubble-breaker",
        })
    }
}

impl FromStr for Penalty {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|penalty| penalty.name() == text).ok_or_else(|| UnknownName {
            kind: "penalty",
            found: soloist_domain::error::quote(text.as_bytes()),
            expected: "schadd, literal or none",
        })
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_move() {
        let of = |game: Game| [0, 1, 2, 3, 9].map(|n| game.points(n));
        assert_eq!(of(Game::SameGame), [0, 0, 0, 1, 49]);
        assert_eq!(of(Game::Clickomania), [0, 0, 2, 3, 9]);
        assert_eq!(of(Game::BubbleBreaker), [0, 0, 2, 6, 72]);
        // Absurd sizes stay defined.
        assert!(Game::ALL.iter().all(|game| game.points(usize::MAX) > 0));
    }

    #[test]
    fn end_of_the_game() {
        let left = [0, 1, 2, 3, 5];
        let of = |penalty| Game::SameGame.end_points(penalty, &left);
        assert_eq!(Penalty::ALL.map(of), [-10, -11, 0]);
        for penalty in Penalty::ALL {
            assert_eq!(Game::SameGame.end_points(penalty, &[0, 0]), 1000);
            assert_eq!(Game::Clickomania.end_points(penalty, &[0, 0]), 0);
            assert_eq!(Game::BubbleBreaker.end_points(penalty, &left), 0);
        }
    }

    #[test]
    fn names_round_trip() {
        for game in Game::ALL {
            assert_eq!(game.name().parse(), Ok(game));
            assert_eq!(serde_json::to_value(game).unwrap(), game.name());
        }
        for penalty in Penalty::ALL {
            assert_eq!(penalty.name().parse(), Ok(penalty));
            assert_eq!(serde_json::to_value(penalty).unwrap(), penalty.name());
        }
        let error = "snake".parse::<Game>().unwrap_err().to_string();
        assert_eq!(error, "unknown tile game 'snake': expected samegame, clickomania or bubble-breaker");
    }
}
