//! What a call used, in every unit that a price may be given in. Integers only: money is counted
//! from these. What an upstream did not tell is absent, and what it tells is taken as hostile.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::canonical::Usage;

/// No honest count is higher; what is beyond it was not meant to be a count.
const MAX_COUNT: u64 = 1 << 48;

/// What a call used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    /// Tokens.
    pub tokens: Usage,
    /// Images that were made.
    pub images: Option<u64>,
    /// The length of audio that was heard or spoken.
    pub milliseconds: Option<u64>,
    /// Characters that were spoken.
    pub characters: Option<u64>,
    /// Search units of a rerank.
    pub search_units: Option<u64>,
}

impl Units {
    /// Input tokens alone.
    pub fn of_input(tokens: Option<u64>) -> Self {
        Self {
            tokens: Usage {
                input: tokens,
                ..Usage::default()
            },
            ..Self::default()
        }
    }

    /// Whether the upstream told nothing at all.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another call used: answers that were put together from several.
    pub fn add(&mut self, other: &Self) {
        let tokens = &mut self.tokens;
        let more = &other.tokens;
        for (mine, theirs) in [
            (&mut tokens.input, more.input),
            (&mut tokens.cache_read, more.cache_read),
            (&mut tokens.input_audio, more.input_audio),
            (&mut tokens.input_image, more.input_image),
            (&mut tokens.output, more.output),
            (&mut tokens.reasoning, more.reasoning),
            (&mut tokens.output_audio, more.output_audio),
            (&mut tokens.output_image, more.output_image),
            (&mut self.images, other.images),
            (&mut self.milliseconds, other.milliseconds),
            (&mut self.characters, other.characters),
            (&mut self.search_units, other.search_units),
        ] {
            if let Some(theirs) = theirs {
                *mine = Some(mine.unwrap_or(0).saturating_add(theirs));
            }
        }
    }
}

/// A count that a vendor wrote as an integer, as a float or as text; rounded up. What is no count
/// (negative, endless, absurd) is absent.
pub fn count(raw: Option<&RawValue>) -> Option<u64> {
    let text = raw?.get().trim_matches('"');
    match text.parse::<u64>() {
        Ok(count) => Some(count).filter(|count| *count <= MAX_COUNT),
        Err(_) => ceiling(text.parse().ok()?),
    }
}

/// Seconds as milliseconds, rounded up beyond what a double leaves of decimal digits.
pub fn milliseconds(raw: Option<&RawValue>) -> Option<u64> {
    let seconds: f64 = raw?.get().trim_matches('"').parse().ok()?;
    ceiling((seconds * 1e6).round()).map(|micros| micros.div_ceil(1000))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the range is checked before the cast"
)]
fn ceiling(number: f64) -> Option<u64> {
    let is_count = (0.0..=MAX_COUNT as f64).contains(&number);
    is_count.then(|| number.ceil() as u64)
}

/// Every count that vendors put into a `usage` object, under every name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The whole input.
    pub input: Option<u64>,
    /// The whole output.
    pub output: Option<u64>,
    /// Both.
    pub total: Option<u64>,
    /// The input by kind.
    pub input_kinds: Kinds,
    /// The cached part of the input.
    pub cached: Option<u64>,
    /// The cached part of the input by kind.
    pub cached_kinds: Kinds,
    /// The output by kind.
    pub output_kinds: Kinds,
    /// A length of audio, where that is what is counted.
    pub milliseconds: Option<u64>,
}

/// Tokens by what they stand for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Text.
    pub text: Option<u64>,
    /// Audio.
    pub audio: Option<u64>,
    /// Images.
    pub image: Option<u64>,
}

#[derive(Deserialize)]
struct WireCounts<'a> {
    #[serde(borrow, alias = "prompt_tokens")]
    input_tokens: Option<&'a RawValue>,
    #[serde(borrow, alias = "completion_tokens")]
    output_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    total_tokens: Option<&'a RawValue>,
    #[serde(borrow, alias = "input_token_details", alias = "prompt_tokens_details")]
    input_tokens_details: Option<&'a RawValue>,
    #[serde(
        borrow,
        alias = "output_token_details",
        alias = "completion_tokens_details"
    )]
    output_tokens_details: Option<&'a RawValue>,
    #[serde(borrow)]
    seconds: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct WireKinds<'a> {
    #[serde(borrow)]
    text_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    audio_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    image_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    cached_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    cached_tokens_details: Option<&'a RawValue>,
}

