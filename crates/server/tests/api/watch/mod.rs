//! Watching over the service: incidents and alerts, metrics, traces, log lines.

mod alerts;
mod collector;
mod incidents;
mod log_lines;
mod metrics;
mod protobuf;
mod scrape;
mod site;
mod traces;
