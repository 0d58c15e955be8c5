//! A token as the interface shows one. The secret is in it only in the moment of its making.

use billing::pricing::{format_dollars, quota_of_nanos};
use schemars::JsonSchema;
use serde::Serialize;
use store::tokens::Token;

use super::usage::BudgetState;
use crate::config::Secret;
use crate::management::frame::Moment;
use crate::management::users::status_number;

/// A token. Amounts are quota units of 1/500,000 dollar beside exact dollars.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Token")]
pub struct TokenView {
    /// The token's id.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// What its owner calls it.
    pub name: String,
    /// The first characters of the secret.
    pub prefix: String,
    /// The secret itself, only in the reply that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// 1 works, 2 paused.
    pub status: i64,
    /// The group it calls as; `null`: its owner's.
    pub group: Option<String>,
    /// Models it may use, names and patterns; empty: all.
    pub models: Vec<String>,
    /// Endpoints it may call; empty: all.
    pub endpoints: Vec<String>,
    /// Networks it may be used from; empty: all.
    pub cidrs: Vec<String>,
    /// Calls a minute.
    pub rpm: Option<i64>,
    /// Model tokens a minute.
    pub tpm: Option<i64>,
    /// Calls at once.
    pub concurrency: Option<i64>,
    /// What it may ever spend; `null`: what the wallet holds.
    pub budget_total: Option<i64>,
    /// The same in dollars.
    pub budget_total_usd: Option<String>,
    /// What it may spend a day.
    pub budget_daily: Option<i64>,
    /// The same in dollars.
    pub budget_daily_usd: Option<String>,
    /// What it may spend a week.
    pub budget_weekly: Option<i64>,
    /// The same in dollars.
    pub budget_weekly_usd: Option<String>,
    /// What it may spend a month.
    pub budget_monthly: Option<i64>,
    /// The same in dollars.
    pub budget_monthly_usd: Option<String>,
    /// Its budgets and what was taken of each; in lists and of one token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budgets: Option<Vec<BudgetState>>,
    /// What it spent so far.
    pub used_quota: i64,
    /// The same in dollars.
    pub used_quota_usd: String,
    /// Whether the configuration file declares it; then it is not changed here.
    pub is_declared: bool,
    /// When it ends.
    pub expires_at: Option<Moment>,
    /// When it was made.
    pub created_at: Moment,
    /// When it was last used.
    pub last_used_at: Option<Moment>,
}

impl TokenView {
    /// What may be shown of a token.
    pub fn of(token: Token) -> Self {
        let quota = |nanos: Option<i64>| nanos.map(quota_of_nanos);
        let dollars = |nanos: Option<i64>| nanos.map(format_dollars);
        Self {
            id: token.id.0,
            user_id: token.user_id.0,
            name: token.name,
            prefix: token.prefix,
            key: None,
            status: status_number(token.status),
            group: token.group_name,
            models: token.models.0,
            endpoints: token.endpoints.0,
            cidrs: token.cidrs.0,
            rpm: token.rpm,
            tpm: token.tpm,
            concurrency: token.concurrency,
            budget_total: quota(token.budget_total_nanos),
            budget_total_usd: dollars(token.budget_total_nanos),
            budget_daily: quota(token.budget_daily_nanos),
            budget_daily_usd: dollars(token.budget_daily_nanos),
            budget_weekly: quota(token.budget_weekly_nanos),
            budget_weekly_usd: dollars(token.budget_weekly_nanos),
            budget_monthly: quota(token.budget_monthly_nanos),
            budget_monthly_usd: dollars(token.budget_monthly_nanos),
            budgets: None,
            used_quota: quota_of_nanos(token.used_nanos),
            used_quota_usd: format_dollars(token.used_nanos),
            is_declared: token.is_declared,
            expires_at: token.expires_at.map(Moment),
            created_at: Moment(token.created_at),
            last_used_at: token.last_used_at.map(Moment),
        }
    }

    /// The same with what its budgets leave.
    #[must_use]
    pub fn with_budgets(mut self, budgets: Vec<BudgetState>) -> Self {
        self.budgets = Some(budgets);
        self
    }

    /// The same with the secret that was just made.
    #[must_use]
    pub fn showing(mut self, secret: &Secret) -> Self {
        self.key = Some(secret.expose().to_owned());
        self
    }
}
