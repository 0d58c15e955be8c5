//! Jina AI: embeddings and rerank. The base URL ends in `/v1`.

use std::borrow::Cow;

use super::openai::{COMMON, sign_bearer, standard_path};
use crate::body_fields::BodyFields;
use crate::{
    BaseUrl, Call, Credential, Format, NoObject, Operation, Provider, RequestBody, SignError,
    Stamp, Unroutable, UpstreamRequest,
};

/// The vendor.
pub(super) struct Jina;

impl Provider for Jina {
    fn id(&self) -> &'static str {
        "jina"
    }

    fn label(&self) -> &'static str {
        "Jina AI"
    }

    fn default_base_url(&self) -> &'static str {
        "https://api.jina.ai/v1"
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Embed | Operation::Rerank => COMMON,
            _ => &[],
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
        sign_bearer(request, stamp)
    }

    /// The format of vectors has another name here.
    fn adjust(&self, call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
        let Some(body) = request.body.whole().cloned() else {
            return Ok(());
        };
        if call.operation != Operation::Embed {
            return Ok(());
        }
        let mut fields = BodyFields::read(&body)?;
        if fields.has("encoding_format") {
            fields.rename("encoding_format", "embedding_type");
            request.body = RequestBody::Whole(fields.write());
        }
        Ok(())
    }
}
