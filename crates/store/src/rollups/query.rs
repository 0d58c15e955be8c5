//! Questions to the roll-ups: totals, series over time, breakdowns by a dimension. What does not
//! depend on who pays, or on anything but the time, is answered from sums with far fewer rows.

use sea_orm::ConnectionTrait;

use super::measures::{ChannelAttempts, Measures, SUMS, UsageRow, WithoutTimes, columns};
use super::payers::largest_payers;
use super::tables::{SERVICE, TOTALS, USAGE};
use crate::conditions::Conditions;
use crate::error::Result;
use crate::ids::{ChannelId, TokenId, UserId};
use crate::sql;

/// Most rows that one answer has.
const MAX_ROWS: u32 = 5_000;

/// How finely time is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grain {
    /// Buckets of a minute; kept for days.
    Minute,
    /// Buckets of a quarter of an hour; kept as long as minutes. Where it matters who pays there are
    /// none, and minutes are used.
    Quarter,
    /// Buckets of an hour; kept for months.
    Hour,
    /// Buckets of a UTC day; kept.
    Day,
}

impl Grain {
    /// Every grain there is.
    pub const ALL: [Self; 4] = [Self::Minute, Self::Quarter, Self::Hour, Self::Day];

    /// Length of a bucket.
    pub fn span_ms(self) -> i64 {
        match self {
            Self::Minute => 60_000,
            Self::Quarter => 900_000,
            Self::Hour => 3_600_000,
            Self::Day => 86_400_000,
        }
    }

    /// Where the bucket of a time begins.
    pub(super) fn start_of(self, time_ms: i64) -> i64 {
        time_ms - time_ms % self.span_ms()
    }

    /// The grain of sums that depend on who pays.
    pub(super) fn of_payers(self) -> Self {
        match self {
            Self::Quarter => Self::Minute,
            other => other,
        }
    }

    /// The finest grain that cuts the range into at most `points` buckets, else days.
    pub fn for_range(from_ms: i64, until_ms: i64, points: i64) -> Self {
        let length_ms = until_ms.saturating_sub(from_ms);
        Self::ALL
            .into_iter()
            .find(|grain| length_ms / grain.span_ms() <= points)
            .unwrap_or(Self::Day)
    }
}

/// What sums can be grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The user's id.
    User,
    /// The token's id; 0 where there was none.
    Token,
    /// The channel's id; 0 where there was none.
    Channel,
    /// The model asked for.
    Model,
    /// The endpoint.
    Endpoint,
}

impl Dimension {
    pub(super) fn column(self) -> &'static str {
        match self {
            Self::User => "user_id",
            Self::Token => "token_id",
            Self::Channel => "channel_id",
            Self::Model => "model",
            Self::Endpoint => "endpoint",
        }
    }

    pub(super) fn is_of_payers(self) -> bool {
        matches!(self, Self::User | Self::Token)
    }
}

/// What a breakdown is ordered by, largest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RankBy {
    /// What was charged.
    Charge,
    /// Number of calls.
    Requests,
    /// Number of failed calls.
    Errors,
}

impl RankBy {
    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Charge => "charge_nanos",
            Self::Requests => "requests",
            Self::Errors => "errors",
        }
    }
}

/// Which sums. The range is taken in whole buckets: every bucket that begins inside it.
#[derive(Clone, Debug)]
pub struct RollupFilter {
    /// How finely time is cut.
    pub grain: Grain,
    /// First bucket.
    pub from_ms: i64,
    /// Before this bucket.
    pub until_ms: i64,
    /// Of this user.
    pub user_id: Option<UserId>,
    /// With this token.
    pub token_id: Option<TokenId>,
    /// Through this channel.
    pub channel_id: Option<ChannelId>,
    /// For this model.
    pub model: Option<String>,
    /// At this endpoint.
    pub endpoint: Option<String>,
}

impl RollupFilter {
    /// Everything from `from_ms` to before `until_ms`.
    pub fn range(grain: Grain, from_ms: i64, until_ms: i64) -> Self {
        Self {
            grain,
            from_ms,
            until_ms,
            user_id: None,
            token_id: None,
            channel_id: None,
            model: None,
            endpoint: None,
        }
    }

    /// The table that answers, and the grain that it is asked in.
    fn source(&self, group_by: Option<Dimension>) -> (&'static str, Grain) {
        let is_of_payers = self.user_id.is_some()
            || self.token_id.is_some()
            || group_by.is_some_and(Dimension::is_of_payers);
        let is_of_parts = self.channel_id.is_some()
            || self.model.is_some()
            || self.endpoint.is_some()
            || group_by.is_some();
        if is_of_payers {
            (USAGE.name, self.grain.of_payers())
        } else if is_of_parts {
            (SERVICE.name, self.grain)
        } else {
            (TOTALS.name, self.grain)
        }
    }

