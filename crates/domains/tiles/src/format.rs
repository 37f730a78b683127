//! Boards as text files: reading with errors that name the place, and writing.
//!
//! # The format
//! One line a row, the top row first. Cells are colour numbers 1 to 15, separated by blanks, tabs or commas, or not
//! separated at all: then every character is a cell and colours end at 9. The first row decides which. `.` is an empty
//! cell. A line that starts with `#` is a comment; blank lines are allowed before and after the board. One trailing
//! comma a row is ignored, so `10,` is one cell of colour 10. Windows line ends and a UTF-8 byte order mark are fine.
//!
//! # What 0 means
//! Files of this field write 0 for an empty cell or for the first colour. With [`Zero::Auto`]:
//! - if the file has a `.`, or if reading every 0 as empty gives a settled board (no empty cell below a tile, no empty
//!   column left of a tile), 0 is **empty**;
//! - otherwise 0 is the **first colour** and every number is one higher in the [`Grid`].
//!
//! A full board numbered from 0 whose zeros all happen to lie where empty cells may lie (in the top rows of their
//! columns, or in whole columns at the right) is therefore read with empty cells. On random boards of a usual size this
//! does not occur, but on a board of a few cells it may: say [`Zero::Color`] there. Conversely a file that marks empty
//! cells by 0 but is not settled would be taken as numbered from 0: [`ReadBoard::note`] says when 0 became a colour,
//! and [`Zero::Empty`] turns such a file into an error that names the cell.

use std::path::Path;

use crate::grid::{Grid, MAX_COLORS, MAX_COLS, MAX_ROWS, Unsettled};
use crate::spec;
use soloist_domain::error::{InstanceError, quote};
use soloist_domain::input::{column_of, lines, read_file_prefix, text_bytes};

/// The most bytes of a board file: many times the largest board, so that there is room for comments.
pub(crate) const MAX_BYTES: usize = 65_536;

/// How to read `0`; see the head of this file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Zero {
    /// Empty if that gives a settled board (or a `.` occurs), else the first colour.
    #[default]
    Auto,
    /// Always an empty cell.
    Empty,
    /// Always the first colour: all numbers are shifted by one, even when no 0 occurs.
    Color,
}

/// A board that was read, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBoard {
    /// The board: settled, with at least one tile.
    pub grid: Grid,
    /// What the zeros of the file were taken for: [`Zero::Empty`] or [`Zero::Color`]; `None` when it has none.
    pub zeros: Option<Zero>,
}

impl ReadBoard {
    /// Returns a remark for the user when [`Zero::Auto`] made 0 a colour, which a file with a floating tile would cause
    /// too.
    #[must_use]
    pub fn note(&self) -> Option<&'static str> {
        (self.zeros == Some(Zero::Color))
            .then_some("0 is read as the first colour: zeros lie where no cell can be empty")
    }
}

/// Returns the board named by a command-line argument: a spec such as `random:15x15x5:7` (see `spec.rs`) or a file.
///
/// # Errors
/// Those of the spec or of [`read`].
pub fn load(instance: &str, zero: Zero) -> Result<ReadBoard, InstanceError> {
    if spec::is_spec(instance) {
        return Ok(ReadBoard { grid: spec::generate(instance)?, zeros: None });
    }
    read(Path::new(instance), zero)
}

/// Returns the board in the file at `path`. At most `MAX_BYTES` are read.
///
/// # Errors
/// An unreadable file, or one that is no board: one line with the file, the line and what was expected.
pub fn read(path: &Path, zero: Zero) -> Result<ReadBoard, InstanceError> {
    parse(&path.to_string_lossy(), &read_file_prefix(path, MAX_BYTES)?, zero)
}

