//! Copies of an embedded database: taken while it is written to, looked at, and put back. What a
//! PostgreSQL server keeps is copied by its own tools.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sea_orm::{ConnectionTrait as _, DatabaseConnection};

use crate::database::{Database, Engine, open_copy, quick_check, statement};
use crate::error::{Result, StoreError};
use crate::files::{beside, sync_folder};
use crate::location::SPOOL;
use crate::migrations;
use crate::stop_mark::StopMark;

/// What a replaced database is called from then on; with a number where there is one already.
const REPLACED: &str = ".before-restore";
/// What is beside a database and belongs to it.
const COMPANIONS: [&str; 4] = ["-wal", "-shm", SPOOL[0], SPOOL[1]];
/// Of these: what can hold records that the database itself does not have yet.
const HOLDING: [&str; 3] = ["-wal", SPOOL[0], SPOOL[1]];

/// Writes a copy of the records as they are in one moment, beside whoever reads and writes them. Refuses
/// to write over a file. The copy is a database of its own, readable by its owner alone.
pub async fn write_copy(database: &Database, to: &Path) -> Result<()> {
    if database.engine() != Engine::Sqlite {
        return Err(problem(to, "only an embedded database is copied this way"));
    }
    if to.exists() {
        return Err(problem(to, "the file exists already"));
    }
    let partial = beside(to, ".partial");
    let name = partial
        .to_str()
        .ok_or_else(|| problem(to, "the name is not text"))?;
    // An empty file is what the copy may be written into; it must not be readable by others meanwhile.
    create_private(&partial).map_err(|error| failure(&partial, &error))?;
    let copied = database.copy_into(name).await;
    let done = match copied {
        Ok(()) => finish(&partial, to).map_err(|error| failure(to, &error)),
        Err(error) => Err(error),
    };
    if done.is_err() {
        // What is left of it is of no use; that it may be gone already does not matter.
        let _ = fs::remove_file(&partial);
    }
    done
}

fn finish(partial: &Path, to: &Path) -> io::Result<()> {
    File::open(partial)?.sync_all()?;
    fs::rename(partial, to)?;
    sync_folder(to)
}

/// Puts a copy in the place of a database that nobody uses. A database that is there is kept under
/// another name where `replaces`, else it is an error; says under which name it is kept.
pub async fn put_back(copy: &Path, at: &Path, replaces: bool) -> Result<Option<PathBuf>> {
    if at.exists() && !replaces {
        return Err(problem(at, "there is a database already"));
    }
    check_alone(copy)?;
    check_copy(copy).await?;
    let mark = StopMark::take_alone(at)?;
    let kept = free_name(at);
    let is_replaced = at.exists();
    let incoming = beside(at, ".restoring");
    let place = || {
        copy_private(copy, &incoming)?;
        if is_replaced {
            move_with_companions(at, &kept)?;
        } else {
            remove_companions(at)?;
        }
        fs::rename(&incoming, at)?;
        sync_folder(at)
    };
    if let Err(error) = place() {
        // It would keep a full disk full; that it may not be there does not matter.
        let _ = fs::remove_file(&incoming);
        return Err(failure(at, &error));
    }
    mark.clean()?;
    Ok(is_replaced.then_some(kept))
}

/// The first name for a replaced database that nothing is kept under: what an earlier restore put aside may
/// be the only one of its kind.
fn free_name(at: &Path) -> PathBuf {
    let is_taken = |name: &Path| {
        let mut companions = COMPANIONS.iter().map(|suffix| beside(name, suffix));
        name.exists() || companions.any(|companion| companion.exists())
    };
    let mut name = beside(at, REPLACED);
    let mut number = 1_u64;
    while is_taken(&name) {
        number += 1;
        name = beside(at, &format!("{REPLACED}-{number}"));
    }
    name
}

/// Refuses a database that is no copy but was put aside after a crash: what is beside it would be lost.
fn check_alone(copy: &Path) -> Result<()> {
    for companion in HOLDING.map(|suffix| beside(copy, suffix)) {
        if has_content(&companion).map_err(|error| failure(&companion, &error))? {
            let name = companion.display();
            let reason = format!(
                "{name} holds records that are not in it; move both back by hand (docs/operating.md says how)"
            );
            return Err(problem(copy, &reason));
        }
    }
    Ok(())
}

/// Whether there is something in a companion. A spool is never cut: what it held is over where its beginning is
/// zeroed.
fn has_content(companion: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    match File::open(companion) {
        Ok(file) => file.take(8).read_to_end(&mut beginning)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(beginning.iter().any(|byte| *byte != 0))
}

/// Refuses a file that is no whole copy of our records, or that a newer version made.
async fn check_copy(copy: &Path) -> Result<()> {
    if !copy.is_file() {
        return Err(problem(copy, "there is no such file"));
    }
    let connection = open_copy(copy).await?;
    let checked = async {
        quick_check(&connection, copy).await?;
        check_schema(&connection, copy).await
    };
    let outcome = checked.await;
    connection.close().await?;
    outcome
}

async fn check_schema(connection: &DatabaseConnection, copy: &Path) -> Result<()> {
    let text = "SELECT MAX(version) FROM schema_migrations";
    let row = connection
        .query_one_raw(statement(connection, text, []))
        .await;
    let row = row.map_err(|_| problem(copy, "it holds no records of this program"))?;
    let found = row
        .and_then(|row| row.try_get_by_index::<i64>(0).ok())
        .unwrap_or(0);
    let known = migrations::newest();
    if found > known {
        return Err(StoreError::NewerThanBinary { found, known });
    }
    Ok(())
}

fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

fn copy_private(from: &Path, to: &Path) -> io::Result<()> {
    let mut target = create_private(to)?;
    target.set_permissions(Permissions::from_mode(0o600))?;
    io::copy(&mut File::open(from)?, &mut target)?;
    target.sync_all()
}

fn move_with_companions(from: &Path, to: &Path) -> io::Result<()> {
    for suffix in COMPANIONS {
        let companion = beside(from, suffix);
        if companion.exists() {
            fs::rename(companion, beside(to, suffix))?;
        }
    }
    fs::rename(from, to)
}

fn remove_companions(of: &Path) -> io::Result<()> {
    for suffix in COMPANIONS {
        match fs::remove_file(beside(of, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn failure(path: &Path, error: &io::Error) -> StoreError {
    problem(path, &error.to_string())
}

fn problem(path: &Path, reason: &str) -> StoreError {
    StoreError::Location {
        location: path.display().to_string(),
        reason: reason.to_owned(),
    }
}
