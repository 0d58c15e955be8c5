//! Sums of calls before they are in the tables: by the minute and by everything that calls are told
//! apart by, and what users and tokens used. Coarser sums follow from them.

use std::ops::AddAssign;

use foldhash::fast::RandomState;
use hashbrown::Equivalent;

use super::measures::Measures;
use super::query::Grain;
use crate::ids::{TokenId, UserId};
use crate::request_log::LoggedCall;
use crate::tokens::TokenUsage;
use crate::users::UserUsage;

/// What a sum is of. What a call lacks, or what a table does not tell apart, is 0 or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key<Text = String> {
    /// Where the bucket begins.
    pub bucket_start: i64,
    pub user_id: i64,
    pub token_id: i64,
    pub channel_id: i64,
    pub model: Text,
    pub endpoint: Text,
}

impl<'a> Key<&'a str> {
    fn of(call: &'a LoggedCall, bucket_start: i64) -> Self {
        Self {
            bucket_start,
            user_id: call.user_id.0,
            token_id: call.token_id.map_or(0, |id| id.0),
            channel_id: call.channel_id.map_or(0, |id| id.0),
            model: &call.model,
            endpoint: &call.endpoint,
        }
    }
}

impl<Text: AsRef<str>> Key<Text> {
    fn ids(&self) -> [i64; 4] {
        let (user, token, channel) = (self.user_id, self.token_id, self.channel_id);
        [self.bucket_start, user, token, channel]
    }

    fn texts(&self) -> [&str; 2] {
        [self.model.as_ref(), self.endpoint.as_ref()]
    }
}

impl Equivalent<Key> for Key<&str> {
    fn equivalent(&self, other: &Key) -> bool {
        self.ids() == other.ids() && self.texts() == other.texts()
    }
}

impl From<&Key<&str>> for Key {
    fn from(key: &Key<&str>) -> Self {
        Self {
            bucket_start: key.bucket_start,
            user_id: key.user_id,
            token_id: key.token_id,
            channel_id: key.channel_id,
            model: key.model.to_owned(),
            endpoint: key.endpoint.to_owned(),
        }
    }
}

/// Tries of a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tries {
    pub attempts: i64,
    pub failures: i64,
}

impl AddAssign for Tries {
    fn add_assign(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.failures += other.failures;
    }
}

type HashMap<Key, Sum> = hashbrown::HashMap<Key, Sum, RandomState>;

/// Sums of some writes to the log.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// The writes.
    pub batches: Vec<i64>,
    pub calls: HashMap<Key, Measures>,
    /// By the minute and the channel.
    pub tries: HashMap<(i64, i64), Tries>,
    pub users: HashMap<UserId, UserUsage>,
    pub tokens: HashMap<TokenId, TokenUsage>,
}

impl Gathered {
    pub fn add(&mut self, call: &LoggedCall) {
        let bucket_start = Grain::Minute.start_of(call.created_at);
        let key = Key::of(call, bucket_start);
        match self.calls.get_mut(&key) {
            Some(sum) => sum.count(call),
            None => self.calls.entry(Key::from(&key)).or_default().count(call),
        }
        let user = self.users.entry(call.user_id);
        user.or_insert_with(|| UserUsage::none(call.user_id))
            .count(call);
        if let Some(id) = call.token_id {
            let token = self.tokens.entry(id);
            token.or_insert_with(|| TokenUsage::none(id)).count(call);
        }
        for attempt in &call.attempts.0 {
            let of = (bucket_start, attempt.channel_id.0);
            *self.tries.entry(of).or_default() += Tries {
                attempts: 1,
                failures: i64::from(attempt.error.is_some()),
            };
        }
    }
}
