//! `/healthz` (the process answers), `/readyz` (it can serve) and `/metrics`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

use crate::app::App;
use crate::management::{self, ApiError};
use crate::middleware::Caller;
use crate::telemetry::scrape;

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

async fn metrics(State(app): State<Arc<App>>, Extension(caller): Extension<Caller>) -> Response {
    let allowed = &app.config().telemetry.metrics_allow;
    if !allowed
        .iter()
        .any(|network| network.contains(caller.address))
    {
        return management::refuse(ApiError::forbidden("This address may not read that."));
    }
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, text)], scrape(&app)).into_response()
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
