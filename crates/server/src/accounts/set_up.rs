//! Set-up: makes an empty installation usable in one transaction. It happens once, however many
//! try at the same time: whoever saves the settings first has done it.

use std::collections::BTreeMap;

use serde_json::json;
use store::audit_log::{self, NewAuditEntry};
use store::channels::{self, ChannelChanges, NewChannel};
use store::ledger::{Account, Credit, credit};
use store::tokens::{self, NewToken, TokenChanges};
use store::users::{self, NewUser, Role, User};
use store::{Store, StoreError, Transaction, UserId, groups, settings};

use super::password::{PasswordError, hash_password};
use crate::clock::Clock;
use crate::config::{ConsoleMode, Dollars, Secret};
use crate::demo;
use crate::randomness::Randomness;
use crate::secrets::{KeyRing, random_text};
use crate::settings::{Settings, StoredOption};
use crate::tokens::{Issued, issue};

/// The group that every user is in until somebody says otherwise.
pub const DEFAULT_GROUP: &str = "default";

/// What the keyed hash of a token is for.
pub const TOKEN_PURPOSE: &str = "token";

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

const LIST_PRICE_PPM: i64 = 1_000_000;
const AFF_CODE_CHARACTERS: usize = 8;

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
    let stored = settings::load::<Settings>(store.read()).await?;
    let (version, was) = stored.map_or((0, Settings::default()), |stored| {
        (stored.version, stored.document)
    });
    if was.is_set_up {
        return Err(SetUpError::AlreadyDone);
    }
    let password_hash = hash_password(request.password, randomness).await?;
    let token = request
        .token_name
        .map(|name| (name, issue(keys, randomness)));

    let now = clock.now_ms();
    let transaction = store.write().await?;
    let root = insert_root(&transaction, username, password_hash, randomness, now).await?;
    let document = Settings {
        is_set_up: true,
        is_demo: request.demo,
        setup_code: None,
        options: options_for(request.mode, was.options),
    };
    match settings::save(&transaction, version, &document, Some(root.id), now).await {
        Err(StoreError::Stale(_)) => return Err(SetUpError::AlreadyDone),
        saved => saved?,
    };
    grant(&transaction, root.id, request.grant, now).await?;
    if let Some((name, issued)) = &token {
        insert_token(&transaction, root.id, name, issued, now).await?;
    }
    if request.demo {
        insert_demo_channel(&transaction, now).await?;
    }
    note(&transaction, &root, request.demo, now).await?;
    transaction.commit().await?;
    Ok(SetUpDone {
        user_id: root.id,
        token: token.map(|(_, issued)| issued.secret),
    })
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

async fn insert_root(
    transaction: &Transaction,
    username: String,
    password_hash: String,
    randomness: &dyn Randomness,
    now: i64,
) -> Result<User, SetUpError> {
    if groups::get(transaction, DEFAULT_GROUP).await?.is_none() {
        groups::insert(transaction, DEFAULT_GROUP, "", LIST_PRICE_PPM, now).await?;
    }
    let root = NewUser {
        display_name: username.clone(),
        username,
        email: None,
        password_hash: Some(password_hash),
        role: Role::Root,
        group_name: DEFAULT_GROUP.to_owned(),
        aff_code: random_text(randomness, AFF_CODE_CHARACTERS),
        inviter_id: None,
        created_at: now,
    };
    match users::insert(transaction, root).await {
        // Another set-up that began at the same time has been faster.
        Err(StoreError::Conflict(_)) => Err(SetUpError::AlreadyDone),
        inserted => Ok(inserted?),
    }
}

async fn grant(
    transaction: &Transaction,
    user: UserId,
    amount: Dollars,
    now: i64,
) -> Result<(), StoreError> {
    if amount.nanos() == 0 {
        return Ok(());
    }
    let gift = Credit {
        key: "setup:grant".to_owned(),
        user,
        counterpart: Account::Grants,
        amount_nanos: amount.nanos(),
        reference_kind: "setup",
        reference_id: user.to_string(),
        reason: Some("set-up grant".to_owned()),
        at: now,
    };
    credit(transaction, &gift).await.map(|_| ())
}

async fn insert_token(
    transaction: &Transaction,
    user_id: UserId,
    name: &str,
    issued: &Issued,
    now: i64,
) -> Result<(), StoreError> {
    let new = NewToken {
        user_id,
        name: name.to_owned(),
        prefix: issued.prefix.clone(),
        secret_hash: issued.hash.to_vec(),
        is_declared: false,
        now,
    };
    tokens::insert(transaction, new, TokenChanges::default())
        .await
        .map(|_| ())
}

/// Makes the demo channel, unless the configuration file declares it.
async fn insert_demo_channel(transaction: &Transaction, now: i64) -> Result<(), StoreError> {
    let known = channels::all(transaction).await?;
    if known
        .iter()
        .any(|row| row.name == demo::PROVIDER && row.provider == demo::PROVIDER)
    {
        return Ok(());
    }
    let new = NewChannel {
        name: demo::PROVIDER.to_owned(),
        provider: demo::PROVIDER.to_owned(),
        // It answers inside the gateway: there is no address.
        base_url: String::new(),
        is_declared: false,
    };
    let rest = ChannelChanges {
        models: Some(DEMO_MODELS.map(str::to_owned).to_vec()),
        groups: Some(vec![DEFAULT_GROUP.to_owned()]),
        ..ChannelChanges::default()
    };
    channels::insert(transaction, new, rest, now)
        .await
        .map(|_| ())
}

async fn note(
    transaction: &Transaction,
    root: &User,
    demo: bool,
    now: i64,
) -> Result<(), StoreError> {
    let entry = NewAuditEntry {
        created_at: now,
        actor_id: Some(root.id),
        action: "setup".to_owned(),
        object_kind: "user".to_owned(),
        object_id: root.id.to_string(),
        changes: json!({"username": {"to": root.username}, "demo": {"to": demo}}),
        outcome: "done".to_owned(),
        ip: None,
        request_id: None,
    };
    audit_log::append(transaction, &entry).await
}
