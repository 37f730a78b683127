//! Solutions as files: result JSON and plain move lists, both ways.
//!
//! Everywhere **rows and columns count from 0 at the top left** of the board as it stands before the move, and any cell
//! of the group names the group.
//!
//! # JSON
//! The output of `soloist solve --json`, or its `solution` field alone:
//! ```json
//! {"problem": "samegame", "score": 1001,
//!  "solution": {"game": "samegame", "penalty": "schadd", "tiles_left": 0, "cleared": true, "end_points": 1000,
//!               "moves": [{"row": 1, "col": 0, "size": 3, "points": 1, "colour": 2}]}}
//! ```
//! Only `moves` with `row` and `col` are needed (`[row, col]`, `[row, col, size]` and `[row, col, size, points]` are
//! understood too); whatever else is claimed is checked by [`verify`](crate::verify()). Other fields are ignored.
//!
//! # Plain text
//! One move a line, `row column`, separated by blanks or a comma; blank lines and lines that start with `#` are
//! ignored. The header `# convention: column-row-from-bottom` before the first move switches to the convention of other
//! programs: first the column from the left, then the row from the bottom, both from 0.

use serde_json::Value;

use crate::game::{Game, Penalty};
use soloist_domain::answer;
use soloist_domain::error::{InstanceError, quote};
use soloist_domain::input::{lines, text_bytes};

/// The most bytes of a solution file: a result of the largest board takes far less.
pub(crate) const MAX_BYTES: usize = 4 << 20;

/// A move as claimed: a cell of the group and what it is said to bring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The row, from 0 at the top.
    pub row: usize,
    /// The column, from 0 at the left.
    pub col: usize,
    /// The number of tiles said to be removed.
    pub size: Option<usize>,
    /// The points said to be gained.
    pub points: Option<i64>,
    /// The colour said to be removed.
    pub color: Option<usize>,
}

/// A solution as claimed: nothing in it has been checked against a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solution {
    /// The game it is said to be for; `None` where the file does not say.
    pub game: Option<Game>,
    /// The convention of the end penalty used.
    pub penalty: Option<Penalty>,
    /// The moves, in order.
    pub moves: Vec<Claim>,
    /// The final score, in points.
    pub score: Option<i64>,
    /// The number of tiles left.
    pub tiles_left: Option<usize>,
    /// Whether the board is empty at the end.
    pub cleared: Option<bool>,
    /// The points at the end: award or minus penalty.
    pub end_points: Option<i64>,
}

impl Solution {
    /// Returns a solution that claims these moves, as (row, column), and nothing else.
    pub fn of_moves(moves: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let moves = moves.into_iter().map(|(row, col)| Claim { row, col, ..Claim::default() }).collect();
        Self { moves, ..Self::default() }
    }
}

/// Returns the solution in `bytes`, called `name` in errors: JSON if it starts with a bracket, else a plain move list.
///
/// # Errors
/// Reads the text of a solution in the same way.
pub fn parse_solution(name: &str, bytes: &[u8], rows: usize) -> Result<Solution, InstanceError> {
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(name, format!("more than {MAX_BYTES} bytes, the limit for a solution")));
    }
    let bytes = text_bytes(name, bytes)?;
    if matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[')) {
        let value = serde_json::from_slice(bytes).map_err(|error| InstanceError::json(name, &error))?;
        return solution_from_json(name, &value);
    }
    parse_text(name, bytes, rows)
}

/// Returns the solution in a result object or in its `solution` field alone; `name` is used in errors.
///
/// # Errors
/// A missing move list, a field of the wrong type or out of range, or another problem's result.
pub fn solution_from_json(name: &str, value: &Value) -> Result<Solution, InstanceError> {
    json_solution(value).map_err(|message| InstanceError::new(name, message))
}

