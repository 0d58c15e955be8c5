//! A copy of the embedded database for root to take away: made first, which takes a step-up check, then fetched once,
//! as a plain download that the browser writes to disk as it comes. Nothing of it stays on the server. Master keys
//! are never in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, header};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::{Engine, backup};
use tokio::fs;
use tokio::sync::Mutex;
use tokio_util::io::ReaderStream;

use super::system::disk;
use crate::app::App;
use crate::management::frame::{Act, ApiError, At, Identity, Reply};

/// A copy that nobody has fetched is deleted after so long.
const KEPT_FOR: Duration = Duration::from_mins(10);
/// Copies that wait are called so, with their ticket behind it.
const PREFIX: &str = "backup-to-fetch-";
/// What is left free on the disk beside a copy.
const SPARE_BYTES: u64 = 64 * 1024 * 1024;

/// One copy is made at a time.
static MAKING: Mutex<()> = Mutex::const_new(());

/// A copy that waits to be fetched.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Backup")]
pub struct BackupView {
    /// Fetches it, once: `GET /api/system/backup/{ticket}`.
    ticket: String,
    /// What to call the file.
    file_name: String,
    /// How large it is.
    size_bytes: u64,
}

/// Makes a copy. One that waited before is deleted.
pub(super) async fn make(
    State(app): State<Arc<App>>,
    actor: Identity,
) -> Result<Reply<BackupView>, ApiError> {
    if app.store().database().engine() != Engine::Sqlite {
        return Err(ApiError::conflict(
            "The records are in PostgreSQL: copy them with its own tools, for example pg_dump.",
        ));
    }
    let Ok(_alone) = MAKING.try_lock() else {
        return Err(ApiError::conflict("A copy is being made already."));
    };
    let folder = app.config().server.data_dir.clone();
    remove_former(&folder)
        .await
        .map_err(|error| ApiError::internal(&error))?;
    check_room(&app, &folder).await?;
    let mut random = [0; 16];
    app.randomness().fill(&mut random);
    let ticket = hex::encode(random);
    let path = waiting(&folder, &ticket);
    // What was acknowledged and is not in the database yet belongs to the copy too.
    app.wallets().flush().await;
    backup::write_copy(app.store().database(), &path).await?;
    forget_later(path.clone());
    let size = fs::metadata(&path)
        .await
        .map_err(|error| ApiError::internal(&error))?;
    let size_bytes = size.len();
    let transaction = app.store().write().await?;
    let act = Act {
        action: "backup.make",
        object_kind: "database",
        object_id: "all".to_owned(),
        changes: json!({"size_bytes": {"to": size_bytes}}),
    };
    act.note(&transaction, &actor, app.clock().now_ms()).await?;
    transaction.commit().await?;
    Ok(Reply::of(BackupView {
        ticket,
        file_name: file_name(app.clock().now()),
        size_bytes,
    }))
}

/// Gives a copy that waits, and forgets it.
pub(super) async fn fetch(
    State(app): State<Arc<App>>,
    At(ticket): At<String>,
) -> Result<Response, ApiError> {
    let missing = || ApiError::not_found("The copy");
    // Only what was made here is ever opened.
    if ticket.len() != 32 || !ticket.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(missing());
    }
    let path = waiting(&app.config().server.data_dir, &ticket);
    // Whoever takes its name away has it; what is open can be read to its end.
    let taken = path.with_extension("taken");
    fs::rename(&path, &taken).await.map_err(|_| missing())?;
    let file = fs::File::open(&taken).await;
    let removed = fs::remove_file(&taken).await;
    let (file, size) = async {
        removed?;
        let file = file?;
        let size = file.metadata().await?.len();
        Ok::<_, std::io::Error>((file, size))
    }
    .await
    .map_err(|error| ApiError::internal(&error))?;
    let name = format!("attachment; filename=\"{}\"", file_name(app.clock().now()));
    let headers: [(HeaderName, HeaderValue); 3] = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/vnd.sqlite3"),
        ),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::try_from(name).map_err(|error| ApiError::internal(&error))?,
        ),
        (header::CONTENT_LENGTH, HeaderValue::from(size)),
    ];
    Ok((headers, Body::from_stream(ReaderStream::new(file))).into_response())
}

fn waiting(folder: &Path, ticket: &str) -> PathBuf {
    folder.join(format!("{PREFIX}{ticket}"))
}

fn file_name(now: Timestamp) -> String {
    format!("modelgate-{}.sqlite", now.strftime("%Y%m%d-%H%M%S"))
}

/// A copy takes about as much room as what it is made of; a full disk would stop everything else.
async fn check_room(app: &App, folder: &Path) -> Result<(), ApiError> {
    let records = app.store().database().facts().await?.size_bytes;
    let needed = u64::try_from(records)
        .unwrap_or(u64::MAX)
        .saturating_add(SPARE_BYTES);
    match disk(folder) {
        Some(disk) if disk.free_bytes < needed => Err(ApiError::conflict(
            "The disk under the data folder has no room for a copy.",
        )),
        _ => Ok(()),
    }
}

async fn remove_former(folder: &Path) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            fs::remove_file(entry.path()).await?;
        }
    }
    Ok(())
}

fn forget_later(path: PathBuf) {
    tokio::spawn(async move {
        tokio::time::sleep(KEPT_FOR).await;
        // Most are gone by then.
        let _ = fs::remove_file(&path).await;
    });
}
