//! `[[channels]]`: channels declared in the file, shown read-only in the console.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::loader::Declaration;
use super::problem::suggestion;
use super::secret::Secret;
use super::tokens::key_from_environment;
use crate::demo;
use crate::model_pattern;

/// The dialects that a declared channel may be narrowed to.
pub const CHANNEL_DIALECTS: [&str; 5] =
    ["chat", "responses", "messages", "generate", "completions"];

/// One `[[channels]]` entry.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelDeclaration {
    /// Its name, unique among the declared channels.
    pub name: String,
    /// A provider's id, such as `openai`.
    #[serde(rename = "type")]
    pub provider: String,
    /// Where the upstream is; absent: the provider's own address.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The credential.
    #[serde(default)]
    pub key: Option<Secret>,
    /// Several credentials, used in turn.
    #[serde(default)]
    pub keys: Vec<Secret>,
    /// The environment variable that holds the credential.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Models it serves, `alias=upstream name` where the names differ; a `*` at the end stands for anything.
    pub models: Vec<String>,
    /// Narrows what the upstream speaks; empty: all that the provider knows.
    #[serde(default)]
    pub dialects: Vec<String>,
    /// User groups that may use it.
    #[serde(default = "default_groups")]
    pub groups: Vec<String>,
    /// Higher priorities are tried first.
    #[serde(default)]
    pub priority: i32,
    /// Share of the calls among channels of one priority.
    #[serde(default = "default_weight")]
    pub weight: u32,
    /// Free words for searching.
    #[serde(default)]
    pub tags: Vec<String>,
    /// How much it may be used.
    #[serde(default)]
    pub limits: ChannelLimits,
    /// How long it may take.
    #[serde(default)]
    pub timeouts: ChannelTimeouts,
    /// Headers to set on every call to it.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Headers to leave out of every call to it.
    #[serde(default)]
    pub drop_headers: Vec<String>,
    /// Fields to set in every JSON body sent to it.
    #[serde(default)]
    pub body: toml::Table,
    /// Fields to leave out of every JSON body sent to it.
    #[serde(default)]
    pub drop_body: Vec<String>,
    /// Certificates of authorities to trust beside the public ones, as PEM.
    #[serde(default)]
    pub tls_roots: Option<String>,
    /// Fault switches of the demo channel.
    #[serde(default)]
    pub demo: toml::Table,
    /// Proxy to reach it through.
    #[serde(default)]
    pub proxy: Option<Secret>,
}

/// Limits of a channel; 0 is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChannelLimits {
    /// Calls per minute.
    pub rpm: u32,
    /// Model tokens per minute.
    pub tpm: u32,
    /// Calls at once.
    pub concurrency: u32,
}

/// Timeouts of a channel; absent: the gateway's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChannelTimeouts {
    /// Longest time to connect.
    pub connect_ms: Option<u32>,
    /// Longest time to the first byte of the reply.
    pub first_byte_ms: Option<u32>,
    /// Longest silence inside a reply.
    pub idle_ms: Option<u32>,
}

impl Declaration for ChannelDeclaration {
    const LIST: &'static str = "channels";

    fn resolve(
        &mut self,
        environment: &BTreeMap<String, String>,
        refuse: &mut dyn FnMut(&'static str, String),
    ) {
        let ways = [
            self.key.is_some(),
            !self.keys.is_empty(),
            self.key_env.is_some(),
        ];
        if ways.iter().filter(|given| **given).count() > 1 {
            refuse(
                "key",
                "only one of key, keys and key_env can be set".to_owned(),
            );
        }
        if let Some(variable) = &self.key_env {
            match key_from_environment(variable, environment) {
                Ok(key) => self.key = Some(key),
                Err(text) => refuse("key_env", text),
            }
        }
        if self.name.trim().is_empty() {
            refuse("name", "must not be empty".to_owned());
        }
        if !is_provider(&self.provider) {
            let known = providers::PROVIDERS.iter().map(|provider| provider.id());
            let hint = suggestion(&self.provider, known.chain([demo::PROVIDER]));
            let text = format!("there is no provider \"{}\"{hint}", self.provider);
            refuse("type", text);
        }
        if let Some(url) = &self.base_url
            && !(url.starts_with("http://") || url.starts_with("https://"))
        {
            refuse("base_url", "must begin with http:// or https://".to_owned());
        }
        if self.models.is_empty() {
            let text = "must list names, or alias=upstream name";
            refuse("models", text.to_owned());
        }
        for model in &self.models {
            if let Some(problem) = model_problem(model) {
                refuse("models", format!("\"{model}\" {problem}"));
            }
        }
        for dialect in &self.dialects {
            if !CHANNEL_DIALECTS.contains(&dialect.as_str()) {
                let known = CHANNEL_DIALECTS.join(", ");
                refuse("dialects", format!("\"{dialect}\" is not one of {known}"));
            }
        }
        if self.weight == 0 {
            refuse("weight", "must be at least 1".to_owned());
        }
    }

    fn identity(&self) -> (&'static str, &str) {
        ("name", &self.name)
    }
}

fn is_provider(id: &str) -> bool {
    id == demo::PROVIDER || providers::provider(id).is_some()
}

/// Why an entry names no model.
fn model_problem(text: &str) -> Option<&'static str> {
    let (name, upstream) = match text.split_once('=') {
        Some((name, upstream)) => (name.trim(), Some(upstream.trim())),
        None => (text.trim(), None),
    };
    let is_name = |part: &str| !part.is_empty() && !part.contains('=');
    if !is_name(name) || !upstream.is_none_or(is_name) {
        return Some("must be a name, or alias=upstream name");
    }
    model_pattern::check(name, upstream).err()
}

fn default_groups() -> Vec<String> {
    vec!["default".to_owned()]
}

fn default_weight() -> u32 {
    1
}
