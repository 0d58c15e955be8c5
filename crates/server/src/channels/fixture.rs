//! Channels for tests: made from records like all others, with a clock and a randomness that tests set.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use dialects::canonical::Failure;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::Timestamp;
use providers::{Operation, UpstreamFailure};
use store::channel_keys::ChannelKey;
use store::channels::{Channel as Row, ChannelState};
use store::{ChannelId, ChannelKeyId, Document};

use super::{Channels, NoChannel, Route, Wanted, seal_key};
use crate::clock::Clock;
use crate::config::Secret;
use crate::randomness::SeededRandomness;
use crate::secrets::KeyRing;

/// The model that channels of tests serve.
pub(super) const MODEL: &str = "m";

pub(super) struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).expect("a time of a test")
    }
}

/// A channel's record, and how many keys it has.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) row: Row,
    keys: usize,
    key_ids: i64,
}

/// A channel that serves the model for everybody.
pub(super) fn channel(id: i64, priority: i64, weight: i64) -> Made {
    let row = Row {
        id: ChannelId(id),
        name: format!("c{id}"),
        provider: "openai".to_owned(),
        base_url: "http://127.0.0.1:1/v1".to_owned(),
        models: Document(vec![MODEL.to_owned()]),
        model_mapping: Document(BTreeMap::new()),
        groups: Document(Vec::new()),
        tags: Document(Vec::new()),
        dialects: None,
        priority,
        weight,
        state: ChannelState::On,
        state_reason: None,
        rpm: None,
        tpm: None,
        concurrency: None,
        connect_timeout_ms: None,
        first_byte_timeout_ms: None,
        idle_timeout_ms: None,
        overrides: None,
        proxy: None,
        is_declared: false,
        created_at: 0,
        updated_at: 0,
    };
    Made {
        row,
        keys: 1,
        key_ids: id * 1_000,
    }
}

impl Made {
    pub(super) fn keys(self, keys: usize) -> Self {
        Self { keys, ..self }
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Row)) -> Self {
        change(&mut self.row);
        self
    }
}

/// A node with channels.
pub(super) struct Node {
    pub(super) channels: Channels,
    clock: Arc<SetClock>,
    ring: KeyRing,
}

impl Node {
    pub(super) fn new(made: &[Made]) -> Self {
        let clock = Arc::new(SetClock(AtomicI64::new(1_800_000_000_000)));
        let randomness = Arc::new(SeededRandomness::new(7));
        let node = Self {
            ring: KeyRing::generate(&*randomness),
            channels: Channels::new(clock.clone(), randomness),
            clock,
        };
        node.load(made);
        node
    }

    /// Loads other records.
    pub(super) fn load(&self, made: &[Made]) {
        let rows: Vec<Row> = made.iter().map(|made| made.row.clone()).collect();
        let keys = made.iter().flat_map(|made| self.keys(made)).collect();
        self.channels.install(&self.ring, &rows, keys);
    }

    fn keys(&self, made: &Made) -> Vec<ChannelKey> {
        let key = |position: i64| {
            let secret = Secret::new(format!("sk-{position}"));
            let randomness = SeededRandomness::new(1);
            let origin = "http://127.0.0.1:1";
            let new = seal_key(&self.ring, &randomness, made.row.id, origin, &secret);
            ChannelKey {
                id: ChannelKeyId(made.key_ids + position),
                channel_id: made.row.id,
                position,
                secret_encrypted: new.secret_encrypted,
                pinned_host: new.pinned_host,
                rpm: None,
                tpm: None,
                concurrency: None,
                created_at: 0,
            }
        };
        (0..).take(made.keys).map(key).collect()
    }

    pub(super) fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    pub(super) fn wait(&self, ms: i64) {
        self.clock.0.fetch_add(ms, Ordering::Relaxed);
    }

    pub(super) fn route(&self) -> Result<Route, NoChannel> {
        self.route_with(None)
    }

    pub(super) fn route_with(&self, affinity: Option<u64>) -> Result<Route, NoChannel> {
        let wanted = Wanted {
            model: MODEL,
            group: "default",
            operation: Operation::Generate,
            tokens: 100,
            only: None,
        };
        Ok(Route::begin(&self.channels, wanted)?.keeping_to(|| affinity))
    }

    /// The id of the channel that the next call would be sent to first.
    pub(super) fn first(&self) -> Result<i64, NoChannel> {
        let place = self.route()?.next(self.now())?;
        Ok(place.channel.id.0)
    }
}

/// What an upstream says with this status.
pub(super) fn failure(status: u16, headers: &[(&'static str, &'static str)]) -> UpstreamFailure {
    let pairs = headers.iter().map(|(name, value)| {
        let value = HeaderValue::from_static(value);
        (HeaderName::from_static(name), value)
    });
    let headers: HeaderMap = pairs.collect();
    let status = StatusCode::from_u16(status).expect("a status");
    UpstreamFailure::from_reply(status, &headers, b"{}", Timestamp::UNIX_EPOCH)
}

/// What the upstream said of a model that it does not have.
pub(super) fn missing_model() -> UpstreamFailure {
    let said = Failure::new(
        dialects::canonical::FailureKind::ModelNotFound,
        "There is no such model.",
    );
    UpstreamFailure::from_stream(said)
}
