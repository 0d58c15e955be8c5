//! What the passes do to whole requests: one client's body in, the upstream's body out.

use serde_json::{Value, json};

use super::Target;
use crate::canonical::Failure;
use crate::convert::{convert_request, dialect};
use crate::{DialectId, PathHints, ReplyContext};

const CHAT: DialectId = DialectId::ChatCompletions;
const MESSAGES: DialectId = DialectId::Messages;
const GENERATE: DialectId = DialectId::GenerateContent;
const RESPONSES: DialectId = DialectId::Responses;

/// What became of a request.
struct Sent {
    body: Value,
    dropped: Vec<String>,
    reply: ReplyContext,
}

fn try_send(from: DialectId, to: &Target, body: &Value) -> Result<Sent, Failure> {
    let request = dialect(from).read_request(body.to_string().as_bytes(), &PathHints::default())?;
    let mut reply = ReplyContext::default();
    let written = convert_request(request, to, &mut reply)?;
    let body = serde_json::from_slice(&written.body).unwrap();
    Ok(Sent {
        body,
        dropped: written.dropped,
        reply,
    })
}

fn send(from: DialectId, to: DialectId, model: &str, body: &Value) -> Sent {
    try_send(from, &Target::new(to, model), body).unwrap()
}

/// A chat request of these messages.
fn chat(messages: &Value) -> Value {
    json!({"model": "m", "messages": messages})
}

fn calls() -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": ""}},
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{\"x\":1.0}"}}]})
}

fn tool(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

#[test]
fn results_are_gathered_right_after_their_calls_in_call_order() {
    let body = chat(&json!([
        user("q"),
        calls(),
        tool("b", "2"),
        tool("a", "1"),
        user("next")
    ]));
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    let turn = &sent["messages"][2]["content"];
    assert_eq!(turn[0]["tool_use_id"], "a");
    assert_eq!(turn[1]["tool_use_id"], "b");
    assert_eq!(turn[2]["text"], "next");
    assert_eq!(sent["messages"][1]["content"][0]["input"], json!({}));
    assert_eq!(
        sent["messages"][1]["content"][1]["input"].to_string(),
        r#"{"x":1.0}"#
    );
}

#[test]
fn a_missing_result_is_made_up_and_an_orphan_becomes_text() {
    let body = chat(&json!([
        user("q"),
        calls(),
        tool("a", "1"),
        tool("zz", "late")
    ]));
    let sent = send(CHAT, MESSAGES, "m", &body);
    let turn = &sent.body["messages"][2]["content"];
    assert_eq!(turn[1]["tool_use_id"], "b");
    assert_eq!(turn[1]["is_error"], true);
    assert_eq!(turn[2]["text"], "[tool result zz] late");
    assert_eq!(sent.dropped, ["tool_result"]);
}

#[test]
fn a_call_id_used_twice_is_told_apart() {
    let body = chat(&json!([
        user("q"),
        calls(),
        tool("a", "1"),
        tool("b", "2"),
        calls(),
        tool("a", "3"),
        tool("b", "4")
    ]));
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    let first = sent["messages"][2]["content"][0]["tool_use_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let second = sent["messages"][4]["content"][0]["tool_use_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_ne!(first, second);
    assert_eq!(sent["messages"][3]["content"][0]["id"], second);
    assert_eq!(sent["messages"][4]["content"][0]["content"], "3");
}

/// An assistant's message that calls `f` under each of these ids.
fn calls_under(ids: &[&str]) -> Value {
    let call = |id: &&str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Value>()})
}

/// The result of each call in a messages body, by the call's id, in the order of the calls.
fn results_of(body: &Value) -> Vec<(&str, &str)> {
    let blocks = body["messages"].as_array().unwrap().iter();
    let blocks: Vec<&Value> = blocks
        .filter_map(|message| message["content"].as_array())
        .flatten()
        .collect();
    let of_type = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let calls = of_type("tool_use").map(|call| call["id"].as_str().unwrap());
    let results = of_type("tool_result").map(|result| {
        let content = result["content"].as_str().unwrap();
        (result["tool_use_id"].as_str().unwrap(), content)
    });
    let results: Vec<(&str, &str)> = results.collect();
    assert!(calls.eq(results.iter().map(|(id, _)| *id)), "{body}");
    results
}

#[test]
fn calls_of_one_turn_that_share_an_id_keep_their_own_results() {
    let body = chat(&json!([
        user("q"),
        calls_under(&["x", "x_2"]),
        tool("x", "1"),
        tool("x_2", "2"),
        calls_under(&["x", "x"]),
        tool("x", "3"),
        tool("x", "4")
    ]));
    let sent = send(CHAT, MESSAGES, "m", &body);
    assert_eq!(
        results_of(&sent.body),
        [("x", "1"), ("x_2", "2"), ("x_3", "3"), ("x_4", "4")]
    );
    assert!(sent.dropped.is_empty());
}

