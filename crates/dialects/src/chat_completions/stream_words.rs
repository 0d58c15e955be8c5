//! A frame that brings words and nothing else, as nearly all frames of a stream do. It is gone
//! through once; any other frame is read in full.

use std::borrow::Cow;
use std::ops::Range;

use crate::walk::{Broken, Kind, Walk};

/// The words of one choice.
#[derive(Debug, PartialEq, Eq)]
pub struct Words<'a> {
    /// The choice.
    pub index: u32,
    /// What it says.
    pub text: Cow<'a, str>,
}

/// The words of a frame amid an answer of this tier, and where they stand, quotes included; none
/// where the frame might say anything else.
pub fn words<'a>(data: &'a [u8], tier: &str) -> Option<(Words<'a>, Range<usize>)> {
    let mut seen = Seen {
        frame: simdutf8::basic::from_utf8(data).ok()?,
        tier,
        has_choice: false,
        has_delta: false,
        index: None,
        text: None,
        place: 0..0,
    };
    let mut walk = Walk::new(data);
    walk.members(|name, walk| seen.frame(name, walk)).ok()?;
    walk.end().ok()?;
    let words = Words {
        index: seen.index.unwrap_or(0),
        text: seen.text?,
    };
    Some((words, seen.place))
}

/// What was seen of a frame so far. What it may not have is told like a broken text.
struct Seen<'a, 'b> {
    frame: &'a str,
    tier: &'b str,
    has_choice: bool,
    has_delta: bool,
    index: Option<u32>,
    text: Option<Cow<'a, str>>,
    place: Range<usize>,
}

impl<'a> Seen<'a, '_> {
    fn frame(&mut self, name: &[u8], walk: &mut Walk<'a>) -> Result<(), Broken> {
        match name {
            b"choices" => return walk.entries(|walk| self.choice(walk)),
            b"service_tier" => return self.known_tier(walk),
            b"usage" | b"error" => return null(walk),
            b"id" | b"model" if !matches!(walk.kind()?, Kind::Text | Kind::Null) => {
                return Err(walk.broken());
            }
            _ => {}
        }
        walk.past()
    }

    fn choice(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        once(&mut self.has_choice, walk)?;
        walk.members(|name, walk| match name {
            b"delta" => {
                once(&mut self.has_delta, walk)?;
                walk.members(|name, walk| self.delta(name, walk))
            }
            b"index" => self.index(walk),
            b"message" | b"text" | b"finish_reason" | b"logprobs" | b"error" => null(walk),
            _ => walk.past(),
        })
    }

    fn delta(&mut self, name: &[u8], walk: &mut Walk<'a>) -> Result<(), Broken> {
        match name {
            b"content" => self.content(walk),
            b"reasoning_content" | b"reasoning" | b"refusal" | b"tool_calls" | b"function_call"
            | b"audio" | b"annotations" | b"images" => null(walk),
            _ => walk.past(),
        }
    }

    fn content(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        if self.text.is_some() || walk.kind()? != Kind::Text {
            return Err(walk.broken());
        }
        let from = walk.at();
        walk.past()?;
        self.place = from..walk.at();
        let string = self.frame.get(self.place.clone());
        self.text = string.and_then(|string| {
            if walk.is_escaped() {
                return serde_json::from_str(string).ok().map(Cow::Owned);
            }
            string.get(1..string.len() - 1).map(Cow::Borrowed)
        });
        self.text.as_ref().map(|_| ()).ok_or_else(|| walk.broken())
    }

    fn index(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        let index = walk.whole().and_then(|index| u32::try_from(index).ok());
        if index.is_none() || self.index.is_some() {
            return Err(walk.broken());
        }
        self.index = index;
        Ok(())
    }

    fn known_tier(&self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        match walk.skip()? {
            b"null" => Ok(()),
            [b'"', tier @ .., b'"'] if tier == self.tier.as_bytes() => Ok(()),
            _ => Err(walk.broken()),
        }
    }
}

/// Goes past what must be absent, which it is where it is null.
fn null(walk: &mut Walk<'_>) -> Result<(), Broken> {
    match walk.skip()? {
        b"null" => Ok(()),
        _ => Err(walk.broken()),
    }
}

fn once(seen: &mut bool, walk: &Walk<'_>) -> Result<(), Broken> {
    if std::mem::replace(seen, true) {
        return Err(walk.broken());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_beside_what_says_nothing() {
        let frame = br#"{"id":"c","object":"x","created":1.5,"model":null,"service_tier":"default",
            "choices":[{"index":2,"delta":{"role":"assistant","content":"a\n\u00e9","refusal":null},
            "logprobs":null,"finish_reason":null,"new":{"a":[1]}}],"usage":null}"#;
        let (found, place) = words(frame, "default").unwrap();
        assert_eq!((found.index, &*found.text), (2, "a\né"));
        assert_eq!(&frame[place], br#""a\n\u00e9""#);
        assert_eq!(words(frame, "flex"), None);
        let frame = br#"{"choices":[{"delta":{"content":""}}]}"#;
        let (found, _) = words(frame, "").unwrap();
        assert_eq!((found.index, &*found.text), (0, ""));
    }

    #[test]
    fn a_frame_that_says_more_is_not_for_here() {
        for frame in [
            r#"{"choices":[]}"#,
            r#"{"choices":null}"#,
            r#"{"id":5,"choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"error":{},"choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"usage":{},"choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}"#,
            r#"{"choices":[{"delta":{"content":"a"},"delta":{}}]}"#,
            r#"{"choices":[{"delta":{"content":"a","content":"b"}}]}"#,
            r#"{"choices":[{"index":0,"index":1,"delta":{"content":"a"}}]}"#,
            r#"{"choices":[{"index":-1,"delta":{"content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"delta":{"content":"a","reasoning":"b"}}]}"#,
            r#"{"choices":[{"delta":{"content":"a","tool_calls":[]}}]}"#,
            r#"{"choices":[{"delta":{"content":["a"]}}]}"#,
            r#"{"choices":[{"delta":{"content":null}}]}"#,
            r#"{"choices":[{"delta":{"content":"\ud83d"}}]}"#,
            r#"{"choices":[{"delta":{"content":"a"}}]"#,
        ] {
            assert_eq!(words(frame.as_bytes(), ""), None, "{frame}");
        }
    }
}
