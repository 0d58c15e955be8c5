//! What the operator sees of the running service: logs and metrics.

mod logs;
mod metrics;
mod process;

pub use logs::{LogControl, start_logs};
pub use metrics::{HttpMetrics, Metrics};
