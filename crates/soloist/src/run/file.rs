//! Files that are either the old or the whole new ones.
//!
//! A file is written to a temporary name beside it and renamed. The writer holds a lock on what it writes: leftovers of
//! a process that was killed have none and are swept by the next one that writes the same file.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Returns the name to which this process writes before it renames to `path`. `None`: `path` names no file.
#[must_use]
pub fn temporary_path(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    Some(path.with_file_name(name))
}

/// Writes a file so that it is either the old or the whole new one: to a temporary name beside it, then renamed.
///
/// Temporary files of `path` that processes have left when they were killed are removed.
///
/// # Errors
/// When the folder or file cannot be written; the old file is then untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    sweep(path);
    replace(path, |file| file.write_all(bytes)).map(drop)
}

/// Removes the temporary files of `path` whose writers are gone.
fn sweep(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Best effort: what cannot be read or removed stays.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let theirs = entry.path();
        if is_temporary(&entry.file_name(), name) && File::open(&theirs).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&theirs);
        }
    }
}

/// Whether `candidate` is a temporary name of `name`: `NAME.PID.tmp`.
fn is_temporary(candidate: &OsString, name: &std::ffi::OsStr) -> bool {
    let (candidate, name) = (candidate.as_encoded_bytes(), name.as_encoded_bytes());
    let number = candidate.strip_prefix(name).and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".tmp"));
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// Writes a file by `write` under the temporary name of `path` and renames it. Returns the file, open and locked.
fn replace(path: &Path, write: impl Fn(&mut File) -> io::Result<()>) -> io::Result<File> {
    let temporary = temporary_path(path).ok_or_else(|| io::Error::other("no file name"))?;
    let attempt = || -> io::Result<File> {
        let mut file = File::create(&temporary)?;
        // A file system without locks is no reason to refuse.
        let _ = file.try_lock();
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        Ok(file)
    };
    // Between the creation of a file and its lock another process may take it for a leftover.
    let written = match attempt() {
        Err(error) if error.kind() == ErrorKind::NotFound => attempt(),
        written => written,
    };
    if written.is_err() {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A file that one run writes again and again, and no other meanwhile.
#[derive(Debug)]
pub(super) struct Claimed {
    path: PathBuf,
    /// The present file, whose lock says that it is taken.
    file: Option<File>,
}

/// Locks a file against other processes. Returns false if one of them holds it.
///
/// The system may let go of the locks of a killed process a moment after its end: the lock is tried for 0.2 seconds. On
/// a file system without locks nothing is locked.
pub fn claim_file(file: &File) -> bool {
    const TRIES: u32 = 10;
    for attempt in 0..=TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if attempt < TRIES => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::WouldBlock) => return false,
            // A file system without locks is no reason to refuse.
            Ok(()) | Err(TryLockError::Error(_)) => break,
        }
    }
    true
}

impl Claimed {
    /// Claims the file at `path`, which need not exist.
    ///
    /// # Errors
    /// When another run writes it, or it cannot be opened.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        sweep(path);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self { path: path.to_owned(), file: None }),
            Err(error) => return Err(error),
        };
        if !claim_file(&file) {
            return Err(io::Error::new(ErrorKind::ResourceBusy, "another run is writing it"));
        }
        Ok(Self { path: path.to_owned(), file: Some(file) })
    }

    /// Replaces the file.
    ///
    /// # Errors
    /// As of [`write_atomically`].
    pub(super) fn write(&mut self, write: impl Fn(&mut File) -> io::Result<()>) -> io::Result<()> {
        // The lock of the file before ends when the new one has its name.
        self.file = Some(replace(&self.path, write)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("soloist-file-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn leftovers_of_the_dead_are_swept_and_no_others() {
        let folder = folder("sweep");
        let path = folder.join("run.ckpt");
        for name in ["run.ckpt.17.tmp", "run.ckpt.18.tmp", "run.ckpt.tmp", "run.ckpt.x.tmp", "other.17.tmp"] {
            fs::write(folder.join(name), "left").unwrap();
        }
        // Process 18 lives.
        let living = File::open(folder.join("run.ckpt.18.tmp")).unwrap();
        living.try_lock().unwrap();
        write_atomically(&path, b"whole").unwrap();
        let mut names: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["other.17.tmp", "run.ckpt", "run.ckpt.18.tmp", "run.ckpt.tmp", "run.ckpt.x.tmp"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_claimed_file_is_not_claimed_again() {
        let folder = folder("claim");
        let path = folder.join("run.ckpt");
        let mut first = Claimed::new(&path).unwrap();
        for text in ["one", "two"] {
            first.write(|file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(Claimed::new(&path).unwrap_err().to_string(), "another run is writing it");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        // A write that fails keeps the old file and the claim.
        assert!(first.write(|_| Err(io::Error::other("full"))).is_err());
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), Claimed::new(&path).is_err()), ("two", true));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        drop(first);
        assert!(Claimed::new(&path).is_ok());
        fs::remove_dir_all(folder).unwrap();
    }
}
