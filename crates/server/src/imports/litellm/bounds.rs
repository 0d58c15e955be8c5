//! How much a key, a user or a team may use. A budget for a span that is not known here becomes one for the
//! next longer span, or for ever, so that nobody may spend more than before.

use std::collections::HashMap;

use super::cells::{DAY, nanos, seconds};
use crate::imports::plan::WantedLimits;
use crate::imports::report::Findings;
use crate::imports::table::Row;

const WEEK: i64 = 7 * DAY;
const MONTH: i64 = 31 * DAY;
const SHORTEST_MONTH: i64 = 28 * DAY;

/// Budgets that many share, by their id.
pub(super) type Budgets<'a> = HashMap<&'a str, Row<'a>>;

/// Reads the limits of a row: its own, else those of the budget that it names.
pub(super) fn limits(
    row: &Row<'_>,
    budgets: &Budgets<'_>,
    (entity, item): (&str, &str),
    findings: &mut Findings,
) -> WantedLimits {
    let shared = row.text("budget_id").and_then(|id| budgets.get(id));
    let text = |column: &str| {
        let shared = || shared.and_then(|budget| budget.text(column));
        row.text(column).or_else(shared)
    };
    // Nothing at all cannot be said of a rate here: the least is.
    let rate = |column: &str| {
        let number: Option<i64> = text(column)?.parse().ok();
        number.map(|number| number.max(1))
    };
    let mut limits = WantedLimits {
        rpm: rate("rpm_limit"),
        tpm: rate("tpm_limit"),
        concurrency: rate("max_parallel_requests"),
        ..WantedLimits::default()
    };
    let Some(amount) = text("max_budget") else {
        return limits;
    };
    let amount = Some(nanos(amount).unwrap_or(0));
    let span = text("budget_duration");
    let length = span.and_then(seconds).unwrap_or(i64::MAX);
    let (place, is_exact) = if length <= DAY {
        (&mut limits.daily_nanos, length == DAY)
    } else if length <= WEEK {
        (&mut limits.weekly_nanos, length == WEEK)
    } else if length <= MONTH {
        (&mut limits.monthly_nanos, length >= SHORTEST_MONTH)
    } else {
        (&mut limits.total_nanos, span.is_none())
    };
    *place = amount;
    if !is_exact {
        let reason = "its budget lasts for a span that is not known here: it counts for the next \
                      longer one, or for ever";
        let item = format!("{item}: {}", span.unwrap_or_default());
        findings.changed(entity, item, reason);
    }
    limits
}
