//! The key file: created for its owner alone on the first run, refused when others can read it,
//! replaced as a whole when a key is added.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::key_ring::{KeyRing, NotAKeyRing};
use crate::file_owners::{UnsafeFile, check_key_file};
use crate::randomness::Randomness;

/// Why there are no master keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Reading or writing failed.
    #[error("master key file {path}: {cause}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Other users can change or replace it.
    #[error("master key file {0}")]
    Unsafe(#[from] UnsafeFile),
    /// Others than its owner can read it.
    #[error("master key file {path} can be read by others (mode {mode:o}); run: chmod 600 {path}")]
    ReadableByOthers {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// What it says is not a list of keys.
    #[error("master key file {path}: {cause}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: NotAKeyRing,
    },
}

/// Reads the keys, creating the file with a new key where there is none.
///
/// Several processes may start at once on one folder: the file appears whole or not at all, and
/// whoever comes second reads what the first has written.
pub fn open_key_file(path: &Path, randomness: &dyn Randomness) -> Result<KeyRing, KeyFileError> {
    match read(path) {
        Err(KeyFileError::Unusable { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {
            let ring = KeyRing::generate(randomness);
            let unusable = |cause| KeyFileError::Unusable {
                path: path.to_owned(),
                cause,
            };
            let temporary = write_beside(path, &ring, randomness).map_err(unusable)?;
            // Linking, unlike renaming, does not replace a file that appeared meanwhile.
            let linked = fs::hard_link(&temporary, path);
            fs::remove_file(&temporary).map_err(unusable)?;
            match linked {
                Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => Err(unusable(cause)),
                _ => read(path),
            }
        }
        other => other,
    }
}

fn read(path: &Path) -> Result<KeyRing, KeyFileError> {
    let unusable = |cause| KeyFileError::Unusable {
        path: path.to_owned(),
        cause,
    };
    let mode = fs::metadata(path).map_err(unusable)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyFileError::ReadableByOthers {
            path: path.to_owned(),
            mode,
        });
    }
    check_key_file(path)?;
    let text = fs::read_to_string(path).map_err(unusable)?;
    KeyRing::parse(&text).map_err(|cause| KeyFileError::Malformed {
        path: path.to_owned(),
        cause,
    })
}

fn write_beside(path: &Path, ring: &KeyRing, randomness: &dyn Randomness) -> io::Result<PathBuf> {
    let mut suffix = [0; 8];
    randomness.fill(&mut suffix);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{:016x}", u64::from_le_bytes(suffix)));
    let temporary = PathBuf::from(name);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)?;
    file.write_all(ring.to_text().as_bytes())?;
    file.sync_all()?;
    Ok(temporary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SystemRandomness;

    #[test]
    fn the_file_is_created_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let first = open_key_file(&path, &SystemRandomness).unwrap();
        let again = open_key_file(&path, &SystemRandomness).unwrap();
        assert_eq!(first.newest().id(), again.newest().id());
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "no temporary file is left"
        );
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        open_key_file(&path, &SystemRandomness).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = open_key_file(&path, &SystemRandomness)
            .unwrap_err()
            .to_string();
        assert!(error.contains("mode 640"), "{error}");
    }

    #[test]
    fn a_malformed_file_is_refused_without_quoting_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        open_key_file(&path, &SystemRandomness).unwrap();
        fs::write(&path, "hunter2\n").unwrap();
        let error = open_key_file(&path, &SystemRandomness)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("master key 1") && !error.contains("hunter2"),
            "{error}"
        );
    }

    #[test]
    fn starting_many_times_at_once_gives_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let ids: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        open_key_file(&path, &SystemRandomness)
                            .unwrap()
                            .newest()
                            .id()
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]));
    }

    #[test]
    fn a_key_that_is_put_before_the_others_is_the_newest_and_they_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let before = open_key_file(&path, &SystemRandomness).unwrap();
        let new = KeyRing::generate(&SystemRandomness);
        let lines = [new.to_text(), fs::read_to_string(&path).unwrap()];
        fs::write(&path, lines.concat()).unwrap();
        let after = open_key_file(&path, &SystemRandomness).unwrap();
        assert_eq!(after.newest().id(), new.newest().id());
        assert_eq!(after.oldest().id(), before.newest().id());
    }
}
