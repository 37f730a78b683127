//! Families of expressions from computer algebra, physics, robotics and finite elements.
//!
//! A family is written as a text of assignments, which the reader multiplies out; names of intermediates begin with
//! `aux`. The result has no text of its own, so
//! that no search sees how it was written.

use crate::algebra::{Coefficient, Definition, Polynomial, Reading, System};
use crate::read::parse_with;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The most products of terms in one step of multiplying out.
const MAX_PRODUCTS: usize = 20_000_000;

/// A family: name, the smallest and largest number of its spec, what it is, and its text.
type Family = (&'static str, usize, usize, &'static str, fn(usize) -> String);

/// All families whose spec is `NAME:N`.
pub(super) const FAMILIES: &[Family] = &[
    ("det", 2, 7, "determinant of an N x N matrix", |n| determinant(n, &|i, j| format!("a{i}{j}"), true)),
    ("permanent", 2, 7, "permanent of an N x N matrix", |n| determinant(n, &|i, j| format!("a{i}{j}"), false)),
    ("symdet", 2, 7, "determinant of a symmetric N x N matrix", |n| {
        determinant(n, &|i, j| format!("s{}{}", i.min(j), i.max(j)), true)
    }),
    ("toeplitz", 2, 8, "determinant of a symmetric Toeplitz matrix", |n| {
        determinant(n, &|i, j| format!("t{}", i.abs_diff(j)), true)
    }),
    ("circulant", 2, 8, "determinant of a circulant matrix", |n| {
        determinant(n, &|i, j| format!("c{}", (n + i - j) % n), true)
    }),
    ("vandermonde", 2, 7, "determinant of a Vandermonde matrix", vandermonde),
    ("cayley", 3, 6, "Cayley-Menger determinant of N points, in squared distances", |n| {
        determinant(
            n + 1,
            &|i, j| match (i, j) {
                _ if i == j => "0".into(),
                (0, _) | (_, 0) => "1".into(),
                _ => format!("d{}{}", i.min(j), i.max(j)),
            },
            true,
        )
    }),
    ("disc", 2, 7, "discriminant of a polynomial of degree N, up to its sign", discriminant),
    ("trees", 3, 6, "spanning trees of the complete graph of N vertices", |n| {
        determinant(
            n - 1,
            &|i, j| {
                let edge = |a: usize, b: usize| format!("e{}{}", a.min(b), a.max(b));
                if i != j {
                    return format!("(-{})", edge(i, j));
                }
                let edges: Vec<String> = (0..n).filter(|&k| k != i).map(|k| edge(i, k)).collect();
                format!("({})", edges.join("+"))
            },
            true,
        )
    }),
    ("symanzik", 1, 5, "Symanzik polynomials U and F of the N-loop ladder with one momentum and one mass", symanzik),
    ("kinematics", 2, 6, "position and orientation of an arm with N joints whose axes are perpendicular", kinematics),
    ("mass", 2, 4, "mass matrix of a planar arm with N joints, in relative angles", mass),
    (
        "element",
        2,
        3,
        "Jacobian determinant of the bilinear quadrilateral (2) or the trilinear hexahedron (3)",
        element,
    ),
    ("trace", 2, 10, "trace of N gamma matrices (N even), in scalar products", trace),
    ("power", 1, 12, "(a+b+c+d)^N, multiplied out", |n| format!("f=(a+b+c+d)^{n};")),
    ("elementary", 2, 12, "elementary symmetric polynomials e1 .. eN of N variables", elementary),
    ("cyclic", 3, 8, "the N polynomials of the cyclic N-roots problem", cyclic),
    ("katsura", 2, 12, "the N + 1 polynomials of Katsura's magnetism problem", katsura),
    (
        "harmonics",
        1,
        8,
        "real solid harmonics up to degree N, with the associated Legendre functions unscaled",
        harmonics,
    ),
    (
        "kinetics",
        3,
        12,
        "rates of N species in reversible reactions A + B = C by mass action, and their Jacobian",
        kinetics,
    ),
    ("stiffness", 2, 3, "entries of the stiffness matrix of the linear triangle (2) or tetrahedron (3)", stiffness),
    ("lagrange", 2, 5, "the interpolation polynomials of degree N on N + 1 equal steps, in two directions", lagrange),
];

