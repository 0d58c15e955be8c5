//! Gifts, corrections, referral earnings and refunds, and what a debt does to calls.

use std::time::{Duration, Instant};

use billing::credits::{Adjustment, Grant, adjust, grant, take_back, transfer};
use billing::wallet::{ReserveError, Settings};
use store::ledger::{self, Account, Outcome};
use store::redemption_codes::{self, NewRedemptionCodes};
use store::referrals::{self, Rewards};
use store::{Store, StoreError, UserId};

use crate::settling::wants;
use crate::support::{
    Place, Time, a_call, a_named_user, a_user, balances, charge, credit, fund, node, settings,
    verify,
};

on_both_engines!(
    gifts_and_corrections_count_once,
    a_correction_below_zero_is_owed,
    earnings_are_rewarded_once_and_moved_as_far_as_they_go,
    a_code_pays_a_debt_first,
    a_refund_reaches_what_nodes_have_leased,
    a_debt_refuses_calls_until_a_credit_pays_it,
);

fn a_grant(user: UserId, key: &str, amount_nanos: i64) -> Grant {
    Grant {
        key: key.to_owned(),
        user,
        amount_nanos,
        reason: None,
        at: 1,
    }
}

fn an_adjustment(user: UserId, key: &str, amount_nanos: i64) -> Adjustment {
    Adjustment {
        key: key.to_owned(),
        user,
        amount_nanos,
        reason: "counted wrongly".to_owned(),
        at: 1,
    }
}

async fn adjusted(store: &Store, by: &Adjustment) -> Outcome {
    let transaction = store.write().await.unwrap();
    let outcome = adjust(&transaction, by).await.unwrap();
    transaction.commit().await.unwrap();
    outcome
}

/// Wallet, held, owed.
async fn has(store: &Store, user: UserId) -> (i64, i64, i64) {
    let has = balances(store, user).await;
    (has.wallet_nanos, has.held_nanos, has.owed_nanos)
}

async fn gifts_and_corrections_count_once(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, 0).await;
    let gift = a_grant(user, "welcome", 500);
    for expected in [Outcome::Posted, Outcome::Duplicate] {
        let transaction = store.write().await.unwrap();
        assert_eq!(grant(&transaction, &gift).await.unwrap(), expected);
        transaction.commit().await.unwrap();
    }
    let more = an_adjustment(user, "1", 70);
    assert_eq!(adjusted(&store, &more).await, Outcome::Posted);
    assert_eq!(adjusted(&store, &more).await, Outcome::Duplicate);
    let less = an_adjustment(user, "2", -20);
    assert_eq!(adjusted(&store, &less).await, Outcome::Posted);
    assert_eq!(adjusted(&store, &less).await, Outcome::Duplicate);
    let nothing = an_adjustment(user, "3", 0);
    assert_eq!(adjusted(&store, &nothing).await, Outcome::Duplicate);
    assert_eq!(has(&store, user).await, (550, 0, 0));
    let house = ledger::balance(store.read(), Account::Adjustments).await;
    assert_eq!(house.unwrap(), -50);
    verify(&store).await;
}

async fn a_correction_below_zero_is_owed(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, 100).await;
    adjusted(&store, &an_adjustment(user, "1", -130)).await;
    assert_eq!(has(&store, user).await, (0, 0, 30));
    adjusted(&store, &an_adjustment(user, "2", 50)).await;
    assert_eq!(has(&store, user).await, (20, 0, 0));
    verify(&store).await;
}

