//! Answers of generate content that are media: images, speech. They have one shape whatever is asked
//! for, and fail in the same ways.

use serde::Deserialize;

use crate::canonical::{Failure, FailureKind, Usage};
use crate::error_body;

/// What such an answer says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MediaReply {
    /// The media in base64, each with its media type.
    pub media: Vec<(Option<String>, String)>,
    /// What it says in words.
    pub words: String,
    /// Tokens.
    pub usage: Option<Usage>,
    /// Why it ended, where that is not as it should be.
    reason: Option<String>,
    /// Whether there is no answer at all.
    is_silent: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default)]
    candidates: Vec<Candidate>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default)]
    error: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    usage_metadata: Option<UsageMetadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    thought: bool,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    inline_data: Option<InlineData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InlineData {
    #[serde(default)]
    mime_type: Option<String>,
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct UsageMetadata {
    prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    prompt_tokens_details: Vec<Detail>,
    candidates_tokens_details: Vec<Detail>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Detail {
    modality: String,
    token_count: u64,
}

impl MediaReply {
    /// Reads an answer, or one piece of a streamed one. Drafts, which are marked as thoughts, are
    /// left out.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Failure> {
        let answer = body;
        let body: Body = serde_json::from_slice(answer)
            .map_err(|_| error_body::unusable("The upstream's answer cannot be read.", answer))?;
        if body.error.is_some() {
            return Err(error_body::for_client(error_body::read_error(200, answer)));
        }
        let feedback = body.prompt_feedback;
        let blocked = feedback.and_then(|feedback| feedback.block_reason);
        let mut reply = Self {
            is_silent: body.candidates.is_empty() && blocked.is_none(),
            reason: blocked,
            usage: body.usage_metadata.map(|usage| usage.read()),
            ..Self::default()
        };
        for candidate in body.candidates {
            let finish = candidate.finish_reason.filter(|finish| finish != "STOP");
            reply.reason = reply.reason.or(finish);
            let parts = candidate.content.map(|content| content.parts);
            for part in parts.into_iter().flatten().filter(|part| !part.thought) {
                reply
                    .words
                    .push_str(part.text.as_deref().unwrap_or_default());
                let data = part.inline_data;
                reply.media.extend(data.map(|it| (it.mime_type, it.data)));
            }
        }
        Ok(reply)
    }

    /// The failure of an answer that has not what was asked for.
    pub(crate) fn refusal(&self, wanted: &str) -> Failure {
        if self.is_silent {
            return Failure::upstream(format!("The upstream's answer has no {wanted}."));
        }
        let message = match (self.words.trim(), &self.reason) {
            ("", Some(reason)) => format!("The model made no {wanted} ({reason})."),
            ("", None) => format!("The model made no {wanted}."),
            (words, _) => format!("The model made no {wanted}: {words}"),
        };
        Failure::new(FailureKind::ContentBlocked, message)
    }
}

impl UsageMetadata {
    fn read(&self) -> Usage {
        let of = |details: &[Detail], modality: &str| {
            let found = details.iter().filter(|it| it.modality == modality);
            found.map(|it| it.token_count).reduce(u64::saturating_add)
        };
        let output = [self.candidates_token_count, self.thoughts_token_count];
        Usage {
            input: self.prompt_token_count,
            input_audio: of(&self.prompt_tokens_details, "AUDIO"),
            input_image: of(&self.prompt_tokens_details, "IMAGE"),
            output: output.into_iter().flatten().reduce(u64::saturating_add),
            output_audio: of(&self.candidates_tokens_details, "AUDIO"),
            output_image: of(&self.candidates_tokens_details, "IMAGE"),
            reasoning: self.thoughts_token_count,
            ..Usage::default()
        }
    }
}
