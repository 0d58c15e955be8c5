//! The legacy dialect: requests, answers, streams, several prompts.

use serde_json::{Value, json};

use super::{Answered, Join, TextCompletions, echoed_prompt, join_replies, read_prompts};
use crate::canonical::{
    Choice, Event, Extra, Failure, FailureKind, Finish, FinishReason, Part, PartHead, PartKind,
    Reply, Request, Role, Thinking, ThinkingForm, Turn, Usage,
};
use crate::json::same;
use crate::testing::events::{begun, ended, finished, words};
use crate::testing::streams::{self, values_of};
use crate::{Dialect, DialectId, Frame, PathHints, ReplyContext};

fn try_read(body: &Value) -> Result<Request, Failure> {
    TextCompletions.read_request(body.to_string().as_bytes(), &PathHints::default())
}

fn write(request: &Request) -> Value {
    serde_json::from_slice(&TextCompletions.write_request(request).unwrap()).unwrap()
}

fn context() -> ReplyContext {
    ReplyContext {
        id: "gen".into(),
        created: 7,
        model: "asked".into(),
        ..ReplyContext::default()
    }
}

fn foreign(parts: Vec<Part>, reason: FinishReason) -> Reply {
    Reply {
        source: DialectId::Messages,
        id: "msg_1".into(),
        model: "m".into(),
        created: None,
        choices: vec![Choice {
            index: 0,
            parts,
            finish: Finish::new(reason, "x"),
            logprobs: None,
            extra: Extra::new(),
        }],
        usage: Some(Usage {
            input: Some(3),
            output: Some(2),
            ..Usage::default()
        }),
        tier: None,
        extra: Extra::new(),
    }
}

fn written(reply: &Reply, context: &ReplyContext) -> Value {
    serde_json::from_slice(&TextCompletions.write_reply(reply, context).body).unwrap()
}

#[test]
fn requests_are_written_as_they_were_read() {
    for body in [
        json!({"model":"m","prompt":"Once"}),
        json!({"model":"m","prompt":"Once","max_tokens":16,"stop":"\n","echo":true,"n":2,"best_of":2}),
        json!({"model":"m","prompt":"","max_tokens":0,"temperature":0,"top_p":1.0,"seed":0,"user":"u",
            "logprobs":0,"logit_bias":{"1":2},"presence_penalty":0,"frequency_penalty":0.5,
            "stop":["a"],"stream":true,"stream_options":{"include_usage":true},"unknown":1}),
    ] {
        let after = write(&try_read(&body).unwrap());
        assert!(same(&body, &after), "{body}\n{after}");
    }
}

#[test]
fn a_prompt_is_one_user_turn_with_a_small_cap() {
    let request = try_read(&json!({"model":"m","prompt":["Once"],"logprobs":3})).unwrap();
    assert_eq!(request.turns.len(), 1);
    assert_eq!(request.turns[0].role, Role::User);
    assert_eq!(request.turns[0].parts[0].as_text(), Some("Once"));
    assert_eq!(request.max_output, Some(16));
    assert_eq!(request.sampling.logprobs, Some(true));
    assert_eq!(request.sampling.top_logprobs, Some(3));
    assert_eq!(echoed_prompt(&request), None);
}

