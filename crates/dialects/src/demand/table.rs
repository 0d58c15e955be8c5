//! The fields that billing and routing read, with the meaning and the range of each. docs/billing.md has the same table
//! for operators; a test compares both.

use super::read::Kept;

/// A field that billing or routing reads.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its path in failures. Spellings with the same path are one field.
    pub(crate) path: &'static str,
    /// Its meaning.
    pub(crate) rule: Rule,
}

/// The meaning of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rule {
    /// The scan reads it itself.
    Keep(Kept),
    /// Items, which may declare tools.
    Items,
    /// Caps the output tokens of one choice.
    Cap,
    /// The same, but a negative number is no cap.
    OpenCap,
    /// Multiplies the output.
    Times,
    /// A budget for reasoning; a negative number leaves it to the model.
    Reasoning,
    /// A predicted answer.
    Prediction,
    /// The most uses of all hosted tools together.
    ToolCalls,
    /// A number from 0 to this one, on which no price depends.
    Number(f64),
    /// Kinds of answers.
    Modalities,
    /// An object that has such fields. Of a field that is foreign to the dialect, other types are ignored.
    Inside(&'static Table, IsOwn),
    /// A list of tools.
    Tools,
    /// Plugins of a router (`{id, max_results}`).
    Plugins,
    /// Options of a search that an answer makes once.
    SearchOptions,
    /// A search whose sources are charged (`{mode, max_search_results}`).
    LiveSearch,
    /// True switches a search on.
    SearchSwitch,
    /// Servers of tools that the vendor calls.
    ToolServers,
    /// A tier; others than these are charged in addition.
    Tier(&'static [&'static str]),
}

/// Whether other types than the one of the table are refused.
pub(crate) type IsOwn = bool;

/// Longer names are in no table.
const LONGEST: usize = 24;

/// Fields by name.
#[derive(Debug)]
pub(crate) struct Table {
    fields: &'static [Field],
    /// The first field whose name has this length, or more.
    starts: [u8; LONGEST + 2],
    /// The first field with the same path.
    first: [u8; 64],
}

impl Table {
    const fn new(fields: &'static [Field]) -> Self {
        assert!(fields.len() <= 64);
        let mut starts = [0; LONGEST + 2];
        let mut first = [0; 64];
        let (mut index, mut length) = (0, 0);
        while index < fields.len() {
            let own = fields[index].name.len();
            assert!(own <= LONGEST && (index == 0 || fields[index - 1].name.len() <= own));
            while length <= own {
                starts[length] = narrow(index);
                length += 1;
            }
            let mut other = 0;
            while !is_same(fields[other].path, fields[index].path) {
                other += 1;
            }
            first[index] = narrow(other);
            index += 1;
        }
        while length < starts.len() {
            starts[length] = narrow(index);
            length += 1;
        }
        Self {
            fields,
            starts,
            first,
        }
    }

    /// Returns the field of this name and its bit, or the field whose name differs in letter case alone.
    #[inline]
    pub(crate) fn find(&self, name: &[u8]) -> Found {
        let Some([from, to]) = self.starts.get(name.len()..name.len() + 2) else {
            return Found::Nothing;
        };
        let (from, to) = (usize::from(*from), usize::from(*to));
        for index in from..to {
            let field = &self.fields[index];
            if field.name.as_bytes() == name {
                return Found::Field(field, 1 << self.first[index]);
            }
        }
        self.fields[from..to]
            .iter()
            .find(|field| field.name.as_bytes().eq_ignore_ascii_case(name))
            .map_or(Found::Nothing, Found::Respelled)
    }

    /// Returns all fields.
    pub(crate) fn fields(&self) -> &'static [Field] {
        self.fields
    }
}

