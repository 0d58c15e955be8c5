//! From a list of routes to a router. Every route passes the gate, which knows its level: a
//! handler cannot be reached around it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use super::access::{Carrier, Identity, authenticate};
use super::held_body::hold;
use super::input::check_address;
use super::reply::ApiError;
use super::route::{Level, Route};
use super::same_origin::{changes_something, is_same_origin};
use super::scopes::{AccessScope, require_scope};
use super::see_through::Afterlife;
use super::step_up::require_step_up;
use crate::app::App;
use crate::middleware::Caller;

/// These routes behind their gates, and pages for people beside them, which anybody may see.
pub fn router(app: &Arc<App>, routes: Vec<Route>, pages: Router<Arc<App>>) -> Router<Arc<App>> {
    let afterlife = Afterlife::new(app.stop().running());
    let pages = pages.route_layer(from_fn_with_state(afterlife.clone(), see_through));
    routes.into_iter().fold(pages, |router, route| {
        let gate = Gate {
            app: app.clone(),
            afterlife: afterlife.clone(),
            level: route.level,
            scope: route.scope,
            is_session_only: route.is_session_only,
            needs_step_up: route.needs_step_up,
            is_from_anywhere: route.is_from_anywhere,
        };
        let (bare, slashed) = spellings(&route);
        let handler = route.handler.route_layer(from_fn_with_state(gate, pass));
        router
            .route(&bare, handler.clone())
            .route(&slashed, handler)
    })
}

/// The path without and with the slash at its end.
fn spellings(route: &Route) -> (String, String) {
    let bare = route.path.trim_end_matches('/');
    (bare.to_owned(), format!("{bare}/"))
}

#[derive(Clone)]
struct Gate {
    app: Arc<App>,
    afterlife: Afterlife,
    level: Level,
    scope: AccessScope,
    is_session_only: bool,
    needs_step_up: bool,
    is_from_anywhere: bool,
}

async fn pass(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    if let Err(error) = gate.check(&mut request).await {
        return error.into_response();
    }
    let identity = request.extensions().get::<Identity>().cloned();
    let response = see_through(State(gate.afterlife), request, next).await;
    match identity {
        Some(identity) => hold(&gate.app, &identity, response),
        None => response,
    }
}

/// Answers a request; one that changes something comes to its end also if its client leaves.
async fn see_through(State(afterlife): State<Afterlife>, request: Request, next: Next) -> Response {
    if !changes_something(request.method()) {
        return next.run(request).await;
    }
    afterlife.see_through(Box::pin(next.run(request))).await
}

impl Gate {
    /// Who it is comes first, so that a stranger learns nothing else.
    async fn check(&self, request: &mut Request) -> Result<(), ApiError> {
        let caller = request.extensions().get::<Caller>().cloned();
        let caller = caller.ok_or_else(ApiError::broken)?;
        let headers = request.headers();
        let mut is_script = false;
        if let Some(role) = self.level.role() {
            // Only this program itself can have put one there.
            let identity = match request.extensions().get::<Identity>() {
                Some(operator) => Some(operator.clone()),
                None => authenticate(&self.app, headers, &caller).await?,
            };
            let identity = identity.ok_or_else(ApiError::not_logged_in)?;
            if identity.user.role < role {
                return Err(ApiError::forbidden("Your role does not allow this."));
            }
            is_script = !matches!(identity.carrier, Carrier::Session(_));
            if is_script && self.is_session_only {
                return Err(ApiError::session_required());
            }
            if self.needs_step_up {
                require_step_up(&self.app, &identity)?;
            }
            require_scope(&identity, self.scope)?;
            request.extensions_mut().insert(identity);
        }
        let is_guarded =
            !is_script && !self.is_from_anywhere && changes_something(request.method());
        if is_guarded && !is_same_origin(request.headers(), &caller) {
            let text = "Pages of other sites may not call the management interface.";
            return Err(ApiError::forbidden(text).with_code("foreign_origin"));
        }
        check_address(request.uri())
    }
}