#[test]
fn what_a_conversation_cannot_do_is_refused_by_name() {
    for (more, param) in [
        (json!({"prompt":[1,2,3]}), "prompt"),
        (json!({"prompt":[[1],[2]]}), "prompt"),
        (json!({"prompt":null}), "prompt"),
        (json!({"prompt":[]}), "prompt"),
        (json!({"prompt":["a","b"]}), "prompt"),
        (json!({"prompt":"a","suffix":"b"}), "suffix"),
        (json!({"prompt":"a","best_of":3,"n":2}), "best_of"),
        (json!({"prompt":"a","echo":true,"logprobs":1}), "logprobs"),
        (json!({"prompt":"a","logprobs":true}), "logprobs"),
        (json!({"prompt":"a","model":""}), "model"),
    ] {
        let mut body = json!({"model":"m"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        assert_eq!(
            try_read(&body).unwrap_err().param.as_deref(),
            Some(param),
            "{body}"
        );
    }
    assert!(try_read(&json!({"model":"m","prompt":"a","suffix":"","best_of":1})).is_ok());
}

#[test]
fn several_prompts_are_several_requests() {
    let body = json!({"model":"m","prompt":["a","b"],"n":2,"echo":true}).to_string();
    let requests = read_prompts(body.as_bytes()).unwrap();
    let echoed: Vec<_> = requests.iter().map(echoed_prompt).collect();
    assert_eq!(echoed, [Some("a".to_owned()), Some("b".to_owned())]);
    assert!(requests.iter().all(|request| request.choices == Some(2)));
    let many = json!({"model":"m","prompt":vec!["x";17]}).to_string();
    assert_eq!(
        read_prompts(many.as_bytes()).unwrap_err().param.as_deref(),
        Some("prompt")
    );
}

#[test]
fn a_conversation_cannot_be_written() {
    let mut request = Request::new(DialectId::Messages, "m");
    let turn = Turn::new(Role::User, vec![Part::text("a")]);
    request.turns = vec![turn.clone()];
    assert_eq!(write(&request)["prompt"], "a");
    request.turns.push(turn);
    let failure = TextCompletions.write_request(&request).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unsupported);
}

#[test]
fn answers_are_written_as_they_were_read() {
    for choice in [
        json!({"text":" a time","index":0,"logprobs":null,"finish_reason":"length"}),
        json!({"text":"","index":0,"logprobs":null,"finish_reason":"stop"}),
        json!({"text":"ab","index":0,"finish_reason":"stop","logprobs":{"tokens":["a","b"],
            "token_logprobs":[null,-0.50],"top_logprobs":[null,{"b":-0.50,"c":-1.0}],"text_offset":[0,1]}}),
        json!({"text":"b","index":0,"finish_reason":"stop","logprobs":{"tokens":["b"],
            "token_logprobs":[-0.5],"top_logprobs":[{}],"text_offset":[9]}}),
    ] {
        let body = json!({"id":"cmpl-7","object":"text_completion","created":1,"model":"m",
            "system_fingerprint":"fp","choices":[choice],
            "usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6}});
        let reply = TextCompletions
            .read_reply(body.to_string().as_bytes())
            .unwrap();
        let after = written(&reply, &context());
        assert!(same(&body, &after), "{body}\n{after}");
    }
    assert!(
        TextCompletions
            .read_reply(br#"{"error":{"message":"x"}}"#)
            .is_err()
    );
    assert!(TextCompletions.read_reply(b"{}").is_err());
}

#[test]
fn a_foreign_answer_is_its_text_after_the_echo() {
    let thinking = Thinking {
        text: "hm".into(),
        form: ThinkingForm::Raw,
    };
    let parts = vec![
        Part::new(PartKind::Thinking(thinking)),
        Part::text("a "),
        Part::text("time"),
    ];
    let mut reply = foreign(parts, FinishReason::ToolCalls);
    reply.choices[0].logprobs = Some(json!({"content":[
        {"token":"é","logprob":-0.1,"bytes":null,"top_logprobs":[{"token":"e","logprob":-2,"bytes":null}]},
        {"token":"b","logprob":-0.2,"bytes":null,"top_logprobs":[]}]}));
    let echo = ReplyContext {
        echoed_prompt: Some("Once upon ".into()),
        ..context()
    };
    let body = written(&reply, &echo);
    assert_eq!(body["id"], "cmpl-msg_1");
    assert_eq!(body["object"], "text_completion");
    let choice = &body["choices"][0];
    assert_eq!(choice["text"], "Once upon a time");
    assert_eq!(choice["finish_reason"], "stop");
    assert_eq!(choice["logprobs"]["text_offset"], json!([10, 11]));
    assert_eq!(choice["logprobs"]["top_logprobs"], json!([{"e":-2}, {}]));
    assert_eq!(body["usage"]["total_tokens"], 5);
}

#[test]
fn a_refusal_is_text_and_a_filter() {
    let refusal = Part::new(PartKind::Refusal("No.".into()));
    let body = written(&foreign(vec![refusal], FinishReason::Stop), &context());
    assert_eq!(body["choices"][0]["text"], "No.");
    assert_eq!(body["choices"][0]["finish_reason"], "content_filter");
    let mut reply = foreign(vec![], FinishReason::Refusal);
    reply.choices[0].finish.detail = Some(json!({"explanation":"Not this."}));
    assert_eq!(
        written(&reply, &context())["choices"][0]["text"],
        "Not this."
    );
}

#[test]
fn a_stream_echoes_first_and_leaves_thoughts_out() {
    let context = ReplyContext {
        echoed_prompt: Some("Once".into()),
        include_usage: true,
        ..context()
    };
    let finish = Finish::new(FinishReason::Length, "");
    let usage = Usage {
        input: Some(1),
        output: Some(2),
        ..Usage::default()
    };
    let out = streams::written(
        &TextCompletions,
        &context,
        [
            Event::Start {
                id: "x",
                model: "m",
                created: Some(1),
            },
            begun(0, PartHead::Thinking(ThinkingForm::Raw)),
            words(0, "hm"),
            ended(0),
            begun(1, PartHead::Text),
            words(1, " a"),
            Event::Logprobs {
                choice: 0,
                entries: &json!({"content":[{"token":" a","logprob":-1}]}),
            },
            ended(1),
            finished(&finish),
            Event::Usage(&usage),
            Event::End,
            Event::Ping,
        ],
    );
    let list = values_of(&out);
    let texts: Vec<_> = list
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["text"].as_str())
        .collect();
    assert_eq!(texts, ["Once", " a", "", ""]);
    assert_eq!(list[2]["choices"][0]["logprobs"]["text_offset"], json!([4]));
    assert_eq!(list[3]["choices"][0]["finish_reason"], "length");
    assert_eq!(list[4]["choices"], json!([]));
    assert_eq!(list[4]["usage"]["total_tokens"], 3);
    assert_eq!(
        list[0],
        json!({"id":"cmpl-x","object":"text_completion","created":1,"model":"m",
        "choices":[{"text":"Once","index":0,"logprobs":null,"finish_reason":null}],"usage":null})
    );
}

#[test]
fn a_native_stream_is_read() {
    let mut lines = Vec::new();
    let mut reader = TextCompletions.stream_reader();
    for data in [
        r#"{"id":"cmpl-7","created":1,"model":"m","choices":[{"text":"a","index":0,"logprobs":
            {"tokens":["a"],"token_logprobs":[-1],"top_logprobs":[null],"text_offset":[0]},"finish_reason":null}]}"#,
        r#"{"id":"cmpl-7","choices":[{"text":"","index":0,"logprobs":null,"finish_reason":"stop"}]}"#,
        r#"{"id":"cmpl-7","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":3}}"#,
        "[DONE]",
    ] {
        let frame = Frame::new(data.as_bytes());
        reader.frame(frame, &mut |event: Event<'_>| {
            lines.push(format!("{event:?}"));
        });
    }
    assert!(
        lines
            .iter()
            .any(|line| line.contains("Text") && line.contains("\"a\""))
    );
    let expected = json!({"content":[{"token":"a","logprob":-1,"bytes":null,"top_logprobs":[]}]});
    let event = Event::Logprobs {
        choice: 0,
        entries: &expected,
    };
    assert!(lines.contains(&format!("{event:?}")));
    assert_eq!(lines.last().map(String::as_str), Some("End"));
}

