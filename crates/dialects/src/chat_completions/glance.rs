//! What metering needs of a plain answer: the model, the words, why it ended, what was used. An answer
//! of anything but text is not plain, nor is one with counts that are no whole numbers; such are read in full.

use std::borrow::Cow;

use super::counts::{COMPLETION, Counts, Details, PROMPT};
use super::finish;
use crate::canonical::Usage;
use crate::convert::Outcome;
use crate::said::Said;
use crate::walk::{Broken, Kind, Walk};

/// The same as reading the answer in full; none where it is not plain.
pub fn glance(body: &[u8]) -> Option<Outcome> {
    let mut seen = Seen::default();
    let mut walk = Walk::new(body);
    walk.members(|name, walk| seen.answer(name, walk)).ok()?;
    walk.end().ok()?;
    let (model, reason) = (seen.model?, seen.finish_reason?);
    let mut ended = finish::read(&reason);
    ended.settle(false);
    (!seen.is_strange).then(|| Outcome {
        model: model.into_owned(),
        usage: seen.usage,
        finish: Some(ended.reason),
        has_content: seen.said.bytes > 0,
        said: seen.said,
        failure: None,
    })
}

/// What was seen of an answer so far.
#[derive(Default)]
struct Seen<'a> {
    model: Option<Cow<'a, str>>,
    /// Of the first choice.
    finish_reason: Option<Cow<'a, str>>,
    said: Said,
    usage: Option<Usage>,
    /// There is something that a plain answer has not, or something is missing.
    is_strange: bool,
}

impl<'a> Seen<'a> {
    fn answer(&mut self, name: &[u8], walk: &mut Walk<'a>) -> Result<(), Broken> {
        match name {
            b"model" => self.model = self.text(walk)?,
            b"choices" if walk.kind()? == Kind::List => {
                return walk.entries(|walk| self.choice(walk));
            }
            b"usage" => match walk.kind()? {
                Kind::Object => self.usage = Some(self.usage(walk)?),
                _ => self.absent(walk)?,
            },
            b"error" => self.absent(walk)?,
            b"choices" => self.strange(walk)?,
            _ => {
                walk.skip()?;
            }
        }
        Ok(())
    }

    fn choice(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        if walk.kind()? != Kind::Object {
            return self.strange(walk);
        }
        let (mut has_message, mut reason) = (false, None);
        walk.members(|name, walk| {
            match name {
                b"message" if walk.kind()? == Kind::Object => {
                    has_message = true;
                    let mut has_content = false;
                    walk.members(|name, walk| self.message(name, walk, &mut has_content))?;
                    self.is_strange |= !has_content;
                }
                b"finish_reason" => reason = self.text(walk)?,
                _ => {
                    walk.skip()?;
                }
            }
            Ok(())
        })?;
        self.is_strange |= !has_message || reason.is_none();
        if self.finish_reason.is_none() {
            self.finish_reason = reason;
        }
        Ok(())
    }

    /// The members of a plain message; one with others is not plain.
    fn message(
        &mut self,
        name: &[u8],
        walk: &mut Walk<'a>,
        has_content: &mut bool,
    ) -> Result<(), Broken> {
        match name {
            b"role" => {
                walk.skip()?;
            }
            b"content" => {
                let text = self.text(walk)?;
                *has_content = text.is_some();
                self.said.hear(&text.unwrap_or_default());
            }
            b"refusal" => self.absent(walk)?,
            b"annotations" if walk.kind()? == Kind::List => {
                return walk.entries(|walk| self.strange(walk));
            }
            _ => self.strange(walk)?,
        }
        Ok(())
    }

    fn usage(&mut self, walk: &mut Walk<'a>) -> Result<Usage, Broken> {
        let (mut counts, mut input, mut output) =
            (Counts::default(), Details::default(), Details::default());
        walk.members(|name, walk| {
            let count = match counts.named(name) {
                Some(count) => count,
                None if name == PROMPT.as_bytes() => return self.details(&mut input, walk),
                None if name == COMPLETION.as_bytes() => return self.details(&mut output, walk),
                None => return walk.skip().map(|_| ()),
            };
            *count = self.count(walk)?;
            Ok(())
        })?;
        Ok(counts.usage(&input, &output))
    }

    fn details(&mut self, details: &mut Details, walk: &mut Walk<'a>) -> Result<(), Broken> {
        if walk.kind()? != Kind::Object {
            return self.absent(walk);
        }
        walk.members(|name, walk| {
            let Some(count) = details.named(name) else {
                return walk.skip().map(|_| ());
            };
            *count = self.count(walk)?;
            Ok(())
        })
    }

    /// A whole number, or null.
    fn count(&mut self, walk: &mut Walk<'a>) -> Result<Option<u64>, Broken> {
        if let Some(count) = walk.whole() {
            return Ok(Some(count));
        }
        self.is_strange |= walk.skip()? != b"null";
        Ok(None)
    }

    fn text(&mut self, walk: &mut Walk<'a>) -> Result<Option<Cow<'a, str>>, Broken> {
        let spelled = walk.skip()?;
        let text = match spelled {
            [b'"', ..] if walk.is_escaped() => serde_json::from_slice(spelled).ok().map(Cow::Owned),
            [b'"', plain @ .., _] => simdutf8::basic::from_utf8(plain).ok().map(Cow::Borrowed),
            _ => None,
        };
        self.is_strange |= text.is_none();
        Ok(text)
    }

    /// What a plain answer has not, unless it is null.
    fn absent(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        self.is_strange |= walk.skip()? != b"null";
        Ok(())
    }

    fn strange(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        self.is_strange = true;
        walk.skip().map(|_| ())
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
