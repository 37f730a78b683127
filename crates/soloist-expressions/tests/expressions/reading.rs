//! The reader, the generators and exact numbers.

use crate::common::{header, polynomial};
use num_bigint::BigInt;
use proptest::prelude::*;
use soloist::Rng;
use soloist_expressions::{
    Coefficient, Language, Stop, code_counts, emit, generate, parse, simplify, verify_code, write,
};

#[test]
fn notations_are_read() {
    for (text, expected) in [
        ("x^2*y - 3*x + 1/2", "x^2*y-3*x+1/2"),
        ("+x**2*y\n-3*x\n+1/2", "x^2*y-3*x+1/2"),
        ("Symbols x,y;\nLocal F = x^2*y - 3*x\n   + 1/2;\nPrint;\n.end\n", "x^2*y-3*x+1/2"),
        ("* a comment of FORM\nF := x^2*y-3*x+0.5:\n", "x^2*y-3*x+1/2"),
        ("# python\nF = x**2*y - 3*x + 5.0e-1", "x^2*y-3*x+1/2"),
        ("/* PARI */ x^2*y - 3*x + 1/2 \\\\ end", "x^2*y-3*x+1/2"),
        ("(* Maple *) x^2*y - 3*x +\\\n 1/2;", "x^2*y-3*x+1/2"),
        ("(x+y)*(x-y)", "x^2-y^2"),
        ("(x+y)^3 - x^3 - y^3", "3*x^2*y+3*x*y^2"),
        ("-(x - 2)^2", "-x^2+4*x-4"),
        ("x*-2*y", "-2*x*y"),
        ("2*x/4/y^0", "1/2*x"),
        ("x - x", "0"),
        ("-x^2", "-x^2"),
        ("12\\\n   34*x", "1234*x"),
        ("Symbols [x+y];\na1*[x+y]*p1.p2 + b[1, 2]", "a1*[x+y]*p1.p2+b[1,2]"),
        ("f(x+y, z) - f(y+x,z)", "0"),
        ("sin(x)^2 + cos( x )", "sin(x)^2+cos(x)"),
        ("x^-1*y + y/x", "2*x^-1*y"),
        ("1/(x+y)^2", "(x+y)^-1^2"),
        ("x/x^-1", "x^2"),
        ("3", "3"),
        ("(((x)))^2", "x^2"),
        ("2*(x+y)/3", "2/3*x+2/3*y"),
        ("123456789012345678901234567890*x", "123456789012345678901234567890*x"),
        ("((x+1)*2)^2*y", "4*x^2*y+8*x*y+4*y"),
    ] {
        assert_eq!(polynomial(text).to_string(), expected, "{text}");
    }
}

#[test]
fn several_outputs_share_symbols() {
    let system = parse("a", b"L F = x + y;\nL G = F^2 - 1\nH[1] = G*z\n", true).unwrap();
    let outputs: Vec<_> =
        system.outputs().map(|output| (output.name.as_str(), output.polynomial.to_string())).collect();
    let expected = [("F", "x+y"), ("G", "x^2+2*x*y+y^2-1"), ("H[1]", "x^2*z+2*x*y*z+y^2*z-z")];
    assert_eq!(outputs, expected.map(|(name, text)| (name, text.to_owned())));
    let system = parse("a", b"x; y+1;", true).unwrap();
    assert_eq!(system.outputs().map(|output| output.name.clone()).collect::<Vec<_>>(), ["f1", "f2"]);
}

