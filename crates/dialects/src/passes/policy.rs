//! What a dialect cannot say: the one table, in the one place. What only changes how well an answer
//! is sampled is dropped with its name; what would change the contract of the answer (its form,
//! its number, its medium) is refused.

use serde_json::Value;

use super::{Dropped, Target};
use crate::canonical::{Extra, Failure, Request, Turn};
use crate::{DialectId, ReplyContext};

/// What happens to a field that a dialect cannot say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// It can be said, or has a near equivalent.
    Say,
    /// It is left out and named in `x-modelgate-dropped`.
    Drop,
    /// It is left out without notice: nothing that the client could miss.
    Omit,
    /// The gateway does it itself, on the way back.
    Ours,
    /// The call is refused.
    Refuse,
}

/// Things that not every dialect can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// `top_k`
    TopK,
    /// `frequency_penalty`
    FrequencyPenalty,
    /// `presence_penalty`
    PresencePenalty,
    /// `seed`
    Seed,
    /// `logit_bias`
    LogitBias,
    /// `logprobs`
    Logprobs,
    /// `n` above 1
    Choices,
    /// `stop`
    Stop,
    /// The end user's id
    EndUser,
    /// `prompt_cache_key`
    CacheKey,
    /// `metadata`
    Metadata,
    /// `prompt_cache_options`
    CacheOptions,
    /// `prompt_cache_retention`
    CacheRetention,
    /// `moderation`
    Moderation,
    /// `store`
    Store,
    /// `verbosity`
    Verbosity,
    /// `prediction`
    Prediction,
    /// Generated audio
    AudioOutput,
    /// Generated images
    ImageOutput,
    /// A speaker's name on a message
    SpeakerName,
}

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    /// What it is about.
    pub feature: Feature,
    /// The field's name in headers and refusals.
    pub field: &'static str,
    /// Towards chat completions.
    pub chat: Rule,
    /// Towards messages.
    pub messages: Rule,
    /// Towards generate content.
    pub generate: Rule,
    /// Towards responses.
    pub responses: Rule,
}

impl Row {
    /// The rule towards this dialect. Legacy completions are only ever spoken to in kind.
    pub fn rule(&self, target: DialectId) -> Rule {
        match target {
            DialectId::ChatCompletions | DialectId::TextCompletions => self.chat,
            DialectId::Messages => self.messages,
            DialectId::GenerateContent => self.generate,
            DialectId::Responses => self.responses,
        }
    }
}

const fn row(
    feature: Feature,
    field: &'static str,
    [chat, messages, generate, responses]: [Rule; 4],
) -> Row {
    Row {
        feature,
        field,
        chat,
        messages,
        generate,
        responses,
    }
}

/// The table. Columns: chat completions, messages, generate content, responses.
pub const TABLE: &[Row] = {
    use Feature as F;
    use Rule::{Drop, Omit, Ours, Refuse, Say};
    &[
        row(F::TopK, "top_k", [Drop, Say, Say, Drop]),
        row(
            F::FrequencyPenalty,
            "frequency_penalty",
            [Say, Drop, Say, Drop],
        ),
        row(
            F::PresencePenalty,
            "presence_penalty",
            [Say, Drop, Say, Drop],
        ),
        row(F::Seed, "seed", [Say, Drop, Say, Drop]),
        row(F::LogitBias, "logit_bias", [Say, Drop, Drop, Drop]),
        row(F::Logprobs, "logprobs", [Say, Refuse, Say, Say]),
        row(F::Choices, "n", [Say, Refuse, Say, Refuse]),
        row(F::Stop, "stop", [Say, Say, Say, Ours]),
        row(F::EndUser, "user", [Say, Say, Omit, Say]),
        row(F::CacheKey, "prompt_cache_key", [Say, Omit, Omit, Say]),
        row(
            F::CacheOptions,
            "prompt_cache_options",
            [Say, Omit, Omit, Say],
        ),
        row(
            F::CacheRetention,
            "prompt_cache_retention",
            [Say, Omit, Omit, Say],
        ),
        row(F::Moderation, "moderation", [Say, Drop, Drop, Say]),
        row(F::Metadata, "metadata", [Drop, Drop, Drop, Say]),
        row(F::Store, "store", [Omit, Omit, Omit, Omit]),
        row(F::Verbosity, "verbosity", [Say, Drop, Drop, Say]),
        row(F::Prediction, "prediction", [Say, Drop, Drop, Drop]),
        row(F::AudioOutput, "audio", [Say, Refuse, Say, Refuse]),
        row(F::ImageOutput, "modalities", [Refuse, Refuse, Say, Refuse]),
        row(F::SpeakerName, "name", [Say, Drop, Drop, Drop]),
    ]
};

