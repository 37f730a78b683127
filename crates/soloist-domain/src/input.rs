//! Reading files of unknown size without trusting them, and what text formats have in common.

use crate::error::quote;
use crate::{InstanceError, contents};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest whole number that [`whole`] reads, 2^53: up to it every number is exact as a score.
pub const MAX_WHOLE: u64 = 1 << 53;

/// Reads the file at `path`, which may hold at most `limit` bytes, a whole number of MiB.
///
/// # Errors
/// A file that is missing, cannot be read or is larger.
pub fn read_file(path: &str, limit: usize) -> Result<Vec<u8>, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), limit)?;
    if bytes.len() <= limit {
        return Ok(bytes);
    }
    let (size, unit) = if limit.is_multiple_of(1 << 30) { (limit >> 30, "GiB") } else { (limit >> 20, "MiB") };
    Err(InstanceError::new(path, format!("larger than {size} {unit}, the most that is read")))
}

/// Returns at most `limit` + 1 bytes of `reader`: a result longer than `limit` says that the text was longer.
///
/// # Errors
/// What the reader reports, under the name `name`.
pub fn read_prefix(name: &str, reader: impl Read, limit: usize) -> Result<Vec<u8>, InstanceError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(most).read_to_end(&mut bytes).map_err(|error| InstanceError::io(name, &error))?;
    Ok(bytes)
}

/// Opens the file at `path`; `-` is standard input, for every command that reads a file.
///
/// # Errors
/// A missing or unreadable file; within [`foreign`] also what is no regular file or too large.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if let Some(limit) = FOREIGN.get() {
        return Ok(Box::new(open_foreign(path, limit)?));
    }
    Ok(if path.as_os_str() == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(path)?) })
}

thread_local! {
    /// Within [`foreign`]: the most bytes of a file.
    static FOREIGN: Cell<Option<u64>> = const { Cell::new(None) };
    /// Whether a file was opened within the present call of [`foreign`].
    static OPENED: Cell<bool> = const { Cell::new(false) };
}

/// Opens a file whose name comes from a file: a regular one of at most `limit` bytes, never standard input.
fn open_foreign(path: &Path, limit: u64) -> io::Result<File> {
    let file = soloist::run::file::open_regular(path)?;
    let length = file.metadata()?.len();
    if length > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", limit >> 20)));
    }
    OPENED.set(true);
    Ok(file)
}

/// Does `work`, in which every name of a file is one that the user has not written: it comes from a file of runs, which
/// others may have made. [`open`] then opens regular files of at most `limit` bytes alone, because a pipe or a terminal
/// would be waited for without end, and `-` is a file name. Returns what `work` does, and whether it opened a file: a
/// message about the content of such a file should not be shown, because it may quote it.
///
/// This holds for the calling thread and for readers that call [`open`] or the functions of this module.
pub fn foreign<T>(limit: u64, work: impl FnOnce() -> T) -> (T, bool) {
    /// Restores what was before, also when `work` panics.
    struct Before(Option<u64>, bool);
    impl Drop for Before {
        fn drop(&mut self) {
            FOREIGN.set(self.0);
            OPENED.set(self.1);
        }
    }
    let _before = Before(FOREIGN.replace(Some(limit)), OPENED.replace(false));
    let done = work();
    (done, OPENED.get())
}

/// Returns at most `limit` + 1 bytes of the file at `path`; see [`open`] and [`read_prefix`].
///
/// # Errors
/// A missing or unreadable file, under its path as given.
pub fn read_file_prefix(path: &Path, limit: usize) -> Result<Vec<u8>, InstanceError> {
    if let Some(bytes) = contents::given(path, limit.saturating_add(1)) {
        return Ok(bytes);
    }
    let name = path.to_string_lossy();
    let file = open(path).map_err(|error| InstanceError::io(name.as_ref(), &error))?;
    let bytes = read_prefix(&name, file, limit)?;
    contents::note(path, &bytes);
    Ok(bytes)
}

/// `bytes` without a UTF-8 byte order mark, refused when it is plainly no text.
///
/// Bytes that are no valid UTF-8 are left to the caller: they may stand in a comment.
///
/// # Errors
/// A UTF-16 or UTF-32 byte order mark or a zero byte, which no text format has.
pub fn text_bytes<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a [u8], InstanceError> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(InstanceError::new(name, "UTF-16 text; save it as UTF-8"));
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
        return Err(InstanceError::new(name, "binary data (a zero byte), expected text").with_line(line));
    }
    Ok(bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes))
}

/// Returns the lines of a text with their numbers from 1, without line ends (`\n` or `\r\n`).
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes.split(|&byte| byte == b'\n').enumerate().map(|(i, line)| (i + 1, line.strip_suffix(b"\r").unwrap_or(line)))
}

/// Returns the lines of a text that hold data, with their numbers from 1: text after `#` is cut off, blank lines are
/// left out.
pub fn data_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let data = lines(bytes).map(|(number, line)| (number, line.split(|&byte| byte == b'#').next().unwrap_or_default()));
    data.filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// Returns the fields of a line, separated by blanks.
