//! `/healthz` (the process answers), `/readyz` (it can serve) and `/metrics`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{OptionalFromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::json;
use subtle::ConstantTimeEq as _;

use crate::app::App;
use crate::config::{Config, TelemetryConfig};
use crate::management::{self, ApiError, Identity};
use crate::middleware::{Caller, Peer};
use crate::telemetry::scrape;

/// Headers that proxies add to requests.
static FORWARDING: [HeaderName; 4] = [
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-real-ip"),
    header::FORWARDED,
    header::VIA,
];
const BEARER: &[u8] = b"Bearer ";
const METRICS_FORBIDDEN: &str = "Metrics need the token of [telemetry] metrics_token, a network in metrics_allow, or the \
    login of an administrator.";

/// Longest wait for the database's answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The probes' routes.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/healthz", get(health))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

async fn health() -> Response {
    reply(StatusCode::OK, "ok")
}

/// Ready is: not stopping, and the database answers. Its schema is current, or the process would
/// not have started.
async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.is_stopping() {
        return reply(StatusCode::SERVICE_UNAVAILABLE, "stopping");
    }
    match tokio::time::timeout(PATIENCE, app.store().read().ping()).await {
        Ok(Ok(())) => reply(StatusCode::OK, "ready"),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the database does not answer");
            reply(StatusCode::SERVICE_UNAVAILABLE, "database unreachable")
        }
        Err(_) => reply(StatusCode::SERVICE_UNAVAILABLE, "database too slow"),
    }
}

async fn metrics(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let (mut head, _) = request.into_parts();
    let config = app.config_in_full();
    let is_open = has_metrics_token(&config.telemetry, &head.headers)
        || is_listed(&config, &caller, peer, &head.headers)
        || is_administrator(&app, &mut head).await;
    if !is_open {
        return management::refuse(ApiError::forbidden(METRICS_FORBIDDEN));
    }
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, text)], scrape(&app)).into_response()
}

/// Reports whether the request carries the configured token.
fn has_metrics_token(config: &TelemetryConfig, headers: &HeaderMap) -> bool {
    let expected = config.metrics_token.as_ref();
    let sent = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    expected.zip(sent).is_some_and(|(expected, sent)| {
        let (scheme, token) = sent.split_at(sent.len().min(BEARER.len()));
        scheme.eq_ignore_ascii_case(BEARER)
            && bool::from(token.trim_ascii().ct_eq(expected.expose().as_bytes()))
    })
}

/// Reports whether the client is in a listed network. An address that stands for the clients of an unknown proxy does not
/// count.
fn is_listed(config: &Config, caller: &Caller, peer: Peer, headers: &HeaderMap) -> bool {
    let is_forwarded = FORWARDING.iter().any(|name| headers.contains_key(name));
    let mut allowed = config.telemetry.metrics_allow.iter();
    allowed.any(|network| {
        let is_everywhere = network.range().prefix_len() == 0;
        network.contains(caller.address)
            && (is_everywhere || !is_forwarded || peer.is_trusted_proxy(&config.server))
    })
}

/// Reports whether an administrator is logged in: the console shows the page.
async fn is_administrator(app: &Arc<App>, head: &mut Parts) -> bool {
    let identity =
        <Identity as OptionalFromRequestParts<Arc<App>>>::from_request_parts(head, app).await;
    matches!(identity, Ok(Some(identity)) if identity.is_administrator())
}

fn reply(status: StatusCode, state: &str) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, json!({"status": state}).to_string()).into_response()
}
