//! The ledger: movements, idempotency, append-only entries, verification.

use sea_orm::ConnectionTrait;
use store::ledger::{self, Account, Balances, Credit, Movement, Outcome, TakenBack};
use store::{Store, StoreError, UserId};

use crate::support::{Place, a_user, fund};

on_both_engines!(
    a_movement_changes_both_balances,
    a_key_posted_again_has_no_second_effect,
    a_key_cannot_be_reused_for_another_movement,
    a_wallet_never_goes_below_zero_under_16_racing_tasks,
    one_key_posted_by_16_tasks_at_once_counts_once,
    batches_that_share_accounts_do_not_deadlock,
    an_error_leaves_nothing_of_the_batch,
    a_large_batch_is_posted_whole,
    entries_cannot_be_changed_or_deleted,
    constraints_hold_against_direct_writes,
    verification_finds_a_balance_that_was_tampered_with,
    what_cannot_be_taken_back_is_owed_and_the_next_credit_pays_it,
);

fn movement(key: &str, from: Account, to: Account, amount_nanos: i64) -> Movement {
    Movement {
        key: key.to_owned(),
        from,
        to,
        amount_nanos,
        reference_kind: "test",
        reference_id: "1".to_owned(),
        reason: None,
        at: 1,
    }
}

async fn post(store: &Store, movements: &[Movement]) -> store::Result<Vec<Outcome>> {
    let transaction = store.write().await?;
    let outcomes = ledger::post(&transaction, movements).await?;
    transaction.commit().await?;
    Ok(outcomes)
}

async fn wallet(store: &Store, user: UserId) -> i64 {
    ledger::balance(store.read(), Account::Wallet(user))
        .await
        .unwrap()
}

async fn assert_verified(store: &Store) {
    let verification = ledger::verify(store.read()).await.unwrap();
    assert_eq!(verification.differences, []);
    assert!(verification.accounts > 0);
}

async fn a_movement_changes_both_balances(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    assert_eq!(wallet(&store, user).await, 0);
    let gift = movement("gift", Account::Grants, Account::Wallet(user), 100);
    let mut reward = movement("reward", Account::Grants, Account::Referral(user), 7);
    reward.reason = Some("because".to_owned());
    let outcomes = post(&store, &[gift, reward]).await.unwrap();
    assert_eq!(outcomes, [Outcome::Posted, Outcome::Posted]);
    assert_eq!(wallet(&store, user).await, 100);
    assert_eq!(
        ledger::balance(store.read(), Account::Grants)
            .await
            .unwrap(),
        -107
    );
    let other = UserId(user.0 + 1);
    let all = ledger::balances(store.read(), &[user, other])
        .await
        .unwrap();
    let expected = Balances {
        wallet_nanos: 100,
        referral_nanos: 7,
        ..Balances::default()
    };
    assert_eq!((all[&user], all[&other]), (expected, Balances::default()));
    assert_eq!(post(&store, &[]).await.unwrap(), []);
    assert_verified(&store).await;
}

async fn a_key_posted_again_has_no_second_effect(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let gift = movement("gift", Account::Grants, Account::Wallet(user), 100);
    let fresh = movement("fresh", Account::Grants, Account::Wallet(user), 1);
    post(&store, std::slice::from_ref(&gift)).await.unwrap();
    let batch = [gift.clone(), fresh.clone(), gift, fresh];
    let outcomes = post(&store, &batch).await.unwrap();
    let (posted, duplicate) = (Outcome::Posted, Outcome::Duplicate);
    assert_eq!(outcomes, [duplicate, posted, duplicate, duplicate]);
    assert_eq!(wallet(&store, user).await, 101);
    assert_verified(&store).await;
}

async fn a_key_cannot_be_reused_for_another_movement(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    post(
        &store,
        &[movement(
            "gift",
            Account::Grants,
            Account::Wallet(user),
            100,
        )],
    )
    .await
    .unwrap();
    let others = [
        movement("gift", Account::Grants, Account::Wallet(user), 101),
        movement("gift", Account::Payments, Account::Wallet(user), 100),
    ];
    for other in others {
        let error = post(&store, &[other]).await.unwrap_err();
        assert!(matches!(error, StoreError::KeyReused(key) if key == "gift"));
    }
    assert_eq!(wallet(&store, user).await, 100);
}

async fn a_wallet_never_goes_below_zero_under_16_racing_tasks(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                let key = format!("spend-{number}");
                let spend = movement(&key, Account::Wallet(user), Account::Revenue, 10);
                post(&store, &[spend]).await
            })
        })
        .collect();
    let mut refused = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(outcomes) => assert_eq!(outcomes, [Outcome::Posted]),
            Err(StoreError::InsufficientFunds(_)) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(refused, 6);
    assert_eq!(wallet(&store, user).await, 0);
    assert_verified(&store).await;
}

async fn one_key_posted_by_16_tasks_at_once_counts_once(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            let gift = movement("gift", Account::Grants, Account::Wallet(user), 100);
            tokio::spawn(async move { post(&store, &[gift]).await.unwrap()[0] })
        })
        .collect();
    let mut posted = 0;
    for task in tasks {
        posted += usize::from(task.await.unwrap() == Outcome::Posted);
    }
    assert_eq!(posted, 1);
    assert_eq!(wallet(&store, user).await, 100);
    assert_verified(&store).await;
}

