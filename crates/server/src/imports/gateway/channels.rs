//! Channels: the vendor by its number, the address as it is written here, the keys one by one.

use std::collections::BTreeMap;

use providers::transport::Proxy;
use serde_json::{Map, Value, json};

use super::Flavour;
use super::channel_types::{Address, Type, type_of};
use super::plan::Reading;
use crate::channels::Overrides;
use crate::config::Secret;
use crate::imports::plan::WantedChannel;
use crate::imports::report::Effect;
use crate::imports::table::Row;

const CHANNELS: &str = "channels";
const LONGEST_NAME: usize = 48;
const MOST_KEYS: usize = 200;
/// How many names a model's name may be mapped through.
const MAPPED_TIMES: usize = 10;
/// Columns that have no counterpart here.
const UNKNOWN: [(&str, &str); 3] = [
    (
        "status_code_mapping",
        "statuses of upstreams are not mapped here",
    ),
    (
        "system_prompt",
        "a system prompt of a channel is not known here",
    ),
    (
        "openai_organization",
        "an organisation goes into the key here, as JSON",
    ),
];

/// The channels of a source.
pub(super) struct Channels;

impl Channels {
    /// Reads the channels.
    pub(super) fn read(reading: &mut Reading<'_>) -> Vec<WantedChannel> {
        let tables = reading.tables;
        let rows = tables.rows(CHANNELS);
        rows.filter_map(|row| one(reading, &row)).collect()
    }
}

fn one(reading: &mut Reading<'_>, row: &Row<'_>) -> Option<WantedChannel> {
    reading.findings.count(CHANNELS).found += 1;
    let number = row.text("id").unwrap_or("?");
    let name: String = row
        .text("name")
        .unwrap_or_default()
        .chars()
        .take(LONGEST_NAME)
        .collect();
    let name = if name.is_empty() {
        format!("channel {number}")
    } else {
        name
    };
    let item = format!("{number} {name}");
    let kind = row.number("type").unwrap_or(0);
    let Some(found) = type_of(reading.flavour, kind) else {
        let reason = format!("no provider here is what type {kind} is in the source");
        reading.findings.leave_out(CHANNELS, item, &reason);
        return None;
    };
    for (column, reason) in UNKNOWN {
        if row.text(column).is_some_and(|text| text != "{}") {
            let notes = &mut reading.findings.notes;
            notes.add(CHANNELS, Effect::LeftOut, &item, reason);
        }
    }
    let settings = object(row.text("setting"));
    let proxy = proxy(reading, &settings, &item);
    let models = words(row.text("models"));
    let mapping = mapping(reading, row, &models, &item);
    let groups = words(row.text("group"));
    let groups = groups
        .iter()
        .filter_map(|group| reading.group(group))
        .collect();
    Some(WantedChannel {
        foreign_id: number.to_owned(),
        base_url: base_url(reading, row, found, &item),
        keys: keys(reading, row, found.provider, &item),
        groups,
        mapping,
        models,
        tags: row.text("tag").map(str::to_owned).into_iter().collect(),
        priority: row
            .number("priority")
            .unwrap_or(0)
            .clamp(-1_000_000, 1_000_000),
        // Nothing is sent to a weight of zero here; in the source it means an equal share.
        weight: row.number("weight").unwrap_or(0).clamp(1, 1_000_000),
        off_because: match row.number("status") {
            // Without its proxy it would show this machine's address to the vendor.
            Some(1) if proxy.is_err() => Some("its proxy cannot be used here".to_owned()),
            Some(1) => None,
            Some(3) => Some("switched off by the gateway that it was imported from".to_owned()),
            _ => Some("switched off where it was imported from".to_owned()),
        },
        overrides: overrides(reading, row, &item),
        proxy: proxy.unwrap_or_default(),
        provider: found.provider.to_owned(),
        name,
        rpm: None,
        tpm: None,
    })
}

