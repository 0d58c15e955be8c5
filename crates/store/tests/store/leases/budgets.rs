//! What leases take from budgets: it is right after a budget was away, after late charges, and while others take.

use std::time::Duration;

use sea_orm::{ConnectionTrait as _, Statement};
use store::budgets::{self, Budget, Period, Scope, Window};
use store::leases::{self, Ask, LeaseCharge, Obtained};
use store::request_log::{LoggedCall, append};
use store::tokens::{self, NewToken, TokenChanges};
use store::{Document, Engine, LeaseId, Store, TokenId, UserId};

use super::{expire, give_back};
use crate::support::{Place, a_user, fund, run};

on_both_engines!(
    what_was_spent_while_a_budget_was_away_counts_when_it_is_back,
    a_recount_forgets_nothing_that_the_log_has_forgotten,
    a_recount_while_leases_are_spent_and_given_back_counts_all_of_them_once,
    a_late_charge_counts_once_in_the_budgets_of_its_lease,
    a_budget_shows_what_was_spent_before_it_was_set,
    what_leases_hold_and_have_not_spent_is_left,
);

/// Midnight UTC, 15 January 2027.
const DAY: i64 = 1_799_971_200_000;
const NOW: i64 = DAY + 1_000;

/// A user with money, and a token with two budgets.
#[derive(Clone)]
struct Client {
    store: Store,
    user: UserId,
    token: TokenId,
}

impl Client {
    async fn new(place: &Place) -> Self {
        let store = place.open().await;
        let user = a_user(&store, "ann").await;
        fund(&store, user, 100_000).await;
        let new = NewToken {
            user_id: user,
            name: "ci".to_owned(),
            prefix: "sk-test".to_owned(),
            secret_hash: b"ci".to_vec(),
            is_declared: false,
            now: 0,
        };
        let transaction = store.write().await.unwrap();
        let token = tokens::insert(&transaction, new, TokenChanges::default()).await;
        transaction.commit().await.unwrap();
        let token = token.unwrap().id;
        Self { store, user, token }
    }

    fn budgets(&self) -> Vec<Budget> {
        let budget = |scope, period, starts_at| Budget {
            window: Window {
                scope,
                period,
                starts_at,
            },
            limit_nanos: 50_000,
        };
        let (token, user) = (Scope::Token(self.token), Scope::User(self.user));
        vec![
            budget(user, Period::Total, 0),
            budget(token, Period::Daily, DAY),
            budget(token, Period::Total, 0),
        ]
    }

    async fn obtain(&self, budgets: &[Budget], nanos: i64) -> LeaseId {
        let ask = Ask {
            node_id: "n1",
            user_id: self.user,
            lease: None,
            minimum_nanos: nanos,
            most_nanos: nanos,
            share: 1,
            budgets,
            now: NOW,
            expires_at: NOW + 1_000,
        };
        let transaction = self.store.write().await.unwrap();
        let obtained = leases::obtain(&transaction, &ask).await.unwrap();
        transaction.commit().await.unwrap();
        match obtained {
            Obtained::Lease { id, .. } => id,
            Obtained::Short { .. } => panic!("{obtained:?}"),
        }
    }

    fn charge(&self, lease_id: LeaseId, request_id: &str, amount_nanos: i64) -> LeaseCharge {
        LeaseCharge {
            lease_id,
            request_id: request_id.into(),
            user_id: self.user,
            amount_nanos,
            at: NOW,
        }
    }

    /// A call: its row in the log and its charge.
    async fn spend(&self, lease: LeaseId, request_id: &str, nanos: i64) {
        let call = a_call(self.user, self.token, request_id, nanos);
        let charge = self.charge(lease, request_id, nanos);
        let transaction = self.store.write().await.unwrap();
        let batch = append(&transaction, &[&call]).await.unwrap().batch_id;
        let settled = leases::settle(&transaction, batch.unwrap(), &[charge]).await;
        settled.unwrap();
        transaction.commit().await.unwrap();
    }

    async fn settle_late(&self, charges: &[LeaseCharge]) {
        let transaction = self.store.write().await.unwrap();
        let settled = leases::settle_late(&transaction, charges).await;
        settled.unwrap();
        transaction.commit().await.unwrap();
    }

