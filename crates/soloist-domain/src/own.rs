//! A user's own problem behind the seam, so that the command solves it.

use crate::answer::{Answer, short};
use crate::domain::{Checked, Instance, LoadResult};
use crate::{InstanceError, input};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use soloist::{Problem, Score};

/// An instance of a problem that has nothing but its rules.
struct Own<P> {
    name: String,
    problem: P,
}

/// Reads the file `path` by `parse`, for [`Domain::load`](crate::Domain::load) of a problem that is not shipped.
///
/// Solutions are shown as their moves; moves of a type of your own derive serde's `Serialize` and `Deserialize` for it.
/// The checker plays the moves by the problem's own rules, so that it cannot find a mistake in the rules. Implement
/// [`Instance`] to add an independent checker, drawings or other formats. The default method is `cabs` where the
/// problem has a bound for its root and futures, `anneal` otherwise.
///
/// # Errors
/// When the file cannot be read or is larger than 64 MiB, or `parse` returns an error, which should name the line.
///
/// ```
/// use soloist_domain::{Domain, no_generator, own};
/// use soloist::doc::Staircase;
///
/// const STAIRS: Domain = Domain {
///     name: "stairs",
///     summary: "left or right, as many lefts first as possible",
///     score: "lefts; more is better",
///     instance: "a file with the number of steps",
///     example: "stairs.txt",
///     options: &[],
///     searches: &[],
///     load: |path, _| own(path, |text| text.trim().parse().map(Staircase).map_err(|_| "expected a number".into())),
///     generate: no_generator,
/// };
/// # let file = std::env::temp_dir().join(format!("soloist-own-{}", std::process::id()));
/// # std::fs::write(&file, "12\n").unwrap();
/// # let path = file.to_str().unwrap();
/// let instance = (STAIRS.load)(path, &Default::default()).unwrap();
/// let solution = format!(r#"{{"moves": [false, false{}]}}"#, ", true".repeat(10));
/// assert_eq!(instance.check(&solution).unwrap().score, 2.0);
/// assert!(instance.check(r#"{"moves": [false]}"#).unwrap_err().contains("not finished"));
/// # std::fs::remove_file(file).unwrap();
/// ```
pub fn own<P: Problem<Move: Serialize + DeserializeOwned> + 'static>(
    path: &str,
    parse: impl FnOnce(&str) -> Result<P, String>,
) -> LoadResult {
    let bytes = input::read_file(path, MOST)?;
    let text = String::from_utf8_lossy(input::text_bytes(path, &bytes)?);
    let problem = parse(&text).map_err(|message| InstanceError::new(path, message))?;
    let name = std::path::Path::new(path).file_stem().map_or(path.into(), |stem| stem.to_string_lossy());
    Ok(Box::new(Own { name: name.into_owned(), problem }))
}

/// Bytes of an instance file.
const MOST: usize = 64 << 20;

impl<P: Problem<Move: Serialize + DeserializeOwned>> Instance for Own<P> {
    type Problem = P;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let mut moves = Vec::new();
        self.problem.moves(&self.problem.root(), &mut moves);
        format!("{}: {} moves at the root", self.name, moves.len())
    }

    fn problem(&self) -> &P {
        &self.problem
    }

    fn solution(&self, moves: &[P::Move]) -> Value {
        json!({ "moves": moves })
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        let (moves, claimed) = match Answer::read(text)? {
            Answer::Plain(_) => return Err("expected JSON: a result, or a list of moves".into()),
            Answer::List(moves) => (moves, None),
            Answer::Object(result) => {
                result.feasible()?;
                let moves = result.solution()?.get("moves").ok_or("no list `moves`")?;
                (moves.clone(), result.get("score").cloned())
            }
        };
        let moves: Vec<P::Move> = serde_json::from_value(moves).map_err(|error| format!("`moves`: {error}"))?;
        let (mut state, mut legal) = (self.problem.root(), Vec::new());
        for (at, &mv) in moves.iter().enumerate() {
            legal.clear();
            self.problem.moves(&state, &mut legal);
            if !legal.contains(&mv) {
                return Err(format!("move {} is not legal: {mv:?}", at + 1));
            }
            self.problem.apply(&mut state, mv);
        }
        legal.clear();
        self.problem.moves(&state, &mut legal);
        if !legal.is_empty() {
            return Err(format!("not finished after {} moves: {} more are possible", moves.len(), legal.len()));
        }
        match self.problem.score(&state) {
            Score::Feasible(score) if claimed.as_ref().is_some_and(|claimed| claimed.as_f64() != Some(score)) => {
                Err(format!("claims the score {}, recomputed: {score}", short(&claimed.unwrap_or_default())))
            }
            Score::Feasible(score) => {
                Ok(Checked { score, summary: format!("{} moves, legal by the problem's own rules", moves.len()) })
            }
            Score::Infeasible(degree) => Err(format!("infeasible by {degree}")),
        }
    }
}
