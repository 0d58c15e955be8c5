//! Sending mail through the configured server: short texts to one person each.

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};

use crate::config::{MailConfig, MailSecurity};

/// Longest wait for the mail server.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// There is no mail server.
    #[error("no mail server is configured")]
    NotConfigured,
    /// An address cannot be used.
    #[error("the address cannot be used: {0}")]
    Address(#[from] lettre::address::AddressError),
    /// The message could not be made.
    #[error("the message cannot be made: {0}")]
    Message(#[from] lettre::error::Error),
    /// The mail server refused it or is away.
    #[error("the mail server: {0}")]
    Server(#[from] lettre::transport::smtp::Error),
}

/// Sends a text to one person.
pub async fn send_mail(
    config: &MailConfig,
    to: &str,
    subject: &str,
    text: String,
) -> Result<(), MailError> {
    let message = Message::builder()
        .from(config.from.parse::<Mailbox>()?)
        .to(Mailbox::new(None, to.parse()?))
        .subject(subject)
        .header(ContentType::TEXT_PLAIN)
        .body(text)?;
    transport(config)?.send(message).await?;
    Ok(())
}

fn transport(config: &MailConfig) -> Result<AsyncSmtpTransport<Tokio1Executor>, MailError> {
    let host = config.host.as_deref().ok_or(MailError::NotConfigured)?;
    let tls = match config.security {
        MailSecurity::Starttls => Tls::Required(TlsParameters::new(host.to_owned())?),
        MailSecurity::Tls => Tls::Wrapper(TlsParameters::new(host.to_owned())?),
        MailSecurity::None => Tls::None,
    };
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
        .port(config.port)
        .tls(tls)
        .timeout(Some(PATIENCE));
    if let (Some(name), Some(password)) = (&config.username, &config.password) {
        let password = password.expose().to_owned();
        builder = builder.credentials(Credentials::new(name.clone(), password));
    }
    Ok(builder.build())
}
