//! The only place that writes: standard output and error, and files that are either the old or the whole new ones.

use crate::failure::{Failure, one_line};
use anstream::ColorChoice;
use soloist::run::file::{probe_writable, write_atomically};
use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Sets whether to colour, for everything printed from now on.
pub(crate) fn set_color(choice: ColorChoice) {
    choice.write_global();
}

/// Whether standard error shows colours.
pub(crate) fn colored() -> bool {
    !matches!(anstream::AutoStream::choice(&io::stderr()), ColorChoice::Never)
}

/// Whether standard error is a terminal that can redraw a line.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Writes a result. A reader that has gone (`soloist ... | head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::runtime(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes help with its colours where they are wanted, to standard error if the call was wrong.
pub(crate) fn help(text: &str, is_error: bool) -> Result<(), Failure> {
    if is_error {
        let _ = write!(anstream::stderr().lock(), "{text}");
        return Ok(());
    }
    let mut stdout = anstream::stdout().lock();
    match write!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::runtime(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes one line for people; a closed standard error is no reason to stop.
pub(crate) fn note(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", one_line(line));
}

/// Writes a line that may hold colours of ours and no foreign text.
pub(crate) fn painted(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Writes the one line of a failure.
pub(crate) fn error(message: &str) {
    let _ = writeln!(anstream::stderr().lock(), "\x1b[1;31merror:\x1b[0m {}", one_line(message));
}

/// The place of a file behind links; one that does not exist yet is found through its folder.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(path).or_else(|_| Ok(fs::canonicalize(folder)?.join(path.file_name().unwrap_or_default())))
}

/// Files that a command reads or adds to, each with a word for it: no output may replace one.
#[derive(Debug, Default)]
pub(crate) struct Guarded(HashMap<PathBuf, &'static str>);

impl Guarded {
    /// Adds a file, which need not exist.
    pub(crate) fn add(&mut self, path: &Path, what: &'static str) {
        // Where even the folder is missing, no output can be. Devices and pipes are not replaced.
        if let Ok(place) = absolute(path)
            && !fs::metadata(&place).is_ok_and(|meta| !meta.is_file())
        {
            self.0.entry(place).or_insert(what);
        }
    }

    /// Refuses an output that would replace one of the files.
    pub(crate) fn check(&self, option: &str, path: &Path) -> Result<(), Failure> {
        match absolute(path).ok().and_then(|place| self.0.get(&place)) {
            Some(what) => Err(Failure::usage(format!("{option} {} would overwrite {what}", path.display()))),
            None => Ok(()),
        }
    }
}

/// A file to be written at the end, known to be writable now.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The name as the user wrote it.
    shown: String,
    /// The file behind symbolic links, so that renaming does not replace the link.
    path: PathBuf,
    /// A device or pipe: written directly, because renaming would replace it.
    special: bool,
}

impl Target {
    /// Checks that `path` can be written, leaving it as it is.
    pub(crate) fn new(path: &Path) -> Result<Self, Failure> {
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
    pub(crate) fn regular(path: &Path) -> Result<Self, Failure> {
        let target = Self::new(path)?;
        if target.special {
            return Err(Failure::runtime(format!("cannot write {}: not a regular file", target.shown)));
        }
        Ok(target)
    }

    /// The file behind symbolic links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The name as the user wrote it.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether both are the same file.
    pub(crate) fn is_same(&self, other: &Path) -> bool {
        !self.special && matches!((absolute(&self.path), absolute(other)), (Ok(a), Ok(b)) if a == b)
    }

    /// Writes the file.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
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
    pub(crate) fn stream(&self, append: bool) -> Result<fs::File, Failure> {
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
