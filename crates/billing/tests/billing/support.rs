//! Runs one test body on both engines, each time on an empty database of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use billing::pricing::Charge;
use billing::wallet::{Clock, Settings, Wallets};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use store::ledger::{self, Account, Balances, Credit};
use store::request_log::LoggedCall;
use store::users::{self, NewUser, Role};
use store::{Document, Engine, Location, OpenOptions, Store, TokenId, UserId, groups};
use tempfile::TempDir;

/// Makes a test on PostgreSQL of each named body: `postgres::<name>`. A body is an `async fn(Place)`.
macro_rules! on_postgres {
    ($($name:ident),+ $(,)?) => {
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::support::run(store::Engine::Postgres, super::$name).await;
            })+
        }
    };
}

/// Makes two tests of each named body: `sqlite::<name>` and `postgres::<name>`.
macro_rules! on_both_engines {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::support::run(store::Engine::Sqlite, super::$name).await;
            })+
        }
        on_postgres!($($name),+);
    };
}

/// An empty database that exists for one test.
#[derive(Clone, Debug)]
pub struct Place {
    pub location: Location,
}

impl Place {
    /// Opens the store with the usual options.
    pub async fn open(&self) -> Store {
        let opened = Store::open(&self.location, &OpenOptions::default()).await;
        opened.expect("the store opens")
    }
}

/// Runs `body` on a fresh database of `engine` and removes the database, also after a panic.
pub async fn run<F>(engine: Engine, body: impl FnOnce(Place) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let folder = TempDir::new().expect("a temporary folder");
    let (location, cleaner) = match engine {
        Engine::Sqlite => (Location::Sqlite(folder.path().join("modelgate.db")), None),
        Engine::Postgres => {
            let (location, cleaner) = create_postgres_database().await;
            (location, Some(cleaner))
        }
    };
    let outcome = tokio::spawn(body(Place { location })).await;
    if let Some((server, name)) = cleaner {
        let drop = format!("DROP DATABASE {name} WITH (FORCE)");
        let dropped = server.execute_unprepared(&drop).await;
        dropped.expect("the test database is dropped");
    }
    if let Err(error) = outcome {
        std::panic::resume_unwind(error.into_panic());
    }
}

async fn create_postgres_database() -> (Location, (DatabaseConnection, String)) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let server_url = std::env::var("MODELGATE_TEST_POSTGRES").expect(
        "MODELGATE_TEST_POSTGRES is not set: run `make test`, or `scripts/with-services` and the \
         command, which start a throw-away PostgreSQL",
    );
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("modelgate_billing_{}_{number}", std::process::id());
    let server = Database::connect(&server_url).await;
    let server = server.expect("PostgreSQL answers");
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    let created = server.execute_unprepared(&create).await;
    created.expect("a database for the test");
    let (host, _) = server_url
        .rsplit_once('/')
        .expect("an address ends with a database");
    (Location::Postgres(format!("{host}/{name}")), (server, name))
}

/// A time that only the test moves. Clones share it.
#[derive(Clone, Debug)]
pub struct Time(Arc<AtomicI64>);

impl Time {
    pub fn new() -> Self {
        Self::at(NOON)
    }

    pub fn at(now: i64) -> Self {
        Self(Arc::new(AtomicI64::new(now)))
    }

    pub fn now(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    pub fn advance(&self, by_ms: i64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }

    pub fn clock(&self) -> Clock {
        let time = self.clone();
        Arc::new(move || time.now())
    }
}

/// A user that there is not: the records refuse what they should pay.
pub const NOBODY: UserId = UserId(9_999);

/// 15 November 2026, 12:00 UTC.
const NOON: i64 = 1_794_744_000_000;

/// A node whose leases last a minute and that looks every few milliseconds whether others ask.
pub fn settings(node: &str) -> Settings {
    Settings {
        recall_poll: Some(Duration::from_millis(5)),
        ..Settings::of_node(node)
    }
}

pub async fn node(store: &Store, time: &Time, settings: Settings) -> Wallets {
    let started = Wallets::start(store.clone(), time.clock(), settings).await;
    started.unwrap()
}

/// Makes a user with some money.
pub async fn a_user(store: &Store, nanos: i64) -> UserId {
    let user = a_named_user(store, "ann").await;
    if nanos > 0 {
        fund(store, user, "start", nanos).await;
    }
    user
}

pub async fn a_named_user(store: &Store, name: &str) -> UserId {
    let transaction = store.write().await.unwrap();
    if groups::get(&transaction, "default")
        .await
        .unwrap()
        .is_none()
    {
        let made = groups::insert(&transaction, "default", "", 1_000_000, 0).await;
        made.unwrap();
    }
    let new = NewUser {
        username: name.to_owned(),
        email: None,
        display_name: name.to_owned(),
        password_hash: None,
        role: Role::User,
        group_name: "default".to_owned(),
        aff_code: name.to_owned(),
        inviter_id: None,
        created_at: 0,
    };
    let user = users::insert(&transaction, new).await.unwrap().id;
    transaction.commit().await.unwrap();
    user
}

pub async fn fund(store: &Store, user: UserId, key: &str, nanos: i64) {
    let transaction = store.write().await.unwrap();
    ledger::credit(&transaction, &credit(user, key, nanos))
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

pub fn credit(user: UserId, key: &str, nanos: i64) -> Credit {
    Credit {
        key: format!("fund:{key}"),
        user,
        counterpart: Account::Grants,
        amount_nanos: nanos,
        reference_kind: "test",
        reference_id: key.to_owned(),
        reason: None,
        at: 0,
    }
}

/// A charge of so much; what it is made of does not matter here.
pub fn charge(nanos: i64) -> Charge {
    Charge {
        lines: Vec::new(),
        total_nanos: nanos,
    }
}

/// A finished call as the log keeps it.
pub fn a_call(user: UserId, token: Option<TokenId>, request_id: &str, at: i64) -> LoggedCall {
    LoggedCall {
        created_at: at,
        request_id: request_id.into(),
        user_id: user,
        token_id: token,
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

pub async fn balances(store: &Store, user: UserId) -> Balances {
    ledger::balances(store.read(), &[user]).await.unwrap()[&user]
}

pub async fn revenue(store: &Store) -> i64 {
    let revenue = ledger::balance(store.read(), Account::Revenue).await;
    revenue.unwrap()
}

/// The ledger balances, and nothing that may not is below zero.
pub async fn verify(store: &Store) {
    let verified = ledger::verify(store.read()).await.unwrap();
    assert_eq!(verified.differences, []);
}
