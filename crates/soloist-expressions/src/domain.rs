//! The registration of the domain.

use crate::algebra::Notation;
use crate::algebra::{Reading, Signs, System};
use crate::horner::Dag;
use crate::problem::Orders;
use crate::read::read_with;
use crate::scheme::Direction;
use crate::spec::{generate, is_spec, write};
use crate::summary::calls_text;
use crate::{draw, verify};
use serde_json::Value;
use soloist_domain::answer::{json, solution};
use soloist_domain::result::object;
use soloist_domain::{AnyInstance, Checked, Domain, DomainOption, Instance, InstanceError, Options, follow};
use std::sync::Arc;

/// The domain `horner`.
pub const DOMAIN: Domain = Domain {
    name: "horner",
    summary: "order the variables of a Horner scheme for the fewest operations (`simplify` writes the code)",
    score: "operations after common sub-expressions; smaller is better",
    instance: "a file of expressions (`name = expression;` or a bare one, as FORM, Maple, SymPy or PARI print it) or a spec: \
               res:7,4 (resultant of polynomials of degrees 7 and 4), random:5x100x6:7 (variables x terms x largest degree \
               : seed), or a family by its size: det, permanent, symdet, toeplitz, circulant, vandermonde, cayley, disc, \
               trees, symanzik, kinematics, mass, element, trace, power, elementary, cyclic, katsura, harmonics, kinetics, \
               stiffness, lagrange, as in det:5",
    example: "random:5x60x4:7",
    options: &[
        DomainOption {
            name: "direction",
            values: &["forward", "backward", "middle"],
            help: "which end of the order is decided first: outermost, innermost, or from the centre",
        },
        DomainOption {
            name: "sign",
            values: &["canonical", "keep"],
            help: "whether a-b and b-a are one sub-expression (keep: two, as published)",
        },
        DomainOption {
            name: "bound",
            values: &["counting", "optimum"],
            help: "the lower bound: by counting, or the operations of the best order (to 24 variables), proven before the search within half of --time; unproven: by counting",
        },
        DomainOption {
            name: "numbers",
            values: &["real", "complex"],
            help: "whether inputs and outputs are complex, and `I` the imaginary unit",
        },
    ],
    searches: &[],
    load,
    generate: |spec| generate(spec).map(|system| write(&system)),
};

/// An instance with its name and its search problem.
struct HornerInstance {
    name: String,
    problem: Orders,
    /// Whether the best order is to be proven.
    prove: bool,
}

