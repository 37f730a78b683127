//! Number partitioning by name: what the command line and other programs without types use.

use crate::verify::left;
use crate::{Differencing, JOIN, Numbers, SPLIT, check, draw, generate, is_spec, read, write};
use num_bigint::BigUint;
use serde_json::{Value, json};
use soloist::{Problem, Setup};
use soloist_domain::result::object;
use soloist_domain::{AnyInstance, Checked, Domain, DomainOption, Instance, InstanceError, Options, WARNING};

/// The domain as the command line knows it.
pub const DOMAIN: Domain = Domain {
    name: "partition",
    summary: "divide numbers into two sides of nearly the same sum (number partitioning)",
    score: "log2 of the difference + 1; smaller is better",
    instance: "a file with one whole number a line, of any size, or a spec: random:100x100:7 (numbers x bits : seed)",
    example: "random:60x40:7",
    options: &[DomainOption {
        name: "leaf",
        values: &["auto", "4", "20", "30", "40"],
        help: "labels that end a path, divided optimally; auto: all if they are at most 50 and their sum has at most 128 bits, else 4",
    }],
    searches: crate::search::METHODS,
    load,
    generate: |spec| generate(spec).map(|numbers| write(&numbers)),
};

/// Differences below 2 to this have scores of their own.
const DISTINCT: f64 = 47.0;

/// An instance with its name and its search problem.
struct PartitionInstance {
    name: String,
    numbers: Numbers,
    problem: Differencing,
}

fn load(instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, InstanceError> {
    let numbers = if is_spec(instance) { generate(instance)? } else { read(instance)? };
    let count = numbers.values().len();
    let problem = Differencing::new(&numbers);
    let leaf = match options.get("leaf").map_or("auto", String::as_str) {
        "auto" if count <= Differencing::MAX_LEAF && problem.is_exact() => count,
        text => text.parse().unwrap_or(4),
    };
    let problem = problem.with_leaf(leaf);
    Ok(Box::new(PartitionInstance { name: instance.to_owned(), numbers, problem }))
}

impl Instance for PartitionInstance {
    type Problem = Differencing;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let values = self.numbers.values();
        let bits = values.iter().map(BigUint::bits).max().unwrap_or(0);
        format!("{} numbers of up to {bits} bits", values.len())
    }

    fn remarks(&self) -> Vec<String> {
        let values = self.numbers.values();
        let others = values.len().saturating_sub(1);
        // Many formats begin with a count.
        let is_count = others > 0 && values[0] == BigUint::from(others);
        let line = format!(
            "{WARNING}the first number, {others}, is how many others there are, and is divided as they are: remove it if \
             it is their count"
        );
        if is_count { vec![line] } else { Vec::new() }
    }

    /// Logarithms of large differences are the same double; what is exact is said without a remark.
    fn proof_remark(&self, score: f64) -> Option<String> {
        let is_divided = self.problem.is_exact() && self.problem.is_finished(&self.problem.root());
        (score > DISTINCT && !is_divided).then(|| {
            "optimal to the precision of the score: a difference that is smaller by less than a relative 2^-45 is not excluded"
                .to_owned()
        })
    }

    /// Divides all numbers where they are few. Where that takes too long, they are searched.
    fn prepare(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Option<String>, String> {
        let count = self.numbers.values().len();
        // Few numbers are divided at once, whatever the time is: a resumed run must divide them as it did before.
        let divided = if count <= 40 { self.problem.solve_root(&mut || true) } else { self.problem.solve_root(go_on) };
        if divided {
            return Ok(None);
        }
        self.problem = Differencing::new(&self.numbers);
        Ok(Some(format!("dividing all {count} numbers at once takes too long: they are searched (leaf=4)")))
    }

    fn problem(&self) -> &Differencing {
        &self.problem
    }

    fn rollout_for(&self, setup: &Setup) -> String {
        match setup.method.family() {
            // Plain differencing is far from what its last labels allow.
            "uct" => "kk:30",
            _ => "kk",
        }
        .into()
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let sides = self.problem.sides(moves);
        let places = |side: bool| (0..sides.len()).filter(|&at| sides[at] == side).collect::<Vec<_>>();
        let mut end = self.problem.root();
        moves.iter().for_each(|&mv| self.problem.apply(&mut end, mv));
        let difference = self.problem.exact_difference(&end);
        object(vec![
            ("difference", difference.to_string().into()),
            ("left", json!(places(false))),
            ("right", json!(places(true))),
        ])
    }

    /// Each move as `"split"` or `"join"`.
    fn moves(&self, moves: &[u16]) -> Value {
        moves.iter().map(|&mv| json!(if mv == JOIN { "join" } else { "split" })).collect()
    }

    fn moves_from(&self, shown: &Value) -> Option<Vec<u16>> {
        let mv = |shown: &Value| match shown.as_str()? {
            "split" => Some(SPLIT),
            "join" => Some(JOIN),
            _ => None,
        };
        shown.as_array()?.iter().map(mv).collect()
    }

    /// A partition in any form that is checked: its sides decide which labels are split and joined.
    fn start_from(&self, text: &str) -> Result<Vec<u16>, String> {
        check(&self.numbers, text)?;
        let mut right = vec![true; self.numbers.values().len()];
        for place in left(text)? {
            right[place as usize] = false;
        }
        let mut moves = Vec::new();
        self.problem.follow(&mut self.problem.root(), &right, &mut moves);
        Ok(moves)
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.numbers, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(&self.numbers, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(&self.numbers, solution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The division of all numbers ends when there is no more time for it, and leaves a problem that is searched.
    #[test]
    fn a_division_that_takes_too_long_is_given_up() {
        let load = || (DOMAIN.load)("random:50x70:7", &Options::from([("leaf".into(), "auto".into())])).unwrap();
        let mut asked = 0;
        let mut instance = load();
        let undone = instance
            .prepare(&mut || {
                asked += 1;
                asked < 2
            })
            .unwrap();
        assert_eq!(asked, 2);
        assert!(undone.is_some_and(|line| line.contains("50 numbers")));
        // Few numbers are divided.
        let mut small = (DOMAIN.load)("random:20x30:7", &Options::from([("leaf".into(), "auto".into())])).unwrap();
        assert_eq!(small.prepare(&mut || true).unwrap(), None);
    }
}