    /// Sets the budgets, where there was none.
    async fn recount(&self) {
        let transaction = self.store.write().await.unwrap();
        let recounted = budgets::recount(&transaction, &[], &self.budgets()).await;
        recounted.unwrap();
        transaction.commit().await.unwrap();
    }

    async fn left(&self, budgets: &[Budget]) -> i64 {
        let left = leases::left_of_budgets(self.store.read(), self.user, budgets).await;
        left.unwrap()
    }

    /// What is taken, which is the same in all windows.
    async fn taken(&self) -> i64 {
        let windows: Vec<Window> = self.budgets().iter().map(|one| one.window).collect();
        let taken = budgets::taken_in(self.store.read(), &windows).await;
        let taken = taken.unwrap();
        let taken: Vec<i64> = windows.iter().map(|window| taken[window]).collect();
        assert!(taken.iter().all(|one| *one == taken[0]), "{taken:?}");
        taken[0]
    }
}

fn a_call(user: UserId, token: TokenId, request_id: &str, charge_nanos: i64) -> LoggedCall {
    LoggedCall {
        created_at: NOW,
        request_id: request_id.into(),
        user_id: user,
        token_id: Some(token),
        endpoint: "/v1/chat/completions".into(),
        model: "demo-chat".into(),
        upstream_model: None,
        channel_id: None,
        status: 200,
        error_cause: None,
        error_message: None,
        is_stream: false,
        source: "api".into(),
        ip: None,
        input_tokens: 1,
        output_tokens: 1,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
        other_usage: Document(Vec::new()),
        is_estimated: false,
        charge_nanos,
        price_lines: Document(Vec::new()),
        first_byte_ms: None,
        total_ms: 1,
        attempts: Document(Vec::new()),
        loss_nanos: None,
    }
}

async fn what_was_spent_while_a_budget_was_away_counts_when_it_is_back(place: Place) {
    let client = Client::new(&place).await;
    let budgets = client.budgets();
    let (first, kept) = (
        client.obtain(&budgets, 1_000).await,
        client.obtain(&budgets, 600).await,
    );
    client.spend(first, "r1", 900).await;
    assert_eq!(give_back(&client.store, first).await, Some(100));
    client.spend(kept, "r2", 50).await;
    assert_eq!(client.taken().await, 1_500);

    let without = client.obtain(&[], 20_000).await;
    client.spend(without, "r3", 10_000).await;
    client.store.write_sums(NOW).await.unwrap();
    client.spend(without, "r4", 7).await;
    client.recount().await;
    assert_eq!(client.taken().await, 900 + 600 + 10_007);

    // A lease from before the budget was taken away still counts in it, and gives back to it.
    client.spend(kept, "r5", 100).await;
    assert_eq!(client.taken().await, 900 + 600 + 10_007);
    assert_eq!(give_back(&client.store, kept).await, Some(450));
    assert_eq!(give_back(&client.store, without).await, Some(9_993));
    assert_eq!(client.taken().await, 900 + 150 + 10_007);

    // Another limit where there was one leaves the count alone.
    let without = client.obtain(&[], 1_000).await;
    client.spend(without, "r6", 1_000).await;
    let transaction = client.store.write().await.unwrap();
    let recounted = budgets::recount(&transaction, &budgets, &budgets).await;
    recounted.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(client.taken().await, 900 + 150 + 10_007);
}

async fn a_recount_forgets_nothing_that_the_log_has_forgotten(place: Place) {
    let client = Client::new(&place).await;
    let lease = client.obtain(&client.budgets(), 1_000).await;
    client.spend(lease, "r1", 900).await;
    let transaction = client.store.write().await.unwrap();
    let forgotten = transaction.execute_unprepared("DELETE FROM request_log");
    forgotten.await.unwrap();
    transaction.commit().await.unwrap();
    client.recount().await;
    assert_eq!(client.taken().await, 1_000);
    give_back(&client.store, lease).await;
    assert_eq!(client.taken().await, 900);
}

