//! Changed code: what computes another value is never accepted.

use soloist::Rng;
use soloist_expressions::{
    Float, Language, Reading, Stop, Style, System, emit_with, parse_with, simplify, verify_code,
};
use std::process::Command;

const TEXT: &str = "F = (x+y)^2*z - 3/7*x*y*z + x/3 - 12*y; G = sin(x*z+y)*cos(y)/(x+5) + sqrt(x^2+1)^3;
    M = 3/7*x; N = 12*y*z; H = Piecewise((x*y, x < y), (z*pi, y <= z), (1, True)) + (x+y)*z^2; K = Max(x, z)*2 + atan2(y, z);";

fn written(text: &str, language: Language, style: &Style) -> (System, String) {
    let system = parse_with("a", text.as_bytes(), true, None, &Reading::default()).unwrap();
    let best = simplify(&system, &system.occurrence_order(), true, Stop::never());
    let code = emit_with(&system, &best.program, language, &crate::common::header(&system, &best.order), style);
    verify_code(&system, &code, language).unwrap();
    (system, code)
}

/// Code with one change: of a sign, a digit, a name, a token or a line.
fn mutant(code: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = code.lines().map(str::to_owned).collect();
    let body: Vec<usize> = (0..lines.len()).filter(|&at| !lines[at].trim_start().starts_with('#')).collect();
    let at = body[rng.index(body.len())];
    if rng.index(12) == 0 {
        if rng.index(2) == 0 {
            lines.remove(at);
        } else {
            let other = body[rng.index(body.len())];
            lines.swap(at, other);
        }
        return lines.join("\n") + "\n";
    }
    // Words and single signs.
    let mut tokens: Vec<String> = Vec::new();
    for letter in lines[at].chars() {
        let word = letter.is_ascii_alphanumeric() || letter == '_';
        match tokens.last_mut() {
            Some(last) if word && last.ends_with(|end: char| end.is_ascii_alphanumeric() || end == '_') => {
                last.push(letter);
            }
            _ => tokens.push(letter.to_string()),
        }
    }
    let places: Vec<usize> = (0..tokens.len()).filter(|&at| !tokens[at].trim().is_empty()).collect();
    if places.is_empty() {
        return code.to_owned();
    }
    let place = places[rng.index(places.len())];
    let pick = |of: &[&str], rng: &mut Rng| of[rng.index(of.len())].to_owned();
    let token = tokens[place].clone();
    tokens[place] = match token.as_str() {
        "+" | "-" | "*" | "/" => pick(&["+", "-", "*", "/"], rng),
        "<" | "=" | ">" => pick(&["<", ">", "=", "<=", "=="], rng),
        "(" | ")" | "[" | "]" | "," | ":" | "." => match rng.index(3) {
            0 => String::new(),
            1 => format!("{token}{token}"),
            _ => pick(&["(", ")", "[", "]", ",", "."], rng),
        },
        "sin" | "cos" | "sqrt" | "atan2" | "max" => pick(&["sin", "cos", "tan", "sqrt", "exp", "atan2", "min"], rng),
        word if word.ends_with(|end: char| end.is_ascii_digit()) => match rng.index(3) {
            0 => {
                let stem = word.trim_end_matches(|end: char| end.is_ascii_digit());
                format!("{stem}{}", rng.index(12))
            }
            1 => format!("{word}{}", rng.index(10)),
            _ => pick(&["t0", "t1", "t2", "t3", "t5", "x", "2", "0", "1"], rng),
        },
        _ => match rng.index(3) {
            0 => String::new(),
            1 => format!("-{token}"),
            _ => pick(&["x", "y", "t1", "t4", "1", "if", "else"], rng),
        },
    };
    lines[at] = tokens.concat();
    lines.join("\n") + "\n"
}

