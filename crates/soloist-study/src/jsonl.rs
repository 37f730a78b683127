//! Files of JSON records, one a line, appended as work ends and read back to continue.

use crate::failure::Failure;
use soloist_domain::RecordError;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Longest line that is read.
const MAX_LINE: usize = 256 << 20;

/// Where whole lines end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End {
    /// Bytes of whole lines; what follows is a line that was cut short.
    whole: u64,
    /// Whether a line was cut short.
    pub(crate) cut: bool,
    /// Whether the last line lacks only its end.
    open: bool,
}

/// Reads a file of records and gives each line to `take`; a missing file holds none. Each line must begin
/// with `start`, otherwise another program wrote it and it is no record of `command`.
pub(crate) fn read(
    path: &Path,
    command: &str,
    start: &str,
    take: &mut dyn FnMut(&[u8]) -> Result<(), RecordError>,
) -> Result<End, Failure> {
    let fail = |error: &dyn Display| Failure::runtime(format!("{}: {error}", path.display()));
    let mut end = End::default();
    let file = match soloist::run::file::open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(end),
        Err(error) => return Err(fail(&format_args!("cannot be read: {error}"))),
    };
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err(fail(&"not a regular file"));
    }
    let mut reader = BufReader::new(file);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let length = (&mut reader)
            .take(MAX_LINE as u64)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
        if length == 0 {
            break;
        }
        let ended = bytes.last() == Some(&b'\n');
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        // A line that is not ours must not be taken for one of ours that was cut.
        let start = start.as_bytes();
        if !line.starts_with(start) && (ended || !start.starts_with(line)) {
            return Err(fail(&format_args!("line {number}: not a record of `{command}`")));
        }
        match take(line) {
            Ok(()) => {
                end.whole += length as u64;
                end.open = !ended;
            }
            Err(RecordError::Broken(error)) if !ended && error.is_eof() => {
                end.cut = true;
                break;
            }
            Err(error) => {
                return Err(fail(&format_args!("line {number}: broken record: {error}")));
            }
        }
    }
    Ok(end)
}

/// The file, open for more; no other process writes to it meanwhile.
#[derive(Debug)]
pub(crate) struct Writer {
    file: File,
    path: PathBuf,
}

impl Writer {
    /// Opens (or makes) the file, reads it again under its lock and repairs its end; `fresh` empties it.
    pub(crate) fn open(
        path: &Path,
        command: &str,
        fresh: bool,
        read: &mut dyn FnMut() -> Result<End, Failure>,
    ) -> Result<Self, Failure> {
        let fail = |error: &dyn Display| Failure::runtime(format!("cannot write {}: {error}", path.display()));
        // What is no file of records is found before it is touched.
        read()?;
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(|error| fail(&error))?;
        if !soloist::run::file::claim_file(&file) {
            return Err(fail(&format_args!("another `{command}` is writing it")));
        }
        let mut end = read()?;
        let mut writer = Self { file, path: path.to_owned() };
        if fresh {
            end = End::default();
        }
        if fresh || end.cut {
            writer.file.set_len(end.whole).map_err(|error| fail(&error))?;
        }
        if end.open {
            writer.append("\n")?;
        }
        Ok(writer)
    }

    /// Appends a line.
    pub(crate) fn append(&mut self, line: &str) -> Result<(), Failure> {
        // One call a line: a process that is killed leaves at most the last line cut.
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.flush())
            .map_err(|error| Failure::runtime(format!("cannot write {}: {error}", self.path.display())))
    }
}
