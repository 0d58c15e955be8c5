//! What the operator sees of the running service: logs, metrics and traces.

mod call_ends;
mod histogram;
mod http_metrics;
mod log_lines;
mod logs;
mod meter;
mod meters;
mod metrics;
mod page;
mod pauses;
mod process;
mod request_scope;
mod scrape;
mod traces;

pub use call_ends::{CAUSES, CLIENT_LEFT, CallEnds, NO_CAUSE, is_failure};
pub use histogram::Counts;
pub use http_metrics::HttpMetrics;
pub use logs::{LogControl, start_logs};
pub use meter::{FAULTS, Meter, Outcome};
pub use meters::{MOST_NAMED, Meters};
pub use metrics::Metrics;
pub use pauses::{Paused, Pauses};
pub use request_scope::{RequestScope, Scoped};
pub use scrape::scrape;
pub use traces::{Attribute, Span, SpanCounts, SpanKind, TraceContext, Tracer, export_spans};
