//! Which sums: a range of time, and what calls must have in common.

use schemars::JsonSchema;
use serde::Deserialize;
use store::rollups::{Grain, RollupFilter};
use store::{ChannelId, TokenId, UserId};

use crate::app::App;
use crate::management::frame::{ApiError, Identity, Moment};
use crate::management::scope::{Scope, ScopeQuery};

const DAY_MS: i64 = 86_400_000;
/// The longest range.
const LONGEST_MS: i64 = 1_100 * DAY_MS;
/// Buckets that an answer is summed from, at most, unless finer steps are asked for: finer than a
/// day only where that suffices.
const MOST_BUCKETS: i64 = 400;
/// The same where they are.
const MOST_STEPS: i64 = 1_500;
/// Sums finer than an hour are kept for this long, with a margin.
const FINE_KEPT_MS: i64 = 6 * DAY_MS;

/// A range of time.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RangeQuery {
    /// From when; a day before `to` where it is not given.
    from: Option<Moment>,
    /// Until when; now where it is not given.
    to: Option<Moment>,
}

/// What calls must have in common.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SumSearch {
    /// Of this user.
    user_id: Option<i64>,
    /// With this token.
    token_id: Option<i64>,
    /// Through this channel.
    channel_id: Option<i64>,
    /// For this model.
    model: Option<String>,
    /// At this endpoint.
    endpoint: Option<String>,
}

/// A range in whole buckets.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// How finely time is cut.
    pub grain: Grain,
    /// The first bucket.
    pub from_ms: i64,
    /// Before this bucket.
    pub until_ms: i64,
}

impl RangeQuery {
    /// The range; a bucket that lies only partly in it counts.
    pub fn range(&self, app: &App) -> Result<Range, ApiError> {
        self.range_in_steps(app, None)
    }

    /// The same in buckets that are no longer than a step.
    pub fn range_in_steps(&self, app: &App, step_ms: Option<i64>) -> Result<Range, ApiError> {
        let now = app.clock().now_ms();
        let until_ms = self.to.map_or(now, |to| to.0);
        let from_ms = self.from.map_or(until_ms - DAY_MS, |from| from.0);
        let length = until_ms.checked_sub(from_ms);
        if length.is_none_or(|length| length <= 0) {
            return Err(ApiError::bad_field("to", "must be after from"));
        }
        if length.is_none_or(|length| length > LONGEST_MS) {
            return Err(ApiError::bad_field("from", "the range is too long"));
        }
        let mut grain = Grain::for_range(from_ms, until_ms, MOST_BUCKETS);
        if step_ms.is_some_and(|step| step < grain.span_ms()) {
            grain = Grain::for_range(from_ms, until_ms, MOST_STEPS);
        }
        if grain.span_ms() < Grain::Hour.span_ms() && now - from_ms > FINE_KEPT_MS {
            grain = Grain::Hour;
        }
        Ok(Range {
            grain,
            from_ms: from_ms - from_ms.rem_euclid(grain.span_ms()),
            until_ms,
        })
    }
}

impl Range {
    /// The range of the same length before it.
    pub fn before(self) -> Self {
        let length = self.until_ms - self.from_ms;
        Self {
            from_ms: self.from_ms - length,
            until_ms: self.from_ms,
            ..self
        }
    }
}

impl SumSearch {
    /// The filter for the roll-ups, of what the caller may see.
    pub fn filter(
        self,
        range: Range,
        scope: &ScopeQuery,
        identity: &Identity,
    ) -> Result<RollupFilter, ApiError> {
        let user_id = match scope.scope(identity)? {
            Scope::Own => Some(identity.id()),
            Scope::All => self.user_id.map(UserId),
        };
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Ok(RollupFilter {
            user_id,
            token_id: self.token_id.map(TokenId),
            channel_id: self.channel_id.map(ChannelId),
            model: given(self.model),
            endpoint: given(self.endpoint),
            ..RollupFilter::range(range.grain, range.from_ms, range.until_ms)
        })
    }
}
