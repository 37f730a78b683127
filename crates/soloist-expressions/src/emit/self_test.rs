//! Programs that compile beside code and compare what it computes with the input.

use super::shape::BLOCK;
use super::{Float, Header, Language, Style, Words};
use crate::algebra::{Function, System};
use crate::evaluate::{Point, Value, evaluate};
use std::fmt::Write as _;

/// The points at which code is compared.
const POINTS: usize = 3;
/// The points that are tried: at some of them outputs may have no value.
const TRIES: u64 = 200;

/// What a program compares: inputs, outputs and how far those may be off, point by point.
struct Table {
    inputs: Vec<Vec<Value>>,
    outputs: Vec<Vec<Value>>,
}

/// A program that calls code of the same style at three points and compares each output with the value of the input.
///
/// `file` is the name of the file of the code, in the same folder. The values come from the terms as they were read, in
/// exact fractions where the input has no functions, in double precision elsewhere. A program of C, Rust or Fortran
/// compiles with the code, one of Python runs beside it. Its exit code is 0 if all values agree, else 1.
///
/// # Errors
/// One line: a language without programs, or an input that has no finite value at any point that was tried.
pub fn emit_self_test(
    system: &System,
    language: Language,
    header: &Header<'_>,
    style: &Style,
    file: &str,
) -> Result<String, String> {
    let words = Words { language, float: language.float(style), complex: system.is_complex() };
    let generic_complex = words.complex && language == Language::Rust;
    if matches!(language, Language::Form | Language::Json) || generic_complex {
        let what = if generic_complex { "generic code of complex numbers" } else { "code that is not compiled" };
        return Err(format!(
            "a self-test of {what}: there is one for C, C++, Rust with numbers of its own, Fortran and Python"
        ));
    }
    let table = table(system)?;
    let exact = table.outputs.iter().flatten().all(|value| value.exact.is_some());
    let epsilon = match words.float {
        Float::Single => 2f64.powi(-24),
        Float::Long if exact => 2f64.powi(-63),
        Float::Quad if exact => 2f64.powi(-112),
        _ => 2f64.powi(-52),
    };
    let calls = system.calls().iter().any(|call| !matches!(call.function, Function::Inverse | Function::Constant(_)));
    let tolerance = epsilon * if calls { 4096.0 } else { 256.0 } * (system.terms() as f64).max(1.0).sqrt();
    let text = Test { words, table: &table, name: header.function, file, tolerance, blocks: style.blocks };
    Ok(match language {
        Language::C => text.c(),
        Language::Cpp => text.cpp(),
        Language::Rust => text.rust(),
        Language::Fortran => text.fortran(),
        _ => text.python(),
    })
}

/// Points with outputs that are finite.
fn table(system: &System) -> Result<Table, String> {
    let mut table = Table { inputs: Vec::new(), outputs: Vec::new() };
    for seed in 0..TRIES {
        let point = Point { seed };
        let Some((inputs, outputs)) = evaluate(system, point) else { continue };
        if outputs.iter().all(Value::is_finite) {
            table.inputs.push(inputs);
            table.outputs.push(outputs);
        }
        if table.inputs.len() == POINTS {
            return Ok(table);
        }
    }
    if table.inputs.is_empty() {
        return Err(format!("the outputs have no finite value at any of {TRIES} points: there is nothing to compare"));
    }
    Ok(table)
}

struct Test<'a> {
    words: Words,
    table: &'a Table,
    name: &'a str,
    file: &'a str,
    tolerance: f64,
    /// Whether the code has a function for blocks.
    blocks: bool,
}

