//! Reads a plain answer without a tree: words, why they ended, what was used. Most answers are plain, and
//! reading one here gives what reading it in full does. What is not plain is left to that.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::counts::{COMPLETION, Counts, Details, PROMPT};
use super::finish;
use crate::DialectId;
use crate::canonical::{Choice, Extra, Part, Reply, Usage};
use crate::tree;
use crate::walk::{Broken, Kind, Walk};

/// The answer; none where it is not plain.
pub(super) fn read(body: &[u8]) -> Option<Reply> {
    let plain = Plain(simdutf8::basic::from_utf8(body).ok()?);
    let mut walk = Walk::new(body);
    let reply = plain.reply(&mut walk).ok()?;
    walk.end().ok()?;
    // An answer without a choice is a failure, which the complete reader describes.
    (!reply.choices.is_empty()).then_some(reply)
}

/// The text of an answer. What is not plain in it counts as broken.
#[derive(Clone, Copy)]
struct Plain<'a>(&'a str);

/// The words of a message.
struct Message {
    words: String,
    /// There is a list of notes on them, with none in it.
    has_notes: bool,
}

impl<'a> Plain<'a> {
    fn reply(self, walk: &mut Walk<'a>) -> Result<Reply, Broken> {
        let (mut id, mut model, mut created, mut tier) = (None, None, None, None);
        let (mut choices, mut usage, mut extra) = (None, None, Extra::new());
        self.members(walk, |name, walk| match &*name {
            "id" => put(&mut id, self.string(walk)?, walk),
            "model" => put(&mut model, self.string(walk)?, walk),
            "created" => put(&mut created, whole(walk)?, walk),
            "service_tier" => put(&mut tier, self.string(walk)?, walk),
            "choices" => put(&mut choices, Some(self.choices(walk)?), walk),
            "usage" => put(&mut usage, self.usage(walk)?, walk),
            "object" => check(
                self.text(walk)?.is_some_and(|it| it == "chat.completion"),
                walk,
            ),
            "error" if walk.kind()? != Kind::Null => Err(walk.broken()),
            _ => self.keep(name, &mut extra, walk),
        })?;
        Ok(Reply {
            source: DialectId::ChatCompletions,
            id: id.unwrap_or_default(),
            model: model.unwrap_or_default(),
            created,
            choices: choices.ok_or_else(|| walk.broken())?,
            usage,
            tier,
            extra,
        })
    }

    fn choices(self, walk: &mut Walk<'a>) -> Result<Vec<Choice>, Broken> {
        let mut choices = Vec::new();
        check(walk.kind()? == Kind::List, walk)?;
        walk.entries(|walk| {
            let place = u32::try_from(choices.len()).unwrap_or(u32::MAX);
            choices.push(self.choice(place, walk)?);
            Ok(())
        })?;
        Ok(choices)
    }

    fn choice(self, place: u32, walk: &mut Walk<'a>) -> Result<Choice, Broken> {
        let (mut index, mut message, mut reason) = (None, None, None);
        let mut extra = Extra::new();
        self.members(walk, |name, walk| match &*name {
            "index" => put(&mut index, whole(walk)?, walk),
            "message" => put(&mut message, Some(self.message(walk)?), walk),
            "finish_reason" => put(&mut reason, self.text(walk)?, walk),
            "logprobs" => pass_null(walk),
            _ => self.keep(name, &mut extra, walk),
        })?;
        let message = message.ok_or_else(|| walk.broken())?;
        if message.has_notes {
            let notes = ("annotations".to_owned(), Value::Array(Vec::new()));
            let kept = Map::from_iter([notes]);
            extra.insert("message".to_owned(), Value::Object(kept));
        }
        let word = reason.unwrap_or_default();
        check(
            !finish::is_failure(&word) && !extra.contains_key("error"),
            walk,
        )?;
        let mut finish = finish::read(&word);
        finish.settle(false);
        let index = index.map_or(Ok(place), u32::try_from);
        Ok(Choice {
            index: index.map_err(|_| walk.broken())?,
            parts: vec![Part::text(message.words)],
            finish,
            logprobs: None,
            extra,
        })
    }

