//! The minimal inputs of outside evaluations: each gives what the page of their folder asks.

use soloist_expressions::{Effort, Language, Reading, Simplifier, emit, parse_with, verify_code};
use std::sync::Arc;

/// A row: file, outputs as they are read (empty: not compared), most operations, calls, divisions.
type Row = (&'static str, &'static str, u64, usize, usize);

const ROWS: [Row; 27] = [
    ("straight_line_no_parens.txt", "", 7, 0, 0),
    ("straight_line_small.txt", "", 3, 0, 0),
    ("list.txt", "a^2+b a*b", 3, 0, 0),
    ("maple_list.txt", "a*b c*b", 2, 0, 0),
    ("sympy_matrix_column.txt", "a*b c", 1, 0, 0),
    ("sympy_matrix.txt", "a^2+b a*b c d", 3, 0, 0),
    ("math_functions.txt", "sin(x+y)^2+cos(x+y)^2", 4, 2, 0),
    ("math_wtt.txt", "", 7, 0, 1),
    ("math_fullform.txt", "a^2+2*a*b+1/2*b", 5, 0, 0),
    ("ccode.txt", "I2*r2^2+m2*r2^4", 4, 0, 0),
    ("cform.txt", "a^2+2*a*b", 3, 0, 0),
    ("sympy_S.txt", "3*a+1/2*b", 3, 0, 0),
    ("denominators.txt", "", 6, 0, 1),
    ("denominator_product.txt", "", 6, 0, 2),
    ("powers.txt", "", u64::MAX, usize::MAX, 0),
    ("maxima.txt", "a^2+b a*b", 3, 0, 0),
    ("matlab.txt", "a*b+a^2", 2, 0, 0),
    ("c_declaration.txt", "", 3, 0, 0),
    ("fortran.txt", "a*b+3/2*a^2", 3, 0, 0),
    ("comments.txt", "a*b+a^2", 2, 0, 0),
    ("index2.txt", "x[0,1]*y+x[0,1]*z", 2, 0, 0),
    ("form_id.txt", "", 9, 0, 2),
    ("imaginary.txt", "-a-b", 1, 0, 0),
    ("arm/arm_matrix.txt", "", 43, 4, 1),
    ("arm/arm_complete.txt", "", 40, 0, 0),
    ("published/quaternion_product.txt", "", 30, 0, 0),
    ("published/pga_motor_unit_point.txt", "", 39, 0, 0),
];

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn every_file_gives_what_its_page_asks() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/expressions");
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let mut wrong = Vec::new();
    for (name, outputs, most, calls, divisions) in ROWS {
        let text = std::fs::read(format!("{folder}/{name}")).unwrap();
        let reading = Reading { complex: name == "imaginary.txt", ..Reading::default() };
        let system = Arc::new(parse_with(name, &text, true, None, &reading).unwrap_or_else(|error| panic!("{error}")));
        let found: Vec<String> = system.outputs().map(|output| output.polynomial.to_string()).collect();
        if !outputs.is_empty() && letters(&found.join(" ")) != letters(outputs) {
            wrong.push(format!("{name}: read as {}", found.join(" ")));
        }
        let effort = if most > 20 { Effort::default() } else { Effort::playouts(50) };
        let done = Simplifier { effort, ..Simplifier::default() }.run(&system, &mut |_| ()).unwrap();
        let header = crate::common::header(&done.system, &done.best.order);
        let code = emit(&done.system, &done.best.program, Language::C, &header);
        verify_code(&done.system, &code, Language::C).unwrap_or_else(|error| panic!("{name}: {error}"));
        let counts = done.system.call_counts();
        if done.best.operations() > most || counts.0 > calls || counts.1 > divisions {
            let (operations, (calls, divisions)) = (done.best.operations(), counts);
            wrong.push(format!("{name}: {operations} operations, {calls} calls, {divisions} divisions"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
