//! Reading channels.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::channels::{self, ChannelFilter};
use store::{ChannelId, Paged};

use super::fields::StateInput;
use super::view::{ChannelView, view_of, views};
use crate::app::App;
use crate::management::frame::{ApiError, At, PageQuery, PagedList, Reply, Search};

/// Which channels to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChannelSearch {
    /// A part of the name.
    search: Option<String>,
    /// Only this provider.
    r#type: Option<String>,
    /// Only what somebody set to this state.
    state: Option<StateInput>,
    /// Only with this tag.
    tag: Option<String>,
    /// Only those that serve this model.
    model: Option<String>,
    /// Only those that name this group.
    group: Option<String>,
}

/// Lists channels.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Search(page): Search<PageQuery>,
    Search(search): Search<ChannelSearch>,
) -> Result<Reply<PagedList<ChannelView>>, ApiError> {
    let page = page.page()?;
    let text = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let filter = ChannelFilter {
        search: text(search.search),
        provider: text(search.r#type),
        state: search.state.and_then(StateInput::state),
        tag: text(search.tag),
        model: text(search.model),
        group: text(search.group),
    };
    let found = channels::list(app.store().read(), &filter, page).await?;
    let shown = Paged {
        items: views(&app, found.items).await?,
        total: found.total,
    };
    Ok(Reply::of(PagedList::of(page, shown, |view| view)))
}

/// Reads one channel.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    At(id): At<i64>,
) -> Result<Reply<ChannelView>, ApiError> {
    let channel = channels::get(app.store().read(), ChannelId(id)).await?;
    let channel = channel.ok_or_else(|| ApiError::not_found("The channel"))?;
    Ok(Reply::of(view_of(&app, channel).await?))
}
