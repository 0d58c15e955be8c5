//! Tokens: found by clients under the same secret as before, of which only the keyed hash is kept.

use std::collections::HashSet;

use store::imports::Entity;
use store::tokens::{self, NewToken, TokenChanges, TokenUsage};
use store::{ImportId, TokenId, Transaction, UserId};

use super::users::Owners;
use super::work::{AT_ONCE, Made, Work};
use crate::accounts::{HASHED_TOKEN_PURPOSE, TOKEN_PURPOSE};
use crate::imports::error::ImportError;
use crate::imports::plan::{TokenSecret, WantedToken};
use crate::secrets::{TokenHash, hash_token};

const TOKENS: &str = "tokens";
const SHOWN_PREFIX: usize = 8;

/// Makes the tokens that were not imported before.
pub(super) async fn apply(
    work: &mut Work<'_>,
    wanted: &[WantedToken],
    owners: &Owners,
) -> Result<(), ImportError> {
    let known = work.known(Entity::Token).await?;
    let mut given = HashSet::new();
    for some in wanted.chunks(AT_ONCE) {
        let begun = work.begin().await?;
        for token in some {
            let item = format!("{} {}", token.foreign_id, token.name);
            let records = work.means.store.read();
            if let Some(known) = known.get(&token.foreign_id) {
                let is_there = tokens::get(records, TokenId(known.our_id)).await?.is_some();
                work.is_known(TOKENS, &item, is_there);
                continue;
            }
            let Some(owner) = owners.get(&token.owner) else {
                let reason = "its user is not carried over";
                work.findings.leave_out(TOKENS, item, reason);
                continue;
            };
            let hash = hash_of(work, &token.secret);
            let is_taken =
                !given.insert(hash) || tokens::find(records, &hash, work.now).await?.is_some();
            if is_taken {
                let reason = "a token with this secret is here already";
                work.findings.leave_out(TOKENS, item, reason);
                continue;
            }
            if let (Some((transaction, import)), Some(owner)) = (&begun, owner) {
                insert(work, transaction, *import, token, (*owner, hash)).await?;
            }
            work.findings.count(TOKENS).created += 1;
        }
        work.end(begun, some.len()).await?;
    }
    Ok(())
}

/// What the records keep of a secret. Of one that is known by its hash alone, the hash is kept keyed as
/// well, for a purpose of its own: presenting the hash opens nothing.
fn hash_of(work: &Work<'_>, secret: &TokenSecret) -> TokenHash {
    match secret {
        TokenSecret::Known(secret) => hash_token(work.means.keys, TOKEN_PURPOSE, secret.expose()),
        TokenSecret::Sha256 { hash, .. } => {
            hash_token(work.means.keys, HASHED_TOKEN_PURPOSE, &hex::encode(hash))
        }
    }
}

async fn insert(
    work: &Work<'_>,
    transaction: &Transaction,
    import: ImportId,
    token: &WantedToken,
    (owner, hash): (UserId, TokenHash),
) -> Result<(), ImportError> {
    let new = NewToken {
        user_id: owner,
        name: token.name.clone(),
        prefix: match &token.secret {
            TokenSecret::Known(secret) => secret.expose().chars().take(SHOWN_PREFIX).collect(),
            TokenSecret::Sha256 { shown, .. } => shown.clone(),
        },
        secret_hash: hash.to_vec(),
        is_declared: false,
        now: token.created_at.unwrap_or(work.now),
    };
    let limits = &token.limits;
    let rights = TokenChanges {
        status: Some(token.status),
        group_name: Some(token.group.clone()),
        models: Some(token.models.clone()),
        endpoints: Some(token.endpoints.clone()),
        cidrs: Some(token.cidrs.clone()),
        rpm: Some(limits.rpm),
        tpm: Some(limits.tpm),
        concurrency: Some(limits.concurrency),
        budget_total_nanos: Some(limits.total_nanos),
        budget_daily_nanos: Some(limits.daily_nanos),
        budget_weekly_nanos: Some(limits.weekly_nanos),
        budget_monthly_nanos: Some(limits.monthly_nanos),
        expires_at: Some(token.expires_at),
        ..TokenChanges::default()
    };
    let id = tokens::insert(transaction, new, rights).await?.id;
    if token.used_nanos > 0 || token.last_used_at.is_some() {
        let usage = TokenUsage {
            id,
            nanos: token.used_nanos,
            last_used_at: token.last_used_at.unwrap_or(work.now),
        };
        tokens::add_usage(transaction, [usage]).await?;
    }
    let made = Made::plain(Entity::Token, &token.foreign_id, id.0, "");
    work.note(transaction, import, made).await
}