/// A field of one dialect that has no counterpart anywhere: it stays in the request's extra fields,
/// which only that dialect's writer reads.
#[derive(Debug)]
pub struct OwnField {
    /// The dialect that knows it.
    pub dialect: DialectId,
    /// Its name.
    pub field: &'static str,
    /// What happens to it towards every other dialect: dropped or refused.
    pub rule: Rule,
    /// Why.
    pub reason: &'static str,
}

const fn own(
    dialect: DialectId,
    field: &'static str,
    rule: Rule,
    reason: &'static str,
) -> OwnField {
    OwnField {
        dialect,
        field,
        rule,
        reason,
    }
}

/// Fields of one dialect alone. What holds a part of the conversation, or a promise about where and
/// when it is answered, is refused; what is not listed changes nothing that a client could miss.
pub const OWN_FIELDS: &[OwnField] = {
    use DialectId::{GenerateContent, Messages, Responses};
    use Rule::{Drop, Refuse};
    &[
        own(Messages, "container", Refuse, "state that the vendor keeps"),
        own(
            Messages,
            "context_management",
            Drop,
            "the vendor's own housekeeping",
        ),
        own(
            Messages,
            "inference_geo",
            Refuse,
            "a promise about the place",
        ),
        own(Messages, "mcp_servers", Drop, "tools that the vendor runs"),
        own(Messages, "speed", Drop, "the vendor's own tier"),
        own(
            GenerateContent,
            "cachedContent",
            Refuse,
            "a prompt that the vendor keeps",
        ),
        own(
            GenerateContent,
            "safetySettings",
            Drop,
            "the vendor's own filter",
        ),
        own(
            Responses,
            "background",
            Refuse,
            "an answer to be fetched later",
        ),
        own(
            Responses,
            "context_management",
            Drop,
            "the vendor's own housekeeping",
        ),
        own(
            Responses,
            "conversation",
            Refuse,
            "turns that the vendor keeps",
        ),
        own(
            Responses,
            "max_tool_calls",
            Drop,
            "tools that the vendor runs",
        ),
        own(
            Responses,
            "previous_response_id",
            Refuse,
            "turns that are kept elsewhere",
        ),
        own(
            Responses,
            "prompt",
            Refuse,
            "a prompt that the vendor keeps",
        ),
        own(
            Responses,
            "truncation",
            Drop,
            "the vendor's own housekeeping",
        ),
    ]
};

/// Applies the second table: fields that only the client's own dialect knows.
fn leave_own_fields(
    request: &Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    for own in OWN_FIELDS
        .iter()
        .filter(|own| own.dialect == request.source)
    {
        if request.extra.get(own.field).is_none_or(is_idle) {
            continue;
        }
        if own.rule == Rule::Refuse {
            return Err(Failure::unsupported(
                own.field,
                format!(
                    "`{}` cannot be carried to this model: it is {}, and its own format ({}) knows nothing of it.",
                    own.field,
                    own.reason,
                    target.dialect.name()
                ),
            ));
        }
        dropped.note(own.field)?;
    }
    Ok(())
}

