//! `modelgate ledger verify`: recomputes every balance; works beside a running server.

use std::io::{self, Write as _};

use super::failure::{Exit, Failure};
use super::prepare;
use crate::config::{Config, Sources};

/// Commands about the ledger.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Recompute every balance from the entries and compare.
    Verify,
}

/// Verifies; a difference is a failure, and each is a line.
pub(super) fn verify(sources: &Sources) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    let verification = prepare::runtime()?.block_on(async {
        let store = prepare::open_store_unchanged(&config).await?;
        let verification = store::ledger::verify(store.read()).await?;
        store.close().await?;
        Ok::<_, Failure>(verification)
    })?;
    let mut out = io::stdout();
    for difference in &verification.differences {
        let owner = difference
            .user_id
            .map(|user| format!(" of user {user}"))
            .unwrap_or_default();
        writeln!(
            out,
            "{}{owner}: {} nano-dollars are stored, {} follow from the entries",
            difference.kind, difference.balance_nanos, difference.expected_nanos
        )?;
    }
    match verification.differences.len() {
        0 => {
            writeln!(
                out,
                "the ledger balances: {} accounts",
                verification.accounts
            )?;
            Ok(())
        }
        count => {
            let accounts = verification.accounts;
            let text =
                format!("the ledger does not balance: {count} of {accounts} accounts differ");
            Err(Failure::new(Exit::LedgerDiffers, text))
        }
    }
}