#[test]
fn lists_are_several_outputs() {
    let read = |text: &str| {
        let system = parse("a", text.as_bytes(), true).map_err(|error| error.to_string())?;
        Ok(system.outputs().map(|one| format!("{}={}", one.name, one.polynomial)).collect::<Vec<_>>().join(" "))
    };
    for (text, expected) in [
        ("[x + y, x*y]", "f1=x+y f2=x*y"),
        ("[x + y]", "f=x+y"),
        ("r = [x*(y + 1),\n z];\ng = r[0]^2", "r[0]=x*y+x r[1]=z g=x^2*y^2+2*x^2*y+x^2"),
        ("Matrix([[a, b], [c, a[1]*d]])", "f1=a f2=b f3=c f4=a[1]*d"),
        ("m = [[a], [b]]\nn = [c]\n", "m[0,0]=a m[1,0]=b n[0]=c"),
        ("Local F = [x+y]*2;", "F=2*[x+y]"),
        ("[x1]*2", "f=2*[x1]"),
    ] {
        assert_eq!(read(text), Ok(expected.to_owned()), "{text}");
    }
    for text in ["[x+y]*2", "2*[x, y]", "f([x, y])", "[x+y, z] + 1", "a = b + [x*y]"] {
        let error: Result<String, String> = read(text);
        assert!(error.clone().is_err_and(|error| error.contains("brackets around an expression")), "{text}: {error:?}");
    }
    for (text, message) in [
        ("[]", "expected a number, a name"),
        ("[x, y", "expected ']'"),
        ("[x y]", "expected an operator, ',' or ']'"),
        ("Matrix([x, y]", "expected ')' after the rows"),
        ("r = [x, y]; r[1] = z", "a second output of the name 'r[1]'"),
    ] {
        let error: Result<String, String> = read(text);
        assert!(error.clone().is_err_and(|error| error.contains(message)), "{text}: {error:?}");
    }
}

#[test]
fn what_would_explode_becomes_blocks() {
    let system = parse("a", b"(a+b+c+d+e+f)^50*x + (2*f+2*b+2*c+2*d+2*e+2*a)^50", true).unwrap();
    assert_eq!(system.definitions().len(), 2);
    assert_eq!(system.definitions()[0].polynomial.len(), 6);
    // Sums that differ in order and content only are one block.
    assert_eq!(system.definitions()[1].polynomial.len(), 2);
    let kept = parse("a", b"(x1+x2+x3)^4 + y*(x1+x2+x3) - (y+z)", false).unwrap();
    assert_eq!((kept.definitions().len(), kept.is_block().iter().filter(|&&block| block).count()), (2, 1));
    assert_eq!(kept.definitions()[1].polynomial.len(), 4);
    // The coefficients of a high power are long numbers.
    let power = |exponent: u32| parse("a", format!("(a+b)^{exponent}*c").as_bytes(), true).unwrap();
    assert_eq!((power(300).terms(), power(300).definitions().len()), (301, 1));
    assert_eq!((power(34_000).terms(), power(34_000).definitions().len()), (3, 2));
    let nested = parse("a", b"((a+b)^9*c + d)^3", false).unwrap();
    assert_eq!(nested.definitions().len(), 3);
}

