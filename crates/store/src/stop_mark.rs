//! Notices an unclean stop of a SQLite database: a small file beside it says "open" while a
//! process serves from it. Whoever finds its lock free writes the mark and clears it at the end;
//! further processes (a command beside a running server) only share the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Result, StoreError};
use crate::files::beside;

const OPEN: &str = "open\n";
const CLOSED: &str = "closed\n";

/// The held mark; its lock is freed when it is dropped.
#[derive(Debug)]
pub(crate) struct StopMark {
    file: File,
    path: PathBuf,
    is_first: bool,
}

impl StopMark {
    /// Takes the mark of `database`; the flag says whether a check is due before serving.
    pub(crate) async fn take(database: &Path) -> Result<(Self, bool)> {
        let path = beside(database, ".state");
        // Sharing the lock waits while another process checks the file, so not on this thread.
        let task = tokio::task::spawn_blocking(move || {
            Self::take_blocking(&path).map_err(|error| failure(&path, &error))
        });
        task.await.map_err(|error| StoreError::Location {
            location: database.display().to_string(),
            reason: error.to_string(),
        })?
    }

    /// Takes the mark of a database that no other process may be using.
    pub(crate) fn take_alone(database: &Path) -> Result<Self> {
        let path = beside(database, ".state");
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let file = opened.map_err(|error| failure(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self {
                file,
                path,
                is_first: true,
            }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Location {
                location: database.display().to_string(),
                reason: "it is in use; stop the server first".to_owned(),
            }),
            Err(TryLockError::Error(error)) => Err(failure(&path, &error)),
        }
    }

    fn take_blocking(path: &Path) -> std::io::Result<(Self, bool)> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let is_first = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(error)) => return Err(error),
        };
        let mut mark = Self {
            file,
            path: path.to_owned(),
            is_first,
        };
        if !is_first {
            mark.file.lock_shared()?;
            return Ok((mark, false));
        }
        let mut text = String::new();
        mark.file.read_to_string(&mut text)?;
        let was_unclean = text == OPEN;
        mark.write(OPEN)?;
        if !was_unclean {
            mark.share()?;
        }
        Ok((mark, was_unclean))
    }

    /// The check after an unclean stop went well: others may come in.
    pub(crate) fn checked(&self) -> Result<()> {
        self.share().map_err(|error| failure(&self.path, &error))
    }

    /// Notes a clean stop. Only the process that wrote the mark clears it.
    pub(crate) fn clean(&self) -> Result<()> {
        if !self.is_first {
            return Ok(());
        }
        self.write(CLOSED)
            .map_err(|error| failure(&self.path, &error))
    }

    fn share(&self) -> std::io::Result<()> {
        self.file.unlock()?;
        self.file.lock_shared()
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        let mut file = &self.file;
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }
}

fn failure(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Location {
        location: path.display().to_string(),
        reason: error.to_string(),
    }
}
