//! The endpoints. Each says which dialect it speaks and hands over to the
//! pipeline; generate content also takes its model and its verb from the path.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use dialects::canonical::{Failure, FailureKind};
use dialects::{DialectId, Framing, PathHints};

use super::call::Call;
use super::error::respond;
use super::pipeline::{self, Reader};
use super::{audio, count, embeddings, images, moderations, rerank, responses, text};
use crate::app::App;
use crate::middleware::Caller;

macro_rules! endpoint {
    ($(#[$doc:meta])* $name:ident, $dialect:ident, $read:path, $path:literal) => {
        $(#[$doc])*
        pub async fn $name(
            State(app): State<Arc<App>>,
            Extension(caller): Extension<Caller>,
            request: Request,
        ) -> Response {
            let (call, body) = Call::new(DialectId::$dialect, $path, caller, request);
            pipeline::run(&app, call, body, $read).await
        }
    };
}

endpoint!(
    /// `POST /v1/chat/completions`
    chat_completions,
    ChatCompletions,
    text::read,
    "/v1/chat/completions"
);
endpoint!(
    /// `POST /v1/completions`
    text_completions,
    TextCompletions,
    text::read,
    "/v1/completions"
);
endpoint!(
    /// `POST /v1/messages`
    messages,
    Messages,
    text::read,
    "/v1/messages"
);
endpoint!(
    /// `POST /v1/messages/count_tokens`
    count_messages,
    Messages,
    count::read,
    "/v1/messages/count_tokens"
);
endpoint!(
    /// `POST /v1/responses`
    create_response,
    Responses,
    responses::read,
    "/v1/responses"
);
endpoint!(
    /// `POST /v1/responses/input_tokens`
    count_responses,
    Responses,
    count::read,
    "/v1/responses/input_tokens"
);

endpoint!(
    /// `POST /v1/embeddings`
    embeddings,
    ChatCompletions,
    embeddings::read,
    "/v1/embeddings"
);
endpoint!(
    /// `POST /v1/rerank`
    rerank,
    ChatCompletions,
    rerank::read,
    "/v1/rerank"
);
endpoint!(
    /// `POST /v2/rerank`
    rerank_second,
    ChatCompletions,
    rerank::read,
    "/v2/rerank"
);
endpoint!(
    /// `POST /rerank`
    rerank_bare,
    ChatCompletions,
    rerank::read,
    "/rerank"
);
endpoint!(
    /// `POST /v1/moderations`
    moderations,
    ChatCompletions,
    moderations::read,
    "/v1/moderations"
);
endpoint!(
    /// `POST /v1/images/generations`
    image_generations,
    ChatCompletions,
    images::read_generation,
    "/v1/images/generations"
);
endpoint!(
    /// `POST /v1/images/edits`
    image_edits,
    ChatCompletions,
    images::read_edit,
    "/v1/images/edits"
);
endpoint!(
    /// `POST /v1/images/variations`
    image_variations,
    ChatCompletions,
    images::read_variation,
    "/v1/images/variations"
);
endpoint!(
    /// `POST /v1/audio/transcriptions`
    transcriptions,
    ChatCompletions,
    audio::read_transcription,
    "/v1/audio/transcriptions"
);
endpoint!(
    /// `POST /v1/audio/translations`
    translations,
    ChatCompletions,
    audio::read_translation,
    "/v1/audio/translations"
);
endpoint!(
    /// `POST /v1/audio/speech`
    speech,
    ChatCompletions,
    audio::read_speech,
    "/v1/audio/speech"
);

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
        .uri
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
    pipeline::run(&app, call, body, read).await
}
