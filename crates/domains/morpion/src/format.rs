//! Games in the notation of the Pentasol program, in which www.morpionsolitaire.com keeps its records.

use super::{Direction, Game, MAX_MOVES, Stroke, Variant};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{lines, read_file, text_bytes};
use std::fmt::Write as _;

/// Bytes of a file that are read at most: room for [`MAX_MOVES`] lines and long comments.
const MAX_BYTES: usize = 1 << 20;
/// The largest absolute coordinate read.
const MAX_COORDINATE: i32 = 1_000_000;
/// Where games are written to have their reference point, as on www.morpionsolitaire.com.
const REFERENCE: i32 = 28;

/// Reads the file at `path`; `assumed` is its variant unless it names another.
///
/// # Errors
/// A file that cannot be read, is larger than 1 MiB, or is refused by [`parse`].
pub fn read(path: &str, assumed: Option<Variant>) -> Result<Game, InstanceError> {
    let bytes = read_file(path, MAX_BYTES).map_err(|mut error| {
        if error.message.starts_with("cannot be read") {
            error.message.push_str("; nor is it one of the specs 5T, 5D, 4T and 4D");
        }
        error
    })?;
    parse(path, &bytes, assumed)
}

/// Reads a game from the text of a file; `name` is what errors call it, `assumed` its variant unless it names another.
///
/// ```text
/// # variant 5D
/// (28,28)
/// (27,27) / 0
/// (31,35) | -2
/// ```
/// The first line that is no comment is the reference point: where the inner corner of the cross at the upper left
/// lies, as (column,row) with rows downwards. Each further line is a move: the new dot, the direction of its line, and
/// how far the middle of the line is from it: `+2` if the dot is the left end of the line (the upper end of `|`), `-2`
/// at the other end, `0` in the middle. In lines of four points, which the notation was not made for, the third point
/// counts as the middle, from `+2` to `-1`. Blank lines and lines that begin with `#` are skipped, but for `# variant
/// 5T`, which names the variant. The game need not be finished.
///
/// # Errors
/// One line with the place and what was expected: no variant named or assumed, or two named;
/// a line of another form, coordinates beyond a million, more than [`MAX_MOVES`] moves, a move that breaks the rules,
/// binary data.
///
/// ```
/// use soloist_morpion::{Variant, parse};
/// let game = parse("a.txt", b"(28,28)\n(27,27) / 0\n", Some(Variant::D5)).unwrap();
/// assert_eq!((game.start()[0].point, game.start()[0].position), ((2, 2), 2));
/// let error = parse("a.txt", b"(28,28)\n(27,27) / 3\n", Some(Variant::D5)).unwrap_err();
/// assert_eq!(error.to_string(), "a.txt: line 2: distance 3 of the line's middle, expected -2 to +2");
/// ```
pub fn parse(name: &str, bytes: &[u8], assumed: Option<Variant>) -> Result<Game, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let bytes = text_bytes(name, bytes)?;
    let mut named = None;
    for (number, text) in lines(bytes) {
        let Some(variant) = named_variant(text) else { continue };
        if let Some(other) = named.replace(variant)
            && other != variant
        {
            return Err(fail(number, format!("variant {variant}, but {other} is named above")));
        }
    }
    let Some(variant) = named.or(assumed) else {
        let message = "no variant named: expected a line `# variant 5T` (or 5D, 4T, 4D), or the option assume=5T";
        return Err(InstanceError::new(name, message));
    };
    let mut reference = None;
    let (mut strokes, mut places) = (Vec::new(), Vec::new());
    for (number, text) in lines(bytes) {
        let text = text.trim_ascii();
        if text.is_empty() || text[0] == b'#' {
            continue;
        }
        let Some((at_x, at_y)) = reference else {
            let mut rest = text;
            let found = point(&mut rest).map_err(|wrong| fail(number, wrong))?;
            if !rest.is_empty() {
                return Err(fail(number, format!("{} after the reference point", quote(rest))));
            }
            reference = Some(found);
            continue;
        };
        if strokes.len() == MAX_MOVES {
            return Err(fail(number, format!("more than {MAX_MOVES} moves")));
        }
        let (found, direction, distance) = entry(text).map_err(|wrong| fail(number, wrong))?;
        let least = 3 - variant.length() as i32;
        if !(least..=2).contains(&distance) {
            let message = format!("distance {distance} of the line's middle, expected {least} to +2");
            return Err(fail(number, message));
        }
        let corner = corner(variant);
        let point = (found.0 - at_x + corner, found.1 - at_y + corner);
        strokes.push(Stroke { point, direction, position: (2 - distance) as usize });
        places.push(number);
    }
    if reference.is_none() {
        return Err(InstanceError::new(name, "no reference point, expected a line such as (28,28)"));
    }
    Game::new(variant, strokes).map_err(|fault| {
        let place = places.get(fault.index).copied().unwrap_or(1);
        fail(place, fault.to_string())
    })
}

