//! What a call used, in the units that prices are for.

use std::collections::BTreeMap;

/// Everything that one call used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens.
    pub tokens: Tokens,
    /// Everything else.
    pub other: OtherUnits,
}

/// Token counts. `input` and `output` are totals; the others are parts of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The whole prompt, caches included.
    pub input: u64,
    /// Of it: read from the cache.
    pub cache_read: u64,
    /// Of it: written to the cache for five minutes, or with no time said.
    pub cache_write_5m: u64,
    /// Of it: written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Of it: audio.
    pub audio_input: u64,
    /// Of it: images.
    pub image_input: u64,
    /// Everything generated, reasoning included.
    pub output: u64,
    /// Of it: reasoning.
    pub reasoning: u64,
    /// Of it: audio.
    pub audio_output: u64,
    /// Of it: images.
    pub image_output: u64,
}

/// Units that are no tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherUnits {
    /// Calls; one for each call, so that prices per call apply.
    pub calls: u64,
    /// Generated images.
    pub images: Vec<Images>,
    /// Seconds of audio, rounded up.
    pub seconds: u64,
    /// Characters of text to speak.
    pub characters: u64,
    /// Search units of a rerank.
    pub search_units: u64,
    /// Calls of hosted tools by name (`web_search_requests`, …).
    pub hosted_tools: BTreeMap<String, u64>,
}

/// Generated images of one size and quality.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Images {
    /// For example `1024x1024`; none where it is not known.
    pub size: Option<String>,
    /// For example `high`; none where it is not known.
    pub quality: Option<String>,
    /// How many.
    pub count: u64,
}

/// The kinds of token that can have a price of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum TokenKind {
    /// Input that is nothing of the below.
    Input = 1,
    /// Input read from the cache.
    CacheRead = 1 << 1,
    /// Input written to the cache for five minutes.
    CacheWrite5m = 1 << 2,
    /// Input written to the cache for an hour.
    CacheWrite1h = 1 << 3,
    /// Audio input.
    AudioInput = 1 << 4,
    /// Image input.
    ImageInput = 1 << 5,
    /// Output that is nothing of the below.
    Output = 1 << 6,
    /// Reasoning.
    Reasoning = 1 << 7,
    /// Audio output.
    AudioOutput = 1 << 8,
    /// Image output.
    ImageOutput = 1 << 9,
}

impl TokenKind {
    /// All of them, in the order of a charge's lines.
    pub(super) const ALL: [Self; 10] = [
        Self::Input,
        Self::CacheRead,
        Self::CacheWrite5m,
        Self::CacheWrite1h,
        Self::AudioInput,
        Self::ImageInput,
        Self::Output,
        Self::Reasoning,
        Self::AudioOutput,
        Self::ImageOutput,
    ];
    pub(super) const INPUT: &[Self] = Self::ALL.split_at(6).0;
    pub(super) const OUTPUT: &[Self] = Self::ALL.split_at(6).1;

    /// Its place among all of them: each kind is one bit, the next higher than that before.
    pub(super) fn position(self) -> usize {
        (self as u16).trailing_zeros() as usize
    }

    /// The name of its line in a charge.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::CacheRead => "cache_read",
            Self::CacheWrite5m => "cache_write_5m",
            Self::CacheWrite1h => "cache_write_1h",
            Self::AudioInput => "audio_input",
            Self::ImageInput => "image_input",
            Self::Output => "output",
            Self::Reasoning => "reasoning",
            Self::AudioOutput => "audio_output",
            Self::ImageOutput => "image_output",
        }
    }
}

/// Which kinds of token a call may turn out to have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenKinds(u16);

impl TokenKinds {
    /// Text in and out; the upstream may read a cache and may reason unasked.
    pub const TEXT: Self = Self(
        TokenKind::Input as u16
            | TokenKind::CacheRead as u16
            | TokenKind::Output as u16
            | TokenKind::Reasoning as u16,
    );
    /// Every kind.
    pub const ALL: Self = Self(u16::MAX);

    /// These and one more.
    #[must_use]
    pub fn and(self, kind: TokenKind) -> Self {
        Self(self.0 | kind as u16)
    }

    /// Whether a kind is among these.
    pub fn has(self, kind: TokenKind) -> bool {
        self.0 & kind as u16 != 0
    }
}

impl Tokens {
    /// The whole prompt, also where an upstream reports parts that are larger than its total:
    /// what was used is never free because a total is missing.
    pub fn whole_input(&self) -> u64 {
        let caches = [self.cache_read, self.cache_write_5m, self.cache_write_1h];
        self.input
            .max(sum(caches))
            .max(sum([self.audio_input, self.image_input]))
    }

    /// Everything generated, likewise.
    pub fn whole_output(&self) -> u64 {
        self.output
            .max(sum([self.reasoning, self.audio_output, self.image_output]))
    }

