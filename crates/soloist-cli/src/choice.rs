//! From arguments to what runs: options of the problem, method with parameters, rollout; fresh or from a checkpoint.

use crate::args::SolveArgs;
use crate::failure::{Failure, unknown};
use crate::values::Setting;
use soloist::{Budget, Method, ParameterError, Preset, RunInfo};
use soloist_problems::{AnyInstance, Domain, Options};

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

/// Adds the defaults of the options that are not set, so that a result tells all rules in force.
pub(crate) fn complete(domain: &Domain, mut options: Options) -> Options {
    for option in domain.options {
        if let Some(default) = option.values.first() {
            options.entry(option.name.to_owned()).or_insert_with(|| (*default).to_owned());
        }
    }
    options
}

/// Names of the problem's options, for messages.
pub(crate) fn option_names(domain: &Domain) -> String {
    let names: Vec<_> = domain.options.iter().map(|option| option.name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
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
        method.set(&setting.key, &setting.value).map_err(|error| {
            Failure::usage(match error {
                ParameterError::Unknown { name: key, known } => format!(
                    "no setting `{key}` (options of {}: {}; parameters of {name}: {known})",
                    domain.name,
                    option_names(domain)
                ),
                other => format!("{name}: {other}"),
            })
        })?;
    }
    Ok(())
}

/// Why a search with these limits may never end, if that is so.
///
/// A target, or playouts without improvement, may never be met by any search; who asks for them knows. The other cases
/// are slips.
pub(crate) fn endless(method: &Method, budget: &Budget) -> Option<&'static str> {
    if budget.time.is_some() || budget.target.is_some() {
        return None;
    }
    let systematic = matches!(method, Method::BranchAndBound(_) | Method::IdaStar(_));
    let has_nodes = systematic || matches!(method, Method::Uct(_) | Method::Beam(_));
    if systematic && budget.nodes.is_none() {
        return Some(
            "it may finish no solution for very long, so that playouts never end it: give time or nodes as well",
        );
    }
    let only_nodes = budget.nodes.is_some() && [budget.playouts, budget.stall] == [None; 2];
    (only_nodes && !has_nodes)
        .then_some("it creates no nodes, so that a limit of nodes never ends it: give time or playouts")
}

/// What runs.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The method's name.
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) rollout: String,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
}

/// The choice for a new search.
pub(crate) fn fresh(args: &SolveArgs, instance: &dyn AnyInstance, set: &[&Setting]) -> Result<Choice, Failure> {
    let rollout = args.rollout.as_deref();
    select(args.problem, instance, args.method, set, rollout, args.seed.unwrap_or(0), args.threads.unwrap_or(1))
}

/// The method of a preset (without one: the instance's default) with settings, and its rollout.
pub(crate) fn select(
    domain: &Domain,
    instance: &dyn AnyInstance,
    preset: Option<&Preset>,
    set: &[&Setting],
    rollout: Option<&str>,
    seed: u64,
    threads: usize,
) -> Result<Choice, Failure> {
    let (name, mut method) = match preset {
        Some(preset) => (preset.name, preset.method()),
        None => {
            let method = instance.default_method();
            (name_of(&method), method)
        }
    };
    apply(domain, name, &mut method, set)?;
    let tuned = preset.and_then(|preset| preset.rollout).filter(|name| instance.has_rollout(name));
    let rollout = rollout.or(tuned).map_or_else(|| instance.default_rollout(&method), str::to_owned);
    if !instance.has_rollout(&rollout) {
        let known: Vec<_> = instance.rollouts().iter().map(|info| info.name).collect();
        return Err(Failure::usage(unknown(&format!("rollout of {}", domain.name), &rollout, &known)));
    }
    Ok(Choice { name, method, rollout, seed, threads })
}

