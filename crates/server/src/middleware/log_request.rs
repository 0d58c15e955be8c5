//! One log line and one count per request. The query is never logged: it may hold a token.

use http::{Method, StatusCode};
use tokio::time::Instant;

use crate::area::Area;
use crate::clock;
use crate::telemetry::HttpMetrics;

/// A request that is being answered.
pub(super) struct Running<'a> {
    metrics: &'a HttpMetrics,
    area: Area,
    started: Instant,
}

impl<'a> Running<'a> {
    /// Counts a request as begun.
    pub(super) fn begin(metrics: &'a HttpMetrics, area: Area) -> Self {
        metrics.begin();
        Self {
            metrics,
            area,
            started: clock::instant(),
        }
    }

    /// Logs and counts the reply. Quiet where it would only repeat what the request log of model
    /// calls says, or what nobody asked for.
    pub(super) fn end(self, method: &Method, path: &str, status: StatusCode) {
        let elapsed = clock::since(self.started);
        self.metrics.end(self.area, status, elapsed);
        let elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let status = status.as_u16();
        let area = self.area.name();
        if status >= 500 {
            tracing::warn!(%method, path, status, area, elapsed_us, "request failed");
        } else if status >= 400 || self.area == Area::Management {
            tracing::info!(%method, path, status, area, elapsed_us, "request");
        } else {
            tracing::debug!(%method, path, status, area, elapsed_us, "request");
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.metrics.leave();
    }
}
