//! The best known score of each instance, from a CSV file beside the spec or given to `soloist report`.

use super::spec::at_line;
use crate::failure::Failure;
use crate::text::{is_formula, plain};
use soloist::Sense;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// Largest file of best known scores that is read.
const MAX_SIZE: u64 = 16 << 20;

/// Best known scores by the name of the instance.
#[derive(Clone, Debug, Default)]
pub(crate) struct BestKnown(HashMap<String, f64>);

impl BestKnown {
    /// Reads a CSV file with the columns `instance` and `value`; other columns are ignored, an empty value is unknown.
    ///
    /// # Errors
    /// One line with the file and the line in it.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let unreadable = |error: &std::io::Error| Failure::runtime(format!("{shown}: cannot be read: {error}"));
        let file = soloist::run::file::open_regular(path).map_err(|error| unreadable(&error))?;
        let mut bytes = Vec::new();
        file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        if bytes.len() as u64 > MAX_SIZE {
            return Err(Failure::runtime(format!("{shown}: expected a CSV file of at most 16 MiB")));
        }
        let text = std::str::from_utf8(&bytes);
        let text = text.map_err(|_| Failure::runtime(format!("{shown}: expected text in UTF-8")))?;
        Self::parse(&shown, text.trim_start_matches('\u{feff}'))
    }

    fn parse(file: &str, text: &str) -> Result<Self, Failure> {
        let fail = |line: u64, message: &str| Failure::runtime(at_line(file, line as usize, message).message);
        let broken = |error: &csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    fail(line, &format!("{len} fields, expected {expected_len} as in the first line"))
                }
                _ => fail(line, "no CSV"),
            }
        };
        let mut reader =
            csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
        let head = reader.headers().map_err(|error| broken(&error))?.clone();
        let column = |name: &str| {
            let at = head.iter().position(|head| head == name);
            at.ok_or_else(|| fail(1, &format!("no column `{name}`, expected `instance,value`")))
        };
        let (instance, value) = (column("instance")?, column("value")?);
        let mut known = HashMap::new();
        for record in reader.records() {
            let record = record.map_err(|error| broken(&error))?;
            let line = record.position().map_or(1, csv::Position::line);
            // The exports of `bench` guard what looks like a formula by an apostrophe.
            let name = record[instance].strip_prefix('\'').filter(|name| is_formula(name)).unwrap_or(&record[instance]);
            let text = &record[value];
            if text.is_empty() {
                continue;
            }
            let score = text.parse::<f64>().ok().filter(|score| score.is_finite());
            let score = score.ok_or_else(|| fail(line, &format!("expected a number as value, got `{text}`")))?;
            if name.is_empty() {
                return Err(fail(line, "an instance without a name"));
            }
            if let Some(other) = known.insert(name.to_owned(), score)
                && other.to_bits() != score.to_bits()
            {
                let message = format!("`{name}` has two values, {} and {}", plain(other), plain(score));
                return Err(fail(line, &message));
            }
        }
        Ok(Self(known))
    }

    /// The best known score of the instance that the spec calls `name`: under the whole name, the name of the file, or
    /// that without its ending.
    pub(crate) fn of(&self, name: &str) -> Option<f64> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        [name, file, stem].into_iter().find_map(|name| self.0.get(name).copied())
    }
}

/// How far a score is behind the best known one, as a part of it: 0 for the same, negative for a better one. `None`
/// where the best known is 0 and the score is not.
pub(crate) fn gap(sense: Sense, score: f64, best: f64) -> Option<f64> {
    if soloist_domain::result::close(score, best) {
        return Some(0.0);
    }
    let behind = match sense {
        Sense::Maximize => best - score,
        Sense::Minimize => score - best,
    };
    (best != 0.0).then(|| behind / best.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let text = "set,instance , value\nA,a.kp,12\n# a remark\nA,\"b,1\",3.5\nA,c,\nB,x/d.txt,-1\nB,a.kp,12\n";
        let known = BestKnown::parse("best.csv", text).unwrap();
        let all = ["a.kp", "dir/a.kp", "a", "b,1", "c.kp", "x/d.txt", "d.txt"].map(|name| known.of(name));
        assert_eq!(all, [Some(12.0), Some(12.0), None, Some(3.5), None, Some(-1.0), None]);
        assert_eq!(BestKnown::parse("f", "instance,value\nC101,10\n").unwrap().of("solomon/C101.txt"), Some(10.0));
    }

    #[test]
    fn wrong_files_are_refused_with_their_line() {
        for (text, message) in [
            ("", "best.csv: line 1: no column `instance`, expected `instance,value`"),
            ("instance,score\na,1\n", "best.csv: line 1: no column `value`, expected `instance,value`"),
            ("instance,value\na,1\nb,x\n", "best.csv: line 3: expected a number as value, got `x`"),
            ("instance,value\na,inf\n", "best.csv: line 2: expected a number as value, got `inf`"),
            ("instance,value\n,1\n", "best.csv: line 2: an instance without a name"),
            ("instance,value\na,1\na,2\n", "best.csv: line 3: `a` has two values, 1 and 2"),
            ("instance,value\na,1,2\n", "best.csv: line 2: 3 fields, expected 2 as in the first line"),
        ] {
            let failure = BestKnown::parse("best.csv", text).unwrap_err();
            assert_eq!((failure.code(), failure.message.as_str()), (1, message));
        }
    }

    #[test]
    fn gaps_know_the_sense() {
        assert_eq!(gap(Sense::Maximize, 90.0, 100.0), Some(0.1));
        assert_eq!(gap(Sense::Minimize, 110.0, 100.0), Some(0.1));
        assert_eq!(gap(Sense::Minimize, -90.0, -100.0), Some(0.1));
        assert_eq!(gap(Sense::Maximize, 110.0, 100.0), Some(-0.1));
        assert_eq!((gap(Sense::Minimize, 1.0, 0.0), gap(Sense::Minimize, 0.0, 0.0)), (None, Some(0.0)));
    }
}
