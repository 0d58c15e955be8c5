//! The routes of what the service says about itself.

use super::{reference, status};
use crate::management::frame::{Level, Route};

/// The routes.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/status", Level::None, status::show)
            .about("Read what a visitor may know of this installation")
            .gives::<status::StatusView>(),
        Route::get("/api/openapi.json", Level::None, reference::openapi)
            .about("Read this document")
            .gives_media("application/json"),
    ]
}
