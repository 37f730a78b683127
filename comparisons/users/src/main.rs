//! A bench of problems as users write them: `users list`, `users run PROBLEM VARIANT METHOD SECONDS SEED`, and
//! `users data PROBLEM` for other programs.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command shows its result")]

mod bench;
#[path = "../../../examples/common/four.rs"]
mod four;
mod hand;
mod problems;

use bench::{Entry, Run};
use problems::PROBLEMS;
use std::process::exit;

const USAGE: &str = "users list
users data PROBLEM
users run PROBLEM VARIANT METHOD SECONDS SEED
  VARIANT: four (the four functions) or full (with those that `advise` names)
  SECONDS: or playouts of all threads together, with a `p` behind the number
  METHOD: hand, auto, or another preset, with settings (`threads` among them) if any: \"anneal(start=0.05 rollout=random)\"";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["list"] => {
            for problem in PROBLEMS {
                let (half, sense) = (format!("{:?}", problem.half), format!("{:?}", (problem.sense)()));
                println!("{:18} {:7} {:9} four full", problem.name, half.to_lowercase(), sense.to_lowercase());
            }
        }
        ["data", name] => match find(name) {
            Ok(problem) => println!("{}", (problem.data)()),
            Err(error) => fail(&error),
        },
        ["run", name, variant, method, seconds, seed] => match run(name, variant, method, seconds, seed) {
            Ok(line) => println!("{line}"),
            Err(error) => fail(&error),
        },
        _ => fail(USAGE),
    }
}

fn find(name: &str) -> Result<&'static Entry, String> {
    let found = PROBLEMS.iter().find(|problem| problem.name == name);
    found.ok_or_else(|| format!("no problem `{name}`: see `users list`"))
}

fn run(name: &str, variant: &str, method: &str, seconds: &str, seed: &str) -> Result<String, String> {
    let problem = find(name)?;
    // Counts are measured by counts: how long they take is another question.
    let playouts = seconds.strip_suffix('p').and_then(|count| count.parse().ok());
    let seconds = if playouts.is_some() { "1" } else { seconds }.parse().ok();
    let seconds = seconds.filter(|seconds| (0.0..=1e6).contains(seconds));
    let (Some(seconds), Ok(seed)) = (seconds, seed.parse()) else { return Err("SECONDS and SEED are numbers".into()) };
    let run = Run { method, seconds, playouts, seed };
    let play = match variant {
        "four" => problem.four,
        "full" => problem.full,
        _ => return Err(format!("variant `{variant}` is neither four nor full")),
    };
    let row = if method == "hand" { (problem.hand)(&run) } else { play(&run)? };
    Ok(format!("{{\"problem\":{name:?},\"variant\":{variant:?},{}}}", row.json(&run)))
}

fn fail(what: &str) -> ! {
    eprintln!("error: {what}");
    exit(2)
}