fn json_solution(value: &Value) -> Result<Solution, String> {
    let top = value.as_object().ok_or("expected a JSON object with a field \"solution\"")?;
    let whole = top.contains_key("solution");
    let fields = answer::solution(value).map_err(|other| match other {
        Value::Null => "\"solution\" is null: the result holds no solution".to_owned(),
        other => format!("\"solution\" is {}, expected an object", shown(other)),
    })?;
    let mut solution = Solution::default();
    for (object, key) in [(value, "problem"), (fields, "game")] {
        if let Some(found) = name_field::<Game>(object, key)? {
            if let Some(other) = solution.game.filter(|&other| other != found) {
                return Err(format!("\"problem\" is {other}, but \"game\" is {found}"));
            }
            solution.game = Some(found);
        }
    }
    solution.penalty = name_field(fields, "penalty")?;
    let Some(moves) = fields.get("moves") else {
        let place = if whole { "\"solution\"" } else { "the object" };
        return Err(format!("{place} has no field \"moves\""));
    };
    let moves = moves.as_array().ok_or_else(|| format!("\"moves\" is {}, expected a list", shown(moves)))?;
    for (i, step) in moves.iter().enumerate() {
        solution.moves.push(json_claim(step).map_err(|message| format!("move {}: {message}", i + 1))?);
    }
    if let Some(Value::Array(list)) = top.get("moves").filter(|_| whole) {
        // The moves of the search in a result: the same cells again.
        let cells =
            list.iter().map(json_claim).collect::<Result<Vec<_>, _>>().map_err(|e| format!("\"moves\": {e}"))?;
        let differs =
            |i: &usize| cells.get(*i).map(|c| (c.row, c.col)) != solution.moves.get(*i).map(|c| (c.row, c.col));
        if let Some(i) = (0..cells.len().max(solution.moves.len())).find(differs) {
            return Err(format!("\"moves\" and the moves of \"solution\" differ at move {}", i + 1));
        }
    }
    // A bare solution may carry its score too.
    solution.score = integer(top.get("score"), "score")?.or(integer(fields.get("score"), "score")?);
    solution.tiles_left = index(fields.get("tiles_left"), "tiles_left")?;
    solution.end_points = integer(fields.get("end_points"), "end_points")?;
    solution.cleared = match fields.get("cleared") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(cleared)) => Some(*cleared),
        Some(other) => return Err(format!("\"cleared\" is {}, expected true or false", shown(other))),
    };
    Ok(solution)
}

fn json_claim(step: &Value) -> Result<Claim, String> {
    let field = |i: usize, key: &str| match step {
        Value::Array(list) => list.get(i),
        other => other.get(key),
    };
    match step {
        Value::Object(_) => {}
        Value::Array(list) if (2..=4).contains(&list.len()) => {}
        other => return Err(format!("{} is not an object with \"row\" and \"col\"", shown(other))),
    }
    Ok(Claim {
        row: index(field(0, "row"), "row")?.ok_or("no \"row\"")?,
        col: index(field(1, "col"), "col")?.ok_or("no \"col\"")?,
        size: index(field(2, "size"), "size")?,
        points: integer(field(3, "points"), "points")?,
        color: index(field(4, "colour"), "colour")?,
    })
}

fn name_field<T: std::str::FromStr<Err = super::game::UnknownName>>(
    object: &Value,
    key: &str,
) -> Result<Option<T>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some).map_err(|error| format!("\"{key}\": {error}")),
        Some(other) => Err(format!("\"{key}\" is {}, expected a name", shown(other))),
    }
}

/// A whole number, also when written with a fraction of zero: scores are floating-point numbers in results.
fn integer(value: Option<&Value>, key: &str) -> Result<Option<i64>, String> {
    /// Whole numbers are exact in a float up to here.
    const EXACT: f64 = (1_u64 << 53) as f64;
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_i64()
            .or_else(|| value.as_f64().filter(|x| x.fract() == 0.0 && x.abs() <= EXACT).map(|x| x as i64))
            .map(Some)
            .ok_or_else(|| format!("\"{key}\" is {}, expected a whole number", shown(value))),
    }
}

fn index(value: Option<&Value>, key: &str) -> Result<Option<usize>, String> {
    integer(value, key)?
        .map(|n| usize::try_from(n).map_err(|_| format!("\"{key}\" is {n}, expected a whole number from 0")))
        .transpose()
}

/// A value for a message: short, whatever it is.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".into(),
        Value::Array(_) => "a list".into(),
        Value::String(text) => quote(text.as_bytes()),
        other => other.to_string(),
    }
}