#[test]
fn a_result_answers_the_latest_call_of_its_id() {
    let body = chat(&json!([
        user("q"),
        calls_under(&["x"]),
        user("never mind, again"),
        calls_under(&["x"]),
        tool("x", "1")
    ]));
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    assert_eq!(
        results_of(&sent),
        [("x", "no result available"), ("x_2", "1")]
    );
}

#[test]
fn neighbours_of_one_role_are_merged_where_the_vendor_wants_alternation() {
    let body = chat(&json!([user("a"), user("b")]));
    let merged = send(CHAT, GENERATE, "m", &body).body;
    assert_eq!(merged["contents"].as_array().unwrap().len(), 1);
    let apart = send(CHAT, RESPONSES, "m", &body).body;
    assert_eq!(apart["input"].as_array().unwrap().len(), 2);
}

#[test]
fn a_history_that_begins_with_the_model_gets_a_user_turn() {
    let body = chat(&json!([{"role": "assistant", "content": "hi"}, user("q")]));
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    assert_eq!(sent["messages"][0]["role"], "user");
    let only_system = chat(&json!([{"role": "system", "content": "do it"}]));
    let sent = send(CHAT, GENERATE, "m", &only_system).body;
    assert_eq!(sent["contents"][0]["parts"][0]["text"], "do it");
}

#[test]
fn a_user_without_words_still_asks_where_roles_alternate() {
    let answer = json!({"role": "assistant", "content": "hi"});
    let last = chat(&json!([user("q"), answer, user("")]));
    let sent = send(CHAT, MESSAGES, "claude-opus-4-8", &last).body;
    assert_eq!(sent["messages"][2]["role"], "user");
    assert_eq!(sent["messages"][2]["content"][0]["text"], ".");
    let sent = send(CHAT, GENERATE, "m", &last).body;
    assert_eq!(
        sent["contents"][2],
        json!({"role": "user", "parts": [{"text": " "}]})
    );
    let only = chat(&json!([{"role": "system", "content": "s"}, user("")]));
    let sent = send(CHAT, MESSAGES, "m", &only).body;
    assert_eq!(sent["system"], "s");
    assert_eq!(sent["messages"][0]["content"][0]["text"], ".");
    let beside = chat(&json!([
        user("q"),
        calls_under(&["x"]),
        tool("x", "1"),
        user("")
    ]));
    let sent = send(CHAT, MESSAGES, "m", &beside).body;
    assert_eq!(sent["messages"][2]["content"].as_array().unwrap().len(), 1);
}

#[test]
fn a_result_that_comes_late_leaves_a_user_turn_behind() {
    let body = chat(&json!([
        user("q"),
        calls_under(&["x"]),
        user("wait"),
        {"role": "assistant", "content": "yes?"},
        tool("x", "1")
    ]));
    let sent = send(CHAT, MESSAGES, "claude-opus-4-8", &body).body;
    assert_eq!(results_of(&sent), [("x", "1")]);
    assert_eq!(sent["messages"][4]["content"][0]["text"], ".");
}

#[test]
fn system_text_between_turns_keeps_its_place() {
    let body = chat(&json!([user("a"), {"role": "system", "content": "now French"}, user("b")]));
    let old = send(CHAT, MESSAGES, "claude-3-7-sonnet", &body).body;
    assert_eq!(
        old["messages"][0]["content"][1]["text"],
        "<system>now French</system>"
    );
    let sent = send(CHAT, RESPONSES, "m", &body).body;
    assert_eq!(sent["input"].as_array().unwrap().len(), 3);
}

#[test]
fn a_prefill_is_refused_by_models_that_do_not_continue() {
    let body = chat(&json!([user("a"), {"role": "assistant", "content": "Sure: "}]));
    let refused = try_send(CHAT, &Target::new(MESSAGES, "claude-opus-4-8"), &body);
    assert!(refused.is_err());
    let sent = send(CHAT, MESSAGES, "claude-3-5-haiku", &body).body;
    let last = &sent["messages"][1]["content"];
    assert!(last == "Sure:" || last[0]["text"] == "Sure:", "{last}");
}

#[test]
fn a_prefill_goes_without_thinking_and_without_a_format() {
    let mut body = chat(&json!([user("a"), {"role": "assistant", "content": "{"}]));
    body["reasoning_effort"] = json!("high");
    let sent = send(CHAT, MESSAGES, "claude-sonnet-4-5", &body);
    assert!(sent.body.get("thinking").is_none());
    assert_eq!(sent.dropped, ["reasoning"]);
    let sent = send(CHAT, MESSAGES, "m", &body);
    assert!(sent.body.get("thinking").is_none() && sent.body.get("output_config").is_none());
    let mut body = chat(&body["messages"]);
    body["response_format"] = json!({"type": "json_schema", "json_schema": {"name": "n",
        "schema": {"type": "object", "properties": {"depth": {"type": "integer"}}}}});
    for model in ["claude-sonnet-4-5", "claude-3-5-haiku"] {
        let sent = send(CHAT, MESSAGES, model, &body);
        assert!(sent.body.get("output_config").is_none() && sent.body.get("tools").is_none());
        assert!(sent.body["system"].to_string().contains("depth"));
        assert_eq!(sent.dropped, ["response_format"]);
    }
}

