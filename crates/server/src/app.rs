//! The service as a whole: what its parts share, and the edge and the router over them.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use billing::wallet::Wallets;
use providers::Signer;
use providers::transport::Outbound;
use store::shared::Shared;
use store::{Store, UserId};

use crate::body_memory::{BodyMemory, MemoryGuard};
use crate::channels::Channels;
use crate::clock::Clock;
use crate::config::Config;
use crate::declared::Waiting;
use crate::in_flight::InFlight;
use crate::kept_responses::Shelf;
use crate::limits::Limiter;
use crate::live_config::{LiveConfig, stored_overrides};
use crate::middleware::Edge;
use crate::money::{Prices, open_wallets, unused_wallets};
use crate::outbound::Outbounds;
use crate::randomness::Randomness;
use crate::refusal::method_not_allowed;
use crate::secrets::KeyRing;
use crate::serve::Stop;
use crate::telemetry::{CallEnds, HttpMetrics, Metrics, Tracer};
use crate::tokens::Tokens;
use crate::work_pool::WorkPool;
use crate::{console, management, model_call, probes};

/// What all parts of the service share.
pub struct App {
    config: LiveConfig,
    store: Store,
    shared: Shared,
    local: Shared,
    node: String,
    keys: KeyRing,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    metrics: Metrics,
    http_metrics: HttpMetrics,
    call_ends: CallEnds,
    tracer: Option<Tracer>,
    stop: Stop,
    tokens: Tokens,
    channels: Channels,
    limiter: Limiter,
    wallets: Wallets,
    prices: Prices,
    signer: Signer,
    outbounds: Outbounds,
    fetchers: Outbounds,
    waiting: Waiting,
    shelf: Shelf,
    in_flight: Arc<InFlight>,
    listening: OnceLock<SocketAddr>,
    body_memory: Arc<BodyMemory>,
    work_pool: WorkPool,
}

/// What an `App` is made from.
pub struct Parts {
    /// The configuration to begin with.
    pub config: Config,
    /// The records.
    pub store: Store,
    /// The state that nodes share.
    pub shared: Shared,
    /// This node's name, unique among those that share the state.
    pub node: String,
    /// The master keys.
    pub keys: KeyRing,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub randomness: Arc<dyn Randomness>,
}

impl App {
    /// Puts the parts together and opens the books: prices, wallets, channels.
    pub async fn start(parts: Parts) -> anyhow::Result<Arc<Self>> {
        Self::open(parts, true).await
    }

    /// The same for a command, which serves no calls and so takes nothing from wallets.
    pub async fn start_for_command(parts: Parts) -> anyhow::Result<Arc<Self>> {
        Self::open(parts, false).await
    }

    async fn open(parts: Parts, serves: bool) -> anyhow::Result<Arc<Self>> {
        let channels = Channels::new(parts.clock.clone(), parts.randomness.clone());
        let limiter = Limiter::new(parts.shared.clone(), &parts.node, parts.clock.clone());
        let store = &parts.store;
        let overrides = stored_overrides(store, &parts.keys).await?;
        let live = LiveConfig::new(parts.config, overrides);
        let config = &live.in_effect();
        let prices = Prices::open(store, &config.prices, parts.clock.now_ms()).await?;
        let clock = Arc::clone(&parts.clock);
        let data = &config.server.data_dir;
        let wallets = if serves {
            open_wallets(store, clock, &parts.node, &config.billing, data).await?
        } else {
            unused_wallets(store, clock).await?
        };
        let outbounds = Outbounds::new(config.outbound.channel_guard());
        let fetchers = Outbounds::new(config.outbound.fetch_guard());
        let tracer = Tracer::new(&config.telemetry);
        let work_pool = WorkPool::new(config.limits.offload_threads);
        channels.reload(store, &parts.keys).await?;
        Ok(Arc::new(Self {
            config: live,
            store: parts.store,
            shared: parts.shared,
            local: Shared::memory(),
            node: parts.node,
            clock: parts.clock,
            randomness: parts.randomness,
            metrics: Metrics::start(),
            http_metrics: HttpMetrics::default(),
            call_ends: CallEnds::default(),
            tracer,
            stop: Stop::default(),
            tokens: Tokens::new(&parts.keys),
            keys: parts.keys,
            channels,
            limiter,
            wallets,
            prices,
            signer: Signer::new(),
            outbounds,
            fetchers,
            waiting: Waiting::default(),
            shelf: Shelf::default(),
            in_flight: Arc::default(),
            listening: OnceLock::new(),
            body_memory: Arc::default(),
            work_pool,
        }))
    }

