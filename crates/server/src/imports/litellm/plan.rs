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
use crate::model_pattern::{beginning, check};

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
        let own = channels.iter().filter_map(|channel| channel.models.first());
        let nearest = own.filter_map(|own| nearness(own, target)).max();
        for channel in channels.iter_mut() {
            let own = channel.models.first();
            let own = own.filter(|own| nearest.is_some() && nearness(own, target) == nearest);
            let upstream = own.and_then(|own| {
                let upstream = channel.mapping.get(own).unwrap_or(own);
                upstream_of(own, upstream, target)
            });
            if let Some(upstream) = upstream.filter(|it| check(alias, Some(it)).is_ok()) {
                is_used = true;
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

/// How near an entry comes to a model: a name counts before all patterns there, and a longer pattern before a shorter.
fn nearness(entry: &str, model: &str) -> Option<usize> {
    if entry == model {
        return Some(usize::MAX);
    }
    let start = beginning(entry)?;
    model.starts_with(start).then_some(start.len())
}

/// What the upstream calls a model that an entry is, or that its pattern stands for.
fn upstream_of(entry: &str, upstream: &str, model: &str) -> Option<String> {
    if entry == model {
        return Some(upstream.to_owned());
    }
    let rest = model.strip_prefix(beginning(entry)?)?;
    let start = beginning(upstream);
    let name = start.map_or_else(|| upstream.to_owned(), |start| [start, rest].concat());
    (!name.is_empty()).then_some(name)
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