#[test]
fn pictures_in_results_follow_in_a_user_turn_where_results_are_text() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/jpg", "data": "AA=="}});
    let body = json!({"model": "m", "max_tokens": 9, "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "shot", "input": {}},
            {"type": "tool_use", "id": "t2", "name": "shot", "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "before"},
            {"type": "tool_result", "tool_use_id": "t1", "content": [image]},
            {"type": "tool_result", "tool_use_id": "t2", "content": "ok"}]}]});
    let sent = send(MESSAGES, CHAT, "m", &body).body;
    let roles: Vec<_> = sent["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["role"])
        .collect();
    assert_eq!(roles[1..4], ["assistant", "tool", "tool"]);
    let rest = &sent["messages"].as_array().unwrap()[4..];
    let text = Value::Array(rest.to_vec()).to_string();
    assert!(
        text.contains("before") && text.contains("data:image/jpeg;base64,AA=="),
        "{text}"
    );
    assert!(
        sent["messages"][2]["content"]
            .to_string()
            .contains("[image attached below]")
    );
}

#[test]
fn media_that_a_vendor_does_not_take_are_refused_by_name() {
    let audio = json!([{"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}]);
    let body = chat(&json!([{"role": "user", "content": audio}]));
    let failure = try_send(CHAT, &Target::new(MESSAGES, "m"), &body)
        .err()
        .unwrap();
    assert!(failure.message.contains("audio"), "{}", failure.message);
    assert!(try_send(CHAT, &Target::new(GENERATE, "m"), &body).is_ok());
}

#[test]
fn content_of_a_type_that_a_vendor_does_not_take_is_refused_by_its_place() {
    let inline = |mime: &str| json!({"inlineData": {"mimeType": mime, "data": "AA=="}});
    let try_type = |to: DialectId, mime: &str| {
        let body = json!({"contents": [{"parts": [{"text": "a"}]},
            {"role": "model", "parts": [{"text": "b"}]},
            {"parts": [{"text": "c"}, inline(mime)]}]});
        try_send(GENERATE, &Target::new(to, "m"), &body)
    };
    for (to, taken, refused) in [
        (MESSAGES, ["image/JPG", "image/webp"], "image/heic"),
        (MESSAGES, ["application/pdf", "text/csv"], "application/zip"),
        (CHAT, ["audio/x-wav", "audio/mpeg"], "audio/L16;rate=24000"),
        (RESPONSES, ["audio/wav", "audio/mp3"], "audio/flac"),
    ] {
        for mime in taken {
            assert!(try_type(to, mime).is_ok(), "{mime}");
        }
        let failure = try_type(to, refused).err().unwrap();
        assert_eq!(failure.param.as_deref(), Some("contents[2].parts[1]"));
        assert!(failure.message.contains("only"), "{}", failure.message);
    }
    assert!(try_type(CHAT, "image/heic").is_ok());
    let deaf = Target::new(CHAT, "gpt-4o");
    let body = json!({"contents": [{"parts": [inline("audio/flac")]}]});
    let failure = try_send(GENERATE, &deaf, &body).err().unwrap();
    assert!(failure.message.ends_with("takes no audio."));
}

#[test]
fn the_place_of_refused_content_is_the_clients_own() {
    let data = "data:image/bmp;base64,AA==";
    let image = json!({"type": "image_url", "image_url": {"url": data}});
    let messages = json!([{"role": "system", "content": "s"}, {"role": "developer", "content": "t"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, image]}]);
    let of_chat = (CHAT, chat(&messages), "messages[2].content[1]");
    let result = json!([user("q"), calls_under(&["x"]),
        {"role": "tool", "tool_call_id": "x", "content": [image]}]);
    let of_result = (CHAT, chat(&result), "messages[2]");
    let input = json!([{"role": "developer", "content": "s"},
        {"role": "user", "content": [{"type": "input_image", "image_url": data}]}]);
    let of_responses = (
        RESPONSES,
        json!({"model": "m", "input": input}),
        "input[1].content[0]",
    );
    for (from, body, place) in [of_chat, of_result, of_responses] {
        let failure = try_send(from, &Target::new(MESSAGES, "m"), &body);
        assert_eq!(failure.err().unwrap().param.as_deref(), Some(place));
    }
    let document = json!({"type": "document", "source": {"type": "base64",
        "media_type": "application/zip", "data": "AA=="}});
    let body = json!({"model": "m", "max_tokens": 9,
        "messages": [{"role": "user", "content": [document]}]});
    assert!(try_send(MESSAGES, &Target::new(MESSAGES, "m"), &body).is_ok());
}

#[test]
fn what_a_model_has_said_aloud_is_no_content_of_a_wrong_type() {
    let said = json!({"inlineData": {"mimeType": "audio/L16;rate=24000", "data": "AA=="}});
    let body = json!({"contents": [{"parts": [{"text": "a"}]},
        {"role": "model", "parts": [{"text": "b"}, said]}, {"parts": [{"text": "c"}]}]});
    for to in [CHAT, RESPONSES] {
        assert!(try_send(GENERATE, &Target::new(to, "m"), &body).is_ok());
    }
}

#[test]
fn what_cannot_be_said_is_dropped_by_name_or_refused() {
    let mut body = chat(&json!([user("q")]));
    body["seed"] = json!(0);
    body["logit_bias"] = json!({"1": 2});
    body["temperature"] = json!(1.5);
    let sent = send(CHAT, MESSAGES, "m", &body);
    assert_eq!(sent.dropped, ["seed", "logit_bias", "temperature"]);
    assert_eq!(sent.body["temperature"], 1);
    let strict = Target {
        strict: true,
        ..Target::new(MESSAGES, "m")
    };
    let failure = try_send(CHAT, &strict, &body).err().unwrap();
    assert_eq!(failure.param.as_deref(), Some("seed"));
    let mut two = chat(&json!([user("q")]));
    two["n"] = json!(2);
    assert!(try_send(CHAT, &Target::new(RESPONSES, "m"), &two).is_err());
    assert!(try_send(CHAT, &Target::new(GENERATE, "m"), &two).is_ok());
}

#[test]
fn stop_sequences_are_cut_by_the_gateway_where_the_vendor_cannot() {
    let mut body = chat(&json!([user("q")]));
    body["stop"] = json!(["END"]);
    let sent = send(CHAT, RESPONSES, "m", &body);
    assert!(sent.body.get("stop").is_none());
    assert_eq!(sent.reply.stop, ["END"]);
}

#[test]
fn blank_stop_sequences_are_cut_by_the_gateway_for_messages() {
    let mut body = chat(&json!([user("q")]));
    body["stop"] = json!(["\n\n", "END", " "]);
    let sent = send(CHAT, MESSAGES, "m", &body);
    assert_eq!(sent.body["stop_sequences"], json!(["END"]));
    assert_eq!(sent.reply.stop, ["\n\n", "END", " "]);
    body["stop"] = json!("\n");
    let sent = send(CHAT, MESSAGES, "m", &body);
    assert!(sent.body.get("stop_sequences").is_none());
    assert_eq!(sent.reply.stop, ["\n"]);
    let sent = send(CHAT, GENERATE, "m", &body);
    assert!(sent.reply.stop.is_empty());
}

#[test]
fn output_caps_respect_the_targets_bounds() {
    let mut body = chat(&json!([user("q")]));
    assert_eq!(send(CHAT, MESSAGES, "m", &body).body["max_tokens"], 4096);
    assert_eq!(
        send(CHAT, MESSAGES, "claude-3-7-sonnet", &body).body["max_tokens"],
        64000
    );
    body["max_completion_tokens"] = json!(5);
    assert_eq!(
        send(CHAT, RESPONSES, "m", &body).body["max_output_tokens"],
        16
    );
    assert_eq!(send(CHAT, MESSAGES, "m", &body).body["max_tokens"], 5);
}

#[test]
fn names_that_a_vendor_refuses_are_replaced_everywhere_and_remembered() {
    let long = "x".repeat(90);
    let body = json!({"contents": [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "a.b", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "a.b", "response": {"output": 1}}}]}],
        "tools": [{"functionDeclarations": [{"name": "a.b"}, {"name": "a_b"}, {"name": long}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a.b"]}}});
    let sent = send(GENERATE, CHAT, "m", &body);
    let names: Vec<_> = sent.body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["function"]["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names[0], "a_b");
    assert_ne!(names[1], names[0]);
    assert!(names[2].len() <= 64);
    assert_eq!(
        sent.body["messages"][1]["tool_calls"][0]["function"]["name"],
        "a_b"
    );
    assert_eq!(sent.body["tool_choice"]["function"]["name"], "a_b");
    assert_eq!(sent.reply.tool_names["a_b"].name, "a.b");
    assert_eq!(sent.reply.tool_names[&names[2]].name, long);
}

#[test]
fn free_text_tools_are_wrapped_where_the_vendor_has_none() {
    let mut body = chat(&json!([user("q"),
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}]},
        tool("c", "1")]));
    body["tools"] = json!([{"type": "custom", "custom": {"name": "sql"}}]);
    let sent = send(CHAT, MESSAGES, "m", &body);
    assert_eq!(
        sent.body["messages"][1]["content"][0]["input"],
        json!({"input": "SELECT 1"})
    );
    assert_eq!(
        sent.body["tools"][0]["input_schema"]["required"],
        json!(["input"])
    );
    assert_eq!(sent.reply.free_tools, ["sql"]);
}

#[test]
fn empty_tools_take_their_choice_with_them() {
    let mut body = chat(&json!([user("q")]));
    body["tools"] = json!([]);
    body["tool_choice"] = json!("required");
    body["parallel_tool_calls"] = json!(false);
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    assert!(sent.get("tools").is_none() && sent.get("tool_choice").is_none());
}

#[test]
fn a_tool_without_parameters_is_kept_with_the_targets_own_default() {
    let mut body = chat(&json!([user("q")]));
    let function = |parameters: Value| json!({"type": "function", "function": {"name": "f", "parameters": parameters}});
    let bare = json!({"type": "object", "properties": {}});
    for (parameters, typed) in [
        (json!({}), json!({"type": "object"})),
        (bare.clone(), bare.clone()),
        (Value::Null, bare),
    ] {
        body["tools"] = json!([function(parameters)]);
        let sent = send(CHAT, MESSAGES, "m", &body).body;
        assert_eq!(sent["tools"][0]["input_schema"], typed);
        let sent = send(CHAT, GENERATE, "gemini-2.0-flash", &body).body;
        let declared = &sent["tools"][0]["functionDeclarations"][0];
        assert_eq!(*declared, json!({"name": "f"}));
    }
}

#[test]
fn a_tool_is_strict_only_where_the_target_can_hold_it_to_its_schema() {
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let open = json!({"type": "object", "properties": {}});
    let declared =
        |name: &str, schema: &Value| json!({"name": name, "input_schema": schema, "strict": true});
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "q"}],
        "tools": [declared("a", &closed), declared("b", &open)]});
    let tools = send(MESSAGES, CHAT, "m", &body).body["tools"].clone();
    assert_eq!(tools[0]["function"]["strict"], true);
    assert_eq!(tools[1]["function"]["strict"], false);
    let tools = send(MESSAGES, RESPONSES, "m", &body).body["tools"].clone();
    assert_eq!(tools[0]["strict"], true);
    assert_eq!(tools[1]["strict"], false);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}},
        "required": ["n"], "additionalProperties": false});
    let mut body = chat(&json!([user("q")]));
    body["tools"] = json!([{"type": "function",
        "function": {"name": "f", "parameters": schema, "strict": true}}]);
    let tool = send(CHAT, MESSAGES, "claude-3-5-haiku", &body).body["tools"][0].clone();
    assert!(tool.get("strict").is_none());
    assert_eq!(tool["input_schema"], schema);
    let tool = send(CHAT, MESSAGES, "claude-sonnet-4-5", &body).body["tools"][0].clone();
    assert_eq!(tool["strict"], true);
    // What is enforced is told where it cannot be.
    let number = &tool["input_schema"]["properties"]["n"];
    assert_eq!(number["description"], "(minimum: 1)");
}

