//! Files that are either the old or the whole new ones.
//!
//! A file is written to a temporary name beside it and renamed. The temporary file is always a new one: its name cannot
//! be foreseen, and a file or link that has the name already is neither opened nor changed. The new file has the mode
//! of the one that it replaces, and its owner and group where the system permits that. The writer holds a lock on what
//! it writes: leftovers of a process that was killed have none and are swept by the next one that writes the same file.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::hash::BuildHasher;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The temporary files that writers of this process have made and not yet renamed.
static IN_USE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How many names are tried before a writer gives up.
const NAMES: u32 = 16;

/// Returns a temporary name for `path` that nobody can foresee: `NAME.PID.RANDOM.tmp`.
fn temporary_name(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    // Each state has other random keys.
    let random = RandomState::new().hash_one(std::process::id());
    name.push(format!(".{}.{random:016x}.tmp", std::process::id()));
    Some(path.with_file_name(name))
}

/// A new file under a temporary name, which is removed unless the file is renamed.
struct Temporary {
    name: PathBuf,
    file: File,
}

impl Temporary {
    /// Makes a new file beside `path`, readable for others only where the file that it replaces is.
    fn new(path: &Path, replaced: Option<&Metadata>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if replaced.is_some() {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut attempt = 0;
        let (name, file) = loop {
            let name = temporary_name(path).ok_or_else(|| io::Error::other("no file name"))?;
            // Signals remove what is listed: a file must be in the list before it is there.
            IN_USE.lock().unwrap_or_else(PoisonError::into_inner).push(name.clone());
            match options.open(&name) {
                Ok(file) => break (name, file),
                Err(error) => {
                    forget(&name);
                    attempt += 1;
                    if error.kind() != ErrorKind::AlreadyExists || attempt == NAMES {
                        return Err(error);
                    }
                }
            }
        };
        // A file system without locks is no reason to refuse.
        let _ = file.try_lock();
        let temporary = Self { name, file };
        if let Some(replaced) = replaced {
            inherit(&temporary.file, replaced)?;
        }
        Ok(temporary)
    }

    /// Gives the file its name. Returns it, open and locked.
    fn rename(self, path: &Path) -> io::Result<File> {
        fs::rename(&self.name, path)?;
        self.file.try_clone()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A file that was renamed is no longer there under this name.
        let _ = fs::remove_file(&self.name);
        forget(&self.name);
    }
}

/// Takes a name off the list of temporary files.
fn forget(name: &Path) {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner).retain(|used| used != name);
}

/// Removes the unfinished files of this process, before it ends while a thread writes.
pub fn remove_temporaries() {
    for name in IN_USE.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = fs::remove_file(name);
    }
}

/// Gives a new file the owner, the group and the mode of the one that it replaces, as far as that is permitted.
#[cfg(unix)]
fn inherit(file: &File, replaced: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (replaced.uid(), replaced.gid()) {
        // Only a privileged process gives files away; the group may be changed to another one of the user's.
        if fchown(file, Some(replaced.uid()), Some(replaced.gid())).is_err() {
            let _ = fchown(file, None, Some(replaced.gid()));
        }
    }
    let mut mode = replaced.mode() & 0o777;
    if file.metadata()?.gid() != replaced.gid() {
        // What the old group was permitted, the new one is only where everybody was.
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Other systems have no such modes: a new file has the rights of its folder.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the systems with modes report errors")]
fn inherit(_file: &File, _replaced: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Writes a file so that it is either the old or the whole new one: to a temporary name beside it, then renamed.
///
/// The file keeps its mode, and its owner and group where that is permitted. Behind a symbolic link the file is
/// replaced, not the link. Temporary files of `path` that processes have left when they were killed are removed.
///
/// # Errors
/// When the folder or file cannot be written; the old file is then untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = behind_links(path);
    sweep(&path);
    replace(&path, |file| file.write_all(bytes)).map(drop)
}

/// Checks that [`write_atomically`] can make a file beside `path`, and leaves everything as it is.
///
/// # Errors
/// When the folder cannot be written.
pub fn probe_writable(path: &Path) -> io::Result<()> {
    Temporary::new(&behind_links(path), None).map(drop)
}

/// Most symbolic links in a row that are followed, as in Linux.
const LINKS: u32 = 40;

/// The file that a path names, behind symbolic links; the file need not exist.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        // A relative target counts from the folder of the link; an absolute one replaces the path.
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Opens a regular file for reading. Anything else, such as a pipe or a device, is refused without waiting for it.
///
/// # Errors
/// When the file cannot be opened, or is no regular file: `not a regular file`.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe without a writer would make the call wait. What was opened is looked at, not what has the name.
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    let special = || io::Error::new(ErrorKind::InvalidInput, "not a regular file");
    let file = options.open(path).map_err(|error| match fs::metadata(path) {
        // A socket cannot be opened at all.
        Ok(meta) if !meta.is_file() && !meta.is_dir() => special(),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(special()) }
}

/// Removes the temporary files of `path` whose writers are gone.
fn sweep(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Best effort: what cannot be read or removed stays. So do links, which no writer makes.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let theirs = entry.path();
        if is_temporary(&entry.file_name(), name)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && !IN_USE.lock().unwrap_or_else(PoisonError::into_inner).contains(&path.with_file_name(entry.file_name()))
            && open_regular(&theirs).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(&theirs);
        }
    }
}

