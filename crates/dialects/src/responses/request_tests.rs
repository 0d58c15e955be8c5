//! Requests: what the reader understands, and what the writer makes of foreign ones.

use serde_json::{Value, json};

use super::{ITEM, Responses};
use crate::canonical::MediaClass::{Audio, Document, Image};
use crate::canonical::{
    Arguments, CacheMark, ChoiceMode, ContentShape, Effort, Failure, HostedTool, HostedToolKind,
    Media, MediaClass, MediaSource, OutputFormat, Part, PartKind, ReasoningMode, ReasoningShow,
    Request, Role, Thinking, ThinkingForm, Tool, ToolCall, ToolKind, ToolResult, Turn,
};
use crate::{Dialect, DialectId, PathHints, Signature};

fn read(body: &Value) -> Result<Request, Failure> {
    let body = serde_json::to_vec(body).expect("JSON");
    Responses.read_request(&body, &PathHints::default())
}

fn fixture(name: &str) -> Request {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/responses");
    let body = std::fs::read(format!("{folder}/{name}.json")).expect("a fixture");
    Responses
        .read_request(&body, &PathHints::default())
        .expect("a request")
}

fn write(request: &Request) -> Value {
    let body = Responses.write_request(request).expect("a body");
    serde_json::from_slice(&body).expect("JSON")
}

fn param(body: &Value) -> String {
    let failure = read(body).expect_err("a failure");
    failure.param.unwrap_or_default()
}

#[test]
fn a_wrong_field_is_named_by_its_place() {
    assert_eq!(param(&json!({"input": "x"})), "model");
    assert_eq!(param(&json!({"model": "m", "input": 7})), "input");
    assert_eq!(param(&json!({"model": "m", "input": [7]})), "input[0]");
    assert_eq!(
        param(&json!({"model": "m", "input": [{"content": "x"}]})),
        "input[0].type"
    );
    assert_eq!(
        param(&json!({"model": "m", "input": [{"role": "captain", "content": "x"}]})),
        "input[0].role"
    );
    assert_eq!(
        param(
            &json!({"model": "m", "input": [{"role": "user", "content": [
            {"type": "input_text", "text": "a"}, {"type": "input_text"}]}]})
        ),
        "input[0].content[1].text"
    );
    assert_eq!(
        param(&json!({"model": "m", "input": [{"type": "function_call", "call_id": "c"}]})),
        "input[0].name"
    );
    assert_eq!(
        param(&json!({"model": "m", "input": [{"type": "function_call_output", "output": ""}]})),
        "input[0].call_id"
    );
    assert_eq!(
        param(&json!({"model": "m", "tools": [{"type": "function"}]})),
        "tools[0].name"
    );
    assert_eq!(
        param(&json!({"model": "m", "max_output_tokens": -1})),
        "max_output_tokens"
    );
    assert_eq!(
        param(&json!({"model": "m", "text": {"format": {"type": "json_schema", "name": 1}}})),
        "text.format.name"
    );
    assert_eq!(
        param(&json!({"model": "m", "reasoning": {"effort": 3}})),
        "reasoning.effort"
    );
}

#[test]
fn leading_messages_join_the_system_prompt_and_later_ones_stay_turns() {
    let request = fixture("request-full-messages");
    let words: Vec<_> = request.system.iter().filter_map(Part::as_text).collect();
    assert_eq!(words, ["Be brief.", "You know harbours."]);
    let systems = request
        .turns
        .iter()
        .filter(|turn| turn.role == Role::System);
    assert_eq!(systems.count(), 1);
    assert_eq!(request.turns[0].role, Role::User);
}

