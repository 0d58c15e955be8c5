//! What pools of both engines have in common.

use sea_orm::ConnectOptions;

use crate::location::OpenOptions;

/// A pool of at most so many connections.
pub(super) fn pool_options(
    url: impl Into<String>,
    connections: u32,
    options: &OpenOptions,
) -> ConnectOptions {
    let mut connect = ConnectOptions::new(url);
    connect
        .max_connections(connections)
        .min_connections(1)
        .connect_timeout(options.wait)
        .acquire_timeout(options.wait)
        .sqlx_logging(false);
    connect
}
