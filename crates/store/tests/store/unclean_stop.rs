//! What happens to a SQLite file after a stop that was not clean. PostgreSQL looks after itself.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use store::{Location, OpenOptions, Store, StoreError};
use tempfile::TempDir;

use crate::support::a_user;

fn place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("modelgate.db");
    (folder, path)
}

async fn open(path: &Path) -> store::Result<Store> {
    Store::open(&Location::Sqlite(path.to_owned()), &OpenOptions::default()).await
}

fn state(path: &Path) -> String {
    std::fs::read_to_string(path.with_extension("db.state")).unwrap()
}

/// Overwrites pages in the middle of the file, behind the first one that SQLite reads to open it.
fn damage(path: &Path) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let length = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(4096)).unwrap();
    file.write_all(&vec![0xA5; usize::try_from(length - 4096).unwrap()])
        .unwrap();
}

#[tokio::test]
async fn a_clean_stop_is_noted() {
    let (_folder, path) = place();
    let store = open(&path).await.unwrap();
    assert_eq!(state(&path), "open\n");
    a_user(&store, "ann").await;
    store.close().await.unwrap();
    assert_eq!(state(&path), "closed\n");
}

#[tokio::test]
async fn a_sound_file_opens_after_an_unclean_stop() {
    let (_folder, path) = place();
    let store = open(&path).await.unwrap();
    let user = a_user(&store, "ann").await;
    drop(store);
    assert_eq!(state(&path), "open\n");
    let store = open(&path).await.unwrap();
    assert!(
        store::users::get(store.read(), user)
            .await
            .unwrap()
            .is_some()
    );
    store.close().await.unwrap();
    assert_eq!(state(&path), "closed\n");
}

#[tokio::test]
async fn damage_is_found_after_an_unclean_stop() {
    let (_folder, path) = place();
    open(&path).await.unwrap().close().await.unwrap();
    damage(&path);
    std::fs::write(path.with_extension("db.state"), "open\n").unwrap();
    let error = open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    // The mark stays, so that the next start looks again.
    assert_eq!(state(&path), "open\n");
    let error = open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn a_second_process_neither_checks_nor_clears_the_mark() {
    let (_folder, path) = place();
    let server = open(&path).await.unwrap();
    let command = open(&path).await.unwrap();
    a_user(&command, "ann").await;
    command.close().await.unwrap();
    assert_eq!(state(&path), "open\n");
    a_user(&server, "bob").await;
    server.close().await.unwrap();
    assert_eq!(state(&path), "closed\n");
}

#[tokio::test]
async fn readers_cannot_write() {
    use sea_orm::ConnectionTrait;

    let (_folder, path) = place();
    let store = open(&path).await.unwrap();
    let sql = "DELETE FROM schema_migrations";
    let error = store.read().execute_unprepared(sql).await.unwrap_err();
    assert!(error.to_string().contains("readonly"), "{error}");
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_named() {
    let (folder, _) = place();
    let path = folder.path().join("missing").join("modelgate.db");
    let error = open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::Location { .. }), "{error}");
    assert!(error.to_string().contains("missing"), "{error}");
}
