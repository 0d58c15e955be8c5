//! Which calls: the query of every list of calls.

use schemars::JsonSchema;
use serde::Deserialize;
use store::request_log::{LogFilter, StatusClass};
use store::{ChannelId, TokenId, UserId};

use crate::config::Dollars;
use crate::management::frame::{ApiError, Moment};

/// Which calls.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CallSearch {
    /// Not before this time.
    from: Option<Moment>,
    /// Before this time.
    to: Option<Moment>,
    /// Of this user.
    user_id: Option<i64>,
    /// With this token.
    token_id: Option<i64>,
    /// Served, or last tried, by this channel.
    channel_id: Option<i64>,
    /// Asking for exactly this model.
    model: Option<String>,
    /// Asking the upstream for exactly this model.
    upstream_model: Option<String>,
    /// At exactly this endpoint, for example `/v1/messages`.
    endpoint: Option<String>,
    /// Answered with exactly this status.
    status: Option<i64>,
    /// Answered with `success`, `failure`, `client_error` or `server_error`; the last two are failures.
    status_class: Option<String>,
    /// Failed for exactly this cause.
    error_cause: Option<String>,
    /// Streamed, or not.
    stream: Option<bool>,
    /// Costing at least so many dollars.
    min_charge_usd: Option<String>,
    /// Taking at least so long in all.
    min_total_ms: Option<i64>,
    /// From exactly this source, for example `api` or `playground`.
    source: Option<String>,
    /// From exactly this address.
    ip: Option<String>,
    /// With exactly this id.
    request_id: Option<String>,
}

impl CallSearch {
    /// The filter for the records. With `owner`, only that user's, whatever else is asked for.
    pub fn filter(self, owner: Option<UserId>) -> Result<LogFilter, ApiError> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let min_charge = given(self.min_charge_usd).map(|text| text.parse::<Dollars>());
        let min_charge = min_charge
            .transpose()
            .map_err(|error| ApiError::bad_field("min_charge_usd", &error.to_string()))?;
        let class = given(self.status_class).map(|name| match name.as_str() {
            "success" => Ok(StatusClass::Success),
            "failure" => Ok(StatusClass::Failure),
            "client_error" => Ok(StatusClass::ClientError),
            "server_error" => Ok(StatusClass::ServerError),
            _ => Err(ApiError::bad_field(
                "status_class",
                "must be success, failure, client_error or server_error",
            )),
        });
        Ok(LogFilter {
            from_ms: self.from.map(|time| time.0),
            until_ms: self.to.map(|time| time.0),
            user_id: owner.or(self.user_id.map(UserId)),
            token_id: self.token_id.map(TokenId),
            channel_id: self.channel_id.map(ChannelId),
            model: given(self.model),
            upstream_model: given(self.upstream_model),
            endpoint: given(self.endpoint),
            status: self.status,
            status_class: class.transpose()?,
            error_cause: given(self.error_cause),
            is_stream: self.stream,
            min_charge_nanos: min_charge.map(Dollars::nanos),
            min_total_ms: self.min_total_ms,
            source: given(self.source),
            ip: given(self.ip),
            request_id: given(self.request_id),
        })
    }
}
