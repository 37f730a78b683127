//! Every language with every type of numbers: code is compiled with its self-test and run.

use soloist_expressions::{
    Effort, Float, Language, Reading, Simplified, Simplifier, Stop, Style, System, code_counts, emit_header,
    emit_self_test, emit_with, parse_with, simplify, verify_code,
};
use std::process::Command;
use std::sync::Arc;

/// Functions, roots, conditionals, constants, fractions and long numbers.
const FUNCTIONS: &str = "F = (x+y)^2*z - 3/7*x*y*z + x/3 + 1234567890123*y/7; G = sin(x*z+y)*cos(y)/(x+5) + sqrt(x^2+1)^3;
    H = exp(z/4)*2 + x^(2/3)*0 + (x^2+1)^(2/3) + (y^2+2)^z + pi*x + E + cbrt(x-2); K = Piecewise((x*y, x < y), (z, y <= z), (1, True));
    L = Max(x, y)*abs(z) + floor(2*x) + ceil(3*y) + atan2(y, x) + sign(z); M = tanh(x) + log(y^2+1) + asin(x/9) + acosh(x^2+1);";
const FRACTIONS: &str = "F = x/3; G = (x+y)^2*z/7 - 2/3*x*y*z + 12345678901234567890123*x - 2; H = 1/(x^2+1); K = 1/7;
    L = 0; M = Piecewise((x, Eq(y, 0)), (1/y, True));";
const COMPLEX: &str =
    "F = (x+I*y)^2*z/3 + I*pi; G = exp(I*x)*sin(y/4) + sqrt(z+5*I) + 1/(x+2*I) + (z+9)^(1/3) + x^2*abs(y);
    H = log(x+7) + (z+4)^y + cos(x/2)*tanh(y/8) + atan(x/9) + asin(y/9) + acosh(x/5 + 3);";

fn system(text: &str, complex: bool) -> System {
    parse_with("a", text.as_bytes(), true, None, &Reading { complex, ..Reading::default() }).unwrap()
}

/// Writes, verifies, compiles and runs code with its self-test. `change` edits the code. Returns whether the test said
/// that all agrees.
fn agrees(text: &str, complex: bool, language: Language, style: &Style, change: &dyn Fn(&str) -> String) -> bool {
    let system = system(text, complex);
    let best = simplify(&system, &system.occurrence_order(), true, Stop::never());
    compiled(&system, &best, language, style, change)
}

/// As [`agrees`], of a program.
fn compiled(
    system: &System,
    best: &Simplified,
    language: Language,
    style: &Style,
    change: &dyn Fn(&str) -> String,
) -> bool {
    let complex = system.is_complex();
    assert_eq!(style.refuses(language, complex), None);
    let header = crate::common::header(system, &best.order);
    let code = emit_with(system, &best.program, language, &header, style);
    let verified = verify_code(system, &code, language).unwrap_or_else(|error| panic!("{error}\n{code}"));
    assert_eq!((verified.counts, verified.calls), (code_counts(system, &best.program), system.call_counts()), "{code}");
    let (end, program) = match language {
        Language::C => ("c", "cc"),
        Language::Cpp => ("cpp", "g++"),
        Language::Rust => ("rs", "rustc"),
        Language::Fortran => ("f90", "gfortran"),
        _ => ("py", "python3"),
    };
    let file = format!("code.{end}");
    let test = emit_self_test(system, language, &header, style, &file).unwrap();
    let folder = crate::common::folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path(&file), change(&code)).unwrap();
    std::fs::write(path(&format!("test.{end}")), test).unwrap();
    if let Some(name) = &style.header {
        std::fs::write(path(name), emit_header(system, &header, style)).unwrap();
    }
    let (code, test, binary) = (path(&file), path(&format!("test.{end}")), path("program"));
    let quad = style.float == Some(Float::Quad);
    let gnu = if quad || complex { "-std=gnu11" } else { "-std=c99" };
    let strict = ["-Wall", "-Wextra", "-Werror"];
    let call: Vec<&str> = match language {
        Language::C if style.header.is_some() => {
            // C++ calls C code through its header.
            build("cc", &["-c", &code, "-o", &path("code.o")]);
            let text = std::fs::read_to_string(&test).unwrap();
            let begin = text.find("\nvoid ").unwrap();
            let end = begin + text[begin..].find("\n\n").unwrap();
            let included =
                format!("{}\n#include \"{}\"{}", &text[..begin], style.header.as_ref().unwrap(), &text[end..]);
            std::fs::write(path("test.cc"), included).unwrap();
            build("g++", &["-o", &binary, &path("test.cc"), &path("code.o"), "-lquadmath", "-lm"]);
            vec![]
        }
        Language::C => [&[gnu, "-o", &binary, &code, &test][..], &strict, &["-lquadmath", "-lm"]].concat(),
        Language::Cpp => [&["-std=c++11", "-o", &binary, &test][..], &strict].concat(),
        Language::Rust => vec!["--edition", "2021", "-D", "warnings", "-A", "dead_code", "-o", &binary, &test],
        Language::Fortran => vec!["-std=f2008", "-Wall", "-o", &binary, &code, &test],
        _ => vec![],
    };
    if !call.is_empty() {
        build(program, &call);
    }
    let mut run = if language == Language::Python { Command::new(program) } else { Command::new(&binary) };
    if language == Language::Python {
        run.arg(&test);
    }
    let done = run.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.success(), said.contains("values agree"), "{said}{}", String::from_utf8_lossy(&done.stderr));
    done.status.success()
}