impl Counts {
    /// Reads a `usage` object. One that makes no sense tells nothing: the caller then estimates.
    pub fn read(raw: Option<&RawValue>) -> Self {
        let Some(wire) = raw.and_then(|raw| serde_json::from_str::<WireCounts<'_>>(raw.get()).ok())
        else {
            return Self::default();
        };
        let input = kinds(wire.input_tokens_details);
        let output = kinds(wire.output_tokens_details);
        Self {
            input: count(wire.input_tokens),
            output: count(wire.output_tokens),
            total: count(wire.total_tokens),
            input_kinds: input.counts(),
            cached: count(input.cached_tokens),
            cached_kinds: kinds(input.cached_tokens_details).counts(),
            output_kinds: output.counts(),
            milliseconds: milliseconds(wire.seconds),
        }
    }

    /// Whether nothing was told.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }

    /// The input, from the total where only that is told.
    pub fn input_or_total(&self) -> Option<u64> {
        match self.input {
            None | Some(0) => self.total.or(self.input),
            input => input,
        }
    }

    /// The same counts in our arithmetic.
    pub fn usage(&self) -> Usage {
        let rest = |part: Option<u64>| Some(self.total?.saturating_sub(part?));
        Usage {
            input: self.input.or_else(|| rest(self.output)),
            cache_read: self.cached,
            input_audio: self.input_kinds.audio,
            input_image: self.input_kinds.image,
            output: self.output.or_else(|| rest(self.input)),
            output_audio: self.output_kinds.audio,
            output_image: self.output_kinds.image,
            ..Usage::default()
        }
    }
}

fn kinds(raw: Option<&RawValue>) -> WireKinds<'_> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

impl WireKinds<'_> {
    fn counts(&self) -> Kinds {
        Kinds {
            text: count(self.text_tokens),
            audio: count(self.audio_tokens),
            image: count(self.image_tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_count_may_be_a_float_or_text_and_is_never_absurd() {
        for (text, expected) in [
            ("7", Some(7)),
            ("1.0", Some(1)),
            ("1.2", Some(2)),
            ("\"9\"", Some(9)),
            ("-1", None),
            ("1e300", None),
            ("18446744073709551615", None),
            ("true", None),
            ("\"NaN\"", None),
            ("[]", None),
        ] {
            assert_eq!(count(Some(raw(text))), expected, "{text}");
        }
        assert_eq!(count(None), None);
    }

    #[test]
    fn seconds_become_milliseconds_without_drift() {
        for (text, expected) in [
            ("8.47", Some(8470)),
            ("9", Some(9000)),
            ("0.0001", Some(1)),
            ("27.4", Some(27400)),
            ("-3", None),
            ("1e99", None),
        ] {
            assert_eq!(milliseconds(Some(raw(text))), expected, "{text}");
        }
    }

    #[test]
    fn usage_is_read_under_every_name() {
        let counts = Counts::read(Some(raw(
            r#"{"total_tokens":18,"input_tokens":14,"input_token_details":{"audio_tokens":13,
            "text_tokens":1,"cached_tokens":4,"cached_tokens_details":{"audio_tokens":4}},
            "output_tokens":4,"output_tokens_details":{"image_tokens":3}}"#,
        )));
        assert_eq!(counts.usage().input_audio, Some(13));
        assert_eq!(counts.usage().output_image, Some(3));
        assert_eq!(counts.cached_kinds.audio, Some(4));
        assert_eq!(counts.usage().cache_read, Some(4));
        let counts = Counts::read(Some(raw(r#"{"prompt_tokens":0,"total_tokens":5}"#)));
        assert_eq!(counts.input_or_total(), Some(5));
        assert_eq!(counts.usage().output, Some(5));
        assert!(Counts::read(Some(raw("[3]"))).is_silent());
        assert!(Counts::read(Some(raw(r#"{"input_tokens":"many"}"#))).is_silent());
    }

    #[test]
    fn sums_leave_what_nobody_told_absent() {
        let mut sum = Units::of_input(Some(u64::MAX));
        sum.add(&Units::of_input(Some(3)));
        sum.add(&Units::default());
        assert_eq!(sum.tokens.input, Some(u64::MAX));
        assert_eq!(sum.images, None);
        assert!(Units::default().is_silent());
    }
}
