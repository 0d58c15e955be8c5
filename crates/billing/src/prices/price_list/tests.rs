//! Lists as they are found.

use serde_json::json;

use super::*;
use crate::prices::components_of;

fn texts(list: &PriceList, model: &str) -> Vec<String> {
    let sheet = list.models.get(model).unwrap();
    let components = components_of(sheet).into_iter();
    components
        .map(|one| format!("{} {}", one.name, one.dollars))
        .collect()
}

#[test]
fn dollars_a_token_become_exact_dollars_a_million() {
    let text = br#"{"m": {"input_cost_per_token": 2.5e-06, "output_cost_per_token": 0.00001,
        "cache_read_input_token_cost": "1.25e-6", "cache_creation_input_token_cost": 3.125E-6,
        "cache_creation_input_token_cost_above_1hr": 5e-6, "max_tokens": 8192,
        "output_cost_per_reasoning_token": 0, "mode": "chat"}}"#;
    let list = PriceList::read(text).unwrap();
    let expected = [
        "input 2.5",
        "output 10",
        "cache_read 1.25",
        "cache_write_5m 3.125",
        "cache_write_1h 5",
    ];
    assert_eq!(texts(&list, "m"), expected);
    assert!(list.left_out.is_empty());
}

#[test]
fn long_contexts_searches_and_images_have_prices_of_their_own() {
    let text = json!({
        "gemini/g": {"litellm_provider": "gemini", "input_cost_per_token": 1.25e-6,
            "input_cost_per_token_above_200k_tokens": 2.5e-6,
            "search_context_cost_per_query": {"search_context_size_medium": 0.035}},
        "dashscope/q": {"litellm_provider": "dashscope", "tiered_pricing": [
            {"range": [0, 128_000.0], "input_cost_per_token": 1e-6},
            {"range": [128_000.0, 1e6], "input_cost_per_token": 3e-6}]},
        "hd/1024-x-1024/d": {"mode": "image_generation", "output_cost_per_image": 0.08},
        "whisper": {"mode": "audio_transcription", "input_cost_per_second": 0.0001},
    });
    let list = PriceList::read(text.to_string().as_bytes()).unwrap();
    let expected = [
        "input 1.25",
        "hosted_tools/web_search_requests 0.035",
        "tiers/200000/input 2.5",
    ];
    assert_eq!(texts(&list, "g"), expected);
    assert_eq!(texts(&list, "q"), ["input 1", "tiers/128000/input 3"]);
    assert_eq!(texts(&list, "d"), ["images/1024x1024/hd 0.08"]);
    assert_eq!(texts(&list, "whisper"), ["per_second 0.0001"]);
}

#[test]
fn the_maker_of_a_model_wins_its_name() {
    let text = json!({
        "deepinfra/x": {"litellm_provider": "deepinfra", "input_cost_per_token": 9e-6},
        "x": {"litellm_provider": "openai", "input_cost_per_token": 1e-6},
        "azure/x": {"litellm_provider": "azure", "input_cost_per_token": 2e-6},
        "clip": {"mode": "video_generation", "output_cost_per_second": 0.5},
    });
    let list = PriceList::read(text.to_string().as_bytes()).unwrap();
    let names: Vec<_> = list.models.keys().map(String::as_str).collect();
    assert_eq!(names, ["azure/x", "x"]);
    assert_eq!(texts(&list, "x"), ["input 1"]);
}

#[test]
fn what_cannot_be_kept_exactly_is_left_out_with_the_reason() {
    let text =
        br#"{"fine": {"input_cost_per_token": 1e-6}, "deep": {"input_cost_per_token": 1e-16},
        "odd": {"input_cost_per_token": true}, "below": {"output_cost_per_token": -1e-6},
        "line\nbreak": {"input_cost_per_token": 1e-6}}"#;
    let list = PriceList::read(text).unwrap();
    assert_eq!(list.models.len(), 1);
    let reasons: Vec<_> = list
        .left_out
        .iter()
        .map(|one| one.reason.as_str())
        .collect();
    let expected = [
        "input_cost_per_token: has more decimals than can be kept exactly",
        "input_cost_per_token: must be a number",
        "output_cost_per_token: is below zero",
        "its name cannot be a model's",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn what_is_no_list_is_an_error() {
    for (text, error) in [
        ("", PriceListError::NotJson),
        ("{", PriceListError::NotJson),
        ("[]", PriceListError::NotAList),
        (r#"{"m": 3}"#, PriceListError::NotAList),
        ("{}", PriceListError::Empty),
        (
            r#"{"m": {"input_cost_per_token": 0}}"#,
            PriceListError::Empty,
        ),
    ] {
        let found = PriceList::read(text.as_bytes()).err();
        assert_eq!(found, Some(error), "{text}");
    }
}