#[test]
fn a_list_of_allowed_tools_narrows_the_tools_where_there_is_no_such_list() {
    let mut body = chat(&json!([user("q")]));
    let function = |name: &str| json!({"type": "function", "function": {"name": name}});
    body["tools"] = json!([function("a"), function("b")]);
    body["tool_choice"] = json!({"type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [function("b")]}});
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    assert_eq!(sent["tools"].as_array().unwrap().len(), 1);
    assert_eq!(sent["tools"][0]["name"], "b");
}

#[test]
fn hosted_tools_become_the_targets_own_or_are_dropped() {
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "q"}],
        "tools": [{"type": "web_search_20250305", "name": "web_search", "allowed_domains": ["a.test"]},
            {"type": "bash_20250124", "name": "bash"}]});
    let sent = send(MESSAGES, RESPONSES, "m", &body);
    assert_eq!(sent.body["tools"][0]["type"], "web_search");
    assert_eq!(
        sent.body["tools"][0]["filters"]["allowed_domains"],
        json!(["a.test"])
    );
    assert_eq!(sent.dropped, ["tools.bash_20250124"]);
    let sent = send(MESSAGES, GENERATE, "m", &body);
    assert_eq!(sent.body["tools"][0], json!({"googleSearch": {}}));
    assert!(
        send(MESSAGES, CHAT, "m", &body)
            .body
            .get("web_search_options")
            .is_some()
    );
}