    fn message(self, walk: &mut Walk<'a>) -> Result<Message, Broken> {
        let (mut words, mut has_notes) = (None, false);
        self.members(walk, |name, walk| match &*name {
            "content" => put(&mut words, self.string(walk)?, walk),
            "role" => {
                let role = self.text(walk)?;
                check(role.is_none_or(|role| role == "assistant"), walk)
            }
            "annotations" if walk.kind()? == Kind::List => {
                has_notes = true;
                walk.entries(|walk| Err(walk.broken()))
            }
            _ => pass_null(walk),
        })?;
        let words = words.filter(|words: &String| !words.is_empty());
        Ok(Message {
            words: words.ok_or_else(|| walk.broken())?,
            has_notes,
        })
    }

    /// A usage that says all in the vendor's own counts, so that nothing of it must be kept.
    fn usage(self, walk: &mut Walk<'a>) -> Result<Option<Usage>, Broken> {
        if walk.kind()? == Kind::Null {
            return pass_null(walk).map(|()| None);
        }
        let (mut counts, mut total) = (Counts::default(), None);
        let (mut input, mut output) = (None, None);
        self.members(walk, |name, walk| {
            match (counts.named(name.as_bytes()), &*name) {
                (Some(count), _) => *count = whole(walk)?,
                (None, "total_tokens") => total = whole(walk)?,
                (None, PROMPT) => input = self.details(walk)?,
                (None, COMPLETION) => output = self.details(walk)?,
                _ => pass_null(walk)?,
            }
            Ok(())
        })?;
        let is_own = counts.are_own()
            && input.as_ref().is_none_or(Details::are_of_prompt)
            && output.as_ref().is_none_or(Details::are_of_answer);
        let usage = counts.usage(&input.unwrap_or_default(), &output.unwrap_or_default());
        check(is_own && total == Some(usage.total()), walk)?;
        Ok(Some(usage))
    }

    fn details(self, walk: &mut Walk<'a>) -> Result<Option<Details>, Broken> {
        if walk.kind()? == Kind::Null {
            return pass_null(walk).map(|()| None);
        }
        let mut details = Details::default();
        self.members(walk, |name, walk| {
            match details.named(name.as_bytes()) {
                Some(count) => *count = whole(walk)?,
                None => pass_null(walk)?,
            }
            Ok(())
        })?;
        Ok(Some(details))
    }

    fn members(
        self,
        walk: &mut Walk<'a>,
        mut each: impl FnMut(Cow<'a, str>, &mut Walk<'a>) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        walk.named(|name, walk| each(tree::name(self.0, name, walk)?, walk))
    }

