//! The edge: all of the service as connections see it, and what happens around every answer, in the
//! order that [`Edge::call`] and [`finish`] show.

use std::borrow::Cow;
use std::convert::Infallible;
use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Method};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use super::caller::{Arrival, Caller, REQUEST_ID, new_request_id};
use super::{body_limit, cors, familiar_paths, log_request, security_headers};
use crate::app::App;
use crate::area::Area;
use crate::config::ServerConfig;
use crate::in_place;
use crate::model_call::Endpoint;
use crate::refusal::Refusal;
use crate::telemetry::{RequestScope, Scoped};

/// The service behind its edge.
#[derive(Clone)]
pub struct Edge {
    app: Arc<App>,
    router: TowerToHyperService<Router>,
}

/// What is known of a request before it is answered.
struct Known {
    area: Area,
    /// The endpoint at its path, where that is one of the fixed ones.
    endpoint: Option<&'static Endpoint>,
    method: Method,
    path: Cow<'static, str>,
    caller: Caller,
    /// The site whose scripts may read the answer.
    origin: Option<HeaderValue>,
}

impl Service<Arrival> for Edge {
    type Response = Response;
    type Error = Infallible;
    type Future = Scoped<BoxFuture<'static, Result<Response, Infallible>>>;

    /// Names a request and limits it; the answer is made inside of its scope.
    fn call(&self, mut arrival: Arrival) -> Self::Future {
        familiar_paths::settle(&mut arrival.request);
        let config = self.app.config();
        let known = self.look_at(&arrival, &config.server);
        let patience = Duration::from_secs(config.limits.idle_timeout_s);
        let limited = |body| body_limit::limited(body, config.limits.body_bytes, patience);
        let request = arrival.request.map(limited);
        let caller = &known.caller;
        let scope = RequestScope::new(caller.request_id.clone(), caller.address);
        // Outside of what waits, which would have room for the request as well.
        let answer = self.route(&known, request);
        let app = Arc::clone(&self.app);
        scope.around(in_place::pinned(|| finish(app, known, answer)))
    }
}

impl Edge {
    /// Puts the edge around what the router answers.
    pub fn new(app: Arc<App>, router: Router) -> Self {
        let router = TowerToHyperService::new(router);
        Self { app, router }
    }

    fn look_at(&self, Arrival { peer, request }: &Arrival, server: &ServerConfig) -> Known {
        let (uri, headers) = (request.uri(), request.headers());
        let area = Area::of(uri.path());
        let endpoint = Endpoint::at(uri.path());
        let now_ms = self.app.clock().now_ms();
        let new_id = || new_request_id(now_ms, self.app.randomness());
        Known {
            area,
            endpoint,
            method: request.method().clone(),
            path: match endpoint {
                Some(endpoint) => Cow::Borrowed(endpoint.path),
                None => Cow::Owned(uri.path().to_owned()),
            },
            caller: Caller::of(*peer, area, headers, uri, server, (now_ms, new_id)),
            origin: match area {
                Area::ModelCall(_) => cors::allowed_origin(headers, &server.cors_origins),
                _ => None,
            },
        }
    }

    /// Hands a request to whoever answers it: the endpoint at its path, else the router. Nothing of it runs
    /// before it is waited for.
    fn route(&self, known: &Known, mut request: Request) -> BoxFuture<'static, Response> {
        let is_model_call = matches!(known.area, Area::ModelCall(_));
        if is_model_call && cors::is_preflight(&known.method, request.headers()) {
            let response = cors::preflight(request.headers(), known.origin.as_ref());
            return Box::pin(ready(response));
        }
        if let Some(endpoint) = known.endpoint {
            return endpoint.answer(Arc::clone(&self.app), known.caller.clone(), request);
        }
        request.extensions_mut().insert(known.caller.clone());
        let router = self.router.clone();
        Box::pin(async move {
            let Ok(response) = router.call(request).await;
            response
        })
    }
}

/// Waits for an answer whatever happens, adds what every answer has, and notes how it went.
async fn finish(
    app: Arc<App>,
    known: Known,
    answer: BoxFuture<'static, Response>,
) -> Result<Response, Infallible> {
    let (area, caller) = (known.area, known.caller);
    let running = log_request::Running::begin(app.http_metrics(), area);
    // One request's panic must not end the others. The panic hook has logged the place.
    let outcome = AssertUnwindSafe(answer).catch_unwind().await;
    let mut response =
        outcome.unwrap_or_else(|_| Refusal::Internal.respond(area, &caller.request_id));

    if let Some(origin) = known.origin {
        cors::permit(&mut response, origin);
    }
    security_headers::add(response.headers_mut(), area, caller.is_https());
    // Ids are made of characters that headers may hold.
    if let Ok(id) = HeaderValue::from_str(&caller.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    running.end(&known.method, &known.path, response.status());
    Ok(response)
}
