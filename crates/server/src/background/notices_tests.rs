//! Changes that fall between the loading of the records and the listening, and changes of people who hang up.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt as _;
use http::Method;
use serde_json::json;
use store::shared::{Change, Notice, Shared};
use store::users::{self, User};
use store::{Location, OpenOptions, Store, groups};
use tempfile::TempDir;
use tokio::time::timeout;

use super::{announce, heed_notices};
use crate::accounts::{SetUp, set_up};
use crate::app::{App, Parts};
use crate::clock::SystemClock;
use crate::config::{Config, Secret};
use crate::management::operator::{Errand, run_errand};
use crate::outside_changes::{heed_other_processes, tell_servers};
use crate::randomness::SeededRandomness;
use crate::secrets::KeyRing;

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(10);

async fn an_app(folder: &TempDir) -> Arc<App> {
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
    App::start_for_command(parts).await.unwrap()
}

/// Waits until all that was loaded at the start is to be read again.
async fn all_is_stale(app: &App) {
    let all = async {
        app.channels().stale().await;
        app.prices().stale().await;
        app.live_config().stale().await;
    };
    timeout(PATIENCE, all).await.expect("it is read again");
}

#[tokio::test]
async fn what_was_changed_before_notices_were_heard_is_read_again() {
    let folder = TempDir::new().unwrap();
    let app = an_app(&folder).await;
    app.shared().publish(Change::Everything).await.unwrap();
    tokio::spawn(heed_notices(app.clone()));
    all_is_stale(&app).await;
}

#[tokio::test]
async fn what_a_command_changed_before_its_file_was_looked_at_is_read_again() {
    let folder = TempDir::new().unwrap();
    let app = an_app(&folder).await;
    tell_servers(folder.path(), "command-1").unwrap();
    tokio::spawn(heed_other_processes(app.clone()));
    all_is_stale(&app).await;
}

#[tokio::test]
async fn other_nodes_hear_of_a_change_whose_maker_hangs_up() {
    let folder = TempDir::new().unwrap();
    let app = an_app(&folder).await;
    let mut others = app.shared().subscribe();
    let is_over = announce(&app, Change::Groups).now_or_never().is_some();
    assert!(!is_over, "it was dropped on its way");
    let heard = timeout(PATIENCE, others.next()).await;
    let heard = heard.expect("others are told");
    assert_eq!(heard, Some(Notice::Changed(Change::Groups)));
}

/// The user that a set-up makes.
async fn root(app: &App) -> User {
    let asked = SetUp {
        username: "root".to_owned(),
        password: Secret::new("correct horse battery"),
        demo: false,
        token_name: None,
        grant: "1".parse().unwrap(),
        mode: None,
    };
    let (clock, randomness) = (app.clock(), app.randomness());
    set_up(app.store(), app.keys(), clock, randomness, asked)
        .await
        .unwrap();
    users::first_root(app.store().read())
        .await
        .unwrap()
        .unwrap()
}

/// Drives work until it has to wait for the given time, and drops it then; true: it was done before.
async fn dropped_at_wait(number: usize, work: impl Future) -> bool {
    let mut work = pin!(work);
    let mut waits = 0;
    poll_fn(|cx| {
        if work.as_mut().poll(cx).is_ready() {
            return Poll::Ready(true);
        }
        waits += 1;
        if waits == number {
            return Poll::Ready(false);
        }
        Poll::Pending
    })
    .await
}

#[tokio::test]
async fn a_change_is_made_and_told_wherever_its_maker_hangs_up() {
    let folder = TempDir::new().unwrap();
    let app = an_app(&folder).await;
    let root = root(&app).await;
    let mut others = app.shared().subscribe();
    for wait in 1.. {
        let name = format!("group-{wait}");
        let body = json!({"name": name});
        let errand = Errand {
            method: Method::POST,
            path: "/api/group/",
            body: Some(&body),
            user: &root,
            request_id: &name,
        };
        let is_done = dropped_at_wait(wait, run_errand(&app, errand)).await;
        let heard = timeout(PATIENCE, others.next()).await;
        let heard = heard.unwrap_or_else(|_| panic!("wait {wait}: nobody was told"));
        assert_eq!(heard, Some(Notice::Changed(Change::Groups)));
        let known = groups::list(app.store().read()).await.unwrap();
        assert!(known.iter().any(|group| group.name == name));
        if is_done {
            assert!(wait > 1, "it has to wait for the records");
            return;
        }
    }
}