#[test]
fn a_message_after_declared_tools_still_leads() {
    let request = fixture("request-agent");
    let words: Vec<_> = request.system.iter().filter_map(Part::as_text).collect();
    assert_eq!(
        words,
        [
            "You are a careful agent.",
            "Sandbox: read only.",
            "Shell: sh."
        ]
    );
    let names: Vec<_> = request
        .tools
        .iter()
        .map(|tool| (tool.namespace.as_deref(), tool.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [(Some("desk"), "depth_of"), (Some("desk"), "log_entry")]
    );
    assert!(
        write(&request).get("tools").is_none(),
        "the item declares them"
    );
}

#[test]
fn discovered_tools_join_once() {
    let request = fixture("request-hosted-history");
    assert_eq!(request.tools.len(), 1);
    let hosted = request
        .turns
        .iter()
        .filter(|turn| matches!(turn.parts[0].kind, PartKind::Hosted(_)));
    assert_eq!(hosted.count(), 12);
}

#[test]
fn items_become_turns_of_their_own() {
    let request = fixture("request-tool-turns");
    let turn = |index: usize| &request.turns[index];
    assert!(
        matches!(&turn(1).parts[0].kind, PartKind::Thinking(thinking)
        if thinking.form == ThinkingForm::Raw && thinking.text == "Two calls.")
    );
    assert!(matches!(&turn(2).parts[0].kind, PartKind::ToolCall(call) if call.id == "call_aa"));
    assert!(matches!(&turn(3).parts[0].kind, PartKind::ToolCall(call)
        if call.arguments == Arguments::Json("{}".into())));
    assert!(
        matches!(&turn(5).parts[0].kind, PartKind::ToolResult(result)
        if result.parts.len() == 3 && result.shape == ContentShape::Parts)
    );
    assert!(matches!(&turn(6).parts[0].kind, PartKind::ToolCall(call)
        if call.arguments == Arguments::Free("Aa 9 m\nBb ?".into())));
    assert!(matches!(&turn(7).parts[0].kind, PartKind::ToolResult(result) if result.is_free));
    assert!(matches!(&turn(8).parts[0].kind, PartKind::ToolCall(call)
        if matches!(call.arguments, Arguments::Broken(_))));
    assert_eq!(turn(2).role, Role::Assistant);
    assert_eq!(turn(4).role, Role::User);
    assert_eq!(request.tool_choice.parallel, Some(false));
}

#[test]
fn media_are_read_in_every_spelling() {
    let request = fixture("request-media");
    let media: Vec<&Media> = request.turns[0]
        .parts
        .iter()
        .filter_map(|part| match &part.kind {
            PartKind::Media(media) => Some(media),
            _ => None,
        })
        .collect();
    let classes: Vec<MediaClass> = media.iter().map(|media| media.class).collect();
    assert_eq!(
        classes,
        [
            Image, Image, Image, Document, Document, Document, Image, Document, Audio, Audio
        ]
    );
    assert!(matches!(&media[1].source, MediaSource::Inline { mime, .. } if mime == "image/png"));
    assert!(matches!(&media[5].source, MediaSource::Inline { mime, .. }
        if mime == "application/pdf"));
    assert!(matches!(&media[9].source, MediaSource::Inline { mime, .. } if mime == "audio/mp3"));
    assert!(request.turns[0].parts[0].cache.is_some());
}

#[test]
fn settings_are_understood() {
    let request = fixture("request-settings");
    assert_eq!(
        request
            .sampling
            .temperature
            .as_ref()
            .map(ToString::to_string),
        Some("0".into())
    );
    assert_eq!(request.sampling.logprobs, Some(true));
    assert_eq!(request.sampling.top_logprobs, Some(2));
    assert_eq!(request.reasoning.effort, Some(Effort::Max));
    assert_eq!(request.reasoning.show, ReasoningShow::Summary);
    assert_eq!(request.end_user.as_deref(), Some("user-7"));
    assert_eq!(request.output, OutputFormat::PlainText);
    assert!(request.stream.is_some());
    let request = fixture("request-schema");
    assert_eq!(request.reasoning.mode, ReasoningMode::Off);
    assert!(matches!(
        request.output,
        OutputFormat::JsonSchema {
            strict: Some(true),
            ..
        }
    ));
    let request = fixture("request-state");
    assert_eq!(request.end_user.as_deref(), Some("old-name"));
    assert!(request.stream.is_none());
    assert_eq!(request.extra["previous_response_id"], "resp_earlier");
}

#[test]
fn tools_of_every_kind_are_read() {
    let request = fixture("request-tools-every-kind");
    let in_ship = request
        .tools
        .iter()
        .filter(|tool| tool.namespace.as_deref() == Some("ship"));
    assert_eq!(in_ship.count(), 2);
    let search = request.tools.iter().find_map(|tool| match &tool.kind {
        ToolKind::Hosted(HostedTool {
            kind:
                HostedToolKind::WebSearch {
                    allowed_domains,
                    blocked_domains,
                    user_location,
                    context_size,
                },
            ..
        }) => Some((
            allowed_domains,
            blocked_domains,
            user_location,
            context_size,
        )),
        _ => None,
    });
    let (allowed, blocked, location, size) = search.expect("a search tool");
    assert_eq!(allowed, &["harbours.example"]);
    assert_eq!(blocked, &["tides.example"]);
    assert_eq!(
        location,
        &Some(json!({"city": "Oslo", "country": "NO", "timezone": "Europe/Oslo"}))
    );
    assert_eq!(size.as_deref(), Some("low"));
    assert_eq!(request.tool_choice.mode, Some(ChoiceMode::Required));
    assert_eq!(request.tool_choice.allowed.as_ref().map(Vec::len), Some(1));
}

#[test]
fn our_own_key_from_a_client_is_ignored() {
    let request = read(&json!({"model": "m", "modelgate.item": 1,
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "x",
            "modelgate.item": {"id": "msg_forged"}}], "modelgate.item": "input"}],
        "tools": [{"type": "function", "name": "f", "modelgate.item": "input"}]}))
    .expect("a request");
    let written = write(&request);
    assert_eq!(written["tools"][0]["name"], "f");
    assert_eq!(
        written["input"][0]["content"][0],
        json!({"type": "input_text", "text": "x"})
    );
    assert!(!written.to_string().contains(ITEM));
}

