//! Streams: what sloppy upstreams send, and what clients' accumulators need.

use serde_json::{Value, json};

use super::ChatCompletions;
use crate::canonical::{
    Annotation, At, Event, Failure, Finish, FinishReason, PartHead, ThinkingForm, Usage,
};
use crate::testing::events::{arguments, begun, call_head, ended, finished, noted, signed, words};
use crate::testing::streams::{play, rewritten, values_of, written};
use crate::{DialectId, ReplyContext, Signature};

/// What a stream of these frames means, one line an event; closed at the end.
fn read(frames: &[&str]) -> Vec<String> {
    let mut lines = Vec::new();
    let frames: Vec<Vec<u8>> = frames.iter().map(|data| data.as_bytes().to_vec()).collect();
    play(&ChatCompletions, &frames, &mut |event: Event<'_>| {
        lines.push(line(&event));
    });
    lines
}

fn line(event: &Event<'_>) -> String {
    let place = |at: &At| format!("{}.{}", at.choice, at.part);
    match event {
        Event::Start { id, model, created } => format!("start {id} {model} {created:?}"),
        Event::PartStart { at, head } => match head {
            PartHead::ToolCall {
                id, name, is_free, ..
            } => {
                format!(
                    "{} call {id} {name}{}",
                    place(at),
                    if *is_free { " free" } else { "" }
                )
            }
            PartHead::Media(media) => format!("{} media {:?}", place(at), media.class),
            head => format!("{} {head:?}", place(at)),
        },
        Event::Text { at, text } | Event::Arguments { at, text } => {
            format!("{} + {text}", place(at))
        }
        Event::PartEnd { at } => format!("{} end", place(at)),
        Event::Note { at, .. } => format!("{} note", place(at)),
        Event::Logprobs { choice, entries } => format!("{choice} logprobs {entries}"),
        Event::Finish { choice, finish } => format!("{choice} finish {:?}", finish.reason),
        Event::Usage(usage) => format!("usage {:?} {:?}", usage.input, usage.output),
        Event::Tier(tier) => format!("tier {tier}"),
        Event::Error(failure) => format!("error {:?}", failure.kind),
        Event::End => "end".into(),
        other => format!("{other:?}"),
    }
}

fn delta(delta: &str) -> String {
    format!(
        r#"{{"id":"c","model":"m","created":1,"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#
    )
}

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

fn read_deltas(deltas: &[&str]) -> Vec<String> {
    let mut frames: Vec<String> = deltas.iter().map(|piece| delta(piece)).collect();
    frames.push(STOP.into());
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let mut lines = read(&frames);
    assert_eq!(lines.remove(0), "start c m Some(1)");
    assert_eq!(lines.pop().as_deref(), Some("end"));
    lines
}

#[test]
fn thinking_and_text_in_order_and_no_part_for_an_empty_role_chunk() {
    let lines = read_deltas(&[
        r#"{"role":"assistant","content":""}"#,
        r#"{"reasoning_content":"hm"}"#,
        r#"{"content":"O","reasoning":"m"}"#,
        r#"{"content":"k"}"#,
    ]);
    assert_eq!(
        lines,
        [
            "0.0 Thinking(Raw)",
            "0.0 + hm",
            "0.0 + m",
            "0.0 end",
            "0.1 Text",
            "0.1 + O",
            "0.1 + k",
            "0.1 end",
            "0 finish Stop",
        ]
    );
}

#[test]
fn interleaved_calls_stay_apart_and_an_argumentless_one_gets_an_object() {
    let lines = read_deltas(&[
        r#"{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}},
            {"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\""}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"arguments":":1}"}}]}"#,
        r#"{"tool_calls":[{"index":2,"id":"c","type":"custom","custom":{"name":"sql","input":"SEL"}}]}"#,
        r#"{"tool_calls":[{"index":2,"custom":{"input":"ECT"}}]}"#,
    ]);
    assert_eq!(
        lines,
        [
            "0.0 call a f",
            "0.1 call b g",
            r#"0.1 + {"x""#,
            "0.1 + :1}",
            "0.2 call c sql free",
            "0.2 + SEL",
            "0.2 + ECT",
            "0.0 + {}",
            "0.0 end",
            "0.1 end",
            "0.2 end",
            "0 finish ToolCalls",
        ]
    );
}