/// What a table says of a name.
pub(crate) enum Found {
    /// It is in no table.
    Nothing,
    /// This field, and the bit of its path.
    Field(&'static Field, u64),
    /// The name of this field in other letter case, which some upstreams read as the same.
    Respelled(&'static Field),
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a table has at most 64 fields, which is checked where it is made"
)]
const fn narrow(index: usize) -> u8 {
    index as u8
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn of(name: &'static str, rule: Rule) -> Field {
    Field {
        name,
        path: name,
        rule,
    }
}

const fn at(name: &'static str, path: &'static str, rule: Rule) -> Field {
    Field { name, path, rule }
}

/// Tiers that are charged as the tokens are.
const USUAL_TIERS: &[&str] = &[
    "auto",
    "default",
    "standard",
    "standard_only",
    "flex",
    "SERVICE_TIER_UNSPECIFIED",
    "STANDARD",
    "FLEX",
];

/// The fields of chat completions, legacy completions, messages and responses: one table, because an upstream may
/// honour a field of another dialect. By the length of the names.
pub(crate) static COMMON: Table = Table::new(&[
    of("n", Rule::Times),
    of("model", Rule::Keep(Kept::Model)),
    of("input", Rule::Items),
    of("tools", Rule::Tools),
    of("top_p", Rule::Number(1.0)),
    of("speed", Rule::Tier(&["standard"])),
    of("stream", Rule::Keep(Kept::Stream)),
    of("prompt", Rule::Keep(Kept::Prompt)),
    of("best_of", Rule::Times),
    of("plugins", Rule::Plugins),
    of("messages", Rule::Keep(Kept::Messages)),
    of("thinking", Rule::Inside(&THINKING, false)),
    of("n_predict", Rule::OpenCap),
    of("reasoning", Rule::Inside(&REASONING, false)),
    of("max_tokens", Rule::Cap),
    of("modalities", Rule::Modalities),
    of("prediction", Rule::Prediction),
    of("extra_body", Rule::Inside(&EXTRA_BODY, false)),
    of("temperature", Rule::Number(100.0)),
    of("num_predict", Rule::OpenCap),
    of("mcp_servers", Rule::ToolServers),
    of("service_tier", Rule::Tier(USUAL_TIERS)),
    of("inference_geo", Rule::Tier(&["global", "not_available"])),
    of("enable_search", Rule::SearchSwitch),
    of("stream_options", Rule::Keep(Kept::StreamOptions)),
    of("candidateCount", Rule::Times),
    of("max_new_tokens", Rule::Cap),
    of("max_tool_calls", Rule::ToolCalls),
    of("maxOutputTokens", Rule::Cap),
    of("candidate_count", Rule::Times),
    of("thinking_budget", Rule::Reasoning),
    of("reasoning_budget", Rule::Reasoning),
    of("max_output_tokens", Rule::Cap),
    of("search_parameters", Rule::LiveSearch),
    of("web_search_options", Rule::SearchOptions),
    of("num_return_sequences", Rule::Times),
    of("max_tokens_to_sample", Rule::Cap),
    of("max_completion_tokens", Rule::Cap),
]);

static REASONING: Table = Table::new(&[at("max_tokens", "reasoning.max_tokens", Rule::Reasoning)]);

static THINKING: Table = Table::new(&[at(
    "budget_tokens",
    "thinking.budget_tokens",
    Rule::Reasoning,
)]);

static EXTRA_BODY: Table = Table::new(&[
    at("google", "extra_body.google", Rule::Inside(&GOOGLE, false)),
    at(
        "thinking",
        "extra_body.thinking",
        Rule::Inside(&THINKING, false),
    ),
]);

static GOOGLE: Table = Table::new(&[
    at(
        "thinkingConfig",
        "extra_body.google.thinking_config",
        Rule::Inside(&THINKING_CONFIG, false),
    ),
    at(
        "thinking_config",
        "extra_body.google.thinking_config",
        Rule::Inside(&THINKING_CONFIG, false),
    ),
]);

static THINKING_CONFIG: Table = Table::new(&[
    at(
        "thinkingBudget",
        "thinkingConfig.thinkingBudget",
        Rule::Reasoning,
    ),
    at(
        "thinking_budget",
        "thinkingConfig.thinkingBudget",
        Rule::Reasoning,
    ),
]);

/// The fields of generate content, in both spellings.
pub(crate) static GENERATE: Table = Table::new(&[
    of("tools", Rule::Tools),
    of("contents", Rule::Keep(Kept::Contents)),
    at("serviceTier", "serviceTier", Rule::Tier(USUAL_TIERS)),
    at("service_tier", "serviceTier", Rule::Tier(USUAL_TIERS)),
    at(
        "generationConfig",
        "generationConfig",
        Rule::Inside(&GENERATION, true),
    ),
    at(
        "generation_config",
        "generationConfig",
        Rule::Inside(&GENERATION, true),
    ),
]);

static GENERATION: Table = Table::new(&[
    at("topP", "generationConfig.topP", Rule::Number(1.0)),
    at("top_p", "generationConfig.topP", Rule::Number(1.0)),
    at(
        "temperature",
        "generationConfig.temperature",
        Rule::Number(100.0),
    ),
    at(
        "candidateCount",
        "generationConfig.candidateCount",
        Rule::Times,
    ),
    at(
        "thinkingConfig",
        "generationConfig.thinkingConfig",
        Rule::Inside(&THINKING_CONFIG, true),
    ),
    at(
        "maxOutputTokens",
        "generationConfig.maxOutputTokens",
        Rule::Cap,
    ),
    at(
        "candidate_count",
        "generationConfig.candidateCount",
        Rule::Times,
    ),
    at(
        "thinking_config",
        "generationConfig.thinkingConfig",
        Rule::Inside(&THINKING_CONFIG, true),
    ),
    at(
        "max_output_tokens",
        "generationConfig.maxOutputTokens",
        Rule::Cap,
    ),
    at(
        "responseModalities",
        "generationConfig.responseModalities",
        Rule::Modalities,
    ),
    at(
        "response_modalities",
        "generationConfig.responseModalities",
        Rule::Modalities,
    ),
]);

/// Returns the names of the fields that cap the output, outside of generate content.
pub fn cap_names() -> impl Iterator<Item = &'static str> {
    let caps = |field: &&Field| matches!(field.rule, Rule::Cap | Rule::OpenCap);
    COMMON.fields().iter().filter(caps).map(|field| field.name)
}
