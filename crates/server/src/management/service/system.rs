//! `GET /api/system/`: what the service runs on: its nodes, its database, its disk.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use store::{DatabaseFacts, Engine, nodes};

use crate::app::App;
use crate::limits::GONE_AFTER_MS;
use crate::management::frame::{ApiError, Moment, Reply};

/// What the service runs on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "System")]
pub struct SystemView {
    /// The program's version.
    version: &'static str,
    /// The nodes that were seen and not removed.
    nodes: Vec<NodeView>,
    /// The records.
    database: DatabaseView,
    /// The disk under the data folder; `null` where it cannot be asked.
    disk: Option<DiskView>,
}

/// A node.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Node")]
pub struct NodeView {
    /// Its own name, kept over restarts.
    id: String,
    /// The version of the program that it runs.
    version: String,
    /// When it started.
    started_at: Moment,
    /// When it last showed that it runs.
    last_seen_at: Moment,
    /// Whether it runs, as far as that shows.
    is_alive: bool,
    /// Whether it is the one that answers this.
    is_this: bool,
    /// Whether charges wait in its journal for the database.
    has_journal: bool,
}

/// The records.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Database")]
pub struct DatabaseView {
    /// `sqlite` or `postgresql`.
    engine: &'static str,
    /// The engine's version.
    version: String,
    /// How large the records are, in bytes.
    size_bytes: i64,
}

/// A disk.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Disk")]
pub struct DiskView {
    /// The data folder.
    path: String,
    /// What is free, in bytes.
    pub(super) free_bytes: u64,
    /// What there is, in bytes.
    total_bytes: u64,
}

/// Shows what the service runs on.
pub(super) async fn show(State(app): State<Arc<App>>) -> Result<Reply<SystemView>, ApiError> {
    let now = app.clock().now_ms();
    let known = nodes::list(app.store().read()).await?;
    let node = |node: nodes::Node| NodeView {
        is_alive: now - node.heartbeat_at < GONE_AFTER_MS,
        is_this: node.id == app.node(),
        id: node.id,
        version: node.version,
        started_at: Moment(node.started_at),
        last_seen_at: Moment(node.heartbeat_at),
        has_journal: node.has_journal,
    };
    let DatabaseFacts {
        version,
        size_bytes,
    } = app.store().database().facts().await?;
    let engine = match app.store().database().engine() {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgresql",
    };
    let folder = app.config().server.data_dir.clone();
    Ok(Reply::of(SystemView {
        version: env!("CARGO_PKG_VERSION"),
        nodes: known.into_iter().map(node).collect(),
        database: DatabaseView {
            engine,
            version,
            size_bytes,
        },
        disk: disk(&folder),
    }))
}

pub(super) fn disk(folder: &std::path::Path) -> Option<DiskView> {
    let facts = rustix::fs::statvfs(folder).ok()?;
    Some(DiskView {
        path: folder.display().to_string(),
        free_bytes: facts.f_bavail.saturating_mul(facts.f_frsize),
        total_bytes: facts.f_blocks.saturating_mul(facts.f_frsize),
    })
}
