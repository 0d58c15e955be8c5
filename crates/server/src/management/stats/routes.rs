//! The routes of statistics.

use super::search::{RangeQuery, SumSearch};
use super::{channels, errors, series, summary};
use crate::management::frame::{Level, Route};
use crate::management::scope::ScopeQuery;

/// The routes.
pub fn routes() -> Vec<Route> {
    let of_calls = vec![
        Route::get("/api/stats/summary", Level::User, summary::summary)
            .about("Sum calls up, beside the period before")
            .gives::<summary::SummaryView>(),
        Route::get("/api/stats/percentiles", Level::User, summary::percentiles)
            .about("Read how long calls took")
            .gives::<summary::PercentilesView>(),
        Route::get("/api/stats/timeseries", Level::User, series::timeseries)
            .about("Sum calls up over time")
            .searches::<series::SeriesQuery>()
            .gives::<series::SeriesView>(),
        Route::get("/api/stats/breakdown", Level::User, series::breakdown)
            .about("Sum calls up by model, token, endpoint, user or channel")
            .searches::<series::BreakdownQuery>()
            .gives::<series::BreakdownView>(),
        Route::get("/api/stats/top", Level::User, series::top)
            .about("Read the five largest of a breakdown")
            .searches::<series::BreakdownQuery>()
            .gives::<series::BreakdownView>(),
    ];
    let searched = of_calls.into_iter().map(|route| {
        route
            .searches::<RangeQuery>()
            .searches::<ScopeQuery>()
            .searches::<SumSearch>()
    });
    let of_the_service = [
        Route::get("/api/stats/errors", Level::Administrator, errors::errors)
            .about("Read why calls failed, most frequent first")
            .searches::<RangeQuery>()
            .gives::<Vec<errors::CauseView>>(),
        Route::get(
            "/api/stats/channel_health",
            Level::Administrator,
            channels::channel_health,
        )
        .about("Read how often tries on channels failed, over time")
        .searches::<RangeQuery>()
        .searches::<channels::ChannelQuery>()
        .gives::<Vec<channels::ChannelHealthView>>(),
    ];
    searched.chain(of_the_service).collect()
}
