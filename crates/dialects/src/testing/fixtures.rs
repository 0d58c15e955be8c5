//! Our own fixtures, by dialect and kind.

use std::path::Path;

/// Fixtures of this folder whose names begin so (`request-`, `reply-`, `stream-`, …), by name.
pub(crate) fn of_kind(folder: &str, start: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(folder);
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("every dialect has fixtures")
        .flatten()
        .map(|file| (file.file_name().to_string_lossy().into_owned(), file.path()))
        .filter(|(name, _)| name.starts_with(start))
        .map(|(name, path)| (name, std::fs::read(path).expect("a readable fixture")))
        .collect();
    assert!(!found.is_empty(), "no fixture begins with {start}");
    found.sort();
    found
}

/// One fixture.
pub(crate) fn one(folder: &str, name: &str) -> Vec<u8> {
    let mut found = of_kind(folder, name);
    found.retain(|(found, _)| found == name);
    found.pop().expect("a fixture of that name").1
}
