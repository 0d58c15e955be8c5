//! Set-up: makes an empty installation usable in one transaction. It happens once, however many
//! try at the same time: whoever saves the settings first has done it.

use std::collections::BTreeMap;

use serde_json::json;
use store::{ConnectionTrait, Store, StoreError, UserId, settings};

use super::first_records::{grant, insert_demo_channel, insert_root, insert_token, note};
use super::password::{PasswordError, hash_password};
use crate::clock::Clock;
use crate::config::{ConsoleMode, Dollars, Secret};
use crate::randomness::Randomness;
use crate::secrets::{KeyRing, random_text};
use crate::settings::{Settings, StoredOption};
use crate::tokens::{Issued, issue};

/// The group that every user is in until somebody says otherwise.
pub const DEFAULT_GROUP: &str = "default";

/// What the keyed hash of a token is for.
pub const TOKEN_PURPOSE: &str = "token";
/// What the keyed hash of a token is for that is known by its SHA-256 alone.
pub const HASHED_TOKEN_PURPOSE: &str = "token by its SHA-256";

/// What the demo channel serves.
pub const DEMO_MODELS: [&str; 9] = [
    "demo-chat",
    "demo-reasoning",
    "demo-embedding",
    "demo-image",
    "demo-transcribe",
    "demo-speech",
    "demo-rerank",
    "demo-moderation",
    "demo-realtime",
];

const AFF_CODE_CHARACTERS: usize = 8;
/// How often somebody else may save the settings meanwhile.
const TRIES: usize = 10;

/// What set-up is asked for.
#[derive(Debug)]
pub struct SetUp {
    /// The root user's name.
    pub username: String,
    /// The root user's password.
    pub password: Secret,
    /// Whether to make the demo channel.
    pub demo: bool,
    /// The name of a first token, where one is wanted.
    pub token_name: Option<String>,
    /// What root is given to begin with.
    pub grant: Dollars,
    /// Whom the service is for; none leaves what the configuration says.
    pub mode: Option<ConsoleMode>,
}

/// What set-up has made.
#[derive(Debug)]
pub struct SetUpDone {
    /// The root user.
    pub user_id: UserId,
    /// The first token; it is not shown again.
    pub token: Option<Secret>,
}

/// Why set-up did not happen.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// It was done before.
    #[error("set-up was done before")]
    AlreadyDone,
    /// The name cannot be a user's.
    #[error("a user name has 1 to 64 visible characters and no @")]
    BadName,
    /// The password could not be hashed.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The records could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes the root user, the grant and what else was asked for.
pub async fn set_up(
    store: &Store,
    keys: &KeyRing,
    clock: &dyn Clock,
    randomness: &dyn Randomness,
    request: SetUp,
) -> Result<SetUpDone, SetUpError> {
    let username = request.username.trim().to_owned();
    let is_name = (1..=64).contains(&username.chars().count());
    // With an @ it could be taken for an e-mail address.
    if !is_name || username.contains('@') || username.chars().any(char::is_control) {
        return Err(SetUpError::BadName);
    }
    settings_before(store.read()).await?;
    let password_hash = hash_password(request.password, randomness).await?;
    let token = request.token_name.map(|name| NamedToken {
        name,
        issued: issue(keys, randomness),
    });
    let first = First {
        username,
        password_hash,
        aff_code: random_text(randomness, AFF_CODE_CHARACTERS),
        demo: request.demo,
        grant: request.grant,
        mode: request.mode,
    };
    let mut tries = TRIES;
    loop {
        match make(store, clock, &first, token.as_ref()).await {
            // A server that starts at the same time has noted something: that is no set-up.
            Err(SetUpError::Store(StoreError::Stale(_))) if tries > 1 => tries -= 1,
            made => return Ok(done(made?, token)),
        }
    }
}

/// What is made, ready to be written.
pub(super) struct First {
    pub(super) username: String,
    pub(super) password_hash: String,
    pub(super) aff_code: String,
    demo: bool,
    grant: Dollars,
    mode: Option<ConsoleMode>,
}

struct NamedToken {
    name: String,
    issued: Issued,
}

fn done(user_id: UserId, token: Option<NamedToken>) -> SetUpDone {
    SetUpDone {
        user_id,
        token: token.map(|token| token.issued.secret),
    }
}

/// The settings before set-up, and which version they are.
async fn settings_before(connection: &impl ConnectionTrait) -> Result<(i64, Settings), SetUpError> {
    let (version, was) = Settings::stored(connection).await?;
    if was.is_set_up {
        return Err(SetUpError::AlreadyDone);
    }
    Ok((version, was))
}

/// Writes all of it, or nothing.
async fn make(
    store: &Store,
    clock: &dyn Clock,
    first: &First,
    token: Option<&NamedToken>,
) -> Result<UserId, SetUpError> {
    let now = clock.now_ms();
    let transaction = store.write().await?;
    let (version, was) = settings_before(&transaction).await?;
    let root = insert_root(&transaction, first, now).await?;
    let document = Settings {
        is_set_up: true,
        is_demo: first.demo,
        setup_code: None,
        options: options_for(first.mode, was.options),
        key_mark: was.key_mark,
    };
    settings::save(&transaction, version, &document, Some(root.id), now).await?;
    grant(&transaction, root.id, first.grant, now).await?;
    if let Some(token) = token {
        insert_token(&transaction, root.id, &token.name, &token.issued, now).await?;
    }
    if first.demo {
        insert_demo_channel(&transaction, now).await?;
    }
    note(&transaction, &root, first.demo, now).await?;
    transaction.commit().await?;
    Ok(root.id)
}

/// What a mode means for the settings: whoever does not serve the public does not let it register.
fn options_for(
    mode: Option<ConsoleMode>,
    mut options: BTreeMap<String, StoredOption>,
) -> BTreeMap<String, StoredOption> {
    if let Some(mode) = mode {
        let is_public = mode == ConsoleMode::Public;
        for (key, value) in [
            ("console.mode", json!(mode)),
            ("registration.enabled", json!(is_public)),
        ] {
            options.insert(key.to_owned(), StoredOption::Plain(value));
        }
    }
    options
}
