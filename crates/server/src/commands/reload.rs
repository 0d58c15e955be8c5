//! Reloading the configuration of a running server: what can change live changes, the rest waits
//! for a restart and is named in the log. A configuration that is wrong changes nothing.

use crate::app::App;
use crate::config::{Config, Sources, changes};
use crate::telemetry::LogControl;

/// Reads the configuration again.
pub(super) fn reload(app: &App, sources: &Sources, logs: &LogControl) {
    let new = match Config::load(sources) {
        Ok(new) => new,
        Err(problems) => {
            for problem in &problems.0 {
                tracing::error!(%problem, "the configuration was not reloaded");
            }
            return;
        }
    };
    let old = app.config();
    let changes = changes(&old, &new);
    if changes.is_empty() {
        tracing::info!("the configuration was reloaded: nothing has changed");
        return;
    }
    let new = match Config::reload(sources, &old) {
        Ok(new) => new,
        Err(problems) => {
            tracing::error!(%problems, "the configuration was not reloaded");
            return;
        }
    };
    logs.set_level(&new.log.level);
    app.set_config(new);
    tracing::info!(
        changed = changes.live.join(", "),
        "the configuration was reloaded"
    );
    if !changes.needs_restart.is_empty() {
        let keys = changes.needs_restart.join(", ");
        tracing::warn!(keys, "these settings change with the next restart");
    }
}
