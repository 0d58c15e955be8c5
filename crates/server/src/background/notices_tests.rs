//! Changes that fall between the loading of the records and the listening, and changes of people who hang up.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use futures_util::FutureExt as _;
use http::{Method, Request};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use store::shared::{Change, Notice, Shared};
use store::top_ups::{self, NewOrder, OrderStatus};
use store::users::{self, User};
use store::{Location, OpenOptions, Store, groups};
use tempfile::TempDir;
use tokio::time::timeout;

use super::{announce, heed_notices};
use crate::accounts::{SetUp, set_up};
use crate::app::{App, Parts};
use crate::clock::SystemClock;
use crate::config::{Config, Secret};
use crate::management;
use crate::management::operator::{Errand, run_errand};
use crate::middleware::Caller;
use crate::outside_changes::{heed_other_processes, tell_servers};
use crate::randomness::SeededRandomness;
use crate::secrets::KeyRing;

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(10);

async fn an_app(folder: &TempDir) -> Arc<App> {
    configured(folder, "").await
}

async fn configured(folder: &TempDir, configuration: &str) -> Arc<App> {
    let location = Location::Sqlite(folder.path().join("modelgate.db"));
    let store = Store::open(&location, &OpenOptions::default()).await;
    let mut config = Config::from_text(configuration).unwrap();
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

/// An order of a dollar that waits at the sandbox's checkout.
async fn an_order(app: &App, user: &User, id: &str) {
    let new = NewOrder {
        id: id.to_owned(),
        user_id: user.id,
        provider: "sandbox".to_owned(),
        amount_minor: 100,
        currency: "usd".to_owned(),
        credit_nanos: 1_000_000_000,
        now: 0,
        expires_at: i64::MAX,
    };
    let transaction = app.store().write().await.unwrap();
    top_ups::insert(&transaction, new).await.unwrap();
    let noted = top_ups::note_provider_ids(&transaction, id, Some(id), None).await;
    assert!(noted.unwrap());
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn a_payment_on_the_sandboxs_page_is_seen_through_wherever_its_payer_hangs_up() {
    let folder = TempDir::new().unwrap();
    let app = configured(&folder, "[payments.sandbox]\nenabled = true\n").await;
    let root = root(&app).await;
    let mut others = app.shared().subscribe();
    let routes = management::routes(&app).with_state(app.clone());
    let service = TowerToHyperService::new(routes);
    for wait in 1.. {
        let id = format!("ord_{wait}");
        an_order(&app, &root, &id).await;
        let caller = Caller {
            request_id: id.as_str().into(),
            address: [127, 0, 0, 1].into(),
            base_url: String::new(),
            at_ms: 0,
        };
        let request = Request::post(format!("/pay/sandbox/{id}"))
            .extension(caller)
            .body(Body::from("outcome=pay"))
            .unwrap();
        let is_done = dropped_at_wait(wait, service.call(request)).await;
        let heard = timeout(PATIENCE, others.next()).await;
        let heard = heard.unwrap_or_else(|_| panic!("wait {wait}: nobody was told"));
        assert_eq!(heard, Some(Notice::Changed(Change::User(root.id))));
        let order = top_ups::get(app.store().read(), &id).await.unwrap();
        assert_eq!(order.unwrap().status, OrderStatus::Paid);
        if is_done {
            assert!(wait > 1, "it has to wait for the records");
            return;
        }
    }
}
