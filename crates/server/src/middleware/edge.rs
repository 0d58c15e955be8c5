//! The edge: all of the service as connections see it, and what happens around every answer, in the
//! order that [`Edge::call`] and [`finish`] show.

use std::convert::Infallible;
use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use super::answer::Answer;
use super::caller::{Arrival, Caller, Peer, new_request_id};
use super::head::Head;
use super::{body_limit, cors, log_request, security_headers};
use crate::app::App;
use crate::area::Area;
use crate::config::ServerConfig;
use crate::in_place;
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
    head: Arc<Head>,
    caller: Caller,
    /// The site whose scripts may read the answer.
    origin: Option<HeaderValue>,
}

impl Service<Arrival> for Edge {
    type Response = Answer;
    type Error = Infallible;
    type Future = Scoped<BoxFuture<'static, Result<Answer, Infallible>>>;

    /// Names a request and limits it; the answer is made inside of its scope.
    fn call(&self, Arrival { peer, head, body }: Arrival) -> Self::Future {
        let config = self.app.config();
        let known = self.look_at(peer, head, &config.server);
        let patience = Duration::from_secs(config.limits.idle_timeout_s);
        let body = body_limit::limited(body, config.limits.body_bytes, patience);
        let caller = &known.caller;
        let scope = RequestScope::new(caller.request_id.clone(), caller.address);
        // Outside of what waits, which would have room for the request as well.
        let answer = self.route(&known, peer, body);
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

    fn look_at(&self, peer: Peer, head: Arc<Head>, server: &ServerConfig) -> Known {
        let now_ms = self.app.clock().now_ms();
        let new_id = || new_request_id(now_ms, self.app.randomness());
        Known {
            caller: Caller::of(peer, &head, server, (now_ms, new_id)),
            origin: match head.area {
                Area::ModelCall(_) => {
                    cors::allowed_origin(&head.parts.headers, &server.cors_origins)
                }
                _ => None,
            },
            head,
        }
    }

    /// Hands a request to whoever answers it: the endpoint at its path, else the router. Nothing of it runs
    /// before it is waited for.
    fn route(&self, known: &Known, peer: Peer, body: Body) -> BoxFuture<'static, Answer> {
        let (head, caller) = (&known.head, known.caller.clone());
        let (method, headers) = (&head.parts.method, &head.parts.headers);
        let is_model_call = matches!(head.area, Area::ModelCall(_));
        if is_model_call && cors::is_preflight(method, headers) {
            let response = cors::preflight(headers, known.origin.as_ref());
            return Box::pin(ready(response.into()));
        }
        if let Some(endpoint) = head.endpoint {
            return endpoint.answer(Arc::clone(&self.app), caller, Arc::clone(head), body);
        }
        if let Some(refusal) = head.parts.extensions.get::<Refusal>() {
            let response = refusal.respond(head.area, &caller.request_id);
            return Box::pin(ready(response.into()));
        }
        let mut request = Request::from_parts(head.parts.clone(), body);
        request.extensions_mut().insert(caller);
        request.extensions_mut().insert(peer);
        let router = self.router.clone();
        Box::pin(async move {
            let Ok(response) = router.call(request).await;
            response.into()
        })
    }
}

/// Waits for an answer whatever happens, adds what every answer has, and notes how it went.
async fn finish(
    app: Arc<App>,
    known: Known,
    answer: BoxFuture<'static, Answer>,
) -> Result<Answer, Infallible> {
    let (area, caller) = (known.head.area, known.caller);
    let running = log_request::Running::begin(app.http_metrics(), area);
    // One request's panic must not end the others. The panic hook has logged the place.
    let outcome = AssertUnwindSafe(answer).catch_unwind().await;
    let mut answer =
        outcome.unwrap_or_else(|_| Refusal::Internal.respond(area, &caller.request_id).into());
    let response = &mut answer.response;

    if let Some(origin) = known.origin {
        cors::permit(response, origin);
    }
    security_headers::add(response.headers_mut(), area, caller.is_https());
    answer.told.request_id = Some(caller.request_id);
    let request = &known.head.parts;
    running.end(
        &request.method,
        request.uri.path(),
        answer.response.status(),
    );
    Ok(answer)
}