/// The system of the family with this name.
pub(super) fn family(name: &str, size: &str) -> Option<Result<System, String>> {
    let &(name, least, most, _, text) = FAMILIES.iter().find(|family| family.0 == name)?;
    let number = size.parse::<usize>().ok().filter(|number| (least..=most).contains(number));
    let number =
        number.filter(|number| size.bytes().all(|byte| byte.is_ascii_digit()) && (name != "trace" || number % 2 == 0));
    let Some(number) = number else {
        let even = if name == "trace" { "an even number" } else { "a number" };
        return Some(Err(format!(
            "expected {name}:N with {even} from {least} to {most}, as in {name}:{}",
            least.max(most / 4 * 2)
        )));
    };
    let text = text(number);
    let names = text.split(';').filter_map(|statement| Some(statement.trim().split_once('=')?.0.to_owned()));
    let outputs = Some(names.filter(|name| !name.starts_with("aux")).collect());
    let reading = Reading { outputs, ..Reading::default() };
    let system = parse_with(name, text.as_bytes(), true, None, &reading).map_err(|error| error.to_string());
    Some(system.and_then(|system| multiplied_out(&system).ok_or_else(|| "too large to be multiplied out".to_owned())))
}

/// Blocks with their exponents.
type Powers = Vec<(usize, u16)>;
/// Exponents and coefficients of terms, as [`Polynomial::new`] takes them.
type Rows = (Vec<u16>, Vec<Coefficient>);

/// The system without blocks: the reader keeps long intermediates as such. `None` beyond [`MAX_PRODUCTS`] products of
/// terms in one step.
fn multiplied_out(system: &System) -> Option<System> {
    let block = system.is_block();
    let kept: Vec<usize> = (0..block.len()).filter(|&symbol| !block[symbol]).collect();
    let symbols: Arc<[String]> = kept.iter().map(|&symbol| system.symbols()[symbol].clone()).collect();
    let mut known: Vec<Option<Polynomial>> = vec![None; block.len()];
    let mut outputs = Vec::new();
    for definition in system.definitions() {
        // Parts by the block that they hold; most hold none.
        let mut parts = BTreeMap::<Powers, Rows>::new();
        for (row, value) in definition.polynomial.terms() {
            let blocks: Vec<(usize, u16)> =
                (0..row.len()).filter(|&at| block[at] && row[at] > 0).map(|at| (at, row[at])).collect();
            let (exponents, values) = parts.entry(blocks).or_default();
            exponents.extend(kept.iter().map(|&symbol| row[symbol]));
            values.push(value.clone());
        }
        let mut sum = Polynomial::constant(Arc::clone(&symbols), Coefficient::ZERO);
        for (blocks, (exponents, values)) in parts {
            let mut product = Polynomial::new(Arc::clone(&symbols), exponents, values).ok()?;
            for (symbol, exponent) in blocks {
                for _ in 0..exponent {
                    product = product.mul(known[symbol].as_ref()?, MAX_PRODUCTS)?;
                }
            }
            sum = sum.add(&product);
        }
        match definition.symbol {
            Some(symbol) => known[symbol] = Some(sum),
            None => outputs.push(Definition { polynomial: sum, ..definition.clone() }),
        }
    }
    System::new(symbols, outputs).ok()
}

/// The determinant or permanent of a matrix, row by row: a statement for each set of columns.
fn determinant(n: usize, entry: &dyn Fn(usize, usize) -> String, signs: bool) -> String {
    let mut text = String::new();
    for set in 1..1_usize << n {
        let row = set.count_ones() as usize - 1;
        let name = if set + 1 == 1 << n { "f".to_owned() } else { format!("aux{set}") };
        let mut sum = String::new();
        for column in (0..n).filter(|column| set >> column & 1 == 1) {
            let entry = entry(row, column);
            if entry == "0" {
                continue;
            }
            // The columns of the set behind this one.
            let odd = (set >> (column + 1)).count_ones() % 2 == 1;
            sum.push(if signs && odd { '-' } else { '+' });
            sum.push_str(&entry);
            let rest = set & !(1 << column);
            if rest > 0 {
                let _ = write!(sum, "*aux{rest}");
            }
        }
        let _ = writeln!(text, "{name}={};", if sum.is_empty() { "0" } else { &sum });
    }
    text
}

