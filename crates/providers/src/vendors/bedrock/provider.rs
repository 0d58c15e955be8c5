//! Where calls go. Anthropic's models take bodies of the messages dialect, OpenAI's the chat dialect,
//! all others Amazon's Converse; vectors and ranks are asked of the models themselves. Signed by
//! signature version 4, or by a Bedrock API key.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dialects::DialectId;
use http::header::AUTHORIZATION;
use serde_json::json;

use super::super::anthropic::MESSAGES;
use super::super::openai::CHAT;
use crate::body_fields::BodyFields;
use crate::credential::{API_KEY, CredentialField};
use crate::signing::sigv4::{Signature, Signed};
use crate::{
    BadCredential, BaseUrl, Call, Credential, Format, KeyFields, NoObject, Operation, Provider,
    RequestBody, SignError, Stamp, StreamFraming, Unroutable, UpstreamRequest, path_segment,
};

/// The vendor.
pub(in super::super) struct Bedrock;

/// The service's name in signatures.
const SERVICE: &str = "bedrock";
const BETA: &str = "anthropic-beta";

impl Provider for Bedrock {
    fn id(&self) -> &'static str {
        "bedrock"
    }

    fn label(&self) -> &'static str {
        "AWS Bedrock"
    }

    fn default_base_url(&self) -> &'static str {
        ""
    }

    fn formats(&self, operation: Operation, model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate | Operation::CountTokens if is_anthropic(model) => MESSAGES,
            Operation::Generate if is_openai(model) => CHAT,
            Operation::Generate => &[Format::Converse],
            Operation::Embed if !model.contains("cohere.") => &[Format::Titan],
            Operation::Embed | Operation::Rerank => &[Format::Cohere],
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
        let method = match (call.operation, call.format, call.stream) {
            (Operation::ListModels, ..) => return Ok("/foundation-models".into()),
            (_, Format::Text(DialectId::ChatCompletions), _) => {
                return Ok("/openai/v1/chat/completions".into());
            }
            (Operation::CountTokens, ..) => "count-tokens",
            (_, Format::Converse, false) => "converse",
            (_, Format::Converse, true) => "converse-stream",
            (Operation::Generate, Format::Text(_), true) => "invoke-with-response-stream",
            _ => "invoke",
        };
        Ok(format!("/model/{}/{method}", path_segment(call.model)?).into())
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        let credential = stamp.credential;
        if let Some(key) = credential.field(API_KEY) {
            return Ok(request.set_secret(AUTHORIZATION, "Bearer ", key)?);
        }
        let host = request.target.origin.authority();
        let region = match credential.field("region") {
            Some(region) => region.expose(),
            None => region_of_host(&host).ok_or(BadCredential::Missing("region"))?,
        };
        let signature = Signature {
            access_key_id: credential.require("access_key_id")?.expose(),
            secret_access_key: credential.require("secret_access_key")?,
            session_token: credential.field("session_token"),
            region,
            service: SERVICE,
        };
        let signed = Signed {
            method: &request.method,
            host: &host,
            path: request.target.path.path(),
            query: request.target.path.query().unwrap_or_default(),
            body: request.body.whole().ok_or(SignError::BodyNotWhole)?,
        };
        Ok(signature.sign(&signed, &mut request.headers, (stamp.now)())?)
    }

    fn credential_fields(&self) -> &'static [CredentialField] {
        const {
            &[
                CredentialField::optional("access_key_id", "Access key id"),
                CredentialField::optional("secret_access_key", "Secret access key"),
                CredentialField::optional("session_token", "Session token"),
                CredentialField::optional("region", "Region"),
                CredentialField::optional(API_KEY, "Bedrock API key, in place of an access key"),
            ]
        }
    }

    /// Beside the common ways, `access key id|secret access key|region`.
    fn read_key(&self, text: &str) -> Result<KeyFields, BadCredential> {
        let fields = match text.trim().split('|').collect::<Vec<_>>()[..] {
            [id, secret, region] => KeyFields::of([
                ("access_key_id", id),
                ("secret_access_key", secret),
                ("region", region),
            ]),
            _ => KeyFields::parse(text)?,
        };
        match (fields.field(API_KEY), fields.field("secret_access_key")) {
            (None, None) => Err(BadCredential::Missing("secret_access_key")),
            _ => Ok(fields),
        }
    }

    fn base_url_of_key(&self, key: &KeyFields) -> Option<String> {
        let region = key.field("region")?.expose();
        Some(format!("https://bedrock-runtime.{region}.amazonaws.com"))
    }

    fn adjust(&self, call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
        match (call.operation, call.format) {
            (Operation::CountTokens, _) => {
                adjust_messages(request)?;
                wrap_count(request)
            }
            (_, Format::Text(DialectId::Messages)) => adjust_messages(request),
            (Operation::Embed | Operation::Rerank, _) => adjust_invocation(call, request),
            _ => Ok(()),
        }
    }

    /// Lists are kept by another host of the region.
    fn list_base_url(&self, base: &BaseUrl) -> Option<String> {
        let host = base.origin().host.strip_prefix("bedrock-runtime.")?;
        let is_amazons = host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
        is_amazons.then(|| format!("https://bedrock.{host}"))
    }
    fn framing(&self, call: &Call<'_>) -> StreamFraming {
        match call.format {
            Format::Text(DialectId::Messages) => StreamFraming::AmazonMessages,
            Format::Converse => StreamFraming::AmazonConverse,
            _ => StreamFraming::Dialect,
        }
    }
}

