//! The response object around the output: every field that a strict client needs, in each stage of
//! an answer's life. Used by whole answers and by streams alike.

use serde_json::{Value, json};

use super::{echo, error, usage};
use crate::canonical::{Choice, Failure, Finish, FinishReason, Part, PartKind, Usage};
use crate::{ReplyContext, ids, json};

/// What stays the same through an answer's life.
#[derive(Debug)]
pub(super) struct Shell {
    /// The answer's id.
    pub id: String,
    /// `"id":…,"object":"response","created_at":…,"model":…`
    head: Vec<u8>,
    /// The repeated fields, each with a comma before it.
    repeated: Vec<u8>,
}

/// What changes.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    /// How far the answer is.
    pub outcome: Outcome<'a>,
    /// The output items, written, with commas between them.
    pub output: &'a [u8],
    /// What it used, once that is known.
    pub usage: Option<&'a Usage>,
    /// The tier that served it.
    pub tier: Option<&'a str>,
}

/// How far an answer is, or how it ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    /// Being generated.
    InProgress,
    /// Whole.
    Completed,
    /// Cut off for this reason.
    Incomplete(&'static str),
    /// Failed.
    Failed(&'a Failure),
    /// The model produced something unusable.
    Malformed,
}

impl Outcome<'_> {
    /// How an answer that finished so has ended. A refusal in words is a complete answer; one that
    /// cannot be told from a plain text is told by its status.
    pub(super) fn of(finish: Option<&Finish>, says_refusal: bool) -> Self {
        match finish.map(|finish| &finish.reason) {
            Some(FinishReason::Length | FinishReason::ContextFull) => {
                Self::Incomplete("max_output_tokens")
            }
            Some(FinishReason::Filter) => Self::Incomplete("content_filter"),
            Some(FinishReason::Refusal) if !says_refusal => Self::Incomplete("content_filter"),
            Some(FinishReason::Malformed) => Self::Malformed,
            _ => Self::Completed,
        }
    }

    /// How this choice has ended.
    pub(super) fn of_choice(choice: Option<&Choice>) -> Self {
        let refuses = |part: &Part| matches!(part.kind, PartKind::Refusal(_));
        let says_refusal = choice.is_some_and(|choice| choice.parts.iter().any(refuses));
        Self::of(choice.map(|choice| &choice.finish), says_refusal)
    }

    /// The status word; also the name of the stream's last event, after `response.`.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete(_) => "incomplete",
            Self::Failed(_) | Self::Malformed => "failed",
        }
    }

    /// The status of the last output item.
    pub(super) fn item_word(&self) -> &'static str {
        match self {
            Self::Incomplete(_) => "incomplete",
            _ => "completed",
        }
    }

    fn error(&self) -> Value {
        match self {
            Self::Failed(failure) => {
                json!({"code": error::stream_code(failure), "message": failure.message})
            }
            Self::Malformed => json!({
                "code": "server_error",
                "message": "The model produced a tool call that cannot be used.",
            }),
            _ => Value::Null,
        }
    }
}

impl Shell {
    /// The shell of an answer; what the upstream did not say comes from the context.
    pub(super) fn new(id: &str, model: &str, created: Option<u64>, context: &ReplyContext) -> Self {
        let id = response_id(context.id_or(id));
        let mut head = Vec::with_capacity(128);
        head.extend_from_slice(b"\"id\":");
        json::write_str(&mut head, &id);
        head.extend_from_slice(b",\"object\":\"response\",\"created_at\":");
        json::write(&mut head, &created.unwrap_or(context.created));
        head.extend_from_slice(b",\"model\":");
        json::write_str(&mut head, context.model_or(model));
        let mut repeated = Vec::with_capacity(512);
        for (key, value) in &echo::repeated(&context.echo) {
            repeated.push(b',');
            json::write_str(&mut repeated, key);
            repeated.push(b':');
            json::write(&mut repeated, value);
        }
        Self { id, head, repeated }
    }

    /// Writes the response object at this stage.
    pub(super) fn write(&self, stage: &Stage<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        out.extend_from_slice(&self.head);
        out.extend_from_slice(b",\"status\":");
        json::write_str(out, stage.outcome.word());
        out.extend_from_slice(b",\"error\":");
        json::write(out, &stage.outcome.error());
        out.extend_from_slice(b",\"incomplete_details\":");
        match stage.outcome {
            Outcome::Incomplete(reason) => json::write(out, &json!({"reason": reason})),
            _ => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"output\":[");
        out.extend_from_slice(stage.output);
        out.extend_from_slice(b"],\"usage\":");
        match stage.usage {
            Some(counts) => json::write(out, &usage::write(counts)),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"service_tier\":");
        json::write_str(out, tier_word(stage.tier));
        out.extend_from_slice(&self.repeated);
        out.push(b'}');
    }

    /// An id for the output item at this place: the same in a stream and in a whole answer.
    pub(super) fn item_id(&self, prefix: &str, output_index: usize) -> String {
        ids::item_id(prefix, &self.id, output_index)
    }
}

/// Other dialects call the usual tier standard.
fn tier_word(tier: Option<&str>) -> &str {
    match tier {
        None | Some("" | "standard" | "STANDARD" | "on_demand") => "default",
        Some(tier) => tier,
    }
}

/// Ids of answers begin with `resp_` here; another vendor's id is put behind that.
fn response_id(id: &str) -> String {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !id.bytes().all(is_legal) {
        format!("resp_{}", ids::hash(&[id], 32))
    } else if id.starts_with("resp_") {
        id.to_owned()
    } else {
        format!("resp_{id}")
    }
}
