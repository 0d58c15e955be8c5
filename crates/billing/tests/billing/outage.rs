//! The database goes away and comes back: charges wait in the journal, and none is lost or
//! counted twice.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use billing::wallet::{JournalSettings, ReserveError, Settings, Wallets};
use store::request_log::{self, LogFilter, PageBounds};
use store::{Location, OpenOptions, Store, UserId};
use tempfile::TempDir;
use testkit::{Proxy, Traffic};

use crate::excess::check_one_loss;
use crate::settling::wants;
use crate::support::{
    NOBODY, Place, Time, a_call, a_user, balances, charge, node, revenue, settings, verify,
};

/// 2020: before any server that runs these tests was started, so that nodes have told about their
/// journals before it.
const LONG_AGO: i64 = 1_577_836_800_000;
/// 2100: after that.
const LONG_AFTER: i64 = 4_102_444_800_000;

on_postgres!(
    calls_go_on_through_an_outage_and_none_is_lost,
    what_a_dead_node_left_in_its_journal_is_charged_at_its_next_start,
    what_exceeds_its_reservation_in_a_journal_is_charged_once,
    leases_stay_held_while_a_journal_may_be_unreplayed,
    a_charge_whose_lease_was_taken_back_meanwhile_is_charged_once,
    a_journal_replayed_twice_charges_once,
    a_torn_record_takes_no_other_with_it,
    a_journal_that_cannot_be_read_on_is_kept,
    a_row_that_no_record_can_hold_holds_up_no_other,
    a_record_that_is_refused_after_an_outage_holds_nothing,
    a_full_journal_waits_for_the_database,
);

/// A node behind a proxy, its records beside it.
struct Scene {
    records: Store,
    behind: Store,
    proxy: Proxy,
    folder: TempDir,
    time: Time,
    user: UserId,
}

impl Scene {
    async fn set(place: &Place, now: i64) -> Self {
        let Location::Postgres(url) = &place.location else {
            panic!("an outage needs a server");
        };
        let records = place.open().await;
        let user = a_user(&records, 100_000).await;
        let proxy = Proxy::before(url).await;
        let options = OpenOptions {
            wait: Duration::from_millis(400),
            ..OpenOptions::default()
        };
        let location = Location::Postgres(proxy.url());
        Self {
            records,
            behind: Store::open(&location, &options).await.unwrap(),
            proxy,
            folder: TempDir::new().unwrap(),
            time: Time::at(now),
            user,
        }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("journal/charges")
    }

    fn settings(&self) -> Settings {
        Settings {
            journal: Some(JournalSettings {
                patience: Duration::from_millis(600),
                ..JournalSettings::at(self.journal())
            }),
            // One slice holds everything that a test spends.
            share: 2,
            ..settings("a")
        }
    }

    async fn start(&self) -> Wallets {
        node(&self.behind, &self.time, self.settings()).await
    }

    /// Settles a call; true where it was on disk in time.
    async fn call(&self, wallets: &Wallets, id: &str, nanos: i64) -> bool {
        let reservation = wallets.reserve(wants(self.user, 1_000)).await.unwrap();
        let call = a_call(self.user, None, id, self.time.now());
        let written = reservation.settle(charge(nanos), call).wait();
        let written = tokio::time::timeout(Duration::from_secs(3), written).await;
        written.is_ok_and(|outcome| outcome.is_ok())
    }

    /// The node is killed with everything that it has in memory.
    async fn kill(&self, wallets: Wallets) {
        drop(wallets);
        let is_free = || {
            let file = std::fs::File::open(self.journal()).unwrap();
            file.try_lock().is_ok()
        };
        wait_until(is_free).await;
    }

    async fn has(&self) -> (i64, i64, i64) {
        let has = balances(&self.records, self.user).await;
        (has.wallet_nanos, has.held_nanos, has.owed_nanos)
    }

    async fn calls_made(&self) -> i64 {
        let filter = LogFilter {
            user_id: Some(self.user),
            ..LogFilter::default()
        };
        let bounds = PageBounds::rows(1_000);
        let page = request_log::page(self.records.read(), &filter, None, bounds).await;
        page.unwrap().items.len().try_into().unwrap()
    }
}

async fn wait_until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(50), "it never was so");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

