//! Reading the settings.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use store::settings;

use super::view::OptionView;
use crate::app::App;
use crate::config::describe;
use crate::management::frame::{ApiError, Reply};
use crate::settings::Settings;

/// `GET /api/option/`.
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Reply<Vec<OptionView>>, ApiError> {
    let stored = settings::load::<Settings>(app.store().read()).await?;
    let stored = stored.map(|stored| stored.document).unwrap_or_default();
    let described = describe(&app.config());
    let mut options: Vec<OptionView> = described.into_iter().map(OptionView::of).collect();
    options.push(OptionView::of_set_up(
        "installation.is_demo",
        "Whether set-up chose the demo channel, which also switches the sandbox payments on.",
        Value::Bool(stored.is_demo),
    ));
    Ok(Reply::of(options))
}
