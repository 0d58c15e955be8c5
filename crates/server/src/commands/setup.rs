//! `modelgate setup`: set-up without a browser, for scripts. Prints one line of JSON.

use std::io::{self, BufRead as _, Write as _};

use serde_json::{Map, Value};
use store::Store;

use super::desk::tell_of_everything;
use super::failure::{Exit, Failure};
use super::master_keys::{self, MasterKeys};
use super::prepare;
use crate::accounts::{SetUp, SetUpDone, SetUpError, set_up};
use crate::clock::SystemClock;
use crate::config::{Config, Dollars, Secret, Sources};
use crate::declared::apply;
use crate::randomness::SystemRandomness;

/// Flags of `setup`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Name of the root user.
    #[arg(long, value_name = "NAME", default_value = "root")]
    admin: String,
    /// Read the root user's password from the first line of standard input.
    #[arg(long, required = true)]
    password_stdin: bool,
    /// Make the demo channel, which answers every kind of call without a network.
    #[arg(long)]
    demo: bool,
    /// Make a first token of this name and print it.
    #[arg(long, value_name = "NAME")]
    token: Option<String>,
    /// Dollars to give to the root user.
    #[arg(long, value_name = "N", default_value = "100")]
    grant_usd: Dollars,
}

/// Sets up, once.
pub(super) fn run(sources: &Sources, arguments: Arguments) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    let password = read_password(&config)?;
    prepare::data_folder(&config)?;
    let keys = master_keys::find_or_make(&config)?;
    let request = SetUp {
        username: arguments.admin,
        password,
        demo: arguments.demo,
        token_name: arguments.token,
        grant: arguments.grant_usd,
        mode: None,
    };
    prepare::runtime()?.block_on(async {
        let store = prepare::open_store(&config).await?;
        let made = make(&store, &config, &keys, request).await;
        store.close().await?;
        made
    })
}

async fn make(
    store: &Store,
    config: &Config,
    keys: &MasterKeys,
    request: SetUp,
) -> Result<(), Failure> {
    keys.note(store).await?;
    let keys = &keys.ring;
    // Declared channels first, so that what set-up makes finds them; declared tokens have waited
    // for the root user.
    let before = apply(store, keys, &SystemClock, &SystemRandomness, config).await?;
    let outcome = set_up(store, keys, &SystemClock, &SystemRandomness, request).await;
    let mut after = Ok(());
    if let Ok(done) = &outcome {
        // At once: whatever fails now, the token is shown nowhere else.
        print(done)?;
        let applied = apply(store, keys, &SystemClock, &SystemRandomness, config).await;
        after = applied.map(|_| ());
    }
    if outcome.is_ok() || !before.changes.is_empty() {
        // Servers may run already.
        tell_of_everything(config).await;
    }
    after?;
    outcome.map(|_| ()).map_err(Failure::from)
}

fn read_password(config: &Config) -> Result<Secret, Failure> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let password = Secret::new(line.trim_end_matches(['\n', '\r']));
    let least = config.login.password_length as usize;
    if password.expose().chars().count() < least {
        let text = format!("the password on standard input has fewer than {least} characters");
        return Err(Failure::new(Exit::Other, text));
    }
    Ok(password)
}

/// The token is shown here and never again.
fn print(done: &SetUpDone) -> io::Result<()> {
    let mut line = Map::new();
    line.insert("user_id".to_owned(), Value::from(done.user_id.0));
    if let Some(token) = &done.token {
        line.insert("token".to_owned(), Value::from(token.expose()));
    }
    writeln!(io::stdout(), "{}", Value::Object(line))
}

impl From<SetUpError> for Failure {
    fn from(error: SetUpError) -> Self {
        match error {
            SetUpError::AlreadyDone => Self::new(Exit::AlreadySetUp, error),
            SetUpError::Store(error) => error.into(),
            SetUpError::BadName | SetUpError::Password(_) => Self::new(Exit::Other, error),
        }
    }
}