    /// The configuration in effect. Take it once per request: a reload may change it between two
    /// calls.
    pub fn config(&self) -> arc_swap::Guard<Arc<Config>> {
        self.config.in_effect()
    }

    /// The configuration in effect, to be held across waits.
    pub fn config_in_full(&self) -> Arc<Config> {
        self.config.in_effect_in_full()
    }

    /// The configuration and what was changed over it.
    pub fn live_config(&self) -> &LiveConfig {
        &self.config
    }

    /// Puts another configuration of the machine into effect; settings that were changed stay so.
    pub fn set_config(&self, config: Config) {
        self.outbounds.guard_by(config.outbound.channel_guard());
        self.fetchers.guard_by(config.outbound.fetch_guard());
        self.config.set_given(config);
    }

    /// Reads the settings that were changed, on this node or another.
    pub async fn reload_settings(&self) -> store::Result<()> {
        let overrides = stored_overrides(&self.store, &self.keys).await?;
        self.config.set_overrides(overrides);
        Ok(())
    }

    /// The records.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The state that nodes share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// State of the same kind that this node has for itself, for while the shared state is away.
    pub fn local(&self) -> &Shared {
        &self.local
    }

    /// Records the address that this process listens on.
    pub fn listens_on(&self, address: SocketAddr) {
        self.listening.get_or_init(|| address);
    }

    /// The address that this process listens on; none for a command.
    pub fn listening(&self) -> Option<SocketAddr> {
        self.listening.get().copied()
    }

    /// This node's name.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The master keys.
    pub fn keys(&self) -> &KeyRing {
        &self.keys
    }

    /// The time.
    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// Randomness.
    pub fn randomness(&self) -> &dyn Randomness {
        self.randomness.as_ref()
    }

    /// Figures of the service.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The counters of the HTTP side.
    pub fn http_metrics(&self) -> &HttpMetrics {
        &self.http_metrics
    }

    /// How model calls ended.
    pub fn call_ends(&self) -> &CallEnds {
        &self.call_ends
    }

    /// Traces; none where no collector is configured.
    pub fn tracer(&self) -> Option<&Tracer> {
        self.tracer.as_ref()
    }

    /// The orderly stop.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The tokens that this node has seen lately.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// The channels as calls see them.
    pub fn channels(&self) -> &Channels {
        &self.channels
    }

    /// The limits of tokens, users and groups.
    pub fn limiter(&self) -> &Limiter {
        &self.limiter
    }

    /// This node's share of all wallets.
    pub fn wallets(&self) -> &Wallets {
        &self.wallets
    }

    /// The prices in effect.
    pub fn prices(&self) -> &Prices {
        &self.prices
    }

    /// Answers that clients asked to keep.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// The calls under way on this node, while somebody watches.
    pub fn in_flight(&self) -> &Arc<InFlight> {
        &self.in_flight
    }

    /// The memory of request bodies.
    pub fn body_memory(&self) -> &BodyMemory {
        &self.body_memory
    }

    /// A guard for the memory of a request body, which has reserved nothing yet.
    pub fn reserve_body_memory(&self, user: Option<UserId>) -> MemoryGuard {
        let configured = self.config().limits.body_memory_bytes;
        self.body_memory.guard(user, configured)
    }

    /// The threads for long computations.
    pub fn work_pool(&self) -> &WorkPool {
        &self.work_pool
    }

    /// Signs requests to upstreams.
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The client for upstreams, of the thread that asks.
    pub fn outbound(&self) -> Outbound {
        self.outbounds.here()
    }

    /// The client for addresses that callers send, of the thread that asks.
    pub fn fetching(&self) -> Outbound {
        self.fetchers.here()
    }

    /// Declared tokens that wait for their user.
    pub fn waiting(&self) -> &Waiting {
        &self.waiting
    }

    /// Whether the service is on its way down.
    pub fn is_stopping(&self) -> bool {
        self.stop.is_asked()
    }
}

/// The whole service, as connections call it.
pub fn service(app: &Arc<App>) -> Edge {
    with_edge(Router::new(), app)
}

/// The same with some routes more. The endpoints of model calls are no routes: the edge knows them.
pub fn with_edge(more: Router<Arc<App>>, app: &Arc<App>) -> Edge {
    let router = Router::new()
        .merge(probes::routes())
        .merge(model_call::routes())
        .merge(management::routes(app))
        .merge(more)
        .fallback(console::page_or_refusal)
        .method_not_allowed_fallback(method_not_allowed)
        // Bodies are limited by the edge, by what the configuration says.
        .layer(DefaultBodyLimit::disable())
        .with_state(app.clone());
    Edge::new(app.clone(), router)
}
