//! Independent verification of snakes and coils: every pair of vertices by the definition, without the search.

use super::{Cube, Kind};
use soloist_domain::Checked;
use soloist_domain::answer::{SubmittedSolution, claim, numbers, plain_number, short, words};
use std::fmt;

/// The first pair of vertices that breaks the rule of the spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Their positions in the list, from 0, the earlier one first.
    pub places: (usize, usize),
    /// The vertices.
    pub nodes: (u32, u32),
    /// The edges between them on the path, or the fewer ones around the cycle.
    pub steps: usize,
    /// In how many bits they differ.
    pub bits: u32,
    /// In how many bits they must differ at least.
    pub needed: u32,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes: (a, b), steps, bits, needed, .. } = self;
        if *steps == 1 {
            return write!(f, "vertices {a} and {b} follow each other and differ in {bits} bits, not in one");
        }
        let plural = if *bits == 1 { "" } else { "s" };
        write!(
            f,
            "vertices {a} and {b}, {steps} steps apart, differ in {bits} bit{plural}, at least {needed} are needed"
        )
    }
}

/// Returns the first pair of `nodes`, by the later position, that breaks the definition: vertices one step apart differ
/// in one bit, vertices `s` steps apart in at least `min(spread, s)`. In a coil the last vertex precedes the first.
///
/// Time is quadratic in the number of vertices.
#[must_use]
pub fn violation(nodes: &[u32], spread: u32, kind: Kind) -> Option<Violation> {
    for (j, &b) in nodes.iter().enumerate() {
        for (i, &a) in nodes[..j].iter().enumerate() {
            let steps = match kind {
                Kind::Snake => j - i,
                Kind::Coil => (j - i).min(nodes.len() - (j - i)),
            };
            let bits = (a ^ b).count_ones();
            let needed = u32::try_from(steps).map_or(spread, |steps| steps.min(spread));
            if bits < needed || steps == 1 && bits != 1 {
                return Some(Violation { places: (i, j), nodes: (a, b), steps, bits, needed });
            }
        }
    }
    None
}

/// Verifies a snake or a coil.
///
/// `text` is one of
/// - a result of `soloist solve --json`: an object with `solution` and, checked when present, `problem`, `feasible`,
///   `score` and `moves`;
/// - its `solution` alone: an object with `nodes` or `transitions` or both, which must then agree, and, checked when
///   present, `kind`, `d`, `k` and `length`;
/// - a JSON list of vertices;
/// - plain numbers separated by blanks, commas or line ends, with `#` comments: vertices, or, after the word
///   `transitions`, the bits flipped from vertex 0 on.
///
/// The start may be any vertex. The last transition of a coil, which leads back to the start, may be left out. If the
/// instance has a prefix, the path must begin as it does, up to symmetry; a coil of length `2 d` need not.
///
/// # Errors
/// One line: text that cannot be read, a vertex that does not exist, a pair that breaks the rule, a claim that does not
/// hold.
pub fn check(kind: Kind, cube: &Cube, text: &str) -> Result<Checked, String> {
    let submitted = SubmittedSolution::read(text)?;
    let nodes = vertices(kind, cube, &submitted)?;
    let checked = judge(kind, cube, &nodes)?;
    let SubmittedSolution::Object(result) = submitted else { return Ok(checked) };
    let solution = result.solution()?;
    if let Some(moves) = result.get("moves").filter(|moves| moves.is_array()) {
        agree(kind, cube, &nodes, &numbers("moves", moves)?)?;
    }
    claim("score", result.get("score"), checked.score as u64)?;
    claim("length", solution.get("length"), checked.score as u64)?;
    Ok(checked)
}

/// The vertices of a solution, whole or begun, which may claim no other problem and no other cube.
fn vertices(kind: Kind, cube: &Cube, submitted: &SubmittedSolution<'_>) -> Result<Vec<u32>, String> {
    let result = match submitted {
        SubmittedSolution::Plain(text) => return plain(kind, cube, text),
        SubmittedSolution::List(nodes) => return existing(cube, &numbers("nodes", nodes)?),
        SubmittedSolution::Object(result) => result,
    };
    result.belong_to(kind.name())?;
    let solution = result.solution()?;
    claim("d", solution.get("d"), cube.dimension().into())?;
    claim("k", solution.get("k"), cube.spread().into())?;
    if let Some(claimed) = solution.get("kind")
        && claimed != kind.name()
    {
        return Err(format!("claims the kind {}, expected {}", short(claimed), kind.name()));
    }
    match (solution.get("nodes"), solution.get("transitions")) {
        (Some(nodes), transitions) => {
            let nodes = existing(cube, &numbers("nodes", nodes)?)?;
            if let Some(transitions) = transitions {
                let start = nodes.first().copied().unwrap_or(0);
                if walk(kind, cube, start, &numbers("transitions", transitions)?)? != nodes {
                    return Err("`nodes` and `transitions` differ".into());
                }
            }
            Ok(nodes)
        }
        (None, Some(transitions)) => walk(kind, cube, 0, &numbers("transitions", transitions)?),
        (None, None) => Err("no list `nodes` or `transitions`".into()),
    }
}

