//! Users: names, passwords as they are hashed, roles, groups, balances and invitations.

use store::users::{Role, Status};

use super::plan::Reading;
use crate::accounts::{DEFAULT_GROUP, is_foreign_hash};
use crate::imports::apply::MOST_NANOS;
use crate::imports::error::ImportError;
use crate::imports::plan::{WantedLimits, WantedUser};
use crate::imports::report::Effect;
use crate::imports::table::Row;

const USERS: &str = "users";
/// Columns that hold who somebody is elsewhere.
const IDENTITIES: [&str; 7] = [
    "github_id",
    "wechat_id",
    "lark_id",
    "oidc_id",
    "telegram_id",
    "linux_do_id",
    "discord_id",
];

/// Reads the users, by their number: whoever invited others came before them.
pub(super) fn read(reading: &mut Reading<'_>) -> Result<Vec<WantedUser>, ImportError> {
    let mut users = Vec::new();
    let mut total: i64 = 0;
    let mut rows: Vec<(i64, Row<'_>)> = Vec::new();
    for row in reading.tables.rows(USERS) {
        reading.findings.count(USERS).found += 1;
        let Some(id) = row.number("id") else {
            let name = row.text("username").unwrap_or("?");
            reading.findings.leave_out(USERS, name, "it has no number");
            continue;
        };
        rows.push((id, row));
    }
    rows.sort_by_key(|(id, _)| *id);
    for (id, row) in rows {
        let Some(user) = one(reading, id, &row) else {
            continue;
        };
        total = total
            .checked_add(user.wallet_nanos)
            .and_then(|sum| sum.checked_add(user.referral_nanos))
            .filter(|sum| *sum <= MOST_NANOS)
            .ok_or_else(|| ImportError::source("all balances together are beyond all bounds"))?;
        users.push(user);
    }
    Ok(users)
}

fn one(reading: &mut Reading<'_>, id: i64, row: &Row<'_>) -> Option<WantedUser> {
    let username = row.text("username").unwrap_or_default();
    let item = format!("{id} {username}");
    let status = row.number("status").unwrap_or(1);
    if row.text("deleted_at").is_some() || status == 3 {
        let reason = "it was deleted in the source";
        reading.findings.leave_out(USERS, item, reason);
        return None;
    }
    let group = row.text("group").unwrap_or(DEFAULT_GROUP);
    let group = reading.group(group);
    let wallet = balance(reading, row, "quota", &item);
    let referral = balance(reading, row, "aff_quota", &item);
    note_logins(reading, row, &item);
    let aff_code = row.text("aff_code").map(str::to_owned);
    Some(WantedUser {
        foreign_id: id.to_string(),
        mark: aff_code.clone().unwrap_or_default(),
        username: username.to_owned(),
        display_name: row.text("display_name").unwrap_or_default().to_owned(),
        email: row.text("email").map(str::to_owned),
        remark: row.text("remark").unwrap_or_default().to_owned(),
        password_hash: password(reading, row, &item),
        role: role(reading, row, &item),
        status: if status == 1 {
            Status::Enabled
        } else {
            Status::Disabled
        },
        group: group.unwrap_or_else(|| DEFAULT_GROUP.to_owned()),
        wallet_nanos: wallet,
        referral_nanos: referral,
        used_nanos: spent(reading, row),
        request_count: row.number("request_count").unwrap_or(0).max(0),
        aff_code,
        inviter: row
            .number("inviter_id")
            .filter(|id| *id > 0)
            .map(|id| id.to_string()),
        created_at: row.time("created_at").or_else(|| row.time("created_time")),
        last_login_at: row.time("last_login_at"),
        limits: WantedLimits::default(),
    })
}

/// What all calls cost so far; nonsense counts as nothing.
pub(super) fn spent(reading: &Reading<'_>, row: &Row<'_>) -> i64 {
    let quota = row.number("used_quota").unwrap_or(0).max(0);
    reading.unit.nanos(quota).unwrap_or(0)
}

fn balance(reading: &mut Reading<'_>, row: &Row<'_>, column: &str, item: &str) -> i64 {
    let quota = row.number(column).unwrap_or(0);
    let nanos = reading.unit.nanos(quota);
    let reason = match nanos {
        Some(nanos) if nanos >= 0 => return nanos,
        Some(_) => "a balance below zero begins at zero here",
        None => "a balance beyond all bounds begins at zero here",
    };
    let item = format!("{item}: {column} {quota}");
    reading
        .findings
        .notes
        .add(USERS, Effect::Attention, item, reason);
    0
}

fn password(reading: &mut Reading<'_>, row: &Row<'_>, item: &str) -> Option<String> {
    let hash = row.text("password");
    if let Some(hash) = hash.filter(|hash| is_foreign_hash(hash)) {
        return Some(hash.to_owned());
    }
    let reason = match hash {
        Some(_) => "the password is not hashed with bcrypt: somebody has to set a new one",
        None => "it has no password: somebody has to set one",
    };
    reading
        .findings
        .notes
        .add(USERS, Effect::Attention, item, reason);
    None
}

fn role(reading: &mut Reading<'_>, row: &Row<'_>, item: &str) -> Role {
    match row.number("role") {
        Some(1) => Role::User,
        Some(10) => Role::Administrator,
        Some(100) => {
            let reason = "another root user: it may do everything here too";
            let notes = &mut reading.findings.notes;
            notes.add(USERS, Effect::Attention, item, reason);
            Role::Root
        }
        _ => {
            let reason = "a role that is not known here becomes the one of users";
            reading.findings.changed(USERS, item, reason);
            Role::User
        }
    }
}

fn note_logins(reading: &mut Reading<'_>, row: &Row<'_>, item: &str) {
    let linked = IDENTITIES
        .iter()
        .filter(|column| row.text(column).is_some());
    for column in linked {
        let reason = format!(
            "who somebody is elsewhere (`{column}`) is not carried over; the password still works"
        );
        let notes = &mut reading.findings.notes;
        notes.add(USERS, Effect::LeftOut, item, &reason);
    }
    if row.text("access_token").is_some() {
        let reason = "access tokens of the management interface are not carried over";
        let notes = &mut reading.findings.notes;
        notes.add(USERS, Effect::LeftOut, item, reason);
    }
}