fn parse_text(name: &str, bytes: &[u8], rows: usize) -> Result<Solution, InstanceError> {
    let mut from_bottom = false;
    let mut solution = Solution::default();
    for (line, text) in lines(bytes) {
        let fail = |message: String| InstanceError::new(name, message).with_line(line);
        let text = text.trim_ascii();
        if let Some(comment) = text.strip_prefix(b"#") {
            let Some(convention) = comment.trim_ascii().strip_prefix(b"convention:") else { continue };
            if !solution.moves.is_empty() {
                return Err(fail("the convention must stand before the first move".into()));
            }
            from_bottom = match convention.trim_ascii() {
                b"row-column" => false,
                b"column-row-from-bottom" => true,
                other => {
                    let found = quote(other);
                    return Err(fail(format!("convention {found}: expected row-column or column-row-from-bottom")));
                }
            };
            continue;
        }
        if text.is_empty() {
            continue;
        }
        let (first, second) = pair(text).ok_or_else(|| {
            let what = if from_bottom { "column and row" } else { "row and column" };
            fail(format!("{} is not a move: expected {what}, two whole numbers from 0", quote(text)))
        })?;
        let (row, col) = if from_bottom {
            let row = rows.checked_sub(1).and_then(|top| top.checked_sub(second));
            (row.ok_or_else(|| fail(format!("row {second} from the bottom, but the board has {rows} rows")))?, first)
        } else {
            (first, second)
        };
        solution.moves.push(Claim { row, col, ..Claim::default() });
    }
    Ok(solution)
}