/// Returns the board in `bytes`, called `name` in errors.
///
/// # Errors
/// As [`read`]; more than `MAX_BYTES` bytes are an error too, but a board that is visibly too large is called that.
pub fn parse(name: &str, bytes: &[u8], zero: Zero) -> Result<ReadBoard, InstanceError> {
    let whole = bytes.len() <= MAX_BYTES;
    let bytes = text_bytes(name, &bytes[..bytes.len().min(MAX_BYTES)])?;
    // A file that was cut ends in half a line, which can only show that it is too wide.
    let ending = (!whole).then(|| bytes.iter().filter(|&&byte| byte == b'\n').count() + 1);
    let fail = |line, message: String| Err(InstanceError::new(name, message).with_line(line));

    let mut rows: Vec<Row> = Vec::new();
    let mut blank = None;
    for (line, text) in lines(bytes) {
        let content = text.trim_ascii();
        if content.is_empty() {
            blank = blank.or((!rows.is_empty()).then_some(line));
            continue;
        }
        if content[0] == b'#' {
            continue;
        }
        let row = Row::parse(name, line, text, rows.first())?;
        if row.cells.len() > MAX_COLS {
            let more = if ending == Some(line) { "or more " } else { "" };
            return fail(line, format!("{} {more}cells, at most {MAX_COLS} columns are possible", row.cells.len()));
        }
        if ending == Some(line) {
            break;
        }
        if let Some(blank) = blank {
            return fail(blank, "blank line inside the board (a file holds one board)".into());
        }
        if let Some(first) = rows.first().filter(|first| first.cells.len() != row.cells.len()) {
            let (found, expected) = (row.cells.len(), first.cells.len());
            let plural = if found == 1 { "" } else { "s" };
            return fail(line, format!("{found} cell{plural}, expected {expected} as in line {}", first.line));
        }
        row.check_range(name)?;
        if rows.len() == MAX_ROWS {
            return fail(line, format!("more than {MAX_ROWS} rows, the most that are possible"));
        }
        rows.push(row);
    }
    if !whole {
        return Err(InstanceError::new(name, format!("more than {MAX_BYTES} bytes, the limit for a board")));
    }
    if rows.is_empty() {
        return Err(InstanceError::new(name, "no board: expected one line of colour numbers for each row"));
    }
    decide(name, &rows, zero)
}

/// Returns the board as text that [`parse`] reads back: blank-separated numbers, `.` for empty cells.
///
/// ```
/// use soloist_tiles::{Grid, write};
/// let grid = Grid::new(2, 3, vec![0, 2, 10, 1, 2, 1]).unwrap();
/// assert_eq!(write(&grid), ". 2 10\n1 2 1\n");
/// ```
#[must_use]
pub fn write(grid: &Grid) -> String {
    let cell = |&cell: &u8| if cell == 0 { ".".to_string() } else { cell.to_string() };
    // A lone `10` would be two cells of an unseparated row.
    let end = if grid.cols() == 1 && grid.colors() > 9 { ",\n" } else { "\n" };
    grid.cells().chunks(grid.cols()).map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ") + end).collect()
}

/// A row as written; what 0 means is decided when all are known.
struct Row {
    line: usize,
    separated: bool,
    cells: Vec<Cell>,
}

struct Cell {
    /// The number, `None` for a dot. Numbers too large for the type are capped: they are out of range anyway.
    number: Option<u32>,
    /// The character in the line, from 1.
    column: usize,
}

