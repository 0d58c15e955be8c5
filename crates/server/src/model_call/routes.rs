//! The route table of the model-call interface.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::{endpoints, models, realtime, responses};
use crate::app::App;

/// Every route of the model-call interface.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v1/chat/completions", post(endpoints::chat_completions))
        .route("/v1/completions", post(endpoints::text_completions))
        .route("/v1/messages", post(endpoints::messages))
        .route("/v1/messages/count_tokens", post(endpoints::count_messages))
        .route("/v1/responses", post(endpoints::create_response))
        .route(
            "/v1/responses/input_tokens",
            post(endpoints::count_responses),
        )
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
        .route("/v1/embeddings", post(endpoints::embeddings))
        .route("/v1/rerank", post(endpoints::rerank))
        .route("/v2/rerank", post(endpoints::rerank_second))
        .route("/rerank", post(endpoints::rerank_bare))
        .route("/v1/moderations", post(endpoints::moderations))
        .route("/v1/images/generations", post(endpoints::image_generations))
        .route("/v1/images/edits", post(endpoints::image_edits))
        .route("/v1/images/variations", post(endpoints::image_variations))
        .route("/v1/audio/transcriptions", post(endpoints::transcriptions))
        .route("/v1/audio/translations", post(endpoints::translations))
        .route("/v1/audio/speech", post(endpoints::speech))
        .route("/v1/realtime", get(realtime::realtime))
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