async fn earnings_are_rewarded_once_and_moved_as_far_as_they_go(place: Place) {
    let store = place.open().await;
    let host = a_user(&store, 0).await;
    let guest = a_named_user(&store, "bob").await;
    let rewards = Rewards {
        inviter_nanos: 300,
        invitee_nanos: 40,
    };
    let transaction = store.write().await.unwrap();
    referrals::insert(&transaction, guest, host, 1)
        .await
        .unwrap();
    for is_first in [true, false] {
        let rewarded = referrals::reward(&transaction, guest, rewards, 2).await;
        assert_eq!(rewarded.unwrap(), is_first);
    }
    transaction.commit().await.unwrap();
    assert_eq!(has(&store, guest).await, (40, 0, 0));
    assert_eq!(balances(&store, host).await.referral_nanos, 300);

    for (key, amount, expected) in [
        ("a", 200, Outcome::Posted),
        ("a", 200, Outcome::Duplicate),
        ("b", 100, Outcome::Posted),
    ] {
        let transaction = store.write().await.unwrap();
        let moved = transfer(&transaction, host, amount, key, 3).await;
        assert_eq!(moved.unwrap(), expected);
        transaction.commit().await.unwrap();
    }
    let transaction = store.write().await.unwrap();
    let refused = transfer(&transaction, host, 1, "c", 3).await;
    assert!(matches!(refused, Err(StoreError::InsufficientFunds(_))));
    drop(transaction);
    let after = balances(&store, host).await;
    assert_eq!((after.wallet_nanos, after.referral_nanos), (300, 0));
    verify(&store).await;
}

async fn a_code_pays_a_debt_first(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, 0).await;
    adjusted(&store, &an_adjustment(user, "1", -30)).await;
    let transaction = store.write().await.unwrap();
    let codes = NewRedemptionCodes {
        name: "spring".to_owned(),
        code_hashes: vec![vec![1]],
        credit_nanos: 100,
        created_by: None,
        now: 0,
        expires_at: None,
    };
    redemption_codes::insert(&transaction, codes).await.unwrap();
    let redeemed = redemption_codes::redeem(&transaction, &[1], user, 5).await;
    assert!(redeemed.unwrap().is_some());
    transaction.commit().await.unwrap();
    assert_eq!(has(&store, user).await, (70, 0, 0));
    verify(&store).await;
}

async fn a_refund_reaches_what_nodes_have_leased(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    // It answers when it is told to: one that looks by itself may be in the middle of it then.
    let told = Settings {
        recall_poll: None,
        ..settings("a")
    };
    let wallets = node(&store, &time, told).await;
    wallets.reserve(wants(user, 900)).await.unwrap().release();
    assert_eq!(has(&store, user).await, (100, 900, 0));
    let transaction = store.write().await.unwrap();
    let taken = take_back(&transaction, &credit(user, "refund", 600)).await;
    let taken = taken.unwrap().unwrap();
    transaction.commit().await.unwrap();
    assert_eq!((taken.wallet_nanos, taken.owed_nanos), (100, 500));
    wallets.answer_recalls().await.unwrap();
    assert_eq!(has(&store, user).await, (400, 0, 0));
    assert!(wallets.reserve(wants(user, 401)).await.is_err());
    wallets.reserve(wants(user, 400)).await.unwrap().release();
    verify(&store).await;
}

async fn a_debt_refuses_calls_until_a_credit_pays_it(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let (one, two) = (
        node(&store, &time, settings("one")).await,
        node(&store, &time, settings("two")).await,
    );
    let running = one.reserve(wants(user, 600)).await.unwrap();
    two.reserve(wants(user, 300)).await.unwrap().release();
    let transaction = store.write().await.unwrap();
    take_back(&transaction, &credit(user, "refund", 900))
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    for wallets in [&one, &two] {
        wallets.answer_recalls().await.unwrap();
    }
    // Each node also answers by itself, and may be about to.
    let began = Instant::now();
    while has(&store, user).await != (0, 600, 500) {
        assert!(began.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    // What the running call releases pays the debt and serves no other call before.
    let call = a_call(user, None, "r1", time.now());
    running.settle(charge(250), call).wait().await.unwrap();
    for wallets in [&one, &two] {
        let refused = wallets.reserve(wants(user, 1)).await.err().unwrap();
        assert!(matches!(
            refused,
            ReserveError::NotEnough {
                affordable_nanos: 0,
                ..
            }
        ));
    }
    assert_eq!(has(&store, user).await, (0, 0, 150));
    fund(&store, user, "more", 200).await;
    two.reserve(wants(user, 50)).await.unwrap().release();
    assert!(one.reserve(wants(user, 51)).await.is_err());
    one.reserve(wants(user, 50)).await.unwrap().release();
    verify(&store).await;
}
