//! The routes of the request log.

use super::search::CallSearch;
use super::view::CallView;
use super::{export, list, tail};
use crate::management::frame::{CursorList, CursorQuery, Level, Route};
use crate::management::scope::ScopeQuery;

/// The routes.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/log/", Level::Administrator, list::all)
            .about("List everybody's calls")
            .details(
                "Newest first. A page may be short and still have a next one: the search \
                stopped at its bound and goes on from there.",
            )
            .searches::<CursorQuery>()
            .searches::<CallSearch>()
            .gives::<CursorList<CallView>>(),
        Route::get("/api/log/self", Level::User, list::own)
            .about("List your calls")
            .searches::<CursorQuery>()
            .searches::<CallSearch>()
            .gives::<CursorList<CallView>>(),
        Route::get("/api/log/stream", Level::User, tail::tail)
            .about("Follow calls as they end, and see those that run")
            .details(
                "Server-sent events: `call` with a call as in the lists, `skipped` where there \
                were more than fit, `running` with `{calls, more}` whenever that has changed: the \
                calls under way on all nodes that share a Redis, the oldest first, and how many more \
                there are. Each has `request_id`, `began_at`, `user_id`, `username`, `token_id`, \
                `token_name`, `endpoint`, `model`, `channel`, `channel_id`, `stream`, `tries`, \
                `is_answering`, `source` and `ip`. The stream ends after a while; connect again.",
            )
            .searches::<ScopeQuery>()
            .searches::<CallSearch>()
            .gives_media("text/event-stream"),
        Route::get("/api/log/export", Level::User, export::export)
            .about("Export calls")
            .details(
                "A stream, newest first; a stream that breaks off is not complete. It is a \
                task (`x-task-id`) that can be cancelled.",
            )
            .searches::<ScopeQuery>()
            .searches::<CallSearch>()
            .searches::<export::ExportQuery>()
            .gives_media("text/csv, application/x-ndjson"),
        Route::get("/api/log/{request_id}", Level::User, list::one)
            .about("Read one call")
            .details(
                "With its attempts, and the price lines that sum to its charge. The id is the \
                reply header `x-request-id`.",
            )
            .gives::<CallView>(),
    ]
}
