//! Texts of computer algebra and programming languages.

use proptest::prelude::*;
use soloist_expressions::{
    Effort, Language, Notation, Reading, Signs, Simplifier, Stop, check, code_counts, emit, parse, parse_with,
    simplify, verify_code, verify_program,
};
use std::sync::Arc;

/// The outputs of a text, or the error.
fn read(text: &str) -> Result<String, String> {
    let system = parse("a", text.as_bytes(), true).map_err(|error| error.to_string())?;
    let outputs = system.outputs().map(|one| format!("{}={}", one.name, one.polynomial));
    Ok(outputs.collect::<Vec<_>>().join(" "))
}

#[test]
fn notations_of_computer_algebra() {
    for (text, expected) in [
        // Mathematica.
        ("Power[a,2]+Times[2,a,b]+Rational[1,2]*b", "f=a^2+2*a*b+1/2*b"),
        ("Plus[Times[-1, a], Power[b, -1]]", "f=-a+b^-1"),
        ("{a*b, c}", "f1=a*b f2=c"),
        ("v = {{a, b}, {c, d}}", "v[1,1]=a v[1,2]=b v[2,1]=c v[2,2]=d"),
        ("Power(a,2)+2*a*b", "f=a^2+2*a*b"),
        ("Sin[x+y]*a - a*Sin[y+x]", "f=0"),
        ("a*Cos[x]^2 + 1.5`16.*b", "f=a*cos(x)^2+3/2*b"),
        ("2/3*num[a^2*b+a*b^2]", "f=2/3*a^2*b+2/3*a*b^2"),
        // Maple and Maxima.
        ("v := [a*b, c*b];", "v[1]=a*b v[2]=c*b"),
        ("v := <a*b, c*b>;", "v[1]=a*b v[2]=c*b"),
        ("M := Matrix(2, 2, [[a, b], [c, d]]);", "M[1,1]=a M[1,2]=b M[2,1]=c M[2,2]=d"),
        ("f : a^2+b$\ng : a*b$", "f=a^2+b g=a*b"),
        // SymPy.
        ("S(3)*a + Rational(1,2)*b", "f=3*a+1/2*b"),
        ("Add(Mul(Integer(3), Symbol('a')), Pow(Symbol('b', real=True), Integer(-2)))", "f=3*a+b^-1^2"),
        ("Matrix([[a**2+b, a*b],[c,d]])", "f1=a^2+b f2=a*b f3=c f4=d"),
        ("Matrix([a*b, c])", "f1=a*b f2=c"),
        ("MutableDenseMatrix([[Symbol('a')], [Integer(2)]])", "f1=a f2=2"),
        ("[a^2+b, a*b]", "f1=a^2+b f2=a*b"),
        // MATLAB and Octave.
        ("f = a.*b + a.^2;", "f=a^2+a*b"),
        ("% a comment\nm = [a.*b, c; d e];", "m[1,1]=a*b m[1,2]=c m[2,1]=d m[2,2]=e"),
        ("m = [a.*b -c; d - e f];", "m[1,1]=a*b m[1,2]=-c m[2,1]=d-e m[2,2]=f"),
        ("[a.*b; c]", "f1=a*b f2=c"),
        ("f = a.*b + ...\n c;", "f=a*b+c"),
        // C and Fortran.
        ("double t = a*b + a*a;\ndouble y = t*t;", "y=a^4+2*a^3*b+a^2*b^2"),
        ("a0 = (I2 + m2*pow(r2, 2))*pow(r2, 2);", "a0=I2*r2^2+m2*r2^4"),
        ("double y = (1.0/2.0)*std::pow(a, 2) - 1.5F*b;", "y=1/2*a^2-3/2*b"),
        ("f = a*b + &\n    & 1.5d0*a**2", "f=a*b+3/2*a^2"),
        ("f = a*b - &\n  ! a remark\n 1.0_dp*a\ng = a", "f=a*b-a g=a"),
        ("! a remark\nimplicit none\nreal(8) :: f\nf = a*b + a*a", "f=a*b+a^2"),
        ("// hello\nf = a*b + a*a; ! end", "f=a*b+a^2"),
        ("y(1,2) = a*b\ny(2,1) = y(1,2)*c + a", "y[2,1]=a*b*c+a"),
        ("x[0][1]*y + x[0][1]*z", "f=x[0,1]*y+x[0,1]*z"),
        // FORM.
        ("id H5= 2/3*den(g)*den(s14-mw^2)*num(s12*s13);", "H5=2/3*g^-1*(s14-mw^2)^-1*s12*s13"),
        ("F =\n + x * ( 3*y );\n      F +=  + 1./3.*x*( - 1 );\n", "F=3*x*y-1/3*x"),
        ("      F =\n     &  + x*( - 1 )\n      F = F + x**2*( 3*y )\n\n      G =\n     &  + y", "F=3*x^2*y-x G=y"),
    ] {
        assert_eq!(read(text).map(sorted), Ok(sorted(expected.to_owned())), "{text}");
    }
}