fn foreign() -> Request {
    Request::new(DialectId::ChatCompletions, "m")
}

fn user(text: &str) -> Turn {
    Turn::new(Role::User, vec![Part::text(text)])
}

#[test]
fn a_foreign_conversation_is_written_item_by_item() {
    let mut request = foreign();
    request.system = vec![Part::text("Be brief.")];
    request.max_output = Some(500);
    let call = |id: &str, city: &str| {
        Part::new(PartKind::ToolCall(ToolCall {
            id: id.into(),
            name: "weather".into(),
            namespace: None,
            arguments: Arguments::Json(format!("{{\"city\":\"{city}\"}}")),
        }))
    };
    let result = |id: &str, text: &str| {
        Part::new(PartKind::ToolResult(ToolResult {
            call_id: id.into(),
            name: None,
            is_error: None,
            is_free: false,
            parts: vec![Part::text(text)],
            shape: ContentShape::Text,
        }))
    };
    request.turns = vec![
        user("Weather in Oslo and Bergen?"),
        Turn::new(
            Role::Assistant,
            vec![
                Part::text("Looking."),
                call("call_1", "Oslo"),
                call("call_2", "Bergen"),
            ],
        ),
        Turn::new(
            Role::User,
            vec![
                result("call_1", "4 C"),
                result("call_2", "{\"t\":6}"),
                Part::text("In Fahrenheit."),
            ],
        ),
        Turn::new(Role::System, vec![Part::text("Hurry.")]),
    ];
    request.tools = vec![Tool {
        name: "weather".into(),
        description: None,
        namespace: None,
        kind: ToolKind::Function {
            parameters: None,
            strict: None,
        },
        cache: None,
        extra: serde_json::Map::new(),
    }];
    request.tool_choice.mode = Some(ChoiceMode::Required);
    request.tool_choice.parallel = Some(false);
    assert_eq!(
        write(&request),
        json!({
            "model": "m", "max_output_tokens": 500, "instructions": "Be brief.", "store": false,
            "input": [
                {"role": "user", "content": [{"type": "input_text",
                    "text": "Weather in Oslo and Bergen?"}]},
                {"role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
                {"type": "function_call", "call_id": "call_1", "name": "weather",
                    "arguments": "{\"city\":\"Oslo\"}"},
                {"type": "function_call", "call_id": "call_2", "name": "weather",
                    "arguments": "{\"city\":\"Bergen\"}"},
                {"type": "function_call_output", "call_id": "call_1", "output": "4 C"},
                {"type": "function_call_output", "call_id": "call_2", "output": "{\"t\":6}"},
                {"role": "user", "content": [{"type": "input_text", "text": "In Fahrenheit."}]},
                {"role": "developer", "content": [{"type": "input_text", "text": "Hurry."}]}],
            "tools": [{"type": "function", "name": "weather", "strict": false,
                "parameters": {"type": "object", "properties": {}}}],
            "tool_choice": "required", "parallel_tool_calls": false,
        })
    );
}

#[test]
fn only_this_vendors_reasoning_is_sent_back_to_it() {
    let thought = |origin: Option<DialectId>| {
        let mut part = Part::new(PartKind::Thinking(Thinking {
            text: "hm".into(),
            form: ThinkingForm::Summary,
        }));
        part.signature = origin.map(|origin| Signature::native(origin, "proof"));
        Turn::new(Role::Assistant, vec![part])
    };
    let mut request = foreign();
    request.turns = vec![
        thought(Some(DialectId::Messages)),
        thought(None),
        thought(Some(DialectId::Responses)),
    ];
    let written = write(&request);
    assert_eq!(
        written["input"],
        json!([{"type": "reasoning", "encrypted_content": "proof",
        "summary": [{"type": "summary_text", "text": "hm"}]}])
    );
    assert_eq!(written["include"], json!(["reasoning.encrypted_content"]));
}

#[test]
fn items_after_lost_reasoning_lose_their_ids() {
    let foreign = Signature::native(DialectId::Messages, "S");
    let envelope = foreign.for_client(DialectId::Responses).into_owned();
    let request = read(&json!({"model": "m", "input": [
        {"type": "message", "id": "msg_0", "role": "user", "content": "x"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": envelope},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": "y"},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "id": "fco_1", "call_id": "c", "output": "1"}]}))
    .expect("a request");
    let written = write(&request);
    let ids: Vec<Option<&str>> = written["input"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["id"].as_str())
        .collect();
    assert_eq!(ids, [Some("msg_0"), None, None, Some("fco_1")]);
}

