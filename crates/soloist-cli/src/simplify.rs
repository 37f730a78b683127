//! `soloist simplify`: expressions in, code with few operations out.

use crate::args::{Emit, From, SimplifyArgs};
use crate::choice::{self, Asking};
use crate::emitted::{self, Beside};
use crate::failure::{Failure, unknown};
use crate::live::Phases;
use crate::output::{self, Target};
use crate::result::plain;
use crate::signal;
use soloist::Budget;
use soloist_problems::expressions::{
    DOMAIN, Effort, Event, Found, Header, Language, Notation, Phase, Program, Reading, Simplification, Simplified,
    Simplifier, Stop, Style, System, calls_text, default_setup, describe, emit_with, open_with, verify_program,
};
use soloist_problems::refuse_endless;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Runs the command.
pub(crate) fn run(args: &SimplifyArgs) -> Result<u8, Failure> {
    let mut simplifier = plan(args)?;
    let language = language(args.emit);
    if let Some(why) = language.refuses_name(&args.function) {
        return Err(Failure::usage(format!("--function: {why}")));
    }
    let style = emitted::style(&args.code);
    if let Some(why) = style.refuses(language, args.code.complex) {
        return Err(Failure::usage(format!("--emit {}: {why}", language.name())));
    }
    let beside = Beside::new(&args.code, args.out.as_deref(), &args.file)?;
    let target = args.out.as_deref().map(Target::new).transpose()?;
    if let Some(target) = &target
        && target.is_same(Path::new(&args.file))
    {
        return Err(Failure::usage(format!("--out {} would overwrite the input", target.shown())));
    }
    let phases = Phases::new(args.quiet);
    phases.enter("reading");
    let start = Instant::now();
    let unopened = |error| Failure::runtime(choice::unopened(&DOMAIN, &args.file, &error));
    let reading = Reading {
        outputs: args.outputs.as_ref().map(|names| names.0.clone()),
        args: args.args.as_ref().map(|names| names.0.clone()),
        complex: args.code.complex,
        opaque: args.opaque.as_ref().map(|names| names.0.clone()).unwrap_or_default(),
        ..Reading::default()
    };
    let notation = args.notation.map(notation);
    let system = Arc::new(open_with(&args.file, true, notation, &reading).map_err(unopened)?);
    simplifier.order = args.order.as_ref().map(|names| named_order(&system, &names.0)).transpose()?;
    signal::install(args.quiet)?;
    note(args, &format!("{}: {}, read in {}", args.file, describe(&system), seconds(start.elapsed())));

    let now = Instant::now();
    let mut progress = Progress { args, phases: &phases, begun: now, polishing: now };
    let done = simplifier.run(&system, &mut |event| progress.tell(event));
    let Simplification { system, best, interrupted } = done.map_err(|error| Failure::runtime(error.to_string()))?;
    progress.sum_up(&system, &best);
    if let Some(why) = style.refuses_program(language, &best.program) {
        return Err(Failure::runtime(format!("{}: --emit {}: {why}", args.file, language.name())));
    }
    phases.enter("writing the code");
    let code = write(args, &system, &best, language, &style);
    if !args.no_verify {
        phases.enter("verifying the code");
        let begun = Instant::now();
        let is_form = language == Language::Form;
        let form = if is_form { code.clone() } else { write(args, &system, &best, Language::Form, &Style::default()) };
        let line = verify(&system, &best.program, &code, language, &form)?;
        note(args, &format!("{line}, in {}", seconds(begun.elapsed())));
    }
    match target {
        Some(target) => target.write(&code)?,
        None => output::print(&code)?,
    }
    beside.write(&system, language, &heading(args, &system, &best), &style)?;
    // A signal ends the present phase and shortens those that follow.
    Ok(if interrupted || signal::STOP.load(Ordering::SeqCst) { 130 } else { 0 })
}

fn notation(from: From) -> Notation {
    match from {
        From::Form => Notation::Form,
        From::Mathematica => Notation::Mathematica,
        From::Maple => Notation::Maple,
        From::Sympy => Notation::Sympy,
        From::Maxima => Notation::Maxima,
        From::Matlab => Notation::Matlab,
        From::Fortran => Notation::Fortran,
        From::C => Notation::C,
    }
}

fn language(emit: Emit) -> Language {
    match emit {
        Emit::C => Language::C,
        Emit::Cpp => Language::Cpp,
        Emit::Rust => Language::Rust,
        Emit::Fortran => Language::Fortran,
        Emit::Python => Language::Python,
        Emit::Form => Language::Form,
        Emit::Json => Language::Json,
    }
}

/// The code with its header.
fn write(args: &SimplifyArgs, system: &System, best: &Simplified, language: Language, style: &Style) -> String {
    emit_with(system, &best.program, language, &heading(args, system, best), style)
}

fn heading<'a>(args: &'a SimplifyArgs, system: &System, best: &'a Simplified) -> Header<'a> {
    Header {
        function: &args.function,
        source: &args.file,
        input: system.counts(),
        order: &best.order,
        exceptions: best.exceptions,
    }
}