/// Two whole numbers separated by blanks or one comma.
fn pair(text: &[u8]) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(text).ok()?;
    let (first, second) = text.split_once(|c: char| c == ',' || c.is_ascii_whitespace())?;
    let second = second.trim_ascii_start();
    let second = if text[first.len()..].starts_with(',') { second } else { second.strip_prefix(',').unwrap_or(second) };
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    Some((number(first)?, number(second.trim_ascii())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse_solution("s", text.as_bytes(), 3).unwrap_err().to_string()
    }

    #[test]
    fn both_move_lists_of_a_result_must_agree() {
        let result = |moves: &str| {
            format!(
                r#"{{"moves": {moves}, "solution": {{"moves": [{{"row": 2, "col": 1}}, {{"row": 0, "col": 0}}]}}}}"#
            )
        };
        assert!(parse_solution("s", result("[[2, 1], [0, 0]]").as_bytes(), 3).is_ok());
        for moves in ["[[2, 1], [0, 1]]", "[[2, 1]]", "[[2, 1], [0, 0], [0, 0]]"] {
            assert!(error(&result(moves)).contains("differ at move"), "{moves}");
        }
    }

    #[test]
    fn plain_lists() {
        let moves = |text: &str| -> Vec<_> {
            parse_solution("s", text.as_bytes(), 3).unwrap().moves.iter().map(|m| (m.row, m.col)).collect()
        };
        assert_eq!(moves("\u{feff}# a\n2 1\r\n0,4\n\n 1 , 3 \n1\t2"), [(2, 1), (0, 4), (1, 3), (1, 2)]);
        assert_eq!(moves("#convention:column-row-from-bottom\n2 1\n0 0\n"), [(1, 2), (2, 0)]);
        assert_eq!(moves("# convention: row-column\n2 1"), [(2, 1)]);
        assert_eq!(moves(""), []);
    }

    #[test]
    fn errors_of_plain_lists() {
        let no_move = |text: &str| format!("'{text}' is not a move: expected row and column, two whole numbers from 0");
        for text in ["1", "1 2 3", "1 -2", "a b", "1,,2", "1;2", "1 99999999999999999999999", "+1 2"] {
            let shown = if text.len() > 24 { format!("{}...", &text[..24]) } else { text.to_string() };
            assert_eq!(error(&format!("0 0\n{text}")), format!("s: line 2: {}", no_move(&shown)));
        }
        let bottom = "# convention: column-row-from-bottom\n";
        assert_eq!(error(&format!("{bottom}0 3")), "s: line 2: row 3 from the bottom, but the board has 3 rows");
        assert_eq!(error(&format!("0 0\n{bottom}")), "s: line 2: the convention must stand before the first move");
        assert_eq!(
            error("# convention: xy"),
            "s: line 1: convention 'xy': expected row-column or column-row-from-bottom"
        );
        assert_eq!(error("\0"), "s: line 1: binary data (a zero byte), expected text");
    }

    #[test]
    fn json_forms() {
        let whole = r#"{"problem":"samegame","score":3.0,"moves":[[1, 2]],"x":1,
            "solution":{"game":"samegame","penalty":"literal","moves":[{"row":1,"col":2,"size":3,"points":1,"colour":4}],
            "tiles_left":0,"cleared":true,"end_points":1000}}"#;
        let solution = parse_solution("s", whole.as_bytes(), 3).unwrap();
        let claim = Claim { row: 1, col: 2, size: Some(3), points: Some(1), color: Some(4) };
        assert_eq!(solution.moves, [claim]);
        assert_eq!((solution.game, solution.penalty), (Some(Game::SameGame), Some(Penalty::Literal)));
        assert_eq!((solution.score, solution.tiles_left), (Some(3), Some(0)));
        assert_eq!((solution.cleared, solution.end_points), (Some(true), Some(1000)));
        let bare = parse_solution("s", br#" {"moves":[[1,2],[1,2,3,1]]}"#, 3).unwrap();
        assert_eq!(bare.moves[0], Claim { row: 1, col: 2, ..Claim::default() });
        assert_eq!(bare.moves[1], Claim { color: None, ..claim });
    }

    #[test]
    fn errors_of_json() {
        let cases: &[(&str, &str)] = &[
            ("{", "s: line 1, column 1: not valid JSON: EOF while parsing an object"),
            ("[1]", "s: expected a JSON object with a field \"solution\""),
            ("{}", "s: the object has no field \"moves\""),
            (r#"{"solution":null}"#, "s: \"solution\" is null: the result holds no solution"),
            (r#"{"solution":3}"#, "s: \"solution\" is 3, expected an object"),
            (r#"{"solution":{}}"#, "s: \"solution\" has no field \"moves\""),
            (r#"{"moves":{}}"#, "s: \"moves\" is an object, expected a list"),
            (r#"{"moves":[5]}"#, "s: move 1: 5 is not an object with \"row\" and \"col\""),
            (r#"{"moves":[[1,2],[1]]}"#, "s: move 2: a list is not an object with \"row\" and \"col\""),
            (r#"{"moves":[{"row":1}]}"#, "s: move 1: no \"col\""),
            (r#"{"moves":[{"row":-1,"col":0}]}"#, "s: move 1: \"row\" is -1, expected a whole number from 0"),
            (r#"{"moves":[{"row":1.5,"col":0}]}"#, "s: move 1: \"row\" is 1.5, expected a whole number"),
            (r#"{"moves":[],"score":"9"}"#, "s: \"score\" is '9', expected a whole number"),
            (r#"{"moves":[],"score":1e300}"#, "s: \"score\" is 1e+300, expected a whole number"),
            (r#"{"moves":[],"cleared":1}"#, "s: \"cleared\" is 1, expected true or false"),
            (r#"{"moves":[],"penalty":"x"}"#, "s: \"penalty\": unknown penalty 'x': expected schadd, literal or none"),
            (r#"{"moves":[],"game":1}"#, "s: \"game\" is 1, expected a name"),
            (
                r#"{"problem":"snake","moves":[]}"#,
                "s: \"problem\": unknown tile game 'snake': expected samegame, clickomania or bubble-breaker",
            ),
            (
                r#"{"problem":"samegame","solution":{"game":"clickomania","moves":[]}}"#,
                "s: \"problem\" is samegame, but \"game\" is clickomania",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(error(text), *expected, "{text}");
        }
        assert!(error(&"[".repeat(100_000)).contains("recursion limit"));
        let long = parse_solution("s", &vec![b' '; MAX_BYTES + 1], 3).unwrap_err();
        assert_eq!(long.to_string(), "s: more than 4194304 bytes, the limit for a solution");
    }
}
