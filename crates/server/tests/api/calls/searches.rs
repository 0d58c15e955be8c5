//! Searches that a vendor makes for its answer, which have a price of their own.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::disconnects::ask;
use super::vendor::{CHAT, GENERATE, GRANT_NANOS, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::{begun, stream, whole};

/// Seven tokens at a dollar and two at ten for a million.
const TOKENS: i64 = 7_000 + 20_000;
const SEARCH: i64 = 10_000_000;

/// What a call with this in its body is charged, whose answer comes so.
fn charged(speaks: Speaks, more: (&str, Value), is_stream: bool, answer: Scripted) -> (i64, bool) {
    let vendor = Vendor::speaking(speaks).with_hosted_tools();
    let at = if is_stream {
        speaks.stream_path
    } else {
        speaks.path
    };
    vendor.upstream().on(at, answer);
    let (path, mut body) = asks(speaks.dialect, is_stream);
    body[more.0] = more.1;
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let call = vendor.logged(&reply).0;
    (call.charge_nanos, call.is_estimated)
}

#[test]
fn queries_of_generate_content_are_charged() {
    let tools = || ("tools", json!([{"googleSearch": {}}]));
    let told = json!({"webSearchQueries": ["a", "", "b"]});
    let mut answer = whole("generate");
    answer["candidates"][0]["groundingMetadata"] = told.clone();
    let answer = Scripted::json(&answer);
    let searched = (TOKENS + 2 * SEARCH, false);
    assert_eq!(charged(GENERATE, tools(), false, answer), searched);
    let mut last = whole("generate");
    last["candidates"][0]["groundingMetadata"] = told;
    last["candidates"][0]["content"]["parts"][0]["text"] = "".into();
    let answer = begun("generate").data(&last.to_string());
    assert_eq!(charged(GENERATE, tools(), true, answer), searched);
    let plain = charged(GENERATE, tools(), true, stream("generate"));
    assert_eq!(plain, (TOKENS, false));
}

#[test]
fn searches_of_responses_are_charged_where_they_come_after_words() {
    let tools = || ("tools", json!([{"type": "web_search"}]));
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
        "action": {"type": "search", "query": "a"}});
    let mut answer = whole("responses");
    let output = answer["output"].as_array_mut().expect("a list");
    output.extend([search.clone(), search]);
    let searched = (TOKENS + 2 * SEARCH, false);
    let whole = Scripted::json(&answer);
    assert_eq!(charged(RESPONSES, tools(), false, whole), searched);
    let done = json!({"type": "response.completed", "sequence_number": 5, "response": answer});
    let answer = begun("responses").event("response.completed", &done.to_string());
    assert_eq!(charged(RESPONSES, tools(), true, answer), searched);
}

#[test]
fn a_search_of_chat_completions_is_charged_though_nothing_tells_of_it() {
    let options = || ("web_search_options", json!({}));
    let answer = Scripted::json(&whole("chat"));
    let searched = (TOKENS + SEARCH, true);
    assert_eq!(charged(CHAT, options(), false, answer), searched);
    assert_eq!(charged(CHAT, options(), true, stream("chat")), searched);
    // What the vendor tells counts.
    let mut answer = whole("chat");
    answer["usage"]["num_search_queries"] = 3.into();
    let told = charged(CHAT, options(), false, Scripted::json(&answer));
    assert_eq!(told, (TOKENS + 3 * SEARCH, false));
    // A client's own tool of that name is none of the vendor's.
    let own = json!([{"type": "function", "function": {"name": "web_search"}}]);
    let plain = charged(CHAT, ("tools", own), false, Scripted::json(&whole("chat")));
    assert_eq!(plain, (TOKENS, false));
}

#[test]
fn who_leaves_an_answer_pays_for_the_searches_that_it_took() {
    let search = |index: u64| {
        json!({"type": "response.output_item.done", "sequence_number": 4 + index,
            "output_index": index, "item": {"type": "web_search_call", "id": "ws_1",
            "status": "completed", "action": {"type": "search", "query": "a"}}})
        .to_string()
    };
    let last = json!({"type": "response.output_text.delta", "sequence_number": 7,
        "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": " again"});
    for client in ["responses", "chat"] {
        let vendor = Vendor::speaking(RESPONSES);
        let answer = begun("responses")
            .event("response.output_item.done", &search(1))
            .event("response.output_item.done", &search(2))
            .event("response.output_text.delta", &last.to_string());
        vendor.upstream().on(RESPONSES.path, answer.stall());
        let mut connection = ask(&vendor, client, true);
        connection.read_until("again");
        drop(connection);
        let call = vendor.newest();
        assert_eq!(call.error_cause.as_deref(), Some("client_left"));
        let charged = call.charge_nanos;
        assert!(
            (2 * SEARCH..3 * SEARCH).contains(&charged),
            "{client}: {charged}"
        );
        assert_eq!(vendor.owned(), GRANT_NANOS - charged);
    }
}

/// What a call of a model that searches by itself is charged.
fn charged_by_itself(is_stream: bool, answer: Scripted) -> (i64, bool) {
    let vendor = Vendor::naming("gpt-4o-search-preview", CHAT);
    vendor.upstream().on(CHAT.path, answer);
    let (path, body) = asks("chat", is_stream);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let call = vendor.logged(&reply).0;
    (call.charge_nanos, call.is_estimated)
}

#[test]
fn a_model_that_searches_by_itself_is_charged_where_it_shows_what_it_found() {
    let found = json!([{"type": "url_citation", "url_citation": {"start_index": 0,
        "end_index": 5, "url": "https://a.example", "title": "A"}}]);
    let mut answer = whole("chat");
    answer["choices"][0]["message"]["annotations"] = json!([]);
    let plain = charged_by_itself(false, Scripted::json(&answer));
    assert_eq!(plain, (TOKENS, false));
    answer["choices"][0]["message"]["annotations"] = found.clone();
    let searched = (TOKENS + SEARCH, true);
    assert_eq!(charged_by_itself(false, Scripted::json(&answer)), searched);
    let chunk = json!({"id": "c1", "object": "chat.completion.chunk", "created": 1,
        "model": "up-real", "choices": [{"index": 0, "delta": {"annotations": found},
        "finish_reason": "stop"}]});
    let usage = json!({"id": "c1", "object": "chat.completion.chunk", "created": 1,
        "model": "up-real", "choices": [],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}});
    let answer = begun("chat")
        .data(&chunk.to_string())
        .data(&usage.to_string())
        .data("[DONE]");
    assert_eq!(charged_by_itself(true, answer), searched);
    assert_eq!(charged_by_itself(true, stream("chat")), (TOKENS, false));
}
