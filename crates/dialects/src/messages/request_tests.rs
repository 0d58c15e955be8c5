//! What requests and replies mean, rule by rule; that they come back unchanged is shown over the
//! fixtures.

use serde_json::{Value, json};

use super::{ID, Messages};
use crate::canonical::{
    Arguments, CacheMark, ChoiceMode, ContentShape, Effort, Finish, FinishReason, HostedTool,
    HostedToolKind, Media, MediaClass, MediaSource, OutputFormat, Part, PartKind, ReasoningMode,
    ReasoningShow, Request, Role, Schema, SchemaForm, Thinking, ThinkingForm, Tool, ToolCall,
    ToolChoice, ToolKind, ToolRef, ToolResult, Turn, Usage,
};
use crate::convert::convert_request;
use crate::passes::Target;
use crate::{Dialect, DialectId, PathHints, ReplyContext, Signature};

fn fixture(name: &str) -> Request {
    let path = format!(
        "{}/fixtures/messages/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    read(&std::fs::read(path).unwrap())
}

fn read(body: &[u8]) -> Request {
    Messages.read_request(body, &PathHints::default()).unwrap()
}

fn refused(messages: &Value) -> Option<String> {
    let body = json!({"model": "m", "max_tokens": 1, "messages": messages}).to_string();
    let read = Messages.read_request(body.as_bytes(), &PathHints::default());
    read.unwrap_err().param
}

/// A request as another dialect's reader and the passes leave it.
fn foreign(turns: Vec<Turn>) -> Request {
    let mut request = Request::new(DialectId::ChatCompletions, "m");
    request.turns = turns;
    request
}

fn written(request: &Request) -> Value {
    serde_json::from_slice(&Messages.write_request(request).unwrap()).unwrap()
}

fn function(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: None,
        namespace: None,
        kind: ToolKind::Function {
            parameters: None,
            strict: None,
        },
        cache: None,
        extra: crate::canonical::Extra::new(),
    }
}