impl Test<'_> {
    /// Numbers of inputs, outputs and points.
    fn sizes(&self) -> (usize, usize, usize) {
        let Table { inputs, outputs } = self.table;
        (inputs[0].len(), outputs[0].len(), inputs.len())
    }

    /// A decimal number of the language with its sign.
    fn real(&self, value: &Value, imaginary: bool) -> String {
        let text = value.decimal(imaginary);
        match self.words.language {
            Language::Cpp => format!("{text}L"),
            Language::Rust | Language::Python => text,
            _ => format!("{text}{}", self.words.suffix()),
        }
    }

    fn number(&self, value: &Value) -> String {
        let (real, imaginary) = (self.real(value, false), self.real(value, true));
        match (self.words.complex, self.words.language) {
            (false, _) => real,
            (true, Language::Fortran) => format!("({real}, {imaginary})"),
            (true, Language::Python) => format!("complex({real}, {imaginary})"),
            (true, Language::Cpp) => format!("T({real}, {imaginary})"),
            (true, _) if self.words.float == Float::Quad => format!("{real} + {imaginary}*1.0Qi"),
            (true, _) => format!("{real} + {imaginary}*_Complex_I"),
        }
    }

    /// How far an output may be off.
    fn most(&self, value: &Value) -> String {
        format!("{:.6e}", value.scale * self.tolerance)
    }

    /// All numbers of a table as one list, a line for each point.
    fn list(&self, rows: &[Vec<Value>]) -> String {
        let rows: Vec<String> = rows.iter().map(|row| joined(row, |value| self.number(value))).collect();
        let rows: Vec<String> = rows.into_iter().filter(|row| !row.is_empty()).collect();
        if rows.is_empty() { "0".into() } else { rows.join(",\n        ") }
    }

    /// How far the outputs may be off, as one list, a line for each point.
    fn scales(&self) -> String {
        let rows = self.table.outputs.iter().map(|row| joined(row, |value| self.most(value)));
        rows.collect::<Vec<_>>().join(",\n        ")
    }

    fn c(&self) -> String {
        let (n, m, points) = self.sizes();
        let (name, number) = (self.name, self.words.number());
        let complex = self.words.complex;
        let quad = self.words.float == Float::Quad;
        let mut text = format!("// Self-test of {}: compile it together with that file, as in\n", self.file);
        let libraries = if quad { " -lquadmath -lm" } else { " -lm" };
        let _ = writeln!(text, "// cc {} THIS.c{libraries}\n#include <stddef.h>\n#include <stdio.h>", self.file);
        text.push_str(if complex { "#include <complex.h>\n" } else { "" });
        text.push_str(if complex && quad { "#include <quadmath.h>\n" } else { "" });
        let difference = if complex {
            "static double off(NUMBER a, NUMBER b)\n{\n    double _Complex d = (double _Complex)(a - b);\n    \
             double r = creal(d), i = cimag(d);\n    return (r < 0 ? -r : r) + (i < 0 ? -i : i);\n}\n"
        } else {
            "static double off(NUMBER a, NUMBER b)\n{\n    double d = (double)(a - b);\n    return d < 0 ? -d : d;\n}\n"
        };
        let difference = difference.replace("NUMBER", number);
        let (declared, run) = if self.blocks { self.c_blocks() } else { (String::new(), String::new()) };
        let _ = write!(
            text,
            "\nvoid {name}(const {number} *x, {number} *y);\nvoid {name}_many(size_t n, const {number} *x, {number} *y);\n\
             {declared}\n{difference}\nint main(void)\n{{\n    const {number} x[] = {{\n        {}}};\n    \
             const {number} expected[] = {{\n        {}}};\n    const double most[] = {{\n        {}}};\n    \
             {number} one[{m}], all[{}];\n    int wrong = 0;\n    {name}_many({points}, x, all);\n    \
             for (size_t p = 0; p < {points}; p++) {{\n        {name}(x + {n}*p, one);\n        \
             for (size_t i = 0; i < {m}; i++) {{\n            size_t at = {m}*p + i;\n            \
             // A value that is no number differs from every other.\n            \
             if (!(off(one[i], expected[at]) <= most[at]) || !(off(all[at], expected[at]) <= most[at])) {{\n                \
             printf(\"{name}: output %zu differs at point %zu\\n\", i, p);\n                wrong = 1;\n            }}\n        \
             }}\n    }}\n{run}    if (!wrong) printf(\"{name}: {} values agree\\n\");\n    return wrong;\n}}\n",
            self.list(&self.table.inputs),
            self.list(&self.table.outputs),
            self.scales(),
            m * points,
            m * points
        );
        text
    }

    /// The declaration of the function for blocks, and statements that run it on two blocks of the points.
    fn c_blocks(&self) -> (String, String) {
        let (n, m, points) = self.sizes();
        let (name, number, block) = (self.name, self.words.number(), BLOCK);
        let run = format!(
            "    {number} in[{}], out[{}];\n    for (size_t p = 0; p < 2*{block}; p++)\n        \
             for (size_t i = 0; i < {n}; i++)\n            \
             in[{block}*({n}*(p/{block}) + i) + p%{block}] = x[{n}*(p%{points}) + i];\n    \
             {name}_blocks(2, in, out);\n    for (size_t p = 0; p < 2*{block}; p++)\n        \
             for (size_t i = 0; i < {m}; i++) {{\n            size_t at = {m}*(p%{points}) + i;\n            \
             if (!(off(out[{block}*({m}*(p/{block}) + i) + p%{block}], expected[at]) <= most[at])) {{\n                \
             printf(\"{name}_blocks: output %zu differs at point %zu\\n\", i, p);\n                wrong = 1;\n            \
             }}\n        }}\n",
            (2 * block * n).max(1),
            2 * block * m
        );
        (format!("void {name}_blocks(size_t n, const {number} *x, {number} *y);\n"), run)
    }

    fn cpp(&self) -> String {
        let (n, m, points) = self.sizes();
        let name = self.name;
        let types = if self.words.complex {
            ["std::complex<double>", "std::complex<long double>"]
        } else {
            ["double", "long double"]
        };
        format!(
            "// Self-test of {}.\n#include <cmath>\n#include <complex>\n#include <cstdio>\n#include \"{}\"\n\n\
             template <typename T>\nstatic int differing(const char *type)\n{{\n    const T x[] = {{\n        {}}};\n    \
             const T expected[] = {{\n        {}}};\n    const double most[] = {{\n        {}}};\n    T one[{m}], all[{}];\n    \
             int wrong = 0;\n    {name}_many({points}, x, all);\n    for (std::size_t p = 0; p < {points}; p++) {{\n        \
             {name}(x + {n}*p, one);\n        for (std::size_t i = 0; i < {m}; i++) {{\n            \
             std::size_t at = {m}*p + i;\n            // A value that is no number differs from every other.\n            \
             if (!(std::abs(one[i] - expected[at]) <= most[at]) || !(std::abs(all[at] - expected[at]) <= most[at])) {{\n                \
             std::printf(\"{name}: output %zu differs at point %zu, type %s\\n\", i, p, type);\n                wrong = 1;\n            \
             }}\n        }}\n    }}\n    return wrong;\n}}\n\nint main()\n{{\n    \
             int wrong = differing<{}>(\"{}\") + differing<{}>(\"{}\");\n    \
             if (!wrong) std::printf(\"{name}: {} values agree\\n\");\n    return wrong > 0;\n}}\n",
            self.file,
            self.file,
            self.list(&self.table.inputs),
            self.list(&self.table.outputs),
            self.scales(),
            m * points,
            types[0],
            types[0],
            types[1],
            types[1],
            m * points
        )
    }

    fn rust(&self) -> String {
        let (n, m, points) = self.sizes();
        let name = self.name;
        let number = if self.words.float == Float::Single { "f32" } else { "f64" };
        let inputs = bracketed(&self.table.inputs, "        ", |value| self.number(value));
        let expected = |value: &Value| format!("({}, {})", self.number(value), self.most(value));
        let outputs = bracketed(&self.table.outputs, "        ", expected);
        format!(
            "// Self-test of {file}: rustc THIS.rs\n#[path = \"{file}\"]\nmod code;\n\n\
             #[allow(clippy::all, clippy::excessive_precision)]\nfn main() {{\n    let inputs: [[{number}; {n}]; {points}] = [\n        {}];\n    \
             let expected: [[({number}, f64); {m}]; {points}] = [\n        {}];\n    let mut wrong = false;\n    \
             for (p, (x, expected)) in inputs.iter().zip(&expected).enumerate() {{\n        let mut y = [0.0; {m}];\n        \
             code::{name}(x, &mut y);\n        for (i, (found, (value, most))) in y.iter().zip(expected).enumerate() {{\n            \
             // A value that is no number differs from every other.\n            \
             let agrees = f64::from(found - value).abs() <= *most;\n            if !agrees {{\n                \
             println!(\"{name}: output {{i}} differs at point {{p}}\");\n                wrong = true;\n            }}\n        }}\n    }}\n    \
             if wrong {{\n        std::process::exit(1);\n    }}\n    println!(\"{name}: {} values agree\");\n}}\n",
            inputs,
            outputs,
            m * points,
            file = self.file,
        )
    }

    fn fortran(&self) -> String {
        let (n, m, points) = self.sizes();
        let (name, number, kind) = (self.name, self.words.number(), self.words.kind());
        let mut text = format!(
            "! Self-test of {}: gfortran {} THIS.f90\nprogram self_test\n    implicit none\n    \
             integer, parameter :: {kind}\n    integer, parameter :: wide = kind(1.0d0)\n    \
             {number} :: x({n}), y({m}), expected({m})\n    real(wide) :: most({m})\n    logical :: wrong\n    integer :: i\n    \
             wrong = .false.\n",
            self.file, self.file
        );
        for (inputs, outputs) in self.table.inputs.iter().zip(&self.table.outputs) {
            for (at, value) in inputs.iter().enumerate() {
                let _ = writeln!(text, "    x({}) = {}", at + 1, self.number(value));
            }
            for (at, value) in outputs.iter().enumerate() {
                let _ = writeln!(text, "    expected({}) = {}", at + 1, self.number(value));
                let _ = writeln!(text, "    most({}) = {}_wide", at + 1, self.most(value));
            }
            let _ = writeln!(
                text,
                "    call {name}(x, y)\n    do i = 1, {m}\n        if (.not. (real(abs(y(i) - expected(i)), wide) <= most(i))) then\n            \
                 print *, \"{name}: an output differs:\", i\n            wrong = .true.\n        end if\n    end do"
            );
        }
        let _ = writeln!(
            text,
            "    if (wrong) error stop 1\n    print *, \"{name}: {} values agree\"\nend program self_test",
            m * points
        );
        text
    }

    fn python(&self) -> String {
        let (_, m, points) = self.sizes();
        let name = self.name;
        let rows = |rows| bracketed(rows, "    ", |value| self.number(value));
        format!(
            "# Self-test of {file}.\nimport importlib.util\nimport pathlib\nimport sys\n\n\
             path = pathlib.Path(__file__).resolve().parent / \"{file}\"\n\
             spec = importlib.util.spec_from_file_location(\"code_under_test\", path)\n\
             code = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(code)\n\n\
             inputs = [\n    {}]\nexpected = [\n    {}]\nmost = [\n    {}]\nwrong = False\n\
             for p, point in enumerate(inputs):\n    found = code.{name}(point)\n    for i in range({m}):\n        \
             # A value that is no number differs from every other.\n        \
             if not abs(found[i] - expected[p][i]) <= most[p][i]:\n            \
             print(f\"{name}: output {{i}} differs at point {{p}}\")\n            wrong = True\n\
             if wrong:\n    sys.exit(1)\nprint(\"{name}: {} values agree\")\n",
            rows(&self.table.inputs),
            rows(&self.table.outputs),
            bracketed(&self.table.outputs, "    ", |value| self.most(value)),
            m * points,
            file = self.file,
        )
    }
}

/// The texts of a row, separated by commas.
fn joined(row: &[Value], text: impl Fn(&Value) -> String) -> String {
    row.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Rows in brackets, a line for each.
fn bracketed(rows: &[Vec<Value>], indent: &str, text: impl Fn(&Value) -> String) -> String {
    let rows = rows.iter().map(|row| format!("[{}]", joined(row, &text)));
    rows.collect::<Vec<_>>().join(&format!(",\n{indent}"))
}
