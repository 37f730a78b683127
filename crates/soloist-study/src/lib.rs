//! Studies of single-player searches: comparisons with tests, tuning, published experiments, reports, a live view.
//!
//! The `soloist` command is a thin layer over this crate; any program can do the same with the problems that it knows.
//! Nothing is printed: results are returned as text, files are written where the caller says, and notes and progress go
//! to a [`Show`].
//!
//! | module | what it does |
//! |---|---|
//! | [`mod@bench`] | compares methods over instances and seeds at equal budgets |
//! | [`tune`] | finds parameters of a method by the cross-entropy method |
//! | [`reproduce`] | repeats published experiments |
//! | [`report`] | makes one page of files of runs |
//! | [`serve`] | shows the same page live |
//! | [`soloist_statistics`] | summaries, intervals and tests of plain numbers |
//! | [`files`], [`table`], [`text`] | files that are never half written, tables, numbers in words |
//!
//! # Example
//! A comparison of two methods on a problem of one's own:
//!
//! ```
//! use soloist::doc::Staircase;
//! use soloist_domain::{Domain, Registry, from_problem, no_generator};
//! use soloist_study::Context;
//! use soloist_study::bench::{Bench, Plan, Running, Shown};
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! static PROBLEMS: [Domain; 1] = [Domain {
//!     name: "stairs",
//!     summary: "left or right, as many lefts first as possible",
//!     score: "lefts; more is better",
//!     instance: "a file with the number of steps",
//!     example: "stairs.txt",
//!     options: &[],
//!     searches: &[],
//!     load: |path, _| {
//!         from_problem(path, |text| text.trim().parse().map(Staircase).map_err(|_| "expected a number".into()))
//!     },
//!     generate: no_generator,
//! }];
//! const SPEC: &str = r#"
//!     problem = "stairs"
//!     instances = ["ten.txt", "twenty.txt"]
//!     seeds = "1..4"
//!     budget = { playouts = 50 }
//!     [[method]]
//!     method = "sampling"
//!     [[method]]
//!     method = "nmcs"
//! "#;
//!
//! let folder = std::env::temp_dir().join(format!("stairs-{}", std::process::id()));
//! std::fs::create_dir_all(&folder).unwrap();
//! std::fs::write(folder.join("ten.txt"), "10").unwrap();
//! std::fs::write(folder.join("twenty.txt"), "20").unwrap();
//! let (registry, stop) = (Registry::new(&PROBLEMS), AtomicBool::new(false));
//! let plan = Plan::parse(&folder.join("spec.toml"), "stairs", SPEC, registry).unwrap();
//! let mut bench = Bench::open(&plan, &folder.join("runs.jsonl"), false).unwrap();
//! bench.run(&Running::default(), &Context::silent(registry, &stop)).unwrap();
//! let findings = bench.findings();
//! assert_eq!((findings.missing(), findings.unverified()), (0, 0));
//! assert!(findings.text(Shown::default()).contains("nmcs"));
//! # std::fs::remove_dir_all(folder).unwrap();
//! ```

#![forbid(unsafe_code)]

pub mod bench;
mod chart;
mod context;
mod failure;
pub mod files;
mod jsonl;
mod machine;

mod pool;
mod race;
pub mod report;
pub mod reproduce;
pub mod serve;
pub mod table;
pub mod text;
pub mod tune;

pub use context::{Context, Show, ShowNothing};
pub use failure::Failure;
pub use machine::task;