#[test]
fn a_part_that_cannot_be_read_is_named_by_its_path() {
    assert_eq!(
        refused(&json!([{"role": "user", "content": [{"type": "text"}]}])).as_deref(),
        Some("messages.0.content.0.text")
    );
    assert_eq!(
        refused(
            &json!([{"role": "user", "content": "x"}, {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": [{"text": "x"}]}]}])
        )
        .as_deref(),
        Some("messages.1.content.0.content.0.type")
    );
}

#[test]
fn thinking_and_effort_have_their_words() {
    let request = fixture("request-thinking-budget");
    assert_eq!(request.reasoning.mode, ReasoningMode::On);
    assert_eq!(request.reasoning.budget, Some(2048));
    assert_eq!(request.reasoning.show, ReasoningShow::Summary);
    let request = fixture("request-thinking-adaptive");
    assert_eq!(request.reasoning.mode, ReasoningMode::Auto);
    assert_eq!(request.reasoning.effort, Some(Effort::ExtraHigh));
    assert_eq!(request.reasoning.show, ReasoningShow::None);
    let request = fixture("request-thinking-off");
    assert_eq!(request.reasoning.mode, ReasoningMode::Off);
}

#[test]
fn thoughts_are_shown_unless_the_client_says_otherwise() {
    let sent = |thinking: &Value, upstream| -> Value {
        let body = json!({"model": "m", "max_tokens": 4096, "thinking": thinking,
            "messages": [{"role": "user", "content": "Hi"}]});
        let request = read(body.to_string().as_bytes());
        let target = Target::new(upstream, "m");
        let written = convert_request(request, &target, &mut ReplyContext::default()).unwrap();
        serde_json::from_slice(&written.body).unwrap()
    };
    let unsaid = json!({"type": "enabled", "budget_tokens": 2048});
    let omitted = json!({"type": "enabled", "budget_tokens": 2048, "display": "omitted"});
    let off = json!({"type": "disabled"});
    for (thinking, reasoning) in [
        (&unsaid, json!({"effort": "low", "summary": "auto"})),
        (&omitted, json!({"effort": "low"})),
        (&off, json!({"effort": "none"})),
    ] {
        let body = sent(thinking, DialectId::Responses);
        assert_eq!(body["reasoning"], reasoning, "{thinking}");
        assert_eq!(sent(thinking, ID)["thinking"], *thinking);
    }
}

#[test]
fn both_spellings_of_a_schema_mean_the_same() {
    let newer = fixture("request-schema");
    let older = fixture("request-schema-older");
    assert!(matches!(newer.output, OutputFormat::JsonSchema { .. }));
    assert_eq!(newer.output, older.output);
}

#[test]
fn typed_tools_need_no_schema() {
    let request = fixture("request-typed-tools");
    let kinds: Vec<&HostedToolKind> = request
        .tools
        .iter()
        .map(|tool| match &tool.kind {
            ToolKind::Hosted(hosted) => &hosted.kind,
            other => panic!("{other:?}"),
        })
        .collect();
    let HostedToolKind::WebSearch {
        allowed_domains,
        user_location,
        ..
    } = kinds[0]
    else {
        panic!("a search")
    };
    assert_eq!(allowed_domains, &["weather.example"]);
    let place = json!({"city": "Oslo", "country": "NO", "timezone": "Europe/Oslo"});
    assert_eq!(user_location.as_ref(), Some(&place));
    assert_eq!(kinds[1], &HostedToolKind::UrlFetch);
    assert_eq!(kinds[2], &HostedToolKind::CodeExecution);
    assert!(
        kinds[3..]
            .iter()
            .all(|kind| **kind == HostedToolKind::Other)
    );
}

#[test]
fn a_choice_says_whether_calls_may_come_together() {
    let request = fixture("request-tools");
    assert_eq!(request.tool_choice.mode, Some(ChoiceMode::Required));
    assert_eq!(request.tool_choice.parallel, Some(false));
}

#[test]
fn system_text_between_turns_and_between_blocks_becomes_its_own_turn() {
    let request = fixture("request-mid-system");
    let roles: Vec<Role> = request.turns.iter().map(|turn| turn.role).collect();
    assert_eq!(
        roles,
        [
            Role::User,
            Role::Assistant,
            Role::System,
            Role::User,
            Role::System,
            Role::User
        ]
    );
    assert_eq!(
        request.turns[4].parts[0].as_text(),
        Some("The user is in Bergen.")
    );
}

#[test]
fn media_types_are_put_right() {
    let request = read(
        br#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"IMAGE/JPG; q=1","data":"AA=="}}]}]}"#,
    );
    assert_eq!(
        written(&request)["messages"][0]["content"][0]["source"]["media_type"],
        "image/jpeg"
    );
}

#[test]
fn redacted_thinking_holds_its_data_as_signature() {
    let request = fixture("request-thinking-budget");
    let part = &request.turns[1].parts[1];
    let PartKind::Thinking(thinking) = &part.kind else {
        panic!("thinking")
    };
    assert_eq!(thinking.form, ThinkingForm::Redacted);
    assert_eq!(part.signature, Some(Signature::native(ID, "EmwKAhgB")));
}

#[test]
fn a_signature_of_generate_content_returns_to_its_part() {
    let signature = Signature::native(DialectId::GenerateContent, "sig");
    let wrapped = signature.for_client(ID);
    let body = json!({"model": "m", "max_tokens": 1, "messages": [{"role": "assistant", "content": [
        {"type": "text", "text": "Hi"},
        {"type": "redacted_thinking", "data": wrapped},
        {"type": "thinking", "thinking": "", "signature": wrapped},
        {"type": "tool_use", "id": "a", "name": "n", "input": {}},
    ]}]});
    let request = read(body.to_string().as_bytes());
    let parts = &request.turns[0].parts;
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[0].signature.as_ref(), Some(&signature));
    assert_eq!(parts[1].signature.as_ref(), Some(&signature));
}

#[test]
fn thinking_that_this_vendor_did_not_sign_is_left_out() {
    let thought =
        |signature: &str| json!({"type": "thinking", "thinking": "x", "signature": signature});
    let foreign = Signature::native(DialectId::Responses, "enc");
    let body = json!({"model": "m", "max_tokens": 1, "messages": [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": [thought(""), thought(&Signature::none().for_client(ID)),
            thought(&foreign.for_client(ID)), {"type": "thinking", "thinking": "unsigned"},
            {"type": "redacted_thinking", "data": foreign.for_client(ID)},
            {"type": "text", "text": "Ok"}]},
        {"role": "assistant", "content": [thought(&foreign.for_client(ID))]},
    ]});
    let written = written(&read(body.to_string().as_bytes()));
    assert_eq!(
        written["messages"],
        json!([{"role": "user", "content": "x"},
               {"role": "assistant", "content": [{"type": "text", "text": "Ok"}]}])
    );
}