fn words(list: Option<&str>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in list.into_iter().flat_map(|list| list.split(',')) {
        let word = word.trim();
        if !word.is_empty() && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

fn object(text: Option<&str>) -> Map<String, Value> {
    match text.map(serde_json::from_str) {
        Some(Ok(Value::Object(object))) => object,
        _ => Map::new(),
    }
}

/// The address as it is written here.
fn base_url(reading: &mut Reading<'_>, row: &Row<'_>, of: Type, item: &str) -> String {
    let given = row.text("base_url").unwrap_or(of.default_url);
    let given = given.trim_end_matches('/');
    match of.address {
        _ if given.is_empty() => String::new(),
        Address::Own => {
            let reason = "its address is not carried over: this vendor is reached in another way \
                          here";
            let notes = &mut reading.findings.notes;
            notes.add(
                CHANNELS,
                Effect::Attention,
                format!("{item}: {given}"),
                reason,
            );
            String::new()
        }
        Address::AsItIs if of.provider == "azure" => azure_url(row, given),
        Address::AsItIs => given.to_owned(),
        Address::V1 if has_version(given) => given.to_owned(),
        Address::V1 => format!("{given}/v1"),
    }
}

/// Whether an address ends with a version, such as `/v1` or `/api/v3`.
fn has_version(url: &str) -> bool {
    let last = url.rsplit('/').next().unwrap_or_default();
    let digits = last.strip_prefix('v').unwrap_or_default();
    digits.starts_with(|first: char| first.is_ascii_digit())
}

/// Azure's version of the interface is part of the address here.
fn azure_url(row: &Row<'_>, given: &str) -> String {
    let config = object(row.text("config"));
    let settings = object(row.text("settings"));
    let configured = config
        .get("api_version")
        .or(settings.get("azure_responses_version"));
    let version = configured.and_then(Value::as_str).or(row.text("other"));
    match version.filter(|text| !text.is_empty() && !text.starts_with('{')) {
        Some(version) => format!("{given}?api-version={version}"),
        None => given.to_owned(),
    }
}

/// The keys: one a line, except where a key is itself JSON.
fn keys(reading: &mut Reading<'_>, row: &Row<'_>, provider: &str, item: &str) -> Vec<Secret> {
    let text = row.text("key").unwrap_or_default();
    let keys: Vec<Secret> = match provider {
        "vertex" => vertex_keys(row, text),
        "bedrock" if reading.flavour == Flavour::OneApi => bedrock_key(row, text),
        _ => text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(Secret::new)
            .collect(),
    };
    if keys.len() > MOST_KEYS {
        let reason = "a channel has at most 200 keys here; the first ones are carried over";
        reading.findings.changed(CHANNELS, item, reason);
    }
    keys.into_iter().take(MOST_KEYS).collect()
}

/// Service accounts, one or a list; the region stands beside them in the source.
fn vertex_keys(row: &Row<'_>, text: &str) -> Vec<Secret> {
    let config = object(row.text("config"));
    let text = config
        .get("vertex_ai_adc")
        .and_then(Value::as_str)
        .unwrap_or(text);
    let accounts = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => list,
        Ok(one @ Value::Object(_)) => vec![one],
        _ => return vec![Secret::new(text)],
    };
    let region = config.get("region").and_then(Value::as_str);
    let region = region.or_else(|| row.text("other").filter(|text| !text.starts_with('{')));
    accounts
        .into_iter()
        .map(|mut account| {
            if let (Some(fields), Some(region)) = (account.as_object_mut(), region) {
                fields.insert("location".to_owned(), Value::from(region));
            }
            Secret::new(account.to_string())
        })
        .collect()
}

/// one-api keeps what signs beside the key.
fn bedrock_key(row: &Row<'_>, text: &str) -> Vec<Secret> {
    let config = object(row.text("config"));
    let field = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default();
    if field("ak").is_empty() {
        return vec![Secret::new(text)];
    }
    let key = json!({
        "access_key_id": field("ak"),
        "secret_access_key": field("sk"),
        "region": field("region"),
    });
    vec![Secret::new(key.to_string())]
}

/// The upstream's names of the models that it calls otherwise.
fn mapping(
    reading: &mut Reading<'_>,
    row: &Row<'_>,
    models: &[String],
    item: &str,
) -> BTreeMap<String, String> {
    let Some(text) = row.text("model_mapping").filter(|text| *text != "{}") else {
        return BTreeMap::new();
    };
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else {
        let reason = "its mapping of models cannot be read";
        let notes = &mut reading.findings.notes;
        notes.add(CHANNELS, Effect::Attention, item, reason);
        return BTreeMap::new();
    };
    let mut mapping = BTreeMap::new();
    for (alias, name) in &object {
        if !models.contains(alias) {
            let reason = "a mapping of a model that the channel does not serve";
            let item = format!("{item}: {alias}");
            let notes = &mut reading.findings.notes;
            notes.add(CHANNELS, Effect::LeftOut, item, reason);
            continue;
        }
        let mut name = name.as_str().unwrap_or_default().trim();
        for _ in 0..MAPPED_TIMES {
            match object.get(name).and_then(Value::as_str) {
                Some(next) if next != name => name = next,
                _ => break,
            }
        }
        if !name.is_empty() && name != alias {
            mapping.insert(alias.clone(), name.to_owned());
        }
    }
    mapping
}

/// Headers and body fields that the channel sets.
fn overrides(reading: &mut Reading<'_>, row: &Row<'_>, item: &str) -> Option<Value> {
    let mut document = Map::new();
    for (column, key) in [("header_override", "headers"), ("param_override", "body")] {
        let Some(text) = row.text(column).filter(|text| *text != "{}") else {
            continue;
        };
        let fields = object(Some(text));
        let mut tried = Map::new();
        tried.insert(key.to_owned(), Value::Object(fields.clone()));
        let is_simple = !fields.is_empty() && !fields.contains_key("operations");
        // A placeholder in a header stands for something that only the source knows.
        let has_placeholder = fields
            .values()
            .any(|value| value.as_str().is_some_and(|text| text.contains('{')));
        if is_simple && !has_placeholder && Overrides::read(Some(&Value::Object(tried))).is_ok() {
            document.insert(key.to_owned(), Value::Object(fields));
        } else {
            let reason = format!("its `{column}` cannot be said here");
            let notes = &mut reading.findings.notes;
            notes.add(CHANNELS, Effect::Attention, item, &reason);
        }
    }
    (!document.is_empty()).then_some(Value::Object(document))
}

/// The proxy to go through; an error where there is one that cannot be used here.
fn proxy(
    reading: &mut Reading<'_>,
    settings: &Map<String, Value>,
    item: &str,
) -> Result<Option<String>, ()> {
    let text = settings.get("proxy").and_then(Value::as_str);
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    if Proxy::parse(text).is_ok() {
        return Ok(Some(text.to_owned()));
    }
    let reason = "its proxy cannot be used here: it is switched off";
    let notes = &mut reading.findings.notes;
    notes.add(CHANNELS, Effect::Attention, item, reason);
    Err(())
}