#[test]
fn errors_name_line_and_column() {
    for (text, message) in [
        ("", "a: no expression"),
        ("x +\n  y +* 2", "a: line 2, column 6: expected a number, a name or '('"),
        ("x +", "a: line 1, column 4: expected a number, a name or '('"),
        ("(x + y", "a: line 1, column 7: expected an operator or ')'"),
        ("x + y)", "a: line 1, column 6: a ')' without '('"),
        ("2 x", "a: line 1, column 3: expected an operator, ';' or the end"),
        ("x\ny", "a: line 2, column 1: expected an operator, ';' or `name =`"),
        ("x^", "a: line 1, column 3: expected a number, a name or '(' as exponent"),
        ("x^*y", "a: line 1, column 3: expected a number, a name or '(' as exponent"),
        ("x^70000", "a: line 1, column 3: an exponent above 65535, the largest that is read"),
        ("(x^60000)^2", "a: line 1, column 1: an exponent above 65535, the largest that is read"),
        ("x^2^3", "a: line 1, column 4: a second power: put the first into parentheses"),
        ("1/0", "a: line 1, column 3: a division by zero"),
        ("é + ü +", "a: line 1, column 8: expected a number, a name or '('"),
        ("F = x; F = y;", "a: line 1, column 11: a second output of the name 'F'"),
        ("F = G; G = y;", "a: line 1, column 11: 'G' is used above as a variable"),
        ("x == y", "a: line 1, column 3: an equation; write `name = expression`"),
        ("f(x", "a: line 1, column 4: expected an operator, ',' or ')'"),
        ("[x + y", "a: line 1, column 1: expected ']'"),
        ("/* x", "a: line 1, column 1: a comment that does not end"),
        ("2^999999", "a: line 1, column 3: an exponent above 65535, the largest that is read"),
        ("x\u{2212}y", "a: line 1, column 1: the character U+2212 belongs to no name; write '-'"),
        ("2*x\u{a0}+ y", "a: line 1, column 3: the character U+00A0 belongs to no name; write a blank"),
        ("z + x\u{b2}", "a: line 1, column 5: the character U+00B2 belongs to no name; write a power with '^'"),
        ("F\u{d7} = x", "a: line 1, column 5: the character U+00D7 belongs to no name; write '*'"),
        ("x\0", "a: line 1: binary data (a zero byte), expected text"),
    ] {
        assert_eq!(parse("a", text.as_bytes(), true).unwrap_err().to_string(), message, "{text:?}");
    }
    for text in ["(".repeat(100_000), "9".repeat(20_000), format!("({})^65535", "9".repeat(9000)), "1e99999".into()] {
        assert!(parse("a", text.as_bytes(), true).unwrap_err().to_string().len() < 200);
    }
    let many: String = (0..5000).map(|at| format!("+x{at}")).collect();
    assert!(parse("a", many.as_bytes(), true).unwrap_err().to_string().contains("more than 4096 symbols"));
}

/// A small file takes little memory and time, whatever its content.
#[test]
fn small_files_stay_small() {
    let nest = |depth: usize| format!("{}a+b{}", "(".repeat(depth), ")^9".repeat(depth));
    for text in [nest(5), nest(100), "(a+b)^60000".into(), "((a+b)^99+c)^99".into(), format!("f({})", nest(30))] {
        if let Err(error) = parse("a", text.as_bytes(), true) {
            assert_eq!(error.to_string().lines().count(), 1);
        }
    }
    let chain: String = (1..60).map(|at| format!("t{at} = t{0}*t{0} + t{0} + x;", at - 1)).collect();
    let system = parse("a", format!("t0 = x + y;{chain}").as_bytes(), true).unwrap();
    assert!(system.terms() < 200_000, "{}", system.terms());
}

#[test]
fn specs_never_change() {
    assert_eq!(generate("res:1,1").unwrap().definitions()[0].polynomial.to_string(), "-a0*b1+a1*b0");
    assert_eq!(generate("res:2,1").unwrap().definitions()[0].polynomial.to_string(), "a0*b1^2-a1*b0*b1+a2*b0^2");
    assert_eq!(generate("random:3x4x3:7").unwrap().definitions()[0].polynomial.to_string(), "9*x1+5*x2*x3-8*x3");
    for (spec, terms) in [("res:3,2", 13), ("res:7,4", 2562), ("res:4,7", 2562)] {
        let system = generate(spec).unwrap();
        assert_eq!(system.terms(), terms, "{spec}");
        let again = parse("x", write(&system).as_bytes(), true).unwrap();
        assert_eq!(again.terms(), terms);
    }
    for (spec, message) in [
        ("res:7", "res:7: expected res:M,N with two degrees from 1 on, as in res:7,4"),
        ("res:0,3", "res:0,3: expected res:M,N with two degrees from 1 on, as in res:7,4"),
        ("res:12,12", "res:12,12: degrees 12 and 12, expected at most 18 together and 15 each"),
        ("random:5x5:1", "random:5x5:1: expected random:VARIABLESxTERMSxDEGREE:SEED, as in random:5x100x6:7"),
        ("random:0x5x5:1", "random:0x5x5:1: 0 variables, expected 1 to 1000"),
    ] {
        assert_eq!(generate(spec).unwrap_err().to_string(), message);
    }
}

