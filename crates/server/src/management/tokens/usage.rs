//! What a token used: today, this week, this month, in all, and what its budgets leave. The times are
//! UTC's, as the budgets' are.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::{format_dollars, quota_of_nanos};
use billing::wallet::token_budgets;
use schemars::JsonSchema;
use serde::Serialize;
use store::budgets::{self, Period};
use store::rollups::{self, Grain, RollupFilter};
use store::tokens::Token;

use super::ownership::readable;
use crate::app::App;
use crate::management::frame::{ApiError, At, Identity, Moment, Reply};

const DAY_MS: i64 = 86_400_000;

/// What a token used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenUsage {
    /// Spent in all, in quota units.
    used_quota: i64,
    /// The same in dollars.
    used_quota_usd: String,
    /// The last 24 hours, 7 days and 30 days, by whole days.
    recent: Vec<RecentUsage>,
    /// Its budgets.
    budgets: Vec<BudgetState>,
}

/// What was used in the last days.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecentUsage {
    /// How many days, today included.
    days: i64,
    /// Calls.
    requests: i64,
    /// Calls that failed.
    errors: i64,
    /// Input tokens.
    input_tokens: i64,
    /// Output tokens.
    output_tokens: i64,
    /// Spent, in quota units.
    quota: i64,
    /// The same in dollars.
    quota_usd: String,
}

/// A budget and what is left of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BudgetState {
    /// `total`, `daily`, `weekly` or `monthly`.
    period: &'static str,
    /// When its window began; `null` for the total.
    since: Option<Moment>,
    /// What it allows, in quota units.
    limit_quota: i64,
    /// The same in dollars.
    limit_usd: String,
    /// What is spent or set aside for running calls.
    taken_quota: i64,
    /// The same in dollars.
    taken_usd: String,
}

/// Shows what a token used.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<TokenUsage>, ApiError> {
    let (token, _) = readable(app.store().read(), &actor, id).await?;
    let now = app.clock().now_ms();
    let mut recent = Vec::new();
    for days in [1, 7, 30] {
        recent.push(used_in(&app, &token, days, now).await?);
    }
    Ok(Reply::of(TokenUsage {
        used_quota: quota_of_nanos(token.used_nanos),
        used_quota_usd: format_dollars(token.used_nanos),
        recent,
        budgets: budget_states(&app, &token, now).await?,
    }))
}

async fn used_in(app: &App, token: &Token, days: i64, now: i64) -> Result<RecentUsage, ApiError> {
    let today = now - now.rem_euclid(DAY_MS);
    let filter = RollupFilter {
        user_id: Some(token.user_id),
        token_id: Some(token.id),
        ..RollupFilter::range(Grain::Day, today - (days - 1) * DAY_MS, now + 1)
    };
    let sums = rollups::totals(app.store().read(), &filter).await?;
    Ok(RecentUsage {
        days,
        requests: sums.requests,
        errors: sums.errors,
        input_tokens: sums.input_tokens + sums.cache_read_tokens,
        output_tokens: sums.output_tokens,
        quota: quota_of_nanos(sums.charge_nanos),
        quota_usd: format_dollars(sums.charge_nanos),
    })
}

async fn budget_states(app: &App, token: &Token, now: i64) -> Result<Vec<BudgetState>, ApiError> {
    let mut states = Vec::new();
    for budget in token_budgets(token, now) {
        let spent = budgets::taken(app.store().read(), budget.window).await?;
        let (period, since) = match budget.window.period {
            Period::Total => ("total", None),
            Period::Daily => ("daily", Some(budget.window.starts_at)),
            Period::Weekly => ("weekly", Some(budget.window.starts_at)),
            Period::Monthly => ("monthly", Some(budget.window.starts_at)),
        };
        states.push(BudgetState {
            period,
            since: since.map(Moment),
            limit_quota: quota_of_nanos(budget.limit_nanos),
            limit_usd: format_dollars(budget.limit_nanos),
            taken_quota: quota_of_nanos(spent),
            taken_usd: format_dollars(spent),
        });
    }
    Ok(states)
}
