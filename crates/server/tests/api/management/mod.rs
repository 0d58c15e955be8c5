//! The management interface, resource by resource.

mod access;
mod accounts;
mod allowances;
mod announcements;
mod audit;
mod canaries;
mod catalogue;
mod channel_balance;
mod channel_test;
mod channels;
mod description;
mod empty_bodies;
mod log;
mod model_patterns;
mod on_postgres;
mod options;
mod price_notices;
mod price_sync;
mod process_canaries;
mod stats;
mod system;
mod tasks;
mod tokens;
mod user_import;
mod users;
