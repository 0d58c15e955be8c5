//! The routes of channels, providers and routing.

use super::view::ChannelView;
use super::{
    balance, batch, create, fetch_models, keys, list, routing, state, subject, test, update,
    vendors,
};
use crate::management::frame::{Level, PageQuery, PagedList, Route};

/// The routes.
pub fn routes() -> Vec<Route> {
    let mut routes = of_channels();
    routes.extend(of_trials());
    routes.extend(of_routing());
    routes
}

fn of_channels() -> Vec<Route> {
    let administrator = Level::Administrator;
    vec![
        Route::get("/api/channel/", administrator, list::list)
            .about("List channels")
            .details("With how they are doing: latency, error rate, pauses.")
            .searches::<PageQuery>()
            .searches::<list::ChannelSearch>()
            .gives::<PagedList<ChannelView>>(),
        Route::get("/api/channel/{id}", administrator, list::one)
            .about("Read a channel")
            .gives::<ChannelView>(),
        Route::post("/api/channel/", administrator, create::create)
            .about("Make a channel")
            .takes::<create::NewChannelInput>()
            .gives::<ChannelView>(),
        Route::put("/api/channel/", administrator, update::update)
            .about("Change a channel")
            .details(
                "An empty key is unchanged; keys never come back. Keys are pinned to the host that \
                 they were given for: an address on another host needs the keys with it.",
            )
            .takes::<update::ChannelUpdate>()
            .gives::<ChannelView>(),
        Route::delete("/api/channel/{id}", administrator, update::delete).about("Delete a channel"),
        Route::post("/api/channel/batch", administrator, batch::batch)
            .about("Act on many channels")
            .takes::<batch::ChannelBatch>()
            .gives::<batch::ChannelBatchDone>(),
        Route::post("/api/channel/{id}/state", administrator, state::change)
            .about("Switch a channel on, let it drain, or switch it off")
            .details("Also one that the configuration file declares: a reload leaves it so.")
            .takes::<state::StateChange>()
            .gives::<ChannelView>(),
        Route::get("/api/channel/{id}/keys", administrator, keys::list)
            .about("List a channel's keys, without the keys")
            .gives::<Vec<keys::KeyView>>(),
        Route::post("/api/channel/{id}/keys", administrator, keys::change)
            .about("Add, replace or remove single keys of a channel")
            .takes::<keys::KeyChange>()
            .gives::<ChannelView>(),
    ]
}

fn of_trials() -> Vec<Route> {
    let administrator = Level::Administrator;
    vec![
        Route::post("/api/channel/test", administrator, test::test)
            .about("Try a channel out, step by step")
            .details(
                "Events `step` (TestStep) for resolve, connect, tls, authenticate, list_models, \
                 reply, stream and cost, then `done` (TestVerdict). Nobody is charged and nothing \
                 is logged.",
            )
            .takes::<subject::Trial>()
            .gives_events::<test::TestEvent>(),
        Route::post("/api/channel/test_matrix", administrator, test::matrix)
            .about("Try many channels out with many models, as a task")
            .details(
                "`GET /api/task/{task_id}` says how far it is; `result.cells` has {channel_id, \
                 model, outcome: passed, failed or skipped, detail, took_ms}.",
            )
            .takes::<test::Matrix>()
            .gives::<test::MatrixBegun>(),
        Route::post(
            "/api/channel/fetch_models",
            administrator,
            fetch_models::fetch,
        )
        .about("Ask an upstream which models it has")
        .takes::<subject::Trial>()
        .gives::<fetch_models::FetchedModels>(),
        Route::post("/api/channel/{id}/balance", administrator, balance::balance)
            .about("Ask the vendor what is left on the channel's accounts")
            .details("DeepSeek, Moonshot, OpenRouter and SiliconFlow tell.")
            .gives::<balance::ChannelBalance>(),
        Route::get("/api/provider/", administrator, vendors::list)
            .about("List the providers that a channel can be of")
            .gives::<Vec<vendors::ProviderView>>(),
    ]
}

fn of_routing() -> Vec<Route> {
    let administrator = Level::Administrator;
    vec![
        Route::get(
            "/api/route/explain",
            administrator,
            routing::explain_by_query,
        )
        .about("Explain which channels a call would try now, and why not the others")
        .searches::<routing::ExplainQuery>()
        .gives::<routing::ExplanationView>(),
        Route::post(
            "/api/route/explain",
            administrator,
            routing::explain_by_body,
        )
        .about("Explain a call, asked in a body")
        .takes::<routing::ExplainQuery>()
        .gives::<routing::ExplanationView>(),
        Route::get("/api/route/coverage", administrator, routing::coverage)
            .about("Read how well every model is served for every group")
            .gives::<Vec<routing::CoverageView>>(),
    ]
}
