//! The endpoints that a path alone names. Each says which dialect it speaks and how its body is read,
//! and hands over to the pipeline. Most calls come here: the edge looks them up by itself, without the
//! router.

use std::future::ready;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::Request;
use dialects::DialectId;
use dialects::DialectId::{ChatCompletions, Messages, Responses, TextCompletions};
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderValue, Method, header};
use providers::transport::http1_text::has_word;

use super::call::Call;
use super::error::no_websocket;
use super::pipeline::{self, Reader};
use super::{audio, count, embeddings, images, moderations, rerank, responses, text};
use crate::app::App;
use crate::in_place;
use crate::middleware::{Answer, Caller, Head};
use crate::refusal::method_not_allowed;

/// The endpoint at which clients also try a WebSocket.
const RESPONSES: &str = "/v1/responses";

/// All of them, the busiest first.
pub(super) static ENDPOINTS: [Endpoint; 17] = [
    post("/v1/chat/completions", ChatCompletions, text::read),
    post("/v1/messages", Messages, text::read),
    post("/v1/responses", Responses, responses::read),
    post("/v1/embeddings", ChatCompletions, embeddings::read),
    post("/v1/completions", TextCompletions, text::read),
    post("/v1/messages/count_tokens", Messages, count::read),
    post("/v1/responses/input_tokens", Responses, count::read),
    post("/v1/rerank", ChatCompletions, rerank::read),
    post("/v2/rerank", ChatCompletions, rerank::read),
    post("/rerank", ChatCompletions, rerank::read),
    post("/v1/moderations", ChatCompletions, moderations::read),
    post(
        "/v1/images/generations",
        ChatCompletions,
        images::read_generation,
    ),
    post("/v1/images/edits", ChatCompletions, images::read_edit),
    post(
        "/v1/images/variations",
        ChatCompletions,
        images::read_variation,
    ),
    post(
        "/v1/audio/transcriptions",
        ChatCompletions,
        audio::read_transcription,
    ),
    post(
        "/v1/audio/translations",
        ChatCompletions,
        audio::read_translation,
    ),
    post("/v1/audio/speech", ChatCompletions, audio::read_speech),
];

/// One endpoint.
#[derive(Debug)]
pub struct Endpoint {
    /// Its path, which is its name in rights and in the log.
    pub path: &'static str,
    dialect: DialectId,
    read: Reader,
}

const fn post(path: &'static str, dialect: DialectId, read: Reader) -> Endpoint {
    Endpoint {
        path,
        dialect,
        read,
    }
}

impl Endpoint {
    /// The endpoint at a path.
    pub fn at(path: &str) -> Option<&'static Self> {
        ENDPOINTS.iter().find(|endpoint| endpoint.path == path)
    }

    /// Answers a call.
    pub fn answer(
        &self,
        app: Arc<App>,
        caller: Caller,
        head: Arc<Head>,
        body: Body,
    ) -> BoxFuture<'static, Answer> {
        if head.parts.method != Method::POST {
            if self.path == RESPONSES && is_websocket_upgrade(&head.parts) {
                let response = no_websocket(self.dialect, &caller.request_id);
                return Box::pin(ready(response.into()));
            }
            let request = Request::from_parts(head.parts.clone(), body);
            return Box::pin(only_post(caller, request));
        }
        // Outside of what waits, which would have room for the request twice.
        let call = Call::with_head(self.dialect, self.path, caller, head);
        let (call, read) = (Arc::new(call), self.read);
        in_place::pinned(|| async move { pipeline::run(&app, call, body, read).await })
    }
}

/// Reports whether a request asks for a WebSocket.
fn is_websocket_upgrade(head: &Parts) -> bool {
    let mut upgrades = head.headers.get_all(header::UPGRADE).iter();
    head.method == Method::GET && upgrades.any(|value| has_word(value.as_bytes(), "websocket"))
}

async fn only_post(caller: Caller, request: Request) -> Answer {
    let mut response = method_not_allowed(Extension(caller), request).await;
    let allowed = HeaderValue::from_static("POST");
    response.headers_mut().insert(header::ALLOW, allowed);
    response.into()
}
