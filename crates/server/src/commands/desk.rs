//! Where commands about records work: beside a running server or without one, through the management
//! interface's own handlers. What they change, servers notice within a second.

use std::fmt::Write as _;
use std::io::{self, BufRead as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use serde_json::Value;
use store::shared::{Change, Shared};
use store::users::{self, User};
use store::{Store, UserId};

use super::failure::{Exit, Failure};
use super::master_keys::{self, MasterKeys};
use super::prepare;
use crate::app::{App, Parts};
use crate::clock::SystemClock;
use crate::config::{Config, Sources};
use crate::management::operator::{Errand, Refused, run_errand};
use crate::outside_changes::tell_servers;
use crate::randomness::SystemRandomness;
use crate::secrets::random_text;

/// How long Redis may take to be found.
const REDIS_PATIENCE: Duration = Duration::from_secs(2);
/// Rows a page, and how many pages there are at most.
const PAGE: usize = 100;
const MOST_PAGES: usize = 100;

/// An open desk.
pub(super) struct Desk {
    app: Arc<App>,
    root: User,
    request_id: String,
}

/// Opens a desk, works at it, and closes it.
pub(super) fn at_desk<T>(
    sources: &Sources,
    work: impl AsyncFnOnce(&Desk) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let config = Config::load(sources)?;
    let keys = master_keys::find(&config)?;
    prepare::runtime()?.block_on(async {
        let store = prepare::open_store_unchanged(&config).await?;
        let done = async {
            // On the heap: the configuration is large.
            let desk = Box::pin(Desk::open(config, &store, keys)).await?;
            work(&desk).await
        };
        let done = done.await;
        store.close().await?;
        done
    })
}

impl Desk {
    async fn open(config: Config, store: &Store, keys: MasterKeys) -> Result<Self, Failure> {
        keys.check(store).await?;
        let request_id = command_name();
        let shared = prepare::open_shared(&config, &request_id).await?;
        let root = users::first_root(store.read()).await?;
        let text = "set-up was not done yet: run `modelgate setup`, or open the link that the server prints";
        let root = root.ok_or_else(|| Failure::new(Exit::Other, text))?;
        let parts = Parts {
            config,
            store: store.clone(),
            shared,
            node: request_id.clone(),
            keys: keys.ring,
            clock: Arc::new(SystemClock),
            randomness: Arc::new(SystemRandomness),
        };
        let app = App::start_for_command(parts).await?;
        Ok(Self {
            app,
            root,
            request_id,
        })
    }

    /// The user that an operator means: by name or e-mail address, else by id.
    pub async fn user(&self, text: &str) -> Result<User, Failure> {
        let records = self.app.store().read();
        let found = match users::find_by_login(records, text).await? {
            Some(user) => Some(user),
            None => match text.parse() {
                Ok(id) => users::get(records, UserId(id)).await?,
                Err(_) => None,
            },
        };
        found.ok_or_else(|| Failure::new(Exit::Other, format!("no user is called {text}")))
    }

    /// The user of an id.
    pub async fn user_of_id(&self, id: i64) -> Result<User, Failure> {
        self.user(&id.to_string()).await
    }

    /// The id of the channel that an operator means: by name, else by id.
    pub async fn channel(&self, text: &str) -> Result<i64, Failure> {
        let channels = store::channels::all(self.app.store().read()).await?;
        let is_meant = |channel: &&store::channels::Channel| channel.name == text;
        let found = channels.iter().find(is_meant).or_else(|| {
            let id: i64 = text.parse().ok()?;
            channels.iter().find(|channel| channel.id.0 == id)
        });
        let found = found.map(|channel| channel.id.0);
        found.ok_or_else(|| Failure::new(Exit::Other, format!("no channel is called {text}")))
    }

    /// Reads from the management interface.
    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.errand(Method::GET, path, None, &self.root).await
    }

    /// Every row of a list, page by page; says on standard error where that is not all.
    pub async fn list(&self, path: &str) -> Result<Value, Failure> {
        let mut rows = Vec::new();
        for number in 1..=MOST_PAGES {
            let separator = if path.contains('?') { '&' } else { '?' };
            let page = format!("{path}{separator}p={number}&page_size={PAGE}");
            let mut page = self.get(&page).await?;
            let total = page["total"].as_u64().unwrap_or(0);
            let Value::Array(items) = page["items"].take() else {
                break;
            };
            let is_last = items.len() < PAGE;
            rows.extend(items);
            if is_last {
                break;
            }
            if number == MOST_PAGES && total > rows.len() as u64 {
                eprintln!("modelgate: only the first {} are listed", rows.len());
            }
        }
        Ok(Value::Array(rows))
    }

    /// Changes something, as the root user.
    pub async fn change(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        self.change_as(method, path, body, &self.root).await
    }

    /// Changes something on behalf of a user, and lets servers know.
    pub async fn change_as(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        user: &User,
    ) -> Result<Value, Failure> {
        self.wait_for_redis().await;
        let data = self.errand(method, path, body, user).await?;
        tell_folder(&self.app.config().server.data_dir, &self.request_id);
        if !self.app.shared().is_available() {
            eprintln!("modelgate: Redis is away; nodes notice when it is back");
        }
        Ok(data)
    }

    async fn errand(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        user: &User,
    ) -> Result<Value, Failure> {
        let errand = Errand {
            method,
            path,
            body,
            user,
            request_id: &self.request_id,
        };
        Ok(run_errand(&self.app, errand).await?)
    }

    /// A notice can be sent only once Redis is connected to.
    async fn wait_for_redis(&self) {
        let shared: &Shared = self.app.shared();
        let connected = async {
            while !shared.is_available() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        // Where it is away the change counts all the same.
        let _ = tokio::time::timeout(REDIS_PATIENCE, connected).await;
    }
}

/// Tells every running server to read everything again: for a command that changes much and needs no
/// desk. One that cannot be told is no failure of the change, which is made.
pub(super) async fn tell_of_everything(config: &Config) {
    let name = command_name();
    tell_folder(&config.server.data_dir, &name);
    let told = async {
        let shared = prepare::open_shared(config, &name).await?;
        let told = shared.publish(Change::Everything).await;
        told.map_err(|error| Failure::new(Exit::Other, error))
    };
    if let Err(failure) = told.await {
        let text = failure.text;
        eprintln!("modelgate: running servers could not be told: {text}");
    }
}

/// Tells the servers on this data folder. The change is made and may have a secret to print: that they could not be
/// told is no failure.
fn tell_folder(data: &Path, name: &str) {
    if let Err(error) = tell_servers(data, name) {
        let data = data.display();
        eprintln!(
            "modelgate: servers on {data} were not told and see the change when they start: {error}"
        );
    }
}

/// What a command goes by, unlike any other.
fn command_name() -> String {
    format!("command-{}", random_text(&SystemRandomness, 16))
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::new(Exit::Other, refused)
    }
}

/// The first line of standard input, without its end. An empty one is a mistake: as a key it would mean "as it was".
pub(super) fn first_line() -> Result<String, Failure> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let line = line.trim_end_matches(['\n', '\r']);
    if line.is_empty() {
        let text = "the first line of standard input is empty";
        return Err(Failure::new(Exit::Other, text));
    }
    Ok(line.to_owned())
}

/// A value of a query.
pub(super) fn in_query(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let mut written = String::new();
    for byte in text.bytes() {
        if plain(byte) {
            written.push(char::from(byte));
        } else {
            // Writing into a text cannot fail.
            let _ = write!(written, "%{byte:02X}");
        }
    }
    written
}
