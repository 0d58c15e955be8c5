//! Redemption codes: made in batches by administrators, redeemed once by users.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::{format_dollars, nanos_of_quota, quota_of_nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::names::{Named, names};
use store::redemption_codes::{self, CodeFilter, CodeState, NewRedemptionCodes, RedemptionCode};
use store::{RedemptionCodeId, ledger};

use crate::app::App;
use crate::management::allowance::MOST_NANOS;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Moment, PageQuery, PagedList, Reply, Search,
    changes_between,
};
use crate::payments::{hash_redemption_code, new_redemption_code};

const MOST_AT_ONCE: u32 = 1_000;
const LONGEST_NAME: usize = 100;
/// Longest code that is looked at.
const LONGEST_CODE: usize = 100;

/// A redemption code; the code itself was shown when it was made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RedemptionCode")]
pub struct CodeView {
    /// The code's id.
    id: i64,
    /// What the batch is called.
    name: String,
    /// What it is worth, in quota units.
    quota: i64,
    /// What it is worth, in dollars.
    quota_usd: String,
    /// `active`, `redeemed`, `disabled` or `expired`.
    status: &'static str,
    /// Who made it.
    created_by: Option<i64>,
    /// When it was made.
    created_at: Moment,
    /// When it ends.
    expires_at: Option<Moment>,
    /// Who redeemed it.
    redeemed_by: Option<i64>,
    /// That user's name; in lists.
    redeemed_by_name: Option<String>,
    /// When it was redeemed.
    redeemed_at: Option<Moment>,
}

impl CodeView {
    fn of(code: RedemptionCode, now: i64) -> Self {
        Self {
            id: code.id.0,
            status: status(&code, now),
            name: code.name,
            quota: quota_of_nanos(code.credit_nanos),
            quota_usd: format_dollars(code.credit_nanos),
            created_by: code.created_by.map(|id| id.0),
            created_at: Moment(code.created_at),
            expires_at: code.expires_at.map(Moment),
            redeemed_by: code.redeemed_by.map(|id| id.0),
            redeemed_by_name: None,
            redeemed_at: code.redeemed_at.map(Moment),
        }
    }
}

fn status(code: &RedemptionCode, now: i64) -> &'static str {
    if code.redeemed_at.is_some() {
        "redeemed"
    } else if code.disabled_at.is_some() {
        "disabled"
    } else if code.expires_at.is_some_and(|end| end <= now) {
        "expired"
    } else {
        "active"
    }
}

/// Which codes to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodeSearch {
    /// Only of this batch.
    name: Option<String>,
    /// A part of the batch's name.
    search: Option<String>,
    /// Only `active`, `redeemed`, `disabled` or `expired` ones.
    status: Option<String>,
}

const STATES: [(&str, CodeState); 4] = [
    ("active", CodeState::Active),
    ("redeemed", CodeState::Redeemed),
    ("disabled", CodeState::Disabled),
    ("expired", CodeState::Expired),
];

/// Lists codes, newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Search(page): Search<PageQuery>,
    Search(search): Search<CodeSearch>,
) -> Result<Reply<PagedList<CodeView>>, ApiError> {
    let page = page.page()?;
    let now = app.clock().now_ms();
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let state = given(search.status).map(|text| {
        let found = STATES.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, state)| *state)
            .ok_or_else(|| ApiError::bad_field("status", "is not a state of codes"))
    });
    let filter = CodeFilter {
        name: given(search.name),
        search: given(search.search),
        state: state.transpose()?,
    };
    let records = app.store().read();
    let found = redemption_codes::list(records, &filter, page, now).await?;
    let redeemers = found.items.iter().filter_map(|code| code.redeemed_by);
    let known = names(records, Named::Users, redeemers.map(|id| id.0)).await?;
    let show = |code: RedemptionCode| {
        let redeemer = code.redeemed_by;
        CodeView {
            redeemed_by_name: redeemer.and_then(|id| known.get(&id.0).cloned()),
            ..CodeView::of(code, now)
        }
    };
    Ok(Reply::of(PagedList::of(page, found, show)))
}

/// A batch of codes to make.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewCodes {
    /// What the batch is called.
    name: String,
    /// What each code is worth, in quota units.
    quota: i64,
    /// How many: 1 to 1000.
    count: u32,
    /// When they end.
    expires_at: Option<Moment>,
}

/// A batch of codes that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeCodes {
    /// What the batch is called.
    name: String,
    /// What each code is worth, in quota units.
    quota: i64,
    /// What each code is worth, in dollars.
    quota_usd: String,
    /// The codes, shown this once.
    codes: Vec<String>,
}