async fn batches_that_share_accounts_do_not_deadlock(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let store = store.clone();
            let (first, second) = if number % 2 == 0 {
                (ann, bob)
            } else {
                (bob, ann)
            };
            tokio::spawn(async move {
                let keys = [
                    format!("{number}-z"),
                    format!("{number}-a"),
                    "shared".to_owned(),
                ];
                let batch = [
                    movement(&keys[0], Account::Grants, Account::Wallet(first), 5),
                    movement(&keys[1], Account::Grants, Account::Wallet(second), 7),
                    movement(&keys[2], Account::Grants, Account::Wallet(ann), 1),
                ];
                post(&store, &batch).await.unwrap();
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(
        (wallet(&store, ann).await, wallet(&store, bob).await),
        (97, 96)
    );
    assert_verified(&store).await;
}

async fn an_error_leaves_nothing_of_the_batch(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let batch = [
        movement("good", Account::Grants, Account::Referral(user), 5),
        movement("bad", Account::Wallet(user), Account::Revenue, 1),
    ];
    let error = post(&store, &batch).await.unwrap_err();
    assert!(matches!(error, StoreError::InsufficientFunds(text) if text.contains("wallet")));
    assert_eq!(
        ledger::balance(store.read(), Account::Referral(user))
            .await
            .unwrap(),
        0
    );
    let again = post(&store, &batch[..1]).await.unwrap();
    assert_eq!(again, [Outcome::Posted]);
}

async fn a_large_batch_is_posted_whole(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let batch: Vec<_> = (0..1203)
        .map(|number| {
            movement(
                &format!("k{number}"),
                Account::Grants,
                Account::Wallet(user),
                number + 1,
            )
        })
        .collect();
    assert_eq!(
        post(&store, &batch).await.unwrap(),
        vec![Outcome::Posted; 1203]
    );
    assert_eq!(
        post(&store, &batch).await.unwrap(),
        vec![Outcome::Duplicate; 1203]
    );
    assert_eq!(wallet(&store, user).await, 1203 * 1204 / 2);
    assert_verified(&store).await;
}

async fn refused(store: &Store, sql: &str) -> String {
    let transaction = store.write().await.unwrap();
    let outcome = transaction.execute_unprepared(sql).await;
    outcome.expect_err(sql).to_string()
}

async fn entries_cannot_be_changed_or_deleted(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    for sql in [
        "UPDATE ledger_entries SET amount_nanos = 1",
        "DELETE FROM ledger_entries",
    ] {
        let message = refused(&store, sql).await;
        assert!(message.contains("append-only"), "{message}");
    }
    assert_verified(&store).await;
}

async fn constraints_hold_against_direct_writes(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    let insert = "INSERT INTO ledger_entries (idempotency_key, from_account, to_account, \
                  amount_nanos, reference_kind, reference_id, created_at) VALUES ";
    for sql in [
        "UPDATE ledger_accounts SET balance_nanos = -1 WHERE kind = 'wallet'",
        "UPDATE ledger_accounts SET balance_nanos = 5000000000000000000 WHERE kind = 'grants'",
        "INSERT INTO ledger_accounts (kind) VALUES ('wallet')",
        "INSERT INTO ledger_accounts (kind) VALUES ('revenue')",
        "INSERT INTO ledger_accounts (kind, user_id) VALUES ('savings', 1)",
        &format!("{insert} ('zero', 1, 2, 0, 'test', '1', 1)"),
        &format!("{insert} ('same', 1, 1, 5, 'test', '1', 1)"),
    ] {
        refused(&store, sql).await;
    }
}

async fn verification_finds_a_balance_that_was_tampered_with(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    assert_verified(&store).await;
    let transaction = store.write().await.unwrap();
    let sql = "UPDATE ledger_accounts SET balance_nanos = 150 WHERE kind = 'wallet'";
    transaction.execute_unprepared(sql).await.unwrap();
    transaction.commit().await.unwrap();
    let found = ledger::verify(store.read()).await.unwrap().differences;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind.as_str(), found[0].user_id),
        ("wallet", Some(user))
    );
    assert_eq!(
        (found[0].balance_nanos, found[0].expected_nanos),
        (150, 100)
    );
}

async fn what_cannot_be_taken_back_is_owed_and_the_next_credit_pays_it(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 30).await;
    let of = |key: &str, amount_nanos| Credit {
        key: key.to_owned(),
        user,
        counterpart: Account::Payments,
        amount_nanos,
        reference_kind: "order",
        reference_id: "ord_1".to_owned(),
        reason: None,
        at: 1,
    };
    let transaction = store.write().await.unwrap();
    let taken = ledger::take_back(&transaction, &of("refund", 100))
        .await
        .unwrap();
    assert_eq!(
        taken,
        Some(TakenBack {
            wallet_nanos: 30,
            owed_nanos: 70
        })
    );
    assert_eq!(
        ledger::take_back(&transaction, &of("refund", 100))
            .await
            .unwrap(),
        None
    );
    transaction.commit().await.unwrap();

    for (key, outcome, wallet_nanos, owed_nanos) in [
        ("first", Outcome::Posted, 0, 20),
        ("first", Outcome::Duplicate, 0, 20),
        ("second", Outcome::Posted, 30, 0),
    ] {
        let transaction = store.write().await.unwrap();
        assert_eq!(
            ledger::credit(&transaction, &of(key, 50)).await.unwrap(),
            outcome
        );
        transaction.commit().await.unwrap();
        let has = ledger::balances(store.read(), &[user]).await.unwrap()[&user];
        assert_eq!(
            (has.wallet_nanos, has.owed_nanos),
            (wallet_nanos, owed_nanos),
            "{key}"
        );
    }
    assert_verified(&store).await;
}
