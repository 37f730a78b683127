//! `campaign NAME`: runs a campaign and prints what it found.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use soloist_campaigns::Campaign;
use soloist_campaigns::checkpoints::Checkpoints;
use soloist_campaigns::notations::Notations;
use soloist_campaigns::readers::Readers;
use soloist_campaigns::supervise::{self, Limits, Summary};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs a campaign of damaged input and prints what it found.
#[derive(Debug, Parser)]
struct Arguments {
    /// What is damaged.
    name: Name,
    /// How many cases.
    #[arg(long, default_value_t = 10_000)]
    cases: u64,
    /// The first case.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// What decides the damage, together with the number of the case.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes at a time.
    #[arg(long, default_value_t = 2)]
    workers: u64,
    /// Seconds after which no further case begins.
    #[arg(long)]
    seconds: Option<f64>,
    /// Runs this one case here, without another process: for a debugger.
    #[arg(long)]
    case: Option<u64>,
    /// Damages runs of this preset only (`checkpoints`).
    #[arg(long)]
    preset: Option<String>,
    /// Set by the program for the processes that it starts: FROM,TO,STEP.
    #[arg(long, hide = true, value_delimiter = ',')]
    work: Option<Vec<u64>>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    /// Checkpoints with a valid checksum and a damaged body.
    Checkpoints,
    /// Files for the readers of instances, solutions and expressions.
    Readers,
    /// Instances from standard input, a line each, for `adversary.py`.
    Claims,
    /// Random expressions in every notation, printed back and computed again.
    Notations,
    /// Random trees from standard input, a line each, for `adversary.py`.
    Trees,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let mut campaign: Box<dyn Campaign> = match arguments.name {
        Name::Checkpoints => Box::new(Checkpoints::new(arguments.seed, arguments.preset.as_deref())?),
        Name::Readers => Box::new(Readers::new(arguments.seed)),
        Name::Claims => {
            soloist_campaigns::claims::serve(std::io::stdin().lock(), std::io::stdout().lock())?;
            return Ok(ExitCode::SUCCESS);
        }
        Name::Notations => Box::new(Notations::new(arguments.seed)),
        Name::Trees => {
            soloist_campaigns::trees::serve(std::io::stdin().lock(), std::io::stdout().lock())?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    if let Some(work) = &arguments.work {
        let &[from, to, step] = work.as_slice() else { anyhow::bail!("--work FROM,TO,STEP") };
        supervise::work(&mut *campaign, from, to, step)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(case) = arguments.case {
        println!("case {case}: {}", campaign.describe(case));
        if let Some(input) = campaign.input(case) {
            println!("{}", input.escape_ascii());
        }
        println!("{:?}", campaign.run(case));
        return Ok(ExitCode::SUCCESS);
    }
    let start = Instant::now();
    let deadline = arguments.seconds.map(|seconds| start + Duration::from_secs_f64(seconds));
    let limits = Limits { time: Duration::from_secs(10), memory: 128 << 20 };
    let name = arguments.name.to_possible_value().context("a name")?;
    let mut own = vec![name.get_name().to_owned(), "--seed".into(), arguments.seed.to_string()];
    if let Some(preset) = arguments.preset {
        own.extend(["--preset".into(), preset]);
    }
    let cases = (arguments.from, arguments.from.saturating_add(arguments.cases));
    let summary = supervise::run(&*campaign, &own, cases, arguments.workers.max(1), limits, deadline, &mut |line| {
        println!("{line}");
    })?;
    let Summary { cases, accepted, wrong, slowest, largest } = summary;
    println!(
        "{}: {cases} cases (seed {}), {accepted} accepted, {wrong} findings; longest {:.2} s (case {}), most memory {} MiB (case {}); {:.0} s",
        name.get_name(),
        arguments.seed,
        slowest.0,
        slowest.1,
        largest.0 >> 20,
        largest.1,
        start.elapsed().as_secs_f64()
    );
    Ok(if wrong == 0 && cases > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
