//! The routes of prices.

use super::{change, list, sync, view};
use crate::management::frame::{Level, PageQuery, PagedList, Route};

/// The routes.
pub fn routes() -> Vec<Route> {
    let administrator = Level::Administrator;
    vec![
        Route::get("/api/price/", administrator, list::list)
            .about("List what models cost")
            .details(
                "The price that counts now, and who set it: administrators before the configuration \
                 file before the shipped catalogue. With `served`, models that channels serve, those \
                 without a price included.",
            )
            .searches::<PageQuery>()
            .searches::<list::PriceSearch>()
            .gives::<PagedList<view::PriceView>>(),
        Route::get("/api/price/history", administrator, list::history)
            .about("Read every stored price of a model, latest first")
            .searches::<list::HistoryQuery>()
            .gives::<Vec<view::StoredPriceView>>(),
        Route::post("/api/price/", administrator, change::set)
            .about("Set what a model costs from now or a later time on")
            .details("`prices` has the words of the configuration's `[[prices]]`, as decimal text.")
            .takes::<change::NewPriceInput>()
            .gives::<view::StoredPriceView>()
            .moves_money(),
        Route::post("/api/price/sync/preview", administrator, sync::preview)
            .about("Compare prices with the shipped catalogue or an uploaded list")
            .details(
                "Writes nothing and fetches nothing. With `catalogue`, prices that administrators or \
                 the configuration set beside the shipped ones; with `litellm`, every price beside \
                 the body, a list in the shape of LiteLLM's `model_prices_and_context_window.json` of \
                 at most 8 MiB. Prices of zero there mean that none is known. Models that the source \
                 does not name are only counted. Narrow it with `search`, `served` and `kind` where \
                 there are more than 1,000 differences.",
            )
            .searches::<sync::ComparisonSearch>()
            .takes_bytes()
            .gives::<sync::PriceComparison>(),
        Route::post("/api/price/sync", administrator, sync::accept)
            .about("Take over chosen lines of a comparison, all or none")
            .details(
                "Each model gets a price of its own from now on: what counts now with these lines. \
                 Where that is what counts without one, its own price ends. A line whose `present` is \
                 not what counts is refused (409). Exchange `present` and `offered` to take it back.",
            )
            .takes::<sync::AcceptedLines>()
            .gives::<sync::PricesAccepted>()
            .moves_money(),
        Route::delete("/api/price/{id}", administrator, change::end)
            .about("End a price that an administrator set")
            .details("The configuration's or the catalogue's counts again; one of the future goes.")
            .moves_money(),
    ]
}
