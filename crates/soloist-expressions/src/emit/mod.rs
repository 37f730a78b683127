//! Writes programs as code.

mod calls;
mod generic;
mod header;
mod limits;
mod self_test;
pub(crate) mod shape;
mod style;

use crate::algebra::{Coefficient, Counts, System};
use crate::horner::{Program, Term};
use crate::summary::calls_text;
use calls::Step;
pub use calls::code_counts;
pub use header::emit_header;
use num_bigint::BigInt;
use num_traits::Signed;
pub use self_test::emit_self_test;
use serde_json::{Value, json};
use soloist_domain::result::object;
use std::collections::BTreeSet;
use std::fmt::Write as _;
pub use style::{Float, Style};
use style::{Words, variables};

/// Terms are added to a statement up to this width. The rest of a sum follows in further statements.
const WIDTH: usize = 96;

/// The largest power of ten of a number in code.
const MAX_POWER: u32 = 5000;

/// The most columns of a line of Fortran, its `&` included.
const COLUMNS: usize = 132;
/// What stands between two parts of a line of Fortran, even in the middle of a number.
pub(crate) const CONTINUATION: &str = "&\n&";

/// The first lines of C, which make it C++ too.
const C_HEAD: &str = "#include <stddef.h>\n#if defined(__cplusplus) && !defined(restrict)\n#define restrict __restrict\n\
                      #endif\n";

/// Cube roots of Python, which has its own from 3.11 on. `math` may stand for functions of arrays.
const CBRT: &str = "\n_cbrt = getattr(math, \"cbrt\", lambda x: math.copysign(math.pow(abs(x), 1/3), x))\n";

/// The function of Python around calls that may have no value.
const GUARD: &str = "\n\ndef _value(function, *arguments):\n    # A conditional may not take this.\n    try:\n        \
                     return function(*arguments)\n    except (ArithmeticError, ValueError):\n        return math.nan\n";

/// Cuts a line of Fortran into parts that continue each other.
fn continued(line: &str) -> String {
    // Code is ASCII: names of the input stand in comments only.
    let mut text = String::new();
    for (place, byte) in line.bytes().enumerate() {
        if place > 0 && place % (COLUMNS - 2) == 0 {
            text.push_str(CONTINUATION);
        }
        text.push(byte.into());
    }
    text
}

/// The languages of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A function of arrays, and a function that calls it for many points.
    C,
    /// The same as templates of C++11 over the type of numbers.
    Cpp,
    /// A function of arrays.
    Rust,
    /// A subroutine of arrays, Fortran 90, free form.
    Fortran,
    /// A function of a sequence, whose elements may be arrays of numpy.
    Python,
    /// Statements with the names of the input, as FORM prints optimised expressions.
    Form,
    /// Statements and counts as a JSON object.
    Json,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 7] = [Self::C, Self::Rust, Self::Fortran, Self::Python, Self::Form, Self::Json, Self::Cpp];

    /// Its name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Rust => "rust",
            Self::Fortran => "fortran",
            Self::Python => "python",
            Self::Form => "form",
            Self::Json => "json",
        }
    }

    /// The type of numbers of a style in this language.
    fn float(self, style: &Style) -> Float {
        style.float.unwrap_or(if self == Self::Cpp { Float::Generic } else { Float::Double })
    }

    /// The start of a comment line.
    fn comment(self) -> &'static str {
        match self {
            Self::C | Self::Cpp | Self::Rust | Self::Json => "//",
            Self::Fortran => "!",
            Self::Python => "#",
            Self::Form => "*",
        }
    }
}

/// The names of inputs and outputs in the code of a language.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
}

/// The facts that the header of code states.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    /// Name of the function, letters and digits.
    pub function: &'a str,
    /// The name of the file or spec of the input.
    pub source: &'a str,
    /// Operations of the input.
    pub input: Counts,
    /// The order of the variables, by symbol.
    pub order: &'a [usize],
    /// The number of sub-expressions that do not follow the order.
    pub exceptions: usize,
}

