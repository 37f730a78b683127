//! A problem for tests of what no shipped one has: infeasible solutions, a verifier that disagrees.

use serde_json::{Value, json};
use soloist::{Problem, Score, Sense, Setup};
use soloist_domain::{Checked, Domain, DomainOption, Instance, InstanceError};

/// Choose a bit; the spec says what becomes of it: `feasible`, `infeasible` or `wrong` (the verifier finds another
/// score).
#[derive(Debug)]
pub struct OneBit {
    spec: String,
    bit: Bit,
}

/// The problem of [`OneBit`].
#[derive(Debug)]
pub struct Bit {
    feasible: bool,
}

impl Problem for Bit {
    type State = Option<bool>;
    type Move = bool;

    fn root(&self) -> Option<bool> {
        None
    }

    fn moves(&self, state: &Option<bool>, moves: &mut Vec<bool>) {
        if state.is_none() {
            moves.extend([false, true]);
        }
    }

    fn apply(&self, state: &mut Option<bool>, mv: bool) {
        *state = Some(mv);
    }

    fn score(&self, _: &Option<bool>) -> Score {
        if self.feasible { Score::Feasible(2.0) } else { Score::Infeasible(1.5) }
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }
}

impl Instance for OneBit {
    type Problem = Bit;

    fn name(&self) -> &str {
        &self.spec
    }

    fn describe(&self) -> String {
        "one bit".to_owned()
    }

    fn problem(&self) -> &Bit {
        &self.bit
    }

    fn default_setup(&self) -> Setup {
        Setup::preset("sampling").unwrap()
    }

    fn solution(&self, moves: &[bool]) -> Value {
        json!({ "bit": moves[0] })
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        match serde_json::from_str::<Value>(text) {
            Ok(result) if result["solution"]["bit"].is_boolean() => {
                let score = if self.spec == "wrong" { 3.0 } else { 2.0 };
                Ok(Checked { score, summary: "a bit".to_owned() })
            }
            _ => Err("no bit".to_owned()),
        }
    }

    fn text(&self, solution: &Value) -> String {
        format!("the bit is {}", solution["bit"])
    }

    fn svg(&self, _: &Value) -> String {
        "<svg/>".to_owned()
    }
}

/// The domain of [`OneBit`].
pub static DOMAIN: Domain = Domain {
    name: "dummy",
    summary: "choose a bit",
    score: "nothing",
    instance: "feasible, infeasible or wrong",
    example: "feasible",
    options: &[DomainOption { name: "mood", values: &["good", "bad"], help: "of no effect" }],
    searches: &[],
    load: |spec, options| {
        assert!(options.keys().all(|key| key == "mood"), "options are checked before");
        match spec {
            "feasible" | "infeasible" | "wrong" => {
                Ok(Box::new(OneBit { spec: spec.to_owned(), bit: Bit { feasible: spec != "infeasible" } }))
            }
            _ => Err(InstanceError::new(spec, "no such thing")),
        }
    },
    generate: |spec| Ok(spec.to_owned()),
};