/// Whether a field says what its absence says.
fn is_idle(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(word) => matches!(word.as_str(), "" | "disabled" | "global" | "standard"),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Applies the tables to a request.
pub(super) fn apply(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    leave_own_fields(request, target, dropped)?;
    share_stops(request, target, reply);
    for row in TABLE {
        if !is_said(request, row.feature) {
            continue;
        }
        match row.rule(target.dialect) {
            Rule::Say => {}
            Rule::Ours => take_over(request, row.feature, reply),
            Rule::Omit => clear(request, row.feature),
            Rule::Drop => {
                clear(request, row.feature);
                dropped.note(row.field)?;
            }
            Rule::Refuse => {
                return Err(Failure::unsupported(
                    row.field,
                    format!(
                        "`{}` cannot be carried to this model: its own format ({}) has no way to say it.",
                        row.field,
                        target.dialect.name()
                    ),
                ));
            }
        }
    }
    check_own_stops(reply)
}

/// Stop sequences that the gateway looks for itself may have this many bytes in all.
const MAX_OWN_STOP_BYTES: usize = 64 << 10;

fn check_own_stops(reply: &ReplyContext) -> Result<(), Failure> {
    let bytes: usize = reply.stop.iter().map(String::len).sum();
    if bytes <= MAX_OWN_STOP_BYTES {
        return Ok(());
    }
    let text = format!(
        "The stop sequences have {bytes} bytes; at most {MAX_OWN_STOP_BYTES} are accepted for this model."
    );
    Err(Failure::bad_request("stop", text))
}

fn is_said(request: &Request, feature: Feature) -> bool {
    let sampling = &request.sampling;
    let wants = |kind: &str| {
        request
            .modalities
            .as_ref()
            .is_some_and(|all| all.iter().any(|one| one == kind))
    };
    let has = |field: &str| {
        request
            .extra
            .get(field)
            .is_some_and(|value| !is_idle(value))
    };
    match feature {
        Feature::TopK => sampling.top_k.is_some(),
        Feature::FrequencyPenalty => sampling.frequency_penalty.is_some(),
        Feature::PresencePenalty => sampling.presence_penalty.is_some(),
        Feature::Seed => sampling.seed.is_some(),
        Feature::LogitBias => sampling.logit_bias.is_some(),
        Feature::Logprobs => sampling.logprobs == Some(true),
        Feature::Choices => request.choices.is_some_and(|n| n > 1),
        Feature::Stop => !request.stop.is_empty(),
        Feature::EndUser => request.end_user.is_some(),
        Feature::CacheKey => request.cache_key.is_some(),
        Feature::CacheOptions => has("prompt_cache_options"),
        Feature::CacheRetention => has("prompt_cache_retention"),
        Feature::Moderation => has("moderation"),
        Feature::Metadata => request.metadata.is_some(),
        Feature::Store => request.store.is_some(),
        Feature::Verbosity => request.verbosity.is_some(),
        Feature::Prediction => request.prediction.is_some(),
        Feature::AudioOutput => wants("audio"),
        Feature::ImageOutput => wants("image"),
        Feature::SpeakerName => named_turns(request).next().is_some(),
    }
}

/// How many stop sequences a dialect takes.
fn most_stops(target: DialectId) -> usize {
    match target {
        DialectId::ChatCompletions | DialectId::TextCompletions => 4,
        DialectId::GenerateContent => 5,
        DialectId::Messages | DialectId::Responses => usize::MAX,
    }
}

/// More stop sequences than the target takes, or some that it refuses (messages takes no blank ones):
/// the gateway watches for all of them.
fn share_stops(request: &mut Request, target: &Target, reply: &mut ReplyContext) {
    let most = most_stops(target.dialect);
    let is_refused =
        |stop: &String| target.dialect == DialectId::Messages && stop.trim().is_empty();
    if request.stop.len() > most || request.stop.iter().any(is_refused) {
        reply.stop.clone_from(&request.stop);
        request.stop.retain(|stop| !is_refused(stop));
        request.stop.truncate(most);
    }
}

/// Notes for the way back what the gateway does itself.
fn take_over(request: &mut Request, feature: Feature, reply: &mut ReplyContext) {
    if feature == Feature::Stop {
        reply.stop.clone_from(&request.stop);
    }
    clear(request, feature);
}

fn clear(request: &mut Request, feature: Feature) {
    let sampling = &mut request.sampling;
    match feature {
        Feature::TopK => sampling.top_k = None,
        Feature::FrequencyPenalty => sampling.frequency_penalty = None,
        Feature::PresencePenalty => sampling.presence_penalty = None,
        Feature::Seed => sampling.seed = None,
        Feature::LogitBias => sampling.logit_bias = None,
        Feature::Logprobs => (sampling.logprobs, sampling.top_logprobs) = (None, None),
        Feature::Choices => request.choices = None,
        Feature::Stop => request.stop.clear(),
        Feature::EndUser => request.end_user = None,
        Feature::CacheKey => request.cache_key = None,
        Feature::CacheOptions => forget(&mut request.extra, "prompt_cache_options"),
        Feature::CacheRetention => forget(&mut request.extra, "prompt_cache_retention"),
        Feature::Moderation => forget(&mut request.extra, "moderation"),
        Feature::Metadata => request.metadata = None,
        Feature::Store => request.store = None,
        Feature::Verbosity => request.verbosity = None,
        Feature::Prediction => request.prediction = None,
        Feature::AudioOutput => (request.modalities, request.audio) = (None, None),
        Feature::ImageOutput => request.modalities = None,
        Feature::SpeakerName => named_turns_mut(request).for_each(|turn| turn.name = None),
    }
}

fn forget(extra: &mut Extra, field: &str) {
    extra.shift_remove(field);
}

fn named_turns(request: &Request) -> impl Iterator<Item = &Turn> {
    request.turns.iter().filter(|turn| turn.name.is_some())
}

fn named_turns_mut(request: &mut Request) -> impl Iterator<Item = &mut Turn> {
    request.turns.iter_mut().filter(|turn| turn.name.is_some())
}
