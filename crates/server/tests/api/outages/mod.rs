//! What the service needs goes away and comes back: Redis, names, certificates, the time.
//! PostgreSQL is in `money`.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod clock;
mod redis;
mod upstreams;
