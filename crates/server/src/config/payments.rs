//! `[payments.stripe]` and `[payments.sandbox]`: how wallets are topped up.

use serde::Deserialize;

use super::loader::Section;
use super::secret::Secret;

/// The `[payments.stripe]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StripeConfig {
    /// Secret API key; top-up through Stripe is offered when it is set.
    pub secret_key: Option<Secret>,
    /// Signing secret of the webhook endpoint; two, separated by a comma, while it is rotated.
    pub webhook_secret: Option<Secret>,
    /// Where the API is.
    pub api_base: String,
}

impl Default for StripeConfig {
    fn default() -> Self {
        Self {
            secret_key: None,
            webhook_secret: None,
            api_base: "https://api.stripe.com".to_owned(),
        }
    }
}

impl Section for StripeConfig {
    const NAME: &'static str = "payments.stripe";
    const NEEDS_RESTART: &'static [&'static str] = &[];
    const ON_THE_MACHINE: &'static [&'static str] = &["api_base"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if self.secret_key.as_ref().is_some_and(Secret::is_empty) {
            refuse("secret_key", "must not be empty".to_owned());
        }
        if self.webhook_secret.as_ref().is_some_and(Secret::is_empty) {
            refuse("webhook_secret", "must not be empty".to_owned());
        }
        if !self.api_base.starts_with("https://") && !self.api_base.starts_with("http://") {
            refuse("api_base", "must begin with https:// or http://".to_owned());
        }
    }
}

/// The `[payments.sandbox]` section.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxConfig {
    /// Whether play-money top-up is offered; absent: only where set-up chose the demo channel.
    pub enabled: Option<bool>,
    /// What its events are signed with; absent: a secret that follows from the master key.
    pub webhook_secret: Option<Secret>,
}

impl Section for SandboxConfig {
    const NAME: &'static str = "payments.sandbox";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if self.webhook_secret.as_ref().is_some_and(Secret::is_empty) {
            refuse("webhook_secret", "must not be empty".to_owned());
        }
    }
}
