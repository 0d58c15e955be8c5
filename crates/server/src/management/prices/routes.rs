//! The routes of prices.

use super::{change, list, view};
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
            .gives::<view::StoredPriceView>(),
        Route::delete("/api/price/{id}", administrator, change::end)
            .about("End a price that an administrator set")
            .details("The configuration's or the catalogue's counts again; one of the future goes."),
    ]
}
