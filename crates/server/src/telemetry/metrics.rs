//! Metrics in the form that Prometheus reads, and the counters of the HTTP side.

use std::time::{Duration, Instant};

use http::StatusCode;
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use crate::area::Area;

/// The metrics of the process in the form that Prometheus reads.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    started: Instant,
}

/// Seconds that a request may take; the upper ones are for long answers of models.
const BUCKETS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 300.0,
];

impl Metrics {
    /// Starts counting. A process has one recorder: whoever comes second gets one of its own,
    /// which only its own handles feed.
    pub fn start() -> anyhow::Result<(Self, HttpMetrics)> {
        let recorder = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)?
            .build_recorder();
        let handle = recorder.handle();
        let http = metrics::with_local_recorder(&recorder, || {
            register_rare();
            HttpMetrics::register()
        });
        // Tests start several services in one process; only the first is the process's own.
        let _ = metrics::set_global_recorder(recorder);
        Ok((
            Self {
                handle,
                started: Instant::now(),
            },
            http,
        ))
    }

    /// What was counted here, in the form that Prometheus reads; `scrape` adds the rest.
    pub(super) fn render(&self) -> String {
        self.handle.render()
    }

    /// How long the service has run.
    pub(super) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Folds what histograms have gathered; to be called every few seconds.
    pub fn tidy(&self) {
        self.handle.run_upkeep();
    }
}

/// Registers what is counted where it happens, which is rarely: so the page has it from the beginning.
fn register_rare() {
    let name = "modelgate_limits_lost_corrections_total";
    metrics::describe_counter!(name, "Corrections of limits that were lost.");
    counter!(name).absolute(0);
    let name = "modelgate_limits_on_node_share";
    metrics::describe_gauge!(
        name,
        "Whether this node keeps to its share of all limits because Redis is away."
    );
    gauge!(name).set(0.0);
    let name = "modelgate_pauses_total";
    metrics::describe_counter!(name, "Channels and keys paused by the gateway.");
    for what in ["channel", "key"] {
        counter!(name, "what" => what).absolute(0);
    }
    let name = "modelgate_incidents_open";
    metrics::describe_gauge!(name, "Incidents that are open, over all nodes.");
    gauge!(name).set(0.0);
}

/// Counters of requests, looked up once: the hot path only adds.
pub struct HttpMetrics {
    requests: [[Counter; 5]; 4],
    seconds: [Histogram; 4],
    running: Gauge,
}

const AREAS: [&str; 4] = ["model_call", "management", "console", "probe"];

/// The place of an area among them.
fn place(area: Area) -> usize {
    match area {
        Area::ModelCall(_) => 0,
        Area::Management => 1,
        Area::Console => 2,
        Area::Probe => 3,
    }
}

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

impl HttpMetrics {
    fn register() -> Self {
        metrics::describe_counter!("modelgate_http_requests_total", "Requests answered.");
        metrics::describe_histogram!(
            "modelgate_http_request_seconds",
            "Time until the reply began."
        );
        metrics::describe_gauge!(
            "modelgate_http_requests_running",
            "Requests being answered."
        );
        Self {
            requests: AREAS.map(|area| {
                CLASSES.map(|class| {
                    counter!("modelgate_http_requests_total", "area" => area, "status" => class)
                })
            }),
            seconds: AREAS.map(|area| histogram!("modelgate_http_request_seconds", "area" => area)),
            running: gauge!("modelgate_http_requests_running"),
        }
    }

    /// A request has begun.
    pub fn begin(&self) {
        self.running.increment(1.0);
    }

    /// A reply has begun.
    pub fn end(&self, area: Area, status: StatusCode, elapsed: Duration) {
        let area = place(area);
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        self.requests[area][class].increment(1);
        self.seconds[area].record(elapsed.as_secs_f64());
    }

    /// A request is over, answered or abandoned.
    pub fn leave(&self) {
        self.running.decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use dialects::DialectId;

    use super::*;

    #[test]
    fn every_area_is_counted_under_its_own_name() {
        let model_call = Area::ModelCall(DialectId::Messages);
        for area in [model_call, Area::Management, Area::Console, Area::Probe] {
            assert_eq!(AREAS[place(area)], area.name());
        }
    }
}
