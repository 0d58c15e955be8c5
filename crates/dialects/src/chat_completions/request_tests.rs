//! Requests: what is read, and what is written of it.

use serde_json::{Value, json};

use super::ChatCompletions;
use crate::canonical::{
    Arguments, CacheMark, ChoiceMode, ContentShape, Effort, Failure, HostedToolKind, Media,
    MediaClass, MediaSource, OutputFormat, Part, PartKind, ReasoningMode, Request, Role, ToolCall,
    ToolResult, Turn,
};
use crate::{Dialect, DialectId, PathHints, Signature};

fn read(body: &Value) -> Request {
    try_read(body).expect("a request")
}

fn try_read(body: &Value) -> Result<Request, Failure> {
    ChatCompletions.read_request(body.to_string().as_bytes(), &PathHints::default())
}

fn write(request: &Request) -> Value {
    serde_json::from_slice(&ChatCompletions.write_request(request).unwrap()).unwrap()
}

/// Reads, writes, and expects the same.
fn assert_identity(body: &Value) {
    let written = write(&read(body));
    assert!(crate::json::same(body, &written), "{body}\n{written}");
}

fn user(content: &Value) -> Value {
    json!({"model":"m","messages":[{"role":"user","content":content}]})
}

fn foreign(turns: Vec<Turn>) -> Request {
    let mut request = Request::new(DialectId::Messages, "m");
    request.turns = turns;
    request
}

#[test]
fn every_field_is_written_again() {
    assert_identity(&json!({
        "model":"m","messages":[{"role":"user","content":"hi","name":"ann"}],
        "max_completion_tokens":5,"temperature":0,"top_p":0.5,"n":2,"stop":["a","b"],
        "presence_penalty":0,"frequency_penalty":-1.5,"logit_bias":{"50":-100},"logprobs":true,
        "top_logprobs":0,"seed":0,"reasoning_effort":"minimal","verbosity":"low",
        "modalities":["text","audio"],"audio":{"voice":"v","format":"wav"},
        "prediction":{"type":"content","content":"x"},"service_tier":"flex","store":false,
        "metadata":{"a":"b"},"safety_identifier":"u","prompt_cache_key":"k",
        "prompt_cache_retention":"24h","stream":true,"parallel_tool_calls":false,
        "stream_options":{"include_usage":true,"include_obfuscation":false},
        "tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"required",
        "top_k":4,"min_p":0.05,"thinking":{"type":"disabled"},"unknown":{"deep":[1.0]}
    }));
}