/// Writes `program`, which computes `system`, as code.
///
/// The code reads and writes arrays of double precision: inputs in the order of [`System::inputs`], outputs in the
/// order of the input text. Each line is a statement, a sum of products of numbers and names without powers. A long sum
/// takes several statements. The header states operations, inputs and outputs.
#[must_use]
pub fn emit(system: &System, program: &Program, language: Language, header: &Header<'_>) -> String {
    emit_with(system, program, language, header, &Style::default())
}

/// As [`emit`], in a style that [`Style::refuses`] does not refuse. Code of a system that was read as complex has
/// complex numbers.
#[must_use]
pub fn emit_with(system: &System, program: &Program, language: Language, header: &Header<'_>, style: &Style) -> String {
    let code = Writer::new(system, program, language, style).write(header);
    let shaped = match (style.blocks, style.split) {
        _ if language != Language::C => None,
        (true, _) => shape::with_blocks(&code, system.given().len(), system.outputs().count()),
        (false, Some(most)) => shape::split(&code, most),
        (false, None) => None,
    };
    shaped.unwrap_or(code)
}

struct Writer<'a> {
    system: &'a System,
    program: &'a Program,
    language: Language,
    inputs: Vec<String>,
    /// The names of the inputs of the program: inputs of the code and results of calls.
    symbols: Vec<String>,
    outputs: Vec<String>,
    /// The start of the names of temporaries; their number follows.
    prefix: String,
    words: Words,
    /// For each input of the program, whether a term divides by the argument of its call, which is then its text.
    divisors: Vec<bool>,
    /// Whether calls are guarded, because some of them may have no value.
    guards: bool,
    /// The elements that get variables with the names of inputs, and these names.
    locals: Vec<(String, String)>,
    include: Option<String>,
    text: String,
    indent: &'static str,
}