/// The choice of a resumed search; arguments may repeat it but not contradict it.
pub(crate) fn resumed(args: &SolveArgs, info: &RunInfo, set: &[&Setting]) -> Result<Choice, Failure> {
    let conflict = |what: &str, asked: &str, saved: &str| {
        Err(Failure::usage(format!(
            "{what} {asked} contradicts the checkpoint, which has {saved}; leave it out to resume"
        )))
    };
    let mut name = name_of(&info.method);
    if let Some(preset) = args.method {
        let mut asked = preset.method();
        let known = apply(args.problem, preset.name, &mut asked, set).is_ok();
        if preset.name != name && !(known && asked == info.method) {
            return conflict("--method", preset.name, name);
        }
        name = preset.name;
    }
    for setting in set {
        let mut method = info.method.clone();
        apply(args.problem, name, &mut method, &[setting])?;
        if method != info.method {
            let saved = info.method.parameters().into_iter().find(|parameter| parameter.name == setting.key);
            let saved = saved.map_or_else(|| "another value".to_owned(), |saved| saved.value);
            return conflict("--set", &format!("{}={}", setting.key, setting.value), &saved);
        }
    }
    if let Some(rollout) = &args.rollout
        && *rollout != info.rollout
    {
        return conflict("--rollout", rollout, &info.rollout);
    }
    if let Some(seed) = args.seed
        && seed != info.seed
    {
        return conflict("--seed", &seed.to_string(), &info.seed.to_string());
    }
    if let Some(threads) = args.threads
        && threads != info.threads
    {
        return conflict("--threads", &threads.to_string(), &info.threads.to_string());
    }
    Ok(Choice {
        name,
        method: info.method.clone(),
        rollout: info.rollout.clone(),
        seed: info.seed,
        threads: info.threads,
    })
}

/// The preset that a method descends from: its family's one that agrees most.
///
/// A checkpoint holds parameters, not names. Those parameters in which the family's presets differ decide, then all
/// others.
pub(crate) fn name_of(method: &Method) -> &'static str {
    let family: Vec<(&Preset, Vec<String>)> = Method::presets()
        .iter()
        .map(|preset| (preset, preset.method()))
        .filter(|(_, made)| std::mem::discriminant(made) == std::mem::discriminant(method))
        .map(|(preset, made)| (preset, values_of(&made)))
        .collect();
    let own = values_of(method);
    let telling = |at: usize| family.iter().any(|(_, values)| values[at] != family[0].1[at]);
    let differences = |values: &[String]| {
        let all = (0..own.len()).filter(|&at| values[at] != own[at]);
        let (told, rest): (Vec<_>, Vec<_>) = all.partition(|&at| telling(at));
        (told.len(), rest.len())
    };
    family.iter().min_by_key(|(_, values)| differences(values)).map_or("custom", |(preset, _)| preset.name)
}

fn values_of(method: &Method) -> Vec<String> {
    method.parameters().into_iter().map(|parameter| parameter.value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_know_their_names() {
        for preset in Method::presets() {
            let method = preset.method();
            let named = Method::preset(name_of(&method)).unwrap();
            assert_eq!(named, method, "{}", preset.name);
        }
        let mut method = Method::preset("uct-best").unwrap();
        let seldom = method.parameters().into_iter().find(|parameter| parameter.range.starts_with("a number")).unwrap();
        method.set(seldom.name, "0.123").unwrap();
        assert_eq!(name_of(&method), "uct-best");
    }

    #[test]
    fn options_go_before_parameters() {
        let setting = |text: &str| crate::values::setting(text).unwrap();
        let set = [setting("level=2"), setting("mood=bad")];
        let (options, rest) = split_settings(&crate::dummy::DOMAIN, &set).unwrap();
        assert_eq!(options, Options::from([("mood".to_owned(), "bad".to_owned())]));
        assert_eq!(rest, [&set[0]]);
        assert_eq!(complete(&crate::dummy::DOMAIN, options.clone()), options);
        assert_eq!(complete(&crate::dummy::DOMAIN, Options::new())["mood"], "good");
        let failure = split_settings(&crate::dummy::DOMAIN, &[setting("mood=fine")]).unwrap_err();
        assert_eq!(
            (failure.code, failure.message.as_str()),
            (2, "option `mood` of dummy: expected one of good, bad, got `fine`")
        );
    }
}
