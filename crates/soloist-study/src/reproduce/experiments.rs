//! The experiments that are described by files: a description and the published values of each.

/// The built-in files of an experiment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The name that the command knows.
    pub(crate) id: &'static str,
    /// The description (TOML).
    pub(crate) description: &'static str,
    /// The published values (CSV).
    pub(crate) published: &'static str,
}

/// The files of an experiment.
macro_rules! source {
    ($id:literal) => {
        Source {
            id: $id,
            description: include_str!(concat!("experiments/", $id, ".toml")),
            published: include_str!(concat!("experiments/", $id, ".csv")),
        }
    };
}

/// All of them, paper by paper.
pub(crate) const SOURCES: &[Source] = &[
    source!("schadd-table-1"),
    source!("schadd-table-2"),
    source!("schadd-table-3"),
    source!("schadd-table-4"),
    source!("schadd-table-5"),
    source!("schadd-table-6"),
    source!("schadd-table-7"),
    source!("schadd-figure-2"),
    source!("schadd-restarts"),
    source!("baier-figure-2"),
    source!("baier-figure-3"),
    source!("baier-figure-4"),
    source!("baier-figure-5"),
    source!("baier-figure-6"),
    source!("baier-figure-7"),
    source!("baier-figure-8"),
    source!("baier-figure-9"),
    source!("baier-nmcs"),
    source!("hd-nrpa-table-1"),
    source!("hd-nrpa-table-2"),
    source!("hd-nrpa-table-3"),
    source!("hd-nrpa-r101"),
    source!("hd-nrpa-r102"),
    source!("hd-nrpa-r103"),
    source!("hd-nrpa-figure-14"),
    source!("hd-nrpa-study"),
    source!("rei-table-4.1"),
    source!("rei-table-5.1"),
    source!("rei-table-6.1"),
    source!("sa-uct-forward"),
    source!("sa-uct-backward"),
    source!("sa-uct-hep-forward"),
    source!("sa-uct-hep-backward"),
    source!("sa-uct-hep-middle"),
];
