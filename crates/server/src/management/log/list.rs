//! Lists of calls, and one call.

use std::sync::Arc;

use axum::extract::State;
use store::request_log::{self, LogFilter, PageBounds};
use store::{CursorPage, request_log::LoggedCall};

use super::search::CallSearch;
use super::view::{CallView, views};
use crate::app::App;
use crate::management::frame::{ApiError, At, CursorList, CursorQuery, Identity, Reply, Search};

/// Lists everybody's calls.
pub(super) async fn all(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(place): Search<CursorQuery>,
    Search(search): Search<CallSearch>,
) -> Result<Reply<CursorList<CallView>>, ApiError> {
    list(&app, &identity, &place, &search.filter(None)?).await
}

/// Lists the caller's calls.
pub(super) async fn own(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(place): Search<CursorQuery>,
    Search(search): Search<CallSearch>,
) -> Result<Reply<CursorList<CallView>>, ApiError> {
    let filter = search.filter(Some(identity.id()))?;
    list(&app, &identity, &place, &filter).await
}

async fn list(
    app: &App,
    viewer: &Identity,
    place: &CursorQuery,
    filter: &LogFilter,
) -> Result<Reply<CursorList<CallView>>, ApiError> {
    let (cursor, limit) = place.bounds()?;
    let records = app.store().read();
    let bounds = PageBounds::rows(limit);
    let page = request_log::page(records, filter, cursor.as_ref(), bounds).await?;
    let shown = CursorPage {
        items: views(records, viewer, page.items).await?,
        next: page.next,
    };
    Ok(Reply::of(CursorList::of(shown, |view| view)))
}

/// Shows one call: one's own or, for administrators, anybody's.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<String>,
) -> Result<Reply<CallView>, ApiError> {
    let records = app.store().read();
    let call = request_log::find(records, &id).await?;
    let may_see = |call: &LoggedCall| call.user_id == identity.id() || identity.is_administrator();
    let shown = match call.filter(may_see) {
        Some(call) => views(records, &identity, vec![call]).await?.pop(),
        None => None,
    };
    let shown = shown.ok_or_else(|| ApiError::not_found("The call"))?;
    Ok(Reply::of(shown))
}
