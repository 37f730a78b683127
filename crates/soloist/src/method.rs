//! Which search runs, with all its numbers.

use crate::search::{Nmcs, Nrpa, Sampling, Uct};
use crate::{Parameter, ParameterError};
use serde::{Deserialize, Serialize};

/// A search and its parameters: plain data, stored in checkpoints and results.
///
/// The variants of the literature are [`presets`](Method::presets) of these few structs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Independent playouts.
    Sampling(Sampling),
    /// Tree search with upper confidence bounds.
    Uct(Uct),
    /// Nested Monte-Carlo search.
    Nmcs(Nmcs),
    /// Nested rollout policy adaptation.
    Nrpa(Nrpa),
}

/// A named setting of a method.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What `--method` accepts.
    pub name: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
    /// Authors, venue, year.
    pub reference: &'static str,
    make: fn() -> Method,
}

impl Preset {
    /// The method with this preset's parameters.
    #[must_use]
    pub fn method(&self) -> Method {
        (self.make)()
    }
}

const PRESETS: &[Preset] = &[
    Preset {
        name: "sampling",
        summary: "independent playouts; the baseline",
        reference: "multiple simulation (MS) in L. Rei's thesis, Porto 2018",
        make: || Method::Sampling(Sampling::default()),
    },
    Preset {
        name: "uct",
        summary: "tree search by UCB1 on the mean score",
        reference: "L. Kocsis and C. Szepesvari, ECML 2006",
        make: || Method::Uct(Uct::default()),
    },
    Preset {
        name: "uct-best",
        summary: "UCT on the best score of each subtree, normalised among siblings",
        reference: "L. Rei's thesis, Porto 2018, chapter 3",
        make: || Method::Uct(Uct::best()),
    },
    Preset {
        name: "nmcs",
        summary: "nested Monte-Carlo search with a memorised best sequence",
        reference: "T. Cazenave, IJCAI 2009",
        make: || Method::Nmcs(Nmcs::default()),
    },
    Preset {
        name: "nrpa",
        summary: "nested rollout policy adaptation",
        reference: "C. D. Rosin, IJCAI 2011",
        make: || Method::Nrpa(Nrpa::default()),
    },
];

impl Method {
    /// All named settings.
    #[must_use]
    pub fn presets() -> &'static [Preset] {
        PRESETS
    }

    /// The method behind a preset's name.
    ///
    /// ```
    /// use soloist::Method;
    /// let mut method = Method::preset("nrpa").unwrap();
    /// method.set("level", "2").unwrap();
    /// assert!(Method::preset("nosuch").is_none());
    /// ```
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        PRESETS.iter().find(|preset| preset.name == name).map(Preset::method)
    }

    /// The parameters with their present values.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        match self {
            Self::Sampling(own) => own.parameters(),
            Self::Uct(own) => own.parameters(),
            Self::Nmcs(own) => own.parameters(),
            Self::Nrpa(own) => own.parameters(),
        }
    }

    /// Sets one parameter from text.
    ///
    /// # Errors
    /// When the name is unknown or the value out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        match self {
            Self::Sampling(own) => own.set(name, value),
            Self::Uct(own) => own.set(name, value),
            Self::Nmcs(own) => own.set(name, value),
            Self::Nrpa(own) => own.set(name, value),
        }
    }
}
