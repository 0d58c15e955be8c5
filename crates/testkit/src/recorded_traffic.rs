//! Recorded vendor traffic. It is not part of the repository: tests over it run where the folder is
//! there (`MODELGATE_TRAFFIC`, or beside the checkout) and say so where it is not.

use std::path::PathBuf;

use serde_json::Value;

const BESIDE_THE_CHECKOUT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/vendor-traffic"
);

/// The recorded traffic: cases, in each a folder for every format (`chat-completions`, `anthropic`,
/// `google`, `responses`), in that its bodies (`request`, `response`, `response-streaming`, and the
/// same of a follow-up).
#[derive(Debug)]
pub struct RecordedTraffic {
    folder: PathBuf,
    cases: Vec<String>,
}

impl RecordedTraffic {
    /// The traffic, where it is at hand.
    pub fn open() -> Option<Self> {
        let given = std::env::var_os("MODELGATE_TRAFFIC");
        let folder = PathBuf::from(given.unwrap_or_else(|| BESIDE_THE_CHECKOUT.into()));
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("left out: no recorded traffic in {}", folder.display());
            return None;
        };
        let folders = entries.flatten().filter(|entry| entry.path().is_dir());
        let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut cases: Vec<String> = names.collect();
        cases.sort();
        Some(Self { folder, cases })
    }

    /// The names of all cases, sorted.
    pub fn cases(&self) -> &[String] {
        &self.cases
    }

    /// One recorded body.
    ///
    /// # Panics
    ///
    /// When it is not JSON.
    pub fn body(&self, case: &str, format: &str, name: &str) -> Option<Value> {
        let file = self.folder.join(case).join(format);
        let text = std::fs::read(file.join(format!("{name}.json"))).ok()?;
        Some(serde_json::from_slice(&text).expect("recorded traffic is JSON"))
    }

    /// Every recorded body of a format under one of these names, with its path.
    pub fn bodies(&self, format: &str, names: &[&str]) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        for case in &self.cases {
            for name in names {
                if let Some(body) = self.body(case, format, name) {
                    found.push((format!("{case}/{format}/{name}.json"), body));
                }
            }
        }
        found
    }
}
