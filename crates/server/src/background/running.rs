//! Calls under way, told among nodes while somebody watches on one of them. Whoever watches says so under one key;
//! who reads that shows its own calls under another; all of it is forgotten by itself.

use std::sync::Arc;
use std::time::Duration;

use store::nodes;
use store::shared::Shared;

use crate::app::App;
use crate::in_flight::{Running, Watching};
use crate::limits::GONE_AFTER_MS;

const EVERY: Duration = Duration::from_secs(1);
/// What a node says counts for so long: two of its looks may fail.
const TTL_MS: u64 = 3_000;
/// Somebody watches.
const WATCHED: &str = "running:watched";
/// So many calls of a node are told to others, the oldest first.
const MOST: usize = 1_000;

/// Runs until the stop is asked for, where nodes share anything.
pub async fn share_running(app: Arc<App>) {
    if matches!(app.shared(), Shared::Memory(_)) {
        return;
    }
    // For as long as somebody watches on another node.
    let mut for_others: Option<Watching> = None;
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        let watched_here = app.in_flight().watchers() > usize::from(for_others.is_some());
        let is_watched = exchange(&app, watched_here).await.unwrap_or_else(|error| {
            tracing::debug!(%error, "calls under way are not told among nodes");
            app.in_flight().set_elsewhere(Vec::new());
            false
        });
        for_others =
            is_watched.then(|| for_others.take().unwrap_or_else(|| app.in_flight().watch()));
    }
}

/// Tells and asks what there is to; whether somebody watches, here or elsewhere.
async fn exchange(app: &App, watched_here: bool) -> anyhow::Result<bool> {
    let (shared, list, now) = (app.shared(), app.in_flight(), app.clock().now_ms());
    if watched_here {
        shared.cache_put(WATCHED, b"1", TTL_MS, now).await?;
    } else if shared.cache_get(WATCHED, now).await?.is_none() {
        list.set_elsewhere(Vec::new());
        return Ok(false);
    }
    let own = serde_json::to_vec(&list.oldest_here(MOST))?;
    shared
        .cache_put(&key(app.node()), &own, TTL_MS, now)
        .await?;
    if watched_here {
        list.set_elsewhere(of_others(app, now).await?);
    }
    Ok(true)
}

async fn of_others(app: &App, now: i64) -> anyhow::Result<Vec<Running>> {
    let mut calls = Vec::new();
    for node in nodes::list(app.store().read()).await? {
        let runs = node.stopped_at.is_none() && node.heartbeat_at >= now - GONE_AFTER_MS;
        if !runs || node.id == app.node() {
            continue;
        }
        if let Some(told) = app.shared().cache_get(&key(&node.id), now).await? {
            calls.extend(serde_json::from_slice::<Vec<Running>>(&told)?);
        }
    }
    Ok(calls)
}

fn key(node: &str) -> String {
    format!("running:{node}")
}
