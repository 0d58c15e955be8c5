//! The edge: all of the service as connections see it, and what happens around every answer, in the
//! order that [`Edge::answer`] shows.

use std::borrow::Cow;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use super::caller::{Arrival, Caller, REQUEST_ID, new_request_id};
use super::{body_limit, cors, log_request, security_headers};
use crate::app::App;
use crate::area::Area;
use crate::config::ServerConfig;
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
    caller: Caller,
    /// The site whose scripts may read the answer.
    origin: Option<HeaderValue>,
}

impl Service<Arrival> for Edge {
    type Response = Response;
    type Error = Infallible;
    type Future = Scoped<BoxFuture<'static, Result<Response, Infallible>>>;

    /// Names a request and limits it; the answer is made inside of its scope.
    fn call(&self, arrival: Arrival) -> Self::Future {
        let config = self.app.config();
        let known = self.look_at(&arrival, &config.server);
        let limited = |body| body_limit::limited(body, config.limits.body_bytes);
        let request = arrival.request.map(limited);
        let caller = &known.caller;
        RequestScope::new(caller.request_id.clone(), caller.address)
            .around(Box::pin(self.clone().answer(known, request)))
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
        let now_ms = self.app.clock().now_ms();
        let new_id = || new_request_id(now_ms, self.app.randomness());
        Known {
            area,
            endpoint: Endpoint::at(uri.path()),
            caller: Caller::of(*peer, area, headers, uri, server, (now_ms, new_id)),
            origin: match area {
                Area::ModelCall(_) => cors::allowed_origin(headers, &server.cors_origins),
                _ => None,
            },
        }
    }

    /// Answers a request whatever happens, and notes how it went.
    async fn answer(self, known: Known, request: Request) -> Result<Response, Infallible> {
        let (area, caller) = (known.area, known.caller);
        let method = request.method().clone();
        let path = match known.endpoint {
            Some(endpoint) => Cow::Borrowed(endpoint.path),
            None => Cow::Owned(request.uri().path().to_owned()),
        };
        let running = log_request::Running::begin(self.app.http_metrics(), area);

        let is_model_call = matches!(area, Area::ModelCall(_));
        let mut response = if is_model_call && cors::is_preflight(&method, request.headers()) {
            cors::preflight(request.headers(), known.origin.as_ref())
        } else {
            // One request's panic must not end the others. The panic hook has logged the place.
            let answer = self.route(known.endpoint, caller.clone(), request);
            let outcome = AssertUnwindSafe(answer).catch_unwind().await;
            outcome.unwrap_or_else(|_| Refusal::Internal.respond(area, &caller.request_id))
        };

        if let Some(origin) = known.origin {
            cors::permit(&mut response, origin);
        }
        security_headers::add(response.headers_mut(), area, caller.is_https());
        // Ids are made of characters that headers may hold.
        if let Ok(id) = HeaderValue::from_str(&caller.request_id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        running.end(&method, &path, response.status());
        Ok(response)
    }

    /// Hands a request to whoever answers it: the endpoint at its path, else the router.
    fn route(
        &self,
        endpoint: Option<&'static Endpoint>,
        caller: Caller,
        mut request: Request,
    ) -> BoxFuture<'static, Response> {
        if let Some(endpoint) = endpoint {
            return endpoint.answer(self.app.clone(), caller, request);
        }
        request.extensions_mut().insert(caller);
        let answer = self.router.call(request);
        Box::pin(answer.map(|Ok(response)| response))
    }
}