    /// Conditions for sums that are cut by time.
    fn in_buckets(&self, grain: Grain) -> Conditions {
        self.conditions(&[(grain, self.from_ms, self.until_ms)])
    }

    /// Conditions for sums over the whole range: whole days and hours in it are taken as such, since
    /// they have far fewer rows than their minutes.
    pub(super) fn as_a_whole(&self, grain: Grain) -> Conditions {
        self.conditions(&pieces(grain, self.from_ms, self.until_ms))
    }

    fn conditions(&self, pieces: &[(Grain, i64, i64)]) -> Conditions {
        let times: Vec<String> = pieces
            .iter()
            .map(|(grain, from_ms, until_ms)| {
                let span_ms = grain.span_ms();
                format!(
                    "(span_ms = {span_ms} AND bucket_start >= {from_ms} \
                     AND bucket_start < {until_ms})"
                )
            })
            .collect();
        let mut conditions = Conditions::default();
        conditions.add_plain(format!("({})", times.join(" OR ")));
        conditions.add_some("user_id = {}", self.user_id);
        conditions.add_some("token_id = {}", self.token_id);
        conditions.add_some("channel_id = {}", self.channel_id);
        conditions.add_some("model = {}", self.model.clone());
        conditions.add_some("endpoint = {}", self.endpoint.clone());
        conditions
    }
}

/// A range cut into whole days, whole hours, and the rest in its own grain.
fn pieces(grain: Grain, from_ms: i64, until_ms: i64) -> Vec<(Grain, i64, i64)> {
    let coarser = match grain {
        Grain::Minute | Grain::Quarter => Grain::Hour,
        Grain::Hour => Grain::Day,
        Grain::Day => return vec![(grain, from_ms, until_ms)],
    };
    let span_ms = coarser.span_ms();
    let first_ms = from_ms.saturating_add((span_ms - from_ms.rem_euclid(span_ms)) % span_ms);
    let last_ms = until_ms.saturating_sub(until_ms.rem_euclid(span_ms));
    if first_ms >= last_ms {
        return vec![(grain, from_ms, until_ms)];
    }
    let mut found = pieces(coarser, first_ms, last_ms);
    let edges = [(grain, from_ms, first_ms), (grain, last_ms, until_ms)];
    found.extend(edges.into_iter().filter(|(_, from, until)| from < until));
    found
}

/// The sums of the whole range.
pub async fn totals(connection: &impl ConnectionTrait, filter: &RollupFilter) -> Result<Measures> {
    let (table, grain) = filter.source(None);
    let conditions = filter.as_a_whole(grain);
    let rows = select(connection, table, &conditions, "0", None, "").await?;
    Ok(rows
        .into_iter()
        .next()
        .map(|row| row.measures)
        .unwrap_or_default())
}

/// The sums over time in steps of `step_ms`, optionally per key of a dimension, by time and key.
/// Steps begin at multiples of `step_ms`, which is at least a bucket; steps without calls are
/// absent. Per key the histograms are left out: they are most of what a row has, and there are many rows.
pub async fn series(
    connection: &impl ConnectionTrait,
    filter: &RollupFilter,
    step_ms: i64,
    group_by: Option<Dimension>,
) -> Result<Vec<UsageRow>> {
    let step_ms = step_ms.max(filter.grain.span_ms());
    let (table, grain) = filter.source(group_by);
    let conditions = filter.in_buckets(grain);
    if group_by.is_none() {
        // By bucket, which is the order of the index: nothing has to be sorted, wide as these rows are.
        let tail = "GROUP BY 1 ORDER BY 1";
        let rows = select(connection, table, &conditions, "bucket_start", None, tail).await?;
        return Ok(in_steps(rows, step_ms));
    }
    let bucket = format!("bucket_start - bucket_start % {step_ms}");
    let tail = "GROUP BY 1, 2 ORDER BY 1, 2";
    let question = question(&SUMS, table, &conditions, &bucket, group_by, tail);
    let rows = sql::all::<WithoutTimes>(connection, &question, conditions.values()).await?;
    Ok(rows.into_iter().map(|WithoutTimes(row)| row).collect())
}

/// Buckets in the order of time, put together into steps.
fn in_steps(buckets: Vec<UsageRow>, step_ms: i64) -> Vec<UsageRow> {
    let mut steps: Vec<UsageRow> = Vec::new();
    for mut row in buckets {
        row.bucket_start -= row.bucket_start % step_ms;
        match steps.last_mut() {
            Some(step) if step.bucket_start == row.bucket_start => step.measures += row.measures,
            _ => steps.push(row),
        }
    }
    steps
}