/// The variant that a comment names, if it does nothing else.
fn named_variant(line: &[u8]) -> Option<Variant> {
    let text = std::str::from_utf8(line.trim_ascii().strip_prefix(b"#")?).ok()?;
    let mut words = text.split_ascii_whitespace();
    let named = words.next().is_some_and(|word| word == "variant").then(|| words.next())??;
    words.next().is_none().then(|| named.parse().ok())?
}

/// Column, and row, of the reference point.
fn corner(variant: Variant) -> i32 {
    variant.length() as i32 - 2
}

const FORM: &str = "expected a move such as (27,27) / 0: the new dot, the direction (- | / \\), the distance of the \
                    line's middle";

/// A move: the new dot, the direction, the distance of the middle.
fn entry(text: &[u8]) -> Result<((i32, i32), Direction, i32), String> {
    let mut rest = text;
    let found =
        point(&mut rest).map_err(|wrong| if text[0] == b'(' { wrong } else { format!("{}, {FORM}", quote(text)) })?;
    let direction = rest.first().and_then(|&sign| Direction::from_sign(char::from(sign)));
    let direction = direction.ok_or_else(|| format!("direction {}, {FORM}", quote(rest)))?;
    rest = rest[1..].trim_ascii();
    let distance = number(&mut rest).ok_or_else(|| format!("distance {}, {FORM}", quote(rest)))?;
    if !rest.is_empty() {
        return Err(format!("{} after a move", quote(rest)));
    }
    Ok((found, direction, distance))
}

/// Takes a point such as (27,27) and the blanks behind it off the front.
fn point(rest: &mut &[u8]) -> Result<(i32, i32), String> {
    let shown = quote(rest);
    let mut take = || {
        expect(rest, b'(')?;
        let x = number(rest)?;
        expect(rest, b',')?;
        let y = number(rest)?;
        expect(rest, b')')?;
        Some((x, y))
    };
    take().ok_or_else(|| format!("{shown}, expected a point such as (28,28), at most {MAX_COORDINATE} from 0"))
}

/// Takes one byte and the blanks behind it off the front.
fn expect(rest: &mut &[u8], byte: u8) -> Option<()> {
    *rest = rest.strip_prefix(&[byte])?.trim_ascii_start();
    Some(())
}

/// Takes a whole number with or without a sign, and the blanks behind it, off the front; none beyond
/// [`MAX_COORDINATE`].
fn number(rest: &mut &[u8]) -> Option<i32> {
    let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (text, behind) = rest.split_at(sign + digits);
    let value = std::str::from_utf8(text).ok()?.parse().ok()?;
    if !(-MAX_COORDINATE..=MAX_COORDINATE).contains(&value) {
        return None;
    }
    *rest = behind.trim_ascii_start();
    Some(value)
}

/// Moves in the notation that [`parse`] reads, the variant named in the first line, the reference point (28,28).
pub(super) fn pentasol(variant: Variant, strokes: &[Stroke]) -> String {
    let mut text = format!("# variant {variant}\n({REFERENCE},{REFERENCE})\n");
    for stroke in strokes {
        text.push_str(&entry_text(variant, stroke));
        text.push('\n');
    }
    text
}

/// Returns a move in that notation.
pub(super) fn entry_text(variant: Variant, stroke: &Stroke) -> String {
    let shift = REFERENCE - corner(variant);
    let (x, y) = (stroke.point.0 + shift, stroke.point.1 + shift);
    let mut text = format!("({x},{y}) {} ", stroke.direction.sign());
    // Writing to a string cannot fail. Zero has no sign in the records.
    let _ = match 2 - stroke.position as i32 {
        0 => write!(text, "0"),
        distance => write!(text, "{distance:+}"),
    };
    text
}

/// Returns the game as the text of a file, with a picture of the cross.
#[must_use]
pub fn write(game: &Game) -> String {
    let variant = game.variant();
    let mut text =
        String::from("# Morpion Solitaire, Pentasol notation. R, the reference point, comes first, as (column,row);\n");
    text.push_str("# then each move: the new dot, the direction of its line, the distance of the line's middle:\n");
    text.push_str("# positive if that is further right, or further down in a line |.\n#\n");
    let corner = corner(variant) as usize;
    let mut rows: Vec<Vec<u8>> = vec![vec![b' '; variant.cross_size()]; variant.cross_size()];
    for (x, y) in variant.cross() {
        rows[y as usize][x as usize] = b'O';
    }
    rows[corner][corner] = b'R';
    for row in rows {
        let row: String = row.into_iter().map(char::from).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "#   {}", row.trim_end());
    }
    text + "#\n" + &pentasol(variant, game.start())
}
