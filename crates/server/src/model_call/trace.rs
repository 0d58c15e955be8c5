//! A call as spans, made when it is over and only where it is traced: the call itself, and one for
//! each attempt. Names follow OpenTelemetry's conventions for generative AI. Nothing that a client or a
//! vendor wrote goes into a span.

use std::borrow::Cow;
use std::time::Duration;

use providers::Headers;
use store::request_log::{Attempt, LoggedCall};

use super::settle::Open;
use crate::app::App;
use crate::channels::{Channel, Destination};
use crate::telemetry::{FAULTS, Span, SpanKind, TraceContext};

/// Hands the spans of a call over. `row` says how it ended.
pub fn ended(open: &Open, row: &LoggedCall) {
    let (Some(context), Some(tracer)) = (open.call.trace, open.app.tracer()) else {
        return;
    };
    let end_ns = nanos(open.app.clock().now().as_nanosecond());
    let start_ns = end_ns.saturating_sub(nanos(open.elapsed().as_nanos()));
    let mut spans = vec![of_call(open, row, &context, (start_ns, end_ns))];
    for (number, attempt) in row.attempts.0.iter().enumerate() {
        spans.push(of_attempt(open, row, &context, start_ns, (number, attempt)));
    }
    tracer.take(spans);
}

fn of_call(
    open: &Open,
    row: &LoggedCall,
    context: &TraceContext,
    (start_ns, end_ns): (u64, u64),
) -> Span {
    let endpoint = open.call.endpoint;
    let method = if endpoint == "/v1/realtime" {
        "GET"
    } else {
        "POST"
    };
    let mut span = Span {
        trace_id: context.trace_id,
        id: context.span_id,
        parent_id: context.parent_id,
        name: format!("{method} {endpoint}"),
        kind: SpanKind::Server,
        start_ns,
        end_ns,
        attributes: Vec::with_capacity(16),
        is_error: row.status >= 500 || (open.is_answering && row.error_cause.is_some()),
    };
    span.text("http.request.method", method);
    span.text("http.route", endpoint);
    span.number("http.response.status_code", row.status);
    span.text("gen_ai.operation.name", operation(endpoint));
    span.text("gen_ai.request.model", row.model.to_string());
    if let Some(place) = &open.place {
        span.text("gen_ai.provider.name", provider(&place.channel.provider));
        span.text("gen_ai.response.model", place.upstream_model.to_string());
    }
    usage(&mut span, row);
    if let Some(cause) = &row.error_cause {
        span.text("error.type", cause.to_string());
    }
    span.text("modelgate.request_id", row.request_id.to_string());
    span.number("modelgate.user_id", row.user_id.0);
    span.switch("modelgate.stream", row.is_stream);
    span.number("modelgate.attempts", row.attempts.0.len());
    span
}

fn of_attempt(
    open: &Open,
    row: &LoggedCall,
    context: &TraceContext,
    call_start_ns: u64,
    (number, attempt): (usize, &Attempt),
) -> Span {
    let start_ns = call_start_ns.saturating_add(millis(attempt.started_after_ms));
    let snapshot = open.app.channels().snapshot();
    let channel = snapshot.channel(attempt.channel_id);
    let upstream_model = channel.and_then(|channel| channel.upstream_model(&row.model));
    let model = upstream_model.map_or_else(|| row.model.to_string(), |name| name.to_string());
    let operation = operation(open.call.endpoint);
    let mut span = Span {
        trace_id: context.trace_id,
        id: context.attempt_id(number),
        parent_id: Some(context.span_id),
        name: format!("{operation} {model}"),
        kind: SpanKind::Client,
        start_ns,
        end_ns: start_ns.saturating_add(millis(attempt.total_ms)),
        attributes: Vec::with_capacity(12),
        is_error: attempt.error.is_some(),
    };
    span.text("gen_ai.operation.name", operation);
    span.text("gen_ai.request.model", model.clone());
    if let Some(channel) = channel {
        span.text("gen_ai.provider.name", provider(&channel.provider));
        span.text("modelgate.channel", channel.name.to_string());
        add_address(&mut span, channel);
    }
    if let Some(status) = attempt.status {
        span.number("http.response.status_code", status);
    }
    if let Some(first_byte_ms) = attempt.first_byte_ms {
        span.number("modelgate.first_byte_ms", first_byte_ms);
    }
    if let Some(error) = &attempt.error {
        span.text("error.type", fault(error, row));
    } else {
        // The answer that the client got is this attempt's.
        span.text("gen_ai.response.model", model);
        usage(&mut span, row);
    }
    span
}

