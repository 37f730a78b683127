//! Files that a program writes: checked before the work begins, and at any moment either the old or the whole new ones.

use crate::Failure;
use soloist::run::file::{probe_writable, write_atomically};
use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Resolves symbolic links; for a missing file, resolves its folder.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(path).or_else(|_| Ok(fs::canonicalize(folder)?.join(path.file_name().unwrap_or_default())))
}

/// Files that a command reads or adds to, each with a word for it: no output may replace one.
#[derive(Debug, Default)]
pub struct Guarded(HashMap<PathBuf, &'static str>);

impl Guarded {
    /// Adds a file, which need not exist.
    pub fn add(&mut self, path: &Path, what: &'static str) {
        // Where even the folder is missing, no output can be. Devices and pipes are not replaced.
        if let Ok(place) = absolute(path)
            && !fs::metadata(&place).is_ok_and(|meta| !meta.is_file())
        {
            self.0.entry(place).or_insert(what);
        }
    }

    /// Refuses an output that would replace one of the files.
    pub fn check(&self, option: &str, path: &Path) -> Result<(), Failure> {
        match absolute(path).ok().and_then(|place| self.0.get(&place)) {
            Some(what) => Err(Failure::usage(format!("{option} {} would overwrite {what}", path.display()))),
            None => Ok(()),
        }
    }
}

/// A file to be written at the end, known to be writable now.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name as the user wrote it.
    shown: String,
    /// The file behind symbolic links, so that renaming does not replace the link.
    path: PathBuf,
    /// A device or pipe: written directly, because renaming would replace it.
    special: bool,
}

impl Target {
    /// Checks that `path` can be written, leaving it as it is.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("cannot write {shown}: {error}"));
        let resolved = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let special = match fs::metadata(&resolved) {
            Ok(meta) if meta.is_dir() => return Err(fail(&"it is a directory")),
            Ok(meta) if meta.permissions().readonly() => return Err(fail(&"it is read-only")),
            Ok(meta) => !meta.is_file(),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(fail(&error)),
        };
        if !special {
            probe_writable(&resolved).map_err(|error| fail(&error))?;
        }
        Ok(Self { shown, path: resolved, special })
    }

    /// The same, for a file that is rewritten while the search runs and read later.
    pub fn regular(path: &Path) -> Result<Self, Failure> {
        let target = Self::new(path)?;
        if target.special {
            return Err(Failure::runtime(format!("cannot write {}: not a regular file", target.shown)));
        }
        Ok(target)
    }

    /// The file behind symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name as the user wrote it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether both are the same file.
    pub fn is_same(&self, other: &Path) -> bool {
        !self.special && matches!((absolute(&self.path), absolute(other)), (Ok(a), Ok(b)) if a == b)
    }

    /// Writes the file.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let written = if self.special {
            let written = fs::OpenOptions::new().write(true).open(&self.path);
            match written.and_then(|mut file| file.write_all(text.as_bytes())) {
                // As on standard output: a reader that has gone is no failure.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                written => written,
            }
        } else {
            write_atomically(&self.path, text.as_bytes())
        };
        written.map_err(|error| Failure::runtime(format!("cannot write {}: {error}", self.shown)))
    }

    /// Opens the file for writing as events come: behind what is there (`append`) or emptying it. No other run writes
    /// to it meanwhile.
    pub fn stream(&self, append: bool) -> Result<fs::File, Failure> {
        let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("cannot write {}: {error}", self.shown));
        if self.special {
            return fs::OpenOptions::new().write(true).open(&self.path).map_err(|error| fail(&error));
        }
        let file = fs::OpenOptions::new().create(true).append(true).open(&self.path).map_err(|error| fail(&error))?;
        // What another run has written must not be emptied.
        if !soloist::run::file::claim_file(&file) {
            return Err(fail(&"another run is writing it"));
        }
        if !append {
            file.set_len(0).map_err(|error| fail(&error))?;
        }
        Ok(file)
    }
}
