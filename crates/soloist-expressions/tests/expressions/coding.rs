//! Code is written, read back, compiled and run. Solutions are checked and drawn.

use crate::common::folder;
use serde_json::json;
use soloist::{Budget, Method, Setup};
use soloist_domain::{Options, Request, Unobserved};
use soloist_expressions::{
    DOMAIN, Header, Language, Signs, Simplified, Stop, System, check, check_at, code_counts, emit, parse, simplify,
    verify_code, verify_exactly, verify_program,
};
use std::path::PathBuf;
use std::process::Command;

/// A system with everything that code can hold: several outputs, fractions, big numbers, a constant, opaque inputs.
const TEXT: &str = "F = (x+y)^2*z - 3/7*x*y*z + 12345678901234567890*x - 2;
    G = sin(x)*y^5 - x^-2*(x+y)^2 + 1/2; H = 0; K = -5; L = x; M = -y; N = F*G;";

fn header<'a>(system: &System, order: &'a [usize]) -> Header<'a> {
    Header { function: "f", source: "a \n*/ test", input: system.counts(), order, exceptions: 3 }
}

fn written(text: &str, language: Language) -> (System, Simplified, String) {
    let system = parse("a", text.as_bytes(), true).unwrap();
    let order = system.occurrence_order();
    let best = simplify(&system, &order, true, Stop::never());
    let code = emit(&system, &best.program, language, &header(&system, &order));
    (system, best, code)
}

#[test]
fn every_language_computes_the_input_and_costs_what_is_said() {
    for language in Language::ALL {
        for text in [TEXT, "0", "7", "x", "-x", "x*y/3", "(a+b)^99*c + (a+b)^33"] {
            let (system, best, code) = written(text, language);
            let verified = verify_code(&system, &code, language).unwrap();
            assert_eq!(verified.counts, code_counts(&system, &best.program), "{code}");
            assert!(verified.error_bits(best.program.degree()) > 100);
        }
    }
}

#[test]
fn long_sums_go_on_in_further_statements() {
    let text: String = (0..300).map(|at| format!("+{}*x{at}", at + 2)).collect();
    for language in Language::ALL {
        let (system, best, code) = written(&text, language);
        assert!(language == Language::Json || code.lines().all(|line| line.len() < 132), "{code}");
        assert_eq!(verify_code(&system, &code, language).unwrap().counts, code_counts(&system, &best.program));
    }
}

/// Multiplying out makes numbers longer than those that the reader takes: such code is run at points only.
#[test]
fn code_of_very_long_numbers_is_verified() {
    let number = "7".repeat(6_000);
    let (system, best, code) = written(&format!("{number}*(x + {number}*y) + z"), Language::Form);
    let verified = verify_program(&system, &best.program, &code, Language::Form, &code).unwrap();
    assert_eq!((verified.points, verified.exact), (3, false));
}

#[test]
fn changed_code_is_found_out() {
    for language in [Language::C, Language::Rust, Language::Python, Language::Fortran, Language::Form] {
        let (system, _, code) = written("x*y+y*z+2*z*x-3", language);
        assert!(verify_code(&system, &code, language).is_ok());
        let body = code.rfind("y[0] =").or(code.rfind("y(1) =")).or(code.rfind("f =")).unwrap();
        for (from, to) in [(" + ", " - "), ("3", "4"), ("2", "3"), ("*", "*2*"), (" = ", " = 1 + ")] {
            let Some(at) = code[body..].find(from).map(|at| at + body) else { continue };
            let changed = format!("{}{to}{}", &code[..at], &code[at + from.len()..]);
            assert!(verify_code(&system, &changed, language).is_err(), "{changed}");
        }
        assert!(verify_code(&system, "", language).is_err());
        assert!(verify_code(&system, &code[..code.len() / 2], language).is_err());
    }
    let (system, _, form) = written("x*y+y*z+2*z*x-3", Language::Form);
    assert!(verify_exactly(&system, &form.replacen("+ 2*", "+ 3*", 1).replacen("2*", "3*", 1)).is_err());
}

