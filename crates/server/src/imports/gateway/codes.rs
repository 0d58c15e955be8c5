//! Redemption codes that nobody redeemed yet; people go on typing what they were given.

use super::plan::Reading;
use crate::config::Secret;
use crate::imports::plan::WantedCode;
use crate::imports::table::Row;

const CODES: &str = "codes";
const LONGEST_NAME: usize = 64;

/// Reads the codes.
pub(super) fn read(reading: &mut Reading<'_>) -> Vec<WantedCode> {
    let tables = reading.tables;
    let rows = tables.rows("redemptions");
    rows.filter_map(|row| one(reading, &row)).collect()
}

fn one(reading: &mut Reading<'_>, row: &Row<'_>) -> Option<WantedCode> {
    reading.findings.count(CODES).found += 1;
    let name = row.text("name").unwrap_or("imported");
    let number = row.text("id").unwrap_or("?");
    let item = format!("{number} {name}");
    let status = row.number("status").unwrap_or(1);
    let nanos = row
        .number("quota")
        .and_then(|quota| reading.unit.nanos(quota));
    let code = row.text("key").filter(|code| {
        let letters = code.bytes().filter(u8::is_ascii_alphanumeric).count();
        (8..=256).contains(&letters)
    });
    let reason = match (code, nanos) {
        _ if row.text("deleted_at").is_some() => "it was deleted in the source",
        _ if status == 3 => "it was redeemed in the source",
        (None, _) => "its code is not 8 to 256 letters and digits",
        (_, None | Some(..=0)) => "it is worth nothing",
        (Some(code), Some(credit_nanos)) => {
            return Some(WantedCode {
                foreign_id: number.to_owned(),
                code: Secret::new(code),
                name: name.chars().take(LONGEST_NAME).collect(),
                credit_nanos,
                is_disabled: status != 1,
                created_at: row.time("created_time"),
                expires_at: row.time("expired_time"),
            });
        }
    };
    reading.findings.leave_out(CODES, item, reason);
    None
}
