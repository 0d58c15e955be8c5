//! OpenAI, and the paths that most other vendors took over from it. The base URL ends in `/v1`.

use std::borrow::Cow;

use dialects::DialectId;
use http::HeaderName;
use http::header::AUTHORIZATION;

use crate::credential::{API_KEY, CredentialField, SecretHeaders};
use crate::path_segment::query_value;
use crate::request::secret_value;
use crate::{
    BadCredential, BaseUrl, Call, Credential, Format, Operation, Provider, SignError, Stamp,
    Unroutable, UpstreamRequest,
};

/// The vendor.
pub(super) struct OpenAi;

/// What every text vendor of this family speaks.
pub(super) const CHAT: &[Format] = &[Format::Text(DialectId::ChatCompletions)];
/// Operations that have one format.
pub(super) const COMMON: &[Format] = &[Format::Common];
pub(super) const ALL_TEXT: &[Format] = &[
    Format::Text(DialectId::ChatCompletions),
    Format::Text(DialectId::Responses),
    Format::Text(DialectId::TextCompletions),
];

impl Provider for OpenAi {
    fn id(&self) -> &'static str {
        "openai"
    }

    fn label(&self) -> &'static str {
        "OpenAI"
    }

    fn default_base_url(&self) -> &'static str {
        "https://api.openai.com/v1"
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate => ALL_TEXT,
            Operation::CountTokens => &[Format::Text(DialectId::Responses)],
            Operation::Rerank => &[],
            _ => COMMON,
        }
    }

    fn path(
        &self,
        call: &Call<'_>,
        _base: &BaseUrl,
        _credential: &Credential,
    ) -> Result<Cow<'static, str>, Unroutable> {
        standard_path(call)
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        request.set_secrets(stamp.credential.headers(own_headers)?);
        Ok(())
    }

    // A server at home that speaks this format often has no key.
    fn credential_fields(&self) -> &'static [CredentialField] {
        const {
            &[
                CredentialField::optional(API_KEY, "API key"),
                CredentialField::optional("organization", "Organization"),
                CredentialField::optional("project", "Project"),
            ]
        }
    }
}

/// The path of a call at everybody who does as OpenAI does.
pub(super) fn standard_path(call: &Call<'_>) -> Result<Cow<'static, str>, Unroutable> {
    let path = match (call.operation, call.format) {
        (Operation::Generate, Format::Text(DialectId::ChatCompletions)) => "/chat/completions",
        (Operation::Generate, Format::Text(DialectId::TextCompletions)) => "/completions",
        (Operation::Generate, Format::Text(DialectId::Responses)) => "/responses",
        (Operation::CountTokens, Format::Text(DialectId::Responses)) => "/responses/input_tokens",
        (Operation::Embed, Format::Common) => "/embeddings",
        (Operation::Moderate, Format::Common) => "/moderations",
        (Operation::GenerateImage, Format::Common) => "/images/generations",
        (Operation::EditImage, Format::Common | Format::Form) => "/images/edits",
        (Operation::VaryImage, Format::Common) => "/images/variations",
        (Operation::Transcribe, Format::Common) => "/audio/transcriptions",
        (Operation::Translate, Format::Common) => "/audio/translations",
        (Operation::Speak, Format::Common) => "/audio/speech",
        (Operation::Rerank, Format::Common) => "/rerank",
        (Operation::ListModels, Format::Common) => "/models",
        // Which model writes is said in the session.
        (Operation::TranscribeLive, Format::Common) => "/realtime?intent=transcription",
        (Operation::Realtime, Format::Common) => {
            return Ok(format!("/realtime?model={}", query_value(call.model)).into());
        }
        _ => return Err(Unroutable::Operation),
    };
    Ok(path.into())
}

/// Signs with `authorization: Bearer`, where there is a key at all.
pub(super) fn sign_bearer(
    request: &mut UpstreamRequest,
    stamp: &Stamp<'_>,
) -> Result<(), SignError> {
    request.set_secrets(stamp.credential.headers(bearer)?);
    Ok(())
}

/// The headers of OpenAI itself.
fn own_headers(credential: &Credential) -> Result<SecretHeaders, BadCredential> {
    let mut headers = bearer(credential)?.own;
    for (field, header) in [
        ("organization", "openai-organization"),
        ("project", "openai-project"),
    ] {
        if let Some(secret) = credential.field(field) {
            let name = HeaderName::from_static(header);
            headers.push((name, secret_value("", secret)?));
        }
    }
    Ok(headers.into())
}

fn bearer(credential: &Credential) -> Result<SecretHeaders, BadCredential> {
    let key = credential.field(API_KEY);
    let value = key.map(|key| secret_value("Bearer ", key)).transpose()?;
    let header = value.map(|value| (AUTHORIZATION, value));
    Ok(Vec::from_iter(header).into())
}
