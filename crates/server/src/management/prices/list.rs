//! Reading prices. The list is made from memory: the price book, the catalogue, the channels.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use billing::prices::Catalogue;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Paged, prices};

use super::view::{PriceView, StoredPriceView};
use crate::app::App;
use crate::management::frame::{ApiError, PageQuery, PagedList, Reply, Search};

/// Which prices to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PriceSearch {
    /// A part of the model's name.
    search: Option<String>,
    /// Only prices of this source: `administrator`, `declared`, `catalogue`, or `none`.
    source: Option<String>,
    /// Only models that some channel serves.
    served: Option<bool>,
}

/// Whose history.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct HistoryQuery {
    /// The model.
    model: String,
}

/// Lists prices by model.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Search(page): Search<PageQuery>,
    Search(search): Search<PriceSearch>,
) -> Result<Reply<PagedList<PriceView>>, ApiError> {
    let page = page.page()?;
    let now = app.clock().now_ms();
    let snapshot = app.channels().snapshot();
    let stored = prices::current(app.store().read(), now).await?;
    let mut names: BTreeSet<&str> = stored.iter().map(|price| price.model.as_str()).collect();
    names.extend(Catalogue::shipped().models().map(|(model, _)| model));
    if search.served == Some(true) {
        names.retain(|name| snapshot.is_served(name));
    }
    names.extend(snapshot.all_models());
    let wanted = search.search.as_deref().unwrap_or_default().to_lowercase();
    names.retain(|name| name.to_lowercase().contains(&wanted));
    let book = app.prices().book();
    let find = |model: &str| {
        let mut upstreams = snapshot
            .channels()
            .filter_map(|one| one.upstream_model(model));
        let found = book.find(model, None, now);
        let found = found.or_else(|| upstreams.find_map(|name| book.find(model, Some(&name), now)));
        PriceView::of(model, found, snapshot.is_served(model))
    };
    let source = search.source.as_deref().filter(|source| !source.is_empty());
    let matches =
        |view: &PriceView| source.is_none_or(|source| view.source.unwrap_or("none") == source);
    let all: Vec<PriceView> = names.into_iter().map(find).filter(matches).collect();
    let total = all.len() as u64;
    let skipped = usize::try_from((page.number - 1) * page.size).unwrap_or(usize::MAX);
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let items = all.into_iter().skip(skipped).take(size).collect();
    let paged = Paged { items, total };
    Ok(Reply::of(PagedList::of(page, paged, |view| view)))
}

/// Every stored price of a model.
pub(super) async fn history(
    State(app): State<Arc<App>>,
    Search(query): Search<HistoryQuery>,
) -> Result<Reply<Vec<StoredPriceView>>, ApiError> {
    let rows = prices::history(app.store().read(), &query.model).await?;
    Ok(Reply::of(
        rows.into_iter().map(StoredPriceView::of).collect(),
    ))
}
