//! The model-call interface, `/v1` and `/v1beta`: its route table.

mod admit;
mod attempt;
mod authenticate;
mod body;
mod call;
mod count;
mod endpoints;
mod error;
mod headers;
mod joined;
mod log_row;
mod models;
mod pipeline;
mod refusals;
mod relay;
mod respond_with;
mod send;
mod settle;
mod task;
mod text;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

pub use error::respond;

use crate::app::App;

/// Every route of the model-call interface.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v1/chat/completions", post(endpoints::chat_completions))
        .route("/v1/completions", post(endpoints::text_completions))
        .route("/v1/messages", post(endpoints::messages))
        .route("/v1/messages/count_tokens", post(endpoints::count_messages))
        .route("/v1/responses", post(endpoints::responses))
        .route(
            "/v1/responses/input_tokens",
            post(endpoints::count_responses),
        )
        .route("/v1/models", get(models::list))
        .route(
            "/v1/models/{*model}",
            get(models::one).post(endpoints::generate_content),
        )
        .route("/v1beta/models", get(models::list))
        .route(
            "/v1beta/models/{*model}",
            get(models::one).post(endpoints::generate_content),
        )
}