async fn calls_go_on_through_an_outage_and_none_is_lost(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    for call in 0..30 {
        assert!(scene.call(&wallets, &format!("during-{call}"), 100).await);
    }
    assert!(wallets.has_journal());
    assert_eq!(revenue(&scene.records).await, 10);
    let beyond = wallets.reserve(wants(scene.user, 60_000)).await;
    assert!(matches!(beyond, Err(ReserveError::Unavailable(_))));
    let start = Instant::now();
    let again = wallets.reserve(wants(scene.user, 60_000)).await;
    assert!(matches!(again, Err(ReserveError::Unavailable(_))));
    assert!(start.elapsed() < Duration::from_millis(200));

    scene.proxy.set(Traffic::Flows);
    wait_until(|| !wallets.has_journal()).await;
    assert_eq!(revenue(&scene.records).await, 3_010);
    assert!(scene.call(&wallets, "after", 5).await);
    wallets
        .reserve(wants(scene.user, 60_000))
        .await
        .unwrap()
        .release();
    wallets.give_back_all().await.unwrap();
    assert_eq!(scene.has().await, (100_000 - 3_015, 0, 0));
    assert_eq!(scene.calls_made().await, 32);
    verify(&scene.records).await;
}

async fn what_a_dead_node_left_in_its_journal_is_charged_at_its_next_start(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Stalls);
    assert!(scene.call(&wallets, "kept", 700).await);
    scene.kill(wallets).await;
    assert_eq!(revenue(&scene.records).await, 10);
    scene.proxy.set(Traffic::Flows);
    let wallets = scene.start().await;
    assert_eq!(revenue(&scene.records).await, 710);
    assert_eq!(scene.has().await, (100_000 - 710, 0, 0));
    assert!(!wallets.has_journal());
    verify(&scene.records).await;
}

async fn what_exceeds_its_reservation_in_a_journal_is_charged_once(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    drop(wallets.reserve(wants(scene.user, 1_000)).await.unwrap());
    scene.proxy.set(Traffic::Stalls);
    assert!(scene.call(&wallets, "dear", 120_000).await);
    let copy = scene.folder.path().join("copy");
    std::fs::copy(scene.journal(), &copy).unwrap();
    scene.kill(wallets).await;
    scene.proxy.set(Traffic::Flows);
    drop(scene.start().await);
    check_one_loss(&scene.records, scene.user, "dear").await;
    wait_until(|| std::fs::File::open(scene.journal()).is_ok_and(|file| file.try_lock().is_ok()))
        .await;
    // What the database has already.
    std::fs::copy(&copy, scene.journal()).unwrap();
    drop(scene.start().await);
    check_one_loss(&scene.records, scene.user, "dear").await;
}

async fn leases_stay_held_while_a_journal_may_be_unreplayed(place: Place) {
    let scene = Scene::set(&place, LONG_AGO).await;
    let wallets = scene.start().await;
    scene.proxy.set(Traffic::Cut);
    let _ = wallets.reserve(wants(scene.user, 1)).await;
    scene.proxy.set(Traffic::Flows);
    wallets
        .reserve(wants(scene.user, 1))
        .await
        .unwrap()
        .release();
    let held = scene.has().await.1;
    assert!(held > 0);
    scene.proxy.set(Traffic::Cut);
    assert!(scene.call(&wallets, "kept", 700).await);
    scene.kill(wallets).await;
    // The server was started after the node was last heard of: its journal may hold anything.
    scene.time.advance(600_000);
    let other = node(&scene.records, &scene.time, settings("other")).await;
    other.upkeep().await.unwrap();
    assert_eq!(scene.has().await.1, held);
    scene.proxy.set(Traffic::Flows);
    let wallets = scene.start().await;
    assert_eq!(scene.has().await, (100_000 - 700, 0, 0));
    drop(wallets);
    verify(&scene.records).await;
}

async fn a_charge_whose_lease_was_taken_back_meanwhile_is_charged_once(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    assert!(scene.call(&wallets, "kept", 700).await);
    scene.time.advance(600_000);
    let other = node(&scene.records, &scene.time, settings("other")).await;
    other.upkeep().await.unwrap();
    assert_eq!(scene.has().await, (100_000 - 10, 0, 0));
    scene.proxy.set(Traffic::Flows);
    wait_until(|| !wallets.has_journal()).await;
    assert_eq!(scene.has().await, (100_000 - 710, 0, 0));
    verify(&scene.records).await;
}

async fn a_journal_replayed_twice_charges_once(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    for call in 0..5 {
        assert!(scene.call(&wallets, &format!("kept-{call}"), 100).await);
    }
    scene.kill(wallets).await;
    let copy = std::fs::read(scene.journal()).unwrap();
    scene.proxy.set(Traffic::Flows);
    for _ in 0..2 {
        std::fs::write(scene.journal(), &copy).unwrap();
        let wallets = scene.start().await;
        assert_eq!(revenue(&scene.records).await, 510);
        assert_eq!(scene.calls_made().await, 6);
        scene.kill(wallets).await;
        assert!(length(&scene.journal()) < 20);
    }
    verify(&scene.records).await;
}

