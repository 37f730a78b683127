//! An experiment with its built-in description and published values.

use super::description::Description;
use super::experiments::Source;
use super::published::Published;
use crate::failure::Failure;
use std::path::Path;

/// An experiment with its built-in description and published values.
#[derive(Debug)]
pub(crate) struct Paper {
    pub(crate) id: &'static str,
    pub(crate) description: Description,
    pub(crate) published: Published,
}

impl Paper {
    /// Reads the built-in files.
    pub(crate) fn new(source: &Source) -> Result<Self, Failure> {
        let fail = |what: &str, error: String| Failure::runtime(format!("{}{what}: {error}", source.id));
        let description = Description::parse(source.description).map_err(|error| fail(".toml", error))?;
        let published = Published::parse(source.published).map_err(|error| fail(".csv", error))?;
        Ok(Self { id: source.id, description, published })
    }

    /// Reads the built-in files, for the rows that are asked for; all of them if `rows` is empty.
    ///
    /// # Errors
    /// No row has such a name.
    pub(crate) fn with_rows(source: &Source, rows: &[String]) -> Result<Self, Failure> {
        let mut paper = Self::new(source)?;
        let fail = |error| Failure::usage(format!("{}: {error}", source.id));
        paper.description.keep(rows).map_err(fail)?;
        Ok(paper)
    }

    /// The instances that are there, and those that `data` lacks. Specs are always there.
    pub(crate) fn instances(&self, data: &Path) -> (Vec<String>, Vec<String>) {
        let is_there = |name: &&String| !name.contains('/') || is_there(data, name);
        let (there, missing): (Vec<&String>, Vec<&String>) = self.description.instances.iter().partition(is_there);
        (there.into_iter().cloned().collect(), missing.into_iter().cloned().collect())
    }
}

/// Whether a file, or at least one file of a pattern, is in the folder.
fn is_there(data: &Path, name: &str) -> bool {
    let path = data.join(name);
    if !name.contains(['*', '?']) {
        return path.is_file();
    }
    // What exactly matches is found out when the runs are planned.
    path.parent().and_then(|folder| std::fs::read_dir(folder).ok()).is_some_and(|mut entries| entries.next().is_some())
}