/// Whether `candidate` is a temporary name of `name`: `NAME.PID.RANDOM.tmp`, or `NAME.PID.tmp` and
/// `NAME.PID.WRITER.tmp` of older releases.
fn is_temporary(candidate: &OsString, name: &OsStr) -> bool {
    let (candidate, name) = (candidate.as_encoded_bytes(), name.as_encoded_bytes());
    let number = candidate.strip_prefix(name).and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".tmp"));
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_random = |text: &[u8]| text.len() == 16 && text.iter().all(u8::is_ascii_hexdigit);
    number.is_some_and(|number| {
        let mut parts = number.split(|&byte| byte == b'.');
        let (process, writer, more) = (parts.next(), parts.next(), parts.next());
        process.is_some_and(is_number) && writer.is_none_or(|text| is_number(text) || is_random(text)) && more.is_none()
    })
}

/// Writes a file by `write` under a temporary name of `path` and renames it. Returns the file, open and locked.
fn replace(path: &Path, write: impl Fn(&mut File) -> io::Result<()>) -> io::Result<File> {
    let attempt = || -> io::Result<File> {
        let replaced = fs::metadata(path).ok().filter(Metadata::is_file);
        let mut temporary = Temporary::new(path, replaced.as_ref())?;
        write(&mut temporary.file)?;
        temporary.file.sync_all()?;
        temporary.rename(path)
    };
    // Between the creation of a file and its lock another process may take it for a leftover.
    for _ in 1..NAMES {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            written => return written,
        }
    }
    attempt()
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
        let identity = |data: &Metadata| (data.dev(), data.ino());
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
        let path = &behind_links(path);
        sweep(path);
        for attempt in 0..=TRIES {
            // Opened again each time: its owner replaces the file, and what was replaced has no lock.
            let file = match open_regular(path) {
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
    /// Those of [`write_atomically`].
    pub(super) fn write(&mut self, write: impl Fn(&mut File) -> io::Result<()>) -> io::Result<()> {
        // The lock of the file before ends when the new one has its name.
        self.file = Some(replace(&self.path, write)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_of_the_dead_are_swept_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let path = folder.join("run.ckpt");
        for name in [
            "run.ckpt.17.tmp",
            "run.ckpt.18.tmp",
            "run.ckpt.tmp",
            "run.ckpt.x.tmp",
            "run.ckpt.17.3.tmp",
            "run.ckpt.17.0123456789abcdef.tmp",
            "other.17.tmp",
        ] {
            fs::write(folder.join(name), "left").unwrap();
        }
        // Process 18 lives.
        let living = File::open(folder.join("run.ckpt.18.tmp")).unwrap();
        living.try_lock().unwrap();
        write_atomically(&path, b"whole").unwrap();
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["other.17.tmp", "run.ckpt", "run.ckpt.18.tmp", "run.ckpt.tmp", "run.ckpt.x.tmp"]);
    }

    /// A name that another process foresees, or that comes up twice, must not lead anywhere.
    #[cfg(unix)]
    #[test]
    fn links_with_temporary_names_destroy_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (path, victim) = (folder.join("out.json"), folder.join("victim"));
        fs::write(&victim, "precious").unwrap();
        let trap = folder.join(format!("out.json.{}.tmp", std::process::id()));
        std::os::unix::fs::symlink(&victim, &trap).unwrap();
        probe_writable(&path).unwrap();
        write_atomically(&path, b"whole").unwrap();
        assert_eq!(
            (fs::read_to_string(&victim).unwrap().as_str(), fs::read(&path).unwrap()),
            ("precious", b"whole".into())
        );
        assert!(fs::symlink_metadata(&trap).unwrap().is_symlink(), "no writer made it");
        let names: Vec<_> = (0..100).map(|_| temporary_name(&path)).collect();
        assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)));
    }

    #[cfg(unix)]
    #[test]
    fn modes_and_links_stay() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (path, link) = (folder.join("secret"), folder.join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink("secret", &link).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        for (wanted, place) in [(0o600, &path), (0o640, &link), (0o666, &link)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            write_atomically(place, b"new").unwrap();
            assert_eq!((mode(&path), fs::read_to_string(&path).unwrap().as_str()), (wanted, "new"));
            fs::write(&path, "old").unwrap();
        }
        let mut claimed = Claimed::new(&link).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        claimed.write(|file| file.write_all(b"saved")).unwrap();
        assert_eq!((mode(&path), fs::read_link(&link).unwrap().as_path()), (0o600, Path::new("secret")));
        // A link to a file that does not exist yet makes that file.
        let ahead = folder.join("ahead");
        std::os::unix::fs::symlink("later", &ahead).unwrap();
        write_atomically(&ahead, b"made").unwrap();
        assert_eq!(fs::read_to_string(folder.join("later")).unwrap(), "made");
    }

    /// A pipe that nobody writes to would be waited for without end.
    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let pipe = folder.join("run.ckpt.17.tmp");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
        for path in [&pipe, &folder.join("socket"), Path::new("/dev/null"), folder] {
            assert_eq!(open_regular(path).unwrap_err().to_string(), "not a regular file", "{}", path.display());
        }
        assert_eq!(open_regular(&folder.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
        write_atomically(&folder.join("run.ckpt"), b"whole").unwrap();
        assert!(open_regular(&folder.join("run.ckpt")).is_ok() && pipe.exists());
    }

    #[test]
    fn writers_of_one_process_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
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
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }

    /// The owner replaces the file while another run waits for its lock.
    #[test]
    fn a_file_that_is_replaced_meanwhile_is_not_claimed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
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
    }

    #[test]
    fn a_claimed_file_is_not_claimed_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
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
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
        drop(first);
        assert!(Claimed::new(&path).is_ok());
    }
}
