//! Remembers answers that take long to make, for a hundredth of the range that they are about; in
//! Redis where there is one. What is made quickly is made anew each time, so that on most
//! installations nothing is ever old.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use store::StoreError;

use crate::app::App;

/// An answer that took less is not remembered.
const SLOW_MS: i64 = 50;
const SHORTEST_MS: i64 = 10_000;
const LONGEST_MS: i64 = 6 * 3_600_000;

/// What an answer is about.
pub struct About {
    /// Tells it apart from others about the same range.
    pub name: String,
    /// Where its range begins.
    pub from_ms: i64,
    /// Where it ends.
    pub until_ms: i64,
}

/// The answer as it is remembered, or as `make` makes it.
pub async fn remembered<T, F>(app: &App, about: About, make: F) -> Result<T, StoreError>
where
    T: Serialize + DeserializeOwned,
    F: Future<Output = Result<T, StoreError>>,
{
    let length = about.until_ms.saturating_sub(about.from_ms);
    // In whole steps: a range that ends now is a little longer each time.
    let lasts_ms = (length / 100 / SHORTEST_MS * SHORTEST_MS).clamp(SHORTEST_MS, LONGEST_MS);
    let (from, until) = (about.from_ms / lasts_ms, about.until_ms / lasts_ms);
    let key = format!("stats:{}:{lasts_ms}:{from}:{until}", about.name);
    let before = app.clock().now_ms();
    // Without the shared state there is no memory, and the answer is the same.
    let known = app.shared().cache_get(&key, before).await.ok().flatten();
    if let Some(answer) = known.and_then(|text| serde_json::from_slice(&text).ok()) {
        return Ok(answer);
    }
    let answer = make.await?;
    let now = app.clock().now_ms();
    if now.saturating_sub(before) >= SLOW_MS
        && let Ok(text) = serde_json::to_vec(&answer)
        && let Err(error) = app
            .shared()
            .cache_put(&key, &text, lasts_ms.unsigned_abs(), now)
            .await
    {
        tracing::debug!(%error, "an answer could not be remembered");
    }
    Ok(answer)
}
