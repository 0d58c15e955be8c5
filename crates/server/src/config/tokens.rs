//! `[[tokens]]`: tokens declared in the file. They answer 401 until the root user exists.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::dollars::Dollars;
use super::loader::Declaration;
use super::network::Network;
use super::secret::Secret;
use crate::model_pattern;

/// One `[[tokens]]` entry.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenDeclaration {
    /// Its name, unique among the declared tokens.
    pub name: String,
    /// The token itself: 16 to 256 visible characters.
    #[serde(default)]
    pub key: Option<Secret>,
    /// The environment variable that holds the token.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Whose it is; absent: the root user's.
    #[serde(default)]
    pub user: Option<String>,
    /// The group whose channels and prices it uses; absent: its user's.
    #[serde(default)]
    pub group: Option<String>,
    /// Models it may use, a `*` at the end of a name for anything; empty: all.
    #[serde(default)]
    pub models: Vec<String>,
    /// Endpoints it may use; empty: all.
    #[serde(default)]
    pub endpoints: Vec<String>,
    /// Networks it may be used from; empty: all.
    #[serde(default)]
    pub cidrs: Vec<Network>,
    /// Calls per minute; 0 is no limit.
    #[serde(default)]
    pub rpm: u32,
    /// Model tokens per minute; 0 is no limit.
    #[serde(default)]
    pub tpm: u32,
    /// Calls at once; 0 is no limit.
    #[serde(default)]
    pub concurrency: u32,
    /// What it may spend in all; absent: what the wallet holds.
    #[serde(default)]
    pub budget_total_usd: Option<Dollars>,
    /// What it may spend in a day.
    #[serde(default)]
    pub budget_daily_usd: Option<Dollars>,
    /// What it may spend in a week.
    #[serde(default)]
    pub budget_weekly_usd: Option<Dollars>,
    /// What it may spend in a month.
    #[serde(default)]
    pub budget_monthly_usd: Option<Dollars>,
}

impl Declaration for TokenDeclaration {
    const LIST: &'static str = "tokens";

    fn resolve(
        &mut self,
        environment: &BTreeMap<String, String>,
        refuse: &mut dyn FnMut(&'static str, String),
    ) {
        match (&self.key, &self.key_env) {
            (Some(_), Some(_)) | (None, None) => {
                refuse(
                    "key",
                    "exactly one of key and key_env must be set".to_owned(),
                );
            }
            (None, Some(variable)) => match key_from_environment(variable, environment) {
                Ok(key) => self.key = Some(key),
                Err(text) => refuse("key_env", text),
            },
            (Some(_), None) => {}
        }
        if self.key.as_ref().is_some_and(|key| !is_token(key.expose())) {
            refuse("key", "a token has 16 to 256 visible characters".to_owned());
        }
        if self.name.trim().is_empty() {
            refuse("name", "must not be empty".to_owned());
        }
        for model in &self.models {
            if let Err(problem) = model_pattern::check(model, None) {
                refuse("models", format!("\"{model}\" {problem}"));
            }
        }
    }

    fn identity(&self) -> (&'static str, &str) {
        ("name", &self.name)
    }
}

/// Whether a text can serve as a token.
pub fn is_token(text: &str) -> bool {
    (16..=256).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The credential in an environment variable that a declaration names.
pub(super) fn key_from_environment(
    variable: &str,
    environment: &BTreeMap<String, String>,
) -> Result<Secret, String> {
    match environment.get(variable) {
        Some(text) if !text.trim().is_empty() => Ok(Secret::new(text.trim())),
        Some(_) => Err(format!("the environment variable {variable} is empty")),
        None => Err(format!("the environment variable {variable} is not set")),
    }
}
