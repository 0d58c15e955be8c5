//! `modelgate serve`: from the configuration to a listening service, and down again in order.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::failure::{Exit, Failure};
use super::reload::reload;
use super::{master_keys, prepare};
use crate::accounts::{SETUP_CODE_MINUTES, offer_setup_code};
use crate::app::{self, App, Parts};
use crate::background::{
    heed_notices, keep_answers, keep_channels, keep_prices, keep_settings, keep_sums, keep_up,
    keep_wallets, look_after_orders, look_at_balances, share_running, tell_people, watch_over,
};
use crate::clock::SystemClock;
use crate::config::{Config, Sources};
use crate::declared::{declare, keep_declared};
use crate::kept_responses::fail_own;
use crate::limits::keep_limits;
use crate::outside_changes::heed_other_processes;
use crate::randomness::SystemRandomness;
use crate::serve::{
    ConnectionSettings, Sockets, Threads, Workers, bind, load_tls, yield_to_workers,
};
use crate::telemetry::{LogControl, export_spans, start_logs};

/// How long what is cut may take to be settled.
const AFTER_THE_CUT: Duration = Duration::from_secs(2);

/// How long it may take to tell others of the stop, and to send the last spans.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Serves until a signal says otherwise.
pub(super) fn run(sources: &Sources) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    let logs = start_logs(&config.log)?;
    prepare::data_folder(&config)?;
    let keys = master_keys::find_or_make(&config)?;
    let tls = config
        .server
        .tls()
        .map(|(certificate, key)| load_tls(certificate, key))
        .transpose()?;
    let sockets = listen(&config)?;
    let settings = ConnectionSettings::new(&config.limits, tls);
    let threads = Threads::start(sockets.listeners.len())?;
    yield_to_workers();

    prepare::runtime()?.block_on(async {
        // Held until the end: no other process may go by this name meanwhile.
        let node = prepare::node_name(&config, &SystemRandomness)?;
        let shared = prepare::open_shared(&config, &node.name).await?;
        let store = prepare::open_store(&config).await?;
        let served = async {
            keys.note(&store).await?;
            let parts = Parts {
                config,
                store: store.clone(),
                shared,
                node: node.name.clone(),
                keys: keys.ring,
                clock: Arc::new(SystemClock),
                randomness: Arc::new(SystemRandomness),
            };
            let doors = Doors {
                threads,
                sockets,
                settings,
            };
            Box::pin(serve(parts, doors, sources, &logs)).await
        };
        // On the heap: it holds the whole configuration more than once.
        let served = Box::pin(served).await;
        // Also where the start has failed: a database that is not closed is checked at the next start.
        store.close().await?;
        served?.release();
        tracing::info!("stopped");
        Ok(())
    })
}

/// Where connections come in, and what takes them.
struct Doors {
    threads: Threads,
    sockets: Sockets,
    settings: ConnectionSettings,
}

/// Serves until all has ended in order, but for the store.
async fn serve(
    parts: Parts,
    doors: Doors,
    sources: &Sources,
    logs: &LogControl,
) -> Result<Workers, Failure> {
    let app = App::start(parts).await?;
    logs.set_level(&app.config().log.level);
    declare(&app, &app.config_in_full()).await?;
    fail_own(&app).await?;
    // Before anything is told: whoever reads the address may send a signal at once.
    let signals = Signals::listen()?;
    let address = doors.sockets.address;
    app.listens_on(address);
    tell(&app, address).await?;
    let most = app.config().limits.connections;
    let service = app::service(&app);
    let Doors {
        threads,
        sockets,
        settings,
    } = doors;
    // Before the first call: to begin with, both forget what is known of tokens, which a call may need where the
    // database goes away.
    let changes = (heed_notices(app.clone()), heed_other_processes(app.clone()));
    let workers = Workers::start(threads, sockets, &service, &settings, most, app.stop())?;
    start(&app, changes.0);
    start(&app, changes.1);
    start_upkeep(&app, logs);
    let wallets = tokio::spawn(keep_wallets(app.clone()));
    let answers = tokio::spawn(keep_answers(app.clone()));
    let spans = tokio::spawn(export_spans(app.clone()));
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "listening");

    wait(&app, signals, sources, logs).await;

    answers.abort();
    wallets.abort();
    say_goodbye(&app).await;
    spans.abort();
    Ok(workers)
}

