//! What stands around the statements of code: declarations, types, strides, and the comments that name inputs and
//! outputs.

use super::generic::Trait;
use super::machine::Machine;
use crate::algebra::{Reading, System};
use crate::emit::{Language, Names, named};
use soloist_domain::error::quote;

/// Checks every line of code that is no statement of the function.
///
/// # Errors
/// One line: the first line that declares, calls or names something else than the system has.
pub(super) fn check(system: &System, code: &str, machine: Machine, names: &Names) -> Result<(), String> {
    let (language, number) = (machine.language, machine.number());
    if matches!(language, Language::Form | Language::Json) {
        return Ok(());
    }
    mapping(system, code, language, names)?;
    let comment = comment(language);
    let mut frame = Frame {
        machine,
        number,
        inputs: names.inputs.len(),
        outputs: names.outputs.len(),
        place: Place::Before,
        function: String::new(),
        guard: Vec::new(),
        tail: Vec::new(),
        declared: Trait::default(),
    };
    for (index, line) in code.lines().enumerate() {
        let text = line.trim();
        if text.is_empty() || text.starts_with(comment) {
            continue;
        }
        frame
            .line(index + 1, text)
            .map_err(|expected| format!("line {}: found {}, expected {expected}", index + 1, quote(text.as_bytes())))?;
    }
    let Frame { function, guard, tail, .. } = frame;
    if !guard.is_empty() && guard != GUARD {
        return Err(format!("the function `_value` is not `{}`", GUARD.join("` `")));
    }
    if tail.is_empty() { Ok(()) } else { behind(system, &function, machine, &tail) }
}

/// Where a line stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    Before,
    Inside,
    Behind,
}

/// What of the code has been checked. Each function returns what was expected in place of a line that is wrong.
struct Frame<'a> {
    machine: Machine,
    number: &'a str,
    inputs: usize,
    outputs: usize,
    place: Place,
    /// The name of the function, once it was met.
    function: String,
    /// Lines of the function that guards calls of Python.
    guard: Vec<&'a str>,
    /// Lines behind the function, with their numbers.
    tail: Vec<(usize, &'a str)>,
    declared: Trait,
}

impl<'a> Frame<'a> {
    fn line(&mut self, number: usize, text: &'a str) -> Result<(), String> {
        match (self.place, self.machine.language) {
            (Place::Before, Language::C | Language::Cpp) => self.c_head(text),
            (Place::Before, Language::Rust) => self.rust_head(text),
            (Place::Before, Language::Python) => self.python_head(text),
            (Place::Before, _) => {
                let name = text.strip_prefix("subroutine ").and_then(|rest| rest.strip_suffix("(x, y)"));
                self.begin(name, "`subroutine NAME(x, y)`")
            }
            (Place::Inside, _) => self.inside(text),
            (Place::Behind, Language::C | Language::Cpp | Language::Python) => {
                self.tail.push((number, text));
                Ok(())
            }
            _ => Err("the end of the code".into()),
        }
    }

    /// Takes the name of the function, behind which its statements stand.
    fn begin(&mut self, name: Option<&str>, expected: &str) -> Result<(), String> {
        let name = name.filter(|name| is_identifier(name)).ok_or(expected)?;
        name.clone_into(&mut self.function);
        self.place = Place::Inside;
        Ok(())
    }

    fn c_head(&mut self, text: &str) -> Result<(), String> {
        let known: &[&str] = &[
            "#include <stddef.h>",
            "#include <math.h>",
            "#include <complex.h>",
            "#include <quadmath.h>",
            "#endif",
            "#define restrict __restrict",
            "#if defined(__cplusplus) && !defined(restrict)",
        ];
        let c = self.machine.language == Language::C;
        let passed = if c {
            known.contains(&text) || is_header(text)
        } else {
            ["#pragma once", "#include <cstddef>", "#include <cmath>", "#include <complex>"].contains(&text)
                || self.function.is_empty() && text == "template <typename T>"
        };
        if passed {
            return Ok(());
        }
        if !self.function.is_empty() {
            self.place = Place::Inside;
            return if text == "{" { Ok(()) } else { Err("`{`".into()) };
        }
        let number = self.number;
        let (end, expected) = if c {
            let end = format!("(const {number} *restrict x, {number} *restrict y)");
            (end, "`void NAME(const double *restrict x, double *restrict y)`")
        } else {
            ("(const T *x, T *y)".to_owned(), "`void NAME(const T *x, T *y)`")
        };
        self.begin(text.strip_prefix("void ").and_then(|rest| rest.strip_suffix(&end)), expected)?;
        // The brace stands on the next line.
        self.place = Place::Before;
        Ok(())
    }

