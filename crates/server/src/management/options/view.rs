//! A setting as the interface shows it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::pages::page_of;
use crate::config::{Origin, Place, SettingDescription};

/// A setting.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Option")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that a page reads one by one"
)]
pub struct OptionView {
    /// Section and key, for example `server.grace_s`.
    pub key: String,
    /// The section.
    section: &'static str,
    /// The page of the console: `general`, `sign-in`, `billing`, `routing`, `limits`, `privacy`,
    /// `e-mail` or `appearance`.
    page: &'static str,
    /// What it means.
    about: String,
    /// `text`, `number`, `switch` or `list`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The words that it takes, where it takes one of few.
    choices: Vec<&'static str>,
    /// The default; `null` where there is none.
    default: Option<Value>,
    /// What is in effect; `null` where nothing is, or where it is secret.
    pub value: Option<Value>,
    /// Whether it is a secret, which is never shown.
    pub secret: bool,
    /// Whether it was set anywhere.
    pub is_set: bool,
    /// Whether it can be changed here.
    pub writable: bool,
    /// Why not, for people.
    pub locked_because: Option<String>,
    /// Whether a change takes a step-up.
    pub sensitive: bool,
    /// `default`, `file`, `environment`, `flag` or `database`.
    origin: &'static str,
    /// Where exactly: the line, the variable, the flag.
    origin_detail: Option<String>,
    /// The environment variable that sets it; none where it is in the database only.
    environment: Option<String>,
    /// Whether a change needs a restart.
    needs_restart: bool,
}

impl OptionView {
    /// What may be shown of a setting.
    pub fn of(setting: SettingDescription) -> Self {
        let (origin, detail) = match &setting.origin {
            Origin::Default => ("default", None),
            Origin::File { .. } => ("file", Some(setting.origin.to_string())),
            Origin::Environment(_) => ("environment", Some(setting.origin.to_string())),
            Origin::Flag(_) => ("flag", Some(setting.origin.to_string())),
            Origin::Database => ("database", None),
        };
        let locked_because = locked_because(&setting);
        Self {
            key: format!("{}.{}", setting.section, setting.key),
            section: setting.section,
            page: page_of(setting.section),
            kind: setting.kind.unwrap_or("text"),
            choices: setting.choices,
            default: setting.default.map(json),
            value: setting.value.map(json),
            secret: setting.is_secret,
            is_set: setting.is_set,
            writable: locked_because.is_none(),
            locked_because,
            sensitive: setting.is_secret || is_sensitive(setting.section, setting.key),
            origin,
            origin_detail: detail,
            environment: Some(setting.environment),
            needs_restart: setting.place == Place::Restart,
            about: setting.about,
        }
    }

    /// What set-up decided for good.
    pub fn of_set_up(key: &str, about: &str, value: Value) -> Self {
        Self {
            key: key.to_owned(),
            section: "installation",
            page: page_of("installation"),
            about: about.to_owned(),
            kind: "switch",
            choices: Vec::new(),
            default: Some(Value::Bool(false)),
            value: Some(value),
            secret: false,
            is_set: true,
            writable: false,
            locked_because: Some("Set-up decided it.".to_owned()),
            sensitive: false,
            origin: "database",
            origin_detail: None,
            environment: None,
            needs_restart: false,
        }
    }
}

impl OptionView {
    /// Whether it decides what calls and invitations are worth.
    pub fn is_about_money(&self) -> bool {
        matches!(self.section, "billing" | "referral")
    }
}

fn locked_because(setting: &SettingDescription) -> Option<String> {
    match (&setting.origin, setting.place) {
        (Origin::Environment(name), _) => Some(format!("The environment variable {name} sets it.")),
        (Origin::Flag(name), _) => Some(format!("The flag {name} sets it.")),
        (_, Place::Restart) => Some(
            "It is set in the configuration file or the environment, and needs a restart."
                .to_owned(),
        ),
        (_, Place::Machine) => Some(
            "It guards the machine, and is set in its configuration file or environment only."
                .to_owned(),
        ),
        (_, Place::Anywhere) => None,
    }
}

/// Whether somebody who found an open session could do harm with it.
fn is_sensitive(section: &str, key: &str) -> bool {
    matches!(
        section,
        "registration"
            | "login"
            | "mail"
            | "payments.stripe"
            | "payments.epay"
            | "payments.sandbox"
            | "retention"
            | "outbound"
            | "alerts"
            | "telemetry"
    ) || matches!(
        (section, key),
        ("server", "public_url" | "cors_origins")
            | ("billing", "unpriced")
            | ("telemetry", "metrics_token")
    )
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
