//! Declared tokens: found again by their name, and written only where something differs. One whose
//! user or group is not there yet waits, and answers 401 meanwhile.

use billing::wallet::token_budgets;
use store::shared::Change;
use store::tokens::{self, NewToken, Token, TokenChanges};
use store::users::User;
use store::{TokenId, Transaction, budgets, groups, leases, users};

use super::apply::{Applied, DeclareError, Means};
use crate::accounts::TOKEN_PURPOSE;
use crate::config::{Dollars, TokenDeclaration};
use crate::secrets::hash_token;

const LIST: &str = "tokens";
/// How much of a token is shown, to tell tokens apart.
const SHOWN_PREFIX: usize = 8;

/// Adds, changes and removes.
pub(super) async fn apply(
    transaction: &Transaction,
    means: &Means<'_>,
    declared: &[TokenDeclaration],
    applied: &mut Applied,
) -> Result<(), DeclareError> {
    let known = tokens::declared(transaction).await?;
    for token in &known {
        if !declared
            .iter()
            .any(|declaration| declaration.name == token.name)
        {
            tokens::delete(transaction, token.id).await?;
            applied.changes.push(Change::Token(token.id));
        }
    }
    for declaration in declared {
        let user = match owner(transaction, declaration).await? {
            Ok(user) => user,
            Err(reason) => {
                let text = format!("[[{LIST}]] \"{}\": {reason}", declaration.name);
                applied.waiting.push(text);
                continue;
            }
        };
        let mut same = known.iter().find(|token| token.name == declaration.name);
        if let Some(moved) = same.filter(|token| token.user_id != user.id) {
            // A token does not change hands: what it has spent was its former user's.
            tokens::delete(transaction, moved.id).await?;
            applied.changes.push(Change::Token(moved.id));
            same = None;
        }
        let id = match same {
            Some(token) => change(transaction, means, declaration, token).await?,
            None => Some(insert(transaction, means, declaration, &user).await?),
        };
        applied.changes.extend(id.map(Change::Token));
    }
    Ok(())
}

/// Whose it is, or what it waits for.
async fn owner(
    transaction: &Transaction,
    declaration: &TokenDeclaration,
) -> Result<Result<User, String>, DeclareError> {
    if let Some(group) = &declaration.group
        && groups::get(transaction, group).await?.is_none()
    {
        return Ok(Err(format!("waits for the group `{group}`")));
    }
    Ok(match &declaration.user {
        Some(name) => users::find_by_login(transaction, name)
            .await?
            .ok_or_else(|| format!("waits for the user `{name}`")),
        None => users::first_root(transaction)
            .await?
            .ok_or_else(|| "waits for the root user".to_owned()),
    })
}

async fn insert(
    transaction: &Transaction,
    means: &Means<'_>,
    declaration: &TokenDeclaration,
    user: &User,
) -> Result<TokenId, DeclareError> {
    let secret_hash = hash(means, declaration);
    free(transaction, means, declaration, &secret_hash).await?;
    let new = NewToken {
        user_id: user.id,
        name: declaration.name.clone(),
        prefix: prefix(declaration),
        secret_hash,
        is_declared: true,
        now: means.now,
    };
    let token = tokens::insert(transaction, new, wanted(declaration)).await?;
    Ok(token.id)
}

/// Changes what differs; none where nothing does.
async fn change(
    transaction: &Transaction,
    means: &Means<'_>,
    declaration: &TokenDeclaration,
    token: &Token,
) -> Result<Option<TokenId>, DeclareError> {
    let secret_hash = hash(means, declaration);
    let changes = wanted(declaration);
    let has_same_secret = token.secret_hash == secret_hash;
    if has_same_secret && is_as_wanted(token, &changes) {
        return Ok(None);
    }
    if !has_same_secret {
        free(transaction, means, declaration, &secret_hash).await?;
        let prefix = prefix(declaration);
        tokens::rotate(transaction, token.id, &prefix, &secret_hash, None).await?;
    }
    let after = tokens::update(transaction, token.id, changes).await?;
    if let Some(after) = after {
        let had = token_budgets(token, means.now);
        let has = token_budgets(&after, means.now);
        if had != has {
            // Nodes give back what they took within the former limits.
            leases::recall(transaction, after.user_id, "", means.now).await?;
        }
        budgets::recount(transaction, &had, &has).await?;
    }
    Ok(Some(token.id))
}

/// Refuses a secret that another token has.
async fn free(
    transaction: &Transaction,
    means: &Means<'_>,
    declaration: &TokenDeclaration,
    secret_hash: &[u8],
) -> Result<(), DeclareError> {
    let known = tokens::find(transaction, secret_hash, means.now).await?;
    if known.is_some() {
        let reason = "another token has this key";
        return Err(DeclareError::refused(LIST, &declaration.name, reason));
    }
    Ok(())
}

fn hash(means: &Means<'_>, declaration: &TokenDeclaration) -> Vec<u8> {
    hash_token(means.keys, TOKEN_PURPOSE, text(declaration)).to_vec()
}

fn prefix(declaration: &TokenDeclaration) -> String {
    text(declaration).chars().take(SHOWN_PREFIX).collect()
}

/// The configuration refuses a declaration without a key.
fn text(declaration: &TokenDeclaration) -> &str {
    declaration.key.as_ref().map_or("", |key| key.expose())
}

fn wanted(declaration: &TokenDeclaration) -> TokenChanges {
    let limit = |value: u32| Some((value > 0).then_some(i64::from(value)));
    let nanos = |dollars: Option<Dollars>| Some(dollars.map(Dollars::nanos));
    let networks = declaration
        .cidrs
        .iter()
        .map(|network| format!("{network:?}"));
    TokenChanges {
        group_name: Some(declaration.group.clone()),
        models: Some(declaration.models.clone()),
        endpoints: Some(declaration.endpoints.clone()),
        cidrs: Some(networks.collect()),
        rpm: limit(declaration.rpm),
        tpm: limit(declaration.tpm),
        concurrency: limit(declaration.concurrency),
        budget_total_nanos: nanos(declaration.budget_total_usd),
        budget_daily_nanos: nanos(declaration.budget_daily_usd),
        budget_weekly_nanos: nanos(declaration.budget_weekly_usd),
        budget_monthly_nanos: nanos(declaration.budget_monthly_usd),
        ..TokenChanges::default()
    }
}

fn is_as_wanted(token: &Token, wanted: &TokenChanges) -> bool {
    fn same<T: PartialEq>(stored: &T, wanted: Option<&T>) -> bool {
        wanted.is_none_or(|wanted| stored == wanted)
    }
    same(&token.group_name, wanted.group_name.as_ref())
        && same(&token.models.0, wanted.models.as_ref())
        && same(&token.endpoints.0, wanted.endpoints.as_ref())
        && same(&token.cidrs.0, wanted.cidrs.as_ref())
        && same(&token.rpm, wanted.rpm.as_ref())
        && same(&token.tpm, wanted.tpm.as_ref())
        && same(&token.concurrency, wanted.concurrency.as_ref())
        && same(
            &token.budget_total_nanos,
            wanted.budget_total_nanos.as_ref(),
        )
        && same(
            &token.budget_daily_nanos,
            wanted.budget_daily_nanos.as_ref(),
        )
        && same(
            &token.budget_weekly_nanos,
            wanted.budget_weekly_nanos.as_ref(),
        )
        && same(
            &token.budget_monthly_nanos,
            wanted.budget_monthly_nanos.as_ref(),
        )
}