/// Tells what the simplifier does.
struct Progress<'a> {
    args: &'a SimplifyArgs,
    phases: &'a Phases,
    /// When the building of the code began.
    begun: Instant,
    polishing: Instant,
}

impl Progress<'_> {
    fn tell(&mut self, event: Event<'_>) {
        let line = match event {
            Event::Begin(phase) => {
                self.phases.enter(name_of(phase));
                match phase {
                    Phase::Search => {}
                    Phase::Refine | Phase::Build => self.begun = Instant::now(),
                    Phase::Polish => self.polishing = Instant::now(),
                }
                return;
            }
            Event::Improved(score, elapsed) => format!("{:>8.2} s  {}", elapsed.as_secs_f64(), plain(score)),
            Event::Searched(found) => searched(found),
            Event::Refined { operations, attempts } => {
                format!("orders of sub-expressions: {operations} operations after {attempts} attempts to change one")
            }
            Event::Polished { before, after, attempts } => format!(
                "greedy phase: {before} operations, {after} after {attempts} attempts to polish, in {}",
                seconds(self.polishing.elapsed())
            ),
        };
        note(self.args, &line);
    }

    /// Tells the order and the operations.
    fn sum_up(&self, system: &System, best: &Simplified) {
        let counts = best.program.counts();
        note(self.args, &format!("order, outermost first: {}{}", names(system, &best.order), exceptions(best)));
        let line = format!(
            "operations: {} in the input, {} after common sub-expressions, {}{} in the code ({} +, {} *), in {}",
            system.counts().total(),
            best.scheme.total(),
            counts.total(),
            calls_text(system),
            counts.additions,
            counts.multiplications,
            seconds(self.begun.elapsed())
        );
        note(self.args, &line);
        let opaque: Vec<usize> =
            system.given().into_iter().filter(|&symbol| system.symbols()[symbol].contains('(')).collect();
        if !opaque.is_empty() {
            let line = format!("functions that the code does not compute, inputs instead: {}", names(system, &opaque));
            note(self.args, &line);
        }
        let constants: Vec<usize> =
            system.given().into_iter().filter(|&symbol| ["I", "E"].contains(&&*system.symbols()[symbol])).collect();
        if !constants.is_empty() {
            let line = format!(
                "inputs with the names of constants: {} (--complex, or --notation sympy or mathematica, reads constants)",
                names(system, &constants)
            );
            note(self.args, &line);
        }
    }
}

/// Prints a line of the summary.
fn note(args: &SimplifyArgs, line: &str) {
    if !args.quiet {
        output::note(line);
    }
}

/// The setting and the effort asked for.
fn plan(args: &SimplifyArgs) -> Result<Simplifier<'static>, Failure> {
    let setup = args.spec().setup(None, default_setup)?;
    let limits = Budget { playouts: args.playouts, time: args.time, ..Budget::default() };
    let effort = Effort::from_options(&limits, args.prove, args.refine, !args.no_greedy, args.polish);
    refuse_endless(&setup, &effort.budget())?;
    Ok(Simplifier { setup, effort, order: None, stop: Stop::never().or_when(&signal::STOP) })
}

/// What the progress line calls a phase.
fn name_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Search => "searching for an order",
        Phase::Refine => "refining orders and building the code",
        Phase::Build => "building the code",
        Phase::Polish => "polishing the code",
    }
}

fn searched(found: &Found) -> String {
    let Found { score, optimal, playouts, elapsed, .. } = found;
    let score = score.map_or_else(|| "no order".to_owned(), plain);
    let proven = if *optimal { ", proven optimal" } else { "" };
    format!("search: {playouts} orders, best {score}{proven}, in {}", seconds(*elapsed))
}

fn exceptions(best: &Simplified) -> String {
    match best.exceptions {
        0 => String::new(),
        1 => ", with another variable in 1 sub-expression".into(),
        count => format!(", with other variables in {count} sub-expressions"),
    }
}

/// Checks the code against the input. Returns a line that says what was checked.
fn verify(system: &System, program: &Program, code: &str, language: Language, form: &str) -> Result<String, Failure> {
    let verified = verify_program(system, program, code, language, form)
        .map_err(|error| Failure::runtime(format!("internal error: the code fails verification: {error}")))?;
    // The lemma is about polynomials.
    let bits = if system.calls().is_empty() { verified.error_bits(program.degree().max(1)) } else { 0 };
    let mut line =
        format!("verified: equal to the input at {} random points modulo primes of 61 and 62 bits", verified.points);
    if bits > 0 {
        line.push_str(&format!(" (error probability below 2^-{bits})"));
    }
    if !system.calls().is_empty() {
        line.push_str(", functions as random values of their arguments");
    }
    if verified.exact {
        line.push_str(" and, multiplied out, term by term");
    }
    Ok(line)
}

/// The symbols of these names.
fn named_order(system: &System, names: &[String]) -> Result<Vec<usize>, Failure> {
    let mut order = Vec::new();
    for name in names {
        let symbols: Vec<&str> = system.symbols().iter().map(String::as_str).collect();
        let symbol = symbols.iter().position(|symbol| symbol == name);
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
