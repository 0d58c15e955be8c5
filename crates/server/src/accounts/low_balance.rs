//! Tells people by mail that their balance is low: once for each fall below what they chose, or the operator for
//! them, and at most once a day. It reads the records alone; calls know nothing of it.

use billing::pricing::format_dollars;
use store::ledger;
use store::low_balances::{self, Watched};
use store::{StoreError, UserId};

use super::mail::{MailError, send_mail};
use crate::app::App;
use crate::config::Config;
use crate::payments::hundredths;

/// Users whose balances are read at once.
const AT_ONCE: u32 = 500;
const DAY_MS: i64 = 24 * 3_600_000;
/// After a failure that may pass, the same mail is tried again so much later.
const PAUSE_MS: i64 = 3_600_000;
/// After so many failures in a row the mail server is taken for away, and the rest left to the next round.
const FAILURES: u32 = 3;

/// Looks at every balance once. Whoever was never seen above the threshold has not fallen below it: nobody is told
/// because somebody switched this on.
pub async fn tell_low_balances(app: &App) -> Result<(), StoreError> {
    let config = app.config_in_full();
    if config.mail.host.is_none() {
        return Ok(());
    }
    let default_nanos = config.mail.low_balance_usd.nanos();
    let (mut after, mut failures) = (UserId(0), 0);
    loop {
        let records = app.store().read();
        let users = low_balances::watched(records, default_nanos, after, AT_ONCE).await?;
        let Some(last) = users.last() else {
            return Ok(());
        };
        after = last.user_id;
        for (user, balance_nanos) in fallen(app, users).await? {
            if app.is_stopping() || failures == FAILURES {
                return Ok(());
            }
            match tell(app, &config, &user, balance_nanos).await? {
                Outcome::Told => failures = 0,
                Outcome::Failed => failures += 1,
                Outcome::NotOurs => {}
            }
        }
    }
}

/// Those of them who are to be told, with what they have; notes whose balance is not low.
async fn fallen(app: &App, users: Vec<Watched>) -> Result<Vec<(Watched, i64)>, StoreError> {
    let ids: Vec<UserId> = users.iter().map(|user| user.user_id).collect();
    let balances = ledger::balances(app.store().read(), &ids).await?;
    let with_balance = users.into_iter().map(|user| {
        let has = balances.get(&user.user_id).copied().unwrap_or_default();
        (user, has.left_nanos().max(0))
    });
    let (mut low, well): (Vec<_>, Vec<_>) =
        with_balance.partition(|(user, balance)| *balance < user.threshold_nanos);
    let to_arm = well.into_iter().filter(|(user, _)| !user.is_armed);
    let to_arm: Vec<UserId> = to_arm.map(|(user, _)| user.user_id).collect();
    if !to_arm.is_empty() {
        let transaction = app.store().write().await?;
        low_balances::arm(&transaction, &to_arm).await?;
        transaction.commit().await?;
    }
    let now = app.clock().now_ms();
    low.retain(|(user, _)| user.is_armed && user.not_before <= now);
    Ok(low)
}

enum Outcome {
    Told,
    Failed,
    /// Another node tells.
    NotOurs,
}

/// Claimed before it is sent: a node that dies in between leaves a mail unsent rather than sent twice.
async fn tell(
    app: &App,
    config: &Config,
    user: &Watched,
    balance_nanos: i64,
) -> Result<Outcome, StoreError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let is_ours = low_balances::claim(&transaction, user.user_id, now, now + DAY_MS).await?;
    transaction.commit().await?;
    if !is_ours {
        return Ok(Outcome::NotOurs);
    }
    let subject = format!("Your {} balance is low", config.console.name);
    let text = text(user, balance_nanos, config.server.public_url.as_deref());
    let Err(error) = send_mail(config, &user.email, &subject, text).await else {
        return Ok(Outcome::Told);
    };
    tracing::warn!(%error, user = %user.user_id, "a low balance could not be mailed");
    let transaction = app.store().write().await?;
    let next = now + pause_ms(&error);
    low_balances::give_back(&transaction, user.user_id, next).await?;
    transaction.commit().await?;
    Ok(Outcome::Failed)
}

/// What the mail server refuses for good it may still take when an operator has corrected its settings.
fn pause_ms(error: &MailError) -> i64 {
    match error {
        MailError::Server(error) if !error.is_permanent() => PAUSE_MS,
        _ => DAY_MS,
    }
}

fn text(user: &Watched, balance_nanos: i64, public_url: Option<&str>) -> String {
    let base = public_url.map(|url| url.trim_end_matches('/'));
    let link = base.map(|base| format!("Top up here:\n\n{base}/console/wallet\n\n"));
    format!(
        "The balance of {} is ${}, which is less than ${}.\n\n{}\
         You get this mail when the balance falls below that amount, at most once a day. Change the amount, or \
         switch the mail off, in the preferences of your account.\n",
        user.username,
        cents(balance_nanos),
        format_dollars(user.threshold_nanos),
        link.unwrap_or_default(),
    )
}

/// An amount to the cent, so that nobody is promised more than there is.
fn cents(nanos: i64) -> String {
    hundredths(nanos / 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_down_to_the_cent() {
        for (nanos, shown) in [
            (0, "0.00"),
            (9_999_999, "0.00"),
            (4_129_999_999, "4.12"),
            (1_234_500_000_000, "1234.50"),
        ] {
            assert_eq!(cents(nanos), shown);
        }
    }
}
