//! Snakes and coils by name: what the command line and other programs without types use.

use super::automorphism::orders;
use super::symmetric_coils::SymmetricCoils;
use super::{Code, Cube, Kind, Potential, Snakes, canonical, check, draw, flips_along, generate, is_spec, read, write};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use soloist::search::parameters::{Auto, Entries};
use soloist::{Method, Problem, Setup};
use soloist_domain::result::object;
use soloist_domain::{
    Checked, Domain, DomainOption, Instance, InstanceError, LoadResult, Options, follow, follow_steps,
};
use std::ops::RangeInclusive;

const INSTANCE: &str = "a spec dDIMENSIONkSPREAD such as d8k2 (d8: spread 2), dimension 2 to 13, spread 1 to 7; or a text file with the spec in its first line and, \
                        if the path is to begin in a certain way, `nodes` or `transitions` (bits flipped, from 0) and the numbers in the next";

const CODE: DomainOption = DomainOption {
    name: "code",
    values: &["vertex", "edge", "turn", "step"],
    help: "what a learned weight belongs to: the vertex entered, the edge, the edge and the bit flipped before, or the bit and the number of moves before",
};

const POTENTIAL: DomainOption = DomainOption {
    name: "potential",
    values: &["auto", "reachable", "free", "woven"],
    help: "what beams rank paths by: the vertices not blocked that the head can reach, all that are not blocked, or `reachable` behind paths in which two bits alternate at every second flip (auto: woven for spread 3 from dimension 9 on, else reachable)",
};

const SYMMETRY: DomainOption = DomainOption {
    name: "symmetry",
    values: &["none", "any", "2", "3", "4", "5", "6", "7", "8", "10", "12", "14", "20", "24"],
    help: "only coils that a symmetry of the cube of this order (any: 2 to 24) maps to themselves; a far smaller search that finds long ones and proves nothing (the method `symmetric` draws orders by itself)",
};

/// Snake-in-the-box.
pub const SNAKE: Domain = Domain {
    name: "snake",
    summary: "the longest path in a hypercube that keeps away from itself (snake-in-the-box)",
    score: "length in edges, larger is better",
    instance: INSTANCE,
    example: "d7k2",
    options: &[CODE, POTENTIAL],
    searches: super::search::METHODS,
    load: |instance, options| load(Kind::Snake, instance, options),
    generate: |spec| instance_file(Kind::Snake, spec),
};

/// Coil-in-the-box.
pub const COIL: Domain = Domain {
    name: "coil",
    summary: "the longest cycle in a hypercube that keeps away from itself (coil-in-the-box)",
    score: "length in vertices, larger is better",
    instance: INSTANCE,
    example: "d7k2",
    options: &[CODE, POTENTIAL, SYMMETRY],
    searches: super::search::METHODS,
    load: |instance, options| load(Kind::Coil, instance, options),
    generate: |spec| instance_file(Kind::Coil, spec),
};

/// A problem whose moves stand for a path or a cycle.
trait Walks: Problem<Move: Serialize + DeserializeOwned> + Send {
    /// The vertices of the solution.
    fn nodes(&self, moves: &[Self::Move]) -> Vec<u32>;
    /// The bits flipped, as results print them.
    fn flips(&self, moves: &[Self::Move]) -> Vec<u8>;
    /// The moves that make a path which flips these bits, in canonical form; what a path of the search cannot repeat is
    /// completed by the first legal moves.
    fn start_from(&self, flips: &[u8]) -> Result<Vec<Self::Move>, String>;
    /// The moves that make a path which flips these bits and no more; they begin as the instance says.
    fn read_prefix(&self, flips: &[u8]) -> Result<Vec<Self::Move>, String>;
    /// Whether the bits flipped are the moves.
    const FLIPS_ARE_MOVES: bool;
    /// What restricts the paths, after the sizes of the cube; empty: nothing.
    fn remark(&self) -> String;
}

impl Walks for Snakes {
    const FLIPS_ARE_MOVES: bool = true;

    fn nodes(&self, moves: &[u8]) -> Vec<u32> {
        self.answer(moves)
    }

    /// Without those of the prefix.
    fn flips(&self, moves: &[u8]) -> Vec<u8> {
        moves.to_vec()
    }

    fn start_from(&self, flips: &[u8]) -> Result<Vec<u8>, String> {
        let mut left = flips.iter().skip(self.prefix.len());
        follow(self, |_, legal| {
            let next = left.next();
            Ok(legal.iter().find(|&mv| Some(mv) == next).copied().unwrap_or(legal[0]))
        })
    }

    fn read_prefix(&self, flips: &[u8]) -> Result<Vec<u8>, String> {
        let edges = (1..).zip(flips).skip(self.prefix.len());
        follow_steps(self, edges, |(number, flip), _, legal| {
            if legal.contains(flip) { Ok(*flip) } else { Err(format!("edge {number} is not legal")) }
        })
    }

    fn remark(&self) -> String {
        match self.prefix.len() {
            0 => String::new(),
            begun => format!(", the first {begun} edges given"),
        }
    }
}

impl Walks for SymmetricCoils {
    const FLIPS_ARE_MOVES: bool = false;

    fn nodes(&self, moves: &[u16]) -> Vec<u32> {
        self.answer(moves)
    }

    /// Those that would make the whole coil, up to where it closes, in canonical form.
    fn flips(&self, moves: &[u16]) -> Vec<u8> {
        let nodes = self.answer(moves);
        let mut flips = canonical(flips_along(&nodes));
        flips.truncate(nodes.len().saturating_sub(self.spread() as usize));
        flips
    }

