//! Changes that fall between the loading of the records and the listening, and changes of people who hang up.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use store::shared::{Change, Notice, Shared};
use store::{Location, OpenOptions, Store};
use tempfile::TempDir;
use tokio::time::timeout;

use super::{announce, heed_notices};
use crate::app::{App, Parts};
use crate::clock::SystemClock;
use crate::config::Config;
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
