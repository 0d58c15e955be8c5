//! Cohere: chat through its compatibility paths, rerank and embeddings through its own. The base
//! URL has no version.

use std::borrow::Cow;

use super::openai::{CHAT, sign_bearer, standard_path};
use crate::body_fields::BodyFields;
use crate::{
    BaseUrl, Call, Credential, Format, NoObject, Operation, Provider, RequestBody, SignError,
    Stamp, Unroutable, UpstreamRequest,
};

/// The vendor.
pub(super) struct Cohere;

impl Provider for Cohere {
    fn id(&self) -> &'static str {
        "cohere"
    }

    fn label(&self) -> &'static str {
        "Cohere"
    }

    fn default_base_url(&self) -> &'static str {
        "https://api.cohere.ai"
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate => CHAT,
            Operation::Embed => &[Format::Cohere, Format::Common],
            Operation::Rerank => &[Format::Cohere],
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
        Ok(match (call.operation, call.format) {
            (Operation::Embed, Format::Cohere) => "/v2/embed".into(),
            (Operation::Rerank, Format::Cohere) => "/v2/rerank".into(),
            (Operation::ListModels, _) => {
                format!("/v1/models?page_size=1000{}", call.next_page("page_token")).into()
            }
            _ => format!("/compatibility/v1{}", standard_path(call)?).into(),
        })
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        sign_bearer(request, stamp)
    }

    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        base.without_suffix(&["/compatibility/v1", "/v1", "/v2"])
    }

    /// The compatibility paths refuse `stream_options`.
    fn adjust(&self, call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
        let Some(body) = request.body.whole().cloned() else {
            return Ok(());
        };
        if call.operation != Operation::Generate {
            return Ok(());
        }
        let mut fields = BodyFields::read(&body)?;
        if fields.has("stream_options") {
            fields.remove("stream_options");
            request.body = RequestBody::Whole(fields.write());
        }
        Ok(())
    }
}