impl Row {
    /// The cells of `text`, which is not blank; checks characters and commas only.
    fn parse(name: &str, line: usize, text: &[u8], first: Option<&Self>) -> Result<Self, InstanceError> {
        let fail = |at: usize, message: String| {
            InstanceError::new(name, message).with_line(line).with_column(column_of(text, at))
        };
        let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
        if let Some(at) = text.iter().position(|&b| !(b.is_ascii_digit() || is_blank(b) || b == b',' || b == b'.')) {
            return Err(fail(at, unexpected(&text[at..])));
        }
        let separated = text.trim_ascii().iter().any(|&byte| is_blank(byte) || byte == b',');
        if let Some(first) = first.filter(|first| separated && !first.separated) {
            let message = format!("separated cells, but those of line {} are not", first.line);
            return Err(InstanceError::new(name, message).with_line(line));
        }
        let mut cells = Vec::new();
        if !first.map_or(separated, |first| first.separated) {
            for (at, &byte) in text.iter().enumerate().filter(|&(_, &byte)| !is_blank(byte)) {
                let number = byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
                cells.push(Cell { number, column: column_of(text, at) });
            }
            return Ok(Self { line, separated, cells });
        }
        let mut at = 0;
        loop {
            at += text[at..].iter().take_while(|&&byte| is_blank(byte)).count();
            if at == text.len() {
                return Ok(Self { line, separated, cells });
            }
            let length = text[at..].iter().take_while(|&&byte| !is_blank(byte) && byte != b',').count();
            let token = &text[at..at + length];
            if token.is_empty() {
                return Err(fail(at, "no cell before the comma".into()));
            }
            let number = match token {
                b"." => None,
                _ if token.contains(&b'.') => return Err(fail(at, format!("{} is not a cell", quote(token)))),
                _ => Some(token.iter().fold(0_u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))),
            };
            cells.push(Cell { number, column: column_of(text, at) });
            at += length;
            at += text[at..].iter().take_while(|&&byte| is_blank(byte)).count();
            at += usize::from(text.get(at) == Some(&b','));
        }
    }

    fn check_range(&self, name: &str) -> Result<(), InstanceError> {
        let most = MAX_COLORS as u32;
        match self.cells.iter().find_map(|cell| cell.number.filter(|&n| n > most).map(|n| (n, cell.column))) {
            None => Ok(()),
            Some((number, column)) => {
                let number = if number == u32::MAX { "the number".into() } else { number.to_string() };
                let message = format!("{number} is not a colour: expected 0 to {MAX_COLORS}");
                Err(InstanceError::new(name, message).with_line(self.line).with_column(column))
            }
        }
    }
}

/// The complaint about the character at the start of `rest`, which has no place in a row.
fn unexpected(rest: &[u8]) -> String {
    let head = &rest[..rest.len().min(4)];
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The cut may fall inside a later character; what is before it is good.
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or(""),
    };
    match text.chars().next() {
        Some('#') => "'#' after cells: a comment takes a line of its own".into(),
        Some('-') => "'-' is not part of a colour: expected numbers from 0".into(),
        Some(c) if c.is_control() => format!("control character {} in the board, expected text", c.escape_default()),
        Some(c) => format!("'{c}' is not a cell: expected numbers 0 to {MAX_COLORS} or '.'"),
        None => format!("byte 0x{:02x} is not text, expected numbers 0 to {MAX_COLORS} or '.'", rest[0]),
    }
}

