//! The whole configuration as a plan, and what of it has no place here.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::deployment::{CHANNELS, Deployment};
use super::file::parse;
use crate::imports::error::ImportError;
use crate::imports::kind::Environment;
use crate::imports::plan::{Plan, WantedChannel};
use crate::imports::report::{Effect, Findings};

const SETTINGS: &str = "settings";
const MOST_DEPLOYMENTS: usize = 5_000;

/// Reads everything.
pub fn plan(
    text: &str,
    environment: Environment<'_>,
    findings: &mut Findings,
) -> Result<Plan, ImportError> {
    let top = parse(text)?;
    findings.count(CHANNELS);
    let Some(Value::Array(list)) = top.get("model_list") else {
        return Err(ImportError::source("`model_list` is no list"));
    };
    if list.len() > MOST_DEPLOYMENTS {
        return Err(ImportError::source(
            "`model_list` has more than 5000 entries",
        ));
    }
    let mut seen = HashMap::new();
    let mut channels: Vec<WantedChannel> = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        findings.count(CHANNELS).found += 1;
        let name = entry.get("model_name").and_then(Value::as_str);
        let fields = entry.get("litellm_params").and_then(Value::as_object);
        let model = fields
            .and_then(|fields| fields.get("model"))
            .and_then(Value::as_str);
        let (Some(name), Some(fields), Some(model)) = (name, fields, model) else {
            let reason = "it has no `model_name` or no `litellm_params.model`";
            findings.leave_out(CHANNELS, format!("entry {}", index + 1), reason);
            continue;
        };
        let deployment = Deployment {
            name: name.trim(),
            fields,
            environment,
        };
        let foreign_id = identity(name, fields, &mut seen);
        channels.extend(deployment.channel(model.trim(), foreign_id, findings));
    }
    add_aliases(&top, &mut channels, findings);
    name_the_rest(&top, findings);
    Ok(Plan {
        channels,
        ..Plan::default()
    })
}

/// What tells a deployment apart from others, wherever it stands in the list. Only its hash is kept,
/// since a key may be part of it.
fn identity(name: &str, fields: &Map<String, Value>, seen: &mut HashMap<String, u32>) -> String {
    let mut hash = Sha256::new();
    let field = |key: &str| fields.get(key).map(Value::to_string).unwrap_or_default();
    for part in [name, &field("model"), &field("api_base"), &field("api_key")] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    let short = hex::encode(&digest[..12]);
    let times = seen.entry(short.clone()).or_default();
    *times += 1;
    format!("{short}-{times}")
}

/// Aliases of the router: another name for everything that serves a model.
fn add_aliases(top: &Map<String, Value>, channels: &mut [WantedChannel], findings: &mut Findings) {
    let router = top
        .get("router_settings")
        .and_then(|one| one.get("model_group_alias"));
    for (alias, target) in router.and_then(Value::as_object).into_iter().flatten() {
        let target = target
            .as_str()
            .or_else(|| target.get("model").and_then(Value::as_str))
            .unwrap_or_default();
        let mut is_used = false;
        for channel in channels.iter_mut() {
            if channel.models.first().is_some_and(|own| own == target) {
                is_used = true;
                let upstream = channel.mapping.get(target);
                let upstream = upstream.cloned().unwrap_or_else(|| target.to_owned());
                channel.models.push(alias.clone());
                channel.mapping.insert(alias.clone(), upstream);
            }
        }
        if !is_used {
            let reason = "an alias of a model that no carried deployment serves";
            findings.notes.add(SETTINGS, Effect::LeftOut, alias, reason);
        }
    }
}

fn name_the_rest(top: &Map<String, Value>, findings: &mut Findings) {
    for (section, value) in top {
        if section == "model_list" {
            continue;
        }
        let fields = value.as_object();
        let names: Vec<&str> = match fields {
            Some(fields) => fields.keys().map(String::as_str).collect(),
            None => vec![""],
        };
        for name in names {
            let (effect, reason) = match (section.as_str(), name) {
                ("router_settings", "model_group_alias") => continue,
                ("general_settings", "master_key") => (
                    Effect::Attention,
                    "the master key is not carried over: make tokens for its users here",
                ),
                ("general_settings", "database_url") => (
                    Effect::Attention,
                    "users, teams and keys are in LiteLLM's database: import that too, by its address \
                     or from a dump",
                ),
                _ => (Effect::LeftOut, "this setting is not carried over"),
            };
            let item = if name.is_empty() {
                section.clone()
            } else {
                format!("{section}.{name}")
            };
            findings.notes.add(SETTINGS, effect, item, reason);
        }
    }
}
