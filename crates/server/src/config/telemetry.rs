//! `[log]` and `[telemetry]`: what the operator sees of the running service.

use serde::Deserialize;

use super::loader::Section;
use super::network::Network;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The `[log]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogConfig {
    /// `error`, `warn`, `info`, `debug`, `trace`, or a filter like `info,server=debug`.
    pub level: String,
    /// `auto`, `text` or `json`.
    pub format: LogFormat,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            level: "info".to_owned(),
            format: LogFormat::Auto,
        }
    }
}

impl Section for LogConfig {
    const NAME: &'static str = "log";
    const NEEDS_RESTART: &'static [&'static str] = &["format"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if let Err(error) = tracing_subscriber::EnvFilter::try_new(&self.level) {
            refuse("level", format!("is not a level or a filter: {error}"));
        }
    }
}

/// The `[telemetry]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// Networks from which `/metrics` may be read.
    pub metrics_allow: Vec<Network>,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        let private = [
            "127.0.0.0/8",
            "::1/128",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "fc00::/7",
        ];
        let metrics_allow = private
            .iter()
            .filter_map(|network| network.parse().ok())
            .collect();
        Self { metrics_allow }
    }
}

impl Section for TelemetryConfig {
    const NAME: &'static str = "telemetry";
    const NEEDS_RESTART: &'static [&'static str] = &[];
    const ON_THE_MACHINE: &'static [&'static str] = &["metrics_allow"];

    fn validate(&self, _: &mut dyn FnMut(&'static str, String)) {}
}