#[test]
fn efforts_and_budgets_follow_the_model() {
    let mut body = chat(&json!([user("q")]));
    body["reasoning_effort"] = json!("high");
    let adaptive = send(CHAT, MESSAGES, "claude-opus-4-8", &body).body;
    assert_eq!(adaptive["thinking"]["type"], "adaptive");
    assert_eq!(adaptive["output_config"]["effort"], "high");
    let budget = send(CHAT, MESSAGES, "claude-sonnet-4-5", &body).body;
    assert_eq!(
        budget["thinking"],
        json!({"type": "enabled", "budget_tokens": 16384})
    );
    assert_eq!(budget["max_tokens"], 16384 + 4096);
    let level = send(CHAT, GENERATE, "gemini-3-pro", &body).body;
    assert_eq!(
        level["generationConfig"]["thinkingConfig"]["thinkingLevel"],
        "HIGH"
    );
    let old = send(CHAT, GENERATE, "gemini-2.5-flash", &body).body;
    assert_eq!(
        old["generationConfig"]["thinkingConfig"]["thinkingBudget"],
        16384
    );
    body["reasoning_effort"] = json!("max");
    assert_eq!(
        send(CHAT, RESPONSES, "o4-mini", &body).body["reasoning"]["effort"],
        "high"
    );
}

