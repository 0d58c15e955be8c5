//! Which calls a list shows. Conditions that an index answers are kept apart from those that
//! have to be checked row by row, so that a page can bound how many rows it looks at.

use crate::conditions::Conditions;
use crate::ids::{ChannelId, TokenId, UserId};

/// What kind of answer the client got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusClass {
    /// Below 400.
    Success,
    /// 400 and above.
    Failure,
    /// 400 to 499.
    ClientError,
    /// 500 and above.
    ServerError,
}

/// Which calls; what is `None` does not matter.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    /// Not before this time.
    pub from_ms: Option<i64>,
    /// Before this time.
    pub until_ms: Option<i64>,
    /// Of this user.
    pub user_id: Option<UserId>,
    /// With this token.
    pub token_id: Option<TokenId>,
    /// Served, or last tried, by this channel.
    pub channel_id: Option<ChannelId>,
    /// Asking for exactly this model.
    pub model: Option<String>,
    /// At exactly this endpoint.
    pub endpoint: Option<String>,
    /// Asking the upstream for exactly this model.
    pub upstream_model: Option<String>,
    /// Answered with exactly this status.
    pub status: Option<i64>,
    /// Streamed, or not.
    pub is_stream: Option<bool>,
    /// Answered like this.
    pub status_class: Option<StatusClass>,
    /// Failed for exactly this cause.
    pub error_cause: Option<String>,
    /// Costing at least this.
    pub min_charge_nanos: Option<i64>,
    /// Taking at least this long in all.
    pub min_total_ms: Option<i64>,
    /// From exactly this source.
    pub source: Option<String>,
    /// From exactly this address.
    pub ip: Option<String>,
    /// With exactly this id.
    pub request_id: Option<String>,
}

impl LogFilter {
    /// Conditions that some index leads to.
    pub(super) fn indexed(&self) -> Conditions {
        let mut conditions = Conditions::default();
        conditions.add_some("created_at >= {}", self.from_ms);
        conditions.add_some("created_at < {}", self.until_ms);
        conditions.add_some("user_id = {}", self.user_id);
        conditions.add_some("token_id = {}", self.token_id);
        conditions.add_some("channel_id = {}", self.channel_id);
        conditions.add_some("model = {}", self.model.clone());
        conditions.add_some("error_cause = {}", self.error_cause.clone());
        conditions.add_some("request_id = {}", self.request_id.clone());
        conditions
    }

    /// Whether there are conditions that no index leads to.
    pub(super) fn has_unindexed(&self) -> bool {
        let mut conditions = Conditions::default();
        self.add_unindexed(&mut conditions);
        !conditions.is_empty()
    }

    /// Adds the conditions that no index leads to.
    pub(super) fn add_unindexed(&self, conditions: &mut Conditions) {
        conditions.add_some("endpoint = {}", self.endpoint.clone());
        conditions.add_some("charge_nanos >= {}", self.min_charge_nanos);
        conditions.add_some("total_ms >= {}", self.min_total_ms);
        conditions.add_some("source = {}", self.source.clone());
        conditions.add_some("ip = {}", self.ip.clone());
        conditions.add_some("upstream_model = {}", self.upstream_model.clone());
        conditions.add_some("status = {}", self.status);
        conditions.add_some("is_stream = {}", self.is_stream);
        match self.status_class {
            Some(StatusClass::Success) => conditions.add_plain("status < 400"),
            Some(StatusClass::Failure) => conditions.add_plain("status >= 400"),
            Some(StatusClass::ClientError) => conditions.add_plain("status BETWEEN 400 AND 499"),
            Some(StatusClass::ServerError) => conditions.add_plain("status >= 500"),
            None => {}
        }
    }
}
