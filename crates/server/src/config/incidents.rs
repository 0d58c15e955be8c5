//! `[incidents]` and `[alerts]`: when the gateway says that something is wrong, and to whom.

use serde::Deserialize;

use super::dollars::Dollars;
use super::loader::Section;
use super::secret::Secret;
use crate::incidents::Rule;

/// The `[incidents]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IncidentsConfig {
    /// Rules that are off.
    pub off: Vec<String>,
    /// So many seconds after trouble began it is an incident, for channels, Redis and the database.
    pub after_s: u32,
    /// So many seconds after it was last seen it is over.
    pub recovery_s: u32,
    /// So many seconds after a person closed one, its cause opens none.
    pub quiet_s: u32,
    /// How far back shares of calls look, in seconds.
    pub window_s: u32,
    /// The share of calls that may fail, in percent.
    pub error_percent: u32,
    /// A share counts from so many calls on.
    pub error_calls: u32,
    /// 95 of 100 first bytes come within so many milliseconds; 0 is off.
    pub first_byte_ms: u32,
    /// An hour may cost so many times the mean hour of the day before.
    pub spend_times: u32,
    /// And this much in any case.
    pub spend_usd: Dollars,
    /// A group of charges may take so many seconds to be written.
    pub settlement_s: u32,
    /// How full the journal may be, in percent.
    pub journal_percent: u32,
    /// How much of the disk must be free, in percent.
    pub disk_percent: u32,
    /// So many days the certificate must last.
    pub certificate_days: u32,
}

impl Default for IncidentsConfig {
    fn default() -> Self {
        Self {
            off: Vec::new(),
            after_s: 10,
            recovery_s: 60,
            quiet_s: 600,
            window_s: 300,
            error_percent: 25,
            error_calls: 20,
            first_byte_ms: 30_000,
            spend_times: 5,
            spend_usd: Dollars::whole(20),
            settlement_s: 10,
            journal_percent: 50,
            disk_percent: 5,
            certificate_days: 14,
        }
    }
}

impl Section for IncidentsConfig {
    const NAME: &'static str = "incidents";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        let names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        for name in &self.off {
            if !names.contains(&name.as_str()) {
                let known = names.join(", ");
                refuse("off", format!("{name} is no rule; there are {known}"));
            }
        }
        let percents = [
            ("error_percent", self.error_percent),
            ("journal_percent", self.journal_percent),
            ("disk_percent", self.disk_percent),
        ];
        for (key, percent) in percents {
            if !(1..=100).contains(&percent) {
                refuse(key, "must be between 1 and 100".to_owned());
            }
        }
        let windows = [("window_s", self.window_s), ("recovery_s", self.recovery_s)];
        for (key, seconds) in windows {
            if !(10..=3_600).contains(&seconds) {
                refuse(key, "must be between 10 and 3600".to_owned());
            }
        }
        if self.error_calls == 0 {
            refuse("error_calls", "must be at least 1".to_owned());
        }
        if self.spend_times < 2 {
            refuse("spend_times", "must be at least 2".to_owned());
        }
    }
}

/// How bad an incident must be for somebody to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeastSeverity {
    /// All are told.
    Warning,
    /// Those that clients notice.
    Critical,
}

/// What a webhook of alerts is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertFormat {
    /// A document of our own, signed.
    Signed,
    /// What Slack takes, and many others with it.
    Slack,
    /// What Discord takes.
    Discord,
    /// What Telegram's bots take; the chat is in the address.
    Telegram,
    /// What Feishu and Lark take.
    Feishu,
    /// What `DingTalk` takes.
    Dingtalk,
    /// What `WeCom` takes.
    Wecom,
}

/// The `[alerts]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AlertsConfig {
    /// Where incidents are posted to, as JSON.
    pub webhook_url: Option<String>,
    /// What is posted: a signed document, or a text as a chat service takes it.
    pub webhook_format: AlertFormat,
    /// What these posts are signed with.
    pub webhook_secret: Option<Secret>,
    /// Addresses that get mail.
    pub mail_to: Vec<String>,
    /// `warning` or `critical`.
    pub least: LeastSeverity,
}

impl Default for AlertsConfig {
    fn default() -> Self {
        Self {
            webhook_url: None,
            webhook_format: AlertFormat::Signed,
            webhook_secret: None,
            mail_to: Vec::new(),
            least: LeastSeverity::Warning,
        }
    }
}

impl Section for AlertsConfig {
    const NAME: &'static str = "alerts";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if let Some(url) = &self.webhook_url {
            if crate::outbound::target_of(url).is_none() {
                refuse("webhook_url", "is not an http or https address".to_owned());
            }
            if self.webhook_format == AlertFormat::Signed && self.webhook_secret.is_none() {
                let text = "is needed with webhook_url: no document is sent unsigned";
                refuse("webhook_secret", text.to_owned());
            }
        }
        for address in &self.mail_to {
            if let Err(error) = address.parse::<lettre::Address>() {
                refuse("mail_to", format!("{address} is not an address: {error}"));
            }
        }
    }
}
