//! What stands around the statements of code: declarations, types, strides, and the comments that name inputs and
//! outputs.

use crate::algebra::{Reading, System};
use crate::emit::{Language, Names, named};
use soloist_domain::error::quote;

/// Checks every line of code that is no statement of the function.
///
/// # Errors
/// One line: the first line that declares, calls or names something else than the system has.
pub(super) fn check(system: &System, code: &str, language: Language, names: &Names) -> Result<(), String> {
    if matches!(language, Language::Form | Language::Json) {
        return Ok(());
    }
    mapping(system, code, language, names)?;
    let (inputs, outputs) = (names.inputs.len(), names.outputs.len());
    let comment = comment(language);
    // Before the function, inside it, behind it.
    let (mut place, mut function, mut tail) = (0, String::new(), String::new());
    for (index, line) in code.lines().enumerate() {
        let wrong = |expected: &str| {
            Err(format!("line {}: found {}, expected {expected}", index + 1, quote(line.trim().as_bytes())))
        };
        let text = line.trim();
        if text.is_empty() || text.starts_with(comment) {
            continue;
        }
        match (place, language) {
            (0, Language::C) => {
                let known = ["#include <stddef.h>", "#include <math.h>", "#endif", "#define restrict __restrict"];
                if known.contains(&text) || text == "#if defined(__cplusplus) && !defined(restrict)" {
                    continue;
                }
                if function.is_empty() {
                    let rest = text.strip_prefix("void ");
                    let name =
                        rest.and_then(|rest| rest.strip_suffix("(const double *restrict x, double *restrict y)"));
                    let Some(name) = name.filter(|name| is_identifier(name)) else {
                        return wrong("`void NAME(const double *restrict x, double *restrict y)`");
                    };
                    name.clone_into(&mut function);
                } else if text == "{" {
                    place = 1;
                } else {
                    return wrong("`{`");
                }
            }
            (0, Language::Rust) => {
                if text.starts_with("#[allow(") && text.ends_with(")]") {
                    continue;
                }
                let end = format!("(x: &[f64; {inputs}], y: &mut [f64; {outputs}]) {{");
                let name = text.strip_prefix("pub fn ").and_then(|rest| rest.strip_suffix(&end));
                if !name.is_some_and(is_identifier) {
                    return wrong(&format!("`pub fn NAME{end}`"));
                }
                place = 1;
            }
            (0, Language::Python) => {
                if text == "import math" {
                    continue;
                }
                let name = text.strip_prefix("def ").and_then(|rest| rest.strip_suffix("(x):"));
                let Some(name) = name.filter(|name| is_identifier(name)) else {
                    return wrong("`def NAME(x):`");
                };
                name.clone_into(&mut function);
                place = 1;
            }
            (0, _) => {
                let name = text.strip_prefix("subroutine ").and_then(|rest| rest.strip_suffix("(x, y)"));
                if !name.is_some_and(is_identifier) {
                    return wrong("`subroutine NAME(x, y)`");
                }
                place = 1;
            }
            (1, Language::C | Language::Rust) if text == "}" => place = 2,
            (1, Language::Python) if text == "return y" => place = 2,
            (1, Language::Python) if text.starts_with("y = [") && text != format!("y = [0]*{outputs}") => {
                return wrong(&format!("`y = [0]*{outputs}`"));
            }
            (1, Language::Fortran) if text.starts_with("end subroutine") => place = 2,
            (1, Language::Fortran) if text.contains("::") && !fortran(text, inputs, outputs) => {
                return wrong("real(dp) arrays of the sizes of inputs and outputs");
            }
            (1, _) => {}
            (_, Language::C) => {
                let many = format!("void {function}_many(size_t n, const double *x, double *y)");
                let each = format!("for (size_t i = 0; i < n; i++) {function}(x + {inputs}*i, y + {outputs}*i);");
                if ![many.as_str(), &each, "{", "}"].contains(&text) {
                    return wrong(&format!("`{many}` and `{each}`"));
                }
            }
            (_, Language::Python) => tail.push_str(text),
            _ => return wrong("the end of the code"),
        }
    }
    let (inputs, outputs) = named(system);
    let expected = format!("{function}.inputs = [{}]{function}.outputs = [{}]", inputs.join(","), outputs.join(","));
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    if !tail.is_empty() && plain(&tail) != plain(&expected) {
        return Err("the names behind the function are not those of its inputs and outputs".into());
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

/// Whether a declaration of Fortran fits.
fn fortran(line: &str, inputs: usize, outputs: usize) -> bool {
    line == "integer, parameter :: dp = kind(1.0d0)"
        || line == format!("real(dp), intent(in) :: x({inputs})")
        || line == format!("real(dp), intent(out) :: y({outputs})")
        || line
            .strip_prefix("real(dp) :: t(")
            .and_then(|rest| rest.strip_suffix(')'))
            .is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The inputs and outputs that the comments of code name, if they are others than those of the system.
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
    Some(Reading { outputs: Some(outputs), args: Some(inputs), opaque, ..Reading::default() })
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