    /// Every token in exactly one kind. Where parts overlap (cached audio is both), the cache
    /// comes first; a later part gets what is left.
    pub(super) fn split(&self) -> [(TokenKind, u64); 10] {
        let mut input = self.whole_input();
        let mut output = self.whole_output();
        let special_input = [
            (TokenKind::CacheRead, self.cache_read),
            (TokenKind::CacheWrite5m, self.cache_write_5m),
            (TokenKind::CacheWrite1h, self.cache_write_1h),
            (TokenKind::AudioInput, self.audio_input),
            (TokenKind::ImageInput, self.image_input),
        ]
        .map(|(kind, part)| (kind, take(&mut input, part)));
        let special_output = [
            (TokenKind::Reasoning, self.reasoning),
            (TokenKind::AudioOutput, self.audio_output),
            (TokenKind::ImageOutput, self.image_output),
        ]
        .map(|(kind, part)| (kind, take(&mut output, part)));
        let [read, written, kept, heard, seen] = special_input;
        let [thought, spoken, drawn] = special_output;
        let (asked, said) = ((TokenKind::Input, input), (TokenKind::Output, output));
        [
            asked, read, written, kept, heard, seen, said, thought, spoken, drawn,
        ]
    }
}

impl From<&dialects::canonical::Usage> for Usage {
    /// One call's tokens and hosted tools; what is not reported counts as zero.
    fn from(usage: &dialects::canonical::Usage) -> Self {
        let count = |reported: Option<u64>| reported.unwrap_or(0);
        let tokens = Tokens {
            input: count(usage.input),
            cache_read: count(usage.cache_read),
            cache_write_5m: count(usage.cache_write_5m)
                .saturating_add(count(usage.cache_write_other)),
            cache_write_1h: count(usage.cache_write_1h),
            audio_input: count(usage.input_audio),
            image_input: count(usage.input_image),
            output: count(usage.output),
            reasoning: count(usage.reasoning),
            audio_output: count(usage.output_audio),
            image_output: count(usage.output_image),
        };
        let other = OtherUnits {
            calls: 1,
            hosted_tools: usage.hosted_tools.clone(),
            ..OtherUnits::default()
        };
        Self { tokens, other }
    }
}

impl From<&dialects::units::Units> for Usage {
    /// One call of an operation that may count other things than tokens. Sizes and qualities of
    /// images are the request's and not in here.
    fn from(units: &dialects::units::Units) -> Self {
        let mut usage = Self::from(&units.tokens);
        let images = units.images.filter(|count| *count > 0);
        usage.other.images = images.map(Images::of_any_kind).into_iter().collect();
        usage.other.seconds = units.milliseconds.unwrap_or(0).div_ceil(1000);
        usage.other.characters = units.characters.unwrap_or(0);
        usage.other.search_units = units.search_units.unwrap_or(0);
        usage
    }
}

impl Images {
    fn of_any_kind(count: u64) -> Self {
        Self {
            count,
            ..Self::default()
        }
    }
}

fn sum<const N: usize>(counts: [u64; N]) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

fn take(rest: &mut u64, part: u64) -> u64 {
    let taken = part.min(*rest);
    *rest -= taken;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_knows_its_place() {
        for (place, kind) in TokenKind::ALL.into_iter().enumerate() {
            assert_eq!(kind.position(), place);
        }
        assert_eq!(
            TokenKind::ALL[..],
            [TokenKind::INPUT, TokenKind::OUTPUT].concat()
        );
    }

    #[test]
    fn overlapping_parts_are_counted_once() {
        let tokens = Tokens {
            input: 100,
            cache_read: 50,
            audio_input: 80,
            ..Tokens::default()
        };
        let split = tokens.split();
        assert_eq!(split[0], (TokenKind::Input, 0));
        assert_eq!(split[1], (TokenKind::CacheRead, 50));
        assert_eq!(split[4], (TokenKind::AudioInput, 50));
    }

    #[test]
    fn parts_without_a_total_are_not_lost() {
        let tokens = Tokens {
            cache_read: 30,
            cache_write_1h: 5,
            reasoning: 7,
            ..Tokens::default()
        };
        assert_eq!(tokens.whole_input(), 35);
        assert_eq!(tokens.whole_output(), 7);
    }

    #[test]
    fn a_reported_usage_becomes_units_of_one_call() {
        let mut reported = dialects::canonical::Usage {
            input: Some(10),
            cache_write_5m: Some(2),
            cache_write_other: Some(3),
            output: Some(4),
            ..Default::default()
        };
        reported
            .hosted_tools
            .insert("web_search_requests".to_owned(), 2);
        let usage = Usage::from(&reported);
        assert_eq!(usage.tokens.cache_write_5m, 5);
        assert_eq!(usage.other.calls, 1);
        assert_eq!(usage.other.hosted_tools["web_search_requests"], 2);
    }
}
