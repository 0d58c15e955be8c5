//! `GET /api/status`: what a page needs before anybody is logged in.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::management::frame::{ApiError, Moment, Reply};
use crate::settings::Settings;

/// What a visitor may know of the installation.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that a page reads one by one"
)]
pub struct StatusView {
    /// The program's version.
    version: &'static str,
    /// Whether there is a root user; otherwise set-up comes first.
    is_set_up: bool,
    /// Whether set-up chose the demo channel.
    is_demo: bool,
    /// Whether visitors may make accounts.
    registration: bool,
    /// Whether registration takes an address and the code mailed to it.
    email_verification: bool,
    /// Least length of a password.
    password_length: u32,
    /// The time of the service.
    now: Moment,
}

/// Shows the status.
pub(super) async fn show(State(app): State<Arc<App>>) -> Result<Reply<StatusView>, ApiError> {
    let stored = store::settings::load::<Settings>(app.store().read()).await?;
    let settings = stored.map(|stored| stored.document).unwrap_or_default();
    let config = app.config();
    Ok(Reply::of(StatusView {
        version: env!("CARGO_PKG_VERSION"),
        is_set_up: settings.is_set_up,
        is_demo: settings.is_demo,
        registration: config.registration.enabled,
        email_verification: config.mail.host.is_some(),
        password_length: config.login.password_length,
        now: Moment(app.clock().now_ms()),
    }))
}
