//! Small things that must not be lost on the way to another dialect: words about documents, fields that two
//! dialects share, the last turn of a user who says nothing.

use serde_json::json;

use super::Target;
use super::tests::{CHAT, GENERATE, MESSAGES, RESPONSES, calls, chat, send, tool, try_send, user};
use crate::DialectId;

#[test]
fn words_about_a_document_go_before_it() {
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [
        {"type": "document", "title": "Spec", "context": "A draft.",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}]}]});
    for (to, words) in [
        (CHAT, "/messages/0/content/0/text"),
        (GENERATE, "/contents/0/parts/0/text"),
        (RESPONSES, "/input/0/content/0/text"),
    ] {
        let sent = send(MESSAGES, to, "m", &body).body;
        assert_eq!(
            sent.pointer(words),
            Some(&json!("[document: Spec]\nA draft.")),
            "{sent}"
        );
    }
}

#[test]
fn that_a_tool_has_failed_is_told_or_named() {
    let body = json!({"model": "m", "max_tokens": 9, "messages": [
        user("q"),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": "no"}]}]});
    assert_eq!(send(MESSAGES, CHAT, "m", &body).dropped, ["is_error"]);
    assert!(send(MESSAGES, GENERATE, "m", &body).dropped.is_empty());
    // A result that we make up was nobody's word.
    let open = chat(&json!([user("q"), calls(), tool("a", "1")]));
    let strict = Target {
        strict: true,
        ..Target::new(RESPONSES, "m")
    };
    assert!(try_send(CHAT, &strict, &open).is_ok());
}

#[test]
fn fields_that_chat_and_responses_share_cross_between_them() {
    let shared = json!({"prompt_cache_options": {"mode": "explicit", "ttl": "30m"},
        "prompt_cache_retention": "24h", "moderation": {"model": "x"}, "service_tier": "fast"});
    for (from, to, mut body) in [
        (CHAT, RESPONSES, chat(&json!([user("q")]))),
        (
            RESPONSES,
            CHAT,
            json!({"model": "m", "input": "q", "unheard_of": 1}),
        ),
    ] {
        let fields = shared.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(fields);
        let sent = send(from, to, "m", &body);
        for (field, value) in shared.as_object().unwrap() {
            assert_eq!(sent.body.get(field), Some(value), "{field}");
        }
        assert_eq!(sent.body.get("unheard_of"), None);
        assert!(sent.dropped.is_empty(), "{:?}", sent.dropped);
        let sent = send(from, MESSAGES, "m", &body);
        assert_eq!(sent.dropped, ["moderation", "service_tier"]);
        assert!(!sent.body.to_string().contains("24h"));
    }
}

#[test]
fn a_number_of_likely_words_goes_only_with_the_wish_for_them() {
    let mut body = json!({"model": "m", "input": "q", "top_logprobs": 0});
    assert_eq!(
        send(RESPONSES, CHAT, "m", &body).body.get("top_logprobs"),
        None
    );
    assert_eq!(
        send(RESPONSES, GENERATE, "m", &body)
            .body
            .get("generationConfig"),
        None
    );
    body["include"] = json!(["message.output_text.logprobs"]);
    let sent = send(RESPONSES, CHAT, "m", &body).body;
    assert_eq!(
        (&sent["logprobs"], &sent["top_logprobs"]),
        (&json!(true), &json!(0))
    );
}

#[test]
fn a_user_without_words_still_asks_where_roles_need_not_alternate() {
    let answer = json!({"role": "assistant", "content": "hi"});
    let last = chat(&json!([user("q"), answer, user("")]));
    let sent = send(CHAT, RESPONSES, "m", &last).body;
    assert_eq!(sent["input"][2]["role"], "user", "{sent}");
    let sent = send(CHAT, RESPONSES, "m", &chat(&json!([user("")]))).body;
    assert_eq!(sent["input"].as_array().map(Vec::len), Some(1), "{sent}");
    let prompt = json!({"model": "m", "prompt": ""});
    let sent = send(DialectId::TextCompletions, CHAT, "m", &prompt).body;
    assert_eq!(sent["messages"], json!([user("")]));
}

#[test]
fn a_model_that_thinks_by_levels_is_told_no_budget() {
    let body = json!({"model": "m", "max_tokens": 9000, "thinking": {"type": "adaptive"},
        "messages": [user("q")]});
    let thinking = |model: &str| {
        send(MESSAGES, GENERATE, model, &body).body["generationConfig"]["thinkingConfig"].clone()
    };
    assert_eq!(thinking("gemini-3-pro"), json!({"includeThoughts": true}));
    assert_eq!(
        thinking("gemini-flash-latest"),
        json!({"includeThoughts": true})
    );
    assert_eq!(thinking("gemini-2.5-pro")["thinkingBudget"], -1);
}
