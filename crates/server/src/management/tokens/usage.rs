//! What a token used: today, this week, this month, in all, and what its budgets leave. The times are
//! UTC's, as the budgets' are.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use billing::pricing::{format_dollars, quota_of_nanos};
use billing::wallet::{token_budgets, window_end};
use schemars::JsonSchema;
use serde::Serialize;
use store::budgets::{self, Budget, Period, Window};
use store::rollups::{self, Grain, RollupFilter};
use store::tokens::Token;
use store::{ConnectionTrait, StoreError, TokenId};

use super::ownership::readable;
use crate::app::App;
use crate::management::frame::{ApiError, At, Identity, Moment, Reply};
use crate::management::stats::freshen;

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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BudgetState {
    /// `total`, `daily`, `weekly` or `monthly`.
    period: &'static str,
    /// When its window began; `null` for the total.
    since: Option<Moment>,
    /// When its next window begins; `null` for the total.
    resets_at: Option<Moment>,
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
    freshen(&app).await?;
    let (token, _) = readable(app.store().read(), &actor, id).await?;
    let now = app.clock().now_ms();
    let mut recent = Vec::new();
    for days in [1, 7, 30] {
        recent.push(used_in(&app, &token, days, now).await?);
    }
    let records = app.store().read();
    let mut states = budget_states(records, std::slice::from_ref(&token), now).await?;
    Ok(Reply::of(TokenUsage {
        used_quota: quota_of_nanos(token.used_nanos),
        used_quota_usd: format_dollars(token.used_nanos),
        recent,
        budgets: states.remove(&token.id).unwrap_or_default(),
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

/// The budgets of tokens and what was taken of each, with one query however many they are, and one more for each
/// that was set after the token was used.
pub(super) async fn budget_states(
    records: &impl ConnectionTrait,
    tokens: &[Token],
    now: i64,
) -> Result<HashMap<TokenId, Vec<BudgetState>>, StoreError> {
    let budgets = tokens.iter().flat_map(|token| {
        let budgets = token_budgets(token, now).into_iter();
        budgets.map(move |budget| (token, budget))
    });
    let budgets: Vec<(&Token, Budget)> = budgets.collect();
    let windows: Vec<Window> = budgets.iter().map(|(_, budget)| budget.window).collect();
    let taken_in = budgets::taken_in(records, &windows).await?;
    let mut states: HashMap<TokenId, Vec<BudgetState>> = HashMap::new();
    for (token, budget) in budgets {
        let window = budget.window;
        let is_used = token.last_used_at.is_some_and(|at| at >= window.starts_at);
        let taken = match taken_in.get(&window) {
            Some(taken) => *taken,
            None if is_used => budgets::count(records, window).await?,
            None => 0,
        };
        let of_token = states.entry(token.id).or_default();
        of_token.push(BudgetState::of(budget, taken));
    }
    Ok(states)
}

impl BudgetState {
    fn of(budget: Budget, taken: i64) -> Self {
        let window = budget.window;
        let (period, is_window) = match window.period {
            Period::Total => ("total", false),
            Period::Daily => ("daily", true),
            Period::Weekly => ("weekly", true),
            Period::Monthly => ("monthly", true),
        };
        Self {
            period,
            since: is_window.then_some(Moment(window.starts_at)),
            resets_at: window_end(window).map(Moment),
            limit_quota: quota_of_nanos(budget.limit_nanos),
            limit_usd: format_dollars(budget.limit_nanos),
            taken_quota: quota_of_nanos(taken),
            taken_usd: format_dollars(taken),
        }
    }
}
