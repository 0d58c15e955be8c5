//! Searches that a vendor makes for its answer, which have a price of their own.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{CHAT, GENERATE, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::{begun, stream, whole};

/// Seven tokens at a dollar and two at ten for a million.
const TOKENS: i64 = 7_000 + 20_000;
const SEARCH: i64 = 10_000_000;

/// What a call with this in its body is charged, whose answer comes so.
fn charged(speaks: Speaks, more: (&str, Value), is_stream: bool, answer: Scripted) -> (i64, bool) {
    let vendor = Vendor::speaking(speaks);
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
