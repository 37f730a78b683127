//! `soloist simplify`: expressions in, code with few operations out.

use crate::args::{Emit, SimplifyArgs};
use crate::choice;
use crate::failure::{Failure, unknown};
use crate::live::Phases;
use crate::output::{self, Target, temporary};
use crate::result::plain;
use crate::signal;
use soloist::{Budget, Method, StopReason};
use soloist_problems::expressions::{
    Dag, Direction, Found, Header, Language, Program, Refinement, Search, Signs, Simplified, System, best_of,
    best_refined, default_method, degree, describe, emit, open, polish, search, simplify, verify_code, verify_exactly,
};
use soloist_problems::find_domain;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Work of polishing without --polish, for each operation: so much, or as much as there are operations if that is more;
/// altogether at least and at most. See [`polish`].
const POLISH_WORK: u64 = 4000;
const POLISH_LEAST: u64 = 3_000_000;
const POLISH_MOST: u64 = 80_000_000;
/// Operations beyond which nothing is polished without --polish: an attempt alone would take many seconds.
const POLISH_LARGEST: u64 = 200_000;
/// Work of refining one order without --refine: for each operation, altogether at least, even in a short run (some
/// 30 ms), and at most for the default number of orders; see [`Refinement`].
const REFINE_WORK: u64 = 4000;
const REFINE_LEAST: u64 = 1_000_000;
const REFINE_MOST: u64 = 100_000_000;
/// Terms beyond which no order is refined without --refine: the memory grows to some gigabytes.
const REFINE_LARGEST: usize = 200_000;
/// Orders that are refined: the best of those found and, because it leads elsewhere, the better occurrence order.
const REFINED: usize = 2;
/// Terms that the greedy phase looks at altogether, over all orders that it tries.
const GREEDY_WORK: usize = 400_000;
/// Orders scored and time of a search without limits.
const DEFAULT_PLAYOUTS: u64 = 2000;
const DEFAULT_TIME: Duration = Duration::from_secs(30);
/// Work of a proof that is done without being asked for; see [`Search::prove`].
const PROOF_WORK: u64 = 500_000_000;

/// Runs the command.
pub(crate) fn run(args: &SimplifyArgs) -> Result<u8, Failure> {
    let (method, budget) = plan(args)?;
    let target = args.out.as_deref().map(Target::new).transpose()?;
    if let Some(target) = &target
        && target.is_same(Path::new(&args.file))
    {
        return Err(Failure::usage(format!("--out {} would overwrite the input", target.shown())));
    }
    let note = |line: &str| {
        if !args.quiet {
            output::note(line);
        }
    };
    let phases = Phases::new(args.quiet);
    phases.enter("reading");
    let start = Instant::now();
    let read = |expand| open(&args.file, expand).map_err(|error| Failure::runtime(error.to_string()));
    let system = Arc::new(read(true)?);
    let order = named_order(&system, args.order.as_ref().map_or(&[], |names| &names.0))?;
    signal::install(args.quiet, target.iter().filter_map(|target| temporary(target.path())).collect())?;
    note(&format!("{}: {}, read in {}", args.file, describe(&system), seconds(start.elapsed())));

    phases.enter("searching for an order");
    let (orders, interrupted) = if args.order.is_none() {
        let found = find(args, &system, method, budget)?;
        summarize(&found, &note);
        (candidates(&system, &found), found.stop == StopReason::Interrupted)
    } else {
        (vec![order], false)
    };
    phases.enter(if refines(args, &system) { "refining orders and building the code" } else { "building the code" });
    let begun = Instant::now();
    let (system, mut best) = choose(args, system, &orders)?;
    if best.attempts > 0 {
        let (attempts, after) = (best.attempts, best.scheme.total());
        note(&format!("orders of sub-expressions: {after} operations after {attempts} attempts to change one"));
    }
    phases.enter("polishing the code");
    improve_further(args, &mut best, &note);
    let counts = best.program.counts();
    note(&format!("order, outermost first: {}{}", names(&system, &best.order), exceptions(&best)));
    note(&format!(
        "operations: {} in the input, {} after common sub-expressions, {} in the code ({} +, {} *), in {}",
        system.counts().total(),
        best.scheme.total(),
        counts.total(),
        counts.additions,
        counts.multiplications,
        seconds(begun.elapsed())
    ));
    let language = match args.emit {
        Emit::C => Language::C,
        Emit::Rust => Language::Rust,
        Emit::Fortran => Language::Fortran,
        Emit::Python => Language::Python,
        Emit::Form => Language::Form,
        Emit::Json => Language::Json,
    };
    let write = |language| {
        let header = Header {
            function: &args.function,
            source: &args.file,
            input: system.counts(),
            order: &best.order,
            exceptions: best.exceptions,
        };
        emit(&system, &best.program, language, &header)
    };
    phases.enter("writing the code");
    let code = write(language);
    if !args.no_verify {
        phases.enter("verifying the code");
        let begun = Instant::now();
        let form = if language == Language::Form { code.clone() } else { write(Language::Form) };
        let line = verify(&system, &best.program, &code, language, &form)?;
        note(&format!("{line}, in {}", seconds(begun.elapsed())));
    }
    match target {
        Some(target) => target.write(&code)?,
        None => output::print(&code)?,
    }
    // A signal may come in any phase: what follows is then cut short, and the code is as good as it has become.
    Ok(if interrupted || signal::STOP.load(Ordering::SeqCst) { 130 } else { 0 })
}