/// Makes codes.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(new): Input<NewCodes>,
) -> Result<Reply<MadeCodes>, ApiError> {
    let now = app.clock().now_ms();
    let name = new.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Err(ApiError::bad_field("name", "must have 1 to 100 characters"));
    }
    let nanos = nanos_of_quota(new.quota).filter(|nanos| (1..=MOST_NANOS).contains(nanos));
    let nanos = nanos.ok_or_else(|| {
        let problem = "must be above zero, and a hundred million dollars at most";
        ApiError::bad_field("quota", problem)
    })?;
    if !(1..=MOST_AT_ONCE).contains(&new.count) {
        return Err(ApiError::bad_field("count", "must be between 1 and 1000"));
    }
    if new.expires_at.is_some_and(|end| end.0 <= now) {
        return Err(ApiError::bad_field("expires_at", "is in the past"));
    }
    let codes: Vec<String> = (0..new.count)
        .map(|_| new_redemption_code(app.randomness()))
        .collect();
    let hashes = codes
        .iter()
        .map(|code| hash_redemption_code(app.keys(), code));
    let batch = NewRedemptionCodes {
        name: name.clone(),
        code_hashes: hashes.map(Vec::from).collect(),
        credit_nanos: nanos,
        created_by: Some(identity.id()),
        expires_at: new.expires_at.map(|end| end.0),
        now,
    };
    let transaction = app.store().write().await?;
    redemption_codes::insert(&transaction, batch).await?;
    let act = Act {
        action: "redemption.create",
        object_kind: "redemption_batch",
        object_id: name.clone(),
        changes: json!({"count": {"to": new.count}, "quota": {"to": new.quota}}),
    };
    act.note(&transaction, &identity, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(MadeCodes {
        name,
        quota: new.quota,
        quota_usd: format_dollars(nanos),
        codes,
    }))
}

/// What changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CodeChanges {
    /// Which code.
    id: i64,
    /// Whether it is switched off.
    disabled: bool,
}

/// Switches a code off or on.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(changes): Input<CodeChanges>,
) -> Result<Reply<CodeView>, ApiError> {
    let now = app.clock().now_ms();
    let id = RedemptionCodeId(changes.id);
    let missing = || ApiError::not_found("The code");
    let transaction = app.store().write().await?;
    let before = redemption_codes::get(&transaction, id).await?;
    let before = CodeView::of(before.ok_or_else(missing)?, now);
    let disabled_at = changes.disabled.then_some(now);
    if !redemption_codes::set_disabled(&transaction, id, disabled_at).await? {
        return Err(ApiError::conflict("The code was redeemed."));
    }
    let after = redemption_codes::get(&transaction, id).await?;
    let after = CodeView::of(after.ok_or_else(missing)?, now);
    let act = Act {
        action: "redemption.update",
        object_kind: "redemption_code",
        object_id: id.to_string(),
        changes: changes_between(&before, &after),
    };
    act.note(&transaction, &identity, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(after))
}

/// Deletes a code that nobody redeemed.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<()>, ApiError> {
    let now = app.clock().now_ms();
    let id = RedemptionCodeId(id);
    let transaction = app.store().write().await?;
    let before = redemption_codes::get(&transaction, id).await?;
    let before = before.ok_or_else(|| ApiError::not_found("The code"))?;
    if !redemption_codes::delete(&transaction, id).await? {
        return Err(ApiError::conflict(
            "The code was redeemed, and stays on record.",
        ));
    }
    let act = Act {
        action: "redemption.delete",
        object_kind: "redemption_code",
        object_id: id.to_string(),
        changes: changes_between(&CodeView::of(before, now), &()),
    };
    act.note(&transaction, &identity, now).await?;
    transaction.commit().await?;
    Ok(Reply::done())
}

/// A code to redeem.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Redeem {
    /// The code, in any case of letters, with or without its dashes.
    code: String,
}

/// What a code brought.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Redeemed {
    /// What the code was worth, in quota units.
    credited_quota: i64,
    /// What the code was worth, in dollars.
    credited_quota_usd: String,
    /// The balance now, in quota units.
    quota: i64,
    /// The balance now, in dollars.
    quota_usd: String,
}

/// Redeems a code.
pub(super) async fn redeem(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(redeem): Input<Redeem>,
) -> Result<Reply<Redeemed>, ApiError> {
    let code = redeem.code.trim();
    if code.is_empty() || code.len() > LONGEST_CODE {
        return Err(ApiError::bad_field("code", "is not a redemption code"));
    }
    let now = app.clock().now_ms();
    let hash = hash_redemption_code(app.keys(), code);
    let transaction = app.store().write().await?;
    let redeemed = redemption_codes::redeem(&transaction, &hash, identity.id(), now).await?;
    let Some(redeemed) = redeemed else {
        let known = redemption_codes::find(&transaction, &hash).await?;
        return Err(why_not(known.as_ref(), now));
    };
    let has = ledger::balances(&transaction, &[identity.id()]).await?;
    transaction.commit().await?;
    let has = has.get(&identity.id()).copied().unwrap_or_default();
    let balance = has.left_nanos().max(0);
    Ok(Reply::of(Redeemed {
        credited_quota: quota_of_nanos(redeemed.credit_nanos),
        credited_quota_usd: format_dollars(redeemed.credit_nanos),
        quota: quota_of_nanos(balance),
        quota_usd: format_dollars(balance),
    }))
}

/// Why a code brings nothing; whoever holds a code may know.
fn why_not(code: Option<&RedemptionCode>, now: i64) -> ApiError {
    match code.map(|code| status(code, now)) {
        Some("redeemed") => {
            ApiError::conflict("This code was redeemed before.").with_code("code_used")
        }
        Some("expired") => ApiError::conflict("This code is over.").with_code("code_expired"),
        Some("disabled") => {
            ApiError::conflict("This code was switched off.").with_code("code_disabled")
        }
        _ => ApiError::not_found("This code").with_code("code_unknown"),
    }
}
