//! The name by which this node leases from wallets. It is kept over restarts, so that what an
//! earlier run left open can be given back at once, and it is never shared: a process holds a lock
//! on the file that says it, and the next process beside it takes the next file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use crate::randomness::Randomness;
use crate::secrets::random_text;

/// How many processes may share a data folder.
const MOST_PROCESSES: usize = 64;
const CHARACTERS: usize = 16;

/// A name that is this process's alone for as long as this lives.
#[derive(Debug)]
pub(super) struct NodeName {
    /// The name.
    pub name: String,
    _lock: File,
}

/// Takes the first name of the data folder that nobody uses.
pub(super) fn take(folder: &Path, randomness: &dyn Randomness) -> io::Result<NodeName> {
    for place in 0..MOST_PROCESSES {
        let path = folder.join(format!("node-{place}"));
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut name = String::new();
        file.read_to_string(&mut name)?;
        if name.trim().is_empty() {
            name = random_text(randomness, CHARACTERS);
            file.write_all(name.as_bytes())?;
            file.sync_all()?;
        }
        let name = name.trim().to_owned();
        return Ok(NodeName { name, _lock: file });
    }
    Err(io::Error::other("too many processes use this data folder"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SeededRandomness;

    #[test]
    fn a_name_is_kept_over_restarts_and_never_shared() {
        let folder = tempfile::tempdir().unwrap();
        let randomness = SeededRandomness::new(1);
        let first = take(folder.path(), &randomness).unwrap();
        let second = take(folder.path(), &randomness).unwrap();
        assert_ne!(first.name, second.name);
        let name = first.name.clone();
        drop(first);
        assert_eq!(take(folder.path(), &randomness).unwrap().name, name);
    }
}