/// The method and the limits asked for.
fn plan(args: &SimplifyArgs) -> Result<(Method, Budget), Failure> {
    let domain = find_domain("horner").ok_or_else(|| Failure::runtime("the problem horner is missing"))?;
    let mut method = args.method.map_or_else(default_method, |preset| preset.method());
    let name = args.method.map_or_else(|| method.family(), |preset| preset.name);
    choice::apply(domain, name, &mut method, &args.set.iter().collect::<Vec<_>>())?;
    let budget = match (args.time, args.playouts) {
        (None, None) => Budget { time: Some(DEFAULT_TIME), ..Budget::playouts(DEFAULT_PLAYOUTS) },
        (time, playouts) => Budget { time, playouts, ..Budget::default() },
    };
    if let Some(why) = choice::endless(&method, &budget) {
        return Err(Failure::usage(format!("{name}: {why}")));
    }
    Ok((method, budget))
}

/// Searches for orders.
fn find(args: &SimplifyArgs, system: &Arc<System>, method: Method, budget: Budget) -> Result<Found, Failure> {
    // Who asks for a short search wants no long proof.
    let asked = Search {
        method,
        direction: Direction::Forward,
        seed: args.seed.unwrap_or(0),
        threads: args.threads.unwrap_or(1),
        budget,
        stop: Some(&signal::STOP),
        prove: if args.prove { u64::MAX } else { scaled(args, PROOF_WORK) },
    };
    let quiet = args.quiet;
    let mut improved = |score: f64, elapsed: Duration| {
        if !quiet {
            output::note(&format!("{:>8.2} s  {}", elapsed.as_secs_f64(), plain(score)));
        }
    };
    search(Arc::clone(system), asked, &mut improved).map_err(|error| Failure::runtime(error.to_string()))
}

fn summarize(found: &Found, note: &dyn Fn(&str)) {
    let Found { score, optimal, playouts, elapsed, .. } = found;
    let score = score.map_or_else(|| "no order".to_owned(), plain);
    let proven = if *optimal { ", proven optimal" } else { "" };
    note(&format!("search: {playouts} orders, best {score}{proven}, in {}", seconds(*elapsed)));
}

