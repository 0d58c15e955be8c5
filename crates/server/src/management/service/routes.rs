//! The routes of what the service says about itself.

use super::{backup, models, reference, status, system};
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
        Route::post("/api/system/backup", Level::Root, backup::make)
            .about("Make a copy of the embedded database")
            .details(
                "As it is in one moment, while the service goes on; master keys are not in it. It waits \
                 ten minutes to be fetched, once. Refused where the records are in PostgreSQL, which has \
                 tools of its own.",
            )
            .step_up()
            .gives::<backup::BackupView>(),
        Route::get("/api/system/backup/{ticket}", Level::Root, backup::fetch)
            .about("Fetch a copy of the embedded database, once")
            .session_only()
            .gives_media("application/vnd.sqlite3"),
        Route::get("/api/openapi.json", Level::None, reference::openapi)
            .about("Read this document")
            .gives_media("application/json"),
    ]
}