#[test]
fn odd_spellings_are_written_again() {
    let messages = json!([{"role":"user","content":"hi"}]);
    for more in [
        json!({"stop":"END"}),
        json!({"max_tokens":0}),
        json!({"max_tokens":7,"max_completion_tokens":5}),
        json!({"user":"u"}),
        json!({"user":"u","safety_identifier":"s"}),
        json!({"stream":false}),
        json!({"response_format":{"type":"text"}}),
        json!({"response_format":{"type":"json_object"}}),
        json!({"response_format":{"type":"grammar","grammar":"x"}}),
        json!({"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{},"x":1}}}),
        json!({"tools":[{"type":"function","function":{"name":"f","x":1},"y":2}],"tool_choice":"any"}),
        json!({"tools":[{"type":"function","function":{"name":"f"}}],
            "tool_choice":{"type":"function","name":"f"}}),
        json!({"tools":[{"type":"web_search"}],"tool_choice":{"type":"web_search"}}),
        json!({"functions":[{"name":"f","parameters":{"type":"object"}}],"function_call":{"name":"f"}}),
        json!({"web_search_options":{"search_context_size":"low"}}),
    ] {
        let mut body = json!({"model":"m","messages":messages});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        assert_identity(&body);
    }
}

#[test]
fn zero_is_a_value_and_null_is_absent() {
    let request = read(
        &json!({"model":"m","messages":[{"role":"user","content":"x"}],
        "temperature":0,"seed":0,"tools":null,"stop":null,"tool_choice":null,"stream":null}),
    );
    assert_eq!(request.sampling.temperature, Some(0.into()));
    assert_eq!(request.sampling.seed, Some(0.into()));
    assert_eq!(request.tools, []);
    assert_eq!(request.stream, None);
    assert_eq!(write(&request)["temperature"], 0);
}

#[test]
fn a_changed_value_wins_over_its_old_spelling() {
    let mut request = read(
        &json!({"model":"m","messages":[{"role":"user","content":"x"}],
        "stop":"a","max_tokens":9,"response_format":{"type":"json_schema","json_schema":{"x":1}}}),
    );
    request.stop = vec!["b".into()];
    request.max_output = Some(3);
    request.output = OutputFormat::Text;
    let written = write(&request);
    assert_eq!(written["stop"], json!(["b"]));
    assert_eq!(written["max_tokens"], 3);
    assert_eq!(written.get("response_format"), None);
}

#[test]
fn leading_system_messages_become_blocks_and_later_ones_turns() {
    let body = json!({"model":"m","messages":[
        {"role":"system","content":"one"},
        {"role":"developer","content":[{"type":"text","text":"two"},{"type":"text","text":"three"}],"name":"d"},
        {"role":"user","content":"hi"},
        {"role":"developer","content":"later"}]});
    let request = read(&body);
    let texts: Vec<_> = request.system.iter().filter_map(Part::as_text).collect();
    assert_eq!(texts, ["one", "two", "three"]);
    assert_eq!(request.system_shape, ContentShape::Parts);
    assert_eq!(request.turns[1].role, Role::System);
    assert_identity(&body);
}

#[test]
fn one_plain_system_block_becomes_a_string_and_several_a_list() {
    let mut request = foreign(vec![Turn::new(Role::User, vec![Part::text("hi")])]);
    request.system = vec![Part::text("a")];
    assert_eq!(
        write(&request)["messages"][0],
        json!({"role":"system","content":"a"})
    );
    request.system.push(Part::text("b"));
    let content = &write(&request)["messages"][0]["content"];
    assert_eq!(
        *content,
        json!([{"type":"text","text":"a"},{"type":"text","text":"b"}])
    );
}

#[test]
fn every_content_part_is_written_again() {
    assert_identity(&user(&json!([
        {"type":"text","text":"a","x":1},
        {"type":"image_url","image_url":{"url":"https://pics.test/a.png","detail":"low"}},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0="}},
        {"type":"image_url","image_url":{"url":"data:image/JPG;charset=x;base64,iVBORw0="}},
        {"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}},
        {"type":"file","file":{"filename":"r.pdf","file_data":"data:application/pdf;base64,JVBERi0="}},
        {"type":"file","file":{"file_id":"file-1"}},
        {"type":"file","file":{"filename":"c.mp4","file_data":"https://clips.test/c.mp4"}},
        {"type":"file","file":{"filename":"r.pdf","file_data":"JVBERi0="}},
        {"type":"video_url","video_url":{"url":"https://clips.test/c.mp4"}},
        {"type":"something_new","value":1}
    ])));
    for content in [json!(""), json!([]), Value::Null] {
        assert_identity(&user(&content));
    }
}

#[test]
fn media_is_read_for_what_it_is() {
    let request = read(&user(&json!([
        {"type":"image_url","image_url":{"url":"data:image/JPG;base64,aGk="}},
        {"type":"file","file":{"filename":"c.mp4","file_data":"gs://clips/c.mp4"}},
        {"type":"file","file":{"filename":"r.pdf","file_data":"JVBERi0="}},
        {"type":"input_audio","input_audio":{"data":"SUQz","format":"mp3"}}
    ])));
    let media: Vec<_> = request.turns[0]
        .parts
        .iter()
        .map(|part| match &part.kind {
            PartKind::Media(media) => (media.class, media.source.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    let inline = |mime: &str, data: &str| MediaSource::Inline {
        mime: mime.into(),
        data: data.into(),
    };
    assert_eq!(
        media,
        [
            (MediaClass::Image, inline("image/jpeg", "aGk=")),
            (
                MediaClass::Video,
                MediaSource::Url {
                    url: "gs://clips/c.mp4".into(),
                    mime: Some("video/mp4".into())
                }
            ),
            (MediaClass::Document, inline("application/pdf", "JVBERi0=")),
            (MediaClass::Audio, inline("audio/mp3", "SUQz")),
        ]
    );
}

#[test]
fn leaked_part_types_of_responses_are_text() {
    let request = read(&user(
        &json!([{"type":"input_text","text":"a"},{"type":"output_text","text":"b"}]),
    ));
    let texts: Vec<_> = request.turns[0]
        .parts
        .iter()
        .filter_map(Part::as_text)
        .collect();
    assert_eq!(texts, ["a", "b"]);
}

#[test]
fn cache_marks_keep_their_words_at_home_and_become_breakpoints_from_abroad() {
    assert_identity(&user(
        &json!([{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"},
        "prompt_cache_breakpoint":{"mode":"explicit"}}]),
    ));
    let mut part = Part::text("a");
    let raw = Some((DialectId::Messages, json!({"type":"ephemeral"})));
    part.cache = Some(CacheMark { ttl: None, raw });
    let written = write(&foreign(vec![Turn::new(Role::User, vec![part])]));
    assert_eq!(
        written["messages"][0]["content"],
        json!([{"type":"text","text":"a","prompt_cache_breakpoint":{"mode":"explicit"}}])
    );
}

#[test]
fn an_assistant_message_keeps_all_that_it_says() {
    for message in [
        json!({"role":"assistant","content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"f","arguments":""}},
            {"id":"b","type":"custom","custom":{"name":"sql","input":"SELECT 1"}}]}),
        json!({"role":"assistant","content":"","reasoning_content":"hm","refusal":null,"annotations":[]}),
        json!({"role":"assistant","content":"x","reasoning":"hm","reasoning_details":[{"a":1}]}),
        json!({"role":"assistant","content":[{"type":"text","text":"x"},{"type":"refusal","refusal":"no"}]}),
        json!({"role":"assistant","refusal":"no","content":null}),
        json!({"role":"assistant","audio":{"id":"audio_1"}}),
        json!({"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}),
        json!({"role":"assistant","content":"x","annotations":[{"type":"url_citation",
            "url_citation":{"start_index":0,"end_index":1,"url":"https://a.test","title":"A"}}]}),
    ] {
        assert_identity(&json!({"model":"m","messages":[message]}));
    }
}

#[test]
fn empty_content_beside_calls_is_no_text() {
    let request = read(
        &json!({"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[
        {"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}]}),
    );
    assert_eq!(request.turns[0].parts.len(), 1);
}

#[test]
fn a_signature_rides_in_on_a_call_id_and_never_reaches_an_upstream() {
    let signature = Signature::native(DialectId::GenerateContent, "abc");
    let id = signature.ride_on("call_1");
    let request = read(&json!({"model":"m","messages":[
        {"role":"assistant","content":null,"tool_calls":[
            {"id":id,"type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":id,"content":"ok"}]}));
    assert_eq!(request.turns[0].parts[0].signature, Some(signature));
    let written = write(&request);
    assert_eq!(written["messages"][0]["tool_calls"][0]["id"], "call_1");
    assert_eq!(written["messages"][1]["tool_call_id"], "call_1");
}

#[test]
fn the_deprecated_function_interface_pairs_call_and_result() {
    let body = json!({"model":"m","messages":[
        {"role":"user","content":"x"},
        {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}},
        {"role":"function","name":"f","content":"4"}],
        "functions":[{"name":"f","description":"d","parameters":{"type":"object"}}],"function_call":"auto"});
    assert_identity(&body);
    let request = read(&body);
    let PartKind::ToolCall(call) = &request.turns[1].parts[0].kind else {
        panic!("a call")
    };
    let PartKind::ToolResult(result) = &request.turns[2].parts[0].kind else {
        panic!("a result")
    };
    assert!(super::uses_old_functions(&request));
    assert_eq!(call.id, result.call_id);
    assert!(!call.id.is_empty());
    assert_eq!(request.tool_choice.mode, Some(ChoiceMode::Auto));
    assert_eq!(request.tools[0].name, "f");
}

fn result(id: &str, parts: Vec<Part>) -> Part {
    Part::new(PartKind::ToolResult(ToolResult {
        call_id: id.into(),
        name: None,
        is_error: Some(true),
        is_free: false,
        parts,
        shape: ContentShape::Parts,
    }))
}

#[test]
fn tool_results_come_first_and_their_images_after_all_of_them() {
    let source = MediaSource::Inline {
        mime: "image/png".into(),
        data: "aGk=".into(),
    };
    let image = Part::new(PartKind::Media(Media::new(MediaClass::Image, source)));
    let turn = Turn::new(
        Role::User,
        vec![
            Part::text("before"),
            result("a", vec![Part::text("see"), image]),
            result("b", vec![]),
        ],
    );
    let written = write(&foreign(vec![turn]));
    assert_eq!(
        written["messages"],
        json!([
            {"role":"tool","tool_call_id":"a","content":[
                {"type":"text","text":"see"},{"type":"text","text":"[image attached below]"}]},
            {"role":"tool","tool_call_id":"b","content":""},
            {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]},
            {"role":"user","content":"before"}
        ])
    );
}

#[test]
fn foreign_assistant_text_is_joined_and_calls_keep_their_text() {
    let call = PartKind::ToolCall(ToolCall {
        id: "t".into(),
        name: "f".into(),
        namespace: None,
        arguments: Arguments::Json("{\"a\":1.0}".into()),
    });
    let turn = Turn::new(
        Role::Assistant,
        vec![Part::text("a"), Part::text("b"), Part::new(call.clone())],
    );
    let bare = Turn::new(Role::Assistant, vec![Part::new(call)]);
    let written = write(&foreign(vec![
        turn,
        bare,
        Turn::new(Role::Assistant, vec![]),
    ]));
    let calls =
        json!([{"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\":1.0}"}}]);
    assert_eq!(
        written["messages"],
        json!([
        {"role":"assistant","content":"ab","tool_calls":calls},
        {"role":"assistant","content":null,"tool_calls":calls}])
    );
}

#[test]
fn documents_from_abroad_become_files_or_words() {
    let mut text = Media::new(MediaClass::Document, MediaSource::Text("words".into()));
    text.title = Some("notes".into());
    let pdf = MediaSource::Inline {
        mime: "application/pdf".into(),
        data: "JVBERi0=".into(),
    };
    let blocks = MediaSource::Parts(vec![Part::text("inner")]);
    let parts = [
        text,
        Media::new(MediaClass::Document, pdf),
        Media::new(MediaClass::Document, blocks),
    ];
    let parts = parts
        .into_iter()
        .map(|media| Part::new(PartKind::Media(media)))
        .collect();
    let written = write(&foreign(vec![Turn::new(Role::User, parts)]));
    assert_eq!(
        written["messages"][0]["content"],
        json!([
        {"type":"text","text":"File: notes\n\nwords"},
        {"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,JVBERi0="}},
        {"type":"text","text":"inner"}])
    );
}

#[test]
fn custom_tools_have_a_flat_grammar_inside_and_a_nested_one_outside() {
    let body = json!({"model":"m","messages":[{"role":"user","content":"x"}],"tools":[
        {"type":"custom","custom":{"name":"calc","description":"d","format":
            {"type":"grammar","grammar":{"syntax":"lark","definition":"start: NUM"}}}},
        {"type":"custom","custom":{"name":"sql","format":{"type":"text"}}}],
        "tool_choice":{"type":"custom","custom":{"name":"calc"}}});
    assert_identity(&body);
    let crate::canonical::ToolKind::Custom { format } = &read(&body).tools[0].kind else {
        panic!()
    };
    assert_eq!(
        *format,
        Some(json!({"type":"grammar","syntax":"lark","definition":"start: NUM"}))
    );
}

#[test]
fn web_search_options_are_a_hosted_tool() {
    let body = json!({"model":"m","messages":[{"role":"user","content":"x"}],"web_search_options":{
        "search_context_size":"high",
        "user_location":{"type":"approximate","approximate":{"city":"Oslo","country":"NO"}}}});
    assert_identity(&body);
    let mut request = read(&body);
    let crate::canonical::ToolKind::Hosted(hosted) = &mut request.tools[0].kind else {
        panic!()
    };
    let HostedToolKind::WebSearch {
        user_location,
        context_size,
        ..
    } = &hosted.kind
    else {
        panic!()
    };
    assert_eq!(*user_location, Some(json!({"city":"Oslo","country":"NO"})));
    assert_eq!(context_size.as_deref(), Some("high"));
    hosted.dialect = DialectId::Responses;
    request.source = DialectId::Responses;
    assert_eq!(
        write(&request)["web_search_options"],
        body["web_search_options"]
    );
}

#[test]
fn allowed_tools_are_read_and_written() {
    let body = json!({"model":"m","messages":[{"role":"user","content":"x"}],
        "tools":[{"type":"function","function":{"name":"f"}}],
        "tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required",
            "tools":[{"type":"function","function":{"name":"f"}}]}}});
    assert_identity(&body);
    let choice = read(&body).tool_choice;
    assert_eq!(choice.mode, Some(ChoiceMode::Required));
    assert_eq!(choice.allowed.unwrap()[0].name, "f");
}

#[test]
fn without_tools_no_choice_is_sent() {
    let request = read(
        &json!({"model":"m","messages":[{"role":"user","content":"x"}],
        "tools":[],"tool_choice":"auto","parallel_tool_calls":true}),
    );
    let written = write(&request);
    for field in ["tools", "tool_choice", "parallel_tool_calls"] {
        assert_eq!(written.get(field), None, "{field}");
    }
}

#[test]
fn effort_none_means_off() {
    let reasoning = |word: &str| {
        read(&json!({"model":"m","messages":[{"role":"user","content":"x"}],"reasoning_effort":word})).reasoning
    };
    assert_eq!(reasoning("none").mode, ReasoningMode::Off);
    assert_eq!(reasoning("high").effort, Some(Effort::High));
    assert_eq!(
        reasoning("extreme").effort,
        Some(Effort::Other("extreme".into()))
    );
    let mut request = foreign(vec![]);
    request.reasoning.mode = ReasoningMode::Off;
    assert_eq!(write(&request)["reasoning_effort"], "none");
}

#[test]
fn a_foreign_stream_asks_for_usage_and_an_own_one_says_what_it_says() {
    let mut request = foreign(vec![]);
    request.stream = Some(crate::canonical::StreamOptions::default());
    assert_eq!(
        write(&request)["stream_options"],
        json!({"include_usage":true})
    );
    let own = json!({"model":"m","messages":[{"role":"user","content":"x"}],"stream":true});
    assert_identity(&own);
}

#[test]
fn a_breach_names_its_field() {
    let message = |message: Value| json!({"model":"m","messages":[message]});
    for (body, param) in [
        (json!({"messages":[{"role":"user","content":"x"}]}), "model"),
        (json!({"model":"m"}), "messages"),
        (json!({"model":"m","messages":[]}), "messages"),
        (json!({"model":"m","messages":"x"}), "messages"),
        (message(json!("x")), "messages[0]"),
        (message(json!({"content":"x"})), "messages[0].role"),
        (
            message(json!({"role":"wizard","content":"x"})),
            "messages[0].role",
        ),
        (
            message(json!({"role":"user","content":5})),
            "messages[0].content",
        ),
        (
            message(json!({"role":"user","content":[{"type":"image_url"}]})),
            "messages[0].content[0].image_url.url",
        ),
        (
            message(json!({"role":"user","content":[{"x":1}]})),
            "messages[0].content[0].type",
        ),
        (
            message(json!({"role":"tool","content":"x"})),
            "messages[0].tool_call_id",
        ),
        (
            json!({"model":"m","messages":[{"role":"user","content":"x"}],"temperature":"hot"}),
            "temperature",
        ),
        (
            json!({"model":"m","messages":[{"role":"user","content":"x"}],"stop":[1]}),
            "stop",
        ),
        (
            json!({"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{}}]}),
            "tools[0].function.name",
        ),
    ] {
        assert_eq!(
            try_read(&body).unwrap_err().param.as_deref(),
            Some(param),
            "{body}"
        );
    }
}
