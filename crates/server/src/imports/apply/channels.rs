//! Channels, with their keys checked against the vendor, pinned to its address and encrypted.

use std::collections::HashSet;

use providers::{BadUpstream, Provider, Upstream};
use store::channel_keys::{self, NewChannelKey};
use store::channels::{self, ChannelChanges, ChannelState, NewChannel};
use store::imports::Entity;
use store::{ChannelId, ImportId, Transaction};

use super::work::{AT_ONCE, Made, Work};
use crate::channels::seal_key;
use crate::config::Secret;
use crate::imports::error::ImportError;
use crate::imports::plan::WantedChannel;
use crate::imports::report::Effect;

const CHANNELS: &str = "channels";
const MOST_MODELS: usize = 5_000;
const LONGEST_WORD: usize = 256;

/// A key that can be used, and the origin that it is for.
type Pinned<'a> = (&'a Secret, String);

/// Makes the channels that were not imported before.
pub(super) async fn apply(
    work: &mut Work<'_>,
    wanted: &[WantedChannel],
) -> Result<(), ImportError> {
    let known = work.known(Entity::Channel).await?;
    let here = channels::all(work.means.store.read()).await?;
    let ids: HashSet<i64> = here.iter().map(|channel| channel.id.0).collect();
    let mut names: HashSet<String> = here.into_iter().map(|channel| channel.name).collect();
    for some in wanted.chunks(AT_ONCE) {
        let begun = work.begin().await?;
        for channel in some {
            let item = format!("{} {}", channel.foreign_id, channel.name);
            if let Some(known) = known.get(&channel.foreign_id) {
                let is_there = ids.contains(&known.our_id);
                work.is_known(CHANNELS, &item, is_there);
                continue;
            }
            let Some(keys) = pinned(work, channel, &item) else {
                continue;
            };
            let name = free_name(&names, channel);
            if name != channel.name {
                let reason = "the name is taken here: another one is given";
                work.findings
                    .changed(CHANNELS, format!("{item} as {name}"), reason);
            }
            names.insert(name.clone());
            if let Some((transaction, import)) = &begun {
                insert(work, transaction, *import, channel, (name, &keys)).await?;
            }
            work.findings.count(CHANNELS).created += 1;
        }
        work.end(begun, some.len()).await?;
    }
    Ok(())
}

fn free_name(taken: &HashSet<String>, channel: &WantedChannel) -> String {
    let plain: String = channel.name.chars().filter(|c| !c.is_control()).collect();
    let mut name = plain.clone();
    let mut number = 1;
    while taken.contains(&name) {
        number += 1;
        name = format!("{plain} ({number})");
    }
    name
}

/// The keys that can be used; none where the channel cannot be, for its address.
fn pinned<'a>(
    work: &mut Work<'_>,
    channel: &'a WantedChannel,
    item: &str,
) -> Option<Vec<Pinned<'a>>> {
    let provider = providers::provider(&channel.provider)?;
    let mut keys = Vec::new();
    for key in &channel.keys {
        match origin(provider, channel, key.expose()) {
            Ok(origin) => keys.push((key, origin)),
            Err(BadUpstream::BaseUrl(error)) => {
                let reason = format!("its address cannot be used: {error}");
                work.findings.leave_out(CHANNELS, item, &reason);
                return None;
            }
            Err(BadUpstream::Credential(error)) => {
                let reason = format!("a key cannot be used: {error}");
                let notes = &mut work.findings.notes;
                notes.add(CHANNELS, Effect::Attention, item, &reason);
            }
        }
    }
    if keys.is_empty() {
        let reason = "it has no key that can be used: it is switched off until it gets one";
        let notes = &mut work.findings.notes;
        if needs_key(provider) {
            notes.add(CHANNELS, Effect::Attention, item, reason);
        }
        if let Err(BadUpstream::BaseUrl(error)) = origin(provider, channel, "")
            && !needs_key(provider)
        {
            let reason = format!("its address cannot be used: {error}");
            work.findings.leave_out(CHANNELS, item, &reason);
            return None;
        }
    }
    if channel.models.is_empty() {
        let reason = "it names no models: nothing is sent to it";
        let notes = &mut work.findings.notes;
        notes.add(CHANNELS, Effect::Attention, item, reason);
    }
    Some(keys)
}

fn origin(
    provider: &'static dyn Provider,
    channel: &WantedChannel,
    key: &str,
) -> Result<String, BadUpstream> {
    let upstream = Upstream::open(provider, &channel.base_url, key)?;
    Ok(upstream.base.origin().to_string())
}

/// Whether a channel of this vendor makes no sense without a key: all but programs that one runs
/// oneself, whose own address is on this machine.
fn needs_key(provider: &dyn Provider) -> bool {
    !provider.default_base_url().starts_with("http://")
}

async fn insert(
    work: &Work<'_>,
    transaction: &Transaction,
    import: ImportId,
    channel: &WantedChannel,
    (name, keys): (String, &[Pinned<'_>]),
) -> Result<(), ImportError> {
    let provider = providers::provider(&channel.provider);
    let lacks_key = keys.is_empty() && provider.is_some_and(needs_key);
    let off_because = match &channel.off_because {
        None if lacks_key => Some("imported without a key".to_owned()),
        reason => reason.clone(),
    };
    let is_short = |word: &&String| word.len() <= LONGEST_WORD;
    let models: Vec<String> = channel.models.iter().filter(is_short).cloned().collect();
    let rest = ChannelChanges {
        models: Some(models.into_iter().take(MOST_MODELS).collect()),
        model_mapping: Some(channel.mapping.clone()),
        groups: Some(channel.groups.clone()),
        tags: Some(channel.tags.iter().filter(is_short).cloned().collect()),
        priority: Some(channel.priority),
        weight: Some(channel.weight),
        state: off_because.as_ref().map(|_| ChannelState::Off),
        state_reason: Some(off_because),
        rpm: Some(channel.rpm),
        tpm: Some(channel.tpm),
        overrides: Some(channel.overrides.clone()),
        proxy: Some(channel.proxy.clone()),
        ..ChannelChanges::default()
    };
    let new = NewChannel {
        name,
        provider: channel.provider.clone(),
        base_url: channel.base_url.clone(),
        is_declared: false,
    };
    let id = channels::insert(transaction, new, rest, work.now).await?.id;
    let sealed = keys.iter().map(|key| seal(work, id, key)).collect();
    channel_keys::replace(transaction, id, sealed, work.now).await?;
    let made = Made::plain(Entity::Channel, &channel.foreign_id, id.0, "");
    work.note(transaction, import, made).await
}

fn seal(work: &Work<'_>, id: ChannelId, (key, origin): &Pinned<'_>) -> NewChannelKey {
    let means = work.means;
    seal_key(means.keys, means.randomness, id, origin, key)
}
