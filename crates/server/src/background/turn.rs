//! Work that one node at a time is to do.

use crate::app::App;

/// Whether this node does the work for the next `ttl_ms`. Without the shared state nobody can say:
/// working twice is better than never.
pub(super) async fn is_ours(app: &App, work: &str, ttl_ms: u64, now_ms: i64) -> bool {
    let lock = app.shared().acquire_lock(work, app.node(), ttl_ms, now_ms);
    lock.await.unwrap_or(true)
}
