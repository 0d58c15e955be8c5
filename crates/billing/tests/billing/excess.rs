//! Usage beyond a reservation: the wallet and the budgets pay what they can, the rest is a loss of the operator.

use billing::wallet::{Request, Settings, Wallets, token_budgets};
use store::ledger::{self, Account};
use store::request_log::{self, LoggedCall};
use store::tokens::{self, TokenChanges};
use store::{Store, UserId};

use crate::budgets::{a_token, wants as within};
use crate::settling::wants;
use crate::support::{
    Place, Time, a_call, a_user, balances, charge, node, revenue, settings, verify,
};

on_both_engines!(
    the_wallet_pays_what_it_can_and_the_rest_is_a_loss,
    a_wallet_that_has_enough_pays_all_of_it,
    other_purses_of_the_node_pay_too,
    a_budget_is_not_exceeded,
    a_late_excess_is_charged_from_the_wallet,
    calls_of_one_write_share_what_there_is,
);

pub async fn loss(store: &Store) -> i64 {
    let balance = ledger::balance(store.read(), Account::OperatorLoss).await;
    -balance.unwrap()
}

/// One call that reserved and cost so much, as the log has it.
async fn a_dear_call(
    (store, wallets, time): (&Store, &Wallets, &Time),
    request: Request<'_>,
    id: &str,
    nanos: i64,
) -> LoggedCall {
    let reservation = wallets.reserve(request).await.unwrap();
    let written = reservation.settle(charge(nanos), a_call(request.user, None, id, time.now()));
    written.wait().await.unwrap();
    wallets.flush().await;
    logged(store, id).await
}

async fn logged(store: &Store, id: &str) -> LoggedCall {
    let found = request_log::find(store.read(), id).await;
    found.unwrap().unwrap()
}

fn not_covered(call: &LoggedCall) -> Option<&str> {
    let mut lines = call.price_lines.0.iter();
    let line = lines.find(|line| line.kind == "not_covered");
    line.map(|line| line.amount_usd.as_str())
}

async fn the_wallet_pays_what_it_can_and_the_rest_is_a_loss(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let scene = (&store, &wallets, &time);
    let call = a_dear_call(scene, wants(user, 1_000), "r1", 5_000_000).await;
    assert_eq!(
        (call.charge_nanos, call.loss_nanos),
        (1_000_000, Some(4_000_000))
    );
    assert_eq!(not_covered(&call), Some("-0.004"));
    assert_eq!(
        (revenue(&store).await, loss(&store).await),
        (5_000_000, 4_000_000)
    );
    let has = balances(&store, user).await;
    assert_eq!(
        (has.wallet_nanos, has.held_nanos, has.owed_nanos),
        (0, 0, 0)
    );
    let losses = wallets.losses_since(time.now());
    assert_eq!((losses.len(), losses[0].calls), (1, 1));
    // Of it the slice paid 125,000 and the wallet 875,000.
    assert_eq!(losses[0].excess_nanos, 4_875_000);
    assert_eq!(losses[0].loss_nanos, 4_000_000);
    assert_eq!(wallets.losses_since(time.now() + 1), []);
    assert!(wallets.reserve(wants(user, 1)).await.is_err());
    store.write_sums(time.now()).await.unwrap();
    let user = store::users::get(store.read(), user).await.unwrap();
    assert_eq!(user.unwrap().used_nanos, 1_000_000);
    verify(&store).await;
}

async fn a_wallet_that_has_enough_pays_all_of_it(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let wallets = node(&store, &time, settings("a")).await;
    let scene = (&store, &wallets, &time);
    let call = a_dear_call(scene, wants(user, 1_000), "r1", 300_000).await;
    assert_eq!((call.charge_nanos, call.loss_nanos), (300_000, None));
    assert_eq!(not_covered(&call), None);
    assert_eq!((revenue(&store).await, loss(&store).await), (300_000, 0));
    assert_eq!(wallets.losses_since(0), []);
    wallets.give_back_all().await.unwrap();
    assert_eq!(balances(&store, user).await.wallet_nanos, 700_000);
    verify(&store).await;
}

async fn other_purses_of_the_node_pay_too(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let limits = TokenChanges {
        budget_total_nanos: Some(Some(900_000)),
        ..TokenChanges::default()
    };
    let token = a_token(&store, user, "ci", limits).await;
    let wallets = node(&store, &time, settings("a")).await;
    let budgets = token_budgets(&token, time.now());
    let other = wallets.reserve(within(user, &budgets, 800_000)).await;
    other.unwrap().release();
    let scene = (&store, &wallets, &time);
    let call = a_dear_call(scene, wants(user, 1_000), "r1", 5_000_000).await;
    assert_eq!(
        (call.charge_nanos, call.loss_nanos),
        (1_000_000, Some(4_000_000))
    );
    verify(&store).await;
}