fn vandermonde(n: usize) -> String {
    let mut text = "f=1".to_owned();
    for i in 1..=n {
        for j in i + 1..=n {
            let _ = write!(text, "*(x{j}-x{i})");
        }
    }
    text + ";"
}

/// The Sylvester matrix of a polynomial and its derivative, the first column divided by the leading coefficient.
fn discriminant(n: usize) -> String {
    determinant(
        2 * n - 1,
        &|i, j| {
            let (shift, degree, slope) = if i < n - 1 { (i, n, false) } else { (i - (n - 1), n - 1, true) };
            let Some(place) = j.checked_sub(shift).filter(|&place| place <= degree) else { return "0".into() };
            // The coefficient of x^(n - place).
            let power = n - place;
            match (j, slope) {
                (0, false) => "1".into(),
                (0, true) => n.to_string(),
                (_, false) => format!("a{power}"),
                (_, true) => format!("{power}*a{power}"),
            }
        },
        true,
    )
}

fn symanzik(loops: usize) -> String {
    // Loop i consists of the rails a_i and b_i and the rungs r_i and r_(i+1); the momentum runs along the rails a.
    let entry = |i: usize, j: usize| match (i, j) {
        _ if i == loops && j == loops => (0..loops).map(|k| format!("+a{k}")).collect::<String>(),
        _ if i == loops || j == loops => format!("a{}", i.min(j)),
        _ if i == j => format!("+a{i}+b{i}+r{i}+r{}", i + 1),
        _ if i.abs_diff(j) == 1 => format!("-r{}", i.max(j)),
        _ => "0".into(),
    };
    let entry = |i: usize, j: usize| match entry(i, j) {
        text if text == "0" => text,
        text => format!("({text})"),
    };
    let u = determinant(loops, &entry, true).replace("aux", "auxa").replace("f=", "auxu=");
    let f = determinant(loops + 1, &entry, true).replace("aux", "auxb").replace("f=", "auxg=");
    let all: String = (0..loops).map(|k| format!("+a{k}+b{k}+r{k}")).collect();
    format!("{u}{f}U=auxu;F=s*auxg+m2*auxu*({all}+r{loops});")
}

fn kinematics(joints: usize) -> String {
    let mut text = String::new();
    // Rotation by joint k, then a link along x, then a fixed rotation by 90 degrees about x.
    for i in 0..3 {
        for j in 0..4 {
            let _ = writeln!(text, "auxp0{i}{j}={};", usize::from(i == j));
        }
    }
    for k in 1..=joints {
        for i in 0..3 {
            let of = |j: usize| format!("auxp{}{i}{j}", k - 1);
            let _ = writeln!(text, "auxp{k}{i}0={}*c{k}+{}*s{k};", of(0), of(1));
            let _ = writeln!(text, "auxp{k}{i}1={};", of(2));
            let _ = writeln!(text, "auxp{k}{i}2={}*s{k}-{}*c{k};", of(0), of(1));
            let _ = writeln!(text, "auxp{k}{i}3={}+l{k}*({}*c{k}+{}*s{k})+d{k}*{};", of(3), of(0), of(1), of(2));
        }
    }
    for i in 0..3 {
        for j in 0..4 {
            let _ = writeln!(text, "T{i}{j}=auxp{joints}{i}{j};");
        }
    }
    text
}

fn mass(joints: usize) -> String {
    let mut text = "auxC0=1;auxS0=0;".to_owned();
    for k in 1..=joints {
        let _ = writeln!(text, "auxC{k}=auxC{0}*c{k}-auxS{0}*s{k};auxS{k}=auxS{0}*c{k}+auxC{0}*s{k};", k - 1);
    }
    for i in 1..=joints {
        for j in i..=joints {
            let mut sum = String::new();
            for k in j..=joints {
                let part =
                    |from: usize, name: &str| -> String { (from..=k).map(|a| format!("+l{a}*aux{name}{a}")).collect() };
                let _ =
                    write!(sum, "+m{k}*(({})*({})+({})*({}))", part(i, "C"), part(j, "C"), part(i, "S"), part(j, "S"));
            }
            let _ = writeln!(text, "M{i}{j}={sum};");
        }
    }
    text
}

