//! The tile games: SameGame, Clickomania and Bubble Breaker.
//!
//! | what | where |
//! |---|---|
//! | the games and their points | [`Game`], [`Penalty`] |
//! | boards as rectangles, files, specs | [`Grid`]; [`parse`], [`write`](write()); [`generate`] |
//! | fast boards and playouts | [`kernel`] |
//! | the search problem and its rollouts | [`Tiles`], [`TileRollout`], [`Bandit`] |
//! | solutions, independent verification | [`Solution`], [`verify`](verify()) |
//! | drawings and texts | [`svg_board`], [`svg_strip`], [`board_text`], [`game_text`] |
//! | the games by name, for the command line | [`SAMEGAME`], [`CLICKOMANIA`], [`BUBBLE_BREAKER`] |

mod bandit;
mod domain;
mod draw;

mod format;
mod game;
mod grid;
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub mod kernel;
mod model;
mod neighborhood;
mod problem;
mod rollout;
mod softmax;
mod solution;
mod spec;
mod text;
mod verify;

#[doc(hidden)]
pub use bandit::Bandit;
pub use domain::{BUBBLE_BREAKER, CLICKOMANIA, SAMEGAME, solution_json};
#[doc(hidden)]
pub use draw::{PANELS, svg_board, svg_strip};
#[doc(hidden)]
pub use format::{ReadBoard, Zero, load, parse, read, write};
pub use game::{Game, Penalty, UnknownName};
pub use grid::{Grid, GridError, MAX_COLORS, MAX_COLS, MAX_ROWS, Unsettled};
pub use model::{Position, Tiles};
#[doc(hidden)]
pub use neighborhood::TileEdits;
#[doc(hidden)]
pub use rollout::{ROLLOUTS, TileRollout};
#[doc(hidden)]
pub use solution::{Claim, Solution, parse_solution, solution_from_json};
#[doc(hidden)]
pub use spec::{generate, is_spec};
#[doc(hidden)]
pub use text::{board_text, game_text, moves_text};
pub use verify::{Cell, PlayedMove, Verified, VerifyError, groups, play, verify};
