//! Sums of calls before they are in the tables: by the minute and by everything that calls are told
//! apart by. Coarser sums follow from them.

use std::collections::HashMap;
use std::ops::AddAssign;

use super::measures::Measures;
use super::query::Grain;
use crate::request_log::LoggedCall;

/// What a sum is of. What a call lacks, or what a table does not tell apart, is 0 or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// Where the bucket begins.
    pub bucket_start: i64,
    pub user_id: i64,
    pub token_id: i64,
    pub channel_id: i64,
    pub model: String,
    pub endpoint: String,
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

/// Sums of some writes to the log.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// The writes.
    pub batches: Vec<i64>,
    pub calls: HashMap<Key, Measures>,
    /// By the minute and the channel.
    pub tries: HashMap<(i64, i64), Tries>,
}

impl Gathered {
    pub fn add(&mut self, call: &LoggedCall) {
        let bucket_start = Grain::Minute.start_of(call.created_at);
        let key = Key {
            bucket_start,
            user_id: call.user_id.0,
            token_id: call.token_id.map_or(0, |id| id.0),
            channel_id: call.channel_id.map_or(0, |id| id.0),
            model: call.model.clone(),
            endpoint: call.endpoint.clone(),
        };
        self.calls.entry(key).or_default().count(call);
        for attempt in &call.attempts.0 {
            let of = (bucket_start, attempt.channel_id.0);
            *self.tries.entry(of).or_default() += Tries {
                attempts: 1,
                failures: i64::from(attempt.error.is_some()),
            };
        }
    }
}