/// The orders to try: those found, and both occurrence orders; fewer of a large system.
fn candidates(system: &System, found: &Found) -> Vec<Vec<usize>> {
    let mut orders = found.orders.clone();
    for standard in system.occurrence_orders() {
        if !orders.contains(&standard) {
            orders.push(standard);
        }
    }
    orders.truncate((GREEDY_WORK / system.terms().max(1)).max(1));
    orders
}

/// The part of the `work` that a phase does by default which it does here: who asks for few orders wants a short run.
fn scaled(args: &SimplifyArgs, work: u64) -> u64 {
    let playouts = args.playouts.map_or(DEFAULT_PLAYOUTS, |playouts| playouts.min(DEFAULT_PLAYOUTS));
    work * playouts / DEFAULT_PLAYOUTS
}

/// Whether orders are refined.
fn refines(args: &SimplifyArgs, system: &System) -> bool {
    match args.refine {
        Some(rounds) => rounds > 0,
        None => args.order.is_none() && !args.no_greedy && system.terms() <= REFINE_LARGEST,
    }
}

/// How long each order is refined, from `operations` on.
fn refinement(args: &SimplifyArgs, operations: u64) -> Refinement {
    let whole = operations.saturating_mul(REFINE_WORK).min(REFINE_MOST);
    let work = scaled(args, whole).max(REFINE_LEAST);
    let (rounds, work) = args.refine.map_or((u64::MAX, work), |rounds| (rounds, u64::MAX));
    Refinement { rounds, work, seed: args.seed.unwrap_or(0) }
}

/// The orders to refine: those whose Horner schemes have the fewest operations, and the better occurrence order; and the
/// operations of the best.
fn starts(system: &System, orders: &[Vec<usize>]) -> (Vec<Vec<usize>>, u64) {
    let count = |order: &[usize]| Dag::build(system, order, Signs::Canonical).code_counts().total();
    let mut scored: Vec<(u64, &Vec<usize>)> = orders.iter().map(|order| (count(order), order)).collect();
    scored.sort_by_key(|&(operations, _)| operations);
    let least = scored.first().map_or(0, |&(operations, _)| operations);
    let mut starts: Vec<Vec<usize>> = scored.iter().take(REFINED).map(|&(_, order)| order.clone()).collect();
    // One order alone is all that was asked for, or all that a large system has time for.
    if orders.len() > 1 {
        let operations = |standard: &Vec<usize>| {
            let known = scored.iter().find(|&&(_, order)| order == standard);
            known.map_or_else(|| count(standard), |&(operations, _)| operations)
        };
        let better = system.occurrence_orders().into_iter().min_by_key(operations);
        starts.extend(better.filter(|standard| !starts.contains(standard)));
    }
    (starts, least)
}

fn exceptions(best: &Simplified) -> String {
    match best.exceptions {
        0 => String::new(),
        1 => ", with another variable in 1 sub-expression".into(),
        count => format!(", with other variables in {count} sub-expressions"),
    }
}

/// The best program over the orders, refined unless that is not wanted; where the input holds sums that were multiplied
/// out, also over the input as it stands.
fn choose(
    args: &SimplifyArgs,
    system: Arc<System>,
    orders: &[Vec<usize>],
) -> Result<(Arc<System>, Simplified), Failure> {
    let stop = Some(&signal::STOP);
    let greedy = (!args.no_greedy).then_some(0);
    let mut best = None;
    if refines(args, &system) {
        let (starts, operations) = starts(&system, orders);
        best = best_refined(&system, &starts, refinement(args, operations), greedy, stop);
    }
    if args.no_greedy {
        let order = orders.first().map_or(&[][..], Vec::as_slice);
        let best = best.unwrap_or_else(|| simplify(&system, order, None, stop));
        return Ok((system, best));
    }
    let best = best.or_else(|| best_of(&system, orders, stop));
    let mut best = best.unwrap_or_else(|| simplify(&system, &[], None, stop));
    if args.order.is_some() || !holds_parentheses(&args.file) {
        return Ok((system, best));
    }
    let written = open(&args.file, false).map_err(|error| Failure::runtime(error.to_string()))?;
    if written.is_block().contains(&true) {
        if let Some(other) = best_of(&written, &written.occurrence_orders(), stop)
            && other.operations() < best.operations()
        {
            best = other;
            return Ok((Arc::new(written), best));
        }
    }
    Ok((system, best))
}

