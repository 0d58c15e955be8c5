//! `[console]` and `[routing]`: how the console presents the service, and how hard calls are tried.

use serde::Deserialize;

use super::loader::Section;

/// Whom the service is for; the console hides what does not concern them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ConsoleMode {
    /// One person: no wallets, users, codes or invitations are shown.
    Personal,
    /// People who know each other.
    Team,
    /// Anyone who registers.
    Public,
}

/// The colour of the ribbon that names an environment.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentColor {
    /// Calm.
    Gray,
    /// Also calm.
    Blue,
    /// Safe to try things.
    Green,
    /// Take care.
    Yellow,
    /// Take more care.
    Orange,
    /// The real thing.
    Red,
    /// Something of its own.
    Violet,
}

/// The `[console]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsoleConfig {
    /// What the pages call the service.
    pub name: String,
    /// `personal`, `team` or `public`.
    pub mode: ConsoleMode,
    /// A ribbon with this word on every page, so that staging is not mistaken for production.
    pub environment_name: Option<String>,
    /// The ribbon's colour.
    pub environment_color: EnvironmentColor,
    /// Whether visitors may see models and prices.
    pub catalogue: bool,
    /// Whether visitors may see how the models are doing.
    pub status_page: bool,
    /// The currency that amounts are shown in; accounts are kept in dollars.
    pub display_currency: String,
    /// How many of it a dollar is, as decimal text.
    pub display_rate: String,
}

impl Default for ConsoleConfig {
    fn default() -> Self {
        Self {
            name: "Modelgate".to_owned(),
            mode: ConsoleMode::Public,
            environment_name: None,
            environment_color: EnvironmentColor::Orange,
            catalogue: true,
            status_page: true,
            display_currency: "USD".to_owned(),
            display_rate: "1".to_owned(),
        }
    }
}

impl Section for ConsoleConfig {
    const NAME: &'static str = "console";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if self.name.trim().is_empty() || self.name.chars().count() > 60 {
            refuse("name", "must have 1 to 60 characters".to_owned());
        }
        let ribbon = self.environment_name.as_deref().unwrap_or("x");
        if ribbon.trim().is_empty() || ribbon.chars().count() > 30 {
            refuse(
                "environment_name",
                "must have 1 to 30 characters".to_owned(),
            );
        }
        let code = self.display_currency.as_bytes();
        if code.len() != 3 || !code.iter().all(u8::is_ascii_uppercase) {
            let text = "must be a currency's three letters, like EUR".to_owned();
            refuse("display_currency", text);
        }
        if !is_rate(&self.display_rate) {
            let text = "must be a number above zero as decimal text, like \"0.92\"".to_owned();
            refuse("display_rate", text);
        }
    }
}

/// Digits with at most one point, not all zero: a rate is shown, never calculated with here.
fn is_rate(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| {
        !digits.is_empty() && digits.len() <= 12 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    is_number(whole) && is_number(part) && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

/// The `[routing]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingConfig {
    /// How many upstreams one call may try.
    pub attempts: usize,
    /// Whether ids of what a vendor keeps are handed on to it.
    pub pass_vendor_state: bool,
}

impl Default for RoutingConfig {
    fn default() -> Self {
        Self {
            attempts: 6,
            pass_vendor_state: false,
        }
    }
}

impl Section for RoutingConfig {
    const NAME: &'static str = "routing";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if !(1..=20).contains(&self.attempts) {
            refuse("attempts", "must be between 1 and 20".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_rate;

    #[test]
    fn a_rate_is_a_plain_number_above_zero() {
        for text in ["1", "0.92", "150", "7.1000"] {
            assert!(is_rate(text), "{text}");
        }
        for text in ["", "0", "0.0", ".5", "1.", "-1", "1e3", "1,5", "1.2.3"] {
            assert!(!is_rate(text), "{text}");
        }
    }
}
