//! Sums of calls before they are in the tables: by the minute and by everything that calls are told
//! apart by, and what tokens used. Coarser sums, and what users used, follow from them.

use std::ops::AddAssign;

use foldhash::fast::RandomState;
use hashbrown::Equivalent;

use super::measures::Measures;
use super::query::Grain;
use crate::ids::TokenId;
use crate::request_log::LoggedCall;
use crate::tokens::TokenUsage;

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

impl<Text> Key<Text> {
    /// The same with its texts in another form.
    fn with<'a, Other>(&'a self, form: impl Fn(&'a Text) -> Other) -> Key<Other> {
        Key {
            bucket_start: self.bucket_start,
            user_id: self.user_id,
            token_id: self.token_id,
            channel_id: self.channel_id,
            model: form(&self.model),
            endpoint: form(&self.endpoint),
        }
    }
}

impl Equivalent<Key> for Key<&str> {
    fn equivalent(&self, other: &Key) -> bool {
        *self == other.with(String::as_str)
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
    pub tokens: HashMap<TokenId, TokenUsage>,
}

impl Gathered {
    pub fn add(&mut self, call: &LoggedCall) {
        let bucket_start = Grain::Minute.start_of(call.created_at);
        let key = Key::of(call, bucket_start);
        if let Some(sum) = self.calls.get_mut(&key) {
            sum.count(call);
        } else {
            let key = key.with(|text| (*text).to_owned());
            self.calls.entry(key).or_default().count(call);
        }
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
