//! Files beside others, and folders that have to know of them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The file beside another that has its name and something more.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Brings to the disk that a file is in its folder: one that is not there is lost, whatever is in it.
pub fn sync_folder(of: &Path) -> io::Result<()> {
    let folder = of.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
}
