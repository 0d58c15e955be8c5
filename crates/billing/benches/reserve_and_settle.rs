//! What reserving and settling cost a call, without the group commit that follows:
//! `cargo bench -p billing`. Prints nanoseconds of this thread's processor time a call, which other
//! work on the machine does not change much.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]
#![expect(clippy::print_stdout, reason = "its result is what it prints")]

use std::hint::black_box;
use std::sync::Arc;

use billing::pricing::{Charge, Multiplier, OtherUnits, PriceSheet, Tokens, Usage, charge};
use billing::wallet::{Durability, Request, Settings, Wallets};
use store::ledger::{self, Account, Credit};
use store::request_log::LoggedCall;
use store::users::{self, NewUser, Role};
use store::{Document, Location, OpenOptions, Store, UserId, groups};

const CALLS: usize = 50_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(run());
}

async fn run() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("bench.db"));
    let store = Store::open(&location, &OpenOptions::default())
        .await
        .unwrap();
    let user = a_rich_user(&store).await;
    let settings = Settings {
        durability: Durability::Relaxed,
        ..Settings::of_node("bench")
    };
    let clock = Arc::new(|| 1_794_744_000_000);
    let wallets = Wallets::start(store.clone(), clock, settings)
        .await
        .unwrap();
    let request = Request {
        user,
        budgets: &[],
        amount_nanos: 1_000,
    };
    wallets.reserve(request).await.unwrap().release();

    let start = processor_time();
    for _ in 0..CALLS {
        black_box(wallets.reserve(request).await.unwrap()).release();
    }
    report("reserve and release", start);

    // The writer waits behind this transaction, so that only the calls are measured.
    let blocker = store.write().await.unwrap();
    let calls: Vec<LoggedCall> = (0..CALLS).map(|number| a_call(user, number)).collect();
    let sheet = a_sheet();
    let price = a_charge(&sheet);
    let start = processor_time();
    for call in calls {
        let reservation = wallets.reserve(request).await.unwrap();
        drop(reservation.settle(price.clone(), call));
    }
    report("reserve and settle", start);
    drop(blocker);
    wallets.flush().await;

    let start = processor_time();
    for _ in 0..CALLS {
        black_box(a_charge(&sheet));
    }
    report("charge of five lines", start);
}

fn report(what: &str, start: u64) {
    let nanoseconds = (processor_time() - start) / CALLS as u64;
    println!("{what}: {nanoseconds} ns a call");
}

/// What this thread has run so far, in nanoseconds: the first number of its scheduler's statistics.
fn processor_time() -> u64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let ran = statistics.split(' ').next().unwrap();
    ran.parse().unwrap()
}

fn a_sheet() -> PriceSheet {
    let sheet = r#"{"input": "3", "output": "15", "cache_read": "0.3", "cache_write_5m": "3.75"}"#;
    serde_json::from_str(sheet).unwrap()
}

fn a_charge(sheet: &PriceSheet) -> Charge {
    let tokens = Tokens {
        input: 100,
        cache_read: 50,
        cache_write_5m: 10,
        output: 7,
        ..Tokens::default()
    };
    let usage = Usage {
        tokens,
        other: OtherUnits::default(),
    };
    charge(sheet, Multiplier::ONE, &usage).unwrap().at_most(900)
}

fn a_call(user: UserId, number: usize) -> LoggedCall {
    LoggedCall {
        created_at: 1_794_744_000_000,
        request_id: format!("call-{number}").into(),
        user_id: user,
        token_id: None,
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
        charge_nanos: 0,
        price_lines: Document(Vec::new()),
        first_byte_ms: None,
        total_ms: 1,
        attempts: Document(Vec::new()),
        loss_nanos: None,
    }
}

async fn a_rich_user(store: &Store) -> UserId {
    let transaction = store.write().await.unwrap();
    groups::insert(&transaction, "default", "", 1_000_000, 0)
        .await
        .unwrap();
    let new = NewUser {
        username: "ann".to_owned(),
        email: None,
        display_name: "Ann".to_owned(),
        password_hash: None,
        role: Role::User,
        group_name: "default".to_owned(),
        aff_code: "ann".to_owned(),
        inviter_id: None,
        created_at: 0,
    };
    let user = users::insert(&transaction, new).await.unwrap().id;
    let gift = Credit {
        key: "gift".to_owned(),
        user,
        counterpart: Account::Grants,
        amount_nanos: 1_000_000_000_000,
        reference_kind: "bench",
        reference_id: "gift".to_owned(),
        reason: None,
        at: 0,
    };
    ledger::credit(&transaction, &gift).await.unwrap();
    transaction.commit().await.unwrap();
    user
}