fn build(program: &str, arguments: &[&str]) {
    let program =
        if program == "rustc" { std::env::var("RUSTC").unwrap_or_else(|_| program.into()) } else { program.into() };
    let done = Command::new(&program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
}

fn all_agree(language: Language, floats: &[Float], complex: bool) {
    let texts: &[&str] = if complex { &[COMPLEX] } else { &[FUNCTIONS, FRACTIONS] };
    for &float in floats {
        for (at, text) in texts.iter().enumerate() {
            let names = at == 1;
            let style =
                Style { float: Some(float), names, prefix: names.then(|| "part".to_owned()), ..Style::default() };
            assert!(agrees(text, complex, language, &style, &str::to_owned), "{language:?} {float:?} {complex}");
        }
    }
    for (at, text) in texts.iter().enumerate().filter(|_| language == Language::C) {
        let named = Style { float: Some(floats[at % floats.len()]), names: true, ..Style::default() };
        let plain = Style { float: Some(floats[(at + 1) % floats.len()]), ..Style::default() };
        for style in [named, plain] {
            let blocks = Style { blocks: true, ..style.clone() };
            assert!(agrees(text, complex, language, &blocks, &str::to_owned), "{blocks:?}");
            // A block of another size than that of the caller.
            let wrong = |code: &str| code.replacen("w < 8", "w < 7", 1);
            assert!(!agrees(text, complex, language, &blocks, &wrong), "{blocks:?}");
            let pieces = Style { split: Some(5), ..style };
            assert!(agrees(text, complex, language, &pieces, &str::to_owned), "{pieces:?}");
            let wrong = |code: &str| code.replacen("\n    y[0] = ", "\n    y[0] = 1.0e30 + ", 1);
            assert!(!agrees(text, complex, language, &pieces, &wrong), "{pieces:?}");
        }
    }
    // The test finds what is wrong.
    let style = Style { float: Some(floats[0]), ..Style::default() };
    let change = |code: &str| code.replacen("] + x[", "] - x[", 1).replacen(") + x(", ") - x(", 1);
    assert!(!agrees("F = x*y + z", complex, language, &style, &change), "{language:?}");
}

#[test]
#[cfg_attr(not(c_compiler), ignore = "needs cc")]
fn c_of_all_types() {
    all_agree(Language::C, &[Float::Double, Float::Single, Float::Long, Float::Quad], false);
    all_agree(Language::C, &[Float::Double, Float::Quad], true);
}

#[test]
#[cfg_attr(not(cpp_compiler), ignore = "needs g++")]
fn cpp_of_all_types() {
    all_agree(Language::Cpp, &[Float::Generic], false);
    all_agree(Language::Cpp, &[Float::Generic], true);
    // C code with a header is called from C++.
    let style = Style { header: Some("code.h".into()), ..Style::default() };
    for style in [style.clone(), Style { blocks: true, ..style.clone() }, Style { split: Some(4), ..style }] {
        assert!(agrees(FRACTIONS, false, Language::C, &style, &str::to_owned), "{style:?}");
    }
}

#[test]
fn rust_of_all_types() {
    all_agree(Language::Rust, &[Float::Double, Float::Single, Float::Generic], false);
}

#[test]
#[cfg_attr(not(fortran_compiler), ignore = "needs gfortran")]
fn fortran_of_all_types() {
    all_agree(Language::Fortran, &[Float::Double, Float::Single, Float::Long, Float::Quad], false);
    all_agree(Language::Fortran, &[Float::Double, Float::Quad], true);
}

/// Outputs with their derivatives, by reverse mode and as polynomials.
fn gradients_agree(language: Language) {
    for text in ["F = (a+b)^3*c - 2*a*b*c^2 + a^2/3; G = a*b - c", "F = a*b*c*d*e*f*g"] {
        let system = Arc::new(system(text, false));
        let simplifier = Simplifier { effort: Effort::playouts(20), ..Simplifier::default() };
        let done = simplifier.run_with_gradient(&system, &mut |_| ()).unwrap();
        let outputs = system.outputs().count();
        assert_eq!(done.system.outputs().count(), outputs * (1 + system.inputs().len()));
        let style = Style::default();
        assert!(compiled(&done.system, &done.best, language, &style, &str::to_owned), "{language:?}");
        if language == Language::C {
            for style in [Style { blocks: true, ..style.clone() }, Style { split: Some(3), ..style }] {
                assert!(compiled(&done.system, &done.best, language, &style, &str::to_owned), "{style:?}");
            }
        }
    }
}

#[test]
#[cfg_attr(not(c_compiler), ignore = "needs cc")]
fn gradients_in_c() {
    gradients_agree(Language::C);
}

#[test]
#[cfg_attr(not(cpp_compiler), ignore = "needs g++")]
fn gradients_in_cpp() {
    gradients_agree(Language::Cpp);
}

#[test]
fn gradients_in_rust() {
    gradients_agree(Language::Rust);
}

#[test]
#[cfg_attr(not(fortran_compiler), ignore = "needs gfortran")]
fn gradients_in_fortran() {
    gradients_agree(Language::Fortran);
}

#[test]
#[cfg_attr(not(python), ignore = "needs python3")]
fn gradients_in_python() {
    gradients_agree(Language::Python);
}

#[test]
#[cfg_attr(not(python), ignore = "needs python3")]
fn python_of_all_types() {
    all_agree(Language::Python, &[Float::Double], false);
    all_agree(Language::Python, &[Float::Double], true);
}

/// A third in quadruple precision: no division of shorter numbers stands in the code.
#[test]
#[cfg_attr(not(c_compiler), ignore = "needs cc")]
fn fractions_keep_the_precision_of_their_type() {
    let system = system("F = x/3", false);
    let best = simplify(&system, &[0], true, Stop::never());
    let style = Style { float: Some(Float::Quad), ..Style::default() };
    let code = emit_with(&system, &best.program, Language::C, &crate::common::header(&system, &best.order), &style);
    let folder = crate::common::folder();
    let (path, binary) = (folder.path().join("a.c"), folder.path().join("a"));
    let main = "\n#include <stdio.h>\nint main(void)\n{\n    __float128 x = 1.0Q, y;\n    f(&x, &y);\n    \
                __float128 off = 3.0Q*y - 1.0Q;\n    printf(\"%.3e\\n\", (double)(off < 0 ? -off : off));\n    return 0;\n}\n";
    std::fs::write(&path, format!("{code}{main}")).unwrap();
    build("cc", &["-std=gnu11", "-o", binary.to_str().unwrap(), path.to_str().unwrap()]);
    let said = String::from_utf8(Command::new(&binary).output().unwrap().stdout).unwrap();
    assert!(said.trim().parse::<f64>().unwrap() <= 1e-32, "{said}");
}

#[test]
fn styles_that_cannot_be_are_refused() {
    let style = |float| Style { float: Some(float), ..Style::default() };
    for (language, style, complex, message) in [
        (Language::Rust, style(Float::Quad), false, "rust code has no numbers of the type quad"),
        (Language::Python, style(Float::Single), false, "python code has no numbers of the type single"),
        (Language::Cpp, style(Float::Double), false, "cpp code has no numbers of the type double; there is generic"),
        (Language::Rust, Style::default(), true, "complex Rust code is generic"),
        (
            Language::Fortran,
            Style { header: Some("a.h".into()), ..Style::default() },
            false,
            "only C code has a header",
        ),
        (Language::Rust, Style { blocks: true, ..Style::default() }, false, "only C code has blocks"),
        (Language::Cpp, Style { split: Some(9), ..Style::default() }, false, "only C code has pieces"),
        (Language::C, Style { blocks: true, split: Some(9), ..Style::default() }, false, "code has blocks or pieces"),
        (Language::Fortran, Style { prefix: Some("y".into()), ..Style::default() }, false, "`y` cannot begin"),
    ] {
        assert!(style.refuses(language, complex).unwrap().starts_with(message), "{message}");
    }
    let system = system("1e100*x", false);
    let best = simplify(&system, &[0], true, Stop::never());
    assert!(style(Float::Single).refuses_program(Language::C, &best.program).unwrap().contains("single precision"));
    assert_eq!(style(Float::Double).refuses_program(Language::C, &best.program), None);
}

/// Code of a text, in a style.
fn code(text: &str, language: Language, float: Option<Float>) -> String {
    let simplifier = Simplifier { effort: Effort::playouts(50), ..Simplifier::default() };
    let done = simplifier.run(&Arc::new(system(text, false)), &mut |_| ()).unwrap();
    let style = Style { float, ..Style::default() };
    assert_eq!(style.refuses_program(language, &done.best.program), None, "{text}");
    let header = crate::common::header(&done.system, &done.best.order);
    let code = emit_with(&done.system, &done.best.program, language, &header, &style);
    verify_code(&done.system, &code, language).unwrap_or_else(|error| panic!("{error}\n{code}"));
    code
}

/// What a program of this text prints.
fn printed(program: &str, end: &str, text: &str, last: &[&str]) -> Vec<f64> {
    let folder = crate::common::folder();
    let (path, binary) = (folder.path().join(format!("a.{end}")), folder.path().join("a"));
    std::fs::write(&path, text).unwrap();
    let (path, binary) = (path.to_str().unwrap(), binary.to_str().unwrap());
    build(program, &[&["-o", binary, path], last].concat());
    let said = String::from_utf8(Command::new(binary).output().unwrap().stdout).unwrap();
    said.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

const PLANCK: &str = "f = 6.62607015e-34*x + y;";

#[test]
fn decimal_numbers_stay_decimal() {
    for (text, language, float, expected) in [
        (PLANCK, Language::C, None, "6.62607015e-34*x[0]"),
        (PLANCK, Language::C, Some(Float::Single), "6.62607015e-34f*x[0]"),
        (PLANCK, Language::C, Some(Float::Quad), "6.62607015e-34Q*x[0]"),
        (PLANCK, Language::Rust, Some(Float::Single), "6.62607015e-34_f32*x[0]"),
        (PLANCK, Language::Fortran, None, "6.62607015e-34_dp*x(1)"),
        (PLANCK, Language::Python, None, "6.62607015e-34*x[0]"),
        ("f = 0.1*x", Language::C, None, "0.1*x[0]"),
        ("f = 3/8*x", Language::C, None, "0.375*x[0]"),
        ("f = x/3", Language::C, None, "(1.0/3.0)*x[0]"),
        ("f = 1.5e300*x", Language::C, None, "1.5e300*x[0]"),
        ("f = 12345678901234567890123*x", Language::C, None, "12345678901234567890123.0*x[0]"),
    ] {
        let code = code(text, language, float);
        assert!(code.contains(expected), "{expected}: {code}");
    }
    for (text, float, fits) in [
        ("f = 6.6e-34*x; g = 1e-40*y", Float::Single, true),
        ("f = 1e-50*x", Float::Single, false),
        ("f = 1e39*x", Float::Single, false),
        ("f = 1e-320*x", Float::Double, true),
        ("f = 1e-400*x", Float::Double, false),
        ("f = 1e309*x", Float::Double, false),
        ("f = 1e400*x; g = 1e-400*y", Float::Quad, true),
        ("f = 1e400*x", Float::Long, true),
    ] {
        let system = system(text, false);
        let best = simplify(&system, &system.occurrence_order(), true, Stop::never());
        let style = Style { float: Some(float), ..Style::default() };
        assert_eq!(style.refuses_program(Language::C, &best.program).is_none(), fits, "{text} {float:?}");
    }
}

#[test]
#[cfg_attr(not(cpp_compiler), ignore = "needs g++")]
fn templates_hold_small_numbers_in_single_precision() {
    let main = "\n#include <cstdio>\nint main()\n{\n    float x[] = {1e30f, 0}, y;\n    f<float>(x, &y);\n    \
                double u[] = {1e30, 0}, v;\n    f<double>(u, &v);\n    std::printf(\"%.9g %.17g\\n\", y, v);\n}\n";
    let text = code(PLANCK, Language::Cpp, None).replace("#pragma once", "");
    let [single, double] = printed("g++", "cpp", &format!("{text}{main}"), &["-std=c++11"])[..] else { panic!() };
    assert!((single / 6.626_070_15e-4 - 1.0).abs() < 1e-6, "{single}");
    assert!((double / 6.626_070_15e-4 - 1.0).abs() < 1e-15, "{double}");
}

#[test]
fn generic_code_of_rust_holds_small_numbers_in_single_precision() {
    let main =
        "\nfn main() {\n    let mut y = [0.0_f32];\n    f(&[1e30, 0.0], &mut y);\n    println!(\"{:e}\", y[0]);\n}\n";
    let text = code(PLANCK, Language::Rust, Some(Float::Generic));
    let found = printed("rustc", "rs", &format!("{text}{main}"), &["--edition", "2021"]);
    assert!((found[0] / 6.626_070_15e-4 - 1.0).abs() < 1e-6, "{found:?}");
}

/// A quotient whose inverse is used once is a division, in every language.
#[test]
fn quotients_are_divisions() {
    for (language, expected) in [
        (Language::C, "x[0]/x[1]"),
        (Language::Cpp, "x[0]/x[1]"),
        (Language::Rust, "x[0]/x[1]"),
        (Language::Fortran, "x(1)/x(2)"),
        (Language::Python, "x[0]/x[1]"),
        (Language::Json, "x[0]/x[1]"),
        (Language::Form, "x/y"),
    ] {
        let code = code("f = x/y", language, None);
        assert!(code.contains(&format!("= {expected}")), "{code}");
        assert!(language == Language::Json || code.contains("0 operations + 1 division"), "{code}");
    }
    for (text, expected) in [
        ("f = 2*a/b/c", "2.0*x[0]/x[1]/x[2]"),
        ("f = a - 1/b", "x[0] - 1.0/x[1]"),
        ("f = -a/(b + c)", "-x[0]/t"),
        ("f = a/b^2", "x[0]*t1*t1"),
        ("f = a/b; g = c/b", "x[0]*t1"),
    ] {
        let code = code(text, Language::C, None);
        assert!(code.contains(expected), "{text}: {code}");
    }
}

#[test]
#[cfg_attr(not(c_compiler), ignore = "needs cc")]
fn quotients_are_exact() {
    let main = "\n#include <stdio.h>\nint main(void)\n{\n    for (int i = 0; i < 2; i++) {\n        \
                double v = i ? 1e-309 : 49, x[] = {v, v}, y[3];\n        f(x, y);\n        \
                printf(\"%.17g %.17g %.17g\\n\", y[0], y[1], y[2]);\n    }\n    return 0;\n}\n";
    let text = code("q = x/y; f1 = floor(x/y); f2 = acos(x/y);", Language::C, None);
    let found = printed("cc", "c", &format!("{text}{main}"), &["-lm"]);
    assert_eq!(found, [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
}

#[test]
#[cfg_attr(not(c_compiler), ignore = "needs cc")]
fn cube_roots_of_negative_numbers() {
    let main = "\n#include <stdio.h>\nint main(void)\n{\n    double x = -8, y;\n    f(&x, &y);\n    printf(\"%.17g\\n\", y);\n    \
                return 0;\n}\n";
    let text = code("f = cbrt(x) + 1;", Language::C, None);
    assert_eq!(printed("cc", "c", &format!("{text}{main}"), &["-lm"]), [-1.0]);
}
