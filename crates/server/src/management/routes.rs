//! The management interface as one router: every route of the table behind its gate, the page that describes
//! them, and pages for people beside it.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use super::table::table;
use super::{frame, payments, service};
use crate::app::App;

/// All of it.
pub fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/docs", get(service::page))
        .route("/docs/", get(service::page))
        .merge(frame::router(app, table(), payments::pages()))
}