#[test]
fn a_budget_gives_way_to_the_cap_and_thinking_to_a_forced_tool() {
    let mut body = chat(&json!([user("q")]));
    body["reasoning_effort"] = json!("high");
    body["max_completion_tokens"] = json!(2000);
    let sent = send(CHAT, MESSAGES, "claude-sonnet-4-5", &body).body;
    assert_eq!(sent["thinking"]["budget_tokens"], 1999);
    body["max_completion_tokens"] = json!(500);
    let sent = send(CHAT, MESSAGES, "claude-sonnet-4-5", &body);
    assert!(sent.body.get("thinking").is_none());
    assert_eq!(sent.dropped, ["reasoning"]);
    let mut forced = chat(&json!([user("q")]));
    forced["reasoning_effort"] = json!("high");
    forced["tools"] = json!([{"type": "function", "function": {"name": "f"}}]);
    forced["tool_choice"] = json!("required");
    let sent = send(CHAT, MESSAGES, "claude-sonnet-4-5", &forced).body;
    assert!(sent.get("thinking").is_none());
    assert_eq!(sent["tool_choice"]["type"], "any");
}

#[test]
fn thinking_switched_off_stays_off() {
    let body = json!({"model": "m", "max_tokens": 9, "thinking": {"type": "disabled"},
        "messages": [{"role": "user", "content": "q"}]});
    assert_eq!(
        send(MESSAGES, CHAT, "m", &body).body["reasoning_effort"],
        "none"
    );
    assert_eq!(
        send(MESSAGES, RESPONSES, "m", &body).body["reasoning"]["effort"],
        "none"
    );
    let sent = send(MESSAGES, GENERATE, "gemini-2.5-flash", &body).body;
    assert_eq!(
        sent["generationConfig"]["thinkingConfig"]["thinkingBudget"],
        0
    );
}

#[test]
fn foreign_thoughts_are_dropped_and_native_ones_come_back() {
    use crate::Signature;
    let wrapped = Signature::native(GENERATE, "U0lH")
        .for_client(MESSAGES)
        .into_owned();
    let body = json!({"model": "m", "max_tokens": 9, "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": wrapped},
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "1"}]}]});
    let sent = send(MESSAGES, GENERATE, "gemini-3-pro", &body).body;
    let parts = sent["contents"][1]["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0]["thoughtSignature"], "U0lH");
    let same = send(MESSAGES, MESSAGES, "m", &body).body;
    assert_eq!(same["messages"][1]["content"].as_array().unwrap().len(), 1);
    let mut unsigned = body.clone();
    unsigned["messages"][1]["content"][0]["signature"] = json!("native");
    let sent = send(MESSAGES, GENERATE, "gemini-3-pro", &unsigned).body;
    let bypass = &sent["contents"][1]["parts"][0]["thoughtSignature"];
    assert_eq!(bypass, "skip_thought_signature_validator");
}

#[test]
fn structured_answers_are_asked_for_in_each_vendors_way() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}});
    let mut body = chat(&json!([user("q")]));
    body["response_format"] = json!({"type": "json_schema",
        "json_schema": {"name": "n", "schema": schema, "strict": true}});
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    let format = &sent["output_config"]["format"]["schema"];
    assert_eq!(format["additionalProperties"], false);
    assert_eq!(format["properties"]["a"]["description"], "(minimum: 1)");
    let sent = send(CHAT, GENERATE, "m", &body).body;
    assert_eq!(
        sent["generationConfig"]["responseJsonSchema"]["type"],
        "object"
    );
    let sent = send(CHAT, GENERATE, "gemini-2.0-flash", &body).body;
    assert_eq!(sent["generationConfig"]["responseSchema"]["type"], "OBJECT");
    let shim = send(CHAT, MESSAGES, "claude-3-5-haiku", &body);
    assert_eq!(shim.body["tool_choice"]["name"], "json_output");
    assert_eq!(shim.reply.answer_tool.as_deref(), Some("json_output"));
}

