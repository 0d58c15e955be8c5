//! Which users or tokens are the largest, found in narrow sums: there may be very many of them, and
//! whoever is shown is summed up on its own afterwards.

use sea_orm::ConnectionTrait;

use super::query::{Dimension, RankBy, RollupFilter};
use crate::error::Result;
use crate::sql;

impl RollupFilter {
    /// Whether the largest of this dimension can be told from sums by who pays alone: not for other
    /// dimensions, nor where calls must have a model, a channel or an endpoint in common.
    pub fn ranks_payers(&self, dimension: Dimension) -> bool {
        let is_narrowed =
            self.channel_id.is_some() || self.model.is_some() || self.endpoint.is_some();
        dimension.is_of_payers() && self.user_id.is_none() && !is_narrowed
    }
}

/// The `limit` largest users or tokens of a range, largest first; for filters that
/// [`RollupFilter::ranks_payers`].
pub async fn largest_payers(
    connection: &impl ConnectionTrait,
    filter: &RollupFilter,
    dimension: Dimension,
    rank_by: RankBy,
    limit: u32,
) -> Result<Vec<i64>> {
    let conditions = filter.as_a_whole(filter.grain.of_payers());
    let text = format!(
        "SELECT {key} FROM payer_rollups WHERE {conditions}
        GROUP BY {key} ORDER BY SUM({rank}) DESC, CAST({key} AS TEXT) LIMIT {limit}",
        key = dimension.column(),
        conditions = conditions.sql(),
        rank = rank_by.column(),
    );
    sql::values(connection, &text, conditions.values()).await
}
