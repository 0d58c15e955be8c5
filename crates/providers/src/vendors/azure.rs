//! Azure OpenAI. A base URL with `?api-version=…` means the older paths, where the deployment stands
//! in the path; without it the newer `/openai/v1` paths, where it stands in the body.

use std::borrow::Cow;

use dialects::DialectId;
use http::HeaderName;

use super::openai::{ALL_TEXT, COMMON, standard_path};
use crate::credential::API_KEY;
use crate::path_segment::query_value;
use crate::{
    BaseUrl, Call, Credential, Format, Operation, Provider, SignError, Stamp, Unroutable,
    UpstreamRequest, path_segment,
};

/// The vendor.
pub(super) struct Azure;

impl Provider for Azure {
    fn id(&self) -> &'static str {
        "azure"
    }

    fn label(&self) -> &'static str {
        "Azure OpenAI"
    }

    fn default_base_url(&self) -> &'static str {
        ""
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate => ALL_TEXT,
            Operation::EditImage => &[Format::Form],
            Operation::Embed
            | Operation::GenerateImage
            | Operation::Transcribe
            | Operation::Translate
            | Operation::Speak
            | Operation::Realtime
            | Operation::TranscribeLive
            | Operation::ListModels => COMMON,
            _ => &[],
        }
    }

    fn path(
        &self,
        call: &Call<'_>,
        base: &BaseUrl,
        _credential: &Credential,
    ) -> Result<Cow<'static, str>, Unroutable> {
        let standard = standard_path(call)?;
        let Some(version) = base.query_value("api-version") else {
            return Ok(format!("/openai/v1{standard}").into());
        };
        let version = query_value(version);
        let path = match (call.operation, call.format) {
            (Operation::Realtime, _) => format!(
                "/openai/realtime?api-version={version}&deployment={}",
                query_value(call.model)
            ),
            (Operation::TranscribeLive, _) => {
                format!("/openai{standard}&api-version={version}")
            }
            (Operation::ListModels, _) | (_, Format::Text(DialectId::Responses)) => {
                format!("/openai{standard}?api-version={version}")
            }
            _ => {
                let deployment = path_segment(call.model)?;
                format!("/openai/deployments/{deployment}{standard}?api-version={version}")
            }
        };
        Ok(path.into())
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        let key = stamp.credential.require(API_KEY)?;
        Ok(request.set_secret(HeaderName::from_static("api-key"), "", key)?)
    }

    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        base.without_suffix(&["/openai/v1", "/openai"])
    }
}
