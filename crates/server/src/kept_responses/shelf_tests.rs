//! Answers that are deleted while they are being written, and more of them than are kept.

use serde_json::Map;
use store::shared::Shared;
use store::{Location, OpenOptions, Store, users};
use tempfile::TempDir;

use super::*;
use crate::accounts::{SetUp, set_up};
use crate::app::Parts;
use crate::clock::SystemClock;
use crate::config::{Config, Secret};
use crate::randomness::SeededRandomness;
use crate::secrets::KeyRing;

/// An instance with one user.
async fn an_app(folder: &TempDir) -> (Arc<App>, UserId) {
    let location = Location::Sqlite(folder.path().join("modelgate.db"));
    let store = Store::open(&location, &OpenOptions::default()).await;
    let mut config = Config::from_text("").unwrap();
    config.server.data_dir = folder.path().to_owned();
    let randomness = SeededRandomness::new(1);
    let parts = Parts {
        config,
        store: store.unwrap(),
        shared: Shared::memory(),
        node: "test".to_owned(),
        keys: KeyRing::generate(&randomness),
        clock: Arc::new(SystemClock),
        randomness: Arc::new(randomness),
    };
    let app = App::start_for_command(parts).await.unwrap();
    let asked = SetUp {
        username: "root".to_owned(),
        password: Secret::new("correct horse battery"),
        demo: false,
        token_name: None,
        grant: "1".parse().unwrap(),
        mode: None,
    };
    let (clock, randomness) = (app.clock(), app.randomness());
    let done = set_up(app.store(), app.keys(), clock, randomness, asked);
    done.await.unwrap();
    let root = users::first_root(app.store().read()).await.unwrap();
    (app, root.unwrap().id)
}

fn answer(id: &str) -> Kept {
    Kept {
        id: id.to_owned(),
        previous_id: None,
        input: Vec::new(),
        response: Map::new(),
    }
}

async fn all_written(app: &App) {
    app.stop().running().close();
    app.stop().running().wait().await;
}

#[tokio::test]
async fn an_answer_that_is_deleted_before_it_is_written_does_not_come_back() {
    let folder = TempDir::new().unwrap();
    let (app, user) = an_app(&folder).await;
    let shelf = app.shelf();
    shelf.keep(&app, user, answer("resp_1"));
    shelf.keep(&app, user, answer("resp_2"));
    // On this thread nothing of them was written yet.
    assert!(shelf.delete(&app, user, "resp_1").await.unwrap());
    all_written(&app).await;
    assert!(shelf.find(&app, user, "resp_1").await.unwrap().is_none());
    assert!(shelf.find(&app, user, "resp_2").await.unwrap().is_some());
    assert!(shelf.waiting.lock().is_empty());
}

#[tokio::test]
async fn answers_beyond_what_may_wait_are_not_kept() {
    let folder = TempDir::new().unwrap();
    let (app, user) = an_app(&folder).await;
    let shelf = Shelf::default();
    let put = |number: usize| {
        shelf.put(&Waiting {
            user,
            kept: Arc::new(answer(&format!("resp_{number}"))),
            is_deleted: Arc::default(),
        })
    };
    assert!((0..MOST_WAITING).all(put));
    assert!(!put(MOST_WAITING));
    assert_eq!(shelf.waiting.lock().len(), MOST_WAITING);
    assert!(shelf.find(&app, user, "resp_0").await.unwrap().is_some());
}
