//! Who pays for keys: users, and teams as accounts of their own, since a key of a team counts for the team
//! and not for whoever made it. LiteLLM knows no balances.

use store::users::{Role, Status};

use super::bounds::{Budgets, limits};
use super::cells::{nanos, time};
use crate::accounts::DEFAULT_GROUP;
use crate::imports::plan::{WantedLimits, WantedUser};
use crate::imports::report::{Effect, Findings};
use crate::imports::table::{Row, Tables};

pub(super) const USERS: &str = "users";
pub(super) const USER_TABLE: &str = "LiteLLM_UserTable";
pub(super) const TEAM_TABLE: &str = "LiteLLM_TeamTable";
/// Whose the keys of nobody are.
pub(super) const NOBODY: &str = "keys";

/// What an account is called in the source's records.
pub(super) fn of_user(id: &str) -> String {
    format!("user:{id}")
}

/// The same for a team.
pub(super) fn of_team(id: &str) -> String {
    format!("team:{id}")
}

/// Reads users and teams.
pub(super) fn read(
    tables: &Tables,
    budgets: &Budgets<'_>,
    findings: &mut Findings,
) -> Vec<WantedUser> {
    let users = tables.rows(USER_TABLE).filter_map(|row| {
        let id = row.text("user_id")?;
        Some(user(id, &row, budgets, findings))
    });
    let mut accounts: Vec<WantedUser> = users.collect();
    let teams = tables.rows(TEAM_TABLE).filter_map(|row| {
        let id = row.text("team_id")?;
        Some(team(id, &row, budgets, findings))
    });
    accounts.extend(teams);
    findings.count(USERS).found += i64::try_from(accounts.len()).unwrap_or(i64::MAX);
    accounts
}

/// The account of keys that belong to neither a user nor a team.
pub(super) fn nobody(findings: &mut Findings) -> WantedUser {
    findings.count(USERS).found += 1;
    let reason = "keys of nobody belong to an account of their own";
    findings
        .notes
        .add(USERS, Effect::Changed, "litellm-keys", reason);
    account(NOBODY.to_owned(), "litellm-keys")
}

fn user(id: &str, row: &Row<'_>, budgets: &Budgets<'_>, findings: &mut Findings) -> WantedUser {
    let email = row.text("user_email");
    let alias = row.text("user_alias");
    let name = alias.or(email).unwrap_or(id);
    let item = format!("{id} {name}");
    let is_administrator = row.text("user_role") == Some("proxy_admin");
    let reason = "passwords and logins through other services are not carried over: set one, or let \
                  them reset it by mail";
    findings
        .notes
        .add(USERS, Effect::Attention, item.as_str(), reason);
    WantedUser {
        display_name: alias.unwrap_or_default().to_owned(),
        email: email.map(str::to_owned),
        role: if is_administrator {
            Role::Administrator
        } else {
            Role::User
        },
        ..common(of_user(id), name, row, (budgets, &item), findings)
    }
}

fn team(id: &str, row: &Row<'_>, budgets: &Budgets<'_>, findings: &mut Findings) -> WantedUser {
    let name = row.text("team_alias").unwrap_or(id);
    let item = format!("team {name}");
    let reason = "a team becomes an account that nobody logs in to; its members call with its keys, \
                  which administrators manage";
    findings.changed(USERS, item.as_str(), reason);
    common(of_team(id), name, row, (budgets, &item), findings)
}

fn common(
    foreign_id: String,
    name: &str,
    row: &Row<'_>,
    (budgets, item): (&Budgets<'_>, &str),
    findings: &mut Findings,
) -> WantedUser {
    let is_blocked = row.flag("blocked");
    WantedUser {
        status: if is_blocked {
            Status::Disabled
        } else {
            Status::Enabled
        },
        used_nanos: row.text("spend").and_then(nanos).unwrap_or(0),
        created_at: row.text("created_at").and_then(time),
        limits: limits(row, budgets, (USERS, item), findings),
        ..account(foreign_id, name)
    }
}

fn account(foreign_id: String, name: &str) -> WantedUser {
    WantedUser {
        foreign_id,
        mark: String::new(),
        username: name.to_owned(),
        display_name: String::new(),
        email: None,
        remark: "imported from LiteLLM".to_owned(),
        password_hash: None,
        role: Role::User,
        status: Status::Enabled,
        group: DEFAULT_GROUP.to_owned(),
        wallet_nanos: 0,
        referral_nanos: 0,
        used_nanos: 0,
        request_count: 0,
        aff_code: None,
        inviter: None,
        created_at: None,
        last_login_at: None,
        limits: WantedLimits::default(),
    }
}
