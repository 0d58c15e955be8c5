//! Whatever events come, in whatever order: the writer's stream keeps its grammar and loses no
//! word; whatever bytes come, no reader panics.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::stream_tests::{check_grammar, frames_of};
use super::{Messages, count};
use crate::canonical::{At, Event, Finish, FinishReason, PartHead, ThinkingForm};
use crate::{Dialect, Frame, PathHints, ReplyContext};

/// One step of a random answer: which part, and what happens to it.
type Step = (u32, u8);

/// Plays random steps over a few parts that overlap as they like; parts are opened in order.
fn play(steps: &[Step]) -> (Vec<u8>, BTreeMap<u32, String>, BTreeMap<u32, String>) {
    let context = ReplyContext {
        show_reasoning: true,
        ..ReplyContext::default()
    };
    let mut writer = Messages.stream_writer(&context);
    let mut out = Vec::new();
    let (mut texts, mut inputs) = (BTreeMap::new(), BTreeMap::new());
    let mut begun = 0;
    let mut open: Vec<u32> = Vec::new();
    for (number, (which, what)) in steps.iter().enumerate() {
        if *what == 0 || open.is_empty() {
            let at = At {
                choice: 0,
                part: begun,
            };
            begun += 1;
            let id = format!("call_{}", at.part);
            let head = match which % 3 {
                0 => PartHead::Text,
                1 => PartHead::Thinking(ThinkingForm::Raw),
                _ => PartHead::ToolCall {
                    id: &id,
                    name: "n",
                    namespace: None,
                    is_free: false,
                },
            };
            if which % 3 < 2 {
                // Only one part of words is open at a time.
                let words = |part: &u32| texts.contains_key(part);
                for part in open.extract_if(.., |part| words(part)).collect::<Vec<_>>() {
                    writer.event(
                        Event::PartEnd {
                            at: At { choice: 0, part },
                        },
                        &mut out,
                    );
                }
                texts.insert(at.part, String::new());
            } else {
                inputs.insert(at.part, "{".to_owned());
            }
            writer.event(Event::PartStart { at, head }, &mut out);
            if which % 3 == 2 {
                writer.event(Event::Arguments { at, text: "{" }, &mut out);
            }
            open.push(at.part);
            continue;
        }
        let place = *which as usize % open.len();
        let at = At {
            choice: 0,
            part: open[place],
        };
        let piece = format!("<{number}>");
        match (what, inputs.get_mut(&at.part)) {
            (1, None) => {
                writer.event(Event::PartEnd { at }, &mut out);
                open.remove(place);
            }
            (1, Some(input)) => {
                input.push_str("\"end\":0}");
                writer.event(
                    Event::Arguments {
                        at,
                        text: "\"end\":0}",
                    },
                    &mut out,
                );
                writer.event(Event::PartEnd { at }, &mut out);
                open.remove(place);
            }
            (_, Some(input)) => {
                let piece = format!("\"{piece}{{\":[],");
                input.push_str(&piece);
                writer.event(Event::Arguments { at, text: &piece }, &mut out);
            }
            (_, None) => {
                texts.get_mut(&at.part).unwrap().push_str(&piece);
                writer.event(Event::Text { at, text: &piece }, &mut out);
            }
        }
    }
    let finish = &Finish::new(FinishReason::Stop, "stop");
    writer.event(Event::Finish { choice: 0, finish }, &mut out);
    writer.event(Event::End, &mut out);
    // A call that no one closed is cut off and has no whole arguments to compare.
    for part in open {
        inputs.remove(&part);
    }
    (out, texts, inputs)
}

/// All words of text and thinking blocks, and each call's arguments by its id.
fn gathered(stream: &[u8]) -> (String, BTreeMap<String, String>) {
    let (mut words, mut inputs, mut id) = (String::new(), BTreeMap::new(), String::new());
    for frame in frames_of(stream) {
        let frame: Value = serde_json::from_slice(&frame).unwrap();
        if let Some(call) = frame["content_block"]["id"].as_str() {
            call.clone_into(&mut id);
        }
        let delta = &frame["delta"];
        for key in ["text", "thinking"] {
            words.push_str(delta[key].as_str().unwrap_or_default());
        }
        if let Some(piece) = delta["partial_json"].as_str() {
            inputs
                .entry(id.clone())
                .or_insert_with(String::new)
                .push_str(piece);
        }
    }
    (words, inputs)
}

/// The numbered pieces in a text, in order of their numbers.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split_inclusive('>').collect();
    pieces.sort_unstable();
    pieces
}

proptest! {
    #[test]
    fn overlapping_parts_keep_the_grammar_and_every_word(
        steps in prop::collection::vec((0_u32..9, 0_u8..6), 0..60)
    ) {
        let (out, texts, inputs) = play(&steps);
        check_grammar("random", &out);
        let (words, written) = gathered(&out);
        let expected: String = texts.into_values().collect();
        prop_assert_eq!(pieces(&words), pieces(&expected));
        for (part, input) in inputs {
            prop_assert_eq!(&written[&format!("call_{part}")], &input);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&body);
    }

    #[test]
    fn no_change_to_a_sound_body_makes_a_reader_panic(
        place in any::<prop::sample::Index>(),
        which in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["null", "[]", "{}", "\"x\"", "1e999", "\\ud800", "-1", "}"]),
    ) {
        let bodies = super::traffic_tests::fixtures();
        let (_, body) = which.get(&bodies);
        let values: Vec<usize> = memchr::memchr_iter(b':', body).collect();
        let at = *place.get(&values) + 1;
        let end = memchr::memchr2(b',', b'\n', &body[at..]).map_or(body.len(), |end| at + end);
        let mut changed = body[..at].to_vec();
        changed.extend_from_slice(with.as_bytes());
        changed.extend_from_slice(&body[end..]);
        read_all(&changed);
    }
}

fn read_all(body: &[u8]) {
    let context = ReplyContext::default();
    if let Ok(request) = Messages.read_request(body, &PathHints::default()) {
        Messages.write_request(&request).unwrap();
    }
    if let Ok(request) = count::read_request(body) {
        count::write_request(&request);
    }
    if let Ok(reply) = Messages.read_reply(body) {
        let written = Messages.write_reply(&reply, &context);
        serde_json::from_slice::<Value>(&written.body).unwrap();
    }
    let mut reader = Messages.stream_reader();
    let mut writer = Messages.stream_writer(&context);
    let mut out = Vec::new();
    let mut ends = 0;
    let mut sink = |event: Event<'_>| {
        ends += i32::from(matches!(event, Event::End | Event::Error(_)));
        writer.event(event, &mut out);
    };
    for data in frames_of(body).iter().map(Vec::as_slice).chain([body]) {
        reader.frame(Frame::new(data), &mut sink);
    }
    reader.close(&mut sink);
    assert_eq!(ends, 1);
    check_grammar("changed", &out);
}
