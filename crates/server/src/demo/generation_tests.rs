//! Every dialect's own reader understands what the demo channel writes, and a stream folds to the
//! whole answer.

use std::time::Duration;

use dialects::canonical::{Event, PartKind, Reply};
use dialects::convert::dialect;
use dialects::fold::Fold;
use dialects::frames::FrameReader;
use dialects::{DialectId, Framing, canonical::EventSink};
use http::{HeaderMap, HeaderValue, StatusCode};
use providers::transport::Phase;
use providers::{Call, Format, Operation, RequestBody, TransportError, UpstreamReply};

use super::{HEADER, Switches, serve};

fn body(id: DialectId, stream: bool, ask: &str) -> String {
    let tool = r#"{"type":"object","properties":{"city":{"type":"string"}}}"#;
    match id {
        DialectId::ChatCompletions => format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":"{ask}"}}],"stream":{stream},
            "stream_options":{{"include_usage":true}},
            "tools":[{{"type":"function","function":{{"name":"weather","parameters":{tool}}}}}]}}"#
        ),
        DialectId::TextCompletions => format!(
            r#"{{"model":"m","prompt":"{ask}","stream":{stream},"stream_options":{{"include_usage":true}}}}"#
        ),
        DialectId::Messages => format!(
            r#"{{"model":"m","max_tokens":500,"messages":[{{"role":"user","content":"{ask}"}}],
            "stream":{stream},"tools":[{{"name":"weather","input_schema":{tool}}}]}}"#
        ),
        DialectId::GenerateContent => format!(
            r#"{{"contents":[{{"role":"user","parts":[{{"text":"{ask}"}}]}}],
            "tools":[{{"functionDeclarations":[{{"name":"weather","parameters":{tool}}}]}}]}}"#
        ),
        DialectId::Responses => format!(
            r#"{{"model":"m","input":"{ask}","stream":{stream},
            "tools":[{{"type":"function","name":"weather","parameters":{tool}}}]}}"#
        ),
    }
}

async fn ask(id: DialectId, model: &str, stream: bool, words: &str) -> UpstreamReply {
    ask_with(id, model, stream, words, &HeaderMap::new()).await
}

async fn ask_with(
    id: DialectId,
    model: &str,
    stream: bool,
    words: &str,
    headers: &HeaderMap,
) -> UpstreamReply {
    let call = Call::new(Operation::Generate, Format::Text(id), model).streamed(stream);
    let body = RequestBody::Whole(body(id, stream, words).into());
    let served = serve(&call, &Switches::default(), headers, body).await;
    served.expect("an answer")
}

async fn whole(id: DialectId, model: &str, words: &str) -> Reply {
    let reply = ask(id, model, false, words).await;
    assert_eq!(reply.status, StatusCode::OK);
    let bytes = reply.body.collect(1 << 20).await.expect("a body");
    dialect(id).read_reply(&bytes).expect("a readable answer")
}

async fn folded(id: DialectId, model: &str, words: &str) -> Reply {
    let mut reply = ask(id, model, true, words).await;
    let mut frames = FrameReader::new(Framing::ServerSentEvents);
    let mut reader = dialect(id).stream_reader();
    let mut fold = Fold::new(id);
    let mut pieces = 0;
    while let Some(piece) = reply.body.piece().await {
        pieces += 1;
        let piece = piece.expect("a piece");
        let pushed = frames.push(&piece, &mut |frame| reader.frame(frame, &mut fold));
        pushed.expect("frames of a fair length");
    }
    frames.close(&mut |frame| reader.frame(frame, &mut fold));
    reader.close(&mut fold);
    assert!(pieces > 1, "{id:?}: {pieces} pieces");
    fold.finish().expect("a whole answer")
}

/// What a client understands of an answer: ids and spellings apart.
fn meaning(reply: &Reply) -> String {
    let mut lines = Vec::new();
    for choice in &reply.choices {
        let parts = choice.parts.iter().map(|part| match &part.kind {
            PartKind::Text { text, .. } => format!("text {text}"),
            PartKind::Thinking(thinking) => format!("thought {}", thinking.text),
            PartKind::ToolCall(call) => format!("call {} {}", call.name, call.arguments.text()),
            other => format!("{other:?}"),
        });
        lines.extend(parts);
        lines.push(format!("{:?}", choice.finish.reason));
    }
    let usage = reply.usage.clone().unwrap_or_default();
    lines.push(format!("{:?} {:?}", usage.input, usage.output));
    lines.join("\n")
}

