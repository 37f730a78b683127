//! The knapsack by name: for the command line and other programs that do not know its types.

use crate::{Choice, Item, Knapsack, Sack, check, draw, generate, is_spec, read, search, verify, write};
use serde_json::{Value, json};
use soloist_domain::answer::SubmittedSolution;
use soloist_domain::result::object;
use soloist_domain::{AnyInstance, Checked, Domain, Instance, InstanceError, Options, WARNING, follow};

/// The domain as the command line knows it.
pub const DOMAIN: Domain = Domain {
    name: "knapsack",
    summary: "pack the most valuable items that a capacity allows (0/1 knapsack)",
    score: "value packed; larger is better",
    instance: "a .kp file (`n capacity`, then `value weight` per line) or a spec: random:100x1000:7 (items x largest weight : \
               seed; values independent of weights), weak:100x1000:7 (values near the weights), strong:100x1000:7 (values = weights + a tenth \
               of the largest), and the kinds inverse, subset, ceiling, circle, span. Moves are `[item, 1]` for taken and `[item, 0]` for left out; the latter leaves out all items of the same value \
               and weight that are open, so that a prefix says less than it seems to",
    example: "random:100x1000:7",
    options: &[],
    searches: search::METHODS,
    load,
    generate: |spec| generate(spec).map(|sack| write(&sack, spec)),
};

/// An instance with its name and its search problem.
struct KnapsackInstance {
    name: String,
    sack: Sack,
    problem: Knapsack,
}

fn load(instance: &str, _options: &Options) -> Result<Box<dyn AnyInstance>, InstanceError> {
    let sack = if is_spec(instance) { generate(instance)? } else { read(instance)? };
    let problem = Knapsack::new(&sack);
    Ok(Box::new(KnapsackInstance { name: instance.to_owned(), sack, problem }))
}

impl Instance for KnapsackInstance {
    type Problem = Knapsack;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        format!("{} items, capacity {}", self.sack.items.len(), self.sack.capacity)
    }

    /// A capacity that decides nothing belongs to another problem than the one meant.
    fn remarks(&self) -> Vec<String> {
        let Sack { capacity, items } = &self.sack;
        let lightest = items.iter().map(|item| item.weight).min().unwrap_or(0);
        let all: u64 = items.iter().map(|item| item.weight).sum();
        let line = if lightest > *capacity {
            format!(
                "{WARNING}no item fits: the lightest weighs {lightest}, the capacity is {capacity}; each line is `value \
                 weight`, are the columns exchanged?"
            )
        } else if all <= *capacity && !items.is_empty() {
            format!(
                "{WARNING}all items fit: they weigh {all}, the capacity is {capacity}; each line is `value weight`, are \
                 the columns exchanged?"
            )
        } else {
            return Vec::new();
        };
        vec![line]
    }

    fn problem(&self) -> &Knapsack {
        &self.problem
    }

    /// States of a core prove most instances within a second, those of a million items among them: the default method
    /// has what is left.
    fn proof_part(&self) -> f64 {
        0.9
    }

    fn solution(&self, moves: &[Choice]) -> Value {
        let items = self.problem.packed(moves);
        let sum = |pick: fn(&Item) -> u64| items.iter().map(|&item| pick(&self.sack.items[item as usize])).sum::<u64>();
        let (value, weight) = (sum(|item| item.value), sum(|item| item.weight));
        object(vec![("items", json!(items)), ("value", value.into()), ("weight", weight.into())])
    }

    /// Each decision as `[item, 1 for taken or 0 for skipped]`.
    fn moves(&self, moves: &[Choice]) -> Value {
        moves.iter().map(|mv| json!([mv.item, u8::from(mv.take)])).collect()
    }

    fn moves_from(&self, shown: &Value) -> Option<Vec<Choice>> {
        let choice = |mv: &Value| {
            let (item, take) = (mv.get(0)?.as_u64()?, mv.get(1)?.as_u64()?);
            Some(Choice { item: u32::try_from(item).ok()?, take: take == 1 })
        };
        shown.as_array()?.iter().map(choice).collect()
    }

    fn start_from(&self, text: &str) -> Result<Vec<Choice>, String> {
        check(&self.sack, text)?;
        let (_, _, packed) = verify::total(&self.sack, &verify::items(&SubmittedSolution::read(text)?)?)?;
        follow(&self.problem, |_, legal| {
            let wanted = |choice: &&Choice| choice.take == packed[choice.item as usize];
            // An item that fits beside all others is taken: the search knows no packing without it.
            Ok(legal.iter().find(wanted).copied().unwrap_or(legal[0]))
        })
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.sack, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(&self.sack, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(&self.sack, solution)
    }
}
