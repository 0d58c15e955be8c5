//! How calls went of late: shares that failed, of a model and of all, and how long first bytes took.
//! From this node's counters, read every few seconds.

use std::collections::{HashMap, VecDeque};

use serde_json::json;
use store::incidents::Severity;

use super::super::finding::Finding;
use super::super::rule::Rule;
use crate::app::App;
use crate::config::IncidentsConfig;
use crate::telemetry::{Counts, Meters};

/// A window is cut into so many steps.
const STEPS: i64 = 12;

/// What was counted up to some time.
#[derive(Debug, Default)]
struct Sample {
    at: i64,
    calls: u64,
    failed: u64,
    models: HashMap<String, ModelSample>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ModelSample {
    calls: u64,
    failed: u64,
    first_byte: Counts,
}

/// The last few minutes.
#[derive(Debug)]
pub(in crate::incidents) struct CallWindow(VecDeque<Sample>);

impl CallWindow {
    /// A window that begins now: what was before does not count.
    pub(in crate::incidents) fn new(app: &App) -> Self {
        Self(VecDeque::from([sample(app, app.clock().now_ms())]))
    }

    /// Looks at what happened within the window. What is known already is let go only when it is
    /// clearly better: below half of the share, or of the time.
    pub(in crate::incidents) fn look(
        &mut self,
        app: &App,
        rules: &IncidentsConfig,
        is_known: &dyn Fn(Rule, &str) -> bool,
        now: i64,
    ) -> Vec<Finding> {
        let latest = sample(app, now);
        let window_ms = i64::from(rules.window_s) * 1000;
        // The oldest sample that is kept is the last one from before the window.
        while self.0.get(1).is_some_and(|next| next.at <= now - window_ms) {
            self.0.pop_front();
        }
        let findings = match self.0.front() {
            Some(oldest) => compare(oldest, &latest, rules, is_known),
            None => Vec::new(),
        };
        let is_due = |last: &Sample| now - last.at >= window_ms / STEPS;
        if self.0.back().is_none_or(is_due) {
            self.0.push_back(latest);
        }
        findings
    }
}

fn sample(app: &App, at: i64) -> Sample {
    let (calls, failed) = app.call_ends().calls_and_failures();
    Sample {
        at,
        calls,
        failed,
        models: models(app.channels().meters()),
    }
}

fn models(meters: &Meters) -> HashMap<String, ModelSample> {
    let mut models: HashMap<String, ModelSample> = HashMap::new();
    for meter in meters.used() {
        let Some(reading) = meter.reading() else {
            continue;
        };
        let sample = models.entry(meter.model().to_owned()).or_default();
        sample.calls += reading.calls();
        sample.failed += reading.failed();
        sample.first_byte.add(&reading.first_byte);
    }
    models
}

fn compare(
    oldest: &Sample,
    latest: &Sample,
    rules: &IncidentsConfig,
    is_known: &dyn Fn(Rule, &str) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let calls = latest.calls.saturating_sub(oldest.calls);
    let failed = latest.failed.saturating_sub(oldest.failed);
    let is_open = is_known(Rule::ErrorRate, "service");
    if let Some(percent) = too_many(calls, failed, rules, is_open) {
        findings.push(Finding::of_service(
            Rule::ErrorRate,
            Severity::Critical,
            (
                format!("{percent} % of all calls fail"),
                format!("{failed} of {calls} calls failed of late."),
            ),
            json!({"calls": calls, "failed": failed, "percent": percent}),
        ));
    }
    for (model, latest) in &latest.models {
        let before = oldest.models.get(model).copied().unwrap_or_default();
        findings.extend(of_model(model, &before, latest, rules, is_known));
    }
    findings
}

fn of_model(
    model: &str,
    before: &ModelSample,
    latest: &ModelSample,
    rules: &IncidentsConfig,
    is_known: &dyn Fn(Rule, &str) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let cause = format!("model:{model}");
    let finding = |rule, severity, texts: (String, String), facts| Finding {
        model: Some(model.to_owned()),
        ..Finding::of_service(rule, severity, texts, facts).about(cause.clone())
    };
    let calls = latest.calls.saturating_sub(before.calls);
    let failed = latest.failed.saturating_sub(before.failed);
    let is_open = is_known(Rule::ModelErrorRate, &cause);
    if let Some(percent) = too_many(calls, failed, rules, is_open) {
        findings.push(finding(
            Rule::ModelErrorRate,
            Severity::Critical,
            (
                format!("{percent} % of the calls of {model} fail"),
                format!("{failed} of {calls} calls failed of late."),
            ),
            json!({"calls": calls, "failed": failed, "percent": percent}),
        ));
    }
    let times = latest.first_byte.since(&before.first_byte);
    let is_open = is_known(Rule::SlowFirstByte, &cause);
    if let Some(p95_ms) = too_slow(&times, rules, is_open) {
        let shown = if p95_ms == u64::MAX {
            "more than 300".to_owned()
        } else {
            format!("up to {}", p95_ms.div_ceil(1000))
        };
        let count = times.count();
        findings.push(finding(
            Rule::SlowFirstByte,
            Severity::Warning,
            (
                format!("First bytes of {model} come late"),
                format!("5 of 100 take {shown} s; {count} were measured of late."),
            ),
            json!({"measured": count, "p95_ms": (p95_ms != u64::MAX).then_some(p95_ms)}),
        ));
    }
    findings
}

/// The share that failed, in percent, where that is too much.
fn too_many(calls: u64, failed: u64, rules: &IncidentsConfig, is_open: bool) -> Option<u64> {
    let percent = failed.saturating_mul(100).checked_div(calls)?;
    let most = u64::from(rules.error_percent);
    if is_open {
        return (percent >= most.div_ceil(2)).then_some(percent);
    }
    (calls >= u64::from(rules.error_calls) && percent >= most).then_some(percent)
}

/// The time within which 95 of 100 first bytes came, where that is too long.
fn too_slow(times: &Counts, rules: &IncidentsConfig, is_open: bool) -> Option<u64> {
    let most = u64::from(rules.first_byte_ms);
    let p95_ms = times.percentile_ms(95)?;
    if most == 0 {
        return None;
    }
    if is_open {
        return (p95_ms > most / 2).then_some(p95_ms);
    }
    (times.count() >= u64::from(rules.error_calls) && p95_ms > most).then_some(p95_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(calls: u64, failed: u64) -> Sample {
        let model = ModelSample {
            calls,
            failed,
            ..ModelSample::default()
        };
        Sample {
            at: 0,
            calls,
            failed,
            models: HashMap::from([("m".to_owned(), model)]),
        }
    }

    fn found(before: &Sample, after: &Sample, known: bool) -> Vec<&'static str> {
        let rules = IncidentsConfig::default();
        let found = compare(before, after, &rules, &|_, _| known);
        found.iter().map(|finding| finding.rule.name()).collect()
    }

    #[test]
    fn a_share_counts_once_there_are_enough_calls() {
        assert!(found(&at(0, 0), &at(19, 19), false).is_empty());
        let both = ["error_rate", "model_error_rate"];
        assert_eq!(found(&at(0, 0), &at(20, 5), false), both);
        assert!(found(&at(0, 0), &at(20, 4), false).is_empty());
        assert!(found(&at(100, 50), &at(120, 50), false).is_empty());
    }

    #[test]
    fn what_is_known_is_let_go_only_when_it_is_clearly_better() {
        let both = ["error_rate", "model_error_rate"];
        assert_eq!(found(&at(0, 0), &at(20, 4), true), both);
        assert!(found(&at(0, 0), &at(20, 2), true).is_empty());
        assert!(found(&at(7, 7), &at(7, 7), true).is_empty());
    }

    #[test]
    fn late_first_bytes_are_found_by_their_percentile() {
        let mut slow = ModelSample::default();
        // Above half a minute, and up to a minute.
        slow.first_byte.buckets[14] = 20;
        let rules = IncidentsConfig::default();
        let none = ModelSample::default();
        let found = of_model("m", &none, &slow, &rules, &|_, _| false);
        assert_eq!(found[0].rule, Rule::SlowFirstByte);
        assert_eq!(found[0].facts["p95_ms"], 60_000);
        let off = IncidentsConfig {
            first_byte_ms: 0,
            ..rules
        };
        assert!(of_model("m", &none, &slow, &off, &|_, _| false).is_empty());
    }
}
