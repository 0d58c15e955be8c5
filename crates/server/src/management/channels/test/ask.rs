//! One tiny question to the channel's model, as calls would put it: the same formats, the same
//! overrides, the same signature.

use std::time::{Duration, Instant};

use bytes::Bytes;
use dialects::canonical::Usage;
use dialects::convert::{StreamConverter, convert_reply_from, convert_request_to, dialect};
use dialects::passes::Target;
use dialects::{DialectId, Framing, PathHints, ReplyContext, UpstreamDialect};
use providers::{Call, Format, Headers, Operation, RequestBody, UpstreamFailure, UpstreamReply};
use serde_json::{Value, json};

use super::note::StepNote;
use crate::app::App;
use crate::channels::Destination;
use crate::management::channels::subject::Subject;
use crate::model_call::{Message, send_to};

const CLIENT: DialectId = DialectId::ChatCompletions;
/// Enough for reasoning models to come to a word.
const MOST_TOKENS: u32 = 64;
const LONGEST: usize = 1 << 20;
const SHOWN: usize = 80;

/// What became of a question.
pub enum Asked {
    /// An answer.
    Answered(Box<Answer>),
    /// The channel has nothing that can be asked so.
    NothingToAsk(StepNote),
}

/// An answer.
pub struct Answer {
    /// How it begins.
    pub beginning: String,
    /// What was used, as the upstream said.
    pub usage: Option<Usage>,
    /// When a stream began.
    pub first_byte: Option<Duration>,
}

/// Asks the model for one word.
pub async fn ask(app: &App, subject: &Subject, is_stream: bool) -> Result<Asked, UpstreamFailure> {
    let Some(model) = &subject.upstream_model else {
        let note = if subject.channel.model_names().is_empty() {
            StepNote::NoModel
        } else {
            StepNote::ByPattern
        };
        return Ok(Asked::NothingToAsk(note));
    };
    let formats = subject.channel.formats(Operation::Generate, model);
    let spoken = formats
        .iter()
        .find_map(|format| Some((*format, format.text()?)));
    let Some((format, upstream)) = spoken else {
        return Ok(Asked::NothingToAsk(StepNote::NoText));
    };
    let (body, context) = question(model, format, upstream, is_stream)?;
    let message = Message {
        operation: Operation::Generate,
        format,
        is_stream,
        headers: Headers::default(),
        query: None,
        body: RequestBody::Whole(body),
    };
    let destination = &subject.channel.keys[0].destination;
    let way = (destination, &subject.channel.overrides);
    let began = Instant::now();
    let reply = send_to(app, way, model, message, &mut None).await?;
    if !reply.status.is_success() {
        let start = reply.body.collect_start(64 * 1024).await;
        let now = app.clock().now();
        return Err(UpstreamFailure::from_reply(
            reply.status,
            &reply.headers,
            &start,
            now,
        ));
    }
    if !is_stream {
        return whole(reply, upstream, &context).await.map(answered);
    }
    let call = Call::new(Operation::Generate, format, model).streamed(true);
    let unwrapping = match destination {
        Destination::Vendor { upstream, .. } => upstream.provider.framing(&call).unwrapping(),
        Destination::Demo(_) => None,
    };
    streamed(reply, (upstream, unwrapping), &context, began)
        .await
        .map(answered)
}

fn answered(answer: Answer) -> Asked {
    Asked::Answered(Box::new(answer))
}

fn question(
    model: &str,
    format: Format,
    upstream: &dyn UpstreamDialect,
    is_stream: bool,
) -> Result<(Bytes, ReplyContext), UpstreamFailure> {
    let mut body = json!({
        "model": model,
        "messages": [{"role": "user", "content": "Reply with the single word: ok"}],
        "max_tokens": MOST_TOKENS,
    });
    if is_stream {
        body["stream"] = json!(true);
        body["stream_options"] = json!({"include_usage": true});
    }
    let ours = |failure: dialects::canonical::Failure| UpstreamFailure::gateway(&failure.message);
    let text = body.to_string();
    let request = dialect(CLIENT).read_request(text.as_bytes(), &PathHints::default());
    let target = Target::new(format.dialect().unwrap_or(CLIENT), model);
    let mut context = ReplyContext {
        model: model.to_owned(),
        include_usage: true,
        framing: Framing::ServerSentEvents,
        ..ReplyContext::default()
    };
    let mut request = request.map_err(ours)?;
    let written =
        convert_request_to(upstream, &mut request, &target, &mut context).map_err(ours)?;
    Ok((written.body.into(), context))
}

async fn whole(
    reply: UpstreamReply,
    upstream: &dyn UpstreamDialect,
    context: &ReplyContext,
) -> Result<Answer, UpstreamFailure> {
    let body = reply.body.collect(LONGEST).await?;
    let (written, outcome) = convert_reply_from(upstream, CLIENT, &body, context)
        .map_err(UpstreamFailure::from_stream)?;
    let answer: Value = serde_json::from_slice(&written.body).unwrap_or_default();
    let said = answer["choices"][0]["message"]["content"].as_str();
    let beginning = said
        .unwrap_or_default()
        .trim()
        .chars()
        .take(SHOWN)
        .collect();
    Ok(Answer {
        beginning,
        usage: outcome.usage,
        first_byte: None,
    })
}

async fn streamed(
    mut reply: UpstreamReply,
    (upstream, mut unwrapping): (
        &dyn UpstreamDialect,
        Option<providers::vendors::bedrock::AmazonFrames>,
    ),
    context: &ReplyContext,
    began: Instant,
) -> Result<Answer, UpstreamFailure> {
    let mut converter =
        StreamConverter::from_upstream(upstream, Framing::ServerSentEvents, CLIENT, context);
    let (mut first_byte, mut length, mut shown) = (None, 0, Vec::new());
    while let Some(piece) = reply.body.piece().await {
        let piece = piece?;
        first_byte.get_or_insert_with(|| began.elapsed());
        length += piece.len();
        shown.clear();
        match &mut unwrapping {
            None => converter.push(&piece, &mut shown),
            Some(frames) => {
                let mut plain = Vec::new();
                let pushed = frames.push(&piece, &mut plain);
                pushed.map_err(|error| UpstreamFailure::unusable(&error.to_string()))?;
                converter.push(&plain, &mut shown);
            }
        }
        if converter.is_finished() || length > LONGEST {
            break;
        }
    }
    converter.close(&mut shown);
    let outcome = converter.outcome();
    if let Some(failure) = &outcome.failure {
        return Err(UpstreamFailure::from_stream(failure.clone()));
    }
    Ok(Answer {
        beginning: String::new(),
        usage: outcome.usage.clone(),
        first_byte,
    })
}