    fn rust_head(&mut self, text: &str) -> Result<(), String> {
        if text == "#[allow(clippy::all, unused_variables)]" {
            return Ok(());
        }
        let generic = self.machine.is_generic();
        if generic && !text.starts_with("pub fn ") {
            return self.declared.line(text);
        }
        let Self { number, inputs, outputs, .. } = self;
        let bound = if generic { "<T: Number>" } else { "" };
        let end = format!("{bound}(x: &[{number}; {inputs}], y: &mut [{number}; {outputs}]) {{");
        let name = text.strip_prefix("pub fn ").and_then(|rest| rest.strip_suffix(&end));
        self.begin(name, &format!("`pub fn NAME{end}`"))
    }

    fn python_head(&mut self, text: &'a str) -> Result<(), String> {
        if ["import math", "import cmath"].contains(&text) || text == CBRT {
            return Ok(());
        }
        if GUARD.contains(&text) {
            self.guard.push(text);
            return Ok(());
        }
        let name = text.strip_prefix("def ").and_then(|rest| rest.strip_suffix("(x):"));
        self.begin(name, "`def NAME(x):`")
    }

    /// Checks a line of the function that is no statement.
    fn inside(&mut self, text: &str) -> Result<(), String> {
        let Self { machine, inputs, outputs, .. } = *self;
        let ends = match machine.language {
            Language::C | Language::Cpp | Language::Rust => text == "}",
            Language::Python => text == "return y",
            _ => text.starts_with("end subroutine"),
        };
        if ends {
            self.place = Place::Behind;
            return Ok(());
        }
        match machine.language {
            Language::Cpp if text.starts_with("using ") => {
                let name = text.strip_prefix("using std::").and_then(|rest| rest.strip_suffix(';'));
                let called = name.is_some_and(|name| machine.function(name).is_some());
                called.then_some(()).ok_or_else(|| "a function that the code calls".into())
            }
            Language::Python if text.starts_with("y = [") && text != format!("y = [0]*{outputs}") => {
                Err(format!("`y = [0]*{outputs}`"))
            }
            Language::Fortran if text.contains("::") && !fortran(text, machine, inputs, outputs) => {
                Err("arrays of one type of the sizes of inputs and outputs".into())
            }
            _ => Ok(()),
        }
    }
}

/// Checks the lines behind the function, in their order: the loop over many points, or the names of Python.
fn behind(system: &System, function: &str, machine: Machine, tail: &[(usize, &str)]) -> Result<(), String> {
    let (inputs, outputs) = named(system);
    if machine.language == Language::Python {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let names = format!("{function}.inputs=[{}]{function}.outputs=[{}]", inputs.join(","), outputs.join(","));
        return if tail.iter().map(|(_, text)| plain(text)).collect::<String>() == plain(&names) {
            Ok(())
        } else {
            Err("the names behind the function are not those of its inputs and outputs".into())
        };
    }
    let cpp = machine.language == Language::Cpp;
    let (size, number) = if cpp { ("std::size_t", "T") } else { ("size_t", machine.number()) };
    let mut expected = vec![
        format!("void {function}_many({size} n, const {number} *x, {number} *y)"),
        "{".into(),
        format!("for ({size} i = 0; i < n; i++) {function}(x + {}*i, y + {}*i);", inputs.len(), outputs.len()),
        "}".into(),
    ];
    if cpp {
        expected.insert(0, "template <typename T>".into());
    }
    for at in 0..tail.len().max(expected.len()) {
        let wanted = expected.get(at).map_or("the end of the code".into(), |line| format!("`{line}`"));
        match tail.get(at) {
            Some(&(_, text)) if expected.get(at).is_some_and(|line| line == text) => {}
            Some(&(line, text)) => {
                return Err(format!("line {line}: found {}, expected {wanted}", quote(text.as_bytes())));
            }
            None => return Err(format!("found the end of the code, expected {wanted}")),
        }
    }
    Ok(())
}

