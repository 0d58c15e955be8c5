//! Logs: where lines go, how they look, and how their level changes while the service runs.

use std::io::IsTerminal as _;

use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::reload;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, Registry};

use super::log_lines::{JsonLines, TextLines};
use crate::config::{LogConfig, LogFormat};

/// Changes the log level of the running process.
#[derive(Clone)]
pub struct LogControl(reload::Handle<EnvFilter, Registry>);

impl LogControl {
    /// Sets another level or filter; the configuration has checked that it is one.
    pub fn set_level(&self, level: &str) {
        if let Ok(filter) = EnvFilter::try_new(level)
            && let Err(error) = self.0.reload(filter)
        {
            tracing::warn!(%error, "the log level could not be changed");
        }
    }
}

/// Sends logs to standard error, as text on a terminal and as JSON elsewhere, and panics into
/// the log.
pub fn start_logs(config: &LogConfig) -> anyhow::Result<LogControl> {
    let (filter, handle) = reload::Layer::new(EnvFilter::try_new(&config.level)?);
    let is_text = match config.format {
        LogFormat::Text => true,
        LogFormat::Json => false,
        LogFormat::Auto => std::io::stderr().is_terminal(),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(is_text && std::io::stderr().is_terminal());
    let lines = if is_text {
        lines.event_format(TextLines::new()).boxed()
    } else {
        let lines = lines.event_format(JsonLines::new());
        lines.fmt_fields(JsonFields::new()).boxed()
    };
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .try_init()?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let message = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(place, message, "panic");
    }));
    Ok(LogControl(handle))
}