#[tokio::test]
async fn a_stream_folds_to_the_whole_answer_in_every_dialect() {
    for id in DialectId::ALL {
        for (model, words) in [
            ("demo-chat", "Hello there"),
            ("demo-chat", "Use the tool weather now"),
            ("demo-reasoning", "Think about it"),
        ] {
            let whole = whole(id, model, words).await;
            let folded = folded(id, model, words).await;
            assert_eq!(meaning(&whole), meaning(&folded), "{id:?} {words}");
            assert_eq!(whole.model, model);
            assert!(whole.usage.expect("usage").output > Some(0));
        }
    }
}

#[tokio::test]
async fn the_models_say_what_is_expected_of_them() {
    for id in DialectId::ALL {
        let plain = meaning(&whole(id, "demo-chat", "Hello there").await);
        assert!(plain.contains("You said: Hello there"), "{id:?}: {plain}");
        if id == DialectId::TextCompletions {
            continue;
        }
        let call = meaning(&whole(id, "demo-chat", "Ask weather please").await);
        assert!(call.contains(r#"call weather {"city":"demo"}"#), "{call}");
        let thought = meaning(&whole(id, "demo-reasoning", "Hello").await);
        assert!(thought.contains("thought The user says"), "{thought}");
    }
}

#[tokio::test]
async fn the_same_call_gets_the_same_bytes() {
    for id in DialectId::ALL {
        let one = ask(id, "demo-chat", true, "x").await.body.collect(1 << 20);
        let two = ask(id, "demo-chat", true, "x").await.body.collect(1 << 20);
        assert_eq!(one.await, two.await);
    }
}

fn switched(text: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(HEADER, HeaderValue::from_static(text));
    headers
}

#[tokio::test]
async fn a_status_is_told_in_the_dialects_own_words() {
    for id in DialectId::ALL {
        let headers = switched("status=429, retry_after=7");
        let reply = ask_with(id, "demo-chat", false, "x", &headers).await;
        assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(reply.headers["retry-after"], "7");
        let body = reply.body.collect(1 << 20).await.unwrap();
        let failure = dialects::error_body::read_error(429, &body);
        assert_eq!(
            failure.kind,
            dialects::canonical::FailureKind::RateLimited,
            "{id:?}"
        );
    }
}

#[tokio::test]
async fn a_stream_is_cut_after_as_many_tokens_as_are_asked_for() {
    struct Words(String);
    impl EventSink for Words {
        fn event(&mut self, event: Event<'_>) {
            if let Event::Text { text, .. } = event {
                self.0.push_str(text);
            }
        }
    }
    for id in DialectId::ALL {
        let headers = switched("cut_after_tokens=3");
        let mut reply = ask_with(id, "demo-chat", true, "x", &headers).await;
        let mut frames = FrameReader::new(Framing::ServerSentEvents);
        let mut reader = dialect(id).stream_reader();
        let mut words = Words(String::new());
        let end = loop {
            match reply.body.piece().await {
                Some(Ok(piece)) => {
                    let pushed = frames.push(&piece, &mut |frame| reader.frame(frame, &mut words));
                    pushed.expect("frames of a fair length");
                }
                end => break end,
            }
        };
        assert!(matches!(end, Some(Err(TransportError::Closed { .. }))));
        assert_eq!(words.0, "Hello from d", "{id:?}");
        let reply = ask_with(id, "demo-chat", false, "x", &headers).await;
        assert!(reply.body.collect(1 << 20).await.is_err());
    }
}

#[tokio::test]
async fn nonsense_is_nonsense() {
    let id = DialectId::ChatCompletions;
    let reply = ask_with(id, "demo-chat", false, "x", &switched("malformed_json")).await;
    let body = reply.body.collect(1 << 20).await.unwrap();
    assert!(dialect(id).read_reply(&body).is_err());
    let reply = ask_with(id, "demo-chat", false, "x", &switched("html_body")).await;
    assert_eq!(reply.headers["content-type"], "text/html");
    let reply = ask_with(id, "demo-chat", false, "x", &switched("nothing=1")).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_late_first_byte_meets_the_channels_deadline() {
    let timeouts = providers::transport::Timeouts {
        first_byte: Duration::from_millis(50),
        ..Default::default()
    };
    let switches = Switches::default().with_timeouts(timeouts);
    let id = DialectId::Messages;
    let call = Call::new(Operation::Generate, Format::Text(id), "demo-chat");
    let body = RequestBody::Whole(body(id, false, "x").into());
    let headers = switched("delay_first_byte=20000");
    let mut reply = serve(&call, &switches, &headers, body).await.unwrap();
    let end = reply.body.piece().await;
    assert_eq!(end, Some(Err(TransportError::Timeout(Phase::FirstByte))));
}
