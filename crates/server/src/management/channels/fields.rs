//! A channel's settings as they come in, read and checked. What is absent stays as it is.

use std::collections::BTreeMap;

use providers::transport::Proxy;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::channels::{Channel, ChannelChanges, ChannelState};
use store::{ConnectionTrait, groups};

use super::masks::{keeps_secrets, masked_proxy, unmasked_overrides};
use crate::channels::Overrides;
use crate::config::{CHANNEL_DIALECTS, Secret};
use crate::demo;
use crate::management::frame::{ApiError, Patch};
use crate::model_pattern::check;

const LONGEST_WORD: usize = 256;
const MOST_MODELS: usize = 5_000;
const MOST_WORDS: usize = 100;
const MOST_KEYS: usize = 200;
const HEAVIEST: i64 = 1_000_000;

/// Limits to change; 0 and `null` are no limit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitsInput {
    /// Calls a minute.
    pub rpm: Patch<i64>,
    /// Model tokens a minute.
    pub tpm: Patch<i64>,
    /// Calls at once.
    pub concurrency: Patch<i64>,
}

/// Timeouts to change; 0 and `null` are the gateway's own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the interface names the unit")]
pub struct TimeoutsInput {
    /// To connect.
    pub connect_ms: Patch<i64>,
    /// To the first byte of the reply.
    pub first_byte_ms: Patch<i64>,
    /// Between two pieces of the reply.
    pub idle_ms: Patch<i64>,
}

/// The state of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateInput {
    /// Takes calls.
    On,
    /// Finishes what runs, takes nothing new.
    Draining,
    /// Only the gateway pauses; where a record is sent back, this changes nothing.
    Paused,
    /// Switched off.
    Off,
}

impl StateInput {
    /// The state to set; none where it is the gateway's business.
    pub fn state(self) -> Option<ChannelState> {
        match self {
            Self::On => Some(ChannelState::On),
            Self::Draining => Some(ChannelState::Draining),
            Self::Off => Some(ChannelState::Off),
            Self::Paused => None,
        }
    }
}