async fn a_torn_record_takes_no_other_with_it(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    assert!(scene.call(&wallets, "first", 100).await);
    assert!(scene.call(&wallets, "second", 1_000).await);
    scene.kill(wallets).await;
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(scene.journal());
    file.unwrap().set_len(length(&scene.journal()) - 3).unwrap();
    scene.proxy.set(Traffic::Flows);
    let wallets = scene.start().await;
    assert_eq!(revenue(&scene.records).await, 110);
    drop(wallets);
    verify(&scene.records).await;
}

async fn a_journal_that_cannot_be_read_on_is_kept(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    assert!(scene.call(&wallets, "first", 100).await);
    let whole = usize::try_from(length(&scene.journal())).unwrap();
    assert!(scene.call(&wallets, "second", 1_000).await);
    assert!(scene.call(&wallets, "third", 1_000).await);
    let mut damaged = std::fs::read(scene.journal()).unwrap();
    damaged[whole + 20] ^= 1;
    std::fs::write(scene.journal(), &damaged).unwrap();
    scene.proxy.set(Traffic::Flows);
    wait_until(|| !wallets.figures().is_away).await;
    wallets.flush().await;
    assert_eq!(revenue(&scene.records).await, 110);
    assert!(scene.call(&wallets, "after", 5).await);
    wallets.flush().await;
    assert_eq!(revenue(&scene.records).await, 115);
    assert!(wallets.has_journal());
    assert_eq!(std::fs::read(scene.journal()).unwrap(), damaged);
    verify(&scene.records).await;
}

async fn a_row_that_no_record_can_hold_holds_up_no_other(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    assert!(scene.call(&wallets, "first", 100).await);
    let reservation = wallets.reserve(wants(scene.user, 1_000)).await.unwrap();
    let mut long = a_call(scene.user, None, "long", scene.time.now());
    long.error_message = Some("x".repeat(17 * 1024 * 1024).into());
    let refused = reservation.settle(charge(1_000), long).wait();
    let refused = tokio::time::timeout(Duration::from_secs(9), refused).await;
    refused.unwrap().unwrap_err();
    assert!(scene.call(&wallets, "second", 100).await);
    scene.kill(wallets).await;
    scene.proxy.set(Traffic::Flows);
    let wallets = scene.start().await;
    assert_eq!(scene.has().await, (100_000 - 210, 0, 0));
    drop(wallets);
    verify(&scene.records).await;
}

async fn a_record_that_is_refused_after_an_outage_holds_nothing(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let wallets = scene.start().await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    let reservation = wallets.reserve(wants(scene.user, 1_000)).await.unwrap();
    let call = a_call(NOBODY, None, "refused", scene.time.now());
    let written = reservation.settle(charge(700), call);
    written.wait().await.unwrap();
    scene.proxy.set(Traffic::Flows);
    wait_until(|| !wallets.has_journal()).await;
    scene.time.advance(25_000);
    wallets.upkeep().await.unwrap();
    assert_eq!(scene.has().await, (100_000 - 10, 0, 0));
    verify(&scene.records).await;
}

async fn a_full_journal_waits_for_the_database(place: Place) {
    let scene = Scene::set(&place, LONG_AFTER).await;
    let mut small = scene.settings();
    if let Some(journal) = &mut small.journal {
        journal.most_bytes = 600;
    }
    let wallets = node(&scene.behind, &scene.time, small).await;
    assert!(scene.call(&wallets, "before", 10).await);
    scene.proxy.set(Traffic::Cut);
    let mut kept = 0;
    let reservation = loop {
        let reservation = wallets.reserve(wants(scene.user, 100)).await.unwrap();
        if length(&scene.journal()) > 360 {
            break reservation;
        }
        drop(reservation);
        assert!(scene.call(&wallets, &format!("kept-{kept}"), 100).await);
        kept += 1;
    };
    let call = a_call(scene.user, None, "waits", scene.time.now());
    let mut waiting = Box::pin(reservation.settle(charge(7), call).wait());
    let early = tokio::time::timeout(Duration::from_millis(300), &mut waiting).await;
    assert!(early.is_err());
    let another = wallets.reserve(wants(scene.user, 100)).await;
    assert!(matches!(another, Err(ReserveError::Unavailable(_))));
    let refused = wallets.note(a_call(scene.user, None, "refused", scene.time.now()));
    scene.proxy.set(Traffic::Flows);
    waiting.await.unwrap();
    assert!(wallets.reserve(wants(scene.user, 100)).await.is_ok());
    drop(refused);
    wait_until(|| !wallets.has_journal()).await;
    assert_eq!(revenue(&scene.records).await, 17 + kept * 100);
    verify(&scene.records).await;
}
