//! A notation has its own words and no other's: each part of a text is read, refused, or skipped by name.

use soloist_expressions::{Notation, Reading, System, parse_with};

fn system(text: &str, notation: Option<Notation>) -> Result<System, String> {
    parse_with("a", text.as_bytes(), true, notation, &Reading::default()).map_err(|error| error.to_string())
}

/// The outputs, the inputs and what was skipped.
fn read(text: &str, notation: Option<Notation>) -> String {
    match system(text, notation) {
        Ok(system) => {
            let outputs: Vec<String> = system.outputs().map(|one| format!("{}={}", one.name, one.polynomial)).collect();
            let given: Vec<String> = system.given().into_iter().map(|at| system.symbols()[at].clone()).collect();
            let skipped = system.skipped().join(" | ");
            let skipped = if skipped.is_empty() { skipped } else { format!("; {skipped}") };
            format!("{} of {}{skipped}", outputs.join(" "), given.join(" "))
        }
        Err(error) => format!("error: {error}"),
    }
}

const NOTATIONS: [Option<Notation>; 9] = [
    None,
    Some(Notation::Form),
    Some(Notation::Mathematica),
    Some(Notation::Maple),
    Some(Notation::Sympy),
    Some(Notation::Maxima),
    Some(Notation::Matlab),
    Some(Notation::Fortran),
    Some(Notation::C),
];

#[test]
fn functions_of_matlab_are_read() {
    let text = "function out1 = myfun(x,y)\n%MYFUN\n%    OUT1 = MYFUN(X,Y)\n\nt2 = x.*y;\nout1 = t2.^2+t2;\nend\n";
    for notation in [None, Some(Notation::Matlab)] {
        assert_eq!(read(text, notation), "out1=x^2*y^2+x*y of x y");
    }
    // The order of inputs and outputs is that of the function.
    let text = "function [p,q] = g(b,a)\nq = a - b;\np = [a.*b; a];\nendfunction";
    assert_eq!(read(text, Some(Notation::Matlab)), "p[1]=b*a p[2]=a q=-b+a of b a");
    let text = "function f = g(x)\nf = x;\nend\nfunction h = k(x)\nh = x;\nend";
    assert!(read(text, None).contains("line 4, column 1: a second function"));
}

#[test]
fn words_of_form_are_skipped_in_form_alone() {
    let c = Some(Notation::C);
    for (text, notation, expected) in [
        ("F t0 = a + b;\ny = t0*c;", c, "y=a*c+b*c of a b c"),
        ("S t0 = a; V t1 = t0*b; Index i = t1 + a; y = i*c;", c, "y=a*b*c+a*c of a b c"),
        ("const double long_name = a;\nstatic float y = long_name*b;", c, "y=a*b of a b"),
        ("double a, b;\ny = a*b;", c, "y=a*b of a b; double a, b"),
        ("#include <math.h>\ny = a*b;", c, "y=a*b of a b; #include <math.h>"),
        ("format long\nt2 = x.*y;\nout1 = t2+1;", Some(Notation::Matlab), "out1=x*y+1 of x y; format long"),
        ("format long\nt2 = x.*y;\nout1 = t2+1;", None, "out1=x*y+1 of x y; format long"),
        (
            "Symbols x,y;\nS z;\nLocal F = x*y + pi*z;\nPrint;\n.end\n",
            None,
            "F=x*y+pi*z of x y pi z; Symbols x,y | S z | Print | .end",
        ),
        ("S x;\nF = x;", Some(Notation::Form), "F=x of x; S x"),
        ("implicit none\nreal(8) :: f\nf = X*y + x", None, "f=X*y+X of X y; implicit none | real(8) :: f"),
    ] {
        assert_eq!(read(text, notation), expected, "{text}");
    }
    for (text, notation, message) in [
        ("F t0 = a+b;\ny = t0*c;", None, "line 1, column 3: expected an operator"),
        ("int t0 = a/b;\ny = t0*c;", c, "line 1, column 1: `int` is a type of whole numbers"),
        ("#define N 3\ny = N*x;", c, "line 1, column 1: a line of the preprocessor"),
        ("#define N \"3\"\nLocal F = N*x;", Some(Notation::Form), "line 1, column 1: a line of the preprocessor"),
    ] {
        assert!(read(text, notation).contains(message), "{text}: {}", read(text, notation));
    }
}

