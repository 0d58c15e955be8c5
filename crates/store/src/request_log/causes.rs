//! Why calls failed lately, most frequent first, for the overview.

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::sql;

/// A cause and how often it struck.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult, Serialize, Deserialize)]
pub struct CauseCount {
    /// The short word for what went wrong.
    pub error_cause: String,
    /// How many calls failed for it.
    pub calls: i64,
    /// When it struck last.
    pub last_at: i64,
}

/// The `limit` most frequent causes from `from_ms` to before `until_ms`.
pub async fn error_causes(
    connection: &impl ConnectionTrait,
    from_ms: i64,
    until_ms: i64,
    limit: u32,
) -> Result<Vec<CauseCount>> {
    let text = "SELECT error_cause, COUNT(*) AS calls, MAX(created_at) AS last_at
        FROM request_log
        WHERE error_cause IS NOT NULL AND created_at >= $1 AND created_at < $2
        GROUP BY error_cause ORDER BY calls DESC, error_cause LIMIT $3";
    let values = [from_ms.into(), until_ms.into(), i64::from(limit).into()];
    sql::all(connection, text, values).await
}
