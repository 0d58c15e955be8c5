//! Breakdowns, and among them the largest users and tokens of the whole service. Where there are so
//! many that ranking them takes long, who they are is remembered for a while; their sums are always
//! fresh.

use store::StoreError;
use store::rollups::{self, Dimension, RankBy, RollupFilter, UsageRow};

use super::memory::{About, remembered};
use crate::app::App;

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
    let token = filter.token_id.map_or(0, |token| token.0);
    let about = About {
        name: format!("largest:{dimension:?}:{rank:?}:{limit}:{token}"),
        from_ms: filter.from_ms,
        until_ms: filter.until_ms,
    };
    let largest = rollups::largest_payers(records, filter, dimension, rank, limit);
    let keys: Vec<i64> = remembered(app, about, largest).await?;
    rollups::breakdown_of(records, filter, dimension, rank, &keys).await
}
