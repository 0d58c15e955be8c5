//! What is special about streams of this dialect, over our own fixtures and recorded traffic where it
//! is at hand: the last event repeats the whole answer. That bodies and streams survive their own
//! dialect is tested for all dialects in one place (`tests/conversion`).

use serde_json::{Value, json};

use super::Responses;
use crate::canonical::{PartKind, Reply};
use crate::testing::streams::{data_of, fold, rewritten, unfolded, values_of};
use crate::testing::{fixtures, traffic};
use crate::{Dialect, ReplyContext};

/// Looks at each stream that comes to a good end, with the answer that it folds to.
fn each(check: impl Fn(&str, &[Value], &Reply)) {
    let own = fixtures::of_kind("responses", "stream-").into_iter();
    let own = own.map(|(name, body)| (name, values_of(&body)));
    let recorded = traffic::bodies("responses", "response-streaming").into_iter();
    let recorded = recorded.filter_map(|(name, body)| match body {
        Value::Array(events) => Some((name, events)),
        _ => None,
    });
    for (name, events) in own.chain(recorded) {
        let kind = |event: Option<&Value>| {
            event.and_then(|event| event["type"].as_str().map(str::to_owned))
        };
        let ends_well = ["response.completed", "response.incomplete"];
        let last = kind(events.last()).unwrap_or_default();
        if kind(events.first()).as_deref() == Some("response.created")
            && ends_well.contains(&last.as_str())
        {
            let reply = fold(&Responses, &data_of(&events)).expect("a whole answer");
            check(&name, &events, &reply);
        }
    }
}

fn context() -> ReplyContext {
    ReplyContext {
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

/// The response in the last event of a stream.
fn last_response(stream: &[u8]) -> Value {
    values_of(stream).pop().unwrap_or_default()["response"].take()
}

#[test]
fn a_written_stream_ends_with_the_answer_that_would_be_written_whole() {
    each(|name, events, reply| {
        let whole = Responses.write_reply(reply, &context());
        let whole: Value = serde_json::from_slice(&whole.body).expect("JSON");
        let streamed = rewritten(&Responses, &data_of(events), &context());
        assert_eq!(last_response(&streamed), whole, "{name}");
        let unfolded = unfolded(&Responses, &context(), reply);
        assert_eq!(last_response(&unfolded), whole, "{name}");
    });
}

#[test]
fn a_stream_means_what_its_last_event_says() {
    each(|name, events, streamed| {
        let response = events
            .last()
            .map_or_else(|| json!({}), |last| last["response"].clone());
        let whole = Responses
            .read_reply(response.to_string().as_bytes())
            .expect("an answer");
        assert_eq!(meaning(streamed), meaning(&whole), "{name}");
        assert_eq!(streamed.usage, whole.usage);
        assert_eq!(streamed.choices[0].finish, whole.choices[0].finish);
    });
}

/// What was said, without what only whole answers carry and without empty parts.
fn meaning(reply: &Reply) -> Vec<PartKind> {
    let parts = reply.choices[0].parts.iter();
    let kinds = parts.map(|part| match &part.kind {
        // Each event has its own encryption of the same content.
        PartKind::Hosted(hosted) => PartKind::Refusal(hosted.raw["type"].to_string()),
        kind => kind.clone(),
    });
    kinds
        .filter(|kind| match kind {
            PartKind::Text { text, .. } => !text.is_empty(),
            PartKind::Thinking(thinking) => !thinking.text.is_empty(),
            _ => true,
        })
        .collect()
}