/// Whether anything in the input may have been multiplied out: to read a large one twice takes long.
fn holds_parentheses(file: &str) -> bool {
    let Ok(mut file) = File::open(file) else { return false };
    let mut part = vec![0; 1 << 16];
    while let Ok(count @ 1..) = file.read(&mut part) {
        if part[..count].contains(&b'(') {
            return true;
        }
    }
    false
}

/// Polishes the program.
fn improve_further(args: &SimplifyArgs, best: &mut Simplified, note: &dyn Fn(&str)) {
    if args.no_greedy {
        return;
    }
    let before = best.operations();
    let (rounds, work) = match args.polish {
        Some(rounds) => (rounds, u64::MAX),
        None if before > POLISH_LARGEST => (0, 0),
        None => {
            let whole = before.saturating_mul(before.max(POLISH_WORK)).clamp(POLISH_LEAST, POLISH_MOST);
            (u64::MAX, scaled(args, whole))
        }
    };
    let start = Instant::now();
    let seed = args.seed.unwrap_or(0);
    let done = polish(&mut best.program, rounds, work, seed, Some(&signal::STOP), &mut |_, _| {});
    if done > 0 {
        let after = best.operations();
        note(&format!(
            "greedy phase: {before} operations, {after} after {done} attempts to polish, in {}",
            seconds(start.elapsed())
        ));
    }
}

/// Checks the code against the input; what was done, as a line.
fn verify(system: &System, program: &Program, code: &str, language: Language, form: &str) -> Result<String, Failure> {
    let internal = |error: String| Failure::runtime(format!("internal error: the code fails verification: {error}"));
    let verified = verify_code(system, code, language).map_err(internal)?;
    let (counted, claimed) = (verified.counts.total(), program.counts().total());
    if counted != claimed {
        return Err(internal(format!("{claimed} operations claimed, {counted} counted")));
    }
    let exact = verify_exactly(system, form).map_err(internal)?;
    let bits = verified.error_bits(degree(program).max(1));
    let mut line =
        format!("verified: equal to the input at {} random points modulo primes of 61 and 62 bits", verified.points);
    if bits > 0 {
        line.push_str(&format!(" (error probability below 2^-{bits})"));
    }
    if exact.is_some() {
        line.push_str(" and, multiplied out, term by term");
    }
    Ok(line)
}

/// An order from names, completed.
fn named_order(system: &System, names: &[String]) -> Result<Vec<usize>, Failure> {
    let mut order = Vec::new();
    for name in names {
        let symbols: Vec<&str> = system.symbols().iter().map(String::as_str).collect();
        let symbol = symbols.iter().position(|own| own == name);
        let symbol = symbol.ok_or_else(|| {
            let shown = &symbols[..symbols.len().min(100)];
            Failure::usage(unknown("variable", name, shown))
        })?;
        if order.contains(&symbol) {
            return Err(Failure::usage(format!("variable `{name}` comes twice in the order")));
        }
        order.push(symbol);
    }
    Ok(order)
}

fn names(system: &System, order: &[usize]) -> String {
    let names: Vec<&str> = order.iter().take(200).map(|&symbol| system.symbols()[symbol].as_str()).collect();
    let more = if order.len() > 200 { ",..." } else { "" };
    format!("{}{more}", names.join(","))
}

fn seconds(time: Duration) -> String {
    format!("{} s", plain((time.as_secs_f64() * 1000.0).round() / 1000.0))
}