/// Values of the determinant at random points, by elimination.
#[test]
fn resultants_are_determinants() {
    let prime = (1_u64 << 61) - 1;
    let multiply = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(prime)) as u64;
    let add = |a: u64, b: u64| (a + b) % prime;
    let negate = |a: u64| (prime - a) % prime;
    let power = |base: u64, exponent: u64| {
        let square = |value: u64, bit: u32| {
            let value = multiply(value, value);
            if exponent >> bit & 1 == 1 { multiply(value, base) } else { value }
        };
        (0..64).rev().fold(1, square)
    };
    let mut rng = Rng::new(3);
    for (m, n) in [(1, 1), (2, 1), (3, 2), (3, 4), (5, 3), (7, 4)] {
        let system = generate(&format!("res:{m},{n}")).unwrap();
        let values: Vec<u64> = (0..m + n + 2).map(|_| rng.below(prime)).collect();
        let (a, b) = values.split_at(m + 1);
        let size = m + n;
        let mut rows: Vec<Vec<u64>> = Vec::new();
        for (count, of, degree) in [(n, a, m), (m, b, n)] {
            for shift in 0..count {
                let mut row = vec![0; size];
                (0..=degree).for_each(|at| row[shift + at] = of[degree - at]);
                rows.push(row);
            }
        }
        let mut determinant = 1;
        for at in 0..size {
            let pivot = (at..size).find(|&row| rows[row][at] != 0).unwrap();
            if pivot != at {
                rows.swap(pivot, at);
                determinant = negate(determinant);
            }
            determinant = multiply(determinant, rows[at][at]);
            let inverse = power(rows[at][at], prime - 2);
            for row in at + 1..size {
                let factor = negate(multiply(rows[row][at], inverse));
                let pivot = rows[at].clone();
                for (entry, &above) in rows[row].iter_mut().zip(&pivot) {
                    *entry = add(*entry, multiply(factor, above));
                }
            }
        }
        let mut sum = 0;
        for (row, value) in system.definitions()[0].polynomial.terms() {
            let product = row.iter().zip(&values).fold(value.modulo(prime).unwrap(), |product, (&exponent, &value)| {
                multiply(product, power(value, exponent.into()))
            });
            sum = add(sum, product);
        }
        assert_eq!(sum, determinant, "res:{m},{n}");
    }
}

#[test]
fn numbers_are_exact() {
    let number = |text: &str| text.parse::<Coefficient>().unwrap();
    let max = Coefficient::from(i64::MAX);
    assert_eq!(max.mul(&max).div(&max), Some(max.clone()));
    assert_eq!(max.add(&Coefficient::ONE).to_string(), "9223372036854775808");
    assert_eq!(Coefficient::from(i64::MIN).neg().sub(&Coefficient::ONE), max);
    assert_eq!(number("6/-4").to_string(), "-3/2");
    assert_eq!(number("-1/3").add(&number("1/6")).to_string(), "-1/6");
    assert_eq!(number("4/3").gcd(&number("-10/9")).to_string(), "2/9");
    assert_eq!(number("1/0".replace('0', "7").as_str()).div(&Coefficient::ZERO), None);
    assert!("1/0".parse::<Coefficient>().is_err() && "x".parse::<Coefficient>().is_err());
    assert_eq!(number("1/2").modulo(7), Some(4));
    assert_eq!(number("1/7").modulo(7), None);
    assert!(number("1/3") < number("1/2") && number("-1/3") > number("-1/2"));
}