#[test]
fn any_json_is_asked_for_in_words_where_there_is_no_mode() {
    let mut body = chat(&json!([user("q")]));
    body["response_format"] = json!({"type": "json_object"});
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    assert!(sent["system"].to_string().contains("JSON"));
    let generate = json!({"contents": [{"role": "user", "parts": [{"text": "q"}]}],
        "generationConfig": {"responseMimeType": "application/json"}});
    let sent = send(GENERATE, CHAT, "m", &generate).body;
    assert_eq!(sent["response_format"]["type"], "json_object");
    assert!(sent["messages"].to_string().contains("JSON"));
}

#[test]
fn schemas_are_respelled_for_older_models_without_endless_references() {
    let mut body = chat(&json!([user("q")]));
    body["tools"] = json!([{"type": "function", "function": {"name": "f", "parameters": {
        "type": "object", "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
        "properties": {"n": {"$ref": "#/$defs/node"}, "s": {"type": ["string", "null"], "const": "x"},
            "l": {"type": "array"}, "u": {"oneOf": [{"type": "string"}, {"type": "null"}]}},
        "additionalProperties": false, "exclusiveMinimum": 1}}}]);
    let sent = send(CHAT, GENERATE, "gemini-2.0-flash", &body).body;
    let schema = &sent["tools"][0]["functionDeclarations"][0]["parameters"];
    assert_eq!(
        schema["properties"]["s"],
        json!({"type": "STRING", "nullable": true, "enum": ["x"]})
    );
    assert_eq!(
        schema["properties"]["l"],
        json!({"type": "ARRAY", "items": {"type": "STRING"}})
    );
    assert_eq!(schema["properties"]["u"]["nullable"], true);
    assert!(!schema.to_string().contains("$ref"));
    assert!(schema.get("additionalProperties").is_none());
}

#[test]
fn schemas_of_generate_content_become_plain_json_schemas() {
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "q"}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT",
            "properties": {"a": {"type": "STRING", "nullable": true}, "l": {"type": "ARRAY",
                "items": {"type": "INTEGER"}, "minItems": "2"}}, "propertyOrdering": ["a", "l"]}}]}]});
    let sent = send(GENERATE, CHAT, "m", &body).body;
    let schema = &sent["tools"][0]["function"]["parameters"];
    assert_eq!(schema["properties"]["a"]["type"], json!(["string", "null"]));
    assert_eq!(schema["properties"]["l"]["minItems"], 2);
    assert!(schema.get("propertyOrdering").is_none());
}

#[test]
fn rules_that_generate_content_does_not_take_are_left_out_of_its_schemas() {
    let schema = json!({"type": "object", "not": {"required": ["b"]},
        "properties": {"not": {"type": "string", "minLength": 1}}});
    let mut body = chat(&json!([user("q")]));
    body["tools"] = json!([{"type": "function", "function": {"name": "f", "parameters": schema}}]);
    body["response_format"] = json!({"type": "json_schema",
        "json_schema": {"name": "n", "schema": schema}});
    let sent = send(CHAT, GENERATE, "m", &body).body;
    let without = json!({"type": "object",
        "properties": {"not": {"type": "string", "minLength": 1}}});
    let function = &sent["tools"][0]["functionDeclarations"][0];
    assert_eq!(function["parametersJsonSchema"], without);
    assert_eq!(sent["generationConfig"]["responseJsonSchema"], without);
}

#[test]
fn only_the_last_four_cache_marks_are_kept() {
    let mark = json!({"type": "ephemeral"});
    let blocks: Vec<Value> = (0..6)
        .map(|n| json!({"type": "text", "text": n.to_string(), "cache_control": mark}))
        .collect();
    let body = chat(&json!([{"role": "user", "content": blocks}]));
    let sent = send(CHAT, MESSAGES, "m", &body).body;
    let content = sent["messages"][0]["content"].as_array().unwrap();
    let marked: Vec<bool> = content
        .iter()
        .map(|b| b.get("cache_control").is_some())
        .collect();
    assert_eq!(marked, [false, false, true, true, true, true]);
}

#[test]
fn tiers_of_equal_meaning_cross_and_the_rest_is_dropped() {
    let mut body = chat(&json!([user("q")]));
    body["service_tier"] = json!("flex");
    assert_eq!(send(CHAT, GENERATE, "m", &body).body["serviceTier"], "flex");
    assert_eq!(send(CHAT, MESSAGES, "m", &body).dropped, ["service_tier"]);
}

#[test]
fn an_empty_assistant_turn_of_the_same_dialect_stays() {
    let body = chat(&json!([user("a"), {"role": "assistant", "content": ""}, user("b")]));
    assert_eq!(
        send(CHAT, CHAT, "m", &body).body["messages"],
        body["messages"]
    );
}

