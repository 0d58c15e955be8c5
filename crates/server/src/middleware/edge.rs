//! The one layer around all routes, in the order that its function shows.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt as _;
use http::HeaderValue;

use super::caller::{Caller, Peer, REQUEST_ID, new_request_id};
use super::{body_limit, cors, log_request, security_headers};
use crate::app::App;
use crate::area::Area;
use crate::config::ServerConfig;
use crate::refusal::Refusal;
use crate::telemetry::RequestScope;

/// Runs a request: names it, limits it, answers it whatever happens, and notes how it went.
pub async fn edge(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let config = app.config();
    let area = Area::of(request.uri().path());
    let caller = identify(&app, area, &request, &config.server);
    let scope = RequestScope::new(caller.request_id.clone(), caller.address);
    body_limit::limit_body(&mut request, config.limits.body_bytes);
    request.extensions_mut().insert(caller.clone());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let running = log_request::Running::begin(app.http_metrics(), area);

    let answer = answer(area, &caller, &config.server.cors_origins, request, next);
    let mut response = scope.clone().around(answer).await;

    security_headers::add(response.headers_mut(), area, caller.is_https());
    // Ids are made of characters that headers may hold.
    if let Ok(id) = HeaderValue::from_str(&caller.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    scope.in_scope(|| running.end(&method, &path, response.status()));
    response
}

fn identify(app: &App, area: Area, request: &Request, server: &ServerConfig) -> Caller {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer {
        address: server.listen,
        scheme: super::Scheme::Http,
    });
    let new_id = || new_request_id(app.clock(), app.randomness());
    Caller::of(peer, area, request.headers(), request.uri(), server, new_id)
}

async fn answer(
    area: Area,
    caller: &Caller,
    cors_origins: &[String],
    request: Request,
    next: Next,
) -> Response {
    let origin = match area {
        Area::ModelCall(_) => cors::allowed_origin(request.headers(), cors_origins),
        _ => None,
    };
    let is_preflight = matches!(area, Area::ModelCall(_))
        && cors::is_preflight(request.method(), request.headers());
    let mut response = if is_preflight {
        cors::preflight(request.headers(), origin.as_ref())
    } else {
        // One request's panic must not end the others. The panic hook has logged the place.
        let outcome = AssertUnwindSafe(next.run(request)).catch_unwind().await;
        outcome.unwrap_or_else(|_| Refusal::Internal.respond(area, &caller.request_id))
    };
    if let Some(origin) = origin {
        cors::permit(&mut response, origin);
    }
    response
}
