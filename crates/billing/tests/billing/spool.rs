//! Replies wait for the spool and not for the database; no call is lost or counted twice.

use std::path::PathBuf;
use std::time::Duration;

use billing::wallet::{Durability, NotWritten, Settings, Wallets, Written};
use store::request_log::{self, LogFilter, PageBounds};
use store::{ConnectionTrait as _, Engine, Location, OpenOptions, Store, Transaction, UserId};
use tempfile::TempDir;
use testkit::{Proxy, Traffic};
use tokio::time::{sleep, timeout};

use crate::excess::check_one_loss;
use crate::settling::wants;
use crate::support::{
    Place, Time, a_call, a_user, balances, charge, node, revenue, run, settings, verify,
};

const FUNDS: i64 = 100_000;
const COST: i64 = 100;
const CALLS: usize = 40;

struct Scene {
    store: Store,
    user: UserId,
    time: Time,
    folder: TempDir,
}

impl Scene {
    async fn set(place: &Place) -> Self {
        let store = place.open().await;
        let user = a_user(&store, FUNDS).await;
        Self {
            store,
            user,
            time: Time::at(1_700_000_000_000),
            folder: TempDir::new().unwrap(),
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            spool: Some(spool_in(&self.folder)),
            durability: Durability::Strict,
            // One slice holds everything that a test spends.
            share: 2,
            ..settings("a")
        }
    }

    async fn start(&self) -> Wallets {
        node(&self.store, &self.time, self.settings()).await
    }

    /// So many calls end; the first of them has this number.
    async fn end(&self, wallets: &Wallets, first: usize, calls: usize) -> Vec<Written> {
        let mut ended = Vec::new();
        for number in first..first + calls {
            let reservation = wallets.reserve(wants(self.user, COST)).await.unwrap();
            let logged = a_call(self.user, None, &format!("r{number}"), self.time.now());
            ended.push(reservation.settle(charge(COST), logged));
        }
        ended
    }

    /// Calls end while the database takes nothing, which it does not until the transaction ends.
    async fn end_while_the_database_is_busy(&self, wallets: &Wallets) -> Transaction {
        drop(wallets.reserve(wants(self.user, COST)).await.unwrap());
        let busy = self.store.write().await.unwrap();
        for first in [0, CALLS / 2] {
            let written = self.end(wallets, first, CALLS / 2).await;
            assert!(are_on_disk(written).await);
        }
        assert_eq!(self.calls_in_the_log().await, 0);
        busy
    }

    async fn calls_in_the_log(&self) -> usize {
        let filter = LogFilter::default();
        let bounds = PageBounds::rows(1_000);
        let page = request_log::page(self.store.read(), &filter, None, bounds).await;
        page.unwrap().items.len()
    }

    async fn check(&self, calls: usize) {
        let spent = COST * i64::try_from(calls).unwrap();
        assert_eq!(self.calls_in_the_log().await, calls);
        assert_eq!(revenue(&self.store).await, spent);
        let has = balances(&self.store, self.user).await;
        assert_eq!(has.wallet_nanos + has.held_nanos, FUNDS - spent);
        verify(&self.store).await;
    }
}

fn spool_in(folder: &TempDir) -> [PathBuf; 2] {
    ["one", "two"].map(|name| folder.path().join(name))
}

/// What a crash would leave now.
fn copied(folder: &TempDir) -> TempDir {
    let left = TempDir::new().unwrap();
    for (from, to) in spool_in(folder).iter().zip(spool_in(&left)) {
        std::fs::copy(from, to).unwrap();
    }
    left
}

/// Whether all of them are on disk soon.
async fn are_on_disk(written: Vec<Written>) -> bool {
    let wait = async {
        for one in written {
            one.wait().await?;
        }
        Ok::<(), NotWritten>(())
    };
    matches!(timeout(Duration::from_secs(2), wait).await, Ok(Ok(())))
}

async fn replies_do_not_wait_for_the_database(place: Place) {
    let scene = Scene::set(&place).await;
    let wallets = scene.start().await;
    let busy = scene.end_while_the_database_is_busy(&wallets).await;
    drop(busy);
    wallets.flush().await;
    scene.check(CALLS).await;
}

async fn the_database_follows_by_itself(place: Place) {
    let scene = Scene::set(&place).await;
    let wallets = scene.start().await;
    for number in 0..3 {
        let written = scene.end(&wallets, number, 1).await;
        assert!(are_on_disk(written).await);
        while scene.calls_in_the_log().await == number {
            sleep(Duration::from_millis(5)).await;
        }
        scene.check(number + 1).await;
    }
}

async fn what_a_crash_left_is_charged_once_at_the_next_start(place: Place) {
    let scene = Scene::set(&place).await;
    let wallets = scene.start().await;
    let busy = scene.end_while_the_database_is_busy(&wallets).await;
    let left = copied(&scene.folder);
    drop((wallets, busy));
    let wallets = scene.start().await;
    scene.check(CALLS).await;
    drop(wallets);
    // What the database has already.
    let again = Scene {
        folder: left,
        ..scene
    };
    let wallets = again.start().await;
    wallets.flush().await;
    again.check(CALLS).await;
}