fn element(dimensions: usize) -> String {
    let local = ["u", "v", "w"];
    let slope = |i: usize, j: usize| {
        // Derivative of coordinate i by local coordinate j.
        let mut sum = String::new();
        for corner in 0..1_usize << dimensions {
            sum.push_str(if corner >> j & 1 == 1 { "+" } else { "-" });
            let _ = write!(sum, "{}{corner}", ["x", "y", "z"][i]);
            for other in (0..dimensions).filter(|&other| other != j) {
                let _ = write!(sum, "*(1{}{})", if corner >> other & 1 == 1 { '+' } else { '-' }, local[other]);
            }
        }
        format!("({sum})")
    };
    determinant(dimensions, &slope, true)
}

fn trace(n: usize) -> String {
    let mut text = String::new();
    for set in 1..1_usize << n {
        if set.count_ones() % 2 == 1 {
            continue;
        }
        let name = if set + 1 == 1 << n { "f".to_owned() } else { format!("aux{set}") };
        let members: Vec<usize> = (0..n).filter(|at| set >> at & 1 == 1).collect();
        let mut sum = String::new();
        for (place, &other) in members.iter().enumerate().skip(1) {
            let rest = set & !(1 << members[0]) & !(1 << other);
            let _ = write!(sum, "{}p{}p{other}", if place % 2 == 1 { '+' } else { '-' }, members[0]);
            if rest > 0 {
                let _ = write!(sum, "*aux{rest}");
            }
        }
        let factor = if set + 1 == 1 << n { "4*" } else { "" };
        let _ = writeln!(text, "{name}={factor}({sum});");
    }
    text
}

fn elementary(n: usize) -> String {
    let mut text = String::new();
    let name = |k: usize, m: usize| if m == n { format!("e{k}") } else { format!("auxq{k}m{m}") };
    for m in 1..=n {
        for k in 1..=m {
            let before = if k == 1 { "1".to_owned() } else { name(k - 1, m - 1) };
            let more = if k < m { format!("+{}", name(k, m - 1)) } else { String::new() };
            let _ = writeln!(text, "{}=x{m}*{before}{more};", name(k, m));
        }
    }
    text
}

fn cyclic(n: usize) -> String {
    let mut text = String::new();
    for k in 1..=n {
        let products: Vec<String> = (0..if k == n { 1 } else { n })
            .map(|i| (i..i + k).map(|j| format!("x{}", j % n + 1)).collect::<Vec<_>>().join("*"))
            .collect();
        let _ = writeln!(text, "f{k}={}{};", products.join("+"), if k == n { "-1" } else { "" });
    }
    text
}

fn katsura(n: usize) -> String {
    let mut text = String::new();
    let size = n as i64;
    for m in 0..size {
        let products: Vec<String> = (-size..=size)
            .filter(|l| (m - l).abs() <= size)
            .map(|l| format!("u{}*u{}", l.abs(), (m - l).abs()))
            .collect();
        let _ = writeln!(text, "f{m}={}-u{m};", products.join("+"));
    }
    let all: Vec<String> = (1..=n).map(|l| format!("2*u{l}")).collect();
    let _ = writeln!(text, "f{n}=u0+{}-1;", all.join("+"));
    text
}

