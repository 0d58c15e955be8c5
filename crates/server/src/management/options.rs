//! Settings as they are in effect, with their defaults and where each was set. They are changed
//! where they were set; nothing is written here.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::settings;

use super::frame::{ApiError, Level, Reply, Route};
use crate::app::App;
use crate::config::{Origin, SettingDescription, describe};
use crate::settings::Settings;

/// The routes of settings.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/option/", Level::Administrator, list)
            .about("Read the settings in effect, and where each was set")
            .gives::<Vec<OptionView>>(),
    ]
}

/// A setting.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Option")]
pub struct OptionView {
    /// Section and key, for example `server.grace_s`.
    key: String,
    /// The section.
    section: &'static str,
    /// What it means.
    about: String,
    /// `text`, `number`, `switch` or `list`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The default; `null` where there is none.
    default: Option<Value>,
    /// What is in effect; `null` where nothing is, or where it is secret.
    value: Option<Value>,
    /// Whether it holds a secret that is set.
    secret: bool,
    /// `default`, `file`, `environment`, `flag` or `database`.
    origin: &'static str,
    /// Where exactly: the line, the variable, the flag.
    origin_detail: Option<String>,
    /// The environment variable that sets it; none where it is in the database.
    environment: Option<String>,
    /// Whether a change needs a restart.
    needs_restart: bool,
}

async fn list(State(app): State<Arc<App>>) -> Result<Reply<Vec<OptionView>>, ApiError> {
    let stored = settings::load::<Settings>(app.store().read()).await?;
    let stored = stored.map(|stored| stored.document).unwrap_or_default();
    let mut options: Vec<OptionView> = describe(&app.config()).into_iter().map(view).collect();
    options.push(in_database(
        "installation.is_demo",
        "Whether set-up chose the demo channel, which also switches the sandbox payments on.",
        stored.is_demo,
    ));
    Ok(Reply::of(options))
}

fn view(setting: SettingDescription) -> OptionView {
    let origin = match setting.origin {
        Origin::Default => "default",
        Origin::File { .. } => "file",
        Origin::Environment(_) => "environment",
        Origin::Flag(_) => "flag",
    };
    let detail = (origin != "default").then(|| setting.origin.to_string());
    OptionView {
        key: format!("{}.{}", setting.section, setting.key),
        section: setting.section,
        about: setting.about,
        kind: setting.kind.unwrap_or("text"),
        default: setting.default.map(json),
        value: setting.value.map(json),
        secret: setting.is_secret,
        origin,
        origin_detail: detail,
        environment: Some(setting.environment),
        needs_restart: setting.needs_restart,
    }
}

fn in_database(key: &str, about: &str, value: bool) -> OptionView {
    OptionView {
        key: key.to_owned(),
        section: "installation",
        about: about.to_owned(),
        kind: "switch",
        default: Some(Value::Bool(false)),
        value: Some(Value::Bool(value)),
        secret: false,
        origin: "database",
        origin_detail: None,
        environment: None,
        needs_restart: false,
    }
}

/// A value of the configuration as JSON.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(is_on) => Value::Bool(is_on),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(values) => values.into_iter().map(json).collect(),
        toml::Value::Table(table) => table
            .into_iter()
            .map(|(key, value)| (key, json(value)))
            .collect(),
    }
}
