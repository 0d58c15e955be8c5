//! What metering needs of a plain answer: the model, the words, why it ended, what was used. An answer
//! of anything but text is not plain, nor is one with counts that are no whole numbers; such are read in full.

use std::borrow::Cow;

use super::counts::{self, Counts, Detail, Details};
use super::finish;
use crate::canonical::{Finish, Usage};
use crate::convert::Outcome;
use crate::said::Said;
use crate::usual::Usual;
use crate::walk::{Broken, Walk};

/// What matters of an answer, a choice and a message.
#[derive(Debug, Clone, Copy)]
enum Member {
    Model,
    Choices,
    Usage,
    Error,
    Message,
    FinishReason,
    Role,
    Content,
    Refusal,
    Annotations,
    /// What does not.
    Other,
}

static ANSWER: [Usual<Member>; 9] = Usual::all([
    ("id", Member::Other),
    ("object", Member::Other),
    ("created", Member::Other),
    ("model", Member::Model),
    ("choices", Member::Choices),
    ("usage", Member::Usage),
    ("service_tier", Member::Other),
    ("system_fingerprint", Member::Other),
    ("error", Member::Error),
]);
static CHOICE: [Usual<Member>; 5] = Usual::all([
    ("index", Member::Other),
    ("message", Member::Message),
    ("logprobs", Member::Other),
    ("finish_reason", Member::FinishReason),
    ("error", Member::Error),
]);
static MESSAGE: [Usual<Member>; 4] = Usual::all([
    ("role", Member::Role),
    ("content", Member::Content),
    ("refusal", Member::Refusal),
    ("annotations", Member::Annotations),
]);

/// The same as reading the answer in full; none where it is not plain.
pub fn glance(body: &[u8]) -> Option<Outcome> {
    let mut seen = Seen::default();
    let mut walk = Walk::new(body);
    walk.usual_members(&ANSWER, |member, walk| seen.answer(member, walk))
        .ok()?;
    walk.end().ok()?;
    let (model, reason) = (seen.model?, seen.finish_reason?);
    let mut ended = Finish::new(finish::reason(&reason), "");
    ended.settle(false);
    if seen.is_strange {
        return None;
    }
    Some(Outcome {
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
    fn answer(&mut self, member: Option<Member>, walk: &mut Walk<'a>) -> Result<(), Broken> {
        match member {
            Some(Member::Model) => self.model = self.text(walk)?,
            Some(Member::Choices) if walk.begins(b'[') => {
                return walk.entries(|walk| self.choice(walk));
            }
            Some(Member::Choices) => return self.strange(walk),
            Some(Member::Usage) if walk.begins(b'{') => return self.usage(walk),
            Some(Member::Usage | Member::Error) => return self.absent(walk),
            _ => walk.past()?,
        }
        Ok(())
    }

    fn choice(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        if !walk.begins(b'{') {
            return self.strange(walk);
        }
        let (mut has_message, mut reason) = (false, None);
        walk.usual_members(&CHOICE, |member, walk| {
            match member {
                Some(Member::Message) if walk.begins(b'{') => {
                    has_message = true;
                    return self.message(walk);
                }
                Some(Member::FinishReason) => reason = self.text(walk)?,
                Some(Member::Error) => self.absent(walk)?,
                _ => walk.past()?,
            }
            Ok(())
        })?;
        self.is_strange |= !has_message || reason.as_deref().is_none_or(finish::is_failure);
        if self.finish_reason.is_none() {
            self.finish_reason = reason;
        }
        Ok(())
    }

    /// A plain message has no other members.
    fn message(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        let mut has_content = false;
        walk.usual_members(&MESSAGE, |member, walk| {
            match member {
                Some(Member::Role) => walk.past()?,
                Some(Member::Content) => {
                    let text = self.text(walk)?;
                    has_content = text.is_some();
                    self.said.hear(&text.unwrap_or_default());
                }
                Some(Member::Refusal) => self.absent(walk)?,
                Some(Member::Annotations) if walk.begins(b'[') => {
                    return walk.entries(|walk| self.strange(walk));
                }
                _ => self.strange(walk)?,
            }
            Ok(())
        })?;
        self.is_strange |= !has_content;
        Ok(())
    }

    fn usage(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        let (mut counts, mut input, mut output) =
            (Counts::default(), Details::default(), Details::default());
        walk.usual_members(&counts::USAGE, |member, walk| {
            match member {
                Some(counts::Member::Count(count)) => *counts.of(count) = self.count(walk)?,
                Some(counts::Member::Prompt) => {
                    return self.details(&counts::PROMPT_DETAILS, &mut input, walk);
                }
                Some(counts::Member::Completion) => {
                    return self.details(&counts::COMPLETION_DETAILS, &mut output, walk);
                }
                Some(counts::Member::Total) | None => walk.past()?,
            }
            Ok(())
        })?;
        self.usage = Some(counts.usage(&input, &output));
        Ok(())
    }

    fn details(
        &mut self,
        usual: &[Usual<Detail>],
        details: &mut Details,
        walk: &mut Walk<'a>,
    ) -> Result<(), Broken> {
        if !walk.begins(b'{') {
            return self.absent(walk);
        }
        walk.usual_members(usual, |detail, walk| {
            match detail {
                Some(detail) => *details.of(detail) = self.count(walk)?,
                None => walk.past()?,
            }
            Ok(())
        })
    }

    /// A whole number, or null.
    #[inline]
    fn count(&mut self, walk: &mut Walk<'a>) -> Result<Option<u64>, Broken> {
        if let Some(count) = walk.whole() {
            return Ok(Some(count));
        }
        self.absent(walk).map(|()| None)
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
        if walk.takes_null() {
            return Ok(());
        }
        self.strange(walk)
    }

    fn strange(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        self.is_strange = true;
        walk.past()
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
    fn an_answer_is_seen_alike_however_it_is_written() {
        let usual = concat!(
            r#"{"id":"chatcmpl-1","object":"chat.completion","created":1741569952,"model":"m-1","#,
            r#""choices":[{"index":0,"message":{"role":"assistant","content":"Yes.","refusal":null,"#,
            r#""annotations":[]},"logprobs":null,"finish_reason":"stop"}],"#,
            r#""usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"#,
            r#""prompt_tokens_details":{"cached_tokens":4,"audio_tokens":1},"#,
            r#""completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":2,"#,
            r#""accepted_prediction_tokens":1,"rejected_prediction_tokens":5}},"#,
            r#""service_tier":"default","system_fingerprint":"fp_1"}"#,
        );
        let turned = concat!(
            r#"{"usage":{"completion_tokens_details":{"rejected_prediction_tokens":5,"#,
            r#""accepted_prediction_tokens":1,"audio_tokens":2,"reasoning_tokens":3},"#,
            r#""prompt_tokens_details":{"audio_tokens":1,"cached_tokens":4},"#,
            r#""total_tokens":29,"completion_tokens":10,"prompt_tokens":19},"#,
            r#""choices":[{"finish_reason":"stop","index":0,"#,
            r#""message":{"content":"Yes.","role":"assistant"}}],"model":"m-1"}"#,
        );
        let spaced = usual.replace("\":", "\" :\n    ").replace(',', " ,\n  ");
        let escaped = usual.replace("s\":", "\\u0073\":");
        let read = listen_in_full(DialectId::ChatCompletions, usual.as_bytes()).unwrap();
        for body in [usual, turned, &spaced, &escaped] {
            assert_eq!(glance(body.as_bytes()), Some(read.clone()), "{body}");
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
