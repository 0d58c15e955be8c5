//! Servers over one set of records: set up with the demo channel and one token, started, killed,
//! and looked at afterwards.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::Value;
use store::ledger::{Account, Balances, balance, balances};
use store::{Location, OpenOptions, Store, UserId, request_log};
use tempfile::TempDir;

use super::caller::{Caller, STREAMED, WHOLE};
use crate::support::{Finished, Program, has_spooled, run_with};

/// What nodes that share records share.
const MASTER_KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/// Writes to the log that brought charges and were not charged as one, or for another sum.
const UNEVEN: &str = "SELECT COUNT(*) FROM (SELECT batch_id, SUM(charge_nanos) AS nanos \
                      FROM request_log WHERE charge_nanos > 0 GROUP BY batch_id) AS logged \
                      LEFT JOIN (SELECT reference_id, SUM(amount_nanos) AS nanos \
                      FROM ledger_entries WHERE reference_kind = 'calls' GROUP BY reference_id) \
                      AS charged ON charged.reference_id = CAST(logged.batch_id AS TEXT) \
                      WHERE charged.nanos IS NULL OR charged.nanos <> logged.nanos";
const LOGGED: &str = "SELECT COUNT(*) FROM request_log WHERE charge_nanos > 0";
const LOGGED_NANOS: &str = "SELECT CAST(SUM(charge_nanos) AS BIGINT) FROM request_log";
const OPEN_LEASES: &str = "SELECT COUNT(*) FROM leases WHERE state = 'open'";

/// Records, and the folders of the servers over them.
pub struct House {
    pub token: String,
    pub user: UserId,
    folders: Vec<TempDir>,
    location: Location,
    environment: Vec<(String, String)>,
}

impl House {
    /// Sets up for so many servers with so many dollars; the first folder's embedded database
    /// where no address is given.
    pub fn new(url: Option<&str>, servers: usize, dollars: &str, config: &str) -> Self {
        let folders: Vec<TempDir> = (0..servers).map(|_| TempDir::new().unwrap()).collect();
        let mut environment = vec![(
            "MODELGATE_SECRETS__MASTER_KEY".to_owned(),
            MASTER_KEY.to_owned(),
        )];
        let location = match url {
            Some(url) => {
                environment.push(("MODELGATE_DATABASE__URL".to_owned(), url.to_owned()));
                Location::Postgres(url.to_owned())
            }
            None => Location::Sqlite(folders[0].path().join("modelgate.db")),
        };
        let file = folders[0].path().join("modelgate.toml");
        std::fs::write(&file, config).unwrap();
        environment.push(("MODELGATE_CONFIG".to_owned(), text(&file).to_owned()));
        let mut house = Self {
            token: String::new(),
            user: UserId(0),
            folders,
            location,
            environment,
        };
        house.set_up(dollars);
        house
    }

    fn set_up(&mut self, dollars: &str) {
        let arguments = [
            "setup",
            "--data",
            text(self.folders[0].path()),
            "--password-stdin",
            "--demo",
            "--token",
            "first",
            "--grant-usd",
            dollars,
        ];
        let done = run_with(&arguments, &self.environment(), "correct horse battery\n");
        assert_eq!(done.code, Some(0), "{done:?}");
        let printed: Value = serde_json::from_str(&done.stdout).unwrap();
        printed["token"]
            .as_str()
            .unwrap()
            .clone_into(&mut self.token);
        self.user = UserId(printed["user_id"].as_i64().unwrap());
    }

    fn environment(&self) -> Vec<(&str, &str)> {
        let pairs = self.environment.iter();
        pairs
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// Starts the server of a folder.
    pub fn serve(&self, folder: usize) -> Program {
        let data = text(self.folders[folder].path());
        Program::serve(&["--data", data], &self.environment())
    }

    /// Whether a server that is gone left charges in its spool.
    pub fn has_spooled(&self, folder: usize) -> bool {
        has_spooled(self.folders[folder].path())
    }

    /// Runs a command beside the servers.
    pub fn run(&self, arguments: &[&str]) -> Finished {
        let folder = ["--data", text(self.folders[0].path())];
        run_with(&[arguments, &folder].concat(), &self.environment(), "")
    }

    /// Runs `modelgate ledger verify`.
    pub fn verify(&self) {
        let verified = self.run(&["ledger", "verify"]);
        assert_eq!(verified.code, Some(0), "{verified:?}");
    }

    /// Looks into the records.
    pub fn records<T>(&self, look: impl AsyncFnOnce(&Store) -> T) -> T {
        let options = OpenOptions {
            migrate: false,
            ..OpenOptions::default()
        };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = Store::open(&self.location, &options).await.unwrap();
            look(&store).await
        })
    }

    pub fn balances(&self) -> Balances {
        let user = self.user;
        self.records(async |store| balances(store.read(), &[user]).await.unwrap()[&user])
    }

    /// After everything has stopped: the ledger balances, nothing is held, every answer that
    /// came whole was charged what it costs, and nothing else was charged than what is logged.
    pub fn check(&self, whole: &BTreeSet<String>, cost: i64) {
        self.verify();
        self.records(async |store| {
            for request_id in whole {
                let row = request_log::find(store.read(), request_id).await.unwrap();
                let row = row.unwrap_or_else(|| panic!("{request_id} is not logged"));
                assert_eq!((row.charge_nanos, row.status), (cost, 200), "{request_id}");
            }
            let charged = number(store, LOGGED).await;
            assert_eq!(number(store, UNEVEN).await, 0);
            assert!(charged >= i64::try_from(whole.len()).unwrap());
            let revenue = balance(store.read(), Account::Revenue).await.unwrap();
            assert_eq!(revenue, number(store, LOGGED_NANOS).await);
            assert_eq!(number(store, OPEN_LEASES).await, 0);
        });
        let has = self.balances();
        assert_eq!((has.held_nanos, has.owed_nanos), (0, 0));
    }
}

/// One number from the records.
pub async fn number(store: &Store, question: &str) -> i64 {
    let connection = store.read();
    let statement = Statement::from_string(connection.get_database_backend(), question);
    let row = connection.query_one_raw(statement).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Calls from several clients until told to stop; notes which answers came whole.
pub fn load(
    house: &House,
    program: &Program,
    clients: usize,
    is_over: &AtomicBool,
    whole: &Mutex<BTreeSet<String>>,
) {
    std::thread::scope(|scope| {
        for client in 0..clients {
            let body = if client % 2 == 0 { WHOLE } else { STREAMED };
            scope.spawn(move || {
                let mut caller = Caller::new(program.address, &house.token);
                while !is_over.load(Ordering::SeqCst) {
                    match caller.call(body) {
                        Some(answer) if answer.status == 200 => {
                            whole.lock().unwrap().insert(answer.request_id);
                        }
                        _ => std::thread::sleep(Duration::from_millis(5)),
                    }
                }
            });
        }
    });
}

/// Numbers that look random; the seed is printed, so that a failed run can be played again.
pub struct Random(u64);

impl Random {
    pub fn new(what: &str) -> Self {
        let seed = std::env::var("MODELGATE_TEST_SEED").ok();
        let seed = seed.and_then(|text| text.parse().ok());
        let seed = seed.unwrap_or_else(|| u64::from(std::process::id()) * 7919);
        eprintln!("{what}: MODELGATE_TEST_SEED={seed}");
        Self(seed)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
