//! What the service needs goes away and comes back: Redis, names, certificates, the time.
//! Of PostgreSQL, what concerns money is in `money`.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod clock;
mod postgres;
mod redis;
mod upstreams;