async fn a_budget_is_not_exceeded(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let limits = TokenChanges {
        budget_total_nanos: Some(Some(10_000)),
        ..TokenChanges::default()
    };
    let token = a_token(&store, user, "ci", limits).await;
    let wallets = node(&store, &time, settings("a")).await;
    let budgets = token_budgets(&token, time.now());
    let scene = (&store, &wallets, &time);
    let call = a_dear_call(scene, within(user, &budgets, 500), "r1", 50_000).await;
    assert_eq!((call.charge_nanos, call.loss_nanos), (10_000, Some(40_000)));
    assert!(wallets.reserve(within(user, &budgets, 1)).await.is_err());
    wallets.give_back_all().await.unwrap();
    assert_eq!(balances(&store, user).await.wallet_nanos, 990_000);
    let windows: Vec<_> = budgets.iter().map(|budget| budget.window).collect();
    let window_sums = store::budgets::taken_in(store.read(), &windows).await;
    assert_eq!(window_sums.unwrap()[&windows[0]], 10_000);
    let transaction = store.write().await.unwrap();
    tokens::delete(&transaction, token.id).await.unwrap();
    transaction.commit().await.unwrap();
    verify(&store).await;
}

async fn a_late_excess_is_charged_from_the_wallet(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let (slow, other) = (
        node(&store, &time, settings("slow")).await,
        node(&store, &time, settings("other")).await,
    );
    let reservation = slow.reserve(wants(user, 1_000)).await.unwrap();
    time.advance(60_000);
    other.upkeep().await.unwrap();
    let call = a_call(user, None, "r1", time.now());
    let written = reservation.settle(charge(3_000_000), call);
    written.wait().await.unwrap();
    let call = logged(&store, "r1").await;
    assert_eq!(
        (call.charge_nanos, call.loss_nanos),
        (1_000_000, Some(2_000_000))
    );
    let has = balances(&store, user).await;
    assert_eq!(
        (has.wallet_nanos, has.held_nanos, has.owed_nanos),
        (0, 0, 0)
    );
    assert_eq!(loss(&store).await, 2_000_000);
    verify(&store).await;
}

async fn calls_of_one_write_share_what_there_is(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let settings = Settings {
        durability: billing::wallet::Durability::Relaxed,
        ..settings("a")
    };
    let wallets = node(&store, &time, settings).await;
    let ids = ["r1", "r2", "r3", "r4"];
    let mut running = Vec::new();
    for id in ids {
        running.push((id, wallets.reserve(wants(user, 1_000)).await.unwrap()));
    }
    for (id, reservation) in running {
        // The last one costs no more than it reserved.
        let nanos = if id == "r4" { 500 } else { 600_000 };
        let written = reservation.settle(charge(nanos), a_call(user, None, id, time.now()));
        written.wait().await.unwrap();
    }
    wallets.flush().await;
    wallets.give_back_all().await.unwrap();
    let (mut charged, mut lost) = (0, 0);
    for id in ids {
        let call = logged(&store, id).await;
        charged += call.charge_nanos;
        lost += call.loss_nanos.unwrap_or(0);
    }
    assert_eq!(charged + lost, 1_800_500);
    // All that the wallet had but what the last call gave back when the others were settled.
    let left = balances(&store, user).await.wallet_nanos;
    assert_eq!(charged, 1_000_000 - left);
    assert!(left <= 500, "{left} are left");
    assert_eq!(
        (revenue(&store).await, loss(&store).await),
        (charged + lost, lost)
    );
    verify(&store).await;
}

/// Money of users and of the operator after one call of 120,000 that a wallet of 100,000 cannot pay.
pub async fn check_one_loss(store: &Store, user: UserId, id: &str) {
    let call = logged(store, id).await;
    assert_eq!(
        (call.charge_nanos, call.loss_nanos),
        (100_000, Some(20_000))
    );
    assert_eq!((revenue(store).await, loss(store).await), (120_000, 20_000));
    let has = balances(store, user).await;
    assert_eq!(
        (has.wallet_nanos, has.held_nanos, has.owed_nanos),
        (0, 0, 0)
    );
    verify(store).await;
}
