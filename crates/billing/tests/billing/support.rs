//! Runs one test body on both engines, each time on an empty database of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use store::{Engine, Location, OpenOptions, Store};
use tempfile::TempDir;

/// Makes two tests of each named body: `sqlite::<name>` and `postgres::<name>`. A body is an
/// `async fn(Place)`.
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
    location: Location,
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
