//! What one front end refuses, all refuse, with the same message.

use crate::common::{Folder, run};
use soloist_problems::{RunSpec, domains};

/// Method, settings in their order, and a part of the message.
type Wrong = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const WRONG: &[Wrong] = &[
    ("nrpa", &[("levle", "2")], "no setting `levle`, did you mean `level`?"),
    (
        "nrpa",
        &[("nosuch", "1")],
        "no setting `nosuch` (options of knapsack: none; parameters of nrpa: `soloist methods nrpa --all`)",
    ),
    ("nrpa", &[("level", "0")], "nrpa: parameter `level`: expected a whole number from 1 to 12, got `0`"),
    ("nrpa", &[("level", "x")], "nrpa: parameter `level`: expected a whole number from 1 to 12, got `x`"),
    ("nrpa", &[("level", "1.5")], "got `1.5`"),
    ("nrpa", &[("level", "true")], "got `true`"),
    ("nrpa", &[("alpha", "NaN")], "nrpa: parameter `alpha`: expected"),
    ("uct", &[("value", "worst")], "uct: parameter `value`: expected"),
    ("uct", &[("proof", "2")], "uct: parameter `proof`: expected a number from 0 to 1, got `2`"),
    ("uct", &[("played_only", "true")], "uct: played_only needs move_playouts"),
    ("bmcts", &[("move_playouts", "9")], "bmcts: beam_width and move_playouts exclude each other"),
    ("auto", &[("methods", "uct,nrpa(levle=2)")], "`nrpa(levle=2)`: no parameter `levle`, did you mean `level`?"),
    ("nrpq", &[], "no method `nrpq`, did you mean `nrpa`?"),
];

#[test]
fn the_same_wrong_setting_has_the_same_message_everywhere() {
    let folder = Folder::new();
    for (method, set, part) in WRONG {
        let values = |quote: &str| -> Vec<String> {
            set.iter().map(|(key, value)| format!("{quote}{key}{quote}: {quote}{value}{quote}")).collect()
        };
        let json = format!(
            "{{\"problem\": \"knapsack\", \"method\": \"{method}\", \"set\": {{{}}}}}",
            values("\"").join(", ")
        );
        let spec: RunSpec = serde_json::from_str(&json).unwrap();
        let domain = spec.domain(domains()).unwrap();
        let message = spec.check(domain).unwrap_err().to_string();
        assert!(message.contains(part) && !message.contains('\n'), "{message}");

        // On the command line.
        let mut words = vec!["--method".to_owned(), (*method).to_owned(), "--playouts".to_owned(), "5".to_owned()];
        for (key, value) in *set {
            words.extend(["--set".to_owned(), format!("{key}={value}")]);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let call = |start: &[&str]| run(&[start, &words[..]].concat()).refused(2, &message);
        call(&["solve", "knapsack", "weak:9x9:1"]);
        call(&["tune", "knapsack", "weak:9x9:1..9", "-p", "clamp=1..2", "--out", &folder.join("tuning")]);
        if !message.starts_with("no setting") {
            call(&["simplify", "res:2,2"]);
        }
        // In a file, as text and as numbers or booleans where the value is one.
        let bare = |value: &str| value.parse::<f64>().is_ok_and(f64::is_finite) || value == "true";
        for quoted in [true, false] {
            let value = |value: &str| if quoted || !bare(value) { format!("\"{value}\"") } else { value.to_owned() };
            let set: Vec<String> = set.iter().map(|(key, text)| format!("{key} = {}", value(text))).collect();
            let spec = format!(
                "problem = \"knapsack\"\ninstances = [\"weak:9x9:1\"]\nbudget = {{ playouts = 5 }}\n[[method]]\nmethod = \
                 \"{method}\"\nset = {{ {} }}\n",
                set.join(", ")
            );
            run(&["bench", &folder.write("spec.toml", spec), "--dry-run"]).refused(2, &message);
        }
    }
}

#[test]
fn the_same_wrong_limit_has_the_same_message_everywhere() {
    let folder = Folder::new();
    for (name, value, part) in [
        ("time", "soon", "expected a duration such as 30, 30s, 1.5m, 2h or 500ms, got `soon`"),
        ("time", "0", "the shortest duration is 1ms, got `0`"),
        ("playouts", "0.5", "a count is a whole number, got `0.5`"),
        ("playouts", "many", "expected a count such as 1000, 1e6, 200k, 5M or 1_000_000, got `many`"),
        ("nodes", "0", "the least count is 1, got `0`"),
        ("stall", "0", "the least count is 1, got `0`"),
        ("target", "best", "expected a number, got `best`"),
        ("memory", "1", "the least memory is 64KiB, got `1`"),
        ("max_moves", "0", "the least count is 1, got `0`"),
    ] {
        let json = format!("{{\"problem\": \"knapsack\", \"budget\": {{\"{name}\": \"{value}\"}}}}");
        let message = serde_json::from_str::<RunSpec>(&json).unwrap_err().to_string();
        assert!(message.starts_with(&format!("`{name}`: {part}")), "{message}");
        let option = format!("--{}", name.replace('_', "-"));
        run(&["solve", "knapsack", "weak:9x9:1", &option, value]).refused(2, part);
        for value in [format!("\"{value}\""), value.to_owned()] {
            if value.parse::<f64>().is_err() && !value.starts_with('"') {
                continue;
            }
            let spec = format!(
                "problem = \"knapsack\"\ninstances = [\"weak:9x9:1\"]\nbudget = {{ {name} = {value} }}\n[[method]]\n\
                 method = \"uct\"\n"
            );
            let message = format!("spec.toml: line 3: `{name}`: {part}");
            run(&["bench", &folder.write("spec.toml", spec), "--dry-run"]).refused(2, &message);
        }
    }
}