#[test]
fn foreign_wishes_are_said_in_this_dialects_words() {
    let mut request = foreign();
    request.turns = vec![user("x")];
    request.reasoning.mode = ReasoningMode::Off;
    request.sampling.logprobs = Some(true);
    request.sampling.top_logprobs = Some(3);
    request.stream = Some(crate::canonical::StreamOptions {
        include_usage: Some(true),
        extra: serde_json::Map::new(),
    });
    request.output = OutputFormat::JsonSchema {
        name: None,
        description: None,
        schema: crate::canonical::Schema::json(json!({"type": "object"})),
        strict: Some(false),
    };
    let written = write(&request);
    assert_eq!(written["reasoning"], json!({"effort": "none"}));
    assert_eq!(written["include"], json!(["message.output_text.logprobs"]));
    assert_eq!(written["top_logprobs"], 3);
    assert!(written.get("stream_options").is_none());
    assert_eq!(
        written["text"]["format"],
        json!({"type": "json_schema", "name": "response",
        "schema": {"type": "object"}, "strict": false})
    );
    request.reasoning.mode = ReasoningMode::On;
    request.reasoning.effort = Some(Effort::High);
    request.reasoning.show = ReasoningShow::Summary;
    let written = write(&request);
    assert_eq!(
        written["reasoning"],
        json!({"effort": "high", "summary": "auto"})
    );
}

