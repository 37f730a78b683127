//! Recursive circle packing by name: what the command line and other programs without types use.

use super::instance::encode;
use super::{Objective, Order, Packing, TOLERANCE, Worth, check, draw, generate, is_spec, read, write};
use serde_json::{Value, json};
use soloist_domain::answer::json as read_json;
use soloist_domain::result::object;
use soloist_domain::{
    AnyInstance, Checked, Domain, DomainOption, Instance, InstanceError, LoadResult, Options, WARNING,
};

/// The domain as the command line knows it.
pub const DOMAIN: Domain = Domain {
    name: "packing",
    summary: "pack tubes (rings) into a rectangle and into each other (recursive circle packing)",
    score: "value packed into one container, larger is better; or containers used for all tubes, smaller is better",
    instance: "an .rpa file (name; `T width height`; T lines `demand r_int r_ext [value]`) or a spec: random:5x80:7 (types x tubes : seed; rings), \
               circles:3x60:7 (discs)",
    example: "random:5x80:7",
    options: &[
        DomainOption {
            name: "objective",
            values: &["value", "containers"],
            help: "the most value in one container, or all tubes in the fewest containers",
        },
        DomainOption {
            name: "worth",
            values: &["area", "count", "given"],
            help: "what a tube is worth: the area of its ring, in squared units of the file; 1; or what the fourth column of the file says",
        },
    ],
    searches: crate::search::METHODS,
    load,
    generate: |spec| generate(spec).map(|order| write(&order)),
};

/// An instance with its name and its search problem.
struct PackingInstance {
    name: String,
    order: Order,
    values: Worth,
    objective: Objective,
    problem: Packing,
}

fn load(instance: &str, options: &Options) -> LoadResult {
    let order = if is_spec(instance) { generate(instance)? } else { read(instance)? };
    let values = match options.get("worth").map_or("area", String::as_str) {
        "count" => Worth::Count,
        "given" => Worth::Given,
        _ => Worth::Area,
    };
    let objective = match options.get("objective").map_or("value", String::as_str) {
        "containers" => Objective::Containers,
        _ => Objective::Value,
    };
    let problem = Packing::new(&order, values, objective)
        .map_err(|message| InstanceError::new(instance, message).with_option("worth"))?;
    Ok(Box::new(PackingInstance { name: instance.to_owned(), order, values, objective, problem })
        as Box<dyn AnyInstance>)
}

/// A move as results show it: `[type, place]`.
fn read_move(mv: &Value) -> Option<u64> {
    let pair = mv.as_array().filter(|pair| pair.len() == 2)?;
    let number = |place: usize, bits: u32| pair[place].as_u64().filter(|number| number >> bits == 0);
    number(0, 12).zip(number(1, 52)).map(|(kind, place)| encode(kind as u16, place))
}

impl Instance for PackingInstance {
    type Problem = Packing;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let (width, height) = (self.order.width(), self.order.height());
        let offered: u64 = self.order.tubes().iter().map(|tube| u64::from(tube.demand)).sum();
        let goal = match (self.objective, self.values) {
            (Objective::Containers, _) => "fewest containers",
            (_, Worth::Area) => "most ring area",
            (_, Worth::Count) => "most tubes",
            (_, Worth::Given) => "most value",
        };
        format!("{offered} tubes of {} types, container {width} x {height}, {goal}", self.order.tubes().len())
    }

    fn remarks(&self) -> Vec<String> {
        let (order, mut lines) = (&self.order, Vec::new());
        let (width, height) = (order.width(), order.height());
        let room = width.min(height) + TOLERANCE * width.max(height);
        let large = order.tubes().iter().filter(|tube| 2.0 * tube.outer > room).count();
        let of = match order.tubes().len() {
            all if all == large => "no tube fits".to_owned(),
            all => format!("{large} of {all} types do not fit"),
        };
        if large > 0 {
            lines.push(format!(
                "{WARNING}{of} into the container of {width} x {height}: radii are read, are these diameters?"
            ));
        }
        let counts_values = self.objective == Objective::Value && self.values != Worth::Given;
        if counts_values && order.has_values() && !order.tubes().is_empty() {
            lines.push(format!("{WARNING}the values in the file are not used: --set worth=given counts them"));
        }
        lines
    }

    fn problem(&self) -> &Packing {
        &self.problem
    }

    fn solution(&self, moves: &[u64]) -> Value {
        let places = self.problem.places(moves);
        let mut counts = vec![0_u32; self.order.tubes().len()];
        for place in &places {
            counts[usize::from(place.kind)] += 1;
        }
        let containers = places.iter().map(|place| place.container + 1).max().unwrap_or(0);
        let tubes: Vec<Value> = places
            .iter()
            .map(|place| {
                object(vec![
                    ("type", json!(place.kind)),
                    ("container", json!(place.container)),
                    ("hull", json!(place.hull)),
                    ("x", place.x.into()),
                    ("y", place.y.into()),
                ])
            })
            .collect();
        object(vec![
            ("value", json!(self.problem.value_of(&counts))),
            ("containers", json!(containers)),
            ("counts", json!(counts)),
            ("tubes", tubes.into()),
        ])
    }

    /// Each move as `[type, place]`: the place is two numbers of 26 bits.
    fn moves(&self, moves: &[u64]) -> Value {
        moves.iter().map(|&mv| json!([mv >> 52, mv & ((1 << 52) - 1)])).collect()
    }

    /// The moves of a result, as [`moves`](Instance::moves) writes them.
    fn start_from(&self, text: &str) -> Result<Vec<u64>, String> {
        let value = read_json("solution", text)?;
        let moves = value.get("moves").and_then(Value::as_array).ok_or("holds no list `moves`")?;
        let read = |(at, mv): (usize, &Value)| read_move(mv).ok_or(format!("move {at}: expected [type, place]"));
        moves.iter().enumerate().map(read).collect()
    }

    fn moves_from(&self, shown: &Value) -> Option<Vec<u64>> {
        shown.as_array()?.iter().map(read_move).collect()
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.order, self.values, self.objective, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(&self.order, self.values, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(&self.order, self.values, solution)
    }
}
