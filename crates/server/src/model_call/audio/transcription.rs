//! Recordings on their way to an upstream that writes down what is said.

use std::sync::Arc;

use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use billing::pricing::{Bounds, OtherUnits, TokenKinds};
use dialects::audio::{TranscriptionOptions, google};
use dialects::canonical::Failure;
use futures_util::future::BoxFuture;
use http::header;
use providers::{Format, Operation, RequestBody};

use super::written::{TranscriptListener, Written};
use crate::app::App;
use crate::model_call::call::Call;
use crate::model_call::form::{Form, Kind, read_form};
use crate::model_call::headers::passing;
use crate::model_call::metering::Basis;
use crate::model_call::passing_answer::PassingAnswer;
use crate::model_call::pipeline::Refused;
use crate::model_call::strict;
use crate::model_call::task::{Addressee, Outgoing, Task};
use crate::model_call::whole_answer::WholeAnswer;
use crate::sound_length;

/// Tokens of a second that is heard, at most.
const HEARD_A_SECOND: u64 = 32;
/// Tokens of what is said in a second, at most.
const SAID_A_SECOND: u64 = 10;

static FORM: Kind = Kind {
    file: "file",
    has_one_file: true,
    options: &[
        "response_format",
        "stream",
        "language",
        "prompt",
        "temperature",
    ],
    check: |name, value| TranscriptionOptions::from_parts([(name, value)]).map(drop),
};

/// The margin of an estimate is this part of it.
const MARGIN_DIVISOR: u64 = 10;

type Read<'a> = BoxFuture<'a, Result<Box<dyn Task>, Refused>>;

/// Reads `/v1/audio/transcriptions`.
pub fn read_transcription<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(read(app, call, body, false))
}

/// Reads `/v1/audio/translations`.
pub fn read_translation<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(read(app, call, body, true))
}

async fn read(
    app: &App,
    call: &Call,
    body: Body,
    to_english: bool,
) -> Result<Box<dyn Task>, Refused> {
    let form = read_form(app, call, body, &FORM).await?;
    let options = TranscriptionOptions::from_parts(form.texts())?;
    let missing = || Failure::bad_request("model", "`model` is required.");
    let model = options.model.clone().ok_or_else(missing)?;
    let limit = u64::try_from(app.config().limits.body_bytes).unwrap_or(u64::MAX);
    let longest = form.longest().unwrap_or(limit);
    let milliseconds = if form.is_whole() {
        form.watcher().milliseconds()
    } else {
        sound_length::most(longest)
    };
    Ok(Box::new(TranscriptionTask {
        milliseconds,
        longest,
        is_counted: false,
        model,
        form,
        options,
        to_english,
    }))
}

/// A recording to be written down.
struct TranscriptionTask {
    model: String,
    form: Form,
    options: TranscriptionOptions,
    to_english: bool,
    longest: u64,
    milliseconds: u64,
    is_counted: bool,
}

impl Task for TranscriptionTask {
    fn operation(&self) -> Operation {
        if self.to_english {
            Operation::Translate
        } else {
            Operation::Transcribe
        }
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_stream(&self) -> bool {
        self.options.stream
    }

    fn bounds(&self) -> Option<Bounds> {
        let seconds = self.milliseconds.div_ceil(1000);
        Some(Bounds {
            input: seconds.saturating_mul(HEARD_A_SECOND),
            output: seconds.saturating_mul(SAID_A_SECOND),
            kinds: TokenKinds::ALL,
            other: OtherUnits {
                calls: 1,
                seconds,
                ..OtherUnits::default()
            },
        })
    }

    fn estimated_tokens(&self) -> u64 {
        let heard = self.form.watcher().milliseconds_of(self.longest);
        heard.div_ceil(1000).saturating_mul(HEARD_A_SECOND)
    }

    /// Takes the duration that the beginning of a large recording makes likely, with a margin, if its size allows much
    /// more. A recording that turns out to be longer is not sent on to its end.
    fn count_input(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            let told = self.form.watcher().milliseconds_of(self.longest);
            let told = told.saturating_add(told / MARGIN_DIVISOR);
            let is_better = !self.is_counted && told < self.milliseconds;
            self.is_counted = true;
            if is_better {
                self.milliseconds = told;
            }
            is_better
        })
    }

    fn is_repeatable(&self) -> bool {
        self.form.is_repeatable()
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move {
            let basis = Basis::of(&self.model, &to);
            let mut headers = passing(to.call, to.place, None);
            self.form.limit_recording(self.milliseconds);
            if to.formats.contains(&Format::Common) {
                headers.insert(header::CONTENT_TYPE, self.form.content_type());
                let listener = TranscriptListener::new(self.form.watcher(), basis);
                return Ok(Outgoing {
                    format: Format::Common,
                    is_stream: self.options.stream,
                    headers,
                    query: None,
                    body: self.form.body(&to.place.upstream_model),
                    dropped: Vec::new(),
                    answer: Box::new(PassingAnswer::new(listener)),
                });
            }
            if !to.formats.contains(&Format::Google) {
                let text = "The upstream has no format for recordings that is known.";
                return Err(Failure::unsupported("model", text));
            }
            let body = self.of_google().await?;
            let dropped = google::dropped(|name| self.form.text(name).is_some());
            strict::check(to.call, &dropped)?;
            let written = Written::new(&self.options, self.form.watcher(), basis)?;
            let content_type = written.content_type();
            Ok(Outgoing {
                format: Format::Google,
                is_stream: false,
                headers,
                query: None,
                body: RequestBody::Whole(body.into()),
                dropped,
                answer: Box::new(WholeAnswer::new(written, content_type)),
            })
        })
    }
}

impl TranscriptionTask {
    /// Models of Google take the recording inside of their request.
    async fn of_google(&mut self) -> Result<Vec<u8>, Failure> {
        self.form.hold_all().await?;
        if self.form.watcher().milliseconds() > self.milliseconds {
            let text = "The audio is longer than was reserved for it.";
            return Err(Failure::bad_request("file", text));
        }
        self.options = TranscriptionOptions::from_parts(self.form.texts())?;
        let file = self.form.files().iter().find(|file| file.name == "file");
        let file = file.ok_or_else(|| Failure::bad_request("file", "`file` is required."))?;
        let kind = file.media_type.as_deref().unwrap_or("audio/wav");
        let data = STANDARD.encode(file.bytes());
        Ok(google::write_transcript_call(
            &self.options,
            kind,
            &data,
            self.to_english,
        ))
    }
}
