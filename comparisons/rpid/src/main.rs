//! `soloist-rpid CLASS FILE SECONDS [--threads N]`: an instance by CABS of the crate rpid, as one line of JSON.
//!
//! SECONDS are those of the clock, from the begin of the search. `didp.py` gives the program a clock that shows its
//! processor time.

mod models;
mod read;
mod set;
mod solve;

use std::process::ExitCode;

const USAGE: &str = "usage: soloist-rpid CLASS FILE SECONDS [--threads N]";

fn run(arguments: &[String]) -> Result<String, String> {
    let (class, file, seconds, threads) = match arguments {
        [class, file, seconds] => (class, file, seconds, "1"),
        [class, file, seconds, option, threads] if option == "--threads" => (class, file, seconds, threads.as_str()),
        _ => return Err(USAGE.to_owned()),
    };
    let right = |seconds: &f64| *seconds > 0.0 && *seconds <= 1e6;
    let seconds = seconds.parse().ok().filter(right).ok_or("SECONDS is a number above 0, at most 1000000")?;
    let threads = threads.parse().ok().filter(|n| (1..=64).contains(n)).ok_or("N is a whole number from 1 to 64")?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    models::run(class, &text, &solve::Limits { seconds, threads }).map_err(|error| format!("{file}: {error}"))
}

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(line) => println!("{line}"),
        Err(error) => {
            eprintln!("soloist-rpid: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
