//! The list of a problem's functions, and all that follows from it.
//!
//! `SOLOIST_WRITE_DOCS=1 cargo test -p soloist --test engine functions` writes the tables again.

use soloist::check::NEXT_FUNCTIONS;
use soloist::problem::{FUNCTIONS, Function, METHODS};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Compares the part of a file between two marks with `expected`, or writes it.
fn compare(name: &str, begin: &str, end: &str, expected: &str) {
    let text = read(name);
    let from = text.find(begin).unwrap_or_else(|| panic!("{name} has no `{begin}`")) + begin.len();
    let until = from + text[from..].find(end).unwrap_or_else(|| panic!("{name} has no `{end}`"));
    if std::env::var_os("SOLOIST_WRITE_DOCS").is_some() {
        std::fs::write(path(name), [&text[..from], expected, &text[until..]].concat()).unwrap();
        return;
    }
    assert_eq!(
        &text[from..until],
        expected,
        "{name} differs from the list of functions: see tests/engine/functions.rs"
    );
}

/// Returns the functions and fields that a source file declares in `pub trait NAME` or `pub struct NAME`.
fn declared(owner: &str) -> BTreeSet<String> {
    let file = match owner {
        "Problem" => "mod".to_owned(),
        "Exchange" => "swap".to_owned(),
        "Explain" => "extras".to_owned(),
        name => name.to_lowercase(),
    };
    let text = read(&format!("crates/soloist/src/problem/{file}.rs"));
    let begin = [format!("pub trait {owner}"), format!("pub struct {owner}")];
    let from = begin.iter().find_map(|begin| text.find(begin.as_str())).expect("a declaration");
    let body = text[from..].split("\n}").next().unwrap();
    let names = body.lines().filter_map(|line| {
        let line = line.strip_prefix("    ")?;
        let name = line.strip_prefix("fn ").or_else(|| line.strip_prefix("pub "))?;
        Some(name.split(['(', '<', ':']).next()?.to_owned())
    });
    names.collect()
}

/// What a reader sees: the functions without objects that have a row for each of their parts.
fn shown() -> impl Iterator<Item = &'static Function> {
    let is_object = |one: &&Function| FUNCTIONS.iter().any(|part| part.owner.to_lowercase() == one.name);
    FUNCTIONS.iter().filter(move |one| !one.is_required && !is_object(one))
}

fn name_of(one: &Function) -> String {
    if one.owner == "Problem" {
        format!("`{}`", one.name)
    } else {
        format!("`{}`: `{}`", one.owner.to_lowercase(), one.name)
    }
}

#[test]
fn the_list_has_every_function_of_the_traits() {
    for owner in ["Problem", "Facts", "Prior", "Dominance", "Ordering", "Exchange", "Extras", "Explain"] {
        let listed: BTreeSet<String> =
            FUNCTIONS.iter().filter(|one| one.owner == owner).map(|one| one.name.to_owned()).collect();
        assert_eq!(declared(owner), listed, "{owner}");
    }
    let problem = FUNCTIONS.iter().filter(|one| one.owner == "Problem").count();
    assert!(problem <= 15, "{problem} functions: can one of them be a part of an object?");
}

#[test]
fn the_table_of_the_guide_follows() {
    let mut table =
        "\n| function | what it says | methods that use it | effect in runs of this repository |\n|---|---|---|---|\n"
            .to_owned();
    for one in shown() {
        table += &format!("| {} | {} | {} | {} |\n", name_of(one), one.says, one.used_by, one.effect);
    }
    compare("docs/guide/functions.md", "<!-- functions -->", "<!-- end -->", &table);
}

#[test]
fn the_order_of_the_guide_is_that_of_advise() {
    let mut list = "\n| | function | where | what it is for | measured |\n|---|---|---|---|---|\n".to_owned();
    for (number, one) in (1..).zip(NEXT_FUNCTIONS) {
        list += &format!("| {number} | `{}` | {} | {} | {} |\n", one.name, one.when, one.why, one.gain);
        let is_known = FUNCTIONS.iter().any(|known| known.name == one.name || known.owner.to_lowercase() == one.name);
        assert!(is_known, "`{}` is in no list of functions", one.name);
    }
    compare("docs/guide/functions.md", "<!-- order -->", "<!-- end -->", &list);
}

#[test]
fn the_table_of_methods_follows() {
    let mut table = format!("\n| | {} |\n|---|{}\n", METHODS.join(" | "), "---|".repeat(METHODS.len()));
    for one in shown().filter(|one| one.marks.iter().any(|mark| !mark.is_empty())) {
        let cells: Vec<String> = one.marks.iter().map(|mark| format!(" {mark} |").replace("  |", " |")).collect();
        let owner = if one.owner == "Problem" { "Problem".to_owned() } else { format!("problem::{}", one.owner) };
        table += &format!("| [`{0}`]({owner}::{0}) |{1}\n", one.name, cells.concat());
    }
    compare("crates/soloist/src/guide.md", "<!-- marks -->", "<!-- end -->", &table);
}

#[test]
fn the_python_class_follows() {
    let mut list = "\n".to_owned();
    for one in shown().filter(|one| one.python.is_some()) {
        let names: Vec<String> = one.python.unwrap().split(", ").map(|name| format!("``{name}``")).collect();
        list += &wrapped(&format!("{}: {}", names.join(", "), one.says.split(" ([").next().unwrap()));
    }
    compare("python/package/soloist/_problem.py", "    Optional are:\n", "\n    A state may be any object", &list);
    // Each name is one of the class.
    let source = read("python/package/soloist/_problem.py");
    let class = &source[source.find("class Problem").unwrap()..source.find("_REQUIRED").unwrap()];
    for name in FUNCTIONS.iter().filter_map(|one| one.python).flat_map(|names| names.split(", ")) {
        let (function, field) = (format!("    def {name}("), format!("    {name}: "));
        assert!(class.contains(&function) || class.contains(&field), "the class has no `{name}`");
    }
    let functions = class.lines().filter_map(|line| line.strip_prefix("    def ")).map(|line| line.split('(').next());
    let known: BTreeSet<&str> = FUNCTIONS.iter().filter_map(|one| one.python).flat_map(|all| all.split(", ")).collect();
    for name in functions.flatten() {
        assert!(known.contains(name), "`{name}` of the class is not in the list");
    }
}

/// Returns an item of a list in a docstring, in lines of at most 120 columns.
fn wrapped(item: &str) -> String {
    let mut lines = vec!["    -".to_owned()];
    for word in item.split_whitespace() {
        if lines[lines.len() - 1].chars().count() + 1 + word.chars().count() > 120 {
            lines.push("     ".to_owned());
        }
        let last = lines.len() - 1;
        lines[last] += " ";
        lines[last] += word;
    }
    lines.join("\n") + "\n"
}
