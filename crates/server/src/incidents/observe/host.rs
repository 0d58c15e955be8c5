//! The machine: the disk under the data folder, and the certificate.

use std::path::Path;

use serde_json::json;
use store::incidents::Severity;

use super::super::finding::Finding;
use super::super::rule::Rule;
use super::certificate;
use crate::app::App;
use crate::config::IncidentsConfig;

const DAY_MS: i64 = 86_400_000;

/// Looks at the machine. Reads from the disk.
pub(in crate::incidents) fn host(app: &App, config: &IncidentsConfig, now: i64) -> Vec<Finding> {
    let server = app.config().server.clone();
    let mut findings = Vec::new();
    findings.extend(disk(app.node(), &server.data_dir, config.disk_percent));
    if let Some((path, _)) = server.tls() {
        findings.extend(ends_soon(path, config.certificate_days, now));
    }
    findings
}

fn disk(node: &str, folder: &Path, least_percent: u32) -> Option<Finding> {
    let facts = rustix::fs::statvfs(folder).ok()?;
    let percent = facts.f_bavail.saturating_mul(100) / facts.f_blocks.max(1);
    if percent >= u64::from(least_percent) {
        return None;
    }
    let free_bytes = facts.f_bavail.saturating_mul(facts.f_frsize);
    let title = format!("The disk of node {node} has {percent} % left");
    let summary = "When it is full, nothing can be charged and calls are refused.";
    let finding = Finding::of_service(
        Rule::DiskLow,
        Severity::Critical,
        (title, summary),
        json!({"node": node, "free_bytes": free_bytes, "free_percent": percent}),
    );
    Some(finding.about(format!("node:{node}")))
}

fn ends_soon(path: &Path, days: u32, now: i64) -> Option<Finding> {
    let ends_at = certificate::ends_at(&std::fs::read(path).ok()?)?;
    let left_ms = ends_at - now;
    if left_ms > i64::from(days) * DAY_MS {
        return None;
    }
    let (severity, title) = if left_ms <= 0 {
        (Severity::Critical, "The certificate has ended".to_owned())
    } else {
        let days = left_ms / DAY_MS;
        (
            Severity::Warning,
            format!("The certificate ends in {days} days"),
        )
    };
    let summary = "Clients refuse the connection once it has. Renew it and restart.";
    let ends = jiff::Timestamp::from_millisecond(ends_at).ok()?;
    let finding = Finding::of_service(
        Rule::CertificateExpiring,
        severity,
        (title, summary),
        json!({"ends_at": ends.to_string()}),
    );
    Some(finding.about("certificate".to_owned()))
}
