//! Budgets: which windows of time a call counts in. A call counts where it was reserved, also
//! when it ends after midnight.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use store::budgets::{Budget, Period, Scope, Window};
use store::tokens::Token;
use store::users::User;

/// The budgets that a token has.
pub fn token_budgets(token: &Token, now: i64) -> Vec<Budget> {
    let limits = [
        (Period::Total, token.budget_total_nanos),
        (Period::Daily, token.budget_daily_nanos),
        (Period::Weekly, token.budget_weekly_nanos),
        (Period::Monthly, token.budget_monthly_nanos),
    ];
    budgets(Scope::Token(token.id), limits, now)
}

/// The budgets that a user has over all tokens; they go with the token's.
pub fn user_budgets(user: &User, now: i64) -> Vec<Budget> {
    let limits = [
        (Period::Total, user.budget_total_nanos),
        (Period::Daily, user.budget_daily_nanos),
        (Period::Weekly, user.budget_weekly_nanos),
        (Period::Monthly, user.budget_monthly_nanos),
    ];
    budgets(Scope::User(user.id), limits, now)
}

fn budgets(scope: Scope, limits: [(Period, Option<i64>); 4], now: i64) -> Vec<Budget> {
    let set = limits.into_iter().filter_map(|(period, limit)| {
        let limit_nanos = limit?;
        let window = Window {
            scope,
            period,
            starts_at: start_of(period, now),
        };
        Some(Budget {
            window,
            limit_nanos,
        })
    });
    set.collect()
}

/// When the window that holds `now` began: days begin at midnight UTC, weeks on Monday.
pub(crate) fn start_of(period: Period, now: i64) -> i64 {
    let Ok(moment) = Timestamp::from_millisecond(now) else {
        return 0;
    };
    let date = moment.to_zoned(TimeZone::UTC).date();
    let first = match period {
        Period::Total => return 0,
        Period::Daily => date,
        Period::Weekly => {
            let since_monday = date.weekday().to_monday_zero_offset();
            date.saturating_sub(i64::from(since_monday).days())
        }
        Period::Monthly => date.first_of_month(),
    };
    let midnight = first.to_zoned(TimeZone::UTC);
    midnight.map_or(0, |start| start.timestamp().as_millisecond())
}

/// When a window ends and the next begins; none for a total.
pub fn window_end(window: Window) -> Option<i64> {
    const DAY_MS: i64 = 86_400_000;
    // The longest such window reaches into the next one and never beyond it.
    let longest_days = match window.period {
        Period::Total => return None,
        Period::Daily => 1,
        Period::Weekly => 7,
        Period::Monthly => 31,
    };
    Some(start_of(
        window.period,
        window.starts_at + longest_days * DAY_MS,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        let moment: Timestamp = text.parse().unwrap();
        moment.as_millisecond()
    }

    #[test]
    fn a_window_ends_where_the_next_begins() {
        let end = |period, starts_at: &str| {
            let window = Window {
                scope: Scope::Token(store::TokenId(1)),
                period,
                starts_at: at(starts_at),
            };
            window_end(window)
        };
        let (day, month) = ("2026-11-15T00:00:00Z", "2026-11-01T00:00:00Z");
        assert_eq!(end(Period::Total, day), None);
        assert_eq!(end(Period::Daily, day), Some(at("2026-11-16T00:00:00Z")));
        assert_eq!(
            end(Period::Weekly, "2026-11-09T00:00:00Z"),
            Some(at("2026-11-16T00:00:00Z"))
        );
        assert_eq!(
            end(Period::Monthly, month),
            Some(at("2026-12-01T00:00:00Z"))
        );
        assert_eq!(
            end(Period::Monthly, "2027-02-01T00:00:00Z"),
            Some(at("2027-03-01T00:00:00Z"))
        );
    }

    #[test]
    fn windows_begin_at_midnight_on_monday_and_on_the_first() {
        let now = at("2026-11-15T13:14:15Z");
        assert_eq!(start_of(Period::Total, now), 0);
        assert_eq!(start_of(Period::Daily, now), at("2026-11-15T00:00:00Z"));
        assert_eq!(start_of(Period::Weekly, now), at("2026-11-09T00:00:00Z"));
        assert_eq!(start_of(Period::Monthly, now), at("2026-11-01T00:00:00Z"));
        let monday = at("2026-11-16T00:00:00Z");
        assert_eq!(start_of(Period::Weekly, monday), monday);
        assert_eq!(
            start_of(Period::Weekly, monday - 1),
            at("2026-11-09T00:00:00Z")
        );
    }
}
