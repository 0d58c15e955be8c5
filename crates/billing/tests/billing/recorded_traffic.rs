//! Recorded answers of vendors, where they are at hand: what our readers make of their usages is
//! charged as the vendors' own numbers say.

use billing::pricing::{Multiplier, PriceSheet, Usage, charge};
use dialects::DialectId;
use dialects::convert::dialect;
use serde_json::Value;
use testkit::RecordedTraffic;

/// Every kind of token at another whole price, so that one taken for another shows.
const SHEET: &str = r#"{"input": "1000", "cache_read": "7000", "cache_write_5m": "11000",
    "cache_write_1h": "13000", "audio_input": "17000", "image_input": "1000",
    "output": "19000", "reasoning": "23000", "audio_output": "29000", "image_output": "31000"}"#;

fn at(value: &Value, pointer: &str) -> i64 {
    value.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

/// Nano-dollars: a thousand dollars for a million tokens is a million nano-dollars a token.
fn nanos(prices: &[(i64, i64)]) -> i64 {
    prices
        .iter()
        .map(|(tokens, price)| tokens * price * 1_000_000)
        .sum()
}

fn of_chat(answer: &Value) -> i64 {
    let usage = &answer["usage"];
    let (input, output) = ("/prompt_tokens_details", "/completion_tokens_details");
    let cached = at(usage, &format!("{input}/cached_tokens"));
    let written = at(usage, &format!("{input}/cache_write_tokens"));
    let heard = at(usage, &format!("{input}/audio_tokens"));
    let thought = at(usage, &format!("{output}/reasoning_tokens"));
    let spoken = at(usage, &format!("{output}/audio_tokens"));
    let plain = at(usage, "/prompt_tokens") - cached - written - heard;
    let said = at(usage, "/completion_tokens") - thought - spoken;
    nanos(&[
        (plain, 1),
        (cached, 7),
        (written, 11),
        (heard, 17),
        (said, 19),
        (thought, 23),
        (spoken, 29),
    ])
}

fn of_messages(answer: &Value) -> i64 {
    let usage = &answer["usage"];
    let hour = at(usage, "/cache_creation/ephemeral_1h_input_tokens");
    let written = at(usage, "/cache_creation_input_tokens") - hour;
    let thought = at(usage, "/output_tokens_details/thinking_tokens");
    let said = at(usage, "/output_tokens") - thought;
    nanos(&[
        (at(usage, "/input_tokens"), 1),
        (at(usage, "/cache_read_input_tokens"), 7),
        (written, 11),
        (hour, 13),
        (said, 19),
        (thought, 23),
    ])
}

fn of_generate_content(answer: &Value) -> i64 {
    let usage = &answer["usageMetadata"];
    let cached = at(usage, "/cachedContentTokenCount");
    let prompt = at(usage, "/promptTokenCount") + at(usage, "/toolUsePromptTokenCount");
    let thought = at(usage, "/thoughtsTokenCount");
    let drawn = of_modality(usage, "IMAGE");
    // Whatever is in the total and not in the prompt was generated.
    let said = at(usage, "/totalTokenCount") - prompt - thought - drawn;
    nanos(&[
        (prompt - cached, 1),
        (cached, 7),
        (said, 19),
        (thought, 23),
        (drawn, 31),
    ])
}

fn of_modality(usage: &Value, modality: &str) -> i64 {
    let details = usage["candidatesTokensDetails"].as_array();
    let found = details
        .into_iter()
        .flatten()
        .filter(|detail| detail["modality"] == modality);
    found.map(|detail| at(detail, "/tokenCount")).sum()
}

fn of_responses(answer: &Value) -> i64 {
    let usage = &answer["usage"];
    let cached = at(usage, "/input_tokens_details/cached_tokens");
    let written = at(usage, "/input_tokens_details/cache_write_tokens");
    let thought = at(usage, "/output_tokens_details/reasoning_tokens");
    let plain = at(usage, "/input_tokens") - cached - written;
    let said = at(usage, "/output_tokens") - thought;
    nanos(&[
        (plain, 1),
        (cached, 7),
        (written, 11),
        (said, 19),
        (thought, 23),
    ])
}

type ByHand = fn(&Value) -> i64;

#[test]
fn recorded_usages_cost_what_the_vendors_numbers_say() {
    let Some(traffic) = RecordedTraffic::open() else {
        return;
    };
    let formats: [(&str, DialectId, ByHand); 4] = [
        ("chat-completions", DialectId::ChatCompletions, of_chat),
        ("anthropic", DialectId::Messages, of_messages),
        ("google", DialectId::GenerateContent, of_generate_content),
        ("responses", DialectId::Responses, of_responses),
    ];
    let sheet: PriceSheet = serde_json::from_str(SHEET).unwrap();
    let mut compared = 0;
    for (folder, format, by_hand) in formats {
        for (path, answer) in traffic.bodies(folder, &["response"]) {
            let Some(usage) = usage(format, &answer) else {
                continue;
            };
            let charged = charge(&sheet, Multiplier::ONE, &usage).unwrap();
            assert_eq!(charged.total_nanos, by_hand(&answer), "{path}");
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared} usages compared");
}

fn usage(format: DialectId, answer: &Value) -> Option<Usage> {
    let body = serde_json::to_vec(answer).unwrap();
    let reply = dialect(format).read_reply(&body).ok()?;
    reply.usage.as_ref().map(Usage::from)
}
