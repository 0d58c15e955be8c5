//! `[payments.stripe]`, `[payments.epay]` and `[payments.sandbox]`: how wallets are topped up.

use serde::Deserialize;

use super::dollars::Dollars;
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

/// The `[payments.epay]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EpayConfig {
    /// Where the gateway is; `submit.php` and `api.php` are below it.
    pub address: Option<String>,
    /// The merchant's number there.
    pub pid: Option<String>,
    /// The merchant's key; top-up is offered when it is set.
    pub key: Option<Secret>,
    /// How it is paid, in the gateway's words; absent: the payer chooses on its page.
    pub method: Option<String>,
    /// The currency that the gateway takes, as three small letters.
    pub currency: String,
    /// How much of it a dollar of credit costs, as decimal text.
    pub per_usd: Option<Dollars>,
}

impl Default for EpayConfig {
    fn default() -> Self {
        Self {
            address: None,
            pid: None,
            key: None,
            method: None,
            currency: "cny".to_owned(),
            per_usd: None,
        }
    }
}

impl Section for EpayConfig {
    const NAME: &'static str = "payments.epay";
    const NEEDS_RESTART: &'static [&'static str] = &[];
    const ON_THE_MACHINE: &'static [&'static str] = &["address"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        let is_link = |url: &String| url.starts_with("https://") || url.starts_with("http://");
        if self.address.as_ref().is_some_and(|url| !is_link(url)) {
            refuse("address", "must begin with https:// or http://".to_owned());
        }
        let code = self.currency.as_bytes();
        if code.len() != 3 || !code.iter().all(u8::is_ascii_lowercase) {
            let text = "must be a currency's three small letters, like cny".to_owned();
            refuse("currency", text);
        }
        // Beyond it an order of the most that can be ordered is no longer a sum.
        let rates = Dollars::LEAST..=Dollars::whole(1_000_000);
        if self.per_usd.is_some_and(|rate| !rates.contains(&rate)) {
            let text = "must be above zero and at most a million".to_owned();
            refuse("per_usd", text);
        }
        let Some(key) = &self.key else {
            return;
        };
        if key.is_empty() {
            refuse("key", "must not be empty".to_owned());
        }
        let needed = [
            ("address", self.address.is_some()),
            ("pid", self.pid.as_ref().is_some_and(|pid| !pid.is_empty())),
            ("per_usd", self.per_usd.is_some()),
        ];
        for (name, _) in needed.into_iter().filter(|(_, is_there)| !is_there) {
            refuse(name, "is needed beside a key".to_owned());
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
