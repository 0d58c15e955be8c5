//! `[registration]`, `[referral]` and `[login]`: who may have an account, what inviting earns,
//! and how sessions and failed logins are treated.

use serde::Deserialize;

use super::dollars::Dollars;
use super::loader::Section;

/// The `[registration]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RegistrationConfig {
    /// Whether visitors may create accounts for themselves.
    pub enabled: bool,
    /// Whether a new account needs somebody's invite code.
    pub invite_only: bool,
    /// Domains whose addresses accounts must have, checked at every login; empty: any, or none.
    pub email_domains: Vec<String>,
    /// What a new account is given, in dollars.
    pub grant_usd: Dollars,
    /// Accounts that may be made from one place in a day; 0 is no limit.
    pub daily: u32,
}

impl RegistrationConfig {
    /// Whether an account may have this address, or none.
    pub fn allows(&self, email: Option<&str>) -> bool {
        let domain = email.and_then(|email| email.rsplit_once('@'));
        let is_domain =
            |one: &String| domain.is_some_and(|(_, domain)| one.eq_ignore_ascii_case(domain));
        self.email_domains.is_empty() || self.email_domains.iter().any(is_domain)
    }
}

impl Default for RegistrationConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            invite_only: false,
            email_domains: Vec::new(),
            grant_usd: Dollars::whole(0),
            daily: 0,
        }
    }
}

impl Section for RegistrationConfig {
    const NAME: &'static str = "registration";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        let is_domain = |text: &String| {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
            text.contains('.') && !text.starts_with('.') && text.chars().all(is_plain)
        };
        if let Some(wrong) = self.email_domains.iter().find(|text| !is_domain(text)) {
            let text = format!("\"{wrong}\" is no domain such as example.org");
            refuse("email_domains", text);
        }
    }
}

/// When an invitation is rewarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ReferralEvent {
    /// As soon as the invited person has registered.
    #[serde(rename = "registration")]
    Registration,
    /// When the invited person has paid for the first time.
    #[serde(rename = "first_topup")]
    FirstTopUp,
}

/// The `[referral]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReferralConfig {
    /// `registration` or `first_topup`.
    pub event: ReferralEvent,
    /// What the inviter earns, in dollars.
    pub inviter_usd: Dollars,
    /// What the invited person is given, in dollars.
    pub invitee_usd: Dollars,
    /// Least amount of earnings that can be moved to the wallet, in dollars.
    pub minimum_transfer_usd: Dollars,
}

impl Default for ReferralConfig {
    fn default() -> Self {
        Self {
            event: ReferralEvent::Registration,
            inviter_usd: Dollars::whole(0),
            invitee_usd: Dollars::whole(0),
            minimum_transfer_usd: Dollars::whole(1),
        }
    }
}

impl Section for ReferralConfig {
    const NAME: &'static str = "referral";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, _: &mut dyn FnMut(&'static str, String)) {}
}

/// The `[login]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoginConfig {
    /// How long a login session lives, in hours.
    pub session_hours: u32,
    /// Failed logins of one account from one network before that network is locked out of it. All networks together, and
    /// one network for all accounts, may fail ten times as often; a device that has logged in before is counted by itself.
    pub failures: u32,
    /// How long a lock lasts, in seconds.
    pub lock_s: u32,
    /// Login attempts per minute and address, failed or not; 0 is no limit.
    pub rpm: u32,
    /// Least length of a password.
    pub password_length: u32,
}

impl Default for LoginConfig {
    fn default() -> Self {
        Self {
            session_hours: 720,
            failures: 5,
            lock_s: 300,
            rpm: 0,
            password_length: 8,
        }
    }
}

impl Section for LoginConfig {
    const NAME: &'static str = "login";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        let mut at_least_one = |key, value: u32| {
            if value == 0 {
                refuse(key, "must be at least 1".to_owned());
            }
        };
        at_least_one("session_hours", self.session_hours);
        at_least_one("failures", self.failures);
        at_least_one("lock_s", self.lock_s);
        if !(6..=128).contains(&self.password_length) {
            refuse("password_length", "must be between 6 and 128".to_owned());
        }
    }
}