/// Applies the rule of the zeros and checks that the board is a position. Rows are equal, in range and not too many.
fn decide(name: &str, rows: &[Row], zero: Zero) -> Result<ReadBoard, InstanceError> {
    let fail = |row: usize, col: usize, message: String| {
        Err(InstanceError::new(name, message).with_line(rows[row].line).with_column(rows[row].cells[col].column))
    };
    let cells = || rows.iter().flat_map(|row| &row.cells);
    let build = |shift: u32| {
        let number = |cell: &Cell| cell.number.map_or(0, |number| (number + shift) as u8);
        Grid::new(rows.len(), rows[0].cells.len(), cells().map(number).collect())
            .map_err(|error| InstanceError::new(name, error.to_string()))
    };
    let has_zero = cells().any(|cell| cell.number == Some(0));
    let has_dot = cells().any(|cell| cell.number.is_none());

    let plain = build(0)?;
    let shifted = match zero {
        Zero::Empty => false,
        Zero::Color => true,
        Zero::Auto => has_zero && !has_dot && !plain.is_settled(),
    };
    if shifted {
        let most = MAX_COLORS as u32;
        let over = |row: &Row| row.cells.iter().position(|cell| cell.number == Some(most));
        if let Some((row, col)) = rows.iter().enumerate().find_map(|(r, row)| over(row).map(|col| (r, col))) {
            let message = format!("colour {most} of a board numbered from 0: expected 0 to {}", most - 1);
            return fail(row, col, message);
        }
    }
    let grid = if shifted { build(1)? } else { plain };
    let written = |row: usize, col: usize| if rows[row].cells[col].number == Some(0) { "0" } else { "'.'" };
    match grid.unsettled() {
        None => {}
        Some(Unsettled::Hole { row, col }) => {
            let message =
                format!("empty cell ({}) below a tile, in column {} of the board", written(row, col), col + 1);
            return fail(row, col, message);
        }
        Some(Unsettled::Gap { col }) => {
            let message = format!("column {} of the board is empty, but a column to its right is not", col + 1);
            return fail(rows.len() - 1, col, message);
        }
    }
    if grid.tiles() == 0 {
        return Err(InstanceError::new(name, "the board has no tile"));
    }
    let meaning = if shifted { Zero::Color } else { Zero::Empty };
    Ok(ReadBoard { grid, zeros: has_zero.then_some(meaning) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use soloist_domain::input::read_prefix;

    fn cells(text: &str) -> (Vec<u8>, Option<Zero>) {
        let board = parse("f", text.as_bytes(), Zero::Auto).unwrap();
        (board.grid.cells().to_vec(), board.zeros)
    }

    fn error(text: impl AsRef<[u8]>) -> String {
        parse("f", text.as_ref(), Zero::Auto).unwrap_err().to_string()
    }

    #[test]
    fn separators_and_decoration() {
        let expected = (vec![1, 2, 3, 4], None);
        for text in
            ["1 2\n3 4", "12\n34\n", "1,2\n3,4\n", "1, 2\r\n3\t ,4\r\n", "\u{feff}# x\n\n1 2,\n# \u{fc}\n 3  4\n\n \n"]
        {
            assert_eq!(cells(text), expected, "{text:?}");
        }
        assert_eq!(cells("10,\n2,"), (vec![10, 2], None));
        // Without a comma a lone 10 is two cells.
        assert_eq!(cells("10\n12"), (vec![1, 0, 1, 2], Some(Zero::Empty)));
        assert_eq!(cells(". .\n1 ."), (vec![0, 0, 1, 0], None));
    }

    #[test]
    fn meaning_of_zero() {
        // Settled as empty cells: empty, even though the board may be numbered from 0.
        assert_eq!(cells("0 0\n1 2"), (vec![0, 0, 1, 2], Some(Zero::Empty)));
        assert_eq!(cells("1 0\n1 0"), (vec![1, 0, 1, 0], Some(Zero::Empty)));
        // Below a tile, or a zero column left of a tile: a colour.
        assert_eq!(cells("1 2\n0 2"), (vec![2, 3, 1, 3], Some(Zero::Color)));
        assert_eq!(cells("0 1\n0 1"), (vec![1, 2, 1, 2], Some(Zero::Color)));
        // A dot makes 0 empty, and then it may not lie below a tile.
        assert_eq!(cells("0 .\n1 2"), (vec![0, 0, 1, 2], Some(Zero::Empty)));
        assert_eq!(error(". 1\n1 0"), "f: line 2, column 3: empty cell (0) below a tile, in column 2 of the board");
        let read = |text: &str, zero| parse("f", text.as_bytes(), zero).map(|board| board.grid.cells().to_vec());
        assert_eq!(read("0 0\n1 2", Zero::Color), Ok(vec![1, 1, 2, 3]));
        assert_eq!(read("0 .\n1 2", Zero::Color), Ok(vec![1, 0, 2, 3]));
        assert_eq!(read("1 2\n1 2", Zero::Color), Ok(vec![2, 3, 2, 3]));
        assert_eq!(
            read("1 2\n0 2", Zero::Empty).unwrap_err().to_string(),
            "f: line 2, column 1: empty cell (0) below a tile, in column 1 of the board"
        );
        assert!(parse("f", b"1 2\n0 2", Zero::Auto).unwrap().note().is_some());
        assert!(parse("f", b"0 2\n1 2", Zero::Auto).unwrap().note().is_none());
    }

    #[test]
    fn errors_name_the_place() {
        let cases: &[(&str, &str)] = &[
            ("", "f: no board: expected one line of colour numbers for each row"),
            ("\n# only\n\n", "f: no board: expected one line of colour numbers for each row"),
            ("1 2 3\n1 2", "f: line 2: 2 cells, expected 3 as in line 1"),
            ("# c\n123\n1", "f: line 3: 1 cell, expected 3 as in line 2"),
            ("1 2 3\n123", "f: line 2: 1 cell, expected 3 as in line 1"),
            ("123\n1 2 3", "f: line 2: separated cells, but those of line 1 are not"),
            ("1 2\n\n1 2", "f: line 2: blank line inside the board (a file holds one board)"),
            ("1 2\n1 x", "f: line 2, column 3: 'x' is not a cell: expected numbers 0 to 15 or '.'"),
            ("12a4", "f: line 1, column 3: 'a' is not a cell: expected numbers 0 to 15 or '.'"),
            ("1 é", "f: line 1, column 3: 'é' is not a cell: expected numbers 0 to 15 or '.'"),
            ("1 -2", "f: line 1, column 3: '-' is not part of a colour: expected numbers from 0"),
            ("1 2 # c", "f: line 1, column 5: '#' after cells: a comment takes a line of its own"),
            ("1\r2", "f: line 1, column 2: control character \\r in the board, expected text"),
            ("1 16", "f: line 1, column 3: 16 is not a colour: expected 0 to 15"),
            ("1 99999999999999999999", "f: line 1, column 3: the number is not a colour: expected 0 to 15"),
            ("1 2\n0 15", "f: line 2, column 3: colour 15 of a board numbered from 0: expected 0 to 14"),
            ("1,,2", "f: line 1, column 3: no cell before the comma"),
            (",1", "f: line 1, column 1: no cell before the comma"),
            ("1 2.5", "f: line 1, column 3: '2.5' is not a cell"),
            ("1 1\n1 .", "f: line 2, column 3: empty cell ('.') below a tile, in column 2 of the board"),
            ("1 . 2", "f: line 1, column 3: column 2 of the board is empty, but a column to its right is not"),
            (". .\n. .", "f: the board has no tile"),
            ("0", "f: the board has no tile"),
            ("1\0", "f: line 1: binary data (a zero byte), expected text"),
        ];
        for (text, expected) in cases {
            assert_eq!(error(text), *expected, "{text:?}");
        }
        let message = "byte 0x89 is not text, expected numbers 0 to 15 or '.'";
        assert_eq!(error(b"\x89PNG\r\n\x1a\n"), format!("f: line 1, column 1: {message}"));
        assert_eq!(error(b"\xff\xfe1\0 \0"), "f: UTF-16 text; save it as UTF-8");
    }

    #[test]
    fn sizes_are_limited_and_large_files_are_not_read() {
        let board = |rows: usize, cols: usize| format!("{}\n", vec!["1"; cols].join(" ")).repeat(rows);
        assert!(parse("f", board(31, 32).as_bytes(), Zero::Auto).is_ok());
        assert_eq!(error(board(32, 3)), "f: line 32: more than 31 rows, the most that are possible");
        assert_eq!(error(board(3, 33)), "f: line 1: 33 cells, at most 32 columns are possible");
        assert_eq!(error("1".repeat(33)), "f: line 1: 33 cells, at most 32 columns are possible");

        // Endless input: the reader must stop by itself.
        let read_endless = |byte| {
            let bytes = read_prefix("f", std::io::repeat(byte), MAX_BYTES).unwrap();
            parse("f", &bytes, Zero::Auto).unwrap_err().to_string()
        };
        let endless = read_endless(b'1');
        assert_eq!(endless, "f: line 1: 65536 or more cells, at most 32 columns are possible");
        let endless = read_endless(b'#');
        assert_eq!(endless, "f: more than 65536 bytes, the limit for a board");
        let mut cut = board(2, 2);
        cut.push_str(&"# filler\n".repeat(10_000));
        assert_eq!(error(cut), "f: more than 65536 bytes, the limit for a board");
        assert!(read(Path::new("/"), Zero::Auto).is_err());
        let missing = read(Path::new("no/such/file"), Zero::Auto).unwrap_err().to_string();
        assert!(missing.starts_with("no/such/file: cannot be read: "), "{missing}");
    }

    #[test]
    fn specs_and_files_load_alike() {
        assert_eq!(load("random:3x4x2:1", Zero::Auto).unwrap().grid.cols(), 4);
        assert!(load("random:3x4x2", Zero::Auto).is_err());
    }
}
