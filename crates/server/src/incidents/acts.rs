//! What the gateway does by itself, in the timelines of incidents: it pauses channels and keys that fail, and
//! lets them take calls again. Calls only turn breakers; here it is noticed afterwards.

use std::collections::HashMap;

use store::incidents::{self as records, EventKind};
use store::{ChannelId, StoreError};

use super::note::EventNote;
use crate::app::App;
use crate::channels::Pause;

/// What is paused: a channel, or one of its keys.
type What = (ChannelId, Option<usize>);

/// What this node has paused, and whether a timeline says so.
#[derive(Debug, Default)]
pub(super) struct Acts(HashMap<What, Known>);

#[derive(Debug)]
struct Known {
    pause: Pause,
    is_noted: bool,
}

impl Acts {
    /// Looks at what is paused now. A pause comes before the incident that it leads to: it is offered until
    /// there is one.
    pub(super) async fn look(&mut self, app: &App, now: i64) -> Result<(), StoreError> {
        let snapshot = app.channels().snapshot();
        let mut over = std::mem::take(&mut self.0);
        for pause in snapshot.pauses() {
            let what = (pause.channel_id, pause.key);
            let was = over.remove(&what);
            let same = was.filter(|known| known.pause.since_ms == pause.since_ms);
            let is_noted = same.is_some_and(|known| known.is_noted);
            self.0.insert(what, Known { pause, is_noted });
        }
        // Of a channel that is gone there is nothing to say.
        over.retain(|(channel, _), _| snapshot.channel(*channel).is_some());
        let mut fresh: Vec<&mut Known> = self.0.values_mut().collect();
        fresh.retain(|known| !known.is_noted);
        if over.is_empty() && fresh.is_empty() {
            return Ok(());
        }
        let transaction = app.store().write().await?;
        for (what, known) in over {
            let note = unpaused(&known.pause).written();
            records::note_act(&transaction, what.0, EventKind::Unpaused, &note, now).await?;
        }
        for Known { pause, is_noted } in fresh {
            let note = paused(pause).written();
            let (channel, since) = (pause.channel_id, pause.since_ms);
            let noted = records::note_act(&transaction, channel, EventKind::Paused, &note, since);
            *is_noted = noted.await? > 0;
        }
        transaction.commit().await
    }
}

/// Keys are counted from 1, as people count them; the key itself is a secret.
fn paused(pause: &Pause) -> EventNote {
    let (keys, reason) = (pause.keys, pause.reason.clone());
    match pause.key.map(|index| index + 1) {
        Some(key) => EventNote::KeyPaused { key, keys, reason },
        None => EventNote::ChannelPaused { reason },
    }
}

fn unpaused(pause: &Pause) -> EventNote {
    let keys = pause.keys;
    match pause.key.map(|index| index + 1) {
        Some(key) => EventNote::KeyUnpaused { key, keys },
        None => EventNote::ChannelUnpaused,
    }
}
