//! Counts, errors and replies played as streams, over our own fixtures and recorded traffic where
//! that is at hand. That bodies and streams survive their own dialect is tested for all dialects in
//! one place (`tests/conversion`).

use serde_json::Value;

use super::stream_tests::check_grammar;
use super::{Messages, count};
use crate::canonical::PartKind;
use crate::json::same;
use crate::testing::streams::{fold, frames_of, unfolded};
use crate::testing::{fixtures, traffic};
use crate::{Dialect, ReplyContext};

fn of_kind(kind: &str) -> Vec<(String, Vec<u8>)> {
    fixtures::of_kind("messages", kind)
}

/// Recorded bodies of this kind, or nothing where there is no recording.
fn recorded(kind: &str) -> Vec<(String, Vec<u8>)> {
    let bodies = traffic::bodies("anthropic", kind).into_iter();
    bodies
        .map(|(name, body)| (name, body.to_string().into_bytes()))
        .collect()
}

fn same_json(name: &str, before: &[u8], after: &[u8]) {
    let json = |body| serde_json::from_slice::<Value>(body).unwrap();
    let (before, after) = (json(before), json(after));
    assert!(same(&before, &after), "{name}\n{before}\n{after}");
}

fn context() -> ReplyContext {
    ReplyContext {
        show_reasoning: true,
        estimated_input: 7,
        ..ReplyContext::default()
    }
}

#[test]
fn a_question_for_a_count_is_written_again() {
    for (name, body) in of_kind("count-") {
        let request = count::read_request(&body).unwrap();
        same_json(&name, &body, &Messages.write_request(&request).unwrap());
    }
}

#[test]
fn an_error_that_came_with_a_good_status_is_a_failure() {
    for (name, body) in of_kind("error-") {
        let failure = Messages.read_reply(&body).expect_err(&name);
        let written = Messages.write_error(&failure, 500, "req_9");
        let before: Value = serde_json::from_slice(&body).unwrap();
        let after: Value = serde_json::from_slice(&written).unwrap();
        let (before, after_error) = (&before["error"], &after["error"]);
        assert_eq!(after_error["type"], before["type"], "{name}");
        assert_eq!(before["message"], failure.log_text(), "{name}");
        if before["type"] == "overloaded_error" {
            let own = "The upstream is overloaded. Try again later.";
            assert_eq!(after_error["message"], own, "{name}");
            assert!(failure.upstream_text.is_some(), "{name}");
        } else {
            assert_eq!(after_error, before, "{name}");
        }
        assert_eq!(after["request_id"], "req_9");
    }
}

#[test]
fn a_reply_played_as_a_stream_folds_to_what_the_client_gets_whole() {
    let mut bodies = of_kind("reply-");
    bodies.extend(recorded("response"));
    for (name, body) in bodies {
        let mut reply = Messages.read_reply(&body).unwrap();
        let out = unfolded(&Messages, &context(), &reply);
        check_grammar(&name, &out);
        // A stream has no place for fields that only the whole answer carries.
        reply.extra.clear();
        for part in &mut reply.choices[0].parts {
            if !matches!(part.kind, PartKind::Hosted(_)) {
                part.extra.clear();
            }
        }
        let folded = fold(&Messages, &frames_of(&out)).unwrap();
        let whole = Messages.write_reply(&reply, &context()).body;
        let streamed = Messages.write_reply(&folded, &context()).body;
        if name != "reply-stop-brand-new-reason.json" {
            same_json(&name, &whole, &streamed);
        }
    }
}
