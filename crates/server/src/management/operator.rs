//! The operator at the machine: commands call the same handlers as everybody, as the root user or as a
//! user whose thing is made. They can: who reads the records and the master keys needs no login.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::body::Body;
use http::{Method, Request};
use http_body_util::BodyExt as _;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use store::users::User;

use super::frame::Identity;
use super::routes::routes;
use crate::app::App;
use crate::middleware::Caller;

/// Why a call was refused, in the interface's words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

/// One call of the management interface, made by a command.
#[derive(Debug)]
pub struct Errand<'a> {
    /// The method.
    pub method: Method,
    /// Path and query.
    pub path: &'a str,
    /// The body, where there is one.
    pub body: Option<&'a Value>,
    /// On whose behalf.
    pub user: &'a User,
    /// Names the call in the audit log and in the ledger.
    pub request_id: &'a str,
}

/// Makes the call; the data of its reply.
pub async fn run_errand(app: &Arc<App>, errand: Errand<'_>) -> Result<Value, Refused> {
    let caller = Caller {
        request_id: errand.request_id.into(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        base_url: app.config().server.public_url.clone().unwrap_or_default(),
        at_ms: app.clock().now_ms(),
    };
    let identity = Identity::of_operator(errand.user.clone(), caller.clone());
    let body = errand.body.map(Value::to_string).unwrap_or_default();
    let request = Request::builder()
        .method(errand.method)
        .uri(errand.path)
        .extension(caller)
        .extension(identity)
        .body(Body::from(body))
        .map_err(|error| Refused(error.to_string()))?;
    let service = TowerToHyperService::new(routes(app).with_state(Arc::clone(app)));
    let Ok(response) = service.call(request).await;
    let is_done = response.status().is_success();
    let bytes = response.into_body().collect().await;
    let bytes = bytes
        .map_err(|error| Refused(error.to_string()))?
        .to_bytes();
    let mut envelope: Value =
        serde_json::from_slice(&bytes).map_err(|error| Refused(error.to_string()))?;
    if is_done {
        return Ok(envelope["data"].take());
    }
    let message = envelope["message"].as_str().unwrap_or_default();
    Err(Refused(message.to_owned()))
}