#[test]
fn a_signature_in_an_item_of_its_own_finds_the_call_after_it() {
    use crate::Signature;
    let wrapped = Signature::native(GENERATE, "U0lH")
        .for_client(RESPONSES)
        .into_owned();
    let body = json!({"model": "m", "input": [
        {"role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": wrapped},
        {"type": "function_call", "call_id": "c1", "name": "f", "namespace": "n", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "1"}]});
    let sent = send(RESPONSES, GENERATE, "gemini-3-pro", &body).body;
    assert_eq!(sent["contents"][1]["parts"][0]["thoughtSignature"], "U0lH");
    let response = &sent["contents"][2]["parts"][0]["functionResponse"];
    assert_eq!(response["name"], "n__f");
}

#[test]
fn two_searches_that_become_one_are_declared_once() {
    let body = json!({"model": "m", "input": "q",
        "tools": [{"type": "web_search"}, {"type": "web_search_preview"}]});
    let sent = send(RESPONSES, GENERATE, "m", &body).body;
    assert_eq!(sent["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn url_safe_base64_becomes_the_usual_one() {
    let body = json!({"contents": [{"role": "user", "parts": [
        {"inlineData": {"mimeType": "image/png", "data": "-_-_"}}]}]});
    let image = &send(GENERATE, MESSAGES, "m", &body).body["messages"][0]["content"][0];
    assert_eq!(image["source"]["data"], "+/+/");
    let image = &send(GENERATE, CHAT, "m", &body).body["messages"][0]["content"][0];
    assert_eq!(image["image_url"]["url"], "data:image/png;base64,+/+/");
}

#[test]
fn a_signature_returns_to_the_thought_that_it_came_from() {
    use crate::Signature;
    let signed = |origin| {
        let signature = Signature::native(origin, "U0lH");
        let signature = signature.for_client(GENERATE);
        json!({"contents": [{"role": "user", "parts": [{"text": "q"}]},
            {"role": "model", "parts": [{"text": "h", "thought": true}]},
            {"role": "model", "parts": [{"text": "m", "thought": true}]},
            {"role": "model", "parts": [{"text": "Well."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}},
                "thoughtSignature": signature}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f",
                "response": {"output": "1"}}}]}]})
    };
    let sent = send(GENERATE, MESSAGES, "m", &signed(MESSAGES)).body;
    let content = sent["messages"][1]["content"].as_array().unwrap();
    assert_eq!(
        content[0],
        json!({"type": "thinking", "thinking": "hm", "signature": "U0lH"})
    );
    assert_eq!(content[1]["text"], "Well.");
    assert_eq!(content.len(), 3);
    let sent = send(GENERATE, RESPONSES, "m", &signed(RESPONSES)).body;
    assert_eq!(sent["input"][1]["encrypted_content"], "U0lH");
    assert_eq!(sent["input"][1]["summary"][0]["text"], "hm");
    let sent = send(GENERATE, MESSAGES, "m", &signed(RESPONSES)).body;
    assert_eq!(sent["messages"][1]["content"][0]["text"], "Well.");
}

#[test]
fn items_that_another_vendor_made_go_back_without_their_ids_and_thoughts() {
    use crate::ids::item_id;
    let (thought, words) = (item_id("rs", "r", 0), item_id("msg", "r", 1));
    let body = json!({"model": "m", "input": [
        {"role": "user", "content": "q"},
        {"type": "reasoning", "id": thought, "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "id": words, "role": "assistant",
            "content": [{"type": "output_text", "text": "a"}]},
        {"type": "reasoning", "id": "rs_vendor", "summary": []},
        {"role": "user", "content": "b"}]});
    assert!(crate::Sighted::of(body.to_string().as_bytes()).has(crate::Word::OwnValue));
    let input = send(RESPONSES, RESPONSES, "m", &body).body["input"].clone();
    assert_eq!(input.as_array().unwrap().len(), 4);
    assert_eq!(input[1].get("id"), None);
    assert_eq!(input[1]["content"][0]["text"], "a");
    assert_eq!(input[2]["id"], "rs_vendor");
}

#[test]
fn a_call_that_another_vendor_signed_is_marked_for_a_vendor_that_demands_a_signature() {
    use crate::Signature;
    let signature = Signature::native(MESSAGES, "U0lH");
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}},
            "thoughtSignature": signature.for_client(GENERATE)}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f",
            "response": {"output": "1"}}}]}]});
    let sent = send(GENERATE, GENERATE, "gemini-3-pro", &body).body;
    let bypass = &sent["contents"][1]["parts"][0]["thoughtSignature"];
    assert_eq!(bypass, "skip_thought_signature_validator");
    let sent = send(GENERATE, GENERATE, "gemini-2.5-pro", &body).body;
    let part = &sent["contents"][1]["parts"][0];
    assert_eq!(part.get("thoughtSignature"), None);
}
