//! Every claim of a result is verified, or listed as one that was not: one field is changed at a time.

use serde_json::{Value, json};
use soloist::{Budget, Setup};
use soloist_problems::claims::{Submission, Verdict};
use soloist_problems::result::Asked;
use soloist_problems::{AnyInstance, Domain, Options, Request, RunRecord, Unobserved, domains};

/// The result of a short run, and the instance.
fn solved(domain: &Domain, keep: usize) -> (Value, Box<dyn AnyInstance>) {
    let options = domain.with_defaults(Options::new());
    let instance = domain.open(domain.example, &options).unwrap();
    let setup = Setup::named("nrpa").seed(3);
    let rollout = instance.rollout_for(&setup);
    let setup = setup.rollout(rollout);
    let request = Request { setup: Some(setup.clone()), budget: Budget::playouts(300), keep, ..Request::default() };
    let report = instance.solve(request, &mut Unobserved).unwrap();
    let asked = Asked { domain, instance: &*instance, options: &options, setup: &setup };
    let result = serde_json::to_value(RunRecord::result(asked, &report)).unwrap();
    (result, instance)
}

fn verdict(domain: &Domain, instance: &dyn AnyInstance, result: &Value) -> Result<Verdict, String> {
    let text = result.to_string();
    Submission::read(&text)?.verify(domain.name, instance)
}

/// Other values of the same kind.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(1)],
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Number(number) => match number.as_u64() {
            Some(whole) => vec![json!(whole + 1)],
            None => vec![json!(number.as_f64().unwrap() + 1.0)],
        },
        Value::String(text) => vec![json!(format!("{text}x"))],
        Value::Array(list) => {
            let reversed: Vec<Value> = list.iter().rev().cloned().collect();
            let mut first = list.clone();
            if let Some(entry) = first.first_mut() {
                *entry = others(entry).remove(0);
            }
            vec![
                json!(reversed),
                json!([list.clone(), list.clone()].concat()),
                json!(list[..list.len() / 2]),
                json!(first),
            ]
        }
        Value::Object(object) => {
            let mut changed = object.clone();
            if let Some(entry) = changed.values_mut().next() {
                *entry = others(entry).remove(0);
            }
            vec![Value::Object(changed), json!({ "x": 1 })]
        }
    }
}

/// Changes a field, at the top or inside `inside`, in every way and expects that the claim is refused or listed.
fn expect_seen(
    domain: &Domain,
    instance: &dyn AnyInstance,
    result: &Value,
    inside: Option<&str>,
    field: &str,
) -> usize {
    let value = inside.map_or(&result[field], |inside| &result[inside][field]);
    let mut tried = 0;
    for other in others(value).into_iter().filter(|other| other != value) {
        // A claim that is withdrawn is none.
        if other == false && ["optimal", "infeasible", "verified"].contains(&field) {
            continue;
        }
        let mut changed = result.clone();
        let object = match inside {
            Some(inside) => &mut changed[inside],
            None => &mut changed,
        };
        object[field] = other.clone();
        tried += 1;
        let Ok(verdict) = verdict(domain, instance, &changed) else { continue };
        let name = inside.map_or(field.to_owned(), |inside| format!("{inside}.{field}"));
        let is_listed = verdict.unchecked.contains(&name) || verdict.proofs.iter().any(|(claim, _)| *claim == field);
        assert!(is_listed, "{}: {name} {value} -> {other} is neither refused nor listed: {verdict:?}", domain.name);
    }
    tried
}

#[test]
fn no_claim_passes_in_silence() {
    for domain in domains() {
        let (mut result, instance) = solved(domain, 1);
        if result["feasible"] == false {
            // Nothing is claimed of it but that.
            assert!(verdict(domain, &*instance, &result).is_err(), "{}", domain.name);
            continue;
        }
        let own = verdict(domain, &*instance, &result).unwrap_or_else(|error| panic!("{}: {error}", domain.name));
        assert_eq!(own.remark(), "not checked: how it was found", "{}", domain.name);
        let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let mut tried = 0;
        for field in fields(&result).iter().filter(|field| *field != "options") {
            tried += expect_seen(domain, &*instance, &result, None, field);
        }
        for field in fields(&result["solution"]) {
            tried += expect_seen(domain, &*instance, &result, Some("solution"), &field);
        }
        assert!(tried > 25, "{}: {tried}", domain.name);
        // A field that nobody knows is one that nobody has looked at.
        result["certified"] = json!("by hand");
        assert!(verdict(domain, &*instance, &result).unwrap().unchecked.contains(&"certified".to_owned()));
        result.as_object_mut().unwrap().remove("certified");
        // Without moves that make it, a solution has what its checker looks at.
        result.as_object_mut().unwrap().remove("moves");
        let own = verdict(domain, &*instance, &result).unwrap_or_else(|error| panic!("{}: {error}", domain.name));
        let is_unseen = |field: &str| own.unchecked.contains(&field.to_owned());
        assert_eq!(is_unseen("parts"), result.get("parts").is_some(), "{}: {own:?}", domain.name);
        // Another list of moves or routes may be the same solution, or another one that is valid.
        let is_derived = |field: &String| *field == "starts" || !result["solution"][field].is_array();
        for field in fields(&result["solution"]).iter().filter(|field| is_derived(field)) {
            expect_seen(domain, &*instance, &result, Some("solution"), field);
        }
    }
}

#[test]
fn other_solutions_are_what_their_moves_make() {
    let domain = domains().iter().find(|domain| domain.name == "vrptw").unwrap();
    let (result, instance) = solved(domain, 3);
    let own = verdict(domain, &*instance, &result).unwrap();
    assert_eq!((own.others, own.remark().as_str()), (2, "not checked: how it was found"));
    for field in ["score", "moves", "solution", "parts"] {
        let mut changed = result.clone();
        changed["others"][1][field] = others(&result["others"][1][field]).remove(0);
        let error = verdict(domain, &*instance, &changed).unwrap_err();
        assert!(error.starts_with("other solution 2: "), "{field}: {error}");
    }
}

/// What another release has written may have moves of another meaning: they are listed.
#[test]
fn moves_of_other_releases_are_not_checked() {
    let domain = domains().iter().find(|domain| domain.name == "stacking").unwrap();
    let (mut result, instance) = solved(domain, 1);
    result["moves"].as_array_mut().unwrap().reverse();
    assert!(verdict(domain, &*instance, &result).unwrap_err().starts_with("`moves`: "));
    result["version"] = json!("0.0.1");
    let found = verdict(domain, &*instance, &result).unwrap();
    assert!(
        found.unchecked.contains(&"moves".to_owned())
            && found.unchecked.contains(&"parts".to_owned()) == result.get("parts").is_some(),
        "{found:?}"
    );
}
