//! From records to a channel that calls can go through, or the reason why there is none.

use std::sync::Arc;
use std::time::Duration;

use dialects::DialectId;
use providers::transport::{Proxy, Timeouts, TlsTrust};
use providers::{Egress, Upstream};
use store::channel_keys::ChannelKey;
use store::channels::{Channel as Row, ChannelState};

use super::channel::{Channel, Destination, Key};
use super::health::{ChannelHealth, Gate};
use super::keys::open_key;
use super::model_list::ModelList;
use super::overrides::Overrides;
use crate::demo;
use crate::limits::Ceilings;
use crate::secrets::KeyRing;

/// What a former snapshot knew of a channel.
pub(super) struct Former<'a>(pub(super) Option<&'a Channel>);

impl Former<'_> {
    /// Ends what runs where somebody has switched the channel off, whether it can be opened or not.
    pub(super) fn heed_state(&self, state: ChannelState) {
        if let Some(former) = self.0 {
            former.health.set_off(state == ChannelState::Off);
        }
    }

    /// The health so far. An edited channel gets a fresh start: whoever edited it meant to mend it.
    fn health(&self, row: &Row) -> Arc<ChannelHealth> {
        let Some(former) = self.0 else {
            return Arc::default();
        };
        if former.updated_at != row.updated_at {
            former.health.start_afresh();
        }
        former.health.clone()
    }

    /// What is known of a key; a replaced one has another id.
    fn gate(&self, row: &Row, key: Option<&ChannelKey>) -> Arc<Gate> {
        let id = key.map(|key| key.id);
        let known = self
            .0
            .and_then(|former| former.keys.iter().find(|known| known.id == id));
        let Some(known) = known else {
            return Arc::default();
        };
        if self
            .0
            .is_some_and(|former| former.updated_at != row.updated_at)
        {
            known.gate.start_afresh();
        }
        known.gate.clone()
    }
}

/// Opens a channel that no call can take, for whoever wants to try it out.
pub fn open_once(ring: &KeyRing, row: &Row, keys: &[ChannelKey]) -> Result<Channel, String> {
    open_channel(ring, row, keys, &Former(None))
}

/// Opens a channel.
pub(super) fn open_channel(
    ring: &KeyRing,
    row: &Row,
    keys: &[ChannelKey],
    former: &Former<'_>,
) -> Result<Channel, String> {
    let overrides = Overrides::read(row.overrides.as_ref().map(|document| &document.0))
        .map_err(|error| error.to_string())?;
    let settings = Settings::new(ring, row, &overrides)?;
    let mut opened = Vec::with_capacity(keys.len().max(1));
    let mut unusable = Vec::new();
    if keys.is_empty() {
        opened.push(Key {
            id: None,
            index: 0,
            destination: settings.destination("")?,
            limits: Ceilings::default(),
            gate: former.gate(row, None),
        });
    }
    for (index, key) in keys.iter().enumerate() {
        match settings.key(key) {
            Ok(destination) => opened.push(Key {
                id: Some(key.id),
                index,
                destination,
                limits: Ceilings::of_records(key.rpm, key.tpm, key.concurrency),
                gate: former.gate(row, Some(key)),
            }),
            Err(reason) => unusable.push((index, reason)),
        }
    }
    if opened.is_empty() {
        let (_, reason) = unusable.swap_remove(0);
        return Err(reason);
    }
    Ok(Channel {
        id: row.id,
        name: row.name.as_str().into(),
        provider: row.provider.as_str().into(),
        groups: row.groups.0.clone(),
        tags: row.tags.0.clone(),
        priority: row.priority,
        weight: u32::try_from(row.weight).unwrap_or(0),
        state: row.state,
        state_reason: row.state_reason.clone(),
        limits: Ceilings::of_records(row.rpm, row.tpm, row.concurrency),
        overrides,
        keys: opened,
        unusable_keys: unusable,
        updated_at: row.updated_at,
        models: ModelList::of(row),
        dialects: dialects(row)?,
        health: former.health(row),
    })
}

/// What all keys of a channel share.
enum Settings<'a> {
    Vendor {
        ring: &'a KeyRing,
        row: &'a Row,
        provider: &'static dyn providers::Provider,
        egress: Egress,
    },
    Demo(demo::Switches),
}

impl<'a> Settings<'a> {
    fn new(ring: &'a KeyRing, row: &'a Row, overrides: &Overrides) -> Result<Self, String> {
        if row.provider == demo::PROVIDER {
            let document = overrides.demo.as_ref().unwrap_or(&serde_json::Value::Null);
            let switches = demo::Switches::read(document).map_err(|error| error.to_string())?;
            return Ok(Self::Demo(switches.with_timeouts(timeouts(row))));
        }
        let provider = providers::provider(&row.provider)
            .ok_or_else(|| format!("there is no provider `{}`", row.provider))?;
        let trust = match &overrides.tls_roots {
            Some(pem) => TlsTrust::with_roots(pem.as_bytes()).map_err(|error| error.to_string())?,
            None => TlsTrust::public(),
        };
        let proxy = row.proxy.as_deref().map(Proxy::parse).transpose();
        let proxy = proxy.map_err(|error| error.to_string())?;
        let egress = Egress::new(trust, proxy, timeouts(row));
        Ok(Self::Vendor {
            ring,
            row,
            provider,
            egress,
        })
    }

    fn key(&self, key: &ChannelKey) -> Result<Destination, String> {
        let Self::Vendor { ring, .. } = self else {
            return self.destination("");
        };
        let text = open_key(ring, key).map_err(|error| error.to_string())?;
        let destination = self.destination(text.expose())?;
        match &destination {
            Destination::Vendor { upstream, .. }
                if upstream.base.origin().to_string() != key.pinned_host =>
            {
                Err("the key was given for another address; enter it again".to_owned())
            }
            _ => Ok(destination),
        }
    }

    fn destination(&self, key: &str) -> Result<Destination, String> {
        match self {
            Self::Demo(switches) => Ok(Destination::Demo(switches.clone())),
            Self::Vendor {
                row,
                provider,
                egress,
                ..
            } => {
                let upstream = Upstream::open(*provider, &row.base_url, key)
                    .map_err(|error| error.to_string())?;
                Ok(Destination::Vendor {
                    upstream: Box::new(upstream),
                    egress: egress.clone(),
                })
            }
        }
    }
}

fn timeouts(row: &Row) -> Timeouts {
    let of = |value: Option<i64>, default: Duration| {
        value
            .and_then(|ms| u64::try_from(ms).ok())
            .map_or(default, Duration::from_millis)
    };
    let default = Timeouts::default();
    Timeouts {
        connect: of(row.connect_timeout_ms, default.connect),
        first_byte: of(row.first_byte_timeout_ms, default.first_byte),
        idle: of(row.idle_timeout_ms, default.idle),
    }
}

fn dialects(row: &Row) -> Result<Option<Vec<DialectId>>, String> {
    let Some(names) = row.dialects.as_ref().filter(|names| !names.0.is_empty()) else {
        return Ok(None);
    };
    let dialect = |name: &String| {
        DialectId::from_name(name).ok_or_else(|| format!("dialects: `{name}` is not known"))
    };
    names
        .0
        .iter()
        .map(dialect)
        .collect::<Result<_, _>>()
        .map(Some)
}
