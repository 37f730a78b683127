//! Independent verification: a game replayed on sets of points and segments, by the rules as they are usually stated.

use super::{Direction, Game, Point, Stroke, Variant, format};
use serde_json::Value;
use soloist_domain::Checked;
use soloist_domain::answer::{SubmittedSolution, claim, short};
use std::collections::BTreeSet;
use std::fmt;

/// The largest absolute coordinate of a solution.
const MAX_COORDINATE: i32 = 1_000_000;

/// A move that breaks the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalStroke {
    /// The move, counted from 0.
    pub index: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for IllegalStroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {}: {}", self.index + 1, self.message)
    }
}

impl std::error::Error for IllegalStroke {}

/// A move that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedStroke {
    /// The move.
    pub stroke: Stroke,
    /// The first and the last point of its line.
    pub ends: (Point, Point),
}

/// A game that was replayed without a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The rules.
    pub variant: Variant,
    /// The moves.
    pub steps: Vec<PlayedStroke>,
    /// How many moves could be played next.
    pub possible: usize,
}

impl Played {
    /// Returns the game that has not begun.
    pub(super) fn of(variant: Variant) -> Self {
        Self { variant, steps: Vec::new(), possible: Paper::new(variant).possible() }
    }

    /// One line: how long the game is and whether it is over.
    #[must_use]
    pub fn summary(&self) -> String {
        let moves = match self.steps.len() {
            1 => "1 move".to_owned(),
            count => format!("{count} moves"),
        };
        let rest = match self.possible {
            0 => "no further move possible".to_owned(),
            1 => "1 further move possible".to_owned(),
            count => format!("{count} further moves possible"),
        };
        format!("Morpion Solitaire {}: {moves}, {rest}", self.variant)
    }
}

/// Everything drawn on the paper.
struct Paper {
    variant: Variant,
    dots: BTreeSet<Point>,
    /// What no other line of the same direction (by its sign) may use: the points of lines in a disjoint variant, their
    /// segments by their first points in a touching one.
    taken: BTreeSet<(char, Point)>,
}

impl Paper {
    fn new(variant: Variant) -> Self {
        Self { variant, dots: variant.cross().into_iter().collect(), taken: BTreeSet::new() }
    }

    /// The points of a line from its left, or upper, end.
    fn line(&self, stroke: &Stroke) -> Vec<Point> {
        let (right, down) = match stroke.direction {
            Direction::Across => (1, 0),
            Direction::Down => (0, 1),
            Direction::Falling => (1, 1),
            Direction::Rising => (1, -1),
        };
        let offset = |index: usize| index as i32 - stroke.position as i32;
        let (x, y) = stroke.point;
        let place = |index| (x.saturating_add(right * offset(index)), y.saturating_add(down * offset(index)));
        (0..self.variant.length()).map(place).collect()
    }

    /// What a line takes.
    fn needs(&self, line: &[Point]) -> usize {
        if self.variant.is_disjoint() { line.len() } else { line.len() - 1 }
    }

    /// The line of a move.
    fn judge(&self, stroke: &Stroke) -> Result<Vec<Point>, String> {
        if stroke.position >= self.variant.length() {
            let last = self.variant.length() - 1;
            return Err(format!("{stroke}: positions are 0 to {last} in {}", self.variant));
        }
        if self.dots.contains(&stroke.point) {
            return Err(format!("{stroke}: there is a dot already"));
        }
        let line = self.line(stroke);
        if let Some((x, y)) = line.iter().find(|point| **point != stroke.point && !self.dots.contains(*point)) {
            return Err(format!("{stroke}: the line has no dot at ({x},{y})"));
        }
        let sign = stroke.direction.sign();
        if let Some((x, y)) = line[..self.needs(&line)].iter().find(|point| self.taken.contains(&(sign, **point))) {
            let what = if self.variant.is_disjoint() { "the point" } else { "the segment from" };
            return Err(format!("{stroke}: an earlier line {sign} has {what} ({x},{y})"));
        }
        Ok(line)
    }

    fn play(&mut self, stroke: &Stroke) -> Result<PlayedStroke, String> {
        let line = self.judge(stroke)?;
        self.dots.insert(stroke.point);
        self.taken.extend(line[..self.needs(&line)].iter().map(|&point| (stroke.direction.sign(), point)));
        Ok(PlayedStroke { stroke: *stroke, ends: (line[0], line[line.len() - 1]) })
    }

