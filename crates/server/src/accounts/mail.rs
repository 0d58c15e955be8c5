//! Sending mail through the configured server: short texts to one person each. The gateway resolves the server's name for
//! each mail, and connects to an address that the guard on private networks has checked.

use std::error::Error as _;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};

use providers::transport::{Resolve as _, SystemResolver};

use crate::config::{Config, MailConfig, MailSecurity};
use crate::outbound::guard;

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
    /// The server's name has no address.
    #[error("the name of the mail server could not be resolved")]
    Unresolved,
    /// The server has no address that may be connected to.
    #[error("the address of the mail server is private; add its network to [mail] allow_private")]
    Forbidden,
    /// The mail server refused it or is away.
    #[error("the mail server: {0}")]
    Server(#[from] lettre::transport::smtp::Error),
}

/// Sends a text to one person.
pub async fn send_mail(
    config: &Config,
    to: &str,
    subject: &str,
    text: String,
) -> Result<(), MailError> {
    let message = Message::builder()
        .from(config.mail.from.parse::<Mailbox>()?)
        .to(Mailbox::new(None, to.parse()?))
        .subject(subject)
        .header(ContentType::TEXT_PLAIN)
        .body(text)?;
    let host = config
        .mail
        .host
        .as_deref()
        .ok_or(MailError::NotConfigured)?;
    let mut failed = MailError::Unresolved;
    for address in checked_addresses(config, host).await? {
        let sent = transport(&config.mail, host, address)?
            .send(message.clone())
            .await;
        match sent {
            Ok(_) => return Ok(()),
            // Nothing was sent: the next address may work.
            Err(error) if is_unreachable(&error) => failed = error.into(),
            Err(error) => return Err(error.into()),
        }
    }
    Err(failed)
}

/// Returns the addresses of the mail server that may be connected to.
async fn checked_addresses(config: &Config, host: &str) -> Result<Vec<IpAddr>, MailError> {
    let resolving = SystemResolver.resolve(host, config.mail.port);
    let resolved = tokio::time::timeout(PATIENCE, resolving).await;
    let resolved = resolved.ok().and_then(Result::ok).unwrap_or_default();
    if resolved.is_empty() {
        return Err(MailError::Unresolved);
    }
    let guard = guard(
        config
            .mail
            .allow_private
            .iter()
            .chain(&config.outbound.allow_private),
    );
    let mut addresses: Vec<IpAddr> = resolved.iter().map(std::net::SocketAddr::ip).collect();
    addresses.retain(|address| guard.check(*address).is_ok());
    if addresses.is_empty() {
        return Err(MailError::Forbidden);
    }
    Ok(addresses)
}

/// Reports whether no connection could be made.
fn is_unreachable(error: &lettre::transport::smtp::Error) -> bool {
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<std::io::Error>());
    source.is_some_and(|error| {
        matches!(
            error.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
        )
    })
}

/// Returns a transport to an address of the mail server, whose certificate must be for its name.
fn transport(
    config: &MailConfig,
    host: &str,
    address: IpAddr,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, MailError> {
    let tls = match config.security {
        MailSecurity::Starttls => Tls::Required(TlsParameters::new(host.to_owned())?),
        MailSecurity::Tls => Tls::Wrapper(TlsParameters::new(host.to_owned())?),
        MailSecurity::None => Tls::None,
    };
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(address.to_string())
        .port(config.port)
        .tls(tls)
        .timeout(Some(PATIENCE));
    if let (Some(name), Some(password)) = (&config.username, &config.password) {
        let password = password.expose().to_owned();
        builder = builder.credentials(Credentials::new(name.clone(), password));
    }
    Ok(builder.build())
}
