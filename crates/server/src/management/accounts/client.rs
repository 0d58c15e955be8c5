//! Where a login comes from, read from the request.

use axum::extract::FromRequestParts;
use http::header;
use http::request::Parts;

use crate::accounts::Client;
use crate::management::frame::ApiError;
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
        })
    }
}
