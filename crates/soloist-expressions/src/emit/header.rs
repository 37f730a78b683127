//! Headers of C code.

use super::{Header, Language, Style, Words, names, shape};
use crate::algebra::System;
use std::fmt::Write as _;

/// The C header that declares the functions of C code of the same style. C++ can include it too.
///
/// The inputs and outputs are listed with their elements. [`Style::header`] makes the code include it.
#[must_use]
pub fn emit_header(system: &System, header: &Header<'_>, style: &Style) -> String {
    let name = header.function;
    let words = Words { language: Language::C, float: Language::C.float(style), complex: system.is_complex() };
    let number = words.number();
    let guard = format!("{}_H", name.to_ascii_uppercase());
    let mut text = format!("#ifndef {guard}\n#define {guard}\n");
    text.push_str(match (words.complex, number) {
        (true, "__complex128") => "#include <quadmath.h>\n",
        (true, _) => "#include <complex.h>\n",
        _ => "",
    });
    text.push_str("#include <stddef.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    let (inputs, outputs) = (system.given(), system.outputs().count());
    let places = names(system, Language::C);
    let plain =
        |name: &str| -> String { name.chars().map(|c| if c.is_control() || c == '\\' { ' ' } else { c }).collect() };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "// Computes {outputs} outputs of {} inputs.", inputs.len());
    for (place, &symbol) in places.inputs.iter().zip(&inputs) {
        let _ = writeln!(text, "// {place} = {}", plain(&system.symbols()[symbol]));
    }
    for (place, output) in places.outputs.iter().zip(system.outputs()) {
        let _ = writeln!(text, "// {place} = {}", plain(&output.name));
    }
    let _ = writeln!(text, "void {name}(const {number} *x, {number} *y);\n");
    let (n, m) = (inputs.len(), outputs);
    let _ = writeln!(text, "// Computes n points: x holds {n} inputs for each, y gets {m} outputs for each.");
    let _ = writeln!(text, "void {name}_many(size_t n, const {number} *x, {number} *y);\n");
    if style.blocks {
        let _ = writeln!(text, "{}void {name}_blocks(size_t n, const {number} *x, {number} *y);\n", shape::BLOCKS);
    }
    text.push_str("#ifdef __cplusplus\n}\n#endif\n#endif\n");
    text
}
