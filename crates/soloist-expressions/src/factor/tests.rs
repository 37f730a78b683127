//! Products of random polynomials are taken apart, and combinations are found.

use super::{factors, rebuilt};
use crate::algebra::Polynomial;
use crate::read::parse;
use soloist::Rng;

fn first(text: &str) -> Polynomial {
    parse("test", text.as_bytes(), true).unwrap().definitions()[0].polynomial.clone()
}

/// The factors as sorted texts.
fn texts(text: &str) -> Vec<String> {
    let found = factors(&first(text), &mut 1_000_000_000);
    let mut texts: Vec<String> = found.factors.iter().map(|(factor, power)| format!("({factor})^{power}")).collect();
    texts.sort();
    texts.insert(0, format!("{} {:?}", found.content, found.monomial));
    texts
}

#[test]
fn products_are_taken_apart() {
    assert_eq!(texts("12*x^2*y"), ["12 [2, 1]"]);
    assert_eq!(texts("(a+b+c)^8"), ["1 [0, 0, 0]", "(a+b+c)^8"]);
    assert_eq!(texts("-6*(a+b)^2*(a-b)*(a*b-3)^3*a"), ["-6 [1, 0]", "(a*b-3)^3", "(a+b)^2", "(a-b)^1"]);
    // Factors with the same variables and no linear one; one of them splits over larger fields.
    assert_eq!(texts("(x^2+y^2)*(x^2+x*y+y^2-1)"), ["1 [0, 0]", "(x^2+x*y+y^2-1)^1", "(x^2+y^2)^1"]);
    assert_eq!(texts("(2*x-3*y)*(x+5/7)"), ["1/7 [0, 0]", "(2*x-3*y)^1", "(7*x+5)^1"]);
    assert_eq!(texts("x^4+4"), ["1 [0]", "(x^2+2*x+2)^1", "(x^2-2*x+2)^1"]);
    for whole in ["x^2+y^2+1", "x^5-x-1", "a*d-b*c", "x*y+z", "x^4+1", "a+b"] {
        assert_eq!(texts(whole).len(), 2, "{whole}");
    }
}

/// The product of the factors is the polynomial, whatever was found.
#[test]
fn nothing_is_lost() {
    let mut rng = Rng::new(5);
    let mut taken = 0;
    for round in 0..60 {
        let mut text = "1".to_owned();
        for _ in 0..1 + rng.below(3) {
            text.push_str("*(1");
            for _ in 0..1 + rng.below(4) {
                let (a, b) = (rng.below(9) as i64 - 4, rng.below(3));
                text.push_str(&format!(
                    "{}{}*{}^{b}*{}",
                    if a < 0 { "-" } else { "+" },
                    a.abs() + 1,
                    ["x", "y", "z"][rng.index(3)],
                    ["u", "v"][rng.index(2)]
                ));
            }
            text.push_str(&format!(")^{}", 1 + rng.below(2)));
        }
        let whole = first(&text);
        let mut work = if round % 3 == 0 { 20_000 } else { 100_000_000 };
        let found = factors(&whole, &mut work);
        let mut product =
            Polynomial::new(whole.table().clone(), found.monomial.clone(), vec![found.content.clone()]).unwrap();
        for (factor, power) in &found.factors {
            for _ in 0..*power {
                product = product.mul(factor, usize::MAX).unwrap();
            }
        }
        assert_eq!(product, whole, "{text}");
        taken += usize::from(found.factors.iter().map(|(_, power)| power).sum::<u32>() > 1);
    }
    assert!(taken > 25, "{taken}");
}

#[test]
fn combinations_of_variables() {
    let of = |text: &str| {
        let system = parse("test", text.as_bytes(), true).unwrap();
        let made = rebuilt(&system, &mut 1_000_000_000)?;
        let blocks: Vec<String> = made
            .definitions()
            .iter()
            .map(|definition| format!("{} = {}", definition.name, definition.polynomial))
            .collect();
        Some(blocks.join("; "))
    };
    assert_eq!(of("f = (a-b)^3+c*(a-b)+c^2").unwrap(), "factor 1 = a-b; f = c^2+c*factor 1+factor 1^3");
    assert_eq!(of("f = (a+2*b)^5 + x").unwrap(), "factor 1 = a+2*b; f = x+factor 1^5");
    assert_eq!(of("f = x*y+z"), None);
    // One block for a factor of two outputs, whatever its sign.
    let shared = of("f = (a-b)*(x+y); g = (b-a)*(x-y)").unwrap();
    assert_eq!(shared.matches(" = ").count(), 5, "{shared}");
}
