//! Text on its way to an upstream that speaks it.

use std::sync::Arc;

use axum::body::Body;
use billing::pricing::{Bounds, OtherUnits, TokenKinds};
use billing::tokens;
use bytes::Bytes;
use dialects::audio::{SpeechRequest, google};
use dialects::canonical::Failure;
use futures_util::future::BoxFuture;
use providers::{Format, Operation, RequestBody};

use super::spoken::{SpeechListener, Spoken};
use crate::app::App;
use crate::model_call::body::json_body;
use crate::model_call::call::Call;
use crate::model_call::headers::passing;
use crate::model_call::metering::Basis;
use crate::model_call::passing_answer::PassingAnswer;
use crate::model_call::pipeline::Refused;
use crate::model_call::task::{Addressee, Outgoing, Task};
use crate::model_call::vendor_state;
use crate::model_call::whole_answer::WholeAnswer;

/// Characters that are spoken in a second at the slowest.
const CHARACTERS_A_SECOND: u64 = 2;
/// Tokens of a second that is spoken, at most.
const TOKENS_A_SECOND: u64 = 32;

/// Reads `/v1/audio/speech`.
pub fn read<'a>(
    app: &'a Arc<App>,
    call: &'a Call,
    body: Body,
) -> BoxFuture<'a, Result<Box<dyn Task>, Refused>> {
    Box::pin(async move {
        let body = json_body(app, call, body).await?;
        let request = Arc::new(SpeechRequest::read(&body)?);
        vendor_state::check_other(app, &body)?;
        let task: Box<dyn Task> = Box::new(SpeechTask { request, body });
        Ok(task)
    })
}

/// A text to be spoken.
struct SpeechTask {
    request: Arc<SpeechRequest>,
    body: Bytes,
}

impl Task for SpeechTask {
    fn operation(&self) -> Operation {
        Operation::Speak
    }

    fn model(&self) -> &str {
        &self.request.model
    }

    fn is_stream(&self) -> bool {
        self.request.stream_format == dialects::audio::StreamFormat::Events
    }

    fn bounds(&self) -> Option<Bounds> {
        let characters = self.request.characters();
        let seconds = characters.div_ceil(CHARACTERS_A_SECOND) + 1;
        let instructions = self.request.instructions.as_deref().unwrap_or_default();
        Some(Bounds {
            input: tokens::bound(&self.request.input) + tokens::bound(instructions),
            output: seconds * TOKENS_A_SECOND,
            kinds: TokenKinds::ALL,
            other: OtherUnits {
                calls: 1,
                seconds,
                characters,
                ..OtherUnits::default()
            },
        })
    }

    fn estimated_tokens(&self) -> u64 {
        tokens::approximate(self.request.input.len() as u64)
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move { self.write_for(&to) })
    }
}

impl SpeechTask {
    fn write_for(&self, to: &Addressee<'_>) -> Result<Outgoing, Failure> {
        let basis = Basis::of(&self.request.model, to);
        let headers = passing(to.call, to.place, None);
        if to.formats.contains(&Format::Common) {
            let body = SpeechRequest::forward(&self.body, &to.place.upstream_model)?;
            let listener = SpeechListener::new(self.request.clone(), basis);
            return Ok(Outgoing {
                format: Format::Common,
                is_stream: self.is_stream(),
                headers,
                query: None,
                body: RequestBody::Whole(body.into()),
                dropped: Vec::new(),
                answer: Box::new(PassingAnswer::new(listener)),
            });
        }
        if !to.formats.contains(&Format::Google) {
            let text = "The upstream has no format for speech that is known.";
            return Err(Failure::unsupported("model", text));
        }
        let body = google::write_speech_call(&self.request)?;
        let spoken = Spoken::new(self.request.clone(), basis)?;
        let content_type = spoken.content_type();
        Ok(Outgoing {
            format: Format::Google,
            is_stream: false,
            headers,
            query: None,
            body: RequestBody::Whole(body.into()),
            dropped: Vec::new(),
            answer: Box::new(WholeAnswer::new(spoken, content_type)),
        })
    }
}