#[test]
fn another_dialects_conversation_is_written_in_blocks() {
    let call = |id: &str, arguments: Arguments| {
        Part::new(PartKind::ToolCall(ToolCall {
            id: id.to_owned(),
            name: "n".to_owned(),
            namespace: None,
            arguments,
        }))
    };
    let result = |parts: Vec<Part>| {
        Part::new(PartKind::ToolResult(ToolResult {
            call_id: "a".to_owned(),
            name: None,
            is_error: Some(false),
            is_free: false,
            parts,
            shape: ContentShape::Text,
        }))
    };
    let mut request = foreign(vec![
        Turn::new(
            Role::Assistant,
            vec![
                Part::text(""),
                call("a", Arguments::Json("{\"x\":1.0}".to_owned())),
                call("b", Arguments::Broken("{\"x\":".to_owned())),
                call("c", Arguments::Free("text".to_owned())),
                Part::new(PartKind::Refusal("No.".to_owned())),
            ],
        ),
        Turn::new(
            Role::User,
            vec![
                result(vec![Part::text("4 C")]),
                result(vec![Part::text("")]),
            ],
        ),
        Turn::new(Role::System, vec![Part::text("Be brief.")]),
    ]);
    request.system = vec![Part::text("One."), Part::text(""), Part::text("Two.")];
    let body = written(&request);
    assert_eq!(
        body["messages"],
        json!([
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "n", "input": {"x": serde_json::from_str::<Value>("1.0").unwrap()}},
                {"type": "tool_use", "id": "b", "name": "n", "input": {"_raw": "{\"x\":"}},
                {"type": "tool_use", "id": "c", "name": "n", "input": {"input": "text"}},
                {"type": "text", "text": "No."}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "4 C"},
                {"type": "tool_result", "tool_use_id": "a"}]},
            {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        ])
    );
    assert_eq!(
        body["system"],
        json!([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}])
    );
}

#[test]
fn one_plain_system_text_is_a_string_and_a_marked_one_a_block() {
    let mut request = foreign(Vec::new());
    request.system = vec![Part::text("One.")];
    assert_eq!(written(&request)["system"], "One.");
    request.system[0].cache = Some(CacheMark {
        ttl: Some("30m".to_owned()),
        raw: None,
    });
    assert_eq!(
        written(&request)["system"],
        json!([{"type": "text", "text": "One.", "cache_control": {"type": "ephemeral"}}])
    );
}

#[test]
fn another_dialects_media_become_images_and_documents() {
    let inline = |class, mime: &str, data: &str| {
        let source = MediaSource::Inline {
            mime: mime.to_owned(),
            data: data.to_owned(),
        };
        Media::new(class, source)
    };
    let mut pdf = inline(MediaClass::Document, "application/pdf", "JVBERi0=");
    pdf.name = Some("a.pdf".to_owned());
    let media = [
        inline(MediaClass::Image, "image/png", "AA=="),
        pdf,
        inline(MediaClass::Document, "text/csv", "YSxi"),
        inline(MediaClass::Audio, "audio/wav", "AA=="),
        Media::new(
            MediaClass::Image,
            MediaSource::File {
                id: "f".to_owned(),
                dialect: DialectId::Responses,
            },
        ),
    ];
    let parts = media
        .into_iter()
        .map(|media| Part::new(PartKind::Media(media)));
    let request = foreign(vec![Turn::new(Role::User, parts.collect())]);
    assert_eq!(
        written(&request)["messages"][0]["content"],
        json!([
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
            {"type": "document", "title": "a.pdf",
             "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a,b"}},
        ])
    );
}