#[test]
fn answers_to_several_prompts_are_one_answer() {
    let answer = |text: &str, prompt: &str| {
        let mut reply = foreign(vec![Part::text(text)], FinishReason::Stop);
        let mut second = reply.choices[0].clone();
        second.index = 1;
        reply.choices.push(second);
        Answered {
            reply,
            echoed_prompt: Some(prompt.into()),
        }
    };
    let whole = join_replies(vec![answer("1", "a"), answer("2", "b")], 2).unwrap();
    let body = written(&whole, &context());
    let choices: Vec<_> = body["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|choice| {
            (
                choice["index"].as_u64().unwrap(),
                choice["text"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(choices, [(0, "a1"), (1, "a1"), (2, "b2"), (3, "b2")]);
    assert_eq!(body["usage"]["prompt_tokens"], 6);
    assert_eq!(join_replies(vec![], 1), None);
}

#[test]
fn streams_of_several_prompts_are_one_stream() {
    let finish = Finish::new(FinishReason::Stop, "");
    let usage = Usage {
        input: Some(1),
        output: Some(2),
        ..Usage::default()
    };
    let start = Event::Start {
        id: "x",
        model: "m",
        created: None,
    };
    let events = |text: &'static str| {
        [
            start,
            begun(0, PartHead::Text),
            words(0, text),
            ended(0),
            Event::Usage(&usage),
            finished(&finish),
            Event::End,
        ]
    };
    let mut join = Join::new(vec![Some("a".into()), Some("b".into())], 1);
    let mut out = Vec::new();
    let context = ReplyContext {
        include_usage: true,
        ..context()
    };
    let mut writer = TextCompletions.stream_writer(&context);
    for (first, second) in events("1").into_iter().zip(events("2")) {
        let sink = &mut |event: Event<'_>| writer.event(event, &mut out);
        join.event(1, second, sink);
        join.event(0, first, sink);
    }
    let mut texts = [String::new(), String::new()];
    let list = values_of(&out);
    for choice in list.iter().filter_map(|chunk| chunk["choices"].get(0)) {
        let index = usize::try_from(choice["index"].as_u64().unwrap()).unwrap();
        texts[index].push_str(choice["text"].as_str().unwrap());
    }
    assert_eq!(texts, ["a1", "b2"]);
    assert_eq!(list.last().unwrap()["usage"]["total_tokens"], 6);
}

#[test]
fn one_failed_prompt_fails_the_stream_once() {
    let failure = Failure::upstream("It broke.");
    let mut join = Join::new(vec![None, None], 1);
    let mut seen = Vec::new();
    let mut sink = |event: Event<'_>| seen.push(format!("{event:?}"));
    join.event(0, Event::Error(&failure), &mut sink);
    join.event(1, Event::End, &mut sink);
    join.event(7, Event::End, &mut sink);
    assert_eq!(seen.len(), 1);
}
