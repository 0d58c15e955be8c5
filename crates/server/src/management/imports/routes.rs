//! The routes of imports. All of them are root's: an import makes users of every role.

use super::begin::{ImportSearch, begin};
use super::undo::undo;
use super::view::{ImportDetails, ImportView, list, one};
use crate::management::frame::{Level, PageQuery, PagedList, Route};

use super::view::Begun;

/// The routes of imports.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/import/", Level::Root, list)
            .about("List what was imported from other gateways")
            .searches::<PageQuery>()
            .gives::<PagedList<ImportView>>(),
        Route::post("/api/import/", Level::Root, begin)
            .about("Import from another gateway, or see what that would do")
            .details(
                "The body is the source itself: a SQLite file, a dump of mysqldump or pg_dump as \
                 text, or LiteLLM's YAML. LiteLLM's keys come from a dump of its database. A source that cannot be used is refused with the reason \
                 before anything is written. The task's `result` is the report, an `ImportReport`. \
                 Users with a second factor confirm it first (scope `import.run`).",
            )
            .searches::<ImportSearch>()
            .takes_bytes()
            .gives::<Begun>()
            .step_up(),
        Route::get("/api/import/{id}", Level::Root, one)
            .about("Read an import, with its reports")
            .gives::<ImportDetails>(),
        Route::post("/api/import/{id}/undo", Level::Root, undo)
            .about("Take out again what an import made")
            .details(
                "Its money is booked back. Users who did something here since are kept, and named \
                 in the task's `result`, an `UndoReport`; it can be undone again later.",
            )
            .gives::<Begun>(),
    ]
}
