//! A file that is followed while others write, cut, remove and replace it.

use crate::text::counted;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes before the place of reading that are compared: a file that was emptied and written again may be longer than
/// before.
const TAIL: usize = 512;

/// What is known about a file that is followed.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The file, just looked at and found to be the one that was read before.
    pub(super) file: Option<File>,
    /// Whether the reader is inside of a line that is too long.
    pub(super) inside: bool,
    identity: Option<(u64, u64)>,
    /// The last bytes that were read.
    tail: Vec<u8>,
    /// Why it cannot be read now.
    gone: Option<String>,
    /// How often it was read from its start again.
    restarts: usize,
    /// How many lines were left out, and the first of them.
    skipped: usize,
    first: usize,
}

/// What a file is, whatever its name: device and number.
#[cfg(unix)]
fn identity(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

/// Elsewhere two files differ in the time of their creation.
#[cfg(not(unix))]
fn identity(meta: &Metadata) -> (u64, u64) {
    let since = meta.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
    (since.as_secs(), u64::from(since.subsec_nanos()))
}

impl Watch {
    /// Opens the file. Returns whether it differs from the file whose first `offset` bytes were read.
    ///
    /// # Errors
    /// It cannot be read and never could.
    pub(super) fn look(&mut self, path: &Path, offset: u64) -> io::Result<bool> {
        self.file = None;
        let opened = soloist::run::file::open_regular(path).and_then(|file| {
            let meta = file.metadata()?;
            Ok((file, meta))
        });
        let (mut file, meta) = match opened {
            Ok(opened) => opened,
            Err(error) if self.identity.is_none() => return Err(error),
            Err(error) => {
                self.gone = Some(error.to_string());
                return Ok(false);
            }
        };
        let now = identity(&meta);
        // A new file may get the number of one that was removed.
        let is_other = self.gone.take().is_some() || self.identity.is_some_and(|before| before != now);
        let is_other = offset > 0 && (is_other || meta.len() < offset || !self.has_tail(&mut file, offset));
        self.identity = Some(now);
        self.file = Some(file).filter(|_| !is_other);
        Ok(is_other)
    }

    /// Whether the last bytes that were read are still there.
    fn has_tail(&self, file: &mut File, offset: u64) -> bool {
        let mut bytes = vec![0; self.tail.len()];
        let start = offset.saturating_sub(bytes.len() as u64);
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut bytes));
        read.is_ok() && bytes == self.tail
    }

    /// Notes what was read.
    pub(super) fn remember(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }

    /// Counts a line that is left out.
    pub(super) fn skip(&mut self, line: usize) {
        if self.skipped == 0 {
            self.first = line;
        }
        self.skipped += 1;
    }

    /// Whether lines were left out.
    pub(super) fn has_skipped(&self) -> bool {
        self.skipped > 0
    }

    /// Begins again at the start of the file.
    pub(super) fn rewind(&mut self) {
        let restarts = self.restarts + 1;
        *self = Self { restarts, identity: self.identity, ..Self::default() };
    }

    /// What a reader must know about the file, by its name.
    pub(super) fn remarks(&self, name: &str) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(why) = &self.gone {
            remarks.push(format!("{name}: cannot be read now ({why}); shown is what was read before"));
        }
        if self.restarts > 0 {
            let times = counted(self.restarts, "time");
            remarks.push(format!("{name}: it was cut or replaced and was read again from its start {times}"));
        }
        match self.skipped {
            0 => {}
            1 => remarks.push(format!("{name}: line {} is no record and is left out", self.first)),
            count => {
                let first = self.first;
                remarks
                    .push(format!("{name}: {count} lines that are no records are left out, the first is line {first}"));
            }
        }
        remarks
    }
}