pub fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// Reads the fields of a line that holds one [`whole`] number for each of `names`.
///
/// # Errors
/// More or fewer fields, or one that is no such number: a message without the place.
///
/// ```
/// use soloist_domain::input::whole_fields;
/// assert_eq!(whole_fields(b"7 4", ["value", "weight"]), Ok([7, 4]));
/// assert_eq!(whole_fields(b"7", ["value", "weight"]).unwrap_err(), "1 field, expected 2: value and weight");
/// ```
pub fn whole_fields<const N: usize>(line: &[u8], names: [&str; N]) -> Result<[u64; N], String> {
    let count = fields(line).count();
    if count != N {
        let plural = if count == 1 { "" } else { "s" };
        let (last, first) = names.split_last().unwrap_or((&"none", &[]));
        let first = if first.is_empty() { String::new() } else { format!("{} and ", first.join(", ")) };
        return Err(format!("{count} field{plural}, expected {N}: {first}{last}"));
    }
    let mut values = [0; N];
    for ((value, name), field) in values.iter_mut().zip(names).zip(fields(line)) {
        *value = whole(field).map_err(|wrong| format!("{name} {wrong}"))?;
    }
    Ok(values)
}

/// Reads a whole number from 0 to [`MAX_WHOLE`], in digits only.
///
/// # Errors
/// The end of a message that names the number before: `'-7' is negative, expected a whole number from 0 on`.
///
/// ```
/// use soloist_domain::input::whole;
/// assert_eq!(whole(b"12"), Ok(12));
/// assert_eq!(whole(b"1.5").unwrap_err(), "'1.5', expected a whole number from 0 on");
/// ```
pub fn whole(field: &[u8]) -> Result<u64, String> {
    if !is_whole(field) {
        let negative = field.strip_prefix(b"-").is_some_and(is_whole);
        let what = if negative { " is negative" } else { "" };
        return Err(format!("{}{what}, expected a whole number from 0 on", quote(field)));
    }
    let value = digits(field).filter(|&value| value <= MAX_WHOLE);
    value.ok_or_else(|| format!("{} is above {MAX_WHOLE}, the largest number read", quote(field)))
}

/// Reads a whole number from 0 to `most`, in digits only.
///
/// # Errors
/// The end of a message that names the number before: `'9', expected a whole number from 0 to 7`.
pub fn whole_to(field: &[u8], most: u64) -> Result<u64, String> {
    let value = if is_whole(field) { digits(field) } else { None };
    let value = value.filter(|&value| value <= most);
    value.ok_or_else(|| format!("{}, expected a whole number from 0 to {most}", quote(field)))
}

/// Whether a field consists of digits.
#[must_use]
pub fn is_whole(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

fn digits(field: &[u8]) -> Option<u64> {
    field.iter().try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

/// Returns a line `# TEXT` for the beginning of a file, with blanks instead of control characters.
#[must_use]
pub fn comment(text: &str) -> String {
    let text = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    "# ".chars().chain(text).chain(['\n']).collect()
}

/// Returns the number, from 1, of the character that holds byte `offset` of `line`.
#[must_use]
pub fn column_of(line: &[u8], offset: usize) -> usize {
    // Continuation bytes of UTF-8 start no character.
    line.iter().take(offset.saturating_add(1)).filter(|&&byte| byte & 0xc0 != 0x80).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_digits_only() {
        for (field, message) in [
            ("", "'', expected a whole number from 0 on"),
            ("-", "'-', expected a whole number from 0 on"),
            ("+7", "'+7', expected a whole number from 0 on"),
            ("-7", "'-7' is negative, expected a whole number from 0 on"),
            ("9007199254740993", "'9007199254740993' is above 9007199254740992, the largest number read"),
            ("99999999999999999999", "'99999999999999999999' is above 9007199254740992, the largest number read"),
        ] {
            assert_eq!(whole(field.as_bytes()).unwrap_err(), message);
        }
        assert_eq!(whole(b"9007199254740992"), Ok(MAX_WHOLE));
        assert_eq!((whole_to(b"007", 7), whole_to(b"18446744073709551615", u64::MAX)), (Ok(7), Ok(u64::MAX)));
        for field in ["8", "-1", "99999999999999999999"] {
            let message = format!("'{field}', expected a whole number from 0 to 7");
            assert_eq!(whole_to(field.as_bytes(), 7).unwrap_err(), message);
        }
    }

    #[test]
    fn data_is_what_is_left_of_a_line() {
        let lines: Vec<_> = data_lines(b"# a\r\n1 2#3\n \t\n\n4").collect();
        assert_eq!(lines, [(2, &b"1 2"[..]), (5, b"4")]);
        assert!(fields(b" 1\t2 \x0c3").eq([b"1", b"2", b"3"]));
        assert_eq!(comment("a\nb\u{85}c"), "# a b c\n");
    }

    #[test]
    fn foreign_names_open_regular_files_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, vec![b'1'; (1 << 20) + 1]).unwrap();
        let name = file.path().to_str().unwrap();
        let (read, opened) = foreign(2 << 20, || read_file(name, 4 << 20));
        assert_eq!((read.unwrap().len(), opened), ((1 << 20) + 1, true));
        let refused = |limit, name: &str| {
            let (read, opened) = foreign(limit, || read_file(name, 4 << 20));
            (read.unwrap_err().message, opened)
        };
        assert_eq!(refused(1 << 20, name), ("cannot be read: larger than 1 MiB".to_owned(), false));
        #[cfg(unix)]
        assert_eq!(refused(1, "/dev/zero"), ("cannot be read: not a regular file".to_owned(), false));
        // Standard input has no name here, and outside nothing has changed.
        assert!(refused(1, "-").0.starts_with("cannot be read: "));
        assert!(FOREIGN.get().is_none() && open(file.path()).is_ok());
    }

    #[test]
    fn large_files_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, vec![b'1'; (1 << 20) + 1]).unwrap();
        let name = file.path().to_str().unwrap();
        let error = read_file(name, 1 << 20).unwrap_err().to_string();
        assert_eq!(error, format!("{name}: larger than 1 MiB, the most that is read"));
        assert_eq!(read_file(name, 2 << 20).unwrap().len(), (1 << 20) + 1);
    }
}
