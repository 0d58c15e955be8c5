//! What has passed between both sides: for an estimate of what was used, where the upstream does not
//! tell. A response reads the whole conversation again: what the one before it has read and said, and
//! what came since.

use billing::pricing::{OtherUnits, Usage};
use billing::tokens;
use dialects::canonical;
use dialects::realtime::{
    Asked, AudioFormat, Brought, RealtimeUsage, Session, input_audio_tokens, output_audio_tokens,
};
use dialects::said::Said;
use dialects::units::Units;

use crate::model_call::task::Used;

/// What has passed.
pub struct Passed {
    heard_as: AudioFormat,
    spoken_as: AudioFormat,
    /// Instructions and tools, which every response reads.
    standing: Said,
    /// What the last response has read and said.
    before: Option<RealtimeUsage>,
    /// Sound and items of the user since then.
    heard: u64,
    brought: Brought,
    /// What the next response alone is asked for.
    asked: Asked,
    /// What the response says.
    spoken: u64,
    written: Said,
    /// Sound that is not written down yet, and what is written of it.
    unwritten: u64,
    transcript: Said,
}

impl Passed {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            heard_as: AudioFormat::Pcm16,
            spoken_as: AudioFormat::Pcm16,
            standing: Said::default(),
            before: None,
            heard: 0,
            brought: Brought::default(),
            asked: Asked::default(),
            spoken: 0,
            written: Said::default(),
            unwritten: 0,
            transcript: Said::default(),
        }
    }

    /// The upstream has told its session: how sound is written from now on, and what is always read.
    pub fn note_session(&mut self, session: Session) {
        self.heard_as = session.input_format.unwrap_or(self.heard_as);
        self.spoken_as = session.output_format.unwrap_or(self.spoken_as);
        self.standing = session.standing;
    }

    /// Sound of the user passed, so many bytes of base64.
    pub fn hear(&mut self, base64: usize) {
        self.heard = self.heard.saturating_add(base64 as u64);
        self.unwritten = self.unwritten.saturating_add(base64 as u64);
    }

    /// An item of the user passed.
    pub fn bring(&mut self, brought: &Brought) {
        self.brought.add(brought);
    }

    /// The user asked for a response.
    pub fn ask(&mut self, asked: Asked) {
        self.asked = asked;
    }

    /// Sound of the model passed.
    pub fn speak(&mut self, base64: usize) {
        self.spoken = self.spoken.saturating_add(base64 as u64);
    }

    /// Words of the model passed.
    pub fn write(&mut self, words: &str) {
        self.written.hear(words);
    }

    /// What the user said passed in writing.
    pub fn write_down(&mut self, words: &str) {
        self.transcript.hear(words);
    }

    /// A response has ended, or was cut off. `told` is what the upstream says of it.
    pub fn end_response(&mut self, told: Option<RealtimeUsage>, is_charged: bool) -> Used {
        let is_estimated = told.is_none();
        let usage = told.unwrap_or_else(|| self.estimate());
        let asked = std::mem::take(&mut self.asked);
        self.spoken = 0;
        self.written = Said::default();
        if is_charged && !asked.is_apart {
            self.heard = 0;
            self.brought = Brought::default();
            self.before = Some(usage);
        }
        let mut used = Usage::from(&usage.usage());
        used.other = OtherUnits {
            calls: 1,
            ..OtherUnits::default()
        };
        let counted = if is_estimated { 0 } else { usage.input() };
        Used {
            usage: used,
            is_estimated,
            // Nothing is paid for an answer that never began.
            is_billable: is_charged && counted.saturating_add(usage.output()) > 0,
        }
    }

    fn estimate(&self) -> RealtimeUsage {
        let mut usage = match self.before {
            _ if self.asked.is_apart => RealtimeUsage::default(),
            None => RealtimeUsage {
                input_text: tokens_of(&self.standing),
                ..RealtimeUsage::default()
            },
            Some(before) => RealtimeUsage {
                input_text: before.input_text.saturating_add(before.output_text),
                input_audio: before.input_audio.saturating_add(before.output_audio),
                output_text: 0,
                output_audio: 0,
                ..before
            },
        };
        let mut read = self.asked.brought.clone();
        if !self.asked.is_apart {
            read.sound = read.sound.saturating_add(self.heard);
            read.add(&self.brought);
        }
        let sound = input_audio_tokens(read.sound, self.heard_as);
        let pictures = read.pictures.saturating_mul(tokens::IMAGE);
        usage.input_text = usage.input_text.saturating_add(tokens_of(&read.words));
        usage.input_audio = usage.input_audio.saturating_add(sound);
        usage.input_image = usage.input_image.saturating_add(pictures);
        usage.output_audio = output_audio_tokens(self.spoken, self.spoken_as);
        usage.output_text = tokens_of(&self.written);
        usage
    }

    /// What was said until now is written down: what that took, by what passed. Words are counted only
    /// where somebody needs their tokens.
    pub fn end_transcript(&mut self, in_tokens: bool) -> Units {
        let heard = std::mem::take(&mut self.unwritten);
        let written = std::mem::take(&mut self.transcript);
        let mut units = Units {
            milliseconds: Some(self.heard_as.milliseconds(heard)),
            ..Units::default()
        };
        if in_tokens {
            let tokens = input_audio_tokens(heard, self.heard_as);
            units.tokens = canonical::Usage {
                input: Some(tokens),
                input_audio: Some(tokens),
                output: Some(tokens_of(&written)),
                ..canonical::Usage::default()
            };
        }
        units
    }

    /// What was said until now will not be written down, or nobody pays for it.
    pub fn drop_transcript(&mut self) {
        self.unwritten = 0;
        self.transcript = Said::default();
    }

    /// Whether anything was written down of what was said last.
    pub fn has_transcript(&self) -> bool {
        self.transcript.bytes > 0
    }
}