/// Returns the bits flipped along a path that is begun, renamed in the order of their first use. Its vertices keep away
/// from each other as those of a snake do.
pub(super) fn begin(kind: Kind, cube: &Cube, text: &str) -> Result<Vec<u8>, String> {
    let nodes = vertices(kind, cube, &SubmittedSolution::read(text)?)?;
    judge(Kind::Snake, cube, &nodes)?;
    Ok(renamed(&nodes))
}

/// Returns the bits flipped along a solution in any form, renamed in the order of their first use.
pub(super) fn flips(kind: Kind, cube: &Cube, text: &str) -> Result<Vec<u8>, String> {
    let nodes = vertices(kind, cube, &SubmittedSolution::read(text)?)?;
    Ok(renamed(&nodes))
}

/// Judges a list of vertices that exist.
fn judge(kind: Kind, cube: &Cube, nodes: &[u32]) -> Result<Checked, String> {
    let (d, k) = (cube.dimension(), cube.spread());
    if nodes.is_empty() {
        return Err("no vertices".into());
    }
    if kind == Kind::Coil && nodes.len() < 4 {
        return Err(format!("{} vertices, a cycle has at least 4", nodes.len()));
    }
    if nodes.len() > 1 << d {
        return Err(format!("{} vertices, the cube has {}", nodes.len(), 1 << d));
    }
    if let Some(wrong) = violation(nodes, k, kind) {
        return Err(wrong.to_string());
    }
    let length = if kind == Kind::Coil { nodes.len() } else { nodes.len() - 1 };
    let is_trivial = kind == Kind::Coil && length == 2 * d as usize;
    let begun = cube.prefix().len();
    if !is_trivial && !renamed(nodes).starts_with(cube.prefix()) {
        return Err(format!("does not begin with the {begun} edges of the instance"));
    }
    let summary = format!("{} of length {length} in dimension {d}, spread {k}", kind.name());
    Ok(Checked { score: length as f64, summary })
}

/// The bits flipped along `nodes`, renamed in the order of their first use.
fn renamed(nodes: &[u32]) -> Vec<u8> {
    let mut names = [u8::MAX; 32];
    let mut used = 0;
    let mut flips = Vec::with_capacity(nodes.len());
    for pair in nodes.windows(2) {
        let name = &mut names[((pair[0] ^ pair[1]).trailing_zeros() & 31) as usize];
        if *name == u8::MAX {
            *name = used;
            used += 1;
        }
        flips.push(*name);
    }
    flips
}

/// The moves of a result are those that its solution is made of: all flips of a snake, and of a coil beyond the trivial
/// one those before it closes.
fn agree(kind: Kind, cube: &Cube, nodes: &[u32], moves: &[u64]) -> Result<(), String> {
    let flips: Vec<u64> = renamed(nodes).into_iter().map(u64::from).collect();
    let played: Vec<u64> = cube.prefix().iter().map(|&bit| u64::from(bit)).chain(moves.iter().copied()).collect();
    let agrees = match kind {
        Kind::Snake => played == flips,
        Kind::Coil if nodes.len() <= 2 * cube.dimension() as usize => true,
        Kind::Coil => played.starts_with(&flips[..nodes.len() - cube.spread() as usize]),
    };
    if agrees { Ok(()) } else { Err("`moves` and the solution differ".into()) }
}

/// The vertices of a list of numbers.
fn existing(cube: &Cube, numbers: &[u64]) -> Result<Vec<u32>, String> {
    let count = 1_u32 << cube.dimension();
    let vertex = |&number: &u64| u32::try_from(number).ok().filter(|&vertex| vertex < count);
    numbers
        .iter()
        .map(|number| {
            vertex(number).ok_or_else(|| format!("vertex {number} does not exist: there are {count}, counted from 0"))
        })
        .collect()
}

/// The vertices along `transitions`, flipped one after the other from `start`; a coil's return to it is left out.
fn walk(kind: Kind, cube: &Cube, start: u32, transitions: &[u64]) -> Result<Vec<u32>, String> {
    let d = cube.dimension();
    let mut nodes = vec![start];
    let mut node = start;
    for &bit in transitions {
        let bit = u32::try_from(bit).ok().filter(|&bit| bit < d);
        node ^= 1
            << bit.ok_or_else(|| format!("a transition that is no bit of a vertex: there are {d}, counted from 0"))?;
        nodes.push(node);
    }
    if kind == Kind::Coil && nodes.len() > 1 && node == start {
        nodes.pop();
    }
    Ok(nodes)
}

/// Plain numbers, perhaps after a word that says what they are.
fn plain(kind: Kind, cube: &Cube, text: &str) -> Result<Vec<u32>, String> {
    let mut numbers = Vec::new();
    let mut word = None;
    for (line, field) in words(text) {
        if word.is_none() && numbers.is_empty() && matches!(field, "nodes" | "transitions") {
            word = Some(field);
        } else {
            numbers.push(plain_number(if word == Some("transitions") { "bit" } else { "vertex" }, (line, field))?);
        }
    }
    match word {
        Some("transitions") => walk(kind, cube, 0, &numbers),
        _ => existing(cube, &numbers),
    }
}
