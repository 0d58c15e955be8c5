//! Runs one test body on both engines, each time on an empty database of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use store::ledger::{self, Account, Movement};
use store::users::{self, NewUser, Role};
use store::{Engine, Location, OpenOptions, Store, UserId, groups};
use tempfile::TempDir;

/// Makes two tests of each named body: `sqlite::<name>` and `postgres::<name>`. A body is an
/// `async fn(Place)`; one that is not named here is dead code, so none is forgotten.
macro_rules! on_both_engines {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::support::run(store::Engine::Sqlite, super::$name).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::support::run(store::Engine::Postgres, super::$name).await;
            })+
        }
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
        self.try_open().await.expect("the store opens")
    }

    pub async fn try_open(&self) -> store::Result<Store> {
        Store::open(&self.location, &OpenOptions::default()).await
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
        server
            .execute_unprepared(&drop)
            .await
            .expect("the test database is dropped");
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
    let name = format!("modelgate_test_{}_{number}", std::process::id());
    let server = Database::connect(&server_url)
        .await
        .expect("PostgreSQL answers");
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    server
        .execute_unprepared(&create)
        .await
        .expect("a database for the test");
    (
        Location::Postgres(with_database(&server_url, &name)),
        (server, name),
    )
}

/// `postgres://host/old?x=y` with another database name.
fn with_database(url: &str, name: &str) -> String {
    let (scheme, rest) = url.split_once("://").expect("a postgres:// address");
    let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = address.split('/').next().unwrap_or_default();
    let question_mark = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{authority}/{name}{question_mark}{query}")
}

/// Makes the group that users are in.
pub async fn default_group(store: &Store) {
    let transaction = store.write().await.unwrap();
    if groups::get(&transaction, "default")
        .await
        .unwrap()
        .is_none()
    {
        groups::insert(&transaction, "default", "", 1_000_000, 0)
            .await
            .unwrap();
    }
    transaction.commit().await.unwrap();
}

/// Makes a user in the default group.
pub async fn a_user(store: &Store, username: &str) -> UserId {
    default_group(store).await;
    let new = NewUser {
        username: username.to_owned(),
        email: None,
        display_name: username.to_owned(),
        password_hash: None,
        role: Role::User,
        group_name: "default".to_owned(),
        aff_code: format!("aff-{username}"),
        inviter_id: None,
        created_at: 0,
    };
    let transaction = store.write().await.unwrap();
    let user = users::insert(&transaction, new).await.unwrap();
    transaction.commit().await.unwrap();
    user.id
}

/// Gives a user some money.
pub async fn fund(store: &Store, user: UserId, amount_nanos: i64) {
    let gift = Movement {
        key: format!("fund:{user}"),
        from: Account::Grants,
        to: Account::Wallet(user),
        amount_nanos,
        reference_kind: "test",
        reference_id: user.to_string(),
        reason: None,
        at: 0,
    };
    let transaction = store.write().await.unwrap();
    ledger::post(&transaction, &[gift]).await.unwrap();
    transaction.commit().await.unwrap();
}
