//! Requests of every client dialect, written as Converse: the fixtures say what is expected.

use dialects::canonical::{Failure, FailureKind};
use dialects::convert::{convert_request_to, dialect};
use dialects::{DialectId, PathHints, ReplyContext, UpstreamDialect as _, Written};
use serde_json::{Value, json};

use super::Converse;

fn written(client: &str, model: &str, body: &Value, strict: bool) -> Result<Written, Failure> {
    let client = dialect(DialectId::from_name(client).unwrap());
    let path = PathHints {
        model: Some(model.to_owned()),
        stream: false,
    };
    let mut request = client.read_request(body.to_string().as_bytes(), &path)?;
    model.clone_into(&mut request.model);
    let mut target = Converse.target(model);
    target.strict = strict;
    convert_request_to(
        &Converse,
        &mut request,
        &target,
        &mut ReplyContext::default(),
    )
}

fn body(written: &Written) -> Value {
    serde_json::from_slice(&written.body).unwrap()
}

/// A chat client's call of this model, with these members beside its one message.
fn chat(model: &str, members: &Value) -> Result<Value, Failure> {
    let mut asked = json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}]});
    for (name, value) in members.as_object().unwrap() {
        asked[name] = value.clone();
    }
    written("chat", model, &asked, false).map(|written| body(&written))
}

#[test]
fn every_dialects_request_is_said_in_converse() {
    for fixture in [
        include_str!("../../../../tests/fixtures/bedrock/request-chat.json"),
        include_str!("../../../../tests/fixtures/bedrock/request-messages.json"),
        include_str!("../../../../tests/fixtures/bedrock/request-generate.json"),
        include_str!("../../../../tests/fixtures/bedrock/request-responses.json"),
    ] {
        let case: Value = serde_json::from_str(fixture).unwrap();
        let (client, model) = (&case["client"], case["model"].as_str().unwrap());
        let name = client.as_str().unwrap();
        let got = written(name, model, &case["body"], false).unwrap();
        assert_eq!(body(&got), case["converse"], "{client}");
        assert_eq!(json!(got.dropped), case["dropped"], "{client}");
        let strict = written(name, model, &case["body"], true);
        assert_eq!(strict.unwrap_err().kind, FailureKind::Unsupported);
    }
}

#[test]
fn a_schema_for_the_answer_is_met_by_a_tool() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let format = json!({"type": "json_schema", "json_schema": {"name": "n", "schema": schema}});
    let got = chat(
        "amazon.nova-lite-v1:0",
        &json!({ "response_format": format }),
    )
    .unwrap();
    let tool = &got["toolConfig"]["tools"][0]["toolSpec"];
    assert_eq!(
        tool["inputSchema"]["json"]["properties"]["a"]["type"],
        "integer"
    );
    assert_eq!(
        got["toolConfig"]["toolChoice"]["tool"]["name"],
        tool["name"]
    );
}

#[test]
fn marks_stay_away_from_models_that_refuse_them() {
    let marked = json!([{"role": "user", "content": [
        {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]}]);
    let messages = json!({ "messages": marked });
    let asks = |model: &str| chat(model, &messages).unwrap()["messages"][0]["content"].clone();
    let point = json!({ "cachePoint": { "type": "default" } });
    assert_eq!(
        asks("amazon.nova-pro-v1:0"),
        json!([{ "text": "Hi" }, point])
    );
    assert_eq!(
        asks("mistral.mistral-large-2407-v1:0"),
        json!([{ "text": "Hi" }])
    );
}

#[test]
fn members_that_the_client_gave_the_model_count_before_ours() {
    let given = json!({"additionalModelRequestFields": {"top_k": 3, "x": true},
        "requestMetadata": {"team": "a"}, "performanceConfig": {"latency": "optimized"}});
    let got = chat("anthropic.claude-3-haiku-20240307-v1:0", &given).unwrap();
    for name in [
        "additionalModelRequestFields",
        "requestMetadata",
        "performanceConfig",
    ] {
        assert_eq!(got[name], given[name], "{name}");
    }
}

#[test]
fn a_history_of_calls_keeps_its_tools_though_none_may_be_called() {
    let messages = json!([
        {"role": "user", "content": "Now?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "now", "arguments": ""}}]},
        {"role": "tool", "tool_call_id": "c1", "content": ""},
    ]);
    let tools = json!([{"type": "function", "function": {"name": "now"}}]);
    let asked = json!({"model": "m", "messages": messages, "tools": tools, "tool_choice": "none"});
    let got = written("chat", "amazon.nova-pro-v1:0", &asked, false).unwrap();
    assert_eq!(got.dropped, ["tool_choice"]);
    let got = body(&got);
    assert!(got["toolConfig"].get("toolChoice").is_none());
    assert_eq!(got["toolConfig"]["tools"][0]["toolSpec"]["name"], "now");
    let result = &got["messages"][2]["content"][0]["toolResult"];
    assert_eq!(*result, json!({ "toolUseId": "c1", "content": [] }));
    let undeclared = json!({ "model": "m", "messages": messages });
    let got = body(&written("chat", "amazon.nova-pro-v1:0", &undeclared, false).unwrap());
    assert_eq!(got["toolConfig"]["tools"][0]["toolSpec"]["name"], "now");
}

#[test]
fn what_amazon_would_have_to_fetch_is_fetched_first_or_refused() {
    let image = |url: &str| {
        json!({"messages": [{"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": url}}]}]})
    };
    let url = "https://a.example/x.png";
    let asked = json!({"model": "m", "messages": image(url)["messages"]});
    let client = dialect(DialectId::ChatCompletions);
    let request = client
        .read_request(asked.to_string().as_bytes(), &PathHints::default())
        .unwrap();
    let fetched = Converse.urls_to_fetch(&request);
    assert_eq!((fetched.len(), &*fetched[0].url), (1, url));
    for refused in [url, "data:image/tiff;base64,AAAA", "s3://bucket/x.tiff"] {
        let failure = chat("amazon.nova-pro-v1:0", &image(refused)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported, "{refused}");
    }
}

#[test]
fn a_forced_hosted_tool_is_refused() {
    let asked = json!({"model": "m", "input": "x", "tools": [{"type": "web_search"}],
        "tool_choice": {"type": "web_search"}});
    let failure = written("responses", "amazon.nova-pro-v1:0", &asked, false).unwrap_err();
    assert_eq!(failure.param.as_deref(), Some("tool_choice"));
}