/// Starts what runs beside the requests, until the stop is asked for.
fn start_upkeep(app: &Arc<App>, logs: &LogControl) {
    start(app, keep_up(app.clone()));
    start(app, keep_sums(app.clone()));
    start(app, share_running(app.clone()));
    start(app, keep_channels(app.clone()));
    start(app, keep_limits(app.clone()));
    start(app, look_after_orders(app.clone()));
    start(app, look_at_balances(app.clone()));
    start(app, watch_over(app.clone()));
    start(app, tell_people(app.clone()));
    start(app, keep_prices(app.clone()));
    start(app, keep_settings(app.clone(), logs.clone()));
    start(app, keep_declared(app.clone()));
}

fn start(app: &App, work: impl Future<Output = ()> + Send + 'static) {
    app.stop().running().spawn(work);
}

/// Gives back what this node holds, sends the last spans, and tells the others.
async fn say_goodbye(app: &App) {
    if let Err(error) = app.wallets().give_back_all().await {
        tracing::warn!(%error, "leases were not given back; they end by themselves");
    }
    if let Some(tracer) = app.tracer() {
        // What the collector does not take by then is given up.
        let _ = tokio::time::timeout(LAST_WORDS, tracer.flush()).await;
    }
    match tokio::time::timeout(LAST_WORDS, note_stop(app)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "other nodes were not told of the stop"),
        Err(_) => tracing::warn!("other nodes were not told of the stop in time"),
    }
}

/// Notes in the records that this node stops in order: nobody must look for it.
async fn note_stop(app: &App) -> store::Result<()> {
    let transaction = app.store().write().await?;
    store::nodes::stopped(&transaction, app.node(), app.clock().now_ms()).await?;
    transaction.commit().await
}

fn listen(config: &Config) -> Result<Sockets, Failure> {
    let address = config.server.listen;
    bind(address, config.server.worker_count()).map_err(|error| {
        let text = match error.kind() {
            io::ErrorKind::AddrInUse => format!("address {address} is in use by another process"),
            _ => format!("address {address} cannot be listened on: {error}"),
        };
        Failure::new(Exit::Address, text)
    })
}

/// Prints the address, and on a fresh instance the setup link. The link goes to standard output
/// and never into the log: it holds a secret.
async fn tell(app: &App, address: std::net::SocketAddr) -> Result<(), Failure> {
    let config = app.config();
    let scheme = if config.server.tls().is_some() {
        "https"
    } else {
        "http"
    };
    let base = config
        .server
        .public_url
        .clone()
        .unwrap_or_else(|| format!("{scheme}://{address}"));
    let base = base.trim_end_matches('/');
    let mut out = io::stdout();
    writeln!(out, "Modelgate listens on {base}")?;
    let code = offer_setup_code(app.store(), app.keys(), app.clock(), app.randomness()).await?;
    if let Some(code) = code {
        writeln!(
            out,
            "Open {base}/setup?code={code} to set it up (valid {SETUP_CODE_MINUTES} minutes)"
        )?;
    }
    Ok(())
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Minds the signals until all that ran is finished, or the grace time or a second signal ends it.
async fn wait(app: &App, mut signals: Signals, sources: &Sources, logs: &LogControl) {
    loop {
        tokio::select! {
            _ = signals.terminate.recv() => break,
            _ = signals.interrupt.recv() => break,
            _ = signals.hangup.recv() => reload(app, sources, logs).await,
        }
    }
    let grace = Duration::from_secs(app.config().server.grace_s);
    tracing::info!(grace_s = grace.as_secs(), "stopping: finishing what runs");
    app.stop().ask();
    let is_finished = tokio::select! {
        is_finished = app.stop().finished(grace) => is_finished,
        () = signals.stop() => false,
    };
    if !is_finished {
        let connections = app.stop().running().len();
        tracing::warn!(connections, "not all that ran has finished in time");
        app.stop().cut();
        app.stop().finished(AFTER_THE_CUT).await;
    }
}
