//! Files and folders that only the user of the process may change: whoever can replace the master key or the database is
//! the operator. The data folder may also be writable by the process's own group, which Kubernetes makes of the volumes of
//! a pod (`fsGroup`).

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const WRITABLE_BY_GROUP: u32 = 0o020;
const WRITABLE_BY_OTHERS: u32 = 0o002;
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;

/// A file or folder that other users can change.
#[derive(Debug, thiserror::Error)]
pub enum UnsafeFile {
    /// Its mode lets them.
    #[error("{} is writable by other users (mode {mode:o}); run: chmod {change} {}", path.display(), quoted(path))]
    Writable {
        /// The file or folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// The change that makes it safe.
        change: &'static str,
    },
    /// It belongs to one of them.
    #[error("{} belongs to another user (id {owner}); run: chown {user} {}", path.display(), quoted(path))]
    OtherOwner {
        /// The file or folder.
        path: PathBuf,
        /// The id of its owner.
        owner: u32,
        /// The id of the user of the process.
        user: u32,
    },
    /// It cannot be examined.
    #[error("{}: {cause}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
}

/// Checks the data folder and the files in it.
pub fn check_folder(folder: &Path) -> Result<(), UnsafeFile> {
    let unreadable = |cause| UnsafeFile::Unreadable {
        path: folder.to_owned(),
        cause,
    };
    let metadata = fs::metadata(folder).map_err(unreadable)?;
    check_owner(folder, &metadata)?;
    check_mode(folder, &metadata, forbidden_bits(&metadata))?;
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        // Files of a running server come and go.
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if metadata.is_file() {
            check_mode(&path, &metadata, forbidden_bits(&metadata))?;
        }
    }
    Ok(())
}

/// Checks a file with a key, and that it cannot be replaced in its folder.
pub fn check_key_file(path: &Path) -> Result<(), UnsafeFile> {
    let unreadable = |cause| UnsafeFile::Unreadable {
        path: path.to_owned(),
        cause,
    };
    let metadata = fs::metadata(path).map_err(unreadable)?;
    check_mode(path, &metadata, WRITABLE_BY_GROUP | WRITABLE_BY_OTHERS)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let of_folder = fs::metadata(folder).map_err(unreadable)?;
    // A command that runs as root may use the key of the service's user, who owns the folder too.
    if metadata.uid() != of_folder.uid() {
        check_owner(path, &metadata)?;
    }
    let is_sticky = of_folder.permissions().mode() & STICKY != 0;
    let forbidden = if is_sticky { 0 } else { WRITABLE_BY_OTHERS };
    check_mode(folder, &of_folder, forbidden)
}

/// Returns the permission bits that a file of the data folder must not have.
fn forbidden_bits(metadata: &Metadata) -> u32 {
    if metadata.gid() == rustix::process::getegid().as_raw() {
        WRITABLE_BY_OTHERS
    } else {
        WRITABLE_BY_GROUP | WRITABLE_BY_OTHERS
    }
}

fn check_mode(path: &Path, metadata: &Metadata, forbidden: u32) -> Result<(), UnsafeFile> {
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & forbidden == 0 {
        return Ok(());
    }
    Err(UnsafeFile::Writable {
        path: path.to_owned(),
        mode,
        change: if forbidden & WRITABLE_BY_GROUP == 0 {
            "o-w"
        } else {
            "go-w"
        },
    })
}

fn check_owner(path: &Path, metadata: &Metadata) -> Result<(), UnsafeFile> {
    let user = rustix::process::geteuid().as_raw();
    let owner = metadata.uid();
    if owner == user || owner == ROOT {
        return Ok(());
    }
    Err(UnsafeFile::OtherOwner {
        path: path.to_owned(),
        owner,
        user,
    })
}

/// Returns the path as a word of a shell command.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&byte);
    if text.bytes().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("the mode");
    }

    #[test]
    fn folder_writable_by_others_is_rejected_with_command() {
        let folder = tempfile::tempdir().expect("a folder");
        for (mode, is_safe) in [
            (0o700, true),
            (0o755, true),
            (0o770, true),
            (0o757, false),
            (0o1777, false),
        ] {
            set_mode(folder.path(), mode);
            let checked = check_folder(folder.path());
            assert_eq!(checked.is_ok(), is_safe, "{mode:o}");
            if let Err(error) = checked {
                let command = format!("run: chmod o-w {}", folder.path().display());
                assert!(error.to_string().ends_with(&command), "{error}");
            }
        }
    }

    #[test]
    fn file_in_folder_writable_by_others_is_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("modelgate.db");
        fs::write(&file, "").expect("a file");
        set_mode(&file, 0o644);
        check_folder(folder.path()).expect("it is safe");
        set_mode(&file, 0o666);
        let error = check_folder(folder.path())
            .expect_err("it is not")
            .to_string();
        assert!(
            error.contains("modelgate.db is writable by other users (mode 666)"),
            "{error}"
        );
    }

    #[test]
    fn key_file_writable_by_group_is_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a key.pem");
        fs::write(&file, "").expect("a file");
        for (mode, is_safe) in [(0o600, true), (0o644, true), (0o620, false), (0o602, false)] {
            set_mode(&file, mode);
            assert_eq!(check_key_file(&file).is_ok(), is_safe, "{mode:o}");
        }
        let error = check_key_file(&file).expect_err("it is not").to_string();
        let command = format!("run: chmod go-w '{}'", file.display());
        assert!(error.ends_with(&command), "{error}");
        set_mode(&file, 0o600);
        set_mode(folder.path(), 0o777);
        check_key_file(&file).expect_err("others can replace it");
        set_mode(folder.path(), 0o1777);
        check_key_file(&file).expect("others cannot replace it");
    }

    #[test]
    fn folder_of_another_user_is_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        // Only root can give files away.
        if std::os::unix::fs::chown(folder.path(), Some(65_534), None).is_ok() {
            let error = check_folder(folder.path())
                .expect_err("it is not ours")
                .to_string();
            assert!(
                error.contains("belongs to another user (id 65534); run: chown"),
                "{error}"
            );
        }
    }
}
