//! `[log]` and `[telemetry]`: what the operator sees of the running service.

use serde::Deserialize;

use super::loader::Section;
use super::network::Network;
use super::secret::Secret;

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

/// Minimum length of the token for `/metrics`.
const MIN_METRICS_TOKEN_BYTES: usize = 16;

/// The `[telemetry]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// Networks from which `/metrics` may be read without a token.
    pub metrics_allow: Vec<Network>,
    /// The token with which `/metrics` may be read, at least 16 characters.
    pub metrics_token: Option<Secret>,
    /// Where spans are posted to (OTLP over HTTP with protobuf); without it nothing is traced.
    pub otlp_endpoint: Option<String>,
    /// The `authorization` header of these posts.
    pub otlp_authorization: Option<Secret>,
    /// The share of calls that are traced, in percent.
    pub trace_percent: u32,
    /// Whether a client's `traceparent` is taken over, and decides whether its call is traced.
    pub take_traceparent: bool,
    /// Whether upstreams are sent a `traceparent`.
    pub pass_traceparent: bool,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self {
            metrics_allow: Vec::new(),
            metrics_token: None,
            otlp_endpoint: None,
            otlp_authorization: None,
            trace_percent: 10,
            take_traceparent: false,
            pass_traceparent: false,
        }
    }
}

impl Section for TelemetryConfig {
    const NAME: &'static str = "telemetry";
    const NEEDS_RESTART: &'static [&'static str] = &[
        "otlp_endpoint",
        "otlp_authorization",
        "trace_percent",
        "take_traceparent",
        "pass_traceparent",
    ];
    const ON_THE_MACHINE: &'static [&'static str] = &["metrics_allow"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if let Some(endpoint) = &self.otlp_endpoint
            && crate::outbound::target_of(endpoint).is_none()
        {
            refuse(
                "otlp_endpoint",
                "is not an http or https address".to_owned(),
            );
        }
        let token = self.metrics_token.as_ref();
        if token.is_some_and(|token| token.expose().len() < MIN_METRICS_TOKEN_BYTES) {
            let text = format!("must have at least {MIN_METRICS_TOKEN_BYTES} characters");
            refuse("metrics_token", text);
        }
        if self.trace_percent > 100 {
            refuse("trace_percent", "must be between 0 and 100".to_owned());
        }
    }
}
