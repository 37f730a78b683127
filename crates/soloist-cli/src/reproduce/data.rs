//! The file of samples: a header line, then one line for each sample, in order.

use super::sensitivity::{Panel, Study};
use crate::failure::Failure;
use crate::lines::{self, End, Refused, Writer};
use serde_json::{Map, Value, json};
use std::path::Path;

const COMMAND: &str = "soloist reproduce";
const FIRST: &str = "{\"experiment\":\"sa-uct\",";
const SAMPLE: &str = "{\"sample\":";

/// One draw of Cp and the result of each search with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) cp: f64,
    /// Operations by panel, in the order of [`Study::panels`].
    pub(crate) operations: Vec<u64>,
}

/// The header: the parameters of the study.
fn header(study: &Study) -> Value {
    json!({
        "experiment": "sa-uct",
        "instance": study.instance,
        "terms": study.terms,
        "fingerprint": format!("{:016x}", study.fingerprint),
        "sign": "keep",
        "seed": study.seed,
        "cp": [super::sensitivity::LEAST_CP, super::sensitivity::LARGEST_CP],
        "updates": study.updates,
        "directions": study.directions.iter().map(|direction| direction.name()).collect::<Vec<_>>(),
        "methods": ["uct", "sa-uct"],
    })
}

impl Sample {
    /// The line of a sample, with operations by rising number of updates:
    /// `{"sample":0,"cp":0.5,"forward":{"uct":[..],"sa-uct":[..]},..}`.
    fn line(&self, at: usize, study: &Study) -> String {
        let mut text = format!("{SAMPLE}{at},\"cp\":{}", json!(self.cp));
        let width = study.updates.len();
        for (direction, both) in study.directions.iter().zip(self.operations.chunks(2 * width)) {
            let (uct, cooled) = both.split_at(width);
            text.push_str(&format!(
                ",\"{}\":{{\"uct\":{},\"sa-uct\":{}}}",
                direction.name(),
                json!(uct),
                json!(cooled)
            ));
        }
        text + "}\n"
    }

    fn read(record: &Map<String, Value>, at: usize, study: &Study) -> Option<Self> {
        if record.get("sample")?.as_u64()? != at as u64 {
            return None;
        }
        let cp = record.get("cp")?.as_f64()?;
        let mut operations = Vec::new();
        for Panel { direction, cooled, updates } in study.panels() {
            let method = if cooled { "sa-uct" } else { "uct" };
            let counts = record.get(direction.name())?.get(method)?.as_array()?;
            let place = study.updates.iter().position(|&known| known == updates)?;
            operations.push(counts.get(place)?.as_u64()?);
        }
        Some(Self { cp, operations })
    }
}

/// The samples of a study, kept in a file.
#[derive(Debug)]
pub(crate) struct Data {
    writer: Writer,
    /// Samples 0, 1, ...
    pub(crate) samples: Vec<Sample>,
    /// Whether the last line was cut short.
    pub(crate) cut: bool,
}

impl Data {
    /// Opens the file of `study`, or makes it.
    pub(crate) fn open(path: &Path, study: &Study) -> Result<Self, Failure> {
        let (mut samples, mut begun, mut end) = (Vec::new(), false, End::default());
        let mut writer = Writer::open(path, COMMAND, false, &mut || {
            samples.clear();
            begun = false;
            let start = |number| if number == 1 { FIRST } else { SAMPLE };
            end = lines::read(path, COMMAND, &start, &mut |line| {
                let record: Map<String, Value> = serde_json::from_slice(line)?;
                if !begun {
                    begun = true;
                    return same(&record, &header(study));
                }
                let at = samples.len();
                let sample = Sample::read(&record, at, study);
                samples.push(sample.ok_or_else(|| Refused::Foreign(format!("expected sample {at} of this study")))?);
                Ok(())
            })?;
            Ok(end)
        })?;
        if !begun {
            writer.append(&format!("{}\n", ordered(&header(study))))?;
        }
        Ok(Self { writer, samples, cut: end.cut })
    }

    /// Adds the next sample.
    pub(crate) fn push(&mut self, sample: Sample, study: &Study) -> Result<(), Failure> {
        self.writer.append(&sample.line(self.samples.len(), study))?;
        self.samples.push(sample);
        Ok(())
    }
}

/// The header as text that begins with [`FIRST`].
fn ordered(header: &Value) -> String {
    let mut header = header.clone();
    let name = header.as_object_mut().and_then(|object| object.remove("experiment"));
    let rest = header.to_string();
    format!("{{\"experiment\":{},{}", name.unwrap_or_default(), &rest[1..])
}

/// Refuses the header of another study.
fn same(found: &Map<String, Value>, expected: &Value) -> Result<(), Refused> {
    for (key, value) in expected.as_object().into_iter().flatten() {
        let stored = found.get(key).unwrap_or(&Value::Null);
        if stored != value {
            let message = format!("the file holds another study: {key} {stored} instead of {value}");
            return Err(Refused::Foreign(message));
        }
    }
    Ok(())
}
