//! Google AI Studio. The base URL has no version.

use std::borrow::Cow;

use dialects::DialectId;
use http::HeaderName;

use crate::credential::API_KEY;
use crate::{
    BaseUrl, Call, Credential, Format, Operation, Provider, SignError, Stamp, Unroutable,
    UpstreamRequest, path_segment,
};

/// The vendor.
pub(super) struct Google;

/// The text format of its models.
pub(super) const GENERATE: &[Format] = &[Format::Text(DialectId::GenerateContent)];

impl Provider for Google {
    fn id(&self) -> &'static str {
        "google"
    }

    fn label(&self) -> &'static str {
        "Google AI Studio"
    }

    fn default_base_url(&self) -> &'static str {
        "https://generativelanguage.googleapis.com"
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate | Operation::CountTokens => GENERATE,
            // Images and speech are made, and recordings heard, by the same method as text.
            Operation::Embed
            | Operation::GenerateImage
            | Operation::EditImage
            | Operation::Transcribe
            | Operation::Translate
            | Operation::Speak => &[Format::Google],
            Operation::ListModels => &[Format::Common],
            _ => &[],
        }
    }

    fn path(
        &self,
        call: &Call<'_>,
        _base: &BaseUrl,
        _credential: &Credential,
    ) -> Result<Cow<'static, str>, Unroutable> {
        if call.operation == Operation::ListModels {
            let page = call.next_page("pageToken");
            return Ok(format!("/v1beta/models?pageSize=1000{page}").into());
        }
        let model = path_segment(model_name(call.model))?;
        Ok(format!("/v1beta/models/{model}:{}", method(call)?).into())
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        let key = stamp.credential.require(API_KEY)?;
        Ok(request.set_secret(HeaderName::from_static("x-goog-api-key"), "", key)?)
    }

    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        base.without_suffix(&["/v1beta", "/v1"])
    }
}

/// The name without the prefix that lists of models give it.
pub(super) fn model_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// What follows the model's name in the path.
pub(super) fn method(call: &Call<'_>) -> Result<&'static str, Unroutable> {
    Ok(match call.operation {
        Operation::CountTokens => "countTokens",
        Operation::Embed => "batchEmbedContents",
        Operation::Generate
        | Operation::GenerateImage
        | Operation::EditImage
        | Operation::Transcribe
        | Operation::Translate
        | Operation::Speak => {
            if call.stream {
                "streamGenerateContent?alt=sse"
            } else {
                "generateContent"
            }
        }
        _ => return Err(Unroutable::Operation),
    })
}
