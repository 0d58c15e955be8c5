//! Generate content, whose path holds the model and what is asked of it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use dialects::canonical::{Failure, FailureKind};
use dialects::{DialectId, Framing, PathHints};

use super::call::Call;
use super::error::respond;
use super::pipeline::{self, Reader};
use super::{count, embeddings, text};
use crate::app::App;
use crate::middleware::Caller;

/// `POST /v1beta/models/{model}:generateContent` and its siblings.
pub async fn generate_content(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    // A model's name may hold colons itself.
    let (model, verb) = path.rsplit_once(':').unwrap_or((&path, ""));
    let (read, stream, endpoint): (Reader, _, _) = match verb {
        "generateContent" => (text::read, false, "/v1beta/models:generateContent"),
        "streamGenerateContent" => (text::read, true, "/v1beta/models:streamGenerateContent"),
        "countTokens" => (count::read, false, "/v1beta/models:countTokens"),
        "embedContent" => (embeddings::read_one, false, "/v1beta/models:embedContent"),
        "batchEmbedContents" => (
            embeddings::read_batch,
            false,
            "/v1beta/models:batchEmbedContents",
        ),
        _ => {
            let failure = Failure::new(FailureKind::NotFound, "There is no such path.");
            return respond(&failure, DialectId::GenerateContent, &caller.request_id);
        }
    };
    let model = model.to_owned();
    let dialect = DialectId::GenerateContent;
    let (mut call, body) = Call::new(dialect, endpoint, caller, request);
    let is_sse = call
        .uri()
        .query()
        .unwrap_or_default()
        .split('&')
        .any(|pair| pair == "alt=sse");
    call.framing = if is_sse {
        Framing::ServerSentEvents
    } else {
        Framing::JsonArray
    };
    call.path = PathHints {
        model: Some(model),
        stream,
    };
    pipeline::run(&app, Arc::new(call), body, read)
        .await
        .into_response()
}
