//! Made-up conversations and answers, many of them, the same ones in every run: what a dialect can
//! say survives, and every writer keeps to its grammar whatever comes.

use dialects::DialectId;
use dialects::canonical::{Event, Request};
use dialects::convert::{convert_request, dialect};
use dialects::fold::Fold;
use dialects::passes::Target;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use crate::calls::{self, BOTH_SIDES};
use crate::grammar;
use crate::made_up::{self, Answer, Piecewise};
use crate::meaning::{self, ReplyMeaning};

/// Runs a property over this many made-up values, seeded.
fn for_all<S: Strategy>(cases: u32, strategy: S, check: impl Fn(S::Value) -> Result<(), String>) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, random);
    let run = runner.run(&strategy, |value| check(value).map_err(TestCaseError::fail));
    if let Err(failure) = run {
        panic!("{failure}");
    }
}

#[test]
fn every_writer_keeps_to_its_grammar_and_says_it_all() {
    for_all(250, made_up::answer(), |answer| {
        for client in BOTH_SIDES {
            let mut writer = dialect(client).stream_writer(&calls::context());
            let mut out = Vec::new();
            answer.play(&mut |event: Event<'_>| writer.event(event, &mut out));
            let title = |wrong| {
                format!(
                    "{}: {wrong}\n{}",
                    client.name(),
                    String::from_utf8_lossy(&out)
                )
            };
            grammar::check(client, &out).map_err(title)?;
            let heard = meaning::stream(client, &calls::events_of(&out)).map_err(title)?;
            let wrong = meaning::compare_replies(&said(&answer), client, &heard);
            if !wrong.is_empty() {
                return Err(title(wrong.join("; ")));
            }
        }
        Ok(())
    });
}

#[test]
fn a_whole_answer_says_it_all() {
    for_all(250, made_up::answer(), |answer| {
        let mut fold = Fold::new(DialectId::TextCompletions);
        answer.play(&mut fold);
        let reply = fold.finish().map_err(|failure| failure.message)?;
        for client in BOTH_SIDES {
            let written = dialect(client).write_reply(&reply, &calls::context());
            let body: Value =
                serde_json::from_slice(&written.body).map_err(|error| error.to_string())?;
            let heard = meaning::reply(client, &body).ok_or("no answer")?;
            // Where a whole answer has no order between words and refusals, both are still there.
            let mut expected = said(&answer);
            if client == DialectId::ChatCompletions {
                expected.text = texts(&answer, false) + &texts(&answer, true);
            }
            let wrong = meaning::compare_replies(&expected, client, &heard);
            if !wrong.is_empty() {
                return Err(format!("{}: {}\n{body}", client.name(), wrong.join("; ")));
            }
            let again = dialect(client)
                .read_reply(&written.body)
                .map_err(|failure| failure.message)?;
            let rewritten = dialect(client).write_reply(&again, &calls::context());
            let rewritten: Value =
                serde_json::from_slice(&rewritten.body).map_err(|error| error.to_string())?;
            if crate::identity::without_null(&body) != crate::identity::without_null(&rewritten) {
                return Err(format!(
                    "{} is no identity\n{body}\n{rewritten}",
                    client.name()
                ));
            }
        }
        Ok(())
    });
}

#[test]
fn a_conversation_keeps_its_meaning_between_any_two_dialects() {
    for_all(120, made_up::conversation(), |request| {
        for client in BOTH_SIDES {
            let body = in_words_of(client, &request)?;
            for upstream in BOTH_SIDES {
                let sent = calls::send(client, upstream, "test-model", &body);
                let sent =
                    sent.map_err(|failure| format!("refused: {}\n{body}", failure.message))?;
                let (said, heard) = (
                    meaning::request(client, &body),
                    meaning::request(upstream, &sent.body),
                );
                let wrong = meaning::compare_requests(client, &said, upstream, &heard);
                if !wrong.is_empty() {
                    let pair = format!("{} → {}", client.name(), upstream.name());
                    return Err(format!(
                        "{pair}: {}\n{body}\n{}",
                        wrong.join("; "),
                        sent.body
                    ));
                }
                if client == upstream
                    && crate::identity::without_null(&body)
                        != crate::identity::without_null(&sent.body)
                {
                    return Err(format!(
                        "{} is no identity\n{body}\n{}",
                        client.name(),
                        sent.body
                    ));
                }
            }
        }
        Ok(())
    });
}

/// A conversation as a client of this dialect would send it.
fn in_words_of(client: DialectId, request: &Request) -> Result<Value, String> {
    let target = Target::new(client, "test-model");
    let mut request = request.clone();
    if client == DialectId::ChatCompletions {
        // A request of its own dialect is not prepared, but this one is made up.
        request.source = DialectId::TextCompletions;
    }
    if client == DialectId::Responses {
        request.stop.clear();
    }
    let written = convert_request(request, &target, &mut calls::context());
    let written = written.map_err(|failure| failure.message)?;
    serde_json::from_slice(&written.body).map_err(|error| error.to_string())
}

/// What a made-up answer says.
fn said(answer: &Answer) -> ReplyMeaning {
    let mut meaning = ReplyMeaning {
        finish: Some(match answer.finish().raw.as_str() {
            "length" => "length",
            "tool_calls" => "tool",
            _ => "stop",
        }),
        input: answer.usage.input,
        output: answer.usage.output,
        cached: answer.usage.cache_read,
        ..ReplyMeaning::default()
    };
    for part in &answer.parts {
        match part {
            Piecewise::Text(pieces) | Piecewise::Refusal(pieces) => {
                meaning.text += &pieces.concat();
            }
            Piecewise::Thinking(..) => {}
            Piecewise::Call {
                name, arguments, ..
            } => {
                meaning
                    .calls
                    .push((name.clone(), meaning::arguments(arguments)));
            }
        }
    }
    meaning
}

/// All words, or all refusals.
fn texts(answer: &Answer, refusals: bool) -> String {
    let texts = answer.parts.iter().filter_map(|part| match part {
        Piecewise::Text(pieces) if !refusals => Some(pieces.concat()),
        Piecewise::Refusal(pieces) if refusals => Some(pieces.concat()),
        _ => None,
    });
    texts.collect()
}