impl<'a> Writer<'a> {
    fn new(system: &'a System, program: &'a Program, language: Language, style: &Style) -> Self {
        let Names { mut inputs, outputs } = names(system, language);
        let mut prefix = style.prefix.clone().unwrap_or_else(|| "t".to_owned());
        if language == Language::Form {
            prefix = style.prefix.clone().unwrap_or_else(|| "Z".into());
            while inputs.iter().chain(&outputs).any(|name| name.starts_with(&prefix)) {
                prefix.push('Z');
            }
        }
        let mut locals = Vec::new();
        if style.names && !matches!(language, Language::Form | Language::Json) {
            let given = system.given();
            let symbols: Vec<&str> = given.iter().map(|&symbol| system.symbols()[symbol].as_str()).collect();
            let variables = variables(&symbols, language, &prefix);
            locals = inputs.iter().cloned().zip(variables.iter().cloned()).collect();
            inputs = variables;
        }
        let words = Words { language, float: language.float(style), complex: system.is_complex() };
        let guards = language == Language::Python && calls::needs_guards(system);
        let include = style.header.clone();
        let indent = match language {
            Language::Form | Language::Json => "",
            _ => "    ",
        };
        let symbols = Vec::new();
        let mut writer = Self {
            system,
            program,
            language,
            inputs,
            symbols,
            outputs,
            prefix,
            words,
            divisors: calls::divisors(system, program),
            guards,
            locals,
            include,
            text: String::new(),
            indent,
        };
        writer.symbols = writer.symbol_names();
        writer
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn comment(&mut self, line: &str) {
        // Control characters and backslashes in names must not end the comment.
        let line: String = line.chars().map(|c| if c.is_control() || c == '\\' { ' ' } else { c }).collect();
        let line = format!("{} {line}", self.language.comment());
        self.line(&line);
    }

    fn write(mut self, header: &Header<'_>) -> String {
        if self.language == Language::Json {
            return self.json(header);
        }
        self.header(header);
        let (n, m) = (self.inputs.len(), self.outputs.len());
        let name = header.function;
        let number = self.words.number();
        let open = match self.language {
            Language::C => {
                let math = self.c_includes();
                format!("{math}{C_HEAD}\nvoid {name}(const {number} *restrict x, {number} *restrict y)\n{{")
            }
            Language::Cpp => self.template(name),
            Language::Rust if self.words.float == Float::Generic => self.generic_function(name),
            Language::Rust => {
                format!(
                    "#[allow(clippy::all, unused_variables)]\npub fn {name}(x: &[{number}; {n}], y: &mut [{number}; {m}]) {{"
                )
            }
            Language::Python => {
                let module = if self.words.complex { "import cmath\nimport math\n" } else { "import math\n" };
                let mut open = if calls::needs_math(self.system) || self.guards { module } else { "" }.to_owned();
                let cbrt = calls::needs_cbrt(self.system);
                open.push_str(if cbrt { CBRT } else { "" });
                open.push_str(if self.guards { GUARD } else { "" });
                let gap = if open.is_empty() {
                    ""
                } else if self.guards || cbrt {
                    "\n\n"
                } else {
                    "\n"
                };
                let _ = write!(open, "{gap}def {name}(x):\n    y = [0]*{m}");
                open
            }
            Language::Fortran => self.subroutine(name),
            Language::Form | Language::Json => String::new(),
        };
        if !open.is_empty() {
            self.line(&open);
        }
        if self.language == Language::Cpp {
            self.using();
        }
        for (element, variable) in std::mem::take(&mut self.locals) {
            self.assign(&variable, &element, true, true);
        }
        self.statements();
        match self.language {
            Language::C => {
                let loop_text = format!(
                    "}}\n\n// Computes n points: x holds {n} inputs for each, y gets {m} outputs for each.\n\
                     void {name}_many(size_t n, const {number} *x, {number} *y)\n{{\n    \
                     for (size_t i = 0; i < n; i++) {name}(x + {n}*i, y + {m}*i);\n}}"
                );
                self.line(&loop_text);
            }
            Language::Cpp => {
                let loop_text = format!(
                    "}}\n\n// Computes n points: x holds {n} inputs for each, y gets {m} outputs for each.\n\
                     template <typename T>\nvoid {name}_many(std::size_t n, const T *x, T *y)\n{{\n    \
                     for (std::size_t i = 0; i < n; i++) {name}(x + {n}*i, y + {m}*i);\n}}"
                );
                self.line(&loop_text);
            }
            Language::Rust => self.line("}"),
            Language::Python => {
                self.line("    return y");
                let (inputs, outputs) = named(self.system);
                self.line(&format!("\n\n{name}.inputs = {}", list(&inputs)));
                self.line(&format!("{name}.outputs = {}", list(&outputs)));
            }
            Language::Fortran => self.line(&format!("end subroutine {name}")),
            Language::Form | Language::Json => {}
        }
        self.text
    }

    fn header(&mut self, header: &Header<'_>) {
        let (counts, terms) = (code_counts(self.system, self.program), self.system.terms());
        self.comment(&format!("{}, simplified by soloist {}", header.source, env!("CARGO_PKG_VERSION")));
        self.comment(&format!(
            "{} operations{}: {} additions, {} multiplications (input: {} terms, {} operations)",
            counts.total(),
            calls_text(self.system),
            counts.additions,
            counts.multiplications,
            terms,
            header.input.total()
        ));
        let system = self.system;
        let order: Vec<&str> = header.order.iter().map(|&symbol| system.symbols()[symbol].as_str()).collect();
        for (at, names) in order.chunks(16).enumerate() {
            let start = if at == 0 { "order, outermost first: " } else { "    " };
            let end = if (at + 1) * 16 < order.len() { "," } else { "" };
            self.comment(&format!("{start}{}{end}", names.join(", ")));
        }
        if header.exceptions > 0 {
            self.comment(&format!("sub-expressions with an order of their own: {}", header.exceptions));
        }
        if self.language != Language::Form {
            let elements = names(system, self.language).inputs;
            for (place, symbol) in system.given().into_iter().enumerate() {
                self.comment(&format!("{} = {}", elements[place], system.symbols()[symbol]));
            }
            for (place, output) in system.outputs().enumerate() {
                self.comment(&format!("{} = {}", self.outputs[place], output.name));
            }
        }
        let exact = BigInt::from(1_u64 << 53);
        let all = self.program.temporaries.iter().chain(&self.program.outputs).flatten();
        let large = all.map(|term| term.value.to_big()).any(|value| {
            let long = value.numer().abs() > exact || *value.denom() > exact;
            // Who writes decimals expects that.
            long && (value.is_integer() || !style::is_decimal(&value))
        });
        let rounds = matches!(self.words.float, Float::Double) && self.language != Language::Form;
        if large && rounds && self.language != Language::Python {
            self.comment("numbers above 2^53 are rounded by the compiler");
        }
    }

    fn statements(&mut self) {
        let mut output = 0;
        let places: Vec<usize> = self
            .system
            .results()
            .map(|result| if result.argument { usize::MAX } else { (output, output += 1).0 })
            .collect();
        for step in calls::steps(self.system, self.program) {
            match step {
                Step::Temporary(at) => {
                    let target = self.temporary(at);
                    self.sum(&target, &self.program.temporaries[at], true);
                }
                Step::Call(at) => self.call(at),
                Step::Result(at) => {
                    let target = self.outputs[places[at]].clone();
                    self.sum(&target, &self.program.outputs[at], false);
                }
            }
        }
    }

    /// The name of a temporary; those behind the temporaries of the program belong to calls.
    fn temporary(&self, at: usize) -> String {
        match self.language {
            Language::Fortran => format!("{}({})", self.prefix, at + 1),
            Language::Form => format!("{}{}_", self.prefix, at + 1),
            _ => format!("{}{at}", self.prefix),
        }
    }

    /// Writes `target = terms`. A long sum takes several statements, in FORM several lines.
    fn sum(&mut self, target: &str, terms: &[Term], temporary: bool) {
        let mut right = String::new();
        let mut first = true;
        let mut start = 0;
        for term in terms {
            let negative = term.value.is_negative();
            let quotient = self.guards && self.divides(term);
            let product = if quotient { self.guarded_quotient(term) } else { self.product(term) };
            if right.len() - start + product.len() > WIDTH && !right.is_empty() {
                if self.language == Language::Form {
                    start = right.len();
                    right.push_str("\n   ");
                } else {
                    self.assign(target, &right, temporary, first);
                    first = false;
                    right = target.to_owned();
                }
            }
            let sign = match (negative, right.is_empty()) {
                (true, true) => "-",
                (false, true) => "",
                (true, false) => " - ",
                (false, false) => " + ",
            };
            right.push_str(sign);
            right.push_str(&product);
        }
        if terms.is_empty() {
            right = self.number(&Coefficient::ZERO);
        }
        self.assign(target, &right, temporary, first);
    }

    fn assign(&mut self, target: &str, right: &str, temporary: bool, first: bool) {
        let indent = self.indent;
        let right = without_parentheses(right);
        let line = match (self.language, temporary) {
            (Language::C | Language::Cpp, true) if first => {
                format!("{indent}{} {target} = {right};", self.words.number())
            }
            (Language::Rust, true) => format!("{indent}let {target} = {right};"),
            (Language::C | Language::Cpp | Language::Rust | Language::Form, _) => {
                format!("{indent}{target} = {right};")
            }
            (Language::Python | Language::Fortran | Language::Json, _) => format!("{indent}{target} = {right}"),
        };
        if self.language == Language::Fortran && line.len() > COLUMNS {
            return self.line(&continued(&line));
        }
        self.line(&line);
    }

    /// A term without its sign.
    fn product(&self, term: &Term) -> String {
        let mut text = String::new();
        let above = self.above(term);
        if above.is_empty() || !term.value.is_unit() {
            text.push_str(&self.number(&term.value.abs()));
        }
        for symbol in above {
            if !text.is_empty() {
                text.push('*');
            }
            match (symbol as usize).checked_sub(self.program.inputs) {
                Some(at) => text.push_str(&self.temporary(at)),
                None => text.push_str(&self.symbols[symbol as usize]),
            }
        }
        for &symbol in term.factors.iter().filter(|&&symbol| self.divisors.get(symbol as usize) == Some(&true)) {
            text.push('/');
            text.push_str(&self.symbols[symbol as usize]);
        }
        text
    }

    /// A number that is not negative.
    fn number(&self, value: &Coefficient) -> String {
        self.words.literal(value)
    }

    fn json(mut self, header: &Header<'_>) -> String {
        let names = |symbols: &[usize]| -> Value {
            symbols.iter().map(|&symbol| self.system.symbols()[symbol].as_str()).collect()
        };
        let (calls, divisions) = self.system.call_counts();
        self.statements();
        let object = object(vec![
            ("source", json!(header.source)),
            ("terms", json!(self.system.terms())),
            ("input", counts_json(&header.input)),
            ("counts", counts_json(&code_counts(self.system, self.program))),
            ("order", names(header.order)),
            ("calls", json!(calls)),
            ("divisions", json!(divisions)),
            ("inputs", names(&self.system.given())),
            ("outputs", self.system.outputs().map(|output| output.name.as_str()).collect()),
            ("code", self.text.lines().collect()),
        ]);
        let mut text = object.to_string();
        text.push('\n');
        text
    }
}

/// A text without parentheses around all of it, which compilers warn of. A complex number of Fortran keeps them.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    let whole = inner.bytes().all(|byte| {
        depth += match byte {
            b'(' => 1,
            b')' => -1,
            _ => 0,
        };
        depth >= 0 && (byte != b',' || depth > 0)
    });
    if whole { inner } else { text }
}

