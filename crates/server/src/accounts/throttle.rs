//! Throttling of guesses. Failed attempts are counted per account and network, per network, and per account as a whole.
//! A known device is counted by itself, so that strangers cannot lock it out. An attempt is counted before
//! it is checked and given back if it was right, so that parallel guesses cannot outrun the count and successes are
//! never delayed.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use store::shared::{Charge, Limit, SharedError, Verdict};

use super::device::Device;
use super::session::Client;
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
    /// The setup code, which nobody can guess: wrong ones only cost their sender.
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

/// How often a network may fail for each time that an account may fail from one network: many people share one.
const NETWORK_FACTOR: u64 = 10;

/// How often an account may fail from all networks together for each time that it may from one.
const ACCOUNT_FACTOR: u64 = 10;

/// An attempt that was counted.
#[derive(Debug)]
pub struct Try {
    counts: Vec<(String, Limit)>,
    at_ms: i64,
    is_local: bool,
    left: u64,
}

/// Counts an attempt from a client; refused if there were too many failed ones. `device` is the client's mark
/// of the account that is guessed at.
pub async fn begin_try(
    app: &App,
    guess: Guess<'_>,
    client: &Client,
    device: Option<&Device>,
) -> Result<Try, Throttled> {
    let login = app.config().login.clone();
    let (failures, lock_ms) = (u64::from(login.failures), u64::from(login.lock_s) * 1000);
    let mut counts = Vec::with_capacity(4);
    for (key, factor) in keys(app, guess, client.address, device) {
        counts.push((key, Limit::window(failures * factor, lock_ms)?));
    }
    // The second step is no login of its own.
    let rpm = u64::from(login.rpm);
    let rate = match guess {
        Guess::FactorCode => None,
        _ if rpm == 0 => None,
        _ => Some((
            format!("login:rate:{}", network_of(client.address)),
            Limit::window(rpm, 60_000)?,
        )),
    };
    count(app, counts, rate, lock_ms).await
}

/// Counts an attempt at the second factor from a known device.
pub async fn begin_device_code(
    app: &App,
    device: &Device,
    failures: u64,
) -> Result<Try, Throttled> {
    const DAY_MS: u64 = 86_400_000;
    let lock_ms = u64::from(app.config().login.lock_s) * 1000;
    let key = format!("login:code:device:{}", device.id());
    let counts = vec![
        (key.clone(), Limit::window(failures, lock_ms)?),
        (format!("{key}:day"), Limit::window(failures * 4, DAY_MS)?),
    ];
    count(app, counts, None, lock_ms).await
}

/// Charges all counts, and the rate, which a right attempt does not give back.
async fn count(
    app: &App,
    counts: Vec<(String, Limit)>,
    rate: Option<(String, Limit)>,
    lock_ms: u64,
) -> Result<Try, Throttled> {
    let at_ms = app.clock().now_ms();
    let all = counts.iter().chain(&rate);
    let charges: Vec<Charge<'_>> = all
        .map(|(key, limit)| Charge {
            key,
            limit: *limit,
            cost: 1,
        })
        .collect();
    let (verdict, is_local) = take(app, &charges, at_ms).await?;
    admitted(&verdict, lock_ms)?;
    let left = match &verdict {
        Verdict::Admitted { remaining } => remaining[..counts.len()].iter().min().copied(),
        Verdict::Refused { .. } => None,
    };
    Ok(Try {
        counts,
        at_ms,
        is_local,
        left: left.unwrap_or(0),
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
    let (mailbox, place) = (account_key(app, "mail", email), network_of(address));
    let charges = [
        Charge {
            key: &format!("sent:{mailbox}"),
            limit: Limit::window(1, MINUTE_MS)?,
            cost: 1,
        },
        Charge {
            key: &format!("sent:login:mail:address:{place}"),
            limit: Limit::window(10, MINUTE_MS)?,
            cost: 1,
        },
    ];
    let (verdict, _) = take(app, &charges, app.clock().now_ms()).await?;
    admitted(&verdict, MINUTE_MS)
}

impl Try {
    /// How many more may fail.
    pub fn left(&self) -> u64 {
        self.left
    }

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

/// What a guess is counted under, each with how often it may fail.
fn keys(
    app: &App,
    guess: Guess<'_>,
    address: IpAddr,
    device: Option<&Device>,
) -> Vec<(String, u64)> {
    let (kind, name) = match guess {
        Guess::Password(name) => ("password", Some(name)),
        Guess::MailedCode(email) => ("mail", Some(email)),
        Guess::SetupCode => ("setup", None),
        Guess::InviteCode(code) => ("invite", Some(code)),
        Guess::FactorCode => ("code", None),
    };
    if let Some(device) = device {
        return vec![(format!("login:{kind}:device:{}", device.id()), 1)];
    }
    let network = network_of(address);
    let factor = match guess {
        Guess::SetupCode => 1,
        _ => NETWORK_FACTOR,
    };
    let mut keys = Vec::with_capacity(3);
    if let Some(name) = name {
        let account = account_key(app, kind, name);
        keys.push((format!("{account}:{network}"), 1));
        keys.push((account, ACCOUNT_FACTOR));
    }
    keys.push((format!("login:{kind}:address:{network}"), factor));
    keys
}

/// Names are hashed: they may be long, and somebody may have typed a password into the wrong field.
fn account_key(app: &App, kind: &str, name: &str) -> String {
    let hash = hash_token(app.keys(), "throttle", &name.trim().to_lowercase());
    format!("login:{kind}:account:{}", URL_SAFE_NO_PAD.encode(hash))
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
