//! Reading files of unknown size without trusting them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::InstanceError;

/// At most `limit` + 1 bytes of `reader`: a result longer than `limit` says that the text goes on.
///
/// # Errors
/// What the reader reports, under the name `name`.
pub fn read_prefix(name: &str, reader: impl Read, limit: usize) -> Result<Vec<u8>, InstanceError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(most).read_to_end(&mut bytes).map_err(|error| InstanceError::io(name, &error))?;
    Ok(bytes)
}

/// At most `limit` + 1 bytes of the file at `path`; see [`read_prefix`].
///
/// # Errors
/// A missing or unreadable file, under its path as given.
pub fn read_file_prefix(path: &Path, limit: usize) -> Result<Vec<u8>, InstanceError> {
    let name = path.to_string_lossy();
    let file = File::open(path).map_err(|error| InstanceError::io(name.as_ref(), &error))?;
    read_prefix(&name, file, limit)
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

/// The lines of a text with their numbers from 1, without line ends (`\n` or `\r\n`).
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes.split(|&byte| byte == b'\n').enumerate().map(|(i, line)| (i + 1, line.strip_suffix(b"\r").unwrap_or(line)))
}

/// The number, from 1, of the character that holds byte `offset` of `line`.
#[must_use]
pub fn column_of(line: &[u8], offset: usize) -> usize {
    // Continuation bytes of UTF-8 start no character.
    line.iter().take(offset.saturating_add(1)).filter(|&&byte| byte & 0xc0 != 0x80).count().max(1)
}