/// An input with a channel's settings beside fields of its own.
macro_rules! with_settings {
    (
        $(#[$about:meta])*
        $name:ident {
            $($(#[$doc:meta])* $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name {
            $($(#[$doc])* $field: $kind,)*
            /// Where the provider is reached; empty: its own address.
            #[serde(default)]
            base_url: $crate::management::frame::Patch<String>,
            /// The key; empty: unchanged. Keys never come back.
            #[serde(default)]
            #[schemars(with = "Option<String>")]
            key: $crate::management::frame::Patch<$crate::config::Secret>,
            /// Several keys, used in turn; they replace those that are there.
            #[serde(default)]
            #[schemars(with = "Option<Vec<String>>")]
            keys: $crate::management::frame::Patch<Vec<$crate::config::Secret>>,
            /// Models it serves, `alias=upstream name` where the names differ. A `*` at the end of a name stands for
            /// anything, and is carried over to the upstream's name: `openai/*`, `fast/*=vendor/*`.
            #[serde(default)]
            models: $crate::management::frame::Patch<Vec<String>>,
            /// The upstream's names by alias, beside those in `models`.
            #[serde(default)]
            model_mapping: $crate::management::frame::Patch<std::collections::BTreeMap<String, String>>,
            /// Groups that may use it; empty: all.
            #[serde(default)]
            groups: $crate::management::frame::Patch<Vec<String>>,
            /// Higher ones are tried first.
            #[serde(default)]
            priority: $crate::management::frame::Patch<i64>,
            /// The share among channels of one priority.
            #[serde(default)]
            weight: $crate::management::frame::Patch<i64>,
            /// Words to find it by.
            #[serde(default)]
            tags: $crate::management::frame::Patch<Vec<String>>,
            /// How much it may be used.
            #[serde(default)]
            limits: $crate::management::frame::Patch<$crate::management::channels::fields::LimitsInput>,
            /// How long it may take.
            #[serde(default)]
            timeouts: $crate::management::frame::Patch<$crate::management::channels::fields::TimeoutsInput>,
            /// `{"headers", "drop_headers", "body", "drop_body", "tls_roots", "demo"}`.
            #[serde(default)]
            overrides: $crate::management::frame::Patch<serde_json::Value>,
            /// The proxy to go through.
            #[serde(default)]
            proxy: $crate::management::frame::Patch<String>,
            /// Narrows what the provider speaks: chat, responses, messages, generate, completions.
            #[serde(default)]
            dialects: $crate::management::frame::Patch<Vec<String>>,
            /// `on`, `draining` or `off`.
            #[serde(default)]
            state: $crate::management::frame::Patch<$crate::management::channels::fields::StateInput>,
            /// Why it is in that state.
            #[serde(default)]
            state_reason: $crate::management::frame::Patch<String>,
        }

        impl $name {
            /// The settings in it.
            fn take_settings(&mut self) -> $crate::management::channels::fields::Settings {
                use std::mem::take;
                $crate::management::channels::fields::Settings {
                    base_url: take(&mut self.base_url),
                    key: take(&mut self.key),
                    keys: take(&mut self.keys),
                    models: take(&mut self.models),
                    model_mapping: take(&mut self.model_mapping),
                    groups: take(&mut self.groups),
                    priority: take(&mut self.priority),
                    weight: take(&mut self.weight),
                    tags: take(&mut self.tags),
                    limits: take(&mut self.limits),
                    timeouts: take(&mut self.timeouts),
                    overrides: take(&mut self.overrides),
                    proxy: take(&mut self.proxy),
                    dialects: take(&mut self.dialects),
                    state: take(&mut self.state),
                    state_reason: take(&mut self.state_reason),
                }
            }
        }
    };
}
pub(super) use with_settings;

/// A channel's settings as they came in.
#[derive(Debug)]
pub struct Settings {
    pub base_url: Patch<String>,
    pub key: Patch<Secret>,
    pub keys: Patch<Vec<Secret>>,
    pub models: Patch<Vec<String>>,
    pub model_mapping: Patch<BTreeMap<String, String>>,
    pub groups: Patch<Vec<String>>,
    pub priority: Patch<i64>,
    pub weight: Patch<i64>,
    pub tags: Patch<Vec<String>>,
    pub limits: Patch<LimitsInput>,
    pub timeouts: Patch<TimeoutsInput>,
    pub overrides: Patch<Value>,
    pub proxy: Patch<String>,
    pub dialects: Patch<Vec<String>>,
    pub state: Patch<StateInput>,
    pub state_reason: Patch<String>,
}

impl Settings {
    /// The keys that were given; empty ones do not count.
    pub fn take_keys(&mut self) -> Result<Vec<Secret>, ApiError> {
        let one = std::mem::take(&mut self.key).into_change().flatten();
        let many = std::mem::take(&mut self.keys).into_change().flatten();
        let keys: Vec<Secret> = many
            .into_iter()
            .flatten()
            .chain(one)
            .filter(|key| !key.expose().trim().is_empty())
            .collect();
        if keys.len() > MOST_KEYS {
            return Err(ApiError::bad_field("keys", "must be at most 200"));
        }
        Ok(keys)
    }

    /// Whether credentials among the channel's headers stay as they are stored.
    pub fn keeps_secret_headers(&self, former: &Channel) -> bool {
        let stored = former.overrides.as_ref();
        stored.is_some_and(|stored| keeps_secrets(&self.overrides, &stored.0))
    }

    /// The changes for the records, without keys; `former` is the channel as it is.
    pub async fn check(
        self,
        records: &impl ConnectionTrait,
        former: Option<&Channel>,
    ) -> Result<ChannelChanges, ApiError> {
        let groups = words("groups", self.groups, MOST_WORDS)?;
        for group in groups.iter().flatten() {
            if groups::get(records, group).await?.is_none() {
                let problem = format!("there is no group `{group}`");
                return Err(ApiError::bad_field("groups", &problem));
            }
        }
        let (models, model_mapping) = models(self.models, self.model_mapping, former)?;
        let limits = self.limits.or_cleared(LimitsInput {
            rpm: Patch::Clear,
            tpm: Patch::Clear,
            concurrency: Patch::Clear,
        });
        let limits = limits.unwrap_or_default();
        let timeouts = self.timeouts.or_cleared(TimeoutsInput {
            connect_ms: Patch::Clear,
            first_byte_ms: Patch::Clear,
            idle_ms: Patch::Clear,
        });
        let timeouts = timeouts.unwrap_or_default();
        let state = self.state.value().and_then(|state| state.state());
        Ok(ChannelChanges {
            name: None,
            provider: None,
            base_url: self
                .base_url
                .or_cleared(String::new())
                .map(|url| url.trim().to_owned()),
            models,
            model_mapping,
            groups,
            tags: words("tags", self.tags, MOST_WORDS)?,
            dialects: dialects(self.dialects)?.into_change(),
            priority: number("priority", self.priority, i64::from(i32::MIN), 0)?,
            weight: number("weight", self.weight, 0, 1)?,
            state,
            state_reason: self.state_reason.into_change(),
            rpm: limit("limits.rpm", limits.rpm)?.into_change(),
            tpm: limit("limits.tpm", limits.tpm)?.into_change(),
            concurrency: limit("limits.concurrency", limits.concurrency)?.into_change(),
            connect_timeout_ms: limit("timeouts.connect_ms", timeouts.connect_ms)?.into_change(),
            first_byte_timeout_ms: limit("timeouts.first_byte_ms", timeouts.first_byte_ms)?
                .into_change(),
            idle_timeout_ms: limit("timeouts.idle_ms", timeouts.idle_ms)?.into_change(),
            overrides: overrides(self.overrides, former)?.into_change(),
            proxy: proxy(self.proxy, former)?.into_change(),
        })
    }
}

/// A channel's name.
pub fn name(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 || length > 64 || text.chars().any(char::is_control) {
        let problem = "must have 1 to 64 visible characters";
        return Err(ApiError::bad_field("name", problem));
    }
    Ok(text.to_owned())
}

/// A provider that exists.
pub fn provider(id: &str) -> Result<String, ApiError> {
    if id == demo::PROVIDER || providers::provider(id).is_some() {
        return Ok(id.to_owned());
    }
    let problem = "is not a provider; GET /api/provider/ lists them";
    Err(ApiError::bad_field("type", problem))
}

/// Models, and the upstream's names for those that have others there.
pub(super) type Models = (Option<Vec<String>>, Option<BTreeMap<String, String>>);

/// Models and the upstream's names for them: an entry `alias=name` is both.
pub(super) fn models(
    list: Patch<Vec<String>>,
    mapping: Patch<BTreeMap<String, String>>,
    former: Option<&Channel>,
) -> Result<Models, ApiError> {
    let list = words("models", list, MOST_MODELS)?;
    let given = mapping.or_cleared(BTreeMap::new());
    if list.is_none() && given.is_none() {
        return Ok((None, None));
    }
    let mut mapping = match (&list, former) {
        (None, Some(former)) if given.is_none() => former.model_mapping.0.clone(),
        _ => BTreeMap::new(),
    };
    let mut names = Vec::new();
    let kept = former.map(|former| former.models.0.clone());
    for (index, entry) in list.or(kept).unwrap_or_default().into_iter().enumerate() {
        let (alias, upstream) = match entry.split_once('=') {
            Some((alias, upstream)) => (alias.trim(), Some(upstream.trim())),
            None => (entry.as_str(), None),
        };
        if alias.is_empty() || upstream.is_some_and(str::is_empty) {
            let place = format!("models[{index}]");
            let problem = "must be a name, or alias=upstream name";
            return Err(ApiError::bad_field(&place, problem));
        }
        let checked = check(alias, upstream);
        checked.map_err(|problem| ApiError::bad_field(&format!("models[{index}]"), problem))?;
        if let Some(upstream) = upstream {
            mapping.insert(alias.to_owned(), upstream.to_owned());
        }
        if !names.iter().any(|name| name == alias) {
            names.push(alias.to_owned());
        }
    }
    mapping.extend(given.unwrap_or_default());
    mapping.retain(|alias, upstream| names.contains(alias) && alias != upstream);
    for (alias, upstream) in &mapping {
        let place = format!("model_mapping.{alias}");
        check(alias, Some(upstream)).map_err(|problem| ApiError::bad_field(&place, problem))?;
    }
    Ok((Some(names), Some(mapping)))
}

fn words(
    field: &str,
    patch: Patch<Vec<String>>,
    most: usize,
) -> Result<Option<Vec<String>>, ApiError> {
    let Some(list) = patch.or_cleared(Vec::new()) else {
        return Ok(None);
    };
    if list.len() > most {
        return Err(ApiError::bad_field(field, "has too many entries"));
    }
    let check = |(index, word): (usize, &String)| {
        let word = word.trim();
        if word.is_empty() || word.len() > LONGEST_WORD || word.chars().any(char::is_control) {
            let place = format!("{field}[{index}]");
            return Err(ApiError::bad_field(&place, "must be a name"));
        }
        Ok(word.to_owned())
    };
    let words: Result<Vec<String>, ApiError> = list.iter().enumerate().map(check).collect();
    words.map(Some)
}

fn number(
    field: &str,
    patch: Patch<i64>,
    least: i64,
    cleared: i64,
) -> Result<Option<i64>, ApiError> {
    let number = patch.or_cleared(cleared);
    if number.is_some_and(|number| !(least..=HEAVIEST).contains(&number)) {
        let problem = format!("must be between {least} and {HEAVIEST}");
        return Err(ApiError::bad_field(field, &problem));
    }
    Ok(number)
}

fn limit(field: &str, patch: Patch<i64>) -> Result<Patch<i64>, ApiError> {
    match patch {
        Patch::Set(0) => Ok(Patch::Clear),
        Patch::Set(..0) => Err(ApiError::bad_field(field, "must not be below zero")),
        other => Ok(other),
    }
}

fn dialects(patch: Patch<Vec<String>>) -> Result<Patch<Vec<String>>, ApiError> {
    let Patch::Set(list) = patch else {
        return Ok(patch);
    };
    if list.is_empty() {
        return Ok(Patch::Clear);
    }
    for dialect in &list {
        if !CHANNEL_DIALECTS.contains(&dialect.as_str()) {
            let problem = format!("`{dialect}` is not one of {}", CHANNEL_DIALECTS.join(", "));
            return Err(ApiError::bad_field("dialects", &problem));
        }
    }
    Ok(Patch::Set(list))
}

fn overrides(patch: Patch<Value>, former: Option<&Channel>) -> Result<Patch<Value>, ApiError> {
    let Patch::Set(value) = patch else {
        return Ok(patch);
    };
    let former = former.and_then(|channel| channel.overrides.as_ref());
    let value = unmasked_overrides(value, former.map(|document| &document.0));
    let read = Overrides::read(Some(&value));
    let read = read.map_err(|error| ApiError::bad_request(error.to_string()))?;
    if let Some(switches) = &read.demo {
        let read = demo::Switches::read(switches);
        read.map_err(|error| ApiError::bad_field("overrides.demo", &error.to_string()))?;
    }
    Ok(Patch::Set(value))
}

fn proxy(patch: Patch<String>, former: Option<&Channel>) -> Result<Patch<String>, ApiError> {
    let Patch::Set(text) = patch else {
        return Ok(patch);
    };
    let former = former.and_then(|channel| channel.proxy.as_ref());
    if former.is_some_and(|former| masked_proxy(former) == text) {
        return Ok(Patch::Absent);
    }
    if text.trim().is_empty() {
        return Ok(Patch::Clear);
    }
    match Proxy::parse(text.trim()) {
        Ok(_) => Ok(Patch::Set(text.trim().to_owned())),
        Err(error) => Err(ApiError::bad_field("proxy", &error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_keeps_its_star_and_the_upstreams() {
        let list = ["openai/*=*", "*", "claude-*=gpt-4o", "x/*=x/*"].map(str::to_owned);
        let (names, mapping) = models(Patch::Set(list.to_vec()), Patch::Absent, None).unwrap();
        assert_eq!(names.unwrap(), ["openai/*", "*", "claude-*", "x/*"]);
        let mapping = mapping.unwrap();
        assert_eq!(mapping.len(), 2);
        assert_eq!(mapping["openai/*"], "*");
        let list = Patch::Set(vec!["a".to_owned()]);
        let given = Patch::Set(BTreeMap::from([("a".to_owned(), "b*".to_owned())]));
        let refused = models(list, given, None);
        assert!(format!("{refused:?}").contains("model_mapping.a"));
    }

    #[test]
    fn an_entry_with_an_alias_is_a_name_and_a_mapping() {
        let list = ["gpt-4o", "fast=llama-4-mini", "gpt-4o"].map(str::to_owned);
        let (names, mapping) = models(Patch::Set(list.to_vec()), Patch::Absent, None).unwrap();
        assert_eq!(names.unwrap(), ["gpt-4o", "fast"]);
        let expected = BTreeMap::from([("fast".to_owned(), "llama-4-mini".to_owned())]);
        assert_eq!(mapping.unwrap(), expected);
        for bad in ["=x", "x=", " ", "a*b", "*a", "a=b*", "a*=*b", "**"] {
            let list = Patch::Set(vec![bad.to_owned()]);
            assert!(models(list, Patch::Absent, None).is_err(), "{bad}");
        }
    }
}
