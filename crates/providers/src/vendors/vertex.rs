//! Google's Vertex AI: Gemini and Anthropic models under a project and a location, signed with an
//! access token that a service account's key is exchanged for. Its ranking service has a host of its
//! own, which a channel for it names.

use std::borrow::Cow;

use http::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::anthropic::MESSAGES;
use super::google::{self, GENERATE};
use crate::body_fields::BodyFields;
use crate::credential::CredentialField;
use crate::signing::google_service_account::ServiceAccount;
use crate::{
    BadCredential, BaseUrl, Call, Credential, Format, KeyFields, NoObject, Operation, Provider,
    RequestBody, Secret, SignError, Stamp, Unroutable, UpstreamRequest, path_segment,
};

/// The vendor.
pub(super) struct Vertex;

/// Where a count request of the other interface holds a whole request.
const COUNTED: &str = "generateContentRequest";
/// What can be counted of one here.
const OF_COUNTS: [&str; 4] = ["contents", "systemInstruction", "tools", "generationConfig"];
/// The location without a region.
const GLOBAL: &str = "global";
/// Says to the vendor's other interface that functions stand beside its own tools.
const MIXES_TOOLS: &str = "includeServerSideToolInvocations";

impl Provider for Vertex {
    fn id(&self) -> &'static str {
        "vertex"
    }

    fn label(&self) -> &'static str {
        "Google Vertex AI"
    }

    fn default_base_url(&self) -> &'static str {
        ""
    }

    fn formats(&self, operation: Operation, model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate | Operation::CountTokens if is_anthropic(model) => MESSAGES,
            Operation::Generate | Operation::CountTokens => GENERATE,
            // What came after `predict`.
            Operation::Embed if model.starts_with("gemini-embedding-2") => &[Format::Google],
            Operation::Embed => &[Format::Predict],
            Operation::GenerateImage if model.starts_with("imagen") => &[Format::Predict],
            Operation::GenerateImage
            | Operation::EditImage
            | Operation::Transcribe
            | Operation::Translate
            | Operation::Speak
            | Operation::Rerank => &[Format::Google],
            Operation::ListModels => &[Format::Common],
            _ => &[],
        }
    }

    fn path(
        &self,
        call: &Call<'_>,
        base: &BaseUrl,
        credential: &Credential,
    ) -> Result<Cow<'static, str>, Unroutable> {
        if call.operation == Operation::ListModels {
            let page = call.next_page("pageToken");
            return Ok(format!("/v1beta1/publishers/google/models?pageSize=100{page}").into());
        }
        let project = path_segment(credential.require("project_id")?.expose())?;
        let location = match credential.field("location") {
            Some(location) => path_segment(location.expose())?,
            None => location_of_host(&base.origin().host).to_owned(),
        };
        if call.operation == Operation::Rerank {
            let configs = format!("/v1/projects/{project}/locations/{location}/rankingConfigs");
            return Ok(format!("{configs}/default_ranking_config:rank").into());
        }
        let publisher = if is_anthropic(call.model) {
            "anthropic"
        } else {
            "google"
        };
        let model = match call.operation {
            // The model that is counted for stands in the body.
            Operation::CountTokens if is_anthropic(call.model) => "count-tokens".to_owned(),
            _ => path_segment(google::model_name(call.model))?,
        };
        let method = match call.format {
            Format::Predict => "predict",
            // There is no method for several at once.
            Format::Google if call.operation == Operation::Embed => "embedContent",
            _ if !is_anthropic(call.model) => google::method(call)?,
            _ if call.stream => "streamRawPredict",
            _ => "rawPredict",
        };
        Ok(format!(
            "/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:{method}"
        )
        .into())
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        let token = stamp
            .access_token
            .ok_or(BadCredential::Missing("private_key"))?;
        Ok(request.set_secret(AUTHORIZATION, "Bearer ", token)?)
    }

    fn credential_fields(&self) -> &'static [CredentialField] {
        const {
            &[
                CredentialField::required("project_id", "Project"),
                CredentialField::required("client_email", "Service account"),
                CredentialField::required("private_key", "Private key"),
                CredentialField::optional("token_uri", "Token server"),
                CredentialField::optional("location", "Location"),
            ]
        }
    }

    fn base_url_of_key(&self, key: &KeyFields) -> Option<String> {
        Some(match key.field("location").map(Secret::expose) {
            None | Some(GLOBAL) => "https://aiplatform.googleapis.com".to_owned(),
            Some(region) => format!("https://{region}-aiplatform.googleapis.com"),
        })
    }

    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        base.without_suffix(&["/v1"])
    }

    /// Anthropic's models: the version moves from the headers, the model to the path.
    fn adjust(&self, call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
        if !is_anthropic(call.model) {
            if call.operation == Operation::CountTokens {
                unwrap_count(request)?;
            }
            return leave_mixing_out(request);
        }
        let body = request.body.whole().cloned().ok_or(NoObject)?;
        let mut fields = BodyFields::read(&body)?;
        if call.operation != Operation::CountTokens {
            fields.remove("model");
        }
        fields.set("anthropic_version", &json!("vertex-2023-10-16"));
        request.body = RequestBody::Whole(fields.write());
        request.headers.remove("anthropic-version");
        Ok(())
    }

    fn service_account(
        &self,
        credential: &Credential,
    ) -> Result<Option<ServiceAccount>, BadCredential> {
        ServiceAccount::of(credential).map(Some)
    }
}

/// This interface counts a request whose members stand by themselves, and takes some of them alone.
fn unwrap_count(request: &mut UpstreamRequest) -> Result<(), NoObject> {
    let Some(body) = request.body.whole().cloned() else {
        return Ok(());
    };
    if memchr::memmem::find(&body, COUNTED.as_bytes()).is_none() {
        return Ok(());
    }
    if let Some(mut inner) = BodyFields::read(&body)?.object(COUNTED) {
        inner.retain(|name, _| OF_COUNTS.contains(&name.as_str()));
        request.body = RequestBody::Whole(Value::Object(inner).to_string().into());
    }
    Ok(())
}

/// This interface takes functions beside its own tools without a word, and does not know the word.
fn leave_mixing_out(request: &mut UpstreamRequest) -> Result<(), NoObject> {
    let Some(body) = request.body.whole().cloned() else {
        return Ok(());
    };
    if memchr::memmem::find(&body, MIXES_TOOLS.as_bytes()).is_none() {
        return Ok(());
    }
    let mut fields = BodyFields::read(&body)?;
    if let Some(mut config) = fields.object("toolConfig") {
        config.remove(MIXES_TOOLS);
        fields.set("toolConfig", &Value::Object(config));
        request.body = RequestBody::Whole(fields.write());
    }
    Ok(())
}

fn is_anthropic(model: &str) -> bool {
    model.starts_with("claude")
}

/// `us-east5-aiplatform.googleapis.com` → `us-east5`.
fn location_of_host(host: &str) -> &str {
    let region = host.strip_suffix("-aiplatform.googleapis.com");
    region.filter(|region| !region.is_empty()).unwrap_or(GLOBAL)
}
