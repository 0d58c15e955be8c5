//! The counts that a `usage` may hold, by the names that vendors who speak this dialect give them. They
//! are gathered member by member, however the answer is read.

use crate::canonical::Usage;
use crate::canonical::usage::SOURCES;
use crate::usual::Usual;

/// Where the parts of the prompt are counted.
pub(super) const PROMPT: &str = "prompt_tokens_details";
/// Where the parts of the answer are counted.
pub(super) const COMPLETION: &str = "completion_tokens_details";

/// The members of a `usage`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Member {
    /// A count of the whole.
    Count(Count),
    /// The counts of the prompt's parts.
    Prompt,
    /// The counts of the answer's parts.
    Completion,
    /// What says nothing new.
    Total,
}

/// A count of a `usage` itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Count {
    Input,
    Output,
    Cached,
    CacheHit,
    CacheRead,
    CacheCreation,
    Reasoning,
    Searches,
    Sources,
}

/// A count of the prompt's or of the answer's parts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Detail {
    Cached,
    CacheWrite,
    CacheCreation,
    Audio,
    Image,
    Reasoning,
    Accepted,
    Rejected,
}

/// A `usage` as the vendor writes it, then what others add to it.
pub(super) static USAGE: [Usual<Member>; 12] = Usual::all([
    ("prompt_tokens", Member::Count(Count::Input)),
    ("completion_tokens", Member::Count(Count::Output)),
    ("total_tokens", Member::Total),
    (PROMPT, Member::Prompt),
    (COMPLETION, Member::Completion),
    ("cached_tokens", Member::Count(Count::Cached)),
    ("prompt_cache_hit_tokens", Member::Count(Count::CacheHit)),
    ("cache_read_input_tokens", Member::Count(Count::CacheRead)),
    (
        "cache_creation_input_tokens",
        Member::Count(Count::CacheCreation),
    ),
    ("reasoning_tokens", Member::Count(Count::Reasoning)),
    ("num_search_queries", Member::Count(Count::Searches)),
    ("num_sources_used", Member::Count(Count::Sources)),
]);

/// The same of the prompt's parts.
pub(super) static PROMPT_DETAILS: [Usual<Detail>; 8] = Usual::all([
    ("cached_tokens", Detail::Cached),
    ("audio_tokens", Detail::Audio),
    ("image_tokens", Detail::Image),
    ("cache_write_tokens", Detail::CacheWrite),
    ("cache_creation_tokens", Detail::CacheCreation),
    ("reasoning_tokens", Detail::Reasoning),
    ("accepted_prediction_tokens", Detail::Accepted),
    ("rejected_prediction_tokens", Detail::Rejected),
]);

/// The same of the answer's parts.
pub(super) static COMPLETION_DETAILS: [Usual<Detail>; 8] = Usual::all([
    ("reasoning_tokens", Detail::Reasoning),
    ("audio_tokens", Detail::Audio),
    ("accepted_prediction_tokens", Detail::Accepted),
    ("rejected_prediction_tokens", Detail::Rejected),
    ("image_tokens", Detail::Image),
    ("cached_tokens", Detail::Cached),
    ("cache_write_tokens", Detail::CacheWrite),
    ("cache_creation_tokens", Detail::CacheCreation),
]);

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
    searches: Option<u64>,
    sources: Option<u64>,
}

impl Counts {
    /// The count of this name.
    pub(super) fn named(&mut self, name: &[u8]) -> Option<&mut Option<u64>> {
        match USAGE[Usual::place(&USAGE, name)?].what {
            Member::Count(count) => Some(self.of(count)),
            Member::Prompt | Member::Completion | Member::Total => None,
        }
    }

    /// This count.
    #[inline]
    pub(super) fn of(&mut self, count: Count) -> &mut Option<u64> {
        match count {
            Count::Input => &mut self.input,
            Count::Output => &mut self.output,
            Count::Cached => &mut self.cached,
            Count::CacheHit => &mut self.cache_hit,
            Count::CacheRead => &mut self.cache_read,
            Count::CacheCreation => &mut self.cache_creation,
            Count::Reasoning => &mut self.reasoning,
            Count::Searches => &mut self.searches,
            Count::Sources => &mut self.sources,
        }
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
            self.searches,
            self.sources,
        ];
        self.input.is_some() && self.output.is_some() && others == [None; 7]
    }

    /// What they mean, together with those of the prompt's and the answer's parts.
    pub(super) fn usage(&self, input: &Details, output: &Details) -> Usage {
        let mut usage = Usage {
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
        };
        usage.tell_searches(self.searches.unwrap_or(0));
        if let Some(sources) = self.sources.filter(|sources| *sources > 0) {
            usage.hosted_tools.insert(SOURCES.to_owned(), sources);
        }
        usage
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
        let place = Usual::place(&PROMPT_DETAILS, name)?;
        Some(self.of(PROMPT_DETAILS[place].what))
    }

    /// This count.
    #[inline]
    pub(super) fn of(&mut self, detail: Detail) -> &mut Option<u64> {
        match detail {
            Detail::Cached => &mut self.cached,
            Detail::CacheWrite => &mut self.cache_write,
            Detail::CacheCreation => &mut self.cache_creation,
            Detail::Audio => &mut self.audio,
            Detail::Image => &mut self.image,
            Detail::Reasoning => &mut self.reasoning,
            Detail::Accepted => &mut self.accepted,
            Detail::Rejected => &mut self.rejected,
        }
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