#[test]
fn contents_have_the_sign_of_the_first_term() {
    for (text, content) in [("-6*x+4", "-2"), ("1/2*x+1/3", "1/6"), ("0", "0"), ("-x", "-1"), ("4*x-2*y", "2")] {
        assert_eq!(polynomial(text).content().to_string(), content);
    }
}

/// A text is refused by one line that names it, or what is read is written as a text that has the same terms.
fn read_or_refused(bytes: &[u8], expand: bool) -> Result<(), TestCaseError> {
    let system = match parse("a", bytes, expand) {
        Ok(system) => system,
        Err(error) => {
            let error = error.to_string();
            prop_assert!(error.lines().count() == 1 && error.starts_with("a"), "{error:?}");
            return Ok(());
        }
    };
    // A system with blocks or calls is not written as polynomials of its inputs.
    if expand && system.calls().is_empty() && system.definitions().len() == system.outputs().count() {
        let text = write(&system);
        let again = parse("a", text.as_bytes(), true);
        prop_assert!(again.is_ok(), "{text:?}: {again:?}");
        prop_assert_eq!(again.unwrap().terms(), system.terms(), "{}", text);
    }
    Ok(())
}

proptest! {
    #[test]
    fn reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..120), expand: bool) {
        read_or_refused(&bytes, expand)?;
    }

    #[test]
    fn reader_never_panics_on_near_expressions(text in "[xyF0-3+*/^()=;:.,\\[\\]\\\\# \n-]{0,60}", expand: bool) {
        read_or_refused(text.as_bytes(), expand)?;
    }

    /// The reader and the evaluator share no code and agree on any expression.
    #[test]
    fn reader_and_evaluator_agree(text in "(-?[xyz123]([+*-]|\\*\\*2\\*|/3\\+|\\*\\(y-)){0,8}[xyz1]") {
        let closed = format!("{text}{}", ")".repeat(text.matches('(').count()));
        for expand in [true, false] {
            let system = parse("a", closed.as_bytes(), expand).unwrap();
            let best = simplify(&system, &[0], true, Stop::never());
            let code = emit(&system, &best.program, Language::C, &header(&system, &best.order));
            prop_assert_eq!(verify_code(&system, &code, Language::C).unwrap().counts, code_counts(&system, &best.program));
        }
    }

    #[test]
    fn written_expressions_are_read_back(seed: u64, terms in 1_u64..40) {
        let system = generate(&format!("random:4x{terms}x5:{seed}")).unwrap();
        let again = parse("a", write(&system).as_bytes(), true).unwrap();
        prop_assert_eq!(again.terms(), system.terms());
        prop_assert_eq!(again.counts(), system.counts());
    }

    #[test]
    fn arithmetic_agrees_with_big_numbers(a: i64, b in 1..i64::MAX, c: i64, d in 1..i64::MAX) {
        let (x, y) = (Coefficient::ratio(a, b).unwrap(), Coefficient::ratio(c, d).unwrap());
        let big = |top: BigInt, below: BigInt| Coefficient::big_ratio(top, below).unwrap();
        let [a, b, c, d] = [a, b, c, d].map(BigInt::from);
        prop_assert_eq!(x.add(&y), big(&a * &d + &c * &b, &b * &d));
        prop_assert_eq!(x.mul(&y), big(&a * &c, &b * &d));
        prop_assert_eq!(x.sub(&x), Coefficient::ZERO);
        prop_assert_eq!(x.cmp(&y), (&a * &d).cmp(&(&c * &b)));
        prop_assert_eq!(x.to_string().parse::<Coefficient>().unwrap(), x);
    }
}

#[test]
fn a_name_stands_for_its_statement_whatever_follows_it() {
    let output = |text: &str| {
        let system = parse("a", text.as_bytes(), true).unwrap();
        system.outputs().map(|output| output.polynomial.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(output("t = 2 - t;\nF = t*x + t ;"), output("u = 2 - t;\nF = u*x + u ;"));
}
