//! One node: what a call does to the wallet, and what it costs in round trips.

use std::time::Duration;

use billing::wallet::{Durability, Request, ReserveError, Settings, Wallets};
use store::ledger::{self, Account};
use store::{Store, UserId, request_log};

use crate::support::{
    NOBODY, Place, Time, a_call, a_user, balances, charge, node, revenue, settings, verify,
};

on_both_engines!(
    a_settled_call_is_charged_and_logged_in_one_commit,
    a_call_that_goes_away_costs_nothing,
    a_charge_beyond_the_reservation_never_overdraws,
    a_refused_call_learns_what_is_affordable,
    an_idle_slice_goes_back_and_a_used_one_is_renewed,
    a_call_that_comes_while_its_slice_goes_back_gets_another,
    a_refused_call_is_logged_without_money,
    a_charge_that_the_records_refuse_is_held_no_longer_than_its_slice,
);

pub fn wants(user: UserId, amount_nanos: i64) -> Request<'static> {
    Request {
        user,
        budgets: &[],
        amount_nanos,
    }
}

async fn a_settled_call_is_charged_and_logged_in_one_commit(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let reservation = wallets.reserve(wants(user, 400_000)).await.unwrap();
    assert_eq!(reservation.amount_nanos(), 400_000);
    let written = reservation.settle(charge(150_000), a_call(user, None, "r1", time.now()));
    written.wait().await.unwrap();
    let logged = request_log::find(store.read(), "r1")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(logged.charge_nanos, 150_000);
    assert_eq!(revenue(&store).await, 150_000);
    wallets.give_back_all().await.unwrap();
    let after = balances(&store, user).await;
    assert_eq!((after.wallet_nanos, after.held_nanos), (850_000, 0));
    store.write_sums(time.now()).await.unwrap();
    let user = store::users::get(store.read(), user)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((user.used_nanos, user.request_count), (150_000, 1));
    verify(&store).await;
}

async fn a_call_that_goes_away_costs_nothing(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    for _ in 0..3 {
        let reservation = wallets.reserve(wants(user, 1_000)).await.unwrap();
        drop(reservation);
        wallets.reserve(wants(user, 900)).await.unwrap().release();
    }
    wallets.give_back_all().await.unwrap();
    assert_eq!(balances(&store, user).await.wallet_nanos, 1_000);
    verify(&store).await;
}

async fn a_charge_beyond_the_reservation_never_overdraws(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let reservation = wallets.reserve(wants(user, 900)).await.unwrap();
    let written = reservation.settle(charge(5_000), a_call(user, None, "r1", time.now()));
    written.wait().await.unwrap();
    wallets.give_back_all().await.unwrap();
    let logged = request_log::find(store.read(), "r1")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (logged.charge_nanos, logged.loss_nanos),
        (1_000, Some(4_000))
    );
    let line = logged.price_lines.0.last().unwrap();
    assert_eq!(
        (&*line.kind, line.amount_usd.as_str()),
        ("not_covered", "-0.000004")
    );
    let after = balances(&store, user).await;
    assert_eq!((after.wallet_nanos, after.owed_nanos), (0, 0));
    verify(&store).await;
}

async fn a_refused_call_learns_what_is_affordable(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let held = wallets.reserve(wants(user, 300)).await.unwrap();
    let affordable = affordable(&wallets, user, 701).await;
    assert_eq!(affordable, 700);
    let rest = wallets.reserve(wants(user, affordable)).await.unwrap();
    assert_eq!(self::affordable(&wallets, user, 1).await, 0);
    drop((held, rest));
    wallets.reserve(wants(user, 0)).await.unwrap().release();
    wallets.reserve(wants(user, 1_000)).await.unwrap().release();
}

async fn affordable(wallets: &Wallets, user: UserId, amount: i64) -> i64 {
    match wallets.reserve(wants(user, amount)).await {
        Err(ReserveError::NotEnough {
            affordable_nanos, ..
        }) => affordable_nanos,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("there is enough"),
    }
}

async fn an_idle_slice_goes_back_and_a_used_one_is_renewed(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let running = wallets.reserve(wants(user, 500)).await.unwrap();
    for _ in 0..10 {
        time.advance(25_000);
        wallets.upkeep().await.unwrap();
    }
    assert_eq!(balances(&store, user).await.held_nanos, 500);
    let written = running.settle(charge(200), a_call(user, None, "r1", time.now()));
    written.wait().await.unwrap();
    time.advance(25_000);
    wallets.upkeep().await.unwrap();
    let after = balances(&store, user).await;
    assert_eq!((after.wallet_nanos, after.held_nanos), (800, 0));
    verify(&store).await;
}

