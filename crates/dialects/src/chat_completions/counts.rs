//! The counts that a `usage` may hold, by the names that vendors who speak this dialect give them. They
//! are gathered member by member, however the answer is read.

use crate::canonical::Usage;

/// Where the parts of the prompt are counted.
pub(super) const PROMPT: &str = "prompt_tokens_details";
/// Where the parts of the answer are counted.
pub(super) const COMPLETION: &str = "completion_tokens_details";

/// The counts of a `usage` itself.
#[derive(Debug, Default)]
pub(super) struct Counts {
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    cache_hit: Option<u64>,
    cache_read: Option<u64>,
    cache_creation: Option<u64>,
    reasoning: Option<u64>,
}

impl Counts {
    /// The count of this name.
    pub(super) fn named(&mut self, name: &[u8]) -> Option<&mut Option<u64>> {
        Some(match name {
            b"prompt_tokens" => &mut self.input,
            b"completion_tokens" => &mut self.output,
            b"cached_tokens" => &mut self.cached,
            b"prompt_cache_hit_tokens" => &mut self.cache_hit,
            b"cache_read_input_tokens" => &mut self.cache_read,
            b"cache_creation_input_tokens" => &mut self.cache_creation,
            b"reasoning_tokens" => &mut self.reasoning,
            _ => return None,
        })
    }

    /// Whether the prompt and the answer are counted, and nothing is under a name that only other vendors
    /// give it.
    pub(super) fn are_own(&self) -> bool {
        let others = [
            self.cached,
            self.cache_hit,
            self.cache_read,
            self.cache_creation,
            self.reasoning,
        ];
        self.input.is_some() && self.output.is_some() && others == [None; 5]
    }

    /// What they mean, together with those of the prompt's and the answer's parts.
    pub(super) fn usage(&self, input: &Details, output: &Details) -> Usage {
        Usage {
            input: self.input,
            cache_read: (input.cached)
                .or(self.cached)
                .or(self.cache_hit)
                .or(self.cache_read),
            cache_write_other: (input.cache_write)
                .or(input.cache_creation)
                .or(self.cache_creation),
            input_audio: input.audio,
            input_image: input.image,
            output: self.output,
            reasoning: output.reasoning.or(self.reasoning),
            output_audio: output.audio,
            output_image: output.image,
            prediction_accepted: output.accepted,
            prediction_rejected: output.rejected,
            ..Usage::default()
        }
    }
}

/// The counts of the prompt's or of the answer's parts.
#[derive(Debug, Default)]
pub(super) struct Details {
    cached: Option<u64>,
    cache_write: Option<u64>,
    cache_creation: Option<u64>,
    audio: Option<u64>,
    image: Option<u64>,
    reasoning: Option<u64>,
    accepted: Option<u64>,
    rejected: Option<u64>,
}

impl Details {
    /// The count of this name.
    pub(super) fn named(&mut self, name: &[u8]) -> Option<&mut Option<u64>> {
        Some(match name {
            b"cached_tokens" => &mut self.cached,
            b"cache_write_tokens" => &mut self.cache_write,
            b"cache_creation_tokens" => &mut self.cache_creation,
            b"audio_tokens" => &mut self.audio,
            b"image_tokens" => &mut self.image,
            b"reasoning_tokens" => &mut self.reasoning,
            b"accepted_prediction_tokens" => &mut self.accepted,
            b"rejected_prediction_tokens" => &mut self.rejected,
            _ => return None,
        })
    }

    /// Whether there are some, and only such as the vendor gives of a prompt.
    pub(super) fn are_of_prompt(&self) -> bool {
        let own = [self.cached, self.cache_write, self.audio, self.image];
        let others = [
            self.cache_creation,
            self.reasoning,
            self.accepted,
            self.rejected,
        ];
        own != [None; 4] && others == [None; 4]
    }

    /// The same of an answer.
    pub(super) fn are_of_answer(&self) -> bool {
        let own = [
            self.reasoning,
            self.audio,
            self.image,
            self.accepted,
            self.rejected,
        ];
        own != [None; 5] && [self.cached, self.cache_write, self.cache_creation] == [None; 3]
    }
}
