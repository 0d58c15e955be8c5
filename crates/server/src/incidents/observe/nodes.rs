//! Nodes that do not show themselves any more.

use serde_json::json;
use store::incidents::Severity;
use store::{Result, nodes as records};

use super::super::finding::Finding;
use super::super::rule::Rule;
use crate::app::App;
use crate::limits::GONE_AFTER_MS;

/// One that was gone for so long was taken away, not lost.
const FORGOTTEN_AFTER_MS: i64 = 86_400_000;

/// Looks for nodes that were there and are not. A node that stopped in order says so.
pub(in crate::incidents) async fn nodes(app: &App, now: i64) -> Result<Vec<Finding>> {
    let (from, until) = (now - FORGOTTEN_AFTER_MS, now - GONE_AFTER_MS);
    let lost = records::lost(app.store().read(), from, until).await?;
    // Whoever looks is there, whatever its clock says.
    let others = lost.into_iter().filter(|node| node.id != app.node());
    let findings = others.map(|node| {
        let journal = if node.has_journal {
            "Charges wait in its journal: what it leased stays held until it is back."
        } else {
            "What it leased comes back by itself."
        };
        let seen = jiff::Timestamp::from_millisecond(node.heartbeat_at)
            .map(|time| time.to_string())
            .unwrap_or_default();
        let finding = Finding::of_service(
            Rule::NodeLost,
            Severity::Warning,
            (
                format!("Node {} is gone", node.id),
                format!("It did not stop in order, and was last seen at {seen}. {journal}"),
            ),
            json!({
                "node": node.id,
                "version": node.version,
                "last_seen_at": seen,
                "has_journal": node.has_journal,
            }),
        );
        finding.about(format!("node:{}", node.id))
    });
    Ok(findings.collect())
}
