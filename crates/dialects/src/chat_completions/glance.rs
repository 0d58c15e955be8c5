//! What metering needs of a plain answer: the model, the words, why it ended, what was used. An answer
//! of anything but text is not plain, nor is one with counts that are no whole numbers; such are read in full.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::finish;
use crate::canonical::Usage;
use crate::convert::Outcome;
use crate::said::Said;

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
    usage: Option<Counts>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: Message<'a>,
    #[serde(borrow)]
    finish_reason: Cow<'a, str>,
}

/// The members of a plain message; one with others is not plain.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(rename = "role")]
    _role: IgnoredAny,
    #[serde(borrow)]
    content: Cow<'a, str>,
    refusal: Option<IgnoredAny>,
    #[serde(default, rename = "annotations")]
    _annotations: [IgnoredAny; 0],
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<InputCounts>,
    completion_tokens_details: Option<OutputCounts>,
    cached_tokens: Option<u64>,
    prompt_cache_hit_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the vendor's names")]
struct InputCounts {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
    cache_creation_tokens: Option<u64>,
    audio_tokens: Option<u64>,
    image_tokens: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the vendor's names")]
struct OutputCounts {
    reasoning_tokens: Option<u64>,
    audio_tokens: Option<u64>,
    image_tokens: Option<u64>,
    accepted_prediction_tokens: Option<u64>,
    rejected_prediction_tokens: Option<u64>,
}

/// The same as reading the answer in full; none where it is not plain.
pub fn glance(body: &[u8]) -> Option<Outcome> {
    let answer: Answer<'_> = serde_json::from_slice(body).ok()?;
    let first = answer.choices.first()?;
    if answer.error.is_some()
        || answer
            .choices
            .iter()
            .any(|one| one.message.refusal.is_some())
    {
        return None;
    }
    let mut said = Said::default();
    for choice in &answer.choices {
        said.hear(&choice.message.content);
    }
    let mut ended = finish::read(&first.finish_reason);
    ended.settle(false);
    Some(Outcome {
        model: answer.model.into_owned(),
        usage: answer.usage.map(usage),
        finish: Some(ended.reason),
        has_content: said.bytes > 0,
        said,
        failure: None,
    })
}

fn usage(counts: Counts) -> Usage {
    let input = counts.prompt_tokens_details.unwrap_or_default();
    let output = counts.completion_tokens_details.unwrap_or_default();
    Usage {
        input: counts.prompt_tokens,
        cache_read: (input.cached_tokens)
            .or(counts.cached_tokens)
            .or(counts.prompt_cache_hit_tokens)
            .or(counts.cache_read_input_tokens),
        cache_write_other: (input.cache_write_tokens)
            .or(input.cache_creation_tokens)
            .or(counts.cache_creation_input_tokens),
        input_audio: input.audio_tokens,
        input_image: input.image_tokens,
        output: counts.completion_tokens,
        reasoning: output.reasoning_tokens.or(counts.reasoning_tokens),
        output_audio: output.audio_tokens,
        output_image: output.image_tokens,
        prediction_accepted: output.accepted_prediction_tokens,
        prediction_rejected: output.rejected_prediction_tokens,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DialectId;
    use crate::convert::listen_in_full;

    fn answer(message: &str, usage: &str) -> String {
        format!(
            r#"{{"id":"c","object":"chat.completion","created":1,"model":"m\u00e9","choices":[
            {{"index":0,"message":{message},"logprobs":null,"finish_reason":"length"}}],
            "usage":{usage},"service_tier":"default"}}"#
        )
    }

    #[test]
    fn a_glance_at_a_plain_answer_sees_what_reading_it_sees() {
        let messages = [
            r#"{"role":"assistant","content":"Yes, \"it\" is.","refusal":null,"annotations":[]}"#,
            r#"{"role":"assistant","content":""}"#,
        ];
        let usages = [
            "null",
            "{}",
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"cost":0.5,
                "prompt_tokens_details":{"cached_tokens":3,"audio_tokens":0},
                "completion_tokens_details":{"reasoning_tokens":2,"accepted_prediction_tokens":1}}"#,
            r#"{"prompt_tokens":7,"completion_tokens":5,"prompt_cache_hit_tokens":4,
                "prompt_tokens_details":null,"cache_creation_input_tokens":9,"reasoning_tokens":1}"#,
        ];
        for message in messages {
            for usage in usages {
                let body = answer(message, usage);
                let seen = glance(body.as_bytes()).expect("it is plain");
                let read = listen_in_full(DialectId::ChatCompletions, body.as_bytes()).unwrap();
                assert_eq!(format!("{seen:?}"), format!("{read:?}"), "{body}");
            }
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_be_read() {
        let usage = r#"{"prompt_tokens":7,"completion_tokens":5}"#;
        for message in [
            r#"{"role":"assistant","content":null,"tool_calls":[]}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"a"}]}"#,
            r#"{"role":"assistant","content":"a","reasoning_content":"b"}"#,
            r#"{"role":"assistant","content":"a","refusal":"no"}"#,
            r#"{"role":"assistant","content":"a","annotations":[{}]}"#,
        ] {
            assert!(
                glance(answer(message, usage).as_bytes()).is_none(),
                "{message}"
            );
        }
        let plain = r#"{"role":"assistant","content":"a"}"#;
        for usage in [r#"{"prompt_tokens":7.0}"#, r#"{"prompt_tokens":-1}"#, "3"] {
            assert!(glance(answer(plain, usage).as_bytes()).is_none(), "{usage}");
        }
        assert!(glance(br#"{"error":{"message":"x"},"model":"m","choices":[]}"#).is_none());
        assert!(glance(b"no JSON").is_none());
    }
}
