//! Expression simplification: code with few operations for a system of polynomials.
//!
//! A Horner scheme extracts one variable after the other, `q + v^d * r`. The order of the variables decides how many
//! sub-expressions coincide. [`Simplifier`] searches for good orders, refines the best ones for each sub-expression,
//! and extracts the common pairs that are hidden in sums and products. The result is straight-line code in several
//! languages, which is verified against the input.
//!
//! | | |
//! |---|---|
//! | score | operations of the Horner scheme after common sub-expressions, smaller is better; see [`Dag::level_counts`] |
//! | file | expressions of computer algebra, assignments of C and Fortran; see [`parse()`] |
//! | specs | `res:7,4`, `random:5x100x6:7`; see [`generate`] |
//! | solution | `{"order": ["x", "y"], "operations": 9, ...}`, outermost variable first, or code; see [`check`] |
//!
//! ```
//! use soloist_expressions::{Header, Language, Simplifier, emit, parse, verify_code};
//! let system = parse("f.txt", b"x^3*y^2 + x^2*y + x^3*z", true).unwrap().into();
//! let done = Simplifier::default().run(&system, &mut |_| ()).unwrap();
//! // x outermost: x^2*(y + x*(y^2 + z)).
//! assert_eq!((system.counts().total(), done.best.operations()), (11, 6));
//! let (order, exceptions) = (&done.best.order[..], done.best.exceptions);
//! let header = Header { function: "f", source: "f.txt", input: system.counts(), order, exceptions };
//! let code = emit(&done.system, &done.best.program, Language::C, &header);
//! assert_eq!(verify_code(&done.system, &code, Language::C).unwrap().counts.total(), 6);
//! ```
//!
//! # Folders
//! Each uses only those above it, apart from what all share (`table`, `stop`).
//!
//! | | |
//! |---|---|
//! | `algebra` | exact numbers, polynomials, systems, operation counts |
//! | `read`, `spec` | systems from text and from specs |
//! | `horner` | the Horner form of an order as a graph, and its program |
//! | [`scheme`] | the costs of orders without building them, the best order, the search problem |
//! | `problem` | the search problem on a system |
//! | `anneal` | what annealing searches share: limits, cooling, acceptance |
//! | `factor` | factors of polynomials and combinations of variables, before the search |
//! | `gradient` | derivatives, and programs for them by reverse mode |
//! | `refine` | annealing over the variables of sub-expressions |
//! | `greedy` | extraction of common pairs, and polishing by annealing |
//! | `evaluate` | values of systems at points, for self-tests |
//! | `emit` | code in several languages |
//! | `verify` | recounts orders and runs code; shares no code with search, reader and emitter but their names |
//! | `simplify` | the whole pipeline and its effort |
//! | `draw`, `domain` | drawings, the registration |
//!
//! # References
//! B. Ruijl, J. Vermaseren, A. Plaat, J. van den Herik, "Combining Simulated Annealing and Monte Carlo Tree Search for
//! Expression Simplification", ICAART 2014. J. Kuipers, A. Plaat, J. Vermaseren, J. van den Herik, "Improving
//! multivariate Horner schemes with Monte Carlo tree search", Computer Physics Communications 184, 2013, pages
//! 2391-2395.

#![forbid(unsafe_code)]

mod algebra;
mod anneal;
mod domain;
mod draw;
mod emit;
mod evaluate;
mod factor;
mod gradient;
mod greedy;
mod horner;
mod parallel;
mod problem;
mod read;
mod refine;
pub mod scheme;
mod simplify;
mod spec;
mod stop;
mod summary;
mod table;
mod verify;

pub use algebra::{
    Call, Coefficient, Constant, Counts, Definition, Function, MAX_EXPONENT, MAX_VARIABLES, Notation, Polynomial,
    Reading, Relation, Signs, System, power_cost,
};
pub use anneal::Limits;
pub use domain::{DOMAIN, describe, open, open_with};
pub use emit::{Float, Header, Language, Style, code_counts, emit, emit_header, emit_self_test, emit_with};
pub use factor::{Factors, factors};
pub use gradient::with_gradient;
pub use greedy::{Polisher, improve, polish};
pub use horner::{Dag, Program, Term};
pub use problem::Orders;
pub use read::{EXPAND_LIMIT, MAX_BYTES, MAX_TABLE, parse, parse_with, read, read_with, translated};
pub use refine::{Refined, Refiner, refine};
pub use scheme::{Direction, terms};
pub use simplify::{
    Amount, Effort, Event, Found, Phase, Simplification, Simplified, Simplifier, SimplifyError, best_of, default_setup,
    search, simplify,
};
pub use spec::{generate, is_spec, write};
pub use stop::Stop;
pub use summary::calls_text;
pub use verify::{Verified, check, check_at, recount, verify_code, verify_exactly, verify_program};