/// Bodies of the messages dialect: model and streaming move to the path, versions to the body.
fn adjust_messages(request: &mut UpstreamRequest) -> Result<(), NoObject> {
    let body = request.body.whole().cloned().ok_or(NoObject)?;
    let mut fields = BodyFields::read(&body)?;
    fields.remove("model");
    fields.remove("stream");
    fields.set("anthropic_version", &json!("bedrock-2023-05-31"));
    let betas: Vec<&str> = request
        .headers
        .get_all(BETA)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(str::trim))
        .filter(|beta| !beta.is_empty())
        .collect();
    if !betas.is_empty() && !fields.has("anthropic_beta") {
        fields.set("anthropic_beta", &json!(betas));
    }
    request.body = RequestBody::Whole(fields.write());
    request.headers.remove(BETA);
    request.headers.remove("anthropic-version");
    Ok(())
}

/// The body to be counted is one that could be invoked, wrapped.
fn wrap_count(request: &mut UpstreamRequest) -> Result<(), NoObject> {
    let body = request.body.whole().cloned().ok_or(NoObject)?;
    let mut fields = BodyFields::read(&body)?;
    if !fields.has("max_tokens") {
        fields.set("max_tokens", &json!(1));
    }
    let invoked = STANDARD.encode(fields.write());
    let wrapped = json!({ "input": { "invokeModel": { "body": invoked } } });
    request.body = RequestBody::Whole(wrapped.to_string().into());
    Ok(())
}

/// The model stands in the path, and refuses its name in the body.
fn adjust_invocation(call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
    let body = request.body.whole().cloned().ok_or(NoObject)?;
    let mut fields = BodyFields::read(&body)?;
    fields.remove("model");
    if call.operation == Operation::Rerank && call.model.contains("cohere.") {
        fields.set("api_version", &json!(2));
    }
    request.body = RequestBody::Whole(fields.write());
    Ok(())
}

/// `anthropic.claude-…`, perhaps behind a region's name or inside a resource name.
fn is_anthropic(model: &str) -> bool {
    model.contains("anthropic.")
}

/// `openai.gpt-oss-…`.
fn is_openai(model: &str) -> bool {
    model.starts_with("openai.")
}

/// `bedrock-runtime.us-east-1.amazonaws.com` → `us-east-1`.
fn region_of_host(host: &str) -> Option<&str> {
    let host = host
        .strip_prefix("bedrock-runtime.")
        .or_else(|| host.strip_prefix("bedrock."))?;
    let region = host.split_once('.')?.0;
    (!region.is_empty()).then_some(region)
}
