//! The provider's side: its description, the address to which people are sent, and the exchange of the
//! code that they come back with.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::{HeaderValue, Method, header};
use providers::transport::{Egress, Timeouts, TlsTrust, TransportError};
use providers::{RequestBody, UpstreamRequest};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::id_token::{Claims, Expected, NotAnIdToken, check};
use crate::app::App;
use crate::config::{OidcDeclaration, Secret};
use crate::outbound::target_of;
use crate::payments::encode_form;

const LONGEST_ANSWER: usize = 1 << 20;
const DESCRIPTION: &str = "/.well-known/openid-configuration";
const DESCRIPTION_LIFE_MS: u64 = 600_000;
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
};

/// Why a provider could not be used; for the log only.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// An address is none.
    #[error("an address of the provider cannot be used")]
    Address,
    /// It could not be reached.
    #[error("the provider: {0}")]
    Transport(#[from] TransportError),
    /// It refused.
    #[error("the provider answered {0}")]
    Refused(u16),
    /// Its answer makes no sense.
    #[error("the provider's answer cannot be read: {0}")]
    Unreadable(&'static str),
    /// The token that it gave is not good.
    #[error(transparent)]
    Token(#[from] NotAnIdToken),
}

/// A provider's description of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Provider {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
}

impl Provider {
    /// Reads the description, which is remembered for a while.
    pub async fn discover(app: &App, declared: &OidcDeclaration) -> Result<Self, OidcError> {
        let now = app.clock().now_ms();
        let key = format!("oidc:{}", declared.name);
        if let Ok(Some(known)) = app.local().cache_get(&key, now).await
            && let Ok(known) = serde_json::from_slice::<Self>(&known)
            && known.issuer == declared.issuer
        {
            return Ok(known);
        }
        let address = format!("{}{DESCRIPTION}", declared.issuer.trim_end_matches('/'));
        let answer = call(app, Method::GET, &address, None, String::new()).await?;
        let provider: Self =
            serde_json::from_value(answer).map_err(|_| OidcError::Unreadable("description"))?;
        // Whoever answers must be the one that was asked for, or tokens could be mixed up.
        if provider.issuer != declared.issuer {
            return Err(OidcError::Unreadable("issuer"));
        }
        if let Ok(bytes) = serde_json::to_vec(&provider) {
            let kept = app
                .local()
                .cache_put(&key, &bytes, DESCRIPTION_LIFE_MS, now)
                .await;
            if let Err(error) = kept {
                tracing::debug!(%error, "a provider's description was not kept");
            }
        }
        Ok(provider)
    }
}

/// Where a person is sent. `verifier` stays with us; only its hash goes along.
pub fn authorization_url(
    provider: &Provider,
    declared: &OidcDeclaration,
    redirect_uri: &str,
    (state, nonce, verifier): (&str, &str, &str),
) -> String {
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
    let query = encode_form(&[
        ("response_type", "code"),
        ("client_id", &declared.client_id),
        ("redirect_uri", redirect_uri),
        ("scope", "openid profile email"),
        ("state", state),
        ("nonce", nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ]);
    let endpoint = &provider.authorization_endpoint;
    let joint = if endpoint.contains('?') { '&' } else { '?' };
    format!("{endpoint}{joint}{query}")
}

/// Turns the code into what the provider says about the person.
pub async fn exchange(
    app: &App,
    provider: &Provider,
    declared: &OidcDeclaration,
    redirect_uri: &str,
    (code, nonce, verifier): (&str, &str, &str),
) -> Result<Claims, OidcError> {
    let body = encode_form(&[
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", redirect_uri),
        ("client_id", &declared.client_id),
        ("code_verifier", verifier),
    ]);
    let secret = declared.client_secret.as_ref().map_or("", Secret::expose);
    // The parts of the header are form-encoded first (RFC 6749, section 2.3.1).
    let encoded = encode_form(&[(&declared.client_id, secret)]).replacen('=', ":", 1);
    let basic = format!("Basic {}", STANDARD.encode(encoded));
    let endpoint = &provider.token_endpoint;
    let answer = call(app, Method::POST, endpoint, Some(&basic), body).await?;
    let token = answer["id_token"]
        .as_str()
        .ok_or(OidcError::Unreadable("no ID token"))?;
    let keys = call(app, Method::GET, &provider.jwks_uri, None, String::new()).await?;
    let expected = Expected {
        issuer: &provider.issuer,
        client_id: &declared.client_id,
        nonce,
        now_s: app.clock().now_ms() / 1000,
    };
    Ok(check(token, &keys, &expected)?)
}

async fn call(
    app: &App,
    method: Method,
    address: &str,
    authorization: Option<&str>,
    body: String,
) -> Result<Value, OidcError> {
    let target = target_of(address).ok_or(OidcError::Address)?;
    let mut request = UpstreamRequest::new(method, target, RequestBody::Whole(body.into()));
    let headers = &mut request.headers;
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    if let Some(authorization) = authorization {
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(header::CONTENT_TYPE, form);
        let value = HeaderValue::from_str(authorization);
        let mut value = value.map_err(|_| OidcError::Unreadable("client secret"))?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    let egress = Egress::new(TlsTrust::public(), None, TIMEOUTS);
    let reply = app.outbound().send(request, &egress).await?;
    let status = reply.status;
    let answer = reply.body.collect(LONGEST_ANSWER).await?;
    if !status.is_success() {
        return Err(OidcError::Refused(status.as_u16()));
    }
    serde_json::from_slice(&answer).map_err(|_| OidcError::Unreadable("not JSON"))
}
