//! From arguments to what runs: options of the problem, method with parameters, rollout; fresh or from a checkpoint.

use crate::args::SolveArgs;
use crate::failure::{Failure, nearest, unknown};
pub(crate) use crate::result::endless;
use crate::values::Setting;
use soloist::{Method, ParameterError, Preset, RunInfo, SavedRun, Setup};
use soloist_problems::{AnyInstance, Domain, InstanceError, Options};
use std::path::Path;

/// Why an instance cannot be opened. What is no file and was not meant as one gets the specs that exist.
pub(crate) fn unopened(domain: &Domain, text: &str, error: &InstanceError) -> String {
    let is_word = !matches!(text, "" | "-") && !text.contains(['/', '\\', '.']);
    if !is_word || !error.message.starts_with("cannot be read") || Path::new(text).exists() {
        return error.to_string();
    }
    let (kind, rest) = text.split_once(':').unwrap_or((text, "..."));
    let words = domain.instance.split([' ', ',', ';', '(', ')', '`']);
    let kinds: Vec<&str> =
        words.filter_map(|word| word.split_once(':').filter(|form| !form.1.is_empty())).map(|form| form.0).collect();
    let hint = nearest(kind, &kinds).map_or_else(String::new, |kind| format!(", did you mean `{kind}:{rest}`?"));
    format!("`{text}` is neither a file nor a spec{hint} ({} takes {})", domain.name, domain.instance)
}

/// Splits `--set` into options of the problem, checked, and the rest, which a method must know.
pub(crate) fn split_settings<'a>(domain: &Domain, set: &'a [Setting]) -> Result<(Options, Vec<&'a Setting>), Failure> {
    let mut options = Options::new();
    let mut rest = Vec::new();
    for setting in set {
        match domain.options.iter().find(|option| option.name == setting.key) {
            None => rest.push(setting),
            Some(option) if option.values.contains(&setting.value.as_str()) => {
                options.insert(setting.key.clone(), setting.value.clone());
            }
            Some(option) => {
                return Err(Failure::usage(format!(
                    "option `{}` of {}: expected one of {}, got `{}`",
                    option.name,
                    domain.name,
                    option.values.join(", "),
                    setting.value
                )));
            }
        }
    }
    Ok((options, rest))
}

