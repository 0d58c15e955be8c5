//! What is counted of every request, whatever it asks for: a few additions, no lock.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;

use super::histogram::Histogram;
use super::page::{Kind, Page};
use crate::area::Area;

/// The counters of requests.
#[derive(Debug, Default)]
pub struct HttpMetrics {
    requests: [[AtomicU64; CLASSES.len()]; AREAS.len()],
    seconds: [Histogram; AREAS.len()],
    running: AtomicI64,
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
    /// A request has begun.
    pub fn begin(&self) {
        self.running.fetch_add(1, Ordering::Relaxed);
    }

    /// A reply has begun.
    pub fn end(&self, area: Area, status: StatusCode, elapsed: Duration) {
        let area = place(area);
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        self.requests[area][class].fetch_add(1, Ordering::Relaxed);
        self.seconds[area].add(elapsed);
    }

    /// A request is over, answered or abandoned.
    pub fn leave(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Writes them onto the page.
    pub(super) fn render(&self, page: &mut Page) {
        let name = "modelgate_http_requests_total";
        page.family(name, Kind::Counter, "Requests answered.");
        for (area, classes) in AREAS.iter().zip(&self.requests) {
            for (class, count) in CLASSES.iter().zip(classes) {
                let labels = [("area", *area), ("status", *class)];
                page.sample(name, &labels, count.load(Ordering::Relaxed));
            }
        }
        let name = "modelgate_http_request_seconds";
        page.family(name, Kind::Histogram, "Time until the reply began.");
        for (area, seconds) in AREAS.iter().zip(&self.seconds) {
            page.histogram(name, &[("area", area)], &seconds.counts());
        }
        let name = "modelgate_http_requests_running";
        let running = self.running.load(Ordering::Relaxed);
        page.single(name, Kind::Gauge, "Requests being answered.", running);
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

    #[test]
    fn a_request_is_counted_by_area_and_class_and_no_longer_runs() {
        let metrics = HttpMetrics::default();
        metrics.begin();
        metrics.begin();
        let elapsed = Duration::from_millis(2);
        metrics.end(Area::Management, StatusCode::NOT_FOUND, elapsed);
        metrics.leave();
        let mut page = Page::default();
        metrics.render(&mut page);
        let text = page.into_text();
        for line in [
            "modelgate_http_requests_total{area=\"management\",status=\"4xx\"} 1\n",
            "modelgate_http_requests_total{area=\"management\",status=\"2xx\"} 0\n",
            "modelgate_http_request_seconds_bucket{area=\"management\",le=\"0.001\"} 0\n",
            "modelgate_http_request_seconds_bucket{area=\"management\",le=\"0.0025\"} 1\n",
            "modelgate_http_request_seconds_count{area=\"console\"} 0\n",
            "modelgate_http_requests_running 1\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }
}