/// Terms and factors may come in another order.
fn sorted(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

/// Functions that an author may call so, and that are heads of one notation only.
#[test]
fn heads_belong_to_notations() {
    let same = |text: &str, notation, expected: &str| {
        let found = read(text, notation);
        assert_eq!(sorted(&found), sorted(expected), "{notation:?}: {found}");
    };
    for notation in NOTATIONS.into_iter().filter(|&one| one != Some(Notation::Mathematica)) {
        let expected = "f=S(t)*Integer1(t)*N1(t)^-1 of S(t) Integer1(t) N1(t)";
        same("f = S(t)*Integer1(t)/N1(t);", notation, expected);
        let own = notation == Some(Notation::Sympy);
        assert_eq!(read("f = Float(t) + 1;", notation).starts_with("error"), own, "{notation:?}");
        same("f = sqr(t);", notation, "f=sqr(t) of t sqr(t)");
        let form = notation == Some(Notation::Form);
        same(
            "f = x*den(t) + 1;",
            notation,
            if form { "f=x*t^-1+1 of x t; den(x) read as 1/x" } else { "f=x*den(t)+1 of x t den(t)" },
        );
    }
    same("f = S(3)*x + S(t)", Some(Notation::Sympy), "f=3*x+S(t) of x t S(t)");
    same("f = -beta*S(t)*I(t)/N(t);", None, "f=-beta*S(t)*I(t)*N(t)^-1 of beta S(t) I(t) N(t)");
    same("f = S(t)*I(t);", Some(Notation::Maple), "f=S(t)*I(t) of t S(t) I(t)");
    same("f = S[t]*a[t]", Some(Notation::Mathematica), "f=S(t)*a(t) of t S(t) a(t)");
    assert!(read("f = Sin(x)", Some(Notation::Sympy)).contains("Sin(x)"));
    assert!(read("f = sin[x]", Some(Notation::Mathematica)).contains("`sin` is no word of mathematica"));
}

#[test]
fn two_bars_are_a_comment_in_c_alone() {
    for notation in NOTATIONS {
        let found = read("f = a//b;", notation);
        match notation {
            Some(Notation::C) => assert_eq!(found, "f=a of a"),
            _ => assert!(found.contains("`//` is a floor division or a comment"), "{notation:?}: {found}"),
        }
    }
    assert!(read("out = 7 // 3 * x;", None).contains("floor division"));
    // Where no expression can go on, it can be nothing else.
    assert_eq!(read("// a remark\nf = a*b; // b\n// c\ng = a;\n", None), "f=a*b g=a of a b");
}

#[test]
fn what_is_no_number_is_an_error() {
    for (text, notation) in [
        ("f = oo*x", Some(Notation::Sympy)),
        ("f = x + nan", Some(Notation::Sympy)),
        ("f = x + S.NaN", Some(Notation::Sympy)),
        ("f = oo*x + nan*y + Infinity*z;", None),
        ("f = zoo*x", None),
        ("f = Infinity*x", Some(Notation::Mathematica)),
        ("f = DirectedInfinity[1]*x", Some(Notation::Mathematica)),
        ("f := infinity*x;", Some(Notation::Maple)),
        ("f : inf*x$", Some(Notation::Maxima)),
        ("f = Inf*x + NaN;", Some(Notation::Matlab)),
        ("f = INFINITY*x;", Some(Notation::C)),
        ("f = numpy.inf*x", Some(Notation::Sympy)),
    ] {
        assert!(read(text, notation).contains("is no number that code can hold"), "{text}: {}", read(text, notation));
    }
    let reading = Reading { args: Some(vec!["inf".into(), "x".into()]), ..Reading::default() };
    assert!(parse_with("a", b"f = inf*x", true, Some(Notation::Sympy), &reading).is_ok());
    assert_eq!(read("Local F = inf*x;", Some(Notation::Form)), "F=inf*x of inf x");
}

#[test]
fn constants_of_c_are_numbers() {
    for (text, expected) in [
        ("f = M_1_PI*x;", "f=pi^-1*x of x"),
        ("f = M_SQRT1_2*x + M_SQRT2;", "f=sqrt(2)^-1*x+sqrt(2) of x"),
        ("f = M_LN2*x + M_LOG2E;", "f=log(2)*x+log(2)^-1 of x"),
        ("f = M_PI_2*x - M_PI_4;", "f=1/2*pi*x-1/4*pi of x"),
        ("f = M_2_SQRTPI*x;", "f=2*sqrt(pi)^-1*x of x"),
        ("f = std::numbers::pi*x;", "f=pi*x of x"),
        ("f = std::f64::consts::FRAC_1_PI*x;", "f=pi^-1*x of x"),
    ] {
        let found = read(text, Some(Notation::C));
        assert_eq!(sorted(&found), sorted(expected), "{text}: {found}");
    }
    assert_eq!(read("f : x*%pi$\ng : %e$", Some(Notation::Maxima)), "f=x*pi g=exp1 of x");
    assert!(read("f = EulerGamma*x", Some(Notation::Sympy)).starts_with("error"));
}

#[test]
fn commands_are_skipped_by_name_or_refused() {
    for (text, notation, expected) in [
        ("restart; f := x*y;", Some(Notation::Maple), "f=x*y of x y; restart"),
        (
            "restart:\nwith(LinearAlgebra):\nf := x*y;",
            Some(Notation::Maple),
            "f=x*y of x y; restart: | with(LinearAlgebra):",
        ),
        ("kill(all)$ f: x*y$", Some(Notation::Maxima), "f=x*y of x y; kill(all)"),
        ("ClearAll[x]; f = x*y", Some(Notation::Mathematica), "f=x*y of x y; ClearAll[x]"),
        ("clear all\nf = x*y;\ndisp(f)\n", Some(Notation::Matlab), "f=x*y of x y; clear all | disp(f)"),
        (
            "from sympy import *\nf = x*y\nprint(f)\n",
            Some(Notation::Sympy),
            "f=x*y of x y; from sympy import * | print(f)",
        ),
        (
            "f = Simplify[x*y + Expand[z]]",
            Some(Notation::Mathematica),
            "f=x*y+z of x y z; Expand around an expression | Simplify around an expression",
        ),
        ("f := expand(x*y);", Some(Notation::Maple), "f=x*y of x y; expand around an expression"),
    ] {
        assert_eq!(read(text, notation), expected, "{text}");
    }
    for (text, notation, message) in [
        ("restart; f := x*y;", None, "`restart` is no assignment"),
        ("kill(all)$ f: x*y$", Some(Notation::Mathematica), "error"),
        ("f = x*y;\ndisp(y)", None, "`disp(y)` is no assignment"),
        ("ClearAll[x]; f = x*y", None, "`ClearAll[x]` is no assignment"),
        ("f = expand(x*y)", None, "`expand` is no word of a text of unknown notation, but one of maple"),
        ("f = evalf(x*y);", Some(Notation::Maple), "`evalf` is not read"),
        ("f = simplify(x, y)", Some(Notation::Sympy), "`simplify` of 2 arguments"),
        ("print(x\n, y)\nf = x", Some(Notation::Sympy), "does not end with its line"),
    ] {
        assert!(read(text, notation).contains(message), "{text}: {}", read(text, notation));
    }
    // Expressions alone are outputs, and so is a name that has been defined.
    assert_eq!(read("x; y", None), "f1=x f2=y of x y");
    assert_eq!(read("t = x*y; t", None), "f=x*y of x y");
}

#[test]
fn operators_of_c_keep_their_meaning() {
    let c = Some(Notation::C);
    for (text, notation, message) in [
        ("f = a<b<c ? 1 : 0;", c, "a second comparison"),
        ("f = a<b<c ? 1 : 0;", None, "a second comparison"),
        ("f = a^b;", c, "`^` is no power in c: write pow(a, b)"),
        ("f = a^2", Some(Notation::Fortran), "`^` is no power in fortran"),
        ("f = a**2;", c, "`**` is no power in c"),
        ("f = 010*y;", c, "octal"),
        ("f = 2*y;\ng = 1.5d0*y;", c, "expected an operator behind a number of c"),
        ("f = 2i*y;", Some(Notation::Mathematica), "expected an operator behind a number of mathematica"),
        ("f = 2L*y;", Some(Notation::Mathematica), "expected an operator behind a number of mathematica"),
    ] {
        assert!(read(text, notation).contains(message), "{text}: {}", read(text, notation));
    }
    assert_eq!(read("f = 10*y + 0.5*x + 00.25;", c), "f=10*y+1/2*x+1/4 of y x");
    assert_eq!(
        read("f = Piecewise((a, 0 < x < 1), (b, True))", Some(Notation::Sympy)),
        "f=select_lt(0,x,select_lt(x,1,a,b),b) of x a b"
    );
}

#[test]
fn cube_roots_are_real() {
    for (text, notation) in [
        ("f = cbrt(x)", Some(Notation::C)),
        ("f = CubeRoot[x]", Some(Notation::Mathematica)),
        ("f = Surd[x, 3]", Some(Notation::Mathematica)),
        ("f := surd(x, 3);", Some(Notation::Maple)),
        ("f = nthroot(x, 3);", Some(Notation::Matlab)),
        ("f = real_root(x, 3)", Some(Notation::Sympy)),
        ("f = cbrt(x)", None),
    ] {
        assert_eq!(read(text, notation), "f=cbrt(x) of x", "{text}");
    }
    assert!(read("f = Surd[x, 5]", Some(Notation::Mathematica)).contains("another degree than 3"));
}

/// Marks of two notations in one text: the words of one are not those of the other.
#[test]
fn a_guess_mixes_no_words() {
    // Names that look like marks.
    assert_eq!(read("f = v_dp^2*x1_dp + M_1", None), "f=v_dp^2*x1_dp+M_1 of v_dp x1_dp M_1");
    for (text, message) in [
        ("f = Rational(1, 2)*x + %pi", "expected a number, a name"),
        ("% remark\nf = 1.0_dp*x;", "expected an operator"),
        ("f = merge(a, b, x < 1) + M_PI", "a condition, expected a number"),
    ] {
        let found = read(text, None);
        assert!(found.starts_with("error") && found.contains(message), "{text}: {found}");
    }
}
