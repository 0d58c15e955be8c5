//! What set-up writes: the root user and its money, the first token, the demo channel.

use serde_json::json;
use store::audit_log::{self, NewAuditEntry};
use store::channels::{self, ChannelChanges, NewChannel};
use store::ledger::{Account, Credit, credit};
use store::tokens::{self, NewToken, TokenChanges};
use store::users::{self, NewUser, Role, User};
use store::{StoreError, Transaction, UserId, groups};

use super::set_up::{DEFAULT_GROUP, DEMO_MODELS, First, SetUpError};
use crate::config::Dollars;
use crate::demo;
use crate::tokens::Issued;

const LIST_PRICE_PPM: i64 = 1_000_000;

/// The root user, in the group that everybody is in.
pub(super) async fn insert_root(
    transaction: &Transaction,
    first: &First,
    now: i64,
) -> Result<User, SetUpError> {
    if groups::get(transaction, DEFAULT_GROUP).await?.is_none() {
        groups::insert(transaction, DEFAULT_GROUP, "", LIST_PRICE_PPM, now).await?;
    }
    let root = NewUser {
        display_name: first.username.clone(),
        username: first.username.clone(),
        email: None,
        password_hash: Some(first.password_hash.clone()),
        role: Role::Root,
        group_name: DEFAULT_GROUP.to_owned(),
        aff_code: first.aff_code.clone(),
        inviter_id: None,
        created_at: now,
    };
    match users::insert(transaction, root).await {
        // Another set-up that began at the same time has been faster.
        Err(StoreError::Conflict(_)) => Err(SetUpError::AlreadyDone),
        inserted => Ok(inserted?),
    }
}

/// What root begins with.
pub(super) async fn grant(
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

/// The first token.
pub(super) async fn insert_token(
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
pub(super) async fn insert_demo_channel(
    transaction: &Transaction,
    now: i64,
) -> Result<(), StoreError> {
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

/// Set-up in the audit log.
pub(super) async fn note(
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
