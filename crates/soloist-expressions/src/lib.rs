//! Expression simplification: code with the fewest operations for a system of polynomials.
//!
//! A Horner scheme extracts one variable after the other, `q + v^d * r`; the order of the variables decides how many
//! sub-expressions coincide. Orders are searched, and for the best ones common pairs hidden in sums and products are
//! extracted greedily; the result is straight-line code in several languages, verified against the input.
//!
//! | | |
//! |---|---|
//! | score | operations of the Horner scheme after common sub-expressions, smaller is better; see [`Dag::level_counts`] |
//! | file | expressions as FORM, Maple, SymPy and PARI print them; see [`parse()`] |
//! | specs | `res:7,4`, `random:5x100x6:7`; see [`generate`] |
//! | solution | `{"order": ["x", "y"], "operations": 9, ...}`, outermost variable first, or code; see [`check`] |
//!
//! ```
//! use soloist_expressions::{Header, Language, emit, parse, simplify, verify_code};
//! let system = parse("f.txt", b"x^3*y^2 + x^2*y + x^3*z", true).unwrap();
//! assert_eq!(system.counts().total(), 11);
//! // x outermost: x^2*(y + x*(y^2 + z)).
//! let best = simplify(&system, &[0, 1, 2], Some(0), None);
//! assert_eq!(best.operations(), 6);
//! let (order, exceptions) = (&best.order[..], best.exceptions);
//! let header = Header { function: "f", source: "f.txt", input: system.counts(), order, exceptions };
//! let code = emit(&system, &best.program, Language::C, &header);
//! assert_eq!(verify_code(&system, &code, Language::C).unwrap().counts.total(), 6);
//! ```
//!
//! The files: `number` and [`Polynomial`] hold what is computed, `parse` and `spec` make a [`System`] of it, `dag` its
//! Horner form for an order, `local` that with exceptions, `program` and `greedy` the code, `emit` its text, [`scheme`]
//! and `problem` the search for orders; `evaluate`, `recompute`, `recount` and `verify` check all that and share nothing
//! with it.
//!
//! # References
//! B. Ruijl, J. Vermaseren, A. Plaat, J. van den Herik, "Combining Simulated Annealing and Monte Carlo Tree Search for
//! Expression Simplification", ICAART 2014. J. Kuipers, A. Plaat, J. Vermaseren, J. van den Herik, "Improving multivariate
//! Horner schemes with Monte Carlo tree search", Computer Physics Communications 184, 2013, pages 2391-2395.

mod algebra;
mod anneal;
mod domain;
mod draw;
mod emit;
mod greedy;
mod horner;
mod problem;
mod read;
mod refine;
mod saved;
pub mod scheme;
mod simplify;
mod spec;
mod stop;
mod study;
mod table;
mod verify;

pub use algebra::{
    Coefficient, Counts, Definition, MAX_EXPONENT, MAX_VARIABLES, Polynomial, Signs, System, power_cost,
};
pub use anneal::Limits;
pub use domain::{DOMAIN, describe, open};
pub use emit::{Header, Language, emit};
pub use greedy::{Polisher, improve, polish};
pub use horner::{Dag, Program, Term, addition_chain};
pub use problem::Orders;
pub use read::{EXPAND_BUDGET, EXPAND_LIMIT, MAX_BYTES, MAX_TABLE, as_written, parse, read};
pub use refine::{Refined, Refiner, refine};
pub use scheme::{Direction, Partial, terms};
pub use simplify::{
    Amount, Effort, Event, Found, Phase, Setup, Simplification, Simplified, Simplifier, SimplifyError, best_of,
    best_refined, search, simplify,
};
pub use spec::{generate, is_spec, write};
pub use stop::Stop;
pub use study::{TreeSearch, tree_search};
pub use verify::{LevelCounts, Verified, check, recount, verify_code, verify_exactly, verify_program};
