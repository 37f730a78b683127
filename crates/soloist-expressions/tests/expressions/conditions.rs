//! Constants, complex numbers, conditionals and indexed names in all notations.

use soloist_expressions::{
    Effort, Language, Notation, Reading, Simplifier, Stop, code_counts, emit, parse_with, simplify, verify_code,
};
use std::sync::Arc;

/// The letters of a text: terms and factors may come in another order.
fn sorted(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

/// The outputs of a text, or the error.
fn read_with(text: &str, notation: Option<Notation>, reading: &Reading) -> Result<String, String> {
    let system = parse_with("a", text.as_bytes(), true, notation, reading).map_err(|error| error.to_string())?;
    // What was read can be written and verified in every language.
    let best = simplify(&system, &system.occurrence_order(), true, Stop::never());
    for language in Language::ALL {
        let code = emit(&system, &best.program, language, &crate::common::header(&system, &best.order));
        let verified = verify_code(&system, &code, language).unwrap_or_else(|error| panic!("{text}: {error}\n{code}"));
        assert_eq!(verified.counts, code_counts(&system, &best.program), "{text}\n{code}");
        assert_eq!(verified.calls, system.call_counts(), "{text}\n{code}");
    }
    let outputs = system.outputs().map(|one| format!("{}={}", one.name, one.polynomial));
    Ok(outputs.collect::<Vec<_>>().join(" "))
}

fn read(text: &str) -> Result<String, String> {
    read_with(text, None, &Reading::default())
}

#[test]
fn conditionals_of_all_notations() {
    for (text, expected) in [
        ("Piecewise((a, x < y), (b, True))", "f=select_lt(x,y,a,b)"),
        ("Piecewise((a, x > y), (b, x <= 2), (c, True))", "f=select_lt(y,x,a,select_le(x,2,b,c))"),
        ("Piecewise((a, (x < y) & (y < 3)), (b, True))", "f=select_lt(x,y,select_lt(y,3,a,b),b)"),
        ("Piecewise((a, (x < y) | Eq(y, 3)), (b, True))", "f=select_lt(x,y,a,select_eq(y,3,a,b))"),
        ("Piecewise((sin(x)/x, Ne(x, 0)), (1, True))*2", "f=2*select_ne(x,0,x^-1*sin(x),1)"),
        (
            "Piecewise(ExprCondPair(Symbol('a'), StrictLessThan(Symbol('x'), Integer(1))), ExprCondPair(Symbol('b'), true))",
            "f=select_lt(x,1,a,b)",
        ),
        ("Piecewise[{{a, x < y}, {b, x < z}}, c]", "f=select_lt(x,y,a,select_lt(x,z,b,c))"),
        ("Piecewise[{{a, x < y}}]", "f=select_lt(x,y,a,0)"),
        ("If[x >= y && x != 2, a, b]", "f=select_le(y,x,select_ne(x,2,a,b),b)"),
        ("y := piecewise(x < 1, a, x = 2, b, c);", "y=select_lt(x,1,a,select_eq(x,2,b,c))"),
        ("double y = (x < 1) ? (a) : ((x == 2) ? b : c);", "y=select_lt(x,1,a,select_eq(x,2,b,c))"),
        (
            "double y = !(x < 1) || (x > 4.0 && z <= a) ? a : b;",
            "y=select_lt(x,1,select_lt(4,x,select_le(z,a,a,b),b),a)",
        ),
        ("y = merge(a, b, x < 1)", "y=select_lt(x,1,a,b)"),
        ("y = merge(a, b, x .lt. 1 .and. x /= z)", "y=select_lt(x,1,select_ne(x,z,a,b),b)"),
        ("y = ((a) if (x < 1) else (b))", "y=select_lt(x,1,a,b)"),
        ("y : if x < 1 then a elseif x < 2 then b else c$", "y=select_lt(x,1,a,select_lt(x,2,b,c))"),
        ("y = if x < 1 { a } else { b }", "y=select_lt(x,1,a,b)"),
        ("y = a if not x < 1 else b", "y=select_lt(x,1,b,a)"),
        ("Max(x, y, 2) + Min(x, z)", "f=min(x,z)+max(max(x,y),2)"),
        ("fmax(x, y)*sign(x)", "f=max(x,y)*select_lt(0,x,1,select_lt(x,0,-1,0))"),
        ("floor(x) + ceiling(x)", "f=ceil(x)+floor(x)"),
        ("Floor[x] + Ceiling[x]", "f=ceil(x)+floor(x)"),
        ("Piecewise((a, 0 < x < 1), (b, True))", "f=select_lt(0,x,select_lt(x,1,a,b),b)"),
    ] {
        let found = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(sorted(&found), sorted(expected), "{text}: {found}");
    }
    for (text, message) in [
        ("Piecewise((a, x < y))", "a: line 1, column 1: a conditional without a last case that always holds"),
        ("a + (x < y)", "a: line 1, column 6: a condition, expected a number"),
        ("Piecewise((a, x), (b, True))", "a: line 1, column 15: a number, expected a condition"),
        ("x ? a : b", "a: line 1, column 1: a number, expected a condition"),
        ("(x < y) ? a", "a: line 1, column 12: expected ':'"),
        ("max(x)*min(x, y) + re(x)", "a: line 1, column 20: `re` is not read"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn constants_of_all_notations() {
    for (text, expected) in [
        ("pi*x + Pi^2", "f=pi*x+pi^2"),
        ("2*M_PI*x", "f=2*pi*x"),
        ("f : %pi*x + %e^x$", "f=pi*x+exp(x)"),
        ("Add(pi, Mul(E, Symbol('x')))", "f=pi+exp1*x"),
        ("Power[E, x]*Sin[Pi x]", "error"),
        ("Power[E, x]*Sin[Pi*x]", "f=exp(x)*sin(pi*x)"),
        ("math.pi*x + numpy.e", "f=pi*x+exp1"),
        // No constants: a name that is given, an output, FORM.
        ("E*x + I1", "f=E*x+I1"),
        ("pi = x + 1; y = pi^2*x; z = y + pi", "z=x^3+2*x^2+2*x+1"),
        ("Symbols pi,x;\nLocal F = pi*x + pi_;", "F=pi*x+{f1}"),
    ] {
        let found = read(text);
        if expected == "error" {
            assert!(found.is_err(), "{text}: {found:?}");
            continue;
        }
        match found {
            Ok(found) => assert_eq!(sorted(&found), sorted(expected), "{text}: {found}"),
            Err(error) => panic!("{text}: {error}"),
        }
    }
    let reading = Reading { args: Some(vec!["x".into(), "pi".into()]), ..Reading::default() };
    assert_eq!(read_with("pi*x", None, &reading).unwrap(), "f=x*pi");
    let system = parse_with("a", b"pi*x", true, None, &Reading::default()).unwrap();
    assert_eq!((system.call_counts(), system.given().len()), ((0, 0), 1));
}

#[test]
fn complex_numbers() {
    let complex = Reading { complex: true, ..Reading::default() };
    let read = |text: &str| read_with(text, None, &complex);
    for (text, expected) in [
        ("i_^2*a + I^2*b", "f=-a-b"),
        ("I*I^3*a", "f=a"),
        ("(a + I*b)*(a - I*b)", "f=a^2+b^2"),
        ("a/I", "f=-a*imaginary_unit"),
        ("a*I^-3", "f=a*imaginary_unit"),
        ("%i*a", "f=a*imaginary_unit"),
        ("2j*a", "f=2*a*imaginary_unit"),
        ("a*Complex[1, 2]", "f=2*a*imaginary_unit+a"),
        ("exp(I*a)*sqrt(b)", "f=exp(a*imaginary_unit)*sqrt(b)"),
    ] {
        let found = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(sorted(&found), sorted(expected), "{text}: {found}");
    }
    assert!(read("Piecewise((a, a < b), (b, True))").unwrap_err().contains("complex numbers have no order"));
    assert!(read("atan2(a, b)").unwrap_err().contains("`atan2` of complex numbers is not computed"));
    // Without complex numbers, the unit is an error where it is certain, an input where it is a mere name.
    assert!(
        read_with("i_*a", None, &Reading::default()).unwrap_err().starts_with("a: line 1, column 1: the imaginary")
    );
    assert!(read_with("a*I", Some(Notation::Sympy), &Reading::default()).is_err());
    assert_eq!(read_with("a*I", None, &Reading::default()).unwrap(), "f=a*I");
}

#[test]
fn elements_and_functions_in_brackets() {
    for (text, expected) in [
        ("Mul(Indexed(IndexedBase(Symbol('x')), Integer(0)), Symbol('y'))", "f=x[0]*y"),
        ("Indexed(IndexedBase('x'), Symbol('i'), Integer(2))", "f=x[i,2]"),
        ("MatrixElement(MatrixSymbol('A', Integer(2), Integer(2)), Integer(0), Integer(1))", "f=A[0,1]"),
        ("MatrixElement(MatrixSymbol(Str('A'), Integer(2), Integer(2)), Integer(0), Integer(1))", "f=A[0,1]"),
        ("Mul(Integer(2), Function('g')(Symbol('x')))", "f=2*g(x)"),
        ("A[0, 1]*x[2]", "f=A[0,1]*x[2]"),
        ("Sin[x]*g[y]*c[1]", "f=sin(x)*g(y)*c[1]"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }
    assert_eq!(read_with("g[x]*2", Some(Notation::Mathematica), &Reading::default()).unwrap(), "f=2*g(x)");
    assert_eq!(read("g[x]*2").unwrap(), "f=2*g[x]");
}

/// Denominators are inverted once up to content and sign, also complex and nested ones.
#[test]
fn conditionals_share_their_parts() {
    let text = "Piecewise(((x+y)^2, (x+y)^2 < z), (2*x + 2*y, True)) + 1/(x+y) - 1/(-2*x-2*y)";
    let system = parse_with("a", text.as_bytes(), true, None, &Reading::default()).unwrap();
    assert_eq!(system.call_counts(), (1, 1));
    let simplifier = Simplifier { effort: Effort::playouts(50), ..Simplifier::default() };
    let best = simplifier.run(&Arc::new(system), &mut |_| ()).unwrap().best;
    assert!(best.operations() <= 6, "{}", best.operations());
}
