//! What is on disk and not yet in the database.

use std::path::Path;
use std::time::{Duration, Instant};

/// Whether a folder's spool has charges.
pub fn has_spooled(folder: &Path) -> bool {
    let is_filled = |file: &&str| {
        // Before the first server there is none.
        let bytes = std::fs::read(folder.join(file)).unwrap_or_default();
        bytes.starts_with(b"MGATE")
    };
    let files = ["modelgate.db-spool-1", "modelgate.db-spool-2"];
    files.iter().any(is_filled)
}

/// Waits until the database has what the spool has.
pub fn wait_for_spool(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while has_spooled(folder) {
        assert!(Instant::now() < deadline, "the database never got it");
        std::thread::sleep(Duration::from_millis(5));
    }
}