    /// A text, or null.
    fn text(self, walk: &mut Walk<'a>) -> Result<Option<Cow<'a, str>>, Broken> {
        if walk.kind()? != Kind::Text {
            return pass_null(walk).map(|()| None);
        }
        let string = walk.text()?;
        tree::meaning(self.0, string, walk).map(Some)
    }

    /// The same as a string of its own.
    fn string(self, walk: &mut Walk<'a>) -> Result<Option<String>, Broken> {
        Ok(self.text(walk)?.map(Cow::into_owned))
    }

    /// Keeps a member that no other dialect knows.
    fn keep(self, name: Cow<'a, str>, kept: &mut Extra, walk: &mut Walk<'a>) -> Result<(), Broken> {
        let value = tree::value(self.0, walk)?;
        kept.insert(name.into_owned(), value);
        Ok(())
    }
}

/// Puts a member's value where it belongs; one that is given twice is not plain.
fn put<T>(place: &mut Option<T>, value: Option<T>, walk: &Walk<'_>) -> Result<(), Broken> {
    check(place.is_none(), walk)?;
    *place = value;
    Ok(())
}

fn check(is_plain: bool, walk: &Walk<'_>) -> Result<(), Broken> {
    if is_plain { Ok(()) } else { Err(walk.broken()) }
}

fn pass_null(walk: &mut Walk<'_>) -> Result<(), Broken> {
    let is_null = walk.skip()? == b"null";
    check(is_null, walk)
}

/// A whole number, or null.
fn whole(walk: &mut Walk<'_>) -> Result<Option<u64>, Broken> {
    match walk.whole() {
        Some(number) => Ok(Some(number)),
        None => pass_null(walk).map(|()| None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat_completions::reply_read::read_in_full;

    const MESSAGE: &str = r#"{"role":"assistant","content":"Yes, \"it\" is."}"#;
    const USAGE: &str = r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}"#;

    fn answer(message: &str, usage: &str) -> String {
        format!(
            r#"{{"id":"c","object":"chat.completion","created":1,"model":"m\u00e9","choices":[
            {{"index":0,"message":{message},"logprobs":null,"finish_reason":"tool_calls","x":[1.50]}},
            {{"message":{message},"finish_reason":null}}],"usage":{usage},"service_tier":"default",
            "system_fingerprint":"f","error":null,"y":{{"z":1e5}}}}"#
        )
    }

    #[test]
    fn a_plain_answer_is_what_reading_it_in_full_gives() {
        let messages = [
            MESSAGE,
            r#"{"content":"größer","role":null,"refusal":null,"annotations":[]}"#,
        ];
        let usages = [
            "null",
            USAGE,
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"cost":null,
                "prompt_tokens_details":{"cached_tokens":3,"audio_tokens":0,"text_tokens":null},
                "completion_tokens_details":{"reasoning_tokens":2,"accepted_prediction_tokens":1}}"#,
            r#"{"total_tokens":12,"completion_tokens":5,"prompt_tokens":7,
                "prompt_tokens_details":null,"cached_tokens":null}"#,
        ];
        for message in messages {
            for usage in usages {
                let body = answer(message, usage);
                let read = read(body.as_bytes()).expect("it is plain");
                let in_full = read_in_full(body.as_bytes()).unwrap();
                assert_eq!(format!("{read:?}"), format!("{in_full:?}"), "{body}");
            }
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_be_read_in_full() {
        for message in [
            "null",
            r#"{"role":"assistant","content":""}"#,
            r#"{"role":"assistant","content":null,"tool_calls":[]}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"a"}]}"#,
            r#"{"role":"assistant","content":"a","reasoning_content":"b"}"#,
            r#"{"role":"assistant","content":"a","content":"b"}"#,
            r#"{"role":"assistant","content":"\ud83d"}"#,
            r#"{"role":"user","content":"a"}"#,
            r#"{"content":"a","annotations":[{}]}"#,
        ] {
            assert!(
                read(answer(message, USAGE).as_bytes()).is_none(),
                "{message}"
            );
        }
        for usage in [
            "3",
            "{}",
            r#"{"prompt_tokens":7,"completion_tokens":5}"#,
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":13}"#,
            r#"{"prompt_tokens":7.0,"completion_tokens":5,"total_tokens":12}"#,
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"cost":1}"#,
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"cached_tokens":1}"#,
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"prompt_tokens_details":{}}"#,
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,
                "prompt_tokens_details":{"reasoning_tokens":1}}"#,
            r#"{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,
                "completion_tokens_details":{"cached_tokens":1}}"#,
        ] {
            assert!(read(answer(MESSAGE, usage).as_bytes()).is_none(), "{usage}");
        }
        for body in [
            r#"{"error":{"message":"x"},"model":"m","choices":[]}"#,
            r#"{"id":"a","id":"b","choices":[]}"#,
            r#"{"id":"a"}"#,
            r#"{"object":null,"choices":[]}"#,
            "{}{}",
            "no JSON",
        ] {
            assert!(read(body.as_bytes()).is_none(), "{body}");
        }
    }
}
