//! Traces of model calls for OpenTelemetry collectors: one server span a call, one client span an
//! attempt, sent in batches over OTLP (HTTP with protobuf). Off unless configured, and then a call
//! only ever puts its spans into a queue with an end.

mod context;
mod encode;
mod export;
mod protobuf;
mod span;
mod tracer;

pub use context::TraceContext;
pub use export::export_spans;
pub use span::{Attribute, Span, SpanKind};
pub use tracer::{SpanCounts, Tracer};
