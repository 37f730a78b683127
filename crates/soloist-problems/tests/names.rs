//! Names of options, parameters and methods: `--set` and keywords have one list of them.

use soloist_problems::{domains, methods};

#[test]
fn no_option_hides_a_parameter_of_a_method_or_has_the_name_of_one() {
    for domain in domains() {
        for option in domain.options {
            for preset in methods() {
                let known = preset.method().parameters();
                let parameter = known.iter().find(|parameter| parameter.name == option.name);
                assert_eq!(parameter.map(|parameter| parameter.name), None, "{} of {}", preset.name, domain.name);
                assert_ne!(preset.name, option.name, "{}", domain.name);
            }
            assert_ne!(option.name, "proof", "{}", domain.name);
        }
    }
}

#[test]
fn an_option_accepts_its_words_and_the_numbers_of_its_ranges() {
    let vrptw = domains().iter().find(|domain| domain.name == "vrptw").unwrap();
    let vehicles = vrptw.options.iter().find(|option| option.name == "vehicles").unwrap();
    assert!(["auto", "1", "19", "1000000"].iter().all(|value| vehicles.accepts(value)));
    assert!(
        !["", "0", "01", "+1", "-1", "1000001", "1.5", "many", "1..1000000"]
            .iter()
            .any(|value| vehicles.accepts(value))
    );
}
