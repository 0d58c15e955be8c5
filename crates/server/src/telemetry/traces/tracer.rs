//! Decides which calls are traced, and takes their spans. A call never waits here: where the queue is
//! full, its spans are dropped and counted.

use std::sync::atomic::{AtomicU64, Ordering};

use http::HeaderMap;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use super::context::{Parent, TraceContext};
use super::span::Span;
use crate::config::TelemetryConfig;
use crate::randomness::Randomness;

/// Most calls whose spans wait to be sent.
const WAITING: usize = 4_096;

/// What the exporter is told.
pub(super) enum Job {
    Spans(Vec<Span>),
    Flush(oneshot::Sender<()>),
}

/// What became of spans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpanCounts {
    /// The collector took them.
    pub sent: u64,
    /// There was no room for them.
    pub dropped: u64,
    /// The collector did not take them.
    pub failed: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) sent: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) failed: AtomicU64,
}

/// Traces of this node.
#[derive(Debug)]
pub struct Tracer {
    queue: mpsc::Sender<Job>,
    pub(super) jobs: Mutex<Option<mpsc::Receiver<Job>>>,
    pub(super) counters: Counters,
    percent: u32,
    takes_parents: bool,
    /// Whether upstreams are told of the trace.
    pub passes_on: bool,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Job")
    }
}

impl Tracer {
    /// A tracer, where a collector is configured.
    pub fn new(config: &TelemetryConfig) -> Option<Self> {
        config.otlp_endpoint.as_ref()?;
        let (queue, jobs) = mpsc::channel(WAITING);
        Some(Self {
            queue,
            jobs: Mutex::new(Some(jobs)),
            counters: Counters::default(),
            percent: config.trace_percent,
            takes_parents: config.take_traceparent,
            passes_on: config.pass_traceparent,
        })
    }

    /// The place of a call in its trace; none where it is not traced. A client that sends a trace
    /// decides for its calls, where that is wanted.
    pub fn begin(&self, headers: &HeaderMap, randomness: &dyn Randomness) -> Option<TraceContext> {
        let parent = self.takes_parents.then(|| Parent::read(headers)).flatten();
        let is_sampled = match parent {
            Some(parent) => parent.is_sampled,
            None => self.draws(randomness),
        };
        is_sampled.then(|| TraceContext::new(parent, randomness))
    }

    fn draws(&self, randomness: &dyn Randomness) -> bool {
        if self.percent >= 100 {
            return true;
        }
        let mut drawn = [0; 4];
        randomness.fill(&mut drawn);
        u64::from(u32::from_be_bytes(drawn)) * 100 < u64::from(self.percent) << 32
    }

    /// Takes the spans of a call that is over.
    pub fn take(&self, spans: Vec<Span>) {
        let count = spans.len() as u64;
        if self.queue.try_send(Job::Spans(spans)).is_err() {
            self.counters.dropped.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Waits until what was taken so far has been sent, or given up.
    pub async fn flush(&self) {
        let (done, is_done) = oneshot::channel();
        if self.queue.send(Job::Flush(done)).await.is_ok() {
            // An error means that the exporter is gone.
            let _ = is_done.await;
        }
    }

    /// What became of spans.
    pub fn counts(&self) -> SpanCounts {
        SpanCounts {
            sent: self.counters.sent.load(Ordering::Relaxed),
            dropped: self.counters.dropped.load(Ordering::Relaxed),
            failed: self.counters.failed.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SeededRandomness;

    fn tracer(percent: u32) -> Tracer {
        let config = TelemetryConfig {
            otlp_endpoint: Some("http://127.0.0.1:4318/v1/traces".to_owned()),
            trace_percent: percent,
            take_traceparent: true,
            ..TelemetryConfig::default()
        };
        Tracer::new(&config).unwrap()
    }

    #[test]
    fn without_a_collector_there_is_no_tracer() {
        assert!(Tracer::new(&TelemetryConfig::default()).is_none());
    }

    #[test]
    fn as_many_calls_are_traced_as_the_share_says() {
        let randomness = SeededRandomness::new(7);
        for (percent, range) in [(0, 0..=0), (10, 60..=140), (100, 1000..=1000)] {
            let tracer = tracer(percent);
            let none = HeaderMap::new();
            let begun = (0..1000).filter(|_| tracer.begin(&none, &randomness).is_some());
            let count = begun.count();
            assert!(range.contains(&count), "{percent} %: {count}");
        }
    }

    #[test]
    fn a_client_decides_for_its_own_trace() {
        let randomness = SeededRandomness::new(7);
        let mut headers = HeaderMap::new();
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0";
        headers.insert("traceparent", format!("{trace}1").parse().unwrap());
        assert!(tracer(0).begin(&headers, &randomness).is_some());
        headers.insert("traceparent", format!("{trace}0").parse().unwrap());
        assert!(tracer(100).begin(&headers, &randomness).is_none());
    }

    #[test]
    fn spans_beyond_the_queue_are_dropped_and_counted() {
        let tracer = tracer(100);
        for _ in 0..WAITING + 3 {
            tracer.take(Vec::new());
        }
        assert_eq!(tracer.counts().dropped, 0, "there were none in them");
        let context = TraceContext::new(None, &SeededRandomness::new(1));
        let span = Span {
            trace_id: context.trace_id,
            id: context.span_id,
            parent_id: None,
            name: "x".to_owned(),
            kind: super::super::span::SpanKind::Server,
            start_ns: 1,
            end_ns: 2,
            attributes: Vec::new(),
            is_error: false,
        };
        tracer.take(vec![span.clone(), span]);
        assert_eq!(tracer.counts().dropped, 2);
    }
}