/// The names of the inputs and of the outputs in quotes.
pub(crate) fn named(system: &System) -> (Vec<String>, Vec<String>) {
    let quoted = |name: &String| json!(name).to_string();
    let inputs = system.given().into_iter().map(|symbol| quoted(&system.symbols()[symbol]));
    (inputs.collect(), system.outputs().map(|output| quoted(&output.name)).collect())
}

/// A list of Python on lines of the usual width.
fn list(items: &[String]) -> String {
    let mut text = "[".to_owned();
    let mut width = 0;
    for item in items {
        if width + item.len() > WIDTH - 20 && width > 0 {
            text.push_str("\n    ");
            width = 0;
        }
        width += item.len() + 2;
        text.push_str(item);
        text.push_str(", ");
    }
    text.truncate(text.trim_end_matches(", ").len());
    text.push(']');
    text
}

/// Counts as results show them.
pub(crate) fn counts_json(counts: &Counts) -> Value {
    object(vec![
        ("operations", json!(counts.total())),
        ("additions", json!(counts.additions)),
        ("multiplications", json!(counts.multiplications)),
        ("powers", json!(counts.powers)),
        ("power_multiplications", json!(counts.power_multiplications)),
    ])
}

/// The names of the inputs and outputs of `system` in code.
pub(crate) fn names(system: &System, language: Language) -> Names {
    let (inputs, outputs) = (system.given(), system.outputs().count());
    match language {
        Language::Form => {
            let mut taken = BTreeSet::new();
            let mut name = |name: &str| unique(form_name(name), &mut taken);
            Names {
                inputs: inputs.iter().map(|&symbol| name(&system.symbols()[symbol])).collect(),
                outputs: system.outputs().map(|output| name(&output.name)).collect(),
            }
        }
        Language::Fortran => Names {
            inputs: (1..=inputs.len()).map(|at| format!("x({at})")).collect(),
            outputs: (1..=outputs).map(|at| format!("y({at})")).collect(),
        },
        _ => Names {
            inputs: (0..inputs.len()).map(|at| format!("x[{at}]")).collect(),
            outputs: (0..outputs).map(|at| format!("y[{at}]")).collect(),
        },
    }
}

/// A name that FORM can read. Opaque text is put into brackets.
fn form_name(name: &str) -> String {
    let word = |part: &str| {
        let mut letters = part.chars();
        letters.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
            && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '\''))
    };
    let indexed = name.split_once('[').is_some_and(|(base, rest)| {
        (base.is_empty() || word(base)) && rest.strip_suffix(']').is_some_and(|rest| !rest.contains(['[', ']']))
    });
    if word(name) || indexed || name.split_once('.').is_some_and(|(a, b)| word(a) && word(b)) {
        return name.to_owned();
    }
    format!("[{}]", name.replace(['[', '{'], "(").replace([']', '}'], ")"))
}

/// Makes a name unique by underscores.
fn unique(mut name: String, taken: &mut BTreeSet<String>) -> String {
    while !taken.insert(name.clone()) {
        let inside = name.strip_suffix(']').map(str::len);
        match inside {
            Some(end) => name.insert(end, '_'),
            None => name.push('_'),
        }
    }
    name
}
