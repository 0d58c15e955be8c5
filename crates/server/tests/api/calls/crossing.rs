//! Every client dialect reaches every upstream dialect, whole and streamed, and is charged for what
//! the upstream says.

use serde_json::{Value, json};

use super::vendor::{CHAT, GENERATE, LEGACY, MESSAGES, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::{stream, whole};

const CLIENTS: [&str; 5] = ["chat", "completions", "messages", "responses", "generate"];
const UPSTREAMS: [Speaks; 4] = [CHAT, RESPONSES, MESSAGES, GENERATE];
/// Seven tokens at a dollar and two at ten for a million.
const CHARGE: i64 = 7_000 + 20_000;

/// What a whole answer says in each client's dialect.
fn said<'a>(client: &str, answer: &'a Value) -> &'a Value {
    match client {
        "chat" => &answer["choices"][0]["message"]["content"],
        "completions" => &answer["choices"][0]["text"],
        "messages" => &answer["content"][0]["text"],
        "responses" => &answer["output"][0]["content"][0]["text"],
        _ => &answer["candidates"][0]["content"]["parts"][0]["text"],
    }
}

/// The words of a streamed answer, and whether it came to its dialect's good end.
fn streamed(client: &str, body: &str) -> (String, bool) {
    let mut words = String::new();
    for line in body.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let frame: Value = serde_json::from_str(line).unwrap_or_default();
        let piece = match client {
            "chat" => &frame["choices"][0]["delta"]["content"],
            "completions" => &frame["choices"][0]["text"],
            "messages" => &frame["delta"]["text"],
            "responses" if frame["type"] == "response.output_text.delta" => &frame["delta"],
            "responses" => &Value::Null,
            _ => &frame["candidates"][0]["content"]["parts"][0]["text"],
        };
        words.push_str(piece.as_str().unwrap_or_default());
    }
    let end = match client {
        "chat" | "completions" => "data: [DONE]\n\n",
        "messages" => "event: message_stop",
        "responses" => "event: response.completed",
        _ => "\"finishReason\":\"STOP\"",
    };
    (words, body.contains(end))
}

#[test]
fn every_client_is_answered_by_every_upstream() {
    for speaks in UPSTREAMS {
        let vendor = Vendor::speaking(speaks);
        vendor.answers(speaks, &whole(speaks.dialect));
        for client in CLIENTS {
            let (path, body) = asks(client, false);
            let reply = vendor.post(&path, &body);
            let what = format!("{client} to {}: {}", speaks.dialect, reply.body);
            assert_eq!(reply.status, 200, "{what}");
            assert_eq!(said(client, &reply.json()), "Hello there", "{what}");
            let (call, attempts) = vendor.logged(&reply);
            assert_eq!(call.charge_nanos, CHARGE, "{what}");
            assert_eq!(
                (attempts.len(), attempts[0].status),
                (1, Some(200)),
                "{what}"
            );
        }
        assert_eq!(vendor.owned(), super::vendor::GRANT_NANOS - 5 * CHARGE);
    }
}

#[test]
fn every_client_is_streamed_to_by_every_upstream() {
    for speaks in UPSTREAMS {
        let vendor = Vendor::speaking(speaks);
        vendor
            .upstream()
            .on(speaks.stream_path, stream(speaks.dialect));
        for client in CLIENTS {
            let (path, body) = asks(client, true);
            let reply = vendor.post(&path, &body);
            let what = format!("{client} to {}: {}", speaks.dialect, reply.body);
            assert_eq!(reply.status, 200, "{what}");
            assert_eq!(
                reply.header("content-type"),
                Some("text/event-stream"),
                "{what}"
            );
            let (words, is_complete) = streamed(client, &reply.body);
            assert_eq!(
                (words.as_str(), is_complete),
                ("Hello there", true),
                "{what}"
            );
            let (call, _) = vendor.logged(&reply);
            assert_eq!(call.charge_nanos, CHARGE, "{what}");
            assert!(call.is_stream && !call.is_estimated, "{what}");
        }
    }
}

