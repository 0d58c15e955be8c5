//! What would change if the prices of a source were taken over. Nothing is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Request, State};
use billing::prices::{Catalogue, PriceBook, PriceList, Source, compare};
use billing::pricing::PriceSheet;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::{PriceComparison, PriceDifference, PriceLineKind};
use crate::app::App;
use crate::management::frame::{ApiError, Reply, Search};
use crate::middleware::read_short_body;

/// Largest list that is taken; the widely used one has three megabytes.
const LARGEST_LIST: usize = 8 << 20;
const MOST_LINES: usize = 1_000;
const MOST_LEFT_OUT: usize = 100;

/// With what prices are compared.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PriceOffer {
    /// The shipped catalogue.
    Catalogue,
    /// The list in the body.
    Litellm,
}

/// What to compare.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ComparisonSearch {
    /// `catalogue`, the shipped one, or `litellm`, the list in the body.
    source: PriceOffer,
    /// A part of the model's name.
    search: Option<String>,
    /// Only models that some channel serves.
    served: Option<bool>,
    /// Only differences of this kind.
    kind: Option<PriceLineKind>,
}

/// Compares prices.
pub(in crate::management::prices) async fn preview(
    State(app): State<Arc<App>>,
    Search(search): Search<ComparisonSearch>,
    request: Request,
) -> Result<Reply<PriceComparison>, ApiError> {
    let body = read_short_body(request.into_body(), LARGEST_LIST).await?;
    let compared = match search.source {
        PriceOffer::Catalogue => of_catalogue(&app, &search),
        PriceOffer::Litellm => {
            let read = tokio::task::spawn_blocking(move || PriceList::read(&body)).await;
            let list = read.map_err(|error| ApiError::internal(&error))?;
            let list = list.map_err(|error| {
                ApiError::bad_request(format!("The list cannot be used: {error}."))
            })?;
            of_list(&app, &search, list)
        }
    };
    Ok(Reply::of(compared))
}

/// Own prices beside the catalogue's. Models without one of their own follow the catalogue anyway.
fn of_catalogue(app: &App, search: &ComparisonSearch) -> PriceComparison {
    let shipped = Catalogue::shipped();
    let now = app.clock().now_ms();
    let book = app.prices().book();
    let own = own_prices(&book, now);
    let offered = own
        .iter()
        .filter_map(|model| Some((*model, shipped.get(model)?.as_ref())));
    let mut comparison = differences(app, search, offered);
    comparison.catalogue_date = Some(shipped.date.clone());
    comparison.unnamed = unnamed(app, search, &own, |model| shipped.get(model).is_some());
    comparison
}

/// Everything that counts beside a list.
fn of_list(app: &App, search: &ComparisonSearch, list: PriceList) -> PriceComparison {
    let models = list.models.iter();
    let offered = models.map(|(model, sheet)| (model.as_str(), sheet));
    let mut comparison = differences(app, search, offered);
    let book = app.prices().book();
    let own = own_prices(&book, app.clock().now_ms());
    comparison.unnamed = unnamed(app, search, &own, |model| list.models.contains_key(model));
    comparison.left_out_total = list.left_out.len();
    let left_out = list.left_out.into_iter().take(MOST_LEFT_OUT);
    comparison.left_out = left_out.map(Into::into).collect();
    comparison
}

/// Models whose price is not the catalogue's.
fn own_prices(book: &PriceBook, now: i64) -> BTreeSet<&str> {
    let is_own = |model: &&str| {
        let found = book.find(model, None, now);
        found.is_some_and(|found| found.source != Source::Catalogue)
    };
    book.stored_models().filter(is_own).collect()
}

/// How many models of interest the source says nothing about.
fn unnamed(
    app: &App,
    search: &ComparisonSearch,
    own: &BTreeSet<&str>,
    is_named: impl Fn(&str) -> bool,
) -> usize {
    let snapshot = app.channels().snapshot();
    let mut names: BTreeSet<&str> = snapshot.all_models().collect();
    let is_wanted = |name: &&&str| search.served != Some(true) || snapshot.is_served(name);
    names.extend(own.iter().filter(is_wanted));
    let names = names.into_iter().filter(|name| search.is_wanted(name));
    names.filter(|name| !is_named(name)).count()
}

impl ComparisonSearch {
    fn is_wanted(&self, model: &str) -> bool {
        let wanted = self.search.as_deref().unwrap_or_default().to_lowercase();
        model.to_lowercase().contains(&wanted)
    }
}

fn differences<'a>(
    app: &App,
    search: &ComparisonSearch,
    offered: impl Iterator<Item = (&'a str, &'a PriceSheet)>,
) -> PriceComparison {
    let snapshot = app.channels().snapshot();
    let (book, now) = (app.prices().book(), app.clock().now_ms());
    let mut comparison = PriceComparison::default();
    for (model, sheet) in offered.filter(|(model, _)| search.is_wanted(model)) {
        let is_served = snapshot.is_served(model);
        if search.served == Some(true) && !is_served {
            continue;
        }
        let found = book.find(model, None, now);
        let compared = compare(found.as_ref().map(|found| found.sheet.as_ref()), sheet);
        comparison.models += 1;
        comparison.same += compared.same;
        let lines = compared.differences.into_iter();
        let lines = lines.map(|one| PriceDifference::of(model, found.as_ref(), is_served, one));
        comparison
            .lines
            .extend(lines.filter(|line| search.kind.is_none_or(|kind| line.kind == kind)));
    }
    let count = |kind| {
        comparison
            .lines
            .iter()
            .filter(|line| line.kind == kind)
            .count()
    };
    let counts = (
        count(PriceLineKind::New),
        count(PriceLineKind::Changed),
        count(PriceLineKind::Removed),
    );
    (comparison.new, comparison.changed, comparison.removed) = counts;
    comparison.total = comparison.lines.len();
    let by_model = |line: &PriceDifference| (!line.is_served, line.model.clone());
    comparison.lines.sort_by_cached_key(by_model);
    comparison.lines.truncate(MOST_LINES);
    comparison
}
