//! Tokens: clients go on sending what they send, `sk-` and the stored key.

use ipnet::IpNet;
use store::users::Status;

use super::plan::Reading;
use super::users::spent;
use crate::config::Secret;
use crate::imports::plan::{TokenSecret, WantedLimits, WantedToken};
use crate::imports::report::Effect;
use crate::imports::table::Row;

const TOKENS: &str = "tokens";
const PREFIX: &str = "sk-";
/// A group of new-api that means whichever group works.
pub(super) const ANY_GROUP: &str = "auto";
const LONGEST_NAME: usize = 64;

/// Reads the tokens.
pub(super) fn read(reading: &mut Reading<'_>) -> Vec<WantedToken> {
    let tables = reading.tables;
    let rows = tables.rows(TOKENS);
    rows.filter_map(|row| one(reading, &row)).collect()
}

fn one(reading: &mut Reading<'_>, row: &Row<'_>) -> Option<WantedToken> {
    reading.findings.count(TOKENS).found += 1;
    let name: String = row
        .text("name")
        .unwrap_or("imported")
        .chars()
        .take(LONGEST_NAME)
        .collect();
    let number = row.text("id").unwrap_or("?").to_owned();
    let item = format!("{number} {name}");
    if row.text("deleted_at").is_some() {
        let reason = "it was deleted in the source";
        reading.findings.leave_out(TOKENS, item, reason);
        return None;
    }
    let secret = secret(row.text("key").unwrap_or_default());
    let Some((secret, owner)) = secret.zip(row.text("user_id")) else {
        let reason = "its key is not 16 to 256 visible characters, or it has no user";
        reading.findings.leave_out(TOKENS, item, reason);
        return None;
    };
    let remaining = row.number("remain_quota").unwrap_or(0).max(0);
    let used_nanos = spent(reading, row);
    let is_unlimited = row.flag("unlimited_quota");
    let budget = reading.unit.nanos(remaining);
    let budget = budget.and_then(|nanos| nanos.checked_add(used_nanos));
    let expires_at = row.time("expired_time");
    // Tokens that are over or spent are marked so in the source; here they say it themselves.
    let is_enabled = match row.number("status") {
        Some(1) => true,
        Some(3) => expires_at.is_some(),
        Some(4) => !is_unlimited,
        _ => false,
    };
    Some(WantedToken {
        cidrs: networks(reading, row, &item)?,
        group: group(reading, row, &item),
        models: models(row),
        foreign_id: number,
        owner: owner.to_owned(),
        name,
        secret: TokenSecret::Known(secret),
        endpoints: Vec::new(),
        status: if is_enabled {
            Status::Enabled
        } else {
            Status::Disabled
        },
        limits: WantedLimits {
            total_nanos: if is_unlimited {
                None
            } else {
                budget.or(Some(0))
            },
            ..WantedLimits::default()
        },
        used_nanos,
        expires_at,
        created_at: row.time("created_time"),
        last_used_at: row.time("accessed_time"),
    })
}

/// What clients send.
fn secret(key: &str) -> Option<Secret> {
    let text = if key.starts_with(PREFIX) {
        key.to_owned()
    } else {
        format!("{PREFIX}{key}")
    };
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    (is_visible && (16..=256).contains(&text.len())).then(|| Secret::new(text))
}

fn models(row: &Row<'_>) -> Vec<String> {
    let list = match row.text("model_limits") {
        Some(list) if row.flag("model_limits_enabled") => Some(list),
        Some(_) => None,
        None => row.text("models"),
    };
    let names = list.into_iter().flat_map(|list| list.split(','));
    let names = names.map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Networks it may be used from. A token whose networks cannot be read is not carried over: it would
/// be usable from everywhere.
fn networks(reading: &mut Reading<'_>, row: &Row<'_>, item: &str) -> Option<Vec<String>> {
    let list = row.text("subnet").or_else(|| row.text("allow_ips"));
    let words = list
        .into_iter()
        .flat_map(|list| list.split([',', '\n', ' ']));
    let words = words.map(str::trim).filter(|word| !word.is_empty());
    let mut networks = Vec::new();
    for word in words {
        let network: Option<IpNet> = word.parse().ok().or_else(|| {
            word.parse()
                .ok()
                .map(|address: std::net::IpAddr| address.into())
        });
        let Some(network) = network else {
            let reason = "one of the networks that it may be used from cannot be read";
            reading.findings.leave_out(TOKENS, item, reason);
            return None;
        };
        networks.push(network.to_string());
    }
    Some(networks)
}

fn group(reading: &mut Reading<'_>, row: &Row<'_>, item: &str) -> Option<String> {
    let text = row.text("group")?;
    if text == ANY_GROUP {
        let reason = "the group `auto` is not known here: it calls as its user's group";
        reading.findings.changed(TOKENS, item, reason);
        return None;
    }
    if row.flag("cross_group_retry") {
        let reason = "trying again in other groups is not known here";
        let notes = &mut reading.findings.notes;
        notes.add(TOKENS, Effect::LeftOut, item, reason);
    }
    reading.group(text)
}
