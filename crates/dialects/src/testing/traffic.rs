//! Recorded vendor traffic for tests. It is not part of the repository: tests over it run where the
//! folder is there (`MODELGATE_TRAFFIC`, or beside the checkout) and say so where it is not.

use std::path::PathBuf;

use serde_json::Value;

/// Every recorded body of this format (`chat-completions`, `anthropic`, `google`, `responses`) and
/// kind (`request`, `response`, `response-streaming`), follow-ups included, with its name.
pub(crate) fn bodies(format: &str, kind: &str) -> Vec<(String, Value)> {
    let beside = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/vendor-traffic"
    );
    let folder = std::env::var_os("MODELGATE_TRAFFIC").map_or_else(|| beside.into(), PathBuf::from);
    let Ok(cases) = std::fs::read_dir(&folder) else {
        println!(
            "left out: there is no recorded traffic in {}",
            folder.display()
        );
        return Vec::new();
    };
    let mut found = Vec::new();
    for case in cases.flatten() {
        for file in [format!("{kind}.json"), format!("followup-{kind}.json")] {
            let path = case.path().join(format).join(&file);
            let Ok(text) = std::fs::read(&path) else {
                continue;
            };
            let name = format!("{}/{format}/{file}", case.file_name().to_string_lossy());
            let body = serde_json::from_slice(&text).expect("recorded traffic is JSON");
            found.push((name, body));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
