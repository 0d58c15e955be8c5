//! Referral: one's invite code, what it earned, and moving earnings to the wallet.

use std::sync::Arc;

use axum::extract::{Path, State};
use billing::credits;
use billing::pricing::{format_dollars, nanos_of_quota, quota_of_nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{StoreError, ledger, referrals, users};

use crate::accounts::{Client, Guess, begin_try};
use crate::app::App;
use crate::config::ReferralEvent;
use crate::management::frame::{ApiError, Identity, Input, Reply};

/// An invite code and what it earned.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Referral")]
pub struct ReferralView {
    /// The invite code.
    aff_code: String,
    /// The page where an invited person registers.
    invite_url: String,
    /// How many users came by it.
    aff_count: i64,
    /// What was earned and not moved yet, in quota units.
    aff_quota: i64,
    /// The same in dollars.
    aff_quota_usd: String,
    /// When an invitation is rewarded: `registration` or `first_topup`.
    event: &'static str,
    /// What an invitation earns, in dollars.
    inviter_usd: String,
    /// What the invited person is given, in dollars.
    invitee_usd: String,
    /// The least that can be moved, in quota units.
    minimum_transfer_quota: i64,
    /// The same in dollars.
    minimum_transfer_usd: String,
}

/// How much to move.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Transfer {
    /// In quota units.
    quota: i64,
}

/// Balances after a transfer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewBalances {
    /// The balance, in quota units.
    quota: i64,
    /// The balance, in dollars.
    quota_usd: String,
    /// What is left of the earnings, in quota units.
    aff_quota: i64,
    /// What is left of the earnings, in dollars.
    aff_quota_usd: String,
}

/// Shows the caller's referral.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<ReferralView>, ApiError> {
    let records = app.store().read();
    let has = ledger::balances(records, &[identity.id()]).await?;
    let earned = has
        .get(&identity.id())
        .copied()
        .unwrap_or_default()
        .referral_nanos;
    let config = app.config();
    let rule = &config.referral;
    let minimum = rule.minimum_transfer_usd.nanos();
    let code = identity.user.aff_code.clone();
    Ok(Reply::of(ReferralView {
        invite_url: format!("{}/register?aff={code}", identity.caller.base_url),
        aff_code: code,
        aff_count: referrals::count(records, identity.id()).await?,
        aff_quota: quota_of_nanos(earned),
        aff_quota_usd: format_dollars(earned),
        event: match rule.event {
            ReferralEvent::Registration => "registration",
            ReferralEvent::FirstTopUp => "first_topup",
        },
        inviter_usd: rule.inviter_usd.to_string(),
        invitee_usd: rule.invitee_usd.to_string(),
        minimum_transfer_quota: quota_of_nanos(minimum),
        minimum_transfer_usd: format_dollars(minimum),
    }))
}

/// Whose invite code it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Inviter {
    /// The name that the inviter shows.
    display_name: String,
}

/// Says whose invite code it is. Tries of codes that are nobody's are counted: codes are not to be
/// found by trying.
pub(super) async fn inviter(
    State(app): State<Arc<App>>,
    client: Client,
    Path(code): Path<String>,
) -> Result<Reply<Inviter>, ApiError> {
    let attempt = begin_try(&app, Guess::InviteCode(&code), &client, None).await?;
    let found = users::find_by_aff_code(app.store().read(), &code).await?;
    let user = found.ok_or_else(|| ApiError::not_found("This invite code"))?;
    attempt.forgive(&app).await;
    let display_name = user.display_name;
    Ok(Reply::of(Inviter { display_name }))
}

/// Moves earnings to the wallet.
pub(super) async fn transfer(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(transfer): Input<Transfer>,
) -> Result<Reply<NewBalances>, ApiError> {
    let nanos = nanos_of_quota(transfer.quota).filter(|nanos| *nanos > 0);
    let nanos = nanos.ok_or_else(|| ApiError::bad_field("quota", "must be above zero"))?;
    let minimum = app.config().referral.minimum_transfer_usd;
    if nanos < minimum.nanos() {
        let text = format!(
            "must be at least {} ({minimum} dollars)",
            quota_of_nanos(minimum.nanos())
        );
        return Err(ApiError::bad_field("quota", &text));
    }
    let user = identity.id();
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let key = &identity.caller.request_id;
    match credits::transfer(&transaction, user, nanos, key, now).await {
        Err(StoreError::InsufficientFunds(_)) => {
            let problem = ApiError::bad_field("quota", "is more than you have earned");
            return Err(problem.with_code("insufficient_quota"));
        }
        moved => moved?,
    };
    let has = ledger::balances(&transaction, &[user]).await?;
    transaction.commit().await?;
    let has = has.get(&user).copied().unwrap_or_default();
    let balance = has.left_nanos().max(0);
    Ok(Reply::of(NewBalances {
        quota: quota_of_nanos(balance),
        quota_usd: format_dollars(balance),
        aff_quota: quota_of_nanos(has.referral_nanos),
        aff_quota_usd: format_dollars(has.referral_nanos),
    }))
}
