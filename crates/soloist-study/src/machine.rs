//! The machine on which runs are made, in a few words: seconds mean nothing without it.

use soloist_domain::result::Asked;
use soloist_domain::{Machine, RunTask};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// This machine, described once.
pub(crate) fn this() -> &'static Arc<Machine> {
    static MACHINE: OnceLock<Arc<Machine>> = OnceLock::new();
    MACHINE.get_or_init(|| {
        Arc::new(Machine {
            processor: processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: system(),
        })
    })
}

/// Returns the task of a run on the instance of this name, with this machine.
#[must_use]
pub fn task(asked: Asked<'_>, name: &str) -> RunTask {
    RunTask { machine: Some(Arc::clone(this())), ..RunTask::new(asked, name) }
}

fn processor() -> Option<String> {
    if cfg!(windows) {
        return std::env::var("PROCESSOR_IDENTIFIER").ok().and_then(|name| tidy(&name));
    }
    if cfg!(target_os = "macos") {
        return said("sysctl", &["-n", "machdep.cpu.brand_string"]);
    }
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    value_of(&text, ':', &["model name", "Model", "cpu model", "cpu"])
}

fn system() -> String {
    let (name, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let release = if cfg!(windows) {
        None
    } else {
        let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let pretty = value_of(&text, '=', &["PRETTY_NAME"]);
        [said("uname", &["-sr"]), pretty].into_iter().flatten().reduce(|kernel, pretty| format!("{pretty}, {kernel}"))
    };
    format!("{}, {arch}", release.as_deref().unwrap_or(name))
}

/// The value of the first of `keys` that occurs in lines `key SEPARATOR value`.
fn value_of(text: &str, separator: char, keys: &[&str]) -> Option<String> {
    let pairs = || text.lines().filter_map(|line| line.split_once(separator));
    keys.iter().find_map(|key| pairs().find(|(name, _)| name.trim() == *key).and_then(|(_, value)| tidy(value)))
}

/// The first line that a program of the system prints, if it is there and succeeds.
fn said(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())?;
    tidy(text.lines().next().unwrap_or_default())
}

/// Single blanks, no quotes around, at most 200 characters; `None` if nothing is left.
fn tidy(text: &str) -> Option<String> {
    let words: Vec<_> = text.trim().trim_matches('"').split_whitespace().collect();
    let text: String = words.join(" ").chars().filter(|c| !c.is_control()).take(200).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_and_tidied() {
        let info = "processor\t: 0\nmodel name\t: Fast  CPU\u{7} 9000 \nmodel name\t: other\n";
        assert_eq!(value_of(info, ':', &["Model", "model name"]).as_deref(), Some("Fast CPU 9000"));
        assert_eq!(value_of("A=\"x y\"\nB=\n", '=', &["A"]).as_deref(), Some("x y"));
        assert_eq!(value_of("A=\"x y\"\nB=\n", '=', &["B"]), None);
        assert_eq!(said("surely-no-such-program", &[]), None);
    }

    #[test]
    fn every_machine_has_a_description() {
        let machine = this();
        assert!(machine.cores >= 1 && !machine.processor.is_empty() && !machine.system.is_empty());
        let machine = Machine { processor: "P".to_owned(), cores: 1, system: "S".to_owned() };
        assert_eq!(machine.to_string(), "P, 1 core, S");
    }
}