/// A system for compiled code, its inputs, and what it must compute.
fn example() -> (System, Vec<f64>, Vec<f64>) {
    let text = "F = (x+y)^2*z - 3/4*x*y*z + 5*x - 2; G = f(x)*y^5 - x^-1*(x+y)^2 + 1/2; H = 0;
        K = sin(x*z+y)*cos(y)/(x-y) + sqrt(x+z)^3 + (x+1)^(2/3) - 1/(2*y-2*x) + exp(z)*tan(z) + x^z + log(x)*abs(y);
        L = atan2(y, x) + asin(z) + acos(z) + atan(x) + sinh(z) + cosh(z) + tanh(z) + 1/((x+z)*(y+z));";
    let system = parse("a", text.as_bytes(), true).unwrap();
    let (x, y, z, f) = (2.0_f64, -3.0_f64, 0.5_f64, 7.0);
    let given = system.given();
    let values = given.into_iter().map(|symbol| match system.symbols()[symbol].as_str() {
        "x" => x,
        "y" => y,
        "z" => z,
        "f(x)" => f,
        other => panic!("{other}"),
    });
    let last = y.atan2(x) + z.asin() + z.acos() + x.atan() + z.sinh() + z.cosh() + z.tanh() + 1.0 / ((x + z) * (y + z));
    let functions = (x * z + y).sin() * y.cos() / (x - y) + (x + z).powf(1.5) + (x + 1.0).powf(2.0 / 3.0)
        - 1.0 / (2.0 * y - 2.0 * x)
        + z.exp() * z.tan()
        + x.powf(z)
        + x.ln() * y.abs();
    let outputs = vec![1.0 * z - 0.75 * x * y * z + 5.0 * x - 2.0, f * -243.0 - 0.5 + 0.5, 0.0, functions, last];
    (system.clone(), values.collect(), outputs)
}

/// Compiles and runs a program that prints the outputs.
fn output(compiler: &str, arguments: &[&str], program: Option<&PathBuf>) -> Vec<f64> {
    let done = Command::new(compiler).args(arguments).output();
    let done = done.unwrap_or_else(|error| panic!("{compiler} is needed: {error}"));
    assert!(done.status.success(), "{compiler}: {}", String::from_utf8_lossy(&done.stderr));
    let done = program.map_or(done, |program| Command::new(program).output().unwrap());
    let text = String::from_utf8(done.stdout).unwrap();
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn run_code(language: Language, compiler: &str, file: &str, main: impl Fn(&[f64]) -> String) {
    let (system, inputs, expected) = example();
    let order = system.occurrence_order();
    let best = simplify(&system, &order, true, Stop::never());
    let code = emit(&system, &best.program, language, &header(&system, &order));
    let folder = folder();
    let path = folder.path().join(file);
    std::fs::write(&path, format!("{code}\n{}", main(&inputs))).unwrap();
    let (path, binary) = (path.to_str().unwrap().to_owned(), folder.path().join("program"));
    let target = binary.to_str().unwrap().to_owned();
    let found = match language {
        Language::Python => output(compiler, &[&path], None),
        Language::C => {
            let strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"];
            output(compiler, &[&strict[..], &["-o", &target, &path, "-lm"]].concat(), Some(&binary))
        }
        Language::Fortran => output(compiler, &["-std=f95", "-Wall", "-o", &target, &path], Some(&binary)),
        _ => output(compiler, &["--edition", "2021", "-D", "warnings", "-o", &target, &path], Some(&binary)),
    };
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-12, "{language:?}: {found} for {expected}");
    }
}

fn list(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn rust_code_compiles_and_runs() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    run_code(Language::Rust, &rustc, "main.rs", |inputs| {
        let list = list(inputs);
        format!("fn main() {{ let mut y = [9.0; 5]; f(&[{list}], &mut y); for v in y {{ println!(\"{{v}}\"); }} }}")
    });
}

#[test]
#[cfg_attr(not(c_compiler), ignore = "needs cc")]
fn c_code_compiles_and_runs() {
    run_code(Language::C, "cc", "main.c", |inputs| {
        let list = list(inputs);
        format!(
            "#include <stdio.h>\nint main(void) {{ const double x[] = {{{list}}}; double y[5]; f_many(1, x, y); \
             for (int i = 0; i < 5; i++) printf(\"%.17g\\n\", y[i]); return 0; }}\n"
        )
    });
}

#[test]
#[cfg_attr(not(python), ignore = "needs python3")]
fn python_code_runs() {
    run_code(Language::Python, "python3", "main.py", |inputs| format!("print(*f([{}]))\n", list(inputs)));
}

