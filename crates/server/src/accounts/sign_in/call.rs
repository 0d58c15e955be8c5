//! Calls to a provider, through the guard that all outbound calls go through; answers are JSON and bounded.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::{HeaderValue, Method, header};
use providers::transport::{Egress, Timeouts, TlsTrust, TransportError};
use providers::{RequestBody, UpstreamRequest};
use ring::digest::{SHA256, digest};
use serde_json::Value;

use super::id_token::NotAnIdToken;
use crate::app::App;
use crate::outbound::target_of;
use crate::payments::encode_form;

const LONGEST_ANSWER: usize = 1 << 20;
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
};
/// Some providers refuse whoever does not say who asks.
const USER_AGENT: &str = concat!("modelgate/", env!("CARGO_PKG_VERSION"));

/// Why a provider could not be used; for the log only.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// An address is none.
    #[error("an address of the provider cannot be used")]
    Address,
    /// It could not be reached.
    #[error("the provider: {0}")]
    Transport(#[from] TransportError),
    /// It refused.
    #[error("the provider answered {0}")]
    Refused(u16),
    /// It did not take the code, and said so in an answer that looks like any other.
    #[error("the provider did not take the code: {0}")]
    CodeRefused(String),
    /// Its answer makes no sense.
    #[error("the provider's answer cannot be read: {0}")]
    Unreadable(&'static str),
    /// The token that it gave is not good.
    #[error(transparent)]
    Token(#[from] NotAnIdToken),
}

/// An address with a query behind it, to send people to.
pub(super) fn with_query(endpoint: &str, fields: &[(&str, &str)]) -> String {
    let joint = if endpoint.contains('?') { '&' } else { '?' };
    format!("{endpoint}{joint}{}", encode_form(fields))
}

/// What of a PKCE verifier goes along: its hash.
pub(super) fn challenge_of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()))
}

/// The header that proves a client; its parts are form-encoded first (RFC 6749, section 2.3.1).
pub(super) fn basic(client_id: &str, secret: &str) -> String {
    let encoded = encode_form(&[(client_id, secret)]).replacen('=', ":", 1);
    format!("Basic {}", STANDARD.encode(encoded))
}

/// Asks for a document.
pub(super) async fn get(
    app: &App,
    address: &str,
    authorization: Option<&str>,
) -> Result<Value, ProviderError> {
    let request = request(Method::GET, address, authorization, String::new())?;
    send(app, request).await
}

/// Posts a form.
pub(super) async fn post_form(
    app: &App,
    address: &str,
    authorization: Option<&str>,
    form: String,
) -> Result<Value, ProviderError> {
    let mut request = request(Method::POST, address, authorization, form)?;
    let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
    request.headers.insert(header::CONTENT_TYPE, kind);
    send(app, request).await
}

fn request(
    method: Method,
    address: &str,
    authorization: Option<&str>,
    body: String,
) -> Result<UpstreamRequest, ProviderError> {
    let target = target_of(address).ok_or(ProviderError::Address)?;
    let mut request = UpstreamRequest::new(method, target, RequestBody::Whole(body.into()));
    let headers = &mut request.headers;
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    if let Some(authorization) = authorization {
        let value = HeaderValue::from_str(authorization);
        let mut value = value.map_err(|_| ProviderError::Unreadable("secret"))?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    Ok(request)
}

async fn send(app: &App, request: UpstreamRequest) -> Result<Value, ProviderError> {
    let egress = Egress::new(TlsTrust::public(), None, TIMEOUTS);
    let reply = app.outbound().send(request, &egress).await?;
    let status = reply.status;
    let answer = reply.body.collect(LONGEST_ANSWER).await?;
    if !status.is_success() {
        return Err(ProviderError::Refused(status.as_u16()));
    }
    serde_json::from_slice(&answer).map_err(|_| ProviderError::Unreadable("not JSON"))
}
