//! Breakdowns, and among them the largest users and tokens of the whole service. Where there are so
//! many that ranking them takes long, who they are is remembered for a hundredth of the range; their
//! sums are always fresh.

use store::StoreError;
use store::rollups::{self, Dimension, RankBy, RollupFilter, UsageRow};

use crate::app::App;

/// A ranking that took less is made anew each time.
const SLOW_MS: i64 = 50;
const SHORTEST_MS: i64 = 10_000;
const LONGEST_MS: i64 = 6 * 3_600_000;

/// The `limit` keys of a dimension with the largest sums.
pub async fn breakdown(
    app: &App,
    filter: &RollupFilter,
    dimension: Dimension,
    rank: RankBy,
    limit: u32,
) -> Result<Vec<UsageRow>, StoreError> {
    let records = app.store().read();
    if !filter.ranks_payers(dimension) {
        return rollups::breakdown(records, filter, dimension, rank, limit).await;
    }
    let keys = largest_payers(app, filter, dimension, rank, limit).await?;
    rollups::breakdown_of(records, filter, dimension, rank, &keys).await
}

async fn largest_payers(
    app: &App,
    filter: &RollupFilter,
    dimension: Dimension,
    rank: RankBy,
    limit: u32,
) -> Result<Vec<i64>, StoreError> {
    let length = filter.until_ms.saturating_sub(filter.from_ms);
    let lasts_ms = (length / 100).clamp(SHORTEST_MS, LONGEST_MS);
    let (from, until) = (filter.from_ms / lasts_ms, filter.until_ms / lasts_ms);
    let token = filter.token_id.map_or(0, |token| token.0);
    let name = format!("ranking:{dimension:?}:{rank:?}:{limit}:{token}:{lasts_ms}:{from}:{until}");
    let before = app.clock().now_ms();
    // Without the shared state there is no memory, and the answer is the same.
    let known = app.shared().cache_get(&name, before).await.ok().flatten();
    if let Some(keys) = known.and_then(|text| serde_json::from_slice(&text).ok()) {
        return Ok(keys);
    }
    let records = app.store().read();
    let found = rollups::largest_payers(records, filter, dimension, rank, limit).await?;
    let now = app.clock().now_ms();
    if now.saturating_sub(before) >= SLOW_MS
        && let Err(error) = remember(app, &name, &found, lasts_ms, now).await
    {
        tracing::debug!(%error, "a ranking could not be remembered");
    }
    Ok(found)
}

async fn remember(
    app: &App,
    name: &str,
    keys: &[i64],
    lasts_ms: i64,
    now: i64,
) -> anyhow::Result<()> {
    let text = serde_json::to_vec(keys)?;
    let lasts_ms = u64::try_from(lasts_ms)?;
    app.shared().cache_put(name, &text, lasts_ms, now).await?;
    Ok(())
}
