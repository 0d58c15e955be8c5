//! Budgets of tokens and users hold under racing calls on several nodes.

use std::time::Duration;

use billing::wallet::{Request, ReserveError, Wallets, token_budgets, user_budgets};
use sea_orm::{ConnectionTrait as _, Statement};
use store::budgets::{self, Budget, Period, Scope, Window};
use store::tokens::{self, NewToken, Token, TokenChanges};
use store::users::{self, UserChanges};
use store::{Store, UserId};
use tokio::task::JoinSet;

use crate::support::{Place, Time, a_call, a_user, charge, node, revenue, settings, verify};

on_both_engines!(
    a_budget_is_never_exceeded_by_racing_nodes,
    a_new_day_has_a_new_budget_and_the_total_goes_on,
    what_was_spent_before_a_budget_was_set_counts,
    a_budget_of_the_user_holds_over_all_tokens,
);

pub async fn a_token(store: &Store, user: UserId, name: &str, limits: TokenChanges) -> Token {
    let new = NewToken {
        user_id: user,
        name: name.to_owned(),
        prefix: "sk-test".to_owned(),
        secret_hash: name.as_bytes().to_vec(),
        is_declared: false,
        now: 0,
    };
    let transaction = store.write().await.unwrap();
    let token = tokens::insert(&transaction, new, limits).await.unwrap();
    transaction.commit().await.unwrap();
    token
}

pub fn wants(user: UserId, budgets: &[Budget], amount_nanos: i64) -> Request<'_> {
    Request {
        user,
        budgets,
        amount_nanos,
    }
}

