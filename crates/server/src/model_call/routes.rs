//! The route table of the model-call interface, but for the endpoints that a path alone names
//! (`endpoints.rs`).

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::generate_content::generate_content;
use super::{balance, models, realtime, responses};
use crate::app::App;

/// What the router answers of the model-call interface.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route(
            "/v1/responses/compact",
            post(responses::compact)
                .get(responses::compact)
                .delete(responses::compact),
        )
        .route(
            "/v1/responses/{id}",
            get(responses::get).delete(responses::delete),
        )
        .route(
            "/v1/responses/{id}/input_items",
            get(responses::input_items),
        )
        .route("/v1/responses/{id}/cancel", post(responses::cancel))
        .route("/v1/realtime", get(realtime::realtime))
        .route(
            "/v1/dashboard/billing/subscription",
            get(balance::subscription),
        )
        .route("/v1/dashboard/billing/usage", get(balance::usage))
        .route(
            "/dashboard/billing/subscription",
            get(balance::subscription),
        )
        .route("/dashboard/billing/usage", get(balance::usage))
        .route("/v1/models", get(models::list))
        .route(
            "/v1/models/{*model}",
            get(models::one).post(generate_content),
        )
        .route("/v1beta/models", get(models::list))
        .route(
            "/v1beta/models/{*model}",
            get(models::one).post(generate_content),
        )
}
