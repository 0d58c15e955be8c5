//! The routes of what the service says about itself.

use super::{models, reference, status, system};
use crate::management::frame::{Level, Route};

/// The routes.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/status", Level::None, status::show)
            .about("Read what a visitor may know of this installation")
            .gives::<status::StatusView>(),
        Route::get("/api/status/models", Level::None, models::show)
            .about("Read how the models are doing, for visitors")
            .details("Those of the default group; refused where `console.status_page` is off.")
            .gives::<Vec<models::ModelStatus>>(),
        Route::get("/api/system/", Level::Administrator, system::show)
            .about("Read what the service runs on: nodes, database, disk")
            .gives::<system::SystemView>(),
        Route::get("/api/openapi.json", Level::None, reference::openapi)
            .about("Read this document")
            .gives_media("application/json"),
    ]
}