#[test]
fn an_answer_that_comes_whole_is_streamed_to_a_client_that_wants_that_and_the_other_way_round() {
    let vendor = Vendor::speaking(MESSAGES);
    vendor.answers(MESSAGES, &whole("messages"));
    for client in CLIENTS {
        let (path, body) = asks(client, true);
        let reply = vendor.post(&path, &body);
        let (words, is_complete) = streamed(client, &reply.body);
        assert_eq!(
            (words.as_str(), is_complete),
            ("Hello there", true),
            "{client}"
        );
    }
    vendor.upstream().on(MESSAGES.path, stream("messages"));
    for client in CLIENTS {
        let (path, body) = asks(client, false);
        let reply = vendor.post(&path, &body);
        assert_eq!(
            said(client, &reply.json()),
            "Hello there",
            "{client} {}",
            reply.body
        );
    }
}

#[test]
fn a_channel_that_names_legacy_completions_takes_their_bodies() {
    let vendor = Vendor::speaking(LEGACY);
    vendor.answers(LEGACY, &whole("completions"));
    let (path, body) = asks("completions", false);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.json(), whole("completions"));
    assert_eq!(vendor.upstream().only_request().json()["prompt"], "Hi");
    let (path, body) = asks("chat", false);
    assert_eq!(vendor.post(&path, &body).status, 400);
}

#[test]
fn what_cannot_be_said_is_named_or_refused() {
    let vendor = Vendor::speaking(MESSAGES);
    vendor.answers(MESSAGES, &whole("messages"));
    let (path, mut body) = asks("chat", false);
    body["frequency_penalty"] = 0.5.into();
    let reply = vendor.post(&path, &body);
    assert_eq!(
        reply.header("x-modelgate-dropped"),
        Some("frequency_penalty")
    );
    let strict = [("x-modelgate-strict", "true")];
    let reply = vendor.post_text(&path, &strict, &body.to_string());
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (400, &"unsupported".into())
    );
    assert_eq!(vendor.upstream().requests().len(), 1);
}

#[test]
fn what_of_an_answer_cannot_be_said_is_named_after_what_of_the_request_could_not() {
    let vendor = Vendor::speaking(MESSAGES);
    let mut answer = whole("messages");
    let search = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
        "input": {}});
    answer["content"].as_array_mut().unwrap().insert(0, search);
    vendor.answers(MESSAGES, &answer);
    let (path, mut body) = asks("chat", false);
    let dropped = |body: &Value| {
        let reply = vendor.post(&path, body);
        assert_eq!(said("chat", &reply.json()), "Hello there");
        reply.header("x-modelgate-dropped").map(str::to_owned)
    };
    assert_eq!(dropped(&body).as_deref(), Some("server_tool_use"));
    body["frequency_penalty"] = 0.5.into();
    let both = "frequency_penalty,server_tool_use";
    assert_eq!(dropped(&body).as_deref(), Some(both));
    // The vendor's own client is told all of it.
    let (path, body) = asks("messages", false);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.header("x-modelgate-dropped"), None);
}

#[test]
fn a_legacy_client_that_wants_its_prompt_back_gets_it() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &whole("chat"));
    let (path, mut body) = asks("completions", false);
    body["echo"] = true.into();
    let answer = vendor.post(&path, &body).json();
    assert_eq!(answer["choices"][0]["text"], "HiHello there");
}

#[test]
fn several_prompts_are_several_calls_and_one_charge() {
    for speaks in [CHAT, MESSAGES] {
        let vendor = Vendor::speaking(speaks);
        vendor.answers(speaks, &whole(speaks.dialect));
        let ask = json!({"model": "m", "prompt": ["One", "Two"], "echo": true});
        let reply = vendor.post("/v1/completions", &ask);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let answer = reply.json();
        let choices = answer["choices"].as_array().expect("choices");
        let said = |at: usize| (choices[at]["index"].as_u64(), choices[at]["text"].as_str());
        assert_eq!(said(0), (Some(0), Some("OneHello there")));
        assert_eq!(said(1), (Some(1), Some("TwoHello there")));
        assert_eq!(answer["usage"]["prompt_tokens"], 14);
        assert_eq!(vendor.upstream().requests().len(), 2);
        let (call, attempts) = vendor.logged(&reply);
        assert_eq!((call.charge_nanos, attempts.len()), (54_000, 1));
        let mut ask = ask;
        ask["stream"] = json!(true);
        let reply = vendor.post("/v1/completions", &ask);
        assert!(reply.body.contains("\"index\":1") && reply.body.contains("data: [DONE]"));
    }
}