#[test]
fn sloppy_calls_are_understood() {
    // All calls at index 0; ids repeated; the id before the name; no index; no id at all.
    let lines = read_deltas(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{"}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"}"}}]}"#,
    ]);
    assert_eq!(
        lines,
        [
            "0.0 call a f",
            "0.0 + {}",
            "0.1 call b g",
            "0.1 + {",
            "0.1 + }",
            "0.0 end",
            "0.1 end",
            "0 finish ToolCalls",
        ]
    );
    let lines = read_deltas(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"}"}}]}"#,
        r#"{"tool_calls":[{"function":{"name":"g","arguments":{"x":1}}}]}"#,
    ]);
    assert_eq!(lines[..3], ["0.0 call a f", "0.0 + {", "0.0 + }"]);
    let lines = read_deltas(&[r#"{"tool_calls":[{"function":{"name":"g","arguments":{"x":1}}}]}"#]);
    let id = crate::ids::call_id("c", 0, 0);
    assert_eq!(
        lines[..2],
        [format!("0.0 call {id} g"), r#"0.0 + {"x":1}"#.to_owned()]
    );
}

#[test]
fn the_deprecated_function_call_is_a_call() {
    let lines = read_deltas(&[
        r#"{"function_call":{"name":"f","arguments":""}}"#,
        r#"{"function_call":{"arguments":"{}"}}"#,
    ]);
    let id = crate::ids::call_id("c", 0, 0);
    assert_eq!(
        lines,
        [
            format!("0.0 call {id} f").as_str(),
            "0.0 + {}",
            "0.0 end",
            "0 finish ToolCalls"
        ]
    );
}

#[test]
fn frames_without_choices_usage_everywhere_and_words_after_the_finish() {
    let lines = read(&[
        r#"{"id":"","choices":[],"prompt_filter_results":[]}"#,
        r#"{"id":"c","choices":[{"delta":{"content":"a"},"finish_reason":""}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#,
        r#"{"id":"d","choices":[{"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
        r#"{"id":"d","choices":[{"delta":{"content":"c"}}],"usage":null}"#,
        "[DONE]",
        r#"{"choices":[{"delta":{"content":"late"}}]}"#,
    ]);
    assert_eq!(
        lines,
        [
            "start   None",
            "0.0 Text",
            "0.0 + a",
            "usage Some(3) Some(1)",
            "0.0 + b",
            "usage Some(3) Some(2)",
            "0.0 + c",
            "0.0 end",
            "0 finish Stop",
            "end",
        ]
    );
}

#[test]
fn choices_have_states_of_their_own() {
    let lines = read(&[
        r#"{"id":"c","choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!(
        lines[1..],
        [
            "1.0 Text",
            "1.0 + b",
            "0.0 Text",
            "0.0 + a",
            "0.0 end",
            "0 finish Stop",
            "1.0 end",
            "1 finish Length",
            "end",
        ]
    );
}

#[test]
fn a_told_end_without_a_reason_ends_what_was_said() {
    let said = r#"{"id":"c","choices":[{"index":0,"delta":{"content":"a"}}]}"#;
    let lines = read(&[said, "[DONE]"]);
    assert_eq!(lines[lines.len() - 2..], ["0 finish Stop", "end"]);
    let call = r#"{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{}"}}]}}]}"#;
    let lines = read(&[call, "[DONE]"]);
    assert_eq!(lines[lines.len() - 2..], ["0 finish ToolCalls", "end"]);
    let silent = r#"{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#;
    assert!(
        read(&[silent, "[DONE]"])
            .iter()
            .any(|line| line.starts_with("error"))
    );
}

#[test]
fn a_stream_without_its_end_is_an_error_told_once() {
    for frames in [
        &[][..],
        &["[DONE]"],
        &[r#"{"id":"c","choices":[{"index":0,"delta":{"content":"a"}}]}"#],
        &["{nonsense", "{nonsense", "[DONE]"],
        &[
            r#"{"error":{"message":"x"}}"#,
            r#"{"error":{"message":"x"}}"#,
        ],
    ] {
        let errors = read(frames)
            .iter()
            .filter(|line| line.starts_with("error"))
            .count();
        assert_eq!(errors, 1, "{frames:?}");
        assert!(!read(frames).contains(&"end".to_owned()));
    }
    let lines = read(&[r#"{"error":{"message":"x","code":"rate_limit_exceeded"}}"#]);
    assert_eq!(lines, ["error RateLimited"]);
    assert!(
        !read(&[r#"{"id":"c","error":null,"choices":[]}"#]).contains(&"error RateLimited".into())
    );
}

#[test]
fn refusals_citations_images_audio_and_logprobs_are_told() {
    let lines = read_deltas(&[
        r#"{"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.test"}}]}"#,
        r#"{"content":"x"}"#,
        r#"{"refusal":"no"}"#,
        r#"{"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}"#,
        r#"{"audio":{"id":"au","data":"UklG"}}"#,
        r#"{"audio":{"data":"Rg==","transcript":"hi"}}"#,
    ]);
    assert_eq!(
        lines,
        [
            "0.0 Text",
            "0.0 note",
            "0.0 + x",
            "0.0 end",
            "0.1 Refusal",
            "0.1 + no",
            "0.1 end",
            "0.2 media Image",
            "0.2 end",
            "0.3 media Audio",
            "0.3 end",
            "0 finish Stop",
        ]
    );
    let lines = read(&[
        r#"{"choices":[{"delta":{"content":"a"},"logprobs":{"content":[]},"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!(lines[3], r#"0 logprobs {"content":[]}"#);
}

#[test]
fn a_streamed_refusal_ends_as_one_but_for_its_own_clients() {
    let refusal = r#"{"role":"assistant","content":"","refusal":"I cannot."}"#;
    let lines = read_deltas(&[refusal]);
    assert_eq!(lines.last().unwrap(), "0 finish Refusal");
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    let lines = read_deltas(&[refusal, call]);
    assert_eq!(lines.last().unwrap(), "0 finish ToolCalls");
    let frames = [delta(refusal).into_bytes(), STOP.into()];
    let own = rewritten(&ChatCompletions, &frames, &context());
    let last = values_of(&own).pop().unwrap();
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
}

#[test]
fn a_cut_surrogate_pair_does_not_end_the_stream() {
    let lines = read_deltas(&[r#"{"content":"a\ud83d"}"#, r#"{"content":"\u0000b"}"#]);
    assert_eq!(lines[1], "0.0 + a\u{fffd}");
    assert_eq!(lines[2], "0.0 + \u{0}b");
}

#[test]
fn held_pieces_are_bounded() {
    let piece = format!(r#"{{"audio":{{"data":"{}"}}}}"#, "A".repeat(1 << 20));
    let frame = delta(&piece);
    let frames: Vec<&str> = std::iter::repeat_n(frame.as_str(), 40).collect();
    let lines = read(&frames);
    assert_eq!(lines.last().unwrap(), "error UpstreamBad");
    assert_eq!(lines.len(), 2);
}

fn context() -> ReplyContext {
    ReplyContext {
        id: "gen".into(),
        created: 7,
        model: "asked".into(),
        include_usage: true,
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

fn write_with(context: &ReplyContext, events: &[Event<'_>]) -> String {
    let out = written(&ChatCompletions, context, events.iter().copied());
    String::from_utf8(out).unwrap()
}

const START: Event<'static> = Event::Start {
    id: "msg_1",
    model: "m",
    created: None,
};

fn call(part: u32, id: &'static str) -> Event<'static> {
    begun(part, call_head(id, "now"))
}

/// The choices of each chunk, and its usage.
fn shown(text: &str) -> Vec<Value> {
    values_of(text.as_bytes())
        .into_iter()
        .map(|mut chunk| json!({"choices":chunk["choices"].take(),"usage":chunk["usage"].take()}))
        .collect()
}

#[test]
fn thinking_text_and_a_call_without_arguments_are_written_as_the_reference_shows() {
    let finish = Finish::new(FinishReason::ToolCalls, "tool_use");
    let usage = Usage {
        input: Some(100),
        cache_read: Some(90),
        cache_write_5m: Some(0),
        ..Usage::default()
    };
    let later = Usage {
        output: Some(30),
        ..Usage::default()
    };
    let thought = Signature::native(DialectId::Messages, "S");
    let text = write_with(
        &context(),
        &[
            START,
            Event::Usage(&usage),
            begun(0, PartHead::Thinking(ThinkingForm::Raw)),
            words(0, "hm"),
            signed(0, &thought),
            ended(0),
            begun(1, PartHead::Text),
            words(1, "Ok"),
            ended(1),
            call(2, "toolu_9"),
            arguments(2, "{}"),
            ended(2),
            finished(&finish),
            Event::Usage(&later),
            Event::End,
            Event::Ping,
        ],
    );
    assert!(text.ends_with("}\n\ndata: [DONE]\n\n"));
    let choice = |delta: Value| json!({"choices":[{"index":0,"delta":delta,"finish_reason":null}],"usage":null});
    assert_eq!(
        shown(&text),
        [
            choice(json!({"role":"assistant","content":""})),
            choice(json!({"reasoning_content":"hm"})),
            choice(json!({"content":"Ok"})),
            choice(
                json!({"tool_calls":[{"index":0,"id":thought.ride_on("toolu_9"),"type":"function","function":{"name":"now","arguments":""}}]})
            ),
            choice(json!({"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]})),
            json!({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":null}),
            json!({"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,
            "prompt_tokens_details":{"cached_tokens":90,"cache_write_tokens":0},
            "completion_tokens_details":{"reasoning_tokens":0}}}),
        ]
    );
    let first = &values_of(text.as_bytes())[0];
    assert_eq!(first["id"], "chatcmpl-msg_1");
    assert_eq!(first["object"], "chat.completion.chunk");
    assert_eq!(first["created"], 7);
}

#[test]
fn without_a_wish_for_usage_no_chunk_speaks_of_it() {
    let quiet = ReplyContext {
        include_usage: false,
        ..context()
    };
    let finish = Finish::new(FinishReason::Stop, "");
    let text = write_with(
        &quiet,
        &[
            START,
            Event::Usage(&Usage::default()),
            finished(&finish),
            Event::End,
        ],
    );
    assert!(!text.contains("usage"));
    assert!(text.ends_with("data: [DONE]\n\n"));
}

#[test]
fn a_signature_that_comes_after_whole_arguments_rides_on_the_id() {
    let signature = Signature::native(DialectId::GenerateContent, "abc");
    let text = write_with(
        &context(),
        &[
            START,
            call(0, "call_1"),
            arguments(0, "{\"a\":1}"),
            signed(0, &signature),
            ended(0),
            call(1, "call_2"),
            arguments(1, "{\"b\""),
            arguments(1, ":2}"),
            ended(1),
        ],
    );
    let calls: Vec<Value> = values_of(text.as_bytes())
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].get(0).cloned())
        .collect();
    assert_eq!(calls[0]["id"], signature.ride_on("call_1"));
    assert_eq!(calls[1]["function"]["arguments"], "{\"a\":1}");
    assert_eq!(
        (&calls[2]["index"], &calls[2]["id"]),
        (&json!(1), &json!("call_2"))
    );
    assert_eq!(
        calls[3],
        json!({"index":1,"function":{"arguments":"{\"b\""}})
    );
    assert_eq!(calls.len(), 5);
}

#[test]
fn overlapping_calls_get_dense_indexes_and_each_its_pieces() {
    let text = write_with(
        &context(),
        &[
            START,
            begun(0, PartHead::Text),
            ended(0),
            call(1, "a"),
            call(2, "b"),
            arguments(1, "{"),
            arguments(2, "{}"),
            arguments(1, "}"),
            ended(1),
            ended(2),
        ],
    );
    let mut arguments = [String::new(), String::new()];
    let mut ids = Vec::new();
    for chunk in values_of(text.as_bytes()) {
        for call in chunk["choices"][0]["delta"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            arguments[index].push_str(call["function"]["arguments"].as_str().unwrap());
            ids.extend(call["id"].as_str().map(str::to_owned));
        }
    }
    assert_eq!(arguments, ["{}", "{}"]);
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn an_error_ends_the_stream_without_done() {
    let failure = Failure::upstream("It broke.");
    let text = write_with(
        &context(),
        &[START, Event::Error(&failure), Event::End, Event::Ping],
    );
    let last = values_of(text.as_bytes()).pop().unwrap();
    assert_eq!(
        last,
        json!({"error":{"message":"It broke.","type":"server_error","param":"",
        "code":"bad_upstream_response"}})
    );
    assert!(!text.contains("[DONE]"));
    assert!(!text.contains("ping"));
}

#[test]
fn several_thoughts_are_parted_by_a_blank_line() {
    let thinking = |part| begun(part, PartHead::Thinking(ThinkingForm::Summary));
    let text = write_with(
        &context(),
        &[
            START,
            thinking(0),
            words(0, "a"),
            ended(0),
            thinking(1),
            ended(1),
            thinking(2),
            words(2, "b"),
            words(2, "c"),
        ],
    );
    let words: String = values_of(text.as_bytes())
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["reasoning_content"].as_str())
        .collect();
    assert_eq!(words, "a\n\nbc");
}

#[test]
fn citations_come_once_with_the_finish_and_count_characters() {
    let note = |start, end| Annotation::Url {
        url: "https://a.test".into(),
        title: Some("A".into()),
        start,
        end,
        raw: None,
    };
    let (whole, span) = (note(None, None), note(Some(0), Some(2)));
    let finish = Finish::new(FinishReason::Stop, "");
    let text = write_with(
        &context(),
        &[
            START,
            begun(0, PartHead::Text),
            words(0, "né "),
            ended(0),
            begun(1, PartHead::Text),
            noted(1, &whole),
            words(1, "über"),
            ended(1),
            noted(1, &span),
            finished(&finish),
        ],
    );
    let lists: Vec<Value> = values_of(text.as_bytes())
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"].get("annotations").cloned())
        .collect();
    assert_eq!(lists.len(), 1);
    let spans: Vec<_> = lists[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (
                entry["url_citation"]["start_index"].clone(),
                entry["url_citation"]["end_index"].clone(),
            )
        })
        .collect();
    assert_eq!(spans, [(json!(3), json!(7)), (json!(3), json!(5))]);
}

#[test]
fn a_refusal_without_words_is_explained_and_pings_are_comments() {
    let mut finish = Finish::new(FinishReason::Refusal, "refusal");
    finish.detail = Some(json!({"explanation":"Not this."}));
    let text = write_with(&context(), &[START, Event::Ping, finished(&finish)]);
    assert!(text.contains("\n\n: ping\n\n"));
    let deltas = values_of(text.as_bytes());
    assert_eq!(deltas[1]["choices"][0]["delta"]["refusal"], "Not this.");
    assert_eq!(deltas[2]["choices"][0]["finish_reason"], "content_filter");
}

#[test]
fn the_second_choice_never_comes_first_and_roles_come_once() {
    let text = write_with(
        &context(),
        &[
            START,
            Event::PartStart {
                at: At { choice: 1, part: 0 },
                head: PartHead::Text,
            },
            Event::Text {
                at: At { choice: 1, part: 0 },
                text: "b",
            },
            Event::Tier("standard"),
            Event::Logprobs {
                choice: 1,
                entries: &json!({"content":[1.0]}),
            },
        ],
    );
    let list = values_of(text.as_bytes());
    let roles: Vec<u64> = list
        .iter()
        .filter(|chunk| chunk["choices"][0]["delta"].get("role").is_some())
        .map(|chunk| chunk["choices"][0]["index"].as_u64().unwrap())
        .collect();
    assert_eq!(roles, [0, 1]);
    let end = list.last().unwrap();
    assert_eq!(end["service_tier"], "default");
    assert_eq!(
        end["choices"][0]["logprobs"],
        json!({"content":[1.0]})
            .to_string()
            .parse::<Value>()
            .unwrap()
    );
}

#[test]
fn a_client_of_the_deprecated_functions_gets_one_function_call() {
    let old = ReplyContext {
        old_functions: true,
        ..context()
    };
    let finish = Finish::new(FinishReason::ToolCalls, "");
    let text = write_with(
        &old,
        &[
            START,
            call(0, "a"),
            arguments(0, "{\"x\""),
            arguments(0, ":1}"),
            call(1, "b"),
            ended(0),
            ended(1),
            finished(&finish),
        ],
    );
    let mut name = String::new();
    let mut arguments = String::new();
    for chunk in values_of(text.as_bytes()) {
        let delta = &chunk["choices"][0]["delta"]["function_call"];
        name.push_str(delta["name"].as_str().unwrap_or_default());
        arguments.push_str(delta["arguments"].as_str().unwrap_or_default());
    }
    assert_eq!((name.as_str(), arguments.as_str()), ("now", "{\"x\":1}"));
    assert!(!text.contains("tool_calls"));
    assert!(text.contains("\"finish_reason\":\"function_call\""));
}
