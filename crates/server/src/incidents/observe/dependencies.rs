//! What the service stands on: Redis, the database, and the way of charges into it.

use std::time::Duration;

use serde_json::json;
use store::incidents::Severity;

use super::super::finding::Finding;
use super::super::rule::Rule;
use crate::app::App;
use crate::config::IncidentsConfig;

/// The database has so long to answer before it counts as away.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether the records cannot be reached.
pub(in crate::incidents) async fn is_database_away(app: &App) -> bool {
    let answer = tokio::time::timeout(PATIENCE, app.store().read().ping());
    !matches!(answer.await, Ok(Ok(())))
}

/// Looks at Redis and at the charges that are on their way.
pub(in crate::incidents) fn dependencies(app: &App, config: &IncidentsConfig) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !app.shared().is_available() {
        let title = "Redis is away";
        let summary = "Calls go on; each node keeps to its share of the limits, and edits take \
                       longer to reach the other nodes.";
        findings.push(Finding::of_service(
            Rule::RedisLost,
            Severity::Warning,
            (title, summary),
            json!({"node": app.node()}),
        ));
    }
    let figures = app.wallets().figures();
    findings.extend(journal(app, config, figures.journal));
    let waited_s = figures.writing_ms / 1000;
    if waited_s >= i64::from(config.settlement_s) {
        let title = format!("Charges wait to be written on node {}", app.node());
        let summary = format!(
            "The group that is being written has taken {waited_s} s so far, and {} calls wait.",
            figures.waiting
        );
        let facts = json!({"node": app.node(), "waiting": figures.waiting, "writing_s": waited_s});
        findings.push(
            Finding::of_service(
                Rule::SettlementBacklog,
                Severity::Critical,
                (title, summary),
                facts,
            )
            .about(format!("node:{}", app.node())),
        );
    }
    findings
}

fn journal(app: &App, config: &IncidentsConfig, size: Option<(u64, u64)>) -> Option<Finding> {
    let (bytes, most) = size?;
    let percent = bytes.saturating_mul(100) / most.max(1);
    if percent < u64::from(config.journal_percent) {
        return None;
    }
    let title = format!("The journal of node {} is {percent} % full", app.node());
    let summary = "Charges wait in it for the database. When it is full, calls are refused.";
    let facts = json!({"node": app.node(), "bytes": bytes, "most_bytes": most});
    let finding = Finding::of_service(
        Rule::JournalFilling,
        Severity::Critical,
        (title, summary),
        facts,
    );
    Some(finding.about(format!("node:{}", app.node())))
}
