//! `soloist simplify`: expressions in, code with few operations out.

use super::args::{MethodName, QuietArgs, SEARCH, StreamArgs};
use super::code::{Beside, CodeArgs, style};
use crate::terminal::{Phases, output, signal};
use crate::units;
use clap::{Args, ValueEnum};
use soloist::Budget;
use soloist_problems::expressions::{
    Constant, DOMAIN, Effort, Event, Found, Function, Header, Language, Notation, Phase, Program, Reading,
    Simplification, Simplified, Simplifier, Stop, Style, System, calls_text, code_counts, default_setup, describe,
    emit_with, open_with, verify_program,
};
use soloist_problems::names::unknown;
use soloist_problems::{RunSpec, Setting, refuse_endless};
use soloist_study::Failure;
use soloist_study::files::{Guarded, Target};
use soloist_study::text::plain;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  soloist simplify amplitude.txt > amplitude.c
  soloist simplify amplitude.txt --emit fortran --time 1m --out amplitude.f90
  soloist simplify arm.txt --float quad --out arm.c --header arm.h --self-test arm_test.c
  soloist simplify res:7,4 --emit json --order b4,b0,b3,b1,b2,a7,a0,a6,a1,a5,a2,a4,a3

The order of the variables is searched, then common pairs hidden in sums and products are extracted. The code goes to
standard output, a summary to standard error. The first Ctrl-C ends the search and prints the code so far (exit 130).";

/// Arguments of `simplify`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimplifyArgs {
    /// Expressions as FORM, Mathematica, Maple, SymPy, Maxima, PARI or MATLAB print them, assignments of C or Fortran,
    /// or a spec such as res:7,4 (`soloist problems horner`)
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// The language of the code
    #[arg(long, short, value_enum, value_name = "LANGUAGE", default_value_t = Emit::C)]
    pub(crate) emit: Emit,
    /// The name of the function
    #[arg(long, value_name = "NAME", value_parser = units::identifier, default_value = "f")]
    pub(crate) function: String,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Also compute the derivatives of each output by all inputs: the code of reverse mode or that of the derivatives
    /// as polynomials, whichever has fewer operations
    #[arg(long, conflicts_with = "order")]
    pub(crate) gradient: bool,
    /// Also write a function NAME_blocks for blocks of 8 points; C compilers turn it into vector code (C only)
    #[arg(long, conflicts_with = "split")]
    pub(crate) blocks: bool,
    /// Cut the function into pieces of at most N statements, so that big code compiles fast (C only)
    #[arg(long, value_name = "N", value_parser = units::count, allow_hyphen_values = true)]
    pub(crate) split: Option<u64>,
    /// Write the code to FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    /// Do not check the code against the input
    #[arg(long)]
    pub(crate) no_verify: bool,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,

    #[command(flatten)]
    pub(crate) order: OrderArgs,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
    /// Keep products and powers of sums as FILE writes them: (1-z)*(1+z) is not multiplied out to 1-z*z, which loses
    /// digits near z = 1
    #[arg(long, help_heading = SEARCH)]
    pub(crate) as_written: bool,
}

/// How FILE is read.
#[derive(Args, Debug)]
pub(crate) struct ReadingArgs {
    /// The outputs in this order, by name [default: every statement that no other one uses, in the order of the text]
    #[arg(long, value_name = "A,B,C", value_parser = units::names)]
    pub(crate) outputs: Option<units::Names>,
    /// The inputs of the code in this order, by name, whether they are used or not [default: as they first occur]
    #[arg(long, value_name = "A,B,C", value_parser = units::names)]
    pub(crate) args: Option<units::Names>,
    /// Functions of FILE that the code does not compute: their values are inputs
    #[arg(long, value_name = "F,G", value_parser = units::names)]
    pub(crate) opaque: Option<units::Names>,
    /// The notation of FILE [default: by its marks]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) notation: Option<From>,
}

/// Which orders are searched.
#[derive(Args, Debug)]
pub(crate) struct OrderArgs {
    /// Take this order of variables, outermost first, instead of searching; variables left out come innermost. Commas
    /// inside parentheses belong to the name, as in f(x,y)
    #[arg(long, value_name = "A,B,C", value_parser = units::names, help_heading = SEARCH)]
    pub(crate) order: Option<units::Names>,
    /// The search method; default: the one that suits orders
    #[arg(long, short, value_name = "NAME", value_parser = MethodName, hide_possible_values = true, help_heading = SEARCH)]
    #[arg(conflicts_with = "order")]
    pub(crate) method: Option<String>,
    /// Set a parameter of the method (repeatable)
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = units::setting, conflicts_with = "order", help_heading = SEARCH)]
    pub(crate) set: Vec<Setting>,
    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) streams: StreamArgs,
}