async fn a_call_that_comes_while_its_slice_goes_back_gets_another(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    wallets.reserve(wants(user, 500)).await.unwrap().release();
    time.advance(1_000_000);
    // The slice is on its way back, which takes time, when the call looks for it.
    let (kept, reserved) = tokio::join!(wallets.upkeep(), wallets.reserve(wants(user, 100)));
    kept.unwrap();
    reserved.unwrap().release();
    verify(&store).await;
}

async fn a_refused_call_is_logged_without_money(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    for _ in 0..2 {
        let mut call = a_call(user, None, "refused", time.now());
        call.status = 402;
        call.error_cause = Some("balance".into());
        call.charge_nanos = 5;
        wallets.note(call).on_disk().await.unwrap();
    }
    let logged = request_log::find(store.read(), "refused").await.unwrap();
    let logged = logged.unwrap();
    assert_eq!((logged.status, logged.charge_nanos), (402, 0));
    store.write_sums(time.now()).await.unwrap();
    let user = store::users::get(store.read(), user).await.unwrap();
    assert_eq!(user.unwrap().request_count, 1);
    verify(&store).await;
}

async fn a_charge_that_the_records_refuse_is_held_no_longer_than_its_slice(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let reservation = wallets.reserve(wants(user, 500)).await.unwrap();
    let written = reservation.settle(charge(200), a_call(NOBODY, None, "r1", time.now()));
    written.wait().await.unwrap_err();
    wallets.flush().await;
    let figures = wallets.figures();
    assert_eq!((figures.free_nanos, figures.reserved_nanos), (300, 0));
    time.advance(25_000);
    wallets.upkeep().await.unwrap();
    let after = balances(&store, user).await;
    assert_eq!((after.wallet_nanos, after.held_nanos), (1_000, 0));
    verify(&store).await;
}

/// A flood of refusals while the records stand still is bounded and takes no call's place.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_beyond_the_bound_are_lost_and_counted() {
    crate::support::run(store::Engine::Sqlite, flooded).await;
}

async fn flooded(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let small = Settings {
        queue: 10,
        ..settings("a")
    };
    let wallets = node(&store, &time, small).await;
    wallets.reserve(wants(user, 500)).await.unwrap().release();
    let blocker = store.write().await.unwrap();
    let written: Vec<_> = (0..15)
        .map(|row| wallets.note(a_call(user, None, &format!("n{row}"), time.now())))
        .collect();
    assert_eq!(wallets.lost_notes(), 5);
    wallets.reserve(wants(user, 100)).await.unwrap().release();
    drop(blocker);
    let mut kept = 0;
    for row in written {
        kept += usize::from(row.on_disk().await.is_ok());
    }
    assert_eq!(kept, 10);
}

/// Takes the only connection that can write: whatever needed it would wait for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_steady_state_needs_no_database() {
    crate::support::run(store::Engine::Sqlite, steady_state).await;
}

async fn steady_state(place: Place) {
    const CALLS: i64 = 2_000;
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000_000_000).await;
    let relaxed = Settings {
        durability: Durability::Relaxed,
        recall_poll: None,
        ..settings("a")
    };
    let wallets = node(&store, &time, relaxed).await;
    wallets.reserve(wants(user, 1_000)).await.unwrap().release();
    let before = wallets.round_trips();
    let blocker = store.write().await.unwrap();
    let calls = async {
        for call in 0..CALLS {
            let reservation = wallets.reserve(wants(user, 1_000)).await.unwrap();
            let call = a_call(user, None, &format!("r{call}"), time.now());
            reservation.settle(charge(700), call).wait().await.unwrap();
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(5), calls).await;
    in_time.expect("no call waits for the database");
    // The one transaction is the writer's, which waits behind the calls and not before them.
    assert!(wallets.round_trips() - before <= 1);
    drop(blocker);
    wallets.flush().await;
    assert_eq!(revenue(&store).await, CALLS * 700);
    let commits = wallets.round_trips() - before;
    assert!(commits <= 10, "{commits} commits for {CALLS} calls");
    verify(&store).await;
}

/// Strict waits for the disk, relaxed does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strict_holds_a_reply_until_its_charge_is_on_disk() {
    crate::support::run(store::Engine::Sqlite, strict).await;
}

async fn strict(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let reservation = wallets.reserve(wants(user, 1_000)).await.unwrap();
    let blocker = store.write().await.unwrap();
    let call = a_call(user, None, "r1", time.now());
    let mut waiting = Box::pin(reservation.settle(charge(700), call).wait());
    let early = tokio::time::timeout(Duration::from_millis(50), &mut waiting).await;
    assert!(early.is_err());
    drop(blocker);
    waiting.await.unwrap();
    assert_eq!(on_disk(&store).await, 700);
}

async fn on_disk(store: &Store) -> i64 {
    ledger::balance(store.read(), Account::Revenue)
        .await
        .unwrap()
}
