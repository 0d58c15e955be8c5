//! A user as the interface shows one.

use billing::pricing::{format_dollars, quota_of_nanos};
use schemars::JsonSchema;
use serde::Serialize;
use store::ledger::{self, Balances};
use store::users::{Role, Status, User};
use store::{ConnectionTrait, Result, UserId, referrals, two_factor};

use crate::management::frame::Moment;

/// A user. Amounts are quota units of 1/500,000 dollar beside exact dollars.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub struct UserView {
    /// The user's id.
    pub id: i64,
    /// The login name.
    pub username: String,
    /// The name to show.
    pub display_name: String,
    /// The e-mail address.
    pub email: Option<String>,
    /// What administrators noted.
    pub remark: String,
    /// 1 user, 10 administrator, 100 root.
    pub role: i64,
    /// 1 enabled, 2 disabled.
    pub status: i64,
    /// The group that decides prices and channels.
    pub group: String,
    /// The balance: what is not spent yet, what running calls have set aside included.
    pub quota: i64,
    /// The balance in dollars.
    pub quota_usd: String,
    /// What running calls, and nodes that serve them, have set aside of it, in dollars.
    pub reserved_usd: String,
    /// What refunds and disputes could not take yet, in dollars.
    pub owed_usd: String,
    /// What all calls cost so far.
    pub used_quota: i64,
    /// The same in dollars.
    pub used_quota_usd: String,
    /// How many calls were made.
    pub request_count: i64,
    /// The invite code.
    pub aff_code: String,
    /// How many users came by it.
    pub aff_count: i64,
    /// What was earned by inviting and not moved to the wallet yet.
    pub aff_quota: i64,
    /// The same in dollars.
    pub aff_quota_usd: String,
    /// Who invited this user.
    pub inviter_id: Option<i64>,
    /// Whether a second factor is on.
    pub two_factor: bool,
    /// Calls a minute of all tokens together; `null`: no limit of their own.
    pub rpm: Option<i64>,
    /// Model tokens a minute.
    pub tpm: Option<i64>,
    /// Calls at once.
    pub concurrency: Option<i64>,
    /// What all calls may ever cost; `null`: what the wallet holds.
    pub budget_total: Option<i64>,
    /// The same in dollars.
    pub budget_total_usd: Option<String>,
    /// What the calls of a day may cost.
    pub budget_daily: Option<i64>,
    /// The same in dollars.
    pub budget_daily_usd: Option<String>,
    /// What the calls of a week may cost.
    pub budget_weekly: Option<i64>,
    /// The same in dollars.
    pub budget_weekly_usd: Option<String>,
    /// What the calls of a month may cost.
    pub budget_monthly: Option<i64>,
    /// The same in dollars.
    pub budget_monthly_usd: Option<String>,
    /// Below which balance the user gets a mail, in dollars; `null`: the default of `GET /api/status`, 0: never.
    pub low_balance_usd: Option<String>,
    /// When the account was made.
    pub created_at: Moment,
    /// When the user last logged in.
    pub last_login_at: Option<Moment>,
}

/// Users as the interface shows them, with three queries however many they are.
pub async fn views(records: &impl ConnectionTrait, users: Vec<User>) -> Result<Vec<UserView>> {
    let ids: Vec<UserId> = users.iter().map(|user| user.id).collect();
    let balances = ledger::balances(records, &ids).await?;
    let invited = referrals::counts(records, &ids).await?;
    let with_factor = two_factor::enabled_among(records, &ids).await?;
    let show = |user: User| {
        let has = balances.get(&user.id).copied().unwrap_or_default();
        let count = invited.get(&user.id).copied().unwrap_or(0);
        let has_factor = with_factor.contains(&user.id);
        view(user, has, count, has_factor)
    };
    Ok(users.into_iter().map(show).collect())
}

/// One user as the interface shows it.
pub async fn view_of(records: &impl ConnectionTrait, user: User) -> Result<UserView> {
    let balances = ledger::balances(records, &[user.id]).await?;
    let has = balances.get(&user.id).copied().unwrap_or_default();
    let count = referrals::count(records, user.id).await?;
    let factor = two_factor::get(records, user.id).await?;
    let has_factor = factor.is_some_and(|factor| factor.enabled_at.is_some());
    Ok(view(user, has, count, has_factor))
}

fn view(user: User, has: Balances, aff_count: i64, two_factor: bool) -> UserView {
    let balance = has.left_nanos().max(0);
    UserView {
        id: user.id.0,
        username: user.username,
        display_name: user.display_name,
        email: user.email,
        remark: user.remark,
        role: role_number(user.role),
        status: status_number(user.status),
        group: user.group_name,
        quota: quota_of_nanos(balance),
        quota_usd: format_dollars(balance),
        reserved_usd: format_dollars(has.held_nanos),
        owed_usd: format_dollars(has.owed_nanos),
        used_quota: quota_of_nanos(user.used_nanos),
        used_quota_usd: format_dollars(user.used_nanos),
        request_count: user.request_count,
        aff_code: user.aff_code,
        aff_count,
        aff_quota: quota_of_nanos(has.referral_nanos),
        aff_quota_usd: format_dollars(has.referral_nanos),
        inviter_id: user.inviter_id.map(|id| id.0),
        two_factor,
        rpm: user.rpm,
        tpm: user.tpm,
        concurrency: user.concurrency,
        budget_total: user.budget_total_nanos.map(quota_of_nanos),
        budget_total_usd: user.budget_total_nanos.map(format_dollars),
        budget_daily: user.budget_daily_nanos.map(quota_of_nanos),
        budget_daily_usd: user.budget_daily_nanos.map(format_dollars),
        budget_weekly: user.budget_weekly_nanos.map(quota_of_nanos),
        budget_weekly_usd: user.budget_weekly_nanos.map(format_dollars),
        budget_monthly: user.budget_monthly_nanos.map(quota_of_nanos),
        budget_monthly_usd: user.budget_monthly_nanos.map(format_dollars),
        low_balance_usd: user.low_balance_nanos.map(format_dollars),
        created_at: Moment(user.created_at),
        last_login_at: user.last_login_at.map(Moment),
    }
}

/// The number of a role on the interface.
pub(super) fn role_number(role: Role) -> i64 {
    match role {
        Role::User => 1,
        Role::Administrator => 10,
        Role::Root => 100,
    }
}

/// The number of a state on the interface, of users and of tokens.
pub fn status_number(status: Status) -> i64 {
    match status {
        Status::Enabled => 1,
        Status::Disabled => 2,
    }
}
