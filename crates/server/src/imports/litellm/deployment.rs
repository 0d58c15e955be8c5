//! One deployment of the list: which vendor, which address, which key.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::vendors::provider_of;
use crate::config::Secret;
use crate::imports::kind::Environment;
use crate::imports::plan::WantedChannel;
use crate::imports::report::{Effect, Findings};
use crate::model_pattern::{beginning, check};

pub(super) const CHANNELS: &str = "channels";
const REFERENCE: &str = "os.environ/";
/// What is read of a deployment.
const READ: [&str; 17] = [
    "model",
    "custom_llm_provider",
    "api_key",
    "api_base",
    "base_url",
    "api_version",
    "rpm",
    "tpm",
    "weight",
    "organization",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
    "aws_region_name",
    "vertex_project",
    "vertex_location",
    "vertex_credentials",
];

/// A deployment at hand.
pub(super) struct Deployment<'a> {
    pub(super) name: &'a str,
    pub(super) fields: &'a Map<String, Value>,
    pub(super) environment: Environment<'a>,
}

impl Deployment<'_> {
    /// Its channel; none where it is left out.
    pub(super) fn channel(
        &self,
        model: &str,
        foreign_id: String,
        findings: &mut Findings,
    ) -> Option<WantedChannel> {
        let custom = self.plain("custom_llm_provider");
        let Some((provider, upstream)) = provider_of(model, custom.as_deref()) else {
            let reason = "no provider here is meant by its model";
            findings.leave_out(CHANNELS, format!("{} ({model})", self.name), reason);
            return None;
        };
        if check(self.name, Some(upstream)).is_err() {
            let reason = "patterns have one `*` here, at the end of the name and of the upstream's";
            findings.leave_out(CHANNELS, format!("{} ({model})", self.name), reason);
            return None;
        }
        for field in self
            .fields
            .keys()
            .filter(|field| !READ.contains(&field.as_str()))
        {
            let reason = format!("the parameter `{field}` is not carried over");
            findings
                .notes
                .add(CHANNELS, Effect::LeftOut, self.name, &reason);
        }
        let key = self.key(provider, findings);
        let mut mapping = BTreeMap::new();
        if upstream != self.name {
            mapping.insert(self.name.to_owned(), upstream.to_owned());
        }
        Some(WantedChannel {
            foreign_id,
            name: self.name.chars().take(48).collect(),
            provider: provider.to_owned(),
            base_url: self.base_url(findings),
            keys: key.into_iter().collect(),
            models: vec![self.name.to_owned()],
            mapping,
            priority: priority(self.name),
            weight: self.number("weight").unwrap_or(1).clamp(1, 1_000_000),
            rpm: self.number("rpm").filter(|limit| *limit > 0),
            tpm: self.number("tpm").filter(|limit| *limit > 0),
            ..WantedChannel::default()
        })
    }

    fn plain(&self, name: &str) -> Option<String> {
        let text = self.fields.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn number(&self, name: &str) -> Option<i64> {
        match self.fields.get(name)? {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A text, from the environment where it says so.
    fn text(&self, name: &str, findings: &mut Findings) -> Option<String> {
        let text = self.plain(name)?;
        let Some(variable) = text.strip_prefix(REFERENCE) else {
            return Some(text);
        };
        let found = (self.environment)(variable).filter(|value| !value.is_empty());
        if found.is_none() {
            let reason = format!(
                "`{name}` is in a variable of the environment that is not set here, or that is not \
                 read for an uploaded file"
            );
            let item = format!("{}: {variable}", self.name);
            findings
                .notes
                .add(CHANNELS, Effect::Attention, item, &reason);
        }
        found
    }

    fn base_url(&self, findings: &mut Findings) -> String {
        let base = self.text("api_base", findings);
        let base = base
            .or_else(|| self.text("base_url", findings))
            .unwrap_or_default();
        let base = base.trim_end_matches('/');
        match self.text("api_version", findings) {
            Some(version) if !base.is_empty() && !base.contains('?') => {
                format!("{base}?api-version={version}")
            }
            _ => base.to_owned(),
        }
    }

    fn key(&self, provider: &str, findings: &mut Findings) -> Option<Secret> {
        match provider {
            "bedrock" => {
                let mut field = |name: &str| self.text(name, findings);
                let key = field("api_key");
                let id = field("aws_access_key_id");
                let fields = json!({
                    "api_key": key,
                    "access_key_id": id,
                    "secret_access_key": field("aws_secret_access_key"),
                    "session_token": field("aws_session_token"),
                    "region": field("aws_region_name"),
                });
                (key.is_some() || id.is_some()).then(|| without_nulls(fields))
            }
            "vertex" => {
                let account = self.text("vertex_credentials", findings)?;
                let Ok(Value::Object(mut account)) = serde_json::from_str(&account) else {
                    let reason = "`vertex_credentials` is a path; paste the account's JSON into \
                                  the channel's key";
                    findings
                        .notes
                        .add(CHANNELS, Effect::Attention, self.name, reason);
                    return None;
                };
                for (from, to) in [
                    ("vertex_location", "location"),
                    ("vertex_project", "project_id"),
                ] {
                    if let Some(text) = self.text(from, findings) {
                        account.insert(to.to_owned(), Value::from(text));
                    }
                }
                Some(Secret::new(Value::Object(account).to_string()))
            }
            _ => {
                let key = self.text("api_key", findings)?;
                Some(match self.text("organization", findings) {
                    Some(organization) => {
                        let fields = json!({"api_key": key, "organization": organization});
                        Secret::new(fields.to_string())
                    }
                    None => Secret::new(key),
                })
            }
        }
    }
}

/// There, a pattern serves what nothing nearer does: it stands below names, and below longer patterns.
fn priority(name: &str) -> i64 {
    let length = |start: &str| i64::try_from(start.len()).unwrap_or(i64::MAX);
    beginning(name).map_or(0, |start| length(start).saturating_sub(1_000).min(-1))
}

fn without_nulls(mut fields: Value) -> Secret {
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    Secret::new(fields.to_string())
}