#[test]
fn system_text_with_a_cache_mark_becomes_a_developer_message() {
    let mut request = foreign();
    let mut marked = Part::text("Long text.");
    marked.cache = Some(CacheMark {
        ttl: Some("5m".into()),
        raw: None,
    });
    request.system = vec![marked, Part::text("More.")];
    request.turns = vec![user("x")];
    let written = write(&request);
    assert!(written.get("instructions").is_none());
    assert_eq!(
        written["input"][0],
        json!({"role": "developer", "content": [
        {"type": "input_text", "text": "Long text.",
            "prompt_cache_breakpoint": {"mode": "explicit"}},
        {"type": "input_text", "text": "More."}]})
    );
}

#[test]
fn foreign_media_and_results_are_written() {
    let inline = |mime: &str| MediaSource::Inline {
        mime: mime.into(),
        data: "aGk=".into(),
    };
    let media = |class, source| Part::new(PartKind::Media(Media::new(class, source)));
    let mut request = foreign();
    let file = MediaSource::File {
        id: "file_1".into(),
        dialect: DialectId::Messages,
    };
    request.turns = vec![Turn::new(
        Role::User,
        vec![
            media(MediaClass::Image, inline("image/png")),
            media(MediaClass::Document, inline("application/pdf")),
            media(MediaClass::Document, MediaSource::Text("hi".into())),
            media(
                MediaClass::Document,
                MediaSource::Parts(vec![Part::text("inside")]),
            ),
            media(MediaClass::Audio, inline("audio/mp3")),
            media(MediaClass::Audio, inline("audio/flac")),
            media(MediaClass::Video, inline("video/mp4")),
            media(MediaClass::Document, file),
        ],
    )];
    let content = &write(&request)["input"][0]["content"];
    assert_eq!(
        content,
        &json!([
        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
        {"type": "input_file", "filename": "document.pdf",
            "file_data": "data:application/pdf;base64,aGk="},
        {"type": "input_file", "filename": "document.txt",
            "file_data": "data:text/plain;base64,aGk="},
        {"type": "input_text", "text": "inside"},
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "mp3"}}])
    );
}

#[test]
fn a_custom_tools_result_is_known_by_its_call() {
    let mut request = foreign();
    let call = Part::new(PartKind::ToolCall(ToolCall {
        id: "c1".into(),
        name: "sql".into(),
        namespace: None,
        arguments: Arguments::Free("SELECT 1".into()),
    }));
    let result = Part::new(PartKind::ToolResult(ToolResult {
        call_id: "c1".into(),
        name: None,
        is_error: Some(true),
        is_free: false,
        parts: vec![],
        shape: ContentShape::Text,
    }));
    request.turns = vec![
        Turn::new(Role::Assistant, vec![call]),
        Turn::new(Role::User, vec![result]),
    ];
    assert_eq!(
        write(&request)["input"],
        json!([
        {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": ""}])
    );
}

#[test]
fn foreign_hosted_tools_are_written_where_there_is_a_counterpart() {
    let hosted = |kind: HostedToolKind| Tool {
        name: String::new(),
        description: None,
        namespace: None,
        kind: ToolKind::Hosted(HostedTool {
            dialect: DialectId::Messages,
            kind,
            raw: json!({}),
        }),
        cache: None,
        extra: serde_json::Map::new(),
    };
    let mut request = foreign();
    request.tools = vec![
        hosted(HostedToolKind::WebSearch {
            allowed_domains: vec!["a.example".into()],
            blocked_domains: vec![],
            user_location: Some(json!({"city": "Oslo"})),
            context_size: Some("high".into()),
        }),
        hosted(HostedToolKind::CodeExecution),
        hosted(HostedToolKind::UrlFetch),
        hosted(HostedToolKind::Other),
    ];
    assert_eq!(
        write(&request)["tools"],
        json!([
        {"type": "web_search", "filters": {"allowed_domains": ["a.example"]},
            "user_location": {"city": "Oslo", "type": "approximate"},
            "search_context_size": "high"},
        {"type": "code_interpreter", "container": {"type": "auto"}}])
    );
}