fn load(instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, InstanceError> {
    let choice = |name: &str| options.get(name).map_or("", String::as_str);
    let reading = Reading { complex: choice("numbers") == "complex", ..Reading::default() };
    let system = open_with(instance, true, None, &reading)?;
    let signs = if choice("sign") == "keep" { Signs::Kept } else { Signs::Canonical };
    let direction = match choice("direction") {
        "backward" => Direction::Backward,
        "middle" => Direction::Middle,
        _ => Direction::Forward,
    };
    let problem = Orders::new(Arc::new(system), signs, direction);
    Ok(Box::new(HornerInstance { name: instance.to_owned(), problem, prove: choice("bound") == "optimum" }))
}

/// The system of a spec or a file. With `expand`, products and powers of sums are multiplied out.
///
/// # Errors
/// Same as for [`generate`] and [`read_with`].
pub fn open(instance: &str, expand: bool) -> Result<System, InstanceError> {
    open_with(instance, expand, None, &Reading::default())
}

/// As [`open`], with the settings of [`read_with`] for files. For specs they have no effect.
///
/// # Errors
/// Same as for [`generate`] and [`read_with`].
pub fn open_with(
    instance: &str,
    expand: bool,
    notation: Option<Notation>,
    reading: &Reading,
) -> Result<System, InstanceError> {
    if is_spec(instance) { generate(instance) } else { read_with(instance, expand, notation, reading) }
}

impl Instance for HornerInstance {
    type Problem = Orders;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        describe(self.problem.system())
    }

    fn prepare(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Option<String>, String> {
        if !self.prove {
            return Ok(None);
        }
        let mut part = 0.0;
        let proven = self.problem.prove(None, &mut |visited, all| {
            part = visited as f64 / all as f64;
            go_on()
        })?;
        let open = proven.is_none();
        Ok(open.then(|| {
            let percent = 100.0 * part;
            format!("the best order is not proven ({percent:.1} % of the sets of variables visited): bound by counting")
        }))
    }

    fn problem(&self) -> &Orders {
        &self.problem
    }

    fn solution(&self, moves: &[u8]) -> Value {
        let order = self.problem.order(moves);
        let system = self.problem.system();
        let counts = Dag::build(system, &order, self.problem.signs()).level_counts();
        let names: Value = order.iter().map(|&symbol| system.symbols()[symbol].as_str()).collect();
        object(vec![
            ("order", names),
            ("operations", counts.total().into()),
            ("additions", counts.additions.into()),
            ("multiplications", counts.multiplications.into()),
            ("powers", counts.powers.into()),
        ])
    }

    fn moves(&self, moves: &[u8]) -> Value {
        let symbols = self.problem.system().symbols();
        moves.iter().map(|&mv| symbols[self.problem.symbol(mv)].as_str()).collect()
    }

    /// Symbols that occur in no term are no moves.
    fn start_from(&self, text: &str) -> Result<Vec<u8>, String> {
        let value = json("solution", text)?;
        let result = solution(&value).map_err(|_| "holds no solution")?;
        let names = result.get("order").unwrap_or(&value).as_array().ok_or("no list `order`")?;
        let symbols = self.problem.system().symbols();
        let place = |mv: &u8| {
            let name = symbols[self.problem.symbol(*mv)].as_str();
            names.iter().position(|other| other == name)
        };
        let outermost_first = self.problem.direction() == Direction::Forward;
        follow(&self.problem, |_, legal| {
            let places =
                legal.iter().map(|mv| place(mv).map(|place| (place, *mv)).ok_or("a variable is missing in `order`"));
            let places: Vec<(usize, u8)> = places.collect::<Result<_, _>>()?;
            let next = if outermost_first { places.iter().min() } else { places.iter().max() };
            next.map(|&(_, mv)| mv).ok_or_else(|| "no variable is left".to_owned())
        })
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        let (system, signs) = (self.problem.system(), self.problem.signs());
        // Code is compared at fresh points; a seed that was printed repeats them.
        match std::env::var("SOLOIST_CHECK_SEED").ok().and_then(|seed| seed.parse().ok()) {
            Some(seed) => verify::check_at(system, text, signs, seed),
            None => verify::check(system, text, signs),
        }
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(self.problem.system(), solution, self.problem.signs())
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(self.problem.system(), solution, self.problem.signs())
    }
}

/// Parts of a text that were skipped and are listed.
const MOST_SKIPPED: usize = 20;

/// One line: the sizes of a system, and what of its text was skipped by name.
#[must_use]
pub fn describe(system: &System) -> String {
    let count = |count: usize, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let (outputs, inputs) = (system.outputs().count(), system.given().len());
    let blocks = system.definitions().iter().filter(|definition| definition.symbol.is_some()).count();
    let mut text = format!("{} in {}", count(system.terms(), "term"), count(inputs, "variable"));
    if outputs > 1 {
        text.push_str(&format!(", {outputs} outputs"));
    }
    if blocks > 0 {
        text.push_str(&format!(", {} not multiplied out", count(blocks, "sum")));
    }
    text.push_str(&format!(", {} operations", system.counts().total()));
    text.push_str(&calls_text(system));
    let skipped = system.skipped();
    if !skipped.is_empty() {
        let shown: Vec<&str> = skipped.iter().take(MOST_SKIPPED).map(String::as_str).collect();
        text.push_str(&format!("; skipped: {}", shown.join(" | ")));
        if skipped.len() > MOST_SKIPPED {
            text.push_str(&format!(" and {} more", skipped.len() - MOST_SKIPPED));
        }
    }
    text
}
