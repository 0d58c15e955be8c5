//! Tokens that are changed while a node looks them up.

use sea_orm::TransactionTrait as _;
use store::shared::Shared;
use store::{Location, OpenOptions, Store};
use tempfile::TempDir;

use super::*;
use crate::accounts::{SetUp, set_up};
use crate::app::Parts;
use crate::background::heed_notices;
use crate::clock::SystemClock;
use crate::config::{Config, Secret};
use crate::outside_changes::heed_other_processes;
use crate::randomness::SeededRandomness;

/// An instance whose records are read over one connection, and the secret of its only token.
async fn an_app(folder: &TempDir) -> (Arc<App>, Secret) {
    let location = Location::Sqlite(folder.path().join("modelgate.db"));
    let options = OpenOptions {
        sqlite_readers: 1,
        ..OpenOptions::default()
    };
    let store = Store::open(&location, &options).await;
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
        token_name: Some("first".to_owned()),
        grant: "1".parse().unwrap(),
        mode: None,
    };
    let (clock, randomness) = (app.clock(), app.randomness());
    let done = set_up(app.store(), app.keys(), clock, randomness, asked).await;
    (app, done.unwrap().token.unwrap())
}

async fn revoke(app: &App, id: store::TokenId) {
    let transaction = app.store().write().await.unwrap();
    assert!(tokens::delete(&transaction, id).await.unwrap());
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn a_token_that_is_revoked_while_it_is_looked_up_is_not_remembered() {
    let folder = TempDir::new().unwrap();
    let (app, secret) = an_app(&folder).await;
    let known = Arc::new(Tokens::new(app.keys()));
    let id = known
        .find(&app, secret.expose())
        .await
        .unwrap()
        .unwrap()
        .token_id;
    known.forget();
    // Whoever waits for the one connection gets it in turn: the look-up for the token, then this test, then the look-up
    // for the token's user.
    let busy = app.store().read().begin().await.unwrap();
    let looking = tokio::spawn({
        let (app, known, secret) = (Arc::clone(&app), Arc::clone(&known), secret.clone());
        async move { known.find(&app, secret.expose()).await }
    });
    tokio::task::yield_now().await;
    let mut next = Box::pin(app.store().read().begin());
    assert!(futures_util::poll!(&mut next).is_pending());
    busy.rollback().await.unwrap();
    let between = next.await.unwrap();
    revoke(&app, id).await;
    known.forget();
    between.rollback().await.unwrap();
    let seen = looking.await.unwrap().unwrap();
    assert!(seen.is_some(), "it was read before it was revoked");
    let found = known.find(&app, secret.expose()).await.unwrap();
    assert!(found.is_none(), "it was remembered");
}

#[tokio::test]
async fn who_asks_again_is_told_the_same_until_something_changes_or_a_second_has_passed() {
    let folder = TempDir::new().unwrap();
    let (app, secret) = an_app(&folder).await;
    let (known, last) = (Tokens::new(app.keys()), LastHolder::default());
    assert!(last.get(&known, 5_000).is_none());
    let unknown = known.find_for(&app, "sk-nobody", (&last, 5_000)).await;
    assert!(unknown.unwrap().is_none() && last.get(&known, 5_000).is_none());
    let found = known.find_for(&app, secret.expose(), (&last, 5_000)).await;
    let holder = found.unwrap().unwrap();
    for (now_ms, is_told) in [(5_000, true), (5_999, true), (6_000, false), (4_999, false)] {
        let told = last.get(&known, now_ms);
        assert_eq!(
            told.is_some_and(|told| Arc::ptr_eq(&told, &holder)),
            is_told
        );
    }
    known.forget();
    assert!(last.get(&known, 5_000).is_none(), "something was changed");
}

#[tokio::test]
async fn who_begins_to_listen_for_changes_forgets_nothing_that_is_found_later() {
    let folder = TempDir::new().unwrap();
    let (app, secret) = an_app(&folder).await;
    let find = async || {
        let found = app.tokens().find(&app, secret.expose()).await;
        found.unwrap().unwrap()
    };
    let notices = heed_notices(app.clone());
    let outside = heed_other_processes(app.clone());
    let holder = find().await;
    tokio::spawn(notices);
    tokio::spawn(outside);
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    let again = find().await;
    assert!(Arc::ptr_eq(&holder, &again), "it was looked up once more");
}
