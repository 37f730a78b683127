//! Published values: small CSV files of this crate, with their source in comments.

use std::path::Path;

/// The published values of an experiment.
#[derive(Debug, Default)]
pub(crate) struct Published {
    /// Where they come from, a line each.
    pub(crate) source: Vec<String>,
    /// Methods by the names of our rows, or others that we do not run.
    pub(crate) columns: Vec<String>,
    rows: Vec<Line>,
}

/// One statistic of one instance (`*`: of all) for every column.
#[derive(Debug)]
struct Line {
    statistic: String,
    instance: String,
    values: Vec<Option<f64>>,
}

impl Published {
    /// Reads a file: `#` begins a comment, the head is `statistic,instance,COLUMN,..`, an empty cell is unknown.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut published = Self::default();
        for (at, line) in text.lines().enumerate() {
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            if let Some(comment) = line.strip_prefix('#') {
                published.source.push(comment.trim().to_owned());
                continue;
            }
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let [statistic, instance, values @ ..] = &cells[..] else {
                return Err(wrong("expected three cells or more"));
            };
            if published.columns.is_empty() {
                if (*statistic, *instance) != ("statistic", "instance") {
                    return Err(wrong("expected the head `statistic,instance,..`"));
                }
                published.columns = values.iter().map(|&name| name.to_owned()).collect();
                continue;
            }
            if values.len() != published.columns.len() {
                return Err(wrong(&format!("{} values, expected {}", values.len(), published.columns.len())));
            }
            let read = |cell: &&str| match *cell {
                "" => Ok(None),
                number => number.parse().map(Some).map_err(|_| wrong(&format!("`{number}` is not a number"))),
            };
            let values = values.iter().map(read).collect::<Result<_, _>>()?;
            published.rows.push(Line { statistic: (*statistic).to_owned(), instance: (*instance).to_owned(), values });
        }
        Ok(published)
    }

    fn find(&self, statistic: &str, instance: &str, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|name| name == column)?;
        let row = self.rows.iter().find(|row| row.statistic == statistic && row.instance == instance)?;
        row.values[at]
    }

    /// A statistic over all instances.
    pub(crate) fn overall(&self, statistic: &str, column: &str) -> Option<f64> {
        self.find(statistic, "*", column)
    }

    /// The score on an instance, which the file calls by its name without folder and ending.
    pub(crate) fn score(&self, instance: &str, column: &str) -> Option<f64> {
        self.find("score", short(instance), column)
    }

    /// The instances with scores, in the order of the file.
    pub(crate) fn instances(&self) -> Vec<String> {
        self.rows.iter().filter(|row| row.statistic == "score").map(|row| row.instance.clone()).collect()
    }

    /// The statistics over all instances, each once.
    pub(crate) fn statistics(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in self.rows.iter().filter(|row| row.instance == "*") {
            if !names.contains(&row.statistic.as_str()) {
                names.push(&row.statistic);
            }
        }
        names
    }

    /// Whether there are scores of instances.
    pub(crate) fn has_scores(&self) -> bool {
        self.rows.iter().any(|row| row.statistic == "score")
    }
}

/// The name of an instance without folder and ending.
pub(crate) fn short(instance: &str) -> &str {
    Path::new(instance).file_stem().and_then(|stem| stem.to_str()).unwrap_or(instance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_with_their_gaps() {
        let text = "# A paper, table 1\nstatistic,instance,a,b c\nmean,*,1.5,\nscore,js01,,-3\n";
        let published = Published::parse(text).unwrap();
        assert_eq!((published.source[0].as_str(), published.columns.len()), ("A paper, table 1", 2));
        assert_eq!((published.overall("mean", "a"), published.overall("mean", "b c")), (Some(1.5), None));
        assert_eq!(published.score("boards/js01.txt", "b c"), Some(-3.0));
        assert_eq!((published.score("js02", "a"), published.score("js01", "z")), (None, None));
        assert_eq!((published.statistics(), published.has_scores()), (vec!["mean"], true));
        assert_eq!(published.instances(), ["js01"]);
        for (text, part) in [
            ("a,b,c\n", "line 1: expected the head"),
            ("statistic,instance,a\nmean,*\n", "line 2: 0 values, expected 1"),
            ("statistic,instance,a\nmean,*,x\n", "`x` is not a number"),
            ("statistic\n", "three cells"),
        ] {
            assert!(Published::parse(text).unwrap_err().contains(part), "{text}");
        }
    }
}