#[test]
#[cfg_attr(not(fortran_compiler), ignore = "needs gfortran")]
fn fortran_code_compiles_and_runs() {
    run_code(Language::Fortran, "gfortran", "main.f90", |inputs| {
        let list: Vec<String> = inputs.iter().map(|value| format!("{value:?}d0")).collect();
        format!(
            "program main\n    double precision :: x({}), y(5)\n    x = (/ {} /)\n    call f(x, y)\n    print *, y\n\
             end program main\n",
            inputs.len(),
            list.join(", ")
        )
    });
}

#[test]
fn solutions_are_checked() {
    let system = parse("a", b"x^3*y^2+x^2*y+x^3*z", true).unwrap();
    let check = |text: &str| check(&system, text, Signs::Canonical);
    for good in [
        r#"["x", "y", "z"]"#,
        r#"{"order": ["x", "y", "z"]}"#,
        r#"{"order": ["x", "y", "z"], "operations": 6, "additions": 2, "multiplications": 4, "powers": 0}"#,
        r#"{"problem": "horner", "score": 6, "moves": ["x", "z", "y"], "solution": {"order": ["x", "y", "z"]}}"#,
        "void f(const double *restrict x, double *restrict y)\n{\n    double t0 = x[0]*x[0];\n    y[0] = t0*(x[1] + x[0]*(x[1]*x[1] + x[2]));\n}",
        "f = x*x*(y + x*(y*y + z));",
    ] {
        assert_eq!(check(good).unwrap().score, 6.0, "{good}");
    }
    for (bad, message) in [
        (r#"["x", "y"]"#, "variable 'z' is missing"),
        (r#"["x", "y", "y", "z"]"#, "variable 'y' does not exist or comes twice"),
        (r#"["x", "y", "w"]"#, "variable 'w' does not exist or comes twice"),
        (r#"["x", 3]"#, "3 is not a name"),
        (r#"{"order": ["x", "y", "z"], "operations": 5}"#, "claims the operations '5', recomputed: 6"),
        (r#"{"order": ["x", "y", "z"], "additions": 1}"#, "claims the additions '1', recomputed: 2"),
        (r#"{"score": 7, "solution": {"order": ["x", "y", "z"]}}"#, "claims the score '7', recomputed: 6"),
        (r#"{"problem": "snake", "solution": {"order": []}}"#, "a solution of '\"snake\"', expected horner"),
        (r#"{"solution": null}"#, "holds no solution"),
        ("{}", "no list `order`"),
        (r#"{"order": "x"}"#, "`order` is not a list"),
        ("f = x*x*(y + x*(y*y - z));", "output 'f' differs from the input modulo 2305843009213693951"),
        ("f = x*x*(y + x*(y*y + q));", "line 1: a name that was not assigned, found '))'"),
        ("g = x;", "output 'f' is not assigned"),
        ("x = y; f = x;", "line 1: assigns to an input"),
        ("nonsense", "line 1: 'nonsense' is no assignment"),
        ("a\nb", "line 1: 'a\\nb' is no assignment"),
    ] {
        let found = check(bad).unwrap_err();
        assert!(found == message || found.replace('\'', "") == message.replace('\'', ""), "{bad}: {found}");
    }
}

#[test]
fn domain_is_registered_and_solves() {
    let domain = DOMAIN;
    let options = Options::from([("direction".into(), "backward".into()), ("sign".into(), "keep".into())]);
    for options in [Options::new(), options] {
        let instance = (domain.load)("random:6x40x5:2", &options).unwrap();
        assert!(instance.describe().starts_with("30 terms in 6 variables, "), "{}", instance.describe());
        for preset in Method::presets() {
            let budget = Budget { nodes: Some(3_000), ..Budget::playouts(60) };
            let request = Request { setup: Some(Setup::from(preset).seed(1)), budget, ..Request::default() };
            let report = instance.solve(request, &mut Unobserved).unwrap();
            let Some(score) = report.score().and_then(|score| score.value()) else { continue };
            let result =
                json!({ "problem": "horner", "score": score, "moves": report.moves(), "solution": report.solution() });
            assert_eq!(instance.check(&result.to_string()).unwrap().score, score, "{}", preset.name);
            assert!(instance.text(report.solution()).starts_with(&format!("{score} operations")));
        }
    }
}

/// The proof behind `bound=optimum` ends when it is asked to. The instance then works with its other bound.
#[test]
fn a_proof_can_be_ended() {
    let options = Options::from([("bound".to_owned(), "optimum".to_owned())]);
    let mut instance = (DOMAIN.load)("random:6x40x5:2", &options).unwrap();
    let counting = instance.bound().unwrap();
    let mut asked = 0;
    let undone = instance.prepare(&mut || {
        asked += 1;
        asked < 16
    });
    assert_eq!(
        undone.unwrap().unwrap(),
        "the best order is not proven (25.0 % of the sets of variables visited): bound by counting"
    );
    assert_eq!((asked, instance.bound()), (16, Some(counting)));
    assert_eq!(instance.prepare(&mut || true), Ok(None));
    let proven = instance.bound().unwrap();
    assert!(proven > counting);
    assert_eq!(DOMAIN.open("random:6x40x5:2", &options).unwrap().bound(), Some(proven));
    let report = instance.solve(Request { budget: Budget::playouts(3_000), ..Request::default() }, &mut Unobserved);
    let report = report.unwrap();
    assert_eq!((report.optimal, report.score().and_then(|score| score.value())), (true, Some(proven)));
}

#[test]
fn drawing_is_sound_on_anything() {
    let folder = folder();
    for (at, text) in ["x^3*y^2+x^2*y+x^3*z", "0", "a<b", "f(x)*[a&b]"].into_iter().enumerate() {
        let path = folder.path().join(format!("{at}.txt"));
        std::fs::write(&path, text).unwrap();
        let Ok(instance) = (DOMAIN.load)(path.to_str().unwrap(), &Options::new()) else { continue };
        for solution in [json!(null), json!({"order": ["y", "q", 7, "y"]}), json!(3)] {
            let svg = instance.svg(&solution);
            assert!(
                svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf")
            );
            assert!(!svg.contains("a&b"));
            assert!(!instance.text(&solution).is_empty());
        }
    }
}

/// Code whose difference from the input vanishes modulo primes that are known, and modulo any prime at known points.
#[test]
fn forged_code_is_invalid() {
    let system = parse("a", b"f = x + y*z; g = x*y+z;", true).unwrap();
    let best = simplify(&system, &system.occurrence_order(), true, Stop::never());
    let code = emit(&system, &best.program, Language::C, &crate::common::header(&system, &best.order));
    let (first, other) = (num_bigint::BigInt::from((1_u64 << 61) - 1), num_bigint::BigInt::from((1_u64 << 62) - 57));
    for factor in [&first * &other, first.clone(), &first * &other * ((1_u64 << 61) - 31)] {
        let forged = code.replacen("    y[0] = ", &format!("    y[0] = {factor}.0*x[0]*x[1] + "), 1);
        assert!(forged != code);
        let error = check(&system, &forged, Signs::Canonical).unwrap_err();
        assert!(error.contains("output 'f' differs from the input"), "{error}");
        assert!(verify_code(&system, &forged, Language::C).is_err());
    }
    // The seed is drawn for each check, and repeats it.
    let summary = |seed: Option<u64>| match seed {
        Some(seed) => check_at(&system, &code, Signs::Canonical, seed).unwrap().summary,
        None => check(&system, &code, Signs::Canonical).unwrap().summary,
    };
    assert!(summary(Some(7)).ends_with("at 3 random points (seed 7)"));
    assert_ne!(summary(None), summary(None));
}

/// A constant that a prime of verification divides takes another prime.
#[test]
fn primes_that_divide_a_constant_are_replaced() {
    for text in [
        "f = x/2305843009213693951 + y;",
        "f = a/(4611686018427387902*x) + 1/2305843009213693951",
        "f = 2305843009213693951*x + 1/y",
    ] {
        let system = parse("a", text.as_bytes(), true).unwrap();
        let best = simplify(&system, &system.occurrence_order(), true, Stop::never());
        for language in Language::ALL {
            let code = emit(&system, &best.program, language, &crate::common::header(&system, &best.order));
            verify_code(&system, &code, language).unwrap_or_else(|error| panic!("{text}: {error}\n{code}"));
        }
    }
}