/// Python code is changed at random, and Python says which changes matter.
#[test]
#[cfg_attr(not(python), ignore = "needs python3")]
fn changes_of_values_are_found() {
    let style = Style { names: true, ..Style::default() };
    let (system, code) = written(TEXT, Language::Python, &style);
    let mut rng = Rng::new(7);
    let mutants: Vec<String> = (0..1500).map(|_| mutant(&code, &mut rng)).collect();
    let folder = crate::common::folder();
    std::fs::write(folder.path().join("mutants.json"), serde_json::to_string(&(&code, &mutants)).unwrap()).unwrap();
    let script = "
import json, math, sys
code, mutants = json.load(open(sys.argv[1]))
points = [[0.5, -1.25, 2.0], [1.5, 2.25, -0.75], [-2.0, 0.25, 0.5], [3.0, 1.0, 1.0]]
def values(text):
    names = {}
    exec(compile(text, 'mutant', 'exec'), names)
    found = [names['f'](list(point)) for point in points]
    return found, names['f'].inputs, names['f'].outputs
def same(a, b):
    return isinstance(b, (int, float)) and abs(a - b) <= 1e-9*(1 + abs(a))
expected, inputs, outputs = values(code)
for text in mutants:
    try:
        found, *names = values(text)
        agrees = names == [inputs, outputs] and all(
            len(e) == len(f) and all(map(same, e, f)) for e, f in zip(expected, found))
        print('same' if agrees else 'differs')
    except BaseException:
        print('error')
";
    let done = Command::new("python3")
        .args(["-W", "ignore", "-c", script])
        .arg(folder.path().join("mutants.json"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let verdicts = String::from_utf8(done.stdout).unwrap();
    let differing: Vec<&String> =
        mutants.iter().zip(verdicts.lines()).filter(|(_, verdict)| *verdict == "differs").map(|(one, _)| one).collect();
    assert!(differing.len() >= 200, "{} mutants compute something else", differing.len());
    for mutant in differing {
        assert!(verify_code(&system, mutant, Language::Python).is_err(), "accepted:\n{mutant}");
    }
}

/// A language, its type of numbers, and what is replaced by what.
type Changes = (Language, Option<Float>, &'static [(&'static str, &'static str)]);

/// Changes of types, literals, strides, declarations and calls of compiled code.
#[test]
fn changes_of_what_is_compiled_are_found() {
    let changes: [Changes; 7] = [
        (
            Language::C,
            None,
            &[
                ("double *restrict y", "float *restrict y"),
                ("const double *x", "const float *x"),
                ("void f(", "double f("),
                ("(3.0/7.0)", "(3/7)"),
                ("(3.0/7.0)", "(3.0f/7.0)"),
                ("    double t", "    float t"),
                ("    double t", "    int t"),
                ("x + 3*i", "x + 2*i"),
                ("y + 6*i", "y + 5*i"),
                ("i < n", "i <= n"),
                ("i = 0", "i = 1"),
                ("// x[0] = x", "// x[0] = z"),
                ("= sqrt(", "= cbrt("),
                ("fmax(", "fmin("),
                (" < ", " <= "),
                (" ? ", " + 1.0 ? "),
                ("3.14159265358979323846", "3.14159265358979323864"),
                ("= atan2(", "= fmin("),
                ("#include <math.h>", "#define sin cos"),
                ("}\n\n//", "    y[0] = 1.0;\n}\n\n//"),
            ],
        ),
        (
            Language::C,
            Some(Float::Quad),
            &[
                ("3.0Q/7.0Q", "3.0/7.0Q"),
                ("12.0Q", "12.0"),
                ("sinq(", "sin("),
                ("    __float128 t", "    double t"),
                ("3.14159265358979323846264338327950288420Q", "3.14159265358979323846Q"),
                ("const __float128 *x", "const double *x"),
            ],
        ),
        (
            Language::Cpp,
            None,
            &[
                ("T(12)", "12.5"),
                ("T(3)/T(7)", "3/7"),
                ("using std::sin;", "using std::sin; using cos = x;"),
                ("    T t", "    double t"),
                ("const T *x", "const double *x"),
                ("x + 3*i", "x + 4*i"),
                ("T(141592653)", "T(141592654)"),
            ],
        ),
        (
            Language::Rust,
            None,
            &[
                ("&[f64; 3]", "&[f64; 4]"),
                ("12.0", "12"),
                ("f64::sin", "f64::cos"),
                ("f64::consts::PI", "f64::consts::E"),
            ],
        ),
        (
            Language::Rust,
            Some(Float::Generic),
            &[
                ("f64::sin(self)", "f64::cos(self)"),
                ("value.into()", "1.0"),
                ("value as f32", "value as f64 as f32 + 1.0"),
                ("T::whole(12)", "T::whole(13)"),
                ("<T: Number>", "<T: Other>"),
                ("f32::max(self, other)", "f32::max(other, self)"),
            ],
        ),
        (
            Language::Fortran,
            None,
            &[
                ("12.0_dp", "12.0"),
                ("kind(1.0d0)", "kind(1.0)"),
                ("real(dp) :: t", "real :: t"),
                ("x(3)\n", "x(4)\n"),
                ("3.0_dp/7.0_dp", "3/7"),
                ("merge(", "max("),
                ("intent(in)", "intent(inout)"),
            ],
        ),
        (
            Language::Python,
            None,
            &[("math.sin", "math.cos"), ("[0]*6", "[0]*5"), ("math.nan", "0"), ("return y", "return x")],
        ),
    ];
    for (language, float, pairs) in changes {
        let style = Style { float, ..Style::default() };
        let (system, code) = written(TEXT, language, &style);
        for (from, to) in pairs {
            assert!(code.contains(from), "{from} is not in\n{code}");
            let changed = code.replacen(from, to, 1);
            assert!(verify_code(&system, &changed, language).is_err(), "{language:?}: {from} as {to} is accepted");
        }
    }
}

/// Each line around the statements of the function, taken away, doubled or exchanged with the next one.
#[test]
fn lines_around_the_function_are_all_there_and_in_order() {
    let kept = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("//") || line.starts_with("# ") || line.starts_with("#include")
    };
    for language in [Language::C, Language::Cpp, Language::Python] {
        // Python guards the call that a conditional may not take.
        let (system, code) =
            written("F = Piecewise((log(x), x < y), (1, True)); G = x/(y+1);", language, &Style::default());
        let lines: Vec<&str> = code.lines().collect();
        let begin = lines.iter().position(|line| line.starts_with("def _value")).unwrap_or(lines.len());
        let end = lines.iter().rposition(|line| *line == "}" || *line == "    return y");
        let behind = match language {
            Language::Python => end.unwrap() + 1..lines.len(),
            _ => lines.iter().position(|line| line.contains("f_many(")).unwrap()..lines.len(),
        };
        let guard = begin..(begin + 6).min(lines.len());
        let places: Vec<usize> = guard.chain(behind).filter(|&at| !kept(lines[at])).collect();
        assert!(places.len() >= if language == Language::Python { 7 } else { 4 }, "{code}");
        for (index, &at) in places.iter().enumerate() {
            let (mut without, mut twice, mut swapped) = (lines.clone(), lines.clone(), lines.clone());
            without.remove(at);
            twice.insert(at, lines[at]);
            let next = places[(index + 1) % places.len()];
            swapped.swap(at, next);
            for changed in [without, twice, swapped].iter().filter(|changed| **changed != lines) {
                let changed = changed.join("\n") + "\n";
                assert!(verify_code(&system, &changed, language).is_err(), "accepted:\n{changed}");
            }
        }
    }
}
