//! Where a login comes from, read from the request.

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, header};
use store::UserId;

use crate::accounts::{Client, DEVICE_COOKIE, MOST_MARKS};
use crate::management::frame::{ApiError, cookies};
use crate::middleware::Caller;

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Caller>();
        let caller = caller.ok_or_else(ApiError::broken)?;
        let user_agent = parts.headers.get(header::USER_AGENT);
        Ok(Self {
            address: caller.address,
            user_agent: user_agent
                .and_then(|text| text.to_str().ok())
                .map(str::to_owned),
            request_id: caller.request_id.to_string(),
            marks: marks(&parts.headers),
        })
    }
}

/// The marks of known devices, a bounded number of them.
fn marks(headers: &HeaderMap) -> Vec<(UserId, String)> {
    let mark = |(name, mark): (&str, &str)| {
        let user = name.strip_prefix(DEVICE_COOKIE)?.parse().ok()?;
        Some((UserId(user), mark.to_owned()))
    };
    cookies(headers).filter_map(mark).take(MOST_MARKS).collect()
}