/// How much work each phase does.
#[derive(Args, Debug)]
pub(crate) struct EffortArgs {
    /// Time of the whole run: 30, 30s, 1.5m, 2h, 500ms; the search takes up to a third, and what the phases leave is
    /// polishing unless --playouts is given [default: 30s and 2000 orders for the search, whichever is reached first,
    /// and amounts of work by size for the other phases]
    #[arg(long, value_name = "TIME", value_parser = units::duration, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) time: Option<Duration>,
    /// Orders that are scored, exactly: 1000, 1e6, 200k; fewer than 2000 shorten the later phases likewise
    #[arg(long, value_name = "N", value_parser = units::count, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) playouts: Option<u64>,
    /// After the search, find the best order of all and prove it, however long it takes: up to 24 variables, seconds
    /// for 14, twice as long for each further one; without this only where it takes less than half a second, less with
    /// few --playouts
    #[arg(long, conflicts_with = "order", help_heading = SEARCH)]
    pub(crate) prove: bool,
    /// Attempts, for each of up to three orders, to take another variable next in some sub-expression than the order
    /// says, by annealing: some hundred thousand a second; 0: one order for all [default: by work, some 20 attempts for
    /// each operation, fewer with few --playouts; none with --order or --no-greedy, nor from 50,000 terms on]
    #[arg(long, value_name = "N", value_parser = units::count_or_none, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) refine: Option<u64>,
    /// Attempts to lower the operations after the greedy phase, by annealing: ten thousands a second, more find more;
    /// 0: none [default: by work, some 10 attempts for each operation, 10k for small programs, fewer with few
    /// --playouts; none beyond 200,000 operations]
    #[arg(long, value_name = "N", value_parser = units::count_or_none, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) polish: Option<u64>,
    /// Stop after the Horner scheme and its common sub-expressions
    #[arg(long, conflicts_with = "polish", help_heading = SEARCH)]
    pub(crate) no_greedy: bool,
}

/// Notations that `simplify` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// FORM: `[x+y]` is a name
    Form,
    /// Mathematica: `f[x]` is a function
    Mathematica,
    /// Maple
    Maple,
    /// SymPy and Python
    Sympy,
    /// Maxima
    Maxima,
    /// MATLAB and Octave
    Matlab,
    /// Fortran: whole numbers are divided as such
    Fortran,
    /// C and C++: whole numbers are divided as such
    C,
}

/// Languages of `simplify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// A function of arrays; also C++ unless numbers are complex
    C,
    /// Templates of C++11 over the type of numbers
    Cpp,
    Rust,
    Fortran,
    Python,
    Form,
    Json,
}

/// Verification takes about as many times as long as reading.
const VERIFYING: u32 = 4;

/// Runs the command.
pub(crate) fn run(args: &SimplifyArgs) -> Result<u8, Failure> {
    let mut simplifier = plan(args)?;
    let language = language(args.emit);
    if let Some(why) = language.refuses_name(&args.function) {
        return Err(Failure::usage(format!("--function: {why}")));
    }
    let split = args.split.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    let style = Style { blocks: args.blocks, split, ..style(&args.code) };
    if let Some(why) = style.refuses(language, args.code.complex) {
        return Err(Failure::usage(format!("--emit {}: {why}", language.name())));
    }
    let mut guarded = Guarded::default();
    guarded.add(Path::new(&args.file), "the input");
    if let Some(path) = &args.out {
        guarded.check("--out", path)?;
        guarded.add(path, "the code");
    }
    let target = args.out.as_deref().map(Target::new).transpose()?;
    let beside = Beside::new(&args.code, args.out.as_deref(), guarded)?;
    let phases = Phases::new(args.quiet.quiet);
    phases.enter("reading");
    let start = Instant::now();
    let unopened = |error| Failure::runtime(DOMAIN.unopened(&args.file, &error));
    let reading = Reading {
        outputs: args.reading.outputs.as_ref().map(|names| names.0.clone()),
        args: args.reading.args.as_ref().map(|names| names.0.clone()),
        complex: args.code.complex,
        opaque: args.reading.opaque.as_ref().map(|names| names.0.clone()).unwrap_or_default(),
        ..Reading::default()
    };
    let notation = args.reading.notation.map(notation);
    let system = Arc::new(open_with(&args.file, true, notation, &reading).map_err(unopened)?);
    simplifier.order = args.order.order.as_ref().map(|names| named_order(&system, &names.0)).transpose()?;
    signal::install(args.quiet.quiet)?;
    note(args, &format!("{}: {}, read in {}", args.file, describe(&system), seconds(start.elapsed())));

    // Reading counts, and verification takes some times as long.
    if let Some(time) = &mut simplifier.effort.time {
        let reading = start.elapsed();
        let left = time.saturating_sub(reading);
        *time = left.saturating_sub((VERIFYING * reading).min(left / 2));
    }
    let now = Instant::now();
    let mut progress = Progress { args, phases: &phases, begun: now, polishing: now };
    let mut tell = |event: Event<'_>| progress.tell(event);
    let done = if args.gradient {
        simplifier.run_with_gradient(&system, &mut tell)
    } else {
        simplifier.run(&system, &mut tell)
    };
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

/// Prints what the simplifier does.
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

    /// Prints the order and the operations.
    fn sum_up(&self, system: &System, best: &Simplified) {
        let counts = code_counts(system, &best.program);
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
        let read: Vec<&str> = Constant::ALL
            .into_iter()
            .filter(|&constant| system.calls().iter().any(|call| call.function == Function::Constant(constant)))
            .map(Constant::name)
            .collect();
        if !read.is_empty() {
            note(self.args, &format!("constants in the text: {}", read.join(", ")));
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
    if !args.quiet.quiet {
        output::note(line);
    }
}

/// The setting and the effort asked for.
fn plan(args: &SimplifyArgs) -> Result<Simplifier<'static>, Failure> {
    let spec = RunSpec {
        method: args.order.method.clone(),
        set: args.order.set.iter().cloned().collect(),
        seed: args.order.streams.seed,
        threads: args.order.streams.threads,
        ..RunSpec::default()
    };
    let setup = spec.setup(None, default_setup)?;
    let limits = Budget { playouts: args.effort.playouts, time: args.effort.time, ..Budget::default() };
    let effort = Effort {
        as_written: args.as_written,
        ..Effort::from_options(
            &limits,
            args.effort.prove,
            args.effort.refine,
            !args.effort.no_greedy,
            args.effort.polish,
        )
    };
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
