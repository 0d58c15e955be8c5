//! One of a spool's two files. It is written from its beginning again and again and never cut, so that the file system
//! has nothing to note but the bytes. Blocking: used from threads that may wait for the disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

use store::files::sync_folder;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::wallet::journal::frame::{self, Checksum};
use crate::wallet::row::Row;

/// What a file begins with that has something; the number of the filling follows.
const MAGIC: [u8; 8] = *b"MGATES1\n";

/// An open file; locked against other processes.
#[derive(Debug)]
pub struct Half {
    file: File,
    /// Counts the fillings. The checksum of a record contains it, so that what an earlier one left behind the end is
    /// not taken for a part of this one.
    filling: u64,
    /// Where the last record ends; 0 where there is none.
    end: u64,
    /// What is written there next.
    bytes: Vec<u8>,
}

impl Half {
    /// Opens or makes a file. With what an earlier run left in it, which the database may or may not have.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<Row>)> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        file.try_lock().map_err(io::Error::from)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            sync_folder(path)?;
        }
        let (filling, rows) = read(&bytes)?;
        let half = Self {
            file,
            filling,
            end: 0,
            bytes: Vec::new(),
        };
        Ok((half, rows))
    }

    /// Adds rows; they are on disk when this returns. All or none.
    pub fn append<'a>(&mut self, rows: impl Iterator<Item = &'a Row>) -> io::Result<()> {
        self.encode(rows)?;
        let written = self.write_at_end();
        if written.is_err() {
            self.undo()?;
        }
        written
    }

    fn encode<'a>(&mut self, rows: impl Iterator<Item = &'a Row>) -> io::Result<()> {
        self.bytes.clear();
        if self.end == 0 {
            self.filling += 1;
            self.bytes.extend_from_slice(&MAGIC);
            self.bytes.extend_from_slice(&self.filling.to_le_bytes());
        }
        for row in rows {
            frame::write(row, &mut self.bytes, checksum(self.filling))?;
        }
        Ok(())
    }

    fn write_at_end(&mut self) -> io::Result<()> {
        self.file.write_all_at(&self.bytes, self.end)?;
        self.file.sync_data()?;
        self.end += self.bytes.len() as u64;
        Ok(())
    }

    /// Takes out what may be there of rows that could not be written, all of it: a later start must find neither them
    /// nor those that a shorter group would leave behind itself.
    fn undo(&mut self) -> io::Result<()> {
        if self.end == 0 {
            return self.clear();
        }
        self.bytes.fill(0);
        self.file.write_all_at(&self.bytes, self.end)
    }

    /// Forgets what it has: the database has it, and would know it again for as long as the system may take to bring
    /// this to the disk.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file.write_all_at(&[0; MAGIC.len()], 0)?;
        self.end = 0;
        Ok(())
    }
}

/// Which filling the bytes of a file are of, and what is in it.
fn read(bytes: &[u8]) -> io::Result<(u64, Vec<Row>)> {
    let (mut filling, mut rows) = (0, Vec::new());
    if let Some((magic, rest)) = bytes.split_first_chunk()
        && let Some((number, mut records)) = rest.split_first_chunk()
    {
        filling = u64::from_le_bytes(*number);
        if *magic == MAGIC {
            while let Some((row, _)) = frame::next(&mut records, checksum(filling))? {
                rows.push(row);
            }
        }
    }
    Ok((filling, rows))
}

fn checksum(filling: u64) -> impl Fn(&[u8]) -> Checksum {
    move |body| xxh3_64_with_seed(body, filling).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::wallet::journal::testing::a_row;

    fn open(folder: &TempDir) -> (Half, Vec<Row>) {
        Half::open(&folder.path().join("half")).unwrap()
    }

    #[test]
    fn what_was_added_is_there_until_it_is_forgotten() {
        let folder = TempDir::new().unwrap();
        let (mut half, rows) = open(&folder);
        assert_eq!(rows, []);
        half.append([a_row(1), a_row(2)].iter()).unwrap();
        half.append([a_row(3)].iter()).unwrap();
        drop(half);
        let (mut half, rows) = open(&folder);
        assert_eq!(rows, [a_row(1), a_row(2), a_row(3)]);
        half.clear().unwrap();
        drop(half);
        assert_eq!(open(&folder).1, []);
    }

    #[test]
    fn a_shorter_filling_ends_where_it_ends() {
        let folder = TempDir::new().unwrap();
        let (mut half, _) = open(&folder);
        let rows = [1, 2, 3, 4].map(a_row);
        half.append(rows.iter()).unwrap();
        half.clear().unwrap();
        // As long as the first of those before, so that the second of them follows at once.
        half.append([a_row(5)].iter()).unwrap();
        drop(half);
        let (mut half, rows) = open(&folder);
        assert_eq!(rows, [a_row(5)]);
        half.clear().unwrap();
        half.append([a_row(6)].iter()).unwrap();
        drop(half);
        assert_eq!(open(&folder).1, [a_row(6)]);
    }

    #[test]
    fn a_torn_record_takes_none_before_it_along() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("half");
        let (mut half, _) = open(&folder);
        half.append([a_row(1)].iter()).unwrap();
        let whole = usize::try_from(half.end).unwrap();
        half.append([a_row(2)].iter()).unwrap();
        drop(half);
        let bytes = std::fs::read(&path).unwrap();
        for length in (0..bytes.len()).step_by(7) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let expected: &[Row] = if length < whole { &[] } else { &[a_row(1)] };
            assert_eq!(open(&folder).1, expected, "{length}");
        }
    }

    #[test]
    fn what_the_disk_did_not_take_is_not_there_at_the_next_start() {
        let folder = TempDir::new().unwrap();
        let (mut half, _) = open(&folder);
        half.append([a_row(1)].iter()).unwrap();
        let end = half.end;
        half.append([a_row(2), a_row(3)].iter()).unwrap();
        // As if it had failed in the end.
        half.end = end;
        half.undo().unwrap();
        // As long as the first of those, so that the second would follow at once.
        half.append([a_row(4)].iter()).unwrap();
        drop(half);
        assert_eq!(open(&folder).1, [a_row(1), a_row(4)]);
    }

    #[test]
    fn two_processes_never_share_a_file() {
        let folder = TempDir::new().unwrap();
        let _open = open(&folder);
        Half::open(&folder.path().join("half")).unwrap_err();
    }
}