    /// How many moves could be played.
    fn possible(&self) -> usize {
        let around = |&(x, y): &Point| (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
        let points: BTreeSet<Point> = self.dots.iter().flat_map(around).collect();
        let mut count = 0;
        for &point in &points {
            for direction in Direction::ALL {
                for position in 0..self.variant.length() {
                    count += usize::from(self.judge(&Stroke { point, direction, position }).is_ok());
                }
            }
        }
        count
    }
}

/// Plays the moves from the cross on.
///
/// # Errors
/// The first move that breaks the rules.
pub fn replay(variant: Variant, strokes: &[Stroke]) -> Result<Played, IllegalStroke> {
    let mut paper = Paper::new(variant);
    let mut steps = Vec::new();
    for (index, stroke) in strokes.iter().enumerate() {
        steps.push(paper.play(stroke).map_err(|message| IllegalStroke { index, message })?);
    }
    Ok(Played { variant, steps, possible: paper.possible() })
}

/// Verifies a solution of `game`: a game, finished or not, that begins with the moves that the instance gives.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible`,
///   `score` and `moves`;
/// - its `solution` alone: `{"moves": [{"point": [2, 2], "direction": "/", "position": 2}, ...]}`, the fields
///   `variant`, `length`, `start` and `pentasol` being checked when present; `pentasol` may stand instead of `moves`;
/// - a JSON list of moves, each such an object or `[2, 2, "/", 2]`;
/// - a game in Pentasol notation; see [`parse`](super::parse).
///
/// # Errors
/// One line: text that cannot be read, a move that breaks the rules, another beginning, a claim that does not hold.
pub fn check(game: &Game, text: &str) -> Result<Checked, String> {
    let result = match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => return verdict(game, &pentasol("solution", text, game.variant())?),
        SubmittedSolution::List(moves) => return verdict(game, &list(&moves)?),
        SubmittedSolution::Object(result) => result,
    };
    result.belong_to("morpion")?;
    let solution = result.solution()?;
    if let Some(variant) = solution.get("variant")
        && variant != game.variant().name()
    {
        return Err(format!("a game of {}, expected {}", short(variant), game.variant()));
    }
    let strokes = strokes(solution, game.variant())?;
    if let Some(text) = solution.get("pentasol") {
        let text = text.as_str().ok_or("`pentasol` is not a text")?;
        if pentasol("pentasol", text, game.variant())? != strokes {
            return Err("`pentasol` and `moves` are different games".into());
        }
    }
    let checked = verdict(game, &strokes)?;
    if result.is_result()
        && let Some(moves) = result.get("moves")
        && list(moves)? != strokes[game.start().len()..]
    {
        return Err("`moves` of the result and of its solution are different games".into());
    }
    claim("score", result.get("score"), strokes.len() as u64)?;
    claim("length", solution.get("length"), strokes.len() as u64)?;
    claim("start", solution.get("start"), game.start().len() as u64)?;
    Ok(checked)
}

/// Returns the moves of a solution in any form, those of the instance included.
pub(super) fn all_strokes(game: &Game, text: &str) -> Result<Vec<Stroke>, String> {
    match SubmittedSolution::read(text)? {
        SubmittedSolution::Plain(text) => pentasol("solution", text, game.variant()),
        SubmittedSolution::List(moves) => list(&moves),
        SubmittedSolution::Object(result) => strokes(result.solution()?, game.variant()),
    }
}

/// Returns the moves of a solution object.
pub(super) fn strokes(solution: &Value, variant: Variant) -> Result<Vec<Stroke>, String> {
    match (solution.get("moves"), solution.get("pentasol")) {
        (Some(moves), _) => list(moves),
        (None, Some(Value::String(text))) => pentasol("pentasol", text, variant),
        _ => Err("no list `moves`".into()),
    }
}

/// The moves of a text in Pentasol notation, which may name no other variant.
fn pentasol(name: &str, text: &str, variant: Variant) -> Result<Vec<Stroke>, String> {
    let game = format::parse(name, text.as_bytes(), Some(variant)).map_err(|error| error.to_string())?;
    if game.variant() != variant {
        return Err(format!("a game of {}, expected {variant}", game.variant()));
    }
    Ok(game.start().to_vec())
}

fn verdict(game: &Game, strokes: &[Stroke]) -> Result<Checked, String> {
    for (index, given) in game.start().iter().enumerate() {
        if strokes.get(index) != Some(given) {
            return Err(format!("move {} is not that of the instance, {given}", index + 1));
        }
    }
    let played = replay(game.variant(), strokes).map_err(|fault| fault.to_string())?;
    Ok(Checked { score: played.steps.len() as f64, summary: played.summary() })
}

fn list(moves: &Value) -> Result<Vec<Stroke>, String> {
    let moves = moves.as_array().ok_or("`moves` is not a list")?;
    let read = |(index, entry): (usize, &Value)| {
        stroke(entry).ok_or_else(|| {
            let form = r#"{"point": [2, 2], "direction": "/", "position": 2} or [2, 2, "/", 2]"#;
            format!("move {}: {}, expected {form}", index + 1, short(entry))
        })
    };
    moves.iter().enumerate().map(read).collect()
}

fn stroke(entry: &Value) -> Option<Stroke> {
    let (point, direction, position) = match entry {
        Value::Array(fields) if fields.len() == 4 => (&fields[..2], &fields[2], &fields[3]),
        Value::Object(fields) => {
            (fields.get("point")?.as_array()?.as_slice(), fields.get("direction")?, fields.get("position")?)
        }
        _ => return None,
    };
    let [x, y] = point else { return None };
    let range = -MAX_COORDINATE..=MAX_COORDINATE;
    let coordinate = |value: &Value| i32::try_from(value.as_i64()?).ok().filter(|at| range.contains(at));
    let mut signs = direction.as_str()?.chars();
    let direction = Direction::from_sign(signs.next()?)?;
    if signs.next().is_some() {
        return None;
    }
    // Lines have a handful of points: larger positions are refused by the rules.
    let position = position.as_u64()?.min(100) as usize;
    Some(Stroke { point: (coordinate(x)?, coordinate(y)?), direction, position })
}
