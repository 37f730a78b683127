//! Files that are either the old or the whole new ones.
//!
//! A file is written to a temporary name beside it and renamed. The writer holds a lock on what it writes: leftovers of
//! a process that was killed have none and are swept by the next one that writes the same file.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Returns the name to which this process writes before it renames to `path`. `None`: `path` names no file.
///
/// While several threads write to one path, the second and later ones use other names.
#[must_use]
pub fn temporary_path(path: &Path) -> Option<PathBuf> {
    numbered_path(path, 0)
}

/// Returns the temporary name of the writer with a number among those of this process.
fn numbered_path(path: &Path, writer: u64) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    let process = std::process::id();
    name.push(if writer == 0 { format!(".{process}.tmp") } else { format!(".{process}.{writer}.tmp") });
    Some(path.with_file_name(name))
}

/// The temporary names that writers of this process use now.
static IN_USE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary name that no other writer of this process uses meanwhile.
struct Temporary(PathBuf);

impl Temporary {
    fn new(path: &Path) -> Option<Self> {
        let mut used = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        let free = (0..).map_while(|writer| numbered_path(path, writer)).find(|name| !used.contains(name))?;
        used.push(free.clone());
        Some(Self(free))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        IN_USE.lock().unwrap_or_else(PoisonError::into_inner).retain(|name| *name != self.0);
    }
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

/// Whether `candidate` is a temporary name of `name`: `NAME.PID.tmp` or `NAME.PID.WRITER.tmp`.
fn is_temporary(candidate: &OsString, name: &std::ffi::OsStr) -> bool {
    let (candidate, name) = (candidate.as_encoded_bytes(), name.as_encoded_bytes());
    let number = candidate.strip_prefix(name).and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".tmp"));
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    number.is_some_and(|number| {
        let mut parts = number.split(|&byte| byte == b'.');
        parts.clone().count() <= 2 && parts.all(is_number)
    })
}

/// Writes a file by `write` under the temporary name of `path` and renames it. Returns the file, open and locked.
fn replace(path: &Path, write: impl Fn(&mut File) -> io::Result<()>) -> io::Result<File> {
    let temporary = Temporary::new(path).ok_or_else(|| io::Error::other("no file name"))?;
    let temporary = &temporary.0;
    let attempt = || -> io::Result<File> {
        let mut file = File::create(temporary)?;
        // A file system without locks is no reason to refuse.
        let _ = file.try_lock();
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(temporary, path)?;
        Ok(file)
    };
    // Between the creation of a file and its lock another process may take it for a leftover.
    let written = match attempt() {
        Err(error) if error.kind() == ErrorKind::NotFound => attempt(),
        written => written,
    };
    if written.is_err() {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(temporary);
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
    for attempt in 0..=TRIES {
        if is_free(file) {
            return true;
        }
        pause(attempt);
    }
    false
}

/// How often a lock is tried again.
const TRIES: u32 = 10;

/// Waits before the next try to lock a file.
fn pause(attempt: u32) {
    if attempt < TRIES {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Locks a file if no other process holds it. A file system without locks is no reason to refuse.
fn is_free(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Whether an open file still is the one at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |data: &fs::Metadata| (data.dev(), data.ino());
        matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if identity(&a) == identity(&b))
    }
    // Elsewhere an open file cannot be replaced.
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

impl Claimed {
    /// Claims the file at `path`, which need not exist.
    ///
    /// # Errors
    /// When another run writes it, or it cannot be opened.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        sweep(path);
        for attempt in 0..=TRIES {
            // Opened again each time: its owner replaces the file, and what was replaced has no lock.
            let file = match File::open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Ok(Self { path: path.to_owned(), file: None });
                }
                Err(error) => return Err(error),
            };
            if is_free(&file) && is_at(&file, path) {
                return Ok(Self { path: path.to_owned(), file: Some(file) });
            }
            pause(attempt);
        }
        Err(io::Error::new(ErrorKind::ResourceBusy, "another run is writing it"))
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
        for name in [
            "run.ckpt.17.tmp",
            "run.ckpt.18.tmp",
            "run.ckpt.tmp",
            "run.ckpt.x.tmp",
            "run.ckpt.17.3.tmp",
            "other.17.tmp",
        ] {
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
    fn writers_of_one_process_do_not_mix() {
        let folder = folder("writers");
        let path = folder.join("result.json");
        let texts = [vec![b'a'; 100_000], vec![b'b'; 50_000], vec![b'c'; 10]];
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| (0..100).for_each(|_| write_atomically(&path, text).unwrap()));
            }
            for _ in 0..500 {
                if let Ok(read) = fs::read(&path) {
                    assert!(texts.contains(&read), "{} bytes", read.len());
                }
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    /// The owner replaces the file while another run waits for its lock.
    #[test]
    fn a_file_that_is_replaced_meanwhile_is_not_claimed() {
        let folder = folder("replaced");
        let path = folder.join("run.ckpt");
        let mut owner = Claimed::new(&path).unwrap();
        owner.write(|file| file.write_all(b"begin")).unwrap();
        let over = std::sync::atomic::AtomicBool::new(false);
        let ordering = std::sync::atomic::Ordering::Relaxed;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(ordering) {
                    owner.write(|file| file.write_all(b"later")).unwrap();
                    std::thread::sleep(Duration::from_millis(15));
                }
            });
            for _ in 0..5 {
                assert!(Claimed::new(&path).is_err());
            }
            over.store(true, ordering);
        });
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
