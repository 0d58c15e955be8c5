//! `[realtime]`, `[responses]` and `[outbound]`: settings of model calls that are not limits.

use providers::transport::Guard;
use serde::Deserialize;

use super::loader::Section;
use super::network::Network;
use crate::outbound::guard;

/// The `[realtime]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RealtimeConfig {
    /// The model of a realtime conversation that names none.
    pub default_model: Option<String>,
    /// The model of a session that only writes down what is said and names none.
    pub transcription_model: Option<String>,
    /// The longest conversation, in seconds.
    pub longest_s: u64,
    /// A conversation in which nothing is said for so many seconds is over.
    pub idle_s: u64,
}

impl Default for RealtimeConfig {
    fn default() -> Self {
        Self {
            default_model: None,
            transcription_model: None,
            // Vendors end theirs after an hour, and should be the ones who say so.
            longest_s: 3_660,
            idle_s: 600,
        }
    }
}

impl Section for RealtimeConfig {
    const NAME: &'static str = "realtime";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        for (key, model) in [
            ("default_model", &self.default_model),
            ("transcription_model", &self.transcription_model),
        ] {
            if model.as_deref() == Some("") {
                refuse(key, "must not be empty".to_owned());
            }
        }
        for (key, seconds) in [("longest_s", self.longest_s), ("idle_s", self.idle_s)] {
            if !(1..=86_400).contains(&seconds) {
                refuse(key, "must be between 1 and 86400".to_owned());
            }
        }
    }
}

/// The `[responses]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResponsesConfig {
    /// How long stored answers are kept, in days.
    pub retention_days: u32,
}

impl Default for ResponsesConfig {
    fn default() -> Self {
        Self { retention_days: 30 }
    }
}

impl Section for ResponsesConfig {
    const NAME: &'static str = "responses";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if self.retention_days == 0 {
            refuse("retention_days", "must be at least 1".to_owned());
        }
    }
}

/// The `[outbound]` section.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutboundConfig {
    /// Private, loopback or link-local networks that outgoing calls may nevertheless reach.
    pub allow_private: Vec<Network>,
    /// The same for addresses that clients ask to have fetched: what a channel may reach is nothing for whoever calls it.
    pub fetch_private: Vec<Network>,
    /// Whether the proxy of a channel resolves the name of the upstream. The gateway then does not check the upstream's
    /// address; without it the proxy is asked for the address that was checked.
    pub proxy_resolves_names: bool,
}

impl OutboundConfig {
    /// The guard of calls to upstreams.
    pub fn channel_guard(&self) -> Guard {
        guard(&self.allow_private).with_names_by_proxy(self.proxy_resolves_names)
    }

    /// The guard of addresses that clients ask to have fetched.
    pub fn fetch_guard(&self) -> Guard {
        guard(&self.fetch_private)
    }
}

impl Section for OutboundConfig {
    const NAME: &'static str = "outbound";
    const NEEDS_RESTART: &'static [&'static str] = &[];
    const ON_THE_MACHINE: &'static [&'static str] =
        &["allow_private", "fetch_private", "proxy_resolves_names"];

    fn validate(&self, _: &mut dyn FnMut(&'static str, String)) {}
}
