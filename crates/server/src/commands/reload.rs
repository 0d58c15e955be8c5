//! Reloading the configuration of a running server: what can change live changes, the rest waits
//! for a restart and is named in the log. A configuration that is wrong changes nothing.

use store::shared::Change;

use crate::app::App;
use crate::config::{Config, Sources, changes};
use crate::declared::declare;
use crate::telemetry::LogControl;

/// Reads the configuration again.
pub(super) async fn reload(app: &App, sources: &Sources, logs: &LogControl) {
    let new = match Config::load(sources) {
        Ok(new) => new,
        Err(problems) => {
            for problem in &problems.0 {
                tracing::error!(%problem, "the configuration was not reloaded");
            }
            return;
        }
    };
    let old = app.live_config().given();
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
    if let Err(error) = declare(app, &new).await {
        tracing::error!(%error, "the configuration was not reloaded");
        return;
    }
    app.set_config(new);
    logs.set_level(&app.config().log.level);
    declare_prices(app).await;
    tracing::info!(
        changed = changes.live.join(", "),
        "the configuration was reloaded"
    );
    if !changes.needs_restart.is_empty() {
        let keys = changes.needs_restart.join(", ");
        tracing::warn!(keys, "these settings change with the next restart");
    }
}

/// The prices that the file declares now, for this node and for the others.
async fn declare_prices(app: &App) {
    let config = app.config_in_full();
    let now = app.clock().now_ms();
    let declared = app.prices().declare(app.store(), &config.prices, now);
    match declared.await {
        Ok(false) => {}
        Ok(true) => {
            // Other nodes that do not hear of it read the prices with their next change.
            if let Err(error) = app.shared().publish(Change::Prices).await {
                tracing::warn!(%error, "other nodes were not told of the changed prices");
            }
        }
        Err(error) => tracing::error!(%error, "the declared prices were not put into effect"),
    }
}
