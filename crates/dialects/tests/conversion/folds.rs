//! A stream and a whole answer say the same. An upstream's stream is carried to the client and read
//! with the client dialect's own reader; that must equal the upstream's answer, gathered first and
//! then carried over as a whole.

use dialects::canonical::{
    Annotation, Arguments, Failure, Part, PartKind, Reply, ThinkingForm, Usage,
};
use dialects::convert::dialect;
use dialects::fold::Fold;
use dialects::frames::FrameReader;
use dialects::{DialectId, Framing, Signature};
use serde_json::Value;

use crate::calls::{self, BOTH_SIDES};
use crate::grammar;
use crate::streams;

/// Here a citation comes after its words were closed, when a stream cannot tell it any more.
const CANNOT: [&str; 1] = ["generate_content/stream-grounded-then-call for responses"];

/// Everything that both ways must agree on.
#[derive(Debug, PartialEq)]
struct Said {
    id: String,
    model: String,
    choices: Vec<SaidChoice>,
    usage: Usage,
    tier: Option<String>,
}

#[derive(Debug, PartialEq)]
struct SaidChoice {
    index: u32,
    /// In order; neighbouring texts and neighbouring thoughts are one.
    parts: Vec<SaidPart>,
    finish: String,
    logprobs: Option<Value>,
}

#[derive(Debug, PartialEq)]
enum SaidPart {
    Text(String, Vec<Annotation>),
    Refusal(String),
    Thinking(String, ThinkingForm, Option<Signature>),
    Call {
        id: String,
        name: String,
        arguments: Given,
        signature: Option<Signature>,
    },
    Other(PartKind),
}

/// What a call was called with.
#[derive(Debug)]
enum Given {
    Json(Value),
    Free(String),
    /// Cut off by a limit: a stream has the pieces, a whole answer of messages has the mended rest.
    Cut,
}

impl PartialEq for Given {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Json(one), Self::Json(other)) => one == other,
            (Self::Free(one), Self::Free(other)) => one == other,
            (Self::Cut, Self::Cut | Self::Json(_)) | (Self::Json(_), Self::Cut) => true,
            _ => false,
        }
    }
}

fn given(arguments: &Arguments) -> Given {
    match arguments {
        Arguments::Free(text) => Given::Free(text.clone()),
        Arguments::Json(text) | Arguments::Broken(text) => match serde_json::from_str(text) {
            Ok(value) => Given::Json(value),
            Err(_) => Given::Cut,
        },
    }
}

/// What a client's answer says. Differences that are no differences are folded: a count of zero is
/// no count, arguments are compared as JSON, and a whole answer of chat completions does not say in
/// which order thoughts, words and media came.
fn said(client: DialectId, reply: Reply) -> Said {
    let choice = |choice: dialects::canonical::Choice| SaidChoice {
        index: choice.index,
        finish: format!("{:?}", choice.finish.reason),
        logprobs: choice.logprobs,
        parts: {
            let mut parts = choice.parts;
            if client == DialectId::ChatCompletions {
                parts.sort_by_key(|part| match part.kind {
                    PartKind::Thinking(_) => 0,
                    PartKind::Media(_) => 2,
                    _ => 1,
                });
            }
            joined(parts)
        },
    };
    Said {
        id: reply.id,
        model: reply.model,
        choices: reply.choices.into_iter().map(choice).collect(),
        usage: counted(reply.usage.unwrap_or_default()),
        tier: reply.tier,
    }
}

fn counted(mut usage: Usage) -> Usage {
    for count in [
        &mut usage.input,
        &mut usage.cache_read,
        &mut usage.cache_write_5m,
        &mut usage.cache_write_1h,
        &mut usage.cache_write_other,
        &mut usage.input_audio,
        &mut usage.input_image,
        &mut usage.tool_prompt,
        &mut usage.output,
        &mut usage.reasoning,
        &mut usage.output_audio,
        &mut usage.output_image,
        &mut usage.prediction_accepted,
        &mut usage.prediction_rejected,
    ] {
        *count = count.filter(|count| *count > 0);
    }
    usage
}

