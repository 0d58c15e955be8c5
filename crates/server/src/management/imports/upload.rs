//! The uploaded source as a file: databases are read from files, not from memory. The file is ours
//! alone, and gone when the import has been understood or refused.

use std::path::{Path, PathBuf};

use axum::body::Body;
use tokio::io::AsyncWriteExt as _;

use crate::app::App;
use crate::management::frame::ApiError;
use crate::middleware::receive_body;
use crate::secrets::random_text;

/// A file that is deleted when it is dropped.
#[derive(Debug)]
pub(super) struct Upload {
    path: PathBuf,
}

impl Upload {
    /// Takes a body; an empty one is refused.
    pub(super) async fn take(app: &App, body: Body) -> Result<Self, ApiError> {
        let bytes = receive_body(body, app.reserve_body_memory(None)).await?;
        if bytes.is_empty() {
            return Err(ApiError::bad_request("The body is empty: send the source."));
        }
        let name = format!("import-{}.part", random_text(app.randomness(), 16));
        let upload = Self {
            path: app.config().server.data_dir.join(name),
        };
        let cannot = |error: std::io::Error| ApiError::internal(&error);
        let mut options = tokio::fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut file = options.open(&upload.path).await.map_err(cannot)?;
        file.write_all(&bytes).await.map_err(cannot)?;
        file.flush().await.map_err(cannot)?;
        Ok(upload)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, "an uploaded file could not be deleted");
        }
    }
}
