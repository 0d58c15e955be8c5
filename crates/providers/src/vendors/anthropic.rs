//! Anthropic. The base URL has no version.

use std::borrow::Cow;

use dialects::DialectId;
use http::{HeaderName, HeaderValue};

use crate::credential::API_KEY;
use crate::{
    BaseUrl, Call, Credential, Format, Operation, Provider, SignError, Stamp, Unroutable,
    UpstreamRequest,
};

/// The vendor.
pub(super) struct Anthropic;

/// The format of all its models, wherever they are served.
pub(super) const MESSAGES: &[Format] = &[Format::Text(DialectId::Messages)];
const VERSION: HeaderName = HeaderName::from_static("anthropic-version");

impl Provider for Anthropic {
    fn id(&self) -> &'static str {
        "anthropic"
    }

    fn label(&self) -> &'static str {
        "Anthropic"
    }

    fn default_base_url(&self) -> &'static str {
        "https://api.anthropic.com"
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate | Operation::CountTokens => MESSAGES,
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
        Ok(match call.operation {
            Operation::Generate => "/v1/messages".into(),
            Operation::CountTokens => "/v1/messages/count_tokens".into(),
            Operation::ListModels => {
                format!("/v1/models?limit=1000{}", call.next_page("after_id")).into()
            }
            _ => return Err(Unroutable::Operation),
        })
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        let key = stamp.credential.require(API_KEY)?;
        request.set_secret(HeaderName::from_static("x-api-key"), "", key)?;
        // The client's own version stays: it says which replies it understands.
        let version = HeaderValue::from_static("2023-06-01");
        request.headers.entry(VERSION).or_insert(version);
        Ok(())
    }

    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        base.without_suffix(&["/v1"])
    }
}
