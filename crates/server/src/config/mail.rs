//! `[mail]`: the mail server for verification codes, password resets and low balances.

use serde::Deserialize;

use super::dollars::Dollars;
use super::loader::Section;
use super::network::Network;
use super::secret::Secret;

/// How the connection to the mail server is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailSecurity {
    /// TLS after a plain greeting; usual on port 587.
    Starttls,
    /// TLS from the beginning; usual on port 465.
    Tls,
    /// Nothing; for a mail server on the same machine.
    None,
}

/// The `[mail]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MailConfig {
    /// The mail server; without it no mail is sent, and addresses are not verified.
    pub host: Option<String>,
    /// Its port.
    pub port: u16,
    /// `starttls`, `tls` or `none`.
    pub security: MailSecurity,
    /// Private, loopback or link-local networks in which the mail server may be, in addition to those of `[outbound]`.
    pub allow_private: Vec<Network>,
    /// The name to log in with.
    pub username: Option<String>,
    /// The password to log in with.
    pub password: Option<Secret>,
    /// The sender of all mail.
    pub from: String,
    /// Below which balance users are told by mail who did not choose themselves; zero is never.
    pub low_balance_usd: Dollars,
}

impl Default for MailConfig {
    fn default() -> Self {
        Self {
            host: None,
            port: 587,
            security: MailSecurity::Starttls,
            allow_private: Vec::new(),
            username: None,
            password: None,
            from: "Modelgate <modelgate@localhost>".to_owned(),
            low_balance_usd: Dollars::whole(0),
        }
    }
}

impl Section for MailConfig {
    const NAME: &'static str = "mail";
    const NEEDS_RESTART: &'static [&'static str] = &[];
    const ON_THE_MACHINE: &'static [&'static str] = &["allow_private"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if self
            .host
            .as_ref()
            .is_some_and(|host| host.trim().is_empty())
        {
            refuse("host", "must not be empty".to_owned());
        }
        if self.username.is_some() != self.password.is_some() {
            refuse(
                "username",
                "username and password must be set together".to_owned(),
            );
        }
        if let Err(error) = self.from.parse::<lettre::message::Mailbox>() {
            refuse("from", format!("is not an address: {error}"));
        }
    }
}
