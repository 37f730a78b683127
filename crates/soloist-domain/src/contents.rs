//! What the files of an instance held when it was loaded, so that it can be loaded again elsewhere.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Paths of files as they were given, and their bytes.
pub type Contents = Vec<(PathBuf, Vec<u8>)>;

thread_local! {
    static SOURCE: RefCell<Option<Source>> = const { RefCell::new(None) };
}

/// What is read in the place of files, or noted of them.
struct Source {
    given: Option<Contents>,
    noted: Contents,
}

/// Forgets the source, also when loading panics.
struct Ended;

impl Drop for Ended {
    fn drop(&mut self) {
        SOURCE.take();
    }
}

/// Calls `load` and returns what the files held that it has read on this thread.
///
/// With `given`, these bytes are read instead of files.
pub fn with_contents<T>(given: Option<Contents>, load: impl FnOnce() -> T) -> (T, Contents) {
    SOURCE.set(Some(Source { given, noted: Vec::new() }));
    let ended = Ended;
    let loaded = load();
    let source = SOURCE.take();
    drop(ended);
    let contents = source.map(|source| source.given.unwrap_or(source.noted));
    (loaded, contents.unwrap_or_default())
}

/// Returns the first `most` bytes that were given for a file.
pub(crate) fn given(path: &Path, most: usize) -> Option<Vec<u8>> {
    SOURCE.with_borrow(|source| {
        let files = source.as_ref()?.given.as_ref()?;
        let (_, bytes) = files.iter().find(|(name, _)| name == path)?;
        Some(bytes[..bytes.len().min(most)].to_vec())
    })
}

/// Notes what a file holds.
pub(crate) fn note(path: &Path, bytes: &[u8]) {
    SOURCE.with_borrow_mut(|source| {
        if let Some(source) = source {
            source.noted.push((path.to_owned(), bytes.to_vec()));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::read_file;

    #[test]
    fn files_are_noted_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.txt");
        let name = path.to_str().unwrap();
        std::fs::write(&path, "one").unwrap();
        let (read, contents) = with_contents(None, || read_file(name, 1 << 20).unwrap());
        assert_eq!((read.as_slice(), &contents), (&b"one"[..], &vec![(path.clone(), b"one".to_vec())]));
        std::fs::remove_file(&path).unwrap();
        let (read, again) = with_contents(Some(contents.clone()), || read_file(name, 1 << 20).unwrap());
        assert_eq!((read.as_slice(), again), (&b"one"[..], contents));
        assert!(read_file(name, 1 << 20).is_err());
    }
}
