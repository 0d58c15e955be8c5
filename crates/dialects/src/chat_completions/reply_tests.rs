//! Whole answers: what is read, and what is written of it.

use serde_json::{Value, json};

use super::ChatCompletions;
use crate::canonical::{
    Annotation, Arguments, Choice, Extra, Failure, FailureKind, Finish, FinishReason, Hosted,
    Media, MediaClass, MediaSource, Part, PartKind, Reply, Thinking, ThinkingForm, ToolCall, Usage,
};
use crate::convert::convert_reply;
use crate::{Dialect, DialectId, ReplyContext, Signature};

fn try_read(body: &Value) -> Result<Reply, Failure> {
    ChatCompletions.read_reply(body.to_string().as_bytes())
}

fn context() -> ReplyContext {
    ReplyContext {
        id: "gen1".into(),
        created: 7,
        model: "asked".into(),
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

fn write(reply: &Reply) -> (Value, Vec<String>) {
    let written = ChatCompletions.write_reply(reply, &context());
    (
        serde_json::from_slice(&written.body).unwrap(),
        written.dropped,
    )
}

fn answer(message: &Value, finish: &str) -> Value {
    json!({"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m",
        "choices":[{"index":0,"message":message,"finish_reason":finish,"logprobs":null}],
        "usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}})
}

fn foreign(parts: Vec<Part>, reason: FinishReason) -> Reply {
    Reply {
        source: DialectId::Messages,
        id: "msg_1".into(),
        model: String::new(),
        created: None,
        choices: vec![Choice {
            index: 0,
            parts,
            finish: Finish::new(reason, "x"),
            logprobs: None,
            extra: Extra::new(),
        }],
        usage: Some(Usage {
            input: Some(1),
            output: Some(2),
            ..Usage::default()
        }),
        tier: Some("standard".into()),
        extra: Extra::new(),
    }
}

#[test]
fn every_shape_of_answer_is_written_again() {
    for message in [
        json!({"role":"assistant","content":"Hi","refusal":null,"annotations":[]}),
        json!({"role":"assistant","content":"","refusal":null}),
        json!({"role":"assistant","content":null,"refusal":"I will not."}),
        json!({"role":"assistant","content":"x","reasoning_content":"hm"}),
        json!({"role":"assistant","content":"x","reasoning":"hm","reasoning_details":[{"a":1}]}),
        json!({"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}),
        json!({"role":"assistant","content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"f","arguments":""}},
            {"id":"b","type":"custom","custom":{"name":"sql","input":"SELECT 1"}}]}),
        json!({"role":"assistant","content":null,"audio":
            {"id":"audio_1","data":"UklGRg==","transcript":"hi","expires_at":9}}),
        json!({"role":"assistant","content":"x","images":[
            {"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="},"index":0}]}),
        json!({"role":"assistant","content":"see A","annotations":[{"type":"url_citation",
            "url_citation":{"start_index":4,"end_index":5,"url":"https://a.test","title":"A"}}]}),
    ] {
        for finish in ["stop", "tool_calls", "length", "something_new"] {
            let body = answer(&message, finish);
            let (written, dropped) = write(&try_read(&body).unwrap());
            assert!(crate::json::same(&body, &written), "{body}\n{written}");
            assert_eq!(dropped, Vec::<String>::new());
        }
    }
}

#[test]
fn usage_that_says_more_than_we_hold_is_written_again() {
    let mut body = answer(&json!({"role":"assistant","content":"x"}), "stop");
    body["usage"] = json!({"prompt_tokens":5,"completion_tokens":1,"total_tokens":9,"cost":0.10,
        "prompt_tokens_details":{"cached_tokens":0,"text_tokens":5}});
    body["choices"][0]["logprobs"] = json!({"content":[{"token":"x","logprob":-0.10}]});
    body["service_tier"] = "default".into();
    body["system_fingerprint"] = "fp".into();
    let (written, _) = write(&try_read(&body).unwrap());
    assert!(crate::json::same(&body, &written), "{written}");
}

#[test]
fn a_stop_after_a_call_means_tool_calls_and_a_limit_stays() {
    let call = json!([{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]);
    let reason = |message: Value, finish: &str| {
        try_read(&answer(&message, finish)).unwrap().choices[0]
            .finish
            .reason
            .clone()
    };
    let with = |finish| reason(json!({"content":null,"tool_calls":call}), finish);
    assert_eq!(with("stop"), FinishReason::ToolCalls);
    assert_eq!(with("length"), FinishReason::Length);
    assert_eq!(
        reason(json!({"content":"x","tool_calls":[]}), "tool_calls"),
        FinishReason::Stop
    );
    assert_eq!(
        reason(json!({"content":"x","tool_calls":null}), "strange"),
        FinishReason::Other
    );
}

#[test]
fn a_refusal_in_the_place_of_an_answer_ends_as_one_but_for_its_own_clients() {
    let refusal = json!({"content":null,"refusal":"I cannot."});
    let reason = |message: &Value, finish: &str| {
        try_read(&answer(message, finish)).unwrap().choices[0]
            .finish
            .reason
            .clone()
    };
    assert_eq!(reason(&refusal, "stop"), FinishReason::Refusal);
    assert_eq!(reason(&refusal, "length"), FinishReason::Length);
    let nothing = json!({"content":null,"refusal":""});
    assert_eq!(reason(&nothing, "stop"), FinishReason::Stop);
    let told = |client| {
        let body = answer(&refusal, "stop").to_string();
        let upstream = DialectId::ChatCompletions;
        let (written, _) = convert_reply(upstream, client, body.as_bytes(), &context()).unwrap();
        serde_json::from_slice::<Value>(&written.body).unwrap()
    };
    assert_eq!(told(DialectId::Messages)["stop_reason"], "refusal");
    let candidate = &told(DialectId::GenerateContent)["candidates"][0];
    assert_eq!(candidate["finishReason"], "SAFETY");
    let choice = &told(DialectId::ChatCompletions)["choices"][0];
    assert_eq!(choice["finish_reason"], "stop");
}

#[test]
fn calls_without_an_id_or_with_one_twice_get_their_own() {
    let call =
        |id: &str| json!({"id":id,"type":"function","function":{"name":"f","arguments":"{}"}});
    let body = answer(
        &json!({"content":null,"tool_calls":[call(""), call("a"), call("a")]}),
        "tool_calls",
    );
    let reply = try_read(&body).unwrap();
    let ids: Vec<_> = reply.choices[0]
        .parts
        .iter()
        .map(|part| match &part.kind {
            PartKind::ToolCall(call) => call.id.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids[0], crate::ids::call_id("chatcmpl-1", 0, 0));
    assert_eq!(ids[1], "a");
    assert_eq!(ids[2], crate::ids::call_id("chatcmpl-1", 0, 2));
}

#[test]
fn an_error_in_an_answer_is_a_failure_and_so_is_nonsense() {
    let failure = try_read(&json!({"error":{"message":"slow down","code":"rate_limit_exceeded"}}))
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::RateLimited);
    let failure =
        try_read(&json!({"error":{"message":"bad key","code":"invalid_api_key"}})).unwrap_err();
    assert_eq!(failure.kind, FailureKind::UpstreamBad);
    for body in [
        json!({}),
        json!([]),
        json!({"choices":{}}),
        json!({"choices":[1]}),
        json!({"choices":[{"message":{"content":5}}]}),
    ] {
        assert_eq!(
            try_read(&body).unwrap_err().kind,
            FailureKind::UpstreamBad,
            "{body}"
        );
    }
}

#[test]
fn a_foreign_answer_is_put_into_this_dialects_words() {
    let thought = |text: &str| {
        let text = text.to_owned();
        Part::new(PartKind::Thinking(Thinking {
            text,
            form: ThinkingForm::Summary,
        }))
    };
    let mut call = Part::new(PartKind::ToolCall(ToolCall {
        id: "toolu_1".into(),
        name: "f".into(),
        namespace: None,
        arguments: Arguments::Json("{}".into()),
    }));
    call.signature = Some(Signature::native(DialectId::GenerateContent, "sig"));
    let hosted = Hosted {
        dialect: DialectId::Messages,
        raw: json!({"type":"server_tool_use"}),
    };
    let parts = vec![
        thought("a"),
        thought(""),
        thought("b"),
        Part::text("x"),
        Part::text("y"),
        call,
        Part::new(PartKind::Hosted(hosted)),
    ];
    let (written, dropped) = write(&foreign(parts, FinishReason::ToolCalls));
    let message = &written["choices"][0]["message"];
    assert_eq!(message["content"], "xy");
    assert_eq!(message["reasoning_content"], "a\n\nb");
    assert_eq!(message["annotations"], json!([]));
    let id = message["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(Signature::split_id(id).0, "toolu_1");
    assert!(Signature::split_id(id).1.is_some());
    assert_eq!(written["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(written["id"], "chatcmpl-msg_1");
    assert_eq!(written["model"], "asked");
    assert_eq!(written["created"], 7);
    assert_eq!(written["service_tier"], "default");
    assert_eq!(dropped, ["server_tool_use"]);
}

#[test]
fn reasoning_is_left_out_where_the_client_does_not_want_it() {
    let text = "hm".to_owned();
    let part = Part::new(PartKind::Thinking(Thinking {
        text,
        form: ThinkingForm::Raw,
    }));
    let quiet = ReplyContext {
        show_reasoning: false,
        ..context()
    };
    let written = ChatCompletions.write_reply(&foreign(vec![part], FinishReason::Length), &quiet);
    let written: Value = serde_json::from_slice(&written.body).unwrap();
    let message = &written["choices"][0]["message"];
    assert_eq!(message.get("reasoning_content"), None);
    assert_eq!(message["content"], Value::Null);
    assert_eq!(written["choices"][0]["finish_reason"], "length");
}

#[test]
fn a_refusal_is_told_with_its_explanation() {
    let mut reply = foreign(vec![], FinishReason::Refusal);
    reply.choices[0].finish.detail = Some(json!({"explanation":"Not this."}));
    let (written, _) = write(&reply);
    assert_eq!(written["choices"][0]["message"]["refusal"], "Not this.");
    assert_eq!(written["choices"][0]["finish_reason"], "content_filter");
}

#[test]
fn citations_count_characters_of_the_joined_text() {
    let url = |start, end| Annotation::Url {
        url: "https://a.test".into(),
        title: None,
        start,
        end,
        raw: None,
    };
    let other = Annotation::Other {
        dialect: DialectId::Messages,
        raw: json!({"type":"char_location"}),
    };
    let second = PartKind::Text {
        text: "über".into(),
        annotations: vec![url(None, None), url(Some(1), Some(2)), other],
    };
    let (written, dropped) = write(&foreign(
        vec![Part::text("né "), Part::new(second)],
        FinishReason::Stop,
    ));
    let list = &written["choices"][0]["message"]["annotations"];
    let span = |at: usize| {
        let citation = &list[at]["url_citation"];
        (
            citation["start_index"].as_u64().unwrap(),
            citation["end_index"].as_u64().unwrap(),
        )
    };
    assert_eq!((span(0), span(1)), ((3, 7), (4, 5)));
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert_eq!(dropped, ["citations"]);
}

#[test]
fn generated_media_has_a_place_where_it_can() {
    let media = |class, mime: &str| {
        let source = MediaSource::Inline {
            mime: mime.into(),
            data: "aGk=".into(),
        };
        Part::new(PartKind::Media(Media::new(class, source)))
    };
    let parts = vec![
        media(MediaClass::Image, "image/png"),
        media(MediaClass::Audio, "audio/wav"),
        media(MediaClass::Video, "video/mp4"),
    ];
    let (written, dropped) = write(&foreign(parts, FinishReason::Stop));
    let message = &written["choices"][0]["message"];
    assert_eq!(
        message["images"][0]["image_url"]["url"],
        "data:image/png;base64,aGk="
    );
    assert_eq!(message["audio"]["data"], "aGk=");
    assert_eq!(message["audio"]["expires_at"], 3607);
    assert_eq!(dropped, ["video"]);
}

#[test]
fn a_client_of_the_deprecated_functions_gets_a_function_call() {
    let call = |id: &str| {
        Part::new(PartKind::ToolCall(ToolCall {
            id: id.into(),
            name: "f".into(),
            namespace: None,
            arguments: Arguments::Json("{}".into()),
        }))
    };
    let old = ReplyContext {
        old_functions: true,
        ..context()
    };
    let reply = foreign(vec![call("a"), call("b")], FinishReason::ToolCalls);
    let written = ChatCompletions.write_reply(&reply, &old);
    let body: Value = serde_json::from_slice(&written.body).unwrap();
    let choice = &body["choices"][0];
    assert_eq!(
        choice["message"]["function_call"],
        json!({"name":"f","arguments":"{}"})
    );
    assert_eq!(choice["message"].get("tool_calls"), None);
    assert_eq!(choice["finish_reason"], "function_call");
    assert_eq!(written.dropped, ["tool_calls"]);
}