/// Serves calls of 10 nano-dollars until one is refused; says how many were served.
async fn spend(wallets: &Wallets, token: &Token, time: &Time, calls: usize, name: &str) -> usize {
    let mut served = 0;
    for call in 0..calls {
        let budgets = token_budgets(token, time.now());
        let request = wants(token.user_id, &budgets, 10);
        match wallets.reserve(request).await {
            Ok(reservation) => {
                let id = format!("{name}-{call}");
                let call = a_call(token.user_id, Some(token.id), &id, time.now());
                let written = reservation.settle(charge(10), call);
                written.wait().await.unwrap();
                served += 1;
            }
            Err(ReserveError::NotEnough { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    served
}

async fn a_budget_is_never_exceeded_by_racing_nodes(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let limits = TokenChanges {
        budget_total_nanos: Some(Some(100_000)),
        budget_daily_nanos: Some(Some(1_005)),
        ..TokenChanges::default()
    };
    let token = a_token(&store, user, "ci", limits).await;
    let mut calls = JoinSet::new();
    for name in ["one", "two"] {
        let wallets = node(&store, &time, settings(name)).await;
        for lane in 0..10 {
            let (wallets, token, time) = (wallets.clone(), token.clone(), time.clone());
            calls.spawn(async move {
                let name = format!("{name}-{lane}");
                spend(&wallets, &token, &time, 20, &name).await
            });
        }
    }
    let served: usize = calls.join_all().await.into_iter().sum();
    assert_eq!(served, 100);
    assert_eq!(revenue(&store).await, 1_000);
    store.write_sums(time.now()).await.unwrap();
    let token = tokens::get(store.read(), token.id).await.unwrap().unwrap();
    assert_eq!(token.used_nanos, 1_000);
    verify(&store).await;
}

async fn a_new_day_has_a_new_budget_and_the_total_goes_on(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let limits = TokenChanges {
        budget_total_nanos: Some(Some(80)),
        budget_daily_nanos: Some(Some(50)),
        ..TokenChanges::default()
    };
    let token = a_token(&store, user, "ci", limits).await;
    let wallets = node(&store, &time, settings("a")).await;
    assert_eq!(spend(&wallets, &token, &time, 9, "monday").await, 5);
    time.advance(86_400_000);
    wallets.upkeep().await.unwrap();
    assert_eq!(spend(&wallets, &token, &time, 9, "tuesday").await, 3);
    time.advance(86_400_000);
    assert_eq!(spend(&wallets, &token, &time, 9, "wednesday").await, 0);
    wallets.give_back_all().await.unwrap();
    let total = Window {
        scope: Scope::Token(token.id),
        period: Period::Total,
        starts_at: 0,
    };
    let spent = budgets::taken_in(store.read(), &[total]).await.unwrap();
    assert_eq!(spent.get(&total), Some(&80));
    verify(&store).await;
}

async fn what_was_spent_before_a_budget_was_set_counts(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let token = a_token(&store, user, "ci", TokenChanges::default()).await;
    let wallets = node(&store, &time, settings("a")).await;
    assert_eq!(spend(&wallets, &token, &time, 4, "before").await, 4);
    let limits = TokenChanges {
        budget_total_nanos: Some(Some(1_000)),
        budget_weekly_nanos: Some(Some(60)),
        ..TokenChanges::default()
    };
    let transaction = store.write().await.unwrap();
    let token = tokens::update(&transaction, token.id, limits)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let token = token.unwrap();
    assert_eq!(spend(&wallets, &token, &time, 9, "after").await, 2);
}

async fn a_budget_of_the_user_holds_over_all_tokens(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let one = a_token(&store, user, "one", TokenChanges::default()).await;
    let limits = TokenChanges {
        budget_total_nanos: Some(Some(500)),
        ..TokenChanges::default()
    };
    let two = a_token(&store, user, "two", limits).await;
    let limits = UserChanges {
        budget_total_nanos: Some(Some(1_000)),
        budget_monthly_nanos: Some(Some(100)),
        ..UserChanges::default()
    };
    let transaction = store.write().await.unwrap();
    let ann = users::update(&transaction, user, limits).await.unwrap();
    transaction.commit().await.unwrap();
    let whole = user_budgets(&ann.unwrap(), time.now());
    let wallets = node(&store, &time, settings("a")).await;
    let mut held = Vec::new();
    for token in [&one, &two] {
        let mut budgets = token_budgets(token, time.now());
        budgets.extend(&whole);
        let request = wants(user, &budgets, 50);
        held.push(wallets.reserve(request).await.unwrap());
        assert!(wallets.reserve(wants(user, &budgets, 51)).await.is_err());
    }
    let refused = wallets.reserve(wants(user, &whole, 1)).await;
    assert!(refused.is_err());
    held.pop();
    wallets
        .reserve(wants(user, &whole, 50))
        .await
        .unwrap()
        .release();
}

/// Waits until a statement on this table waits for a lock.
async fn wait_for_one_that_waits(store: &Store, table: &str) {
    let text = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND wait_event_type = 'Lock' AND query LIKE '%FROM {table} %FOR UPDATE'"
    );
    let waits = async {
        loop {
            let records = store.read();
            let text = Statement::from_string(records.get_database_backend(), &text);
            let row = records.query_one_raw(text).await.unwrap().unwrap();
            if row.try_get::<i64>("", "count").unwrap() > 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waits = tokio::time::timeout(Duration::from_secs(50), waits).await;
    waits.expect("one waits");
}

/// Who takes from a budget locks its window and then the accounts; the other way round there are deadlocks.
async fn accounts_are_free_while_a_budget_is_waited_for(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let limits = || TokenChanges {
        budget_total_nanos: Some(Some(10_000)),
        ..TokenChanges::default()
    };
    let one = a_token(&store, user, "one", limits()).await;
    let two = a_token(&store, user, "two", limits()).await;
    let wallets = node(&store, &time, settings("a")).await;
    let has_all = token_budgets(&one, time.now());
    let has_all = wallets.reserve(wants(user, &has_all, 1_000)).await;
    has_all.unwrap().release();

    let lease = store.write().await.unwrap();
    let locked = lease.execute_unprepared("SELECT FROM leases FOR UPDATE");
    locked.await.unwrap();
    let (asking, budgets) = (wallets.clone(), token_budgets(&two, time.now()));
    let asked = tokio::spawn(async move {
        let reserved = asking.reserve(wants(user, &budgets, 600)).await;
        reserved.map(drop)
    });
    wait_for_one_that_waits(&store, "leases").await;
    let window = store.write().await.unwrap();
    let text = format!(
        "SELECT FROM budget_windows WHERE scope = 'token' AND scope_id = {} FOR UPDATE",
        two.id
    );
    window.execute_unprepared(&text).await.unwrap();
    lease.rollback().await.unwrap();
    wait_for_one_that_waits(&store, "budget_windows").await;
    let text = format!("SELECT FROM ledger_accounts WHERE user_id = {user} FOR UPDATE NOWAIT");
    window.execute_unprepared(&text).await.unwrap();
    window.rollback().await.unwrap();
    asked.await.unwrap().unwrap();
    verify(&store).await;
}

mod locks {
    use super::accounts_are_free_while_a_budget_is_waited_for;

    on_postgres!(accounts_are_free_while_a_budget_is_waited_for);
}