fn comment(language: Language) -> &'static str {
    match language {
        Language::Fortran => "!",
        Language::Python => "#",
        _ => "//",
    }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The lines of the function that guards calls in Python.
const GUARD: [&str; 5] = [
    "def _value(function, *arguments):",
    "try:",
    "return function(*arguments)",
    "except (ArithmeticError, ValueError):",
    "return math.nan",
];

/// The cube root of Python.
const CBRT: &str = "_cbrt = getattr(math, \"cbrt\", lambda x: math.copysign(math.pow(abs(x), 1/3), x))";

/// Whether a line includes a header of the user.
fn is_header(line: &str) -> bool {
    let name = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['"', '\\', '>']))
}

/// Whether a declaration of Fortran fits.
fn fortran(line: &str, machine: Machine, inputs: usize, outputs: usize) -> bool {
    let (kind, declaration) = machine.kind();
    let number = format!("{}({kind})", machine.number());
    let variable = line.strip_prefix(&format!("{number} :: "));
    let (name, size) = variable.map_or(("", None), |rest| match rest.split_once('(') {
        Some((name, size)) => (name, Some(size)),
        None => (rest, None),
    });
    let sized = size.is_none_or(|size| {
        size.strip_suffix(')').is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()))
    });
    line == declaration
        || line == format!("{number}, intent(in) :: x({inputs})")
        || line == format!("{number}, intent(out) :: y({outputs})")
        || is_identifier(name) && !["x", "y"].contains(&name) && sized
}

/// The inputs and outputs that the comments of code name, if they differ from those of the system.
pub(super) fn reading(system: &System, code: &str, language: Language) -> Option<Reading> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for line in code.lines().map_while(|line| line.trim().strip_prefix(comment(language))) {
        let Some((element, name)) = line.trim().split_once(" = ") else { continue };
        if element.starts_with("x[") || element.starts_with("x(") {
            inputs.push(name.trim().to_owned());
        } else if element.starts_with("y[") || element.starts_with("y(") {
            outputs.push(name.trim().to_owned());
        }
    }
    let given: Vec<&String> = system.given().into_iter().map(|symbol| &system.symbols()[symbol]).collect();
    let own = system.outputs().map(|output| &output.name);
    if outputs.is_empty() || own.eq(&outputs) && given.iter().copied().eq(&inputs) {
        return None;
    }
    // A function among the inputs is not computed by the code.
    let opaque = inputs.iter().filter_map(|name| Some(name.split_once('(')?.0.to_owned())).collect();
    let complex = system.is_complex();
    Some(Reading { outputs: Some(outputs), args: Some(inputs), opaque, complex, ..Reading::default() })
}

/// Checks the comments that say which input or output an element is.
fn mapping(system: &System, code: &str, language: Language, names: &Names) -> Result<(), String> {
    let symbols = system.given();
    let inputs = symbols.iter().map(|&symbol| system.symbols()[symbol].as_str());
    let outputs = system.outputs().map(|output| output.name.as_str());
    let elements = names.inputs.iter().zip(inputs).chain(names.outputs.iter().zip(outputs));
    let shown =
        |name: &str| -> String { name.chars().map(|c| if c.is_control() || c == '\\' { ' ' } else { c }).collect() };
    let expected: std::collections::HashMap<&str, String> =
        elements.map(|(element, name)| (element.as_str(), shown(name))).collect();
    for (index, line) in code.lines().enumerate() {
        let Some((element, name)) = line.trim().strip_prefix(comment(language)).and_then(|text| text.split_once(" = "))
        else {
            continue;
        };
        let element = element.trim();
        let is_element = ["x[", "x(", "y[", "y("].iter().any(|start| element.starts_with(start));
        match expected.get(element) {
            Some(expected) if expected.trim() == name.trim() => {}
            Some(expected) => {
                return Err(format!(
                    "line {}: {element} is {}, not {}",
                    index + 1,
                    quote(expected.as_bytes()),
                    quote(name.trim().as_bytes())
                ));
            }
            None if is_element => {
                return Err(format!("line {}: there is no element {}", index + 1, quote(element.as_bytes())));
            }
            None => {}
        }
    }
    Ok(())
}