async fn what_exceeds_its_reservation_is_charged_once_after_a_crash(place: Place) {
    let scene = Scene::set(&place).await;
    let wallets = scene.start().await;
    let reservation = wallets.reserve(wants(scene.user, COST)).await.unwrap();
    let busy = scene.store.write().await.unwrap();
    let call = a_call(scene.user, None, "dear", scene.time.now());
    let written = reservation.settle(charge(FUNDS + 20_000), call);
    assert!(are_on_disk(vec![written]).await);
    let left = copied(&scene.folder);
    drop((wallets, busy));
    let wallets = scene.start().await;
    check_one_loss(&scene.store, scene.user, "dear").await;
    drop(wallets);
    // What the database has already.
    let again = Scene {
        folder: left,
        ..scene
    };
    let wallets = again.start().await;
    wallets.flush().await;
    check_one_loss(&again.store, again.user, "dear").await;
}

/// One call is refused, so that each is written on its own, and then the database has trouble that passes.
async fn a_start_that_the_database_fails_leaves_everything_for_the_next(place: Place) {
    let scene = Scene::set(&place).await;
    let Location::Postgres(url) = &place.location else {
        panic!("an outage needs a server");
    };
    let proxy = Proxy::before(url).await;
    let options = OpenOptions {
        wait: Duration::from_millis(400),
        ..OpenOptions::default()
    };
    let behind = Store::open(&Location::Postgres(proxy.url()), &options).await;
    let wallets = node(&behind.unwrap(), &scene.time, scene.settings()).await;
    drop(wallets.reserve(wants(scene.user, COST)).await.unwrap());
    proxy.set(Traffic::Cut);
    assert!(are_on_disk(scene.end(&wallets, 0, 3).await).await);
    let again = Scene {
        folder: copied(&scene.folder),
        ..scene
    };
    let fails = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
        IF NEW.request_id = 'r0' THEN RAISE check_violation; END IF; \
        IF NEW.request_id = 'r1' THEN RAISE serialization_failure; END IF; \
        RETURN NEW; END $$; \
        CREATE TRIGGER fails BEFORE INSERT ON request_log FOR EACH ROW EXECUTE FUNCTION fail()";
    for (trouble, is_over) in [(fails, false), ("DROP FUNCTION fail CASCADE", true)] {
        let transaction = again.store.write().await.unwrap();
        transaction.execute_unprepared(trouble).await.unwrap();
        transaction.commit().await.unwrap();
        let (store, clock) = (again.store.clone(), again.time.clock());
        let started = Wallets::start(store, clock, again.settings()).await;
        assert_eq!(started.is_ok(), is_over);
    }
    again.check(3).await;
}

on_postgres!(a_start_that_the_database_fails_leaves_everything_for_the_next);

/// A file that may not grow is a full disk to SQLite, until the next connection. Who has an answer pays for it then.
async fn what_was_answered_outlasts_a_full_disk(place: Place) {
    let scene = Scene::set(&place).await;
    for durability in [Durability::Strict, Durability::Relaxed] {
        let (name, folder) = (format!("{durability:?}"), TempDir::new().unwrap());
        let settings = Settings {
            durability,
            spool: Some(spool_in(&folder)),
            ..settings(&name)
        };
        let wallets = node(&scene.store, &scene.time, settings).await;
        let before = revenue(&scene.store).await;
        let reservation = wallets.reserve(wants(scene.user, COST)).await.unwrap();
        let transaction = scene.store.write().await.unwrap();
        // Never less than it has.
        let full = transaction.execute_unprepared("PRAGMA max_page_count = 1");
        full.await.unwrap();
        transaction.commit().await.unwrap();
        let mut logged = a_call(
            scene.user,
            None,
            &format!("{durability:?}"),
            scene.time.now(),
        );
        logged.error_message = Some("x".repeat(1_000_000).into());
        let written = reservation.settle(charge(COST), logged);
        written.wait().await.unwrap();
        wallets.flush().await;
        assert_eq!(revenue(&scene.store).await, before + COST, "{name}");
        verify(&scene.store).await;
    }
}

mod sqlite {
    use super::{Engine, run};

    macro_rules! on_sqlite {
        ($($name:ident),+ $(,)?) => {
            $(#[tokio::test]
            async fn $name() {
                run(Engine::Sqlite, super::$name).await;
            })+
        };
    }

    on_sqlite!(
        replies_do_not_wait_for_the_database,
        the_database_follows_by_itself,
        what_a_crash_left_is_charged_once_at_the_next_start,
        what_exceeds_its_reservation_is_charged_once_after_a_crash,
        what_was_answered_outlasts_a_full_disk,
    );
}
