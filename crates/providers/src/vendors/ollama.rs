//! Ollama, through its OpenAI-compatible paths. The base URL has no version; a key is needed only
//! where something in front of it asks for one.

use std::borrow::Cow;

use dialects::DialectId;

use super::compatible::rename_token_limit;
use super::openai::{COMMON, sign_bearer, standard_path};
use crate::credential::{API_KEY, CredentialField};
use crate::{
    BaseUrl, Call, Credential, Format, NoObject, Operation, Provider, SignError, Stamp, Unroutable,
    UpstreamRequest,
};

/// The vendor.
pub(super) struct Ollama;

impl Provider for Ollama {
    fn id(&self) -> &'static str {
        "ollama"
    }

    fn label(&self) -> &'static str {
        "Ollama"
    }

    fn default_base_url(&self) -> &'static str {
        "http://127.0.0.1:11434"
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate => &[
                Format::Text(DialectId::ChatCompletions),
                Format::Text(DialectId::TextCompletions),
            ],
            Operation::Embed | Operation::ListModels => COMMON,
            _ => &[],
        }
    }

    fn path(
        &self,
        call: &Call<'_>,
        _base: &BaseUrl,
        _credential: &Credential,
    ) -> Result<Cow<'static, str>, Unroutable> {
        match call.operation {
            Operation::ListModels => Ok("/api/tags".into()),
            _ => Ok(format!("/v1{}", standard_path(call)?).into()),
        }
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        sign_bearer(request, stamp)
    }

    fn credential_fields(&self) -> &'static [CredentialField] {
        const { &[CredentialField::optional(API_KEY, "API key")] }
    }

    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        base.without_suffix(&["/v1", "/api"])
    }

    fn adjust(&self, call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
        rename_token_limit(call, request)
    }
}