/// Applies settings to a method and asks whether they go together.
pub(crate) fn apply(domain: &Domain, name: &str, method: &mut Method, set: &[&Setting]) -> Result<(), Failure> {
    apply_unchecked(domain, name, method, set)?;
    method.validate().map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// Applies settings to a method, one by one.
pub(crate) fn apply_unchecked(
    domain: &Domain,
    name: &str,
    method: &mut Method,
    set: &[&Setting],
) -> Result<(), Failure> {
    for setting in set {
        // `proof` is a setting of the run, whatever its method is: here its value is checked alone.
        let set = if setting.key == PROOF {
            Setup::from(method.clone()).set(PROOF, &setting.value)
        } else {
            method.set(&setting.key, &setting.value)
        };
        set.map_err(|error| {
            Failure::usage(match error {
                ParameterError::Unknown { name: key, known } => format!(
                    "no setting `{key}` (options of {}: {}; parameters of {name}: {known})",
                    domain.name,
                    domain.option_names()
                ),
                other => format!("{name}: {other}"),
            })
        })?;
    }
    Ok(())
}

/// The setup of a new search.
pub(crate) fn fresh(args: &SolveArgs, instance: &dyn AnyInstance, set: &[&Setting]) -> Result<Setup, Failure> {
    let mut setup = base(instance, args.method).seed(args.seed.unwrap_or(0)).threads(args.threads.unwrap_or(1));
    setup.rollout.clone_from(&args.rollout);
    complete(args.problem, instance, setup, set)
}

/// The setup of a preset, or the instance's default one, without a rollout.
pub(crate) fn base(instance: &dyn AnyInstance, preset: Option<&Preset>) -> Setup {
    preset.map_or_else(|| Setup { rollout: None, ..instance.default_setup() }, Setup::from)
}

/// Applies settings to a setup, and gives it the rollout that goes with it unless it names one.
pub(crate) fn complete(
    domain: &Domain,
    instance: &dyn AnyInstance,
    mut setup: Setup,
    set: &[&Setting],
) -> Result<Setup, Failure> {
    apply(domain, &setup.preset, &mut setup.method, set)?;
    if let Some(part) = asked_proof(set) {
        setup.proof = part;
    }
    let rollout = setup.rollout.take().unwrap_or_else(|| instance.rollout_for(&setup));
    check_rollout(domain, instance, &rollout)?;
    if let Method::Auto(auto) = &setup.method {
        let mut named = auto.methods.entries().iter().filter_map(|entry| entry.rollout());
        named.try_for_each(|rollout| check_rollout(domain, instance, rollout))?;
    }
    Ok(setup.rollout(rollout))
}

/// The setting of a run that is no parameter of its method.
const PROOF: &str = "proof";

/// Returns the part of the effort for an attempt at a proof, where valid settings name it.
fn asked_proof(set: &[&Setting]) -> Option<f64> {
    set.iter().rev().find(|setting| setting.key == PROOF).and_then(|setting| setting.value.parse().ok())
}

/// Checks that a name selects a rollout.
fn check_rollout(domain: &Domain, instance: &dyn AnyInstance, rollout: &str) -> Result<(), Failure> {
    if instance.has_rollout(rollout) {
        return Ok(());
    }
    let known: Vec<_> = instance.rollouts().iter().map(|info| info.name).collect();
    let word = rollout.split(':').next().unwrap_or_default();
    if let Some(own) = domain.searches.iter().find(|own| own.name == word) {
        let name = own.name;
        return Err(Failure::usage(format!(
            "`{name}` is a method of {}, no rollout: use --method {name}",
            domain.name
        )));
    }
    if let Some((name, argument)) = rollout.split_once(':')
        && known.contains(&name)
    {
        let place = format!("rollout `{name}` of {}", domain.name);
        return Err(Failure::usage(format!(
            "{place}: invalid argument `{argument}`; see `soloist problems {}`",
            domain.name
        )));
    }
    Err(Failure::usage(unknown(&format!("rollout of {}", domain.name), rollout, &known)))
}

/// The setup of a resumed search; arguments may repeat it but not contradict it.
pub(crate) fn resumed(
    args: &SolveArgs,
    info: &RunInfo,
    whole: Option<&SavedRun>,
    set: &[&Setting],
) -> Result<Setup, Failure> {
    let saved = &info.setup;
    let conflict = |what: &str, asked: &str, saved: &str| {
        Err(Failure::usage(format!(
            "{what} {asked} contradicts the checkpoint, which has {saved}; leave it out to resume"
        )))
    };
    if let Some(preset) = args.method {
        let mut asked = preset.method();
        let known = apply(args.problem, preset.name, &mut asked, set).is_ok();
        if preset.name != saved.preset && !(known && asked == saved.method) {
            return conflict("--method", preset.name, &saved.preset);
        }
    }
    if let Some(part) = asked_proof(set)
        && part != saved.proof
    {
        return conflict("--set", &format!("{PROOF}={part}"), &saved.proof.to_string());
    }
    for setting in set {
        let mut method = saved.method.clone();
        apply(args.problem, &saved.preset, &mut method, &[setting])?;
        if method != saved.method {
            let has = saved.method.parameters().into_iter().find(|parameter| parameter.name == setting.key);
            let has = has.map_or_else(|| "another value".to_owned(), |has| has.value);
            return conflict("--set", &format!("{}={}", setting.key, setting.value), &has);
        }
    }
    if let Some(rollout) = &args.rollout
        && Some(rollout) != saved.rollout.as_ref()
    {
        return conflict("--rollout", rollout, saved.rollout.as_deref().unwrap_or_default());
    }
    if let Some(seed) = args.seed
        && seed != saved.seed
    {
        return conflict("--seed", &seed.to_string(), &saved.seed.to_string());
    }
    if let Some(threads) = args.threads
        && threads != saved.threads
    {
        return conflict("--threads", &threads.to_string(), &saved.threads.to_string());
    }
    if let (Some(keep), Some(whole)) = (args.keep, whole)
        && keep != whole.keep
    {
        return conflict("--keep", &keep.to_string(), &whole.keep.to_string());
    }
    Ok(saved.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_go_before_parameters() {
        let setting = |text: &str| crate::values::setting(text).unwrap();
        let set = [setting("level=2"), setting("mood=bad")];
        let (options, rest) = split_settings(&crate::dummy::DOMAIN, &set).unwrap();
        assert_eq!(options, Options::from([("mood".to_owned(), "bad".to_owned())]));
        assert_eq!(rest, [&set[0]]);
        assert_eq!(crate::dummy::DOMAIN.with_defaults(options.clone()), options);
        assert_eq!(crate::dummy::DOMAIN.with_defaults(Options::new())["mood"], "good");
        let failure = split_settings(&crate::dummy::DOMAIN, &[setting("mood=fine")]).unwrap_err();
        assert_eq!(
            (failure.code, failure.message.as_str()),
            (2, "option `mood` of dummy: expected one of good, bad, got `fine`")
        );
    }
}