fn usage(span: &mut Span, row: &LoggedCall) {
    let input = row.input_tokens.saturating_add(row.cache_read_tokens);
    if input > 0 || row.output_tokens > 0 {
        span.number("gen_ai.usage.input_tokens", input);
        span.number("gen_ai.usage.output_tokens", row.output_tokens);
    }
}

/// The name of what went wrong, without what was said: that may quote the client's words.
fn fault(error: &str, row: &LoggedCall) -> Cow<'static, str> {
    let name = error.split(':').next().unwrap_or_default();
    let known = FAULTS.iter().map(|fault| fault.name());
    if let Some(known) = known.into_iter().find(|known| *known == name) {
        return known.into();
    }
    let cause = row.error_cause.as_ref().map(ToString::to_string);
    cause.map_or(Cow::Borrowed("_OTHER"), Cow::Owned)
}

fn add_address(span: &mut Span, channel: &Channel) {
    let Some(key) = channel.keys.first() else {
        return;
    };
    if let Destination::Vendor { upstream, .. } = &key.destination {
        let origin = upstream.base.origin();
        span.text("server.address", origin.host.to_string());
        span.number("server.port", i64::from(origin.port));
    }
}

/// What an endpoint does, in the words of the conventions where they have one.
fn operation(endpoint: &str) -> &'static str {
    match endpoint {
        "/v1/completions" => "text_completion",
        "/v1/embeddings" | "/v1beta/models:embedContent" | "/v1beta/models:batchEmbedContents" => {
            "embeddings"
        }
        "/v1beta/models:generateContent" | "/v1beta/models:streamGenerateContent" => {
            "generate_content"
        }
        "/v1/messages/count_tokens"
        | "/v1/responses/input_tokens"
        | "/v1beta/models:countTokens" => "count_tokens",
        "/v1/rerank" | "/v2/rerank" | "/rerank" => "rerank",
        "/v1/moderations" => "moderation",
        "/v1/images/generations" | "/v1/images/edits" | "/v1/images/variations" => {
            "image_generation"
        }
        "/v1/audio/transcriptions" | "/v1/audio/translations" => "transcription",
        "/v1/audio/speech" => "speech",
        "/v1/realtime" => "realtime",
        _ => "chat",
    }
}

/// A provider in the words of the conventions where they have one.
fn provider(id: &str) -> Cow<'static, str> {
    let known = match id {
        "google" => "gcp.gemini",
        "vertex" => "gcp.vertex_ai",
        "azure" => "azure.ai.openai",
        "bedrock" => "aws.bedrock",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        other => return Cow::Owned(other.to_owned()),
    };
    Cow::Borrowed(known)
}

/// Tells an upstream of the trace of a call, where that is wanted.
pub fn pass_on(app: &App, context: Option<TraceContext>, number: usize, headers: &mut Headers) {
    if let Some(context) = context
        && app.tracer().is_some_and(|tracer| tracer.passes_on)
    {
        context.pass_on(number, headers);
    }
}

fn nanos(value: impl TryInto<u64>) -> u64 {
    value.try_into().unwrap_or(0)
}

fn millis(value: i64) -> u64 {
    let milliseconds = Duration::from_millis(u64::try_from(value).unwrap_or(0));
    nanos(milliseconds.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::super::endpoints::ENDPOINTS;
    use super::operation;

    #[test]
    fn only_what_answers_in_words_is_a_chat() {
        let paths = ENDPOINTS.iter().map(|endpoint| endpoint.path);
        let chats: Vec<&str> = paths.filter(|path| operation(path) == "chat").collect();
        let expected = ["/v1/chat/completions", "/v1/messages", "/v1/responses"];
        assert_eq!(chats, expected);
    }
}
