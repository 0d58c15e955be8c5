//! The calls themselves: which script or command, with which arguments, and how to read the answer.

use redis::{AsyncCommands, ScriptInvocation, ToRedisArgs};
use serde::{Deserialize, Serialize};

use super::handle::{Redis, RedisClock, RedisOptions};
use super::link::Link;
use super::scripts;
use crate::shared::admission::{Admission, SlotOwner, SlotWanted};
use crate::shared::changes::{Change, Notice};
use crate::shared::counters::{Charge, Limit, LimitKind, Verdict};
use crate::shared::error::SharedError;
use crate::shared::slots::SlotHold;

/// What travels on the channel.
#[derive(Serialize, Deserialize)]
struct Message {
    node: String,
    change: Change,
}

impl Redis {
    pub(crate) async fn take_all(
        &self,
        charges: &[Charge<'_>],
        now_ms: i64,
    ) -> Result<Verdict, SharedError> {
        let nobody = SlotOwner {
            owner: "",
            lease_ms: 0,
        };
        let answer = self.take(charges, &[], nobody, now_ms).await?;
        read_verdict(&answer, charges.len())
            .ok_or_else(|| SharedError::Answer(format!("not a verdict: {answer:?}")))
    }

    pub(crate) async fn admit(
        &self,
        charges: &[Charge<'_>],
        slots: &[SlotWanted<'_>],
        owner: SlotOwner<'_>,
        now_ms: i64,
    ) -> Result<Admission, SharedError> {
        let answer = self.take(charges, slots, owner, now_ms).await?;
        let first = answer
            .first()
            .and_then(|first| usize::try_from(*first).ok());
        if let Some(position) = first.filter(|position| *position > charges.len()) {
            let index = position - charges.len() - 1;
            return Ok(Admission::Full { index });
        }
        read_verdict(&answer, charges.len())
            .map(Admission::from)
            .ok_or_else(|| SharedError::Answer(format!("not a verdict: {answer:?}")))
    }

    /// The script's own answer.
    async fn take(
        &self,
        charges: &[Charge<'_>],
        slots: &[SlotWanted<'_>],
        owner: SlotOwner<'_>,
        now_ms: i64,
    ) -> Result<Vec<i64>, SharedError> {
        let mut call = scripts::TAKE.arg(self.now(now_ms));
        call.arg(charges.len()).arg(owner.owner).arg(owner.lease_ms);
        for charge in charges {
            call.key(self.key("rate", &charge.limit.state_name(charge.key)));
            add_limit(&mut call, charge.limit);
            call.arg(charge.limit.burst).arg(charge.cost);
        }
        for slot in slots {
            call.key(self.key("slots", slot.key)).arg(slot.capacity);
        }
        self.invoke(&call).await
    }

    pub(crate) async fn correct(
        &self,
        key: &str,
        limit: Limit,
        delta: i64,
        charged_at_ms: i64,
        now_ms: i64,
    ) -> Result<(), SharedError> {
        let mut call = scripts::CORRECT.arg(self.now(now_ms));
        call.key(self.key("rate", &limit.state_name(key)));
        add_limit(&mut call, limit);
        call.arg(delta).arg(charged_at_ms);
        self.invoke::<i64>(&call).await.map(drop)
    }

    pub(crate) async fn acquire_slot(
        &self,
        key: &str,
        owner: &str,
        capacity: u32,
        lease_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        let mut call = scripts::ACQUIRE_SLOT.key(self.key("slots", key));
        call.arg(self.now(now_ms))
            .arg(owner)
            .arg(capacity)
            .arg(lease_ms);
        self.invoke(&call).await
    }

    pub(crate) async fn renew_slots(
        &self,
        holds: &[SlotHold],
        lease_ms: u64,
        now_ms: i64,
    ) -> Result<Vec<bool>, SharedError> {
        let mut call = scripts::RENEW_SLOTS.arg(self.now(now_ms));
        call.arg(lease_ms);
        for hold in holds {
            call.key(self.key("slots", &hold.key))
                .arg(hold.owner.as_str());
        }
        self.invoke(&call).await
    }

    pub(crate) async fn release_slot(&self, key: &str, owner: &str) -> Result<(), SharedError> {
        let key = self.key("slots", key);
        self.link()
            .call(|mut connection| async move { connection.zrem(key, owner).await })
            .await
    }

    pub(crate) async fn acquire_lock(
        &self,
        name: &str,
        owner: &str,
        ttl_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        let mut call = scripts::ACQUIRE_LOCK.key(self.key("lock", name));
        call.arg(self.now(now_ms)).arg(owner).arg(ttl_ms);
        self.invoke(&call).await
    }

    pub(crate) async fn renew_lock(
        &self,
        name: &str,
        owner: &str,
        ttl_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        let mut call = scripts::RENEW_LOCK.key(self.key("lock", name));
        call.arg(self.now(now_ms)).arg(owner).arg(ttl_ms);
        self.invoke(&call).await
    }

    pub(crate) async fn release_lock(&self, name: &str, owner: &str) -> Result<bool, SharedError> {
        let mut call = scripts::RELEASE_LOCK.key(self.key("lock", name));
        call.arg(owner);
        self.invoke(&call).await
    }

    pub(crate) async fn cache_put(
        &self,
        key: &str,
        value: &[u8],
        ttl_ms: u64,
    ) -> Result<(), SharedError> {
        let key = self.key("cache", key);
        self.link()
            .call(|mut connection| async move { connection.pset_ex(key, value, ttl_ms).await })
            .await
    }

    pub(crate) async fn cache_get(&self, key: &str) -> Result<Option<Vec<u8>>, SharedError> {
        let key = self.key("cache", key);
        self.link()
            .call(|mut connection| async move { connection.get(key).await })
            .await
    }

    pub(crate) async fn cache_remove(&self, key: &str) -> Result<(), SharedError> {
        let key = self.key("cache", key);
        self.link()
            .call(|mut connection| async move { connection.del(key).await })
            .await
    }

    pub(crate) async fn publish(&self, change: Change) -> Result<(), SharedError> {
        let link = self.link();
        // This node first and directly, so that it learns of its own edits whatever Redis does.
        let _ = link.notices().send(Notice::Changed(change));
        let published = publish(link, change).await;
        if published.is_err() {
            link.owe_notice();
        }
        published
    }

    async fn invoke<T: redis::FromRedisValue>(
        &self,
        call: &ScriptInvocation<'_>,
    ) -> Result<T, SharedError> {
        self.link()
            .call(|mut connection| async move { call.invoke_async(&mut connection).await })
            .await
    }

    fn key(&self, kind: &str, key: &str) -> String {
        format!("{}{kind}:{key}", self.link().options().prefix)
    }

    /// The time argument of the scripts; -1 asks for the server's own.
    fn now(&self, now_ms: i64) -> impl ToRedisArgs + use<> {
        match self.link().options().clock {
            RedisClock::Server => -1,
            RedisClock::Caller => now_ms.max(0),
        }
    }
}

/// Tells the other nodes to reload everything if something could not be published before.
pub(super) async fn publish_owed(link: &Link) {
    if link.take_owed_notice() && publish(link, Change::Everything).await.is_err() {
        link.owe_notice();
    }
}

/// What another node's message means to this one; `None` for our own, which came directly.
/// A message that this version does not know may be about anything.
pub(super) fn parse_notice(options: &RedisOptions, payload: &[u8]) -> Option<Notice> {
    match serde_json::from_slice::<Message>(payload) {
        Ok(message) if message.node == options.node => None,
        Ok(message) => Some(Notice::Changed(message.change)),
        Err(_) => Some(Notice::Missed),
    }
}

pub(super) fn channel_name(options: &RedisOptions) -> String {
    format!("{}changes", options.prefix)
}

async fn publish(link: &Link, change: Change) -> Result<(), SharedError> {
    let message = Message {
        node: link.options().node.clone(),
        change,
    };
    let payload =
        serde_json::to_vec(&message).map_err(|error| SharedError::Answer(error.to_string()))?;
    let channel = channel_name(link.options());
    link.call(|mut connection| async move { connection.publish(channel, payload).await })
        .await
}

fn add_limit(call: &mut ScriptInvocation<'_>, limit: Limit) {
    let kind = match limit.kind {
        LimitKind::Window => "window",
        LimitKind::Smooth => "smooth",
    };
    call.arg(kind).arg(limit.units).arg(limit.period_ms);
}

fn read_verdict(answer: &[i64], charges: usize) -> Option<Verdict> {
    let (&first, rest) = answer.split_first()?;
    let index = usize::try_from(first).ok()?;
    if index == 0 {
        let remaining: Option<Vec<u64>> = rest
            .iter()
            .map(|&units| u64::try_from(units).ok())
            .collect();
        return remaining
            .filter(|units| units.len() == charges)
            .map(|remaining| Verdict::Admitted { remaining });
    }
    let &wait_ms = rest.first()?;
    Some(Verdict::Refused {
        index: index - 1,
        retry_after_ms: u64::try_from(wait_ms).ok(),
    })
}
