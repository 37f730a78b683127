//! The tile games by name: what the command line and other programs without types use.

use super::format::{self, Zero};
use super::game::{Game, Penalty};
use super::grid::Grid;
use super::kernel::{Engine, Geometry, Large, Small};
use super::model::Tiles;
use super::solution::{Solution, parse_solution, solution_from_json};
use super::verify::{PlayedMove, Verified};
use super::{draw, spec, text, verify};
use serde_json::{Value, json};
use soloist::search::parameters::{Auto, Entries, Entry};
use soloist::{Method, Problem, Setup};
use soloist_domain::result::object;
use soloist_domain::{
    AnyInstance, Checked, Domain, DomainOption, Instance, InstanceError, Options, follow, follow_steps,
};

const INSTANCE: &str = "a text file, one line a row, the top row first: colours as numbers separated by blanks or as digits side by side, \
    `.` (or 0) for an empty cell; or a spec random:ROWSxCOLUMNSxCOLOURS:SEED. At most 31 rows, 32 columns, 15 colours";

const ZERO: DomainOption = DomainOption {
    name: "zero",
    values: &["auto", "empty", "colour"],
    help: "what 0 means in a board file: empty, or the first colour; auto: empty if that makes a settled board",
};

/// SameGame.
pub const SAMEGAME: Domain = Domain {
    name: "samegame",
    summary: "remove groups of equal tiles, (n - 2)^2 points for n; 1000 for a cleared board",
    score: "points, larger is better",
    instance: INSTANCE,
    example: "random:15x15x5:7",
    options: &[
        DomainOption {
            name: "penalty",
            values: &["schadd", "literal", "none"],
            help: "points lost for c tiles of a colour left: max(c-2, 0)^2, (c-2)^2, or nothing",
        },
        ZERO,
    ],
    searches: &[],
    load: |name, options| load(Game::SameGame, name, options),
    generate,
};

/// Clickomania.
pub const CLICKOMANIA: Domain = Domain {
    name: "clickomania",
    summary: "remove groups of equal tiles, as many tiles as possible",
    score: "tiles removed, larger is better",
    instance: INSTANCE,
    example: "random:20x20x10:7",
    options: &[ZERO],
    searches: &[],
    load: |name, options| load(Game::Clickomania, name, options),
    generate,
};

/// Bubble Breaker.
pub const BUBBLE_BREAKER: Domain = Domain {
    name: "bubble-breaker",
    summary: "remove groups of equal tiles, n (n - 1) points for n",
    score: "points, larger is better",
    instance: INSTANCE,
    example: "random:15x15x5:7",
    options: &[ZERO],
    searches: &[],
    load: |name, options| load(Game::BubbleBreaker, name, options),
    generate,
};

/// A board with its name and rules.
#[derive(Clone, Debug)]
struct TileInstance<G: Geometry> {
    name: String,
    /// What the reader had to assume.
    note: Option<&'static str>,
    grid: Grid,
    problem: Tiles<G>,
}