/// The `limit` keys of a dimension with the largest sums.
pub async fn breakdown(
    connection: &impl ConnectionTrait,
    filter: &RollupFilter,
    dimension: Dimension,
    rank_by: RankBy,
    limit: u32,
) -> Result<Vec<UsageRow>> {
    if filter.ranks_payers(dimension) {
        let keys = largest_payers(connection, filter, dimension, rank_by, limit).await?;
        return breakdown_of(connection, filter, dimension, rank_by, &keys).await;
    }
    let (table, grain) = filter.source(Some(dimension));
    let conditions = filter.as_a_whole(grain);
    let tail = largest_first(rank_by, limit);
    select(connection, table, &conditions, "0", Some(dimension), &tail).await
}

/// The sums of these users or tokens, largest first.
pub async fn breakdown_of(
    connection: &impl ConnectionTrait,
    filter: &RollupFilter,
    dimension: Dimension,
    rank_by: RankBy,
    keys: &[i64],
) -> Result<Vec<UsageRow>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let (table, grain) = filter.source(Some(dimension));
    let mut conditions = filter.as_a_whole(grain);
    let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
    conditions.add_plain(format!("{} IN ({})", dimension.column(), keys.join(", ")));
    let tail = largest_first(rank_by, MAX_ROWS);
    select(connection, table, &conditions, "0", Some(dimension), &tail).await
}

fn largest_first(rank_by: RankBy, limit: u32) -> String {
    format!(
        "GROUP BY 2 ORDER BY SUM({}) DESC, 2 LIMIT {}",
        rank_by.column(),
        limit.min(MAX_ROWS)
    )
}

/// Tries and failures per channel and bucket, by time and channel.
pub async fn channel_attempts(
    connection: &impl ConnectionTrait,
    grain: Grain,
    from_ms: i64,
    until_ms: i64,
    channel_id: Option<ChannelId>,
) -> Result<Vec<ChannelAttempts>> {
    let mut conditions = Conditions::default();
    conditions.add("span_ms = {}", grain.span_ms());
    conditions.add("bucket_start >= {}", from_ms);
    conditions.add("bucket_start < {}", until_ms);
    conditions.add_some("channel_id = {}", channel_id);
    let text = format!(
        "SELECT bucket_start, channel_id, attempts, failures FROM attempt_rollups
        WHERE {} ORDER BY bucket_start, channel_id",
        conditions.sql()
    );
    sql::all(connection, &text, conditions.values()).await
}

/// Every sum, by the given expression of time and by a dimension.
async fn select(
    connection: &impl ConnectionTrait,
    table: &str,
    conditions: &Conditions,
    bucket: &str,
    group_by: Option<Dimension>,
    tail: &str,
) -> Result<Vec<UsageRow>> {
    let text = question(&columns(), table, conditions, bucket, group_by, tail);
    sql::all(connection, &text, conditions.values()).await
}

/// The question for some of the sums. PostgreSQL sums BIGINT to NUMERIC, hence the casts.
fn question(
    sums: &[impl AsRef<str>],
    table: &str,
    conditions: &Conditions,
    bucket: &str,
    group_by: Option<Dimension>,
    tail: &str,
) -> String {
    let sums = sums.iter().map(AsRef::as_ref);
    let sums: Vec<String> = sums
        .map(|name| format!("CAST(COALESCE(SUM({name}), 0) AS BIGINT) AS {name}"))
        .collect();
    let key = group_by.map_or_else(
        || "''".to_owned(),
        |dimension| format!("CAST({} AS TEXT)", dimension.column()),
    );
    format!(
        "SELECT CAST({bucket} AS BIGINT) AS bucket, {key} AS key, {} FROM {table}
        WHERE {} {tail}",
        sums.join(", "),
        conditions.sql()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_into_whole_days_and_hours_and_the_rest() {
        let (minute, hour, day) = (60_000, 3_600_000, 86_400_000);
        let from = day - hour - minute;
        let until = 3 * day + 2 * hour + minute;
        let expected = [
            (Grain::Day, day, 3 * day),
            (Grain::Hour, day - hour, day),
            (Grain::Hour, 3 * day, 3 * day + 2 * hour),
            (Grain::Minute, from, day - hour),
            (Grain::Minute, 3 * day + 2 * hour, until),
        ];
        assert_eq!(pieces(Grain::Minute, from, until), expected);
        let short = (Grain::Quarter, minute, hour);
        assert_eq!(pieces(Grain::Quarter, minute, hour), [short]);
    }
}