    fn start_from(&self, _: &[u8]) -> Result<Vec<u16>, String> {
        Err("a symmetric search cannot start from a solution: `symmetry` must be none".to_owned())
    }

    fn read_prefix(&self, flips: &[u8]) -> Result<Vec<u16>, String> {
        self.start_from(flips)
    }

    fn remark(&self) -> String {
        format!(", {} symmetries", self.symmetries())
    }
}

/// An instance with its name and its search problem.
struct CubeInstance<P> {
    name: String,
    kind: Kind,
    cube: Cube,
    problem: P,
}

pub(super) fn load(kind: Kind, instance: &str, options: &Options) -> LoadResult {
    let cube = if is_spec(instance) { generate(instance)? } else { read(instance)? };
    let chosen = |name: &str| options.get(name).map_or("", String::as_str);
    let potential = Potential::named(chosen("potential"), cube.dimension, cube.spread);
    if let Some(orders) = orders(kind, chosen("symmetry")) {
        // The default, which is always there, is no choice of the user's.
        let is_chosen = ![CODE.values[0], ""].contains(&chosen("code"));
        for (name, has_no_effect) in [("code", is_chosen), ("potential", potential == Potential::Free)] {
            if has_no_effect {
                let message = format!("with `symmetry` the option `{name}` has no effect: leave it out");
                return Err(InstanceError::new(instance, message).with_option(name));
            }
        }
        return symmetric(instance, cube, orders, potential);
    }
    let code = Code::named(chosen("code"));
    let name = instance.to_owned();
    Ok(Box::new(CubeInstance { name, kind, problem: Snakes::new(kind, &cube, code, potential), cube }))
}

fn symmetric(instance: &str, cube: Cube, orders: RangeInclusive<u32>, potential: Potential) -> LoadResult {
    let fail = |message: &str| Err(InstanceError::new(instance, message.to_owned()).with_option("symmetry"));
    if !cube.prefix.is_empty() {
        return fail("the path begins in a given way: `symmetry` must be none");
    }
    let (dimension, least, most) = (cube.dimension, *orders.start(), *orders.end());
    let problem = SymmetricCoils::new(&cube, orders, potential);
    if problem.symmetries() > 0 {
        return Ok(Box::new(CubeInstance { name: instance.to_owned(), kind: Kind::Coil, cube, problem }));
    }
    let order = if least == most { least.to_string() } else { format!("{least} to {most}") };
    fail(&format!("no coil of dimension {dimension} has a symmetry of order {order}"))
}

fn instance_file(kind: Kind, spec: &str) -> Result<String, InstanceError> {
    let cube = generate(spec)?;
    let (d, k) = (cube.dimension, cube.spread);
    Ok(write(&cube, &format!("{}-in-the-box: dimension {d}, spread {k}", kind.name())))
}

impl<P: Walks> Instance for CubeInstance<P> {
    type Problem = P;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let (d, k) = (self.cube.dimension, self.cube.spread);
        format!("dimension {d} ({} vertices), spread {k}{}", 1 << d, self.problem.remark())
    }

    fn problem(&self) -> &P {
        &self.problem
    }

    /// The methods that the problem names share the budget.
    fn default_setup(&self) -> Setup {
        let methods = Entries::of(&self.problem.extras().portfolio()).unwrap_or_default();
        match methods.entries() {
            [method] => method.setup().proof(self.proof_part()),
            // With no methods it is `auto` as for any problem.
            _ => Method::from(Auto { methods, ..Auto::default() }).into(),
        }
    }

    fn solution(&self, moves: &[P::Move]) -> Value {
        let nodes = self.problem.nodes(moves);
        let around = if self.kind == Kind::Coil { nodes.first() } else { None };
        let next = nodes.iter().skip(1).chain(around);
        let transitions: Vec<u32> = nodes.iter().zip(next).map(|(a, b)| (a ^ b).trailing_zeros()).collect();
        object(vec![
            ("kind", self.kind.name().into()),
            ("d", json!(self.cube.dimension)),
            ("k", json!(self.cube.spread)),
            ("length", transitions.len().into()),
            ("nodes", json!(nodes)),
            ("transitions", json!(transitions)),
        ])
    }

    fn moves(&self, moves: &[P::Move]) -> Value {
        json!(self.problem.flips(moves))
    }

    fn shows_moves(&self) -> bool {
        P::FLIPS_ARE_MOVES
    }

    fn start_from(&self, text: &str) -> Result<Vec<P::Move>, String> {
        check(self.kind, &self.cube, text)?;
        let flips = super::verify::flips(self.kind, &self.cube, text)?;
        self.problem.start_from(&flips)
    }

    fn read_prefix(&self, text: &str) -> Result<Vec<P::Move>, String> {
        if text.trim_start().starts_with('[') {
            // The same numbers may be bits and vertices.
            return Err("a list holds moves: vertices follow the word `nodes`".to_owned());
        }
        if self.kind == Kind::Coil && check(self.kind, &self.cube, text).is_ok() {
            // It is closed: its moves end before its edges do.
            return self.problem.start_from(&super::verify::flips(self.kind, &self.cube, text)?);
        }
        self.problem.read_prefix(&super::verify::begin(self.kind, &self.cube, text)?)
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(self.kind, &self.cube, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(self.kind, &self.cube, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(self.kind, &self.cube, solution)
    }
}