fn load(game: Game, instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, InstanceError> {
    let zero = match options.get("zero").map(String::as_str) {
        Some("empty") => Zero::Empty,
        Some("colour") => Zero::Color,
        _ => Zero::Auto,
    };
    let penalty = match options.get("penalty") {
        Some(name) => name.parse().map_err(|error| InstanceError::new(instance, format!("{error}")))?,
        None => Penalty::default(),
    };
    let engine = Engine::detect().map_err(|message| InstanceError::new(instance, message))?;
    let board = format::load(instance, zero)?;
    let note = board.note();
    let grid = board.grid;
    let name = instance.to_owned();
    if let Some(problem) = Tiles::<Small>::new(&grid, game, penalty, engine) {
        return Ok(Box::new(TileInstance { name, note, grid, problem }));
    }
    let problem = Tiles::<Large>::new(&grid, game, penalty, engine)
        .ok_or_else(|| InstanceError::new(instance, "the board is too large or not settled"))?;
    Ok(Box::new(TileInstance { name, note, grid, problem }))
}

fn generate(spec: &str) -> Result<String, InstanceError> {
    Ok(format::write(&spec::generate(spec)?))
}

impl<G: Geometry> TileInstance<G> {
    /// The game of a solution object, played through by the verifier's rules.
    fn played(&self, solution: &Value) -> Result<Verified, String> {
        let solution = solution_from_json("solution", solution).map_err(|error| error.to_string())?;
        verify::play(&self.grid, self.problem.game(), self.problem.penalty(), &solution.moves)
            .map_err(|error| error.to_string())
    }

    /// The game of a text, which must be finished.
    fn verified(&self, text: &str) -> Result<Verified, String> {
        let solution = parse_solution("solution", text.as_bytes(), self.grid.rows()).map_err(|e| e.to_string())?;
        verify(&self.grid, self.problem.game(), Some(self.problem.penalty()), &solution)
            .map_err(|error| error.to_string())
    }

    /// The move of the search that a step is: it is named by the smallest cell of its group.
    fn named(&self, step: &PlayedMove, legal: &[u16]) -> Result<u16, String> {
        let is_in_group = |mv: &&u16| step.group.contains(&self.problem.place(**mv));
        legal.iter().find(is_in_group).copied().ok_or_else(|| "a group that the search does not list".to_owned())
    }
}

impl<G: Geometry> Instance for TileInstance<G> {
    type Problem = Tiles<G>;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let (rows, cols, colors) = (self.grid.rows(), self.grid.cols(), self.grid.colors());
        let (game, engine) = (self.problem.game(), self.problem.engine().name());
        let penalty =
            if game == Game::SameGame { format!(", penalty {}", self.problem.penalty()) } else { String::new() };
        format!("{} on {rows} rows x {cols} columns, {colors} colours{penalty}; engine {engine}", game.title())
    }

    fn remarks(&self) -> Vec<String> {
        self.note.iter().map(|note| (*note).to_owned()).collect()
    }

    fn problem(&self) -> &Tiles<G> {
        &self.problem
    }

    /// SameGame: games of a population are annealed together, then the best one again. The other games: annealing and
    /// NRPA share the budget, since each fails on other boards; the best game of both is annealed again.
    fn default_setup(&self) -> Setup {
        let methods = Entries::of(&self.problem.extras().portfolio()).unwrap_or_default();
        match self.problem.game() {
            Game::SameGame => methods.entries().first().map_or_else(Setup::default, Entry::setup),
            Game::Clickomania | Game::BubbleBreaker => {
                Method::from(Auto { methods, race_part: 0.8, polish: 0.2, ..Auto::default() }).into()
            }
        }
    }

    /// The rollout that a preset was tuned with, by its paper or here; otherwise the one that suits the family.
    fn rollout_for(&self, setup: &Setup) -> String {
        match setup.preset.as_str() {
            "sp-mcts" | "sp-mcts-restarts" | "sp-mcts-balanced" | "sp-mcts-exploration" | "sp-mcts-move" => {
                "tabu-color:0.003"
            }
            "sp-mcts-cem" | "sp-mcts-move-cem" => "tabu-color:0.00007",
            "sp-mcts-adapted" => "selective",
            "bmcts-samegame" | "bmcts-bubble-breaker" | "bmcts-clickomania" => "random",
            "bmcts-samegame-informed" => "tabu-bandit",
            _ => match setup.method.family() {
                "auto" | "nrpa" | "nmcs" => "selective",
                _ => "tabu-color",
            },
        }
        .to_owned()
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let list = Solution::of_moves(moves.iter().map(|&cell| self.problem.place(cell)));
        match verify::play(&self.grid, self.problem.game(), self.problem.penalty(), &list.moves) {
            Ok(played) => solution_json(&played),
            // A search that plays an illegal move is shown as it is; the check that follows rejects it.
            Err(error) => object(vec![("moves", self.moves(moves)), ("error", error.to_string().into())]),
        }
    }

    fn moves(&self, moves: &[u16]) -> Value {
        moves
            .iter()
            .map(|&cell| {
                let (row, col) = self.problem.place(cell);
                serde_json::json!([row, col])
            })
            .collect()
    }

    fn moves_from(&self, shown: &Value) -> Option<Vec<u16>> {
        let cell = |mv: &Value| {
            let place = |at: usize| usize::try_from(mv.get(at)?.as_u64()?).ok();
            self.problem.cell(place(0)?, place(1)?)
        };
        shown.as_array()?.iter().map(cell).collect()
    }

    fn start_from(&self, text: &str) -> Result<Vec<u16>, String> {
        let played = self.verified(text)?;
        let mut left = played.steps.iter();
        follow(&self.problem, |_, legal| self.named(left.next().ok_or("the game is not finished")?, legal))
    }

    fn read_prefix(&self, text: &str) -> Result<Vec<u16>, String> {
        let solution = parse_solution("solution", text.as_bytes(), self.grid.rows()).map_err(|e| e.to_string())?;
        let played = verify::begin(&self.grid, self.problem.game(), Some(self.problem.penalty()), &solution)
            .map_err(|error| error.to_string())?;
        follow_steps(&self.problem, &played.steps, |step, _, legal| self.named(step, legal))
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        let played = self.verified(text)?;
        Ok(Checked { score: played.score as f64, summary: text::summary(&played) })
    }

    fn text(&self, solution: &Value) -> String {
        self.played(solution).map_or_else(|error| error, |played| text::game_text(&played))
    }

    fn svg(&self, solution: &Value) -> String {
        match self.played(solution) {
            Ok(played) => draw::svg_strip(&played, &self.name, draw::PANELS),
            Err(_) => draw::svg_board(&self.grid),
        }
    }
}

/// Returns the `solution` object of a result, as `solution.rs` describes it.
///
/// `penalty` is `none` for the games without penalties.
pub fn solution_json(played: &Verified) -> Value {
    let moves: Vec<Value> = (played.steps.iter())
        .map(|s| {
            object(vec![
                ("row", json!(s.row)),
                ("col", json!(s.col)),
                ("size", json!(s.size)),
                ("points", json!(s.points)),
                ("colour", json!(s.color)),
            ])
        })
        .collect();
    object(vec![
        ("game", json!(played.game)),
        ("penalty", json!(played.penalty)),
        ("moves", moves.into()),
        ("tiles_left", json!(played.tiles_left)),
        ("cleared", (played.tiles_left == 0).into()),
        ("end_points", json!(played.end_points)),
    ])
}