#[test]
fn tools_of_other_dialects_get_this_ones_names() {
    let mut request = foreign(Vec::new());
    let hosted = |kind| {
        ToolKind::Hosted(HostedTool {
            dialect: DialectId::Responses,
            kind,
            raw: json!({"type": "x"}),
        })
    };
    request.tools = vec![
        function("plain"),
        Tool {
            kind: hosted(HostedToolKind::WebSearch {
                allowed_domains: vec!["a.example".to_owned()],
                blocked_domains: Vec::new(),
                user_location: Some(json!({"city": "Oslo"})),
                context_size: None,
            }),
            ..function("")
        },
        Tool {
            kind: hosted(HostedToolKind::CodeExecution),
            ..function("")
        },
        Tool {
            kind: hosted(HostedToolKind::Other),
            ..function("")
        },
    ];
    request.tool_choice.parallel = Some(false);
    let body = written(&request);
    assert_eq!(
        body["tools"],
        json!([
            {"name": "plain", "input_schema": {"type": "object", "properties": {}}},
            {"type": "web_search_20250305", "name": "web_search", "allowed_domains": ["a.example"],
             "user_location": {"type": "approximate", "city": "Oslo"}},
            {"type": "code_execution_20250825", "name": "code_execution"},
        ])
    );
    assert_eq!(
        body["tool_choice"],
        json!({"type": "auto", "disable_parallel_tool_use": true})
    );
}

#[test]
fn a_narrowed_choice_sends_only_the_tools_it_allows() {
    let mut request = foreign(Vec::new());
    request.tools = vec![function("a"), function("b")];
    request.tool_choice = ToolChoice {
        mode: Some(ChoiceMode::Required),
        allowed: Some(vec![ToolRef {
            name: "b".to_owned(),
            is_free: false,
        }]),
        parallel: Some(true),
        raw: None,
    };
    let body = written(&request);
    assert_eq!(body["tools"].as_array().unwrap().len(), 1);
    assert_eq!(body["tools"][0]["name"], "b");
    assert_eq!(body["tool_choice"], json!({"type": "any"}));
}

#[test]
fn no_calls_takes_no_word_about_parallel_calls_and_no_tools_take_no_choice() {
    let mut request = foreign(Vec::new());
    request.tool_choice.mode = Some(ChoiceMode::None);
    request.tool_choice.parallel = Some(false);
    assert_eq!(written(&request).get("tool_choice"), None);
    request.tools = vec![function("a")];
    assert_eq!(written(&request)["tool_choice"], json!({"type": "none"}));
}

#[test]
fn settings_of_other_dialects_get_this_ones_words() {
    let mut request = foreign(Vec::new());
    request.reasoning.mode = ReasoningMode::On;
    request.reasoning.effort = Some(Effort::Minimal);
    request.output = OutputFormat::JsonSchema {
        name: Some("n".to_owned()),
        description: Some("A person.".to_owned()),
        schema: Schema {
            value: json!({"type": "object"}),
            form: SchemaForm::JsonSchema,
        },
        strict: Some(true),
    };
    request.metadata = Some(json!({"k": "v"}));
    request.tier = Some("flex".to_owned());
    request.extra.insert("user".to_owned(), json!("x"));
    let body = written(&request);
    assert_eq!(body["thinking"], json!({"type": "adaptive"}));
    let format =
        json!({"type": "json_schema", "schema": {"type": "object", "description": "A person."}});
    assert_eq!(body["output_config"], json!({"format": format}));
    for absent in ["metadata", "service_tier", "user", "max_tokens", "stream"] {
        assert_eq!(body.get(absent), None, "{absent}");
    }
}

/// A reply of another dialect with these parts.
fn reply(parts: Vec<Part>, finish: Finish) -> crate::canonical::Reply {
    crate::canonical::Reply {
        source: DialectId::ChatCompletions,
        id: String::new(),
        model: "up".to_owned(),
        created: Some(1),
        choices: vec![crate::canonical::Choice {
            index: 0,
            parts,
            finish,
            logprobs: Some(json!({"content": []})),
            extra: crate::canonical::Extra::new(),
        }],
        usage: Some(Usage {
            input: Some(10),
            cache_read: Some(4),
            output: Some(2),
            ..Usage::default()
        }),
        tier: Some("default".to_owned()),
        extra: crate::canonical::Extra::new(),
    }
}