/// Terms may come in another order of symbols.
fn sorted(text: String) -> Vec<String> {
    text.split(' ')
        .map(|output| {
            let (name, value) = output.split_once('=').unwrap();
            let mut terms: Vec<String> = value
                .replace('-', "+-")
                .split('+')
                .map(|term| {
                    let mut factors: Vec<&str> = term.split('*').collect();
                    factors.sort_unstable();
                    factors.join("*")
                })
                .collect();
            terms.sort();
            format!("{name}={}", terms.join("+"))
        })
        .collect()
}

#[test]
fn what_is_not_understood_is_an_error() {
    for (text, message) in [
        ("Derivative(f(x), x)", "a: line 1, column 1: `Derivative` is not read"),
        ("a +\n foo[x+y]", "a: line 2, column 5: `foo[` holds an expression: expected an index"),
        ("a + b!", "a: line 1, column 6: a factorial is not read"),
        ("double y = 1/2*x;", "a: line 1, column 14: a division of whole numbers drops the rest here"),
        ("Power[a]", "a: line 1, column 1: `Power` of 1 arguments, expected another number"),
        ("sin(x, y)", "a: line 1, column 1: `sin` of 2 arguments, expected 1"),
        ("Matrix(a)", "a: line 1, column 1: `Matrix` without a list of elements"),
        ("F += x", "a: line 1, column 1: 'F' is added to before it is defined"),
        ("f = {a, b}*2", "a: line 1, column 5: brackets around an expression"),
        ("a % b", "a: line 1, column 3: expected an operator; a '%'"),
        ("f = a & b", "a: line 1, column 7: expected an operator; the number in front is no condition"),
        ("Time =       0.00 sec    Generated terms =  1\n hello x\n", "a: line 2, column 2: a line of a FORM listing"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }
}

/// The operations of the code of a text, which is verified.
fn operations(text: &str) -> u64 {
    let system = Arc::new(parse("a", text.as_bytes(), true).unwrap());
    let simplifier = Simplifier { effort: Effort::playouts(50), ..Simplifier::default() };
    let done = simplifier.run(&system, &mut |_| ()).unwrap();
    let header = crate::common::header(&done.system, &done.best.order);
    let code = emit(&done.system, &done.best.program, Language::C, &header);
    let counts = verify_code(&done.system, &code, Language::C).unwrap().counts;
    assert_eq!(counts, code_counts(&done.system, &done.best.program), "{text}");
    counts.total()
}

#[test]
fn intermediates_are_never_worse_than_written() {
    for (text, most) in [
        ("t0 = a+b; t1 = t0^4+c; y = t1^3 + t0*t1;", 7),
        ("t0 = a+b; y = t0^2 + t0*c;", 3),
        ("p = a*b*c; y = p^5 + p;", 6),
        // Putting in is better here.
        ("t = a*b + a*c; y = t - a*b;", 1),
    ] {
        assert!(operations(text) <= most, "{text}: {} operations", operations(text));
    }
}

#[test]
fn outputs_are_chosen_and_ordered() {
    let read = |text: &str, outputs: Option<&[&str]>| {
        let outputs = outputs.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        let reading = Reading { outputs, ..Reading::default() };
        let system = parse_with("a", text.as_bytes(), true, None, &reading).map_err(|error| error.to_string())?;
        Ok::<_, String>(system.outputs().map(|one| format!("{}={}", one.name, one.polynomial)).collect::<Vec<_>>())
    };
    let text = "t = a + b; y = t*c; z = d;";
    assert_eq!(read(text, None).unwrap(), ["y=a*c+b*c", "z=d"]);
    assert_eq!(read(text, Some(&["z", "t"])).unwrap(), ["z=d", "t=a+b"]);
    assert!(read(text, Some(&["w"])).unwrap_err().contains("no statement defines the output `w`; there are t, y, z"));
    assert!(read(text, Some(&["y", "y"])).unwrap_err().contains("named twice"));
    // What no output needs is no input.
    let reading = Reading { outputs: Some(vec!["z".into()]), ..Reading::default() };
    let system = parse_with("a", text.as_bytes(), true, None, &reading).unwrap();
    assert_eq!(system.symbols()[..], ["d".to_owned()]);
}

#[test]
fn inputs_are_ordered() {
    let read = |text: &str, args: &[&str]| {
        let args = Some(args.iter().map(|&name| name.to_owned()).collect());
        let reading = Reading { args, ..Reading::default() };
        let system = parse_with("a", text.as_bytes(), true, None, &reading).map_err(|error| error.to_string())?;
        let names = system.given().into_iter().map(|at| system.symbols()[at].clone());
        Ok::<_, String>(names.collect::<Vec<_>>().join(" "))
    };
    assert_eq!(read("sin(x)*y + x/y", &["y", "u", "x"]).unwrap(), "y u x");
    assert_eq!(read("x*y", &["x"]).unwrap_err(), "a: the input `y` is not among the inputs that were named");
    assert_eq!(read("x*y", &["x", "y", "x"]).unwrap_err(), "a: the input `x` is named twice");
    assert_eq!(read("sin(x)", &["x", "sin(x)"]).unwrap_err(), "a: `sin(x)` is computed by the code and no input");
    // Python code says which is which.
    let system = parse("a", b"F = b*a; G = a/b;", true).unwrap();
    let best = simplify(&system, &[0], true, Stop::never());
    let code = emit(&system, &best.program, Language::Python, &crate::common::header(&system, &best.order));
    assert!(code.ends_with("f.inputs = [\"b\", \"a\"]\nf.outputs = [\"F\", \"G\"]\n"), "{code}");
    verify_code(&system, &code, Language::Python).unwrap();
    assert!(verify_code(&system, &code.replace("[\"b\", \"a\"]", "[\"a\", \"b\"]"), Language::Python).is_err());
}

#[test]
fn a_notation_may_be_given() {
    let read = |text: &str, notation| {
        let system = parse_with("a", text.as_bytes(), true, notation, &Reading::default());
        system.map(|system| system.definitions()[0].polynomial.to_string()).map_err(|error| error.to_string())
    };
    assert_eq!(read("f[x + 1]*2", Some(Notation::Mathematica)).unwrap(), "2*f(1+x)");
    assert!(read("f[x + 1]*2", None).is_err());
    assert_eq!(read("[x+y]*2", Some(Notation::Form)).unwrap(), "2*[x+y]");
    assert!(read("1/2*x", Some(Notation::Fortran)).is_err());
    assert_eq!(read("1/2*x", None).unwrap(), "1/2*x");
}

/// Code with chosen inputs and outputs is checked by the names in its comments. Long sums take further statements.
#[test]
fn chosen_names_are_checked() {
    let text = "t = a - b; y = t^2*c + sin(c)*a; z = y*t";
    let reading = Reading {
        outputs: Some(vec!["y".into(), "t".into()]),
        args: Some(["c", "b", "u", "a", "sin(c)"].map(str::to_owned).to_vec()),
        opaque: vec!["sin".into()],
        ..Reading::default()
    };
    let system = parse_with("a", text.as_bytes(), true, None, &reading).unwrap();
    let plain = parse("a", text.as_bytes(), true).unwrap();
    let best = simplify(&system, &[0], true, Stop::never());
    for language in [Language::C, Language::Rust, Language::Fortran, Language::Python] {
        let code = emit(&system, &best.program, language, &crate::common::header(&system, &best.order));
        let checked = check(&plain, &code, Signs::Canonical).unwrap();
        assert!(checked.summary.ends_with("; outputs y, t"), "{}", checked.summary);
        let swapped = code.replace(" = b\n", " = #\n").replace(" = a\n", " = b\n").replace(" = #\n", " = a\n");
        assert!(check(&plain, &swapped, Signs::Canonical).is_err(), "{swapped}");
    }
    let sum: Vec<String> = (0..90).map(|at| format!("x{at}*x{}", at + 1)).collect();
    let system = parse("a", format!("t = ({})^2; f = t; g = t*x1", sum.join("+")).as_bytes(), false).unwrap();
    let best = simplify(&system, &[], true, Stop::never());
    for language in Language::ALL {
        let code = emit(&system, &best.program, language, &crate::common::header(&system, &best.order));
        verify_code(&system, &code, language).unwrap();
    }
}

/// A file beside the checkout. Tests that call this are ignored where it is absent.
fn shared(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/expressions");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn every_file_of_the_folder_is_read() {
    for (name, outputs, inputs) in [
        ("accuracy_cubes", 1, "a b"),
        ("accuracy_libxc", 1, "z"),
        ("c_declaration", 1, "a b"),
        ("ccode", 1, "I2 m2 r2"),
        ("cform", 1, "a b"),
        ("check_input", 2, "x y z w"),
        ("comments", 1, "a b"),
        ("form_brackets", 2, "x y z f(x)"),
        ("form_format_c", 2, "x y z f(x)"),
        ("form_format_fortran", 2, "x y z f(x)"),
        ("form_log_full", 2, "x y z f(x)"),
        ("form_log_quiet", 2, "x y z f(x)"),
        ("fortran", 1, "a b"),
        ("index2", 1, "x[0,1] y z"),
        ("list", 2, "a b"),
        ("maple_list", 2, "a b c"),
        ("denominator_product", 1, "a b s t m"),
        ("denominators", 1, "a b c s m"),
        ("form_id", 1, "gram s14 mw s12 s13"),
        ("math_fullform", 1, "a b"),
        ("math_functions", 1, "x y"),
        ("math_wtt", 1, "a b s m"),
        ("matlab", 1, "a b"),
        ("maxima", 2, "a b"),
        ("powers", 1, "x n"),
        ("straight_line_no_parens", 1, "a b c"),
        ("straight_line_small", 1, "a b c"),
        ("sympy_S", 1, "a b"),
        ("sympy_matrix", 4, "a b c d"),
        ("sympy_matrix_column", 2, "a b c"),
    ] {
        let system = parse(name, &shared(&format!("{name}.txt")), true).unwrap();
        let mut found: Vec<&str> = system.given().into_iter().map(|at| system.symbols()[at].as_str()).collect();
        let mut expected: Vec<&str> = inputs.split(' ').collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!((system.outputs().count(), found), (outputs, expected), "{name}");
    }
    for folder in ["published", "symforce"] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/expressions");
        for entry in std::fs::read_dir(format!("{path}/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            soloist_expressions::read(path.to_str().unwrap(), true).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// The sum of both outputs has fewer terms than each of them.
#[test]
fn outputs_are_computed_from_other_ones() {
    let text = "p = (a + b)*(c + d + e) + g; q = (a + b)*h - (a + b)*(c + d + e) - g + a*b*c*k; r = a - k";
    let system = Arc::new(parse("a", text.as_bytes(), true).unwrap());
    let simplifier = Simplifier { effort: Effort::playouts(50), ..Simplifier::default() };
    let done = simplifier.run(&system, &mut |_| ()).unwrap();
    assert!(done.best.operations() <= 12, "{}", done.best.operations());
    let names: Vec<&str> = done.system.outputs().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["p", "q", "r"]);
    let header = crate::common::header(&done.system, &done.best.order);
    let form = emit(&done.system, &done.best.program, Language::Form, &header);
    for language in Language::ALL {
        let code = emit(&done.system, &done.best.program, language, &header);
        verify_program(&done.system, &done.best.program, &code, language, &form).unwrap();
        // The text as it was given says the same.
        check(&system, &code, Signs::Canonical).unwrap();
    }
}

/// Functions are computed inside, each once; one inverse for each denominator up to content and sign.
#[test]
fn functions_and_inverses_are_computed() {
    for (text, operations, calls, divisions) in [
        ("a/(s-m^2) + b/(m^2-s) + c/(2*s-2*m^2)", 6, 0, 1),
        ("a/((s-m^2)*(t-m^2))+b/(s-m^2)", 6, 0, 2),
        ("sin(x+y)^2 + 2*cos(x+y)^2", 5, 2, 0),
        ("sqrt(x+1)*y + (1+x)**0.5*z + (x+1)^(3/2)", 6, 1, 0),
        ("x^(-1/2)*y", 1, 1, 1),
        ("x^n + x^(n+1)", 2, 2, 0),
        ("exp(sin(x)^2 + y)*2 + 1/exp(y + sin(x)*sin(x))", 4, 2, 1),
        ("t = x + y; u = sin(t); f = u*t + u^2/t;", 5, 1, 1),
        ("atan2(y, x) + log(y/x)*abs(x)", 3, 3, 1),
        ("1/(a*b + c) + 1/((b*a + c)*(a + 1/(a*b + c)))", 5, 0, 2),
        ("(x + y)^(1/3)*2.5", 2, 1, 0),
    ] {
        let system = Arc::new(parse("a", text.as_bytes(), true).unwrap());
        assert_eq!(system.call_counts(), (calls, divisions), "{text}");
        let simplifier = Simplifier { effort: Effort::playouts(20), ..Simplifier::default() };
        let done = simplifier.run(&system, &mut |_| ()).unwrap();
        assert!(done.best.operations() <= operations, "{text}: {} operations", done.best.operations());
        let header = crate::common::header(&done.system, &done.best.order);
        let form = emit(&done.system, &done.best.program, Language::Form, &header);
        for language in Language::ALL {
            let code = emit(&done.system, &done.best.program, language, &header);
            let verified = verify_program(&done.system, &done.best.program, &code, language, &form);
            let verified = verified.unwrap_or_else(|error| panic!("{text}: {error}\n{code}"));
            assert_eq!(verified.calls, done.system.call_counts(), "{text}");
            // A call of something else is found.
            for (from, to) in [("sin(", "cos("), ("1.0/t", "2.0/t"), ("sqrt(", "exp(")] {
                let Some((head, body)) = code.split_once("restrict y)\n") else { continue };
                if body.contains(from) {
                    let changed = format!("{head}restrict y)\n{}", body.replacen(from, to, 1));
                    assert!(verify_code(&done.system, &changed, language).is_err(), "{changed}");
                }
            }
        }
    }
}

#[test]
fn functions_may_stay_inputs() {
    let reading = Reading { opaque: vec!["sin".into()], ..Reading::default() };
    let system = parse_with("a", b"sin(x)*cos(x) + g(x)", true, None, &reading).unwrap();
    let given: Vec<&str> = system.given().into_iter().map(|at| system.symbols()[at].as_str()).collect();
    assert_eq!((given, system.call_counts()), (vec!["x", "sin(x)", "g(x)"], (1, 0)));
}

/// One matrix in eight notations gives one program.
#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn eight_notations_of_one_matrix() {
    let mut first: Option<Vec<String>> = None;
    for name in ["matrix", "list", "named", "srepr", "mathematica", "c", "f", "octave"] {
        let system = Arc::new(parse(name, &shared(&format!("arm/arm_{name}.txt")), true).unwrap());
        assert_eq!(system.outputs().count(), 2, "{name}");
        let simplifier = Simplifier { effort: Effort::playouts(200), ..Simplifier::default() };
        let done = simplifier.run(&system, &mut |_| ()).unwrap();
        let header = crate::common::header(&done.system, &done.best.order);
        let code = emit(&done.system, &done.best.program, Language::C, &header);
        verify_code(&done.system, &code, Language::C).unwrap();
        let own = |line: &&str| !line.starts_with("// y[") && !line.contains("simplified by");
        assert_eq!(done.system.call_counts(), (4, 1), "{name}");
        assert!(done.best.operations() <= 43, "{name}: {} operations", done.best.operations());
        let lines: Vec<String> = code.lines().filter(own).map(str::to_owned).collect();
        assert_eq!(first.get_or_insert_with(|| lines.clone()), &lines, "{name}");
    }
}

const SAMPLES: [&str; 10] = [
    "Power[a,2]+Times[2,a,b]+Rational[1,2]*b",
    "v := [a*b, c*b];\nw := <a, b>;",
    "f : a^2+b$\ng : a*b$",
    "Matrix([[Symbol('a'), 2],[S(3)/4, x[0][1]]])",
    "% c\nm = [a.*b, c; d -e];\ny = m(1,2)^2;",
    "double t = a*b + 1.5f*a;\ndouble y = pow(t, 2);",
    "f = a*b + &\n    & 1.5d0*a**2\ny(1,2) = f",
    "F =\n + pow(x,-2) * ( - 1 );\n      F +=  + x*y;\n",
    "Time =  0.00 sec    Generated terms =  6\n\n   F =\n       - x^-2\n       + y^3*z\n      ;\n",
    "id H5= 2/3*den(g)*num(s12*s13); ! end",
];

proptest! {
    /// Changed bytes give a system or one clear line.
    #[test]
    fn mutated_texts_never_panic(
        sample in 0..SAMPLES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), "[a-zF0-3+*/^()=;:.,\\[\\]{}<>&%!$'\" \n-]{0,2}"), 1..6),
    ) {
        let mut text = SAMPLES[sample].to_owned();
        for (place, new) in edits {
            let at = place.index(text.len().max(1)).min(text.len());
            let end = (at + 1).min(text.len());
            text.replace_range(at..end, &new);
        }
        for notation in [None, Some(Notation::Matlab), Some(Notation::Form)] {
            if let Err(error) = parse_with("a", text.as_bytes(), true, notation, &Reading::default()) {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}

/// Emitted code with one change: literals, strides, names of inputs, types.
#[test]
#[cfg_attr(not(shared_data), ignore = "reads shared/data")]
fn mutations_of_code_are_invalid() {
    let system = parse("check_input", &shared("check_input.txt"), true).unwrap();
    for (name, message) in [
        ("c1", "line 16: the number 2 is whole"),
        ("c2", "line 23: found"),
        ("c3", "line 5: x[0] is 'x', not 'y'"),
        ("c4", "line 23: found"),
        ("c5", "line 13: found"),
        ("c6", "line 13: found"),
    ] {
        let code = String::from_utf8(shared(&format!("{name}.c"))).unwrap();
        let error = verify_code(&system, &code, Language::C).unwrap_err();
        assert!(error.contains(message), "{name}: {error}");
    }
    let code = String::from_utf8(shared("c1.c")).unwrap().replace("(2/7)", "(2.0/7.0)");
    assert_eq!(verify_code(&system, &code, Language::C).unwrap().counts.total(), 5);
}
