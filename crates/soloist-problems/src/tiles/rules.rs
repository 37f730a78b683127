//! What a move and an end position are worth.

/// Which of the three tile games is scored; they share every other rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Game {
    /// (n - 2)^2 a move, 1000 for a cleared board, an end penalty otherwise.
    #[default]
    SameGame,
    /// n a move: the score is the number of tiles removed.
    Clickomania,
    /// n (n - 1) a move.
    BubbleBreaker,
}

/// The end penalty of SameGame, from the counts c of the colours left; see the reference for who uses which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Penalty {
    /// Sum of max(c - 2, 0)^2: a single tile costs nothing.
    #[default]
    Schadd,
    /// Sum of (c - 2)^2 over the colours left: a single tile costs 1.
    Literal,
    /// No penalty.
    None,
}

/// A game with its scoring options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The game.
    pub game: Game,
    /// The end penalty; only SameGame has one.
    pub penalty: Penalty,
}

impl Rules {
    /// Points for removing a group of `size` tiles.
    #[must_use]
    pub fn points(self, size: u32) -> i64 {
        let [square, linear, constant] = self.coefficients();
        let n = i64::from(size);
        (square * n + linear) * n + constant
    }

    /// The points of a move as a polynomial `[a, b, c]`: a n^2 + b n + c. The playout loops need no branch on the game.
    pub(crate) fn coefficients(self) -> [i64; 3] {
        match self.game {
            Game::SameGame => [1, -4, 4],
            Game::Clickomania => [0, 1, 0],
            Game::BubbleBreaker => [1, -1, 0],
        }
    }

    /// Points at the end of a game that leaves `counts` tiles of each colour (in any order).
    #[must_use]
    pub fn final_points(self, counts: impl IntoIterator<Item = u32>) -> i64 {
        if self.game != Game::SameGame {
            return 0;
        }
        let mut cleared = true;
        let mut penalty = 0;
        for count in counts.into_iter().filter(|&c| c > 0) {
            cleared = false;
            let excess = i64::from(count) - 2;
            penalty += match self.penalty {
                Penalty::Schadd => excess.max(0).pow(2),
                Penalty::Literal => excess.pow(2),
                Penalty::None => 0,
            };
        }
        if cleared { 1000 } else { -penalty }
    }
}
