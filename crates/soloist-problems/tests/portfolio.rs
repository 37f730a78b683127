//! What the shipped problems name for `auto` is what they run by default.

use soloist::search::parameters::Entries;
use soloist::search::parameters::Table;
use soloist::{Budget, Setup};
use soloist_problems::{Options, Request, Unobserved, domains};

#[test]
fn every_shipped_problem_enters_its_default_with_the_rollout_that_goes_with_it() {
    for domain in domains() {
        let instance = (domain.load)(domain.example, &Options::new()).unwrap();
        let default = instance.default_setup();
        let bare = Setup { rollout: None, ..default.clone() };
        assert_eq!(Some(instance.rollout_for(&bare)), default.rollout, "{}", domain.name);
        // What `auto` says that it has entered first is the default.
        let request = Request {
            setup: Some(Setup::preset("auto").unwrap().seed(1)),
            budget: Budget::playouts(9),
            ..Request::default()
        };
        let report = instance.solve(request, &mut Unobserved).unwrap();
        let (entered, _) = report.remarks[0].split_once(" race: ").unwrap();
        let entries: Entries = entered.parse().unwrap();
        if let Table::Auto(auto) = default.method.table() {
            let named = auto.methods.entries();
            assert_eq!(entries.entries()[..named.len()], *named, "{}", domain.name);
            assert!(!named.is_empty(), "{}", domain.name);
            continue;
        }
        let mut first = entries.entries()[0].setup();
        if let Some(own) = domain.searches.iter().find(|own| own.name == first.preset) {
            // A name alone until a run looks it up.
            first.method = own.method();
        }
        assert_eq!((&first.preset, &first.method), (&default.preset, &default.method), "{}", domain.name);
        assert_eq!(first.rollout.or(report.run.setup.rollout), default.rollout, "{}", domain.name);
    }
}