/// The tokens of what was said: the beginning is counted, the rest was not kept.
fn tokens_of(said: &Said) -> u64 {
    let rest = said.bytes.saturating_sub(said.sample.len() as u64);
    tokens::count(&said.sample).saturating_add(tokens::approximate(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Brought {
        let mut brought = Brought::default();
        brought.words.hear(text);
        brought
    }

    /// What the next response would be charged with.
    fn cut_off(passed: &mut Passed) -> (u64, u64, u64, bool) {
        let used = passed.end_response(None, true);
        let tokens = used.usage.tokens;
        (
            tokens.input,
            tokens.audio_input,
            tokens.output,
            used.is_billable,
        )
    }

    #[test]
    fn a_response_reads_what_the_last_one_read_and_said_and_what_came_since() {
        let mut passed = Passed::new();
        passed.bring(&words("Hello there"));
        let told = RealtimeUsage {
            input_text: 100,
            input_audio: 20,
            output_text: 5,
            output_audio: 40,
            ..RealtimeUsage::default()
        };
        assert!(!passed.end_response(Some(told), true).is_estimated);
        passed.bring(&words("Hello there"));
        // A second of 16-bit samples.
        passed.hear(64_000);
        passed.write("Hello there");
        assert_eq!(
            cut_off(&mut passed),
            (100 + 5 + 2 + 20 + 40 + 10, 70, 2, true)
        );
    }

    #[test]
    fn the_first_response_reads_what_the_session_says() {
        let mut passed = Passed::new();
        let mut session = Session::default();
        session.standing.hear("Hello there");
        passed.note_session(session);
        passed.bring(&words("Hello there"));
        passed.ask(Asked {
            brought: words("Hello there"),
            is_apart: false,
        });
        passed.write("Hello there");
        assert_eq!(cut_off(&mut passed), (6, 0, 2, true));
    }

    #[test]
    fn a_response_beside_the_conversation_reads_its_own_and_leaves_nothing() {
        let mut passed = Passed::new();
        passed.bring(&words("Hello there"));
        let asked = Asked {
            brought: words("Hello"),
            is_apart: true,
        };
        passed.ask(asked.clone());
        passed.write("Hello there");
        assert_eq!(cut_off(&mut passed), (1, 0, 2, true));
        passed.write("Hello there");
        assert_eq!(cut_off(&mut passed), (2, 0, 2, true));
    }

    #[test]
    fn a_response_that_said_nothing_or_failed_is_not_billed() {
        let mut passed = Passed::new();
        passed.bring(&words("Hello there"));
        assert!(!passed.end_response(None, false).is_billable);
        // What a failed one has not answered the next one reads.
        assert_eq!(cut_off(&mut passed), (2, 0, 0, false));
    }
}
