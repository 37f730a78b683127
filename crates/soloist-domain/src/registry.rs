//! The problems of a program, by name.

use crate::names::nearest;
use crate::{Domain, InstanceError, SpecError, SpecPart, find_among};
use soloist::Method;
use soloist::search::Preset;
use std::path::Path;

/// The problems of a program, and the methods that they add to those of the engine.
#[derive(Clone, Copy)]
pub struct Registry(&'static [Domain]);

impl Registry {
    /// A registry of these domains, whose names differ.
    #[must_use]
    pub const fn new(domains: &'static [Domain]) -> Self {
        Self(domains)
    }

    /// All domains, in the order in which lists show them.
    #[must_use]
    pub fn domains(self) -> &'static [Domain] {
        self.0
    }

    /// The domain of that name.
    #[must_use]
    pub fn find(self, name: &str) -> Option<&'static Domain> {
        self.0.iter().find(|domain| domain.name == name)
    }

    /// All methods: the presets of the engine, then the searches that problems have of their own, each name once.
    pub fn methods(self) -> impl Iterator<Item = &'static Preset> + Clone {
        let own = self.0.iter().enumerate().flat_map(move |(at, domain)| {
            let known =
                move |name: &str| self.0[..at].iter().any(|other| other.searches.iter().any(|own| own.name == name));
            domain.searches.iter().filter(move |own| !known(own.name))
        });
        Method::presets().iter().chain(own)
    }

    /// Returns the method of a name: a preset of the engine, or a search that a problem has.
    ///
    /// # Errors
    /// No method has this name; the message names the nearest one.
    pub fn find_method(self, name: &str) -> Result<&'static Preset, SpecError> {
        find_among(self.methods(), name)
    }

    /// Returns an error that also names the problems that have the unknown method, if any has it.
    #[must_use]
    pub fn with_owners(self, error: SpecError) -> SpecError {
        let SpecPart::UnknownMethod(name) = &error.part else { return error };
        let has = |domain: &&Domain| domain.searches.iter().any(|own| own.name == name);
        let owners: Vec<_> = self.0.iter().filter(has).map(|domain| domain.name).collect();
        let Some((last, others)) = owners.split_last() else { return error };
        let owners = if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) };
        let message =
            format!("`{name}` is a method of {owners} alone; see `soloist methods --all` for those of all problems");
        SpecError { message, ..error }
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|domain| domain.name)).finish()
    }
}

impl Domain {
    /// Says why an instance cannot be opened. A word that is no file and was not meant as one gets the specs that
    /// exist.
    #[must_use]
    pub fn unopened(&self, text: &str, error: &InstanceError) -> String {
        let is_word = !matches!(text, "" | "-") && !text.contains(['/', '\\', '.']);
        if !is_word || !error.message.starts_with("cannot be read") || Path::new(text).exists() {
            return error.to_string();
        }
        let (kind, rest) = text.split_once(':').unwrap_or((text, "..."));
        let words = self.instance.split([' ', ',', ';', '(', ')', '`']);
        let kinds: Vec<&str> = words
            .filter_map(|word| word.split_once(':').filter(|form| !form.1.is_empty()))
            .map(|form| form.0)
            .collect();
        let hint = nearest(kind, &kinds).map_or_else(String::new, |kind| format!(", did you mean `{kind}:{rest}`?"));
        format!("`{text}` is neither a file nor a spec{hint} ({} takes {})", self.name, self.instance)
    }
}
