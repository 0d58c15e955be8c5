//! Sends spans to the collector in batches. What it does not take in time is given up and counted:
//! traces are never worth a call.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::{HeaderValue, Method, StatusCode, header};
use ipnet::IpNet;
use providers::transport::{Guard, Outbound, PoolSettings, Timeouts, TlsTrust};
use providers::{Egress, RequestBody, UpstreamRequest};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::encode::{Resource, request};
use super::span::Span;
use super::tracer::{Job, Tracer};
use crate::app::App;
use crate::config::Secret;
use crate::outbound::target_of;

/// Most spans of one request, about.
const BATCH: usize = 512;
/// A batch that is not full goes after so long.
const WAIT: Duration = Duration::from_secs(2);
/// Pauses before a batch is tried again.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
};

struct Collector {
    endpoint: String,
    authorization: Option<Secret>,
    outbound: Outbound,
    resource: Resource,
}

/// Runs until it is dropped: calls that finish after the stop was asked for are traced too.
pub async fn export_spans(app: Arc<App>) {
    let Some(tracer) = app.tracer() else { return };
    let Some(mut jobs) = tracer.jobs.lock().take() else {
        return;
    };
    let config = app.config_in_full();
    let Some(endpoint) = config.telemetry.otlp_endpoint.clone() else {
        return;
    };
    // Whoever runs the machine says where the collector is, and it is mostly a neighbour.
    let everywhere = ["0.0.0.0/0", "::/0"].map(str::parse::<IpNet>);
    let guard = Guard::new(everywhere.into_iter().flatten());
    let collector = Collector {
        endpoint,
        authorization: config.telemetry.otlp_authorization.clone(),
        outbound: Outbound::new(guard, PoolSettings::default()),
        resource: Resource {
            node: app.node().to_owned(),
        },
    };
    let mut batch = Vec::new();
    let mut flushes: Vec<oneshot::Sender<()>> = Vec::new();
    while let Some(job) = jobs.recv().await {
        let until = Instant::now() + WAIT;
        let mut next = Some(job);
        while let Some(job) = next.take() {
            match job {
                Job::Spans(spans) => batch.extend(spans),
                Job::Flush(done) => flushes.push(done),
            }
            if batch.len() < BATCH && flushes.is_empty() {
                next = timeout_at(until, jobs.recv()).await.ok().flatten();
            }
        }
        hand_over(tracer, &collector, &mut batch).await;
        for done in flushes.drain(..) {
            // Whoever asked may have stopped waiting.
            let _ = done.send(());
        }
    }
}

async fn hand_over(tracer: &Tracer, collector: &Collector, batch: &mut Vec<Span>) {
    let spans = std::mem::take(batch);
    if spans.is_empty() {
        return;
    }
    let count = spans.len() as u64;
    let body = request(&collector.resource, &spans);
    let mut pauses = PAUSES.iter();
    loop {
        let problem = match collector.send(body.clone()).await {
            Ok(()) => {
                tracer.counters.sent.fetch_add(count, Ordering::Relaxed);
                return;
            }
            Err(problem) => problem,
        };
        let pause = pauses.next().filter(|_| problem.may_pass);
        let Some(pause) = pause else {
            let reason = problem.text;
            tracing::debug!(reason, count, "the collector did not take spans");
            tracer.counters.failed.fetch_add(count, Ordering::Relaxed);
            return;
        };
        tokio::time::sleep(*pause).await;
    }
}

struct Problem {
    text: String,
    /// Whether it may go away by itself.
    may_pass: bool,
}

impl Collector {
    async fn send(&self, body: Vec<u8>) -> Result<(), Problem> {
        let lasting = |text: &str| Problem {
            text: text.to_owned(),
            may_pass: false,
        };
        let target = target_of(&self.endpoint).ok_or_else(|| lasting("no address"))?;
        let mut request =
            UpstreamRequest::new(Method::POST, target, RequestBody::Whole(body.into()));
        let protobuf = HeaderValue::from_static("application/x-protobuf");
        request.headers.insert(header::CONTENT_TYPE, protobuf);
        if let Some(secret) = &self.authorization {
            let value = HeaderValue::try_from(secret.expose());
            let mut value = value.map_err(|_| lasting("no header can hold the authorization"))?;
            value.set_sensitive(true);
            request.headers.insert(header::AUTHORIZATION, value);
        }
        let egress = Egress::new(TlsTrust::public(), None, TIMEOUTS);
        let reply = self.outbound.send(request, &egress).await;
        let reply = reply.map_err(|error| Problem {
            text: error.to_string(),
            may_pass: true,
        })?;
        let status = reply.status;
        if status.is_success() {
            return Ok(());
        }
        Err(Problem {
            text: format!("status {}", status.as_u16()),
            may_pass: matches!(
                status,
                StatusCode::TOO_MANY_REQUESTS
                    | StatusCode::BAD_GATEWAY
                    | StatusCode::SERVICE_UNAVAILABLE
                    | StatusCode::GATEWAY_TIMEOUT
            ),
        })
    }
}
