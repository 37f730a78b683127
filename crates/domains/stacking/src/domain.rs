//! Stacking by name: what the command line and other programs without types use.

use crate::{Stacking, Yard, check, draw, generate, is_spec, read, write};
use serde_json::{Value, json};
use soloist::Setup;
use soloist_domain::result::object;
use soloist_domain::{AnyInstance, Checked, Domain, DomainOption, Instance, InstanceError, Options};

/// The domain as the command line knows it.
pub const DOMAIN: Domain = Domain {
    name: "stacking",
    summary: "store items in stacks until they are due with few relocations; restricted block relocation",
    score: "relocations; smaller is better",
    instance: "a file with a header and rows `item release due`, a block relocation file (`stacks items`, then `height items...`), or a \
               spec: random:10x1000:7 (stacks x items : seed), relocation:4x6:7 (stacks x items on each : seed); restricted relocation: \
               nothing is moved but what lies above the item that leaves next",
    example: "random:6x60:7",
    options: &[DomainOption {
        name: "height",
        values: &["file", "plus2"],
        help: "most items on a stack: as the file says (block relocation: no limit), or two more than on the highest at first",
    }],
    searches: crate::search::METHODS,
    load,
    generate: |spec| generate(spec).map(|yard| write(&yard)),
};

/// An instance with its name and its search problem.
struct StackingInstance {
    name: String,
    yard: Yard,
    problem: Stacking,
}

fn load(instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, InstanceError> {
    let mut yard = if is_spec(instance) { generate(instance)? } else { read(instance)? };
    if options.get("height").is_some_and(|height| height == "plus2") {
        let height = yard.highest() + 2;
        yard = yard.with_height(height).map_err(|message| InstanceError::new(instance, message))?;
    }
    let problem = Stacking::new(&yard);
    Ok(Box::new(StackingInstance { name: instance.to_owned(), yard, problem }))
}

impl Instance for StackingInstance {
    type Problem = Stacking;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let (items, width, height) = (self.yard.items().len(), self.yard.width(), self.yard.height());
        let height = if height >= items { "any height".into() } else { format!("height {height}") };
        format!("{items} items, {width} stacks of {height}")
    }

    fn remarks(&self) -> Vec<String> {
        // Two problems of this name are in use.
        let relocates = !self.yard.items().is_empty() && self.yard.items().iter().all(|item| item.release.is_none());
        let line = "restricted block relocation: nothing is moved but what lies above the item that leaves next; with \
                    other moves as well (unrestricted) fewer may do";
        if relocates { vec![line.to_owned()] } else { Vec::new() }
    }

    fn problem(&self) -> &Stacking {
        &self.problem
    }

    /// Half of the effort where exact search may prove the optimum within seconds.
    fn proof_part(&self) -> f64 {
        if self.problem.may_be_proven() { 0.5 } else { Setup::PROOF }
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let movements = self.problem.movements(&self.yard, moves);
        let relocations = movements.iter().filter(|own| own.from.is_some() && own.to.is_some()).count();
        let number = |item: usize| self.yard.items()[item].number;
        let rows: Vec<Value> =
            movements.iter().map(|own| json!([own.time, number(own.item), own.from, own.to])).collect();
        object(vec![("relocations", json!(relocations)), ("movements", rows.into())])
    }

    /// The ranks chosen.
    fn moves(&self, moves: &[u16]) -> Value {
        json!(moves)
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.yard, text)
    }

    fn text(&self, solution: &Value) -> String {
        draw::text(&self.yard, solution)
    }

    fn svg(&self, solution: &Value) -> String {
        draw::svg(&self.yard, solution)
    }
}
