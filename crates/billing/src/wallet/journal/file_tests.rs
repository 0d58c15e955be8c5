//! What is kept, what is torn, and the bound.

use tempfile::TempDir;

use super::*;
use crate::wallet::journal::testing::a_row;

const MOST: u64 = 1024 * 1024;

fn rows(journal: &mut Journal) -> Vec<Row> {
    journal.read(Journal::start(), 1000).unwrap().0
}

#[test]
fn what_was_appended_is_there_after_opening_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/charges.journal");
    let mut journal = Journal::open(&path, MOST).unwrap();
    assert!(journal.is_empty());
    journal.append(&[a_row(1), a_row(2)]).unwrap();
    journal.append(&[a_row(3)]).unwrap();
    drop(journal);
    let mut journal = Journal::open(&path, MOST).unwrap();
    assert_eq!(rows(&mut journal), [a_row(1), a_row(2), a_row(3)]);
    let (first, next) = journal.read(Journal::start(), 2).unwrap();
    assert_eq!(first, [a_row(1), a_row(2)]);
    let (last, end) = journal.read(next, 2).unwrap();
    assert_eq!(last, [a_row(3)]);
    journal.clear(end).unwrap();
    assert!(journal.is_empty());
    journal.append(&[a_row(4)]).unwrap();
    assert_eq!(rows(&mut journal), [a_row(4)]);
}

#[test]
fn a_record_torn_anywhere_is_cut_off_and_those_before_stay() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("charges.journal");
    let mut journal = Journal::open(&path, MOST).unwrap();
    journal.append(&[a_row(1)]).unwrap();
    let whole = std::fs::metadata(&path).unwrap().len();
    journal.append(&[a_row(2)]).unwrap();
    drop(journal);
    let bytes = std::fs::read(&path).unwrap();
    let first = usize::try_from(whole).unwrap();
    for length in (first..bytes.len()).step_by(11) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let mut journal = Journal::open(&path, MOST).unwrap();
        assert_eq!(rows(&mut journal), [a_row(1)], "{length}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), whole);
        journal.append(&[a_row(3)]).unwrap();
        assert_eq!(rows(&mut journal), [a_row(1), a_row(3)]);
    }
    let mut damaged = bytes.clone();
    damaged[first + frame::HEAD + 5] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let mut journal = Journal::open(&path, MOST).unwrap();
    assert_eq!(rows(&mut journal), [a_row(1)]);
    let torn = std::fs::read(folder.path().join("charges.journal.torn")).unwrap();
    assert_eq!(torn, damaged[first..]);
}

#[test]
fn a_row_that_is_too_long_is_refused_and_takes_no_other_along() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("charges.journal");
    let mut journal = Journal::open(&path, u64::MAX).unwrap();
    let mut long = a_row(2);
    long.call.model = "m".repeat(16 * 1024 * 1024).into();
    let refused = journal.append(&[a_row(1), long]);
    assert!(matches!(refused, Err(AppendError::Refused(1, _))));
    assert!(journal.is_empty());
    journal.append(&[a_row(3)]).unwrap();
    drop(journal);
    let mut journal = Journal::open(&path, MOST).unwrap();
    assert_eq!(rows(&mut journal), [a_row(3)]);
}

#[test]
fn what_follows_damage_is_not_forgotten() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("charges.journal");
    let mut journal = Journal::open(&path, MOST).unwrap();
    journal.append(&[a_row(1), a_row(2), a_row(3)]).unwrap();
    let (_, first) = journal.read(Journal::start(), 1).unwrap();
    let mut damaged = std::fs::read(&path).unwrap();
    damaged[usize::try_from(first).unwrap() + frame::HEAD + 5] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let (read, next) = journal.read(Journal::start(), 9).unwrap();
    assert_eq!((read, next), (vec![a_row(1)], first));
    journal.clear(next).unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
}

#[test]
fn a_whole_record_that_is_not_understood_is_no_torn_end() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("charges.journal");
    let body = b"[\"of a later version\"]";
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    let bytes = [MAGIC, &length[..], &checksum(body), body].concat();
    std::fs::write(&path, &bytes).unwrap();
    Journal::open(&path, MOST).unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_full_journal_takes_no_more_and_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("charges.journal");
    let mut journal = Journal::open(&path, 2_000).unwrap();
    let mut kept = 0;
    while journal.append(&[a_row(kept)]).is_ok() {
        kept += 1;
    }
    assert!(kept > 1 && journal.is_half_full());
    assert!(matches!(
        journal.append(&[a_row(9)]),
        Err(AppendError::Full)
    ));
    assert!(std::fs::metadata(&path).unwrap().len() <= 2_000);
    drop(journal);
    let mut journal = Journal::open(&path, 2_000).unwrap();
    assert_eq!(rows(&mut journal).len(), usize::try_from(kept).unwrap());
}

#[test]
fn two_processes_never_share_a_journal_and_other_files_are_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("charges.journal");
    let _open = Journal::open(&path, MOST).unwrap();
    assert!(Journal::open(&path, MOST).is_err());
    let other = folder.path().join("other");
    std::fs::write(&other, "something else").unwrap();
    assert!(Journal::open(&other, MOST).is_err());
    assert_eq!(std::fs::read(&other).unwrap(), b"something else");
}
