//! The endpoints of text generation. Each says which dialect it speaks and hands over to the
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
use super::{count, text};
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
    responses,
    Responses,
    text::read,
    "/v1/responses"
);
endpoint!(
    /// `POST /v1/responses/input_tokens`
    count_responses,
    Responses,
    count::read,
    "/v1/responses/input_tokens"
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
