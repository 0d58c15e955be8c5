//! The service in process: real sockets, its own SQLite in a temporary folder, a clock that
//! stands still, and room for routes that only a test needs.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use jiff::Timestamp;
use server::app::{App, Parts, with_edge};
use server::clock::Clock;
use server::config::Config;
use server::declared::declare;
use server::randomness::SeededRandomness;
use server::secrets::KeyRing;
use server::serve::{ConnectionSettings, Threads, Workers, bind, load_tls};
use store::shared::Shared;
use store::{Location, OpenOptions, Store};
use tempfile::TempDir;
use testkit::FrozenClock;

/// 2026-01-01, when tests take place.
const NOW_MS: i64 = 1_767_225_600_000;

struct TestClock(FrozenClock);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.now_ms()).expect("a time of a test")
    }
}

/// A running service.
pub struct TestApp {
    pub address: SocketAddr,
    pub app: Arc<App>,
    /// What the service takes for the time.
    pub clock: FrozenClock,
    workers: Option<Workers>,
    /// What the service does beside requests happens here.
    _runtime: tokio::runtime::Runtime,
    folder: TempDir,
}

impl TestApp {
    /// A service with the defaults.
    pub fn start() -> Self {
        Self::with("", Router::new())
    }

    /// A service with a configuration and some routes more.
    pub fn with(configuration: &str, routes: Router<Arc<App>>) -> Self {
        let config = Config::from_text(configuration).expect("a valid configuration");
        let folder = TempDir::new().expect("a temporary folder");
        let location = Location::Sqlite(folder.path().join("modelgate.db"));
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let store = runtime.block_on(Store::open(&location, &OpenOptions::default()));
        let randomness = SeededRandomness::new(1);
        let tls = config
            .server
            .tls()
            .map(|(cert, key)| load_tls(cert, key).expect("a certificate"));
        let settings = ConnectionSettings::new(&config.limits, tls);
        let clock = FrozenClock::at(NOW_MS);
        let parts = Parts {
            config,
            store: store.expect("the store opens"),
            shared: Shared::memory(),
            node: "test".to_owned(),
            keys: KeyRing::generate(&randomness),
            clock: Arc::new(TestClock(clock.clone())),
            randomness: Arc::new(randomness),
        };
        let app = runtime.block_on(App::start(parts)).expect("an app");
        runtime
            .block_on(declare(&app, &app.config_in_full()))
            .expect("the declarations apply");
        let sockets = bind("127.0.0.1:0".parse().expect("an address"), 1).expect("a free port");
        let address = sockets.address;
        let threads = Threads::start(1).expect("a thread");
        let service = with_edge(routes, &app);
        let workers = Workers::start(threads, sockets, &service, &settings, 100, app.stop());
        Self {
            address,
            app,
            clock,
            workers: Some(workers.expect("workers")),
            _runtime: runtime,
            folder,
        }
    }
}

impl TestApp {
    /// Everything that the database's files hold.
    pub fn record_bytes(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.folder.path()).expect("a folder");
        let read = |file: std::io::Result<std::fs::DirEntry>| {
            std::fs::read(file.expect("a file").path()).unwrap_or_default()
        };
        files.flat_map(read).collect()
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.app.stop().ask();
        if let Some(workers) = self.workers.take() {
            workers.release();
        }
    }
}