async fn a_recount_while_leases_are_spent_and_given_back_counts_all_of_them_once(place: Place) {
    let client = Client::new(&place).await;
    let budgets = client.budgets();
    let mut tasks = Vec::new();
    for number in 0..8 {
        let (caller, owner) = (client.clone(), client.clone());
        let lease = client.obtain(&budgets, 100).await;
        tasks.push(tokio::spawn(async move {
            caller.spend(lease, &format!("r{number}"), 30).await;
            assert_eq!(give_back(&caller.store, lease).await, Some(70));
        }));
        tasks.push(tokio::spawn(async move { owner.recount().await }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(client.taken().await, 240);
}

async fn a_late_charge_counts_once_in_the_budgets_of_its_lease(place: Place) {
    let client = Client::new(&place).await;
    let lease = client.obtain(&client.budgets(), 500).await;
    assert_eq!(expire(&client.store, NOW + 1_000).await, [lease]);
    assert_eq!(client.taken().await, 0);
    let charges = [
        client.charge(lease, "r1", 200),
        client.charge(lease, "r2", 30),
    ];
    client.settle_late(&charges[..1]).await;
    assert_eq!(client.taken().await, 200);
    client.settle_late(&charges).await;
    assert_eq!(client.taken().await, 230);
    // One that no budget was taken for counts in none.
    let without = client.obtain(&[], 500).await;
    give_back(&client.store, without).await;
    client
        .settle_late(&[client.charge(without, "r3", 10)])
        .await;
    assert_eq!(client.taken().await, 230);
}

async fn a_budget_shows_what_was_spent_before_it_was_set(place: Place) {
    let client = Client::new(&place).await;
    let without = client.obtain(&[], 20_000).await;
    client.spend(without, "r1", 10_000).await;
    assert_eq!(client.left(&client.budgets()).await, 40_000);
    client.store.write_sums(NOW).await.unwrap();
    assert_eq!(client.left(&client.budgets()).await, 40_000);
    client.obtain(&client.budgets(), 500).await;
    assert_eq!(client.taken().await, 10_500);
    assert_eq!(client.left(&client.budgets()).await, 40_000);
}

async fn what_leases_hold_and_have_not_spent_is_left(place: Place) {
    let client = Client::new(&place).await;
    let mut budgets = client.budgets();
    assert_eq!(client.left(&[]).await, i64::MAX);
    assert_eq!(client.left(&budgets).await, 50_000, "nobody took from it");
    let lease = client.obtain(&budgets, 30_000).await;
    client.spend(lease, "r1", 900).await;
    assert_eq!(client.taken().await, 30_000);
    assert_eq!(client.left(&budgets).await, 49_100);
    // The least of all counts, also where a limit was lowered below what is spent.
    budgets[1].limit_nanos = 1_000;
    assert_eq!(client.left(&budgets).await, 100);
    budgets[0].limit_nanos = 899;
    assert_eq!(client.left(&budgets).await, 0);
    give_back(&client.store, lease).await;
    assert_eq!(client.left(&client.budgets()).await, 49_100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn budgets_are_given_back_in_the_order_in_which_they_are_taken() {
    run(Engine::Postgres, given_back_in_order).await;
}

/// The total's window comes before the day's: whoever waits for the day's has the total's.
async fn given_back_in_order(place: Place) {
    let client = Client::new(&place).await;
    let lease = client.obtain(&client.budgets(), 500).await;
    let window = |period: &str, wait: &str| {
        format!(
            "SELECT FROM budget_windows WHERE scope = 'token' AND period = '{period}' \
             FOR UPDATE {wait}"
        )
    };
    let other = client.store.write().await.unwrap();
    let locked = other.execute_unprepared(&window("daily", "")).await;
    locked.unwrap();
    let store = client.store.clone();
    let giving = tokio::spawn(async move { give_back(&store, lease).await });
    wait_for_one_that_waits(&client.store).await;
    let total = other.execute_unprepared(&window("total", "NOWAIT")).await;
    assert!(total.is_err(), "nobody has the total's window");
    other.rollback().await.unwrap();
    assert_eq!(giving.await.unwrap(), Some(500));
    assert_eq!(client.taken().await, 0);
}

/// Waits until a change of a window waits for a lock.
async fn wait_for_one_that_waits(store: &Store) {
    let text = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                AND wait_event_type = 'Lock' AND query LIKE 'UPDATE budget_windows %'";
    let waits = async {
        loop {
            let records = store.read();
            let text = Statement::from_string(records.get_database_backend(), text);
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