#[test]
fn another_dialects_reply_is_told_in_this_ones_words() {
    let thought = Part::new(PartKind::Thinking(Thinking {
        text: "hm".to_owned(),
        form: ThinkingForm::Raw,
    }));
    let call = Part::new(PartKind::ToolCall(ToolCall {
        id: String::new(),
        name: "n".to_owned(),
        namespace: None,
        arguments: Arguments::Json("{\"x\":1.0,\"s\":\"\\ud800\"}".to_owned()),
    }));
    let image = Media::new(
        MediaClass::Image,
        MediaSource::Url {
            url: "https://x.example".to_owned(),
            mime: None,
        },
    );
    let parts = vec![
        thought,
        Part::text(""),
        Part::text("Ok"),
        call,
        Part::new(PartKind::Media(image)),
    ];
    let reply = reply(parts, Finish::new(FinishReason::ToolCalls, "tool_calls"));
    let context = ReplyContext {
        id: "msg_x".to_owned(),
        show_reasoning: true,
        ..ReplyContext::default()
    };
    let written = Messages.write_reply(&reply, &context);
    let text = String::from_utf8(written.body).unwrap();
    let id = crate::ids::call_id("msg_x", 0, 0);
    assert_eq!(
        text,
        format!(
            r#"{{"id":"msg_x","type":"message","role":"assistant","model":"up","content":[{{"type":"thinking","thinking":"hm","signature":"Z3cxfG5vbmV8"}},{{"type":"text","text":"Ok"}},{{"type":"tool_use","id":"{id}","name":"n","input":{{"x":1.0,"s":"\ud800"}}}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{{"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":2,"service_tier":"standard"}}}}"#
        )
    );
    assert_eq!(written.dropped, ["image", "logprobs"]);
}

#[test]
fn a_reply_without_usage_is_estimated_and_without_choices_is_empty() {
    let mut reply = reply(
        Vec::new(),
        Finish::new(FinishReason::Filter, "content_filter"),
    );
    reply.usage = None;
    reply.choices[0].logprobs = None;
    let context = ReplyContext {
        estimated_input: 33,
        ..ReplyContext::default()
    };
    let body: Value = serde_json::from_slice(&Messages.write_reply(&reply, &context).body).unwrap();
    assert_eq!(body["usage"]["input_tokens"], 33);
    assert_eq!(body["stop_reason"], "refusal");
    assert_eq!(body["content"], json!([]));
    reply.choices.clear();
    let body: Value = serde_json::from_slice(&Messages.write_reply(&reply, &context).body).unwrap();
    assert_eq!(body["stop_reason"], "end_turn");
}

#[test]
fn replies_that_are_no_replies_are_failures() {
    for body in [
        "",
        "[]",
        "null",
        "\"x\"",
        r#"{"content":[3]}"#,
        r#"{"content":{"type":"text"}}"#,
    ] {
        assert!(Messages.read_reply(body.as_bytes()).is_err(), "{body}");
    }
}

#[test]
fn half_of_a_surrogate_pair_is_refused_in_a_request_and_replaced_in_a_reply() {
    let body = br#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a\ud83d"}]}"#;
    let failure = Messages.read_request(body, &PathHints::default());
    assert_eq!(failure.unwrap_err().param.as_deref(), Some("body"));
    let reply = Messages
        .read_reply(
            br#"{"id":"a","content":[{"type":"text","text":"\ude00"},{"type":"tool_use","id":"b","name":"n","input":{"x":"\ud800"}}],"stop_reason":"tool_use"}"#,
        )
        .unwrap();
    let parts = &reply.choices[0].parts;
    assert_eq!(parts[0].as_text(), Some("\u{fffd}"));
    let PartKind::ToolCall(call) = &parts[1].kind else {
        panic!("a call")
    };
    assert_eq!(call.arguments.text(), r#"{"x":"\ud800"}"#);
}
