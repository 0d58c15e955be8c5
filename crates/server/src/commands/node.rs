//! `modelgate node`: the nodes that were seen, and taking back what one of them holds that will never
//! come back. A node that only crashed needs neither: its leases end by themselves.

use std::io::{self, Write as _};

use billing::pricing::format_dollars;
use store::nodes::{self, Node};
use store::{Store, leases};

use super::failure::{Exit, Failure};
use super::prepare;
use crate::clock::{Clock as _, SystemClock};
use crate::config::{Config, Sources};

/// A node that showed itself within this time runs.
const RUNS_MS: i64 = 60_000;

/// Commands about nodes.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List the nodes that were seen, when, and what they hold.
    List,
    /// Take back what a node holds that will not come back, and forget it.
    Remove {
        /// The node's name, as `node list` shows it.
        name: String,
    },
}

/// Runs one of them.
pub(super) fn run(sources: &Sources, command: &Command) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    prepare::runtime()?.block_on(async {
        let store = prepare::open_store_unchanged(&config).await?;
        let done = match command {
            Command::List => list(&store).await,
            Command::Remove { name } => remove(&store, name).await,
        };
        store.close().await?;
        done
    })
}

async fn list(store: &Store) -> Result<(), Failure> {
    let now = SystemClock.now_ms();
    let mut out = io::stdout();
    for node in nodes::list(store.read()).await? {
        let held = leases::held_by(store.read(), &node.id).await?;
        let journal = if node.has_journal {
            ", its journal is not replayed"
        } else {
            ""
        };
        writeln!(
            out,
            "{} {}, version {}, seen {} s ago, {} leases hold {} dollars{journal}",
            node.id,
            match node.stopped_at {
                Some(_) => "has stopped",
                None if is_running(&node, now) => "runs",
                None => "is away",
            },
            node.version,
            (now - node.heartbeat_at).max(0) / 1000,
            held.leases,
            format_dollars(held.nanos),
        )?;
    }
    Ok(())
}

fn is_running(node: &Node, now: i64) -> bool {
    node.stopped_at.is_none() && now - node.heartbeat_at < RUNS_MS
}

/// What it leased goes back to the wallets. Charges of a journal that turns up after all are still
/// made, once: out of the wallets, or as owed.
async fn remove(store: &Store, name: &str) -> Result<(), Failure> {
    let now = SystemClock.now_ms();
    let known = nodes::list(store.read()).await?;
    let Some(node) = known.iter().find(|node| node.id == name) else {
        return Err(Failure::new(
            Exit::Other,
            format!("no node is called {name}; `modelgate node list` has the names"),
        ));
    };
    if is_running(node, now) {
        let text =
            format!("{name} was seen within the last minute: stop it, and wait for a minute");
        return Err(Failure::new(Exit::Other, text));
    }
    let mut given_back = 0;
    for lease in leases::open_of_node(store.read(), name).await? {
        let transaction = store.write().await?;
        let rest = leases::give_back(&transaction, lease, now).await?;
        transaction.commit().await?;
        given_back += rest.unwrap_or(0);
    }
    let transaction = store.write().await?;
    nodes::remove(&transaction, name).await?;
    transaction.commit().await?;
    writeln!(
        io::stdout(),
        "{name} is forgotten; {} dollars went back to wallets",
        format_dollars(given_back)
    )?;
    Ok(())
}
