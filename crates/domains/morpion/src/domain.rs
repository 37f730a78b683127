//! Morpion Solitaire by name: for the command line and other programs that do not know its types.

use crate::verify::{self, Played, check, replay};
use crate::{Game, Morpion, Position, Stroke, Variant, draw, format, generate, is_spec, read, write};
use serde_json::{Value, json};
use soloist_domain::result::object;
use soloist_domain::{
    AnyInstance, Checked, Domain, DomainOption, Instance, InstanceError, Options, follow, follow_steps,
};

/// The domain as the command line knows it.
pub const DOMAIN: Domain = Domain {
    name: "morpion",
    summary: "draw as many lines of five as possible on squared paper, each with one new dot (Morpion Solitaire)",
    score: "moves of the game; larger is better",
    instance: "a spec: 5T (parallel lines may touch), 5D (parallel lines share no point), 4T, 4D (lines of four); or a game to be \
               continued: a file in Pentasol notation, with its variant in a line `# variant 5D` or by --set assume=5D",
    example: "5D",
    options: &[DomainOption {
        name: "assume",
        values: &["nothing", "5T", "5D", "4T", "4D"],
        help: "the variant of a file that names none; nothing: such a file is refused",
    }],
    searches: &[],
    load,
    generate: |spec| generate(spec).map(|game| write(&game)),
};

/// An instance with its name and its search problem.
struct MorpionInstance {
    name: String,
    game: Game,
    problem: Morpion,
}

fn load(instance: &str, options: &Options) -> Result<Box<dyn AnyInstance>, InstanceError> {
    let fail = |message: String| InstanceError::new(instance, message);
    let assumed = match options.get("assume").map(String::as_str) {
        None | Some("nothing") => None,
        Some(name) => Some(name.parse::<Variant>().map_err(fail)?),
    };
    let game = if is_spec(instance) { generate(instance)? } else { read(instance, assumed)? };
    let problem = Morpion::new(&game).map_err(fail)?;
    Ok(Box::new(MorpionInstance { name: instance.to_owned(), game, problem }))
}

impl MorpionInstance {
    /// The whole game: the moves that the instance gives, and those of the search.
    fn game(&self, moves: &[u16]) -> Vec<Stroke> {
        [self.game.start(), &self.problem.strokes(moves)].concat()
    }

    /// The game of a solution object, replayed by the verifier's rules.
    fn played(&self, solution: &Value) -> Result<Played, String> {
        let strokes = verify::strokes(solution, self.game.variant())?;
        replay(self.game.variant(), &strokes).map_err(|fault| fault.to_string())
    }

    /// The moves of a text behind those that the instance gives; checked by the verifier's rules.
    fn strokes(&self, text: &str) -> Result<Vec<Stroke>, String> {
        check(&self.game, text)?;
        let mut strokes = verify::all_strokes(&self.game, text)?;
        Ok(strokes.split_off(self.game.start().len()))
    }

    /// The move of the search that a stroke is.
    fn line(&self, state: &Position, stroke: &Stroke) -> Result<u16, String> {
        self.problem.line(state, stroke).ok_or_else(|| format!("{stroke}: cannot be played"))
    }
}

impl Instance for MorpionInstance {
    type Problem = Morpion;

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let variant = self.game.variant();
        let rule = if variant.is_disjoint() { "share no point" } else { "may touch" };
        let start = match self.game.start().len() {
            0 => String::new(),
            moves => format!("; {moves} moves played"),
        };
        format!("variant {variant}, lines of {} points, parallel lines {rule}{start}", variant.length())
    }

    fn problem(&self) -> &Morpion {
        &self.problem
    }

    fn solution(&self, moves: &[u16]) -> Value {
        let (variant, strokes) = (self.game.variant(), self.game(moves));
        let list: Vec<Value> = strokes
            .iter()
            .map(|&Stroke { point: (x, y), direction, position }| {
                object(vec![
                    ("point", json!([x, y])),
                    ("direction", direction.sign().to_string().into()),
                    ("position", json!(position)),
                ])
            })
            .collect();
        let pentasol = format::pentasol(variant, &strokes);
        let (length, start) = (strokes.len(), self.game.start().len());
        object(vec![
            ("variant", variant.name().into()),
            ("length", length.into()),
            ("start", start.into()),
            ("moves", list.into()),
            ("pentasol", json!(pentasol)),
        ])
    }

    /// Each move of the search as `[column, row, direction, position]`.
    fn moves(&self, moves: &[u16]) -> Value {
        let entry = |stroke: &Stroke| {
            json!([stroke.point.0, stroke.point.1, stroke.direction.sign().to_string(), stroke.position])
        };
        self.problem.strokes(moves).iter().map(entry).collect()
    }

    /// A game may be shorter than possible: the first legal moves complete it.
    fn start_from(&self, text: &str) -> Result<Vec<u16>, String> {
        let strokes = self.strokes(text)?;
        let mut left = strokes.iter();
        follow(&self.problem, |state, legal| left.next().map_or(Ok(legal[0]), |stroke| self.line(state, stroke)))
    }

    fn read_prefix(&self, text: &str) -> Result<Vec<u16>, String> {
        follow_steps(&self.problem, &self.strokes(text)?, |stroke, state, _| self.line(state, stroke))
    }

    fn check(&self, text: &str) -> Result<Checked, String> {
        check(&self.game, text)
    }

    fn text(&self, solution: &Value) -> String {
        if solution.is_null() {
            return "no solution\n".into();
        }
        self.played(solution).map_or_else(|error| error + "\n", |played| draw::text(&played))
    }

    fn svg(&self, solution: &Value) -> String {
        let start =
            || replay(self.game.variant(), self.game.start()).unwrap_or_else(|_| Played::of(self.game.variant()));
        let played = self.played(solution).unwrap_or_else(|_| start());
        draw::svg(&played, &self.name, self.game.start().len())
    }
}
