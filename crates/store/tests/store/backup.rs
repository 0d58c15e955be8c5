//! Copies of a SQLite file: taken while it is written to, refused where they are none, put back.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use store::{Location, OpenOptions, Store, StoreError, backup, users};
use tempfile::TempDir;

use crate::support::a_user;

async fn open(path: &Path) -> Store {
    let location = Location::Sqlite(path.to_owned());
    Store::open(&location, &OpenOptions::default())
        .await
        .unwrap()
}

fn reason(error: &StoreError) -> String {
    error.to_string()
}

#[tokio::test]
async fn a_copy_of_a_database_in_use_holds_what_was_committed_and_is_its_owners_alone() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (
        folder.path().join("modelgate.db"),
        folder.path().join("copy"),
    );
    let store = open(&path).await;
    let ann = a_user(&store, "ann").await;
    let unfinished = store.write().await.unwrap();
    let beside = OpenOptions {
        migrate: false,
        ..OpenOptions::default()
    };
    let beside = Store::open(&Location::Sqlite(path.clone()), &beside)
        .await
        .unwrap();
    backup::write_copy(beside.database(), &copy).await.unwrap();
    drop(unfinished);
    let bob = a_user(&store, "bob").await;
    let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let error = backup::write_copy(beside.database(), &copy)
        .await
        .unwrap_err();
    assert!(reason(&error).contains("exists already"));

    let other = folder.path().join("other.db");
    assert_eq!(backup::put_back(&copy, &other, false).await.unwrap(), None);
    let restored = open(&other).await;
    let find = async |id| users::get(restored.read(), id).await.unwrap();
    assert!(find(ann).await.is_some());
    assert!(find(bob).await.is_none());
    restored.close().await.unwrap();
    assert!(!folder.path().join("copy-wal").exists());
}

#[tokio::test]
async fn a_database_is_replaced_only_when_asked_for_and_unused_and_is_kept() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (
        folder.path().join("modelgate.db"),
        folder.path().join("copy"),
    );
    let store = open(&path).await;
    backup::write_copy(store.database(), &copy).await.unwrap();
    let ann = a_user(&store, "ann").await;
    let error = backup::put_back(&copy, &path, false).await.unwrap_err();
    assert!(reason(&error).contains("there is a database already"));
    let error = backup::put_back(&copy, &path, true).await.unwrap_err();
    assert!(reason(&error).contains("stop the server first"));
    let spool = store.database().spool().unwrap().clone();
    store.close().await.unwrap();
    std::fs::write(&spool[1], "charges").unwrap();

    let kept = backup::put_back(&copy, &path, true).await.unwrap().unwrap();
    let restored = open(&path).await;
    // They are charges of the database that is replaced.
    assert!(!spool[1].exists());
    assert!(users::get(restored.read(), ann).await.unwrap().is_none());
    restored.close().await.unwrap();
    let before = open(&kept).await;
    let spool = &before.database().spool().unwrap()[1];
    assert_eq!(std::fs::read(spool).unwrap(), b"charges");
    assert!(users::get(before.read(), ann).await.unwrap().is_some());
}

#[tokio::test]
async fn a_second_restore_keeps_what_the_first_one_put_aside() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (
        folder.path().join("modelgate.db"),
        folder.path().join("copy"),
    );
    let store = open(&path).await;
    backup::write_copy(store.database(), &copy).await.unwrap();
    let ann = a_user(&store, "ann").await;
    store.close().await.unwrap();
    let first = backup::put_back(&copy, &path, true).await.unwrap().unwrap();
    let second = backup::put_back(&copy, &path, true).await.unwrap().unwrap();
    assert_ne!(first, second);
    assert!(second.exists());
    let original = open(&first).await;
    assert!(users::get(original.read(), ann).await.unwrap().is_some());
    original.close().await.unwrap();
    // What was put aside is a copy like any other.
    let third = backup::put_back(&first, &path, true).await.unwrap();
    assert!(third.unwrap().ends_with("modelgate.db.before-restore-3"));
    let undone = open(&path).await;
    assert!(users::get(undone.read(), ann).await.unwrap().is_some());
}

#[tokio::test]
async fn a_database_with_records_beside_it_is_not_taken_for_a_copy() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (
        folder.path().join("modelgate.db"),
        folder.path().join("copy"),
    );
    let store = open(&folder.path().join("other.db")).await;
    backup::write_copy(store.database(), &copy).await.unwrap();
    for name in ["copy-wal", "copy-spool-1", "copy-spool-2"] {
        let beside = folder.path().join(name);
        std::fs::write(&beside, "charges").unwrap();
        let error = backup::put_back(&copy, &path, false).await.unwrap_err();
        assert!(reason(&error).contains(name), "{error}");
        assert!(!path.exists());
        // A spool that the database has taken over begins with zeros.
        std::fs::write(&beside, b"\0\0\0\0\0\0\0\0charges").unwrap();
    }
    std::fs::remove_file(folder.path().join("copy-wal")).unwrap();
    assert_eq!(backup::put_back(&copy, &path, false).await.unwrap(), None);
}

#[tokio::test]
async fn what_is_no_copy_of_ours_is_refused() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("modelgate.db");
    let missing = folder.path().join("missing");
    let error = backup::put_back(&missing, &target, false)
        .await
        .unwrap_err();
    assert!(reason(&error).contains("no such file"));
    let text = folder.path().join("text");
    std::fs::write(
        &text,
        "no database at all, but long enough to be one ".repeat(99),
    )
    .unwrap();
    let error = backup::put_back(&text, &target, false).await.unwrap_err();
    assert!(reason(&error).contains("not a database"));
    let newer = folder.path().join("newer.db");
    let store = open(&newer).await;
    let text = "INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'x', 'x')";
    let transaction = store.write().await.unwrap();
    store::ConnectionTrait::execute_unprepared(&transaction, text)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    store.close().await.unwrap();
    let error = backup::put_back(&newer, &target, false).await.unwrap_err();
    assert!(
        matches!(error, StoreError::NewerThanBinary { found: 9999, .. }),
        "{error}"
    );
    assert!(!target.exists());
}