fn joined(parts: Vec<Part>) -> Vec<SaidPart> {
    let mut found: Vec<SaidPart> = Vec::new();
    for part in parts {
        let signature = part.signature;
        match (part.kind, found.last_mut()) {
            (PartKind::Text { text, annotations }, Some(SaidPart::Text(before, notes))) => {
                let shift = before.chars().count() as u64;
                before.push_str(&text);
                notes.extend(annotations.into_iter().map(|note| shifted(note, shift)));
            }
            (PartKind::Text { text, .. }, _) if text.is_empty() => {}
            (PartKind::Text { text, annotations }, _) => {
                let notes = annotations
                    .into_iter()
                    .map(|note| shifted(note, 0))
                    .collect();
                found.push(SaidPart::Text(text, notes));
            }
            (PartKind::Refusal(text), _) => found.push(SaidPart::Refusal(text)),
            (PartKind::Thinking(thinking), Some(SaidPart::Thinking(before, form, None)))
                if *form == thinking.form && signature.is_none() =>
            {
                before.push_str(&thinking.text);
            }
            (PartKind::Thinking(thinking), _) => {
                found.push(SaidPart::Thinking(thinking.text, thinking.form, signature));
            }
            (PartKind::ToolCall(call), _) => found.push(SaidPart::Call {
                id: call.id,
                name: call.name,
                arguments: given(&call.arguments),
                signature,
            }),
            (PartKind::Media(mut media), _) => {
                media.context = media.context.filter(|transcript| !transcript.is_empty());
                found.push(SaidPart::Other(PartKind::Media(media)));
            }
            (other, _) => found.push(SaidPart::Other(other)),
        }
    }
    found
}

/// A citation without its dialect's own spelling, counted in the joined text.
fn shifted(note: Annotation, by: u64) -> Annotation {
    match note {
        Annotation::Url {
            url,
            title,
            start,
            end,
            ..
        } => Annotation::Url {
            url,
            title,
            start: start.map(|place| place + by),
            end: end.map(|place| place + by),
            raw: None,
        },
        other @ Annotation::Other { .. } => other,
    }
}

/// Where two texts begin to differ.
fn apart(one: &str, other: &str) -> (String, String) {
    let same = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let from = same.saturating_sub(40);
    let cut = |text: &str| text.chars().skip(from).take(240).collect::<String>();
    (cut(one), cut(other))
}

fn fold(id: DialectId, bytes: &[u8]) -> Result<Reply, Failure> {
    let mut fold = Fold::new(id);
    let mut frames = FrameReader::new(Framing::ServerSentEvents);
    let mut reader = dialect(id).stream_reader();
    let mut take = |frame: dialects::Frame<'_>| reader.frame(frame, &mut fold);
    frames.push(bytes, &mut take).expect("no frame is too long");
    frames.close(&mut take);
    reader.close(&mut fold);
    fold.finish()
}

#[test]
fn a_converted_stream_folds_to_the_converted_answer() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for stream in streams::all() {
        for client in BOTH_SIDES {
            let title = format!("{} for {}", stream.title, client.name());
            let context = calls::context();
            let streamed = calls::stream(stream.upstream, client, &stream.bytes, &context);
            if let Err(broken) = grammar::check(client, &streamed) {
                wrong.push(format!("{title}: {broken}"));
            }
            let written = |whole: Reply| {
                let written = dialect(client).write_reply(&whole, &context);
                dialect(client).read_reply(&written.body)
            };
            let whole = fold(stream.upstream, &stream.bytes).and_then(written);
            match (whole, fold(client, &streamed)) {
                (Err(_), Err(_)) => {}
                (Ok(whole), Ok(streamed)) => {
                    compared += 1;
                    let (whole, streamed) = (said(client, whole), said(client, streamed));
                    if whole != streamed && !CANNOT.contains(&title.as_str()) {
                        let (whole, streamed) =
                            apart(&format!("{whole:?}"), &format!("{streamed:?}"));
                        wrong.push(format!(
                            "{title}\n  whole    {whole}\n  streamed {streamed}"
                        ));
                    }
                }
                (whole, streamed) => {
                    wrong.push(format!(
                        "{title}: {:?} but {:?}",
                        whole.err(),
                        streamed.err()
                    ));
                }
            }
        }
    }
    eprintln!("{compared} streams compared");
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn legacy_streams_follow_their_grammar() {
    for stream in streams::all() {
        let client = DialectId::TextCompletions;
        let out = calls::stream(stream.upstream, client, &stream.bytes, &calls::context());
        let checked = grammar::check(client, &out);
        assert_eq!(checked, Ok(()), "{}", stream.title);
    }
}
