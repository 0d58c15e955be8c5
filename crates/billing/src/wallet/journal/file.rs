//! The journal's file. Blocking: used from threads that may wait for the disk.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use store::files::{beside, sync_folder};

use super::frame::{self, Checksum};
use crate::wallet::row::Row;

const MAGIC: &[u8; 8] = b"MGATEJ1\n";
const START: u64 = MAGIC.len() as u64;

/// The open journal of one node; locked against other processes.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Where the last whole record ends.
    end: u64,
    /// It never grows beyond this.
    most: u64,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// It would grow beyond its bound.
    #[error("the journal is full")]
    Full,
    /// The row at this place can be in no record; the others can.
    #[error("row {0} cannot be kept: {1}")]
    Refused(usize, serde_json::Error),
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] io::Error),
}

impl Journal {
    /// Opens or makes the journal. What a crash tore at its end was never acknowledged; it is cut
    /// off and kept beside the journal, for people to look at.
    pub fn open(path: &Path, most: u64) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        file.try_lock().map_err(io::Error::from)?;
        let length = file.metadata()?.len();
        if length < START {
            file.set_len(0)?;
            file.write_all(MAGIC)?;
            file.sync_all()?;
            sync_folder(path)?;
        } else {
            let mut magic = [0; MAGIC.len()];
            file.read_exact(&mut magic)?;
            if &magic != MAGIC {
                return Err(io::Error::other("this is no journal of charges"));
            }
        }
        let mut journal = Self {
            file,
            end: length.max(START),
            most,
        };
        journal.cut_torn_end(path, length)?;
        Ok(journal)
    }

    fn cut_torn_end(&mut self, path: &Path, length: u64) -> io::Result<()> {
        let mut whole = START;
        loop {
            let (rows, end) = self.read(whole, 1000)?;
            whole = end;
            if rows.is_empty() {
                break;
            }
        }
        if whole < length {
            tracing::warn!(whole, length, "the journal's end is torn and is cut off");
            self.file.seek(SeekFrom::Start(whole))?;
            let mut torn = File::create(beside(path, ".torn"))?;
            io::copy(&mut self.file, &mut torn)?;
            torn.sync_all()?;
            self.file.set_len(whole)?;
            self.file.sync_all()?;
        }
        self.end = whole;
        Ok(())
    }

    /// Where the first record begins.
    pub fn start() -> u64 {
        START
    }

    /// Whether there is nothing to replay.
    pub fn is_empty(&self) -> bool {
        self.end == START
    }

    /// Whether it is more than half full.
    pub fn is_half_full(&self) -> bool {
        self.end > self.most / 2
    }

    /// Adds rows; they are on disk when this returns. All or none.
    pub fn append(&mut self, rows: &[Row]) -> Result<(), AppendError> {
        let mut batch = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let written = frame::write(row, &mut batch, checksum);
            written.map_err(|error| AppendError::Refused(place, error))?;
        }
        let end = self.end + batch.len() as u64;
        if end > self.most {
            return Err(AppendError::Full);
        }
        let written = self.write_at_end(&batch);
        if written.is_err() {
            // What may have been written of it was acknowledged to nobody.
            self.file.set_len(self.end)?;
        }
        written?;
        self.end = end;
        Ok(())
    }

    fn write_at_end(&mut self, batch: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(batch)?;
        self.file.sync_data()
    }

    /// At most `count` rows from `from` on, and where the next one begins. Stops before what is
    /// not whole.
    pub fn read(&mut self, from: u64, count: usize) -> io::Result<(Vec<Row>, u64)> {
        self.file.seek(SeekFrom::Start(from))?;
        let mut reader = BufReader::new((&self.file).take(self.end - from));
        let (mut rows, mut next) = (Vec::new(), from);
        while rows.len() < count {
            let Some((row, length)) = frame::next(&mut reader, checksum)? else {
                break;
            };
            rows.push(row);
            next += length;
        }
        Ok((rows, next))
    }

    /// Forgets everything: the database has all records up to `read`. Where these are not all, what follows cannot be
    /// read, and is kept.
    pub fn clear(&mut self, read: u64) -> io::Result<()> {
        if read < self.end {
            let left = self.end - read;
            let reason = format!("{left} bytes from {read} on are no record");
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        self.file.set_len(START)?;
        self.file.sync_all()?;
        self.end = START;
        Ok(())
    }
}

fn checksum(body: &[u8]) -> Checksum {
    // Bodies are never longer than records may be.
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let digest = Sha256::new()
        .chain_update(length.to_le_bytes())
        .chain_update(body)
        .finalize();
    let mut first = Checksum::default();
    first.copy_from_slice(&digest[..8]);
    first
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