/// `(x + i*y)^m` and `P_l^m` in z and r^2 by their recurrences; the numbers of the latter are fractions.
fn harmonics(degree: usize) -> String {
    let mut text = "auxa0=1;auxb0=0;".to_owned();
    for m in 1..=degree {
        let _ = writeln!(text, "auxa{m}=x*auxa{0}-y*auxb{0};auxb{m}=x*auxb{0}+y*auxa{0};", m - 1);
    }
    for m in 0..=degree {
        for l in m..=degree {
            let two = if l < m + 2 { String::new() } else { format!("-{}*(x^2+y^2+z^2)*auxp{}m{m}", l + m - 1, l - 2) };
            let sum =
                if l == m { "1".to_owned() } else { format!("({}*z*auxp{}m{m}{two})/{}", 2 * l - 1, l - 1, l - m) };
            let _ = writeln!(text, "auxp{l}m{m}={sum};");
        }
    }
    for l in 0..=degree {
        for m in 0..=l {
            let _ = writeln!(text, "c{l}m{m}=auxp{l}m{m}*auxa{m};");
            if m > 0 {
                let _ = writeln!(text, "s{l}m{m}=auxp{l}m{m}*auxb{m};");
            }
        }
    }
    text
}

/// Species i and i + 1 form species i + 2, and so on around.
fn kinetics(n: usize) -> String {
    let species = |i: usize| [i, (i + 1) % n, (i + 2) % n];
    let mut text = String::new();
    for i in 0..n {
        let [a, b, c] = species(i);
        let _ = writeln!(text, "auxr{i}=k{i}*x{a}*x{b}-q{i}*x{c};");
    }
    let sign = |i: usize, at: usize| {
        species(i).iter().position(|&one| one == at).map(|place| if place == 2 { '+' } else { '-' })
    };
    for at in 0..n {
        let terms: String = (0..n).filter_map(|i| Some(format!("{}auxr{i}", sign(i, at)?))).collect();
        let _ = writeln!(text, "f{at}={terms};");
    }
    for at in 0..n {
        for by in 0..n {
            let mut terms = String::new();
            for i in 0..n {
                let Some(sign) = sign(i, at) else { continue };
                let [a, b, c] = species(i);
                let slope = match by {
                    _ if by == a => format!("k{i}*x{b}"),
                    _ if by == b => format!("k{i}*x{a}"),
                    _ if by == c => format!("(-q{i})"),
                    _ => continue,
                };
                let _ = write!(terms, "{sign}{slope}");
            }
            if !terms.is_empty() {
                let _ = writeln!(text, "j{at}u{by}={terms};");
            }
        }
    }
    text
}

/// Products of the gradients of the linear functions, times their common denominators.
fn stiffness(dimensions: usize) -> String {
    let axes = &["x", "y", "z"][..dimensions];
    let mut text = String::new();
    for i in 0..=dimensions {
        let others: Vec<usize> = (0..=dimensions).filter(|&j| j != i).collect();
        for axis in 0..dimensions {
            // A minor of the edges of the side that is opposite to corner i.
            let rest: Vec<&str> = (0..dimensions).filter(|&other| other != axis).map(|other| axes[other]).collect();
            let edge = |k: usize, name: &str| format!("({name}{}-{name}{})", others[k], others[0]);
            let minor = match &rest[..] {
                [one] => edge(1, one),
                [one, two] => format!("({}*{}-{}*{})", edge(1, one), edge(2, two), edge(1, two), edge(2, one)),
                _ => unreachable!("two or three dimensions"),
            };
            let sign = if (i + axis) % 2 == 0 { '+' } else { '-' };
            let _ = writeln!(text, "auxg{i}u{axis}={sign}{minor};");
        }
    }
    for i in 0..=dimensions {
        for j in i..=dimensions {
            let sum: String = (0..dimensions).map(|axis| format!("+auxg{i}u{axis}*auxg{j}u{axis}")).collect();
            let _ = writeln!(text, "K{i}u{j}={sum};");
        }
    }
    text
}

fn lagrange(degree: usize) -> String {
    let mut text = String::new();
    for name in ["u", "v"] {
        for i in 0..=degree {
            let mut product = "1".to_owned();
            for j in (0..=degree).filter(|&j| j != i) {
                let _ = write!(product, "*({degree}*{name}-{j})/({})", i as i64 - j as i64);
            }
            let _ = writeln!(text, "aux{name}{i}={product};");
        }
    }
    for i in 0..=degree {
        for j in 0..=degree {
            let _ = writeln!(text, "n{i}u{j}=auxu{i}*auxv{j};");
        }
    }
    text
}
