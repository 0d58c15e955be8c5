//! The brake on guessing: failed tries are counted per account and per address. A try is counted
//! before it is looked at and given back when it was right, so that parallel guesses cannot outrun
//! the count and successes are never held up.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use store::shared::{Charge, Limit, SharedError, Verdict};

use crate::app::App;
use crate::secrets::hash_token;

/// An IPv6 customer has at least this much to choose addresses from.
const IPV6_NETWORK_BITS: u8 = 64;

/// What is guessed at.
#[derive(Clone, Copy, Debug)]
pub enum Guess<'a> {
    /// The password of whoever has this login name or e-mail address, or of nobody.
    Password(&'a str),
    /// The code that a mail to this address holds.
    MailedCode(&'a str),
    /// The setup code.
    SetupCode,
    /// Somebody's invite code.
    InviteCode(&'a str),
    /// A code of a second factor; the factor itself counts them per account.
    FactorCode,
}

/// Why a try is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Throttled {
    /// There were too many; the next is taken after so many seconds.
    #[error("too many failed tries; locked for {0} seconds")]
    Locked(u64),
    /// It could not be counted.
    #[error(transparent)]
    Shared(#[from] SharedError),
}

/// How often an address may fail for each time that an account may: many people share one.
const ADDRESS_FACTOR: u64 = 10;

/// A try that was counted.
#[derive(Debug)]
pub struct Try {
    counts: Vec<(String, Limit)>,
    at_ms: i64,
    is_local: bool,
}

/// Counts a try; refused where the account or the address has failed too often.
pub async fn begin_try(app: &App, guess: Guess<'_>, address: IpAddr) -> Result<Try, Throttled> {
    let now = app.clock().now_ms();
    let login = app.config().login.clone();
    let (failures, lock_ms) = (u64::from(login.failures), u64::from(login.lock_s) * 1000);
    let (account, network) = keys(app, guess, address);
    let mut counts = Vec::with_capacity(2);
    if let Some(account) = account {
        counts.push((account, Limit::window(failures, lock_ms)?));
    }
    counts.push((network, Limit::window(failures * ADDRESS_FACTOR, lock_ms)?));
    let mut charges: Vec<Charge<'_>> = Vec::with_capacity(3);
    for (key, limit) in &counts {
        charges.push(Charge {
            key,
            limit: *limit,
            cost: 1,
        });
    }
    let rate = format!("login:rate:{}", network_of(address));
    // The second step is no login of its own.
    if login.rpm > 0 && !matches!(guess, Guess::FactorCode) {
        let limit = Limit::window(u64::from(login.rpm), 60_000)?;
        charges.push(Charge {
            key: &rate,
            limit,
            cost: 1,
        });
    }
    let (verdict, is_local) = take(app, &charges, now).await?;
    admitted(&verdict, lock_ms)?;
    Ok(Try {
        counts,
        at_ms: now,
        is_local,
    })
}

/// Counts an account that a visitor makes; refused where so many were made from the same place within a day.
pub async fn begin_registering(app: &App, address: IpAddr) -> Result<(), Throttled> {
    const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
    let daily = u64::from(app.config().registration.daily);
    if daily == 0 {
        return Ok(());
    }
    let charge = Charge {
        key: &format!("registered:{}", network_of(address)),
        limit: Limit::window(daily, DAY_MS)?,
        cost: 1,
    };
    let (verdict, _) = take(app, &[charge], app.clock().now_ms()).await?;
    admitted(&verdict, DAY_MS)
}

/// Allows one mail a minute to an address, and ten from one place: nobody's mailbox is flooded.
pub async fn begin_mailing(app: &App, email: &str, address: IpAddr) -> Result<(), Throttled> {
    const MINUTE_MS: u64 = 60_000;
    let (mailbox, place) = keys(app, Guess::MailedCode(email), address);
    let mailbox = mailbox.unwrap_or_default();
    let charges = [
        Charge {
            key: &format!("sent:{mailbox}"),
            limit: Limit::window(1, MINUTE_MS)?,
            cost: 1,
        },
        Charge {
            key: &format!("sent:{place}"),
            limit: Limit::window(10, MINUTE_MS)?,
            cost: 1,
        },
    ];
    let (verdict, _) = take(app, &charges, app.clock().now_ms()).await?;
    admitted(&verdict, MINUTE_MS)
}

impl Try {
    /// It was right: it does not count.
    pub async fn forgive(self, app: &App) {
        let now = app.clock().now_ms();
        let shared = if self.is_local {
            app.local()
        } else {
            app.shared()
        };
        for (key, limit) in &self.counts {
            if let Err(error) = shared.correct(key, *limit, -1, self.at_ms, now).await {
                tracing::warn!(%error, "a right login still counts as a failed try");
            }
        }
    }
}

/// Whether there was room; where there was not, how long until there is, a whole window where nobody can say.
fn admitted(verdict: &Verdict, window_ms: u64) -> Result<(), Throttled> {
    match verdict {
        Verdict::Admitted { .. } => Ok(()),
        Verdict::Refused { retry_after_ms, .. } => {
            let wait_ms = retry_after_ms.unwrap_or(window_ms);
            Err(Throttled::Locked(wait_ms.div_ceil(1000).max(1)))
        }
    }
}

/// Counts in the shared state, and while that is away on this node alone: guessing must not become
/// free because Redis is down.
async fn take(app: &App, charges: &[Charge<'_>], now: i64) -> Result<(Verdict, bool), SharedError> {
    match app.shared().take_all(charges, now).await {
        Err(error) if error.is_unavailable() => {
            tracing::warn!(%error, "logins are counted on this node alone");
            Ok((app.local().take_all(charges, now).await?, true))
        }
        verdict => Ok((verdict?, false)),
    }
}

/// The account's key, where its failures count here, and the address's. Names are hashed: they may be long, and
/// somebody may have typed a password into the wrong field.
fn keys(app: &App, guess: Guess<'_>, address: IpAddr) -> (Option<String>, String) {
    let (kind, name) = match guess {
        Guess::Password(name) => ("password", Some(name)),
        Guess::MailedCode(email) => ("mail", Some(email)),
        Guess::SetupCode => ("setup", Some("")),
        Guess::InviteCode(code) => ("invite", Some(code)),
        Guess::FactorCode => ("code", None),
    };
    let account = name.map(|name| {
        let hash = hash_token(app.keys(), "throttle", &name.trim().to_lowercase());
        format!("login:{kind}:account:{}", URL_SAFE_NO_PAD.encode(hash))
    });
    let network = format!("login:{kind}:address:{}", network_of(address));
    (account, network)
}

/// What counts as one address.
fn network_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let bits = u128::from(address) >> (128 - IPV6_NETWORK_BITS);
            format!("{bits:x}::/{IPV6_NETWORK_BITS}")
        }
    }
}
