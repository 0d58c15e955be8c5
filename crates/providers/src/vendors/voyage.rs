//! Voyage AI: embeddings and rerank in shapes of its own. The base URL ends in `/v1`.

use std::borrow::Cow;

use super::openai::sign_bearer;
use crate::{
    BaseUrl, Call, Credential, Format, Operation, Provider, SignError, Stamp, Unroutable,
    UpstreamRequest,
};

/// The vendor.
pub(super) struct Voyage;

impl Provider for Voyage {
    fn id(&self) -> &'static str {
        "voyage"
    }

    fn label(&self) -> &'static str {
        "Voyage AI"
    }

    fn default_base_url(&self) -> &'static str {
        "https://api.voyageai.com/v1"
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Embed | Operation::Rerank => &[Format::Voyage],
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
            Operation::Embed => Ok("/embeddings".into()),
            Operation::Rerank => Ok("/rerank".into()),
            _ => Err(Unroutable::Operation),
        }
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        sign_bearer(request, stamp)
    }
}
